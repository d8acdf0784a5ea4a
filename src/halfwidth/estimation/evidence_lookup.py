"""Whether the evidence says that samples like the one at hand are covered, and in which words.

A caution about reliability follows what the study found for what was run: for ``auto`` with its
fallbacks, or for the method that was named. Decision 0043 says why.
"""

from __future__ import annotations

import functools

from halfwidth.core.frozen import frozen
from halfwidth.core.spec import MetricLevel
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
from halfwidth.metrics.agreement import accuracy
from halfwidth.metrics.counting import balanced_accuracy, f1
from halfwidth.metrics.rates import ppv, sensitivity
from halfwidth.results.estimate import Estimate

# A size of the study speaks for samples of up to this many times as many cases (the next size is
# nearer then), and the smallest for those of this much fewer.
LARGER, FEWER = 2.5, 1.5
STUDIED = Level(0.95)
# Averages over classes that are another metric.
OF_ALL = accuracy.__name__
ONE_NUMBER = {
    (sensitivity.__name__, "macro"): (balanced_accuracy.__name__, "macro"),
    (sensitivity.__name__, "weighted"): (OF_ALL, ""),
    **{(one.__name__, "micro"): (OF_ALL, "") for one in (sensitivity, ppv, f1)},
}


@frozen
class Findings:
    """What was found of one method or of ``auto``, ascending by the size of samples."""

    rows: tuple[Evidence, ...] = ()
    # Whether they are of the metric itself, and not of those between 0 and 1.
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

    def too_few(self, size: int) -> bool:
        """Whether coverage falls short at a size, or is unknown because it is so small."""
        smallest, largest = self.rows[0].size, self.rows[-1].size
        if size > largest or (self.needed == smallest and smallest <= FEWER * size):
            return False
        return self.needed is None or size < self.needed

    @property
    def needed_text(self) -> str:
        """How many are needed: ``about 25 or more``."""
        if self.needed is None:
            return f"more than {self.rows[-1].size}"
        return f"about {self.needed} or more"


def known_as(estimate: Estimate) -> tuple[str, str]:
    """The metric and the average of an estimate, where a number has several names by the first."""
    named = estimate.metric_spec.spec.name, estimate.average or ""
    return ONE_NUMBER.get(named, named) if estimate.metric_spec.usual else named


def findings_for(estimate: Estimate, *, chosen: bool, by_class: bool = False) -> Findings:
    """What the study found for the method of an estimate from independent cases.

    ``chosen`` says whether ``auto`` chose it, so that its fallbacks stood by; ``by_class`` asks for
    samples by the cases of their smallest class. A metric of cases that belongs to no family, such
    as a distance, has that of the metrics between 0 and 1 under the same method.
    """
    metric, average = estimate.metric_spec, estimate.average or ""
    family, level = metric_family(metric), metric.spec.level
    if (family, average) in ONE_NUMBER and not rows_of(family, "", average, estimate.method):
        family, average = known_as(estimate)
    # A difference or a ratio of two models was not studied.
    if estimate.statistic_spec.spec.pair_bounds is not None:
        return Findings()
    # A proportion of some of the cases, such as sensitivity: the study counted all.
    records = level is not MetricLevel.SAMPLE or estimate.statistic_spec.spec.of_records
    if estimate.level != STUDIED or not (records or family == OF_PROPORTIONS):
        return Findings()
    statistic = statistic_studied(metric.spec, estimate.statistic_spec)
    own = estimate.method_spec
    for method in ((AUTO, own.name) if chosen else (own.name,)) if family else ():
        findings = _findings(family, statistic, average, method, by_class=by_class)
        # Where a method left samples without an interval, ``auto`` has a fallback.
        falls_back = chosen and method != AUTO and own.instead is not None
        if findings.rows and not (falls_back and findings.rows[0].undefined >= NOTICED):
            return findings
    if level is MetricLevel.INDIVIDUAL and not family and chosen:
        return Findings(rows_of(OF_CASES, statistic, average, own.name), own=False)
    return Findings()


@functools.cache
def _findings(
    family: str, statistic: str | None, average: str, method: str, *, by_class: bool
) -> Findings:
    rows = rows_of(family, statistic, average, method)
    return Findings(tuple(row for row in rows if bool(row.smallest) is by_class))
