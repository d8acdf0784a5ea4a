"""Whether the first line of a table is its header."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import PurePath

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.io.numerals import is_number
from halfwidth.io.table import is_missing_text

# Rows that are compared with the first line.
SAMPLE_ROWS = 200
# What columns of labels are called, so that numbers beside them are names of columns too.
LABEL_COLUMNS = frozenset(
    {
        *("case", "case_id", "id", "subject", "subject_id", "patient", "patient_id", "patientid"),
        *("name", "filename", "file", "image", "index", "model", "task", "label", "class"),
        *("metric", "fold", "seed", "run", "group", "stratum", "dataset", "split", "organ"),
        *("structure", "method", "site", "target", "y", "y_true", "truth", "prediction"),
    }
)
PLAIN_WHOLE = re.compile(r"0|[1-9]\d{0,8}")
YEARS = range(1900, 2101)


def default_names(count: int) -> list[str]:
    """Names for the columns of a table without a header."""
    return [f"col{place}" for place in range(1, count + 1)]


def numeric_names(header: Sequence[str]) -> list[str]:
    """Names of columns that are numbers."""
    return [name.strip() for name in header if _like_a_value(name)]


def check_header(header: Sequence[str], rows: Sequence[Sequence[str]], file: str) -> None:
    """Refuse a first line that is the first row of the data.

    Names that are numbers are fine where they are plainly names: numbered classes (0, 1, 2),
    years, or any numbers beside a column of labels with a usual name.
    """
    names = [name.strip() for name in header]
    if _is_header(names, rows):
        return
    hint = ""
    if PurePath(file).name.lower() == "metrics.csv":
        hint = (
            ". If MONAI wrote it, it holds averages; the values of the cases are in the file "
            "*_raw.csv beside it"
        )
    raise DataError(
        f"has no header: its first line ({shortened(names, 4)}) looks like data. Add a line with "
        f"the names of the columns, or say {spelled('header', False)} (they are then col1, col2, "
        f"…); if it is the header, say {spelled('header', True)}{hint}"
    )


def names_columns(comment: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a line that begins with # names the columns of the rows below it.

    It has as many cells, and the first row looks like data; or that is all words, none of them
    above numbers, and no blank follows the #, as it does where a line is prose.
    """
    first = [name.strip() for name in rows[0]]
    below = [row for row in rows[1:] if len(row) == len(first)]
    if len(comment) != len(first):
        return False
    if not _is_header(first, below):
        return True
    prose = comment[0].removeprefix("#")[:1] in ("", "#", " ", "\t")
    words = not any(map(_like_a_value, first))
    return words and not prose and not any(map(_over_numbers, zip(*below, strict=True)))


def _is_header(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    places = [place for place, name in enumerate(names) if _like_a_value(name)]
    numbers = [names[place] for place in places]
    if len(set(numbers)) < len(numbers) or any(is_missing_text(name) for name in numbers):
        return False
    words = [(name, place) for place, name in enumerate(names) if place not in places]
    beside = [(name, [row[place] for row in rows]) for name, place in words]
    if not places or any(_is_label(name, cells) for name, cells in beside):
        return True
    if not all(PLAIN_WHOLE.fullmatch(number) for number in numbers):
        return False
    # A word above numbers names them; no name is what pandas writes above an index.
    if any(not name or _over_numbers(cells) for name, cells in beside):
        return True
    apart = all(_has_fractions([row[place] for row in rows]) for place in places)
    alike = any(_digits_match(name, cells) for name, cells in beside)
    return apart and not alike and _counts_on([int(number) for number in numbers])


def _like_a_value(name: str) -> bool:
    """A number, or a word for a missing one; not an empty name."""
    stripped = name.strip()
    return bool(stripped) and (is_number(stripped, commas=True) or is_missing_text(stripped))


def _is_label(name: str, cells: Sequence[str]) -> bool:
    """Whether a column of labels has its usual name."""
    return name.lower() in LABEL_COLUMNS and name not in [cell.strip() for cell in cells]


def _counts_on(numbers: Sequence[int]) -> bool:
    """Whether numbers are years, or classes counted from 0 or 1, two at least."""
    if len(numbers) < 2:
        return False
    counted = all(after == before + 1 for before, after in itertools.pairwise(numbers))
    years = all(number in YEARS for number in numbers)
    return (counted and numbers[0] in (0, 1)) or (years and sorted(numbers) == list(numbers))


def _over_numbers(cells: Sequence[str]) -> bool:
    present = [cell.strip() for cell in cells if not is_missing_text(cell.strip())]
    return bool(present) and 2 * sum(is_number(cell, commas=True) for cell in present) > len(
        present
    )


def _has_fractions(cells: Sequence[str]) -> bool:
    """Whether a column holds numbers, and some are not plain whole ones."""
    return _over_numbers(cells) and any(
        is_number(cell.strip(), commas=True) and not PLAIN_WHOLE.fullmatch(cell.strip())
        for cell in cells
    )


def _digits_match(name: str, cells: Sequence[str]) -> bool:
    """Whether a name has digits in the same places as the cells below: case_01 above case_02."""
    shape = re.sub(r"\d+", "9", name)
    shapes = [re.sub(r"\d+", "9", cell.strip()) for cell in cells]
    return name in [cell.strip() for cell in cells] or (
        shape != name and 2 * shapes.count(shape) >= max(len(shapes), 1)
    )
