"""Weighted averages over classes: how many cases a class has varies with the cases, and counts."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_data import metric_ci
from support import codes

import halfwidth as hw

RANDOM = np.random.default_rng(4)


def decided(n: int, errors: tuple[float, ...] = (0.02, 0.5, 0.9)) -> tuple[Any, Any, Any]:
    """True classes, and what two models take them for."""
    truth = RANDOM.choice(3, n, p=[0.7, 0.2, 0.1])
    first, second = (
        np.where(
            RANDOM.random(n) < np.array(wrong)[truth],
            (truth + RANDOM.integers(1, 3, n)) % 3,
            truth,
        )
        for wrong in (errors, (0.3, 0.1, 0.1))
    )
    return truth, first, second


TRUTH, FIRST, SECOND = decided(1200)
METRICS = ["f1", "ppv"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("design", [{}, {"groups": np.arange(1200) // 3}])
def test_errors_are_those_of_the_delta_method(metric: str, design: Any) -> None:
    asked: dict[str, Any] = {"metric": metric, "average": "weighted"} | design
    e = metric_ci(TRUTH, FIRST, rng=1, n_resamples=999, **asked)
    by_gradient = metric_ci(TRUTH, FIRST, method="delta", **asked)
    assert e.method == "dirichlet"
    # So many classes and cases leave little to pseudo-cases and draws.
    assert e.standard_error == pytest.approx(by_gradient.standard_error, rel=0.06)
    assert e.halfwidth == pytest.approx(by_gradient.halfwidth, rel=0.08)


@pytest.mark.parametrize("metric", METRICS)
def test_errors_of_differences_are_those_of_the_delta_method(metric: str) -> None:
    asked: dict[str, Any] = {"metric": metric, "average": "weighted", "test": "none"}
    models = {"A": FIRST, "B": SECOND}
    e = hw.compare(TRUTH, models, rng=1, n_resamples=999, **asked)[0].estimate
    by_gradient = hw.compare(TRUTH, models, method="delta", **asked)[0].estimate
    assert e.method == "dirichlet"
    assert e.halfwidth == pytest.approx(by_gradient.halfwidth, rel=0.1)


def test_weighted_sensitivity_is_accuracy_alone_and_among_models() -> None:
    accuracy, recall = (
        metric_ci(TRUTH, FIRST, metric=metric, average=average)
        for metric, average in (("accuracy", None), ("sensitivity", "weighted"))
    )
    assert recall.method == "wilson"
    assert (recall.low, recall.value, recall.high) == (accuracy.low, accuracy.value, accuracy.high)
    models = {"A": FIRST[:200], "B": SECOND[:200], "C": TRUTH[:200]}
    test = hw.Predictions.from_arrays(TRUTH[:200], models)
    asked: dict[str, Any] = {"test": "none", "rng": 1}
    both = [
        [(one.low, one.high) for one in hw.compare(test, metric=metric, average=average, **asked)]
        for metric, average in (("accuracy", None), ("sensitivity", "weighted"))
    ]
    assert both[0] == both[1]
    groups = {"groups": np.arange(1200) // 4}
    clustered = [
        metric_ci(TRUTH, FIRST, metric=metric, average=average, **groups)
        for metric, average in (("accuracy", None), ("sensitivity", "weighted"))
    ]
    assert (clustered[0].low, clustered[0].high) == (clustered[1].low, clustered[1].high)


@pytest.mark.parametrize("absent", ["omit", "zero", "undefined"])
def test_a_class_without_cases_weighs_nothing_in_it(absent: Any) -> None:
    asked: dict[str, Any] = {"labels": [0, 1, 2, 3], "absent_class": absent}
    e = metric_ci(TRUTH, FIRST, metric="sensitivity", average="weighted", **asked)
    assert e.value == (TRUTH == FIRST).mean()
    assert "HW208" not in codes(e)
    never = np.where(FIRST == 2, 1, FIRST)
    ppv = metric_ci(TRUTH, never, metric="ppv", average="weighted", rng=1, absent_class=absent)
    assert "HW208" in codes(ppv)
    assert np.isnan(ppv.value) == (absent == "undefined")


@pytest.mark.parametrize("n", [40, 300])
def test_intervals_hold_their_estimate_nest_and_stay_within_their_classes(n: int) -> None:
    truth, first, _ = decided(n)
    for metric in ("f1", "ppv"):
        made = [
            metric_ci(
                *(truth, first),
                metric=metric,
                average="weighted",
                confidence_level=level,
                rng=1,
                n_resamples=999,
            )
            for level in (0.5, 0.8, 0.95, 0.99, 0.999)
        ]
        ends = [(one.low, one.high) for one in made]
        assert all(0 <= one.low <= one.value <= one.high <= 1 for one in made)
        assert all(a[0] >= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(ends))
    perfect = metric_ci(truth, truth, metric="f1", average="weighted", rng=1, n_resamples=999)
    assert perfect.high == perfect.value == 1
    assert perfect.low < 1


def test_macro_averages_know_the_weights_of_their_classes() -> None:
    macro = metric_ci(TRUTH, FIRST, metric="f1", average="macro", rng=1)
    by_gradient = metric_ci(TRUTH, FIRST, metric="f1", average="macro", method="delta")
    assert macro.halfwidth == pytest.approx(by_gradient.halfwidth, rel=0.1)


def test_weighted_areas_count_it_too() -> None:
    truth = RANDOM.choice(3, 900, p=[0.6, 0.25, 0.15])
    shown = np.exp(RANDOM.normal(size=(900, 3)))
    shown += np.array([30.0, 4.0, 0.2])[truth][:, None] * np.eye(3)[truth]
    shown /= shown.sum(axis=1, keepdims=True)
    asked: dict[str, Any] = {"metric": "auroc", "average": "weighted", "rng": 1}
    e = metric_ci(truth, shown, **asked)
    drawn = metric_ci(truth, shown, method="percentile", **asked)
    assert e.method == "dirichlet"
    assert drawn.halfwidth < e.halfwidth < 1.15 * drawn.halfwidth


def test_the_command_line_says_accuracy_of_weighted_recall(tmp_path: Path, run: Any) -> None:
    table = tmp_path / "cases.csv"
    rows = zip(TRUTH[:80], FIRST[:80], SECOND[:80], strict=True)
    lines = [f"{case},{a},{b},{c}" for case, (a, b, c) in enumerate(rows)]
    table.write_text("\n".join(["case,y,A,B", *lines]))
    asked = ("ci", table, "--target", "y", "--prediction", "A", "--json")
    recall, accuracy = (
        json.loads(run(*asked, *words).out)["estimates"]
        for words in (
            ("--metric", "sensitivity", "--average", "weighted"),
            ("--metric", "accuracy"),
        )
    )
    ends = [
        [(one["low"], one["high"], one["method"]) for one in rows] for rows in (recall, accuracy)
    ]
    assert ends[0] == ends[1]
    assert ends[0][0][2] == "wilson"
