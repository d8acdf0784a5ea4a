"""The one road from samples to bounds, taken by the front doors and by the study alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.spec import Estimand, Form, MethodSpec, Need, OrderStatistics, Statistic
from halfwidth.core.types import UNBOUNDED, Array, Bounds, Interval, Level
from halfwidth.resampling.draws import Plan, bootstrap_distribution
from halfwidth.resampling.exact import binomial
from halfwidth.resampling.jackknife import acceleration, proportion_acceleration, tie_tolerance

__all__ = [
    "Computed",
    "Ingredients",
    "apply",
    "estimands",
    "intervals",
    "of_counts",
    "of_samples",
]


# Elements of the largest array: 3 * 2**20 float64 are 24 MiB. No result depends on it.
MOST_ELEMENTS = 3 * 2**20


@dataclass(frozen=True)
class Computed:
    """What one method made of a batch of samples.

    Attributes
    ----------
    interval : Interval
        One pair of bounds per sample; the open end of a one-sided interval is the end of the
        statistic's range.
    clipped : ndarray of bool
        Whether a bound was cut to the range.
    n_resamples : int or None
        None where nothing was drawn.
    n_undefined : ndarray of int
        Resamples on which the statistic was undefined.
    """

    interval: Interval
    clipped: NDArray[np.bool_]
    n_resamples: int | None
    n_undefined: NDArray[np.intp]


class Ingredients:
    """What methods ask for, made when first asked for and kept for the next method."""

    def __init__(self, recipes: Mapping[Need, Callable[[], Any]]) -> None:
        self._recipes = recipes
        self._made: dict[Need, Any] = {}

    def __getitem__(self, need: Need) -> Any:
        if need not in self._made:
            self._made[need] = self._recipes[need]()
        return self._made[need]


def estimands(statistic: Statistic, *, binary: bool) -> frozenset[Estimand]:
    """What a statistic estimates: the mean of 0/1 values is a proportion too."""
    kind = statistic.spec.estimand
    both = binary and kind is Estimand.MEAN
    return frozenset({kind, Estimand.PROPORTION} if both else {kind})


def of_samples(
    sorted_values: Array,
    statistic: Statistic,
    *,
    bounds: Bounds = UNBOUNDED,
    plan: Plan,
    binary: bool = False,
) -> Ingredients:
    """Ingredients of a batch of samples, shape (S, n), each ascending."""
    binary = binary and statistic.spec.estimand is Estimand.MEAN
    return Ingredients(
        {
            Need.SORTED_VALUES: lambda: sorted_values,
            Need.BOUNDS: lambda: bounds,
            Need.TRIM_SHARE: lambda: statistic.parameters["share"],
            Need.QUANTILE_LEVEL: lambda: statistic.quantile_level,
            Need.SUCCESSES: lambda: sorted_values.sum(axis=-1),
            Need.TRIALS: lambda: sorted_values.shape[-1],
            Need.ESTIMATE: lambda: statistic(sorted_values),
            Need.DISTRIBUTION: lambda: bootstrap_distribution(
                sorted_values, statistic, plan, binary=binary
            ),
            Need.TIE_TOLERANCE: lambda: tie_tolerance(sorted_values),
            Need.ACCELERATION: lambda: acceleration(sorted_values, statistic),
        }
    )


def of_counts(successes: Array, n: int) -> Ingredients:
    """Ingredients of proportions known by their counts; no sample is ever made."""
    share = np.asarray(successes, float) / n
    return Ingredients(
        {
            Need.SUCCESSES: lambda: successes,
            Need.TRIALS: lambda: n,
            Need.ESTIMATE: lambda: share,
            Need.DISTRIBUTION: lambda: binomial(successes, n),
            Need.TIE_TOLERANCE: lambda: np.full(share.shape, 1e-12),
            Need.ACCELERATION: lambda: proportion_acceleration(successes, n),
        }
    )


def apply(
    method: MethodSpec,
    ingredients: Ingredients,
    level: Level,
    statistic_range: Bounds,
    *,
    clip: bool = False,
) -> Computed:
    """One method on ready ingredients: call it, open the side not asked for, cut to the range.

    Without ``clip`` a method gives its textbook formula even where that leaves the range.
    """
    made: Interval = method.function(*(ingredients[need] for need in method.needs), level)
    low, high = made.low, made.high
    undefined = np.isnan(low) | np.isnan(high)
    if level.alternative == "lower":
        high = np.where(undefined, np.nan, statistic_range.high)
    elif level.alternative == "upper":
        low = np.where(undefined, np.nan, statistic_range.low)
    outside = (low < statistic_range.low) | (high > statistic_range.high)
    clipped = outside & clip
    if clip:
        low = np.clip(low, statistic_range.low, statistic_range.high)
        high = np.clip(high, statistic_range.low, statistic_range.high)
    distribution = ingredients[Need.DISTRIBUTION] if method.resamples else None
    none = np.zeros(low.shape, dtype=np.intp)
    return Computed(
        Interval(low, high, made.standard_error),
        clipped,
        distribution.n_resamples if distribution else None,
        distribution.n_undefined if distribution else none,
    )


def intervals(
    values: Array,
    statistic: Statistic,
    methods: Sequence[MethodSpec],
    level: Level,
    *,
    bounds: Bounds = UNBOUNDED,
    plan: Plan,
    binary: bool = False,
    clip: bool = False,
) -> list[Computed]:
    """Intervals by several methods for a batch of samples, in blocks that bound the memory.

    Parameters
    ----------
    values : ndarray, shape (S, n)
        Samples; their order within a sample does not matter.
    statistic : Statistic
    methods : sequence of MethodSpec
        All bootstraps among them share one block of draws, and so do all samples.
    level : Level
    bounds : Bounds
        The metric's range.
    plan : Plan
    binary : bool
        Whether the values are 0 and 1.
    clip : bool
        Whether to cut bounds to the statistic's range.

    Returns
    -------
    list of Computed
        One for each method.
    """
    statistic_range = statistic.spec.range_rule(bounds)
    samples, n = values.shape
    step = _samples_per_block(statistic.spec.form, n, methods, plan)
    blocks: list[list[Computed]] = []
    for start in range(0, samples, step):
        ingredients = of_samples(
            np.sort(values[start : start + step], axis=-1),
            statistic,
            bounds=bounds,
            plan=plan,
            binary=binary,
        )
        blocks.append(
            [apply(method, ingredients, level, statistic_range, clip=clip) for method in methods]
        )
    return [_joined(parts) for parts in zip(*blocks, strict=True)]


def _samples_per_block(form: Form | None, n: int, methods: Sequence[MethodSpec], plan: Plan) -> int:
    """Samples whose values or bootstrap distributions stay under the memory bound."""
    if not any(method.resamples for method in methods):
        return max(1, MOST_ELEMENTS // max(n, 1))
    # The exact distribution of a quantile has a support of some tens of pairs per √n positions.
    exact_support = 40 * (20 * int(np.sqrt(n)) + 100)
    size = exact_support if isinstance(form, OrderStatistics) else 0
    return max(1, MOST_ELEMENTS // max(size, plan.n_resamples, n))


def _joined(parts: Sequence[Computed]) -> Computed:
    def join(arrays: Sequence[Any]) -> Any:
        return np.concatenate([np.atleast_1d(array) for array in arrays])

    return Computed(
        Interval(
            join([part.interval.low for part in parts]),
            join([part.interval.high for part in parts]),
            join([part.interval.standard_error for part in parts]),
        ),
        join([part.clipped for part in parts]),
        parts[0].n_resamples,
        join([part.n_undefined for part in parts]),
    )
