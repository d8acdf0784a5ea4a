"""Swaps of values, for order statistics and other weighted sums of the sorted values.

The values of both models are sorted together once; a swap says which of them are whose. The k-th
value of the first model then is the k-th of its entries in the common order. Of a case whose both
values come before a place, one belongs to the first model whatever is swapped, so that only the
cases with one value on either side move it: it stays near place 2k, and the entries around it are
all that need be looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.weights.swaps import swaps_of_cases

Places = NDArray[np.intp]
# More ranks than this are gathered, not searched for.
FEW_RANKS = 8
# How far the k-th entry is looked for, in standard deviations of its place.
REACH = 5.0


class SwappedOrder:
    """Differences of a weighted sum of the sorted values, of what either model has after a swap."""

    def __init__(self, pair: tuple[Array, Array], weights: Array, design: Design) -> None:
        together = np.concatenate(pair)
        order = np.argsort(together, kind="stable")
        self._values = together[order]
        self._case, self._is_second = order % len(pair[0]), order >= len(pair[0])
        self._design = design
        self._ranks = np.flatnonzero(weights)
        self._weights = weights[self._ranks]
        self._windows: list[_Window] = []
        if len(self._ranks) <= FEW_RANKS:
            # Neighbouring ranks, as the two middle ones, share a window.
            runs = np.split(self._ranks, np.flatnonzero(np.diff(self._ranks) > 1) + 1)
            self._windows = [_Window.around(run, self._case) for run in runs]

    def __call__(self, swapped: NDArray[np.uint8]) -> Array:
        """Differences after swaps of units, (B, U) -> (B,)."""
        cases = swaps_of_cases(swapped, self._design)
        if not self._windows:
            return self._gathered(cases)
        # A row for each case: the resamples of one lie side by side.
        rows = np.ascontiguousarray(cases.T)
        both = [window.places(rows, self._case, self._is_second) for window in self._windows]
        first, second = (np.concatenate(side) for side in zip(*both, strict=True))
        return np.asarray(self._weights @ (self._values[first] - self._values[second]))

    def _gathered(self, cases: NDArray[np.uint8]) -> Array:
        is_second = (cases[:, self._case] ^ self._is_second).astype(bool)
        return self._sum_entries(~is_second) - self._sum_entries(is_second)

    def _sum_entries(self, mine: NDArray[np.bool_]) -> Array:
        """Each row of `mine` holds as many entries as there are cases."""
        places = np.flatnonzero(mine).reshape(len(mine), -1)[:, self._ranks]
        return np.asarray(self._values[places % mine.shape[1]] @ self._weights)


class _Window:
    """Entries of the common order among which neighbouring ranks of either model mostly lie."""

    def __init__(self, ranks: Places, start: int, stop: int, case: Places) -> None:
        self.ranks, self.start, self.stop = ranks, start, stop
        before = np.bincount(case[:start], minlength=len(case) // 2)
        self._both = int((before == 2).sum())
        self._one = np.flatnonzero(before[case[:start]] == 1)

    @classmethod
    def around(cls, ranks: Places, case: Places) -> _Window:
        """Around place 2k, as far as chance could carry the k-th entry."""
        ends = [2 * int(rank) + 1 for rank in (ranks[0], ranks[-1])]
        before = np.bincount(case[: ends[0]], minlength=len(case) // 2)
        reach = int(REACH * np.sqrt((before == 1).sum())) + 2
        return cls(ranks, max(ends[0] - reach, 0), min(ends[1] + reach, len(case)), case)

    def places(
        self, rows: NDArray[np.uint8], case: Places, is_second: NDArray[np.bool_]
    ) -> tuple[Places, Places]:
        """Where each rank of the first and of the second model lies, two of (ranks, B)."""
        one, within = self._one, slice(self.start, self.stop)
        kind = np.int16 if len(case) < 2**15 else np.int32
        is_first = rows[case[one]] ^ ~is_second[one, None]
        before: NDArray[Any] = kind(self._both) + is_first.sum(axis=0, dtype=kind)
        upto: NDArray[Any] = np.cumsum(
            rows[case[within]] ^ ~is_second[within, None], axis=0, dtype=kind
        )
        upto += before
        entries = np.arange(self.start + 1, self.stop + 1, dtype=kind)[:, None]
        both = []
        for counts, less in ((upto, before), (entries - upto, self.start - before)):
            if less.max() > self.ranks[0] or counts[-1].min() <= self.ranks[-1]:
                # Chance went further than expected.
                return _Window(self.ranks, 0, len(case), case).places(rows, case, is_second)
            both.append([np.count_nonzero(counts <= rank, axis=0) for rank in self.ranks])
        first, second = (self.start + np.array(places) for places in both)
        return first, second
