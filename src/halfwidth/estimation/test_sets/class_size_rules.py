"""Caution rules about the smallest class of a test set, on which metrics of all classes rest."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.formatting import as_beginning, fixed_apart, rough_percent
from halfwidth.core.spec import Estimand, Need, Takes, spec_of
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.evidence_lookup import Found, found_for
from halfwidth.estimation.sample_caution_rules import RARE
from halfwidth.intervals.bootstrap import bca, percentile

# A class of fewer cases (or clusters with one) carries too little, where no study says how many
# are enough.
FEW_OF_A_CLASS = 10
# Of a mean of errors in bins over classes, each of which noise makes larger: below it 75 to 88 %
# of intervals held the true one (docs/calibration.md).
FEW_IN_BINS = 20
# Almost all coverage failures in andre2025 (tables S6 and S7) had a class of 5 % or less, or one
# of 70 % and more of the cases. It is said where the rare class has too few cases besides.
RARE_SHARE, MAJORITY = 0.05, 0.9
# A value this near an end of its range, in units of the range, rests on few errors.
NEAR_END = 0.02


def few_of_a_class(context: CautionContext) -> Caution | None:
    """Fewer cases of a class than reliable intervals take."""
    if context.classes is None or not _few(context):
        return None
    found, e = _found(context), context.estimate
    units, names = context.classes.compared
    needed = _fewest(context)
    if found.rows:
        needed = found.largest + 1 if found.needed is None else found.needed
    few = np.flatnonzero(units < needed)
    least = int(few[units[few].argmin()])
    count, others = int(units[least]), len(few) - 1
    noun = "case" if e.n_groups is None else "cluster"
    return caution(
        "HW204",
        name=names[least],
        count=f"{count or 'no'} {noun}{'' if count == 1 else 's'}",
        more=f", and {others} more class{'es' if others > 1 else ''} as rare" if others else "",
        what=e.subject,
        needed=found.needed_text if found.rows else f"about {needed} or more",
    )


def _found(context: CautionContext) -> Found:
    if not context.as_studied:
        return Found()
    return found_for(context.estimate, chosen=context.chosen, by_class=True)


def _few(context: CautionContext) -> bool:
    """Whether coverage falls short with so few cases of the smallest class."""
    if context.classes is None or not context.by_class:
        return False
    found, smallest = _found(context), context.classes.smallest
    return found.too_few(smallest) if found.rows else smallest < _fewest(context)


def _fewest(context: CautionContext) -> int:
    """Cases of each class, where no study says how many are enough."""
    e = context.estimate
    in_bins = e.average == "macro" and e.metric_spec.estimand is Estimand.CALIBRATION_ERROR
    return FEW_IN_BINS if in_bins else FEW_OF_A_CLASS


def imbalance(context: CautionContext) -> Caution | None:
    """A class with too few cases."""
    spec = context.estimate.metric_spec.spec
    if context.classes is None or not context.by_class:
        return None
    if spec.takes is Takes.SCORES and not spec.prevalence_dependent:
        return None
    sizes = context.classes.sizes
    shares = sizes[sizes > 0] / sizes.sum()
    usual = len(shares) < 2 or (shares.min() > RARE_SHARE and shares.max() < MAJORITY)
    if usual or not _few(context):
        return None
    label = context.classes.labels[int(sizes.argmax())]
    largest, smallest = (rough_percent(float(end)) for end in (shares.max(), shares.min()))
    return caution("HW206", label=label, largest=largest, smallest=smallest)


def near_an_end(context: CautionContext) -> Caution | None:
    """A value near an end of its range that rests on few cases or few errors."""
    e, bounds = context.estimate, context.estimate.metric_spec.spec.bounds
    if not e.statistic_spec.spec.of_records or not bounds.finite or math.isnan(e.value):
        return None
    few = _few(context) if context.by_class else e.n < e.metric_spec.reliable_n
    for end in (bounds.low, bounds.high):
        away = abs(e.value - end) / bounds.width
        if away <= NEAR_END and (few or _rests_on_few_errors(context, away)):
            what = as_beginning(e.subject)
            return caution("HW207", what=what, value=fixed_apart(e.value, 3, (end,)), end=end)
    return None


def _rests_on_few_errors(context: CautionContext, away: float) -> bool:
    """Whether resamples, or a normal error, know counts only by the few errors that were made.

    Of ``auto`` the study says whether it does better.
    """
    e = context.estimate
    strained = {Need.DISTRIBUTION, Need.STANDARD_ERROR} & set(e.method_spec.needs)
    counting = e.statistic_spec.spec.estimand is Estimand.COUNTING
    known = context.chosen and bool(_found(context).rows)
    return bool(strained) and counting and not known and away * e.n < RARE


def macro_ap(context: CautionContext) -> Caution | None:
    """A macro-averaged AP by a bootstrap that falls short of its level at this n."""
    e = context.estimate
    spec = e.metric_spec.spec
    precision = spec.takes is Takes.SCORES and spec.prevalence_dependent
    short = e.method_spec in (spec_of(percentile), spec_of(bca))
    if not (precision and e.average == "macro" and short):
        return None
    found = found_for(e, chosen=False) if context.as_studied else Found()
    row = found.at(e.n)
    if found.rows and not (row and row.falls_short):
        return None
    return caution("HW313", method=e.method_spec.title)


CLASS_SIZE_RULES = (few_of_a_class, imbalance, near_an_end, macro_ap)
