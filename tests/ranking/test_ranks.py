"""Ranks, rank sets and groups against their definitions, SciPy and cases worked by hand."""

import itertools

import numpy as np
import pytest
from scipy import stats

from halfwidth.arithmetic.ranks import ranks_of
from halfwidth.ranking.rank_sets import Flags, alike_groups, rank_bounds, square
from halfwidth.ranking.ranks import kendall_taus, rank_distribution

GENERATOR = np.random.default_rng(22)


def test_ranks_are_scipys_competition_ranks() -> None:
    merits = GENERATOR.integers(0, 4, size=(60, 6)) / 7
    assert (ranks_of(merits) == stats.rankdata(-merits, "min", axis=-1)).all()


def test_ranks_with_a_margin_count_the_models_better_by_more() -> None:
    merits = GENERATOR.normal(size=(40, 5))
    expected = [[1 + sum(b - a > 0.5 for b in row) for a in row] for row in merits]
    assert ranks_of(merits, 0.5).tolist() == expected


def test_a_difference_of_the_size_of_rounding_is_a_tie() -> None:
    assert ranks_of(np.array([0.1 + 0.2, 0.3, 0.2])).tolist() == [1, 1, 3]


def test_taus_are_scipys() -> None:
    full = np.array([1, 2, 2, 4, 5])
    rankings = stats.rankdata(GENERATOR.integers(0, 5, size=(50, 5)), "min", axis=-1).astype(
        np.intp
    )
    expected = [stats.kendalltau(full, one).statistic for one in rankings]
    assert kendall_taus(rankings, full) == pytest.approx(expected, nan_ok=True)


def test_all_models_equal_have_no_tau() -> None:
    assert np.isnan(kendall_taus(np.array([[1, 1, 1], [1, 2, 3]]), np.array([1, 1, 1]))).all()


def test_the_distribution_of_ranks_counts_the_ranks_of_each_resample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("halfwidth.ranking.ranks.BLOCK", 100)  # several blocks, the last shorter
    merits = np.array([3.0, 2.0, 2.5])
    replicates = merits[:, None] + GENERATOR.integers(-2, 3, size=(3, 50)) / 2
    replicates[1, 7] = np.nan
    found = rank_distribution(merits, replicates)
    assert found is not None
    used = np.delete(replicates, 7, axis=1)
    ranks = stats.rankdata(-used, "min", axis=0)
    assert len(found.taus) == replicates.shape[1] - 1
    expected = [[(row == rank).sum() for rank in (1, 2, 3)] for row in ranks]
    assert found.counts.tolist() == expected
    assert found.top(2) == pytest.approx((ranks <= 2).mean(axis=-1))
    taus = [stats.kendalltau(-merits, -one).statistic for one in used.T]
    assert found.taus == pytest.approx(taus, nan_ok=True)


def test_no_defined_resample_has_no_distribution() -> None:
    assert rank_distribution(np.array([1.0, 2.0]), np.full((2, 3), np.nan)) is None


def orders_that_fit(better: Flags, not_better: Flags) -> list[set[int]]:
    """Ranks of all orders (with ties) of three models that do not contradict any claim."""
    models = len(better)
    ranks: list[set[int]] = [set() for _ in range(models)]
    for merits in itertools.product(range(models), repeat=models):
        truth = np.greater.outer(merits, merits)
        if (better <= truth).all() and not (not_better & truth).any():
            for model in range(models):
                ranks[model].add(1 + int(truth[:, model].sum()))
    return ranks


def test_bounds_hold_the_ranks_of_all_orders_that_fit_the_claims() -> None:
    models, pairs = 3, [(0, 1), (0, 2), (1, 2)]
    checked = 0
    for signs in itertools.product((-1, 0, 1), repeat=3):
        claims = np.array([(sign > 0, sign < 0) for sign in signs])
        better = square(pairs, claims, models)
        fitting = orders_that_fit(better, better.T)
        if not fitting[0]:
            continue  # claims in a circle
        checked += 1
        bounds = rank_bounds(better, better.T)
        for (low, high), ranks in zip(bounds, fitting, strict=True):
            assert low <= min(ranks)
            assert max(ranks) <= high
    assert checked > 20


def test_without_claims_every_rank_is_possible() -> None:
    nothing = np.zeros((4, 4), dtype=bool)
    assert rank_bounds(nothing, nothing).tolist() == [[1, 4]] * 4


def test_with_a_margin_no_claim_of_being_better_can_still_bound_the_rank_above() -> None:
    # All within the margin of each other, and known to be: all are first.
    nothing = np.zeros((3, 3), dtype=bool)
    assert rank_bounds(nothing, ~nothing).tolist() == [[1, 1]] * 3


def test_groups_are_the_maximal_sets_of_which_no_two_are_told_apart() -> None:
    for _ in range(30):
        upper = np.triu(GENERATOR.random((6, 6)) < 0.5, 1)
        apart = upper | upper.T
        alike = [
            set(some)
            for size in range(1, 7)
            for some in itertools.combinations(range(6), size)
            if not any(apart[pair] for pair in itertools.combinations(some, 2))
        ]
        maximal = [one for one in alike if not any(one < other for other in alike)]
        expected = sorted(tuple(sorted(one)) for one in maximal)
        assert alike_groups(apart) == (expected, False)


def test_of_very_many_groups_some_are_sought() -> None:
    # Triples of which one model each is in a group, and all choices are groups: 3^12 of them.
    models = np.arange(36)
    apart = (models[:, None] // 3 == models // 3) & (models[:, None] != models)
    groups, more = alike_groups(apart)
    assert more
    assert len(set(groups)) == len(groups) == 1000
    assert all(sorted(model // 3 for model in group) == list(range(12)) for group in groups)
