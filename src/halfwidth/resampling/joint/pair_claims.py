"""What is claimed of pairs of models at once, by stepdown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Level

Flags = NDArray[np.bool_]
Limit = TypeVar("Limit")


@frozen(eq=False)
class Claims:
    """What is claimed of pairs of models by more than a margin."""

    # (P, 2): of the first model over the second, and of the second over the first
    better: Flags
    not_better: Flags


def sides_of(level: Level) -> Flags:
    """Whether intervals of a level end below, and whether they end above."""
    return np.array([level.alternative != "upper", level.alternative != "lower"])


def stepdown(
    sides: Flags, limit_of: Callable[[Flags], Limit], holds: Callable[[Limit], Flags]
) -> tuple[Flags, list[Limit]]:
    """Which hypotheses, (P, 2), are rejected together, and the limit of each step.

    Those that are rejected at a step leave the family, whose limit is then easier to pass, until
    none is rejected any more (Romano & Wolf 2005; Mogstad, Romano, Shaikh & Wilhelm 2024 for
    ranks).
    """
    left, rejected = sides.copy(), np.zeros_like(sides)
    limits = []
    while left.any():
        limits.append(limit_of(left))
        newly = left & holds(limits[-1])
        if not newly.any():
            break
        rejected |= newly
        left &= ~newly
    return rejected, limits
