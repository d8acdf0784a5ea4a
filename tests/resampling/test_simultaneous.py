"""Max-t: against loops over the same draws, and against all resamples that there are."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.moments import studentized
from halfwidth.resampling.joint.laws import LargestT
from halfwidth.resampling.joint.simultaneous import (
    MEAN,
    StudentizedDifferences,
    all_pairs,
    mean_differences,
)

Array = NDArray[np.float64]
DESIGNS = {
    "cases": Design((12,), paired=True),
    "clusters": Design((5,), (1, 1, 2, 3, 5), paired=True),
    "equal clusters": Design((4,), (3, 3, 3, 3), paired=True),
    "strata": Design((5, 7), paired=True),
    "clusters within strata": Design((3, 3), (1, 1, 2, 2, 2, 4), paired=True),
}


def three_models(n: int, seed: int = 1) -> Array:
    generator = np.random.default_rng(seed)
    return 0.8 + 0.1 * generator.normal(size=n) + 0.05 * generator.normal(size=(3, n))


def mean_and_error(values: Array, stratum: list[int], unit: list[int]) -> tuple[float, float]:
    """A mean and its cluster-robust standard error, by the textbook formula in plain loops."""
    mean, n, variance = float(values.mean()), len(values), 0.0
    unit_of_case = np.array(unit)
    for one in sorted(set(stratum)):
        units = sorted({u for u, s in zip(unit, stratum, strict=True) if s == one})
        parts = [float((values[unit_of_case == u] - mean).sum()) / n for u in units]
        centre = sum(parts) / len(parts)
        if len(parts) > 1:
            squares = sum((part - centre) ** 2 for part in parts)
            variance += len(parts) / (len(parts) - 1) * squares
    return mean, float(np.sqrt(variance))


def gathered(values: Array, design: Design, drawn: NDArray[Any]) -> tuple[Array, Any, Any]:
    """The cases of the units drawn, the stratum and the unit of each."""
    stratum_of = np.repeat(np.arange(len(design.strata)), design.strata)
    cases, strata, units = [], [], []
    for place, unit in enumerate(drawn):
        first, size = design.first_cases[unit], design.unit_sizes[unit]
        cases += list(range(first, first + size))
        strata += [int(stratum_of[unit])] * int(size)
        units += [place] * int(size)
    return values[:, cases], strata, units


@pytest.mark.parametrize("name", DESIGNS)
def test_replicates_equal_loops_over_the_same_draws(name: str) -> None:
    design, plan = DESIGNS[name], Plan(7, 60)
    values, pairs = three_models(design.n), all_pairs(3)
    got = mean_differences(values, pairs, design, plan)
    draws = plan.indices(design, 0, plan.n_resamples)
    every_unit = np.arange(design.units)
    for place, (first, second) in enumerate(pairs):
        cases, strata, units = gathered(values, design, every_unit)
        mean, error = mean_and_error(cases[first] - cases[second], strata, units)
        assert got.estimates[place] == pytest.approx(mean, rel=1e-12)
        assert got.standard_errors[place] == pytest.approx(error, rel=1e-10)
        for resample, drawn in enumerate(draws):
            cases, strata, units = gathered(values, design, drawn)
            one, its_error = mean_and_error(cases[first] - cases[second], strata, units)
            t = got.replicates[place, resample]
            if its_error < 1e-12:
                assert np.isinf(t)
            else:
                assert t == pytest.approx((one - mean) / its_error, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", DESIGNS)
def test_sums_of_models_give_what_each_difference_gives_by_itself(name: str) -> None:
    design, plan = DESIGNS[name], Plan(7, 400)
    values = three_models(design.n)
    values[1] = values[0]
    values[1, :2] += [1e-7, 2e-7]  # nearly the same model
    values[2, ::4] = 0.0
    pairs = all_pairs(3)
    got = mean_differences(values, pairs, design, plan).replicates
    alone = studentized(values[pairs[:, 0]] - values[pairs[:, 1]], design, MEAN, plan)
    assert (np.isinf(got) == np.isinf(alone)).all()
    expected = np.where(np.isnan(alone), 0.0, alone)
    # The models' sums have the digits of their values, not of so small a difference.
    assert got[0] == pytest.approx(expected[0], rel=1e-6, abs=1e-7)
    assert got[1:] == pytest.approx(expected[1:], rel=1e-9, abs=1e-10)


def test_the_critical_value_is_that_of_all_resamples() -> None:
    """All 5^5 resamples of five cases; a quantile of 200 000 drawn ones misses it by 5 SE or less.

    By chance that happens less than once in a hundred thousand runs.
    """
    values, pairs, n = three_models(5, 3), all_pairs(3), 5
    differences = values[pairs[:, 0]] - values[pairs[:, 1]]
    draws = np.array(list(itertools.product(range(n), repeat=n)))
    resampled = differences[:, draws]
    with np.errstate(divide="ignore", invalid="ignore"):
        error = resampled.std(axis=-1, ddof=1) / np.sqrt(n)
        error[error < 1e-12] = 0
        t = (resampled.mean(axis=-1) - differences.mean(axis=-1)[:, None]) / error
    largest = np.abs(t).max(axis=0)
    drawn = mean_differences(values, pairs, Design((n,), paired=True), Plan(5, 200_000))
    for level in (0.8, 0.9, 0.95):
        low, high = ends_of(drawn, level).T
        (critical, *_) = (high - drawn.estimates) / drawn.standard_errors
        assert high - low == pytest.approx(2 * critical * drawn.standard_errors)
        slack = 5 * np.sqrt(level * (1 - level) / 200_000)
        # Within rounding of a value that many resamples share.
        assert (largest < critical * (1 - 1e-9)).mean() <= level + slack
        assert (largest <= critical * (1 + 1e-9)).mean() >= level - slack


def ends_of(differences: StudentizedDifferences, level: float = 0.95) -> Array:
    """Both ends of all differences, which hold together."""
    law, farthest = LargestT(differences, differences.usable), None
    for pair in np.flatnonzero(law.known).tolist():
        for side in (0, 1):
            farthest = law.farthest(farthest, (pair, side))
    assert farthest is not None
    return law.ends(farthest, 1 - level)


def test_ends_reach_as_far_as_the_largest_t() -> None:
    rows = np.array([np.linspace(-2, 3, 101), np.linspace(1, -4, 101)])
    differences = StudentizedDifferences(np.array([0.5, -0.2]), np.array([0.1, 0.2]), rows)
    critical = float(np.quantile(np.abs(rows).max(axis=0), 0.95))
    expected = np.array([[0.5], [-0.2]]) + critical * np.array([[-0.1, 0.1], [-0.2, 0.2]])
    assert ends_of(differences) == pytest.approx(expected)
    # Of ratios these are logarithms.
    law = LargestT(differences, differences.usable, of_ratios=True)
    seen = law.seen(np.zeros((2, 2)), np.array([1.1, 1.1]))
    assert seen[0] == pytest.approx((0.5 - np.log(1.1)) / 0.1 * np.array([1, -1]))


def test_identical_models_neither_count_nor_get_an_interval() -> None:
    values = three_models(12)
    values[2] = values[1]
    design, plan = DESIGNS["cases"], Plan(3, 999)
    differences = mean_differences(values, all_pairs(3), design, plan)
    alone = mean_differences(values, all_pairs(3)[:1], design, plan)
    assert differences.usable.tolist() == [True, True, False]
    assert ends_of(differences)[0] == pytest.approx(ends_of(alone)[0], rel=1e-12)
    assert np.isnan(ends_of(differences)[2]).all()


def test_rounding_is_no_difference() -> None:
    values = three_models(12)
    values[2] = values[1] + 0.1  # a constant lead, up to rounding
    design, plan = DESIGNS["cases"], Plan(3, 99)
    differences = mean_differences(values, all_pairs(3), design, plan)
    assert differences.usable.tolist() == [True, True, False]
    assert (differences.replicates[2] == 0).all()


def test_resamples_without_spread_are_kept_as_infinite() -> None:
    """Two models that differ in one case of five: (4/5)^5 of all resamples leave it out."""
    values = np.zeros((2, 5))
    values[0, 2] = 0.3
    differences = mean_differences(values, all_pairs(2), Design((5,), paired=True), Plan(1, 20_000))
    share = 0.8**5 + 0.2**5  # without the case, or that case alone
    slack = 5 * np.sqrt(share * (1 - share) / 20_000)
    assert differences.infinite_share[0] == pytest.approx(share, abs=slack)
    assert ends_of(differences).tolist() == [[-np.inf, np.inf]]


def test_an_undefined_resample_is_left_out_of_all() -> None:
    rows = np.vstack([np.linspace(-1, 1, 101), np.linspace(-3, 3, 101)])
    rows[0, ::2] = np.nan
    differences = StudentizedDifferences(np.zeros(2), np.ones(2), rows)
    expected = np.quantile(np.abs(rows[1, 1::2]), 0.95)
    assert ends_of(differences) == pytest.approx(np.array([[-expected, expected]] * 2))
