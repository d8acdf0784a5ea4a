"""Results that are no single number: curves with their bands, and confusion matrices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.estimate import Estimate
from halfwidth.core.estimates import Estimates
from halfwidth.core.types import Array

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AXES", "CURVE_KINDS", "Confusion", "Curve", "CurveKind", "Curves"]

CurveKind = Literal["roc", "pr"]
CURVE_KINDS: tuple[CurveKind, ...] = ("roc", "pr")
# Names of the horizontal and the vertical axis.
AXES: dict[CurveKind, tuple[str, str]] = {
    "roc": ("1 - specificity", "sensitivity"),
    "pr": ("recall", "precision"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """A ROC or precision-recall curve of one class, with a pointwise band.

    Attributes
    ----------
    kind : {"roc", "pr"}
    label : str
        The class.
    x : ndarray, shape (k,)
        The grid: false positive rates, or recalls.
    y : ndarray, shape (k,)
        Sensitivity or precision there, on the cases given; NaN where it is undefined.
    low, high : ndarray, shape (k,)
        The band, each point an interval of its own; NaN where it is undefined.
    confidence_level : float
        Of each point; the band as a whole holds the whole curve less often.
    n, n_positive : int
        Cases, and those of the class.
    n_groups : int or None
        Clusters; None where none were given.
    n_resamples : int
    n_undefined : int
        Resamples without a curve (no positive case, or for ROC no negative one), left out.
    seed : int
        Passing it as ``rng`` reproduces the draws.
    design : str
        How cases were resampled: ``"iid"``, ``"clustered"``, ``"stratified"``,
        ``"clustered within strata"``.
    area : Estimate or None
        AUROC or AP of the same cases.
    """

    kind: CurveKind
    label: str
    x: Array
    y: Array
    low: Array
    high: Array
    confidence_level: float
    n: int
    n_positive: int
    n_groups: int | None
    n_resamples: int
    n_undefined: int
    seed: int
    design: str
    area: Estimate | None = None

    @property
    def x_name(self) -> str:
        """What the horizontal axis shows."""
        return AXES[self.kind][0]

    @property
    def y_name(self) -> str:
        """What the vertical axis shows."""
        return AXES[self.kind][1]

    @property
    def prevalence(self) -> float:
        """Share of the cases that are of the class: the precision of guessing."""
        return self.n_positive / self.n

    def to_frame(self) -> pd.DataFrame:
        """A row per point: ``label, kind, x, y, low, high``."""
        return Curves((self,)).to_frame()

    def __repr__(self) -> str:
        area = "" if self.area is None else f": {self.area.sentence()}"
        return f"Curve {self.kind} of {self.label!r} ({len(self.x)} points){area}"


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Sequence[Curve]):
    """Curves of one kind on the same cases, one per class.

    Attributes
    ----------
    items : tuple of Curve
    """

    items: tuple[Curve, ...]

    @overload
    def __getitem__(self, index: int) -> Curve: ...
    @overload
    def __getitem__(self, index: slice) -> Curves: ...
    def __getitem__(self, index: int | slice) -> Curve | Curves:
        """One curve, or some."""
        if isinstance(index, slice):
            return Curves(self.items[index])
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Curve]:
        return iter(self.items)

    @property
    def areas(self) -> Estimates:
        """The areas under the curves, of those that have one."""
        return Estimates(tuple(curve.area for curve in self if curve.area is not None))

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions of the areas, each text once."""
        return self.areas.cautions

    def to_frame(self) -> pd.DataFrame:
        """A row per point of each curve: ``label, kind, x, y, low, high``."""
        import pandas as pd

        columns: dict[str, list[Any]] = {
            "label": [curve.label for curve in self for _ in curve.x],
            "kind": [curve.kind for curve in self for _ in curve.x],
        }
        for name in ("x", "y", "low", "high"):
            columns[name] = [number for curve in self for number in getattr(curve, name).tolist()]
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        lines = [f"Curves ({len(self)}):", *(f"  {curve!r}" for curve in self)]
        lines += [f"  {code} {text}" for code, text in self.areas.caution_lines()]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, repr=False)
class Confusion:
    """Counts of true and predicted classes, and each row's shares with their intervals.

    Attributes
    ----------
    labels : tuple of str
        The classes, in the order of rows and columns.
    counts : ndarray of int, shape (C, C)
        Cases of each true (row) and predicted class (column).
    estimates : tuple of tuple of Estimate, shape (C, C)
        Share of the true class that is predicted as each; on the diagonal the sensitivity. NaN in
        the row of a class without cases.
    """

    labels: tuple[str, ...]
    counts: NDArray[np.int64]
    estimates: tuple[tuple[Estimate, ...], ...]

    @property
    def shares(self) -> Array:
        """Share of each true class that is predicted as each, shape (C, C)."""
        return np.array([[e.value for e in row] for row in self.estimates])

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions of the shares, each text once."""
        return Estimates(tuple(e for row in self.estimates for e in row)).cautions

    def to_frame(self) -> pd.DataFrame:
        """A row per cell: ``true, predicted, count, n, share, low, high, method``."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "true": true,
                    "predicted": predicted,
                    "count": int(count),
                    "n": e.n,
                    "share": e.value,
                    "low": e.low,
                    "high": e.high,
                    "method": e.method,
                }
                for true, counts, row in zip(self.labels, self.counts, self.estimates, strict=True)
                for predicted, count, e in zip(self.labels, counts, row, strict=True)
            ]
        )

    def __repr__(self) -> str:
        width = max(len(label) for label in self.labels)
        rows = zip(self.labels, self.counts, strict=True)
        lines = [f"  {label:<{width}}  {' '.join(f'{c:>6}' for c in row)}" for label, row in rows]
        return "\n".join([f"Confusion ({len(self.labels)} classes; rows are true):", *lines])
