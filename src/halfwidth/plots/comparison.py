"""Differences between models one below the other, each with its interval, test and verdict."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.core.checks import as_count
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.forms import NO_EFFECT
from halfwidth.plots.comparison_words import (
    SIGNS,
    axis_title,
    directions,
    family_of,
    pair_label,
)
from halfwidth.plots.figure import figure
from halfwidth.plots.forest_pages import LEAST_ROWS, MOST_ROWS
from halfwidth.plots.marks import (
    GUTTER,
    ROW,
    Row,
    TextColumn,
    align_labels,
    axis_limits,
    draw_interval,
    finish_axis,
    note_below,
    row_places,
    shown_ends,
    text_columns,
)
from halfwidth.plots.sheets import packed
from halfwidth.plots.style import (
    CLOUD,
    INK,
    NARROW,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    axes_width,
    break_label,
    check_one_metric,
    interval_label,
    listed,
    new_axes,
    numbers_text,
    pale_note,
    same_level,
    shorter,
)
from halfwidth.results.comparison import Difference
from halfwidth.results.comparison_words import CORRECTIONS, decisive_p, p_text, verdict_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LABEL_WIDTH = 22
AROUND_ROWS = 1.4  # inches
LINE_HEIGHT = 1.3 * NOTE_SIZE  # points
# Letters of a line of a label in narrow axes.
SHORT_LABEL = 17


def _frame(comparisons: Difference | Sequence[Difference]) -> pd.DataFrame:
    return _frame_of(_several(comparisons), narrow=False)


def _frame_of(items: Sequence[Difference], *, narrow: bool) -> pd.DataFrame:
    """The frame, with the places that rows have in axes of this kind."""
    import pandas as pd

    with_level = not same_level([item.estimate for item in items])
    heading, rows, titled = "", [], _rows(items)
    middles = row_places(_labels(titled, narrow=narrow)).middles
    for y, row in zip(middles, titled, strict=True):
        if row.item is None:
            heading = row.label
            continue
        item, both = row.item, row.item.simultaneous
        margin = _margin(item)
        rows.append(
            {
                "y": float(y),
                "heading": heading,
                "text": row.label,
                "first": item.first,
                "second": item.second,
                "x": item.value,
                "low": item.low,
                "high": item.high,
                "low_if_unseen_failures": item.estimate.unseen_ends.low,
                "high_if_unseen_failures": item.estimate.unseen_ends.high,
                "simultaneous_low": both.low if both else math.nan,
                "simultaneous_high": both.high if both else math.nan,
                "margin_low": margin[0],
                "margin_high": margin[1],
                "n": item.estimate.n,
                "numbers": numbers_text(item.estimate, with_level=with_level),
                "p": _p_text(item),
                "verdict": verdict_text(item),
                "cautions": " ".join(dict.fromkeys(caution.code for caution in item.cautions)),
            }
        )
    return pd.DataFrame(rows)


@figure("Differences and their intervals", _frame)
def differences(comparisons: Difference | Sequence[Difference], ax: Axes | None = None) -> Axes:
    """Draw the differences between models as rows, in the order given.

    A thick bar is the interval of a difference by itself, a thin one the interval that holds
    together with those of all other comparisons, and a pale one the interval if cases can fail as
    none of these did, where that is much longer. The line at no difference is solid, and what lies
    within the margin is grey. Words below the axis say whom either side favours. Beside each row
    stand its numbers, p-value, verdict and the first of its cautions; in narrow axes the numbers
    alone.

    Parameters
    ----------
    comparisons : Difference, Comparisons or sequence of Difference
        Finished comparisons of one metric, all differences or all ratios. Levels of ``within``
        become headings.
    ax : matplotlib Axes, optional
        Drawn into; texts stand around them, so give their figure ``layout="constrained"``.
        Default: the axes of a new figure that fits the number of rows, 17 cm wide.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there are no comparisons, if they are of several metrics, if some are differences and
        some are ratios, or if matplotlib is missing.

    See Also
    --------
    figures_of_differences : many rows, on pages.

    Notes
    -----
    ``differences.frame`` gives columns ``y`` (in rows of one line from the top, headings included,
    of a figure 17 cm wide), ``heading, text, first, second, x, low, high, low_if_unseen_failures,
    high_if_unseen_failures, simultaneous_low, simultaneous_high, margin_low, margin_high, n,
    numbers, p, verdict, cautions``; bounds that are not drawn are NaN.
    """
    items = _several(comparisons)
    rows = _rows(items)
    narrow = ax is not None and axes_width(ax) < NARROW
    frame, labels = _frame_of(items, narrow=narrow), _labels(rows, narrow=narrow)
    places = row_places(labels)
    ax = ax or new_axes(WIDTH, AROUND_ROWS + ROW * places.taken)
    neutral = NO_EFFECT[items[0].effect]
    _prepare_axis(ax, items, frame, neutral)
    # The row above the first one has the headings of the columns.
    ax.set_ylim(places.taken - 0.4, -0.6)
    finish_axis(ax, places.middles.tolist(), labels, axis_title(items))
    align_labels(ax, [row.item is None for row in rows])
    _draw_margin(ax, frame)
    ax.axvline(neutral, color=INK, linewidth=0.8, zorder=2)
    for y, row in zip(places.middles, rows, strict=True):
        if row.item is not None:
            draw_simultaneous(ax, row.item, y)
            draw_interval(ax, row.item.estimate, y)
    _label_rows(ax, frame, items)
    _directions(ax, items)
    note_below(ax, _explanation(items, frame, with_p=not narrow))
    return ax


# --------------------------------------------------------------------------- parts


def _prepare_axis(
    ax: Axes, items: Sequence[Difference], frame: pd.DataFrame, neutral: float
) -> None:
    """An axis with all intervals, the line at no difference, and the margin; of ratios log."""
    edges = frame[["simultaneous_low", "simultaneous_high", "margin_low", "margin_high"]].to_numpy(
        float
    )
    numbers = [number for item in items for number in shown_ends(item.estimate)]
    numbers += [*edges.ravel().tolist(), neutral]
    if items[0].effect == "difference":
        ax.set_xlim(*axis_limits(numbers, [item.estimate.range for item in items]))
        return

    positive = [number for number in numbers if 0 < number < math.inf]
    around = (max(positive) / min(positive)) ** 0.04 * 1.002
    ax.set_xscale("log")
    ax.set_xlim(min(positive) / around, max(positive) * around)


def _draw_margin(ax: Axes, frame: pd.DataFrame) -> None:
    """Grey between the margins, their ends dashed; rows of another margin have their own."""
    known = frame[frame["margin_low"].notna()]
    for _, part in known.groupby(["margin_low", "margin_high"]):
        low, high = (float(part[edge].iloc[0]) for edge in ("margin_low", "margin_high"))
        tops = (part["y"] - 0.5, part["y"] + 0.5)
        whole = len(part) == len(frame)
        ends = ax.get_ylim() if whole else (float(tops[1].max()), float(tops[0].min()))
        ax.fill_betweenx(ends, low, high, color=CLOUD, alpha=0.6, linewidth=0, zorder=0.5)
        style: dict[str, Any] = {"colors": QUIET, "linewidth": 0.7, "linestyles": (0, (4, 2))}
        ax.vlines([low, high], *ends, zorder=1.5, **style)


def draw_simultaneous(ax: Axes, item: Difference, y: float) -> None:
    """The thin bar of the simultaneous interval, with ends across it."""
    both = item.simultaneous
    if both is None or math.isnan(both.low) or math.isnan(both.high):
        return
    ax.plot([both.low, both.high], [y, y], color=INK, linewidth=0.7, zorder=3.5)
    ends: dict[str, Any] = {"marker": "|", "markersize": 4, "markeredgewidth": 0.7}
    ax.plot([both.low, both.high], [y, y], color=INK, linestyle="", zorder=3.5, **ends)


def _label_rows(ax: Axes, frame: pd.DataFrame, items: Sequence[Difference]) -> None:
    small: dict[str, Any] = {"fontsize": NOTE_SIZE}
    quiet = small | {"color": QUIET}
    corrections = {item.correction for item in items}
    correction = CORRECTIONS.get(corrections.pop()) if len(corrections) == 1 else None
    heading = f"p ({correction})" if correction else "p"
    interval = interval_label([item.estimate for item in items])
    one_n = len(set(frame["n"])) == 1
    columns = [
        TextColumn(frame["numbers"], f"{items[0].effect} ({interval})", small),
        TextColumn(frame["p"], heading, small),
        TextColumn(frame["verdict"], "verdict", small),
        TextColumn([""] * len(frame) if one_n else frame["n"].map(str), "n", quiet),
        TextColumn(map(_first_caution, frame["cautions"]), "cautions", quiet),
    ]
    if axes_width(ax) < NARROW:
        columns = columns[:1]
    text_columns(ax, frame["y"].tolist(), columns)


def _first_caution(codes: str) -> str:
    """The first code and how many more there are: the axis needs the room.

    >>> _first_caution("HW201 HW202 HW315"), _first_caution("HW201")
    ('HW201 +2', 'HW201')
    """
    first, *others = codes.split(" ")
    return f"{first} +{len(others)}" if others else first


def _directions(ax: Axes, items: Sequence[Difference]) -> None:
    """Whom either side favours, one below the other, since names may be long."""
    left, right = directions(items)
    for line, (x, align, text) in enumerate(
        ((0.0, "left", f"← {left}"), (1.0, "right", f"{right} →"))
    ):
        ax.annotate(
            text,
            (x, 0.0),
            xycoords="axes fraction",
            xytext=(0, -TEXT_SIZE - GUTTER - line * LINE_HEIGHT),
            textcoords="offset points",
            ha=align,
            va="top",
            fontsize=NOTE_SIZE,
            annotation_clip=False,
            parse_math=False,
        )
    # The title stands below the words.
    ax.xaxis.labelpad = 2 * LINE_HEIGHT + 5


def _explanation(items: Sequence[Difference], frame: pd.DataFrame, *, with_p: bool) -> str:
    """What the bars and the grey mean, and what the p-values are."""
    interval = interval_label([item.estimate for item in items])
    clauses = []
    together = {
        (item.simultaneous.title, item.simultaneous.n_comparisons)
        for item in items
        if item.simultaneous
    }
    if together:
        method = ", ".join(dict.fromkeys(title for title, _ in sorted(together)))
        counts = "/".join(dict.fromkeys(str(count) for _, count in sorted(together)))
        clauses.append(f"thick bar: {interval}")
        clauses.append(f"thin bar: simultaneous over {counts} comparisons ({method})")
    clauses += filter(None, [pale_note([item.estimate for item in items])])
    margins = sorted({v.margin for item in items if (v := item.verdict) and v.margin is not None})
    if margins:
        clauses.append(f"grey: within the margin of {', '.join(f'{m:g}' for m in margins)}")
    if with_p:
        several = len(items) > 1 and not any(item.correction for item in items)
        clauses.append(f"p: of the interval{', not adjusted' * several}")
    if len(set(frame["n"])) == 1:
        clauses.append(items[0].estimate.n_text)
    lines = [""]
    for clause in clauses:
        longer = f"{lines[-1]} · {clause}" if lines[-1] else clause
        lines = [*lines, clause] if len(longer) > 88 else [*lines[:-1], longer]
    return "\n".join(lines)


# --------------------------------------------------------------------------- rows


def _several(comparisons: Difference | Sequence[Difference]) -> Sequence[Difference]:
    items = listed(comparisons, Difference, "comparisons")
    if not len(items):
        raise OptionError("differences needs at least one comparison")
    check_one_metric([item.estimate for item in items])
    if len({item.effect for item in items}) > 1:
        raise OptionError("one axis cannot hold differences and ratios; draw a figure of each")
    return items


def _margin(item: Difference) -> tuple[float, float]:
    if item.verdict is None or item.verdict.margin is None:
        return math.nan, math.nan
    neutral = NO_EFFECT[item.effect]
    return neutral - item.verdict.margin, neutral + item.verdict.margin


def _rows(items: Sequence[Difference]) -> list[Row[Difference]]:
    """Headings for levels with several comparisons; a level of one comparison is its label."""
    levels = [family_of(item) for item in items]
    rows: list[Row[Difference]] = []
    if len({(item.first, item.second) for item in items}) == 1 < len(items):
        # One pair of models at several levels: the title of the axis names it.
        return [Row(*both) for both in zip(levels, items, strict=True)]
    if len(set(levels)) == len(items) > 1:
        return [
            Row(f"{level}: {pair_label(item, items)}", item)
            for item, level in zip(items, levels, strict=True)
        ]
    heading = ""
    for item, level in zip(items, levels, strict=True):
        if level != heading:
            rows.append(Row(level))
            heading = level
        pair = pair_label(item, items)
        rows.append(Row(f"  {pair}" if level else pair, item))
    return rows


def rows_taken(items: Sequence[Difference]) -> float:
    """How many rows of one line the differences take, with their headings."""
    return row_places(_labels(_rows(items), narrow=False)).taken


def _labels(rows: Sequence[Row[Difference]], *, narrow: bool) -> list[str]:
    return [_broken(row, narrow=narrow) for row in rows]


def _broken(row: Row[Difference], *, narrow: bool) -> str:
    """A label in lines; of a pair that is long the second model stands in a line of its own."""
    if narrow and row.item is not None:
        names = [shorter(name, SHORT_LABEL) for name in (row.item.first, row.item.second)]
        return f"{names[0]}\n{SIGNS[row.item.effect]} {names[1]}"
    if row.item is None or len(row.label) <= LABEL_WIDTH:
        return break_label(row.label, LABEL_WIDTH)
    indent = row.label[: len(row.label) - len(row.label.lstrip())]
    sign = SIGNS[row.item.effect]
    first, joined, second = row.label.strip().partition(f" {sign} ")
    parts = [first, f"{sign} {second}"] if joined else [first]
    return "\n".join(f"{indent}{shorter(part, LABEL_WIDTH)}" for part in parts)


def _p_text(item: Difference) -> str:
    p_value = decisive_p(item)
    return "" if math.isnan(p_value) else p_text(p_value)


# --------------------------------------------------------------------------- pages


@figure(differences.caption, differences.frame)
def figures_of_differences(
    comparisons: Difference | Sequence[Difference], *, rows: int = MOST_ROWS
) -> list[Figure]:
    """Draw differences between models as rows, on as many pages as it takes.

    All pages have the same axis. A family, such as the pairs of one structure, stays on one page
    where it fits one.

    Parameters
    ----------
    comparisons : Difference, Comparisons or sequence of Difference
        As for `differences`.
    rows : int, default 40
        Of a page at most, from 10; headings count, and further lines of long labels.

    Returns
    -------
    list of matplotlib Figure

    Raises
    ------
    OptionError
        As for `differences`, and for a number of rows that is not allowed.

    See Also
    --------
    differences : into axes at hand.
    """
    items = listed(comparisons, Difference, "comparisons")
    most = as_count(rows)
    if most is None or most < LEAST_ROWS:
        raise OptionError(f"rows={shown(rows)} must be an integer ≥ {LEAST_ROWS}")
    pages = packed(_families(items, most), lambda page: rows_taken(page) <= most) or [[]]
    drawn: list[Any] = [differences(page) for page in pages]
    ends = [ax.get_xlim() for ax in drawn]
    for ax in drawn:
        ax.set_xlim(min(low for low, _ in ends), max(high for _, high in ends))
    return [ax.figure for ax in drawn]


def _families(items: Sequence[Difference], most: int) -> Iterator[list[Difference]]:
    """Differences that stay together: those of a family, or each by itself if they are too many."""
    for _, group in itertools.groupby(items, key=family_of):
        family = list(group)
        if rows_taken(family) <= most:
            yield family
        else:
            yield from ([item] for item in family)
