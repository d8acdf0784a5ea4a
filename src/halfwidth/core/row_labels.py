"""What is a frame, and the labels that one of pandas gives its rows, if they say anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError


def has_columns(table: Any) -> bool:
    """Whether it is a frame; one of polars whose rows are not there yet is refused."""
    if type(table).__name__ == "LazyFrame":
        raise DataError("a LazyFrame has no rows before it is collected: give frame.collect()")
    return hasattr(table, "columns")


def row_labels(values: Any) -> Any:
    """The index of a Series or frame of pandas, else None; lists have a method of that name."""
    return values.index if hasattr(values, "iloc") and hasattr(values, "index") else None


def only_counts(index: Any) -> bool:
    """Whether an index only counts rows 0, 1, 2, ..., as pandas does without labels."""
    return index.nlevels == 1 and index.name is None and _is_range(np.asarray(index))


def counts_in_disorder(index: Any) -> bool:
    """Whether an index holds the numbers of all rows, but not in order."""
    numbers = np.asarray(index) if index.nlevels == 1 else np.empty(0)
    return len(numbers) > 1 and not _is_range(numbers) and _is_range(np.sort(numbers))


def _is_range(numbers: NDArray[Any]) -> bool:
    return numbers.dtype.kind in "iu" and bool((numbers == np.arange(len(numbers))).all())
