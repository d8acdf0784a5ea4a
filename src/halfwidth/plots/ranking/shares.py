"""How ranks spread over bootstrap resamples: blobs, and a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.plots.figure import figure
from halfwidth.plots.ranking.model_styles import Styles
from halfwidth.plots.ranking.rows import (
    POINTS,
    RankingKind,
    by_row,
    rank_axis,
    rank_title,
    row_height,
)
from halfwidth.plots.style import DOT, INK
from halfwidth.results.ranking import RankedModel, Ranking

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Between these shares of the resamples lie the bars of blobs.
MIDDLE = (0.025, 0.975)
NO_SETS = "resamples show how stable the order is; they are no confidence sets"


def shares_frame(ranking: Ranking, names: Sequence[str]) -> pd.DataFrame:
    """A row for each model and each rank that it has in some resample."""
    import pandas as pd

    if not ranking.models[0].shares:
        raise OptionError(
            f"{f'{ranking.label}: ' if ranking.label else ''}no resample has a value of every "
            "model, so there are no ranks of resamples to draw"
        )
    rows = by_row(names)
    records = [
        {
            "y": rows[model.name],
            "label": ranking.label,
            "model": model.name,
            "rank": rank,
            "share": share,
        }
        | _quantiles(model)
        for model in ranking.models
        for rank, share in enumerate(model.shares, 1)
        if share > 0
    ]
    columns = ["y", "label", "model", "rank", "share", "low", "median", "high"]
    return pd.DataFrame(records, columns=columns).sort_values(["y", "rank"], ignore_index=True)


def _quantiles(model: RankedModel) -> dict[str, int]:
    """The median rank over the resamples, and the ranks that bound the middle 95 % of them."""
    cumulated = np.cumsum(model.shares)
    low, median, high = (
        # Less than rounding below the share, so that sums of shares reach it.
        1 + int(np.searchsorted(cumulated, share - 1e-12))
        for share in (MIDDLE[0], 0.5, MIDDLE[1])
    )
    return {"low": low, "median": median, "high": high}


def paint_blobs(ax: Axes, frame: pd.DataFrame, colours: Sequence[str], row: float) -> None:
    """Circles by area, the median as a stroke, and a bar for the middle of the resamples."""
    from matplotlib.collections import EllipseCollection

    # In units of a row, so that circles stay circles and fit it.
    diameters = 0.94 * np.sqrt(frame["share"].to_numpy(float))
    ax.add_collection(
        EllipseCollection(
            diameters,
            diameters,
            np.zeros(len(frame)),
            units="y",
            offsets=frame[["rank", "y"]].to_numpy(float),
            offset_transform=ax.transData,
            facecolors=colours,
            edgecolors="none",
            alpha=0.75,
            zorder=2,
        )
    )
    ends = frame.drop_duplicates("y")
    ax.hlines(ends["y"], ends["low"], ends["high"], color=INK, linewidth=0.8, zorder=3)
    stroke: dict[str, Any] = {"linestyle": "", "marker": "|", "zorder": 4}
    size = min(6.0, 0.5 * POINTS * row)
    ax.plot(ends["median"], ends["y"], color=INK, markersize=size, markeredgewidth=1.2, **stroke)


def _paint_blobs(ax: Axes, frame: pd.DataFrame, ranking: Ranking, styles: Styles) -> None:
    rank_axis(ax, len(styles), rank_title(ranking))
    colours = [styles[name].colour for name in frame["model"]]
    paint_blobs(ax, frame, colours, row_height(len(styles)))


def blob_note(ranking: Ranking) -> str:
    """What circles, strokes and bars are."""
    return (
        f"circles: share of {ranking.n_resamples} bootstrap resamples by area · strokes: medians · "
        f"bars: middle 95 % of the resamples · {NO_SETS}"
    )


BLOB = RankingKind("blob", shares_frame, _paint_blobs, blob_note)


@figure("How the ranks of models spread over bootstrap resamples", BLOB.frame_of)
def blob(
    rankings: Ranking | Sequence[Ranking], ax: Axes | None = None, *, styles: Styles | None = None
) -> Axes:
    """Draw how the ranks of the models spread over bootstrap resamples, as circles.

    They show how stable the order is, and are no confidence sets.

    Parameters
    ----------
    rankings, ax, styles
        As for `rank_sets`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `rank_sets`.

    See Also
    --------
    figures_of_rankings : over several tasks, a panel for each model.

    Notes
    -----
    ``blob.frame`` gives columns ``y, label, model, rank, share``, and of the model ``low, median,
    high``: its median rank and the ranks between which the middle 95 % of the resamples lie. Ranks
    that no resample has are left out.
    """
    return BLOB.draw(rankings, ax, styles)


# --------------------------------------------------------------------------- heat map


# Cells of wider maps than this have no room for numbers.
MOST_NUMBERS = 12
# Shares above this have white numbers.
DARK = 0.6


def shades() -> Any:
    """Colours from white to the blue of all figures."""
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


def _paint_heat(ax: Axes, frame: pd.DataFrame, ranking: Ranking, styles: Styles) -> None:
    rank_axis(ax, len(styles), rank_title(ranking))
    rows = by_row(list(styles))
    ranks = {rows[model.name]: model.rank for model in ranking.models}
    paint_heat(ax, frame, len(styles), ranks)


def _heat_note(ranking: Ranking) -> str:
    return (
        f"{shades_note(len(ranking.models))} of {ranking.n_resamples} bootstrap resamples · "
        f"frames: ranks · {NO_SETS}"
    )


HEATMAP = RankingKind("heatmap", shares_frame, _paint_heat, _heat_note, row=0.22)


@figure("How the ranks of models spread over bootstrap resamples", HEATMAP.frame_of)
def heatmap(
    rankings: Ranking | Sequence[Ranking], ax: Axes | None = None, *, styles: Styles | None = None
) -> Axes:
    """Draw how the ranks of the models spread over bootstrap resamples, as a map.

    Parameters
    ----------
    rankings, ax, styles
        As for `rank_sets`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `rank_sets`.

    See Also
    --------
    case_heatmap : the same over cases.
    """
    return HEATMAP.draw(rankings, ax, styles)
