"""Confidence sets for ranks, from what is claimed of pairs of models.

Where all claims hold together, model j has at least the models above it that are claimed better,
and at most those that are not claimed otherwise (Mogstad, Romano, Shaikh & Wilhelm 2024).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.results.ranking import RankSet

Flags = NDArray[np.bool_]
# Who is claimed better than whom by more than the margin, and who not better, each (K, K).
Claims = tuple[Flags, Flags]
Group = tuple[int, ...]
MOST_GROUPS = 1000


def rank_bounds(better: Flags, not_better: Flags) -> NDArray[np.intp]:
    """The least and the largest rank of each model, (K, 2).

    Claims say that the model of the row is better than that of the column by more than the margin,
    or is not. Without a margin the latter is what being worse is: the transpose of ``better``.

    Of three models, the first is claimed better than the others:

    >>> better = np.zeros((3, 3), dtype=bool)
    >>> better[0, 1:] = True
    >>> rank_bounds(better, better.T).tolist()
    [[1, 1], [2, 3], [2, 3]]
    """
    others = len(better) - 1
    off_diagonal = ~np.eye(len(better), dtype=bool)
    least = (better & off_diagonal).sum(axis=0)
    most = others - (not_better & off_diagonal).sum(axis=0)
    return np.stack([1 + least, 1 + most], axis=-1)


def with_rank(rank_set: RankSet, rank: int) -> RankSet:
    """The set, which also holds the rank on these cases."""
    return RankSet(min(rank_set.low, rank), max(rank_set.high, rank))


def square(
    pairs: Sequence[tuple[int, int]] | NDArray[np.intp], claims: Flags, models: int
) -> Flags:
    """Claims about pairs, (P, 2), as a (K, K) matrix from the row to the column.

    The first claim of a pair is about its first model and the second, the other one the reverse.
    """
    matrix = np.zeros((models, models), dtype=bool)
    first, second = np.asarray(pairs, dtype=np.intp).reshape(-1, 2).T
    matrix[first, second] = claims[:, 0]
    matrix[second, first] = claims[:, 1]
    return matrix


def alike_groups(told_apart: Flags) -> tuple[list[Group], bool]:
    """The largest groups of models of which no two are told apart; they may overlap.

    Differences that are told apart by their size make about as many groups as models at most. Of
    any graph there may be 3^(K/3), so that no more than `MOST_GROUPS` are sought; the second value
    says whether there are others.

    The outer two of three models are told apart, and either is like the middle one:

    >>> apart = np.zeros((3, 3), dtype=bool)
    >>> apart[0, 2] = apart[2, 0] = True
    >>> alike_groups(apart)
    ([(0, 1), (1, 2)], False)
    """
    models = len(told_apart)
    alike = [
        {other for other in range(models) if other != one and not told_apart[one, other]}
        for one in range(models)
    ]
    cliques = _cliques(set(), set(range(models)), set(), alike)
    groups = [tuple(sorted(group)) for group in itertools.islice(cliques, MOST_GROUPS + 1)]
    return sorted(groups[:MOST_GROUPS]), len(groups) > MOST_GROUPS


def _cliques(
    group: set[int], candidates: set[int], seen: set[int], alike: Sequence[set[int]]
) -> Iterator[set[int]]:
    """Maximal cliques (Bron & Kerbosch 1973, with a pivot)."""
    if not candidates and not seen:
        yield group
        return
    pivot = max(candidates | seen, key=lambda one: len(alike[one] & candidates))
    for one in sorted(candidates - alike[pivot]):
        yield from _cliques(group | {one}, candidates & alike[one], seen & alike[one], alike)
        candidates = candidates - {one}
        seen = seen | {one}
