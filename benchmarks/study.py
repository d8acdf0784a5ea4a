"""What the study engine costs: cells, the whole design of andre2025, workers, memory.

Run with ``make bench-study``, which holds BLAS to one thread. Cells have 10 000 samples and 9999
resamples, n = 250. What one would use instead is SciPy's bootstrap, sample by sample, and for
metrics of test sets scikit-learn's functions in it; that is timed on one sample (scikit-learn with
few resamples) and scaled. The prediction multiplies what cells cost by how many the design has; one
instance's row of it is then run as a whole. On a busy machine ``--cpu`` measures processor
time, which says nothing of workers: ``python benchmarks/study.py --cpu cells design memory``.
"""

from __future__ import annotations

import functools
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from halfwidth.core.parameters import bind
from halfwidth.core.spec import Metric, MetricLevel
from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.all_methods import METHODS
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.names import resolve_metric
from halfwidth.study.chunks import Chunk
from halfwidth.study.execution.attempts import peak_megabytes
from halfwidth.study.populations import adaptive_kde, empirical, logit_kde
from halfwidth.study.simulation.cells import Cells, simulate, simulated
from halfwidth.study.simulation.costs import predict
from halfwidth.study.simulation.fitted import fitted
from halfwidth.study.specs.spec import Instance, StudySpec
from halfwidth.study.studies import StudyPlan, plan_chunks, run

BOOTSTRAPS = ("percentile", "basic", "bca")
SIZES = (10, 25, 50, 75, 100, 125, 150, 200, 250)
STATISTICS = ("mean", "median", "trimmed_mean", "sd", "iqr")
SAMPLES, RESAMPLES = 10_000, 9999
# Cases of each class in the test sets of andre2025, Table S3.
TASKS = {
    "CheXpert cardiomediastinum": (2224, 5400),
    "APTOS19": (361, 74, 200, 39, 59),
    "Cataract": (60, 20, 21, 20),
    "ISIC20": (6424, 117),
    "COVID-CT": (80, 70),
    "Breast ultrasound": (87, 42, 27),
    "CheXpert effusion": (7080, 17238),
    "DeepDRiD": (125, 116),
    "MURA forearm": (233, 133),
    "AIDA-E": (6, 35, 12),
    "Derm7pt": (6, 31, 12, 57, 6),
    "HyperKvasir": (202, 2, 79, 200, 153, 187),
}
MODELS = 19
# Samples do not cost more where more cases stand behind the population.
MOST_CASES = 1000
HOURS_OF_ANDRE = 243_614


# --------------------------------------------------------------------------- instances


def sample_metric(name: str) -> Metric:
    """A metric of test sets."""
    spec = SAMPLE_METRICS[name]
    return Metric(spec, bind(name, spec.parameters, {}, complete=False))


def spec_of(**given: Any) -> StudySpec:
    """A study with the settings of andre2025, unless others are given."""
    plain = StudySpec(
        name="benchmark",
        seed=1,
        sizes=SIZES,
        samples=SAMPLES,
        resamples=RESAMPLES,
        batches=10,
        levels=(Level(),),
        statistics=tuple(resolve_statistic(name) for name in STATISTICS),
        metrics=(),
        averages=("macro", "micro"),
        methods=tuple(METHODS[name] for name in (*BOOTSTRAPS, "t", "z")),
        absent_class="omit",
        truth_draws=10**6,
        tables=(),
        scores=(),
        populations=(),
        folder=Path(),
    )
    return replace(plain, **given)


def values_instance(name: str = "dsc", *, discrete: bool = False) -> Instance:
    """Per-case values: a skewed continuum, or distances on a grid of voxels."""
    generator = np.random.default_rng(3)
    if discrete:
        values = np.sqrt(generator.poisson(4.0, 120) + generator.poisson(1.0, 120)) * 1.25
        build: Callable[[], Any] = functools.partial(empirical, values)
        metric = resolve_metric("hd95")
    else:
        values = generator.beta(8, 2, 120)
        build = functools.partial(adaptive_kde, values, Bounds(0, 1))
        metric = resolve_metric("dsc")
    return _instance(name, MetricLevel.INDIVIDUAL, metric, build, metric.spec.bounds)


def scores_instance(name: str, shares: Sequence[int]) -> Instance:
    """Logits of a fair classifier on a task."""
    generator = np.random.default_rng(4)
    counts = np.array(shares) * min(1.0, MOST_CASES / sum(shares))
    labels = np.repeat(np.arange(len(shares)), np.maximum(2, np.round(counts)).astype(int))
    logits = generator.normal(size=(len(shares), len(labels)))
    logits[labels, np.arange(len(labels))] += 1.5
    build = functools.partial(logit_kde, logits, labels)
    classes = tuple(str(code) for code in range(len(shares)))
    return _instance(name, MetricLevel.SAMPLE, None, build, Bounds(0, 1), classes)


def _instance(
    name: str,
    level: MetricLevel,
    metric: Metric | None,
    build: Callable[[], Any],
    bounds: Bounds,
    classes: tuple[str, ...] = (),
) -> Instance:
    return Instance(
        name=name,
        task=name,
        model="",
        source="simulated",
        level=level,
        metric=metric,
        build=build,
        n_cases=None,
        digest=name,
        bounds=bounds,
        classes=classes,
    )


# --------------------------------------------------------------------------- cells


@dataclass(frozen=True)
class Timed:
    """A cell, what it should take, and what stands instead."""

    work: str
    cells: Cells
    average: str
    wanted: float
    other: Callable[[], float]


def seconds_of(cells: Cells, average: str = "") -> float:
    """One cell, its population being fitted."""
    population = fitted(cells.instance).population
    (measured,) = (one for one in cells.measured if one.average == average)
    begun = time.perf_counter()
    simulated(cells, measured, population)
    return time.perf_counter() - begun


def cells_of_table() -> Iterator[Timed]:
    """The cells that the design sets a time for."""
    values, five = values_instance(), scores_instance("five classes", (40, 30, 20, 20, 10))
    three = scores_instance("three classes", (50, 30, 20))
    for name, wanted in zip(
        ("mean", "sd", "trimmed_mean", "median", "iqr"), (1.5, *[2.0] * 4), strict=True
    ):
        spec = spec_of(statistics=(resolve_statistic(name),))
        cells = Cells(values, None, 250, spec)
        methods = "three bootstraps, t, z" if name == "mean" else "three bootstraps"
        yield Timed(f"{name}, {methods}", cells, "", wanted, functools.partial(_scipys, name))
    spec = spec_of(methods=tuple(METHODS[name] for name in BOOTSTRAPS))
    for name, average in (
        ("accuracy", ""),
        ("f1", "macro"),
        ("balanced_accuracy", ""),
        ("mcc", ""),
    ):
        metric = sample_metric(name)
        cells = Cells(five, metric, 250, spec)
        wanted_average = next(
            one.average for one in cells.measured if one.average in (average, "macro", "")
        )
        other = functools.partial(_sklearns, name, 5)
        yield Timed(f"{name}, 5 classes, three bootstraps", cells, wanted_average, 3.0, other)
    for name in ("auroc", "average_precision"):
        cells = Cells(three, sample_metric(name), 250, spec)
        other = functools.partial(_sklearns, name, 3)
        yield Timed(f"macro {name}, 3 classes, three bootstraps", cells, "macro", 25.0, other)


def _scipys(name: str) -> float:
    functions: dict[str, Any] = {
        "mean": np.mean,
        "sd": functools.partial(np.std, ddof=1),
        "trimmed_mean": lambda sample, axis: stats.trim_mean(sample, 0.25, axis=axis),
        "median": np.median,
        "iqr": stats.iqr,
    }
    sample = np.random.default_rng(0).beta(8, 2, 250)
    begun = time.perf_counter()
    for method in ("percentile", "basic", "BCa"):
        stats.bootstrap(
            (sample,), functions[name], n_resamples=RESAMPLES, method=method, batch=1000
        )
    return (time.perf_counter() - begun) * SAMPLES


def _sklearns(name: str, classes: int) -> float:
    """A hundred resamples of one sample, scaled to three bootstraps of all."""
    from sklearn import metrics

    generator = np.random.default_rng(0)
    truth = generator.integers(0, classes, 250)
    logits = generator.normal(size=(250, classes)) + 1.5 * np.eye(classes)[truth]
    scores = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    predicted = scores.argmax(axis=1)
    functions: dict[str, Callable[[Any], float]] = {
        "accuracy": lambda rows: metrics.accuracy_score(truth[rows], predicted[rows]),
        "f1": lambda rows: metrics.f1_score(truth[rows], predicted[rows], average="macro"),
        "balanced_accuracy": lambda rows: metrics.balanced_accuracy_score(
            truth[rows], predicted[rows]
        ),
        "mcc": lambda rows: metrics.matthews_corrcoef(truth[rows], predicted[rows]),
        "auroc": lambda rows: metrics.roc_auc_score(
            truth[rows], scores[rows], multi_class="ovr", average="macro"
        ),
        "average_precision": lambda rows: metrics.average_precision_score(
            np.eye(classes)[truth[rows]], scores[rows], average="macro"
        ),
    }
    few = 100
    begun = time.perf_counter()
    for _ in range(few):
        functions[name](generator.integers(0, 250, 250))
    return (time.perf_counter() - begun) / few * RESAMPLES * SAMPLES * 3


def show_cells() -> None:
    """Each cell alone, the median of three, beside SciPy or scikit-learn."""
    print(f"{'one cell, one thread (10 000 samples, 9999 resamples, n = 250)':<62}", end="")
    print(f"{'s':>7}{'wanted':>8}{'instead, h':>12}{'ratio':>9}")
    for timed in cells_of_table():
        seconds_of(_smaller(timed.cells), timed.average)  # what is loaded, fitted or compiled
        taken = statistics.median(seconds_of(timed.cells, timed.average) for _ in range(3))
        other = timed.other()
        against = f"{other / 3600:12.2f}{other / taken:8.0f}x"
        print(f"{timed.work:<62}{taken:7.2f}{timed.wanted:8.1f}{against}", flush=True)


def _smaller(cells: Cells) -> Cells:
    return replace(cells, spec=replace(cells.spec, samples=2000))


# --------------------------------------------------------------------------- the whole design


@dataclass(frozen=True)
class Row:
    """A part of the design: its chunks for one model and task, and how often it comes."""

    what: str
    chunks: tuple[Chunk, ...]
    times: float


def design() -> Iterator[Row]:
    """All cells of andre2025 (section 3 and Tables 1 and S3)."""
    # Eight metrics of 228 instances, clDice of 38; HD and HD95 are discrete.
    everything = spec_of()
    continuous = plan_chunks(everything, [values_instance("continuous")])
    discrete = plan_chunks(everything, [values_instance("discrete", discrete=True)])
    yield Row("segmentation, continuous: 5 statistics, 9 n", continuous, 6 * 228 + 38)
    yield Row("segmentation, HD and HD95: 5 statistics, 9 n", discrete, 2 * 228)
    proportions = ("wald", "wilson", "agresti_coull", "clopper_pearson")
    names = ("accuracy", "balanced_accuracy", "f1", "mcc", "auroc", "average_precision")
    instances = [scores_instance(task, shares) for task, shares in TASKS.items()]
    for name in names:
        asked = (*BOOTSTRAPS, *(proportions if name == "accuracy" else ()))
        methods = tuple(METHODS[method] for method in asked)
        spec = spec_of(metrics=(sample_metric(name),), methods=methods)
        yield Row(f"classification, {name}: 12 tasks, 9 n", plan_chunks(spec, instances), MODELS)
    fewer = {"samples": 3500, "resamples": 3499, "averages": ("macro",)}
    for name, sizes in (
        ("balanced_accuracy", (500, 1000, 5000)),
        ("f1", (500, 1000, 5000)),
        ("auroc", (500, 1000)),
    ):
        spec = spec_of(
            metrics=(sample_metric(name),),
            methods=tuple(METHODS[one] for one in BOOTSTRAPS),
            sizes=sizes,
            **fewer,
        )
        work = f"macro {name}: 12 tasks, n = {', '.join(map(str, sizes))}"
        yield Row(work, plan_chunks(spec, instances), MODELS)


def show_design() -> float:
    """Core-hours of the whole design, from trials; returns those of one row of segmentation."""
    print(
        "\nThe whole design of andre2025, predicted: core-seconds of one model x how often it comes"
    )
    total, one_row = 0.0, 0.0
    for row in design():
        made = predict(row.chunks, patience=45)
        seconds = sum(made.seconds.values())
        one_row = one_row or seconds
        hours = seconds * row.times / 3600
        total += hours
        print(
            f"  {row.what:<58}{seconds:9.1f} s x {row.times:5.0f} = {hours:7.2f} h"
            f"   ({made.tried} of {len(row.chunks)} chunks tried)",
            flush=True,
        )
    share = f"1/{HOURS_OF_ANDRE / total:.0f} of {HOURS_OF_ANDRE}"
    print(f"  {'all':<58}{total:27.1f} core-hours, {share}")
    return one_row


def show_check(predicted: float) -> None:
    """The row of one instance of segmentation, run."""
    chunks = plan_chunks(spec_of(), [values_instance("checked")])
    begun = time.perf_counter()
    for chunk in chunks:
        simulate(chunk.payload)
    taken = time.perf_counter() - begun
    print(
        f"\none instance, 5 statistics, 9 n: predicted {predicted:.1f} s, took {taken:.1f} s "
        f"({100 * (taken / predicted - 1):+.1f} %; wanted: within 15 %)"
    )


# --------------------------------------------------------------------------- workers


def show_workers(runs: int = 5) -> None:
    """A study with one worker and with two, in turns."""
    spec = spec_of(samples=4000, sizes=(50, 100, 250))
    instances = tuple(values_instance(f"instance {place}") for place in range(4))
    planned = StudyPlan(spec, instances, plan_chunks(spec, instances))
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(runs):
        for jobs, own in times.items():
            with tempfile.TemporaryDirectory() as folder:
                begun = time.perf_counter()
                run(planned, Path(folder) / "store", jobs=jobs)
                own.append(time.perf_counter() - begun)
    one, two = (statistics.median(times[jobs]) for jobs in (1, 2))
    print(
        f"\n{len(planned.chunks)} chunks: {one:.1f} s with one worker, {two:.1f} s with two: "
        f"{one / two:.2f} x (median of {runs}, starting them included; wanted: 1.7 x)"
    )


def show_memory() -> None:
    """What a process needs for one batch of the largest chunk of each row of the design."""
    largest = [max(row.chunks, key=lambda chunk: chunk.cost).payload for row in design()]
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned, max_tasks_per_child=1) as pool:
        peaks = list(pool.map(peak_of_a_batch, largest))
    print(f"\nmost memory of a worker: {max(peaks):.0f} MB (wanted: < 1000)")


def peak_of_a_batch(cells: Cells) -> float:
    """The most memory that this process had by the end of one batch, in MB."""
    batch = replace(cells.spec, samples=cells.spec.samples // cells.spec.batches, batches=1)
    for measured in cells.measured:
        small = replace(cells, spec=batch)
        simulated(small, measured, fitted(cells.instance).population)
    return peak_megabytes() or float("nan")


def main() -> None:
    """Everything, in the order of the module, or what the command line names."""
    named = [name for name in sys.argv[1:] if name != "--cpu"]
    wanted = named or ["cells", "design", "workers", "memory"]
    if "--cpu" in sys.argv:
        # The package's own predictions are to go by this clock too.
        time.perf_counter = time.process_time
    if "cells" in wanted:
        show_cells()
    if "design" in wanted:
        show_check(show_design())
    if "workers" in wanted:
        show_workers()
    if "memory" in wanted:
        show_memory()


if __name__ == "__main__":
    main()
