"""Measuring of masks beside their matches: what is refused, left out and said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from labelscenes import (
    as_sets,
    detection_metric,
    functional_of,
    notes_of,
    pictures,
    sums_of,
    value_of,
)

import halfwidth as hw
from halfwidth.core.objects import CroppedMask, Objects
from halfwidth.core.spec import Metric
from halfwidth.detection.matching.instances import measure
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import Admits, MatchingRule

ABOVE_HALF = MatchingRule("mask_iou", "hungarian", admits=Admits.ABOVE)
IMAGES = pictures(3)
FOUND, TRUE = as_sets(IMAGES, (1.0, 1.0))
LISTS = match_images(FOUND, TRUE, ABOVE_HALF)
SQUARE = CroppedMask((1, 1), np.ones((2, 2), bool))


def one_image(*masks: CroppedMask, **more: object) -> hw.ObjectSet:
    objects = Objects(category=np.zeros(len(masks), np.intp), masks=masks, **more)  # type: ignore[arg-type]
    return hw.ObjectSet(("scan 1",), (objects,), ("lesion",), ((9, 9),))


def thresholds(*several: float) -> hw.MatchLists:
    return match_images(FOUND, TRUE, replace(ABOVE_HALF, thresholds=several))


# --------------------------------------------------------------------------- refused


def test_metrics_of_masks_need_masks() -> None:
    boxes = np.array([[1.0, 1, 3, 3]])
    objects = Objects(category=np.zeros(1, np.intp), boxes=boxes, score=np.ones(1))
    boxed = hw.ObjectSet(("scan 1",), (objects,), ("lesion",))
    lists = match_images(boxed, boxed, MatchingRule())
    for name in ("instance_dsc", "pooled_iou"):
        message = f"{name} needs masks, which the detections of image 'scan 1' lack"
        with pytest.raises(hw.DataError, match=message):
            measure(lists, boxed, boxed, [detection_metric(name)])


def test_distances_need_the_spacing() -> None:
    found, true = as_sets(IMAGES)
    lists = match_images(found, true, ABOVE_HALF)
    with pytest.raises(hw.OptionError, match="need the spacing of the images, which have none"):
        measure(lists, found, true, [detection_metric("instance_hd95")])


def test_distances_are_in_voxels_where_that_is_said() -> None:
    """With a spacing or without; and those in mm stay so beside them."""
    wanted = [detection_metric("instance_hd95", unit="voxel"), detection_metric("instance_hd95")]
    coarse = as_sets(IMAGES, (2.0, 2.0))
    lists = measure(match_images(*coarse, ABOVE_HALF), *coarse, wanted)
    in_voxels, in_mm = (value_of(metric, lists, "micro") for metric in wanted)
    assert in_mm == pytest.approx(2 * in_voxels)
    bare = as_sets(IMAGES)
    lists = measure(match_images(*bare, ABOVE_HALF), *bare, wanted[:1])
    assert value_of(wanted[0], lists, "micro") == in_voxels
    assert wanted[0].unit == "voxels"


def test_a_distance_to_an_empty_mask_is_refused() -> None:
    found = one_image(replace(SQUARE, mask=np.zeros((2, 2), bool)), points=np.array([[2.0, 2]]))
    true = one_image(SQUARE, points=np.array([[2.0, 2]]))
    found, true = (replace(one, spacing=((1.0, 1.0),)) for one in (found, true))
    how = MatchingRule("centre_distance", "hungarian", (3.0,), Admits.AT_MOST)
    metric = detection_metric("instance_assd")
    lists = measure(match_images(found, true, how), found, true, [metric])
    with pytest.raises(hw.DataError, match="assd of detection 1 in image 'scan 1' is not finite"):
        value_of(metric, lists, "none")


def test_unmatched_objects_need_a_penalty_of_a_distance() -> None:
    with pytest.raises(hw.OptionError, match="instance_hd95:over=all,penalty=VALUE"):
        _ = detection_metric("instance_hd95", over="all").form
    with pytest.raises(hw.OptionError, match="penalty=9 has no effect without over=all"):
        _ = detection_metric("instance_assd", penalty=9).form
    with pytest.raises(hw.OptionError, match="over=some is not matched or all"):
        detection_metric("instance_dsc", over="some")


def test_metrics_at_one_threshold_refuse_several() -> None:
    lists = thresholds(0.5, 0.75)
    for name in ("object_ppv", "object_f_beta", "fppi", "pq"):
        with pytest.raises(
            hw.OptionError, match=r"takes one threshold of localisation, and 2 are given"
        ):
            value_of(detection_metric(name), lists, "micro")
    with pytest.raises(hw.OptionError, match=r"panoptic quality takes one threshold"):
        notes_of(detection_metric("sq"), lists)


def test_panoptic_quality_is_of_overlaps() -> None:
    how = MatchingRule("centre_distance", "hungarian", (5.0,), Admits.AT_MOST)
    with pytest.raises(hw.OptionError, match="is not an IoU; give localisation='mask_iou'"):
        value_of(detection_metric("sq"), match_images(FOUND, TRUE, how), "micro")


def test_lesionwise_metrics_are_of_lesions() -> None:
    with pytest.raises(hw.OptionError, match="assignment='lesionwise'"):
        value_of(detection_metric("lesionwise_dsc"), LISTS, "none")


# --------------------------------------------------------------------------- said


def test_what_a_mean_over_objects_leaves_out_is_said() -> None:
    matched, every = detection_metric("instance_dsc"), detection_metric("instance_dsc", over="all")
    lists = measure(LISTS, FOUND, TRUE, [matched])
    sensitivity, ppv = (hw.DETECTION_METRICS[name].function for name in ("recall", "precision"))
    tp, fn, fp = (int(each.sum()) for each in sums_of(detection_metric("rq")).counts(lists)[1:])
    assert sensitivity is not None is not ppv
    assert value_of(detection_metric("recall"), lists, "micro") == sensitivity(tp, fn)
    assert value_of(detection_metric("precision"), lists, "micro") == ppv(tp, fn, fp)
    rest = f"{fn} missed objects and {fp} false positives"
    assert notes_of(matched, lists) == (f"of {tp} matched pairs; {rest} are left out",)
    assert notes_of(every, lists) == (f"{rest} count as 0",)


def test_panoptic_quality_with_another_threshold_says_so() -> None:
    metric = detection_metric("pq")
    assert notes_of(metric, LISTS) == ()
    assert notes_of(metric, thresholds(0.6)) == ()
    (note,) = notes_of(metric, thresholds(0.3))
    assert note.endswith("defined for overlaps > 0.5, but these matches have > 0.3")
    at_least = match_images(FOUND, TRUE, replace(ABOVE_HALF, admits=Admits.AT_LEAST))
    assert notes_of(metric, at_least)[0].endswith("≥ 0.5")


# --------------------------------------------------------------------------- measured


def test_a_pair_is_measured_once_however_many_thresholds_have_it() -> None:
    metric = detection_metric("instance_dsc")
    lists = measure(thresholds(0.5, 0.6, 0.9), FOUND, TRUE, [metric])
    (values,) = lists.measured.values()
    (alone,) = measure(LISTS, FOUND, TRUE, [metric]).measured.values()
    np.testing.assert_array_equal(values[0], alone[0])
    for at, value in enumerate(values):
        kept = ~np.isnan(value)
        assert (kept == (lists.outcome[at] == 1)).all()
        np.testing.assert_array_equal(value[kept], values[0][kept])
    assert measure(lists, FOUND, TRUE, [metric]) is lists


def test_the_mean_recall_over_thresholds_is_the_sensitivity_over_them() -> None:
    lists = thresholds(0.5, 0.6, 0.9)
    each = [value_of(detection_metric("recall"), thresholds(at), "micro") for at in (0.5, 0.6, 0.9)]
    assert value_of(detection_metric("ar"), lists, "micro") == pytest.approx(np.mean(each))
    assert value_of(detection_metric("recall"), lists, "micro") == pytest.approx(np.mean(each))


def test_voxels_of_crowds_and_ignored_objects_are_left_out() -> None:
    wide = CroppedMask((0, 0), np.ones((4, 9), bool))
    crowd = CroppedMask((0, 4), np.ones((4, 3), bool))
    for beside in ("crowd", "ignored"):
        true = one_image(SQUARE, crowd, **{beside: np.array([False, True])})
        found = one_image(wide)
        lists = match_images(found, true, ABOVE_HALF)
        metric = detection_metric("pooled_iou")
        lists = measure(lists, found, true, [metric])
        (voxels,) = lists.measured.values()
        assert voxels[:, 0, 0].tolist() == [4, 0, 36 - 4 - 12]


def test_detections_below_the_threshold_of_the_score_have_no_voxels() -> None:
    how = replace(ABOVE_HALF, score_threshold=0.5)
    found, true = one_image(SQUARE, SQUARE, score=np.array([0.4, 0.5])), one_image(SQUARE)
    metric = detection_metric("pooled_dsc")
    assert (
        value_of(metric, measure(match_images(found, true, how), found, true, [metric]), "none")
        == 1
    )
    none = one_image(SQUARE, score=np.array([0.4]))
    lists = measure(match_images(none, true, how), none, true, [metric])
    assert value_of(metric, lists, "none") == 0


def test_a_flat_object_of_a_volume_has_a_volumes_boundary() -> None:
    """Its box is one voxel thick, and its image is not."""
    flat = CroppedMask((3, 2, 2), np.ones((1, 5, 5), bool))
    less = CroppedMask((3, 2, 2), np.ones((1, 5, 4), bool))
    objects = [Objects(category=np.zeros(1, np.intp), masks=(one,)) for one in (less, flat)]
    metric = detection_metric("instance_assd")
    for shapes in (((9, 9, 9),), None):
        found, true = (
            hw.ObjectSet(("a",), (one,), ("x",), shapes, ((1.0, 1.0, 1.0),)) for one in objects
        )
        lists = measure(match_images(found, true, ABOVE_HALF), found, true, [metric])
        # All 20 and 25 voxels are boundary; five lie one voxel off.
        assert value_of(metric, lists, "none") == pytest.approx(5 / 45)


# --------------------------------------------------------------------------- undefined


def test_what_is_undefined_is_so_and_follows_the_policy() -> None:
    empty = Objects(category=np.empty(0, np.intp), masks=())
    nothing = hw.ObjectSet(
        ("a", "b"), (empty, empty), ("lesion",), ((9, 9),) * 2, ((1.0, 1.0),) * 2
    )
    specs = [spec for spec in hw.DETECTION_METRICS if "detection.ranked" not in _module(spec)]
    wanted = [_plain(spec.name) for spec in specs]
    plain = match_images(nothing, nothing, ABOVE_HALF)
    how = MatchingRule("mask_overlap", "lesionwise", (0.0,), Admits.ABOVE)
    lesions = match_images(nothing, nothing, how)
    for metric in wanted:
        lists = lesions if "lesionwise" in metric.spec.name else plain
        lists = measure(lists, nothing, nothing, [metric])
        value = value_of(metric, lists, "none")
        if metric.spec.name == "fppi":
            assert value == 0
            continue
        assert np.isnan(value), metric.spec.name
        worst = functional_of(metric, lists, "none", undefined="worst")
        expected = 0.0 if metric.spec.worst is None else metric.spec.worst
        assert worst.statistic(worst.records(lists)) == expected


def _module(spec: hw.MetricSpec) -> str:
    return getattr(spec.function, "__module__", "")


def _plain(name: str) -> Metric:
    return detection_metric(name, **({"tolerance": 1} if name.endswith("nsd") else {}))


def test_without_classes_objects_count_together() -> None:
    how = replace(ABOVE_HALF, by_class=False)
    lists = match_images(FOUND, TRUE, how)
    one = [
        replace(
            picture,
            predicted_classes=[0] * len(picture.predicted_classes),
            true_classes=[0] * len(picture.true_classes),
        )
        for picture in IMAGES
    ]
    both = as_sets(one, (1.0, 1.0))
    wanted = [detection_metric(name) for name in ("recall", "precision", "fppi", "pq")]
    wanted += [detection_metric(name) for name in ("pooled_dsc", "instance_dsc")]
    lists = measure(lists, FOUND, TRUE, wanted)
    same = measure(match_images(*both, ABOVE_HALF), *both, wanted)
    for metric in wanted:
        assert value_of(metric, lists, "micro") == value_of(metric, same, "none")
