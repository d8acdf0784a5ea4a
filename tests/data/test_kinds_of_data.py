"""Kinds of data: what they know of their models, and what is refused where they are made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import halfwidth as hw

RNG = np.random.default_rng(5)
A = RNG.beta(8, 2, 30)
B = np.clip(A - 0.05 + RNG.normal(0, 0.02, 30), 0, 1)
Y = np.arange(60) % 2
S = {name: np.clip(0.3 * Y + 0.7 * RNG.random(60), 0, 1) for name in "AB"}
WIDE = pd.DataFrame({"case": range(1, 31), "unet": A, "vit": B})
LONG = pd.DataFrame({
    "case": [*range(30)] * 2,
    "model": ["A"] * 30 + ["B"] * 30,
    "dice": [*A, *B],
    "hd": [*(1 - A), *(1 - B)],
})  # fmt: skip
AUROC = hw.SAMPLE_METRICS["auroc"]
MADE: Any = hw.CaseValues


def names(estimates: hw.Estimates) -> list[tuple[str, Any]]:
    return [(one.label, one.by.get("model")) for one in estimates]


def test_estimates_are_those_of_each_model_alone() -> None:
    both = hw.estimate(
        hw.CaseValues.from_arrays({"A": A, "B": B}, metric="dsc"), statistic="median"
    )
    assert names(both) == [("A", "A"), ("B", "B")]
    for values, one in zip((A, B), both, strict=True):
        alone = hw.summary_ci(values, metric="dsc", statistic="median")
        assert (one.value, one.low, one.high) == (alone.value, alone.low, alone.high)
    tested = hw.estimate(hw.Predictions.from_arrays(Y, S), metric="auroc", rng=1)
    for name, one in zip("AB", tested, strict=True):
        alone = hw.metric_ci(Y, S[name], metric="auroc", rng=1)
        assert (one.label, one.value, one.low) == (name, alone.value, alone.low)


def test_models_are_told_apart_and_named() -> None:
    columns = hw.CaseValues.from_table(WIDE, {"U": "unet", "V": "vit"}, metric="dsc")
    assert names(hw.estimate(columns)) == [("U", "U"), ("V", "V")]
    tables = hw.CaseValues.from_table([LONG[:30], LONG[30:]], "dice", metric="dsc")
    assert names(hw.estimate(tables)) == [("A", "A"), ("B", "B")]
    rows = pd.DataFrame({"y": [*Y, *Y], "p": [*S["A"], *S["B"]], "model": ["A"] * 60 + ["B"] * 60})
    test = hw.Predictions.from_table(rows, "y", score="p")
    assert names(hw.estimate(test, metric="auroc")) == [("A", "A"), ("B", "B")]


def test_the_only_column_of_a_table_of_a_model_is_called_as_the_model() -> None:
    tables = {"A": LONG[:30], "B": LONG[30:]}
    both = hw.CaseValues.from_table(tables, metric={"dice": "dsc", "hd": "dsc"})
    assert [one.label for one in hw.estimate(both)] == ["A", "A", "B", "B"]
    rows = {name: pd.DataFrame({"y": Y, "p": S[name], "model": "net"}) for name in "AB"}
    test = hw.Predictions.from_table(rows, "y", score="p", by="model")
    assert [one.label for one in hw.estimate(test, metric="auroc")] == ["A / net", "B / net"]
    unnamed = hw.CaseValues.from_table(tables, ["dice", "hd"])
    assert [one.label for one in hw.estimate(unnamed)] == [
        "A / dice",
        "A / hd",
        "B / dice",
        "B / hd",
    ]


def test_rows_without_a_model_are_told_apart_in_every_verb() -> None:
    table = LONG.assign(model=LONG.model.where(LONG.model == "A"))
    data = hw.CaseValues.from_table(table, "dice", metric="dsc")
    assert data.models == ("A", "(missing)")
    assert names(hw.estimate(data)) == [("A", "A"), ("(missing)", None)]
    assert hw.compare(data)[0].second == "(missing)"
    numbered = hw.CaseValues.from_table(LONG.assign(model=[1.0] * 30 + [2.0] * 30), "dice")
    assert numbered.models == ("1", "2")


def test_a_column_of_models_has_no_other_part() -> None:
    with pytest.raises(hw.OptionError, match="'model' cannot be model and groups at once"):
        hw.CaseValues.from_table(LONG, "dice", model="model", groups="model")
    grouped = hw.CaseValues.from_table(LONG, "dice", metric="dsc", groups="model")
    with pytest.raises(hw.OptionError, match="'model' has another part, and no other names"):
        hw.compare(grouped)
    with pytest.raises(hw.OptionError, match="model='model' names the models of one table, and a"):
        hw.CaseValues.from_table({"A": LONG}, "dice", model="model")


def test_models_without_a_case_in_common_are_named_shortly() -> None:
    tables = {f"m{at}": pd.DataFrame({"case": [f"c{at}"], "dice": [0.5]}) for at in range(9)}
    with pytest.raises(hw.DataError, match=r"m2 has 'c2' and 6 more\); write ids alike"):
        hw.compare(hw.CaseValues.from_table(tables, "dice", metric="dsc"))


def test_only_values_of_cases_may_be_counted_as_failures() -> None:
    cases = pd.Index([f"case {place}" for place in range(60)])
    scores = {"A": pd.Series(S["A"][:50], index=cases[:50]), "B": pd.Series(S["B"], index=cases)}
    with pytest.raises(hw.DataError, match="A lacks 10") as caught:
        hw.compare(pd.Series(Y, index=cases), scores, metric="auroc")
    assert str(caught.value).endswith("pairing='common' leaves them out")
    with pytest.raises(hw.DataError, match="an empty value, and missing='worst'"):
        hw.compare(scores, metric="dsc")


def test_ids_of_cases_are_no_models() -> None:
    (one,) = hw.compare(WIDE, metric="dsc")
    assert (one.first, one.second) == ("unet", "vit")
    assert [model.name for model in hw.rank(WIDE, metric="dsc", rng=1)[0].models] == ["unet", "vit"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: hw.summary_ci(A, metric=AUROC),
        lambda: hw.estimate(A, metric=AUROC),
        lambda: hw.rank({"A": A, "B": B}, metric=AUROC),
        lambda: hw.compare({"A": A, "B": B}, metric=hw.metrics.auroc),
    ],
)
def test_a_metric_of_a_test_set_is_none_of_cases(call: Any) -> None:
    with pytest.raises(hw.OptionError, match="'auroc' is a metric of a whole test set"):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: MADE.from_arrays(A, groupz=3),
            r"from_arrays\(\) has no option groupz",
        ),
        (lambda: hw.CaseValues.from_table(WIDE, {1: "unet", "1": "vit"}), "read the same"),
        (lambda: hw.Detections.from_files({1: [], "1": []}, []), "read the same"),
        (lambda: hw.estimate({}), "no models to estimate"),
        (lambda: hw.compare({"A": [], "B": []}, [], metric="ap50"), "Detections.from_files"),
        (
            lambda: hw.estimate(hw.CaseValues.from_arrays(A, missing="worst_rank")),
            "is for rankings",
        ),
        (
            lambda: MADE.from_arrays({"A": A, "B": B}, pairing="some"),
            "pairing='some' is none of complete, common, none",
        ),
        (
            lambda: hw.rank(hw.CaseValues.from_arrays({"A": A, "B": B}, pairing="none")),
            "pairing='none' leaves nothing to rank",
        ),
        (
            lambda: hw.Detections.from_files([], [], pairing="none"),  # type: ignore[call-arg]
            r"from_files\(\) has no option pairing",
        ),
        (
            lambda: hw.estimate(
                hw.CaseValues.from_table(WIDE, metric={"unet": "dsc", "vit": "iou"}, bounds=(0, 1))
            ),
            "the range of one metric",
        ),
    ],
)
def test_slips(call: Any, message: str) -> None:
    with pytest.raises(hw.HalfwidthError, match=message):
        call()


THREE = {"A": A, "B": B, "C": np.clip(B - 0.1, 0, 1)}
SCORES = {**S, "C": 1 - S["B"]}
LONG_OF_THREE = pd.DataFrame(
    {"case": [*range(30)] * 3, "model": [*"A" * 30, *"B" * 30, *"C" * 30], "dice": [*A, *B, *B]}
)


def boxes(there: bool) -> dict[str, Any]:
    return {"boxes": [[0, 0, 9, 9]] * there, "labels": [1] * there, "scores": [0.9] * there}


FOUND = {name: [boxes(i % k > 0) for i in range(30)] for name, k in (("A", 30), ("B", 3), ("C", 2))}
BOXES = [boxes(there=True)] * 30
OF_THREE = [
    (hw.CaseValues.from_arrays(THREE, metric="dsc"), None),
    (hw.CaseValues.from_table(LONG_OF_THREE, "dice", metric="dsc"), None),
    (hw.CaseValues.from_table(pd.DataFrame(THREE), {m: m for m in "ABC"}, metric="dsc"), None),
    (
        hw.CaseValues.from_table(
            {m: LONG_OF_THREE[LONG_OF_THREE.model == m] for m in "ABC"}, "dice", metric="dsc"
        ),
        None,
    ),
    (hw.Predictions.from_arrays(Y, SCORES), "auroc"),
    (
        hw.Predictions.from_table(
            pd.DataFrame({"y": Y, **SCORES}), "y", score={m: m for m in "ABC"}
        ),
        "auroc",
    ),
    (hw.Detections.from_files(FOUND, BOXES), "object_sensitivity"),
]


@pytest.mark.parametrize(("data", "metric"), OF_THREE)
def test_a_gate_is_of_two_models_that_are_named(data: Any, metric: Any) -> None:
    asked = {"metric": metric, "margin": 0.02, "n_resamples": 99}
    gate = hw.gate(data, new="C", against="A", **asked)
    (compared,) = gate.comparisons
    assert (compared.first, compared.second) == ("C", "A")
    pair = hw.compare(data, metric=metric, test="none", correction="none", n_resamples=99, rng=1)
    assert compared.value == pytest.approx(-pair["A", "C"].value)
    assert hw.gate(data.taking(["A", "C"]), against="A", **asked).outcome == gate.outcome
    with pytest.raises(
        hw.OptionError, match=r"3 model\(s\) \(A, B, C\); name two: new='B', against='A'"
    ):
        hw.gate(data, new="C", **asked)
    with pytest.raises(hw.OptionError, match="name two"):
        hw.gate(data, new="C", against="C", **asked)
    with pytest.raises(hw.UnknownNameError, match="unknown model 'D'"):
        hw.gate(data, new="C", against="D", **asked)


def test_cases_that_no_model_has_are_not_dropped() -> None:
    labels = [f"c{place}" for place in range(60)]
    truth = pd.Series(Y, index=labels)
    scores = {name: pd.Series(one, index=labels) for name, one in S.items()}
    fewer = {name: one[5:] for name, one in scores.items()}
    with pytest.raises(hw.DataError, match="5 of 60 cases have a true class and no prediction"):
        hw.Predictions.from_arrays(truth, fewer)
    some = {"A": scores["A"], "B": fewer["B"]}
    with pytest.raises(hw.DataError):
        hw.compare(hw.Predictions.from_arrays(truth, some), metric="auroc")
    common = hw.Predictions.from_arrays(truth, some, pairing="common")
    assert hw.compare(common, metric="auroc", rng=1)[0].estimate.n == 55


def test_a_missing_value_is_named_by_its_place() -> None:
    with pytest.raises(hw.DataError, match=r"A: 1 of 4 values are missing \(case #2\)"):
        hw.compare({"A": [0.1, np.nan, 0.3, 0.5], "B": [0.4, 0.3, 0.2, 0.1]}, metric="dsc")


def test_gates_name_metrics_and_new_models_and_are_reported() -> None:
    values = hw.CaseValues.from_table(LONG, metric={"dice": "dsc", "hd": "hd95"}, model="model")
    said = hw.gate(values, margin={"dsc": 0.01, "hd95": 0.01}).sentence()
    assert said.startswith(("passed: ", "failed: ", "undecided: "))
    assert said.index("mean DSC") < said.index("mean HD95")
    gate = hw.gate({1: A, 2: B}, metric="dsc", margin=0.05, new=2)  # type: ignore[arg-type]
    assert gate.comparisons[0].first == "2"
    assert "mean DSC" in hw.report(gate, figures=False).to_html()


def test_a_statistic_that_takes_no_sample_is_refused() -> None:
    with pytest.raises(
        hw.OptionError, match="statistic 'int' cannot be called with a sample of values"
    ):
        hw.estimate(A, statistic=int)


def test_a_text_too_long_for_a_path_is_none() -> None:
    with pytest.raises(hw.HalfwidthError):
        hw.read_objects([{"boxes": [[0, 0, 2, 2]], "labels": [1]}], groups="x" * 5000)


def test_a_table_that_cannot_be_used_is_named_by_its_model() -> None:
    gap = LONG[["case", "dice"]].head(30).assign(dice=lambda d: d["dice"].where(d.index != 3))
    values = hw.CaseValues.from_table({"A": LONG[["case", "dice"]].head(30), "B": gap}, "dice")
    with pytest.raises(hw.DataError, match=r"^B: column 'dice': 1 of 30 values are missing"):
        hw.estimate(values)


@pytest.mark.parametrize("verb", [hw.estimate, hw.compare, hw.rank])
def test_test_sets_have_no_values_of_cases_to_carry(verb: Any) -> None:
    test = hw.Predictions.from_arrays([0, 1] * 10, {"A": [0.2, 0.7] * 10, "B": [0.3, 0.6] * 10})
    found = verb(test, metric="auroc")
    assert not any(getattr(one, "cases", ()) for one in (found, found[0]))


@pytest.mark.parametrize(
    "call",
    [
        hw.estimate,
        hw.compare,
        hw.check,
        hw.CaseValues.from_runs,
        hw.CaseValues.from_table,
        hw.CaseValues.from_arrays,
        lambda frame: hw.Predictions.from_table(frame, "unet", score="vit"),
        lambda frame: hw.compare({"A": frame, "B": frame}),
    ],
)
def test_a_lazy_frame_is_to_be_collected(call: Any) -> None:
    with pytest.raises(hw.DataError, match=r"LazyFrame has no rows .*: give frame\.collect\(\)"):
        call(pl.from_pandas(WIDE).lazy())


@pytest.mark.parametrize("metric", ["brier_skill", "oe_ratio"])
def test_methods_that_are_proposed_are_taken(metric: str) -> None:
    test = hw.Predictions.from_arrays(Y, S["A"])
    with pytest.raises(hw.OptionError, match="; use auto, percentile") as refused:
        hw.estimate(test, metric=metric, method="delong")
    for method in str(refused.value).partition("; use ")[2].split(", "):
        (one,) = hw.estimate(test, metric=metric, method=method, n_resamples=99, rng=1)
        assert one.low < one.value < one.high


def test_doubts_about_one_of_two_models_say_of_which() -> None:
    (one,) = hw.compare(Y, S, metric="ece", n_resamples=99, rng=1)
    told = [caution.message for caution in one.cautions if caution.code == "HW508"]
    assert [text[:10] for text in told] == ["A: The ECE", "B: The ECE"]
    (same,) = hw.compare(Y, {"A": S["A"], "B": S["A"]}, metric="ece", n_resamples=99, rng=1)
    assert [c.message[:7] for c in same.cautions if c.code == "HW508"] == ["The ECE"]


def test_levels_have_no_other_part() -> None:
    table = pd.DataFrame({"y": Y, "p": S["A"], "m": [*"AB"] * 30})
    for part in ("groups", "strata", "sample_weight"):
        with pytest.raises(hw.OptionError, match=f"'m'.* cannot be by and {part} at once"):
            hw.Predictions.from_table(table, "y", score="p", by="m", **{part: "m"})  # type: ignore[arg-type]


def test_models_of_one_case_are_told_apart() -> None:
    table = {"case": ["a", "a"], "model": ["A", "B"], "dice": [0.9, 0.8]}
    values = hw.CaseValues.from_table(table, "dice")
    assert values.models == ("A", "B")
    assert [(e.label, e.n) for e in hw.estimate(values)] == [("A", 1), ("B", 1)]
    # Without cases it names the rows.
    assert hw.CaseValues.from_table({"model": ["A", "B"], "dice": [0.9, 0.8]}, "dice").models == ()


def test_models_of_data_without_any_are_not_known() -> None:
    for data in (hw.CaseValues.from_arrays(A), hw.CaseValues.from_runs([0.8, 0.9, 0.7])):
        with pytest.raises(hw.OptionError, match="nothing names models in these data, and 'A' is"):
            data.taking(["A"])
