"""Intervals from random weights of the cases, and of pseudo-cases that were not seen."""

from __future__ import annotations

import numpy as np

from halfwidth.core.option_names import spelled_both
from halfwidth.core.parameters import Parameter
from halfwidth.core.pseudo_cases import PseudoCases, Reach
from halfwidth.core.references import cite
from halfwidth.core.spec import (
    Estimand,
    Need,
    Promise,
    StatisticSpec,
    Unanswered,
    interval_method,
)
from halfwidth.core.types import Array, Bounds, Interval, Level
from halfwidth.core.undefined import no_interval
from halfwidth.resampling.distribution import Quantiles
from halfwidth.resampling.expansion import FEWEST_EXPANDED, expanded_tail

__all__ = ["dirichlet", "dirichlet_pareto", "gaffke"]

MASS = Parameter("mass", 0.5, "of the pseudo-case at each bound, in cases", above=0.0, at_most=10.0)
# The mass and the tail index of `dirichlet_pareto`: of a mean, of the difference of two models on
# the same cases, and of an SD (decision 0072).
OF_MEAN, OF_DIFFERENCE, OF_SPREAD = (0.5, 1.5), (0.5, 5.0), (1.5, 2.4)
# Of the difference of two SDs on the same cases (decision 0093).
OF_SPREADS = (1.5, 5.0)
PROMISES = frozenset(
    {
        Promise.CONTAINS_ESTIMATE,
        Promise.STAYS_IN_RANGE,
        Promise.NESTED,
        Promise.EQUIVARIANT,
    }
)


def pseudo_cases_of_mass(bounds: Bounds, *, paired: bool, spread: bool, mass: float) -> PseudoCases:
    """A pseudo-case of a mass at the bound that the end of an interval lies towards."""
    del spread  # the same of any statistic
    return PseudoCases.outward(mass, bounds, paired=paired)


def pseudo_cases_beyond(
    bounds: Bounds,
    *,
    paired: bool,
    spread: bool,
    mass: float | None = None,
    shape: float | None = None,
) -> PseudoCases:
    usual_mass, usual_shape = OF_DIFFERENCE if paired else OF_MEAN
    if spread:
        usual_mass, usual_shape = OF_SPREADS if paired else OF_SPREAD
    reach = Reach(usual_shape if shape is None else shape, shared=paired)
    return PseudoCases.outward(
        usual_mass if mass is None else mass, bounds, paired=paired, reach=reach
    )


def _whole(bounds: Bounds, *, paired: bool, spread: bool) -> PseudoCases:
    del spread
    return PseudoCases.outward(1.0, bounds, paired=paired)


def stated_at_bounds(
    pseudo_cases: PseudoCases, statistic: StatisticSpec, _n: int, unit: str
) -> tuple[str, ...]:
    """What lies at the bounds of a metric."""
    where = ", at the bound of the metric on the side of each end"
    if statistic.of_records:
        where = f" for pseudo-{unit}s predicted as badly, or as well, as can be"
    elif statistic.estimand is Estimand.SPREAD:
        where = ", at either bound of the metric; the lower end has none"
    elif pseudo_cases.paired:
        where = ", with the worst value of the metric for one model and the best for the other"
    return (f"a = {pseudo_cases.low[0]:g}{where}",)


def _stated_beyond(
    pseudo_cases: PseudoCases, statistic: StatisticSpec, n: int, unit: str
) -> tuple[str, ...]:
    """By which law it lies beyond the cases."""
    reach = pseudo_cases.reach
    if reach is None:
        raise TypeError("pseudo-cases at the bounds have no reach")
    if statistic.is_spread and reach.shared:
        return (_stated_of_pairs(pseudo_cases, reach, unit), *_stated_levels(n, unit))
    side, outermost, alone = "each end", f"the outermost {unit} on that side", ""
    if statistic.estimand is Estimand.SPREAD:
        side, outermost = f"the {unit} farthest from the mean", f"that {unit}"
        alone = "; the lower end has none"
    elif reach.shared:
        outermost = f"the {unit} farthest from it"
    law = (
        f"a = {pseudo_cases.low[0]:g}, on the side of {side}, d U^(-1/{reach.shape:g}) from the "
        f"mean but no further than the bounds, U uniform, d from the mean to {outermost}{alone}"
    )
    return law, *_stated_levels(n, unit)


def _stated_of_pairs(pseudo_cases: PseudoCases, reach: Reach, unit: str) -> str:
    """Where the pseudo-pair of two SDs lies."""
    return (
        f"a = {pseudo_cases.high[1]:g}, for the upper end d U^(-1/{reach.shape:g}) from the mean "
        "of the first model but no further than the bounds, U uniform, d from the mean to the "
        f"{unit} farthest from it, and for the other model where its regression on that one puts "
        "it; for the lower end with the models exchanged; neither end is nearer than without a "
        "pseudo-pair"
    )


def _stated_levels(n: int, unit: str) -> tuple[str, ...]:
    """At which levels quantiles are taken."""
    levels = (
        "Tails of these quantiles are expanded to Φ(-z), z = √(n/(n - 1)) t, t Student's quantile "
        f"with n - 1 degrees of freedom ({cite('hesterberg2015').in_prose})"
    )
    if unit == "cluster":
        levels += f", n as many {unit}s as their sizes m weigh, (Σm)²/Σm²"
    if n >= FEWEST_EXPANDED:
        return (levels,)
    few = (
        f"With fewer than {FEWEST_EXPANDED} {unit}s the tail is that of {FEWEST_EXPANDED}, and "
        f"ends lie z(n)/z({FEWEST_EXPANDED}) times as far from the estimate"
    )
    return levels, few


def undefined_reason(_sample: Unanswered) -> tuple[str, str]:
    """Why there is no interval, and what helps."""
    return "the statistic is undefined under random weights", "add cases"


def _between(weighted: tuple[Quantiles, Quantiles], estimate: Array, level: Level) -> Interval:
    """From quantile to quantile, and as far as the estimate where it lies beyond one."""
    lower, upper = weighted
    return Interval.of(
        np.minimum(lower.quantile(level.tail), estimate),
        np.maximum(upper.quantile(1 - level.tail), estimate),
    )


@interval_method(
    no_interval=undefined_reason,
    title="Dirichlet",
    accepts=frozenset(Estimand),
    needs=(Need.WEIGHTED, Need.ESTIMATE),
    pseudo_cases=pseudo_cases_of_mass,
    stated=stated_at_bounds,
    parameters=(MASS,),
    use_when="for few cases of a metric with finite bounds: near its level where bootstraps and "
    "t are far too narrow; wide where the spread is small compared with the range",
    assumes="Cases unlike any observed may turn up, as bad or as good as the metric's bounds "
    "allow, about as often as if half a case more had been seen there. So even without a "
    "failure among n cases it allows for rare ones, and it is wide where the spread is small "
    "compared with the range. Where you know that values beyond some point are impossible, say "
    f"so ({spelled_both('bounds', (0.5, 1))}). Cases, or clusters, are independent.",
    min_n=1,
    promises=PROMISES,
    cite="rubin1981",
)
def dirichlet(weighted: tuple[Quantiles, Quantiles], estimate: Array, level: Level) -> Interval:
    """The statistic under random weights, with half a pseudo-case at the bound beyond each end.

    The weights (w) ~ Dirichlet(1, ..., 1, ½): 1 for each case and ½ for a pseudo-case at the end
    of the range [a, b] that the end of the interval lies towards. The lower end is the α/2 quantile
    of the statistic weighted with one at a, the upper end the 1 - α/2 quantile with one at b; the
    interval holds its estimate. Pseudo-cases only ever add to an SD or an IQR: there both serve
    the upper end, and the lower one comes from the weights of the cases. Of two models on the same
    cases the pseudo-case is the worst of the one and the best of the other. Classes of an average
    have intervals of their own, which are put together (decision 0041): where a class weighs as
    many cases as it has, that varies with the cases, and one without a case may have any value.

    Parameters
    ----------
    weighted : pair of Distribution
        Of the statistic under such weights, for the lower and for the upper end.
    estimate : ndarray
        The statistic of each sample.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit and range. NaN where the statistic is undefined.

    References
    ----------
    Rubin (1981), without pseudo-cases.
    """
    return _between(weighted, estimate, level)


@interval_method(
    no_interval=undefined_reason,
    title="Gaffke",
    accepts=frozenset(Estimand),
    needs=(Need.WEIGHTED, Need.ESTIMATE),
    pseudo_cases=_whole,
    stated=stated_at_bounds,
    use_when="like dirichlet but more conservative: conjectured, not proved, to cover a mean at "
    "least as often as it says",
    assumes="Values lie within the metric's bounds, and cases, or clusters, are independent. "
    "That it then covers a mean at least as often as it says is a conjecture: no counterexample "
    "is known, and no proof.",
    min_n=1,
    promises=PROMISES,
    cautions=("HW316",),
    cite="gaffke2005",
)
def gaffke(weighted: tuple[Quantiles, Quantiles], estimate: Array, level: Level) -> Interval:
    """The statistic under random weights, with a whole pseudo-case at the bound beyond each end.

    The lower end is the α/2 quantile under the weights Dirichlet(1, ..., 1, 1) of the cases and of
    a pseudo-case at the lower bound of the range; the upper end is the 1 - α/2 quantile with one
    at the upper bound.

    Parameters
    ----------
    weighted : pair of Distribution
        Of the statistic under such weights, for the lower and for the upper end.
    estimate : ndarray
        The statistic of each sample.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit and range. NaN where the statistic is undefined.

    References
    ----------
    Gaffke (2005); Learned-Miller & Thomas (2019), who conjecture that the mean is covered at least
    as often as the level says. On 0/1 data it is the interval of Clopper and Pearson.
    """
    return _between(weighted, estimate, level)


def _equal_reason(sample: Unanswered) -> tuple[str, str]:
    if not sample.constant:
        return undefined_reason(sample)
    reason = f"all values of {sample.units_text} are equal and do not show how far others lie"
    return reason, f"{dirichlet.__name__} has pseudo-cases at the bounds"


@interval_method(
    no_interval=_equal_reason,
    instead=dirichlet,
    title="Dirichlet-Pareto",
    accepts=frozenset({Estimand.MEAN, Estimand.SPREAD, Estimand.CONTRAST}),
    needs=(
        Need.WEIGHTED,
        Need.ESTIMATE,
        Need.ROBUST_ERROR,
        Need.DEGREES_OF_FREEDOM,
        Need.TIE_TOLERANCE,
    ),
    pseudo_cases=pseudo_cases_beyond,
    stated=_stated_beyond,
    parameters=(
        Parameter(
            "mass",
            None,
            f"of the pseudo-case, in cases; {OF_MEAN[0]:g}, of an SD {OF_SPREAD[0]:g}",
            above=0.0,
            at_most=10.0,
            optional=True,
        ),
        Parameter(
            "shape",
            None,
            "tail index of the law of its distance: the smaller, the farther it lies; "
            f"{OF_MEAN[1]:g}, of differences {OF_DIFFERENCE[1]:g}, of an SD {OF_SPREAD[1]:g}",
            above=0.0,
            at_most=100.0,
            optional=True,
        ),
    ),
    use_when="a mean or an SD of a metric with finite bounds: near its level with failures among "
    "the cases and without, and not much wider than t where models are good",
    assumes="Cases beyond those observed lie about as far out as a heavy tail of the data says: "
    "half of them within one and a half times the distance of the outermost case from the mean. "
    "Failures unlike any that were seen are not allowed for. Cases, or clusters, are independent.",
    min_n=3,
    clips=True,
    promises=PROMISES,
    cite="rubin1981",
    synonyms=("pareto",),
)
def dirichlet_pareto(
    weighted: tuple[Quantiles, Quantiles],
    estimate: Array,
    robust_error: Array,
    degrees_of_freedom: float,
    tolerance: Array,
    level: Level,
) -> Interval:
    """The statistic under random weights, with a pseudo-case beyond the outermost case.

    The weights (w) ~ Dirichlet(1, ..., 1, a): 1 for each case and a for a pseudo-case, one end of
    the interval at a time. For the lower end of a mean it lies at max(bound, x̄ - d U^(-1/ν)), U
    uniform, d = x̄ - x₍₁₎; the end is the Φ(-z) quantile of the weighted mean, z = √(n/(n - 1))
    t₍n₋₁,₁₋α/₂₎. The upper end mirrors it. Of the differences of two models d is the longer of
    both distances. For the upper end of an SD the pseudo-case lies on the side of the case
    farthest from the mean; its lower end has none. Below ten cases the quantile is that of ten,
    and the end lies z(n)/z(10) times as far from the estimate.

    Parameters
    ----------
    weighted : pair of Distribution
        Of the statistic under such weights, for the lower and for the upper end.
    estimate, robust_error : ndarray
        The statistic of each sample, and its standard error.
    degrees_of_freedom : float
        n - 1, of clusters and strata the effective number in its place.
    tolerance : ndarray
        Of each sample, below which differences are rounding.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit, cut to its range; holds the estimate. NaN below three cases, or
        where all values are equal.

    References
    ----------
    Rubin (1981) for the weights; Hesterberg (2015) for z. Pseudo-cases so placed are this
    project's own (decision 0072).
    """
    if degrees_of_freedom < 1:
        return no_interval(estimate)
    tail, factor = expanded_tail(level.tail, degrees_of_freedom)
    lower, upper = weighted
    below = np.maximum(estimate - lower.quantile(tail), 0.0)
    above = np.maximum(upper.quantile(1 - tail) - estimate, 0.0)
    known = np.where(below + above > tolerance, 0.0, np.nan)
    return Interval.of(
        estimate - factor * below + known, estimate + factor * above + known, robust_error
    )


# The catalogue lists these, in this order.
DECLARED = (dirichlet_pareto, dirichlet, gaffke)
