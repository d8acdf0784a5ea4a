"""Coverage and width against n: one graph for each metric and statistic, and pages of them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from halfwidth.plots.figure import figure
from halfwidth.plots.style import WIDTH
from halfwidth.study.plots.lines import HEIGHT, LineLayout, figure_of_lines, line_rows, wrapped
from halfwidth.study.plots.styles import method_groups, method_styles
from halfwidth.study.targets import Target, axis_unit, check_two_sided, only

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Panels of a graph side by side.
COLUMNS = 2
# Inches of a panel of an overview.
CELL_WIDTH, CELL_HEIGHT = 2.25, 1.75


def _graph_frame(cells: pd.DataFrame, target: Target, quantity: str) -> pd.DataFrame:
    import pandas as pd

    cells_of_target = only(cells, target)
    if quantity == "width":
        check_two_sided(cells_of_target)
    groups = method_groups(cells_of_target["method"])
    return pd.concat(
        [
            line_rows(
                cells_of_target[cells_of_target["method"].isin(methods)],
                quantity,
                panel=", ".join(filter(None, (target.title, name))),
                at=at,
                unit=axis_unit(target.metric, quantity),
            )
            for (name, methods), at in wrapped(groups, COLUMNS)
        ],
        ignore_index=True,
    )


@figure("Coverage or width against n, by method", _graph_frame)
def graph(cells: pd.DataFrame, target: Target, quantity: str) -> Figure:
    """Coverage or width of every method against n, at most four methods in a panel.

    A column (8.5 cm) wide with one panel, else a page; panels have the same axes.

    Parameters
    ----------
    cells : DataFrame
        Rows of a study.
    target : Target
    quantity : {"coverage", "width"}

    Returns
    -------
    matplotlib Figure

    Notes
    -----
    ``graph.frame`` gives columns as of `line_rows`, a series for each method.

    References
    ----------
    andre2025, Figures 4, S4 to S8.
    """
    frame = _graph_frame(cells, target, quantity)
    width = WIDTH if frame["column"].any() else WIDTH / 2
    layout = LineLayout(width, 1.15 * HEIGHT, share=True)
    return figure_of_lines(frame, method_styles(frame["series"]), layout)


def _overview_frame(cells: pd.DataFrame, targets: Sequence[Target], quantity: str) -> pd.DataFrame:
    import pandas as pd

    if quantity == "width":
        check_two_sided(cells)
    places = _places(targets)
    return pd.concat(
        [
            line_rows(
                only(cells, target),
                quantity,
                panel=target.title,
                at=places[target],
                unit=axis_unit(target.metric, quantity),
            )
            for target in targets
        ],
        ignore_index=True,
    )


@figure("Coverage or width of all metrics and statistics", _overview_frame)
def overview(cells: pd.DataFrame, targets: Sequence[Target], quantity: str) -> Figure:
    """A page with a row for each statistic (or average) and a column for each metric.

    With many metrics the page is wider than a sheet, and meant for a screen.

    Parameters
    ----------
    cells : DataFrame
    targets : sequence of Target
        Of one level, all of per-case values or all of test sets.
    quantity : {"coverage", "width"}

    Returns
    -------
    matplotlib Figure

    Notes
    -----
    ``overview.frame`` gives columns as of `line_rows`.

    References
    ----------
    andre2025, Figures S4 to S8.
    """
    frame = _overview_frame(cells, targets, quantity)
    width = max(WIDTH, CELL_WIDTH * (int(frame["column"].max()) + 1))
    layout = LineLayout(width, CELL_HEIGHT)
    return figure_of_lines(frame, method_styles(frame["series"]), layout)


def _places(targets: Sequence[Target]) -> dict[Target, tuple[int, int]]:
    """Row and column of each: statistics below each other, or averages, which fill their row."""
    metrics = list(dict.fromkeys(target.metric for target in targets))
    ways = list(dict.fromkeys(target.statistic or target.kind for target in targets))
    filled = dict.fromkeys(ways, 0)
    places = {}
    for target in targets:
        way = target.statistic or target.kind
        column = metrics.index(target.metric) if target.statistic else filled[way]
        filled[way] += 1
        places[target] = (ways.index(way), column)
    return places
