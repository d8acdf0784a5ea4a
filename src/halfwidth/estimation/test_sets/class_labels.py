"""Class labels as given by a user, checked and turned into codes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import is_masked, is_path, refuse_paths
from halfwidth.core.errors import DataError, OptionError, proposed, shortened, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import is_missing

Codes = NDArray[np.intp]
MISSING = -1
# Pairs of labels of which everyone takes the second to be the positive one.
KNOWN_PAIRS = ((0, 1), (False, True), (-1, 1))
# Integers in so small a range are counted instead of sorted.
COUNTABLE = 2**16


def as_cells(values: Any, where: str) -> NDArray[Any]:
    """Labels as a flat array, of numbers or of objects."""
    if is_path(values):
        refuse_paths(values)
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise DataError(f"{where}: expected one label per case, got {shown(values)}")
    if is_masked(values):
        values = [None if cell is np.ma.masked else cell for cell in values]
    try:
        array = np.asarray(values)
    except ValueError:
        raise DataError(f"{where}: expected one label per case, got nested values") from None
    if array.dtype.kind in "SU" and not isinstance(values, np.ndarray):
        array = np.asarray(values, dtype=object)  # NumPy makes text of numbers beside a text
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"{where}: expected one label per case, got shape {array.shape}")
    if array.dtype.kind not in "OSUbiuf":
        raise DataError(f"{where}: cannot use labels of type {array.dtype}")
    return array


def declared_order(values: Any) -> list[Any] | None:
    """The classes of an ordered categorical of pandas, in their order; None for others."""
    dtype: Any = getattr(values, "dtype", None)
    if not getattr(dtype, "ordered", False) or not hasattr(dtype, "categories"):
        return None
    return [plain_label(label) for label in dtype.categories]


def plain_label(label: Any) -> Any:
    """A label as Python has it; a whole number is an integer."""
    if hasattr(label, "item") and np.ndim(label) == 0:
        label = label.item()
    if isinstance(label, float) and label.is_integer():
        return int(label)
    return label


def labels_in(cells: NDArray[Any], where: str) -> list[Any]:
    """The labels that occur, ascending; missing ones left out."""
    if _countable(cells):
        low, high = int(cells.min()), int(cells.max())
        if high - low < 2:
            return sorted({low, high})
        whole = cells.astype(np.int64, copy=False)
        return (np.flatnonzero(np.bincount(whole - low if low else whole)) + low).tolist()
    if cells.dtype.kind in "iubSU":
        return [plain_label(label) for label in np.unique(cells)]
    if cells.dtype.kind == "f":
        return [plain_label(label) for label in np.unique(cells[~np.isnan(cells)])]
    present = [plain_label(label) for label in cells if not is_missing(label)]
    odd = next((label for label in present if not isinstance(label, Hashable)), None)
    if odd is not None:
        raise DataError(f"{where}: {shown(odd)} is not a plain label (text, number or boolean)")
    labels = set(present)
    try:
        return sorted(labels)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels})
        raise DataError(
            f"{where}: labels of several kinds ({', '.join(kinds)}) have no order; make them all "
            "text or all numbers"
        ) from None


def _countable(cells: NDArray[Any]) -> bool:
    """Whether these are integers of which a table can be made."""
    if cells.dtype.kind not in "iu" or not len(cells):
        return False
    low, high = int(cells.min()), int(cells.max())
    return high - low < COUNTABLE and high < 2**63


def as_codes(cells: NDArray[Any], labels: Sequence[Any], where: str) -> Codes:
    """The place of each label among ``labels``, or a `DataError`; -1 for a missing one."""
    if _countable(cells) and all(isinstance(label, int) for label in labels):
        if list(labels) == list(range(len(labels))) and 0 <= cells.min() <= cells.max() < len(
            labels
        ):
            return cells.astype(np.intp, copy=False)  # the labels are the codes
        codes = _codes_of_integers(cells.astype(np.int64), [int(label) for label in labels])
    else:
        place = {label: number for number, label in enumerate(labels)}
        codes = np.array(
            [
                MISSING if is_missing(cell) else place.get(plain_label(cell), len(labels))
                for cell in cells.tolist()
            ],
            dtype=np.intp,
        )
    unknown = np.flatnonzero(codes == len(labels))
    if len(unknown):
        first = plain_label(cells[unknown[0]])
        raise DataError(
            f"{where}: case #{unknown[0] + 1} has the label {shown(first)}, which is not one of "
            f"{shortened([repr(label) for label in labels])}"
            f"{proposed(str(first), [str(label) for label in labels])}"
        )
    return codes


def _codes_of_integers(cells: NDArray[Any], labels: list[int]) -> Codes:
    low, high = int(cells.min()), int(cells.max())
    table = np.full(high - low + 1, len(labels), dtype=np.intp)
    for number, label in enumerate(labels):
        if low <= label <= high:
            table[label - low] = number
    codes: Codes = table[cells - low]
    return codes


def positive_label(labels: Sequence[Any], pos_label: Any) -> int | None:
    """The place of the positive label; None where nothing says which it is."""
    if pos_label is None:
        # In whatever order: labels= names the classes in that of the score columns.
        pair = next((pair for pair in KNOWN_PAIRS if set(pair) == set(labels)), None)
        return None if pair is None or len(labels) != 2 else list(labels).index(pair[1])
    pos_label = plain_label(pos_label)
    if not isinstance(pos_label, Hashable):
        raise OptionError(
            f"{spelled('pos_label', pos_label)} is not a label; give one of the classes"
        )
    if pos_label not in labels:
        alike = [label for label in labels if str(label) == str(pos_label)]
        hint = (
            f"; it is a {type(pos_label).__name__}, the label a {type(alike[0]).__name__}"
            if alike
            else (proposed(str(pos_label), [str(label) for label in labels]))
        )
        raise OptionError(
            f"{spelled('pos_label', pos_label)} is not one of the labels "
            f"{shortened([repr(label) for label in labels])}{hint}"
        )
    return list(labels).index(pos_label)
