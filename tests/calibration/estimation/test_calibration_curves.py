"""Calibration and decision curves: against scikit-learn, SciPy and counting by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from over_data import over
from scipy import stats
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

import halfwidth as hw
from halfwidth.calibration.metrics.bins import bin_of
from halfwidth.core import rng as draws
from halfwidth.core.types import Array

curves_from = over(hw.curve, hw.Predictions.from_arrays)

QUICK: dict[str, Any] = {"n_resamples": 99, "rng": 1}


def scored_cases(n: int, *, slope: float = 1.0, ties: bool = False) -> tuple[Array, Array]:
    """Outcomes and probabilities of a model whose log odds are off by a factor."""
    generator = np.random.default_rng([n, ties])
    log_odds = generator.normal(-0.5, 1.5, n)
    p = 1 / (1 + np.exp(-log_odds))
    y = (generator.random(n) < 1 / (1 + np.exp(-slope * log_odds))).astype(int)
    return y, np.round(p, 1) if ties else p


@pytest.mark.parametrize("ties", [False, True])
def test_bins_are_scikit_learns_with_exact_intervals(*, ties: bool) -> None:
    y, p = scored_cases(200)
    p = np.round(p, 2) + 0.003 if ties else p
    (curve,) = curves_from(y, p, kind="reliability-bins", **QUICK)
    observed, predicted = calibration_curve(y, p, n_bins=10)
    np.testing.assert_allclose(curve.y, observed)
    np.testing.assert_allclose(curve.x, predicted)
    assert curve.cases is not None
    for hits, cases, low, high in zip(
        np.rint(curve.y * curve.cases), curve.cases, curve.low, curve.high, strict=True
    ):
        exact = stats.binomtest(int(hits), int(cases)).proportion_ci()
        np.testing.assert_allclose((low, high), (exact.low, exact.high), atol=1e-12)


def test_empty_bins_have_no_point_and_a_certain_model_is_in_the_last_one() -> None:
    (curve,) = curves_from([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.05], kind="reliability-bins", **QUICK)
    assert curve.cases is not None
    assert curve.cases.tolist() == [2, 2]
    assert curve.histogram.sum() == 4
    assert curve.histogram[:, -1].tolist() == [0, 2]


@pytest.mark.parametrize("ties", [False, True])
def test_the_isotonic_curve_is_the_rising_one_that_fits_best(*, ties: bool) -> None:
    y, p = scored_cases(150, slope=0.5, ties=ties)
    (curve,) = curves_from(y, p, kind="reliability", **QUICK)
    wanted = IsotonicRegression().fit(p, y).predict(curve.x)
    np.testing.assert_allclose(curve.y, wanted, atol=1e-12)
    assert (np.diff(curve.line[:, 1]) >= 0).all()
    assert set(curve.line[:, 0]) <= set(p)


@pytest.mark.parametrize("ties", [False, True])
def test_the_band_of_a_calibrated_model_is_of_fits_to_each_of_its_outcomes(*, ties: bool) -> None:
    y, p = scored_cases(60, ties=ties)
    order = np.argsort(p)
    (curve,) = curves_from(y[order], p[order], kind="reliability", **QUICK)
    key = draws.derive_key(1, "calibrated outcomes")
    outcomes = draws.uniforms(key, 0, 99, 60) < p[order]
    fits = [IsotonicRegression().fit(p[order], one).predict(curve.x) for one in outcomes]
    wanted = np.quantile(fits, [0.025, 0.975], axis=0)
    np.testing.assert_allclose([curve.low, curve.high], wanted, atol=1e-12)


@pytest.mark.slow
def test_the_band_of_calibrated_models_holds_them_as_often_as_it_says() -> None:
    """At a probability of about a half, of 400 samples: outside by chance once in 10^6 runs."""
    generator = np.random.default_rng(0)
    p = generator.beta(2, 2, 100)
    outcomes = (generator.random((400, 100)) < p).astype(int)
    # The band is of the probabilities alone.
    (band,) = curves_from(outcomes[0], p, kind="reliability", n_resamples=1999, rng=1)
    middle = np.abs(band.x - 0.5).argmin()
    fit, order = IsotonicRegression().fit_transform, np.argsort(p)
    curves = [fit(p[order], y[order])[middle] for y in outcomes]
    assert band.y[middle] == pytest.approx(curves[0])
    inside = [band.low[middle] <= curve <= band.high[middle] for curve in curves]
    assert 0.89 < np.mean(inside) < 0.99


def test_a_model_that_is_too_sure_leaves_the_band() -> None:
    y, p = scored_cases(2000, slope=0.3)
    (curve,) = curves_from(y, p, kind="reliability", **QUICK)
    outside = (curve.y < curve.low) | (curve.y > curve.high)
    assert outside.mean() > 0.5


def basis(p: Array) -> Array:
    """Harrell's restricted cubic spline of the logit with 4 knots, written out."""
    x = np.log(p / (1 - p))
    a, b, c, d = np.quantile(x, [0.05, 0.35, 0.65, 0.95], method="averaged_inverted_cdf")

    def cubed(knot: float) -> Array:
        return np.asarray(np.maximum(x - knot, 0) ** 3)

    bent = [
        cubed(knot) - cubed(c) * (d - knot) / (d - c) + cubed(d) * (c - knot) / (d - c)
        for knot in (a, b)
    ]
    return np.column_stack([np.ones(len(x)), x, *bent])


def test_the_smooth_curve_is_statsmodels_regression_on_a_spline() -> None:
    y, p = scored_cases(150, slope=0.5)
    (curve,) = curves_from(y, p, confidence_level=0.9, kind="calibration", **QUICK)
    order = np.argsort(p)
    wanted = sm.GLM(y, basis(p), family=sm.families.Binomial()).fit()
    frame = wanted.get_prediction(basis(p)[order]).summary_frame(alpha=0.1)
    np.testing.assert_allclose(curve.x, p[order])
    for got, column in ((curve.y, "mean"), (curve.low, "mean_ci_lower")):
        np.testing.assert_allclose(got, frame[column], rtol=1e-6)
    np.testing.assert_allclose(curve.high, frame["mean_ci_upper"], rtol=1e-6)
    assert [e.metric for e in curve.summaries] == [
        *("calibration_slope", "calibration_in_the_large", "oe_ratio", "ici")
    ]


def test_clusters_make_the_smooth_band_wider() -> None:
    y, p = (np.repeat(a, 4) for a in scored_cases(60))
    (clustered,) = curves_from(
        y, p, groups=np.repeat(np.arange(60), 4), kind="calibration", **QUICK
    )
    (plain,) = curves_from(y, p, kind="calibration", **QUICK)
    assert (clustered.high - clustered.low)[30] > 1.6 * (plain.high - plain.low)[30]


def test_clusters_have_no_band_that_supposes_independent_cases() -> None:
    y, p = scored_cases(100)
    for kind in ("reliability-bins", "reliability"):
        (curve,) = curves_from(y, p, kind=kind, groups=np.arange(100) // 5, **QUICK)
        assert np.isnan(curve.low).all()
        assert np.isnan(curve.high).all()
        assert curve.n_groups == 20


def test_the_top_label_compares_the_largest_probability_with_whether_it_is_right() -> None:
    generator = np.random.default_rng(3)
    p = generator.dirichlet([1, 1, 1], 300)
    y = np.array([generator.choice(3, p=row) for row in p])
    (curve,) = curves_from(y, p, kind="reliability-bins", average="top_label", **QUICK)
    place, right = bin_of(p.max(axis=1), 10, 0.0), p.argmax(axis=1) == y
    np.testing.assert_allclose(curve.y, [right[place == one].mean() for one in np.unique(place)])
    each = curves_from(y, p, kind="reliability-bins", **QUICK)
    assert [curve.label for curve in each] == ["0", "1", "2"]


def test_a_frame_has_a_row_for_each_point() -> None:
    y, p = scored_cases(60)
    curves = curves_from(y, p, kind="reliability-bins", **QUICK)
    frame = curves.to_frame()
    assert list(frame.columns) == ["label", "kind", "x", "y", "low", "high", "cases"]
    assert frame["cases"].sum() == 60
    assert len(curves.line_frame()) == len(frame)
    assert [e.metric for e in curves.areas] == ["ece", "ece_l2"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"y_score": [0, 1, 1, 0]}, "needs predicted probabilities, not labels"),
        ({"y_score": [-1.0, 2.0, 3.0, 0.5]}, "scores='logits'"),
        ({"y_true": [0, 1, 2, 0], "y_score": [[0.9, 0.9, 0.9]] * 4}, "miss a sum of 1"),
        ({"kind": "corp"}, "kind='corp'"),
        ({"average": "macro"}, "average='macro'"),
        ({"y_true": ["a", "b", "a", "b"]}, "pos_label="),
    ],
)
def test_what_is_no_calibration_curve_is_refused(changes: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {
        "y_true": [0, 1, 1, 0],
        "y_score": [0.1, 0.7, 0.8, 0.4],
        "kind": "reliability-bins",
        **changes,
    }
    with pytest.raises(hw.HalfwidthError, match=words):
        curves_from(**given, **QUICK)


# --------------------------------------------------------------------------- decision curves


def net_benefit(y: Array, p: Array, threshold: float) -> float:
    called = p >= threshold
    hits, alarms = (called & (y == 1)).mean(), (called & (y == 0)).mean()
    return float(hits - alarms * threshold / (1 - threshold))


def test_a_decision_curve_is_the_net_benefit_at_each_threshold() -> None:
    y, p = scored_cases(80, ties=True)
    (curve,) = curves_from(y, p, kind="decision", **QUICK)
    np.testing.assert_allclose(curve.y, [net_benefit(y, p, t) for t in curve.x], atol=1e-12)
    assert curve.y[0] == pytest.approx(y.mean())
    at = int(np.flatnonzero(np.isclose(curve.x, 0.2))[0])
    same = hw.metric_ci(y, p, metric="net_benefit:exchange_rate=0.25", threshold=0.2)
    assert curve.y[at] == pytest.approx(same.value)
    assert curve.low[at] < curve.y[at] < curve.high[at]


def test_the_band_of_a_decision_curve_is_the_percentile_interval_of_net_benefit() -> None:
    y, p = scored_cases(80)
    (curve,) = curves_from(y, p, kind="decision", n_resamples=999, rng=3)
    at = int(np.flatnonzero(np.isclose(curve.x, 0.2))[0])
    values = np.where(p >= 0.2, np.where(y == 1, 1.0, -0.25), 0.0)
    same = hw.summary_ci(values, method="percentile", n_resamples=9999, rng=4)
    np.testing.assert_allclose((curve.low[at], curve.high[at]), (same.low, same.high), atol=0.02)


def test_clusters_make_the_band_of_a_decision_curve_wider() -> None:
    y, p = (np.repeat(a, 5) for a in scored_cases(40))
    groups = np.repeat(np.arange(40), 5)
    (clustered,) = curves_from(y, p, kind="decision", groups=groups, n_resamples=399, rng=3)
    (plain,) = curves_from(y, p, kind="decision", n_resamples=399, rng=3)
    assert (clustered.high - clustered.low)[40] > 1.5 * (plain.high - plain.low)[40]


# --------------------------------------------------------------------------- figures


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["calibration", "reliability", "reliability-bins", "decision"])
def test_the_command_line_draws_them(kind: str, tmp_path: Path, run: Any) -> None:
    y, p = scored_cases(60)
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(["y,p", *(f"{a},{b:.4f}" for a, b in zip(y, p, strict=True))]))
    picture = tmp_path / "picture.svg"
    done = run(
        *("ci", str(table), "--target", "y", "--score", "p", "--metric", "brier"),
        *("--plot", str(picture), "--plot-kind", kind, "--n-resamples", "99", "--json"),
    )
    assert json.loads(done.out)["estimates"][0]["metric"] == "brier"
    drawn = picture.read_text()
    assert ("net benefit" if kind == "decision" else "predicted probability") in drawn
    assert "95 % CI" in drawn or "95 % of calibrated models" in drawn


def test_several_curves_stand_side_by_side() -> None:
    y, p = scored_cases(60)
    curves = curves_from(y, p, kind="reliability-bins", **QUICK)
    (page,) = hw.plots.figures_of_calibration([*curves, *curves], ["model A", "model B"])
    assert [ax.get_xlabel() for ax in page.axes] == ["predicted probability"] * 2
    with pytest.raises(hw.OptionError, match="figures_of_calibration"):
        hw.plots.calibration([*curves, *curves])  # type: ignore[arg-type]
    with pytest.raises(hw.OptionError, match="titles has 1 titles for 2 curves"):
        hw.plots.figures_of_calibration([*curves, *curves], ["model A"])
    with pytest.raises(hw.OptionError, match="at least one curve"):
        hw.plots.figures_of_calibration([])
