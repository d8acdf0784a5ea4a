"""Means and SDs of metrics without finite bounds, and means within strata: the rule and its rivals.

    python benchmarks/rule_of_auto.py means | sds | strata [--samples 500]

prints these tables too. *Without bounds*: distances (HD95 of ``../shared/data``, with failures
planted far out), log-normal, gamma and contaminated distributions. *Strata*: values of one model in
strata of equal size, whose levels differ by .02. A row has the coverage of 95 % intervals in %
(median [first quartile] lowest), misses below and above (medians), and the width over that of the
rule before (median); an end that is open has no width, and neither do intervals that are missing.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from halfwidth.core.spec import MethodSpec
from halfwidth.core.types import UNBOUNDED, UNIT_INTERVAL, Array, Bounds, Level
from halfwidth.estimation.batches import intervals_by_method
from halfwidth.estimation.choose import choose
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.all_methods import method_named
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "segval"
LEVEL, DRAWS, BATCH, CASES = Level(0.95), 999, 250, 20_000
LEVELS = (np.arange(CASES) + 0.5) / CASES
DISTANCE = Bounds(0.0, np.inf)
BEFORE = {"mean": "hall_or_t", "sd": "percentile or bca"}
# An SD's BCa was taken from so many cases on, unless values lay flat.
FEW_FOR_BCA, FLAT = 25, 1.8


@dataclass(frozen=True)
class Population:
    """Equally likely values, between bounds that the metric is known to have."""

    name: str
    values: Array
    bounds: Bounds = DISTANCE


def segval(name: str) -> Array:
    """Values of a column of SegVal."""
    with (DATA / f"{name}.csv").open(newline="") as lines:
        return np.array([float(row["metric"]) for row in csv.DictReader(lines)])


def without_bounds() -> Iterator[Population]:
    """Populations of distances and of signed errors."""
    tumours, hippocampi = segval("braintumor_3d_hd95"), segval("hippocampus_3d_hd95")
    yield Population("HD95 of tumours", tumours)
    yield Population("HD95 of hippocampi", hippocampi)
    for name, values in (("tumours", tumours), ("hippocampi", hippocampi)):
        failures = round(0.02 * CASES)
        far = np.concatenate([np.full(failures, 60.0), np.resize(values, CASES - failures)])
        yield Population(f"HD95 of {name}, 2 % of 60 mm", far)
    for sigma in (0.5, 1.0, 1.5):
        yield Population(f"log-normal {sigma}", stats.lognorm(sigma).ppf(LEVELS))
    yield Population("exponential", stats.expon.ppf(LEVELS))
    bulk = stats.gamma(4).ppf(LEVELS)
    outliers = np.where(np.arange(CASES) % 20 == 0, 10 * bulk[::-1], bulk)
    yield Population("gamma 4, 5 % times 10", outliers)
    normal = stats.norm.ppf(LEVELS)
    yield Population("normal", normal, UNBOUNDED)
    heavy = np.where(np.arange(CASES) % 10 == 0, 15.0, 2.0)
    mixed = heavy * np.random.default_rng(1).permutation(normal)
    yield Population("N(0, 2), 10 % N(0, 15)", mixed, UNBOUNDED)


def functional_of(statistic: str, bounds: Bounds) -> Functional:
    """A statistic of a metric with some bounds."""
    metric = resolve_metric("dsc" if bounds == UNIT_INTERVAL else "hd")
    if bounds == UNBOUNDED:
        metric = resolve_metric(None)
    return Functional(resolve_statistic(statistic), metric)


def ends_by(
    functional: Functional,
    samples: Array,
    methods: Sequence[MethodSpec],
    design: Design,
    seed: int,
    level: Level = LEVEL,
) -> tuple[Array, Array]:
    """Ends as ``auto`` would have them if it took these methods, (S,) each."""
    ends = np.empty((2, len(samples)))
    groups = intervals_by_method(
        *(functional, samples, methods, level),
        estimates=functional.statistic(samples),
        design=design,
        plan=Plan(seed, DRAWS, kept={}),
        chosen=True,
        errors=False,
    )
    for group in groups:
        interval = group.computed.interval
        ends[:, group.rows] = interval.low, interval.high
    return ends[0], ends[1]


def before(statistic: str, samples: Array) -> list[MethodSpec]:
    """What ``auto@1`` took of each sample without bounds."""
    if statistic == "mean":
        return [method_named("hall_or_t")] * len(samples)
    squares = (samples - samples.mean(axis=1, keepdims=True)) ** 2
    flat = (squares**2).mean(axis=1) < FLAT * squares.mean(axis=1) ** 2
    few = samples.shape[1] < FEW_FOR_BCA
    return [method_named("percentile" if few or one else "bca") for one in flat]


def rivals(statistic: str) -> tuple[str, ...]:
    """Other laws, and what else there is."""
    if statistic == "mean":
        return ("t", *(f"dirichlet_pareto:shape={shape}" for shape in (1.5, 3.0)))
    laws = ((0.5, 1.5), (1.0, 2.0), (1.5, 3.0), (2.0, 2.6))
    return tuple(f"dirichlet_pareto:mass={mass},shape={shape}" for mass, shape in laws)


def measured(
    statistic: str, population: Population, n: int, samples: int, seed: int
) -> dict[str, Array]:
    """By rule: misses below and above in %, and the mean width over that of the rule before."""
    generator = np.random.default_rng([seed, n])
    functional, design = functional_of(statistic, population.bounds), Design.iid(n)
    truth = float(population.values.std() if statistic == "sd" else population.values.mean())
    found: dict[str, list[Array]] = defaultdict(list)
    for start in range(0, samples, BATCH):
        shape = min(BATCH, samples - start), n
        drawn = np.sort(generator.choice(population.values, shape), axis=-1)
        records = [Records(one, design, n, values=one) for one in drawn]
        made = {
            BEFORE[statistic]: before(statistic, drawn),
            "auto": [choose(functional, one, LEVEL) for one in records],
        }
        # Rivals on half of the samples.
        for name in rivals(statistic) if 2 * start < samples else ():
            made[name] = [method_named(name)] * len(drawn)
        for rule, methods in made.items():
            low, high = ends_by(functional, drawn, methods, design, seed + start)
            found[rule].append(_outcome(low, high, truth))
    return _as_shares({rule: np.concatenate(parts, axis=1) for rule, parts in found.items()})


def _outcome(low: Array, high: Array, truth: float) -> Array:
    slack = 1e-9 * max(abs(truth), 1e-3)
    # An interval that is missing misses on both sides.
    return np.stack([~(low <= truth + slack), ~(high >= truth - slack), high - low])


def _as_shares(found: dict[str, Array]) -> dict[str, Array]:
    usual = np.nanmean(next(iter(found.values()))[2])
    shares = {}
    for rule, (below, above, width) in found.items():
        mean = width.mean() / usual if np.isfinite(width).all() else np.nan
        missed = 100 * (below.astype(bool) | above.astype(bool)).mean()
        shares[rule] = np.array([100 * below.mean(), 100 * above.mean(), mean, missed])
    return shares


def print_rows(title: str, cells: dict[object, dict[str, dict[str, Array]]]) -> None:
    """A row for each size and rule, over populations."""
    print(f"\n{title}\n\n| n | rule | coverage | below/above | width |")
    print("| --- | --- | --- | --- | --- |")
    for n, by_name in cells.items():
        for rule in next(iter(by_name.values())):
            rows = np.array([found[rule] for found in by_name.values()])
            cover = 100 - rows[:, 3]
            width = np.median(rows[:, 2])
            print(
                f"| {n} | {rule} | {np.median(cover):.1f} [{np.quantile(cover, 0.25):.1f}] "
                f"{cover.min():.0f} | {np.median(rows[:, 0]):.1f}/{np.median(rows[:, 1]):.1f} "
                f"| {'open, or some missing' if np.isnan(width) else f'× {width:.2f}'} |",
                flush=True,
            )


def print_each(cells: dict[object, dict[str, dict[str, Array]]], rules: Sequence[str]) -> None:
    """A row for each population: coverage of the rules at each size, misses below/above."""
    names = list(next(iter(cells.values())))
    print(f"\n| population | {' | '.join(f'{rule}, {n}' for n in cells for rule in rules)} |")
    print(f"|{' --- |' * (1 + len(cells) * len(rules))}")
    for name in names:
        texts = []
        for by_name in cells.values():
            for rule in rules:
                below, above, _, missed = by_name[name][rule]
                texts.append(f"{100 - missed:.1f} ({below:.1f}/{above:.1f})")
        print(f"| {name} | {' | '.join(texts)} |", flush=True)


def tables_without_bounds(statistic: str, samples: int, sizes: Sequence[int]) -> None:
    """Of a statistic of metrics without finite bounds."""
    populations = list(without_bounds())
    cells: dict[object, dict[str, dict[str, Array]]] = {
        n: {
            one.name: measured(statistic, one, n, samples, seed)
            for seed, one in enumerate(populations)
        }
        for n in sizes
    }
    print_rows(f"{statistic} without bounds: {len(populations)} populations", cells)
    print_each(cells, (BEFORE[statistic], "auto"))


# --------------------------------------------------------------------------- strata


def in_strata(samples: int) -> None:
    """Means of values in strata: t as before, and what is taken now."""
    tumours = segval("braintumor_3d_dsc") / 100
    hippocampi = segval("hippocampus_3d_dsc") / 100
    failing = np.concatenate([np.zeros(100), np.full(1900, 0.9)])
    failing[100:] += np.random.default_rng(1).normal(0, 0.02, 1900)
    populations = {
        "tumours": (tumours, UNIT_INTERVAL),
        "hippocampi": (hippocampi, UNIT_INTERVAL),
        "5 % fail": (failing, UNIT_INTERVAL),
        "HD95 of tumours": (segval("braintumor_3d_hd95"), DISTANCE),
    }
    rules = ("t", "dirichlet_pareto", "auto")
    cells: dict[object, dict[str, dict[str, Array]]] = {}
    for strata, each in ((3, 4), (3, 8), (12, 2), (4, 10), (8, 5), (5, 20)):
        n, design = strata * each, Design((each,) * strata)
        by_name = cells.setdefault(f"{strata} × {each}", {})
        for seed, (name, (values, bounds)) in enumerate(populations.items()):
            generator = np.random.default_rng([seed, n])
            functional = functional_of("mean", bounds)
            levels = np.repeat(np.linspace(-1, 0, strata) * 0.02 * np.ptp(values), each)
            found: dict[str, list[Array]] = defaultdict(list)
            for start in range(0, samples, BATCH):
                drawn = generator.choice(values, (min(BATCH, samples - start), n))
                # A shift of a whole stratum moves the true mean with it.
                shifted = np.clip(drawn + levels, bounds.low, bounds.high)
                truth = np.mean(
                    [np.clip(values + one, bounds.low, bounds.high).mean() for one in levels]
                )
                taken = [
                    choose(functional, Records(one, design, n, values=np.sort(one)), LEVEL)
                    for one in shifted
                ]
                for rule in rules:
                    methods = taken if rule == "auto" else [method_named(rule)] * len(drawn)
                    low, high = ends_by(functional, shifted, methods, design, seed + start)
                    found[rule].append(_outcome(low, high, float(truth)))
            by_name[name] = _as_shares({r: np.concatenate(p, axis=1) for r, p in found.items()})
    print_rows("strata (number × cases each): mean", cells)
    print_each(cells, rules)
