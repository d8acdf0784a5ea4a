"""Making findings of what checks see."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from halfwidth.audit.parts import Part
from halfwidth.core.cautions import Caution
from halfwidth.io.table import Table
from halfwidth.results.audit import MOST_NAMED, Finding


def values_finding(part: Part, chosen: NDArray[np.bool_], raised: Caution) -> Finding:
    """A finding about some values of a part."""
    return Finding(
        raised,
        part.name,
        part.label,
        count=int(chosen.sum()),
        rows=part.row_numbers(chosen, MOST_NAMED),
        cases=part.cases(chosen, MOST_NAMED),
    )


def part_finding(part: Part, raised: Caution) -> Finding:
    """A finding about all values of a part."""
    return Finding(raised, part.name, part.label, len(part.numbers))


def rows_finding(
    table: Table,
    name: str,
    rows: Iterable[int],
    raised: Caution,
    *,
    case: str | None,
    label: str = "",
) -> Finding:
    """A finding about some rows of a table."""
    listed = [int(row) for row in rows]
    first = listed[:MOST_NAMED]
    names = () if case is None else tuple(str(table.factor(case).level(row)) for row in first)
    return Finding(
        raised,
        name,
        label,
        count=len(listed),
        rows=tuple(table.row_number(row) for row in first),
        cases=names,
    )
