"""``estimate``: values with their confidence intervals, of any kind of data."""

from __future__ import annotations

from typing import Any

from halfwidth.core.checks import as_flag
from halfwidth.core.errors import DataError
from halfwidth.core.types import Alternative
from halfwidth.data.case_values import CaseValues
from halfwidth.estimation.pipeline import estimate_jobs
from halfwidth.estimation.resolve import AUTO
from halfwidth.estimation.runs.quantiles import estimate_runs, run_quantities
from halfwidth.measuring import case_values
from halfwidth.measuring.kinds import kind_of
from halfwidth.measuring.quantities import USUAL_STATISTIC, Quantities
from halfwidth.measuring.runs import run_sources
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
        Of predictions and detections, what is estimated; of values, what they are, where their
        data do not say it. It decides range, unit and which direction is better. Parameters
        stand after a colon: ``"nsd:tolerance=3"``; costs and priors by
        ``functools.partial(halfwidth.metrics.expected_cost, costs=[[0, 1], [5, 0]])``. Or a
        function of your own.
    statistic : str, callable or StatisticSpec, default "mean"
        Summary statistic of values of cases; with parameters: ``"quantile:0.9"``. ``"mean"``,
        ``"median"``, ``"trimmed_mean"`` (or ``"trimmed_mean:0.1"``), ``"sd"``
        (``"sd:ddof=0"``), ``"iqr"``, ``"quantile:0.9"``; or a function of the values,
        vectorised if it takes ``axis``; or a `StatisticSpec`, which can have an ``influence``
        and thereby a standard error.
    average : str or sequence of them, optional
        Over classes: ``"binary"``, ``"macro"``, ``"micro"``, ``"weighted"``; ``"none"`` takes
        each class apart. Default: that of the positive class where there is one, else
        ``"macro"``. Of probabilities there are also ``"top_label"``, ``"sum"`` and
        ``"canonical"``, of the whole vector, and the default is the first that the metric has
        of ``"sum"``, ``"canonical"`` and ``"top_label"``.
    method : str, default "auto"
        CI method, one of ``halfwidth.METHODS``; ``"auto"`` chooses on evidence. It cuts its
        bounds to the metric's range; a method asked for by name gives its textbook formula.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.
    alternative : {"two-sided", "lower", "upper"}, default "two-sided"
        ``"lower"`` gives a lower confidence bound, ``"upper"`` an upper one. The other end is
        then that of the range.
    n_resamples : int, optional
        Bootstrap resamples; default: 9999, and none where the bootstrap distribution is known
        exactly, as of means and of ratios of counts.
    rng : None, int, SeedSequence or Generator, optional
        Makes bootstraps repeatable; default: fresh, and reported. A source of randomness as in
        SPEC 7. The result's ``seed`` reproduces it, and all rows share it: a seed gives the
        same resamples for every pair of models.
    n_threads : int, default 1
        Threads of bootstraps that the compiled library does; the result is the same for any
        number.
    simultaneous : bool, default False
        Of training runs: all intervals of a source hold at once (Bonferroni).

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
    dataset = as_data_of_models(data, y_score, metric, "estimate", estimates=True)
    refuse_idle(
        "estimate", dataset, statistic=statistic, average=average, simultaneous=simultaneous
    )
    inference = {
        "method": method,
        "confidence_level": confidence_level,
        "alternative": alternative,
        "n_resamples": n_resamples,
        "rng": rng,
    }
    simultaneous = as_flag("simultaneous", simultaneous)
    if isinstance(dataset, CaseValues) and dataset.are_runs:
        request = case_values.request(dataset, **inference)
        statistics = run_quantities(quantities.statistics, simultaneous=simultaneous)
        sources = [*run_sources(dataset, quantities, request)]
        estimates, notes = estimate_runs([source for source, _ in sources], statistics, request)
        return Estimates(tuple(estimates), notes, tuple(values for _, values in sources))
    of_cases, request = kind_of(dataset).jobs(dataset, quantities, **inference, threads=n_threads)
    if not of_cases.jobs:
        raise DataError("no models to estimate")
    return Estimates(estimate_jobs(of_cases.jobs, request), of_cases.notes, of_cases.cases)
