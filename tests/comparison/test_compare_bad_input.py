"""Comparisons that cannot be made, or not without a word of caution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over

import halfwidth as hw


def values(n: int = 30, shift: float = 0.0, prefix: str = "s") -> pd.Series:
    rng = np.random.default_rng(n)
    return pd.Series(rng.beta(8, 2, n) * (1 - shift), index=[f"{prefix}{i}" for i in range(n)])


def frame(metric: str = "dsc", shift: float = 0.0, **columns: Any) -> pd.DataFrame:
    given = values(shift=shift)
    return pd.DataFrame({"case": given.index, "metric": metric, "value": given, **columns})


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({}, "no models"),
        ({"A": values()}, r"one model \('A'\), and nothing to compare it with"),
        ({"A": values(), "B": values(prefix="t")}, "A and B share no case .*'s0'.*'t0'"),
        ({"A": [1.0], "B": "x"}, "model .B.: expected one value per case"),
        ({"A": values(), "B": values().iloc[:1]}, r"29 of 30 cases .*B lacks 29"),
        ({"A": [0.1, 0.2], "B": [0.1, 0.2, 0.3]}, r"\(A 2, B 3\), and nothing says which"),
        ({"A": values(), "B": [0.5] * 3}, "label all of them by case"),
        ({"A": values(), "B": pd.concat([values(), values()])}, "'B' has 30 of its cases more"),
        ({"A": [0.1, 20], "B": [0.1, 0.2]}, r"A: 1 of 2 values lie outside the range \[0, 1\]"),
        ({1: values(), "1": values()}, "names that read the same"),
    ],
)
def test_models_that_cannot_be_compared(models: dict[Any, Any], message: str) -> None:
    with pytest.raises(hw.DataError, match=message):
        hw.compare(models, metric="dsc")


def test_one_shared_case_says_nothing_of_others() -> None:
    models = {"A": values(3), "B": values(3).iloc[:1]}
    with pytest.raises(hw.DataError, match=r"share one case \(s0\)"):
        hw.compare(hw.CaseValues.from_arrays(models, pairing="common"))


def test_numbers_and_texts_are_different_ids() -> None:
    first = pd.Series([0.5, 0.6], index=[7, 8])
    second = pd.Series([0.5, 0.6], index=["7", "8"])
    with pytest.raises(hw.DataError, match="A has 7, B has '7'"):
        hw.compare({"A": first, "B": second}, metric="dsc")


def test_columns_of_a_frame_are_there_once() -> None:
    twice = pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], columns=["A", "A"])
    with pytest.raises(hw.DataError, match="'A' appear more than once"):
        hw.compare(twice, metric="dsc")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (frame("nsd:tolerance=1"), "A has DSC and B has NSD.*different metrics cannot"),
        (frame("hd95"), "one is better when larger, the other when smaller"),
    ],
)
def test_different_metrics_cannot_be_compared(other: pd.DataFrame, message: str) -> None:
    with pytest.raises(hw.DataError, match=message):
        hw.compare(hw.CaseValues.from_table({"A": frame(), "B": other}))


def test_a_model_is_in_one_table() -> None:
    tables = [frame(model="A"), frame(model="A")]
    with pytest.raises(hw.DataError, match="'A' are in more than one table"):
        hw.compare(hw.CaseValues.from_table(tables))


def test_a_level_that_a_model_lacks() -> None:
    table = pd.concat(
        [
            frame(model="A", label="liver"),
            frame(model="B", label="liver"),
            frame(model="A", label="x"),
        ]
    )
    with pytest.raises(hw.DataError, match="x: no rows of DSC for B"):
        hw.compare(hw.CaseValues.from_table(table))
    result = hw.compare(hw.CaseValues.from_table(table, pairing="common"))
    assert len(result) == 1
    assert result.notes == ("x: no rows of B",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "modell"}, "did you mean 'model'"),
        ({"by": "organ"}, "unknown column 'organ'"),
        ({"case": "patient"}, "unknown column 'patient'"),
        ({"by": 3}, "neither a name of a column"),
        ({"groups": ["a"]}, "give the name of a column"),
        ({"value": {"A": ["value"]}}, "give the name of a column"),
        ({"model": ["model"]}, "give the name of a column"),
    ],
)
def test_columns_that_are_not_there(options: dict[str, Any], message: str) -> None:
    table = pd.concat([frame(model="A"), frame(model="B")])
    with pytest.raises(hw.OptionError, match=message):
        over(hw.compare, hw.CaseValues.from_table)(table, **options)


def test_models_are_named_once() -> None:
    with pytest.raises(hw.OptionError, match="names the models, and so does"):
        hw.compare(
            hw.CaseValues.from_table({"A": frame(), "B": frame()}, {"A": "value", "B": "value"})
        )


def test_rows_need_a_case() -> None:
    table = pd.DataFrame({"model": ["A", "A", "B", "B"], "dice": [0.1, 0.2, 0.3, 0.4]})
    with pytest.raises(hw.OptionError, match=r"rows are of the same case.*case="):
        hw.compare(hw.CaseValues.from_table(table, metric="dsc"))
    apart = hw.CaseValues.from_table(table, metric="dsc", pairing="none")
    assert hw.compare(apart)[0].estimate.n == 4


def codes(result: Any) -> set[str]:
    return {caution.code for caution in result.cautions}


def test_what_calls_for_caution() -> None:
    given = {"A": values(), "B": values(shift=0.1)}
    assert not {code for code in codes(hw.compare(given, metric="dsc")) if code < "HW807"} & {
        f"HW80{digit}" for digit in range(1, 7)
    }
    same = {"A": values(), "B": values()}
    assert "HW801" in codes(hw.compare(same, metric="dsc"))
    fewer = {"A": values(), "B": values(shift=0.1).iloc[2:]}
    compared = over(hw.compare, hw.CaseValues.from_arrays)
    assert "HW802" in codes(compared(fewer, metric="dsc", pairing="common"))
    assert "HW803" in codes(compared(given, metric="dsc", pairing="none"))
    three = given | {"C": values(shift=0.2)}
    assert "HW805" in codes(hw.compare(three, metric="dsc", correction="none", test="none"))
    assert "HW805" not in codes(hw.compare(three, metric="dsc", test="none"))
    gaps = given | {"B": values(shift=0.1).where(np.arange(30) > 2)}
    assert "HW806" in codes(
        hw.compare(hw.CaseValues.from_arrays(gaps, metric="dsc", missing="omit"))
    )


def test_prevalences_of_unpaired_test_sets() -> None:
    rng = np.random.default_rng(1)
    tables = {
        name: pd.DataFrame({"y": (rng.random(60) < share).astype(int)}).assign(p=lambda d: d.y)
        for name, share in (("A", 0.2), ("B", 0.6))
    }
    options: dict[str, Any] = {"target": "y", "prediction": "p", "pairing": "none", "test": "none"}
    assert "HW804" in codes(
        over(hw.compare, hw.Predictions.from_table)(tables, metric="f1", rng=1, **options)
    )
    assert "HW804" not in codes(
        over(hw.compare, hw.Predictions.from_table)(tables, metric="sensitivity", **options)
    )


@pytest.mark.parametrize("name", ["groups", "strata", "sample_weight"])
def test_columns_of_cases_are_as_long_as_models(name: str) -> None:
    models = {"A": [0, 1, 1, 0], "B": [0, 1, 0, 0]}
    with pytest.raises(hw.DataError, match=r"there are 2 (labels of|sample)"):
        over(hw.compare, hw.Predictions.from_arrays)(
            [0, 1, 1, 0], models, metric="f1", **{name: [1, 2]}
        )


def test_two_samples_and_what_names_no_models() -> None:
    """Two arrays are models A and B; one has nothing to be compared with."""
    for function in (hw.compare, hw.rank):
        found = function([0.1, 0.2, 0.4], [0.2, 0.3, 0.5], metric="dsc", rng=1)
        assert (
            found.to_dict()
            == function({"A": [0.1, 0.2, 0.4], "B": [0.2, 0.3, 0.5]}, metric="dsc", rng=1).to_dict()
        )
        with pytest.raises(hw.DataError, match="of each model by its name"):
            function([0.1, 0.2], metric="dsc")
        with pytest.raises(hw.OptionError, match="CaseValues hold all models already, but"):
            function(hw.CaseValues.from_arrays({"A": [0.1, 0.2]}), [0.1, 0.2])
    with pytest.raises(hw.OptionError, match=r"^ratings=\[\[1, 0\]\] is neither"):
        hw.Readings.from_arrays([[1, 0]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hw.CaseValues([0.1, 0.2]), r"made by CaseValues\.from_arrays\(values\)"),
        (lambda: hw.Predictions(), r"made by Predictions\.from_arrays\(y_true, y_score\)"),  # noqa: PLW0108
        (
            lambda: hw.compare({"A": [0.1, 0.9], "B": [0.2, 0.8]}, [0, 1], metric="auroc"),
            "come second, after the true classes",
        ),
        (
            lambda: hw.compare(pd.DataFrame({"dice": [0.1]}), "dice"),
            r"CaseValues\.from_table\(table, 'dice'\)",
        ),
        (
            lambda: hw.Predictions.from_table({"y": [0, 1], "p": [0.1, 0.9]}, "z", score="p"),
            "unknown column 'z'",
        ),
        (
            lambda: hw.compare(hw.CaseValues.from_arrays({"A": [1]}, metric="dsc"), metric="nsd"),
            "metric='nsd' has no effect",
        ),
        (
            lambda: hw.estimate(hw.Predictions.from_arrays([0, 1], [0.1, 0.9]), statistic="sd"),
            "statistic='sd' has no effect on predictions",
        ),
        (lambda: hw.gate({"A": [0.1]}, margin=0.1), r"the data have 1 model\(s\) \(A\); name"),
        (lambda: hw.gate([0.1, 0.2], [0.1, 0.3], margin=0.1, new="C"), "unknown model 'C'"),
    ],
)
def test_slips_with_data_say_what_to_do(call: Any, message: str) -> None:
    with pytest.raises(hw.OptionError, match=message):
        call()


def test_data_show_their_models() -> None:
    assert str(hw.CaseValues.from_arrays([0.1, 0.2])) == "CaseValues(one model)"
    assert str(hw.Predictions.from_arrays([0, 1], {"A": [0.1, 0.9]})) == "Predictions(A)"
    assert hw.Detections.from_files({"A": [], "B": []}, []).models == ("A", "B")
