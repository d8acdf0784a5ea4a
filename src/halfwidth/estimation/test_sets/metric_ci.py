"""The public function for metrics of a whole test set: labels and predictions in, estimates out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halfwidth.core.types import Alternative
from halfwidth.core.undefined import OF_TEST_SETS, MissingPredictions
from halfwidth.data.test_set_options import TestSetOptions
from halfwidth.estimation.pipeline import estimate_jobs, refuse_idle_draws
from halfwidth.estimation.resolve import AUTO, resolve_request
from halfwidth.estimation.test_sets.metric_requests import metric_request
from halfwidth.metrics.names import is_several, several
from halfwidth.results.estimate import Estimates


def metric_ci(
    y_true: Any,
    y_score: Any,
    *,
    metric: Any,
    average: Any = None,
    labels: Sequence[Any] | None = None,
    pos_label: Any = None,
    threshold: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    strata: Any = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
    missing: MissingPredictions = "raise",
) -> Any:
    """Confidence interval for a metric of a whole test set: accuracy, F1, AUROC and their kin.

    A short door to ``estimate(Predictions.from_arrays(y_true, y_score, ...), metric=...)``, which
    has more options of scores, classes and metrics, and takes several models by their names.

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
        A name, with parameters after a colon: ``"f_beta:beta=2"``, ``"ppv:prevalence=0.05"``;
        or a function ``f(y_true, y_score)`` that returns a number. Names are those of
        ``halfwidth.SAMPLE_METRICS``; scikit-learn's are synonyms. Costs and priors:
        ``functools.partial(halfwidth.metrics.expected_cost, costs=[[0, 1], [5, 0]])``.
    average : str or sequence of them, optional
        Over classes: ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``; ``"none"`` takes
        each class apart. Default: that of the positive class where there is one, else
        ``"macro"``. Of probabilities there are also ``"top_label"``, ``"sum"`` and
        ``"canonical"``, of the whole vector, and the default is the first that the metric has
        of ``"sum"``, ``"canonical"`` and ``"top_label"``.
    labels : sequence, optional
        All classes, in the order of the scores; default: those that occur, in ascending order.
        Or in the order of an ordered categorical. The set of classes is fixed before
        resampling.
    pos_label : label, optional
        The positive class; default: 1 of 0 and 1 (or -1 and 1, False and True).
    threshold : float, str or partial, optional
        Positive from this score on; default: 0.5. Or the name of a metric: the threshold that
        is best by it, chosen again in each resample. Of logits it is this probability; of more
        than two classes the largest score decides. A metric with costs is given as it is to
        ``metric``.
    sample_weight : array-like, shape (n,), optional
        What each case counts.
    groups : array-like, shape (n,), optional
        Cluster of each case: its patient, its scan. Cases of a cluster are resampled together.
    strata : array-like, shape (n,), optional
        Stratum of each case (its site, its class), where the number of cases in each was fixed
        beforehand: bootstraps keep it.
    method : str, default "auto"
        CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    alternative : {"two-sided", "lower", "upper"}, default "two-sided"
        ``"lower"`` gives a lower confidence bound, ``"upper"`` an upper one.
    n_resamples : int, optional
        Bootstrap resamples; default: 9999, and none where the bootstrap distribution is known
        exactly, as of means and of ratios of counts.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported.
    missing : {"raise", "omit", "wrong"}, default "raise"
        What a missing label or score means: ``"raise"``, an error; ``"omit"``: leave the case
        out, of all models that are compared; ``"wrong"``: a wrong answer, the other class or
        the worst score for the true class.

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
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=None,
        policies=OF_TEST_SETS,
    )
    averages = None if average is None else several(average, "average")
    options = TestSetOptions(labels, pos_label, threshold=threshold)
    requested = metric_request(several(metric, "metric"), averages, options, bounds=None)
    cases = requested.test_set(
        y_true,
        y_score,
        missing=missing,
        sample_weight=sample_weight,
        groups=groups,
        strata=strata,
        where=("y_true", "y_score"),
    )
    estimates = Estimates(estimate_jobs(requested.jobs(cases), request), cases.notes)
    refuse_idle_draws(estimates, request)
    single = not is_several(metric) and (average is None or isinstance(average, str))
    return estimates[0] if single and len(estimates) == 1 else estimates
