"""How many cases are needed: for a coverage, and for a width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array
from halfwidth.study.analysis.cell_frames import CURVE, SETTING, need_columns, quantile_names

if TYPE_CHECKING:
    import pandas as pd

# The wanted coverage is the level less so much: 0.925 of 95 % intervals.
SHORT_OF_LEVEL = 0.025
# A smaller gap to a goal is rounding.
ROUNDING = 1e-12


def sizes_for_coverage(cells: pd.DataFrame, target: float | None = None) -> pd.DataFrame:
    """The smallest n of the study from which on intervals cover as often as wanted.

    That n and all larger ones of the study have ``coverage ≥ target``: a curve that falls again, as
    that of BCa for medians, has not reached it. Coverages are simulated, so near the target a
    need is off by a size of the study where `coverage_se` is large.

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`.
    target : float, optional
        Above 0, below 1; default: the level of each row less 0.025.

    Returns
    -------
    DataFrame
        A row for each instance, metric, statistic, average, label, method, level and alternative:
        ``n``, NaN where no size of the study is enough; ``reached``; ``smallest`` and ``largest``,
        the sizes of the study (an ``n`` equal to ``smallest`` means: that or fewer).
        A coverage that is NaN has not reached the target.

    Raises
    ------
    OptionError
        If the target is no share.
    DataError
        If columns are missing.

    Examples
    --------
    >>> import pandas as pd
    >>> row = dict.fromkeys(CURVE, "") | {"confidence_level": 0.95}
    >>> cells = pd.DataFrame([row | {"n": n, "coverage": 0.95 - 1 / n} for n in (10, 25, 50)])
    >>> sizes_for_coverage(cells, 0.91)["n"].tolist()
    [25.0]
    """
    if target is not None and not 0 < target < 1:
        raise OptionError(
            f"{spelled('study.target', target)} is not a coverage; give a share between 0 and 1, "
            "such as 0.925"
        )
    need_columns(cells, [*CURVE, "n", "coverage"])
    levels = cells["confidence_level"].to_numpy(float)
    goal = levels - SHORT_OF_LEVEL if target is None else target
    return _from_which_on(cells, cells["coverage"].to_numpy(float) >= goal - ROUNDING)


def sizes_for_width(cells: pd.DataFrame, width: float) -> pd.DataFrame:
    """The smallest n of the study from which on intervals are as narrow as wanted, on average.

    That n and all larger ones of the study have ``width_mean ≤ width``.

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`.
    width : float
        In the unit of the metric, above 0.

    Returns
    -------
    DataFrame
        The columns of `sizes_for_coverage`, and ``n_extrapolated``: ``n`` where it is reached, else
        an extrapolation beyond the study, N (w_N / width)² rounded up, where w_N is the mean width
        at the largest size N: widths shrink as 1/√n. NaN where w_N is not finite, or where it is
        small enough already but N is not.

    Raises
    ------
    OptionError
        If the width is not above 0.
    DataError
        If columns are missing.

    Examples
    --------
    >>> import pandas as pd
    >>> row = dict.fromkeys(CURVE, "") | {"confidence_level": 0.95}
    >>> cells = pd.DataFrame([row | {"n": n, "width_mean": 1 / n**0.5} for n in (25, 100)])
    >>> sizes_for_width(cells, 0.05)[["n", "n_extrapolated"]].values.tolist()
    [[nan, 400.0]]
    """
    if not 0 < width < np.inf:
        raise OptionError(
            f"{spelled('width', width)} is not a width; give one above 0 in the metric's unit"
        )
    need_columns(cells, [*CURVE, "n", "width_mean"])
    sizes = _from_which_on(cells, cells["width_mean"].to_numpy(float) <= width * (1 + ROUNDING))
    at_largest = cells.sort_values("n", kind="stable").drop_duplicates(list(CURVE), keep="last")
    last = sizes.merge(at_largest[[*CURVE, "width_mean"]], on=list(CURVE), how="left")
    ends = last["width_mean"].to_numpy(float)
    with np.errstate(invalid="ignore"):
        # Without the slack, (0.1/0.05)² may be a rounding above 4.
        beyond = np.ceil(last["largest"].to_numpy(float) * (ends / width) ** 2 * (1 - ROUNDING))
    beyond = np.where(np.isfinite(ends), beyond, np.nan)
    sizes["n_extrapolated"] = np.where(sizes["reached"], sizes["n"], beyond)
    return sizes


def needs(
    cells: pd.DataFrame, *, target: float | None = None, width: float | None = None
) -> pd.DataFrame:
    """What a quarter, half and three quarters of the instances need, by metric and method.

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`.
    target : float, optional
        The wanted coverage; if no width is given, the level of each row less 0.025, which is
        0.925 of 95 % intervals.
    width : float, optional
        The wanted mean width, in the unit of the metric, instead.

    Returns
    -------
    DataFrame
        A row for each metric, statistic, average, label, method, level and alternative:

        - ``wanted``, ``coverage`` or ``width``, and ``goal``;
        - ``instances``, and ``reached``, the share of them that get there within the study;
        - ``n_q1``, ``n_median``, ``n_q3``: the smallest n that is enough for a quarter, half, three
          quarters of the instances; NaN where so many do not get there up to ``largest``;
        - for widths ``n_extrapolated_q1`` and so on, the same of ``n_extrapolated``.

        No n is interpolated: it is that of an instance (type-1 quantiles). Sizes that the
        instances of a row do not share make ``smallest`` and ``largest`` those of the whole row.

    Raises
    ------
    OptionError
        If both a target and a width are given, or one is out of range.
    DataError
        If columns are missing.

    References
    ----------
    André et al. (2025), 4.5.

    Examples
    --------
    >>> import pandas as pd
    >>> row = dict.fromkeys(CURVE, "") | {"confidence_level": 0.95}
    >>> cells = pd.DataFrame(
    ...     [
    ...         row | {"instance": str(b), "n": n, "coverage": 0.95 - b / n}
    ...         for b in (0, 1, 2, 9)
    ...         for n in (10, 25, 50, 100)
    ...     ]
    ... )
    >>> needs(cells, target=0.9)[["n_q1", "n_median", "n_q3", "reached"]].values.tolist()
    [[10.0, 25.0, 50.0, 0.75]]
    """
    import pandas as pd

    if width is None:
        sizes, wanted = sizes_for_coverage(cells, target), "coverage"
    elif target is None:
        sizes, wanted = sizes_for_width(cells, width), "width"
    else:
        raise OptionError("give target (a coverage) or width, not both")
    counted = [name for name in ("n", "n_extrapolated") if name in sizes.columns]
    rows = []
    for key, group in sizes.groupby(list(SETTING), sort=True, dropna=False):
        row: dict[str, Any] = dict(zip(SETTING, key, strict=True))
        goal = target if width is None else width
        if goal is None:
            goal = round(row["confidence_level"] - SHORT_OF_LEVEL, 12)
        row |= {"wanted": wanted, "goal": goal, "instances": len(group)}
        row["reached"] = float(group["reached"].mean())
        for name in counted:
            row |= _quartiles(group[name].to_numpy(float), name)
        rows.append(
            row | {"smallest": int(group["smallest"].min()), "largest": int(group["largest"].max())}
        )
    names = [name for column in counted for name in quantile_names(column)]
    columns = ["wanted", "goal", "instances", "reached", *names, "smallest", "largest"]
    return pd.DataFrame(rows, columns=[*SETTING, *columns])


def _quartiles(sizes: Array, name: str) -> dict[str, float]:
    """Smallest n that is enough for so many; what is not reached is larger than any."""
    known = np.sort(np.where(np.isnan(sizes), np.inf, sizes))
    places = {
        suffix: int(np.ceil(share * len(known))) - 1
        for suffix, share in quantile_names(name).items()
    }
    reached = np.where(np.isinf(known), np.nan, known)
    return {suffix: float(reached[place]) for suffix, place in places.items()}


def _from_which_on(cells: pd.DataFrame, enough: Any) -> pd.DataFrame:
    """For each curve the n after the largest one that is not enough."""
    table = cells[[*CURVE, "n"]].assign(enough=enough).sort_values("n", kind="stable")
    # Whether this n and all larger ones are enough: from the largest down, until one is not.
    down = table.iloc[::-1]
    still = down.groupby(list(CURVE), sort=False, dropna=False)["enough"].cummin().astype(bool)
    table["from_here"] = np.where(still, down["n"], np.nan)[::-1]
    grouped = table.groupby(list(CURVE), sort=True, dropna=False)
    sizes = grouped.agg(
        n=("from_here", "min"), smallest=("n", "min"), largest=("n", "max")
    ).reset_index()
    sizes["reached"] = sizes["n"].notna()
    return sizes[[*CURVE, "n", "reached", "smallest", "largest"]]
