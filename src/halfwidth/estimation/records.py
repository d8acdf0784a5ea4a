"""What is computed, and what it is computed on: a functional, and the records of cases."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Metric, Statistic
from halfwidth.core.types import Array, Over
from halfwidth.resampling.designs import Design
from halfwidth.resampling.engine import least_distances

# Where cases hold something else than values: codes, or scores with classes.
NO_VALUES: Array = np.empty(0)


@frozen
class Functional:
    """What is computed of cases."""

    # Of values, or of records of cases.
    statistic: Statistic
    # What the values are, or the metric of a test set, with its range.
    metric: Metric
    # Whether the values are 0 and 1, so that their mean is a proportion.
    binary: bool = False
    # From the cases of a test set, or of several, to what the statistic takes of them.
    records: Callable[[Any], Array] = np.asarray

    @property
    def is_proportion(self) -> bool:
        """Whether it is the share of ones, and not their SD, say."""
        return self.binary and self.statistic.spec.estimand is Estimand.MEAN


@frozen
class Records:
    """What a functional is computed on: cases in the canonical order of their design."""

    # Values of cases or means of clusters, codes, or scores with classes: (n,), or (k, n) where a
    # case has k values.
    arranged: Array
    design: Design
    # Cases that count.
    n_cases: int
    # Values of cases, or means of clusters, ascending; empty where records hold something else.
    values: Array = field(default_factory=lambda: NO_VALUES)
    # Clusters that the cases make up; None where none are given.
    n_groups: int | None = None
    # Cases of equal weight that these are worth; None where none are weighted.
    n_effective: float | None = None
    over: Over | Literal["runs"] = "cases"
    # Cases without a value (a finite one), and how many values were infinite.
    n_missing: int = 0
    n_infinite: int = 0
    # Of several models on the same cases: which values are missing, (models, cases).
    absent: NDArray[np.bool_] | None = None
    # Whether the values are differences within cases.
    paired: bool = False
    # Of differences of two models, the least distance of a pseudo-case that the data place.
    least_distance: float = 0.0
    # What the labels of the cases give reason to doubt.
    cautions: tuple[Caution, ...] = ()

    @functools.cached_property
    def least_of_model(self) -> float:
        """The least distance that a pair has of one model, whose values these are."""
        return float(least_distances(self.arranged[None], self.design, paired=True)[0])

    @property
    def design_name(self) -> str:
        """How the cases were resampled or counted."""
        if self.over == "clusters":
            return "clustered within strata" if len(self.design.strata) > 1 else "clustered"
        if self.design.independent:
            return "paired" if self.paired else "iid"
        return self.design.name
