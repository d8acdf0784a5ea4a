"""A proportion: accuracy, sensitivity, specificity, a rate of failures."""

from __future__ import annotations

import numpy as np

from halfwidth.core.references import cite
from halfwidth.core.spec import Metric, MetricSpec
from halfwidth.core.types import UNIT_INTERVAL, Interval, Level
from halfwidth.estimation.resolve import PROPORTION
from halfwidth.intervals.proportion import wilson
from halfwidth.planning.checks import check_goal, check_n, check_share, wanted_width
from halfwidth.planning.width_formulas import WidthFormula, plan_at, plan_for_width
from halfwidth.results.sample_size import Requirement, SampleSize

FORMULA_TEXT = "Wilson at x = p n"


def proportion(
    expected: float,
    *,
    n: int | None = None,
    halfwidth: float | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for a Wilson interval of a proportion as narrow as wanted, or its width at n.

    The smallest n with w(n) = 2 z √(n p(1 - p) + z²/4) / (n + z²) ≤ width, the width of Wilson's
    interval at x = p n successes, which need not be whole. It falls with n at every p, so that
    all larger n do too.

    Parameters
    ----------
    expected : float
        The proportion p expected, from 0 to 1; 0.5 is the worst case.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float, optional
        The half-width wanted, the number after the ±.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    SampleSize
        ``low`` and ``high`` are the interval expected.

    Raises
    ------
    OptionError

    References
    ----------
    Wilson (1927).

    Examples
    --------
    >>> plan = proportion(0.9, halfwidth=0.05)
    >>> plan.n, round(plan.low, 3), round(plan.high, 3)
    (141, 0.839, 0.939)
    >>> round(proportion(0.9, n=50).width, 3)
    0.17
    """
    check_goal(n, halfwidth)
    width_formula = proportion_formula(expected, Level(confidence_level))
    if n is not None:
        return plan_at(width_formula, check_n(n, width_formula.least, "the plan of a proportion"))
    return plan_for_width(width_formula, wanted_width(halfwidth, UNIT_INTERVAL, "a proportion"))


def wilson_width(p: float, n: int, level: Level) -> float:
    """The width of Wilson's interval at p n of n successes.

    >>> round(wilson_width(0.9, 50, Level(0.95)), 4)
    0.1701
    """
    interval = _interval(p, n, level)
    return float(interval.high - interval.low)


def _interval(p: float, n: int, level: Level) -> Interval:
    return wilson(np.float64(p * n) if p < 1 else np.float64(n), n, level)


def proportion_formula(
    expected: float, level: Level, *, of: MetricSpec = PROPORTION, name: str = "expected"
) -> WidthFormula:
    """Wilson's interval of a proportion, or of a metric that is one."""
    p = check_share(name, expected, ends=True)
    called = of.called if of is not PROPORTION else "proportion"
    need = Requirement(
        f"reliable coverage of the {called}",
        Metric(of).reliable_n,
        cite("andre2025").short,
    )

    def ends(n: int) -> tuple[float, float]:
        interval = _interval(p, n, level)
        return float(interval.low), float(interval.high)

    return WidthFormula(
        quantity=called,
        formula=wilson.__name__,
        formula_text=FORMULA_TEXT,
        level=level,
        assumed={name: p},
        width_at=lambda n: wilson_width(p, n, level),
        least=2,
        needs=(need,),
        ends_at=ends,
    )
