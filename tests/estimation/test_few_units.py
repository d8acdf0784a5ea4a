"""Cases that count for little: of few clusters, of unequal weight, all alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from over_data import metric_ci
from scipy import special, stats
from support import codes, message

import halfwidth as hw

GENERATOR = np.random.default_rng(1)
VALUES = GENERATOR.beta(8, 2, 60)
TRUTH = np.arange(60) % 2
SCORE = np.clip(0.3 * TRUTH + GENERATOR.uniform(size=60), 0, 1)
BOOTSTRAPS = ("percentile", "basic", "bca", "bca_expanded", "studentized")


# --------------------------------------------------------------------------- few clusters


@pytest.mark.parametrize("clusters", [2, 5, 6])
@pytest.mark.parametrize("method", BOOTSTRAPS)
def test_bootstraps_of_fewer_than_six_clusters_give_no_interval(method: str, clusters: int) -> None:
    groups = np.arange(60) % clusters
    made = hw.summary_ci(VALUES, metric="dsc", method=method, groups=groups, rng=1)
    assert math.isnan(made.low) == math.isnan(made.high) == (clusters < 6)
    if clusters < 6:
        said = message(made, "HW306")
        assert f"at least 6 clusters and there are {clusters}" in said
        assert "t works from 2 clusters on" in said


@pytest.mark.parametrize("statistic", ["median", "iqr", "trimmed_mean"])
def test_auto_has_no_interval_for_the_median_and_quartiles_of_five_clusters(statistic: str) -> None:
    few, enough = (
        hw.summary_ci(VALUES, statistic=statistic, groups=np.arange(60) % clusters, rng=1)
        for clusters in (5, 6)
    )
    assert math.isnan(few.low)
    assert few.n_resamples is None
    assert "HW306" in codes(few)
    assert few.value == enough.value
    assert enough.low < enough.value < enough.high


def test_a_test_set_of_five_clusters_has_no_bootstrap_interval_either() -> None:
    decided = (SCORE > 0.6).astype(int)
    made: Any = metric_ci(
        TRUTH, decided, metric="f1", method="percentile", groups=np.arange(60) % 5, rng=1
    )
    assert math.isnan(made.low)
    assert "at least 6 clusters" in message(made, "HW306")


def test_means_proportions_and_areas_of_two_clusters_have_intervals() -> None:
    groups = np.arange(60) // 30
    assert hw.summary_ci(VALUES, groups=groups).low < VALUES.mean()
    assert hw.summary_ci(VALUES > 0.8, groups=groups).low > 0
    area: Any = metric_ci(TRUTH, SCORE, metric="auroc", groups=groups)
    assert (area.method, area.low < area.value < area.high) == ("dirichlet", True)


def test_cases_and_means_of_clusters_are_drawn_from_two_on() -> None:
    clusters: dict[str, Any] = {"groups": np.arange(60) % 3, "over": "clusters"}
    for described in ({}, clusters):
        cases = hw.CaseValues.from_arrays(VALUES, **described)
        (e,) = hw.estimate(cases, method="percentile", rng=1)
        assert not math.isnan(e.low)


# --------------------------------------------------------------------------- all alike


def test_equal_values_of_clusters_get_the_interval_that_their_range_allows() -> None:
    groups = np.arange(40) // 4
    made = hw.summary_ci(np.full(40, 0.8), metric="dsc", groups=groups, rng=1)
    assert made.low < 0.8 < made.high
    assert "HW304" not in codes(made)
    # Less is known than of as many independent cases, and as much as of the clusters at most.
    alone, means = (
        hw.summary_ci(np.full(n, 0.8), metric="dsc", method=made.method, rng=1) for n in (40, 10)
    )
    assert alone.width < made.width
    assert made.width == pytest.approx(means.width, rel=0.1)


def test_equal_values_without_a_range_have_no_width_and_say_so() -> None:
    made = hw.summary_ci(np.full(40, 3.0), groups=np.arange(40) // 4)
    assert (made.low, made.high) == (3.0, 3.0)
    assert "HW304" in codes(made)


# --------------------------------------------------------------------------- weights


def weighted(weights: Any, metric: str = "auroc", **options: Any) -> hw.Estimate:
    made = metric_ci(
        TRUTH, SCORE, metric=metric, sample_weight=weights, rng=1, scores="any", **options
    )
    assert isinstance(made, hw.Estimate)
    return made


def test_effective_cases_are_kishs() -> None:
    weights = GENERATOR.uniform(0.5, 1.5, 60)
    made = weighted(weights)
    assert made.n_effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert (made.n, "HW209" in codes(made)) == (60, False)
    assert made.to_dict()["n_effective"] == made.n_effective
    assert weighted(None).n_effective is None
    # Finite however large and small the weights are.
    assert weighted(weights * 1e300).n_effective == pytest.approx(made.n_effective)


def test_dominated_weights_are_said_and_make_the_interval_wide() -> None:
    weights = np.where(np.arange(60) < 4, 1.0, 1e-3)
    made = weighted(weights)
    assert made.n_effective == pytest.approx(4.0, rel=0.05)
    assert "60 cases count like 4.1" in message(made, "HW209")
    assert "by weight 4.1" in made.sentence()
    assert made.width > 0.5
    assert "HW209" in codes(weighted(weights, "average_precision"))


@pytest.mark.parametrize(("heavy", "flagged"), [(20, True), (51, False)])
def test_a_weighted_proportion_needs_as_many_cases_as_other_counts(
    heavy: int, *, flagged: bool
) -> None:
    truth = np.arange(200) % 2
    decided = np.where(np.arange(200) % 5, truth, 1 - truth)
    weights = np.where(np.arange(200) < heavy, 1.0, 1e-9)
    for metric in ("accuracy", "sensitivity", "f1"):
        made = metric_ci(truth, decided, metric=metric, sample_weight=weights, rng=1)
        assert isinstance(made, hw.Estimate)
        assert ("HW209" in codes(made)) is flagged


def test_weighted_area_has_the_error_of_a_jackknife_over_cases() -> None:
    weights = np.random.default_rng(2).lognormal(0, 1, 60)

    def area(kept: Any) -> float:
        p, q = kept & (TRUTH == 1), kept & (TRUTH == 0)
        pairs = weights[p][:, None] * weights[q][None]
        above = SCORE[p][:, None] - SCORE[q][None]
        return float((pairs * ((above > 0) + 0.5 * (above == 0))).sum() / pairs.sum())

    every = np.arange(60)
    value = area(every >= 0)
    left_out = np.array([area(every != case) for case in every])
    error = math.sqrt(59 / 60 * ((left_out - value) ** 2).sum())
    made = weighted(weights, method="delong_logit_t")
    assert made.value == pytest.approx(value)
    assert made.standard_error == pytest.approx(error)
    # The degrees of freedom are between those of the smaller and of both classes, by weight.
    reach = special.logit(made.high) - special.logit(value)
    factor = reach / (error / (value * (1 - value)))
    free = [weights[k == TRUTH].sum() ** 2 / (weights[k == TRUTH] ** 2).sum() - 1 for k in (0, 1)]
    assert stats.t.ppf(0.975, sum(free)) < factor < stats.t.ppf(0.975, min(free))


CLUSTERS = np.repeat(np.arange(40), 3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("clusters", [5, 40])
@pytest.mark.parametrize("kind", ["groups", "strata"])
def test_equal_values_get_an_interval_in_every_design(kind: str, clusters: int) -> None:
    units = np.repeat(np.arange(clusters), 3)
    design: dict[str, Any] = {kind: units}
    e = hw.summary_ci(np.ones(len(units)), metric="dsc", **design)
    assert (e.method, e.high) == ("dirichlet", 1.0)
    assert 0 < e.low < 1
    assert not {"HW304", "HW306"} & set(codes(e))
    # Without a range nothing is known but the value itself.
    e = hw.summary_ci(np.ones(len(units)), **design)
    assert (e.method, e.low, e.high) == ("t", 1.0, 1.0)
    assert "HW304" in codes(e)


def test_advice_for_equal_values_can_be_followed() -> None:
    e = hw.summary_ci(np.ones(120), metric="dsc", groups=CLUSTERS, method="bca")
    assert "percentile is defined" in message(e, "HW306")
    assert not math.isnan(
        hw.summary_ci(np.ones(120), metric="dsc", groups=CLUSTERS, method="percentile").low
    )


@pytest.mark.parametrize("statistic", ["mean", "median", "sd"])
def test_strata_of_one_case_each_give_no_interval(statistic: str) -> None:
    values = np.linspace(0.5, 0.9, 12)
    e = hw.summary_ci(values, metric="dsc", statistic=statistic, strata=range(12), rng=1)
    assert math.isnan(e.low)
    assert "no stratum holds two units" in message(e, "HW306")
    assert "HW404" not in codes(e)
    assert "HW304" not in codes(e)


def test_a_single_cluster_gives_no_interval_and_names_what_is_missing() -> None:
    for values in ([0, 1, 1.0], [0.5, 0.6, 0.9]):
        e = hw.summary_ci(values, groups=["a"] * 3)
        assert math.isnan(e.low)
        assert "it needs at least 2 clusters and there is 1" in message(e, "HW306")


def test_a_label_may_lack_where_the_case_is_left_out() -> None:
    e = hw.summary_ci(
        [0.1, math.nan, 0.41, 0.3], groups=["a", None, "b", "b"], missing="omit", method="t"
    )
    assert (e.n, e.n_groups) == (3, 2)


def test_many_clusters_in_several_strata_are_not_all_listed() -> None:
    with pytest.raises(hw.DataError, match=r"40 cluster\(s\) .*and 35 more"):
        hw.summary_ci(np.linspace(0, 1, 120), groups=CLUSTERS, strata=[0, 1, 0] * 40)


def test_the_median_of_few_clusters_is_not_cautioned_against_what_auto_takes() -> None:
    generator, patient = np.random.default_rng(5), np.repeat(np.arange(10), 10)
    values = generator.normal(size=100) + generator.normal(size=10)[patient]
    how: dict[str, Any] = {"statistic": "median", "groups": patient, "rng": 1, "n_resamples": 199}
    chosen = hw.summary_ci(values, **how)
    assert (chosen.method, "HW301" in codes(chosen)) == ("bca_expanded", False)
    assert "HW301" in codes(hw.summary_ci(values, method="bca", **how))
