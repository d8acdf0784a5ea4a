"""Sizes for calibration against pmvalsampsize, quadrature, simulation and what ``ci`` prints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

import halfwidth as hw
from halfwidth.calibration.planning import QUANTITIES, Information, _information
from halfwidth.core.types import Array
from halfwidth.planning import calibration

NORMAL: dict[str, Any] = {"lp_mean": -1.0, "lp_sd": 0.8}
CLASSES: dict[str, Any] = {"prevalence": 0.1, "auroc": 0.8}


# What pmvalsampsize 0.2.1 prints for the slope, by 5 000 000 simulated log odds.
PRINTED = [
    ({"lp_mean": -3.0, "lp_sd": 1.2}, 0.2, 1364),
    (NORMAL, 0.15, 1817),
    ({"pilot": stats.beta(1.33, 1.75).ppf((np.arange(100_000) + 0.5) / 100_000)}, 0.15, 949),
]


@pytest.mark.parametrize(("assumed", "halfwidth", "n"), PRINTED)
def test_slopes_as_pmvalsampsize_plans_them(
    assumed: dict[str, Any], halfwidth: float, n: int
) -> None:
    assert calibration("calibration_slope", halfwidth=halfwidth, **assumed).n == pytest.approx(
        n, abs=1
    )


def test_the_slope_of_two_normal_classes_as_pmvalsampsize_plans_it() -> None:
    """It simulates at a prevalence of 0.1003 and prints 1858."""
    plan = calibration("calibration_slope", halfwidth=0.15, prevalence=0.1003115, auroc=0.8)
    assert plan.n == pytest.approx(1858, rel=0.004)


def test_o_over_e_is_rileys_where_probabilities_are_equal() -> None:
    """√((1 - φ) / (n φ)) of log O:E; the score interval is as wide but for terms of 1 / n."""
    for prevalence in (0.1, 0.4):
        mean = math.log(prevalence / (1 - prevalence))
        plan = calibration("oe_ratio", n=4000, lp_mean=mean, lp_sd=1e-3)
        error = math.sqrt((1 - prevalence) / (4000 * prevalence))
        assert plan.halfwidth == pytest.approx(math.sinh(1.959964 * error), rel=0.005)


def density(kind: str, skewness: float) -> tuple[Any, float, float]:
    """A density of log odds by SciPy, and where it ends."""
    if kind == "classes":
        d = math.sqrt(2) * stats.norm.ppf(0.8)
        base = math.log(0.1 / 0.9)
        low, high = (stats.norm(base + sign * d**2 / 2, d).pdf for sign in (-1, 1))
        return lambda x: 0.9 * low(x) + 0.1 * high(x), base - 12, base + 12
    if not skewness:
        return stats.norm(-1, 0.8).pdf, -9, 7
    roots = optimum(skewness)
    return stats.skewnorm(*roots).pdf, -9, 9


def optimum(skewness: float) -> tuple[float, float, float]:
    """Shape, location and scale of a skew normal of mean -1 and SD 0.8, found by bisection."""
    low, high = 0.0, 200.0
    for _ in range(60):
        shape = (low + high) / 2
        found = float(stats.skewnorm(shape).stats("s"))
        low, high = (shape, high) if found < abs(skewness) else (low, shape)
    shape = math.copysign(low, skewness)
    mean, variance = stats.skewnorm(shape).stats("mv")
    scale = 0.8 / math.sqrt(variance)
    return shape, -1 - scale * float(mean), scale


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("kind", "skewness"), [("normal", 0.0), ("normal", 0.8), ("normal", -0.5), ("classes", 0.0)]
)
def test_information_by_adaptive_quadrature(kind: str, skewness: float) -> None:
    of, low, high = density(kind, skewness)

    def mean(values: Any) -> float:
        return integrate.quad(lambda x: of(x) * values(x), low, high, limit=400, epsabs=1e-13)[0]

    def chance(x: float) -> float:
        return float(special.expit(x) * special.expit(-x))

    alpha, both = mean(chance), mean(lambda x: x * chance(x))
    beta = mean(lambda x: x * x * chance(x))
    known = (
        _information(0.1, 0.8, None, None, None, None)
        if kind == "classes"
        else _information(None, None, -1.0, 0.8, skewness or None, None)
    )
    wanted = (alpha, beta, beta - both**2 / alpha, mean(special.expit))
    made = (known.intercept, known.slope, known.spread, known.prevalence)
    assert made == pytest.approx(wanted, rel=1e-7)


def test_two_normal_classes_are_right_and_have_the_auroc_asked_for() -> None:
    """Of the density and its probabilities; the classes apart have log odds of those ratios."""
    plan = calibration("calibration_slope", n=500, **CLASSES)
    assert plan.assumed["prevalence"] == pytest.approx(0.1, rel=1e-9)
    d = math.sqrt(2) * stats.norm.ppf(0.8)
    log_odds = np.linspace(-8, 4, 9)
    ratio = stats.norm(-2.1972246 + d**2 / 2, d).logpdf(log_odds) - stats.norm(
        -2.1972246 - d**2 / 2, d
    ).logpdf(log_odds)
    assert ratio + math.log(0.1 / 0.9) == pytest.approx(log_odds, abs=1e-6)
    assert stats.norm.cdf(d / math.sqrt(2)) == pytest.approx(0.8)


def drawn(rng: np.random.Generator, n: int, assumed: dict[str, float]) -> tuple[Array, Array]:
    if "auroc" in assumed:
        d = math.sqrt(2) * stats.norm.ppf(assumed["auroc"])
        odds = math.log(assumed["prevalence"] / (1 - assumed["prevalence"]))
        sick = rng.random(n) < assumed["prevalence"]
        log_odds = odds + np.where(sick, 1, -1) * d**2 / 2 + d * rng.normal(size=n)
    else:
        log_odds = rng.normal(assumed["lp_mean"], assumed["lp_sd"], n)
    p = special.expit(log_odds)
    return (rng.random(n) < p).astype(int), p


def widths_of_ci(assumed: dict[str, float], n: int, studies: int) -> Array:
    """Of each metric and study the half-width that ``ci`` prints by default."""
    made = []
    for seed in range(studies):
        y, p = drawn(np.random.default_rng(seed), n, assumed)
        found = hw.metric_ci(y, p, metric=list(QUANTITIES), rng=1)
        made.append([one.halfwidth for one in found])
    return np.array(made).T


@pytest.mark.slow
@pytest.mark.parametrize("assumed", [NORMAL, CLASSES], ids=["normal", "classes"])
@pytest.mark.parametrize("studies", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_studies_of_the_planned_size_are_as_wide_as_planned(
    assumed: dict[str, Any], studies: int
) -> None:
    """Median widths within 5 %; those of single studies vary by 3 to 8 %, medians of 200 by 0.7."""
    plan = calibration("calibration_slope", halfwidth=0.25, **assumed)
    for name, widths in zip(QUANTITIES, widths_of_ci(assumed, plan.n, studies), strict=True):
        planned = calibration(name, n=plan.n, **assumed).halfwidth
        assert np.median(widths) == pytest.approx(planned, rel=0.05)
    assert calibration("calibration_slope", n=plan.n, **assumed).halfwidth <= 0.25
    assert calibration("calibration_slope", n=plan.n - 1, **assumed).halfwidth > 0.25


def test_plans_name_the_methods_that_ci_takes_by_default() -> None:
    y, p = drawn(np.random.default_rng(1), 500, NORMAL)
    methods = [one.method for one in hw.metric_ci(y, p, metric=list(QUANTITIES), rng=1)]
    planned = [calibration(name, n=500, **NORMAL).formula for name in QUANTITIES]
    assert methods == planned


def test_the_largest_n_decides() -> None:
    wanted = {"calibration_slope": 0.2, "calibration_in_the_large": 0.15, "oe": 0.1}
    plan = calibration(halfwidth=wanted, **CLASSES)
    alone = [calibration(name, halfwidth=one, **CLASSES).n for name, one in wanted.items()]
    assert plan.n == max(alone)
    assert sorted(need.n for need in plan.requirements) == sorted(alone)
    assert plan.decided_by == max(plan.requirements, key=lambda need: need.n).what
    assert [part.n for part in plan.parts] == [plan.n] * 3
    assert all(
        part.halfwidth <= value + 1e-12
        for part, value in zip(plan.parts, wanted.values(), strict=True)
    )


def test_an_intercept_far_from_the_cases_takes_more_of_them() -> None:
    """Iβ / (Iα D), of log odds moved by m: Iβ grows as m², the rest stays."""
    known = [_information(None, None, mean, 0.5, None, None) for mean in (0.0, -3.0)]
    assert isinstance(known[0], Information)
    wide = [calibration("calibration_intercept", n=500, lp_mean=m, lp_sd=0.5) for m in (0, -3)]
    assert wide[1].width > 3 * wide[0].width


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({"halfwidth": None}, "say what to plan for"),
    "no metric": ({"metric": None}, "name the metric"),
    "no metric of a width": ({"metric": None, "n": 500, "halfwidth": None}, "name the metric"),
    "two metrics": ({"halfwidth": {"oe_ratio": 0.1}}, "name the metric"),
    "of nothing": ({"metric": None, "halfwidth": {}}, "name the metric"),
    "no spread": ({"prevalence": None}, "say how log odds are distributed"),
    "two ways": ({"lp_mean": 0.0, "lp_sd": 1.0}, "say how log odds are distributed"),
    "auroc": ({"auroc": 0.5}, "not above 0.5"),
    "extreme": ({"prevalence": 1e-6, "auroc": 0.9}, "probabilities of 0 and 1"),
    "negative": ({"halfwidth": -1}, "halfwidth=-1 is not above 0"),
    "skewness alone": ({"lp_skewness": 0.5}, "goes with lp_mean= and lp_sd="),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_options(name: str) -> None:
    given, words = BAD[name]
    with pytest.raises(hw.OptionError, match=words):
        calibration(**{"metric": "calibration_slope", "halfwidth": 0.2, **CLASSES, **given})


PILOTS: dict[str, tuple[Any, str]] = {
    "few": ([0.1, 0.5], "needs 10 probabilities or more, got 2"),
    "log odds": (np.linspace(-3, 3, 20), "a probability is from 0 to 1"),
    "outcomes": ([0, 1] * 10, "outcomes or decisions"),
    "equal": ([0.3] * 20, "are all 0.3"),
    "missing": ([0.3, math.nan] * 10, "none of them missing"),
    "text": (["a"] * 20, "cells that are not numbers"),
}


@pytest.mark.parametrize("name", PILOTS)
def test_bad_pilots(name: str) -> None:
    pilot, words = PILOTS[name]
    with pytest.raises(hw.DataError, match=words):
        calibration("calibration_slope", halfwidth=0.2, pilot=pilot)


def test_bad_skewness_and_names() -> None:
    with pytest.raises(hw.OptionError, match=r"lp_skewness=0.999 is not from -0.995"):
        calibration("calibration_slope", halfwidth=0.2, lp_mean=0, lp_sd=1, lp_skewness=0.999)
    with pytest.raises(hw.OptionError, match="make probabilities of 0 and 1: keep"):
        calibration("calibration_slope", halfwidth=0.2, lp_mean=50, lp_sd=1)
    with pytest.raises(hw.UnknownNameError, match="metric of calibration 'auroc'"):
        calibration("auroc", n=100, **CLASSES)
    with pytest.raises(hw.OptionError, match="at least 10"):
        calibration("citl", n=9, **CLASSES)
