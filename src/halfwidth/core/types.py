"""Small frozen values that every layer uses."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import as_choice, as_number, is_number
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.formatting import per_cent_hint, percent
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled

Array = NDArray[np.float64]
# Counts or sums, complex where a derivative is taken.
Numbers = NDArray[Any]
# Weights of a numerator and of a denominator.
Quotient = tuple[tuple[float, ...], tuple[float, ...]]
Alternative = Literal["two-sided", "lower", "upper"]
# What holds as often as the level says: each point of a curve, or the whole.
Band = Literal["pointwise", "simultaneous"]
# What a statistic is taken of.
Over = Literal["cases", "clusters"]
# What predictions are.
Scores = Literal["auto", "probabilities", "logits", "any", "labels", "numbers"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "lower", "upper")
BETWEEN = "strictly between 0 and 1"


@frozen
class Bounds:
    """A closed range ``[low, high]``; either end may be infinite.

    >>> Bounds(0, 1).width
    1.0
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        numbers = is_number(self.low) and is_number(self.high)
        if not numbers or not self.low < self.high:
            raise OptionError(
                "bounds need a low end below the high one, got "
                f"({shown(self.low)}, {shown(self.high)})"
            )

    @property
    def finite(self) -> bool:
        """Whether both ends are, and differences of values, as some methods need."""
        return math.isfinite(2 * self.width)

    @property
    def width(self) -> float:
        """``high - low``; infinite where an end is."""
        return float(self.high) - float(self.low)

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        return max(abs(float(self.low)), abs(float(self.high)))

    def __str__(self) -> str:
        left = "(" if math.isinf(self.low) else "["
        right = ")" if math.isinf(self.high) else "]"
        return f"{left}{self.low:g}, {self.high:g}{right}".replace("inf", "∞")


def as_bounds(bounds: Any) -> Bounds:
    """The bounds that are given as such, or as a pair of numbers."""
    if isinstance(bounds, Bounds):
        return bounds
    try:
        low, high = (float(end) for end in bounds if is_number(end))
    except (OverflowError, TypeError, ValueError):
        raise OptionError(
            f"{spelled('bounds', bounds)} is not a pair of numbers (low, high)"
        ) from None
    return Bounds(low, high)


UNBOUNDED = Bounds(-math.inf, math.inf)
UNIT_INTERVAL = Bounds(0.0, 1.0)


@frozen
class Level:
    """How sure an interval is meant to be, and on which side it is closed."""

    # 1 - α, strictly between 0 and 1; of a one-sided bound at least 0.5, below which it would lie
    # on the other side of the estimate.
    confidence_level: float = 0.95
    # ``"lower"`` asks for a lower confidence bound (the true value is at least ``low``),
    # ``"upper"`` for an upper one; the other end is then the end of the statistic's range.
    alternative: Alternative = "two-sided"

    def __post_init__(self) -> None:
        level = as_number("confidence_level", self.confidence_level, BETWEEN)
        if not 0 < level < 1:
            written = spelled("confidence_level", self.confidence_level)
            raise OptionError(f"{written} is not {BETWEEN}{per_cent_hint(level)}")
        object.__setattr__(self, "confidence_level", level)
        # SciPy names the alternative hypothesis, not the bound that comes of it.
        as_choice("alternative", self.alternative, meant={"less": "upper", "greater": "lower"})
        if level < 0.5 and self.alternative != "two-sided":
            other = "upper" if self.alternative == "lower" else "lower"
            raise OptionError(
                f"{spelled('confidence_level', level)} is below 0.5, where the {self.alternative} "
                f"bound lies beyond the estimate: it is the {other} one at {1 - level:.12g}; ask "
                f"for {spelled('alternative', other)} with {spelled('confidence_level', 1 - level)}"
            )

    @property
    def alpha(self) -> float:
        """The total error probability α, as exact as the level is written: 0.05 for 0.95."""
        mantissa, _, exponent = repr(float(self.confidence_level)).partition("e")
        whole, _, fraction = mantissa.partition(".")
        one = int(10 ** (len(fraction) - int(exponent or 0)))
        return (one - int(whole + fraction)) / one

    @property
    def text(self) -> str:
        """What its interval is in prose: ``95 % CI``, ``lower 95 % confidence bound``."""
        written = percent(self.confidence_level)
        if self.alternative == "two-sided":
            return f"{written} CI"
        return f"{self.alternative} {written} confidence bound"

    @property
    def tail(self) -> float:
        """The error probability allotted to each computed side: α/2, or α when one-sided."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha


@frozen
class Interval:
    """Lower and upper bounds, one pair for each sample of a batch."""

    # NaN where the method cannot give an interval.
    low: Array
    high: Array
    # That which the method used or estimated; NaN where it has none.
    standard_error: Array

    @classmethod
    def of(cls, low: Any, high: Any, standard_error: Any = np.nan) -> Interval:
        """Broadcast three array-likes against each other into an interval."""
        arrays = np.broadcast_arrays(*(np.asarray(a, float) for a in (low, high, standard_error)))
        return cls(*arrays)


def decimals(numbers: NDArray[Any]) -> Array:
    """The decimals that were meant by numbers in single precision: 1.2, not 1.2000000476837158.

    >>> float(decimals(np.array(1.2, dtype=np.float32)))
    1.2
    """
    texts = [str(number) for number in numbers.ravel()]
    return np.array(texts, dtype=float).reshape(numbers.shape)
