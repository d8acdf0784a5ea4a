"""Score columns that cannot be those of the classes of one model, and scores that are flipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import metric_ci
from support import Run, codes, message

import halfwidth as hw

N = 200
RNG = np.random.default_rng(21)
Y = np.arange(N) % 2
LOGIT = RNG.normal(size=N) + 1.2 * Y
NOISE = RNG.normal(size=(2, N))


def sigmoid(logits: Any) -> Any:
    return 1 / (1 + np.exp(-logits))


A, B = sigmoid(LOGIT), sigmoid(LOGIT + 0.5 * NOISE[0] - 0.2)


def ask(rows: Any, truth: Any = Y, **options: Any) -> hw.Estimate:
    settled: dict[str, Any] = {"metric": "auroc", "rng": 1, "n_resamples": 49}
    made: hw.Estimate = metric_ci(truth, rows, **(settled | options))
    return made


def complaint(rows: Any, truth: Any = Y, **options: Any) -> str:
    with pytest.raises(hw.DataError) as caught:
        ask(rows, truth, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


HOW = "For two models give the score of one class each, in a call (or command) for each model"


@pytest.mark.parametrize("options", [{}, {"pos_label": 0}, {"scores": "probabilities"}])
@pytest.mark.parametrize("truth", [Y, 1 - Y], ids=["rising", "falling"])
def test_probabilities_by_two_models_are_refused(truth: Any, options: dict[str, Any]) -> None:
    text = complaint(np.c_[A, B], truth, **options)
    assert text.startswith("y_score: both score columns for the classes 0, 1 speak for the same ")
    assert text.endswith(HOW)


@pytest.mark.parametrize("kind", ["logits", "any"])
def test_other_scores_by_two_models_are_refused(kind: str) -> None:
    rows = np.c_[LOGIT, LOGIT + 0.5 * NOISE[0]]
    assert "speak for the same class" in complaint(rows, scores=kind)
    assert "speak for the same class" in complaint(rows, 1 - Y, scores=kind)


def test_columns_that_never_add_up_to_1_are_refused() -> None:
    text = complaint(np.c_[0.3 * A, 0.3 * (1 - A)])
    assert "in none of 200 cases they add up to about 1, so they are not the scores" in text
    assert text.endswith(HOW)


def test_every_front_door_refuses_them() -> None:
    with pytest.raises(hw.DataError, match="speak for the same class"):
        hw.curve(Y, "roc", y_score=np.c_[A, B])
    with pytest.raises(hw.DataError, match="speak for the same class"):
        hw.confusion_ci(Y, np.c_[A, B])
    with pytest.raises(hw.DataError, match="speak for the same class"):
        metric_ci(Y, np.c_[A, B], metric=["f1", "mcc"], average="macro")


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (np.c_[1 - A, A], {}),
        (np.c_[1 - A, A].round(2), {}),
        (np.c_[1 - A, A].round(1), {}),
        (np.c_[sigmoid(-LOGIT + 0.5 * NOISE[0]), A], {}),
        (np.log(np.c_[1 - A, A]), {"scores": "logits"}),
        (np.c_[-LOGIT, LOGIT], {"scores": "logits"}),
        (np.c_[NOISE[0] - LOGIT, NOISE[0] + LOGIT] + Y[:, None], {"scores": "logits"}),
        (np.c_[-LOGIT, LOGIT], {"scores": "any"}),
        (np.c_[A, 1 - A], {}),
    ],
    ids=[
        *("probabilities", "two digits", "one digit", "two sigmoids", "log-probabilities"),
        *("logits", "logits with an offset of their own", "any", "the wrong way round"),
    ],
)
def test_columns_by_one_model_are_not(rows: Any, options: dict[str, Any]) -> None:
    assert 0 < ask(rows, **options).value < 1


def test_columns_without_any_skill_are_not_taken_for_two_models() -> None:
    # Two sigmoids that know nothing, each the worse for the other: they move against each other.
    for seed in range(20):
        noise = np.random.default_rng(seed).normal(size=(2, 40))
        rows = sigmoid(np.c_[-noise[0] + 0.5 * noise[1], noise[0] + 0.5 * noise[1]])
        assert "HW408" in codes(ask(rows, Y[:40]))


def test_a_single_class_tells_nothing_of_columns() -> None:
    assert ask(np.c_[1 - A, A][Y == 1], Y[Y == 1], metric="accuracy").n == N // 2
    assert ask(np.c_[A, B][Y == 1], Y[Y == 1], metric="accuracy").n == N // 2


def test_three_columns_said_to_be_probabilities_must_mostly_add_up() -> None:
    truth, rows = np.arange(N) % 3, RNG.random((N, 3))
    text = complaint(rows, truth, scores="probabilities")
    assert "only " in text
    assert "these are not probabilities of 3 exclusive classes; say scores='any'" in text
    # Not said to be: any scores rank.
    assert "HW408" in codes(ask(rows, truth))
    some = rows / rows.sum(axis=1, keepdims=True) * np.where(np.arange(N) % 5, 1, 0.9)[:, None]
    assert "HW408" in codes(ask(some, truth, scores="probabilities"))


def test_log_posteriors_of_real_models_have_a_column_for_each_class(shared: Path) -> None:
    for name in ("pneumoniamnist", "adrenalmnist"):
        scores, truth = (
            np.load(shared / "data" / "medmnist_scores" / f"{name}_{what}.npy")
            for what in ("scores", "targets")
        )
        assert ask(scores, truth, scores="logits").value > 0.8
        two = np.c_[scores[:, 1], scores[:, 1] * 0.9 + 0.1 * np.roll(scores[:, 1], 1)]
        assert "speak for the same class" in complaint(two, truth, scores="logits")


# --------------------------------------------------------------------------- flipped


def test_scores_that_rank_the_wrong_way_round_are_cautioned() -> None:
    e = ask(1 - A)
    assert message(e, "HW410") == (
        f"The AUROC of {e.value:.3g} lies below 1/2, with all of its interval: the scores rank "
        "cases the wrong way round. Are they flipped?"
    )
    remedy = hw.explain("HW410").remedy
    assert "pos_label=" in remedy
    assert "1 - score" in remedy
    # What it advises mends it.
    for mended in (ask(A), ask(1 - A, pos_label=0), ask(np.c_[A, 1 - A], labels=[1, 0])):
        assert mended.value == pytest.approx(1 - e.value)
        assert "HW410" not in codes(mended)


def test_each_class_each_average_and_curves() -> None:
    truth = np.arange(N) % 3
    rows = np.eye(3)[truth] * 0.5 + RNG.dirichlet(np.ones(3), N) * 0.5
    made = metric_ci(
        truth, np.roll(rows, 1, axis=1), metric="auroc", average=["none", "macro"], rng=1
    )
    assert all("HW410" in codes(e) for e in made)
    (curve,) = hw.curve(Y, "roc", y_score=1 - A, n_resamples=49)
    assert curve.area is not None
    assert "HW410" in codes(curve.area)


def test_one_sided_and_undefined_intervals() -> None:
    assert "HW410" in codes(ask(1 - A, alternative="lower"))
    assert "HW410" in codes(ask(1 - A, alternative="upper"))
    perfect = [0, 0, 0, 1, 1, 1]
    assert "HW410" in codes(ask([0.9, 0.8, 0.7, 0.3, 0.2, 0.1], perfect, method="delong"))


def test_chance_is_no_flip() -> None:
    e = ask(sigmoid(NOISE[1]))
    assert e.low < 0.5 < e.high
    assert "HW410" not in codes(e)
    assert "HW410" not in codes(ask(1 - A, metric="average_precision"))


# --------------------------------------------------------------------------- command


def test_the_command_refuses_and_cautions(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "t.csv"
    pd.DataFrame({"y": Y, "prob_a": A, "prob_b": B, "flip": 1 - A}).to_csv(file, index=False)
    ran = run(
        "ci", file, "--target", "y", "--score", "prob_a", "--score", "prob_b", "--metric", "f1"
    )
    assert ran.status == 2
    assert "speak for the same class" in ran.err
    assert ran.out == ""
    ran = run("ci", file, "--target", "y", "--score", "flip", "--metric", "auroc", "--strict")
    assert (ran.status, "HW410" in ran.out) == (3, True)
    assert "scores flipped?" in run("explain", "HW410").out


def test_the_command_takes_columns_named_for_classes_by_their_names(
    tmp_path: Path, run: Run
) -> None:
    file = tmp_path / "t.csv"
    pd.DataFrame({"y": Y, "p_1": A, "p_0": 1 - A}).to_csv(file, index=False)
    ask_both = ("ci", file, "--target", "y", "--metric", "auroc", "--json", "--score")
    (made,) = run(*ask_both, "p_1", "--score", "p_0").estimates
    assert made["value"] == pytest.approx(ask(A).value)
    assert [c["code"] for c in made["cautions"]] == ["HW409"]
    (said,) = run(*ask_both, "p_1", "--score", "p_0", "--labels", "0,1").estimates
    assert "HW410" in [c["code"] for c in said["cautions"]]


# --------------------------------------------------------------------------- no numbers at all


@pytest.mark.parametrize(
    "scores",
    [
        pd.Series(pd.date_range("2020", periods=N)),
        pd.to_timedelta(np.arange(N), unit="D"),
        np.arange(N).astype("datetime64[D]"),
        pd.DataFrame(
            {"a": pd.date_range("2020", periods=N), "b": pd.date_range("2021", periods=N)}
        ),
    ],
    ids=["dates", "durations", "NumPy's dates", "columns of dates"],
)
def test_dates_are_no_scores(scores: Any) -> None:
    for kind in ("auto", "any"):
        assert "y_score: scores must be numbers" in complaint(scores, scores=kind)


# --------------------------------------------------------------------------- the order of classes

GRADES = np.array(["low", "medium", "high"])
GRADE = np.arange(N) % 3
SAID = np.clip(GRADE + RNG.integers(-1, 2, N), 0, 2)
KAPPA = "cohen_kappa:weights=quadratic"


def test_an_ordered_categorical_says_the_order_of_the_classes() -> None:
    truth, said = (
        pd.Series(pd.Categorical(GRADES[codes], categories=GRADES, ordered=True))
        for codes in (GRADE, SAID)
    )
    right = ask(SAID, GRADE, metric=KAPPA)
    assert ask(said, truth, metric=KAPPA).value == pytest.approx(right.value)
    assert ask(GRADES[SAID], GRADES[GRADE], metric=KAPPA, labels=list(GRADES)).value == right.value
    made = metric_ci(truth, said, metric=["f1"], average="none", rng=1)
    assert [e.label for e in made] == list(GRADES)
    with pytest.raises(hw.OptionError, match="high, low, medium stand in alphabetical order"):
        ask(GRADES[SAID], GRADES[GRADE], metric=KAPPA)
    assert ask(GRADES[SAID], GRADES[GRADE], metric="cohen_kappa").n == N
    numbered = np.array(["grade 1", "grade 2", "grade 3"])
    assert ask(numbered[SAID], numbered[GRADE], metric=KAPPA).value == pytest.approx(right.value)


def test_columns_in_the_other_order_need_no_word_on_which_is_positive() -> None:
    assert ask(np.c_[A, 1 - A], labels=[1, 0]).value == ask(A).value
