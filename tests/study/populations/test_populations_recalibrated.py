"""Populations of known calibration: the temperature, what is drawn, and true values."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special
from smallstudies import labelled, spec_of_sets

from halfwidth import DataError, OptionError
from halfwidth.study import populations
from halfwidth.study.populations import LogitPopulation, logit_empirical, logit_kde
from halfwidth.study.simulation.cells import Cells
from halfwidth.study.simulation.fitted import population_truth

DRAWS = 40_000


def model(classes: int, n: int = 150) -> LogitPopulation:
    """Overconfident logits."""
    rng = np.random.default_rng(3)
    labels = rng.integers(classes, size=n)
    logits = 3 * rng.standard_normal((classes, n))
    logits[labels, np.arange(n)] += 3
    return logit_kde(logits, labels)


def truths(classes: int, metrics: list[str], average: str, **given: float) -> dict[str, float]:
    """The true values that a study takes."""
    made = functools.partial(populations.recalibrated, model(classes), **given)
    instance = replace(labelled(classes=classes), build=made, digest=f"{classes} {given}")
    spec = spec_of_sets(metrics=metrics, averages=[average], truth_draws=DRAWS)
    found = {}
    for metric in spec.metrics:
        (measured,) = Cells(instance, metric, 100, spec).measured
        found[measured.metric] = population_truth(instance, measured, spec).value
    return found


@pytest.mark.parametrize("classes", [2, 4])
def test_the_temperature_has_the_largest_likelihood(classes: int) -> None:
    population = model(classes)
    made = populations.recalibrated(population)

    def loss(factor: float) -> float:
        by_class = special.log_softmax(factor * population.logits, axis=0)
        return -float(by_class[population.labels, np.arange(len(population.labels))].sum())

    best = optimize.minimize_scalar(loss, bounds=(0.01, 5), options={"xatol": 1e-9})
    factor = made.logits[0, 0] / population.logits[0, 0]
    assert factor == pytest.approx(best.x, abs=1e-5)
    assert made.root == pytest.approx(factor * population.root)


def test_classes_are_drawn_with_their_probabilities_and_the_model_says_others() -> None:
    made = populations.recalibrated(model(2), slope=0.5, intercept=0.4)
    # Of given logits: a case that is drawn again and again.
    single = replace(
        made, logits=np.array([[0.3], [1.1]]), labels=made.labels[:1], widths=np.zeros(1)
    )
    drawn = single.draw(np.random.default_rng(1), 1, DRAWS)[0]
    happens = special.expit(0.8)
    # 5 SE: a false alarm in 2 million.
    assert drawn[-1].mean() == pytest.approx(
        happens, abs=5 * math.sqrt(happens * (1 - happens) / DRAWS)
    )
    assert drawn[1] == pytest.approx(np.full(DRAWS, special.expit((0.8 - 0.4) / 0.5)))
    weighted = single.draw_expected(np.random.default_rng(1), 3)[0]
    assert weighted.shape == (4, 6)
    assert weighted[2].tolist() == [0, 0, 0, 1, 1, 1]
    assert weighted[3] == pytest.approx(np.repeat([1 - happens, happens], 3))
    assert weighted[1] == pytest.approx(np.full(6, drawn[1, 0]))


def test_the_calibration_is_the_one_asked_for() -> None:
    names = ["calibration_slope", "calibration_intercept", "calibration_in_the_large", "oe_ratio"]
    errors = ["ece", "ece_l2", "mce", "ici", "emax", "brier_miscalibration"]
    perfect = truths(2, [*names, *errors], "binary")
    assert [perfect[name] for name in names] == pytest.approx([1, 0, 0, 1], abs=1e-9)
    assert [perfect[name] for name in errors] == pytest.approx([0] * 6, abs=1e-9)
    other = truths(2, [*names, *errors], "binary", slope=0.6, intercept=0.3)
    assert other["calibration_slope"] == pytest.approx(0.6, abs=1e-5)
    assert other["calibration_intercept"] == pytest.approx(0.3, abs=1e-5)
    # The distance of the curve by its formula: the largest is where log odds L have it.
    said = np.linspace(-8, 8, 20_001)
    gaps = np.abs(special.expit(0.3 + 0.6 * said) - special.expit(said))
    assert other["emax"] == pytest.approx(gaps.max(), abs=1e-4)
    assert 0 < other["ici"] < other["ece_l2"] < other["mce"] < other["emax"]


def test_of_several_classes_all_are_calibrated() -> None:
    for average in ("macro", "top_label"):
        found = truths(4, ["ece", "brier"], average)
        assert found["ece"] == pytest.approx(0, abs=1e-12)
        assert 0.05 < found["brier"] < 0.3
    found = truths(4, ["ece", "ece_l2"], "top_label", slope=0.5)
    # Nearly the same here, also where bins hold a case or two.
    assert found["ece_l2"] == pytest.approx(found["ece"], rel=0.05)


def test_truths_without_noise_of_outcomes_are_those_of_a_draw() -> None:
    given: dict[str, Any] = {"slope": 0.7, "intercept": -0.5}
    found = truths(2, ["auroc", "nll", "accuracy"], "binary", **given)
    y, p = populations.recalibrated(model(2), **given).draw(np.random.default_rng(2), 1, DRAWS)[0][
        [2, 1]
    ]
    ranks = special.xlogy(0, 1) + p.argsort().argsort() + 1
    positive = int(y.sum())
    auroc = (ranks[y == 1].sum() - positive * (positive + 1) / 2) / positive / (DRAWS - positive)
    assert found["auroc"] == pytest.approx(auroc, abs=0.01)
    assert found["nll"] == pytest.approx(-np.log(np.where(y == 1, p, 1 - p)).mean(), abs=0.03)
    assert found["accuracy"] == pytest.approx(((p >= 0.5) == y).mean(), abs=0.015)


def test_what_cannot_be_recalibrated() -> None:
    population = model(3)
    for slope in (0, -1, math.nan, math.inf):
        with pytest.raises(OptionError, match="not above 0"):
            populations.recalibrated(population, slope=slope)
    with pytest.raises(OptionError, match="needs two classes, and there are 3"):
        populations.recalibrated(population, intercept=0.1)
    with pytest.raises(OptionError, match="no finite number"):
        populations.recalibrated(model(2), intercept=math.inf)
    apart = logit_empirical([[1.0, 0.0], [0.0, 1.0]], [0, 1])
    with pytest.raises(DataError, match="needs errors"):
        populations.recalibrated(apart)
    with pytest.raises(DataError, match="no higher than those of others"):
        populations.recalibrated(replace(apart, labels=apart.labels[::-1]))
    with pytest.raises(DataError, match="some are infinite"):
        populations.recalibrated(logit_empirical([[1.0, -math.inf], [0.0, 1.0]], [0, 1]))
    next_to_nothing = 1e-200 * np.array([[2.0, 0.5, -1.0, 0.3], [0.0, 0.0, 0.0, 0.0]])
    with pytest.raises(DataError, match="no temperature from 3e-151 on fits best"):
        populations.recalibrated(logit_empirical(next_to_nothing, [0, 1, 1, 0]))
