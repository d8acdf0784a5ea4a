"""Reading tables: what the suffix says, or an error that says what, where and what to do."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import halfwidth as hw
from halfwidth.tables.readers import SUFFIXES, read_table

FRAME = pd.DataFrame(
    {
        "case": [f"c{i:02d}" for i in range(12)],
        "model": ["U-Net", "ViT"] * 6,
        "dice": [0.9137, 0.88, 0.7315, 0.79, 0.90, 0.92, 0.86, 0.94, 0.891, 0.91, 0.6, 0.84],
        "hd95": [1.0, 2.5, 3.25, 1.5, 2.0, 2.2, 7.125, 1.1, 1.7, 2.9, 14.0, 3.3],
    }
)
WRITERS: dict[str, Callable[[Path], object]] = {
    "comma.csv": lambda path: FRAME.to_csv(path, index=False),
    "semicolon.csv": lambda path: FRAME.to_csv(path, index=False, sep=";"),
    "tab.csv": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    "tab.tsv": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    "tab.txt": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    "comma.txt": lambda path: FRAME.to_csv(path, index=False),
    "capitals.CSV": lambda path: FRAME.to_csv(path, index=False),
    "byte_order_mark.csv": lambda path: FRAME.to_csv(path, index=False, encoding="utf-8-sig"),
    "windows_line_ends.csv": lambda path: FRAME.to_csv(path, index=False, lineterminator="\r\n"),
    "all_quoted.csv": lambda path: FRAME.to_csv(path, index=False, quoting=1),
    "größe_測試.csv": lambda path: FRAME.to_csv(path, index=False),
    "table.parquet": lambda path: FRAME.to_parquet(path, index=False),
    "table.xlsx": lambda path: FRAME.to_excel(path, index=False),
}


def save(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    else:
        frame.to_csv(path, index=False)


def estimates_of(path: Path) -> list[tuple[str, int, float, float, float]]:
    table = hw.estimate(
        hw.CaseValues.from_table(read_table(path), ["dice", "hd95"], by="model"),
        method="bca",
        rng=4,
    )
    return [(e.label, e.n, e.value, e.low, e.high) for e in table]


def complaint(path: Path) -> str:
    with pytest.raises(hw.DataError) as caught:
        read_table(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text.removeprefix(f"{path}: ")


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# --------------------------------------------------------------------------- good files


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_estimates(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    expected = hw.estimate(
        hw.CaseValues.from_table(FRAME, ["dice", "hd95"], by="model"), method="bca", rng=4
    )
    got = estimates_of(tmp_path / name)
    assert [row[:2] for row in got] == [(e.label, e.n) for e in expected]
    for row, e in zip(got, expected, strict=True):
        assert row[2:] == pytest.approx((e.value, e.low, e.high), rel=1e-9)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_right_and_wrong_are_read_alike_from_every_format(suffix: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"case": ["a", "b", "c", "d"], "ok": [True, False, True, True]})
    path = tmp_path / f"table{suffix}"
    save(frame, path)
    (e,) = hw.estimate(hw.CaseValues.from_table(read_table(path), metric="correct"))
    assert (e.value, e.n, e.method) == (0.75, 4, "wilson")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx"])
def test_missing_cells_are_missing_in_every_format(suffix: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"case": list("abcd"), "dice": [0.9, None, 0.8, 0.7]})
    path = tmp_path / f"table{suffix}"
    save(frame, path)
    (e,) = hw.estimate(hw.CaseValues.from_table(read_table(path), metric="dsc", missing="omit"))
    assert (e.n, e.n_missing) == (3, 1)


@pytest.mark.parametrize("cell", ["", " ", "NA", "n/a", "N/A", "NaN", "nan", "null", "None"])
def test_cells_that_say_missing_are_missing(cell: str, tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", f"case,dice\na,0.9\nb,{cell}\nc,0.8\nd,0.7\n")
    (e,) = hw.estimate(hw.CaseValues.from_table(read_table(path), missing="omit"))
    assert (e.n, e.n_missing) == (3, 1)


@pytest.mark.parametrize("cell", ["inf", "-inf", "Infinity"])
def test_infinite_cells_are_infinite(cell: str, tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", f"case,hd95\na,1\nb,{cell}\nc,2\n")
    with pytest.raises(hw.DataError, match=r"column 'hd95': 1 of 3 .*\(1 infinite\) \(case b\)"):
        hw.estimate(
            hw.CaseValues.from_table(read_table(path), metric="hd95" if cell[0] != "-" else None)
        )


@pytest.mark.parametrize("letter", ["\u2028", "\x0c", "\x85", "\x1c"])
def test_only_line_ends_end_a_row(letter: str, tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", f"case,dice\na{letter}b,0.9\nc,0.8\nd,0.7\n")
    assert len(read_table(path)) == 3


def test_a_quoted_cell_may_hold_a_line_end(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", 'case,dice\n"a\nb",0.9\nc,0.8\n')
    assert len(read_table(path)) == 2


def test_names_lose_surrounding_blanks_and_keep_commas_in_quotes(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", ' case , "dice" ,"dice, mean"\na,0.9,0.8\nb,0.8,0.7\n')
    assert read_table(path).names[0] == "case"
    assert read_table(path).names[2] == "dice, mean"


def test_case_ids_keep_their_zeros(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "case,dice\n001,0.9\n002,\n003,0.7\n")
    with pytest.raises(hw.DataError, match=r"\(case 002\)"):
        hw.estimate(hw.CaseValues.from_table(read_table(path)))


def test_rows_without_case_ids_are_named_by_their_line(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "dice,iou\n0.9,0.8\n0.7,0.6\n,0.5\n")
    with pytest.raises(hw.DataError, match="row 4"):
        hw.estimate(hw.CaseValues.from_table(read_table(path)))


def test_blank_lines_do_not_shift_the_row_that_an_error_names(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "dice,iou\n0.9,0.8\n\n\n,0.5\n")
    with pytest.raises(hw.DataError, match="row 5"):
        hw.estimate(hw.CaseValues.from_table(read_table(path)))


def test_a_blank_line_in_a_column_of_its_own_is_a_missing_value(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "dice\n0.9\n\n0.8\n0.7\n\n")
    with pytest.raises(hw.DataError, match="missing"):
        hw.estimate(hw.CaseValues.from_table(read_table(path)))


def test_the_index_of_a_parquet_file_is_a_column_like_any_other(tmp_path: Path) -> None:
    FRAME.set_index("case").to_parquet(tmp_path / "t.parquet")
    assert "case" in read_table(tmp_path / "t.parquet").names


def test_unnamed_index_columns_are_no_values(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "t.csv")
    table = hw.estimate(hw.CaseValues.from_table(read_table(tmp_path / "t.csv")))
    assert [*dict.fromkeys(e.label for e in table)] == [
        "U-Net / dice", "U-Net / hd95", "ViT / dice", "ViT / hd95"
    ]  # fmt: skip


def test_empty_columns_without_a_name_as_spreadsheets_leave_them_are_no_matter(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, "t.csv", "case,dice,,\na,0.9,,\nb,0.8,,\n")
    assert [e.label for e in hw.estimate(hw.CaseValues.from_table(read_table(path)))] == ["dice"]


# --------------------------------------------------------------------------- bad files


def test_missing_file(tmp_path: Path) -> None:
    assert complaint(tmp_path / "absent.csv") == "no such file"


def test_missing_file_with_a_neighbour_of_nearly_its_name(tmp_path: Path) -> None:
    written(tmp_path, "dice_scores.csv", "case,dice\na,1\n")
    text = complaint(tmp_path / "dice_score.csv")
    assert text == "no such file; did you mean 'dice_scores.csv'?"


def test_missing_folder(tmp_path: Path) -> None:
    assert complaint(tmp_path / "no" / "such" / "t.csv") == "no such file"


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").mkdir()
    assert complaint(tmp_path / "t.csv").startswith("is a folder; name a file (.csv, ")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "t.csv", "case,dice\na,1\n")

    def refuse(*_: object, **__: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert complaint(path) == "cannot be read (Permission denied)"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("t.yaml", ""),
        ("t", ""),
        ("t.cvs", "; did you mean '.csv'?"),
        ("t.xls", "; did you mean '.xlsx'?"),
    ],
)
def test_wrong_suffix_lists_those_that_can_be_read(name: str, near: str, tmp_path: Path) -> None:
    text = complaint(written(tmp_path, name, "case,dice\na,1\n"))
    assert text.startswith("cannot tell the format from the suffix")
    assert text.endswith(f"use {', '.join(SUFFIXES)}{near}")


@pytest.mark.parametrize("content", ["", "\n", "\n  \n\n", "\ufeff"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
def test_empty_file(content: str, suffix: str, tmp_path: Path) -> None:
    assert complaint(written(tmp_path, f"t{suffix}", content)) == "the file is empty"


@pytest.mark.parametrize("content", ["case,dice\n", "case,dice", "case,dice\n\n\n"])
def test_header_only(content: str, tmp_path: Path) -> None:
    assert complaint(written(tmp_path, "t.csv", content)) == "the table has no rows"


@pytest.mark.parametrize("suffix", [".parquet", ".xlsx"])
def test_header_only_in_other_formats(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    save(FRAME.iloc[:0], path)
    assert complaint(path) == "the table has no rows"


def test_empty_workbook(tmp_path: Path) -> None:
    pd.DataFrame().to_excel(tmp_path / "t.xlsx", index=False)
    assert complaint(tmp_path / "t.xlsx") == "the first sheet is empty"


@pytest.mark.parametrize("header", ["case,dice,dice", "case,dice, dice ", "case, case,dice"])
def test_repeated_column_names(header: str, tmp_path: Path) -> None:
    text = complaint(written(tmp_path, "t.csv", f"{header}\na,0.9,0.8\n"))
    assert text.endswith("appear more than once")
    assert ("'case'" if "case, case" in header else "'dice'") in text


def test_repeated_column_names_in_a_workbook(tmp_path: Path) -> None:
    FRAME.rename(columns={"hd95": "dice"}).to_excel(tmp_path / "t.xlsx", index=False)
    assert complaint(tmp_path / "t.xlsx") == "column name(s) 'dice' appear more than once"


@pytest.mark.parametrize(
    ("content", "row", "cells"),
    [
        ("case,dice\na,0.9\nb,0.8,0.7\n", 3, 3),  # one row too long
        ("case,dice\na,0.9,1\nb,0.8,1\n", 2, 3),  # all rows longer than the header
        ("case,dice,iou\na,0.9,0.8\nb,0.8\n", 3, 2),  # one row too short
        ("case;dice\na;0.9\nb\n", 3, 1),
    ],
)
def test_ragged_rows_name_the_row_and_its_cells(
    content: str, row: int, cells: int, tmp_path: Path
) -> None:
    path = written(tmp_path, "t.csv", content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as a user runs it: nothing may be lost with a warning
        text = complaint(path)
    assert text.startswith(f"line {row} has {cells} cells where the header has ")


def test_a_ragged_row_below_blank_lines_is_named_by_its_own_line(tmp_path: Path) -> None:
    text = complaint(written(tmp_path, "t.csv", "case,dice\na,0.9\n\n\nb,0.8,0.7\n"))
    assert text.startswith("line 5 has 3 cells")


def test_a_quote_that_never_closes(tmp_path: Path) -> None:
    text = complaint(written(tmp_path, "t.csv", 'case,dice\na,0.9\n"b,0.8\nc,0.7\n'))
    assert text.startswith("cannot be read as a table (")


@pytest.mark.parametrize("content", [bytes(range(256)) * 40, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"])
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_binary_data_are_no_text_table(content: bytes, suffix: str, tmp_path: Path) -> None:
    text = complaint(written(tmp_path, f"t{suffix}", content))
    assert text == "is not a text table (it holds binary data)"


@pytest.mark.parametrize("content", [b"", b"not a workbook", b"PK\x03\x04 cut short"])
def test_damaged_workbook(content: bytes, tmp_path: Path) -> None:
    text = complaint(written(tmp_path, "t.xlsx", content))
    assert text.startswith("cannot be read as XLSX (")


@pytest.mark.parametrize("content", [b"", b"not Parquet", b"PAR1 cut short PAR1"])
def test_damaged_parquet(content: bytes, tmp_path: Path) -> None:
    text = complaint(written(tmp_path, "t.parquet", content))
    assert text.startswith("cannot be read as Parquet (")


def test_a_workbook_cut_in_half(tmp_path: Path) -> None:
    FRAME.to_excel(tmp_path / "whole.xlsx", index=False)
    whole = (tmp_path / "whole.xlsx").read_bytes()
    text = complaint(written(tmp_path, "half.xlsx", whole[: len(whole) // 2]))
    assert text.startswith("cannot be read as XLSX (")


def test_an_extra_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    text = complaint(written(tmp_path, "t.parquet", b"any"))
    assert text == "reading Parquet needs pyarrow: pip install 'halfwidth[tables]'"


def test_a_file_without_a_header_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "values.csv"
    file.write_text("0.9\n0.8\n0.7\n")
    with pytest.raises(hw.DataError, match="has no header"):
        read_table(file)


def test_truth_values_that_are_all_true_are_a_proportion(tmp_path: Path) -> None:
    file = tmp_path / "all.csv"
    file.write_text("case,right\n" + "".join(f"c{i},True\n" for i in range(20)))
    (right,) = hw.estimate(hw.read(file))
    assert (right.method, round(right.low, 2), right.high) == ("wilson", 0.84, 1)
