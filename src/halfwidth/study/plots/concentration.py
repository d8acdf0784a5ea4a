"""Concentration intervals for a mean: the width that their guarantee costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from halfwidth.core.types import Array, Bounds, Level
from halfwidth.intervals.bootstrap import percentile
from halfwidth.intervals.mean import empirical_bernstein, hoeffding, t
from halfwidth.intervals.mean import t as student_t
from halfwidth.plots.figure import figure
from halfwidth.plots.legends import height_below, legend_below
from halfwidth.plots.marks import beside
from halfwidth.plots.style import NOTE_SIZE, QUIET, TEXT_SIZE, WIDTH, with_unit
from halfwidth.study.plots import axes
from halfwidth.study.plots.lines import SIZES_TITLE, quartiles
from halfwidth.study.plots.styles import method_label, method_styles
from halfwidth.study.targets import (
    NotThereError,
    Target,
    bounds_of,
    check_two_sided,
    only,
    unit_of,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

METHODS = (
    hoeffding.__name__,
    empirical_bernstein.__name__,
    student_t.__name__,
    percentile.__name__,
)
THEORY = METHODS[:3]
# The quartiles of the SD over instances, and their strokes.
SPREADS = {"q1": ":", "median": "-", "q3": "--"}
LARGEST, POINTS = 1e9, 46
HEIGHT = 3.0


def theoretical_width(
    method: str, n: Array, sd: float, bounds: Bounds | tuple[float, float], level: Level
) -> Array:
    """The width of an interval for a mean of n values with this SD, as our own intervals have it.

    Concentration intervals take values, of which none can make 10⁹ at hand. Their width is a sum
    of a term in 1/√n and one in 1/(n - 1), read off from two values: those of two equal ones
    have no SD, and those of two others have the SD of one.

    Parameters
    ----------
    method : {"hoeffding", "empirical_bernstein", "t"}
    n : ndarray
        At least 2.
    sd : float
        Of the sample (n - 1).
    bounds : Bounds or pair of floats
        Of the values.
    level : Level

    Returns
    -------
    ndarray
        In the unit of the values.

    Examples
    --------
    >>> width = theoretical_width("hoeffding", np.array([100]), 0.2, Bounds(0, 1), Level(0.95))
    >>> print(f"{width[0]:.4f}")
    0.2716
    """
    sizes = np.asarray(n, dtype=float)
    if method == student_t.__name__:
        intervals = [
            t(np.array(0.0), np.array(sd / math.sqrt(size)), int(size) - 1, level) for size in n
        ]
        return np.array([float(interval.high - interval.low) for interval in intervals])
    equal, apart = np.array([0.0, 0.0]), np.array([0.0, math.sqrt(2.0)])
    if method == hoeffding.__name__:
        interval = hoeffding(equal, bounds, level)
        return np.asarray((interval.high - interval.low) * np.sqrt(2 / sizes))
    interval, more = (empirical_bernstein(values, bounds, level) for values in (equal, apart))
    constant = float(interval.high - interval.low)
    slope = float(more.high - more.low) - constant
    return np.asarray(sd * slope * np.sqrt(2 / sizes) + constant / (sizes - 1))


def _concentration_frame(cells: pd.DataFrame, target: Target) -> pd.DataFrame:
    import pandas as pd

    cells_of_target = only(cells, target)
    check_two_sided(cells_of_target)
    bounds = bounds_of(target.metric)
    if bounds is None or target.statistic != "mean":
        raise NotThereError(
            f"{target.title}: concentration intervals need a mean within finite bounds"
        )
    level = Level(target.confidence_level)
    spreads = quartiles(cells_of_target.drop_duplicates("instance")["population_sd"])
    sds = dict(zip(SPREADS, spreads, strict=True))
    sizes = np.array(sorted(set(cells_of_target["n"])), dtype=float)
    far = np.unique(np.round(np.geomspace(sizes[0], LARGEST, POINTS))).astype(np.float64)
    rows: list[dict[str, Any]] = []
    for spread, sd in sds.items():
        t_widths = theoretical_width(student_t.__name__, far, sd, bounds, level)
        for method in THEORY:
            line: dict[str, Any] = {"drawn": "theory", "method": method, "spread": spread, "sd": sd}
            widths = theoretical_width(method, sizes, sd, bounds, level)
            rows += [{"panel": "width", **line, **at} for at in _points(sizes, widths)]
            if method != student_t.__name__:
                ratio = theoretical_width(method, far, sd, bounds, level) / t_widths
                rows += [{"panel": "ratio", **line, **at} for at in _points(far, ratio)]
    rows += _study_points(cells_of_target)
    return pd.DataFrame(rows)


def _points(n: Array, values: Array) -> list[dict[str, Any]]:
    return [{"n": int(x), "value": float(y)} for x, y in zip(n, values, strict=True)]


def _study_points(cells_of_target: pd.DataFrame) -> list[dict[str, Any]]:
    rows = []
    for key, part in cells_of_target[cells_of_target["method"].isin(METHODS)].groupby(
        ["method", "n"]
    ):
        method, n = cast("tuple[str, int]", key)
        for spread, value in zip(SPREADS, quartiles(part["width_mean"]), strict=True):
            line = {"drawn": "study", "method": method, "spread": spread, "sd": math.nan}
            rows.append({"panel": "width", **line, "n": int(n), "value": value})
    return rows


@figure("Widths of concentration intervals and their ratio to t", _concentration_frame)
def concentration(cells: pd.DataFrame, target: Target) -> Figure:
    """Widths of Hoeffding, empirical Bernstein and t against n, and their ratios up to 10⁹.

    Lines are by formula for the quartiles of the SD over instances; points are the quartiles of
    the mean widths that the study found.

    Parameters
    ----------
    cells : DataFrame
    target : Target

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If the metric has no finite bounds, or intervals are one-sided.

    Notes
    -----
    ``concentration.frame`` gives columns ``panel`` ("width" or "ratio"), ``drawn`` ("theory" or
    "study"), ``method``, ``spread`` (which quartile over instances: of the SD, or of the widths of
    the study), ``sd``, ``n``, ``value``: a width, or its ratio to that of t.

    References
    ----------
    andre2025, Figures 7, S10 and S11. hoeffding1963, maurer_pontil2009.
    """
    from halfwidth.plots.canvas import new_figure

    frame = _concentration_frame(cells, target)
    styles = method_styles(frame["method"])
    sds = frame.drop_duplicates("spread").set_index("spread")["sd"]
    note = (
        f"{target.title}, {target.intervals}. Lines: by formula at the SD of the median instance "
        f"(solid, {sds['median']:.3g}), of Q1 (dotted, {sds['q1']:.3g}) and of Q3 (dashed, "
        f"{sds['q3']:.3g}). Markers: median over instances of the study, bars: Q1 to Q3."
    )
    size = (WIDTH, HEIGHT + height_below(styles, note, WIDTH))
    page = new_figure(*size)
    left, right = page.subplots(1, 2)
    _widths(left, frame, target.intervals_title, unit_of(target.metric))
    _ratios(right, frame)
    named = {style.label or name: style for name, style in styles.items()}
    legend_below(page, named, note, lines=False)
    return page


def _theory(ax: Axes, part: pd.DataFrame) -> None:
    for (method, spread), rows in part[part["drawn"] == "theory"].groupby(["method", "spread"]):
        colour = method_styles([str(method)])[str(method)].colour
        kwargs: dict[str, Any] = {"color": colour, "linestyle": SPREADS[str(spread)]}
        ax.plot(rows["n"], rows["value"], gid=f"{method} {spread}", linewidth=1.0, **kwargs)


def _widths(ax: Axes, frame: pd.DataFrame, interval: str, unit: str) -> None:
    part = frame[frame["panel"] == "width"]
    _theory(ax, part)
    for method, style in method_styles(part["method"]).items():
        rows = part[(part["drawn"] == "study") & (part["method"] == method)]
        if rows.empty:
            continue
        table = rows.pivot_table(index="n", columns="spread", values="value")
        reach = np.array([table["median"] - table["q1"], table["q3"] - table["median"]])
        mark: dict[str, Any] = {"color": style.colour, "marker": style.marker, "markersize": 3.2}
        ax.plot(table.index, table["median"], linestyle="", gid=f"study {method}", zorder=4, **mark)
        bar: dict[str, Any] = {"ecolor": style.colour, "elinewidth": 0.8, "linestyle": ""}
        ax.errorbar(table.index, table["median"], yerr=reach, zorder=3, **bar)
    axes.size_axis(ax, sorted(set(part["n"])), WIDTH / 2 - 0.7)
    axes.log_axis(ax, part["value"].tolist())
    title = f"mean width of the {interval}"
    ax.set_ylabel(with_unit(title, unit), fontsize=TEXT_SIZE)
    ax.set_xlabel(SIZES_TITLE, fontsize=TEXT_SIZE)
    axes.plain(ax)
    axes.title_of(ax, "width")


def _ratios(ax: Axes, frame: pd.DataFrame) -> None:
    from matplotlib.ticker import LogLocator, NullLocator

    part = frame[frame["panel"] == "ratio"]
    _theory(ax, part)
    # The dashes are those of Q3.
    ax.axhline(1, color=QUIET, linewidth=0.6, zorder=1, gid=student_t.__name__)
    beside(ax, student_t.__name__, 1.0, fontsize=NOTE_SIZE)
    ax.set_xscale("log")
    axes.log_axis(ax, [1.0, *part["value"].tolist()])
    ax.xaxis.set_major_locator(LogLocator(base=100))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel(SIZES_TITLE, fontsize=TEXT_SIZE)
    ax.set_ylabel("width / width of t", fontsize=TEXT_SIZE)
    axes.plain(ax)
    axes.title_of(ax, "ratio to t")
    # Named at its line, so that colour is not all that tells.
    for method, rows in part[part["spread"] == "median"].groupby("method"):
        name = method_label(str(method)).replace(" ", "\n")
        beside(ax, name, rows["value"].iloc[-1], fontsize=NOTE_SIZE)
