"""The public functions that audit tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from halfwidth.audit.case_checks import by_case, check_cases_across
from halfwidth.audit.layouts import telling_apart
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
from halfwidth.core.options import spelled, spelled_both
from halfwidth.estimation.check import WANTED_SCALE
from halfwidth.estimation.slice_metrics import SliceMetrics
from halfwidth.estimation.tables import check_names as check_options
from halfwidth.estimation.tables import column_names, layout_notes
from halfwidth.io.table import StatedMean, Table
from halfwidth.results.audit import MOST_NAMED, Audit, AuditedTable, Finding
from halfwidth.tables.layout import Layout, check_columns, layout_of
from halfwidth.tables.repeats import case_column
from halfwidth.tables.summary_rows import totals_in, why_a_summary


def check_table(
    frame: Any,
    values: str | Sequence[str] | None = None,
    *,
    by: str | Sequence[str] | None = None,
    case: str | None = None,
    metric: Any = None,
    bounds: Any = None,
    groups: str | None = None,
    scale: float = 1.0,
) -> Audit:
    """What is wrong with a table of per-case values, before anything is estimated from it.

    Parameters
    ----------
    frame : DataFrame (pandas or polars), or mapping of column names to sequences
        As for `CaseValues.from_table`.
    values : str or sequence of str, optional
        Value columns; default: every numeric column that is neither a case id nor a group.
    by : str or sequence of str, optional
        Columns whose levels are looked at apart; default: those across which cases repeat, such
        as models and structures.
    case : str, optional
        Column of case ids; default: the first of case, case_id, id, subject, patient, name,
        filename that exists.
    metric : str, MetricSpec or metric function, optional
        What the values are; default: what their columns, or their file, are called.
    bounds : pair of float, optional
        Range of a metric of your own.
    groups : str, optional
        Column that names the cluster of each row, within which cases may repeat.
    scale : float, default 1
        Values are divided by it: 100 for per cent.

    Returns
    -------
    Audit
        A finding for each fault, with its code, how much it matters, where it is and what to do;
        empty where nothing was found.

    Raises
    ------
    DataError
        If there is no column of numbers.
    OptionError, UnknownNameError
        For options that do not fit the table.

    Examples
    --------
    >>> import halfwidth as hw
    >>> audit = hw.check_table({"case": ["a", "b", "b"], "dice": [0.91, 88.0, None]})
    >>> [(finding.code, str(finding.severity)) for finding in audit]
    [('HW101', 'warning'), ('HW102', 'warning'), ('HW904', 'error')]
    """
    return check_tables(
        {"": frame},
        values,
        by=by,
        case=case,
        metric=metric,
        bounds=bounds,
        groups=groups,
        scale=scale,
    )


def check_tables(
    tables: Mapping[str, Any],
    values: str | Sequence[str] | None = None,
    *,
    by: str | Sequence[str] | None = None,
    case: str | None = None,
    metric: Any = None,
    bounds: Any = None,
    groups: str | None = None,
    scale: float = 1.0,
) -> Audit:
    """The same for a table of each of several models, and for all of them together.

    Parameters
    ----------
    tables : mapping of str to table
        By the name of the model.
    values, by, case, metric, bounds, groups, scale
        As for `check_table`.

    Returns
    -------
    Audit

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for `check_table`.

    Examples
    --------
    >>> import halfwidth as hw
    >>> tables = {
    ...     "A": {"case": list("abcdef"), "dice": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]},
    ...     "B": {"case": list("abcde"), "dice": [0.8, 0.9, 0.6, 0.7, 0.3]},
    ... }
    >>> print(hw.check_tables(tables)[0].message)
    B has no value in 1 of 6 cases in which A has one.
    """
    if not isinstance(tables, Mapping) or not tables:
        raise OptionError("tables is no mapping of names to tables, or an empty one")
    divisor = as_number("scale", scale, WANTED_SCALE)
    if divisor <= 0:
        raise OptionError(f"{spelled('scale', divisor)} is not {WANTED_SCALE}")
    check_options(case=case, groups=groups)
    settings = _Settings(
        column_names(values), column_names(by), case, metric, bounds, groups, divisor
    )
    # Numbers near the largest that there are overflow in sums, differences and rounding.
    with np.errstate(over="ignore", invalid="ignore"):
        contents = [
            _contents(Table.from_frame(frame), str(name), settings)
            for name, frame in tables.items()
        ]
        findings = [finding for one in contents for finding in one.findings]
        parts = [part for one in contents for part in one.parts]
        findings += check_cases_across(by_case(parts))
    findings += check_columns_across({one.about.name: one.about.values for one in contents})
    order = sorted(findings, key=lambda finding: finding.code)
    return Audit(tuple(order), tuple(one.about for one in contents), _with_sources(contents))


@frozen
class _Settings:
    """What the user said of the tables."""

    values: list[str] | None
    by: list[str] | None
    case: str | None
    metric: Any
    bounds: Any
    groups: str | None
    scale: float

    @property
    def columns(self) -> list[str]:
        """All columns that are named."""
        units = [name for name in (self.case, self.groups) if name is not None]
        return [*(self.values or ()), *(self.by or ()), *units]


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


def _contents(whole: Table, name: str, settings: _Settings) -> _Contents:
    check_columns(whole, settings.columns)
    case = settings.case or case_column(whole, (*(settings.by or ()), *(settings.values or ())))
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
        raise DataError("the table has no rows but statistics")
    layout = _layout(table, case, settings)
    metrics = SliceMetrics(table, layout, settings.metric, settings.bounds)
    guess = settings.metric is None and settings.bounds is None
    parts = tuple(parts_of(table, name, layout, metrics, settings.scale, guess=guess))
    stated: tuple[StatedMean, ...] = table.stated_means
    if totals is not None:
        stated += means_of_totals(whole, layout, totals)
    findings += check_names(table, name, layout)
    findings += [finding for part in parts for finding in check_values(part)]
    findings += check_means(stated, parts, name, settings.scale)
    findings += check_row_means(parts)
    findings += _unknown_metrics(parts, name)
    notes = _notes(table, layout, settings, guess=guess)
    about = _about(table, name, layout, parts)
    return _Contents(about, parts, tuple(findings), tuple(notes), table.source)


def _layout(table: Table, case: str | None, settings: _Settings) -> Layout:
    by = settings.by
    if by is None and not {"metric", "value"} <= {*table.names}:
        taken = {*(settings.values or ()), *filter(None, [settings.groups])}
        by = list(telling_apart(table, case, taken)) if settings.groups is None else None
    return layout_of(table, settings.values, by, case, settings.groups)


def _about(table: Table, name: str, layout: Layout, parts: Sequence[Part]) -> AuditedTable:
    cases = None if layout.case is None else len(table.factor(layout.case).distinct)
    metrics = dict.fromkeys(part.spec.name for part in parts if part.known)
    return AuditedTable(
        *(
            name or table.source,
            len(table),
            cases,
            layout.case,
            layout.values,
            layout.by,
            tuple(metrics),
        )
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


def _notes(table: Table, layout: Layout, settings: _Settings, *, guess: bool) -> Iterator[str]:
    """What was assumed about a table."""
    yield from layout_notes(layout, settings.groups, None)
    if layout.by and settings.by is None and layout.metric is None:
        columns = shortened([repr(column) for column in layout.by])
        yield f"rows are told apart by {columns}, across which cases repeat ({spelled_both('by')})"
    guesses = guessed_metrics(table, layout) if guess else {}
    for title in dict.fromkeys(spec.called for spec in guesses.values()):
        columns = shortened(
            [repr(column) for column, spec in guesses.items() if spec.called == title], MOST_NAMED
        )
        yield f"{columns} taken for {title} by the name ({spelled_both('metric')} says otherwise)"
