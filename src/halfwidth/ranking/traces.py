"""What a consensus takes of rankings: ranks on resamples and claims, which no result holds."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranks import ranks_of
from halfwidth.core import rng
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.ranking.rank_sets import Claims, Flags
from halfwidth.ranking.ranks import BLOCK

SmallRanks = NDArray[np.int16]


@frozen(eq=False)
class Trace:
    """What a consensus takes of a ranking, in the order of its models as given."""

    names: tuple[str, ...]
    # Larger ones are better, (K,); and the same on resamples, (K, B), NaN where one is undefined.
    merits: Array
    replicates: Array
    margin: float
    # By the number of rankings that have equal parts of the error probability.
    claims: Mapping[int, Claims]
    # The same for rankings of the same cases, whose resamples belong together.
    cases: Hashable

    def ranks(self, names: Sequence[str]) -> SmallRanks:
        """Ranks of models among each other; of those that are not there the last."""
        return np.asarray(self._placed(self.merits[:, None], names)[0])

    def resampled(self, names: Sequence[str]) -> SmallRanks:
        """Ranks on each resample, (B, K); 0 where a model has no value there."""
        return self._placed(self.replicates, names)

    def claimed(self, names: Sequence[str], rankings: int) -> Claims:
        """Claims about models; those that are not there are behind all that are."""
        known, rows = self._present(names)
        chosen = np.ix_(rows, rows)
        square = np.ix_(known, known)
        claims = []
        for own, absent in zip(self.claims[rankings], (False, True), strict=True):
            flags = np.full((len(names), len(names)), absent)
            flags[square] = own[chosen]
            flags[np.ix_(known, ~known)] = not absent
            flags[np.ix_(~known, known)] = absent
            claims.append(flags)
        return claims[0], claims[1]

    def _placed(self, merits: Array, names: Sequence[str]) -> SmallRanks:
        known, rows = self._present(names)
        own = merits[rows].T
        ranks = np.zeros((len(own), len(names)), dtype=np.int16)
        defined = np.flatnonzero(np.isfinite(own).all(axis=-1))
        block = max(1, BLOCK // len(names) ** 2)
        for start in range(0, len(defined), block):
            some = defined[start : start + block]
            ranks[np.ix_(some, known)] = ranks_of(own[some], self.margin)
        ranks[np.ix_(defined, ~known)] = 1 + len(rows)
        return ranks

    def _present(self, names: Sequence[str]) -> tuple[Flags, list[int]]:
        place = {name: at for at, name in enumerate(self.names)}
        known = np.array([name in place for name in names])
        return known, [place[name] for name in names if name in place]


def joined_resamples(
    traces: Sequence[Trace], names: Sequence[str], seed: int
) -> list[SmallRanks] | None:
    """Ranks on resamples of all rankings, each (B, K); None where some ranking has none.

    Rankings of the same cases keep their resamples side by side. Those of other cases are put in
    an order of their own: draws of as many cases are the same whatever the cases, and would tie
    rankings together that are independent.
    """
    resampled = [trace.resampled(names) for trace in traces]
    orders: dict[Hashable, NDArray[np.intp]] = {}
    for place, cases in enumerate(dict.fromkeys(trace.cases for trace in traces)):
        own = [r for trace, r in zip(traces, resampled, strict=True) if trace.cases == cases]
        shared = min(map(len, own))
        defined = np.logical_and.reduce([(one[:shared] > 0).all(axis=-1) for one in own])
        rows = np.flatnonzero(defined)
        key = rng.derive_key(seed, "consensus", place)
        orders[cases] = rows[np.argsort(rng.uniforms(key, 0, len(rows), 1)[:, 0])]
    count = min(map(len, orders.values()))
    if not count:
        return None
    return [one[orders[trace.cases][:count]] for trace, one in zip(traces, resampled, strict=True)]
