"""Differences and ratios of two samples, against SciPy, statsmodels, formulas and loops."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats
from statsmodels.stats.proportion import confint_proportions_2indep
from statsmodels.stats.weightstats import CompareMeans

import halfwidth as hw
from halfwidth.core import rng
from halfwidth.core.forms import Effect
from halfwidth.core.types import Interval, Level
from halfwidth.estimation.pipeline import Job, estimate_jobs
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import resolve_request, resolve_statistic
from halfwidth.estimation.unpaired import estimate_unpaired
from halfwidth.intervals import mover, newcombe_unpaired, welch, wilson
from halfwidth.metrics.names import resolve_metric
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan

Array = NDArray[np.float64]
DRAWS = np.random.default_rng(21)
FIRST, SECOND = DRAWS.beta(9, 2, 31), DRAWS.beta(7, 2, 44)
RIGHT, OTHERS = np.repeat([1.0, 0.0], (46, 4)), np.repeat([1.0, 0.0], (42, 18))
SAME: Any = {"missing": "raise", "penalty": None}


def job(
    values: Array,
    *,
    metric: Any = "dsc",
    bounds: Any = None,
    statistic: Any = "mean",
    groups: Any = None,
    strata: Any = None,
    label: str = "",
) -> Job:
    resolved = resolve_metric(metric, bounds)
    in_order, design = arrange(values, groups, strata)
    functional = Functional(resolve_statistic(statistic), resolved, binary=metric == "correct")
    n_groups = None if groups is None else len(set(groups))
    records = Records(in_order, design, len(values), values=np.sort(values), n_groups=n_groups)
    return Job(functional, records, label)


def compared(
    first: Job,
    second: Job,
    effect: Effect = "difference",
    *,
    method: Any = "auto",
    level: float = 0.95,
    alternative: Any = "two-sided",
    n_resamples: int | None = None,
) -> hw.Estimate:
    request = resolve_request(
        method=method,
        confidence_level=level,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=5,
        **SAME,
    )
    return estimate_unpaired(first, second, request, effect)


def own(one: Job, *, method: Any = "auto", level: float = 0.95) -> hw.Estimate:
    request = resolve_request(
        method=method,
        confidence_level=level,
        alternative="two-sided",
        n_resamples=None,
        rng=5,
        **SAME,
    )
    return estimate_jobs([one], request)[0]


# --------------------------------------------------------------------------- proportions


@pytest.mark.sampled(2)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(("n", "m"), [(1, 4), (10, 7), (56, 29)])
def test_newcombe_is_that_of_statsmodels(n: int, m: int, confidence: float) -> None:
    for x in range(0, n + 1, max(1, n // 5)):
        for y in range(0, m + 1, max(1, m // 5)):
            made = newcombe_unpaired([x, y], [n, m], Level(confidence))
            with np.errstate(invalid="ignore", divide="ignore"):
                known = confint_proportions_2indep(
                    x, n, y, m, method="newcomb", compare="diff", alpha=1 - confidence
                )
            assert (made.low, made.high) == pytest.approx(known, rel=1e-10, abs=1e-13)


# Newcombe (1998), Statistics in Medicine 17:873, table II, method 10.
@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((6, 7, 2, 7), 0.0582, 0.8062),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((0, 10, 0, 10), -0.2775, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0),
        ((10, 10, 0, 10), 0.6075, 1.0),
    ],
)
def test_newcombes_own_examples(counts: tuple[int, ...], low: float, high: float) -> None:
    x, n, y, m = counts
    made = newcombe_unpaired([x, y], [n, m], Level())
    assert (round(float(made.low), 4), round(float(made.high), 4)) == (low, high)


def test_newcombes_interval_stays_in_range_and_widens() -> None:
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(9), np.arange(6)))
    narrow, wide = (newcombe_unpaired([x, y], [[8], [5]], Level(level)) for level in (0.7, 0.99))
    assert (wide.low <= narrow.low).all()
    assert (narrow.high <= wide.high).all()
    assert (wide.low >= -1 - 1e-15).all()
    assert (wide.high <= 1 + 1e-15).all()


def test_auto_takes_newcombe_of_proportions() -> None:
    e = compared(job(RIGHT, metric="correct"), job(OTHERS, metric="correct"))
    known = newcombe_unpaired([46, 42], [50, 60], Level())
    assert e.method == "newcombe_unpaired"
    assert e.value == pytest.approx(46 / 50 - 42 / 60)
    assert (e.low, e.high) == (float(known.low), float(known.high))
    assert (e.n, e.design, e.n_resamples, e.seed) == (110, "unpaired", None, None)
    assert e.range == hw.Bounds(-1, 1)


def test_clusters_count_as_what_they_are_worth() -> None:
    groups, others = np.repeat(np.arange(25), 2), np.repeat(np.arange(20), 3)
    right = job(RIGHT, metric="correct", groups=groups)
    other = job(OTHERS, metric="correct", groups=others)
    e = compared(right, other)
    alone = [own(one) for one in (right, other)]
    down = math.hypot(alone[0].value - alone[0].low, alone[1].high - alone[1].value)
    up = math.hypot(alone[0].high - alone[0].value, alone[1].value - alone[1].low)
    assert (e.low, e.high) == pytest.approx((e.value - down, e.value + up), rel=1e-12)
    assert e.method_title == "Newcombe hybrid score with design effect"
    assert e.n_groups == 45
    simple = compared(job(RIGHT, metric="correct"), job(OTHERS, metric="correct"))
    assert e.width > simple.width


# --------------------------------------------------------------------------- means


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_welch_is_that_of_scipy_and_statsmodels(confidence: float) -> None:
    e = compared(job(FIRST), job(SECOND), method="welch", level=confidence)
    known = stats.ttest_ind(FIRST, SECOND, equal_var=False).confidence_interval(confidence)
    assert (e.low, e.high) == pytest.approx((known.low, known.high), rel=1e-12)
    means = CompareMeans.from_data(FIRST, SECOND)
    bounds = means.tconfint_diff(1 - confidence, usevar="unequal")
    assert (e.low, e.high) == pytest.approx(bounds, rel=1e-9)


def test_auto_takes_welch_where_a_metric_has_no_bounds() -> None:
    e = compared(job(FIRST, metric=None), job(SECOND, metric=None))
    known = stats.ttest_ind(FIRST, SECOND, equal_var=False).confidence_interval()
    assert e.method == "welch"
    assert (e.low, e.high) == pytest.approx(tuple(known), rel=1e-12)


def test_welch_of_clusters_has_their_errors_and_degrees() -> None:
    groups = np.arange(len(FIRST)) // 3
    clustered = job(FIRST, metric=None, groups=groups)
    e = compared(clustered, job(SECOND, metric=None))
    of_first, of_second = own(clustered, method="t"), own(job(SECOND, metric=None), method="t")
    errors = [of_first.standard_error, of_second.standard_error]
    # What t says of its own degrees of freedom.
    ratio = (of_first.high - of_first.value) / of_first.standard_error
    free = clustered.records.design.effective_degrees
    assert ratio == pytest.approx(stats.t.ppf(0.975, free))
    known = welch([of_first.value, of_second.value], errors, [free, 43], Level())
    assert (e.low, e.high) == pytest.approx((float(known.low), float(known.high)), rel=1e-12)
    assert (e.design, e.method_title) == ("unpaired", "Welch")


def test_welch_without_a_spread_has_no_width_and_without_a_degree_no_bounds() -> None:
    made = welch([1.0, 2.0], [0.0, 0.0], [4, 5], Level())
    assert (float(made.low), float(made.high)) == (-1, -1)
    none = welch([1.0, 2.0], [0.1, np.nan], [4, 0], Level())
    assert np.isnan(none.low)
    assert np.isnan(none.high)
    e = compared(job(FIRST[:1], metric=None), job(SECOND, metric=None))
    assert math.isnan(e.low)
    (why,) = (caution.message for caution in e.cautions if caution.code == "HW306")
    assert "one of the two samples has a single case" in why


def test_a_bound_of_a_ratio_reads_as_1_only_where_it_is() -> None:
    hits, others = np.repeat([1.0, 0.0], (5, 1)), np.repeat([1.0, 0.0], (1, 7))
    e = compared(job(hits, metric="correct"), job(others, metric="correct"), "ratio")
    assert e.high > 30
    assert "CI 1.5 to 37" in e.sentence()


# --------------------------------------------------------------------------- MOVER


def test_mover_of_symmetric_intervals_is_walds() -> None:
    z = stats.norm.ppf(0.975)
    both = tuple(
        Interval.of(mean - z * error, mean + z * error, error)
        for mean, error in ((0.9, 0.02), (0.8, 0.03))
    )
    made = mover([0.9, 0.8], (both[0], both[1]), "difference", Level())
    error = math.hypot(0.02, 0.03)
    assert (made.low, made.high) == pytest.approx((0.1 - z * error, 0.1 + z * error))
    assert made.standard_error == pytest.approx(error)


@pytest.mark.parametrize(
    ("means", "errors"),
    [((0.9, 0.8), (0.02, 0.03)), ((2.0, 5.0), (0.7, 2.0)), ((3, 1), (1.4, 0.5))],
)
def test_movers_ratio_of_symmetric_intervals_is_fiellers(
    means: tuple[float, float], errors: tuple[float, float]
) -> None:
    z = stats.norm.ppf(0.975)
    both = tuple(Interval.of(m - z * s, m + z * s, s) for m, s in zip(means, errors, strict=True))
    made = mover(means, (both[0], both[1]), "ratio", Level())
    # (θ₁ - Rθ₂)² = z²(s₁² + R²s₂²)
    (m, k), (s, t) = means, errors
    roots = np.roots([k**2 - z**2 * t**2, -2 * m * k, m**2 - z**2 * s**2])
    assert (made.low, made.high) == pytest.approx(tuple(np.sort(roots)), rel=1e-10)


@pytest.mark.parametrize(("x", "y"), [(7, 1), (30, 12), (2, 33), (34, 34)])
def test_the_ratio_of_any_intervals_solves_its_equations(x: int, y: int) -> None:
    first, second = wilson(x, 34, Level()), wilson(y, 34, Level())
    a, b = x / 34, y / 34
    made = mover([a, b], (first, second), "ratio", Level())
    low, high = float(made.low), float(made.high)
    assert low < a / b < high
    assert (a - low * b) ** 2 == pytest.approx(
        (a - float(first.low)) ** 2 + (low * (float(second.high) - b)) ** 2, rel=1e-9
    )
    assert (a - high * b) ** 2 == pytest.approx(
        (float(first.high) - a) ** 2 + (high * (b - float(second.low))) ** 2, rel=1e-9
    )


def test_the_ratio_has_no_upper_bound_where_the_second_may_be_nothing() -> None:
    both = Interval.of(0.2, 0.6), Interval.of(0.0, 0.3)
    made = mover([0.4, 0.1], both, "ratio", Level())
    assert made.high == np.inf
    assert 0 < made.low < 4
    for estimates in ([0.0, 0.4], [0.4, 0.0], [-0.1, 0.3]):
        none = mover(estimates, both, "ratio", Level())
        assert np.isnan(none.low)
        assert np.isnan(none.high)


def test_means_take_the_farther_of_mover_and_welch() -> None:
    one, other = job(FIRST), job(SECOND)
    e = compared(one, other)
    assert e.method == "mover_or_welch:dirichlet_pareto:shape=5.0"
    put_together = compared(one, other, method="mover:dirichlet_pareto:shape=5")
    welch = compared(one, other, method="welch")
    ends = min(put_together.low, welch.low), max(put_together.high, welch.high)
    assert (e.low, e.high) == pytest.approx(ends, rel=1e-12)
    again = compared(one, other, method=e.method)
    assert (again.low, again.high) == (e.low, e.high)


def test_a_sample_of_equal_values_takes_the_bounds_beside_another() -> None:
    equal = np.full(20, 0.9)
    e = compared(job(equal), job(SECOND))
    bounds = own(job(equal), method="dirichlet")
    rest = own(job(SECOND), method="dirichlet_pareto:shape=5")
    assert e.low <= e.value - math.hypot(bounds.value - bounds.low, rest.high - rest.value) + 1e-12


@pytest.mark.sampled(2)
@pytest.mark.parametrize("statistic", ["median", "sd", "trimmed_mean", "quantile:.9"])
def test_mover_puts_the_intervals_of_both_together(statistic: str) -> None:
    one, other = job(FIRST, statistic=statistic), job(SECOND, statistic=statistic)
    e = compared(one, other)
    a, b = own(one), own(other)
    down, up = (
        math.hypot(a.value - a.low, b.high - b.value),
        math.hypot(a.high - a.value, b.value - b.low),
    )
    assert (e.low, e.high) == pytest.approx((e.value - down, e.value + up), rel=1e-12)
    assert e.method == f"mover:{a.method}"
    again = compared(one, other, method=e.method)
    assert (again.low, again.high) == (e.low, e.high)


def test_a_method_of_one_sample_makes_the_intervals_that_are_put_together() -> None:
    e = compared(job(FIRST), job(SECOND), method="t")
    assert (e.method, e.method_title) == ("mover:t", "MOVER of t")
    assert compared(job(FIRST), job(SECOND), method="mover:t").low == e.low
    with pytest.raises(hw.OptionError, match="makes no interval for the mean"):
        compared(job(FIRST), job(SECOND), method="wilson")
    with pytest.raises(hw.OptionError, match="compares two samples"):
        compared(job(FIRST), job(SECOND), method="mover:welch")
    with pytest.raises(hw.OptionError, match="ratio of two samples in mean; use auto"):
        compared(job(FIRST), job(SECOND), "ratio", method="welch")
    with pytest.raises(hw.OptionError, match="needs a metric with finite bounds"):
        compared(job(FIRST, metric=None), job(SECOND, metric=None), method="hoeffding")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("method", ["auto", "welch", "percentile", "bca", "mover:t"])
def test_one_sided_bounds_have_twice_the_error(method: str) -> None:
    one, other = job(FIRST), job(SECOND)
    both = compared(one, other, method=method, level=0.9)
    lower = compared(one, other, method=method, alternative="lower")
    upper = compared(one, other, method=method, alternative="upper")
    assert (lower.low, upper.high) == pytest.approx((both.low, both.high), rel=1e-9)
    assert (lower.high, upper.low) == (1, -1)


# --------------------------------------------------------------------------- bootstraps


def loop_of_draws(values: Array, entropy: int, resamples: int) -> Array:
    plan = Plan(entropy, resamples)
    drawn = plan.indices(Design.iid(len(values)), 0, resamples)
    return np.asarray(np.sort(values)[drawn].mean(axis=-1))


@pytest.mark.parametrize("effect", ["difference", "ratio"])
def test_bootstraps_draw_both_samples_independently(effect: Literal["difference", "ratio"]) -> None:
    one, other = job(FIRST), job(SECOND[:31])
    e = compared(one, other, effect, method="percentile", n_resamples=999)
    second_entropy = rng.derive_key(5, "second sample").value
    first = loop_of_draws(FIRST, 5, 999)
    second = loop_of_draws(SECOND[:31], second_entropy, 999)
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.1
    if effect == "difference":
        known = np.quantile(first - second, (0.025, 0.975))
        error = (first - second).std(ddof=1)
    else:
        known = np.exp(np.quantile(np.log(first) - np.log(second), (0.025, 0.975)))
        error = (np.log(first) - np.log(second)).std(ddof=1)
    assert (e.low, e.high) == pytest.approx(tuple(known), rel=1e-10)
    assert e.standard_error == pytest.approx(error)
    assert (e.n_resamples, e.seed) == (999, 5)


def test_bca_has_the_acceleration_of_scipys_two_samples() -> None:
    def difference(x: Array, y: Array, axis: int = -1) -> Array:
        return np.asarray(x.std(axis=axis, ddof=1) - y.std(axis=axis, ddof=1))

    e = compared(
        job(FIRST, statistic="sd"), job(SECOND, statistic="sd"), method="bca", n_resamples=49_999
    )
    known = stats.bootstrap(
        (FIRST, SECOND), difference, method="BCa", n_resamples=20_000, random_state=3
    ).confidence_interval
    # Both draw; their bounds differ by the Monte Carlo error of 20 000 draws.
    assert (e.low, e.high) == pytest.approx(tuple(known), abs=0.03 * e.width)


def by_hand_acceleration(first: Array, second: Array) -> float:
    parts = []
    for values, sign in ((first, 1), (second, -1)):
        n = len(values)
        left_out = np.array([np.delete(values, k).mean() for k in range(n)])
        parts.append(sign * (n - 1) / n * (left_out.mean() - left_out))
    d = np.concatenate(parts)
    return float((d**3).sum() / (6 * (d**2).sum() ** 1.5))


def test_bca_is_its_formula() -> None:
    one, other = job(FIRST), job(SECOND)
    e = compared(one, other, method="bca", n_resamples=1999)
    entropy = rng.derive_key(5, "second sample").value
    replicates = loop_of_draws(FIRST, 5, 1999) - loop_of_draws(SECOND, entropy, 1999)
    value = FIRST.mean() - SECOND.mean()
    a = by_hand_acceleration(FIRST, SECOND)
    z0 = special.ndtri((replicates < value).mean())
    for tail, bound in ((0.025, e.low), (0.975, e.high)):
        shifted = z0 + special.ndtri(tail)
        position = special.ndtr(z0 + shifted / (1 - a * shifted))
        assert bound == pytest.approx(np.quantile(replicates, position), rel=1e-9)


# --------------------------------------------------------------------------- what is undefined


@pytest.mark.parametrize("method", ["auto", "percentile", "bca"])
def test_a_ratio_needs_positive_values(method: str) -> None:
    none = job(np.zeros(12), metric="correct")
    for one, other in ((none, job(OTHERS, metric="correct")), (job(RIGHT, metric="correct"), none)):
        e = compared(one, other, "ratio", method=method)
        assert math.isnan(e.value)
        assert math.isnan(e.low)
        assert "HW306" in [caution.code for caution in e.cautions]


def test_cautions_say_whose_cases_they_doubt() -> None:
    few = np.array([0.1, 0.9, 0.8])
    e = compared(job(few, metric=None, label="A"), job(SECOND, metric=None, label="B"))
    assert any(caution.message.startswith("A: ") for caution in e.cautions)
    assert not any(caution.message.startswith("B: ") for caution in e.cautions)


def test_values_in_the_order_of_another_model_are_independent_all_the_same() -> None:
    identities = np.random.default_rng(4).permutation(len(RIGHT))
    in_order, design = arrange(RIGHT, identities=identities)
    one = job(RIGHT, metric="correct")
    ordered = Job(
        one.functional, Records(in_order, design, len(RIGHT), values=np.sort(RIGHT), paired=True)
    )
    other = job(OTHERS, metric="correct")
    assert compared(ordered, other).low == compared(one, other).low
