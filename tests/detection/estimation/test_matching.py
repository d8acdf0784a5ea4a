"""How detections are matched, as one value that all verbs over detections share."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import halfwidth as hw

SQUARE = [10.0, 10, 50, 50]
TRUTH = [{"boxes": [SQUARE], "labels": [1]} for _ in range(20)]
# Box IoUs of 1, 0.75 and 0.5 by turns.
FOUND = [
    {"boxes": [[10.0, 10, 50, (50, 40, 30)[place % 3]]], "labels": [1], "scores": [place / 20]}
    for place in range(20)
]
QUICK: dict[str, Any] = {"n_resamples": 99, "rng": 1}


def data_matched(matching: Any, found: Any = FOUND) -> hw.Detections:
    return hw.Detections.from_files(found, TRUTH, matching=matching)


def test_other_spellings_are_the_same_matching() -> None:
    one = hw.Matching("BBox", threshold=[0.3, 0.5], admits="AT_LEAST", score_threshold=1)
    assert one == hw.Matching("box_iou", threshold=(0.3, 0.5), admits="at_least", score_threshold=1)
    assert len({one, hw.Matching(), hw.Matching(threshold=np.float64(0.5))}) == 3
    assert repr(hw.Matching(by_class=False)) == "Matching(by_class=False)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.threshold = 0.5  # type: ignore[misc]


def test_its_options_are_known_to_messages() -> None:
    for field in dataclasses.fields(hw.Matching):
        unknown: dict[str, Any] = {field.name: 1}
        with pytest.raises(hw.OptionError, match=rf"matching={{'{field.name}': \.\.\.}}"):
            hw.estimate([0.5, 0.6], **unknown)


@pytest.mark.parametrize("options", [{"threshold": 0.7}, {"max_detections": 1, "area": "large"}])
def test_a_mapping_will_do(options: dict[str, Any]) -> None:
    long, short = data_matched(hw.Matching(**options)), data_matched(options)
    assert long.matching == short.matching
    one, other = (hw.estimate(data, metric="ap", **QUICK)[0] for data in (long, short))
    assert one.to_dict() == other.to_dict()


@pytest.mark.parametrize(
    "options",
    [
        {"threshold": "0.5:0.95"},
        {"threshold": 0.6, "admits": "above", "assignment": "hungarian", "score_threshold": 0.2},
        {"area": (0, 2000), "duplicates": "ignored", "by_class": False, "max_detections": 3},
    ],
)
def test_the_matching_of_a_result_matches_others_alike(options: dict[str, Any]) -> None:
    first = hw.estimate(data_matched(options), metric="ap", **QUICK)[0]
    assert isinstance(first, hw.DetectionEstimate)
    again = hw.estimate(data_matched(first.matching), metric="ap", **QUICK)[0]
    assert isinstance(again, hw.DetectionEstimate)
    assert again.matching == first.matching
    assert (again.value, again.low, again.high) == (first.value, first.low, first.high)


def test_several_detectors_have_the_numbers_of_each_alone() -> None:
    detectors = {"A": FOUND, "B": FOUND[::-1]}
    rows = hw.estimate(data_matched({"threshold": 0.6}, detectors), metric="ap", **QUICK)
    for row, (name, found) in zip(rows, detectors.items(), strict=True):
        alone = hw.estimate(data_matched({"threshold": 0.6}, found), metric="ap", **QUICK)[0]
        assert (row.label, row.value, row.low, row.high) == (
            name,
            alone.value,
            alone.low,
            alone.high,
        )


def test_thresholds_are_families_of_their_own() -> None:
    data = data_matched(
        {"threshold": [0.6, 0.9], "by_threshold": True}, {"A": FOUND, "B": FOUND[1:] + FOUND[:1]}
    )
    both = hw.compare(data, metric="object_sensitivity", **QUICK)
    for one, threshold in zip(both, (0.6, 0.9), strict=True):
        at = dataclasses.replace(data, matching=hw.Matching(threshold=threshold))
        alone = hw.compare(at, metric="object_sensitivity", **QUICK)[0]
        assert (one.value, one.low, one.high) == (alone.value, alone.low, alone.high)
        assert dict(one.estimate.by) == {"threshold": threshold}


def test_matches_are_those_of_all_thresholds() -> None:
    found = hw.match_detections(data_matched({"by_threshold": True, "threshold": [0.6, 0.9]}))
    assert (found.matches.outcome == 1).sum(axis=1).tolist() == [14, 7]
    of_one = hw.match_detections(
        data_matched(
            None,
            {"A": FOUND, "B": [*FOUND[:-1], FOUND[0] | {"boxes": [], "labels": [], "scores": []}]},
        ),
        model="B",
    )
    assert len(of_one.matches.image) == 19


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: hw.Detections.from_files([], [], threshold=0.3),  # type: ignore[call-arg]
            "it is part of the matching: matching={'threshold': ...}",
        ),
        (
            lambda: hw.estimate([1.0], threshold=0.3),  # type: ignore[call-arg]
            "(Predictions or Detections, matching={'threshold': ...})",
        ),
        (
            lambda: hw.Detections.from_files([], [], iou_threshold=0.3),  # type: ignore[call-arg]
            "it is part of the matching: matching={'threshold': ...}",
        ),
        (
            lambda: hw.estimate(data_matched(None), matching={}),  # type: ignore[call-arg]
            "give it where these are made (Detections)",
        ),
        (lambda: data_matched({"treshold": 0.3}), "did you mean 'threshold'?"),
        (lambda: data_matched(0.3), "matching=0.3 is neither a Matching"),
        (lambda: hw.match_detections(FOUND), "Detections.from_files"),  # type: ignore[arg-type]
        (
            lambda: hw.match_detections(data_matched(None, {"A": FOUND, "B": FOUND})),
            "several detectors are given (A, B); name one: model='A'",
        ),
        (lambda: hw.match_detections(data_matched(None), model="A"), "unknown detector 'A'"),
        (
            lambda: hw.match_detections(data_matched({"area": ["small", "large"]})),
            "names 2 ranges; give one here",
        ),
    ],
)
def test_slips(call: Any, message: str) -> None:
    with pytest.raises(hw.HalfwidthError) as raised:
        call()
    assert message in str(raised.value)
