"""Results of auditing tables: what was found, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from halfwidth.core.caution_spec import Caution, Severity
from halfwidth.core.errors import shortened
from halfwidth.core.frozen import frozen
from halfwidth.document.parts import (
    Cell,
    Column,
    Data,
    Document,
    Heading,
    Item,
    Items,
    Kind,
    Note,
    Part,
    Table,
)
from halfwidth.results.result import SCHEMA_VERSION, Result

COLUMNS = ("code", "severity", "table", "label", "message", "count", "rows", "cases", "remedy")
NOTHING = (
    "Nothing found. What was looked for: 'halfwidth explain', codes HW9xx, and HW101 to HW103."
)
SEVERITIES = ("error", "warning", "note")
# Places that are named where many share a finding.
MOST_PLACES = 3

# Rows and cases that a finding names.
MOST_NAMED = 5


@frozen
class Finding:
    """Something that a table should not hold, or that its user should know.

    Attributes
    ----------
    caution : Caution
        Code, message and remedy.
    table : str
        The table, where there are several.
    label : str
        The column, and the levels, that it is about; empty: the whole table.
    count : int
        How many values, rows or names it is about.
    rows : tuple of int
        The first of them, as a spreadsheet or the lines of the file count.
    cases : tuple of str
        The cases of these rows.
    """

    caution: Caution
    table: str = ""
    label: str = ""
    count: int = 0
    rows: tuple[int, ...] = ()
    cases: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """``HW`` and three digits."""
        return self.caution.code

    @property
    def severity(self) -> Severity:
        """How much it matters: error, warning or note."""
        return self.caution.spec.severity

    @property
    def message(self) -> str:
        """One sentence with its numbers."""
        return self.caution.message

    @property
    def remedy(self) -> str:
        """What to do."""
        return self.caution.remedy

    @property
    def where(self) -> str:
        """Table and label in a word: ``a.csv: liver``."""
        return ": ".join(part for part in (self.table, self.label) if part)

    def to_row(self) -> dict[str, Any]:
        """A flat row."""
        return self.to_dict() | {
            "rows": " ".join(map(str, self.rows)),
            "cases": " ".join(self.cases),
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "title": self.caution.spec.title,
            "table": self.table,
            "label": self.label,
            "message": self.message,
            "remedy": self.remedy,
            "count": self.count,
            "rows": list(self.rows),
            "cases": list(self.cases),
        }

    def __str__(self) -> str:
        return f"{self.code} {self.where + ': ' if self.where else ''}{self.message}"


@frozen
class AuditedTable:
    """What was looked at of a table.

    Attributes
    ----------
    name : str
        Empty where there is one table that came from no file.
    n_rows : int
    n_cases : int or None
        Distinct case ids; None where the table has none.
    case : str or None
        The column of case ids.
    values : tuple of str
        The columns of values.
    by : tuple of str
        The columns whose levels were looked at apart.
    metrics : tuple of str
        The metrics that are known; empty where none is.
    """

    name: str
    n_rows: int
    n_cases: int | None = None
    case: str | None = None
    values: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return {
            "name": self.name,
            "rows": self.n_rows,
            "cases": self.n_cases,
            "case": self.case,
            "values": list(self.values),
            "by": list(self.by),
            "metrics": list(self.metrics),
        }


@frozen(repr=False)
class Audit(Result, Sequence[Finding]):
    """Everything found in one table or several, by code.

    Attributes
    ----------
    findings : tuple of Finding
    tables : tuple of AuditedTable
        What was looked at.
    notes : tuple of str
        What was assumed.

    Examples
    --------
    >>> import halfwidth as hw
    >>> audit = hw.check(hw.CaseValues.from_table({"case": [*"abc"], "dice": [91.0, 88.5, 12.0]}))
    >>> audit.codes, audit.worst
    (('HW904',), 'error')
    """

    findings: tuple[Finding, ...]
    tables: tuple[AuditedTable, ...] = ()
    notes: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, index: int | slice) -> Finding | tuple[Finding, ...]:
        return self.findings[index]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """The cautions of all findings, each text once."""
        return tuple(dict.fromkeys(finding.caution for finding in self))

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes that were raised, each once."""
        return tuple(dict.fromkeys(finding.code for finding in self))

    @property
    def worst(self) -> str | None:
        """The severest of the findings: error, warning or note; None where there is nothing."""
        raised = {finding.severity for finding in self}
        return next((str(severity) for severity in Severity if severity in raised), None)

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row per finding."""
        return [finding.to_row() for finding in self]

    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain types."""
        return {
            "schema_version": SCHEMA_VERSION,
            "tables": [table.to_dict() for table in self.tables],
            "findings": [finding.to_dict() for finding in self],
            "worst": self.worst,
            "notes": list(self.notes),
        }

    def document(self) -> Document:
        """What was found, by how much it matters, and what was looked at."""
        return audit_document(self)

    def __repr__(self) -> str:
        lines = [f"Audit ({len(self)}):", *(f"  {finding}" for finding in self)]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


# --------------------------------------------------------------------------- as a document


def audit_document(audit: Audit) -> Document:
    """Each code once with its first finding and the places that share it, and what to do."""
    data = Data(audit.to_dict, audit.to_rows, COLUMNS)
    looked_at = tuple(Note(text) for text in _looked_at(audit.tables))
    groups: dict[str, list[Finding]] = {}
    for finding in audit:
        groups.setdefault(finding.code, []).append(finding)
    if not groups:
        return Document((*looked_at, Note(NOTHING)), data)
    # Errors first.
    by_weight = sorted(
        groups.values(), key=lambda group: (SEVERITIES.index(str(group[0].severity)), group[0].code)
    )
    rows = tuple(_row(group) for group in by_weight)
    columns = (
        Column("code", Kind.NAME),
        Column("severity", Kind.NAME),
        Column("where"),
        Column("found"),
    )
    remedies = tuple(Item(group[0].code, group[0].remedy, group[0].code) for group in by_weight)
    parts: tuple[Part, ...] = (Heading(_title(by_weight)), Table(columns, rows), *looked_at)
    return Document((*parts, Items(remedies, "What to do")), data)


def _title(groups: Sequence[Sequence[Finding]]) -> str:
    """How many kinds of findings there are."""
    severities = [str(group[0].severity) for group in groups]
    texts = [_counted(severities.count(word), word) for word in SEVERITIES if word in severities]
    return f"Found: {', '.join(texts)}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _row(group: Sequence[Finding]) -> tuple[Cell, ...]:
    """The first of several findings of one code, and where the others are."""
    first = group[0]
    places = list(dict.fromkeys(finding.where for finding in group if finding.where))
    where = ", ".join(places[:MOST_PLACES])
    if len(places) > MOST_PLACES:
        where = f"{places[0]} and {len(places) - 1} more"
    message = f"{first.message}{_examples(first)}"
    if len(group) > 1:
        message = f"{message} And {len(group) - 1} more like it."
    return Cell(first.code, first.code), Cell(str(first.severity)), Cell(where), Cell(message)


def _examples(finding: Finding) -> str:
    """The first cases, or rows where cases have no names."""
    named = finding.cases or tuple(map(str, finding.rows))
    if not named:
        return ""
    noun = "case" if finding.cases else "row"
    shown = named[:MOST_PLACES]
    more = f" and {finding.count - len(shown)} more" if finding.count > len(shown) else ""
    return f" See {noun}{'' if finding.count == 1 else 's'} {', '.join(shown)}{more}."


def _looked_at(tables: Sequence[AuditedTable]) -> list[str]:
    """How large the tables are; of tables that are alike, once."""
    names: dict[str, list[str]] = {}
    for table in tables:
        names.setdefault(_size(table), []).append(table.name)
    return [
        f"{f'{shortened(listed, MOST_PLACES)}: ' if listed[0] else ''}{size}."
        for size, listed in names.items()
    ]


def _size(table: AuditedTable) -> str:
    cases = "" if table.n_cases is None else f", {_counted(table.n_cases, 'case')}"
    columns = _counted(len(table.values), "column") + " of values"
    apart = f", apart by {', '.join(table.by)}" if table.by else ""
    return f"{_counted(table.n_rows, 'row')}{cases}, {columns}{apart}"
