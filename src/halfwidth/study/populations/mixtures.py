"""Mixtures of populations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.study.populations.base import (
    TOLERANCE,
    Characteristics,
    Characterized,
    How,
    Population,
    bisected,
    weighted_moments,
)
from halfwidth.study.populations.parametric import family


@frozen
class Mixture(Characterized):
    """Draws from one of several populations, chosen anew for each case.

    Attributes
    ----------
    parts : tuple of Population
    weights : tuple of float
        The probability of each part; they add up to 1.
    """

    parts: tuple[Population, ...]
    weights: tuple[float, ...]

    @property
    def kind(self) -> str:
        """``"mixture"``."""
        return "mixture"

    @property
    def quantile_how(self) -> How:
        """Quantiles are roots."""
        return "root"

    def draw(self, generator: np.random.Generator, samples: int, n: int) -> Array:
        """Independent samples, shape ``(samples, n)``: for each case a part, then a value of it."""
        ends = np.cumsum(self.weights)[:-1]
        chosen = np.searchsorted(ends, generator.random(samples * n), side="right")
        drawn = np.empty(samples * n)
        for number, part in enumerate(self.parts):
            places = np.flatnonzero(chosen == number)
            drawn[places] = part.draw(generator, 1, len(places))[0]
        return drawn.reshape(samples, n)

    def cdf(self, x: ArrayLike) -> Array:
        """P(X ≤ x), the weighted sum over the parts."""
        points = np.asarray(x, dtype=float)
        return np.asarray(sum(w * part.cdf(points) for w, part in self._weighted))

    def quantile(self, p: ArrayLike) -> Array:
        """inf{x : F(x) ≥ p}, by bisection between the lowest and the highest quantile of a part.

        Where the highest value of a part has just the probability p below it, it is the answer:
        a flat stretch may begin there.
        """
        level = np.asarray(p, dtype=float)
        part_quantiles = np.array([part.quantile(level) for part in self.parts])
        low, high = part_quantiles.min(axis=0), part_quantiles.max(axis=0)
        # An infinite end is itself the answer, for p is then 0 or 1.
        quantiles = np.where(level == 0, low, high)
        settled = (level == 0) | ~(np.isfinite(low) & np.isfinite(high))
        for end in filter(math.isfinite, sorted({part.support[1] for part in self.parts})):
            just = ~settled & (np.abs(self.cdf(end) - level) <= TOLERANCE * level)
            quantiles = np.where(just, end, quantiles)
            settled |= just
        inner = ~settled
        target = level[inner] * (1 - TOLERANCE)
        quantiles[inner] = bisected(lambda x: self.cdf(x) >= target, low[inner], high[inner])
        return np.asarray(quantiles)

    def partial_mean(self, low_p: float, high_p: float) -> float:
        """∫ Q(p) dp from ``low_p`` to ``high_p``, from the partial means of the parts.

        Part k contributes what it has between its own probabilities F_k of the two quantiles q;
        q(p - F(q)) gives back what of an atom at q lies above p.
        """
        p = np.array([low_p, high_p], dtype=float)
        q = self.quantile(p)
        between = 0.0
        for weight, part in self._weighted:
            reached = part.cdf(q)
            between += weight * part.partial_mean(float(reached[0]), float(reached[1]))
        beyond = np.where(np.isfinite(q), q, 0.0) * (p - self.cdf(q))
        return float(between + beyond[1] - beyond[0])

    @property
    def _weighted(self) -> list[tuple[float, Population]]:
        return list(zip(self.weights, self.parts, strict=True))

    @property
    def characteristics(self) -> Characteristics:
        """Moments, from the weights, means and central moments of the parts."""
        spreads = np.array([part.standard_deviation for part in self.parts])
        skewness = np.array([part.skewness for part in self.parts])
        kurtosis = np.array([part.kurtosis for part in self.parts])
        flat = spreads == 0  # a single value has no shape, and central moments of 0
        return weighted_moments(
            np.array(self.weights),
            np.array([part.mean for part in self.parts]),
            spreads**2,
            np.where(flat, 0.0, skewness * spreads**3),
            np.where(flat, 0.0, kurtosis * spreads**4),
        )

    @property
    def support(self) -> tuple[float, float]:
        """The lowest and the highest value of any part."""
        lows, highs = zip(*(part.support for part in self.parts), strict=True)
        return min(lows), max(highs)


def mixture(parts: Sequence[Population], weights: Sequence[float]) -> Mixture:
    """A mixture of populations.

    Parameters
    ----------
    parts : sequence of Population
        At least one.
    weights : sequence of float
        One for each part, above 0; a part is drawn with its weight over their sum.

    Returns
    -------
    Mixture

    Raises
    ------
    OptionError
        For no parts, another number of weights, or weights that are not finite and above 0.

    Examples
    --------
    >>> from halfwidth.study.populations import family
    >>> good, failed = family("beta", a=30, b=3), family("uniform", high=0.2)
    >>> round(mixture([good, failed], [0.95, 0.05]).mean, 4)
    0.8686
    """
    if not len(parts):
        raise OptionError("a mixture needs at least one part")
    if len(weights) != len(parts):
        raise OptionError(
            f"a mixture needs one weight for each part; got {len(weights)} for {len(parts)} parts"
        )
    shares = np.array([float(weight) for weight in weights])
    if not (np.isfinite(shares).all() and (shares > 0).all()):
        raise OptionError(f"weights={list(weights)} of a mixture are not all finite and above 0")
    return Mixture(tuple(parts), tuple((shares / shares.sum()).tolist()))


def _two_modes() -> Population:
    parts = [
        family("normal", location=0.3, scale=0.08),
        family("normal", location=0.7, scale=0.08),
    ]
    return mixture(parts, [0.5, 0.5])


def _with_failures() -> Population:
    return mixture([family("beta", a=30, b=3), family("beta", a=1, b=20)], [0.95, 0.05])


EXAMPLES: Mapping[str, Callable[[], Population]] = {
    # Four SDs to either end of the unit interval.
    "normal": partial(family, "normal", location=0.5, scale=0.125),
    "normal_mixture": _two_modes,
    "beta_right": partial(family, "beta", a=2, b=8),
    "beta_left": partial(family, "beta", a=8, b=2),
    "beta_symmetric": partial(family, "beta", a=4, b=4),
    "uniform": partial(family, "uniform", low=0, high=1),
    # A DSC with one failed segmentation in twenty.
    "failures": _with_failures,
    # A surface distance in mm: median 1, with a long tail.
    "distance": partial(family, "lognormal", log_mean=0, log_sd=1),
}
