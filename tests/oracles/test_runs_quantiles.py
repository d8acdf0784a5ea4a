"""Quantiles of a few runs: randomized and asymptotic intervals, and three point estimators."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

from halfwidth.core.types import Alternative, Array, Level
from halfwidth.intervals import asymptotic, exact_randomized, semiparametric
from halfwidth.intervals.ranks import (
    asymptotic_positions,
    exact_ranks,
    minimum_n_asymptotic,
    randomized_ranks,
)
from halfwidth.summaries import bootstrap_median, interpolated_quantile, sample_quantile

QUANTILES = (0.05, 0.1, 0.25, 0.3, 0.5, 0.6, 0.75, 0.9, 0.95)
LEVELS = (0.1, 0.5, 0.8, 0.9, 0.95, 0.99)


def coverage(n: int, q: float, k: int, last: int) -> float:
    """P(X_(k) ≤ Q ≤ X_(l)) by the binomial sum of equation 7."""
    return math.fsum(math.comb(n, s) * q**s * (1 - q) ** (n - s) for s in range(k, last))


# --------------------------------------------------------------------------- exact, randomized


@pytest.mark.sampled(3)
@pytest.mark.parametrize("q", QUANTILES)
@pytest.mark.parametrize("confidence", LEVELS)
def test_the_level_is_met_in_expectation(q: float, confidence: float) -> None:
    level, met = Level(confidence), 0
    for n in range(2, 61):
        pairs = randomized_ranks(n, q, level)
        if pairs is None:
            assert exact_ranks(n, q, level) is None
            continue
        assert math.fsum(pair.chance for pair in pairs) == pytest.approx(1, abs=1e-12)
        expected = math.fsum(p.chance * coverage(n, q, p.k, p.l) for p in pairs)
        for pair in pairs:
            assert pair.coverage == pytest.approx(coverage(n, q, pair.k, pair.l), abs=1e-12)
        # Where every two neighbours hold the quantile more often than asked, nothing less can.
        least = min(coverage(n, q, k, k + 1) for k in range(1, n))
        if least <= confidence:
            assert expected == pytest.approx(confidence, abs=1e-9)
            met += 1
        else:
            assert expected > confidence
    assert met > 0 or (confidence == 0.99 and q in (0.05, 0.95))


@pytest.mark.parametrize("n", [5, 8, 10, 13, 25])
@pytest.mark.parametrize("q", [0.1, 0.3, 0.5, 0.75])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.9, 0.95])
def test_no_mixture_is_shorter(n: int, q: float, confidence: float) -> None:
    """The linear programme of Zieliński & Zieliński, solved by SciPy."""
    pairs = randomized_ranks(n, q, Level(confidence))
    if pairs is None:
        return
    every = [(k, last) for k in range(1, n) for last in range(k + 1, n + 1)]
    spans = np.array([last - k for k, last in every], dtype=float)
    held = np.array([coverage(n, q, k, last) for k, last in every])
    solved = optimize.linprog(
        spans, A_eq=np.vstack([np.ones(len(every)), held]), b_eq=[1.0, confidence]
    )
    assert solved.success
    assert math.fsum(p.chance * (p.l - p.k) for p in pairs) == pytest.approx(solved.fun, abs=1e-7)


def test_the_example_of_the_statistics() -> None:
    wide, narrow = randomized_ranks(10, 0.5, Level(0.95)) or ()
    assert (wide.k, wide.l, round(wide.chance, 4)) == (2, 9, 0.3511)
    assert (narrow.k, narrow.l, round(narrow.chance, 4)) == (2, 8, 0.6489)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("alternative", ["lower", "upper"])
@pytest.mark.parametrize("q", [0.1, 0.5, 0.8])
def test_one_sided_bounds_meet_the_level_too(alternative: Alternative, q: float) -> None:
    level, seen = Level(0.9, alternative), 0
    for n in range(2, 61):
        pairs = randomized_ranks(n, q, level)
        if pairs is None:
            continue
        below = [stats.binom.cdf(r - 1, n, q) for r in range(n + 1)]
        held = [1 - below[p.k] if alternative == "lower" else below[p.l] for p in pairs]
        expected = math.fsum(p.chance * one for p, one in zip(pairs, held, strict=True))
        if len(pairs) == 2:
            assert expected == pytest.approx(0.9, abs=1e-9)
            seen += 1
        else:
            assert expected >= 0.9 - 1e-9
    assert seen > 30


def test_the_number_chooses_between_the_two() -> None:
    values = np.sort(np.random.default_rng(0).normal(size=(4, 10)), axis=-1)
    found = exact_randomized(values, 0.5, np.array([0.0, 0.351, 0.3512, 0.999]), Level(0.95))
    rows = np.arange(4)
    np.testing.assert_array_equal(found.low, values[rows, 1])
    np.testing.assert_array_equal(found.high, values[rows, [8, 8, 7, 7]])
    nothing = exact_randomized(values[:, :5], 0.5, np.zeros(4), Level(0.95))
    assert np.isnan(nothing.low).all()


# --------------------------------------------------------------------------- asymptotic


def test_minimum_n_is_table_2_of_paper_003(shared: Path) -> None:
    with (shared / "reference" / "lehmann_table2.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    cells = [
        (float(row["confidence_level"]), float(q), int(n))
        for row in rows
        for q, n in row.items()
        if q != "confidence_level"
    ]
    assert len(cells) == 27
    for confidence, q, n in cells:
        assert minimum_n_asymptotic(q, Level(confidence)) == n
        assert asymptotic_positions(n - 1, q, Level(confidence)) is None


@pytest.mark.parametrize("q", QUANTILES)
@pytest.mark.parametrize("n", [12, 25, 60, 400])
def test_asymptotic_bounds_are_interpolated_quantiles(q: float, n: int) -> None:
    """Equation 10, with NumPy's ``weibull`` quantile for equation 5."""
    values = np.sort(np.random.default_rng(n).exponential(size=(3, n)), axis=-1)
    found = asymptotic(values, q, Level(0.9))
    reach = stats.norm.ppf(0.95) * math.sqrt(n * q * (1 - q))
    k, last = n * q - reach, n * q + reach
    if not 1 <= k < last <= n:
        assert np.isnan(found.low).all()
        assert np.isnan(found.high).all()
        return
    low = np.quantile(values, k / n, axis=-1, method="weibull")
    high = np.quantile(values, last / n, axis=-1, method="weibull")
    np.testing.assert_allclose(found.low, low, rtol=1e-12)
    np.testing.assert_allclose(found.high, high, rtol=1e-12)


def test_beyond_the_last_level_the_bound_is_the_largest_value() -> None:
    """Table 2's own minimum: n = 35, q = 0.9 at 95 %, where equation 5 is undefined."""
    values = np.sort(np.random.default_rng(1).normal(size=35))
    k, last = asymptotic_positions(35, 0.9, Level(0.95)) or (0, 0)
    assert k >= 1
    assert last / 35 > 35 / 36
    assert asymptotic(values, 0.9, Level(0.95)).high == values[-1]


# --------------------------------------------------------------------------- point estimators


@pytest.mark.parametrize("q", [*QUANTILES, 0.01, 0.99, 1 / 3])
@pytest.mark.parametrize("n", [1, 2, 3, 9, 10, 50])
def test_sample_and_interpolated_quantiles_are_numpys(q: float, n: int) -> None:
    values = np.random.default_rng(n).normal(size=(5, n))
    sample = np.quantile(values, q, axis=-1, method="inverted_cdf")
    np.testing.assert_array_equal(sample_quantile(values, q=q), sample)
    between = np.quantile(values, q, axis=-1, method="weibull")
    np.testing.assert_allclose(interpolated_quantile(values, q=q), between, rtol=1e-12, atol=1e-15)


def hutson(values: Array, levels: Array) -> Array:
    """Equation 11 of 003, level by level."""
    n = len(values)
    made = []
    for u in levels:
        position = (n + 1) * u
        if u <= 1 / (n + 1):
            made.append(values[0] + (values[1] - values[0]) * math.log(position))
        elif u < n / (n + 1):
            below = math.floor(position)
            share = position - below
            made.append((1 - share) * values[below - 1] + share * values[below])
        else:
            made.append(values[-1] - (values[-1] - values[-2]) * math.log((n + 1) * (1 - u)))
    return np.array(made)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [2, 5, 10, 25])
@pytest.mark.parametrize("q", [0.05, 0.25, 0.5, 0.9, 0.95])
def test_bootstrap_median_is_that_of_hutsons_bootstrap(n: int, q: float) -> None:
    generator = np.random.default_rng(17)
    values = np.sort(generator.gamma(2.0, size=n))
    # Order statistics of uniforms go through an increasing function: rank first, then Q_T.
    rank = math.ceil(n * q - 1e-9) - 1
    levels = np.sort(generator.random((40_000, n)), axis=-1)[:, rank]
    drawn = hutson(values, levels)
    found = float(bootstrap_median(values, q=q))
    below = float((drawn < found).mean())
    # 6 SE of a share of one half: a false alarm of 2e-9.
    assert abs(below - 0.5) < 6 * 0.5 / math.sqrt(40_000)


@pytest.mark.parametrize("q", [0.02, 0.1, 0.5, 0.9, 0.98])
def test_point_estimates_lie_in_the_intervals_that_go_with_them(q: float) -> None:
    values = np.sort(np.random.default_rng(3).beta(5, 2, size=(50, 40)), axis=-1)
    for level in (Level(0.5), Level(0.9), Level(0.99)):
        for interval, point in (
            (semiparametric(values, q, level), bootstrap_median(values, q=q)),
            (asymptotic(values, q, level), interpolated_quantile(values, q=q)),
        ):
            inside = (interval.low <= point) & (point <= interval.high)
            assert (inside | np.isnan(interval.low)).all()


def test_bootstrap_median_of_one_value_is_that_value() -> None:
    assert float(bootstrap_median(np.array([3.0]), q=0.9)) == 3.0
    assert np.isnan(bootstrap_median(np.empty((2, 0)), q=0.9)).all()
