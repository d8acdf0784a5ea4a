"""Which engine resamples which form."""

from __future__ import annotations

from dataclasses import replace

from halfwidth.core import forms
from halfwidth.core.detection_forms import MatchedScores
from halfwidth.core.spec import Statistic
from halfwidth.resampling.forms import (
    counts,
    differences,
    generic,
    l_statistics,
    logistic_fits,
    matched_scores,
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

ENGINES: dict[type, Engine] = {
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
    MatchedScores: matched_scores.ENGINE,
    type(None): generic.ENGINE,
}

OF_CONTRASTS = {form: differences.engine_of_contrasts(one) for form, one in ENGINES.items()}
OF_PAIR_AVERAGES = {form: pair_averages.engine_of_contrasts(one) for form, one in ENGINES.items()}


def engine_for(statistic: Statistic) -> Engine:
    """How a statistic is resampled; one without a form is called on every resample."""
    form = statistic.spec.form
    if isinstance(form, forms.Contrast):
        return OF_CONTRASTS[type(form.statistic.form)]
    if isinstance(form, forms.PairAverages):
        return OF_PAIR_AVERAGES[type(form.contrast.statistic.form)]
    return ENGINES[type(form)]
