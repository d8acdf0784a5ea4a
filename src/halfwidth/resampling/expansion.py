"""Levels at which quantiles of draws lie as far out as those of Student's t."""

from __future__ import annotations

import numpy as np

from halfwidth.core.types import Array

# Expanded levels of fewer units lie so far out that hardly a draw does.
FEWEST_EXPANDED = 10
# Quantiles are 0 at a tail of ½, and their ratio has a limit there.
LARGEST_TAIL = 0.499999


def expanded_tail(tail: float, degrees_of_freedom: float) -> tuple[float, float]:
    """The tail of draws whose quantile takes the place of that of ``tail``, and a factor.

    Φ(-z), z = √(n/(n - 1)) t₍n₋₁₎, n the degrees of freedom plus 1. Of fewer units than ten the
    tail is that of ten, and the factor says how many times as far from the estimate the interval
    reaches.

    >>> tail, factor = expanded_tail(0.025, 19)
    >>> f"{tail:.4f} {factor:g}"
    '0.0159 1'
    """
    from scipy import special

    tail = min(tail, LARGEST_TAIL)

    def reach(degrees: float) -> float:
        return float(-np.sqrt((degrees + 1) / degrees) * special.stdtrit(degrees, tail))

    least = max(degrees_of_freedom, FEWEST_EXPANDED - 1.0)
    return float(special.ndtr(-reach(least))), reach(degrees_of_freedom) / reach(least)


def unexpanded_tail(share: Array, degrees_of_freedom: float) -> Array:
    """The tail that is expanded to a share, of ten units or more.

    >>> round(float(unexpanded_tail(np.array(expanded_tail(0.025, 19)[0]), 19)), 12)
    0.025
    """
    from scipy import special

    deviate = special.ndtri(share) * np.sqrt(degrees_of_freedom / (degrees_of_freedom + 1))
    return np.asarray(special.stdtr(degrees_of_freedom, deviate))
