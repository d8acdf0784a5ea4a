"""Tables of text as people have them: encodings, decimal marks, compression, missing headers."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pytest
from support import Run

import halfwidth as hw
from halfwidth.core.option_names import Door, through
from halfwidth.io import delimited
from halfwidth.io.table import Table
from halfwidth.tables.readers import Reading, read_table

PLAIN = "case,größe,dice\nä,1.5,0.9\nb,,0.8\nc,3,0.7\n"
GERMAN = "fall;dice;hd95\na;0,91;1,5\nb;0,88;2,25\nc;NA;3\n"


def read(folder: Path, content: str | bytes, name: str = "t.csv", **how: object) -> Table:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(path, Reading(**how))  # type: ignore[arg-type]


def complaint(folder: Path, content: str | bytes, name: str = "t.csv", **how: object) -> str:
    with pytest.raises(hw.DataError) as caught:
        read(folder, content, name, **how)
    return str(caught.value).removeprefix(f"{folder / name}: ")


def numbers(table: Table, name: str) -> list[float]:
    found: list[float] = table.values(name, np.arange(len(table))).tolist()
    return found


# --------------------------------------------------------------------------- letters


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"],
)
def test_a_table_is_the_same_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    table = read(tmp_path, PLAIN.encode(encoding))
    assert table.names == ["case", "größe", "dice"]
    assert numbers(table, "dice") == [0.9, 0.8, 0.7]
    assert table.levels("case") == ["ä", "b", "c"]
    assumed = encoding in ("latin-1", "cp1252")
    assert ["Windows-1252" in said for said in table.notes] == [True] * assumed


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_a_marked_encoding_that_its_text_is_not_in(mark: bytes, tmp_path: Path) -> None:
    text = complaint(tmp_path, mark + b"a,b\n1")
    assert text.startswith("is not text in UTF-16, as it begins")


def test_latin_1_far_down_a_file_is_said_too(tmp_path: Path) -> None:
    lines = ["case,dice", *([f"{0:0100},0.9"] * 11_000), "größe,0.8"]
    table = read(tmp_path, "\n".join(lines).encode("latin-1"))
    assert table.levels("case")[-1] == "größe"
    assert len(table.notes) == 1


def test_bytes_that_no_encoding_has(tmp_path: Path) -> None:
    assert complaint(tmp_path, b"case,\x81\na,1\n") == (
        "is not text in UTF-8; save it as CSV in UTF-8"
    )


def test_control_characters_of_no_text_are_binary_data(tmp_path: Path) -> None:
    assert "binary data" in complaint(tmp_path, b"case,\xe4\x02\x03\na,1\n")


# --------------------------------------------------------------------------- decimal marks


def test_decimal_commas_are_recognised_beside_semicolons(tmp_path: Path) -> None:
    table = read(tmp_path, GERMAN)
    assert numbers(table, "hd95") == [1.5, 2.25, 3.0]
    assert numbers(table, "dice")[:2] == [0.91, 0.88]
    assert table.notes == ("decimal commas in column(s) dice, hd95",)


def test_decimal_commas_of_quoted_cells_need_to_be_said(tmp_path: Path) -> None:
    content = 'case,dice\na,"0,91"\nb,"0,88"\n'
    assert not read(tmp_path, content).is_numeric("dice")
    table = read(tmp_path, content, decimal=",")
    assert numbers(table, "dice") == [0.91, 0.88]
    assert not table.notes


def test_a_point_keeps_commas_as_text(tmp_path: Path) -> None:
    assert read(tmp_path, GERMAN, decimal=".").levels("dice") == ["0,91", "0,88", None]


def test_a_word_among_decimal_commas_is_the_cell_that_is_named(tmp_path: Path) -> None:
    table = read(tmp_path, GERMAN.replace("0,88", "oops"))
    with pytest.raises(hw.DataError, match=r"case in row 3 holds 'oops'"):
        hw.estimate(hw.CaseValues.from_table(table, "dice", missing="omit"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a;b\nx;1.234,5\ny;2,5\n", "line 2, column 'b': 1.234,5 has a separator of thousands"),
        ("a;b\nx;1,5\ny;1.234\n", "line 3, column 'b': 1.234 has a point where decimals have"),
        ("a;b;c\nx;1,5;2\ny;1,25;2.5\n", "line 3, column 'c': 2.5 has a point where decimals"),
        ("a\tb\nx\t1,234\ny\t2,345\n", "1,234 may be a thousand or a fraction; say decimal=',' if"),
    ],
)
def test_numbers_that_could_be_two_are_refused(content: str, words: str, tmp_path: Path) -> None:
    assert words in complaint(tmp_path, content)


def test_commas_between_tabs_that_can_only_be_decimal(tmp_path: Path) -> None:
    assert numbers(read(tmp_path, "a\tb\nx\t0,234\ny\t2,345\n"), "b") == [0.234, 2.345]


def test_texts_with_points_and_commas_are_left_alone(tmp_path: Path) -> None:
    table = read(tmp_path, "a;note;v\nx;see p. 3, or 4;1,5\ny;v1.2.3;2,5\n")
    assert table.levels("note") == ["see p. 3, or 4", "v1.2.3"]


def test_decimal_commas_of_a_table_without_rows(tmp_path: Path) -> None:
    assert complaint(tmp_path, "a;b\n", decimal=",") == "the table has no rows"


# --------------------------------------------------------------------------- compression


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv.gz", "T.CSV.GZ"])
def test_compressed_tables(name: str, tmp_path: Path) -> None:
    content = PLAIN if "csv" in name.lower() else PLAIN.replace(",", "\t")
    table = read(tmp_path, gzip.compress(content.encode()), name)
    assert numbers(table, "dice") == [0.9, 0.8, 0.7]


def test_a_compressed_table_whose_name_does_not_say_so(tmp_path: Path) -> None:
    assert len(read(tmp_path, gzip.compress(PLAIN.encode()))) == 3


@pytest.mark.parametrize("kept", [5, 20, -4])
def test_compressed_data_that_are_cut_short(kept: int, tmp_path: Path) -> None:
    text = complaint(tmp_path, gzip.compress(PLAIN.encode())[:kept], "t.csv.gz")
    assert text == "its compressed data are damaged or cut short"


def test_a_bomb_is_refused_before_it_goes_off(tmp_path: Path) -> None:
    content = gzip.compress(b"case,dice\n" + b"a,0.5\n" * (3 * 10**6))
    assert complaint(tmp_path, content, "t.csv.gz").startswith("unpacks to more than ")


def test_an_archive_that_is_no_table(tmp_path: Path) -> None:
    text = complaint(tmp_path, b"", "t.parquet.gz")
    assert text.startswith("cannot tell the format from the suffix '.gz'")


# --------------------------------------------------------------------------- standard input


class _Stdin:
    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize(
    ("content", "how"),
    [
        (PLAIN.encode(), {}),
        (PLAIN.replace(",", "\t").encode(), {"format": "tsv"}),
        (gzip.compress(PLAIN.encode("utf-16"), mtime=0), {}),
    ],
    ids=["csv", "tsv", "gzip"],
)
def test_a_table_from_standard_input(
    content: bytes, how: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(content))
    table = read_table("-", Reading(**how))  # type: ignore[arg-type]
    assert numbers(table, "dice") == [0.9, 0.8, 0.7]


def test_nothing_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", _Stdin(b""))
    with pytest.raises(hw.DataError, match=r"^standard input: the file is empty$"):
        read_table("-")


# --------------------------------------------------------------------------- headers


@pytest.mark.parametrize(
    "content",
    [
        "mean_dice\t0.8312\nmean_iou\t0.72\n",  # MONAI's metrics.csv
        "mean_dice\t0.8312\n",
        "case_01,0.91,0.88\ncase_02,0.85,0.79\n",
        "case_01,1,0\ncase_02,0,1\n",
        "case_01,0,1\ncase_02,1,1\n",
        "liver,12\nspleen,15\n",
        "0.91,0.88\n0.85,0.79\n",
        "0,1\n1,0\n1,1\n",  # targets and predictions
        "1,0.83\n2,0.91\n",
        "0.9,0.9\n0.8,0.7\n",
        "a,NA\nb,0.5\n",
        "0\n0.9\n0.8\n",  # a case of Dice 0, or a class 0
        "Klinik;0,91\nKlinik;0,88\n",
    ],
)
def test_a_table_without_a_header_is_refused(content: str, tmp_path: Path) -> None:
    with through(Door.COMMAND_LINE):
        text = complaint(tmp_path, content)
    assert text.startswith("has no header: its first line (")
    assert "--no-header" in text
    assert "--header" in text


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("case,0,1,2\na,0.9,0.8,0.7\nb,0.8,0.7,0.6\n", ["case", "0", "1", "2"]),
        ("0,1,2\n0.9,0.8,0.7\n0.8,0.7,0.6\n", ["0", "1", "2"]),
        ("1,2\n1.5,0.25\n2.5,3\n", ["1", "2"]),
        (",0,1\n0,0.9,0.8\n1,0.8,0.7\n", ["", "0", "1"]),
        ("2019,2021\n0.9,0.8\n0.8,0.7\n", ["2019", "2021"]),
        ("case,0.5,0.75\na,0.9,0.8\nb,0.8,0.7\n", ["case", "0.5", "0.75"]),
        ("Klinik,Dice,2020\nA,0.9,0.5\nA,0.8,0.6\n", ["Klinik", "Dice", "2020"]),
        ("case,1,2,5\na,3,0,1\nb,2,2,2\n", ["case", "1", "2", "5"]),
        ("a,b\nc,d\n", ["a", "b"]),
    ],
)
def test_names_that_are_numbers_may_be_names(
    content: str, names: list[str], tmp_path: Path
) -> None:
    table = read(tmp_path, content)
    assert table.names == names
    # Where nothing but numbers says so, the user is told.
    assert len(table.notes) == (not any(name.isalpha() for name in names) and "" not in names)


def test_columns_of_a_table_without_a_header_are_numbered_where_that_is_asked_for(
    tmp_path: Path,
) -> None:
    table = read(tmp_path, "case_01,0.91\ncase_02,0.85\n", header=False)
    assert table.names == ["col1", "col2"]
    assert numbers(table, "col2") == [0.91, 0.85]
    assert table.row_number(0) == 1


def test_a_line_that_looks_like_data_is_the_header_where_that_is_said(tmp_path: Path) -> None:
    table = read(tmp_path, "liver,12\nspleen,15\n", header=True)
    assert (table.names, len(table)) == (["liver", "12"], 1)


def test_averages_of_monai_point_to_the_cases(tmp_path: Path) -> None:
    text = complaint(tmp_path, "mean_dice\t0.8312\nmean_iou\t0.72\n", "metrics.csv")
    assert "the values of the cases are in the file *_raw.csv" in text


# --------------------------------------------------------------------------- summaries

MONAI = (
    "class\tmean\tmedian\tmax\t5percentile\t95percentile\tnotnans\n"
    "liver\t0.9\t0.91\t0.99\t0.5\t0.98\t20\nspleen\t0.8\t0.81\t0.99\t0.5\t0.98\t20\n"
)


@pytest.mark.parametrize(
    "content",
    [
        MONAI,
        "organ,mean,std,n\nliver,0.9,0.1,20\nspleen,0.8,0.2,20\n",
        ",count,mean,std,min,25%,50%,75%,max\nliver,9,1,2,3,4,5,6,7\n",
        ",liver\ncount,20\nmean,0.9\nstd,0.1\nmin,0.4\n25%,0.5\n50%,0.6\n75%,0.7\nmax,0.99\n",
    ],
)
def test_a_summary_has_no_cases(content: str, tmp_path: Path) -> None:
    table = read(tmp_path, content)
    with pytest.raises(hw.DataError, match=r"^the table is a summary: its (columns|rows) are"):
        hw.estimate(hw.CaseValues.from_table(table, metric="dsc"))


@pytest.mark.parametrize("word", ["mean", "Average", "std", "median"])
def test_a_total_below_the_cases_is_no_case(word: str, tmp_path: Path) -> None:
    table = read(tmp_path, f"case,dice\na,0.9\nb,0.8\nc,0.7\n{word},0.8\n")
    with pytest.raises(hw.DataError, match=rf"names '{word}' among the cases \(row 5\)"):
        hw.estimate(hw.CaseValues.from_table(table, metric="dsc"))


@pytest.mark.parametrize(
    "content",
    [
        "filename\tclass0\tclass1\tmean\na\t0.9\t0.8\t0.85\nb\t0.7\t0.8\t0.75\nc\t0.9\t1\t0.95\n",
        "case,mean,median,max\na,1,2,3\nb,2,3,4\nc,1,1,7\n",  # distances of each case
        "case,min,max\na,1,2\nb,2,3\nc,1,4\n",
        "case,v\np01,1\np02,2\nq3,3\n",  # patients, not quantiles
        "model,q1,q2,q3\na,1,2,3\nb,2,3,4\nc,1,1,7\n",
        "case,2019,2020\na,1.5,2\nb,2,3.5\nc,1,4\n",
    ],
)
def test_statistics_of_each_case_are_values(content: str, tmp_path: Path) -> None:
    table = read(tmp_path, content)
    assert len(hw.estimate(hw.CaseValues.from_table(table))) == len(table.names) - 1


def test_counts_are_not_called_per_cent(tmp_path: Path) -> None:
    table = read(tmp_path, "case,dice,voxels\na,0.9,20\nb,0.8,20\nc,0.7,19\n")
    with pytest.raises(hw.DataError, match=r"column 'voxels'.* if they are counts") as caught:
        hw.estimate(hw.CaseValues.from_table(table, metric="dsc"))
    assert "look like per cent" not in str(caught.value)


# --------------------------------------------------------------------------- cells


def test_a_cell_of_thousands_of_digits_is_a_level_like_any_other(tmp_path: Path) -> None:
    long = "7" * 5000
    table = read(tmp_path, f"case,dice\n{long},0.9\n01,0.8\n1,0.7\n")
    assert table.levels("case") == [long, "01", 1]
    assert [e.n for e in hw.estimate(hw.CaseValues.from_table(table))] == [3]


def test_a_value_of_thousands_of_digits_is_infinite(tmp_path: Path) -> None:
    table = read(tmp_path, f"case,dice\na,{'7' * 5000}\nb,0.8\nc,0.7\n")
    with pytest.raises(hw.DataError, match=r"lie outside the range \[0, 1\]"):
        hw.estimate(hw.CaseValues.from_table(table, metric="dsc"))


def test_a_cell_without_end_is_refused_in_plain_words(tmp_path: Path) -> None:
    text = complaint(tmp_path, f"case,dice\na,{'x' * 200_000}\n")
    assert text == "line 2 has a cell of more than 131072 letters"


def test_rows_far_down_are_named_by_their_line(tmp_path: Path) -> None:
    rows = [f"c{place},0.5" for place in range(40_000)]
    rows[33_333] = "c,0.5,0.5"
    text = complaint(tmp_path, "\n".join(["case,dice", "", *rows]))
    assert text == "line 33336 has 3 cells where the header has 2"


def test_a_blank_line_far_down_is_a_missing_value_unless_nothing_follows(tmp_path: Path) -> None:
    rows = ["0.5"] * 40_000
    rows[20_000] = ""
    table = read(tmp_path, "\n".join(["dice", *rows, "", "", ""]))
    assert len(table) == 40_000
    assert np.flatnonzero(np.isnan(table.values("dice", np.arange(40_000)))).tolist() == [20_000]
    assert table.row_number(20_000) == 20_002


def test_wide_tables_are_read_in_shorter_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    rows = [[f"{row}.{column}" for column in range(12)] for row in range(50)]
    header = [f"x{column}" for column in range(12)]
    path.write_text("\n".join(",".join(row) for row in [header, *rows]), encoding="utf-8")
    whole = read_table(path)
    monkeypatch.setattr(delimited, "CELLS", 100)
    monkeypatch.setattr(delimited, "FEWEST", 1)
    parts = read_table(path)
    assert whole.names == parts.names
    for name in whole.names:
        assert whole.levels(name) == parts.levels(name)


def test_more_columns_than_any_table_has(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"x," * 200_000 + b"y\n" + b"0," * 200_000 + b"1\n")
    with pytest.raises(hw.DataError, match="200001 columns; at most 100000"):
        read_table(path)


# --------------------------------------------------------------------------- lines above a table


@pytest.mark.parametrize(
    ("above", "names", "line"),
    [
        ("# made by 'x, \"on Monday\n\n# Dice, per case\ncase,dsc\n", ["case", "dsc"], 6),
        ("sep=;\ncase;dsc\n", ["case", "dsc"], 4),
        ('"sep=;"\r\n# Dice\r\ncase;dsc\r\n', ["case", "dsc"], 5),
        ("#case,dsc\n", ["case", "dsc"], 3),
        ("# Dice of the model\n# case,dsc\n", ["case", "dsc"], 4),
        ("#from,now\ncase,dsc\n", ["case", "dsc"], 4),
        ("#,dsc\n", ["#", "dsc"], 3),
    ],
)
def test_lines_above_a_table_are_no_rows(
    above: str, names: list[str], line: int, run: Run, tmp_path: Path
) -> None:
    rows = "a,0.9\n#b,oops\nc,0.7\n"
    (tmp_path / "t.csv").write_text(above + (rows.replace(",", ";") if ";" in above else rows))
    assert read_table(tmp_path / "t.csv").names == names
    ran = run("convert", tmp_path / "t.csv", "--metric", "dsc", "--case", names[0])
    assert f"column 'dsc' holds 'oops' in row {line}, which is no number" in ran.err


def test_a_header_behind_a_comment_sign_is_kept_and_said(tmp_path: Path) -> None:
    table = read(tmp_path, "#case,organ\na,liver\nb,heart\n")
    assert (table.names, table.levels("case")) == (["case", "organ"], ["a", "b"])
    assert table.notes == ("line 1 was taken for the names of the columns, not for a comment",)
    assert read(tmp_path, "#case,organ\na,liver\n", header=False).names == ["col1", "col2"]


@pytest.mark.parametrize("content", ["sep=;\n", "# nothing\n", "sep=;\n#case;dsc\n\n"])
def test_lines_above_no_table(content: str, tmp_path: Path) -> None:
    assert complaint(tmp_path, content) == "the table has no rows"
