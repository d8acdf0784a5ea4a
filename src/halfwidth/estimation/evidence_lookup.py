"""Whether the evidence says that samples like the one at hand are covered, and in which words.

A caution about reliability follows what the study found for what was run: for ``auto`` with its
fallbacks, or for the method that was named. Decision 0043 says why.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Kind, MethodSpec, Metric, MetricLevel
from halfwidth.core.types import Level
from halfwidth.estimation.evidence import (
    NOTICED,
    OF_CASES,
    OF_PROPORTIONS,
    Evidence,
    metric_family,
    rows_of,
    statistic_studied,
)
from halfwidth.estimation.resolve import AUTO
from halfwidth.results.estimate import Estimate

# A size of the study speaks for samples of up to this many times as many cases (the next size is
# nearer then), and the smallest for those of this much fewer.
LARGER, FEWER = 2.5, 1.5
STUDIED = Level(0.95)
# Cautions about how well a method covers; the most special one that was raised quotes the study.
QUOTING = ("HW313", "HW307", "HW303", "HW302", "HW301", "HW204", "HW201")
# A concentration bound always covers; what it costs is width.
OF_WIDTH = "HW307"
# This one is about the smallest class, whatever the number of cases.
OF_CLASSES = "HW204"


@frozen
class Found:
    """What was found of one method or of ``auto``, by the size of samples.

    Attributes
    ----------
    rows : tuple of Evidence
        Ascending by size; none where nothing was found.
    own : bool
        Whether they are of the metric itself, and not of those between 0 and 1.
    """

    rows: tuple[Evidence, ...] = ()
    own: bool = True

    def at(self, size: int) -> Evidence | None:
        """The row of the next size below, or of the smallest size, if it is near."""
        below = [row for row in self.rows if row.size <= size]
        if below:
            return below[-1] if size <= LARGER * below[-1].size else None
        return self.rows[0] if self.rows and self.rows[0].size <= FEWER * size else None

    @functools.cached_property
    def needed(self) -> int | None:
        """The smallest size from which on coverage does not fall short; None beyond all sizes."""
        short = max((row.size for row in self.rows if row.falls_short), default=0)
        return next((row.size for row in self.rows if row.size > short), None)

    @property
    def largest(self) -> int:
        """The largest size that was studied."""
        return self.rows[-1].size

    def too_few(self, size: int) -> bool:
        """Whether coverage falls short at a size, or is unknown because it is so small."""
        if size > self.largest:
            return False
        nearly = self.needed == self.rows[0].size and self.rows[0].size <= FEWER * size
        return not nearly and (self.needed is None or size < self.needed)

    @property
    def needed_text(self) -> str:
        """How many are needed: ``about 25 or more``."""
        if self.needed is None:
            return f"more than {self.largest}"
        return f"about {self.needed} or more"


def found_for(estimate: Estimate, *, chosen: bool, by_class: bool = False) -> Found:
    """What was found for what made an estimate.

    Parameters
    ----------
    estimate : Estimate
        Of independent cases, with the usual policies: the study had no others.
    chosen : bool
        Whether ``auto`` chose the method, so that its fallbacks stood by.
    by_class : bool
        By the cases of the smallest class instead of all cases.

    Returns
    -------
    Found
        Of the family of the metric. A metric of cases that belongs to none, such as a distance,
        has that of the metrics between 0 and 1 under the same method.
    """
    if estimate.level != STUDIED or _is_of_part(estimate):
        return Found()
    metric, average = estimate.metric_spec, estimate.average or ""
    name = statistic_studied(metric.spec, estimate.statistic_spec)
    family = metric_family(metric)
    methods = (AUTO, estimate.method) if chosen else (estimate.method,)
    for method in methods if family else ():
        found = _found(family, name, average, method, by_class=by_class)
        leaves_some = chosen and method != AUTO and _leaves_some(found, estimate.method_spec)
        if found.rows and not leaves_some:
            return found
    if _is_of_cases(metric) and not family and chosen:
        return Found(rows_of(OF_CASES, name, average, estimate.method), own=False)
    return Found()


@functools.cache
def _found(
    family: str, statistic: str | None, average: str, method: str, *, by_class: bool
) -> Found:
    rows = rows_of(family, statistic, average, method)
    return Found(tuple(row for row in rows if bool(row.smallest) is by_class))


def _leaves_some(found: Found, method: MethodSpec) -> bool:
    """Whether a method left samples without an interval for which ``auto`` has a fallback."""
    return bool(method.instead and found.rows and found.rows[0].undefined >= NOTICED)


def _is_of_part(estimate: Estimate) -> bool:
    """Whether a proportion is of some of the cases, as sensitivity: the study counted all."""
    metric, of_records = estimate.metric_spec, estimate.statistic_spec.spec.of_records
    if metric.spec.level is not MetricLevel.SAMPLE or of_records:
        return False
    return metric_family(metric) != OF_PROPORTIONS


def _is_of_cases(metric: Metric) -> bool:
    return metric.spec.level is MetricLevel.INDIVIDUAL and metric.spec.kind is not Kind.BINARY


def with_evidence(
    cautions: Iterable[Caution], estimate: Estimate, *, chosen: bool, smallest: int | None
) -> tuple[Caution, ...]:
    """The cautions, the most special one about coverage with what the study found.

    Parameters
    ----------
    cautions : iterable of Caution
    estimate : Estimate
    chosen : bool
        As for `found_for`.
    smallest : int or None
        Cases of the smallest class, where there are classes.
    """
    raised = tuple(cautions)
    codes = [item.code for item in raised]
    quoting = next((code for code in QUOTING if code in codes), None)
    if quoting is None:
        return raised
    found = found_for(estimate, chosen=chosen)
    row = found.at(estimate.n)
    if quoting == OF_CLASSES and smallest is not None:
        by_class = found_for(estimate, chosen=chosen, by_class=True)
        # Of all cases only what speaks for the caution says something of the smallest class.
        short = row if row is not None and row.falls_short else None
        row = by_class.at(smallest) if by_class.rows else short
    if row is None or not found.own:
        return raised
    place = codes.index(quoting)
    quotation = row.width_sentence if quoting == OF_WIDTH else row.coverage_sentence
    quoted = replace(raised[place], message=f"{raised[place].message} {quotation}")
    return (*raised[:place], quoted, *raised[place + 1 :])
