"""Parquet files: columns that are no numbers, and files that promise too much."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import halfwidth as hw
from halfwidth.core.option_names import Door, through
from halfwidth.io import parquet
from halfwidth.io.table import Table
from halfwidth.tables.readers import Reading, read_table

DAY = dt.date(2024, 2, 29)


def saved(folder: Path, columns: Any, names: list[str] | None = None) -> Path:
    table = pa.table(columns) if names is None else pa.table(columns, names=names)
    pq.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


def complaint(path: Path, **how: object) -> str:
    with pytest.raises(hw.HalfwidthError) as caught:
        read_table(path, Reading(**how))  # type: ignore[arg-type]
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[0.1, 0.2], [], None]),
        pa.array([{"a": 1}, {"a": 2}, None]),
        pa.array([[("k", 1.0)], [], None], pa.map_(pa.string(), pa.float64())),
        pa.array([DAY, DAY, None]),
        pa.array([dt.datetime(2024, 2, 29), None, None]),  # noqa: DTZ001
        pa.array([1, 2, None], pa.duration("s")),
        pa.array([dt.time(1), None, None]),
        pa.array([b"\xff", b"x", None]),
        pa.array(["liver", "spleen", None]).dictionary_encode(),
        pa.nulls(3),
    ],
    ids=lambda column: str(column.type),
)
def test_columns_that_are_no_numbers_are_no_values(column: Any, tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, {"dice": [0.9, 0.8, 0.7], "odd": column}))
    assert not table.is_numeric("odd")
    with pytest.raises(hw.DataError, match="column 'odd'"):
        hw.estimate(hw.CaseValues.from_table(table, "odd"))
    assert hw.estimate(hw.CaseValues.from_table(table, "dice", by="odd", missing="omit"))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([Decimal("0.9"), Decimal("0.8"), None]),
        pa.array([True, False, None]),
        pa.array([1, 2, None], pa.uint8()),
        pa.array([0.5, 1.5, None], pa.float32()),
        pa.array([1.0, 2.0, None]).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_numbers_of_any_type_are_numbers(column: Any, tmp_path: Path) -> None:
    table = read_table(saved(tmp_path, {"v": column}))
    (e,) = hw.estimate(hw.CaseValues.from_table(table, missing="omit"))
    assert (e.n, e.n_missing) == (2, 1)


def test_repeated_names(tmp_path: Path) -> None:
    path = saved(tmp_path, [pa.array([0.5]), pa.array([0.6])], ["dice", "dice"])
    assert complaint(path) == "column name(s) 'dice' appear more than once"


def test_no_columns(tmp_path: Path) -> None:
    assert complaint(saved(tmp_path, {})) == "the table has no columns"


def test_more_cells_than_are_sane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MOST_CELLS", 5)
    path = saved(tmp_path, {"dice": [0.5] * 3, "iou": [0.5] * 3})
    assert complaint(path).startswith("promises 6 cells; at most 5 are read")


def test_a_file_that_is_cut_short(tmp_path: Path) -> None:
    path = saved(tmp_path, {"dice": [0.5] * 100})
    path.write_bytes(path.read_bytes()[:-20])
    assert complaint(path).startswith("cannot be read as Parquet (")


@pytest.mark.parametrize("column", [np.zeros(200), ["a" * 50] * 200, ["a", None] * 100])
def test_a_small_file_that_would_fill_the_memory(
    column: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path, {"dice": [0.5] * 200, "other": column})
    assert len(read_table(path)) == 200
    monkeypatch.setattr(parquet, "ALWAYS_TAKEN", 8000)
    monkeypatch.setattr(parquet, "MOST_EXPANSION", 1)
    assert "MB of memory" in complaint(path)


def test_lists_are_not_unpacked(tmp_path: Path) -> None:
    path = saved(tmp_path, {"a.b": [0.5] * 2, "all": [[0.0] * 10**6] * 2, "dice": [0.6, 0.7]})
    table = read_table(path)
    assert table.names == ["a.b", "all", "dice"]
    assert table.levels("all") == [parquet.NESTED] * 2
    assert table.values("dice", np.arange(2)).tolist() == [0.6, 0.7]


def test_the_memory_of_texts_counts_each_as_often_as_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path, {"case": ["ab", "c", None, "ab"], "dice": [0.5] * 4})
    # Four numbers, and four texts of 2 + 1 + 0 + 2 letters.
    taken = 4 * parquet.BYTES_OF_NUMBER + 4 * parquet.BYTES_OF_TEXT + 5 * parquet.TIMES_TEXT
    monkeypatch.setattr(parquet, "MOST_EXPANSION", 0)
    monkeypatch.setattr(parquet, "ALWAYS_TAKEN", taken)
    assert len(read_table(path)) == 4
    monkeypatch.setattr(parquet, "ALWAYS_TAKEN", taken - 1)
    assert "MB of memory" in complaint(path)


def test_text_in_no_encoding(tmp_path: Path) -> None:
    path = saved(tmp_path, {"case": ["groesse"] * 3, "dice": [0.5, 0.6, 0.7]})
    path.write_bytes(path.read_bytes().replace(b"groesse", b"gr\xf6\xdfe12"))
    assert complaint(path).startswith("cannot be read as Parquet (")


@pytest.mark.parametrize(
    ("how", "option"), [({"header": False}, "--no-header"), ({"decimal": ","}, "--decimal")]
)
def test_options_of_text_have_no_effect(
    how: dict[str, object], option: str, tmp_path: Path
) -> None:
    path = saved(tmp_path, {"dice": [0.5] * 3})
    with through(Door.COMMAND_LINE):
        assert complaint(path, **how) == f"{option} has no effect on Parquet; leave it out"


@pytest.mark.parametrize(
    "cells",
    [
        np.array(["2024-02-29", "NaT"], dtype="datetime64[D]"),
        pd.Series([pd.Timestamp("2024-02-29"), pd.NaT]),
        np.array([1, 2], dtype="timedelta64[s]"),
        [1j, 2j],
        [[1], [2]],
    ],
    ids=str,
)
def test_dates_and_the_like_in_a_data_frame_are_no_values(cells: Any) -> None:
    table = Table.from_frame({"dice": [0.9, 0.8], "odd": _objects(cells)})
    assert not table.is_numeric("odd")
    assert table.levels("odd")


def _objects(cells: Any) -> Any:
    if not isinstance(cells, list):
        return cells
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array
