"""McNemar's and Wilcoxon's tests, superiority, adjusted p-values: against other libraries."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests

from halfwidth import OptionError
from halfwidth.comparison.multiplicity import adjusted_p_values, corrected
from halfwidth.comparison.paired_tests import mcnemar, superiority, wilcoxon
from halfwidth.core.types import Array
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.permutations.swap_tests import swap_tests
from halfwidth.results.comparison import TestResult


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
    design, mean = Design((len(first),), paired=True), resolve_statistic("mean")
    (flipped,) = swap_tests([(first, second)], design, mean, Plan(1))
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
    (found,) = wilcoxon([differences], Design((n,), paired=True), Plan(1))
    assert found.p_value == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


def test_wilcoxon_of_many_is_that_of_scipy() -> None:
    differences = np.random.default_rng(3).normal(0.1, 1, 500).round(1)
    (found,) = wilcoxon([differences], Design((500,), paired=True), Plan(1))
    expected = stats.wilcoxon(differences, method="approx").pvalue
    assert found.p_value == pytest.approx(expected)


def test_wilcoxon_with_ties_and_zeros_counts_all_signs() -> None:
    # 0.3 - 0.2 and 0.2 - 0.1 differ by rounding alone.
    differences = np.array([0.3 - 0.2, 0.2 - 0.1, -0.1, 0.0, 0.5, 0.5, -0.2, 0.7, 0.9])
    ranks = stats.rankdata(np.abs(differences[differences != 0]).round(9))
    signs = np.array(list(product((-1, 1), repeat=len(ranks))))
    observed = abs((ranks * np.sign(differences[differences != 0])).sum())
    expected = (np.abs(signs @ ranks) >= observed).mean()
    (found,) = wilcoxon([differences], Design((9,), paired=True), Plan(1))
    assert found.p_value == pytest.approx(expected)


def test_wilcoxon_of_clusters_turns_them_whole() -> None:
    differences, sizes = np.array([0.1, 0.2, -0.4, 0.5, 0.3, 0.6]), (1, 2, 3)
    ranks = np.sign(differences) * stats.rankdata(np.abs(differences))
    totals = np.array([ranks[:1].sum(), ranks[1:3].sum(), ranks[3:].sum()])
    signs = np.array(list(product((-1, 1), repeat=3)))
    expected = (np.abs(signs @ totals) >= abs(totals.sum())).mean()
    (found,) = wilcoxon([differences], Design((3,), sizes, paired=True), Plan(1))
    assert found.p_value == pytest.approx(expected)


def test_superiority() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=8).round(), rng.normal(size=8).round()
    paired = np.mean([(a > b) + 0.5 * (a == b) for a, b in zip(first, second, strict=True)])
    assert superiority(first, second, 1) == pytest.approx(paired)
    assert superiority(first, second, -1) == pytest.approx(1 - paired)
    u = stats.mannwhitneyu(first, second[:5]).statistic / 40
    assert superiority(first, second[:5], 1, paired=False) == pytest.approx(u)
    assert superiority(first, second[:5], -1, paired=False) == pytest.approx(1 - u)
    assert np.isnan(superiority(first, second, 0))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("holm", "holm"), ("bonferroni", "bonferroni"), ("benjamini_hochberg", "fdr_bh")],
)
def test_adjusted_p_values_are_those_of_statsmodels(ours: str, theirs: str) -> None:
    for seed in range(5):
        p_values = np.random.default_rng(seed).random(7).round(2) ** 2
        expected = multipletests(p_values, method=theirs)[1]
        np.testing.assert_allclose(adjusted_p_values(p_values, ours), expected)


def test_a_test_that_was_not_made_does_not_count() -> None:
    found = adjusted_p_values([0.01, np.nan, 0.04])
    np.testing.assert_allclose(found, [0.02, np.nan, 0.04])
    with pytest.raises(OptionError, match="holm, bonferroni"):
        adjusted_p_values([0.1], "none")


def test_results_of_a_family_are_adjusted_and_a_single_one_is_not() -> None:
    results = [TestResult("wilcoxon", "Wilcoxon", p) for p in (0.01, 0.02)]
    both: list[Any] = corrected(results, "bonferroni")
    assert [one.adjusted for one in both] == [0.02, 0.04]
    assert both[0].correction == "bonferroni"
    assert corrected(results[:1]) == results[:1]
