"""Caution rules for estimates over training runs."""

from __future__ import annotations

import math
from collections.abc import Iterator

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.formatting import counted, percent
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.intervals.ranks import minimum_n

# Up to so many runs a level above this one is too much to ask (lehmann2025, section 4.1).
FEW_RUNS, HIGH_LEVEL = 25, 0.9
# Runs beyond a quantile from which its interval is of use: 10 reach the quartiles, 15 the outer
# tenths (lehmann2025, section 5).
RUNS_BEYOND = 1.5


def run_cautions(context: CautionContext) -> Iterator[Caution]:
    """A level, or a quantile, that so few runs say little of."""
    e, q = context.estimate, context.estimate.statistic_spec.quantile_level
    asked = e.asked or e.level
    level, beyond = asked.confidence_level, min(q, 1 - q)
    if level > HIGH_LEVEL + 1e-9 and e.n <= FEW_RUNS:
        yield caution("HW701", level=percent(round(level, 4)), n=counted(e.n, "run"))
    if e.n * beyond < RUNS_BEYOND - 1e-9:
        # No fewer than an exact interval takes, which another caution names (HW308).
        needed = max(math.ceil(RUNS_BEYOND / beyond - 1e-9), minimum_n(q, asked))
        yield caution("HW702", n=counted(e.n, "run"), quantile=q, needed=counted(needed, "run"))
