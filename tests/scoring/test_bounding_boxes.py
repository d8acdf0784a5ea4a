"""Where each label lies: as scipy.ndimage.find_objects says, in little memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.ndimage import find_objects

from halfwidth.scoring import bounding_boxes
from halfwidth.scoring.bounding_boxes import BoundingBox, label_bounding_boxes

SHAPES = [(7, 9), (1, 12), (12, 1), (1, 1), (5, 6, 7), (1, 6, 7), (5, 1, 7), (5, 6, 1), (2, 1, 1)]


def by_scipy(labels: NDArray[Any]) -> dict[int, BoundingBox]:
    found = find_objects(labels.astype(np.intp))
    return {i + 1: box for i, box in enumerate(found) if box is not None}


def random_map(seed: int, shape: tuple[int, ...], dtype: type, share: float) -> NDArray[Any]:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, shape) * 40
    return np.where(rng.random(shape) < share, values, 0).astype(dtype)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("slab", [1, 10, 60, 1 << 23])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, bool])
def test_boxes_are_those_of_scipy(
    dtype: type, shape: tuple[int, ...], slab: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounding_boxes, "SLAB", slab)
    for seed, share in enumerate((0.0, 0.05, 0.5, 1.0)):
        labels = random_map(seed, shape, dtype, share)
        found = label_bounding_boxes(labels)
        assert found == by_scipy(labels)
        assert list(found) == sorted(found)


@pytest.mark.parametrize("label", [1, 254, 2**16 - 2, 2**32 - 2])
def test_large_labels_have_boxes(label: int) -> None:
    labels = np.zeros((3, 4, 5), dtype=np.min_scalar_type(label))
    labels[1:, 2, 3:] = label
    assert label_bounding_boxes(labels) == {label: (slice(1, 3), slice(2, 3), slice(3, 5))}


def test_a_run_does_not_go_on_in_the_next_row() -> None:
    # The last voxel of a row and the first one of the next are neighbours in memory only.
    labels = np.zeros((4, 5), dtype=np.uint8)
    labels[1, 4] = labels[2, 0] = 1
    assert label_bounding_boxes(labels) == {1: (slice(1, 3), slice(0, 5))}


def test_a_full_map_is_one_box() -> None:
    assert label_bounding_boxes(np.full((3, 4), 7, dtype=np.uint8)) == {
        7: (slice(0, 3), slice(0, 4))
    }


def test_a_label_may_come_back_slabs_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounding_boxes, "SLAB", 12)
    labels = np.zeros((9, 3, 4), dtype=np.uint16)
    labels[0, 2, 3] = labels[8, 0, 1] = 300
    assert label_bounding_boxes(labels) == {300: (slice(0, 9), slice(0, 3), slice(1, 4))}


def test_many_labels() -> None:
    labels = np.random.default_rng(0).permutation(6000).reshape(20, 15, 20).astype(np.uint16)
    assert label_bounding_boxes(labels) == by_scipy(labels)


def test_the_map_is_left_as_it_was() -> None:
    labels = random_map(3, (6, 7, 8), np.uint8, 0.5)
    labels.setflags(write=False)
    before = labels.copy()
    label_bounding_boxes(labels)
    assert np.array_equal(labels, before)


def test_memory_does_not_grow_with_the_volume(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounding_boxes, "SLAB", 1 << 16)
    labels = np.zeros((128, 128, 256), dtype=np.uint8)
    labels[20:100, 30:90, 40:200] = 3
    tracemalloc.start()
    try:
        label_bounding_boxes(labels)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < labels.nbytes / 4


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_the_greatest_label_of_a_type_has_a_box(dtype: type[np.unsignedinteger[Any]]) -> None:
    most = int(np.iinfo(dtype).max)
    labels = np.zeros((4, 5), dtype=dtype)
    labels[1:3, 2:] = most
    assert label_bounding_boxes(labels) == {most: (slice(1, 3), slice(2, 5))}
