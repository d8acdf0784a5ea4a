"""What cannot be matched is refused in a line that says what is there and what to do."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import scenes

from halfwidth import DataError, HalfwidthError, ObjectSet, OptionError
from halfwidth.core.objects import Objects, Unit
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import Admits, MatchingRule
from halfwidth.detection.metrics.all_criteria import LOCALISATIONS

FOUND, TRUE = scenes.scene(1)


def only(objects: ObjectSet, *names: str) -> ObjectSet:
    """The same objects, given in these ways alone."""
    drop: dict[str, Any] = dict.fromkeys(("boxes", "masks", "points", "radii", "score"))
    fewer = tuple(
        dataclasses.replace(one, **{k: v for k, v in drop.items() if k not in names})
        for one in objects.objects
    )
    return dataclasses.replace(objects, objects=fewer)


NEEDS = {
    "box_iou": "box_iou needs boxes, but the references of image .* have masks; approximate_iou",
    "mask_iou": "mask_iou needs masks, but the detections of image .* have boxes; box_iou",
    "boundary_iou": "boundary_iou needs masks, but the detections of image .* have boxes",
    "mask_overlap": "mask_overlap needs masks, but the detections of image .* have boxes",
    "ior": "ior needs the same on both sides, but the detections have boxes, the references masks",
    "centre_in_radius": "centre_in_radius needs centres with radii, but the references .* masks",
    "point_in_box": "point_in_box needs boxes, but the references of image .* have masks",
}


@pytest.mark.parametrize("criterion", LOCALISATIONS.names)
def test_what_a_criterion_needs_is_named_with_what_is_there(criterion: str) -> None:
    found, true = only(FOUND, "boxes", "score"), only(TRUE, "masks")
    spec = LOCALISATIONS[criterion]
    how = MatchingRule(
        criterion,
        thresholds=(5.0 if spec.threshold is None else spec.threshold,),
        admits=spec.admits,
    )
    if criterion not in NEEDS:
        match_images(found, true, how)
        return
    with pytest.raises(DataError, match=NEEDS[criterion]) as error:
        match_images(found, true, how)
    assert "\n" not in str(error.value)


def test_one_image_that_lacks_masks_is_named() -> None:
    held = next(i for i, one in enumerate(TRUE.objects) if i > 2 and len(one))
    fewer = only(TRUE, "boxes").objects[held]
    true = dataclasses.replace(
        TRUE, objects=(*TRUE.objects[:held], fewer, *TRUE.objects[held + 1 :])
    )
    with pytest.raises(DataError, match=f"references of image image{held} have boxes"):
        match_images(FOUND, true, MatchingRule("mask_iou"))
    # What not all have is not taken for some of them.
    by_boxes = MatchingRule("ior", thresholds=(0.5,), admits=Admits.ABOVE)
    one, other = (match_images(FOUND, some, by_boxes) for some in (true, only(TRUE, "boxes")))
    np.testing.assert_array_equal(one.similarity, other.similarity)


def test_images_that_are_given_in_different_ways_are_refused() -> None:
    held = [i for i, one in enumerate(TRUE.objects) if len(one)]
    by_masks, by_boxes = only(TRUE, "masks").objects, only(TRUE, "boxes").objects
    mixed = list(by_masks)
    mixed[held[-1]] = by_boxes[held[-1]]
    true = dataclasses.replace(TRUE, objects=tuple(mixed))
    how = MatchingRule("ior", thresholds=(0.5,), admits=Admits.ABOVE)
    with pytest.raises(DataError, match="some have masks alone, others boxes"):
        match_images(FOUND, true, how)


def test_flat_and_solid_objects_are_refused() -> None:
    solid = scenes.scene(1, dims=3)[0]
    with pytest.raises(DataError, match=r"detections of image image\d is of 3, .* image\d of 2"):
        match_images(solid, TRUE)
    layered = dataclasses.replace(TRUE, spacing=((1.0, 1.0, 5.0),) * len(TRUE))
    with pytest.raises(DataError, match="the spacing of image image0 of 3"):
        match_images(FOUND, layered)


def test_scores_of_some_images_alone_are_refused() -> None:
    held = next(i for i, one in enumerate(FOUND.objects) if len(one))
    bare = dataclasses.replace(FOUND.objects[held], score=None)
    found = dataclasses.replace(
        FOUND, objects=(*FOUND.objects[:held], bare, *FOUND.objects[held + 1 :])
    )
    with pytest.raises(DataError, match=f"have scores, those of image image{held} have none"):
        match_images(found, TRUE, MatchingRule(assignment="hungarian"))


def test_classes_alone_are_said_to_be() -> None:
    bare = ObjectSet(("a",), (Objects(category=np.zeros(1, np.intp)),), ("x",))
    with pytest.raises(DataError, match="have neither boxes nor masks nor centres"):
        match_images(bare, bare)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, "greedy_by_score needs scores, which the detections of image .* lack; hungarian"),
        ({"assignment": "hungarian", "score_threshold": 0.5}, "score_threshold needs scores"),
        ({"assignment": "hungarian", "max_detections": 5}, "max_detections needs scores"),
    ],
)
def test_what_needs_scores_says_so(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        match_images(only(FOUND, "boxes"), TRUE, MatchingRule(**change))


def test_scores_are_not_needed_otherwise() -> None:
    lists = match_images(only(FOUND, "boxes"), TRUE, MatchingRule(assignment="hungarian"))
    assert lists.score is None


def test_sets_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(DataError, match="'class0', 'class1', the references 'other'"):
        match_images(FOUND, dataclasses.replace(TRUE, classes=("other", "class1")))
    renamed = dataclasses.replace(FOUND, images=("scan", *FOUND.images[1:]))
    with pytest.raises(DataError, match=r"1 image of the detections not among .*: scan"):
        match_images(renamed, TRUE)
    none = dataclasses.replace(TRUE, images=(), objects=(), shapes=None)
    with pytest.raises(DataError, match="no images in the references"):
        match_images(dataclasses.replace(none, source="detections"), none)


def test_units_must_be_one_and_have_lengths_where_these_matter() -> None:
    def fractions(objects: ObjectSet) -> ObjectSet:
        return dataclasses.replace(objects, unit=Unit.FRACTION, shapes=None)

    with pytest.raises(DataError, match="in fractions of images, those of the references in vox"):
        match_images(fractions(FOUND), TRUE)
    sets = fractions(FOUND), fractions(TRUE)
    match_images(*sets, MatchingRule())
    near = MatchingRule("centre_distance", thresholds=(3.0,), admits=Admits.AT_MOST)
    with pytest.raises(DataError, match="centre_distance needs pixels or mm"):
        match_images(*sets, near)
    with pytest.raises(DataError, match="area_range needs pixels or mm"):
        match_images(*sets, MatchingRule(area_range=(0, 10)))


def test_millimetres_are_not_multiplied_by_a_spacing() -> None:
    in_mm = [
        dataclasses.replace(one, unit=Unit.MILLIMETRE, spacing=((5.0, 5.0),) * len(one))
        for one in (FOUND, TRUE)
    ]
    near = MatchingRule("centre_distance", thresholds=(3.0,), admits=Admits.AT_MOST)
    lists, plain = match_images(in_mm[0], in_mm[1], near), match_images(FOUND, TRUE, near)
    np.testing.assert_array_equal(lists.similarity, plain.similarity)
    assert (lists.outcome == 1).any()


def test_sizes_are_needed_for_a_range_of_them() -> None:
    found, true = (only(one, "points", "score") for one in (FOUND, TRUE))
    how = MatchingRule(
        "centre_distance", thresholds=(3.0,), admits=Admits.AT_MOST, area_range=(0, 10)
    )
    with pytest.raises(DataError, match="area_range needs sizes"):
        match_images(found, true, how)


def test_objects_that_overlap_leave_a_choice() -> None:
    box = np.array([[0.0, 0, 4, 4]])
    one = Objects(category=np.zeros(1, np.intp), boxes=box)
    two = Objects(category=np.zeros(2, np.intp), boxes=np.repeat(box, 2, axis=0))
    how = MatchingRule(assignment="overlap_above_half", admits=Admits.ABOVE)
    for found, true, words in (
        (two, one, "two detections lie on one reference"),
        (one, two, "two references lie on one detection"),
    ):
        sets = [ObjectSet(("scan7",), (side,), ("x",)) for side in (found, true)]
        with pytest.raises(DataError, match=f"in image scan7 {words}; take greedy_by_score or"):
            match_images(sets[0], sets[1], how)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"localisation": "box_iuo"}, "did you mean 'box_iou'"),
        ({"assignment": "hungry"}, "unknown assignment strategy 'hungry'"),
        ({"thresholds": ()}, "at least one threshold"),
        ({"thresholds": (np.nan,)}, "not a finite number"),
        ({"thresholds": (0.0,)}, "admits every pair; for any overlap take > 0"),
        ({"thresholds": (50,)}, "between 0 and 1, .* ≥ 50 tells nothing apart; for 50 % write 0.5"),
        ({"thresholds": (1.0,), "admits": Admits.ABOVE}, "threshold > 1 tells nothing apart"),
        ({"thresholds": (0.5, -0.1)}, "threshold ≥ -0.1 tells nothing apart"),
        (
            {
                "localisation": "centre_distance",
                "thresholds": (0.0,),
                "admits": Admits.BELOW,
            },
            "centre_distance is never < 0",
        ),
        ({"max_detections": 0}, "max_detections=0 is not at least 1"),
        ({"area_range": (5.0, 1.0)}, "low end above the high one"),
        ({"boundary_distance": -1.0}, "boundary_distance=-1"),
        ({"dilation": -1}, "dilation=-1"),
        ({"admits": Admits.AT_MOST}, "box_iou is better when high, .* ≥ or > it, not ≤"),
        ({"localisation": "centre_distance"}, "is better when low, .* ≤ or < it, not ≥"),
        ({"assignment": "overlap_above_half"}, "needs overlaps > 0.5, not ≥ 0.5"),
        (
            {"assignment": "overlap_above_half", "thresholds": (0.9, 0.3), "admits": Admits.ABOVE},
            "needs overlaps > 0.5, not > 0.3",
        ),
        (
            {"assignment": "overlap_above_half", "localisation": "ior"},
            "takes one of box_iou, mask_iou, approximate_iou, boundary_iou, not ior",
        ),
        ({"assignment": "lesionwise"}, "lesionwise takes localisation mask_overlap, not box_iou"),
        (
            {
                "assignment": "lesionwise",
                "localisation": "mask_overlap",
                "admits": Admits.ABOVE,
            },
            "takes threshold 0, not 0.5",
        ),
    ],
)
def test_choices_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(HalfwidthError, match=message) as error:
        match_images(FOUND, TRUE, MatchingRule(**change))
    assert isinstance(error.value, OptionError)
    assert len(str(error.value).splitlines()) == 1


def test_names_are_settled() -> None:
    how = match_images(FOUND, TRUE, MatchingRule("BBox", "Greedy", (1,))).matching
    assert (how.localisation, how.assignment) == ("box_iou", "greedy_by_score")
    assert how == match_images(FOUND, TRUE, how).matching
