"""Faults that a reader of the first version found; each came back with a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from over_data import over
from support import Run, codes

import halfwidth as hw
from halfwidth.tables.readers import read_table

DICE = np.random.default_rng(0).beta(8, 2, 60)


def test_a_voxel_distance_that_repeats_is_no_penalty(shared: Path, run: Run) -> None:
    file = shared / "data" / "segval" / "hippocampus_3d_hd95.csv"
    ran = run("ci", file, "--value", "metric", "--metric", "hd95", "--seed", "1", "--json")
    assert "HW103" not in [caution["code"] for caution in ran.estimates[0]["cautions"]]


@pytest.mark.parametrize(
    "distances",
    [
        [0.0, 0.98, 0.98, 0.98, 0.98, 2.5, 2.5, 2.5],
        [1.0] * 16 + [1.41] * 6 + [2.0] * 5 + [3.2] * 3,
    ],
)
def test_steps_of_voxels_in_few_cases_are_no_penalty(distances: list[float]) -> None:
    assert "HW103" not in codes(hw.summary_ci(distances, metric="hd95", rng=1))
    failed = [*distances[:-3], *[150.0] * 3]
    assert "HW103" in codes(hw.summary_ci(failed, metric="hd95", rng=1))


def test_a_constant_put_in_for_failed_distances_is_seen() -> None:
    distances = np.concatenate([np.random.default_rng(1).gamma(2, 2, 50), [374.0] * 3])
    assert "HW103" in codes(hw.summary_ci(distances, metric="hd95", rng=1))


def test_a_penalty_beside_long_distances_alone_is_found() -> None:
    distances = [20.0, 24.1, 28.3, 31.0, 33.6, 37.2, 41.5, 150.0, 150.0, 150.0]
    assert "HW103" in codes(hw.summary_ci(distances, metric="hd95", rng=1))


def test_zeros_of_an_overlap_metric_are_seen_wherever_the_others_lie() -> None:
    wide = np.concatenate([np.random.default_rng(1).beta(1, 1, 50), [0.0] * 3])
    assert "HW103" in codes(hw.summary_ci(wide, metric="dsc", rng=1))
    assert "HW103" not in codes(hw.summary_ci(wide.round(2) + 0.05, bounds=(0, 2), rng=1))


def test_a_file_without_a_header_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "values.csv"
    file.write_text("0.9\n0.8\n0.7\n")
    with pytest.raises(hw.DataError, match="has no header"):
        read_table(file)


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
    assert note.startswith("column 'Dice' is taken for numbers without a range; if they are DSC")
    assert hw.estimate(hw.CaseValues.from_table(table, "Dice", bounds=(0, 1))).notes == ()
    assert hw.estimate(hw.CaseValues.from_table(table, "Dice", metric="dsc")).notes == ()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: hw.summary_ci(["0.91", "0.88"]), "not a number but text; convert the values"),
        (
            lambda: hw.summary_ci(pd.DataFrame({"dice": [0.9]})),
            "give the table to CaseValues.from_table",
        ),
        (
            lambda: hw.estimate(hw.CaseValues.from_table("dice.csv")),
            "read the file first: pandas.read_csv",
        ),
        (lambda: hw.summary_ci([0.9, 0.8], metric="auroc"), "metric_ci (y_true=, y_score=)"),
    ],
)
def test_first_slips_are_told_what_to_do(call: Callable[[], object], words: str) -> None:
    with pytest.raises(hw.HalfwidthError) as error:
        call()
    assert words in str(error.value)


def test_several_metrics_of_one_column_are_refused(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "t.csv"
    file.write_text("case,dice\na,0.9\nb,0.8\n")
    ran = run("ci", file, "--metric", "dsc", "--metric", "iou")
    assert (ran.status, ran.out) == (2, "")
    assert "no column is called 'dsc': say which holds this metric, --metric COLUMN=NAME" in ran.err


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


@pytest.mark.parametrize(("function", "name"), [(np.mean, "mean"), (np.median, "median")])
def test_numpys_own_functions_are_ours(function: object, name: str) -> None:
    by_function = hw.summary_ci(DICE, metric="dsc", statistic=function, rng=1)
    by_name = hw.summary_ci(DICE, metric="dsc", statistic=name, rng=1)
    assert by_function.to_dict() == by_name.to_dict()


def test_a_pair_of_equal_values_has_an_interval_too() -> None:
    e = hw.summary_ci([0.5, 0.5], metric="dsc")
    assert e.method == "dirichlet"
    assert e.low < 0.5 < e.high


def test_bca_of_a_proportion_of_none_names_wilson() -> None:
    e = hw.proportion_ci(0, 50, method="bca")
    assert any("wilson is defined" in caution.message for caution in e.cautions)


def test_a_large_batch_is_sorted_block_by_block() -> None:
    import tracemalloc

    from halfwidth.core.spec import Statistic
    from halfwidth.core.types import Level
    from halfwidth.intervals.compute import intervals
    from halfwidth.resampling.draws import Plan

    batch = np.random.default_rng(0).beta(8, 2, (1500, 5000))  # 60 MB
    tracemalloc.start()
    intervals(batch, Statistic(hw.STATISTICS["mean"]), [hw.METHODS["t"]], Level(), plan=Plan(1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Per block of 25 MB: the sorted values and two temporaries of the method.
    assert peak < 110e6


def test_a_column_of_hits_counts_in_every_group_also_with_gaps() -> None:
    frame = {"model": ["U"] * 4 + ["V"] * 4, "hit": [1, 1, 1, None, 0, 1, 1, 0]}
    table = hw.estimate(hw.CaseValues.from_table(frame, "hit", by="model", missing="omit"))
    assert [(e.method, e.n) for e in table] == [("wilson", 3), ("wilson", 4)]
