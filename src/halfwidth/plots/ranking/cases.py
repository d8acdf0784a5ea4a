"""The values of the cases behind a ranking: dots with a box, and a map of ranks within cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.titles import metric_title
from halfwidth.core.types import Array
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import axis_limits
from halfwidth.plots.paint import RASTER_FROM
from halfwidth.plots.ranking.model_styles import Styles
from halfwidth.plots.ranking.rows import (
    POINTS,
    RankingKind,
    by_row,
    rank_axis,
    row_height,
    x_title,
)
from halfwidth.plots.ranking.shares import paint_heat, shades_note
from halfwidth.plots.shapes import few_levels, jitter, tukey_box
from halfwidth.plots.style import FAINT, INK, SMALL_TICKS, with_unit
from halfwidth.results.comparison import ComparedCases
from halfwidth.results.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Half the heights of the band of cases and of a box, as shares of a row.
BAND, BOX = 0.36, 0.17


def cases_of(ranking: Ranking, what: str) -> ComparedCases:
    """The values of the cases, or an `OptionError`."""
    where = f"{ranking.label}: " if ranking.label else ""
    if len(ranking.metrics) > 1:
        raise OptionError(
            f"{where}{what} draws the values of one metric, and {ranking.subject} combines "
            f"{len(ranking.metrics)}; draw the ranking of one of them, or rank_sets"
        )
    if ranking.cases is None:
        raise OptionError(
            f"{where}{what} draws values of cases, and a metric of a whole test set has none"
        )
    return ranking.cases


def values_of(cases: ComparedCases) -> Mapping[str, Array]:
    """The value of each model in each case."""
    return cases.values  # noqa: PD011


def value_title(cases: ComparedCases) -> str:
    """The metric of the cases with its unit."""
    return with_unit(metric_title(cases.metric_spec) or "value", cases.metric_spec.unit)


def names_of(cases: ComparedCases, order: Sequence[str]) -> list[str]:
    """The models that the cases have, in the order of a figure."""
    return [name for name in order if name in values_of(cases)]


# --------------------------------------------------------------------------- dots


def _dots_frame(ranking: Ranking, names: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    cases, rows = cases_of(ranking, "dots"), by_row(names)
    parts = [
        part.assign(label=ranking.label, model=name)
        for name in names_of(cases, names)
        for part in _parts(values_of(cases)[name], rows[name])
    ]
    # Ranks within cases have no place on the axis of the values.
    if ranking.models[0].estimate.metric == cases.metric_spec.spec.name:
        estimates = [
            {"kind": "estimate", "x": model.value, "y": rows[model.name], "model": model.name}
            for model in ranking.models
        ]
        parts.append(pd.DataFrame(estimates).assign(label=ranking.label))
    columns = ["label", "model", "kind", "x", "y", "low", "high"]
    return pd.concat(parts, ignore_index=True).reindex(columns=columns)


def _parts(values: Array, row: int) -> list[pd.DataFrame]:
    """The cases of a model as dots, and their box and whiskers unless they are few."""
    import pandas as pd

    values = np.sort(values[np.isfinite(values)])
    heights = row + BAND * jitter(len(values))
    dots = pd.DataFrame({"kind": "case", "x": values, "y": heights})
    if few_levels(values):
        return [dots]
    box = tukey_box(values)
    summaries = [
        {"kind": "box", "x": box.median, "y": row, "low": box.low, "high": box.high},
        {
            "kind": "whiskers",
            "x": box.median,
            "y": row,
            "low": box.low_whisker,
            "high": box.high_whisker,
        },
    ]
    return [dots, pd.DataFrame(summaries)]


def _paint_dots(ax: Axes, frame: pd.DataFrame, ranking: Ranking, styles: Styles) -> None:
    from halfwidth.plots.ticks import plain_numbers

    cases = cases_of(ranking, "dots")
    dots = frame[frame["kind"] == "case"]
    crowd = max(len(dots) / len(values_of(cases)) / 50, 1.0) ** -0.25
    style: dict[str, Any] = {"linestyle": "", "marker": ".", "markeredgewidth": 0, "zorder": 2}
    for name, part in dots.groupby("model", sort=False):
        ax.plot(
            part["x"],
            part["y"],
            color=styles[str(name)].colour,
            markersize=5.5 * crowd,
            alpha=max(0.3, 0.8 * crowd),
            rasterized=len(dots) >= RASTER_FROM,
            **style,
        )
    _paint_boxes(ax, frame)
    estimates = frame[frame["kind"] == "estimate"]
    diamond: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": INK, "zorder": 6}
    size = min(3.2, 0.35 * POINTS * row_height(len(styles)))
    ax.plot(estimates["x"], estimates["y"], "D", markersize=size, markeredgewidth=0.6, **diamond)
    ax.set_xlim(*axis_limits(dots["x"].tolist(), [cases.metric_spec.spec.bounds]))
    x_title(ax, value_title(cases))
    ax.tick_params(axis="x", **SMALL_TICKS)
    plain_numbers(ax.xaxis)
    ax.grid(axis="x", color=FAINT, linewidth=0.6)
    ax.set_axisbelow(True)


def _paint_boxes(ax: Axes, frame: pd.DataFrame) -> None:
    from matplotlib.patches import Rectangle

    whiskers = frame[frame["kind"] == "whiskers"]
    ax.hlines(whiskers["y"], whiskers["low"], whiskers["high"], color=INK, linewidth=0.7, zorder=3)
    for row in frame[frame["kind"] == "box"].to_dict("records"):
        low, y = row["low"], row["y"]
        size = (row["high"] - low, 2 * BOX)
        ax.add_patch(Rectangle((low, y - BOX), *size, facecolor="white", alpha=0.6, zorder=4))
        ax.add_patch(Rectangle((low, y - BOX), *size, fill=False, linewidth=0.7, zorder=5))
        ax.vlines(row["x"], y - BOX, y + BOX, color=INK, linewidth=1.4, zorder=5)


def _dots_note(ranking: Ranking) -> str:
    cases = cases_of(ranking, "dots")
    shows_values = ranking.models[0].estimate.metric == cases.metric_spec.spec.name
    diamonds = f" · diamonds: {ranking.subject}" if shows_values else ""
    return f"dots: cases · boxes: quartiles, whiskers to 1.5 IQR{diamonds}"


DOTS = RankingKind("dots", _dots_frame, _paint_dots, _dots_note, row=0.27)


@figure("The values of the cases of each model", DOTS.frame_of)
def dots(
    rankings: Ranking | Sequence[Ranking], ax: Axes | None = None, *, styles: Styles | None = None
) -> Axes:
    """Draw the values of the cases of each model as dots with a box.

    Parameters
    ----------
    rankings : Ranking, or Rankings with one
        Of values of cases.
    ax, styles
        As for `rank_sets`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `rank_sets`, or if the ranking has no values of cases.

    Notes
    -----
    ``dots.frame`` gives columns ``label, model, kind, x, y, low, high``; ``kind`` is ``case``,
    ``box`` (its median and quartiles), ``whiskers`` or ``estimate`` (by which the models are
    ranked).
    """
    return DOTS.draw(rankings, ax, styles)


# --------------------------------------------------------------------------- ranks within cases


def _case_ranks_frame(ranking: Ranking, names: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    cases, rows = cases_of(ranking, "case_heatmap"), by_row(names)
    mine = names_of(cases, names)
    ranks = cases.ranks(mine)
    records = [
        {
            "y": rows[name],
            "label": ranking.label,
            "model": name,
            "rank": rank,
            "count": count,
            "share": count / len(ranks),
        }
        for column, name in enumerate(mine)
        for rank, count in enumerate(np.bincount(ranks[:, column]).tolist())
        if count
    ]
    return pd.DataFrame(records)


def _paint_case_ranks(ax: Axes, frame: pd.DataFrame, ranking: Ranking, styles: Styles) -> None:
    title = value_title(cases_of(ranking, "case_heatmap")).split(" [")[0]
    rank_axis(ax, len(styles), f"rank by {title} within the case")
    rows = by_row(list(styles))
    paint_heat(ax, frame, len(styles), {rows[model.name]: model.rank for model in ranking.models})


def _case_ranks_note(ranking: Ranking) -> str:
    return (
        f"{shades_note(len(ranking.models))} of the cases · frames: ranks by {ranking.subject} · "
        "equal values share the smallest rank"
    )


CASE_HEATMAP = RankingKind(
    "case_heatmap", _case_ranks_frame, _paint_case_ranks, _case_ranks_note, row=0.22
)


@figure("In how many cases each model has which rank", CASE_HEATMAP.frame_of)
def case_heatmap(
    rankings: Ranking | Sequence[Ranking], ax: Axes | None = None, *, styles: Styles | None = None
) -> Axes:
    """Draw in how many cases each model has which rank, as a map.

    Parameters
    ----------
    rankings : Ranking, or Rankings with one
        Of values of cases.
    ax, styles
        As for `rank_sets`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `dots`.

    See Also
    --------
    heatmap : the same over bootstrap resamples.

    Notes
    -----
    ``case_heatmap.frame`` gives columns ``y, label, model, rank, count, share``; ranks that a model
    has in no case are left out.
    """
    return CASE_HEATMAP.draw(rankings, ax, styles)
