"""Columns of a table that hold true classes, predicted ones, or scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import is_missing
from halfwidth.io.table import Table


@frozen(eq=False)
class NamedColumns:
    """Scores with the names of their columns, as a data frame has them."""

    columns: tuple[str, ...]
    cells: Any

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.cells if dtype is None else self.cells.astype(dtype)

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, rows: NDArray[np.intp]) -> NamedColumns:
        return NamedColumns(self.columns, self.cells[rows])


def class_cells(table: Table, name: str, *, numbers: bool) -> Any:
    """A column of numbers or booleans as such, else of text; missing cells None or NaN."""
    if numbers or table.is_numeric(name):
        return table.values(name, np.arange(len(table)))
    cells = [None if is_missing(cell) else str(cell) for cell in table.columns[name]]
    return np.array(cells, dtype=object)


def score_cells(table: Table, names: Sequence[str], where: str) -> Any:
    """Columns of scores, a single one as it is."""
    for name in names:
        if not table.is_numeric(name):
            raise DataError(f"{where}: column {name!r} {_complaint(table, name)}")
    columns = [table.values(name, np.arange(len(table))).astype(float) for name in names]
    if len(columns) == 1:
        return columns[0]
    return NamedColumns(tuple(names), np.stack(columns, axis=1))


def _complaint(table: Table, name: str) -> str:
    """What is wrong with a column of scores that is not one of numbers."""
    cells = table.values(name, np.arange(len(table)))
    texts = [row for row, cell in enumerate(cells) if isinstance(cell, str)]
    if len(texts) == table.present(name).sum():
        return (
            "holds no numbers; a column of predicted classes is given as "
            f"{spelled('prediction', name)}"
        )
    row = texts[0]
    return f"holds {shown(cells[row])} in row {table.row_number(row)}, which is not a number"
