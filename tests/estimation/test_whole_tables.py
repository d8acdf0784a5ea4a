"""Whole tables: every row is what its values give alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over
from support import quickly

import halfwidth as hw
from halfwidth.tables.readers import read_table

STATISTICS = ["mean", "median", "trimmed_mean:0.1", "sd", "iqr", "quantile:0.9"]


def long_table(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(8)
    return pd.DataFrame(
        {
            "case": np.tile([f"c{i}" for i in range(n)], 4),
            "model": np.repeat(["U-Net", "ViT"], 2 * n),
            "task": np.tile(np.repeat(["liver", "spleen"], n), 2),
            "dice": rng.beta(12, 2, 4 * n).round(3),
        }
    )


def numbers(e: hw.Estimate) -> tuple[float, ...]:
    return (e.value, e.low, e.high, e.standard_error)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("method", ["auto", "percentile", "bca"])
@pytest.mark.parametrize("n", [12, 60])
def test_a_row_equals_the_estimate_of_its_values_alone(method: str, n: int) -> None:
    frame = long_table(n)
    settings: dict[str, Any] = {
        "metric": "dsc", "method": method, "rng": 11, "n_resamples": 499
    }  # fmt: skip
    table = over(hw.estimate, hw.CaseValues.from_table)(
        frame, "dice", by=["model", "task"], statistic=STATISTICS, **settings
    )
    assert len(table) == 24
    groups = frame.groupby(["model", "task"], sort=False)["dice"]
    expected = [
        quickly(hw.summary_ci, values, statistic=statistic, **settings)
        for _, values in groups
        for statistic in STATISTICS
    ]
    for row, alone in zip(table, expected, strict=True):
        np.testing.assert_allclose(numbers(row), numbers(alone), rtol=1e-9)
        assert (row.method, row.n, row.seed) == (alone.method, alone.n, alone.seed)
        assert row.cautions == alone.cautions


def test_groups_of_different_size_are_estimated_each_on_its_own() -> None:
    frame = long_table().iloc[:200]
    table = hw.estimate(
        hw.CaseValues.from_table(frame, "dice", by=["model", "task"]), method="bca", rng=3
    )
    assert [e.n for e in table] == [60, 60, 60, 20]
    alone = hw.summary_ci(frame["dice"][180:], method="bca", rng=3)
    np.testing.assert_allclose(numbers(table[3]), numbers(alone), rtol=1e-9)


@pytest.mark.parametrize("method", ["auto", "bca", "percentile"])
def test_the_order_of_rows_and_columns_does_not_matter(method: str) -> None:
    frame = long_table()
    shuffled = frame.sample(frac=1, random_state=3)[["dice", "task", "case", "model"]]
    settings: dict[str, Any] = {"by": ["model", "task"], "method": method, "rng": 5}
    one = {
        e.label: numbers(e)
        for e in over(hw.estimate, hw.CaseValues.from_table)(frame, "dice", **settings)
    }
    other = {
        e.label: numbers(e)
        for e in over(hw.estimate, hw.CaseValues.from_table)(shuffled, "dice", **settings)
    }
    assert one.keys() == other.keys()
    for label, expected in one.items():
        np.testing.assert_allclose(other[label], expected, rtol=1e-12)


def test_the_same_seed_gives_the_same_table_and_all_rows_report_it() -> None:
    first, second = (
        hw.estimate(
            hw.CaseValues.from_table(long_table(), "dice", by="model"),
            method="bca",
            rng=9,
            n_resamples=999,
        )
        for _ in range(2)
    )
    assert first.to_json() == second.to_json()
    assert {e.seed for e in first} == {9}


def test_fresh_entropy_is_shared_by_the_rows_and_reproduces_them() -> None:
    first = hw.estimate(
        hw.CaseValues.from_table(long_table(), "dice", by="model"), method="bca", n_resamples=99
    )
    (seed,) = {e.seed for e in first}
    again = hw.estimate(
        hw.CaseValues.from_table(long_table(), "dice", by="model"),
        method="bca",
        n_resamples=99,
        rng=seed,
    )
    assert first.to_json() == again.to_json()


def test_wide_and_long_give_the_same_estimates() -> None:
    long = long_table()
    one = long[long["model"] == "U-Net"].drop(columns="model")
    wide = one.pivot_table(index="case", columns="task", values="dice")
    rows = hw.estimate(hw.CaseValues.from_table(wide, metric="dsc"), method="bca", rng=2)
    again = hw.estimate(
        hw.CaseValues.from_table(one, "dice", by="task", metric="dsc"),
        method="bca",
        rng=2,
    )
    assert [e.label for e in rows] == [e.label for e in again] == ["liver", "spleen"]
    for row, other in zip(rows, again, strict=True):
        np.testing.assert_allclose(numbers(row), numbers(other), rtol=1e-12)


def test_several_statistics_keep_their_order_within_a_group() -> None:
    table = hw.estimate(
        hw.CaseValues.from_table(long_table(), "dice", by="model"), statistic=["sd", "mean"], rng=1
    )
    assert [(e.label, e.statistic) for e in table] == [
        ("U-Net", "sd"), ("U-Net", "mean"), ("ViT", "sd"), ("ViT", "mean")
    ]  # fmt: skip


def test_functions_and_names_may_be_mixed() -> None:
    table = hw.estimate(
        hw.CaseValues.from_table(long_table(), "dice"), statistic=["mean", np.max], n_resamples=99
    )
    assert [e.statistic for e in table] == ["mean", "max"] * 4


def test_no_statistic_at_all_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="statistic: name at least one"):
        hw.estimate(hw.CaseValues.from_table(long_table(), "dice"), statistic=[])


def test_missing_values_name_the_column_the_group_and_the_case() -> None:
    frame = long_table()
    frame.loc[65, "dice"] = np.nan
    with pytest.raises(
        hw.DataError,
        match=r"^column 'dice', U-Net / spleen: 1 of 60 values are missing \(case c5\)",
    ):
        hw.estimate(hw.CaseValues.from_table(frame, "dice", by=["model", "task"]))


def test_missing_values_are_counted_for_each_group() -> None:
    frame = long_table()
    frame.loc[[65, 66, 180], "dice"] = np.nan
    table = hw.estimate(
        hw.CaseValues.from_table(frame, "dice", by=["model", "task"], metric="dsc", missing="omit"),
        rng=1,
    )
    assert [(e.n, e.n_missing) for e in table] == [(60, 0), (58, 2), (60, 0), (59, 1)]


def test_a_group_without_any_value_is_reported_as_undefined() -> None:
    frame = pd.DataFrame({"case": list("abcd"), "liver": [0.9, 0.8, 0.7, 0.6], "aorta": np.nan})
    liver, aorta = hw.estimate(hw.CaseValues.from_table(frame, metric="dsc", missing="omit"), rng=1)
    assert (liver.n, aorta.n, aorta.n_missing) == (4, 0, 4)
    assert np.isnan([aorta.value, aorta.low, aorta.high]).all()
    assert "HW306" in [caution.code for caution in aorta.cautions]


def test_a_table_without_any_value_is_an_error() -> None:
    frame = pd.DataFrame({"case": list("ab"), "liver": np.nan})
    with pytest.raises(hw.DataError, match="no values left"):
        hw.estimate(hw.CaseValues.from_table(frame, metric="dsc", missing="omit"))


def test_text_in_a_value_column_names_the_column_and_the_case() -> None:
    frame = {"case": list("abc"), "dice": ["0.9", "oops", "0.8"]}
    with pytest.raises(hw.DataError, match=r"^column 'dice': case b holds 'oops', which is not"):
        hw.estimate(hw.CaseValues.from_table(frame, "dice"))


def test_one_group_in_per_cent_gets_the_hint_with_its_name() -> None:
    frame = long_table()
    frame.loc[frame["model"] == "ViT", "dice"] *= 100
    with pytest.raises(hw.DataError, match=r"^column 'dice', ViT: 120 of 120 .*scale=100"):
        hw.estimate(hw.CaseValues.from_table(frame, "dice", by="model", metric="dsc"))


def test_a_table_of_three_hundred_columns() -> None:
    values = np.random.default_rng(1).beta(8, 1, (60, 300))
    frame = pd.DataFrame(values, columns=[f"structure {i}" for i in range(300)])
    table = hw.estimate(
        hw.CaseValues.from_table(frame, metric="dsc"), statistic=["mean", "median"], rng=1
    )
    assert len(table) == 600
    assert {e.method for e in table} == {"dirichlet_pareto", "exact"}


# --------------------------------------------------------------------------- published numbers


def test_published_mean_and_standard_error_of_the_hippocampus(shared: Path) -> None:
    table = read_table(shared / "data/segval/hippocampus_3d_dsc.csv")
    (e,) = hw.estimate(
        hw.CaseValues.from_table(table, "metric", metric="dsc", scale=100), method="z"
    )
    assert round(e.value, 5) == 0.89714
    assert round(e.standard_error, 5) == 0.00267
    assert round(e.halfwidth, 4) == 0.0052


def test_organs_that_are_not_in_the_scan_are_missing(shared: Path) -> None:
    path = shared / "data/touchstone/nnU-Net_U-Net_dsc.csv"
    table = hw.estimate(
        hw.CaseValues.from_table(read_table(path), metric="dsc", missing="omit"), method="t"
    )
    frame = pd.read_csv(path).drop(columns="name")
    assert [e.label for e in table] == list(frame.columns)
    assert [e.n + e.n_missing for e in table] == [743] * 9
    assert [e.n for e in table] == list(frame.count())
    np.testing.assert_allclose([e.value for e in table], frame.mean(), rtol=1e-12)


DICE = np.random.default_rng(0).beta(8, 2, 60)


CANONICAL = {
    "case": ["a", "b", "c"] * 2,
    "metric": ["dsc"] * 3 + ["hd95"] * 3,
    "value": [91.0, 88.0, 93.0, 2.0, 3.0, 4.0],
}


@pytest.mark.parametrize("option", [{"scale": 100}, {"bounds": (0, 1000)}])
def test_one_scale_or_range_for_several_metrics_is_refused(option: dict[str, object]) -> None:
    with pytest.raises(hw.OptionError, match="dsc, hd95"):
        over(hw.estimate, hw.CaseValues.from_table)(CANONICAL, **option)


def test_a_scale_for_the_metric_that_is_named_is_used() -> None:
    (e,) = hw.estimate(hw.CaseValues.from_table(CANONICAL, metric="dsc", scale=100))
    assert e.value == pytest.approx(0.9066666)


def test_a_column_called_as_a_metric_that_no_one_named_is_said() -> None:
    table = {"case": [*"abc"], "Dice": [0.9, 0.8, 0.7], "correct": [1, 0, 1], "age": [50, 60, 70]}
    (note,) = hw.estimate(hw.CaseValues.from_table(table)).notes
    assert note.startswith("column 'Dice' holds numbers without a known range; if they are DSC")
    assert hw.estimate(hw.CaseValues.from_table(table, "Dice", bounds=(0, 1))).notes == ()
    assert hw.estimate(hw.CaseValues.from_table(table, "Dice", metric="dsc")).notes == ()


def test_a_frame_keeps_every_digit_of_the_seed() -> None:
    seed = 2**60 + 1
    table = hw.estimate(
        hw.CaseValues.from_table({"dice": DICE}), statistic=["sd", "median"], rng=seed
    )
    assert table.to_frame()["seed"].tolist() == [seed, None]


def test_what_was_left_out_is_shown_and_counted() -> None:
    frame = {**CANONICAL, "status": ["", "not applicable", "", "", "", ""]}
    table = hw.estimate(hw.CaseValues.from_table(frame, metric="hd95"))
    assert table[0].n_not_applicable == 0
    frame["value"] = [0.91, 0.88, 0.93, 2.0, 3.0, 4.0]
    table = hw.estimate(hw.CaseValues.from_table(frame))
    assert [e.n_not_applicable for e in table] == [1, 0]
    assert [e.to_dict()["n_not_applicable"] for e in table] == [1, 0]
    assert "left out: 1 row that is" in repr(table)
    assert "left out: 1 row that is" in table._repr_html_()


def test_a_column_of_hits_counts_in_every_group_also_with_gaps() -> None:
    frame = {"model": ["U"] * 4 + ["V"] * 4, "hit": [1, 1, 1, None, 0, 1, 1, 0]}
    table = hw.estimate(hw.CaseValues.from_table(frame, "hit", by="model", missing="omit"))
    assert [(e.method, e.n) for e in table] == [("wilson", 3), ("wilson", 4)]


def test_a_column_is_named_by_a_text() -> None:
    frame = {"case": list("abcd"), "dice": [0.9, 0.8, 0.7, 0.6]}
    for wrong in (["case"], np.arange(4)):
        with pytest.raises(hw.OptionError, match="give the name of a column"):
            hw.estimate(hw.CaseValues.from_table(frame, "dice", groups=wrong))  # type: ignore[arg-type]


def test_a_case_without_id_is_found_by_its_row() -> None:
    frame = {"case": ["a", None, "c"], "dice": [0.9, 0.8, 0.7]}
    with pytest.raises(hw.DataError, match=r"lack a label in groups \(case in row 3\)"):
        hw.estimate(hw.CaseValues.from_table(frame, "dice", groups="case"))
