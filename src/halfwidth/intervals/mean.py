"""Intervals for the mean, or the trimmed mean, of per-case values."""

from __future__ import annotations

import numpy as np

from halfwidth.core.spec import Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Bounds, Interval, Level, as_bounds
from halfwidth.core.undefined import no_interval
from halfwidth.summaries.location import cases_cut

__all__ = [
    "cluster_robust_t",
    "empirical_bernstein",
    "fieller",
    "hall",
    "hall_or_t",
    "hoeffding",
    "t",
    "trimmed_t",
    "z",
]

WITH_ERRORS = frozenset({Estimand.MEAN, Estimand.PROPORTION_DIFFERENCE, Estimand.COEFFICIENT})
SYMMETRIC = frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED, Promise.EQUIVARIANT})


# What several assume.
WITHIN_BOUNDS = "Nothing but that values lie within the metric's bounds."


def _centre_and_sd(values: Array) -> tuple[Array, Array]:
    """Mean and SD (n - 1) about the first value, exact for equal values; SD is NaN for one."""
    n = values.shape[-1]
    shifted = values - values[..., :1]
    mean = shifted.mean(axis=-1)
    with np.errstate(over="ignore"):  # infinite, of values beyond 1e154
        squares = ((shifted - mean[..., None]) ** 2).sum(axis=-1)
    sd = np.sqrt(squares / (n - 1)) if n > 1 else np.full(mean.shape, np.nan)
    return np.asarray(values[..., 0] + mean), sd


@interval_method(
    title="t",
    accepts=WITH_ERRORS,
    needs=(Need.ESTIMATE, Need.ROBUST_ERROR, Need.DEGREES_OF_FREEDOM),
    use_when="the classic: best of the simple methods below 50 cases, but too narrow under "
    "strong skew; takes clusters and strata",
    promises=SYMMETRIC,
    cite="student1908",
    synonyms=("student",),
    assumes="Means of this many cases are nearly normal, which skew and rare failures prevent "
    "when cases are few.",
)
def t(estimate: Array, robust_error: Array, degrees_of_freedom: float, level: Level) -> Interval:
    """Student's t interval, x̄ ± t · SE.

    For n independent cases SE = s/√n with n - 1 degrees of freedom. For G clusters the SE is the
    jackknife's (CR3): SE² = (G - 1)/G Σ (x̄₋g - x̄)², x̄₋g the mean without cluster g, and there is
    one degree of freedom less than n²/Σ n_g², the number of equal clusters that weigh like
    clusters of n_g cases (Kish). Strata add up; each costs a degree of freedom.

    Parameters
    ----------
    estimate, robust_error : ndarray
        x̄ and its SE, of each sample.
    degrees_of_freedom : float
        Effective units less strata.
    level : Level

    Returns
    -------
    Interval
        In the metric's unit, symmetric about the mean; may leave the metric's range. NaN without a
        degree of freedom.

    References
    ----------
    Student (1908). For clusters: Cameron & Miller (2015), section VI, and decision 0042.

    Examples
    --------
    >>> interval = t(np.array(2.0), np.array(1 / 3**0.5), 2, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    -0.4841 4.4841
    """
    from scipy import special

    if degrees_of_freedom < 1:
        return no_interval(estimate)
    reach = -special.stdtrit(degrees_of_freedom, level.tail) * robust_error
    return Interval.of(estimate - reach, estimate + reach, robust_error)


@interval_method(
    title="t (CR1)",
    accepts=WITH_ERRORS,
    needs=(Need.ESTIMATE, Need.STANDARD_ERROR, Need.UNIT_DEGREES),
    use_when="to reproduce regression software on clustered cases; too narrow below about 40 "
    "clusters of unequal size, where t is not",
    promises=SYMMETRIC,
    cite="cameron_miller2015",
    synonyms=("cr1_t",),
    assumes="As t; also that clusters are many and similar in size.",
)
def cluster_robust_t(
    estimate: Array, standard_error: Array, degrees_of_freedom: int, level: Level
) -> Interval:
    """The t interval with the cluster-robust SE of textbooks (CR1) and G - 1 degrees of freedom.

    SE² = G/(G - 1) Σ_g (T_g - x̄ n_g)² / n², T_g the sum of the n_g cases of cluster g. Strata add
    up; each costs a degree of freedom. For independent cases, and clusters of one size, it is `t`.

    Parameters
    ----------
    estimate, standard_error : ndarray
        x̄ and its SE, of each sample.
    degrees_of_freedom : int
        Units drawn less strata.
    level : Level

    Returns
    -------
    Interval
        In the metric's unit, symmetric about the mean; may leave the metric's range. NaN without a
        degree of freedom.

    References
    ----------
    Cameron & Miller (2015).
    """
    return t(estimate, standard_error, degrees_of_freedom, level)


@interval_method(
    title="z",
    accepts=WITH_ERRORS,
    needs=(Need.ESTIMATE, Need.STANDARD_ERROR),
    use_when="to reproduce published 'mean ± 1.96 SEM' intervals; too narrow below about 100 cases",
    promises=SYMMETRIC,
    cite="eljurdi2025",
    synonyms=("parametric", "normal"),
    assumes="Means of this many cases are nearly normal, and the sample's SD is that of the "
    "population.",
)
def z(estimate: Array, standard_error: Array, level: Level) -> Interval:
    """Normal interval with the sample's SD, x̄ ± z · SE; SE = s / √n for independent cases.

    Parameters
    ----------
    estimate, standard_error : ndarray
        x̄ and its SE, of each sample.
    level : Level

    Returns
    -------
    Interval
        In the metric's unit, symmetric about the mean; may leave the metric's range. NaN for n = 1.

    References
    ----------
    El Jurdi et al. (2025), who call it parametric.

    Examples
    --------
    >>> interval = z(np.array(2.0), np.array(1 / 3**0.5), Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.8684 3.1316
    """
    from scipy import special

    reach = -special.ndtri(level.tail) * standard_error
    return Interval.of(estimate - reach, estimate + reach, standard_error)


@interval_method(
    instead=t,
    title="Hall's skewness-corrected t",
    accepts=frozenset({Estimand.MEAN}),
    needs=(Need.SORTED_VALUES,),
    use_when="below 50 cases: closer to its level than t under skew and failed cases; wider",
    min_n=3,
    promises=frozenset({Promise.NESTED, Promise.EQUIVARIANT}),
    cite="hall1992",
    assumes="The sample shows the skewness of the population; without a failure in it, it shows "
    "none.",
)
def hall(values: Array, level: Level) -> Interval:
    """Hall's t interval with the skewness removed by a cubic transformation.

    [x̄ - s·h(t₁₋α/₂/√n), x̄ - s·h(tα/₂/√n)], h(y) = (3/g)(∛(1 + w) - 1), w = g(y - g/(6n)),
    g the sample skewness m₃/m₂^1.5, t quantiles with n - 1 degrees of freedom in place of Hall's
    normal ones.

    Parameters
    ----------
    values : ndarray, shape (..., n)
    level : Level

    Returns
    -------
    Interval
        In the metric's unit, longer on the side of the long tail; may leave the metric's range.
        NaN for n < 3.

    References
    ----------
    Hall (1992).

    Examples
    --------
    >>> interval = hall(np.array([0.1, 0.8, 0.9, 0.9, 0.95]), Level(0.95))
    >>> print(f"{interval.low:.3f} {interval.high:.3f}")
    -0.733 1.025
    """
    from scipy import special

    mean, sd = _centre_and_sd(values)
    n = values.shape[-1]
    if n < 3:
        return no_interval(mean)
    skewness = sample_skewness(values)
    y = -special.stdtrit(n - 1, level.tail) / np.sqrt(n)
    return Interval.of(
        mean - sd * _untransformed(y, skewness, n),
        mean - sd * _untransformed(-y, skewness, n),
        sd / np.sqrt(n),
    )


def sample_skewness(values: Array) -> Array:
    """Skewness m₃/m₂^1.5 of each sample; 0 where all values are equal.

    >>> round(float(sample_skewness(np.array([0.0, 0.0, 1.0]))), 4)
    0.7071
    """
    shifted = values - values[..., :1]
    centred = shifted - shifted.mean(axis=-1, keepdims=True)
    scale = np.abs(centred).max(axis=-1, keepdims=True)
    # Scaled first: the cubes of small deviations would underflow.
    scaled = centred / np.where(scale > 0, scale, 1.0)
    second = (scaled**2).mean(axis=-1)
    third = (scaled**3).mean(axis=-1)
    return np.asarray(third / np.where(second > 0, second, 1.0) ** 1.5)


def _untransformed(y: float, skewness: Array, n: int) -> Array:
    """Hall's h(y), with all its digits at small skewness and its limit at none."""
    shifted = y - skewness / (6 * n)
    w = skewness * shifted
    tiny = np.abs(skewness) < 1e-100
    g = np.where(tiny, 1.0, skewness)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.expm1(np.log1p(w) / 3)
    root_less_one = np.where(w > -1, above, np.cbrt(1 + w) - 1)
    return np.where(tiny, shifted, 3 * root_less_one / g)


def _not_above_zero(sample: Unanswered) -> tuple[str, str]:
    reason = f"the second mean could be 0 by what {sample.units_text} say, and any ratio be true"
    return reason, "compare differences, or add cases"


@interval_method(
    no_interval=_not_above_zero,
    title="Fieller",
    accepts=frozenset({Estimand.MEAN_RATIO}),
    needs=(Need.ESTIMATE, Need.PAIRED_MEANS, Need.DEGREES_OF_FREEDOM),
    use_when="for the ratio of the means of two models on the same cases; takes clusters and "
    "strata",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    cite="fieller1954",
    assumes="The mean of first - R · second is nearly normal for the true ratio R.",
)
def fieller(
    estimate: Array, about: tuple[Array, ...], degrees_of_freedom: float, level: Level
) -> Interval:
    """Fieller's interval: the ratios of two means that Student's t does not refute.

    They are the R for which |x̄ - R ȳ| ≤ t · SE(x̄ - R ȳ), a quadratic inequality, whose SE is that
    of `t`: s/√n of x - R y for independent cases, the jackknife's for clusters. With d = x - r y
    about the estimate r = x̄/ȳ, R - r lies between

        (-t² V(d̄, ȳ) ± t √(t² V(d̄, ȳ)² + a V(d̄))) / a,  a = ȳ² - t² V(ȳ).

    Parameters
    ----------
    estimate : ndarray
        r, of each sample.
    about : tuple of ndarray
        ȳ, V(d̄), V(ȳ) and V(d̄, ȳ).
    degrees_of_freedom : float
        Effective units less strata.
    level : Level

    Returns
    -------
    Interval
        NaN where a ≤ 0: ȳ could be 0, and the R that are not refuted have no end.

    References
    ----------
    Fieller (1954).

    Examples
    --------
    >>> about = np.array(0.8), np.array(1e-4), np.array(4e-4), np.array(0.0)
    >>> interval = fieller(np.array(1.05), about, 19, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    1.0238 1.0762
    """
    from scipy import special

    second, own, of_second, shared = about
    if degrees_of_freedom < 1:
        return no_interval(estimate)
    t_squared = special.stdtrit(degrees_of_freedom, level.tail) ** 2
    a = second**2 - t_squared * of_second
    a = np.where(a > 0, a, np.nan)
    root = np.sqrt(t_squared * (t_squared * shared**2 + a * own))
    down, up = ((t_squared * shared + sign * root) / a for sign in (1, -1))
    error = np.sqrt(own) / np.abs(second)
    return Interval.of(estimate - np.maximum(down, 0), estimate + np.maximum(-up, 0), error)


def _trimmed_away_reason(_sample: Unanswered) -> tuple[str, str]:
    return "fewer than 2 cases are left after trimming", "trim less, or use percentile"


@interval_method(
    instead=t,
    title="t or Hall, the farther end",
    accepts=frozenset({Estimand.MEAN}),
    needs=(Need.SORTED_VALUES,),
    use_when="a mean without bounds: each end as far out as the farther of t and hall, since hall "
    "is too short under heavy tails on both sides and t under skew",
    min_n=3,
    promises=SYMMETRIC,
    cite="hall1992",
    assumes="As hall and t, each where the other falls short; without a failure in the sample "
    "neither knows of one.",
)
def hall_or_t(values: Array, level: Level) -> Interval:
    """The end farther from the mean, of Hall's interval and Student's t, on either side.

    Parameters
    ----------
    values : ndarray, shape (..., n)
    level : Level

    Returns
    -------
    Interval
        In the metric's unit. NaN for n < 3.

    References
    ----------
    Hall (1992); Student (1908).

    Examples
    --------
    >>> interval = hall_or_t(np.array([0.1, 0.8, 0.9, 0.9, 0.95]), Level(0.95))
    >>> print(f"{interval.low:.3f} {interval.high:.3f}")
    -0.733 1.172
    """
    skewed = hall(values, level)
    mean, sd = _centre_and_sd(values)
    n = values.shape[-1]
    symmetric = t(mean, sd / np.sqrt(n), n - 1.0, level)
    # Equal values have no skewness, and none of either has a width.
    return Interval.of(
        np.minimum(skewed.low, symmetric.low),
        np.maximum(skewed.high, symmetric.high),
        symmetric.standard_error,
    )


@interval_method(
    no_interval=_trimmed_away_reason,
    title="Tukey-McLaughlin trimmed t",
    accepts=frozenset({Estimand.TRIMMED_MEAN}),
    needs=(Need.SORTED_VALUES, Need.TRIM_SHARE),
    use_when="for a trimmed mean without resampling",
    promises=SYMMETRIC,
    cite="tukey_mclaughlin1963",
    assumes="The winsorised values show the spread of the trimmed mean; nothing is assumed about "
    "what is cut.",
)
def trimmed_t(values: Array, share: float, level: Level) -> Interval:
    """Tukey-McLaughlin interval, trimmed mean ± t₍h₋₁₎ · s_w / ((1 - 2γ)√n).

    s_w is the SD (n - 1) of the winsorised sample, γ the share cut from each side and
    h = n - 2⌊γn⌋ the number of cases kept.

    Parameters
    ----------
    values : ndarray, shape (..., n)
        Ascending along the last axis.
    share : float
        γ, in [0, 0.5).
    level : Level

    Returns
    -------
    Interval
        In the metric's unit, symmetric about the trimmed mean; may leave the range. NaN for h < 2.

    References
    ----------
    Tukey & McLaughlin (1963).

    Examples
    --------
    >>> interval = trimmed_t(np.arange(10.0), 0.2, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    1.5559 7.4441
    """
    from scipy import special

    n = values.shape[-1]
    cut = cases_cut(n, share)
    kept = n - 2 * cut
    centre, _ = _centre_and_sd(values[..., cut : n - cut])
    if kept < 2:
        return no_interval(centre)
    winsorised = np.clip(values, values[..., cut, None], values[..., n - cut - 1, None])
    _, sd = _centre_and_sd(winsorised)
    se = sd / ((1 - 2 * share) * np.sqrt(n))
    reach = -special.stdtrit(kept - 1, level.tail) * se
    return Interval.of(centre - reach, centre + reach, se)


@interval_method(
    title="Hoeffding",
    accepts=frozenset({Estimand.MEAN}),
    needs=(Need.SORTED_VALUES, Need.BOUNDS),
    use_when="when coverage must be guaranteed for any n and any distribution; several times as "
    "wide as t",
    min_n=1,
    promises=SYMMETRIC | {Promise.GUARANTEED},
    cautions=("HW307",),
    cite="hoeffding1963",
    assumes=WITHIN_BOUNDS,
)
def hoeffding(values: Array, bounds: Bounds | tuple[float, float], level: Level) -> Interval:
    """Hoeffding's concentration interval, x̄ ± (b - a) √(ln(2/α) / (2n)).

    Parameters
    ----------
    values : ndarray, shape (..., n)
    bounds : Bounds or pair of floats
        The metric's range [a, b], both ends finite.
    level : Level

    Returns
    -------
    Interval
        In the metric's unit, symmetric about the mean; may leave the range.

    References
    ----------
    Hoeffding (1963). André et al. print b - a inside the root, unsquared: a misprint.

    Examples
    --------
    >>> interval = hoeffding(np.full(100, 0.5), Bounds(0, 1), Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.3642 0.6358
    """
    mean, sd = _centre_and_sd(values)
    n = values.shape[-1]
    reach = as_bounds(bounds).width * np.sqrt(np.log(1 / level.tail) / (2 * n))
    return Interval.of(mean - reach, mean + reach, sd / np.sqrt(n))


@interval_method(
    title="empirical Bernstein",
    accepts=frozenset({Estimand.MEAN}),
    needs=(Need.SORTED_VALUES, Need.BOUNDS),
    use_when="like hoeffding, but narrower from about 200 cases on when the spread is small",
    promises=SYMMETRIC | {Promise.GUARANTEED},
    cautions=("HW307",),
    cite="maurer_pontil2009",
    assumes=WITHIN_BOUNDS,
)
def empirical_bernstein(
    values: Array, bounds: Bounds | tuple[float, float], level: Level
) -> Interval:
    """Empirical Bernstein interval of Maurer and Pontil.

    x̄ ± [s √(2 ln(4/α) / n) + (b - a) · 7 ln(4/α) / (3(n - 1))], both terms inside the ±.

    Parameters
    ----------
    values : ndarray, shape (..., n)
    bounds : Bounds or pair of floats
        The metric's range [a, b], both ends finite.
    level : Level

    Returns
    -------
    Interval
        In the metric's unit, symmetric about the mean; may leave the range. NaN for n = 1.

    References
    ----------
    Maurer & Pontil (2009), Theorem 4, one-sided with ln(2/δ); hence ln(4/α) for two sides.

    Examples
    --------
    >>> interval = empirical_bernstein(np.tile([0.4, 0.6], 50), Bounds(0, 1), Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.3670 0.6330
    """
    mean, sd = _centre_and_sd(values)
    n = values.shape[-1]
    if n < 2:
        return no_interval(mean)
    log_term = np.log(2 / level.tail)
    reach = sd * np.sqrt(2 * log_term / n) + as_bounds(bounds).width * 7 * log_term / (3 * (n - 1))
    return Interval.of(mean - reach, mean + reach, sd / np.sqrt(n))


# The catalogue lists these, in this order.
DECLARED = (
    t,
    hall,
    hall_or_t,
    fieller,
    z,
    cluster_robust_t,
    trimmed_t,
    hoeffding,
    empirical_bernstein,
)
