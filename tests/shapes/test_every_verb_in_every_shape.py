"""Every verb answers in every shape of data, at both doors alike, and what it writes can be read.

The cells are those of `cells.py`: verbs × kinds of data × numbers of models, metrics and levels ×
outputs. All pairs of these are tried by `make test-slow`, few of them by `make test`.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from browser import PRINTER
from door import Answer, run_command
from support import misspelled
from workbench import same

import halfwidth as hw
from halfwidth.core.csv_cells import as_written
from shapes.asked import called, metrics_of, output_words, words
from shapes.cells import PICTURES, TEXTS, Cell, all_cells, covering, pairs_of, refusing, slice_of
from shapes.data import MODELS, write
from shapes.read_back import READERS, numbers_of, read_html, read_picture, same_numbers

ALL = all_cells()
CELLS = covering(ALL)
QUICK = slice_of(CELLS)
CATALOGUES = (hw.METRICS, hw.SAMPLE_METRICS, hw.DETECTION_METRICS)
# The gate says by its status what came out.
ANSWERS = {"gate": (0, 4, 5)}
# What only one door knows: names of files, and how one came to the data.
AT_ONE_DOOR = ("notes", "name")


def shown(cell: Cell) -> Any:
    marks: list[Any] = [] if cell in QUICK else [pytest.mark.slow]
    if cell.output == "printed" and PRINTER is None:
        marks.append(pytest.mark.skip("no browser prints a PDF here"))
    return pytest.param(cell, marks=marks, id=str(cell))


@pytest.mark.parametrize("cell", [*map(shown, CELLS)])
def test_a_verb_in_a_shape(cell: Cell, tmp_path: Path) -> None:
    files = write(cell.kind, cell.shape, tmp_path)
    if refusing(cell):
        refused(cell, files, tmp_path)
        return
    result = called(cell, files, tmp_path)
    if cell.verb == "report":
        of_a_report(cell, files, result, tmp_path)
        return
    if cell.verb != "curve":
        both_doors(cell, files, result, tmp_path)
    OF_OUTPUT.get(cell.output, in_python)(cell, files, result, tmp_path)


def both_doors(cell: Cell, files: list[str], result: Any, folder: Path) -> None:
    """The same answer as JSON."""
    answer = json.loads(answered(cell, [*words(cell, files), "--json"], folder).out)
    same(answer, json.loads(result.to_json()), but=AT_ONE_DOOR)


def test_the_cells_have_all_pairs_of_what_there_is() -> None:
    """Nothing that there is stays without a cell, nor any two of them together."""
    assert set().union(*map(pairs_of, CELLS)) == set().union(*map(pairs_of, ALL))
    for verb, outputs in {(cell.verb, cell.output): None for cell in ALL}:
        assert any(cell.verb == verb and cell.output == outputs for cell in CELLS)
    assert {cell.verb for cell in QUICK} == {cell.verb for cell in ALL}


def refused(cell: Cell, files: list[str], folder: Path) -> None:
    """By both doors, on one line that says what is lacking."""
    ran = run_command([*words(cell, files), *output_words(cell)], folder)
    assert ran.status == 2, ran
    assert not ran.out
    *_, last = ran.err.splitlines()
    assert last.startswith("halfwidth: ")
    assert not misspelled(last)
    if "library" in refusing(cell):
        with pytest.raises(hw.HalfwidthError) as caught:
            called(cell, files, folder)
        assert "\n" not in str(caught.value)


def answered(cell: Cell, command: list[str], folder: Path) -> Answer:
    ran = run_command(command, folder)
    assert ran.status in ANSWERS.get(cell.verb, (0,)), (command, ran.err)
    assert all(line.startswith("halfwidth: ") for line in ran.err.splitlines() if line), ran.err
    return ran


def of_a_report(cell: Cell, files: list[str], result: hw.Report, folder: Path) -> None:
    """The page, and what stands beside it."""
    answered(cell, [*words(cell, files), *output_words(cell)], folder)
    page = read_html((folder / "out.html").read_text(encoding="utf-8"))
    named(cell, page)
    if cell.output == "notebook":
        named(cell, read_html(result._repr_html_()))
    elif cell.output == "json":
        result.save(folder / "python.json")
        ours, theirs = (
            json.loads((folder / f"{name}.json").read_text()) for name in ("out", "python")
        )
        assert ours["estimates"]
        for key in ("estimates", "comparisons", "rankings"):
            same(ours.get(key), theirs.get(key))
    elif cell.output in ("markdown", "latex"):
        suffix = {"markdown": ".md", "latex": ".tex"}[cell.output]
        text = (folder / "out").with_suffix(suffix).read_text(encoding="utf-8")
        named(cell, READERS[cell.output](text))


def of_text(cell: Cell, files: list[str], result: Any, folder: Path) -> None:
    """On stdout and in a file."""
    ran = answered(cell, [*words(cell, files), "--format", cell.output], folder)
    text = READERS[cell.output](ran.out)
    if cell.output == "csv":
        written = folder / "frame.csv"
        result.to_frame().to_csv(written, index=False)
        ours, theirs = pd.read_csv(io.StringIO(ran.out)), pd.read_csv(written)
        # What a spreadsheet would run stands behind an apostrophe, which readers undo.
        ours = ours.map(lambda cell: as_written(cell) if isinstance(cell, str) else cell)
        pd.testing.assert_frame_equal(ours, theirs, check_like=True)
    elif cell.output != "json":
        named(cell, text)
    if cell.verb == "score":
        # Its file is that of the cases.
        return
    suffix = {"table": ".txt", "json": ".json", "csv": ".csv", "markdown": ".md", "latex": ".tex"}
    out = f"out{suffix[cell.output]}"
    answered(cell, [*words(cell, files), "--format", cell.output, "-o", out], folder)
    assert (folder / out).read_text(encoding="utf-8") == ran.out


def of_picture(cell: Cell, files: list[str], result: Any, folder: Path) -> None:
    if cell.output == "plot":
        figure = result.plot()
        assert figure.axes
        figure.savefig(folder / "out.png")
        read_picture(folder / "out.png")
        return
    answered(cell, [*words(cell, files), *output_words(cell)], folder)
    drawn = sorted(folder.glob(f"out*.{cell.output}"))
    assert drawn
    for file in drawn:
        read_picture(file)


def in_python(cell: Cell, _files: list[str], result: Any, _folder: Path) -> None:
    """What a notebook shows, a paper says and a frame holds."""
    if cell.output == "notebook":
        named(cell, read_html(result._repr_html_()))
    elif cell.output == "frame":
        frame = result.to_frame()
        assert cell.verb == "check" or len(frame)
        if cell.verb not in ("curve", "check"):
            same_numbers(frame, numbers_of(json.loads(result.to_json())), within=1e-12)
    else:
        items = result if isinstance(result, Sequence) else [result]
        for text in (item.sentence() for item in items):
            assert text.strip()
            assert "nan" not in text.split()


OF_OUTPUT = {**dict.fromkeys(TEXTS, of_text), **dict.fromkeys(PICTURES, of_picture)}


def named(cell: Cell, text: str) -> None:
    """Models and metrics are named in what a person reads."""
    assert text.strip()
    models = MODELS[: cell.models] if cell.models > 1 and cell.kind != "readings" else ()
    metrics = () if cell.verb in ("curve", "runs") else metrics_of(cell)
    read = re.sub(r"\s+", " ", text)
    for name in (*(models[:2] if cell.verb == "gate" else models), *metrics):
        found = "ap" if name == "ap50" else name
        wanted = next((str(one[found].title) for one in CATALOGUES if found in one), name)
        assert cell.verb == "check" or wanted in read, f"{wanted!r} is not named:\n{text}"
