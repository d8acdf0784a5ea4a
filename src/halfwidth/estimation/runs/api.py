"""Quantiles of a metric over training runs: the learning procedure, not one trained model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.checks import as_flag, as_number, plain_text
from halfwidth.core.errors import OptionError, UnknownNameError, shortened
from halfwidth.core.formatting import percent
from halfwidth.core.frozen import frozen
from halfwidth.core.options import spelled
from halfwidth.core.spec import Kind, Metric, MetricLevel, MetricSpec, Need, Statistic, spec_of
from halfwidth.core.types import BETWEEN, Alternative, Level
from halfwidth.core.undefined import Missing
from halfwidth.estimation.check import Sample, check_sample
from halfwidth.estimation.choose import choose
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.resolve import (
    AUTO,
    Request,
    resolve_metric,
    resolve_request,
    resolve_statistic,
)
from halfwidth.estimation.tables import column_names
from halfwidth.intervals.mean import t as student_t
from halfwidth.intervals.quantile import asymptotic, semiparametric
from halfwidth.intervals.ranks import randomized_ranks
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS
from halfwidth.results.estimate import Cases, Estimate, Estimates
from halfwidth.results.runs_estimate import Choice, RunsEstimate
from halfwidth.summaries.catalogue import STATISTICS
from halfwidth.summaries.quantiles import LEVEL
from halfwidth.summaries.quantiles import quantile as type_7
from halfwidth.tables.run_tables import RunSlice, run_slices, run_table

# The point estimate that lies in the interval of a method (lehmann2025, section 5).
POINTS = {
    "sample": "sample_quantile",
    "interpolated": "interpolated_quantile",
    "bootstrap_median": "bootstrap_median",
}
CONSISTENT = {asymptotic.__name__: "interpolated", semiparametric.__name__: "bootstrap_median"}
FOLDS = ("refuse", "average")
# What trackers write before the name of a metric.
PARTS_OF_DATA = re.compile(
    r"^(train|val|valid|validation|dev|eval|test)(ing)?[_/. -]", re.IGNORECASE
)


def runs_ci(
    values: Any,
    quantile: float = 0.5,
    *,
    metric: Any = None,
    method: str = AUTO,
    point: str = AUTO,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    n_resamples: int = 9999,
    missing: Missing = "raise",
    penalty: float | None = None,
    bounds: Any = None,
    scale: float = 1.0,
    label: str = "",
) -> RunsEstimate:
    """Confidence interval for a quantile of a metric over independent training runs.

    Runs repeat a training with one source of variation changed (the seed of the initial weights,
    the split, the augmentation, ...); a quantile says what the procedure reaches in a share of
    runs. The number of runs is the sample size, whatever the size of the test set.

    Parameters
    ----------
    values : array-like, shape (n,)
        The metric of each run.
    quantile : float, default 0.5
        Its level, strictly between 0 and 1; several at once are for `runs_table`.
    metric : str or MetricSpec, optional
        What the values are, also a metric of whole test sets ("accuracy", "auroc"); decides range,
        unit, and whether quantiles are read as "at most" or "at least".
    method : str, default "auto"
        ``"exact"`` (order statistics), ``"exact_randomized"`` (meets the level exactly; the draw
        is seeded, and `choices` tells both intervals), ``"asymptotic"``, ``"semiparametric"``
        (Hutson's bootstrap, which extrapolates), or a bootstrap. ``"auto"``: exact where it
        exists, else ``"exact_attained"``, whose interval is of the level that so few runs attain,
        or open on one side; percentile from 50 runs on where ten lie beyond the quantile.
    point : {"auto", "sample", "interpolated", "bootstrap_median"}
        The point estimate; auto takes the one that goes with the interval: interpolated with
        asymptotic, the bootstrap median with semiparametric, else the sample quantile.
    confidence_level : float, default 0.95
        For up to 25 runs 0.9 is as much as is sensible.
    alternative, rng, n_resamples, missing, penalty, bounds, scale, label
        As for `summary_ci`.

    Returns
    -------
    RunsEstimate
        An `Estimate` with the three ``points``, the ``choices`` of a randomized method,
        ``interdecile_range``, ``relative_width`` and ``reading()``.

    Raises
    ------
    DataError
        For values that are missing without a policy, out of range, not numbers, or none at all.
    OptionError, UnknownNameError
        For a quantile that is not between 0 and 1, or another option that is not allowed.

    References
    ----------
    Lehmann & Paromau (2025).

    Examples
    --------
    >>> import halfwidth as hw
    >>> accuracy = [0.871, 0.874, 0.869, 0.875, 0.873, 0.872, 0.878, 0.870, 0.876, 0.874]
    >>> e = hw.runs_ci(accuracy, 0.25, metric="accuracy", confidence_level=0.9)
    >>> e.value, e.low, e.high, e.method
    (0.871, 0.869, 0.874, 'exact')
    >>> e.reading()
    'accuracy is 0.8710 or lower in at least 25 % of runs'
    """
    if _several(quantile):
        raise OptionError(
            f"{spelled('quantile', quantile)}: name one level; runs_table takes several"
        )
    quantities = _Quantities(_levels(quantile), point, simultaneous=False, mean=False)
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=penalty,
    )
    sample = check_sample(
        values,
        resolve_run_metric(metric, bounds),
        request,
        scale=scale,
        where=plain_text("label", label) or "values",
    )
    return _estimate_sources([_Source(sample, label)], quantities, request)[0]


def runs_table(
    frame: Any,
    value: str | None = None,
    *,
    by: str | Sequence[str] | None = None,
    quantile: float | Sequence[float] = (0.1, 0.5, 0.9),
    mean: bool = True,
    folds: str = "refuse",
    metric: Any = None,
    method: str = AUTO,
    point: str = AUTO,
    confidence_level: float = 0.95,
    simultaneous: bool = False,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    n_resamples: int = 9999,
    missing: Missing = "raise",
    penalty: float | None = None,
    bounds: Any = None,
    scale: float = 1.0,
    keep_runs: bool = False,
) -> Estimates:
    """Quantiles over training runs for a table with a row per run, sources side by side.

    Parameters
    ----------
    frame : DataFrame (pandas or polars), or mapping of column names to sequences
        A row per run, plain or as MLflow and W&B export it: the metric may be called
        ``metrics.accuracy``, settings ``params.lr``; runs whose ``status`` or ``State`` says that
        they did not finish are left out, with a caution.
    value : str, optional
        Column of the metric; default: the only one there is.
    by : str or sequence of str, optional
        Columns that name the source of variation of each run (seed, split, augmentation, ...).
    quantile : float or sequence of float, default (0.1, 0.5, 0.9)
    mean : bool, default True
        Whether the mean with its ``t`` interval stands beside the quantiles.
    simultaneous : bool, default False
        Whether all intervals of a source hold at once (Bonferroni).
    folds : {"refuse", "average"}
        What a column ``fold`` means: an error, as folds are no independent runs, or the mean over
        the folds of each seed as one run.
    metric : str or MetricSpec, optional
        Default: what the column is called, where that is a metric.
    method, point, confidence_level, alternative, rng, n_resamples, missing, penalty
        As for `runs_ci`.
    bounds, scale
        As for `runs_ci`.
    keep_runs : bool, default False
        Whether the result carries the values of the runs (``.cases``), as a figure needs.

    Returns
    -------
    Estimates
        Of `RunsEstimate`: for each source its quantiles and mean.

    Raises
    ------
    DataError, OptionError, UnknownNameError
        As for `runs_ci`, naming the column and the run; also for folds offered as runs.

    References
    ----------
    Lehmann & Paromau (2025).

    Examples
    --------
    >>> import halfwidth as hw
    >>> table = {
    ...     "metrics.accuracy": [0.87, 0.88, 0.86, 0.89, 0.85, 0.87, 0.88, 0.90],
    ...     "params.seed": list(range(8)),
    ...     "status": ["FINISHED"] * 8,
    ... }
    >>> made = hw.runs_table(table, "accuracy", quantile=0.5, confidence_level=0.9)
    >>> [(e.subject, e.method) for e in made]
    [('0.5 quantile of accuracy over runs', 'exact'), ('mean of accuracy over runs', 't')]
    """
    if value is not None:
        plain_text("value", value)
    runs = run_table(frame, value, column_names(by) or ())
    quantities = _Quantities(
        _levels(quantile), point, as_flag("simultaneous", simultaneous), as_flag("mean", mean)
    )
    if not isinstance(folds, str) or folds not in FOLDS:
        raise UnknownNameError("folds", folds, FOLDS)
    request = resolve_request(
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        missing=missing,
        penalty=penalty,
    )
    run_metric = resolve_run_metric(metric, bounds, column=runs.metric)
    sources: list[_Source] = []
    cases: list[Cases] = []
    for part in run_slices(runs, average_folds=folds == "average"):
        where = f"column {runs.value!r}" + (f", {part.label}" if part.label else "")
        sample = check_sample(
            part.values, run_metric, request, scale=scale, where=where, cases=part.names
        )
        sources.append(_Source(sample, part.label, part.by, _table_cautions(part)))
        if as_flag("keep_runs", keep_runs):
            cases.append(Cases(part.label, run_metric.spec.display, sample.given))
    estimates = _estimate_sources(sources, quantities, request)
    return Estimates(tuple(estimates), _notes(estimates, quantities, request), tuple(cases))


# --------------------------------------------------------------------------- parts


@frozen
class _Quantities:
    """What is estimated of each source."""

    quantiles: tuple[float, ...]
    point: str
    simultaneous: bool
    mean: bool

    @property
    def count(self) -> int:
        """How many intervals."""
        return len(self.quantiles) + self.mean


@frozen
class _Source:
    """The runs of one source of variation."""

    sample: Sample
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()


def _several(quantile: Any) -> bool:
    return isinstance(quantile, Sequence | np.ndarray) and not isinstance(quantile, str)


def _levels(quantile: Any) -> tuple[float, ...]:
    given = list(quantile) if _several(quantile) else [quantile]
    if not given:
        raise OptionError("quantile: name at least one level, for example 0.9")
    levels = [as_number("quantile", level, BETWEEN) for level in given]
    for level, level_given in zip(levels, given, strict=True):
        if not 0 < level < 1:
            hint = f"; for {level:g} % write {level / 100:g}" if 1 < level < 100 else ""
            raise OptionError(f"{spelled('quantile', level_given)} is not {BETWEEN}{hint}")
        LEVEL.check(level, "quantile")
    return tuple(dict.fromkeys(levels))


def resolve_run_metric(metric: Any, bounds: Any, column: str = "") -> Metric:
    """What the values of runs are; a metric of test sets has one value for each run.

    A column that is called like a metric is that metric, unless the user says what it is.
    """
    name_or_metric = _metric_called(column) if metric is None else metric
    name = name_or_metric.partition(":")[0] if isinstance(name_or_metric, str) else ""
    if name in METRICS:
        resolved = resolve_metric(name_or_metric, bounds)
    elif name in SAMPLE_METRICS:
        resolved = resolve_metric(_per_run_spec(SAMPLE_METRICS[name]), bounds)
    elif name_or_metric is None:
        spec = MetricSpec(column, family="runs") if column else MetricSpec("", "", family="runs")
        resolved = resolve_metric(spec, bounds)
    elif isinstance(name_or_metric, str) and bounds is None:
        every = [*METRICS.names, *(n for n in SAMPLE_METRICS.names if n not in METRICS)]
        hint = f"A metric of your own needs {spelled('bounds')}."
        raise UnknownNameError("metric", name_or_metric, every, hint=hint)
    else:
        resolved = resolve_metric(name_or_metric, bounds)
    return Metric(_per_run_spec(resolved.spec), resolved.parameters)


def _metric_called(column: str) -> str | None:
    """The metric that a column is called by: accuracy, val_accuracy, test/Dice."""
    bare = PARTS_OF_DATA.sub("", column)
    return bare if bare in METRICS or bare in SAMPLE_METRICS else None


def _per_run_spec(spec: MetricSpec) -> MetricSpec:
    """Values of a run are a continuum, one for each."""
    return replace(spec, level=MetricLevel.INDIVIDUAL, kind=Kind.CONTINUOUS, averages=())


def _table_cautions(part: RunSlice) -> tuple[Caution, ...]:
    """What the table gives reason to doubt."""
    raised, total = [], len(part.values)
    if part.varying:
        raised.append(caution("HW704", columns=shortened(part.varying)))
    if part.unfinished:
        count = len(part.unfinished)
        names = shortened(part.unfinished)
        raised.append(caution("HW705", count=count, total=total + count, names=names))
    if part.repeated:
        raised.append(caution("HW706", repeated=part.repeated, total=total))
    return tuple(raised)


def _notes(
    estimates: Sequence[Estimate], quantities: _Quantities, request: Request
) -> tuple[str, ...]:
    if not quantities.simultaneous or quantities.count == 1:
        return ()
    whole = request.level.confidence_level
    each = percent(round(_level_of_each(quantities, request).confidence_level, 6))
    if any(e.asked is not None for e in estimates):
        each += " or the level that so few runs attain"
        miss = np.reshape([1 - e.confidence_level for e in estimates], (-1, quantities.count))
        whole = max(0.0, np.floor(1e4 * (1 - miss.sum(axis=1).max())) / 1e4)
    text = (
        f"simultaneous: each of {quantities.count} intervals at {each}, so that all hold at once "
        f"with at least {percent(whole)}"
    )
    return (text,)


def _level_of_each(quantities: _Quantities, request: Request) -> Level:
    """That of each interval; Bonferroni's for simultaneous ones."""
    if not quantities.simultaneous:
        return request.level
    miss = (1 - request.level.confidence_level) / quantities.count
    return Level(1 - miss, request.level.alternative)


def _estimate_sources(
    sources: Sequence[_Source], quantities: _Quantities, request: Request
) -> list[RunsEstimate]:
    """For each source its quantiles and its mean."""
    if not isinstance(quantities.point, str) or quantities.point not in (AUTO, *POINTS):
        raise UnknownNameError("point", quantities.point, [AUTO, *POINTS])
    each = replace(request, level=_level_of_each(quantities, request))
    quantiles: list[Job] = []
    means: list[Job] = []
    for source in sources:
        sample = replace(source.sample, records=replace(source.sample.records, over="runs"))
        about = (sample, source.label, source.by, source.cautions)
        quantiles += [
            _job(_point_for(q, sample, quantities, each), about) for q in quantities.quantiles
        ]
        means += [_job(resolve_statistic("mean"), about)] * quantities.mean
    mean_estimates = estimate_jobs(means, replace(each, method=spec_of(student_t))) if means else ()
    quantile_estimates = estimate_jobs(quantiles, each)
    estimates: list[RunsEstimate] = []
    for place, source in enumerate(sources):
        start = place * len(quantities.quantiles)
        source_estimates = quantile_estimates[start : start + len(quantities.quantiles)]
        source_estimates += mean_estimates[place : place + 1]
        estimates += [
            _as_runs_estimate(estimate, source.sample, chosen=request.method is None)
            for estimate in source_estimates
        ]
    if len(quantities.quantiles) == 1 or quantities.simultaneous:
        return estimates
    less = any(e.confidence_level < request.level.confidence_level for e in estimates)
    level = percent(request.level.confidence_level) + (" or less" if less else "")
    at_once = caution("HW703", count=quantities.count, level=level)
    cautions = ((*e.cautions, at_once) for e in estimates)
    return [
        replace(e, cautions=tuple(sorted(raised, key=lambda one: one.code)))
        for e, raised in zip(estimates, cautions, strict=True)
    ]


def _job(statistic: Statistic, about: tuple[Any, ...]) -> Job:
    sample, label, by, cautions = about
    return Job(sample.functional(statistic), sample.records, label, by, cautions)


def _point_for(q: float, sample: Sample, quantities: _Quantities, request: Request) -> Statistic:
    """The requested point estimate, or the one that goes with the interval."""
    plain = Statistic(STATISTICS["sample_quantile"], {"q": q})
    if quantities.point != AUTO:
        return Statistic(STATISTICS[POINTS[quantities.point]], {"q": q})
    method = request.method or choose(sample.functional(plain), sample.records, request.level)
    return Statistic(STATISTICS[POINTS[CONSISTENT.get(method.name, "sample")]], {"q": q})


def _as_runs_estimate(estimate: Estimate, sample: Sample, *, chosen: bool) -> RunsEstimate:
    """An estimate with the other point estimates, the choices, and what widths compare by."""
    values, q = sample.values, estimate.statistic_spec.quantile_level
    low, high = (float(type_7(values, q=level)) for level in (0.1, 0.9))
    points = (
        {name: float(STATISTICS[name].function(values, q=q)) for name in POINTS.values()}
        if not np.isnan(q)
        else {}
    )
    if chosen:
        # As the bounds are cut to the range, so is what lies between them.
        inside = estimate.range
        estimate = replace(estimate, value=float(np.clip(estimate.value, inside.low, inside.high)))
    choices: tuple[Choice, ...] = ()
    if Need.UNIFORM in estimate.method_spec.needs and len(values):
        choices = tuple(
            Choice(k, last, float(values[k - 1]), float(values[last - 1]), chance, held)
            for k, last, held, chance in randomized_ranks(len(values), q, estimate.level) or ()
        )
    return RunsEstimate.from_estimate(
        estimate,
        points=points,
        choices=choices,
        interdecile_range=high - low,
    )
