"""Errors, replicates and intervals of slope, intercepts, O:E and curves, against other ways."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from over_data import metric_ci
from scipy import stats
from scipy.special import expit, logit
from splines import LEVELS_OF_KNOTS, harrell

import halfwidth as hw
from halfwidth.arithmetic.logistic import fit_logistic
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import UNIT_INTERVAL, Level
from halfwidth.intervals import expected_score
from halfwidth.intervals.compute import intervals
from halfwidth.metrics.building import logistic_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import leave_one_out, model_error, replicates, standard_error

Array = NDArray[Any]
COEFFICIENTS = ("calibration_slope", "calibration_intercept", "calibration_in_the_large")
OF_CURVES = ("ici", "e50", "e90", "emax")


def statistic_of(name: str, *, weighted: bool = False) -> Statistic:
    spec = hw.SAMPLE_METRICS[name]
    parameters = {one.name: float(one.default or 0) for one in spec.parameters}
    return logistic_statistic(Metric(spec, parameters), weighted=weighted)


def records(n: int, seed: int, *, weighted: bool = False, samples: int = 1) -> Array:
    r = np.random.default_rng(seed)
    x = r.normal(-0.3, 1.3, (samples, n))
    rows = [expit(x), r.random((samples, n)) < expit(0.2 + 0.8 * x)]
    if weighted:
        rows.append(r.integers(1, 4, (samples, n)) / 2)
    return np.stack(rows, axis=1).astype(float)


def designs(n: int) -> dict[str, Design]:
    sizes = (1,) * (n % 10) + (2, 3) * (n // 10) + (5,) * (n // 10)
    return {
        "cases": Design((n,), paired=True),
        "strata": Design((n // 3, n - n // 3), paired=True),
        "clusters": Design((len(sizes),), sizes, paired=True),
    }


def kept_terms(name: str, p: Array, weights: Array) -> Array:
    """Of the whole sample, whose knots resamples keep."""
    if name in OF_CURVES:
        # Weights are multiples of a half.
        repeated = np.repeat(logit(p), np.rint(2 * weights).astype(int))
        levels = LEVELS_OF_KNOTS[4]
        return harrell(logit(p), np.quantile(repeated, levels, method="averaged_inverted_cdf"))
    return np.stack([np.ones(len(p)), logit(p)][: 1 if "large" in name else 2])


def averaged_quantile(values: Array, level: float) -> float:
    return float(np.quantile(values, level, method="averaged_inverted_cdf"))


def refitted(name: str, record: Array, cases: Array) -> float:
    """The metric of some cases of a sample, each as often as it is named."""
    p, y = record[0], record[1]
    weights = record[2] if len(record) > 2 else np.ones(len(p))
    terms = kept_terms(name, p, weights)[:, cases]
    return value_at(name, np.stack([p, y])[:, cases], terms, weights[cases])


def value_at(name: str, record: Array, terms: Array, weights: Array) -> float:
    """The metric of weighted cases by a fit with some terms."""
    p, y = record[:2]
    beta = fit_logistic(terms, y, weights, logit(p) if "large" in name else 0.0).coefficients
    if name in COEFFICIENTS:
        return float(beta[1 if name == "calibration_slope" else 0])
    gaps = np.abs(expit(beta @ terms) - p)
    if name == "ici":
        return float(np.average(gaps, weights=weights))
    if np.isnan(gaps).any():
        return math.nan
    return float(gaps.max() if name == "emax" else averaged_quantile(gaps, int(name[1:]) / 100))


# --------------------------------------------------------------------------- resampling


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["cases", "strata", "clusters"])
@pytest.mark.parametrize("name", [*COEFFICIENTS, *OF_CURVES])
def test_replicates_are_fits_to_gathered_resamples(name: str, kind: str) -> None:
    n, plan = 63, Plan(5, n_resamples=15)
    design, sample = designs(n)[kind], records(n, 3, samples=2)
    got = replicates(sample, design, statistic_of(name), plan)
    draws = plan.indices(design, 0, plan.n_resamples)
    by_unit = np.split(np.arange(n), design.first_cases[1:])
    for place, record in enumerate(sample):
        wanted = [
            refitted(name, record, np.concatenate([by_unit[unit] for unit in row])) for row in draws
        ]
        np.testing.assert_allclose(got[place], wanted, atol=1e-8)


def test_weights_of_cases_count_in_replicates() -> None:
    n, plan = 40, Plan(7, n_resamples=30)
    design, sample = designs(n)["cases"], records(n, 9, weighted=True)
    draws = plan.indices(design, 0, plan.n_resamples)
    for name in ("calibration_slope", "ici"):
        got = replicates(sample, design, statistic_of(name, weighted=True), plan)[0]
        wanted = [refitted(name, sample[0], row) for row in draws]
        np.testing.assert_allclose(got, wanted, atol=1e-8)


def test_resamples_without_a_finite_slope_are_counted() -> None:
    p = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.92])
    y = np.array([0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1])
    e = metric_ci(y, p, metric="calibration_slope", method="percentile", rng=1, n_resamples=999)
    draws = replicates(
        np.stack([p, y])[None] * 1.0,
        Design((11,), paired=True),
        statistic_of("calibration_slope"),
        Plan(4, 999),
    )
    # Resamples are separated where they lack either of two cases: 1 - 2 (10/11)^11 + (9/11)^11.
    share = 2 * (10 / 11) ** 11 - (9 / 11) ** 11
    assert np.isnan(draws).mean() == pytest.approx(share, abs=0.07)
    assert e.n_undefined / 999 == pytest.approx(share, abs=0.07)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["cases", "clusters"])
@pytest.mark.parametrize("name", [*COEFFICIENTS, *OF_CURVES])
def test_one_step_without_a_unit_is_close_to_a_fit_without_it(name: str, kind: str) -> None:
    n = 200
    design, sample = designs(n)[kind], records(n, 5)
    statistic = statistic_of(name)
    got = leave_one_out(sample, design, statistic)[0]
    units = np.split(np.arange(n), design.first_cases[1:])
    # Every other one, and all that change most.
    tried = np.union1d(np.arange(0, len(units), 2), np.argsort(np.abs(got - np.median(got)))[-20:])
    got = got[tried]
    wanted = np.array(
        [refitted(name, sample[0], np.delete(np.arange(n), units[place])) for place in tried]
    )
    # What the units change, to a few per cent of the largest change but for a case far out.
    change = np.abs(wanted - statistic(sample)[0]).max()
    wrong = np.sort(np.abs(got - wanted)) / change
    assert wrong[-1] < 0.2
    assert wrong[-3] < 0.05


def test_without_its_only_positive_case_a_sample_has_no_slope() -> None:
    sample = records(30, 1)
    sample[0, 1] = 0
    sample[0, 1, 12] = 1
    left = leave_one_out(sample, designs(30)["cases"], statistic_of("calibration_in_the_large"))[0]
    assert np.flatnonzero(np.isnan(left)).tolist() == [12]


# --------------------------------------------------------------------------- standard errors


def glm(record: Array, name: str) -> Any:
    p, y = record[:2]
    offset = logit(p) if "large" in name else None
    return sm.GLM(
        y, kept_terms(name, p, np.ones(len(p))).T, family=sm.families.Binomial(), offset=offset
    )


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_errors_are_those_of_statsmodels(name: str) -> None:
    n, place = 120, int(name == "calibration_slope")
    sample, statistic = records(n, 8), statistic_of(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = glm(sample[0], name).fit(tol=1e-13)
    alone = designs(n)["cases"]
    assert model_error(sample, alone, statistic)[0] == pytest.approx(model.bse[place], rel=1e-6)
    robust = glm(sample[0], name).fit(tol=1e-13, cov_type="HC0").bse[place]
    got = standard_error(sample, alone, statistic)[0]
    assert got == pytest.approx(robust * math.sqrt(n / (n - 1)), rel=1e-6)
    clusters = designs(n)["clusters"]
    options = {"groups": clusters.unit_of_case, "use_correction": False}
    robust = glm(sample[0], name).fit(tol=1e-13, cov_type="cluster", cov_kwds=options).bse[place]
    units = clusters.units
    got = standard_error(sample, clusters, statistic)[0]
    assert got == pytest.approx(robust * math.sqrt(units / (units - 1)), rel=1e-6)


@pytest.mark.parametrize("name", [*COEFFICIENTS, "ici"])
def test_influence_is_the_derivative_by_the_weight_of_a_case(name: str) -> None:
    n, step = 80, 1e-5
    sample = np.concatenate([records(n, 6), np.ones((1, 1, n))], axis=1)
    statistic = statistic_of(name, weighted=True)
    influence = statistic.spec.influence
    terms = kept_terms(name, sample[0, 0], np.ones(n))
    assert influence is not None
    got = influence(sample)[0]
    for case in (0, 7, 33):
        up, down = np.ones(n), np.ones(n)
        up[case] += step
        down[case] -= step
        slope = (value_at(name, sample[0], terms, up) - value_at(name, sample[0], terms, down)) / (
            2 * step
        )
        assert got[case] == pytest.approx(n * slope, rel=1e-4, abs=1e-6)


def test_clusters_and_weights_take_the_robust_t() -> None:
    sample = records(120, 8)[0]
    groups = designs(120)["clusters"].unit_of_case
    given: dict[str, Any] = {"metric": "calibration_slope", "rng": 1}
    assert metric_ci(sample[1], sample[0], **given).method == "model_wald"
    assert metric_ci(sample[1], sample[0], groups=groups, **given).method == "t"
    weighted = metric_ci(sample[1], sample[0], sample_weight=np.arange(1.0, 121), **given)
    assert weighted.method == "t"


# --------------------------------------------------------------------------- intervals


@pytest.mark.parametrize(("slope", "robust"), [(0.5, True), (1.6, False)])
def test_calibration_in_the_large_takes_the_wider_of_model_and_sandwich(
    slope: float, robust: bool
) -> None:
    r = np.random.default_rng(11)
    x = r.normal(0.2, 1.5, 130)
    y = (r.random(130) < expit(slope * x)).astype(int)
    family = sm.families.Binomial()
    errors = [
        float(sm.GLM(y, np.ones(130), family=family, offset=x).fit(cov_type=kind).bse[0])
        for kind in ("nonrobust", "HC0")
    ]
    ends: tuple[float, float] = (-np.inf, np.inf)
    for confidence_level in (0.999, 0.95, 0.5):
        level: dict[str, Any] = {"confidence_level": confidence_level}
        tail = (1 - confidence_level) / 2
        e = metric_ci(y, expit(x), metric="citl", **level)
        model = -stats.norm.ppf(tail) * errors[0]
        sandwich = -stats.t.ppf(tail, 129) * errors[1] * np.sqrt(130 / 129)
        assert (sandwich > model) == robust
        assert (e.method, e.n_resamples) == ("model_wald_or_t", None)
        assert e.high - e.value == pytest.approx(max(model, sandwich), rel=1e-6)
        assert e.value - e.low == pytest.approx(max(model, sandwich), rel=1e-6)
        wanted = errors[1] * np.sqrt(130 / 129) if robust else errors[0]
        assert e.standard_error == pytest.approx(wanted, rel=1e-6)
        assert ends[0] <= e.low <= e.value <= e.high <= ends[1]
        ends = (e.low, e.high)
        if confidence_level > 0.5:
            bound = {"confidence_level": 1 - tail, "alternative": "lower"}
            assert metric_ci(y, expit(x), metric="citl", **bound).low == pytest.approx(e.low)


def test_calibration_in_the_large_takes_its_rule_for_each_model_metric_and_level() -> None:
    r = np.random.default_rng(5)
    x = r.normal(0, 1.5, 90)
    y = (r.random(90) < expit(0.5 * x)).astype(int)
    models = {"a": expit(x), "b": expit(0.5 * x), "c": expit(1.5 * x - 1)}
    test = hw.Predictions.from_arrays(y, models)
    metrics = ["calibration_in_the_large", "calibration_slope"]
    rows = hw.estimate(test, metric=metrics)
    assert [row.method for row in rows] == ["model_wald_or_t", "model_wald"] * 3
    alone = [metric_ci(y, p, metric=metrics[0]) for p in models.values()]
    assert [(row.low, row.high) for row in rows[::2]] == [
        pytest.approx((one.low, one.high)) for one in alone
    ]
    design = {"metric": metrics[0], "rng": 1}
    assert metric_ci(y, models["a"], groups=np.arange(90) // 3, **design).method == "t"
    assert metric_ci(y, models["a"], sample_weight=np.arange(1.0, 91), **design).method == "t"


def test_wald_is_symmetric_about_the_coefficient() -> None:
    sample = records(90, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = glm(sample[0], "calibration_slope").fit(tol=1e-13).conf_int(0.1)[1]
    e = metric_ci(
        sample[0, 1], sample[0, 0], metric="calibration_slope", confidence_level=0.9, rng=1
    )
    np.testing.assert_allclose([e.low, e.high], wanted, rtol=1e-6)


def test_score_interval_of_equal_probabilities_is_wilsons() -> None:
    # With one probability p for all, O ~ binomial(n, θp): Wilson's interval of O/n, over p.
    level, n, p = Level(0.95), 40, 0.3
    for observed in (0, 1, 12, 33, 40):
        share = observed / n
        wilson = stats.binomtest(observed, n).proportion_ci(0.95, method="wilson")
        got = expected_score(
            np.array([share / p]),
            np.array([math.sqrt(share * (1 - share) / n) / p]),
            (np.full((1, n), p), np.ones((1, n))),
            math.inf,
            level,
        )
        low, high = np.array([wilson.low, wilson.high]) / p
        assert got.low[0] == pytest.approx(low, abs=1e-9)
        assert got.high[0] == pytest.approx(high, abs=1e-9)


def test_score_interval_widens_with_what_clusters_add() -> None:
    given = (np.full((1, 40), 0.3), np.ones((1, 40)))
    narrow, wide = (
        expected_score(np.array([1.0]), np.array([error]), given, math.inf, Level(0.95))
        for error in (0.2, 0.5)
    )
    assert wide.low[0] < narrow.low[0] < 1 < narrow.high[0] < wide.high[0]
    # In the middle it is nearly θ ± z SE.
    assert (wide.high[0] - wide.low[0]) / 2 == pytest.approx(1.96 * 0.5, rel=0.2)


def test_gaps_of_a_calibrated_model_reach_0_and_others_do_not() -> None:
    r = np.random.default_rng(13)
    p = expit(r.normal(0, 1.5, 600))
    u = r.random(600)
    for name in OF_CURVES:
        calibrated = metric_ci(u < p, p, metric=name, pos_label=True, rng=1, n_resamples=299)
        assert (calibrated.method, calibrated.low) == ("inverted", 0)
        wrong = metric_ci(u < p**2, p, metric=name, pos_label=True, rng=1, n_resamples=299)
        assert 0 < wrong.low < wrong.value < wrong.high


# --------------------------------------------------------------------------- coverage


def outside(name: str, n: int, samples: int, seed: int, *, rare: bool) -> tuple[float, float]:
    """How often the interval of auto lies above and below the truth, of a perfect model."""
    r = np.random.default_rng(seed)
    x = r.normal(-2.5 if rare else 0.0, 1.0 if rare else 1.5, (samples, n))
    sample = np.stack([expit(x), r.random((samples, n)) < expit(x)], axis=1).astype(float)
    method = hw.METHODS["model_wald" if name in COEFFICIENTS else "inverted"]
    truth = 1.0 if name == "calibration_slope" else 0.0
    (got,) = intervals(
        sample,
        statistic_of(name),
        [method],
        Level(0.95),
        bounds=UNIT_INTERVAL,
        plan=Plan(1, 299),
        design=Design((n,), paired=True),
    )
    known = np.isfinite(got.interval.low)
    low, high = got.interval.low[known], got.interval.high[known]
    return float((low > truth).mean()), float((high < truth).mean())


@pytest.mark.slow
@pytest.mark.parametrize("rare", [False, True])
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_wald_covers_a_perfect_model(name: str, rare: bool) -> None:
    # 4000 samples: 5 SE of a share of .025 are .012.
    above, below = outside(name, 100, 4000, 3, rare=rare)
    assert above < 0.045
    assert below < 0.045
    assert above + below < 0.065


@pytest.mark.slow
@pytest.mark.parametrize("rare", [False, True])
def test_inversion_covers_a_perfect_curve(rare: bool) -> None:
    above, below = outside("ici", 200, 200, 5, rare=rare)
    assert below == 0  # an interval that begins at 0 holds it
    assert above < 0.025 + 5 * math.sqrt(0.025 * 0.975 / 200)
