"""How models are ranked, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from halfwidth.arithmetic.ranks import TIES
from halfwidth.comparison.settings import orders_models, plain
from halfwidth.core.by_metric import Numbers, as_numbers, check_numbers, each_of, number_of
from halfwidth.core.checks import as_count
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.estimation.resolve import AUTO
from halfwidth.measuring.plans import Comparable
from halfwidth.ranking.consensus import Combining
from halfwidth.ranking.schemes import TESTS, WITHIN_CASES, resolve_schemes

# How the note on metrics that order no models begins.
NOT_RANKED = "not ranked: "


@frozen
class RankingOptions:
    """How models are ranked, checked."""

    # Each gives a ranking.
    schemes: tuple[str, ...]
    # As it was given, of all metrics; `for_metric` has that of one.
    margins: Numbers
    top: int
    # Whether a missing value takes the last rank of its case.
    worst_rank: bool = False
    # The rank that models share which are equal in a case.
    ties: str = "min"
    # By which a model wins.
    test: str = AUTO
    combining: Combining = Combining()
    margin: float = 0.0

    def for_metric(self, metric: Metric) -> RankingOptions:
        """The options of a ranking by one metric."""
        return replace(self, margin=number_of(self.margins, metric) or 0.0)

    def check_margin(self, metrics: Sequence[Metric]) -> None:
        """Refuse one margin of several units, unless it is in ranks."""
        in_unit = any(scheme != WITHIN_CASES for scheme in self.schemes)
        check_numbers("margin", self.margins, metrics, metrics, in_unit=in_unit)


def resolve_options(scheme: Any, margin: Any, top: Any) -> RankingOptions:
    """Check the options of a ranking of one metric."""
    width = as_numbers("margin", margin)
    if any(one < 0 for one in each_of(width)):
        raise OptionError(f"{spelled('margin', margin)} is below 0; it is how much better counts")
    places = as_count(top)
    if places is None or places < 1:
        raise OptionError(f"{spelled('top', top)} must be an integer ≥ 1")
    schemes = resolve_schemes(scheme)
    if TESTS in schemes and any(each_of(width)):
        raise OptionError(
            f"{spelled('margin', width)}: tests ask whether a model is better at all, by any "
            f"margin; leave it out, or leave out {spelled('scheme', TESTS)}"
        )
    ties = schemes.get(WITHIN_CASES, {}).get("ties", TIES[0])
    test = schemes.get(TESTS, {}).get("test", AUTO)
    return RankingOptions(tuple(schemes), width, places, ties=ties, test=test)


def in_order(families: Sequence[Comparable]) -> tuple[list[Comparable], list[str]]:
    """Families whose metric orders models, where there are some, and notes on the others."""
    kept = [one for one in families if orders_models(plain(one.metric))]
    if not kept or len(kept) == len(families):
        return [*families], []
    left = dict.fromkeys(plain(one.metric).spec.called for one in families if one not in kept)
    return kept, [f"{NOT_RANKED}{shortened([*left])}, of which neither more nor less is better"]
