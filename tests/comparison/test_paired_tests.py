"""McNemar's and Wilcoxon's tests, superiority, adjusted p-values: against other libraries."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

import halfwidth as hw
from halfwidth.core.types import Array

GAIN = hw.MetricSpec("gain", better=hw.Better.HIGHER)


def compared(first: Any, second: Any, metric: Any = GAIN, **options: Any) -> hw.Difference:
    """Of two models; a test of few cases has no need of draws."""
    described = {name: options.pop(name) for name in ("groups", "pairing") if name in options}
    data = hw.CaseValues.from_arrays({"A": first, "B": second}, metric=metric, **described)
    settings: dict[str, Any] = {"method": "percentile", "n_resamples": 99, "rng": 1}
    (one,) = hw.compare(data, **settings | options)
    return one


def p_value(test: str, first: Array, second: Array, **options: Any) -> float:
    one = compared(first, second, test=test, **options)
    assert one.test is not None
    return one.test.p_value


def mcnemar(first: Array, second: Array, *, mid_p: bool = False) -> float:
    return p_value("mcnemar_midp" if mid_p else "mcnemar", first, second, metric="correct")


def wilcoxon(differences: Array, **options: Any) -> float:
    return p_value("wilcoxon", differences, np.zeros(len(differences)), **options)


def decisions(both: int, first_alone: int, second_alone: int, none: int) -> tuple[Array, Array]:
    counts = (both, first_alone, second_alone, none)
    return np.repeat([1.0, 1, 0, 0], counts), np.repeat([1.0, 0, 1, 0], counts)


@pytest.mark.parametrize("table", list(product((0, 1, 4, 11), repeat=2)))
def test_exact_mcnemar_is_that_of_statsmodels_and_the_sign_flip_of_decisions(
    table: tuple[int, int],
) -> None:
    first, second = decisions(7, *table, 3)
    found = mcnemar(first, second)
    if sum(table):
        expected = statsmodels_mcnemar([[7, table[0]], [table[1], 3]], exact=True).pvalue
        assert found == pytest.approx(expected)
    flipped = compared(first, second, "correct", test="permutation").test
    assert flipped is not None
    assert found == pytest.approx(flipped.p_value)
    assert flipped.n_resamples is None


@pytest.mark.parametrize(
    ("table", "exact", "mid_p"), [((1, 1, 7, 12), 0.070, 0.039), ((59, 6, 16, 80), 0.052, 0.035)]
)
def test_published_examples(table: tuple[int, int, int, int], exact: float, mid_p: float) -> None:
    """Fagerland, Lydersen & Laake 2013: hyper-responsiveness of airways; response to treatment."""
    assert mcnemar(*decisions(*table)) == pytest.approx(exact, abs=6e-4)
    assert mcnemar(*decisions(*table), mid_p=True) == pytest.approx(mid_p, abs=6e-4)


@pytest.mark.parametrize("table", list(product((0, 1, 2, 5), repeat=2)))
def test_mid_p_takes_half_of_what_was_observed(table: tuple[int, int]) -> None:
    """Over all assignments of the cases in which the models disagree."""
    signs = np.array(list(product((-1, 1), repeat=sum(table)))) if sum(table) else np.zeros((1, 1))
    sums, observed = np.abs(signs.sum(axis=1)), abs(table[0] - table[1])
    expected = (sums > observed).mean() + 0.5 * (sums == observed).mean()
    found = mcnemar(*decisions(3, *table, 3), mid_p=True)
    assert found == pytest.approx(expected if sum(table) else 1.0)


@pytest.mark.parametrize("n", [5, 12, 40])
def test_wilcoxon_without_ties_is_that_of_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    differences = rng.normal(0.3, 1, n)
    found = wilcoxon(differences)
    assert found == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


def test_wilcoxon_of_many_is_that_of_scipy() -> None:
    differences = np.random.default_rng(3).normal(0.1, 1, 500).round(1)
    found = wilcoxon(differences)
    expected = stats.wilcoxon(differences, method="approx").pvalue
    assert found == pytest.approx(expected)


def test_wilcoxon_with_ties_and_zeros_counts_all_signs() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 differ by rounding alone.
    differences = np.array([0.3 - 0.2, 0.2 - 0.1, -0.1, 0.0, 0.5, 0.5, -0.2, 0.7, 0.9])
    ranks = stats.rankdata(np.abs(differences[differences != 0]).round(9))
    signs = np.array(list(product((-1, 1), repeat=len(ranks))))
    observed = abs((ranks * np.sign(differences[differences != 0])).sum())
    expected = (np.abs(signs @ ranks) >= observed).mean()
    found = wilcoxon(differences)
    assert found == pytest.approx(expected)


def test_wilcoxon_of_clusters_turns_them_whole() -> None:
    differences = np.array([0.1, 0.2, -0.4, 0.5, 0.3, 0.6])
    ranks = np.sign(differences) * stats.rankdata(np.abs(differences))
    totals = np.array([ranks[:1].sum(), ranks[1:3].sum(), ranks[3:].sum()])
    signs = np.array(list(product((-1, 1), repeat=3)))
    expected = (np.abs(signs @ totals) >= abs(totals.sum())).mean()
    found = wilcoxon(differences, groups=np.repeat([0, 1, 2], [1, 2, 3]))
    assert found == pytest.approx(expected)


def test_superiority() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=8).round(), rng.normal(size=8).round()
    lower = hw.MetricSpec("loss", better=hw.Better.LOWER)
    paired = np.mean([(a > b) + 0.5 * (a == b) for a, b in zip(first, second, strict=True)])
    assert compared(first, second).superiority == pytest.approx(paired)
    assert compared(first, second, lower).superiority == pytest.approx(1 - paired)
    u = stats.mannwhitneyu(first, second[:5]).statistic / 40
    assert compared(first, second[:5], pairing="none").superiority == pytest.approx(u)
    assert compared(first, second[:5], lower, pairing="none").superiority == pytest.approx(1 - u)
    assert np.isnan(compared(first, second, hw.MetricSpec("either")).superiority)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("holm", "holm"), ("bonferroni", "bonferroni"), ("benjamini_hochberg", "fdr_bh")],
)
def test_adjusted_p_values_are_those_of_statsmodels(ours: Any, theirs: str) -> None:
    for seed in range(5):
        generator = np.random.default_rng(seed)
        models = {name: generator.normal(lead, 1, 12) for lead, name in enumerate("ABCD")}
        found = hw.compare(models, metric=GAIN, test="wilcoxon", correction=ours, method="t")
        tests = [one.test for one in found if one.test is not None]
        expected = multipletests([test.p_value for test in tests], method=theirs)[1]
        assert [test.adjusted for test in tests] == pytest.approx(expected)
        assert {test.correction for test in tests} == {ours}


def test_two_tests_are_a_family() -> None:
    generator = np.random.default_rng(3)
    models = {name: generator.normal(lead, 1, 12) for lead, name in enumerate("ABC")}
    found = hw.compare(models, baseline="A", metric=GAIN, test="wilcoxon", method="t")
    tests = [one.test for one in found if one.test is not None]
    expected = multipletests([test.p_value for test in tests], method="holm")[1]
    assert [test.adjusted for test in tests] == pytest.approx(expected)


def test_a_test_that_was_not_made_does_not_count() -> None:
    """That of a model without predicted positives."""
    truth = np.array([0, 1] * 10)
    said = {
        "A": np.where(np.arange(20) < 4, 1 - truth, truth),
        "B": np.where(np.arange(20) < 9, 1 - truth, truth),
        "none": np.zeros(20, dtype=int),
    }
    data = hw.Predictions.from_arrays(truth, said, labels=[0, 1], pairing="none")
    options: dict[str, Any] = {"metric": "ppv", "test": "auto", "rng": 1, "n_resamples": 99}
    found = {(one.first, one.second): one.test for one in hw.compare(data, **options)}
    assert [np.isnan(test.p_value) for test in found.values() if test] == [False, True, True]
    made = found["A", "B"]
    assert made is not None
    assert made.adjusted == made.p_value


def test_a_single_test_is_not_adjusted() -> None:
    alone = compared(np.arange(9.0), np.zeros(9), test="wilcoxon", correction="bonferroni").test
    assert alone is not None
    assert np.isnan(alone.adjusted)
    assert alone.correction == ""
