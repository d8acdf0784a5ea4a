"""How often sets of ranks hold the true ranks, and how wide they are: decision 0055.

``normal``: models have normal values that correlate by .8 within a case, with max-t: all equal,
near ties (each better by .001 SD than the next), or apart (by .2 SD). ``failures``: values within
[0, 1] lie about 0.9 and correlate alike, and one case in a hundred is 0, of all models or of one
alone; Dirichlet weights, as ``method="auto"`` takes: all equal, near ties (each fails in 0.1 % more
of the cases than the one before), or apart (2 %). ``many``: equal models whose ranks within each
case are ranked, or values within [0, 1] that correlate alike and lie anywhere; so many pairs, or so
few draws, that the outermost draws of all pairs are more than the level allows outside.

Of each sample: do the sets of all models hold their true ranks at once; does the set of each model
by itself hold; do the ranks between the 2.5 % and the 97.5 % quantiles of the bootstrap ranks hold
that of the best model; and how many ranks the sets comprise on average, with stepdown and from the
intervals alone.

    python benchmarks/ranking.py [normal|failures|many] [samples] [models]
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

import numpy as np
from scipy import stats

from halfwidth.core.types import Array, Bounds, Level
from halfwidth.intervals.dirichlet_intervals import pseudo_cases_beyond
from halfwidth.ranking.rank_sets import Flags, rank_bounds, square
from halfwidth.ranking.ranks import Ranks, rank_distribution, ranks_of
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.resampling.joint.dirichlet import draws_of_means
from halfwidth.resampling.joint.pair_claims import Claims
from halfwidth.resampling.joint.simultaneous import MEAN, Pairs, all_pairs, mean_differences

LEVEL, RESAMPLES, DRAWS = Level(0.95), 499, 1999
CORRELATION, FAILING = 0.8, 0.01


def main() -> None:
    """Print a row for each population."""
    kind = sys.argv[1] if len(sys.argv) > 1 else "normal"
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    only = int(sys.argv[3]) if len(sys.argv) > 3 else None
    print(
        "| models | n | population | all sets | by itself | best, bootstrap | ranks | no stepdown |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for models, n, name, key, of_sample in POPULATIONS[kind]:
        if only not in (None, models):
            continue
        generator = np.random.default_rng((models, n, key))
        found = [of_sample(generator, models, n, seed) for seed in range(samples)]
        together, alone, best, ranks, plain = np.mean(found, axis=0)
        shares = " | ".join(f"{100 * share:.1f}" for share in (together, alone, best))
        print(f"| {models} | {n} | {name} | {shares} | {ranks:.2f} | {plain:.2f} |", flush=True)


def _of_normal(
    gap: float, generator: np.random.Generator, models: int, n: int, seed: int
) -> tuple[float, ...]:
    """One sample of normal values."""
    truth = -gap * np.arange(models, dtype=float)
    values = truth[:, None] + _correlated(generator, models, n)
    differences = mean_differences(
        values, all_pairs(models), Design((n,), paired=True), Plan(seed, n_resamples=RESAMPLES)
    )
    bounds = differences.bounds(LEVEL)
    plain = np.stack([bounds.low > 0, bounds.high < 0], axis=-1)
    return _judged(
        values, truth, seed, lambda some: differences.subset(some).stepdown(LEVEL), plain
    )


def _of_failures(
    more: float, generator: np.random.Generator, models: int, n: int, seed: int
) -> tuple[float, ...]:
    """One sample of values within [0, 1] with rare failures."""
    own = more * np.arange(models, dtype=float)
    values = 1 / (1 + np.exp(-(2.2 + 0.5 * _correlated(generator, models, n))))
    hard = generator.random(n) < FAILING / 2
    values[hard | (generator.random((models, n)) < (FAILING / 2 + own)[:, None])] = 0.0
    return _judged_by_weights(values, Bounds(0.0, 1.0), -own, seed, DRAWS)


def _of_equal(
    draws: int, ranked: bool, generator: np.random.Generator, models: int, n: int, seed: int
) -> tuple[float, ...]:
    """One sample of equal models: ranks within each case, or values within [0, 1]."""
    values, bounds = _correlated(generator, models, n), Bounds(0.0, 1.0)
    if ranked:
        values, bounds = stats.rankdata(values, axis=0), Bounds(1.0, float(models))
    else:
        values = stats.norm.cdf(values)
    return _judged_by_weights(values, bounds, np.zeros(models), seed, draws)


def _judged_by_weights(
    values: Array, bounds: Bounds, truth: Array, seed: int, n_draws: int
) -> tuple[float, ...]:
    """One sample of values within bounds, by Dirichlet weights."""
    models, n = values.shape
    draws = draws_of_means(
        values,
        all_pairs(models),
        Design((n,), paired=True),
        Plan(seed, n_resamples=n_draws),
        pseudo_cases_beyond(bounds, paired=True, spread=False),
    )
    tails = draws.tails(LEVEL)
    plain = tails.claimed(tails.limit(np.ones_like(tails.beyond, dtype=bool)))
    return _judged(values, truth, seed, lambda some: tails.subset(some).stepdown(), plain)


def _correlated(generator: np.random.Generator, models: int, n: int) -> Array:
    case = generator.normal(size=n) * CORRELATION**0.5
    return np.asarray(case + generator.normal(size=(models, n)) * (1 - CORRELATION) ** 0.5)


def _judged(
    values: Array, truth: Array, seed: int, claims_of: Callable[[Flags], Claims], plain: Flags
) -> tuple[float, ...]:
    """Coverage of all sets, of the marginal ones, of the bootstrap; sizes with and without."""
    models, n = values.shape
    pairs, true_ranks = all_pairs(models), ranks_of(truth)
    sets = _sets(pairs, claims_of(np.ones(len(pairs), dtype=bool)).better, models)
    marginal = np.empty_like(sets)
    for model in range(models):
        own_pairs = (pairs == model).any(axis=-1)
        marginal[model] = _sets(pairs[own_pairs], claims_of(own_pairs).better, models)[model]
    plan = Plan(seed, n_resamples=RESAMPLES)
    drawn = replicates(values, Design((n,), paired=True), MEAN, plan)
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
        _size(_sets(pairs, plain, models)),
    )


def _sets(pairs: Pairs, claims: Flags, models: int) -> Ranks:
    better = square(pairs, claims, models)
    return rank_bounds(better, better.T)


def _hold(sets: Ranks, ranks: Ranks) -> Flags:
    return np.asarray((sets[:, 0] <= ranks) & (ranks <= sets[:, 1]))


def _size(sets: Ranks) -> float:
    return float((sets[:, 1] - sets[:, 0] + 1).mean())


# Models, cases, population, part of the seed, and a sample.
NORMAL = [
    (models, n, name, round(1000 * gap), functools.partial(_of_normal, gap))
    for models, n in ((2, 20), (5, 100), (20, 100))
    for name, gap in (("equal", 0.0), ("near ties", 0.001), ("apart", 0.2))
]
FAILURES = [
    (models, n, name, key, functools.partial(_of_failures, more))
    for models in (2, 5, 20)
    for n in (10, 25, 50)
    for name, key, more in (("equal", 5, 0.0), ("near ties", 9, 0.001), ("apart", 5, 0.02))
]
MANY = [
    (models, 100, f"{name}, {draws} draws", draws, functools.partial(_of_equal, draws, ranked))
    for models, draws in ((20, 499), (60, 499), (60, 9999))
    for name, ranked in (("ranks", True), ("values", False))
]
POPULATIONS = {"normal": NORMAL, "failures": FAILURES, "many": MANY}

if __name__ == "__main__":
    main()
