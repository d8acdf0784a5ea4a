"""Curves of any data that have them: of several models by their names, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import halfwidth as hw

G = np.random.default_rng(3)
Y = np.arange(80) % 2
S = {name: np.clip(0.3 * Y + 0.7 * G.random(80), 0, 1) for name in "AB"}
THREE = G.integers(0, 3, 80)
SHARES = G.dirichlet([2, 2, 2], 80)
SQUARE, BESIDE = [10, 10, 50, 50], [60, 60, 90, 90]
OBJECTS = [{"boxes": [SQUARE], "labels": [1]} for _ in range(40)]
FOUND = {
    name: [
        {"boxes": [SQUARE, BESIDE], "labels": [1, 1], "scores": [i % far, i % 3]} for i in range(40)
    ]
    for name, far in (("net", 4), ("old", 5))
}
QUICK: dict[str, Any] = {"n_resamples": 99, "rng": 1}


def points(curve: Any) -> list[list[float]]:
    rows: list[list[float]] = np.stack([curve.x, curve.y, curve.low, curve.high]).tolist()
    return rows


@pytest.mark.parametrize("kind", ["roc", "pr", "decision", "calibration"])
def test_models_have_the_curves_that_each_has_alone(kind: Any) -> None:
    both = hw.curve(Y, kind, y_score=S, **QUICK)
    assert [one.label for one in both] == ["A", "B"]
    assert [e.label for e in both.areas] == [e.by["model"] for e in both.areas]
    for name, one in zip("AB", both, strict=True):
        (alone,) = hw.curve(Y, kind, y_score=S[name], **QUICK)
        assert alone.label == "1"
        assert points(one) == points(alone)


def test_several_classes_and_levels_are_named_with_their_model() -> None:
    curves = hw.curve(THREE, "roc", y_score={"A": SHARES, "B": SHARES[::-1]}, **QUICK)
    assert [one.label for one in curves] == [f"{name}, {c}" for name in "AB" for c in (0, 1, 2)]
    assert curves.areas[1].label == "A / 1"
    columns = {"y": Y, "p": S["A"], "site": ["u"] * 40 + ["v"] * 40}
    sites = hw.curve(hw.Predictions.from_table(columns, "y", score="p", by="site"), "pr", **QUICK)
    assert [one.label for one in sites] == ["u", "v"]
    (first,) = hw.curve(Y[:40], "pr", y_score=S["A"][:40], **QUICK)
    assert points(sites[0]) == points(first)
    assert sites.areas[0].by == {"site": "u"}


def test_what_a_table_gives_reason_to_doubt_stands_beside_the_area() -> None:
    columns = {"case": [*range(40)] * 2, "y": Y, "p": S["A"]}
    test = hw.Predictions.from_table(columns, "y", score="p")
    (curve,) = hw.curve(test, "roc", **QUICK)
    assert "HW102" in [one.code for one in curve.area.cautions]
    assert "HW102" in [one.code for one in hw.curve(test, "calibration", **QUICK).cautions]


def test_the_matching_of_a_curve_is_told_by_its_parts() -> None:
    data = hw.Detections.from_files(FOUND["net"], OBJECTS, matching={"max_detections": 3})
    (one,) = hw.curve(data, "froc", **QUICK)
    assert one.to_dict()["matching"] == {
        "localisation": "box_iou",
        "assignment": "greedy_by_score",
        "threshold": 0.5,
        "admits": "≥",
        "max_detections": 3,
    }


def test_detectors_have_the_curves_that_each_has_alone() -> None:
    both = hw.curve(hw.Detections.from_files(FOUND, OBJECTS), "froc", band="simultaneous", **QUICK)
    assert [one.label for one in both] == ["net", "old"]
    for name, one in zip(FOUND, both, strict=True):
        data = hw.Detections.from_files(FOUND[name], OBJECTS)
        (alone,) = hw.curve(data, "froc", band="simultaneous", **QUICK)
        assert points(one) == points(alone)
    # A generator is asked once, whatever the number of detectors.
    options: dict[str, Any] = QUICK | {"rng": np.random.default_rng(2)}
    seeds = {
        one.seed for one in hw.curve(hw.Detections.from_files(FOUND, OBJECTS), "pr", **options)
    }
    assert len(seeds) == 1


def test_thresholds_of_localisation_have_a_curve_each() -> None:
    each = {"threshold": [0.3, 0.6], "by_threshold": True}
    data = hw.Detections.from_files(FOUND, OBJECTS, matching=each)
    curves = hw.curve(data, "froc", **QUICK)
    assert [one.label for one in curves] == [f"{a}, at {x}" for a in FOUND for x in (0.3, 0.6)]
    for one in curves:
        name, threshold = one.label.split(", at ")
        at = {"threshold": float(threshold)}
        alone = hw.Detections.from_files(FOUND[name], OBJECTS, matching=at)
        assert one.to_frame()[["x", "y", "low", "high"]].equals(
            hw.curve(alone, "froc", **QUICK)[0].to_frame()[["x", "y", "low", "high"]]
        )


WITHOUT_EFFECT: dict[str, Any] = {
    "threshold": 0.3,
    "absent_class": "zero",
    "undefined": "worst",
    "bounds": (0, 1),
    "sample_weight": S["B"],
}


def test_ranges_of_sizes_have_a_curve_each() -> None:
    sizes = hw.Detections.from_files(FOUND["net"], OBJECTS, matching={"area": ["small", "medium"]})
    small, medium = hw.curve(sizes, "pr", **QUICK)
    assert (small.n_objects, medium.n_objects) == (0, 40)
    assert small.label != medium.label


TEST = hw.Predictions.from_arrays(Y, S["A"])
BAD: list[tuple[Any, Any, dict[str, Any], str]] = [
    (S["A"], "roc", {}, "values of cases have no curves"),
    (hw.CaseValues.from_arrays(S), "roc", {}, "Predictions and Detections have"),
    (TEST, "froc", {}, "a curve of detections; predictions have roc, pr, decision"),
    (hw.Detections.from_files(FOUND, OBJECTS), "roc", {}, "detections have pr, froc"),
    (TEST, "rok", {}, "did you mean 'roc'"),
    (TEST, "precision-recall", {}, "did you mean 'pr'"),
    (TEST, "dca", {}, "did you mean 'decision'"),
    (Y, S, {}, "is no kind of curve; .* curve\\(y_true, 'roc', y_score="),
    (TEST, "roc", {"y_score": S["B"]}, "hold all models already"),
    (TEST, "roc", {"average": "binary"}, "average='binary' has no effect on roc curves"),
    (TEST, "roc", {"band": "simultaneous"}, "has no effect on predictions"),
    (TEST, "roc", {"band": "wide"}, "none of pointwise, simultaneous"),
    *(
        (hw.Predictions.from_arrays(Y, S["A"], **{name: one}), "pr", {}, f"{name}=.*has no effect")
        for name, one in WITHOUT_EFFECT.items()
    ),
]


@pytest.mark.parametrize(("data", "kind", "options", "said"), BAD)
def test_what_has_no_curve_or_no_effect_is_refused(
    data: Any, kind: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(hw.OptionError, match=said):
        hw.curve(data, kind, **QUICK, **options)


@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_curves_of_few_and_of_many_thresholds_are_made_alike(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(4)
    y, score = rng.random(60) < 0.3, rng.random(60).round(2)
    groups = np.arange(60) // 2

    def drawn() -> Any:
        test = hw.Predictions.from_arrays(y, score, groups=groups)
        return hw.curve(test, kind, n_resamples=199, rng=1).to_frame()

    few = drawn()
    monkeypatch.setattr("halfwidth.estimation.test_sets.curves.MANY", 0)
    pd.testing.assert_frame_equal(few, drawn(), check_exact=True)
