"""Populations: distributions to draw samples from, with known true values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.parameters import bind
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.summaries import iqr, mean, sd, trimmed_mean

How = Literal["formula", "root", "draw"]
# A cumulative probability this close to the one asked for is taken to be it: the sums that make
# it are exact to a few units of the last place, and on a flat stretch the infimum hangs on that.
TOLERANCE = 16 * np.finfo(float).eps


@frozen
class Truth:
    """The value of a statistic in the population.

    Attributes
    ----------
    value : float
        NaN where it does not exist (the mean of a Cauchy), infinite where it diverges.
    standard_error : float
        Of a value found by a large draw; 0 where it is exact.
    how : {"formula", "root", "draw"}
        A closed form, the root of the distribution function to about 1e-12, or a large draw.
    """

    value: float
    standard_error: float
    how: How


@frozen
class Characteristics:
    """Mean, SD and shape of a distribution of per-case values.

    Attributes
    ----------
    mean, standard_deviation : float
        In the metric's unit.
    skewness : float
        E z³, z the standardised value; NaN where all values are equal.
    kurtosis : float
        E z⁴, which is 3 for a normal distribution.
    """

    mean: float
    standard_deviation: float
    skewness: float
    kurtosis: float


@runtime_checkable
class Population(Protocol):
    """A distribution of per-case values.

    ``quantile(p)`` is inf{x : F(x) ≥ p}, and the lower end of the support at p = 0. Moments that
    do not exist are NaN, those that diverge are infinite.
    """

    @property
    def kind(self) -> str:
        """``"kde"``, ``"empirical"``, ``"parametric"`` or ``"mixture"``."""

    @property
    def quantile_how(self) -> How:
        """Whether quantiles have a closed form or are roots."""

    def draw(self, generator: np.random.Generator, samples: int, n: int) -> Array:
        """Independent samples of n cases, shape ``(samples, n)``."""

    def cdf(self, x: ArrayLike) -> Array:
        """P(X ≤ x), same shape as ``x``."""

    def quantile(self, p: ArrayLike) -> Array:
        """inf{x : F(x) ≥ p}, same shape as ``p``; NaN outside [0, 1]."""

    def partial_mean(self, low_p: float, high_p: float) -> float:
        """∫ Q(p) dp from ``low_p`` to ``high_p``, Q the quantile function."""

    @property
    def mean(self) -> float:
        """E X."""

    @property
    def standard_deviation(self) -> float:
        """√E(X - E X)²."""

    @property
    def skewness(self) -> float:
        """E z³ of the standardised value; NaN without spread."""

    @property
    def kurtosis(self) -> float:
        """E z⁴ of the standardised value, 3 for a normal; NaN without spread."""

    @property
    def support(self) -> tuple[float, float]:
        """The lowest and the highest value, possibly infinite."""

    @property
    def interdecile_range(self) -> float:
        """The 0.9 quantile minus the 0.1 quantile."""


class Characterized:
    """What a population says of its shape, from its `characteristics` and its quantiles."""

    @property
    def characteristics(self) -> Characteristics:
        """Mean, SD and shape; NaN where they do not exist, infinite where they diverge."""
        raise NotImplementedError

    def quantile(self, p: ArrayLike) -> Array:
        """inf{x : F(x) ≥ p}."""
        raise NotImplementedError

    @property
    def mean(self) -> float:
        """E X."""
        return self.characteristics.mean

    @property
    def standard_deviation(self) -> float:
        """√E(X - E X)²."""
        return self.characteristics.standard_deviation

    @property
    def skewness(self) -> float:
        """E z³ of the standardised value; NaN without spread."""
        return self.characteristics.skewness

    @property
    def kurtosis(self) -> float:
        """E z⁴ of the standardised value; NaN without spread."""
        return self.characteristics.kurtosis

    @property
    def interdecile_range(self) -> float:
        """The 0.9 quantile minus the 0.1 quantile."""
        low, high = self.quantile([0.1, 0.9])
        return float(high - low)


def characteristics_from_moments(
    mean: float, second: float, third: float, fourth: float
) -> Characteristics:
    """Characteristics from the mean and the central moments."""
    if not second > 0:
        return Characteristics(mean, math.sqrt(second), math.nan, math.nan)
    spread = math.sqrt(second)
    return Characteristics(mean, spread, third / spread / second, fourth / second / second)


def characteristics_of_values(values: Array) -> Characteristics:
    """Characteristics of cases that are the whole population: divisors are n."""
    # About the first value, so that equal values have exactly themselves as their mean.
    off = values - values[0]
    mean = float(off.mean())
    off -= mean
    squares = off * off
    return characteristics_from_moments(
        float(values[0]) + mean,
        float(squares.mean()),
        float((squares * off).mean()),
        float((squares * squares).mean()),
    )


def weighted_moments(
    weights: Array, means: Array, seconds: Array, thirds: Array, fourths: Array
) -> Characteristics:
    """Characteristics of a mixture, from the weights, means and central moments of its parts."""
    # From the first mean, so that equal means have exactly themselves as theirs.
    first = means[0] if np.isfinite(means[0]) else 0.0
    mean = float(first + weights @ (means - first))
    with np.errstate(invalid="ignore"):
        # About the mean, the mean of a part is off by d, which carries its moments along.
        d = means - mean
        second = float(weights @ (seconds + d**2))
        third = float(weights @ (thirds + 3 * d * seconds + d**3))
        fourth = float(weights @ (fourths + 4 * d * thirds + 6 * d**2 * seconds + d**4))
    return characteristics_from_moments(mean, second, third, fourth)


def finite_values(values: ArrayLike, *, least: int, purpose: str) -> Array:
    """Values of one instance as sorted floats, or an error that says what is wrong with them."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"{purpose} needs numbers, one value for each case") from None
    if numbers.ndim != 1:
        raise DataError(
            f"{purpose} needs one value for each case, a single axis; got shape {numbers.shape}"
        )
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise DataError(
            f"{purpose} needs finite values; {len(bad)} of {len(numbers)} are missing or infinite, "
            f"the first at position {bad[0]}: leave them out first"
        )
    if len(numbers) < least:
        cases = "case" if least == 1 else "cases"
        raise DataError(f"{purpose} needs at least {least} {cases}, got {len(numbers)}")
    return np.sort(numbers)


def bisected(reached: Callable[[Array], Any], low: Array, high: Array) -> Array:
    """The smallest numbers in [low, high] from which on ``reached`` is true, to the last digit.

    ``reached`` is true at ``high``. Where no float lies between the ends, or after 200
    halvings (a root at 0 has no last digit), the upper one is the answer.
    """
    high = np.where(np.asarray(reached(low)), low, high)
    for _ in range(200):
        middle = low + (high - low) / 2
        open_still = (low < middle) & (middle < high)
        if not open_still.any():
            break
        hit = np.asarray(reached(middle))
        high = np.where(open_still & hit, middle, high)
        low = np.where(open_still & ~hit, middle, low)
    return high


def characterize(population: Population | ArrayLike) -> Characteristics:
    """Mean, SD, skewness and kurtosis of a population or of the values of an instance.

    Of values, the SD divides by n - 1, as elsewhere in the package; skewness m₃/m₂^1.5 and
    kurtosis m₄/m₂² are of the central moments m, which divide by n.

    Parameters
    ----------
    population : Population or array-like
        A population, or one value for each case.

    Returns
    -------
    Characteristics
        NaN for the SD of a single value, and for skewness and kurtosis without spread.

    Raises
    ------
    DataError
        For values that are not finite numbers along a single axis.

    Examples
    --------
    >>> characterize([1.0, 2.0, 3.0])
    Characteristics(mean=2.0, standard_deviation=1.0, skewness=0.0, kurtosis=1.5)
    """
    if isinstance(population, Population):
        return Characteristics(
            population.mean,
            population.standard_deviation,
            population.skewness,
            population.kurtosis,
        )
    values = finite_values(population, least=1, purpose="a characterisation")
    n = len(values)
    shape = characteristics_of_values(values)
    spread = math.sqrt(shape.standard_deviation**2 * n / (n - 1)) if n > 1 else math.nan
    return replace(shape, standard_deviation=spread)


# --------------------------------------------------------------------------- true values


# Independent parts of a large draw, between which its standard error is seen.
BLOCKS = 20


def truth(
    population: Population,
    statistic: Statistic,
    generator: np.random.Generator,
    *,
    draws: int = 10**7,
) -> Truth:
    """The value of a summary statistic in a population.

    - mean, SD: from the moments of the population; the SD has no n, so that ``ddof`` is moot;
    - median, quantile, IQR: from its quantile function inf{x : F(x) ≥ p};
    - trimmed mean of share γ: ∫ Q(p) dp from γ to 1 - γ, over 1 - 2γ;
    - any other statistic: its mean over 20 large independent samples, ``draws`` cases in all, with
      the standard error between them. Of so large samples it is as good as the limit for n → ∞.

    Parameters
    ----------
    population : Population
    statistic : Statistic
        With its parameters bound.
    generator : numpy.random.Generator
        Advanced by a large draw only.
    draws : int, default 10 000 000
        At least 40.

    Returns
    -------
    Truth
        NaN where the population has no such value.

    Raises
    ------
    OptionError
        For too few draws.

    Examples
    --------
    >>> from halfwidth.study.populations import family
    >>> from halfwidth.summaries.all_statistics import STATISTICS
    >>> generator = np.random.default_rng(0)
    >>> truth(family("uniform"), Statistic(STATISTICS["iqr"]), generator)
    Truth(value=0.5, standard_error=0.0, how='formula')
    """
    exact = _exact(population, statistic)
    if exact is not None:
        return exact
    return between_blocks(
        lambda n: statistic(population.draw(generator, 1, n)), draws=draws, blocks=BLOCKS
    )


def _exact(population: Population, statistic: Statistic) -> Truth | None:
    """The value of a statistic of the package; None for a user's own."""
    # By the function, not by the name, which a user's own statistic may share.
    spec = statistic.spec
    function, how = spec.function, population.quantile_how
    if function is mean:
        value, how = population.mean, "formula"
    elif function is sd:
        value, how = population.standard_deviation, "formula"
    elif spec.quantile_level is not None:
        value = float(population.quantile(statistic.quantile_level))
    elif function is iqr:
        low, high = population.quantile([0.25, 0.75])
        value = float(high - low)
    elif function is trimmed_mean:
        share = bind(spec.name, spec.parameters, statistic.parameters, complete=True)["share"]
        value = population.partial_mean(share, 1 - share) / (1 - 2 * share)
    else:
        return None
    return Truth(value, 0.0, how)


def between_blocks(draw: Callable[[int], Array], *, draws: int, blocks: int) -> Truth:
    """The mean of a statistic over independent large samples, with the SE between them.

    ``draw(n)`` gives the statistic of one fresh sample of n cases, shape ``(1,)``; ``draws`` are
    the cases of all samples together, of which there are at least 2 ``blocks``. NaN where the
    statistic is undefined on a sample.
    """
    if blocks < 2:
        raise OptionError(f"blocks={blocks}: a standard error needs at least 2")
    if draws < 2 * blocks:
        raise OptionError(f"draws={draws} is too few for {blocks} blocks of at least 2 cases")
    values = np.concatenate([np.ravel(draw(draws // blocks)) for _ in range(blocks)])
    error = float(np.std(values, ddof=1)) / math.sqrt(blocks)
    return Truth(float(values.mean()), error, "draw")
