"""Axes on which the intervals of a table are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from halfwidth.core.formatting import fixed
from halfwidth.document.parts import Axis

# Beyond the outermost intervals, in shares of what they span.
MARGIN = 0.04
TICKS = 4
# Of all labels with a space behind each, side by side under the axis.
MOST_LETTERS = 32


def axis_for(
    intervals: Sequence[tuple[float, ...]], marks: Iterable[float] = (), pale: str = ""
) -> Axis | None:
    """An axis on which values with their ends can be drawn; None where none can.

    ``pale``: what pale lines are, where intervals have two further ends.

    >>> axis = axis_for([(0.8, 0.75, 0.86), (0.9, 0.88, 0.95)])
    >>> [label for _, label in axis.ticks]
    ['0.75', '0.80', '0.85', '0.90', '0.95']
    """
    marks = tuple(mark for mark in marks if math.isfinite(mark))
    ends = [end for one in intervals for end in one if math.isfinite(end)] + list(marks)
    if not ends:
        return None
    low, high = min(ends), max(ends)
    room = MARGIN * (high - low) or max(abs(low), 1.0) * MARGIN
    low, high = low - room, high + room
    return Axis(low, high, tuple(_ticks(low, high)), marks, pale)


def _ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers, some four of them: a step of 1, 2 or 5 times a power of ten.

    Where their labels would touch, the step is wider.
    """
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    steps = [factor * power for factor in (1, 2, 5, 10, 20, 50)]
    nearest = min(range(len(steps)), key=lambda place: abs(steps[place] - rough))
    for step in steps[nearest:]:
        ticks = _at_steps(step, low, high)
        if len(ticks) < 3 or sum(len(label) + 1 for _, label in ticks) <= MOST_LETTERS:
            break
    return ticks


def _at_steps(step: float, low: float, high: float) -> list[tuple[float, str]]:
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    # Minus nothing is nothing.
    return [(at * step, fixed(at * step + 0.0, decimals)) for at in range(first, last + 1)]
