"""What figures of curves share: axes, a band with its line, and the words beside them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from halfwidth.core.formatting import percent
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array
from halfwidth.plots import style
from halfwidth.plots.marks import note_below
from halfwidth.plots.style import (
    COLOURS,
    NARROW,
    TEXT_SIZE,
    TEXT_WIDTH,
    WIDTH,
    axes_size,
    axes_width,
    break_label,
    numbers_text,
)
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Inches: of a new figure, of a line of the legend, and of the gap between two classes.
HEIGHT, LINE, GAP = 3.6, 0.135, 0.06
# Neighbours differ in their stroke too, for print in grey; dotted are references alone.
STROKES = ("-", (0, (5, 1.5)), (0, (5, 1, 1, 1)))
# Bands of several curves lie upon each other and are drawn fainter; of more they are left out.
SHADE, FAINTEST, MOST_BANDS = 0.25, 0.08, 4
# Letters of the note that fit an inch of axes, and inches that it takes at least.
LETTERS, LEAST_ROOM = 18, 2.6
MARGIN = 0.012
# Inches around all that is drawn, as of the constrained layout.
EDGE = 0.04167
MOST_LAYOUTS, SETTLED = 12, 3
# A space that textwrap does not break.
HELD = "\N{NO-BREAK SPACE}"


def frame_of(curves: Sequence[Any]) -> pd.DataFrame:
    """The numbers of curves: corners of lines, points of bands, and those of their kind."""
    import pandas as pd

    parts = []
    for curve in curves:
        drawn = {
            "line": {"x": curve.line[:, 0], "y": curve.line[:, 1]},
            "band": {"x": curve.x, "low": curve.low, "high": curve.high},
        }
        if hasattr(curve, "extension"):
            named = dict(zip(("x", "y", "low", "high"), curve.points.T, strict=True))
            drawn |= {"point": named, "beyond": dict(zip("xy", curve.extension.T, strict=True))}
        parts += [
            pd.DataFrame(numbers).assign(label=curve.label, kind=curve.kind, drawn=name)
            for name, numbers in drawn.items()
        ]
    columns = ["label", "kind", "drawn", "x", "y", "low", "high"]
    return pd.concat(parts, ignore_index=True).reindex(columns=columns)


def height_of(texts: Iterable[str]) -> float:
    """Inches of the texts of a legend below each other."""
    return sum(GAP + LINE * (1 + text.count("\n")) for text in texts)


def new_axes(texts: Iterable[str], width: float = WIDTH) -> Axes:
    """The axes of a new figure that is as high as the texts of its legend need."""
    words = height_of(texts)
    beside = width >= NARROW
    height = max(HEIGHT, words + 4 * GAP) if beside else width + words + 4 * GAP
    return style.new_axes(width, height)


def fit_width(ax: Axes) -> None:
    """Cut a new figure to the width of its square and its legend, 17 cm at most."""
    figure: Any = ax.figure
    height = figure.get_figheight()
    # With room to spare the height alone says how large the square is.
    figure.set_figwidth(2 * WIDTH)
    figure.get_layout_engine().execute(figure)
    over = figure.get_tightbbox().width + 2 * EDGE - WIDTH
    legend: Any = ax.get_legend()
    words = legend.get_window_extent().height / figure.dpi + 2 * EDGE
    figure.set_size_inches(WIDTH + min(over, 0.0), max(height - max(over, 0.0), words))
    # The layout of a square depends on where it was before: it takes more of them to settle, and
    # higher than wide it settles sooner.
    for layout in range(MOST_LAYOUTS):
        figure.get_layout_engine().execute(figure)
        beyond = figure.get_tightbbox().x1 - figure.get_figwidth()
        if beyond <= 0:
            break
        if layout > SETTLED:
            figure.set_figheight(figure.get_figheight() + beyond)


def share_axis(ax: Axes, which: Literal["x", "y"]) -> None:
    """An axis from 0 to 1."""
    getattr(ax, f"set_{which}lim")(-MARGIN, 1 + MARGIN)
    getattr(ax, f"set_{which}ticks")(np.linspace(0, 1, 6))


def square(ax: Axes) -> None:
    """Both axes from 0 to 1, in the upper left of their room, where names begin."""
    share_axis(ax, "x")
    share_axis(ax, "y")
    ax.set_aspect("equal", anchor="NW" if axes_width(ax) >= NARROW else "C")


def finish(ax: Axes, x_name: str, y_name: str) -> None:
    """Names of the axes, small ticks, a faint grid, two spines."""
    ax.set_xlabel(x_name, fontsize=TEXT_SIZE)
    ax.set_ylabel(y_name, fontsize=TEXT_SIZE)
    ax.tick_params(**style.TICKS)
    style.plain(ax)


def colour_of(place: int) -> str:
    """The colour of a curve."""
    return COLOURS[place % len(COLOURS)]


def paint_curve(
    ax: Axes, band: tuple[Array, Array, Array], line: Array, place: int, **style: Any
) -> None:
    """A band (x, low, high) and the line in it, in the colour and stroke of this place."""
    steps, of = style.pop("steps", {}), style.pop("of", 1)
    colour = colour_of(place)
    if of <= MOST_BANDS:
        shade = max(SHADE / max(of, 1) ** 0.5, FAINTEST)
        ax.fill_between(*band, color=colour, linewidth=0, alpha=shade, zorder=2, **steps)
    ax.plot(
        *line.T,
        color=colour,
        linestyle=STROKES[(place + place // len(COLOURS)) % len(STROKES)],
        linewidth=1.4,
        # A step of a line as thin as a pixel would be blunt.
        solid_joinstyle="miter",
        zorder=3,
        **style,
    )


def curve_text(label: str, area: Estimate | None) -> str:
    """The class and its area, ``liver: AUROC 0.87 (0.83 to 0.90)``, in lines where it is long."""
    name = break_label(label, TEXT_WIDTH)
    if area is None:
        return name
    words = f"{metric_title(area.metric_spec)} {numbers_text(area)}"
    if not name:
        return words
    text = f"{name}: {words}"
    return text if len(text) <= TEXT_WIDTH else f"{name}:\n{words}"


def add_legend(ax: Axes, *, lines: int = 2) -> None:
    """What each line is, beside the axes; above them where they are narrow, or filled by one."""
    is_filled = lines == 1 and ax.get_aspect() == "auto"
    beside = axes_width(ax) >= NARROW and not is_filled
    places: dict[str, Any] = (
        {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0)}
        if beside
        else {"loc": "lower left", "bbox_to_anchor": (0.0, 1.02)}
    )
    legend = ax.legend(
        borderaxespad=0, fontsize=TEXT_SIZE, frameon=False, handlelength=2.2, **places
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def add_note(ax: Axes, clauses: Sequence[str]) -> None:
    """What the shapes mean, below; lines break between clauses only."""
    held = f"{HELD}· ".join(words.replace(" ", HELD) for words in clauses)
    # A legend may stand beside the note, too.
    room = axes_width(ax) if ax.get_aspect() == "auto" else min(axes_size(ax))
    letters = int(LETTERS * max(room, LEAST_ROOM))
    lines = textwrap.wrap(held, letters, break_long_words=False, break_on_hyphens=False)
    note_below(ax, "\n".join(line.removesuffix(f"{HELD}·") for line in lines).replace(HELD, " "))


def level_text(levels: set[float]) -> str:
    """``95 % CI``, where all have one level."""
    return f"{percent(levels.pop())} CI" if len(levels) == 1 else "confidence intervals"
