"""``runs_ci``: the door for one quantile over training runs."""

from __future__ import annotations

from typing import Any, cast

from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.types import Alternative
from halfwidth.data.case_values import CaseValues
from halfwidth.estimation.resolve import AUTO
from halfwidth.estimation.runs.quantiles import run_statistics
from halfwidth.results.runs_estimate import RunsEstimate
from halfwidth.verbs.estimate import estimate


def runs_ci(
    data: Any,
    quantile: float = 0.5,
    *,
    metric: Any = None,
    point: str = AUTO,
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
) -> RunsEstimate:
    """Confidence interval for a quantile of a metric over independent training runs.

    Runs repeat a training with one source of variation changed (the seed of the initial weights,
    the split, the augmentation, ...); a quantile says what the procedure reaches in a share of
    runs. The number of runs is the sample size, whatever the size of the test set.

    Parameters
    ----------
    data : array-like, shape (n,); or table, or CaseValues
        The metric of each run; or what `CaseValues.from_runs` makes of it, which also takes bounds,
        scale and what a missing value means.
    quantile : float, default 0.5
        Its level, strictly between 0 and 1; several at once are for `estimate`.
    metric : str, MetricSpec or callable, or sequence of them, optional
        Of predictions and detections, what is estimated; of values, what they are, where their
        data do not say it. It decides range, unit and which direction is better. Parameters
        stand after a colon: ``"nsd:tolerance=3"``; costs and priors by
        ``functools.partial(halfwidth.metrics.expected_cost, costs=[[0, 1], [5, 0]])``. Or a
        function of your own.
    point : {"auto", "sample", "interpolated", "bootstrap_median"}, default "auto"
        Point estimate; ``"auto"`` takes the one that goes with the interval. That is
        interpolated with ``"asymptotic"``, the bootstrap median with ``"semiparametric"``, else
        the sample quantile.
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

    Returns
    -------
    RunsEstimate
        An `Estimate` with the three ``points``, the ``choices`` of a randomized method,
        ``interdecile_range``, ``relative_width`` and ``reading()``.

    Raises
    ------
    DataError
        For values that are missing without a policy, out of range, not numbers, or none at all.
    OptionError, UnknownNameError
        For a quantile that is not between 0 and 1, or another option that is not allowed.

    References
    ----------
    Lehmann & Paromau (2025).

    Examples
    --------
    >>> import halfwidth as hw
    >>> accuracy = [0.871, 0.874, 0.869, 0.875, 0.873, 0.872, 0.878, 0.870, 0.876, 0.874]
    >>> e = hw.runs_ci(accuracy, 0.25, metric="accuracy", confidence_level=0.9)
    >>> e.value, e.low, e.high, e.method
    (0.871, 0.869, 0.874, 'exact')
    >>> e.reading()
    'accuracy is 0.8710 or lower in at least 25 % of runs'
    """
    runs = data if isinstance(data, CaseValues) else CaseValues.from_runs(data)
    if not runs.are_runs:
        raise OptionError("these are values of cases; read training runs with CaseValues.from_runs")
    estimates = estimate(
        runs,
        metric=metric,
        statistic=run_statistics(quantile, point),
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
    )
    if len(estimates) > 1:
        labels = shortened([one.label or one.statistic_title for one in estimates], 5)
        raise OptionError(
            f"runs_ci takes one level and one source of variation, and there are {labels}; "
            "use estimate for all of them"
        )
    return cast("RunsEstimate", estimates[0])
