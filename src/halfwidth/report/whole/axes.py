"""Axes on which the intervals of a table are drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from halfwidth.core.formatting import fixed
from halfwidth.report.document import Axis

# Beyond the outermost intervals, in shares of what they span.
MARGIN = 0.04
TICKS = 4


def axis_for(
    intervals: Sequence[tuple[float, float, float]], marks: Iterable[float] = ()
) -> Axis | None:
    """An axis on which values with their low and high ends can be drawn; None where none can.

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
    return Axis(low, high, tuple(_ticks(low, high)), marks)


def _ticks(low: float, high: float) -> Iterable[tuple[float, str]]:
    """Round numbers, some four of them: a step of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = min((factor * power for factor in (1, 2, 5, 10)), key=lambda one: abs(one - rough))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    for place in range(first, last + 1):
        # Minus nothing is nothing.
        yield place * step, fixed(place * step + 0.0, decimals)
