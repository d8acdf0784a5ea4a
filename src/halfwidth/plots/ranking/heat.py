"""A map of models by ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.plots.style import DOT, INK

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Cells of wider maps than this have no room for numbers.
MOST_NUMBERS = 12
# Shares above this have white numbers.
DARK = 0.6


def shades() -> Any:
    """Colours between white and the blue of all figures."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("halfwidth", ["#ffffff", DOT])


def shades_note(models: int) -> str:
    """What the shades are, and the numbers where there are any."""
    if models > MOST_NUMBERS:
        return "shades from white to blue: shares from 0 to all"
    return "shades and numbers: shares in %"


def paint_heat(ax: Axes, frame: pd.DataFrame, models: int, ranks: Mapping[int, int]) -> None:
    """Cells with shares from white to blue, their numbers where there is room, frames at ranks."""
    from matplotlib.patches import Rectangle

    cells = np.zeros((models, models))
    cells[frame["y"].to_numpy(int), frame["rank"].to_numpy(int) - 1] = frame["share"]
    edges = np.arange(models + 1) + 0.5
    ax.pcolormesh(edges, edges - 1, cells, cmap=shades(), vmin=0, vmax=1, zorder=1)
    ax.grid(visible=False)
    for y, rank in ranks.items():
        style: dict[str, Any] = {"facecolor": "none", "edgecolor": INK, "linewidth": 0.7}
        ax.add_patch(Rectangle((rank - 0.5, y - 0.5), 1, 1, zorder=3, **style))
    if models > MOST_NUMBERS:
        return
    for row in frame[frame["share"] >= 0.005].to_dict("records"):
        share = float(row["share"])
        ax.text(
            row["rank"],
            row["y"],
            f"{100 * share:.0f}",
            ha="center",
            va="center_baseline",
            fontsize=6,
            color="#ffffff" if share > DARK else INK,
            zorder=4,
        )
