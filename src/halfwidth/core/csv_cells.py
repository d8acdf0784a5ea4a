"""CSV that spreadsheets and programs read back as it was: no cell is run as a formula."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence


def csv_text(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, separator: str = ","
) -> str:
    """A table as CSV: NaN and None as empty cells, text that begins like a formula defused.

    What reads tables of text undoes that with `as_written`.

    >>> print(csv_text(["case", "value"], [["=1+1", float("nan")]]), end="")
    case,value
    '=1+1,
    """
    lines = []
    for cells in [header, *rows]:
        line = io.StringIO()
        # With this line end, the writer puts quotes around a cell that holds either part of it.
        csv.writer(line, delimiter=separator, lineterminator="\r\n").writerow(
            [_defused(cell) for cell in cells]
        )
        lines.append(line.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


def _defused(cell: object) -> object:
    """What a spreadsheet would run, or read as defused, after an apostrophe; NaN is empty."""
    if isinstance(cell, float) and cell != cell:  # noqa: PLR0124
        return None
    return f"'{cell}" if isinstance(cell, str) and runs(cell.lstrip("'")) else cell


def as_written(cell: str) -> str:
    """A cell of text as it was before it was defused.

    >>> [as_written(cell) for cell in ("'=a", "''=a", "'tis", "'-1,1")]
    ['=a', "'=a", "'tis", "'-1,1"]
    """
    return cell[1:] if cell.startswith("'") and runs(cell.lstrip("'")) else cell


def runs(cell: str) -> bool:
    """Whether a spreadsheet may take a text for a formula."""
    return cell.startswith(("\t", "\r")) or (
        cell.startswith(("=", "+", "-", "@")) and not _are_numbers(cell)
    )


def _are_numbers(cell: str) -> bool:
    """Whether a text is a number or several, as the bounds ``-1,1`` are: nothing to run.

    >>> _are_numbers("-1,1"), _are_numbers("-1+cmd"), _are_numbers("-inf,0")
    (True, False, False)
    """
    try:
        return all(math.isfinite(float(part)) for part in cell.split(","))
    except ValueError:
        return False
