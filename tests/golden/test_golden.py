"""Rendered output against golden files, letter by letter; numbers at full precision to 1e-9.

``make golden``, or ``HALFWIDTH_UPDATE_GOLDEN=1 pytest tests/golden``, writes the files anew; read
the difference before you commit it. ``cases.csv``, ``found.json`` and
``truth.json`` are made up.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from pathlib import Path

import pytest
from support import Run

HERE = Path(__file__).parent
UPDATE = os.environ.get("HALFWIDTH_UPDATE_GOLDEN") == "1"
# Pins the draws too: a percentile interval of the mean rests on nothing else.
DRAWN = "ci cases.csv --by model --metric dsc --missing omit --method percentile --seed 7"
BOTH = "ci cases.csv --by model --metric dsc --missing omit --statistic mean --statistic median"

TEXTS = {
    "table.txt": BOTH,
    "table_drawn.txt": DRAWN,
    "table_lower.txt": "ci cases.csv --by model --value liver --metric dsc --alternative lower",
    "table_unit.txt": "ci cases.csv --value liver --by model --metric hd95 --statistic sd --seed 1",
    "table.md": f"{BOTH} --format markdown",
    "table.tex": f"{BOTH} --format latex",
    "methods.txt": "methods",
    "methods_median.txt": "methods --statistic median",
    "method_bca.txt": "methods bca",
    "explain.txt": "explain",
    "explain_HW201.txt": "explain HW201",
    "detect.txt": "detect found.json truth.json --metric ap50,fppi --average micro --seed 7",
    "detect.md": "detect found.json truth.json --by-threshold --threshold 0.3,0.6 --metric ap "
    "--seed 7 --format markdown",
    "explain_box_iou.txt": "explain box_iou",
    "help.txt": "--help",
    "help_ci.txt": "ci --help",
}
DETECTED = "detect found.json truth.json --metric ap50,pq --average none --seed 7 --method bca"
NUMBERS = {
    "table.json": f"{DRAWN} --format json",
    "table.csv": f"{DRAWN} --format csv",
    "detect.json": f"{DETECTED} --format json",
}


@pytest.fixture
def printed(request: pytest.FixtureRequest, run: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the command of a golden file prints on a terminal of 80 columns."""
    monkeypatch.chdir(HERE)
    ran = run(*(TEXTS | NUMBERS)[request.param].split())
    assert ran.status == 0
    return ran.out


def golden(name: str, text: str) -> str:
    """The golden text, which is ``text`` itself when the files are written anew."""
    path = HERE / "expected" / name
    if UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("printed", "name"), [(name, name) for name in TEXTS], indirect=["printed"]
)
def test_text(printed: str, name: str) -> None:
    assert printed == golden(name, printed), "if it is meant: make golden, and read the diff"


@pytest.mark.parametrize(
    ("printed", "name"),
    [(name, name) for name in ("table.json", "detect.json")],
    indirect=["printed"],
)
def test_json(printed: str, name: str) -> None:
    got, expected = json.loads(printed), json.loads(golden(name, printed))
    assert list(got) == list(expected) == ["schema_version", "estimates"]
    assert got["schema_version"] == expected["schema_version"]
    assert len(got["estimates"]) == len(expected["estimates"])
    for row, wanted in zip(got["estimates"], expected["estimates"], strict=True):
        assert list(row) == list(wanted), "the order of the keys"
        for key, value in wanted.items():
            exact = not isinstance(value, float)
            assert row[key] == (value if exact else pytest.approx(value, rel=1e-9)), key


@pytest.mark.parametrize(("printed", "name"), [("table.csv", "table.csv")], indirect=["printed"])
def test_csv(printed: str, name: str) -> None:
    got, expected = (
        list(csv.reader(io.StringIO(text, newline=""))) for text in (printed, golden(name, printed))
    )
    assert got[0] == expected[0]
    assert len(got) == len(expected)
    for row, wanted in zip(got[1:], expected[1:], strict=True):
        for heading, cell, value in zip(got[0], row, wanted, strict=True):
            assert _same(cell, value), heading


def _same(cell: str, value: str) -> bool:
    try:
        return math.isclose(float(cell), float(value), rel_tol=1e-9)
    except ValueError:
        return cell == value


def test_every_golden_file_belongs_to_a_command() -> None:
    files = {path.name for path in (HERE / "expected").iterdir()}
    # Of documents: tests/results/documents.
    documents = {name for name in files if name.startswith(("comparisons", "rankings"))}
    assert files - documents == set(TEXTS) | set(NUMBERS)
