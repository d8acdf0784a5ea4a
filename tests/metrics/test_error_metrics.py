from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, mean_absolute_error, mean_squared_error

import halfwidth as hw
from halfwidth.metrics import absolute_error, correct, squared_error

RNG = np.random.default_rng(0)
TRUE, PREDICTED = RNG.normal(size=50), RNG.normal(size=50)
LABELS, GUESSES = RNG.choice(["a", "b", "c"], 50), RNG.choice(["a", "b", "c"], 50)


def test_means_of_per_case_errors_are_the_known_scores() -> None:
    assert absolute_error(TRUE, PREDICTED).mean() == pytest.approx(
        mean_absolute_error(TRUE, PREDICTED)
    )
    assert squared_error(TRUE, PREDICTED).mean() == pytest.approx(
        mean_squared_error(TRUE, PREDICTED)
    )
    assert correct(LABELS, GUESSES).mean() == pytest.approx(accuracy_score(LABELS, GUESSES))


def test_a_metric_function_names_its_values() -> None:
    e = hw.summary_ci(correct(LABELS, GUESSES), metric=correct)
    assert (e.metric, e.method) == ("correct", "wilson")
    assert hw.summary_ci(absolute_error(TRUE, PREDICTED), metric=absolute_error).n == 50


def test_worst_values_follow_from_bounds_and_direction() -> None:
    worst = {spec.name: spec.worst for spec in hw.METRICS}
    assert worst["dsc"] == worst["nsd"] == worst["correct"] == 0
    assert worst["hd95"] is worst["absolute_error"] is worst["relative_volume_error"] is None


@pytest.mark.parametrize("name", ["Dice", "DSC", "surface dice", "boundary-iou", "HD95", "rvd"])
def test_metrics_answer_to_their_synonyms_in_any_spelling(name: str) -> None:
    assert hw.METRICS[name] in tuple(hw.METRICS)
