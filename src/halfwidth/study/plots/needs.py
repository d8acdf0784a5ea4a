"""The n from which medians reach a coverage and a width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.formatting import percent
from halfwidth.metrics.boundary import assd, hd, hd95, masd
from halfwidth.metrics.boundary_overlap import boundary_iou, nsd
from halfwidth.metrics.counting import balanced_accuracy
from halfwidth.metrics.overlap import dsc, iou
from halfwidth.metrics.ranking import auroc
from halfwidth.plots.figure import figure
from halfwidth.plots.names import method_title
from halfwidth.plots.style import INK, NOTE_SIZE, QUIET
from halfwidth.study.plots import axes
from halfwidth.study.plots.lines import LineLayout, figure_of_lines, line_rows, own_titles
from halfwidth.study.plots.styles import series_styles
from halfwidth.study.targets import (
    NotThereError,
    Target,
    bounds_of,
    check_two_sided,
    only,
    targets_of,
    unit_of,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Coverage of a 95 % interval that andre2025 calls reliable, and a width of metrics from 0 to 1.
COVERAGE, WIDTH_WANTED = 0.925, 0.1
# The metrics compared with the first metric of single cases: the first existing one of each row.
AGAINST = (
    (auroc.__name__,),
    (balanced_accuracy.__name__,),
    (assd.__name__, masd.__name__, hd95.__name__, hd.__name__, nsd.__name__, boundary_iou.__name__),
)
FIRST = (dsc.__name__, iou.__name__, nsd.__name__)


def _sample_needs_frame(
    cells: pd.DataFrame, method: str, *, coverage: float = COVERAGE, width: float = WIDTH_WANTED
) -> pd.DataFrame:
    import pandas as pd

    check_two_sided(cells)
    cells_of_method = cells[cells["method"] == method]
    parts = []
    for row, pair in enumerate(_pairs(targets_of(cells_of_method))):
        units = {unit_of(target.metric) for target in pair}
        title = " and ".join(target.title for target in pair)
        both = pd.concat(
            [only(cells_of_method, t).assign(series=t.title) for t in pair], ignore_index=True
        )
        for column, quantity in enumerate(("coverage", "width")):
            if quantity == "width" and len(units) > 1:
                # Millimetres and shares have no axis in common.
                pair = pair[:1]  # noqa: PLW2901 -- the width is the last that is drawn of a pair
                both = both[both["series"] == pair[0].title]
                title, units = pair[0].title, {unit_of(pair[0].metric)}
            unit = "" if quantity == "coverage" else units.copy().pop()
            rows = line_rows(
                both, quantity, panel=title, at=(row, column), series="series", unit=unit
            )
            shares = all(_from_0_to_1(target) for target in pair)
            wanted = coverage if quantity == "coverage" else width if shares else np.nan
            parts.append(rows.assign(wanted=wanted))
    if not parts:
        raise NotThereError("the study has neither means of per-case values nor macro averages")
    frame = own_titles(pd.concat(parts, ignore_index=True))
    return frame.assign(reached=_reached(frame))


def _from_0_to_1(target: Target) -> bool:
    bounds = bounds_of(target.metric)
    return not target.statistic or (bounds is not None and bounds.width == 1)


def _pairs(targets: Sequence[Target]) -> list[list[Target]]:
    """The first metric paired with each metric it is compared with; alone without any."""
    means = {target.metric: target for target in targets if target.statistic == "mean"}
    macro = {t.metric: t for t in targets if not t.statistic and t.kind == "macro"}
    everything = {**macro, **means}
    if not everything:
        return []
    first = next((everything[name] for name in FIRST if name in means), None)
    first = first or next(iter(everything.values()))
    pairs = []
    for names in AGAINST:
        others = [t for t in everything.values() if t.metric.partition(":")[0] in names]
        others.sort(key=lambda target: names.index(target.metric.partition(":")[0]))
        pairs += [[first, others[0]]] if others and others[0] != first else []
    return pairs or [[first]]


def _reached(frame: pd.DataFrame) -> list[bool]:
    """Whether a point is the first from which on all medians of its line are as wanted."""
    reached = dict.fromkeys(frame.index, False)
    for _, line in frame.groupby(["row", "column", "series"]):
        ordered = line.sort_values("n", ascending=False)
        sign = 1 if line["quantity"].iloc[0] == "coverage" else -1
        last = None
        for place, median, wanted in zip(
            ordered.index, ordered["median"], ordered["wanted"], strict=True
        ):
            if not sign * median >= sign * wanted:
                break
            last = place
        if last is not None:
            reached[last] = True
    return list(reached.values())


@figure("Where median coverage and width reach what is wanted", _sample_needs_frame)
def sample_needs(
    cells: pd.DataFrame, method: str, *, coverage: float = COVERAGE, width: float = WIDTH_WANTED
) -> Figure:
    """Coverage and width of pairs of metrics against n, marked where medians reach the goal.

    Parameters
    ----------
    cells : DataFrame
        Rows of one level.
    method : str
    coverage, width : float
        What is wanted; the width of metrics from 0 to 1 only.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If the study has no mean and no macro average, or no two-sided intervals.

    Notes
    -----
    ``sample_needs.frame`` gives columns as of `line_rows`, ``wanted``, and ``reached``, whether the
    median is as wanted from this n on for the first time.

    References
    ----------
    andre2025, Figure 11.
    """
    frame = _sample_needs_frame(cells, method, coverage=coverage, width=width)
    note = (
        f"Intervals: {method_title(method)}. Dotted: {percent(coverage)} coverage and width "
        f"{width:g}; the ringed n is the first from which on the median is so. A width may be "
        "reached where coverage is not."
    )
    page = figure_of_lines(frame, series_styles(frame["series"]), LineLayout(note=note))
    # The axes stand row by row.
    _, columns = axes.grid_of(frame)
    for _, part in frame.groupby(["row", "column"]):
        row, column = int(part["row"].iloc[0]), int(part["column"].iloc[0])
        _mark(page.axes[row * columns + column], part)
    return page


def _mark(ax: Any, part: pd.DataFrame) -> None:
    wanted = float(part["wanted"].iloc[0])
    if np.isnan(wanted):
        return
    low, high = ax.get_ylim()
    ax.set_ylim(min(low, 0.9 * wanted), high)
    ax.axhline(wanted, color=QUIET, linewidth=1.0, linestyle=":", gid="wanted", zorder=1)
    lines = []
    for name, line in part.groupby("series", sort=False):
        marks = line[line["reached"]]
        ring: dict[str, Any] = {"marker": "o", "markersize": 8, "markerfacecolor": "none"}
        style: dict[str, Any] = {"color": INK, "linestyle": "", "gid": f"reached {name}"}
        ax.plot(marks["n"], marks["median"], zorder=5, **style, **ring)
        lines.append(f"{name}: " + (f"n = {marks['n'].iloc[0]}" if len(marks) else "not reached"))
    # Coverages rise to the right, widths fall: the corner below is free.
    right = part["quantity"].iloc[0] == "coverage"
    ax.text(
        0.98 if right else 0.02,
        0.03,
        "\n".join(lines),
        transform=ax.transAxes,
        ha="right" if right else "left",
        va="bottom",
        fontsize=NOTE_SIZE,
        zorder=6,
        parse_math=False,
        bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.6},
    )
