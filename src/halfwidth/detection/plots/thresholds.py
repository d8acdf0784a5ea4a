"""The result over thresholds of localisation, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.checks import one_of
from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.titles import metric_title
from halfwidth.detection.metrics.all_criteria import LOCALISATIONS
from halfwidth.detection.results.estimate import DetectionEstimate
from halfwidth.plots import curve_parts
from halfwidth.plots.figure import figure
from halfwidth.plots.sheets import Grid
from halfwidth.plots.style import (
    NARROW,
    SHAPES,
    WIDTHS,
    Width,
    axis_title,
    check_one_metric,
    interval_label,
    listed,
    shorter,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Share of the gap between two thresholds over which the intervals of several lines stand.
SPREAD = 0.5
MARKER = 4.2
MARGIN = 0.06
LABEL_WIDTH = 34
# Thresholds that all get a label.
MOST_TICKS = 10
# Inches of a panel, and of its names of axes and its note.
PANEL, AROUND = 2.8, 0.7


def _frame(estimates: Sequence[DetectionEstimate]) -> pd.DataFrame:
    import pandas as pd

    lines = _lines(estimates)
    return pd.DataFrame(
        [
            (label, threshold, e.value, e.low, e.high)
            for label, line in lines.items()
            for threshold, e in line.items()
        ],
        columns=["label", "threshold", "value", "low", "high"],
    )


@figure("Metrics over thresholds of localisation", _frame)
def over_thresholds(
    estimates: Sequence[DetectionEstimate],
    ax: Axes | None = None,
    *,
    width: Width = "page",
) -> Axes:
    """Draw a metric of detections over the thresholds of localisation, with its intervals.

    A result that falls steeply says as much of the threshold as of the detector. Several classes
    or averages have a line each, their intervals beside each other.

    Parameters
    ----------
    estimates : Estimates or sequence of DetectionEstimate
        Of detections matched with ``by_threshold=True``: one metric, one criterion of
        localisation. Means over several thresholds are left out.
    ax : matplotlib Axes, optional
        Drawn into; the lines' names stand beside them, or above narrow ones, so give their figure
        ``layout="constrained"``. Default: the axes of a new figure.
    width : {"page", "column"}
        Of a new figure: 17 cm or 8.5 cm.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there are not two thresholds, if the estimates are of several metrics or matched in
        several ways, or if matplotlib is missing.

    Notes
    -----
    ``over_thresholds.frame`` gives columns ``label, threshold, value, low, high``: the lines one
    after another, each by ascending threshold.
    """
    one_of("width", width, tuple(WIDTHS))
    lines = _lines(estimates)
    shown = [e for line in lines.values() for e in line.values()]
    labels = [shorter(label, LABEL_WIDTH) for label in lines] if len(lines) > 1 else []
    if ax is None:
        ax = curve_parts.new_axes(labels, WIDTHS[width])
    ticks = sorted({threshold for line in lines.values() for threshold in line})
    step = SPREAD * float(np.diff(ticks).min()) / max(len(lines), 2)
    for place, (label, line) in enumerate(lines.items()):
        aside = step * (place - (len(lines) - 1) / 2)
        _paint(ax, line, place, aside, shorter(label, LABEL_WIDTH))
    _finish(ax, shown, ticks)
    if labels:
        curve_parts.add_legend(ax)
    clauses = [*shown[0].matched_by.split(", ")[1:], f"bars: {interval_label(shown)}"]
    curve_parts.add_note(ax, clauses)
    return ax


def _by_metric(estimates: Sequence[DetectionEstimate]) -> dict[str, list[DetectionEstimate]]:
    panels: dict[str, list[DetectionEstimate]] = {}
    for e in listed(estimates, DetectionEstimate, "estimates"):
        panels.setdefault(metric_title(e.metric_spec), []).append(e)
    return panels


def _frame_of_panels(estimates: Sequence[DetectionEstimate]) -> pd.DataFrame:
    import pandas as pd

    panels = _by_metric(estimates) or {"": []}
    parts = [_frame(some).assign(metric=metric) for metric, some in panels.items()]
    return pd.concat(parts, ignore_index=True)


@figure(over_thresholds.caption, _frame_of_panels)
def figures_over_thresholds(
    estimates: Sequence[DetectionEstimate], *, width: Width = "page"
) -> list[Figure]:
    """Draw each metric over the thresholds of localisation, a panel for each, on pages.

    Parameters
    ----------
    estimates : Estimates or sequence of DetectionEstimate
        As for `over_thresholds`, of one metric or of several.
    width : {"page", "column"}
        17 cm or 8.5 cm.

    Returns
    -------
    list of matplotlib Figure
        As many as it takes.

    Raises
    ------
    OptionError
        As for `over_thresholds`.
    """
    one_of("width", width, tuple(WIDTHS))
    panels = list(_by_metric(estimates).values()) or [[]]
    across = WIDTHS[width]
    names = max(len(_lines(one)) for one in panels) * curve_parts.LINE
    # Beside wide panels stand their legends, above narrow ones.
    height = PANEL + names if across < NARROW else max(PANEL, names + AROUND)
    pages = []
    for page, axes, places in Grid(1, height, across).sheets(len(panels)):
        for ax, place in zip(axes, places, strict=True):
            over_thresholds(panels[place], ax)
        pages.append(page)
    return pages


def _lines(rows: Sequence[DetectionEstimate]) -> dict[str, dict[float, DetectionEstimate]]:
    """The estimates of each line by their threshold, ascending."""
    estimates = listed(rows, DetectionEstimate, "estimates")
    single = [e for e in estimates if len(e.matching.thresholds) == 1]
    check_one_metric(single)
    lines: dict[str, dict[float, DetectionEstimate]] = {}
    for e in single:
        lines.setdefault(_label(e, single), {})[e.matching.thresholds[0]] = e
    if len({threshold for line in lines.values() for threshold in line}) < 2:
        raise OptionError(
            "a figure over thresholds needs a metric at two or more of them: "
            f"{spelled('by_threshold', True)}"
        )
    if len({(e.matching.localisation, e.matching.assignment) for e in single}) > 1:
        raise OptionError(
            "estimates are matched by several criteria of localisation; draw a figure of each"
        )
    return {label: dict(sorted(line.items())) for label, line in lines.items()}


def _label(e: DetectionEstimate, beside: Sequence[DetectionEstimate]) -> str:
    """What tells a line from the others: its label without the threshold, and the average."""
    label = e.label.removesuffix(f"at {e.matching.thresholds[0]:g}")
    own = label.removesuffix(", ").removesuffix(" / ")
    several = e.average and len({other.average for other in beside}) > 1
    if several and e.average not in own.split(", "):
        return ", ".join(filter(None, [own, e.average]))
    return own


def _paint(
    ax: Axes, line: dict[float, DetectionEstimate], place: int, aside: float, label: str
) -> None:
    """Points joined by a faint line, each with its interval."""
    colour, marker = curve_parts.colour_of(place), SHAPES[place % len(SHAPES)]
    x = np.array(list(line)) + aside
    value, low, high = (
        np.array([getattr(e, end) for e in line.values()]) for end in ("value", "low", "high")
    )
    ax.vlines(x, low, high, color=colour, linewidth=1.2, zorder=3)
    style: dict[str, Any] = {"marker": marker, "markersize": MARKER, "linewidth": 0.9}
    ax.plot(x, value, color=colour, zorder=4, label=label, **style)


def _finish(ax: Axes, estimates: Sequence[DetectionEstimate], ticks: Sequence[float]) -> None:
    """Thresholds below, the metric at the left, from 0 to 1 where it has this range."""
    from halfwidth.plots.ticks import number_texts

    first = estimates[0]
    criterion = LOCALISATIONS[first.matching.localisation]
    # Of a distance the prose knows in what it was measured.
    unit = f" [{first.matched_by.split(', ')[0].split()[-1]}]" if criterion.unit else ""
    name = f"{criterion.title} {first.matching.admits}{unit}"
    curve_parts.finish(ax, name, axis_title(estimates))
    span = ticks[-1] - ticks[0]
    if len(ticks) <= MOST_TICKS:
        ax.set_xticks(ticks, number_texts(ticks))
    ax.set_xlim(ticks[0] - MARGIN * span, ticks[-1] + MARGIN * span)
    bounds = first.metric_spec.spec.bounds
    if (bounds.low, bounds.high) == (0, 1):
        curve_parts.share_axis(ax, "y")
    else:
        ax.set_ylim(bottom=0 if bounds.low == 0 else None)
