"""What a hunt for mismatches found in metrics of a test set, and must not come back."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from over_data import metric_ci

import halfwidth as hw
from halfwidth.core.spec import Metric
from halfwidth.metrics.averaging import CountingFinish
from halfwidth.metrics.building import weighted_counting_statistic
from halfwidth.resampling.designs import arrange
from halfwidth.resampling.engine import leave_one_out

Array = NDArray[Any]


def first_positive(seed: int) -> tuple[Array, Array]:
    """Classes 0 and 1, and a score of class 0."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 2, 60)
    return truth, np.round(np.clip(generator.normal((1 - truth) * 0.3 + 0.4, 0.2), 0, 1), 2)


def value(truth: Any, score: Any, metric: str, **options: Any) -> float:
    made = metric_ci(truth, score, metric=metric, rng=1, n_resamples=9, **options)
    return float(made.value)


@pytest.mark.parametrize("seed", range(5))
def test_costs_of_a_chosen_threshold_are_by_label_where_the_first_is_positive(seed: int) -> None:
    truth, score = first_positive(seed)
    costs = np.array([[0.0, 5.0], [1.0, 0.0]])
    cuts = [np.inf, *np.unique(score)]
    best = min(costs[truth, np.where(score >= cut, 0, 1)].mean() for cut in cuts)
    options = {"costs": costs, "pos_label": 0, "scores": "probabilities"}
    got = value(truth, score, "expected_cost", threshold="expected_cost", **options)
    assert got == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
def test_priors_of_a_chosen_threshold_are_by_label_where_the_first_is_positive(seed: int) -> None:
    truth, score = first_positive(seed)
    cuts = np.array([np.inf, *np.unique(score)[::-1]])
    right = [((score >= cut) == (truth == 0)).sum() for cut in cuts]
    said = np.where(score >= cuts[int(np.argmax(right))], 0, 1)
    wanted = 0.9 * (said[truth == 0] != 0).mean() + 0.1 * (said[truth == 1] != 1).mean()
    options = {"priors": [0.9, 0.1], "pos_label": 0, "scores": "probabilities"}
    got = value(truth, score, "expected_cost", threshold="accuracy", **options)
    assert got == pytest.approx(wanted)


def test_highest_of_equally_good_thresholds_is_chosen_whatever_rounding_says() -> None:
    wrong = 0
    for seed in range(300):
        generator = np.random.default_rng(seed)
        n = generator.integers(5, 40)
        truth, score = generator.integers(0, 2, n), generator.integers(0, 6, n) / 10
        p, q = int(truth.sum()), int(n - truth.sum())
        if not p or not q:
            continue
        cuts = np.array([np.inf, *np.unique(score)[::-1]])
        j = [
            ((score >= c) & (truth == 1)).sum() * q - ((score >= c) & (truth == 0)).sum() * p
            for c in cuts
        ]
        wanted = ((score >= cuts[int(np.argmax(j))]) & (truth == 1)).sum() / p
        got = value(truth, score, "sensitivity", threshold="youden_j", scores="probabilities")
        wrong += abs(got - wanted) > 1e-9
    assert not wrong


def test_weights_of_a_cell_that_a_cluster_takes_along_leave_nothing_behind() -> None:
    generator, wrong = np.random.default_rng(0), 0
    metric = Metric(hw.SAMPLE_METRICS["sensitivity"], {})
    statistic = weighted_counting_statistic(metric, CountingFinish(metric, 2, "binary", 1), "omit")
    for _ in range(50):
        truth, said = generator.integers(0, 2, (2, 40))
        groups = np.where(truth == 1, 0, generator.integers(1, 8, 40))
        records = np.stack([2.0 * truth + said, np.round(generator.uniform(0.1, 1, 40), 2)])
        arranged, design = arrange(records, groups, None, paired=True)
        left = leave_one_out(arranged[None], design, statistic)[0]
        (unit,) = np.flatnonzero(arranged[0, design.first_cases] >= 2)
        wrong += not np.isnan(left[unit])
    assert not wrong


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-100, 100] * 5, dtype=np.int8),
        np.array([-30000, 30000] * 5, dtype=np.int16),
        np.array([2**63 + 5, 2**63 + 1] * 5, dtype=np.uint64),
    ],
)
def test_labels_of_any_integer_type_are_labels(labels: Array) -> None:
    assert value(labels, labels, "accuracy") == 1


def test_empty_lists_are_refused_with_a_word() -> None:
    with pytest.raises(hw.DataError, match="no cases"):
        metric_ci([], [], metric="accuracy")


def test_missing_text_of_pandas_is_missing() -> None:
    pd = pytest.importorskip("pandas")
    truth = pd.Series(["a", "b", None, "a"], dtype="string")
    assert value(truth, ["a", "b", "a", "b"], "accuracy", missing="omit") == pytest.approx(2 / 3)


def test_masked_score_is_missing() -> None:
    score = np.ma.array([0.1, 0.2, 0.0, 0.3, 0.9], mask=[False, False, True, False, False])
    with pytest.raises(hw.DataError, match="lack a label or a finite score"):
        metric_ci([0, 1, 1, 0, 1], score, metric="auroc")


@pytest.mark.parametrize(
    "options",
    [
        {"costs": "x"},
        {"costs": [[0, 1], [1]]},
        {"priors": "x"},
        {"labels": [[0], [1]]},
    ],
)
def test_option_that_makes_no_sense_is_named(options: dict[str, Any]) -> None:
    truth = [0, 1, 1, 0]
    with pytest.raises(hw.HalfwidthError, match=next(iter(options))):
        metric_ci(truth, truth, metric="expected_cost", **options)


def test_r2_of_equal_targets_is_undefined_as_its_description_says() -> None:
    assert np.isnan(value([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "r2"))


def test_infinite_values_make_no_warnings() -> None:
    truth, said = [0] * 11 + [1], [0] * 12
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric_ci([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1], metric="lr_plus", method="bca", rng=1)
        metric_ci(truth, said, metric="normalized_expected_cost", method="bca", rng=1)


def test_case_that_weighs_nothing_changes_no_error() -> None:
    generator = np.random.default_rng(0)
    truth, score = np.array([0, 1] * 10), generator.uniform(size=20)
    more = np.r_[truth, 0, 1, 1], np.r_[score, 0.2, 0.3, 0.9]
    weights = np.r_[np.ones(20), np.zeros(3)]
    plain = metric_ci(truth, score, metric="auroc", method="delong")
    wider = metric_ci(more[0], more[1], metric="auroc", method="delong", sample_weight=weights)
    assert wider.standard_error == pytest.approx(plain.standard_error)


def test_own_function_may_be_of_a_regression() -> None:
    truth = np.random.default_rng(1).normal(size=30)
    made = metric_ci(
        truth, truth + 1, metric=lambda a, b: float(np.abs(a - b).max()), n_resamples=9, rng=1
    )
    assert made.value == pytest.approx(1)
