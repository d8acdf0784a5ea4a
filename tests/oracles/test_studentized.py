"""The studentized bootstrap, against loops over the draws, enumeration and formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.stats import mstats
from support import codes, message

import halfwidth as hw
from halfwidth.core.types import Alternative, Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.designs import Codes, Design, arrange
from halfwidth.resampling.distribution import ExactDistribution, Replicates
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import standard_error, studentized_distribution
from halfwidth.resampling.forms.generic import studentized as studentized_plain

Array = NDArray[np.float64]
# The cases of each unit drawn, and how many of the units are of each stratum.
Units = list[Array]

FALSE_ALARM = 1e-6
SEED = 9

# --------------------------------------------------------------------------- textbook formulas


def trimmed(share: float) -> Callable[[Array], Any]:
    return lambda cases: stats.trim_mean(cases, share)


def deviation(ddof: int) -> Callable[[Array], Any]:
    return lambda cases: np.std(cases, ddof=ddof)


STATISTICS: dict[str, Callable[[Array], Any]] = {
    "mean": np.mean,
    "trimmed_mean:0.2": trimmed(0.2),
    "trimmed_mean:0.1": trimmed(0.1),
    "sd": deviation(1),
    "sd:ddof=0": deviation(0),
}


def textbook_error(name: str, cases: Array) -> float:
    """SE of a statistic of independent cases."""
    n = len(cases)
    if name == "mean":
        return float(np.std(cases, ddof=1) / np.sqrt(n))
    kind, _, option = name.partition(":")
    if kind == "trimmed_mean":
        # Tukey and McLaughlin (1963).
        share = float(option)
        winsorised = np.asarray(mstats.winsorize(cases, (share, share)))
        return float(np.std(winsorised, ddof=1) / ((1 - 2 * share) * np.sqrt(n)))
    # Delta method: Var(m₂) is about (m₄ - m₂²)/n, here with n - 1, and s = c√m₂.
    second, fourth = stats.moment(cases, 2), stats.moment(cases, 4)
    spread = np.std(cases, ddof=0 if option else 1)
    return float(spread / (2 * second) * np.sqrt((fourth - second**2) / (n - 1)))


def influence(name: str, cases: Array) -> Array:
    """N times what a statistic changes when the weight of a case does."""
    kind, _, option = name.partition(":")
    centred: Array = cases - cases.mean()
    if kind == "sd":
        second = np.mean(centred**2)
        made = (centred**2 - second) / (2 * second) * np.std(cases, ddof=0 if option else 1)
        return np.asarray(made)
    if kind == "trimmed_mean":
        share = float(option)
        winsorised = np.asarray(mstats.winsorize(cases, (share, share)))
        return np.asarray((winsorised - winsorised.mean()) / (1 - 2 * share))
    return centred


def error_of_units(name: str, units: Units, strata: tuple[int, ...]) -> float:
    """√(Σₕ Gₕ/(Gₕ - 1) Σ_g (z_g - z̄ₕ)²), z_g the sum of a cluster's influences over n."""
    cases = np.concatenate(units)
    ends = np.cumsum([len(unit) for unit in units])[:-1].tolist()
    z = [part.sum() / len(cases) for part in np.split(influence(name, cases), ends)]
    variance, first = 0.0, 0
    for count in strata:
        own = np.array(z[first : first + count])
        variance += count * np.var(own, ddof=1) if count > 1 else 0.0
        first += count
    return float(np.sqrt(variance))


def units_of(sample: Array, design: Design) -> Units:
    sizes = [1] * sum(design.strata) if design.sizes is None else list(design.sizes)
    return np.split(sample, np.cumsum(sizes)[:-1].tolist())


def ratios(name: str, sample: Array, design: Design, plan: Plan) -> Array:
    """t* of every resample: put its units together, and take its statistic and its own SE."""
    units, reduce = units_of(sample, design), STATISTICS[name]
    estimate, scale = reduce(sample), np.abs(sample).max()
    made = []
    for drawn in plan.indices(design, 0, plan.n_resamples):
        own = [units[unit] for unit in drawn]
        cases = np.concatenate(own)
        if design.simple and np.ptp(cases) > 0:
            error = textbook_error(name, cases)
        else:
            error = error_of_units(name, own, design.strata) if np.ptp(cases) > 0 else 0.0
        moved = reduce(cases) - estimate
        if error > 1e-9 * scale:
            made.append(moved / error)
        else:
            made.append(np.sign(moved) * np.inf if abs(moved) > 1e-9 * scale else np.nan)
    return np.array(made)


# --------------------------------------------------------------------------- same draws


def labels(*sizes: int) -> Codes:
    return np.repeat(np.arange(len(sizes)), sizes)


# Cluster and stratum of each case.
DESIGNS: dict[str, tuple[Codes | None, Codes | None]] = {
    "independent": (None, None),
    "clusters of equal size": (labels(*[3] * 8), None),
    "clusters of unequal size": (labels(1, 2, 2, 3, 5, 1, 6, 4), None),
    "strata": (None, labels(5, 8, 11)),
    "strata, one of a single case": (None, labels(1, 8, 15)),
    "clusters within strata": (labels(1, 2, 2, 3, 5, 1, 6, 4), labels(8, 16)),
    "equal clusters within strata": (labels(*[2] * 12), labels(8, 16)),
}


def batch_of(name: str, samples: int = 4) -> tuple[Array, Design]:
    groups, strata = DESIGNS[name]
    generator = np.random.default_rng(len(name))
    rows = [
        generator.beta(8, 1.5, 24),
        1000 + generator.normal(size=24),
        generator.lognormal(0, 1, 24),
        -1e-6 * generator.gamma(2, size=24),
    ][:samples]
    made = [arrange(row, groups, strata) for row in rows]
    (design,) = {design for _, design in made}
    return np.stack([values for values, _ in made]), design


def assert_same_ratios(got: Array, wanted: Array) -> None:
    np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(wanted))
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("design_name", DESIGNS)
@pytest.mark.parametrize("name", STATISTICS)
def test_standard_error_is_that_of_the_textbook(name: str, design_name: str) -> None:
    values, design = batch_of(design_name)
    got = standard_error(values, design, resolve_statistic(name))
    for error, sample in zip(got, values, strict=True):
        wanted = error_of_units(name, units_of(sample, design), design.strata)
        assert error == pytest.approx(wanted, rel=1e-9)
        if design.simple:
            assert error == pytest.approx(textbook_error(name, sample), rel=1e-9)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("design_name", DESIGNS)
@pytest.mark.parametrize("name", STATISTICS)
def test_replicates_are_deviations_over_the_error_of_each_resample(
    name: str, design_name: str
) -> None:
    (values, design), plan = batch_of(design_name), Plan(SEED, 12)
    statistic = resolve_statistic(name)
    got = studentized_distribution(values, design, statistic, plan)
    plain = studentized_plain(values, design, statistic, plan)
    small = Plan(SEED, 12, block_elements=100)
    blocks = studentized_distribution(values, design, statistic, small)
    assert isinstance(got, Replicates)
    assert isinstance(blocks, Replicates)
    for row, sample in enumerate(values):
        wanted = ratios(name, sample, design, plan)
        assert_same_ratios(plain[row], wanted)
        assert_same_ratios(got.ordered[row], np.sort(wanted))
        assert_same_ratios(blocks.ordered[row], got.ordered[row])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("design_name", DESIGNS)
def test_fast_replicates_of_a_mean_are_the_plain_ones(design_name: str) -> None:
    # One sample, and enough of them that sums are taken as products with counts.
    (values, design), plan = batch_of(design_name), Plan(SEED, 300)
    statistic = resolve_statistic("mean")
    many = np.concatenate([values, values * 2, values + 1])
    for batch in (values[:1], values, many):
        got = studentized_distribution(batch, design, statistic, plan)
        assert isinstance(got, Replicates)
        wanted = np.sort(studentized_plain(batch, design, statistic, plan), axis=-1)
        np.testing.assert_allclose(got.ordered, wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("design_name", ["independent", "clusters of unequal size", "strata"])
@pytest.mark.parametrize("name", ["mean", "trimmed_mean:0.2", "sd"])
def test_bounds_are_the_estimate_less_type_7_quantiles_of_the_ratios(
    name: str, design_name: str
) -> None:
    groups, strata = DESIGNS[design_name]
    given = np.random.default_rng(2).beta(8, 1.5, 24)
    values, design = arrange(given, groups, strata)
    wanted = ratios(name, values, design, Plan(SEED, 120))
    assert np.isfinite(wanted).all()
    estimate, error = (
        STATISTICS[name](values),
        error_of_units(name, units_of(values, design), design.strata),
    )
    options: dict[str, Any] = {
        "groups": groups,
        "strata": strata,
        "statistic": name,
        "method": "studentized",
        "n_resamples": 120,
        "rng": SEED,
    }
    for level in (0.5, 0.9, 0.95):
        made = [
            hw.summary_ci(given, confidence_level=level, alternative=side, **options)
            for side in ("two-sided", "lower", "upper")
        ]
        tails = np.array([(1 - level) / 2, 1 - level])
        low, low_alone = estimate - np.quantile(wanted, 1 - tails) * error
        high, high_alone = estimate - np.quantile(wanted, tails) * error
        ends = (0.0 if name == "sd" else -np.inf, np.inf)
        bounds = [(low, high), (low_alone, ends[1]), (ends[0], high_alone)]
        for e, wanted_bounds in zip(made, bounds, strict=True):
            assert (e.low, e.high) == pytest.approx(wanted_bounds, rel=1e-8)
            assert e.standard_error == pytest.approx(error, rel=1e-9)
            assert (e.n_resamples, e.n_undefined, e.seed) == (120, 0, SEED)


# --------------------------------------------------------------------------- without a spread


@pytest.mark.parametrize("design_name", ["cases", "clusters", "unequal clusters"])
def test_resample_without_a_spread_is_infinite_or_undefined_and_counted(design_name: str) -> None:
    # Three units: one resample in 9 draws one of them thrice. The middle one has the mean of all.
    units = {
        "cases": [[0.0], [1.0], [2.0]],
        "clusters": [[0.0, 0.5], [0.75, 1.25], [1.5, 2.0]],
        "unequal clusters": [[0.0, 0.5], [1.0], [1.5, 2.0]],
    }[design_name]
    given = np.concatenate(units)
    groups = labels(*[len(unit) for unit in units])
    values, design = arrange(given, groups)
    wanted = ratios("mean", values, design, Plan(SEED, 5000))
    got = studentized_distribution(
        values[None], design, resolve_statistic("mean"), Plan(SEED, 5000)
    )
    assert isinstance(got, Replicates)
    assert_same_ratios(got.ordered[0], np.sort(wanted))
    # As often as they should be: binomial, false alarm 1e-6 each, 3e-6 a case.
    for found in (np.isnan(wanted), wanted == np.inf, wanted == -np.inf):
        assert stats.binomtest(int(found.sum()), 5000, 1 / 27).pvalue > FALSE_ALARM
    if design.sizes is not None:  # draws of three clusters make no interval
        return
    e = hw.summary_ci(given, groups=groups, method="studentized", rng=SEED, n_resamples=5000)
    assert e.n_undefined == np.isnan(wanted).sum()
    assert f"{e.n_undefined} of 5000" in message(e, "HW310")
    # 1 of 26 defined ratios is infinite on either side, more than the 2.5 % beyond a bound.
    assert (e.low, e.high) == (-np.inf, np.inf)
    inner = hw.summary_ci(
        given, groups=groups, method="studentized", rng=SEED, confidence_level=0.5
    )
    assert np.isfinite([inner.low, inner.high]).all()
    assert "HW312" not in codes(inner)


# Of 256 resamples 81 are all of the value that comes thrice, on one side of the mean, and 1 is all
# of the other: one bound of a 95 % interval is infinite.
LOPSIDED = {"high": [1.0, 1.0, 1.0, 2.0], "low": [1.0, 2.0, 2.0, 2.0]}
SIDES: list[Alternative] = ["two-sided", "lower", "upper"]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("end", LOPSIDED)
def test_infinite_bound_of_an_unbounded_metric_is_reported_with_its_caution(
    end: str, side: Alternative
) -> None:
    e = hw.summary_ci(LOPSIDED[end], method="studentized", alternative=side, rng=1)
    assert (e.low == -np.inf) == (end == "low" or side == "upper")
    assert (e.high == np.inf) == (end == "high" or side == "lower")
    asked_for = side in ("two-sided", {"low": "lower", "high": "upper"}[end])
    assert ("HW312" in codes(e)) == asked_for
    assert "HW309" not in codes(e)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("end", LOPSIDED)
def test_infinite_bound_of_a_bounded_metric_is_cut_to_its_range_with_two_cautions(
    end: str, side: Alternative
) -> None:
    options: dict[str, Any] = {"method": "studentized", "alternative": side, "rng": 1}
    e = hw.summary_ci(LOPSIDED[end], bounds=(0.5, 7), **options)
    free = hw.summary_ci(LOPSIDED[end], **options)
    assert (e.low, e.high) == (max(free.low, 0.5), min(free.high, 7.0))
    asked_for = side in ("two-sided", {"low": "lower", "high": "upper"}[end])
    assert ("HW312" in codes(e)) == asked_for
    assert ("HW309" in codes(e)) == (asked_for or 0.5 > free.low > -np.inf)


def test_finite_bound_beyond_the_range_is_cut_with_one_caution() -> None:
    values = np.r_[np.linspace(0.97, 0.99, 14), 0.2]
    free = hw.summary_ci(values, method="studentized", rng=2)
    e = hw.summary_ci(values, metric="dsc", method="studentized", rng=2)
    assert free.low < 0
    assert np.isfinite(free.low)
    assert (e.low, e.high) == (0.0, free.high)
    assert "HW309" in codes(e)
    assert "HW312" not in codes(e)


@pytest.mark.parametrize("n", [4, 6])
def test_sd_of_two_values_drawn_equally_often_has_no_standard_error(n: int) -> None:
    # Their squared deviations are equal, so that SE* = 0 and t* is infinite: all of one value, or
    # two values n/2 times each. Binomial, false alarm 1e-6.
    values = np.array([0.1, 0.23, 0.41, 0.83, 0.91, 0.92])[:n]
    everything = np.sort(np.array(list(product(range(n), repeat=n))), axis=-1)
    alike = everything[:, 0] == everything[:, -1]
    halves = (everything[:, 0] == everything[:, n // 2 - 1]) & (
        everything[:, n // 2] == everything[:, -1]
    )
    chance = float((alike | halves).mean())
    got = studentized_distribution(
        values[None], Design.iid(n), resolve_statistic("sd"), Plan(SEED, 20_000)
    )
    assert isinstance(got, Replicates)
    infinite = int(np.isinf(got.ordered[0]).sum())
    assert np.abs(got.ordered[0][np.isfinite(got.ordered[0])]).max() < 1e6
    assert stats.binomtest(infinite, 20_000, chance).pvalue > FALSE_ALARM


@pytest.mark.parametrize("name", ["mean", "trimmed_mean", "sd"])
@pytest.mark.parametrize("clustered", [False, True])
def test_equal_values_have_no_studentized_interval(name: str, clustered: bool) -> None:
    groups = labels(2, 3, 1) if clustered else None
    e = hw.summary_ci(
        [0.3] * 6, groups=groups, statistic=name, method="studentized", rng=1, n_resamples=500
    )
    assert np.isnan([e.low, e.high]).all()
    assert "HW306" in codes(e)


def test_sd_of_a_sample_of_two_values_equally_often_has_no_studentized_interval() -> None:
    # Its own SE is 0, as above.
    e = hw.summary_ci([0.1, 0.3] * 4, statistic="sd", method="studentized", rng=1)
    assert np.isnan([e.low, e.high]).all()
    assert "HW306" in codes(e)


@pytest.mark.parametrize("name", ["median", "iqr", "quantile:0.9"])
def test_statistic_without_a_standard_error_is_refused(name: str) -> None:
    with pytest.raises(hw.OptionError, match="standard error"):
        hw.summary_ci(np.arange(30.0), statistic=name, method="studentized")


# --------------------------------------------------------------------------- proportions


def proportion_ratios(resamples: Array, share: float) -> Array:
    """(p* - p̂) / √(p*(1 - p*)/(n - 1)) of each resample of 0 and 1."""
    drawn = resamples.mean(axis=-1)
    error = np.sqrt(drawn * (1 - drawn) / (resamples.shape[-1] - 1))
    infinite = np.where(drawn > share, np.inf, -np.inf)
    return np.where(error > 0, (drawn - share) / np.where(error > 0, error, 1), infinite)


def exact(values: Array) -> ExactDistribution:
    got = studentized_distribution(
        values[None], Design.iid(len(values)), resolve_statistic("mean"), Plan(0), binary=True
    )
    assert isinstance(got, ExactDistribution)
    return got


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_distribution_of_a_proportion_is_that_of_all_resamples(n: int) -> None:
    positions = np.array(list(product(range(n), repeat=n)))
    for x in range(1, n):
        values = np.repeat([0.0, 1.0], [n - x, x])
        wanted = np.sort(proportion_ratios(values[positions], x / n))
        got = exact(values)
        made = dict(
            zip(np.round(got.support[0], 9).tolist(), got.probability[0].tolist(), strict=True)
        )
        kinds, counts = np.unique(np.round(wanted, 9), return_counts=True)
        assert sorted(made) == kinds.tolist()
        assert [made[kind] for kind in kinds.tolist()] == pytest.approx(
            (counts / n**n).tolist(), rel=1e-9
        )
        # inf{t : F(t) ≥ p}.
        error = np.sqrt(x / n * (1 - x / n) / (n - 1))
        for level in (0.5, 0.8, 0.95):
            tail = (1 - level) / 2
            low, high = (
                x / n - wanted[int(np.ceil(p * len(wanted) - 1e-9)) - 1] * error
                for p in (1 - tail, tail)
            )
            e = hw.proportion_ci(x, n, method="studentized", confidence_level=level)
            assert (e.low, e.high) == pytest.approx((max(low, 0.0), min(high, 1.0)), abs=1e-12)
            assert ("HW312" in codes(e)) == bool(np.isinf([low, high]).any())
            assert ("HW309" in codes(e)) == (low < 0 or high > 1)


@pytest.mark.parametrize(("x", "n"), [(27, 30), (20, 41)])
def test_distribution_of_a_proportion_is_that_of_a_million_resamples(x: int, n: int) -> None:
    # Total variation: its expectation is at most ½ Σ√(p/N), and by McDiarmid's inequality it
    # exceeds that by √(ln(10⁶)/(2N)) with probability 1e-6.
    resamples, chunk = 1_000_000, 100_000
    generator, values = np.random.default_rng(n), np.repeat([0.0, 1.0], [n - x, x])
    got = exact(values)
    made = dict(zip(np.round(got.support[0], 9).tolist(), got.probability[0].tolist(), strict=True))
    seen: Counter[float] = Counter()
    for _ in range(resamples // chunk):
        drawn = values[generator.integers(0, n, (chunk, n), dtype=np.uint8)]
        kinds, counts = np.unique(np.round(proportion_ratios(drawn, x / n), 9), return_counts=True)
        seen.update(dict(zip(kinds.tolist(), counts.tolist(), strict=True)))
    assert seen.keys() <= made.keys()
    apart = sum(abs(chance - seen[value] / resamples) for value, chance in made.items()) / 2
    expected = sum(np.sqrt(chance / resamples) for chance in made.values()) / 2
    assert apart < expected + np.sqrt(np.log(1 / FALSE_ALARM) / (2 * resamples))


def test_proportion_of_cases_is_that_of_their_counts() -> None:
    for x, n in ((1, 12), (6, 12), (27, 30)):
        counted = hw.proportion_ci(x, n, method="studentized")
        e = hw.summary_ci(np.repeat([0, 1], [n - x, x]), method="studentized")
        assert (e.low, e.high, e.standard_error) == pytest.approx(
            (counted.low, counted.high, counted.standard_error), rel=1e-12
        )
        assert (e.n_resamples, e.seed) == (None, None)


def test_proportion_of_clusters_is_drawn() -> None:
    groups = labels(*[3] * 8)
    values = np.array([1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1] * 2, dtype=float)
    e = hw.summary_ci(
        values, groups=groups, metric="correct", method="studentized", rng=SEED, n_resamples=400
    )
    in_order, design = arrange(values, groups)
    wanted = ratios("mean", in_order, design, Plan(SEED, 400))
    error = error_of_units("mean", units_of(in_order, design), design.strata)
    low, high = values.mean() - np.quantile(wanted, [0.975, 0.025]) * error
    assert (e.low, e.high) == pytest.approx((max(low, 0.0), min(high, 1.0)), rel=1e-8)
    assert e.n_resamples == 400


# --------------------------------------------------------------------------- promises


@pytest.mark.sampled(8)
@pytest.mark.parametrize("design_name", DESIGNS)
@pytest.mark.parametrize("name", ["mean", "trimmed_mean:0.2", "sd"])
def test_bounds_widen_with_the_level_and_move_with_shift_and_scale(
    name: str, design_name: str
) -> None:
    values, design = batch_of(design_name, samples=3)
    statistic, before = resolve_statistic(name), None
    for level in (0.5, 0.8, 0.99):
        made = [
            intervals(
                batch,
                statistic,
                [hw.METHODS["studentized"]],
                Level(level),
                plan=Plan(SEED, 99),
                design=design,
            )[0].interval
            for batch in (values, 3 + 2 * values)
        ]
        (low, high), moved = (made[0].low, made[0].high), made[1]
        shift = 0.0 if name == "sd" else 3.0
        scale = np.abs(values).max(axis=-1)
        for got, wanted in ((moved.low, shift + 2 * low), (moved.high, shift + 2 * high)):
            np.testing.assert_array_equal(np.isinf(got), np.isinf(wanted))
            finite = np.isfinite(wanted)
            assert (np.abs(got - wanted)[finite] <= 1e-6 * (scale + shift)[finite]).all()
        if before is not None:
            assert (low <= before[0] + 1e-12).all()
            assert (high >= before[1] - 1e-12).all()
        before = low, high
