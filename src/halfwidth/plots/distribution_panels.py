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
from halfwidth.plots.style import PANEL_TITLE, TITLE, WIDTH, printable, several
from halfwidth.results.estimate import Estimate, Estimates

if TYPE_CHECKING:
    import pandas as pd
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
def figure_of_panels(
    panels: Mapping[str, tuple[Mapping[str, ArrayLike], Sequence[Estimate], Groups | None]],
) -> Figure:
    """One figure with a panel per metric, each with the axis of its unit.

    Parameters
    ----------
    panels : mapping of str to (samples, estimates, groups)
        By title; groups may be None. See `Panel`.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    OptionError, DataError
        As for `distribution`, or if there is no panel.

    Notes
    -----
    ``figure_of_panels.frame`` is that of `distribution` with a column ``panel``, the title.
    """
    from matplotlib.figure import Figure

    panels = _checked(panels)
    heights = [axes_height(*panel) + (TITLE if title else 0) for title, panel in panels.items()]
    page = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
    grid = page.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
    frames = []
    for ax, (title, panel) in zip(grid[:, 0], panels.items(), strict=True):
        frames.append(draw(*panel[:2], ax, panel[2]))
        if title:
            ax.set_title(printable(title), loc="left", parse_math=False, **PANEL_TITLE)
    # Said once, below all panels.
    note_below(grid[-1, 0], explanation(frames, [e for panel in panels.values() for e in panel[1]]))
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
def figure_of_table(estimates: Estimates) -> Figure:
    """The distributions behind a table of estimates, a panel per metric, a row per label.

    Parameters
    ----------
    estimates : Estimates
        Of values of cases.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    OptionError
        For estimates of something else.
    """
    return figure_of_panels(_panels(estimates))


def _panel(estimates: Estimates, title: str) -> Panel:
    cases_of_metric = [cases for cases in estimates.cases if cases.metric == title]
    groups = {cases.label: cases.groups for cases in cases_of_metric if cases.groups is not None}
    return Panel(
        {cases.label: cases.values for cases in cases_of_metric},  # noqa: PD011
        [e for e in estimates if metric_title(e.metric_spec) == title],
        groups or None,
    )
