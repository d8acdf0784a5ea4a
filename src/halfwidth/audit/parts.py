"""The values of a table as the checks look at them: numbers, their metric, their cases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.metric_spec import UNNAMED
from halfwidth.core.spec import Kind, Metric, MetricSpec
from halfwidth.core.types import UNBOUNDED, Array
from halfwidth.data.slice_metrics import SliceMetrics
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.tables.layout import Layout, Slice, level_text, slices
from halfwidth.tables.metric_names import metric_in

# Columns that name models, or whoever gave the values.
OF_MODELS = frozenset({"model", "algorithm", "method", "team", "network", "reader", "readerid"})
# Columns that hold the mean of others, and rows that hold that of the cases.
MEANS = frozenset({"mean", "average", "avg"})
# Words in the name of a column whose values are not those of the metric that it names as well.
NOT_OF_METRIC = frozenset(
    [
        *("rank", "n", "num", "count", "loss", "sd", "std", "var", "sem", "diff", "difference"),
        *("change", "p", "pvalue", "time", "threshold", "weight"),
    ]
)


@frozen(eq=False)
class Part:
    """The values of one slice of a table."""

    table: Table
    # Of the table, where there are several.
    name: str
    slice: Slice
    # Unnamed where neither the table nor the user says what the values are.
    metric: Metric
    # Divided by the scale; NaN where a value is missing or no number.
    numbers: Array
    # Which cells are no numbers.
    words: NDArray[np.bool_]
    # The model that the values are of; empty where there is one.
    model: str
    # What the values are of, whatever the model: the column, or label and metric.
    content: str
    # The column of case ids.
    case: str | None
    # All rows of the slice, those to which the metric does not apply among them.
    rows: NDArray[np.intp]

    @property
    def label(self) -> str:
        """Where in its table the values stand."""
        metric = f"{self.slice.metric}{self.slice.parameters}" if self.slice.metric else ""
        return ", ".join(part for part in (self.slice.label, metric) if part)

    @property
    def spec(self) -> MetricSpec:
        """What is known of the metric."""
        return self.metric.spec

    @property
    def known(self) -> bool:
        """Whether the metric is one of the catalogue, or has a range."""
        return self.spec.name in METRICS or self.spec.bounds != UNBOUNDED

    @property
    def present(self) -> Array:
        """The finite values, ascending."""
        return np.sort(self.numbers[np.isfinite(self.numbers)])

    def row_numbers(self, chosen: NDArray[np.bool_], most: int) -> tuple[int, ...]:
        """The first of some values, as a user counts rows."""
        rows = self.slice.rows[np.flatnonzero(chosen)[:most]]
        return tuple(self.table.row_number(row) for row in rows.tolist())

    def cases(self, chosen: NDArray[np.bool_], most: int) -> tuple[str, ...]:
        """The cases of the first of some values, where cases have ids."""
        if self.case is None:
            return ()
        return tuple(self.slice.cases[int(row)] for row in np.flatnonzero(chosen)[:most])


def parts_of(
    table: Table,
    name: str,
    layout: Layout,
    metrics: SliceMetrics,
    scale: float,
    *,
    model: str,
    guess: bool,
) -> Iterator[Part]:
    """The slices of each ``model``; ``guess``: whether names of columns and file say what it is."""
    guesses = guessed_metrics(table, layout) if guess else {}
    models = [column for column in layout.by if column == model or _squeezed(column) in OF_MODELS]
    for part, rows in _with_all_rows(table, layout):
        metric = metrics.for_slice(part)
        if metric is None:
            continue
        if metric.spec == UNNAMED and part.column in guesses:
            metric = Metric(guesses[part.column])
        numbers, words = as_numbers(part.values)
        with np.errstate(over="ignore"):
            scaled = numbers / scale
        named = [name, *(level_text(part.by[column]) for column in models)]
        levels = [level_text(level) for column, level in part.by.items() if column not in models]
        levels.append(f"{part.metric}{part.parameters}" if part.metric else part.column)
        yield Part(
            table,
            name,
            part,
            metric,
            scaled,
            words,
            model=" / ".join(filter(None, named)),
            content=" / ".join(levels),
            case=layout.case,
            rows=rows,
        )


def _with_all_rows(table: Table, layout: Layout) -> Iterator[tuple[Slice, NDArray[np.intp]]]:
    """The slices, and their rows with those to which a metric does not apply."""
    if layout.metric is None or "status" in layout.by or "status" not in table:
        yield from ((part, part.rows) for part in slices(table, layout))
        return
    columns = {name: column for name, column in table.columns.items() if name != "status"}
    without = slices(replace(table, columns=columns), layout)
    for part, whole in zip(slices(table, layout), without, strict=True):
        yield part, whole.rows


def guessed_metrics(table: Table, layout: Layout) -> dict[str, MetricSpec]:
    """What the columns of values hold by their names, or all of them by that of the file."""
    if layout.metric is not None:
        return {}
    guesses = {column: metric_of_name(column) for column in layout.values}
    if not any(guesses.values()) and table.source:
        by_file = metric_of_name(PurePath(table.source).name.split(".")[0])
        guesses = dict.fromkeys(layout.values, by_file)
    return {column: spec for column, spec in guesses.items() if spec is not None}


def metric_of_name(name: str) -> MetricSpec | None:
    """The metric that a name is of, if it holds that of one: ``Liver_Dice (%)`` is of ``dsc``."""
    named = metric_in(name)
    if named is None or NOT_OF_METRIC & {*re.findall(r"[a-z0-9]+", name.lower())}:
        return None
    metric, before, behind = named
    alone = not re.search(r"[a-z0-9]", f"{before}{behind}".lower())
    return METRICS[metric] if alone or METRICS[metric].kind is not Kind.BINARY else None


def as_numbers(values: NDArray[Any]) -> tuple[Array, NDArray[np.bool_]]:
    """Values as numbers, NaN where they are missing or words; and which are words."""
    if values.dtype.kind in "fiub":
        return np.asarray(values, dtype=float), np.zeros(len(values), dtype=bool)
    cells: Sequence[Any] = values.tolist()
    words = np.array([isinstance(cell, str) for cell in cells], dtype=bool)
    numbers = [np.nan if cell is None or isinstance(cell, str) else cell for cell in cells]
    return np.array(numbers, dtype=float), words


def _squeezed(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())
