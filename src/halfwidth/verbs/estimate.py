"""``estimate``: values with their confidence intervals, of any kind of data."""

from __future__ import annotations

from typing import Any

from halfwidth.core.checks import as_flag
from halfwidth.core.errors import DataError
from halfwidth.core.types import Alternative
from halfwidth.data.case_values import CaseValues
from halfwidth.data.quantities import USUAL_STATISTIC, Quantities
from halfwidth.estimation.pipeline import estimate_jobs
from halfwidth.estimation.resolve import AUTO
from halfwidth.estimation.runs.quantiles import estimate_runs, run_quantities
from halfwidth.results.estimate import Estimates
from halfwidth.verbs.given import as_data_of_models, refuse_idle


def estimate(
    data: Any,
    y_score: Any = None,
    *,
    metric: Any = None,
    statistic: Any = USUAL_STATISTIC,
    average: Any = None,
    method: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
    n_threads: int = 1,
    simultaneous: bool = False,
    keep_cases: bool = False,
) -> Estimates:
    """Estimates with their confidence intervals: a row per model, level, metric and statistic.

    Parameters
    ----------
    data : CaseValues, Predictions or Detections; or data frame, or array-like
        What is given as frames and arrays becomes data with the usual options: a table of values
        of cases; an array of them, or several by the names of their models; or with ``y_score``
        the true classes.
    y_score : array-like, or mapping of str to these, optional
        Scores or predicted classes, where ``data`` are true classes.
    metric : str, MetricSpec or callable, or sequence of them, optional
        Of predictions and detections, what is estimated. Of values, what they are, where their
        data do not say it.
    statistic : str, callable or sequence of them, default "mean"
        Of values of cases, one or several: ``"median"``, ``"sd"``, ``"quantile:q=0.05"``. Of
        training runs quantiles and the mean: a quantile by the point estimate that goes with its
        interval, or by ``"sample_quantile"``, ``"interpolated_quantile"``, ``"bootstrap_median"``.
    average : str or sequence of them, optional
        Of predictions and detections over classes, as for `metric_ci`.
    method : str, default "auto"
        See ``halfwidth.METHODS``; of quantiles over training runs as for `runs_ci`.
    confidence_level, alternative, n_resamples, rng
        As for `summary_ci`. All rows share the seed, and a row equals what `summary_ci` or
        `metric_ci` gives for its cases alone.
    n_threads : int, default 1
        Threads of bootstraps that the compiled library does; the result is the same for any number.
    simultaneous : bool, default False
        Of training runs: whether all intervals of a source hold at once (Bonferroni).
    keep_cases : bool, default False
        Whether the result carries the values of cases (``.cases``), as a plot of their distribution
        needs. No table, JSON document or sentence holds them.

    Returns
    -------
    Estimates

    Raises
    ------
    DataError, OptionError, UnknownNameError
        Naming the model, the column and the case.

    Examples
    --------
    >>> import pandas as pd, halfwidth as hw
    >>> frame = pd.DataFrame({
    ...     "case": ["a", "b", "c", "a", "b", "c"],
    ...     "model": ["U-Net"] * 3 + ["ViT"] * 3,
    ...     "dice": [0.91, 0.88, 0.93, 0.85, 0.80, 0.89],
    ... })
    >>> values = hw.CaseValues.from_table(frame, "dice", metric="dsc", model="model")
    >>> [f"{e.label} {e.value:.2f}" for e in hw.estimate(values, statistic="median")]
    ['U-Net 0.91', 'ViT 0.85']
    """
    quantities = Quantities(metric, statistic, average)
    given = as_data_of_models(data, y_score, metric, "estimate", estimates=True)
    refuse_idle(
        "estimate",
        given,
        statistic=statistic,
        average=average,
        simultaneous=simultaneous,
        keep_cases=keep_cases,
    )
    inference = {
        "method": method,
        "confidence_level": confidence_level,
        "alternative": alternative,
        "n_resamples": n_resamples,
        "rng": rng,
    }
    at_once, kept = as_flag("simultaneous", simultaneous), as_flag("keep_cases", keep_cases)
    if isinstance(given, CaseValues) and given.are_runs:
        request = given.request(**inference)
        asked = run_quantities(quantities.statistics, simultaneous=at_once)
        sources = [*given.run_sources(quantities, request)]
        of_runs, notes = estimate_runs([source for source, _ in sources], asked, request)
        cases = tuple(values for _, values in sources) if kept else ()
        return Estimates(tuple(of_runs), notes, cases)
    found, request = given.jobs(quantities, **inference, threads=n_threads)
    if not found.jobs:
        raise DataError("no models to estimate")
    cases = found.cases if kept else ()
    return Estimates(estimate_jobs(found.jobs, request), found.notes, cases)
