"""Options of all verbs that read tables, and what reaches a terminal from files."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import openpyxl
import pytest
from support import Run

import halfwidth as hw
from halfwidth.cli.main import main
from halfwidth.core.errors import printable, quoted, shortened

ROWS = [("a", 0.91), ("b", 0.88), ("c", 0.93), ("d", 0.85)]
VERBS = {
    "ci": ["ci", "FILE", "--metric", "dsc"],
    "runs": ["runs", "FILE", "--value", "dice", "--metric", "dsc"],
    "pilot": ["plan", "pilot", "FILE", "--metric", "dsc", "-n", "20", "--n-samples", "100"],
    "subsample": ["plan", "subsample", "FILE", "--metric", "dsc", "--sizes", "2,3"],
}
DESIGN = "escape \x1b[31m bell \x07 back \b over \u202eright"


def text(mark: str = ",", point: str = ".") -> str:
    rows = [f"{case}{mark}{value}".replace(".", point) for case, value in ROWS]
    return "\n".join([f"case{mark}dice", *rows]) + "\n"


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain.csv").write_text(text(), encoding="utf-8")
    Path("german.csv").write_text(text(";", ","), encoding="utf-16")
    Path("packed.csv.gz").write_bytes(gzip.compress(text().encode()))
    Path("bare.csv").write_text(text().partition("\n")[2], encoding="utf-8")
    Path("table.dat").write_text(text("\t"), encoding="utf-8")
    book = openpyxl.Workbook()
    book.active.append(["nothing here"])
    sheet = book.create_sheet("Dice")
    for row in [("case", "dice"), *ROWS]:
        sheet.append(row)
    book.save("book.xlsx")


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize(
    ("verb", "file", "options"),
    [
        ("ci", "german.csv", []),
        pytest.param("runs", "packed.csv.gz", [], marks=pytest.mark.slow),
        pytest.param("pilot", "table.dat", ["--input-format", "tsv"], marks=pytest.mark.slow),
        pytest.param("subsample", "book.xlsx", ["--sheet", "Dice"], marks=pytest.mark.slow),
    ],
)
def test_every_verb_reads_every_table_alike(
    verb: str, file: str, options: list[str], run: Run
) -> None:
    def answer(name: str, *more: str) -> str:
        words = [name if word == "FILE" else word for word in VERBS[verb]]
        seeded = ["--seed", "1", "--json"]
        # Of subsamples the bootstrap is exact.
        seeded += ["--n-resamples", "99"] if verb != "subsample" else []
        ran = run(*words, *seeded, *more)
        assert ran.status == 0, ran.err
        return str(ran.out)

    assert answer(file, *options) == answer("plain.csv")


@pytest.mark.usefixtures("_files")
def test_review_reads_them_too(run: Run) -> None:
    Path("r.csv").write_text("label;n;mean;sd\nA;50;0,9;0,05\n", encoding="latin-1")
    ran = run("review", "r.csv", "--metric", "dsc", "--format", "csv")
    assert (ran.status, "decimal commas in column(s) mean, sd" in ran.err) == (0, True)
    assert "A," in ran.out


@pytest.mark.usefixtures("_files")
def test_a_test_set_is_read_with_them(run: Run) -> None:
    Path("p.csv").write_text("y;p\n0;0,1\n1;0,8\n0;0,3\n1;0,6\n", encoding="utf-8")
    ran = run("ci", "p.csv", "--target", "y", "--score", "p", "--metric", "auroc", "--json")
    assert ran.status == 0
    assert '"value": 1.0' in ran.out


@pytest.mark.usefixtures("_files")
def test_a_table_without_a_header(run: Run) -> None:
    ran = run("ci", "bare.csv", "--metric", "dsc")
    assert (ran.status, ran.out) == (2, "")
    assert "say --no-header (they are then col1, col2, …)" in ran.err
    ran = run("ci", "bare.csv", "--metric", "dsc", "--no-header", "--format", "csv")
    assert "\ncol2," in ran.out


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(text().encode("latin-1"))

    monkeypatch.setattr(sys, "stdin", Stdin)
    ran = run("ci", "-", "--metric", "dsc", "--format", "csv")
    assert (ran.status, "\ndice," in ran.out) == (0, True)


def test_what_was_assumed_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("größe;dice\n1;0,5\n2;0,6\n3;0,7\n", encoding="latin-1")
    err = run("ci", tmp_path / "t.csv").err.splitlines()
    assert f"{tmp_path / 't.csv'}: is not in UTF-8 and was read as Windows-1252" in err[0]
    assert err[1].endswith("decimal commas in column(s) dice")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--sheet", "A"],
            "--sheet names a sheet of a workbook, and this is read as csv; leave it out",
        ),
        (["--decimal", "comma"], "--decimal comma is no decimal mark; use '.' or ','"),
        (["--input-format", "xls"], "unknown format 'xls'; did you mean 'xlsx'?"),
    ],
)
@pytest.mark.usefixtures("_files")
def test_options_that_cannot_be(options: list[str], words: str, run: Run) -> None:
    ran = run("ci", "plain.csv", *options)
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("verb", VERBS)
def test_rows_are_picked_by_every_verb(verb: str, run: Run) -> None:
    command = [word.replace("FILE", "plain.csv") for word in VERBS[verb]]
    ran = run(*command, "--where", "case=z")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("halfwidth: plain.csv: --where: column case has no level 'z'")
    assert run(*command, "--where", "case").err == (
        "halfwidth: --where case: not of the form COLUMN=LEVEL, such as organ=heart\n"
    )


@pytest.mark.usefixtures("_files")
def test_picked_rows_are_counted(run: Run) -> None:
    ran = run(
        "ci", "plain.csv", "--metric", "dsc", "--where", "case=a", "--where", "case=c", "--json"
    )
    assert ran.err == "halfwidth: plain.csv: 2 of 4 rows: case=a or c\n"
    assert '"n": 2,' in ran.out


@pytest.mark.parametrize(("condition", "n"), [("=a=b=c", 2), ("=a=d", 1), ("b==2", 2)])
def test_the_name_of_a_column_may_hold_the_sign(
    condition: str, n: int, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("case,=a,b=,dice\na,b=c,1,0.9\nb,b=c,2,0.8\nc,d,2,0.7\n")
    ran = run("ci", tmp_path / "t.csv", "--value", "dice", "--where", condition)
    assert f"{n} of 3 rows: {condition}" in ran.err


# --------------------------------------------------------------------------- terminals


def test_nothing_in_a_file_commands_the_terminal_through_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f'case,"{DESIGN}"\na,1\nb,x\n', encoding="utf-8")
    for arguments in (["--value", "nope"], ["--value", DESIGN]):
        ran = run("ci", tmp_path / "t.csv", *arguments)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.rstrip("\n").isprintable()


def test_names_of_thousands_of_letters_make_no_errors_of_thousands(
    run: Run, tmp_path: Path
) -> None:
    long = "x" * 4500
    (tmp_path / "t.csv").write_text(f"case,{long}\na,1\nb,x\n{long},2\n", encoding="utf-8")
    for arguments in (["--value", "nope"], ["--value", long]):
        assert len(run("ci", tmp_path / "t.csv", *arguments).err) < 700


@pytest.mark.parametrize(
    ("verb", "fmt"), [("ci", "table"), ("ci", "markdown"), ("review", "table"), ("review", "latex")]
)
def test_nothing_in_a_file_commands_the_terminal_through_a_table(
    verb: str, fmt: str, run: Run, tmp_path: Path
) -> None:
    content = f'case,"{DESIGN}"\na,0.5\nb,0.6\nc,0.7\n'
    if verb == "review":
        content = f'label,n,mean,sd\n"{DESIGN}",50,0.9,0.05\n'
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    out = run(verb, tmp_path / "t.csv", "--metric", "dsc", "--format", fmt).out
    assert "escape" in out
    assert all(line.isprintable() for line in out.splitlines())


@pytest.mark.parametrize("terminal", [False, True])
def test_data_stay_exact_but_on_a_terminal(
    terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stdout(io.TextIOWrapper):
        def isatty(self) -> bool:
            return terminal

    stdout = Stdout(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stdout)
    (tmp_path / "t.csv").write_text(f'case,"{DESIGN}"\na,0.5\nb,0.6\nc,0.7\n', encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["ci", str(tmp_path / "t.csv"), "--metric", "dsc", "--format", "csv"])
    written = stdout.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert (printable(DESIGN) in written, DESIGN in written) == (terminal, not terminal)


def test_lists_of_names_are_cut_name_by_name() -> None:
    assert len(quoted(["x" * 5000, "y"])) < 150
    assert shortened(["a\nb", "y" * 5000]).startswith("a b, yyy")
    assert len(shortened(["y" * 5000] * 40)) < 4500
    assert len(str(hw.DataError("word " * 5000))) < 2700
