"""Metrics of masks against published values, other software, and plain SciPy on whole arrays."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from halfwidth import metrics
from halfwidth.core.errors import OptionError
from halfwidth.core.types import Array
from halfwidth.io.images import read_image
from halfwidth.metrics import MaskPair
from halfwidth.metrics import boundary_geometry as boundaries

Spacing = tuple[float, ...]
Mask = NDArray[np.bool_]
Pair = tuple[Mask, Mask]

# The other implementation calls SciPy by names that are to go.
old_names = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module")
def deepmind() -> Any:
    return pytest.importorskip("surface_distance")


@pytest.fixture(scope="module")
def medpy() -> Any:
    return pytest.importorskip("medpy.metric.binary")


# --------------------------------------------------------------------------- pairs of masks

SPACINGS: list[Spacing] = [
    (1.0, 1.0),
    (0.3, 5.0),
    (5.0, 0.3),
    (0.7, 0.98),
    (1.0, 1.0, 1.0),
    (0.3, 0.3, 5.0),
    (5.0, 0.3, 0.3),
    (2.5, 0.98, 0.98),
    (0.9, 4.0, 0.2),
]
SHAPES = {2: (23, 31), 3: (11, 14, 17)}


def noise(shape: Sequence[int], rng: np.random.Generator, share: float) -> Mask:
    mask = rng.random(shape) < share
    # Never empty.
    mask[tuple(rng.integers(0, length) for length in shape)] = True
    return mask


def smooth(shape: Sequence[int], rng: np.random.Generator) -> Array:
    return np.asarray(ndimage.gaussian_filter(rng.normal(size=shape), 2))


def dense_noise(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    return noise(shape, rng, 0.5), noise(shape, rng, 0.6)


def thin_noise(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    return noise(shape, rng, 0.02), noise(shape, rng, 0.01)


def scattered(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    return noise(shape, rng, 0.15), noise(shape, rng, 0.1)


def full_of_holes(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    return noise(shape, rng, 0.97), noise(shape, rng, 0.99)


def blobs_at_the_border(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    first = smooth(shape, rng)
    # Alike, as a prediction and its reference are.
    return first > 0, first + 0.4 * smooth(shape, rng) > 0.02


def blobs_inside(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    first, second = blobs_at_the_border([length - 6 for length in shape], rng)
    return np.pad(first, 3), np.pad(second, 3)


def in_two_corners(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    # So far apart that every distance goes through the tree.
    corner = [length // 3 for length in shape]
    far = [length - own for length, own in zip(shape, corner, strict=True)]
    return (
        np.pad(noise(corner, rng, 0.2), [(0, n) for n in far]),
        np.pad(noise(corner, rng, 0.4), [(n, 0) for n in far]),
    )


def two_voxels(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    return noise(shape, rng, -1.0), noise(shape, rng, -1.0)


def checkerboard(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    even = np.indices(tuple(shape)).sum(axis=0) % 2 == 0
    return even, ~even & noise(shape, rng, 0.9)


def full_and_a_voxel(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    return np.ones(shape, bool), noise(shape, rng, -1.0)


def full_and_full(shape: Sequence[int], _rng: np.random.Generator) -> Pair:
    return np.ones(shape, bool), np.ones(shape, bool)


def a_slice_of_a_volume(shape: Sequence[int], rng: np.random.Generator) -> Pair:
    # The box is one voxel thick, the image is not: every voxel is at the boundary.
    masks = np.zeros((2, *shape), bool)
    masks[:, 2] = rng.random((2, *shape[1:])) < 0.6
    return masks[0], masks[1]


DRAWS: list[Callable[[Sequence[int], np.random.Generator], Pair]] = [
    dense_noise,
    thin_noise,
    full_of_holes,
    blobs_at_the_border,
    blobs_inside,
    in_two_corners,
    two_voxels,
    checkerboard,
    full_and_a_voxel,
    full_and_full,
    a_slice_of_a_volume,
]


def drawn(draw: Callable[..., Pair], spacing: Spacing, seed: int = 0) -> Pair:
    return draw(SHAPES[len(spacing)], np.random.default_rng(seed))


# --------------------------------------------------------------------------- plain definitions

# Two roundings of one distance differ by less than this, two distances of these grids by more.
SLACK = 1e-7
PERCENTILES = (1.0, 37.5, 50.0, 95.0, 100.0)
# Whole voxels of some spacings, and lengths of some diagonals, are among them.
TOLERANCES = (0.0, 0.3, 0.6, 0.9, 0.98, 1.0, math.sqrt(2), 2.1, 2.5, 5.0, 7.3, 40.0)
BANDS = (0.1, 0.3, 0.9, 1.0, math.sqrt(3), 2.1, 3.0, 5.0, 9.7, 100.0)


def plain_edge(mask: Mask) -> Mask:
    faces = ndimage.generate_binary_structure(mask.ndim, 1)
    return mask & ~ndimage.binary_erosion(mask, faces, border_value=0)


def plain_distances(a: Mask, b: Mask, spacing: Spacing) -> tuple[Array, Array]:
    first, second = plain_edge(a), plain_edge(b)
    to_first = ndimage.distance_transform_edt(~first, sampling=spacing)
    to_second = ndimage.distance_transform_edt(~second, sampling=spacing)
    return np.asarray(to_second)[first], np.asarray(to_first)[second]


def plain_band(mask: Mask, width: float, spacing: Spacing) -> Mask:
    # Beyond the array is outside, and the boundary voxels are always within.
    far = ndimage.distance_transform_edt(np.pad(mask, 1), sampling=spacing)
    far = np.asarray(far)[(slice(1, -1),) * mask.ndim]
    return np.asarray(mask & (far <= width + SLACK)) | plain_edge(mask)


def plain_cheng_band(mask: Mask) -> Mask:
    layers = max(1, round(0.02 * math.sqrt(sum(length**2 for length in mask.shape))))
    block = np.ones([3] * mask.ndim, bool)
    inside = ndimage.binary_erosion(mask, block, iterations=layers, border_value=0)
    return np.asarray(mask & ~inside)


def plain_iou(a: Mask, b: Mask) -> float:
    return float((a & b).sum() / (a | b).sum())


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def plain_values(a: Mask, b: Mask, spacing: Spacing) -> dict[str, float]:
    """Every metric by its formula; a is the prediction."""
    tp, fp = float((a & b).sum()), float((a & ~b).sum())
    fn, tn = float((~a & b).sum()), float((~a & ~b).sum())
    recall, precision = ratio(tp, tp + fn), ratio(tp, tp + fp)
    forward, backward = plain_distances(a, b, spacing)
    pooled = np.concatenate([forward, backward])
    voxel = float(np.prod(spacing))
    values = {
        "dsc": 2 * tp / float(a.sum() + b.sum()),
        "iou": plain_iou(a, b),
        "sensitivity": recall,
        "specificity": ratio(tn, tn + fp),
        "ppv": precision,
        "f2": ratio(5 * precision * recall, 4 * precision + recall) if tp else 0.0,
        "f0.5": ratio(1.25 * precision * recall, 0.25 * precision + recall) if tp else 0.0,
        "absolute_volume_error": abs(float(a.sum()) - float(b.sum())) * voxel,
        "relative_volume_error": (float(a.sum()) - float(b.sum())) / float(b.sum()),
        "symmetric_volume_error": 2 * (tp + fp - tp - fn) / (tp + fp + tp + fn),
        "hd": max(forward.max(), backward.max()),
        "hd95": max(np.percentile(forward, 95), np.percentile(backward, 95)),
        "hd95 pooled": np.percentile(pooled, 95),
        "assd": pooled.mean(),
        "masd": (forward.mean() + backward.mean()) / 2,
        "boundary_iou cheng": plain_iou(plain_cheng_band(a), plain_cheng_band(b)),
    }
    for q in PERCENTILES:
        values[f"hd at {q}"] = max(np.percentile(forward, q), np.percentile(backward, q))
        values[f"hd pooled at {q}"] = np.percentile(pooled, q)
    for tolerance in TOLERANCES:
        values[f"nsd within {tolerance}"] = float((pooled <= tolerance + SLACK).mean())
    for width in BANDS:
        bands = plain_band(a, width, spacing), plain_band(b, width, spacing)
        values[f"boundary_iou within {width}"] = plain_iou(*bands)
    return {name: float(value) for name, value in values.items()}


def our_values(pair: MaskPair) -> dict[str, float]:
    values = {
        "dsc": metrics.dsc(pair),
        "iou": metrics.iou(pair),
        "sensitivity": metrics.overlap.sensitivity(pair),
        "specificity": metrics.overlap.specificity(pair),
        "ppv": metrics.overlap.ppv(pair),
        "f2": metrics.overlap.f_beta(pair, beta=2),
        "f0.5": metrics.overlap.f_beta(pair, beta=0.5),
        "absolute_volume_error": metrics.absolute_volume_error(pair),
        "relative_volume_error": metrics.relative_volume_error(pair),
        "symmetric_volume_error": metrics.symmetric_volume_error(pair),
        "hd": metrics.hd(pair),
        "hd95": metrics.hd95(pair),
        "hd95 pooled": metrics.hd95(pair, definition="pooled"),
        "assd": metrics.assd(pair),
        "masd": metrics.masd(pair),
        "boundary_iou cheng": metrics.boundary_iou(pair, definition="cheng"),
    }
    for q in PERCENTILES:
        values[f"hd at {q}"] = metrics.hd(pair, percentile=q)
        values[f"hd pooled at {q}"] = metrics.hd(pair, percentile=q, definition="pooled")
    for tolerance in TOLERANCES:
        values[f"nsd within {tolerance}"] = metrics.nsd(pair, tolerance=tolerance)
    for width in BANDS:
        values[f"boundary_iou within {width}"] = metrics.boundary_iou(pair, distance=width)
    return values


@pytest.mark.sampled(8)
@pytest.mark.parametrize("spacing", SPACINGS, ids=str)
@pytest.mark.parametrize("draw", DRAWS)
def test_all_metrics_are_those_of_scipy_on_whole_arrays(
    draw: Callable[..., Pair], spacing: Spacing
) -> None:
    first = drawn(draw, spacing, 0)
    second = drawn(draw, spacing, 1)[::-1]
    for masks in (first, second):
        ours = our_values(MaskPair.of(*masks, spacing))
        wanted = plain_values(*masks, spacing)
        assert ours == pytest.approx(wanted, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_metrics_of_larger_blobs_are_those_of_scipy(seed: int) -> None:
    # Some distances are near and some far, and bands are many voxels wide.
    rng, spacing = np.random.default_rng(seed), (1.5, 0.5, 0.7)
    a = np.pad(smooth((24, 40, 36), rng) > 0, [(3, 0), (12, 0), (5, 1)])
    b = np.roll(a, 7, axis=1) | (smooth(a.shape, rng) > 0.2)
    ours = our_values(MaskPair.of(a, b, spacing))
    assert ours == pytest.approx(plain_values(a, b, spacing), rel=1e-12)


def eroded_band(mask: Mask, width: float, spacing: Spacing) -> Mask:
    """What erosion by a ball takes away, one that reaches each face neighbour in any case."""
    reach = [int(width // step) + 1 for step in spacing]
    offsets = np.moveaxis(np.mgrid[tuple(slice(-n, n + 1) for n in reach)], 0, -1)
    ball = ((offsets * np.array(spacing)) ** 2).sum(axis=-1) <= (width + SLACK) ** 2
    ball |= np.abs(offsets).sum(axis=-1) <= 1
    return np.asarray(mask & ~ndimage.binary_erosion(mask, ball, border_value=0))


def listed_band(mask: Mask, width: float, spacing: Spacing) -> Mask:
    """Each voxel of the mask by its distances to all voxels outside, one after the other."""
    wide = np.pad(mask, 1)
    outside, steps = np.argwhere(~wide), np.array(spacing)
    band = np.zeros_like(wide)
    for place in np.argwhere(wide):
        away = outside - place
        near = np.sqrt(((away * steps) ** 2).sum(axis=1)) <= width + SLACK
        band[tuple(place)] = (near | (np.abs(away).sum(axis=1) == 1)).any()
    return band[(slice(1, -1),) * mask.ndim]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("spacing", [(1.0, 1.0), (1.0, 0.6), (2.5, 0.9, 0.9)], ids=str)
@pytest.mark.parametrize("width", [0.5, 1.0, 1.8, 2.5, 3.6])
def test_a_band_is_what_erosion_takes_away_and_lies_within_the_distance_of_the_outside(
    spacing: Spacing, width: float
) -> None:
    rng = np.random.default_rng(11)
    for _ in range(3):
        blobs = [smooth((13, 14, 11)[: len(spacing)], rng) > level for level in (-0.1, 0.1)]
        bands = [eroded_band(blob, width, spacing) for blob in blobs]
        for blob, band in zip(blobs, bands, strict=True):
            np.testing.assert_array_equal(listed_band(blob, width, spacing), band)
        ours = metrics.boundary_iou(*blobs, distance=width, spacing=spacing)
        assert ours == pytest.approx(plain_iou(*bands), rel=1e-14)


# One layer of the square has 72 voxels, two have 136; without its first row 70 and 132.
@pytest.mark.parametrize(("distance", "shared", "union"), [(1, 53, 89), (2, 117, 151)])
@pytest.mark.parametrize("definition", ["band", "cheng"])
def test_a_band_of_distance_d_is_d_voxels_wide(
    distance: int, shared: int, union: int, definition: Literal["band", "cheng"]
) -> None:
    square, less = np.zeros((2, 30, 30), bool)
    square[5:24, 5:24] = less[6:24, 5:24] = True
    found = metrics.boundary_iou(less, square, distance=distance, definition=definition, spacing=1)
    assert found == pytest.approx(shared / union, rel=1e-14)


def test_chengs_band_is_as_many_erosions_as_are_asked_for_whatever_the_spacing() -> None:
    rng = np.random.default_rng(4)
    a, b = smooth((40, 50), rng) > -0.1, smooth((40, 50), rng) > 0
    for layers in (1, 2, 5, 40):
        bands = [
            mask & ~ndimage.binary_erosion(mask, np.ones((3, 3), bool), iterations=layers)
            for mask in (a, b)
        ]
        found = metrics.boundary_iou(
            MaskPair.of(a, b, (3.0, 0.5)), distance=layers, definition="cheng"
        )
        assert found == pytest.approx(plain_iou(*bands), rel=1e-14)
    with pytest.raises(OptionError, match=r"distance=1\.5 is no whole number; definition=cheng"):
        metrics.boundary_iou(a, b, distance=1.5, definition="cheng")


# Diagonals of which 2 % round down, to an even half, up, and to a few layers; none is left over
# of a mask as thin as both sides' layers.
@pytest.mark.parametrize(
    ("shape", "layers"),
    [
        ((60, 90), 2),
        ((75, 100), 2),
        ((90, 95), 3),
        ((300, 40), 6),
        ((8, 300), 6),
        ((70, 80, 20), 2),
    ],
)
def test_chengs_band_follows_the_diagonal(shape: tuple[int, ...], layers: int) -> None:
    rng = np.random.default_rng(3)
    first = smooth(shape, rng)
    a, b = first > -0.1, first > -0.12
    # The diagonal is the image's, not that of the masks.
    a[:, :7], b[:, :5] = False, False
    inside = ndimage.binary_erosion(a, np.ones([3] * a.ndim), iterations=layers)
    np.testing.assert_array_equal(plain_cheng_band(a), a & ~np.asarray(inside))
    wanted = plain_iou(plain_cheng_band(a), plain_cheng_band(b))
    assert metrics.boundary_iou(a, b, definition="cheng") == pytest.approx(wanted, rel=1e-14)
    solid = np.ones(shape, bool)
    ours = boundaries.chessboard_band(solid, layers).mask
    np.testing.assert_array_equal(ours, plain_cheng_band(solid))


def test_chengs_band_follows_the_image_not_the_mask() -> None:
    # Five layers of a diagonal of 250, one of the masks' own.
    a, b = np.zeros((2, 150, 200), bool)
    a[20:36, 30:46] = b[21:37, 30:44] = True
    wanted = plain_iou(plain_cheng_band(a), plain_cheng_band(b))
    assert metrics.boundary_iou(a, b, definition="cheng") == pytest.approx(wanted, rel=1e-14)
    part = (slice(15, 40), slice(25, 50))
    assert metrics.boundary_iou(a[part], b[part], definition="cheng") < wanted - 0.05


# Multiples of a step differ from the decimals that they are meant to be.
@pytest.mark.sampled(7)
@pytest.mark.parametrize("step", [0.1, 0.7, 0.98, 1 / 3, 1.1])
@pytest.mark.parametrize("voxels", [1, 3, 6, 7, 9, 14, 30])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_tolerance_of_whole_voxels_holds_as_many(step: float, voxels: int, axis: int) -> None:
    a, b = np.zeros((2, 33, 33), bool)
    a[1, 1] = True
    b[(1 + voxels, 1) if axis == 0 else (1, 1 + voxels)] = True
    exact, spacing = float(f"{voxels * step:.12g}"), [step, step]
    for tolerance in (exact, voxels * step, math.fsum([step] * voxels)):
        assert metrics.nsd(a, b, tolerance=tolerance, spacing=spacing) == 1
        assert metrics.nsd(a, b, tolerance=tolerance * (1 - 1e-6), spacing=spacing) == 0
    # So many layers of a square that is longer along one axis, at least one.
    shape = np.array([2 * voxels + 3] * 2)
    shape[axis] += 4
    solid = np.ones(shape, bool)
    for width, layers in (
        (exact, voxels),
        (voxels * step, voxels),
        (exact * (1 - 1e-6), max(1, voxels - 1)),
    ):
        band = boundaries.inner_band(solid, boundaries.boundary_bits(solid), width, (step, step))
        assert band.count == shape.prod() - (shape - 2 * layers).prod()


# --------------------------------------------------------------------------- paths of the code


@pytest.mark.sampled(4)
@pytest.mark.parametrize("spacing", SPACINGS, ids=str)
@pytest.mark.parametrize("draw", [dense_noise, thin_noise, blobs_at_the_border, in_two_corners])
@pytest.mark.parametrize(("near", "reach"), [(1, 1), (9, 2), (10**6, 9)])
def test_offsets_and_tree_find_the_same_distances(
    monkeypatch: pytest.MonkeyPatch,
    draw: Callable[..., Pair],
    spacing: Spacing,
    near: int,
    reach: int,
) -> None:
    masks = drawn(draw, spacing, 5)
    usual, _ = MaskPair.of(*masks, spacing).distances
    monkeypatch.setattr(boundaries, "NEAR", near)
    monkeypatch.setattr(boundaries, "REACH", reach)
    boundaries._neighbour_offsets.cache_clear()
    try:
        patched, _ = MaskPair.of(*masks, spacing).distances
    finally:
        boundaries._neighbour_offsets.cache_clear()
    np.testing.assert_allclose(patched, usual, rtol=1e-14)
    np.testing.assert_allclose(usual, plain_distances(*masks, spacing)[0], rtol=1e-13)


def test_no_target_is_infinitely_far() -> None:
    some, none = np.ones((2, 3), bool), np.zeros((2, 3), bool)
    found = [one.tolist() for one in MaskPair.of(some, none, 1).distances]
    assert found == [[math.inf] * 6, []]
    assert [one.tolist() for one in MaskPair.of(none, none, 1).distances] == [[], []]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("spacing", SPACINGS, ids=str)
@pytest.mark.parametrize("draw", [dense_noise, full_of_holes, blobs_at_the_border, full_and_full])
def test_bands_by_shifts_are_those_of_a_transform(
    draw: Callable[..., Pair], spacing: Spacing
) -> None:
    pair = MaskPair.of(*drawn(draw, spacing, 6), spacing)
    for width in BANDS:
        found = boundaries.inner_band(pair.prediction, pair.boundaries[0], width, spacing).mask
        np.testing.assert_array_equal(found, plain_band(pair.prediction, width, spacing))


@pytest.mark.parametrize("length", [1, 5, 8, 17, 30])
@pytest.mark.parametrize("layers", [1, 2, 3, 7, 8])
def test_bands_of_blocks_are_those_of_repeated_erosions(length: int, layers: int) -> None:
    random = np.random.default_rng(length)
    mask = ndimage.binary_dilation(random.random((length, 25, 27)) < 0.02, iterations=5)
    block = np.ones((3, 3, 3), dtype=bool)
    core = ndimage.binary_erosion(mask, block, iterations=layers)
    np.testing.assert_array_equal(boundaries.chessboard_band(mask, layers).mask, mask & ~core)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("spacing", SPACINGS, ids=str)
@pytest.mark.parametrize("draw", [dense_noise, thin_noise, blobs_at_the_border, in_two_corners])
@pytest.mark.parametrize(
    "path",
    [{"PATIENCE": 0, "CROWD": 10**9}, {"CROWD": 0, "FEW": 0}, {"CROWD": 0, "FEW": 10**9}],
    ids=["transform", "window", "tree"],
)
def test_all_ways_to_far_voxels_find_the_same_distances(
    monkeypatch: pytest.MonkeyPatch, draw: Callable[..., Pair], spacing: Spacing, path: Any
) -> None:
    masks = drawn(draw, spacing, 7)
    for name, value in {"NEAR": 1, "REACH": 1, **path}.items():
        monkeypatch.setattr(boundaries, name, value)
    boundaries._neighbour_offsets.cache_clear()
    try:
        found, _ = MaskPair.of(*masks, spacing).distances
    finally:
        boundaries._neighbour_offsets.cache_clear()
    np.testing.assert_allclose(found, plain_distances(*masks, spacing)[0], rtol=1e-13)


def test_slabs_of_a_large_mask_give_what_those_along_another_axis_give() -> None:
    # More voxels than a slab holds.
    shape = (140, 170, 190)
    rng = np.random.default_rng(8)
    small = [smooth([length // 10 for length in shape], rng) for _ in range(2)]
    first, other = (np.asarray(ndimage.zoom(one, 10, order=1)) for one in small)

    def values(axis: int) -> list[float]:
        turned = [np.moveaxis(one, axis, 0) for one in (first > 0.01, first + other > 0.015)]
        pair = MaskPair.of(turned[0], turned[1], np.roll([0.7, 1.3, 2.0], -axis))
        bands: list[Any] = [{"distance": 1.5}, {"definition": "cheng"}]
        found = [metrics.boundary_iou(pair, **own) for own in bands]
        return [*found, *(edge.count for edge in pair.boundaries), *pair.counts]

    assert values(2) == values(0)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_wide_band_reaches_from_end_to_end(axis: int) -> None:
    shape = [3, 3, 3]
    shape[axis] = 9
    bar, edge = np.ones(shape, bool), np.zeros(shape, bool)
    edge[0, 0, 0] = True
    first, _ = MaskPair.of(edge, bar).boundaries
    assert boundaries.inner_band(bar, first, 100.0, (1.0, 2.0, 3.0)).mask.all()


# --------------------------------------------------------------------------- published values

# Radiographer (prediction) against oncologist of case 0522c0017, at τ = 3 mm.
REAL = {
    "Brainstem": {
        "dsc": 0.9043,
        "iou": 0.8253,
        "hd": 5.4591,
        "hd95": 5.0000,
        "masd": 0.8365,
        "assd": 0.8388,
        "nsd": 0.9601,
    },
    "Parotid-Lt": {
        "dsc": 0.8289,
        "iou": 0.7079,
        "hd": 11.4338,
        "hd95": 5.5009,
        "masd": 1.0193,
        "assd": 1.0281,
        "nsd": 0.9302,
    },
    "Brain": {
        "dsc": 0.9918,
        "iou": 0.9837,
        "hd": 7.2699,
        "hd95": 1.3859,
        "masd": 0.2419,
        "assd": 0.2420,
        "nsd": 0.9936,
    },
}
# HD95 in mm to three decimals, NSD at τ = 3 mm.
REAL_SURFACES = {"Brainstem": (2.685, 0.9794), "Parotid-Lt": (4.997, 0.9403)}


def real_pair(shared: Path, structure: str) -> tuple[Mask, Mask, Spacing]:
    images = pytest.importorskip("SimpleITK")
    masks: list[Mask] = []
    spacing: Spacing = ()
    for reader in ("radiographer", "oncologist"):
        path = shared / "data" / "head_neck_ct" / reader / "0522c0017" / f"{structure}.nrrd"
        image = images.ReadImage(str(path))
        masks.append(images.GetArrayFromImage(image) > 0)
        spacing = tuple(reversed(image.GetSpacing()))
    return masks[0], masks[1], spacing


def assert_rounded(got: float, wanted: float, decimals: int, slack: float = 0.0) -> None:
    limit = 0.5 * 10.0**-decimals * (1 + 1e-9) + slack
    assert abs(got - wanted) <= limit, f"{got}, printed {wanted}"


@pytest.mark.parametrize("structure", REAL)
def test_real_structures_have_their_known_values(shared: Path, structure: str) -> None:
    pair = MaskPair.of(*real_pair(shared, structure))
    ours = {
        "dsc": metrics.dsc(pair),
        "iou": metrics.iou(pair),
        "hd": metrics.hd(pair),
        "hd95": metrics.hd95(pair),
        "masd": metrics.masd(pair),
        "assd": metrics.assd(pair),
        "nsd": metrics.nsd(pair, tolerance=3),
    }
    for name, wanted in REAL[structure].items():
        assert_rounded(ours[name], wanted, 4)


@pytest.mark.parametrize("structure", REAL_SURFACES)
def test_real_surfaces_have_their_known_values(shared: Path, structure: str) -> None:
    pair = MaskPair.of(*real_pair(shared, structure))
    hd95, nsd = REAL_SURFACES[structure]
    assert_rounded(metrics.hd95(pair, definition="surface"), hd95, 3)
    assert_rounded(metrics.nsd(pair, tolerance=3, definition="surface"), nsd, 4)


DRAWN_METRICS: dict[str, Callable[[MaskPair], float]] = {
    "tp": lambda pair: pair.counts.tp,
    "fn": lambda pair: pair.counts.fn,
    "fp": lambda pair: pair.counts.fp,
    "tn": lambda pair: pair.counts.tn,
    "dsc": metrics.dsc,
    "iou": metrics.iou,
    # Of the figures as they are drawn.
    "cldice": lambda pair: metrics.cldice(pair, definition="stored"),
    "hd": metrics.hd,
    "hd95": metrics.hd95,
    "masd": metrics.masd,
    "assd": metrics.assd,
    "nsd_tau1": lambda pair: metrics.nsd(pair, tolerance=1),
    "nsd_tau2": lambda pair: metrics.nsd(pair, tolerance=2),
}
DRAWN_CASES = [
    "SN2.10_shrunk",
    "SN2.10_grown",
    "SN2.14_prediction1",
    "SN2.14_prediction2",
    "Fig5c_annotation_error",
    "Fig10_cross",
]


def drawn_figures(shared: Path) -> dict[str, Any]:
    text = (shared / "reference" / "pitfalls_masks.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)["cases"]
    return found


def test_no_drawn_figure_is_left_out(shared: Path) -> None:
    assert sorted(drawn_figures(shared)) == sorted(DRAWN_CASES)


@pytest.mark.parametrize("name", DRAWN_CASES)
def test_drawn_figures_have_their_published_values(shared: Path, name: str) -> None:
    case = drawn_figures(shared)[name]
    masks = [
        np.array([list(map(int, row)) for row in case[who]]) for who in ("prediction", "reference")
    ]
    pair = MaskPair.of(masks[0], masks[1], spacing=1)
    for metric, wanted in case["expected"].items():
        # At the decimals printed, two at least: 1.1 stands for 1.10.
        decimals = max(2, len(str(wanted).partition(".")[2]))
        assert_rounded(DRAWN_METRICS[metric](pair), wanted, decimals)


# --------------------------------------------------------------------------- surface-distance

# Where elements add up to a percentile exactly, theirs decides by rounding: hence these numbers.
SURFACE_PERCENTILES = (9.7, 48.3, 77.7, 95.0, 99.1, 100.0)


def assert_as_deepmind(deepmind: Any, a: Mask, b: Mask, spacing: Spacing) -> None:
    theirs = deepmind.compute_surface_distances(b, a, spacing)
    pair = MaskPair.of(a, b, spacing)
    surface: Any = {"definition": "surface"}
    for q in SURFACE_PERCENTILES:
        wanted = deepmind.compute_robust_hausdorff(theirs, q)
        assert metrics.hd(pair, percentile=q, **surface) == pytest.approx(wanted, rel=1e-12), q
    wanted = deepmind.compute_robust_hausdorff(theirs, 95)
    assert metrics.hd95(pair, **surface) == pytest.approx(wanted, rel=1e-12)
    for tolerance in TOLERANCES:
        # They have no room for rounding, so that it is given to them.
        wanted = deepmind.compute_surface_dice_at_tolerance(theirs, tolerance + SLACK)
        ours = metrics.nsd(pair, tolerance=tolerance, **surface)
        assert ours == pytest.approx(wanted, rel=1e-12), tolerance
    means = deepmind.compute_average_surface_distance(theirs)
    assert metrics.masd(pair, **surface) == pytest.approx(sum(means) / 2, rel=1e-12)
    areas = [theirs["surfel_areas_gt"].sum(), theirs["surfel_areas_pred"].sum()]
    pooled = np.average(means, weights=areas)
    assert metrics.assd(pair, **surface) == pytest.approx(pooled, rel=1e-12)


@pytest.mark.sampled(5)
@old_names
@pytest.mark.parametrize("spacing", SPACINGS, ids=str)
@pytest.mark.parametrize(
    "draw", [dense_noise, scattered, full_of_holes, blobs_at_the_border, blobs_inside]
)
def test_surfaces_are_those_of_deepmind(
    deepmind: Any, draw: Callable[..., Pair], spacing: Spacing
) -> None:
    for seed in range(2):
        assert_as_deepmind(deepmind, *drawn(draw, spacing, seed), spacing)


@pytest.mark.slow
@old_names
@pytest.mark.parametrize("structure", ["Brainstem", "Mandible", "Cochlea-Lt", "Optic-Nerve-Rt"])
def test_real_surfaces_are_those_of_deepmind(deepmind: Any, shared: Path, structure: str) -> None:
    assert_as_deepmind(deepmind, *real_pair(shared, structure))


# --------------------------------------------------------------------------- MedPy


# MedPy's boundary (connectivity 1) and distances are ours. Its HD95 is the pooled one; its assd
# pools both directions as ours does (other versions average them), and its asd is one direction.
@pytest.mark.sampled(7)
@pytest.mark.parametrize("spacing", SPACINGS, ids=str)
@pytest.mark.parametrize("draw", DRAWS)
def test_values_are_those_of_medpy(medpy: Any, draw: Callable[..., Pair], spacing: Spacing) -> None:
    a, b = drawn(draw, spacing, 11)
    pair = MaskPair.of(a, b, spacing)
    directed = [medpy.asd(a, b, spacing), medpy.asd(b, a, spacing)]
    theirs = {
        "hd": medpy.hd(a, b, spacing),
        "hd95 pooled": medpy.hd95(a, b, spacing),
        "masd": sum(directed) / 2,
        "dsc": medpy.dc(a, b),
        "iou": medpy.jc(a, b),
        "ppv": medpy.precision(a, b),
        "sensitivity": medpy.recall(a, b),
        # Positive where too much is predicted.
        "relative_volume_error": medpy.ravd(a, b),
    }
    if not b.all():
        # Theirs is 0 where the reference leaves no background, ours is undefined.
        theirs["specificity"] = medpy.specificity(a, b)
    ours = our_values(pair)
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs, rel=1e-12)
    sizes = [len(found) for found in pair.distances]
    assert ours["assd"] == pytest.approx(np.average(directed, weights=sizes), rel=1e-12)


# --------------------------------------------------------------------------- clDice


def plain_cldice(a: Mask, b: Mask, definition: str) -> float:
    from skimage.morphology import skeletonize

    skeletons: Any = skeletonize
    # The whole array, with a margin, where ours is cropped.
    of: list[list[Mask]] = [turns(mask) if definition == "all" else [mask] for mask in (a, b)]
    lines: list[list[Mask]] = [[skeletons(mask) > 0 for mask in masks] for masks in of]
    within = [
        sum(int((line & other).sum()) for line, other in zip(lines[i], of[1 - i], strict=True))
        for i in (0, 1)
    ]
    precision, found = (within[i] / sum(int(line.sum()) for line in lines[i]) for i in (0, 1))
    return float(2 * precision * found / (precision + found)) if precision + found else 0.0


def turns(mask: Mask) -> list[Mask]:
    """All ways to store an image: its axes in every order, each in both directions."""
    found = [mask]
    for axis in range(mask.ndim):
        found += [np.flip(one, axis) for one in found]
    orders = itertools.permutations(range(mask.ndim))
    return [one.transpose(order) for order in orders for one in found]


def tubes(shape: Sequence[int], rng: np.random.Generator) -> Mask:
    """Lines along each axis, three voxels thick, with a bend."""
    mask = np.zeros(shape, bool)
    for axis in range(len(shape)):
        at: list[Any] = [int(rng.integers(3, length - 3)) for length in shape]
        at = [slice(centre - 1, centre + 2) for centre in at]
        at[axis] = slice(int(rng.integers(0, 4)), shape[axis] - int(rng.integers(0, 4)))
        mask[tuple(at)] = True
    return mask


@pytest.mark.sampled(2)
@pytest.mark.parametrize("shape", [(30, 41), (19, 16, 23)])
@pytest.mark.parametrize(
    ("definition", "seed"), [("all", 0), *(("stored", seed) for seed in range(6))]
)
def test_cldice_is_its_definition(shape: tuple[int, ...], seed: int, definition: Any) -> None:
    pytest.importorskip("skimage")
    rng = np.random.default_rng(seed)
    a, b = tubes(shape, rng), tubes(shape, rng)
    pairs = [(a, b), (b, a), (a, np.roll(a, 1, axis=0)), (a, a)]
    for masks in pairs if definition == "stored" else pairs[2:3]:
        wide = [np.pad(mask, 3) for mask in masks]
        wanted = plain_cldice(wide[0], wide[1], definition)
        assert metrics.cldice(*masks, definition=definition) == pytest.approx(wanted, rel=1e-14)
    assert metrics.cldice(a, a, definition=definition) == 1


@pytest.mark.parametrize("shape", [(30, 41), (14, 16, 12)])
@pytest.mark.parametrize("seed", range(3))
def test_cldice_of_blobs_is_its_definition(shape: tuple[int, ...], seed: int) -> None:
    pytest.importorskip("skimage")
    a, b = blobs_at_the_border(shape, np.random.default_rng(seed))
    wanted = plain_cldice(np.pad(a, 2), np.pad(b, 2), "stored")
    assert metrics.cldice(a, b, definition="stored") == pytest.approx(wanted, rel=1e-14)


def test_cldice_does_not_depend_on_how_a_structure_is_stored(shared: Path) -> None:
    pytest.importorskip("skimage")
    a, b = (
        read_image(
            shared / "data" / "head_neck_ct" / reader / "0522c0017" / "Optic-Nerve-Lt.nrrd"
        ).voxels
        > 0
        for reader in ("radiographer", "oncologist")
    )
    (box,) = ndimage.find_objects((a | b).astype(int))
    stored = list(zip(turns(a[box]), turns(b[box]), strict=True))
    assert len({metrics.cldice(*masks) for masks in stored[::19]}) == 1
    single = [metrics.cldice(*masks, definition="stored") for masks in stored]
    assert min(single) < 0.71
    assert max(single) > 0.96
    assert min(single) < metrics.cldice(*stored[0]) < max(single)


def test_cldice_of_skeletons_beside_each_other_is_0() -> None:
    pytest.importorskip("skimage")
    a, b = np.zeros((2, 20, 20), bool)
    a[2:5, 2:18] = b[10:13, 2:18] = True
    assert metrics.cldice(a, b) == 0
    # Neither skeleton meets the other mask, although the masks overlap.
    b[4, 2:18] = True
    assert metrics.dsc(a, b) > 0


@pytest.mark.parametrize("sides", [(4, 4, 30), (2, 2, 2)])
def test_cldice_is_undefined_where_a_skeleton_is_empty(sides: tuple[int, ...]) -> None:
    morphology = pytest.importorskip("skimage.morphology")
    lump = np.pad(np.ones(sides, bool), 3)
    assert not (morphology.skeletonize(lump) > 0).any()
    assert math.isnan(metrics.cldice(lump, lump))
    # So it is if the other mask has a skeleton, whichever way round.
    line = np.zeros_like(lump)
    line[4, 4] = True
    assert (morphology.skeletonize(line) > 0).any()
    assert math.isnan(metrics.cldice(lump, line))
    assert math.isnan(metrics.cldice(line, lump))
