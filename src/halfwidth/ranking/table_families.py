"""The families to be ranked that tables hold, of one metric or of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfwidth.comparison.families import Family
from halfwidth.comparison.measuring import Measuring, measuring_each_metric, measuring_values
from halfwidth.comparison.prediction_tables import PredictionColumns, prediction_families
from halfwidth.comparison.settings import Settings
from halfwidth.comparison.sources import Source, TableColumns
from halfwidth.comparison.value_tables import value_families
from halfwidth.core.errors import OptionError
from halfwidth.core.options import spelled
from halfwidth.ranking.several_metrics import MetricColumns, keep_shared_cases

# A family, and what is computed of its models.
Measured = tuple[Family, Measuring]


def table_families(
    sources: Sequence[Source],
    columns: TableColumns,
    where: PredictionColumns | None,
    wanted: Sequence[MetricColumns],
    bounds: Any,
    given: Mapping[str, Any],
    settings: Settings,
) -> tuple[list[Measured], list[str]]:
    """All families, task by task, and what was assumed about columns and left out.

    Parameters
    ----------
    sources, columns
        The tables and the names of their columns.
    where : PredictionColumns or None
        Of predictions; None where there are values of cases.
    wanted : sequence of MetricColumns
    bounds
        Of the values of one metric.
    given : mapping
        The options of which each is for values of cases or for predictions alone.
    settings : Settings
    """
    if bounds is not None and len(wanted) > 1:
        raise OptionError(f"{spelled('bounds')} is the range of one metric, and several are given")
    metrics = [one.metric for one in wanted]
    if where is None:
        each = [measuring_values(metric, bounds, given, named=False) for metric in metrics]
    else:
        each = measuring_each_metric(metrics, bounds, given)
    found: list[Measured] = []
    notes: list[str] = []
    for one, measuring in zip(wanted, each, strict=True):
        if where is None:
            families, own = value_families(
                sources, columns, one.value, one.metric, bounds, settings
            )
        else:
            families, own = prediction_families(sources, columns, where, measuring, settings)
        found += [(family, measuring) for family in families]
        notes += own
    order = list(dict.fromkeys(family.label for family, _ in found))
    return sorted(found, key=lambda pair: order.index(pair[0].label)), [*dict.fromkeys(notes)]


def with_same_cases(
    measured: Sequence[Measured], settings: Settings
) -> tuple[list[Measured], list[str]]:
    """The same where all metrics of a task are of the same cases."""
    by_label: dict[str, list[Measured]] = {}
    for pair in measured:
        by_label.setdefault(pair[0].label, []).append(pair)
    found: list[Measured] = []
    notes: list[str] = []
    for pairs in by_label.values():
        families, own = keep_shared_cases(
            [family for family, _ in pairs], settings.unmatched, settings.request.missing
        )
        found += [(family, how) for family, (_, how) in zip(families, pairs, strict=True)]
        notes += own
    return found, notes
