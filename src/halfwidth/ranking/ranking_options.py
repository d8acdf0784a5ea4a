"""How models are ranked, checked once."""

from __future__ import annotations

from typing import Any

from halfwidth.core.checks import as_count, as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.estimation.resolve import AUTO
from halfwidth.ranking.consensus import Combining
from halfwidth.ranking.ranks import TIES
from halfwidth.ranking.schemes import TESTS, WITHIN_CASES, check_margin_of_tests, resolve_schemes


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
    test : str
        By which a model wins.
    combining : Combining
        How the rankings are combined.
    """

    schemes: tuple[str, ...]
    margin: float
    top: int
    worst_rank: bool = False
    ties: str = "min"
    test: str = AUTO
    combining: Combining = Combining()


def resolve_options(scheme: Any, margin: Any, top: Any) -> RankingOptions:
    """Check the options of a ranking of one metric."""
    width = as_number("margin", margin)
    if width < 0:
        raise OptionError(f"{spelled('margin', margin)} is below 0; it is how much better counts")
    places = as_count(top)
    if places is None or places < 1:
        raise OptionError(f"{spelled('top', top)} is not a whole number from 1 on")
    schemes = resolve_schemes(scheme)
    check_margin_of_tests(schemes, width)
    ties = schemes.get(WITHIN_CASES, {}).get("ties", TIES[0])
    test = schemes.get(TESTS, {}).get("test", AUTO)
    return RankingOptions(tuple(schemes), width, places, ties=ties, test=test)
