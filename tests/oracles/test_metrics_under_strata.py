"""Metrics of a test set whose strata differ: errors of formulas beside those of the bootstrap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from over_data import metric_ci

import halfwidth as hw
from halfwidth.core import rng
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.weights.bootstrap import Drawn

Array = NDArray[Any]


def two_sites(n: int = 300) -> tuple[Array, Array, Array]:
    """Sites that differ in prevalence and in the level of scores."""
    draw = np.random.default_rng(3)
    site = np.repeat([0, 1], n // 2)
    truth = (draw.random(n) < np.where(site == 0, 0.2, 0.7)).astype(int)
    return site, truth, draw.normal(truth + 2 * site)


def errors(metric: str, method: str, truth: Array, score: Array, **options: Any) -> list[float]:
    """Standard errors by a formula and by the stratified bootstrap."""
    made = [
        metric_ci(truth, score, metric=metric, method=name, rng=1, **options)
        for name in (method, "percentile")
    ]
    return [e.standard_error for e in made]


# The bootstrap's SD of 9999 replicates has a relative error of .007; ten times that separates a
# formula that is right to first order from one that takes the classes of each stratum as fixed.
def test_delong_under_strata_lets_the_classes_of_a_stratum_vary() -> None:
    site, truth, score = two_sites()
    formula, bootstrap = errors("auroc", "delong", truth, score, strata=site)
    assert formula == pytest.approx(bootstrap, rel=0.07)


def test_delong_under_clusters_within_strata() -> None:
    site, truth, score = two_sites()
    patient = np.arange(len(site)) // 3
    formula, bootstrap = errors("auroc", "delong", truth, score, strata=site, groups=patient)
    assert formula == pytest.approx(bootstrap, rel=0.07)


def test_delong_with_the_target_as_stratum_is_delong() -> None:
    _, truth, score = two_sites()
    alone = metric_ci(truth, score, metric="auroc", method="delong")
    fixed = metric_ci(truth, score, metric="auroc", method="delong", strata=truth)
    assert fixed.standard_error == pytest.approx(alone.standard_error, rel=1e-12)


def test_one_positive_in_a_stratum_of_its_own_has_no_variance_to_be_seen() -> None:
    _, truth, score = two_sites()
    truth[:] = 0
    truth[200] = 1
    e = metric_ci(truth, score, metric="auroc", strata=truth)
    assert e.method == "dirichlet"
    assert np.isnan(metric_ci(truth, score, metric="auroc", method="delong", strata=truth).low)


def test_one_positive_in_each_of_many_strata_still_counts() -> None:
    draw = np.random.default_rng(8)
    site = np.repeat(np.arange(8), 21)
    truth = (np.arange(len(site)) % 21 == 0).astype(int)
    formula, bootstrap = errors("auroc", "delong", truth, draw.normal(truth), strata=site)
    assert formula == pytest.approx(bootstrap, rel=0.12)


@pytest.mark.parametrize("metric", ["sensitivity", "ppv"])
def test_a_share_under_strata_lets_its_denominator_vary(metric: str) -> None:
    draw = np.random.default_rng(4)
    site = np.repeat([0, 1], 200)
    truth = (draw.random(400) < 0.3).astype(int)
    found = draw.random(400) < np.where(site == 0, 0.98, 0.3)
    said = np.where(truth == 1, found, draw.random(400) < 0.1).astype(int)
    ours = metric_ci(truth, said, metric=metric, strata=site, rng=1)
    boot = metric_ci(truth, said, metric=metric, strata=site, method="percentile", rng=1)
    whole = metric_ci(
        truth,
        said,
        metric=metric,
        strata=site,
        sample_weight=np.ones(400),
        method="percentile",
        rng=2,
    )
    assert ours.method == "wilson"
    assert ours.n == ((truth if metric == "sensitivity" else said) == 1).sum()
    assert boot.standard_error == pytest.approx(whole.standard_error, rel=0.07)
    assert ours.width == pytest.approx(boot.width, rel=0.1)


def test_strata_of_one_size_do_not_share_their_multinomial_draws() -> None:
    # Two alike strata of 6000 cases: their counts add up, and only if independent the variances do.
    tables = np.array([[[3000, 3000]], [[3000, 3000]]])
    drawn = Drawn(Design((6000, 6000)), Plan(5, 2000), 0, 2000).tables(tables)
    variance = drawn[0, :, 0].var()
    # SD of a variance of 2000: 3 %; shared draws would double it.
    assert variance == pytest.approx(2 * 6000 / 4, rel=0.2)
    assert rng.derive_key(5, "cells", 0, 6000) != rng.derive_key(5, "cells", 1, 6000)


# --------------------------------------------------------------------------- rounding


@pytest.mark.parametrize("score", [np.r_[np.zeros(20), np.ones(20)], np.ones(40)])
def test_a_weighted_auroc_without_a_variance_falls_back(score: Array) -> None:
    truth = np.repeat([0, 1], 20)
    weight = np.random.default_rng(1).uniform(0.5, 2, 40)
    e = metric_ci(truth, score, metric="auroc", sample_weight=weight)
    assert e.method == "dirichlet"
    assert e.low < e.value - 0.05


@pytest.mark.parametrize("method", ["newcombe", "hanley_mcneil"])
def test_unequal_weights_count_as_fewer_cases(method: str) -> None:
    draw = np.random.default_rng(2)
    truth = np.repeat([0, 1], 40)
    score = draw.normal(truth)
    weight = draw.exponential(size=80)  # whose effective number is about half
    alike = metric_ci(truth, score, metric="auroc", method=method, sample_weight=np.ones(80))
    plain = metric_ci(truth, score, metric="auroc", method=method)
    heavy = metric_ci(truth, score, metric="auroc", method=method, sample_weight=weight)
    assert alike.width == pytest.approx(plain.width, rel=1e-9)
    assert heavy.width > 1.2 * plain.width


@pytest.mark.parametrize("metric", ["mcc", "cohen_kappa", "f1", "balanced_accuracy"])
@pytest.mark.parametrize("weight", [None, np.linspace(0.5, 2, 60)])
def test_the_delta_method_has_no_interval_for_a_perfect_classifier(
    metric: str, weight: Array | None
) -> None:
    truth = [0, 1, 2] * 20
    e = (
        metric_ci(
            truth, truth, metric=metric, average="macro", method="delta", sample_weight=weight
        )
        if metric in ("f1", "balanced_accuracy")
        else metric_ci(truth, truth, metric=metric, method="delta", sample_weight=weight)
    )
    assert e.value == pytest.approx(1)
    assert np.isnan(e.low)
    assert "HW306" in [caution.code for caution in e.cautions]


def test_what_has_no_worst_value_cannot_count_as_worst() -> None:
    with pytest.raises(hw.OptionError, match="normalized_expected_cost has none"):
        metric_ci([0, 1] * 9, [0, 1] * 9, metric="ecn", undefined="worst")
