"""Intervals for a proportion, x successes of n."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.spec import Estimand, Need, Promise, interval_method
from halfwidth.core.types import Array, Interval, Level

__all__ = ["agresti_coull", "clopper_pearson", "jeffreys", "wald", "wilson"]

ACCEPTS = frozenset({Estimand.PROPORTION})
NEEDS = (Need.SUCCESSES, Need.TRIALS)


# What several assume.
BINOMIAL = "Successes are binomial: every case succeeds with the same probability."


def _share_and_se(successes: ArrayLike, n: ArrayLike) -> tuple[Array, Array]:
    p = np.asarray(successes, float) / np.asarray(n, float)
    return p, np.sqrt(p * (1 - p) / n)


@interval_method(
    title="Wald",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="only to reproduce published intervals; unreliable near 0 and 1 and at any small n",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    cautions=("HW303",),
    cite="brown2001",
    assumes="The share of successes is nearly normal, which it is not near 0 and 1.",
)
def wald(successes: ArrayLike, n: ArrayLike, level: Level) -> Interval:
    """Wald interval, p̂ ± z √(p̂(1 - p̂)/n): zero width at 0 and n.

    Parameters
    ----------
    successes, n : array-like
        Counts, 0 ≤ successes ≤ n.
    level : Level

    Returns
    -------
    Interval
        May leave [0, 1].

    References
    ----------
    Brown, Cai & DasGupta (2001), who advise against it.

    Examples
    --------
    >>> interval = wald(45, 50, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.8168 0.9832
    """
    from scipy import special

    p, se = _share_and_se(successes, n)
    reach = -special.ndtri(level.tail) * se
    return Interval.of(p - reach, p + reach, se)


@interval_method(
    title="Wilson",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="for any proportion: right on average, stays in range, defined at 0 and n successes",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="wilson1927",
    assumes=BINOMIAL,
)
def wilson(successes: ArrayLike, n: ArrayLike, level: Level) -> Interval:
    """Wilson's score interval, the p at which |p̂ - p| ≤ z √(p(1 - p)/n).

    Parameters
    ----------
    successes, n : array-like
        Counts, 0 ≤ successes ≤ n.
    level : Level

    Returns
    -------
    Interval
        Within [0, 1].

    References
    ----------
    Wilson (1927).

    Examples
    --------
    >>> interval = wilson(45, 50, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.7864 0.9565
    """
    from scipy import special

    x, trials = np.asarray(successes, float), np.asarray(n, float)
    p, se = _share_and_se(x, trials)
    z = -special.ndtri(level.tail)
    centre = (x + z**2 / 2) / (trials + z**2)
    reach = z * np.sqrt(trials) / (trials + z**2) * np.sqrt(p * (1 - p) + z**2 / (4 * trials))
    # At the ends the two terms are equal; their difference would be rounding.
    low = np.where(x == 0, 0.0, centre - reach)
    high = np.where(x == trials, 1.0, centre + reach)
    return Interval.of(low, high, se)


@interval_method(
    title="Agresti-Coull",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="the version of wilson for hand calculation; a little wider, may leave the range",
    min_n=1,
    promises=frozenset({Promise.CONTAINS_ESTIMATE}),
    cite="agresti_coull1998",
    assumes=BINOMIAL,
)
def agresti_coull(successes: ArrayLike, n: ArrayLike, level: Level) -> Interval:
    """Agresti-Coull interval, Wald's with ñ = n + z² and p̃ = (x + z²/2)/ñ.

    Parameters
    ----------
    successes, n : array-like
        Counts, 0 ≤ successes ≤ n.
    level : Level

    Returns
    -------
    Interval
        May leave [0, 1].

    References
    ----------
    Agresti & Coull (1998); Brown, Cai & DasGupta (2001). André et al. print z for z²: a misprint.

    Examples
    --------
    >>> interval = agresti_coull(45, 50, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.7821 0.9609
    """
    from scipy import special

    _, se = _share_and_se(successes, n)
    z = -special.ndtri(level.tail)
    trials = np.asarray(n, float) + z**2
    p = (np.asarray(successes, float) + z**2 / 2) / trials
    reach = z * np.sqrt(p * (1 - p) / trials)
    return Interval.of(p - reach, p + reach, se)


@interval_method(
    title="Clopper-Pearson",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="when a proportion must never be under-covered; it over-covers and so is wide",
    min_n=1,
    promises=frozenset(
        {
            Promise.CONTAINS_ESTIMATE,
            Promise.STAYS_IN_RANGE,
            Promise.NESTED,
            Promise.GUARANTEED,
        }
    ),
    cite="clopper_pearson1934",
    synonyms=("exact_binomial",),
    assumes=BINOMIAL,
)
def clopper_pearson(successes: ArrayLike, n: ArrayLike, level: Level) -> Interval:
    """Clopper-Pearson interval, the inversion of two binomial tests by Beta quantiles.

    Parameters
    ----------
    successes, n : array-like
        Counts, 0 ≤ successes ≤ n.
    level : Level

    Returns
    -------
    Interval
        Within [0, 1]; 0 at no success and 1 at n.

    References
    ----------
    Clopper & Pearson (1934).

    Examples
    --------
    >>> interval = clopper_pearson(45, 50, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.7819 0.9667
    """
    from scipy import special

    x, trials = np.asarray(successes, float), np.asarray(n, float)
    none, all_ = x == 0, x == trials
    low = special.betaincinv(np.where(none, 1.0, x), trials - x + 1, level.tail)
    high = special.betainccinv(x + 1, np.where(all_, 1.0, trials - x), level.tail)
    _, se = _share_and_se(x, trials)
    return Interval.of(np.where(none, 0.0, low), np.where(all_, 1.0, high), se)


@interval_method(
    title="Jeffreys",
    accepts=ACCEPTS,
    needs=NEEDS,
    use_when="as narrow as wilson, with equal tails; good for one-sided bounds",
    min_n=1,
    promises=frozenset({Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="brown2001",
    assumes="Successes are binomial; the bounds are those of a Beta(½, ½) prior.",
)
def jeffreys(successes: ArrayLike, n: ArrayLike, level: Level) -> Interval:
    """Equal-tailed interval of the Beta(x + ½, n - x + ½) posterior, with Brown's ends.

    Parameters
    ----------
    successes, n : array-like
        Counts, 0 ≤ successes ≤ n.
    level : Level

    Returns
    -------
    Interval
        Within [0, 1]; 0 at no success and 1 at n.

    References
    ----------
    Brown, Cai & DasGupta (2001), section 4.1.2.

    Examples
    --------
    >>> interval = jeffreys(45, 50, Level(0.95))
    >>> print(f"{interval.low:.4f} {interval.high:.4f}")
    0.7946 0.9608
    """
    from scipy import special

    x, trials = np.asarray(successes, float), np.asarray(n, float)
    low = special.betaincinv(x + 0.5, trials - x + 0.5, level.tail)
    high = special.betainccinv(x + 0.5, trials - x + 0.5, level.tail)
    _, se = _share_and_se(x, trials)
    return Interval.of(np.where(x == 0, 0.0, low), np.where(x == trials, 1.0, high), se)


# The catalogue lists these, in this order.
DECLARED = (wilson, clopper_pearson, jeffreys, agresti_coull, wald)
