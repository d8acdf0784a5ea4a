"""The cases behind estimates of several metrics, a panel for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from halfwidth.core.errors import OptionError, shown
from halfwidth.core.titles import metric_title
from halfwidth.plots.distribution import axes_height, distribution, draw
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import note_below
from halfwidth.plots.paint import explanation
from halfwidth.plots.rows import Groups
from halfwidth.plots.sheets import packed
from halfwidth.plots.style import PAGE, PANEL_TITLE, TITLE, WIDTH, printable, several
from halfwidth.results.estimate import Estimate, Estimates

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Panel(NamedTuple):
    """What `distribution` draws: all of one metric."""

    samples: Mapping[str, ArrayLike]
    estimates: Sequence[Estimate]
    groups: Groups | None = None


def _checked(panels: Any) -> dict[str, Panel]:
    if not isinstance(panels, Mapping):
        raise OptionError(f"panels={shown(panels)} does not map titles to panels")
    if not panels:
        raise OptionError("a figure needs at least one panel")
    for panel in panels.values():
        if not isinstance(panel, tuple) or len(panel) != 3:
            raise OptionError(f"{shown(panel)} is no panel: (samples, estimates, groups or None)")
    return {title: Panel(some[0], several(some[1]), some[2]) for title, some in panels.items()}


def _frame(panels: Mapping[str, Any]) -> pd.DataFrame:
    import pandas as pd

    parts = [
        distribution.frame(some.samples, some.estimates, groups=some.groups).assign(panel=title)
        for title, some in _checked(panels).items()
    ]
    return pd.concat(parts, ignore_index=True)


@figure(distribution.caption, _frame)
def figures_of_panels(
    panels: Mapping[str, tuple[Mapping[str, ArrayLike], Sequence[Estimate], Groups | None]],
) -> list[Figure]:
    """A panel per metric, each with the axis of its unit, on as many pages as it takes.

    Parameters
    ----------
    panels : mapping of str to (samples, estimates, groups)
        By title; groups may be None. See `Panel`.

    Returns
    -------
    list of matplotlib Figure

    Raises
    ------
    OptionError, DataError
        As for `distribution`, or if there is no panel.

    Notes
    -----
    ``figures_of_panels.frame`` is that of `distribution` with a column ``panel``, the title.
    """
    parts = [
        (title, part) for title, panel in _checked(panels).items() for part in _parts(title, panel)
    ]
    pages = packed(([part] for part in parts), lambda page: sum(_heights(page)) <= PAGE)
    drawn: dict[str, list[Axes]] = {}
    figures = [_page(page, drawn) for page in pages]
    for axes in drawn.values():
        # Rows of one metric have one axis.
        low, high = zip(*(ax.get_xlim() for ax in axes), strict=True)
        for ax in axes:
            ax.set_xlim(min(low), max(high))
    return figures


def _parts(title: str, panel: Panel) -> list[Panel]:
    """The panel, or parts of it of which each fits a page."""
    groups = panel.groups or {}

    def part(labels: list[str]) -> Panel:
        return Panel(
            {label: panel.samples[label] for label in labels},
            [e for e in panel.estimates if e.label in labels],
            {label: groups[label] for label in labels if label in groups} or None,
        )

    def fits(labels: list[str]) -> bool:
        return sum(_heights([(title, part(labels))])) <= PAGE

    whole = list(panel.samples)
    return [part(labels) for labels in packed(([label] for label in whole), fits)]


def _heights(page: Sequence[tuple[str, Panel]]) -> list[float]:
    return [axes_height(*panel) + (TITLE if title else 0) for title, panel in page]


def _page(panels: Sequence[tuple[str, Panel]], drawn: dict[str, list[Axes]]) -> Figure:
    """A figure of panels; its axes are added to those of their titles."""
    from halfwidth.plots.canvas import new_figure

    heights = _heights(panels)
    page = new_figure(WIDTH, sum(heights))
    grid = page.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    frames = []
    for ax, (title, panel) in zip(grid, panels, strict=True):
        frames.append(draw(*panel[:2], ax, panel[2]))
        drawn.setdefault(title, []).append(ax)
        if title:
            ax.set_title(printable(title), loc="left", parse_math=False, **PANEL_TITLE)
    # Said once, below all panels.
    note_below(grid[-1], explanation(frames, [e for _, panel in panels for e in panel.estimates]))
    return page


def _panels(estimates: Estimates) -> dict[str, Panel]:
    if not isinstance(estimates, Estimates):
        raise OptionError(f"estimates={shown(estimates)} is not what estimate returns")
    if not estimates.cases:
        raise OptionError(
            "a figure of values of cases needs estimates of these, as estimate gives them"
        )
    titles = dict.fromkeys(cases.metric for cases in estimates.cases)
    return {title if len(titles) > 1 else "": _panel(estimates, title) for title in titles}


@figure(distribution.caption, lambda estimates: _frame(_panels(estimates)))
def figures_of_table(estimates: Estimates) -> list[Figure]:
    """The distributions behind a table of estimates, a panel per metric, a row per label.

    Parameters
    ----------
    estimates : Estimates
        Of values of cases.

    Returns
    -------
    list of matplotlib Figure
        As many as it takes.

    Raises
    ------
    OptionError
        For estimates of something else.
    """
    return figures_of_panels(_panels(estimates))


def _panel(estimates: Estimates, title: str) -> Panel:
    cases_of_metric = [cases for cases in estimates.cases if cases.metric == title]
    groups = {cases.label: cases.groups for cases in cases_of_metric if cases.groups is not None}
    return Panel(
        {cases.label: cases.values for cases in cases_of_metric},  # noqa: PD011
        [e for e in estimates if metric_title(e.metric_spec) == title],
        groups or None,
    )
