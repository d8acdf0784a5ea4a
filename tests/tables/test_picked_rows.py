"""Rows of a table that are picked by the levels of its columns."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from support import Run

TABLE = {
    "organ": ["heart", "lung", "heart", None, "heart"],
    "fold": [0.0, 1.0, 1.0, 1.0, 2.0],
    "dice": [0.9, 0.8, 0.7, 0.6, None],
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    pytest.importorskip("pyarrow")
    pd.DataFrame(TABLE).to_parquet(tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("wanted", "dice"),
    [
        (["organ=heart", "fold=0", "fold=1"], [0.9, 0.7]),
        (["organ=lung", "organ=heart", "fold=0", "fold=1"], [0.9, 0.8, 0.7]),
        (["fold=1"], [0.8, 0.7, 0.6]),
        (["organ=heart", "fold=1"], [0.7]),
    ],
)
def test_rows_keep_their_order(wanted: list[str], dice: list[float], table: Path, run: Run) -> None:
    ran = run("convert", table, *(word for one in wanted for word in ("--where", one)))
    _, *rows = ran.out.splitlines()
    assert [float(row.split(",")[2]) for row in rows] == dice


def test_rows_keep_their_numbers(table: Path, run: Run) -> None:
    ran = run("ci", table, "--where", "organ=heart", "--value", "dice")
    assert ran.status == 2
    assert "row 6" in ran.err


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (["organs=heart"], "unknown column 'organs'; did you mean 'organ'?"),
        (["organ=hart"], "column organ has no level 'hart'; did you mean 'heart'?"),
        (["fold=0", "fold=3"], "column fold has no level '3'. Known: 0, 1, 2."),
        (["organ=lung", "fold=0"], "no row has all of organ=lung and fold=0"),
    ],
)
def test_rows_that_are_not_there(wanted: list[str], words: str, table: Path, run: Run) -> None:
    ran = run("convert", table, *(word for one in wanted for word in ("--where", one)))
    assert (ran.status, ran.out) == (2, "")
    assert words in ran.err
