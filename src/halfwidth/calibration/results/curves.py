"""Results of calibration: what happens at each probability that a model gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.results.curves import SeveralCurves, SingleCurve
from halfwidth.results.estimate import Estimate, Estimates

if TYPE_CHECKING:
    import pandas as pd

CalibrationKind = Literal["calibration", "reliability", "reliability-bins"]
# What the curve of the largest probability is called.
TOP_LABEL = "top label"
CALIBRATION_KINDS: tuple[CalibrationKind, ...] = ("calibration", "reliability", "reliability-bins")


@frozen(eq=False, repr=False)
class CalibrationCurve(SingleCurve):
    """How often a class occurs where a model gives it some probability.

    Attributes
    ----------
    kind : {"calibration", "reliability", "reliability-bins"}
    label : str
        The class; ``top label`` where the largest probability is compared with whether it is right.
    x : ndarray, shape (k,)
        Probabilities: a grid, or the mean of the cases of each bin.
    y : ndarray, shape (k,)
        How often the class occurs there.
    low, high : ndarray, shape (k,)
        The band, each point by itself: an interval of ``y``; of ``"reliability"`` where the curve
        of a perfectly calibrated model with these probabilities would lie. NaN where there is none.
    cases : ndarray of int, shape (k,), or None
        Of each bin.
    line : ndarray, shape (m, 2)
        Corners of the curve itself; of bins, their points.
    histogram : ndarray of int, shape (2, 50)
        Cases without and with the class in fiftieths of the range of probabilities.
    confidence_level : float
        Of each point.
    n, n_positive : int
        Cases, and those of the class.
    n_groups : int or None
        Clusters; None where none were given.
    n_resamples : int or None
        Of the band; None where nothing is drawn.
    seed : int
        Passing it as ``rng`` reproduces the draws.
    design : str
        How cases come: ``"iid"``, ``"clustered"``, ...
    summaries : Estimates
        The numbers that stand on the figure, such as the calibration slope, of the same cases.
    no_curve : str
        Why there is no curve, where ``y`` is NaN; empty where there is one.
    """

    kind: CalibrationKind
    label: str
    x: Array
    y: Array
    low: Array
    high: Array
    cases: NDArray[np.intp] | None
    line: Array
    histogram: NDArray[np.intp]
    confidence_level: float
    n: int
    n_positive: int
    n_groups: int | None
    n_resamples: int | None
    seed: int
    design: str
    summaries: Estimates
    no_curve: str = ""

    # What curves that have one number call it.
    area: None = None

    def renamed(
        self, label: str, labelled: Callable[[Estimate], Estimate], _: tuple[Caution, ...], /
    ) -> Self:
        """The curve of a model of several, whose numbers have other labels."""
        return replace(self, label=label, summaries=Estimates(tuple(map(labelled, self.summaries))))

    @property
    def _alone(self) -> CalibrationCurves:
        return CalibrationCurves((self,))

    def __repr__(self) -> str:
        return (
            f"CalibrationCurve {self.kind} of {self.label!r} ({len(self.x)} points, n = {self.n})"
        )


class CalibrationCurves(SeveralCurves[CalibrationCurve]):
    """Calibration curves of one kind on the same cases, one per class.

    Attributes
    ----------
    items : tuple of CalibrationCurve
    """

    @property
    def areas(self) -> Estimates:
        """The numbers that stand on the figures."""
        return Estimates(tuple(e for curve in self for e in curve.summaries))

    def to_frame(self) -> pd.DataFrame:
        """A row per point of each curve: ``label, kind, x, y, low, high, cases``."""
        frame = super().to_frame()
        cases = [
            np.full(len(curve.x), np.nan) if curve.cases is None else curve.cases for curve in self
        ]
        return frame.assign(cases=np.concatenate([*cases, []]))
