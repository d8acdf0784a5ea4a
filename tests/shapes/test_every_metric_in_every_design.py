"""Each metric under each design, in each verb: an answer, or a refusal that says why."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

import halfwidth as hw
from shapes.data import Shape, data_frame, objects

VERBS = ("estimate", "compare", "rank", "gate", "report")
DESIGNS: dict[str, dict[str, str]] = {
    "none": {},
    "clusters": {"groups": "patient"},
    "strata": {"strata": "site"},
    "weights": {"sample_weight": "weight"},
}
CASES = ("dsc", "hd95", "nsd:tolerance=2", "absolute_error", "correct")
# What a metric has to be told besides.
TOLD = {
    "net_benefit": "net_benefit:exchange_rate=0.2",
    "instance_nsd": "instance_nsd:tolerance=2",
    "lesionwise_nsd": "lesionwise_nsd:tolerance=2",
}
# Why a metric is refused by contract.
REASONS = (
    *("need the spacing of the images", "needs masks", "has no meaning for a regression"),
    # Of the few cases here.
    "part of the curve separates the classes",
    "rests on pairs of independent cases of equal weight",
    *(
        "does not order models",
        "so it ranks no models",
        "needs a metric where higher or lower is better",
    ),
    *("nothing says whether higher or lower values are better", "nothing says so of uncertainty"),
    "cannot compare models on the same cases",
)
# Designs that images have, and values of cases.
IMAGES = {name: one for name, one in DESIGNS.items() if name != "weights"}
QUICK = {"auroc", "brier", "calibration_slope", "ap50", "dsc"}


def cells() -> list[Any]:
    made = [
        *(("predictions", name, design) for name in hw.SAMPLE_METRICS.names for design in DESIGNS),
        *(("detections", name, design) for name in hw.DETECTION_METRICS.names for design in IMAGES),
        *(("values", name, design) for name in CASES for design in IMAGES),
    ]
    return [
        pytest.param(
            *cell,
            verb,
            id=" ".join((*cell, verb)),
            marks=[] if cell[1] in QUICK and verb in ("compare", "rank") else [pytest.mark.slow],
        )
        for cell in made
        for verb in VERBS
    ]


@pytest.mark.parametrize(("kind", "metric", "design", "verb"), cells())
def test_a_metric_under_a_design(kind: str, metric: str, design: str, verb: str) -> None:
    """Where it is refused, in words of the user: of the metric, or of an option."""
    how: dict[str, Any] = {"n_resamples": 29, "rng": 1}
    if verb == "gate":
        how |= {"margin": 0.02, "new": "A", "against": "B"}
    if verb == "report":
        how |= {"figures": False}
    data = data_of(kind, metric, design)
    if kind != "values":
        how |= {"metric": TOLD.get(metric, metric)}
    try:
        result = getattr(hw, verb)(data, **how)
    except hw.HalfwidthError as error:
        text = str(error)
        assert "\n" not in text
        assert any(reason in text for reason in REASONS), text
        return
    if verb == "report":
        assert "Content-Security-Policy" in result.to_html()
        return
    rows = json.loads(result.to_json())
    assert len(result.to_frame())
    assert rows


def data_of(kind: str, metric: str, design: str) -> Any:
    """Two models."""
    shape = Shape(2)
    if kind == "detections":
        found = {"A": objects(0, 2), "B": objects(1, 2)}
        units = {"groups": [n // 2 for n in range(12)], "strata": [n % 2 for n in range(12)]}
        of_design: dict[str, Any] = {name: units[name] for name in DESIGNS[design]}
        return hw.Detections.from_files(found, objects(-1, 2), **of_design)
    frame = data_frame("predictions" if kind == "predictions" else "wide", shape)
    frame["model"] = frame["model"].map({"nnU-Net": "A", "SwinUNETR": "B"})
    how: dict[str, Any] = {"model": "model", "case": "case", **DESIGNS[design]}
    if kind == "predictions":
        return hw.Predictions.from_table(frame, "truth", score="score", **how)
    frame = pd.DataFrame(frame).assign(correct=(frame.dsc > 0.8).astype(int))
    column = {"hd95": "hd95", "correct": "correct"}.get(metric, "dsc")
    frame["hd95"] = 40 * (1 - frame.dsc)
    return hw.CaseValues.from_table(frame, column, metric=metric, **how)
