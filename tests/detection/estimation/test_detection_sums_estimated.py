"""Metrics of detections that are sums over images, through the front door."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from labelscenes import as_sets, detection_metric, pictures, value_of
from over_data import estimate_detections, estimate_detector

import halfwidth as hw
from halfwidth.core.objects import Objects
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.matching.instances import measure
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import Admits, MatchingRule


def _form(name: str) -> object:
    """What a metric is of matches, with parameters that any of them takes."""
    parameters = hw.DETECTION_METRICS[name].parameters
    needed = {one.name: 1 for one in parameters if one.default is None and not one.optional}
    return detection_metric(name, **needed).form


FOUND, TRUE = as_sets(pictures(5, 15), (1.0, 1.0))
# All of them, with the parameters that they need.
NEEDED = {"nsd": "tolerance=1", "lesionwise_hd95": "penalty=40"}
NAMES = [spec.name for spec in hw.DETECTION_METRICS if isinstance(_form(spec.name), ImageSums)]


def with_needed(name: str) -> str:
    needed = NEEDED.get(name) or next((v for k, v in NEEDED.items() if name.endswith(k)), "")
    return f"{name}:{needed}" if needed else name


def estimated(metric: str, **options: Any) -> hw.Estimate:
    e: hw.Estimate = estimate_detector(
        FOUND, TRUE, metric=metric, average="micro", rng=1, n_resamples=200, **options
    )
    return e


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", NAMES)
def test_every_metric_has_an_interval_about_its_value(name: str) -> None:
    e = estimated(with_needed(name))
    assert e.low <= e.value <= e.high
    assert e.low < e.high
    assert e.method == ("dirichlet" if e.metric_spec.spec.bounds.finite else "bca_expanded")


def test_metrics_bring_the_matching_that_they_are_defined_with() -> None:
    e = estimated("pq")
    assert "mask IoU > 0.5, overlap above one half" in e.sentence()
    lists = match_images(FOUND, TRUE, MatchingRule("mask_iou", "hungarian", admits=Admits.ABOVE))
    assert e.value == pytest.approx(value_of(detection_metric("pq"), lists, "micro"), rel=1e-12)
    e = estimated("lesionwise_dsc", dilation=1)
    assert "lesion-wise" in e.sentence()
    metric = detection_metric("lesionwise_dsc")
    how = MatchingRule("mask_overlap", "lesionwise", (0.0,), Admits.ABOVE, dilation=1)
    lists = measure(match_images(FOUND, TRUE, how), FOUND, TRUE, [metric])
    assert e.value == pytest.approx(value_of(metric, lists, "micro"), rel=1e-12)


def test_another_matching_than_that_of_the_definition_is_said_or_refused() -> None:
    both = estimate_detections(
        FOUND,
        TRUE,
        metric=["pq", "rq"],
        assignment="hungarian",
        threshold=0.3,
        rng=1,
        n_resamples=99,
    )
    assert sum("panoptic quality is defined for overlaps > 0.5" in note for note in both.notes) == 2
    with pytest.raises(hw.OptionError, match="lesionwise"):
        estimated("lesionwise_dsc", assignment="hungarian")


def test_what_counts_as_a_penalty_is_among_the_notes() -> None:
    names = ["lesionwise_hd95", "instance_hd95:over=all,penalty=9", "instance_dsc"]
    penalties, worst, left_out = (
        next(note for note in made.notes if note.startswith(made[0].metric_spec.spec.display))
        for made in (
            estimate_detections(FOUND, TRUE, metric=[name, "fppi"], rng=1, n_resamples=99)
            for name in names
        )
    )
    assert "count as 374" in penalties
    assert "count as 9" in worst
    assert "are left out" in left_out


def test_patients_are_drawn_whole() -> None:
    groups = [f"patient {place // 2}" for place in range(15)]
    alone, together = estimated("pq"), estimated("pq", groups=groups)
    assert together.value == pytest.approx(alone.value, rel=1e-12)
    assert (together.low, together.high) != (alone.low, alone.high)
    assert np.isfinite([together.low, together.high]).all()


def test_cautions_say_how_many_objects_count_as_a_penalty() -> None:
    for metric in ("lesionwise_hd95", "lesionwise_dsc:min_volume=20", "instance_dsc:over=all"):
        e = estimated(metric)
        (found,) = [caution for caution in e.cautions if caution.code == "HW884"]
        notes = estimate_detections(
            FOUND, TRUE, metric=[metric, "fppi"], rng=1, n_resamples=99
        ).notes
        (note,) = [one for one in notes if "count as" in one]
        numbers = re.findall(r"\d+", note.partition(": ")[2])[:2]
        assert re.findall(r"\d+", found.message)[:2] == numbers
    assert "HW884" not in [caution.code for caution in estimated("instance_dsc").cautions]


def test_pooled_voxels_have_no_matching_to_doubt() -> None:
    pooled, matched = estimated("pooled_iou"), estimated("object_f1")
    assert "; masks of a class joined; n = 15 images;" in pooled.sentence()
    assert "HW875" in [caution.code for caution in matched.cautions]
    assert "HW875" not in [caution.code for caution in pooled.cautions]


def test_the_classes_that_an_average_leaves_out_are_those_without_a_value() -> None:
    """By what the metric needs: objects, detections, matches, or any of them."""

    def one(kinds: list[int], corner: int) -> Objects:
        boxes = np.array([[corner, 0.0, corner + 10, 10] for _ in kinds]).reshape(-1, 4)
        return Objects(category=np.array(kinds, np.intp), boxes=boxes, score=np.ones(len(kinds)))

    names, classes = tuple(f"image {place}" for place in range(30)), ("found", "missed", "made up")
    true = hw.ObjectSet(names, tuple(one([0, 1], 0) for _ in names), classes)
    found = hw.ObjectSet(names, tuple(one([0, 2], 1) for _ in names), classes)
    lacking = {
        "recall": "1 of 3 classes, 'made up', is detected but never there: the average leaves it",
        "ppv": "1 of 3 classes, 'missed', is there but never detected: the average leaves it out",
        "sq": "2 of 3 classes, 'missed', 'made up', are never matched: the average leaves them",
    }
    for name in ("recall", "ppv", "sq", "f1", "pq", "fppi"):
        e = estimate_detector(found, true, metric=name, average="macro", rng=1, n_resamples=99)
        said = [caution.message for caution in e.cautions if caution.code == "HW208"]
        assert [message.startswith(lacking[name]) for message in said] == [True] * (name in lacking)
