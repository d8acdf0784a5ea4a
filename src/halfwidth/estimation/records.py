"""What is computed, and what it is computed on: a functional, and the records of cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, Literal

import numpy as np

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Estimand, Metric, Statistic
from halfwidth.core.types import Array
from halfwidth.estimation.grouping import Over
from halfwidth.resampling.designs import Design

# Where cases hold something else than values: codes, or scores with classes.
NO_VALUES: Array = np.empty(0)


@frozen
class Functional:
    """What is computed of cases.

    Attributes
    ----------
    statistic : Statistic
        Of values, or of records of cases.
    metric : Metric
        What the values are, or the metric of a test set, with its range.
    binary : bool
        Whether the values are 0 and 1, so that their mean is a proportion.
    records : callable
        From the cases of a test set, or of several, to what the statistic takes of them.
    """

    statistic: Statistic
    metric: Metric
    binary: bool = False
    records: Callable[[Any], Array] = np.asarray

    @property
    def is_proportion(self) -> bool:
        """Whether it is the share of ones, and not their SD, say."""
        return self.binary and self.statistic.spec.estimand is Estimand.MEAN


@frozen
class Records:
    """What a functional is computed on: cases in the canonical order of their design.

    Attributes
    ----------
    arranged : ndarray, shape (n,), or (k, n) where a case has k values
        Values of cases or means of clusters, codes, or scores with classes, in canonical order.
    design : Design
    n_cases : int
        Cases that count.
    values : ndarray, shape (n,)
        Values of cases, or means of clusters, ascending; empty where records hold something else.
    n_groups : int or None
        Clusters that the cases make up; None where none are given.
    n_effective : float or None
        Cases of equal weight that these are worth; None where none are weighted.
    over : {"cases", "clusters", "runs"}
    n_missing, n_infinite : int
        Values that were missing or infinite, and the latter alone.
    paired : bool
        Whether the values are differences within cases.
    cautions : tuple of Caution
        What the labels of the cases give reason to doubt.
    """

    arranged: Array
    design: Design
    n_cases: int
    values: Array = field(default_factory=lambda: NO_VALUES)
    n_groups: int | None = None
    n_effective: float | None = None
    over: Over | Literal["runs"] = "cases"
    n_missing: int = 0
    n_infinite: int = 0
    paired: bool = False
    cautions: tuple[Caution, ...] = ()

    @property
    def design_name(self) -> str:
        """How the cases were resampled or counted."""
        if self.over == "clusters":
            return "clustered within strata" if len(self.design.strata) > 1 else "clustered"
        if self.design.independent:
            return "paired" if self.paired else "iid"
        return self.design.name
