"""Quantiles of a metric over training runs: the learning procedure, not one trained model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.checks import as_number
from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.formatting import percent
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Kind, Metric, MetricLevel, MetricSpec, Need, Statistic, spec_of
from halfwidth.core.types import BETWEEN, Level
from halfwidth.estimation.check import Sample
from halfwidth.estimation.choose import choose
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import AUTO, Request, resolve_statistic
from halfwidth.intervals.mean import t as student_t
from halfwidth.intervals.quantile import asymptotic, semiparametric
from halfwidth.intervals.ranks import randomized_ranks
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.metrics.names import resolve_metric
from halfwidth.results.estimate import Estimate
from halfwidth.results.runs_estimate import Choice, RunsEstimate
from halfwidth.summaries.all_statistics import STATISTICS
from halfwidth.summaries.quantiles import LEVEL
from halfwidth.summaries.quantiles import quantile as type_7

# The point estimate that lies in the interval of a method (lehmann2025, section 5).
POINTS = {
    "sample": "sample_quantile",
    "interpolated": "interpolated_quantile",
    "bootstrap_median": "bootstrap_median",
}
CONSISTENT = {asymptotic.__name__: "interpolated", semiparametric.__name__: "bootstrap_median"}
# What trackers write before the name of a metric.
PARTS_OF_DATA = re.compile(
    r"^(train|val|valid|validation|dev|eval|test)(ing)?[_/. -]", re.IGNORECASE
)


MEAN, MEDIAN, PLAIN = "mean", "median", "quantile"


@frozen
class RunQuantity:
    """A quantile over runs, or their mean."""

    # Of the quantile; None of the mean.
    level: float | None
    # The statistic that estimates the quantile; ``auto`` takes the one that goes with the interval.
    point: str = AUTO


@frozen
class RunQuantities:
    """What is estimated of each source."""

    each: tuple[RunQuantity, ...]
    # Whether all intervals of a source hold at once.
    simultaneous: bool = False

    @property
    def levels(self) -> list[float]:
        """The levels of the quantiles."""
        return [one.level for one in self.each if one.level is not None]

    @property
    def count(self) -> int:
        """How many intervals."""
        return len(self.each)


@frozen(eq=False)
class RunSource:
    """The runs of one source of variation."""

    sample: Sample
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)
    # What the table gives reason to doubt.
    cautions: tuple[Caution, ...] = ()


def run_statistics(quantile: Any, point: Any = AUTO) -> list[Statistic]:
    """Quantiles over runs, one or several, by the point estimate that is named."""
    if not isinstance(point, str) or point not in (AUTO, *POINTS):
        raise UnknownNameError("point", point, [AUTO, *POINTS])
    spec = STATISTICS[POINTS.get(point, PLAIN)]
    return [Statistic(spec, {"q": level}) for level in _levels(quantile)]


def run_quantities(statistics: Sequence[Any], *, simultaneous: bool) -> RunQuantities:
    """What statistics of runs are; of others nobody knows how good they are of a few runs."""
    each = []
    for statistic in statistics:
        one = resolve_statistic(statistic)
        name = one.spec.name
        if name == MEAN:
            each.append(RunQuantity(None))
        elif name in (PLAIN, MEDIAN):
            each.append(RunQuantity(one.quantile_level))
        elif name in POINTS.values():
            each.append(RunQuantity(one.quantile_level, name))
        else:
            raise OptionError(
                f"{spelled('statistic', statistic)}: training runs have quantiles and the mean only"
            )
    return RunQuantities(tuple(dict.fromkeys(each)), simultaneous)


def _levels(quantile: Any) -> tuple[float, ...]:
    several = isinstance(quantile, Sequence | np.ndarray) and not isinstance(quantile, str)
    values = list(quantile) if several else [quantile]
    if not values:
        raise OptionError("quantile: name at least one level, for example 0.9")
    levels = [as_number("quantile", level, BETWEEN) for level in values]
    for level, level_given in zip(levels, values, strict=True):
        if not 0 < level < 1:
            hint = f"; for {level:g} % write {level / 100:g}" if 1 < level < 100 else ""
            raise OptionError(f"{spelled('quantile', level_given)} is not {BETWEEN}{hint}")
        LEVEL.check(level, "quantile")
    return tuple(dict.fromkeys(levels))


def resolve_run_metric(metric: Any, bounds: Any, column: str = "") -> Metric:
    """What the values of runs are; a metric of test sets has one value for each run."""
    # A column that is called like a metric is that metric, unless the user says what it is.
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


def _notes(
    estimates: Sequence[Estimate], quantities: RunQuantities, request: Request
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


def _level_of_each(quantities: RunQuantities, request: Request) -> Level:
    """The level of each interval; Bonferroni's for simultaneous ones."""
    if not quantities.simultaneous:
        return request.level
    miss = (1 - request.level.confidence_level) / quantities.count
    return Level(1 - miss, request.level.alternative)


def estimate_runs(
    sources: Sequence[RunSource], quantities: RunQuantities, request: Request
) -> tuple[list[RunsEstimate], tuple[str, ...]]:
    """For each source its quantiles and its mean, and notes on them all.

    The mean has its ``t`` interval, whatever the method for quantiles.
    """
    if request.method is not None and not quantities.levels:
        raise OptionError(
            f"{spelled('method', request.method.name)} makes intervals of quantiles over runs; "
            "leave it out for their mean, which takes t"
        )
    each = replace(request, level=_level_of_each(quantities, request))
    quantiles: list[Job] = []
    means: list[Job] = []
    for source in sources:
        sample = replace(source.sample, records=replace(source.sample.records, over="runs"))
        for one in quantities.each:
            if one.level is None:
                means.append(_job(resolve_statistic(MEAN), sample, source))
            else:
                point = _point_for(one.level, one.point, sample, each)
                quantiles.append(_job(point, sample, source))
    mean_estimates = iter(estimate_jobs(means, replace(each, method=spec_of(student_t))))
    quantile_estimates = iter(estimate_jobs(quantiles, each))
    estimates = [
        _as_runs_estimate(
            next(mean_estimates if one.level is None else quantile_estimates),
            source.sample,
            chosen=request.method is None,
        )
        for source in sources
        for one in quantities.each
    ]
    if len(quantities.levels) > 1 and not quantities.simultaneous:
        estimates = _with_count(estimates, quantities, request)
    return estimates, _notes(estimates, quantities, request)


def _with_count(
    estimates: Sequence[RunsEstimate], quantities: RunQuantities, request: Request
) -> list[RunsEstimate]:
    """Estimates with a caution that all intervals of a source need not hold at once."""
    less = any(e.confidence_level < request.level.confidence_level for e in estimates)
    level = percent(request.level.confidence_level) + (" or less" if less else "")
    at_once = caution("HW703", count=quantities.count, level=level)
    cautions = ((*e.cautions, at_once) for e in estimates)
    return [
        replace(e, cautions=tuple(sorted(raised, key=lambda one: one.code)))
        for e, raised in zip(estimates, cautions, strict=True)
    ]


def _job(statistic: Statistic, sample: Sample, source: RunSource) -> Job:
    functional = Functional(statistic, sample.metric, sample.binary)
    return Job(functional, sample.records, source.label, source.by, source.cautions)


def _point_for(q: float, point: str, sample: Sample, request: Request) -> Statistic:
    """The requested point estimate, or the one that goes with the interval."""
    if point != AUTO:
        return Statistic(STATISTICS[point], {"q": q})
    plain = Statistic(STATISTICS["sample_quantile"], {"q": q})
    functional = Functional(plain, sample.metric, sample.binary)
    method = request.method or choose(functional, sample.records, request.level)
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
