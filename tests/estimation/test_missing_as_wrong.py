"""A missing prediction that counts as a wrong answer: what a user would have filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import Run, codes

import halfwidth as hw

TRUE = np.repeat([0, 1], 20)
SCORES = np.where(TRUE == 1, 0.7, 0.2) + np.linspace(0, 0.2, 40)
LACKING = [3, 30, 31]
METRICS = ["auroc", "average_precision", "brier", "accuracy", "sensitivity", "mcc"]


def gaps(values: Any, filled: Any) -> tuple[Any, Any]:
    """The values without some, and with something in the place of these."""
    without, complete = np.array(values, float), np.array(values, float)
    without[LACKING], complete[LACKING] = np.nan, filled
    return without, complete


@pytest.mark.parametrize(
    ("metric", "values"),
    [*((one, SCORES) for one in METRICS), *((one, (SCORES > 0.5) * 1.0) for one in METRICS[3:])],
)
def test_the_wrong_answer_is_the_other_class(metric: str, values: Any) -> None:
    without, complete = gaps(values, 1 - TRUE[LACKING])
    of = hw.metric_ci(TRUE, without, metric=metric, missing="wrong", rng=1)
    as_if = hw.metric_ci(TRUE, complete, metric=metric, rng=1)
    assert (of.value, of.low, of.high, of.n) == (as_if.value, as_if.low, as_if.high, as_if.n)
    assert (of.n_missing, of.to_dict()["missing"]) == (3, "wrong")
    assert "HW101" in codes(of)


def test_scores_that_rank_lose_against_every_other() -> None:
    without, complete = gaps(100 * SCORES, [1e6, -1e6, -1e6])
    of = hw.metric_ci(TRUE, without, metric="auroc", missing="wrong", rng=1)
    assert of.value == hw.metric_ci(TRUE, complete, metric="auroc", rng=1).value


def test_models_are_compared_on_all_cases() -> None:
    without, complete = gaps(SCORES, 1 - TRUE[LACKING])
    of_policies: list[tuple[Any, dict[str, Any]]] = [
        (without, {"missing": "wrong"}),
        (complete, {}),
    ]
    differences = [
        hw.compare(
            hw.Predictions.from_arrays(TRUE, {"A": SCORES, "B": of}, **policy),
            metric="auroc",
            rng=1,
        )[0]
        for of, policy in of_policies
    ]
    assert differences[0].value == differences[1].value
    assert {one.estimate.n for one in differences} == {40}


@pytest.mark.parametrize(
    ("true", "predicted", "metric", "options", "said"),
    [
        (list("abc") * 5, [None, *"bc", *"abc" * 4], "accuracy", {}, "takes two classes"),
        (TRUE + 0.5, gaps(SCORES, 0)[0], "mae", {}, "no meaning for predicted numbers"),
        (gaps(TRUE, 0)[0], SCORES, "auroc", {}, "no true class"),
    ],
)
def test_where_no_answer_is_the_wrong_one_it_is_refused(
    true: Any, predicted: Any, metric: str, options: Any, said: str
) -> None:
    with pytest.raises(hw.HalfwidthError, match=said):
        hw.metric_ci(true, predicted, metric=metric, missing="wrong", **options)


def test_values_of_cases_have_a_worst_value_instead() -> None:
    with pytest.raises(hw.OptionError, match="none of raise, omit, worst"):
        hw.summary_ci([0.1, 0.2, float("nan")], missing="wrong")  # type: ignore[arg-type]


def test_the_command_counts_them_and_says_so(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "predictions.csv"
    rows = ["0,0.1", "1,0.9", "0,0.2", "1,", "0,0.3", "1,0.8"]
    file.write_text("\n".join(["y,p", *rows]) + "\n")
    command = ("ci", file, "--target", "y", "--score", "p", "--missing", "wrong")
    answer = run(*command, "--metric", "auroc", "--json")
    (one,) = answer.estimates
    assert (one["n"], one["n_missing"], one["value"]) == (6, 1, pytest.approx(2 / 3))
    assert "1 missing of --score p count as wrong" in answer.err
