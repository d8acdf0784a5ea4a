"""Every public result can be pickled and copied, and says the same afterwards."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fuzzcalls import public_functions
from over_data import estimate_detections, in_centres, over
from support import quickly

import halfwidth as hw

CASES = 24
RNG = np.random.default_rng(3)
FIRST = RNG.beta(8, 2, CASES)
VALUES = {name: np.clip(FIRST + RNG.normal(0, 0.1, CASES), 0, 1) for name in "ABC"}
TRUTH = np.arange(CASES) % 2
SCORES = np.clip(0.4 * TRUTH + 0.6 * RNG.random(CASES), 0, 1)
RIGHT = (SCORES > 0.5).astype(int)
FRAME = pd.DataFrame({"case": range(CASES), "dsc": FIRST})
LONG = pd.concat(
    pd.DataFrame({"model": m, "case": range(CASES), "dsc": v}) for m, v in VALUES.items()
)
BOX = {"image": ["a", "b"], "x": [1, 2], "y": [1, 2], "width": [9, 9], "height": [9, 9]}
FOUND, OBJECTS = pd.DataFrame({**BOX, "score": [0.9, 0.8]}), pd.DataFrame(BOX)
MASK = np.pad(np.ones((3, 3), bool), 2)
QUICK: dict[str, Any] = {"n_resamples": 99, "rng": 1}
DSC = QUICK | {"metric": "dsc"}
PLAN = hw.planning

CALLS: dict[str, Callable[[], Any]] = {
    "hw.calibration_by_centre": lambda: hw.calibration_by_centre(
        in_centres(TRUTH, SCORES, list("aabbccdd") * 3), metric="citl"
    ),
    "hw.curve over centres": lambda: hw.curve(
        in_centres(
            [0, 1, 1, 0] * 18,
            np.tile(np.linspace(0.1, 0.9, 24), 3),
            np.repeat(list("abc"), 24),
        ),
        "calibration-by-centre",
    ),
    "hw.calibration_test": lambda: hw.calibration_test(TRUTH, SCORES, **QUICK),
    "hw.check": lambda: hw.check({"a": FRAME, "b": FRAME}, metric="dsc"),
    "hw.compare": lambda: hw.compare(VALUES, margin=0.1, **DSC),
    "hw.compare of detections": lambda: over(hw.compare, hw.Detections.from_files)(
        {"a": FOUND, "b": FOUND[:1]}, OBJECTS, metric="object_sensitivity", **QUICK
    ),
    "hw.compare of a table": lambda: over(hw.compare, hw.CaseValues.from_table)(LONG, "dsc", **DSC),
    "hw.compare of readings": lambda: over(hw.compare, hw.Readings.from_arrays)(
        {"net": RIGHT, "a": TRUTH, "b": RIGHT}, model="net", metric="accuracy", **QUICK
    ),
    "hw.confusion_ci": lambda: hw.confusion_ci(TRUTH, SCORES),
    "hw.curve": lambda: hw.curve(TRUTH, "roc", y_score=SCORES, **QUICK),
    "hw.curve of calibration": lambda: hw.curve(TRUTH, "reliability", y_score=SCORES, **QUICK),
    "hw.curve of detections": lambda: hw.curve(
        hw.Detections.from_files(FOUND, OBJECTS), "froc", **QUICK
    ),
    "hw.estimate of detections": lambda: estimate_detections(
        FOUND, OBJECTS, metric="object_ppv", **QUICK
    ),
    "hw.difference_ci": lambda: quickly(hw.difference_ci, FIRST, VALUES["B"], **DSC),
    "hw.gate": lambda: hw.gate({name: VALUES[name] for name in "AB"}, margin=0.1, **DSC),
    "hw.evidence": lambda: hw.evidence(metric="dsc"),
    "hw.explain": lambda: hw.explain("HW101"),
    "hw.limits_of_agreement": lambda: hw.limits_of_agreement(FIRST, VALUES["B"]),
    "hw.report": lambda: hw.report(
        [
            over(hw.estimate, hw.CaseValues.from_table)(FRAME, **DSC),
            hw.compare(VALUES, **DSC),
            hw.rank(VALUES, **DSC),
        ],
        figures=False,
    ),
    "hw.match_detections": lambda: hw.match_detections(hw.Detections.from_files(FOUND, OBJECTS)),
    "hw.metric_ci": lambda: hw.metric_ci(TRUTH, SCORES, metric="auroc", **QUICK),
    "hw.metric_ci, by kernels": lambda: hw.metric_ci(
        TRUTH, SCORES, metric=["smooth_ece", "ece_kde", "kce"], **QUICK
    ),
    "hw.metric_ci, weighted": lambda: hw.metric_ci(
        TRUTH, SCORES, metric=["f1", "ece", "nll"], sample_weight=1 + TRUTH, **QUICK
    ),
    "hw.proportion_ci": lambda: hw.proportion_ci(3, 9),
    "hw.plan": lambda: hw.plan(FIRST, n=50, metric="dsc", n_samples=100, rng=1),
    "hw.rank": lambda: hw.rank(VALUES, **DSC),
    "hw.rank of detections": lambda: over(hw.rank, hw.Detections.from_files)(
        {"a": FOUND, "b": FOUND[:1]}, OBJECTS, metric="object_sensitivity", **QUICK
    ),
    "hw.rank of a table": lambda: over(hw.rank, hw.CaseValues.from_table)(LONG, "dsc", **DSC),
    "hw.runs_ci": lambda: hw.runs_ci(FIRST),
    "hw.estimate of runs": lambda: hw.estimate(
        hw.CaseValues.from_runs(FRAME, "dsc"), statistic=["median", "mean"]
    ),
    "hw.score_masks": lambda: hw.score_masks(MASK, MASK, "dsc"),
    "hw.summary_ci": lambda: quickly(hw.summary_ci, FIRST, **DSC),
    "hw.estimate": lambda: over(hw.estimate, hw.CaseValues.from_table)(FRAME, **DSC),
    "planning.auroc_difference": lambda: PLAN.auroc_difference(
        0.8, halfwidth=0.15, correlation=0.5
    ),
    "planning.auroc": lambda: PLAN.auroc(0.8, halfwidth=0.1),
    "planning.calibration": lambda: PLAN.calibration(
        halfwidth={"calibration_slope": 0.3, "oe_ratio": 0.2}, prevalence=0.2, auroc=0.8
    ),
    "planning.classes": lambda: PLAN.classes(0.8, prevalence=0.3, halfwidth=0.1),
    "planning.difference": lambda: PLAN.difference(sd=0.1, halfwidth=0.025),
    "planning.mean": lambda: PLAN.mean(0.1, halfwidth=0.025),
    "planning.proportion": lambda: PLAN.proportion(0.8, halfwidth=0.1),
    "planning.quantile": lambda: PLAN.quantile(0.9, halfwidth=0.1, sd=0.1),
    "planning.review": lambda: PLAN.review(50, mean=0.8, sd=0.1, metric="dsc"),
    "planning.review_table": lambda: PLAN.review_table(
        pd.DataFrame({"model": ["a"], "n": [50], "mean": [0.8], "sd": [0.1]}), metric="dsc"
    ),
    "planning.subsample": lambda: PLAN.subsample(FIRST, metric="dsc", sizes=[5], repeats=20, rng=1),
}


def check_copies(result: Any) -> None:
    copies = (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result))  # noqa: S301
    for one in copies:
        assert type(one) is type(result)
        assert (str(one), repr(one)) == (str(result), repr(result))
        for way in ("to_dict", "to_html", "sentence"):
            if hasattr(result, way):
                assert str(getattr(one, way)()) == str(getattr(result, way)())


def test_every_public_function_is_called() -> None:
    results = {name for name in public_functions() if not name.startswith("plots.")}
    # A number, and a picture.
    others = {"planning.minimum_runs", "hw.plot"}
    assert results - CALLS.keys() == others


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", CALLS)
def test_results_can_be_pickled_and_copied(name: str) -> None:
    check_copies(CALLS[name]())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("spec", hw.STATISTICS, ids=lambda spec: spec.name)
def test_results_of_every_statistic_can_be_pickled_and_copied(spec: hw.StatisticSpec) -> None:
    chosen = DSC | {
        "statistic": f"{spec.name}:q=0.3"
        if "q" in [one.name for one in spec.parameters]
        else spec.name
    }
    check_copies(quickly(hw.summary_ci, FIRST, **chosen))
    check_copies(quickly(hw.difference_ci, FIRST, VALUES["B"], **chosen))
    check_copies(hw.compare(VALUES, **chosen))
