"""Swaps of whole images between two detectors, against evaluations of every swap."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from detectors import match_lists, records_of
from numpy.typing import NDArray
from scipy import stats

from halfwidth.core.types import Array
from halfwidth.detection.arithmetic.match_records import SLOT
from halfwidth.detection.forms.declared import MatchedScores
from halfwidth.detection.forms.matched_scores import ranks_within
from halfwidth.estimation.records import Functional
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.permutations.swap_tests import swap_tests

METRICS = ("ap", "froc_score", "wafroc_auc")


def every_swap(
    functional: Functional, pair: Sequence[Array], units: NDArray[np.intp]
) -> Iterator[float]:
    """Differences after all swaps of units, by swapping records of ranks and evaluating them."""
    classes = declared_form(functional.statistic, MatchedScores).unpack(pair[0])
    first, second = (ranks_within(side, len(classes)) for side in pair)
    for swapped in itertools.product((False, True), repeat=max(units) + 1):
        moved = np.array(swapped)[units]
        one, other = np.where(moved, second, first), np.where(moved, first, second)
        yield float(functional.statistic(one[None])[0] - functional.statistic(other[None])[0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("classes", [1, 2])
def test_all_swaps_are_counted(name: str, classes: int) -> None:
    """With few images the p-value is the share of all swaps that are as extreme."""
    functional, pair = records_of(match_lists(5, 6, classes), name)
    (found,) = swap_tests(
        [(pair[0], pair[1])], Design((6,), paired=True), functional.statistic, Plan(1, 999)
    )
    differences = np.array([*every_swap(functional, pair, np.arange(6))])
    observed = abs(differences[0])
    extreme = ~(np.abs(differences) < observed * (1 - 1e-9) - 1e-12)
    assert found.n_resamples is None
    assert found.p_value == pytest.approx(extreme.mean())


def test_clusters_are_swapped_whole() -> None:
    """Images of one patient change places together."""
    functional, pair = records_of(match_lists(2, 12), "ap")
    patients = np.repeat(np.arange(6), 2)
    (first, design), (second, _) = (
        arrange(side, patients, paired=True, identities=np.arange(12)) for side in pair
    )
    (found,) = swap_tests([(first, second)], design, functional.statistic, Plan(1, 999))
    differences = np.array([*every_swap(functional, pair, patients)])
    extreme = ~(np.abs(differences) < abs(differences[0]) * (1 - 1e-9) - 1e-12)
    assert found.p_value == pytest.approx(extreme.mean())


def test_scores_of_another_scale_change_nothing() -> None:
    """Ranks change places, not scores."""
    lists = match_lists(7, 40)
    scaled = [lists[0], replace(lists[1], score=np.exp(5 * np.array(lists[1].score)) + 100)]
    results = []
    for both in (lists, scaled):
        functional, pair = records_of(both, "ap")
        design = Design((40,), paired=True)
        (found,) = swap_tests([(pair[0], pair[1])], design, functional.statistic, Plan(3, 99))
        results.append(found.p_value)
    assert results[0] == results[1]


def test_ranks_within_are_those_of_scipy() -> None:
    """From the highest score of a class, equal ones the mean."""
    _, (records, _) = records_of(match_lists(1, 20, 2), "ap")
    slots = records[2:-1].reshape(-1, SLOT, 20)
    ranked = ranks_within(records, 2)[2:-1].reshape(-1, SLOT, 20)
    for which in range(2):
        own = slots[:, 1] == which
        np.testing.assert_allclose(ranked[:, 0][own], -stats.rankdata(-slots[:, 0][own]))
    np.testing.assert_array_equal(ranked[:, 1:], slots[:, 1:])


@pytest.mark.slow
def test_holds_its_level() -> None:
    """Of two detectors that differ by chance alone, 5 % are told apart at most, but for noise."""
    p_values = []
    for seed in range(400):
        functional, pair = records_of(match_lists(seed, 25), "ap")
        design = Design((25,), paired=True)
        (found,) = swap_tests([(pair[0], pair[1])], design, functional.statistic, Plan(seed, 199))
        p_values.append(found.p_value)
    # P(X > 32) = .003 for X binomial of 400 and .05.
    assert sum(p <= 0.05 for p in p_values) <= 32
