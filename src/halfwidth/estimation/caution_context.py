"""What caution rules look at."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.forms import Effect
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Takes
from halfwidth.core.types import Array
from halfwidth.estimation.evidence_lookup import OF_ALL, Findings, findings_for, known_as
from halfwidth.estimation.records import NO_VALUES
from halfwidth.resampling.designs import Design
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    from halfwidth.estimation.test_sets.class_context import ClassContext


class BranchContext(Protocol):
    """What a branch knows of one of its jobs, for the estimate and its cautions."""

    @property
    def noun(self) -> str:
        """What an independent case is called."""

    def against(self, other: Any, effect: Effect, /) -> BranchContext:
        """What is known of the difference, or ratio, of two models."""

    def estimate(self, estimate: Estimate, /) -> Estimate:
        """The estimate with what the branch knows of it."""

    def cautions(self, context: CautionContext, /) -> Iterator[Caution | None]:
        """Cautions of the branch's rules."""

    def why_undefined(self, estimate: Estimate, /) -> tuple[str, str]:
        """Why a metric has no value, and what helps."""


@frozen
class CautionContext:
    """An estimate without its cautions, and what it was made of."""

    estimate: Estimate
    # Of cases, ascending; empty where only counts are known.
    values: Array = field(default_factory=lambda: NO_VALUES)
    # Infinite values among the missing ones; of several models, which values are missing.
    n_infinite: int = 0
    absent: NDArray[np.bool_] | None = None
    # Where the estimate is a proportion.
    successes: float | None = None
    # Whether ``auto`` chose the method, and did so because its first choice gave no interval.
    chosen: bool = False
    stands_in: bool = False
    # Whether a bound was cut to the range, and whether the method gave an infinite one.
    clipped: bool = False
    infinite: bool = False
    design: Design | None = None
    classes: ClassContext | None = None
    matched: BranchContext | None = None
    # Why the metric does not exist for these cases, where that is known.
    no_value: str = ""

    @property
    def units(self) -> int:
        """How many independent units there are."""
        return self.estimate.n if self.design is None else self.design.units

    @property
    def units_text(self) -> str:
        """How many independent units there are, and what they are: ``12 clusters``."""
        return f"{self.units} {self.noun}{'' if self.units == 1 else 's'}"

    @property
    def noun(self) -> str:
        """What an independent unit is called."""
        if self.estimate.over == "runs":
            return "run"
        if self.estimate.over == "clusters" or self.clustered:
            return "cluster"
        return "case" if self.matched is None else self.matched.noun

    @property
    def clustered(self) -> bool:
        """Whether units hold several cases."""
        return self.design is not None and self.design.sizes is not None

    @functools.cached_property
    def constant(self) -> bool:
        """Whether all values are equal."""
        if self.successes is not None:
            return self.successes in (0, self.estimate.n)
        return bool(len(self.values)) and bool(self.values[0] == self.values[-1])

    @functools.cached_property
    def mostly_equal(self) -> bool:
        """Whether more than half of the values of one model are equal."""
        middle = self.values[len(self.values) // 2 : len(self.values) // 2 + 1]
        equal = int((self.values == middle).sum()) if len(middle) else 0
        return 2 * equal > len(self.values) and self.estimate.design != "paired"

    @functools.cached_property
    def undefined(self) -> bool:
        """Whether there is no interval."""
        return math.isnan(self.estimate.low) or math.isnan(self.estimate.high)

    @functools.cached_property
    def as_studied(self) -> bool:
        """Whether cases were drawn and classes counted as in the study of real instances."""
        independent = self.design is None or self.design.independent
        c, e = self.classes, self.estimate
        usual = c is None or (c.absent == "omit" and not c.criterion)
        weighted = e.n_effective is not None
        return independent and usual and not (weighted or self.undefined or e.over == "runs")

    @functools.cached_property
    def by_class(self) -> bool:
        """Whether the smallest class decides how well it is covered, and not the cases in all."""
        e = self.estimate
        # Metrics that give a rare class a voice of its own.
        weighs_classes = (
            e.statistic_spec.spec.of_records and e.metric_spec.spec.takes is not Takes.NUMBERS
        )
        by_cases = e.average == "micro" or known_as(e)[0] == OF_ALL
        return self.classes is not None and weighs_classes and not by_cases

    @functools.cached_property
    def findings(self) -> Findings:
        """What the study found by the number of cases."""
        return findings_for(self.estimate, chosen=self.chosen) if self.as_studied else Findings()

    @functools.cached_property
    def class_findings(self) -> Findings:
        """What it found by the cases of the smallest class."""
        return findings_for(self.estimate, chosen=self.chosen, by_class=True)
