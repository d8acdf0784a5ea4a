"""Intervals for a mean, against SciPy, hand formulas and 60-digit arithmetic."""

from __future__ import annotations

import csv
import math
import statistics
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import halfwidth as hw
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Alternative, Interval, Level
from halfwidth.intervals import empirical_bernstein, hall, hoeffding, trimmed_t
from halfwidth.intervals.compute import sample_ingredients
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan

Array = NDArray[np.float64]

MEAN = Statistic(hw.STATISTICS["mean"])
LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999]
# Our "lower" is a lower confidence bound: the interval of SciPy's one-sided test "greater".
SCIPY_ALTERNATIVE: dict[Alternative, Literal["two-sided", "greater", "less"]] = {
    "two-sided": "two-sided",
    "lower": "greater",
    "upper": "less",
}
ALTERNATIVES: list[Alternative] = ["two-sided", "lower", "upper"]


def interval_of(method: str, values: Array, level: Level) -> Interval:
    """A method that works on the mean and its SE, for ascending values of independent cases."""
    made = sample_ingredients(values, Design.iid(values.shape[-1]), MEAN, plan=Plan(0))
    spec = hw.METHODS[method]
    found: Interval = spec.function(*(made[need] for need in spec.needs), level)
    return found


def t(values: Array, level: Level) -> Interval:
    return interval_of("t", values, level)


def z(values: Array, level: Level) -> Interval:
    return interval_of("z", values, level)


def samples(n: int) -> dict[str, Array]:
    generator = np.random.default_rng(n)
    return {
        "normal": generator.normal(3.0, 2.0, n),
        "dice": generator.beta(8.0, 1.5, n),
        "long tail": generator.lognormal(0.0, 1.5, n),
        "far from zero": 1e6 + generator.normal(0.0, 1e-2, n),
    }


def critical_z(level: Level) -> float:
    return statistics.NormalDist().inv_cdf(1 - level.tail)


# --------------------------------------------------------------------------- t and z


@pytest.mark.sampled(6)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [2, 3, 10, 50, 400])
def test_t_is_the_interval_of_scipys_one_sample_test(n: int, alternative: Alternative) -> None:
    for values in samples(n).values():
        for confidence in LEVELS:
            wanted = stats.ttest_1samp(
                values, 0.0, alternative=SCIPY_ALTERNATIVE[alternative]
            ).confidence_interval(confidence)
            got = hw.summary_ci(
                values, method="t", confidence_level=confidence, alternative=alternative
            )
            # 1e-12 of the half-width, and the rounding of the values themselves.
            reach = max(abs(got.value - b) for b in (got.low, got.high) if math.isfinite(b))
            tolerance = 1e-12 * reach + 1e-15 * float(np.abs(values).max())
            assert (got.low, got.high) == pytest.approx(
                (wanted.low, wanted.high), rel=0, abs=tolerance
            )


@pytest.mark.parametrize("n", [2, 7, 120])
def test_z_is_mean_plus_minus_z_sem(n: int) -> None:
    for values in samples(n).values():
        for confidence in LEVELS:
            centre = math.fsum(values) / n
            sem = statistics.stdev([float(v) for v in values]) / math.sqrt(n)
            for alternative in ALTERNATIVES:
                level = Level(confidence, alternative)
                reach = critical_z(level) * sem
                got = z(np.sort(values), level)
                tolerance = 1e-11 * sem + 1e-15 * abs(centre)
                assert float(got.low) == pytest.approx(centre - reach, rel=0, abs=tolerance)
                assert float(got.high) == pytest.approx(centre + reach, rel=0, abs=tolerance)
                assert float(got.standard_error) == pytest.approx(sem, rel=1e-8)


@pytest.mark.parametrize("miss", [1e-6, 1e-9, 1e-12])
def test_t_and_z_keep_their_digits_at_levels_near_1(miss: float) -> None:
    # The critical value belongs to the tail; 1 - tail has lost its digits.
    values = np.array([1.0, 2.0, 3.0, 5.0, 9.0])
    sem = values.std(ddof=1) / math.sqrt(5)
    level = Level(1 - miss)
    for method, critical in (
        (z, float(stats.norm.isf(miss / 2))),
        (t, float(stats.t.isf(miss / 2, 4))),
    ):
        got = method(values, level)
        assert float(got.high) == pytest.approx(4.0 + critical * sem, rel=1e-9)
        assert float(got.low) == pytest.approx(4.0 - critical * sem, rel=1e-9)


def test_t_and_z_are_undefined_for_one_value() -> None:
    one = np.array([[0.4]])
    for method in (t, z):
        got = method(one, Level())
        assert np.isnan(got.low).all()
        assert np.isnan(got.high).all()


# --------------------------------------------------------------------------- trimmed t


@pytest.mark.sampled(4)
@pytest.mark.parametrize("share", [0.05, 0.1, 0.2, 0.25, 0.4])
@pytest.mark.parametrize("n", [4, 5, 10, 11, 40, 333])
def test_trimmed_t_is_scipys_trimmed_mean_interval(n: int, share: float) -> None:
    # (SciPy's function fails at a share of 0, which is tested against t below.)
    for values in samples(n).values():
        for confidence in LEVELS:
            if n - 2 * math.floor(share * n) < 2:
                continue
            wanted = stats.mstats.trimmed_mean_ci(
                values, limits=(share, share), inclusive=(True, True), alpha=1 - confidence
            )
            got = trimmed_t(np.sort(values), share, Level(confidence))
            low, high = (float(bound) for bound in wanted)
            tolerance = 1e-12 * (high - low) + 2e-15 * float(np.abs(values).max())
            assert float(got.low) == pytest.approx(low, rel=0, abs=tolerance)
            assert float(got.high) == pytest.approx(high, rel=0, abs=tolerance)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.3])
@pytest.mark.parametrize("n", [6, 21, 50])
def test_trimmed_t_is_its_hand_formula(n: int, share: float, alternative: Alternative) -> None:
    for values in samples(n).values():
        ordered = [float(v) for v in np.sort(values)]
        cut = math.floor(share * n)
        kept = ordered[cut : n - cut]
        winsorised = [kept[0]] * cut + kept + [kept[-1]] * cut
        error = statistics.stdev(winsorised) / ((1 - 2 * share) * math.sqrt(n))
        for confidence in LEVELS:
            level = Level(confidence, alternative)
            reach = float(stats.t.ppf(1 - level.tail, len(kept) - 1)) * error
            centre = statistics.fmean(kept)
            got = trimmed_t(np.array(ordered), share, level)
            tolerance = 1e-11 * error + 1e-15 * abs(centre)
            assert float(got.low) == pytest.approx(centre - reach, rel=0, abs=tolerance)
            assert float(got.high) == pytest.approx(centre + reach, rel=0, abs=tolerance)


def test_trimmed_t_without_trimming_is_t() -> None:
    for values in samples(30).values():
        ordered = np.sort(values)
        plain, trimmed = t(ordered, Level()), trimmed_t(ordered, 0.0, Level())
        assert trimmed.low == pytest.approx(plain.low, rel=1e-14)
        assert trimmed.high == pytest.approx(plain.high, rel=1e-14)


# --------------------------------------------------------------------------- concentration


@pytest.mark.parametrize("bounds", [hw.Bounds(0, 1), hw.Bounds(-1, 1), hw.Bounds(0, 100)])
@pytest.mark.parametrize("n", [1, 2, 10, 500])
def test_hoeffding_is_its_formula_with_the_width_outside_the_root(
    n: int, bounds: hw.Bounds
) -> None:
    values = bounds.low + bounds.width * np.random.default_rng(n).beta(6, 2, n)
    for confidence in LEVELS:
        alpha = 1 - confidence
        centre = math.fsum(values) / n
        two = bounds.width * math.sqrt(math.log(2 / alpha) / (2 * n))
        one = bounds.width * math.sqrt(math.log(1 / alpha) / (2 * n))
        got = hoeffding(values, bounds, Level(confidence))
        assert float(got.low) == pytest.approx(centre - two, rel=1e-12)
        assert float(got.high) == pytest.approx(centre + two, rel=1e-12)
        lower = hoeffding(values, bounds, Level(confidence, "lower"))
        upper = hoeffding(values, bounds, Level(confidence, "upper"))
        assert float(lower.low) == pytest.approx(centre - one, rel=1e-12)
        assert float(upper.high) == pytest.approx(centre + one, rel=1e-12)


@pytest.mark.parametrize("bounds", [hw.Bounds(0, 1), hw.Bounds(-1, 1), hw.Bounds(0, 100)])
@pytest.mark.parametrize("n", [2, 10, 500])
def test_empirical_bernstein_is_maurer_and_pontils_bound(n: int, bounds: hw.Bounds) -> None:
    # Theorem 4, for values in [0, 1], one side, error probability δ:
    # √(2 V ln(2/δ) / n) + 7 ln(2/δ) / (3(n - 1)).
    unit = np.random.default_rng(n).beta(6, 2, n)
    values = bounds.low + bounds.width * unit
    centre = math.fsum(values) / n

    def reach(delta: float) -> float:
        variance = statistics.variance([float(v) for v in unit])
        log_term = math.log(2 / delta)
        bound = math.sqrt(2 * variance * log_term / n) + 7 * log_term / (3 * (n - 1))
        return bounds.width * bound

    for confidence in LEVELS:
        alpha = 1 - confidence
        got = empirical_bernstein(values, bounds, Level(confidence))
        assert float(got.low) == pytest.approx(centre - reach(alpha / 2), rel=1e-11)
        assert float(got.high) == pytest.approx(centre + reach(alpha / 2), rel=1e-11)
        lower = empirical_bernstein(values, bounds, Level(confidence, "lower"))
        assert float(lower.low) == pytest.approx(centre - reach(alpha), rel=1e-11)


def table_s5(shared: Path) -> dict[str, dict[str, str]]:
    with (shared / "reference" / "andre_table_s5.csv").open(newline="") as file:
        return {row["quantity"]: row for row in csv.DictReader(file)}


def widths(n: int, sd: float) -> dict[str, float]:
    """Widths of the three 95 % intervals for n values in [0, 1] whose SD is ``sd``."""
    half = sd * math.sqrt((n - 1) / n)
    values = np.tile([0.5 - half, 0.5 + half], n // 2)
    unit = hw.Bounds(0, 1)
    made = {
        "hoeffding": hoeffding(values, unit, Level()),
        "empirical_bernstein": empirical_bernstein(values, unit, Level()),
        "t": t(values, Level()),
    }
    return {name: float(interval.high - interval.low) for name, interval in made.items()}


def test_leading_constants_of_the_widths_are_those_of_table_s5(shared: Path) -> None:
    printed = table_s5(shared)["width_95_leading_constant"]
    n, sd = 10**6, 0.2
    got = {name: width * math.sqrt(n) for name, width in widths(n, sd).items()}
    # Table S5 leaves out the 1/(n - 1) term of Bernstein, which it prints apart as 20.4495.
    bernstein = got["empirical_bernstein"] - 20.4495 * math.sqrt(n) / (n - 1)
    assert got["hoeffding"] == pytest.approx(float(printed["hoeffding"]), abs=5.1e-5)
    assert bernstein / sd == pytest.approx(
        float(printed["empirical_bernstein"].removesuffix("*sd")), abs=5.1e-5
    )
    # The printed constant is that of z; t at 10**6 cases exceeds it by 5e-6.
    assert got["t"] / sd == pytest.approx(float(printed["t"].removesuffix("*sd")), abs=6e-5)


def test_width_ratios_for_many_cases_are_those_of_table_s5(shared: Path) -> None:
    rows = table_s5(shared)
    at_typical = rows["width_over_t_large_n_at_sd_0.22"]
    n, sd = 10**6, 0.22
    got = widths(n, sd)
    hoeffding_ratio = got["hoeffding"] / got["t"]
    bernstein_ratio = (got["empirical_bernstein"] - 20.4495 / (n - 1)) / got["t"]
    assert hoeffding_ratio == pytest.approx(float(at_typical["hoeffding"]), abs=0.0051)
    assert bernstein_ratio == pytest.approx(float(at_typical["empirical_bernstein"]), abs=5.1e-5)
    constant = float(rows["width_over_t_large_n"]["hoeffding"].removesuffix("/sd"))
    assert hoeffding_ratio * sd == pytest.approx(constant, abs=5.1e-5)


def test_bernstein_second_term_is_that_of_table_s5() -> None:
    # Equal values: only the term 20.4495 / (n - 1) is left (000, Table S5, α = .05).
    for n in (2, 25, 1000):
        got = empirical_bernstein(np.full(n, 0.7), hw.Bounds(0, 1), Level())
        assert float(got.high - got.low) * (n - 1) == pytest.approx(20.4495, abs=5.1e-5)


# --------------------------------------------------------------------------- Hall


def cube_root(x: Decimal) -> Decimal:
    if x == 0:
        return x
    root = (abs(x).ln() / 3).exp()
    return root if x > 0 else -root


def hall_in_many_digits(values: Array, level: Level) -> tuple[float, float]:
    """STATISTICS §1 as it stands, in 60 digits but for scipy.stats' quantile of t."""
    with localcontext() as context:
        context.prec = 60
        numbers = [Decimal(float(v)) for v in values]
        n = Decimal(len(numbers))
        mean = sum(numbers) / n
        squares = sum((x - mean) ** 2 for x in numbers)
        s = (squares / (n - 1)).sqrt()
        second, third = squares / n, sum((x - mean) ** 3 for x in numbers) / n
        g = third / (second * second.sqrt())
        quantile = Decimal(float(stats.t.isf(level.tail, len(numbers) - 1)))

        def h(y: Decimal) -> Decimal:
            if g == 0:
                return y
            return 3 / g * (cube_root(1 + g * (y - g / (6 * n))) - 1)

        y = quantile / n.sqrt()
        return float(mean - s * h(y)), float(mean - s * h(-y))


def skewed_samples(n: int) -> list[Array]:
    generator = np.random.default_rng(1000 + n)
    made = [generator.normal(size=n), generator.beta(9, 1, n), -generator.beta(9, 1, n)]
    for shape in (0.01, 0.1, 0.3, 1.0, 10.0, 1e3, 1e6):
        made += [generator.gamma(shape, size=n), -generator.gamma(shape, size=n)]
    made += [generator.lognormal(0, sigma, n) for sigma in (0.5, 2.0, 4.0)]
    made.append(100 + generator.lognormal(0, 1, n))
    return made


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [3, 4, 5, 10, 25, 49, 200])
def test_hall_is_its_formula_in_60_digits_over_many_skews(n: int) -> None:
    for values in skewed_samples(n):
        scale = float(np.std(values)) + 1e-3 * float(np.abs(values).max())
        for level in (Level(0.8), Level(0.95), Level(0.999), Level(0.95, "lower")):
            low, high = hall_in_many_digits(values, level)
            got = hall(np.sort(values), level)
            assert float(got.low) == pytest.approx(low, rel=1e-11, abs=1e-12 * scale)
            assert float(got.high) == pytest.approx(high, rel=1e-11, abs=1e-12 * scale)


@pytest.mark.parametrize("n", [3, 10, 40])
def test_hall_bounds_solve_halls_transformation(n: int) -> None:
    # Hall (1992): T + g T²/3 + g² T³/27 + g/(6n) with T = (x̄ - μ)/s, equated to ±t/√n.
    for values in skewed_samples(n):
        mean, s = values.mean(), values.std(ddof=1)
        g = float(stats.skew(values))
        got = hall(np.sort(values), Level(0.9))
        quantile = float(stats.t.ppf(0.95, n - 1)) / math.sqrt(n)
        for bound, wanted in ((got.low, quantile), (got.high, -quantile)):
            big_t = float(mean - bound) / s
            transformed = big_t + g * big_t**2 / 3 + g**2 * big_t**3 / 27 + g / (6 * n)
            assert transformed == pytest.approx(wanted, rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("n", [3, 4, 10, 31, 100])
def test_hall_on_symmetric_samples_is_t(n: int) -> None:
    half = np.random.default_rng(n).integers(1, 1000, n // 2) / 1024
    values = np.sort(np.concatenate([-half, half, [0.0] * (n % 2)]))
    for confidence in LEVELS:
        got, wanted = hall(values, Level(confidence)), t(values, Level(confidence))
        width = float(wanted.high - wanted.low)
        assert float(got.low) == pytest.approx(float(wanted.low), rel=0, abs=1e-15 * width)
        assert float(got.high) == pytest.approx(float(wanted.high), rel=0, abs=1e-15 * width)


@pytest.mark.parametrize("skew", [1e-15, 1e-12, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("n", [5, 20])
def test_hall_keeps_its_digits_at_tiny_skewness(n: int, skew: float) -> None:
    # The plain form (∛(1 + w) - 1)/g has an error of 1e-16/g: 1e-4 of the width at g = 1e-12;
    # here 1e-12, which SciPy's quantile of t keeps too.
    half = np.arange(1, n // 2 + 1, dtype=float)
    base = np.sort(np.concatenate([-half, half, [0.0] * (n % 2)]))
    values = base + skew * base**2
    assert 0 < abs(float(stats.skew(values))) < 20 * skew
    for confidence in LEVELS:
        low, high = hall_in_many_digits(values, Level(confidence))
        got = hall(values, Level(confidence))
        assert float(got.low) == pytest.approx(low, rel=0, abs=1e-12 * (high - low))
        assert float(got.high) == pytest.approx(high, rel=0, abs=1e-12 * (high - low))


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.999])
def test_hall_at_the_most_extreme_skewness_is_ordered_finite_and_mirrors(
    confidence: float,
) -> None:
    level = Level(confidence)
    for n in range(3, 1001):
        one_success = np.r_[np.zeros(n - 1), 1.0]
        right, left = hall(one_success, level), hall(np.sort(-one_success), level)
        assert np.isfinite([right.low, right.high]).all()
        assert right.low < 1 / n < right.high
        assert float(left.low) == pytest.approx(-float(right.high), rel=1e-11)
        assert float(left.high) == pytest.approx(-float(right.low), rel=1e-11)


@pytest.mark.parametrize("n", [3, 4, 10, 100, 1000])
def test_hall_at_the_most_extreme_skewness_is_its_formula(n: int) -> None:
    values = np.r_[np.zeros(n - 1), 1.0]
    for confidence in LEVELS:
        low, high = hall_in_many_digits(values, Level(confidence))
        got = hall(values, Level(confidence))
        assert float(got.low) == pytest.approx(low, rel=1e-11)
        assert float(got.high) == pytest.approx(high, rel=1e-11)


def test_front_door_gives_the_same_bounds_as_the_formulas() -> None:
    values = samples(30)["dice"]
    unit = hw.Bounds(0, 1)
    ordered = np.sort(values)
    wanted = {
        "t": t(ordered, Level()),
        "z": z(ordered, Level()),
        "hall": hall(ordered, Level()),
        "hoeffding": hoeffding(ordered, unit, Level()),
        "empirical_bernstein": empirical_bernstein(ordered, unit, Level()),
    }
    for name, interval in wanted.items():
        got = hw.summary_ci(values, metric="dsc", method=name)
        assert (got.low, got.high) == (float(interval.low), float(interval.high))
