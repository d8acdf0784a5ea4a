"""A table of published numbers: the meaning of each column, and the numbers of each row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from halfwidth.core.checks import one_of
from halfwidth.core.errors import DataError, closest, quoted, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.undefined import is_missing
from halfwidth.io.table import Table
from halfwidth.planning.published.claim_parsing import FIELDS, SPREADS
from halfwidth.planning.published.columns import Heading, parse_cell, parse_heading
from halfwidth.planning.published.printed_numbers import ClaimError
from halfwidth.tables.repeats import CASE_COLUMNS

PER_CENT = 100.0
# Read as text; everything else is a number.
WORDS = ("label", "metric")
# Columns that only tables of single cases have; a paper may number its models.
OF_CASES = frozenset(CASE_COLUMNS) - {"id", "name"}


@frozen
class PublishedEntry:
    """A published number of a table with what its row says."""

    # By field, as for `halfwidth.planning.published.claim_parsing.parse_claim`.
    printed: dict[str, Any]
    # Name of the row's model; its structure or task.
    model: str
    part: str
    line: int
    # The heading under which a field was found.
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Both names."""
        return ", ".join(name for name in (self.model, self.part) if name)


class PublishedTable:
    """A table of published numbers, with its headings interpreted.

    ``where`` begins the messages of errors: the file, or nothing. ``plus_minus`` is what follows
    the ± of cells whose heading does not say it.
    """

    def __init__(self, table: Table, where: str = "", plus_minus: str | None = None) -> None:
        if plus_minus is not None:
            one_of("plus_minus", plus_minus, SPREADS)
        self.table, self.where, self.plus_minus = table, where, plus_minus
        self.columns = [parse_heading(name) for name in table.names]
        self._check_values()
        self._check_twice()

    @property
    def notes(self) -> tuple[str, ...]:
        """Columns that were not read."""
        others = [column.name for column in self.columns if not column.role]
        return (f"columns left out: {', '.join(others)}",) if others else ()

    def _named(self, *roles: str) -> list[Heading]:
        return [column for column in self.columns if column.role in roles]

    def _check_values(self) -> None:
        unread = [column.name for column in self.columns if not column.role]
        known = {column.field for column in self.columns}
        case_column = next((name for name in unread if name.lower() in OF_CASES), None)
        if case_column is not None and "n" not in known:
            raise DataError(
                f"{self.where}column {case_column!r} names cases, but here each row holds a "
                "published summary; use 'halfwidth ci' for values of cases"
            )
        for name in unread:
            nearest = closest(name, FIELDS)
            if nearest and nearest not in known:
                raise DataError(
                    f"{self.where}column {name!r} is not read; did you mean {nearest!r}? Rename "
                    "it, or leave it out"
                )
        if not self._named("value") and "correct" not in known:
            raise DataError(
                f"{self.where}no column holds published numbers; name them after the metric (Dice, "
                f"HD95, AUROC), or mean or correct (there are {quoted(self.table.names)})"
            )

    def _check_twice(self) -> None:
        counts = Counter((c.field, c.metric) for c in self._named("field", "value", "spread"))
        for (name, metric), times in counts.items():
            if times > 1:
                names = [c.name for c in self.columns if (c.field, c.metric) == (name, metric)]
                meaning = " ".join(part for part in (metric, name) if part)
                raise DataError(
                    f"{self.where}columns {quoted(names)} both read as {meaning}; "
                    "leave one of them out"
                )
        means = [column for column in self._named("value") if column.field == "mean"]
        loose = [column for column in self._named("spread") if not column.metric]
        if len(means) > 1 and loose:
            raise DataError(
                f"{self.where}column {loose[0].name!r} may belong to any of "
                f"{quoted(column.name for column in means)}; name it after one: "
                f"{means[0].metric or means[0].name} {loose[0].field}"
            )

    def rows(self) -> Iterator[PublishedEntry]:
        """Every published number of every row."""
        for row in range(len(self.table)):
            try:
                yield from self._entries_of_row(row)
            except ClaimError as error:
                raise self.error(self.table.row_number(row), error, {}) from None

    def error(self, line: int, error: ClaimError, columns: Mapping[str, str]) -> DataError:
        """The error of a row, with its line and column."""
        name = columns.get(error.field, error.field)
        return DataError(f"{self.where}line {line}, column {name}: {error}")

    def _entries_of_row(self, row: int) -> Iterator[PublishedEntry]:
        common = {c.field: self._cell(c, row) for c in self._named("field")}
        shared = {c.field: c.name for c in self._named("field")}
        model, part = (
            ", ".join(str(self._level(c, row)) for c in self._named(role) if self._level(c, row))
            for role in ("model", "part")
        )
        line, has_value = self.table.row_number(row), False
        for value in self._named("value"):
            value_and_columns = self._fields_of_value(value, row)
            if value_and_columns is None:
                continue
            printed, columns = value_and_columns
            has_value = True
            # A row may name its own metric; a heading names that of all rows.
            row_fields = {k: v for k, v in common.items() if v is not None}
            yield PublishedEntry(
                {**printed, **row_fields}, model, part, line, {**shared, **columns}
            )
        if not has_value:
            yield PublishedEntry(common, model, part, line, shared)

    def _fields_of_value(
        self, column: Heading, row: int
    ) -> tuple[dict[str, Any], dict[str, str]] | None:
        """The fields of a mean (or an AUROC) and their headings; None if the cell is empty."""
        text = self._text(column, row)
        cell = None if text is None else self._read(column, text)
        if cell is None:
            return None
        printed: dict[str, Any] = {column.field: cell.value}
        columns = {column.field: column.name}
        if column.metric and column.field == "mean":
            printed["metric"] = column.metric
        if cell.per_cent or column.per_cent:
            printed["scale"] = PER_CENT
        if cell.spread is not None:
            printed[meaning := self._meaning(column, text)] = cell.spread
            columns[meaning] = column.name
        for other in self._named("spread"):
            if other.metric in ("", column.metric) and column.field == "mean":
                beside = self._cell(other, row)
                if beside is not None:
                    if other.field in printed:
                        raise ClaimError(
                            other.name,
                            f"{column.name!r} holds {other.field} already; leave one out",
                        )
                    printed[other.field], columns[other.field] = beside, other.name
        return printed, columns

    def _meaning(self, column: Heading, text: str | None) -> str:
        """What follows the ±, as the heading or else the user says; never a guess."""
        if column.spread and self.plus_minus and column.spread != self.plus_minus:
            raise ClaimError(
                column.name,
                f"the heading says {column.spread}, and not "
                f"{spelled('plus_minus', self.plus_minus)}; leave the option out, or rename the "
                "column",
            )
        spread = column.spread or self.plus_minus
        if not spread:
            raise ClaimError(
                column.name,
                f"{shown(text)}: an SD, a SEM or the half-width of a 95 % interval? Look it up in "
                f"the paper and say it ({spelled('plus_minus', 'sd')}, sem or halfwidth), or "
                f"rename the column '{column.name} (SD)'",
            )
        return spread

    def _cell(self, column: Heading, row: int) -> Any:
        """The cell of a field: text, or a number with its decimals."""
        text = self._text(column, row)
        if text is None or column.field in WORDS:
            return text
        cell = self._read(column, text)
        if cell is None or cell.spread is None:
            return None if cell is None else cell.value
        raise ClaimError(column.name, f"{column.field} {shown(text)} is not a finite number")

    def _read(self, column: Heading, text: str) -> Any:
        try:
            return parse_cell(text)
        except ValueError:
            name = column.field or column.name
            raise ClaimError(column.name, f"{name} {shown(text)} is not a finite number") from None

    def _text(self, column: Heading, row: int) -> str | None:
        """A cell as printed; a number of a frame as its shortest text."""
        cell = self.table.columns[column.name][row]
        if is_missing(cell):
            return None
        if isinstance(cell, str):
            return cell
        number = float(cell)
        return str(int(number)) if math.isfinite(number) and number.is_integer() else repr(number)

    def _level(self, column: Heading, row: int) -> Any:
        return self.table.levels(column.name)[row]
