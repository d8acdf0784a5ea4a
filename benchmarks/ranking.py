"""How often sets of ranks hold the true ranks, and how wide they are: decision 0055.

Models have normal values that correlate by .8 within a case: all equal, near ties (each better by
.001 SD than the next), or apart (by .2 SD). Of each sample: do the sets of all models hold their
true ranks at once; does the set of each model by itself hold; do the ranks between the 2.5 % and
the 97.5 % quantiles of the bootstrap ranks hold that of the best model; and how many ranks the sets
comprise on average, with stepdown and from the intervals alone.

    python benchmarks/ranking.py [samples]
"""

from __future__ import annotations

import sys

import numpy as np

from halfwidth.core.types import Level
from halfwidth.ranking.rank_sets import Flags, rank_bounds, square
from halfwidth.ranking.ranks import Ranks, rank_distribution, ranks_of
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.resampling.simultaneous import MEAN, Pairs, all_pairs, mean_differences

LEVEL, RESAMPLES = Level(0.95), 499
GAPS = {"equal": 0.0, "near ties": 0.001, "apart": 0.2}
CORRELATION = 0.8


def main() -> None:
    """Print a row for each population."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(
        "| models | n | population | all sets | by itself | best, bootstrap | ranks | no stepdown |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for models, n in ((2, 20), (5, 100), (20, 100)):
        for name, gap in GAPS.items():
            generator = np.random.default_rng((models, n, round(1000 * gap)))
            found = [_of_sample(generator, models, n, gap, seed) for seed in range(samples)]
            together, alone, best, ranks, plain = np.mean(found, axis=0)
            shares = " | ".join(f"{100 * share:.1f}" for share in (together, alone, best))
            print(f"| {models} | {n} | {name} | {shares} | {ranks:.2f} | {plain:.2f} |", flush=True)


def _of_sample(
    generator: np.random.Generator, models: int, n: int, gap: float, seed: int
) -> tuple[float, ...]:
    """Coverage of all sets, of the marginal ones, of the bootstrap; sizes with and without."""
    truth = -gap * np.arange(models, dtype=float)
    case = generator.normal(size=n) * CORRELATION**0.5
    own = generator.normal(size=(models, n)) * (1 - CORRELATION) ** 0.5
    values = truth[:, None] + case + own
    design, plan = Design((n,), paired=True), Plan(seed, n_resamples=RESAMPLES)
    pairs, true_ranks = all_pairs(models), ranks_of(truth)
    differences = mean_differences(values, pairs, design, plan)
    sets = _sets(pairs, differences.stepdown(LEVEL).better, models)
    bounds = differences.bounds(LEVEL)
    plain = _sets(pairs, np.stack([bounds.low > 0, bounds.high < 0], axis=-1), models)
    marginal = np.empty_like(sets)
    for model in range(models):
        own_pairs = (pairs == model).any(axis=-1)
        claims = differences.subset(own_pairs).stepdown(LEVEL).better
        marginal[model] = _sets(pairs[own_pairs], claims, models)[model]
    drawn = replicates(values, design, MEAN, plan)
    distribution = rank_distribution(values.mean(axis=-1), drawn)
    if distribution is None:
        raise RuntimeError("means are defined on every resample")
    cumulated = distribution.shares[0].cumsum()
    ends = 1 + np.searchsorted(cumulated, [0.025, 0.975])
    return (
        float(_hold(sets, true_ranks).all()),
        float(_hold(marginal, true_ranks).mean()),
        float(ends[0] <= true_ranks[0] <= ends[1]),
        _size(sets),
        _size(plain),
    )


def _sets(pairs: Pairs, claims: Flags, models: int) -> Ranks:
    better = square(pairs, claims, models)
    return rank_bounds(better, better.T)


def _hold(sets: Ranks, ranks: Ranks) -> Flags:
    return np.asarray((sets[:, 0] <= ranks) & (ranks <= sets[:, 1]))


def _size(sets: Ranks) -> float:
    return float((sets[:, 1] - sets[:, 0] + 1).mean())


if __name__ == "__main__":
    main()
