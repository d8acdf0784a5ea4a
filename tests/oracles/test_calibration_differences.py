"""Differences of two models' calibration errors, by covariances, closed forms and simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from over_data import metric_ci
from scipy import special, stats
from support import codes

import halfwidth as hw
from halfwidth.core.forms import UnbiasedSquare
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import Level
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional
from halfwidth.intervals import debiased, joint_inversion
from halfwidth.intervals.compute import intervals
from halfwidth.metrics import building
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import single_model
from halfwidth.resampling.noise.curve_gaps import paired_curve_gaps
from halfwidth.resampling.noise.deviations import paired_deviations
from halfwidth.resampling.noise.true_sizes import PairedSizes, paired_sizes

Array = NDArray[Any]
PLAN = Plan(entropy=4, n_resamples=199)
BOTH = hw.Bounds(-1, 1)


def difference_of(name: str, bins: float = 10) -> Statistic:
    if name == "ici":
        metric = Metric(hw.SAMPLE_METRICS[name], {"knots": 4.0})
        one = building.logistic_statistic(metric)
    else:
        metric = Metric(hw.SAMPLE_METRICS[name], {"bins": bins, "binning": 0.0})
        one = building.probability_statistic(metric, None, "")
    return difference_functional(Functional(one, metric)).statistic


def pairs_of(seed: int, samples: int, n: int, second: float = 1.7) -> Array:
    """A calibrated model, and another whose log odds are this many times as large."""
    generator = np.random.default_rng(seed)
    x = generator.normal(0, 1.2, (samples, n))
    y = generator.random(x.shape) < special.expit(x)
    p = (special.expit(x), special.expit(second * (x + generator.normal(0, 0.3, x.shape))))
    return np.stack([np.stack([one, y], axis=1) for one in p], axis=1)


def paired(n: int) -> Design:
    return Design((n,), paired=True)


def ends(pairs: Array, statistic: Statistic, level: Level, plan: Plan = PLAN) -> Any:
    design = paired(pairs.shape[-1])
    method = hw.METHODS["joint_inversion"]
    (made,) = intervals(pairs, statistic, [method], level, bounds=BOTH, plan=plan, design=design)
    return made.interval


# --------------------------------------------------------------------------- noise of both


def test_noise_of_two_models_goes_together_as_the_cases_show() -> None:
    pairs, statistic = pairs_of(1, 1, 200), single_model(difference_of("ece", 4))
    first, second, (together,) = paired_deviations(pairs, paired(200), statistic)
    features = [statistic.spec.form.features(pairs[0, side]) for side in (0, 1)]  # type: ignore[union-attr]
    wanted = np.cov(features[0], features[1])[:4, 4:] / 200
    np.testing.assert_allclose(first.noise[0] @ together @ second.noise[0], wanted, atol=1e-15)
    # No part of the noise of one is more than all of it.
    assert np.linalg.svd(together, compute_uv=False).max() < 1


def test_noise_of_two_curves_goes_together_as_the_scores_of_cases_do() -> None:
    n = 400
    pairs, statistic = pairs_of(2, 1, n), single_model(difference_of("ici"))
    first, second, (together,) = paired_curve_gaps(pairs, paired(n), statistic)
    made = first.samples[0].noise.T @ together @ second.samples[0].noise
    # Of refits to resamples, at the lowest and the highest of the points.
    generator = np.random.default_rng(3)
    gaps = []
    for _ in range(120):
        chosen = generator.integers(n, size=n)
        one, other, _ = paired_curve_gaps(pairs[..., chosen], paired(n), statistic)
        gaps.append([one.samples[0].gaps[[5, 95]], other.samples[0].gaps[[5, 95]]])
    drawn = np.array(gaps).reshape(120, 4)
    # Gaps are at other probabilities in each resample; 120 have an error below .09.
    correlation = np.corrcoef(drawn.T)[:2, 2:]
    errors = [np.sqrt((one.samples[0].noise ** 2).sum(axis=0)) for one in (first, second)]
    expected = made[np.ix_([5, 95], [5, 95])] / np.outer(errors[0][[5, 95]], errors[1][[5, 95]])
    assert np.abs(expected).max() > 0.5
    np.testing.assert_allclose(correlation, expected, atol=0.4)


def test_a_curve_that_does_not_exist_has_no_interval() -> None:
    pairs = pairs_of(5, 2, 60)
    pairs[1, :, 1] = 0.0
    made = ends(pairs, difference_of("ici"), Level(0.9))
    assert np.isfinite(made.low).tolist() == [True, False]


# --------------------------------------------------------------------------- closed forms


def test_of_one_bin_it_is_what_each_end_is_where_noise_has_opposite_signs() -> None:
    # 30 of 100 happen; one model says .1 and the other .5, so that noise moves both apart.
    y = np.repeat([1.0, 0.0], [30, 70])
    pair = np.stack([[np.full(100, 0.1), y], [np.full(100, 0.5), y]])
    made = ends(pair[None], difference_of("ece", 1), Level(0.95), Plan(1, 99_999))
    z, own = 1.959964, math.sqrt(0.21 / 99)

    def low(perfect: float) -> float:
        return (0.2 - z * perfect) / (1 + z * (own - perfect) / 0.2)

    # That of .1 grows on beyond what was observed.
    grows = (0.2 + z * 0.03) / (1 - z * (own - 0.03) / 0.2)
    assert made.low[0] == pytest.approx(low(0.03) - (0.2 + z * own), abs=2e-3)
    assert made.high[0] == pytest.approx(grows - low(0.05), abs=2e-3)


def test_what_moves_both_models_alike_cancels() -> None:
    # Both say more than happens, and the same outcomes are foreseen: they differ by .1 whatever.
    y = np.repeat([1.0, 0.0], [30, 70])
    pair = np.stack([[np.full(100, 0.6), y], [np.full(100, 0.7), y]])
    made = ends(pair[None], difference_of("ece", 1), Level(0.95), Plan(1, 9999))
    assert made.low[0] == pytest.approx(-0.1, abs=0.01)
    assert made.high[0] == pytest.approx(-0.1, abs=0.01)


def test_a_model_that_may_be_calibrated_counts_as_calibrated() -> None:
    pairs, statistic, plan = pairs_of(6, 1, 100), difference_of("ece"), Plan(1, 1999)
    made = ends(pairs, statistic, Level(0.95), plan)
    given = paired_sizes(pairs, paired(100), statistic, plan)
    assert np.quantile(given.least[0, 0], 0.025) == 0
    assert made.low[0] == pytest.approx(-np.quantile(given.most[0, 1], 0.975))
    assert np.quantile(given.least[0, 0] - given.most[0, 1], 0.025) > made.low[0]


def test_certain_predictions_that_are_all_right_leave_what_a_proportion_leaves() -> None:
    y = np.repeat([0.0, 1.0], 20)
    pair = np.stack([[y, y], [np.full(40, 0.4), y]])
    given = paired_sizes(pair[None], paired(40), difference_of("ece"), Plan(1, 9999))
    most = np.quantile(given.most[0, 0], 0.975)
    assert most == pytest.approx(stats.beta.ppf(0.975, 1, 40), abs=1e-4)


def test_squares_that_draws_allow_are_those_of_the_single_interval() -> None:
    pairs, statistic = pairs_of(8, 3, 300), difference_of("ece_l2")
    given = paired_sizes(pairs, paired(300), statistic, Plan(1, 99_999))
    for side in (0, 1):
        form: Any = single_model(statistic).spec.form
        sums = form.features(pairs[:, side]).sum(axis=-1)
        alone = debiased(form.square(np.asarray(300.0), sums), Level(0.95))
        low, high = (
            np.quantile(made[:, side], q, axis=-1)
            for made, q in ((given.least, 0.025), (given.most, 0.975))
        )
        np.testing.assert_allclose(low, alone.low, atol=3e-3)
        np.testing.assert_allclose(high, alone.high, atol=3e-3)


def test_far_from_calibration_the_debiased_difference_has_the_delta_methods_interval() -> None:
    pairs, statistic = pairs_of(9, 1, 4000, 3.0), difference_of("ece_l2")
    pairs[:, 0, 0] = special.expit(2.5 * special.logit(pairs[:, 0, 0]))
    made = ends(pairs, statistic, Level(0.95), Plan(1, 9999))
    error = statistic.spec.influence(pairs).std() / math.sqrt(4000)  # type: ignore[misc]
    assert made.high[0] - made.low[0] == pytest.approx(2 * 1.96 * error, rel=0.06)


def test_a_square_fits_with_z_standard_errors() -> None:
    square = UnbiasedSquare(np.array([0.02, -0.01]), np.array([0.003, 0.003]), np.array([1e-6] * 2))
    for z in (-1.5, 0.7):
        fits = square.fitting(z)
        error = np.sqrt(square.slope * fits + square.noise)
        assert 0.02 - fits[0] == pytest.approx(z * error[0])
        assert fits[1] == pytest.approx(max(-z, 0) * error[1])


# --------------------------------------------------------------------------- promises

NAMES = ("ece", "ece_l2", "ici")


@pytest.mark.parametrize("name", NAMES)
def test_promises(name: str) -> None:
    pairs, statistic = pairs_of(10, 3, 80), difference_of(name)
    observed, made = statistic(pairs), ends(pairs, statistic, Level(0.9))
    assert (made.low <= observed).all()
    assert (observed <= made.high).all()
    assert (made.low >= -1).all()
    assert (made.high <= 1).all()
    for narrow, wide in ((0.5, 0.9), (0.9, 0.999)):
        one, other = (ends(pairs, statistic, Level(level)) for level in (narrow, wide))
        assert (other.low <= one.low).all()
        assert (one.high <= other.high).all()
    # Of one sample what it is in a batch, and of the opposite difference the opposite interval.
    alone = ends(pairs[2:3], statistic, Level(0.9))
    assert alone.low[0] == pytest.approx(made.low[2], rel=1e-12)
    opposite = ends(pairs[:, ::-1], statistic, Level(0.9))
    np.testing.assert_allclose(opposite.low, -made.high, atol=1e-12)
    np.testing.assert_allclose(opposite.high, -made.low, atol=1e-12)
    lower = ends(pairs, statistic, Level(0.95, "lower"))
    np.testing.assert_allclose(lower.low, made.low, atol=1e-12)
    assert (lower.high == 1).all()
    # A level that no number of draws resolves.
    highest = ends(pairs, statistic, Level(1 - 1e-12))
    assert (highest.low < highest.high).all()


def test_it_is_of_the_sizes_alone() -> None:
    given = PairedSizes(
        np.array([[0.3, 0.1]]),
        np.array([[[0.2, 0.25, 0.3], [0.0, 0.0, 0.1]]]),
        np.array([[[0.25, 0.3, 0.4], [0.05, 0.1, 0.2]]]),
        np.full((1, 3), 0.5),
        np.array([0.02]),
    )
    made = joint_inversion(given, Level(0.5))
    # The second may be calibrated at this level: its least sizes count as 0.
    assert made.low[0] == pytest.approx(np.quantile([0.15, 0.15, 0.1], 0.25))
    assert made.high[0] == pytest.approx(np.quantile([0.25, 0.3, 0.4], 0.75))


# --------------------------------------------------------------------------- comparisons


def models_of(n: int) -> tuple[dict[str, Array], Array]:
    generator = np.random.default_rng(7)
    x = generator.normal(0, 1.5, n)
    y = (generator.random(n) < special.expit(x)).astype(int)
    return {
        "right": special.expit(x),
        "bold": special.expit(2.2 * x),
        "shy": special.expit(0.5 * x),
    }, y


@pytest.mark.parametrize("name", ["ece", "ece:binning=mass", "ece_l2", "ici", "emax"])
def test_auto_takes_it_and_its_word_is_that_of_the_interval(name: str) -> None:
    models, y = models_of(1500)
    two = {one: models[one] for one in ("bold", "right")}
    (one,) = hw.compare(
        hw.Predictions.from_arrays(y, two),
        metric=name,
        rng=1,
        n_resamples=999,
        margin=0.005,
        test="auto",
    )
    assert one.estimate.method == "joint_inversion"
    assert one.estimate.rule is not None
    assert 0.005 < one.low < one.value < one.high
    assert one.verdict is not None
    assert one.verdict.word == "worse"
    assert "HW321" not in codes(one)
    (no_test,) = (raised for raised in one.cautions if raised.code == "HW813")
    assert no_test.message.startswith("No test of no difference: auto exchanges no")


@pytest.mark.parametrize("name", ["ece", "ece:binning=mass", "ece_l2", "ici", "emax"])
def test_a_model_and_itself_do_not_differ_and_one_like_it_hardly(name: str) -> None:
    models, y = models_of(400)
    own, others = models["right"], np.roll(models["right"], 1)
    options: dict[str, Any] = {"metric": name, "rng": 1, "n_resamples": 299}
    same = hw.compare(hw.Predictions.from_arrays(y, {"a": own, "b": own}), **options)[0]
    assert (same.low, same.high) == (0, 0)
    assert "HW801" in codes(same)
    if name == "ece_l2":
        return
    like = hw.compare(
        hw.Predictions.from_arrays(y, {"a": own, "b": 0.99 * own + 0.01 * others}), **options
    )[0]
    right = metric_ci(y, own, **options)
    assert like.low <= like.value <= like.high
    # Some cases change bins; what two curves differ by at most is more than on average.
    assert like.estimate.width < (1.2 if name == "emax" else 0.9) * right.high


@pytest.mark.parametrize("name", ["ece", "ece_l2"])
def test_models_on_different_cases_have_draws_of_their_own(name: str) -> None:
    models, y = models_of(1500)
    options: dict[str, Any] = {"metric": name, "rng": 1, "n_resamples": 1999}

    def between(first: str, second: str, **more: Any) -> hw.Difference:
        p = np.concatenate([models[first][:700], models[second][700:]])
        model = np.repeat([first, second], [700, 800])
        table = pd.DataFrame({"model": model, "y": y, "p": p})
        data = hw.Predictions.from_table(table, "y", score="p", model="model", pairing="none")
        return hw.compare(data, **options, **more)[0]

    one = between("bold", "right")
    assert one.estimate.method == "joint_inversion"
    assert 0 < one.low < one.value < one.high
    named = between("bold", "right", method="joint_inversion")
    assert (named.low, named.high) == (one.low, one.high)
    # Of models far from calibrated it is what MOVER makes of their intervals.
    far, put_together = between("bold", "shy"), between("bold", "shy", method="mover")
    assert [far.low, far.high] == pytest.approx([put_together.low, put_together.high], abs=0.015)


def test_intervals_that_hold_together_and_ranks_tell_the_same() -> None:
    models, y = models_of(1500)
    compared = hw.compare(
        hw.Predictions.from_arrays(y, models), metric="ece", rng=1, n_resamples=999
    )
    assert {one.simultaneous.method for one in compared if one.simultaneous} == {"bonferroni"}
    words = {(one.first, one.second): one.verdict.word for one in compared if one.verdict}
    claims = {pair if word == "better" else pair[::-1] for pair, word in words.items()}
    assert set(words.values()) <= {"better", "worse"}
    assert {("right", "bold"), ("right", "shy")} <= claims
    (ranking,) = hw.rank(
        hw.Predictions.from_arrays(y, models), metric="ece", rng=1, n_resamples=999
    )
    assert set(ranking.claims) == claims
    better = {name: sum(pair[1] == name for pair in claims) for name in models}
    assert {name: ranking[name].rank_set.low - 1 for name in models} == better


def test_copies_of_cases_in_clusters_say_nothing_new() -> None:
    models, y = models_of(80)
    options: dict[str, Any] = {"metric": "ece", "rng": 1, "n_resamples": 999, "test": "none"}
    two = {one: models[one] for one in ("bold", "right")}
    (single,) = hw.compare(hw.Predictions.from_arrays(y, two), **options)
    copies = {name: np.repeat(p, 3) for name, p in two.items()}
    groups = np.repeat(np.arange(80), 3)
    (copied,) = hw.compare(
        hw.Predictions.from_arrays(np.repeat(y, 3), copies, groups=groups), **options
    )
    (blind,) = hw.compare(hw.Predictions.from_arrays(np.repeat(y, 3), copies), **options)
    assert 0.95 < copied.estimate.width / single.estimate.width < 1.1
    assert blind.estimate.width < 0.75 * single.estimate.width


# --------------------------------------------------------------------------- coverage


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ece", "ece_l2"])
def test_it_covers_where_resamples_end_short(name: str) -> None:
    pairs, statistic = pairs_of(12, 300, 400, 2.0), difference_of(name)
    # The truth from two hundred times as many cases, whose ECE has an error of .002.
    many = statistic(pairs_of(13, 1, 80_000, 2.0))[0]
    made = ends(pairs, statistic, Level(0.95), Plan(1, 199))
    assert (made.low > many + 0.003).mean() < 0.025 + 5 * math.sqrt(0.025 * 0.975 / 300)
    assert (made.high < many - 0.003).mean() < 0.025 + 5 * math.sqrt(0.025 * 0.975 / 300)
