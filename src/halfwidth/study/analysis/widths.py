"""How wide and how far off the intervals of one method are beside those of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import DataError, UnknownNameError
from halfwidth.study.analysis.cell_frames import SETTING, need_columns, quantile_names, two_sided
from halfwidth.study.results import coverage_of_intervals

if TYPE_CHECKING:
    import pandas as pd

# What two methods are compared on.
PLACE = (
    *("instance", "task", "model", "metric", "statistic", "average", "label"),
    *("confidence_level", "alternative", "n"),
)
ACROSS = (*SETTING, "n")


def width_ratios(cells: pd.DataFrame, reference: str = "t") -> pd.DataFrame:
    """How many times as wide as those of a reference the intervals of each method are.

    The ratio of the mean widths on the same instance, statistic, n and level; then its quartiles
    over instances. One-sided intervals are left out: they reach to the end of the range of the
    metric, and so does their width.

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`.
    reference : str
        A method. Statistics that it makes no interval for are left out: there is no t interval of
        a median.

    Returns
    -------
    DataFrame
        A row for each metric, statistic, average, label, method but the reference, level,
        alternative and n: ``reference``, ``instances``, ``left_out`` (instances whose ratio is
        undefined: a width that is NaN, infinite, or 0 for the reference), ``ratio_q1``,
        ``ratio_median``, ``ratio_q3`` (type 7; NaN where all are undefined).

    Raises
    ------
    UnknownNameError
        If no cell is of the reference.
    DataError
        If columns are missing, all intervals are one-sided, or no other method shares a cell with
        the reference.

    References
    ----------
    André et al. (2025), 4.1.
    """
    need_columns(cells, [*PLACE, "method", "width_mean"])
    cells = two_sided(cells)
    pairs = _with_reference(cells, reference, ["width_mean"])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = pairs["width_mean"].to_numpy(float) / pairs["width_mean_reference"].to_numpy(float)
    pairs["ratio"] = np.where(np.isfinite(ratio), ratio, np.nan)
    return _over_instances(pairs, reference, ["ratio"])


def shifts(cells: pd.DataFrame, reference: str = "percentile") -> pd.DataFrame:
    """How far the middle of intervals lies from the true value, and what that costs.

    Intervals of the basic bootstrap are those of the percentile bootstrap, mirrored at the
    estimate, so they are as wide and shifted the other way. One-sided intervals are left out: what
    lies in their middle says nothing about the estimate.

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`.
    reference : str
        The method that differences are taken from. Statistics without it are left out.

    Returns
    -------
    DataFrame
        A row for each metric, statistic, average, label, method (the reference too), level,
        alternative and n: ``reference``, ``instances``, ``left_out`` (instances with a shift that
        is NaN), and the quartiles over instances, named ``..._q1``, ``..._median``, ``..._q3``, of

        - ``shift``, the mean of middle less true value, in the unit of the metric;
        - ``relative_shift``, the same by the method's mean width;
        - ``shift_difference``, the shift less that of the reference on the same instance;
        - ``coverage_difference``, the coverage less that of the reference.

        Medians of differences are not differences of medians.

    Raises
    ------
    UnknownNameError
        If no cell is of the reference.
    DataError
        If columns are missing, or all intervals are one-sided.

    References
    ----------
    André et al. (2025), S15.
    """
    need_columns(cells, [*PLACE, "method", "width_mean", "centre_shift", "coverage"])
    cells = two_sided(cells.assign(coverage=coverage_of_intervals(cells)))
    pairs = _with_reference(
        cells, reference, ["centre_shift", "coverage", "width_mean"], itself=True
    )
    width = pairs["width_mean"].to_numpy(float)
    pairs["shift"] = pairs["centre_shift"]
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = pairs["centre_shift"].to_numpy(float) / width
    pairs["relative_shift"] = np.where(np.isfinite(relative), relative, np.nan)
    pairs["shift_difference"] = pairs["shift"] - pairs["centre_shift_reference"]
    pairs["coverage_difference"] = pairs["coverage"] - pairs["coverage_reference"]
    counted = ["shift", "relative_shift", "shift_difference", "coverage_difference"]
    return _over_instances(pairs, reference, counted)


def _with_reference(
    cells: pd.DataFrame, reference: str, columns: list[str], *, itself: bool = False
) -> pd.DataFrame:
    """Each cell with the reference's values on the same place."""
    known = list(dict.fromkeys(cells["method"]))
    if reference not in known:
        raise UnknownNameError("method of the study", reference, known)
    is_reference = cells["method"] == reference
    others = cells if itself else cells[~is_reference]
    values = cells.loc[is_reference, [*PLACE, *columns]]
    pairs = others[[*PLACE, "method", *columns]].merge(
        values, on=list(PLACE), suffixes=("", "_reference")
    )
    if pairs.empty:
        raise DataError(f"no other method makes an interval where {reference!r} does")
    return pairs


def _over_instances(pairs: pd.DataFrame, reference: str, counted: list[str]) -> pd.DataFrame:
    """Quartiles of the columns; the first one decides which rows are left out."""
    import pandas as pd

    rows = []
    for key, group in pairs.groupby(list(ACROSS), sort=True, dropna=False):
        row: dict[str, Any] = dict(zip(ACROSS, key, strict=True))
        row |= {"reference": reference, "instances": len(group)}
        row["left_out"] = int(group[counted[0]].isna().sum())
        for name in counted:
            values = group[name].dropna().to_numpy(float)
            for suffix, share in quantile_names(name).items():
                row[suffix] = float(np.quantile(values, share)) if len(values) else float("nan")
        rows.append(row)
    return pd.DataFrame(rows)
