"""A quantile: by ranks alone, or for values of a normal shape."""

from __future__ import annotations

import math
from typing import Any

from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Metric
from halfwidth.core.types import UNIT_INTERVAL, Level
from halfwidth.estimation.resolve import resolve_metric, resolve_statistic
from halfwidth.intervals.quantile import exact as exact_method
from halfwidth.intervals.ranks import exact_ranks, minimum_n
from halfwidth.planning.checks import (
    check_goal,
    check_level_of_quantile,
    check_n,
    check_sd,
    wanted_width,
)
from halfwidth.planning.reliability import quantity_text, reliability_requirement
from halfwidth.planning.width_formulas import WidthFormula, plan_at, plan_for_width
from halfwidth.results.sample_size import Requirement, SampleSize

FORMULAS = {
    exact_method.__name__: "(l - k)/(n + 1) of the exact interval from rank k to l",
    "normal": "2 z √(q(1 - q)/n) / f(Q) of a normal distribution",
}
SHARES = "Widths are shares of the population: what lies between the ends, on average."
# The limit for the memory of ranks.
MOST_RANKED = 10**6
# An exact interval exceeds its normal approximation by fewer ranks than this.
LONGER = 8
# Up to this many times the fewest cases, ranks may reach the ends of the sample.
NEAR_THE_ENDS = 4


def quantile(
    quantile: float,
    *,
    n: int | None = None,
    halfwidth: float | None = None,
    sd: float | None = None,
    metric: Any = None,
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for an interval of a quantile as narrow as wanted, or its width at n cases.

    Without an SD the width is one of probabilities, and nothing is assumed: the exact interval
    from rank k to rank l holds on average (l - k)/(n + 1) of the population, and n is the
    smallest from which on that is no more than wanted. With an SD the width is in the metric's
    unit, 2 z √(q(1 - q)/n)/f with the density f of a normal distribution at its quantile.

    Parameters
    ----------
    quantile : float
        Level q of the quantile, strictly between 0 and 1.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float, optional
        The half-width wanted, the number after the ±.
    sd : float, optional
        SD of the cases, taken to be normal; without it the width is a share of the population,
        and nothing is assumed. Tails that are longer need more cases.
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
        No fewer than give an exact interval at all.

    Raises
    ------
    OptionError

    References
    ----------
    Zieliński & Zieliński (2005) for the ranks; Lehmann & Paromau (2025).

    Examples
    --------
    >>> quantile(0.5, halfwidth=0.1).n
    108
    >>> quantile(0.9, halfwidth=0.02, sd=0.1).n
    281
    >>> round(quantile(0.5, n=10).width, 3)
    0.636
    """
    check_goal(n, halfwidth)
    level = Level(confidence_level)
    width_formula, bound = _width_formula(quantile, sd, metric, bounds, level)
    if n is not None:
        purpose = (
            f"an exact interval of the {float(quantile):g} quantile at {level.confidence_level:g}"
        )
        checked = check_n(n, width_formula.least, purpose)
        if sd is None and checked > MOST_RANKED:
            raise OptionError(
                f"n={n} is more than the {MOST_RANKED} cases that are ranked; give an sd"
            )
        return plan_at(width_formula, checked)
    if sd is None:
        wanted = wanted_width(halfwidth, UNIT_INTERVAL, "a share of the population")
    else:
        wanted = wanted_width(halfwidth, bound.spec.bounds, bound.spec.called)
    return plan_for_width(width_formula, wanted)


def rank_span(n: int, q: float, level: Level) -> float:
    """The expected share of the population within the exact interval, (l - k)/(n + 1).

    The l - k gaps between neighbouring ranks hold 1/(n + 1) each. NaN where there is none.

    >>> round(rank_span(10, 0.5, Level(0.95)), 4)
    0.6364
    """
    ranks = exact_ranks(n, q, level)
    return math.nan if ranks is None else (ranks[1] - ranks[0]) / (n + 1)


def _n_for_span(q: float, wanted: float, level: Level) -> int:
    """One more than the last n whose span is too wide.

    Spans fluctuate as ranks are whole, so the search descends from where all are short.
    Ranks that span s hold a quantile the less often the larger n is, as one more case only
    spreads the binomial. Of the n that allow the same span it is thus enough to look at the
    largest, and for the symmetric ranks of the median at the largest of each parity. Where ranks
    run against the ends of the sample this does not hold, and every n is looked at.
    """
    from scipy import special

    least = minimum_n(q, level)
    spread = -2 * float(special.ndtri(level.tail)) * math.sqrt(q * (1 - q))
    # spread √n + LONGER ≤ wanted n, a quadratic in √n.
    root = (spread + math.sqrt(spread**2 + 4 * wanted * LONGER)) / (2 * wanted)
    n = max(least, math.ceil(root**2))
    if n > MOST_RANKED:
        raise OptionError(
            f"the width takes about {n:.2g} cases, more than the {MOST_RANKED} that are ranked; "
            "ask for a wider interval or a quantile nearer to the middle"
        )
    while n > least:
        allowed = _allowed(n - 1, wanted)
        for last in (n - 1, n - 2):
            same = last >= least and _allowed(last, wanted) == allowed
            if same and rank_span(last, q, level) > wanted:
                return last + 1
        first = math.ceil(allowed / wanted) - 1
        n = n - 1 if n <= NEAR_THE_ENDS * least else max(least, min(n - 1, first + 1))
    return n


def _allowed(n: int, wanted: float) -> int:
    """The longest l - k with (l - k)/(n + 1) ≤ wanted."""
    return math.floor(wanted * (n + 1))


def _normal_width(q: float, sd: float, n: int, level: Level) -> float:
    from scipy import special

    z = -float(special.ndtri(level.tail))
    density = math.exp(-0.5 * float(special.ndtri(q)) ** 2) / (sd * math.sqrt(2 * math.pi))
    return 2 * z * math.sqrt(q * (1 - q) / n) / density


def _width_formula(
    q: float, sd: float | None, metric: Any, bounds: Any, level: Level
) -> tuple[WidthFormula, Metric]:
    share, bound = check_level_of_quantile("quantile", q), resolve_metric(metric, bounds)
    statistic = resolve_statistic("median" if share == 0.5 else f"quantile:{share!r}")
    spec = bound.spec
    s = None if sd is None else check_sd("sd", sd, spec.bounds, spec.called)
    least = minimum_n(share, level)
    needs = (
        Requirement("an exact interval", least, "qⁿ + (1 - q)ⁿ ≤ α"),
        reliability_requirement(bound, statistic),
    )
    named = exact_method.__name__ if s is None else "normal"

    def width(n: int) -> float:
        return rank_span(n, share, level) if s is None else _normal_width(share, s, n, level)

    return WidthFormula(
        quantity=quantity_text(statistic, bound),
        formula=named,
        formula_text=FORMULAS[named],
        level=level,
        assumed={"quantile": share} if s is None else {"quantile": share, "sd": s},
        width_at=width,
        least=least,
        needs=needs,
        search=(lambda wanted: _n_for_span(share, wanted, level)) if s is None else None,
        unit="" if s is None else bound.unit,
        notes=(SHARES,) if s is None else (),
    ), bound
