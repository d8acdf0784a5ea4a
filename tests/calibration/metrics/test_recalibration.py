"""Slope, intercepts, O:E and distances from a curve, against statsmodels and formulas."""

from __future__ import annotations

import functools
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from scipy.special import expit, logit
from splines import LEVELS_OF_KNOTS, harrell
from support import quickly

import halfwidth as hw
from halfwidth.arithmetic.logistic import fit_logistic
from halfwidth.metrics import (
    calibration_in_the_large,
    calibration_intercept,
    calibration_slope,
    e50,
    e90,
    emax,
    ici,
    oe_ratio,
)

Array = NDArray[Any]
SIMULATED = Path(__file__).parents[4] / "shared" / "data" / "calibration"
needs_data = pytest.mark.skipif(not SIMULATED.exists(), reason="needs ../shared/data/calibration")


def cases(n: int = 120, seed: int = 4) -> tuple[Array, Array, Array]:
    r = np.random.default_rng(seed)
    x = r.normal(-0.5, 1.4, n)
    return (r.random(n) < expit(0.3 + 0.7 * x)).astype(int), expit(x), r.integers(1, 4, n) * 1.0


def binomial(y: Array, terms: Array, weights: Array | None, offset: Array | None = None) -> Any:
    """The generalised linear model of statsmodels, terms (K, n)."""
    family = sm.families.Binomial()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sm.GLM(y, terms.T, family=family, offset=offset, freq_weights=weights)
        return model.fit(tol=1e-13, maxiter=200)


# --------------------------------------------------------------------------- the regression


@pytest.mark.parametrize("terms", [1, 2, 4])
def test_fits_are_those_of_statsmodels(terms: int) -> None:
    r = np.random.default_rng(terms)
    n, several = 80, 20
    x = r.normal(size=(several, terms, n)) * r.choice([0.3, 1.0, 4.0], size=(terms, 1))
    x[:, 0] = 1
    offset = r.normal(size=(several, n))
    chance = expit(np.einsum("sk,skn->sn", r.normal(size=(several, terms)), x) / 2 + offset)
    y, weights = (
        (r.random((several, n)) < chance).astype(float),
        r.integers(0, 3, (several, n)).astype(float),
    )
    got = fit_logistic(x, y, weights, offset)
    for place in range(several):
        wanted = binomial(y[place], x[place], weights[place], offset[place])
        scale = np.abs(wanted.params).max()
        if scale > 40:  # where classes are apart it goes on until it has had enough
            assert np.isnan(got.coefficients[place]).all()
            continue
        np.testing.assert_allclose(got.coefficients[place], wanted.params, atol=1e-8 * scale)
        np.testing.assert_allclose(got.covariance[place], wanted.cov_params(), rtol=1e-6)


def test_one_sample_with_many_weightings_is_each_of_them_alone() -> None:
    y, p, _ = cases(50)
    terms = np.stack([np.ones(50), logit(p)])
    weights = np.random.default_rng(0).multinomial(50, np.full(50, 0.02), size=300).astype(float)
    together = fit_logistic(terms, y, weights, start=np.array([0.2, 0.6])).coefficients
    alone = np.stack([fit_logistic(terms, y, one).coefficients for one in weights])
    np.testing.assert_allclose(together, alone, atol=1e-9)


X = np.array([-2.0, -1.0, 0.0, 0.0, 1.0, 3.0])


@pytest.mark.parametrize(
    ("terms", "y"),
    [
        ([np.ones(6), X], [0, 0, 0, 0, 1, 1]),  # apart
        ([np.ones(6), X], [1, 1, 1, 1, 0, 0]),
        ([np.ones(6), X], [0, 0, 0, 1, 1, 1]),  # apart but for a tie
        ([np.ones(6), X], [1, 1, 1, 1, 1, 1]),  # one class
        ([np.ones(6)], [0, 0, 0, 0, 0, 0]),
        ([np.ones(6), np.full(6, 0.3)], [0, 1, 0, 1, 1, 0]),  # collinear
        ([np.ones(6), X, X**2, X**3, X**4], [0, 0, 1, 0, 1, 1]),  # as many terms as values
    ],
)
def test_no_finite_fit_is_nan(terms: list[Array], y: list[int]) -> None:
    assert np.isnan(fit_logistic(np.stack(terms), np.array(y, dtype=float)).coefficients).all()


def test_cases_without_weight_are_none() -> None:
    y = np.array([0.0, 1.0, 0.0, 1.0, 1.0, 0.0])
    terms = np.stack([np.ones(6), X])
    assert np.isfinite(fit_logistic(terms, y).coefficients).all()
    # Without the fifth and the sixth the tie at 0 is all that is left of an overlap.
    weights = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0])
    assert np.isnan(fit_logistic(terms, y, weights).coefficients).all()
    assert np.isnan(fit_logistic(terms, y, np.zeros(6)).coefficients).all()


def test_a_fit_far_from_where_it_starts_is_found() -> None:
    # Logits of probabilities that were written as 0 and 1, some of them wrong.
    x = logit(np.clip([0, 1, 0.5, 0.6, 1, 0, 1, 0.2], 1e-7, 1 - 1e-7))
    y = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    terms = np.stack([np.ones(8), x])
    wanted = binomial(y, terms, None).params
    for start in (None, np.array([0.0, 1.0]), np.array([5.0, 3.0])):
        np.testing.assert_allclose(fit_logistic(terms, y, start=start).coefficients, wanted)


# --------------------------------------------------------------------------- the metrics


def test_slope_and_intercepts_are_those_of_statsmodels() -> None:
    y, p, weights = cases()
    x = logit(p)
    for given in (None, weights):
        line = binomial(y, np.stack([np.ones(len(x)), x]), given).params
        large = binomial(y, np.ones((1, len(x))), given, x).params
        assert calibration_intercept(y, p, given) == pytest.approx(line[0], abs=1e-9)
        assert calibration_slope(y, p, given) == pytest.approx(line[1], abs=1e-9)
        assert calibration_in_the_large(y, p, given) == pytest.approx(large[0], abs=1e-9)
        assert oe_ratio(y, p, given) == pytest.approx(
            np.average(y, weights=given) / np.average(p, weights=given)
        )


def test_recalibrated_probabilities_have_slope_1_and_intercepts_0() -> None:
    y, p, _ = cases()
    a, b = calibration_intercept(y, p), calibration_slope(y, p)
    right = expit(a + b * logit(p))
    assert calibration_slope(y, right) == pytest.approx(1)
    assert calibration_intercept(y, right) == pytest.approx(0, abs=1e-9)
    assert calibration_in_the_large(y, right) == pytest.approx(0, abs=1e-9)
    assert oe_ratio(y, right) == pytest.approx(1)


def test_0_and_1_are_clipped_alike() -> None:
    y, p, _ = cases()
    ends, inside = np.r_[p, 0.0, 1.0, 1.0], np.r_[p, 1e-7, 1 - 1e-7, 1 - 1e-7]
    truth = np.r_[y, 0, 1, 0]
    for metric in (calibration_slope, calibration_intercept, calibration_in_the_large):
        assert metric(truth, ends) == metric(truth, inside)


@needs_data
@pytest.mark.parametrize(
    ("name", "slope", "joint", "large"),
    [
        ("mis", (0.4972, 0.4687, 0.5257), -0.0450, (-0.0745, -0.1769, 0.0280)),
        ("well", (0.9942, 0.9373, 1.0512), -0.0450, (-0.0452, None, None)),
    ],
)
def test_published_intervals(name: str, slope: Any, joint: float, large: Any) -> None:
    table = pd.read_csv(SIMULATED / f"simulated_{name}data.csv")
    y, p = table["label"].astype(int), table["proba_1"]
    names = ["calibration_slope", "calibration_intercept", "calibration_in_the_large"]
    printed: dict[str, Any] = {"metric": names, "method": "model_wald"}
    got = dict(zip(names, hw.metric_ci(y, p, **printed), strict=True))
    for metric, wanted in ((names[0], slope), (names[1], (joint,)), (names[2], large)):
        one = got[metric]
        for number, value in zip((one.value, one.low, one.high), wanted, strict=False):
            assert value is None or number == pytest.approx(value, abs=5e-5)


# --------------------------------------------------------------------------- curves


@pytest.mark.parametrize("knots", [3, 4, 5])
def test_distances_are_those_from_a_curve_of_statsmodels(knots: int) -> None:
    y, p, _ = cases(203)
    x = logit(p)
    quantile = functools.partial(np.quantile, method="averaged_inverted_cdf")
    terms = harrell(x, quantile(x, LEVELS_OF_KNOTS[knots]))
    gaps = np.abs(binomial(y, terms, None).fittedvalues - p)
    assert ici(y, p, knots=knots) == pytest.approx(gaps.mean(), abs=1e-9)
    assert e50(y, p, knots=knots) == pytest.approx(np.median(gaps), abs=1e-9)
    assert e90(y, p, knots=knots) == pytest.approx(quantile(gaps, 0.9), abs=1e-9)
    assert emax(y, p, knots=knots) == pytest.approx(gaps.max(), abs=1e-9)


def test_weights_are_copies_of_cases() -> None:
    r = np.random.default_rng(2)
    p = r.uniform(0.1, 0.9, 60)
    y, weights = (r.random(60) < p**1.5).astype(int), r.integers(1, 4, 60)
    copies = np.repeat(np.arange(60), weights)
    for metric in (calibration_slope, calibration_in_the_large, oe_ratio, ici, e50, e90, emax):
        assert metric(y, p, weights) == pytest.approx(metric(y[copies], p[copies]))


def test_the_scale_of_weights_does_not_matter() -> None:
    y, p, weights = cases()
    for metric in (calibration_slope, oe_ratio, ici, e50, e90, emax):
        assert metric(y, p, weights / 500) == pytest.approx(metric(y, p, weights), rel=1e-8)
        assert metric(y, p, np.full(len(y), 0.01)) == pytest.approx(metric(y, p), rel=1e-8)


def test_a_curve_of_few_values_has_fewer_knots() -> None:
    r = np.random.default_rng(3)
    p = r.choice([0.3, 0.7], 100)
    y = r.random(100) < 0.5
    # A line through two points is right at both.
    gaps = [abs(y[p == one].mean() - one) for one in (0.3, 0.7)]
    assert emax(y, p) == pytest.approx(max(gaps))
    assert ici(y, p) == pytest.approx(
        np.average(gaps, weights=[(p == 0.3).sum(), (p == 0.7).sum()])
    )


def test_of_several_classes_each_is_against_the_rest() -> None:
    r = np.random.default_rng(5)
    scores = r.dirichlet(np.ones(3), 150)
    y = np.array([r.choice(3, p=one**1.3 / (one**1.3).sum()) for one in scores])
    each = hw.metric_ci(y, scores, metric="calibration_slope", average="none", rng=1)
    for which, one in enumerate(each):
        assert one.value == pytest.approx(calibration_slope(y == which, scores[:, which]))
    top = hw.metric_ci(y, scores, metric="calibration_slope", rng=1)
    assert top.average == "top_label"
    right = scores.argmax(axis=1) == y
    assert top.value == pytest.approx(calibration_slope(right, scores.max(axis=1)))


# --------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("y", "p", "metric", "says"),
    [
        ([1, 1, 1, 1], [0.2, 0.4, 0.6, 0.8], "calibration_slope", "both classes"),
        ([0, 0, 1, 1], [0.2, 0.4, 0.6, 0.8], "calibration_slope", "separates the 2 positive"),
        ([0, 1, 0, 1], [0.4, 0.4, 0.4, 0.4], "calibration_slope", "probabilities that differ"),
        ([0, 0, 1, 1], [0.2, 0.4, 0.6, 0.8], "ici", "separates"),
        ([0, 1, 0, 1], [-1.0, 2.0, 0.5, 0.7], "calibration_slope", "logits"),
        (
            [0, 1, 0, 1],
            [0, 1, 1, 1],
            "calibration_in_the_large",
            "not labels: give the probability",
        ),
    ],
)
def test_bad_input_is_refused_in_a_line(y: Any, p: Any, metric: str, says: str) -> None:
    with pytest.raises(hw.DataError, match=says) as caught:
        hw.metric_ci(y, p, metric=metric, pos_label=1, rng=1)
    assert "\n" not in str(caught.value)


def test_what_needs_no_slope_is_estimated_without_one() -> None:
    y, p = [0, 0, 1, 1], [0.2, 0.4, 0.6, 0.8]
    assert math.isfinite(hw.metric_ci(y, p, metric="calibration_in_the_large", rng=1).value)
    none = hw.metric_ci([0] * 30, np.linspace(0.01, 0.2, 30), metric="oe_ratio", pos_label=1, rng=1)
    assert none.value == none.low == 0
    assert none.high > 0.5


def test_clipped_probabilities_are_counted() -> None:
    y, p, _ = cases()
    truth, ends = np.r_[y, 0, 1], np.r_[p, 0.0, 1.0]
    for metric in ("calibration_slope", "nll", "ici"):
        one = quickly(hw.metric_ci, truth, ends, metric=metric, rng=1, n_resamples=50)
        (found,) = (c.message for c in one.cautions if c.code == "HW510")
        assert found.startswith("2 of 122 probabilities")
    for metric in ("brier", "oe_ratio"):
        one = quickly(hw.metric_ci, truth, ends, metric=metric, rng=1, n_resamples=50)
        assert "HW510" not in {c.code for c in one.cautions}


def test_a_model_is_not_ranked_by_what_is_best_at_one() -> None:
    y, p, _ = cases()
    with pytest.raises(hw.OptionError, match="closer to one"):
        hw.rank(
            hw.Predictions.from_arrays(y, {"a": p, "b": p**2}), metric="calibration_slope", rng=1
        )
