"""Test-then-rank: wins against SciPy's tests, and tests on resamples against each by itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.document.render import render
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.metrics.names import resolve_metric
from halfwidth.ranking.resampled_tests import resampled_test
from halfwidth.ranking.won_tests import wins_of
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.joint.simultaneous import all_pairs

TESTED: dict[str, Any] = {"scheme": "test_then_rank", "n_resamples": 99, "rng": 3}


def by_test(name: str) -> dict[str, Any]:
    return TESTED | {"scheme": f"test_then_rank:test={name}"}


PLAN = Plan(7, 40)
OF_MEANS = Functional(resolve_statistic("mean"), resolve_metric("dsc"), False)


def models(leads: tuple[float, ...], n: int = 30, digits: int = 6) -> dict[str, Array]:
    generator = np.random.default_rng(5)
    case = generator.normal(0.5, 0.1, n)
    return {
        name: np.clip(case + lead + generator.normal(0, 0.05, n), 0, 1).round(digits)
        for name, lead in zip("ABCDEFG", leads, strict=False)
    }


def wins(ranking: Any) -> dict[str, int]:
    return {model.name: model.wins for model in ranking.models}


@pytest.mark.parametrize("sign", [1, -1])
def test_wins_are_those_of_one_sided_tests_of_all_ordered_pairs_by_holm(sign: int) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    given = models((0.0, 0.025, 0.03, 0.06, 0.07))
    better = hw.Better.HIGHER if sign > 0 else hw.Better.LOWER
    (ranking,) = hw.rank(given, metric=hw.MetricSpec("v", better=better), **TESTED)
    ordered = list(itertools.permutations(given, 2))
    found = [
        stats.wilcoxon(sign * given[a], sign * given[b], alternative="greater", method="exact")
        for a, b in ordered
    ]
    rejected, *_ = multitest.multipletests([one.pvalue for one in found], 0.05, method="holm")
    expected = dict.fromkeys(given, 0)
    for (a, _), won in zip(ordered, rejected, strict=True):
        expected[a] += int(won)
    assert wins(ranking) == expected
    assert len(set(expected.values())) > 2
    numbers = np.array([expected[model.name] for model in ranking.models])
    assert [model.rank for model in ranking.models] == stats.rankdata(-numbers, "min").tolist()
    # As many wins, then the better mean.
    pairs = itertools.pairwise((model.wins, sign * model.value) for model in ranking.models)
    assert all(one >= other for one, other in pairs)


def test_sets_count_the_tests_won_and_lost() -> None:
    (ranking,) = hw.rank(models((0.0, 0.025, 0.03, 0.06, 0.07)), metric="dsc", **TESTED)
    for model in ranking.models:
        lost = sum(worse == model.name for _, worse in ranking.claims)
        assert model.rank_set.low == 1 + lost
        assert model.rank_set.high == 5 - (model.wins or 0)
        assert model.rank in model.rank_set
        assert model.rank_set.low <= model.marginal_set.low
        assert model.marginal_set.high <= model.rank_set.high


def resampled(name: str, differences: Array, design: Design) -> Array:
    test = resampled_test(name, OF_MEANS)
    assert test is not None
    return np.asarray(test([differences], design, PLAN)[0])


@pytest.mark.parametrize("digits", [6, 2])
def test_wilcoxon_on_resamples_is_scipys_of_each(digits: int) -> None:
    given = models((0.0, 0.01), digits=digits)
    differences = (given["A"] - given["B"]).round(6)
    signed = resampled("wilcoxon", differences, Design.iid(30))
    for row, drawn in zip(PLAN.indices(Design.iid(30), 0, 40), signed, strict=True):
        side: Any = "greater" if drawn > 0 else "less"
        own = stats.wilcoxon(differences[row], alternative=side, method="approx", correction=False)
        assert abs(drawn) == pytest.approx(own.pvalue)


@pytest.mark.parametrize("name", ["wilcoxon", "permutation"])
def test_clusters_change_signs_whole_on_resamples_too(name: str) -> None:
    given = models((0.0, 0.01))
    differences = given["A"] - given["B"]
    design = Design((10,), tuple([1, 2, 3, 4, 5] * 2))
    signed = resampled(name, differences, design)
    for row, drawn in zip(PLAN.indices(design, 0, 40), signed, strict=True):
        cases = [np.flatnonzero(design.unit_of_case == unit) for unit in row]
        own = differences[np.concatenate(cases)]
        summed = np.sign(own) * stats.rankdata(np.abs(own)) if name == "wilcoxon" else own
        totals = [part.sum() for part in np.split(summed, np.cumsum(list(map(len, cases)))[:-1])]
        z = np.sum(totals) / np.sqrt(np.sum(np.square(totals)))
        assert drawn == pytest.approx(np.copysign(stats.norm.sf(abs(z)), z))


@pytest.mark.parametrize("name", ["mcnemar", "mcnemar_midp"])
def test_mcnemar_on_resamples_is_that_of_each(name: str) -> None:
    generator = np.random.default_rng(1)
    first, second = (generator.random((2, 30)) < [[0.8], [0.6]]).astype(float)
    signed = resampled(name, first - second, Design.iid(30))
    for row, drawn in zip(PLAN.indices(Design.iid(30), 0, 40), signed, strict=True):
        apart = (first - second)[row]
        more, wins, count = apart.sum(), int((apart > 0).sum()), int((apart != 0).sum())
        if more:
            p_value = stats.binomtest(wins, count).pvalue
            p_value -= (name == "mcnemar_midp") * stats.binom.pmf(wins, count, 0.5)
            assert abs(drawn) == pytest.approx(p_value / 2)
            assert np.sign(drawn) == np.sign(more)


def test_without_a_difference_no_model_is_better_on_a_resample() -> None:
    for name in ("wilcoxon", "permutation", "mcnemar"):
        assert resampled(name, np.zeros(30), Design.iid(30)).tolist() == [1.0] * 40


def test_wins_on_resamples_are_by_holm() -> None:
    generator = np.random.default_rng(2)
    signed = generator.uniform(0, 0.03, (6, 200)) * generator.choice([-1, 1], (6, 200))
    places = all_pairs(4)
    found = wins_of(signed, places, 4, 0.05)
    for column, own in zip(signed.T, found.T, strict=True):
        p_values = np.where(np.sign(column)[:, None] == [1, -1], np.abs(column)[:, None], 1.0)
        ascending, rejected = np.argsort(p_values, axis=None), np.zeros(12, dtype=bool)
        small = p_values.ravel()[ascending] <= 0.05 / np.arange(12, 0, -1)
        rejected[ascending] = np.logical_and.accumulate(small)
        expected = np.zeros(4)
        np.add.at(expected, places, rejected.reshape(6, 2))
        assert own.tolist() == expected.tolist()


def test_shares_of_resamples_are_of_wins_and_fewer_than_usual() -> None:
    usual = {key: value for key, value in TESTED.items() if key != "n_resamples"}
    (ranking,) = hw.rank(models((0.0, 0.01, 0.2)), metric="dsc", **usual)
    assert ranking.n_resamples == 999
    assert ranking["C"].first_share == 1
    assert sum(ranking["A"].shares) == pytest.approx(1)
    # Those that win nothing share the second rank.
    assert ranking["A"].shares[1] > 0.5
    assert hw.rank(models((0.0, 0.2)), metric="dsc", **TESTED)[0].n_resamples == 99


def test_accuracy_is_ranked_by_mcnemars_tests_and_auroc_without_resamples() -> None:
    generator = np.random.default_rng(1)
    truth = np.repeat([0, 1], 40)
    right = {
        name: np.where(generator.random(80) < share, truth, 1 - truth)
        for name, share in (("A", 0.95), ("B", 0.5), ("C", 0.55))
    }
    (by_decisions,) = hw.rank(hw.Predictions.from_arrays(truth, right), metric="accuracy", **TESTED)
    assert by_decisions.test == "mcnemar_midp"
    assert wins(by_decisions) == {"A": 2, "B": 0, "C": 0}
    assert by_decisions["A"].first_share == 1
    scores = {name: truth * lead + generator.normal(size=80) for name, lead in (("A", 4), ("B", 0))}
    (by_ranks,) = hw.rank(
        hw.Predictions.from_arrays(truth, scores), metric="auroc", **TESTED | {"n_resamples": 999}
    )
    assert wins(by_ranks) == {"A": 1, "B": 0}
    assert by_ranks["A"].shares == ()
    assert by_ranks.n_resamples == 0
    assert "AUROC by tests won (permutation of paired ranks)" in by_ranks.sentence()


def test_the_test_that_is_named_decides() -> None:
    generator = np.random.default_rng(4)
    # A is better in most cases by little, B in few by much.
    base = generator.uniform(0.6, 0.7, 60)
    lead = np.where(np.arange(60) < 12, -0.5, 0.02)
    given = {"A": base + lead, "B": base}
    assert wins(hw.rank(given, metric="dsc", **TESTED)[0]) == {"A": 1, "B": 0}
    flipped = hw.rank(given, metric="dsc", **by_test("permutation") | {"n_resamples": 1999})[0]
    assert wins(flipped) == {"A": 0, "B": 1}
    assert flipped.test == "permutation"


def test_equal_models_win_nothing() -> None:
    (ranking,) = hw.rank(dict.fromkeys("ABC", models((0.0,))["A"]), metric="dsc", **TESTED)
    assert wins(ranking) == dict.fromkeys("ABC", 0)
    assert {str(model.rank_set) for model in ranking.models} == {"1 to 3"}
    assert ranking.groups == (("A", "B", "C"),)


@pytest.mark.parametrize(("cases", "possible"), [(5, False), (6, True)])
def test_few_cases_let_no_model_win(cases: int, possible: bool) -> None:
    # 1/2**5 > .05/2 > 1/2**6, and A is better in every case.
    first = np.linspace(0.5, 0.6, cases)
    (ranking,) = hw.rank(
        {"A": first + np.linspace(0.1, 0.2, cases), "B": first}, metric="dsc", **TESTED
    )
    assert wins(ranking)["A"] == int(possible)
    assert ("HW853" in [one.code for one in ranking.cautions]) != possible


def test_missing_values_are_shown_under_each_policy() -> None:
    given = models((0.0, 0.2))
    given["B"] = np.where(np.arange(30) < 20, np.nan, given["B"])
    (ranking,) = hw.rank(hw.CaseValues.from_arrays(given, metric="dsc", missing="omit"), **TESTED)
    assert ranking.under_policies == {"omit": {"A": 2, "B": 1}, "worst": {"A": 1, "B": 2}}


def test_all_schemes_stand_side_by_side() -> None:
    schemes: Any = ["aggregate_then_rank", "rank_then_aggregate", "test_then_rank"]
    table = pd.DataFrame(models((0.0, 0.025, 0.06))).melt(var_name="algorithm")
    table["case"] = list(range(30)) * 3
    both = pd.concat([table.assign(task=task) for task in ("T1", "T2")])
    found = hw.rank(hw.CaseValues.from_table(both, metric="dsc"), **TESTED | {"scheme": schemes})
    assert [one.scheme for one in found] == schemes * 2
    assert found["T1", "test_then_rank"].test == "wilcoxon"
    assert found["T1", "aggregate_then_rank"].to_dict()["test"] is None
    text = render(found.document(), "table")
    assert "won" in text
    assert found.to_frame()["wins"].notna().sum() == 6


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda given: hw.rank(given, metric="dsc", margin=0.1, **TESTED), "at all"),
        (
            lambda given: hw.rank(given, metric="dsc", **by_test("none")),
            "is not auto or",
        ),
        (lambda given: hw.rank(given, test="wilcoxon"), "test_then_rank:test="),  # type: ignore[call-arg]
        (lambda given: hw.rank(given, metric="dsc", **by_test("mcnemar")), "shares of cases"),
        (
            lambda given: hw.rank(
                hw.CaseValues.from_arrays(given, metric="dsc", missing="worst_rank"), **TESTED
            ),
            "within",
        ),
    ],
)
def test_bad_options_say_what_to_do(call: Callable[[Any], Any], match: str) -> None:
    with pytest.raises(hw.OptionError, match=match):
        call(models((0.0, 0.1)))
