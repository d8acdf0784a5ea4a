"""Intervals of calibration errors, by enumeration, by brute force and by simulation."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from over_data import metric_ci
from scipy import stats
from support import codes, message

import halfwidth as hw
from halfwidth.calibration.metrics.chance import mean_absolute_deviation
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import Level
from halfwidth.intervals import inverted
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building, ece_l2
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.noise.deviations import Deviations, deviations

Array = NDArray[Any]
PLAN = Plan(entropy=4, n_resamples=499)


def statistic_of(name: str, bins: float = 10, classes: int | None = None) -> Statistic:
    metric = Metric(hw.SAMPLE_METRICS[name], {"bins": bins, "binning": 0.0})
    return building.probability_statistic(metric, classes, "macro" if classes else "")


def paired(n: int) -> Design:
    return Design((n,), paired=True)


def covariance_of(root: Array) -> Array:
    return np.asarray(root @ root.T)


# --------------------------------------------------------------------------- the noise


def test_noise_of_perfect_calibration_is_that_of_all_outcomes_that_there_are() -> None:
    p = np.array([0.05, 0.3, 0.35, 0.38, 0.8, 0.95])
    statistic = statistic_of("ece", 5)
    form = statistic.spec.form
    sums, chances = [], []
    for outcome in itertools.product([0.0, 1.0], repeat=len(p)):
        y = np.array(outcome)
        sums.append(form.features(np.stack([p, y])).sum(axis=-1) / len(p))  # type: ignore[union-attr]
        chances.append(np.prod(np.where(y == 1, p, 1 - p)))
    wanted = np.cov(np.array(sums).T, aweights=chances, ddof=0)
    records = np.stack([p, (p > 0.5).astype(float)])
    made = deviations(records[None], paired(6), statistic, PLAN)
    np.testing.assert_allclose(covariance_of(made.perfect[0]), wanted, atol=1e-15)


def test_noise_of_classes_is_that_of_all_true_classes_that_there_are() -> None:
    scores = np.random.default_rng(2).dirichlet(np.ones(3), 4)
    statistic = statistic_of("ece", 4, classes=3)
    form = statistic.spec.form
    sums, chances = [], []
    for truth in itertools.product(range(3), repeat=4):
        records = np.vstack([scores.T, np.array(truth, float)])
        # Of the mean over three classes.
        sums.append(form.features(records).sum(axis=-1) / 4 / 3)  # type: ignore[union-attr]
        chances.append(np.prod(scores[np.arange(4), truth]))
    wanted = np.cov(np.array(sums).T, aweights=chances, ddof=0)
    records = np.vstack([scores.T, [[0.0, 1.0, 2.0, 0.0]]])
    made = deviations(records[None], paired(4), statistic, PLAN)
    np.testing.assert_allclose(covariance_of(made.perfect[0]), wanted, atol=1e-15)
    assert np.abs(made.centre[0]).sum() == pytest.approx(statistic(records[None])[0])


def test_noise_of_the_cases_is_their_covariance() -> None:
    generator = np.random.default_rng(3)
    records = np.stack([generator.random(40), generator.integers(2, size=40)]).astype(float)
    statistic = statistic_of("ece")
    features = statistic.spec.form.features(records)  # type: ignore[union-attr]
    made = deviations(records[None], paired(40), statistic, PLAN)
    np.testing.assert_allclose(covariance_of(made.noise[0]), np.cov(features) / 40, atol=1e-15)
    # Of strata within them, of clusters between their sums.
    design = Design((16, 24), paired=True)
    within = 16 * np.cov(features[:, :16]) + 24 * np.cov(features[:, 16:])
    stratified = deviations(records[None], design, statistic, PLAN)
    np.testing.assert_allclose(covariance_of(stratified.noise[0]), within / 40**2, atol=1e-15)
    clustered = deviations(records[None], Design((10,), (4,) * 10, True), statistic, PLAN)
    of_clusters = np.cov(features.reshape(10, 10, 4).sum(axis=-1))
    np.testing.assert_allclose(
        covariance_of(clustered.noise[0]), of_clusters * 10 / 40**2, atol=1e-15
    )


# --------------------------------------------------------------------------- the inversion


def by_brute_force(given: Deviations, observed: float, *, even: bool) -> Array:
    """The largest true size of each draw, among so many that are tried."""
    d, perfect, noise = given.centre[0], given.perfect[0], given.noise[0]
    variance = np.diag(covariance_of(noise))
    direction = np.copysign(np.sqrt(d**2 + variance), d) if even else d
    direction = direction * observed / np.abs(direction).sum()
    grows = variance > np.diag(covariance_of(perfect))
    found = np.zeros(given.n_resamples)
    for scale in np.linspace(0, 8, 2001):
        at_most = min(scale, 1.0)
        beyond = max(scale - 1, 0.0) * grows
        drawn = given.draws @ perfect * (1 - at_most - beyond)
        drawn = drawn + given.draws @ noise * (at_most + beyond)
        fits = np.abs(scale * direction + drawn).sum(axis=-1) <= observed
        found[fits] = scale * observed
    return found


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_bounds_are_those_of_trying_all_true_sizes(seed: int) -> None:
    generator = np.random.default_rng(seed)
    p = generator.beta(1, 2, 60)
    y = generator.random(60) < p ** (1 + seed / 2)
    given = deviations(
        np.stack([p, y.astype(float)])[None], paired(60), statistic_of("ece", 5), PLAN
    )
    made, observed = inverted(given, 60, Level(0.9)), given.size[0]
    alone = np.abs(given.draws @ given.perfect[0]).sum(axis=-1)
    tried = np.where(alone <= observed, by_brute_force(given, observed, even=False), 0.0)
    step = max(observed, np.median(alone)) * 4e-3
    assert made.low[0] == pytest.approx(min(np.quantile(tried, 0.05), observed), abs=2 * step)
    tried = by_brute_force(given, max(observed, np.median(alone)), even=True)
    assert made.high[0] == pytest.approx(max(np.quantile(tried, 0.95), observed), abs=2 * step)


def test_the_lower_end_is_zero_just_where_chance_alone_often_gives_more() -> None:
    generator = np.random.default_rng(6)
    p = generator.beta(1, 2, (60, 50))
    records = np.stack([p, generator.random((60, 50)) < p * 0.8], axis=1).astype(float)
    given = deviations(records, paired(50), statistic_of("ece"), PLAN)
    more = (given.perfect_sizes > given.size[:, None]).mean(axis=-1)
    made = inverted(given, 50, Level(0.9))
    assert ((more > 0.055) <= (made.low == 0)).all()
    assert ((more < 0.045) <= (made.low > 0)).all()
    assert 0 < (made.low == 0).sum() < 60


def test_of_one_bin_it_is_a_normal_interval_but_for_the_noise_of_calibration() -> None:
    # 30 of 100 happen, foreseen with .5: far from calibrated, so that the sign is certain.
    y = np.repeat([1, 0], [30, 70])
    e = metric_ci(y, np.full(100, 0.5), metric="ece:bins=1", rng=1, n_resamples=99_999)
    assert e.value == pytest.approx(0.2)
    # The SD goes from .05 at 0 to √(.3 · .7 / 99) at .2: low = .2 - z · SD(low), high at SD(.2).
    z, perfect, own = 1.959964, 0.05, math.sqrt(0.21 / 99)
    low = (0.2 - z * perfect) / (1 + z * (own - perfect) / 0.2)
    assert e.low == pytest.approx(low, abs=1e-3)
    assert e.high == pytest.approx(0.2 + z * own, abs=1e-3)
    assert e.standard_error == pytest.approx(own, rel=0.02)


def test_certain_predictions_that_are_all_right_leave_what_a_proportion_leaves() -> None:
    y = np.repeat([0, 1], 20)
    e = metric_ci(y, y.astype(float), metric="ece", rng=1, scores="probabilities")
    assert (e.value, e.low) == (0.0, 0.0)
    assert e.high == pytest.approx(stats.beta.ppf(0.975, 1, 40))


def test_copies_of_cases_in_clusters_say_nothing_new() -> None:
    generator = np.random.default_rng(8)
    p = generator.beta(1, 2, 60)
    y = (generator.random(60) < p**2).astype(int)
    draws: dict[str, Any] = {"metric": "ece", "rng": 1, "n_resamples": 1999}
    single = metric_ci(y, p, **draws)
    copied = metric_ci(
        np.repeat(y, 4), np.repeat(p, 4), groups=np.repeat(np.arange(60), 4), **draws
    )
    blind = metric_ci(np.repeat(y, 4), np.repeat(p, 4), **draws)
    assert copied.value == pytest.approx(single.value)
    # Of Student's t with 59 degrees of freedom: a little wider.
    assert 0.97 < copied.width / single.width < 1.1
    assert blind.width < 0.7 * single.width


def test_equal_weights_are_none() -> None:
    generator = np.random.default_rng(9)
    p = generator.beta(1, 2, 80)
    y = (generator.random(80) < p**2).astype(int)
    draws: dict[str, Any] = {"metric": "ece", "rng": 1, "n_resamples": 499}
    plain = metric_ci(y, p, **draws)
    weighted = metric_ci(y, p, sample_weight=np.full(80, 0.3), **draws)
    assert [weighted.low, weighted.high] == pytest.approx([plain.low, plain.high], rel=1e-9)


# --------------------------------------------------------------------------- the debiased square


def pair_sum(p: Array, y: Array, bins: int) -> float:
    """T, by a loop over all pairs of cases."""
    inside = np.maximum(np.ceil(p * bins - 1e-9), 1)
    total = 0.0
    for i, j in itertools.permutations(range(len(p)), 2):
        if inside[i] == inside[j]:
            total += (p[i] - y[i]) * (p[j] - y[j]) / ((inside == inside[i]).sum() - 1)
    return total / len(p)


def square_of(p: Array, y: Array, bins: int) -> Any:
    form: Any = statistic_of("ece_l2", bins).spec.form
    return form.square(np.asarray(float(len(p))), form.features(np.stack([p, y])).sum(axis=-1))


@pytest.mark.parametrize("seed", range(3))
def test_debiased_square_is_the_sum_over_pairs(seed: int) -> None:
    generator = np.random.default_rng(seed)
    p, y = generator.random(30), generator.integers(2, size=30).astype(float)
    for bins in (1, 3, 10):
        wanted = pair_sum(p, y, bins)
        assert float(square_of(p, y, bins).value) == pytest.approx(wanted, abs=1e-14)
        assert ece_l2(y, p, bins=bins) == pytest.approx(math.sqrt(max(wanted, 0)), abs=1e-9)


def test_debiased_square_has_no_bias() -> None:
    # Over all outcomes of eight cases, three in one bin and five in another.
    p = np.array([0.1, 0.2, 0.3, 0.55, 0.6, 0.7, 0.8, 0.9])
    q = np.array([0.3, 0.2, 0.6, 0.5, 0.6, 0.8, 0.7, 0.9])
    values, chances = [], []
    for outcome in itertools.product([0.0, 1.0], repeat=8):
        y = np.array(outcome)
        values.append(float(square_of(p, y, 2).value))
        chances.append(np.prod(np.where(y == 1, q, 1 - q)))
    assert np.dot(values, chances) == pytest.approx(pair_sum(p, 1.0 * q, 2), abs=1e-14)


def test_noise_of_the_debiased_square_is_its_variance_under_calibration() -> None:
    # All foreseen with .4, so that cases have one variance: over all outcomes of nine.
    p = np.full(9, 0.4)
    values, chances = [], []
    for outcome in itertools.product([0.0, 1.0], repeat=9):
        y = np.array(outcome)
        values.append(float(square_of(p, y, 1).value))
        chances.append(np.prod(np.where(y == 1, p, 1 - p)))
    mean = np.dot(values, chances)
    variance = np.dot((np.array(values) - mean) ** 2, chances)
    assert mean == pytest.approx(0.0, abs=1e-14)
    # No sample of few positives is certain: its variance is at least that of calibration.
    assert float(square_of(p, np.zeros(9), 1).noise) == pytest.approx(variance)


def test_bounds_of_the_debiased_error_solve_their_equation() -> None:
    generator = np.random.default_rng(11)
    p = generator.beta(1, 2, 400)
    y = (generator.random(400) < p**2).astype(float)
    e = metric_ci(y.astype(int), p, metric="ece_l2", rng=1)
    square, z = square_of(np.sort(p), y[np.argsort(p)], 10), 1.959964
    assert e.method == "debiased"
    assert e.low > 0
    for end in (e.low, e.high):
        error = square.slope * end**2 + square.noise
        assert abs(square.value - end**2) == pytest.approx(z * math.sqrt(error), rel=1e-5)
    # v θ is four times the variance of the U-statistic's projection, here of all cases at once.
    inside = np.ceil(p * 10)
    mean = np.array([(p - y)[inside == one].mean() for one in inside])
    influence = 2 * mean * (p - y) - mean**2
    plain = (mean**2).mean()
    assert square.slope * plain == pytest.approx(influence.var() / 400, rel=0.05)


def test_a_calibrated_model_has_no_debiased_error_half_of_the_time() -> None:
    generator = np.random.default_rng(12)
    p = generator.beta(1, 2, (200, 100))
    y = generator.random((200, 100)) < p
    zero = [ece_l2(one, of) == 0 for one, of in zip(y, p, strict=True)]
    # P(fewer than 40 % or more than 75 %) is below 1e-4 where it is 58 %.
    assert 0.4 < np.mean(zero) < 0.75


def test_debiased_error_takes_independent_cases_alone() -> None:
    p, y = np.linspace(0, 1, 30), np.arange(30) % 2
    for options in ({"groups": y}, {"strata": y}, {"sample_weight": p}):
        with pytest.raises(hw.HalfwidthError, match="pairs of independent cases"):
            metric_ci(y, p, metric="ece_l2", **options)
    with pytest.raises(hw.HalfwidthError, match="macro"):
        metric_ci(y, p, metric="ece_l2", average="macro")


# --------------------------------------------------------------------------- cautions


def test_mean_absolute_deviation_is_that_of_all_outcomes() -> None:
    for p in ([], [0.0, 1.0], [0.3], [0.01, 0.02, 0.9], [0.5] * 8, [0.1, 0.4, 0.6, 0.99, 1.0]):
        chances = np.array(p)
        wanted = sum(
            np.prod(np.where(np.array(y) == 1, chances, 1 - chances)) * abs(sum(y) - chances.sum())
            for y in itertools.product([0, 1], repeat=len(p))
        )
        assert mean_absolute_deviation(chances) == pytest.approx(wanted, abs=1e-12)
    # Many cases: that of a binomial, on both sides of what counts as normal.
    for n, share in ((1000, 0.002), (1000, 0.0089), (1000, 0.0095), (4000, 0.3), (70_000, 1e-4)):
        number = np.arange(n + 1)
        wanted = np.abs(number - n * share) @ stats.binom.pmf(number, n, share)
        assert mean_absolute_deviation(np.full(n, share)) == pytest.approx(wanted, rel=0.01)


def test_what_chance_gives_is_the_mean_over_outcomes_of_a_calibrated_model() -> None:
    generator = np.random.default_rng(13)
    p = generator.beta(1, 2, 100)
    y = (generator.random(100) < p).astype(int)
    found = message(metric_ci(y, p, metric="ece", rng=1), "HW508")
    simulated = np.mean(
        [hw.metrics.ece((generator.random(100) < p).astype(int), p) for _ in range(500)]
    )
    said = float(found.split("about ")[1].split()[0])
    # To the two digits printed, and 500 samples.
    assert said == pytest.approx(simulated, rel=0.08)
    assert "100 cases; the debiased ℓ2 ECE is" in found
    classes = metric_ci(y, np.column_stack([1 - p, p]), metric="ece", average="macro", rng=1)
    assert "about" in message(classes, "HW508")
    assert "debiased" not in message(classes, "HW508")


def test_a_large_error_is_not_called_one_by_chance() -> None:
    generator = np.random.default_rng(14)
    p = generator.beta(1, 2, 1000)
    y = (generator.random(1000) < p**3).astype(int)
    assert "HW508" not in codes(metric_ci(y, p, metric="ece", rng=1))


@pytest.mark.parametrize("metric", ["ece", "mce", "ece_l2"])
@pytest.mark.parametrize("method", ["percentile", "bca", "basic", "dirichlet"])
def test_resamples_of_a_calibration_error_are_cautioned(metric: str, method: str) -> None:
    p, y = np.linspace(0.01, 0.99, 60), np.arange(60) % 2
    e = metric_ci(y, p, metric=metric, method=method, n_resamples=199, rng=1)
    assert "HW321" in codes(e)


def test_what_auto_takes_is_not_cautioned_as_resampled() -> None:
    p, y = np.linspace(0.01, 0.99, 60), np.arange(60) % 2
    for metric in ("ece", "ece_l2", "brier"):
        assert "HW321" not in codes(metric_ci(y, p, metric=metric, n_resamples=199, rng=1))


def test_a_comparison_of_calibration_errors_is_cautioned_too() -> None:
    p, y = np.linspace(0.01, 0.99, 60), np.arange(60) % 2
    models = {"a": p, "b": p**2}
    compared = hw.compare(
        hw.Predictions.from_arrays(y, models), metric="ece", n_resamples=199, rng=1, method="bca"
    )
    assert "HW321" in codes(compared[0])
    assert "ECE of each model" in message(compared[0], "HW321")  # type: ignore[arg-type]
    assert "HW321" not in codes(
        hw.compare(hw.Predictions.from_arrays(y, models), metric="brier", n_resamples=199, rng=1)[0]
    )


# --------------------------------------------------------------------------- coverage


def covered(
    name: str, bent: float, spread: float, middle: float, n: int, samples: int
) -> tuple[float, float]:
    """Shares of samples whose interval lies above the truth, and below it.

    The log odds are normal; the true ones are ``bent`` times as large.
    """
    generator = np.random.default_rng(n)

    def drawn(samples: int, n: int) -> tuple[Array, Array]:
        logits = generator.normal(middle, spread, (samples, n))
        return 1 / (1 + np.exp(-logits)), 1 / (1 + np.exp(-bent * logits))

    truth = 0.0
    if bent != 1:
        p, q = drawn(1, 400_000)
        inside = np.maximum(np.ceil(p[0] * 10), 1).astype(int)
        gaps = np.bincount(inside, (p - q)[0]) / p.size
        shares = np.bincount(inside) / p.size
        truth = np.abs(gaps).sum()
        if name == "ece_l2":
            truth = math.sqrt((gaps[shares > 0] ** 2 / shares[shares > 0]).sum())
    p, q = drawn(samples, n)
    records = np.stack([p, generator.random(p.shape) < q], axis=1).astype(float)
    statistic = statistic_of(name)
    method = hw.METHODS["inverted" if name == "ece" else "debiased"]
    (made,) = intervals(records, statistic, [method], Level(0.95), plan=PLAN, design=paired(n))
    bounds = made.interval
    return float((bounds.low > truth).mean()), float((bounds.high < truth).mean())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["ece", "ece_l2"])
@pytest.mark.parametrize("middle", [0.0, -3.0])
def test_intervals_hold_the_truth_of_calibrated_models(name: str, middle: float) -> None:
    # The plug-in's percentile and BCa intervals hold it never. More than 7 % of 400 where it is
    # 3.5 % has probability 4e-4; the draws are fixed.
    above, below = covered(name, 1.0, 1.5, middle, 60, 400)
    assert above < 0.07
    assert below == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ece", "ece_l2"])
@pytest.mark.parametrize("n", [50, 200, 1000])
@pytest.mark.parametrize(("bent", "middle"), [(1.0, 0.0), (1.0, -3.0), (0.6, 0.0), (0.7, -2.0)])
def test_each_end_misses_the_truth_about_as_often_as_it_may(
    name: str, n: int, bent: float, middle: float
) -> None:
    above, below = covered(name, bent, 1.5, middle, n, 500)
    # 2.5 % wanted; of 500 samples 7.5 % or more of either where it is 5 % has probability 0.009;
    # the draws are fixed.
    assert above < 0.075
    assert below < 0.06
    assert above + below < 0.085
