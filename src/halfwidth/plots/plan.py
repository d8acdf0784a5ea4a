"""The width of an interval against the number of cases, with the number planned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import fixed, percent
from halfwidth.planning.results import SampleSize
from halfwidth.plots.marks import note_below
from halfwidth.plots.style import (
    COLOURS,
    FAINT,
    NOTE_SIZE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    printable,
    require_matplotlib,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["plan_curve", "plan_frame"]

HEIGHT = 3.2  # inches
STROKES = ("-", "--", ":", "-.")


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
                "of": plan.of,
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
    require_matplotlib()
    given = _several(plans)
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(WIDTH, HEIGHT), layout="constrained").add_subplot()
    _prepare(ax, given[0])
    kinds: dict[str, int] = {}
    for plan in given:
        place = kinds.setdefault(_words(plan), len(kinds))
        _paint(ax, plan, place)
    ax.set_ylim(bottom=0)
    if len(kinds) > 1:
        for text in ax.legend(fontsize=TEXT_SIZE, frameon=False).get_texts():
            text.set_parse_math(False)
    note_below(ax, f"dot: n planned · {given[0].formula}: {given[0].formula_text}")
    return ax


def _several(plans: SampleSize | Sequence[SampleSize]) -> Sequence[SampleSize]:
    given = [plans] if isinstance(plans, SampleSize) else list(plans)
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
        f"half-width of the {level} CI\n{plan.of}{unit}", fontsize=TEXT_SIZE, parse_math=False
    )
    ax.tick_params(which="both", labelsize=TEXT_SIZE, width=0.6, color=QUIET)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    ax.xaxis.set_minor_formatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in "25" else "")
    ax.grid(color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(linewidth=0.6, color=QUIET)


def _paint(ax: Axes, plan: SampleSize, place: int) -> None:
    colour = COLOURS[place % len(COLOURS)]
    sizes = [n for n, _ in plan.curve]
    halves = [width / 2 for _, width in plan.curve]
    words = _words(plan)
    drawn = {line.get_label() for line in ax.get_lines()}
    ax.plot(
        sizes,
        halves,
        color=colour,
        linewidth=1.4,
        linestyle=STROKES[place // len(COLOURS) % len(STROKES)],
        marker="." if plan.simulated else "",
        label=words if words not in drawn else "_again",
    )
    reach = plan.simulated.assured / 2 if plan.simulated else plan.halfwidth
    ax.plot([plan.n], [reach], marker="o", color=colour, markersize=5, zorder=4)
    ax.annotate(
        f"n = {plan.n}\n{fixed(reach, plan.decimals)}",
        (plan.n, reach),
        xytext=(6, 6),
        textcoords="offset points",
        fontsize=NOTE_SIZE,
        annotation_clip=False,
    )
    if plan.wanted is not None:
        ax.axhline(plan.wanted / 2, color=QUIET, linewidth=0.6, linestyle="--", zorder=1)


def _words(plan: SampleSize) -> str:
    """What tells one curve from another."""
    assumed = [f"{name.replace('_', ' ')} {value:g}" for name, value in plan.assumed.items()]
    several = [plan.label, plan.of if plan.simulated else ""]
    return printable(", ".join(word for word in [*several, *assumed] if word))
