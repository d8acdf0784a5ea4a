"""Which engine resamples which form."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

from halfwidth.core import forms
from halfwidth.core.branches import modules_brought
from halfwidth.core.spec import Statistic
from halfwidth.resampling.forms import (
    counts,
    differences,
    generic,
    l_statistics,
    logistic_fits,
    moments,
    order_statistics,
    pair_averages,
    ranked,
    sums,
)
from halfwidth.resampling.forms.contract import Engine

# Metrics of all cases, each with several values, are gathered too where none says what they are at
# weights.
GATHERED = replace(generic.ENGINE, paired=True)

ENGINES: dict[Any, Engine] = {
    forms.Moments: moments.ENGINE,
    forms.SortedWeights: l_statistics.ENGINE,
    forms.OrderStatistics: order_statistics.ENGINE,
    forms.Sums: sums.ENGINE,
    forms.LogisticFit: logistic_fits.ENGINE,
    forms.WholeSample: generic.WHOLE_SAMPLES,
    forms.SmoothedError: GATHERED,
    forms.PairedCases: GATHERED,
    forms.CellCounts: counts.ENGINE,
    forms.RankedAreas: ranked.ENGINE,
    type(None): generic.ENGINE,
}


def engine_for(statistic: Statistic) -> Engine:
    """How a statistic is resampled; one without a form is called on every resample."""
    form = statistic.spec.form
    inner: Any
    if isinstance(form, forms.Contrast):
        inner = type(form.statistic.form)
        return _engine_of_contrast(inner)
    if isinstance(form, forms.PairAverages):
        inner = type(form.contrast.statistic.form)
        return _engine_of_averages(inner)
    return _engine_of(type(form))


def _engine_of(form: Any) -> Engine:
    return ENGINES.get(form) or _engines_of_branches()[form]


@functools.cache
def _engine_of_contrast(form: Any) -> Engine:
    return differences.engine_of_contrasts(_engine_of(form))


@functools.cache
def _engine_of_averages(form: Any) -> Engine:
    return pair_averages.engine_of_contrasts(_engine_of(form))


@functools.cache
def _engines_of_branches() -> dict[Any, Engine]:
    """The engines of forms that branches bring."""
    return {
        form: one for module in modules_brought("ENGINES") for form, one in module.ENGINES.items()
    }
