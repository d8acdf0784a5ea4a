"""What the real study found for a method: coverage and width on real instances.

The numbers are those of ``docs/real-study.md``; ``examples/real_study.py`` makes the data file
from the stores of the study.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import OptionError
from halfwidth.core.estimate import Estimate
from halfwidth.core.formatting import percent
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Kind, Metric, MetricLevel, MetricSpec, Statistic
from halfwidth.core.types import Bounds, Level
from halfwidth.metrics.agreement import accuracy

if TYPE_CHECKING:
    import pandas as pd

DATA = "evidence.csv"
# Per-case metrics of segmentation between 0 and 1 behave alike, and are pooled under this name.
OF_CASES = "segmentation, 0 to 1"
# A size of the study speaks for samples of up to this many times as many cases (the next size is
# nearer then), and the smallest for those of this much fewer.
LARGER, FEWER = 2.5, 1.5
# With fewer instances than this quartiles mean little.
FEWEST = 10
# Cautions about how well a method covers; the most special one that was raised quotes the study.
QUOTING = ("HW313", "HW307", "HW303", "HW302", "HW301", "HW201")
# A concentration bound always covers; what it costs is width.
OF_WIDTH = "HW307"
STUDIED = Level(0.95)
# The share of samples without an interval is mentioned from here on.
NOTICED = 0.01
# The median coverage that is called reliable, as in andre2025, section 4.5.
RELIABLE = 0.925


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
    n : int
        Cases of each sample.
    instances : int
        Models on tasks.
    coverage_q1, coverage_median, coverage_q3 : float
        Of 95 % intervals, over instances; an undefined interval counts as a miss.
    width_q1, width_median, width_q3 : float
        Of the mean width of each instance.
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

    @property
    def _of_what(self) -> str:
        return " (DSC and NSD)" if self.family == OF_CASES else ""

    @property
    def of_width(self) -> str:
        """What a caution about the width quotes."""
        return (
            f"On {self.instances} real instances{self._of_what} {self.method} was "
            f"{self.width_ratio:.1f} times as wide as {self.reference} at n = {self.n} (median)."
        )

    @property
    def of_coverage(self) -> str:
        """What a caution about the coverage quotes."""
        middle, low = (
            percent(round(share, 3)) for share in (self.coverage_median, self.coverage_q1)
        )
        none = percent(round(self.undefined, 2))
        misses = f"; {none} of the samples had none, a miss" if self.undefined >= NOTICED else ""
        return (
            f"On {self.instances} real instances{self._of_what} 95 % intervals by {self.method} "
            f"covered {middle} at n = {self.n} (median), and {low} or less on a quarter of them"
            f"{misses}."
        )


# The columns of the data file.
FIELDS = tuple(one.name for one in fields(Evidence))
_KINDS = tuple({"str": str, "int": int, "float": float}[str(one.type)] for one in fields(Evidence))


def metric_family(metric: Metric) -> str:
    """Under which name the study pooled a metric; empty if it has nothing to say of it."""
    spec = metric.spec
    if spec.level is MetricLevel.SAMPLE:
        return spec.name if metric.usual else ""
    if spec.kind is Kind.BINARY:
        return accuracy.__name__
    bounded = spec.bounds == Bounds(0.0, 1.0) and spec.family in {"overlap", "boundary"}
    return OF_CASES if bounded else ""


def find_evidence(
    metric: Metric, statistic: Statistic, average: str, method: str, n: int
) -> Evidence | None:
    """What the study found at the next size below n, or the smallest, if it is near.

    Parameters
    ----------
    metric : Metric
    statistic : Statistic
        With other parameters than the study's, nothing was found.
    average : str
        Over classes; empty where there is none.
    method : str
    n : int
        Independent cases.
    """
    rows = sorted(_rows_for(metric, statistic, average, method), key=lambda row: row.n)
    below = [row for row in rows if row.n <= n]
    if below:
        return below[-1] if n <= LARGER * below[-1].n else None
    return rows[0] if rows and rows[0].n <= FEWER * n else None


def _rows_for(metric: Metric, statistic: Statistic, average: str, method: str) -> list[Evidence]:
    """All sizes of what the study found for a method."""
    key = [metric_family(metric), _studied_name(metric.spec, statistic), average, method]
    rows = (_read(cells) for cells in _cells() if cells[: len(key)] == key)
    return [row for row in rows if row.instances >= FEWEST]


def cases_needed(estimate: Estimate) -> tuple[int | None, int] | None:
    """From which size on the study found the median coverage of a method to be reliable.

    Returns
    -------
    tuple of (int or None, int), or None
        That size, None where no size that was studied is enough, and the largest size; None where
        nothing was found, or the sample is larger than all that were studied.
    """
    rows = _rows_for(
        estimate.metric_spec, estimate.statistic_spec, estimate.average or "", estimate.method
    )
    largest = max((row.n for row in rows), default=0)
    if estimate.n > largest or estimate.level != STUDIED:
        return None
    short = max((row.n for row in rows if row.coverage_median < RELIABLE), default=0)
    enough = [row.n for row in rows if row.n > short]
    return (min(enough) if enough else None), largest


def with_evidence(cautions: Iterable[Caution], estimate: Estimate) -> tuple[Caution, ...]:
    """The cautions, the most special one about coverage with what the study found.

    Parameters
    ----------
    cautions : iterable of Caution
    estimate : Estimate
        Of independent cases, with the usual policies: the study had no others.
    """
    raised = tuple(cautions)
    codes = [item.code for item in raised]
    quoting = next((code for code in QUOTING if code in codes), None)
    if quoting is None or estimate.level != STUDIED:
        return raised
    evidence_found = find_evidence(
        estimate.metric_spec,
        estimate.statistic_spec,
        estimate.average or "",
        estimate.method,
        estimate.n,
    )
    if evidence_found is None:
        return raised
    place = codes.index(quoting)
    quotation = evidence_found.of_width if quoting == OF_WIDTH else evidence_found.of_coverage
    quoted = replace(raised[place], message=f"{raised[place].message} {quotation}")
    return (*raised[:place], quoted, *raised[place + 1 :])


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
    statistic : str
        Of per-case values; ignored for metrics of test sets.
    average : str, optional
        Over classes; default: all that were studied.
    n : int, optional
        Only this size of the samples.

    Returns
    -------
    DataFrame
        A row for each average, size and method, with the attributes of `Evidence`; none where the
        metric was not studied.

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
    ['basic', 'bca', 'empirical_bernstein']
    """
    import pandas as pd

    from halfwidth.estimation.resolve import resolve_metric, resolve_statistic
    from halfwidth.metrics.catalogue import SAMPLE_METRICS

    spec = SAMPLE_METRICS[metric] if metric in SAMPLE_METRICS else resolve_metric(metric).spec
    per_case = spec.level is MetricLevel.INDIVIDUAL and spec.kind is not Kind.BINARY
    named = resolve_statistic(statistic).spec.name if per_case else ""
    rows = [
        row
        for row in _shipped()
        if (row.family, row.statistic) == (metric_family(Metric(spec)), named)
        and average in (None, row.average)
    ]
    sizes = sorted({row.n for row in rows})
    if n is not None and rows and n not in sizes:
        raise OptionError(f"n = {n} was not studied; choose one of {', '.join(map(str, sizes))}")
    kept = [row for row in rows if n in (None, row.n)]
    return pd.DataFrame(kept, columns=list(FIELDS))


def _studied_name(metric: MetricSpec, statistic: Statistic) -> str | None:
    """The statistic as the study names it; None where it is not what was studied."""
    if metric.level is MetricLevel.SAMPLE or metric.kind is Kind.BINARY:
        return ""
    usual = {parameter.name: parameter.default for parameter in statistic.spec.parameters}
    return statistic.spec.name if dict(statistic.parameters) == usual else None


@functools.cache
def _shipped() -> tuple[Evidence, ...]:
    return tuple(row for row in map(_read, _cells()) if row.instances >= FEWEST)


@functools.cache
def _cells() -> list[list[str]]:
    """The rows of the file as texts, whose columns are the fields of `Evidence`."""
    text = Path(__file__).with_name(DATA).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    if header != list(FIELDS):
        raise ValueError(f"{DATA} has the columns {header}, not {FIELDS}")
    return rows


def _read(cells: list[str]) -> Evidence:
    return Evidence(*(kind(cell) for kind, cell in zip(_KINDS, cells, strict=True)))
