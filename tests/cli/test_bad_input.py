"""``halfwidth`` on bad input: status 2, a plain line or two on stderr, nothing on stdout."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pandas as pd
import pytest
from support import Run

import halfwidth as hw
from halfwidth.cli.main import main

Complaint = Callable[..., str]

TABLES: dict[str, str] = {
    "good.csv": "case,model,dice,iou\na,U,0.91,0.81\nb,U,0.88,0.78\nc,V,0.93,0.83\nd,V,0.90,0.8\n",
    "one.csv": "case,dice\na,0.9\n",
    "missing.csv": "case,dice\na,0.9\nb,\nc,0.8\nd,nan\ne,NA\nf,\n",
    "infinite.csv": "case,hd95\na,1\nb,inf\nc,2\nd,-inf\n",
    "text.csv": "case,dice\na,0.9\nb,oops\nc,0.8\n",
    "truth.csv": "case,y,dice\na,0,0.9\nb,1,True\nc,0,0.8\n",
    "truth.json": '{"case": {"a": {"dice": 0.9}, "b": {"dice": true}, "c": {"dice": 0.8}}}',
    "comma.csv": "case;dice\na;0,91\nb;0,88\nc;0,93\n",
    "quoted.csv": 'case,dice\na,"0,91"\nb,"0,88"\nc,"0,93"\n',
    "percent.csv": "case,dice\na,91\nb,88\nc,93\n",
    "percent_sign.csv": "case,dice\na,91%\nb,88%\nc,93%\n",
    "range.csv": "case,dice\na,0.9\nb,1.2\nc,-0.3\n",
    "comment.csv": "case,comment\na,good\nb,bad\n",
    "empty.csv": "",
    "header.csv": "case,dice\n",
    "repeated.csv": "case,dice,dice\na,0.9,0.8\n",
    "ragged.csv": "case,dice\na,0.9\nb,0.8,0.7\n",
    "table.json": "{}",
    "table.yaml": "a: 1\n",
    "table.cvs": "case,dice\na,0.9\n",
}


@pytest.fixture
def complaint(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Complaint:
    monkeypatch.chdir(tmp_path)
    for name, content in TABLES.items():
        Path(name).write_text(content, encoding="utf-8")

    def complains(*arguments: object) -> str:
        ran = run(*arguments)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith("halfwidth: ")
        assert ran.err.endswith("\n")
        assert 1 <= ran.err.count("\n") <= 2
        assert "Traceback" not in ran.err
        assert not re.search(r"[─-╿]", ran.err), "no boxed panels"
        assert "  " not in ran.err, "a word is missing"
        return ran.err.removeprefix("halfwidth: ").rstrip("\n")

    return complains


# --------------------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("absent.csv", "absent.csv: no such file"),
        ("god.csv", "god.csv: no such file; did you mean 'good.csv'?"),
        ("no/such/folder.csv", "no/such/folder.csv: no such file"),
        (
            ".",
            ".: is a folder; name a file (.csv, .tsv, .txt, .parquet, .xlsx, .json, .jsonl, .eval)",
        ),
        ("table.yaml", "table.yaml: cannot tell the format from the suffix '.yaml'; use .csv, "),
        ("table.json", "table.json: is in no known format. Read are: nnU-Net v2 "),
        ("table.cvs", "did you mean '.csv'?"),
        ("empty.csv", "empty.csv: the file is empty"),
        ("header.csv", "header.csv: the table has no rows"),
        ("repeated.csv", "repeated.csv: column name(s) 'dice' appear more than once"),
        ("ragged.csv", "ragged.csv: line 3 has 3 cells where the header has 2"),
    ],
)
def test_a_file_that_cannot_be_used(name: str, words: str, complaint: Complaint) -> None:
    assert words in complaint("ci", name)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", bytes(range(256)), "is not a text table (it holds binary data)"),
        ("t.csv", b"case,gr\x81\xdfe\n\xe4,0.9\n", "save it as CSV in UTF-8"),
        ("t.csv", "case,dice\na,0.9\n".encode("utf-16")[:-1], "is not text in UTF-16"),
        ("t.xlsx", b"PK\x03\x04 not a workbook", "cannot be read as XLSX ("),
        ("t.xlsx", b"", "cannot be read as XLSX ("),
        ("t.parquet", b"PAR1 not a table PAR1", "cannot be read as Parquet ("),
    ],
)
def test_a_file_that_is_damaged(
    name: str, content: bytes, words: str, complaint: Complaint
) -> None:
    Path(name).write_bytes(content)
    text = complaint("ci", name)
    assert text.startswith(f"{name}: ")
    assert words in text


def test_rows_longer_than_the_header_lose_no_data(complaint: Complaint) -> None:
    Path("t.csv").write_text("case,dice\na,0.9,5\nb,0.8,6\n")
    assert "line 2 has 3 cells where the header has 2" in complaint("ci", "t.csv")


def test_json_called_csv_is_known_for_what_it_is(complaint: Complaint) -> None:
    Path("t.csv").write_text('{"mean": {"dsc": 0.9}}\n')
    assert "the table has no rows; it looks like JSON" in complaint("ci", "t.csv")


def test_values_of_cases_are_no_published_numbers(complaint: Complaint) -> None:
    Path("t.csv").write_text("case,dice\na,0.9\nb,0.8\n")
    text = complaint("review", "t.csv")
    assert "column 'case' names cases" in text
    assert "use 'halfwidth ci' for values of cases" in text


@pytest.mark.parametrize("target", ["no/such/folder/out.json", "folder.csv"])
def test_an_output_that_cannot_be_written(target: str, complaint: Complaint) -> None:
    Path("folder.csv").mkdir()
    text = complaint("ci", "good.csv", "--metric", "dsc", "--by", "model", "--out", target)
    assert text.startswith(f"{target}: cannot be written (")


# --------------------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("missing.csv --metric dsc", "column 'dice': 4 of 6 values are missing (case"),
        ("missing.csv --metric dsc", " b, d, e, ...)"),
        ("missing.csv --metric dsc", "--missing omit"),
        ("missing.csv --metric dsc", "'worst'"),
        ("missing.csv --missing worst", "needs a penalty"),
        ("missing.csv --metric dsc --missing worst --penalty 3", "--penalty 3 lies outside"),
        ("missing.csv --metric dsc --missing omit --penalty 0", "use --missing worst"),
        (
            "missing.csv --metric hd95 --missing worst",
            "has no finite worst value",
        ),
        ("infinite.csv", "2 of 4 values are missing or infinite (2 infinite) (case"),
        ("infinite.csv", " b, d)"),
        ("text.csv --value dice", "column 'dice': case b holds 'oops', which is not a number"),
        ("text.csv", "'oops'"),
        ("truth.csv --value dice", "column 'dice': case b holds 'True', which is not a number"),
        ("truth.csv --target y --score dice --metric auroc", "holds 'True' in row 3, which is not"),
        ("truth.json", "truth.json: dsc of case b is True, which is not a number, but other"),
        ("comma.csv --decimal .", "case a holds '0,91', which is not a number; write decimals"),
        ("quoted.csv", "write decimals with a point, or say what they are: --decimal ,"),
        ("percent_sign.csv --value dice --metric dsc", "--scale 100"),
        ("percent.csv --metric dsc", "3 of 3 values lie outside the range [0, 1] of DSC (case a"),
        ("percent.csv --metric dsc", "If they are per cent: --scale 100"),
        (
            "range.csv --metric dsc",
            "2 of 3 values lie outside the range [0, 1] of DSC (case b: 1.2",
        ),
        ("range.csv --metric correct", "outside 0 and 1 of correct"),
        ("good.csv --metric hd95 --bounds 0,0.5", "outside the range [0, 0.5] of HD95"),
        ("comment.csv", "no numeric column to estimate; the table has case, comment"),
    ],
)
def test_values_that_cannot_be_used(arguments: str, words: str, complaint: Complaint) -> None:
    assert words in complaint("ci", *arguments.split())


# --------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--value Dice", "no column 'Dice'; did you mean 'dice'? It has case, model, dice"),
        ("--by modle", "no column 'modle'; did you mean 'model'?"),
        ("--case cas", "no column 'cas'; did you mean 'case'?"),
        ("--value dice --by dice", "'dice' cannot be values and by at once"),
        ("--metric dcs", "unknown metric 'dcs'; did you mean 'dsc'?"),
        ("--metric my_score", "A metric of your own needs bounds"),
        ("--statistic medain", "unknown statistic 'medain'; did you mean 'median'?"),
        ("--statistic quantile", "write quantile:q=VALUE"),
        ("--statistic quantile:2", "q=2 is not above 0 and below 1"),
        ("--method bac", "unknown method 'bac'; did you mean"),
        ("--method wilson", "makes no interval for the mean unless every value is 0 or 1"),
        (
            "--statistic median --method t",
            "use auto, percentile, bca, bca_expanded, basic, exact",
        ),
        ("--method hoeffding", "needs a metric with finite bounds"),
        ("--format jsn", "unknown format 'jsn'; did you mean 'json'? Known: table, json, csv"),
        ("--missing omitt", "did you mean 'omit'?"),
        ("--missing drop", "is none of raise, omit, worst, all"),
        ("--statistic quantile:90", "q=90 is not above 0 and below 1; for 90 % write 0.9"),
        ("--alternative less", "two-sided, lower, upper"),
        ("--confidence-level 95", "for 95 % write 0.95"),
        ("--confidence-level 0", "is not strictly between 0 and 1"),
        ("--confidence-level 1", "is not strictly between 0 and 1"),
        ("--confidence-level nan", "is not strictly between 0 and 1"),
        ("--n-resamples 0", "--n-resamples 0 must be an integer ≥ 2"),
        ("--seed -1", "-1"),
        ("--bounds 1,0", "bounds need a low end below the high one, got (1.0, 0.0)"),
        ("--bounds 0", "--bounds '0' is not LOW,HIGH, for example 0,1 or 0,inf"),
        ("--bounds 0,x", "--bounds '0,x' is not LOW,HIGH"),
        ("--scale 0", "--scale 0 is not a positive number"),
        ("--penalty 1", "use --missing worst"),
    ],
)
def test_options_that_cannot_be_used(arguments: str, words: str, complaint: Complaint) -> None:
    assert words in complaint("ci", "good.csv", *arguments.split())


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("--confidence-level", "high"),
        ("--confidence-level", "95%"),
        ("--n-resamples", "1.5"),
        ("--n-resamples", "x"),
        ("--seed", "today"),
        ("--scale", "cm"),
        ("--penalty", "worst"),
    ],
)
def test_text_for_a_number_names_the_option_and_the_text(
    option: str, given: str, complaint: Complaint
) -> None:
    text = complaint("ci", "good.csv", option, given)
    assert option in text
    assert given in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cii", "good.csv"], "no command 'cii'; did you mean 'ci'?"),
        (["ci"], "name the table: halfwidth ci FILE"),
        (["runs"], "FILE is missing: table"),
        (["plan", "proportion", "-n", "9"], "--expected is missing: the value expected"),
        (["runs", "good.csv", "other.csv"], "too many arguments: other.csv"),
        (["ci", "good.csv", "--nope"], "no option --nope"),
        (["ci", "good.csv", "--metrc", "dsc"], "--metric"),
        (["ci", "good.csv", "--metric"], "'--metric' requires an argument"),
        (["--nope"], "no option --nope"),
    ],
)
def test_words_that_are_no_command_or_option(
    arguments: list[str], words: str, complaint: Complaint
) -> None:
    text = complaint(*arguments)
    assert words in text
    assert "--help'" in text


# --------------------------------------------------------------------------- degenerate, but fine


@pytest.mark.parametrize("fmt", ["table", "json", "csv", "markdown", "latex"])
def test_no_interval_is_a_result_and_no_error(
    fmt: str, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    (tmp_path / "one.csv").write_text(TABLES["one.csv"])
    with pytest.raises(SystemExit) as left:
        main(["ci", str(tmp_path / "one.csv"), "--metric", "assd", "--format", fmt])
    captured = capfdbinary.readouterr()
    assert left.value.code == 0
    assert b"HW306" in captured.out
    assert captured.err == b""


# --------------------------------------------------------------------------- internal errors


def _break(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def broken(*_: object, **__: object) -> NoReturn:
        raise error

    monkeypatch.setattr(hw.Estimates, "__init__", broken)


def test_an_internal_error_is_1_and_asks_for_a_report(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TABLES["good.csv"])
    _break(monkeypatch, ZeroDivisionError("oh"))
    with pytest.raises(SystemExit) as left:
        main(["ci", str(tmp_path / "t.csv")])
    captured = capfdbinary.readouterr()
    assert left.value.code == 1
    assert captured.out == b""
    assert captured.err.decode() == (
        "halfwidth: internal error: ZeroDivisionError: oh. "
        "Run again with --debug and report what it prints\n"
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "'halfwidth ci good.csv'; take fewer cases"),
        (
            MemoryError("Unable to allocate 75 GiB"),
            "good.csv' (Unable to allocate 75 GiB); take fewer",
        ),
    ],
)
def test_too_little_memory_says_for_what(
    error: MemoryError, said: str, complaint: Complaint, monkeypatch: pytest.MonkeyPatch
) -> None:
    _break(monkeypatch, error)
    assert said in complaint("ci", "good.csv")


def test_what_the_system_refuses_is_no_fault_of_ours(
    complaint: Complaint, monkeypatch: pytest.MonkeyPatch
) -> None:
    _break(monkeypatch, PermissionError(13, "Permission denied", "a/folder"))
    assert complaint("ci", "good.csv") == "a/folder: Permission denied"


def test_interrupted_is_130(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pd.DataFrame({"dice": [0.9, 0.8]}).to_csv(tmp_path / "t.csv", index=False)
    _break(monkeypatch, KeyboardInterrupt())
    with pytest.raises(SystemExit) as left:
        main(["ci", str(tmp_path / "t.csv")])
    assert left.value.code == 130
    assert b"Traceback" not in capfdbinary.readouterr().err


@pytest.mark.parametrize("words", [("ci",), ("runs",), ("score", "first"), ("study", "init")])
def test_links_that_lead_nowhere_are_called_so(
    words: tuple[str, ...], tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("first").symlink_to("second")
    Path("second").symlink_to("first")
    Path("gone").symlink_to("nothing.csv")
    looping = run(*words, "first")
    assert looping.status == 2
    assert "first: a link that leads back to itself, and to no file" in looping.err
    if len(words) == 1:
        assert "gone: a link to nothing.csv, where nothing is" in run(*words, "gone").err


def test_ids_that_differ_by_an_apostrophe_are_two_cases(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "ids.csv"
    rows = ["=x,A,0.5", "'=x,A,0.6", "c,A,0.7", "=x,B,0.6", "'=x,B,0.8", "c,B,0.4"]
    file.write_text("\n".join(["case,model,dsc", *rows]) + "\n")
    cases = [row.split(",")[0] for row in run("convert", file).out.splitlines()[1:]]
    # As text they are defused.
    assert sorted(set(cases)) == ["''=x", "'=x", "c"]


def test_an_apostrophe_beside_an_empty_cell_is_a_cell(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "cells.csv"
    file.write_text("case,organ,dsc\na,',0.5\nb,,0.6\nc,liver,0.7\n")
    rows = run("convert", file, "--metric", "dsc").out.splitlines()
    assert [row.rpartition(",")[2] for row in rows] == ["organ", "'", "", "liver"]


def test_bounds_that_are_a_text_are_refused_for_curves() -> None:
    test = hw.Predictions.from_arrays([0, 1] * 5, [0.1, 0.9] * 5, bounds="unit")
    with pytest.raises(hw.OptionError, match="has no effect on curves"):
        hw.curve(test, "roc", n_resamples=19)
