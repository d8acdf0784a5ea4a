from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from support import examples

from halfwidth import Bounds, OptionError
from halfwidth.core.types import UNBOUNDED, UNIT_INTERVAL, Array, Level
from halfwidth.intervals import empirical_bernstein, hoeffding
from halfwidth.study import analysis
from halfwidth.study.populations import (
    AdaptiveKde,
    adaptive_kde,
    characterize,
    fit_diagnostics,
)

SKEWED = np.round(np.random.default_rng(5).beta(8, 2, 40), 3)
WITH_ATOMS = np.concatenate([SKEWED, [0.0, 0.0, 1.0, 1.0, 1.0]])
# Two groups with nothing between them: 16 cases below 0.4, 24 above 0.6.
APART = np.concatenate([np.linspace(0.10, 0.14, 16), np.linspace(0.90, 0.94, 24)])
HEAVY = np.random.default_rng(6).lognormal(0, 1, 60)
POPULATIONS = {
    "skewed": (SKEWED, UNIT_INTERVAL),
    "atoms": (WITH_ATOMS, UNIT_INTERVAL),
    "apart": (APART, UNIT_INTERVAL),
    "heavy": (HEAVY, Bounds(0, math.inf)),
    "unbounded": (HEAVY - 2, UNBOUNDED),
    "constant": (np.full(7, 0.5), UNIT_INTERVAL),
    "on the bounds": (np.array([0.0, 0.0, 1.0, 1.0, 1.0]), UNIT_INTERVAL),
    "two": (np.array([0.2, 0.3]), UNIT_INTERVAL),
}
NAMES = list(POPULATIONS)


def made(name: str) -> AdaptiveKde:
    return adaptive_kde(*POPULATIONS[name])


# --------------------------------------------------------------------------- the formula, naively


def naive_widths(values: Array, bounds: Bounds) -> list[float]:
    """Algorithm 2 of andre2025 without its misprints, in loops."""
    x = [float(value) for value in values]
    n = len(x)
    mean = sum(x) / n
    s = math.sqrt(sum((v - mean) ** 2 for v in x) / (n - 1))
    h = 1.06 * s * n ** (-1 / 5)
    pilot = []
    for v in x:
        total = 0.0
        for w in x:
            t = (v - w) / h
            if abs(t) <= 1:
                total += 0.75 * (1 - t * t)
        pilot.append(total / (n * h))
    log_g = sum(math.log(f) for f in pilot) / n
    modifiers = [(f / math.exp(log_g)) ** -0.5 for f in pilot]
    room = [min(v - bounds.low, bounds.high - v) for v in x]
    return [min(m * h, r) for m, r in zip(modifiers, room, strict=True)]


def naive_cdf(x: float, values: Array, widths: list[float]) -> float:
    total = 0.0
    for v, h in zip(values, widths, strict=True):
        if h == 0:
            total += 1.0 if v <= x else 0.0
        else:
            t = min(1.0, max(-1.0, (x - v) / h))
            total += 0.5 + 0.75 * t - 0.25 * t**3
    return total / len(values)


def naive_density(x: float, values: Array, widths: list[float]) -> float:
    total = 0.0
    for v, h in zip(values, widths, strict=True):
        if h > 0 and abs(x - v) < h:
            total += 0.75 * (1 - ((x - v) / h) ** 2) / h
    return total / len(values)


@pytest.mark.parametrize("name", ["skewed", "atoms", "apart", "heavy", "unbounded", "two"])
def test_widths_density_and_distribution_follow_the_formula(name: str) -> None:
    values, bounds = POPULATIONS[name]
    population = adaptive_kde(values, bounds)
    ordered = np.sort(values)
    widths = naive_widths(ordered, bounds)
    np.testing.assert_array_equal(population.cases, ordered)
    np.testing.assert_allclose(population.widths, widths, rtol=1e-12, atol=1e-15)
    low, high = population.support
    for x in np.linspace(low - 0.1, high + 0.1, 41):
        assert population.cdf(x) == pytest.approx(naive_cdf(x, ordered, widths), abs=1e-13)
        assert population.density(x) == pytest.approx(
            naive_density(x, ordered, widths), rel=1e-10, abs=1e-12
        )


def test_the_order_of_cases_and_repeats_of_the_fit_do_not_matter() -> None:
    shuffled = np.random.default_rng(1).permutation(WITH_ATOMS)
    one, other = adaptive_kde(WITH_ATOMS, UNIT_INTERVAL), adaptive_kde(shuffled, UNIT_INTERVAL)
    np.testing.assert_array_equal(one.widths, other.widths)
    np.testing.assert_array_equal(one.cases, other.cases)


def test_the_fit_moves_with_shift_and_scale() -> None:
    plain = adaptive_kde(SKEWED, UNIT_INTERVAL)
    moved = adaptive_kde(100 * SKEWED - 40, Bounds(-40, 60))
    np.testing.assert_allclose(moved.widths, 100 * plain.widths, rtol=1e-11)
    tiny = adaptive_kde(1e-250 * SKEWED, Bounds(0, 1e-250))
    np.testing.assert_allclose(tiny.widths, 1e-250 * plain.widths, rtol=1e-11)


def test_blocks_of_any_size_give_the_same_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).beta(5, 2, 500)
    x = np.linspace(-0.2, 1.2, 333)
    p = np.linspace(0, 1, 333)
    whole = adaptive_kde(values, UNIT_INTERVAL)
    once = whole.cdf(x), whole.density(x), whole.quantile(p)
    monkeypatch.setattr("halfwidth.study.populations.kde.CELLS", 1)
    pieces = adaptive_kde(values, UNIT_INTERVAL)
    np.testing.assert_allclose(pieces.widths, whole.widths, rtol=1e-13)
    np.testing.assert_allclose(pieces.cdf(x), once[0], rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(pieces.density(x), once[1], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(pieces.quantile(p), once[2], rtol=1e-12)


# --------------------------------------------------------------------------- atoms and bounds


def test_a_case_on_a_bound_is_an_atom() -> None:
    at, masses = made("atoms").atoms
    assert at.tolist() == [0.0, 1.0]
    np.testing.assert_allclose(masses, [2 / 45, 3 / 45])
    at, masses = made("constant").atoms
    assert (at.tolist(), masses.tolist()) == ([0.5], [1.0])
    at, masses = made("on the bounds").atoms
    assert (at.tolist(), masses.tolist()) == ([0.0, 1.0], [0.4, 0.6])
    assert made("skewed").atoms[0].tolist() == []


@pytest.mark.parametrize("name", NAMES)
def test_density_and_atoms_add_up_to_one(name: str) -> None:
    population = made(name)
    ends = population.ends
    pieces = sum(
        integrate.quad(lambda x: float(population.density(x)), low, high)[0]
        for low, high in itertools.pairwise(ends)
        if high - low > 1e-9
    )
    assert pieces + population.atoms[1].sum() == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize(
    ("low", "high"), [(0.1, 0.7), (-1 / 3, 1e6), (1e6, 1e6 + 1 / 3), (0.0, 1.0), (1e-3, 1e16)]
)
def test_rounding_puts_no_value_outside_the_bounds(low: float, high: float) -> None:
    # Cases all about the bounds, so that the distance to a bound limits every width.
    rng = np.random.default_rng(8)
    share = rng.beta(0.3, 0.3, 300)
    values = np.clip(low + share * (high - low), low, high)
    population = adaptive_kde(values, Bounds(low, high))
    limited = population.widths < 0.999 * population.widths.max()
    assert limited.sum() > 100
    assert population.support[0] >= low
    assert population.support[1] <= high
    assert (population.cases + population.widths <= high).all()
    assert (population.cases - population.widths >= low).all()
    drawn = population.draw(rng, 100, 1000)
    assert drawn.min() >= low
    assert drawn.max() <= high


# --------------------------------------------------------------------------- moments


@pytest.mark.parametrize("name", NAMES)
def test_moments_agree_with_quadrature_of_the_density(name: str) -> None:
    population = made(name)
    at, masses = population.atoms
    ends = population.ends
    nodes, weights = np.polynomial.legendre.leggauss(6)  # exact for x⁴ times a parabola

    def moment(power: int, about: float) -> float:
        middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2
        x = middle[:, None] + half[:, None] * nodes
        smooth = ((x - about) ** power * population.density(x) * weights).sum(axis=1) @ half
        return float(smooth + masses @ (at - about) ** power)

    mean = moment(1, 0.0)
    spread = math.sqrt(moment(2, mean))
    assert population.mean == pytest.approx(mean, rel=1e-9)
    assert population.standard_deviation == pytest.approx(spread, rel=1e-9, abs=1e-12)
    if spread > 1e-9:
        skewness = moment(3, mean) / spread**3
        assert population.skewness == pytest.approx(skewness, rel=1e-8, abs=1e-9)
        assert population.kurtosis == pytest.approx(moment(4, mean) / spread**4, rel=1e-8)
    else:
        assert math.isnan(population.skewness)
        assert math.isnan(population.kurtosis)


def test_the_spread_is_that_of_the_cases_and_of_the_kernels() -> None:
    population = made("atoms")
    variance = WITH_ATOMS.var() + (population.widths**2).mean() / 5
    assert population.standard_deviation == pytest.approx(math.sqrt(variance), rel=1e-13)
    assert population.mean == pytest.approx(WITH_ATOMS.mean(), rel=1e-14)
    found = characterize(population)
    assert (found.mean, found.kurtosis) == (population.mean, population.kurtosis)


# --------------------------------------------------------------------------- quantiles

LEVELS = np.array([0, 1e-12, 1e-6, 0.01, 0.1, 0.25, 0.4, 0.5, 0.75, 0.9, 0.999, 1 - 1e-12, 1])


@pytest.mark.parametrize("name", NAMES)
def test_the_quantile_is_where_the_distribution_reaches_its_level(name: str) -> None:
    population = made(name)
    q = population.quantile(LEVELS)
    assert (np.diff(q) >= 0).all()
    assert (population.cdf(q) >= LEVELS - 4e-15).all()
    # Any lower value, by more than rounding, has less below it.
    step = 1e-7 * max(1e-3, population.support[1] - population.support[0])
    lower = population.cdf(q - step)
    inner = (LEVELS > 1e-11) & (LEVELS < 1 - 1e-11)
    assert (lower[inner] < LEVELS[inner]).all()
    assert q[0] == population.support[0]
    assert q[-1] == population.support[1]


def test_quantiles_have_twelve_digits() -> None:
    population = made("skewed")
    widths = naive_widths(population.cases, UNIT_INTERVAL)
    for p in (0.03, 0.25, 0.5, 0.77, 0.95):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            if naive_cdf(middle, population.cases, widths) >= p:
                high = middle
            else:
                low = middle
        assert float(population.quantile(p)) == pytest.approx(high, rel=1e-12)


def test_a_flat_stretch_gives_its_left_end() -> None:
    population = made("apart")
    gap = population.cases[15] + population.widths[15], population.cases[16]
    left = (population.cases + population.widths)[:16].max()
    assert gap[1] - left > 0.1
    assert float(population.quantile(16 / 40)) == left
    assert float(population.quantile(0.4)) == left
    right = (population.cases - population.widths)[16:].min()
    assert float(population.quantile(0.4 + 1e-9)) > right


def test_a_jump_gives_its_atom() -> None:
    population = made("atoms")
    assert population.quantile([0.01, 2 / 45, 1 - 3 / 45 + 1e-9, 0.99]).tolist() == [0, 0, 1, 1]
    assert 0 < float(population.quantile(2 / 45 + 1e-9)) < SKEWED.min()
    assert made("on the bounds").quantile([0.4, 0.4000001]).tolist() == [0.0, 1.0]
    assert np.unique(made("constant").quantile(LEVELS)).tolist() == [0.5]


@examples(60)
@given(
    values=st.lists(st.sampled_from(np.linspace(0, 1, 21).tolist()), min_size=2, max_size=25),
    p=st.lists(st.floats(0, 1), min_size=1, max_size=8),
    shares=st.integers(0, 25),
)
def test_quantile_and_distribution_fit_together_on_any_sample(
    values: list[float], p: list[float], shares: int
) -> None:
    population = adaptive_kde(values, UNIT_INTERVAL)
    levels = np.array([*p, min(shares, len(values)) / len(values)])
    q = population.quantile(levels)
    assert (population.cdf(q) >= levels - 1e-14).all()
    assert ((q >= 0) & (q <= 1)).all()
    below = population.cdf(np.nextafter(q, -1) - 1e-7)
    assert (below <= levels + 1e-14).all()
    # Galois: F(x) ≥ p exactly if x ≥ Q(p); left ends of flat stretches are where this bites.
    x = np.linspace(-0.05, 1.05, 23)
    holds = population.cdf(x)[:, None] >= levels * (1 - 1e-14)
    far = np.abs(x[:, None] - q) > 1e-6
    assert (holds == (x[:, None] >= q))[far & (levels > 1e-9)].all()


def test_the_highest_value_is_exact() -> None:
    # Two kernels end within what rounding of F can tell apart: only the last end is Q(1).
    close = AdaptiveKde(np.array([0.3, 0.5]), np.array([0.3 - 1e-10, 0.1]))
    assert close.quantile(1.0) == close.support[1] == 0.6
    # An atom at a bound that is no round number.
    bounds = Bounds(-0.1, 1 / 3)
    for seed in range(20):
        rest = -0.1 + 0.4 * np.random.default_rng(seed).beta(2, 2, 20)
        atom = adaptive_kde(np.append(rest, 1 / 3), bounds)
        assert atom.quantile([0.96, 0.99, 1.0]).tolist() == [1 / 3, 1 / 3, 1 / 3]


def test_shapes_are_kept_and_nonsense_is_nan() -> None:
    population = made("atoms")
    assert population.quantile(0.5).shape == ()
    assert population.quantile(np.full((2, 3), 0.5)).shape == (2, 3)
    assert population.cdf(np.zeros((2, 3))).shape == (2, 3)
    assert population.quantile([]).shape == (0,)
    assert np.isnan(population.quantile([-0.1, 1.1, math.nan])).all()
    assert np.isnan(population.cdf([math.nan, math.nan])).all()
    assert np.isnan(population.density(math.nan))
    assert population.cdf([-math.inf, math.inf]).tolist() == [0.0, 1.0]
    assert population.draw(np.random.default_rng(0), 3, 5).shape == (3, 5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.25, 0.75), (0.4, 0.6), (0.0, 0.02), (0.97, 1.0)])
def test_partial_means_agree_with_a_sum_over_quantiles(
    name: str, ends: tuple[float, float]
) -> None:
    population = made(name)
    n = 8000
    p = ends[0] + (np.arange(n) + 0.5) / n * (ends[1] - ends[0])
    summed = population.quantile(p).mean() * (ends[1] - ends[0])
    # A jump of the quantile function costs the midpoint rule at most half a step of its height.
    span = population.support[1] - population.support[0]
    assert population.partial_mean(*ends) == pytest.approx(
        summed, abs=(ends[1] - ends[0]) * span / n + 1e-12
    )


def test_the_whole_partial_mean_is_the_mean() -> None:
    for name in NAMES:
        population = made(name)
        assert population.partial_mean(0, 1) == pytest.approx(population.mean, rel=1e-13)
        assert population.partial_mean(0.3, 0.3) == 0
        halves = population.partial_mean(0, 0.4) + population.partial_mean(0.4, 1)
        assert halves == pytest.approx(population.mean, rel=1e-13)


def test_bounds_may_be_a_pair_wherever_a_public_function_takes_them() -> None:
    pair, bounds = (0, 1), Bounds(0, 1)
    population = adaptive_kde(SKEWED, pair)
    assert population.mean == adaptive_kde(SKEWED, bounds).mean
    assert fit_diagnostics(population, SKEWED, pair).mass_outside == 0
    fits = [analysis.kolmogorov_smirnov(SKEWED, "beta", bounds=one) for one in (pair, bounds)]
    assert fits[0].statistic == fits[1].statistic
    assert analysis.lilliefors_p(SKEWED, "beta", bounds=pair, draws=3, rng=1) > 0
    for method in (hoeffding, empirical_bernstein):
        ends = [method(SKEWED, one, Level(0.95)).high for one in (pair, bounds)]
        assert ends[0] == ends[1]
    with pytest.raises(OptionError, match=r"bounds=0\.5 is not a pair of numbers"):
        adaptive_kde(SKEWED, 0.5)  # type: ignore[arg-type]
