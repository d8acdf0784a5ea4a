"""Results of auditing tables: what was found, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from halfwidth.core.caution_spec import Caution, Severity
from halfwidth.core.frozen import frozen
from halfwidth.results.result import SCHEMA_VERSION, Result

if TYPE_CHECKING:
    from halfwidth.document.parts import Document

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
    >>> audit = hw.check_table({"case": ["a", "b", "c"], "dice": [91.0, 88.5, 12.0]})
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
        found = {finding.severity for finding in self}
        return next((str(one) for one in Severity if one in found), None)

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
        from halfwidth.results.documents.audits import audit_document

        return audit_document(self)

    def __repr__(self) -> str:
        lines = [f"Audit ({len(self)}):", *(f"  {finding}" for finding in self)]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])
