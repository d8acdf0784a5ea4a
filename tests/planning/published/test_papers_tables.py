"""Tables as papers print them: headings, cells with a ±, rows against each other."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.planning.published.columns import parse_cell, parse_heading

table = hw.planning.review_table


@pytest.mark.parametrize(
    ("cell", "value", "spread", "decimals", "per_cent"),
    [
        ("0.891±0.09", 0.891, 0.09, 3, False),
        ("0.891 ± 0.090", 0.891, 0.09, 3, False),
        ("0.891 (0.09)", 0.891, 0.09, 3, False),
        ("0.891 (±0.09)", 0.891, 0.09, 3, False),
        ("0.891 +/- 0.09", 0.891, 0.09, 3, False),
        ("89.1±9.0 %", 89.1, 9.0, 1, True),
        ("89.1 % ± 9.0 %", 89.1, 9.0, 1, True),
        ("89.10 (9.0%)", 89.1, 9.0, 2, True),
        ("−1.20 ± 0.5", -1.2, 0.5, 2, False),
        ("0.850", 0.85, None, 3, False),
        ("85%", 85.0, None, 0, True),
    ],
)
def test_a_cell_is_read_with_its_decimals(
    cell: str, value: float, spread: float | None, decimals: int, per_cent: bool
) -> None:
    found = parse_cell(cell)
    assert found is not None
    assert (found.value, found.spread, found.per_cent) == (value, spread, per_cent)
    assert found.value.decimals == decimals


@pytest.mark.parametrize(
    "cell", ["0.89 (0.85-0.93)", "0.89 [0.85, 0.93]", "0.89*", "n.s.", "0.89±", "1 2", "nan", "1_0"]
)
def test_a_cell_of_anything_else_is_an_error_that_names_it(cell: str) -> None:
    with pytest.raises(hw.DataError, match=r"line 2, column Dice \(SD\): .*is not a finite number"):
        table({"n": [50], "Dice (SD)": [cell]})


@pytest.mark.parametrize(
    ("heading", "role", "field", "metric", "spread"),
    [
        ("Dice", "value", "mean", "dsc", ""),
        ("DSC ↑", "value", "mean", "dsc", ""),
        ("Dice (SD)", "value", "mean", "dsc", "sd"),
        ("Dice score [mean ± std]", "value", "mean", "dsc", "sd"),
        ("HD95 [mm] (SEM)", "value", "mean", "hd95", "sem"),
        ("HD 95 (mm)", "value", "mean", "hd95", ""),
        ("Dice (95 % CI)", "value", "mean", "dsc", "halfwidth"),
        ("Mean", "value", "mean", "", ""),
        ("Mean ± SD", "value", "mean", "", "sd"),
        ("SD", "spread", "sd", "", "sd"),
        ("Std", "spread", "sd", "", "sd"),
        ("dice_std", "spread", "sd", "dsc", "sd"),
        ("SEM", "spread", "sem", "", "sem"),
        ("AUC", "value", "auroc", "", ""),
        ("Accuracy (%)", "value", "mean", "accuracy", ""),
        ("N", "field", "n", "", ""),
        ("Number of cases", "field", "n", "", ""),
        ("Model", "model", "label", "", ""),
        ("Method", "model", "label", "", ""),
        ("Structure", "part", "", "", ""),
        ("Year", "", "", "", ""),
    ],
)
def test_headings_of_papers_are_understood(
    heading: str, role: str, field: str, metric: str, spread: str
) -> None:
    found = parse_heading(heading)
    assert (found.role, found.field, found.metric, found.spread) == (role, field, metric, spread)


PAPER = {
    "Model": ["nnU-Net", "U-Net", "nnU-Net", "U-Net"],
    "Structure": ["liver", "liver", "spleen", "spleen"],
    "N": ["50", "50", "40", "40"],
    "Dice (SD)": ["0.891±0.09", "0.878 (0.095)", "89.1±9.0 %", "0.885 ± 0.090"],
    "HD95": ["5.2", "6.0", "–", "4.4"],
    "HD95 SD": ["3.1", "4.0", "", "3.3"],
}


def test_a_table_of_a_paper_gives_what_its_numbers_give_one_by_one() -> None:
    found = table(PAPER)
    assert [one.claim.label for one in found] == [
        *("nnU-Net, liver", "nnU-Net, liver", "U-Net, liver", "U-Net, liver"),
        *("nnU-Net, spleen", "U-Net, spleen", "U-Net, spleen"),
    ]
    alone = [
        hw.planning.review(50, mean=0.891, sd=0.09, metric="dsc"),
        hw.planning.review(50, mean=5.2, sd=3.1, metric="hd95"),
        hw.planning.review(50, mean=0.878, sd=0.095, metric="dsc"),
        hw.planning.review(50, mean=6.0, sd=4.0, metric="hd95"),
        hw.planning.review(40, mean=0.891, sd=0.09, metric="dsc"),
        hw.planning.review(40, mean=0.885, sd=0.09, metric="dsc"),
        hw.planning.review(40, mean=4.4, sd=3.3, metric="hd95"),
    ]
    for bound in ("low", "high"):
        wanted = [getattr(one, bound) for one in alone]
        assert [getattr(one, bound) for one in found] == pytest.approx(wanted)


@pytest.mark.parametrize("cell", ["0.891±0.03", "0.891 (0.03)"])
def test_what_follows_a_plus_minus_is_asked_for(cell: str) -> None:
    told = {"n": [50], "Dice": [cell]}
    with pytest.raises(hw.DataError, match=r"an SD, a SEM or the half-width.*plus_minus='sd', sem"):
        table(told)
    widths = {
        word: table(told, plus_minus=word)[0].halfwidth for word in ("sd", "sem", "halfwidth")
    }
    t = stats.t.ppf(0.975, 49)
    assert widths == pytest.approx(
        {"sd": t * 0.03 / math.sqrt(50), "sem": 0.03 * t, "halfwidth": 0.03}
    )


def test_a_heading_and_an_option_that_contradict_each_other_are_an_error() -> None:
    with pytest.raises(hw.DataError, match="the heading says sd, and not plus_minus='sem'"):
        table({"n": [50], "Dice (SD)": ["0.891±0.09"]}, plus_minus="sem")
    with pytest.raises(hw.OptionError, match="plus_minus='std' is none of"):
        table({"n": [50], "Dice": ["0.891±0.09"]}, plus_minus="std")
    with pytest.raises(hw.OptionError, match="is none of"):
        table({"n": [50], "Dice": ["0.891±0.09"]}, plus_minus=pd.DataFrame())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ({"N": [50], "cases": [50], "Dice": [0.8]}, "columns 'N', 'cases' both read as n"),
        ({"n": [50], "Dice": [0.8], "HD95": [3.0], "SD": [0.1]}, "name it after one: dsc sd"),
        ({"n": [50], "Dice (SD)": ["0.8±0.1"], "SD": [0.1]}, "holds sd already"),
        (
            {"n": [50], "Dice (SD)": ["0.8±0.5"]},
            r"line 2, column Dice \(SD\): sd 0.5 is impossible",
        ),
        ({"n": [50], "Dice (SD)": ["0.8±0.1"], "Dice SEM": [0.1]}, "exclude each other"),
    ],
)
def test_columns_that_may_mean_two_things_are_refused(told: dict[str, Any], text: str) -> None:
    with pytest.raises(hw.DataError, match=text):
        table(told)


def test_one_number_of_cases_does_for_all_rows() -> None:
    assert table({"Dice": [0.8], "SD": [0.1]}, n=50)[0].claim.n == 50


# --------------------------------------------------------------------------- rows


def test_rows_are_compared_within_a_structure_and_a_metric_only() -> None:
    pairs = {(c.part, c.subject, c.first, c.second) for c in table(PAPER).comparisons}
    assert pairs == {
        ("liver", "DSC", "nnU-Net", "U-Net"),
        ("liver", "HD95", "nnU-Net", "U-Net"),
        ("spleen", "DSC", "nnU-Net", "U-Net"),
    }


def test_a_comparison_of_two_rows_is_the_lead_over_the_other() -> None:
    (found,) = table(
        {"Model": ["B", "A"], "n": [50, 50], "Dice (SD)": ["0.83±0.09", "0.85±0.10"]}
    ).comparisons
    wanted = hw.planning.review(
        50, mean=0.85, sd=0.10, metric="dsc", versus=0.83, versus_sd=0.09
    ).lead
    assert (found.first, found.lead, found.pairs) == ("A", wanted, 1)
    assert found.jointly == found.lead


MANY: dict[str, list[Any]] = {
    "Model": list("ABCDE"),
    "n": [50] * 5,
    "Dice (SD)": [f"{0.90 - 0.01 * place:.2f}±0.1" for place in range(5)],
}


@pytest.mark.parametrize(
    ("how", "rows", "shown"),
    [("auto", 4, 6), ("auto", 5, 4), ("pairs", 5, 10), ("best", 3, 2), ("none", 5, 0)],
)
def test_few_rows_are_compared_in_pairs_and_many_with_the_best(
    how: Any, rows: int, shown: int
) -> None:
    found = table({name: cells[:rows] for name, cells in MANY.items()}, compare=how).comparisons
    assert len(found) == shown
    # The best row is picked by these numbers, so that every pair counts whatever is shown.
    assert {one.pairs for one in found} <= {math.comb(rows, 2)}
    for one in found:
        assert one.jointly.needed > one.lead.needed


def test_the_joint_interval_is_bonferronis() -> None:
    one = table({name: cells[:3] for name, cells in MANY.items()}).comparisons[0]
    by_hand = hw.planning.review(
        50, mean=0.90, sd=0.1, metric="dsc", versus=0.89, confidence_level=1 - 0.05 / 3
    ).lead
    assert by_hand is not None
    assert one.jointly.needed == pytest.approx(by_hand.needed)


def test_rows_of_other_numbers_of_cases_are_not_compared() -> None:
    assert table({"n": [50, 60], "Dice (SD)": ["0.9±0.1", "0.8±0.1"]}).comparisons == ()


def test_an_unknown_way_to_compare_proposes_a_known_one() -> None:
    with pytest.raises(hw.OptionError, match="did you mean 'pairs'"):
        table(MANY, compare="pair")  # type: ignore[arg-type]


# --------------------------------------------------------------------------- what is printed


def test_a_lead_is_printed_with_the_digits_of_what_was_given() -> None:
    found = hw.planning.review(50, mean=0.85, sd=0.10, metric="dsc", versus=0.837)
    assert "The lead of 0.013 over 0.837" in found.paragraph()
    # A number that was computed has more digits than anybody prints.
    computed = hw.planning.review(50, mean=0.85123456789, sd=0.1, metric="dsc")
    assert computed.sentence().startswith("Mean DSC 0.851 (")


def test_a_published_value_is_printed_as_it_was() -> None:
    assert (
        hw.planning.review(20, mean=0.8512, sd=0.15, metric="dsc")
        .sentence()
        .startswith("Mean DSC 0.8512 (")
    )


@pytest.mark.parametrize(
    ("n", "sd", "code", "said"),
    [
        (50, 0.2, "HW202", "which a long tail makes doubtful at any n"),
        (10, 0.1, "HW201", "which is doubtful below about 25 cases"),
        (50, 0.1, None, "so it is from about 25 on, unless there is a long tail"),
    ],
)
def test_what_is_assumed_does_not_contradict_the_cautions(
    n: int, sd: float, code: str | None, said: str
) -> None:
    found = hw.planning.review(n, mean=0.85, sd=sd, metric="dsc")
    assert [c.code for c in found.cautions if c.code in ("HW201", "HW202")] == [code] * bool(code)
    assert said in found.paragraph()
    assert "safe from about" not in found.paragraph()
