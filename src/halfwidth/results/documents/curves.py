"""Curves as a document: the picture, and the numbers that sum it up."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from halfwidth.core.formatting import percent
from halfwidth.document.parts import Data, Document, Figure, Note, Part
from halfwidth.results.curves import SeveralCurves
from halfwidth.results.detection_estimate import DetectionEstimate

TITLES = {
    "roc": "ROC curves",
    "pr": "Precision-recall curves",
    "decision": "Decision curves",
    "smooth": "Smooth calibration curves",
    "isotonic": "Isotonic calibration curves (CORP)",
    "bins": "Calibration in bins",
    "froc": "FROC curves",
    "afroc": "AFROC curves",
    "wafroc": "Weighted AFROC curves",
}


def curves_document(curves: SeveralCurves[Any]) -> Document:
    """The curves drawn where matplotlib is there, and their areas."""
    data = Data(curves.to_dict, curves.to_rows)
    if not curves:
        return Document((Note("No curves."),), data)
    drawn: tuple[Part, ...] = (curves_figure(curves),) if find_spec("matplotlib") else ()
    # Decision curves have no number that sums them up.
    areas = curves.areas.document().parts if curves.areas else ()
    return Document((*drawn, *areas), data)


def curves_figure(curves: SeveralCurves[Any]) -> Figure:
    """The figure of curves that were made together."""
    first = curves[0]
    bands = "bars" if first.kind == "bins" else "bands"
    caption = f"{TITLES[first.kind]} with pointwise {percent(first.confidence_level)} {bands}"
    if isinstance(first.area, DetectionEstimate):
        caption += f"; matched by {first.area.matched_by}"
    return Figure("curves", caption, curves, picture=curves.picture)
