"""Lines against sample size: the median over instances, with a band from Q1 to Q3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from halfwidth.core.formatting import percent
from halfwidth.estimation.evidence import NOTICED
from halfwidth.plots import line_labels
from halfwidth.plots.legends import height_below, legend_below
from halfwidth.plots.style import QUIET, TEXT_SIZE, WIDTH, Style, break_label, with_unit
from halfwidth.study.plots import axes
from halfwidth.study.plots.styles import method_label
from halfwidth.study.results import coverage_of_intervals, share_without
from halfwidth.study.targets import SIDES, range_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The quantity of a line, and its column in the cells of a study. Coverage is that of the intervals
# there are; samples that have none are a thing of its own.
QUANTITIES = {"coverage": "coverage", "width": "width_mean", "shift": "centre_shift"}
AXIS = {
    "coverage": "coverage of {interval} [%]",
    "width": "mean width of {interval}",
    "shift": "centre of {interval}\nless true value",
}
SIZES_TITLE = "cases in the test set, n"
BAND = 0.16
# Inches: a panel's height, and what its labels take of its width and height.
HEIGHT, BESIDE, AROUND = 2.1, 0.65, 0.75
# Inches of a panel that has no room for its x title in full, and of a letter of its title.
NARROW, LETTER = 1.5, 0.075
# Narrower panels have no room for the names of lines beside them, lower ones none for long titles.
NAMED, LOW = 2.1, 2.0


class LineLayout(NamedTuple):
    """The layout of the panels of a figure."""

    width: float = WIDTH
    height: float = HEIGHT
    lowest: float = axes.LOWEST
    bands: bool = True
    note: str = ""
    # Whether panels of the same quantity and unit have the same axis.
    share: bool = False


def line_rows(
    cells: pd.DataFrame,
    quantity: str,
    *,
    panel: str,
    at: tuple[int, int],
    series: str = "method",
    unit: str = "",
) -> pd.DataFrame:
    """The rows of one panel: median and quartiles over instances for each series and n.

    Rows of ``cells`` that are of one series and n are of different instances; ``series`` is the
    column whose values have a line each, ``at`` the row and column of the panel in the figure.
    Columns are ``row, column, panel, quantity, unit, level, side, series, n, median, q1, q3,
    instances, no_interval``: quartiles (type 7) over the instances that have a value, and their
    number; NaN where none has one; the share of samples without an interval.
    """
    import pandas as pd

    column = QUANTITIES[quantity]
    rows = []
    told = ["confidence_level", "alternative", "coverage", "undefined", "samples"]
    needed = cells[list(dict.fromkeys([series, "n", column, *told]))]
    for key, part in needed.groupby([series, "n"], sort=True):
        name, n = cast("tuple[str, int]", key)
        there = coverage_of_intervals(part) if quantity == "coverage" else part[column]
        values = there.to_numpy(dtype=float)
        q1, median, q3 = quartiles(values)
        rows.append(
            {
                "row": at[0],
                "column": at[1],
                "panel": panel,
                "quantity": quantity,
                "unit": unit,
                "level": float(part["confidence_level"].iloc[0]),
                "side": str(part["alternative"].iloc[0]),
                "series": str(name),
                "n": int(n),
                "median": median,
                "q1": q1,
                "q3": q3,
                "instances": int((~np.isnan(values)).sum()),
                "no_interval": float(share_without(part).mean()),
            }
        )
    return pd.DataFrame(rows)


def quartiles(values: Any) -> tuple[float, float, float]:
    """Q1, median and Q3 of the numbers that are there; infinite ones are the largest.

    >>> quartiles([1.0, 2.0, float("nan"), 3.0])
    (1.5, 2.0, 2.5)
    """
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if not len(known):
        return (float("nan"),) * 3
    with np.errstate(invalid="ignore"):
        quantiles = np.quantile(known, [0.25, 0.5, 0.75])
    # Between a finite and an infinite one lies nothing that could be drawn.
    q1, median, q3 = np.where(np.isnan(quantiles), np.inf, quantiles)
    return float(q1), float(median), float(q3)


def figure_of_lines(frame: pd.DataFrame, styles: Mapping[str, Style], layout: LineLayout) -> Figure:
    """A figure with a panel for each row and column of a frame of `line_rows`.

    ``styles`` are by series, in the order of the legend.
    """
    from halfwidth.plots.canvas import new_figure

    rows, columns = axes.grid_of(frame)
    styles = {name: style for name, style in styles.items() if name in set(frame["series"])}
    note = " ".join(part for part in (layout.note, _note(frame, layout)) if part)
    inside = layout.width / columns - BESIDE
    # Lines that have their names beside them need no legend.
    most = frame.groupby(["row", "column"])["series"].nunique().max()
    named = bool(inside >= NAMED and most <= line_labels.MOST)
    legend = {} if named else {style.label or name: style for name, style in styles.items()}
    below = height_below(legend, note, layout.width)
    size = (layout.width, rows * layout.height + below)
    page = new_figure(*size)
    for place, ax, part in axes.panels_of(page, frame):
        like = frame[["quantity", "unit"]].eq(part[["quantity", "unit"]].iloc[0]).all(axis=1)
        seen = frame[like] if layout.share else part
        last = not ((frame["column"] == place[1]) & (frame["row"] > place[0])).any()
        colours = {styles[name].label or name: styles[name].colour for name in set(part["series"])}
        beside = line_labels.room_for(list(colours)) if named else 0.0
        rooms = (inside - beside, inside)
        lines_of_panel(ax, part, styles, layout, inches=rooms, seen=seen, x_title=last)
        if named:
            line_labels.name_lines(ax, _ends(part, styles), colours, layout.height - AROUND)
    legend_below(page, legend, note)
    return page


def _ends(part: pd.DataFrame, styles: Mapping[str, Style]) -> dict[str, tuple[float, float]]:
    """The last point of each line, by the name of the line."""
    finite = part[np.isfinite(part["median"].to_numpy(dtype=float))].sort_values("n")
    last = finite.groupby("series", sort=False).tail(1)
    return {
        styles[name].label or name: (float(n), float(median))
        for name, n, median in zip(last["series"], last["n"], last["median"], strict=True)
    }


def own_titles(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a figure, the quantity added to titles that several panels would share."""
    panels = frame.drop_duplicates(["row", "column"])
    shared = set(panels.loc[panels["panel"].duplicated(), "panel"])
    titles = [
        f"{panel}: {quantity}" if panel in shared else panel
        for panel, quantity in zip(frame["panel"], frame["quantity"], strict=True)
    ]
    return frame.assign(panel=titles)


def lines_of_panel(
    ax: Axes,
    part: pd.DataFrame,
    styles: Mapping[str, Style],
    layout: LineLayout,
    *,
    inches: tuple[float, float],
    seen: pd.DataFrame,
    x_title: bool,
) -> None:
    """Draw the rows of one panel; each line's ``gid`` is its series.

    The axes hold the numbers of ``seen``; ``inches`` are their width and that of the title.
    """
    for name, style in styles.items():
        rows = part[part["series"] == name].sort_values("n")
        if rows.empty:
            continue
        x, y = rows["n"].to_numpy(), rows["median"].to_numpy()
        ax.plot(x, _drawable(y), gid=name, zorder=3, **style.line)
        if str(rows["quantity"].iloc[0]) == "coverage":
            _without_interval(ax, rows[rows["no_interval"] >= NOTICED], name, style)
        if layout.bands:
            low, high = _drawable(rows["q1"]), _drawable(rows["q3"])
            shade: dict[str, Any] = {"color": style.colour, "alpha": BAND, "linewidth": 0}
            ax.fill_between(x, low, high, gid=name, zorder=2, **shade)
    quantity, unit = str(part["quantity"].iloc[0]), str(part["unit"].iloc[0])
    axes.size_axis(ax, sorted(set(part["n"])), inches[0])
    _finish(ax, seen, quantity, layout)
    ax.set_ylabel(_axis_title(part, quantity, unit, layout), fontsize=TEXT_SIZE)
    if x_title:
        ax.set_xlabel(SIZES_TITLE if inches[0] > NARROW else "n", fontsize=TEXT_SIZE)
    axes.plain(ax)
    axes.title_of(ax, break_label(str(part["panel"].iloc[0]), int((inches[1] + 0.2) / LETTER)))


def _without_interval(ax: Axes, rows: pd.DataFrame, name: str, style: Style) -> None:
    """Hollow points where some samples have no interval, crosses at the edge where none has."""
    none, some = rows[rows["median"].isna()], rows[rows["median"].notna()]
    if len(some):
        hollow = style.line | {"linestyle": "", "markerfacecolor": "white", "markersize": 5.0}
        ax.plot(some["n"], some["median"], gid=f"partly {name}", zorder=3.5, **hollow)
    if len(none):
        cross: dict[str, Any] = {"marker": "x", "linestyle": "", "color": style.colour}
        edge = ax.get_xaxis_transform()
        ax.plot(none["n"], np.full(len(none), 0.03), gid=f"none {name}", transform=edge, **cross)


def _axis_title(part: pd.DataFrame, quantity: str, unit: str, layout: LineLayout) -> str:
    """The quantity with its intervals and unit; two lines in low panels."""
    level, side = percent(float(part["level"].iloc[0])), str(part["side"].iloc[0])
    title = AXIS[quantity].format(interval=f"the {level} {SIDES[side]}")
    if layout.height < LOW:
        title = title.replace(" of the ", " of\nthe ", 1)
    return with_unit(title, unit)


def _drawable(numbers: Any) -> Any:
    """The numbers without infinite ones, which no axis can show."""
    values = np.asarray(numbers, dtype=float)
    return np.where(np.isfinite(values), values, np.nan)


def _finish(ax: Axes, seen: pd.DataFrame, quantity: str, layout: LineLayout) -> None:
    ends = ["median", "q1", "q3"] if layout.bands else ["median"]
    numbers = seen[ends].to_numpy(dtype=float).ravel()
    if quantity == "coverage":
        axes.coverage_axis(ax, numbers, float(seen["level"].iloc[0]), layout.lowest)
    elif quantity == "width":
        axes.log_axis(ax, numbers)
    else:
        ax.axhline(0, color=QUIET, linewidth=0.9, zorder=1, gid=axes.GID_OF_LEVEL)


def _note(frame: pd.DataFrame, layout: LineLayout) -> str:
    """A note on lines and bands, the number of instances, and points below the axis."""
    counts = sorted({int(count) for count in frame["instances"] if count})
    many = range_text(counts) if counts else "no"
    noun = "instance" if counts == [1] else "instances"
    band = ", band: Q1 to Q3" if layout.bands else ""
    text = f"Line: median over {many} {noun}{band}."
    covers = frame[frame["quantity"] == "coverage"]
    if len(covers):
        levels = " and ".join(percent(level) for level in sorted(set(covers["level"])))
        text += f" Dashed: {levels}."
        ends = ["median", "q1"] if layout.bands else ["median"]
        below = covers[ends].min(axis=1) < layout.lowest
        if below.any():
            names = ", ".join(method_label(name) for name in dict.fromkeys(covers["series"][below]))
            text += f" What lies below {percent(layout.lowest)} is not shown ({names})."
        text += note_on_none(covers)
    return text


def note_on_none(covers: pd.DataFrame) -> str:
    """Which methods leave samples without an interval, and how many, if there are any."""
    some = covers[covers["no_interval"] >= NOTICED]
    shares = [
        f"{method_label(str(name))} {range_text(sorted(set((100 * own).round().astype(int))))} %"
        for name, own in some.groupby("series", sort=False)["no_interval"]
    ]
    if not shares:
        return ""
    return (
        f" Hollow, crosses: samples without an interval, which do not count ({'; '.join(shares)})."
    )


def wrapped(items: Iterable[Any], columns: int) -> list[tuple[Any, tuple[int, int]]]:
    """Items with their row and column in a grid.

    >>> wrapped("abc", 2)
    [('a', (0, 0)), ('b', (0, 1)), ('c', (1, 0))]
    """
    return [(item, divmod(place, columns)) for place, item in enumerate(items)]
