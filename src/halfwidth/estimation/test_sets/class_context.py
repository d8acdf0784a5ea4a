"""What caution rules look at in a test set: its classes, and how it was read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.estimation.test_sets.test_set import TestSet


@frozen
class ClassContext:
    """What caution rules look at: the classes of a test set, C, and how it was read."""

    labels: tuple[str, ...]
    # Cases of each class.
    sizes: NDArray[np.intp]
    # Units (cases, or clusters) with a case of it.
    units: NDArray[np.intp]
    # Units with a case of another class.
    others: NDArray[np.intp]
    # Probability that a resample holds no case of it.
    missing: Array
    # Cases predicted as each class.
    predicted: NDArray[np.intp] | None = None
    # Cases of each class that are predicted as it.
    found: NDArray[np.intp] | None = None
    # The policy for such a class.
    absent: str = "omit"
    # The class a row is of.
    which: int | None = None
    hard: bool = False
    rows_miss_one: float = 0.0
    # What the threshold was chosen by on the data; empty where it was not.
    criterion: str = ""
    # Whether strata fix the number of cases of each class.
    fixed: bool = False

    @property
    def compared(self) -> tuple[NDArray[np.intp], list[str]]:
        """Units of what a metric compares, and their names: all classes, or one and the rest."""
        if self.which is None:
            return self.units, [f"class {label!r}" for label in self.labels]
        one, rest = self.units[self.which], self.others[self.which]
        return np.array([one, rest]), [f"class {self.labels[self.which]!r}", "the other classes"]

    def beside(self, other: ClassContext) -> ClassContext:
        """What either of two models on the same cases gives reason to doubt."""
        predicted = self.predicted
        if predicted is not None and other.predicted is not None:
            predicted = np.minimum(predicted, other.predicted)
        return replace(
            self,
            predicted=predicted,
            hard=self.hard or other.hard,
            rows_miss_one=max(self.rows_miss_one, other.rows_miss_one),
            criterion=self.criterion or other.criterion,
        )

    @property
    def smallest(self) -> int:
        """Units of the smallest of these."""
        return int(self.compared[0].min())


def class_context(cases: TestSet, absent: str, criterion: str) -> ClassContext:
    """The facts of a test set."""
    sizes, predicted, found = cases.class_sizes(), None, None
    if cases.predicted is not None:
        right = cases.truth[cases.predicted == cases.truth]
        predicted, found = (
            np.bincount(codes, minlength=len(sizes)) for codes in (cases.predicted, right)
        )
    units, others, fixed = sizes, cases.n - sizes, False
    missing = never_drawn(sizes[None], np.array([cases.n]))
    if cases.groups is not None or cases.strata is not None:
        held, units_in_stratum, alone = _units_with_each_class(cases)
        units, missing = held.sum(axis=0), never_drawn(held, units_in_stratum)
        others = units_in_stratum.sum() - alone
        several = len(held) > 1
        fixed = several and bool(((held > 0).sum(axis=1) == 1).all())
    return ClassContext(
        tuple(str(label) for label in cases.labels),
        sizes,
        units,
        others,
        missing,
        predicted,
        found,
        absent,
        hard=cases.hard,
        rows_miss_one=cases.rows_miss_one,
        criterion=criterion,
        fixed=fixed,
    )


def _units_with_each_class(
    cases: TestSet,
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Units of each stratum with each class, (H, C), and in all, (H,); units of one class, (C,)."""
    unit = np.arange(cases.n) if cases.groups is None else cases.groups
    stratum = np.zeros(cases.n, dtype=np.intp) if cases.strata is None else cases.strata
    strata = int(stratum.max()) + 1
    stratum_of = np.zeros(int(unit.max()) + 1, dtype=np.intp)
    stratum_of[unit] = stratum
    pairs = np.unique(unit * cases.n_classes + cases.truth)
    with_class = stratum_of[pairs // cases.n_classes] * cases.n_classes + pairs % cases.n_classes
    held = np.bincount(with_class, minlength=strata * cases.n_classes)
    pair_unit = pairs // cases.n_classes
    single = np.bincount(pair_unit)[pair_unit] == 1
    alone = np.bincount(pairs[single] % cases.n_classes, minlength=cases.n_classes)
    held = held.reshape(strata, cases.n_classes)
    return held, np.bincount(stratum_of, minlength=strata), alone


def never_drawn(held: NDArray[np.intp], units: NDArray[np.intp]) -> Array:
    """Probability that a resample holds no unit with a case of each class, (H, C) -> (C,)."""
    with np.errstate(divide="ignore"):
        log_share = np.log1p(-held / units[:, None])
    return np.asarray(np.exp((units[:, None] * log_share).sum(axis=0)))
