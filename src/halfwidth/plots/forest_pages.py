"""Forests of several metrics and of many estimates: a panel for each scale, and pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from halfwidth.core.checks import as_count, one_of
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Better, Estimand
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Bounds
from halfwidth.plots.figure import figure
from halfwidth.plots.forest import draw_rows, frame_of, limits_of, places_of, rows_height, rows_of
from halfwidth.plots.marks import note_below
from halfwidth.plots.sheets import packed
from halfwidth.plots.style import (
    PANEL_TITLE,
    TITLE,
    WIDTHS,
    Width,
    pale_note,
    printable,
    several,
)
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Rows of a page of A4, headings of groups among them, and what a panel takes besides, in rows.
MOST_ROWS, PANEL_ROWS = 40, 5
LEAST_ROWS = 2 * PANEL_ROWS
SORTED = "best first"
# What the scale of a panel is: of values of one metric, of their spread, or of several metrics.
Scale = tuple[str, str, Bounds | None, bool]


@frozen
class ForestPage:
    """Estimates on one axis."""

    title: str
    # Panels of one scale have the same axis.
    scale: Scale
    estimates: tuple[Estimate, ...]


def _frame(
    estimates: Estimate | Sequence[Estimate],
    *,
    by: str | None = None,
    sort: bool = False,
    rows: int = MOST_ROWS,
    width: Width = "page",
) -> pd.DataFrame:
    import pandas as pd

    one_of("width", width, tuple(WIDTHS))
    across = WIDTHS[width]
    parts = [
        frame_of(panel.estimates, by, across).assign(page=page, panel=place, title=panel.title)
        for page, panels in enumerate(_pages(estimates, by, across, sort=sort, rows=rows), 1)
        for place, panel in enumerate(panels, 1)
    ]
    frame = pd.concat(parts, ignore_index=True)
    first = ["page", "panel", "title"]
    return frame[[*first, *(name for name in frame if name not in first)]]


@figure("Estimates and their intervals", _frame)
def figures_of_forest(
    estimates: Estimate | Sequence[Estimate],
    *,
    by: str | None = None,
    sort: bool = False,
    rows: int = MOST_ROWS,
    width: Width = "page",
) -> list[Figure]:
    """Draw estimates as rows, a panel for each metric and scale, on as many pages as it takes.

    A spread, such as an SD, has another scale than a mean of the same metric. Metrics of which
    there is one estimate each share a panel where their units and ranges are the same. Panels of
    one scale have the same axis.

    Parameters
    ----------
    estimates : Estimate, Estimates or sequence of Estimate
        Finished estimates of one or more metrics.
    by : str, optional
        A grouping column of the table, whose levels become headings.
    sort : bool, default False
        Whether rows come best first, within each level of ``by``; of a metric that is neither good
        nor bad, and of spreads, the largest first. Without it they come in the order given.
    rows : int, default 40
        Of a page at most, from 10; headings count, and further lines of long labels.
    width : {"page", "column"}
        17 cm or 8.5 cm, which has no room for numbers of cases and for cautions.

    Returns
    -------
    list of matplotlib Figure

    Raises
    ------
    OptionError
        If there are no estimates, if none was grouped by the column ``by``, for an option that is
        not allowed, or if matplotlib is missing.

    See Also
    --------
    forest : into axes at hand.

    Notes
    -----
    ``figures_of_forest.frame`` gives columns ``page`` and ``panel`` (both from 1 on), ``title``,
    and those of `forest.frame`.
    """
    one_of("width", width, tuple(WIDTHS))
    pages = _pages(estimates, by, WIDTHS[width], sort=sort, rows=rows)
    every = [panel for page in pages for panel in page]
    # Rows that name their metrics need no title to do so.
    named = any(len({e.metric for e in panel.estimates}) > 1 for panel in every)
    titled = not named and len({panel.title for panel in every}) > 1
    figures = [_figure(page, by, WIDTHS[width], pages, titled=titled) for page in pages]
    for drawn, page in zip(figures, pages, strict=True):
        shown = [e for panel in page for e in panel.estimates]
        notes = [SORTED + (f" within each {by}" if by else "")] if sort else []
        notes += filter(None, [pale_note(shown)])
        if notes:
            note_below(drawn.axes[-1], " · ".join(notes))
    return figures


def _figure(
    panels: Sequence[ForestPage],
    by: str | None,
    width: float,
    pages: Sequence[Sequence[ForestPage]],
    *,
    titled: bool,
) -> Figure:
    from halfwidth.plots.canvas import new_figure

    heights = [
        rows_height(rows_of(panel.estimates, by), width) + TITLE * titled for panel in panels
    ]
    figure = new_figure(width, sum(heights))
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
    for ax, panel in zip(grid[:, 0], panels, strict=True):
        alike = [e for page in pages for p in page if p.scale == panel.scale for e in p.estimates]
        draw_rows(ax, panel.estimates, by, limits_of(alike))
        if titled:
            # Above the headings of the columns, which reach over it.
            style: dict[str, Any] = {"loc": "left", "pad": 14, **PANEL_TITLE}
            ax.set_title(printable(panel.title), parse_math=False, **style)
    # Labels of all panels begin at one place.
    pad = max(ax.yaxis.get_tick_params()["pad"] for ax in grid[:, 0])
    for ax in grid[:, 0]:
        ax.tick_params(axis="y", pad=pad)
    return figure


# --------------------------------------------------------------------------- panels and pages


def _pages(
    given: Estimate | Sequence[Estimate],
    by: str | None,
    width: float,
    *,
    sort: bool,
    rows: int,
) -> list[list[ForestPage]]:
    """The panels of each page."""
    estimates = list(several(given))
    most = as_count(rows)
    if most is None or most < LEAST_ROWS:
        raise OptionError(f"rows={shown(rows)} must be an integer ≥ {LEAST_ROWS}")
    rows_of(estimates, by)

    def fits(page: list[ForestPage]) -> bool:
        rows_of_page = sum(_taken(panel.estimates, by, width) for panel in page)
        return rows_of_page + PANEL_ROWS * (len(page) - 1) <= most

    panels = _panels(estimates, by, sort=sort)
    return packed(([part] for panel in panels for part in _parts(panel, by, width, most)), fits)


def _panels(estimates: Sequence[Estimate], by: str | None, *, sort: bool) -> list[ForestPage]:
    """The estimates of each scale, in the order in which scales come."""
    titles = [metric_title(e.metric_spec) for e in estimates]
    single = max(map(titles.count, titles)) == 1
    alike: dict[Scale, list[Estimate]] = {}
    for e in estimates:
        alike.setdefault(_scale(e, together=single), []).append(e)
    return [
        ForestPage(_title(mine), scale, tuple(_ordered(mine, by, sort=sort)))
        for scale, mine in alike.items()
    ]


def _scale(e: Estimate, *, together: bool) -> Scale:
    spec = e.metric_spec
    spread = e.statistic_spec.spec.estimand is Estimand.SPREAD
    if together:
        return "", spec.unit or "", spec.spec.bounds, spread
    return metric_title(spec), spec.unit or "", None, spread


def _title(estimates: Sequence[Estimate]) -> str:
    """The metric, or all of them."""
    titles = list(dict.fromkeys(metric_title(e.metric_spec) for e in estimates))
    spread = estimates[0].statistic_spec.spec.estimand is Estimand.SPREAD
    return ("Spread of " if spread else "") + ", ".join(titles)


def _ordered(estimates: Sequence[Estimate], by: str | None, *, sort: bool) -> list[Estimate]:
    """Together by level, and best first if asked for."""
    levels = list(dict.fromkeys(_level(e, by) for e in estimates))
    return sorted(
        estimates, key=lambda e: (levels.index(_level(e, by)), _badness(e) if sort else 0.0)
    )


def _level(e: Estimate, by: str | None) -> str:
    return "" if by is None else str(e.by.get(by, ""))


def _badness(e: Estimate) -> float:
    """The less the better."""
    if math.isnan(e.value):
        return math.inf
    if e.statistic_spec.spec.estimand is Estimand.SPREAD:
        return -e.value
    better = e.metric_spec.spec.better
    badness = {Better.LOWER: e.value, Better.ZERO: abs(e.value), Better.ONE: abs(e.value - 1)}
    return badness.get(better, -e.value)


def _taken(estimates: Sequence[Estimate], by: str | None, width: float) -> float:
    """How many rows of one line the estimates take."""
    return places_of(rows_of(estimates, by), width).taken


def _parts(panel: ForestPage, by: str | None, width: float, most: int) -> Iterator[ForestPage]:
    """The panel, or parts of it with so many rows at most."""
    alone = ([e] for e in panel.estimates)
    parts = packed(alone, lambda some: _taken(some, by, width) <= most)
    for place, part in enumerate(parts, 1):
        count = f" ({place} of {len(parts)})" if len(parts) > 1 else ""
        yield replace(panel, title=panel.title + count, estimates=tuple(part))
