"""The coverage convergence pace: how fast the coverage of an interval comes to its level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.types import Array
from halfwidth.study.analysis.cell_frames import (
    CURVE,
    OF_INSTANCE,
    SETTING,
    need_columns,
    quantile_names,
)
from halfwidth.study.results import coverage_of_intervals, share_without

if TYPE_CHECKING:
    import pandas as pd


def pace(cells: pd.DataFrame) -> pd.DataFrame:
    r"""The coverage convergence pace of each instance, metric, statistic and method.

    The coverage of a two-sided interval comes to its level at the rate 1/n (Hall 2013). The pace
    is the constant β of ``coverage = level + β/n``, by least squares on 1/n through the origin,

    .. math:: \hat β = \sum_i \frac{Y_i - \text{level}}{n_i} \Big/ \sum_i \frac{1}{n_i^2}

    so that -2 means: at n = 100 an interval covers 2 points of a hundred less than it says. The
    smallest n weighs most. One-sided intervals come to their level at 1/√n only; their pace is
    fitted in the same way and describes them less well.

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`. Coverage is that of the intervals that there are.

    Returns
    -------
    DataFrame
        A row for each instance, metric, statistic, average, label, method, level and alternative:

        - ``pace``, NaN where no coverage is defined;
        - ``pace_se``, its standard error from the simulation, √(Σ SE²/n²) / Σ 1/n², NaN where
          that of a coverage is; cells of different n have draws of their own;
        - ``fit_error``, √(Σ(Y - Ŷ)² / ΣY²); NaN for a single n, which any line meets;
        - ``sizes``, the number of n that it rests on, and ``left_out``, those whose coverage is
          NaN; ``at``, which n these are: a pace depends on them;
        - ``no_interval``, the share of samples without an interval;
        - ``n_cases``, ``population_skewness``, ``population_kurtosis`` of the instance.

    Raises
    ------
    DataError
        If columns are missing.

    References
    ----------
    André et al. (2025), S7.1.

    Examples
    --------
    >>> import pandas as pd
    >>> row = dict.fromkeys(CURVE, "") | {"confidence_level": 0.95} | dict.fromkeys(OF_INSTANCE, 1)
    >>> cells = pd.DataFrame(
    ...     [row | {"n": n, "coverage": 0.95 - 2 / n, "coverage_se": 0.0} for n in (10, 25, 50)]
    ... )
    >>> pace(cells)["pace"].round(6).tolist()
    [-2.0]
    """
    need_columns(cells, [*CURVE, "n", "coverage", "coverage_se", *OF_INSTANCE])
    inverse = 1 / cells["n"].to_numpy(float)
    coverage: Array = np.asarray(coverage_of_intervals(cells), dtype=float)
    excess = coverage - cells["confidence_level"].to_numpy(float)
    defined = ~np.isnan(coverage)
    table = cells[[*CURVE, *OF_INSTANCE]].assign(
        sizes=defined.astype(int),
        left_out=(~defined).astype(int),
        xx=np.where(defined, inverse**2, 0.0),
        xy=np.where(defined, inverse * excess, 0.0),
        variance=np.where(defined, (inverse * cells["coverage_se"].to_numpy(float)) ** 2, 0.0),
    )
    grouped = table.groupby(list(CURVE), sort=True, dropna=False)
    sums = grouped[["sizes", "left_out", "xx", "xy"]].sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        sums["pace"] = sums["xy"] / sums["xx"]
        # A sum that leaves NaN out would be too small.
        sums["pace_se"] = np.sqrt(grouped["variance"].sum(skipna=False)) / sums["xx"]
    place = grouped.ngroup().to_numpy()
    fitted = sums["pace"].to_numpy()[place] * inverse
    sums["fit_error"] = _fit_error(excess - fitted, coverage, place, sums["sizes"].to_numpy(float))
    sums["no_interval"] = share_without(cells).groupby(place).mean().to_numpy()
    sums["at"] = [
        ", ".join(f"{n:g}" for n in sorted(part.dropna()))
        for _, part in cells["n"].where(defined).groupby(place)
    ]
    sums[list(OF_INSTANCE)] = grouped[list(OF_INSTANCE)].first()
    names = ["pace", "pace_se", "fit_error", "sizes", "left_out", "at", "no_interval", *OF_INSTANCE]
    return sums[names].reset_index()


def with_equal_sizes(paces: pd.DataFrame, within: Sequence[str] = SETTING) -> pd.DataFrame:
    """The paces, NaN where they are of other n than most, as of unfinished studies or methods."""
    if "at" not in paces.columns:
        return paces
    others = paces["at"] != paces.groupby(list(within), dropna=False)["at"].transform(_usual)
    return paces.assign(pace=paces["pace"].mask(others), fit_error=paces["fit_error"].mask(others))


def _usual(at: pd.Series[str]) -> str:
    """The n that most paces rest on; of several as frequent the most n."""
    counts = at.value_counts()
    return str(max(counts.index, key=lambda one: (counts[one], len(one))))


def _fit_error(residual: Array, coverage: Array, place: Any, sizes: Array) -> Array:
    """√(Σ residual² / Σ coverage²) of each curve with at least two n."""
    misfit = np.bincount(place, np.nan_to_num(residual) ** 2, minlength=len(sizes))
    total = np.bincount(place, np.nan_to_num(coverage) ** 2, minlength=len(sizes))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((sizes > 1) & (total > 0), np.sqrt(misfit / total), np.nan)


def pace_summary(paces: pd.DataFrame) -> pd.DataFrame:
    """Quartiles over instances of paces, by metric, statistic and method.

    Parameters
    ----------
    paces : DataFrame
        As of `pace`.

    Returns
    -------
    DataFrame
        A row for each metric, statistic, average, label, method, level and alternative:
        ``instances``, ``left_out`` (those whose pace is NaN or of other n than most), ``pace_q1``,
        ``pace_median``, ``pace_q3`` (type 7), ``fit_error_median`` and ``fit_error_largest`` over
        instances, the mean ``no_interval``.

    Raises
    ------
    DataError
        If columns are missing.

    References
    ----------
    André et al. (2025), 4.3.
    """
    need_columns(paces, [*SETTING, "pace", "fit_error"])
    paces = with_equal_sizes(paces)
    grouped = paces.groupby(list(SETTING), sort=True, dropna=False)
    counts = grouped.size().to_frame("instances")
    counts["left_out"] = counts["instances"] - grouped["pace"].count()
    for suffix, share in quantile_names("pace").items():
        counts[suffix] = grouped["pace"].quantile(share)
    counts["fit_error_median"] = grouped["fit_error"].median()
    counts["fit_error_largest"] = grouped["fit_error"].max()
    if "no_interval" in paces.columns:
        counts["no_interval"] = grouped["no_interval"].mean()
    return counts.reset_index()
