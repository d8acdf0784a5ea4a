"""The empirical distribution: every case with the same mass."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.study.populations.base import (
    TOLERANCE,
    Characteristics,
    Characterized,
    How,
    characteristics_of_values,
    finite_values,
)


@frozen(eq=False)
class Empirical(Characterized):
    """The distribution that draws one of the cases at random.

    Attributes
    ----------
    cases : ndarray, shape (n,)
        The cases, ascending.
    """

    cases: Array

    @property
    def kind(self) -> str:
        """``"empirical"``."""
        return "empirical"

    @property
    def quantile_how(self) -> How:
        """A quantile is a case."""
        return "formula"

    def draw(self, generator: np.random.Generator, samples: int, n: int) -> Array:
        """Independent samples, shape ``(samples, n)``."""
        return self.cases[generator.integers(len(self.cases), size=(samples, n))]

    def cdf(self, x: ArrayLike) -> Array:
        """The share of cases up to ``x``."""
        points = np.asarray(x, dtype=float)
        share = np.searchsorted(self.cases, points, side="right") / len(self.cases)
        return np.where(np.isnan(points), np.nan, share)

    def quantile(self, p: ArrayLike) -> Array:
        """inf{x : F(x) ≥ p}, the ⌈np⌉-th case; the lowest at p = 0, NaN outside [0, 1]."""
        level = np.asarray(p, dtype=float)
        inside = (level >= 0) & (level <= 1)
        # 0.07 · 100 lies above 7 by rounding alone.
        rank = np.ceil(np.where(inside, level, 0.0) * len(self.cases) * (1 - TOLERANCE))
        return np.where(inside, self.cases[np.maximum(rank.astype(np.intp) - 1, 0)], np.nan)

    def partial_mean(self, low_p: float, high_p: float) -> float:
        """∫ Q(p) dp from ``low_p`` to ``high_p``: whole cases, and shares of those at the ends."""
        n = len(self.cases)
        low, high = low_p * n, high_p * n
        first, last = int(np.floor(low)), min(int(np.floor(high)), n - 1)
        if not first < last:
            return float((high - low) / n * self.cases[min(first, n - 1)])
        whole = self.cases[first + 1 : last].sum()
        ends = (first + 1 - low) * self.cases[first] + (high - last) * self.cases[last]
        return float((whole + ends) / n)

    @cached_property
    def characteristics(self) -> Characteristics:
        """Moments of the cases, which are the whole population: the SD divides by n."""
        return characteristics_of_values(self.cases)

    @property
    def support(self) -> tuple[float, float]:
        """The lowest and the highest case."""
        return float(self.cases[0]), float(self.cases[-1])


def empirical(values: ArrayLike) -> Empirical:
    """The empirical distribution of an instance: its cases, each with the same mass.

    For metrics with few possible values (HD, HD95), which kernels would smear, and for a large
    number of cases or training runs that stand for the population.

    Parameters
    ----------
    values : array-like, shape (n,)
        Finite values of the metric; their order does not matter. They are sorted once.

    Returns
    -------
    Empirical

    Raises
    ------
    DataError
        For no values at all, and values that are not finite.

    References
    ----------
    andre2025, 3.1.3; lehmann2025, 4.2.

    Examples
    --------
    >>> population = empirical([3.0, 1.0, 2.0, 2.0])
    >>> population.mean, population.quantile([0.25, 0.5, 0.75]).tolist()
    (2.0, [1.0, 2.0, 2.0])
    """
    return Empirical(finite_values(values, least=1, purpose="an empirical distribution"))


@frozen(eq=False)
class ImagePopulation:
    """Draws one of the images at random, with all of its detections and objects.

    Attributes
    ----------
    records : ndarray, shape (k, n)
        What a metric of detections takes of each image, made of its match list.
    """

    records: Array

    @property
    def kind(self) -> str:
        """``"image_empirical"``."""
        return "image_empirical"

    def draw(self, generator: np.random.Generator, samples: int, n: int) -> Array:
        """Independent test sets, shape ``(samples, k, n)``."""
        image = generator.integers(self.records.shape[-1], size=(samples, n))
        return np.moveaxis(self.records[:, image], 0, 1)

    def cases(self) -> Array:
        """The images themselves in the format of `draw`, shape ``(k, n)``."""
        return self.records

    @property
    def skewness(self) -> float:
        """NaN: images have no distribution of numbers."""
        return math.nan

    @property
    def kurtosis(self) -> float:
        """NaN, as the skewness."""
        return math.nan
