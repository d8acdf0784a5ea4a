"""The public function for detectors: rows, choices and what every result says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import estimate_detections, estimate_detector, matched_detections
from support import codes

import halfwidth as hw
from halfwidth.detection.matching.match_lists import MatchingRule

N = 40
RNG = np.random.default_rng(3)
CLASSES = ("mass", "nodule")
TRUTH: list[dict[str, Any]] = []
FOUND: list[dict[str, Any]] = []
for _ in range(N):
    count = int(RNG.integers(0, 4))
    corner = RNG.integers(0, 300, (count, 2)).astype(float)
    label = RNG.integers(0, 2, count)
    TRUTH.append({"boxes": np.hstack([corner, corner + 40]), "labels": [CLASSES[x] for x in label]})
    spurious = RNG.integers(0, 300, (2, 2)).astype(float)
    corners = np.vstack([corner + RNG.integers(-9, 10, (count, 2)), spurious])
    FOUND.append(
        {
            "boxes": np.hstack([corners, corners + 40]),
            "labels": [CLASSES[x] for x in [*label, 0, 1]],
            "scores": RNG.uniform(size=count + 2).round(2),
        }
    )
NAMES = [f"i{place:02}" for place in range(N)]
NAMED_TRUTH, NAMED_FOUND = (
    dict(zip(NAMES, TRUTH, strict=True)),
    dict(zip(NAMES, FOUND, strict=True)),
)


def estimated(metric: Any = "ap", **options: Any) -> Any:
    settings: dict[str, Any] = {"rng": 1, "n_resamples": 99} | options
    rows = estimate_detections(FOUND, TRUTH, metric=metric, **settings)
    return rows if len(rows) > 1 or isinstance(metric, list) else rows[0]


def of_one_class(objects: dict[str, Any], label: str) -> dict[str, Any]:
    kept = np.array(objects["labels"]) == label
    return {
        name: [one for one, keep in zip(values, kept, strict=True) if keep]
        if name == "labels"
        else np.asarray(values)[kept]
        for name, values in objects.items()
    }


# --------------------------------------------------------------------------- what results say


def test_a_single_estimate_names_its_choices() -> None:
    e = estimated()
    assert isinstance(e, hw.DetectionEstimate)
    assert e.matched_by == "box IoU ≥ 0.5, greedy by score"
    assert e.matching == MatchingRule()
    assert e.sentence().startswith("Macro AP50 0.")
    assert "; box IoU ≥ 0.5, greedy by score; n = 40 images; " in e.sentence()


def test_parameters_stand_in_json_and_in_rows() -> None:
    e = estimated(threshold="0.5:0.6", score_threshold=0.1, max_detections=7, area=(0, 5000))
    made = json.loads(e.to_json())["estimates"][0]
    assert made["parameters"] == {
        "interpolation": "coco",
        "localisation": "box_iou",
        "assignment": "greedy_by_score",
        "threshold": [0.5, 0.55, 0.6],
        "admits": "≥",
        "score_threshold": 0.1,
        "max_detections": 7,
        "area_range": [0.0, 5000.0],
    }
    objects = sum(len(one["boxes"]) for one in TRUTH)
    assert (made["n"], made["n_objects"]) == (N, objects)
    assert made["n_empty"] == sum(len(one["boxes"]) == 0 for one in TRUTH)
    (text,) = e.to_frame()["parameters"]
    assert "threshold=0.5,0.55,0.6; admits=≥; score_threshold=0.1" in text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"threshold": "coco"}, "box IoU ≥ 0.5 to 0.95 by 0.05, greedy by score"),
        ({"threshold": "0.25,0.5"}, "box IoU ≥ 0.25/0.5, greedy by score"),
        ({"admits": "above", "assignment": "hungarian"}, "box IoU > 0.5, Hungarian"),
        ({"localisation": "point_in_box"}, "point in box, greedy by score"),
        (
            {"localisation": "centre_distance", "threshold": 5},
            "centre distance ≤ 5 pixels, greedy by score",
        ),
        ({"by_class": False}, "box IoU ≥ 0.5, greedy by score, whatever the class"),
        ({"duplicates": "ignored"}, "box IoU ≥ 0.5, greedy by score, duplicates ignored"),
        (
            {"max_detections": 3, "score_threshold": 0.2},
            "box IoU ≥ 0.5, greedy by score, scores ≥ 0.2, at most 3 detections",
        ),
    ],
)
def test_every_choice_is_named(options: dict[str, Any], text: str) -> None:
    assert estimated(**options).matched_by == text


def test_a_metric_has_the_assignment_that_it_is_defined_with() -> None:
    alone = [
        one | {"boxes": np.asarray(one["boxes"])[:1], "labels": one["labels"][:1]} for one in TRUTH
    ]
    e = estimate_detector(alone, alone, metric="pq", n_resamples=99)
    assert e.matched_by == "box IoU > 0.5, overlap above one half"
    assert estimated("ar").matching.thresholds == tuple(np.linspace(0.5, 0.95, 10))


def test_notes_say_how_much_was_read() -> None:
    objects, without = (
        sum(len(one["boxes"]) for one in TRUTH),
        sum(len(one["boxes"]) == 0 for one in TRUTH),
    )
    found = estimated(["ap"])
    assert found.notes[0] == (
        f"40 images, {without} of them without objects; {objects} objects of 2 classes, "
        f"{objects + 80} detections"
    )


# --------------------------------------------------------------------------- rows


def test_rows_of_several_metrics_equal_each_alone() -> None:
    rows = estimated(["ap", "object_sensitivity", "fppi"], average=["macro", "none"])
    assert [(e.metric, e.average, e.label) for e in rows] == [
        (metric, average, label)
        for metric in ("ap", "object_sensitivity", "fppi")
        for average, label in (("macro", ""), ("none", "mass"), ("none", "nodule"))
    ]
    for e in rows:
        (alone,) = [one for one in estimated([e.metric], average=e.average) if one.label == e.label]
        assert (e.value, e.low, e.high) == (alone.value, alone.low, alone.high)


def test_a_row_of_a_class_is_that_of_its_objects_alone() -> None:
    rows = estimated("ap", average="none")
    for e, label in zip(rows, CLASSES, strict=True):
        truth = [of_one_class(one, label) for one in TRUTH]
        found = [of_one_class(one, label) for one in FOUND]
        alone = estimate_detector(found, truth, metric="ap", rng=1, n_resamples=99)
        assert (e.label, e.value, e.low, e.high) == (label, alone.value, alone.low, alone.high)
        assert (e.n_objects, e.n_empty) == (alone.n_objects, alone.n_empty)


def test_rows_over_thresholds_equal_each_threshold() -> None:
    rows = estimated("ap", threshold=[0.3, 0.7], by_threshold=True)
    assert [dict(e.by) for e in rows] == [{"threshold": 0.3}, {"threshold": 0.7}]
    for e, threshold in zip(rows, (0.3, 0.7), strict=True):
        alone = estimated("ap", threshold=threshold)
        assert (e.value, e.low, e.high) == (alone.value, alone.low, alone.high)
    assert len(estimated("ap", by_threshold=True)) == 9


def test_a_threshold_may_stand_behind_a_metric() -> None:
    rows = estimated(["ap50", "ap@0.75", "ap@0.5:0.95"])
    assert [e.label for e in rows] == ["AP50", "", ""]
    wanted = [estimated(threshold=one).value for one in (0.5, 0.75, "coco")]
    assert [e.value for e in rows] == wanted


def test_sizes_make_a_row_each() -> None:
    rows = estimated("ap", area=["all", "small", "medium"])
    assert [e.label for e in rows] == ["all", "small", "medium"]
    assert rows[0].value == rows[2].value  # all objects are 40 x 40 pixels
    assert rows[1].n_objects == 0
    assert np.isnan(rows[1].value)


def test_objects_of_any_class_are_one_class() -> None:
    e = estimated(by_class=False)
    alike = [one | {"labels": ["mass"] * len(one["labels"])} for one in TRUTH]
    found = [one | {"labels": ["mass"] * len(one["labels"])} for one in FOUND]
    alone = estimate_detector(found, alike, metric="ap", rng=1, n_resamples=99)
    assert (e.value, e.low, e.high) == (alone.value, alone.low, alone.high)


# --------------------------------------------------------------------------- designs


def test_the_order_of_images_does_not_matter() -> None:
    e = estimate_detector(NAMED_FOUND, NAMED_TRUTH, metric="ap", rng=1, n_resamples=99)
    backwards = dict(reversed(NAMED_FOUND.items())), dict(reversed(NAMED_TRUTH.items()))
    other = estimate_detector(*backwards, metric="ap", rng=1, n_resamples=99)
    assert (other.value, other.low, other.high) == (e.value, e.low, e.high)


@pytest.mark.parametrize("kind", ["mapping", "series", "sequence"])
def test_patients_come_by_name_or_by_place(kind: str) -> None:
    patients = [f"p{place // 4}" for place in range(N)]
    by_name = dict(zip(NAMES, patients, strict=True))
    given = {
        "mapping": dict(reversed(by_name.items())),
        "series": pd.Series(by_name),
        "sequence": patients,
    }[kind]
    e = estimate_detector(
        NAMED_FOUND, NAMED_TRUTH, metric="ap", groups=given, rng=1, n_resamples=99
    )
    assert (e.n_groups, e.design) == (10, "clustered")
    assert "n = 40 images in 10 clusters" in e.sentence()


def test_strata_keep_their_size() -> None:
    strata = [place % 2 for place in range(N)]
    assert estimated(strata=strata).design == "stratified"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"groups": {"i00": "a"}}, "groups names 1 images, but not i01, i02, i03"),
        ({"groups": ["a"] * 3}, "groups has 3 labels for 40 values"),
        ({"metric": "auroc"}, "and not where objects are (halfwidth explain HW881)"),
        ({"metric": "dsc"}, "measures one pair of masks"),
        ({"metric": "app"}, "unknown metric of detections 'app'; did you mean"),
        ({"metric": "ap50@0.5"}, "names two thresholds"),
        ({"metric": "coco", "threshold": 0.5}, "exclude each other"),
        ({"metric": []}, "metric: name at least one"),
        ({"average": "mean"}, "average='mean' is none of macro, micro, weighted, none"),
        ({"classes": 3}, "is neither a list of names of classes"),
        ({"unknown_images": "keep"}, "is none of raise, omit"),
        ({"threshold": "half"}, "is no threshold"),
        ({"threshold": -1}, "is negative"),
        ({"threshold": [0.5, 0.5]}, "names a threshold twice"),
        ({"threshold": "0:1:0.01"}, "at most 26"),
        ({"threshold": "0.9:0.5"}, "is no range"),
        ({"threshold": "0.1:0.5:0.15"}, "miss 0.5"),
        ({"area": "tiny"}, "neither one of all, small, medium, large"),
        ({"area": (5, 2)}, "must be a range of areas ≥ 0"),
        ({"localisation": "iou"}, "may mean box_iou, mask_iou, "),
        ({"localisation": "giou"}, "unknown localisation criterion 'giou'"),
        ({"localisation": "centre_distance"}, "centre_distance needs a threshold"),
        ({"localisation": "mask_iou"}, "mask_iou needs masks"),
        ({"assignment": "best"}, "unknown assignment strategy 'best'"),
        ({"admits": "near"}, "unknown way to admit a match"),
        ({"duplicates": "twice"}, "is none of false_positive, ignored"),
        ({"max_detections": 0}, "must be an integer ≥ 1"),
        ({"boundary_distance": -1}, "is not above 0"),
        ({"metric": "fppi", "threshold": [0.5, 0.6]}, "takes one threshold of localisation"),
        (
            {"by_threshold": True, "localisation": "centre_distance"},
            "needs thresholds of centre_distance",
        ),
        ({"by_threshold": True, "localisation": "point_in_box"}, "which has no threshold"),
    ],
)
def test_wrong_options_are_refused_in_a_line(options: dict[str, Any], text: str) -> None:
    given: dict[str, Any] = {"metric": "ap", "n_resamples": 99} | options
    with pytest.raises(hw.HalfwidthError) as raised:
        estimate_detections(NAMED_FOUND, NAMED_TRUTH, **given)
    assert text in str(raised.value)
    assert "\n" not in str(raised.value)


def test_detections_without_scores_are_counted_and_not_ranked() -> None:
    unscored = [{name: one[name] for name in ("boxes", "labels")} for one in FOUND]
    with pytest.raises(hw.DataError, match="no scores to rank them by"):
        estimate_detections(unscored, TRUTH, metric="ap")
    rows = estimate_detections(unscored, TRUTH, metric=None, n_resamples=99)
    assert [e.metric for e in rows] == ["object_sensitivity", "object_ppv", "object_f_beta", "fppi"]
    assert {e.matching.assignment for e in rows if isinstance(e, hw.DetectionEstimate)} == {
        "greedy_by_localisation"
    }
    scored = estimated(None)
    assert [e.metric for e in scored] == ["ap", "froc_score"]


def test_curves_and_matches_are_of_the_same_detections() -> None:
    (curve,) = hw.curve(
        hw.Detections.from_files(FOUND, TRUTH), "froc", average="micro", rng=1, n_resamples=99
    )
    e = estimated("froc_score", average="micro")
    assert curve.area is not None
    assert curve.area.value == e.value
    found = hw.match_detections(hw.Detections.from_files(FOUND, TRUTH))
    hits = (found.matches.outcome == 1).sum()
    sensitivity = estimated("object_sensitivity", average="micro").value
    assert hits / e.n_objects == pytest.approx(sensitivity, rel=1e-12)
    with pytest.raises(hw.OptionError, match="names 2 ranges"):
        hw.match_detections(matched_detections(FOUND, TRUTH, area=["small", "large"]))


# --------------------------------------------------------------------------- oracles


def summary_of(shared: Path, kind: str) -> list[float]:
    """The twelve numbers that pycocotools prints."""
    import contextlib
    import io

    coco = pytest.importorskip("pycocotools.coco")
    evaluation = pytest.importorskip("pycocotools.cocoeval")
    data = shared / "data" / "coco100"
    with contextlib.redirect_stdout(io.StringIO()):
        truth = coco.COCO(str(data / "instances_val2014_100.json"))
        found = truth.loadRes(str(data / f"instances_val2014_fake{kind}100_results.json"))
        done = evaluation.COCOeval(truth, found, kind)
        done.evaluate()
        done.accumulate()
        done.summarize()
    return [float(one) for one in done.stats]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "localisation"), [("bbox", "box_iou"), ("segm", "mask_iou")])
def test_the_twelve_numbers_are_those_of_coco(shared: Path, kind: str, localisation: str) -> None:
    data = shared / "data" / "coco100"
    found = estimate_detections(
        data / f"instances_val2014_fake{kind}100_results.json",
        data / "instances_val2014_100.json",
        metric="coco",
        localisation=localisation,
        n_resamples=2,
        method="percentile",
    )
    assert [e.label for e in found] == [
        *("AP", "AP50", "AP75", "AP small", "AP medium", "AP large"),
        *("AR1", "AR10", "AR100", "AR small", "AR medium", "AR large"),
    ]
    assert [e.value for e in found] == pytest.approx(summary_of(shared, kind), abs=1e-12)


@pytest.mark.parametrize(("images", "raised"), [(4, False), (60, True)])
def test_few_scores_may_begin_high_by_chance(images: int, raised: bool) -> None:
    square = np.array([[10.0, 10, 90, 90]])
    truth = [{"boxes": square, "labels": [1]}] * images
    scores = np.linspace(0.1, 0.9, images)
    found = [one | {"scores": [score]} for one, score in zip(truth, scores, strict=True)]
    e = estimate_detector(found, truth, metric="ap", rng=1, n_resamples=99)
    assert ("HW878" in codes(e)) is raised


def test_of_one_image_cautions_speak_in_the_singular() -> None:
    truth = [{"boxes": np.array([[10.0, 10, 90, 90]]), "labels": [1]}]
    found = [truth[0] | {"scores": [0.5]}]
    e = estimate_detector(found, truth, metric="froc_score", rng=1, n_resamples=99)
    messages = [one.message for one in e.cautions if one.code == "HW872"]
    assert [text.split(":")[0] for text in messages] == ["The only image holds objects"]


def test_good_detections_raise_no_caution_of_detections() -> None:
    square = [10.0, 10, 90, 90]
    truth = [
        {"boxes": [square] if place % 5 else [], "labels": [1] * bool(place % 5)}
        for place in range(150)
    ]
    truth = [one | {"boxes": np.array(one["boxes"]).reshape(-1, 4)} for one in truth]
    rng = np.random.default_rng(1)
    found: list[dict[str, Any]] = [
        {
            "boxes": np.array([square, [200, 200, 280, 280]]),
            "labels": [1, 1],
            "scores": [0.3 + 0.7 * rng.random(), 0.9 * rng.random()],
        }
        for _ in range(150)
    ]
    found[0]["scores"][1] = 0.001
    e = estimate_detector(found, truth, metric="wafroc_auc", rng=1, n_resamples=999)
    assert [code for code in codes(e) if code.startswith(("HW87", "HW88"))] == []
