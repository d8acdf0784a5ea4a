"""Swaps: what two models have on a unit changes places, or stays, with probability ½ each.

Where the two models do equally well, and what each has on a case might as well be the other's, all
swaps are equally likely. A sum over cases of what the first model has less what the second has then
becomes a sum with signs, -1 where a unit is swapped. Units that contribute alike are told apart by
no sum, so that all swaps of m of them come to m + 1 sums with the probabilities of a binomial
distribution: few kinds of units can be counted in full, however many units there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

# Contributions that agree in so many bits of the largest one differ by rounding alone.
ALIKE = 2.0**40
# Fewer features than these are summed by tables of eight units, of up to so many units and for so
# many resamples together; others as products of matrices, whose blocks are so many times larger.
MANY_FEATURES, MOST_TABLED, MOST_TOGETHER, LARGER_BLOCKS = 8, 2**16, 4096, 16
OCTET = rng.BITS_PER_OCTET


def swap_key(plan: Plan, design: Design) -> rng.Key:
    """The key of the swaps of so many units: no bootstrap has it, and all pairs share it."""
    return rng.derive_key(plan.entropy, "permutation", "swaps", design.units)


def drawn_swaps(plan: Plan, design: Design, start: int, stop: int) -> NDArray[np.uint8]:
    """Whether each unit is swapped, 1, or not, 0: resamples ``start`` to ``stop``, (B, U)."""
    return rng.bits(swap_key(plan, design), start, stop, design.units)


def swaps_of_cases(swapped: NDArray[np.uint8], design: Design) -> NDArray[np.uint8]:
    """Swaps of units as swaps of all their cases, (B, U) -> (B, n)."""
    return swapped if design.sizes is None else np.repeat(swapped, design.unit_sizes, axis=-1)


def drawn_sums(features: Array, design: Design, plan: Plan) -> Iterator[tuple[int, int, Array]]:
    """Ranges of resamples, and sums of features with the signs that swaps give them, (K, B)."""
    if len(features) < MANY_FEATURES and design.units <= MOST_TABLED:
        yield from _sums_by_octets(features, design, plan)
        return
    totals = features.sum(axis=-1, keepdims=True)
    # Products of large matrices: threads of a BLAS wait for each other after every one.
    blocks = replace(plan, block_elements=LARGER_BLOCKS * plan.block_elements).blocks
    for start, stop in blocks(max(design.units, len(features))):
        swapped = drawn_swaps(plan, design, start, stop).astype(float)
        yield start, stop, totals - 2 * (features @ swapped.T)


def _sums_by_octets(
    features: Array, design: Design, plan: Plan
) -> Iterator[tuple[int, int, Array]]:
    """Sums over eight units at a time, looked up by the octet that says which are swapped."""
    octets = -(-design.units // OCTET)
    filled = np.zeros((octets * OCTET, len(features)))
    filled[: design.units] = features.T
    swapped = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    tables = (1.0 - 2.0 * swapped) @ filled.reshape(octets, OCTET, -1)
    key = swap_key(plan, design)
    for start, stop in replace(plan, block_elements=MOST_TABLED * OCTET).blocks(
        1, most=MOST_TOGETHER
    ):
        drawn = np.ascontiguousarray(rng.packed_bits(key, start, stop, design.units).T)
        sums = np.zeros((stop - start, len(features)))
        for table, codes in zip(tables, drawn, strict=True):
            sums += table[codes]
        yield start, stop, sums.T


def all_sums(features: Array, most: int) -> tuple[Array, Array] | None:
    """Sums over all swaps, (K, N), and their probabilities, (N,); None of more than ``most``."""
    kinds, counts = _kinds(features)
    if len(counts) > math.log2(most) or math.prod((counts + 1).tolist()) > most:
        return None
    sums, probabilities = np.zeros((len(features), 1)), np.ones(1)
    for kind, count in zip(kinds.T, counts.tolist(), strict=True):
        times = np.arange(-count, count + 1, 2)
        sums = (sums[:, :, None] + kind[:, None, None] * times).reshape(len(features), -1)
        probabilities = np.outer(probabilities, _fair_binomial(count)).ravel()
    return sums, probabilities


def _kinds(features: Array) -> tuple[Array, NDArray[np.intp]]:
    """Different columns but for their sign, (K, G), and how many there are of each, (G,)."""
    largest = np.abs(features).max(axis=-1, keepdims=True, initial=0)
    shares = np.rint(features / np.where(largest > 0, largest, 1) * ALIKE)
    moved = shares.any(axis=0)
    features, shares = features[:, moved], shares[:, moved]
    if not shares.size:
        return features, np.empty(0, np.intp)
    leading = np.take_along_axis(shares, (shares != 0).argmax(axis=0)[None], axis=0)
    signs = np.sign(leading)
    _, first, counts = np.unique(shares * signs, axis=1, return_index=True, return_counts=True)
    return (features * signs)[:, first], counts


def _fair_binomial(n: int) -> Array:
    """Probabilities of 0 to n heads of n tosses of a coin."""
    if n <= 1000:
        return np.array([math.comb(n, k) / 2**n for k in range(n + 1)])
    logs = np.array([math.lgamma(k + 1) for k in range(n + 1)])
    return np.asarray(np.exp(logs[n] - logs - logs[::-1] - n * math.log(2)))
