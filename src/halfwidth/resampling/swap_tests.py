"""Permutation tests of two models on the same cases: what each has on a unit is swapped.

The null hypothesis is that it does not matter which model a case's two results come from. What is
swapped depends on the statistic: the values of a case, its decisions, or, of metrics of ranked
scores, its ranks within each model (Bandos, Rockette & Gur 2005), since the scores of two models
need not have one scale. Clusters are swapped whole.

Almost every difference is a function of sums over cases whose signs the swaps choose, `SignedSums`:
means and standard deviations through power sums, counting metrics through the counts of cells, and
the AUROC as well. With signs s of the positive and t of the negative cases, ψ₁₂ for the comparison
of a positive's rank in the first model with a negative's in the second, and so on, the difference
of the swapped areas is

    Σ (s + t)/2 (ψ₁₁ - ψ₂₂) + (s - t)/2 (ψ₁₂ - ψ₂₁)  over all pairs, divided by their number,

which is linear in the signs: 10 000 ranked cases cost what 10 000 differences do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import (
    CellCounts,
    FastArea,
    Moments,
    OrderStatistics,
    RankedAreas,
    SortedWeights,
    Sums,
)
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.metrics.ranking import RankEach, mean_ranks
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import tie_tolerance
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.kernels.reference import middle_of
from halfwidth.resampling.swaps import all_sums, drawn_sums, drawn_swaps

# Rounding makes equal differences unequal by less than this share of them.
EQUAL_SHARE = 1e-9


@frozen
class PermutationResult:
    """What a permutation test found.

    Attributes
    ----------
    p_value : float
        Two-sided; NaN where the difference is undefined.
    n_resamples : int or None
        Permutations drawn; None where all were counted.
    n_undefined : int
        Of the drawn ones, those in which the difference is undefined: they count as no less than
        what was observed.
    """

    p_value: float
    n_resamples: int | None
    n_undefined: int = 0


@frozen(eq=False)
class SignedSums:
    """A difference between two models as a function of sums with signs.

    Attributes
    ----------
    features : ndarray, shape (K, U)
        What each unit contributes to the sums.
    difference : callable
        ``difference(sums)``, (K, B) -> (B,).
    """

    features: Array
    difference: Callable[[Array], Array]


Pair = tuple[Array, Array]


def swap_tests(
    pairs: Sequence[Pair], design: Design, statistic: Statistic, plan: Plan
) -> list[PermutationResult]:
    """Permutation tests of pairs of models, all on the same cases and on the same draws.

    All swaps are counted where they make no more than ``plan.n_resamples`` different outcomes.
    Otherwise so many are drawn, and p = (1 + #)/(1 + N), # of those whose difference is at least as
    large as the one observed, in absolute value.

    Parameters
    ----------
    pairs : sequence of two ndarray each, shape (n,) or (k, n)
        Values, codes or records of the first and the second model, in the order of the design.
    design : Design
    statistic : Statistic
    plan : Plan

    Returns
    -------
    list of PermutationResult
    """
    results: list[PermutationResult | None] = [None] * len(pairs)
    drawn: dict[int, tuple[SignedSums, float]] = {}
    for place, pair in enumerate(pairs):
        observed = _observed(pair, statistic)
        least = _least(observed, pair, statistic)
        if np.isnan(observed):
            results[place] = PermutationResult(np.nan, None)
            continue
        signed = signed_sums(pair, design, statistic)
        if signed is None:
            results[place] = _by_swapping(pair, design, statistic, plan, least)
            continue
        results[place] = _counted(signed, plan, least)
        if results[place] is None:
            drawn[place] = signed, least
    results_drawn = _drawn(list(drawn.values()), design, plan)
    for place, result in zip(drawn, results_drawn, strict=True):
        results[place] = result
    return [result for result in results if result is not None]


def _observed(pair: Pair, statistic: Statistic) -> float:
    first, second = (float(statistic(side[None])[0]) for side in pair)
    return first - second


def _least(observed: float, pair: Pair, statistic: Statistic) -> float:
    """Differences from here on are as large as the one observed."""
    tolerance = max(float(tie_tolerance(side[None], statistic)[0]) for side in pair)
    return abs(observed) * (1 - EQUAL_SHARE) - tolerance


def _is_extreme(differences: Array, least: float) -> NDArray[np.bool_]:
    """Those that are no smaller, undefined ones among them."""
    return np.asarray(~(np.abs(differences) < least))


# --------------------------------------------------------------------------- sums with signs


def _counted(signed: SignedSums, plan: Plan, least: float) -> PermutationResult | None:
    """Over all swaps; None where they are too many."""
    found = all_sums(signed.features, plan.n_resamples)
    if found is None:
        return None
    sums, probabilities = found
    p_value = probabilities[_is_extreme(signed.difference(sums), least)].sum()
    return PermutationResult(min(float(p_value), 1.0), None)


def _drawn(
    waiting: Sequence[tuple[SignedSums, float]], design: Design, plan: Plan
) -> list[PermutationResult]:
    if not waiting:
        return []
    features = np.concatenate([signed.features for signed, _ in waiting])
    ends = np.cumsum([len(signed.features) for signed, _ in waiting])[:-1]
    tally = np.zeros((len(waiting), 2), np.intp)
    for _, _, sums in drawn_sums(features, design, plan):
        each = zip(waiting, np.split(sums, ends), strict=True)
        tally += [_tally(signed.difference(own), least) for (signed, least), own in each]
    return [_from_tally(counts, plan) for counts in tally]


def _tally(differences: Array, least: float) -> tuple[int, int]:
    """How many are extreme, and how many undefined."""
    extreme = int(_is_extreme(differences, least).sum())
    return extreme, int(np.isnan(differences).sum())


def _from_tally(counts: NDArray[np.intp], plan: Plan) -> PermutationResult:
    extreme, undefined = counts.tolist()
    return PermutationResult((1 + extreme) / (1 + plan.n_resamples), plan.n_resamples, undefined)


def signed_sums(pair: Pair, design: Design, statistic: Statistic) -> SignedSums | None:
    """The difference between two models as a function of sums with signs; None where it is none."""
    form = statistic.spec.form
    if isinstance(form, RankedAreas):
        if form.area.fast is not FastArea.CONCORDANCE or not isinstance(form.rank, RankEach):
            return None
        return _of_concordances(pair, design, form, form.rank)
    make = SUMS_OF.get(type(form))
    return None if make is None else make(pair, design, statistic)


def _of_moments(pair: Pair, design: Design, statistic: Statistic) -> SignedSums:
    first, second = pair
    if statistic.spec.estimand is Estimand.MEAN:
        return SignedSums(design.totals(first - second)[None] / design.n, lambda sums: sums[0])
    form = declared_form(statistic, Moments)
    centre = middle_of(np.concatenate(pair)[None])
    both = [np.stack([(s - centre[0]) ** p for p in range(1, form.order + 1)]) for s in pair]

    def finish(sums: Array) -> Array:
        made = form.finish(design.n, list(sums[:, None]), centre, **statistic.parameters)
        return np.asarray(made[0])

    return _of_sums_of_either(both[0], both[1], design, finish)


def _of_counts(pair: Pair, design: Design, statistic: Statistic) -> SignedSums:
    form = declared_form(statistic, CellCounts)
    cells = np.arange(form.n_cells)[:, None]
    first, second = ((side.astype(np.intp) == cells).astype(float) for side in pair)

    def finish(counts: Array) -> Array:
        return form.finish(np.ascontiguousarray(counts.T))

    return _of_sums_of_either(first, second, design, finish)


def _of_features(pair: Pair, design: Design, statistic: Statistic) -> SignedSums:
    form = declared_form(statistic, Sums)
    first, second = (form.features(side[None])[0] for side in pair)

    def finish(sums: Array) -> Array:
        return form.finish(np.asarray(float(design.n)), np.ascontiguousarray(sums.T))

    return _of_sums_of_either(first, second, design, finish)


SUMS_OF: dict[type, Callable[[Pair, Design, Statistic], SignedSums]] = {
    Moments: _of_moments,
    CellCounts: _of_counts,
    Sums: _of_features,
}


def _of_sums_of_either(
    first: Array, second: Array, design: Design, finish: Callable[[Array], Array]
) -> SignedSums:
    """A function of the sums of each model, whose mean stays while half their difference varies."""
    middle = (first.sum(axis=-1) + second.sum(axis=-1))[:, None] / 2

    def difference(sums: Array) -> Array:
        return finish(middle + sums) - finish(middle - sums)

    return SignedSums(design.totals((first - second) / 2), difference)


# --------------------------------------------------------------------------- ranked scores


def ranks_within(records: Array, rank: RankEach) -> Array:
    """Records with scores replaced by their ranks, ties by their mean rank."""
    scores = records[: rank.n_scores]
    rows = scores.reshape(1, -1) if rank.flatten else scores
    ranks = np.stack([mean_ranks(row) for row in rows]).reshape(scores.shape)
    return np.concatenate([ranks, records[rank.n_scores :]])


def _of_concordances(pair: Pair, design: Design, form: RankedAreas, rank: RankEach) -> SignedSums:
    """An AUROC, or an average of several: linear in the signs of the cases."""
    k, n = rank.n_scores, design.n
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
    cases = (np.nan_to_num(contributions) * shares[:, None]).reshape(-1, n).sum(axis=0)
    return SignedSums(design.totals(cases)[None], lambda sums: sums[0])


def _shares_of_rows(form: RankedAreas, areas: Array, positives: Array) -> Array:
    """What the average gains from each area: all averages are linear in the areas."""
    stepped = areas + 0.5 * np.eye(len(areas))
    at = np.concatenate([areas[None], stepped])
    values = form.finish(at, np.broadcast_to(positives, at.shape))
    return np.asarray(np.nan_to_num((values[1:] - values[0]) / 0.5))


def _contributions(
    first: Array, second: Array, positive: NDArray[np.bool_], weight: Array
) -> Array:
    """What each entry of a ranking contributes to the difference of two AUROCs, with its sign.

    NaN where a class is absent.
    """
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


# --------------------------------------------------------------------------- everything else


def _by_swapping(
    pair: Pair, design: Design, statistic: Statistic, plan: Plan, least: float
) -> PermutationResult:
    """The statistic of what either model has after each swap."""
    form = statistic.spec.form
    of_swaps = _swapper(pair, statistic)
    moved = np.flatnonzero(design.totals(_differs(*pair)))
    if 2 ** len(moved) <= plan.n_resamples:
        swapped = np.zeros((2 ** len(moved), design.units), np.uint8)
        swapped[:, moved] = np.arange(len(swapped))[:, None] >> np.arange(len(moved)) & 1
        differences = of_swaps(_of_cases(swapped, design))
        return PermutationResult(float(_is_extreme(differences, least).mean()), None)
    counts = np.zeros(2, np.intp)
    each = 2 * max(pair[0].size, 1)
    for start, stop in plan.blocks(each, slow=form is None):
        swapped = _of_cases(drawn_swaps(plan, design, start, stop), design)
        counts += _tally(of_swaps(swapped), least)
    return _from_tally(counts, plan)


def _differs(first: Array, second: Array) -> Array:
    """1 for cases on which the models differ, else 0."""
    return np.atleast_2d(np.not_equal(first, second)).any(axis=0).astype(float)


Swapped = NDArray[np.uint8]


def _of_cases(swapped: Swapped, design: Design) -> Swapped:
    return swapped if design.sizes is None else np.repeat(swapped, design.unit_sizes, axis=-1)


def _swapper(pair: Pair, statistic: Statistic) -> Callable[[Swapped], Array]:
    """From swaps of cases, (B, n), to differences, (B,)."""
    form = statistic.spec.form
    if isinstance(form, OrderStatistics | SortedWeights):
        return _SortedOnce(pair, form.weights(pair[0].shape[-1], **statistic.parameters))
    if isinstance(form, RankedAreas) and isinstance(form.rank, RankEach):
        rank = form.rank
        pair = ranks_within(pair[0], rank), ranks_within(pair[1], rank)
    first, second = pair

    def differences(swapped: Swapped) -> Array:
        chosen = swapped.astype(bool)
        chosen = chosen if first.ndim == 1 else chosen[:, None]
        return statistic(np.where(chosen, second, first)) - statistic(
            np.where(chosen, first, second)
        )

    return differences


class _SortedOnce:
    """L-statistics: both samples are sorted together once, and a swap chooses what is whose."""

    def __init__(self, pair: Pair, weights: Array) -> None:
        together = np.concatenate(pair)
        order = np.argsort(together, kind="stable")
        self._values = together[order]
        self._case, self._of_second = order % len(pair[0]), order >= len(pair[0])
        self._places = np.flatnonzero(weights)
        self._weights = weights[self._places]

    def __call__(self, swapped: Swapped) -> Array:
        of_second = (swapped[:, self._case] ^ self._of_second).astype(bool)
        return self._statistic(~of_second) - self._statistic(of_second)

    def _statistic(self, mine: NDArray[np.bool_]) -> Array:
        """Each row of `mine` holds as many entries as there are cases."""
        places = np.flatnonzero(mine).reshape(len(mine), -1)[:, self._places]
        return np.asarray(self._values[places % mine.shape[1]] @ self._weights)
