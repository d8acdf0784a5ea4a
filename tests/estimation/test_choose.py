"""What ``auto`` takes of values, by statistic, bounds and design: the table of docs/choosing.md."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from over_data import metric_ci
from support import quickly

import halfwidth as hw

VALUES = np.random.default_rng(1).beta(8, 2, 120)
PATIENT = np.arange(120) // 4


@pytest.mark.parametrize(
    ("statistic", "bounded", "unbounded", "clustered"),
    [
        ("mean", "dirichlet_pareto", "dirichlet_pareto", "dirichlet_pareto"),
        ("sd", "dirichlet_pareto", "dirichlet_pareto", "dirichlet_pareto"),
        ("iqr", "dirichlet", "percentile", "percentile"),
        ("trimmed_mean", "dirichlet", "percentile", "percentile"),
        ("median", "exact", "exact", "percentile"),
        ("quantile:0.9", "exact", "exact", "percentile"),
    ],
)
def test_of_many_values(statistic: str, bounded: str, unbounded: str, clustered: str) -> None:
    def method(metric: str, **options: Any) -> str:
        return quickly(
            hw.summary_ci,
            VALUES,
            metric=metric,
            statistic=statistic,
            n_resamples=99,
            rng=1,
            **options,
        ).method

    assert (method("dsc"), method("hd95")) == (bounded, unbounded)
    assert method("hd95", groups=PATIENT) == clustered
    with_groups = bounded if "dirichlet" in bounded else clustered
    assert method("dsc", groups=PATIENT) == with_groups


@pytest.mark.parametrize(
    ("statistic", "method"), [("mean", "dirichlet_pareto"), ("median", "bca_expanded")]
)
def test_of_few_clusters_without_bounds(statistic: str, method: str) -> None:
    few = hw.summary_ci(VALUES, metric="hd95", statistic=statistic, groups=PATIENT // 3, rng=1)
    assert few.method == method


@pytest.mark.parametrize(
    ("strata", "method"),
    [
        (2, "dirichlet_pareto"),
        (12, "dirichlet_pareto"),
        (13, "dirichlet_pareto_or_t"),
        (40, "dirichlet_pareto_or_t"),
    ],
)
def test_means_of_thin_strata_reach_as_far_as_t_at_least(strata: int, method: str) -> None:
    labels = np.arange(120) % strata
    assert hw.summary_ci(VALUES, metric="dsc", strata=labels, rng=1).method == method
    equal = hw.summary_ci(np.full(120, 0.9), metric="dsc", strata=labels, n_resamples=99, rng=1)
    assert equal.method == "dirichlet"
    assert equal.low < 0.9 < equal.high


@pytest.mark.parametrize(
    ("positive", "wrong", "method"),
    [
        (10, 5, "delong_logit_t"),
        (10, 4, "dirichlet"),
        (50, 5, "delong_logit_t"),
        (50, 4, "dirichlet"),
    ],
)
def test_an_auroc_takes_delong_where_enough_of_the_rarer_class_are_ranked_wrongly(
    positive: int, wrong: int, method: str
) -> None:
    truth = np.r_[np.ones(positive, int), np.zeros(100, int)]
    # Positive cases that lie below all others count as one each.
    scores = np.r_[np.arange(wrong) - 1e3, np.arange(positive - wrong) + 1e3, np.zeros(100)]
    for labels in (truth, 1 - truth):
        e = metric_ci(labels, scores, metric="auroc", scores="any", n_resamples=99, rng=1)
        assert isinstance(e, hw.Estimate)
        assert e.method == method


@pytest.mark.parametrize("metric", ["f1", "mcc", "cohen_kappa", "balanced_accuracy", "auroc"])
def test_a_perfect_test_set_has_an_interval_with_a_length(metric: str) -> None:
    truth = np.arange(30) % 3 == 0
    e = metric_ci(truth.astype(int), truth * 0.8 + 0.1, metric=metric, n_resamples=999, rng=1)
    assert (e.value, e.high, e.method) == (1, 1, "dirichlet")
    assert 0.5 < e.low < 0.95
