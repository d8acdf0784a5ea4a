"""How many digits a number deserves: as many as its interval supports."""

from __future__ import annotations

import math

__all__ = ["decimals_for", "fixed", "percent"]

MOST_DECIMALS = 12


def decimals_for(value: float, low: float, high: float) -> int:
    """Decimals that leave the half-width one or two significant digits.

    The rule of the Particle Data Group: two digits where the half-width begins with 1.00 to 3.54,
    else one. Without a finite interval, three significant digits of the value.

    >>> decimals_for(0.89714, 0.8919, 0.9024), decimals_for(80.3, 79.0, 81.5)
    (3, 1)
    """
    halfwidth = (high - low) / 2
    if not math.isfinite(halfwidth) or halfwidth <= 0:
        # A one-sided bound still tells how far the value is from it.
        ends = [abs(value - end) for end in (low, high) if math.isfinite(end)]
        halfwidth = max(ends, default=0.0)
    if not math.isfinite(halfwidth) or halfwidth <= 0:
        if not math.isfinite(value) or value == 0:
            return 3
        return max(0, min(MOST_DECIMALS, 2 - math.floor(math.log10(abs(value)))))
    exponent = math.floor(math.log10(halfwidth))
    digits = 2 if halfwidth / 10.0**exponent < 3.55 else 1
    return max(0, min(MOST_DECIMALS, digits - 1 - exponent))


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals; ``n/a`` for NaN, ``∞`` for infinity.

    >>> fixed(0.5, 2), fixed(-0.0001, 2), fixed(math.inf, 2)
    ('0.50', '0.00', '∞')
    """
    if math.isnan(value):
        return "n/a"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text


def percent(share: float) -> str:
    """A share as per cent: ``95 %``.

    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{round(100 * share, 10):g} %"
