"""Sets of ranks hold the true ranks of populations, equal models and margins included."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.arithmetic.ranks import Ranks, ranks_of
from halfwidth.core.types import Array, Level
from halfwidth.ranking.rank_sets import rank_bounds, square
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.joint.laws import LargestT
from halfwidth.resampling.joint.simultaneous import all_pairs, mean_differences
from halfwidth.resampling.joint.stepdown import Observed, adjusted_by_stepdown, against_family

LEVEL = Level(0.9)
SAMPLES = 120
# Three standard errors of a share of 90 %.
LEAST = 0.9 - 3 * (0.9 * 0.1 / SAMPLES) ** 0.5


def sample(generator: np.random.Generator, truth: Array, n: int) -> Array:
    values = (
        truth[:, None] + generator.normal(size=n) + 0.5 * generator.normal(size=(len(truth), n))
    )
    return np.asarray(values)


def sets_of(values: Array, seed: int) -> tuple[Ranks, Ranks]:
    """With stepdown, and with all sides in the family of each."""
    models, n = values.shape
    pairs = all_pairs(models)
    plan = Plan(seed, n_resamples=199)
    differences = mean_differences(values, pairs, Design((n,), paired=True), plan)
    law = LargestT(differences, differences.usable)
    tails = stats.t.sf(law.seen(np.empty(0), np.zeros(2)), n - 1)
    seen, every = law.seen(tails, np.zeros(2)), np.ones(tails.shape, dtype=bool)
    found = [
        adjusted_by_stepdown(Observed(tails, law, seen)),
        against_family(Observed(tails, law, seen), every),
    ]
    stepwise, plain = (square(pairs, p_values <= LEVEL.alpha, models) for p_values in found)
    return rank_bounds(stepwise, stepwise.T), rank_bounds(plain, plain.T)


@pytest.mark.parametrize("truth", [(0.0,) * 5, (0.3, 0.3, 0.0, 0.0, -0.3)])
def test_all_sets_hold_at_once_and_stepdown_shortens_them(truth: tuple[float, ...]) -> None:
    generator, means = np.random.default_rng(8), np.array(truth)
    ranks, held, sizes = ranks_of(means), 0, np.zeros(2)
    for seed in range(SAMPLES):
        stepwise, plain = sets_of(sample(generator, means, 60), seed)
        assert (stepwise[:, 0] >= plain[:, 0]).all()
        assert (stepwise[:, 1] <= plain[:, 1]).all()
        held += bool(((stepwise[:, 0] <= ranks) & (ranks <= stepwise[:, 1])).all())
        sizes += [np.ptp(stepwise, axis=1).sum(), np.ptp(plain, axis=1).sum()]
    assert held / SAMPLES >= LEAST
    assert sizes[0] < sizes[1] or len(set(truth)) == 1


@pytest.mark.slow
def test_sets_hold_where_differences_are_just_the_margin() -> None:
    # The second is not better by more than the margin than the third, nor the first than it.
    generator, margin = np.random.default_rng(9), 0.5
    ranks, held = dict(zip("ABC", (1, 1, 2), strict=True)), 0
    metric = hw.MetricSpec("v", better=hw.Better.HIGHER)
    for seed in range(SAMPLES):
        values = sample(generator, np.array([1.0, 0.5, 0.0]), 40)
        (ranking,) = hw.rank(
            dict(zip("ABC", values, strict=True)),
            metric=metric,
            method="t",
            margin=margin,
            confidence_level=0.9,
            n_resamples=199,
            rng=seed,
        )
        held += all(rank in ranking[name].rank_set for name, rank in ranks.items())
    assert held / SAMPLES >= LEAST


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 25])
@pytest.mark.parametrize("more", [0.0, 0.1])
def test_sets_hold_for_scores_with_rare_failures(n: int, more: float) -> None:
    """What ``auto`` takes: Dirichlet weights. The last two models fail more often, or all alike."""
    generator, held = np.random.default_rng((10, n)), 0
    failing = 0.02 + more * np.array([0.0, 0.0, 0.0, 1.0, 1.0])
    ranks = ranks_of(-failing)
    for seed in range(SAMPLES):
        case = generator.normal(size=n)
        values = 1 / (1 + np.exp(-2.2 - 0.5 * case - 0.2 * generator.normal(size=(5, n))))
        values[generator.random((5, n)) < failing[:, None]] = 0.0
        (ranking,) = hw.rank(
            dict(zip("ABCDE", values, strict=True)),
            metric="dsc",
            confidence_level=0.9,
            n_resamples=199,
            rng=seed,
        )
        assert {model.estimate.method for model in ranking.models} == {"dirichlet_pareto"}
        held += all(
            rank in ranking[name].rank_set for name, rank in zip("ABCDE", ranks, strict=True)
        )
    assert held / SAMPLES >= LEAST
