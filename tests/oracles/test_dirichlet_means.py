"""Means under Dirichlet weights, against Beta quantiles, exact fractions, Imhof and draws."""

from __future__ import annotations

import itertools
import pickle
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, special
from smallstudies import cells_of_values, rows_of
from statsmodels.stats.proportion import proportion_confint

import halfwidth as hw
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Level
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.exact.dirichlet_means import weighted_means
from halfwidth.resampling.exact.inversion import GammaRatios, log_probability_below, lower_quantiles

Array = NDArray[np.float64]
UNIT = hw.Bounds(0, 1)
MEAN = Statistic(hw.STATISTICS["mean"])
PLAN = Plan(entropy=5, n_resamples=999)
HALF, WHOLE = PseudoCases.outward(0.5, UNIT), PseudoCases.outward(1, UNIT)
TAILS = (0.0005, 0.025, 0.05, 0.3, 0.5)


def ratios(
    values: Array, masses: tuple[float, ...] = (0.5, 0.5), atoms: tuple[float, ...] = (0.0, 1.0)
) -> GammaRatios:
    """Units of one case each, and atoms."""
    samples = np.atleast_2d(values)
    rows = len(samples)
    return GammaRatios(
        samples,
        np.ones(samples.shape[-1]),
        np.tile(atoms, (rows, 1)),
        np.ones((rows, len(atoms))),
        np.tile(masses, (rows, 1)),
    )


def imhof(totals: Array, sizes: Array, masses: Array, t: float) -> float:
    """P(Σ g A / Σ g B < t) by Imhof's real integral."""
    d = t * sizes - totals
    d = d / np.sqrt((masses * d**2).sum())

    def integrand(u: float) -> float:
        phase = (masses * np.arctan(d * u)).sum()
        return float(np.sin(phase) / u * np.exp(-(masses * np.log1p((d * u) ** 2)).sum() / 2))

    ends = [0.0, *np.geomspace(0.1, 1e6, 120)]
    parts = [integrate.quad(integrand, *pair, limit=400)[0] for pair in itertools.pairwise(ends)]
    return 0.5 + sum(parts) / np.pi


def exact_below(points: list[Fraction], t: Fraction) -> Fraction:
    """P(θ < t) where distinct points all have the mass 1: θ has a B-spline for a density."""
    degree = len(points) - 1
    return 1 - sum(
        (
            (point - t) ** degree / prod(point - other for other in points if other != point)
            for point in points
            if point > t
        ),
        Fraction(0),
    )


def interval(values: Array, method: str, **given: Any) -> tuple[float, float]:
    e = hw.summary_ci(values, method=method, **{"bounds": (0, 1), **given})
    return e.low, e.high


# --------------------------------------------------------------------------- closed forms


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n", [1, 2, 5, 50, 1000, 100_000])
def test_inversion_of_zeros_and_ones_gives_beta_quantiles(n: int) -> None:
    for ones in sorted({0, 1, n // 2, n - 1, n}):
        values = np.repeat([0.0, 1.0], [n - ones, ones])
        for tail in TAILS:
            expected = special.betaincinv(ones + 0.5, n - ones + 0.5, tail)
            merged = lower_quantiles(ratios(values).merged(), tail)[0]
            assert merged == pytest.approx(expected, abs=1e-11)
            if n <= 1000:
                assert lower_quantiles(ratios(values), tail)[0] == pytest.approx(
                    expected, abs=1e-11
                )


@pytest.mark.parametrize(
    ("method", "mass"), [("dirichlet", 0.5), ("dirichlet:mass=2", 2.0), ("gaffke", 1.0)]
)
def test_proportions_have_beta_quantiles(method: str, mass: float) -> None:
    for n in (1, 2, 9):
        for ones in range(n + 1):
            values = np.repeat([0.0, 1.0], [n - ones, ones])
            # Without a success the lower end is 0, without a failure the upper one is 1.
            low = special.betaincinv(ones, n - ones + mass, 0.025) if ones else 0.0
            high = special.betaincinv(ones + mass, n - ones, 0.975) if ones < n else 1.0
            assert low <= ones / n <= high
            assert interval(values, method) == pytest.approx((low, high), abs=1e-12)
            counted = hw.proportion_ci(ones, n, method=method)
            assert (counted.low, counted.high) == pytest.approx((low, high), abs=1e-12)
            if method == "gaffke":
                same = hw.proportion_ci(ones, n, method="clopper_pearson")
                assert (low, high) == pytest.approx((same.low, same.high), abs=1e-12)
                outside = proportion_confint(ones, n, method="beta")
                assert (low, high) == pytest.approx(outside, abs=1e-8)


@pytest.mark.parametrize(("alternative", "end"), [("lower", 0), ("upper", 1)])
def test_counts_have_one_sided_bounds_and_standard_errors_too(alternative: Any, end: int) -> None:
    one = hw.proportion_ci(7, 9, method="dirichlet", alternative=alternative)
    expected = special.betaincinv(7, 2.5, 0.05), special.betaincinv(7.5, 2, 0.95)
    assert (one.low, one.high)[end] == pytest.approx(expected[end], abs=1e-12)
    squares = [a * b / (a + b) ** 2 / (a + b + 1) for a, b in ((7, 2.5), (7.5, 2))]
    assert one.standard_error == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-12)


def test_values_at_the_bounds_of_any_range() -> None:
    values = np.array([-3.0, 5.0, 5.0, 5.0])
    low, high = interval(values, "dirichlet", bounds=(-3, 5))
    as_share = hw.proportion_ci(3, 4, method="dirichlet")
    assert (low, high) == pytest.approx((8 * as_share.low - 3, 8 * as_share.high - 3), abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
def test_gaffke_of_a_few_cases_in_exact_fractions(n: int) -> None:
    rng = np.random.default_rng(n)
    values = rng.permutation(np.arange(1, 20))[:n] / 20
    low, high = interval(values, "gaffke")
    points = [Fraction(round(20 * value), 20) for value in values]
    below_low = exact_below([Fraction(0), *points], Fraction(low))
    below_high = exact_below([*points, Fraction(1)], Fraction(high))
    assert float(below_low) == pytest.approx(0.025, abs=1e-10)
    assert float(below_high) == pytest.approx(0.975, abs=1e-10)


@pytest.mark.parametrize("value", [0.0, 0.02, 0.4, 0.9, 1.0])
def test_one_case(value: float) -> None:
    """The case weighs w of all, w ~ Beta(1, ½), with P(w < b) = 1 - √(1 - b)."""
    low, high = interval(np.array([value]), "dirichlet")
    least = 1 - 0.975**2
    assert low == pytest.approx(least * value, abs=1e-12)
    assert high == pytest.approx(1 - least * (1 - value), abs=1e-12)
    assert low <= value <= high


# --------------------------------------------------------------------------- any data


def samples() -> dict[str, Array]:
    rng = np.random.default_rng(8)
    outlier = rng.beta(40, 2, 300)
    outlier[0] = 0.0
    return {
        "uniform": rng.random(12),
        "near 1": rng.beta(20, 1, 40),
        "equal": np.full(30, 0.9),
        "almost equal": 0.9 + 1e-12 * rng.random(10),
        "outlier": outlier,
        "ties": rng.integers(0, 4, 60) / 4,
        "small against the range": 1e-3 * rng.random(80),
    }


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", samples())
def test_bounds_have_their_probabilities_by_imhof(name: str) -> None:
    values = samples()[name]
    for method, mass in (("dirichlet", 0.5), ("dirichlet:mass=0.1", 0.1)):
        low, high = interval(values, method)
        m = np.append(mass, np.ones(len(values)))
        # Each end has a pseudo-case of its own. Either is as far out as the estimate at least.
        for end, bound, share in ((low, 0.0, 0.025), (high, 1.0, 0.975)):
            a = np.append(bound, values)
            assert (end - values.mean()) * (bound - values.mean()) > 0
            assert imhof(a, np.ones(len(a)), m, end) == pytest.approx(share, abs=2e-8)
    assert lower_quantiles(ratios(values), 0.025)[0] == pytest.approx(
        lower_quantiles(ratios(values).merged(), 0.025)[0], abs=1e-12
    )


def test_extreme_samples_by_a_path_of_twice_as_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    many = rng.beta(60, 1, 100_000)
    many[0] = 0.0
    found = {}
    for name, values in {
        "many": many,
        "equal": np.full(10_000, 0.7),
        "far": many[:50] * 1e-6,
    }.items():
        one = ratios(values).merged()
        found[name] = one, lower_quantiles(one, 0.025)
    monkeypatch.setattr("halfwidth.resampling.exact.inversion.STEP", 0.1)
    for one, t in found.values():
        assert np.exp(log_probability_below(one, t)[0]) == pytest.approx(0.025, rel=1e-8)


def along_a_straight_line(totals: Array, masses: Array, t: float) -> float:
    """P(Σ g A / Σ g < t) along a line through the saddle point, with nodes that cost no thought."""
    d = t - totals
    starts = np.geomspace(1e-3, 1 - 1e-3, 999) / d.max()
    heights = -np.log(starts) - (masses[:, None] * np.log1p(-np.outer(d, starts))).sum(axis=0)
    start = starts[heights.argmin()]
    q = d / (1 - d * start)
    u = np.arange(0, 40, 0.01)
    off = 1j * np.sinh(u) / np.sqrt((masses * q**2).sum() + start**-2)
    logs = (masses[:, None] * np.log(1 - np.outer(q, off))).sum(axis=0)
    terms = (np.exp(-logs) / (1 + off / start)).real * np.cosh(u)
    height = np.exp(heights.min()) / np.sqrt((masses * q**2).sum() + start**-2)
    return float((terms.sum() - terms[0] / 2) * 0.01 * height / np.pi)


@pytest.mark.parametrize("masses", [(0.5, 0.0, 0.5), (0.25, 0.5, 0.25), (0.1, 0.0, 0.1)])
def test_small_spreads_beside_failures_at_every_level(masses: tuple[float, float, float]) -> None:
    # A bent path suits one scale alone; here are that of the values, of the failure, of the limits.
    rng, n, atoms = np.random.default_rng(6), 30, (0.0, 0.5, 1.0)
    for spread, failure in itertools.product((1e-4, 1e-3, 1e-2), (0.0, 0.45, 1.0)):
        values = np.append(rng.normal(0.56, spread, n - 1), failure)
        totals, shapes = np.append(values, atoms), np.append(np.ones(n), masses)
        totals, shapes = totals[shapes > 0], shapes[shapes > 0]
        for tail in (0.025, 0.2, 0.4):
            low = lower_quantiles(ratios(values, masses, atoms), tail)[0]
            assert along_a_straight_line(totals, shapes, low) == pytest.approx(tail, rel=1e-6)


def test_a_tiny_mass_beside_equal_values_overflows_nowhere() -> None:
    with np.errstate(over="raise", invalid="raise"):
        low, _ = interval(np.full(5, 0.8), "dirichlet:mass=0.001", confidence_level=0.5)
    assert low == pytest.approx(0.8, abs=1e-12)


def test_batches_give_what_each_sample_gives_alone() -> None:
    values = np.random.default_rng(1).beta(5, 1, (20, 15))
    values[3], values[4], values[5] = 0.0, 1.0, 0.25
    level = Level(0.95)
    (batch,) = intervals(values, MEAN, [hw.METHODS["dirichlet"]], level, bounds=UNIT, plan=PLAN)
    for row, sample in enumerate(values):
        alone = hw.summary_ci(sample, method="dirichlet", bounds=(0, 1))
        assert alone.low == pytest.approx(batch.interval.low[row], abs=1e-11)
        assert alone.high == pytest.approx(batch.interval.high[row], abs=1e-11)
    assert batch.n_resamples is None


@pytest.mark.slow
@pytest.mark.parametrize("masses", [(0.5, 0.5), (1.0, 0.0)])
def test_ten_million_draws(masses: tuple[float, float]) -> None:
    rng = np.random.default_rng(12)
    values = np.concatenate([rng.beta(8, 2, 8), [0.0, 0.31]])
    t = lower_quantiles(ratios(values, masses), 0.025)[0]
    below, draws = 0, 10**7
    for _ in range(20):
        units = rng.standard_exponential((draws // 20, len(values)))
        atoms = [
            rng.gamma(mass, size=draws // 20) if mass else np.zeros(draws // 20) for mass in masses
        ]
        weighted = units @ values + atoms[1]
        below += int((weighted < t * (units.sum(axis=-1) + atoms[0] + atoms[1])).sum())
    # Five standard errors: a false alarm in 1.7 million.
    assert below / draws == pytest.approx(0.025, abs=5 * np.sqrt(0.025 * 0.975 / draws))


# --------------------------------------------------------------------------- designs


def test_clusters_are_ratios_of_sums_by_imhof() -> None:
    rng = np.random.default_rng(7)
    groups = np.repeat(np.arange(9), [1, 1, 2, 3, 3, 4, 6, 8, 12])
    values = rng.beta(6, 2, len(groups))
    low, high = interval(values, "dirichlet", groups=groups)
    sizes = np.bincount(groups).astype(float)
    totals = np.bincount(groups, values)
    size = len(groups) / 9
    b, m = np.append(sizes, size), np.append(np.ones(9), 0.5)
    assert imhof(np.append(totals, 0), b, m, low) == pytest.approx(0.025, abs=2e-8)
    assert imhof(np.append(totals, size), b, m, high) == pytest.approx(0.975, abs=2e-8)


def test_equal_clusters_count_as_their_means() -> None:
    values = np.random.default_rng(2).beta(6, 2, (8, 3))
    groups = np.repeat(np.arange(8), 3)
    for method in ("dirichlet", "gaffke"):
        clustered = interval(values.ravel(), method, groups=groups)
        assert clustered == pytest.approx(interval(values.mean(axis=-1), method), abs=1e-10)


def strata_by_hand(parts: list[Array], draws: int) -> tuple[Array, Array]:
    """Draws of Σ W mean for either end, the pseudo-mass divided among strata by their shares."""
    rng = np.random.default_rng(77)
    n = sum(len(part) for part in parts)
    lower, upper = np.zeros((2, draws))
    for part in parts:
        share = len(part) / n
        weights = rng.standard_exponential((draws, len(part)))
        pseudo = rng.gamma(0.5 * share, size=draws)
        total, size = weights @ part, weights.sum(axis=-1) + pseudo
        lower += share * total / size
        upper += share * (total + pseudo) / size
    return lower, upper


def test_strata_keep_their_shares() -> None:
    rng = np.random.default_rng(4)
    parts = [rng.beta(9, 1, 6), rng.beta(2, 2, 14)]
    strata = np.repeat([0, 1], [6, 14])
    low, high = interval(
        np.concatenate(parts), "dirichlet", strata=strata, n_resamples=40_000, rng=1
    )
    lower, upper = strata_by_hand(parts, 40_000)
    # Both are drawn: shares of 40 000 draws beyond them have SEs of .0011.
    share_low, share_high = (lower < low).mean(), (upper > high).mean()
    assert share_low == pytest.approx(0.025, abs=0.006)
    assert share_high == pytest.approx(0.025, abs=0.006)


def test_many_strata_of_perfect_cases_add_no_pseudo_mass() -> None:
    """How far below 1 the interval reaches depends on n, hardly on the number of strata."""
    ones = np.ones(40)
    alone, _ = interval(ones, "dirichlet")
    strata = np.repeat(np.arange(8), 5)
    apart, high = interval(ones, "dirichlet", strata=strata, n_resamples=20_000, rng=2)
    assert 1 - apart == pytest.approx(1 - alone, rel=0.1)
    assert high == 1


def test_strata_of_clusters() -> None:
    values = np.random.default_rng(6).beta(6, 2, 24)
    groups, strata = np.repeat(np.arange(12), 2), np.repeat([0, 1], 12)
    low, high = interval(values, "dirichlet", groups=groups, strata=strata, rng=3)
    assert 0 < low < values.mean() < high < 1


# --------------------------------------------------------------------------- paired differences


def differences_by_hand(first: Array, second: Array, corner: float, draws: int) -> Array:
    rng = np.random.default_rng(21)
    weights = rng.standard_exponential((draws, len(first)))
    pseudo = rng.gamma(0.5, size=draws)
    total = weights.sum(axis=-1) + pseudo
    return np.asarray((weights @ (first - second) + corner * pseudo) / total)


def test_pairs_have_half_a_pseudo_pair_at_the_outward_corner() -> None:
    rng = np.random.default_rng(9)
    first = rng.beta(8, 2, 12)
    second = np.clip(first - 0.1 * rng.random(12), 0, 1)
    e = hw.difference_ci(first, second, metric="dsc", method="dirichlet")
    m = np.append(0.5, np.ones(12))
    for end, corner, share in ((e.low, -1.0, 0.025), (e.high, 1.0, 0.975)):
        d = np.append(corner, first - second)
        assert imhof(d, np.ones(13), m, end) == pytest.approx(share, abs=2e-8)
        # Five standard errors: a false alarm in 1.7 million for each end.
        by_hand = differences_by_hand(first, second, corner, 40_000)
        assert (by_hand < end).mean() == pytest.approx(share, abs=0.004)
    assert e.n_resamples is None
    assert e.seed is None


def test_a_margin_of_a_pair_is_the_interval_of_its_model() -> None:
    """The first model has the masses of its own end, the second those of the opposite one."""
    for masses in (HALF.low, HALF.high, (0.5, 0.5), (0.2, 0.3)):
        corners = HALF.corners(masses)
        for side, own in ((0, masses), (1, masses[::-1])):
            for bound, mass in zip((0.0, 1.0), own, strict=True):
                at_bound = sum(each for pair, each in corners if pair[side] == bound)
                assert at_bound == pytest.approx(mass)
    for pseudo_cases, mass in ((HALF, 0.5), (WHOLE, 1.0)):
        outward = pseudo_cases.corners(pseudo_cases.low)
        assert [(pair, each) for pair, each in outward if each] == [((0.0, 1.0), mass)]


def test_gaffke_of_pairs_in_exact_fractions() -> None:
    first, second = np.array([0.5, 0.75, 0.25]), np.array([0.25, 0.875, 0.125])
    e = hw.difference_ci(first, second, metric="dsc", method="gaffke")
    points = [Fraction(one - other) for one, other in zip(first, second, strict=True)]
    low = exact_below([Fraction(-1), *points], Fraction(e.low))
    high = exact_below([Fraction(1), *points], Fraction(e.high))
    assert float(low) == pytest.approx(0.025, abs=1e-10)
    assert float(high) == pytest.approx(0.975, abs=1e-10)


# --------------------------------------------------------------------------- what one expects


@pytest.mark.parametrize("method", ["dirichlet", "gaffke", "dirichlet:mass=0.1"])
def test_intervals_hold_their_estimate(method: str) -> None:
    rng = np.random.default_rng(11)
    for n in (1, 2, 40):
        for value in (0.0, 1e-9, 0.999999, 1.0):
            for values in (np.full(n, value), np.append(rng.random(n - 1), value)):
                low, high = interval(values, method)
                estimate = float(MEAN(values))
                assert 0 <= low <= estimate <= high <= 1
                assert low < high


def test_quantiles_next_to_a_limit_end_at_it() -> None:
    """Of mass .01 beside ones the upper quantile is nearer to 1 than any float."""
    groups = np.repeat(np.arange(6), [1, 1, 1, 1, 1, 300])
    low, high = interval(np.ones(305), "dirichlet:mass=0.01", groups=groups)
    assert low < high == 1


def test_bounds_belong_to_the_interval_where_the_estimate_equals_them() -> None:
    assert interval(np.zeros(5), "dirichlet")[0] == 0
    assert interval(np.ones(5), "dirichlet")[1] == 1
    assert interval(np.ones(5), "dirichlet")[0] == pytest.approx(
        special.betaincinv(5, 0.5, 0.025), abs=1e-12
    )


def test_one_sided_bounds_are_those_of_a_wider_interval() -> None:
    values = np.random.default_rng(5).beta(8, 2, 20)
    low, high = interval(values, "dirichlet", confidence_level=0.9)
    assert interval(values, "dirichlet", alternative="lower")[0] == pytest.approx(low, abs=1e-11)
    assert interval(values, "dirichlet", alternative="upper")[1] == pytest.approx(high, abs=1e-11)
    assert interval(values, "dirichlet", alternative="lower")[1] == 1


def test_of_undefined_estimates_there_is_no_interval() -> None:
    pair = weighted_means(np.array([[0.2, 0.4]]), Design.iid(2), PLAN, HALF)
    found = hw.METHODS["dirichlet"].function(pair, np.array([np.nan]), Level(0.95))
    assert np.isnan(found.low).all()
    assert np.isnan(found.high).all()


def test_standard_error_is_the_spread_under_the_weights() -> None:
    values = np.random.default_rng(3).beta(8, 2, 30)
    e = hw.summary_ci(values, method="dirichlet", bounds=(0, 1))
    squares, m = [], np.append(np.ones(30), 0.5)
    for bound in (0, 1):
        a = np.append(values, bound)
        mean = (m * a).sum() / m.sum()
        squares.append((m * (a - mean) ** 2).sum() / m.sum() / (m.sum() + 1))
    # The root mean square of those for both ends.
    assert e.standard_error == pytest.approx(np.sqrt(np.mean(squares)), rel=1e-12)


def test_parameters_stand_in_the_name_of_a_method() -> None:
    usual = hw.summary_ci([0.7, 0.8, 0.9], metric="dsc", method="dirichlet:mass=0.5")
    assert usual.method == "dirichlet"
    e = hw.summary_ci([0.7, 0.8, 0.9], metric="dsc", method="dirichlet:0.1")
    assert "Dirichlet (mass 0.1)" in e.sentence()
    assert e.to_dict()["method"] == "dirichlet:mass=0.1"
    assert pickle.loads(pickle.dumps(e)) == e  # noqa: S301 -- what was just written
    again = hw.summary_ci([0.7, 0.8, 0.9], metric="dsc", method=e.method)
    assert (again.low, again.high) == (e.low, e.high)


def test_bounds_that_knowledge_narrows_are_part_of_the_result() -> None:
    values = [0.81, 0.85, 0.9, 0.93, 0.95]
    wide = hw.summary_ci(values, metric="dsc", method="dirichlet")
    narrow = hw.summary_ci(values, metric="dsc", method="dirichlet", bounds=(0.5, 1))
    assert wide.low < narrow.low
    assert wide.sentence().endswith("n = 5; Dirichlet).")
    assert narrow.sentence().endswith("n = 5; Dirichlet on [0.5, 1]).")
    assert wide.to_dict()["bounds"] == [0.0, 1.0]
    assert narrow.to_dict()["bounds"] == [0.5, 1.0]
    scaled = [2 * value - 1 for value in values]
    assert narrow.low == pytest.approx(
        (interval(np.array(scaled), "dirichlet")[0] + 1) / 2, abs=1e-11
    )
    with pytest.raises(hw.DataError, match=r"outside the range \[0.9, 1\] of DSC"):
        hw.summary_ci(values, metric="dsc", method="dirichlet", bounds=(0.9, 1))


def test_a_study_compares_masses_as_it_compares_methods() -> None:
    cells = cells_of_values(
        {"family": "beta", "a": 8, "b": 2, "bounds": [0, 1]},
        statistics=["mean"],
        sizes=[8],
        methods=["dirichlet", "t", "dirichlet:0.1"],
        samples=20,
        batches=2,
        resamples=50,
        truth_draws=1000,
    )
    rows = {row["method"]: row for row in rows_of(cells)}
    assert list(rows) == ["t", "dirichlet:mass=0.1", "dirichlet"]
    assert rows["dirichlet:mass=0.1"]["width_mean"] < rows["dirichlet"]["width_mean"]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("dirichlet:mas=1", "did you mean 'mass'"),
        ("dirichlet:mass=0", "is not above 0 and at most 10"),
        ("dirichlet:mass=x", "is not above 0 and at most 10"),
        ("gaffke:mass=1", "gaffke has no parameters"),
        ("bca:0.5", "bca takes 0 parameter"),
    ],
)
def test_wrong_parameters_of_methods(method: str, message: str) -> None:
    with pytest.raises(hw.OptionError, match=message):
        hw.summary_ci([0.7, 0.8], metric="dsc", method=method)


def test_metrics_without_finite_bounds_are_told_how_to_give_them() -> None:
    with pytest.raises(hw.OptionError, match=r"those of HD are \[0, ∞\).*give bounds="):
        hw.summary_ci([7.0, 8.0], metric="hd", method="dirichlet")
    assert hw.summary_ci([7.0, 8.0], metric="hd", method="dirichlet", bounds=(0, 100)).high < 100
    with pytest.raises(hw.OptionError, match="needs a metric with finite bounds"):
        hw.summary_ci([7.0, 8.0], method="dirichlet", bounds=(-1e308, 1e308))


def test_designs_are_arranged_for_weights_too() -> None:
    values = np.array([0.9, 0.2, 0.8, 0.7])
    arranged, design = arrange(values, groups=np.array([1, 0, 1, 1]))
    low, _ = weighted_means(arranged[None], design, PLAN, HALF)
    other, _ = weighted_means(arranged[None], design, Plan(99), HALF)
    assert low.quantile(0.025) == other.quantile(0.025)


def test_values_that_differ_by_rounding_are_no_error() -> None:
    """Seen from one bound they are equal, and from the other they are not."""
    rng = np.random.default_rng(0)
    thirds = rng.choice([1 / 3, 1 / 3 + 6e-17, 2 / 3, 1 - 1 / 3, 1.0], 200)
    values = thirds - rng.choice([0, 1 / 3, 1 - 1 / 3], 200)
    rounded = np.round(values, 12)
    given, plain = (
        hw.summary_ci(one, bounds=(-1, 1), method="dirichlet") for one in (values, rounded)
    )
    assert (given.low, given.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
