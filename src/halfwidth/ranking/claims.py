"""What is claimed of the pairs of models, and the sets of ranks that follow."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from halfwidth.comparison.estimates import ChosenPairs, estimates_of, inference_of
from halfwidth.comparison.settings import Settings
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.ranking.rank_sets import Claims, Flags, rank_bounds, square
from halfwidth.resampling.joint.simultaneous import all_pairs
from halfwidth.results.estimate import Estimate
from halfwidth.results.ranking import RankSet


class ClaimedPairs:
    """What is claimed of the pairs of models, (P, 2), and the sets of ranks that follow."""

    # Of differences on which the ranks turn.
    estimates: tuple[Estimate, ...] = ()

    def __init__(self, models: int) -> None:
        self.models, self.places = models, all_pairs(models)

    def sets(self) -> tuple[list[RankSet], Flags]:
        """Rank sets of all models, which hold together, and which is claimed better than which."""
        better, not_better = self.claims()
        return _rank_sets(better, not_better), better

    def claims(self, parts: int = 1) -> Claims:
        """Claims of all pairs, with one of so many equal parts of the error probability."""
        return self.claims_of(np.ones(len(self.places), dtype=bool), parts)

    def set_of(self, model: int) -> RankSet:
        """Set of one model, which holds by itself: from its own pairs."""
        return _rank_sets(*self.claims_of((self.places == model).any(axis=-1), 1))[model]

    def claims_of(self, some: Flags, parts: int) -> Claims:
        """Who of some pairs is claimed better, and not better, by more than the margin."""
        raise NotImplementedError


class ClaimedDifferences(ClaimedPairs):
    """What the differences of models allow to claim.

    ``order``: places of the models, the best first; ``sign``: 1 where higher values are better,
    else -1.
    """

    def __init__(
        self,
        family: FamilyJobs,
        order: Sequence[int],
        sign: float,
        margin: float,
        settings: Settings,
    ) -> None:
        super().__init__(len(family.jobs))
        names, self.sign, self.margin = list(family.jobs), sign, margin
        pairs = tuple((names[one], names[other]) for one, other in self.places.tolist())
        chosen = ChosenPairs(family, pairs, settings.effect)
        level = settings.request.level
        (estimates,) = estimates_of([chosen], settings, level)
        self.family, self.level = inference_of(chosen, estimates, settings), level
        # Those of all pairs have intervals that nothing shows.
        neighbours = {tuple(sorted(pair)) for pair in itertools.pairwise(order)}
        self.estimates = tuple(
            replace(one, label=" vs ".join(pair))
            for one, pair, place in zip(estimates, pairs, self.places.tolist(), strict=True)
            if tuple(place) in neighbours
        )

    def claims_of(self, some: Flags, parts: int) -> Claims:
        """Who of some pairs is claimed better, and not better, by more than the margin."""
        alpha = self.level.alpha / parts
        better = self.family.adjusted(self.margin, some) <= alpha
        # Who is not worse by the margin, the other of the two is not better by it.
        not_worse = better
        if self.margin:
            not_worse = self.family.not_worse(self.margin, some, alpha) <= alpha
        return self._square(better, some), self._square(not_worse[:, ::-1], some)

    def _square(self, claims: Flags, some: Flags) -> Flags:
        """Claims about the larger and the smaller of two differences, from model to model."""
        return square(self.places[some], claims[some][:, :: int(self.sign)], self.models)


def _rank_sets(better: Flags, not_better: Flags) -> list[RankSet]:
    return [RankSet(low, high) for low, high in rank_bounds(better, not_better).tolist()]
