"""Dirichlet intervals that hold together: each pair by inversion, the level by plain counting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from halfwidth import Bounds
from halfwidth.core.pseudo_cases import PseudoCases, Reach
from halfwidth.core.types import Level
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.dirichlet_means import weighted_means
from halfwidth.resampling.joint.dirichlet import JointDraws, draws_of_means
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


@pytest.mark.parametrize("alternative", ["two-sided", "lower", "upper"])
def test_the_level_leaves_as_many_draws_outside_as_it_may(alternative: Any) -> None:
    plan, level = Plan(3, 2000), Level(0.9, alternative)
    draws = draws_of_means(spread_models(), PAIRS, Design((60,), paired=True), plan, HALF)
    own = draws.together(level).level
    lower, upper = draws.contrasts(slice(0, 3))

    def outside(cut: int) -> float:
        """The share of draws of which a difference is among the outermost ``cut``."""
        beyond = np.zeros(plan.n_resamples, dtype=bool)
        for low, high in zip(lower, upper, strict=True):
            if alternative != "upper":
                beyond |= low < np.sort(low)[cut]
            if alternative != "lower":
                beyond |= high > np.sort(high)[-1 - cut]
        return float(beyond.mean())

    cut = round(own.tail * plan.n_resamples)
    assert outside(cut) <= level.alpha < outside(cut + 1)
    assert own.alternative == alternative
    assert level.tail / 6 < own.tail < level.tail


def spread_models() -> Array:
    """Three models of which no pseudo-case outweighs the cases."""
    return np.random.default_rng(6).random((3, 60))


def test_one_difference_has_the_level_asked_for() -> None:
    design = DESIGNS["cases"]
    draws = draws_of_means(three_models(design.n), PAIRS[:1], design, Plan(3, 9999), HALF)
    assert draws.together(Level(0.95)).level.confidence_level == pytest.approx(0.95, abs=2e-4)


def test_the_same_difference_twice_costs_nothing() -> None:
    design, twice = DESIGNS["cases"], np.array([[0, 1], [0, 1]])
    draws = draws_of_means(three_models(design.n), twice, design, Plan(3, 9999), HALF)
    assert draws.together(Level(0.95)).level.confidence_level == pytest.approx(0.95, abs=2e-4)


Side = tuple[int, int]


def outwards(draws: JointDraws, place: int, sign: int) -> Array:
    """Draws for the lower end of a pair, or of those for its upper end the other way round."""
    lower, upper = draws.contrasts(place)
    return lower if sign == 1 else -upper


def distance_kept(draws: JointDraws, sides: set[Side], level: Level) -> float:
    """What 1 - alpha of the draws keep from the mean of the others, in their SDs, on all sides."""
    largest = np.full(draws.n_draws, -np.inf)
    for place, sign in sides:
        signed = outwards(draws, place, sign)
        for draw, value in enumerate(signed):
            others = np.delete(signed, draw)
            largest[draw] = max(largest[draw], (others.mean() - value) / others.std(ddof=1))
    # As many may lie further out as the level allows.
    normal = sorted(largest)[-1 - int(level.alpha * draws.n_draws)]
    return float(stats.t.isf(stats.norm.sf(normal), draws.degrees_of_freedom))


def stepped_down(draws: JointDraws, level: Level, margin: float) -> tuple[set[Any], int]:
    """Over sets of hypotheses, from sorted draws; and how many steps were taken by distance.

    Of each side, that the model is not better by more than the margin, and (``True``) that the
    other one is.
    """
    count, alternative = draws.n_draws, level.alternative
    signs = {"two-sided": (1, -1), "lower": (1,), "upper": (-1,)}[alternative]
    remaining = {
        (place, sign, worse)
        for place in range(draws.n_pairs)
        for sign in signs
        for worse in (False, True)
    }
    claimed: set[tuple[int, int, bool]] = set()
    by_distance = 0
    while remaining:
        cut, sides = 0, {(place, sign) for place, sign, _ in remaining}
        signed = {one: outwards(draws, *one) for one in sides}
        ordered = {one: np.sort(values) for one, values in signed.items()}
        while True:  # the outermost draws that may lie beyond
            beyond = np.zeros(count, dtype=bool)
            for one, values in signed.items():
                beyond |= values < ordered[one][cut + 1]
            if beyond.mean() > level.alpha:
                break
            cut += 1
        tail = min(max(cut / count, level.alpha / len(sides)), level.tail)
        reached = -np.inf
        if cut == 0:
            reached, by_distance = distance_kept(draws, sides, level), by_distance + 1
        found = set()
        for place, sign, worse in remaining:
            values = signed[place, sign]
            limit = -margin if worse else margin
            keeps = cut > 0 or values.mean() - reached * values.std(ddof=1) > limit
            if keeps and (values <= limit).mean() < tail:
                found.add((place, sign, worse))
        if not found:
            break
        claimed |= found
        remaining -= found
    return claimed, by_distance


def claimed_of(draws: JointDraws, level: Level, margin: float) -> set[tuple[int, int, bool]]:
    claims = draws.stepdown(level, margin)
    got = {(pair, (1, -1)[side], False) for pair, side in np.argwhere(claims.better).tolist()}
    # That a model is not better rests on the side of the other one.
    return got | {(p, (-1, 1)[side], True) for p, side in np.argwhere(claims.not_better).tolist()}


@pytest.mark.parametrize("alternative", ["two-sided", "lower", "upper"])
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_stepdown_equals_sets_of_sides(alternative: Any, margin: float) -> None:
    generator = np.random.default_rng(4)
    lead = np.array([0.0, 0.07, 0.07, 0.19, 0.19])[:, None]
    values = np.clip(0.6 + lead + 0.1 * generator.normal(size=(5, 60)), 0, 1)
    draws, level = draws_of(values, 1500), Level(0.9, alternative)
    claimed = draws.stepdown(level, margin).better
    expected, by_distance = stepped_down(draws, level, margin)
    assert claimed_of(draws, level, margin) == expected
    assert not by_distance
    assert not claimed.all(axis=-1).any()
    if alternative != "lower":  # the first models are the worse ones
        assert 0 < claimed.sum() < draws.n_pairs


@pytest.mark.parametrize("alternative", ["two-sided", "lower", "upper"])
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_stepdown_with_ends_of_their_own_equals_sets_of_sides(
    alternative: Any, margin: float
) -> None:
    generator = np.random.default_rng(4)
    lead = np.array([0.0, 0.02, 0.3, 0.33, 0.9])[:, None]
    values = np.clip(0.05 + lead + 0.02 * generator.normal(size=(5, 60)), 0, 1)
    design, pairs = Design((60,), paired=True), all_pairs(5)
    draws = draws_of_means(values, pairs, design, Plan(2, 1500), HALF)
    level = Level(0.9, alternative)
    expected, by_distance = stepped_down(draws, level, margin)
    assert claimed_of(draws, level, margin) == expected
    assert not by_distance
    assert bool(expected) is (alternative != "lower")  # the first models are the worse ones


def draws_of(values: Array, draws: int, degrees: float = np.inf) -> JointDraws:
    """All pairs of models under the same weights of the cases, the same for either end."""
    weights = np.random.default_rng(7).standard_exponential((draws, values.shape[-1]))
    means = values @ weights.T / weights.sum(axis=-1)
    both = means, means
    return JointDraws.from_models(both, both, all_pairs(len(values)), degrees_of_freedom=degrees)


def many_models(models: int = 7, n: int = 30, draws: int = 99) -> JointDraws:
    """Of which the outermost draws of all sides are more than the level allows outside."""
    lead = 0.04 * np.arange(models)[:, None]
    noise = np.random.default_rng(models).normal(size=(models, n))
    return draws_of(np.clip(0.4 + lead + 0.1 * noise, 0, 1), draws, n - 1.0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("alternative", ["two-sided", "lower", "upper"])
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_many_pairs_are_told_apart_by_distance(alternative: Any, margin: float) -> None:
    draws, level = many_models(), Level(0.95, alternative)
    expected, by_distance = stepped_down(draws, level, margin)
    assert claimed_of(draws, level, margin) == expected
    assert by_distance
    if alternative == "two-sided":
        # That no draw reaches the margin is not enough.
        unreached = (draws.tails(level, margin).beyond == 0).sum()
        assert 0 < draws.stepdown(level, margin).better.sum() < unreached


def test_what_is_claimed_of_all_pairs_is_claimed_of_some() -> None:
    """Those with one model, by ranks of draws, and all, by distance."""
    for models, margin in ((6, 0.0), (7, 0.03), (12, 0.0), (12, 0.05)):
        draws = many_models(models, draws=199)
        tails = draws.tails(Level(0.95), margin)
        both = tails.stepdown()
        assert both.better.any()
        for model in range(models):
            own = (all_pairs(models) == model).any(axis=-1)
            alone = tails.subset(own).stepdown()
            assert (alone.better >= both.better[own]).all()
            assert (alone.not_better >= both.not_better[own]).all()


def test_intervals_of_many_pairs_hold_as_many_draws_as_the_level_says() -> None:
    draws, level = many_models(), Level(0.9)
    together = draws.together(level)
    assert together.level.tail == pytest.approx(0.1 / 42)
    assert together.reach is not None
    low, high = together.reach
    both = {(place, sign) for place in range(21) for sign in (1, -1)}
    distance = distance_kept(draws, both, level)
    outside = np.zeros(draws.n_draws, dtype=bool)
    for place in range(21):
        contrasts = draws.contrasts(place)[0]
        spread = distance * contrasts.std(ddof=1)
        assert low[place] == pytest.approx(contrasts.mean() - spread)
        assert high[place] == pytest.approx(contrasts.mean() + spread)
        outside |= (contrasts < low[place]) | (contrasts > high[place])
    assert 0 < outside.mean() <= 0.1


def test_ratios_that_are_not_finite_leave_ends_open() -> None:
    generator = np.random.default_rng(5)
    models = 1 + 0.1 * generator.normal(size=(12, 99))
    models[3, 7] = 0.0
    both = models, models
    draws = JointDraws.from_models(both, both, all_pairs(12), "ratio", 20)
    together = draws.together(Level(0.95))
    assert together.reach is not None
    low, high = together.reach
    of_zero = all_pairs(12)[:, 1] == 3
    assert (low[of_zero] == -np.inf).all()
    assert (high[of_zero] == np.inf).all()
    assert (low[~of_zero] > 0).all()
    assert (high[~of_zero] < 2).all()


def test_the_outermost_draws_are_those_of_a_full_sort() -> None:
    generator = np.random.default_rng(6)
    means = generator.normal(size=(4, 3000))
    means[3, 1::7] -= 50.0  # of a sample of these draws nearly all lie far above the lowest
    means[2] = np.where(means[2] > 0, 1.0, means[2])
    both, level = (means, means), Level(0.9)
    draws = JointDraws.from_models(both, both, all_pairs(4))
    tails = draws.tails(level, 0.01)
    for place, both in enumerate(tails.outermost):
        contrasts = draws.contrasts(place)[0]
        for sign, outermost in zip((1, -1), both, strict=True):
            expected = np.argsort(sign * contrasts, kind="stable")[: both.shape[-1]]
            assert outermost.tolist() == expected.tolist()
        assert tails.beyond[place].tolist() == [
            (contrasts <= 0.01).mean(),
            (contrasts >= -0.01).mean(),
        ]


def test_draws_that_are_not_known_lie_outermost_nowhere() -> None:
    means = np.random.default_rng(6).normal(size=(2, 3000))
    means[0, ::2] = np.nan  # as a ratio of two zeros; one of each two is left
    draws = JointDraws.from_models((means, means), (means, means), all_pairs(2))
    (outermost,) = draws.tails(Level(0.9)).outermost
    assert np.isfinite(draws.contrasts(0)[0][outermost]).all()
