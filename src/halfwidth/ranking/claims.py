"""What is claimed of the pairs of models, and the sets of ranks that follow."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from halfwidth.comparison.estimates import ChosenPairs, claim_evidence, estimates_of
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.simultaneous import Evidence
from halfwidth.data.families import MeasuredFamily
from halfwidth.ranking.rank_sets import Claims, Flags, rank_bounds, square
from halfwidth.resampling.joint.simultaneous import all_pairs
from halfwidth.results.ranking import RankSet


class ClaimedPairs:
    """What is claimed of the pairs of models, and the sets of ranks that follow.

    Parameters
    ----------
    family : MeasuredFamily
    order : sequence of int
        Places of the models, the best first.
    sign : float
        1 where higher values are better, else -1.
    margin : float
    settings : Settings

    Attributes
    ----------
    estimates : tuple of Estimate
        Differences of models that are neighbours in the ranking, on which its ranks turn. Those of
        all pairs have intervals that nothing shows.
    """

    def __init__(
        self,
        family: MeasuredFamily,
        order: Sequence[int],
        sign: float,
        margin: float,
        settings: Settings,
    ) -> None:
        names = list(family.jobs)
        self.places, self.sign, self.models = all_pairs(len(names)), sign, len(names)
        neighbours = tuple(
            (names[min(pair)], names[max(pair)]) for pair in itertools.pairwise(order)
        )
        (self.estimates,) = estimates_of(
            [ChosenPairs(family, neighbours)], settings, settings.request.level
        )
        pairs = tuple((names[one], names[other]) for one, other in self.places.tolist())
        self.evidence = claim_evidence(ChosenPairs(family, pairs), self.estimates, settings, margin)

    def sets(self) -> tuple[list[RankSet], Flags]:
        """Rank sets of all models, which hold together, and which is claimed better than which."""
        better, not_better = self.claims()
        return _rank_sets(better, not_better), better

    def claims(self, parts: int = 1) -> Claims:
        """Claims of all pairs, with one of so many equal parts of the error probability."""
        evidence = self.evidence if parts == 1 else self.evidence.with_part(parts)
        return self._claims(np.ones(len(self.places), dtype=bool), evidence)

    def set_of(self, model: int) -> RankSet:
        """That of one model, which holds by itself: from its own pairs."""
        own = (self.places == model).any(axis=-1)
        return _rank_sets(*self._claims(own, self.evidence))[model]

    def _claims(self, some: Flags, evidence: Evidence) -> Claims:
        """Who is claimed better than whom, and not better, by more than the margin."""
        claims = evidence.claims(some)
        better, not_better = (
            square(self.places[some], one if self.sign > 0 else one[:, ::-1], self.models)
            for one in (claims.better, claims.not_better)
        )
        return better, not_better


def _rank_sets(better: Flags, not_better: Flags) -> list[RankSet]:
    return [RankSet(low, high) for low, high in rank_bounds(better, not_better).tolist()]
