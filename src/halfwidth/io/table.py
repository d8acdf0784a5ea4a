"""A table as plain columns, whatever it was read from.

Columns of text files stay text until somebody asks for numbers, so that a level ``"01"`` keeps its
zero and a cell that is no number can be named. They are arrays of strings, not of Python objects:
a million rows take a few tens of megabytes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import refuse_paths
from halfwidth.core.errors import DataError, quoted, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.metric_spec import MetricSpec
from halfwidth.core.row_labels import counts_in_disorder, has_columns, only_counts, row_labels
from halfwidth.core.undefined import is_missing

_TRUTH = {"true": 1.0, "false": 0.0}
# Cells that mean "no value", in any mix of capitals.
MISSING_TEXT = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"})
LONGEST_MISSING = max(map(len, MISSING_TEXT))
# How columns of text are held; NaN for a missing cell.
TEXT = np.dtypes.StringDType(na_object=np.nan)
# Cells that are Python objects at a time, where a column is read as numbers.
AT_A_TIME = 1 << 16
# Digits of whole numbers that count as such where they name a level; longer ones stay text.
MOST_DIGITS = 18
# What a cell may be as it is. Anything else (dates, lists, ...) becomes text.
PLAIN = (str, bool, int, float, type(None), np.bool_, np.integer, np.floating)


@frozen
class Factor:
    """The distinct levels of a column."""

    # Place of each row's level among the levels; -1 where the cell is missing.
    codes: NDArray[np.intp]
    # A cell of each level, in their order of appearance.
    distinct: NDArray[Any]

    @functools.cached_property
    def levels(self) -> list[Any]:
        """The levels: text, and whole numbers however they are written."""
        return [_level(cell) for cell in self.distinct.tolist()]

    def level(self, row: int) -> Any:
        """The level of a row; None where the cell is missing."""
        code = self.codes[row]
        return None if code < 0 else _level(self.distinct[code : code + 1].tolist()[0])


@frozen
class StatedMean:
    """A mean that a file states of its own cases, which the cases may or may not reproduce."""

    value: float
    # The column of values that it is of.
    column: str
    # Levels of the rows that it is of, by column (``{"label": "liver", "metric": "dsc"}``); empty:
    # all rows.
    where: Mapping[str, Any]
    # A column, such as ``"label"``, over whose levels the file averages the means of the cases;
    # None: a plain mean of the rows.
    over: str | None = None
    # What the file calls it: ``"foreground_mean"``, ``"row 'mean'"``.
    source: str = ""


@frozen
class Table:
    """Named columns of equal length."""

    # Numbers, text (of type `TEXT`), or objects: text, None for a missing cell.
    columns: Mapping[str, NDArray[Any]]
    # The line of each row in its file; None where rows count from the one below the header.
    row_numbers: NDArray[np.intp] | None = None
    # What a reader assumed about the file and its user should know.
    notes: tuple[str, ...] = ()
    # What messages call the file; empty where the table came from none.
    source: str = ""
    # Means that the file states beside its cases.
    stated_means: tuple[StatedMean, ...] = ()
    # What its reader knows of metrics, by what the table calls them, where the catalogue does not:
    # range, which direction is better, and whether a case is right or wrong.
    known: Mapping[str, MetricSpec] = field(default_factory=dict)

    @classmethod
    def from_frame(cls, frame: Any) -> Table:
        """Take a pandas or polars data frame, or a mapping of names to sequences."""
        if isinstance(frame, Table):
            return frame
        if hasattr(frame, "to_columns"):
            frame = frame.to_columns()
        if any(getattr(getattr(frame, "index", None), "names", ())):
            # A named index of pandas is a column by another name.
            frame = frame.reset_index()
        if not has_columns(frame):
            refuse_paths(frame)
        if not isinstance(frame, Mapping) and not has_columns(frame):
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

    def only(self, rows: NDArray[np.intp]) -> Table:
        """Some rows of the table, which keep their numbers."""
        return replace(
            self,
            columns={name: column[rows] for name, column in self.columns.items()},
            row_numbers=np.array([self.row_number(row) for row in rows.tolist()], dtype=np.intp),
        )

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers (and missing cells) and at least one number."""
        numbers = self._numbers(name)
        if numbers is None:
            return False
        return numbers is self.columns[name] or not bool(np.isnan(numbers).all())

    def is_empty(self, name: str) -> bool:
        """Whether every cell of a column is missing."""
        return not self.present(name).any()

    def present(self, name: str) -> NDArray[np.bool_]:
        """Which cells of a column are not missing."""
        column = self.columns[name]
        if column.dtype.kind in "fT":
            return np.asarray(~np.isnan(column))
        if column.dtype.kind != "O":
            return np.ones(len(column), dtype=bool)
        return np.array([not is_missing(cell) for cell in column], dtype=bool)

    @functools.cached_property
    def _read(self) -> dict[str, Any]:
        """A result computed once per column, at its first use."""
        return {}

    def _once(self, key: str, make: Callable[[], Any]) -> Any:
        if key not in self._read:
            self._read[key] = make()
        return self._read[key]

    def _numbers(self, name: str) -> NDArray[Any] | None:
        """A column as numbers with NaN for missing cells; an error if a cell is not a number."""
        numbers: NDArray[Any] | None = self._once(
            f"numbers of {name}", lambda: _as_numbers(self.columns[name])
        )
        return numbers

    def values(self, name: str, rows: NDArray[np.intp]) -> NDArray[Any]:
        """The cells of some rows: text that is a number as that number, other text as it is.

        Truth values are 1 and 0 among themselves (and other 0s and 1s); among other numbers they
        are text.
        """
        numbers = self._numbers(name)
        if numbers is not None:
            return numbers[rows]
        cells = self.columns[name][rows].tolist()
        # A long table may have other metrics in its other rows.
        truths = _each_number(cells, _truth)
        if truths is not None and not np.isnan(truths).all():
            return truths
        return _objects(None if is_missing(c) else _first(_number(c), c) for c in cells)

    def has_truths(self, name: str, rows: NDArray[np.intp]) -> bool:
        """Whether some cell is a truth value, not a number that may stand for one."""
        column = self.columns[name][rows]
        if column.dtype.kind in "OT":
            words = (str(cell).lower() for cell in column.tolist())
            return any(word in _TRUTH for word in words)
        return column.dtype.kind == "b"

    def row_number(self, row: int) -> int:
        """The number by which a user knows a row: a spreadsheet counts the header as 1."""
        return int(row) + 2 if self.row_numbers is None else int(self.row_numbers[row])

    def levels(self, name: str) -> list[Any]:
        """The cells of a column as levels to group by: text, whole numbers, None for missing."""

        # The last one is where the codes of missing cells point.
        def make() -> list[Any]:
            factor = self.factor(name)
            cells: list[Any] = _objects([*factor.levels, None])[factor.codes].tolist()
            return cells

        levels: list[Any] = self._once(f"levels of {name}", make)
        return levels

    def factor(self, name: str) -> Factor:
        """The levels of a column, and which of them each row has."""
        factor: Factor = self._once(f"factor {name}", lambda: _factor(self.columns[name]))
        return factor


def joint_codes(*codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """One code for each combination of codes; missing is a level of its own.

    >>> joint_codes(np.array([0, 0, 1, 1]), np.array([-1, -1, 0, 1]))
    array([0, 0, 1, 2])
    """

    def joined(left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.intp]:
        pair = left * (int(right.max(initial=-1)) + 2) + right + 1
        # Numbered from 0 again, so that many columns cannot overflow.
        return np.asarray(np.unique(pair, return_inverse=True)[1], dtype=np.intp)

    return functools.reduce(joined, codes)


def text_column(cells: Sequence[str]) -> NDArray[Any]:
    """Cells as a column of text: without surrounding blanks, missing where they say so."""
    stripped: list[Any] = list(map(str.strip, cells))
    missing = {
        cell for cell in set(stripped) if len(cell) <= LONGEST_MISSING and is_missing_text(cell)
    }
    if missing:
        stripped = [math.nan if cell in missing else cell for cell in stripped]
    return np.array(stripped, dtype=TEXT)


def is_missing_text(cell: str) -> bool:
    """Whether a cell of a text file, without surrounding blanks, says that it is missing."""
    return cell.lower() in MISSING_TEXT


def _check_row_labels(columns: Mapping[Any, Any]) -> None:
    """Refuse columns whose rows are labelled differently; those that only count have no labels."""
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


def _column(column: Any) -> NDArray[Any]:
    array = np.asarray(column)
    if array.ndim != 1:
        raise DataError(f"a column has shape {array.shape} instead of one dimension")
    if array.dtype.kind in "biuf":
        return array
    if array.dtype.kind in "mM":
        # As numbers these would be nanoseconds since 1970, which is never meant.
        shown = np.datetime_as_string(array) if array.dtype.kind == "M" else array.astype(str)
        return _objects(None if cell == "NaT" else cell for cell in shown.tolist())
    cells = array.tolist()
    if not all(issubclass(kind, PLAIN) for kind in set(map(type, cells))):
        cells = [_plain(cell) for cell in cells]
    return _objects(cells)


def _plain(cell: Any) -> Any:
    """A cell of a kind that has no meaning here as text, so that errors can show it."""
    if isinstance(cell, PLAIN):
        return cell
    if isinstance(cell, Decimal | Fraction):
        return None if is_missing(cell) else float(cell)
    if isinstance(cell, np.ndarray) and not cell.ndim:
        return _plain(cell.item())
    if isinstance(cell, list | tuple | np.ndarray):
        return f"[{shortened(list(cell), most=3)}]"
    if isinstance(cell, dict | set | frozenset):
        return f"{{{shortened([str(one) for one in cell], most=3)}}}"
    return None if is_missing(cell) else str(cell)


def _as_numbers(column: NDArray[Any]) -> NDArray[Any] | None:
    if column.dtype.kind == "T":
        return _numbers_in_text(column)
    if column.dtype.kind != "O":
        return column
    cells = column.tolist()
    numbers = _each_number(cells, _number)
    return _each_number(cells, _truth) if numbers is None else numbers


def _numbers_in_text(column: NDArray[Any]) -> NDArray[Any] | None:
    numbers = np.empty(len(column))
    for start in range(0, len(column), AT_A_TIME):
        cells = column[start : start + AT_A_TIME]
        try:
            underscores = np.strings.find(cells[~np.isnan(cells)], "_").max(initial=-1) >= 0
            if underscores:
                return None
            # In Python, which is faster than NumPy's way from text to numbers.
            numbers[start : start + AT_A_TIME] = np.fromiter(map(float, cells.tolist()), float)
        except ValueError:
            return _each_number(column, _truth)
    return numbers


def _each_number(cells: Iterable[Any], read: Callable[[Any], float | None]) -> NDArray[Any] | None:
    """All cells as a reader has them; None if it cannot read one."""
    numbers = []
    for cell in cells:
        number = math.nan if is_missing(cell) else read(cell)
        if number is None:
            return None
        numbers.append(number)
    return np.array(numbers, dtype=float)


def _number(cell: Any) -> float | None:
    """A cell as a number; no truth value, which among numbers is a slip."""
    if isinstance(cell, str):
        # Python reads 1_000 as a number; in a table that is a name.
        try:
            return None if "_" in cell else float(cell)
        except ValueError:
            return None
    try:
        is_number = isinstance(cell, int | float | np.number) and not isinstance(cell, bool)
        return float(cell) if is_number else None
    except OverflowError:
        return math.inf if cell > 0 else -math.inf


def _truth(cell: Any) -> float | None:
    """A cell that says right or wrong, as a word or as 1 or 0."""
    if isinstance(cell, bool | np.bool_):
        return float(cell)
    if isinstance(cell, str) and cell.lower() in _TRUTH:
        return _TRUTH[cell.lower()]
    number = _number(cell)
    return number if number in _TRUTH.values() else None


def _first(number: float | None, cell: Any) -> Any:
    if number is not None:
        return number
    return str(cell) if isinstance(cell, bool | np.bool_) else cell


def _level(cell: Any) -> Any:
    if isinstance(cell, str) and cell.isascii() and cell.isdigit() and len(cell) <= MOST_DIGITS:
        return int(cell) if cell[0] != "0" or cell == "0" else cell
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell


def _factor_of_text(column: NDArray[Any]) -> Factor:
    """The levels of a column of text, which takes much longer to sort than to look up."""
    code_of: dict[str | float, int] = {}
    distinct: list[str] = []
    codes = np.empty(len(column), dtype=np.intp)
    for start in range(0, len(column), AT_A_TIME):
        cells = column[start : start + AT_A_TIME].tolist()
        for cell in dict.fromkeys(cells):
            if isinstance(cell, float):
                code_of[cell] = -1
            elif cell not in code_of:
                code_of[cell] = len(distinct)
                distinct.append(cell)
        codes[start : start + len(cells)] = [code_of[cell] for cell in cells]
    return Factor(codes, np.array(distinct, dtype=column.dtype))


def _factor(column: NDArray[Any]) -> Factor:
    if column.dtype.kind == "O":
        known: dict[Any, int] = {}
        codes = [
            -1 if is_missing(cell) else known.setdefault(_level(cell), len(known))
            for cell in column.tolist()
        ]
        return Factor(np.array(codes, dtype=np.intp), _objects(known))
    if column.dtype.kind == "T":
        return _factor_of_text(column)
    missing = np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), bool)
    distinct, first, place = np.unique(column[~missing], return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    rank = np.empty_like(by_appearance)
    rank[by_appearance] = np.arange(len(first))
    by_row = np.full(len(column), -1, dtype=np.intp)
    by_row[~missing] = rank[place]
    return Factor(by_row, distinct[by_appearance])
