"""The difference of two means, paired or of two groups: width of its interval, and power."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from halfwidth.core.checks import as_flag, as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import percent
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric
from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.resolve import resolve_metric, resolve_statistic
from halfwidth.intervals.mean import t as student_t
from halfwidth.intervals.mean import z as normal_z
from halfwidth.planning.checks import (
    check_choice,
    check_n,
    check_positive,
    check_sd,
    check_share,
    notes_on_auto,
    wanted_width,
)
from halfwidth.planning.means import FORMULAS, LEAST, plan_for_mean_width
from halfwidth.planning.reliability import quantity_text, reliability_requirement
from halfwidth.planning.sample_size import Requirement, SampleSize
from halfwidth.planning.width_formulas import WidthFormula, plan_at, smallest_n

GROUP_FORMULAS = {
    student_t.__name__: "2 t s √(2/n), t of 2n - 2 degrees of freedom",
    normal_z.__name__: "2 z s √(2/n)",
}


def difference_n(
    sd: float | None = None,
    *,
    sd_a: float | None = None,
    sd_b: float | None = None,
    correlation: float | None = None,
    paired: bool = True,
    width: float | None = None,
    halfwidth: float | None = None,
    difference: float | None = None,
    power: float | None = None,
    formula: str = "t",
    assurance: float | None = None,
    metric: Any = None,
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for an interval of a mean difference, for the power of its test, or for both.

    Of two models on the same cases, that of `mean_n` with the SD of the differences, given by
    itself or as √(s_a² + s_b² - 2 r s_a s_b). Of two groups of n independent cases each, the
    smallest n with 2 q s √(2/n) ≤ width, s² = (s_a² + s_b²)/2. With a power, the smallest n at
    which the test finds a true ``difference`` that often (`power_of_difference`).

    Parameters
    ----------
    sd : float, optional
        SD of the differences within cases; of two groups, the SD of the cases of each.
    sd_a, sd_b, correlation : float, optional
        Instead of it: the SD of each model, and how the two correlate over cases (-1 to 1), which
        two groups do not.
    paired : bool, default True
        Whether both models see the same cases; otherwise n is the size of each of two groups.
    width, halfwidth : float, optional
        At most one of them; none where there is a power.
    difference : float, optional
        The true mean difference that the test is to find; by itself, it adds the power at n.
    power : float, optional
        Strictly between 0 and 1; usual is 0.8 or 0.9.
    formula, assurance, metric, bounds, confidence_level
        As for `mean_n`; the test is two-sided, at 1 - the confidence level.

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
    >>> difference_n(0.05, halfwidth=0.01).n
    99
    >>> difference_n(sd_a=0.1, sd_b=0.1, correlation=0.875, halfwidth=0.01).n
    99
    >>> plan = difference_n(0.05, difference=0.02, power=0.8)
    >>> plan.n, round(plan.power, 3), round(plan.halfwidth, 4)
    (52, 0.808, 0.0139)
    """
    design = _Design(as_flag("paired", paired))
    width_formula, differences = _width_formula(
        design, (sd, sd_a, sd_b, correlation), formula, metric, bounds, confidence_level
    )
    effect = _difference(difference, differences)
    if power is not None:
        power = check_share("power", power)
        if effect is None:
            raise OptionError("power goes with a difference: the one that the test is to find")
        width_formula = replace(
            width_formula,
            needs=(_power_requirement(width_formula, design, effect, power), *width_formula.needs),
        )
    if width is None and halfwidth is None and power is not None:
        n = max(need.n for need in width_formula.needs)
        return _with_power(
            replace(plan_at(width_formula, n), aim=power), width_formula, design, effect
        )
    wanted = wanted_width(width, halfwidth, differences, "a difference")
    plan = plan_for_mean_width(width_formula, wanted, formula, assurance, design.degrees)
    return _with_power(replace(plan, aim=power), width_formula, design, effect)


def difference_width(
    n: int,
    sd: float | None = None,
    *,
    sd_a: float | None = None,
    sd_b: float | None = None,
    correlation: float | None = None,
    paired: bool = True,
    difference: float | None = None,
    formula: str = "t",
    metric: Any = None,
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The width of the interval of a mean difference at n cases, and the power of its test.

    Parameters
    ----------
    n : int
        Cases that both models have seen, or those of each of two groups; at least 2.
    sd, sd_a, sd_b, correlation, paired, difference, formula, metric, bounds, confidence_level
        As for `difference_n`.

    Returns
    -------
    SampleSize
        ``power`` is None without a difference.

    Raises
    ------
    OptionError

    Examples
    --------
    >>> round(difference_width(100, 0.05).halfwidth, 4)
    0.0099
    >>> round(difference_width(30, 0.1, paired=False, difference=0.05).power, 3)
    0.478
    """
    design = _Design(as_flag("paired", paired))
    width_formula, differences = _width_formula(
        design, (sd, sd_a, sd_b, correlation), formula, metric, bounds, confidence_level
    )
    effect = _difference(difference, differences)
    plan = plan_at(width_formula, check_n(n, LEAST, "the interval of a mean difference"))
    return _with_power(plan, width_formula, design, effect)


def power_of_difference(
    difference: float, sd: float, n: int, level: Level, *, paired: bool = True
) -> float:
    """The power of the two-sided t test for a true mean difference D, for normal values.

    P(abs(T) > t), T noncentral t. Of n pairs: ν = n - 1 degrees of freedom, noncentrality
    D √n / s, s the SD of the differences. Of two groups of n: ν = 2n - 2, D √(n/2) / s, s the SD
    within each. The critical t is the 1 - α/2 quantile of Student's t with ν, α = 1 - level.

    Examples
    --------
    >>> round(power_of_difference(0.5, 1.0, 34, Level(0.95)), 4)
    0.8078
    >>> round(power_of_difference(0.5, 1.0, 64, Level(0.95), paired=False), 4)
    0.8015
    """
    from scipy import special

    design = _Design(as_flag("paired", paired))
    degrees, shift = design.degrees(n), abs(difference) / design.standard_error(sd, n)
    critical = -special.stdtrit(degrees, level.tail)
    below = special.nctdtr(degrees, shift, critical)
    if math.isnan(below):
        # Only shifts of 37 and more give NaN: there T is near its shift over the estimated SD.
        below = special.chdtrc(degrees, degrees * (shift / critical) ** 2)
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


def _width_formula(
    design: _Design,
    sds: tuple[float | None, float | None, float | None, float | None],
    formula: str,
    metric: Any,
    bounds: Any,
    confidence_level: float,
) -> tuple[WidthFormula, Bounds]:
    """The width of the interval at n, and the range of differences."""
    from scipy import special

    bound = resolve_metric(metric, bounds)
    reach = bound.spec.bounds.width
    differences = Bounds(-reach, reach)
    s = _sd_of_pairs(*sds, bound, differences) if design.paired else _sd_of_groups(*sds, bound)
    level, named = Level(confidence_level), check_choice("formula", formula, list(FORMULAS))

    def width_at(n: int) -> float:
        normal = named == normal_z.__name__
        degrees = design.degrees(n)
        q = -special.ndtri(level.tail) if normal else -special.stdtrit(degrees, level.tail)
        return float(2 * q * design.standard_error(s, n))

    mean = resolve_statistic("mean")
    of = f"difference in {quantity_text(mean, bound)}" + ("" if design.paired else " of two groups")
    notes: tuple[str, ...] = ("n is the number of cases of each of the two groups.",)
    if design.paired:
        notes = notes_on_auto(bound, named)
    return WidthFormula(
        quantity=of,
        formula=named,
        formula_text=(FORMULAS if design.paired else GROUP_FORMULAS)[named],
        level=level,
        assumed={"sd": s},
        width_at=width_at,
        least=LEAST,
        needs=(reliability_requirement(bound, mean, of),),
        unit=bound.unit,
        notes=notes,
    ), differences


def _sd_of_pairs(
    sd: float | None,
    sd_a: float | None,
    sd_b: float | None,
    correlation: float | None,
    metric: Metric,
    differences: Bounds,
) -> float:
    """The SD of differences within cases."""
    parts = {"sd_a": sd_a, "sd_b": sd_b, "correlation": correlation}
    given = [name for name, value in parts.items() if value is not None]
    if sd is not None:
        if given:
            raise OptionError(f"sd is that of the differences; {given[0]} would say it twice")
        return check_sd("sd", sd, differences, "a difference")
    if sd_a is None or sd_b is None or correlation is None:
        raise OptionError("give sd, the SD of the differences, or all of sd_a, sd_b, correlation")
    a, b = (
        check_sd(name, value, metric.spec.bounds, metric.spec.called)
        for name, value in (("sd_a", sd_a), ("sd_b", sd_b))
    )
    r = as_number("correlation", correlation, "a number from -1 to 1")
    if not -1 <= r <= 1:
        raise OptionError(f"correlation={r!r} is not a number from -1 to 1")
    variance = (a - b) ** 2 + 2 * (1 - r) * a * b
    if variance <= 0:
        raise OptionError(
            f"sd_a={a:g}, sd_b={b:g} and correlation={r:g} leave differences that do not vary"
        )
    return check_positive("sd", math.sqrt(variance))


def _sd_of_groups(
    sd: float | None,
    sd_a: float | None,
    sd_b: float | None,
    correlation: float | None,
    metric: Metric,
) -> float:
    """The SD within two groups of the same size."""
    if correlation is not None:
        raise OptionError("two groups of different cases have no correlation; leave it out")
    if sd is not None and (sd_a is not None or sd_b is not None):
        raise OptionError("sd is that of both groups; sd_a and sd_b would say it twice")
    given = {"sd": sd} if sd is not None else {"sd_a": sd_a, "sd_b": sd_b}
    if None in given.values():
        raise OptionError("give sd, the SD of the cases of each group, or both of sd_a and sd_b")
    checked = [
        check_sd(name, value, metric.spec.bounds, metric.spec.called)
        for name, value in given.items()
    ]
    return math.sqrt(sum(one**2 for one in checked) / len(checked))


# --------------------------------------------------------------------------- power


def _difference(given: float | None, differences: Bounds) -> float | None:
    """The true difference to find; its sign does not matter to a two-sided test."""
    if given is None:
        return None
    size = check_positive("difference", abs(as_number("difference", given)))
    if size >= differences.high:
        raise OptionError(f"difference={float(given):g} is not within {differences}")
    return size


def _power_requirement(
    width_formula: WidthFormula, design: _Design, difference: float, power: float
) -> Requirement:
    """The fewest cases at which the test has the power."""
    if power <= 1 - width_formula.level.confidence_level:
        raise OptionError(f"power={power:g} is no more than the level of the test; usual: 0.8")

    def often_enough(n: int) -> bool:
        reached = power_of_difference(
            difference, width_formula.assumed["sd"], n, width_formula.level, paired=design.paired
        )
        return reached >= power

    n = smallest_n(often_enough, LEAST, f"power {power:g} for a difference of {difference:g}")
    what = f"power {power:g} for a difference of {difference:g}"
    level = percent(1 - width_formula.level.confidence_level)
    kind = "paired" if design.paired else "two-sample"
    return Requirement(what, n, f"{kind} t test, two-sided, at {level}")


def _with_power(
    plan: SampleSize, width_formula: WidthFormula, design: _Design, difference: float | None
) -> SampleSize:
    """A plan with the power of the test at its n."""
    if difference is None:
        return plan
    sd = width_formula.assumed["sd"]
    power = power_of_difference(difference, sd, plan.n, width_formula.level, paired=design.paired)
    return replace(plan, power=power, assumed={**plan.assumed, "difference": difference})
