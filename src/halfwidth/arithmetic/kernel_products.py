"""Products of deviations of two cases, the larger the closer the cases are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from halfwidth.arithmetic.kernel_cases import evenly, in_order
from halfwidth.core.types import Array

# All pairs of so many vectors are compared; of more, those of so many of them.
MOST_VECTORS = 20_000
# At so many cases the median distance is taken.
DISTANCES_AT = 1000
# Elements of a temporary, and how far sums by exponentials reach without overflow.
AT_ONCE, REACH = 2**21, 300.0


def median_distance(p: Array) -> float:
    """Median distance of pairs of cases, p of (C, n), at most 1000, to three digits; 1 for ties."""
    from scipy.spatial import distance

    between = distance.pdist(p[:, evenly(p.shape[-1], DISTANCES_AT)].T)
    middle = float(np.median(between)) if len(between) else 0.0
    middle = middle or (float(between.mean()) if len(between) else 0.0)
    return float(f"{middle:.3g}") or 1.0


def before_each(p: Array, deviations: Array, bandwidth: float) -> Array:
    """Σ_{j<i} exp(-|pᵢ - pⱼ|/h) rⱼ at each case, p ascending and r of (..., n) -> (..., n).

    On a line the kernel is a product, so that what comes before a case is cumulated.
    """
    scaled, sums = p / bandwidth, np.empty(deviations.shape)
    # Nothing is carried to the first: from a place far above it that would be 0 times infinity.
    carried, last, start = np.zeros(deviations.shape[:-1]), scaled[:1].sum(), 0
    while start < len(p):
        stop = int(np.searchsorted(scaled, scaled[start] + REACH, side="right"))
        # Of numbers so large that the reach is lost in rounding none is farther.
        here = np.minimum(scaled[start:stop] - scaled[start], REACH)
        r = deviations[..., start:stop]
        before = np.zeros((*r.shape[:-1], r.shape[-1] + 1))
        np.cumsum(r * np.exp(here), axis=-1, out=before[..., 1:])
        before += (carried * np.exp(last - scaled[start]))[..., None]
        falling = np.exp(-here)
        np.multiply(falling, before[..., :-1], out=sums[..., start:stop])
        carried, last, start = before[..., -1] * falling[-1], scaled[stop - 1], stop
    return sums


def _blocks_of_kernel(p: Array, bandwidth: float) -> Iterator[tuple[slice, Array]]:
    """exp(-‖pᵢ - pⱼ‖/h) of vectors (C, n), block by block of i, 0 for i = j."""
    from scipy.spatial import distance

    n = p.shape[-1]
    step = max(1, AT_ONCE // n)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        kernel = distance.cdist(p[:, rows].T, p.T)
        kernel /= -bandwidth
        np.exp(kernel, out=kernel)
        kernel[np.arange(len(kernel)), np.arange(rows.start, rows.stop)] = 0.0
        yield rows, kernel


def sum_of_products(p: Array, deviations: Array, bandwidth: float) -> Array:
    """Σ_{i≠j} k(pᵢ, pⱼ) rᵢ · rⱼ, p of (C, n), in order, and r of (..., C, n) -> (...)."""
    if len(p) == 1:
        r = deviations[..., 0, :]
        return np.asarray(2 * (r * before_each(p[0], r, bandwidth)).sum(axis=-1))
    total = np.zeros(deviations.shape[:-2])
    for rows, kernel in _blocks_of_kernel(p, bandwidth):
        total += ((deviations @ kernel.T) * deviations[..., rows]).sum(axis=(-2, -1))
    return total


def products_of_cases(p: Array, deviations: Array, bandwidth: float) -> tuple[Array, float]:
    """Σ_{j≠i} k(pᵢ, pⱼ) rᵢ · rⱼ of each case, of (C, n), and the sum of all products squared."""
    if len(p) == 1:
        (r,) = deviations
        after = before_each(-p[0, ::-1], r[::-1], bandwidth)[::-1]
        squares = 2 * r**2 @ before_each(p[0], r**2, bandwidth / 2)
        return r * (before_each(p[0], r, bandwidth) + after), float(squares)
    sums, squares = np.empty(p.shape[-1]), 0.0
    for rows, kernel in _blocks_of_kernel(p, bandwidth):
        products = kernel * (deviations[:, rows].T @ deviations)
        sums[rows] = products.sum(axis=-1)
        squares += float((products**2).sum())
    return sums, squares


def bandwidth_of(p: Array, bandwidth: float | None) -> float:
    """Bandwidth as given, or the median distance."""
    return median_distance(p) if bandwidth is None else bandwidth


def cases_of(p: Array, y: Array) -> tuple[Array, Array]:
    """Probabilities and outcomes in order, of one class as (1, n), of vectors at most so many."""
    if p.ndim == 1:
        return in_order(p[None], y[None])
    p, y = in_order(p, y)
    kept = evenly(p.shape[-1], MOST_VECTORS)
    return p[:, kept], y[:, kept]
