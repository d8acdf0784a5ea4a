"""Several metrics at once: where their values are, and the cases that all of them have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.by_metric import penalty_of
from halfwidth.core.errors import DataError, OptionError, shortened, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.core.titles import metric_title
from halfwidth.core.undefined import is_missing
from halfwidth.data.detections import Comparable
from halfwidth.data.families import Family, Identity, ModelCases, named
from halfwidth.data.measuring import Matched, Measurable
from halfwidth.data.quantities import listed_metrics
from halfwidth.data.sources import ModelTable
from halfwidth.metrics.all_metrics import METRICS


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


def penalized(families: Sequence[Comparable], how: Matched) -> Iterator[tuple[Comparable, Matched]]:
    """Each family with how it is measured: with the penalty of its own metric."""
    several = len({one.metric.spec for one in families if isinstance(one.metric, Metric)}) > 1
    for one in families:
        if not isinstance(one.metric, Metric):
            yield one, how
            continue
        penalty = penalty_of(how.request.penalty, one.metric, several=several)
        yield one, replace(how, request=replace(how.request, penalty=penalty))


# --------------------------------------------------------------------------- the same cases


def with_same_cases(
    compared: Sequence[Comparable], how: Matched
) -> tuple[list[Comparable], list[str]]:
    """The same where all metrics of a task are of the same cases; detectors see all images."""
    by_label: dict[str, list[Comparable]] = {}
    for one in compared:
        by_label.setdefault(one.label, []).append(one)
    with_same: list[Comparable] = []
    notes: list[str] = []
    for together in by_label.values():
        families = [one.family for one in together if isinstance(one, Measurable)]
        kept, own = keep_shared_cases(families, how.pairing, how.request.missing)
        in_order = iter(kept)
        with_same += [
            replace(one, family=next(in_order)) if isinstance(one, Measurable) else one
            for one in together
        ]
        notes += own
    return with_same, notes


def keep_shared_cases(
    families: Sequence[Family], pairing: str, missing: str
) -> tuple[list[Family], list[str]]:
    """Families without cases that some metric lacks; missing values stay, for their policy."""
    if len(families) < 2 or any(m.identities is None for f in families for m in f.models):
        return list(families), []
    shared = [_shared(one) for one in families]
    if pairing == "complete" and len({frozenset(one) for one in shared}) > 1:
        raise DataError(_differing(families, shared))
    lacking = [_without_value(one) if missing == "omit" else set() for one in families]
    present = [own - without for own, without in zip(shared, lacking, strict=True)]
    common = set.intersection(*present)
    kept, notes = [], []
    for family, own in zip(families, present, strict=True):
        surplus = own - common
        kept.append(_leave_out(family, surplus) if surplus else family)
        if surplus:
            notes.append(
                f"{family.place}{_title(family)} without {len(surplus)} case(s) that lack another "
                "of the combined metrics"
            )
    return kept, notes


def _shared(family: Family) -> set[Identity]:
    return set.intersection(*(set(model.identities or ()) for model in family.models))


def _without_value(family: Family) -> set[Identity]:
    """Cases of which some model has no finite value."""
    return {
        identity
        for model in family.models
        for identity, lacks in zip(model.identities or (), _lacks(model), strict=True)
        if lacks
    }


def _lacks(model: ModelCases) -> NDArray[np.bool_]:
    cells = np.asarray(model.predictions)
    if cells.dtype.kind == "f":
        return np.asarray(~np.isfinite(cells))
    return np.array([is_missing(cell) for cell in cells.tolist()], dtype=bool)


def _leave_out(family: Family, surplus: set[Identity]) -> Family:
    models = tuple(
        model.rows(np.flatnonzero([one not in surplus for one in model.identities or ()]))
        for model in family.models
    )
    return replace(family, models=models, n_unmatched=family.n_unmatched + len(surplus))


def _differing(families: Sequence[Family], shared: Sequence[set[Identity]]) -> str:
    every = set().union(*shared)
    absent = {_title(family): every - own for family, own in zip(families, shared, strict=True)}
    lacking = [
        f"{title} lacks {len(cases)} ({shortened(sorted(map(named, cases)), 3)})"
        for title, cases in absent.items()
        if cases
    ]
    return (
        f"{families[0].place}metrics that are combined need the same cases: {'; '.join(lacking)}. "
        f"{spelled('pairing', 'common')} leaves them out"
    )


def _title(family: Family) -> str:
    return metric_title(family.metric) if isinstance(family.metric, Metric) else "a metric"
