"""Caution rules for metrics of whole test sets, besides those for all estimates."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import shortened
from halfwidth.core.estimate import Estimate
from halfwidth.core.formatting import fixed_apart, rough_percent
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import ClassNeed, Estimand, Takes, spec_of
from halfwidth.core.types import Array
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.intervals.bootstrap import bca, percentile
from halfwidth.metrics.agreement import accuracy

# A class of fewer cases (or clusters with one) carries too little to say how it is dealt with.
FEW_OF_A_CLASS = 10
# A caution names a class that is missing from more than this share of the resamples.
OFTEN_MISSING = 1e-3
# Almost all coverage failures in andre2025 (tables S6 and S7) had a class of 5 % or less, or one
# of 70 % and more of the cases.
RARE_SHARE, MAJORITY = 0.05, 0.9
# Always answering the largest class is then right so often that accuracy says little.
EASY_ACCURACY = 0.75
# A value this near an end of its range, in units of the range, rests on few errors.
NEAR_END = 0.02
# The AUROC of scores without any skill.
CHANCE = 0.5
# Weights matter where they leave less than this share of the cases.
UNEVEN = 0.75
# Classes of exactly equal size are a design, not a prevalence, from so many cases on.
BALANCED_BY_DESIGN = 20


@frozen
class ClassContext:
    """What the rules look at: the classes of a test set and how it was read.

    Attributes
    ----------
    labels : tuple of str
    sizes : ndarray, shape (C,)
        Cases of each class.
    units : ndarray, shape (C,)
        Units (cases, or clusters) with a case of it.
    predicted : ndarray, shape (C,), or None
        Cases predicted as each class.
    others : ndarray, shape (C,)
        Units with a case of another class.
    missing : ndarray, shape (C,)
        Probability that a resample holds no case of it.
    absent : str
        The policy for such a class.
    which : int or None
        The class a row is of.
    hard : bool
    rows_miss_one : float
    criterion : str
        What the threshold was chosen by on the data; empty where it was not.
    fixed : bool
        Whether strata fix the number of cases of each class.
    """

    labels: tuple[str, ...]
    sizes: NDArray[np.intp]
    units: NDArray[np.intp]
    others: NDArray[np.intp]
    missing: Array
    predicted: NDArray[np.intp] | None = None
    absent: str = "omit"
    which: int | None = None
    hard: bool = False
    rows_miss_one: float = 0.0
    criterion: str = ""
    fixed: bool = False


def class_context(cases: TestSet, absent: str, criterion: str) -> ClassContext:
    """The facts of a test set."""
    sizes = cases.class_sizes()
    units, others, fixed = sizes, cases.n - sizes, False
    missing = _never_drawn(sizes[None], np.array([cases.n]))
    if cases.groups is not None or cases.strata is not None:
        held, units_in_stratum, alone = _units_with_each_class(cases)
        units, missing = held.sum(axis=0), _never_drawn(held, units_in_stratum)
        others = units_in_stratum.sum() - alone
        several = len(held) > 1
        fixed = several and bool(((held > 0).sum(axis=1) == 1).all())
    return ClassContext(
        tuple(str(label) for label in cases.labels),
        sizes,
        units,
        others,
        missing,
        None if cases.predicted is None else np.bincount(cases.predicted, minlength=len(sizes)),
        absent,
        hard=cases.hard,
        rows_miss_one=cases.rows_miss_one,
        criterion=criterion,
        fixed=fixed,
    )


def _units_with_each_class(
    cases: TestSet,
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Units of each stratum with each class, (H, C), and in all, (H,); units of one class, (C,)."""
    unit = np.arange(cases.n) if cases.groups is None else cases.groups
    stratum = np.zeros(cases.n, dtype=np.intp) if cases.strata is None else cases.strata
    strata = int(stratum.max()) + 1
    stratum_of = np.zeros(int(unit.max()) + 1, dtype=np.intp)
    stratum_of[unit] = stratum
    pairs = np.unique(unit * cases.n_classes + cases.truth)
    with_class = stratum_of[pairs // cases.n_classes] * cases.n_classes + pairs % cases.n_classes
    held = np.bincount(with_class, minlength=strata * cases.n_classes)
    pair_unit = pairs // cases.n_classes
    single = np.bincount(pair_unit)[pair_unit] == 1
    alone = np.bincount(pairs[single] % cases.n_classes, minlength=cases.n_classes)
    held = held.reshape(strata, cases.n_classes)
    return held, np.bincount(stratum_of, minlength=strata), alone


def _never_drawn(held: NDArray[np.intp], units: NDArray[np.intp]) -> Array:
    """Probability that a resample holds no unit with a case of each class, (H, C) -> (C,)."""
    with np.errstate(divide="ignore"):
        log_share = np.log1p(-held / units[:, None])
    return np.asarray(np.exp((units[:, None] * log_share).sum(axis=0)))


Rule = Callable[[Estimate, ClassContext], Caution | None]


def _covers_all_classes(e: Estimate) -> bool:
    """Whether a metric gives a rare class a voice of its own."""
    spec = e.metric_spec.spec
    return e.statistic_spec.spec.of_records and spec.takes is not Takes.NUMBERS


def _few_of_a_class(e: Estimate, classes: ClassContext) -> Caution | None:
    if not _covers_all_classes(e) or e.average == "micro":
        return None
    units, noun = classes.units, "case" if e.n_groups is None else "cluster"
    if classes.which is not None:
        units = np.array([units[classes.which], classes.others[classes.which]])
        names = [f"class {classes.labels[classes.which]!r}", "the other classes"]
    else:
        names = [f"class {label!r}" for label in classes.labels]
    few = np.flatnonzero(units < FEW_OF_A_CLASS)
    if not len(few):
        return None
    least = int(few[units[few].argmin()])
    count = int(units[least])
    others = len(few) - 1
    more = f", and {others} more class{'es' if others > 1 else ''} as rare" if others else ""
    return caution(
        "HW204",
        name=names[least],
        count=f"{count or 'no'} {noun}{'' if count == 1 else 's'}",
        more=more,
        what=e.subject,
    )


POLICY = {
    "omit": "the average leaves it out",
    "zero": "it counts as 0",
    "undefined": "the average is undefined",
}


def _missing_from_resamples(e: Estimate, classes: ClassContext) -> Caution | None:
    if not (_covers_all_classes(e) and e.method_spec.resamples) or e.average == "micro":
        return None
    missing = np.where(classes.sizes > 0, classes.missing, 0.0)
    # With two classes, one against the rest suffers from the lack of either.
    both = classes.which is None or len(missing) == 2
    worst = int(missing.argmax()) if both else int(classes.which or 0)
    if missing[worst] <= OFTEN_MISSING:
        return None
    policy = "the metric may be undefined"
    if e.average in ("macro", "weighted"):
        policy, spec = POLICY[classes.absent], e.metric_spec.spec
        if spec.class_needs is ClassNeed.EITHER and classes.absent == "omit":
            policy += " unless it is predicted there, which counts as 0"
    return caution(
        "HW205",
        label=classes.labels[worst],
        share=rough_percent(float(missing[worst])),
        policy=policy,
    )


def _without_a_value(e: Estimate, classes: ClassContext) -> Caution | None:
    if e.average not in ("macro", "weighted"):
        return None
    none, why = classes.sizes == 0, "without a case"
    needs = e.metric_spec.spec.class_needs
    if classes.predicted is not None and needs is ClassNeed.PREDICTIONS:
        none, why = classes.predicted == 0, "never predicted"
    elif classes.predicted is not None and needs is ClassNeed.EITHER:
        none &= classes.predicted == 0
    if not none.any():
        return None
    names = [repr(label) for label, has_none in zip(classes.labels, none, strict=True) if has_none]
    return caution(
        "HW208",
        count=len(names),
        classes=len(classes.labels),
        name=shortened(names, 5),
        why="is " + why if len(names) == 1 else "are " + why,
        policy=POLICY[classes.absent].replace(
            "leaves it", "leaves them" if len(names) > 1 else "leaves it"
        ),
    )


def _imbalance(e: Estimate, classes: ClassContext) -> Caution | None:
    spec = e.metric_spec.spec
    if not _covers_all_classes(e) or (spec.takes is Takes.SCORES and not spec.prevalence_dependent):
        return None
    shares = classes.sizes[classes.sizes > 0] / classes.sizes.sum()
    if len(shares) < 2:
        return None
    if shares.min() > RARE_SHARE and shares.max() < MAJORITY:
        return None
    label = classes.labels[int(classes.sizes.argmax())]
    largest, smallest = (rough_percent(float(end)) for end in (shares.max(), shares.min()))
    return caution("HW206", label=label, largest=largest, smallest=smallest)


def _near_an_end(e: Estimate, classes: ClassContext) -> Caution | None:
    bounds = e.metric_spec.spec.bounds
    if not e.statistic_spec.spec.of_records or not bounds.finite or math.isnan(e.value):
        return None
    for end in (bounds.low, bounds.high):
        if abs(e.value - end) <= NEAR_END * bounds.width:
            what = e.subject[:1].upper() + e.subject[1:]
            return caution("HW207", what=what, value=fixed_apart(e.value, 3, (end,)), end=end)
    return None


def _macro_ap(e: Estimate, classes: ClassContext) -> Caution | None:
    spec = e.metric_spec.spec
    precision = spec.takes is Takes.SCORES and spec.prevalence_dependent
    short = e.method_spec in (spec_of(percentile), spec_of(bca))
    if precision and e.average == "macro" and short:
        return caution("HW313", method=e.method_spec.title)
    return None


def _flattened(e: Estimate, classes: ClassContext) -> Caution | None:
    if e.average == "micro" and e.metric_spec.spec.takes is Takes.SCORES:
        return caution("HW405", what=e.subject, classes=len(classes.labels))
    return None


def _without_scores(e: Estimate, classes: ClassContext) -> Caution | None:
    if classes.hard and e.metric_spec.spec.takes is Takes.SCORES:
        return caution("HW406", what=e.subject)
    return None


def _flipped(e: Estimate, classes: ClassContext) -> Caution | None:
    """An AUROC whose interval lies below that of no skill; one that has none, by its value."""
    if e.metric_spec.estimand is not Estimand.AUROC or math.isnan(e.value):
        return None
    high, how = e.high, ", with all of its interval"
    if math.isnan(high) or e.alternative == "lower":
        # NaN: all pairs of cases are in the wrong order, or the method gave nothing.
        error = 0.0 if math.isnan(e.standard_error) else e.standard_error
        high, how = e.value + 2 * error, ""
    return caution("HW410", what=e.subject, value=e.value, how=how) if high < CHANCE else None


def _tuned(e: Estimate, classes: ClassContext) -> Caution | None:
    if classes.criterion and e.metric_spec.spec.takes is not Takes.SCORES:
        return caution("HW407", criterion=classes.criterion)
    return None


def _rows_miss_one(e: Estimate, classes: ClassContext) -> Caution | None:
    if not classes.rows_miss_one:
        return None
    return caution("HW408", missed=classes.rows_miss_one)


def _accuracy_under_imbalance(e: Estimate, classes: ClassContext) -> Caution | None:
    if e.metric != accuracy.__name__:
        return None
    share = float(classes.sizes.max() / classes.sizes.sum())
    if share < EASY_ACCURACY and e.value > share:
        return None
    label = classes.labels[int(classes.sizes.argmax())]
    return caution("HW501", label=label, share=rough_percent(share))


def _prevalence(e: Estimate, classes: ClassContext) -> Caution | None:
    spec = e.metric_spec.spec
    if not spec.prevalence_dependent or "prevalence" in e.metric_spec.parameters:
        return None
    equal = len(set(classes.sizes.tolist())) == 1 and classes.sizes.sum() >= BALANCED_BY_DESIGN
    if not equal and not classes.fixed:
        return None
    why = (
        "strata fix the number of cases of each class"
        if classes.fixed
        else ("all classes have the same number of cases")
    )
    return caution("HW502", what=e.subject, why=why)


def _few_by_weight(e: Estimate, classes: ClassContext) -> Caution | None:
    if e.n_effective is None or e.n_effective >= min(e.metric_spec.reliable_n, UNEVEN * e.n):
        return None
    return caution("HW209", n=e.n, effective=e.n_effective, what=e.subject)


METRIC_RULES: tuple[Rule, ...] = (
    _few_by_weight,
    _few_of_a_class,
    _missing_from_resamples,
    _without_a_value,
    _imbalance,
    _near_an_end,
    _macro_ap,
    _flattened,
    _without_scores,
    _flipped,
    _tuned,
    _rows_miss_one,
    _accuracy_under_imbalance,
    _prevalence,
)
