"""Families of per-case values in tables: a column of models, a table or a column for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.comparison.families import Family, ModelCases
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.sources import (
    Source,
    TableColumns,
    check_each_once,
    family_label,
    row_identities,
)
from halfwidth.core.errors import DataError, shortened
from halfwidth.core.estimate import metric_title
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric
from halfwidth.estimation.repeat_cautions import repeat_cautions
from halfwidth.estimation.resolve import UNNAMED
from halfwidth.estimation.slice_metrics import SliceMetrics
from halfwidth.estimation.tables import layout_notes
from halfwidth.io.layout import Layout, layout_of, slices

Values = str | Sequence[str] | Mapping[str, str] | None
# Levels within which the models of a canonical table are compared if nothing else is said.
CANONICAL_WITHIN = ("task", "label")


@frozen(eq=False)
class _Part:
    """The values of one model in one family."""

    key: tuple[Any, ...]
    by: Mapping[str, Any]
    label: str
    metric: Metric
    model: ModelCases


def value_families(
    sources: Sequence[Source],
    columns: TableColumns,
    values: Sequence[str] | Mapping[str, str] | None,
    metric: Any,
    bounds: Any,
    settings: Settings,
) -> tuple[list[Family], list[str]]:
    """The families that tables hold, and what was assumed about their columns.

    ``values`` are value columns, of which each makes families of its own, or a mapping from the
    name of a model to its column.
    """
    parts: list[_Part] = []
    notes: list[str] = []
    held: dict[str, None] = {}
    for source in sources:
        layout = _layout(source, columns, values)
        metrics = SliceMetrics(source.table, layout, metric, bounds)
        held |= dict.fromkeys(metrics.held)
        notes += layout_notes(layout, columns.groups, columns.strata)
        parts += _parts(source, layout, metrics, columns, values, paired=settings.paired)
    if not parts:
        raise DataError(f"no rows of metric {metric!r}; the table holds {shortened(list(held))}")
    families, left_out = _grouped(parts, settings.unmatched)
    return families, [*dict.fromkeys(notes), *left_out]


def _layout(
    source: Source, columns: TableColumns, values: Sequence[str] | Mapping[str, str] | None
) -> Layout:
    listed = list(values.values()) if isinstance(values, Mapping) else values
    of_model = [] if source.model is not None or isinstance(values, Mapping) else [columns.by]
    by = [*columns.within, *of_model]
    layout = layout_of(
        source.table, listed, by or None, columns.case, columns.groups, columns.strata
    )
    if layout.metric is not None and not columns.within:
        known = [name for name in CANONICAL_WITHIN if name in source.table and name not in of_model]
        layout = replace(layout, by=(*known, *of_model))
    return layout


def _parts(
    source: Source,
    layout: Layout,
    metrics: SliceMetrics,
    columns: TableColumns,
    values: Any,
    *,
    paired: bool,
) -> list[_Part]:
    by_column = {c: m for m, c in values.items()} if isinstance(values, Mapping) else {}
    parts = []
    for part in slices(source.table, layout):
        metric = metrics.for_slice(part)
        if metric is None:
            continue
        within = {name: level for name, level in part.by.items() if name != columns.by or by_column}
        name = source.model or by_column.get(part.column) or str(part.by[columns.by])
        column = part.column if len(layout.values) > 1 and not by_column else ""
        identities = row_identities(
            source,
            layout.case,
            part.rows,
            part.groups,
            in_one_row=bool(by_column),
            needed=paired,
        )
        model = ModelCases(
            name,
            part.values,
            identities,
            groups=part.groups,
            strata=part.strata,
            cautions=repeat_cautions(part.repeats, len(part.rows)),
            n_not_applicable=part.n_not_applicable,
        )
        key = (*within.values(), column, part.metric, part.parameters)
        parts.append(_Part(key, within, family_label(within, column), metric, model))
    return parts


def _grouped(parts: Sequence[_Part], unmatched: str) -> tuple[list[Family], list[str]]:
    """Families in their order of appearance, and the models that some of them lack."""
    names = list(dict.fromkeys(part.model.name for part in parts))
    by_key: dict[tuple[Any, ...], list[_Part]] = {}
    for part in parts:
        by_key.setdefault(part.key, []).append(part)
    families, notes = [], []
    for members in by_key.values():
        first = members[0]
        place = f"{first.label}: " if first.label else ""
        check_each_once([part.model.name for part in members], place)
        lacking = [name for name in names if all(part.model.name != name for part in members)]
        if lacking and unmatched == "raise":
            raise DataError(_lacking(first, members, lacking, parts))
        if lacking:
            notes.append(f"{place}no rows of {shortened(lacking, 5)}")
            if len(members) == 1:
                continue
        families.append(
            Family(
                tuple(part.model for part in members),
                _common_metric(members),
                first.label,
                first.by,
            )
        )
    if not families:
        raise DataError(f"nothing to compare: {'; '.join(notes)}")
    return families, notes


def _lacking(
    first: _Part, members: Sequence[_Part], lacking: Sequence[str], parts: Sequence[_Part]
) -> str:
    """What to say of a family that some models have no rows for."""
    place = f"{first.label}: " if first.label else ""
    metrics: dict[str, dict[str, None]] = {}
    for part in parts:
        metrics.setdefault(part.model.name, {})[metric_title(part.metric)] = None
    own, other = (list(metrics[name]) for name in (members[0].model.name, lacking[0]))
    if not set(own) & set(other):
        better = {part.metric.spec.better for part in parts}
        opposite = ", of which one is better when larger, the other when smaller"
        return (
            f"{members[0].model.name} has {shortened(own, 3)} and {lacking[0]} has "
            f"{shortened(other, 3)}: different metrics cannot be compared"
            + (opposite if len(better) > 1 else "")
        )
    return (
        f"{place}no rows of {metric_title(first.metric)} for {shortened(lacking, 5)}, which other "
        "levels have. Leave such levels out of the table; unmatched='omit' (--unmatched omit) "
        "compares the models that are there, where there are two"
    )


def _common_metric(members: Sequence[_Part]) -> Metric:
    """That of all members; whether unnamed values are proportions is seen in all together."""
    metrics = [part.metric for part in members]
    return metrics[0] if all(one == metrics[0] for one in metrics) else Metric(UNNAMED)
