"""What all figures share: sizes, colours that every reader can tell apart, and labels."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from halfwidth.core.errors import OptionError, quoted, shown
from halfwidth.core.formatting import percent
from halfwidth.core.spec import Kind
from halfwidth.core.titles import IF_UNSEEN, metric_title
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Finished = TypeVar("Finished")

# A page is 17 cm wide and 24.7 cm high between its margins, as of A4, so that a figure is printed
# at the size it is made; what is higher takes several pages.
WIDTH, PAGE = 17 / 2.54, 24.7 / 2.54
Width = Literal["page", "column"]
WIDTHS: dict[Width, float] = {"page": WIDTH, "column": 8.5 / 2.54}
TEXT_SIZE, NOTE_SIZE = 8.0, 7.0
# Of a title above one panel of several, with its inches.
PANEL_TITLE: dict[str, Any] = {"fontsize": TEXT_SIZE + 1, "fontweight": "bold"}
TITLE = 0.25
# Axes of fewer inches have no room for texts beside them.
NARROW = 4.2
# Letters in a line beside the axes, and lines of a label.
TEXT_WIDTH, MOST_LINES = 38, 4
INK, QUIET, PALE, CLOUD, FAINT = "#000000", "#595959", "#a6a6a6", "#d4d4d4", "#e6e6e6"
# Of the axes of a figure, and of small panels.
TICKS: dict[str, Any] = {"labelsize": TEXT_SIZE, "length": 3, "width": 0.6, "color": QUIET}
SMALL_TICKS = TICKS | {"labelsize": NOTE_SIZE, "length": 2.5, "pad": 2}
# Okabe and Ito's palette, which colour-blind readers tell apart, less black (kept for estimates)
# and yellow (lost on white), with a grey. The order keeps neighbours apart also for colour-blind
# readers and in grey: colour difference 17 and lightness 12 or more between any two.
DOT = "#0072B2"
COLOURS = (DOT, "#009E73", "#E69F00", "#D55E00", "#56B4E9", "#666666", "#CC79A7")
# Their number and that of the colours have no common factor: 56 clusters cluster_style different.
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "*")
SOLID, DASHED, DOTTED, BROKEN = "-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1, 1, 1))


class Style(NamedTuple):
    """The style of a line, distinct from the others also without colour, and its name if any."""

    colour: str
    stroke: Any
    marker: str
    label: str = ""

    @property
    def line(self) -> dict[str, Any]:
        """Arguments of ``Axes.plot``."""
        return {
            "color": self.colour,
            "linestyle": self.stroke,
            "marker": self.marker,
            "linewidth": 1.2,
            "markersize": 3.2,
            "markeredgewidth": 0.5,
        }


def cluster_style(code: int) -> tuple[str, str]:
    """Colour and shape of the cluster with this number; both change from one to the next.

    >>> cluster_style(0), cluster_style(7)
    (('#0072B2', 'o'), ('#0072B2', '*'))
    """
    return COLOURS[code % len(COLOURS)], SHAPES[code % len(SHAPES)]


def require_matplotlib(ax: Any = None) -> None:
    """Say how to install matplotlib where it is missing, and refuse what is no axes of it."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError:
        raise OptionError("plots need matplotlib: pip install 'halfwidth[plots]'") from None
    except ValueError:
        # The MPLBACKEND of a notebook, or a matplotlibrc that is no text.
        _import_without_settings()
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        raise OptionError(f"ax={shown(ax)} is no axes of matplotlib; leave it out for new ones")


def _import_without_settings() -> None:
    """Import Matplotlib as if the user had no settings: files need neither windows nor these."""
    for name in [name for name in sys.modules if name.startswith("matplotlib.")]:
        # Parts of the import that failed, which the next one takes for whole.
        del sys.modules[name]
    given = {name: os.environ.pop(name, None) for name in ("MPLBACKEND", "MATPLOTLIBRC")}
    os.environ["MATPLOTLIBRC"] = os.devnull
    try:
        import matplotlib as mpl  # noqa: F401
    except ValueError as error:
        raise OptionError(
            f"matplotlib cannot read its settings: {error}; mend or remove the matplotlibrc"
        ) from None
    finally:
        del os.environ["MATPLOTLIBRC"]
        os.environ |= {name: text for name, text in given.items() if text is not None}


def new_axes(width: float, height: float) -> Axes:
    """The axes of a new figure of so many inches."""
    from halfwidth.plots.canvas import new_figure

    return new_figure(width, height).add_subplot()


def plain(
    ax: Any,
    grid: Literal["both", "x", "y"] = "both",
    *,
    spines: Sequence[str] = ("left", "bottom"),
) -> None:
    """A faint grid below all else, and no more spines than these."""
    ax.grid(axis=grid, color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[:].set_visible(False)
    ax.spines[list(spines)].set(visible=True, linewidth=0.6, color=QUIET)


def axes_size(ax: Any) -> tuple[float, float]:
    """Width and height of axes in inches, as they are before labels take their room."""
    box = ax.get_position(original=True)
    width, height = ax.figure.figure.get_size_inches()
    return box.width * float(width), box.height * float(height)


def axes_width(ax: Any) -> float:
    """Inches of axes, as they are before labels take their room."""
    return axes_size(ax)[0]


# --------------------------------------------------------------------------- words


def printable(text: str) -> str:
    """Without line breaks and control codes, which no font can draw."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def shorter(text: str, most: int) -> str:
    """Cut in the middle, to so many letters: names often differ at their ends.

    >>> shorter("hospital of the north", 12)
    'hospit…north'
    """
    clean = printable(text)
    end = (most - 1) // 2
    return clean if len(clean) <= most else f"{clean[: most - 1 - end]}…{clean[-end:]}"


class _NameWrapper(textwrap.TextWrapper):
    """Lines that end at a space, a hyphen or an underscore."""

    wordsep_re = re.compile(r"(\s+|(?<=[-_])(?=\w))")


def break_label(text: str, width: int) -> str:
    r"""Broken into lines; of more than four, the first ones and the last.

    >>> break_label("segmentation of the left kidney", 16)
    'segmentation of\nthe left kidney'
    """
    clean = printable(text)
    if len(clean) <= width:
        return clean
    lines = _NameWrapper(width).wrap(clean)
    return "\n".join(
        lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"… {lines[-1]}"]
    )


def wrapped(text: str, width: int) -> str:
    r"""Lines of so many letters at most; a number keeps its ``%``.

    >>> wrapped("nominal: 95 %", 11)
    'nominal:\n95 %'
    """
    held = text.replace(" %", "\N{NO-BREAK SPACE}%")
    return "\n".join(textwrap.wrap(held, width)).replace("\N{NO-BREAK SPACE}", " ")


def listed(
    value: Any, kind: type[Finished] | tuple[type[Finished], ...], noun: str
) -> Sequence[Finished]:
    """One finished result is as welcome as a sequence of them."""
    if isinstance(value, kind):
        return [value]
    if not isinstance(value, Sequence) or not all(isinstance(one, kind) for one in value):
        types = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        raise OptionError(
            f"{noun}={shown(value)} is neither of type {types} nor a sequence of that type"
        )
    return value


def several(estimates: Estimate | Sequence[Estimate]) -> Sequence[Estimate]:
    """One estimate is as welcome as a sequence of them."""
    return listed(estimates, Estimate, "estimates")


def check_one_metric(estimates: Iterable[Estimate]) -> None:
    """One axis has one metric and one unit."""
    # Values of which nobody says what they are may be 0 and 1 in one column only.
    metrics = {
        (
            e.metric if e.metric_spec.spec.display else "",
            e.metric_spec.unit,
        ): f"{e.metric_spec.spec.called} [{e.metric_spec.unit or 'no unit'}]"
        for e in estimates
    }
    if len(metrics) > 1:
        raise OptionError(
            f"one axis cannot hold several metrics: {quoted(metrics.values())}; "
            "draw one figure per metric, or a panel for each: figures_of_forest, figures_of_panels"
        )


def axis_title(estimates: Sequence[Estimate]) -> str:
    """What the axis shows: ``HD95 [mm]``."""
    titles = {metric_title(e.metric_spec) for e in estimates}
    metric = estimates[0].metric_spec
    # Parameters that differ are no part of the title.
    title = (titles.pop() if len(titles) == 1 else metric.spec.display) or "value"
    return with_unit(title, metric.unit)


def with_unit(title: str, unit: str | None) -> str:
    """``HD95 [mm]``."""
    return f"{title} [{unit}]" if unit else title


def same_level(estimates: Iterable[Estimate]) -> bool:
    """Whether all intervals are of one kind, so that it can be said once."""
    return len({e.level for e in estimates}) == 1


def interval_label(estimates: Sequence[Estimate]) -> str:
    """What the intervals are: ``95 % CI``."""
    return _level_label(estimates[0]) if same_level(estimates) else "confidence interval"


def pale_note(estimates: Sequence[Estimate]) -> str:
    """What pale bars are; empty where there are none."""
    if not any(e.unseen_failures_matter for e in estimates):
        return ""
    return f"pale bar: {interval_label(estimates)} {IF_UNSEEN}"


def _level_label(e: Estimate) -> str:
    kind = {"two-sided": "CI", "lower": "lower bound", "upper": "upper bound"}[e.alternative]
    return f"{percent(e.confidence_level)} {kind}"


def row_text(e: Estimate, *, with_level: bool) -> str:
    """The text beside an estimate; two lines where one would be long."""
    numbers = numbers_text(e, with_level=with_level)
    text = f"{statistic_label(e)} {numbers}"
    return text if len(text) <= TEXT_WIDTH else f"{statistic_label(e)}\n{numbers}"


def statistic_label(e: Estimate) -> str:
    """The statistic, and of what it is taken where cases come in clusters."""
    proportion = e.metric_spec.spec.kind is Kind.BINARY and e.statistic == "mean"
    title = "proportion" if proportion else e.statistic_title
    return title if e.n_groups is None else f"{title} over {e.over}"


def numbers_text(e: Estimate, *, with_level: bool = False) -> str:
    """Estimate and interval: ``0.897 (0.892 to 0.902)``, ``0.897 (≥ 0.892)``."""
    value, low, high = (
        e.text_of(number).replace("-", "\N{MINUS SIGN}") for number in (e.value, e.low, e.high)
    )
    if e.low != e.low or e.high != e.high:
        return f"{value} (no interval)"
    interval = {"two-sided": f"{low} to {high}", "lower": f"≥ {low}", "upper": f"≤ {high}"}
    level = f"{_level_label(e)} " if with_level else ""
    return f"{value} ({level}{interval[e.alternative]})"
