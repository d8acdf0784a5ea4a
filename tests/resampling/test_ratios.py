"""Exact bootstrap distributions of ratios of sums, against all resamples and against draws."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from over_data import metric_ci
from scipy import special, stats

import halfwidth as hw
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.metrics.averaging import CountingFinish
from halfwidth.resampling.distribution import ExactDistribution
from halfwidth.resampling.exact.ratios import Pairs, RatioOfSums, ratio_distribution, unit_pairs

LEVELS = (0.001, 0.025, 0.2, 0.5, 0.9, 0.975, 0.999)


FURTHER = ("f_beta", "net_benefit")


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def pairs(numerator: ArrayLike, denominator: ArrayLike, sizes: ArrayLike | None = None) -> Pairs:
    part, whole = np.asarray(numerator, float), np.asarray(denominator, float)
    return Pairs(part, whole, np.ones(len(part)) if sizes is None else np.asarray(sizes, float))


def quantile(ratios: Array, probability: Array, level: float) -> float:
    order = np.argsort(ratios)
    cumulative = np.cumsum(probability[order])
    return float(ratios[order][np.searchsorted(cumulative, level - 1e-12)])


def clusters(units: int) -> Pairs:
    g = rng()
    sizes = g.integers(1, 6, units)
    return pairs(np.array([g.beta(9, 2, size).sum() for size in sizes]), sizes)


# --------------------------------------------------------------------------- all resamples


def test_of_few_clusters_every_resample_is_counted() -> None:
    one = clusters(6)
    draws = np.array(list(itertools.product(range(6), repeat=6)))
    ratios = one.numerator[draws].sum(axis=1) / one.denominator[draws].sum(axis=1)
    found = ratio_distribution([one])
    assert found is not None
    every = np.full(len(ratios), 1 / len(ratios))
    for level in LEVELS:
        assert found.quantile(level) == pytest.approx(quantile(ratios, every, level))
    assert found.standard_deviation() == pytest.approx(ratios.std())
    assert found.mean() == pytest.approx(ratios.mean())
    estimate = one.numerator.sum() / one.denominator.sum()
    tied = np.abs(ratios - estimate) < 1e-12
    share = (ratios < estimate)[~tied].sum() + tied.sum() / 2
    assert found.share_below(np.asarray(estimate), np.asarray(1e-12)) == pytest.approx(
        share / len(ratios)
    )


def test_of_few_clusters_in_strata_as_well() -> None:
    one = clusters(7)
    strata = [
        pairs(one.numerator[:3], one.denominator[:3]),
        pairs(one.numerator[3:], one.denominator[3:]),
    ]
    first = np.array(list(itertools.product(range(3), repeat=3)))
    second = np.array(list(itertools.product(range(3, 7), repeat=4)))
    sums = [
        (own[first].sum(axis=1)[:, None] + own[second].sum(axis=1)).ravel()
        for own in (one.numerator, one.denominator)
    ]
    ratios = sums[0] / sums[1]
    found = ratio_distribution(strata)
    assert found is not None
    every = np.full(len(ratios), 1 / len(ratios))
    for level in LEVELS:
        assert found.quantile(level) == pytest.approx(quantile(ratios, every, level))
    assert found.standard_deviation() == pytest.approx(ratios.std())


def tables_of(n: int, shares: Array) -> tuple[Array, Array]:
    """All tables of n cases in four cells, and their multinomial probabilities."""
    tables = np.array(
        [
            (a, b, c, n - a - b - c)
            for a in range(n + 1)
            for b in range(n + 1 - a)
            for c in range(n + 1 - a - b)
        ]
    )
    log_ways = special.gammaln(n + 1) - special.gammaln(tables + 1).sum(axis=1)
    return tables, np.exp(log_ways + special.xlogy(tables, shares).sum(axis=1))


@pytest.mark.parametrize(
    "name", ["f1", "ppv", *(pytest.param(n, marks=pytest.mark.slow) for n in FURTHER)]
)
@pytest.mark.parametrize("search", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_ratios_of_counts_are_sums_of_multinomial_probabilities(name: str, search: bool) -> None:
    counts = np.array([13, 5, 4, 18])  # TP, FN, FP, TN
    n = int(counts.sum())
    parameters = {"f_beta": {"beta": 2.0}, "net_benefit": {"exchange_rate": 0.25}}.get(name, {})
    metric = Metric(hw.SAMPLE_METRICS[name], parameters)
    assert metric.quotient is not None
    strata = [pairs(metric.quotient[0], metric.quotient[1], counts)]
    found = RatioOfSums(tuple(strata), 0.0) if search else ratio_distribution(strata)
    assert found is not None
    tables, probability = tables_of(n, counts / n)
    function = metric.spec.function
    assert function is not None
    values = np.asarray(function(*tables.T, **parameters))
    defined = np.isfinite(values)
    values, probability = values[defined], probability[defined] / probability[defined].sum()
    mean = probability @ values
    error = float(np.sqrt(probability @ (values - mean) ** 2))
    for level in LEVELS:
        # A quantile of atoms that are found by search is within a thousandth.
        assert float(found.quantile(level)) == pytest.approx(
            quantile(values, probability, level), abs=2e-3 * error if search else 1e-9
        )
    assert float(found.standard_deviation()) == pytest.approx(error, rel=2e-3 if search else 1e-6)
    estimate = float(function(*counts, **parameters))
    tied = np.abs(values - estimate) < 1e-10
    share = probability[(values < estimate) & ~tied].sum() + probability[tied].sum() / 2
    found_share = found.share_below(np.asarray(estimate), np.asarray(1e-12))
    assert float(found_share) == pytest.approx(share, abs=1e-6)


def test_of_many_cases_a_share_is_a_mixture_of_binomials() -> None:
    counts, n = np.array([3000, 1000, 6000]), 10_000
    found = ratio_distribution([pairs([1, 0, 0], [1, 1, 0], counts)])
    assert isinstance(found, RatioOfSums)
    trials = np.arange(3500, 4500)
    weight = stats.binom.pmf(trials, n, 0.4)
    for q in (0.735, 0.7431, 0.7577, 0.77):
        expected = weight @ stats.binom.cdf(np.floor(q * trials + 1e-9), trials, 0.75)
        at = weight @ stats.binom.pmf(
            np.where(q * trials % 1 < 1e-9, np.rint(q * trials), -1), trials, 0.75
        )
        assert found.share_up_to(q) == pytest.approx(expected - at / 2, abs=2e-5)


@pytest.mark.parametrize("units", [24, pytest.param(70, marks=pytest.mark.slow)])
def test_of_clusters_they_are_those_of_draws(units: int) -> None:
    one, g = clusters(units), rng()
    drawn = g.multinomial(units, np.full(units, 1 / units), 200_000)
    ratios = drawn @ one.numerator / (drawn @ one.denominator)
    found = ratio_distribution([one])
    assert isinstance(found, RatioOfSums)
    for level in (0.025, 0.5, 0.975):
        near = 4 * math.sqrt(level * (1 - level) / 200_000)
        assert found.share_up_to(float(np.quantile(ratios, level))) == pytest.approx(
            level, abs=near
        )
        assert found.share_up_to(float(found.quantile(level))) == pytest.approx(level, abs=1e-7)
    assert float(found.standard_deviation()) == pytest.approx(ratios.std(), rel=0.01)
    assert float(found.mean()) == pytest.approx(ratios.mean(), abs=0.01 * ratios.std())


@pytest.mark.parametrize("failing", [1, 3])
def test_a_searched_quantile_may_be_the_end_of_the_range(failing: int) -> None:
    units = 60
    sizes = rng().uniform(1, 9, units)  # of no lattice, so that quantiles are searched
    hits = np.where(np.arange(units) < failing, 0.4, 1.0) * sizes
    found = ratio_distribution([unit_pairs(hits, sizes)])
    assert isinstance(found, RatioOfSums)
    perfect = (1 - failing / units) ** units
    assert float(found.quantile(1 - 0.9 * perfect)) == 1.0
    assert float(found.quantile(1 - 1.1 * perfect)) < 1.0
    mirrored = ratio_distribution([unit_pairs(sizes - hits, sizes)])
    assert mirrored is not None
    assert float(mirrored.quantile(0.9 * perfect)) == 0.0


def test_tabulated_and_searched_agree() -> None:
    g = rng()
    sizes = g.integers(1, 5, 60)
    one = pairs(g.binomial(sizes, 0.8), sizes)
    table, search = ratio_distribution([one]), RatioOfSums((one,), 0.0)
    assert isinstance(table, ExactDistribution)
    error = float(table.standard_deviation())
    for level in (0.025, 0.5, 0.975):
        assert float(search.quantile(level)) == pytest.approx(
            float(table.quantile(level)), abs=1e-3 * error
        )
    estimate = np.asarray(one.numerator.sum() / one.denominator.sum())
    assert float(search.share_below(estimate, np.asarray(0.0))) == pytest.approx(
        float(table.share_below(estimate, np.asarray(1e-12))), abs=1e-6
    )
    assert float(search.standard_deviation()) == pytest.approx(error, rel=1e-3)


def test_a_denominator_that_may_be_nothing_is_left_to_draws() -> None:
    assert ratio_distribution([pairs([1, 0, 0], [1, 1, 0], [2, 1, 12])]) is None
    assert ratio_distribution([pairs([1, 0, 0], [1, 1, 0], [20, 10, 30])]) is not None


@pytest.mark.parametrize("unit", [1.0, 100.0, 3e8, 3e-10])
def test_a_numerator_in_large_steps_keeps_its_resamples(unit: float) -> None:
    sizes = np.tile([1.0, 2.0, 3.0], 5)
    totals = rng().integers(1, 5, 15) * 1.0
    plain, scaled = (ratio_distribution([pairs(u * totals, sizes)]) for u in (1.0, unit))
    assert isinstance(plain, ExactDistribution)
    assert isinstance(scaled, ExactDistribution)
    for level in LEVELS:
        assert scaled.quantile(level) == pytest.approx(unit * plain.quantile(level), rel=1e-9)


def test_a_ratio_that_is_the_same_in_all_resamples() -> None:
    sizes = rng().random(60) + 0.1
    found = ratio_distribution([pairs(sizes / 3, sizes)], shift=1.0)
    assert found is not None
    assert found.quantile(0.025) == found.quantile(0.975) == pytest.approx(4 / 3)
    assert found.standard_deviation() == 0
    truth = np.tile([1, 1, 0], 20)
    e = metric_ci(
        truth, truth, metric="f1", method="percentile", sample_weight=sizes, scores="labels"
    )
    assert (e.low, e.high, e.standard_error) == (1.0, 1.0, 0.0)


def test_bounds_are_those_of_the_values() -> None:
    found = RatioOfSums((clusters(30),), 0.0)
    one = found.strata[0]
    each = one.numerator / one.denominator
    assert each.min() <= found.quantile(1e-12) < found.quantile(0.5) < found.quantile(1 - 1e-12)
    assert found.quantile(1 - 1e-12) <= each.max()
    assert np.isnan(found.quantile(np.nan))


# --------------------------------------------------------------------------- what is a ratio


@pytest.mark.parametrize("name", ["sensitivity", "specificity", "ppv", "npv", "f1", "f_beta"])
@pytest.mark.parametrize(("average", "classes"), [("binary", 2), ("none", 3), ("micro", 3)])
def test_declared_quotients_are_the_metrics(name: str, average: str, classes: int) -> None:
    parameters = {"beta": 0.5} if name == "f_beta" else {}
    finish = CountingFinish(Metric(hw.SAMPLE_METRICS[name], parameters), classes, average, 1)
    assert finish.quotient is not None
    tables = rng().integers(1, 9, (20, classes**2))
    part, whole = (tables @ np.array(weights) for weights in finish.quotient)
    assert finish(tables.astype(float)) == pytest.approx(part / whole)


def test_what_is_no_ratio_declares_none() -> None:
    at_prevalence = Metric(hw.SAMPLE_METRICS["ppv"], {"prevalence": 0.1})
    for finish in (
        CountingFinish(Metric(hw.SAMPLE_METRICS["youden_j"]), 2, "binary", 1),
        CountingFinish(Metric(hw.SAMPLE_METRICS["f1"]), 3, "macro"),
        CountingFinish(at_prevalence, 2, "binary", 1),
        CountingFinish(Metric(hw.SAMPLE_METRICS["mcc"]), 2),
    ):
        assert finish.quotient is None


# --------------------------------------------------------------------------- at the front door


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@pytest.mark.parametrize(
    ("metric", "given"),
    [
        ("f1", "nothing"),
        ("f1", "clusters"),
        ("f1", "weights"),
        ("ppv", "strata"),
        ("sensitivity", "clusters"),
        ("net_benefit:exchange_rate=0.25", "nothing"),
    ],
)
def test_ratios_of_counts_need_no_draws(method: str, metric: str, given: str) -> None:
    g, n = rng(), 150
    truth = (g.random(n) < 0.4).astype(int)
    said = (g.random(n) < np.where(truth, 0.8, 0.2)).astype(int)
    designs: dict[str, dict[str, Any]] = {
        "nothing": {},
        "clusters": {"groups": g.integers(0, 60, n)},
        "strata": {"strata": np.arange(n) % 3},
        "weights": {"sample_weight": g.uniform(0.5, 2, n)},
    }
    options = designs[given]
    exact = metric_ci(truth, said, metric=metric, method=method, **options)
    drawn = metric_ci(
        truth, said, metric=metric, method=method, n_resamples=40_000, rng=1, **options
    )
    assert (exact.n_resamples, exact.seed, exact.n_undefined) == (None, None, 0)
    assert (drawn.n_resamples, drawn.seed) == (40_000, 1)
    # Noise, and atoms of some hundredths of a standard error.
    near = 0.1 * exact.standard_error
    assert (exact.low, exact.high) == pytest.approx((drawn.low, drawn.high), abs=near)
    assert exact.standard_error == pytest.approx(drawn.standard_error, rel=0.02)


def test_other_functions_of_counts_are_drawn() -> None:
    truth, said = [0, 1] * 30, [0, 1, 1, 1, 0, 0] * 10
    e = metric_ci(truth, said, metric="mcc", method="bca", rng=1)
    assert (e.n_resamples, e.seed) == (9999, 1)
