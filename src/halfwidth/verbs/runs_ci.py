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
    metric : str or MetricSpec, optional
        What the values are, also a metric of whole test sets ("accuracy", "auroc"); decides range,
        unit, and whether quantiles are read as "at most" or "at least".
    point : {"auto", "sample", "interpolated", "bootstrap_median"}
        The point estimate; auto takes the one that goes with the interval: interpolated with
        asymptotic, the bootstrap median with semiparametric, else the sample quantile.
    method : str, default "auto"
        ``"exact"`` (order statistics), ``"exact_randomized"`` (meets the level exactly; the draw
        is seeded, and `choices` tells both intervals), ``"asymptotic"``, ``"semiparametric"``
        (Hutson's bootstrap, which extrapolates), or a bootstrap. ``"auto"``: exact where it
        exists, else ``"exact_attained"``, whose interval is of the level that so few runs attain,
        or open on one side; percentile from 50 runs on where ten lie beyond the quantile.
    confidence_level : float, default 0.95
        For up to 25 runs 0.9 is as much as is sensible.
    alternative, n_resamples, rng
        As for `summary_ci`.

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
        raise OptionError("values are of cases; those of training runs are CaseValues.from_runs")
    found = estimate(
        runs,
        metric=metric,
        statistic=run_statistics(quantile, point),
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
    )
    if len(found) > 1:
        labels = shortened([one.label or one.statistic_title for one in found], 5)
        raise OptionError(
            f"runs_ci answers for one level and one source of variation, and there are {labels}; "
            "estimate answers for each"
        )
    return cast("RunsEstimate", found[0])
