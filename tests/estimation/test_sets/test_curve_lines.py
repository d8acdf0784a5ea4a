"""The lines of ROC and precision-recall curves: where they run, and what lies under them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from over_data import over

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.metrics import auroc, average_precision

curves_from = over(hw.curve, hw.Predictions.from_arrays)


def line_of(kind: Any, truth: Any, score: Any) -> Array:
    (curve,) = hw.curve(truth, kind, y_score=score, n_resamples=9, rng=1)
    line: Array = curve.line
    return line


def area_under(line: Array) -> float:
    return float(np.trapezoid(line[:, 1], line[:, 0]))


cases = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=40).filter(
    lambda rows: len({truth for truth, _ in rows}) == 2
)


@settings(max_examples=30)
@given(cases)
def test_the_area_under_a_line_is_the_metric(rows: list[tuple[int, int]]) -> None:
    truth, score = (np.array(column) for column in zip(*rows, strict=True))
    line, steps = (line_of(kind, truth, score) for kind in ("roc", "pr"))
    assert line[0].tolist() == [0, 0]
    assert line[-1].tolist() == [1, 1]
    assert area_under(line) == pytest.approx(auroc(truth, score), abs=1e-12)
    assert steps[0, 0] == 0
    # The last threshold that finds one more.
    found = score >= score[truth == 1].min()
    assert steps[-1].tolist() == [1, truth[found].mean()]
    assert area_under(steps) == pytest.approx(average_precision(truth, score), abs=1e-12)
    # Steps of a precision-recall curve are level or upright, whatever is tied.
    assert (np.diff(steps, axis=0) == 0).any(axis=1).all()
    slanted = (np.diff(line, axis=0) != 0).all(axis=1)
    shared = {int(s) for s in score if len(set(truth[score == s].tolist())) == 2}
    # Slants are of scores that both kinds share, and neighbours of one slope are one segment.
    assert slanted.sum() <= len(shared)
    assert slanted.any() == bool(shared)


def test_scores_that_are_all_tied_give_the_diagonal() -> None:
    (curve,) = curves_from([0, 1, 1, 0, 1], [0.5] * 5, n_resamples=99, rng=1, kind="roc")
    assert curve.line.tolist() == [[0, 0], [1, 1]]
    np.testing.assert_allclose(curve.y, curve.x, rtol=0, atol=1e-15)
    (curve,) = curves_from([0, 1, 1, 0, 1], [0.5] * 5, kind="pr", n_resamples=99, rng=1)
    assert curve.line.tolist() == [[0, 0.6], [1, 0.6]]


def test_perfect_scores_rise_at_once() -> None:
    (curve,) = curves_from([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], n_resamples=99, rng=1, kind="roc")
    assert curve.line.tolist() == [[0, 0], [0, 1], [1, 1]]
    (curve,) = curves_from([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], kind="pr", n_resamples=99, rng=1)
    assert curve.line.tolist() == [[0, 1], [1, 1]]


def test_a_class_without_cases_has_no_line() -> None:
    truth, score = [0, 1] * 10, np.random.default_rng(1).dirichlet([1, 1, 1], 20)
    curves = curves_from(truth, score, labels=[0, 1, 2], n_resamples=99, rng=1, kind="roc")
    assert [len(curve.line) > 0 for curve in curves] == [True, True, False]
    frame = curves.line_frame()
    assert frame["label"].drop_duplicates().tolist() == ["0", "1"]
    assert len(curves[2].line_frame()) == 0


@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_the_line_of_many_scores_is_thinned_unseen(kind: Any) -> None:
    generator = np.random.default_rng(2)
    truth = generator.random(300_000) < 0.3
    # From the highest score down; the first ones tell most.
    truth[:2000] = generator.random(2000) < 0.9
    tp = np.cumsum(truth, dtype=np.int64)
    fp = np.arange(1, len(tp) + 1) - tp
    line = line_of(kind, truth.astype(int), -np.arange(len(tp), dtype=float))
    assert 100 < len(line) <= 4000
    assert (np.diff(line[:, 0]) >= 0).all()
    if kind == "roc":
        x, y = fp / fp[-1], tp / tp[-1]
    else:
        # Between two thresholds that find something, the precision of the second.
        found = truth.nonzero()[0]
        x, y = tp[found] / tp[-1], tp[found] / (tp + fp)[found]
    # No corner lies higher or lower than the line does within a column to its left or right.
    edges = np.arange(1000 + 1) / 1000
    column = np.minimum((x * 1000).astype(int), 1000 - 1)
    for name, of in (("low", np.minimum), ("high", np.maximum)):
        wanted = np.full(1000, {"low": np.inf, "high": -np.inf}[name])
        of.at(wanted, column, y)
        kept = np.full(1000, {"low": np.inf, "high": -np.inf}[name])
        of.at(kept, np.minimum((line[:, 0] * 1000).astype(int), 1000 - 1), line[:, 1])
        off = kept - wanted if name == "low" else wanted - kept
        assert off[np.isfinite(off)].max() <= 1e-12, name
    assert edges[0] == line[0, 0] == 0
    assert line[-1, 0] == 1


def test_short_lines_are_not_thinned() -> None:
    # A corner at each case: hits and false alarms take turns.
    truth, score = np.arange(3000) % 2, -np.arange(3000.0)
    assert len(line_of("roc", truth, score)) == 3001
