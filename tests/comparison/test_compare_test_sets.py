"""Models compared by metrics of a whole test set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import metric_ci, over
from sklearn import metrics as oracle

import halfwidth as hw

N = 80
IDS = [f"p{i:02d}" for i in range(N)]


@pytest.fixture
def table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, N)
    hard = rng.normal(size=N)
    scores = {name: truth * lift + hard + rng.normal(size=N) / 2 for name, lift in AB.items()}
    decisions = {f"d{name}": (one > 0.5).astype(int) for name, one in scores.items()}
    return pd.DataFrame({"id": IDS, "y": truth, **scores, **decisions})


AB = {"A": 1.6, "B": 1.0}
ORACLES: dict[str, Any] = {
    "auroc": oracle.roc_auc_score,
    "average_precision": oracle.average_precision_score,
    "accuracy": oracle.accuracy_score,
    "sensitivity": oracle.recall_score,
    "ppv": oracle.precision_score,
    "f1": oracle.f1_score,
    "mcc": oracle.matthews_corrcoef,
}


@pytest.mark.parametrize("metric", ORACLES)
def test_values_are_those_of_scikit_learn(table: pd.DataFrame, metric: str) -> None:
    columns = ["A", "B"] if metric in ("auroc", "average_precision") else ["dA", "dB"]
    models = {name: table[column] for name, column in zip("AB", columns, strict=True)}
    (one,) = hw.compare(
        hw.Predictions.from_arrays(table["y"], models), metric=metric, n_resamples=99, rng=1
    )
    expected = [ORACLES[metric](table["y"], table[column]) for column in columns]
    assert [one.first_value, one.second_value] == pytest.approx(expected)
    assert one.value == pytest.approx(expected[0] - expected[1])
    assert one.low <= one.value <= one.high


def test_every_way_to_give_two_models_is_the_same(table: pd.DataFrame) -> None:
    how: dict[str, Any] = {"metric": "auroc", "method": "percentile", "n_resamples": 99, "rng": 1}
    by_id = table.set_index("id")
    given = [
        over(hw.compare, hw.Predictions.from_arrays)(
            by_id["y"], {name: by_id[name] for name in "AB"}, **how
        ),
        over(hw.compare, hw.Predictions.from_arrays)(
            by_id["y"], {"A": by_id["A"], "B": by_id["B"].iloc[::-1]}, **how
        ),
        over(hw.compare, hw.Predictions.from_table)(table, "y", score={"A": "A", "B": "B"}, **how),
        over(hw.compare, hw.Predictions.from_table)(
            pd.concat([table.assign(model=n, s=table[n]) for n in "AB"])
            .sample(frac=1, random_state=1)
            .sort_values("model", kind="stable"),
            "y",
            score="s",
            **how,
        ),
        over(hw.compare, hw.Predictions.from_table)(
            {n: table.assign(s=table[n]).sample(frac=1, random_state=2) for n in "AB"},
            "y",
            score="s",
            **how,
        ),
    ]
    found = {(one[0].first, one[0].value, one[0].low, one[0].high) for one in given}
    assert len(found) == 1


def test_identical_decisions_have_no_difference(table: pd.DataFrame) -> None:
    models = {"A": table["dA"], "again": table["dA"]}
    (one,) = hw.compare(
        hw.Predictions.from_arrays(table["y"], models),
        metric="accuracy",
        method="percentile",
        rng=1,
    )
    assert (one.value, one.low, one.high) == (0, 0, 0)


def test_a_prediction_missing_for_one_is_left_out_for_all(table: pd.DataFrame) -> None:
    models = {name: table[name].astype(float).copy() for name in "AB"}
    models["B"].iloc[3] = np.nan
    with pytest.raises(hw.DataError, match=r"B: 1 of 80 cases lack a label or a finite score \(ca"):
        hw.compare(hw.Predictions.from_arrays(table["y"], models), metric="auroc")
    # Tables are put in order of their cases, whose names alone tell which one it is.
    tables = {name: table.assign(score=scores)[::-1] for name, scores in models.items()}
    with pytest.raises(hw.DataError, match=rf"^B: 1 of 80 cases .* \(case {IDS[3]}\)"):
        hw.compare(hw.Predictions.from_table(tables, "y", score="score"), metric="auroc")
    (one,) = hw.compare(
        hw.Predictions.from_arrays(table["y"], models, missing="omit"),
        metric="auroc",
        n_resamples=99,
        rng=1,
    )
    kept = table.drop(index=3)
    assert one.first_value == pytest.approx(oracle.roc_auc_score(kept["y"], kept["A"]))
    assert (one.estimate.n, one.estimate.n_missing) == (79, 1)


def test_targets_must_agree(table: pd.DataFrame) -> None:
    other = table.assign(y=table["y"].where(table["id"] != "p07", 1 - table["y"]))
    with pytest.raises(hw.DataError, match=r"disagree about the target of 1 of .*p07"):
        hw.compare(
            hw.Predictions.from_table({"A": table, "B": other}, "y", prediction="dA"), metric="f1"
        )


def test_classes_are_those_of_all_models() -> None:
    truth = ["a", "b", "a", "b", "a", "b"] * 3
    models = {"A": truth, "B": ["a", "c", "a", "b", "a", "b"] * 3}
    for order in (["A", "B"], ["B", "A"]):
        (one,) = hw.compare(
            hw.Predictions.from_arrays(truth, {name: models[name] for name in order}),
            metric="f1",
            average="macro",
            rng=1,
        )
        values = {one.first: one.first_value, one.second: one.second_value}
        expected = oracle.f1_score(truth, models["B"], average=None, labels=["a", "b"])
        # Nothing is said of class c: no case is of it, so its F1 is 0 for B and undefined for A.
        assert values["B"] == pytest.approx(sum(expected) / 3)


def test_one_comparison_for_each_class() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 60)
    models = {n: np.where(rng.random(60) < p, truth, rng.integers(0, 3, 60)) for n, p in BETTER}
    result = hw.compare(
        hw.Predictions.from_arrays(truth, models), metric="sensitivity", average="none", rng=1
    )
    assert [one.estimate.label for one in result] == ["0", "1", "2"]
    assert [one.estimate.n for one in result] == np.bincount(truth).tolist()


BETTER = (("A", 0.8), ("B", 0.4))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": None}, "need a metric of a test set"),
        ({"metric": []}, "metric: name at least one"),
        ({"statistic": "median"}, "has no effect on predictions"),
        ({"metric": "dsc"}, "has a value for each case"),
        ({"margin": 2}, "whole range"),
    ],
)
def test_bad_options(table: pd.DataFrame, change: dict[str, Any], message: str) -> None:
    options: dict[str, Any] = {"metric": "f1", **change}
    with pytest.raises(hw.OptionError, match=message):
        over(hw.compare, hw.Predictions.from_arrays)(
            table["y"], {"A": table["dA"], "B": table["dB"]}, **options
        )


def test_several_metrics_are_compared_as_each_alone(table: pd.DataFrame) -> None:
    models = {"A": table["dA"], "B": table["dB"]}
    both = hw.compare(table["y"], models, metric=["f1", "mcc"], rng=1)
    alone = [hw.compare(table["y"], models, metric=name, rng=1)[0] for name in ("f1", "mcc")]
    assert [one.to_dict() for one in both] == [one.to_dict() for one in alone]


def test_what_needs_true_classes_says_so(table: pd.DataFrame) -> None:
    models = {"A": table["A"], "B": table["B"]}
    with pytest.raises(hw.OptionError, match="give the true classes"):
        hw.compare(models, metric="auroc")
    with pytest.raises(hw.OptionError, match="average='macro' has no effect on values of cases"):
        hw.compare(models, metric="dsc", average="macro")
    with pytest.raises(hw.OptionError, match="needs score="):
        hw.Predictions.from_table(table, "y")


def test_unpaired_models_have_cases_of_their_own(table: pd.DataFrame) -> None:
    first, second = table.iloc[:50], table.iloc[50:]
    tables = {"A": first, "B": second}
    (one,) = hw.compare(
        hw.Predictions.from_table(tables, "y", prediction="dA", pairing="none"), metric="accuracy"
    )
    assert (one.paired, one.estimate.n, one.estimate.method) == (False, 80, "newcombe_unpaired")
    shares = [oracle.accuracy_score(part["y"], part["dA"]) for part in (first, second)]
    assert [one.first_value, one.second_value] == pytest.approx(shares)


def test_a_function_of_ones_own_gets_the_same_of_all(table: pd.DataFrame) -> None:
    def best(truth: Any, scores: Any) -> float:
        return float(np.mean(np.asarray(scores) * truth))

    two = {"A": table["dA"], "B": table["A"]}
    with pytest.raises(hw.DataError, match="the same kind from all"):
        hw.compare(hw.Predictions.from_arrays(table["y"], two), metric=best)
    (one,) = hw.compare(
        hw.Predictions.from_arrays(table["y"], {"A": table["dA"], "B": table["dB"]}),
        metric=best,
        rng=1,
    )
    assert one.value == pytest.approx(((table["dA"] - table["dB"]) * table["y"]).mean())


@pytest.mark.parametrize("metric", ["accuracy", "sensitivity", "ppv", "npv", "f1", "auroc"])
def test_a_model_among_others_has_the_interval_that_it_has_by_itself(
    table: pd.DataFrame, metric: str
) -> None:
    columns = ["A", "B"] if metric == "auroc" else ["dA", "dB"]
    models = {name: table[column] for name, column in zip("AB", columns, strict=True)}
    how: dict[str, Any] = {"metric": metric, "n_resamples": 99, "rng": 1}
    (ranking,) = over(hw.rank, hw.Predictions.from_arrays)(table["y"], models, **how)
    goals = over(hw.compare, hw.Predictions.from_arrays)(table["y"], models, goal=0.5, **how).goals
    for goal, (name, scores) in zip(goals, models.items(), strict=True):
        alone, among = metric_ci(table["y"], scores, **how), ranking[name].estimate
        assert (among.low, among.high, among.n, among.method) == (
            *(alone.low, alone.high, alone.n, alone.method),
        )
        assert (goal.estimate.low, goal.estimate.high) == (alone.low, alone.high)
