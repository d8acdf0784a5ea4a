"""Strategies of assignment against enumeration and against their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.detection.metrics.assignment import (
    ConflictError,
    greedy_by_localisation,
    greedy_by_score,
    hungarian,
    overlap_above_half,
)


def scene(seed: int, *, distances: bool = False) -> tuple[Array, Array]:
    """Gains of a few pairs with ties, and limits."""
    rng = np.random.default_rng(seed)
    gains = rng.integers(0, 11, size=rng.integers(1, 5, size=2)) / 10
    return (gains - 1, np.array([-0.8, -0.4])) if distances else (gains, np.array([0.3, 0.7]))


def every_assignment(allowed: NDArray[np.bool_]) -> list[dict[int, int]]:
    """All ways to give detections different references, or none."""
    rows, columns = allowed.shape
    choices = [[-1, *np.flatnonzero(allowed[row])] for row in range(rows)]
    made = []
    for chosen in itertools.product(*choices):
        used = [column for column in chosen if column >= 0]
        if len(set(used)) == len(used) <= columns:
            made.append({row: int(c) for row, c in enumerate(chosen) if c >= 0})
    return made


@pytest.mark.parametrize("distances", [False, True])
def test_hungarian_is_the_best_of_all_assignments(distances: bool) -> None:
    for seed in range(80):
        gains, limits = scene(seed, distances=distances)
        admitted = gains >= limits[:, None, None]
        for allowed, taken in zip(admitted, hungarian(gains, admitted), strict=True):
            own = {row: int(column) for row, column in enumerate(taken) if column >= 0}
            assert len(set(own.values())) == len(own)
            assert all(allowed[row, column] for row, column in own.items())
            worth = [
                (len(one) if distances else 0, sum(gains[row, c] for row, c in one.items()))
                for one in every_assignment(allowed)
            ]
            total = sum(gains[row, column] for row, column in own.items())
            number = len(own) if distances else 0
            assert number == max(worth)[0]
            assert total == pytest.approx(max(worth)[1])


def test_greedy_by_localisation_takes_the_best_pair_left_at_each_threshold() -> None:
    for seed in range(100):
        gains, limits = scene(seed)
        admitted = gains >= limits[:, None, None]
        for allowed, taken in zip(admitted, greedy_by_localisation(gains, admitted), strict=True):
            left, expected = np.where(allowed, gains, -1.0), np.full(len(gains), -1)
            while left.size and left.max() >= 0:
                row, column = np.unravel_index(np.argmax(left), left.shape)
                expected[row] = column
                left[row], left[:, column] = -1, -1
            np.testing.assert_array_equal(taken, expected)


def test_greedy_by_score_takes_rows_in_order() -> None:
    for seed in range(100):
        gains, limits = scene(seed)
        admitted = gains >= limits[:, None, None]
        for limit, taken in zip(limits, greedy_by_score(gains, admitted), strict=True):
            free, expected = set(range(gains.shape[1])), []
            for row in gains:
                best = max(((row[c], c) for c in free if row[c] >= limit), default=(0, -1))[1]
                free -= {best}
                expected.append(best)
            np.testing.assert_array_equal(taken, expected)


def test_overlaps_above_half_leave_no_choice() -> None:
    gains = np.array([[0.6, 0.0], [0.4, 0.0]])
    np.testing.assert_array_equal(overlap_above_half(gains, gains[None] > 0.5), [[0, -1]])
    twice = np.array([[0.6], [0.7]])
    with pytest.raises(ConflictError) as error:
        overlap_above_half(twice, twice[None] > 0.5)
    assert error.value.detections
    with pytest.raises(ConflictError) as error:
        overlap_above_half(twice.T, twice.T[None] > 0.5)
    assert not error.value.detections


def test_strategies_take_no_pairs_at_all() -> None:
    for shape in ((0, 3), (3, 0), (0, 0)):
        gains = np.empty(shape)
        for strategy in (greedy_by_score, greedy_by_localisation, hungarian, overlap_above_half):
            taken = strategy(gains, gains[None] >= 0.5)
            assert taken.shape == (1, shape[0])
            assert (taken == -1).all()
