"""Cautions about detections keep quiet just before the point at which they are raised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from over_data import estimate_detector
from support import codes, message

N = 60
SQUARE = [10.0, 10.0, 70.0, 70.0]


def image(*sides: float, scores: Any = None, shift: float = 0.0, grown: float = 1.0) -> Any:
    """Squares of these sides, side by side, moved and grown."""
    corners = shift + 10 + 300.0 * np.arange(len(sides))
    boxes = np.array(
        [
            [x, 10, x + side * grown, 10 + side * grown]
            for x, side in zip(corners, sides, strict=True)
        ]
    ).reshape(-1, 4)
    made = {"boxes": boxes, "labels": [1] * len(sides)}
    return made if scores is None else made | {"scores": scores}


def raised(
    code: str, truth: list[Any], found: list[Any], metric: str = "ap", **options: Any
) -> bool:
    e = estimate_detector(found, truth, metric=metric, rng=1, n_resamples=199, **options)
    return code in codes(e)


def hits(scores: Any = None, sides: tuple[float, ...] = (60,), **how: Any) -> list[Any]:
    scores = np.linspace(0, 1, N) if scores is None else scores
    return [image(*sides, scores=[score] * len(sides), **how) for score in scores]


TRUTH = [image(60) for _ in range(N)]


@pytest.mark.parametrize(("empty", "doubted"), [(2, False), (3, True)])
def test_images_without_objects_count_from_a_twentieth_on(empty: int, doubted: bool) -> None:
    truth = [image() for _ in range(empty)] + TRUTH[empty:]
    assert raised("HW871", truth, hits()) == doubted
    assert not raised("HW871", truth, hits(), "object_sensitivity")


def test_images_without_small_objects_hold_others() -> None:
    truth = [image(60) if place % 2 else image(20) for place in range(N)]
    assert not raised("HW871", truth, hits(), area="small")


def test_the_mix_matters_where_false_positives_differ() -> None:
    truth = [image(60) if place % 2 else image() for place in range(N)]
    alike = [image(60, 60, scores=[0.5, 0.1], shift=500) for _ in range(N)]
    assert not raised("HW872", truth, alike, "fppi")
    crowded = [one if place % 2 else image(scores=[]) for place, one in enumerate(alike)]
    e = estimate_detector(crowded, truth, metric="fppi", rng=1, n_resamples=199)
    assert "2 false positives per image with objects, 0 per image without" in message(e, "HW872")


@pytest.mark.parametrize(("objects", "doubted"), [(14, False), (16, True)])
def test_one_image_holds_a_fifth_of_the_objects(objects: int, doubted: bool) -> None:
    truth = [*TRUTH[:-1], image(*[60] * objects)]
    assert raised("HW873", truth, hits()) == doubted
    assert not raised("HW873", truth, hits(), "fppi")


@pytest.mark.parametrize(
    ("names", "patients"),
    [
        (["p1_slice_1.png", "p1_slice_2.png", "p2_slice_1.png"], 2),
        (["a/z001.nii.gz", "a/z002.nii.gz"], None),
        (["IMG_0001.jpg", "IMG_0002.jpg"], None),
        (["2007_001585.jpg", "2008_000001.jpg"], None),
        (["vol1-frame3", "vol2-frame3", "vol2-frame4"], 2),
        (["p1_slice_1", "p2_slice_1"], None),
    ],
)
def test_names_of_slices_are_told_from_names_of_files(
    names: list[str], patients: int | None
) -> None:
    truth = {name: image(60) for name in names}
    found = {name: image(60, scores=[0.5]) for name in names}
    e = estimate_detector(found, truth, metric="ap", rng=1, n_resamples=199)
    assert ("HW874" in codes(e)) == (patients is not None)
    if patients is not None:
        assert f"they are of {patients} patients" in message(e, "HW874")


@pytest.mark.parametrize(
    ("side", "threshold", "doubted"),
    [(5, 0.5, True), (6, 0.5, False), (13, 0.75, True), (14, 0.75, False)],
)
def test_how_small_is_tiny_depends_on_the_threshold(
    side: float, threshold: float, doubted: bool
) -> None:
    truth = [image(side) for _ in range(N)]
    found = hits(sides=(side,))
    assert raised("HW875", truth, found, threshold=threshold) == doubted
    assert not raised("HW875", truth, found, localisation="centre_distance", threshold=2)


@pytest.mark.parametrize(
    ("scores", "doubted"),
    [
        (np.linspace(0.04, 1, N), False),
        (np.linspace(0.1, 1, N), True),
        (np.linspace(3, 99, N), False),
        (np.linspace(40, 99, N), True),
        (np.arange(N) % 5 + 1, False),
        (np.linspace(-3, 3, N), False),
    ],
)
def test_scores_are_cut_on_scales_that_have_an_end(scores: Any, doubted: bool) -> None:
    assert raised("HW878", TRUTH, hits(scores)) == doubted
    assert not raised("HW878", TRUTH, hits(scores), "fppi")


@pytest.mark.parametrize(("full", "doubted"), [(2, False), (4, True)])
def test_images_with_as_many_detections_were_cut(full: int, doubted: bool) -> None:
    many = [image(*[60] * 6, scores=np.linspace(0, 1, 6)) for _ in range(full)]
    assert raised("HW879", TRUTH, many + hits()[full:]) == doubted


@pytest.mark.parametrize(("shift", "doubted"), [(0.0, False), (19.0, True)])
def test_a_threshold_matters_where_objects_lie_close_to_it(shift: float, doubted: bool) -> None:
    # Squares of 60 pixels that are moved by 19 have an IoU of 0.52.
    assert raised("HW880", TRUTH, hits(shift=shift)) == doubted


@pytest.mark.parametrize(("grown", "doubted"), [(1.9, False), (2.1, True)])
def test_detections_are_large_from_four_times_the_area_on(grown: float, doubted: bool) -> None:
    found = hits(grown=grown)
    assert raised("HW883", TRUTH, found, localisation="ior") == doubted
    assert not raised("HW883", TRUTH, found)


def test_a_score_threshold_is_missed_only_where_there_are_scores() -> None:
    assert raised("HW885", TRUTH, hits(), "object_ppv")
    assert not raised("HW885", TRUTH, hits(), "object_ppv", score_threshold=0.2)
    assert not raised("HW885", TRUTH, hits(np.ones(N)), "object_ppv")
    assert not raised("HW885", TRUTH, hits(), "ar", max_detections=100)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_the_order_of_equal_scores_matters_to_ap_where_it_moves_it(average: str) -> None:
    """Ratings, of which the true detections of each come first in one file and last in another."""

    def found(scores: Any) -> list[Any]:
        # Every other image has its object, all have a false positive beside it.
        sides = [(60, 60) if place % 2 else (60,) for place in range(N)]
        return [
            image(*own, scores=[score] * len(own), shift=0.0 if place % 2 else 500.0)
            for place, (own, score) in enumerate(zip(sides, scores, strict=True))
        ]

    ratings = np.arange(N) % 3 + 1
    e = estimate_detector(
        found(ratings), TRUTH, metric="ap", average=average, rng=1, n_resamples=199
    )
    assert "Equal scores leave their order open" in message(e, "HW886")
    assert not raised("HW886", TRUTH, found(ratings), "froc_score")
    assert not raised("HW886", TRUTH, found(np.linspace(0.01, 1, N)), average=average)
    assert not raised("HW886", TRUTH, found(np.ones(N)), average=average)


@pytest.mark.parametrize(
    ("metric", "options", "words"),
    [
        ("wafroc_auc", {}, "compares these with images without any; add such images"),
        ("ap", {"area": "small"}, "there is no object to be found; look at the classes"),
    ],
)
def test_why_there_is_no_value_is_said(metric: str, options: dict[str, Any], words: str) -> None:
    e = estimate_detector(hits(), TRUTH, metric=metric, n_resamples=199, **options)
    assert np.isnan(e.value)
    assert words in message(e, "HW306")


@pytest.mark.parametrize(
    ("localisation", "doubted"), [("approximate_iou", True), ("mask_iou", False), ("ior", False)]
)
def test_boxes_drawn_around_scattered_masks_are_cautioned(localisation: str, doubted: bool) -> None:
    # Two parts in opposite corners, as of SN 2.14.
    mask = np.zeros((1, 30, 30), dtype=bool)
    mask[0, :5, :5] = mask[0, 25:, 25:] = True
    truth = [{"masks": mask, "labels": [1]} for _ in range(3)]
    found = [one | {"scores": [0.5]} for one in truth]
    how: dict[str, Any] = {"localisation": localisation, "rng": 1, "n_resamples": 199}
    e = estimate_detector(found, truth, metric="object_sensitivity", **how)
    assert ("HW876" in codes(e)) == doubted
