"""What the intervals of a study estimate, and what it is called in figures and reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from halfwidth.core.errors import DataError
from halfwidth.core.formatting import percent
from halfwidth.core.types import Bounds
from halfwidth.metrics.agreement import accuracy
from halfwidth.metrics.counting import balanced_accuracy
from halfwidth.plots.names import metric_label, metric_spec, with_parameters
from halfwidth.summaries.all_statistics import STATISTICS as KNOWN

if TYPE_CHECKING:
    import pandas as pd

# What the rows of a graph have in common.
KEY = ("metric", "statistic", "average", "label", "confidence_level", "alternative")
# The order in which statistics and averages are shown; others follow by name.
STATISTICS = ("mean", "trimmed_mean", "median", "sd", "iqr")
SPREADS = ("sd", "iqr")
# Averages that are no choice: accuracy is micro recall, balanced accuracy is macro recall.
FIXED_AVERAGE = {accuracy.__name__: "micro", balanced_accuracy.__name__: "macro"}
TWO_SIDED = "two-sided"
SIDES = {TWO_SIDED: "CI", "lower": "lower bound", "upper": "upper bound"}
BOUNDS = {TWO_SIDED: "intervals", "lower": "lower bounds", "upper": "upper bounds"}


class NotThereError(DataError):
    """A figure needs what the results at hand do not have."""


class Target(NamedTuple):
    """The quantity that the intervals of one graph estimate."""

    metric: str
    statistic: str
    average: str
    label: str
    confidence_level: float
    alternative: str

    @property
    def title(self) -> str:
        """Such as ``mean DSC``, ``macro F1`` and ``accuracy``."""
        joined = " of " if self.statistic in SPREADS else " "
        of = f" of {self.label}" if self.label else ""
        return joined.join(word for word in (self.way, metric_label(self.metric)) if word) + of

    @property
    def way(self) -> str:
        """The statistic or the average in words; empty without one."""
        if self.statistic:
            return average_label(self.statistic)
        return "" if self.metric in FIXED_AVERAGE else self.average

    @property
    def kind(self) -> str:
        """The average, with that of a metric that has only one; empty for per-case values."""
        return self.average or FIXED_AVERAGE.get(self.metric, "")

    @property
    def intervals(self) -> str:
        """Such as ``95 % intervals``."""
        return f"{percent(self.confidence_level)} {BOUNDS[self.alternative]}"

    @property
    def intervals_title(self) -> str:
        """Such as ``95 % CI``, of an axis."""
        return f"{percent(self.confidence_level)} {SIDES[self.alternative]}"


def targets_of(cells: pd.DataFrame) -> list[Target]:
    """All that a study made intervals for, metric by metric."""
    rows = cells[list(KEY)].drop_duplicates().itertuples(index=False)
    return sorted((Target(*row) for row in rows), key=_order)


def by_target(frame: pd.DataFrame) -> Iterator[tuple[Target, pd.DataFrame]]:
    """The rows of each target."""
    for key, rows in frame.groupby(list(KEY), sort=True, dropna=False):
        yield Target(*cast("tuple[Any, ...]", key)), rows


def _order(target: Target) -> tuple[Any, ...]:
    known = target.statistic in STATISTICS
    place = STATISTICS.index(target.statistic) if known else len(STATISTICS)
    metric, rest = target.metric, target[2:]
    # Metrics of per-case values before those of test sets.
    return (target.statistic == "", metric, place, target.statistic, *rest)


def only(frame: pd.DataFrame, target: Target) -> pd.DataFrame:
    """The rows of a frame that are of a target."""
    keep = frame["metric"] == target.metric
    for name in KEY[1:]:
        keep &= frame[name] == getattr(target, name)
    return frame[keep]


def check_two_sided(cells: pd.DataFrame) -> None:
    """Refuse one-sided intervals, which have neither a width nor a middle."""
    if not (cells["alternative"] == TWO_SIDED).any():
        sides = " and ".join(sorted(set(cells["alternative"])))
        raise NotThereError(
            f"the study has one-sided intervals only ({sides}), which have neither a width nor a "
            "middle; it needs two-sided ones"
        )


def quantities_of(cells: pd.DataFrame) -> tuple[str, ...]:
    """Coverage, and width where intervals are two-sided."""
    return ("coverage", "width") if set(cells["alternative"]) == {TWO_SIDED} else ("coverage",)


def average_label(name: str) -> str:
    """The name of a statistic in prose, with its parameters.

    >>> average_label("trimmed_mean")
    'trimmed mean'
    """
    base, _, parameters = name.partition(":")
    return with_parameters(KNOWN[base].title if base in KNOWN else base, parameters)


def unit_of(metric: str) -> str:
    """The unit of a metric; empty where it has none."""
    spec = metric_spec(metric)
    if spec is None or not spec.unit:
        return ""
    return "voxels" if "unit=voxel" in metric else spec.unit


def bounds_of(metric: str) -> Bounds | None:
    """The range of a metric; None of one that is unknown or has no finite ends."""
    spec = metric_spec(metric)
    return spec.bounds if spec and spec.bounds.finite else None


def slug(*words: str) -> str:
    """A name for files: lower case, with hyphens.

    >>> slug("coverage", "dsc", "trimmed_mean:share=0.1")
    'coverage-dsc-trimmed-mean-share-0.1'
    """
    text = "-".join(word for word in words if word).lower()
    return re.sub(r"[^a-z0-9.]+", "-", text).strip("-.")
