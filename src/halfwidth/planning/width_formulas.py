"""A formula for the width at n, and the search for the n that a width needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Level
from halfwidth.results.sample_size import WIDTH_NEEDS, Requirement, SampleSize

# The limit of a search; no test set is larger.
MOST_CASES = 10**9
# Tolerance for rounding errors of widths.
ROUNDING = 1e-12
# Points of a curve, from a fraction to a multiple of the n planned.
POINTS, LEAST_SHARE, MOST_SHARE = 60, 0.2, 3.0


@frozen
class WidthFormula:
    """The width of an interval as a function of the number of cases; texts as in `SampleSize`."""

    quantity: str
    formula: str
    formula_text: str
    level: Level
    assumed: Mapping[str, float]
    # The width at n; it never grows with n unless there is a search.
    width_at: Callable[[int], float]
    # Fewest cases for which there is an interval.
    least: int = 2
    # Requirements other than the width.
    needs: tuple[Requirement, ...] = ()
    # The ends of the interval at n, if they are known.
    ends_at: Callable[[int], tuple[float, float]] | None = None
    # Cases of each class at n.
    counts_at: Callable[[int], Mapping[str, int]] | None = None
    # Finds the n for a width where bisection would fail.
    search: Callable[[float], int] | None = None
    unit: str = ""
    notes: tuple[str, ...] = ()
    # Widths for a figure, where those of ``width_at`` take long.
    curve_at: Callable[[int], float] | None = None
    rule: str = ""
    shape: str = ""


def smallest_n(
    reached: Callable[[int], bool], least: int, goal: str = "the width", start: int | None = None
) -> int:
    """The smallest n from ``least`` on with ``reached(n)``, which all larger n must satisfy too.

    The search begins at ``start``, where one is given: nearby it asks for few n.

    >>> smallest_n(lambda n: n * n >= 50, 1)
    8
    """
    low = high = least if start is None else max(least, start)
    while not reached(high):
        if high >= MOST_CASES:
            raise OptionError(
                f"{goal} takes more than {MOST_CASES} cases; ask for a wider interval or less power"
            )
        low, high = high + 1, min(2 * high, MOST_CASES)
    while low == high > least:
        low = max(least, high // 2)
        if reached(low):
            high = low
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return high


def plan_for_width(
    width_formula: WidthFormula,
    wanted: float,
    *,
    reached: Callable[[int], bool] | None = None,
    assurance: float | None = None,
    start: int | None = None,
) -> SampleSize:
    """The plan for a width: n is the largest of all requirements."""
    enough = wanted * (1 + ROUNDING)
    if reached is not None:
        n = smallest_n(reached, width_formula.least, start=start)
    elif width_formula.search is not None:
        n = width_formula.search(enough)
    else:
        n = smallest_n(
            lambda m: width_formula.width_at(m) <= enough, width_formula.least, start=start
        )
    source = width_formula.formula
    if assurance is not None:
        source += f", with probability {assurance:g}"
    needs = (Requirement(WIDTH_NEEDS, n, source), *width_formula.needs)
    return _planned(width_formula, max(need.n for need in needs), wanted, needs, assurance)


def plan_at(width_formula: WidthFormula, n: int) -> SampleSize:
    """The plan for a given number of cases."""
    return _planned(width_formula, n, None, width_formula.needs, None)


def _planned(
    width_formula: WidthFormula,
    n: int,
    wanted: float | None,
    needs: tuple[Requirement, ...],
    assurance: float | None,
) -> SampleSize:
    low, high = width_formula.ends_at(n) if width_formula.ends_at else (np.nan, np.nan)
    return SampleSize(
        quantity=width_formula.quantity,
        n=n,
        width=width_formula.width_at(n),
        formula=width_formula.formula,
        formula_text=width_formula.formula_text,
        confidence_level=width_formula.level.confidence_level,
        assumed=width_formula.assumed,
        low=low,
        high=high,
        wanted=wanted,
        requirements=needs,
        counts=width_formula.counts_at(n) if width_formula.counts_at else {},
        assurance=assurance,
        unit=width_formula.unit,
        notes=width_formula.notes,
        curve=width_curve(width_formula.curve_at or width_formula.width_at, n, width_formula.least),
        rule=width_formula.rule,
        shape=width_formula.shape,
    )


def width_curve(
    width_at: Callable[[int], float], n: int, least: int
) -> tuple[tuple[int, float], ...]:
    """Widths around n, at numbers of cases that lie evenly on a logarithmic scale."""
    low = max(least, int(LEAST_SHARE * n))
    spread = np.geomspace(low, max(MOST_SHARE * n, low + 10.0), POINTS)
    sizes = sorted({*(int(size) for size in np.rint(spread)), n})
    return tuple((size, width_at(size)) for size in sizes if size >= least)
