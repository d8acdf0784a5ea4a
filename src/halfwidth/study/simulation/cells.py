"""One chunk of a study: samples of a population, intervals by all methods, their performance."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array, Level
from halfwidth.estimation.batches import automatic_intervals
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.draws import Plan
from halfwidth.study.chunks import ChunkResult
from halfwidth.study.simulation.fitted import Fitted, fitted, population_truth
from halfwidth.study.simulation.performance import (
    Bounded,
    Point,
    interval_performance,
    method_shares,
    point_performance,
)
from halfwidth.study.simulation.targets import Measured, measured_on
from halfwidth.study.specs.spec import Instance, StudySpec

# Values drawn from a population at once: 2**22 floats are 32 MiB. Boundaries of parts depend on
# it, and so do the draws.
MOST_DRAWN = 2**22


@frozen
class Cells:
    """The cells of one instance, metric and sample size."""

    instance: Instance
    # Of test sets; None for per-case values.
    metric: Metric | None
    n: int
    spec: StudySpec

    @property
    def measured(self) -> tuple[Measured, ...]:
        """What is estimated."""
        return measured_on(self.instance, self.metric, self.spec)


def batch_sizes(spec: StudySpec) -> list[int]:
    """Samples in each batch, which differ by one at most."""
    each, more = divmod(spec.samples, spec.batches)
    return [each + (batch < more) for batch in range(spec.batches)]


def batch_plan(cells: Cells, batch: int) -> Plan:
    """The draws that the samples of a batch share; no other batch, size or instance has them."""
    spec = cells.spec
    key = rng.derive_key(spec.seed, "study", "resamples", cells.instance.name, cells.n, batch)
    return Plan(key.value, spec.resamples, kept={}, own_uniforms=True)


def batch_parts(cells: Cells, population: Any, batch: int, samples: int) -> Iterator[Array]:
    """The samples of a batch in parts of bounded size, the same for all metrics and statistics."""
    spec, n = cells.spec, cells.n
    key = rng.derive_key(spec.seed, "study", "samples", cells.instance.name, n, batch)
    generator = np.random.Generator(np.random.Philox(key=key.value))
    per_case = len(cells.instance.classes) + 1 if cells.instance.classes else 1
    if cells.instance.detected is not None:
        per_case = len(population.records)
    step = max(1, MOST_DRAWN // (n * per_case))
    for start in range(0, samples, step):
        yield population.draw(generator, min(step, samples - start), n)


def simulate(cells: Cells) -> ChunkResult:
    """All rows of a chunk."""
    begun, begun_cpu = time.perf_counter(), time.thread_time()
    known = fitted(cells.instance)
    rows: list[dict[str, Any]] = []
    timings: list[dict[str, Any]] = []
    for measured in cells.measured:
        started, cpu = time.perf_counter(), time.thread_time()
        rows += _rows(cells, measured, known)
        took = {"seconds": time.perf_counter() - started, "cpu_seconds": time.thread_time() - cpu}
        timings.append(_named(cells, measured) | took)
    seconds = time.perf_counter() - begun
    return ChunkResult(rows, seconds, timings, time.thread_time() - begun_cpu)


@frozen
class Simulated:
    """What the samples of a cell gave; ``bounded``: all methods at one level, then the next."""

    estimates: Array
    batch: NDArray[np.intp]
    bounded: list[Bounded]


def simulated(cells: Cells, measured: Measured, population: Any) -> Simulated:
    """Estimates and intervals of all samples of a cell."""
    spec = cells.spec
    estimates: list[Array] = []
    parts: list[list[Bounded]] = []
    sizes = batch_sizes(spec)
    for batch, samples in enumerate(sizes):
        plan = batch_plan(cells, batch)
        for drawn in batch_parts(cells, population, batch, samples):
            values = measured.samples(drawn)
            estimates.append(measured.reduce(values))
            parts.append(_intervals(cells, measured, values, plan))
    return Simulated(
        np.concatenate(estimates),
        np.repeat(np.arange(len(sizes)), sizes),
        [_joined(parts) for parts in zip(*parts, strict=True)],
    )


def _intervals(cells: Cells, measured: Measured, values: Array, plan: Plan) -> list[Bounded]:
    """Intervals of samples by all methods, ``auto``'s last, at all levels; NaN of too few cases."""
    n, reduce = cells.n, measured.reduce
    able = [method for method in measured.methods if n >= max(method.min_n, reduce.spec.min_n)]
    computed = iter(
        intervals(
            values,
            reduce,
            able,
            *cells.spec.levels,
            bounds=measured.bounds,
            plan=plan,
            design=measured.design(n),
            binary=measured.binary,
            errors=False,
        )
        if able
        else ()
    )
    none = np.full(len(values), np.nan)
    bounded: list[Bounded] = []
    for level in cells.spec.levels:
        for method in measured.methods:
            if method not in able:
                bounded.append(Bounded(none, none, np.zeros(len(values))))
                continue
            by_method = next(computed)
            share = by_method.n_undefined / (by_method.n_resamples or 1)
            bounded.append(Bounded(by_method.interval.low, by_method.interval.high, share))
        if measured.auto:
            bounded.append(_automatic_intervals(measured, values, level, plan))
    return bounded


def _automatic_intervals(measured: Measured, values: Array, level: Level, plan: Plan) -> Bounded:
    low, high, share = np.full((3, len(values)), np.nan)
    names = np.full(len(values), "", dtype=object)
    for part in measured.as_users_have_them(values):
        for group in automatic_intervals(
            part.functional, part.samples, level, design=part.design, plan=plan
        ):
            rows, computed = part.rows[group.rows], group.computed
            low[rows], high[rows] = computed.interval.low, computed.interval.high
            share[rows] = computed.n_undefined / (computed.n_resamples or 1)
            names[rows] = group.method.name
    return Bounded(low, high, share, names)


def _joined(parts: tuple[Bounded, ...]) -> Bounded:
    return Bounded(
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        np.concatenate([part.undefined_share for part in parts]),
        np.concatenate([part.methods for part in parts]),
    )


# --------------------------------------------------------------------------- rows


def _rows(cells: Cells, measured: Measured, known: Fitted) -> Iterator[dict[str, Any]]:
    spec = cells.spec
    simulated_cell = simulated(cells, measured, known.population)
    truth = population_truth(cells.instance, measured, spec)
    spread = known.facts["interdecile_range"]
    point = Point(truth.value, spread, simulated_cell.batch, truth.standard_error)
    inside = measured.reduce.range(measured.bounds, cells.n)
    common = {
        **_named(cells, measured),
        **known.facts,
        "n_cases": cells.instance.n_cases,
        "truth": truth.value,
        "truth_se": truth.standard_error,
        "truth_how": truth.how,
        "samples": spec.samples,
        "resamples": spec.resamples,
        "batches": spec.batches,
        **point_performance(simulated_cell.estimates, point),
    }
    combinations = [(level, name) for level in spec.levels for name in measured.method_names]
    for (level, method), bounded in zip(combinations, simulated_cell.bounded, strict=True):
        yield {
            **common,
            "confidence_level": level.confidence_level,
            "alternative": level.alternative,
            "method": method,
            **interval_performance(bounded, point, inside),
            **({"chosen": method_shares(bounded.methods)} if measured.auto else {}),
        }


def _named(cells: Cells, measured: Measured) -> dict[str, Any]:
    instance = cells.instance
    return {
        "instance": instance.name,
        "task": instance.task,
        "model": instance.model,
        "source": instance.source,
        "metric": measured.metric,
        "statistic": measured.statistic,
        "average": measured.average,
        "label": measured.label,
        "n": cells.n,
    }
