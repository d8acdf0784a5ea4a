"""Instances whose intervals cover far less than those of others, and their common properties."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import UNIT_INTERVAL, Array
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.study.analysis.cell_frames import SETTING, chosen, need_columns
from halfwidth.study.results import coverage_of_intervals

if TYPE_CHECKING:
    import pandas as pd

# Coverages below Q1 less so many interquartile ranges are failures (Tukey's fence).
FENCE = 1.5
GROUP = (*SETTING, "n")
KEPT = (
    *("instance", "task", "model"),
    *("n_cases", "population_mean", "population_sd", "population_skewness"),
    *("population_kurtosis", "truth", "coverage"),
)


@frozen
class Property:
    """A property that failures may share."""

    name: str
    # Its values from a frame of instances, or None where the columns are missing.
    values: Callable[[pd.DataFrame], Any]
    # What counts as having it, such as ``above 2``; empty where nothing does.
    beyond: str = ""
    # Whether values count.
    counts: Callable[[Array], Any] | None = None
    # Only for metrics between 0 and 1.
    within_unit: bool = False
    # ``"cases"`` or ``"test sets"``, where it is a property of one of them; empty for both.
    only: str = ""


def _column(*names: str) -> Callable[[pd.DataFrame], Any]:
    """The first of the columns that exists."""

    def values(table: pd.DataFrame) -> Any:
        name = next((name for name in names if name in table.columns), None)
        return None if name is None else table[name].to_numpy(float)

    return values


def _imbalance(table: pd.DataFrame) -> Any:
    """Share of the largest class, times the number of classes: 1 in balance."""
    if not {"largest_share", "classes"} <= set(table.columns):
        return None
    return table["largest_share"].to_numpy(float) * table["classes"].to_numpy(float)


def _smallest_count(table: pd.DataFrame) -> Any:
    """Cases of the smallest class among the n of a sample, on average."""
    if "smallest_share" not in table.columns or "n" not in table.columns:
        return None
    return table["smallest_share"].to_numpy(float) * table["n"].to_numpy(float)


def _size(of: Callable[[pd.DataFrame], Any]) -> Callable[[pd.DataFrame], Any]:
    def values(table: pd.DataFrame) -> Any:
        found = of(table)
        return None if found is None else np.abs(found)

    return values


PROPERTIES = (
    Property("n_cases", _column("n_cases"), "fewer than 100", lambda x: x < 100),
    Property(
        "absolute_skewness",
        _size(_column("skewness", "population_skewness")),
        "above 2",
        lambda x: x > 2,
        only="cases",
    ),
    Property(
        "kurtosis",
        _column("kurtosis", "population_kurtosis"),
        "above 9",
        lambda x: x > 9,
        only="cases",
    ),
    # Measures of logits: what counts as much depends on the number of classes.
    Property("multivariate_skewness", _column("population_skewness"), only="test sets"),
    Property("multivariate_kurtosis", _column("population_kurtosis"), only="test sets"),
    Property("outlier_share", _column("outlier_share"), "above 0", lambda x: x > 0),
    Property("largest_share", _column("largest_share")),
    Property("imbalance", _imbalance, "largest class above 1.5 / classes", lambda x: x > 1.5),
    Property("smallest_share", _column("smallest_share"), "below 0.1", lambda x: x < 0.1),
    Property("smallest_count", _smallest_count, "below 5", lambda x: x < 5),
    Property(
        "truth",
        _column("truth"),
        "within 0.05 of 0 or 1",
        lambda x: (x <= 0.05) | (x >= 0.95),
        within_unit=True,
    ),
)


def failures(
    cells: pd.DataFrame,
    method: str = "percentile",
    n: int = 50,
    characteristics: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Instances whose coverage is an outlier among those of the same metric and statistic.

    Below Q1 - 1.5 (Q3 - Q1) of the coverages of all instances at this n, quartiles of type 7.
    André et al. print Q3 - 1.5 IQR in 4.6, and Q1 - 1.5 IQR where they list them (Table S6).

    Parameters
    ----------
    cells : DataFrame
        As of `Results.to_frame`.
    method : str
    n : int
        A size of the study.
    characteristics : DataFrame, optional
        More about instances, a row for each, by the column ``instance``.

    Returns
    -------
    DataFrame
        A row for each instance, metric, statistic, average, label, level and alternative, those
        that fail first, by coverage: ``failure``, ``coverage``, ``fence``, ``instances`` (in its
        group), the moments of the population, ``truth``, ``n_cases``, and the
        characteristics. A coverage that is NaN is no failure, and not part of the quartiles.

    Raises
    ------
    UnknownNameError
        If the study has no such method or n.
    DataError
        If columns are missing, or an instance has two rows of characteristics.

    References
    ----------
    André et al. (2025), 4.6 and S14.
    """
    need_columns(cells, [*GROUP, *KEPT])
    cells = cells.assign(coverage=coverage_of_intervals(cells))
    table = chosen(cells, method=method, n=n)[[*GROUP, *KEPT]].copy()
    grouped = table.groupby(list(GROUP), dropna=False)["coverage"]
    first, third = (grouped.transform("quantile", q) for q in (0.25, 0.75))
    table["fence"] = first - FENCE * (third - first)
    table["failure"] = table["coverage"] < table["fence"]
    table["instances"] = grouped.transform("count")
    if characteristics is not None:
        table = _with(table, characteristics)
    order = [*GROUP, "failure", "coverage", "instance"]
    ascending = [name != "failure" for name in order]
    front = [*GROUP, "instance", "task", "model", "failure", "coverage", "fence", "instances"]
    rest = [name for name in table.columns if name not in front]
    return table.sort_values(order, ascending=ascending, ignore_index=True)[front + rest]


def _with(table: pd.DataFrame, characteristics: pd.DataFrame) -> pd.DataFrame:
    if "instance" not in characteristics.columns:
        raise DataError("the characteristics lack a column instance")
    twice = characteristics.duplicated("instance")
    if twice.any():
        name = characteristics.loc[twice, "instance"].iloc[0]
        raise DataError(f"instance {name!r} has more than one row of characteristics")
    # What the cells say stands; the rest is added.
    new = [c for c in characteristics.columns if c == "instance" or c not in table.columns]
    return table.merge(characteristics[new], on="instance", how="left")


def what_they_share(found: pd.DataFrame) -> pd.DataFrame:
    """What tells failures from the other instances.

    Parameters
    ----------
    found : DataFrame
        As of `failures`: what is not known of the instances is left out.

    Returns
    -------
    DataFrame
        A row for each metric, statistic, average, label, method, level, alternative and n with
        failures, and each property: ``property``, ``failures``, ``others`` (how many, of those
        whose property is known), ``median_failures``, ``median_others`` (NaN without any),
        ``beyond`` (what counts as having it), ``share_failures``, ``share_others`` (of those that
        do; NaN where nothing counts). Properties:

        - ``absolute_skewness`` (above 2), ``kurtosis`` (above 9, that of an exponential) and
          ``outlier_share`` (any) of the values of cases, or of what was fitted to them;
        - ``multivariate_skewness`` and ``multivariate_kurtosis`` of the logits of test sets,
          without thresholds: those above are of values in one dimension;
        - ``n_cases`` the population was fitted to (fewer than 100);
        - ``largest_share``, ``smallest_share`` (below 0.1) of the classes; ``imbalance``, the
          largest share times the number of classes (above 1.5), 1 in balance;
          ``smallest_count``, the cases of the smallest class in a sample on average (below 5);
        - ``truth``, the true value (within 0.05 of 0 or 1), of metrics that lie between them.

    Raises
    ------
    DataError
        If the frame is not of `failures`.

    References
    ----------
    André et al. (2025), 4.6.
    """
    import pandas as pd

    need_columns(found, [*GROUP, "failure"])
    rows = []
    for key, group in found.groupby(list(GROUP), sort=True, dropna=False):
        if not group["failure"].any():
            continue
        shared: dict[str, Any] = dict(zip(GROUP, key, strict=True))
        fails = group["failure"].to_numpy(bool)
        # Metrics of test sets have no statistic over cases.
        kind, known = ("cases", METRICS) if shared["statistic"] else ("test sets", SAMPLE_METRICS)
        metric = str(shared["metric"]).partition(":")[0]
        within_unit = metric in known and known[metric].bounds == UNIT_INTERVAL
        for shared_property in PROPERTIES:
            applies = shared_property.only in ("", kind)
            if not applies or (shared_property.within_unit and not within_unit):
                continue
            values = shared_property.values(group)
            if values is not None and not np.isnan(values).all():
                rows.append(shared | _compare_property(shared_property, values, fails))
    columns = ["property", "failures", "others", "median_failures", "median_others"]
    columns += ["beyond", "share_failures", "share_others"]
    return pd.DataFrame(rows, columns=[*GROUP, *columns])


def _compare_property(shared: Property, values: Array, fails: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"property": shared.name, "beyond": shared.beyond}
    for name, side in (("failures", fails), ("others", ~fails)):
        known = values[side & ~np.isnan(values)]
        row[name] = len(known)
        row[f"median_{name}"] = float(np.median(known)) if len(known) else float("nan")
        row[f"share_{name}"] = float("nan")
        if shared.counts is not None and len(known):
            row[f"share_{name}"] = float(np.mean(shared.counts(known)))
    return row
