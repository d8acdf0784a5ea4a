"""Tables whose rows are not cases: summaries, and totals below the cases."""

from __future__ import annotations

import re

import numpy as np

from halfwidth.core.errors import DataError, quoted, shortened
from halfwidth.io.numerals import LOOKED_AT
from halfwidth.io.table import Table

# Names of statistics, as MONAI, pandas and spreadsheets write them.
STATISTICS = frozenset(
    {
        *("mean", "average", "avg", "median", "mode", "max", "maximum", "min", "minimum", "sum"),
        *("std", "sd", "stdev", "std.", "var", "variance", "sem", "iqr", "range"),
        *("notnans", "notnan", "count", "n", "total", "nans"),
    }
)
QUANTILE = re.compile(r"\d+(?:\.\d+)?(?:%|[ _]?(?:th[ _]?)?(?:percentile|pct|quantile))|[qp]\d+")
# What the rows of a summary are called: parts of a case, never cases.
OF_PARTS = ("class", "classes", "label", "organ", "structure", "metric", "task", "model")
COUNTS = ("notnans", "notnan", "count", "n")
# Rows below the cases, under their column of ids.
TOTALS = STATISTICS - {"n", "mode", "range", "var", "max", "min", "nans"}
WHERE_CASES_ARE = (
    "the values of single cases are in another file (of MONAI's, *_raw.csv); 'halfwidth review' "
    "reads tables of means, SDs and numbers of cases"
)


def check_cases(table: Table, case: str | None) -> None:
    """Refuse a table in which all or some rows are statistics.

    Parameters
    ----------
    table : Table
    case : str or None
        The column of case ids.

    Raises
    ------
    DataError
        Naming the columns or the rows.
    """
    statistics = [name for name in table.names if _is_statistic(name)]
    others = [name for name in table.names if name not in statistics]
    counted = any(name.strip().lower() in COUNTS for name in statistics)
    named = len(others) <= 1 and all(
        name.strip().lower() in (*OF_PARTS, *[""] * counted) for name in others
    )
    if _make_a_summary(statistics) and (named or "notnans" in statistics):
        raise DataError(
            f"the table is a summary: its columns are statistics ({shortened(statistics, 5)}) and "
            f"its rows no cases; {WHERE_CASES_ARE}"
        )
    column = case or next((name for name in table.names if not table.is_numeric(name)), None)
    if column is not None:
        _check_rows(table, column, named=case is not None)


def _is_statistic(name: str) -> bool:
    lowered = name.strip().lower()
    if lowered.isdigit():
        return False
    return lowered in STATISTICS or bool(lowered and QUANTILE.fullmatch(lowered))


def _make_a_summary(statistics: list[str]) -> bool:
    """Three of them, two by their names: p05 and q1 may be patients and questions too."""
    plain = [name for name in statistics if name.strip().lower() in STATISTICS]
    return len(statistics) >= 3 and len(plain) >= 2


def _check_rows(table: Table, column: str, *, named: bool) -> None:
    """Refuse rows called mean, std, ... among the cases."""
    factor = table.factor(column)
    # Totals stand below the cases: of very many, the last to appear are looked at.
    first = max(0, len(factor.distinct) - LOOKED_AT)
    words = {
        code: str(level)
        for code, level in enumerate(factor.distinct[first:].tolist(), start=first)
        if isinstance(level, str) and _is_statistic(level)
    }
    if len(words) == len(factor.distinct) and _make_a_summary(list(words.values())):
        raise DataError(
            f"the table is a summary: its rows are statistics ({shortened(list(words.values()), 5)}"
            f") and no cases; {WHERE_CASES_ARE}"
        )
    totals = {code: word for code, word in words.items() if word.lower() in TOTALS}
    if named and totals:
        row = int(np.flatnonzero(factor.codes == next(iter(totals)))[0])
        raise DataError(
            f"column {column!r} names {quoted(list(totals.values())[:5])} among the cases (row "
            f"{table.row_number(row)}): a summary of the other rows is no case; remove it"
        )
