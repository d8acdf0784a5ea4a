"""Permutation tests by swaps: sums with signs against swapping in full."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halfwidth import SAMPLE_METRICS
from halfwidth.arithmetic.ranked_scores import RankEach
from halfwidth.core.forms import OrderStatistics, RankedAreas
from halfwidth.core.rng import Key, bits, words
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import Classes, MetricRow, Policies, build_functional
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import Pair
from halfwidth.resampling.kernels import native
from halfwidth.resampling.permutations.order_swaps import SwappedOrder
from halfwidth.resampling.permutations.rank_swaps import ranks_within
from halfwidth.resampling.permutations.swap_tests import (
    differences_after_swaps,
    signed_sums,
    swap_tests,
)
from halfwidth.resampling.weights.swaps import all_sums, drawn_sums, drawn_swaps

N = 9
OF_VALUES = ["mean", "median", "trimmed_mean:share=0.1", "sd", "iqr", "quantile:q=0.3", np.ptp]
OF_TEST_SETS = [
    ("auroc", "macro"),
    ("auroc", "micro"),
    ("auroc", "weighted"),
    ("auroc", "none"),
    ("average_precision", "macro"),
    ("f1", "macro"),
    ("mcc", None),
]
DESIGNS = {
    "independent": Design((N,), paired=True),
    "clustered": Design((5,), (1, 1, 2, 2, 3), paired=True),
    "stratified": Design((4, 5), paired=True),
}


def pair_of_values(n: int = N) -> tuple[Array, Array]:
    """Values of two models with ties between and within them."""
    rng = np.random.default_rng(5)
    first = rng.normal(size=n).round(1)
    return first, (first + 0.4 + 0.5 * rng.normal(size=n)).round(1)


def pair_of_test_sets(
    name: str, average: str | None, weighted: bool, n: int = N
) -> tuple[Statistic, Pair]:
    """A statistic of test sets of three classes, and the records of two models with ties."""
    rng = np.random.default_rng(6)
    truth = np.arange(n) % 3
    weights = rng.random(n) if weighted else None
    records = []
    metric = Metric(SAMPLE_METRICS[name])
    functional = build_functional(
        MetricRow(metric, average, 1),
        metric,
        Classes((0, 1, 2)),
        Policies("omit", "omit"),
        weighted=weighted,
    )
    for scale in (1, 5):
        scores = rng.random((3, n)).round(1) + 0.3 * (truth == np.arange(3)[:, None])
        cases = SimpleNamespace(truth=truth, predicted=scores.argmax(axis=0), weights=weights)
        cases.score_rows = lambda scores=scale * scores: scores
        records.append(functional.records(cases))
    return functional.statistic, (records[0], records[1])


def differences_in_full(pair: Pair, statistic: Statistic, swapped: NDArray[Any]) -> Array:
    """Swap cases, (B, n), and call the statistic on what either model then has."""
    form = statistic.spec.form
    if isinstance(form, RankedAreas) and isinstance(form.rank, RankEach):
        pair = ranks_within(pair[0], form.rank), ranks_within(pair[1], form.rank)
    first, second = pair
    swapped = swapped.astype(bool) if first.ndim == 1 else swapped.astype(bool)[:, None]
    return statistic(np.where(swapped, second, first)) - statistic(np.where(swapped, first, second))


def swaps_of_cases(swapped: NDArray[Any], design: Design) -> NDArray[Any]:
    return np.repeat(swapped, design.unit_sizes, axis=-1)


def p_by_enumeration(pair: Pair, statistic: Statistic, design: Design) -> float:
    codes = np.arange(2**design.units)[:, None] >> np.arange(design.units) & 1
    differences = differences_in_full(pair, statistic, swaps_of_cases(codes, design))
    return float((np.abs(differences) >= np.abs(differences[0]) - 1e-12).mean())


def p_of_draws(pair: Pair, statistic: Statistic, design: Design, plan: Plan) -> float:
    swapped = swaps_of_cases(drawn_swaps(plan, design, 0, plan.n_resamples), design)
    differences = differences_in_full(pair, statistic, swapped)
    observed = differences_in_full(pair, statistic, np.zeros((1, design.n)))[0]
    extreme = ~(np.abs(differences) < np.abs(observed) - 1e-12)
    return float((1 + extreme.sum()) / (1 + len(extreme)))


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
@pytest.mark.parametrize("name", OF_VALUES, ids=lambda one: getattr(one, "__name__", one))
def test_all_swaps_of_values(name: Any, design: Design) -> None:
    statistic, pair = resolve_statistic(name), pair_of_values()
    (found,) = swap_tests([pair], design, statistic, Plan(1))
    assert found.n_resamples is None
    assert found.p_value == pytest.approx(p_by_enumeration(pair, statistic, design), abs=1e-12)


@pytest.mark.parametrize(
    ("design", "weighted"),
    [
        (DESIGNS["independent"], True),
        (DESIGNS["clustered"], False),
        (DESIGNS["clustered"], True),
        (DESIGNS["stratified"], False),
    ],
)
@pytest.mark.parametrize(("name", "average"), OF_TEST_SETS)
def test_all_swaps_of_decisions_and_ranks(
    name: str, average: str | None, design: Design, weighted: bool
) -> None:
    statistic, pair = pair_of_test_sets(name, average, weighted)
    (found,) = swap_tests([pair], design, statistic, Plan(1))
    assert found.n_resamples is None
    assert found.p_value == pytest.approx(p_by_enumeration(pair, statistic, design), abs=1e-12)


@pytest.mark.parametrize("name", OF_VALUES, ids=lambda one: getattr(one, "__name__", one))
def test_drawn_swaps_of_values(name: Any) -> None:
    pair, design, plan = pair_of_values(40), Design((40,), paired=True), Plan(2, 300)
    statistic = resolve_statistic(name)
    both = swap_tests([pair, pair[::-1]], design, statistic, plan)
    expected = p_of_draws(pair, statistic, design, plan)
    assert [found.p_value for found in both] == pytest.approx([expected, expected])
    assert both[0].n_resamples == 300


@pytest.mark.parametrize(("name", "average"), OF_TEST_SETS)
def test_drawn_swaps_of_test_sets(name: str, average: str | None) -> None:
    statistic, pair = pair_of_test_sets(name, average, False, 60)
    design, plan = Design((60,), paired=True), Plan(3, 200)
    (found,) = swap_tests([pair], design, statistic, plan)
    if found.n_resamples is not None:
        assert found.p_value == pytest.approx(p_of_draws(pair, statistic, design, plan))
    else:
        assert name in ("f1", "mcc")


def test_an_auroc_is_linear_in_the_signs() -> None:
    statistic, pair = pair_of_test_sets("auroc", "none", False, 200)
    design, plan = Design((200,), paired=True), Plan(3, 50)
    signed = signed_sums(pair, design, statistic)
    assert signed is not None
    drawn = [signed.difference(sums) for *_, sums in drawn_sums(signed.features, design, plan)]
    swapped = drawn_swaps(plan, design, 0, 50)
    expected = differences_in_full(pair, statistic, swapped)
    np.testing.assert_allclose(np.concatenate(drawn), expected, atol=1e-12)


def test_a_monotone_change_of_one_models_scores_changes_nothing() -> None:
    statistic, (first, second) = pair_of_test_sets("auroc", "none", False, 60)
    design, plan = Design((60,), paired=True), Plan(3, 200)
    bent = np.concatenate([np.exp(3 * second[:1]), second[1:]])
    found = swap_tests([(first, second), (first, bent)], design, statistic, plan)
    assert found[0].p_value == found[1].p_value


def test_equal_models_have_p_1() -> None:
    first, _ = pair_of_values(40)
    for name in OF_VALUES:
        statistic = resolve_statistic(name)
        (found,) = swap_tests([(first, first)], Design((40,), paired=True), statistic, Plan(2, 99))
        assert (found.p_value, found.n_resamples) == (1.0, None)


def test_undefined_swaps_count_as_extreme() -> None:
    def unless_large(values: Array, axis: int = -1) -> Array:
        means = values.mean(axis=axis)
        return np.where(means > 0.55, np.nan, means)

    first, second = np.linspace(0, 1, 30), np.linspace(0, 1, 30)[::-1] ** 1.1
    design, plan = Design((30,), paired=True), Plan(4, 500)
    statistic = resolve_statistic(unless_large)
    (found,) = swap_tests([(first, second)], design, statistic, plan)
    assert found.undefined_share > 0
    assert found.p_value > found.undefined_share * 500 / 501


def test_kinds_of_units_make_a_binomial_distribution() -> None:
    features = np.array([[0.1 + 0.2, -0.3, 0.3, 0.0], [0.0, 0.0, 0.0, 0.0]])
    found = all_sums(features, 10)
    assert found is not None
    sums, probabilities = found
    np.testing.assert_allclose(sums[0], [-0.9, -0.3, 0.3, 0.9])
    np.testing.assert_allclose(probabilities, [1 / 8, 3 / 8, 3 / 8, 1 / 8])
    assert all_sums(features, 3) is None
    many = all_sums(np.ones((1, 3000)), 9999)
    assert many is not None
    assert many[1].sum() == pytest.approx(1, abs=1e-10)


def test_draws_do_not_depend_on_blocks_and_are_fair() -> None:
    plan, design = Plan(7, 2000), Design((300,), paired=True)
    whole = drawn_swaps(plan, design, 0, 2000)
    np.testing.assert_array_equal(whole[700:900], drawn_swaps(plan, design, 700, 900))
    assert abs(whole.mean() - 0.5) < 4 * 0.5 / np.sqrt(whole.size)
    pairs = np.corrcoef(whole.T.astype(float))[np.triu_indices(300, 1)]
    assert abs(pairs.std() * np.sqrt(2000) - 1) < 0.05


def test_bits_are_those_of_words() -> None:
    word = int(words(Key(9), 0, 4)[0])
    assert bits(Key(9), 0, 1, 64)[0].tolist() == [word >> place & 1 for place in range(64)]


@pytest.mark.parametrize("reach", [5.0, 0.0])
@pytest.mark.parametrize("name", ["median", "iqr", "quantile:q=0.9", "quantile:q=0.001"])
def test_ranks_are_found_in_their_windows(
    name: str, reach: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no reach chance goes further than expected, and all entries are looked at."""
    monkeypatch.setattr("halfwidth.resampling.permutations.order_swaps.REACH", reach)
    rng = np.random.default_rng(11)
    first = rng.normal(size=300).round(2)
    pair = first, (first + 0.3 * rng.normal(size=300)).round(2)
    statistic, sizes = resolve_statistic(name), (1,) * 100 + (2,) * 100
    for design in (Design((300,), paired=True), Design((200,), sizes, paired=True)):
        form = statistic.spec.form
        assert isinstance(form, OrderStatistics)
        weights = form.weights(300, **statistic.parameters)
        swapped = drawn_swaps(Plan(5), design, 0, 300)
        found = SwappedOrder(pair, weights, design)(swapped)
        expected = differences_in_full(pair, statistic, swaps_of_cases(swapped, design))
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("average", ["macro", "micro", "none"])
@pytest.mark.parametrize("name", ["average_precision", "average_precision_trapezoid", "auroc"])
def test_areas_in_one_order_are_those_of_each_swap(name: str, average: str, weighted: bool) -> None:
    statistic, pair = pair_of_test_sets(name, average, weighted, 90)
    for design in (Design((90,), paired=True), Design((45,), (2,) * 45, paired=True)):
        swapped = drawn_swaps(Plan(5), design, 0, 40)
        expected = differences_in_full(pair, statistic, swaps_of_cases(swapped, design))
        for compiled in {False, native.available()}:
            after = differences_after_swaps(pair, design, statistic, Plan(5, compiled=compiled))
            np.testing.assert_allclose(after(swapped), expected, atol=1e-12)


def test_sums_by_octets_are_products() -> None:
    rng = np.random.default_rng(2)
    for units, rows in ((1, 1), (8, 3), (70, 2), (70, 9), (129, 8)):
        features, design, plan = rng.normal(size=(rows, units)), Design((units,)), Plan(6, 500)
        sums = np.concatenate([part for *_, part in drawn_sums(features, design, plan)], axis=1)
        signs = 1.0 - 2.0 * drawn_swaps(plan, design, 0, 500)
        np.testing.assert_allclose(sums, features @ signs.T, atol=1e-12)
