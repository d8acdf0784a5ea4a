"""The compiled matching is the plain one, which is COCO's rule applied to one cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from halfwidth.matching.greedy import Role, match_in_numpy
from halfwidth.resampling.kernels import native, native_assignments
from halfwidth.resampling.kernels.native_assignments import FIELDS

needs_library = pytest.mark.skipif(not native.available(), reason="no compiled library")


def task(seed: int) -> tuple[Any, ...]:
    """Cells of a few sizes, with ties, NaN and all roles."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(0, 7, (2, 12))
    pairs = rows * columns
    # Cells that take part with their first detections alone.
    used = rng.integers(0, rows + 1)
    ends = [np.cumsum(n) - n for n in (pairs, columns, used)]
    table = np.stack([ends[0], used, ends[1], columns, ends[2]], axis=1).astype(np.int64)
    gains = rng.integers(-1, 6, int(pairs.sum())) / 5
    gains[rng.random(len(gains)) < 0.05] = np.nan
    roles = rng.integers(0, 4, int(columns.sum())).astype(np.uint8)
    limits = np.array([0.2, 0.6, 0.4])
    assigned = np.full((3, int(used.sum())), -1, dtype=np.int32)
    assigned[:, ::5] = 0
    return gains, limits, table, roles, assigned


@needs_library
def test_the_compiled_matching_is_the_plain_one() -> None:
    for seed in range(40):
        gains, limits, table, roles, assigned = task(seed)
        other = assigned.copy()
        native_assignments.assign(gains, limits, table, roles, assigned)
        match_in_numpy(gains, limits, table, roles, other)
        np.testing.assert_array_equal(assigned, other, err_msg=f"seed {seed}")


def plain(gains: Any, limit: float, roles: list[Role]) -> list[int]:
    """Each detection in order: a reference to be found, else one to be ignored, the best left."""
    left, given = set(range(len(roles))), []
    for row in gains:
        allowed = [column for column in left if row[column] >= limit]
        real = [column for column in allowed if roles[column] == Role.TO_BE_FOUND]
        others = [column for column in allowed if roles[column] != Role.TO_BE_FOUND]
        best = max(real or others, key=lambda column: (row[column], column), default=-1)
        given.append(best)
        if best >= 0 and roles[best] != Role.IGNORED_ALWAYS:
            left.discard(best)
    return given


def test_one_cell_is_matched_by_the_rule() -> None:
    rng = np.random.default_rng(0)
    for _ in range(100):
        rows, columns = (int(n) for n in rng.integers(1, 6, 2))
        gains = rng.integers(0, 6, (rows, columns)) / 5
        roles = rng.integers(0, 3, columns).astype(np.uint8)
        table = np.array([[0, rows, 0, columns, 0]], dtype=np.int64)
        assigned = np.full((2, rows), -1, dtype=np.int32)
        limits = np.array([0.3, 0.7])
        match_in_numpy(gains.ravel(), limits, table, roles, assigned)
        for limit, own in zip(limits, assigned, strict=True):
            assert own.tolist() == plain(gains, limit, [Role(role) for role in roles])


@needs_library
@pytest.mark.parametrize(
    ("field", "value"), [(0, 3), (1, 9), (2, 1), (3, 9), (4, 1), (1, -1), (4, -1)]
)
def test_cells_that_reach_beyond_the_arrays_are_refused(field: int, value: int) -> None:
    table = np.array([[0, 2, 0, 3, 0]], dtype=np.int64)
    table[0, field] = value
    arrays = np.zeros(6), np.zeros(1), table, np.zeros(3, np.uint8)
    with pytest.raises(ValueError, match="cells"):
        native_assignments.assign(*arrays, np.full((1, 2), -1, dtype=np.int32))
    assert table.shape[1] == FIELDS


@needs_library
def test_no_cells_and_cells_without_references_are_nothing_to_do() -> None:
    assigned = np.full((1, 2), -1, dtype=np.int32)
    none = np.empty((0, FIELDS), dtype=np.int64)
    empty = np.array([[0, 2, 0, 0, 0]], dtype=np.int64)
    for table in (none, empty):
        native_assignments.assign(np.empty(0), np.zeros(1), table, np.empty(0, np.uint8), assigned)
        assert (assigned == -1).all()
