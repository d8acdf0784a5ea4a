"""Coverage of intervals for differences between two models on the same cases.

``python benchmarks/differences.py [values|test_sets|classes] [SAMPLES]`` prints, for each number of
cases, statistic or metric and method, coverage at 95 %: median, first quartile and least over
populations, the share of samples without an interval, and the median width against that of
`percentile` (decision 0048). Values are pairs of models and organs of real CT scans
(``../shared/data/touchstone``), drawn with replacement; test sets are simulated score sets of two
models whose scores correlate by .8 within each class.
"""

from __future__ import annotations

import csv
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from halfwidth.core.spec import MethodSpec, Metric
from halfwidth.core.types import Array, Level
from halfwidth.estimation.batches import automatic_intervals
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.functionals import Classes, MetricRow, Policies, build_functional
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.all_methods import METHODS, method_named
from halfwidth.intervals.compute import fits, intervals, rests_on_bounds
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

LEVEL, RESAMPLES = Level(0.95), 999
TOUCHSTONE = Path(__file__).parents[1] / "../shared/data/touchstone"
N_PAIRS = 40
STATISTICS = ("mean", "median", "trimmed_mean", "sd", "iqr", "quantile:0.1")
TRIED = ("dirichlet", "t", "hall", "percentile", "bca", "bca_expanded", "delta", "delong_t")
TRUTH_CASES = 200_000

# Samples of two models, (S, 2, n) or (S, 2, k, n), and what the population has.
Draw = Callable[[int, int, np.random.Generator], Array]
Coverage = dict[str, list[tuple[float, float, float]]]


# --------------------------------------------------------------------------- real values


def real_pairs() -> Iterator[tuple[str, Array]]:
    """A metric, and its values for two models on the scans that have an organ, (2, N)."""
    rng = np.random.default_rng(2)
    for _ in range(N_PAIRS):
        metric = str(rng.choice(["dsc", "nsd"]))
        files = sorted(TOUCHSTONE.glob(f"*_{metric}.csv"))
        first, second = rng.choice(len(files), 2, replace=False)
        organ = int(rng.integers(1, 10))
        columns = []
        for file in (files[first], files[second]):
            with file.open() as lines:
                rows = list(csv.reader(lines))[1:]
            columns.append([float(row[organ]) if row[organ] else np.nan for row in rows])
        pair = np.array(columns)
        yield metric, pair[:, ~np.isnan(pair).any(axis=0)]


def of_values(samples: int) -> None:
    """Coverage for statistics of values of cases."""
    pairs = list(real_pairs())
    for name, n in itertools.product(STATISTICS, (10, 25, 50, 100)):
        table: Coverage = {}
        for place, (metric, population) in enumerate(pairs):
            functional = Functional(resolve_statistic(name), resolve_metric(metric))

            def draw(
                size: int, n: int, rng: np.random.Generator, values: Array = population
            ) -> Array:
                return np.moveaxis(values[:, rng.integers(0, values.shape[-1], (size, n))], 0, 1)

            first, second = functional.statistic(population)
            add(table, functional, draw, float(first - second), n, samples, seed=place)
        show(name, n, table)


# --------------------------------------------------------------------------- two classes


def two_rankings(prevalence: float, distances: tuple[float, float]) -> Draw:
    """Normal scores that share four fifths of their variance within each class."""

    def draw(size: int, n: int, rng: np.random.Generator) -> Array:
        truth = rng.random((size, n)) < prevalence
        hard = np.sqrt(0.8) * rng.normal(size=(size, n))
        models = [d * truth + hard + np.sqrt(0.2) * rng.normal(size=(size, n)) for d in distances]
        others = 1.0 - truth
        return np.stack([np.stack([score, others], axis=1) for score in models], axis=1)

    return draw


def decisions(prevalence: float, distances: tuple[float, float]) -> Draw:
    """The cells of decisions where the positive class is the likelier one."""
    rankings = two_rankings(prevalence, distances)
    log_odds = np.log(prevalence / (1 - prevalence))

    def draw(size: int, n: int, rng: np.random.Generator) -> Array:
        records = rankings(size, n, rng)
        cuts = np.array([d / 2 - log_odds / d for d in distances])
        return np.asarray(2 * (1 - records[:, :, 1]) + (records[:, :, 0] > cuts[:, None]))

    return draw


def of_test_sets(samples: int) -> None:
    """Coverage for metrics of two classes."""
    distances = ((1.0, 1.0), (1.5, 1.0), (2.5, 2.5), (2.5, 2.0), (3.5, 3.5))
    settings = list(itertools.product((0.1, 0.3, 0.5), distances))
    for name, n in itertools.product(
        ("auroc", "average_precision", "f1", "balanced_accuracy", "mcc"), (25, 50, 100)
    ):
        metric = Metric(SAMPLE_METRICS[name])
        classes, policies = Classes((0, 1), 1), Policies("omit", "omit")
        average = metric.spec.averages[0] if len(metric.spec.averages) == 1 else "binary"
        functional = build_functional(MetricRow(metric, average, 1), metric, classes, policies)
        table: Coverage = {}
        for place, setting in enumerate(settings):
            ranked = functional.statistic.spec.name in ("auroc", "average_precision")
            draw = (two_rankings if ranked else decisions)(*setting)
            large = draw(1, TRUTH_CASES, np.random.default_rng(10**6 + place))[0]
            first, second = functional.statistic(large)
            add(table, functional, draw, float(first - second), n, samples, seed=place)
        show(name, n, table)


# --------------------------------------------------------------------------- many classes


def many_classes(classes: int, ratio: float, distances: tuple[float, float]) -> Draw:
    """Scores of each class for two models, and the class; each a share as frequent as the last."""
    shares = ratio ** np.arange(classes)
    shares /= shares.sum()

    def draw(size: int, n: int, rng: np.random.Generator) -> Array:
        truth = rng.choice(classes, (size, n), p=shares)
        right = np.moveaxis(np.eye(classes)[truth], -1, 1)
        hard = np.sqrt(0.8) * rng.normal(size=(size, classes, n))
        logs = np.log(shares)[:, None]
        models = [
            d * right + hard + np.sqrt(0.2) * rng.normal(size=hard.shape) + logs / d
            for d in distances
        ]
        rows = [np.concatenate([scores, truth[:, None]], axis=1) for scores in models]
        return np.stack(rows, axis=1)

    return draw


def of_classes(samples: int) -> None:
    """Coverage for averages over classes, and metrics of all classes at once."""
    distances = ((1.0, 1.0), (2.5, 2.5), (2.5, 2.0), (4.0, 4.0))
    settings = list(itertools.product((3, 5), (1.0, 0.55), distances))
    for name, n in itertools.product(
        ("auroc", "average_precision", "f1", "balanced_accuracy", "mcc"), (50, 100)
    ):
        table: Coverage = {}
        for place, setting in enumerate(settings):
            k = setting[0]
            metric, scores = Metric(SAMPLE_METRICS[name]), many_classes(*setting)
            average = metric.spec.averages[0] if len(metric.spec.averages) == 1 else "macro"
            classes, policies = Classes(tuple(range(k))), Policies("omit", "omit")
            functional = build_functional(MetricRow(metric, average), metric, classes, policies)
            ranked = name in ("auroc", "average_precision")

            def draw(
                size: int,
                n: int,
                rng: np.random.Generator,
                scores: Draw = scores,
                k: int = k,
                ranked: bool = ranked,
            ) -> Array:
                made = scores(size, n, rng)
                if ranked:
                    return made
                return np.asarray(k * made[:, :, -1] + made[:, :, :-1].argmax(axis=2), float)

            large = draw(1, TRUTH_CASES // 2, np.random.default_rng(10**6 + place))[0]
            first, second = functional.statistic(large)
            add(table, functional, draw, float(first - second), n, samples, seed=place)
        show(f"{name}, {'macro' if ranked or name == 'f1' else 'all classes'}", n, table)


# --------------------------------------------------------------------------- coverage


def add(
    table: Coverage,
    functional: Functional,
    draw: Draw,
    true: float,
    n: int,
    samples: int,
    *,
    seed: int,
) -> None:
    """Coverage, median width and share of undefined intervals of each method, on one population."""
    pairs = draw(samples, n, np.random.default_rng([seed, n]))
    of_pairs = difference_functional(functional)
    linear = of_pairs.statistic.spec.form == functional.statistic.spec.form
    values = np.sort(pairs[:, 0] - pairs[:, 1], axis=-1) if linear else pairs
    design = Design.iid(n) if linear else Design((n,), paired=True)
    values = values[~np.isnan(of_pairs.statistic(values))]
    plan = Plan(seed, RESAMPLES, kept={})
    for method in methods_for(of_pairs, design):
        (found,) = intervals(
            values,
            of_pairs.statistic,
            [method],
            LEVEL,
            bounds=of_pairs.metric.spec.bounds,
            plan=plan,
            design=design,
            clip=True,
        )
        record(table, method.name, found.interval.low, found.interval.high, true)
    low, high = np.empty((2, len(values)))
    for group in automatic_intervals(of_pairs, values, LEVEL, design=design, plan=plan):
        low[group.rows], high[group.rows] = (
            group.computed.interval.low,
            group.computed.interval.high,
        )
    record(table, "auto", low, high, true)


def methods_for(functional: Functional, design: Design) -> Sequence[MethodSpec]:
    """Those of the methods tried that make intervals for it."""
    bounded = functional.metric.spec.bounds.finite
    tried = [method_named(name) if ":" in name else METHODS[name] for name in TRIED]
    return [
        method
        for method in tried
        if fits(method, functional.statistic, design, binary=False)
        and (bounded or not rests_on_bounds(method, functional.statistic))
    ]


def record(table: Coverage, method: str, low: Array, high: Array, true: float) -> None:
    """Add a row; an undefined interval misses."""
    with np.errstate(invalid="ignore"):
        # What a finite population gives is known up to rounding.
        covered = ((low <= true + 1e-12) & (high >= true - 1e-12)).mean()
    undefined = np.isnan(low).mean()
    width = np.nan if undefined == 1 else float(np.nanmedian(high - low))
    table.setdefault(method, []).append((100 * covered, width, 100 * undefined))


def show(name: str, n: int, table: Coverage) -> None:
    """Print the rows of one statistic at one number of cases."""
    print(f"{name}, n = {n}")
    usual = np.array(table["percentile"])[:, 1]
    for method, rows in table.items():
        covered, width, undefined = np.array(rows).T
        relative = np.nanmedian(width / usual)
        print(
            f"  {method:14} {np.median(covered):5.1f} [{np.quantile(covered, 0.25):5.1f}] "
            f"{covered.min():5.1f}  x {relative:.2f}  undefined {undefined.mean():.1f} %",
            flush=True,
        )


def main(what: str, samples: int) -> None:
    """Print the tables asked for."""
    parts = {"values": of_values, "test_sets": of_test_sets, "classes": of_classes}
    for name, part in parts.items():
        if what in (name, "all"):
            part(samples)


if __name__ == "__main__":
    main(
        sys.argv[1] if len(sys.argv) > 1 else "all",
        int(sys.argv[2]) if len(sys.argv) > 2 else 300,
    )
