"""Tests of perfect calibration against enumeration, formulas by hand and statsmodels."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from over_data import over
from scipy import special, stats

import halfwidth as hw
from halfwidth.arithmetic.logistic import condensed
from halfwidth.calibration.metrics.perfect import STATISTICS, resolve_statistic
from halfwidth.core.rng import Key, trials
from halfwidth.core.types import Array

asked = over(hw.calibration_test, hw.Predictions.from_arrays)
NAMES = [one.name for one in STATISTICS]
FEW = np.array([0.05, 0.2, 0.2, 0.35, 0.6, 0.7, 0.7, 0.9])


def sample(seed: int, n: int, mean: float = -0.5) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    p = special.expit(rng.normal(mean, 1.2, n))
    return (rng.random(n) < p).astype(float), p


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [*NAMES, "hosmer_lemeshow:3", "ece:bins=4,binning=mass"])
@pytest.mark.parametrize("weighted", [False, True])
def test_p_values_are_those_of_all_outcomes(name: str, weighted: bool) -> None:
    """Of 8 cases all 256 outcomes; 5 standard errors of the draws, a false alarm of 6e-7 each."""
    y = np.array([0, 1, 0, 0, 1, 1, 0, 1])
    weights = np.array([1, 2, 1, 3, 1, 1, 2, 1.0]) if weighted else None
    departure = resolve_statistic(name).prepare(FEW, weights)
    every = np.array(list(itertools.product((0.0, 1.0), repeat=8)))
    chance = np.where(every == 1, FEW, 1 - FEW).prod(axis=1)
    values, value = departure.of(every), departure.of(y[None].astype(float))[0]
    if departure.normal:
        values, value = np.abs(values), abs(value)
    exact = min(chance[values >= value - 1e-9].sum(), 1.0)
    test = asked(y, FEW, statistic=name, sample_weight=weights, n_resamples=20_000, rng=3)
    assert test.p_value == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 20_000))


def test_spiegelhalters_statistic() -> None:
    y, p = sample(1, 400)
    test = asked(y, p, n_resamples=99, rng=1)
    # Spiegelhalter's own form: the Brier score, its expectation and variance.
    excess = ((y - p) ** 2 - p * (1 - p)).sum()
    z = excess / math.sqrt(((1 - 2 * p) ** 2 * p * (1 - p)).sum())
    assert test.value == pytest.approx(z, rel=1e-12)
    assert test.asymptotic_p == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-12)
    assert (test.observed, test.expected) == (y.sum(), pytest.approx(p.sum()))


def test_hosmer_and_lemeshows_statistic() -> None:
    y, p = sample(2, 400)
    test = asked(y, p, statistic="hosmer_lemeshow", n_resamples=99, rng=1)
    total = 0.0
    for group in np.array_split(np.argsort(p), 10):
        observed, expected, n = y[group].sum(), p[group].sum(), len(group)
        # Of both outcomes, as it was published.
        total += (observed - expected) ** 2 / expected
        total += ((n - observed) - (n - expected)) ** 2 / (n - expected)
    assert test.value == pytest.approx(total, rel=1e-10)
    assert test.asymptotic_p == pytest.approx(stats.chi2.sf(total, 10), rel=1e-9)
    assert test.reference == "chi-square, 10 df"


def test_the_likelihood_ratio_of_intercept_and_slope() -> None:
    y, p = sample(3, 400)
    test = asked(y, p, statistic="likelihood_ratio", n_resamples=99, rng=1)
    fit = sm.Logit(y, sm.add_constant(special.logit(p))).fit(disp=0)
    as_given = (y * np.log(p) + (1 - y) * np.log1p(-p)).sum()
    assert test.value == pytest.approx(2 * (fit.llf - as_given), rel=1e-8)
    assert test.asymptotic_p == pytest.approx(stats.chi2.sf(test.value, 2), rel=1e-9)


def test_outcomes_that_a_threshold_separates_have_a_likelihood_of_one() -> None:
    p = np.array([0.1, 0.2, 0.8, 0.9])
    test = asked([0, 0, 1, 1], p, statistic="likelihood_ratio", n_resamples=99, rng=1)
    assert test.value == pytest.approx(-4 * (np.log(0.9) + np.log(0.8)), rel=1e-12)


def test_the_ece_is_that_of_metric_ci() -> None:
    y, p = sample(4, 300)
    for name in ("ece", "ece:bins=15", "ece:bins=7,binning=mass"):
        value = asked(y, p, statistic=name, n_resamples=99, rng=1).value
        assert value == pytest.approx(hw.metric_ci(y, p, metric=name, rng=1).value, rel=1e-12)


def test_draws_are_successful_as_often_as_they_should_be() -> None:
    """Each within 5 standard errors: a false alarm of 6e-7 for each of 6."""
    p = np.array([0.0, 1e-4, 0.3, 0.5, 0.999, 1.0])
    drawn = trials(p)(Key(5), 0, 40_000)
    assert not drawn[:, 0].any()
    assert drawn[:, 5].all()
    errors = np.sqrt(p * (1 - p) / 40_000)
    assert (np.abs(drawn.mean(axis=0) - p) <= 5 * errors).all()
    assert abs(np.corrcoef(drawn[:, 2], drawn[:, 3])[0, 1]) < 5 / math.sqrt(40_000)
    part = trials(p)(Key(5), 100, 107)
    np.testing.assert_array_equal(part, drawn[100:107])


@pytest.mark.slow
@pytest.mark.parametrize("mean", [pytest.param(-0.5, marks=pytest.mark.slow), -5.0])
def test_the_size_is_as_stated(mean: float) -> None:
    """Of 400 samples 8 to 35 reject at 5 %: a false alarm of 1.6e-4 for each."""
    rejected = 0
    for seed in range(400):
        y, p = sample(seed, 300, mean)
        test = asked(y, p, labels=[0, 1], pos_label=1, n_resamples=199, rng=seed)
        rejected += test.p_value <= 0.05
    assert 8 <= rejected <= 35


# --------------------------------------------------------------------------- behaviour


def test_neither_the_order_of_rows_nor_threads_matter() -> None:
    y, p = sample(5, 200)
    order = np.random.default_rng(1).permutation(200)
    first = asked(y, p, statistic=NAMES, rng=7, n_resamples=499)
    again = asked(y[order], p[order], statistic=NAMES, rng=7, n_resamples=499, n_threads=2)
    assert [one.p_value for one in first] == [one.p_value for one in again]
    other = asked(y, p, statistic=NAMES, rng=8, n_resamples=499)
    assert [one.p_value for one in first] != [one.p_value for one in other]


def test_rows_of_classes_and_of_the_top_label() -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(3), 200)
    y = np.array([rng.choice(3, p=row) for row in p])
    top = asked(y, p, n_resamples=99, rng=1)
    confidence, right = p.max(axis=1), (p.argmax(axis=1) == y).astype(int)
    alone = asked(right, confidence, n_resamples=99, rng=1)
    assert top.average == "top_label"
    assert (top.value, top.p_value) == (pytest.approx(alone.value), alone.p_value)
    each = asked(y, p, average="none", n_resamples=99, rng=1)
    assert [one.label for one in each] == ["0", "1", "2"]
    last = asked((y == 2).astype(int), p[:, 2], n_resamples=99, rng=1)
    assert each[2].value == pytest.approx(last.value)


def test_what_cannot_happen_did() -> None:
    test = asked(
        [0, 1, 1, 0], [0.0, 0.0, 0.7, 0.4], statistic="hosmer_lemeshow:2", n_resamples=99, rng=1
    )
    assert math.isinf(test.value)
    assert test.p_value == 0.01
    assert [one.code for one in test.cautions] == ["HW341"]
    assert test.to_dict()["value"] is None


def test_ways_out() -> None:
    y, p = sample(6, 100)
    tests = asked(y, p, statistic=["spiegelhalter", "ece"], n_resamples=99, rng=1)
    assert list(tests.to_frame()["statistic"]) == ["spiegelhalter", "ece"]
    assert '"calibration_tests"' in tests.to_json()
    assert tests[0].to_frame().shape[0] == 1
    assert "test of perfect calibration by 99 draws" in tests[0].sentence()
    assert "Spiegelhalter" in tests._repr_html_()


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "clusters": ({"groups": [0, 0, 1, 2]}, "come in 3 clusters"),
    "name": ({"statistic": "chi"}, "unknown statistic of calibration 'chi'"),
    "parameter": ({"statistic": "hosmer_lemeshow:1"}, "groups=1 is not"),
    "none": ({"statistic": []}, "name at least one"),
    "average": ({"average": "macro"}, "average"),
    "draws": ({"n_resamples": 1}, "n_resamples=1"),
    "no variance": ({"y_score": [0.5, 0.5, 0.5, 0.5]}, "0, 1/2 or 1"),
    "no spread": (
        {"y_score": [0.3] * 4, "statistic": "likelihood_ratio"},
        "probabilities that differ",
    ),
    "labels": ({"y_score": [0, 1, 1, 0], "scores": "labels"}, "not labels: give the probability"),
    "scores": ({"y_score": [0.1, 3.0, 0.2, 0.4]}, "are none; if they are logits"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    given, words = BAD[name]
    keywords: dict[str, Any] = {
        "y_true": [0, 1, 1, 0],
        "y_score": [0.1, 0.7, 0.6, 0.4],
        "rng": 1,
        **given,
    }
    with pytest.raises(hw.HalfwidthError, match=words):
        asked(**keywords)


def test_cases_in_clusters_of_their_own_are_independent() -> None:
    y, p = sample(7, 50)
    one = asked(y, p, groups=np.arange(50), n_resamples=99, rng=1)
    assert one == asked(y, p, n_resamples=99, rng=1)


@pytest.mark.parametrize("weighted", [False, True])
def test_likelihood_ratios_by_nodes_are_those_of_fits_to_all_cases(weighted: bool) -> None:
    """Samples drawn from the probabilities, and outcomes with slopes up to 1.9 and beyond 2."""
    y, p = sample(5, 2000)
    weights = np.random.default_rng(1).uniform(0.2, 3, len(p)) if weighted else np.ones(len(p))
    log_odds = special.logit(p)
    steep = [special.expit(slope * log_odds + 0.5) for slope in (-0.5, 0.1, 1.9, 3.0)]
    made = np.random.default_rng(2).random((5, len(p))) < np.array([p, *steep])
    outcomes = np.vstack([y, made]).astype(float)
    prepared = resolve_statistic("likelihood_ratio").prepare(p, weights if weighted else None)
    for of_sample, value in zip(outcomes, prepared.of(outcomes), strict=True):
        family = sm.families.Binomial()
        terms = sm.add_constant(log_odds)
        eta = terms @ sm.GLM(of_sample, terms, family, freq_weights=weights).fit(tol=1e-12).params
        gained = of_sample * (eta - log_odds) - np.logaddexp(0, eta) + np.logaddexp(0, log_odds)
        assert value == pytest.approx(2 * (gained * weights).sum(), rel=1e-9)


def test_nodes_have_the_log_likelihoods_of_their_cases() -> None:
    log_odds = np.random.default_rng(3).normal(-1, 2.5, 5000)
    weights = np.random.default_rng(4).uniform(0, 2, 5000)
    nodes, counts = condensed(log_odds, weights)
    assert 4 * len(nodes) < len(log_odds)
    for intercept, slope in [(0, 1), (3, -2), (-20, 2), (0.5, 1.5), (1, 0)]:
        exact = weights @ np.logaddexp(0, intercept + slope * log_odds)
        by_nodes = counts @ np.logaddexp(0, intercept + slope * nodes)
        assert by_nodes == pytest.approx(exact, rel=1e-13, abs=1e-12)


@pytest.mark.parametrize("name", ["spiegelhalter", "likelihood_ratio"])
def test_what_large_samples_say_is_what_draws_say(name: str) -> None:
    """Where no outcomes need be drawn; 4 standard errors of the draws, a false alarm of 6e-5."""
    cases = {"spiegelhalter": 7000, "likelihood_ratio": 40_000}[name]
    for seed in range(2):
        y, p = sample(seed, cases)
        alone, drawn = (
            asked(y, p, statistic=name, n_resamples=n_resamples, rng=seed)
            for n_resamples in (None, 299)
        )
        assert (alone.n_resamples, drawn.n_resamples) == (0, 299)
        assert alone.p_value == alone.asymptotic_p
        error = math.sqrt(alone.p_value * (1 - alone.p_value) / 299)
        assert drawn.p_value == pytest.approx(alone.p_value, abs=4 * error + 1 / 300)
        assert "its distribution in large samples" in alone.sentence()
        assert "none need be drawn" in " ".join(alone._alone.remarks())


def test_outcomes_of_few_cases_are_drawn() -> None:
    y, p = sample(1, 400)
    assert asked(y, p, rng=1).n_resamples == 9999
