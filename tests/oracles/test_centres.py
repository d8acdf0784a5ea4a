"""Random effects over centres against statsmodels, a numerical optimum and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from over_data import in_centres
from scipy import optimize, special, stats
from splines import LEVELS_OF_KNOTS, harrell
from statsmodels.stats.meta_analysis import combine_effects

import halfwidth as hw
from halfwidth.core.types import Array, Level
from halfwidth.intervals.random_effects import pool, pooled_at, reml_variance

LEVEL = Level(0.95)


def effects(seed: int, k: int = 7) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    errors = rng.uniform(0.05, 0.4, k)
    return rng.normal(0.3, np.hypot(errors, 0.3 * (1 + seed % 3))), errors


@pytest.mark.parametrize("method", ["iterated", "chi2"])
@pytest.mark.parametrize("seed", range(6))
def test_pooled_as_statsmodels_does_at_its_variance(method: str, seed: int) -> None:
    values, errors = effects(seed)
    theirs = combine_effects(values, errors**2, method_re=method, use_t=True)
    ours = pooled_at(theirs.tau2, values, errors, LEVEL)
    assert ours.value == pytest.approx(theirs.mean_effect_re, rel=1e-10)
    assert ours.standard_error == pytest.approx(theirs.sd_eff_w_re_hksj, rel=1e-10)
    low, high = theirs.conf_int(use_t=True)[3]
    assert [ours.low, ours.high] == pytest.approx([low, high])
    assert ours.q == pytest.approx(theirs.q)
    assert ours.i_squared == pytest.approx(max(0.0, theirs.i2))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_the_restricted_likelihood_is_largest_there(seed: int) -> None:
    values, errors = effects(seed, 3 + seed)
    k = len(values)

    def loss(tau: float) -> float:
        """Minus the restricted likelihood by its definition: of k - 1 contrasts of the effects."""
        contrasts = np.diff(np.eye(k), axis=0)
        covariance = contrasts @ np.diag(errors**2 + tau**2) @ contrasts.T
        seen = contrasts @ values
        return -float(stats.multivariate_normal(np.zeros(k - 1), covariance).logpdf(seen))

    grid = np.linspace(0, 2, 401)
    start = grid[np.argmin([loss(tau) for tau in grid])]
    bounds = (max(0.0, start - 0.01), start + 0.01)
    best = optimize.minimize_scalar(loss, bounds=bounds, options={"xatol": 1e-10})
    tau = math.sqrt(reml_variance(values, errors))
    assert loss(tau) <= loss(best.x) + 1e-10
    assert tau == pytest.approx(best.x, abs=2e-5) or loss(tau) == pytest.approx(loss(best.x))


def test_intervals_of_the_mean_and_of_a_new_centre() -> None:
    values, errors = effects(4)
    found = pool(values, errors, LEVEL)
    weights = 1 / (errors**2 + found.tau**2)
    mean = np.average(values, weights=weights)
    error = math.sqrt((weights * (values - mean) ** 2).sum() / (6 * weights.sum()))
    assert found.high - mean == pytest.approx(stats.t.ppf(0.975, 6) * error)
    new = stats.t.ppf(0.975, 5) * math.sqrt(found.tau**2 + error**2)
    assert [found.new_low, found.new_high] == pytest.approx([mean - new, mean + new])


def test_alike_and_equal_effects() -> None:
    equal = pool(np.full(4, 0.5), np.full(4, 0.1), LEVEL)
    assert (equal.tau, equal.low, equal.high, equal.i_squared) == (0, 0.5, 0.5, 0)
    two = pool(np.array([0.0, 1.0]), np.array([0.1, 0.1]), LEVEL)
    assert math.isnan(two.new_low)
    # Of two equal errors the restricted likelihood has its maximum at (d² / 2) - SE².
    assert two.tau**2 == pytest.approx(0.5 - 0.01)


# --------------------------------------------------------------------------- centres


def centres(k: int = 6, each: int = 200) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(8)
    centre = np.repeat([f"c{i}" for i in range(k)], each)
    log_odds, shift = rng.normal(-0.5, 1.2, len(centre)), rng.normal(0, 0.5, k)
    happens = special.expit(0.9 * log_odds + np.repeat(shift, each))
    return (rng.random(len(centre)) < happens).astype(float), special.expit(log_odds), centre


def test_centres_are_those_of_metric_ci_pooled() -> None:
    y, p, centre = centres()
    for name in ("calibration_slope", "citl", "oe_ratio"):
        result = hw.calibration_by_centre(in_centres(y, p, centre), metric=name)
        alone = [
            hw.metric_ci(y[centre == one], p[centre == one], metric=name, rng=1)
            for one in np.unique(centre)
        ]
        for one, other in zip(result.centres, alone, strict=True):
            assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
        values = np.array([one.value for one in alone])
        errors = np.array([one.standard_error for one in alone])
        if name == "oe_ratio":
            values, errors = np.log(values), errors / values
        pooled = pool(values, errors, LEVEL)
        back = math.exp if name == "oe_ratio" else float
        assert result.value == pytest.approx(back(pooled.value))
        assert (result.new_low, result.tau) == (pytest.approx(back(pooled.new_low)), pooled.tau)


def test_pooled_oe_differs_from_that_of_the_delta_method_by_its_weights_alone() -> None:
    y, p, centre = centres()
    result = hw.calibration_by_centre(in_centres(y, p, centre), metric="oe_ratio")
    each = [centre == one for one in np.unique(centre)]
    values = np.array([math.log(y[own].sum() / p[own].sum()) for own in each])
    # Var(O) / O² given the predictions, as the interval of a centre has it, and without them.
    given = np.array([one.standard_error / one.value for one in result.centres])
    delta = np.array([math.sqrt((1 - y[own].mean()) / y[own].sum()) for own in each])
    for errors in (given, delta):
        weights = 1 / (errors**2 + reml_variance(values, errors))
        pooled = float(weights @ values / weights.sum())
        same = pooled == pytest.approx(math.log(result.value), abs=1e-9)
        assert same == (errors is given)
    assert (given < delta).all()


def test_all_four_by_default_in_any_order_of_rows() -> None:
    y, p, centre = centres()
    order = np.random.default_rng(1).permutation(len(y))
    first = hw.calibration_by_centre(in_centres(y, p, centre))
    again = hw.calibration_by_centre(in_centres(y[order], p[order], centre[order]))
    assert [item.metric for item in first] == [
        "calibration_slope",
        "calibration_intercept",
        "calibration_in_the_large",
        "oe_ratio",
    ]
    for one, other in zip(first, again, strict=True):
        assert (one.value, one.high) == (pytest.approx(other.value), pytest.approx(other.high))
    assert "over 6 centres" in first[0].sentence()
    frame = first.to_frame()
    assert list(frame["row"].value_counts().sort_index()) == [24, 4, 4]
    assert "Hartung" in first._repr_html_()


def test_centres_without_a_fit_are_left_out_and_named() -> None:
    y, p, centre = centres()
    y[centre == "c1"] = 0
    y[centre == "c2"] = p[centre == "c2"] > 0.5
    slope, large = hw.calibration_by_centre(
        in_centres(y, p, centre), metric=["calibration_slope", "citl"]
    )
    assert slope.left_out == ("c1", "c2")
    assert large.left_out == ("c1",)
    texts = {one.code: one.message for one in slope.cautions}
    assert "2 of 6 centres (all cases of one class: c1; no finite fit" in texts["HW421"]
    assert "HW422" in texts


def test_few_centres() -> None:
    y, p, centre = centres(2)
    two = hw.calibration_by_centre(in_centres(y, p, centre), metric="citl")
    assert math.isnan(two.new_low)
    assert two.to_dict()["new_high"] is None
    assert "no prediction interval" in two.cautions[0].message
    assert "new centre" not in two.sentence()


def test_bad_input() -> None:
    y, p, centre = centres(2)
    one = centre == "c0"
    with pytest.raises(hw.DataError, match="from one centre \\('c0'\\)"):
        hw.calibration_by_centre(in_centres(y[one], p[one], centre[one]))
    with pytest.raises(hw.HalfwidthError, match="pooled over centres 'auroc'"):
        hw.calibration_by_centre(in_centres(y, p, centre), metric="auroc")
    with pytest.raises(hw.DataError, match="centre: 1 of 400 cases lack their centre \\(case 1\\)"):
        hw.calibration_by_centre(in_centres(y, p, [None, *centre[1:]]))
    with pytest.raises(hw.OptionError, match="name at least one"):
        hw.calibration_by_centre(in_centres(y, p, centre), metric=[])
    with pytest.raises(hw.OptionError, match="arrays have no centres"):
        hw.calibration_by_centre(hw.Predictions.from_arrays(y, p))
    with pytest.raises(hw.OptionError, match=r"one column of centres.*by='centre', got none"):
        hw.calibration_by_centre(hw.Predictions.from_table({"y": y, "p": p}, "y", score="p"))
    with pytest.raises(hw.OptionError, match="not values of cases"):
        hw.calibration_by_centre(y)
    with pytest.raises(hw.DataError, match="two different labels"):
        hw.calibration_by_centre(
            in_centres(
                [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], np.array([0.5, 0.5, "0.5", "0.5"], dtype=object)
            )
        )
    y[one] = 1
    with pytest.raises(hw.DataError, match="exists in 1 of 2 centres"):
        hw.calibration_by_centre(in_centres(y, p, centre))


# --------------------------------------------------------------------------- curves


def test_curves_are_pooled_at_each_probability_as_statsmodels_does() -> None:
    y, p, centre = centres(5, 150)
    (curve,) = hw.curve(in_centres(y, p, centre), "calibration-by-centre")
    grid = special.logit(curve.x)
    steps = np.diff(grid)
    assert steps == pytest.approx(steps[0])
    assert curve.x[[0, -1]] == pytest.approx(np.quantile(p, [0.01, 0.99]))
    values, variances = np.full((2, 5, len(grid)), np.nan)
    for place, name in enumerate(curve.centres):
        own = centre == name
        x = special.logit(p[own])
        knots = np.quantile(x, LEVELS_OF_KNOTS[4], method="averaged_inverted_cdf")
        fit = sm.GLM(y[own], harrell(x, knots).T, family=sm.families.Binomial()).fit(tol=1e-12)
        terms = harrell(grid, knots).T
        inside = (curve.x >= p[own].min()) & (curve.x <= p[own].max())
        values[place, inside] = (terms @ fit.params)[inside]
        variances[place, inside] = np.einsum("pk,kl,pl->p", terms, fit.cov_params(), terms)[inside]
    assert special.logit(curve.curves) == pytest.approx(values, rel=1e-6, nan_ok=True)
    assert (curve.counts == np.isfinite(values).sum(axis=0)).all()
    for at in (0, 10, 25, 40, 49):
        known = np.isfinite(values[:, at])
        effects, squares = values[known, at], variances[known, at]
        tau, k = float(curve.tau[at]), int(known.sum())
        assert tau == pytest.approx(math.sqrt(reml_variance(effects, squares**0.5)), abs=1e-6)
        # Variances with τ² in them, and none beside: what statsmodels calls fixed effects.
        theirs = combine_effects(effects, squares + tau**2, method_re="chi2", use_t=True)
        mean, (low, high) = theirs.mean_effect_fe, theirs.conf_int(use_t=True)[2]
        assert special.logit([curve.y[at], curve.low[at], curve.high[at]]) == pytest.approx(
            [mean, low, high], rel=1e-5, abs=1e-7
        )
        error = (high - mean) / stats.t.ppf(0.975, k - 1)
        new = stats.t.ppf(0.975, k - 2) * math.hypot(tau, error)
        ends = special.logit([curve.new_low[at], curve.new_high[at]])
        assert ends == pytest.approx([mean - new, mean + new], rel=1e-5, abs=1e-7)


def test_a_curve_ends_where_its_centre_has_no_cases() -> None:
    y, p, centre = centres(4, 150)
    kept = (centre != "c0") | (p < 0.5)
    (curve,) = hw.curve(in_centres(y[kept], p[kept], centre[kept]), "calibration-by-centre")
    assert np.isnan(curve.curves[0, curve.x > 0.5]).all()
    assert set(curve.counts[curve.x > 0.5]) == {3}
    assert curve.counts[len(curve.x) // 4] == 4
    frame = curve.centre_frame()
    assert frame.loc[frame["centre"] == "c0", "x"].max() < 0.5
    assert list(curve.to_frame()["counts"]) == list(curve.counts)


def test_weights_and_clusters_of_copies_have_the_same_curves() -> None:
    y, p, centre = centres(3, 120)
    times = np.arange(len(y)) % 2 + 1
    (weighted,) = hw.curve(in_centres(y, p, centre, sample_weight=times), "calibration-by-centre")
    place = np.repeat(np.arange(len(y)), times)
    (copied,) = hw.curve(
        in_centres(y[place], p[place], centre[place], groups=place), "calibration-by-centre"
    )
    there = np.searchsorted(copied.x, weighted.x[10:-10]) - 1
    for curve in (weighted, copied):
        assert [one.code for one in curve.cautions] == ["HW422"]
    at = np.interp(weighted.x[10:-10], copied.x, copied.curves[1])
    assert at == pytest.approx(weighted.curves[1, 10:-10], abs=2e-3)
    # Copies of cases know no more than the cases.
    assert (copied.high - copied.low)[there].mean() > 0.7 * (weighted.high - weighted.low).mean()


def test_centres_without_a_curve() -> None:
    y, p, centre = centres(4, 100)
    y[centre == "c1"] = 0
    (curve,) = hw.curve(in_centres(y, p, centre), "calibration-by-centre")
    assert (curve.left_out, curve.n) == (("c1",), 300)
    assert {one.code for one in curve.cautions} == {"HW421", "HW422"}
    y[centre == "c2"] = p[centre == "c2"] > 0.5
    with pytest.raises(hw.DataError, match="2 of 4 centres have a calibration curve, and 3 or"):
        hw.curve(in_centres(y, p, centre), "calibration-by-centre")
    apart = np.array([0.1, 0.4, 0.7])
    p = np.tile(np.linspace(0.01, 0.2, 40), 3) + np.repeat(apart, 40)
    y = np.tile([0, 1], 60)
    with pytest.raises(hw.DataError, match="no probability lies among the cases of 3 centres"):
        hw.curve(in_centres(y, p, np.repeat(list("abc"), 40)), "calibration-by-centre")


def test_the_figure_of_centres() -> None:
    y, p, centre = centres(4, 100)
    curves = hw.curve(in_centres(y, p, centre), "calibration-by-centre", average="none")
    ax = hw.plots.calibration(curves[1])
    drawn = [line.get_ydata() for line in ax.lines]
    for wanted in (*curves[1].curves, curves[1].y, curves[1].new_low, curves[1].new_high):
        assert any(np.array_equal(one, wanted, equal_nan=True) for one in drawn)
    (page,) = hw.plots.figures_of_calibration(curves)
    assert len(page.axes) == 2
