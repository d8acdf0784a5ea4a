"""One document, five renderers: no word broken, no cell lost, no line too wide, all escaped."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support import examples

import halfwidth as hw
from halfwidth.document import terminal_width
from halfwidth.document.parts import (
    Adaptive,
    Cell,
    Code,
    Column,
    Data,
    Document,
    Figure,
    Heading,
    Item,
    Items,
    Kind,
    Note,
    Paragraph,
    Table,
)
from halfwidth.document.render import FORMATS, render

# Latin words, wide letters, an emoji of two code points, names with joints, numbers.
WORDS = (
    *("of", "肝臓", "\u2695\ufe0f", "größe", "kidney_left", "left-lobe", "-0.125", "1e-05", "95 %"),
)
# A line may end within a word here.
JOINT = re.compile(r"(?<=[-_])(?=[a-z])|(?<=肝)(?=臓)")
NUMBERS = st.decimals(-9, 99, places=3).map(str)
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    kinds = draw(st.lists(st.sampled_from([Kind.TEXT, Kind.NUMBER]), min_size=1, max_size=5))
    headings = [draw(st.sampled_from(["label", "95 % CI", "half-width"])) for _ in kinds]
    row = st.tuples(*(NUMBERS if kind is Kind.NUMBER else TEXTS for kind in kinds))
    columns = tuple(Column(heading, kind) for heading, kind in zip(headings, kinds, strict=True))
    return Table(columns, tuple(draw(st.lists(row, min_size=1, max_size=4))))


@examples(100)
@given(tables(), st.sampled_from([None, 40, 60, 80, 100, 200]))
def test_a_table_keeps_words_and_cells_and_fits(table: Table, columns: int | None) -> None:
    document = Document((table,))
    if columns is None:
        text = render(document, "table")
    else:
        with terminal_width.on_terminal(columns):
            text = render(document, "table")
    words = [word for row in table.texts for cell in row for word in cell.split()]
    parts = {part for word in words for part in JOINT.split(word)}
    of_headings = {"label", "95", "%", "CI", "half-", "width", "half-width"}
    shown = [word for line in text.splitlines() if "─" not in line for word in line.split()]
    assert {part for word in shown for part in JOINT.split(word)} <= parts | of_headings
    assert all(part in "".join(shown) for part in parts)
    # Five numbers of seven columns and their gaps fit any page, and so do words of 13.
    assert max(map(cell_len, text.splitlines())) <= (columns or 80)


@examples(100)
@given(st.lists(TEXTS, max_size=4).map(" ".join), st.integers(40, 80))
def test_prose_is_wrapped_between_words(text: str, width: int) -> None:
    with terminal_width.on_terminal(width):
        lines = render(Document((Paragraph(text),)), "table").splitlines()
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert not any(line.startswith("%") for line in lines), "a number stays with its per cent"


def test_a_rank_stays_with_the_sign_of_a_tie() -> None:
    text = " ".join(["words"] * 9) + " (3) ≈"
    with terminal_width.on_terminal(len(text) - 2):
        lines = render(Document((Paragraph(text),)), "table").splitlines()
    assert lines[-1] == "(3) ≈"


EVERYTHING = Document(
    (
        Heading("A_title & more"),
        Paragraph("Prose of 95 % of *cases*."),
        Adaptive((Note("short"),), (Note("in full"),)),
        Table(
            (Column("label"), Column("value", Kind.NUMBER), Column("cautions", Kind.CAUTIONS)),
            ((Cell("a|b_c"), Cell("0.5", 0.5, "mm"), Cell("HW201", ("HW201",))),),
        ),
        Items((Item("HW201", "few cases", "HW201"),), "Cautions"),
        Code(("halfwidth explain HW201",)),
        Figure("forest", "All of them", None, Path("a b.png")),
    ),
    Data(lambda: {"n": float("nan")}, lambda: [{"label": "=1+1", "n": 2}], ("label", "n", "none")),
)


def test_a_terminal_shows_it_as_it_is() -> None:
    assert render(EVERYTHING, "table") == (
        "A_title & more\n\nProse of 95 % of *cases*.\n\nshort\n\n"
        "label  value  cautions\n──────────────────────\na|b_c    0.5  HW201\n\n"
        "Cautions\n HW201  few cases\n\n  halfwidth explain HW201\n"
    )


def test_markdown_escapes_everything_once() -> None:
    assert render(EVERYTHING, "markdown") == (
        "**A\\_title & more**\n\nProse of 95 % of \\*cases\\*.\n\n- in full\n\n"
        "| label | value | cautions |\n| --- | ---: | --- |\n| a\\|b\\_c | 0.5 | HW201 |\n\n"
        "**Cautions**\n\n- HW201 few cases\n\n```sh\nhalfwidth explain HW201\n```\n\n"
        "![All of them](<a b.png>)\n"
    )


def test_latex_has_no_codes_in_tables_and_remarks_as_comments() -> None:
    assert render(EVERYTHING, "latex") == (
        "% \\usepackage{booktabs}\n% A_title & more\nProse of 95 \\% of {*}cases{*}.\n% in full\n\n"
        "\\begin{tabular}{lr}\n\\toprule\nlabel & value \\\\\n\\midrule\n"
        "a\\textbar{}b\\_c & 0.5 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n% Cautions\n% HW201 few cases\n"
        "% halfwidth explain HW201\n% \\includegraphics{a b.png}\n"
    )


def test_programs_read_the_data() -> None:
    assert json.loads(render(EVERYTHING, "json")) == {"n": None}
    assert list(csv.reader(io.StringIO(render(EVERYTHING, "csv")))) == [
        ["label", "n", "none"],
        ["'=1+1", "2", ""],
    ]


def test_a_document_without_data_says_so() -> None:
    with pytest.raises(hw.OptionError, match="has nothing for programs"):
        render(Document((Note("words"),)), "json")


@pytest.mark.parametrize("fmt", set(FORMATS) - {"json", "csv"})
def test_an_empty_document_is_no_text(fmt: str) -> None:
    assert render(Document(), fmt) == ""


def test_cells_of_estimates_carry_what_a_page_sorts_and_links_by() -> None:
    made = hw.Estimates((hw.summary_ci([1.0, 2.0, 4.0, 3.0], metric="hd95", method="t"),))
    (adaptive, *_), (e,) = made.document().parts, made
    assert isinstance(adaptive, Adaptive)
    (table,) = adaptive.full
    assert isinstance(table, Table)
    cells = dict(zip(table.headings, table.rows[0], strict=True))
    assert cells["value"] == Cell(e.text_of(e.value), e.value, "mm")
    interval, codes = cells["95 % CI"], cells["cautions"]
    assert isinstance(interval, Cell)
    assert isinstance(codes, Cell)
    assert interval.value == (e.low, e.high)
    assert codes.value == tuple(caution.code for caution in e.cautions)


def test_a_name_that_turns_the_direction_of_writing_does_so_nowhere(tmp_path: Path) -> None:
    names = {"A\u202egnp.exe": [0.1, 0.4, 0.6], "B\u2066": [0.2, 0.4, 0.7]}
    result = hw.estimate(hw.CaseValues.from_arrays(names, metric="dsc"))
    page = tmp_path / "page.html"
    hw.report(result, page)
    shown = [render(result.document(), "markdown"), result.to_json(), page.read_text()]
    assert [one for one in shown if "\u202e" in one or "\u2066" in one] == []
    # Programs get the name as it is.
    labels = [one["label"] for one in json.loads(result.to_json())["estimates"]]
    assert sorted(labels) == sorted(names)


def test_markdown_takes_no_name_for_a_formula() -> None:
    values = {"$x^2$": [0.1, 0.4, 0.6], "B": [0.2, 0.4, 0.7]}
    result = hw.estimate(hw.CaseValues.from_arrays(values, metric="dsc"))
    assert r"| \$x\^2\$ |" in render(result.document(), "markdown")
