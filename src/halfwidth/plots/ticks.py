"""Ticks of an axis: round numbers, as many as stand apart, written out in full.

What draws imports this module when it draws, since matplotlib is loaded with it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import Formatter, Locator, MaxNLocator, NullLocator

if TYPE_CHECKING:
    from matplotlib.axis import Axis

MOST, STEPS = 8, (1, 2, 2.5, 5, 10)
# Of a logarithmic axis that spans less, ticks are equal steps, and six of them at most.
FEW_TIMES, MOST_EQUAL = 4.0, 6
# Letters of DejaVu Sans are about so many times as wide as they are high; between two labels.
LETTER, GAP = 0.64, 0.9
# Numbers of this many digits before or after the point take a power of ten.
LARGE, SMALL = 1e6, 1e-4
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain_numbers(axis: Axis) -> None:
    """Round numbers, as many as fit, without an offset or a factor beside the axis."""
    log = axis.get_scale() == "log"
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(PlainNumbers(log=log))
    axis.set_major_locator(FittingTicks(log=log))


def number_texts(numbers: Sequence[float]) -> list[str]:
    """Numbers of an axis with as many decimals as tell them apart, the same for all.

    >>> number_texts([0.725, 0.75]), number_texts([-2.0, 0.0, 2.0])
    (['0.725', '0.750'], ['−2', '0', '2'])
    >>> number_texts([0.0, 1.5e7]), number_texts([123456.086, 123456.088])
    (['0', '1.5×10⁷'], ['123456.086', '123456.088'])
    """
    finite = [abs(number) for number in numbers if math.isfinite(number)]
    largest = max(finite, default=0.0)
    power = 0 if SMALL <= largest < LARGE or not largest else math.floor(math.log10(largest))
    shares = [number / 10.0**power for number in numbers]
    steps = [abs(b - a) for a, b in itertools.pairwise(sorted(shares)) if b > a]
    off = 1e-3 * min(steps, default=max(map(abs, shares), default=1.0) or 1.0)
    decimals = next(
        (d for d in range(12) if all(abs(round(share, d) - share) <= off for share in shares)), 12
    )
    factor = f"×10{str(power).translate(SUPERSCRIPTS)}" if power else ""
    return [
        f"{share:.{decimals}f}{factor}".replace("-", "\N{MINUS SIGN}")
        if not power or share
        else "0"
        for share in shares
    ]


class PlainNumbers(Formatter):
    """Numbers in full; on a logarithmic axis each with the digits that it needs."""

    def __init__(self, *, log: bool) -> None:
        self._log = log

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """One number."""
        return self.format_ticks([x])[0]

    def format_ticks(self, values: Any) -> list[str]:
        """All numbers of the axis."""
        if self._log:
            return [number_texts([value])[0] for value in values]
        return number_texts(list(values))


class FittingTicks(Locator):
    """Round numbers, as many as stand apart, however long the axis comes out in the layout."""

    def __init__(self, *, log: bool) -> None:
        self._log = log

    def __call__(self) -> list[float]:
        """Ticks of the axis as it is now."""
        return self.tick_values(*sorted(self._own.get_view_interval()))

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        """The most of the candidates that fit, or else the ends of the fewest."""
        chosen: list[float] = []
        for ticks in self._candidates(vmin, vmax):
            inside = [float(tick) for tick in ticks if vmin <= tick <= vmax]
            if len(inside) < 2 <= len(chosen):
                break
            chosen = inside
            if self._fit(inside, vmin, vmax):
                return inside
        return [chosen[0], chosen[-1]] if len(chosen) > 2 else chosen

    @property
    def _own(self) -> Any:
        return self.axis

    def _candidates(self, low: float, high: float) -> Iterator[Sequence[float]]:
        """Ticks, ever fewer."""
        if not self._log or high / low < FEW_TIMES:
            for bins in range(MOST_EQUAL if self._log else MOST, 0, -1):
                yield list(MaxNLocator(bins, steps=STEPS).tick_values(low, high))
            return
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for parts in ((1, 2, 5), (1, 3), (1,)):
            yield [part * 10.0**k for k in decades for part in parts]
        for step in range(2, len(decades)):
            yield [10.0**k for k in decades if k % step == 0]

    def _fit(self, ticks: Sequence[float], low: float, high: float) -> bool:
        """Whether labels at these ticks do not touch."""
        box, across = self._own.axes.bbox, self._own.axis_name == "x"
        inches = (box.width if across else box.height) / self._own.axes.figure.figure.dpi
        at = self._own.get_transform().transform
        span = float(at(high) - at(low)) or 1.0
        places = [72 * inches * float(at(tick)) / span for tick in ticks]
        size = float(self._own.majorTicks[0].label1.get_fontsize())
        texts = PlainNumbers(log=self._log).format_ticks(ticks)
        halves = [size * (LETTER * len(text) if across else 1.0) / 2 for text in texts]
        return all(
            b - a >= half + other + GAP * size
            for (a, b), (half, other) in zip(
                itertools.pairwise(places), itertools.pairwise(halves), strict=True
            )
        )
