"""Caution rules about the smallest class of a test set, on which metrics of all classes rest."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.formatting import as_beginning, fixed_apart, rough_percent
from halfwidth.core.spec import Estimand, Need, Takes, spec_of
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.evidence_lookup import Findings, findings_for
from halfwidth.estimation.sample_caution_rules import RARE
from halfwidth.estimation.test_sets.class_context import ClassContext
from halfwidth.intervals.bootstrap import bca, percentile
from halfwidth.results.estimate import Estimate

# A class of fewer cases (or clusters with one) carries too little, where no study says how many
# are enough.
FEW_OF_A_CLASS = 10
# So many at least are asked for of a class that has none.
FEW_WITHOUT = 5
# Of a mean of errors in bins over classes, each of which noise makes larger: below it 75 to 88 %
# of intervals held the true one (docs/calibration.md).
FEW_IN_BINS = 20
# Almost all coverage failures in andre2025 (tables S6 and S7) had a class of 5 % or less, or one
# of 70 % and more of the cases. It is said where the rare class has too few cases besides.
RARE_SHARE, MAJORITY = 0.05, 0.9
# A value this near an end of its range, in units of the range, rests on few errors.
NEAR_END = 0.02


def class_size_cautions(context: CautionContext) -> Iterator[Caution | None]:
    """A class too rare, a value near an end of its range, an AP that falls short at this n."""
    e, spec, classes = context.estimate, context.estimate.metric_spec.spec, context.classes
    findings = context.class_findings if context.as_studied else Findings()
    # Cases of each class, where no study says how many are enough.
    in_bins = e.average == "macro" and e.metric_spec.estimand is Estimand.CALIBRATION_ERROR
    fewest = FEW_IN_BINS if in_bins else FEW_OF_A_CLASS
    few, by_prevalence = False, spec.takes is not Takes.SCORES or spec.prevalence_dependent
    if classes is not None and context.by_class:
        smallest = classes.smallest
        few = findings.too_few(smallest) if findings.rows else smallest < fewest
        if few:
            yield _few_of_a_class(e, classes, findings, fewest)
        if few and by_prevalence:
            yield _imbalance(classes)
    if e.statistic_spec.spec.of_records and spec.bounds.finite and not math.isnan(e.value):
        yield _near_an_end(context, findings, few=few)
    if spec.takes is Takes.SCORES and spec.prevalence_dependent and e.average == "macro":
        yield _macro_ap(context)


def _few_of_a_class(e: Estimate, classes: ClassContext, findings: Findings, fewest: int) -> Caution:
    needed, needed_text = fewest, f"about {fewest} or more"
    if findings.rows:
        needed, needed_text = findings.needed or findings.rows[-1].size + 1, findings.needed_text
    units, names = classes.compared
    few = np.flatnonzero(units < needed)
    least = int(few[units[few].argmin()])
    count, others = int(units[least]), len(few) - 1
    if not count and needed < FEW_WITHOUT:
        needed_text = f"about {FEW_WITHOUT} or more"
    noun = "case" if e.n_groups is None else "cluster"
    return caution(
        "HW204",
        name=names[least],
        count=f"{count or 'no'} {noun}{'' if count == 1 else 's'}",
        more=f", and {others} more class{'es' if others > 1 else ''} as rare" if others else "",
        what=e.subject,
        needed=needed_text,
    )


def _imbalance(classes: ClassContext) -> Caution | None:
    sizes = classes.sizes
    shares = sizes[sizes > 0] / sizes.sum()
    if len(shares) < 2 or (shares.min() > RARE_SHARE and shares.max() < MAJORITY):
        return None
    label = classes.labels[int(sizes.argmax())]
    largest, smallest = (rough_percent(float(end)) for end in (shares.max(), shares.min()))
    return caution("HW206", label=label, largest=largest, smallest=smallest)


def _near_an_end(context: CautionContext, findings: Findings, *, few: bool) -> Caution | None:
    """A value that rests on few cases or on few errors."""
    e, bounds = context.estimate, context.estimate.metric_spec.spec.bounds
    few = few if context.by_class else e.n < e.metric_spec.reliable_n
    end = min((bounds.low, bounds.high), key=lambda end: abs(e.value - end))
    away = abs(e.value - end) / bounds.width
    # Resamples, or a normal error, know counts only by the few errors that were made; of ``auto``
    # the study says whether it does better.
    strained = {Need.DISTRIBUTION, Need.STANDARD_ERROR} & set(e.method_spec.needs)
    counting = e.statistic_spec.spec.estimand is Estimand.COUNTING
    known = context.chosen and bool(findings.rows)
    on_few_errors = bool(strained) and counting and not known and away * e.n < RARE
    if away > NEAR_END or not (few or on_few_errors):
        return None
    value = fixed_apart(e.value, 3, (end,))
    return caution("HW207", what=as_beginning(e.subject), value=value, end=end)


def _macro_ap(context: CautionContext) -> Caution | None:
    """A macro-averaged AP by a bootstrap."""
    e = context.estimate
    if e.method_spec not in (spec_of(percentile), spec_of(bca)):
        return None
    findings = findings_for(e, chosen=False) if context.as_studied else Findings()
    row = findings.at(e.n)
    if findings.rows and not (row and row.falls_short):
        return None
    return caution("HW313", method=e.method_spec.title)
