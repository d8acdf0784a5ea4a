"""The rows of a table that a user picks, by the levels of its columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, proposed, shortened
from halfwidth.io.table import Table


def wanted_levels(conditions: Sequence[str], columns: Collection[str] = ()) -> dict[str, list[str]]:
    """Levels that are wanted of each column, from ``COLUMN=LEVEL``.

    The first sign that ends one of these ``columns`` divides, else the first.

    >>> wanted_levels(["organ=heart", "organ=lung", "site=A"])
    {'organ': ['heart', 'lung'], 'site': ['A']}
    >>> wanted_levels(["=a=b"], ["=a"])
    {'=a': ['b']}
    """
    wanted: dict[str, list[str]] = {}
    for text in conditions:
        signs = [place for place, letter in enumerate(text) if letter == "="]
        first = signs[0] if signs else len(text)
        sign = next((place for place in signs if text[:place] in columns), first)
        column, level = text[:sign], text[sign + 1 :]
        if not (column and level):
            raise OptionError(f"{text}: not of the form COLUMN=LEVEL, such as organ=heart")
        wanted.setdefault(column, []).append(level)
    return wanted


def pick_rows(table: Table, wanted: Mapping[str, Sequence[str]]) -> Table:
    """The rows that have one of the levels wanted of each column.

    ``wanted``: for each column the levels as they are written; none for a missing cell.

    With a note that says how many rows are left, and without the means that the file states, which
    are of all rows.

    >>> table = Table.from_frame({"organ": ["heart", "lung", "heart"], "dice": [0.9, 0.8, 0.7]})
    >>> picked = pick_rows(table, {"organ": ["heart"]})
    >>> picked.columns["dice"].tolist(), picked.notes
    ([0.9, 0.7], ('2 of 3 rows: organ=heart',))
    """
    picked = np.ones(len(table), dtype=bool)
    for column, levels in wanted.items():
        if column not in table:
            raise UnknownNameError("column", column, table.names)
        factor = table.factor(column)
        named = [str(level) for level in factor.levels]
        for level in levels:
            if level not in named:
                raise DataError(
                    f"column {column} has no level {level!r}{proposed(level, named) or '.'} "
                    f"Known: {shortened(named)}."
                )
        picked &= np.isin(factor.codes, [named.index(level) for level in levels])
    said = " and ".join(f"{column}={' or '.join(levels)}" for column, levels in wanted.items())
    if not picked.any():
        raise DataError(f"no row has all of {said}")
    left = replace(table.only(np.flatnonzero(picked)), stated_means=())
    return replace(left, notes=(*table.notes, f"{picked.sum()} of {len(table)} rows: {said}"))
