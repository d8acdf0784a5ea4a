"""Sensitivity, specificity or both: the cases needed at a prevalence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.types import UNIT_INTERVAL, Level
from halfwidth.intervals.proportion import wilson
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.rates import sensitivity, specificity
from halfwidth.planning.checks import (
    check_assurance,
    check_goal,
    check_n,
    check_share,
    wanted_width,
)
from halfwidth.planning.proportions import FORMULA_TEXTS, proportion_formula, share_as_narrow
from halfwidth.planning.width_formulas import (
    WidthFormula,
    plan_at,
    plan_for_width,
    smallest_n,
    width_curve,
)
from halfwidth.results.sample_size import WIDTH_NEEDS, Requirement, SampleSize

NAMES = (sensitivity.__name__, specificity.__name__)
CLASSES = ("positives", "negatives")
# Fewest cases of a class for an interval of its share.
LEAST = 2
# Numbers of positives farther from their mean, in SDs, hardly occur.
SDS = 8.0
# Tolerance for rounding errors of counts.
TINY = 1e-9


def classes(
    sensitivity: float | None = None,
    specificity: float | None = None,
    *,
    prevalence: float,
    n: int | None = None,
    halfwidth: float | None = None,
    width: float | None = None,
    assurance: float | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases in all for intervals of sensitivity, specificity or both, or their widths at n.

    Each is a proportion of its class, and needs so many cases of it by Wilson's interval
    (`proportion`). The total N is the smallest with N·prevalence positives and N·(1 - prevalence)
    negatives; with an assurance, the smallest at which intervals of both are as narrow with that
    probability, where positives among N and right answers among either class are binomial. Without
    it less than half of such samples reach both widths.

    Parameters
    ----------
    sensitivity, specificity : float, optional
        Expected, from 0 to 1; at least one of the two. One that is not given is not planned for.
    prevalence : float
        Share of positive cases among those that will be collected, between 0 and 1. Of a sample
        with fixed numbers of each class, ``parts`` says what each needs.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float, optional
        The half-width wanted, the number after the ±.
    width : float, optional
        Instead of it the width wanted, high - low.
    assurance : float, optional
        The probability with which a study is to reach the width, from 0.5 up to below 1: 0.8,
        for example.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    SampleSize
        ``parts`` are the two proportions, ``counts`` the cases of each class to be expected,
        ``width`` the wider of the two.

    Raises
    ------
    OptionError

    References
    ----------
    Wilson (1927).

    Examples
    --------
    >>> plan = classes(0.9, 0.95, prevalence=0.1, halfwidth=0.05)
    >>> plan.n, dict(plan.counts), plan.decided_by
    (1410, {'positives': 141, 'negatives': 1269}, 'sensitivity')
    >>> classes(specificity=0.95, prevalence=0.1, halfwidth=0.05).n
    93
    >>> plan = classes(0.9, 0.95, n=500, prevalence=0.1)
    >>> [(part.quantity, part.n, round(part.width, 3)) for part in plan.parts]
    [('sensitivity', 50, 0.17), ('specificity', 450, 0.041)]
    """
    halfwidth = check_goal(n, halfwidth, width, assurance=assurance)
    prevalence, level = check_share("prevalence", prevalence), Level(confidence_level)
    shares = _shares(sensitivity, specificity, prevalence, level)
    if n is not None:
        each = "each class" if len(shares) > 1 else f"the {shares[0].cases}"
        purpose = f"a plan at prevalence {prevalence:g}, with two cases of {each},"
        checked = check_n(n, _least(shares, prevalence), purpose)
        return _joint_plan(shares, prevalence, checked, level, None, (), None)
    wanted = wanted_width(halfwidth, UNIT_INTERVAL, "a proportion")
    alone = [(share, plan_for_width(share.width_formula, wanted)) for share in shares]
    needs = [
        Requirement(
            share.name,
            math.ceil(plan.n / share.of_all - TINY),
            f"{plan.n} {share.cases} for {plan.decided_by}",
        )
        for share, plan in alone
    ]
    most = max(need.n for need in needs)
    assured = None if assurance is None else check_assurance(assurance)
    if assured is not None:
        p = [sensitivity, specificity]
        both = "both widths" if len(shares) > 1 else WIDTH_NEEDS
        most = smallest_n(
            lambda m: share_of_both(m, prevalence, p, wanted, level) >= assured, 2, start=most
        )
        needs.append(Requirement(both, most, f"binomial, with probability {assured:g}"))
    return _joint_plan(shares, prevalence, most, level, wanted, tuple(needs), assured)


def share_of_both(
    n: int, prevalence: float, expected: Sequence[float | None], wanted: float, level: Level
) -> float:
    """How often both intervals are as narrow, for m ~ Bin(n, prevalence) positives.

    >>> round(share_of_both(1556, 0.1, (0.9, 0.95), 0.1, Level(0.95)), 3)
    0.699
    """
    from scipy import special

    middle, reach = n * prevalence, SDS * math.sqrt(n * prevalence * (1 - prevalence)) + 1
    positives = np.arange(max(0, int(middle - reach)), min(n, int(middle + reach)) + 1)
    upto = special.bdtr(positives, n, float(prevalence))
    shares = np.diff(upto, prepend=0.0)
    for p, cases in zip(expected, (positives, n - positives), strict=True):
        if p is not None:
            own = share_as_narrow(cases, float(p), wanted, level, wilson.__name__)
            shares = shares * own
    return float(shares.sum())


def _expected(n: int, prevalence: float) -> dict[str, int]:
    positives = math.floor(n * prevalence + TINY)
    return dict(zip(CLASSES, (positives, n - positives), strict=True))


@frozen
class _Share:
    """A proportion of the cases of one class."""

    name: str
    # Positives or negatives, and their share of all cases.
    cases: str
    of_all: float
    width_formula: WidthFormula


def _shares(
    sensitivity: float | None, specificity: float | None, prevalence: float, level: Level
) -> list[_Share]:
    """The proportions to plan for."""
    expected = (sensitivity, specificity)
    of_all = (prevalence, 1 - prevalence)
    shares = [
        _Share(
            name,
            cases,
            share,
            proportion_formula(value, level, of=SAMPLE_METRICS[name], name=name),
        )
        for name, cases, share, value in zip(NAMES, CLASSES, of_all, expected, strict=True)
        if value is not None
    ]
    if not shares:
        raise OptionError(f"give {spelled('sensitivity')}, {spelled('specificity')} or both")
    return shares


def _least(shares: Sequence[_Share], prevalence: float) -> int:
    """The fewest cases in all for an interval of each share."""

    def enough(n: int) -> bool:
        counts = _expected(n, prevalence)
        return min(counts[share.cases] for share in shares) >= LEAST

    return smallest_n(enough, LEAST)


def _joint_plan(
    shares: Sequence[_Share],
    prevalence: float,
    n: int,
    level: Level,
    wanted: float | None,
    needs: tuple[Requirement, ...],
    assurance: float | None,
) -> SampleSize:
    def width_of(share: _Share, m: int) -> float:
        return share.width_formula.width_at(_expected(m, prevalence)[share.cases])

    def width_at(m: int) -> float:
        return max(width_of(share, m) for share in shares)

    counts, least = _expected(n, prevalence), _least(shares, prevalence)
    if min(counts[share.cases] for share in shares) < LEAST:
        raise OptionError(
            f"{spelled('prevalence', prevalence)} leaves fewer than 2 cases of a class in {n}"
        )
    assumed: dict[str, float] = {}
    for share in shares:
        assumed |= share.width_formula.assumed
    return SampleSize(
        quantity=" and ".join(share.name for share in shares),
        n=n,
        width=width_at(n),
        formula=wilson.__name__,
        formula_text=FORMULA_TEXTS[wilson.__name__],
        confidence_level=level.confidence_level,
        assumed={**assumed, "prevalence": prevalence},
        wanted=wanted,
        requirements=needs,
        counts=counts,
        assurance=assurance,
        parts=tuple(plan_at(share.width_formula, counts[share.cases]) for share in shares),
        curve=width_curve(width_at, n, least),
        part_curves={
            share.name: width_curve(partial(width_of, share), n, least) for share in shares
        },
    )
