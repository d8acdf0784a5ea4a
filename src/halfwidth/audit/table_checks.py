"""Checks of a table as a whole: rows that are no cases, copies, and names spelled in two ways."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.audit.findings import rows_finding
from halfwidth.core.cautions import caution
from halfwidth.core.errors import quoted, shortened
from halfwidth.io.table import Table, joint_codes
from halfwidth.results.audit import MOST_NAMED, Finding
from halfwidth.tables.layout import Layout
from halfwidth.tables.summary_rows import WHERE_CASES_ARE, Totals

# Suffixes that files of one case may have or lack.
OF_FILES = re.compile(r"\.(nii|nrrd|mha|mhd|png|tiff?|jpe?g|dcm|npy|json)(\.gz)?$")
# Groups of names that are told, of very many.
MOST_GROUPS = 5
# Fractions that two rows without ids must share to be copies.
FEWEST_FRACTIONS = 3


def summary_finding(why: str, name: str) -> Finding:
    """A table that holds no cases."""
    return Finding(caution("HW901", what=f"The table is a summary: {why}; {WHERE_CASES_ARE}"), name)


def totals_finding(table: Table, name: str, totals: Totals) -> Finding:
    """Rows below the cases that are statistics of them."""
    words = list(dict.fromkeys(totals.words))
    rows = "1 row" if len(totals.rows) == 1 else f"{len(totals.rows)} rows"
    raised = caution(
        "HW901",
        what=f"Column {totals.column!r} names {quoted(words[:MOST_NAMED])} among the cases: {rows} "
        "left out here",
    )
    return rows_finding(table, name, totals.rows, raised, case=totals.column)


def copied_rows(table: Table, case: str | None) -> NDArray[np.intp]:
    """Rows that repeat an earlier one in every cell; columns that number the rows do not count.

    Without ids of cases, rows must share several fractions: scores of 0 and 1 are often tied.
    """
    columns = [
        name
        for name in table.names
        if (name and not name.startswith("Unnamed:"))
        or len(table.factor(name).distinct) < len(table)
    ]
    if not columns:
        return np.empty(0, dtype=np.intp)
    codes = joint_codes(*(table.factor(name).codes for name in columns))
    first = np.unique(codes, return_index=True)[1]
    copies = np.delete(np.arange(len(table)), first)
    return copies if case is not None else copies[_hold_fractions(table, copies)]


def _hold_fractions(table: Table, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether rows hold so many numbers that are no whole ones."""
    numeric = [name for name in table.names if table.is_numeric(name)]
    cells = np.array([table.values(name, rows) for name in numeric], dtype=float)
    if not len(cells):
        return np.zeros(len(rows), dtype=bool)
    fractions = np.isfinite(cells) & (cells != np.rint(cells))
    return np.asarray(fractions.sum(axis=0) >= FEWEST_FRACTIONS)


def copies_finding(table: Table, name: str, rows: NDArray[np.intp], case: str | None) -> Finding:
    """Rows that are there twice."""
    raised = caution("HW913", count=len(rows), total=len(table))
    return rows_finding(table, name, rows, raised, case=case)


# --------------------------------------------------------------------------- spelling


def check_names(table: Table, name: str, layout: Layout) -> Iterator[Finding]:
    """Names of columns, levels and cases that differ in their spelling only."""
    for group in spelled_alike(table.names)[:MOST_GROUPS]:
        raised = caution("HW909", names=quoted(group[:MOST_NAMED]), where="the columns")
        yield Finding(raised, name, count=len(group))
    texts = [column for column in table.names if not table.is_numeric(column)]
    for column in (column for column in texts if column not in layout.values):
        factor = table.factor(column)
        levels = list(map(str, factor.levels))
        for group in spelled_alike(levels)[:MOST_GROUPS]:
            where = f"column {column!r}"
            raised = caution("HW909", names=quoted(group[:MOST_NAMED]), where=where)
            codes = [code for code, level in enumerate(levels) if level in group[1:]]
            rows = np.flatnonzero(np.isin(factor.codes, codes))
            yield rows_finding(table, name, rows, raised, case=layout.case, label=column)


def check_columns_across(columns: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Columns of values that are spelled otherwise in another table, or are not there."""
    if len(columns) < 2:
        return
    tables = {table: set(names) for table, names in columns.items()}
    names = dict.fromkeys(name for listed in columns.values() for name in listed)
    respelled: set[str] = set()
    for group in spelled_alike(names):
        apart = [table for table, own in tables.items() if len(own & {*group}) == 1]
        if len(apart) > 1:
            respelled |= {*group}
            raised = caution("HW909", names=quoted(group[:MOST_NAMED]), where="the columns")
            yield Finding(raised, shortened(apart, MOST_NAMED), count=len(group))
    # Files with one column each may call it as they like.
    if max(map(len, columns.values())) < 2:
        return
    for table, own in tables.items():
        lacking = [name for name in names if name not in own and name not in respelled]
        if own and lacking:
            others = ", ".join(map(repr, lacking[:MOST_NAMED]))
            raised = caution("HW924", lacking=others)
            yield Finding(raised, table, count=len(lacking))


def spelled_alike(names: Iterable[str]) -> list[list[str]]:
    """Groups of names that differ in capitals, separators, leading zeros or a file's suffix only.

    >>> spelled_alike(["Liver", "spleen", "liver ", "case_1", "case-01.nii.gz"])
    [['Liver', 'liver '], ['case_1', 'case-01.nii.gz']]
    """
    groups: dict[str, dict[str, None]] = {}
    for name in names:
        groups.setdefault(_plain(name), {})[name] = None
    return [list(group) for plain, group in groups.items() if plain and len(group) > 1]


def _plain(name: str) -> str:
    separated = re.sub(r"[\s_\-]+", "_", OF_FILES.sub("", name.strip().lower()))
    return re.sub(r"(?<!\d)0+(?=\d)", "", separated)
