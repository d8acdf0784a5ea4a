"""Caution rules for metrics of whole test sets, besides those for all estimates."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import shortened
from halfwidth.core.formatting import rough_percent
from halfwidth.core.forms import Contrast
from halfwidth.core.spec import ClassNeed, Estimand, Need, Takes
from halfwidth.estimation.caution_context import covers_all_classes
from halfwidth.estimation.test_sets.class_context import ClassContext
from halfwidth.metrics.agreement import accuracy
from halfwidth.results.estimate import Estimate

# A caution names a class that is missing from more than this share of the resamples: a fifth of
# those beyond a bound of 95 %. Fewer move it by less than the draws do.
OFTEN_MISSING = 5e-3
# Always answering the largest class is then right so often that accuracy says little.
EASY_ACCURACY = 0.75
# The AUROC of scores without any skill.
CHANCE = 0.5
# Weights matter where they leave less than this share of the cases.
UNEVEN = 0.75
# A weighted proportion is no count, for which ten cases may do, but a ratio of sums.
FEW_WEIGHTED = 50
# Classes of exactly equal size are a design, not a prevalence, from so many cases on.
BALANCED_BY_DESIGN = 20


Rule = Callable[[Estimate, ClassContext], Caution | None]


POLICY = {
    "omit": "the average leaves it out",
    "zero": "it counts as 0",
    "undefined": "the average is undefined",
}


def _missing_from_resamples(e: Estimate, classes: ClassContext) -> Caution | None:
    # Random weights leave no case out.
    draws = e.method_spec.resamples and Need.WEIGHTED not in e.method_spec.needs
    if not (covers_all_classes(e) and draws) or e.average == "micro":
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
    # How much two models differ by does not say how often either is right.
    contrast = isinstance(e.statistic_spec.spec.form, Contrast)
    if share < EASY_ACCURACY and (contrast or e.value > share):
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
    if e.n_effective is None:
        return None
    metric = e.metric_spec
    counted = metric.estimand is Estimand.PROPORTION
    needed = max(metric.reliable_n, FEW_WEIGHTED) if counted else metric.reliable_n
    if e.n_effective >= min(needed, UNEVEN * e.n):
        return None
    return caution("HW209", n=e.n, effective=e.n_effective, what=e.subject)


METRIC_RULES: tuple[Rule, ...] = (
    _few_by_weight,
    _missing_from_resamples,
    _without_a_value,
    _flattened,
    _without_scores,
    _flipped,
    _tuned,
    _rows_miss_one,
    _accuracy_under_imbalance,
    _prevalence,
)
