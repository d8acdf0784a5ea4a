"""Test-then-rank: do its sets hold, and what do its resamples say? Decision 0056.

Models have normal values that correlate by .8 within a case: all equal, or apart (each better by .2
SD than the next); or they have equal means, and all but the first fail in one case of twenty and
are a little better in the others. Of each sample: do the sets of all models
hold their true ranks by the mean at once; does any model win a test; in how many resamples does
any; and how many ranks a set comprises on average, beside those of the differences of means. Of 20
models a third of the samples.

    python benchmarks/ranking_by_tests.py [samples]
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import halfwidth as hw
from halfwidth.arithmetic.ranks import ranks_of
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.ranking.resampled_tests import resampled_test
from halfwidth.ranking.won_tests import wins_of
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.joint.simultaneous import all_pairs

GAPS = {"equal": 0.0, "apart": 0.2, "failures": 0.0}
CORRELATION, FAILURE, FAILING = 0.8, 4.0, 0.05
SIZES = ((2, 20), (5, 100), (20, 100))
TESTS, RESAMPLES = ("wilcoxon", "permutation"), 499
METRIC = hw.MetricSpec("value", better=hw.Better.HIGHER)


def main() -> None:
    """Print a row for each population and test, and then what a call takes."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| models | n | population | test | hold | any wins | resamples | ranks | of means |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for models, n in SIZES:
        for name, gap in GAPS.items():
            for test in TESTS if models < 20 else ("wilcoxon",):
                generator = np.random.default_rng((models, n, round(1000 * gap), len(name)))
                found = [
                    _of_sample(_values(generator, models, n, name), models, gap, test, seed)
                    for seed in range(samples if models < 20 else samples // 3)
                ]
                hold, any_wins, resampled, ranks, of_means = np.mean(found, axis=0)
                shares = " | ".join(f"{100 * one:.1f}" for one in (hold, any_wins, resampled))
                sizes = f"{ranks:.2f} | {of_means:.2f}"
                print(f"| {models} | {n} | {name} | {test} | {shares} | {sizes} |", flush=True)
    print("\n| models | n | seconds |\n| --- | --- | --- |")
    for models, n in ((9, 200), (20, 1000), (50, 1000)):
        given = _values(np.random.default_rng(1), models, n, "apart")
        started = time.process_time()
        hw.rank(given, metric=METRIC, scheme="test_then_rank", rng=1)
        print(f"| {models} | {n} | {time.process_time() - started:.1f} |", flush=True)


def _values(
    generator: np.random.Generator, models: int, n: int, population: str
) -> dict[str, Array]:
    case = generator.normal(size=n) * CORRELATION**0.5
    own = generator.normal(size=(models, n)) * (1 - CORRELATION) ** 0.5
    values = case + own - GAPS[population] * np.arange(models)[:, None]
    if population == "failures":
        fails = generator.random((models, n)) < FAILING
        fails[0] = False
        values = values - FAILURE * fails
        values[1:] += FAILURE * FAILING
    return {f"m{model}": row for model, row in enumerate(values)}


def _of_sample(
    given: dict[str, Array], models: int, gap: float, test: str, seed: int
) -> tuple[float, ...]:
    how: dict[str, Any] = {"metric": METRIC, "n_resamples": RESAMPLES, "rng": seed}
    (ranking,) = hw.rank(given, scheme=f"test_then_rank:test={test}", **how)
    (of_means,) = hw.rank(given, method="t", **how)
    truth = ranks_of(-gap * np.arange(models, dtype=float))
    sets = [ranking[name].rank_set for name in given]
    hold = all(int(rank) in one for rank, one in zip(truth, sets, strict=True))
    return (
        float(hold),
        float(bool(ranking.claims)),
        _resampled(given, test, seed),
        float(np.mean([one.high - one.low + 1 for one in sets])),
        float(np.mean([m.rank_set.high - m.rank_set.low + 1 for m in of_means.models])),
    )


def _resampled(given: dict[str, Array], test: str, seed: int) -> float:
    """The share of resamples in which any model wins."""
    values, places = np.stack(list(given.values())), all_pairs(len(given))
    on_resamples = resampled_test(
        test, Functional(resolve_statistic("mean"), Metric(METRIC), False)
    )
    if on_resamples is None:
        raise RuntimeError("tests of values run on resamples")
    differences = [values[one] - values[other] for one, other in places]
    design = Design((values.shape[-1],), paired=True)
    signed = on_resamples(differences, design, Plan(seed, RESAMPLES))
    return float((wins_of(signed, places, len(given), 0.05) > 0).any(axis=0).mean())


if __name__ == "__main__":
    main()
