"""Plain NumPy kernels; ``plain`` is the oracle, the others its fast equals on the same draws.

All take samples in the canonical order of their design (ascending where cases are independent)
and draws that are positions of units in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import cumulated
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array, Numbers
from halfwidth.resampling.designs import Design, case_positions
from halfwidth.resampling.distribution import in_parts

Draws = NDArray[np.intp]
# Below this many rows of features a matrix product costs more to prepare than it saves.
MANY_FEATURES = 8


def resamples(design: Design, draws: Draws) -> Iterator[tuple[slice, Draws, Design]]:
    """Positions of the cases drawn and their design: all at once where units are of one size."""
    if design.sizes is None:
        yield slice(None), draws, design
    elif design.equal_sizes:
        positions = design.first_cases[draws][..., None] + np.arange(design.sizes[0])
        yield slice(None), positions.reshape(len(draws), -1), design
    else:
        for place, units in enumerate(draws):
            sizes = design.unit_sizes[units]
            positions = case_positions(design.first_cases[units], sizes)[None]
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
    """Sums of features over the units drawn, (K, U), (B, ...) -> (K, B); few are gathered."""
    if len(features) < MANY_FEATURES:
        return np.stack([row[draws].sum(axis=-1) for row in features])
    counts = count_draws(draws, features.shape[-1]).astype(float)
    return np.asarray(features @ counts.T)


def sum_weighted(features: Array, weights: Array) -> Array:
    """Sums of features with the weights of each resample, (K, U), (B, U) -> (K, B)."""
    return np.asarray(features @ weights.T)


def middle_of(values: Array) -> Array:
    """The middle value of each sample, (S, 1), from which equal values differ by exactly 0."""
    middle = values.shape[-1] // 2
    return np.partition(values, middle, axis=-1)[..., middle, None]


def picked(values: Array, table: Draws, total: float, gaps: Array) -> Array:
    """Weighted values at positions, (S, n), (K, B) -> (S, B): total · first - Σ gaps · steps."""
    sums = np.empty((len(values), table.shape[-1]))
    for part in in_parts(*sums.shape):
        previous = np.take(values[part], table[0], axis=-1)
        into = np.multiply(total, previous, out=sums[part])
        for place in range(1, len(gaps)):
            current = np.take(values[part], table[place], axis=-1)
            previous -= current
            previous *= gaps[place]
            into += previous
            previous = current
    return sums


def tails(rows: Array, low: Array, high: Array) -> tuple[list[Array], list[Array], Draws]:
    """Values below one limit and above another; counts of <, =, >, = and NaN: (S, B) -> (S, 5)."""
    low, high = low[:, None], high[:, None]
    beyond = (rows < low, rows == low, rows > high, rows == high, np.isnan(rows))
    counts = np.stack([mask.sum(axis=-1) for mask in beyond], axis=-1)
    lower = [row[mask] for row, mask in zip(rows, beyond[0], strict=True)]
    return lower, [row[mask] for row, mask in zip(rows, beyond[2], strict=True)], counts


def count_below(rows: Array, below: Array, up_to: Array) -> Draws:
    """How many of each row lie below one limit, and up to another: (S, B) -> (S, 2)."""
    masks = (rows < below[:, None], rows <= up_to[:, None])
    return np.stack([mask.sum(axis=-1) for mask in masks], axis=-1)


def weighted_areas(
    weights: Array,
    mark: NDArray[np.uint8],
    ends: Array,
    area: Callable[[Numbers, Numbers], Array],
) -> tuple[Array, Array]:
    """The area under a curve of one ranking, and the positives that it rests on, two of (B,).

    Weights are those of entries by descending score, (B, L). ``ends`` are those of pseudo-cases:
    positives and negatives above all scores, then below all, (B, 4). ``area`` is the curve of
    an `Area`.
    """
    counted = cumulated(mark, weights)
    both = []
    for one, above, below in zip(counted, ends[:, :2].T, ends[:, 2:].T, strict=True):
        inner = one + above[:, None]
        last = inner[:, -1:] + below[:, None]
        both.append(np.concatenate([above[:, None], inner, last], axis=-1))
    tp, fp = both
    return area(tp, fp), tp[:, -1]
