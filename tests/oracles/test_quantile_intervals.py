"""Order-statistic and semiparametric intervals, against brute force, SciPy and simulation."""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

import halfwidth as hw
from halfwidth.core.types import Level
from halfwidth.intervals import exact, exact_attained, semiparametric
from halfwidth.intervals.ranks import (
    attainable_level,
    exact_ranks,
    level_within_reach,
    minimum_n,
)
from halfwidth.summaries import quantile

Array = NDArray[np.float64]

QUANTILES = [
    Fraction(text) for text in ("1/20", "1/10", "1/4", "3/10", "1/2", "3/5", "3/4", "9/10", "19/20")
]
# 15/16 is attained exactly by n = 5 at the median: 1 - 2/2⁵. At 1/10 one-gap pairs tie in their
# probability (two adjacent binomial terms are equal where (n + 1)q is whole).
LEVELS = [
    Fraction(text)
    for text in ("1/10", "1/2", "4/5", "9/10", "15/16", "19/20", "99/100", "999/1000")
]
# A lower bound of a smaller level is the upper one of its complement, and refused.
ONE_SIDED_LEVELS = [level for level in LEVELS if level >= Fraction(1, 2)]


def cumulated(n: int, q: Fraction) -> list[int]:
    """P(Bin(n, q) < r) for r = 0 ... n + 1, exactly, in units of 1/denominator(q)ⁿ."""
    hit, miss = q.numerator, q.denominator - q.numerator
    return [0, *accumulate(math.comb(n, s) * hit**s * miss ** (n - s) for s in range(n + 1))]


def brute_force_ranks(below: list[int], q: Fraction, level: Fraction) -> tuple[int, int] | None:
    """STATISTICS §5: all pairs k < l with Σ_{s=k}^{l-1} C(n,s) q^s (1-q)^(n-s) ≥ level, the best.

    For q = ½ the symmetric pair; else the shortest, then the likeliest, then the one with the most
    equal tails, then the smallest k.
    """
    n, whole = len(below) - 2, below[-1]
    needed = math.ceil(level * whole)
    best: tuple[int, int, int, int] | None = None
    for k in range(1, n):
        for high in range(k + 1, n + 1):
            inside = below[high] - below[k]
            if inside >= needed and (q != Fraction(1, 2) or k + high == n + 1):
                imbalance = abs(below[k] - (whole - below[high]))
                key = (high - k, -inside, imbalance, k)
                best = key if best is None or key < best else best
    return best and (best[3], best[3] + best[0])


# --------------------------------------------------------------------------- existence


def table_1(shared: Path) -> list[tuple[float, float, int]]:
    """Rows (confidence level, quantile level, minimum n) of Table 1 of paper 003."""
    with (shared / "reference" / "lehmann_table1.csv").open(newline="") as file:
        return [
            (float(row["confidence_level"]), float(q), int(n))
            for row in csv.DictReader(file)
            for q, n in row.items()
            if q != "confidence_level"
        ]


def test_minimum_n_is_table_1_of_paper_003(shared: Path) -> None:
    cells = table_1(shared)
    assert len(cells) == 18
    for confidence, q, wanted in cells:
        for level_of_quantile in (q, 1 - q):
            assert minimum_n(level_of_quantile, Level(confidence)) == wanted


def test_interval_exists_from_the_n_of_table_1_on(shared: Path) -> None:
    for confidence, q, least in table_1(shared):
        for n in {max(2, least // 2), least - 1, least, least + 1, 3 * least}:
            for level_of_quantile in (q, round(1 - q, 3)):
                values = np.random.default_rng(n).normal(size=n)
                got = hw.summary_ci(
                    values,
                    statistic=f"quantile:{level_of_quantile}",
                    method="exact",
                    confidence_level=confidence,
                )
                assert math.isnan(got.low) is math.isnan(got.high) is (n < least)


@pytest.mark.parametrize("q", QUANTILES, ids=str)
def test_one_sided_minimum_n_is_the_closed_form(q: Fraction) -> None:
    # P(all values lie above the quantile) = (1 - q)^n for a lower bound, q^n for an upper one.
    for level in ONE_SIDED_LEVELS:
        for alternative, miss in (("lower", 1 - q), ("upper", q)):
            wanted = next(n for n in range(2, 200) if miss**n <= 1 - level)
            got = minimum_n(
                float(q), Level(float(level), "lower" if alternative == "lower" else "upper")
            )
            assert got == wanted


@pytest.mark.parametrize("n", [1, 2, 5, 6, 30, 100])
def test_attainable_level_is_that_of_the_extremes(n: int) -> None:
    for q in QUANTILES:
        below = cumulated(n, q)
        whole = below[-1]
        both = (below[n] - below[1]) / whole
        assert attainable_level(n, float(q), Level()) == pytest.approx(both, rel=0, abs=1e-14)
        lower = attainable_level(n, float(q), Level(0.95, "lower"))
        assert lower == pytest.approx(1 - below[1] / whole, rel=0, abs=1e-14)
        upper = attainable_level(n, float(q), Level(0.95, "upper"))
        assert upper == pytest.approx(below[n] / whole, rel=0, abs=1e-14)


# --------------------------------------------------------------------------- the pair


@pytest.mark.sampled(4)
@pytest.mark.parametrize("q", QUANTILES, ids=str)
def test_pair_is_the_best_of_all_pairs(q: Fraction) -> None:
    for n in range(2, 61):
        below = cumulated(n, q)
        for level in LEVELS:
            wanted = brute_force_ranks(below, q, level)
            assert exact_ranks(n, float(q), Level(float(level))) == wanted, (n, level)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("q", QUANTILES, ids=str)
def test_one_sided_rank_is_the_innermost_that_keeps_the_level(q: Fraction) -> None:
    for n in range(2, 61):
        below = [Fraction(part, q.denominator**n) for part in cumulated(n, q)]
        for level in ONE_SIDED_LEVELS:
            # P(X₍k₎ > Q) = P(fewer than k values up to Q); P(X₍l₎ < Q) = P(l or more below Q).
            lower = max((k for k in range(1, n + 1) if below[k] <= 1 - level), default=None)
            upper = min((r for r in range(1, n + 1) if 1 - below[r] <= 1 - level), default=None)
            got = exact_ranks(n, float(q), Level(float(level), "lower"))
            assert (got and got[0]) == lower, (n, level)
            got = exact_ranks(n, float(q), Level(float(level), "upper"))
            assert (got and got[1]) == upper, (n, level)


@pytest.mark.parametrize("q", [0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("n", [10, 50, 200, 1000])
def test_pairs_cover_as_often_as_the_binomial_sum_says(n: int, q: float) -> None:
    # A large-n check: P(X₍k₎ ≤ Q ≤ X₍l₎) by scipy.stats.binom, and no shorter pair reaches it.
    for confidence in (0.9, 0.95, 0.99):
        ranks = exact_ranks(n, q, Level(confidence))
        cdf = np.r_[0.0, stats.binom.cdf(np.arange(n + 1), n, q)]
        if ranks is None:
            assert q**n + (1 - q) ** n > 1 - confidence
            continue
        k, high = ranks
        assert cdf[high] - cdf[k] >= confidence - 1e-12
        shorter = high - k - (2 if q == 0.5 else 1)
        if shorter >= 1:
            start = np.arange(1, n - shorter + 1)
            if q == 0.5:
                start = np.array([(n + 1 - shorter) // 2])
            assert (cdf[start + shorter] - cdf[start]).max() < confidence


def test_bounds_are_the_values_at_the_ranks_in_every_sample_of_a_batch() -> None:
    values = np.sort(np.random.default_rng(0).normal(size=(7, 40)), axis=-1)
    for q, confidence in ((0.5, 0.95), (0.25, 0.9), (0.8, 0.99)):
        ranks = exact_ranks(40, q, Level(confidence))
        assert ranks is not None
        got = exact(values, q, Level(confidence))
        np.testing.assert_array_equal(got.low, values[:, ranks[0] - 1])
        np.testing.assert_array_equal(got.high, values[:, ranks[1] - 1])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("q", [0.05, 0.25, 0.5, 0.75, 0.9])
def test_scipys_quantile_test_gives_the_same_one_sided_bounds(q: float, confidence: float) -> None:
    for n in (2, 5, 10, 29, 60, 250):
        values = np.random.default_rng(n).normal(size=n)
        # Our "lower" is the interval of the test against "greater" (it ends at +∞).
        lower: Any = stats.quantile_test(values, p=q, alternative="greater")
        upper: Any = stats.quantile_test(values, p=q, alternative="less")
        statistic = f"quantile:{q}"
        got = hw.summary_ci(
            values,
            statistic=statistic,
            method="exact",
            confidence_level=confidence,
            alternative="lower",
        )
        assert got.low == pytest.approx(lower.confidence_interval(confidence).low, nan_ok=True)
        got = hw.summary_ci(
            values,
            statistic=statistic,
            method="exact",
            confidence_level=confidence,
            alternative="upper",
        )
        assert got.high == pytest.approx(upper.confidence_interval(confidence).high, nan_ok=True)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95, 0.99])
def test_scipys_quantile_test_gives_the_same_interval_for_the_median(confidence: float) -> None:
    # Off the centre SciPy's is the equal-tailed pair, ours the shortest.
    for n in range(2, 60):
        values = np.random.default_rng(n).normal(size=n)
        test: Any = stats.quantile_test(values, p=0.5)
        wanted = test.confidence_interval(confidence)
        got = hw.summary_ci(values, statistic="median", method="exact", confidence_level=confidence)
        assert (got.low, got.high) == pytest.approx((wanted.low, wanted.high), nan_ok=True)


# --------------------------------------------------------------------------- the level attained


@pytest.mark.sampled(5)
@pytest.mark.parametrize("q", QUANTILES, ids=str)
@pytest.mark.parametrize("alternative", ["two-sided", "lower", "upper"])
def test_the_level_attained_is_never_more_than_the_binomial_sum(
    q: Fraction, alternative: Any
) -> None:
    for n in range(2, 30):
        below = cumulated(n, q)
        ranks = np.arange(1.0, n + 1)
        for wanted in LEVELS if alternative == "two-sided" else ONE_SIDED_LEVELS:
            asked = Level(float(wanted), alternative)
            attained = level_within_reach(n, float(q), asked)
            made = exact_attained(ranks, float(q), asked)
            exists = exact_ranks(n, float(q), asked) is not None
            assert (attained == asked) or not exists
            if alternative != "two-sided":
                assert attained.alternative == alternative
            if np.isnan(made.low):
                # A bound that would hold less than half the time, or no probability at all.
                assert attainable_level(n, float(q), asked) < 0.5
                continue
            k = 0 if attained.alternative == "upper" else int(made.low)
            last = n + 1 if attained.alternative == "lower" else int(made.high)
            held = Fraction(below[last] - below[k], below[-1])
            assert held >= Fraction(repr(attained.confidence_level)) - Fraction(1, 10**12)
            assert attained.confidence_level <= asked.confidence_level


def test_below_the_minimum_n_one_side_is_left_open_where_two_miss_more_than_twice_as_often() -> (
    None
):
    reached = {
        (n, q): level_within_reach(n, q, Level(0.95))
        for n, q in [(5, 0.5), (2, 0.5), (10, 0.25), (8, 0.25), (5, 0.9), (2, 0.75)]
    }
    assert reached == {
        (5, 0.5): Level(0.9375),
        (2, 0.5): Level(0.5),
        (10, 0.25): Level(0.9436),
        # 0.75⁸ = 0.1001: the bound above holds at 95 %, the smallest value below at 90 %.
        (8, 0.25): Level(0.95, "upper"),
        (5, 0.9): Level(0.95, "lower"),
        # Of two values not even one side is bounded at 95 %.
        (2, 0.75): Level(0.9375, "lower"),
    }


# --------------------------------------------------------------------------- semiparametric


def extrapolating_quantile(ordered: Array, u: Array) -> Array:
    """Q̂_T of paper 003, eqn 11, written case by case, on top of NumPy's "weibull" for eqn 5."""
    n = len(ordered)
    middle = np.quantile(ordered, np.clip(u, 1 / (n + 1), n / (n + 1)), method="weibull")
    first_gap, last_gap = ordered[1] - ordered[0], ordered[-1] - ordered[-2]
    lower = ordered[0] + first_gap * np.log((n + 1) * u)
    upper = ordered[-1] - last_gap * np.log((n + 1) * (1 - u))
    return np.where(u <= 1 / (n + 1), lower, np.where(u >= n / (n + 1), upper, middle))


@pytest.mark.slow
@pytest.mark.parametrize("q", [0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("n", [2, 5, 10, 25])
def test_semiparametric_is_hutsons_bootstrap_simulated(n: int, q: float) -> None:
    # Paper 003, section 3.4: n uniform levels -> Q̂_T of each -> the sample quantile X₍⌈nq⌉₎ ->
    # percentiles. A bound is at its place if the share of simulated replicates below it is its
    # probability within 6 standard errors of a share: false alarm 2e-9 a bound, 3e-7 in all.
    resamples = 100_000
    generator = np.random.default_rng([n, int(100 * q)])
    ordered = np.sort(generator.gamma(2.0, size=n))
    levels = generator.uniform(size=(resamples, n))
    drawn = np.sort(extrapolating_quantile(ordered, levels), axis=-1)
    replicates = drawn[:, math.ceil(Fraction(str(q)) * n) - 1]
    for confidence in (0.8, 0.9, 0.95, 0.99):
        tail = (1 - confidence) / 2
        allowed = 6 * math.sqrt(tail * (1 - tail) / resamples)
        got = semiparametric(ordered, q, Level(confidence))
        assert np.mean(replicates < got.low) == pytest.approx(tail, rel=0, abs=allowed)
        assert np.mean(replicates < got.high) == pytest.approx(1 - tail, rel=0, abs=allowed)


# 20 · 0.55 and 100 · 0.07 exceed 11 and 7 by a rounding.
@pytest.mark.parametrize("q", [0.05, 0.07, 0.5, 0.55, 0.95])
def test_semiparametric_bounds_are_the_quantile_function_at_beta_quantiles(q: float) -> None:
    # X*₍r₎ of n uniform levels is Q̂_T of a Beta(r, n + 1 - r) variate.
    for n in (2, 3, 9, 20, 100):
        ordered = np.sort(np.random.default_rng(n).normal(size=n))
        rank = math.ceil(Fraction(str(q)) * n)
        for confidence in (0.5, 0.95, 0.999):
            for level in (Level(confidence), Level(confidence, "lower")):
                ends = np.asarray(stats.beta.ppf([level.tail, 1 - level.tail], rank, n + 1 - rank))
                wanted = extrapolating_quantile(ordered, ends)
                got = semiparametric(ordered, q, level)
                assert [float(got.low), float(got.high)] == pytest.approx(wanted, rel=1e-9)


# --------------------------------------------------------------------------- the estimate


@pytest.mark.parametrize("q", [0.01, 0.1, 0.25, 0.333, 0.5, 0.75, 0.9, 0.99])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 50, 101, 1000])
def test_quantile_is_numpys_type_7(n: int, q: float) -> None:
    values = np.random.default_rng(n).normal(size=(3, n))
    wanted = np.quantile(values, q, axis=-1, method="linear")
    np.testing.assert_allclose(quantile(values, q=q), wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [100_001, 1_000_001])
def test_quantile_is_numpys_type_7_in_large_samples(n: int) -> None:
    # A step between two neighbours shows where between them the quantile is placed.
    rank = 9 * (n - 1) // 10
    values = np.r_[np.zeros(rank), np.ones(n - rank)]
    for fraction in (1e-6, 5e-5, 5e-4, 0.5, 1 - 5e-5):
        q = (rank - 1 + fraction) / (n - 1)
        wanted = float(np.quantile(values, q))
        assert float(quantile(values, q=q)) == pytest.approx(wanted, rel=0, abs=1e-9)


@pytest.mark.parametrize("q", [0.002, 0.3, 0.999])
def test_ranks_of_many_values_are_looked_for_where_they_can_lie(
    q: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, counted, bdtr = 40_000, [0], special.bdtr

    def counting(s: Any, *rest: Any) -> Any:
        counted[0] += np.size(s)
        return bdtr(s, *rest)

    monkeypatch.setattr(special, "bdtr", counting)
    k, last = exact_ranks(n, q, Level(0.95)) or (0, 0)
    assert counted[0] < n / 2
    cdf = stats.binom(n, q).cdf
    assert cdf(last - 1) - cdf(k - 1) >= 0.95 - 1e-9
    # No shorter span holds the quantile as often.
    first = np.arange(1, n)
    assert (cdf(first + last - k - 2) - cdf(first - 1)).max() < 0.95
