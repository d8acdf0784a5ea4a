"""Swaps of ranks within each model, for metrics of ranked scores (Bandos, Rockette & Gur 2005).

The scores of two models need not have one scale, so it is the ranks of a case within each model
that change places. The difference of two AUROCs then is linear in the signs s of the positive and
t of the negative cases. With ψ₁₂ for the comparison of a positive's rank in the first model with a
negative's in the second, and so on, the difference of the swapped areas is

    Σ (s + t)/2 (ψ₁₁ - ψ₂₂) + (s - t)/2 (ψ₁₂ - ψ₂₁)  over all pairs, divided by their number,

so that 10 000 ranked cases cost what 10 000 differences of values do. Other areas are no sums: of
the ranks of both models in one order, either model has those to which a swap gives the weight 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.ranked_scores import RankEach, mean_ranks
from halfwidth.core.forms import RankedAreas
from halfwidth.core.types import Array


def ranks_within(records: Array, rank: RankEach) -> Array:
    """Records with scores replaced by their ranks, ties by their mean rank."""
    scores = records[: rank.n_scores]
    rows = scores.reshape(1, -1) if rank.flatten else scores
    ranks = np.stack([mean_ranks(row) for row in rows]).reshape(scores.shape)
    return np.concatenate([ranks, records[rank.n_scores :]])


def contributions_of_cases(pair: tuple[Array, Array], form: RankedAreas, rank: RankEach) -> Array:
    """What cases add to a difference of (average) AUROCs, (n,): -1 times that where swapped."""
    k, n = rank.n_scores, pair[0].shape[-1]
    first, second = (ranks_within(side, rank)[:k] for side in pair)
    records = pair[0]
    positive = records[k] == np.arange(k)[:, None]
    weight = np.broadcast_to(records[k + 1] if rank.weighted else np.ones(n), (k, n))
    shape = (1, -1) if rank.flatten else (k, n)
    rows = [array.reshape(shape) for array in (first, second, positive, weight)]
    contributions = np.stack([_contributions(*row) for row in zip(*rows, strict=True)])
    areas = np.where(np.isnan(contributions[:, :1]), np.nan, 0.5)[:, 0]
    held = np.array([w[p].sum() for p, w in zip(rows[2], rows[3], strict=True)])
    shares = _shares_of_rows(form, areas, held)
    entries = np.nan_to_num(contributions) * shares[:, None]
    return np.asarray(entries.reshape(-1, n).sum(axis=0))


def _shares_of_rows(form: RankedAreas, areas: Array, positives: Array) -> Array:
    """What the average gains from each area: all averages are linear in the areas."""
    stepped = areas + 0.5 * np.eye(len(areas))
    at = np.concatenate([areas[None], stepped])
    values = form.finish(at, np.broadcast_to(positives, at.shape))
    return np.asarray(np.nan_to_num((values[1:] - values[0]) / 0.5))


def _contributions(
    first: Array, second: Array, positive: NDArray[np.bool_], weight: Array
) -> Array:
    """What entries of a ranking add to a difference of AUROCs; NaN where a class is absent."""
    out = np.full(len(first), np.nan)
    total = weight[positive].sum() * weight[~positive].sum()
    if not total > 0:
        return out
    for own, other, direction in ((positive, ~positive, 1), (~positive, positive, -1)):
        one, two = first[own], second[own]
        among_first, among_second = (_Below(side[other], weight[other]) for side in (first, second))
        same = among_first(one) - among_second(two)
        crossed = among_second(one) - among_first(two)
        out[own] = direction * weight[own] * (same + crossed) / (2 * total)
    return out


class _Below:
    """The weight of the values below a number, and half that of those equal to it."""

    def __init__(self, values: Array, weights: Array) -> None:
        order = np.argsort(values, kind="stable")
        self._sorted = values[order]
        self._upto = np.concatenate([[0.0], np.cumsum(weights[order])])

    def __call__(self, numbers: Array) -> Array:
        sides: tuple[NDArray[np.intp], NDArray[np.intp]] = (
            np.searchsorted(self._sorted, numbers, "left"),
            np.searchsorted(self._sorted, numbers, "right"),
        )
        return np.asarray((self._upto[sides[0]] + self._upto[sides[1]]) / 2)
