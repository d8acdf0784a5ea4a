"""Ranks with their confidence sets, and the map of what is claimed of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.formatting import percent
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import TextColumn
from halfwidth.plots.ranking.model_styles import Styles
from halfwidth.plots.ranking.rows import (
    POINTS,
    RankingKind,
    by_row,
    label_columns,
    rank_axis,
    rank_title,
    row_height,
)
from halfwidth.plots.style import CLOUD, DOT, INK, interval_label, numbers_text
from halfwidth.results.ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A set reaches so far beyond its first and last rank: one of a single rank has a length too.
REACH = 0.32


def _sets(ranking: Ranking, names: Sequence[str]) -> list[dict[str, Any]]:
    rows = by_row(names)
    columns = ("rank", "rank_low", "rank_high", "marginal_low", "marginal_high", "value")
    records = [
        {"y": rows[row["model"]], "label": ranking.label, "model": row["model"]}
        | {name: row[name] for name in columns}
        for row in (model.to_row() for model in ranking.models)
    ]
    return sorted(records, key=lambda row: row["y"])


def _paint_sets(ax: Axes, rows: list[dict[str, Any]], ranking: Ranking, styles: Styles) -> None:
    rank_axis(ax, len(styles), rank_title(ranking))
    size = min(4.6, 0.45 * POINTS * row_height(len(styles)))
    for row in rows:
        style, y = styles[str(row["model"])], row["y"]
        low, high = row["rank_low"] - REACH, row["rank_high"] + REACH
        ax.barh(y, high - low, 0.52, low, color=style.colour, alpha=0.35, linewidth=0, zorder=2)
        ends = (row["marginal_low"] - REACH, row["marginal_high"] + REACH)
        ax.plot(ends, [y, y], color=style.colour, linewidth=1.1, solid_capstyle="butt", zorder=3)
        edge: dict[str, Any] = {"markeredgecolor": INK, "markeredgewidth": 0.4, "zorder": 4}
        ax.plot(row["rank"], y, style.marker, color=style.colour, markersize=size, **edge)


def _sets_note(ranking: Ranking) -> str:
    level = percent(ranking.confidence_level)
    return (
        f"symbols: ranks · thick bars: {level} confidence sets, which hold together · "
        "thin bars: sets of each model by itself"
    )


def _texts(ranking: Ranking, names: Sequence[str]) -> list[TextColumn]:
    """The set, the wins where there are any, and the value of each model."""
    models = {model.name: model for model in ranking.models}
    mine = [models.get(name) for name in names]
    first = ranking.models[0].estimate
    columns = [
        (
            f"{percent(ranking.confidence_level)} ranks",
            [str(model.rank_set) if model else "" for model in mine],
        ),
        (
            "wins",
            ["" if model is None or model.wins is None else str(model.wins) for model in mine],
        ),
        (
            f"{first.subject} ({interval_label([first])})",
            [numbers_text(model.estimate) if model else "" for model in mine],
        ),
    ]
    return [TextColumn(texts, heading) for heading, texts in columns]


RANK_SETS = RankingKind("rank_sets", _sets, _paint_sets, _sets_note, texts=_texts)


@figure("Ranks of the models with the sets of ranks that hold together", RANK_SETS.frame_of)
def rank_sets(
    rankings: Ranking | Sequence[Ranking], ax: Axes | None = None, *, styles: Styles | None = None
) -> Axes:
    """Draw the rank of each model with its confidence sets, a row per model.

    A thick bar is the set that holds together with those of all other models, a thin one the set
    of the model by itself.

    Parameters
    ----------
    rankings : Ranking, or Rankings with one
        A finished ranking.
    ax : matplotlib Axes, optional
        Drawn into; texts stand around them, so give their figure ``layout="constrained"``.
        Default: the axes of a new figure that fits the number of models, 17 cm wide.
    styles : dict of str to Style, optional
        Order, colours and markers, from `model_styles` of several rankings; default: of this one.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there is not one ranking, or matplotlib is missing.

    See Also
    --------
    figures_of_rankings : a panel for each ranking.

    Notes
    -----
    ``rank_sets.frame`` gives columns ``y, label, model, rank, rank_low, rank_high, marginal_low,
    marginal_high, value``.
    """
    return RANK_SETS.draw(rankings, ax, styles)


# --------------------------------------------------------------------------- claims


def _claims(ranking: Ranking, names: Sequence[str]) -> list[dict[str, Any]]:
    rows = by_row(names)
    claims = set(ranking.claims)
    mine = [name for name in names if name in {model.name for model in ranking.models}]
    return [
        {
            "y": rows[model],
            "x": rows[other],
            "label": ranking.label,
            "model": model,
            "other": other,
            "claim": ((model, other) in claims) - ((other, model) in claims),
        }
        for model in mine
        for other in mine
        if model != other
    ]


def _paint_claims(ax: Axes, cells: list[dict[str, Any]], _: Ranking, styles: Styles) -> None:
    """Blue cells, pale ones, and a frame with a dot where nothing is claimed."""
    colours: dict[int, tuple[str, str]] = {1: (DOT, DOT), -1: (CLOUD, CLOUD), 0: ("none", CLOUD)}
    size = min(2.0, 0.15 * POINTS * row_height(len(styles)))
    for claim, (inside, edge) in colours.items():
        places = [(cell["x"], cell["y"]) for cell in cells if cell["claim"] == claim]
        x, y = np.array(places).reshape(-1, 2).T
        style: dict[str, Any] = {"facecolor": inside, "edgecolor": edge, "zorder": 2}
        ax.bar(x, 0.92, 0.92, y - 0.46, linewidth=0.4, **style)
    ax.plot(x, y, ".", color=INK, markersize=size, zorder=3)
    label_columns(ax, list(styles))


def _claims_note(ranking: Ranking) -> str:
    more = f" by more than {ranking.margin:g}" if ranking.margin else ""
    return (
        f"{ranking.subject} · blue: the model of the row is shown to be better than that of the "
        f"column{more} · grey: worse · dots: not told apart · all claims hold together, "
        f"{percent(ranking.confidence_level)} confidence"
    )


SIGNIFICANCE = RankingKind("significance", _claims, _paint_claims, _claims_note)


@figure("Which model is shown to be better than which", SIGNIFICANCE.frame_of)
def significance(
    rankings: Ranking | Sequence[Ranking], ax: Axes | None = None, *, styles: Styles | None = None
) -> Axes:
    """Draw which model is shown to be better than which: a map of the claims.

    All claims hold together at the level of the ranking: the sets of `rank_sets` count them.

    Parameters
    ----------
    rankings, ax, styles
        As for `rank_sets`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        As for `rank_sets`.

    Notes
    -----
    ``significance.frame`` gives columns ``y, x, label, model, other`` and ``claim``: 1 where the
    model is shown to be better than the other, -1 where it is shown to be worse, 0 where neither.
    """
    return SIGNIFICANCE.draw(rankings, ax, styles)
