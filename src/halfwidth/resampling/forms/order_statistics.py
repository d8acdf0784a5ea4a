"""A few order statistics: medians, quantiles, the interquartile range.

One of them, or two neighbours, have a bootstrap distribution in closed form. Those that lie apart
are drawn by their spacings. Of other designs than independent cases they are L-statistics with few
weights.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import OrderStatistics
from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import Masses, PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import Distribution, ExactDistribution, Quantiles, in_parts
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.dirichlet_order import (
    at_both_ends,
    few_quantiles,
    gap_weights,
    quantile_distribution,
    total_weight,
)
from halfwidth.resampling.forms.contract import (
    REPLICATE,
    BothEnds,
    Dirichlet,
    Engine,
    Permutations,
    Prepared,
    declared_form,
)
from halfwidth.resampling.forms.l_statistics import SortedSamples, leave_one_out, swapping
from halfwidth.resampling.kernels import native_selection, reference
from halfwidth.resampling.tails import as_distribution
from halfwidth.resampling.weights.blocks import Block, Pace
from halfwidth.resampling.weights.gammas import gammas

# Support points of less probability than this change no quantile that anyone asks for.
NEGLIGIBLE = 1e-15
# A gap of d positions between neighbouring order statistics has probability of about exp(-d).
LONGEST_GAP = 40
# Standard deviations about a rank within which nearly all resamples have it.
NEAR = 5

Draws = NDArray[np.intp]


def exact_distribution(
    values: Array, design: Design, statistic: Statistic, _plan: Plan
) -> Distribution | None:
    """The exact distribution of one order statistic, or two neighbours, of independent cases."""
    if not design.simple:
        return None
    ranks, weights = _picks(statistic, design.n)
    return closed_form(values, ranks, weights) if _are_close(ranks) else None


def drawn_distribution(
    values: Array, design: Design, statistic: Statistic, plan: Plan
) -> Distribution | None:
    """Independent cases, by the spacings of order statistics that lie apart."""
    if not design.simple:
        return None
    ranks, weights = _picks(statistic, design.n)

    def positions() -> reference.Draws:
        drawn = spacings(plan.entropy, ranks, design.n, plan.n_resamples)
        return np.ascontiguousarray(drawn.T)

    table = plan.once(("spacings", tuple(ranks)), (), design, positions)
    pick = native_selection.picked if plan.compiles else reference.picked
    return as_distribution(pick(values, table, total_weight(weights), gap_weights(weights)), plan)


def spacings(entropy: int, ranks: Array, n: int, n_resamples: int) -> NDArray[np.intp]:
    """Positions from 0 of some ranks from 1 in each sorted resample, exact in distribution: (B, K).

    The n + 1 spacings of n sorted uniforms are distributed as exponentials over their sum, so the
    spacing between the order statistics of two ranks is a gamma of their difference over that sum:
    U₍k₎ = G(k) / (G(k) + G(n + 1 - k)), a Beta(k, n + 1 - k). A uniform u stands for the case at
    sorted position ⌈n·u⌉. The table serves every sample of a batch.
    """
    steps = np.diff([0, *(int(rank) for rank in ranks), n + 1])
    purpose = ("spacings", "iid", n, *(int(step) for step in steps))
    sums = np.cumsum(
        [
            gammas(entropy, (*purpose, place), int(step), n_resamples)
            for place, step in enumerate(steps)
        ],
        axis=0,
    )
    position = np.ceil(n * (sums[:-1] / sums[-1])).astype(np.intp)
    return np.asarray(np.clip(position, 1, n).T - 1)


@frozen(eq=False)
class OrderedSamples(Prepared):
    """Samples in orders of their own, whose ranks are looked for in each resample."""

    values: Array  # (S, n)
    design: Design  # With units of one size
    ranks: Array  # (K,)
    weights: Array  # (K,)
    in_order: SortedSamples  # The same for resamples of other sizes, whose ranks are others

    @functools.cached_property
    def orders(self) -> Draws:
        """The cases of each sample, ascending."""
        return np.argsort(self.values, axis=-1, kind="stable")

    def pace(self, plan: Plan) -> Pace:
        """Pace at which counts and values fit into a block."""
        return Pace(plan.block_elements // max(self.design.n, len(self.values)))

    def evaluate(self, block: Block, into: Array) -> None:
        """Evaluate by the places of the order statistics in each resample."""
        if not block.whole:
            self.in_order.evaluate(block, into)
            return
        total, gaps = total_weight(self.weights), gap_weights(self.weights)
        pick = native_selection.picked if block.compiles else reference.picked
        dtype = np.int16 if self.design.n < 2**15 else np.int32
        drawn = np.repeat(block.rows().T.astype(dtype), self.design.unit_sizes, axis=0)
        tables = _places_of_ranks(drawn, self.orders, self.ranks, self.design)
        for sample, order, places, row in zip(self.values, self.orders, tables, into, strict=True):
            row[:] = pick(sample[None, order], places, total, gaps)[0]


def prepare(values: Array, design: Design, statistic: Statistic) -> Prepared:
    """Sort samples; as L-statistics, which is faster, where all have their cases in one order."""
    in_order = SortedSamples.prepare(values, design, statistic)
    if design.simple or not design.equal_sizes:
        return in_order
    return OrderedSamples(values, design, *_picks(statistic, design.n), in_order)


def weighted(
    values: Array, design: Design, statistic: Statistic, plan: Plan, pseudo_cases: PseudoCases
) -> BothEnds:
    """Sums of weighted quantiles; a quantile, between two neighbours too, without draws."""
    ranks, weights = _picks(statistic, design.n)
    # The IQR of two cases is of two neighbours, but lies between neither.
    spread = total_weight(weights) == 0

    def at_end(masses: Masses, extended: Array) -> Quantiles:
        if design.simple and _are_close(ranks) and not spread:
            return quantile_distribution(extended, ranks, weights, masses)
        return few_quantiles(extended, design, plan, masses, ranks, weights)

    return at_both_ends(values, pseudo_cases, at_end, spread=spread)


def _places_of_ranks(
    drawn: NDArray[Any], orders: Draws, ranks: Array, design: Design
) -> Iterator[Draws]:
    """Where order statistics of resamples lie among the sorted cases, sample by sample: (K, B).

    ``drawn`` are counts of the cases, (n, B), of a type that cumulated ones fit into; ``orders``
    the cases of each sample, ascending. Those far below a rank are counted together; of the few
    resamples in which it lies beyond those near it, all cases are counted.
    """
    n, size = design.n, int(design.unit_sizes[0])
    windows = []
    for together in np.split(ranks, np.flatnonzero(np.diff(ranks) > 1) + 1):
        low, high = int(together[0]), int(together[-1])
        reach = int(NEAR * np.sqrt(size * low * (n + 1 - low) / (n + 2))) + size
        windows.append((together, max(low - 1 - reach, 0), min(high + reach, n)))
    for order in orders:
        places = []
        for together, first, stop in windows:
            before = drawn[order[:first]].sum(axis=0, dtype=drawn.dtype)
            upto = np.cumsum(drawn[order[first:stop]], axis=0, dtype=drawn.dtype)
            upto += before
            for rank in together:
                place = first + (upto < rank).sum(axis=0)
                far = np.flatnonzero((before >= rank) | (upto[-1] < rank))
                every = np.cumsum(drawn[:, far][order], axis=0)
                place[far] = (every < rank).sum(axis=0)
                places.append(place)
        yield np.stack(places)


def _are_close(ranks: Array) -> bool:
    return len(ranks) == 1 or (len(ranks) == 2 and bool(ranks[1] == ranks[0] + 1))


def _picks(statistic: Statistic, n: int) -> tuple[Array, Array]:
    return declared_form(statistic, OrderStatistics).picks(n, **statistic.parameters)


# --------------------------------------------------------------------------- closed form


def closed_form(sorted_values: Array, ranks: Array, weights: Array) -> ExactDistribution:
    """Exact bootstrap distribution of Σ weight · X*₍rank₎ for a rank from 1 on, or two adjacent."""
    n, k, total = sorted_values.shape[-1], int(ranks[0]), total_weight(weights)
    position, probability = _one(n, k)
    if len(ranks) == 1:
        support = total * sorted_values[:, position]
        return ExactDistribution(support, np.broadcast_to(probability, support.shape))
    first, second, pair_probability = _two_adjacent(n, k, position, probability)
    support, each = np.empty((2, len(sorted_values), len(first)))
    for part in in_parts(*support.shape):
        sums = np.take(sorted_values[part], first, axis=-1)
        gap = np.take(sorted_values[part], second, axis=-1)
        gap -= sums
        gap *= weights[1]
        sums *= total
        sums += gap
        order = np.argsort(sums, axis=-1)
        support[part] = np.take_along_axis(sums, order, axis=-1)
        each[part] = pair_probability[order]
    return ExactDistribution(support, each)


def _one(n: int, k: int) -> tuple[NDArray[np.intp], Array]:
    """Positions (0-based) at which the k-th order statistic of a resample falls, and how likely."""
    # P(X*₍k₎ ≤ x₍j₎) = P(Bin(n, j/n) ≥ k) = I₍j/n₎(k, n - k + 1).
    from scipy import special

    reach = 10.0 * np.sqrt(k * (n + 1 - k) / (n + 2)) + 50.0
    edges = np.arange(max(0, int(k - reach)), min(n, int(k + reach)) + 1)
    probability = np.diff(special.betainc(k, n - k + 1, edges / n))
    kept = probability > NEGLIGIBLE
    return edges[:-1][kept], probability[kept] / probability[kept].sum()


def _two_adjacent(
    n: int, k: int, position: NDArray[np.intp], marginal: Array
) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Joint distribution of the positions of the k-th and (k+1)-th order statistics.

    For i < j the event is that k draws lie up to i, the largest of them at i, and the n - k others
    from j on, the smallest at j:
    C(n, k) · [(i/n)^k - ((i-1)/n)^k] · [((n-j+1)/n)^(n-k) - ((n-j)/n)^(n-k)].
    What the marginal of the k-th leaves over is the event i = j.
    """
    from scipy import special

    log_choose = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    i = position + 1
    remaining = n - int(i[0])
    longest = min(remaining, int(np.ceil(LONGEST_GAP * (1 + remaining / (n - k)))))
    j = i[:, None] + np.arange(1, longest + 1)
    with np.errstate(divide="ignore"):
        log_lower = k * np.log(i / n) + _log_rest(k, i)
        log_upper = (n - k) * np.log(np.maximum(n - j + 1, 0) / n) + _log_rest(n - k, n - j + 1)
    apart = np.where(j <= n, np.exp(log_choose + log_lower[:, None] + log_upper), 0.0)
    together = np.maximum(marginal - apart.sum(axis=-1), 0.0)
    rows, columns = np.nonzero(apart > NEGLIGIBLE)
    first = np.concatenate([position, position[rows]])
    second = np.concatenate([position, position[rows] + columns + 1])
    probability = np.concatenate([together, apart[rows, columns]])
    return first, second, probability / probability.sum()


def _log_rest(power: int, count: NDArray[np.intp]) -> Array:
    """log(1 - ((count - 1) / count)^power), with all its digits."""
    count = np.maximum(count, 1)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(-np.expm1(power * np.log1p(-1.0 / count))))


def seconds(_statistic: Statistic, _n: int, _classes: int) -> float:
    """Nothing but to be made into bounds."""
    return REPLICATE


def support(n: int) -> int:
    """Some tens of pairs for each √n positions."""
    return 40 * (20 * int(np.sqrt(n)) + 100)


ENGINE = Engine(
    prepare=prepare,
    leave_one_out=leave_one_out,
    exact_distribution=exact_distribution,
    drawn_distribution=drawn_distribution,
    dirichlet=Dirichlet(both_ends=weighted),
    permutations=Permutations(swapping=swapping),
    seconds=seconds,
    support=support,
)
