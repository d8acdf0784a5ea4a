"""What the real study found for a method: coverage and width on real instances.

The numbers are those of ``docs/real-study.md``; ``examples/real_study.py`` makes the data file
from the stores of the study.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from halfwidth.core.checks import as_count
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.formatting import percent
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Kind, Metric, MetricLevel, MetricSpec, Statistic
from halfwidth.core.types import UNIT_INTERVAL
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.metrics.agreement import accuracy
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.names import resolve_metric

if TYPE_CHECKING:
    import pandas as pd

DATA = "evidence.csv"
# Per-case metrics of segmentation between 0 and 1 behave alike, and are pooled under this name.
OF_CASES = "segmentation, 0 to 1"
# In the study those were accuracies.
OF_PROPORTIONS = accuracy.__name__
# With fewer instances than this quartiles mean little.
FEWEST = 10
# The share of samples without an interval is mentioned from here on.
NOTICED = 0.01
# Coverage that is called reliable: the median over instances as in andre2025, section 4.5, and the
# first quartile, so that three quarters of the instances are not far below (decision 0043).
RELIABLE, RELIABLE_QUARTER = 0.925, 0.9
# Cases of the smallest class that rows of metrics of test sets are pooled by: from each of these up
# to the next. Finer ones leave too few instances to a row.
CLASS_SIZES = (1, 5, 10, 20, 40)


@frozen
class Evidence:
    """What one method did on real instances, at one size of the samples.

    Attributes
    ----------
    family : str
        `OF_CASES`, or the metric of test sets.
    statistic, average : str
        As in a study; empty where there is none.
    method : str
        ``auto`` stands for whatever it gives, fallbacks included.
    n : int
        Cases of each sample; 0 where samples are pooled by their smallest class.
    smallest : int
        Cases of the smallest class that samples hold on average, from this one of `CLASS_SIZES` up
        to the next; 0 where samples are pooled by n.
    instances : int
        Models on tasks.
    coverage_q1, coverage_median, coverage_q3 : float
        Of 95 % intervals, over instances; an undefined interval counts as a miss.
    width_q1, width_median, width_q3 : float
        Of the mean width of each instance; NaN where sizes are pooled.
    reference : str
        The method that `width_ratio` compares with.
    width_ratio : float
        Median over instances of the mean width over that of the reference.
    undefined : float
        Share of samples without an interval.
    """

    family: str
    statistic: str
    average: str
    method: str
    n: int
    smallest: int
    instances: int
    coverage_q1: float
    coverage_median: float
    coverage_q3: float
    width_q1: float
    width_median: float
    width_q3: float
    reference: str
    width_ratio: float
    undefined: float

    @functools.cached_property
    def size(self) -> int:
        """Cases of a sample, or of its smallest class."""
        return self.n or self.smallest

    @functools.cached_property
    def falls_short(self) -> bool:
        """Whether a half, or more than a quarter, of the instances are covered too seldom."""
        return self.coverage_median < RELIABLE or self.coverage_q1 < RELIABLE_QUARTER

    @property
    def _families(self) -> str:
        return " (DSC and NSD)" if self.family == OF_CASES else ""

    @property
    def width_sentence(self) -> str:
        """What a caution about the width quotes."""
        return (
            f"On {self.instances} real instances{self._families} {self.method} was "
            f"{self.width_ratio:.1f} times as wide as {self.reference} at n = {self.n} (median)."
        )

    @property
    def coverage_sentence(self) -> str:
        """What a caution about the coverage quotes."""
        middle, low = (
            percent(round(share, 3)) for share in (self.coverage_median, self.coverage_q1)
        )
        none = percent(round(self.undefined, 2))
        misses = f"; {none} of the samples had none, a miss" if self.undefined >= NOTICED else ""
        return (
            f"On {self.instances} real instances{self._families} 95 % intervals by {self.method} "
            f"covered {middle} {self._setting} (median), and {low} or less on a quarter of them"
            f"{misses}."
        )

    @property
    def _setting(self) -> str:
        if self.n:
            return f"at n = {self.n}"
        up_to = next((size for size in CLASS_SIZES if size > self.smallest), None)
        cases = f"{self.smallest} or more" if up_to is None else f"{self.smallest} to {up_to - 1}"
        return f"with {cases} cases of the smallest class"


# The columns of the data file.
FIELDS = tuple(one.name for one in fields(Evidence))
_KINDS = tuple({"str": str, "int": int, "float": float}[str(one.type)] for one in fields(Evidence))


def metric_family(metric: Metric) -> str:
    """Under which name the study pooled a metric; empty if it has nothing to say of it."""
    spec = metric.spec
    if spec.level is MetricLevel.SAMPLE:
        return spec.name if metric.usual else ""
    if spec.kind is Kind.BINARY:
        return OF_PROPORTIONS
    bounded = spec.bounds == UNIT_INTERVAL and spec.family in {"overlap", "boundary"}
    return OF_CASES if bounded else ""


@functools.cache
def rows_of(family: str, statistic: str | None, average: str, method: str) -> tuple[Evidence, ...]:
    """What was found of a method on enough instances, all sizes, ascending."""
    key = [family, statistic, average, method]
    rows = (_read(cells) for cells in _cells(f",{method},") if cells[: len(key)] == key)
    return tuple(sorted((row for row in rows if row.instances >= FEWEST), key=lambda row: row.size))


def evidence(
    metric: str = "dsc",
    *,
    statistic: str = "mean",
    average: str | None = None,
    n: int | None = None,
) -> pd.DataFrame:
    """Coverage and width of CI methods on real instances, as the study of this project found them.

    Parameters
    ----------
    metric : str
        From the catalogue.
    statistic : str, callable or StatisticSpec, default "mean"
        Summary statistic of values of cases; with parameters: ``"quantile:0.9"``.
    average : str or sequence of them, optional
        Over classes: ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``; ``"none"`` takes
        each class apart.
    n : int, optional
        Only this size of the samples.

    Returns
    -------
    DataFrame
        A row for each average, size and method, with the attributes of `Evidence`; of metrics of
        test sets also for the sizes of the smallest class, whose ``n`` is 0. None where the metric
        was not studied.

    Raises
    ------
    OptionError
        If ``n`` is no size that was studied.
    UnknownNameError
        If there is no such metric or statistic.

    Examples
    --------
    >>> found = evidence("dsc", statistic="mean", n=25)
    >>> sorted(found["method"])[:3]
    ['auto', 'basic', 'bca']
    """
    import pandas as pd

    if average is not None and not isinstance(average, str):
        raise OptionError(f"{spelled('average', average)} does not name an average over classes")
    if n is not None and as_count(n) is None:
        raise OptionError(f"n={shown(n)} is not a whole number of cases")
    spec = SAMPLE_METRICS[metric] if metric in SAMPLE_METRICS else resolve_metric(metric).spec
    per_case = spec.level is MetricLevel.INDIVIDUAL and spec.kind is not Kind.BINARY
    named = resolve_statistic(statistic).spec.name if per_case else ""
    rows = [
        row
        for row in shipped()
        if (row.family, row.statistic) == (metric_family(Metric(spec)), named)
        and average in (None, row.average)
    ]
    sizes = sorted({row.n for row in rows} - {0})
    if n is not None and rows and n not in sizes:
        raise OptionError(f"n = {n} was not studied; choose one of {', '.join(map(str, sizes))}")
    kept = [row for row in rows if n in (None, row.n)]
    return pd.DataFrame(kept, columns=list(FIELDS))


def statistic_studied(metric: MetricSpec, statistic: Statistic) -> str | None:
    """The statistic as the study names it; None where it is not what was studied."""
    if metric.level is MetricLevel.SAMPLE or metric.kind is Kind.BINARY:
        return ""
    usual = {parameter.name: parameter.default for parameter in statistic.spec.parameters}
    return statistic.spec.name if dict(statistic.parameters) == usual else None


@functools.cache
def shipped() -> tuple[Evidence, ...]:
    """What was found on enough instances, in the order of the data file."""
    return tuple(row for row in map(_read, _cells()) if row.instances >= FEWEST)


def _cells(text: str = "") -> Iterator[list[str]]:
    """The rows of the file that hold a text; their columns are the fields of `Evidence`."""
    return csv.reader(line for line in _lines() if text in line)


@functools.cache
def _lines() -> list[str]:
    """The file without its header."""
    header, *rows = Path(__file__).with_name(DATA).read_text(encoding="utf-8").splitlines()
    if header != ",".join(FIELDS):
        raise ValueError(f"{DATA} has the columns {header}, not {', '.join(FIELDS)}")
    return rows


def _read(cells: list[str]) -> Evidence:
    return Evidence(*(kind(cell) for kind, cell in zip(_KINDS, cells, strict=True)))
