"""The cells for an analysis: of one or several studies, all or some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.study.results import BY, SUMMARISED, Results, summarised
from halfwidth.study.simulation.performance import IDENTITY

if TYPE_CHECKING:
    import pandas as pd


# What a method does to a statistic of a metric, whatever the instance and n.
SETTING = (
    *("metric", "statistic", "average", "label"),
    *("method", "confidence_level", "alternative"),
)
# What the cells of one curve over n have in common.
CURVE = ("instance", "task", "model", *SETTING)
# What goes along with an instance.
OF_INSTANCE = ("n_cases", "population_skewness", "population_kurtosis")
# The columns that identify a cell; the same file may have been named by another path.
CELL = tuple(name for name in IDENTITY if name != "source")


def cells_of(*results: Results | pd.DataFrame) -> pd.DataFrame:
    """The cells of one study or several as one frame.

    Parameters
    ----------
    *results : Results or DataFrame
        Opened stores, or frames as of `Results.to_frame`.

    Returns
    -------
    DataFrame
        All rows, those of the first study first.

    Raises
    ------
    OptionError
        If nothing is given.
    DataError
        If columns are missing, or two rows are of the same cell, as where two studies share
        instances.

    Examples
    --------
    >>> import pandas as pd
    >>> row = dict.fromkeys(CELL, "") | {"n": 10, "confidence_level": 0.95}
    >>> len(cells_of(pd.DataFrame([row]), pd.DataFrame([row | {"n": 25}])))
    2
    """
    import pandas as pd

    if not results:
        raise OptionError("no study is given; open a store with hw.study.open(STORE)")
    frames = [study.to_frame() if isinstance(study, Results) else study for study in results]
    for frame in frames:
        need_columns(frame, CELL)
    cells = pd.concat(frames, ignore_index=True)
    twice = cells.duplicated(list(CELL))
    if twice.any():
        first = cells.loc[twice, list(CELL)].iloc[0]
        cell_text = ", ".join(f"{name} {first[name]}" for name in CELL if str(first[name]))
        raise DataError(
            f"{int(twice.sum())} cells occur twice, the first of {cell_text}; "
            "leave out one of the studies, or the instances that they share"
        )
    return cells


def chosen(
    cells: pd.DataFrame,
    *,
    metric: Any = None,
    statistic: Any = None,
    average: Any = None,
    label: Any = None,
    method: Any = None,
    n: Any = None,
    level: Any = None,
    alternative: Any = None,
) -> pd.DataFrame:
    """Select rows of a frame of cells.

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`, or what an analysis made of it.
    metric, statistic, average, label, method, n, level, alternative : optional
        A value or several; default: all. ``level`` is the confidence level.

    Returns
    -------
    DataFrame

    Raises
    ------
    UnknownNameError
        If a value stands in no row that is left by the filters before it.
    OptionError
        If the frame lacks the column.

    Examples
    --------
    >>> import pandas as pd
    >>> chosen(pd.DataFrame({"metric": ["dsc", "nsd"], "n": [10, 25]}), metric="dsc")["n"].tolist()
    [10]
    """
    filters: dict[str, Any] = {
        "metric": metric,
        "statistic": statistic,
        "average": average,
        "label": label,
        "method": method,
        "n": n,
        "confidence_level": level,
        "alternative": alternative,
    }
    before: list[str] = []
    for column, wanted in filters.items():
        if wanted is None:
            continue
        if column not in cells.columns:
            raise OptionError(f"there is no {column} to choose by; leave it out")
        single = isinstance(wanted, str) or not isinstance(wanted, Iterable)
        values = [wanted] if single else list(wanted)
        cells = _with_values(cells, column, values, " and ".join(before))
        before.append(f"{column} {', '.join(str(value) for value in values)}")
    return cells


def _with_values(cells: pd.DataFrame, column: str, values: list[Any], before: str) -> pd.DataFrame:
    known = list(dict.fromkeys(cells[column]))
    where = f"{column} of the study" + (f" (of {before})" if before else "")
    keep = np.zeros(len(cells), dtype=bool)
    for value in values:
        same = _same(cells[column], value)
        if not same.any():
            names = [str(name) for name in known if str(name)]
            if not names:
                raise OptionError(
                    f"{column} {value}: no cell{f' of {before}' if before else ''} has any {column}"
                )
            raise UnknownNameError(where, str(value), names)
        keep |= same
    return cells[keep]


def _same(column: pd.Series[Any], value: Any) -> Any:
    """Numbers may come as text, from a command line."""
    if column.dtype.kind in "if":
        try:
            return np.isclose(column.to_numpy(float), float(value), rtol=1e-9, atol=0)
        except (TypeError, ValueError):
            return np.zeros(len(column), dtype=bool)
    return (column == value).to_numpy(bool)


def need_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Raise DataError where columns are missing."""
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise DataError(
            f"the frame lacks {', '.join(missing)}; give one as of hw.study.open(STORE).to_frame()"
        )


def two_sided(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of two-sided intervals; raises DataError where there are none."""
    kept = cells[cells["alternative"] == "two-sided"]
    if kept.empty:
        raise DataError(
            "all intervals are one-sided: they reach to the end of the range of the metric, so "
            "neither width nor middle tells anything; give cells of two-sided intervals"
        )
    return kept


def quantile_names(name: str) -> dict[str, float]:
    """Names of the quartiles of a column, and which they are."""
    return {f"{name}_q1": 0.25, f"{name}_median": 0.5, f"{name}_q3": 0.75}


def coverage(cells: pd.DataFrame) -> pd.DataFrame:
    """Median and quartiles over instances of coverage and mean width.

    What `Results.summary` says of one study, here of any frame of cells.

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`, or several as `cells_of` puts them together.

    Returns
    -------
    DataFrame
        A row for each metric, statistic, average, label, method, level, alternative and n, with the
        columns of `Results.summary`: ``instances``, ``coverage_q1``, ``coverage_median``,
        ``coverage_q3`` of the intervals that there are, ``width_q1`` and so on (type 7; NaN left
        out), the medians ``missed_above`` and ``missed_below``, ``coverage_se`` (the largest),
        ``undefined``, ``zero_width``, ``truth_error``.

    Raises
    ------
    DataError
        If columns are missing.

    References
    ----------
    André et al. (2025), 4.1.
    """
    need_columns(cells, [*BY, *SUMMARISED])
    return summarised(cells)
