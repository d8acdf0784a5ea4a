"""Checks of numbers, whole numbers, names and texts from users, the same everywhere."""

from __future__ import annotations

import numbers
import operator
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError, proposed, shown
from halfwidth.core.option_names import spelled
from halfwidth.core.option_table.table import option_of

# More cases than any study has; beyond, sums in floating point have no room for them.
MOST_CASES = 10**12


def is_number(value: Any) -> bool:
    """Whether a value is one real number: no text, no truth value, nothing complex.

    >>> [is_number(value) for value in (1, np.float32(2), True, 1j, "1")]
    [True, True, False, False, False]
    """
    real = isinstance(value, numbers.Real) or is_decimal(value)
    return real and not isinstance(value, bool)


def is_decimal(value: Any) -> bool:
    """Whether a value is a `Decimal`, whose module is not loaded to see that it is none.

    >>> from decimal import Decimal
    >>> [is_decimal(value) for value in (Decimal("0.5"), 0.5)]
    [True, False]
    """
    module = sys.modules.get("decimal")
    return module is not None and isinstance(value, module.Decimal)


def is_masked(values: Any) -> bool:
    """Whether values are a masked array; plain ones and lists do not make NumPy load its module.

    >>> [is_masked(values) for values in ([1], np.ones(1), np.ma.masked_less([1, 2], 2))]
    [False, False, True]
    """
    subclass = isinstance(values, np.ndarray) and type(values) is not np.ndarray
    return subclass and isinstance(values, np.ma.MaskedArray)


def as_number(name: str, value: Any, wanted: str = "") -> float:
    """A finite number as a float, that of its decimals where it is in single precision."""
    number = np.nan
    if is_number(value):
        try:
            short = isinstance(value, np.floating) and value.itemsize < np.dtype(float).itemsize
            number = float(str(value) if short else value)
        except (OverflowError, ValueError):
            number = np.inf
    if np.isfinite(number):
        return number
    expected = "a finite number" if is_number(value) else "a number"
    raise OptionError(f"{spelled(name, value)} is not {wanted or expected}")


def as_count(value: Any) -> int | None:
    """A whole number as an int; None where it is none. A truth value is a slip."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def as_flag(name: str, value: Any) -> bool:
    """True or False, or an `OptionError`: anything else was meant for another option."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{spelled(name, value)} is neither True nor False")
    return bool(value)


def one_of(
    name: str, value: Any, allowed: Sequence[Any], meant: Mapping[str, str] | None = None
) -> Any:
    """One of a few words, or an error that lists them and proposes the nearest.

    ``meant`` maps words that others use to ours.
    """
    if isinstance(value, str) and value in allowed:
        return value
    hint = proposed((meant or {}).get(value, value), allowed) if isinstance(value, str) else ""
    raise OptionError(f"{spelled(name, value)} is none of {', '.join(allowed)}{hint}")


def as_choice(name: str, value: Any, door: str = "", meant: Mapping[str, str] | None = None) -> Any:
    """One of the words that an option may be, as the table of options has them."""
    return one_of(name, value, option_of(name, door).choices, meant)


def as_list(values: Any) -> list[Any] | None:
    """What a sequence or an iterator holds; None for text, a mapping, and what holds nothing.

    >>> as_list((1, 2)), as_list("ab"), as_list(3)
    ([1, 2], None, None)
    """
    if isinstance(values, str | bytes | Mapping):
        return None
    try:
        return list(values)
    except TypeError:
        return None


def plain_text(name: str, text: Any) -> str:
    """A text that can be written to a file: anything else, and halves of letters, are refused."""
    if not isinstance(text, str):
        raise OptionError(f"{name}={shown(text)} is not a text")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise OptionError(f"{name}={shown(text)} holds a letter that cannot be written") from None
    return text


def is_path(value: Any, *, whole: bool = False) -> bool:
    """Whether a value names a file; a text may name a column as well, unless it has an ending.

    >>> is_path("a.csv"), is_path(Path("a.csv")), is_path("dice"), is_path("dice", whole=True)
    (True, True, False, True)
    """
    if isinstance(value, str):
        return whole or bool(re.fullmatch(r"\S.*\.[A-Za-z]\w{1,6}", value))
    return isinstance(value, os.PathLike)


def refuse_paths(data: Any) -> None:
    """Refuse names of files where what they hold is meant: alone, of models, or in a list."""
    if isinstance(data, str | os.PathLike) and is_path(data):
        path = repr(os.fspath(data))
        raise DataError(
            f"{path} is the name of a file, not data. Values of cases are read by "
            f"halfwidth.read({path}), predictions by Predictions.from_table(pandas.read_csv({path})"
            ", target, score=...)"
        )
    if isinstance(data, Mapping) and data and all(map(is_path, data.values())):
        name, path = next(iter(data.items()))
        raise DataError(
            f"{name!r}: {os.fspath(path)!r} names a file; read each first: {{{name!r}: "
            f"pandas.read_csv({os.fspath(path)!r}), ...}}"
        )
    if isinstance(data, list | tuple) and data and all(map(is_path, data)):
        path = os.fspath(data[0])
        stem = Path(path).stem
        raise DataError(
            f"{path!r} names a file; read each first, by the name of its model: {{{stem!r}: "
            f"pandas.read_csv({path!r}), ...}}"
        )


def refuse_complex(values: Any, where: str) -> None:
    """Refuse complex numbers, whose imaginary part NumPy drops with no more than a warning."""
    try:
        array = np.asanyarray(values)
    except ValueError:  # nested lists of different lengths, which others refuse
        return
    cells = array.ravel().tolist() if array.dtype.kind == "O" else ()
    if array.dtype.kind == "c" or any(isinstance(c, complex | np.complexfloating) for c in cells):
        raise DataError(f"{where}: holds complex numbers; real ones are needed")
