"""The difference of two means, paired or of two groups: width of its interval, and power."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.core.checks import as_flag, as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import percent
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array, Bounds, Level
from halfwidth.estimation.check import as_numbers
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.mean import t as student_t
from halfwidth.intervals.mean import z as normal_z
from halfwidth.metrics.names import resolve_metric
from halfwidth.planning.assumed_cases import AssumedCases, PilotCases
from halfwidth.planning.checks import (
    check_goal,
    check_n,
    check_not_inferior,
    check_positive,
    check_power,
    check_sd,
    power_text,
    wanted_width,
)
from halfwidth.planning.expected_intervals import FIRST, ExpectedIntervals
from halfwidth.planning.means import (
    FORMULAS,
    assumed_cases,
    plan_for_mean_width,
    refuse_shape,
)
from halfwidth.planning.planned_methods import (
    CLOSED,
    LEAST,
    expected_intervals,
    mean_functional,
    notes_on_method,
    planned_method,
    simulated_formula,
)
from halfwidth.planning.reliability import quantity_text, reliability_requirement
from halfwidth.planning.simulated_studies import SMALL_PILOT
from halfwidth.planning.width_formulas import MOST_CASES, WidthFormula, plan_at, smallest_n
from halfwidth.results.sample_size import Requirement, SampleSize

GROUP_FORMULAS = {
    student_t.__name__: "2 t s √(2/n), t of 2n - 2 degrees of freedom",
    normal_z.__name__: "2 z s √(2/n)",
}


def difference(
    sd: float | None = None,
    *,
    sd_a: float | None = None,
    sd_b: float | None = None,
    n: int | None = None,
    halfwidth: float | None = None,
    width: float | None = None,
    correlation: float | None = None,
    unpaired: bool = False,
    pilot: Any = None,
    difference: float | None = None,
    margin: float | None = None,
    power: float | None = None,
    method: Any = "auto",
    mean: float | None = None,
    assurance: float | None = None,
    metric: Any = None,
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for a half-width of a mean difference, or for a power; or what n cases give.

    Of two models on the same cases, whose differences are normal, that of `mean` with the SD of
    the differences, given by itself or as √(s_a² + s_b² - 2 r s_a s_b); of two groups of n
    independent cases each likewise. With a power, the smallest n at which the interval that a
    comparison gets by default excludes 0 that often at a true ``difference``, or lies above
    ``-margin``. Of ``"t"`` and ``"z"`` the width is 2 q s/√n, of two groups 2 q s √(2/n) with
    s² = (s_a² + s_b²)/2, and the power that of the t test (`power_of_difference`).

    Parameters
    ----------
    sd : float, optional
        SD of the differences within cases; of two groups, of the cases of each.
    sd_a : float, optional
        Instead of it: the SD of one model.
    sd_b : float, optional
        Instead of it: the SD of the other model.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float, optional
        The half-width wanted, the number after the ±.
    width : float, optional
        Instead of it the width wanted, high - low.
    correlation : float, optional
        How the values of the two models correlate over cases, from -1 to 1. Two groups of other
        cases have none.
    unpaired : bool, default False
        Two models on cases of their own, n each, instead of the same cases twice.
    pilot : array-like, shape (n,), optional
        Instead of an SD: differences within the cases of a pilot, new model minus old. Studies
        have cases like these, whatever their shape, moved to the true difference.
    difference : float, optional
        The true difference, whose power is told: how often the interval excludes 0, or with
        ``margin`` lies above minus that (then new model minus old, 0 by default).
    margin : float, optional
        The largest loss that does not matter: plans for non-inferiority, the lower end of the
        interval above minus this.
    power : float, optional
        The power wanted, to find the difference or to show non-inferiority, instead of a width
        or beside it: 0.8, for example.
    method : str, default "auto"
        The method planned for: what the default analysis takes, or one that is named, of
        ``halfwidth.METHODS``; ``"t"`` and ``"z"`` have formulas. ``"z"`` is El Jurdi's table;
        too small below about 100 cases.
    mean : float, optional
        The mean of the cases (of two groups, of the second), which says how far the bounds of
        the metric are; default: the middle between them, where intervals are widest. Without a
        finite range nothing is cut.
    assurance : float, optional
        The probability with which a study is to reach the width, from 0.5 up to below 1: 0.8,
        for example.
    metric : str, MetricSpec or metric function, optional
        What the values are: their range, their unit, and from how many cases their mean is
        reliable.
    bounds : (low, high), optional
        Range of the values; replaces that of the metric, or declares one of your own.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    SampleSize

    Raises
    ------
    OptionError
        Also if the differences would not vary at all.

    References
    ----------
    Cohen (1988), chapter 2, for the power of t tests.

    Examples
    --------
    >>> plan = difference(0.05, difference=0.02, power=0.8, metric="dsc")
    >>> plan.n, plan.formula, plan.rule
    (62, 'dirichlet_pareto', 'auto@2')
    >>> plan = difference(0.05, difference=0.02, power=0.8, metric="dsc", method="t")
    >>> plan.n, round(plan.power, 3), round(plan.halfwidth, 4)
    (52, 0.808, 0.0139)
    >>> difference(0.05, margin=0.02, power=0.8, metric="dsc").n
    62
    >>> difference(sd_a=0.1, sd_b=0.1, correlation=0.875, halfwidth=0.01).n
    99
    >>> differences = [0.01, 0.03, -0.02, 0.0, 0.05, 0.02, -0.01, 0.04, 0.0, 0.02, 0.2, 0.01]
    >>> difference(
    ...     pilot=differences, difference=0.02, power=0.8, metric="dsc", method="t"
    ... ).n
    67
    >>> plan = difference(0.1, n=30, unpaired=True, difference=0.05, method="t")
    >>> round(plan.power, 3)
    0.478
    """
    halfwidth = check_goal(n, halfwidth, width, power=power, assurance=assurance)
    asked = _checked(
        not as_flag("unpaired", unpaired),
        (_sds(sd, sd_a, sd_b), correlation),
        pilot,
        (difference, margin),
        (method, mean),
        (metric, bounds),
        confidence_level,
    )
    formula = asked.formula
    if n is not None:
        cases = check_n(n, formula.least, "the interval of a mean difference")
        return _with_power(plan_at(formula, cases), asked)
    if power is not None:
        if asked.difference is None:
            raise OptionError("power needs a difference or a margin; give one")
        power = check_power(power, formula.level, asked.margin)
        formula = replace(formula, needs=(_power_requirement(asked, power), *formula.needs))
    if halfwidth is None:
        if assurance is not None:
            raise OptionError("assurance needs a half-width; give one, or leave assurance out")
        most = max(need.n for need in formula.needs)
        return _with_power(replace(plan_at(formula, most), aim=power), asked)
    wanted = wanted_width(halfwidth, asked.range, "a difference")
    plan = plan_for_mean_width(formula, wanted, asked.expected, assurance, asked.design.degrees)
    return _with_power(replace(plan, aim=power), asked)


def power_of_difference(
    difference: float,
    sd: float,
    n: int,
    level: Level,
    *,
    paired: bool = True,
    two_sided: bool = True,
) -> float:
    """The power of the t test for a true mean difference D, for normal values.

    P(abs(T) > t), or one-sided P(T > t) with D the margin plus the difference; T noncentral t. Of
    n pairs: ν = n - 1 degrees of freedom, noncentrality D √n / s, s the SD of the differences. Of
    two groups of n: ν = 2n - 2, D √(n/2) / s, s the SD within each. The critical t is the 1 - α/2
    quantile of Student's t with ν, α = 1 - level.

    >>> round(power_of_difference(0.5, 1.0, 34, Level(0.95)), 4)
    0.8078
    >>> round(power_of_difference(0.5, 1.0, 64, Level(0.95), paired=False), 4)
    0.8015
    """
    from scipy import special

    design = _Design(paired)
    degrees, shift = design.degrees(n), abs(difference) / design.standard_error(sd, n)
    critical = -special.stdtrit(degrees, level.tail)
    below = special.nctdtr(degrees, shift, critical)
    if math.isnan(below):
        # Only shifts of 37 and more give NaN: there T is near its shift over the estimated SD.
        below = special.chdtrc(degrees, degrees * (shift / critical) ** 2)
    if not two_sided:
        return float(1 - below)
    other = special.nctdtr(degrees, shift, -critical)
    # NaN where it is negligible: below the tail without a shift by orders of magnitude.
    return float(1 - below + (0.0 if math.isnan(other) else other))


# --------------------------------------------------------------------------- designs


@frozen
class _Design:
    """Pairs, or two groups of n independent cases each."""

    paired: bool

    def degrees(self, n: int) -> int:
        """Degrees of freedom of the t test."""
        return n - 1 if self.paired else 2 * n - 2

    def standard_error(self, sd: float, n: int) -> float:
        """Standard error of the mean difference."""
        return sd * math.sqrt((1 if self.paired else 2) / n)


@frozen(eq=False)
class _PlannedDifference:
    """A plan of a difference, its options checked."""

    design: _Design
    formula: WidthFormula
    # None where there is a formula.
    expected: ExpectedIntervals | None
    # Of differences.
    range: Bounds
    # Both None where no power is asked for.
    difference: float | None
    margin: float | None

    def power(self, n: int) -> float:
        """How often a study of n cases settles the question."""
        if self.difference is None:
            raise TypeError("there is no power without a difference")
        if self.expected is not None:
            return self.expected.power(n, self.difference, self.margin)
        sd, level = self.formula.assumed["sd"], self.formula.level
        shift, paired = self.difference + (self.margin or 0.0), self.design.paired
        return power_of_difference(
            shift, sd, n, level, paired=paired, two_sided=self.margin is None
        )


def _checked(
    paired: bool,
    spread: tuple[Any, float | None],
    pilot: Any,
    question: tuple[float | None, float | None],
    way: tuple[Any, float | None],
    of: tuple[Any, Any],
    confidence_level: float,
) -> _PlannedDifference:
    """The width of the interval at n, and the range of differences."""
    from scipy import special

    design, bound, level = _Design(paired), resolve_metric(*of), Level(confidence_level)
    reach = bound.spec.bounds.width
    range_ = Bounds(-reach, reach)
    values = None if pilot is None else _pilot_differences(pilot, spread, range_, paired=paired)
    if values is not None:
        s = float(values.std(ddof=1))
    else:
        s = _sd_of_pairs(*spread, bound, range_) if paired else _sd_of_groups(*spread, bound)
    difference, margin = _question(*question, range_)
    functional = mean_functional(bound, paired=paired)
    method, mean = way
    planned, rule = planned_method(method, functional, level, groups=not paired)

    def width_at(n: int) -> float:
        normal, degrees = planned.name == normal_z.__name__, design.degrees(n)
        q = -special.ndtri(level.tail) if normal else -special.stdtrit(degrees, level.tail)
        return float(2 * q * design.standard_error(s, n))

    statistic = resolve_statistic("mean")
    quantity = f"difference in {quantity_text(statistic, bound)}" + " of two groups" * (not paired)
    notes = notes_on_method(planned, rule, functional, level, groups=not paired)
    if values is not None:
        notes = (*_notes_on_pilot(values, planned.name in CLOSED), *notes)
    if not paired:
        notes = ("n is the number of cases of each of the two groups.", *notes)
    formula = WidthFormula(
        quantity=quantity,
        formula=planned.name,
        formula_text=(FORMULAS if paired else GROUP_FORMULAS).get(planned.name, ""),
        level=level,
        assumed={"sd": s},
        width_at=width_at,
        least=LEAST,
        needs=(reliability_requirement(bound, statistic, quantity),),
        unit=bound.unit,
        notes=notes,
        rule=rule,
    )
    if planned.name in CLOSED:
        refuse_shape(planned.name, mean=mean, bounds=of[1])
        return _PlannedDifference(design, formula, None, range_, difference, margin)
    if paired:
        if mean is not None:
            raise OptionError(
                f"{spelled('mean', mean)} has no effect on differences within cases, whose mean is "
                "the difference; leave it out"
            )
        true = difference or 0.0
        cases: tuple[AssumedCases | PilotCases, ...] = (
            AssumedCases.normal(true, s, range_)
            if values is None
            else PilotCases.with_mean(values, true, range_),
        )
        assumed = {"sd": s}
    else:
        cases, assumed, more = _groups(bound, s, mean, difference or 0.0)
        formula = replace(formula, notes=(*formula.notes, *more))
    expected = expected_intervals(cases, planned, bound.spec.bounds, level, paired=paired)
    formula = simulated_formula(formula, expected, assumed, cases[0].text)
    return _PlannedDifference(design, formula, expected, range_, difference, margin)


def _groups(
    metric: Metric, sd: float, mean: float | None, difference: float
) -> tuple[tuple[AssumedCases, ...], dict[str, float], tuple[str, ...]]:
    """Either group of cases, whose means differ; without a mean they lie about the middle."""
    second, assumed, notes = assumed_cases(metric, sd, mean, None)
    moved = second.mean + difference
    if mean is None:
        second, moved = second.moved(-difference / 2), moved - difference / 2
    if not second.bounds.low < moved < second.bounds.high:
        raise OptionError(
            f"{spelled('difference', difference)} from {spelled('mean', second.mean)} gives a mean "
            f"outside {second.bounds}"
        )
    return (second.moved(moved - second.mean), second), assumed, notes


def _pilot_differences(
    pilot: Any, spread: tuple[Any, float | None], range_: Bounds, *, paired: bool
) -> Array:
    """The differences of a pilot, checked."""
    if spread != (None, None):
        raise OptionError("a pilot says how differences vary: leave out sd and correlation")
    if not paired:
        raise OptionError(
            "a pilot of differences needs the same cases for both models, not two groups"
        )
    values = as_numbers(pilot, "pilot")
    if not np.isfinite(values).all():
        raise OptionError("differences of the pilot are missing or infinite; leave these cases out")
    if len(values) < FIRST or np.ptp(values) <= 0:
        raise OptionError(
            f"the pilot has {len(values)} difference(s) and no spread: a plan takes "
            f"{FIRST} or more that are not all equal"
        )
    if values.min() < range_.low or values.max() > range_.high:
        raise OptionError(f"differences of the pilot lie outside {range_}; per cent? divide by 100")
    return values


def _notes_on_pilot(values: Array, closed: bool) -> tuple[str, ...]:
    notes = [f"Mean difference in the pilot: {values.mean():.3g}."]
    if len(values) < SMALL_PILOT:
        notes.append(f"A pilot of {len(values)} cases says little about spread and failures.")
    if closed:
        notes.append("The formula knows the SD of the pilot alone, not its shape.")
    return tuple(notes)


def _sd_of_pairs(sd: Any, correlation: float | None, metric: Metric, differences: Bounds) -> float:
    """The SD of differences within cases."""
    both = _both_sds(sd, metric)
    if both is None and correlation is not None:
        raise OptionError(
            f"{spelled('correlation', correlation)} goes with the SDs of both models; "
            "one sd is that of the differences, which holds it already"
        )
    if both is None and sd is not None:
        return check_sd("sd", sd, differences, "a difference")
    if both is None or correlation is None:
        raise OptionError(
            "give sd, the SD of the differences, or the SDs of both models and their correlation"
        )
    (a, b), r = both, as_number("correlation", correlation, "a number from -1 to 1")
    if not -1 <= r <= 1:
        raise OptionError(f"{spelled('correlation', r)} is not a number from -1 to 1")
    variance = (a - b) ** 2 + 2 * (1 - r) * a * b
    if variance <= 0:
        raise OptionError(
            f"{spelled('sd_a', a)}, {spelled('sd_b', b)} and {spelled('correlation', r)} make "
            "differences that do not vary"
        )
    return check_positive("sd", math.sqrt(variance))


def _sd_of_groups(sd: Any, correlation: float | None, metric: Metric) -> float:
    """The SD within two groups of the same size."""
    if correlation is not None:
        raise OptionError("two groups of different cases have no correlation; leave it out")
    if sd is None:
        raise OptionError("give sd, the SD of the cases of each group, or both of them")
    both = _both_sds(sd, metric)
    if both is None:
        return check_sd("sd", sd, metric.spec.bounds, metric.spec.called)
    return math.sqrt((both[0] ** 2 + both[1] ** 2) / 2)


def _both_sds(sd: Any, metric: Metric) -> tuple[float, float] | None:
    """The SDs of the cases of two models; None of a single one."""
    if not isinstance(sd, tuple):
        return None
    bounds, called = metric.spec.bounds, metric.spec.called
    return check_sd("sd_a", sd[0], bounds, called), check_sd("sd_b", sd[1], bounds, called)


def _sds(sd: Any, sd_a: Any, sd_b: Any) -> Any:
    """The SD of differences (of either group), or those of both models."""
    if (sd_a is None) != (sd_b is None) or None not in (sd, sd_a):
        raise OptionError(
            f"give one {spelled('sd')}, or {spelled('sd_a')} and {spelled('sd_b')} instead of it"
        )
    if sd_a is not None:
        return sd_a, sd_b
    return None if sd is None else as_number("sd", sd)


# --------------------------------------------------------------------------- power


def _question(
    difference: float | None, margin: float | None, range_: Bounds
) -> tuple[float | None, float | None]:
    """The true difference and the margin; the sign of a difference to be found does not matter."""
    if margin is None:
        if difference is None:
            return None, None
        size = check_positive("difference", abs(as_number("difference", difference)))
        if size >= range_.high:
            raise OptionError(f"{spelled('difference', float(difference))} is not within {range_}")
        return size, None
    loss, true = check_positive("margin", margin), as_number("difference", difference or 0.0)
    if loss >= range_.high:
        raise OptionError(
            f"{spelled('margin', loss)} is no restriction: differences lie within {range_}"
        )
    check_not_inferior(true, loss)
    if true >= range_.high:
        raise OptionError(f"{spelled('difference', true)} is not within {range_}")
    return true, loss


def _power_requirement(asked: _PlannedDifference, power: float) -> Requirement:
    """The fewest cases at which a study settles the question often enough."""
    formula, margin = asked.formula, asked.margin
    goal = power_text(power, asked.difference, margin)
    n = smallest_n(lambda n: asked.power(n) >= power, formula.least, goal, _start(asked, power))
    if asked.expected is not None:
        return Requirement(goal, n, f"{formula.formula}, simulated")
    if margin is None:
        kind = "paired" if asked.design.paired else "two-sample"
        error = percent(1 - formula.level.confidence_level)
        return Requirement(goal, n, f"{kind} t test, two-sided, at {error}")
    return Requirement(goal, n, f"lower end of {formula.formula} above {-margin:g}")


def _start(asked: _PlannedDifference, power: float) -> int | None:
    """About how many cases it takes by a normal approximation, where each n is simulated."""
    from scipy import special

    if asked.expected is None:
        return None
    shift = (asked.difference or 0.0) + (asked.margin or 0.0)
    quantiles = max(special.ndtri(power) - special.ndtri(asked.formula.level.tail), 0.5)
    root = quantiles * asked.expected.standard_error(1) / shift
    return max(asked.formula.least, math.ceil(min(root, math.sqrt(MOST_CASES)) ** 2))


def _with_power(plan: SampleSize, asked: _PlannedDifference) -> SampleSize:
    """A plan with the power of a study of its size."""
    if asked.difference is None:
        return plan
    assumed = {**plan.assumed, "difference": asked.difference}
    if asked.margin is not None:
        assumed["margin"] = asked.margin
    return replace(plan, power=asked.power(plan.n), assumed=assumed)
