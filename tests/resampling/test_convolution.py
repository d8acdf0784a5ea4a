"""Exact bootstrap distributions of sums, against what else is known of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import signal, special, stats

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.resampling.distribution import Distribution, ExactDistribution
from halfwidth.resampling.exact import convolution
from halfwidth.resampling.exact.convolution import SmoothSum, sum_distribution, unit_draws
from halfwidth.resampling.exact.enumeration import can_enumerate, enumerated_sums
from halfwidth.resampling.exact.lattices import lattice_step

LEVELS = (0.0005, 0.005, 0.025, 0.2, 0.5, 0.9, 0.975, 0.995, 0.9995)


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def of_mean(values: Array) -> ExactDistribution | SmoothSum:
    limits = values.min(), values.max()
    return sum_distribution(
        [unit_draws(values)], centre=values.mean(), scale=len(values), limits=limits
    )


def standard_error(values: Array) -> float:
    return float(values.std() / np.sqrt(len(values)))


def all_means(values: Array) -> tuple[Array, Array]:
    """Means of all resamples, ascending, and their probabilities, value by value."""
    n = len(values)
    sums, left, log_ways = np.zeros(1), np.array([n]), np.zeros(1)
    for value in values[:-1]:
        choices = left + 1
        source = np.repeat(np.arange(len(left)), choices)
        times = np.arange(len(source)) - np.repeat(np.cumsum(choices) - choices, choices)
        sums, left = sums[source] + times * value, left[source] - times
        log_ways = log_ways[source] - special.gammaln(times + 1)
    sums = sums + left * values[-1]
    log_ways = log_ways - special.gammaln(left + 1) + special.gammaln(n + 1)
    order = np.argsort(sums)
    return sums[order] / n, np.exp(log_ways - n * np.log(n))[order]


def expansion(values: Array, level: float) -> float:
    """The quantile by Cornish and Fisher, whose terms left out are of the order of n^-1.5."""
    z, n = stats.norm.ppf(level), len(values)
    skewness, kurtosis = stats.skew(values) / np.sqrt(n), stats.kurtosis(values) / n
    return float(
        z
        + skewness * (z**2 - 1) / 6
        + kurtosis * (z**3 - 3 * z) / 24
        - skewness**2 * (2 * z**3 - 5 * z) / 36
    )


# --------------------------------------------------------------------------- enumeration


@pytest.mark.parametrize("strata", [(4,), (2, 3), (1, 1, 4)])
def test_enumerated_resamples_are_all_that_there_are(strata: Sequence[int]) -> None:
    values = [rng().normal(size=(2, units)) for units in strata]
    sums, probability = enumerated_sums(values)
    # Every sequence of draws by itself, each as likely as any.
    every = np.zeros((2, 1))
    for own in values:
        units = own.shape[-1]
        draws = np.array(np.meshgrid(*[np.arange(units)] * units)).reshape(units, -1)
        of_stratum = own[:, draws].sum(axis=1)
        every = (every[:, :, None] + of_stratum[:, None, :]).reshape(2, -1)
    assert probability.sum() == pytest.approx(1)
    for row, of_row in zip(sums, every, strict=True):
        # Between two sums, which rounding may put in either order.
        for limit in np.quantile(of_row, [0.01, 0.1, 0.4, 0.7, 0.99]) + 1e-9:
            assert probability[row < limit].sum() == pytest.approx((of_row < limit).mean())
    assert len(probability) == math.prod(math.comb(2 * units - 1, units) for units in strata)


def test_so_many_units_are_enumerated() -> None:
    assert can_enumerate([10])
    assert not can_enumerate([11])
    assert can_enumerate([2] * 10)
    assert not can_enumerate([5, 5, 5])
    assert not can_enumerate([10**6])


# --------------------------------------------------------------------------- few draws


def data_of(name: str, n: int) -> Array:
    g = rng()
    made = {
        "dice": g.beta(9, 2, n),
        "skewed": g.exponential(size=n),
        "heavy": g.lognormal(0, 2, n),
        "outlier": np.append(g.beta(90, 10, n - 1), 0.0),
        "hundredths": g.beta(9, 2, n).round(2),
        "halves": g.integers(0, 20, n) / 2,
        "single": g.beta(9, 2, n).round(2).astype(np.float32).astype(float),
        "thirds": g.integers(0, 7, n) / 3,
    }
    return np.sort(made[name])


@pytest.mark.parametrize("name", ["dice", "hundredths", "outlier"])
@pytest.mark.parametrize("n", [2, 3, 7, 10])
def test_of_few_values_every_resample_is_counted(name: str, n: int) -> None:
    values = data_of(name, n)
    found, (means, probability) = of_mean(values), all_means(values)
    cumulative = np.cumsum(probability)
    for level in LEVELS:
        expected = means[np.searchsorted(cumulative, level - 1e-12)]
        assert found.quantile(level) == pytest.approx(expected, rel=1e-12)
    mean, scale = values.mean(), np.abs(values).max()
    tied = np.abs(means - mean) <= 1e-12 * scale
    share = probability[(means < mean) & ~tied].sum() + probability[tied].sum() / 2
    assert found.share_below(mean, np.asarray(1e-12 * scale)) == pytest.approx(share)
    assert found.standard_deviation() == pytest.approx(standard_error(values))


@pytest.mark.parametrize(
    "name", ["dice", "skewed", "heavy", "outlier", "hundredths", "halves", "single", "thirds"]
)
def test_from_eleven_values_on_quantiles_are_within_a_thousandth(name: str) -> None:
    values = data_of(name, 11)
    found, (means, probability) = of_mean(values), all_means(values)
    cumulative = np.cumsum(probability)
    exact = [means[np.searchsorted(cumulative, level - 1e-12)] for level in LEVELS]
    near = 1e-3 * standard_error(values)
    assert [float(found.quantile(level)) for level in LEVELS] == pytest.approx(exact, abs=near)
    mean = values.mean()
    tied = np.abs(means - mean) <= 1e-6
    share = probability[(means < mean) & ~tied].sum() + probability[tied].sum() / 2
    assert found.share_below(mean, np.asarray(1e-12)) == pytest.approx(share, abs=1e-4)


# --------------------------------------------------------------------------- more draws


def by_halving(values: Array, count: int, step: float) -> tuple[Array, Array]:
    """The sum of draws on a fine grid, one convolution after another: where, and how likely."""
    points = np.rint((values - values.min()) / step).astype(int)
    share = np.bincount(points) / len(values)
    made = np.ones(1)
    for digit in f"{count:b}":
        made = signal.fftconvolve(made, made)
        if digit == "1":
            made = signal.fftconvolve(made, share)
    return (np.arange(len(made)) * step + count * values.min()) / count, made


@pytest.mark.parametrize(("name", "n"), [("halves", 60), ("hundredths", 60), ("thirds", 200)])
def test_lattices_keep_their_atoms(name: str, n: int) -> None:
    values, step = data_of(name, n), {"halves": 0.5, "hundredths": 0.01, "thirds": 1 / 3}[name]
    found = of_mean(values)
    assert isinstance(found, ExactDistribution)
    means, probability = by_halving(values, n, step)
    cumulative = np.cumsum(probability)
    for level in LEVELS:
        expected = means[np.searchsorted(cumulative, level - 1e-12)]
        assert found.quantile(level) == pytest.approx(expected, rel=1e-12)
    mean = int(np.argmin(np.abs(means - values.mean())))
    share = cumulative[mean] - probability[mean] / 2
    assert found.share_below(values.mean(), np.asarray(1e-12)) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("n", [60, 334])
def test_a_fine_lattice_rounds_quantiles_up_to_its_points(n: int) -> None:
    values = rng().beta(9, 2, n).round(4)
    found = of_mean(values)
    assert isinstance(found, SmoothSum)
    means, probability = by_halving(values, n, 1e-4)
    cumulative = np.cumsum(probability)
    near = 1e-9 * standard_error(values)
    for level in LEVELS:
        expected = means[np.searchsorted(cumulative, level - 1e-13)]
        assert found.quantile(level) == pytest.approx(expected, abs=near)
    mean = int(np.argmin(np.abs(means - values.mean())))
    share = cumulative[mean] - probability[mean] / 2
    assert found.share_below(values.mean(), np.asarray(1e-12)) == pytest.approx(share, abs=1e-10)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["dice", "skewed", "outlier", "heavy"])
def test_from_fifty_values_on_quantiles_are_within_a_millionth(name: str) -> None:
    # Values that are close to a fine grid of others have their distribution, but for as much as
    # they are away; what these have is known from one convolution after another.
    n = 60
    values = data_of(name, n)
    step = 2e-6 * float(values.std())
    step = max(step, float(np.ptp(values)) / 2**15)
    values = values.min() + np.rint((values - values.min()) / step) * step
    jitter = step * 1e-3 * rng().uniform(-1, 1, n)
    found = of_mean(np.sort(values + jitter - jitter.mean()))
    assert isinstance(found, SmoothSum)
    means, cumulative = _cumulative_by_transform(values, n, step)
    for level in LEVELS:
        place = int(np.searchsorted(cumulative, level))
        between = np.interp(level, cumulative[place - 1 : place + 1], means[place - 1 : place + 1])
        # The sum of points of the grid stands for what lies half a step to either side.
        expected = between + step / n / 2
        assert found.quantile(level) == pytest.approx(
            expected, abs=1e-6 * standard_error(values) + step / n
        )


def _cumulative_by_transform(values: Array, count: int, step: float) -> tuple[Array, Array]:
    points = np.rint((values - values.min()) / step).astype(int)
    share = np.bincount(points) / len(values)
    size = 1 << (count * (len(share) - 1)).bit_length()
    made = np.fft.irfft(np.fft.rfft(share, size) ** count, size)
    return (np.arange(size) * step + count * values.min()) / count, np.cumsum(made)


@pytest.mark.parametrize("share", [0.5, 0.03, 0.0003])
@pytest.mark.parametrize("n", [60, 1000, 100_000])
def test_of_zeros_and_ones_it_is_binomial(share: float, n: int) -> None:
    ones = max(1, round(share * n))
    values = (np.arange(n) >= n - ones).astype(float)
    found = of_mean(values)
    for level in LEVELS:
        expected = stats.binom.ppf(level, n, ones / n)
        assert n * found.quantile(level) == pytest.approx(expected, abs=1e-6)
    share = stats.binom.cdf(ones - 1, n, ones / n) + stats.binom.pmf(ones, n, ones / n) / 2
    assert found.share_below(np.asarray(ones / n), np.asarray(1e-12)) == pytest.approx(share)


@pytest.mark.parametrize(
    ("values", "tolerance"),
    [
        (rng().beta(9, 2, 100_000), 1e-6),
        (rng().beta(9, 2, 100_000).round(2), 3e-4),
        (1e6 + rng().exponential(1, 100_000), 2e-5),
        (rng().lognormal(0, 1.5, 100_000), 1e-2),
        (rng().beta(9, 2, 1_000_000), 1e-7),
    ],
    ids=["beta", "rounded", "exponential", "heavy tail", "million"],
)
def test_quantiles_of_many_are_those_of_the_expansion(values: Array, tolerance: float) -> None:
    found, error = of_mean(values), standard_error(values)
    for level in LEVELS:
        at = float((found.quantile(level) - values.mean()) / error)
        assert at == pytest.approx(expansion(values, level), abs=tolerance)


def test_cells_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.sort(rng().gamma(2, size=5000))
    in_cells = of_mean(values)
    monkeypatch.setattr(convolution, "MOST_VALUES", 10_000)
    plain = of_mean(values)
    near = 1e-8 * standard_error(values)
    for level in LEVELS:
        assert float(in_cells.quantile(level)) == pytest.approx(
            float(plain.quantile(level)), abs=near
        )


def test_one_value_far_from_all_others() -> None:
    # How often it is drawn is a binomial number, and between its steps the sum is nearly normal.
    n, far = 100_000, 1e5
    values = np.sort(np.append(rng().normal(size=n - 1), far))
    found = of_mean(values)
    rest = values[:-1]
    times = np.arange(30)
    for place in (-0.01, 0.5, 1.02, 2.0):
        left = (place * n - times * far - (n - times) * rest.mean()) / (
            rest.std() * np.sqrt(n - times)
        )
        expected = stats.binom.pmf(times, n, 1 / n) @ stats.norm.cdf(left)
        assert found.share_below(np.asarray(place), np.zeros(1)) == pytest.approx(
            expected, abs=1e-6
        )


@pytest.mark.parametrize("n", [60, 120, pytest.param(300, marks=pytest.mark.slow)])
def test_resamples_without_the_outlier_stay_at_the_low_end(n: int) -> None:
    values = np.append(np.random.default_rng(0).normal(size=n - 1), 1e6)
    found = sum_distribution([unit_draws(values)], centre=values.mean(), scale=n)
    times = stats.binom(n, 1 / n)
    for level in (0.025, 0.25, 0.6, 0.8, 0.95, 0.975, 0.995):
        rest = values[:-1].mean() * (1 - times.ppf(level) / n)
        expected = times.ppf(level) * 1e6 / n + rest
        assert found.quantile(level) == pytest.approx(expected, abs=2e-3 * values.std() / n**0.5)


def test_values_beside_an_outlier_stay_apart() -> None:
    values = np.array([1.93, -0.80, -1.03, 1e6])
    means = np.array(list(itertools.product(values, repeat=4))).mean(axis=1)
    found = sum_distribution([unit_draws(values)], centre=values.mean(), scale=4)
    for level in LEVELS:
        assert found.quantile(level) == pytest.approx(
            np.quantile(means, level, method="inverted_cdf"), abs=1e-6
        )
    below, tied = np.mean(means < values.mean() - 1e-6), 24 / 256
    share = found.share_below(values.mean(), np.asarray(1e-6))
    assert share == pytest.approx(below + tied / 2)


@pytest.mark.slow
@pytest.mark.parametrize("n", [14, 51])
def test_quantiles_are_those_of_ten_million_draws(n: int) -> None:
    g = rng()
    values, batch = np.sort(g.beta(9, 2, n)), 10**7 // n if n < 100 else 10**4
    means = np.concatenate(
        [values[g.integers(0, n, (batch, n))].mean(axis=1) for _ in range(10**7 // batch)]
    )
    found = of_mean(values)
    for level in (0.025, 0.5, 0.975):
        assert float(found.quantile(level)) == pytest.approx(
            float(np.quantile(means, level)), abs=5e-3 * standard_error(values)
        )


# --------------------------------------------------------------------------- ends and strata


def test_values_that_do_not_vary() -> None:
    found = of_mean(np.full(1000, 0.3))
    assert found.quantile(0.025) == found.quantile(0.975) == pytest.approx(0.3)
    assert found.share_below(np.asarray(0.3), np.asarray(1e-12)) == 0.5


@pytest.mark.parametrize("n", [5, 30, 1000])
def test_levels_that_are_none_or_beyond(n: int) -> None:
    values = rng().gamma(2, size=n)
    found = of_mean(values)
    assert np.isnan(found.quantile(np.nan))
    assert values.min() <= found.quantile(1e-300) <= found.quantile(1e-9)
    assert found.quantile(1 - 1e-9) <= found.quantile(1.0) <= values.max()


def test_quantiles_rise_with_the_level() -> None:
    levels = np.linspace(1e-6, 1 - 1e-6, 801)
    for name, n in (("outlier", 40), ("dice", 25), ("halves", 30), ("skewed", 400)):
        found = of_mean(data_of(name, n))
        quantiles = np.array([float(found.quantile(level)) for level in levels])
        assert (np.diff(quantiles) >= 0).all()


@pytest.mark.parametrize("rounded", [True, False])
def test_strata_are_drawn_each_by_itself(rounded: bool) -> None:
    g = rng()
    strata = [g.beta(9, 2, 5), g.beta(2, 9, 4) + 3]
    strata = [values.round(1) if rounded else values for values in strata]
    centre = float(np.concatenate(strata).mean())
    found = sum_distribution([unit_draws(values) for values in strata], centre=centre, scale=9)
    sums, probability = enumerated_sums([values[None] for values in strata])
    order = np.argsort(sums[0])
    means, cumulative = sums[0][order] / 9, np.cumsum(probability[order])
    for level in LEVELS:
        expected = means[np.searchsorted(cumulative, level - 1e-12)]
        assert found.quantile(level) == pytest.approx(expected, rel=1e-12)


def test_lattices_are_found_and_only_they() -> None:
    g = rng()
    scores = g.integers(0, 40, 300)
    for step in (0.5, 0.01, 1 / 3, 7.0, 1e-4):
        values = 5.1 + scores * step
        found = lattice_step([values - values[0]], float(values.std()), few=False)
        assert found == pytest.approx(step, rel=1e-9)
    mixed = np.append(scores, 3.25)
    assert lattice_step([mixed - mixed[0]], float(mixed.std()), few=False) == 0.25
    assert lattice_step([g.normal(size=300)], 1.0, few=False) is None
    # Strata may each have their own place, but not their own step.
    assert lattice_step([np.array([0.0, 1.0]), np.array([0.0, 1.5])], 1.0, few=True) == 0.5


# --------------------------------------------------------------------------- at the front door


def drawn_and_exact(**options: object) -> tuple[hw.Estimate, hw.Estimate]:
    exact = hw.summary_ci(metric="dsc", **options)  # type: ignore[arg-type]
    drawn = hw.summary_ci(metric="dsc", n_resamples=40_000, rng=1, **options)  # type: ignore[arg-type]
    assert (exact.n_resamples, exact.seed, exact.n_undefined) == (None, None, 0)
    assert (drawn.n_resamples, drawn.seed) == (40_000, 1)
    return exact, drawn


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
@pytest.mark.parametrize("design", ["iid", "pairs", "clusters", "strata", "both"])
def test_means_need_no_draws(method: str, design: str) -> None:
    g = rng()
    values = g.beta(9, 2, 90)
    clusters, strata = np.sort(g.integers(0, 40, 90)), np.arange(90) // 45
    given = {
        "iid": {},
        "pairs": {"groups": np.arange(90) // 2},
        "clusters": {"groups": clusters},
        "strata": {"strata": strata},
        "both": {"groups": 100 * strata + clusters, "strata": strata},
    }[design]
    exact, drawn = drawn_and_exact(values=values, method=method, **given)
    # The noise of bounds from so many draws is a hundredth or two of a standard error.
    near = 0.06 * exact.standard_error
    assert (exact.low, exact.high) == pytest.approx((drawn.low, drawn.high), abs=near)
    assert exact.standard_error == pytest.approx(drawn.standard_error, rel=0.015)
    assert not any(caution.code == "HW311" for caution in exact.cautions)


def test_the_order_of_the_cases_changes_nothing() -> None:
    values = rng().beta(9, 2, 200)
    one, other = (hw.summary_ci(v, metric="dsc", method="bca") for v in (values, values[::-1]))
    assert (one.low, one.high) == (other.low, other.high)


def test_the_mean_of_differences_needs_none_either() -> None:
    g = rng()
    first, second = g.beta(9, 2, 60), g.beta(8, 2, 60)
    exact = hw.difference_ci(first, second, metric="dsc", method="percentile")
    drawn = hw.difference_ci(
        first, second, metric="dsc", method="percentile", n_resamples=40_000, rng=1
    )
    assert (exact.n_resamples, exact.seed) == (None, None)
    near = 0.06 * exact.standard_error
    assert (exact.low, exact.high) == pytest.approx((drawn.low, drawn.high), abs=near)


def test_other_statistics_are_drawn_as_ever() -> None:
    values = rng().beta(9, 2, 200)
    assert hw.summary_ci(values, statistic="sd", method="bca", rng=1).n_resamples == 9999
    assert hw.summary_ci(values, method="studentized", rng=1).n_resamples == 9999


def test_distributions_of_a_batch_are_those_of_each() -> None:
    from halfwidth.resampling.distribution import BatchDistribution

    each = [of_mean(data_of(name, 30)) for name in ("dice", "halves")]
    both: Distribution | None = BatchDistribution.join(each)
    assert both is not None
    assert both.quantile(0.025).tolist() == [float(one.quantile(0.025)) for one in each]
    assert both.quantile(np.array([0.1, 0.9]))[1] == each[1].quantile(0.9)
    assert both.mean().tolist() == [float(one.mean()) for one in each]
    assert both.n_resamples is None
    assert not both.n_undefined.any()
    assert BatchDistribution.join([each[0], None]) is None
