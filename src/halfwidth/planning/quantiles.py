"""A quantile: by ranks alone, or for values of a normal shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Metric
from halfwidth.core.types import UNIT_INTERVAL, Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.quantile import asymptotic
from halfwidth.intervals.quantile import exact as exact_method
from halfwidth.intervals.ranks import exact_ranks, minimum_n, minimum_n_asymptotic
from halfwidth.metrics.names import resolve_metric
from halfwidth.planning.checks import (
    check_assurance,
    check_choice,
    check_goal,
    check_level_of_quantile,
    check_n,
    check_sd,
    wanted_width,
)
from halfwidth.planning.reliability import quantity_text, reliability_requirement
from halfwidth.planning.width_formulas import ROUNDING, WidthFormula, plan_at, plan_for_width
from halfwidth.results.sample_size import Requirement, SampleSize

OF_RANKS = "(l - k)/(n + 1) of the exact interval from rank k to l"
OF_NORMAL = "the mean distance of ranks k and l, of the exact interval, in normal samples"
SHARES = "Widths are shares of the population: what lies between the ends, on average."
# The limit for the memory of ranks.
MOST_RANKED = 10**6
# An exact interval exceeds its normal approximation by fewer ranks than this.
LONGER = 8
# Up to this many times the fewest cases, ranks may reach the ends of the sample.
NEAR_THE_ENDS = 4
# Places at which the distribution of a rank is taken; of a pair of ranks, as many by as many.
PLACES = 100
# Whole ranks make widths go up and down from one n to the next: so many in a row are to reach it.
IN_A_ROW = 4


def quantile(
    quantile: float,
    *,
    n: int | None = None,
    halfwidth: float | None = None,
    width: float | None = None,
    sd: float | None = None,
    metric: Any = None,
    bounds: Any = None,
    assurance: float | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for an interval of a quantile as narrow as wanted, or its width at n cases.

    Without an SD the width is one of probabilities, and nothing is assumed: the exact interval
    from rank k to rank l holds on average (l - k)/(n + 1) of the population, and n is the
    smallest from which on that is no more than wanted. With an SD the width is in the metric's
    unit, that of the same interval in normal samples on average. With an assurance such a share of
    samples reach it: what lies between the ranks has the distribution Beta(l - k, n - l + k + 1).

    Parameters
    ----------
    quantile : float
        Level q of the quantile, strictly between 0 and 1.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float, optional
        The half-width wanted, the number after the ±.
    width : float, optional
        Instead of it the width wanted, high - low.
    sd : float, optional
        SD of the cases, taken to be normal; without it the width is a share of the population,
        and nothing is assumed. Tails that are longer need more cases.
    metric : str, MetricSpec or metric function, optional
        What the values are: their range, their unit, and from how many cases their mean is
        reliable.
    bounds : (low, high), optional
        Range of the values; replaces that of the metric, or declares one of your own.
    assurance : float, optional
        The probability with which a study is to reach the width, from 0.5 up to below 1: 0.8,
        for example.
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
    304
    >>> round(quantile(0.5, n=10).width, 3)
    0.636
    """
    halfwidth = check_goal(n, halfwidth, width, assurance=assurance)
    level = Level(confidence_level)
    width_formula, bound = _width_formula(quantile, sd, metric, bounds, level)
    if n is not None:
        purpose = (
            f"an exact interval of the {float(quantile):g} quantile at {level.confidence_level:g}"
        )
        checked = check_n(n, width_formula.least, purpose)
        if checked > MOST_RANKED:
            raise OptionError(f"n={n} is more than the {MOST_RANKED} cases that are ranked")
        return plan_at(width_formula, checked)
    if sd is None:
        wanted = wanted_width(halfwidth, UNIT_INTERVAL, "a share of the population")
    else:
        wanted = wanted_width(halfwidth, bound.spec.bounds, bound.spec.called)
    if sd is None and assurance is None:
        return plan_for_width(width_formula, wanted)
    share = None if assurance is None else check_assurance(assurance)

    def narrow(m: int) -> bool:
        if share is None:
            return width_formula.width_at(m) <= wanted * (1 + ROUNDING)
        return _share_as_narrow(m, float(quantile), sd, wanted, level) >= share

    def reached(m: int) -> bool:
        if m > MOST_RANKED:
            raise OptionError(_too_many(m))
        return all(narrow(each) for each in range(m, m + IN_A_ROW))

    return plan_for_width(width_formula, wanted, reached=reached, assurance=share)


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
        raise OptionError(_too_many(n))
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


def _too_many(n: int) -> str:
    return (
        f"the width takes about {n:.2g} cases, more than the {MOST_RANKED} that are ranked; "
        "ask for a wider interval or a quantile nearer to the middle"
    )


def _mean_width(q: float, sd: float, n: int, level: Level) -> float:
    """The mean distance of the ranks of the exact interval in normal samples.

    The share of a population below rank k has the distribution Beta(k, n - k + 1).
    """
    from scipy import special

    ranks = exact_ranks(n, q, level)
    if ranks is None:
        return math.nan
    places = (np.arange(PLACES) + 0.5) / PLACES
    ends = (special.ndtri(special.betaincinv(k, n - k + 1, places)).mean() for k in ranks)
    low, high = ends
    return float(sd * (high - low))


def _share_as_narrow(n: int, q: float, sd: float | None, wanted: float, level: Level) -> float:
    """How often the exact interval is no wider than wanted, of shares or in normal samples."""
    from scipy import special

    ranks = exact_ranks(n, q, level)
    if ranks is None:
        return 0.0
    k, between = ranks[0], ranks[1] - ranks[0]
    if sd is None:
        return float(special.betainc(between, n - between + 1, wanted))
    places = (np.arange(PLACES) + 0.5) / PLACES
    below = special.betaincinv(k, n - k + 1, places)
    # What lies between, of what lies above.
    most = special.ndtr(special.ndtri(below) + wanted / sd) - below
    return float(special.betainc(between, n - k - between + 1, most / (1 - below)).mean())


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

    def width(n: int) -> float:
        return rank_span(n, share, level) if s is None else _mean_width(share, s, n, level)

    return WidthFormula(
        quantity=quantity_text(statistic, bound),
        formula=exact_method.__name__,
        formula_text=OF_RANKS if s is None else OF_NORMAL,
        level=level,
        assumed={"quantile": share} if s is None else {"quantile": share, "sd": s},
        width_at=width,
        least=least,
        needs=needs,
        search=(lambda wanted: _n_for_span(share, wanted, level)) if s is None else None,
        unit="" if s is None else bound.unit,
        notes=(SHARES,) if s is None else (),
        shape="" if s is None else "normal",
    ), bound


# --------------------------------------------------------------------------- runs


KINDS = (exact_method.__name__, asymptotic.__name__)


def minimum_runs(quantile: float, confidence_level: float = 0.95, method: str = "exact") -> int:
    """The fewest runs with which quantile q has a two-sided confidence interval.

    ``exact``: the smallest n with qⁿ + (1 - q)ⁿ ≤ α, below which no two order statistics hold the
    quantile often enough, whatever the distribution. ``asymptotic``: the smallest n with
    1 ≤ k < l ≤ n, k and l = n(q ∓ z √(q(1 - q)/n)).

    Parameters
    ----------
    quantile : float
        Level q of the quantile, strictly between 0 and 1: 0.5 for the median.
    confidence_level : float, default 0.95
        Strictly between 0 and 1.
    method : {"exact", "asymptotic"}

    Returns
    -------
    int
        Independent runs in which one source of variation changes; folds of one cross-validation
        are not.

    Raises
    ------
    OptionError
        If q or the level is not strictly between 0 and 1.
    UnknownNameError
        For another method.

    References
    ----------
    Lehmann & Paromau (2025), Tables 1 and 2; Zieliński & Zieliński (2005).

    Examples
    --------
    >>> minimum_runs(0.5), minimum_runs(0.9, 0.95), minimum_runs(0.9, 0.95, "asymptotic")
    (6, 29, 35)
    """
    q = check_level_of_quantile("quantile", quantile)
    level = Level(confidence_level)
    exact = check_choice("method", method, KINDS) == exact_method.__name__
    return minimum_n(q, level) if exact else minimum_n_asymptotic(q, level)
