"""Criteria of localisation against pycocotools, metrics of masks, and plain counting."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import pytest
import scenes

from halfwidth import DataError
from halfwidth.core.objects import CroppedMask, Objects
from halfwidth.core.types import Array
from halfwidth.detection.metrics.all_criteria import LOCALISATIONS
from halfwidth.detection.metrics.localisation import Pairs
from halfwidth.metrics import boundary_iou, iou


def measured(name: str, found: Objects, true: Objects, **geometry: Any) -> Array:
    """The criterion of every pair, (D, R)."""
    shape = len(found), len(true)
    first, second = (places.ravel() for places in np.indices(shape))
    values = LOCALISATIONS[name].function(Pairs(found, true, first, second, **geometry))
    return np.asarray(values).reshape(shape)


def one_image(dims: int, seed: int = 1, n: int = 12) -> tuple[Objects, Objects]:
    rng = np.random.default_rng(seed)
    made = (
        scenes.objects_of(
            rng, rng.integers(0, 12, (n, dims)), rng.integers(1, 9, (n, dims)), 1, scored=False
        )
        for _ in range(2)
    )
    found, true = made
    return found, true


def whole(objects: Objects, dims: int) -> list[np.ndarray[Any, Any]]:
    return [scenes.whole(mask, (24,) * dims) for mask in objects.masks or ()]


def boxes(*rows: list[float]) -> Objects:
    return Objects(category=np.zeros(len(rows), np.intp), boxes=np.array(rows, dtype=float))


@pytest.mark.parametrize("kind", ["boxes", "masks"])
def test_iou_is_that_of_pycocotools_of_crowds_too(kind: str) -> None:
    api = pytest.importorskip("pycocotools.mask")
    found, true = one_image(2, n=30)
    crowd = np.arange(30) % 3 == 0
    true = scenes.with_flags(true, crowd, crowd & False)

    def theirs(objects: Objects) -> Any:
        if kind == "boxes":
            corners = np.asarray(objects.boxes).copy()
            corners[:, 2:] -= corners[:, :2]
            return corners
        return [api.encode(np.asfortranarray(one, np.uint8)) for one in whole(objects, 2)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        expected = api.iou(theirs(found), theirs(true), crowd.astype(np.uint8))
    name = {"boxes": "box_iou", "masks": "mask_iou"}[kind]
    assert (expected > 0).mean() > 0.2
    np.testing.assert_allclose(measured(name, found, true), expected, atol=1e-14)


@pytest.mark.parametrize("dims", [2, 3])
def test_overlaps_of_integer_boxes_and_masks_are_counted(dims: int) -> None:
    found, true = one_image(dims)

    for name, one, other in (
        ("box_iou", filled(found), filled(true)),
        ("mask_iou", found, true),
        ("mask_overlap", found, true),
    ):
        expected = [[iou(a, b) for b in whole(other, dims)] for a in whole(one, dims)]
        np.testing.assert_allclose(measured(name, one, other), expected, atol=1e-15)
    shared = [[(a & b).sum() / b.sum() for b in whole(true, dims)] for a in whole(found, dims)]
    np.testing.assert_allclose(measured("ior", found, true), shared, atol=1e-15)


@pytest.mark.parametrize("spacing", [None, (1.0, 0.5), (3.0, 1.0, 0.7)])
def test_boundary_iou_is_that_of_whole_images(spacing: tuple[float, ...] | None) -> None:
    dims = len(spacing or (1, 1))
    found, true = one_image(dims, n=6)
    # Bands of a mask that fills its crop, and of one with room in it, are the same.
    roomy = dataclasses.replace(
        true,
        masks=tuple(
            CroppedMask(tuple(start - 1 for start in one.start), np.pad(one.mask, 1))
            for one in true.masks or ()
        ),
    )
    for distance in (1.0, 1.5):
        expected = [
            [boundary_iou(a, b, distance=distance, spacing=spacing or 1) for b in whole(true, dims)]
            for a in whole(found, dims)
        ]
        got = measured("boundary_iou", found, roomy, spacing=spacing, boundary_distance=distance)
        np.testing.assert_allclose(got, expected, atol=1e-15)


def test_bands_are_two_per_cent_of_the_diagonal_of_the_image() -> None:
    found, true = (filled(one) for one in one_image(2))
    values = []
    for more in (0, 50):
        wide = [
            [np.pad(image, [(0, more)] * 2) for image in whole(one, 2)] for one in (found, true)
        ]
        expected = [[boundary_iou(a, b, definition="cheng") for b in wide[1]] for a in wide[0]]
        values.append(measured("boundary_iou", found, true, shape=(24 + more,) * 2))
        np.testing.assert_allclose(values[-1], expected, atol=1e-15)
    assert (values[0] != values[1]).any()
    with pytest.raises(DataError, match="boundary_distance"):
        measured("boundary_iou", found, true)


def filled(objects: Objects) -> Objects:
    """The same objects, whose masks are their boxes."""
    masks = (CroppedMask(one.start, np.ones_like(one.mask)) for one in objects.masks or ())
    return dataclasses.replace(objects, masks=tuple(masks))


@pytest.mark.parametrize("dims", [2, 3])
def test_balls_share_what_a_fine_grid_counts(dims: int) -> None:
    rng = np.random.default_rng(0)
    n = 4
    balls = [
        Objects(
            category=np.zeros(n, np.intp),
            points=rng.uniform(2, 8, (n, dims)),
            radii=rng.uniform(0.5, 3, n),
        )
        for _ in range(2)
    ]
    # One inside of another, the same ball, and two that touch.
    points, radii = (np.array(balls[0].points), np.array(balls[0].radii))
    other = dataclasses.replace(balls[1], points=points.copy(), radii=radii.copy())
    other.radii[0] *= 0.4  # type: ignore[index]
    other.points[2, 0] += 2 * radii[2]  # type: ignore[index]
    step = 0.05 if dims == 2 else 0.25
    axis = np.arange(-2, 14, step) + step / 2
    grid = np.stack(np.meshgrid(*[axis] * dims, indexing="ij"), axis=-1)

    def inside(objects: Objects) -> list[np.ndarray[Any, Any]]:
        return [
            ((grid - centre) ** 2).sum(axis=-1) <= radius**2
            for centre, radius in zip(
                np.array(objects.points), np.array(objects.radii), strict=True
            )
        ]

    for true in (balls[1], other):
        expected = [
            [(a & b).sum() / max((a | b).sum(), 1) for b in inside(true)] for a in inside(balls[0])
        ]
        got = measured("approximate_iou", balls[0], true)
        np.testing.assert_allclose(got, expected, atol=0.04)
    same = np.diag(measured("approximate_iou", balls[0], other))
    assert same[0] == pytest.approx(0.4**dims)
    assert same[1] == 1
    assert same[2] == pytest.approx(0, abs=1e-12)


def test_balls_are_measured_in_mm() -> None:
    def ball(x: float) -> Objects:
        return Objects(
            category=np.zeros(1, np.intp), points=np.array([[x, 0.0]]), radii=np.array([2.0])
        )

    # Steps of x are 4 mm long: two balls of 2 mm touch.
    assert measured("approximate_iou", ball(0), ball(1), spacing=(1.0, 4.0)) == 0
    assert measured("approximate_iou", ball(0), ball(1), spacing=(4.0, 1.0)) > 0


def test_rough_shapes_of_two_kinds_are_boxes() -> None:
    found, true = one_image(2)
    around = measured("approximate_iou", Objects(category=found.category, masks=found.masks), true)
    corners = [
        [*(np.argwhere(one).min(axis=0)[::-1]), *(np.argwhere(one).max(axis=0)[::-1] + 1)]
        for one in whole(found, 2)
    ]
    np.testing.assert_allclose(around, measured("approximate_iou", boxes(*corners), true))
    # A ball is as wide along each axis as its radius in mm has voxels.
    ball = Objects(
        category=np.zeros(1, np.intp), points=np.array([[5.0, 5.0]]), radii=np.array([2.0])
    )
    assert measured("approximate_iou", ball, boxes([4, 1, 6, 9]), spacing=(0.5, 2.0)) == 1


def test_distances_are_in_mm_where_a_spacing_is_known() -> None:
    found, true = boxes([0, 0, 2, 2]), boxes([3, 4, 5, 6])
    assert measured("centre_distance", found, true) == 5
    # Spacing is along (y, x).
    assert measured("centre_distance", found, true, spacing=(1.0, 4.0)) == np.hypot(12, 4)
    solid = boxes([0, 0, 0, 2, 2, 2]), boxes([1, 0, 2, 3, 2, 4])
    assert measured("centre_distance", *solid, spacing=(5.0, 1.0, 1.0)) == np.hypot(1, 10)


def test_centres_are_points_then_centroids_then_middles_of_boxes() -> None:
    mask = CroppedMask((0, 0), np.array([[True, True, True], [True, False, False]]))
    known: dict[str, Any] = {
        "masks": (mask,),
        "boxes": np.array([[0.0, 0, 3, 2]]),
        "points": np.array([[9.0, 9]]),
    }
    first = np.zeros(1, np.intp)

    def to_origin(*names: str) -> float:
        origin = Objects(
            category=first,
            points=np.zeros((1, 2)),
        )
        held = Objects(category=first, **{name: known[name] for name in names})
        return float(measured("centre_distance", held, origin)[0, 0])

    assert to_origin("boxes") == np.hypot(1.5, 1)
    assert to_origin("boxes", "masks") == np.hypot(1.25, 0.75)
    assert to_origin("boxes", "masks", "points") == np.hypot(9, 9)
    # Both sides in one way where there is one: boxes with boxes, whatever else one side has.
    both = Objects(category=first, boxes=known["boxes"], masks=(mask,))
    alone = Objects(category=first, boxes=known["boxes"])
    assert measured("centre_distance", alone, both) == 0


def test_centre_in_radius_is_in_radii_of_the_reference() -> None:
    found = Objects(category=np.zeros(2, np.intp), points=np.array([[3.0, 4, 0], [0, 0, 0]]))
    true = Objects(
        category=np.zeros(2, np.intp), points=np.zeros((2, 3)), radii=np.array([10.0, 0.0])
    )
    np.testing.assert_array_equal(
        measured("centre_in_radius", found, true), [[0.5, np.inf], [0.0, np.inf]]
    )


@pytest.mark.parametrize("dims", [2, 3])
def test_points_in_masks_and_boxes_are_looked_up(dims: int) -> None:
    found, true = one_image(dims)
    points = np.random.default_rng(3).uniform(-2, 26, (60, dims))
    found = Objects(category=np.zeros(60, np.intp), points=points)
    voxels = np.floor(points[:, ::-1]).astype(int)
    inside = ((voxels >= 0) & (voxels < 24)).all(axis=1)
    expected = np.zeros((60, len(true)))
    for i in np.flatnonzero(inside):
        expected[i] = [one[tuple(voxels[i])] for one in whole(true, dims)]
    assert expected.any()
    np.testing.assert_array_equal(measured("point_in_mask", found, true), expected)
    low, high = np.split(np.asarray(true.boxes), 2, axis=1)
    expected = (
        (low[None] <= points[:, None]).all(axis=2) & (points[:, None] <= high[None]).all(axis=2)
    ).astype(float)
    np.testing.assert_array_equal(measured("point_in_box", found, true), expected)


def test_objects_without_extent_overlap_nothing() -> None:
    line = boxes([1, 1, 1, 5], [0, 0, 4, 4])
    np.testing.assert_array_equal(measured("box_iou", line, line), [[0, 0], [0, 1]])
    np.testing.assert_array_equal(measured("ior", line, line), [[0, 0], [0, 1]])
    none = Objects(
        category=np.zeros(1, np.intp), masks=(CroppedMask((0, 0), np.zeros((0, 0), bool)),)
    )
    for name in ("mask_iou", "ior", "mask_overlap", "point_in_mask", "approximate_iou"):
        assert measured(name, none, none) == 0
    assert measured("boundary_iou", none, none, boundary_distance=1.0) == 0
    # A centroid that is not there is near nothing.
    assert np.isnan(measured("centre_distance", none, none))
