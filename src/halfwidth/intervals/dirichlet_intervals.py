"""Intervals from random weights of the cases, and of pseudo-cases that were not seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halfwidth.core.option_names import spelled_both
from halfwidth.core.parameters import Parameter
from halfwidth.core.pseudo_cases import PseudoCases, Reach
from halfwidth.core.references import cite
from halfwidth.core.spec import (
    Estimand,
    Need,
    Promise,
    Statistic,
    StatisticSpec,
    Unanswered,
    interval_method,
)
from halfwidth.core.types import UNBOUNDED, Array, Bounds, Interval, Level
from halfwidth.core.undefined import no_interval
from halfwidth.intervals.mean import t
from halfwidth.resampling.distribution import Quantiles
from halfwidth.resampling.expansion import FEWEST_EXPANDED, expanded_tail

__all__ = [
    "dirichlet",
    "dirichlet_or_pareto",
    "dirichlet_pareto",
    "dirichlet_pareto_or_t",
    "gaffke",
]

MASS = Parameter("mass", 0.5, "of the pseudo-case at each bound, in cases", above=0.0, at_most=10.0)
# The mass and the tail index of `dirichlet_pareto`: of a mean, of the difference of two models on
# the same cases, and of an SD (decision 0072); of a mean without bounds (decision 0090).
OF_MEAN, OF_DIFFERENCE, OF_SPREAD = (0.5, 1.5), (0.5, 5.0), (1.5, 2.4)
# Of the difference of two SDs on the same cases (decision 0093).
OF_SPREADS = (1.5, 5.0)
OF_UNBOUNDED_MEAN = (0.5, 2.0)
# Of means within bounds, the power of longer over shorter distance by which the shorter side has a
# lighter tail, and the most that its index may be (decision 0090).
POWER, MOST_INDEX = 4.0, 15.0
# Without bounds the ends of a heavy tail explode with the level. Beyond that of this tail (95 % on
# two sides) they go on as those of Student's t do.
FARTHEST_TAIL = 0.025
BEYOND_NEEDS = (
    *(Need.ESTIMATE, Need.ROBUST_ERROR, Need.DEGREES_OF_FREEDOM, Need.TIE_TOLERANCE),
    *(Need.BOUNDS, Need.OPEN_SIDE, Need.UNITS),
)
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
    usual_mass, usual_shape = OF_MEAN if bounds.finite else OF_UNBOUNDED_MEAN
    if paired:
        usual_mass, usual_shape = OF_SPREADS if spread else OF_DIFFERENCE
    elif spread:
        usual_mass, usual_shape = OF_SPREAD
    reach = Reach(usual_shape if shape is None else shape, shared=paired)
    if bounds.finite and not (spread or paired):
        reach = replace(reach, power=POWER, most=MOST_INDEX, fewest=FEWEST_EXPANDED)
    return PseudoCases.outward(
        usual_mass if mass is None else mass, bounds, paired=paired, reach=reach
    )


def _whole(bounds: Bounds, *, paired: bool, spread: bool) -> PseudoCases:
    del spread
    return PseudoCases.outward(1.0, bounds, paired=paired)


def _half(bounds: Bounds, *, paired: bool, spread: bool) -> PseudoCases:
    return pseudo_cases_of_mass(bounds, paired=paired, spread=spread, mass=0.5)


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
    """Say by which law it lies beyond the cases."""
    reach = pseudo_cases.reach
    if reach is None:
        raise TypeError("pseudo-cases at the bounds have no reach")
    if statistic.is_spread and reach.shared:
        return (_stated_of_pairs(pseudo_cases, reach, unit), *_stated_levels(pseudo_cases, n, unit))
    side, outermost, alone = "each end", f"the outermost {unit} on that side", ""
    limited = " but no further than the bounds" * (pseudo_cases.bounds != UNBOUNDED)
    if statistic.estimand is Estimand.SPREAD:
        side, outermost = f"the {unit} farthest from the mean", f"that {unit}"
        alone = "; the lower end has none"
    elif reach.shared:
        outermost = f"the {unit} farthest from it"
    sharper = ""
    if reach.power and n >= reach.fewest:
        sharper = (
            f"; on the side where d is shorter, {reach.shape:g} is times the ratio of the longer "
            f"to the shorter one to the power of {reach.power:g}, but at most "
            f"{max(reach.most, reach.shape):g}"
        )
    law = (
        f"a = {pseudo_cases.low[0]:g}, on the side of {side}, d U^(-1/{reach.shape:g}) from the "
        f"mean{limited}, U uniform, d from the mean to {outermost}{alone}{sharper}"
    )
    return law, *_stated_levels(pseudo_cases, n, unit)


def _stated_of_pairs(pseudo_cases: PseudoCases, reach: Reach, unit: str) -> str:
    """Where the pseudo-pair of two SDs lies."""
    return (
        f"a = {pseudo_cases.high[1]:g}, for the upper end d U^(-1/{reach.shape:g}) from the mean "
        "of the first model but no further than the bounds, U uniform, d from the mean to the "
        f"{unit} farthest from it, and for the other model where its regression on that one puts "
        "it; for the lower end with the models exchanged; neither end is nearer than without a "
        "pseudo-pair"
    )


def _stated_levels(pseudo_cases: PseudoCases, n: int, unit: str) -> tuple[str, ...]:
    """Say at which levels quantiles are taken."""
    levels = (
        "Tails of these quantiles are expanded to Φ(-z), z = √(n/(n - 1)) t, t Student's quantile "
        f"with n - 1 degrees of freedom ({cite('hesterberg2015').in_prose})"
    )
    if unit == "cluster":
        levels += f", n as many {unit}s as their sizes m weigh, (Σm)²/Σm²"
    further = [levels]
    if not pseudo_cases.bounds.finite:
        further.append(
            "The range is open: ends above 95 % (of one-sided bounds 97.5 %) lie as many times as "
            "far from the estimate as those of Student's t do"
        )
    if n < FEWEST_EXPANDED:
        further.append(
            f"With fewer than {FEWEST_EXPANDED} {unit}s the tail is that of {FEWEST_EXPANDED}, and "
            f"ends lie z(n)/z({FEWEST_EXPANDED}) times as far from the estimate"
        )
    return tuple(further)


def _stated_or_t(
    pseudo_cases: PseudoCases, statistic: StatisticSpec, n: int, unit: str
) -> tuple[str, ...]:
    law, *further = _stated_beyond(pseudo_cases, statistic, n, unit)
    return law, *further, "Each end is the farther one of this and of Student's t within strata"


def _stated_either(
    pseudo_cases: PseudoCases, statistic: StatisticSpec, n: int, unit: str
) -> tuple[str, ...]:
    (law,) = stated_at_bounds(pseudo_cases, statistic, n, unit)
    return (f"{law}; each end is the farther one of this and of Dirichlet-Pareto",)


def undefined_reason(_sample: Unanswered) -> tuple[str, str]:
    """Why there is no interval, and what helps."""
    return "the statistic is undefined under random weights", "add cases"


def _between(weighted: tuple[Quantiles, Quantiles], estimate: Array, level: Level) -> Interval:
    """Interval between two quantiles, and as far as the estimate where it lies beyond one."""
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


def open_side(statistic: Statistic, bounds: Bounds, units: int) -> str:
    """The end of a mean that so few units leave open: where values have no bound, but one below.

    Fewer than ten show too little of a tail on one side; empty where no end is open.
    """
    spec = statistic.spec
    of_mean = spec.estimand is Estimand.MEAN and spec.pair_bounds is None
    if bounds.finite or bounds == UNBOUNDED or not of_mean or units >= FEWEST_EXPANDED:
        return ""
    return "lower" if np.isfinite(bounds.high) else "upper"


def level_of_closed_end(statistic: Statistic, bounds: Bounds, units: int, level: Level) -> Level:
    """The level asked for, or that of one end alone where the other is open."""
    side = open_side(statistic, bounds, units)
    if not side or level.alternative != "two-sided":
        return level
    return Level(1 - level.alpha / 2, "lower" if side == "upper" else "upper")


def _equal_reason(sample: Unanswered) -> tuple[str, str]:
    if sample.open_end:
        what = f"{sample.units_text} do not show how far others may lie where values have no bound"
        return f"{what}; {FEWEST_EXPANDED} would do", "give a worst value as a bound, or take t"
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
        *BEYOND_NEEDS,
    ),
    attains=level_of_closed_end,
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
            f"{OF_MEAN[1]:g}, without bounds {OF_UNBOUNDED_MEAN[1]:g}, of differences "
            f"{OF_DIFFERENCE[1]:g}, of an SD {OF_SPREAD[1]:g}",
            above=0.0,
            at_most=100.0,
            optional=True,
        ),
    ),
    use_when="a mean or an SD: near its level with failures among the cases and without, and not "
    "much wider than t where models are good; of means without bounds from ten cases on",
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
    bounds: Bounds,
    open_end: str,
    units: int,
    level: Level,
) -> Interval:
    """The statistic under random weights, with a pseudo-case beyond the outermost case.

    The weights (w) ~ Dirichlet(1, ..., 1, a): 1 for each case and a for a pseudo-case, one end of
    the interval at a time. For the lower end of a mean it lies at max(bound, x̄ - d U^(-1/ν)), U
    uniform, d = x̄ - x₍₁₎; the end is the Φ(-z) quantile of the weighted mean, z = √(n/(n - 1))
    t₍n₋₁,₁₋α/₂₎. The upper end mirrors it. Within bounds a side on which cases lie less far out
    than on the other shows that failures are not there: from ten cases on its tail is lighter, with
    ν (longer/shorter d)⁴, at most 15, in the place of ν. Of the differences of two models d is the
    longer of both distances. For the upper end of an SD the pseudo-case lies on the side of the
    case farthest from the mean; its lower end has none. Below ten cases the quantile is that of
    ten, and the end lies z(n)/z(10) times as far from the estimate.

    Without bounds on both sides the ends above 95 % (of one-sided bounds 97.5 %) are those at 95 %,
    times the ratio of Student's quantiles. Where there is a bound on one side alone, as of
    distances, the other end of a mean of fewer than ten cases is open; the one towards the bound
    is that of `dirichlet` if these cases are all equal.

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
    bounds : Bounds
        Of the metric.
    open_end : {"lower", "upper", ""}
        The end that so few cases leave open.
    units : int
        Cases, or clusters.
    level : Level

    Returns
    -------
    Interval
        In the statistic's unit, cut to its range; holds the estimate. NaN below three cases, where
        all values are equal, or where the end that is asked for is open.

    References
    ----------
    Rubin (1981) for the weights; Hesterberg (2015) for z. Pseudo-cases so placed are this
    project's own (decisions 0072 and 0090).
    """
    from scipy import special

    if degrees_of_freedom < 1 or level.alternative == open_end:
        return no_interval(estimate)
    nearer = level.tail if bounds.finite else max(level.tail, FARTHEST_TAIL)
    tail, factor = expanded_tail(nearer, degrees_of_freedom)
    if nearer != level.tail:
        asked, known = special.stdtrit(degrees_of_freedom, [level.tail, nearer])
        factor *= float(asked / known)
    lower, upper = weighted
    below = np.maximum(estimate - lower.quantile(tail), 0.0)
    above = np.maximum(upper.quantile(1 - tail) - estimate, 0.0)
    equal = ~(below + above > tolerance)
    if not open_end:
        below, above = (np.where(equal, np.nan, factor * reach) for reach in (below, above))
        return Interval.of(estimate - below, estimate + above, robust_error)
    # No distance tells how far the closed end is; as of `dirichlet` it is that of the bound.
    share = special.betaincinv(OF_UNBOUNDED_MEAN[0], units, 1 - level.tail)
    low = np.where(equal, estimate - share * (estimate - bounds.low), estimate - factor * below)
    high = np.where(equal, estimate + share * (bounds.high - estimate), estimate + factor * above)
    return Interval.of(low, high, robust_error)


@interval_method(
    no_interval=_equal_reason,
    instead=dirichlet,
    title="Dirichlet-Pareto or t, the farther end",
    accepts=frozenset({Estimand.MEAN}),
    needs=(Need.WEIGHTED, *BEYOND_NEEDS),
    attains=level_of_closed_end,
    pseudo_cases=pseudo_cases_beyond,
    stated=_stated_or_t,
    use_when="a mean of strata of few cases: each end as far out as the farther of "
    "dirichlet_pareto and t, since either is too short where the other is not",
    assumes="As dirichlet_pareto and t, each where the other falls short.",
    min_n=3,
    clips=True,
    promises=PROMISES,
    cite="rubin1981",
)
def dirichlet_pareto_or_t(
    weighted: tuple[Quantiles, Quantiles],
    estimate: Array,
    robust_error: Array,
    degrees_of_freedom: float,
    tolerance: Array,
    bounds: Bounds,
    open_end: str,
    units: int,
    level: Level,
) -> Interval:
    """The end farther from the mean, of `dirichlet_pareto` and Student's t, on either side.

    Strata of few cases show little of a tail, and their spread hardly: `t` misses failures among
    them, and `dirichlet_pareto` does not know how little two cases say of a spread.

    Parameters
    ----------
    weighted, estimate, robust_error, degrees_of_freedom, tolerance, bounds, open_end, units, level
        As for `dirichlet_pareto`.

    Returns
    -------
    Interval
        In the metric's unit, cut to its range; holds the estimate. NaN where `dirichlet_pareto` is.

    References
    ----------
    Student (1908); as of `dirichlet_pareto`.
    """
    placed = dirichlet_pareto(
        weighted,
        estimate,
        robust_error,
        degrees_of_freedom,
        tolerance,
        bounds,
        open_end,
        units,
        level,
    )
    symmetric = t(estimate, robust_error, degrees_of_freedom, level)
    return _farther(placed, symmetric, robust_error)


@interval_method(
    no_interval=undefined_reason,
    title="Dirichlet or Dirichlet-Pareto, the farther end",
    accepts=frozenset({Estimand.MEAN, Estimand.SPREAD}),
    needs=(Need.WEIGHTED, Need.WEIGHTED_BEYOND, *BEYOND_NEEDS),
    pseudo_cases=_half,
    stated=_stated_either,
    use_when="what auto takes if cases can fail as none of these did: as far out as dirichlet, and "
    "never shorter than dirichlet_pareto",
    assumes="As dirichlet.",
    min_n=1,
    clips=True,
    promises=PROMISES,
    cite="rubin1981",
)
def dirichlet_or_pareto(
    weighted: tuple[Quantiles, Quantiles],
    weighted_beyond: tuple[Quantiles, Quantiles],
    estimate: Array,
    robust_error: Array,
    degrees_of_freedom: float,
    tolerance: Array,
    bounds: Bounds,
    open_end: str,
    units: int,
    level: Level,
) -> Interval:
    """The end farther from the estimate, of `dirichlet` and `dirichlet_pareto`, on either side.

    Pseudo-cases at the bounds mostly reach farther. Of values that lie at the bounds themselves
    they do not: few cases spread over the whole range say less than a plain quantile allows for.

    Parameters
    ----------
    weighted, weighted_beyond : pair of Distribution
        Of the statistic with pseudo-cases at the bounds, and with those of `dirichlet_pareto`.
    estimate, robust_error, degrees_of_freedom, tolerance, bounds, open_end, units, level
        As for `dirichlet_pareto`.

    Returns
    -------
    Interval
        In the statistic's unit, cut to its range; holds the estimate.

    References
    ----------
    As of both.
    """
    placed = dirichlet_pareto(
        weighted_beyond,
        estimate,
        robust_error,
        degrees_of_freedom,
        tolerance,
        bounds,
        open_end,
        units,
        level,
    )
    return _farther(dirichlet(weighted, estimate, level), placed, np.nan)


def _farther(one: Interval, other: Interval, standard_error: Array | float) -> Interval:
    """Each end as far out as the farther one; where the other has none, the one's."""
    low, high = np.fmin(one.low, other.low), np.fmax(one.high, other.high)
    known = np.where(np.isnan(one.low), np.nan, 0.0)
    return Interval.of(low + known, high + known, standard_error)


# The catalogue lists these, in this order.
DECLARED = (
    dirichlet_pareto,
    dirichlet,
    gaffke,
    dirichlet_pareto_or_t,
    dirichlet_or_pareto,
)
