from __future__ import annotations

import math
import tracemalloc
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from halfwidth.core.types import Array
from halfwidth.metrics.surface import surface_elements

Mask = NDArray[np.bool_]
DIMENSIONS = [2, 3]

# The other implementation calls SciPy by names that are to go.
old_names = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def deepmind() -> Any:
    return pytest.importorskip("surface_distance")


def spacings(dimensions: int, seed: int) -> list[float]:
    drawn: list[float] = np.random.default_rng(seed).uniform(0.2, 5, dimensions).tolist()
    return drawn


def noise(shape: Sequence[int], seed: int, share: float = 0.5) -> Mask:
    return np.random.default_rng(seed).random(shape) < share


def blob(shape: Sequence[int], seed: int) -> Mask:
    smooth = ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=shape), 2)
    return np.asarray(smooth > 0.02)


def ball(radius: float, spacing: Sequence[float], centre: Sequence[float]) -> Mask:
    squared: Any = 0.0
    for axis, (side, shift) in enumerate(zip(spacing, centre, strict=True)):
        reach = math.ceil(radius / side) + 1
        along = (np.arange(-reach, reach + 1) + shift) * side
        squared = squared + np.expand_dims(
            along**2, tuple(k for k in range(len(spacing)) if k != axis)
        )
    return np.asarray(squared <= radius**2)


def on_grid(mask: Mask, spacing: Sequence[float]) -> Array:
    """The area in every cell of the dual grid."""
    bits, area = surface_elements(mask, spacing)
    crossed = bits.mask
    grid = np.zeros(crossed.shape)
    grid[crossed] = area
    return grid


def all_codes(dimensions: int) -> Mask:
    """A mask of each code, (codes, 2, 2[, 2])."""
    corners = 2**dimensions
    codes = np.arange(2**corners)[:, None] >> np.arange(corners)[::-1] & 1
    return codes.astype(bool).reshape(-1, *[2] * dimensions)


# --------------------------------------------------------------------------- the other software


@pytest.mark.parametrize("seed", range(4))
def test_each_of_256_codes_has_the_area_of_deepminds_table(deepmind: Any, seed: int) -> None:
    spacing = spacings(3, seed)
    table = deepmind.lookup_tables.create_table_neighbour_code_to_surface_area(spacing)
    ours = [on_grid(mask, spacing)[1, 1, 1] for mask in all_codes(3)]
    np.testing.assert_allclose(ours, table, rtol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_each_of_16_codes_has_the_length_of_deepminds_table(deepmind: Any, seed: int) -> None:
    spacing = spacings(2, seed)
    table = deepmind.lookup_tables.create_table_neighbour_code_to_contour_length(spacing)
    ours = [on_grid(mask, spacing)[1, 1] for mask in all_codes(2)]
    np.testing.assert_allclose(ours, table, rtol=1e-14)


@old_names
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(9, 14), (30, 21), (7, 6, 9), (14, 11, 17)])
@pytest.mark.parametrize("draw", [noise, blob])
def test_places_and_areas_are_those_of_deepmind(
    deepmind: Any, draw: Any, shape: tuple[int, ...], seed: int
) -> None:
    # Distances between two masks' cells tell where these lie. Masks touch the array's border.
    spacing = spacings(len(shape), seed)
    a, b = draw(shape, seed), draw(shape, seed + 100)
    theirs = deepmind.compute_surface_distances(a, b, spacing)
    found = [surface_elements(mask, spacing) for mask in (a, b)]
    elements = [(crossed.mask, area) for crossed, area in found]
    far = [ndimage.distance_transform_edt(~crossed, sampling=spacing) for crossed, _ in elements]
    directions = [("gt_to_pred", "gt"), ("pred_to_gt", "pred")]
    for (crossed, area), other, (way, name) in zip(elements, far[::-1], directions, strict=True):
        wanted = np.stack([theirs[f"distances_{way}"], theirs[f"surfel_areas_{name}"]])
        ours = np.stack([np.asarray(other)[crossed], area])
        # Rounding may swap the pairs of almost equal distance.
        ours, wanted = (x[:, np.lexsort(np.round(x[::-1], 9))] for x in (ours, wanted))
        np.testing.assert_allclose(ours, wanted, rtol=1e-12)


# --------------------------------------------------------------------------- known surfaces


@pytest.mark.parametrize(("x", "y", "z"), [(1, 1, 1), (2, 1, 1), (2, 2, 1), (5, 4, 3)])
def test_a_box_loses_its_edges_and_corners(x: int, y: int, z: int) -> None:
    a, b, c = spacing = (2.5, 0.7, 1.2)
    faces = np.array([b * c, a * c, a * b])
    n = np.array([x - 1, y - 1, z - 1])
    flat = 2 * sum(faces[k] * np.delete(n, k).prod() for k in range(3))
    bevelled = 4 * sum(n[k] * np.linalg.norm(np.delete(faces, k)) / 2 for k in range(3))
    area = surface_elements(np.ones((x, y, z), bool), spacing)[1]
    assert area.sum() == pytest.approx(flat + bevelled + np.linalg.norm(faces))


def test_a_rectangle_loses_its_corners() -> None:
    bits, length = surface_elements(np.ones((4, 3), bool), (3.0, 4.0))
    crossed = bits.mask
    assert length.sum() == pytest.approx(2 * 3 * 3.0 + 2 * 2 * 4.0 + 4 * 2.5)
    assert crossed.sum() == 20 - 6
    assert not crossed[1:-1, 1:-1].any()


# A mask's steps add to its surface: 8(√2 - 1) / π of a disk's in the limit, 1.055.
@pytest.mark.parametrize(
    ("spacing", "excess"),
    [((1, 1, 1), 1.088), ((0.5, 0.5, 0.5), 1.088), ((1, 1), 1.055), ((3, 1, 1), 1.17)],
)
def test_a_ball_has_about_its_area(spacing: tuple[float, ...], excess: float) -> None:
    radius, centre = 30.0, (0.3, 0.4, 0.2)[: len(spacing)]
    area = surface_elements(ball(radius, spacing, centre), spacing)[1].sum()
    true = 4 * math.pi * radius**2 if len(spacing) == 3 else 2 * math.pi * radius
    assert area / true == pytest.approx(excess, abs=0.01)


# --------------------------------------------------------------------------- where


@pytest.mark.parametrize("shape", [(7, 9), (1, 8), (5, 6, 7), (1, 1, 9)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_cell_is_crossed_where_its_corners_differ(shape: tuple[int, ...], order: Any) -> None:
    mask = np.asarray(noise(shape, 3, 0.7), order=order)
    bits, area = surface_elements(mask, spacings(len(shape), 3))
    crossed = bits.mask
    cells = np.lib.stride_tricks.sliding_window_view(np.pad(mask, 1), [2] * len(shape))
    corners = tuple(range(len(shape), 2 * len(shape)))
    np.testing.assert_array_equal(crossed, cells.any(axis=corners) & ~cells.all(axis=corners))
    assert crossed.dtype == bool
    assert area.dtype == np.float64
    assert area.shape == (crossed.sum(),)
    assert (area > 0).all()


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_a_voxel_crosses_the_cells_round_it(dimensions: int) -> None:
    mask = np.zeros([4] * dimensions, bool)
    mask[(1,) * dimensions] = True
    crossed = surface_elements(mask, [1.0] * dimensions)[0].mask
    assert crossed.shape == (5,) * dimensions
    assert crossed.sum() == 2**dimensions
    assert crossed[(slice(1, 3),) * dimensions].all()


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_a_full_array_ends_at_its_border(dimensions: int) -> None:
    mask = np.ones([4] * dimensions, bool)
    crossed = surface_elements(mask, [1.0] * dimensions)[0].mask
    inner = (slice(1, -1),) * dimensions
    assert not crossed[inner].any()
    assert crossed.sum() == 5**dimensions - 3**dimensions


@pytest.mark.parametrize("shape", [(4, 5), (3, 4, 5), (0, 3), (0, 0, 0)])
def test_an_empty_mask_has_no_surface(shape: tuple[int, ...]) -> None:
    bits, area = surface_elements(np.zeros(shape, bool), [1.0] * len(shape))
    crossed = bits.mask
    assert crossed.shape == tuple(n + 1 for n in shape)
    assert not crossed.any()
    assert area.shape == (0,)


def test_background_round_a_mask_changes_nothing() -> None:
    mask, spacing = blob((8, 9, 7), 1), (1.0, 2.0, 3.0)
    wider = on_grid(np.pad(mask, 2), spacing)
    np.testing.assert_array_equal(wider[2:-2, 2:-2, 2:-2], on_grid(mask, spacing))
    assert np.count_nonzero(wider) == np.count_nonzero(on_grid(mask, spacing))


# --------------------------------------------------------------------------- symmetries


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_axes_may_be_permuted_and_flipped(dimensions: int) -> None:
    mask, spacing = noise((6, 8, 7)[:dimensions], 5), spacings(dimensions, 5)
    grid = on_grid(mask, spacing)
    for order in permutations(range(dimensions)):
        turned = on_grid(mask.transpose(order), [spacing[k] for k in order])
        np.testing.assert_allclose(turned, grid.transpose(order), rtol=1e-14)
    for axis in range(dimensions):
        np.testing.assert_array_equal(on_grid(np.flip(mask, axis), spacing), np.flip(grid, axis))


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_foreground_and_background_share_their_surface(dimensions: int) -> None:
    inner = (1,) * dimensions
    spacing = spacings(dimensions, 6)
    for mask in all_codes(dimensions):
        assert on_grid(mask, spacing)[inner] == pytest.approx(on_grid(~mask, spacing)[inner])


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_areas_scale_with_the_unit_of_length(dimensions: int) -> None:
    mask, spacing = noise((6, 7, 8)[:dimensions], 7), spacings(dimensions, 7)
    area = surface_elements(mask, spacing)[1] * 10.0 ** (dimensions - 1)
    scaled = surface_elements(mask, [10 * side for side in spacing])[1]
    np.testing.assert_allclose(scaled, area, rtol=1e-13)


# --------------------------------------------------------------------------- cost


def test_large_masks_need_a_few_bytes_a_voxel() -> None:
    mask = np.zeros((128, 128, 128), bool)
    mask[40:80, 40:80, 40:80] = True
    surface_elements(mask, (1.0, 1.0, 1.0))
    tracemalloc.start()
    try:
        surface_elements(mask, (1.0, 1.0, 1.0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * mask.size
