"""Audits of tables as a document."""

from __future__ import annotations

from collections.abc import Sequence

from halfwidth.core.errors import shortened
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
from halfwidth.results.audit import Audit, AuditedTable, Finding

COLUMNS = ("code", "severity", "table", "label", "message", "count", "rows", "cases", "remedy")
NOTHING = (
    "Nothing found. What was looked for: 'halfwidth explain', codes HW9xx, and HW101 to HW103."
)
SEVERITIES = ("error", "warning", "note")
# Places that are named where many share a finding.
MOST_PLACES = 3


def audit_document(audit: Audit) -> Document:
    """Each code once with its first finding and the places that share it, and what to do."""
    data = Data(audit.to_dict, audit.to_rows, COLUMNS)
    looked_at = tuple(Note(text) for text in _looked_at(audit.tables))
    groups: dict[str, list[Finding]] = {}
    for finding in audit:
        groups.setdefault(finding.code, []).append(finding)
    if not groups:
        return Document((*looked_at, Note(NOTHING)), data)
    by_weight = sorted(groups.values(), key=_weight)
    rows = tuple(_row(found) for found in by_weight)
    columns = (
        Column("code", Kind.NAME),
        Column("severity", Kind.NAME),
        Column("where"),
        Column("found"),
    )
    remedies = tuple(Item(found[0].code, found[0].remedy, found[0].code) for found in by_weight)
    parts: tuple[Part, ...] = (Heading(_title(by_weight)), Table(columns, rows), *looked_at)
    return Document((*parts, Items(remedies, "What to do")), data)


def _weight(found: Sequence[Finding]) -> tuple[int, str]:
    """Errors first."""
    return SEVERITIES.index(str(found[0].severity)), found[0].code


def _title(groups: Sequence[Sequence[Finding]]) -> str:
    """How many kinds of findings there are."""
    found = [str(group[0].severity) for group in groups]
    texts = [_counted(found.count(word), word) for word in SEVERITIES if word in found]
    return f"Found: {', '.join(texts)}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _row(found: Sequence[Finding]) -> tuple[Cell, ...]:
    """The first of several findings of one code, and where the others are."""
    first = found[0]
    places = list(dict.fromkeys(finding.where for finding in found if finding.where))
    where = ", ".join(places[:MOST_PLACES])
    if len(places) > MOST_PLACES:
        where = f"{places[0]} and {len(places) - 1} more"
    message = f"{first.message}{_examples(first)}"
    if len(found) > 1:
        message = f"{message} And {len(found) - 1} more like it."
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
