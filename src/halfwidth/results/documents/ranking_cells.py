"""Cells of tables of ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from halfwidth.core.formatting import percent
from halfwidth.document.parts import Cell

if TYPE_CHECKING:
    from halfwidth.results.ranking import RankSet


def set_cell(ranks: RankSet) -> Cell:
    """A set of ranks."""
    return Cell(str(ranks), (ranks.low, ranks.high))


def share_cell(share: float) -> Cell:
    """Share in whole percent; what lies between 0 and 100 is not rounded to either."""
    if math.isnan(share):
        return Cell("", share)
    if 0 < share < 0.005:
        return Cell("<1 %", share)
    return Cell(">99 %" if 0.995 < share < 1 else percent(round(share, 2)), share)
