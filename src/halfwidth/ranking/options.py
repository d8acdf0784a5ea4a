"""How models are ranked, checked once."""

from __future__ import annotations

from typing import Any

from halfwidth.core.checks import as_count, as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.options import spelled
from halfwidth.ranking.consensus import Combining
from halfwidth.ranking.schemes import check_test, check_ties, resolve_schemes


@frozen
class RankingOptions:
    """How models are ranked, checked.

    Attributes
    ----------
    schemes : tuple of str
        Of `SCHEMES`, a ranking for each.
    margin : float
    top : int
    worst_rank : bool
        Whether a missing value takes the last rank of its case.
    ties : {"min", "average", "max"}
        The rank that models share which are equal in a case.
    combining : Combining
        How the rankings are combined.
    """

    schemes: tuple[str, ...]
    margin: float
    top: int
    worst_rank: bool = False
    ties: str = "min"
    combining: Combining = Combining()


def resolve_options(
    scheme: Any,
    test: Any,
    ties: Any,
    margin: Any,
    top: Any,
) -> RankingOptions:
    """Check the options of a ranking of one metric."""
    width = as_number("margin", margin)
    if width < 0:
        raise OptionError(f"{spelled('margin', margin)} is below 0; it is how much better counts")
    places = as_count(top)
    if places is None or places < 1:
        raise OptionError(f"{spelled('top', top)} is not a whole number from 1 on")
    schemes = resolve_schemes(scheme)
    check_test(schemes, test, width)
    return RankingOptions(schemes, width, places, ties=check_ties(schemes, ties))
