"""Parts by runs are those by labelling."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from halfwidth.scoring import components


@pytest.mark.sampled(6)
@pytest.mark.parametrize("slab", [1, 1 << 22])
@pytest.mark.parametrize(("sparse", "most"), [(0, 10**9), (10**9, 10**9), (0, 3)])
@pytest.mark.parametrize("ndim", [2, 3])
def test_parts_are_counted_as_by_labelling_every_voxel(
    monkeypatch: pytest.MonkeyPatch, ndim: int, sparse: int, most: int, slab: int
) -> None:
    monkeypatch.setattr(components, "SPARSE", sparse)
    monkeypatch.setattr(components, "MOST_RUNS", most)
    monkeypatch.setattr(components, "SLAB", slab)
    random = np.random.default_rng(ndim)
    every = ndimage.generate_binary_structure(ndim, ndim)
    for _ in range(100):
        mask = random.random(tuple(random.integers(1, 9, ndim))) < random.random() * 0.6
        assert components.count_components(mask) == ndimage.label(mask, every)[1]


def test_slabs_with_more_parts_than_a_pair_of_small_numbers_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 125 000 parts in slabs of two layers, and a line through all of them.
    mask = np.zeros((20, 1000, 50), dtype=bool)
    mask[::2, ::2, ::2] = True
    mask[:, 0, 0] = True
    monkeypatch.setattr(components, "SLAB", mask[0].size // 2)
    assert components.count_components(np.moveaxis(mask, 0, 1)) == 10 * 500 * 25 - 9


def test_corners_connect_and_ends_of_lines_do_not() -> None:
    assert components.count_components(np.eye(40, dtype=bool)) == 1
    ends = np.zeros((40, 40), dtype=bool)
    ends[3, -1] = ends[4, 0] = True
    assert components.count_components(ends) == 2
    assert components.count_components(np.zeros((0, 0), dtype=bool)) == 0
    assert components.count_components(np.zeros((9, 9), dtype=bool)) == 0
