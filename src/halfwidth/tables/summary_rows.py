"""Tables whose rows are not cases: summaries, and totals below the cases."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, quoted, shortened
from halfwidth.core.frozen import frozen
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


@frozen
class Totals:
    """Rows below the cases that are statistics of them."""

    # The column of case ids, which names the statistic.
    column: str
    # The statistic of each row, as it is written.
    words: tuple[str, ...]
    rows: NDArray[np.intp]


def check_cases(table: Table, case: str | None) -> None:
    """Refuse a table in which all or some rows are statistics."""
    summary = why_a_summary(table, case)
    if summary:
        raise DataError(f"the table is a summary: {summary}; {WHERE_CASES_ARE}")
    totals = totals_in(table, case)
    if totals is not None:
        raise DataError(
            f"column {totals.column!r} names {quoted(list(totals.words)[:5])} among the cases (row "
            f"{table.row_number(int(totals.rows[0]))}): a summary of the other rows is not a case; "
            "remove it"
        )


def why_a_summary(table: Table, case: str | None) -> str:
    """What shows that no row of a table is a case; empty where rows are."""
    statistics = [name for name in table.names if _is_statistic(name)]
    others = [name for name in table.names if name not in statistics]
    counted = any(name.strip().lower() in COUNTS for name in statistics)
    named = len(others) <= 1 and all(
        name.strip().lower() in (*OF_PARTS, *[""] * counted) for name in others
    )
    if _make_a_summary(statistics) and (named or "notnans" in statistics):
        return f"its columns are statistics ({shortened(statistics, 5)}), so its rows are not cases"
    column = case or next((name for name in table.names if not table.is_numeric(name)), None)
    if column is None:
        return ""
    words = list(_statistics_among(table, column).values())
    if len(words) == len(table.factor(column).distinct) and _make_a_summary(words):
        return f"its rows are statistics ({shortened(words, 5)}) and no cases"
    return ""


def totals_in(table: Table, case: str | None) -> Totals | None:
    """Rows called mean, std, ... among the cases."""
    if case is None:
        return None
    factor = table.factor(case)
    words = {
        code: word
        for code, word in _statistics_among(table, case).items()
        if word.lower() in TOTALS
    }
    rows = np.flatnonzero(np.isin(factor.codes, list(words)))
    if not words:
        return None
    return Totals(case, tuple(words[factor.codes[row]] for row in rows.tolist()), rows)


def _statistics_among(table: Table, column: str) -> dict[int, str]:
    """The levels of a column that are names of statistics, by their codes."""
    factor = table.factor(column)
    # Totals stand below the cases: of very many, the last to appear are looked at.
    first = max(0, len(factor.distinct) - LOOKED_AT)
    return {
        code: str(level)
        for code, level in enumerate(factor.distinct[first:].tolist(), start=first)
        if isinstance(level, str) and _is_statistic(level)
    }


def _is_statistic(name: str) -> bool:
    lowered = name.strip().lower()
    if lowered.isdigit():
        return False
    return lowered in STATISTICS or bool(lowered and QUANTILE.fullmatch(lowered))


def _make_a_summary(statistics: list[str]) -> bool:
    """Three of them, two by their names: p05 and q1 may be patients and questions too."""
    plain = [name for name in statistics if name.strip().lower() in STATISTICS]
    return len(statistics) >= 3 and len(plain) >= 2
