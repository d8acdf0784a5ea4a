"""Precision-recall, FROC and AFROC curves of detections, with their bands."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.checks import one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.types import Array
from halfwidth.detection.results.curves import DetectionCurve, DetectionCurveKind
from halfwidth.detection.results.estimate import DetectionEstimate
from halfwidth.plots import curve_parts
from halfwidth.plots.figure import figure
from halfwidth.plots.style import SHAPES, WIDTHS, Width, listed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# The least and the most false positives per image that an axis shows.
LEAST, MOST = 1 / 16, 16.0
# Where a slanted line gets more corners, and points of a marker.
PLACES = np.geomspace(LEAST, MOST, 129)
MARKER = 4.2
# More curves are no longer told apart.
MOST_CURVES = 20
# The function that draws each kind.
DRAWN_BY: dict[DetectionCurveKind, str] = {
    "pr": "detection_pr",
    "froc": "froc",
    "afroc": "afroc",
    "wafroc": "afroc",
}
AREA = {"pr": "area", "froc": "score", "afroc": "area", "wafroc": "area"}


def _frame(curves: DetectionCurve | Sequence[DetectionCurve]) -> pd.DataFrame:
    return curve_parts.frame_of(_most_objects(listed(curves, DetectionCurve, "curves")))


@figure("Precision-recall curves of detections with their bands", _frame)
def detection_pr(
    curves: DetectionCurve | Sequence[DetectionCurve],
    ax: Axes | None = None,
    *,
    width: Width = "page",
) -> Axes:
    """Draw precision-recall curves of detections with their bands, a colour and marker per class.

    A curve ends where the detections do: what the detector never marks has no precision. There is
    no line of guessing, since nothing says how many places without an object there are.

    Parameters
    ----------
    curves : DetectionCurve, DetectionCurves or sequence of DetectionCurve
        Finished curves of ``kind="pr"``. Of more than 20 those of the most objects are drawn; more
        than 4 have no bands.
    ax : matplotlib Axes, optional
        Drawn into; the classes stand beside them, or above narrow ones, so give their figure
        ``layout="constrained"``. Default: the axes of a new figure.
    width : {"page", "column"}
        Of a new figure: 17 cm at most, a square no wider than it needs; or 8.5 cm.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there are no curves, if they are of another kind, or if matplotlib is missing.

    Notes
    -----
    ``detection_pr.frame`` gives columns as that of `roc`; by ``drawn`` there are also the operating
    points that the score averages (``point``) and what lies ``beyond`` the last detection.
    """
    return _drawn(("pr",), curves, ax, width)


@figure("FROC curves with their bands", _frame)
def froc(
    curves: DetectionCurve | Sequence[DetectionCurve],
    ax: Axes | None = None,
    *,
    width: Width = "page",
) -> Axes:
    """Draw FROC curves with their bands over a logarithmic axis of false positives per image.

    Markers are the operating points that the FROC score averages, 1/8 to 8 false positives per
    image. Where a detector never has so many, they are hollow, on the dotted line that goes on
    from its last detection.

    Parameters
    ----------
    curves, ax, width
        As for `detection_pr`, with curves of ``kind="froc"``.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `detection_pr`.
    """
    return _drawn(("froc",), curves, ax, width)


@figure("AFROC curves with their bands", _frame)
def afroc(
    curves: DetectionCurve | Sequence[DetectionCurve],
    ax: Axes | None = None,
    *,
    width: Width = "page",
) -> Axes:
    """Draw AFROC or weighted AFROC curves with their bands.

    The axis is the share of the images without objects whose highest score reaches the threshold.
    Dotted is the straight line from the last detection to the corner, whose area counts.

    Parameters
    ----------
    curves, ax, width
        As for `detection_pr`, with curves all of ``kind="afroc"`` or all of ``kind="wafroc"``.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `detection_pr`.
    """
    return _drawn(("afroc", "wafroc"), curves, ax, width)


def _drawn(
    kinds: tuple[DetectionCurveKind, ...],
    several: DetectionCurve | Sequence[DetectionCurve],
    ax: Axes | None,
    width: Width,
) -> Axes:
    one_of("width", width, tuple(WIDTHS))
    every = listed(several, DetectionCurve, "curves")
    _check(kinds, every)
    curves = _most_objects(every)
    kind = curves[0].kind
    texts = [curve_parts.curve_text(curve.label, curve.area) for curve in curves]
    is_new = ax is None
    if ax is None:
        ax = curve_parts.new_axes(texts, WIDTHS[width])
    if kind == "froc":
        _false_positive_axis(ax)
        curve_parts.share_axis(ax, "y")
    else:
        curve_parts.square(ax)
    curve_parts.finish(ax, curves[0].x_name, curves[0].y_name)
    for place, (curve, text) in enumerate(zip(curves, texts, strict=True)):
        _paint(ax, curve, place, of=len(curves), label=text)
    curve_parts.add_legend(ax, lines=len(curves))
    curve_parts.add_note(ax, _explanation(curves, len(every)))
    if is_new and kind != "froc" and width == "page":
        curve_parts.fit_width(ax)
    return ax


def _most_objects(curves: Sequence[DetectionCurve]) -> Sequence[DetectionCurve]:
    """The curves of the most objects, as many as can be told apart, in the order given."""
    by_objects = sorted(range(len(curves)), key=lambda at: -curves[at].n_objects)
    return [curves[at] for at in sorted(by_objects[:MOST_CURVES])]


def _check(kinds: tuple[DetectionCurveKind, ...], curves: Sequence[DetectionCurve]) -> None:
    name = DRAWN_BY[kinds[0]]
    if not curves:
        raise OptionError(f"{name} needs at least one curve")
    present = {curve.kind for curve in curves}
    for other in present - set(kinds):
        raise OptionError(
            f"{name} draws curves of kind {kinds[0]!r}, and these are of kind {other!r}; "
            f"{DRAWN_BY[other]} draws those"
        )
    if len(present) > 1:
        raise OptionError("afroc draws curves of one kind, and these are both plain and weighted")


def _false_positive_axis(ax: Axes) -> None:
    """Logarithmic, with a tick at each operating point of the FROC score."""
    from matplotlib.ticker import NullLocator

    ax.set_xscale("log", base=2)
    ax.set_xlim(LEAST * 2**-0.1, MOST * 2**0.1)
    ticks = [Fraction(2) ** power for power in range(-4, 5)]
    ax.set_xticks([float(tick) for tick in ticks], [str(tick) for tick in ticks])
    ax.xaxis.set_minor_locator(NullLocator())


def _paint(ax: Axes, curve: DetectionCurve, place: int, *, of: int, label: str) -> None:
    marker, colour = SHAPES[place % len(SHAPES)], curve_parts.colour_of(place)
    line = _on_log_axis(curve.line) if curve.kind == "froc" else curve.line
    style: dict[str, Any] = {"steps": {"step": "pre"} if curve.kind == "pr" else {}}
    if len(curve.points):
        # The points have markers of their own; here they are for the legend.
        style |= {"marker": marker, "markersize": MARKER, "markevery": []}
    elif of > 1:
        style |= {"marker": marker, "markersize": MARKER, "markevery": [-1] if len(line) else []}
    band = (curve.x, curve.low, curve.high)
    curve_parts.paint_curve(ax, band, line, place, of=of, label=label, **style)
    if len(curve.extension):
        ax.plot(*curve.extension.T, color=colour, linewidth=1.0, linestyle=":", zorder=2.9)
    if of == 1:
        ax.vlines(*curve.points[:, [0, 2, 3]].T, color=colour, linewidth=0.9, zorder=3.5)
    last = curve.line[-1, 0] if len(curve.line) else -np.inf
    for beyond, face in (
        (curve.points[:, 0] > last, "white"),
        (curve.points[:, 0] <= last, colour),
    ):
        filled: dict[str, Any] = {"markerfacecolor": face, "markersize": MARKER, "zorder": 4}
        ax.plot(*curve.points[beyond, :2].T, marker=marker, color=colour, linestyle="", **filled)


def _on_log_axis(line: Array) -> Array:
    """Corners with points between them, since slanted lines are bent on a logarithmic axis."""
    x, y = line.T
    between = [
        (at, y0 + (y1 - y0) * (at - x0) / (x1 - x0))
        for x0, x1, y0, y1 in zip(x[:-1], x[1:], y[:-1], y[1:], strict=True)
        if x1 > x0 and y1 != y0
        for at in PLACES[(x0 < PLACES) & (x1 > PLACES)]
    ]
    # In the order of the curve: at one place the corners come from the lowest up.
    together = np.concatenate([line, np.array(between).reshape(-1, 2)])
    together = together[np.lexsort((together[:, 1], together[:, 0]))]
    together[:, 0] = np.maximum(together[:, 0], LEAST / 2)
    return together


def _explanation(curves: Sequence[DetectionCurve], count: int) -> list[str]:
    interval = curve_parts.level_text({curve.confidence_level for curve in curves})
    kinds = {curve.band for curve in curves}
    band = kinds.pop() if len(kinds) == 1 else "pointwise or simultaneous"
    clauses = [f"bands: {band} {interval}"] if len(curves) <= curve_parts.MOST_BANDS else []
    matched = {
        curve.area.matched_by for curve in curves if isinstance(curve.area, DetectionEstimate)
    }
    if len(matched) == 1:
        clauses = [*matched.pop().split(", "), *clauses]
    if count > len(curves):
        clauses.insert(0, f"{len(curves)} of {count} curves, those with the most objects")
    if any(curve.area is not None for curve in curves):
        clauses.append(f"brackets: {interval} of the {AREA[curves[0].kind]}")
    if any(len(curve.points) for curve in curves):
        clauses.append("markers: points that the score averages")
    elif len(curves) > 1:
        clauses.append("markers: ends of the curves")
    if any(len(curve.extension) for curve in curves):
        clauses.append("dotted: beyond the last detection")
    if not any(len(curve.line) for curve in curves):
        clauses.append("undefined on these images: no curve")
    return clauses
