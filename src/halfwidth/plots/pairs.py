"""Two models case by case: lines from one to the other, and Bland-Altman plots."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.comparison.agreement import Agreement, Limit, agreement_of
from halfwidth.core.comparison import ComparedCases, Comparisons, Difference
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.estimate import metric_title
from halfwidth.core.formatting import decimals_for, fixed, percent
from halfwidth.plots.comparison import NEUTRAL, SIGNS, difference_text, level_text
from halfwidth.plots.marks import beside, note_below
from halfwidth.plots.style import (
    COLOURS,
    DOT,
    FAINT,
    INK,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    break_label,
    require_matplotlib,
    shorter,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("cases", "bland-altman")
NAME_WIDTH = 14
# Panels beside each other, and the height of one in inches.
ACROSS = {"cases": 3, "bland-altman": 2}
HEIGHT = {"cases": 2.75, "bland-altman": 2.6}
MOST_PANELS = 24
RISES, FALLS = DOT, COLOURS[2]
# From so many cases on, vector graphics hold a picture of them.
RASTER_FROM = 3000


# --------------------------------------------------------------------------- frames


def paired_cases_frame(comparisons: Comparisons) -> pd.DataFrame:
    """Every case that `paired_cases` draws.

    Parameters
    ----------
    comparisons
        As for `paired_cases`.

    Returns
    -------
    DataFrame
        Columns ``second, first`` (the values, as the line runs) and ``better``: 1 where the first
        model does better on the case, -1 where the second does, 0 where they do equally well; of
        metrics without a better side, which is larger.

    Raises
    ------
    OptionError
        As for `paired_cases`.
    """
    import pandas as pd

    item, cases = _only_pair(comparisons, "paired_cases")
    values = cases.values  # noqa: PD011
    first, second = values[item.first], values[item.second]
    better = np.sign(first - second).astype(int) * (item.sign or 1)
    return pd.DataFrame({"second": second, "first": first, "better": better})


def bland_altman_frame(comparisons: Comparisons | Agreement) -> pd.DataFrame:
    """Every number that `bland_altman` draws.

    Parameters
    ----------
    comparisons
        As for `bland_altman`.

    Returns
    -------
    DataFrame
        Columns ``kind, x, y, low, high, group``: a row ``case`` for each of them, and the rows
        ``bias``, ``lower`` and ``upper`` with their bounds.

    Raises
    ------
    OptionError
        As for `bland_altman`.
    """
    import pandas as pd

    agreement = _agreement(comparisons)
    groups = agreement.groups or ("",) * agreement.n
    rows: list[dict[str, Any]] = [
        {"kind": "case", "x": x, "y": y, "low": math.nan, "high": math.nan, "group": str(group)}
        for x, y, group in zip(agreement.means, agreement.differences, groups, strict=True)
    ]
    for kind in ("bias", "lower", "upper"):
        limit = getattr(agreement, kind)
        rows.append(
            {"kind": kind, "x": math.nan, "y": limit.value, "low": limit.low, "high": limit.high}
            | {"group": ""}
        )
    return pd.DataFrame(rows)


# --------------------------------------------------------------------------- cases as lines


def paired_cases(comparisons: Comparisons, ax: Axes | None = None) -> Axes:
    """Draw each case of two models as a line from the second to the first.

    Blue lines are cases on which the first model does better, orange ones those on which the second
    does; the thick black line joins their means (or what else was compared). Above stands the
    difference with its interval.

    Parameters
    ----------
    comparisons : Comparisons
        Of one pair, made with ``keep_cases=True``; of several take one: ``comparisons[2:3]``.
    ax : matplotlib Axes, optional
        Default: the axes of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there is not one pair, if its cases were not kept or are not paired, or if matplotlib is
        missing.

    See Also
    --------
    paired_cases_frame : the plotted numbers.
    figure_of_pairs : a panel for each pair.
    """
    require_matplotlib(ax)
    from matplotlib.collections import LineCollection

    item, cases = _only_pair(comparisons, "paired_cases")
    frame = paired_cases_frame(comparisons)
    ax = ax or _new_axes("cases")
    n = len(frame)
    ends = frame[["second", "first"]].to_numpy(float)
    lines = np.stack([np.broadcast_to([0.0, 1.0], ends.shape), ends], axis=-1)
    colours = frame["better"].map({1: RISES, -1: FALLS, 0: QUIET}).tolist()
    # Many lines are drawn thin and faint, so that the bulk shows.
    alpha = min(0.85, max(0.12, 3.2 * n**-0.5))
    style: dict[str, Any] = {"linewidths": 0.9 if n < 200 else 0.6, "alpha": alpha, "zorder": 2}
    as_picture = n >= RASTER_FROM
    ax.add_collection(LineCollection(lines, colors=colours, rasterized=as_picture, **style))
    for x, side in ((0, "second"), (1, "first")):
        ax.plot(
            np.full(n, x), frame[side], ".", color=QUIET, markersize=2.5, alpha=alpha, zorder=2.5
        )
    values = (item.second_value, item.first_value)
    ax.plot([0, 1], values, color="white", linewidth=4.0, zorder=3)
    ax.plot([0, 1], values, color=INK, linewidth=2.0, marker="o", markersize=4.5, zorder=4)
    _finish_lines(ax, item, cases, ends)
    _count_lines(ax, item, frame)
    return ax


def _finish_lines(ax: Axes, item: Difference, cases: ComparedCases, ends: Any) -> None:
    """Two uprights, the names of the models with their values below, the difference above."""
    ax.set_xlim(-0.12, 1.12)
    low, high = float(ends.min()), float(ends.max())
    around = 0.04 * (high - low) or 0.5
    ax.set_ylim(low - around, high + around)
    names = [
        f"{break_label(name, NAME_WIDTH)}\n{fixed(value, item.estimate.decimals)}"
        for name, value in ((item.second, item.second_value), (item.first, item.first_value))
    ]
    ax.set_xticks([0, 1], names, parse_math=False, fontsize=TEXT_SIZE)
    ax.tick_params(axis="x", length=0)
    ax.tick_params(axis="y", labelsize=TEXT_SIZE, length=3, width=0.6, color=QUIET)
    ax.set_ylabel(_with_unit(cases), fontsize=TEXT_SIZE, parse_math=False)
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.spines["left"].set(linewidth=0.6, color=QUIET)
    _title(ax, level_text(item.by), f"{item.effect} {difference_text(item.estimate)}")


def _count_lines(ax: Axes, item: Difference, frame: pd.DataFrame) -> None:
    """On how many cases each does better, below its name and in the colour of its lines."""
    counts = frame["better"].value_counts()
    word = "better" if item.sign else "larger"
    sides = ((-1, FALLS), (1, RISES))
    for name, (side, colour) in zip(ax.get_xticklabels(), sides, strict=True):
        ax.annotate(
            f"{word} in {int(counts.get(side, 0))}",
            (0.5, 0.0),
            xycoords=name,
            xytext=(0, -6),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=NOTE_SIZE,
            color=QUIET,
            annotation_clip=False,
            bbox={"boxstyle": "round,pad=0.25", "edgecolor": colour, "facecolor": "none"},
        )


# --------------------------------------------------------------------------- Bland-Altman


def bland_altman(comparisons: Comparisons | Agreement, ax: Axes | None = None) -> Axes:
    """Draw the difference of the two values of each case against their mean.

    The black line is the bias, the dashed ones are the limits of agreement, each with its interval
    in grey; the thin line is no difference.

    Parameters
    ----------
    comparisons : Comparisons or Agreement
        Comparisons of one pair, made with ``keep_cases=True``, or what `limits_of_agreement` gives.
        Of ratios, the ratio of each case on a logarithmic axis against their geometric mean.
    ax : matplotlib Axes, optional
        Numbers stand right of them, so give their figure ``layout="constrained"``. Default: the
        axes of a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError, DataError
        As for `paired_cases`, and as for `limits_of_agreement`.

    See Also
    --------
    bland_altman_frame : the plotted numbers.
    """
    require_matplotlib(ax)
    agreement = _agreement(comparisons)
    ax = ax or _new_axes("bland-altman")
    n = agreement.n
    if agreement.effect == "ratio":
        from matplotlib.ticker import MaxNLocator, NullLocator, StrMethodFormatter

        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(MaxNLocator(6))
        ax.yaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    crowd = max(n / 50, 1.0) ** -0.25
    size: dict[str, Any] = {"s": (4.6 * crowd) ** 2, "alpha": max(0.75 * crowd, 0.15)}
    shape: dict[str, Any] = {"linewidths": 0, "zorder": 3, "rasterized": n >= RASTER_FROM}
    ax.scatter(agreement.means, agreement.differences, color=DOT, **size, **shape)
    ax.axhline(NEUTRAL[agreement.effect], color=QUIET, linewidth=0.6, zorder=1.5)
    _draw_limits(ax, agreement)
    _finish_agreement(ax, agreement)
    return ax


def _draw_limits(ax: Axes, agreement: Agreement) -> None:
    """The three lines with their intervals; their numbers beside them, kept apart."""
    share, dashed = percent(agreement.share), (0, (5, 2))
    rows: tuple[tuple[Limit, str, Any], ...] = (
        (agreement.lower, f"lower limit, {share}", dashed),
        (agreement.bias, {"difference": "mean", "ratio": "geometric mean"}[agreement.effect], "-"),
        (agreement.upper, f"upper limit, {share}", dashed),
    )
    for limit, _, stroke in rows:
        ax.axhline(limit.value, color=INK, linewidth=1.1, linestyle=stroke, zorder=4)
        if math.isfinite(limit.low):
            ax.axhspan(limit.low, limit.high, color=QUIET, alpha=0.16, linewidth=0, zorder=1)
    # All is drawn, so that the heights on the axis are known.
    heights = [
        float(ax.transLimits.transform(ax.transScale.transform((1, row.value)))[1])
        for row, *_ in rows
    ]
    for (limit, words, _), shift in zip(rows, _shifts(ax, heights), strict=True):
        text = f"{words}\n{_limit_text(limit)}"
        beside(ax, text, limit.value, points=5, above=shift, fontsize=NOTE_SIZE)


def _shifts(ax: Axes, heights: list[float]) -> list[float]:
    """Points by which texts at these heights of the axes move away from the middle one."""
    inches = ax.get_position(original=True).height * ax.figure.figure.get_size_inches()[1]
    # Titles take about a fourth of the room.
    points = 0.75 * 72 * inches
    needed = 2.5 * NOTE_SIZE
    below, above = ((heights[k + 1] - heights[k]) * points for k in (0, 1))
    return [min(below - needed, 0.0), 0.0, max(needed - above, 0.0)]


def _limit_text(limit: Limit) -> str:
    reach = (limit.high - limit.low) / 2
    places = decimals_for(limit.value, reach if math.isfinite(reach) else math.nan)
    value, low, high = (fixed(number, places).replace("-", "\N{MINUS SIGN}") for number in limit)
    return f"{value} ({low} to {high})" if math.isfinite(reach) else value


def _finish_agreement(ax: Axes, agreement: Agreement) -> None:
    title = metric_title(agreement.metric_spec) or "value"
    unit = agreement.metric_spec.unit
    mean = {"difference": "mean", "ratio": "geometric mean"}[agreement.effect]
    x_title = f"{mean} of both, {title}" + (f" [{unit}]" if unit else "")
    sign = SIGNS[agreement.effect]
    y_unit = f" [{unit}]" if unit and agreement.effect == "difference" else ""
    parts = [shorter(agreement.first, 24), f"{sign} {shorter(agreement.second, 24)}{y_unit}"]
    ax.set_xlabel(break_label(x_title, 44), fontsize=TEXT_SIZE, parse_math=False)
    in_lines = "\n" if sum(map(len, parts)) > 26 else " "
    ax.set_ylabel(in_lines.join(parts), fontsize=TEXT_SIZE, parse_math=False)
    ax.tick_params(which="both", labelsize=TEXT_SIZE, length=3, width=0.6, color=QUIET)
    ax.grid(color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(linewidth=0.6, color=QUIET)
    clusters = "" if agreement.n_groups is None else f" in {agreement.n_groups} clusters"
    _title(ax, level_text(agreement.by), f"n = {agreement.n}{clusters}")


# --------------------------------------------------------------------------- panels


def figure_of_pairs(comparisons: Comparisons, kind: str = "cases") -> Figure:
    """A panel for each pair: its cases as lines, or its Bland-Altman plot; 17 cm wide.

    Parameters
    ----------
    comparisons : Comparisons
        Made with ``keep_cases=True``.
    kind : {"cases", "bland-altman"}

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    OptionError
        If cases were not kept, or there are more than 24 comparisons.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    if kind not in KINDS:
        raise OptionError(f"kind={shown(kind)} is neither {' nor '.join(map(repr, KINDS))}")
    if not isinstance(comparisons, Comparisons) or not comparisons:
        raise OptionError("figure_of_pairs needs Comparisons with at least one pair")
    count = len(comparisons)
    if count > MOST_PANELS:
        raise OptionError(
            f"{count} comparisons are more than {MOST_PANELS} panels; compare with one baseline, "
            "or draw some: comparisons[:9]"
        )
    across = min(count, ACROSS[kind])
    down = math.ceil(count / across)
    width = WIDTH if count >= ACROSS[kind] else WIDTH * (0.35 + 0.65 * count / ACROSS[kind])
    figure = Figure(figsize=(width, down * HEIGHT[kind] + 0.25), layout="constrained")
    engine: Any = figure.get_layout_engine()
    engine.set(h_pad=0.09, w_pad=0.06)
    grid = figure.subplots(down, across, squeeze=False).ravel()
    for place, ax in enumerate(grid):
        if place >= count:
            ax.set_axis_off()
            continue
        {"cases": paired_cases, "bland-altman": bland_altman}[kind](
            comparisons[place : place + 1], ax
        )
    if kind == "bland-altman":
        first = comparisons[0].estimate
        note_below(grid[count - 1], f"grey: {percent(first.confidence_level)} CI")
    return figure


def _new_axes(kind: str) -> Axes:
    from matplotlib.figure import Figure

    size = {"cases": (0.5 * WIDTH, 3.4), "bland-altman": (0.75 * WIDTH, 3.0)}[kind]
    return Figure(figsize=size, layout="constrained").add_subplot()


def _title(ax: Axes, bold: str, plain: str) -> None:
    """What the panel is about in bold, and its number on the line below."""
    ax.set_title(plain, loc="left", fontsize=NOTE_SIZE, color=INK, parse_math=False)
    if bold:
        ax.annotate(
            shorter(bold, 34),
            (0.0, 1.0),
            xycoords="axes fraction",
            xytext=(0, 6 + 1.35 * NOTE_SIZE),
            textcoords="offset points",
            fontsize=TEXT_SIZE,
            fontweight="bold",
            va="bottom",
            annotation_clip=False,
            parse_math=False,
        )


# --------------------------------------------------------------------------- the cases


def _only_pair(comparisons: Any, what: str) -> tuple[Difference, ComparedCases]:
    if not isinstance(comparisons, Comparisons):
        raise OptionError(f"{what} draws Comparisons, not {shown(comparisons)}")
    if len(comparisons) != 1:
        raise OptionError(
            f"{what} draws one pair, and there are {len(comparisons)}; take one, as in "
            "comparisons[0:1], or draw all: figure_of_pairs(comparisons)"
        )
    item = comparisons.items[0]
    if not item.paired:
        raise OptionError(
            f"{what} needs pairs: {item.first} and {item.second} are not on the same cases"
        )
    for cases in comparisons.cases:
        same = metric_title(cases.metric_spec) == metric_title(item.metric_spec)
        if same and _same_levels(cases.by, item.by):
            return item, cases
    raise OptionError(f"{what} needs the cases: compare(..., keep_cases=True)")


def _same_levels(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return {name: str(level) for name, level in one.items()} == {
        name: str(level) for name, level in other.items()
    }


def _agreement(given: Comparisons | Agreement) -> Agreement:
    if isinstance(given, Agreement):
        return given
    item, cases = _only_pair(given, "bland_altman")
    return agreement_of(cases, item.first, item.second, item.effect, item.estimate.level)


def _with_unit(cases: ComparedCases) -> str:
    title, unit = metric_title(cases.metric_spec) or "value", cases.metric_spec.unit
    return f"{title} [{unit}]" if unit else title
