"""Cautions about rows that are taken as independent cases and may not be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfwidth.core.cautions import Caution, caution

if TYPE_CHECKING:
    from halfwidth.io.repeats import Repeats


def design_doubts(repeats: Repeats, total: int) -> tuple[Caution, ...]:
    """What the repeats among some rows call for.

    Parameters
    ----------
    repeats : Repeats
    total : int
        Rows.
    """
    found = []
    if repeats.cases:
        found.append(caution("HW102", repeats=repeats.cases, total=total))
    if repeats.runs:
        column, levels = repeats.runs
        found.append(caution("HW401", column=column, levels=levels))
    if repeats.shared:
        column, levels = repeats.shared
        found.append(caution("HW402", column=column, levels=levels, cases=total))
    return tuple(found)
