"""The width of an interval against the number of cases, with the number planned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import fixed, percent
from halfwidth.planning.sample_size import SampleSize
from halfwidth.plots.marks import note_below
from halfwidth.plots.style import (
    COLOURS,
    FAINT,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    listed,
    printable,
    require_matplotlib,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

HEIGHT = 3.2  # inches
STROKES = ("-", "--", ":", "-.")
FEWEST_TICKS = 4


def plan_frame(plans: SampleSize | Sequence[SampleSize]) -> pd.DataFrame:
    """Every number that `plan_curve` draws.

    Parameters
    ----------
    plans : SampleSize or sequence of SampleSize

    Returns
    -------
    DataFrame
        Columns ``plan`` (from 0 on), ``label``, ``of``, ``n``, ``width``, ``halfwidth`` and
        ``chosen``: whether it is the point planned.
    """
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "plan": place,
                "label": plan.label,
                "of": plan.quantity,
                "n": n,
                "width": width,
                "halfwidth": width / 2,
                "chosen": n == plan.n,
            }
            for place, plan in enumerate(_several(plans))
            for n, width in plan.curve
        ]
    )


def plan_curve(plans: SampleSize | Sequence[SampleSize], ax: Axes | None = None) -> Axes:
    """Draw the half-width against the number of cases, and the point that is planned.

    Plans that assume the same share a curve. Of a simulated plan the curve joins the n that were
    simulated, and shows what the assured share of studies keep below.

    Parameters
    ----------
    plans : SampleSize or sequence of SampleSize
        Of one kind.
    ax : matplotlib Axes, optional
        Default: the axes of a new figure, 17 cm wide.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there is no plan, or matplotlib is missing.

    See Also
    --------
    plan_frame : the plotted numbers.

    Examples
    --------
    >>> from halfwidth.planning import mean_n
    >>> plan_curve(mean_n(0.1, halfwidth=0.02, metric="dsc")).get_xlabel()
    'cases'
    """
    require_matplotlib(ax)
    given = _several(plans)
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(WIDTH, HEIGHT), layout="constrained").add_subplot()
    _prepare(ax, given[0])
    alike: dict[str, list[SampleSize]] = {}
    for plan in given:
        alike.setdefault(_curve_label(plan), []).append(plan)
    for place, (words, group) in enumerate(alike.items()):
        _paint(ax, group, words, COLOURS[place % len(COLOURS)], STROKES[place // len(COLOURS) % 4])
    _ticks(ax, [n for plan in given for n, _ in plan.curve])
    ax.set_ylim(bottom=0)
    if len(alike) > 1:
        for text in ax.legend(fontsize=TEXT_SIZE, frameon=False).get_texts():
            text.set_parse_math(False)
    note_below(ax, _explanation(given))
    return ax


def _several(plans: SampleSize | Sequence[SampleSize]) -> Sequence[SampleSize]:
    given = listed(plans, SampleSize, "plans")
    if not given:
        raise OptionError("plan_curve needs at least one plan")
    return given


def _prepare(ax: Axes, plan: SampleSize) -> None:
    """A logarithmic axis of cases, on which a width that falls with √n is seen at its best."""
    unit = f" [{plan.unit}]" if plan.unit else ""
    level = percent(plan.confidence_level)
    ax.set_xscale("log")
    ax.set_xlabel("cases", fontsize=TEXT_SIZE)
    ax.set_ylabel(
        f"half-width of the {level} CI\n{plan.quantity}{unit}", fontsize=TEXT_SIZE, parse_math=False
    )
    ax.tick_params(which="both", labelsize=TEXT_SIZE, width=0.6, color=QUIET)
    ax.grid(color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(linewidth=0.6, color=QUIET)


def _ticks(ax: Axes, sizes: Sequence[int]) -> None:
    """Round numbers of cases; finer ones where there would be few."""
    low, high = min(sizes), max(sizes)
    decades = [10**power for power in range(len(str(high)))]
    for steps in ((1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, *(1 + 0.2 * k for k in range(1, 45)))):
        ticks = [step * decade for decade in decades for step in steps]
        within = [tick for tick in ticks if low <= tick <= high]
        if len(within) >= FEWEST_TICKS:
            break
    ax.set_xticks(within or [low], [f"{tick:g}" for tick in within or [low]])
    ax.set_xticks([], minor=True)


def _paint(ax: Axes, plans: Sequence[SampleSize], words: str, colour: str, stroke: str) -> None:
    """The curve that plans share, and a dot for each of them."""
    # Each simulated plan knows only some of the points.
    points = dict(sorted(point for plan in plans for point in plan.curve))
    ax.plot(
        list(points),
        [width / 2 for width in points.values()],
        color=colour,
        linewidth=1.4,
        linestyle=stroke,
        marker="." if plans[0].simulated else "",
        label=words,
    )
    for plan in plans:
        reach = plan.simulated.assured / 2 if plan.simulated else plan.halfwidth
        ax.plot([plan.n], [reach], marker="o", color=colour, markersize=5, zorder=4)
        ax.annotate(
            f"n = {plan.n}\n{fixed(reach, plan.decimals)}",
            (plan.n, reach),
            xytext=(5, 5),
            textcoords="offset points",
            fontsize=NOTE_SIZE,
            annotation_clip=False,
        )
        if plan.wanted is not None:
            ax.axhline(plan.wanted / 2, color=QUIET, linewidth=0.6, linestyle="--", zorder=1)


def _curve_label(plan: SampleSize) -> str:
    """What tells one curve from another."""
    assumed = [f"{name.replace('_', ' ')} {value:g}" for name, value in plan.assumed.items()]
    several = [plan.label, plan.quantity if plan.simulated else ""]
    return printable(", ".join(word for word in [*several, *assumed] if word))


def _explanation(plans: Sequence[SampleSize]) -> str:
    first = plans[0]
    clauses = ["dot: n planned"]
    clauses += ["dashed: half-width wanted"] if any(plan.wanted for plan in plans) else []
    if first.simulated is not None and first.assurance is not None:
        clauses.append(f"curve: what {percent(first.assurance)} of simulated studies stay below")
    else:
        clauses.append(f"{first.formula}: {first.formula_text}")
    return " · ".join(clauses)
