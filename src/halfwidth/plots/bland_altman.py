"""Bland-Altman plots: the difference of two values of a case against their mean."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import OptionError, shown
from halfwidth.core.formatting import percent
from halfwidth.core.forms import NO_EFFECT
from halfwidth.core.spec import Estimand
from halfwidth.core.titles import metric_title
from halfwidth.plots.comparison_words import SIGNS, family_of, level_text
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import beside
from halfwidth.plots.paint import RASTER_FROM
from halfwidth.plots.sheets import fitted, room_of
from halfwidth.plots.style import (
    DOT,
    INK,
    NOTE_SIZE,
    PALE,
    QUIET,
    TEXT_SIZE,
    TICKS,
    WIDTH,
    break_label,
    new_axes,
    numbers_text,
    pale_note,
    plain,
    shorter,
    with_unit,
)
from halfwidth.results.agreement import Agreement, Limit
from halfwidth.results.comparison import ComparedCases, Comparisons, Difference
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


# What rounding makes of equal differences, of the values.
ROUNDING = 1e-12
# Letters of a line above a panel, of which two stand on a page.
NOTE_WIDTH = 44


def _frame(comparisons: Comparisons | Agreement) -> pd.DataFrame:
    import pandas as pd

    agreement, compared = _agreement(comparisons)
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
    if compared is not None and compared.unseen_failures_matter:
        low, high = compared.unseen_ends
        pale = {"kind": "unseen failures", "x": math.nan, "y": compared.value}
        rows.append(pale | {"low": low, "high": high, "group": ""})
    return pd.DataFrame(rows)


@figure("Difference and mean of the two values of each case, with limits of agreement", _frame)
def bland_altman(comparisons: Comparisons | Agreement, ax: Axes | None = None) -> Axes:
    """Draw the difference of the two values of each case against their mean.

    The black line is the bias, the dashed ones are the limits of agreement, each with its interval
    in grey; the thin line is no difference. Of comparisons of the mean the interval of the bias is
    theirs, as in the figure of `differences`; a pale bar at the right shows it if cases can fail as
    none of these did, where that is much longer.

    Parameters
    ----------
    comparisons : Comparisons or Agreement
        Comparisons of one pair by values of cases, or what `limits_of_agreement` gives.
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

    Notes
    -----
    ``bland_altman.frame`` gives columns ``kind, x, y, low, high, group``: a row ``case`` for each
    of them, and the rows ``bias``, ``lower`` and ``upper`` with their bounds; ``unseen failures``
    has the ends of the pale bar, where there is one.
    """
    agreement, compared = _agreement(comparisons)
    ax = ax or new_axes(0.75 * WIDTH, 3.0)
    n = agreement.n
    if agreement.effect == "ratio":
        ax.set_xscale("log")
        ax.set_yscale("log")
    crowd = max(n / 50, 1.0) ** -0.25
    size: dict[str, Any] = {"s": (4.6 * crowd) ** 2, "alpha": max(0.75 * crowd, 0.15)}
    shape: dict[str, Any] = {"linewidths": 0, "zorder": 3, "rasterized": n >= RASTER_FROM}
    ax.scatter(agreement.means, agreement.differences, color=DOT, **size, **shape)
    ax.axhline(NO_EFFECT[agreement.effect], color=QUIET, linewidth=0.6, zorder=1.5)
    _keep_apart(ax, agreement)
    if compared is not None and compared.unseen_failures_matter:
        style: dict[str, Any] = {"color": PALE, "linewidth": 2.0, "clip_on": False, "zorder": 3}
        ax.plot([1, 1], compared.unseen_ends, transform=ax.get_yaxis_transform(), **style)
    _draw_limits(ax, agreement, compared)
    _finish_agreement(ax, agreement, compared)
    return ax


def _keep_apart(ax: Axes, agreement: Agreement) -> None:
    """Differences that are all the same, but for rounding, stand on an axis of the values."""
    ends = (agreement.lower.value, agreement.upper.value)
    size = max(map(abs, agreement.means), default=0.0)
    if agreement.effect == "difference" and max(ends) - min(ends) <= ROUNDING * size:
        ax.set_ylim(agreement.bias.value - 0.1 * size, agreement.bias.value + 0.1 * size)


def _draw_limits(ax: Axes, agreement: Agreement, compared: Estimate | None) -> None:
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
        own = compared if limit is agreement.bias else None
        numbers = numbers_text(own) if own else _limit_text(limit)
        text = f"{words}\n{numbers}"
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
    text = f"{limit.value_text} ({limit.ends_text})" if limit.ends_text else limit.value_text
    return text.replace("-", "\N{MINUS SIGN}")


def _finish_agreement(ax: Axes, agreement: Agreement, compared: Estimate | None) -> None:
    from halfwidth.plots.ticks import plain_numbers

    title = metric_title(agreement.metric_spec) or "value"
    unit = agreement.metric_spec.unit
    mean = {"difference": "mean", "ratio": "geometric mean"}[agreement.effect]
    x_title = with_unit(f"{mean} of both, {title}", unit)
    sign = SIGNS[agreement.effect]
    y_unit = f" [{unit}]" if unit and agreement.effect == "difference" else ""
    parts = [shorter(agreement.first, 24), f"{sign} {shorter(agreement.second, 24)}{y_unit}"]
    ax.set_xlabel(break_label(x_title, 44), fontsize=TEXT_SIZE, parse_math=False)
    in_lines = "\n" if sum(map(len, parts)) > 26 else " "
    ax.set_ylabel(in_lines.join(parts), fontsize=TEXT_SIZE, parse_math=False)
    plain_numbers(ax.xaxis)
    plain_numbers(ax.yaxis)
    ax.tick_params(which="both", **TICKS)
    plain(ax)
    grey = f"grey: {percent(agreement.confidence_level)} CI"
    pale = pale_note([compared]) if compared else ""
    lines = [f"{agreement.n_text} · {grey}", *textwrap.wrap(pale, NOTE_WIDTH)]
    panel_title(ax, level_text(agreement.label, agreement.by), "\n".join(lines))


def _agreement(source: Comparisons | Agreement) -> tuple[Agreement, Estimate | None]:
    """What is drawn, and the compared mean difference, whose interval the bias then has."""
    if isinstance(source, Agreement):
        return source, None
    item, cases = only_pair(source, "bland_altman")
    confidence = item.estimate.confidence_level
    agreement = cases.agreement(item.first, item.second, item.effect, confidence)
    if not _compares_the_mean(item):
        return agreement, None
    return replace(agreement, bias=Limit(item.value, item.low, item.high)), item.estimate


def _compares_the_mean(item: Difference) -> bool:
    """Whether the mean difference of the cases, each counting once, was compared."""
    e = item.estimate
    is_mean = e.statistic_spec.spec.estimand in (Estimand.MEAN, Estimand.PROPORTION_DIFFERENCE)
    return is_mean and item.effect == "difference" and e.over == "cases" and e.n_effective is None


# --------------------------------------------------------------------------- figures of pairs


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
