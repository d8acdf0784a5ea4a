"""Figures as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from halfwidth.core.errors import OptionError
from halfwidth.core.files import write_whole
from halfwidth.plots.style import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = {".png": 200, ".svg": 300, ".pdf": 300}


def check_figure_name(path: str | Path) -> str:
    """The suffix of a figure's file, so that a bad name is refused before any work is done.

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
    from halfwidth.plots.canvas import encoded

    suffix = check_figure_name(path)
    # Axes have a figure, a figure within a figure has its root, and the root has itself.
    root = figure.figure.figure
    # Only a layout engine makes room for the texts beside the axes.
    box = None if root.get_layout_engine() else "tight"
    content = encoded(root, suffix[1:], dpi=DPI[suffix], bbox_inches=box)
    write_whole(Path(path), content)
