"""A table as plain columns, whatever it was read from.

Columns of text files stay text until somebody asks for numbers, so that a level ``"01"`` keeps its
zero and a cell that is no number can be named.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, quoted
from halfwidth.core.row_labels import counts_in_disorder, only_counts, row_labels
from halfwidth.core.undefined import is_missing

__all__ = ["MISSING_TEXT", "Table"]

_TRUTH = {"true": 1.0, "false": 0.0}
# Cells that mean "no value", in any mix of capitals.
MISSING_TEXT = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"})


@dataclass(frozen=True)
class Table:
    """Named columns of equal length.

    Attributes
    ----------
    columns : mapping of str to ndarray, shape (rows,)
        Numbers, or objects: text, None for a missing cell, anything a data frame held.
    row_numbers : tuple of int or None
        The line of each row in its file; None where rows count from the one below the header.
    """

    columns: Mapping[str, NDArray[Any]]
    row_numbers: tuple[int, ...] | None = None

    @classmethod
    def of_text(
        cls, header: Sequence[str], rows: Sequence[Sequence[str]], row_numbers: Sequence[int]
    ) -> Table:
        """From the cells of a text file; cells that say that they are missing become None."""
        cells = list(zip(*rows, strict=True)) or [()] * len(header)
        columns = {
            name: _objects(map(_cell, column)) for name, column in zip(header, cells, strict=True)
        }
        return cls(columns, tuple(row_numbers))

    @classmethod
    def of_frame(cls, frame: Any) -> Table:
        """From a pandas or polars data frame, or a mapping of names to sequences."""
        if isinstance(frame, Table):
            return frame
        if hasattr(frame, "to_columns"):
            frame = frame.to_columns()
        if any(getattr(getattr(frame, "index", None), "names", ())):
            # A named index of pandas is a column by another name.
            frame = frame.reset_index()
        if not isinstance(frame, Mapping) and not hasattr(frame, "columns"):
            raise DataError(
                f"expected a data frame or a mapping of columns, got {type(frame).__name__}"
            )
        names = list(frame.keys() if isinstance(frame, Mapping) else frame.columns)
        repeated = sorted({str(name) for name in names if names.count(name) > 1})
        if repeated:
            raise DataError(f"column name(s) {quoted(repeated)} appear more than once")
        if isinstance(frame, Mapping):
            _check_row_labels(frame)
        columns = {str(name): _column(frame[name]) for name in names}
        if len({len(column) for column in columns.values()}) > 1:
            raise DataError("columns differ in length")
        if not columns or not len(next(iter(columns.values()))):
            raise DataError(f"the table has no {'rows' if columns else 'columns'}")
        return cls(columns)

    @property
    def names(self) -> list[str]:
        """The column names, in their order."""
        return list(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers (and missing cells) and at least one number."""
        numbers = self._numbers(name)
        if numbers is None:
            return False
        return numbers is self.columns[name] or not bool(np.isnan(numbers).all())

    def is_empty(self, name: str) -> bool:
        """Whether every cell of a column is missing."""
        return all(is_missing(cell) for cell in self.columns[name])

    def present(self, name: str) -> NDArray[np.bool_]:
        """Which cells of a column are not missing."""
        column = self.columns[name]
        if column.dtype.kind == "f":
            return np.asarray(~np.isnan(column))
        if column.dtype.kind != "O":
            return np.ones(len(column), dtype=bool)
        return np.array([not is_missing(cell) for cell in column], dtype=bool)

    @functools.cached_property
    def _read(self) -> dict[str, Any]:
        """What was made of a column when it was first asked for."""
        return {}

    def _numbers(self, name: str) -> NDArray[Any] | None:
        """A column as numbers, missing cells NaN; None where a cell is none."""
        key = f"numbers of {name}"
        if key not in self._read:
            self._read[key] = _as_numbers(self.columns[name])
        found: NDArray[Any] | None = self._read[key]
        return found

    def values(self, name: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The cells of some rows: text that is a number as that number, other text as it is."""
        numbers = self._numbers(name)
        if numbers is not None:
            return numbers[rows]
        column = self.columns[name][rows]
        return _objects(None if is_missing(c) else _first(_number(c), c) for c in column)

    def row_number(self, row: int) -> int:
        """The number by which a user knows a row: a spreadsheet counts the header as 1."""
        return int(row) + 2 if self.row_numbers is None else self.row_numbers[row]

    def levels(self, name: str) -> list[Any]:
        """The cells of a column as levels to group by: text, whole numbers, None for missing."""
        key = f"levels of {name}"
        if key not in self._read:
            cells = self.columns[name].tolist()
            self._read[key] = [None if is_missing(cell) else _level(cell) for cell in cells]
        found: list[Any] = self._read[key]
        return found


def _check_row_labels(columns: Mapping[Any, Any]) -> None:
    """Refuse columns whose rows are labelled differently: by place they would not belong together.

    Columns that only count their rows have no labels.
    """
    indexes = {name: index for name in columns if (index := row_labels(columns[name])) is not None}
    labelled = [name for name, index in indexes.items() if not only_counts(index)]
    if not labelled:
        return
    compared = indexes if counts_in_disorder(indexes[labelled[0]]) else labelled
    for name in compared:
        if not indexes[name].equals(indexes[labelled[0]]):
            raise DataError(
                f"columns {str(labelled[0])!r} and {str(name)!r} carry different labels, or the "
                "same in another order; a pandas.DataFrame of them pairs by label, .to_numpy() of "
                "each by place"
            )


def _objects(cells: Iterable[Any]) -> NDArray[np.object_]:
    listed = list(cells)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _cell(text: str) -> str | None:
    stripped = text.strip()
    return None if stripped.lower() in MISSING_TEXT else stripped


def _column(column: Any) -> NDArray[Any]:
    array = np.asarray(column)
    if array.ndim != 1:
        raise DataError(f"a column has shape {array.shape} instead of one dimension")
    return array if array.dtype.kind in "biuf" else _objects(array.tolist())


def _as_numbers(column: NDArray[Any]) -> NDArray[Any] | None:
    if column.dtype.kind != "O":
        return column
    numbers = []
    for cell in column:
        number = math.nan if is_missing(cell) else _number(cell)
        if number is None:
            return None
        numbers.append(number)
    return np.array(numbers, dtype=float)


def _number(cell: Any) -> float | None:
    if isinstance(cell, str):
        # Python reads 1_000 as a number; in a table that is a name.
        try:
            return None if "_" in cell else float(cell)
        except ValueError:
            return _TRUTH.get(cell.lower())
    return float(cell) if isinstance(cell, bool | int | float | np.number) else None


def _first(number: float | None, cell: Any) -> Any:
    return cell if number is None else number


def _level(cell: Any) -> Any:
    if isinstance(cell, str) and cell.isascii() and cell.isdigit() and str(int(cell)) == cell:
        return int(cell)
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell
