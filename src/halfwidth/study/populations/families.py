"""Formulas of the parametric families.

A family is a function of its parameters that returns its formulas in standard form, together with
the location and the scale that carry them to the metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers
from halfwidth.study.populations.base import TOLERANCE, Characteristics, How, bisected

REAL = (-math.inf, math.inf)
POSITIVE = (0.0, math.inf)


@frozen
class Formulas:
    """A distribution in its standard form, z; values are location + scale·z."""

    # ``draw(generator, (samples, n))``.
    draw: Callable[[np.random.Generator, tuple[int, int]], Array]
    # Of arrays; of the quantile on [0, 1].
    cdf: Callable[[Array], Numbers]
    quantile: Callable[[Array], Numbers]
    # An antiderivative of the quantile function, of an array of probabilities.
    upto: Callable[[Array], Numbers]
    shape: Characteristics
    support: tuple[float, float]
    location: float = 0.0
    scale: float = 1.0
    # How the quantile is found.
    how: How = "formula"


# --------------------------------------------------------------------------- on the whole line


def _normal_density(z: Array) -> Array:
    return np.asarray(np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))


def normal(location: float, scale: float) -> Formulas:
    """Normal: ∫ z φ(z) dz = -φ(z)."""
    from scipy import special

    return Formulas(
        draw=lambda generator, size: generator.standard_normal(size),
        cdf=special.ndtr,
        quantile=special.ndtri,
        upto=lambda u: -_normal_density(special.ndtri(u)),
        shape=Characteristics(0.0, 1.0, 0.0, 3.0),
        support=REAL,
        location=location,
        scale=scale,
    )


def t(df: float, location: float, scale: float) -> Formulas:
    """Student's t: ∫ z f(z) dz = C·ν/2·((1 + z²/ν)^λ - 1)/λ, λ = (1 - ν)/2; log for λ = 0."""
    from scipy import special

    constant = 1 / (math.sqrt(df) * special.beta(df / 2, 0.5))
    shape = Characteristics(
        0.0 if df > 1 else math.nan,
        math.sqrt(df / (df - 2)) if df > 2 else math.inf if df > 1 else math.nan,
        0.0 if df > 3 else math.nan,
        3 + 6 / (df - 4) if df > 4 else math.inf if df > 2 else math.nan,
    )

    def upto(u: Array) -> Array:
        squares = special.stdtrit(df, u) ** 2 / df
        return np.asarray(constant * df / 2 * special.boxcox1p(squares, (1 - df) / 2))

    return Formulas(
        draw=lambda generator, size: generator.standard_t(df, size),
        cdf=lambda z: special.stdtr(df, z),
        quantile=lambda u: special.stdtrit(df, u),
        upto=upto,
        shape=shape,
        support=REAL,
        location=location,
        scale=scale,
    )


def skewnormal(shape: float, location: float, scale: float) -> Formulas:
    """Skew-normal (Azzalini 1985), density 2φ(z)Φ(az): δ|Z₀| + √(1 - δ²) Z₁, δ = a/√(1 + a²).

    F(z) = Φ(z) - 2T(z, a) with Owen's T, and ∫ z f(z) dz = -2φ(z)Φ(az) + √(2/π) δ Φ(z√(1 + a²)).
    """
    from scipy import special

    length = math.hypot(1.0, shape)
    delta = shape / length
    mean = math.sqrt(2 / math.pi) * delta
    variance = 1 - mean**2

    def draw(generator: np.random.Generator, size: tuple[int, int]) -> Array:
        half = np.abs(generator.standard_normal(size))
        return np.asarray(delta * half + generator.standard_normal(size) / length)

    def cdf(z: Array) -> Array:
        return np.clip(special.ndtr(z) - 2 * special.owens_t(z, shape), 0.0, 1.0)

    def quantile(u: Array) -> Array:
        # Between the quantiles of -|Z| and |Z|, infinite at 0 and 1.
        low, high = special.ndtri(u / 2), -special.ndtri((1 - u) / 2)
        quantiles = np.where(u == 0, low, high)
        inner = (u > 0) & (u < 1)
        level = u[inner]
        quantiles[inner] = bisected(lambda z: cdf(z) >= level, low[inner], high[inner])
        return quantiles

    def upto(u: Array) -> Array:
        # Beyond 40 nothing is left, and an infinite z times a shape of 0 is no number.
        z = np.clip(quantile(u), -40.0, 40.0)
        falling = 2 * _normal_density(z) * special.ndtr(shape * z)
        return np.asarray(math.sqrt(2 / math.pi) * delta * special.ndtr(z * length) - falling)

    return Formulas(
        draw=draw,
        cdf=cdf,
        quantile=quantile,
        upto=upto,
        shape=Characteristics(
            mean,
            math.sqrt(variance),
            (4 - math.pi) / 2 * mean**3 / variance**1.5,
            3 + 2 * (math.pi - 3) * mean**4 / variance**2,
        ),
        support=REAL,
        location=location,
        scale=scale,
        how="root",
    )


def logistic(location: float, scale: float) -> Formulas:
    """Logistic, 1/(1 + exp(-z))."""
    from scipy import special

    return Formulas(
        draw=lambda generator, size: generator.logistic(size=size),
        cdf=special.expit,
        quantile=special.logit,
        upto=lambda u: special.xlogy(u, u) + special.xlog1py(1 - u, -u),
        shape=Characteristics(0.0, math.pi / math.sqrt(3), 0.0, 4.2),
        support=REAL,
        location=location,
        scale=scale,
    )


# --------------------------------------------------------------------------- on a half line


def lognormal(log_mean: float, log_sd: float, location: float) -> Formulas:
    """The exponential of a normal variate: ∫ Q = exp(μ + σ²/2) Φ(z - σ), z the normal quantile."""
    from scipy import special

    def cdf(z: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(special.ndtr((np.log(np.maximum(z, 0.0)) - log_mean) / log_sd))

    with np.errstate(over="ignore"):
        factor, excess = np.exp(log_sd**2), np.expm1(log_sd**2)
        mean = float(np.exp(log_mean + log_sd**2 / 2))
        shape = Characteristics(
            mean,
            float(mean * np.sqrt(excess)),
            float((factor + 2) * np.sqrt(excess)),
            float(factor**4 + 2 * factor**3 + 3 * factor**2 - 3),
        )
    return Formulas(
        draw=lambda generator, size: generator.lognormal(log_mean, log_sd, size),
        cdf=cdf,
        quantile=lambda u: np.exp(log_mean + log_sd * special.ndtri(u)),
        upto=lambda u: mean * special.ndtr(special.ndtri(u) - log_sd),
        shape=shape,
        support=POSITIVE,
        location=location,
    )


def exponential(scale: float, location: float) -> Formulas:
    """Exponential, 1 - exp(-z)."""
    from scipy import special

    return Formulas(
        draw=lambda generator, size: generator.standard_exponential(size),
        cdf=lambda z: -np.expm1(-np.maximum(z, 0.0)),
        quantile=lambda u: -special.log1p(-u),
        upto=lambda u: special.xlog1py(1 - u, -u) + u,
        shape=Characteristics(1.0, 1.0, 2.0, 9.0),
        support=POSITIVE,
        location=location,
        scale=scale,
    )


def gamma(shape: float, scale: float, location: float) -> Formulas:
    """Gamma of shape k: ∫ Q = k·P(k + 1, Q), P the regularised incomplete gamma function."""
    from scipy import special

    return Formulas(
        draw=lambda generator, size: generator.standard_gamma(shape, size),
        cdf=lambda z: special.gammainc(shape, np.maximum(z, 0.0)),
        quantile=lambda u: special.gammaincinv(shape, u),
        upto=lambda u: shape * special.gammainc(shape + 1, special.gammaincinv(shape, u)),
        shape=Characteristics(shape, math.sqrt(shape), 2 / math.sqrt(shape), 3 + 6 / shape),
        support=POSITIVE,
        location=location,
        scale=scale,
    )


def chi2(df: float, location: float, scale: float) -> Formulas:
    """χ² of df degrees of freedom: a gamma of shape df/2, doubled."""
    return gamma(df / 2, 2 * scale, location)


def pareto(shape: float, scale: float, location: float) -> Formulas:
    """Pareto from 1 on, 1 - z^(-a): ∫ (1 - u)^(-1/a) du is a power, a logarithm for a = 1."""
    from scipy import special

    a = shape
    mean = a / (a - 1) if a > 1 else math.inf
    variance = a / (a - 1) ** 2 / (a - 2) if a > 2 else math.inf if a > 1 else math.nan
    skewness = math.inf if a > 2 else math.nan
    kurtosis = skewness
    if a > 3:
        skewness = 2 * (1 + a) / (a - 3) * math.sqrt((a - 2) / a)
    if a > 4:
        kurtosis = 3 * (a - 2) * (3 * a**2 + a + 2) / (a * (a - 3) * (a - 4))
    return Formulas(
        draw=lambda generator, size: 1 + generator.pareto(a, size),
        cdf=lambda z: -np.expm1(-a * np.log(np.maximum(z, 1.0))),
        quantile=lambda u: np.exp(-special.log1p(-u) / a),
        upto=lambda u: -special.boxcox(1 - u, 1 - 1 / a),
        shape=Characteristics(mean, math.sqrt(variance), skewness, kurtosis),
        support=(1.0, math.inf),
        location=location,
        scale=scale,
    )


def weibull(shape: float, scale: float, location: float) -> Formulas:
    """Weibull, 1 - exp(-z^k): ∫ Q = Γ(1 + 1/k) P(1 + 1/k, -log(1 - u))."""
    from scipy import special

    first, second, third, fourth = special.gamma(1 + np.arange(1, 5) / shape)
    variance = second - first**2
    with np.errstate(invalid="ignore"):  # beyond a shape of 1/42 the fourth moment overflows
        third_central = third - 3 * first * second + 2 * first**3
        fourth_central = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
    return Formulas(
        draw=lambda generator, size: generator.weibull(shape, size),
        cdf=lambda z: -np.expm1(-(np.maximum(z, 0.0) ** shape)),
        quantile=lambda u: (-special.log1p(-u)) ** (1 / shape),
        upto=lambda u: first * special.gammainc(1 + 1 / shape, -special.log1p(-u)),
        shape=Characteristics(
            float(first),
            float(np.sqrt(variance)),
            float(third_central / variance**1.5),
            float(fourth_central / variance**2),
        ),
        support=POSITIVE,
        location=location,
        scale=scale,
    )


# --------------------------------------------------------------------------- between two ends


def beta(a: float, b: float, location: float, scale: float) -> Formulas:
    """Beta: ∫ Q = a/(a + b)·I(Q; a + 1, b), I the regularised incomplete beta function."""
    from scipy import special

    total = a + b
    mean = a / total
    excess = (a - b) ** 2 * (total + 1) - a * b * (total + 2)
    return Formulas(
        draw=lambda generator, size: generator.beta(a, b, size),
        cdf=lambda z: special.betainc(a, b, np.clip(z, 0.0, 1.0)),
        quantile=lambda u: special.betaincinv(a, b, u),
        upto=lambda u: mean * special.betainc(a + 1, b, special.betaincinv(a, b, u)),
        shape=Characteristics(
            mean,
            math.sqrt(a * b / (total + 1)) / total,
            2 * (b - a) * math.sqrt(total + 1) / ((total + 2) * math.sqrt(a * b)),
            3 + 6 * excess / (a * b * (total + 2) * (total + 3)),
        ),
        support=(0.0, 1.0),
        location=location,
        scale=scale,
    )


def uniform(low: float, high: float) -> Formulas:
    """Uniform between two ends."""
    return Formulas(
        draw=lambda generator, size: generator.random(size),
        cdf=lambda z: np.clip(z, 0.0, 1.0),
        quantile=lambda u: u,
        upto=lambda u: u**2 / 2,
        shape=Characteristics(0.5, math.sqrt(1 / 12), 0.0, 1.8),
        support=(0.0, 1.0),
        location=low,
        scale=high - low,
    )


def bernoulli(probability: float) -> Formulas:
    """1 with the probability given, else 0."""
    rest = 1 - probability
    variance = probability * rest
    return Formulas(
        draw=lambda generator, size: (generator.random(size) < probability).astype(float),
        cdf=lambda z: np.where(z < 0, 0.0, np.where(z < 1, rest, np.where(z >= 1, 1.0, np.nan))),
        quantile=lambda u: (u * (1 - TOLERANCE) > rest).astype(float),
        upto=lambda u: np.maximum(u - rest, 0.0),
        shape=Characteristics(
            probability,
            math.sqrt(variance),
            (rest - probability) / math.sqrt(variance) if variance else math.nan,
            1 / variance - 3 if variance else math.nan,
        ),
        support=(0.0 if rest else 1.0, 1.0 if probability else 0.0),
    )
