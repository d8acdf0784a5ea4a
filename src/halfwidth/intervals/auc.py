"""Intervals for one AUROC, by variances in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.spec import Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Interval, Level

__all__ = ["delong", "delong_logit", "delong_logit_t", "delong_t", "hanley_mcneil", "newcombe"]

ACCEPTS = frozenset({Estimand.AUROC})
# Halvings of [0, 1] after which a bisection has all the digits of a float.
HALVINGS = 60


def no_variance(_sample: Unanswered) -> tuple[str, str]:
    """Why a method that needs the variance of an AUROC gave no interval."""
    reason = "the variance is 0 (AUROC 0 or 1, or all scores tied) or cannot be known"
    return reason, f"{newcombe.__name__} is defined"


def no_variance_of_one_or_two(_sample: Unanswered) -> tuple[str, str]:
    """Why a method for one AUROC, or for two, gave no interval."""
    reason = "the variance is 0 (AUROC 0 or 1, all scores tied, two models that rank alike)"
    return f"{reason} or cannot be known", f"{newcombe.__name__} (of one) or dirichlet is defined"


def no_variance_of_two(_sample: Unanswered) -> tuple[str, str]:
    """Why a method that needs the variance of the difference of two AUROCs gave no interval."""
    reason = "the variance is 0 (both models rank the cases alike) or cannot be known"
    return reason, "dirichlet is defined"


def quantile_factor(degrees: float, level: Level) -> float:
    """The normal quantile, or Student's where clusters leave few degrees of freedom."""
    from scipy import special

    tail = level.tail
    return float(-special.ndtri(tail) if np.isinf(degrees) else -special.stdtrit(degrees, tail))


def _variance(area: Array, positives: Array, negatives: Array, m: Array, n: Array) -> Array:
    """Variance of an AUROC of exponential scores; m and n are the pseudo sizes in its terms.

    A(1 - A)(1 + m(1 - A)/(2 - A) + nA/(1 + A)) / (positives · negatives), which is Hanley and
    McNeil's formula with Q₁ = A/(2 - A) and Q₂ = 2A²/(1 + A) written out.
    """
    factor = 1 + m * (1 - area) / (2 - area) + n * area / (1 + area)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(area * (1 - area) * factor / (positives * negatives))


@interval_method(
    title="Newcombe",
    accepts=ACCEPTS,
    needs=(Need.ESTIMATE, Need.CLASS_UNITS),
    use_when="for an AUROC of 0 or 1, with few cases, or with all scores tied: defined there too",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="newcombe2006",
    assumes="The variance follows from the AUROC and the numbers of cases, as it does for "
    "exponential scores.",
)
def newcombe(estimate: Array, class_units: tuple[Array, Array], level: Level) -> Interval:
    """Newcombe's method 5: the A for which |Â - A| ≤ z·SE(A), as Wilson does for a proportion.

    SE² = A(1 - A)[1 + N(1 - A)/(2 - A) + NA/(1 + A)] / (mn), N = (m + n)/2 - 1. Of clusters, m and
    n are as many equal ones as those with positive and with negative cases weigh (Kish).

    Parameters
    ----------
    estimate : ndarray
        Â, in [0, 1].
    class_units : tuple of ndarray
        m and n.
    level : Level

    Returns
    -------
    Interval
        Within [0, 1], always defined.

    References
    ----------
    Newcombe (2006), part 2, method 5.

    Examples
    --------
    >>> interval = newcombe(np.array(1.0), (np.array(20.0), np.array(20.0)), Level(0.95))
    >>> print(f"{interval.low:.3f} {interval.high:.3f}")
    0.899 1.000
    """
    m, n = class_units
    pseudo, z = (m + n) / 2 - 1, quantile_factor(np.inf, level)

    def misses(area: Array) -> NDArray[np.bool_]:
        """Whether an area is too far from the estimate to be in the interval."""
        return np.asarray((estimate - area) ** 2 > z**2 * _variance(area, m, n, pseudo, pseudo))

    def end(outside: float) -> Array:
        inner, outer = estimate.astype(float), np.full(np.shape(estimate), outside)
        for _ in range(HALVINGS):
            middle = (inner + outer) / 2
            beyond = misses(middle)
            inner, outer = np.where(beyond, inner, middle), np.where(beyond, middle, outer)
        return np.where(estimate == outside, outside, (inner + outer) / 2)

    standard_error = np.sqrt(_variance(estimate, m, n, pseudo, pseudo))
    known = np.isfinite(estimate)
    return Interval.of(
        np.where(known, end(0.0), np.nan), np.where(known, end(1.0), np.nan), standard_error
    )


@interval_method(
    title="DeLong",
    no_interval=no_variance_of_one_or_two,
    accepts=frozenset({Estimand.AUROC, Estimand.AUROC_DIFFERENCE}),
    needs=(Need.ESTIMATE, Need.STANDARD_ERROR, Need.CLUSTER_DEGREES),
    use_when="to reproduce published intervals; may leave the range near 1, where delong_logit "
    "does not",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    cite="delong1988",
    assumes="The AUROC is nearly normal, which it is not near 1, and there are many cases of "
    "both classes.",
)
def delong(estimate: Array, standard_error: Array, degrees: float, level: Level) -> Interval:
    """DeLong's interval, A ± z·SE with the variance of the structural components.

    With clusters the SE is Obuchowski's, and t quantiles of clusters less strata are used.

    Parameters
    ----------
    estimate : ndarray
        A, in [0, 1].
    standard_error : ndarray
    degrees : float
        Infinite for independent cases.
    level : Level

    Returns
    -------
    Interval
        May leave [0, 1]; NaN where the SE is 0 (AUROC 0 or 1, or all scores tied) or undefined.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Obuchowski (1997) for clusters; Sun & Xu (2014) for the
    O(n log n) way by ranks.
    """
    known = np.where(standard_error > 0, standard_error, np.nan)
    reach = quantile_factor(degrees, level) * known
    return Interval.of(estimate - reach, estimate + reach, known)


@interval_method(
    title="DeLong on the logit",
    no_interval=no_variance,
    instead=newcombe,
    accepts=ACCEPTS,
    needs=(Need.ESTIMATE, Need.STANDARD_ERROR, Need.CLUSTER_DEGREES),
    use_when="for an AUROC with many cases of both classes: stays in range, asymmetric near 1",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="delong1988",
    synonyms=("logit_delong",),
    assumes="The logit of the AUROC is nearly normal, and there are many cases of both classes.",
)
def delong_logit(estimate: Array, standard_error: Array, degrees: float, level: Level) -> Interval:
    """DeLong's interval on the logit scale, logit⁻¹(logit A ± z·SE / (A(1 - A))).

    Parameters
    ----------
    estimate : ndarray
        A, in [0, 1].
    standard_error : ndarray
        Of A itself; Obuchowski's with clusters.
    degrees : float
        Infinite for independent cases.
    level : Level

    Returns
    -------
    Interval
        Within (0, 1); NaN where the SE is 0 (AUROC 0 or 1, or all scores tied) or undefined.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Pepe (2003), section 5.2, for the scale.
    """
    from scipy import special

    known = np.where(standard_error > 0, standard_error, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = special.logit(estimate)
        reach = quantile_factor(degrees, level) * known / (estimate * (1 - estimate))
    return Interval.of(special.expit(middle - reach), special.expit(middle + reach), known)


@interval_method(
    title="DeLong on the logit with t",
    no_interval=no_variance,
    instead=newcombe,
    accepts=ACCEPTS,
    needs=(Need.ESTIMATE, Need.ROBUST_ERROR, Need.CLASS_DEGREES),
    use_when="for an AUROC, also where one class is rare or clusters are few: delong_logit with "
    "t quantiles that allow for the smaller class",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="delong1988",
    assumes="The logit of the AUROC is nearly normal, and enough cases are ranked wrongly to "
    "show its variance: at least a handful of each class.",
)
def delong_logit_t(
    estimate: Array, robust_error: Array, degrees_of_freedom: Array, level: Level
) -> Interval:
    """DeLong's interval on the logit with t quantiles, logit⁻¹(logit A ± t·SE / (A(1 - A))).

    The degrees of freedom are Satterthwaite's: (V₁ + V₀)²/(V₁²/(m - 1) + V₀²/(n - 1)), V₁ and V₀
    the parts of DeLong's variance from m positive and n negative cases. With clusters the SE is
    the jackknife's, which leaves out each cluster in turn (decision 0042).

    Parameters
    ----------
    estimate : ndarray
        A, in [0, 1].
    robust_error : ndarray
        Of A itself.
    degrees_of_freedom : ndarray
    level : Level

    Returns
    -------
    Interval
        Within (0, 1); NaN where the SE is 0 (AUROC 0 or 1, or all scores tied) or undefined.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Satterthwaite (1946) for the degrees of freedom; Pepe
    (2003), section 5.2, for the scale.
    """
    from scipy import special

    known = np.where(robust_error > 0, robust_error, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = special.logit(estimate)
        factor = -special.stdtrit(degrees_of_freedom, level.tail)
        reach = factor * known / (estimate * (1 - estimate))
    return Interval.of(special.expit(middle - reach), special.expit(middle + reach), known)


@interval_method(
    title="DeLong with t",
    no_interval=no_variance_of_two,
    accepts=frozenset({Estimand.AUROC_DIFFERENCE}),
    needs=(Need.ESTIMATE, Need.ROBUST_ERROR, Need.CLASS_DEGREES),
    use_when="for two AUROCs on the same cases, with enough cases of both classes",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    cite="delong1988",
    assumes="The difference is nearly normal, and enough cases are ranked differently to show "
    "its variance.",
)
def delong_t(
    estimate: Array, robust_error: Array, degrees_of_freedom: Array, level: Level
) -> Interval:
    """DeLong's interval for the difference of two AUROCs on the same cases, A₁ - A₂ ± t·SE.

    SE² has their covariance: it is the variance of the differences of structural components. The
    degrees of freedom are Satterthwaite's: (V₁ + V₀)²/(V₁²/(m - 1) + V₀²/(n - 1)), V₁ and V₀ the
    parts of that variance from m positive and n negative cases. With clusters the SE is the
    jackknife's, which leaves out each cluster in turn (decision 0042).

    Parameters
    ----------
    estimate : ndarray
        A₁ - A₂, in [-1, 1].
    robust_error : ndarray
    degrees_of_freedom : ndarray
    level : Level

    Returns
    -------
    Interval
        May leave [-1, 1]; NaN where the SE is 0 (scores in the same order) or undefined.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Satterthwaite (1946) for the degrees of freedom.
    """
    from scipy import special

    known = np.where(robust_error > 0, robust_error, np.nan)
    reach = -special.stdtrit(degrees_of_freedom, level.tail) * known
    return Interval.of(estimate - reach, estimate + reach, known)


@interval_method(
    title="Hanley-McNeil",
    no_interval=no_variance,
    accepts=ACCEPTS,
    needs=(Need.ESTIMATE, Need.CLASS_UNITS),
    use_when="when only the AUROC and the numbers of cases are known",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE}),
    cite="hanley_mcneil1982",
    independent_only=True,
    assumes="Scores of both classes are exponential, and the AUROC is nearly normal.",
)
def hanley_mcneil(estimate: Array, class_units: tuple[Array, Array], level: Level) -> Interval:
    """Hanley and McNeil's interval, A ± z·SE, which supposes exponential scores.

    SE² = [A(1 - A) + (m - 1)(Q₁ - A²) + (n - 1)(Q₂ - A²)] / (mn), Q₁ = A/(2 - A),
    Q₂ = 2A²/(1 + A), m positive and n negative cases.

    Parameters
    ----------
    estimate : ndarray
        A, in [0, 1].
    class_units : tuple of ndarray
        m and n.
    level : Level

    Returns
    -------
    Interval
        May leave [0, 1]; NaN at A = 0 and A = 1, where the variance vanishes.

    References
    ----------
    Hanley & McNeil (1982).

    Examples
    --------
    >>> sizes = np.array(51.0), np.array(58.0)
    >>> interval = hanley_mcneil(np.array(0.893), sizes, Level(0.95))
    >>> print(f"{interval.low:.3f} {interval.high:.3f} {interval.standard_error:.4f}")
    0.829 0.957 0.0325
    """
    m, n = class_units
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = _variance(estimate, m, n, m - 1, n - 1)
    known = np.where(variance > 0, np.sqrt(np.maximum(variance, 0.0)), np.nan)
    reach = quantile_factor(np.inf, level) * known
    return Interval.of(estimate - reach, estimate + reach, known)


# The catalogue lists these, in this order.
DECLARED = (delong_logit_t, delong_logit, delong, delong_t, newcombe, hanley_mcneil)
