"""The parts of a distribution figure, drawn from its frame."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.plots.marks import beside, draw_interval
from halfwidth.plots.rows import FEW_CLUSTERS, RowCases, RowLayout, has_place
from halfwidth.plots.style import (
    CLOUD,
    DOT,
    NARROW,
    NOTE_SIZE,
    PALE,
    QUIET,
    axes_width,
    cluster_style,
    interval_label,
    numbers_text,
    pale_note,
    row_text,
    same_level,
    shorter,
    statistic_label,
)
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# From so many dots on, vector graphics hold a picture of them.
RASTER_FROM = 3000
NAME_WIDTH, NOTE_WIDTH = 22, 92
# A space that textwrap does not break.
HELD = "\N{NO-BREAK SPACE}"
BOX_HEIGHT = 0.07  # inches
POINTS = 72.0


def paint_shapes(
    ax: Axes, frame: pd.DataFrame, cases: Sequence[RowCases], layout: RowLayout
) -> None:
    """Densities or shares, boxes and whiskers."""
    from matplotlib.patches import Rectangle

    for row, row_cases in enumerate(cases):
        part = frame[frame["label"] == row_cases.label]
        floor = row + layout.cloud[1]
        outline = part.loc[part["kind"] == "density", ["x", "y"]].to_numpy(float)
        if len(outline):
            ax.fill_between(outline[:, 0], outline[:, 1], floor, color=CLOUD, linewidth=0, zorder=1)
        bars = part.loc[part["kind"] == "share", ["x", "y"]].to_numpy(float)
        if len(bars):
            ax.vlines(bars[:, 0], bars[:, 1], floor, color=CLOUD, linewidth=7, zorder=1)
    half = BOX_HEIGHT / 2 / layout.height
    whiskers = frame.loc[frame["kind"] == "whiskers", ["y", "low", "high"]].to_numpy(float)
    ax.hlines(*whiskers.T, color=QUIET, linewidth=0.8, zorder=2)
    boxes = frame.loc[frame["kind"] == "box", ["x", "y", "low", "high"]].to_numpy(float)
    style: dict[str, Any] = {"facecolor": "white", "edgecolor": QUIET, "linewidth": 0.8}
    for x, y, low, high in boxes:
        ax.add_patch(Rectangle((low, y - half), high - low, 2 * half, zorder=2.1, **style))
        ax.vlines(x, y - half, y + half, color=QUIET, linewidth=1.8, zorder=2.2)


def paint_cases(
    ax: Axes, frame: pd.DataFrame, cases: Sequence[RowCases], layout: RowLayout
) -> None:
    """Dots, and the lines that join those of a cluster."""
    dots = frame[frame["kind"] == "case"]
    as_picture = len(dots) >= RASTER_FROM
    joined = frame.loc[frame["kind"] == "cluster", ["y", "low", "high"]].to_numpy(float)
    # As thin as it takes that lines of neighbours do not merge.
    thin = min(
        0.6, max(0.25, 0.6 * min((_lane(row_cases, layout) for row_cases in cases), default=1.0))
    )
    ax.hlines(*joined.T, color=PALE, linewidth=thin, zorder=1, rasterized=as_picture)
    for row_cases in cases:
        mine = dots[dots["label"] == row_cases.label]
        if not len(mine):
            continue
        diameter, alpha = _dot(row_cases, layout)
        style: dict[str, Any] = {"s": diameter**2, "alpha": alpha, "linewidths": 0.0}
        style |= {"zorder": 3, "rasterized": as_picture}
        if not row_cases.clusters:
            ax.scatter(mine["x"], mine["y"], color=DOT, **style)
            continue
        for marker, alike in mine.groupby(mine["code"].map(lambda code: cluster_style(code)[1])):
            colours = [cluster_style(code)[0] for code in alike["code"]]
            ax.scatter(alike["x"], alike["y"], c=colours, marker=marker, **style)
    if max(len(row_cases.clusters) for row_cases in cases) <= FEW_CLUSTERS:
        _name_clusters(ax, frame)


def _dot(row_cases: RowCases, layout: RowLayout) -> tuple[float, float]:
    """Diameter in points and opacity: many cases are drawn small and faint."""
    crowd = max(len(row_cases.values) / 50, 1.0) ** -0.22
    if not row_cases.clusters:
        return 4.2 * crowd, max(0.7 * crowd, 0.1)
    # Lanes keep dots apart, so that they need not be faint.
    return min(4.8 * crowd, max(1.7 * _lane(row_cases, layout), 1.8)), 0.9


def _lane(row_cases: RowCases, layout: RowLayout) -> float:
    """Height of a lane in points."""
    return POINTS * layout.dots / max(len(row_cases.clusters), 1)


def _name_clusters(ax: Axes, frame: pd.DataFrame) -> None:
    """The name of each cluster at the height of its lane, behind its colour and shape."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    lanes = frame[frame["kind"] == "cluster"]
    beside_axes = blended_transform_factory(ax.transAxes, ax.transData)
    place = beside_axes + ScaledTranslation(9 / POINTS, 0, ax.figure.dpi_scale_trans)
    for y, name, code in zip(lanes["y"], lanes["group"], lanes["code"], strict=True):
        colour, shape = cluster_style(code)
        key: dict[str, Any] = {"marker": shape, "markersize": 4, "markeredgewidth": 0}
        ax.plot([1], [y], color=colour, transform=place, clip_on=False, linestyle="", **key)
        beside(ax, shorter(name, NAME_WIDTH), y, points=15, fontsize=NOTE_SIZE)


def paint_estimates(
    ax: Axes, cases: Sequence[RowCases], estimates: Sequence[Estimate], layout: RowLayout
) -> None:
    """Intervals in their band; beside the axes their numbers, and how many cases there are."""
    with_level, narrow = not same_level(estimates), axes_width(ax) < NARROW
    for row, row_cases in enumerate(cases):
        mine = [e for e in estimates if e.label == row_cases.label]
        for place, e in enumerate(mine):
            y = row + layout.estimate(place)
            if has_place(e, row_cases):
                draw_interval(ax, e, y)
            if narrow:
                # The numbers on a line of their own.
                text = f"{statistic_label(e)}\n{numbers_text(e, with_level=with_level)}"
                beside(ax, text, y, points=4, fontsize=NOTE_SIZE)
            else:
                beside(ax, row_text(e, with_level=with_level), y)
        small: dict[str, Any] = {"fontsize": NOTE_SIZE, "color": QUIET}
        beside(ax, _count(row_cases, mine), row + layout.box, points=4 if narrow else 6, **small)


def _count(row_cases: RowCases, estimates: Sequence[Estimate]) -> str:
    if not estimates:
        return f"n = {len(row_cases.values)}"
    missing = estimates[0].n_missing
    return estimates[0].n_text + (f", {missing} missing" if missing else "")


def explanation(frames: Sequence[pd.DataFrame], estimates: Sequence[Estimate]) -> str:
    """What the shapes mean, of those that are there."""
    kinds = {str(kind) for frame in frames for kind in frame["kind"].unique()}
    said = {
        "case": f"dots: {'runs' if estimates[0].over == 'runs' else 'cases'}",
        "cluster": _cluster_text(frames),
        "density": "grey area: density",
        "share": "grey bars: shares",
        "box": "box: quartiles, whiskers to 1.5 IQR",
        "estimate": f"black: estimate, {interval_label(estimates)}",
        "unseen failures": pale_note(estimates),
        "number": "a spread has no place on this axis",
    }
    clauses = [words for kind, words in said.items() if kind in kinds]
    # Lines break between clauses only.
    held = f"{HELD}· ".join(words.replace(" ", HELD) for words in clauses)
    return "\n".join(textwrap.wrap(held, NOTE_WIDTH)).replace(HELD, " ")


def _cluster_text(frames: Sequence[pd.DataFrame]) -> str:
    lanes = [frame[frame["kind"] == "cluster"].groupby("label").size() for frame in frames]
    most = max((int(sizes.max()) for sizes in lanes if len(sizes)), default=0)
    if most <= FEW_CLUSTERS:
        return "each cluster on a line of its own, ordered by mean"
    return f"each of {most} clusters on a line of its own, ordered by mean; colours repeat"
