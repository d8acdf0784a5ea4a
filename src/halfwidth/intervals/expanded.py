"""Intervals from draws, as much longer as Student's t asks for where few units carry the spread.

The quantiles of draws are those of a normal distribution whose spread is known. That of the units
is estimated, from a few of them where most units say nothing of the statistic: where two detectors
differ on few images, or few hold an object.
"""

from __future__ import annotations

import numpy as np

from halfwidth.core.forms import Effect
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import (
    Estimand,
    Need,
    StatisticSpec,
    Unanswered,
    interval_method,
)
from halfwidth.core.types import Array, Interval, Level
from halfwidth.core.undefined import no_interval
from halfwidth.intervals.bootstrap import percentile
from halfwidth.intervals.dirichlet_intervals import (
    MASS,
    PROMISES,
    dirichlet,
    pseudo_cases_of_mass,
    stated_at_bounds,
    undefined_reason,
)
from halfwidth.resampling.distribution import Distribution, Quantiles

__all__ = ["dirichlet_expanded", "percentile_expanded"]

# What leaving out a case changes says how it varies: of metrics of test sets, and of two models.
OF_TEST_SETS = frozenset(
    {
        *(Estimand.CONTRAST, Estimand.MEAN_RATIO, Estimand.QUANTILE_CONTRAST),
        *(Estimand.OTHER, Estimand.RATE),
    }
)
# How much longer, and on which scale.
FACTOR = (Need.JACKKNIFE_DEGREES, Need.UNITS, Need.UNIT_DEGREES, Need.EFFECT)
# Both quantiles are 0 at a tail of ½, and their ratio has a limit there.
LARGEST_TAIL = 0.499999


def _unchanged_reason(_sample: Unanswered) -> tuple[str, str]:
    reason = "leaving out any one unit does not change it, so the units do not show its spread"
    return reason, f"{dirichlet_expanded.__name__} is defined"


def _factor(
    degrees: Array, units: int, unit_degrees: int, draws: int | None, level: Level
) -> Array:
    """√(G/(G - H)) · t/z: how much further than quantiles of draws an interval reaches.

    Draws know no quantile beyond the outermost of them, and a normal one in its place is no further
    out than that.
    """
    from scipy import special

    tail = min(level.tail, 1 - level.tail, LARGEST_TAIL)
    known = tail if draws is None else max(tail, min(1 / (draws + 1), LARGEST_TAIL))
    ratio = special.stdtrit(degrees, tail) / special.ndtri(known)
    return np.asarray(np.sqrt(units / unit_degrees) * ratio)


def _reaching(plain: Interval, estimate: Array, factor: Array, effect: Effect) -> Interval:
    """An interval whose ends lie a factor further from the estimate; of a ratio, of its log."""
    low, high, middle = plain.low, plain.high, estimate
    if effect == "ratio":
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high, middle = np.log(low), np.log(high), np.log(estimate)
    with np.errstate(invalid="ignore"):
        low = middle - factor * np.maximum(middle - low, 0.0)
        high = middle + factor * np.maximum(high - middle, 0.0)
    if effect == "ratio":
        known = np.isfinite(middle)  # a ratio of 0 has no logarithm
        low, high = (
            np.where(known, np.exp(low), plain.low),
            np.where(known, np.exp(high), plain.high),
        )
    return Interval.of(low, high)


def _stated_further(
    pseudo_cases: PseudoCases, statistic: StatisticSpec, n: int, unit: str
) -> tuple[str, ...]:
    at_bounds = stated_at_bounds(pseudo_cases, statistic, n, unit)
    return *at_bounds, "Expanded ends then lie √(G/(G - 1)) t/z times as far from the estimate"


@interval_method(
    no_interval=undefined_reason,
    title="expanded Dirichlet",
    accepts=OF_TEST_SETS,
    needs=(Need.WEIGHTED, Need.ESTIMATE, *FACTOR),
    pseudo_cases=pseudo_cases_of_mass,
    stated=_stated_further,
    parameters=(MASS,),
    use_when="like dirichlet, where a few cases carry the spread, as in the difference of two "
    "detectors when few images hold an object; wider than necessary elsewhere",
    assumes="As dirichlet; also that the spread is known only as well as the few cases that "
    "carry it allow.",
    min_n=2,
    clips=True,
    promises=PROMISES,
    cite="rubin1981",
)
def dirichlet_expanded(
    weighted: tuple[Quantiles, Quantiles],
    estimate: Array,
    degrees: Array,
    units: int,
    unit_degrees: int,
    effect: Effect,
    level: Level,
) -> Interval:
    """`dirichlet` whose ends lie √(G/(G - 1))·t₍ν₎/z times as far from the estimate.

    The factor is that of `percentile_expanded`. Where no unit changes the statistic, the spread is
    that of pseudo-cases alone, which is not estimated, and ν is G - 1.

    Parameters
    ----------
    weighted : pair of Distribution
        Of the statistic under random weights, for the lower and for the upper end.
    estimate, degrees, units, unit_degrees, effect
        As for `percentile_expanded`.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit, cut to its range; holds the estimate. NaN where the statistic is
        undefined.

    References
    ----------
    As of `dirichlet` and `percentile_expanded`.
    """
    if unit_degrees < 1:
        return no_interval(estimate)
    known = np.where(np.isnan(degrees), float(unit_degrees), degrees)
    factor = _factor(known, units, unit_degrees, weighted[0].n_resamples, level)
    return _reaching(dirichlet(weighted, estimate, level), estimate, factor, effect)


@interval_method(
    no_interval=_unchanged_reason,
    instead=dirichlet_expanded,
    title="expanded percentile bootstrap",
    accepts=OF_TEST_SETS,
    needs=(Need.DISTRIBUTION, Need.ESTIMATE, *FACTOR),
    use_when="like percentile, where a few cases carry the spread, as in the difference of two "
    "detectors on few images",
    assumes="As percentile; also that the spread is known only as well as the few cases that "
    "carry it allow.",
    min_n=3,
    clips=True,
    promises=PROMISES,
    cite="hesterberg2015",
    synonyms=("expanded_percentile",),
)
def percentile_expanded(
    distribution: Distribution,
    estimate: Array,
    degrees: Array,
    units: int,
    unit_degrees: int,
    effect: Effect,
    level: Level,
) -> Interval:
    """Percentile bootstrap whose ends lie √(G/(G - 1))·t₍ν₎/z times as far from the estimate.

    A resample of G units varies (G - 1)/G as much as these, and its quantiles are those of a normal
    distribution where t would be right. ν = 2G/(κ - 1), at most G - 1: κ is the kurtosis of what
    leaving out each unit changes, so that units that change next to nothing do not count. With H
    strata G - H is in place of G - 1. Of a ratio the logarithms reach further.

    Parameters
    ----------
    distribution : Distribution
        Bootstrap distributions of the statistic, one per sample.
    estimate : ndarray
        The statistic of each sample.
    degrees : ndarray
        ν of each sample; NaN where no unit changes the statistic.
    units : int
        G, the units drawn: cases, or clusters.
    unit_degrees : int
        Units less strata.
    effect : {"difference", "ratio"}
        What it is of two models; of one model as a difference.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit, cut to its range; holds the estimate. NaN where no unit changes the
        statistic, or every resample is undefined.

    References
    ----------
    Hesterberg (2015) for percentile intervals that are as long as t, by their levels and with G - 1
    degrees of freedom; Satterthwaite (1946) for ν.
    """
    if unit_degrees < 1:
        return no_interval(estimate)
    factor = _factor(degrees, units, unit_degrees, distribution.n_resamples, level)
    return _reaching(percentile(distribution, level), estimate, factor, effect)


# The catalogue lists these, in this order.
DECLARED = (dirichlet_expanded, percentile_expanded)
