"""Instances by metric: convergence pace, skewness, errors of the fit, and characteristics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halfwidth.plots.figure import figure
from halfwidth.plots.legends import height_below, legend_below
from halfwidth.plots.names import method_title
from halfwidth.plots.style import CLOUD, QUIET, TEXT_SIZE, WIDTH, Style
from halfwidth.study.plots import axes
from halfwidth.study.plots.box_plots import REACH, Place, box_rows, draw_boxes, note_on_few
from halfwidth.study.plots.styles import series_styles
from halfwidth.study.targets import FIXED_AVERAGE, NotThereError, Target, unit_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NONE = (-math.inf, math.inf)
HEIGHT = 2.3
# A label of a metric is written aslant where it has less room: inches of a letter.
LETTER = 0.062
LARGEST_DOT = 6.0  # points
# 95 % of the samples of a normal distribution lie within so many standard errors.
Z = 1.959964


class CloudPanel(NamedTuple):
    """What one panel shows."""

    title: str
    axis: str
    log: bool = False


def by_metric(
    frame: pd.DataFrame, column: str, panel: CloudPanel, at: tuple[int, int]
) -> list[dict[str, Any]]:
    """A box and points for each metric (and average) of a frame with a row per instance."""
    rows: list[dict[str, Any]] = []
    names = _names(frame)
    common = {"row": at[0], "column": at[1], "axis": panel.axis, "log": panel.log}
    for x, name in enumerate(dict.fromkeys(names)):
        part = frame[[other == name for other in names]]
        place = Place(panel.title, name, name, x, 0.65)
        box = box_rows(part[column], part["instance"], place, NONE)
        rows += [{**common, **row} for row in box]
    return rows


def _names(frame: pd.DataFrame) -> list[str]:
    pairs = zip(frame["metric"], frame["average"], strict=True)
    return [Target(m, "", average, "", 0.0, "").title for m, average in pairs]


def figure_of_clouds(
    frame: pd.DataFrame,
    note: str,
    width: float,
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> Figure:
    """A figure of rows by `by_metric`; ``ranges`` are marked in the panels of that title."""
    from halfwidth.plots.canvas import new_figure

    styles = series_styles(frame["series"])
    rows, columns = axes.grid_of(frame)
    below = height_below([], note, width)
    longest = max(len(name) for name in styles)
    size = (width, rows * (HEIGHT + 0.04 * longest) + below)
    page = new_figure(*size)
    for _, ax, part in axes.panels_of(page, frame):
        _panel(ax, part, styles, width / columns - 0.6, (ranges or {}).get(part["panel"].iloc[0]))
    legend_below(page, {}, note)
    return page


def _panel(
    ax: Axes,
    part: pd.DataFrame,
    styles: Mapping[str, Style],
    inches: float,
    marked: tuple[float, float] | None,
) -> None:
    draw_boxes(ax, part, styles, largest=LARGEST_DOT)
    boxes = part[part["drawn"] == "box"]
    names = boxes["group"].tolist()
    slant: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    fits = LETTER * max(len(name) for name in names) * len(names) <= inches
    ax.set_xticks(boxes["x"].tolist(), names, parse_math=False, **({} if fits else slant))
    ax.set_xlim(-0.6, len(names) - 0.4)
    ax.set_ylabel(str(part["axis"].iloc[0]), fontsize=TEXT_SIZE)
    if marked is not None:
        style: dict[str, Any] = {"color": CLOUD, "alpha": 0.7, "linewidth": 0, "zorder": 0}
        ax.axhspan(*marked, gid="normal", **style)
        if marked[0] == marked[1]:
            ax.axhline(marked[0], color=QUIET, linewidth=0.9, gid="normal")
    if bool(part["log"].iloc[0]):
        axes.log_axis(ax, part[["value", "whisker_low", "whisker_high"]].to_numpy(float).ravel())
    axes.plain(ax)
    ax.grid(visible=False, axis="x")


def _note(frame: pd.DataFrame) -> str:
    counts = frame.loc[frame["drawn"] == "box", "instances"]
    least, most = int(counts.min()), int(counts.max())
    each = f"each of {most} instances" if least == most else f"each instance (at most {most})"
    return f"A point for {each}. Box: quartiles, whiskers within {REACH:g} IQR.{note_on_few(frame)}"


# --------------------------------------------------------------------------- paces


def _pace_frame(paces: pd.DataFrame, _method: str = "") -> pd.DataFrame:
    return _pace_rows(
        paces,
        "pace",
        CloudPanel("convergence pace", "convergence pace β\n(coverage = level + β/n)"),
    )


@figure("Convergence pace of coverage by metric", _pace_frame)
def pace_by_metric(paces: pd.DataFrame, method: str, width: float = WIDTH / 2) -> Figure:
    """The coverage convergence pace of each instance by metric.

    Parameters
    ----------
    paces : DataFrame
        As of `halfwidth.study.analysis.pace`, of one statistic and one method.
    method : str
        Said in the note.
    width : float
        Inches.

    Returns
    -------
    matplotlib Figure

    Notes
    -----
    ``pace_by_metric.frame`` gives rows of `box_rows` with their place.

    References
    ----------
    andre2025, Figure 9 C.
    """
    frame = _pace_frame(paces)
    note = f"{_note(frame)} Intervals: {method_title(method)}. Below 0: coverage comes from below."
    return figure_of_clouds(frame, note, width, {"convergence pace": (0.0, 0.0)})


def _skewness_frame(paces: pd.DataFrame) -> pd.DataFrame:
    return _pace_rows(
        paces, "population_skewness", CloudPanel("skewness", "skewness of the population")
    )


@figure("Skewness of the instances by metric", _skewness_frame)
def skewness_by_metric(paces: pd.DataFrame, width: float = WIDTH / 2) -> Figure:
    """The skewness of each instance by metric.

    Parameters
    ----------
    paces : DataFrame
        As for `pace_by_metric`.
    width : float
        Inches.

    Returns
    -------
    matplotlib Figure

    References
    ----------
    andre2025, Figure 9 B.
    """
    frame = _skewness_frame(paces)
    return figure_of_clouds(frame, _note(frame), width, {"skewness": (0.0, 0.0)})


def _pace_errors_frame(paces: pd.DataFrame, _method: str = "") -> pd.DataFrame:
    return _pace_rows(
        paces, "fit_error", CloudPanel("relative error of the fit", "relative error of the fit")
    )


@figure("Relative error of the fitted pace by metric", _pace_errors_frame)
def pace_errors(paces: pd.DataFrame, method: str, width: float = WIDTH / 2) -> Figure:
    """How well level + β/n fits the coverage of each instance.

    Parameters
    ----------
    paces, method, width
        As for `pace_by_metric`.

    Returns
    -------
    matplotlib Figure

    References
    ----------
    andre2025, Figure S3.
    """
    frame = _pace_errors_frame(paces)
    return figure_of_clouds(frame, f"{_note(frame)} Intervals: {method_title(method)}.", width)


def _pace_rows(paces: pd.DataFrame, column: str, panel: CloudPanel) -> pd.DataFrame:
    import pandas as pd

    known = paces[np.isfinite(paces[column].to_numpy(dtype=float))]
    if known.empty:
        raise NotThereError(f"no instance has a known {panel.title}")
    return pd.DataFrame(by_metric(known, column, panel, (0, 0)))


# --------------------------------------------------------------------------- characteristics


def _characteristics_frame(cells: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    instances = _instances(cells[cells["statistic"] != ""])
    if instances.empty:
        raise NotThereError("the study has no metrics of single cases")
    rows: list[dict[str, Any]] = []
    units = list(dict.fromkeys(unit_of(metric) for metric in instances["metric"]))
    for row, unit in enumerate(units):
        part = instances[[unit_of(metric) == unit for metric in instances["metric"]]]
        unit_text = f" [{unit}]" if unit else ""
        for column, word in enumerate(("mean", "SD")):
            panel = CloudPanel(f"{word}{unit_text}", f"{word}{unit_text}")
            rows += by_metric(part, f"population_{word.lower()}", panel, (row, column))
    rows += by_metric(
        instances, "population_skewness", CloudPanel("skewness", "skewness"), (len(units), 0)
    )
    kurtosis = CloudPanel("kurtosis", "kurtosis (normal: 3)", log=True)
    rows += by_metric(instances, "population_kurtosis", kurtosis, (len(units), 1))
    return pd.DataFrame(rows)


@figure("Mean, SD, skewness and kurtosis of the instances by metric", _characteristics_frame)
def characteristics(cells: pd.DataFrame) -> Figure:
    """Mean, SD, skewness and kurtosis of the populations by metric.

    Grey is where 95 % of normal samples lie that are as large as the instance of median size: 0 ±
    1.96 √(6/n) of the skewness and 3 ± 1.96 √(24/n) of the kurtosis, the approximations for large
    n. Populations by formula have no cases, and no such range.

    Parameters
    ----------
    cells : DataFrame

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If the study has no populations of per-case values.

    Notes
    -----
    ``characteristics.frame`` gives a box for each metric, a point for each instance.

    References
    ----------
    andre2025, Figure S1.
    """
    frame = _characteristics_frame(cells)
    counts = _instances(cells[cells["statistic"] != ""])["n_cases"].dropna()
    if counts.empty:
        return figure_of_clouds(frame, _note(frame), WIDTH)
    n = float(counts.median())
    skew, kurtosis = Z * math.sqrt(6 / n), Z * math.sqrt(24 / n)
    ranges = {"skewness": (-skew, skew), "kurtosis": (max(1.0, 3 - kurtosis), 3 + kurtosis)}
    note = f"{_note(frame)} Grey: 95 % of normal samples of {n:g} cases (the median)."
    return figure_of_clouds(frame, note, WIDTH, ranges)


def _characteristics_of_sets_frame(cells: pd.DataFrame) -> pd.DataFrame:
    import pandas as pd

    test_sets = cells[cells["statistic"] == ""]
    if test_sets.empty:
        raise NotThereError("the study has no metrics of test sets")
    once = test_sets.drop_duplicates(["instance", "metric", "average", "label"])
    rows = by_metric(
        _ordered(once), "truth", CloudPanel("true value", "true value of the metric"), (0, 0)
    )
    each = test_sets.drop_duplicates("instance").assign(metric="logits", average="")
    for column, name in enumerate(("skewness", "kurtosis")):
        panel = CloudPanel(name, f"multivariate {name}", log=True)
        rows += by_metric(each, f"population_{name}", panel, (0, column + 1))
    return pd.DataFrame(rows)


@figure("Values of metrics, skewness and kurtosis of test sets", _characteristics_of_sets_frame)
def characteristics_of_sets(cells: pd.DataFrame) -> Figure:
    """True values of the metrics, and multivariate skewness and kurtosis of the logits.

    A normal distribution has skewness 0; its kurtosis depends on the number of classes, which
    the results do not hold, and is not marked.

    Parameters
    ----------
    cells : DataFrame

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If the study has no test sets.

    References
    ----------
    andre2025, Figure S2. mori1994.
    """
    frame = _characteristics_of_sets_frame(cells)
    note = f"{_note(frame)} Skewness and kurtosis as of Móri et al. (1994)."
    return figure_of_clouds(frame, note, WIDTH)


def _instances(cells: pd.DataFrame) -> pd.DataFrame:
    return cells.drop_duplicates(["instance", "metric"]).assign(average="").sort_values("metric")


def _ordered(cells: pd.DataFrame) -> pd.DataFrame:
    """Macro, then micro, then what has no average."""
    ways = [FIXED_AVERAGE.get(m, a) for m, a in zip(cells["metric"], cells["average"], strict=True)]
    return cells.assign(way=ways).sort_values(["way", "metric"], kind="stable")
