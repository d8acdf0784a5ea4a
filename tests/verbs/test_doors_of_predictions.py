"""Tests of calibration, centres and confusion matrices over predictions: one model, what counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from over_data import in_centres

import halfwidth as hw

G = np.random.default_rng(4)
P = G.uniform(0.05, 0.95, 240)
Y = (G.random(240) < P).astype(int)
CENTRE = np.repeat(list("abcd"), 60)
QUICK: dict[str, Any] = {"n_resamples": 99, "rng": 1}
TEST = hw.Predictions.from_arrays(Y, P)
OF_TWO = hw.Predictions.from_arrays(Y, {"A": P, "B": P**2})


def from_table(**described: Any) -> hw.Predictions:
    columns = {"case": [*range(120)] * 2, "y": Y, "p": P, "centre": CENTRE}
    return hw.Predictions.from_table(columns, "y", score="p", **described)


def test_arrays_in_a_hurry_are_predictions() -> None:
    assert hw.calibration_test(Y, P, **QUICK) == hw.calibration_test(TEST, **QUICK)
    hurried, said = hw.confusion_ci(Y, P), hw.confusion_ci(TEST)
    assert hurried.to_dict() == said.to_dict()


def test_what_a_table_gives_reason_to_doubt_is_told() -> None:
    tested = hw.calibration_test(from_table(), **QUICK)
    assert [one.code for one in tested.cautions] == ["HW102"]
    assert {one.code for one in hw.confusion_ci(from_table()).cautions} == {"HW102"}
    pooled = hw.calibration_by_centre(from_table(by="centre"), metric="citl")
    assert "HW102" in [one.code for one in pooled.cautions]
    (curve,) = hw.curve(from_table(by="centre"), "calibration-by-centre")
    assert "HW102" in [one.code for one in curve.cautions]


def test_each_model_has_a_curve_over_the_centres() -> None:
    columns = {"y": Y, "p": P, "q": P**2, "centre": CENTRE}
    both = hw.Predictions.from_table(columns, "y", score={"A": "p", "B": "q"}, by="centre")
    curves = hw.curve(both, "calibration-by-centre")
    assert [one.label for one in curves] == ["A", "B"]
    (alone,) = hw.curve(in_centres(Y, P, CENTRE), "calibration-by-centre")
    assert curves[0].y.tolist() == alone.y.tolist()


BAD: dict[str, tuple[Any, str]] = {
    "two models tested": (lambda: hw.calibration_test(OF_TWO), "one model.*have 2 \\(A, B\\)"),
    "two models confused": (lambda: hw.confusion_ci(OF_TWO), "one model.*have 2 \\(A, B\\)"),
    "levels": (lambda: hw.confusion_ci(from_table(by="centre")), "have 4 \\(a, b, c, d\\)"),
    "values": (lambda: hw.confusion_ci(P), "not values of cases; y_score="),
    "complete": (lambda: hw.confusion_ci(TEST, P), "hold all models already"),
    "strata": (
        lambda: hw.calibration_test(hw.Predictions.from_arrays(Y, P, strata=CENTRE)),
        "strata= has no effect on a test of calibration",
    ),
    "weights": (
        lambda: hw.confusion_ci(hw.Predictions.from_arrays(Y, P, sample_weight=P)),
        "sample_weight= has no effect on a confusion matrix",
    ),
    "threshold": (
        lambda: hw.calibration_test(hw.Predictions.from_arrays(Y, P, threshold=0.4)),
        "threshold=0.4 has no effect on a test of calibration",
    ),
    "strata beside centres": (
        lambda: hw.calibration_by_centre(from_table(by="centre", strata="case")),
        "got centre, case",
    ),
    "two columns": (
        lambda: hw.calibration_by_centre(from_table(by=["centre", "case"])),
        "got centre, case",
    ),
    "draws": (
        lambda: hw.curve(from_table(by="centre"), "calibration-by-centre", rng=1),
        "rng=1 has no effect on curves over centres",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_meant_is_refused(name: str) -> None:
    call, words = BAD[name]
    with pytest.raises(hw.OptionError, match=words):
        call()
