"""One look for each method, the same in every figure: a colour, a stroke and a marker."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

from halfwidth.plots.style import COLOURS, INK

__all__ = ["METHOD_LOOKS", "Look", "method_looks", "series_looks"]

BLUE, GREEN, ORANGE, RED, SKY, GREY, PINK = COLOURS
SOLID, DASHED, DOTTED, BROKEN = "-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1, 1, 1))
STROKES = (SOLID, DASHED, DOTTED, BROKEN)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h", "d")


class Look(NamedTuple):
    """How a line is told from the others, also without colour."""

    colour: str
    stroke: Any
    marker: str

    @property
    def line(self) -> dict[str, Any]:
        """Arguments of ``Axes.plot``."""
        return {
            "color": self.colour,
            "linestyle": self.stroke,
            "marker": self.marker,
            "linewidth": 1.2,
            "markersize": 3.2,
            "markeredgewidth": 0.5,
        }


# No two have the same colour and stroke.
METHOD_LOOKS = {
    "percentile": Look(BLUE, SOLID, "o"),
    "bca": Look(ORANGE, DASHED, "s"),
    "basic": Look(RED, DOTTED, "v"),
    "studentized": Look(PINK, DASHED, "X"),
    "t": Look(GREEN, SOLID, "^"),
    "z": Look(SKY, DASHED, "D"),
    "hall": Look(INK, BROKEN, "P"),
    "trimmed_t": Look(GREEN, DASHED, "<"),
    "hoeffding": Look(GREY, SOLID, "*"),
    "empirical_bernstein": Look(PINK, DOTTED, "h"),
    "exact": Look(INK, DOTTED, "d"),
    "exact_randomized": Look(GREY, DASHED, ">"),
    "semiparametric": Look(SKY, DOTTED, "p"),
    "asymptotic": Look(PINK, BROKEN, "v"),
    "wilson": Look(GREEN, BROKEN, "D"),
    "clopper_pearson": Look(INK, DASHED, "s"),
    "jeffreys": Look(PINK, SOLID, "P"),
    "agresti_coull": Look(SKY, SOLID, "X"),
    "wald": Look(GREY, DOTTED, "v"),
    "delong_logit": Look(GREEN, DOTTED, ">"),
    "delong": Look(RED, SOLID, "<"),
    "newcombe": Look(INK, SOLID, "p"),
    "hanley_mcneil": Look(GREY, BROKEN, "h"),
    "delta": Look(SKY, BROKEN, "d"),
}


def method_looks(methods: Iterable[str]) -> dict[str, Look]:
    """The look of each method, in the order of the table; methods it lacks take what is left.

    Parameters
    ----------
    methods : iterable of str

    Returns
    -------
    dict of str to Look
        Methods of the table first, then the others by name.

    Examples
    --------
    >>> [name for name in method_looks(["mine", "t", "bca"])]
    ['bca', 't', 'mine']
    """
    asked = set(methods)
    used = {(look.colour, look.stroke) for look in METHOD_LOOKS.values()}
    left = [pair for pair in itertools.product((*COLOURS, INK), STROKES) if pair not in used]
    found = {name: look for name, look in METHOD_LOOKS.items() if name in asked}
    for place, name in enumerate(sorted(asked - METHOD_LOOKS.keys())):
        colour, stroke = left[place % len(left)]
        # The marker tells those apart that have to share a pair.
        found[name] = Look(colour, stroke, MARKERS[place // len(left) % len(MARKERS)])
    return found


def series_looks(names: Iterable[str]) -> dict[str, Look]:
    """Looks of anything but methods, such as metrics, in the order in which they come."""
    return {
        name: Look(
            COLOURS[place % len(COLOURS)],
            STROKES[place % len(STROKES)],
            MARKERS[place % len(MARKERS)],
        )
        for place, name in enumerate(dict.fromkeys(names))
    }
