"""The public functions: values, counts or a table in, estimates out."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.estimate import Estimate, Estimates
from halfwidth.core.spec import Metric
from halfwidth.core.types import Alternative
from halfwidth.core.undefined import Missing, is_missing
from halfwidth.estimation.check import check_sample
from halfwidth.estimation.grouping import Over
from halfwidth.estimation.pipeline import Job, estimate_counts, estimate_jobs
from halfwidth.estimation.resolve import (
    AUTO,
    PROPORTION,
    resolve_metric,
    resolve_request,
    resolve_statistic,
)
from halfwidth.io.layout import Layout, Slice, layout_of, metrics_in, slices
from halfwidth.io.table import Table
from halfwidth.metrics.catalogue import METRICS

__all__ = ["proportion_ci", "summary_ci", "summary_table"]


def summary_ci(
    values: Any,
    *,
    metric: Any = None,
    statistic: Any = "mean",
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    rng: Any = None,
    missing: Missing = "raise",
    penalty: float | None = None,
    groups: Any = None,
    strata: Any = None,
    over: Over = "cases",
    bounds: Any = None,
    scale: float = 1.0,
    label: str = "",
) -> Estimate:
    """Confidence interval for a summary statistic of per-case values.

    Parameters
    ----------
    values : array-like, shape (n,)
        One value per independent case; numbers, in the metric's unit. None and NaN are missing.
    metric : str, MetricSpec or metric function, optional
        What the values are: ``"dsc"``, ``"hd95"``, ``"nsd:tolerance=3"``, ... (see
        ``halfwidth.METRICS``). Decides the range, what is worst, and the unit.
    statistic : str or callable, default "mean"
        ``"mean"``, ``"median"``, ``"trimmed_mean"`` (or ``"trimmed_mean:0.1"``), ``"sd"``
        (``"sd:ddof=0"``), ``"iqr"``, ``"quantile:0.9"``; or a function of the values, vectorised
        if it takes ``axis``.
    method : str, default "auto"
        A CI method (see ``halfwidth.METHODS``). ``"auto"`` chooses one on evidence, and cuts its
        bounds to the metric's range; a method asked for by name gives its textbook formula.
    confidence_level : float, default 0.95
        Strictly between 0 and 1.
    alternative : {"two-sided", "lower", "upper"}
        ``"lower"`` gives a lower confidence bound; the other end is then that of the range.
    n_resamples : int, default 9999
        Bootstrap resamples, where any are drawn.
    rng : None, int, SeedSequence or Generator, optional
        Source of randomness (SPEC 7). The result's ``seed`` reproduces it.
    missing : {"raise", "omit", "worst"}
        What a missing (or infinite) value means: an error, a case to leave out, or a failure that
        counts as the worst value.
    penalty : float, optional
        The worst value, for metrics that have no finite one, in the unit after scaling.
    groups : array-like, shape (n,), optional
        Cluster of each case (its patient, its scan, ...). Cases of a cluster resemble each other:
        bootstraps draw whole clusters, ``t`` and Wilson's interval are made robust.
    strata : array-like, shape (n,), optional
        Stratum of each case (its site, its class, ...), where the number of cases in each was
        fixed beforehand: bootstraps keep it.
    over : {"cases", "clusters"}
        What the statistic is taken of: all cases, each counting once, or the means of the
        clusters. The two estimate different things where clusters differ in size.
    bounds : (low, high), optional
        Range of the values; replaces that of the metric, or declares a metric of your own.
    scale : float, default 1
        Values are divided by it: 100 for per cent on a [0, 1] metric.
    label : str, optional
        Carried into the result.

    Returns
    -------
    Estimate
        ``value``, ``low``, ``high``, ``halfwidth``, ``method``, ``n``, ``cautions``, ...; NaN
        bounds where the method gives no interval, with a caution that says why.

    Raises
    ------
    DataError
        For values that are missing without a policy, out of range, not numbers, or none at all.
    OptionError
        For an option that is not allowed, or a method that does not fit the statistic.

    Examples
    --------
    >>> import halfwidth as hw
    >>> dice = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    >>> e = hw.summary_ci(dice, metric="dsc")
    >>> print(e.sentence())
    Mean DSC 0.89 (95 % CI 0.78 to 0.92; n = 10; Hall's skewness-corrected t).
    >>> [caution.code for caution in e.cautions]
    ['HW201', 'HW202']
    """
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=penalty,
        over=over,
    )
    bound_metric = resolve_metric(metric, bounds)
    bound_statistic = resolve_statistic(statistic)
    sample = check_sample(
        values,
        bound_metric,
        request,
        scale=scale,
        where=label or "values",
        groups=groups,
        strata=strata,
    )
    return estimate_jobs([Job(sample, bound_statistic, label)], request)[0]


def proportion_ci(
    successes: int,
    n: int,
    *,
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    label: str = "",
) -> Estimate:
    """Confidence interval for a proportion, ``successes`` of ``n`` independent cases.

    Parameters
    ----------
    successes, n : int
        Counts, 0 ≤ successes ≤ n, n ≥ 1.
    method : str, default "auto"
        ``"wilson"`` (which ``auto`` takes), ``"clopper_pearson"``, ``"jeffreys"``,
        ``"agresti_coull"``, ``"wald"``, or a bootstrap, whose distribution is binomial and needs
        no draws.
    confidence_level, alternative, label
        As for `summary_ci`.

    Returns
    -------
    Estimate

    Raises
    ------
    DataError
        If the counts are not integers with 0 ≤ successes ≤ n and n ≥ 1.

    Examples
    --------
    >>> import halfwidth as hw
    >>> print(hw.proportion_ci(45, 50).sentence())
    Proportion 0.90 (95 % CI 0.79 to 0.96; n = 50; Wilson).
    """
    x, trials = _count(successes, "successes"), _count(n, "n")
    if not 0 <= x <= trials or trials < 1:
        raise DataError(f"successes={x} of n={trials}: need 0 ≤ successes ≤ n and n ≥ 1")
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=9999,
        rng=0,
        missing="raise",
        penalty=None,
    )
    return estimate_counts(x, trials, request, label)


def _count(value: Any, name: str) -> int:
    try:
        return (
            int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
        )
    except TypeError:
        raise DataError(f"{name}={value!r} is not a whole number") from None


def summary_table(
    frame: Any,
    values: str | Sequence[str] | None = None,
    *,
    by: str | Sequence[str] | None = None,
    case: str | None = None,
    metric: Any = None,
    statistic: Any = "mean",
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    rng: Any = None,
    missing: Missing = "raise",
    penalty: float | None = None,
    groups: str | None = None,
    strata: str | None = None,
    over: Over = "cases",
    bounds: Any = None,
    scale: float = 1.0,
) -> Estimates:
    """Confidence intervals for a whole table: many columns, groups and statistics at once.

    Parameters
    ----------
    frame : DataFrame (pandas or polars), or mapping of column names to sequences
        A row per case (wide: a column per structure) or per case and group (long). A canonical
        long table (columns ``case, metric, value`` and optionally ``model, task, label, status,
        parameters``) needs no further options.
    values : str or sequence of str, optional
        Value columns; default: every numeric column that is neither a case id nor a group.
    by : str or sequence of str, optional
        Columns whose levels are estimated apart.
    case : str, optional
        Column of case ids; default: the first of case, case_id, id, subject, patient, name,
        filename that exists.
    metric : str, MetricSpec or metric function, optional
        What the values are; in a canonical table, the one metric to estimate.
    statistic : str, callable or sequence of them, default "mean"
        One or several.
    groups, strata : str, optional
        Columns that name the cluster and the stratum of each row. A canonical table may have
        them as ``group`` and ``stratum``.
    method, confidence_level, alternative, n_resamples, rng, missing, penalty, over, bounds, scale
        As for `summary_ci`. All rows of the result share the seed, and a row equals what
        `summary_ci` gives for its values alone.

    Returns
    -------
    Estimates
        A row for each group, column and statistic; has ``to_frame()``, ``to_json()`` and shows
        itself as a table in notebooks.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for `summary_ci`, naming the column and the case.

    Examples
    --------
    >>> import pandas as pd, halfwidth as hw
    >>> frame = pd.DataFrame({
    ...     "case": ["a", "b", "c", "a", "b", "c"],
    ...     "model": ["U-Net"] * 3 + ["ViT"] * 3,
    ...     "dice": [0.91, 0.88, 0.93, 0.85, 0.80, 0.89],
    ... })
    >>> table = hw.summary_table(frame, "dice", by="model", metric="dsc", statistic="median")
    >>> [(e.label, round(e.value, 2)) for e in table]
    [('U-Net', 0.91), ('ViT', 0.85)]
    """
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=penalty,
        over=over,
    )
    statistics = [resolve_statistic(one) for one in _several(statistic)]
    table = Table.of_frame(frame)
    layout = layout_of(table, _names(values), _names(by), case, groups, strata)
    metrics = _Metrics(table, layout, metric, bounds)
    if len(metrics.held) > 1 and metric is None and (scale != 1 or bounds is not None):
        raise OptionError(
            f"scale and bounds would apply to every metric of the table ({shortened(metrics.held)}"
            "); name the one that is meant: metric= (--metric)"
        )
    notes = [f"left out: {', '.join(layout.left_out)}"] if layout.left_out else []
    notes += [
        f"{what} are taken from column {column!r} of the table"
        for what, given, column in (
            ("clusters", groups, layout.groups),
            ("strata", strata, layout.strata),
        )
        if given is None and column is not None
    ]
    jobs: list[Job] = []
    not_applicable = 0
    for part in slices(table, layout):
        of_slice = metrics.of(part)
        if of_slice is None:
            continue
        sample = check_sample(
            part.values,
            of_slice,
            request,
            scale=scale,
            where=f"column {part.column!r}" + (f", {part.label}" if part.by else ""),
            cases=part.cases,
            groups=part.groups,
            strata=part.strata,
            may_be_empty=True,
        )
        not_applicable += part.n_not_applicable
        doubts = _design_doubts(part)
        jobs += [
            Job(sample, one, part.label, part.by, doubts, part.n_not_applicable)
            for one in statistics
        ]
    if not jobs:
        raise DataError(
            f"no rows of metric {metric!r} in the table; it holds {shortened(metrics.held)}"
        )
    if all(job.sample.n_cases == 0 for job in jobs):
        raise DataError("no values left: every value is missing or not applicable")
    if not_applicable:
        notes.append(f"left out: {not_applicable} rows that are not applicable")
    return Estimates(estimate_jobs(jobs, request), tuple(notes))


def _names(given: str | Sequence[str] | None) -> list[str] | None:
    if given is None:
        return None
    return [given] if isinstance(given, str) else [str(name) for name in given]


def _several(statistic: Any) -> list[Any]:
    single = isinstance(statistic, str | Callable) or not isinstance(statistic, Sequence)
    chosen = [statistic] if single else list(statistic)
    if not chosen:
        raise OptionError("statistic: name at least one")
    return chosen


class _Metrics:
    """Which metric a slice of a table holds."""

    def __init__(self, table: Table, layout: Layout, metric: Any, bounds: Any) -> None:
        self._table, self._asked, self._bounds = table, metric, bounds
        self.held = metrics_in(table, layout)
        own = isinstance(metric, str) and metric not in METRICS and metric in self.held
        self._wanted = resolve_metric(metric, _ANY if own and bounds is None else bounds)
        self._counted: dict[str, bool] = {}

    def of(self, part: Slice) -> Metric | None:
        """The metric of a slice, or None where the slice was not asked for."""
        if part.metric is None:
            counted = self._asked is None and self._bounds is None and self._counts(part.column)
            return Metric(PROPORTION) if counted else self._wanted
        known = part.metric in METRICS
        named = resolve_metric(
            f"{part.metric}{part.parameters}", self._bounds if known or self._bounds else _ANY
        )
        if self._asked is None:
            return named
        wanted = self._wanted
        differs = wanted.parameters and dict(wanted.parameters) != dict(named.parameters)
        if named.spec.name != wanted.spec.name or differs:
            return None
        return Metric(wanted.spec, named.parameters)

    def _counts(self, column: str) -> bool:
        """Whether a whole column is 0 and 1, so that a group of it that is all 1 counts too."""
        if column not in self._counted:
            cells = self._table.values(column, np.arange(len(self._table))).tolist()
            present = {cell for cell in cells if not is_missing(cell)}
            self._counted[column] = present == {0.0, 1.0}
        return self._counted[column]


_ANY = (float("-inf"), float("inf"))


def _design_doubts(part: Slice) -> tuple[Caution, ...]:
    doubts = []
    total = len(part.cases)
    if part.repeated_cases:
        doubts.append(caution("HW102", repeats=part.repeated_cases, total=total))
    if part.runs:
        doubts.append(caution("HW401", column=part.runs[0], levels=part.runs[1]))
    if part.patients:
        column, levels = part.patients
        doubts.append(caution("HW402", column=column, levels=levels, cases=total))
    return tuple(doubts)
