"""Distributions of L-statistics under Dirichlet weights: quantiles, the IQR, trimmed means.

The weighted quantile Q(t) is the smallest value up to which the cases weigh t or more. With equal
weights the r-th of n values is Q((r - ½) / n), in the middle of the levels from (r - 1) / n to
r / n at which Q is that value. So

- a statistic of *a few order statistics* is the same sum of the weighted quantiles at those levels;
- any other *L-statistic*, whose r-th value counts c₍r₎, is the integral of Q that counts
  n c₍r₎ from (r - 1) / n to r / n: a trimmed mean is trimmed of the weight ⌊γn⌋ / n at either end.

With equal weights both are the plain statistics. Pseudo-cases are the smallest and the largest
value. Those of a spread serve the upper end of an interval alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import ExactDistribution, Quantiles
from halfwidth.resampling.draws import MOST_KEPT, Plan
from halfwidth.resampling.kernels import native_selection, reference
from halfwidth.resampling.kernels.reference import middle_of
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights.dirichlet import (
    Weighted,
    masses_of_spread,
    pseudo_sizes,
)
from halfwidth.resampling.weights.gammas import gammas

# Probabilities below this change no quantile that anyone asks for.
NEGLIGIBLE = 1e-15
NONE: Masses = (0.0, 0.0)

Positions = NDArray[np.intp]
# From the masses of one end, and the samples with the bounds before and behind, the distribution.
OfOneEnd = Callable[[Masses, Array], Quantiles]


def at_both_ends(
    values: Array, pseudo_cases: PseudoCases, make: OfOneEnd, *, spread: bool
) -> tuple[Quantiles, Quantiles]:
    """Distributions for both ends of an interval, made once where they are the same."""
    low, high = pseudo_cases.low, pseudo_cases.high
    if spread:
        low, high = NONE, masses_of_spread(pseudo_cases)
    ends = ((0, 0), (0, 0), (1, 1))[-values.ndim :]
    extended = np.pad(values, ends, constant_values=0.0)
    extended[..., 0], extended[..., -1] = pseudo_cases.bounds.low, pseudo_cases.bounds.high
    lower = make(low, extended)
    return (lower, lower) if low == high else (lower, make(high, extended))


def total_weight(weights: Array) -> float:
    """The sum of L-weights, 1 for location and 0 for spread, free of rounding."""
    return float(np.rint(weights.sum()))


def gap_weights(weights: Array) -> Array:
    """Weights of the gaps before the values that are weighted: equal values have a spread of 0."""
    return np.asarray(-np.cumsum(weights[::-1])[::-1])


def level_of(rank: int | Array, n: int) -> Array:
    """The level at which a rank of n values is the quantile under equal weights."""
    return np.asarray((np.asarray(rank) - 0.5) / n)


# --------------------------------------------------------------------------- closed form


def quantile_distribution(
    extended: Array, ranks: Array, weights: Array, masses: Masses
) -> ExactDistribution:
    """The distribution of one order statistic of independent cases, or two adjacent ones.

    The weight of the k smallest of n cases and of the pseudo-case below them is a Beta variate:
    P(Q(t) ≤ x₍k₎) = P(Beta(k + a, n - k + b) ≥ t), a and b the masses. Two quantiles whose levels
    are 1/n apart are taken as if they had one uniform variate: a quantile of the distribution
    interpolates between those of both. ``extended`` are ascending values with the bounds before and
    behind them, (S, n + 2).
    """
    n = extended.shape[-1] - 2
    each = [_positions(n, int(rank), masses) for rank in ranks]
    breaks = np.unique(np.concatenate([cumulative for _, cumulative in each]))
    probability = np.diff(breaks, prepend=0.0)
    middles = breaks - probability / 2
    kept = probability > NEGLIGIBLE
    picked = [
        extended[:, places[np.minimum(np.searchsorted(cumulative, middles[kept]), len(places) - 1)]]
        for places, cumulative in each
    ]
    support = total_weight(weights) * picked[0]
    if len(picked) == 2:
        support += weights[1] * (picked[1] - picked[0])
    order = np.argsort(support, axis=-1, kind="stable")
    shares = probability[kept] / probability[kept].sum()
    return ExactDistribution(np.take_along_axis(support, order, axis=-1), shares[order])


def _positions(n: int, rank: int, masses: Masses) -> tuple[Positions, Array]:
    """Places in the extended sample where a weighted quantile may lie, and P(up to each)."""
    from scipy import special

    below, above = masses
    reach = 10.0 * np.sqrt(rank * (n + 1 - rank) / (n + 2)) + 50.0
    places = np.arange(max(0, int(rank - reach)), min(n + 1, int(rank + reach)) + 1)
    first, second = places + below, n - places + above
    inside = (first > 0) & (second > 0)
    tail = special.betaincc(
        np.where(inside, first, 1.0), np.where(inside, second, 1.0), level_of(rank, n)
    )
    # Nothing weighs below the first pseudo-case without a mass, and all up to the second.
    cumulative = np.where(inside, tail, places > 0)
    cumulative[-1] = 1.0
    return places, cumulative


# --------------------------------------------------------------------------- draws


def case_weights(
    design: Design, plan: Plan, masses: Masses, elements_each: int
) -> Iterator[tuple[int, int, Array]]:
    """Ranges of draws, and weights of the cases between those of the pseudo-cases: (B, n + 2)."""
    added = pseudo_sizes(design, plan, masses)
    sizes = design.by_stratum(design.unit_sizes.astype(float))
    for start, stop in plan.blocks(max(design.n, elements_each)):
        drawn = Weighted(design, plan, start, stop).variates()
        weights = np.zeros((stop - start, design.n + 2))
        unit_weights = []
        for place, (own, size) in enumerate(zip(design.by_stratum(drawn), sizes, strict=True)):
            pseudo = added[start:stop, place]
            each = (size.sum() / design.n) / (own @ size + pseudo.sum(axis=-1))
            unit_weights.append(own * each[:, None])
            weights[:, [0, -1]] += pseudo * each[:, None]
        weights[:, 1:-1] = np.repeat(np.concatenate(unit_weights, -1), design.unit_sizes, axis=-1)
        yield start, stop, weights


def few_quantiles(
    extended: Array, design: Design, plan: Plan, masses: Masses, ranks: Array, weights: Array
) -> Quantiles:
    """Sums of weighted quantiles, of samples in the canonical order of the design.

    Those of independent cases lie at the same places in every sample.
    """
    total, gaps = total_weight(weights), gap_weights(weights)
    pick = native_selection.picked if plan.compiles else reference.picked
    if design.simple:
        table = _table_of_places(design, plan, masses, ranks)
        return as_distribution(pick(extended, table, total, gaps), plan)
    out = np.empty((len(extended), plan.n_resamples))
    for start, stop, drawn in case_weights(design, plan, masses, len(extended)):
        for sample, into in zip(extended, out, strict=True):
            order = np.argsort(sample, kind="stable")
            places = _places(drawn[:, order], level_of(ranks, design.n))
            into[start:stop] = pick(sample[None, order], places, total, gaps)[0]
    return as_distribution(out, plan)


def _table_of_places(design: Design, plan: Plan, masses: Masses, ranks: Array) -> Positions:
    """Where the weighted quantiles of independent cases lie, in any ascending sample: (K, B)."""
    levels = level_of(ranks, design.n)

    def drawn() -> Positions:
        table = np.empty((len(levels), plan.n_resamples), np.intp)
        blocks, last_case = _blocks(design.n, ranks)
        single = Design.iid(int((blocks == 1).sum()))
        block_weights = [
            gammas(plan.entropy, ("weights of blocks", place), int(block), plan.n_resamples)
            for place, block in enumerate(blocks[blocks > 1])
        ]
        added = pseudo_sizes(design, plan, masses)[:, 0]
        for start, stop in plan.blocks(len(last_case)):
            weights = np.empty((stop - start, len(last_case)))
            weights[:, [0, -1]] = added[start:stop]
            weights[:, 1:-1][:, blocks == 1] = Weighted(single, plan, start, stop).variates()
            for column, block in zip(np.flatnonzero(blocks > 1), block_weights, strict=True):
                weights[:, 1 + column] = block[start:stop]
            table[:, start:stop] = last_case[_places(weights, levels)]
        return table

    return plan.once(("places of weighted quantiles", masses, tuple(levels)), (), design, drawn)


def _blocks(n: int, ranks: Array) -> tuple[Positions, Positions]:
    """Cases that are weighed together, since no quantile of these ranks ever lies among them.

    How many cases each block has, (m,), and the last case of each in the extended sample, between
    the pseudo-cases, (m + 2,).
    """
    reach = 8 * np.sqrt(ranks * (n + 1 - ranks) / (n + 2)) + 20
    alone = np.zeros(n + 1, dtype=bool)
    for rank, far in zip(ranks, reach, strict=True):
        alone[max(1, int(rank - far)) : min(n, int(rank + far)) + 1] = True
    # A block ends where it has one case, before such a case, and with the last case.
    ends = alone[1:].copy()
    ends[:-1] |= alone[2:]
    ends[-1] = True
    last = 1 + np.flatnonzero(ends)
    return np.diff(last, prepend=0), np.concatenate([[0], last, [n + 1]])


def _places(weights: Array, levels: Array) -> Positions:
    """Where quantiles lie, by what ascending values weigh, (B, m) -> (K, B)."""
    cumulated = np.cumsum(weights, axis=-1)
    total = cumulated[:, -1:]
    return np.stack([(cumulated >= level * total).argmax(axis=-1) for level in levels])


def integrals(
    extended: Array, design: Design, plan: Plan, masses: Masses, counts: Array
) -> Quantiles:
    """Integrals of the weighted quantile, of samples in the canonical order of the design.

    ``counts`` are those of the n sorted values under equal weights.
    """
    centre = middle_of(extended[:, 1:-1])
    centred, total = extended - centre, total_weight(counts)
    kept = _kept_shares(design, plan, masses, counts) if design.simple else None
    if kept is not None:
        return as_distribution(centred @ kept.T + total * centre, plan)
    out = np.empty((len(extended), plan.n_resamples))
    for start, stop, drawn in case_weights(design, plan, masses, len(extended)):
        if design.simple:
            out[:, start:stop] = centred @ _shares(drawn, counts).T
            continue
        for sample, into in zip(centred, out, strict=True):
            order = np.argsort(sample, kind="stable")
            into[start:stop] = _shares(drawn[:, order], counts) @ sample[order]
    return as_distribution(out + total * centre, plan)


def _kept_shares(design: Design, plan: Plan, masses: Masses, counts: Array) -> Array | None:
    """Shares of ascending values in all draws, (B, n + 2); None: too many to be kept."""
    if plan.kept is None or plan.n_resamples * design.n > MOST_KEPT:
        return None

    def drawn() -> Array:
        shares = np.empty((plan.n_resamples, design.n + 2))
        for start, stop, weights in case_weights(design, plan, masses, 1):
            shares[start:stop] = _shares(weights, counts)
        return shares

    return plan.once(("shares of ascending values", masses), (counts,), design, drawn)


def _shares(weights: Array, counts: Array) -> Array:
    """What each of ascending values counts in the integral: (B, n + 2) -> (B, n + 2)."""
    cumulated, n = np.cumsum(weights, axis=-1), len(counts)
    integral = np.zeros(cumulated.shape)
    # Between places where the counts change it is a straight line.
    bends = np.flatnonzero(np.diff(counts, prepend=np.nan, append=np.nan) != 0)
    for begin, end in itertools.pairwise(bends):
        if counts[begin]:
            integral += n * counts[begin] * (np.clip(cumulated, begin / n, end / n) - begin / n)
    return np.diff(integral, axis=-1, prepend=0.0)
