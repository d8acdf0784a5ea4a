"""Proper scores of probabilities, against scikit-learn and by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from over_data import metric_ci
from sklearn.metrics import brier_score_loss, log_loss

import halfwidth as hw
from halfwidth.metrics import brier, brier_skill, nll, root_brier

Array = NDArray[Any]
SIMULATED = Path(__file__).parents[4] / "shared" / "data" / "calibration"


def value(truth: Any, given_: Any, metric: Any = "brier", **options: Any) -> float:
    """The value alone: two resamples are the fewest that may be asked for."""
    return float(metric_ci(truth, given_, metric=metric, n_resamples=2, rng=1, **options).value)


def two_classes(n: int = 80) -> tuple[Array, Array, Array]:
    generator = np.random.default_rng(8)
    p = np.r_[0.0, 1.0, 1.0, generator.beta(0.7, 1.0, n - 3)]
    return np.r_[0, 1, 0, generator.random(n - 3) < p[3:]].astype(int), p, generator.random(n)


def several(n: int = 60) -> tuple[Array, Array, Array]:
    generator = np.random.default_rng(9)
    scores = generator.dirichlet(np.full(4, 0.7), n)
    return generator.integers(4, size=n), scores, generator.random(n)


def test_brier_score_is_that_of_scikit_learn() -> None:
    y, p, weights = two_classes()
    for given_ in (None, weights):
        wanted = brier_score_loss(y, p, sample_weight=given_)
        assert brier(y, p, given_) == pytest.approx(wanted, abs=1e-14)
        assert value(y, p, sample_weight=given_) == pytest.approx(wanted, abs=1e-14)
        assert root_brier(y, p, given_) == pytest.approx(math.sqrt(wanted))


def test_skill_is_what_is_gained_on_predicting_the_prevalence() -> None:
    y, p, weights = two_classes()
    for given_ in (None, weights):
        share = np.average(y, weights=given_)
        of_share = brier_score_loss(y, np.full(len(y), share), sample_weight=given_)
        wanted = 1 - brier_score_loss(y, p, sample_weight=given_) / of_share
        assert brier_skill(y, p, given_) == pytest.approx(wanted)
        assert value(y, p, "brier_skill", sample_weight=given_) == pytest.approx(wanted)
    assert brier_skill(y, np.full(len(y), y.mean())) == pytest.approx(0.0, abs=1e-14)
    assert math.isnan(brier_skill([1, 1], [0.5, 0.7]))


def test_of_several_classes_it_is_the_sum_that_brier_defined() -> None:
    truth, scores, weights = several()
    outcomes = np.eye(4)[truth]
    for given_ in (None, weights):
        each = np.average((scores - outcomes) ** 2, axis=0, weights=given_)
        shares = np.average(outcomes, axis=0, weights=given_)
        options = {"sample_weight": given_}
        assert value(truth, scores, **options) == pytest.approx(each.sum())
        assert value(truth, scores, average="macro", **options) == pytest.approx(each.mean())
        assert value(truth, scores, "root_brier", **options) == pytest.approx(math.sqrt(each.sum()))
        assert value(truth, scores, "brier_skill", **options) == pytest.approx(
            1 - each.sum() / (shares * (1 - shares)).sum()
        )
        assert value(truth, scores, "brier_skill", average="macro", **options) == pytest.approx(
            np.mean(1 - each / (shares * (1 - shares)))
        )
    right = (scores.argmax(axis=1) == truth).astype(float)
    assert value(truth, scores, average="top_label") == pytest.approx(
        brier(right, scores.max(axis=1))
    )


def test_sum_over_two_classes_is_twice_the_score_of_one() -> None:
    y, p, _ = two_classes()
    assert value(y, p, average="sum") == pytest.approx(2 * brier(y, p))


def test_negative_log_likelihood_is_the_log_loss_of_scikit_learn() -> None:
    y, p, weights = two_classes()
    clipped = np.clip(p, 1e-7, 1 - 1e-7)
    truth, scores, weights_of_several = several()
    for given_, other in ((None, None), (weights, weights_of_several)):
        wanted = log_loss(y, clipped, sample_weight=given_)
        assert nll(y, p, given_) == pytest.approx(wanted, rel=1e-12)
        # 1 - (1 - 1e-7) is 1e-7 but for ten digits.
        assert value(y, p, "nll", sample_weight=given_) == pytest.approx(wanted, rel=1e-9)
        assert value(truth, scores, "nll", sample_weight=other) == pytest.approx(
            log_loss(truth, scores, sample_weight=other), rel=1e-12
        )


def test_a_certain_prediction_that_is_wrong_counts_what_clipping_lets_it() -> None:
    for y, p in ((0, 1.0), (1, 0.0)):
        assert nll([y], [p]) == pytest.approx(-math.log(1e-7), rel=1e-9)
    assert nll([1], [1.0]) == pytest.approx(1e-7, rel=1e-6)


@pytest.mark.parametrize(("name", "wanted"), [("misdata", 0.13471), ("welldata", 0.12519)])
def test_brier_scores_of_simulated_models(name: str, wanted: float) -> None:
    path = SIMULATED / f"simulated_{name}.csv"
    if not path.exists():
        pytest.skip("the shared data are not here")
    frame = pd.read_csv(path)
    e = metric_ci(frame["label"], frame["proba_1"], metric="brier")
    assert e.value == pytest.approx(wanted, abs=5e-6)
    assert e.method == "dirichlet_pareto"
    assert e.low < e.value < e.high


def test_without_cases_there_is_no_value() -> None:
    for metric in (brier, root_brier, brier_skill, nll):
        assert math.isnan(metric([], []))


def test_an_average_that_a_score_has_not_is_refused() -> None:
    truth, scores, _ = several()
    with pytest.raises(hw.HalfwidthError, match="average"):
        value(truth, scores, "nll", average="macro")
