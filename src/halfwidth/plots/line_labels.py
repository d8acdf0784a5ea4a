"""Names of lines at their right ends, kept apart, so that no legend is needed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.types import Array
from halfwidth.plots.style import INK, NOTE_SIZE, break_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Letters of a line, points of a line, and between the axes and a name.
LETTERS, LINE, AWAY = 14, 1.3 * NOTE_SIZE, 9.0
# A panel has no room for more names.
MOST = 9


def room_for(names: Sequence[str]) -> float:
    """Inches that names need right of the axes.

    >>> round(room_for(["t", "empirical Bernstein"]), 2)
    0.67
    """
    longest = max((len(line) for name in names for line in _lines(name).split("\n")), default=0)
    return AWAY / 72 + 0.06 * longest


def apart(wanted: ArrayLike, sizes: ArrayLike, top: float) -> Array:
    """Heights near those wanted, at which texts of these sizes do not touch, between 0 and top.

    The least sum of squared moves that keeps the order (isotonic regression).

    >>> apart([5.0, 5.0, 50.0], [10.0, 10.0, 10.0], 100.0).tolist()
    [5.0, 15.0, 50.0]
    """
    from scipy.optimize import isotonic_regression

    heights, room = np.asarray(wanted, dtype=float), np.asarray(sizes, dtype=float)
    order = np.argsort(heights, kind="stable")
    # How far the middle of each is above the lowest one where they touch.
    piled = np.concatenate([[0.0], np.cumsum((room[order][1:] + room[order][:-1]) / 2)])
    moved = np.asarray(isotonic_regression(heights[order] - piled).x)
    lowest, highest = room[order[0]] / 2, top - piled[-1] - room[order[-1]] / 2
    places = np.empty_like(heights)
    places[order] = np.clip(moved, lowest, max(lowest, highest)) + piled
    return places


def name_lines(
    ax: Axes, ends: Mapping[str, tuple[float, float]], colours: Mapping[str, str], inches: float
) -> None:
    """Write the name of each line right of the axes, and lead to it from the end of the line.

    ``ax``: its limits are set; ``ends``: the last point of each line, by its name; ``colours``: of
    the thin line between a name and its end; ``inches``: about the height of the axes.
    """
    from matplotlib.transforms import ScaledTranslation

    known = {name: end for name, end in ends.items() if math.isfinite(end[1])}
    if not known:
        return
    texts = {name: _lines(name) for name in known}
    points = 72 * inches
    shares = [_share(ax, y) for _, y in known.values()]
    sizes = [LINE * (1 + text.count("\n")) for text in texts.values()]
    places = apart(np.array(shares) * points, sizes, points) / points
    style: dict[str, Any] = {"fontsize": NOTE_SIZE, "color": INK, "ha": "left", "parse_math": False}
    beside = ax.transAxes + ScaledTranslation(AWAY / 72, 0, ax.figure.dpi_scale_trans)
    low, high = sorted(ax.get_ylim())
    for (name, (x, y)), place in zip(known.items(), places, strict=True):
        leader = {"arrowstyle": "-", "color": colours[name], "linewidth": 0.7}
        ax.annotate(
            texts[name],
            (x, float(np.clip(y, low, high))),
            xycoords="data",
            xytext=(1.0, float(place)),
            textcoords=beside,
            va="center",
            linespacing=1.0,
            annotation_clip=False,
            arrowprops={**leader, "shrinkA": 0, "shrinkB": 0, "relpos": (0, 0.5)},
            gid=f"name {name}",
            **style,
        )


def _lines(name: str) -> str:
    return "\n".join(break_label(line, LETTERS) for line in name.split("\n"))


def _share(ax: Axes, y: float) -> float:
    """The height of a number on the axis, from 0 to 1."""
    height = ax.transLimits.transform(ax.transScale.transform((1.0, y)))[1]
    return float(np.clip(height, 0.0, 1.0))
