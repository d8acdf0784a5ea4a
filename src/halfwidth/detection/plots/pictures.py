"""One picture of an image's matches: a plain canvas with the outlines of its objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halfwidth.core.types import Array
from halfwidth.detection.plots.scenes import Mark, Scene, Shape
from halfwidth.plots.style import DOT, INK, QUIET, shorter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAPER, EDGE = "#f7f7f7", "#bfbfbf"
# Points: letters at outlines, how wide one is, and how high a line of them.
LETTERS, LETTER, LINE = 5.0, 2.9, 6.0
CLASS_WIDTH = 12
# Labels of detections that are right are left out where they would lie on so many points of
# outlines, which are this far apart in points.
MOST_CROSSED, APART = 4, 2.0
# Lines of a picture that is so many inches wide are as thick as they are declared.
FULL, THINNEST = 3.0, 0.7


class Style(NamedTuple):
    """How one kind of object is drawn; no two are alike in colour, in stroke, or as a point."""

    colour: str
    stroke: Any
    width: float
    marker: str
    size: float
    hollow: bool = False

    @property
    def line(self) -> dict[str, Any]:
        """Arguments of ``Axes.plot`` for an outline."""
        return {"color": self.colour, "linestyle": self.stroke, "linewidth": self.width}

    @property
    def point(self) -> dict[str, Any]:
        """Arguments of ``Axes.plot`` for an object that is but a point."""
        return {
            "color": self.colour,
            "linestyle": "",
            "marker": self.marker,
            "markersize": self.size,
            "markerfacecolor": "none" if self.hollow else self.colour,
            "markeredgewidth": max(self.width, 0.8),
        }


STYLES = {
    Mark.TRUE: Style(DOT, "-", 1.3, "o", 3.0),
    Mark.FALSE: Style("#D55E00", (0, (4, 1.5)), 1.2, "x", 4.5),
    Mark.MISSED: Style(INK, (0, (1, 1.6)), 1.5, "D", 4.5, hollow=True),
    Mark.FOUND: Style(QUIET, "-", 0.5, "o", 6.5, hollow=True),
    Mark.IGNORED: Style("#a0a0a0", (0, (6, 1.5, 1, 1.5)), 0.8, "s", 4.0, hollow=True),
}


class Label(NamedTuple):
    """A text at an outline, whose corner is at this place in points from the top left."""

    text: str
    x: float
    y: float
    mark: Mark

    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        return self.x, self.y, self.x + LETTER * len(self.text), self.y + LINE


def paint_scene(ax: Axes, scene: Scene, classes: Sequence[str], width: float) -> None:
    """Draw a picture on axes whose canvas is about so many inches wide."""
    canvas = scene.canvas
    ax.set_xlim(canvas.left, canvas.right)
    ax.set_ylim(canvas.bottom, canvas.top)
    # In one row of a page all canvases begin at one height.
    ax.set_aspect(canvas.aspect, anchor="NW")
    ax.set_facecolor(PAPER)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set(color=EDGE, linewidth=0.6)
    thin = min(1.0, max(THINNEST, width / FULL))
    for shape in scene.shapes:
        style, order = STYLES[shape.mark], 2 + 0.1 * list(Mark).index(shape.mark)
        for line in shape.lines:
            kwargs = (
                style.point if len(line) == 1 else style.line | {"linewidth": thin * style.width}
            )
            ax.plot(*line.T, zorder=order, solid_joinstyle="miter", gid=shape.mark.value, **kwargs)
    scale = 72 * width / (canvas.right - canvas.left)
    for label in placed_labels(scene, classes, scale):
        _write(ax, label, scene, scale)


def _write(ax: Axes, label: Label, scene: Scene, scale: float) -> None:
    """A small text with a rim of the paper's colour, so that lines do not cross its letters."""
    from matplotlib.patheffects import withStroke

    canvas = scene.canvas
    ax.text(
        canvas.left + label.x / scale,
        canvas.top + label.y / (scale * canvas.aspect),
        label.text,
        fontsize=LETTERS,
        color=STYLES[label.mark].colour,
        ha="left",
        va="top",
        parse_math=False,
        zorder=4,
        path_effects=[withStroke(linewidth=1.4, foreground=PAPER)],
    )


def placed_labels(scene: Scene, classes: Sequence[str], scale: float) -> list[Label]:
    """Labels where there is room for them, errors first; none overlaps another.

    Each stands where it lies on the fewest outlines.

    ``scale``: points of a unit of the first coordinate.
    """
    canvas = scene.canvas
    units = np.array([scale, scale * canvas.aspect])
    corner = np.array([canvas.left, canvas.top])
    end = (np.array([canvas.right, canvas.bottom]) - corner) * units
    order = (Mark.FALSE, Mark.MISSED, Mark.TRUE)
    shapes = [shape for shape in scene.shapes if shape.mark in order and shape.lines]
    shapes.sort(key=lambda one: (order.index(one.mark), -np.nan_to_num(one.score)))
    drawn = [(line - corner) * units for shape in scene.shapes for line in shape.lines]
    ink = np.concatenate([_dotted(line) for line in drawn]) if drawn else np.empty((0, 2))
    kept: list[Label] = []
    for shape in shapes:
        text = _text(shape, classes)
        corners = (np.concatenate(shape.lines) - corner) * units
        ends = (corners.min(axis=0), corners.max(axis=0))
        free = [
            label
            for label in (_candidates(text, shape.mark, ends) if text else ())
            if _inside(label, end) and not any(_overlap(label, other) for other in kept)
        ]
        crossed = [_crossed(label, ink) for label in free]
        if free and (shape.mark is not Mark.TRUE or min(crossed) <= MOST_CROSSED):
            kept.append(free[int(np.argmin(crossed))])
    return kept


def _dotted(line: Array) -> Array:
    """Points along an outline, evenly spaced."""
    steps = np.hypot(*np.diff(line, axis=0).T)
    along = np.append(0.0, np.cumsum(steps))
    at = np.arange(0.0, along[-1] + APART, APART)
    return np.stack([np.interp(at, along, line[:, axis]) for axis in (0, 1)], axis=1)


def _inside(label: Label, end: Array) -> bool:
    left, top, right, bottom = label.box()
    return left >= 0 and top >= 0 and right <= end[0] and bottom <= end[1]


def _crossed(label: Label, ink: Array) -> int:
    """Points of outlines under a label."""
    left, top, right, bottom = label.box()
    x, y = ink.T
    return int(((x > left) & (x < right) & (y > top) & (y < bottom)).sum())


def _candidates(text: str, mark: Mark, ends: tuple[Array, Array]) -> Iterator[Label]:
    """Above the outline, below it, and within it."""
    (x0, y0), (x1, y1) = ends
    wide = LETTER * len(text)
    for y in (y0 - LINE - 0.8, y1 + 0.8, y0 + 0.8, y1 - LINE - 0.8):
        for x in (x0, x1 - wide):
            yield Label(text, x, y, mark)


def _overlap(one: Label, other: Label) -> bool:
    left, top, right, bottom = one.box()
    other_left, other_top, other_right, other_bottom = other.box()
    return left < other_right and other_left < right and top < other_bottom and other_top < bottom


def _text(shape: Shape, classes: Sequence[str]) -> str:
    """The score of a detection; the class of errors, where there are several."""
    # Scores may be on any scale.
    score = f"{shape.score:.2f}" if 0 <= shape.score <= 1 else f"{shape.score:.3g}"
    score = "" if np.isnan(shape.score) else score
    name = ""
    if len(classes) > 1 and shape.mark is not Mark.TRUE:
        name = shorter(classes[shape.category], CLASS_WIDTH)
    return " ".join(filter(None, (name, score)))
