"""Calibration curves of centres, their mean, and where that of a new centre is to be expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.results.curves import SeveralCurves, SingleCurve
from halfwidth.results.estimate import Estimate
from halfwidth.results.result import caution_lines

if TYPE_CHECKING:
    import pandas as pd


@frozen(eq=False, repr=False)
class CentreCurve(SingleCurve):
    """The calibration curves of centres, pooled at each probability of a grid.

    Attributes
    ----------
    label : str
        The class; ``top label`` where the largest probability is compared with whether it is right.
    x : ndarray, shape (m,)
        Probabilities at even steps of log odds, from the 1st to the 99th percentile of all cases,
        where three centres or more have cases on both sides.
    y : ndarray, shape (m,)
        The mean over centres of how often the class occurs there, taken of log odds.
    low, high : ndarray, shape (m,)
        Confidence interval of the mean at each point, by Hartung and Knapp.
    new_low, new_high : ndarray, shape (m,)
        Prediction interval for the curve of a new centre at each point.
    tau : ndarray, shape (m,)
        SD of log odds between centres.
    counts : ndarray of int, shape (m,)
        Centres that were pooled.
    centres : tuple of str
        Those that have a curve, K.
    curves : ndarray, shape (K, m)
        The curve of each; NaN outside the probabilities that it has cases of.
    histogram : ndarray of int, shape (2, 50)
        Cases of these centres without and with the class in fiftieths of the range of
        probabilities.
    confidence_level : float
        Of each point of both intervals.
    n, n_positive : int
        Cases of these centres, and those of the class.
    left_out : tuple of str
        Centres without a curve.
    cautions : tuple of Caution
    """

    label: str
    x: Array
    y: Array
    low: Array
    high: Array
    new_low: Array
    new_high: Array
    tau: Array
    counts: NDArray[np.intp]
    centres: tuple[str, ...]
    curves: Array
    histogram: NDArray[np.intp]
    confidence_level: float
    n: int
    n_positive: int
    left_out: tuple[str, ...] = ()
    cautions: tuple[Caution, ...] = ()

    # What all curves have.
    kind = "calibration-by-centre"
    area = None

    def renamed(
        self, label: str, _: Callable[[Estimate], Estimate], cautions: tuple[Caution, ...], /
    ) -> Self:
        """The curve of a model of several, with the cautions of its table."""
        return replace(self, label=label, cautions=(*self.cautions, *cautions))

    @property
    def line(self) -> Array:
        """Corners of the mean curve, shape (m, 2)."""
        return np.column_stack([self.x, self.y])

    @property
    def _alone(self) -> CentreCurves:
        return CentreCurves((self,))

    def centre_frame(self) -> pd.DataFrame:
        """A row per point of the curve of each centre: ``label, centre, x, y``."""
        import pandas as pd

        known = np.isfinite(self.curves)
        place, point = np.nonzero(known)
        return pd.DataFrame(
            {
                "label": self.label,
                "centre": np.array(self.centres, dtype=object)[place],
                "x": self.x[point],
                "y": self.curves[known],
            }
        )

    def __repr__(self) -> str:
        return (
            f"CentreCurve of {self.label!r} ({len(self.x)} points, {len(self.centres)} centres, "
            f"n = {self.n})"
        )


class CentreCurves(SeveralCurves[CentreCurve]):
    """Calibration curves over the same centres, one per class.

    Attributes
    ----------
    items : tuple of CentreCurve
    """

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions, each text once."""
        return tuple(dict.fromkeys(caution for curve in self for caution in curve.cautions))

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and how many more there are."""
        return caution_lines([(curve.label, "", curve.cautions) for curve in self])

    def to_frame(self) -> pd.DataFrame:
        """A row per point of each class.

        ``label, kind, x, y, low, high, new_low, new_high, tau, counts``.
        """
        names = ("x", "y", "low", "high", "new_low", "new_high", "tau", "counts")
        frame = self._framed({name: [getattr(curve, name) for curve in self] for name in names})
        return frame.astype({"counts": int})
