"""Intervals for a proportion, against statsmodels, SciPy and hand formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import halfwidth as hw
from halfwidth.core.types import Alternative, Interval, Level
from halfwidth.intervals import agresti_coull, clopper_pearson, jeffreys, wald, wilson

Array = NDArray[np.float64]
Scipys = Literal["two-sided", "greater", "less"]

SIZES = [1, 2, 5, 10, 50, 334]
LEVELS = [0.8, 0.9, 0.95, 0.99]
Method = Callable[[Any, Any, Level], Interval]
NAMES: dict[Method, str] = {
    wald: "normal",
    wilson: "wilson",
    agresti_coull: "agresti_coull",
    clopper_pearson: "beta",
    jeffreys: "jeffreys",
}
# Those that statsmodels cuts to [0, 1] and that STATISTICS gives as they are.
CLIPPED = {wald, agresti_coull}


def statsmodels_interval(
    name: str, successes: NDArray[np.int_], n: int, alpha: float
) -> tuple[Array, Array]:
    # At x = 0 or n one Beta quantile has no parameters; statsmodels replaces it afterwards.
    with np.errstate(invalid="ignore"):
        low, high = proportion_confint(successes, n, alpha=alpha, method=name)
    return np.asarray(low), np.asarray(high)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("method", NAMES)
def test_every_count_agrees_with_statsmodels(method: Method, n: int, confidence: float) -> None:
    successes = np.arange(n + 1)
    low, high = statsmodels_interval(NAMES[method], successes, n, 1 - confidence)
    if method is jeffreys:
        # Brown, Cai & DasGupta's ends, which statsmodels lacks.
        low, high = np.where(successes == 0, 0, low), np.where(successes == n, 1, high)
    got = method(successes, n, Level(confidence))
    got_low, got_high = got.low, got.high
    if method in CLIPPED:
        got_low, got_high = np.clip(got_low, 0, 1), np.clip(got_high, 0, 1)
    np.testing.assert_allclose(got_low, low, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(got_high, high, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("miss", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("method", NAMES)
def test_intervals_keep_their_digits_at_levels_near_1(method: Method, miss: float) -> None:
    successes = np.arange(1, 50)
    low, high = statsmodels_interval(NAMES[method], successes, 50, miss)
    got = method(successes, 50, Level(1 - miss))
    np.testing.assert_allclose(np.clip(got.low, 0, 1), low, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(1 - np.clip(got.high, 0, 1), 1 - high, rtol=1e-9, atol=1e-14)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("n", SIZES)
def test_wald_and_agresti_coull_are_their_formulas_uncut(n: int, confidence: float) -> None:
    for level, tail in (
        (Level(confidence), (1 - confidence) / 2),
        (Level(confidence, "lower"), 1 - confidence),
    ):
        z = NormalDist().inv_cdf(1 - tail)
        for x in range(n + 1):
            p = x / n
            reach = z * math.sqrt(p * (1 - p) / n)
            got = wald(x, n, level)
            assert float(got.low) == pytest.approx(p - reach, rel=1e-12, abs=1e-14)
            assert float(got.high) == pytest.approx(p + reach, rel=1e-12, abs=1e-14)
            # Brown, Cai & DasGupta (2001), eqn 5: ñ = n + z², p̃ = (x + z²/2)/ñ.
            n_tilde = n + z * z
            p_tilde = (x + z * z / 2) / n_tilde
            reach = z * math.sqrt(p_tilde * (1 - p_tilde) / n_tilde)
            got = agresti_coull(x, n, level)
            assert float(got.low) == pytest.approx(p_tilde - reach, rel=1e-12, abs=1e-14)
            assert float(got.high) == pytest.approx(p_tilde + reach, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("n", SIZES)
def test_wilson_bounds_solve_the_score_equation(n: int) -> None:
    # |p̂ - p| = z √(p(1 - p)/n), whatever the algebra that solves it.
    for confidence in LEVELS:
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        got = wilson(np.arange(n + 1), n, Level(confidence))
        share = np.arange(n + 1) / n
        for bound, sign in ((got.low, 1), (got.high, -1)):
            reach = sign * z * np.sqrt(np.maximum(bound * (1 - bound), 0) / n)
            inside = (bound > 0) & (bound < 1)
            assert inside.sum() == n
            np.testing.assert_allclose((share - bound)[inside], reach[inside], rtol=1e-9)


@pytest.mark.parametrize("n", SIZES)
def test_clopper_pearson_bounds_invert_the_binomial_test(n: int) -> None:
    # P(X ≥ x | low) = α/2 = P(X ≤ x | high).
    successes = np.arange(n + 1)
    for confidence in LEVELS:
        tail = (1 - confidence) / 2
        got = clopper_pearson(successes, n, Level(confidence))
        np.testing.assert_allclose(
            stats.binom.sf(successes[1:] - 1, n, got.low[1:]), tail, rtol=1e-9
        )
        np.testing.assert_allclose(
            stats.binom.cdf(successes[:-1], n, got.high[:-1]), tail, rtol=1e-9
        )


@pytest.mark.parametrize("method", [clopper_pearson, jeffreys, wilson])
@pytest.mark.parametrize("n", SIZES)
def test_ends_are_exactly_0_at_no_success_and_1_at_n(n: int, method: Method) -> None:
    for confidence in LEVELS:
        got = method([0, n], n, Level(confidence))
        assert got.low[0] == 0
        assert got.high[1] == 1
        # By symmetry; and neither is an empty statement about a whole [0, 1].
        assert 0 < got.low[1] < 1
        assert got.high[0] == pytest.approx(1 - got.low[1], rel=1e-9)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize(
    ("alternative", "scipys"), [("two-sided", "two-sided"), ("lower", "greater"), ("upper", "less")]
)
@pytest.mark.parametrize("n", [1, 2, 5, 10, 50])
def test_scipys_binomial_test_gives_the_same_wilson_and_exact_interval(
    n: int, alternative: Alternative, scipys: Scipys, confidence: float
) -> None:
    for x in range(0, n + 1, max(n // 10, 1)):
        test = stats.binomtest(x, n, alternative=scipys)
        for ours, wanted in (
            ("clopper_pearson", test.proportion_ci(confidence, method="exact")),
            ("wilson", test.proportion_ci(confidence, method="wilson")),
        ):
            got = hw.proportion_ci(
                x, n, method=ours, confidence_level=confidence, alternative=alternative
            )
            # SciPy finds the exact bounds by root-finding, to about 1e-12.
            assert (got.low, got.high) == pytest.approx(
                (wanted.low, wanted.high), rel=1e-9, abs=1e-11
            )


@pytest.mark.parametrize("n", [5, 50])
def test_one_sided_jeffreys_is_a_beta_quantile(n: int) -> None:
    for x in range(n + 1):
        lower = hw.proportion_ci(x, n, method="jeffreys", alternative="lower")
        upper = hw.proportion_ci(x, n, method="jeffreys", alternative="upper")
        posterior = stats.beta(x + 0.5, n - x + 0.5)
        assert lower.low == pytest.approx(0 if x == 0 else posterior.ppf(0.05), rel=1e-9)
        assert upper.high == pytest.approx(1 if x == n else posterior.ppf(0.95), rel=1e-9)
        assert (lower.high, upper.low) == (1, 0)


def test_values_of_0_and_1_give_the_interval_of_their_counts() -> None:
    values = np.repeat([0.0, 1.0], [5, 45])
    for method in ("wilson", "clopper_pearson", "jeffreys", "agresti_coull", "wald", "bca"):
        of_values = hw.summary_ci(values, metric="correct", method=method)
        count_ingredients = hw.proportion_ci(45, 50, method=method)
        assert (of_values.low, of_values.high) == pytest.approx(
            (count_ingredients.low, count_ingredients.high), rel=1e-12
        )


def test_bootstrap_t_of_45_in_50_are_those_of_statistics_section_3() -> None:
    wilson_45 = hw.proportion_ci(45, 50)
    assert (round(wilson_45.low, 3), round(wilson_45.high, 3)) == (0.786, 0.957)
    # With the mid proportion; strict "<" gives (.76, .94) and "≤" gives (.82, .98).
    bca = hw.proportion_ci(45, 50, method="bca")
    assert (bca.low, bca.high) == (0.78, 0.96)


@pytest.mark.parametrize(("x", "n"), [(45, 50), (3, 10), (1, 30), (320, 334)])
def test_bca_of_a_proportion_is_the_formula_on_the_binomial_distribution(x: int, n: int) -> None:
    bootstrap = stats.binom(n, x / n)
    below = bootstrap.cdf(x - 1) + bootstrap.pmf(x) / 2
    values = np.repeat([0.0, 1.0], [n - x, x])
    left_out = np.array([np.delete(values, i).mean() for i in range(n)])
    d = left_out.mean() - left_out
    a = (d**3).sum() / (6 * (d**2).sum() ** 1.5)
    normal = NormalDist()
    bias = normal.inv_cdf(float(below))
    for confidence in LEVELS:
        wanted = []
        for tail in ((1 - confidence) / 2, (1 + confidence) / 2):
            shifted = bias + normal.inv_cdf(tail)
            share = normal.cdf(bias + shifted / (1 - a * shifted))
            wanted.append(float(bootstrap.ppf(share)) / n)
        got = hw.proportion_ci(x, n, method="bca", confidence_level=confidence)
        assert [got.low, got.high] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("x", "n"), [(0, 12), (12, 12)])
def test_bca_of_a_proportion_is_undefined_without_a_failure_or_a_success(x: int, n: int) -> None:
    got = hw.proportion_ci(x, n, method="bca")
    assert math.isnan(got.low)
    assert math.isnan(got.high)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("confidence", LEVELS)
def test_percentile_bootstrap_of_a_proportion_is_the_binomial_quantile(confidence: float) -> None:
    for n in (5, 50, 334):
        for x in range(0, n + 1, max(1, n // 10)):
            got = hw.proportion_ci(x, n, method="percentile", confidence_level=confidence)
            tail = (1 - confidence) / 2
            low, high = (float(stats.binom.ppf(p, n, x / n)) / n for p in (tail, 1 - tail))
            assert (got.low, got.high) == pytest.approx((low, high), rel=1e-12)
            basic = hw.proportion_ci(x, n, method="basic", confidence_level=confidence)
            assert (basic.low, basic.high) == pytest.approx(
                (2 * x / n - high, 2 * x / n - low), rel=1e-12, abs=1e-14
            )
