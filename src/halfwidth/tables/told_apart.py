"""How a table is laid out where nobody says so: which columns tell the values of a case apart."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from halfwidth.io.table import Table, joint_codes
from halfwidth.tables.repeats import is_design_column
from halfwidth.tables.summary_rows import OF_PARTS

# Columns of numbers that may name parts of a case, or whoever gave the values.
NUMBERED = frozenset({*OF_PARTS, "reader", "rater", "structure", "region"})
# The share of the levels beyond the first that a case must have on average.
CROSSED = 0.5
# More levels than this are names of cases.
MOST_LEVELS = 200


def telling_apart(
    table: Table,
    case: str | None,
    taken: Collection[str],
    groups: str | None = None,
    known: Collection[str] = (),
) -> tuple[str, ...]:
    """Columns whose levels must be looked at apart, because cases repeat across them.

    Where ``groups`` names a column of clusters, ids name cases within these. Cases may repeat
    across ``known`` columns. A table of several
    models or structures has a row per case in each. A column in which most cases have one level
    only, such as the scanner, is none.

    >>> table = Table.from_frame({"case": ["a", "b"] * 2, "organ": list("xxyy"), "dice": [1.0] * 4})
    >>> telling_apart(table, "case", ())
    ('organ',)
    """
    if case is None or case == groups:
        return ()
    of_a_case = [name for name in (*known, groups, case) if name is not None]
    cases = joint_codes(*(table.factor(name).codes for name in of_a_case))
    if _distinct(cases) == len(table):
        return ()
    columns = {
        name: table.factor(name).codes
        for name in table.names
        if _may(table, name, case, (*taken, *known))
    }
    wanted = _distinct(cases, *columns.values())
    for name in reversed(list(columns)):
        others = [codes for other, codes in columns.items() if other != name]
        if _distinct(cases, *others) == wanted:
            del columns[name]
    if not columns:
        return ()
    each, levels = wanted / _distinct(cases), _distinct(*columns.values())
    return tuple(columns) if each - 1 >= CROSSED * (levels - 1) else ()


def _may(table: Table, name: str, case: str, taken: Collection[str]) -> bool:
    if name in (case, "status", "metric", "value", "") or name in taken or is_design_column(name):
        return False
    if table.is_numeric(name) and name.strip().lower() not in NUMBERED:
        return False
    return 1 < len(table.factor(name).distinct) <= min(MOST_LEVELS, len(table) // 2)


def _distinct(*codes: NDArray[np.intp]) -> int:
    return len(np.unique(joint_codes(*codes)))
