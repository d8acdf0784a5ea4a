"""Areas under curves and errors of numbers, against scikit-learn and pair by pair."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from over_data import metric_ci
from sklearn import metrics as sk
from support import examples, quickly

import halfwidth as hw

Array = NDArray[Any]

# Weights that add up without rounding.
WEIGHTS = (0.25, 0.5, 1.0, 3.0, 1024.0)


def value(truth: Any, given_: Any, metric: Any, **options: Any) -> float:
    """The value alone: two resamples are the fewest that may be asked for."""
    return float(
        quickly(metric_ci, truth, given_, metric=metric, n_resamples=2, rng=1, **options).value
    )


def values(truth: Any, given_: Any, metric: Any, **options: Any) -> list[float]:
    made = quickly(
        metric_ci, truth, given_, metric=metric, average="none", n_resamples=2, rng=1, **options
    )
    return [float(row.value) for row in made]


# Ties, neighbours in floating point, both zeros, tiny and huge numbers.
SCORES = (0.0, -0.0, 0.5, float(np.nextafter(0.5, 1)), 5e-324, -1e300, 1e300, 0.1 + 0.2, 0.3)


@st.composite
def scored(draw: st.DrawFn) -> tuple[Array, Array, Array | None]:
    """True codes of all classes, scores of each class, and weights."""
    classes = draw(st.integers(2, 5))
    more = draw(st.lists(st.integers(0, classes - 1), max_size=40))
    truth = np.array(draw(st.permutations([*range(classes), *more])))
    cell = st.sampled_from(SCORES) if draw(st.booleans()) else st.floats(0, 1)
    flat = draw(st.lists(cell, min_size=len(truth) * classes, max_size=len(truth) * classes))
    weights = draw(st.lists(st.sampled_from(WEIGHTS), min_size=len(truth), max_size=len(truth)))
    scores = np.array(flat).reshape(len(truth), classes)
    return truth, scores, np.array(weights) if draw(st.booleans()) else None


Scored = tuple[Array, Array, Array | None]


def by_pairs(positive: Array, score: Array, w: Array) -> float:
    """P(score of a positive > of a negative) + P(equal) / 2, pair by pair."""
    p, q = score[positive][:, None], score[~positive][None]
    both = w[positive][:, None] * w[~positive][None]
    return float((both * ((p > q) + 0.5 * (p == q))).sum() / both.sum())


@examples(100)
@given(scored())
def test_areas_of_one_class_are_those_of_scikit_learn_and_of_pairs(case: Scored) -> None:
    truth, scores, weights = case
    w = np.ones(len(truth)) if weights is None else weights
    positive, score = truth == 0, scores[:, 0]
    ours = functools.partial(value, positive, score, scores="any", sample_weight=weights)
    assert ours("auroc") == pytest.approx(by_pairs(positive, score, w))
    assert ours("auroc") == pytest.approx(sk.roc_auc_score(positive, score, sample_weight=weights))
    steps = sk.average_precision_score(positive, score, sample_weight=weights)
    assert ours("average_precision") == pytest.approx(steps)
    precision, recall, _ = sk.precision_recall_curve(positive, score, sample_weight=weights)
    lines = sk.auc(recall, precision)
    assert ours("average_precision_trapezoid") == pytest.approx(lines)
    # A recall of j/100 is reached where it is but for rounding; scikit-learn adds a point (0, 1).
    precision, recall = precision[:-1], recall[:-1]
    best = [precision[recall >= j / 100 - 1e-12].max(initial=0.0) for j in range(101)]
    assert ours("average_precision_interpolated") == pytest.approx(np.mean(best))


@examples(20)
@given(scored(), st.floats(1e-6, 1))
def test_partial_areas_of_one_class_are_those_of_scikit_learn(case: Scored, rate: float) -> None:
    truth, scores, weights = case
    positive, score = truth == 0, scores[:, 0]
    made = value(positive, score, f"auroc:max_fpr={rate}", scores="any", sample_weight=weights)
    wanted = sk.roc_auc_score(positive, score, sample_weight=weights, max_fpr=rate)
    # Of a tiny rate the area is the difference of two nearly equal numbers.
    assert made == pytest.approx(wanted, abs=1e-15 / rate + 1e-12)
    assert made == hw.metrics.auroc(positive, score, weights, max_fpr=rate)


def test_averages_of_partial_areas_are_those_over_the_classes() -> None:
    generator = np.random.default_rng(5)
    truth, scores = np.arange(90) % 3, np.round(generator.uniform(size=(90, 3)), 1)
    one_hot = truth[:, None] == np.arange(3)
    part = functools.partial(sk.roc_auc_score, max_fpr=0.2)
    by_class = [part(one_hot[:, one], scores[:, one]) for one in range(3)]
    ours = functools.partial(value, truth, scores, "auroc:max_fpr=0.2", scores="any")
    assert values(truth, scores, "auroc:0.2", scores="any") == pytest.approx(by_class)
    assert ours(average="macro") == pytest.approx(np.mean(by_class))
    assert ours(average="weighted") == pytest.approx(np.mean(by_class))
    assert ours(average="micro") == pytest.approx(part(one_hot.ravel(), scores.ravel()))


@pytest.mark.slow
@given(scored())
def test_averages_of_areas_are_those_of_scikit_learn(case: Scored) -> None:
    truth, scores, weights = case
    one_hot = truth[:, None] == np.arange(scores.shape[1])
    ours = functools.partial(value, truth, scores, scores="any", sample_weight=weights)
    for metric, function in (
        ("auroc", sk.roc_auc_score),
        ("average_precision", sk.average_precision_score),
    ):
        for average in ("micro", "macro", "weighted"):
            wanted = function(one_hot, scores, average=average, sample_weight=weights)
            assert ours(metric, average=average) == pytest.approx(wanted)
        apart = values(truth, scores, metric, scores="any", sample_weight=weights)
        by_class = function(one_hot, scores, average=None, sample_weight=weights)
        np.testing.assert_allclose(apart, by_class, rtol=1e-9)


@given(scored())
def test_class_without_cases_counts_in_an_area_as_the_policy_says(case: Scored) -> None:
    truth, scores, _ = case
    classes = scores.shape[1]
    wide = np.column_stack([scores, scores[:, 0]])
    for metric in ("auroc", "average_precision"):
        ours = functools.partial(
            value, truth, wide, metric, scores="any", average="macro", labels=range(classes + 1)
        )
        without = value(truth, scores, metric, scores="any", average="macro")
        assert ours(absent_class="omit") == pytest.approx(without)
        assert ours(absent_class="zero") == pytest.approx(without * classes / (classes + 1))
        assert math.isnan(ours(absent_class="undefined"))


@pytest.mark.parametrize("n", [1501, 4000])
def test_auroc_of_many_distinct_scores_is_not_thinned(n: int) -> None:
    generator = np.random.default_rng(n)
    truth = generator.integers(0, 2, n).astype(bool)
    score = generator.permutation(n) / n + 1e-7 * truth
    assert len(np.unique(score)) == n
    exact = by_pairs(truth, score, np.ones(n))
    assert value(truth, score, "auroc", scores="any") == pytest.approx(exact, abs=1e-14)


# --------------------------------------------------------------------------- numbers


THOUSANDTHS = st.integers(-(10**9), 10**9).map(lambda number: number / 1000)


@given(st.lists(st.tuples(THOUSANDTHS, THOUSANDTHS), min_size=1, max_size=40))
def test_errors_of_a_regression_are_those_of_scikit_learn(pairs: list[tuple[float, float]]) -> None:
    truth, predicted = np.array(pairs).T
    for metric, function in (
        ("mae", sk.mean_absolute_error),
        ("mse", sk.mean_squared_error),
        ("rmse", sk.root_mean_squared_error),
    ):
        assert value(truth, predicted, metric) == pytest.approx(function(truth, predicted))
    if np.ptp(truth) > 1e-3 * np.abs(truth).max():
        # Sums of squares: the digits left are those beyond the mean, here 3 of 16 are lost twice.
        assert value(truth, predicted, "r2") == pytest.approx(
            sk.r2_score(truth, predicted), rel=1e-8, abs=1e-8
        )
