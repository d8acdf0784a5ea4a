"""The public functions for one sample: values or counts in, an estimate out."""

from __future__ import annotations

from typing import Any

from halfwidth.core.checks import MOST_CASES, as_count, plain_text
from halfwidth.core.errors import DataError, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.pseudo_cases import Failures
from halfwidth.core.types import Alternative
from halfwidth.core.undefined import Missing
from halfwidth.estimation.check import check_sample
from halfwidth.estimation.pipeline import Job, estimate_counts, estimate_jobs, refuse_idle_draws
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import AUTO, resolve_request, resolve_statistic
from halfwidth.metrics.names import resolve_metric
from halfwidth.results.estimate import Estimate


def summary_ci(
    values: Any,
    *,
    metric: Any = None,
    statistic: Any = "mean",
    method: str = AUTO,
    failures: Failures = "seen",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
    missing: Missing = "raise",
    penalty: float | None = None,
    groups: Any = None,
    strata: Any = None,
    bounds: Any = None,
    scale: float = 1.0,
    label: str = "",
) -> Estimate:
    """Confidence interval for a summary statistic of per-case values.

    Parameters
    ----------
    values : array-like, shape (n,)
        One value per case; numbers, in the metric's unit. None and NaN are missing. Cases are
        taken as independent, unless ``groups`` says which belong together. Of pandas Series,
        ``groups`` and ``strata`` are paired with the values by their labels, all else by place.
    metric : str, MetricSpec or metric function, optional
        What the values are: ``"dsc"``, ``"hd95"``, ``"nsd:tolerance=3"``, ...; decides range,
        unit and which direction is better. Those of the catalogue are ``halfwidth.METRICS``.
    statistic : str, callable or StatisticSpec, default "mean"
        Summary statistic of values of cases; with parameters: ``"quantile:0.9"``. ``"mean"``,
        ``"median"``, ``"trimmed_mean"`` (or ``"trimmed_mean:0.1"``), ``"sd"``
        (``"sd:ddof=0"``), ``"iqr"``, ``"quantile:0.9"``; or a function of the values,
        vectorised if it takes ``axis``; or a `StatisticSpec`, which can have an ``influence``
        and thereby a standard error.
    method : str, default "auto"
        CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence. It cuts its
        bounds to the metric's range; a method asked for by name gives its textbook formula.
    failures : {"seen", "unseen", "both"}, default "seen"
        What ``"auto"`` allows for: ``"seen"``, failures such as these cases show; ``"unseen"``,
        failures as none of them did; ``"both"``, the first with the second beside it. Failures
        that are seen may be worse by a heavy tail of them, others as bad as the bounds of the
        metric. With ``"both"`` the other interval is ``if_unseen_failures``, and a verdict has
        to hold under either.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    alternative : {"two-sided", "lower", "upper"}, default "two-sided"
        ``"lower"`` gives a lower confidence bound, ``"upper"`` an upper one. The other end is
        then that of the range.
    n_resamples : int, optional
        Bootstrap resamples; default: 9999, and none where the bootstrap distribution is known
        exactly, as of means and of ratios of counts.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported. A source of randomness as in
        SPEC 7. The result's ``seed`` reproduces it, and all rows share it: a seed gives the
        same resamples for every pair of models.
    missing : {"raise", "omit", "worst"}, default "raise"
        What a missing value means: ``"raise"``, an error; ``"omit"``: not applicable, leave it
        out; ``"worst"``: failed, count it as the worst value. An infinite value is missing too.
    penalty : float, optional
        The worst value with ``missing="worst"``, for metrics without one (distances), in the
        unit after scaling.
    groups : array-like, shape (n,), optional
        Cluster of each case: its patient, its scan. Cases of a cluster are resampled together.
        They resemble each other: bootstraps draw whole clusters, ``t`` and Wilson's interval
        are made robust.
    strata : array-like, shape (n,), optional
        Stratum of each case (its site, its class), where the number of cases in each was fixed
        beforehand: bootstraps keep it.
    bounds : (low, high), optional
        Range of the values, for a metric of your own. It replaces that of the metric.
    scale : float, default 1.0
        Values are divided by it; 100 for per cent.
    label : str, optional
        Carried into the result.

    Returns
    -------
    Estimate
        ``value``, ``low``, ``high``, ``halfwidth``, ``method``, ``n``, ``cautions``, ...; NaN
        bounds where the method gives no interval, with a caution that says why.

    Raises
    ------
    DataError
        For values that are missing without a policy, out of range, not numbers, or none at all.
    OptionError
        For an option that is not allowed, or a method that does not fit the statistic.

    Examples
    --------
    >>> import halfwidth as hw
    >>> dice = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    >>> e = hw.summary_ci(dice, metric="dsc")
    >>> print(f"{e.value:.2f} ({e.low:.2f} to {e.high:.2f}), {e.method_title}, {e.rule}")
    0.89 (0.78 to 0.92), Dirichlet-Pareto, auto@2
    >>> [caution.code for caution in e.cautions]
    ['HW315']
    """
    request = resolve_request(
        method=method,
        failures=failures,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=penalty,
    )
    bound_metric = resolve_metric(metric, bounds)
    bound_statistic = resolve_statistic(statistic)
    sample = check_sample(
        values,
        bound_metric,
        request,
        scale=scale,
        where=plain_text("label", label) or "values",
        groups=groups,
        strata=strata,
    )
    functional = Functional(bound_statistic, sample.metric, sample.binary)
    (estimate,) = estimate_jobs([Job(functional, sample.records, label)], request)
    refuse_idle_draws([estimate], request)
    return estimate


def proportion_ci(
    successes: int,
    n: int,
    *,
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Estimate:
    """Confidence interval for a proportion, ``successes`` of ``n`` independent cases.

    Parameters
    ----------
    successes, n : int
        Counts, 0 ≤ successes ≤ n, n ≥ 1.
    method : str, default "auto"
        ``"wilson"`` (which ``"auto"`` takes), ``"clopper_pearson"``, ``"jeffreys"``,
        ``"agresti_coull"``, ``"wald"``, or a bootstrap, whose distribution is binomial and
        needs no draws.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    alternative : {"two-sided", "lower", "upper"}, default "two-sided"
        ``"lower"`` gives a lower confidence bound, ``"upper"`` an upper one.

    Returns
    -------
    Estimate

    Raises
    ------
    DataError
        If the counts are not integers with 0 ≤ successes ≤ n and 1 ≤ n ≤ 10¹².

    Examples
    --------
    >>> import halfwidth as hw
    >>> print(hw.proportion_ci(45, 50).sentence())
    Proportion 0.90 (95 % CI 0.79 to 0.96; n = 50; Wilson).
    """
    x, trials = _count(successes, "successes"), _count(n, "n")
    if not 0 <= x <= trials or trials < 1:
        raise DataError(
            f"successes={shown(x)} of n={shown(trials)}: need 0 ≤ successes ≤ n and n ≥ 1"
        )
    if trials > MOST_CASES:
        raise DataError(f"n={shown(trials)} is beyond {MOST_CASES:.0e} cases, which nobody has")
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=None,
        rng=0,
        missing="raise",
        penalty=None,
    )
    return estimate_counts(x, trials, request)


def _count(value: Any, name: str) -> int:
    count = int(value) if isinstance(value, float) and value.is_integer() else as_count(value)
    if count is None:
        raise DataError(f"{spelled(name, value)} is not a whole number")
    return count
