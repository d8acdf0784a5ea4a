"""Differences of many pairs and families on pages of one axis."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.core.checks import as_count
from halfwidth.core.errors import OptionError, shown
from halfwidth.plots.comparison import differences, rows_taken
from halfwidth.plots.comparison_words import family_of
from halfwidth.plots.figure import figure
from halfwidth.plots.forest_pages import LEAST_ROWS, MOST_ROWS
from halfwidth.plots.sheets import packed
from halfwidth.plots.style import listed
from halfwidth.results.comparison import Difference

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@figure(differences.caption, differences.frame)
def figures_of_differences(
    comparisons: Difference | Sequence[Difference], *, rows: int = MOST_ROWS
) -> list[Figure]:
    """Draw differences between models as rows, on as many pages as it takes.

    All pages have the same axis. A family, such as the pairs of one structure, stays on one page
    where it fits one.

    Parameters
    ----------
    comparisons : Difference, Comparisons or sequence of Difference
        As for `differences`.
    rows : int, default 40
        Of a page at most, from 10; headings count, and further lines of long labels.

    Returns
    -------
    list of matplotlib Figure

    Raises
    ------
    OptionError
        As for `differences`, and for a number of rows that is not allowed.

    See Also
    --------
    differences : into axes at hand.
    """
    items = listed(comparisons, Difference, "comparisons")
    most = as_count(rows)
    if most is None or most < LEAST_ROWS:
        raise OptionError(f"rows={shown(rows)} must be an integer ≥ {LEAST_ROWS}")
    pages = packed(_families(items, most), lambda page: rows_taken(page) <= most) or [[]]
    drawn: list[Any] = [differences(page) for page in pages]
    ends = [ax.get_xlim() for ax in drawn]
    for ax in drawn:
        ax.set_xlim(min(low for low, _ in ends), max(high for _, high in ends))
    return [ax.figure for ax in drawn]


def _families(items: Sequence[Difference], most: int) -> Iterator[list[Difference]]:
    """Differences that stay together: those of a family, or each by itself if they are too many."""
    for _, group in itertools.groupby(items, key=family_of):
        family = list(group)
        if rows_taken(family) <= most:
            yield family
        else:
            yield from ([item] for item in family)
