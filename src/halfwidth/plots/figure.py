"""A figure as a value: what draws it, the frame of its numbers, and what it shows in words."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias, TypeVar

from halfwidth.core.public_functions import checked_call
from halfwidth.plots.style import require_matplotlib

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure as Canvas

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
    pages : callable
        Draws, and gives a list of Matplotlib figures: one for each page that it takes.
    """

    __name__: str
    __qualname__: str
    frame: Callable[Numbers, pd.DataFrame]
    caption: str
    _draw: Callable[Drawing, Drawn]
    _place_of_axes: int

    def __init__(
        self,
        draw: Callable[Drawing, Drawn],
        frame: Callable[Numbers, pd.DataFrame],
        caption: str,
    ) -> None:
        parameters = [*inspect.signature(draw).parameters]
        place = parameters.index("ax") if "ax" in parameters else len(parameters)
        name = getattr(draw, "__name__", "figure")
        held = {
            "_draw": checked_call(draw, name),
            "frame": checked_call(frame, f"{name}.frame"),
            "caption": caption,
            "_place_of_axes": place,
        }
        vars(self).update(held)
        for name in functools.WRAPPER_ASSIGNMENTS:
            if hasattr(draw, name):
                vars(self)[name] = getattr(draw, name)
        vars(self)["__wrapped__"] = draw

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"{self.__name__} is a figure and cannot be changed: {name}")

    def __reduce__(self) -> str:
        """Pickle it by its name, as a function is pickled."""
        return self.__qualname__

    def __call__(self, *args: Drawing.args, **options: Drawing.kwargs) -> Drawn:
        """Draw."""
        require_matplotlib(options.get("ax", next(iter(args[self._place_of_axes :]), None)))
        from halfwidth.plots.canvas import settings

        with settings():
            return self._draw(*args, **options)

    def pages(self, *args: Drawing.args, **options: Drawing.kwargs) -> list[Canvas]:
        """Draw, and give a figure for each page."""
        drawn: Any = self(*args, **options)
        # Axes have a figure, and a figure has itself.
        return [page.figure for page in (drawn if isinstance(drawn, list) else [drawn])]


# One of any results.
AnyFigure: TypeAlias = Figure[Any, Any, Any]


def figure(
    caption: str, frame: Callable[Numbers, pd.DataFrame]
) -> Callable[[Callable[Drawing, Drawn]], Figure[Drawing, Drawn, Numbers]]:
    """Declare a figure on the function that draws it."""
    return lambda draw: Figure(draw, frame, caption)
