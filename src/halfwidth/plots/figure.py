"""Figures with several panels, and figures as files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import ArrayLike

from halfwidth.core.errors import OptionError, shown
from halfwidth.core.files import write_whole
from halfwidth.core.titles import metric_title
from halfwidth.plots.distribution import axes_height, draw
from halfwidth.plots.marks import note_below
from halfwidth.plots.paint import explanation
from halfwidth.plots.rows import Groups
from halfwidth.plots.style import TEXT_SIZE, WIDTH, printable, require_matplotlib, several
from halfwidth.results.estimate import Estimate, Estimates

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What keeps a file the same from one run to the next: no date, no version.
METADATA: dict[str, dict[str, str | None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
DPI = {".png": 200, ".svg": 300, ".pdf": 300}
TITLE = 0.25  # inches
TITLE_STYLE: dict[str, Any] = {"fontsize": TEXT_SIZE + 1, "fontweight": "bold"}


class Panel(NamedTuple):
    """What `distribution` draws: all of one metric."""

    samples: Mapping[str, ArrayLike]
    estimates: Sequence[Estimate]
    groups: Groups | None = None


def figure_of(
    samples: Mapping[str, ArrayLike],
    estimates: Estimate | Sequence[Estimate],
    groups: Groups | None = None,
) -> Figure:
    """A figure of one metric, 17 cm wide, as high as its rows need.

    Parameters
    ----------
    samples, estimates, groups
        As for `distribution`.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    OptionError, DataError
        As for `distribution`.

    See Also
    --------
    figure_of_panels : for several metrics.
    write_figure : the figure as a file.
    """
    return figure_of_panels({"": Panel(samples, several(estimates), groups)})


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
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    if not isinstance(panels, Mapping):
        raise OptionError(f"panels={shown(panels)} does not map titles to panels")
    if not panels:
        raise OptionError("a figure needs at least one panel")
    panels = {title: _checked(panel) for title, panel in panels.items()}
    heights = [axes_height(*panel) + (TITLE if title else 0) for title, panel in panels.items()]
    figure = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
    frames = []
    for ax, (title, panel) in zip(grid[:, 0], panels.items(), strict=True):
        frames.append(draw(*panel[:2], ax, panel[2]))
        if title:
            ax.set_title(printable(title), loc="left", parse_math=False, **TITLE_STYLE)
    # Said once, below all panels.
    note_below(grid[-1, 0], explanation(frames, [e for panel in panels.values() for e in panel[1]]))
    return figure


def _checked(panel: Any) -> Panel:
    if not isinstance(panel, tuple) or len(panel) != 3:
        raise OptionError(f"{shown(panel)} is no panel: (samples, estimates, groups or None)")
    return Panel(panel[0], several(panel[1]), panel[2])


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
    if not isinstance(estimates, Estimates):
        raise OptionError(f"estimates={shown(estimates)} is not what estimate returns")
    if not estimates.cases:
        raise OptionError(
            "a figure of values of cases needs estimates of these, as estimate gives them"
        )
    titles = dict.fromkeys(cases.metric for cases in estimates.cases)
    return figure_of_panels(
        {title if len(titles) > 1 else "": _panel(estimates, title) for title in titles}
    )


def _panel(estimates: Estimates, title: str) -> Panel:
    cases_of_metric = [cases for cases in estimates.cases if cases.metric == title]
    groups = {cases.label: cases.groups for cases in cases_of_metric if cases.groups is not None}
    return Panel(
        {cases.label: cases.values for cases in cases_of_metric},
        [e for e in estimates if metric_title(e.metric_spec) == title],
        groups or None,
    )


def check_figure_name(path: str | Path) -> str:
    """The suffix of a figure's file, so that a bad name is refused before any work is done.

    Raises
    ------
    OptionError

    Examples
    --------
    >>> check_figure_name("organs.SVG")
    '.svg'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in DPI:
        raise OptionError(
            f"{str(path)!r}: figures are written as {', '.join(DPI)}; end the name in one of them"
        )
    return suffix


def write_figure(figure: Figure | Axes, path: str | Path) -> None:
    """Write a figure so that the same numbers give the same file, byte for byte.

    Text stays text in SVG, and is embedded as TrueType in PDF, so that both can be edited.

    Parameters
    ----------
    figure : matplotlib Figure or Axes
        Of axes, the figure they are in.
    path : str or Path
        Ends in ``.png`` (200 dots per inch), ``.svg`` or ``.pdf``.

    Raises
    ------
    OptionError
        If the name ends in something else, or matplotlib is missing.
    DataError
        If the file cannot be written.
    """
    require_matplotlib()
    import matplotlib as mpl

    file, suffix = Path(path), check_figure_name(path)
    # Axes have a figure, a figure within a figure has its root, and the root has itself.
    root = figure.figure.figure
    unchanging: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "halfwidth",
        "pdf.fonttype": 42,
    }
    # Only a layout engine makes room for the texts beside the axes.
    box = None if root.get_layout_engine() else "tight"
    content = io.BytesIO()
    with mpl.rc_context(unchanging):
        if box is None:
            # The second layout may differ from the first by a rounding error, and no more from
            # then on; a figure that was shown or written before has its first one behind it.
            root.draw_without_rendering()
        root.savefig(
            content,
            format=suffix[1:],
            dpi=DPI[suffix],
            metadata=METADATA[suffix],
            bbox_inches=box,
        )
    write_whole(file, content.getvalue())
