"""The cases behind an estimate: dots and a box, with estimates and intervals beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.estimate import Estimate
from halfwidth.core.formatting import fixed, percent
from halfwidth.core.types import Array, Bounds

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["distribution", "distribution_frame"]

# Okabe and Ito's palette, which colour-blind readers tell apart and which prints well in grey.
DOTS, BOX, INTERVAL = "#0072B2", "#404040", "#D55E00"
# Heights within a row of height 1, from its top: intervals, box, dots.
ESTIMATE_BAND, BOX_AT, DOTS_AT, DOTS_HALF_HEIGHT = (0.10, 0.42), 0.55, 0.77, 0.13
GOLDEN = (5**0.5 - 1) / 2


def distribution_frame(samples: Mapping[str, Array], estimates: Sequence[Estimate]) -> pd.DataFrame:
    """Every number that `distribution` draws.

    Parameters
    ----------
    samples : mapping of str to array-like
        Per-case values by label.
    estimates : sequence of Estimate
        Finished estimates; each is drawn beside the sample with its label.

    Returns
    -------
    DataFrame
        Columns ``label, kind, x, y, low, high``; kind is ``case``, ``box`` (x the median, low and
        high the quartiles) or the statistic of an estimate. ``y`` is in rows from the top.
    """
    import pandas as pd

    unknown = [e.label for e in estimates if e.label not in samples]
    if unknown:
        raise OptionError(
            f"no sample with label {unknown[0]!r}; samples are given for {', '.join(samples)}"
        )
    rows: list[dict[str, Any]] = []
    for row, (label, values) in enumerate(samples.items()):
        ordered = np.sort(np.asarray(values, dtype=float))
        ordered = ordered[np.isfinite(ordered)]
        # Multiples of the golden ratio spread evenly, look random, and need no random numbers.
        jitter = (np.arange(len(ordered)) * GOLDEN) % 1.0
        heights = row + DOTS_AT + DOTS_HALF_HEIGHT * (2 * jitter - 1)
        rows += [
            {"label": label, "kind": "case", "x": x, "y": y}
            for x, y in zip(ordered, heights, strict=True)
        ]
        if len(ordered):
            low, middle, high = np.quantile(ordered, [0.25, 0.5, 0.75])
            box = {"label": label, "kind": "box", "x": middle, "low": low, "high": high}
            rows.append({**box, "y": row + BOX_AT})
        own = [e for e in estimates if e.label == label]
        places = np.linspace(*ESTIMATE_BAND, len(own) + 2)[1:-1]
        rows += [
            {
                "label": label,
                "kind": e.statistic_title,
                "x": e.value,
                "y": row + place,
                "low": e.low,
                "high": e.high,
            }
            for e, place in zip(own, places, strict=True)
        ]
    return pd.DataFrame(rows, columns=["label", "kind", "x", "y", "low", "high"])


def distribution(
    samples: Mapping[str, Array], estimates: Sequence[Estimate], ax: Axes | None = None
) -> Axes:
    """Draw cases as jittered dots, their box, and the estimates with intervals, a row per label.

    Parameters
    ----------
    samples : mapping of str to array-like
        Per-case values by label, in the metric's unit.
    estimates : sequence of Estimate
        Finished estimates; each is drawn in the row of its label.
    ax : matplotlib Axes, optional
        Drawn into; default: the axes of a new figure that fits the number of rows.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If an estimate has a label without a sample, or there are none.

    See Also
    --------
    distribution_frame : the plotted numbers.
    """
    if not samples or not estimates:
        raise OptionError("distribution needs at least one sample and one estimate")
    frame = distribution_frame(samples, estimates)
    if ax is None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.0, 0.9 + 1.3 * len(samples)), layout="constrained")
        ax = figure.add_subplot()
    cases = frame[frame["kind"] == "case"]
    ax.scatter(cases["x"], cases["y"], s=9, color=DOTS, alpha=0.5, linewidths=0, zorder=1)
    boxes = frame[frame["kind"] == "box"]
    for label, y in zip(boxes["label"], boxes["y"].to_numpy(float), strict=True):
        _draw_box(ax, samples[str(label)], y)
    middle = sum(ax.get_xlim()) / 2
    heights = frame.loc[~frame["kind"].isin(["case", "box"]), "y"].to_numpy(float)
    for estimate, y in zip(_in_row_order(samples, estimates), heights, strict=True):
        _draw_estimate(ax, estimate, y, middle)
    _finish(ax, list(samples), estimates)
    return ax


def _in_row_order(samples: Mapping[str, Array], estimates: Sequence[Estimate]) -> list[Estimate]:
    return [e for label in samples for e in estimates if e.label == label]


def _draw_box(ax: Axes, values: Array, y: float) -> None:
    finite = np.asarray(values, dtype=float)
    line = {"color": BOX, "linewidth": 1.0}
    ax.boxplot(
        finite[np.isfinite(finite)],
        positions=[y],
        widths=0.13,
        orientation="horizontal",
        manage_ticks=False,
        showfliers=False,
        boxprops=line,
        whiskerprops=line,
        capprops=line,
        medianprops=line | {"linewidth": 2.0},
    )


def _draw_estimate(ax: Axes, estimate: Estimate, y: float, middle: float) -> None:
    e = estimate
    ax.plot([e.low, e.high], [y, y], color=INTERVAL, linewidth=2.5, solid_capstyle="butt", zorder=4)
    ax.plot(
        [e.value], [y], marker="o", markersize=5, color=INTERVAL, markeredgecolor="white", zorder=5
    )
    places = e.decimals
    numbers = f"{fixed(e.value, places)} ({fixed(e.low, places)} to {fixed(e.high, places)})"
    ends = [end for end in (e.value, e.low, e.high) if np.isfinite(end)] or [0.0]
    # Numbers stand on the side where there is room.
    leftwards = e.value > middle
    ax.annotate(
        f"{e.statistic_title} {numbers}",
        (min(ends) if leftwards else max(ends), y),
        xytext=(-7 if leftwards else 7, 0),
        textcoords="offset points",
        ha="right" if leftwards else "left",
        va="center",
        fontsize=8,
        # Column names are text: a dollar sign in one starts no formula.
        parse_math=False,
        zorder=6,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
    )


def _finish(ax: Axes, labels: list[str], estimates: Sequence[Estimate]) -> None:
    first = estimates[0]
    ax.set_ylim(len(labels), 0)
    ax.set_yticks([row + 0.5 for row in range(len(labels))], labels, parse_math=False)
    ax.tick_params(axis="y", length=0)
    for row in range(1, len(labels)):
        ax.axhline(row, color="#d0d0d0", linewidth=0.8, zorder=0)
    unit = f" [{first.metric_spec.spec.unit}]" if first.metric_spec.spec.unit else ""
    name = first.metric_spec.spec.display or "value"
    ax.set_xlabel(
        f"{name}{unit} · dots: cases · box: quartiles · "
        f"orange: estimate with {percent(first.confidence_level)} CI"
    )
    _fit_to_range(ax, first.metric_spec.spec.bounds)
    ax.spines[["top", "right", "left"]].set_visible(False)


def _fit_to_range(ax: Axes, bounds: Bounds) -> None:
    """Show no stretch of axis on which no value can lie, but for a margin."""
    low, high = ax.get_xlim()
    margin = 0.02 * (min(high, bounds.high) - max(low, bounds.low))
    ax.set_xlim(max(low, bounds.low - margin), min(high, bounds.high + margin))
