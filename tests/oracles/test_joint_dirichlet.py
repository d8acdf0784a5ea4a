"""Dirichlet intervals that hold together: margins by inversion, the level by plain counting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.types import Bounds, Level
from halfwidth.resampling.designs import Design
from halfwidth.resampling.dirichlet_means import weighted_means
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.joint_dirichlet import (
    JointDraws,
    draws_of_means,
    weighted_means_of_models,
)
from halfwidth.resampling.simultaneous import all_pairs

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


@pytest.mark.parametrize(
    ("name", "mass"), [*((name, 0.5) for name in DESIGNS), ("cases", 0.2), ("strata", 1.5)]
)
def test_each_difference_has_the_distribution_of_its_own_interval(name: str, mass: float) -> None:
    """Its quantiles by numerical inversion (by draws for strata) have the shares they should.

    Five standard errors; 18 comparisons of 5 shares miss by chance in one of 10 000 seeds.
    """
    design, levels = DESIGNS[name], np.array([0.01, 0.1, 0.5, 0.9, 0.99])
    values, bounds = three_models(design.n), Bounds(0, 1)
    means = weighted_means_of_models(values, design, PLAN, PseudoCases.at_both(mass, bounds))
    differences = values[PAIRS[:, 0]] - values[PAIRS[:, 1]]
    paired = PseudoCases.at_both(mass, bounds, paired=True)
    own, _ = weighted_means(differences, design, Plan(99, 10_000), paired)
    drawn = len(design.strata) > 1
    for level in levels:
        quantile = own.quantile(level)
        share = (means[PAIRS[:, 0]] - means[PAIRS[:, 1]] <= quantile[:, None]).mean(axis=-1)
        slack = 5 * np.sqrt(level * (1 - level) / PLAN.n_resamples * (2 if drawn else 1))
        assert share == pytest.approx(np.full(3, level), abs=slack)


def test_models_alone_have_their_own_distribution_too() -> None:
    design, half = DESIGNS["cases"], PseudoCases.at_both(0.5, Bounds(0, 1))
    values = three_models(design.n)
    means = weighted_means_of_models(values, design, PLAN, half)
    own, _ = weighted_means(values, design, PLAN, half)
    for level in (0.01, 0.5, 0.99):
        share = (means <= own.quantile(level)[:, None]).mean(axis=-1)
        slack = 5 * np.sqrt(level * (1 - level) / PLAN.n_resamples)
        assert share == pytest.approx(np.full(3, level), abs=slack)


@pytest.mark.parametrize("alternative", ["two-sided", "lower", "upper"])
def test_the_level_leaves_as_many_draws_outside_as_it_may(alternative: Any) -> None:
    design, half = DESIGNS["cases"], PseudoCases.at_both(0.5, Bounds(0, 1))
    values, plan, level = three_models(design.n), Plan(3, 2000), Level(0.9, alternative)
    own = draws_of_means(values, PAIRS, design, plan, half).together(level)
    means = weighted_means_of_models(values, design, plan, half)
    ordered = np.sort(means[PAIRS[:, 0]] - means[PAIRS[:, 1]], axis=-1)
    unsorted = means[PAIRS[:, 0]] - means[PAIRS[:, 1]]

    def outside(cut: int) -> float:
        """The share of draws of which a difference is among the outermost ``cut``."""
        beyond = np.zeros(plan.n_resamples, dtype=bool)
        for row, draws in zip(ordered, unsorted, strict=True):
            if alternative != "upper":
                beyond |= draws < row[cut]
            if alternative != "lower":
                beyond |= draws > row[-1 - cut]
        return float(beyond.mean())

    cut = round(own.tail * plan.n_resamples)
    assert outside(cut) <= level.alpha < outside(cut + 1)
    assert own.alternative == alternative
    assert level.tail / 3 <= own.tail <= level.tail


def test_one_difference_has_the_level_asked_for() -> None:
    design, half = DESIGNS["cases"], PseudoCases.at_both(0.5, Bounds(0, 1))
    own = draws_of_means(three_models(design.n), PAIRS[:1], design, Plan(3, 9999), half).together(
        Level(0.95)
    )
    assert own.confidence_level == pytest.approx(0.95, abs=2e-4)


def test_the_same_difference_twice_costs_nothing() -> None:
    design, half = DESIGNS["cases"], PseudoCases.at_both(0.5, Bounds(0, 1))
    twice = np.array([[0, 1], [0, 1]])
    own = draws_of_means(three_models(design.n), twice, design, Plan(3, 9999), half).together(
        Level(0.95)
    )
    assert own.confidence_level == pytest.approx(0.95, abs=2e-4)


def test_pseudo_cases_on_one_side_only_are_refused() -> None:
    outward = PseudoCases.outward(1.0, Bounds(0, 1))
    design = DESIGNS["cases"]
    with pytest.raises(TypeError, match="same at both bounds"):
        draws_of_means(three_models(design.n), PAIRS, design, PLAN, outward).together(Level(0.95))


def stepped_down(draws: JointDraws, level: Level, margin: float) -> set[tuple[int, int, bool]]:
    """Over sets of hypotheses, from sorted draws.

    Of each side, that the model is not better by more than the margin, and (``True``) that the
    other one is.
    """
    count, alternative = draws.n_draws, level.alternative
    signs = {"two-sided": (1, -1), "lower": (1,), "upper": (-1,)}[alternative]
    remaining = {
        (place, sign, worse)
        for place in range(len(draws.pairs))
        for sign in signs
        for worse in (False, True)
    }
    claimed: set[tuple[int, int, bool]] = set()
    while remaining:
        cut, sides = 0, {(place, sign) for place, sign, _ in remaining}
        ordered = {one: np.sort(one[1] * draws.contrasts(one[0])[0]) for one in sides}
        while True:  # the outermost draws that may lie beyond
            beyond = np.zeros(count, dtype=bool)
            for place, sign in sides:
                beyond |= sign * draws.contrasts(place)[0] < ordered[place, sign][cut + 1]
            if beyond.mean() > level.alpha:
                break
            cut += 1
        tail = min(max(cut / count, level.alpha / len(sides)), level.tail)
        found = {
            (place, sign, worse)
            for place, sign, worse in remaining
            if (sign * draws.contrasts(place)[0] <= (-margin if worse else margin)).mean() < tail
        }
        if not found:
            break
        claimed |= found
        remaining -= found
    return claimed


@pytest.mark.parametrize("alternative", ["two-sided", "lower", "upper"])
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_stepdown_equals_sets_of_sides(alternative: Any, margin: float) -> None:
    generator, bounds = np.random.default_rng(4), Bounds(0, 1)
    lead = np.array([0.0, 0.05, 0.055, 0.17, 0.175])[:, None]
    values = np.clip(0.6 + lead + 0.1 * generator.normal(size=(5, 60)), 0, 1)
    design, half = Design((60,), paired=True), PseudoCases.at_both(0.5, bounds)
    means = weighted_means_of_models(values, design, Plan(2, 1500), half)
    draws, level = JointDraws((means, means), (means, means), all_pairs(5)), Level(0.9, alternative)
    claims = draws.stepdown(level, margin)
    claimed = claims.better
    got = {(pair, (1, -1)[side], False) for pair, side in np.argwhere(claimed).tolist()}
    # That a model is not better rests on the side of the other one.
    got |= {(pair, (-1, 1)[side], True) for pair, side in np.argwhere(claims.not_better).tolist()}
    assert got == stepped_down(draws, level, margin)
    assert not claimed.all(axis=-1).any()
    if alternative != "lower":  # the first models are the worse ones
        assert 0 < claimed.sum() < len(draws.pairs)


def test_the_outermost_draws_are_those_of_a_full_sort() -> None:
    generator = np.random.default_rng(6)
    means = generator.normal(size=(4, 3000))
    means[3, 1::7] -= 50.0  # of a sample of these draws nearly all lie far above the lowest
    means[2] = np.where(means[2] > 0, 1.0, means[2])
    draws, level = JointDraws((means, means), (means, means), all_pairs(4)), Level(0.9)
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
    draws = JointDraws((means, means), (means, means), all_pairs(2))
    (outermost,) = draws.tails(Level(0.9)).outermost
    assert np.isfinite(draws.contrasts(0)[0][outermost]).all()
