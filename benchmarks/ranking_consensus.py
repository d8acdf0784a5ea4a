"""How often sets of a consensus hold the ranks by the true mean ranks: decision 0057.

Models have normal values that correlate by .8 within a case, on several tasks with cases of their
own. On all tasks models are equal; or each is better by .001 or .2 SD than the next; or by .2 SD
on one task and worse by as much on the next, so that the mean ranks of an even number of tasks are
equal although no task has a tie. Of each sample: do the sets of all models hold their true ranks at
once; does the range from the 2.5 % to the 97.5 % quantile of the bootstrap ranks hold that of the
first model; how many ranks the sets comprise, and how many they would by the ranges of the ranks
alone.

    python benchmarks/ranking_consensus.py [samples]
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import stats

from halfwidth.arithmetic.ranks import Ranks, ranks_of
from halfwidth.core.types import Array, Level
from halfwidth.ranking.consensus_sets import combined_ranks, consensus_bounds
from halfwidth.ranking.rank_sets import Claims, rank_bounds, square
from halfwidth.ranking.ranks import rank_distribution
from halfwidth.ranking.traces import Trace, joined_resamples
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.resampling.joint.laws import LargestT
from halfwidth.resampling.joint.simultaneous import MEAN, all_pairs, mean_differences
from halfwidth.resampling.joint.stepdown import Observed, adjusted_by_stepdown

ALPHA, RESAMPLES, CORRELATION = 0.05, 999, 0.8
GAPS = {
    "equal": (0.0, 0.0),
    "near ties": (0.001, 0.001),
    "apart": (0.2, 0.2),
    "turned": (0.2, -0.2),
}


def main() -> None:
    """Print a row for each population."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print("| models | tasks | n | population | all sets | first, bootstrap | ranks | by ranges |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for models, tasks, n in ((3, 2, 20), (5, 4, 50), (9, 4, 100)):
        for name, gaps in GAPS.items():
            generator = np.random.default_rng((models, tasks, n, list(GAPS).index(name)))
            truth = np.array([gaps[task % 2] * -np.arange(models) for task in range(tasks)])
            found = [_of_sample(generator, truth, n, seed) for seed in range(samples)]
            held, best, ranks, ranges = np.mean(found, axis=0)
            print(
                f"| {models} | {tasks} | {n} | {name} | {100 * held:.1f} | {100 * best:.1f} "
                f"| {ranks:.2f} | {ranges:.2f} |",
                flush=True,
            )


def _of_sample(
    generator: np.random.Generator, truth: Array, n: int, seed: int
) -> tuple[float, ...]:
    """Coverage of all sets and of the bootstrap, and the sizes of sets."""
    level = Level(1 - ALPHA / len(truth))
    tasks = [
        _task(generator, own, n, Plan(seed, RESAMPLES), level, str(place))
        for place, own in enumerate(truth)
    ]
    claims = [trace.claims[1] for trace in tasks]
    names = tasks[0].names
    true_ranks = ranks_of(-ranks_of(truth).mean(axis=0))
    sets = consensus_bounds(claims, "mean_rank")
    resampled = joined_resamples(tasks, names, seed)
    if resampled is None:
        raise RuntimeError("means are defined on every resample")
    values = np.mean([trace.ranks(names) for trace in tasks], axis=0)
    distribution = rank_distribution(-values, -combined_ranks(resampled, "mean_rank").T)
    if distribution is None:
        raise RuntimeError("ranks are defined on every resample")
    ends = 1 + np.searchsorted(distribution.shares[0].cumsum(), [0.025, 0.975])
    return (
        float(((sets[:, 0] <= true_ranks) & (true_ranks <= sets[:, 1])).all()),
        float(ends[0] <= true_ranks[0] <= ends[1]),
        _size(sets),
        _size(_by_ranges(claims)),
    )


def _task(
    generator: np.random.Generator, truth: Array, n: int, plan: Plan, level: Level, name: str
) -> Trace:
    """Cases of one task, and what is claimed at its part of the error probability."""
    models = len(truth)
    case = generator.normal(size=n) * CORRELATION**0.5
    own = generator.normal(size=(models, n)) * (1 - CORRELATION) ** 0.5
    values = truth[:, None] + case + own
    design, pairs = Design((n,), paired=True), all_pairs(models)
    differences = mean_differences(values, pairs, design, plan)
    law = LargestT(differences, differences.usable)
    tails = stats.t.sf(law.seen(np.empty(0), np.zeros(2)), n - 1)
    adjusted = adjusted_by_stepdown(Observed(tails, law, law.seen(tails, np.zeros(2))))
    better = square(pairs, adjusted <= level.alpha, models)
    drawn, names = replicates(values, design, MEAN, plan), tuple(map(str, range(models)))
    return Trace(names, values.mean(axis=-1), drawn, 0.0, {1: (better, better.T)}, name)


def _by_ranges(claims: list[Claims]) -> Ranks:
    """Sets where one model is behind another only if their mean ranks cannot overlap."""
    low, high = np.mean([rank_bounds(*one) for one in claims], axis=0).T
    apart = low - high[:, None]
    return rank_bounds(apart > 0, (apart >= 0).T)


def _size(sets: Ranks) -> float:
    return float((sets[:, 1] - sets[:, 0] + 1).mean())


if __name__ == "__main__":
    main()
