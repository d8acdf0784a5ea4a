"""The width of an interval against the number of cases, with the number planned."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import fixed, percent
from halfwidth.core.types import Array
from halfwidth.plots import line_labels
from halfwidth.plots.figure import figure
from halfwidth.plots.legends import labelled
from halfwidth.plots.marks import note_below
from halfwidth.plots.names import method_title
from halfwidth.plots.style import (
    COLOURS,
    NARROW,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    axes_size,
    break_label,
    listed,
    new_axes,
    plain,
    printable,
)
from halfwidth.results.sample_size import SampleSize

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Inches of a figure, and of what stands below and beside its axes.
HEIGHT, BELOW, BESIDE = 3.2, 0.8, 0.6
STROKES = ("-", "--", ":", "-.")
FEWEST_TICKS = 4
# Points between two sizes that were simulated.
BETWEEN = 16
NAME_WIDTH = 22  # letters
# Inches of a tick's label and of a line in a legend; width of a letter by its height.
ROOM, HANDLE, LETTER = 0.34, 0.6, 0.62
# The end of the axis of widths, by the highest point drawn, and by the highest that is planned.
ROOM_ABOVE, MOST_ABOVE = 1.08, 2.5
# Points that the numbers of a dot take, across and up, and the sides of it that are tried; below
# it they would be taken for those of another dot there.
NUMBERS = (52.0, 24.0)
SIDES = ((1, 1), (-1, -1), (1, -1))


class Line(NamedTuple):
    """A curve that plans share, and the half-width of each of them at its n."""

    points: Mapping[int, float]
    plans: Sequence[SampleSize]
    reached: Sequence[float]


def _frame(plans: SampleSize | Sequence[SampleSize]) -> pd.DataFrame:
    import pandas as pd

    columns = ("line", "label", "of", "n", "width", "halfwidth", "source", "chosen")
    return pd.DataFrame(
        [
            (
                *(name, line.plans[0].label, line.plans[0].quantity, n, width, width / 2, source),
                n in {plan.n for plan in line.plans},
            )
            for name, line in _lines(_several(plans)).items()
            for n, width, source in _points(line)
        ],
        columns=list(columns),
    )


@figure("Width against the number of cases", _frame)
def plan_curve(plans: SampleSize | Sequence[SampleSize], ax: Axes | None = None) -> Axes:
    """Draw the half-width against the number of cases, and the point that is planned.

    Plans that assume the same share a curve. A plan for several intervals has a curve for each. Of
    a simulated plan dots are the n that were simulated, and the curve, a power of n from each to
    the next, shows what the assured share of studies keep below.

    Parameters
    ----------
    plans : SampleSize or sequence of SampleSize
        Of one kind.
    ax : matplotlib Axes, optional
        Names stand right of them, so give their figure ``layout="constrained"``. Default: the axes
        of a new figure, 17 cm wide.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there is no plan, or matplotlib is missing.

    Notes
    -----
    ``plan_curve.frame`` gives columns ``line`` (its name), ``label`` and ``of`` (of its first
    plan), ``n``, ``width``, ``halfwidth``, ``source`` (``"formula"``, ``"simulated"``, or
    ``"between"``: on the power of n through the two that were simulated) and ``chosen``: whether it
    is a point planned.

    Examples
    --------
    >>> from halfwidth import planning
    >>> plan_curve(planning.mean(0.1, halfwidth=0.02, metric="dsc")).get_xlabel()
    'cases'
    """
    from halfwidth.plots.ticks import plain_numbers

    several = _several(plans)
    ax = ax or new_axes(WIDTH, HEIGHT)
    lines = _lines(several)
    _prepare(ax, several)
    colours = {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(lines)}
    for place, (name, line) in enumerate(lines.items()):
        stroke = STROKES[place // len(COLOURS) % len(STROKES)]
        _paint(ax, name, line, colours[name], stroke)
    _ticks(ax, [n for line in lines.values() for n in line.points])
    ax.set_ylim(0, _top(lines.values()))
    plain_numbers(ax.yaxis)
    legend = _has_legend(ax, lines)
    if not legend and not _single(lines):
        _write_numbers(ax, list(lines.values()))
    if legend:
        _add_legend(ax, lines)
    elif len(lines) > 1:
        _name(ax, lines, colours)
    note_below(ax, _explanation(several))
    return ax


def _several(plans: SampleSize | Sequence[SampleSize]) -> Sequence[SampleSize]:
    listed_plans = listed(plans, SampleSize, "plans")
    if not listed_plans:
        raise OptionError("plan_curve needs at least one plan")
    return listed_plans


# --------------------------------------------------------------------------- lines


def _lines(plans: Sequence[SampleSize]) -> dict[str, Line]:
    """The curves by their names: plans that assume the same share one, parts have their own."""
    alike: dict[str, list[SampleSize]] = {}
    named = len({plan.quantity for plan in plans}) > 1
    for plan in plans:
        alike.setdefault(_assumptions(plan, named=named), []).append(plan)
    lines: dict[str, Line] = {}
    for words, group in alike.items():
        if not group[0].part_curves:
            # Each simulated plan knows only some of the points.
            points = dict(sorted(point for plan in group for point in plan.curve))
            lines[words] = Line(points, group, [_reached(plan) for plan in group])
            continue
        for part in group[0].part_curves:
            points = dict(sorted(point for plan in group for point in plan.part_curves[part]))
            name = part if len(alike) == 1 else f"{part}, {words}"
            lines[name] = Line(points, group, [points[plan.n] / 2 for plan in group])
    return lines


def _assumptions(plan: SampleSize, *, named: bool) -> str:
    """What tells one curve from another; ``named``: also the quantity."""
    assumed = [
        f"{name.replace('_', ' ').replace('sd', 'SD')} {value:g}"
        for name, value in plan.assumed.items()
        if not plan.part_curves or name not in plan.part_curves
    ]
    several = [plan.label, plan.quantity if named else ""]
    return printable(", ".join(word for word in [*several, *assumed] if word))


def _reached(plan: SampleSize) -> float:
    """The half-width at the n planned."""
    return plan.simulated.assured / 2 if plan.simulated else plan.halfwidth


def _points(line: Line) -> list[tuple[int, float, str]]:
    """All points of a curve with what they come from, by n."""
    known = list(line.points.items())
    if not line.plans[0].simulated:
        return [(n, width, "formula") for n, width in known]
    points = [(n, width, "simulated") for n, width in known]
    for (n0, width0), (n1, width1) in itertools.pairwise(known):
        for share in np.linspace(0, 1, BETWEEN + 2)[1:-1]:
            # Widths fall about as 1/√n: straight between logarithms, and bent on this axis.
            n = round(n0 ** (1 - share) * n1**share)
            power = np.log(n / n0) / np.log(n1 / n0)
            if n0 < n < n1 and (n, "between") not in {(m, source) for m, _, source in points}:
                points.append((n, float(width0 ** (1 - power) * width1**power), "between"))
    return sorted(points)


# --------------------------------------------------------------------------- painting


def _prepare(ax: Axes, plans: Sequence[SampleSize]) -> None:
    """A logarithmic axis of cases, on which a width that falls with √n is seen at its best."""
    plan = plans[0]
    unit = f" [{plan.unit}]" if plan.unit else ""
    levels = {each.confidence_level for each in plans}
    interval = f"the {percent(levels.pop())} CI" if len(levels) == 1 else "the CI"
    # Curves of several quantities have them in their names.
    alone = len({each.quantity for each in plans}) == 1 and not plan.part_curves
    of = f"\nof the {plan.quantity}" if alone else ""
    ax.set_xscale("log")
    ax.set_xlabel(" or ".join(sorted({each.counted for each in plans})), fontsize=TEXT_SIZE)
    ax.set_ylabel(f"half-width of {interval}{of}{unit}", fontsize=TEXT_SIZE, parse_math=False)
    ax.tick_params(which="both", labelsize=TEXT_SIZE, width=0.6, color=QUIET)
    plain(ax)


def _ticks(ax: Axes, sizes: Sequence[int]) -> None:
    """Round numbers of cases; finer ones where there would be few."""
    low, high = min(sizes), max(sizes)
    decades = [10**power for power in range(len(str(high)))]
    for steps in ((1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, *(1 + 0.2 * k for k in range(1, 45)))):
        ticks = [round(step * decade) for decade in decades for step in steps]
        within = [tick for tick in ticks if low <= tick <= high]
        if len(within) >= FEWEST_TICKS:
            break
    if len(within) > 1:
        inches = max(0.85 * axes_size(ax)[0] - BESIDE, 1.0)
        within = labelled(within, ROOM * float(np.log(high / low)) / inches)
    ax.set_xticks(within or [low], [f"{tick:g}" for tick in within or [low]])
    ax.set_xticks([], minor=True)


def _single(lines: Mapping[str, Line]) -> bool:
    """Whether several curves are no more than a point each, whose numbers stand with the names."""
    return len(lines) > 1 and all(len(line.points) == 1 for line in lines.values())


def _paint(ax: Axes, name: str, line: Line, colour: str, stroke: str) -> None:
    """A curve, its simulated points, and a dot for each plan."""
    points = _points(line)
    ax.plot(
        [n for n, _, _ in points],
        [width / 2 for _, width, _ in points],
        color=colour,
        linewidth=1.4,
        linestyle=stroke,
        label=name,
    )
    if line.plans[0].simulated:
        halves = [width / 2 for width in line.points.values()]
        ax.plot(list(line.points), halves, color=colour, marker=".", markersize=6, linestyle="")
    for plan, reach in zip(line.plans, line.reached, strict=True):
        ax.plot([plan.n], [reach], marker="o", color=colour, markersize=5, zorder=4)
        if plan.wanted is not None:
            ax.axhline(plan.wanted / 2, color=QUIET, linewidth=0.6, linestyle="--", zorder=1)


def _top(lines: Iterable[Line]) -> float:
    """The end of the axis: a curve may leave it where very few cases have a very wide interval."""
    drawn, meant = [], []
    for line in lines:
        drawn += [width / 2 for width in line.points.values()]
        meant += [*line.reached, *(plan.wanted / 2 for plan in line.plans if plan.wanted)]
    return ROOM_ABOVE * float(min(np.nanmax(drawn), MOST_ABOVE * np.nanmax(meant)))


def _write_numbers(ax: Axes, lines: Sequence[Line]) -> None:
    """The n of each plan and its half-width, beside the dot where nothing else is.

    What is written matters more than a curve, which may be crossed.
    """
    white: dict[str, Any] = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.8}
    dots = {
        (plan.n, reach): f"n = {plan.n}\n{fixed(reach, plan.decimals)}"
        for line in lines
        for plan, reach in zip(line.plans, line.reached, strict=True)
        if np.isfinite(reach)
    }
    curves = np.array(
        [_points_of(ax, n, width / 2) for line in lines for n, width, _ in _points(line)]
    )
    taken: list[tuple[float, float]] = []
    for (n, reach), text in sorted(dots.items(), key=lambda dot: -dot[0][1]):
        place = _points_of(ax, n, reach)
        lowest = all(m != n or half >= reach for m, half in dots)
        sides = SIDES if lowest else SIDES[:1]
        free = [side for side in sides if _is_free(place, side, taken)]
        if not free:
            continue
        side = min(free, key=lambda side: _crosses(place, side, curves))
        taken.append((place[0] + side[0] * NUMBERS[0] / 2, place[1] + side[1] * NUMBERS[1] / 2))
        ax.annotate(
            text,
            (n, reach),
            xytext=(6 * side[0], 6 * side[1]),
            textcoords="offset points",
            ha="left" if side[0] > 0 else "right",
            va="bottom" if side[1] > 0 else "top",
            fontsize=NOTE_SIZE,
            annotation_clip=False,
            bbox=white,
            zorder=5,
        )


def _points_of(ax: Axes, n: float, half: float) -> tuple[float, float]:
    """About where a dot stands, in points from the corner of the axes."""
    (left, right), top = np.log(ax.get_xlim()), ax.get_ylim()[1]
    width, height = axes_size(ax)
    across = 72 * max(width - BESIDE, 1.0) * (np.log(n) - left) / (right - left)
    return float(across), 72 * (height - BELOW) * half / top


def _is_free(
    place: tuple[float, float], side: tuple[int, int], taken: Sequence[tuple[float, float]]
) -> bool:
    """Whether numbers on this side of a dot stay above the axis and off those written."""
    x, y = (at + towards * size / 2 for at, towards, size in zip(place, side, NUMBERS, strict=True))
    if y < NUMBERS[1] / 2:
        return False
    return all(abs(x - u) >= NUMBERS[0] or abs(y - v) >= NUMBERS[1] for u, v in taken)


def _crosses(place: tuple[float, float], side: tuple[int, int], curves: Array) -> bool:
    """Whether a curve passes where numbers on this side of a dot stand."""
    away = (curves - place) * side
    return bool(np.any((away > 1).all(axis=1) & (away < NUMBERS).all(axis=1)))


def _has_legend(ax: Axes, lines: Mapping[str, Line]) -> bool:
    """Whether names would lie upon each other at the ends of the lines."""
    first = next(iter(lines.values())).plans[0]
    in_pairs = len(first.part_curves) > 1 and len(lines) > len(first.part_curves)
    one_end = len({max(line.points) for line in lines.values()}) == 1
    narrow = axes_size(ax)[0] < NARROW and len(lines) > 1 and not one_end
    return len(lines) > line_labels.MOST or in_pairs or narrow


def _add_legend(ax: Axes, lines: Mapping[str, Line]) -> None:
    """Names above the axes, with the n planned, for which many lines leave no room."""
    handles = [line for line in ax.lines if line.get_label() in lines]
    texts = [
        f"{name}: n = {', '.join(str(plan.n) for plan in line.plans)}"
        for name, line in lines.items()
    ]
    inches = axes_size(ax)[0]
    columns = max(1, int(inches / (HANDLE + LETTER * NOTE_SIZE * max(map(len, texts)) / 72)))
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
    legend = ax.legend(
        handles, texts, ncols=columns, fontsize=NOTE_SIZE, frameon=False, borderpad=0.2, **place
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _name(ax: Axes, lines: Mapping[str, Line], colours: Mapping[str, str]) -> None:
    """Names right of the axes where all lines end together, else below the end of each."""
    first = next(iter(lines.values())).plans[0]
    ends = {name: max(line.points.items()) for name, line in lines.items()}
    if len({n for n, _ in ends.values()}) == 1:
        numbers = {
            name: f"\n{fixed(lines[name].reached[0], first.decimals)}" if _single(lines) else ""
            for name in ends
        }
        where = {name + numbers[name]: (float(n), end / 2) for name, (n, end) in ends.items()}
        leaders = {name + numbers[name]: colour for name, colour in colours.items()}
        line_labels.name_lines(ax, where, leaders, axes_size(ax)[1] - BELOW)
        return
    for name, (n, width) in ends.items():
        ax.annotate(
            break_label(name, NAME_WIDTH),
            (n, width / 2),
            xytext=(4, 0),
            textcoords="offset points",
            va="top",
            fontsize=NOTE_SIZE,
            color=colours[name],
            fontweight="bold",
            annotation_clip=False,
            parse_math=False,
            zorder=5,
        )


def _explanation(plans: Sequence[SampleSize]) -> str:
    first = plans[0]
    clauses = ["large dot: n planned"] if first.simulated else ["dot: n planned"]
    clauses += ["dashed: half-width wanted"] if any(plan.wanted for plan in plans) else []
    if first.simulated is not None and first.assurance is not None:
        several = any(len(plan.curve) > 1 for plan in plans)
        clauses += ["small dots: n simulated"] if several else []
        quantity = "curve" if several else "height"
        clauses.append(f"{quantity}: what {percent(first.assurance)} of studies stay below")
    else:
        title = method_title(first.formula)
        known = first.formula_text.startswith(title)
        clauses.append(first.formula_text if known else f"{title}: {first.formula_text}")
    return " · ".join(clauses)
