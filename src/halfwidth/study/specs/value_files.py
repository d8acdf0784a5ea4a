"""Instances of tables: a value of a metric for each case, one sample for each file and column."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.core.cautions import caution
from halfwidth.core.errors import DataError, shortened
from halfwidth.core.spec import Kind, Metric, MetricLevel
from halfwidth.core.types import Array, Level
from halfwidth.estimation.check import Ready, ready_values
from halfwidth.estimation.resolve import Request
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.names import resolve_metric
from halfwidth.metrics.overlap import dsc, iou
from halfwidth.study.populations.empirical import empirical
from halfwidth.study.populations.kde import MOST, adaptive_kde
from halfwidth.study.populations.mixtures import mixture
from halfwidth.study.specs.matching import Match, all_matches, identity
from halfwidth.study.specs.spec import FEW_CASES, Instance, TableSource, digest_of, written
from halfwidth.study.specs.toml_sections import placed
from halfwidth.tables.challenge_columns import MODEL_COLUMNS, VALUE
from halfwidth.tables.layout import (
    MISSING_LEVEL,
    Layout,
    Slice,
    layout_of,
    metrics_in,
    not_applicable_note,
    slices,
)
from halfwidth.tables.picked_rows import pick_rows
from halfwidth.tables.readers import read_table
from halfwidth.tables.repeats import Repeats
from halfwidth.tables.told_apart import telling_apart

# Columns that name the task of a row; the metric, in tables of challenges; and parts of the data.
TASKS, METRIC_COLUMNS = ("task", "subtask"), ("score",)
SPLITS = frozenset({"split", "subset", "partition", "set"})
# What is known of one metric where the tables hold another, case by case.
CONVERSIONS: dict[tuple[str, str], Callable[[Array], Array]] = {
    (dsc.__name__, iou.__name__): lambda values: values / (2 - values),
    (iou.__name__, dsc.__name__): lambda values: 2 * values / (1 + values),
}


def instances_of_tables(source: TableSource, folder: Path) -> Iterator[Instance]:
    """The instances of all files of a source; a file that two patterns match counts once."""
    for match in all_matches(source.files, folder):
        yield from _instances_of_table(source, match)


def _instances_of_table(source: TableSource, match: Match) -> list[Instance]:
    table, instances = read_table(match.path), list[Instance]()
    with placed(match.shown):
        if source.where:
            with placed("where"):
                table = pick_rows(table, source.where)
        if source.columns is None:
            table = with_metrics(table)
        layout = layout_of(table, source.columns, source.by or None, source.case)
        if not source.by:
            by = instance_columns(table, layout)
            layout = layout_of(table, source.columns, by or None, source.case)
        known = metrics_in(table, layout)
        _check_metric(source, layout, known)
        for part in slices(table, layout, missing=source.missing):
            metric = _metric_of(source, part)
            if metric is not None:
                checked = part.checked()
                instances.append(_instance(source, match, layout, checked, metric, table.notes))
        if not instances:
            name = written(source.metric) if source.metric else "value"
            raise DataError(f"no row has metric {name!r}; the table has {shortened(known)}")
    return instances


def with_metrics(table: Table) -> Table:
    """The table, whose column of names of metrics has the name that canonical tables give it."""
    if "metric" in table or VALUE not in table:
        return table
    named = {
        name: "metric"
        for name in METRIC_COLUMNS
        if name in table and any(str(level) in METRICS for level in table.factor(name).levels)
    }
    return replace(table, columns={named.get(one, one): table.columns[one] for one in table.names})


def instance_columns(table: Table, layout: Layout) -> tuple[str, ...]:
    """Columns whose levels are instances: of models and tasks, and others in which cases repeat."""
    splits = [name for name in table.names if name.strip().lower() in SPLITS]
    free = [name for name in table.names if name not in (*layout.values, layout.case, *splits)]
    levels = {
        name: table.factor(name).distinct for name in (*MODEL_COLUMNS, *TASKS) if name in free
    }
    named = [name for name, distinct in levels.items() if len(distinct) > 1]
    further = telling_apart(table, layout.case, [*layout.values, *splits])
    known = layout.by if layout.metric is not None else ()
    return tuple(dict.fromkeys([*known, *named, *further]))


def _check_metric(source: TableSource, layout: Layout, known: list[str]) -> None:
    """Refuse values that nothing says the metric of, and options that would be for several."""
    if layout.metric is None and source.metric is None:
        raise DataError(
            'what are the values? Say it: metric = "dsc"; or a name of your own, with bounds = '
            f"[low, high] (columns: {shortened(layout.values, 5)})"
        )
    if source.metric is None and len(known) > 1 and (source.scale != 1 or source.bounds):
        raise DataError(
            f"scale and bounds would apply to every metric of the table ({shortened(known)}); name "
            "the one that is meant: metric = ..., in a section for each"
        )


def _metric_of(source: TableSource, part: Slice) -> Metric | None:
    """The metric of a sample, or None if the source selects another one."""
    wanted = source.metric
    if part.metric is None or wanted is None:
        return wanted or resolve_metric(f"{part.metric}{part.parameters}", source.bounds)
    if wanted.spec.name != part.metric:
        return None
    if part.metric not in METRICS:
        return wanted
    named = resolve_metric(f"{part.metric}{part.parameters}")
    differs = wanted.parameters and dict(wanted.parameters) != dict(named.parameters)
    return None if differs else Metric(wanted.spec, named.parameters)


# --------------------------------------------------------------------------- one instance


def _instance(
    source: TableSource,
    match: Match,
    layout: Layout,
    part: Slice,
    metric: Metric,
    layout_notes: tuple[str, ...],
) -> Instance:
    model, task, where = _named(source, match, layout, part)
    table_metric = METRICS[source.converted_from] if source.converted_from else metric.spec
    ready = ready_values(
        part.values,
        metric if table_metric is metric.spec else Metric(table_metric),
        Request(None, Level(), 2, 0, source.missing, source.penalty),
        scale=source.scale,
        where=where,
        cases=part.cases,
        may_be_empty=True,
    )
    bounds = metric.spec.bounds
    # Values beyond the bounds by the rounding of the file are on them.
    values = np.sort(np.clip(ready.values, table_metric.bounds.low, table_metric.bounds.high))
    if source.converted_from:
        values = CONVERSIONS[source.converted_from, metric.spec.name](values)
    low = source.above * np.median(values) if source.above and len(values) else -np.inf
    kept = values[values > low]
    population, build = _population(source, metric, kept)
    name = "/".join(filter(None, (model, task, written(metric))))
    notes = [*layout_notes, *_notes(source, part, ready)]
    recipe: dict[str, Any] = {
        "population": population,
        "metric": written(metric, complete=True),
        "bounds": [repr(bounds.low), repr(bounds.high)],
    }
    if source.above:
        share = "half" if source.above == 0.5 else f"{source.above:g} of"
        name += f", cases above {share} the median"
        recipe["above"] = repr(source.above)
    if len(kept) < len(values):
        left_out = len(values) - len(kept)
        notes.append(f"{left_out} of {len(values)} cases left out: at most {low:.3g}")
    if source.failures and metric.spec.worst is not None:
        build = functools.partial(_planted, build, source.failures, metric.spec.worst)
        name += f"+{100 * source.failures:g}% failures"
        recipe["failures"] = repr(source.failures)
    return Instance(
        name=name,
        task=task,
        model=model,
        source=f"{match.shown}, {where}",
        level=MetricLevel.INDIVIDUAL,
        metric=metric,
        build=build,
        n_cases=len(kept),
        digest=digest_of(recipe, kept),
        bounds=bounds,
        notes=tuple(notes),
        cautions=tuple(_value_cautions(kept)),
    )


def _named(source: TableSource, match: Match, layout: Layout, part: Slice) -> tuple[str, str, str]:
    """The model and the task of a sample, and where it stands."""
    several = len(layout.values) > 1
    by = {name: MISSING_LEVEL if n is None else str(n) for name, n in part.by.items()}
    of_model = next((name for name in MODEL_COLUMNS if name in by), "")
    model = source.model or by.get(of_model, "")
    tasks_first = sorted(by, key=lambda name: name not in TASKS)
    within = [by[name] for name in tasks_first if name != of_model]
    tasks = [source.task, *within, part.column if several else ""]
    model, task = identity(match, model, "/".join(filter(None, tasks)), columns=several)
    levels = [f"{name} {level}" for name, level in by.items()]
    metric = [] if part.metric is None else [part.metric + part.parameters]
    return model, task, ", ".join([f"column {part.column!r}", *metric, *levels])


def _population(
    source: TableSource, metric: Metric, values: Array
) -> tuple[str, Callable[[], Any]]:
    """The kind of population that the values stand for, and what will build it."""
    kind = source.population
    if kind == "auto":
        kind = "kde" if metric.spec.kind is Kind.CONTINUOUS else "empirical"
    if kind == "kde" and len(values) > MOST:
        raise DataError(
            f"{len(values)} values are too many for a kernel density estimate (at most {MOST}); "
            'write population = "empirical", which is smooth enough with so many'
        )
    if kind == "kde":
        return kind, functools.partial(adaptive_kde, values, metric.spec.bounds)
    return kind, functools.partial(empirical, values)


def _planted(build: Callable[[], Any], share: float, worst: float) -> Any:
    """The population, but for a share of cases that have the worst value."""
    return mixture([build(), empirical([worst])], [1 - share, share])


def _notes(source: TableSource, part: Slice, ready: Ready) -> Iterator[str]:
    total = len(part.cases)
    if ready.n_missing:
        infinite = f", {ready.n_infinite} of them infinite" if ready.n_infinite else ""
        done = "left out" if source.missing == "omit" else "counted as the worst value"
        yield f"{ready.n_missing} of {total} values missing{infinite}: {done}"
    yield from not_applicable_note([part])
    yield from notes_of_repeats(part.repeats, total)


def notes_of_repeats(repeats: Repeats, total: int) -> Iterator[str]:
    """What an instance is noted for whose rows may not be independent cases."""
    if repeats.cases:
        yield f"{repeats.cases} of {total} rows repeat a case, and count as cases"
    if repeats.shared:
        column, levels = repeats.shared
        yield f"{total} rows share {levels} levels of column {column!r}, and count as cases"


def _value_cautions(values: Array) -> Iterator[Any]:
    if len(values) and values[0] == values[-1]:
        yield caution("HW602", n=len(values), value=values[0])
    elif len(values) < FEW_CASES:
        yield caution("HW601", n=len(values), needed=FEW_CASES)
