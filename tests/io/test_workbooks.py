"""Workbooks: sheets, stray cells, dates, errors and formulas, and files that are none."""

from __future__ import annotations

import datetime as dt
import tracemalloc
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

import halfwidth as hw
from halfwidth.core.option_names import Door, through
from halfwidth.io import workbook
from halfwidth.io.table import Table
from halfwidth.tables.readers import Reading, read_table

CASES: list[list[Any]] = [["case", "dice"], ["a", 0.9], ["b", 0.8], ["c", 0.7]]


def book(path: Path, **sheets: Sequence[Any]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def read(path: Path, **how: object) -> Table:
    return read_table(path, Reading(**how))  # type: ignore[arg-type]


def complaint(path: Path, **how: object) -> str:
    with pytest.raises(hw.HalfwidthError) as caught:
        read(path, **how)
    return str(caught.value).removeprefix(f"{path}: ")


def cells(table: Table, name: str) -> list[Any]:
    found: list[Any] = table.values(name, np.arange(len(table))).tolist()
    return found


def test_a_sheet_by_its_name(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", Notes=[["what this is"], ["scores"]], Dice=CASES)
    table = read(path, sheet="Dice")
    assert cells(table, "dice") == [0.9, 0.8, 0.7]
    assert not table.notes


def test_the_first_sheet_points_to_the_others(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", Notes=[["what this is"], ["scores"]], Dice=CASES)
    with through(Door.COMMAND_LINE):
        (said,) = read(path).notes
    assert said == (
        "read sheet 'Notes', the first of 2, which holds no numbers; the others are 'Dice' "
        "(--sheet)"
    )


def test_a_sheet_that_is_not_there(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", Dice=CASES, HD95=CASES)
    assert complaint(path, sheet="dise") == (
        "unknown sheet 'dise'; did you mean 'Dice'? Known: Dice, HD95."
    )


def test_an_empty_first_sheet_names_the_others(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", Empty=[], Dice=CASES)
    assert complaint(path).endswith("is empty; the others are 'Dice' (sheet=)")


def test_a_stray_cell_far_away_costs_nothing(tmp_path: Path) -> None:
    made = openpyxl.load_workbook(book(tmp_path / "t.xlsx", Dice=CASES))
    made["Dice"]["XFD99999"] = 1
    made.save(tmp_path / "t.xlsx")
    tracemalloc.start()
    try:
        table = read(tmp_path / "t.xlsx")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 20e6
    # It is a row of its own, which has no value: an error names it.
    assert (len(table), table.row_number(3)) == (4, 99999)
    with pytest.raises(hw.DataError, match="case in row 99999"):
        hw.estimate(hw.CaseValues.from_table(table, metric="dsc"))


def test_blank_rows_and_columns_are_no_rows_and_columns(tmp_path: Path) -> None:
    rows = [[], ["case", None, "dice"], ["a", None, 0.9], [], ["b", None, 0.8], [None, "", None]]
    table = read(book(tmp_path / "t.xlsx", Dice=rows))
    assert (table.names, len(table)) == (["case", "dice"], 2)
    assert [table.row_number(row) for row in range(2)] == [3, 5]


def test_kinds_of_cells(tmp_path: Path) -> None:
    moment = dt.datetime(2024, 2, 29, 12, 30)  # noqa: DTZ001
    rows = [
        ["case", "day", "moment", "right", "count", "text"],
        ["01", moment.date(), moment, True, 3, "0.5"],
        ["2", moment.date(), moment, False, None, "NA"],
    ]
    table = read(book(tmp_path / "t.xlsx", Sheet=rows))
    assert table.levels("case") == ["01", 2]
    assert cells(table, "day") == ["2024-02-29"] * 2
    assert cells(table, "moment") == ["2024-02-29 12:30:00"] * 2
    assert cells(table, "right") == [1.0, 0.0]
    assert table.levels("count") == [3, None]
    assert table.is_numeric("text")


def test_an_error_of_the_spreadsheet_is_the_cell_that_is_named(tmp_path: Path) -> None:
    rows = [*CASES, ["d", "#DIV/0!"], ["e", "#N/A"]]
    table = read(book(tmp_path / "t.xlsx", Dice=rows))
    with pytest.raises(hw.DataError, match="case d holds '#DIV/0!', which is not a number"):
        hw.estimate(hw.CaseValues.from_table(table, metric="dsc", missing="omit"))


def test_formulas_whose_values_nobody_computed_are_no_missing_values(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", Dice=[*CASES, ["d", "=B2+0.1"]])
    assert complaint(path).startswith(
        "1 cell(s) hold a formula without its value (row 5, column 2); open the workbook"
    )


def test_a_merged_header_is_told_by_its_columns(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", Dice=[["case", "dice", None], ["a", 0.9, 0.8], ["b", 1, 0.5]])
    made = openpyxl.load_workbook(path)
    made["Dice"].merge_cells("B1:D1")
    made["Dice"]["A4"], made["Dice"]["D2"] = "c", 0.3
    made.save(path)
    # Merging took the last value; it stands below a part of the merged name.
    made["Dice"].unmerge_cells("B1:D1")
    made["Dice"]["D2"] = 0.3
    made.save(path)
    assert complaint(path).startswith("columns 3, 4 have values and no name in the header")


def test_a_sheet_without_a_header(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", Dice=[["case_1", 0.93], ["case_2", 0.85], ["case_3", 0.7]])
    assert "has no header: its first line (case_1, 0.93) looks like data" in complaint(path)
    table = read(path, header=False)
    assert (table.names, cells(table, "col2")) == (["col1", "col2"], [0.93, 0.85, 0.7])


def test_decimal_commas_of_cells_that_are_text(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", Dice=[["case", "dice"], ["a", "0,9"], ["b", "0,85"]])
    assert cells(read(path, decimal=","), "dice") == [0.9, 0.85]


# --------------------------------------------------------------------------- bad files


def altered(path: Path, part: str, content: bytes) -> Path:
    """The workbook with another content of one of its parts."""
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, own in {**parts, part: content}.items():
            new.writestr(name, own)
    return path


SHEET = "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<worksheet><sheetData><row><c", "its XML is damaged"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>', "its XML declares a document type"),
        (b'<w><row r="1"><c r="ZZZZ1"><v>1</v></c></row></w>', "there is no column 'ZZZZ'"),
        (b'<w><row r="1"><c t="s"><v>99</v></c></row></w>', "refers to a text that is not there"),
        (b"<w><row><c t='str'><v>" + b"x" * 200_000 + b"</v></c></row></w>", "131072 letters"),
        (b"<w/>", "is empty"),
    ],
)
def test_sheets_that_are_damaged(content: bytes, words: str, tmp_path: Path) -> None:
    assert words in complaint(altered(book(tmp_path / "t.xlsx", Dice=CASES), SHEET, content))


@pytest.mark.parametrize(
    ("place", "there"), [("1", True), ("-1", False), ("2", False), ("", False)]
)
def test_shared_texts_are_counted_from_the_first(place: str, there: bool, tmp_path: Path) -> None:
    path = altered(
        book(tmp_path / "t.xlsx", Dice=CASES),
        "xl/sharedStrings.xml",
        b"<sst><si><t>case</t></si><si><t>dice</t></si></sst>",
    )
    header = f'<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>{place} </v></c>'
    rows = '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>0.5</v></c></row>'
    altered(path, SHEET, f'<w><row r="1">{header}</row>{rows}</w>'.encode())
    if there:
        assert read(path).names == ["case", "dice"]
    else:
        assert "a cell refers to a text that is not there" in complaint(path)


def test_a_sheet_of_too_many_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_CELLS", 7)
    text = complaint(book(tmp_path / "t.xlsx", Dice=CASES))
    assert text.startswith("has more than 7 cells, the empty ones between others included")


def test_a_bomb_in_a_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "ALWAYS_UNPACKED", 10**5)
    path = altered(book(tmp_path / "t.xlsx", Dice=CASES), SHEET, b" " * 10**6)
    assert "xl/worksheets/sheet1.xml unpacks to 1 MB from" in complaint(path)


def test_encrypted_and_old_workbooks(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))
    assert complaint(tmp_path / "t.xlsx").startswith("is encrypted, or a workbook of the old kind")


def test_an_archive_that_is_no_workbook(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        archive.writestr("readme.txt", "x")
    assert complaint(tmp_path / "t.xlsx").startswith("cannot be read as XLSX (it is no workbook:")


@pytest.mark.slow
def test_as_many_rows_as_people_have_stay_in_memory(tmp_path: Path) -> None:
    made = openpyxl.Workbook(write_only=True)
    sheet = made.create_sheet("Dice")
    sheet.append(["case", "dice"])
    for place in range(60_000):
        sheet.append([f"c{place}", place / 60_000])
    made.save(tmp_path / "t.xlsx")
    tracemalloc.start()
    try:
        assert len(read(tmp_path / "t.xlsx")) == 60_000
        assert tracemalloc.get_traced_memory()[1] < 60e6
    finally:
        tracemalloc.stop()


def test_a_message_does_not_repeat_the_file(tmp_path: Path) -> None:
    path = tmp_path / "dice.xlsx"
    openpyxl.Workbook().save(path)
    content = bytearray(path.read_bytes())
    # A member says that its name is longer, which the library quotes. Names end local headers.
    place = content.index(b"xl/workbook.xml") - 4
    content[place : place + 2] = (3000).to_bytes(2, "little")
    path.write_bytes(bytes(content))
    with pytest.raises(hw.DataError, match="cannot be read as XLSX") as caught:
        read_table(path)
    assert len(str(caught.value)) < len(str(path)) + 250
