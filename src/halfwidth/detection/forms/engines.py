"""Which engine resamples which form of metrics of detections."""

from __future__ import annotations

from halfwidth.detection.forms import matched_scores
from halfwidth.detection.forms.declared import MatchedScores
from halfwidth.resampling.forms.contract import Engine

ENGINES: dict[type, Engine] = {MatchedScores: matched_scores.ENGINE}
