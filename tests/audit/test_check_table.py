"""What is said of single tables: where, which values, and under which policy."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over

import halfwidth as hw
from halfwidth.io.table import StatedMean, Table

RNG = np.random.default_rng(3)
DICE = RNG.normal(0.8, 0.05, 40).clip(0, 0.99)
CASES = [f"c{at}" for at in range(len(DICE))]
checked = over(hw.check, hw.CaseValues.from_table)


def check(values: Any = DICE, metric: Any = "dsc", **columns: Any) -> hw.Audit:
    return checked({"case": CASES[: len(values)], "dice": values} | columns, metric=metric)


def only(audit: hw.Audit, code: str) -> hw.Finding:
    (found,) = [finding for finding in audit if finding.code == code]
    return found


def test_a_clean_table_has_no_findings() -> None:
    audit = check()
    assert (len(audit), audit.worst, audit.cautions) == (0, None, ())
    assert audit.tables[0].n_cases == 40
    assert audit.to_dict()["tables"][0]["values"] == ["dice"]


def test_a_finding_names_its_rows_and_cases_up_to_five() -> None:
    found = only(check(np.where(np.arange(40) % 4 == 1, np.nan, DICE)), "HW101")
    assert (found.count, found.label) == (10, "dice")
    assert found.rows == (3, 7, 11, 15, 19)
    assert found.cases == ("c1", "c5", "c9", "c13", "c17")


def test_rows_are_those_of_the_file_though_others_were_left_out() -> None:
    # Row 2 of the table is a copy of row 1, so that the missing value stands in line 5.
    values = [DICE[0], DICE[0], DICE[1], math.nan, *DICE[4:]]
    audit = checked({"case": ["c0", "c0", *CASES[2:]], "dice": values}, metric="dsc")
    assert only(audit, "HW913").rows == (3,)
    assert only(audit, "HW101").rows == (5,)
    assert "HW102" not in audit.codes


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("Dice", "DSC"),
        ("liver_dice", "DSC"),
        ("HD95 (mm)", "HD95"),
        ("hippocampus_3d_hd95", "HD95"),
        ("surface_dice", "NSD"),
        ("dice_rank", None),
        ("n_dice", None),
        ("hit_rate", "sensitivity"),
        ("liver", None),
        ("dice_hd95", None),
    ],
)
def test_metrics_by_the_names_of_columns(name: str, metric: str | None) -> None:
    audit = checked({"case": CASES, name: DICE})
    taken = f"{name!r} taken for {metric} by the name (metric=, --metric says otherwise)"
    assert audit.notes == ((taken,) if metric else ())
    assert ("HW907" in audit.codes) == (metric is None)


def test_a_metric_that_nobody_names_is_a_note_only() -> None:
    audit = checked({"case": CASES, "liver": DICE})
    assert (audit.codes, audit.worst) == (("HW907",), "note")


def test_a_guessed_metric_is_said() -> None:
    audit = checked({"case": CASES, "dice": 100 * DICE})
    assert audit.codes == ("HW904",)
    assert audit.notes == ("'dice' taken for DSC by the name (metric=, --metric says otherwise)",)
    assert checked({"case": CASES, "dice": 100 * DICE}, scale=100).codes == ()


# --------------------------------------------------------------------------- stated means

MISSING = np.where(np.arange(40) < 5, np.nan, DICE)


def with_total(stated: float, values: Any = MISSING) -> hw.Audit:
    return checked({"case": [*CASES, "mean"], "dice": [*values, stated]}, metric="dsc")


def test_a_mean_of_all_cases_is_not_worth_a_word() -> None:
    assert with_total(DICE.mean(), DICE).codes == ("HW901",)


@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_a_rounded_mean_is_that_of_the_cases(decimals: int) -> None:
    assert with_total(round(float(DICE.mean()), decimals), DICE).codes == ("HW901",)
    off = round(float(DICE.mean()), decimals) + 0.021
    assert "HW902" in with_total(off, DICE).codes


def test_the_policy_of_a_stated_mean_is_found() -> None:
    by_policy = {
        "left out": np.nanmean(MISSING),
        "counted as the worst": np.nansum(MISSING) / 40,
        "counted as perfect": (np.nansum(MISSING) + 5) / 40,
    }
    for policy, stated in by_policy.items():
        message = only(with_total(float(stated)), "HW903").message
        assert f"with missing values (5) {policy};" in message
        assert f"{stated:.6g}" in message
        for other, mean in by_policy.items():
            assert (f"{mean:.6g} {other}" in message) == (other != policy)


def test_a_mean_that_no_policy_gives_is_not_reproduced() -> None:
    message = only(with_total(0.5), "HW902").message
    assert "a mean of 0.5 (row 'mean')" in message
    assert f"with missing values (5) {np.nanmean(MISSING):.6g} left out, " in message


def test_means_that_an_importer_found_are_checked_within_their_levels() -> None:
    frame = pd.DataFrame(
        {
            "case": CASES * 2,
            "metric": "dsc",
            "value": [*DICE, *(DICE / 2)],
            "label": np.repeat(["liver", "spleen"], 40),
            "status": "ok",
        }
    )
    liver, spleen = DICE.mean(), DICE.mean() / 2
    stated = (
        StatedMean(liver, "value", {"label": "liver", "metric": "dsc"}, source="mean"),
        StatedMean(liver, "value", {"label": "spleen", "metric": "dsc"}, source="mean"),
        StatedMean((liver + spleen) / 2, "value", {"metric": "dsc"}, "label", "foreground_mean"),
    )
    plain = Table.from_frame(frame)
    audit = checked(Table(plain.columns, stated_means=stated))
    assert only(audit, "HW902").label == "spleen, dsc"


def test_rows_that_do_not_apply_count_among_the_missing() -> None:
    # A tool that takes both masks empty for perfect.
    frame = pd.DataFrame(
        {
            "case": CASES,
            "metric": "dsc",
            "value": MISSING,
            "status": np.where(np.isnan(MISSING), "not applicable", "ok"),
        }
    )
    mean = float(np.nan_to_num(MISSING, nan=1.0).mean())
    stated = StatedMean(mean, "value", {"metric": "dsc"}, source="mean")
    audit = checked(Table(Table.from_frame(frame).columns, stated_means=(stated,)))
    assert "with missing values (5) counted as perfect" in only(audit, "HW903").message


def test_a_column_of_means_is_checked_row_by_row() -> None:
    organs = {"liver": DICE, "spleen": DICE[::-1] - 0.1}
    mean = (organs["liver"] + organs["spleen"]) / 2
    table = {"filename": CASES, **organs, "mean": mean}
    assert checked(table, metric="dsc").codes == ()
    wrong = np.where(np.arange(40) == 7, mean + 0.1, mean)
    found = only(checked(table | {"mean": wrong}, metric="dsc"), "HW902")
    assert (found.rows, found.cases) == ((9,), ("c7",))


# --------------------------------------------------------------------------- long tables


def long_table() -> pd.DataFrame:
    """Two readers and two organs of each case."""
    parts = [
        pd.DataFrame({"case": CASES, "reader": reader, "organ": organ, "dice": DICE + shift})
        for reader, organ, shift in (
            ("A", "liver", 0.0),
            ("A", "spleen", -0.11),
            ("B", "liver", -0.05),
            ("B", "spleen", -0.17),
        )
    ]
    return pd.concat(parts, ignore_index=True)


def test_columns_across_which_cases_repeat_are_looked_at_apart() -> None:
    audit = checked(long_table())
    assert audit.codes == ()
    assert audit.tables[0].by == ("reader", "organ")
    # Of both organs together, the rows are no independent cases.
    assert "HW102" in checked(long_table(), by="reader").codes


def test_a_column_in_which_most_cases_have_one_level_does_not_excuse_repeats() -> None:
    scanner = ["s1", "s2"] * 20
    cases = ["c0", *CASES[:39]]
    audit = checked({"case": cases, "scanner": scanner, "dice": DICE}, metric="dsc")
    assert only(audit, "HW102").count == 40


def test_rows_that_one_model_lacks() -> None:
    table = long_table()
    lacking = (table["reader"] == "B") & (table["organ"] == "liver") & table["case"].isin(CASES[:3])
    found = only(checked(table[~lacking]), "HW911")
    assert found.cases == ("c0", "c1", "c2")
    assert found.message == "B has no value in 3 of 40 cases in which A has one."


def test_rows_to_which_a_metric_does_not_apply_lack_no_value() -> None:
    # One model leaves an absent structure absent; what the other one finds there is spurious.
    statuses = [*(["not applicable"] * 2), *(["ok"] * 38)]
    first = pd.DataFrame({"model": "A", "case": CASES, "metric": "dsc", "status": statuses})
    second = first.assign(model="B", status=["spurious", "spurious", *(["ok"] * 38)])
    first["value"] = [math.nan, math.nan, *DICE[2:]]
    second["value"] = [0.0, 0.0, *DICE[2:][::-1]]
    assert "HW911" not in checked(pd.concat([first, second])).codes
    unsaid = first.assign(status="")
    assert only(checked(pd.concat([unsaid, second])), "HW911").cases == ("c0", "c1")


def test_a_summary_holds_no_cases() -> None:
    summary = pd.DataFrame({"class": ["a", "b"], "mean": [1.0, 2.0], "std": [1.0, 2.0], "n": 4})
    audit = checked(summary)
    assert audit.codes == ("HW901",)
    assert audit.worst == "error"


@pytest.mark.parametrize(
    ("status", "value", "found"),
    [
        ("missed", 0.4, "HW918"),
        ("missed", 0.0, None),
        ("ok", math.nan, "HW918"),
        ("spurious", 0.2, "HW918"),
        ("empty?", 0.8, "HW918"),
        ("not applicable", math.nan, None),
    ],
)
def test_status_and_value(status: str, value: float, found: str | None) -> None:
    frame = {
        "case": CASES,
        "metric": ["dsc"] * 40,
        "value": [*DICE[:-1], value],
        "status": ["ok"] * 39 + [status],
    }
    assert ("HW918" in checked(frame).codes) == (found is not None)


def test_voxel_distances_of_0_are_no_imputed_values() -> None:
    steps = np.sqrt([0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 4, 5, 5, 6, 9, 10])
    assert checked({"case": CASES[:20], "hd95": steps}).codes == ()


def test_grades_are_no_imputed_values() -> None:
    grades = np.tile([0.2, 0.5, 0.9, 0.9], 10)
    assert "HW920" not in checked({"case": CASES, "quality": grades}).codes


def test_the_json_contract() -> None:
    audit = check([*DICE[:-1], "failed"])
    document = json.loads(audit.to_json())
    assert document["schema_version"] == 1
    assert document["worst"] == "error"
    (finding,) = document["findings"]
    assert finding["code"] == "HW916"
    assert finding["rows"] == [41]
    assert finding["cases"] == ["c39"]
    assert audit.to_frame().loc[0, "cases"] == "c39"
    assert "HW916 dice: 1 of 40 cells are no numbers: failed." in repr(audit)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scale": 0}, "scale=0.0 is not"),
        ({"value": "lung"}, "unknown column 'lung'"),
        ({"metric": "dicey"}, "unknown metric 'dicey'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(hw.OptionError, match=words):
        checked({"case": CASES, "dice": DICE}, **options)


# --------------------------------------------------------------------------- data of other shapes


def test_columns_of_several_metrics_are_checked_by_their_own() -> None:
    table = {"case": CASES, "a": 100 * DICE, "b": [*(1 / DICE[:-1]), -1.0]}
    audit = checked(table, metric={"a": "dsc", "b": "hd95"})
    assert [(one.code, one.label) for one in audit] == [("HW904", "a"), ("HW906", "b")]
    assert [list(one.values) for one in audit.tables] == [["a", "b"]]
    with pytest.raises(hw.OptionError, match="bounds= is the range of one metric"):
        checked(table, metric={"a": "dsc", "b": "hd95"}, bounds=(0, 1))


def test_arrays_are_tables_of_their_models() -> None:
    assert hw.check(DICE, metric="dsc").codes == ()
    lacking = {"A": DICE, "B": [*DICE[:0:-1], None]}
    audit = hw.check(lacking, metric="dsc")
    assert [(one.code, one.table, one.cases) for one in audit if one.code > "HW9"] == [
        ("HW911", "B", ("40",))
    ]
    named = {name: pd.Series(values, CASES) for name, values in lacking.items()}
    assert only(hw.check(named, metric="dsc"), "HW911").cases == ("c39",)
    clustered = hw.CaseValues.from_arrays(100 * DICE, metric="dsc", groups=CASES)
    assert hw.check(clustered).codes == ("HW904",)
    with pytest.raises(hw.DataError, match="one value per case, got 3"):
        hw.check(3)


def test_only_values_of_cases_are_checked() -> None:
    test = hw.Predictions.from_arrays([0, 1], [0.2, 0.8])
    with pytest.raises(hw.OptionError, match=r"Predictions cannot be checked.*Give values"):
        hw.check(test)
    values = hw.CaseValues.from_arrays(DICE, metric="dsc")
    with pytest.raises(
        hw.OptionError, match="metric='hd95' has no effect: the values already have"
    ):
        hw.check(values, metric="hd95")


def test_models_on_different_cases_lack_none() -> None:
    models = {"A": [0.9, 0.8, 0.7, 0.6, 0.85], "B": [0.9, 0.7, 0.75]}
    apart = hw.CaseValues.from_arrays(models, metric="dsc", pairing="none")
    assert hw.check(apart).codes == ()
    common = hw.CaseValues.from_arrays(models, metric="dsc", pairing="common")
    assert hw.check(common).codes == ("HW911",)


def test_a_column_of_models_by_any_name_is_no_level() -> None:
    table = pd.DataFrame({"case": [*CASES[:20]] * 4, "net": np.repeat(["A", "B"], 40)})
    table["organ"], table["dice"] = np.tile(np.repeat(["liver", "spleen"], 20), 2), 0.8
    table.loc[45, "dice"] = np.nan
    found = hw.check(hw.CaseValues.from_table(table, "dice", metric="dsc", model="net"))
    assert "cases repeat; 'organ' tells their rows apart (by=, --by)" in " ".join(found.notes)
    assert only(found, "HW911").label == "B / liver"


def test_a_long_table_is_looked_at_by_what_tells_its_rows_apart() -> None:
    rng = np.random.default_rng(1)
    long = pd.DataFrame(
        [
            (f"c{k}", model, organ, metric, rng.uniform(0.5, 0.9))
            for k in range(20)
            for model in "AB"
            for organ in ("liver", "spleen")
            for metric in ("dsc", "nsd")
        ],
        columns=["case", "model", "organ", "metric", "value"],
    )
    found = hw.check(hw.CaseValues.from_table(long))
    assert found.codes == ()
    assert found.notes == ("cases repeat; 'organ' tells their rows apart (by=, --by)",)
    assert found.tables[0].by == ("model", "organ")
    # Across what the canonical table has columns for, they repeat by themselves.
    plain = hw.check(hw.CaseValues.from_table(long.rename(columns={"organ": "label"})))
    assert (plain.codes, plain.notes) == ((), ())
