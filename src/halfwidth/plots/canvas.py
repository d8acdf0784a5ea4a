"""What pictures are drawn on: figures of Matplotlib that need no window and that a notebook shows.

This module imports Matplotlib, so it is imported where something is drawn.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

# Dots per inch in a notebook.
IN_NOTEBOOKS = 110
# What a matplotlibrc may not change: there may be no LaTeX, and a format is asked for each time.
HELD: dict[Any, Any] = {
    "text.usetex": False,
    "axes.formatter.use_mathtext": False,
    "savefig.format": "png",
    "savefig.bbox": None,
}


class Canvas(Figure):
    """A figure that a notebook shows as it is, without a magic command."""

    def _repr_png_(self) -> bytes:
        return encoded_quietly(self, dpi=IN_NOTEBOOKS, bbox_inches="tight")


def new_figure(width: float, height: float, layout: Any = "constrained") -> Canvas:
    """A new figure of so many inches."""
    figure = Canvas(figsize=(width, height), layout=layout)
    # Measures each text once for one size of the page.
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def settings(**further: Any) -> Iterator[None]:
    """Settings of Matplotlib under which pictures are drawn and written."""
    given: dict[Any, Any] = further
    with mpl.rc_context(HELD | given):
        yield


def encoded(figure: Figure, form: str, **options: Any) -> bytes:
    """A figure as a file, the same each time: text stays text in SVG, and TrueType in PDF."""
    content = io.BytesIO()
    fonts = {"svg.fonttype": "none", "svg.hashsalt": "halfwidth", "pdf.fonttype": 42}
    with settings(**fonts):
        engine = figure.get_layout_engine()
        if engine:
            # The second layout may differ from the first by a rounding error, and no more from
            # then on; a figure that was shown or written before has its first one behind it.
            engine.execute(figure)
        own = figure.dpi
        if form == "png":
            # Else `savefig` draws it once more, unseen, to lay it out for so many dots.
            figure.dpi = options["dpi"]
            if engine:
                engine.execute(figure)
            figure.set_layout_engine(None)
            if options.get("bbox_inches") == "tight":
                pad = options.pop("pad_inches", mpl.rcParams["savefig.pad_inches"])
                options["bbox_inches"] = figure.get_tightbbox().padded(pad)
        figure.savefig(content, format=form, metadata=METADATA[form], **options)
        if form == "png":
            figure.set_layout_engine(engine)
            figure.dpi = own
    return content.getvalue()


def encoded_quietly(figure: Figure, **options: Any) -> bytes:
    """A PNG beside which names stand in full: letters that the font lacks are boxes in it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        return encoded(figure, "png", **options)


# What keeps a file the same from one run to the next: no date, no version.
METADATA: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
