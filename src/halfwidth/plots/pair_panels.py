"""What the figures of two models case by case share: their cases, axes and titles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import OptionError, shown
from halfwidth.core.titles import metric_title
from halfwidth.plots.comparison_words import family_of, level_text
from halfwidth.plots.sheets import fitted, room_of
from halfwidth.plots.style import INK, NOTE_SIZE, TEXT_SIZE
from halfwidth.results.comparison import ComparedCases, Comparisons, Difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From so many cases on, vector graphics hold a picture of them.
RASTER_FROM = 3000


def panel_title(ax: Axes, bold: str, plain: str) -> None:
    """What the panel is about in bold, and its numbers on the lines below."""
    ax.set_title(plain, loc="left", fontsize=NOTE_SIZE, color=INK, parse_math=False)
    if bold:
        ax.annotate(
            fitted(bold, room_of(ax), TEXT_SIZE, bold=True, most=2),
            (0.0, 1.0),
            xycoords="axes fraction",
            xytext=(0, 6 + 1.35 * NOTE_SIZE * (1 + plain.count("\n"))),
            textcoords="offset points",
            fontsize=TEXT_SIZE,
            fontweight="bold",
            va="bottom",
            annotation_clip=False,
            parse_math=False,
        )


def only_pair(comparisons: Any, what: str) -> tuple[Difference, ComparedCases]:
    """The only pair of finished comparisons and its cases, or an `OptionError`."""
    if not isinstance(comparisons, Comparisons):
        raise OptionError(f"{what} draws Comparisons, not {shown(comparisons)}")
    if len(comparisons) != 1:
        raise OptionError(
            f"{what} draws one pair, and there are {len(comparisons)}; take one, as in "
            "comparisons[0:1], or draw all: figures_of_pairs(comparisons)"
        )
    item = comparisons.items[0]
    if not item.paired:
        raise OptionError(
            f"{what} needs pairs: {item.first} and {item.second} are not on the same cases"
        )
    for cases in comparisons.cases:
        same = metric_title(cases.metric_spec) == metric_title(item.metric_spec)
        if same and level_text(cases.label, cases.by) == family_of(item):
            return item, cases
    raise OptionError(f"{what} draws values of cases, and a metric of a whole test set has none")
