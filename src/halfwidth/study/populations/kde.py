"""The population of one instance: an adaptive, bounded kernel density estimate (andre2025)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Bounds, as_bounds
from halfwidth.study.populations import epanechnikov
from halfwidth.study.populations.base import (
    TOLERANCE,
    Characteristics,
    Characterized,
    How,
    bisected,
    finite_values,
    weighted_moments,
)

# Numbers held at once where kernels meet points, and variates made at once: both fit the cache.
CELLS = 2**18
BLOCK = 2**14
# Above this an empirical distribution is as smooth, and the pilot would take minutes.
MOST = 2**18
# What kernels (columns) add at points (rows): of t, the centres, the widths, and which points.
Part = Callable[[Array, Array, Array, NDArray[np.intp]], Array]


@frozen(eq=False)
class AdaptiveKde(Characterized):
    """A mixture of Epanechnikov kernels of equal weight, one on each case.

    Attributes
    ----------
    cases : ndarray, shape (n,)
        The cases, ascending: the centres of the kernels.
    widths : ndarray, shape (n,)
        Half the support of each kernel; 0 where the case keeps its whole mass, an atom.
    """

    cases: Array
    widths: Array

    @property
    def kind(self) -> str:
        """``"kde"``."""
        return "kde"

    @property
    def quantile_how(self) -> How:
        """Quantiles are roots."""
        return "root"

    @property
    def atoms(self) -> tuple[Array, Array]:
        """Where single values have mass, ascending, and how much."""
        at, counts = np.unique(self._atoms_at, return_counts=True)
        return at, counts / len(self.cases)

    @property
    def ends(self) -> Array:
        """Where the cubic pieces of the distribution function meet: ends of kernels, and atoms."""
        return np.unique([self.cases - self.widths, self.cases + self.widths])

    def draw(self, generator: np.random.Generator, samples: int, n: int) -> Array:
        """Independent samples, shape ``(samples, n)``: a case each, plus its width times a variate.

        No value leaves the bounds, for the widths leave room for rounding.
        """
        drawn = np.empty(samples * n)
        for start in range(0, len(drawn), BLOCK):
            block = drawn[start : start + BLOCK]
            case, uniform = epanechnikov.numbers(generator, len(block), len(self.cases))
            variates = epanechnikov.variates(uniform)
            variates *= self.widths.take(case, mode="clip")
            np.add(self.cases.take(case, mode="clip"), variates, out=block)
        return drawn.reshape(samples, n)

    def density(self, x: ArrayLike) -> Array:
        """Density of the kernels at ``x``; with the mass of the atoms it integrates to 1."""
        whole = np.zeros(len(self._centres) + 1)
        heights = self._summed(x, whole, lambda t, _, span, __: epanechnikov.density(t) / span)
        return np.asarray(heights / len(self.cases))

    def cdf(self, x: ArrayLike) -> Array:
        """P(X ≤ x), cubic between the ends of the kernels, with a jump at each atom."""
        return self._count(x) / len(self.cases)

    def quantile(self, p: ArrayLike) -> Array:
        """inf{x : F(x) ≥ p}; the lowest value at p = 0, NaN outside [0, 1].

        The ends of the kernels and the atoms cut the line into pieces on which F is a cubic. The
        piece comes by bisection; an end where F jumps or just reaches p is the answer as it
        stands; else the root of the cubic is.
        """
        levels = np.asarray(p, dtype=float)
        inside = (levels >= 0) & (levels <= 1)
        level = np.where(inside, levels, 0.0).ravel()
        order = np.argsort(level)
        quantiles = np.empty(len(level))
        quantiles[order] = self._ordered_quantiles(level[order])
        quantiles[level == 1] = self.support[1]
        return np.where(inside, quantiles.reshape(levels.shape), np.nan)

    def partial_mean(self, low_p: float, high_p: float) -> float:
        """∫ Q(p) dp from ``low_p`` to ``high_p``, in closed form from the two quantiles.

        Up to p it is E[X; X ≤ q] + q(p - F(q)) with q = Q(p); the second term gives back what of
        an atom at q lies above p. An error of q enters squared.
        """
        p = np.array([low_p, high_p])
        q = self.quantile(p)
        at = self._atoms_at
        atoms = np.concatenate([[0.0], np.cumsum(at)])[np.searchsorted(at, q, side="right")]
        whole = np.concatenate([[0.0], np.cumsum(self._centres)])
        kernels = self._summed(
            q,
            whole,
            lambda t, centres, widths, _: (
                centres * epanechnikov.below(t) + widths * epanechnikov.mean_below(t)
            ),
        )
        up_to = (kernels + atoms) / len(self.cases) + q * (p - self.cdf(q))
        return float(up_to[1] - up_to[0])

    @property
    def support(self) -> tuple[float, float]:
        """The lowest and the highest value that can be drawn."""
        return (
            float((self.cases - self.widths).min()),
            float((self.cases + self.widths).max()),
        )

    # ------------------------------------------------------------------ kernels at points

    @cached_property
    def _atoms_at(self) -> Array:
        return np.asarray(self.cases[self.widths == 0])

    @cached_property
    def _centres(self) -> Array:
        return np.asarray(self.cases[self.widths > 0])

    @cached_property
    def _spans(self) -> Array:
        return np.asarray(self.widths[self.widths > 0])

    @cached_property
    def characteristics(self) -> Characteristics:
        """The mean of the cases; the SD is √(m₂ + mean(h²)/5), h the widths of the kernels."""
        n, squares = len(self.cases), self.widths**2
        return weighted_moments(
            np.full(n, 1 / n),
            self.cases,
            epanechnikov.VARIANCE * squares,
            np.zeros(n),
            epanechnikov.FOURTH * squares**2,
        )

    def _summed(self, x: ArrayLike, whole: Array, part: Part) -> Array:
        """Σ over kernels of what each adds at the points ``x``, in blocks of bounded size.

        ``whole[k]`` is the sum over the first k kernels where they lie to the left as a whole;
        ``part`` gives what the kernels around the points add, at t in [-1, 1].
        """
        points = np.asarray(x, dtype=float)
        order = np.argsort(points, axis=None)
        ordered = points.ravel()[order]
        centres, spans = self._centres, self._spans
        reach = spans.max(initial=0.0)
        rows = max(16, CELLS // max(1, len(centres)))
        sums = np.empty(len(ordered))
        for start in range(0, len(ordered), rows):
            block = ordered[start : start + rows]
            first = np.searchsorted(centres, block[0] - reach)
            last = np.searchsorted(centres, block[-1] + reach, side="right")
            centre, span = centres[first:last], spans[first:last]
            which = order[start : start + rows]
            with np.errstate(over="ignore"):
                t = np.clip((block[:, None] - centre) / span, -1.0, 1.0)
                sums[which] = whole[first] + part(t, centre, span, which).sum(axis=1)
        return np.where(np.isnan(points), np.nan, sums.reshape(points.shape))

    def _count(self, x: ArrayLike) -> Array:
        """n·F(x)."""
        atoms = np.searchsorted(self._atoms_at, x, side="right")
        whole = np.arange(len(self._centres) + 1.0)
        kernels = self._summed(x, whole, lambda t, *_: epanechnikov.below(t))
        return np.asarray(kernels + atoms)

    # ------------------------------------------------------------------ quantiles

    def _ordered_quantiles(self, level: Array) -> Array:
        """The quantiles of ascending levels."""
        ends, target = self.ends, level * len(self.cases)
        slack = TOLERANCE * target
        low = np.full(len(level), -1)
        high = np.full(len(level), len(ends) - 1)
        while (open_still := high - low > 1).any():
            middle = np.where(open_still, (low + high) // 2, high)
            reached = self._count(ends[middle]) >= target - slack
            high = np.where(reached, middle, high)
            low = np.where(reached, low, middle)
        quantile = ends[high]
        jump = np.searchsorted(self._atoms_at, quantile, side="right") - np.searchsorted(
            self._atoms_at, quantile
        )
        count = self._count(quantile)
        inner = (count - jump >= target + slack) & (high > 0)
        if inner.any():
            quantile[inner] = self._roots(ends[low[inner]], quantile[inner], target[inner])
        return np.asarray(quantile)

    def _roots(self, low: Array, high: Array, target: Array) -> Array:
        """The roots of n·F = target on pieces from ``low`` to ``high``, ascending.

        About the middle c of a piece, with x = c + u(high - low)/2, each kernel that covers it
        is W(t) + u·¾(1 - t²)s - u²·¾ts² - u³·¼s³, t = (c - xᵢ)/h and s = (high - low)/2h ≤ 1.
        """
        middle, half = low + (high - low) / 2, (high - low) / 2
        n = len(self._centres)
        none, everywhere = np.zeros(n + 1), np.arange(n + 1.0)

        def sum_of(factor: Callable[[Array, Array], Array]) -> Array:
            def part(t: Array, _: Array, widths: Array, which: NDArray[np.intp]) -> Array:
                covers = np.abs(t) < 1
                s = np.where(covers, np.minimum(half[which, None] / widths, 1.0), 0.0)
                return factor(t, s)

            return self._summed(middle, none, part)

        atoms = np.searchsorted(self._atoms_at, middle, side="right")
        constant = atoms + self._summed(middle, everywhere, lambda t, *_: epanechnikov.below(t))
        slope = sum_of(lambda t, s: epanechnikov.density(t) * s)
        bend = sum_of(lambda t, s: -0.75 * t * s**2)
        twist = sum_of(lambda t, s: -0.25 * s**3)

        def reached(u: Array) -> Array:
            return np.asarray(constant + u * (slope + u * (bend + u * twist)) >= target)

        u = bisected(reached, np.full(len(low), -1.0), np.ones(len(low)))
        return np.clip(middle + half * u, low, high)


def adaptive_kde(values: ArrayLike, bounds: Bounds | tuple[float, float]) -> AdaptiveKde:
    """The adaptive Epanechnikov KDE of an instance, which puts no mass outside the bounds.

    With s the SD of the n values and K(t) = ¾(1 - t²) on [-1, 1]: the pilot bandwidth is
    h̃ = 1.06 s n^(-1/5), the pilot density f̃(x) = Σ K((x - xᵢ)/h̃)/(n h̃), log g = mean log f̃(xᵢ),
    λᵢ = (f̃(xᵢ)/g)^(-1/2), and the width of the kernel on case i is the smaller of λᵢ h̃ and the
    distance of xᵢ to the nearest bound. A case on a bound keeps its mass, as an atom; so does each
    case of a constant sample.

    Parameters
    ----------
    values : array-like, shape (n,)
        Finite values of the metric, one for each case; their order does not matter. Time grows
        with n²: a second or so for 25 000.
    bounds : Bounds or pair of floats
        The range of the metric; either end may be infinite.

    Returns
    -------
    AdaptiveKde

    Raises
    ------
    DataError
        For fewer than two cases or more than 262 144, values that are not finite, and values
        outside the bounds.

    Notes
    -----
    andre2025 cuts λᵢ, a number without a unit, at the distance to the bound, and applies the
    result twice: misprints. Its source (Wilcox 2012) scales the kernel to unit variance and the
    pilot by min(s, IQR/1.34); neither is done here, as in andre2025.

    References
    ----------
    andre2025, supplement S4; Wilcox (2012); Silverman (1986).

    Examples
    --------
    >>> population = adaptive_kde([0.7, 0.8, 0.9, 1.0], Bounds(0, 1))
    >>> population.support[1], float(population.cdf(1.0)), population.atoms
    (1.0, 1.0, (array([1.]), array([0.25])))
    """
    bounds = as_bounds(bounds)
    ordered = finite_values(values, least=2, purpose="a kernel density estimate")
    if len(ordered) > MOST:
        raise DataError(
            f"a kernel density estimate takes at most {MOST} cases, got {len(ordered)}; "
            "the empirical distribution of so many is smooth enough"
        )
    outside = (ordered < bounds.low) | (ordered > bounds.high)
    if outside.any():
        raise DataError(
            f"{outside.sum()} of {len(ordered)} values lie outside the bounds {bounds}, "
            f"{ordered[outside][-1]:g} among them; give values and bounds in the same unit"
        )
    return AdaptiveKde(ordered, bandwidths(ordered, bounds))


def bandwidths(values: Array, bounds: Bounds) -> Array:
    """The width of the kernel on each of the ascending values."""
    room = np.minimum(values - bounds.low, bounds.high - values)
    span = values[-1] - values[0]
    if span == 0:
        return np.zeros(len(values))
    # In units of the span, so that no square over- or underflows.
    scaled = (values - values[0]) / span
    pilot = 1.06 * float(np.std(scaled, ddof=1)) * len(values) ** -0.2
    log_density = np.log(_kernels_at_centres(scaled, pilot))
    adapted = np.exp((log_density.mean() - log_density) / 2)
    widths = np.minimum(adapted * pilot * span, room)
    # The distance to a bound is rounded: no sum of a value and its width may pass the bound.
    while (over := (values + widths > bounds.high) | (values - widths < bounds.low)).any():
        widths[over] = np.nextafter(widths[over], 0.0)
    return np.asarray(widths)


def _kernels_at_centres(centres: Array, width: float) -> Array:
    """Σⱼ (1 - ((xᵢ - xⱼ)/width)²)₊ at each of the ascending centres xᵢ: the pilot, unscaled."""
    rows = max(16, CELLS // len(centres))
    sums = np.empty(len(centres))
    for start in range(0, len(centres), rows):
        block = centres[start : start + rows]
        first = np.searchsorted(centres, block[0] - width)
        last = np.searchsorted(centres, block[-1] + width, side="right")
        t = (block[:, None] - centres[first:last]) / width
        sums[start : start + rows] = np.maximum(1 - t**2, 0.0).sum(axis=1)
    return sums
