"""Metrics as they are typed: one, several, or with the columns of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import split_names
from halfwidth.metrics.all_metrics import METRICS


def typed_metrics(texts: Sequence[str] | None) -> list[str] | dict[str, str]:
    """The metrics that ``--metric`` names, or those of columns: ``COLUMN=NAME,COLUMN=NAME``.

    >>> typed_metrics(["dsc,nsd:2"])
    ['dsc', 'nsd:2']
    >>> typed_metrics(["DSC=dice,HD=hd:percentile=99,definition=pooled,HD95=hd95"])
    {'DSC': 'dice', 'HD': 'hd:percentile=99,definition=pooled', 'HD95': 'hd95'}
    """
    texts = list(texts or ())
    named = [_column_of(text.partition(",")[0]) is not None for text in texts]
    if not any(named):
        return split_names(texts)
    names: dict[str, str] = {}
    for text in texts:
        last = ""
        for part in filter(None, map(str.strip, text.split(","))):
            column = _column_of(part)
            if column is None:
                raise OptionError(
                    "--metric COLUMN=NAME names the column of a metric; do so for each"
                )
            if last and column in _parameters(names[last]):
                names[last] += f"{',' if ':' in names[last] else ':'}{part}"
            elif column in names:
                raise OptionError(f"--metric names the column {column} twice")
            else:
                last, names[column] = column, part.partition("=")[2]
    return names


def metrics_of(texts: Sequence[str] | None) -> Any:
    """Metrics as values of cases take them: None, a metric, several, or by column."""
    metrics = typed_metrics(texts)
    if isinstance(metrics, Mapping) or len(metrics) > 1:
        return metrics
    return metrics[0] if metrics else None


def names_in(metrics: Any) -> list[str]:
    """Their names, without parameters."""
    listed = metrics.values() if isinstance(metrics, Mapping) else metrics
    return [name.partition(":")[0] for name in listed]


def _column_of(part: str) -> str | None:
    """What stands before an equals sign, if that comes before the parameters."""
    column, equals, _ = part.partition(":")[0].partition("=")
    return column if equals else None


def _parameters(metric: str) -> list[str]:
    """The names of what a metric may be told."""
    name = metric.partition(":")[0]
    return [one.name for one in METRICS[name].parameters] if name in METRICS else []
