"""Caution rules for metrics of whole test sets, besides those for all estimates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import shortened
from halfwidth.core.formatting import counted, rough_percent
from halfwidth.core.forms import Contrast
from halfwidth.core.spec import ClassNeed, Estimand, Need, Takes
from halfwidth.estimation.caution_context import CautionContext
from halfwidth.estimation.evidence_lookup import known_as
from halfwidth.estimation.test_sets.class_context import ClassContext
from halfwidth.metrics.agreement import accuracy
from halfwidth.results.estimate import Estimate

# A caution names a class that is missing from more than this share of the resamples: a fifth of
# those beyond a bound of 95 %. Fewer move it by less than the draws do.
OFTEN_MISSING = 5e-3
# Always answering the largest class is then right so often that accuracy says little.
EASY_ACCURACY = 0.75
# A model that is right less often than the largest class is frequent: said where that class is a
# fifth larger than all would be if they were equal.
LARGEST = 1.2
# The AUROC of scores without any skill.
CHANCE = 0.5
# Weights matter where they leave less than this share of the cases.
UNEVEN = 0.75
# A weighted proportion is no count, for which ten cases may do, but a ratio of sums.
FEW_WEIGHTED = 50
# Classes of exactly equal size are a design, not a prevalence, from so many cases on.
BALANCED_BY_DESIGN = 20
POLICY = {
    "omit": "the average leaves it out",
    "zero": "it counts as 0",
    "undefined": "the average is undefined",
}
WHOLE_RANGE = "the average leaves it out, and the interval counts its whole range"


def class_cautions(context: CautionContext) -> Iterator[Caution | None]:
    """Classes without cases, weights, and metrics that say something else than they seem to."""
    e, classes, metric = context.estimate, context.classes, context.estimate.metric_spec
    if classes is None:
        return
    yield from _reading_cautions(e, classes)
    # Random weights leave no case out.
    if context.by_class and e.method_spec.resamples and Need.WEIGHTED not in e.method_spec.needs:
        yield _missing_from_resamples(e, classes)
    if e.average in ("macro", "weighted"):
        yield _without_a_value(e, classes)
    if e.n_effective is not None:
        yield _few_by_weight(e, e.n_effective)
    if metric.estimand is Estimand.AUROC and not math.isnan(e.value):
        yield _flipped(e)
    is_accuracy = known_as(e)[0] == accuracy.__name__
    if is_accuracy:
        yield _accuracy_under_imbalance(e, classes)
    by_cases = is_accuracy or e.average in ("micro", "weighted")
    if by_cases and metric.spec.takes is not Takes.SCORES:
        yield _never_found(e, classes)
    if (metric.spec.prevalence_dependent or is_accuracy) and not metric.states_prevalence:
        yield _prevalence(e, classes)


def _reading_cautions(e: Estimate, classes: ClassContext) -> Iterator[Caution]:
    """How scores became what the metric is of."""
    takes_scores = e.metric_spec.spec.takes is Takes.SCORES
    if takes_scores and e.average == "micro":
        yield caution("HW405", what=e.subject, classes=len(classes.labels))
    if takes_scores and classes.hard:
        yield caution("HW406", what=e.subject)
    if classes.criterion and not takes_scores:
        yield caution("HW407", criterion=classes.criterion)
    if classes.rows_miss_one:
        yield caution("HW408", missed=classes.rows_miss_one)


def _missing_from_resamples(e: Estimate, classes: ClassContext) -> Caution | None:
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
    share = rough_percent(float(missing[worst]))
    return caution("HW205", label=classes.labels[worst], share=share, policy=policy)


def _without_a_value(e: Estimate, classes: ClassContext) -> Caution | None:
    none, why, metric = classes.sizes == 0, "without a case", e.metric_spec
    needs, takes = metric.spec.class_needs, metric.spec.takes
    if classes.predicted is not None and needs is ClassNeed.PREDICTIONS:
        none, why = classes.predicted == 0, "never predicted"
    elif classes.predicted is not None and needs is ClassNeed.EITHER:
        none &= classes.predicted == 0
    if needs is ClassNeed.NOTHING:
        return None
    if e.average == "weighted":
        # A class that weighs nothing is not missed.
        none &= classes.sizes > 0
    names = [repr(label) for label, has_none in zip(classes.labels, none, strict=True) if has_none]
    policy = POLICY[classes.absent]
    alone = not isinstance(e.statistic_spec.spec.form, Contrast)
    weighs = Need.WEIGHTED in e.method_spec.needs and metric.spec.bounds.finite
    without = takes is not Takes.PROBABILITIES and not classes.sizes[none].any()
    if alone and weighs and without and classes.absent == "omit":
        policy = WHOLE_RANGE
    return without_a_value(names, len(classes.labels), why, policy) if names else None


def without_a_value(names: Sequence[str], classes: int, why: str, policy: str) -> Caution:
    """The caution about classes without a value, and what the average makes of them."""
    one = len(names) == 1
    return caution(
        "HW208",
        count=len(names),
        classes=classes,
        name=shortened(names, 5),
        why=f"{'is' if one else 'are'} {why}",
        policy=policy
        if one
        else policy.replace("leaves it", "leaves them").replace("its", "their"),
    )


def _few_by_weight(e: Estimate, effective: float) -> Caution | None:
    needed = e.metric_spec.reliable_n
    if e.metric_spec.estimand is Estimand.PROPORTION:
        needed = max(needed, FEW_WEIGHTED)
    if effective >= min(needed, UNEVEN * e.n):
        return None
    return caution("HW209", n=e.n, effective=effective, what=e.subject)


def _flipped(e: Estimate) -> Caution | None:
    """An AUROC whose interval lies below that of no skill; one that has none, by its value."""
    high, how = e.high, ", with all of its interval"
    if math.isnan(high) or e.alternative == "lower":
        # NaN: all pairs of cases are in the wrong order, or the method gave nothing.
        error = 0.0 if math.isnan(e.standard_error) else e.standard_error
        high, how = e.value + 2 * error, ""
    return caution("HW410", what=e.subject, value=e.value, how=how) if high < CHANCE else None


def _accuracy_under_imbalance(e: Estimate, classes: ClassContext) -> Caution | None:
    share = float(classes.sizes.max() / classes.sizes.sum())
    # How much two models differ by does not say how often either is right.
    worse = not isinstance(e.statistic_spec.spec.form, Contrast) and e.value <= share
    if share < EASY_ACCURACY and not (worse and share >= LARGEST / len(classes.sizes)):
        return None
    label = classes.labels[int(classes.sizes.argmax())]
    return caution("HW501", label=label, share=rough_percent(share))


def _never_found(e: Estimate, classes: ClassContext) -> Caution | None:
    """A class of several all cases of which are taken for others."""
    contrast = isinstance(e.statistic_spec.spec.form, Contrast)
    if classes.found is None or len(classes.sizes) < 3 or contrast:
        return None
    never = np.flatnonzero((classes.found == 0) & (classes.sizes > 0))
    if not len(never):
        return None
    most = never[classes.sizes[never].argmax()]
    count, others = int(classes.sizes[most]), len(never) - 1
    return caution(
        "HW509",
        label=classes.labels[most],
        count=counted(count, "case"),
        more=f", nor {'are' if others > 1 else 'is'} {counted(others, 'other')}" if others else "",
        what=e.subject,
    )


def _prevalence(e: Estimate, classes: ClassContext) -> Caution | None:
    sizes = classes.sizes
    if classes.fixed:
        why = "strata fix the number of cases of each class"
    elif (sizes == sizes[0]).all() and sizes.sum() >= BALANCED_BY_DESIGN:
        why = "all classes have the same number of cases"
    else:
        return None
    return caution("HW502", what=e.subject, why=why)
