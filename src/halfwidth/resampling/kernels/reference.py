"""Plain NumPy kernels; ``plain`` is the oracle, the others its fast equals on the same draws.

All take samples in the canonical order of their design (ascending where cases are independent)
and draws that are positions of units in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import OrderStatistics, SortedWeights
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design, cases_of
from halfwidth.resampling.distribution import in_parts

__all__ = [
    "Draws",
    "count_below",
    "count_draws",
    "gather",
    "middle_of",
    "picked",
    "plain",
    "resamples",
    "shares",
    "sum_drawn",
    "tails",
    "total_weight",
    "weighted",
    "weights_of",
]

Draws = NDArray[np.intp]
# Below this many rows of features a matrix product costs more to prepare than it saves.
MANY_FEATURES = 8
# Counts that are gone through at a time; a processor's cache holds them.
AT_A_TIME = 2**15


def resamples(design: Design, draws: Draws) -> Iterator[tuple[slice, Draws, Design]]:
    """Positions of the cases drawn, and the design of what was drawn.

    Where all units are of one size the resamples come as one array of rows; otherwise one by one.
    """
    if design.sizes is None:
        yield slice(None), draws, design
    elif design.equal_sizes:
        positions = design.first_cases[draws][..., None] + np.arange(design.sizes[0])
        yield slice(None), positions.reshape(len(draws), -1), design
    else:
        for place, units in enumerate(draws):
            sizes = design.unit_sizes[units]
            positions = cases_of(design.first_cases[units], sizes)[None]
            yield (
                slice(place, place + 1),
                positions,
                Design(design.strata, tuple(sizes.tolist()), design.paired),
            )


def plain(values: Array, design: Design, statistic: Statistic, draws: Draws) -> Array:
    """Gather every resample and call the statistic on it: (S, ..., n), (B, U) -> (S, B)."""
    out = np.empty((len(values), len(draws)))
    for rows, positions, _ in resamples(design, draws):
        for sample, into in zip(values, out, strict=True):
            into[rows] = statistic(gather(sample, positions))
    return out


def gather(sample: Array, positions: Draws) -> Array:
    """The cases of each resample, (n,) -> (B, N); all values of a case, (k, n) -> (B, k, N)."""
    gathered = sample[..., positions]
    return gathered if sample.ndim == 1 else np.moveaxis(gathered, -2, 0)


def count_draws(draws: Draws, units: int) -> NDArray[np.intp]:
    """How often each unit was drawn in each resample: (B, ...) -> (B, U)."""
    rows = len(draws)
    flat = draws + units * np.arange(rows)[:, None]
    return np.bincount(flat.ravel(), minlength=rows * units).reshape(rows, units)


def sum_drawn(features: Array, draws: Draws) -> Array:
    """Sums of features over the units drawn, (K, U), (B, ...) -> (K, B).

    By gathering where the features are few, else as a product with the counts of draws.
    """
    if len(features) < MANY_FEATURES:
        return np.stack([row[draws].sum(axis=-1) for row in features])
    counts = count_draws(draws, features.shape[-1]).astype(float)
    return np.asarray(features @ counts.T)


def weights_of(statistic: Statistic, n: int) -> Array:
    """The weights of a declared L-statistic on n sorted values."""
    form = statistic.spec.form
    if isinstance(form, SortedWeights):
        return form.weights(n, **statistic.parameters)
    if isinstance(form, OrderStatistics):
        weights = np.zeros(n)
        ranks, picked = form.picks(n, **statistic.parameters)
        weights[ranks - 1] = picked
        return weights
    raise TypeError(f"{statistic.spec.name} is no L-statistic")


def weighted(
    values: Array, design: Design, statistic: Statistic, counts: NDArray[np.intp]
) -> Array:
    """An L-statistic of each resample, without sorting any: (S, n), counts (B, U) -> (S, B).

    In a sorted resample the case at sorted position i fills the places from C₍i-1₎ + 1 to C₍i₎,
    C the cumulated counts; its weight is the sum of the L-weights over those places.
    """
    total, middle = total_weight(weights_of(statistic, design.n)), middle_of(values)
    if design.simple:
        return np.asarray(total * middle + (values - middle) @ shares(statistic, counts).T)
    drawn = np.repeat(counts, design.unit_sizes, axis=-1)
    out = np.empty((len(values), len(counts)))
    for sample, centre, into in zip(values, middle, out, strict=True):
        order = np.argsort(sample, kind="stable")
        into[:] = total * centre + shares(statistic, drawn[:, order]) @ (sample[order] - centre)
    return out


def shares(statistic: Statistic, counts: NDArray[Any]) -> Array:
    """The weight of each sorted case in each resample, whose sizes may differ: (B, n) -> (B, n)."""
    made = np.empty(counts.shape)
    step = max(1, AT_A_TIME // max(counts.shape[-1], 1))
    for start in range(0, len(counts), step):
        part = slice(start, start + step)
        places = np.cumsum(counts[part], axis=-1, dtype=np.intp)
        into = made[part]
        for size in np.unique(places[:, -1]):
            rows = places[:, -1] == size
            cumulated = np.concatenate([[0.0], np.cumsum(weights_of(statistic, int(size)))])
            up_to = cumulated.take(places if rows.all() else places[rows])
            up_to[:, 1:] -= up_to[:, :-1].copy()
            into[rows] = up_to
    return made


def middle_of(values: Array) -> Array:
    """The middle value of each sample, shape (S, 1): sums about it keep their digits.

    It is one of the values, so that differences of equal values from it are exactly 0.
    """
    middle = values.shape[-1] // 2
    return np.partition(values, middle, axis=-1)[..., middle, None]


def total_weight(weights: Array) -> float:
    """The sum of L-weights, 1 for location and 0 for spread, free of rounding."""
    return float(np.rint(weights.sum()))


def picked(values: Array, table: Draws, total: float, gaps: Array) -> Array:
    """Weighted values at the positions of a table, (S, n), (K, B) -> (S, B).

    The first counts ``total``, the gap before each other one ``gaps`` of its place.
    """
    made = np.empty((len(values), table.shape[-1]))
    for part in in_parts(*made.shape):
        previous = np.take(values[part], table[0], axis=-1)
        into = np.multiply(total, previous, out=made[part])
        for place in range(1, len(gaps)):
            current = np.take(values[part], table[place], axis=-1)
            previous -= current
            previous *= gaps[place]
            into += previous
            previous = current
    return made


def tails(rows: Array, low: Array, high: Array) -> tuple[list[Array], list[Array], Draws]:
    """What of each row (S, B) lies below one limit and above another, in order.

    The counts of a row, (S, 5), are those below ``low``, equal to it, above ``high``, equal to it,
    and NaN.
    """
    low, high = low[:, None], high[:, None]
    beyond = (rows < low, rows == low, rows > high, rows == high, np.isnan(rows))
    counts = np.stack([mask.sum(axis=-1) for mask in beyond], axis=-1)
    lower = [row[mask] for row, mask in zip(rows, beyond[0], strict=True)]
    return lower, [row[mask] for row, mask in zip(rows, beyond[2], strict=True)], counts


def count_below(rows: Array, below: Array, up_to: Array) -> Draws:
    """How many of each row lie below one limit, and up to another: (S, B) -> (S, 2)."""
    masks = (rows < below[:, None], rows <= up_to[:, None])
    return np.stack([mask.sum(axis=-1) for mask in masks], axis=-1)
