"""Permutation tests of a difference of means, of instances or of whole tasks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.rng import Key, derive_key, resolve_seed, uniforms, words
from halfwidth.core.types import Array

N_PERMUTATIONS = 50_000
# Permuted values that a block holds at once: 16 MB.
BLOCK = 2_000_000
# Statistics that differ by less are equal: this share of the size of the values.
ROUNDING = 1e-12
WORD_BITS, LANES = 64, 4


@frozen
class PermutationTest:
    """The outcome of a permutation test.

    Attributes
    ----------
    statistic : float
        The mean difference, or the difference of means.
    p : float
        Two-sided.
    exact : bool
        Whether all patterns were gone through; then p is a share of them, the one observed among
        them.
    permutations : int
        How many were gone through, or drawn.
    units : int
        What is flipped or moved: instances, or groups.
    """

    statistic: float
    p: float
    exact: bool
    permutations: int
    units: int


def sign_flip_test(
    differences: Any,
    groups: Any = None,
    n_permutations: int = N_PERMUTATIONS,
    rng: Any = None,
) -> PermutationTest:
    """Test whether the mean of paired differences is 0, by flipping signs.

    If nothing differs, each difference is as likely to have the other sign. The statistic is
    T = Σd/n; p = (1 + #{|T*| ≥ |T|}) / (1 + N) over N random patterns of signs. Where there are no
    more than N patterns, 2 to the number of units, each is taken once and p = #{|T*| ≥ |T|} / all:
    it cannot be less than 2/all.

    Parameters
    ----------
    differences : array_like of float
    groups : array_like, optional
        What each difference belongs to, such as its task. Differences of one group keep or change
        their signs together, since they are not independent; T stays the mean of them all.
    n_permutations : int
    rng : None, int, SeedSequence or Generator

    Returns
    -------
    PermutationTest

    Raises
    ------
    DataError
        If there are no differences, or one is not finite.
    OptionError
        If ``n_permutations`` is below 1, or ``groups`` is not as long as ``differences``.

    References
    ----------
    André et al. (2025), S7.2.1, without the 1 + (then p can be 0; Phipson & Smyth 2010).

    Examples
    --------
    >>> sign_flip_test([1.0, 2.0, 3.0, 4.0])
    PermutationTest(statistic=2.5, p=0.125, exact=True, permutations=16, units=4)
    """
    values = _finite(differences, "differences")
    _check_count(n_permutations)
    sums, _ = _group_sums(values, groups, "groups")
    units, total = len(sums), float(sums.sum())
    exact = units < WORD_BITS and 2**units <= n_permutations
    key = derive_key(resolve_seed(rng), "sign flips", units)
    blocks = _all_flips(units) if exact else _random_flips(key, n_permutations, units)
    # Those that flip are counted twice: once to take them out, once with the other sign.
    permuted = ((total - 2 * (flips @ sums)) / len(values) for flips in blocks)
    observed = total / len(values)
    return _test_result(observed, permuted, float(np.abs(values).mean()), exact, units)


def two_sample_test(
    x: Any,
    y: Any,
    groups_x: Any = None,
    groups_y: Any = None,
    n_permutations: int = N_PERMUTATIONS,
    rng: Any = None,
) -> PermutationTest:
    """Test whether two samples have the same mean, by moving their members between the sides.

    If nothing differs, it is chance which member stands on which side. The statistic is
    T = mean(x) - mean(y); p as for `sign_flip_test`, over all ways to choose the members of the
    first side where there are no more than ``n_permutations`` of them.

    Parameters
    ----------
    x, y : array_like of float
    groups_x, groups_y : array_like, optional
        Both or none: what each value belongs to, such as its task. Whole groups change sides, as
        many groups staying on each; T stays the difference of the means of values.
    n_permutations : int
    rng : None, int, SeedSequence or Generator

    Returns
    -------
    PermutationTest

    Raises
    ------
    DataError
        If a side is empty, a value is not finite, or a group stands on both sides.
    OptionError
        If ``n_permutations`` is below 1, or groups are given for one side only or of another
        length.

    References
    ----------
    André et al. (2025), S7.2.2.

    Examples
    --------
    >>> two_sample_test([1.0, 2.0], [3.0, 4.0, 5.0])
    PermutationTest(statistic=-2.5, p=0.2, exact=True, permutations=10, units=5)
    """
    first, second = _finite(x, "x"), _finite(y, "y")
    _check_count(n_permutations)
    _check_sides(groups_x, groups_y)
    observed = float(first.mean() - second.mean())
    # Far from 0 the sums would lose digits that the difference needs.
    pooled = np.concatenate([first, second])
    middle = pooled.mean()
    sums_x, counts_x = _group_sums(first - middle, groups_x, "groups_x")
    sums_y, counts_y = _group_sums(second - middle, groups_y, "groups_y")
    sums, counts = np.concatenate([sums_x, sums_y]), np.concatenate([counts_x, counts_y])
    units, taken = len(sums), len(sums_x)
    exact = math.comb(units, taken) <= n_permutations
    key = derive_key(resolve_seed(rng), "two samples", units, taken)
    blocks = _all_sides(units, taken) if exact else _random_sides(key, n_permutations, units, taken)
    permuted = (_difference(side, sums, counts) for side in blocks)
    return _test_result(observed, permuted, float(np.abs(pooled - middle).max()), exact, units)


def _difference(side: Any, sums: Array, counts: Array) -> Array:
    """Mean of the units on the first side less that of the others, row by row."""
    inside, members = sums[side].sum(axis=-1), counts[side].sum(axis=-1)
    return np.asarray(inside / members - (sums.sum() - inside) / (counts.sum() - members))


def _test_result(
    observed: float, permuted: Iterator[Array], size: float, exact: bool, units: int
) -> PermutationTest:
    """Count the permuted statistics that are as far from 0."""
    least = abs(observed) - ROUNDING * size
    as_far = count = 0
    for block in permuted:
        as_far += int((np.abs(block) >= least).sum())
        count += len(block)
    p = as_far / count if exact else (1 + as_far) / (1 + count)
    return PermutationTest(observed, p, exact, count, units)


# --------------------------------------------------------------------------- patterns


def _blocks(count: int, units: int) -> Iterator[tuple[int, int]]:
    rows = max(1, BLOCK // units)
    for start in range(0, count, rows):
        yield start, min(start + rows, count)


def _all_flips(units: int) -> Iterator[Array]:
    for start, stop in _blocks(2**units, units):
        yield (np.arange(start, stop)[:, None] >> np.arange(units) & 1).astype(float)


def _random_flips(key: Key, count: int, units: int) -> Iterator[Array]:
    """Each a bit of the words of its permutation."""
    per_row = LANES * -(-units // (LANES * WORD_BITS))
    for start, stop in _blocks(count, units):
        whole = words(key, start * per_row, (stop - start) * per_row).astype("<u8", copy=False)
        octets = whole.view(np.uint8).reshape(stop - start, -1)
        bits = np.unpackbits(octets, axis=1, count=units, bitorder="little")
        yield bits.astype(float)


def _all_sides(units: int, taken: int) -> Iterator[Any]:
    ways = itertools.combinations(range(units), taken)
    for start, stop in _blocks(math.comb(units, taken), units):
        yield np.array(list(itertools.islice(ways, stop - start)), dtype=np.intp)


def _random_sides(key: Key, count: int, units: int, taken: int) -> Iterator[Any]:
    """The places of the smallest of as many uniforms as there are units."""
    for start, stop in _blocks(count, units):
        draws = uniforms(key, start, stop, units)
        yield np.argpartition(draws, taken - 1, axis=1)[:, :taken]


# --------------------------------------------------------------------------- checks


def _finite(numbers: Any, name: str) -> Array:
    values = np.asarray(numbers, dtype=float)
    if values.ndim != 1 or not len(values):
        raise DataError(f"{name} has shape {values.shape}; give a list of at least one number")
    wrong = int((~np.isfinite(values)).sum())
    if wrong:
        raise DataError(f"{name}: {wrong} of {len(values)} are not finite; leave them out first")
    return values


def _check_count(n_permutations: int) -> None:
    if n_permutations < 1:
        raise OptionError(f"n_permutations={n_permutations} is below 1; 50000 is usual")


def _check_sides(groups_x: Any, groups_y: Any) -> None:
    if groups_x is None and groups_y is None:
        return
    if groups_x is None or groups_y is None:
        raise OptionError("groups are given for one side only; give groups_x and groups_y, or none")
    both = {str(g) for g in groups_x} & {str(g) for g in groups_y}
    if both:
        raise DataError(
            f"group {min(both)!r} is on both sides, so it cannot change sides; test samples "
            "that share groups by pairs"
        )


def _group_sums(values: Array, groups: Any, name: str) -> tuple[Array, Array]:
    """Sum and number of the values of each group; without groups each value is one."""
    if groups is None:
        return values, np.ones(len(values))
    named = np.asarray([str(group) for group in groups])
    if len(named) != len(values):
        raise OptionError(f"{name} has {len(named)} entries for {len(values)} values")
    _, place = np.unique(named, return_inverse=True)
    return np.asarray(np.bincount(place, values), float), np.asarray(np.bincount(place), float)
