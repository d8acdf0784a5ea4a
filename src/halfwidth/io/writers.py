"""Writing tables as text that spreadsheets and programs read back as it was."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

__all__ = ["csv_text"]


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as CSV: NaN and None as empty cells, text that begins like a formula defused.

    >>> csv_text(["case", "value"], [["=1+1", float("nan")]])
    "case,value\\n'=1+1,\\n"
    """
    lines = []
    for cells in [header, *rows]:
        line = io.StringIO()
        # With this line end, the writer puts quotes around a cell that holds either part of it.
        csv.writer(line, lineterminator="\r\n").writerow([_defused(cell) for cell in cells])
        lines.append(line.getvalue().removesuffix("\r\n") + "\n")
    return "".join(lines)


def _defused(cell: object) -> object:
    """Text that a spreadsheet would run as a formula gets an apostrophe before it; NaN is empty."""
    if isinstance(cell, float) and cell != cell:  # noqa: PLR0124
        return None
    if not isinstance(cell, str):
        return cell
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
