"""The order, colour and marker of each model, the same in every figure of a ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfwidth.core.errors import OptionError, quoted, shown
from halfwidth.plots.style import COLOURS, SHAPES, SOLID, Style, listed
from halfwidth.results.ranking import Ranking

# Models with a colour and marker of their own; those behind are grey.
MOST_COLOURS = 20
# After the colours of all figures come darker and then paler ones: shares of black and of white.
DARKER, PALER = 0.45, 0.45
GREY = Style("#b0b0b0", SOLID, ".")
Styles = Mapping[str, Style]


def model_styles(rankings: Ranking | Sequence[Ranking]) -> dict[str, Style]:
    """Colour and marker of each model, in the order in which figures show the models.

    Parameters
    ----------
    rankings : Ranking, Rankings or sequence of Ranking

    Returns
    -------
    dict of str to Style
        The model with the smallest mean rank first. The first 20 have a colour and marker of their
        own; all others are grey.

    Raises
    ------
    OptionError
        If there is no ranking.

    Examples
    --------
    >>> import halfwidth as hw
    >>> rankings = hw.rank({"A": [0.8, 0.7, 0.9], "B": [0.9, 0.8, 0.95]}, metric="dsc", rng=1)
    >>> {name: style.colour for name, style in model_styles(rankings).items()}
    {'B': '#0072B2', 'A': '#009E73'}
    """
    ranks: dict[str, list[int]] = {}
    for ranking in several(rankings):
        for model in ranking.models:
            ranks.setdefault(model.name, []).append(model.rank)
    order = sorted(ranks, key=lambda name: sum(ranks[name]) / len(ranks[name]))
    return {name: _style(place) for place, name in enumerate(order)}


def _style(place: int) -> Style:
    if place >= MOST_COLOURS:
        return GREY
    shade, hue = divmod(place, len(COLOURS))
    return Style(_shaded(COLOURS[hue], shade), SOLID, SHAPES[place % len(SHAPES)])


def _shaded(colour: str, shade: int) -> str:
    """The colour itself, darker, or paler.

    >>> [_shaded("#0072B2", shade) for shade in (0, 1, 2)]
    ['#0072B2', '#003f62', '#73b1d5']
    """
    if not shade:
        return colour
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    share, end = (DARKER, 0) if shade == 1 else (PALER, 255)
    return "#" + "".join(f"{round(part + share * (end - part)):02x}" for part in parts)


def several(rankings: Any) -> Sequence[Ranking]:
    """One ranking is as welcome as several of them; none is refused."""
    items = listed(rankings, Ranking, "rankings")
    if not len(items):
        raise OptionError("a figure needs at least one ranking")
    return items


def only(rankings: Any, what: str) -> Ranking:
    """The only ranking, or an `OptionError`."""
    items = several(rankings)
    if len(items) > 1:
        raise OptionError(
            f"{what} draws one ranking, and there are {len(items)}; take one, as in rankings[0], "
            "or draw all: figures_of_rankings(rankings)"
        )
    return items[0]


def styles_for(rankings: Sequence[Ranking], styles: Any) -> Styles:
    """The styles given, which must have all models, or those of the rankings."""
    if styles is None:
        return model_styles(rankings)
    if not isinstance(styles, Mapping) or not all(isinstance(x, Style) for x in styles.values()):
        raise OptionError(f"styles={shown(styles)} is not what model_styles gives")
    names = dict.fromkeys(model.name for ranking in rankings for model in ranking.models)
    if lacking := [name for name in names if name not in styles]:
        raise OptionError(f"styles has no {quoted(lacking)}; take those of all rankings")
    return {name: style for name, style in styles.items() if name in names}
