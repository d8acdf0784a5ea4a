"""The consensus of several rankings against enumeration and SciPy, and how far rankings agree."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import halfwidth as hw
from halfwidth.arithmetic.ranks import ranks_of
from halfwidth.core.types import Array
from halfwidth.ranking.consensus_sets import REDUCTIONS, combined_ranks, consensus_bounds
from halfwidth.ranking.rank_sets import Claims
from halfwidth.ranking.traces import Trace, joined_resamples

FEW: dict[str, Any] = {"n_resamples": 299, "rng": 3}
LEADS = {"T1": (0.3, 0.1, 0.0), "T2": (0.3, 0.0, 0.1), "T3": (0.15, 0.05, 0.3)}


def tasks(leads: Mapping[str, tuple[float, ...]] = LEADS, n: int = 30) -> pd.DataFrame:
    """A table with the column dsc, of models A, B, C whose means differ from task to task."""
    generator = np.random.default_rng(4)
    rows = []
    for task, own in leads.items():
        case = generator.normal(0.4, 0.1, n)
        for name, lead in zip("ABC", own, strict=False):
            values = np.clip(case + lead + generator.normal(0, 0.03, n), 0, 1)
            rows += [(task, name, f"c{at}", value) for at, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["task", "model", "case", "dsc"])


def ranked(table: pd.DataFrame, pairing: Any = "complete", **how: Any) -> hw.Rankings:
    return hw.rank(
        hw.CaseValues.from_table(table, "dsc", metric="dsc", by="task", pairing=pairing),
        **FEW | how,
    )


# --------------------------------------------------------------------------- sets of ranks


def merits_that_fit(claims: Claims, margin: int) -> list[tuple[int, ...]]:
    """Merits of three models that contradict no claim."""
    better, not_better = claims
    found = []
    for merits in itertools.product(range(4), repeat=3):
        truth = np.subtract.outer(merits, merits) > margin
        if (better <= truth).all() and not (not_better & truth).any():
            found.append(merits)
    return found


def claims_of_truth(generator: np.random.Generator, margin: int) -> Claims:
    """Some of what is true of random merits."""
    merits = generator.integers(0, 4, 3)
    truth = np.subtract.outer(merits, merits) > margin
    better = truth & (generator.random((3, 3)) < 0.7)
    not_better = better.T if margin == 0 else ~truth & (generator.random((3, 3)) < 0.7)
    return better, not_better & ~np.eye(3, dtype=bool)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("combine", ["mean_rank", "median_rank"])
@pytest.mark.parametrize("margin", [0, 1])
def test_sets_hold_the_ranks_of_all_merits_that_fit_the_claims(combine: str, margin: int) -> None:
    generator = np.random.default_rng(7)
    reduce = REDUCTIONS[combine]
    narrower = 0
    for _ in range(25):
        claims = [claims_of_truth(generator, margin) for _ in range(3)]
        bounds = consensus_bounds(claims, combine)
        possible = [
            np.unique([ranks_of(np.array(m, dtype=float), margin) for m in fitting], axis=0)
            for fitting in (merits_that_fit(one, margin) for one in claims)
        ]
        for ranks in itertools.product(*possible):
            found = ranks_of(-reduce(np.array(ranks, dtype=float), axis=0))
            assert (bounds[:, 0] <= found).all()
            assert (found <= bounds[:, 1]).all()
        narrower += int((np.ptp(bounds, axis=1) < 2).any())
    assert narrower > 10


def test_a_consensus_of_one_ranking_has_its_sets() -> None:
    better = np.zeros((3, 3), dtype=bool)
    better[0, 1:] = True
    for combine in ("mean_rank", "median_rank"):
        assert consensus_bounds([(better, better.T)], combine).tolist() == [[1, 1], [2, 3], [2, 3]]


def test_more_tasks_settle_no_less_where_all_agree() -> None:
    better = np.triu(np.ones((3, 3), dtype=bool), 1)
    claims = [(better, better.T)] * 5
    assert consensus_bounds(claims, "mean_rank").tolist() == [[1, 1], [2, 2], [3, 3]]


# --------------------------------------------------------------------------- resamples


def trace(cases: str, seed: int, resamples: int = 200) -> Trace:
    replicates = np.random.default_rng(seed).normal(size=(3, resamples))
    return Trace(("A", "B", "C"), np.arange(3.0), replicates, 0.0, {}, cases)


def test_rankings_of_the_same_cases_keep_their_resamples_together() -> None:
    one, same, other = trace("x", 1), trace("x", 1), trace("y", 1)
    first, second, third = joined_resamples([one, same, other], ["A", "B", "C"], 5) or []
    assert (first == second).all()
    # The same draws are put in another order where the cases are others.
    assert (first != third).any()
    rows = [sorted(map(tuple, ranks.tolist())) for ranks in (first, third)]
    assert rows[0] == rows[1]
    agreeing = (first == third).all(axis=1).mean()
    assert agreeing == pytest.approx(1 / 6, abs=5 * (5 / 36 / 200) ** 0.5)


def test_resamples_without_a_value_are_left_out_of_all_rankings_of_the_cases() -> None:
    one, same = trace("x", 1), trace("x", 2)
    one.replicates[0, :50] = np.nan
    first, second = joined_resamples([one, same], ["A", "B", "C"], 5) or []
    assert len(first) == len(second) == 150
    assert first.min() == 1
    one.replicates[:] = np.nan
    assert joined_resamples([one, same], ["A", "B", "C"], 5) is None


def test_combined_ranks_are_numpys_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("halfwidth.ranking.consensus_sets.BLOCK", 50)
    ranks = np.random.default_rng(2).integers(1, 5, size=(3, 40, 4))
    for combine, reduce in (("mean_rank", np.mean), ("median_rank", np.median)):
        assert combined_ranks(list(ranks), combine) == pytest.approx(reduce(ranks, axis=0))


# --------------------------------------------------------------------------- whole calls


def test_the_consensus_is_that_of_the_mean_ranks() -> None:
    found = ranked(tasks())
    (consensus,) = found.consensus
    assert consensus.rankings == ("T1", "T2", "T3")
    for model in consensus.models:
        own = [found[task][model.name].rank for task in LEADS]
        assert model.ranks == tuple(own)
        assert model.value == pytest.approx(np.mean(own))
        assert model.rank in model.rank_set
        assert sum(model.shares) == pytest.approx(1)
    values = [model.value for model in consensus.models]
    ranks = stats.rankdata(values, "min").tolist()
    assert [model.rank for model in consensus.models] == ranks
    assert consensus["A"].rank == 1
    assert "over 3 tasks: " in consensus.sentence()
    assert json.loads(found.to_json())["consensus"][0]["rankings"] == ["T1", "T2", "T3"]
    with pytest.raises(hw.OptionError, match="'A'"):
        consensus["Z"]


def test_the_median_is_another_consensus() -> None:
    leads = {"T1": (0.3, 0.2, 0.1), "T2": (0.3, 0.2, 0.1), "T3": (0.0, 0.1, 0.1)}
    (consensus,) = ranked(tasks(leads), combine="median_rank").consensus
    assert [model.value for model in consensus.models[:2]] == [1, 2]
    assert consensus["A"].ranks == (1, 1, 3)
    assert consensus.combine == "median_rank"


def test_one_task_has_neither_consensus_nor_stability() -> None:
    found = ranked(tasks({"T1": LEADS["T1"]}))
    assert found.consensus == ()
    assert len(found.stability) == 0
    assert np.isnan(found.stability.mean_tau)


def test_the_order_of_the_tasks_does_not_matter() -> None:
    table = tasks()
    turned = table.sort_values("task", ascending=False, kind="stable")
    one, other = (ranked(given).consensus[0] for given in (table, turned))
    for model in one.models:
        assert model.shares == other[model.name].shares
        assert model.rank_set == other[model.name].rank_set


def test_a_model_that_a_task_lacks_is_left_out_or_last() -> None:
    table = tasks()
    table = table[(table["task"] != "T1") | (table["model"] != "C")]
    (omitted,) = ranked(table, "common").consensus
    assert [model.name for model in omitted.models] == ["A", "B"]
    assert omitted.left_out == ("C",)
    (last,) = ranked(table, "common", combine="mean_rank:absent_model=last").consensus
    assert last["C"].ranks == (3, 2, 1)
    assert last.given_last == ("C",)
    with pytest.raises(hw.OptionError, match="absent_model=first is not omit or last"):
        ranked(table, "common", combine="mean_rank:absent_model=first")
    with pytest.raises(hw.OptionError, match=r"=last' has no effect .*: pairing='common'"):
        ranked(tasks(), combine="mean_rank:absent_model=last")
    one = tasks().query("task == 'T1'").drop(columns="task")
    with pytest.raises(hw.OptionError, match=r"over metrics or tasks, and there is one .* \(by=\)"):
        ranked(one.assign(task="T1"), "common", combine="mean_rank:absent_model=last")


def test_no_two_models_in_all_tasks_make_no_consensus_and_say_so() -> None:
    table = tasks()
    lacking = {"T1": "A", "T2": "B", "T3": "C"}
    table = table[table["model"] != table["task"].map(lacking)]
    found = ranked(table, "common")
    assert found.consensus == ()
    assert "no two models" in found.notes[-1]


# --------------------------------------------------------------------------- stability


def test_stability_over_tasks_and_with_the_consensus() -> None:
    found = ranked(tasks())
    over_tasks = found.stability.over("tasks")
    expected: Array = np.array(
        [
            stats.kendalltau(*([found[t][m].rank for m in "ABC"] for t in pair)).statistic
            for pair in itertools.combinations(LEADS, 2)
        ]
    )
    assert [pair.kendall_tau for pair in over_tasks] == pytest.approx(expected)
    assert over_tasks.mean_tau == pytest.approx(expected.mean())
    assert (over_tasks[0].first, over_tasks[0].second) == ("T1", "T2")
    assert len(found.stability.over("consensus")) == 3
    assert "between tasks" in repr(found.stability)
    assert found.stability.to_frame()["moved"].tolist()[0] == "B; C"


def test_consensus_and_stability_are_results_as_others_are() -> None:
    found = ranked(tasks())
    (consensus,) = found.consensus
    told = json.loads(consensus.to_json())
    assert told.pop("schema_version") == 1
    assert told == found.to_dict()["consensus"][0]
    assert consensus.to_frame()["model"].tolist() == [model.name for model in consensus.models]
    assert consensus.sentence() in consensus._repr_html_()
    assert json.loads(found.stability.to_json())["stability"] == found.to_dict()["stability"]
    assert "B, C" in found.stability._repr_html_()
    assert "No rankings to compare" in found.stability.over("metrics")._repr_html_()
    for result in (consensus, found.stability):
        with pytest.raises(hw.OptionError, match="has no picture"):
            hw.plot(result)


def test_stability_over_schemes_names_the_models_that_change_places() -> None:
    # A is ahead of B in the mean, by one case, and behind it in all others.
    first = np.array([0.9, *[0.5] * 9])
    table = {"A": first, "B": np.array([0.1, *[0.51] * 9]), "C": first - 0.1}
    both: Any = ("aggregate_then_rank", "rank_then_aggregate")
    found = hw.rank(table, metric="dsc", scheme=both, **FEW)
    (pair,) = found.stability
    assert (pair.over, pair.first, pair.second) == ("schemes", *both)
    assert pair.kendall_tau == pytest.approx(1 / 3)
    assert pair.moved == ("A", "B")
    assert "A and B change places" in repr(found.stability)
    assert found.to_dict()["stability"][0]["moved"] == ["A", "B"]


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_the_sets_are_those_of_rankings_at_the_parts_of_the_level(method: str) -> None:
    leads = {"T1": (0.03, 0.01, 0.0), "T2": (0.02, 0.0, 0.01), "T3": (0.02, 0.01, 0.0)}
    table = tasks(leads, n=20)
    for margin in (0.0, 0.005):
        how: dict[str, Any] = {"method": method, "margin": margin}
        (consensus,) = ranked(table, **how, confidence_level=0.7).consensus
        claims = []
        for ranking in ranked(table, **how, confidence_level=0.9):
            better = np.array(
                [[(one, other) in ranking.claims for other in "ABC"] for one in "ABC"]
            )
            claims.append((better, better.T))
        if margin == 0:
            bounds = consensus_bounds(claims, "mean_rank").tolist()
            sets = [consensus[name].rank_set for name in "ABC"]
            assert [[one.low, one.high] for one in sets] == bounds
        else:
            # Claims of not being better by more than the margin only narrow the sets.
            bounds = consensus_bounds(claims, "mean_rank").tolist()
            for name, (low, high) in zip("ABC", bounds, strict=True):
                assert low <= consensus[name].rank_set.low <= consensus[name].rank_set.high <= high
