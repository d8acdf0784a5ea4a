"""The place of each model in each case, its value there, and how often it has which place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.plots.figure import figure
from halfwidth.plots.legends import height_below, legend_below
from halfwidth.plots.ranking.cases import cases_of, names_of, value_title, values_of
from halfwidth.plots.ranking.model_styles import Styles, only, styles_for
from halfwidth.plots.ranking.rows import title_of
from halfwidth.plots.style import FAINT, QUIET, SMALL_TICKS, TEXT_SIZE, WIDTH
from halfwidth.results.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# More models or cases than these would be mud.
MOST_MODELS, MOST_CASES = 12, 200
# The width of a podium, of 1 from one to the next.
PODIUM = 0.84
HEIGHT, BARS = 3.4, 0.3


def _frame(rankings: Ranking | Sequence[Ranking]) -> pd.DataFrame:
    ranking = only(rankings, "podium")
    return frame_of_podium(ranking, list(styles_for([ranking], None)))


def frame_of_podium(ranking: Ranking, order: Sequence[str]) -> pd.DataFrame:
    """The values of the cases, and the shares of places."""
    import pandas as pd

    cases = cases_of(ranking, "podium")
    first = {model.name for model in ranking.models[:MOST_MODELS]}
    names = [name for name in names_of(cases, order) if name in first]
    places = cases.ranks(names)
    values = np.stack([values_of(cases)[name] for name in names], axis=-1)
    # Within a podium each model has a column of its own.
    columns = PODIUM * ((np.arange(len(names)) + 0.5) / len(names) - 0.5)
    shown = _spread(values.mean(axis=-1))
    dots = pd.DataFrame(
        {
            "kind": "case",
            "x": (places[shown] + columns).ravel(),
            "y": values[shown].ravel(),
            "case": np.repeat(np.arange(len(shown)), len(names)),
            "model": names * len(shown),
            "place": places[shown].ravel(),
        }
    )
    shares = [
        {
            "kind": "bar",
            "x": place + columns[at],
            "y": float((places[:, at] == place).mean()),
            "model": name,
            "place": place,
        }
        for at, name in enumerate(names)
        for place in range(1, len(names) + 1)
    ]
    return pd.concat([dots, pd.DataFrame(shares)], ignore_index=True)


def _spread(means: Any) -> NDArray[np.intp]:
    """Choose at most so many cases, evenly by their mean."""
    order = np.argsort(means, kind="stable")
    if len(order) <= MOST_CASES:
        return np.asarray(order)
    return np.asarray(order[np.linspace(0, len(order) - 1, MOST_CASES).round().astype(int)])


@figure("Places of models in each case", _frame)
def podium(
    rankings: Ranking | Sequence[Ranking], *, styles: Styles | None = None, width: float = WIDTH
) -> Figure:
    """Draw who is where in each case: a podium for each place, a line for each case.

    Above, each dot is the value of a model in a case, on the podium of its place there; lines join
    the dots of a case. Below, bars show in how many cases each model has the place. Of more than
    12 models the first 12 are drawn and placed among each other; of more than 200 cases 200, spread
    evenly by their mean, while the bars count all.

    Parameters
    ----------
    rankings : Ranking, or Rankings with one
        Of values of cases.
    styles : dict of str to Style, optional
        As for `rank_sets`.
    width : float, optional
        Of the figure in inches; default 17 cm.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    OptionError
        As for `dots`.

    Notes
    -----
    ``podium.frame`` gives columns ``kind, x, y, case, model, place``: of ``case`` the value of a
    model in a case, whose number says only which dots a line joins; of ``bar`` the share of all
    cases in which the model has the place.
    """
    from halfwidth.plots.canvas import new_figure

    ranking = only(rankings, "podium")
    known = styles_for([ranking], styles)
    frame = frame_of_podium(ranking, list(known))
    mine = {name: known[name] for name in dict.fromkeys(frame["model"])}
    note = _note(ranking, frame)
    figure = new_figure(width, HEIGHT + height_below(mine, note, width))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[1 - BARS, BARS])
    _paint_cases(above, frame[frame["kind"] == "case"], mine)
    bars = frame[frame["kind"] == "bar"]
    step = PODIUM / len(mine)
    colours = [mine[name].colour for name in bars["model"]]
    below.bar(bars["x"], 100 * bars["y"], step, color=colours, linewidth=0)
    above.set_ylabel(value_title(cases_of(ranking, "podium")), fontsize=TEXT_SIZE, parse_math=False)
    below.set_ylabel("cases [%]", fontsize=TEXT_SIZE)
    below.set_xlabel("place in the case", fontsize=TEXT_SIZE)
    below.set_xticks(range(1, len(mine) + 1))
    below.set_xlim(0.5, len(mine) + 0.5)
    for ax in (above, below):
        _finish(ax, len(mine))
    above.tick_params(labelbottom=False)
    if ranking.label:
        title_of(above, ranking.label)
    legend_below(figure, mine, note, lines=False)
    return figure


def _paint_cases(ax: Axes, dots: pd.DataFrame, styles: Styles) -> None:
    from matplotlib.collections import LineCollection

    in_order = dots.sort_values(["case", "x"])
    count = int(dots["case"].max()) + 1
    lines = in_order[["x", "y"]].to_numpy(float).reshape(count, -1, 2)
    alpha = min(0.6, max(0.1, 2.2 * count**-0.5))
    kwargs: dict[str, Any] = {"colors": QUIET, "linewidths": 0.4, "alpha": alpha, "zorder": 1}
    ax.add_collection(LineCollection(list(lines), **kwargs))
    for name, part in dots.groupby("model", sort=False):
        style = styles[str(name)]
        dot: dict[str, Any] = {"marker": style.marker, "markersize": 3.2, "zorder": 2}
        ax.plot(
            part["x"],
            part["y"],
            color=style.colour,
            linestyle="",
            markeredgewidth=0,
            alpha=0.8,
            **dot,
        )


def _finish(ax: Axes, places: int) -> None:
    from halfwidth.plots.ticks import plain_numbers

    for place in range(1, places + 1, 2):
        ax.axvspan(place - 0.5, place + 0.5, color=FAINT, alpha=0.45, linewidth=0, zorder=0)
    ax.tick_params(**SMALL_TICKS)
    plain_numbers(ax.yaxis)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set(linewidth=0.6, color=QUIET)


def _note(ranking: Ranking, frame: pd.DataFrame) -> str:
    cases = cases_of(ranking, "podium")
    total = len(next(iter(values_of(cases).values())))
    drawn = int(frame["case"].max()) + 1
    lines = "lines: cases"
    if drawn < total:
        lines = f"lines: {drawn} of {total} cases, spread evenly by their mean; bars count all"
    models = len(ranking.models)
    some = f" · the first {MOST_MODELS} of {models} models, placed among each other"
    return lines + (some if models > MOST_MODELS else "")
