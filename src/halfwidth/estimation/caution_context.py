"""What caution rules look at."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING

from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Promise, Takes
from halfwidth.core.types import Array
from halfwidth.estimation.records import NO_VALUES
from halfwidth.resampling.designs import Design
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    from halfwidth.estimation.detections.context import DetectionContext
    from halfwidth.estimation.test_sets.class_context import ClassContext


def covers_all_classes(e: Estimate) -> bool:
    """Whether a metric gives a rare class a voice of its own."""
    spec = e.metric_spec.spec
    return e.statistic_spec.spec.of_records and spec.takes is not Takes.NUMBERS


@frozen
class CautionContext:
    """What the rules look at.

    Attributes
    ----------
    estimate : Estimate
        Without its cautions.
    values : ndarray
        Per-case values, ascending; empty where only counts are known.
    n_infinite : int
        Infinite values among the missing ones.
    successes : float or None
        Where the estimate is a proportion.
    chosen : bool
        Whether ``auto`` chose the method.
    stands_in : bool
        Whether it did so because the first choice gave no interval.
    clipped : bool
        Whether a bound was cut to the range.
    infinite : bool
        Whether the method gave an infinite bound.
    design : Design or None
        Where there are samples.
    classes : ClassContext or None
        Where the metric is of a classification.
    matched : DetectionContext or None
        Where it is of detections.
    """

    estimate: Estimate
    values: Array = field(default_factory=lambda: NO_VALUES)
    n_infinite: int = 0
    successes: float | None = None
    chosen: bool = False
    stands_in: bool = False
    clipped: bool = False
    infinite: bool = False
    design: Design | None = None
    classes: ClassContext | None = None
    matched: DetectionContext | None = None

    @property
    def what(self) -> str:
        """The estimated quantity in prose."""
        return self.estimate.subject

    @property
    def strata(self) -> tuple[int, ...]:
        """Units in each stratum."""
        return () if self.design is None else self.design.strata

    @property
    def units(self) -> int:
        """How many independent units there are."""
        return self.estimate.n if self.design is None else self.design.units

    @property
    def units_text(self) -> str:
        """The same with what they are: ``12 clusters``."""
        return f"{self.units} {self.noun}{'' if self.units == 1 else 's'}"

    @property
    def noun(self) -> str:
        """What an independent unit is called."""
        if self.is_of_runs:
            return "run"
        clusters = self.estimate.over == "clusters" or (self.design and self.design.sizes)
        single = "case" if self.matched is None else "image"
        return "cluster" if clusters else single

    @property
    def is_of_runs(self) -> bool:
        """Whether values are of training runs."""
        return self.estimate.over == "runs"

    @property
    def constant(self) -> bool:
        """Whether all values are equal."""
        if self.successes is not None:
            return self.successes in (0, self.estimate.n)
        return bool(len(self.values)) and bool(self.values[0] == self.values[-1])

    @property
    def undefined(self) -> bool:
        """Whether there is no interval."""
        return math.isnan(self.estimate.low) or math.isnan(self.estimate.high)

    @property
    def as_studied(self) -> bool:
        """Whether cases were drawn and classes counted as in the study of real instances."""
        independent = self.design is None or self.design.independent
        usual = self.classes is None or self.classes.absent == "omit"
        return independent and usual and not self.undefined and not self.is_of_runs

    @property
    def guaranteed(self) -> bool:
        """Whether the method covers at any n."""
        return Promise.GUARANTEED in self.estimate.method_spec.promises

    @property
    def by_class(self) -> bool:
        """Whether the smallest class decides how well it is covered, and not the cases in all."""
        micro = self.estimate.average == "micro"
        return self.classes is not None and covers_all_classes(self.estimate) and not micro
