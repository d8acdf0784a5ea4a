"""The compiled matching is the plain one, which is COCO's rule applied to one cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scenes import scene

from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.resampling.kernels import native, native_assignments
from halfwidth.resampling.kernels.native_assignments import FIELDS

needs_library = pytest.mark.skipif(not native.available(), reason="no compiled library")


RULE = MatchingRule(thresholds=(0.2, 0.4, 0.6))


@needs_library
def test_the_compiled_matching_is_the_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(30):
        objects = scene(seed, flags=True, most=10)
        compiled = match_images(*objects, RULE)
        with monkeypatch.context() as without:
            without.setattr(native, "available", lambda: False)
            plain = match_images(*objects, RULE)
        for name in ("image", "category", "detection", "outcome", "reference", "n_references"):
            one, other = getattr(compiled, name), getattr(plain, name)
            np.testing.assert_array_equal(one, other, err_msg=f"seed {seed}: {name}")


def overlaps(found: Any, true: Any) -> Any:
    """Intersections over unions of boxes, by whole numbers."""
    low = np.maximum(found[:, None, :2], true[:, :2])
    sides = np.minimum(found[:, None, 2:], true[:, 2:]) - low
    shared = np.maximum(sides, 0).prod(axis=-1)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(axis=-1) for boxes in (found, true)]
    return shared / (areas[0][:, None] + areas[1] - shared)


@pytest.mark.parametrize("library", [pytest.param(True, marks=needs_library), False])
def test_each_takes_the_best_that_is_left(library: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "available", lambda: library)
    matched = 0
    for seed in range(60):
        found, true = scene(seed, images=1, classes=1)
        lists = match_images(found, true, RULE)
        gains = overlaps(found.objects[0].boxes, true.objects[0].boxes)
        for limit, own in zip(RULE.thresholds, lists.reference, strict=True):
            left, given = set(range(gains.shape[1])), []
            for row in gains[lists.detection]:
                allowed = [column for column in left if row[column] >= limit]
                # Of equal ones the last, as COCO has it.
                best = max(allowed, key=lambda column: (row[column], column), default=-1)
                given.append(best)
                left.discard(best)
            assert own.tolist() == given
            matched += sum(place >= 0 for place in given)
    assert matched > 100


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
