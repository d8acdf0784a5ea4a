"""A figure as a value: what draws it, the frame of its numbers, and what it shows in words."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias, TypeVar

from halfwidth.plots.style import require_matplotlib

if TYPE_CHECKING:
    import pandas as pd

Drawing = ParamSpec("Drawing")
Numbers = ParamSpec("Numbers")
Drawn = TypeVar("Drawn")


class Figure(Generic[Drawing, Drawn, Numbers]):
    """What draws finished results. Called, it draws; it is declared by `figure`.

    Attributes
    ----------
    frame : callable
        The same results to a DataFrame of every number that is drawn.
    caption : str
        What it shows: its alternative text, too.
    """

    def __init__(
        self,
        draw: Callable[Drawing, Drawn],
        frame: Callable[Numbers, pd.DataFrame],
        caption: str,
    ) -> None:
        functools.update_wrapper(self, draw)
        self._draw, self.frame, self.caption = draw, frame, caption
        parameters = [*inspect.signature(draw).parameters]
        self._place_of_axes = parameters.index("ax") if "ax" in parameters else len(parameters)

    def __call__(self, *args: Drawing.args, **options: Drawing.kwargs) -> Drawn:
        """Draw."""
        require_matplotlib(options.get("ax", next(iter(args[self._place_of_axes :]), None)))
        return self._draw(*args, **options)


# One of any results.
AnyFigure: TypeAlias = Figure[Any, Any, Any]


def figure(
    caption: str, frame: Callable[Numbers, pd.DataFrame]
) -> Callable[[Callable[Drawing, Drawn]], Figure[Drawing, Drawn, Numbers]]:
    """Declare a figure on the function that draws it."""
    return lambda draw: Figure(draw, frame, caption)
