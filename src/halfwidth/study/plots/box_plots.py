"""Boxes over instances, with a point for each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halfwidth.core.formatting import percent
from halfwidth.estimation.evidence import NOTICED
from halfwidth.plots.figure import figure
from halfwidth.plots.legends import handle, height_below, legend_below
from halfwidth.plots.style import (
    FAINT,
    INK,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    Style,
    break_label,
)
from halfwidth.study.plots import axes
from halfwidth.study.plots.lines import SIZES_TITLE, quartiles
from halfwidth.study.plots.styles import method_groups, method_styles
from halfwidth.study.results import coverage_of_intervals, share_without
from halfwidth.study.targets import Target, only

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Coverages beyond are counted, not drawn as points (andre2025, Figure 6).
LOWEST, HIGHEST = 0.5, 0.995
# Whiskers reach the most extreme value within so many times the IQR of the box.
REACH = 1.5
CELL_COLUMNS = ["instance", "n", "method", "coverage", "undefined", "samples"]
# Quartiles of fewer instances say no more than the points.
FEWEST = 5
FEW = f"Of fewer than {FEWEST} instances: points alone."
# Points of a marker of one instance among few and among many, and for how many it shrinks.
SMALLEST_DOT, CROWD_OF_DOTS = 1.8, 18.0
# Width of a box and of the cloud of its points, in shares of their room.
BOX, CLOUD = 0.72, 0.55
# The fractional part of multiples of the golden ratio fills an interval evenly, whatever the count.
GOLDEN = (math.sqrt(5) - 1) / 2
# Inches of a row, boxes in it from which on counts touch, and letters of a name beside it.
ROW, CROWD, NAME_WIDTH = 2.15, 24, 16
NARROW_GAP = 0.6


class Place(NamedTuple):
    """The place of a box."""

    panel: str
    series: str
    group: str
    x: float
    width: float


def box_rows(
    values: pd.Series, instances: pd.Series, place: Place, ends: tuple[float, float]
) -> list[dict[str, Any]]:
    """The rows of one box, itself and its points, from a number for each instance.

    One row has ``drawn`` ``"box"``: ``median``, ``q1``, ``q3`` (type 7), ``whisker_low``,
    ``whisker_high`` (the most extreme values within 1.5 IQR), ``below`` and ``above`` (the number
    of instances beyond ``ends``, which may be infinite); of fewer than 5 instances without
    quartiles and whiskers, and not drawn. One has ``"point"`` for each instance within: ``x``,
    ``value``, ``instance``. Undefined values are left out.
    """
    known = values.to_numpy(dtype=float)
    names = instances.to_numpy()
    names, known = names[~np.isnan(known)], known[~np.isnan(known)]
    q1, median, q3 = quartiles(known)
    reach = REACH * (q3 - q1)
    inside = known[(known >= q1 - reach) & (known <= q3 + reach)]
    if len(known) < FEWEST:
        q1, q3, inside = math.nan, math.nan, known[:0]
    common = {"panel": place.panel, "group": place.group, "series": place.series}
    box = {
        **common,
        "drawn": "box",
        "x": place.x,
        "width": place.width,
        "median": median,
        "q1": q1,
        "q3": q3,
        "whisker_low": float(inside.min()) if len(inside) else math.nan,
        "whisker_high": float(inside.max()) if len(inside) else math.nan,
        "below": int((known < ends[0]).sum()),
        "above": int((known > ends[1]).sum()),
        "instances": len(known),
    }
    shown = [
        (name, value)
        for name, value in sorted(zip(names, known, strict=True))
        if ends[0] <= value <= ends[1] and math.isfinite(value)
    ]
    points = [
        {
            **common,
            "drawn": "point",
            "x": place.x + CLOUD * place.width * ((GOLDEN * (rank + 1)) % 1 - 0.5),
            "value": value,
            "instance": name,
        }
        for rank, (name, value) in enumerate(shown)
    ]
    return [box, *points]


def draw_boxes(
    ax: Axes,
    frame: pd.DataFrame,
    styles: Mapping[str, Style],
    *,
    largest: float = 3.6,
    lowest: float = -math.inf,
) -> None:
    """Draw the rows of one panel; a series' marker stands on its medians, or is its points.

    What lies below ``lowest`` is left to the counts that stand there.
    """
    boxes, points = frame[frame["drawn"] == "box"], frame[frame["drawn"] == "point"]
    # The more points, the smaller.
    dot = max(SMALLEST_DOT, min(largest, CROWD_OF_DOTS / max(boxes["instances"].max(), 1) ** 0.5))
    few = boxes[boxes["instances"] < FEWEST]
    # Only what has values has a box.
    boxes = boxes[np.isfinite(boxes[["q1", "median", "q3"]].to_numpy(dtype=float)).all(axis=1)]
    for name, style in styles.items():
        series_boxes, cloud = boxes[boxes["series"] == name], points[points["series"] == name]
        alone = cloud["group"].isin(few.loc[few["series"] == name, "group"])
        large: dict[str, Any] = {"color": style.colour, "marker": style.marker, "linestyle": ""}
        if alone.any():
            shown = cloud[alone]
            ax.plot(shown["x"], shown["value"], gid=f"few {name}", markersize=dot + 1.2, **large)
        if series_boxes.empty:
            continue
        cloud = cloud[~alone]
        dots: dict[str, Any] = {"marker": ".", "markersize": dot, "markeredgewidth": 0}
        dots |= {"color": style.colour, "alpha": 0.7, "linestyle": "", "zorder": 2.5}
        ax.plot(cloud["x"], cloud["value"], gid=f"points {name}", **dots)
        thin: dict[str, Any] = {"color": style.colour, "linewidth": 0.7}
        ax.bxp(
            [_stats(row, lowest) for row in series_boxes.to_dict("records")],
            positions=series_boxes["x"].tolist(),
            widths=(BOX * series_boxes["width"]).tolist(),
            patch_artist=True,
            showfliers=False,
            showcaps=False,
            manage_ticks=False,
            boxprops={"facecolor": style.colour, "alpha": 0.35, "linewidth": 0, "gid": name},
            medianprops={"color": INK, "linewidth": 0.8},
            whiskerprops=thin,
            zorder=3,
        )
        ax.plot(
            series_boxes["x"],
            series_boxes["median"].where(series_boxes["median"] >= lowest),
            gid=f"medians {name}",
            markersize=2.6,
            markeredgecolor=INK,
            markeredgewidth=0.4,
            zorder=4,
            **large,
        )


def note_on_few(frame: pd.DataFrame) -> str:
    """A note if some boxes are not drawn."""
    boxes = frame[frame["drawn"] == "box"]
    return f" {FEW}" if (boxes["instances"] < FEWEST).any() else ""


def _stats(row: Mapping[Any, Any], lowest: float) -> dict[str, float]:
    return {
        "med": row["median"] if row["median"] >= lowest else math.nan,
        "q1": max(row["q1"], lowest),
        "q3": max(row["q3"], lowest),
        "whislo": max(row["whisker_low"], lowest),
        "whishi": max(row["whisker_high"], lowest),
    }


# --------------------------------------------------------------------------- coverage


def _coverage_boxes_frame(cells: pd.DataFrame, target: Target) -> pd.DataFrame:
    import pandas as pd

    rows_of_target = only(cells, target)[CELL_COLUMNS]
    sizes = sorted(set(rows_of_target["n"]))
    parts = dict(iter(rows_of_target.groupby(["n", "method"])))
    rows: list[dict[str, Any]] = []
    for place, (name, methods) in enumerate(method_groups(rows_of_target["method"])):
        title = ", ".join(filter(None, (target.title, name)))
        for group, n in enumerate(sizes):
            # Methods that some sizes lack leave no gap.
            here = [method for method in methods if (n, method) in parts]
            width = 1 / (len(here) + NARROW_GAP)
            for rank, method in enumerate(here):
                part = parts[n, method]
                x = group + (rank - (len(here) - 1) / 2) * width
                at = Place(title, method, str(n), x, width)
                box = box_rows(coverage_of_intervals(part), part["instance"], at, (LOWEST, HIGHEST))
                box[0]["no_interval"] = float(share_without(part).mean())
                rows += [{"row": place, **row} for row in box]
    return pd.DataFrame(rows)


@figure("Coverage: boxes and points over instances", _coverage_boxes_frame)
def coverage_boxes(cells: pd.DataFrame, target: Target) -> Figure:
    """Coverage of every method at every n: a box over instances, and a point for each.

    Instances below 50 % or above 99.5 % are counted beside a triangle at the end of the axis; a
    panel has at most four methods.

    Parameters
    ----------
    cells : DataFrame
    target : Target

    Returns
    -------
    matplotlib Figure
        17 cm wide, with a row for each group of methods.

    Notes
    -----
    ``coverage_boxes.frame`` gives rows of `box_rows`, with ``row``, of panels with at most four
    methods each, and ``group``, the sample size.

    References
    ----------
    andre2025, Figure 6.
    """
    from halfwidth.plots.canvas import new_figure

    frame = _coverage_boxes_frame(cells, target)
    styles = method_styles(frame["series"])
    most = int(frame.loc[frame["drawn"] == "box", "instances"].max())
    note = (
        f"{target.intervals.capitalize()}. Box: quartiles over at most {most} instances, "
        f"whiskers within {REACH:g} IQR. A point for each instance; those below {percent(LOWEST)} "
        f"and above {percent(HIGHEST)} are counted beside triangles.{note_on_few(frame)}"
    )
    if (frame["no_interval"] >= NOTICED).any():
        note += " Crosses: per cent of samples without an interval, which do not count."
    rows = int(frame["row"].max()) + 1
    below = height_below([], note, WIDTH)
    page = new_figure(WIDTH, rows * ROW + 0.4 + below)
    low = _bottom(frame)
    for row, ax in enumerate(page.subplots(rows, 1, squeeze=False)[:, 0]):
        part = frame[frame["row"] == row]
        here = {name: styles[name] for name in styles if name in set(part["series"])}
        _coverage_panel(ax, part, here, target, low)
        axes.title_of(ax, str(part["panel"].iloc[0]))
        _name_boxes(ax, here)
        if row == rows - 1:
            ax.set_xlabel(SIZES_TITLE, fontsize=TEXT_SIZE)
    legend_below(page, {}, note)
    return page


def _name_boxes(ax: Axes, styles: Mapping[str, Style]) -> None:
    """The methods of a panel in the order of their boxes, right of it."""
    handles = [handle(style, lines=False) for style in styles.values()]
    names = [break_label(style.label or name, NAME_WIDTH) for name, style in styles.items()]
    legend = ax.legend(
        handles,
        names,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        fontsize=NOTE_SIZE,
        frameon=False,
        handletextpad=0.2,
        borderaxespad=0.2,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _bottom(frame: pd.DataFrame) -> float:
    """Where the axis begins: 50 %, or higher where all instances are."""
    boxes = frame[frame["drawn"] == "box"]
    if boxes["below"].any() or not (frame["drawn"] == "point").any():
        return LOWEST
    return max(LOWEST, math.floor(20 * float(frame["value"].min())) / 20)


def _coverage_panel(
    ax: Axes, part: pd.DataFrame, styles: Mapping[str, Style], target: Target, low: float
) -> None:
    draw_boxes(ax, part, styles, lowest=low)
    axes.coverage_axis(ax, [low], target.confidence_level)
    first = ax.get_ylim()[0]
    beyond = 0.13 * (1.008 - first)
    ax.set_ylim(first - beyond, 1.008 + beyond)
    sizes = list(dict.fromkeys(part["group"]))
    ax.set_xlim(-0.55, len(sizes) - 0.45)
    ax.set_xticks(range(len(sizes)), sizes)
    ax.set_ylabel(f"coverage of the\n{target.intervals_title} [%]", fontsize=TEXT_SIZE)
    axes.plain(ax)
    ax.grid(visible=False, axis="x")
    for place in range(len(sizes) - 1):
        ax.axvline(place + 0.5, color=FAINT, linewidth=0.8, zorder=0)
    boxes = part[part["drawn"] == "box"]
    for row in boxes[boxes["no_interval"] >= NOTICED].to_dict("records"):
        share: dict[str, Any] = {
            "color": styles[str(row["series"])].colour,
            "fontsize": NOTE_SIZE - 1,
        }
        ax.annotate(
            f"×\n{100 * row['no_interval']:.0f}",
            (row["x"], 0.02),
            xycoords=("data", "axes fraction"),
            ha="center",
            gid="none",
            linespacing=0.8,
            **share,
        )
    for name, up in (("below", False), ("above", True)):
        y = 1.008 + 0.2 * beyond if up else first - 0.15 * beyond
        for place, row in enumerate(boxes[boxes[name] > 0].to_dict("records")):
            # Neighbours at two heights where the numbers would touch.
            away = 3.2 + (6.5 * (place % 2) if len(boxes) > CROWD else 0.0)
            colour = styles[str(row["series"])].colour
            caret: dict[str, Any] = {"marker": "^" if up else "v", "markersize": 2.8}
            ax.plot([row["x"]], [y], color=colour, gid=name, **caret)
            ax.annotate(
                str(int(row[name])),
                (row["x"], y),
                xytext=(0, away if up else -away),
                textcoords="offset points",
                ha="center",
                va="bottom" if up else "top",
                fontsize=NOTE_SIZE - 1,
                color=QUIET,
            )
