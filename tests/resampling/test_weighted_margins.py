"""Confusion matrices of many classes under Dirichlet weights: margins as whole tables have them."""

from __future__ import annotations

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import halfwidth as hw
from halfwidth.core.forms import CellCounts
from halfwidth.core.spec import Metric
from halfwidth.metrics.averaging import CountingFinish
from halfwidth.metrics.building import counting_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms import counts_weighted, weighted_margins
from halfwidth.resampling.forms.contract import declared_form

Array = NDArray[Any]
# The fewest whose tables are not held.
CLASSES = 33
MASSES = [(0.5, 0.0), (0.0, 0.5), (0.5, 0.5)]


def decisions(n: int, classes: int) -> tuple[Array, Array]:
    g = np.random.default_rng(7)
    truth = g.integers(0, classes, n)
    return truth, np.where(g.random(n) < 0.7, truth, g.integers(0, classes, n))


def interval(metric: str, n: int, **options: Any) -> tuple[float, float]:
    truth, predicted = decisions(n, CLASSES)
    e = hw.metric_ci(truth, predicted, metric=metric, n_resamples=99, rng=1, **options)
    return e.low, e.high


@pytest.mark.parametrize(
    "how",
    [
        *("few cases", "clusters"),
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("many cases", "strata", "one class")
        ),
    ],
)
def test_averages_over_classes_are_those_of_whole_tables(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of many cases a cell has one gamma variate.
    n = 22_000 if how == "many cases" else 200
    others = {"clusters": {"groups": np.arange(n) // 3}, "strata": {"strata": np.arange(n) % 2}}
    average = "binary" if how == "one class" else "macro"
    options: dict[str, Any] = {"average": average, **others.get(how, {})}
    if how == "one class":
        options["pos_label"] = 4
    ends = interval("f1", n, **options)
    monkeypatch.setattr(counts_weighted, "MANY_CELLS", CLASSES**2)
    assert ends == pytest.approx(interval("f1", n, **options), rel=1e-12)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["mcc", "cohen_kappa"])
@pytest.mark.parametrize("masses", MASSES)
def test_metrics_of_margins_are_those_of_whole_tables(
    name: str, masses: tuple[float, float]
) -> None:
    finish = CountingFinish(Metric(hw.SAMPLE_METRICS[name]), CLASSES)
    statistic = counting_statistic(finish.metric, finish, "omit")
    form = declared_form(statistic, CellCounts)
    truth, predicted = decisions(200, CLASSES)
    codes, plan, design = truth * CLASSES + predicted, Plan(1, 50), Design.iid(200)
    (fast,) = weighted_margins.replicates_of_margins(
        form, np.sort(codes)[None].astype(float), design, plan, [masses]
    )
    cells = counts_weighted._summed_over_cases(
        np.bincount(codes, minlength=CLASSES**2)[None], design, plan
    )[0].reshape(50, CLASSES, CLASSES)
    draws, each = np.arange(50), np.arange(CLASSES)
    wrong, right = masses
    for place, weight in weighted_margins._scattered(right, CLASSES, "right", plan):
        cells[draws, place, place] += weight
    row, column = np.nonzero(each[:, None] != each)
    for place, weight in weighted_margins._scattered(wrong, len(row), "wrong", plan):
        cells[draws, row[place], column[place]] += weight
    assert fast[0, 0] == pytest.approx(form.finish(cells.reshape(50, -1)), rel=1e-12)


@pytest.mark.parametrize(("mass", "cells"), [(0.5, 40), (1.0, 5), (3.0, 60)])
def test_a_mass_is_scattered_as_gamma_variates_of_equal_shape(mass: float, cells: int) -> None:
    # Kolmogorov's distance of 4000 draws of each of three cells passes .03 in .1 % of them.
    n = 4000
    weights, parts = np.zeros((cells, n)), np.zeros((cells, n))
    for place, weight in weighted_margins._scattered(mass, cells, "wrong", Plan(3, n)):
        weights[place, np.arange(n)] += weight
        parts[place, np.arange(n)] += 1
    assert parts.max() == 1
    law = stats.gamma(mass / cells)
    for one in (weights[0], weights[cells // 2], weights[-1]):
        # What is too small to be drawn is 0, whose probability is that of as little.
        assert stats.kstest(np.maximum(one, 1e-18), law.cdf).statistic < 0.03 + law.cdf(1e-18)
    assert stats.kstest(weights.sum(axis=0), stats.gamma(mass).cdf).pvalue > 0.001
    # Cells of gamma variates are independent.
    assert abs(stats.pearsonr(*weights[:2]).statistic) < 4 / math.sqrt(n)


@pytest.mark.parametrize(
    "metric",
    [
        *("f1", "mcc"),
        *(
            pytest.param(one, marks=pytest.mark.slow)
            for one in ("balanced_accuracy", "cohen_kappa")
        ),
    ],
)
def test_many_classes_take_no_memory_for_empty_cells(metric: str) -> None:
    truth, predicted = decisions(600, 300)
    options: dict[str, Any] = {"average": "macro"} if metric == "f1" else {}
    hw.metric_ci(truth % 3, predicted % 3, metric=metric, n_resamples=20, rng=1, **options)
    tracemalloc.start()
    e = hw.metric_ci(truth, predicted, metric=metric, n_resamples=199, rng=1, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert e.low < e.value < e.high
    # Tables of all resamples would take 143 MB.
    assert peak < 30e6


def test_what_no_memory_holds_is_refused_in_a_sentence() -> None:
    # Weights of confusions take whole tables: 80 TB.
    said = "there is not enough memory for metric_ci.*; take fewer cases at a time, fewer classes"
    with pytest.raises(hw.DataError, match=said) as caught:
        hw.metric_ci(
            *decisions(1000, 1000),
            metric="cohen_kappa:weights=quadratic",
            method="dirichlet",
            n_resamples=10**7,
            rng=1,
        )
    assert isinstance(caught.value, MemoryError)
