"""How many digits a number deserves: as many as its interval supports."""

from __future__ import annotations

import math

__all__ = ["decimals_for", "fixed", "percent"]

MOST_DECIMALS = 8


def decimals_for(value: float, reach: float) -> int:
    """Decimals that leave the distance to the bounds one or two significant digits.

    The rule of the Particle Data Group: two digits where the half-width begins with 1.00 to 3.54,
    else one. Without a finite ``reach`` above 0, three significant digits of the value.

    >>> decimals_for(0.89714, 0.0052), decimals_for(80.3, 1.28)
    (3, 1)
    """
    if not math.isfinite(reach) or reach <= 0:
        if not math.isfinite(value) or value == 0:
            return 3
        return max(0, 2 - math.floor(math.log10(abs(value))))
    exponent = math.floor(math.log10(reach))
    digits = 2 if reach / 10.0**exponent < 3.55 else 1
    return max(0, digits - 1 - exponent)


def fixed(value: float, decimals: int) -> str:
    """A number with so many decimals; ``n/a`` for NaN, ``∞`` for infinity.

    Where that would be a row of zeros, powers of ten.

    >>> fixed(0.5, 2), fixed(-0.0001, 2), fixed(math.inf, 2)
    ('0.50', '0.00', '∞')
    """
    if math.isnan(value):
        return "n/a"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if decimals > MOST_DECIMALS and value:
        return f"{value:.3g}"
    text = f"{value:.{min(decimals, MOST_DECIMALS)}f}"
    return text.lstrip("-") if float(text) == 0 else text


def percent(share: float) -> str:
    """A share as per cent: ``95 %``.

    >>> percent(0.95), percent(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * share:.12g} %"
