"""Estimates as text: every format renders everything, and no label can break out of its cell."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_data import over

import halfwidth as hw
from halfwidth.document.parts import Document, Kind, Table
from halfwidth.document.render import FORMATS
from halfwidth.document.render import render as render_document
from halfwidth.tables.readers import read_table

VALUES = np.random.default_rng(6).beta(12, 2, 30).round(4)
NASTY = "a_b & 50% $x$ {y} #1 ~^\\ <z> [i] \"q\" 'p' |p| *s* `c`"


def render(estimates: hw.Estimates, fmt: str) -> str:
    return render_document(estimates.document(), fmt)


def one(label: str = "", **options: Any) -> hw.Estimates:
    settings = {"metric": "dsc", "method": "t"} | options
    return hw.Estimates((hw.summary_ci(VALUES, label=label, **settings),))


def labelled(*labels: str, **options: Any) -> hw.Estimates:
    items = tuple(one(label, **options)[0] for label in labels)
    return hw.Estimates(items)


def width_of(text: str) -> int:
    """Cells that the longest line takes on a terminal, where wide letters take two."""
    return max(
        sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)
        for line in text.splitlines()
    )


KINDS: dict[str, Callable[[], hw.Estimates]] = {
    "one": one,
    "labelled": lambda: labelled("liver", "spleen"),
    "lower": lambda: one(alternative="lower"),
    "upper": lambda: one(alternative="upper", metric=None),
    "unit": lambda: one(metric="hd95"),
    "greek": lambda: one(metric="f_beta:beta=2"),
    "cubic": lambda: one(metric="absolute_volume_error"),
    "drawn": lambda: one(method="bca", rng=3, n_resamples=199),
    "one case": lambda: hw.Estimates((hw.summary_ci([0.9], metric="dsc", method="t"),)),
    "proportion": lambda: hw.Estimates((hw.proportion_ci(45, 50),)),
    "several": lambda: hw.Estimates((one()[0], one(statistic="sd", method="percentile", rng=1)[0])),
    "nasty": lambda: labelled(NASTY, "=1+1", "größe 肝臓"),
}


def kind(name: str) -> hw.Estimates:
    return KINDS[name]()


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("name", KINDS)
def test_every_format_renders_every_kind_and_ends_its_last_line(name: str, fmt: str) -> None:
    text = render(kind(name), fmt)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "nan" not in text.lower()
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize("fmt", FORMATS)
def test_an_empty_collection_renders(fmt: str) -> None:
    assert isinstance(render(one()[:0], fmt), str)


# --------------------------------------------------------------------------- terminal


@pytest.mark.parametrize(
    "label",
    ["x" * 200, "a b " * 60, "肝臓" * 60, "liver_left_lobe_segment_IV" * 3, "größe " * 30, "a\nb"],
)
@pytest.mark.parametrize("statistic", ["mean", "quantile:0.9"])
def test_a_table_fits_80_columns_whatever_the_labels(label: str, statistic: str) -> None:
    options: dict[str, Any] = {"statistic": statistic, "method": "percentile", "rng": 1}
    table = labelled(label, "liver", **options)
    assert width_of(render(table, "table")) <= 80


def test_a_long_label_is_wrapped_and_not_cut() -> None:
    text = render(labelled("x" * 100, "liver"), "table")
    assert text.split("Cautions")[0].count("x") == 100


@pytest.mark.parametrize("fmt", ["table", "markdown", "latex"])
def test_numbers_get_the_digits_their_interval_supports(fmt: str) -> None:
    (e,) = one()
    assert 0.0310 < e.halfwidth < 0.0354
    text = render(one(), fmt)
    for number in (f"{e.value:.3f}", f"{e.low:.3f} to {e.high:.3f}", f"{e.halfwidth:.3f}"):
        assert number in text


def test_what_all_rows_share_is_said_once() -> None:
    text = render(labelled("liver", "spleen"), "table")
    assert text.startswith("Mean DSC\n\n")
    assert "statistic" not in text
    assert text.count("DSC") == 1


def test_rows_that_differ_say_what_they_are() -> None:
    text = render(kind("several"), "table")
    assert "statistic" in text
    assert "mean DSC" in text
    assert "SD of DSC" in text


def test_a_one_sided_table_shows_one_bound_and_no_half_width() -> None:
    text = render(kind("lower"), "table")
    assert f"≥ {kind('lower')[0].low:.3f}" in text
    assert "half" not in text
    assert "95 % bound" in text or "95 % lower bound" in text


def test_no_interval_is_called_none_and_explained() -> None:
    text = render(kind("one case"), "table")
    assert re.search(r"0\.900\s+none", text)
    assert "HW306" in text


def test_each_caution_code_is_explained_once_with_the_number_of_rows() -> None:
    rows = [hw.summary_ci(VALUES[:n], metric="dsc", method="t", label=f"n{n}") for n in (7, 8, 9)]
    text = render(hw.Estimates(tuple(rows)), "table")
    below = text.partition("Cautions ('halfwidth explain CODE' says more)")[2]
    assert " ".join(below.split()).startswith("HW201 n7: 7 cases;")
    assert below.count("HW201") == 1
    assert "(and 2 more)" in " ".join(below.split())


def test_seed_and_resamples_stand_below_what_was_drawn_only() -> None:
    assert render(kind("drawn"), "table").endswith("Seed 3, 199 resamples.\n")
    assert "Seed" not in render(one(), "table")


def test_the_unit_stands_beside_the_metric() -> None:
    assert render(kind("unit"), "table").count("[mm]") == 1


def test_control_characters_of_a_label_do_not_reach_the_terminal() -> None:
    text = render(labelled("\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\tb\rc"), "table")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_square_brackets_are_no_markup() -> None:
    assert "[bold]liver[/bold]" in render(labelled("[bold]liver[/bold]", "b"), "table")


def test_text_table_keeps_the_order_of_headings_and_rows() -> None:
    table = Table.from_rows(["name", "n"], [["a", "1"], ["b", "22"]], kinds={"name": Kind.TEXT})
    text = render_document(Document((table,)), "table")
    assert [line.split() for line in text.splitlines() if "─" not in line] == [
        ["name", "n"],
        ["a", "1"],
        ["b", "22"],
    ]


@pytest.mark.parametrize("statistics", [["mean"], ["mean", "median"], ["sd", "quantile:0.9"]])
@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("touchstone/nnU-Net_U-Net_dsc.csv", {"metric": "dsc", "missing": "omit"}),
        ("touchstone/SAM-Adapter_nsd.csv", {"metric": "nsd:tolerance=2", "missing": "worst"}),
        ("segval/braintumor_3d_hd95.csv", {"metric": "hd95"}),
        ("segval/hippocampus_3d_dsc.csv", {"metric": "dsc", "scale": 100}),
    ],
)
def test_real_tables_fit_80_columns(
    path: str, options: dict[str, Any], statistics: list[str], shared: Path
) -> None:
    table = over(hw.estimate, hw.CaseValues.from_table)(
        read_table(shared / "data" / path), statistic=statistics, rng=1, n_resamples=199, **options
    )
    text = render(table, "table")
    assert width_of(text) <= 80
    assert all(len(line.split()) < 30 for line in text.splitlines())


# --------------------------------------------------------------------------- JSON and CSV


def test_json_is_the_contract() -> None:
    table = labelled("liver", NASTY)
    assert json.loads(render(table, "json")) == table.to_dict()


def rows_of(table: hw.Estimates) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render(table, "csv"))))


def test_csv_holds_every_digit_of_the_frame() -> None:
    table = labelled("liver", "a,b", 'say "hi"', "two\nlines")
    frame = table.to_frame()
    rows = rows_of(table)
    assert list(rows[0]) == list(frame.columns)
    for name in ("value", "low", "high", "halfwidth", "standard_error"):
        assert [float(row[name]) for row in rows] == list(frame[name])
    assert [row["label"] for row in rows] == list(frame["label"])


def test_csv_leaves_nan_and_none_empty() -> None:
    (row,) = rows_of(kind("one case"))
    for name in ("low", "high", "halfwidth", "standard_error", "seed", "n_groups", "average"):
        assert row[name] == ""


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_defuses_cells_that_a_spreadsheet_would_run(start: str) -> None:
    columns = {"model": [f"{start}cmd()"] * 15 + ["U-Net"] * 15, "dice": VALUES}
    first, second = rows_of(
        hw.estimate(hw.CaseValues.from_table(columns, "dice", by="model", metric="dsc"))
    )
    assert first["label"] == first["model"] == f"'{start}cmd()"
    assert second["label"] == "U-Net"


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_csv_defuses_headings_too(start: str) -> None:
    columns = {f"{start}cmd()": ["U"] * 15 + ["V"] * 15, "dice": VALUES}
    text = render(hw.estimate(hw.CaseValues.from_table(columns, "dice", by=f"{start}cmd()")), "csv")
    assert not text.startswith(start)


def test_csv_defuses_the_name_of_a_metric_of_ones_own() -> None:
    (row,) = rows_of(one(metric="=cmd()", bounds=(0, 1)))
    assert row["metric"] == "'=cmd()"


def test_csv_leaves_negative_numbers_alone() -> None:
    e = hw.summary_ci([-0.5, -0.6, -0.4], metric="relative_volume_error")
    (row,) = rows_of(hw.Estimates((e,)))
    assert float(row["value"]) == e.value < 0


def test_csv_keeps_an_infinite_end_as_a_number() -> None:
    (row,) = rows_of(kind("upper"))
    assert float(row["low"]) == -math.inf


# --------------------------------------------------------------------------- Markdown


def cells_of(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line)[1:-1]


def test_markdown_has_the_same_number_of_cells_in_every_row() -> None:
    lines = render(labelled("a|b", "two\nlines", NASTY, "\\"), "markdown").splitlines()[:6]
    assert len({len(cells_of(line)) for line in lines}) == 1
    assert len(lines) == 6


def test_markdown_escapes_what_would_be_markup() -> None:
    text = render(labelled("<script>alert(1)</script>", "*b* _i_ `c` [l](u)"), "markdown")
    assert not re.search(r"(?<!\\)<", text)
    assert r"\*b\* \_i\_ \`c\` \[l\](u)" in text


def test_markdown_aligns_numbers_to_the_right() -> None:
    heading, rule, *_ = render(one(), "markdown").splitlines()
    sides = dict(
        zip(map(str.strip, cells_of(heading)), map(str.strip, cells_of(rule)), strict=True)
    )
    assert {name for name, side in sides.items() if side == "---:"} == {
        "n",
        "value",
        "half-width",
    }


def test_markdown_lists_the_cautions_below_the_table() -> None:
    text = render(kind("one case"), "markdown")
    assert re.search(r"\n\n- HW306 t gives no interval here", text)


# --------------------------------------------------------------------------- LaTeX


def body_of(table: hw.Estimates) -> list[str]:
    text = render(table, "latex")
    return text.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()


def test_latex_escapes_every_special_character() -> None:
    (row,) = body_of(labelled("& % $ # _ { } ~ ^ \\ < >"))
    assert row.startswith(
        r"\& \% \$ \# \_ \{ \} \textasciitilde{} \textasciicircum{} \textbackslash{} "
        r"\textless{} \textgreater{} & "
    )


def test_latex_rows_have_as_many_cells_as_the_alignment() -> None:
    text = render(labelled("a & b", "c"), "latex")
    (alignment,) = re.findall(r"\\begin\{tabular\}\{(\w+)\}", text)
    for row in body_of(labelled("a & b", "c")):
        assert len(re.split(r"(?<!\\)&", row)) == len(alignment)
        assert row.endswith(r" \\")


def test_latex_writes_symbols_as_mathematics() -> None:
    assert r"$\geq$ 0.8" in render(kind("lower"), "latex")
    assert r"$\beta$" in render(kind("greek"), "latex")
    assert r"mm$^3$" in render(kind("cubic"), "latex")


@pytest.mark.parametrize("label", ["[a]", "*b"])
def test_latex_rows_do_not_begin_with_what_a_line_break_takes_as_its_option(label: str) -> None:
    assert not any(row.startswith(("[", "*")) for row in body_of(labelled("x", label)))


def test_latex_keeps_cautions_in_comments() -> None:
    lines = render(kind("one case"), "latex").splitlines()
    after = lines[lines.index("\\end{tabular}") + 1 :]
    assert after
    assert all(line.startswith("% HW") for line in after)


def test_latex_labels_cannot_open_a_new_line() -> None:
    rows = body_of(labelled("a\n\\input{secret}", "b\r\nc"))
    assert len(rows) == 2
    assert r"\input" not in rows[0]
