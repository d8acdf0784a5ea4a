"""Which module resamples which form."""

from __future__ import annotations

from halfwidth.core import forms
from halfwidth.core.spec import Statistic
from halfwidth.resampling.forms import (
    counts,
    generic,
    l_statistics,
    moments,
    order_statistics,
    ranked,
    sums,
)
from halfwidth.resampling.forms.contract import Engine

__all__ = ["ENGINES", "engine_of"]

ENGINES: dict[type, Engine] = {
    forms.Moments: moments.ENGINE,
    forms.SortedWeights: l_statistics.ENGINE,
    forms.OrderStatistics: order_statistics.ENGINE,
    forms.Sums: sums.ENGINE,
    forms.CellCounts: counts.ENGINE,
    forms.RankedAreas: ranked.ENGINE,
    type(None): generic.ENGINE,
}


def engine_of(statistic: Statistic) -> Engine:
    """How a statistic is resampled; one without a form is called on every resample."""
    return ENGINES[type(statistic.spec.form)]
