"""Several metrics at once: where their values are, and the cases that all of them have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import OptionError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.data.sources import ModelTable
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.names import several


@frozen(eq=False)
class MetricColumns:
    """A metric, and the columns of its values."""

    metric: Any
    value: Any = None

    @property
    def names(self) -> list[str]:
        """The columns that are named."""
        listed = self.value.values() if isinstance(self.value, Mapping) else self.value or ()
        return list(listed)

    def by_model(self) -> list[tuple[str | None, MetricColumns]]:
        """The column of each model by its name, where each has one; else the same without name."""
        if not isinstance(self.value, Mapping):
            return [(None, self)]
        return [(name, replace(self, value=[column])) for name, column in self.value.items()]


def metric_columns(metric: Any, value: Any, sources: Sequence[ModelTable]) -> list[MetricColumns]:
    """Each metric with its columns; a table with a column ``metric`` says itself which they are."""
    if isinstance(metric, Mapping):
        if value is not None:
            raise OptionError(
                f"{spelled('metric', metric)} names the columns of values, and so does "
                f"{spelled('value')}; leave it out, or give a metric or a list of metrics"
            )
        return [MetricColumns(one, [str(column)]) for column, one in metric.items()]
    metrics = listed_metrics(metric)
    if len(metrics) == 1 and value is None and (own := _own_column(metrics[0], sources)):
        return [MetricColumns(metrics[0], [own])]
    if len(metrics) == 1 or all("metric" in one.table for one in sources):
        return [MetricColumns(one, value) for one in metrics]
    if value is not None:
        # Which is whose is not told by their order: each column may be wanted by each metric.
        raise OptionError(
            f"{spelled('value', value)} with {len(metrics)} metrics: say which column holds which, "
            f"{spelled('metric', {'COLUMN': 'NAME'})}"
        )
    return [MetricColumns(one, [_column_of(one, sources)]) for one in metrics]


def _own_column(metric: Any, sources: Sequence[ModelTable]) -> str | None:
    """The column that is called as the metric, in tables whose other columns are called as others.

    Else all columns may be of the metric, as those of several models are.
    """
    asked = METRICS.find(metric.partition(":")[0]) if isinstance(metric, str) else None
    found = set()
    for source in sources:
        called = {name: METRICS.find(name) for name in source.table.names if name in METRICS}
        own = [name for name, spec in called.items() if spec is asked]
        if asked is None or "metric" in source.table or len(own) != 1 or len(called) < 2:
            return None
        found.add(own[0])
    return found.pop() if len(found) == 1 else None


def _column_of(metric: Any, sources: Sequence[ModelTable]) -> str:
    """The column that is called as the metric."""
    name = metric.partition(":")[0] if isinstance(metric, str) else ""
    if not name or not all(name in one.table for one in sources):
        raise OptionError(
            f"no column is called {shown(name or metric)}: say which holds this metric, "
            f"{spelled('metric', {'COLUMN': 'NAME'})}"
        )
    return name


def listed_metrics(metric: Any) -> list[Any]:
    """The metrics that are named: one, or several; a mapping is from columns to these."""
    return [metric] if isinstance(metric, Mapping) else several(metric, "metric")
