"""Probabilities of exactly 0 and 1, with few cases of a class: every search ends, in words."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize
from scipy.special import expit, logit
from support import Run, message, quickly

import halfwidth as hw
from halfwidth.core.spec import Takes

Array = NDArray[Any]
OF_PROBABILITIES = [one.name for one in hw.SAMPLE_METRICS if one.takes is Takes.PROBABILITIES]

# Of 24 cases as many are certain as are not.
SAID = np.where(np.arange(24) % 2, np.arange(24) / 24, np.arange(24) % 4 / 2)
ONE = (np.arange(24) == 9).astype(int)
OUTCOMES = {"one positive": ONE, "one negative": 1 - ONE, "all negative": 0 * ONE}


@pytest.mark.parametrize("name", OF_PROBABILITIES)
@pytest.mark.parametrize(
    "which",
    [
        "one positive",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("one negative", "all negative")),
    ],
)
def test_each_calibration_metric_answers_or_says_why_not(name: str, which: str) -> None:
    y = OUTCOMES[which]
    value = getattr(hw.metrics, name)(y, SAID)
    e, refused = None, ""
    try:
        e = quickly(hw.metric_ci, y, SAID, metric=name, n_resamples=20, rng=1)
    except hw.DataError as error:
        refused = str(error)
    if e is None:
        assert math.isnan(value)
        assert refused.startswith((f"{name} needs cases of both", f"{name} has no "))
    else:
        assert e.value == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True)
        assert math.isnan(e.low) or e.low <= e.value <= e.high


def one_positive() -> tuple[Array, Array]:
    """39 cases, of which one is positive: every halving of the last step overshot by rounding."""
    between = (
        *(0.7334, 0.4935, 0.7139, 0.8243, 0.8408, 0.0234, 0.4018, 0.1813, 0.5512, 0.4453, 0.3115),
        *(0.5736, 0.2402, 1.0, 0.3709, 0.211, 0.358, 0.6627, 1.0),
    )
    probabilities = np.concatenate([between, np.zeros(20)])
    return (np.arange(39) == 0).astype(int), probabilities


def test_calibration_in_the_large_of_one_positive_is_the_root_of_its_equation() -> None:
    y, p = one_positive()
    e = hw.metric_ci(y, p, metric="calibration_in_the_large", rng=1)
    known = logit(np.clip(p, 1e-7, 1 - 1e-7))
    root = optimize.brentq(lambda a: float((y - expit(known + a)).sum()), -40, 40, xtol=1e-13)
    assert e.value == pytest.approx(root, abs=1e-7)
    resampled = hw.metric_ci(
        y, p, metric="calibration_in_the_large", method="percentile", n_resamples=99, rng=1
    )
    assert resampled.low <= e.value <= resampled.high


@pytest.mark.parametrize("name", ["ici", "e50", "e90", "emax"])
def test_most_probabilities_of_0_and_1_leave_the_curve_an_interval(name: str) -> None:
    # Where a model is certain a calibrated one has next to no noise, and not an infinite one: ends
    # of 0 and 1, or a singular matrix.
    g = np.random.default_rng(3)
    for said in ([0, 1, 0.5], [0, 1, 0.5, 0.5, 0.3]):
        p = g.choice(said, 40)
        y = (g.random(40) < np.clip(p, 0.2, 0.8)).astype(int)
        e = hw.metric_ci(y, p, metric=name, n_resamples=99, rng=1)
        assert 0 <= e.low <= e.value <= e.high < 0.6


# Three classes, of which the last is never predicted: its probability is constant.
CLASSES = np.array(list("abcababc") * 4)
NEVER = np.column_stack([said := 0.1 + 0.8 * (np.arange(32) * 7 % 32) / 32, 1 - said, 0 * said])
SENTENCE = "needs probabilities that differ; those of all 32 cases are 0"


def test_a_class_that_is_never_predicted_says_why_and_the_others_are_answered() -> None:
    for name in ("ici", "emax", "calibration_slope"):
        rows = quickly(hw.metric_ci, CLASSES, NEVER, metric=name, average="none", rng=1)
        assert [math.isnan(e.value) for e in rows] == [False, False, True]
        for code, e in zip("ab", rows, strict=False):
            own = quickly(
                hw.metric_ci, code == CLASSES, NEVER[:, "ab".index(code)], metric=name, rng=1
            )
            assert (e.value, e.low, e.high) == pytest.approx((own.value, own.low, own.high))
        assert f"{name} {SENTENCE}; report the other classes" in message(rows[2], "HW306")
        # What one class of two gets.
        with pytest.raises(hw.DataError, match=f"{name} {SENTENCE}".replace("are 0", "are 0.2")):
            hw.metric_ci(CLASSES == "c", np.full(32, 0.2), metric=name, rng=1)


def test_a_class_without_a_curve_says_why_on_the_figure_and_the_others_have_one() -> None:
    curves = hw.curve(
        hw.Predictions.from_arrays(CLASSES, NEVER), "calibration", average="none", rng=1
    )
    assert [curve.no_curve for curve in curves] == ["", "", f"a calibration curve {SENTENCE}"]
    assert [bool(np.isfinite(curve.y).all()) for curve in curves] == [True, True, False]
    assert all(np.isfinite(curve.low).all() for curve in curves[:2])


@pytest.mark.slow
def test_a_report_of_such_classes_is_written(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "p.csv"
    lines = [f"{c},{a:.4f},{b:.4f},0" for c, (a, b, _) in zip(CLASSES, NEVER, strict=True)]
    table.write_text("\n".join(["y,a,b,c", *lines]) + "\n", encoding="utf-8")
    said = ["--target", "y", "--score", "a", "--score", "b", "--score", "c", "--seed", "1"]
    asked = ["--metric", "ici,brier", "--average", "none", "--n-resamples", "99"]
    page = tmp_path / "report.html"
    ran = run("report", str(table), *said, *asked, "--out", str(page))
    assert (ran.status, page.exists()) == (0, True)
    assert SENTENCE in " ".join(page.read_text(encoding="utf-8").split())
    picture = tmp_path / "curve.png"
    drawn = run(
        *("ci", str(table), *said, *asked, "--plot-kind", "calibration", "--plot", str(picture))
    )
    assert (drawn.status, picture.exists()) == (0, True)
