"""Differences between two models on the same cases: a pair stays a pair."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.core.checks import plain_text
from halfwidth.core.errors import DataError
from halfwidth.core.estimate import Estimate, statistic_title
from halfwidth.core.spec import (
    Better,
    Estimand,
    Kind,
    Metric,
    Statistic,
    StatisticSpec,
    range_of_values,
)
from halfwidth.core.types import Alternative, Array, Bounds
from halfwidth.core.undefined import Missing, leave_out_both
from halfwidth.estimation.check import check_magnitude, ready_values, scaled_numbers
from halfwidth.estimation.grouping import Over, arrange_cases, unit_codes
from halfwidth.estimation.pairing import paired
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import (
    AUTO,
    resolve_metric,
    resolve_request,
    resolve_statistic,
)


def difference_ci(
    values: Any,
    other: Any,
    *,
    metric: Any = None,
    statistic: Any = "mean",
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
    missing: Missing = "raise",
    penalty: float | None = None,
    groups: Any = None,
    strata: Any = None,
    over: Over = "cases",
    bounds: Any = None,
    scale: float = 1.0,
    label: str = "",
) -> Estimate:
    """Confidence interval for the difference of a statistic between two models, case by case.

    The difference is the statistic of ``values`` minus that of ``other``. Both values of a case are
    resampled together, so that what makes a case hard for both models cancels.

    Parameters
    ----------
    values, other : array-like, shape (n,)
        A value per case of each model, in the metric's unit; cases in the same order, or pandas
        Series with the same labels, by which they are then paired.
    metric, statistic, method, confidence_level, alternative, n_resamples, rng, penalty, bounds
        As for `summary_ci`. For the mean every method for a mean of independent cases applies to
        the differences; for other statistics the bootstraps do.
    missing : {"raise", "omit", "worst"}
        ``"omit"`` leaves out a case that misses either value.
    groups, strata, over, scale, label
        As for `summary_ci`.

    Returns
    -------
    Estimate
        With ``design`` ``"paired"`` (or that of the clusters and strata); ``value`` > 0 where
        ``values`` has the larger statistic.

    Raises
    ------
    DataError, OptionError
        As for `summary_ci`, and if the two differ in length or in the labels of their cases.

    Examples
    --------
    >>> import halfwidth as hw
    >>> first = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    >>> second = [0.90, 0.85, 0.93, 0.70, 0.89, 0.90, 0.85, 0.93, 0.87, 0.90]
    >>> e = hw.difference_ci(first, second, metric="dsc")
    >>> print(f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f}), {e.method_title}")
    0.021 (-0.123 to 0.157), paired Dirichlet
    """
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=penalty,
        over=over,
    )
    bound_metric, bound_statistic = resolve_metric(metric, bounds), resolve_statistic(statistic)
    paired_inputs = paired({"values": values, "other": other, "groups": groups, "strata": strata})
    values, other, groups, strata = paired_inputs.given.values()
    first = scaled_numbers(values, bound_metric, scale, "values")
    second = scaled_numbers(other, bound_metric, scale, "other")
    if len(first) != len(second):
        raise DataError(
            f"values and other differ in length ({len(first)} and {len(second)}); a pair needs "
            "both values of a case, in the same place"
        )
    infinite = np.isinf(first) | np.isinf(second)
    missing_one = infinite | np.isnan(first) | np.isnan(second)
    if request.missing == "omit":
        first, second = leave_out_both(first, second)
    sides = [
        ready_values(side, bound_metric, request, where=where)
        for side, where in ((first, "values"), (second, "other"))
    ]
    groups_and_strata = unit_codes(groups, strata, sides[0].kept, "values")
    in_pairs = np.stack([side.values for side in sides])
    # The difference of means is the mean of differences, of which nothing need stay together.
    linear = bound_statistic.spec.estimand is Estimand.MEAN
    columns = in_pairs[0] - in_pairs[1] if linear else in_pairs
    check_magnitude(in_pairs[0] - in_pairs[1], "differences")
    in_order, design = arrange_cases(columns, *groups_and_strata, request.over, paired=not linear)
    clusters = groups_and_strata[0]
    records = Records(
        in_order,
        design,
        in_pairs.shape[-1],
        values=np.sort(in_order if linear else in_order[0] - in_order[1]),
        n_groups=None if clusters is None else len(np.unique(clusters)),
        over=request.over,
        n_missing=int(missing_one.sum()),
        n_infinite=int(infinite.sum()),
        paired=True,
        cautions=paired_inputs.cautions(sides[0].kept, groups),
    )
    difference = _difference_in(bound_statistic, bound_metric.spec.bounds)
    functional = Functional(difference, _metric_of_differences(bound_metric))
    job = Job(functional, records, plain_text("label", label))
    return estimate_jobs([job], request)[0]


def _metric_of_differences(metric: Metric) -> Metric:
    """The metric with the range of its differences; none of them is the worst."""
    width = metric.spec.bounds.width
    spec = replace(
        metric.spec,
        bounds=Bounds(-width, width),
        kind=Kind.CONTINUOUS,
        better=Better.UNSTATED,
    )
    return Metric(spec, metric.parameters)


def _difference_in(statistic: Statistic, bounds: Bounds) -> Statistic:
    """The statistic of the first of two rows of values minus that of the second."""
    spec = statistic.spec
    name, title = f"{spec.name}_difference", f"difference in {statistic_title(statistic)}"
    if spec.estimand is Estimand.MEAN:
        return Statistic(replace(spec, name=name, title=title, synonyms=(), pair_bounds=bounds))
    derived = StatisticSpec(
        name,
        title,
        function=functools.partial(_difference, statistic),
        range_rule=range_of_values,
        smooth=spec.smooth,
        min_n=spec.min_n,
        pair_bounds=bounds,
        reliable_n=functools.partial(_reliable_n, statistic),
        influence=functools.partial(_influence, statistic) if spec.influence else None,
    )
    return Statistic(derived, statistic.parameters)


def _difference(statistic: Statistic, pairs: Array, **_axis_and_bound: float) -> Array:
    return statistic(pairs[..., 0, :]) - statistic(pairs[..., 1, :])


def _influence(statistic: Statistic, pairs: Array, **_bound: float) -> Array:
    influence = statistic.spec.influence
    if influence is None:
        raise TypeError(f"{statistic.spec.name} declares no influence")
    first, second = (influence(pairs[..., side, :], **statistic.parameters) for side in (0, 1))
    return np.asarray(first - second)


def _reliable_n(statistic: Statistic, metric_n: int, **_bound: float) -> int:
    return statistic.spec.reliable_n(metric_n, **statistic.parameters)
