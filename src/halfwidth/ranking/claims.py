"""What is claimed of the pairs of models, and the sets of ranks that follow."""

from __future__ import annotations

import numpy as np

from halfwidth.comparison.estimates import ChosenPairs, claims_of, estimates_of, together_of
from halfwidth.comparison.families import MeasuredFamily
from halfwidth.comparison.settings import Settings
from halfwidth.core.ranking import RankSet
from halfwidth.core.spec import Better
from halfwidth.core.types import Level
from halfwidth.ranking.rank_sets import Claims, Flags, rank_bounds, square
from halfwidth.resampling.simultaneous import Pairs, all_pairs


class ClaimedPairs:
    """What is claimed of the pairs of models, and the sets of ranks that follow."""

    def __init__(self, family: MeasuredFamily, margin: float, settings: Settings) -> None:
        self.family, self.margin, self.settings = family, margin, settings
        self.names = list(family.jobs)
        self.places = all_pairs(len(self.names))
        self.estimates = estimates_of(
            [self._chosen(self.places)], settings, settings.request.level
        )[0]
        better = next(iter(family.jobs.values())).functional.metric.spec.better
        self.sign = 1.0 if better is Better.HIGHER else -1.0

    def sets(self) -> tuple[list[RankSet], Flags]:
        """Of all models, which hold together, and which model is claimed better than which."""
        better, not_better = self.claims()
        return _rank_sets(better, not_better), better

    def claims(self, parts: int = 1) -> Claims:
        """Claims of all pairs, with one of so many equal parts of the error probability."""
        level = self.settings.request.level
        part = Level(1 - level.alpha / parts, level.alternative)
        return self._claims(np.ones(len(self.places), dtype=bool), part)

    def sets_with(self, model: int) -> list[RankSet]:
        """Sets from the pairs of one model, of which that of this model holds by itself."""
        own = (self.places == model).any(axis=-1)
        return _rank_sets(*self._claims(own, self.settings.request.level))

    def _chosen(self, places: Pairs) -> ChosenPairs:
        pairs = tuple((self.names[one], self.names[other]) for one, other in places.tolist())
        return ChosenPairs(self.family, pairs)

    def _claims(self, some: Flags, level: Level) -> Claims:
        """Who is claimed better than whom, and not better, by more than the margin."""
        places = self.places[some]
        chosen = self._chosen(places)
        estimates = [one for one, kept in zip(self.estimates, some, strict=True) if kept]
        claims = claims_of(chosen, estimates, self.settings, level, self.margin)
        better = self._square(places, claims)
        if self.margin == 0:
            return better, better.T
        # Intervals at the level of the first step hold together with all that stepdown claims.
        intervals = together_of(chosen, estimates, self.settings, level).intervals
        within = [(one.high <= self.margin, one.low >= -self.margin) for one in intervals]
        return better, self._square(places, np.array(within, dtype=bool))

    def _square(self, places: Pairs, claims: Flags) -> Flags:
        return square(places, claims if self.sign > 0 else claims[:, ::-1], len(self.names))


def _rank_sets(better: Flags, not_better: Flags) -> list[RankSet]:
    return [RankSet(low, high) for low, high in rank_bounds(better, not_better).tolist()]
