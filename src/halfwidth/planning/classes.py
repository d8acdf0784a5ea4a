"""Sensitivity and specificity together: enough cases of each class at a prevalence."""

from __future__ import annotations

import math

from halfwidth.core.errors import OptionError
from halfwidth.core.types import UNIT_INTERVAL, Level
from halfwidth.metrics.catalogue import SAMPLE_METRICS
from halfwidth.planning.checks import check_assurance, check_n, check_share, wanted_width
from halfwidth.planning.proportions import FORMULA_TEXT, recipe_of_proportion
from halfwidth.planning.recipes import Recipe, at, curve_of, sized, smallest
from halfwidth.planning.results import Requirement, SampleSize

__all__ = ["classes_n", "classes_width", "probability_of_enough"]

NAMES = ("sensitivity", "specificity")
CLASSES = ("positives", "negatives")
OF = "sensitivity and specificity"
# A count that misses a whole number by rounding is that number.
TINY = 1e-9


def classes_n(
    sensitivity: float,
    specificity: float,
    *,
    prevalence: float,
    width: float | None = None,
    halfwidth: float | None = None,
    assurance: float | None = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases in all that give both sensitivity and specificity an interval of the width wanted.

    Each is a proportion of its class, and needs so many cases of it by Wilson's interval
    (`proportion_n`). The total N is the smallest with N·prevalence positives and N·(1 - prevalence)
    negatives; with an assurance, the smallest at which a sample of N, whose positives are binomial,
    holds enough of both with that probability. Without it about half of such samples hold too few.

    Parameters
    ----------
    sensitivity, specificity : float
        Expected, from 0 to 1.
    prevalence : float
        Share of positives among the cases that will be collected, strictly between 0 and 1. Of a
        sample with fixed numbers of each class, ``parts`` says what each needs.
    width, halfwidth : float
        One of them, the same for both.
    assurance : float, optional
        From 0.5 up to below 1.
    confidence_level : float, default 0.95

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
    >>> plan = classes_n(0.9, 0.95, prevalence=0.1, halfwidth=0.05)
    >>> plan.n, dict(plan.counts), plan.decided_by
    (1410, {'positives': 141, 'negatives': 1269}, 'sensitivity')
    """
    share, level = check_share("prevalence", prevalence), Level(confidence_level)
    wanted = wanted_width(width, halfwidth, UNIT_INTERVAL, "a proportion")
    recipes = _recipes(sensitivity, specificity, level)
    alone = tuple(sized(recipe, wanted) for recipe in recipes)
    needed = (alone[0].n, alone[1].n)
    totals = [_total(count, part) for count, part in zip(needed, (share, 1 - share), strict=True)]
    needs = [
        Requirement(name, total, f"{plan.n} {of_class} for {plan.decided_by}")
        for name, total, plan, of_class in zip(NAMES, totals, alone, CLASSES, strict=True)
    ]
    n = max(totals)
    if assurance is not None:
        assured = check_assurance(assurance)
        n = smallest(lambda m: probability_of_enough(m, share, needed) >= assured, sum(needed))
        needs.append(
            Requirement("enough of each class", n, f"binomial, with probability {assured:g}")
        )
    return _both(recipes, share, n, level, wanted, tuple(needs), assurance)


def classes_width(
    sensitivity: float,
    specificity: float,
    n: int,
    *,
    prevalence: float,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The widths of the intervals of sensitivity and specificity at n cases in all.

    Parameters
    ----------
    sensitivity, specificity, prevalence, confidence_level
        As for `classes_n`.
    n : int
        Cases in all; of each class at least 2 are expected.

    Returns
    -------
    SampleSize

    Raises
    ------
    OptionError

    Examples
    --------
    >>> plan = classes_width(0.9, 0.95, 500, prevalence=0.1)
    >>> [(part.of, part.n, round(part.width, 3)) for part in plan.parts]
    [('sensitivity', 50, 0.17), ('specificity', 450, 0.041)]
    """
    share, level = check_share("prevalence", prevalence), Level(confidence_level)
    recipes = _recipes(sensitivity, specificity, level)
    what = f"a plan at prevalence {share:g}, with two cases of each class,"
    checked = check_n(n, _least(share), what)
    return _both(recipes, share, checked, level, None, (), None)


def probability_of_enough(n: int, prevalence: float, needed: tuple[int, int]) -> float:
    """P(m ≥ a and n - m ≥ b) for m ~ Bin(n, prevalence), the positives of a sample.

    >>> round(probability_of_enough(100, 0.1, (10, 50)), 4)
    0.5487
    """
    from scipy import special

    fewest, most = needed[0], n - needed[1]
    if most < fewest:
        return 0.0
    above = special.bdtr(most, n, prevalence)
    return float(above - special.bdtr(fewest - 1, n, prevalence))


def _total(count: int, share: float) -> int:
    return math.ceil(count / share - TINY)


def _expected(n: int, prevalence: float) -> tuple[int, int]:
    positives = math.floor(n * prevalence + TINY)
    return positives, n - positives


def _least(prevalence: float) -> int:
    return smallest(lambda n: min(_expected(n, prevalence)) >= 2, 4)


def _recipes(sensitivity: float, specificity: float, level: Level) -> tuple[Recipe, Recipe]:
    first, second = (
        recipe_of_proportion(value, level, of=SAMPLE_METRICS[name], name=name)
        for name, value in zip(NAMES, (sensitivity, specificity), strict=True)
    )
    return first, second


def _both(
    recipes: tuple[Recipe, Recipe],
    prevalence: float,
    n: int,
    level: Level,
    wanted: float | None,
    needs: tuple[Requirement, ...],
    assurance: float | None,
) -> SampleSize:
    def width_at(m: int) -> float:
        sizes = _expected(m, prevalence)
        return max(r.width_at(size) for r, size in zip(recipes, sizes, strict=True))

    counts = _expected(n, prevalence)
    if min(counts) < 2:
        raise OptionError(f"prevalence={prevalence:g} leaves fewer than 2 cases of a class in {n}")
    return SampleSize(
        of=OF,
        n=n,
        width=width_at(n),
        formula="wilson",
        formula_text=FORMULA_TEXT,
        confidence_level=level.confidence_level,
        assumed={**recipes[0].assumed, **recipes[1].assumed, "prevalence": prevalence},
        wanted=wanted,
        requirements=needs,
        counts=dict(zip(CLASSES, counts, strict=True)),
        assurance=assurance,
        parts=tuple(at(recipe, size) for recipe, size in zip(recipes, counts, strict=True)),
        curve=curve_of(width_at, n, _least(prevalence)),
    )
