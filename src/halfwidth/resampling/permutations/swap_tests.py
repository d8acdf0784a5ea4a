"""Permutation tests of two models on the same cases: what each has on a unit is swapped.

The null hypothesis is that it does not matter which model a case's two results come from. What is
swapped depends on the statistic: the values of a case, its decisions, or, of metrics of ranked
scores, its ranks within each model (Bandos, Rockette & Gur 2005), since the scores of two models
need not have one scale. Of detectors whole images are swapped. Clusters are swapped whole.

Almost every difference is a function of sums over cases whose signs the swaps choose, `SignedSums`:
means and standard deviations through power sums, counting metrics through the counts of cells, and
the AUROC as well (`forms.ranked_swaps`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import TIE_SHARE
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import tie_tolerance
from halfwidth.resampling.forms.contract import OfSwaps, Pair, Swapped
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.resampling.forms.signed_sums import SignedSums, plain_sum
from halfwidth.resampling.weights.blocks import Given
from halfwidth.resampling.weights.swaps import (
    MANY_FEATURES,
    all_sums,
    drawn_sums,
    drawn_swaps,
    swaps_of_cases,
)

# Rounding makes equal differences unequal by less than this share of them.
EQUAL_SHARE = 1e-9
# Swaps are octets: so many times more of them fit into a block.
LARGER_BLOCKS = 4


@frozen
class PermutationResult:
    """What a permutation test found."""

    p_value: float  # Two-sided; NaN where the difference is undefined
    n_resamples: int | None  # Permutations drawn; None where all were counted
    # Of the permutations, those in which the difference is undefined: they count as no less than
    # what was observed
    undefined_share: float = 0.0


def swap_tests(
    pairs: Sequence[Pair], design: Design, statistic: Statistic, plan: Plan
) -> list[PermutationResult]:
    """Permutation tests of pairs of models, all on the same cases and on the same draws.

    All swaps are counted where they make no more than ``plan.n_resamples`` different outcomes.
    Otherwise so many are drawn, and p = (1 + #)/(1 + N) (Phipson & Smyth 2010), # of those whose
    difference is at least as large as the one observed, in absolute value.
    """
    results: dict[int, PermutationResult | None] = {}
    sums: dict[int, tuple[SignedSums, float]] = {}
    others: dict[int, tuple[OfSwaps, float]] = {}
    for place, pair in enumerate(pairs):
        observed = _observed(pair, statistic)
        if np.isnan(observed):
            results[place] = PermutationResult(np.nan, None)
            continue
        signed = signed_sums(pair, design, statistic)
        if signed is not None:
            # Sums are compared, and near an SD of 0 some rounding is left of them.
            observed = min(observed, signed.as_given(), key=abs)
        least = _least(observed, pair, statistic)
        if signed is None:
            differences = differences_after_swaps(pair, design, statistic, plan)
            results[place] = _all_swapped(differences, pair, design, plan, least)
            others[place] = differences, least
        else:
            results[place] = _counted(signed, plan, least)
            if len(signed.features) < MANY_FEATURES:
                sums[place] = signed, least
            else:
                others[place] = signed.after_swaps(), least
    slow = statistic.spec.form is None
    for waiting, draw in (
        (sums, functools.partial(_drawn, design=design, plan=plan)),
        (others, functools.partial(_drawn_swapped, design=design, plan=plan, slow=slow)),
    ):
        left = [place for place in waiting if results[place] is None]
        results.update(zip(left, draw([waiting[place] for place in left]), strict=True))
    return [result for _, result in sorted(results.items()) if result is not None]


def _observed(pair: Pair, statistic: Statistic) -> float:
    first, second = (float(statistic(side[None])[0]) for side in pair)
    return first - second


def _least(observed: float, pair: Pair, statistic: Statistic) -> float:
    return least_extreme(
        observed, max(float(tie_tolerance(side[None], statistic)[0]) for side in pair)
    )


def least_extreme(observed: float, tolerance: float) -> float:
    """Differences from here on are as large as the one observed, but for rounding."""
    return abs(observed) * (1 - EQUAL_SHARE) - tolerance


def is_extreme(differences: Array, least: float) -> NDArray[np.bool_]:
    """Differences that are no smaller, undefined ones among them."""
    return np.asarray(~(np.abs(differences) < least))


# --------------------------------------------------------------------------- sums with signs


def _counted(signed: SignedSums, plan: Plan, least: float) -> PermutationResult | None:
    """Over all swaps; None where they are too many."""
    outcomes = all_sums(signed.features, plan.n_resamples)
    if outcomes is None:
        return None
    sums, probabilities = outcomes
    differences = signed.difference(sums)
    p_value, undefined = (
        min(float(probabilities[which].sum()), 1.0)
        for which in (is_extreme(differences, least), np.isnan(differences))
    )
    return PermutationResult(p_value, None, undefined)


def signed_sum_tests(
    features: Sequence[Array], design: Design, plan: Plan
) -> list[PermutationResult]:
    """Tests that sums of what units contribute, (U,) each, are 0 but for their signs."""
    results: list[PermutationResult | None] = []
    drawn: list[tuple[SignedSums, float]] = []
    for own in features:
        signed = plain_sum(own)
        least = least_extreme(float(own.sum()), TIE_SHARE * float(np.abs(own).sum()))
        results.append(_counted(signed, plan, least))
        if results[-1] is None:
            drawn.append((signed, least))
    drawn_results = iter(_drawn(drawn, design, plan))
    return [next(drawn_results) if result is None else result for result in results]


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
    extreme = int(is_extreme(differences, least).sum())
    return extreme, int(np.isnan(differences).sum())


def _from_tally(counts: NDArray[np.intp], plan: Plan) -> PermutationResult:
    extreme, undefined = counts.tolist()
    drawn = plan.n_resamples
    return PermutationResult((1 + extreme) / (1 + drawn), drawn, undefined / drawn)


def signed_sums(pair: Pair, design: Design, statistic: Statistic) -> SignedSums | None:
    """The difference between two models as a function of sums with signs; None where it is none."""
    make = engine_for(statistic).permutations.signed_sums
    return None if make is None else make(pair, design, statistic)


# --------------------------------------------------------------------------- everything else


def differences_after_swaps(
    pair: Pair, design: Design, statistic: Statistic, plan: Plan
) -> OfSwaps:
    """The statistic of what either model has after a swap."""
    engine = engine_for(statistic)
    if engine.permutations.swapping is not None:
        return engine.permutations.swapping(pair, design, statistic)
    make = engine.permutations.together
    both = [None if make is None else make(order, statistic) for order in (pair, pair[::-1])]
    samples = [one for one in both if one is not None]
    if not samples:
        return _gathering(pair, design, statistic)
    # Of either model its own units count where they are not swapped, the other's, which stand
    # behind them, where they are.
    sizes = None if design.sizes is None else design.sizes * 2
    both_models = Design((2 * design.units,), sizes, paired=True)
    prepared = engine.prepare(np.stack(samples), both_models, statistic)

    def differences(swapped: Swapped) -> Array:
        values = np.empty((2, len(swapped)))
        counts = np.concatenate([1 - swapped, swapped], axis=1)
        prepared.evaluate(Given(counts, plan.compiles), values)
        return np.asarray(values[0] - values[1])

    return differences


def _gathering(pair: Pair, design: Design, statistic: Statistic) -> OfSwaps:
    first, second = pair

    def differences(swapped: Swapped) -> Array:
        chosen = swaps_of_cases(swapped, design).astype(bool)
        chosen = chosen if first.ndim == 1 else chosen[:, None]
        own, other = np.where(chosen, second, first), np.where(chosen, first, second)
        return statistic(own) - statistic(other)

    return differences


def _all_swapped(
    differences: OfSwaps, pair: Pair, design: Design, plan: Plan, least: float
) -> PermutationResult | None:
    """Over all swaps of the units on which the models differ; None where they are too many."""
    moved = np.flatnonzero(design.totals(_differs(*pair)))
    if 2 ** len(moved) > plan.n_resamples:
        return None
    swapped = np.zeros((2 ** len(moved), design.units), np.uint8)
    swapped[:, moved] = np.arange(len(swapped))[:, None] >> np.arange(len(moved)) & 1
    extreme, undefined = _tally(differences(swapped), least)
    return PermutationResult(extreme / len(swapped), None, undefined / len(swapped))


def _drawn_swapped(
    waiting: Sequence[tuple[OfSwaps, float]], design: Design, plan: Plan, *, slow: bool
) -> list[PermutationResult]:
    tally = np.zeros((len(waiting), 2), np.intp)
    larger = replace(plan, block_elements=(1 if slow else LARGER_BLOCKS) * plan.block_elements)
    blocks = larger.blocks(2 * design.n, slow=slow) if waiting else ()
    for start, stop in blocks:
        # A case after the other in memory: most statistics look at a few of them.
        swapped = np.asfortranarray(drawn_swaps(plan, design, start, stop))
        tally += [_tally(differences(swapped), least) for differences, least in waiting]
    return [_from_tally(counts, plan) for counts in tally]


def _differs(first: Array, second: Array) -> Array:
    """1 for cases on which the models differ, else 0."""
    return np.atleast_2d(np.not_equal(first, second)).any(axis=0).astype(float)


def differing_units(first: Array, second: Array, design: Design) -> int:
    """How many units a swap changes anything of."""
    return int(np.count_nonzero(design.totals(_differs(first, second))))
