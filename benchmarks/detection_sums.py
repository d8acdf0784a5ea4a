"""How often 95 % intervals of metrics that are sums over images hold the true value: by method.

Images and detectors are those of `simulated_detectors`. Boundary distances of matched pairs are
lognormal, and hang together within an image; so do the lesion-wise scores. True values are those of
400 000 images.

    python benchmarks/detection_sums.py [samples]
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator

import numpy as np
from simulated_detectors import POPULATIONS, Images

from halfwidth.core.parameters import bind
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array, Level
from halfwidth.core.undefined import AbsentClass
from halfwidth.detection.estimation.functionals import detection_functional
from halfwidth.detection.matching.instances import wanted_by
from halfwidth.detection.matching.match_lists import MatchingRule, MatchLists, Outcome
from halfwidth.estimation.functionals import MetricRow, Policies
from halfwidth.estimation.records import Functional
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.compute import intervals
from halfwidth.metrics.all_metrics import DETECTION_METRICS
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

SIZES = (20, 50, 200)
SAMPLES, RESAMPLES, TRUTH = 1000, 999, 400_000
WAYS = ("dirichlet", "percentile", "bca", "bca_expanded", "basic")
NAMES = (
    "object_sensitivity",
    "object_ppv",
    "object_f_beta",
    "fppi",
    "pq",
    "sq",
    "instance_dsc",
    "instance_hd95",
)
# Of log distances: between images, and within them.
BETWEEN, WITHIN = 0.4, 0.6
OMIT: AbsentClass = "omit"


def metrics() -> list[Metric]:
    """Those that are studied, with their parameters bound."""
    specs = [DETECTION_METRICS[name] for name in NAMES]
    return [Metric(spec, bind(spec.name, spec.parameters, {}, complete=True)) for spec in specs]


def with_measurements(
    matches: MatchLists, wanted: list[Metric], generator: np.random.Generator
) -> MatchLists:
    """With made-up values of what metrics need of the masks of matched pairs."""
    image = generator.normal(0, BETWEEN, matches.n_images)[matches.image]
    distance = np.exp(1.0 + image + generator.normal(0, WITHIN, len(image)))
    matched = matches.outcome == Outcome.TRUE_POSITIVE
    measured = {}
    for one in wanted_by(wanted):
        values = distance if one.metric == "hd95" else 1 - 0.08 * np.minimum(distance, 10)
        measured[one] = np.where(matched, values, np.nan)
    how = MatchingRule("mask_iou", thresholds=matches.matching.thresholds)
    return dataclasses.replace(matches, measured=measured, matching=how)


def functional_of(metric: Metric, classes: tuple[str, ...]) -> Functional:
    """Of all classes pooled."""
    row = MetricRow(metric, "micro")
    return detection_functional(row, classes, 1, Policies(OMIT, "omit"))


def samples_of(
    population: Images, wanted: list[Metric], n: int, samples: int, seed: int
) -> list[Array]:
    """Records of test sets, (S, k, n) for each metric."""
    generator = np.random.default_rng([seed, n])
    made: list[list[Array]] = [[] for _ in wanted]
    for _ in range(samples):
        matches, _ = population.draw(generator, n)
        matches = with_measurements(matches, wanted, generator)
        for metric, records in zip(wanted, made, strict=True):
            records.append(functional_of(metric, matches.classes).records(matches))
    return [np.stack(records) for records in made]


@dataclasses.dataclass(frozen=True)
class Held:
    """How often a method held the truth, in a population at one n, and how wide it was."""

    metric: str
    method: str
    n: int
    coverage: float
    width: float


def coverage(population: Images, samples: int) -> Iterator[Held]:
    """Of every metric, method and n; no interval does not hold the truth."""
    wanted = metrics()
    functionals = [functional_of(metric, ("a",) * len(population.shares)) for metric in wanted]
    truth = [
        float(functional.statistic(records[0]))
        for functional, records in zip(
            functionals, samples_of(population, wanted, TRUTH, 1, 1), strict=True
        )
    ]
    for n in SIZES:
        sets = samples_of(population, wanted, n, samples, 2)
        for metric, functional, records, true in zip(wanted, functionals, sets, truth, strict=True):
            for name, low, high in bounds_of(metric, functional, records):
                covered = float(((low <= true) & (true <= high)).mean())
                yield Held(metric.spec.display, name, n, covered, float(np.nanmean(high - low)))


def bounds_of(
    metric: Metric, functional: Functional, records: Array
) -> Iterator[tuple[str, Array, Array]]:
    """The bounds by each method; Dirichlet weights need finite ones of the metric."""
    bounds = metric.spec.bounds
    methods = [METHODS[name] for name in WAYS if bounds.finite or name != WAYS[0]]
    made = intervals(
        records,
        functional.statistic,
        methods,
        Level(),
        bounds=bounds,
        plan=Plan(7, RESAMPLES, own_uniforms=True),
        design=Design((records.shape[-1],), paired=True),
        clip=True,
    )
    for method, computed in zip(methods, made, strict=True):
        yield method.name, computed.interval.low, computed.interval.high


def main() -> None:
    """Print the table: the coverage in each population, in their order, and the mean width."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    print(
        f"{samples} samples of each, {RESAMPLES} resamples: "
        + ", ".join(population.called for population in POPULATIONS)
        + "\n"
    )
    cells: dict[tuple[str, str], dict[int, list[Held]]] = {}
    for population in POPULATIONS:
        for held in coverage(population, samples):
            cells.setdefault((held.metric, held.method), {}).setdefault(held.n, []).append(held)
    print("| metric | method | " + " | ".join(map(str, SIZES)) + " |")
    print("| --- | --- |" + " --- |" * len(SIZES))
    for (metric, method), by_n in sorted(cells.items(), key=lambda item: item[0][0]):
        texts = [
            " ".join(f"{100 * one.coverage:.0f}" for one in by_n[n])
            + f" [{np.mean([one.width for one in by_n[n]]):.3f}]"
            for n in SIZES
        ]
        print(f"| {metric} | {method} | " + " | ".join(texts) + " |")


if __name__ == "__main__":
    main()
