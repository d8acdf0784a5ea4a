"""Which columns are values, groups and cases: wide, long and canonical tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over

import halfwidth as hw

DICE = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.81, 0.77, 0.95]
CASES = [f"c{i}" for i in range(12)]


def canonical(**columns: Any) -> dict[str, Any]:
    return {"case": CASES, "metric": ["dsc"] * 12, "value": DICE} | columns


def labels(frame: Any, *arguments: Any, **options: Any) -> list[str]:
    return [
        e.label for e in over(hw.estimate, hw.CaseValues.from_table)(frame, *arguments, **options)
    ]


def codes(frame: Any, *arguments: Any, **options: Any) -> set[str]:
    table = over(hw.estimate, hw.CaseValues.from_table)(frame, *arguments, **options)
    return {caution.code for caution in table.cautions}


# --------------------------------------------------------------------------- wide and long


def test_a_wide_table_gives_a_row_per_numeric_column() -> None:
    frame = {"case": CASES, "liver": DICE, "spleen": DICE[::-1]}
    assert labels(frame) == ["liver", "spleen"]


def test_columns_that_are_no_values_are_left_out_and_noted() -> None:
    frame = {"": range(12), "case": CASES, "site": ["x"] * 12, "fold": [0] * 12, "liver": DICE}
    table = hw.estimate(hw.CaseValues.from_table(frame))
    assert [e.label for e in table] == ["liver"]
    (note,) = table.notes
    assert note == "left out: the column without a name (index), 'site' (text), 'fold' (design)"


def test_a_long_table_gives_a_row_per_combination_in_order_of_appearance() -> None:
    frame = {
        "case": CASES,
        "model": ["V"] * 6 + ["U"] * 6,
        "task": ["liver", "aorta", "spleen"] * 4,
        "dice": DICE,
    }
    table = hw.estimate(hw.CaseValues.from_table(frame, "dice", by=["model", "task"]))
    assert [e.label for e in table] == [
        *("V / liver", "V / aorta", "V / spleen"),
        *("U / liver", "U / aorta", "U / spleen"),
    ]
    assert dict(table[1].by) == {"model": "V", "task": "aorta"}
    assert [e.n for e in table] == [2] * 6


@pytest.mark.parametrize("model", ["model", "algorithm", "alg_name"])
def test_the_table_of_a_challenge_gives_a_row_per_algorithm_and_task(model: str) -> None:
    frame = {
        model: ["a"] * 6 + ["b"] * 6,
        "task": ["t1", "t1", "t1", "t2", "t2", "t2"] * 2,
        "case": [1, 2, 3] * 4,
        "value": DICE,
    }
    table = hw.estimate(hw.CaseValues.from_table(frame, metric="dsc"))
    assert [e.label for e in table] == ["a / t1", "a / t2", "b / t1", "b / t2"]
    assert table[0].value == pytest.approx((0.91 + 0.88 + 0.93) / 3)
    assert [
        e.label for e in hw.estimate(hw.CaseValues.from_table(frame, by="task", metric="dsc"))
    ] == ["a / t1", "a / t2", "b / t1", "b / t2"]
    described = frame | {"age": [40] * 12}
    assert labels(described, metric="dsc") == ["a / t1", "a / t2", "b / t1", "b / t2"]
    # As models are compared.
    compared = hw.compare(hw.CaseValues.from_table(described, metric="dsc"))
    assert [one.label for one in compared] == ["t1", "t2"]


def test_right_or_wrong_of_a_metric_of_its_own_is_a_proportion() -> None:
    frame = canonical(metric=["acc"] * 6 + ["bleu"] * 6, value=[0, 1, 1, 0, 1, 1, *DICE[6:]])
    right, other = hw.estimate(hw.CaseValues.from_table(frame))
    assert (right.metric, right.method) == ("acc", "wilson")
    assert right.value == pytest.approx(4 / 6)
    # Wilson (1927): (p + z^2 / 2n ± z sqrt(p(1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).
    assert (right.low, right.high) == pytest.approx((0.29999, 0.90323), abs=1e-5)
    assert (other.metric, other.method) != ("bleu", "wilson")
    (named,) = hw.estimate(hw.CaseValues.from_table(frame, metric="acc"))
    assert (named.low, named.high) == (right.low, right.high)
    (bounded,) = hw.estimate(hw.CaseValues.from_table(frame, metric="acc", bounds=(0, 2)))
    assert bounded.method != "wilson"


def test_values_of_a_group_are_those_of_its_rows() -> None:
    frame = {"model": ["U", "V"] * 6, "dice": DICE}
    table = hw.estimate(hw.CaseValues.from_table(frame, "dice", by="model"))
    assert [e.value for e in table] == pytest.approx([np.mean(DICE[::2]), np.mean(DICE[1::2])])


def test_several_value_columns_and_groups_name_both() -> None:
    frame = {"model": ["U", "V"] * 6, "liver": DICE, "spleen": DICE}
    assert labels(frame, by="model") == ["U / liver", "U / spleen", "V / liver", "V / spleen"]


def test_one_value_column_without_groups_is_the_label() -> None:
    assert labels({"case": CASES, "liver": DICE}) == ["liver"]


def test_a_level_that_is_missing_is_shown_as_missing() -> None:
    frame = {"model": ["U", None] * 6, "dice": DICE}
    table = hw.estimate(hw.CaseValues.from_table(frame, "dice", by="model"))
    assert [e.label for e in table] == ["U", "(missing)"]
    assert table[1].by["model"] is None


def test_whole_numbers_stay_whole_as_levels() -> None:
    assert labels({"fold": [1.0, 2.0] * 6, "dice": DICE}, "dice", by="fold") == ["1", "2"]


@pytest.mark.parametrize("values", [["dice"], "dice", ("dice", "dice")])
def test_values_may_be_a_name_or_several_and_repeat(values: Any) -> None:
    assert labels({"case": CASES, "dice": DICE, "iou": DICE}, values) == ["dice"]


def test_a_case_column_can_be_named() -> None:
    frame = {"scan": ["a"] * 2 + CASES[2:], "dice": DICE}
    assert "HW102" not in codes(frame)
    assert "HW102" in codes(frame, "dice", case="scan")


@pytest.mark.parametrize(
    "name", ["case", "case_id", "id", "subject", "patient", "name", "filename"]
)
def test_case_columns_are_known_by_name(name: str) -> None:
    frame = {name: range(12), "dice": DICE}
    assert labels(frame) == ["dice"]
    assert "HW102" in codes({name: [0, 0, *range(10)], "dice": DICE})


# --------------------------------------------------------------------------- design


def test_repeated_cases_are_cautioned_with_their_number() -> None:
    table = hw.estimate(hw.CaseValues.from_table({"case": [*CASES[:6], *CASES[:6]], "dice": DICE}))
    (message,) = [c.message for c in table.cautions if c.code == "HW102"]
    assert message.startswith("6 of 12 rows repeat a case id")


def test_cases_repeated_between_groups_only_are_no_repeats() -> None:
    frame = {"case": CASES[:6] * 2, "organ": ["U"] * 6 + ["V"] * 6, "dice": DICE}
    assert "HW102" not in codes(frame, "dice", by="organ")
    assert "HW102" in codes(frame, "dice")


@pytest.mark.parametrize("by", [None, "model", "task", ["task", "model"]])
def test_models_are_told_apart_by_their_column_whatever_else_is_named(by: Any) -> None:
    frame = {
        "case": CASES[:6] * 2,
        "model": ["U"] * 6 + ["V"] * 6,
        "task": ["t"] * 12,
        "dice": DICE,
    }
    table = hw.estimate(hw.CaseValues.from_table(frame, "dice", by=by))
    assert [e.by["model"] for e in table] == ["U", "V"]
    assert [e.n for e in table] == [6, 6]
    assert "HW102" not in {caution.code for caution in table.cautions}
    (difference,) = hw.compare(hw.CaseValues.from_table(frame, "dice", by=by))
    assert (difference.first, difference.second) == ("U", "V")


def test_a_column_of_models_may_have_another_part() -> None:
    frame = {"case": CASES, "model": ["U"] * 6 + ["V"] * 6, "dice": DICE}
    (one,) = hw.estimate(hw.CaseValues.from_table(frame, "dice", groups="model"))
    assert (one.label, one.n_groups) == ("dice", 2)


def test_cases_without_an_id_are_no_repeats_of_each_other() -> None:
    assert "HW102" not in codes({"case": [None] * 6 + CASES[6:], "dice": DICE})


@pytest.mark.parametrize("column", ["patient", "patient_id", "subject", "subject_id"])
def test_several_cases_per_patient_are_cautioned(column: str) -> None:
    patients = [i // 2 for i in range(12)]
    table = hw.estimate(
        hw.CaseValues.from_table({"case": CASES, column: patients, "dice": DICE}, "dice")
    )
    (message,) = [c.message for c in table.cautions if c.code == "HW402"]
    assert message.startswith(f"Column '{column}' repeats: 12 cases share 6 levels")


def test_a_group_column_is_a_cluster_in_a_canonical_table_only() -> None:
    groups = [i // 2 for i in range(12)]
    wide = {"case": CASES, "group": groups, "dice": DICE}
    assert "HW402" not in codes(wide, "dice")
    canonical = {"case": CASES, "group": groups, "metric": ["dsc"] * 12, "value": DICE}
    (e,) = hw.estimate(hw.CaseValues.from_table(canonical))
    assert (e.design, e.n_groups, e.n) == ("clustered", 6, 12)
    (apart,) = hw.estimate(hw.CaseValues.from_table(wide, "dice", metric="dsc", groups="group"))
    assert (e.value, e.standard_error) == (apart.value, apart.standard_error)


def test_one_case_per_patient_needs_no_caution() -> None:
    assert "HW402" not in codes({"case": CASES, "patient": range(12), "dice": DICE}, "dice")


@pytest.mark.parametrize("column", ["seed", "run"])
def test_pooled_runs_are_cautioned_unless_estimated_apart(column: str) -> None:
    frame = {"case": CASES, column: [0, 1, 2] * 4, "dice": DICE}
    table = hw.estimate(hw.CaseValues.from_table(frame, "dice"))
    (message,) = [c.message for c in table.cautions if c.code == "HW401"]
    assert message.startswith(f"Column '{column}' holds 3 folds or runs")
    assert "HW401" not in codes(frame, "dice", by=column)


@pytest.mark.parametrize("column", ["seed", "run"])
def test_rows_that_are_runs_each_of_its_own_are_not_said_to_be_pooled(column: str) -> None:
    frame = {"model": ["A"] * 6 + ["B"] * 6, column: [*range(6)] * 2, "accuracy": DICE}
    data = hw.CaseValues.from_table(frame, "accuracy", model="model", pairing="none")
    compared = hw.compare(data, rng=1)
    assert "HW401" not in {c.code for c in compared[0].cautions}
    assert "HW401" not in codes({column: range(12), "accuracy": DICE}, "accuracy")
    # Folds share training data, however many rows each has.
    assert "HW401" in codes({"fold": range(12), "accuracy": DICE}, "accuracy")


def test_folds_of_cases_that_are_clusters_need_no_caution() -> None:
    frame = {"case": [c for c in CASES[:4] for _ in range(3)], "fold": [0, 1, 2] * 4, "dice": DICE}
    assert {"HW102", "HW401"} <= set(codes(frame, "dice"))
    assert {"HW102", "HW401"}.isdisjoint(codes(frame, "dice", groups="case"))


def test_a_single_fold_needs_no_caution() -> None:
    assert "HW401" not in codes({"case": CASES, "fold": [3] * 12, "dice": DICE}, "dice")


# --------------------------------------------------------------------------- canonical


def test_a_canonical_table_needs_no_options() -> None:
    (e,) = hw.estimate(hw.CaseValues.from_table(canonical()))
    assert (e.metric, e.n) == ("dsc", 12)
    assert e.value == pytest.approx(np.mean(DICE))


def test_a_canonical_table_is_grouped_by_model_task_and_label() -> None:
    frame = canonical(
        model=["U"] * 6 + ["V"] * 6, task=["ct", "mr"] * 6, label=["liver"] * 12, site=["x"] * 12
    )
    table = hw.estimate(hw.CaseValues.from_table(frame))
    assert [e.label for e in table] == [
        *("U / ct / liver", "U / mr / liver"),
        *("V / ct / liver", "V / mr / liver"),
    ]
    assert dict(table[0].by) == {"model": "U", "task": "ct", "label": "liver"}


def test_metrics_of_a_canonical_table_are_estimated_apart() -> None:
    frame = canonical(metric=["dsc", "hd95"] * 6, value=[0.9, 2.0] * 6)
    assert [(e.metric, e.value) for e in hw.estimate(hw.CaseValues.from_table(frame))] == [
        ("dsc", 0.9),
        ("hd95", 2.0),
    ]


def test_synonyms_of_a_metric_are_one_metric() -> None:
    (e,) = hw.estimate(hw.CaseValues.from_table(canonical(metric=["dsc", "DSC", "Dice"] * 4)))
    assert (e.metric, e.n) == ("dsc", 12)


def test_one_metric_of_a_canonical_table_can_be_chosen() -> None:
    frame = canonical(metric=["dsc", "hd95"] * 6, value=[0.9, 2.0] * 6)
    (e,) = hw.estimate(hw.CaseValues.from_table(frame, metric="hd95"))
    assert (e.metric, e.n) == ("hd95", 6)


def test_a_metric_that_is_not_in_the_table_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(hw.DataError, match=r"no rows of metric 'iou' in the table.*dsc"):
        hw.estimate(hw.CaseValues.from_table(canonical(), metric="iou"))


def test_metrics_of_a_canonical_table_may_be_unknown() -> None:
    (e,) = hw.estimate(
        hw.CaseValues.from_table(canonical(metric=["my score"] * 12, value=range(12)))
    )
    assert (e.metric, e.value) == ("my score", 5.5)


def test_an_unknown_metric_of_a_canonical_table_can_be_chosen() -> None:
    frame = canonical(metric=["dsc", "my score"] * 6)
    (e,) = hw.estimate(hw.CaseValues.from_table(frame, metric="my score"))
    assert (e.metric, e.n) == ("my score", 6)


def test_parameters_of_a_canonical_table_reach_the_estimate() -> None:
    frame = canonical(metric=["nsd"] * 12, parameters=["tolerance=3", "tolerance=1"] * 6)
    table = hw.estimate(hw.CaseValues.from_table(frame))
    assert [e.parameters for e in table] == [{"tolerance": 3.0}, {"tolerance": 1.0}]
    assert [e.n for e in table] == [6, 6]


def test_choosing_a_metric_keeps_its_parameters_apart() -> None:
    frame = canonical(metric=["nsd"] * 12, parameters=["tolerance=3", "tolerance=1"] * 6)
    table = hw.estimate(hw.CaseValues.from_table(frame, metric="nsd"))
    assert [e.parameters for e in table] == [{"tolerance": 3.0}, {"tolerance": 1.0}]


def test_choosing_a_metric_with_its_parameter_picks_those_rows() -> None:
    frame = canonical(metric=["nsd"] * 12, parameters=["tolerance=3", "tolerance=1"] * 6)
    (e,) = hw.estimate(hw.CaseValues.from_table(frame, metric="nsd:tolerance=3"))
    assert (e.parameters, e.n) == ({"tolerance": 3.0}, 6)


def test_rows_without_parameters_show_no_level_for_them() -> None:
    frame = canonical(
        model=["U"] * 12,
        metric=["dsc", "nsd"] * 6,
        parameters=["", "tolerance=3"] * 6,
    )
    table = hw.estimate(hw.CaseValues.from_table(frame))
    assert [e.label for e in table] == ["U", "U"]
    assert [dict(e.by) for e in table] == [{"model": "U"}, {"model": "U"}]


@pytest.mark.parametrize("status", ["not applicable", "Not applicable", " NOT APPLICABLE "])
def test_rows_that_are_not_applicable_are_left_out_and_counted(status: str) -> None:
    frame = canonical(status=[status, "ok", "missed"] * 4, value=[np.nan, 0.9, 0.0] * 4)
    table = hw.estimate(hw.CaseValues.from_table(frame))
    assert (table[0].n, table[0].n_missing) == (8, 0)
    assert table[0].value == pytest.approx(0.45)
    assert table.notes == ("left out: 4 rows that are not applicable",)


def test_rows_that_are_applicable_and_empty_are_missing() -> None:
    frame = canonical(status=["not applicable", "missed", "ok"] * 4, value=[np.nan, np.nan, 1] * 4)
    with pytest.raises(hw.DataError, match="4 of 8 values are missing"):
        hw.estimate(hw.CaseValues.from_table(frame))


def test_a_group_with_nothing_applicable_is_reported_as_undefined() -> None:
    frame = canonical(model=["U"] * 6 + ["V"] * 6, status=["ok"] * 6 + ["not applicable"] * 6)
    first, second = hw.estimate(hw.CaseValues.from_table(frame, metric="dsc"))
    assert first.n == 6
    assert second.n == 0
    assert np.isnan([second.value, second.low, second.high]).all()
    assert "HW306" in [caution.code for caution in second.cautions]


# --------------------------------------------------------------------------- what a frame may be


FRAMES = {
    "pandas": lambda: pd.DataFrame({"case": CASES, "dice": DICE}),
    "pandas with a text index": lambda: pd.DataFrame({"dice": DICE}, index=pd.Index(CASES)),
    "pandas, nullable": lambda: pd.DataFrame({"dice": pd.array(DICE, dtype="Float64")}),
    "pandas, categories": lambda: pd.DataFrame({"case": pd.Categorical(CASES), "dice": DICE}),
    "mapping of lists": lambda: {"case": CASES, "dice": DICE},
    "mapping of arrays": lambda: {"dice": np.array(DICE, dtype=object)},
    "float32": lambda: {"dice": np.array(DICE)},
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_of_many_kinds(make: Any) -> None:
    (e,) = hw.estimate(hw.CaseValues.from_table(make()))
    assert (e.label, e.n) == ("dice", 12)
    assert e.value == pytest.approx(np.mean(DICE))


def test_column_names_that_are_numbers() -> None:
    frame = pd.DataFrame({0: DICE, 1: DICE})
    assert labels(frame) == ["0", "1"]
    assert labels(frame, "1") == ["1"]


def test_a_missing_nullable_value_is_missing() -> None:
    frame = pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64")})
    (e,) = hw.estimate(hw.CaseValues.from_table(frame, missing="omit"))
    assert (e.n, e.n_missing) == (2, 1)


def test_the_caller_s_frame_is_left_as_it_was() -> None:
    frame = pd.DataFrame({"case": CASES[::-1], "dice": DICE})
    before = frame.copy(deep=True)
    hw.estimate(hw.CaseValues.from_table(frame), method="bca", rng=1, n_resamples=99)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("frame", ["scores", 5, None])
def test_what_is_no_table_is_named(frame: Any) -> None:
    with pytest.raises(hw.DataError, match=f"data frame.*got {type(frame).__name__}"):
        hw.estimate(hw.CaseValues.from_table(frame))


def test_several_tables_are_tables() -> None:
    with pytest.raises(hw.OptionError, match="neither a data frame nor a sequence"):
        hw.CaseValues.from_table([1, 2, 3])


def test_an_empty_frame_has_no_rows() -> None:
    with pytest.raises(hw.DataError, match=r"no rows"):
        hw.estimate(hw.CaseValues.from_table(pd.DataFrame({"case": CASES, "dice": DICE}).iloc[:0]))


def test_a_frame_without_columns_says_so() -> None:
    with pytest.raises(hw.DataError) as caught:
        hw.estimate(hw.CaseValues.from_table(pd.DataFrame()))
    assert "got DataFrame" not in str(caught.value)


def test_repeated_column_names_are_refused() -> None:
    frame = pd.DataFrame([[0.9, 0.8], [0.7, 0.6]], columns=["dice", "dice"])
    with pytest.raises(hw.DataError, match="more than once"):
        hw.estimate(hw.CaseValues.from_table(frame))


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(hw.DataError, match="differ in length"):
        hw.estimate(hw.CaseValues.from_table({"case": CASES, "dice": DICE[:5]}))


# --------------------------------------------------------------------------- wrong names


@pytest.mark.parametrize(
    ("arguments", "given", "near"),
    [
        ({"value": "Dice"}, "Dice", "dice"),
        ({"value": ["dice", "livr"]}, "livr", "liver"),
        ({"by": "modle"}, "modle", "model"),
        ({"case": "cas"}, "cas", "case"),
    ],
)
def test_unknown_column(arguments: dict[str, Any], given: str, near: str) -> None:
    frame = {"case": CASES, "model": ["U", "V"] * 6, "dice": DICE, "liver": DICE}
    expected = (
        rf"unknown column '{given}'; did you mean '{near}'\? Known: case, model, dice, liver\."
    )
    with pytest.raises(hw.UnknownNameError, match=expected):
        over(hw.estimate, hw.CaseValues.from_table)(frame, **arguments)


def test_a_column_cannot_be_values_and_groups() -> None:
    with pytest.raises(hw.OptionError, match=r"'dice' cannot be values and by at once"):
        hw.estimate(hw.CaseValues.from_table({"case": CASES, "dice": DICE}, "dice", by="dice"))


def test_a_table_without_numbers_lists_its_columns() -> None:
    with pytest.raises(hw.DataError, match="no numeric column to estimate; the table has case, x"):
        hw.estimate(hw.CaseValues.from_table({"case": CASES, "x": list("abcdefghijkl")}))


def test_a_table_without_numbers_but_with_decimal_commas_says_so() -> None:
    with pytest.raises(hw.DataError, match="decimals with a point"):
        hw.estimate(
            hw.CaseValues.from_table({"case": CASES, "dice": [f"0,{80 + i}" for i in range(12)]})
        )


def test_a_column_of_numbers_with_one_slip_is_not_passed_over_as_text() -> None:
    frame = {"case": CASES, "liver": DICE, "spleen": [*map(str, DICE[:-1]), "oops"]}
    with pytest.raises(hw.DataError, match=r"'spleen'.*c11.*'oops'"):
        hw.estimate(hw.CaseValues.from_table(frame))
