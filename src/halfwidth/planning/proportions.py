"""A proportion: accuracy, sensitivity, specificity, a rate of failures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.metric_spec import PROPORTION
from halfwidth.core.references import cite
from halfwidth.core.spec import Metric, MetricSpec
from halfwidth.core.types import UNIT_INTERVAL, Array, Level
from halfwidth.intervals.proportion import wald, wilson
from halfwidth.planning.checks import (
    check_assurance,
    check_choice,
    check_goal,
    check_n,
    check_share,
    wanted_width,
)
from halfwidth.planning.width_formulas import ROUNDING, WidthFormula, plan_at, plan_for_width
from halfwidth.results.sample_size import Requirement, SampleSize

FORMULA_TEXTS = {wilson.__name__: "Wilson at x = p n", wald.__name__: "2 z √(p(1 - p)/n)"}


def proportion(
    expected: float,
    *,
    n: int | None = None,
    halfwidth: float | None = None,
    width: float | None = None,
    method: str = wilson.__name__,
    assurance: float | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for an interval of a proportion as narrow as wanted, or its width at n.

    The smallest n with w(n) = 2 z √(n p(1 - p) + z²/4) / (n + z²) ≤ width, the width of Wilson's
    interval at x = p n successes, which need not be whole. It falls with n at every p, so that
    all larger n do too. With an assurance, the smallest n at which such a share of the binomial
    numbers of successes have an interval as narrow.

    Parameters
    ----------
    expected : float
        The proportion p expected, from 0 to 1; 0.5 is the worst case.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float, optional
        The half-width wanted, the number after the ±.
    width : float, optional
        Instead of it the width wanted, high - low.
    method : {"wilson", "wald"}, default "wilson"
        The method planned for. Published tables mostly have Wald's, p ± z SE, which is too
        narrow near 0 and 1.
    assurance : float, optional
        The probability with which a study is to reach the width, from 0.5 up to below 1: 0.8,
        for example.
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
    halfwidth = check_goal(n, halfwidth, width, assurance=assurance)
    named = check_choice("method", method, list(FORMULA_TEXTS))
    formula = proportion_formula(expected, Level(confidence_level), method=named)
    if n is not None:
        return plan_at(formula, check_n(n, formula.least, "the plan of a proportion"))
    wanted, p = wanted_width(halfwidth, UNIT_INTERVAL, "a proportion"), float(expected)
    if assurance is None:
        return plan_for_width(formula, wanted)
    share = check_assurance(assurance)

    def reached(m: int) -> bool:
        reaching = share_as_narrow(np.array(m), p, wanted, formula.level, named)
        return float(reaching) >= share

    start = plan_for_width(formula, wanted).n
    return plan_for_width(formula, wanted, reached=reached, assurance=share, start=start)


def share_as_narrow(
    n: NDArray[np.intp], p: float, wanted: float, level: Level, method: str
) -> Array:
    """How often the interval of a binomial number of successes is no wider than wanted.

    The widths of Wilson's 2 z √(x (n - x)/n + z²/4)/(n + z²), and of Wald's 2 z √(x (n - x)/n³),
    fall as x moves away from n/2. An interval of no width says nothing.

    >>> round(float(share_as_narrow(np.array(100), 0.9, 0.12, Level(0.95), "wilson")), 4)
    0.5832
    """
    from scipy import special

    z, m, trials = -float(special.ndtri(level.tail)), np.maximum(n, 1.0), np.maximum(n, 1)
    if method == wald.__name__:
        most = m**3 * (wanted / (2 * z)) ** 2
    else:
        most = m * ((wanted * (m + z**2) / (2 * z)) ** 2 - z**2 / 4)
    apart = np.sqrt(np.maximum(m**2 / 4 - most * (1 + ROUNDING), 0.0))
    below = np.floor(m / 2 - apart)
    outside = special.bdtr(below, trials, p)
    outside += special.bdtrc(np.ceil(m / 2 + apart) - 1, trials, p)
    share = np.where(most >= m**2 / 4, 1.0, np.where(most < 0, 0.0, outside))
    none = p**m + (1 - p) ** m if method == wald.__name__ else 0.0
    return np.asarray(np.where(n > 0, share - none, 0.0))


def proportion_formula(
    expected: float,
    level: Level,
    *,
    of: MetricSpec = PROPORTION,
    name: str = "expected",
    method: str = wilson.__name__,
) -> WidthFormula:
    """Wilson's interval, or Wald's, of a proportion or of a metric that is one."""
    p = check_share(name, expected, ends=True)
    called = of.called if of is not PROPORTION else "proportion"
    need = Requirement(
        f"reliable coverage of the {called}",
        Metric(of).reliable_n,
        cite("andre2025").short,
    )

    def ends(n: int) -> tuple[float, float]:
        successes = np.float64(p * n if p < 1 else n)
        interval = (wald if method == wald.__name__ else wilson)(successes, n, level)
        return float(interval.low), float(interval.high)

    return WidthFormula(
        quantity=called,
        formula=method,
        formula_text=FORMULA_TEXTS[method],
        level=level,
        assumed={name: p},
        width_at=lambda n: ends(n)[1] - ends(n)[0],
        least=2,
        needs=(need,),
        ends_at=ends,
    )
