"""Coverage and width over instances, of several studies at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halfwidth.study.analysis.cell_frames import need_columns
from halfwidth.study.results import BY, SUMMARISED, summarised

if TYPE_CHECKING:
    import pandas as pd


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
