"""Figures as files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import OptionError
from halfwidth.core.files import write_whole
from halfwidth.plots.style import require_matplotlib

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
