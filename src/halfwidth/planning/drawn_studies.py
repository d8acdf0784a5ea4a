"""Studies drawn from a pilot: which of its cases, or clusters, are in each."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core import rng
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Bounds
from halfwidth.estimation.records import Records
from halfwidth.resampling.designs import Codes, Design, case_positions

# Units of all studies are drawn so many at a time: the first n of a study stay the same for
# larger n, so that widths are compared on the same cases.
COLUMNS = 64


@frozen(eq=False)
class DrawnStudies:
    """Studies of n units of a pilot, drawn with replacement within its strata.

    Units are its cases, or its clusters with all their cases; with ``over="clusters"`` their means.
    """

    pilot: Records
    seed: int
    # Of values that lie on a line; None: those of the pilot are all that there are.
    bounds: Bounds | None = None

    def units(self, n: int, start: int, stop: int) -> Codes:
        """Which units the studies ``start`` to ``stop`` draw, ascending, shape (S, n).

        Units of the pilot stand in canonical order, and so do cases of units that ascend.
        """
        design, drawn = self.pilot.design, []
        for place, (units, wanted) in enumerate(zip(design.strata, self._shares(n), strict=True)):
            stratum = (place,) if len(design.strata) > 1 else ()
            blocks = [np.empty((stop - start, 0), dtype=np.intp)]
            for block in range(-(-wanted // COLUMNS)):
                key = rng.derive_key(self.seed, "pilot cases", *stratum, block)
                blocks.append(rng.indices(key, start, stop, COLUMNS, units))
            ascending = np.sort(np.concatenate(blocks, axis=1)[:, :wanted], axis=1)
            drawn.append(design.first_units[place] + ascending)
        return np.concatenate(drawn, axis=1)

    def _shares(self, n: int) -> list[int]:
        """Units of each stratum in a study of n: as in the pilot, rounded as by Sainte-Laguë.

        One unit more takes none from any stratum, so that a study is part of the larger ones.
        """
        strata = self.pilot.design.strata
        turns = np.concatenate([(np.arange(n) + 0.5) / units for units in strata])
        stratum_of_turn = np.argsort(turns, kind="stable")[:n] // n
        shares: list[int] = np.bincount(stratum_of_turn, minlength=len(strata)).tolist()
        return shares

    def values(self, units: Codes, start: int, stop: int) -> Array:
        """The values of the studies ``start`` to ``stop``, whose units are independent cases.

        The outermost of n cases stands for the outermost n-th of the population: were it drawn as
        it is, no study would reach further than the pilot, however many cases it has. It is drawn
        from an exponential tail with the case for its mean, and for its scale the mean excess of
        the √n outermost cases. Cases that tie, or lie at a bound, are failures rather than a tail.
        """
        cases = self.pilot.arranged
        drawn = cases[units]
        if self.bounds is None:
            return drawn
        for outermost, step in ((0, 1), (len(cases) - 1, -1)):
            inward, among = cases[::step], round(math.sqrt(len(cases)))
            if inward[0] in (inward[1], self.bounds.low, self.bounds.high):
                continue
            is_outermost = units[:, ::step] == outermost
            most = int(is_outermost.sum(axis=1).max())
            blocks = [np.empty((stop - start, 0))]
            for block in range(-(-most // COLUMNS)):
                key = rng.derive_key(self.seed, "pilot tail", step, block)
                blocks.append(rng.exponentials(key, start, stop, COLUMNS))
            excess = inward[:among].mean() - inward[among]
            further = excess * (np.concatenate(blocks, axis=1)[:, :most] - 1)
            drawn[:, ::step][:, :most] += np.where(is_outermost[:, :most], further, 0.0)
        return np.clip(drawn, self.bounds.low, self.bounds.high)

    def study(self, units: Codes, values: Array | None = None) -> Records:
        """The cases of some units, which ascend, as an estimate of them has them."""
        design = self.pilot.design
        sizes = design.unit_sizes[units]
        arranged = self.pilot.arranged[case_positions(design.first_cases[units], sizes)]
        arranged = arranged if values is None else np.sort(values)
        strata = np.bincount(np.searchsorted(np.cumsum(design.strata), units, side="right"))
        alone = bool((sizes == 1).all())
        drawn = Design(tuple(strata[strata > 0].tolist()), None if alone else tuple(sizes.tolist()))
        return Records(
            arranged,
            drawn,
            len(arranged),
            values=arranged if drawn.simple else np.sort(arranged),
            n_groups=None if self.pilot.n_groups is None else len(units),
            over=self.pilot.over,
        )

    def like_the_pilot(self, n: int) -> Records:
        """A study of n units that are spread over those of the pilot."""
        spread = np.linspace(0, self.pilot.design.units - 1, n)
        return self.study(spread.round().astype(np.intp))
