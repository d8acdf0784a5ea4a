"""Whether values lie on a lattice, as scores in steps of a half do, and with what step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.core.types import Array

# In SDs of the values: how far from the lattice a value may lie, and how fine a lattice may be.
# What is less changes the mean by less than a millionth of its standard error.
NEAR, FINEST = 1e-6, 5e-6
# The same for few values, whose distributions promise a thousandth.
NEAR_OF_FEW, FINEST_OF_FEW = 2e-5, 2e-4
# Values that are looked at first, where there are many.
FIRST = 2000
# Steps that are finer than the first one by this power of 2 are none.
MOST_DIVISIONS = 200


def lattice_step(strata: Sequence[Array], deviation: float, *, few: bool) -> float | None:
    """The largest step of which all differences within strata are multiples; None without any."""
    # Strata hold values about one of their own; `deviation` is the SD of all.
    tolerance, finest = (
        deviation * share for share in ((NEAR_OF_FEW, FINEST_OF_FEW) if few else (NEAR, FINEST))
    )
    some = [values[:: max(1, len(values) // FIRST)] for values in strata]
    if _common_step(some, tolerance, finest) is None:
        return None
    step = _common_step(strata, tolerance, finest)
    if step is None:
        return None
    off = (np.abs(values - step * np.rint(values / step)) for values in strata)
    return step if all((own <= 2 * tolerance).all() for own in off) else None


def _common_step(strata: Sequence[Array], tolerance: float, finest: float) -> float | None:
    """Euclid's algorithm on the gaps between distinct values; infinite where there are none."""
    gaps = np.unique(np.concatenate([np.diff(np.unique(values)) for values in strata]))
    gaps = gaps[gaps > tolerance]
    if not len(gaps):
        return np.inf
    step = float(gaps[0])
    # What is left of a division is at most half of the step.
    for _ in range(MOST_DIVISIONS):
        if step < finest:
            break
        rest = np.abs(gaps - step * np.rint(gaps / step))
        rest = rest[rest > tolerance]
        if not len(rest):
            # The step itself is rounded: what many steps add up to is known better.
            steps = np.rint(gaps / step)
            return float((gaps @ steps) / (steps @ steps))
        step = float(rest.min())
    return None
