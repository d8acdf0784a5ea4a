"""What is wrong with values of cases: the findings in each table, and across tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from halfwidth.audit.case_checks import by_case, check_cases_across
from halfwidth.audit.parts import Part, guessed_metrics, parts_of
from halfwidth.audit.stated_mean_checks import check_means, check_row_means, means_of_totals
from halfwidth.audit.table_checks import (
    check_columns_across,
    check_names,
    copied_rows,
    copies_finding,
    summary_finding,
    totals_finding,
)
from halfwidth.audit.value_checks import check_values
from halfwidth.core.cautions import caution
from halfwidth.core.checks import as_number
from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled, spelled_both
from halfwidth.data.case_values import CaseValues
from halfwidth.data.several_metrics import MetricColumns
from halfwidth.data.slice_metrics import SliceMetrics
from halfwidth.data.sources import ModelTable, Tables
from halfwidth.data.value_tables import layout_notes
from halfwidth.estimation.check import WANTED_SCALE
from halfwidth.io.table import StatedMean, Table
from halfwidth.results.audit import MOST_NAMED, Audit, AuditedTable, Finding
from halfwidth.tables.layout import CANONICAL_BY, Layout, check_columns, layout_of
from halfwidth.tables.repeats import case_column
from halfwidth.tables.summary_rows import totals_in, why_a_summary
from halfwidth.tables.told_apart import telling_apart

# Findings about models that lack cases of others, which models on different cases do.
OF_COMMON_CASES = ("HW909", "HW911", "HW925")


def audited(values: CaseValues) -> Audit:
    """What is wrong with the tables of values, each by itself and all together."""
    divisor = as_number("scale", values.scale, WANTED_SCALE)
    if divisor <= 0:
        raise OptionError(f"{spelled('scale', divisor)} is not {WANTED_SCALE}")
    tables = values.tables
    settings = _Settings(values.columns, tables, values.bounds, divisor)
    # Numbers near the largest that there are overflow in sums, differences and rounding.
    with np.errstate(over="ignore", invalid="ignore"):
        contents = [_contents(one, settings) for one in tables.sources]
        findings = [finding for one in contents for finding in one.findings]
        parts = [part for one in contents for part in one.parts]
        across = check_cases_across(by_case(parts))
        apart = values.pairing == "none"
        findings += [one for one in across if not (apart and one.code in OF_COMMON_CASES)]
    findings += check_columns_across({one.about.name: one.about.values for one in contents})
    order = sorted(findings, key=lambda finding: finding.code)
    return Audit(tuple(order), tuple(one.about for one in contents), _with_sources(contents))


@frozen
class _Settings:
    """What the user said of the tables."""

    wanted: Sequence[MetricColumns]
    tables: Tables
    bounds: Any
    scale: float

    @property
    def values(self) -> list[str] | None:
        """All columns of values, where they are named."""
        named = [column for one in self.wanted for column in one.names]
        return list(dict.fromkeys(named)) or None

    @property
    def says_by(self) -> bool:
        """Whether columns of levels are named."""
        return bool(self.tables.columns.within)

    @property
    def guess(self) -> bool:
        """Whether the names of columns and of the file say what values are."""
        return self.bounds is None and all(one.metric is None for one in self.wanted)


@frozen(eq=False)
class _Contents:
    """What was found in one table, and what it holds."""

    about: AuditedTable
    parts: tuple[Part, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    source: str


def _with_sources(contents: Sequence[_Contents]) -> tuple[str, ...]:
    """Each note once, with the first table that it is about and how many more."""
    sources: dict[str, list[str]] = {}
    for one in contents:
        for note in one.notes:
            sources.setdefault(note, []).append(one.source or one.about.name)
    return tuple(
        f"{shortened(names, 1)}: {note}" if names[0] else note for note, names in sources.items()
    )


def _contents(source: ModelTable, settings: _Settings) -> _Contents:
    whole, name = source.table, source.model or ""
    columns, model = settings.tables.columns, settings.tables.apart(source)
    check_columns(whole, [*(settings.values or ()), *columns.named])
    taken = (*columns.within, model, *(settings.values or ()))
    case = columns.case or case_column(whole, taken)
    why = why_a_summary(whole, case)
    if why:
        about = AuditedTable(name or whole.source, len(whole))
        return _Contents(about, (), (summary_finding(why, name),), (), whole.source)
    findings = []
    table, totals = whole, totals_in(whole, case)
    if totals is not None:
        findings.append(totals_finding(whole, name, totals))
        table = table.only(np.setdiff1d(np.arange(len(table)), totals.rows))
    copies = copied_rows(table, case)
    if len(copies):
        findings.append(copies_finding(table, name, copies, case))
        table = table.only(np.setdiff1d(np.arange(len(table)), copies))
    if not len(table):
        raise DataError("the table has only rows of statistics, no cases")
    layout = _layout(table, case, model, settings, settings.values)
    parts = tuple(_parts(table, name, case, model, settings))
    stated: tuple[StatedMean, ...] = table.stated_means
    if totals is not None:
        stated += means_of_totals(whole, layout, totals)
    findings += check_names(table, name, layout)
    findings += [finding for part in parts for finding in check_values(part)]
    findings += check_means(stated, parts, name, settings.scale)
    findings += check_row_means(parts)
    findings += _unknown_metrics(parts, name)
    notes = _notes(table, layout, model, settings)
    about = _about(table, name, layout, parts)
    return _Contents(about, parts, tuple(findings), tuple(notes), table.source)


def _parts(
    table: Table, name: str, case: str | None, model: str, settings: _Settings
) -> Iterator[Part]:
    for wanted in settings.wanted:
        layout = _layout(table, case, model, settings, wanted.names or None)
        metrics = SliceMetrics(table, layout, wanted.metric, settings.bounds)
        yield from parts_of(
            *(table, name, layout, metrics, settings.scale), model=model, guess=settings.guess
        )


def _layout(
    table: Table, case: str | None, model: str, settings: _Settings, values: Sequence[str] | None
) -> Layout:
    columns = settings.tables.columns
    by, groups, strata = columns.within, columns.groups, columns.strata
    if not settings.says_by:
        canonical = {"metric", "value"} <= {*table.names}
        known = [name for name in CANONICAL_BY if name in table] if canonical else []
        of_metric = [name for name in ("metric", "parameters") if canonical and name in table]
        taken = {*(settings.values or ()), *filter(None, [groups, strata])}
        told = telling_apart(table, case, taken, groups, [*known, *of_metric])
        by = (*known, *told) if told else ()
    return layout_of(table, values, by, case, groups, strata, model)


def _about(table: Table, name: str, layout: Layout, parts: Sequence[Part]) -> AuditedTable:
    cases = None if layout.case is None else len(table.factor(layout.case).distinct)
    metrics = dict.fromkeys(part.spec.name for part in parts if part.known)
    return AuditedTable(
        name or table.source,
        len(table),
        cases,
        layout.case,
        layout.values,
        layout.by,
        tuple(metrics),
    )


def _unknown_metrics(parts: Sequence[Part], name: str) -> Iterator[Finding]:
    """One finding for all values of which nobody says what they are."""
    unknown = list(
        dict.fromkeys(part.slice.metric or part.slice.column for part in parts if not part.known)
    )
    if unknown:
        columns = shortened([repr(one) for one in unknown], MOST_NAMED)
        raised = caution("HW907", columns=columns, s="s" if len(unknown) == 1 else "")
        yield Finding(raised, name, count=len(unknown))


def _notes(table: Table, layout: Layout, model: str, settings: _Settings) -> Iterator[str]:
    """What was assumed about a table."""
    named = settings.tables.columns
    yield from layout_notes(layout, named.groups, named.strata)
    canonical = () if layout.metric is None else CANONICAL_BY
    apart = [column for column in layout.by if column not in (model, *canonical)]
    if apart and not settings.says_by:
        columns = shortened([repr(column) for column in apart])
        tell = "tells" if len(apart) == 1 else "tell"
        yield f"cases repeat; {columns} {tell} their rows apart ({spelled_both('by')})"
    guesses = guessed_metrics(table, layout) if settings.guess else {}
    for title in dict.fromkeys(spec.called for spec in guesses.values()):
        columns = shortened(
            [repr(column) for column, spec in guesses.items() if spec.called == title], MOST_NAMED
        )
        yield f"{columns} taken for {title} by the name ({spelled_both('metric')} says otherwise)"
