"""Dirichlet intervals that hold together: each pair by inversion, the level by plain counting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from halfwidth import Bounds
from halfwidth.core.pseudo_cases import PseudoCases, Reach
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.dirichlet_means import weighted_means
from halfwidth.resampling.joint.dirichlet import JointDraws, draws_of_means
from halfwidth.resampling.joint.laws import RankedDraws
from halfwidth.resampling.joint.simultaneous import all_pairs

Array = NDArray[Any]
PLAN = Plan(3, 10_000)
PAIRS = all_pairs(3)
DESIGNS = {
    "cases": Design((12,), paired=True),
    "clusters": Design((5,), (1, 1, 2, 3, 5), paired=True),
    "equal clusters": Design((4,), (3, 3, 3, 3), paired=True),
    "strata": Design((5, 7), paired=True),
}


def three_models(n: int) -> Array:
    generator = np.random.default_rng(n)
    return np.clip(0.8 + 0.1 * generator.normal(size=n) + 0.1 * generator.normal(size=(3, n)), 0, 1)


REACH = Reach(5.0, shared=True)
HALF = PseudoCases.outward(0.5, Bounds(0, 1), paired=True)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("reach", [None, REACH, Reach(1.5)])
@pytest.mark.parametrize(
    ("name", "mass"), [*((name, 0.5) for name in DESIGNS), ("cases", 0.2), ("strata", 1.5)]
)
def test_each_difference_has_the_distributions_of_its_own_interval(
    name: str, mass: float, reach: Reach | None
) -> None:
    """Their quantiles by numerical inversion (by draws for strata) have the shares they should.

    Five standard errors; 18 times 30 comparisons miss by chance in one of 3000 seeds.
    """
    design, levels = DESIGNS[name], np.array([0.01, 0.1, 0.5, 0.9, 0.99])
    values, bounds = three_models(design.n), Bounds(0, 1)
    outward = PseudoCases.outward(mass, bounds, paired=True, reach=reach)
    draws = draws_of_means(values, PAIRS, design, PLAN, outward)
    assert (draws.n_pairs, draws.n_draws) == (3, PLAN.n_resamples)
    differences = values[PAIRS[:, 0]] - values[PAIRS[:, 1]]
    own = weighted_means(differences, design, Plan(99, 10_000), outward)
    drawn = len(design.strata) > 1
    for end, contrasts in zip(own, draws.contrasts(slice(0, 3)), strict=True):
        for level in levels:
            share = (contrasts <= end.quantile(level)[:, None]).mean(axis=-1)
            slack = 5 * np.sqrt(level * (1 - level) / PLAN.n_resamples * (2 if drawn else 1))
            assert share == pytest.approx(np.full(3, level), abs=slack)


@pytest.mark.parametrize("reach", [REACH, Reach(1.5)])
def test_pairs_share_weights_and_how_far_out_the_pseudo_pair_lies(reach: Reach) -> None:
    """A difference that is twice another one is twice as large in every draw."""
    first = 0.05 * np.random.default_rng(3).random(20)
    values = np.stack([0.5 + first, np.full(20, 0.5), 0.5 - first])
    pairs = np.array([[0, 1], [0, 2], [1, 0]])
    # Bounds that no draw reaches.
    outward = PseudoCases.outward(0.5, Bounds(-1e9, 1e9), paired=True, reach=reach)
    draws = draws_of_means(values, pairs, Design((20,), paired=True), PLAN, outward)
    (low, high), (twice_low, twice_high), (minus_low, minus_high) = map(draws.contrasts, range(3))
    assert twice_low == pytest.approx(2 * low, abs=1e-12)
    assert twice_high == pytest.approx(2 * high, abs=1e-12)
    assert minus_low == pytest.approx(-high, abs=1e-12)
    assert minus_high == pytest.approx(-low, abs=1e-12)
    assert (low < high).all()


def test_ranks_are_those_of_a_full_sort_on_either_side() -> None:
    generator = np.random.default_rng(6)
    lower, upper = np.sort(generator.normal(size=(2, 4, 300)), axis=0)
    lower[2] = np.round(lower[2])
    law = RankedDraws.from_draws(4, zip(lower, upper, strict=True))
    for pair in range(4):
        own = np.argsort(lower[pair], kind="stable"), np.argsort(-upper[pair], kind="stable")
        for side, outwards in enumerate(own):
            assert law.ranks[pair, side, outwards].tolist() == [*range(300)]


def outermost(draws: JointDraws) -> tuple[RankedDraws, Array]:
    """The law of all sides, and the lowest rank of any in each draw."""
    law, lowest = draws.ranked(), None
    for pair in range(draws.n_pairs):
        for side in (0, 1):
            lowest = law.farthest(lowest, (pair, side))
    assert lowest is not None
    return law, lowest


def test_the_tail_leaves_as_many_draws_outside_as_it_may() -> None:
    plan, alpha = Plan(3, 2000), 0.1
    values = np.random.default_rng(6).random((3, 60))
    draws = draws_of_means(values, PAIRS, Design((60,), paired=True), plan, HALF)
    law, lowest = outermost(draws)
    tail = law.tail(lowest, alpha)
    lower, upper = draws.contrasts(slice(0, 3))

    def outside(cut: int) -> float:
        """The share of draws of which a difference is among the outermost ``cut``."""
        beyond = np.zeros(plan.n_resamples, dtype=bool)
        for low, high in zip(lower, upper, strict=True):
            beyond |= (low < np.sort(low)[cut]) | (high > np.sort(high)[-1 - cut])
        return float(beyond.mean())

    cut = int(tail * plan.n_resamples)
    assert outside(cut) <= alpha < outside(cut + 1)
    assert alpha / 6 < tail < alpha / 2


def test_the_same_difference_twice_costs_nothing() -> None:
    design, tails = DESIGNS["cases"], []
    for pairs in (PAIRS[:1], PAIRS[[0, 0]], PAIRS[:2]):
        draws = draws_of_means(three_models(design.n), pairs, design, Plan(3, 9999), HALF)
        law, lowest = outermost(draws)
        tails.append(law.tail(lowest, 0.05))
    assert tails[0] == tails[1] > tails[2]


def of_models(values: Array, draws: int, degrees: float) -> JointDraws:
    """All pairs of models under the same weights of the cases, the same for either end."""
    weights = np.random.default_rng(7).standard_exponential((draws, values.shape[-1]))
    means = values @ weights.T / weights.sum(axis=-1)
    pairs = all_pairs(len(values))
    return JointDraws.from_models((means, means), (means, means), pairs, degrees_of_freedom=degrees)


def test_beyond_the_outermost_draw_sides_end_where_student_says() -> None:
    draws = of_models(np.random.default_rng(7).random((7, 30)), 99, 29.0)
    law, tail = draws.ranked(), 0.05 / 42
    lower, _ = draws.contrasts(slice(None))
    away = stats.t.isf(tail, 29) * lower.std(axis=-1, ddof=1)
    reach = law.reach(tail) * [1, -1]
    expected = np.stack([lower.mean(axis=-1) - away, lower.mean(axis=-1) + away], axis=-1)
    assert reach == pytest.approx(expected)
    assert np.isinf(law.reach(0.02)).all()  # draws tell
    # A side whose value lies there has the same tail.
    seen = law.seen(np.full((21, 2), 1 / 200), np.stack([expected[0, 0], -expected[0, 0]]))
    assert seen[0, 0] == pytest.approx(tail)


def test_draws_that_are_not_known_lie_outermost_nowhere() -> None:
    means = np.random.default_rng(6).normal(size=(2, 3000))
    means[0, ::2] = np.nan  # as a ratio of two zeros; one of each two is left
    draws = JointDraws.from_models((means, means), (means, means), all_pairs(2))
    outer = draws.ranked().ranks[0] < 100
    assert np.isfinite(draws.contrasts(0)[0][outer.any(axis=0)]).all()
