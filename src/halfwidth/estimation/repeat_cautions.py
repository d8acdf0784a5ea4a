"""Cautions about rows that are taken as independent cases and may not be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfwidth.core.cautions import Caution, caution

if TYPE_CHECKING:
    from halfwidth.io.repeats import Repeats


def repeat_cautions(
    repeats: Repeats, total: int, *, ids_of_groups: bool = False
) -> tuple[Caution, ...]:
    """What the repeats among some rows call for.

    Parameters
    ----------
    repeats : Repeats
    total : int
        Rows.
    ids_of_groups : bool
        Whether ids name cases within their group only, such as lesion 1 of each patient.
    """
    raised = []
    if repeats.cases and not ids_of_groups:
        raised.append(caution("HW102", repeats=repeats.cases, total=total))
    if repeats.runs:
        column, levels = repeats.runs
        raised.append(caution("HW401", column=column, levels=levels))
    if repeats.shared:
        column, levels = repeats.shared
        raised.append(caution("HW402", column=column, levels=levels, cases=total))
    return tuple(raised)
