"""Figures of several rankings: a panel for each, on as many pages as it takes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from halfwidth.core.checks import one_of
from halfwidth.core.frozen import frozen
from halfwidth.plots.figure import AnyFigure, figure
from halfwidth.plots.legends import height_below, legend_below
from halfwidth.plots.ranking import rows
from halfwidth.plots.ranking.cases import CASE_HEATMAP, DOTS, case_heatmap, dots
from halfwidth.plots.ranking.lines import (
    check_lines,
    frame_of_lines,
    new_lines_axes,
    paint_lines,
    rank_lines,
)
from halfwidth.plots.ranking.model_styles import Styles, model_styles, several
from halfwidth.plots.ranking.podiums import frame_of_podium, podium
from halfwidth.plots.ranking.sets import RANK_SETS, SIGNIFICANCE, rank_sets, significance
from halfwidth.plots.ranking.shares import BLOB, HEATMAP, blob, heatmap, paint_blobs, shares_frame
from halfwidth.plots.sheets import Grid
from halfwidth.plots.style import TEXT_SIZE, WIDTHS, Width
from halfwidth.results.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROWS = {
    "rank-sets": RANK_SETS,
    "dots": DOTS,
    "heatmap": HEATMAP,
    "case-heatmap": CASE_HEATMAP,
    "blob": BLOB,
    "significance": SIGNIFICANCE,
}
# What draws each kind of one ranking, or of one task.
OF_ONE_RANKING: dict[str, AnyFigure] = {
    "rank-sets": rank_sets,
    "significance": significance,
    "lines": rank_lines,
    "dots": dots,
    "podium": podium,
    "case-heatmap": case_heatmap,
    "heatmap": heatmap,
    "blob": blob,
}
OF_CASES = ("dots", "case-heatmap", "podium")
# How many panels stand beside each other in a figure.
ACROSS = {"page": 3, "column": 1}
# Inches around the rows of a panel, and for upright names below a map of models.
AROUND, UPRIGHT = 0.5, 1.1


@frozen
class RankingPanel:
    """A title, and what draws the rows below it."""

    title: str
    paint: Callable[[Axes], None]


@frozen
class RankingLayout:
    """What the panels of a page have in common."""

    # Of the rows.
    names: tuple[str, ...]
    # Height of a row, and of what stands below all panels but the note, in inches.
    row: float
    below: float
    note: str
    width: Width
    # Of models that rows do not name.
    legend: Styles = field(default_factory=dict)


def _frame(rankings: Ranking | Sequence[Ranking], kind: str = "rank-sets") -> pd.DataFrame:
    import pandas as pd

    items = several(rankings)
    if one_of("kind", kind, tuple(OF_ONE_RANKING)) == "lines":
        return frame_of_lines(check_lines(items))
    names = list(model_styles(items))
    frame_of = frame_of_podium if kind == "podium" else ROWS[kind].frame
    frames = [pd.DataFrame(frame_of(one, names)).assign(label=one.label) for one in items]
    return pd.concat(frames, ignore_index=True)


@figure("Ranks of models", _frame)
def figures_of_rankings(
    rankings: Ranking | Sequence[Ranking], kind: str = "rank-sets", *, width: Width = "page"
) -> list[Figure]:
    """Figures of all rankings, at most a page each, with one order and one colour of the models.

    Parameters
    ----------
    rankings : Ranking, Rankings or sequence of Ranking
        Those of one metric share a figure, a panel for each task.
    kind : str
        ``"rank-sets"``, ``"significance"``, ``"lines"``, ``"heatmap"``, ``"blob"`` (of several
        tasks a panel for each model), or of rankings by values of cases ``"dots"``,
        ``"podium"`` (a figure for each task) or ``"case-heatmap"``.
    width : {"page", "column"}
        17 cm or 8.5 cm.

    Returns
    -------
    list of matplotlib Figure
        One for each metric, or more where one page cannot hold its panels.

    Raises
    ------
    OptionError
        If the rankings do not have what the figure draws, or matplotlib is missing.

    See Also
    --------
    write_figure : a figure as a file.
    """
    items = several(rankings)
    one_of("kind", kind, tuple(OF_ONE_RANKING))
    one_of("width", width, tuple(WIDTHS))
    styles = model_styles(items)
    if kind == "lines":
        return _line_figures(items, styles, width)
    if kind in OF_CASES:
        # Metrics combined have no values of their own; each metric has its figure.
        items = [one for one in items if len(one.metrics) < 2] or items
    groups = _grouped(items, lambda one: (one.metrics, one.subject))
    return [figure for group in groups for figure in _figures(group, kind, styles, width)]


def _grouped(items: Sequence[Ranking], key: Callable[[Ranking], Hashable]) -> list[list[Ranking]]:
    groups: dict[Hashable, list[Ranking]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.values())


def _line_figures(items: Sequence[Ranking], styles: Styles, width: Width) -> list[Figure]:
    """Lines across schemes, a panel for each task, where there are several; else across tasks."""
    if len({item.scheme for item in items}) == 1:
        tasks = len({item.label for item in items})
        groups = _grouped(items, lambda one: one.metrics) if tasks > 1 else [list(items)]
        return [_lines(group, styles, width) for group in groups]
    figures = []
    for group in _grouped(items, lambda one: one.metrics):
        tasks_of_group = _grouped(group, lambda one: one.label)
        if len(tasks_of_group) == 1:
            figures.append(_lines(group, styles, width))
            continue
        panels = [
            RankingPanel(task[0].label, functools.partial(_paint_lines, check_lines(task), styles))
            for task in tasks_of_group
        ]
        note = "equal ranks are drawn slightly apart"
        row = rows.row_height(len(styles), below=UPRIGHT)
        figures += _pages(
            panels, RankingLayout(tuple(styles), row, UPRIGHT, note, width, legend=styles)
        )
    return figures


def _lines(group: Sequence[Ranking], styles: Styles, width: Width) -> Figure:
    ax = new_lines_axes(len(styles), WIDTHS[width])
    figure: Any = paint_lines(check_lines(group), styles, ax).figure
    return figure  # type: ignore[no-any-return]


def _paint_lines(task: Sequence[Ranking], styles: Styles, ax: Axes) -> None:
    paint_lines(task, styles, ax, with_names=False)
    ax.set_ylabel("rank", fontsize=TEXT_SIZE)


def _figures(group: Sequence[Ranking], kind: str, styles: Styles, width: Width) -> list[Figure]:
    if kind == "podium":
        return [podium(ranking, styles=styles, width=WIDTHS[width]) for ranking in group]
    names, note = tuple(styles), ROWS[kind].note(group[0])
    if kind == "blob" and len(group) > 1:
        names = tuple(ranking.label for ranking in group)
        panels = _blobs_over_tasks(group, styles)
    else:
        alone = len(group) == 1 and width == "page"
        panels = [
            RankingPanel(ranking.label, _painted(ROWS[kind], styles, ranking, with_texts=alone))
            for ranking in group
        ]
    below = UPRIGHT if kind == "significance" else 0.0
    row = rows.row_height(len(names), ROWS[kind].row, below)
    return _pages(panels, RankingLayout(names, row, below, note, width))


def _painted(
    kind: rows.RankingKind, styles: Styles, ranking: Ranking, *, with_texts: bool
) -> Callable[[Axes], None]:
    frame = kind.frame(ranking, list(styles))

    def paint(ax: Axes) -> None:
        rows.paint(kind, ax, frame, ranking, styles)
        if with_texts:
            rows.add_texts(kind, ax, ranking, list(styles))

    return paint


def _blobs_over_tasks(group: Sequence[Ranking], styles: Styles) -> list[RankingPanel]:
    """A panel for each model, with a row for each task."""
    import pandas as pd

    frames = [shares_frame(ranking, list(styles)) for ranking in group]
    for task, frame in enumerate(frames):
        frame["y"] = task
    shares = pd.concat(frames, ignore_index=True)
    labels = [ranking.label for ranking in group]

    def paint(name: str, ax: Axes) -> None:
        part = shares[shares["model"] == name]
        rows.label_rows(ax, labels)
        rows.rank_axis(ax, len(styles), rows.rank_title(group[0]))
        paint_blobs(ax, part, [styles[name].colour] * len(part), rows.row_height(len(labels)))

    return [RankingPanel(name, functools.partial(paint, name)) for name in styles]


def _pages(panels: Sequence[RankingPanel], layout: RankingLayout) -> list[Figure]:
    """Pages, as few as hold the panels, filled evenly."""
    width = WIDTHS[layout.width]
    below = layout.below + height_below(layout.legend, layout.note, width)
    height = len(layout.names) * layout.row + AROUND
    pages = []
    for page, axes, places in Grid(ACROSS[layout.width], height, width, below).sheets(len(panels)):
        grid: Any = axes[0].get_gridspec()
        across = grid.ncols
        for place, ax in enumerate(axes):
            panel = panels[places[place]]
            panel.paint(ax)
            rows.title_of(ax, panel.title)
            if place % across:
                ax.tick_params(labelleft=False)
                ax.set_ylabel("")
            if place + across < len(axes):
                ax.set_xlabel("")
                if layout.below:
                    ax.tick_params(labelbottom=False)
        legend_below(page, layout.legend, layout.note)
        pages.append(page)
    return pages
