"""Calibration curves with their bands, and the probabilities that models give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.calibration.results.centre_curves import CentreCurve
from halfwidth.calibration.results.curves import TOP_LABEL, CalibrationCurve
from halfwidth.core.checks import as_list, plain_text
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.formatting import percent
from halfwidth.core.titles import subject_of
from halfwidth.plots import curve_parts
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import note_below
from halfwidth.plots.sheets import BESIDE, Grid, fitted, inches_of, room_of
from halfwidth.plots.style import (
    COLOURS,
    DOT,
    MOST_LINES,
    NOTE_SIZE,
    PALE,
    QUIET,
    TEXT_SIZE,
    WIDTH,
    listed,
    new_axes,
    numbers_text,
)
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Panels in a row, and how high one is for its width: a square, the histogram above it, words below.
ACROSS, HIGH = 3, 1.5
SINGLE = 3.6
STRIP = 0.16
# Inches of a panel around its square besides words, and of a line of these.
AROUND, LINE = 0.62, 0.135
CAPTION = "Calibration curves with their bands"
AXIS = "predicted probability"
DRAWN: tuple[type[CalibrationCurve | CentreCurve], ...] = (CalibrationCurve, CentreCurve)
BANDS = {
    "calibration": "band: pointwise {level} CI",
    "reliability": "band: {level} of calibrated models",
    "reliability-bins": "bars: {level} CI (Clopper-Pearson)",
}


def _frame(
    curves: CalibrationCurve | CentreCurve | Sequence[CalibrationCurve | CentreCurve],
) -> pd.DataFrame:
    import pandas as pd

    drawn: Sequence[CalibrationCurve | CentreCurve] = listed(curves, DRAWN, "curves")
    return pd.concat([curve.to_frame() for curve in drawn], ignore_index=True)


@figure(CAPTION, _frame)
def calibration(
    curve: CalibrationCurve | CentreCurve, ax: Axes | None = None, *, title: str = ""
) -> Axes:
    """Draw a calibration curve with its band, its numbers and the probabilities that it is of.

    On the diagonal a class occurs as often as it is predicted. Above the square stand the cases
    with the class (upwards) and without it (downwards) at each probability. Of centres there are
    thin lines for each, their mean with its band, and between dashed lines where the curve of a new
    centre is expected.

    Parameters
    ----------
    curve : CalibrationCurve or CentreCurve
        A finished one; its numbers are ``curve.to_frame()``, ``curve.line_frame()``,
        ``curve.histogram`` and ``curve.summaries.to_frame()``, of centres
        ``curve.centre_frame()``.
    ax : matplotlib Axes, optional
        Drawn into; its figure should have ``layout="constrained"``. Default: the axes of a new
        figure.
    title : str, default none
        Above all, such as the class or the model.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If it is no calibration curve, or if matplotlib is missing.

    See Also
    --------
    figures_of_calibration : several curves side by side.

    Examples
    --------
    >>> import halfwidth as hw
    >>> truth, score = [0, 0, 1, 0, 1, 1] * 10, [(i + 1) / 61 for i in range(60)]
    >>> (curve,) = hw.curve(truth, "reliability-bins", y_score=score)
    >>> calibration(curve).get_ylabel()
    'observed frequency'
    """
    plain_text("title", title)
    listed([curve] if not isinstance(curve, Sequence) else curve, DRAWN, "curve")
    if isinstance(curve, Sequence):
        if len(curve) != 1:
            raise OptionError(
                f"calibration draws one curve, and there are {len(curve)}; all side by side: "
                "figures_of_calibration(curves)"
            )
        curve = curve[0]
    ax = ax or new_axes(SINGLE, HIGH * SINGLE)
    curve_parts.square(ax)
    curve_parts.finish(ax, AXIS, "observed frequency")
    ax.plot([0, 1], [0, 1], color=QUIET, linewidth=0.6, zorder=1)
    if isinstance(curve, CentreCurve):
        _paint_centres(ax, curve)
    else:
        _paint(ax, curve)
    room = room_of(ax)
    _say_why_empty(ax, curve, room)
    note_below(ax, _words(curve, room))
    _add_histogram(ax, curve, _title(title, room))
    return ax


@figure(CAPTION, _frame)
def figures_of_calibration(
    curves: CalibrationCurve | CentreCurve | Sequence[CalibrationCurve | CentreCurve],
    titles: Sequence[str] | None = None,
) -> list[Figure]:
    """Draw calibration curves side by side, of classes or of models, on as many pages as it takes.

    Parameters
    ----------
    curves : CalibrationCurve, CentreCurve or sequence of them
        Those of several models one after the other: ``[*curves_of_a, *curves_of_b]``.
    titles : sequence of str, optional
        Above each; default: the class, where there are several curves.

    Returns
    -------
    list of matplotlib Figure
        17 cm wide with three panels in a row, narrower with fewer.

    Raises
    ------
    OptionError
        If there are no curves, or not as many titles.

    Examples
    --------
    >>> import halfwidth as hw
    >>> truth, score = [0, 0, 1, 0, 1, 1] * 10, [(i + 1) / 61 for i in range(60)]
    >>> curves = hw.curve(truth, "reliability-bins", y_score=score, average="none")
    >>> (page,) = figures_of_calibration(curves)
    >>> len(page.axes)
    2
    """
    drawn: Sequence[CalibrationCurve | CentreCurve] = listed(curves, DRAWN, "curves")
    if not drawn:
        raise OptionError("figures_of_calibration needs at least one curve")
    if titles is None:
        titles = [curve.label for curve in drawn] if len(drawn) > 1 else [""]
    if as_list(titles) is None:
        raise OptionError(f"titles={shown(titles)} is no list of texts, one for each curve")
    if len(titles) != len(drawn):
        raise OptionError(
            f"titles has {len(titles)} titles for {len(drawn)} curves; give one for each"
        )
    if len(drawn) == 1:
        alone: Any = calibration(drawn[0], title=titles[0]).figure
        return [alone]
    across = min(ACROSS, len(drawn))
    panel = WIDTH / ACROSS
    lines = [_title(title, panel - BESIDE).count("\n") for title in titles]
    words = [_words(curve, panel - BESIDE).count("\n") for curve in drawn]
    height = panel - BESIDE + STRIP * panel + AROUND + LINE * (max(lines) + max(words))
    pages = []
    for page, axes, places in Grid(across, height, panel * across).sheets(len(drawn)):
        pages.append(page)
        for place, ax in zip(places, axes, strict=True):
            calibration(drawn[place], ax, title=titles[place])
            if place % across:
                ax.set_ylabel("")
    return pages


def _paint(ax: Axes, curve: CalibrationCurve) -> None:
    has_band = bool(np.isfinite(curve.low).any())
    if curve.kind == "reliability-bins":
        if has_band:
            ax.vlines(curve.x, curve.low, curve.high, color=DOT, linewidth=1.0, zorder=2)
        ax.plot(curve.x, curve.y, "o", color=DOT, markersize=3.5, zorder=3)
        return
    if has_band:
        # The band of a calibrated model is about the diagonal, and not of the curve.
        colour = PALE if curve.kind == "reliability" else DOT
        ax.fill_between(
            curve.x, curve.low, curve.high, color=colour, linewidth=0, alpha=0.3, zorder=2
        )
    ax.plot(*curve.line.T, color=DOT, linewidth=1.4, solid_joinstyle="miter", zorder=3)


def _paint_centres(ax: Axes, curve: CentreCurve) -> None:
    ax.plot(curve.x, curve.curves.T, color=PALE, linewidth=0.6, zorder=1.5)
    for end in (curve.new_low, curve.new_high):
        ax.plot(curve.x, end, color=DOT, linewidth=0.8, linestyle="dashed", zorder=2)
    ax.fill_between(curve.x, curve.low, curve.high, color=DOT, linewidth=0, alpha=0.3, zorder=2)
    ax.plot(curve.x, curve.y, color=DOT, linewidth=1.4, zorder=3)


def _title(text: str, room: float) -> str:
    """Model, level and class, each on lines of its own where there is room for so many."""
    parts = [fitted(part, room, TEXT_SIZE, bold=True) for part in re.split(r"(?<=[/,]) ", text)]
    lines = "\n".join(parts)
    if lines.count("\n") < MOST_LINES:
        return lines
    return fitted(text, room, TEXT_SIZE, bold=True, most=MOST_LINES)


def _words(curve: CalibrationCurve | CentreCurve, room: float) -> str:
    """Its numbers, its cases and what the band is, a line each where there is room."""
    level = percent(curve.confidence_level)
    if isinstance(curve, CentreCurve):
        lines = [
            f"{len(curve.centres)} centres, n = {curve.n}",
            f"mean, band: pointwise {level} CI",
            f"dashed: a new centre, {level}",
            "thin: each centre; steps: where the cases of one end",
        ]
        return "\n".join(fitted(line, room, NOTE_SIZE) for line in lines)
    with_class = "right" if curve.label == TOP_LABEL else "positive"
    lines = [fitted(f"n = {curve.n}, {curve.n_positive} {with_class}", room, NOTE_SIZE)]
    if np.isfinite(curve.low).any():
        lines.append(fitted(BANDS[curve.kind].format(level=level), room, NOTE_SIZE))
    numbers = [_number_line(e, room) for e in curve.summaries if e.value == e.value]
    return "\n".join([*numbers, *lines])


def _number_line(e: Estimate, room: float) -> str:
    # What a title has in brackets is too long for a line.
    name = subject_of(e.metric_spec, e.statistic_spec, None, "").partition(" (")[0]
    numbers = numbers_text(e)
    if inches_of(f"{name} {numbers}", NOTE_SIZE) <= room:
        return f"{name} {numbers}"
    return f"{fitted(name, room, NOTE_SIZE)}\n{fitted(numbers, room, NOTE_SIZE)}"


def _say_why_empty(ax: Axes, curve: CalibrationCurve | CentreCurve, room: float) -> None:
    """In place of a curve, why there is none."""
    if isinstance(curve, CentreCurve) or curve.kind == "reliability-bins":
        return
    if len(curve.x) > 1 and np.isfinite(curve.y).any():
        return
    why = "the model gives all cases one probability" if len(curve.x) == 1 else "it has no fit"
    why = {0: "no case is positive", curve.n: "all cases are positive"}.get(curve.n_positive, why)
    text = fitted(f"no curve: {why}", 0.8 * room, NOTE_SIZE)
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": NOTE_SIZE, "color": QUIET}
    ax.text(0.5, 0.5, text, bbox={"facecolor": "white", "linewidth": 0}, **style)


def _add_histogram(ax: Axes, curve: CalibrationCurve | CentreCurve, title: str) -> None:
    """Cases at each probability, above the square: with the class upwards, without it downwards."""
    strip: Any = ax.inset_axes((0.0, 1.03, 1.0, STRIP), sharex=ax)
    edges = np.linspace(0, 1, curve.histogram.shape[1] + 1)
    without, with_class = curve.histogram
    strip.stairs(with_class, edges, fill=True, color=COLOURS[0])
    strip.stairs(-without, edges, fill=True, color=COLOURS[2])
    strip.axhline(0, color=QUIET, linewidth=0.5)
    most = max(int(curve.histogram.max()), 1)
    strip.set_ylim(-1.05 * most, 1.05 * most)
    strip.set_axis_off()
    if title:
        strip.set_title(title, loc="left", fontsize=TEXT_SIZE, fontweight="bold", parse_math=False)
