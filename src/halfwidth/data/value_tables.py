"""Families of per-case values in tables: a column of models, a table or a column for each."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import DataError, shortened, shown
from halfwidth.core.option_names import spelled_both
from halfwidth.core.spec import Metric
from halfwidth.core.undefined import AnyMissing
from halfwidth.data.families import Family, ModelCases, Pairing
from halfwidth.data.repeat_cautions import repeat_cautions
from halfwidth.data.slice_metrics import SliceMetrics
from halfwidth.data.sources import (
    ModelTable,
    TableColumns,
    Tables,
    family_label,
    row_identities,
)
from halfwidth.data.table_parts import TablePart, families_of
from halfwidth.tables.challenge_columns import CASE, TASK, VALUE
from halfwidth.tables.layout import (
    Layout,
    Slice,
    layout_of,
    level_text,
    not_applicable_note,
    slices,
)

# Levels within which the models of a canonical table are compared if nothing else is said.
CANONICAL_WITHIN = ("task", "label")


def value_families(
    sources: Sequence[ModelTable],
    columns: TableColumns,
    values: Sequence[str] | Mapping[str, str] | None,
    metric: Any,
    bounds: Any,
    *,
    missing: AnyMissing,
    pairing: Pairing,
) -> tuple[list[Family], list[str]]:
    """The families that tables hold, and what was assumed about their columns.

    ``values`` are value columns, each with families of its own, or the column of each model.
    """
    parts: list[TablePart] = []
    notes: list[str] = []
    metrics_held: dict[str, None] = {}
    layouts = [(source, _layout(source, columns, values)) for source in sources]
    labels = {
        level
        for source, layout in layouts
        if layout.metric is not None and "label" in layout.by
        for level in source.table.factor("label").distinct
    }
    for source, layout in layouts:
        metrics = SliceMetrics(source.table, layout, metric, bounds)
        metrics_held |= dict.fromkeys(metrics.held)
        notes += layout_notes(layout, columns.groups, columns.strata)
        every = slices(source.table, layout, missing=missing)
        wanted = [
            (one.checked(), of_slice)
            for one in every
            if (of_slice := metrics.for_slice(one)) is not None
        ]
        notes += not_applicable_note(one for one, _ in wanted)
        parts += _parts(source, layout, wanted, columns, values, labels, paired=pairing != "none")
    if not parts:
        raise DataError(
            f"no rows of metric {metric!r}; the table holds {shortened(list(metrics_held))}"
        )
    families, left_out = families_of(parts, pairing)
    return families, [*dict.fromkeys(notes), *left_out]


def challenge_columns(tables: Tables, value: Any) -> tuple[TableColumns, Any, tuple[str, ...]]:
    """The columns and those of values, also as a challenge's table names them, and what to note.

    Such a table, as challengeR has it, holds a row for each algorithm and case of a task.
    """
    columns = tables.with_models()
    names = () if tables.only is None else tables.only.names
    is_challenge = "metric" not in names and {columns.by, TASK, CASE} <= {*names}
    if columns.within or not is_challenge or isinstance(value, Mapping):
        return columns, value, ()
    used = [VALUE] if value is None and VALUE in names else value
    by_value = "" if used is value else f" by {VALUE!r}"
    note = (
        f"models ({columns.by!r}) are compared{by_value} within each {TASK!r}; name other columns "
        f"by {spelled_both('model')}; {spelled_both('value')}; {spelled_both('by')}"
    )
    return replace(columns, within=(TASK,)), used, (note,)


def _layout(
    source: ModelTable, columns: TableColumns, values: Sequence[str] | Mapping[str, str] | None
) -> Layout:
    listed = list(values.values()) if isinstance(values, Mapping) else values
    models = [] if source.model is not None or isinstance(values, Mapping) else [columns.by]
    by = [*columns.within, *models]
    layout = layout_of(
        source.table, listed, by or None, columns.case, columns.groups, columns.strata
    )
    if layout.metric is not None and not columns.within:
        known = [name for name in CANONICAL_WITHIN if name in source.table and name not in models]
        layout = replace(layout, by=(*known, *models))
    return layout


def _parts(
    source: ModelTable,
    layout: Layout,
    wanted: Sequence[tuple[Slice, Metric]],
    columns: TableColumns,
    values: Any,
    labels: Collection[Any],
    *,
    paired: bool,
) -> list[TablePart]:
    """``labels``: those of long tables, where a column of a wide table may be a row's label."""
    by_column = {c: m for m, c in values.items()} if isinstance(values, Mapping) else {}
    parts = []
    for part, metric in wanted:
        within = {name: level for name, level in part.by.items() if name != columns.by or by_column}
        name = source.model or by_column.get(part.column) or level_text(part.by[columns.by])
        named = len(layout.values) > 1 or (part.metric is None and part.column in labels)
        column = part.column if named and not by_column else ""
        identified = functools.partial(
            row_identities,
            source,
            layout.case,
            layout.groups,
            in_one_row=bool(by_column),
            needed=paired,
        )
        left_out = part.not_applicable
        model = ModelCases(
            name,
            part.values,
            identified(part.rows),
            groups=part.groups,
            strata=part.strata,
            cautions=repeat_cautions(
                part.repeats, len(part.rows), ids_of_groups=part.groups is not None
            ),
            not_applicable=identified(left_out) or tuple(left_out.tolist()),
        )
        levels = (*within.values(), *filter(None, [column]))
        key = (*levels, metric.spec.name, *sorted(metric.parameters.items()))
        parts.append(TablePart(key, within, family_label(within, column), metric, model))
    return parts


def layout_notes(layout: Layout, groups: str | None, strata: str | None) -> list[str]:
    """Columns that were used or left out by default."""
    notes = [f"left out: {shortened(layout.left_out)}"] if layout.left_out else []
    return notes + design_notes(layout, groups, strata)


def design_notes(layout: Layout, groups: str | None, strata: str | None) -> list[str]:
    """Columns that say by their names alone which cases belong together."""
    notes = []
    for role, option, column in (
        ("clusters", groups, layout.groups),
        ("strata", strata, layout.strata),
    ):
        if option is None and column is not None:
            notes.append(f"{role} are taken from column {shown(column)} of the table")
    return notes
