"""What pictures of several pages share: grids of panels, what fits a page, and lines of names."""

from __future__ import annotations

import functools
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from halfwidth.core.frozen import frozen
from halfwidth.plots.style import PAGE, WIDTH, printable, shorter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Item = TypeVar("Item")
POINTS = 72.0
# Inches of a panel beside its axes.
BESIDE = 0.4
# Lines of a label beside a row.
MOST_LINES = 2
# Points of an inch over those of the thinnest letter, for letters of one point.
THINNEST = 260.0


@frozen
class Grid:
    """Panels of one size, in inches: how many stand beside each other, and how high they are."""

    across: int
    height: float
    width: float = WIDTH
    # What stands below all panels of a page.
    below: float = 0.0

    def sheets(self, count: int) -> Iterator[tuple[Figure, list[Axes], range]]:
        """Pages with axes for so many panels, as few as hold them, and which these are."""
        from halfwidth.plots.canvas import new_figure

        across = min(count, self.across)
        if (count, across) == (4, 3):
            across = 2
        most = across * max(1, int((PAGE - self.below) / self.height))
        rows = math.ceil(math.ceil(count / math.ceil(count / most)) / across)
        for start in range(0, count, rows * across):
            places = range(start, min(start + rows * across, count))
            down = math.ceil(len(places) / across)
            page = new_figure(self.width, down * self.height + self.below)
            axes = page.subplots(down, across, squeeze=False).ravel().tolist()
            for ax in axes[len(places) :]:
                ax.set_axis_off()
            yield page, axes[: len(places)], places


def packed(parts: Iterable[list[Item]], fits: Callable[[list[Item]], bool]) -> list[list[Item]]:
    """Parts one after the other on as few pages as it takes; none is torn apart."""
    pages: list[list[Item]] = []
    for part in parts:
        if pages and fits([*pages[-1], *part]):
            pages[-1] += part
        else:
            pages.append([*part])
    return pages


# --------------------------------------------------------------------------- lines that fit


def room_of(ax: Axes) -> float:
    """Inches that words of a panel may be wide: its share of the figure but for the axis."""
    grid = ax.get_subplotspec()
    columns = grid.get_gridspec().ncols if grid else 1
    return float(ax.figure.figure.get_size_inches()[0]) / columns - BESIDE


def in_lines(name: str, width: int) -> str:
    r"""A name in lines that end where it has a space, a hyphen or an underscore.

    >>> in_lines("nnU-Net_ResEncL_dsc", 14)
    'nnU-Net_\nResEncL_dsc'
    """
    lines = [""]
    for part in re.split(r"(?<=[-_ ])", printable(name)):
        if len(lines[-1] + part.rstrip()) > width and lines[-1]:
            lines.append("")
        lines[-1] += part
    return "\n".join(shorter(line.strip(), width) for line in lines)


def short_label(name: str, width: int) -> str:
    r"""A name in two lines, or three if need be, shortened in the middle.

    >>> short_label("Vision_Language_U-Net_CLIP", 15)
    'Vision_Lang…U-\nNet_CLIP'
    """
    text = in_lines(name, width)
    return text if text.count("\n") < MOST_LINES else in_lines(shorter(name, 3 * width // 2), width)


def fitted(text: str, inches: float, size: float, *, bold: bool = False, most: int = 3) -> str:
    """A text in lines of so many inches at most; what takes more lines is cut in the middle.

    >>> print(fitted("nnU-Net ResEnc L, hepatic_vessels", 1.2, 8))
    nnU-Net ResEnc L,
    hepatic_vessels
    """
    clean = printable(text)
    if inches_of(clean, size, bold=bold) <= inches:
        return clean
    widest = int(inches * THINNEST / size)
    for kept in range(min(len(clean), most * widest), 3, -1):
        for letters in range(min(kept, widest), 3, -1):
            lines = in_lines(shorter(clean, kept), letters)
            if all(inches_of(line, size, bold=bold) <= inches for line in lines.split("\n")):
                break
        if lines.count("\n") < most:
            return lines
    return shorter(clean, 4)


@functools.lru_cache(maxsize=4096)
def inches_of(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a line is in letters of so many points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    with warnings.catch_warnings():
        # Whoever draws it tells that the font lacks letters.
        warnings.simplefilter("ignore", UserWarning)
        width: float = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return width / POINTS
