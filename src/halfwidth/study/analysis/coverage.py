"""Coverage and width over instances, of several studies at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halfwidth.study.analysis.cell_frames import coverage_of_intervals, need_columns, quantile_names
from halfwidth.study.results import BY

if TYPE_CHECKING:
    import pandas as pd

NEEDED = (
    *("instance", "coverage", "width_mean", "coverage_se"),
    *("undefined", "zero_width", "samples", "truth_se", "width_median"),
    *("missed_below", "missed_above"),
)


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
    need_columns(cells, [*BY, *NEEDED])
    width = cells["width_median"].to_numpy(float)
    error = cells["truth_se"].to_numpy(float)
    usable = (error > 0) & (width > 0) & np.isfinite(width)
    ratio = np.divide(error, width, out=np.full(len(cells), np.nan), where=usable)
    cells = cells.assign(coverage=coverage_of_intervals(cells), truth_error=ratio)
    grouped = cells.groupby(list(BY), sort=True, dropna=False)
    counts = grouped["instance"].nunique().to_frame("instances")
    for column, name in (("coverage", "coverage"), ("width_mean", "width")):
        for suffix, share in quantile_names(name).items():
            counts[suffix] = grouped[column].quantile(share)
    for name in ("missed_above", "missed_below"):
        counts[name] = grouped[name].median()
    counts["coverage_se"] = grouped["coverage_se"].max()
    samples = grouped["samples"].sum()
    for name in ("undefined", "zero_width"):
        counts[name] = grouped[name].sum() / samples
    counts["truth_error"] = grouped["truth_error"].max()
    return counts.reset_index()
