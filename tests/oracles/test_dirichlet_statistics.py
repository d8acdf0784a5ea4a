"""Statistics other than the mean under Dirichlet weights, against plain code and closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

import halfwidth as hw
from halfwidth.core import rng
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import weighted_distributions
from halfwidth.resampling.kernels import native

Array = NDArray[np.float64]

UNIT = hw.Bounds(0, 1)
HALF = PseudoCases(UNIT, (0.5, 0.5), (0.5, 0.5))
QUARTER = PseudoCases(UNIT, (0.25, 0.25), (0.25, 0.25))
WHOLE = PseudoCases.outward(1, UNIT)
# Every statistic with a weighted form but the mean.
STATISTICS = [
    "sd",
    "sd:ddof=0",
    "iqr",
    "median",
    "quantile:0.1",
    "sample_quantile:0.8",
    "interpolated_quantile:0.3",
    "trimmed_mean",
    "trimmed_mean:0.1",
]
SPREADS = {"sd", "sd:ddof=0", "iqr"}
DESIGNS: dict[str, Callable[[Array], tuple[Array, Design]]] = {
    "independent": arrange,
    "clusters": lambda values: arrange(values, groups=np.arange(len(values)) ** 2 % 7),
    "strata": lambda values: arrange(values, strata=np.arange(len(values)) % 3),
    "clusters within strata": lambda values: arrange(
        values, groups=np.arange(len(values)) // 2, strata=np.arange(len(values)) // 2 % 2
    ),
}


def sample_of(n: int, seed: int = 1) -> Array:
    return np.round(np.random.default_rng(seed).beta(6, 2, n), 3)


# --------------------------------------------------------------------------- plain code


def plain(name: str, values: Array, weights: Array, n: int) -> Array:
    """A statistic of ascending values (m,) with weights (B, m) that add up to 1."""
    if name.startswith("sd"):
        ddof = 0 if name.endswith("0") else 1
        deviations = values - (weights @ values)[:, None]
        return np.asarray(np.sqrt(n / (n - ddof) * (weights * deviations**2).sum(axis=-1)))
    cumulated = np.cumsum(weights, axis=-1)
    if name.startswith("trimmed_mean"):
        cut = int(np.floor(float(name.partition(":")[2] or 0.25) * n)) / n
        inside = np.diff(np.clip(cumulated, cut, 1 - cut), prepend=cut)
        return np.asarray(inside @ values / (1 - 2 * cut))
    statistic = resolve_statistic(name)
    ranks, counts = statistic.spec.form.picks(n, **statistic.parameters)  # type: ignore[union-attr]
    places = [(cumulated < (rank - 0.5) / n).sum(axis=-1) for rank in ranks]
    return np.asarray(counts @ values[np.minimum(places, len(values) - 1)])


def plain_draws(name: str, values: Array, design: Design, masses: Array, draws: int) -> Array:
    """By NumPy's gammas: cases by their units, and the pseudo-cases of each stratum."""
    generator = np.random.default_rng(99)
    weights = np.zeros((draws, design.n + 2))
    of_stratum = np.repeat(np.arange(len(design.strata)), design.strata)
    of_unit = np.repeat(np.arange(design.units), design.unit_sizes)
    gammas = generator.gamma(1.0, size=(draws, design.units))
    for stratum in range(len(design.strata)):
        units = of_stratum == stratum
        cases = np.flatnonzero(units[of_unit])
        share, mean_size = len(cases) / design.n, len(cases) / units.sum()
        own = gammas[:, of_unit[cases]]
        pseudo = [generator.gamma(share * m, size=draws) if m else np.zeros(draws) for m in masses]
        added = mean_size * np.stack(pseudo, axis=-1)
        total = own.sum(axis=-1) + added.sum(axis=-1)
        weights[:, cases] = share * own / total[:, None]
        weights[:, -2:] += share * added / total[:, None]
    everything = np.concatenate([values, [0.0, 1.0]])
    order = np.argsort(everything, kind="stable")
    return plain(name, everything[order], weights[:, order], design.n)


# --------------------------------------------------------------------------- draws


def masses_of(name: str, pseudo_cases: PseudoCases) -> tuple[Array, Array]:
    low, high = np.array(pseudo_cases.low), np.array(pseudo_cases.high)
    return (np.zeros(2), np.maximum(low, high)) if name in SPREADS else (low, high)


def assert_same_distribution(made: Any, wanted: Array) -> None:
    """Quantiles agree within five standard errors, or their neighbours in a discrete support."""
    for p in (0.025, 0.5, 0.975):
        error = 5 * np.sqrt(p * (1 - p) * (1 / len(wanted) + 1 / (made.n_resamples or np.inf)))
        low, high = np.quantile(wanted, [max(p - error, 0), min(p + error, 1)])
        assert low - 1e-9 <= float(made.quantile(p)[0]) <= high + 1e-9


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ["sd", "iqr", "median", "trimmed_mean:0.1"])
def test_distributions_are_those_of_plain_gammas(name: str, design: str) -> None:
    check_against_gammas(name, design, HALF, draws=5000, n_resamples=5000)


@pytest.mark.slow
@pytest.mark.parametrize("pseudo_cases", [HALF, WHOLE, QUARTER])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", STATISTICS)
def test_distributions_are_those_of_many_plain_gammas(
    name: str, design: str, pseudo_cases: PseudoCases
) -> None:
    check_against_gammas(name, design, pseudo_cases, draws=20_000, n_resamples=30_000)


def check_against_gammas(
    name: str, design: str, pseudo_cases: PseudoCases, *, draws: int, n_resamples: int
) -> None:
    values, own = DESIGNS[design](sample_of(15))
    statistic, plan = resolve_statistic(name), Plan(5, n_resamples)
    made = weighted_distributions(values[None], own, statistic, plan, pseudo_cases)
    for end, masses in zip(made, masses_of(name, pseudo_cases), strict=True):
        # The closed form of two neighbours interpolates bounds, within a gap between values.
        if end.n_resamples is None and "sample" not in name:
            continue
        assert_same_distribution(end, plain_draws(name, values, own, masses, draws))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", STATISTICS)
def test_equal_weights_give_the_plain_statistic(
    name: str, design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def equal(_key: rng.Key, start: int, stop: int, units: int) -> Array:
        return np.ones((stop - start, units))

    monkeypatch.setattr(rng, "exponentials", equal)
    statistic, plan = resolve_statistic(name), Plan(5, 3, compiled=False)
    nothing = PseudoCases(UNIT, (0.0, 0.0), (0.0, 0.0))
    for n in (2, 3, 10, 15, 21):
        values, own = DESIGNS[design](sample_of(n, seed=n))
        wanted = statistic(values)
        for end in weighted_distributions(values[None], own, statistic, plan, nothing):
            if end.n_resamples is not None:
                assert float(end.quantile(0.5)[0]) == pytest.approx(float(wanted), abs=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", ["sd", "iqr", "quantile:0.1", "trimmed_mean"])
def test_every_way_to_the_draws_gives_the_same(name: str, design: str) -> None:
    values, own = DESIGNS[design](sample_of(21))
    batch = np.stack([values, values**2, 1 - values])
    batch = np.sort(batch, axis=-1) if own.simple else batch
    statistic = resolve_statistic(name)
    plans = [Plan(5, 800, compiled=False), Plan(5, 800, compiled=False, kept={})]
    if native.available():
        plans += [Plan(5, 800), Plan(5, 800, kept={}), Plan(5, 800, block_elements=999, threads=3)]
    ways = [
        np.stack(
            [end.quantile(0.1) for end in weighted_distributions(batch, own, statistic, plan, HALF)]
        )
        for plan in plans
    ]
    alone = [weighted_distributions(row[None], own, statistic, plans[0], HALF) for row in batch]
    ways.append(
        np.stack(
            [
                np.concatenate([end.quantile(0.1) for end in ends])
                for ends in zip(*alone, strict=True)
            ]
        )
    )
    for way in ways[1:]:
        assert way == pytest.approx(ways[0], abs=1e-12)


@pytest.mark.skipif(not native.available(), reason="there is no compiled library")
@pytest.mark.parametrize("name", ["sd", "iqr", "trimmed_mean"])
@pytest.mark.parametrize("design", ["independent", "clusters"])
def test_any_number_of_threads_gives_the_same_bits(name: str, design: str) -> None:
    values, own = DESIGNS[design](sample_of(400))
    ends = []
    for threads in (1, 2, 3):
        plan = Plan(5, 700, threads=threads)
        made = weighted_distributions(values[None], own, resolve_statistic(name), plan, HALF)
        ends.append([float(end.quantile(0.3)[0]) for end in made])
    assert ends[0] == ends[1] == ends[2]


# --------------------------------------------------------------------------- closed forms


def test_the_sd_of_two_cases_has_a_closed_form() -> None:
    """s √(4 p (1 - p)) with p uniform is below s t with probability 1 - √(1 - t²)."""
    values = np.array([[0.4, 0.7]])
    plan = Plan(5, 50_000)
    lower, _ = weighted_distributions(values, Design.iid(2), resolve_statistic("sd"), plan, HALF)
    for p in (0.025, 0.5, 0.9):
        t = float(lower.quantile(p)[0]) / (0.3 / np.sqrt(2))
        error = 5 * np.sqrt(p * (1 - p) / 50_000)
        assert abs(1 - np.sqrt(1 - t**2) - p) < error


@pytest.mark.parametrize("masses", [(0.5, 0.5), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.25, 2.0)])
@pytest.mark.parametrize("n", [1, 2, 9, 40])
@pytest.mark.parametrize("q", [0.07, 0.5, 0.9])
def test_a_quantile_has_the_probabilities_of_beta_variates(
    n: int, q: float, masses: tuple[float, float]
) -> None:
    values = np.linspace(0.1, 0.9, n)[None]
    statistic, plan = resolve_statistic(f"sample_quantile:{q}"), Plan(5, 9)
    pseudo_cases = PseudoCases(UNIT, masses, masses)
    lower, upper = weighted_distributions(values, Design.iid(n), statistic, plan, pseudo_cases)
    assert lower is upper
    level = (np.ceil(n * q - 1e-9) - 0.5) / n
    below, above = masses
    for k in range(n + 1):
        first, second = k + below, n - k + above
        if first == 0 or second == 0:
            continue
        up_to = special.betaincc(first, second, level)
        at = 0.0 if k == 0 else values[0, k - 1]
        for p in (up_to - 1e-9, up_to + 1e-9):
            if 1e-8 < p < 1 - 1e-8:
                assert (float(lower.quantile(p)[0]) <= at + 1e-12) == (p < up_to)


@pytest.mark.parametrize("n", [9, 21, 51])
def test_gaffke_of_a_median_is_the_exact_binomial_interval(n: int) -> None:
    values = np.sort(np.random.default_rng(n).beta(6, 2, n))
    estimate = hw.summary_ci(values, metric="dsc", statistic="median", method="gaffke")
    test: Any = stats.quantile_test(values, q=np.median(values), p=0.5)
    assert (estimate.low, estimate.high) == tuple(test.confidence_interval(0.95))


# --------------------------------------------------------------------------- promises


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", ["dirichlet", "gaffke"])
@pytest.mark.parametrize("name", STATISTICS)
def test_intervals_hold_their_estimate_and_are_nested(name: str, method: str) -> None:
    samples = [sample_of(2), sample_of(24), np.array([0.0, 1.0]), np.full(6, 0.8)]
    for values in samples:
        ends = []
        for level in (0.5, 0.95, 0.99):
            given: dict[str, Any] = {"metric": "dsc", "statistic": name, "rng": 3}
            e = hw.summary_ci(
                values, method=method, confidence_level=level, n_resamples=199, **given
            )
            assert e.low <= e.value <= e.high
            one_sided = hw.summary_ci(
                values,
                method=method,
                confidence_level=(1 + level) / 2,
                alternative="lower",
                n_resamples=199,
                **given,
            )
            assert one_sided.low == pytest.approx(e.low, abs=1e-12)
            ends.append((e.low, e.high))
        low, high = np.array(ends).T
        assert (np.diff(low) <= 0).all()
        assert (np.diff(high) >= 0).all()


def test_the_iqr_of_two_cases_is_that_of_plain_gammas() -> None:
    # Half the gap of two neighbours; the upper end has its pseudo-cases at 0 and at 1.
    values, own = arrange(np.array([0.3, 0.9]))
    made = weighted_distributions(values[None], own, resolve_statistic("iqr"), Plan(5, 9999), HALF)
    for end, masses in zip(made, masses_of("iqr", HALF), strict=True):
        assert_same_distribution(end, plain_draws("iqr", values, own, masses, 20_000))


@pytest.mark.parametrize("n", [2, 6, 10])
def test_the_largest_sd_of_all_is_not_cut_by_rounding(n: int) -> None:
    e = hw.summary_ci([0, 1] * (n // 2), metric="dsc", statistic="sd", n_resamples=199, rng=1)
    assert e.low <= e.value <= e.high
    assert "HW309" not in [caution.code for caution in e.cautions]


@pytest.mark.parametrize("method", ["dirichlet", "gaffke"])
def test_spreads_of_equal_values_reach_beyond_zero(method: str) -> None:
    for name in ("sd", "sd:ddof=0"):
        e = hw.summary_ci(np.full(10, 0.9), metric="dsc", statistic=name, method=method, rng=1)
        assert e.low == e.value == 0
        assert e.high > 0.05


def test_small_spreads_are_not_pushed_up_by_bounds_that_are_far_away() -> None:
    values = 0.9 + 0.01 * np.random.default_rng(2).normal(size=10)
    e = hw.summary_ci(values, metric="dsc", statistic="sd", method="dirichlet", rng=1)
    assert e.low < 0.01


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_resamples_of_two_cases_make_no_interval_of_their_sd(method: str) -> None:
    given: dict[str, Any] = {"metric": "dsc", "statistic": "sd", "rng": 1}
    e = hw.summary_ci([0.4, 0.7], method=method, **given)
    assert np.isnan([e.low, e.high]).all()
    assert "needs at least 3 cases" in str(next(c for c in e.cautions if c.code == "HW306"))
    weighted = hw.summary_ci([0.4, 0.7], method="dirichlet", **given)
    assert 0 < weighted.low < weighted.value < weighted.high


def test_a_function_of_ones_own_has_no_weighted_form() -> None:
    with pytest.raises(hw.OptionError, match="no weighted form; use auto, percentile"):
        hw.summary_ci(sample_of(9), metric="dsc", statistic=np.ptp, method="dirichlet")
