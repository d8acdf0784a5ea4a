"""The lines of ROC and precision-recall curves: where they run, and what lies under them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from over_data import over

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.estimation.test_sets.curve_lines import COLUMNS, MOST_CORNERS, curve_line, thinned
from halfwidth.metrics import auroc, average_precision

curves_from = over(hw.curve, hw.Predictions.from_arrays)

Counts = NDArray[np.int64]


def counted(truth: Any, score: Any) -> tuple[Counts, Counts]:
    """Positive and negative cases at or above each distinct score."""
    truth, score = np.asarray(truth), np.asarray(score)
    thresholds = np.unique(score)[::-1]
    tp = np.array([int(((score >= t) & (truth == 1)).sum()) for t in thresholds], dtype=np.int64)
    said = np.array([int((score >= t).sum()) for t in thresholds], dtype=np.int64)
    return tp, said - tp


def area_under(line: Array) -> float:
    return float(np.trapezoid(line[:, 1], line[:, 0]))


cases = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=40).filter(
    lambda rows: len({truth for truth, _ in rows}) == 2
)


@settings(max_examples=30)
@given(cases)
def test_the_area_under_a_line_is_the_metric(rows: list[tuple[int, int]]) -> None:
    truth, score = (np.array(column) for column in zip(*rows, strict=True))
    counts = counted(truth, score)
    line = curve_line("roc", *counts)
    assert line[0].tolist() == [0, 0]
    assert line[-1].tolist() == [1, 1]
    assert area_under(line) == pytest.approx(auroc(truth, score), abs=1e-12)
    steps = curve_line("pr", *counts)
    assert steps[0, 0] == 0
    assert steps[-1].tolist() == [
        1,
        counts[0][-1] / (counts[0] + counts[1])[np.flatnonzero(counts[0] == counts[0][-1])[0]],
    ]
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
    line = curve_line(kind, tp, fp)
    assert 100 < len(line) <= MOST_CORNERS
    assert (np.diff(line[:, 0]) >= 0).all()
    if kind == "roc":
        x, y = fp / fp[-1], tp / tp[-1]
    else:
        # Between two thresholds that find something, the precision of the second.
        found = truth.nonzero()[0]
        x, y = tp[found] / tp[-1], tp[found] / (tp + fp)[found]
    # No corner lies higher or lower than the line does within a column to its left or right.
    edges = np.arange(COLUMNS + 1) / COLUMNS
    column = np.minimum((x * COLUMNS).astype(int), COLUMNS - 1)
    for name, of in (("low", np.minimum), ("high", np.maximum)):
        wanted = np.full(COLUMNS, {"low": np.inf, "high": -np.inf}[name])
        of.at(wanted, column, y)
        kept = np.full(COLUMNS, {"low": np.inf, "high": -np.inf}[name])
        of.at(kept, np.minimum((line[:, 0] * COLUMNS).astype(int), COLUMNS - 1), line[:, 1])
        off = kept - wanted if name == "low" else wanted - kept
        assert off[np.isfinite(off)].max() <= 1e-12, name
    assert edges[0] == line[0, 0] == 0
    assert line[-1, 0] == 1


def test_short_lines_are_not_thinned() -> None:
    line = np.stack([np.linspace(0, 1, MOST_CORNERS)] * 2, axis=1)
    assert thinned(line) is line
