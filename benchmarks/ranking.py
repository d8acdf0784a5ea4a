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
that of the best model; and how many ranks the sets comprise on average.

    python benchmarks/ranking.py [normal|failures|many] [samples] [models]
"""

from __future__ import annotations

import functools
import sys

import numpy as np
from scipy import stats

import halfwidth as hw
from halfwidth.arithmetic.ranks import ranks_of
from halfwidth.core.types import Array

RESAMPLES, DRAWS = 499, 1999
CORRELATION, FAILING = 0.8, 0.01


def main() -> None:
    """Print a row for each population."""
    kind = sys.argv[1] if len(sys.argv) > 1 else "normal"
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    only = int(sys.argv[3]) if len(sys.argv) > 3 else None
    print("| models | n | population | all sets | by itself | best, bootstrap | ranks |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for models, n, name, key, of_sample in POPULATIONS[kind]:
        if only not in (None, models):
            continue
        generator = np.random.default_rng((models, n, key))
        found = [of_sample(generator, models, n, seed) for seed in range(samples)]
        together, alone, best, ranks = np.mean(found, axis=0)
        shares = " | ".join(f"{100 * share:.1f}" for share in (together, alone, best))
        print(f"| {models} | {n} | {name} | {shares} | {ranks:.2f} |", flush=True)


def _of_normal(
    gap: float, generator: np.random.Generator, models: int, n: int, seed: int
) -> tuple[float, ...]:
    """One sample of normal values."""
    truth = -gap * np.arange(models, dtype=float)
    values = truth[:, None] + _correlated(generator, models, n)
    return _judged(values, (-np.inf, np.inf), truth, seed, RESAMPLES, method="t")


def _of_failures(
    more: float, generator: np.random.Generator, models: int, n: int, seed: int
) -> tuple[float, ...]:
    """One sample of values within [0, 1] with rare failures."""
    own = more * np.arange(models, dtype=float)
    values = 1 / (1 + np.exp(-(2.2 + 0.5 * _correlated(generator, models, n))))
    hard = generator.random(n) < FAILING / 2
    values[hard | (generator.random((models, n)) < (FAILING / 2 + own)[:, None])] = 0.0
    return _judged(values, (0.0, 1.0), -own, seed, DRAWS)


def _of_equal(
    draws: int, ranked: bool, generator: np.random.Generator, models: int, n: int, seed: int
) -> tuple[float, ...]:
    """One sample of equal models: ranks within each case, or values within [0, 1]."""
    values, bounds = _correlated(generator, models, n), (0.0, 1.0)
    if ranked:
        values, bounds = stats.rankdata(values, axis=0), (1.0, float(models))
    else:
        values = stats.norm.cdf(values)
    return _judged(values, bounds, np.zeros(models), seed, draws)


def _correlated(generator: np.random.Generator, models: int, n: int) -> Array:
    case = generator.normal(size=n) * CORRELATION**0.5
    return np.asarray(case + generator.normal(size=(models, n)) * (1 - CORRELATION) ** 0.5)


def _judged(
    values: Array,
    bounds: tuple[float, float],
    truth: Array,
    seed: int,
    draws: int,
    method: str = "auto",
) -> tuple[float, ...]:
    """Coverage of all sets, of the marginal ones and of the bootstrap; the size of the sets."""
    names = [f"m{place:02d}" for place in range(len(values))]
    metric = hw.MetricSpec("v", better=hw.Better.HIGHER, bounds=hw.Bounds(*bounds))
    given = dict(zip(names, values, strict=True))
    (ranking,) = hw.rank(given, metric=metric, method=method, n_resamples=draws, rng=seed)
    found, true_ranks = [ranking[name] for name in names], ranks_of(truth).tolist()
    ends = 1 + np.searchsorted(np.cumsum(found[0].shares), [0.025, 0.975])
    pairs = list(zip(true_ranks, found, strict=True))
    return (
        float(all(rank in model.rank_set for rank, model in pairs)),
        float(np.mean([rank in model.marginal_set for rank, model in pairs])),
        float(ends[0] <= true_ranks[0] <= ends[1]),
        float(np.mean([model.rank_set.high - model.rank_set.low + 1 for model in found])),
    )


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
