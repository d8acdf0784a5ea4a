"""Which metric the slices of a table hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.by_metric import Numbers, penalty_of
from halfwidth.core.metric_spec import PROPORTION, UNNAMED
from halfwidth.core.spec import Better, Kind, Metric, MetricSpec
from halfwidth.core.undefined import is_missing
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.names import resolve_metric
from halfwidth.tables.layout import Layout, Slice, metrics_in

_ANY = (float("-inf"), float("inf"))


class SliceMetrics:
    """Which metric a slice of a table holds."""

    def __init__(
        self, table: Table, layout: Layout, metric: Any, bounds: Any, *, several: bool = False
    ) -> None:
        # Whether it is one of several metrics, each in a column of its own.
        self._several = several
        self._table, self._option, self._bounds = table, metric, bounds
        self._names = layout.metric
        self.held = metrics_in(table, layout)
        names_column = isinstance(metric, str) and metric not in METRICS and metric in self.held
        self._metric = resolve_metric(metric, _ANY if names_column and bounds is None else bounds)
        self._counted: dict[tuple[str, str | None], bool] = {}

    def for_slice(self, part: Slice) -> Metric | None:
        """The metric of a slice, or None for a slice of another metric."""
        if part.metric is None:
            counted = self._option is None and self._bounds is None and self._counts(part)
            return Metric(PROPORTION) if counted else self._metric
        known = part.metric.partition(":")[0] in METRICS
        if not known and self._may_count(part.metric):
            spec = self._table.known.get(part.metric)
            if self._counts(part):
                # Right or wrong, as programs that rate answers have it.
                better = Better.UNSTATED if spec is None else spec.better
                spec = replace(PROPORTION, name=part.metric, title=part.metric, better=better)
            if spec is not None:
                said = self._metric.spec.better
                return Metric(spec if said is Better.UNSTATED else replace(spec, better=said))
        named = resolve_metric(
            f"{part.metric}{part.parameters}", self._bounds if known or self._bounds else _ANY
        )
        if self._option is None:
            return named
        wanted = self._metric
        differs = wanted.parameters and dict(wanted.parameters) != dict(named.parameters)
        if named.spec.name != wanted.spec.name or differs:
            return None
        return Metric(wanted.spec, named.parameters)

    def penalty(self, named: Numbers | None, metric: Metric) -> Numbers | None:
        """The penalty of a metric; in a canonical table, one penalty is for its distances."""
        several = self._several or bool(self.held)
        own = penalty_of(named, metric, several=several)
        alone = self._option is not None or len(self.held) < 2
        return own if alone or isinstance(named, Mapping) or metric.spec.unit == "mm" else None

    def _may_count(self, metric: str) -> bool:
        """Whether the user said nothing of a metric but its name and which direction is better."""
        option = self._option
        if isinstance(option, MetricSpec):
            return option == MetricSpec(metric, better=option.better)
        return self._bounds is None and option in (None, metric)

    def _counts(self, part: Slice) -> bool:
        """Whether cells are 0 and 1 alone; a group, or known truths, may be all 1."""
        key = part.column, part.metric
        if key not in self._counted:
            rows = self._rows_of(part.metric)
            cells = self._table.values(part.column, rows)
            if cells.dtype.kind == "O":
                present = {cell for cell in cells.tolist() if not is_missing(cell)}
                both, every = present == {0.0, 1.0}, bool(present) and present <= {0.0, 1.0}
            else:
                zeros, ones = cells == 0, cells == 1
                every = bool((zeros | ones | np.isnan(cells)).all())
                both = bool(zeros.any() and ones.any())
            told = self._table.known.get(part.metric or "", UNNAMED).kind is Kind.BINARY
            surely = told or self._table.has_truths(part.column, rows) if every else False
            self._counted[key] = every and (both or surely)
        return self._counted[key]

    def _rows_of(self, metric: str | None) -> NDArray[np.intp]:
        if metric is None or self._names is None:
            return np.arange(len(self._table))
        factor = self._table.factor(self._names)
        codes = [code for code, level in enumerate(factor.levels) if str(level) == metric]
        return np.flatnonzero(np.isin(factor.codes, codes))
