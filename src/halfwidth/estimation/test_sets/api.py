"""The public function for metrics of a whole test set: labels and predictions in, estimates out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from halfwidth.core.checks import as_number, one_of, refuse_complex
from halfwidth.core.errors import (
    DataError,
    OptionError,
    proposed,
    shortened,
    shown,
)
from halfwidth.core.estimates import Estimates
from halfwidth.core.spec import (
    Metric,
    MetricSpec,
    Takes,
)
from halfwidth.core.types import Alternative
from halfwidth.core.undefined import (
    ABSENT_CLASS,
    UNDEFINED_POLICIES,
    AbsentClass,
    Missing,
    Undefined,
)
from halfwidth.estimation.functionals import CustomMetric, Policies, metric_rows
from halfwidth.estimation.pairing import by_class
from halfwidth.estimation.pipeline import estimate_jobs
from halfwidth.estimation.resolve import AUTO, resolve_request
from halfwidth.estimation.test_sets.class_context import class_context
from halfwidth.estimation.test_sets.class_labels import declared_order
from halfwidth.estimation.test_sets.error_bounds import check_errors, within_bounds
from halfwidth.estimation.test_sets.jobs import COUNTING, job_for
from halfwidth.estimation.test_sets.metric_names import AVERAGES, resolve_sample_metric
from halfwidth.estimation.test_sets.score_scales import Scores, check_kind
from halfwidth.estimation.test_sets.test_set import (
    Decisions,
    TestSet,
    check_numbers,
    check_test_set,
)
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS


def metric_ci(
    y_true: Any,
    y_score: Any,
    *,
    metric: Any,
    average: Any = None,
    labels: Sequence[Any] | None = None,
    pos_label: Any = None,
    scores: Scores = "auto",
    threshold: float | str | None = None,
    absent_class: AbsentClass = "omit",
    undefined: Undefined = "omit",
    costs: Any = None,
    priors: Any = None,
    sample_weight: Any = None,
    bounds: Any = None,
    groups: Any = None,
    strata: Any = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
    missing: Missing = "raise",
    n_threads: int = 1,
    names: tuple[str, str] = ("y_true", "y_score"),
) -> Any:
    """Confidence interval for a metric of a whole test set: accuracy, F1, AUROC and their kin.

    Parameters
    ----------
    y_true : array-like, shape (n,)
        True classes (numbers, text, booleans), or the targets of a regression.
    y_score : array-like, shape (n,) or (n, C)
        Scores: one column per class in the order of ``labels`` (columns of a frame that are named
        like the classes go by their names), or of two classes that of the positive one alone. Or
        predicted labels, or predicted numbers. Rows of Series and frames are paired by label with
        those of ``y_true``, as are ``groups``, ``strata`` and ``sample_weight``; see decision
        0027.
    metric : str, MetricSpec, callable, or sequence of them
        A name (see ``halfwidth.SAMPLE_METRICS``; scikit-learn's are synonyms), with parameters
        after a colon: ``"f_beta:beta=2"``, ``"ppv:prevalence=0.05"``,
        ``"cohen_kappa:weights=quadratic"``, ``"net_benefit:exchange_rate=0.11"``. Or a function
        ``f(y_true, y_score)`` that returns a number.
    average : {"binary", "macro", "micro", "weighted", "none"}, or sequence of them, optional
        ``"none"`` makes a row per class. Default: that of the positive class where there is one,
        else ``"macro"``.
    labels : sequence, optional
        All classes, in the order of the score columns; default: those that occur, sorted, or in
        the order of an ordered categorical. The set of classes is fixed before resampling.
    pos_label : label, optional
        The positive class; default: 1 of 0 and 1 (or -1 and 1, False and True).
    scores : {"auto", "probabilities", "logits", "any", "labels", "numbers"}
        What ``y_score`` holds. ``"auto"`` takes labels for labels, numbers in [0, 1] for
        probabilities, and a single column of other numbers for scores that rank; several such
        columns are an error, because it matters whether they are logits. ``"numbers"`` are those
        of a regression, which a function of your own may need to be told.
    threshold : float or str, optional
        Positive from this score on (of logits: this probability); default 0.5 for probabilities
        and logits of two classes; of more the largest score decides. The name of a counting
        metric chooses the threshold that is best by it, anew in each resample.
    absent_class : {"omit", "zero", "undefined"}
        What a class without a value counts in an average, in the data or in a resample.
    undefined : {"omit", "zero", "worst"}
        What 0/0 counts: nothing (such resamples are left out and counted), 0 as in scikit-learn,
        or the worst value.
    costs : array-like, shape (C, C), optional
        Of true (row) and predicted class, for expected costs; weights of confusions for
        `cohen_kappa`. Default: 1 for an error.
    priors : array-like, shape (C,), optional
        Of the classes, for expected costs; default: those of the data.
    sample_weight : array-like, shape (n,), optional
        What each case counts.
    bounds : tuple of float, optional
        Of one metric of a regression: the least and the largest error that a case can have, for
        methods that rest on them; `r2` by itself.
    groups, strata : array-like, shape (n,), optional
        Cluster (patient) and stratum of each case, as for `summary_ci`.
    method : str, default "auto"
        See ``halfwidth.METHODS``.
    confidence_level, alternative, n_resamples, rng
        As for `summary_ci`. All rows share the seed.
    missing : {"raise", "omit"}
        What a missing label or score means.
    n_threads : int, default 1
        Threads of bootstraps that the compiled library does; the result is the same for any number.
    names : tuple of str
        What messages call ``y_true`` and ``y_score``.

    Returns
    -------
    Estimate or Estimates
        One for a single metric with a single average; else a row for each metric, average and
        class. ``n`` is the number of cases in the metric's own denominator; all cases where the
        threshold is chosen on them.

    Raises
    ------
    DataError
        For lengths that differ, missing values, unknown labels, scores that are not what they are
        said to be, a single class.
    OptionError
        For an option that is not allowed or does not fit the metric.

    Examples
    --------
    >>> import halfwidth as hw
    >>> truth = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1] * 5
    >>> score = [i / 50 for i in range(50)]
    >>> e = hw.metric_ci(truth, score, metric="auroc")
    >>> print(e.sentence())
    AUROC 0.60 (95 % CI 0.43 to 0.75; n = 50; DeLong on the logit with t).
    >>> rows = hw.metric_ci(truth, score, metric=["sensitivity", "specificity"])
    >>> [(row.metric, row.value, row.n) for row in rows]
    [('sensitivity', 0.6, 25), ('specificity', 0.6, 25)]
    """
    if not (
        isinstance(names, tuple) and len(names) == 2 and all(isinstance(n, str) for n in names)
    ):
        raise OptionError(f"names={shown(names)} is no pair of texts")
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=None,
        threads=n_threads,
    )
    metrics = within_bounds(
        [resolve_sample_metric(one) for one in _several(metric, "metric")], bounds
    )
    averages = (
        None if average is None else [_check_average(a) for a in _several(average, "average")]
    )
    criterion = _criterion(threshold)
    _check_effects(
        metrics, averages, threshold=threshold, costs=costs, priors=priors, undefined=undefined
    )
    cases = _cases(
        metrics,
        y_true,
        y_score,
        Decisions(
            check_kind(scores),
            None
            if threshold is None or isinstance(threshold, str)
            else as_number("threshold", threshold),
            _needs_decisions(metrics),
            criterion is not None,
        ),
        labels=labels,
        pos_label=pos_label,
        missing=missing,
        sample_weight=sample_weight,
        groups=groups,
        strata=strata,
        where=names,
    )
    if labels is None:
        _check_grades(metrics, y_true, cases)
    policies = Policies(
        one_of("absent_class", absent_class, ABSENT_CLASS),
        one_of("undefined", undefined, UNDEFINED_POLICIES),
        _table(costs, cases),
        _priors(priors, cases),
        criterion,
    )
    if bounds is not None:
        check_errors(metrics[0], cases.given)
    rows = [row for one in metrics for row in metric_rows(one, averages, cases.classes)]
    context = None
    if not cases.numbers:
        context = class_context(cases, policies.absent, criterion.spec.display if criterion else "")
    jobs = [job_for(row, cases, policies, context) for row in rows]
    estimates = estimate_jobs(jobs, request)
    single = not _is_several(metric) and (average is None or isinstance(average, str))
    return estimates[0] if single and len(estimates) == 1 else Estimates(estimates, cases.notes)


# --------------------------------------------------------------------------- what is meant


def _is_several(given: Any) -> bool:
    single = isinstance(given, str | MetricSpec | Metric)
    return isinstance(given, Iterable) and not single and not _is_scalar(given)


def _is_scalar(given: Any) -> bool:
    """Whether NumPy holds a single thing, which only looks as if it held several."""
    return isinstance(given, np.ndarray) and not given.ndim


def _several(given: Any, name: str) -> list[Any]:
    listed = list(given) if _is_several(given) else [given]
    if not listed:
        raise OptionError(f"{name}: name at least one")
    return listed


def _check_average(average: Any) -> str:
    return str(one_of("average", "none" if average is None else average, AVERAGES))


def _needs_decisions(metrics: Sequence[Metric | CustomMetric]) -> bool:
    return any(isinstance(one, Metric) and one.spec.takes in COUNTING for one in metrics)


def _check_effects(
    metrics: Sequence[Metric | CustomMetric],
    averages: Sequence[str] | None,
    *,
    threshold: Any,
    costs: Any,
    priors: Any,
    undefined: Any,
) -> None:
    """Refuse options that no metric of the call looks at."""
    named = [one.spec for one in metrics if isinstance(one, Metric)]
    names = ", ".join(spec.name for spec in named)
    custom = len(named) < len(metrics)
    decided = any(spec.takes in COUNTING for spec in named)
    if threshold is not None and not decided:
        raise OptionError(
            f"threshold={shown(threshold)} has no effect on {names or 'your own metric'}"
        )
    lacking = [spec.name for spec in named if spec.worst is None]
    if undefined == "worst" and lacking:
        raise OptionError(
            f"undefined='worst' (--undefined worst) needs a metric with a worst value; "
            f"{', '.join(lacking)} has none"
        )
    for option, given in (("costs", costs), ("priors", priors)):
        takers = [spec.name for spec in SAMPLE_METRICS if option in spec.tables]
        chosen = isinstance(threshold, str) and threshold.partition(":")[0] in takers
        if given is not None and not chosen and not any(spec.name in takers for spec in named):
            raise OptionError(f"{option} has no effect on {names}; it is for {', '.join(takers)}")
    averaged = custom or any(set(averages or ()) & set(spec.averages) for spec in named)
    if averages and not averaged and not any(len(spec.averages) > 1 for spec in named):
        raise OptionError(f"average={averages[0]!r} (--average) has no effect on {names}")


def _criterion(threshold: Any) -> Metric | None:
    if not isinstance(threshold, str):
        return None
    name = threshold.partition(":")[0]
    if name not in SAMPLE_METRICS and name not in METRICS:
        raise OptionError(
            f"threshold={shown(threshold)} (--threshold) is neither a number nor a counting "
            f"metric to choose it by{proposed(threshold, SAMPLE_METRICS.every_name)}"
        )
    criterion = resolve_sample_metric(threshold)
    if not isinstance(criterion, Metric) or criterion.spec.takes not in COUNTING:
        raise OptionError(
            f"threshold={shown(threshold)} is no counting metric to choose it by; for example "
            "youden_j, f1, expected_cost"
        )
    return criterion


# --------------------------------------------------------------------------- the test set


def _cases(
    metrics: Sequence[Metric | CustomMetric],
    y_true: Any,
    y_score: Any,
    decisions: Decisions,
    *,
    missing: Missing,
    groups: Any,
    strata: Any,
    labels: Any,
    pos_label: Any,
    sample_weight: Any,
    where: tuple[str, str],
) -> TestSet:
    named = [one.spec.takes for one in metrics if isinstance(one, Metric)]
    regression = Takes.NUMBERS in named
    if not named and labels is None and pos_label is None:
        regression = decisions.kind == "numbers" or _are_measurements(y_true)
    if not regression:
        if decisions.kind == "numbers":
            raise OptionError("scores='numbers' is for regressions; these metrics are of classes")
        return check_test_set(
            y_true,
            y_score,
            decisions,
            labels=labels,
            pos_label=pos_label,
            missing=missing,
            sample_weight=sample_weight,
            groups=groups,
            strata=strata,
            where=where,
        )
    if decisions.kind not in ("auto", "numbers"):
        raise OptionError(f"scores={decisions.kind!r} has no meaning for a regression")
    if set(named) - {Takes.NUMBERS}:
        raise OptionError("metrics of a regression and of a classification do not go together")
    given = {"labels": labels, "pos_label": pos_label, "sample_weight": sample_weight}
    for name, value in given.items():
        if value is not None:
            raise OptionError(f"{name} has no meaning for a regression")
    return check_numbers(
        y_true, y_score, missing=missing, groups=groups, strata=strata, where=where
    )


def _are_measurements(y_true: Any) -> bool:
    """Whether targets for a function of one's own are numbers rather than classes."""
    array = np.asarray(y_true)
    if array.ndim != 1 or array.dtype.kind != "f":
        return False
    finite = array[np.isfinite(array)]
    return bool((finite != np.rint(finite)).any())


def _check_grades(metrics: Sequence[Metric | CustomMetric], y_true: Any, cases: TestSet) -> None:
    """Refuse to weigh confusions by how far texts are apart in the alphabet."""
    weighing = [m for m in metrics if isinstance(m, Metric) and m.parameters.get("weights")]
    words = [label for label in cases.labels if isinstance(label, str)]
    # Grade 1, grade 2, ... are in order anyway.
    numbered = len({label.rstrip("0123456789") for label in words}) == 1 < len(words) <= 10
    if not weighing or len(words) < 3 or numbered or declared_order(y_true) is not None:
        return
    raise OptionError(
        f"{weighing[0].spec.name} with weights needs the order of the classes, and "
        f"{shortened(words, 10)} stand in that of the alphabet: name all in their order, labels= "
        "(--labels), or give an ordered categorical"
    )


def _as_table(name: str, given: Any) -> np.ndarray[Any, Any]:
    refuse_complex(given, name)
    try:
        return np.asarray(given, dtype=float)
    except (OverflowError, TypeError, ValueError):
        raise DataError(
            f"{name}={shown(given)} holds something else than numbers, or is ragged"
        ) from None


def _table(costs: Any, cases: TestSet) -> tuple[tuple[float, ...], ...] | None:
    if costs is None:
        return None
    table = _as_table("costs", by_class(costs, cases.labels, "costs"))
    shape = (cases.n_classes, cases.n_classes)
    if table.shape != shape or not np.isfinite(table).all():
        raise DataError(
            f"costs has shape {table.shape}; it takes a finite number for each true (row) and "
            f"predicted class (column), shape {shape}"
        )
    if (table < 0).any():
        raise DataError("costs holds negative numbers; a cost is at least 0")
    return tuple(tuple(row) for row in table.tolist())


def _priors(priors: Any, cases: TestSet) -> tuple[float, ...] | None:
    if priors is None:
        return None
    given = _as_table("priors", by_class(priors, cases.labels, "priors"))
    if given.shape != (cases.n_classes,) or not (given >= 0).all():
        raise DataError(
            f"priors={shown(priors)} is not one share for each of {cases.n_classes} classes"
        )
    if abs(given.sum() - 1) > 1e-6:
        raise DataError(f"priors add up to {given.sum():g}, not to 1")
    return tuple(given.tolist())
