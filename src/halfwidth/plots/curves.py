"""ROC and precision-recall curves with their bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.curves import Curve, CurveKind
from halfwidth.core.errors import OptionError
from halfwidth.core.estimate import metric_title
from halfwidth.core.formatting import percent
from halfwidth.plots.marks import note_below
from halfwidth.plots.style import (
    COLOURS,
    FAINT,
    QUIET,
    TEXT_SIZE,
    TEXT_WIDTH,
    WIDTH,
    listed,
    numbers_text,
    require_matplotlib,
    shorter,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches: of a new figure, of a line of the legend, and of the gap between two classes.
HEIGHT, LINE, GAP = 3.6, 0.135, 0.06
LABEL_WIDTH = 30
# More classes than colours have the same ones in other strokes.
STROKES = ("-", (0, (5, 1.5)), (0, (1, 1)))
# Bands of many classes lie upon each other, and are drawn fainter.
SHADE, FAINTEST = 0.25, 0.08
# Letters of the note that fit an inch.
LETTERS = 18
MARGIN = 0.012


def roc(curves: Curve | Sequence[Curve], ax: Axes | None = None) -> Axes:
    """Draw ROC curves with their pointwise bands, a colour per class.

    A curve runs from (0, 0) to (1, 1) in steps, slanted only where cases of both kinds share a
    score. The diagonal is what guessing has. Beside the axes stand the classes with their AUROC.
    Up to 7 classes are told apart by colour, more by strokes too; of many, draw some:
    ``curves[:7]``.

    Parameters
    ----------
    curves : Curve, Curves or sequence of Curve
        Finished curves of ``kind="roc"``; their numbers are ``curves.line_frame()``,
        ``curves.to_frame()`` (the bands) and ``curves.areas.to_frame()``.
    ax : matplotlib Axes, optional
        Drawn into; the classes stand right of them, so give their figure
        ``layout="constrained"``. Default: the axes of a new figure, 17 cm wide.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there are no curves, if they are of another kind, or if matplotlib is missing.

    Examples
    --------
    >>> from halfwidth.estimation.test_sets.curves import curve_ci
    >>> curves = curve_ci([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8], n_resamples=99, rng=1)
    >>> roc(curves).get_xlabel()
    '1 - specificity'
    """
    return _drawn("roc", curves, ax)


def pr(curves: Curve | Sequence[Curve], ax: Axes | None = None) -> Axes:
    """Draw precision-recall curves with their pointwise bands, a colour per class.

    The dotted line of each class is its prevalence, the precision of guessing. Beside the axes
    stand the classes with their AP. A curve is the steps that AP sums: nothing is interpolated.

    Parameters
    ----------
    curves, ax
        As for `roc`, with curves of ``kind="pr"``.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `roc`.

    Examples
    --------
    >>> from halfwidth.estimation.test_sets.curves import curve_ci
    >>> truth, score = [0, 0, 1, 1], [0.1, 0.4, 0.3, 0.8]
    >>> pr(curve_ci(truth, score, kind="pr", n_resamples=99, rng=1)).get_ylabel()
    'precision'
    """
    return _drawn("pr", curves, ax)


def _drawn(kind: CurveKind, given: Curve | Sequence[Curve], ax: Axes | None) -> Axes:
    require_matplotlib(ax)
    curves = listed(given, Curve, "curves")
    _check(kind, curves)
    if ax is None:
        from matplotlib.figure import Figure

        words = sum(GAP + LINE * (1 + _legend_text(curve).count("\n")) for curve in curves)
        size = (WIDTH, max(HEIGHT, words + 4 * GAP))
        ax = Figure(figsize=size, layout="constrained").add_subplot()
    _prepare(ax, curves[0])
    if kind == "roc":
        ax.plot([0, 1], [0, 1], color=QUIET, linewidth=0.6, zorder=1)
    for place, curve in enumerate(curves):
        _paint(ax, curve, place, fainter=len(curves))
    legend = ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        borderaxespad=0,
        fontsize=TEXT_SIZE,
        frameon=False,
        handlelength=2.2,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    clauses = _explanation(curves)
    width = ax.get_position(original=True).width * ax.figure.figure.get_size_inches()[0]
    narrow = len(" · ".join(clauses)) > LETTERS * width
    note_below(ax, ("\n" if narrow else " · ").join(clauses))
    return ax


def _check(kind: CurveKind, curves: Sequence[Curve]) -> None:
    if not curves:
        raise OptionError(f"{kind} needs at least one curve")
    other = {curve.kind for curve in curves} - {kind}
    if other:
        raise OptionError(
            f"{kind} draws curves made with kind={kind!r}, and these have kind={other.pop()!r}; "
            "draw each with the function of its own name"
        )


def _prepare(ax: Axes, curve: Curve) -> None:
    """A square from 0 to 1, since both axes are shares."""
    ax.set_xlim(-MARGIN, 1 + MARGIN)
    ax.set_ylim(-MARGIN, 1 + MARGIN)
    # At the top of its room, where the classes begin.
    ax.set_aspect("equal", anchor="N")
    ticks = np.linspace(0, 1, 6)
    ax.set_xticks(ticks)
    ax.set_yticks(ticks)
    ax.set_xlabel(curve.x_name, fontsize=TEXT_SIZE)
    ax.set_ylabel(curve.y_name, fontsize=TEXT_SIZE)
    ax.tick_params(labelsize=TEXT_SIZE, length=3, width=0.6, color=QUIET)
    ax.grid(color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(linewidth=0.6, color=QUIET)


def _paint(ax: Axes, curve: Curve, place: int, *, fainter: int) -> None:
    colour = COLOURS[place % len(COLOURS)]
    stroke = STROKES[place // len(COLOURS) % len(STROKES)]
    steps: dict[str, Any] = {"roc": {}, "pr": {"step": "pre"}}[curve.kind]
    shade = max(SHADE / max(fainter, 1) ** 0.5, FAINTEST)
    style: dict[str, Any] = {"color": colour, "linewidth": 0, "alpha": shade, "zorder": 2}
    ax.fill_between(curve.x, curve.low, curve.high, **style, **steps)
    ax.plot(
        *curve.line.T,
        color=colour,
        linestyle=stroke,
        linewidth=1.4,
        # A step of a line as thin as a pixel would be blunt.
        solid_joinstyle="miter",
        zorder=3,
        label=_legend_text(curve),
    )
    if curve.kind == "pr":
        height = [curve.prevalence, curve.prevalence]
        ax.plot([0, 1], height, color=colour, linewidth=0.8, linestyle=":", zorder=1)


def _legend_text(curve: Curve) -> str:
    """The class and its area, ``liver: AUROC 0.87 (0.83 to 0.90)``; two lines where it is long."""
    name = shorter(curve.label, LABEL_WIDTH)
    if curve.area is None:
        return name
    area = f"{metric_title(curve.area.metric_spec)} {numbers_text(curve.area)}"
    text = f"{name}: {area}"
    return text if len(text) <= TEXT_WIDTH else f"{name}:\n{area}"


def _explanation(curves: Sequence[Curve]) -> list[str]:
    levels = {curve.confidence_level for curve in curves}
    interval = f"{percent(levels.pop())} CI" if len(levels) == 1 else "confidence intervals"
    clauses = [f"bands: pointwise {interval}"]
    if any(curve.area is not None for curve in curves):
        clauses.append(f"brackets: {interval} of the area")
    if curves[0].kind == "pr":
        clauses.append("dotted: prevalence")
    return clauses
