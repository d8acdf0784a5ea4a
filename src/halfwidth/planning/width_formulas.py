"""A formula for the width at n, and the search for the n that a width needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.types import Level
from halfwidth.planning.sample_size import WIDTH_NEEDS, Requirement, SampleSize

__all__ = ["MOST_CASES", "ROUNDING", "Recipe", "at", "curve_of", "sized", "smallest"]

# No test set is larger, and a search must end.
MOST_CASES = 10**9
# A width that exceeds the wanted one by rounding alone is the wanted one.
ROUNDING = 1e-12
# Points of a curve, from a fraction to a multiple of the n planned.
POINTS, LEAST_SHARE, MOST_SHARE = 60, 0.2, 3.0


@dataclass(frozen=True)
class Recipe:
    """The width of an interval as a function of the number of cases.

    Attributes
    ----------
    of, formula, formula_text, unit, assumed, notes
        As in `SampleSize`.
    level : Level
    width_at : callable
        The width at n; it never grows with n, unless the recipe brings its own search.
    least : int
        Fewest cases for which there is an interval.
    needs : tuple of Requirement
        What else asks for cases.
    ends_at : callable or None
        The ends of the interval at n, where its place is known.
    counts_at : callable or None
        Cases of each class at n.
    search : callable or None
        The n for a width, where a bisection would not find it.
    """

    of: str
    formula: str
    formula_text: str
    level: Level
    assumed: Mapping[str, float]
    width_at: Callable[[int], float]
    least: int = 2
    needs: tuple[Requirement, ...] = ()
    ends_at: Callable[[int], tuple[float, float]] | None = None
    counts_at: Callable[[int], Mapping[str, int]] | None = None
    search: Callable[[float], int] | None = None
    unit: str = ""
    notes: tuple[str, ...] = field(default=())


def smallest(reached: Callable[[int], bool], least: int, what: str = "the width") -> int:
    """The smallest n from ``least`` on that reaches something which all larger ones reach too.

    Raises
    ------
    OptionError
        If no n up to `MOST_CASES` does.

    Examples
    --------
    >>> smallest(lambda n: n * n >= 50, 1)
    8
    """
    high = least
    while not reached(high):
        if high >= MOST_CASES:
            raise OptionError(
                f"{what} takes more than {MOST_CASES} cases; ask for a wider interval"
            )
        high = min(2 * high, MOST_CASES)
    low = max(least, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return high


def sized(
    recipe: Recipe,
    wanted: float,
    *,
    reached: Callable[[int], bool] | None = None,
    assurance: float | None = None,
) -> SampleSize:
    """The plan for a width: the larger of the n that it needs and of what else asks for cases."""
    enough = wanted * (1 + ROUNDING)
    if reached is not None:
        n = smallest(reached, recipe.least)
    elif recipe.search is not None:
        n = recipe.search(enough)
    else:
        n = smallest(lambda m: recipe.width_at(m) <= enough, recipe.least)
    source = recipe.formula
    if assurance is not None:
        source += f", with probability {assurance:g}"
    needs = (Requirement(WIDTH_NEEDS, n, source), *recipe.needs)
    return _planned(recipe, max(need.n for need in needs), wanted, needs, assurance)


def at(recipe: Recipe, n: int) -> SampleSize:
    """What a given number of cases comes to."""
    return _planned(recipe, n, None, recipe.needs, None)


def _planned(
    recipe: Recipe,
    n: int,
    wanted: float | None,
    needs: tuple[Requirement, ...],
    assurance: float | None,
) -> SampleSize:
    low, high = recipe.ends_at(n) if recipe.ends_at else (np.nan, np.nan)
    return SampleSize(
        of=recipe.of,
        n=n,
        width=recipe.width_at(n),
        formula=recipe.formula,
        formula_text=recipe.formula_text,
        confidence_level=recipe.level.confidence_level,
        assumed=recipe.assumed,
        low=low,
        high=high,
        wanted=wanted,
        requirements=needs,
        counts=recipe.counts_at(n) if recipe.counts_at else {},
        assurance=assurance,
        unit=recipe.unit,
        notes=recipe.notes,
        curve=curve_of(recipe.width_at, n, recipe.least),
    )


def curve_of(width_at: Callable[[int], float], n: int, least: int) -> tuple[tuple[int, float], ...]:
    """Widths around n, at numbers of cases that lie evenly on a logarithmic scale."""
    low = max(least, int(LEAST_SHARE * n))
    spread = np.geomspace(low, max(MOST_SHARE * n, low + 10.0), POINTS)
    sizes = sorted({*(int(size) for size in np.rint(spread)), n})
    return tuple((size, width_at(size)) for size in sizes if size >= least)
