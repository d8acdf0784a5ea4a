"""Which module resamples which form.

`differences` and `pair_averages` make the engines of contrasts of those.
"""

from __future__ import annotations

import functools
import importlib

from halfwidth.core import forms
from halfwidth.core.detection_forms import MatchedScores
from halfwidth.core.spec import Statistic
from halfwidth.resampling.forms.contract import Engine

# Each has its `Engine`. A call needs one or two of them, so they are imported when first used.
MODULES: dict[type, str] = {
    forms.Moments: "moments",
    forms.SortedWeights: "l_statistics",
    forms.OrderStatistics: "order_statistics",
    forms.Sums: "sums",
    forms.LogisticFit: "logistic_fits",
    forms.WholeSample: "whole_samples",
    forms.SmoothedError: "whole_samples",
    forms.PairedCases: "whole_samples",
    forms.CellCounts: "counts",
    forms.RankedAreas: "ranked",
    MatchedScores: "matched_scores",
    type(None): "generic",
}


def engine_for(statistic: Statistic) -> Engine:
    """How a statistic is resampled; one without a form is called on every resample."""
    form = statistic.spec.form
    if isinstance(form, forms.Contrast):
        return _engine_of("differences", MODULES[type(form.statistic.form)])
    if isinstance(form, forms.PairAverages):
        return _engine_of("pair_averages", MODULES[type(form.contrast.statistic.form)])
    return _engine(MODULES[type(form)])


@functools.cache
def _engine(module: str) -> Engine:
    engine: Engine = importlib.import_module(f"{__package__}.{module}").ENGINE
    return engine


@functools.cache
def _engine_of(contrasts: str, module: str) -> Engine:
    engine: Engine = importlib.import_module(f"{__package__}.{contrasts}").engine_of_contrasts(
        _engine(module)
    )
    return engine
