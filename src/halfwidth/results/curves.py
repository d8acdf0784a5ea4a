"""Results that are no single number: curves with their bands, and confusion matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.formatting import percent, plain
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.document.parts import (
    Cell,
    Column,
    Data,
    Document,
    Figure,
    Kind,
    Note,
    Part,
    Table,
)
from halfwidth.results.estimate import Estimate, Estimates
from halfwidth.results.fields import caution_items
from halfwidth.results.result import SCHEMA_VERSION, Result, ResultSequence, SingleResult

if TYPE_CHECKING:
    import pandas as pd

TITLES = {
    "roc": "ROC curves",
    "pr": "Precision-recall curves",
    "decision": "Decision curves",
    "calibration": "Smooth calibration curves",
    "reliability": "Isotonic calibration curves (CORP)",
    "reliability-bins": "Calibration in bins",
    "calibration-by-centre": "Calibration curves over centres",
    "froc": "FROC curves",
    "afroc": "AFROC curves",
    "wafroc": "Weighted AFROC curves",
}

CurveKind = Literal["roc", "pr", "decision"]
CURVE_KINDS: tuple[CurveKind, ...] = ("roc", "pr", "decision")
# Names of the horizontal and the vertical axis.
AXES: dict[CurveKind, tuple[str, str]] = {
    "roc": ("1 - specificity", "sensitivity"),
    "pr": ("recall", "precision"),
    "decision": ("threshold probability", "net benefit"),
}


class SingleCurve(SingleResult):
    """What one curve offers, whatever it shows; subclasses are frozen dataclasses."""

    kind: str
    label: str

    @property
    def _alone(self) -> SeveralCurves[Any]:
        raise NotImplementedError

    def renamed(
        self, label: str, labelled: Callable[[Estimate], Estimate], _: tuple[Caution, ...], /
    ) -> Self:
        """The curve of a model of several: the label, what renames numbers, and the cautions."""
        area = getattr(self, "area", None)
        numbers = {} if area is None else {"area": labelled(area)}
        return cast("Self", replace(cast("Any", self), label=label, **numbers))

    def line_frame(self) -> pd.DataFrame:
        """A row per corner of the line: ``label, kind, x, y``."""
        return self._alone.line_frame()

    def to_dict(self) -> dict[str, Any]:
        """All that is known of the curve as plain types; arrays are lists."""
        values = ((one.name, getattr(self, one.name)) for one in fields(cast("Any", self)))
        return {
            name: value.to_dict()
            if isinstance(value, Result)
            else plain(value.tolist() if isinstance(value, np.ndarray) else value)
            for name, value in values
        }


@frozen(eq=False, repr=False)
class Curve(SingleCurve):
    """A ROC, precision-recall or decision curve of one class, with a pointwise band.

    Attributes
    ----------
    kind : {"roc", "pr", "decision"}
    label : str
        The class.
    x : ndarray, shape (k,)
        The grid: false positive rates, recalls, or threshold probabilities. Of a ROC curve 0 comes
        twice: the origin, and the sensitivity without false positives.
    y : ndarray, shape (k,)
        Sensitivity, precision or net benefit there, on the cases given; NaN where it is undefined.
    low, high : ndarray, shape (k,)
        The band, each point an interval of its own; NaN where it is undefined, and where cases
        come in fewer than six clusters.
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
    line : ndarray, shape (m, 2)
        Corners of the curve itself, between the points of the grid too: x and y. Its area is the
        AUROC or the AP. Empty where the curve is undefined.
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
    line: Array
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

    @property
    def _alone(self) -> Curves:
        return Curves((self,))

    def __repr__(self) -> str:
        area = "" if self.area is None else f": {self.area.sentence()}"
        return f"Curve {self.kind} of {self.label!r} ({len(self.x)} points){area}"


class CurveLike(Protocol):
    """What all curves have."""

    @property
    def kind(self) -> str:
        """Kind of the curve."""

    @property
    def label(self) -> str:
        """The class."""

    @property
    def line(self) -> Array:
        """Corners of the curve."""

    @property
    def area(self) -> Estimate | None:
        """The number that sums it up."""

    def to_dict(self) -> dict[str, Any]:
        """All that is known of it as plain types."""


OneCurve = TypeVar("OneCurve", bound=CurveLike)


@frozen(eq=False, repr=False)
class SeveralCurves(Result, ResultSequence[OneCurve]):
    """Curves of one kind on the same cases.

    Attributes
    ----------
    items : tuple of curves
    """

    items: tuple[OneCurve, ...]

    @property
    def areas(self) -> Estimates:
        """The areas under the curves, of those that have one."""
        return Estimates(tuple(curve.area for curve in self if curve.area is not None))

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions of the areas, each text once."""
        return self.areas.cautions

    def to_dict(self) -> dict[str, Any]:
        """The curves as plain types."""
        return {"schema_version": SCHEMA_VERSION, "curves": [curve.to_dict() for curve in self]}

    def to_rows(self) -> list[dict[str, Any]]:
        """A row per point of the grid of each curve."""
        rows = self.to_frame().to_dict("records")
        return [{str(name): value for name, value in row.items()} for row in rows]

    def document(self) -> Document:
        """The curves drawn, and the numbers that sum them up."""
        return curves_document(self)

    def to_frame(self) -> pd.DataFrame:
        """A row per point of the grid of each curve: ``label, kind, x, y, low, high``."""
        return self._framed(
            {name: [getattr(curve, name) for curve in self] for name in ("x", "y", "low", "high")}
        )

    def line_frame(self) -> pd.DataFrame:
        """A row per corner of the line of each curve: ``label, kind, x, y``."""
        return self._framed(
            {name: [curve.line[:, i] for curve in self] for i, name in enumerate(("x", "y"))}
        )

    def _framed(self, numbers: dict[str, list[Array]]) -> pd.DataFrame:
        """A frame of the numbers of each curve, with its label and kind before them."""
        import pandas as pd

        columns: dict[str, Any] = {
            name: [
                getattr(curve, name) for curve, x in zip(self, numbers["x"], strict=True) for _ in x
            ]
            for name in ("label", "kind")
        }
        return pd.DataFrame(
            columns | {name: np.concatenate([*parts, []]) for name, parts in numbers.items()}
        )

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ({len(self)}):", *(f"  {curve!r}" for curve in self)]
        lines += [f"  {code} {text}" for code, text in self.caution_lines()]
        return "\n".join(lines)

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and how many more there are."""
        return self.areas.caution_lines()


class Curves(SeveralCurves[Curve]):
    """Curves of one kind on the same cases, one per class.

    Attributes
    ----------
    items : tuple of Curve
    """


@frozen(eq=False, repr=False)
class Confusion(Result):
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
    label : str
        The model, and the levels that the cases are of, where these have names.
    """

    labels: tuple[str, ...]
    counts: NDArray[np.int64]
    estimates: tuple[tuple[Estimate, ...], ...]
    label: str = ""

    @property
    def shares(self) -> Array:
        """Share of each true class that is predicted as each, shape (C, C)."""
        return np.array([[e.value for e in row] for row in self.estimates])

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """All cautions of the shares, each text once."""
        return self._each.cautions

    def caution_lines(self) -> list[tuple[str, str]]:
        """Each code once, in order, with its first message, and how many more there are."""
        return self._each.caution_lines()

    @property
    def _each(self) -> Estimates:
        return Estimates(tuple(e for row in self.estimates for e in row))

    def to_dict(self) -> dict[str, Any]:
        """The counts and shares as plain types."""
        return {
            "schema_version": SCHEMA_VERSION,
            "labels": list(self.labels),
            "counts": self.counts.tolist(),
            "cells": [plain(row) for row in self.to_rows()],
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row per cell: ``true, predicted, count, n, share, low, high, method``."""
        return [
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

    def document(self) -> Document:
        """A row for each true class: its cases, and its shares with their intervals."""
        columns = (
            Column("true"),
            Column("n", Kind.NUMBER),
            *(Column(f"predicted {label}", Kind.INTERVAL) for label in self.labels),
        )
        rows = tuple(
            (
                Cell(label),
                Cell(str(sum(counts)), sum(counts)),
                *(
                    Cell(f"{count}: {e.text_of(e.value)} ({e.ends_text})", (e.low, e.high))
                    for count, e in zip(counts, shares, strict=True)
                ),
            )
            for label, counts, shares in zip(
                self.labels, self.counts.tolist(), self.estimates, strict=True
            )
        )
        note = Note("Cases, and their share of the true class with its interval.")
        return Document((Table(columns, rows), note), Data(self.to_dict, self.to_rows))

    def __repr__(self) -> str:
        width = max(len(label) for label in self.labels)
        rows = zip(self.labels, self.counts, strict=True)
        lines = [f"  {label:<{width}}  {' '.join(f'{c:>6}' for c in row)}" for label, row in rows]
        return "\n".join([f"Confusion ({len(self.labels)} classes; rows are true):", *lines])


# --------------------------------------------------------------------------- as a document


def curves_document(curves: SeveralCurves[Any]) -> Document:
    """The curves drawn where matplotlib is there, and their areas."""
    data = Data(curves.to_dict, curves.to_rows)
    if not curves:
        return Document((Note("No curves."),), data)
    drawn: tuple[Part, ...] = (curves_figure(curves),) if find_spec("matplotlib") else ()
    # Decision curves have no number that sums them up.
    numbers = curves.areas.document().parts if curves.areas else ()
    cautions = () if curves.areas else caution_items(curves.caution_lines())
    return Document((*drawn, *numbers, *cautions), data)


def curves_figure(curves: SeveralCurves[Any]) -> Figure:
    """The figure of curves that were made together."""
    first = curves[0]
    bands = "bars" if first.kind == "reliability-bins" else "bands"
    caption = f"{TITLES[first.kind]} with pointwise {percent(first.confidence_level)} {bands}"
    # Of detections.
    if matched_by := getattr(first.area, "matched_by", ""):
        caption += f"; matched by {matched_by}"
    return Figure("curves", caption, curves, pictures=curves.pictures)
