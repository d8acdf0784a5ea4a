"""Several metrics: where their values are, the cases that all have, and ranks that are combined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over
from scipy import stats

import halfwidth as hw

FEW: dict[str, Any] = {"n_resamples": 199, "rng": 3}
BOTH: list[Any] = ["aggregate_then_rank", "rank_then_aggregate"]
METRICS = ("dsc", "hd95")


def wide(tasks: tuple[str, ...] = ("liver",), n: int = 24) -> pd.DataFrame:
    """A column for each metric; models A, B and C, of which HD95 puts B before C."""
    generator = np.random.default_rng(6)
    rows = []
    for task in tasks:
        for name, overlap, distance in (("A", 0.5, 9.0), ("B", 0.6, 5.0), ("C", 0.65, 6.0)):
            dsc = np.clip(generator.normal(overlap, 0.05, n), 0, 1)
            hd95 = generator.normal(distance, 1.0, n)
            rows += [
                (task, name, f"c{at}", *pair) for at, pair in enumerate(zip(dsc, hd95, strict=True))
            ]
    return pd.DataFrame(rows, columns=["task", "model", "case", *METRICS])


def long(table: pd.DataFrame) -> pd.DataFrame:
    """The canonical table of the same."""
    return table.melt(["task", "model", "case"], METRICS, "metric", "value")


def ranked(table: pd.DataFrame, **how: Any) -> hw.Rankings:
    return over(hw.rank, hw.CaseValues.from_table)(
        table, **FEW | {"metric": list(METRICS), "by": "task"} | how
    )


def ranks_by(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """SciPy's ranks of the models (columns) within each case."""
    values = table.pivot_table(index="case", columns="model", values=metric)
    better = -values if metric == "dsc" else values
    return pd.DataFrame(
        stats.rankdata(better, "min", axis=1), index=values.index, columns=values.columns
    )


def test_a_wide_table_a_long_one_and_a_mapping_give_the_same() -> None:
    table = wide(("liver", "spleen"))
    how = {"combine": "mean_rank"}
    given = ranked(table, **how)
    renamed = table.rename(columns={"dsc": "x", "hd95": "y"})
    others = [
        ranked(long(table), **how),
        ranked(renamed, metric={"x": "dsc", "y": "hd95"}, **how),
    ]
    assert [one.names[:2] for one in given] == [
        (task, metric) for task in ("liver", "spleen") for metric in METRICS
    ]
    for other in others:
        assert other.to_dict() == given.to_dict()


def test_each_metric_has_its_own_direction_and_is_ranked_as_it_is_alone() -> None:
    table = wide()
    found = ranked(table)
    assert found["liver", "dsc"].models[0].name == "C"
    assert found["liver", "hd95"].models[0].name == "B"
    for metric in METRICS:
        alone = over(hw.rank, hw.CaseValues.from_table)(
            table, metric, metric=metric, by="task", **FEW
        )[0]
        assert found["liver", metric].to_dict()["models"] == alone.to_dict()["models"]
    assert found.consensus == ()
    (pair,) = found.stability
    assert (pair.over, pair.first, pair.second) == ("metrics", *METRICS)


def test_ranks_by_metrics_are_averaged_on_the_same_resamples() -> None:
    found = ranked(wide(), combine="mean_rank")
    (consensus,) = found.consensus
    assert (consensus.over, consensus.label, consensus.rankings) == ("metrics", "liver", METRICS)
    for model in consensus.models:
        ranks = [found["liver", metric][model.name].rank for metric in METRICS]
        assert model.ranks == tuple(ranks)
        assert model.value == np.mean(ranks)
    # One metric twice has the resamples of one: the consensus is the ranking.
    twice = wide().assign(again=lambda table: table["dsc"])
    (same,) = ranked(twice, metric={"dsc": "dsc", "again": "nsd"}, combine="mean_rank").consensus
    for model in same.models:
        assert model.shares == ranked(wide())["liver", "dsc"][model.name].shares


def test_ranks_within_cases_are_combined_within_cases() -> None:
    table = wide()
    found = ranked(table, combine="mean_rank", scheme="rank_then_aggregate")
    combined = found["dsc and hd95"]
    expected = (ranks_by(table, "dsc") + ranks_by(table, "hd95")).mean() / 2
    for model in combined.models:
        assert model.value == pytest.approx(expected[model.name])
        assert model.rank in model.rank_set
    assert combined.metrics == METRICS
    assert combined.subject == "mean rank by DSC and HD95"
    assert found.consensus == ()
    medians = ranked(table, combine="median_rank", scheme="rank_then_aggregate")["dsc and hd95"]
    assert medians.subject == "mean median rank by DSC and HD95"


def test_over_tasks_and_metrics_all_rankings_count() -> None:
    found = ranked(wide(("liver", "spleen")), combine="mean_rank", scheme=BOTH)
    kinds = [(one.over, one.scheme, one.metrics) for one in found.consensus]
    assert kinds == [
        *[("tasks", scheme, (metric,)) for metric in METRICS for scheme in BOTH],
        ("tasks", BOTH[1], METRICS),
        *[("metrics", BOTH[0], METRICS)] * 2,
        ("tasks and metrics", BOTH[0], METRICS),
    ]
    every = found.consensus[-1]
    assert every.rankings == tuple(f"{t} / {m}" for t in ("liver", "spleen") for m in METRICS)
    for model in every.models:
        ranks = [one[model.name].rank for one in found if one.scheme == BOTH[0]]
        assert model.value == np.mean(ranks)


def test_a_case_that_one_metric_lacks_is_left_out_of_all_and_counted() -> None:
    table = wide()
    table.loc[3, "hd95"] = np.nan
    found = ranked(table, combine="mean_rank", missing="omit")
    assert [one.models[0].estimate.n for one in found] == [23, 23]
    assert [one.n_unmatched for one in found] == [1, 0]
    assert "DSC without 1 case" in found.notes[-1]
    # By itself each metric keeps its cases.
    assert [one.models[0].estimate.n for one in ranked(table, missing="omit")] == [24, 23]
    without = long(table).dropna()
    with pytest.raises(hw.DataError, match=r"HD95 lacks 1 \(c3\)"):
        ranked(without, combine="mean_rank")
    complete = long(table)
    lacking = complete[(complete["metric"] == "dsc") | (complete["case"] != "c5")]
    with pytest.raises(hw.DataError, match=r"same cases: HD95 lacks 1 \(c5\)"):
        ranked(lacking, combine="mean_rank", missing="omit")
    kept = ranked(lacking, combine="mean_rank", missing="omit", pairing="common")
    assert [one.models[0].estimate.n for one in kept] == [22, 22]


def test_a_penalty_is_for_metrics_without_a_worst_value() -> None:
    table = wide()
    table.loc[30, list(METRICS)] = 0, np.nan
    found = ranked(table, combine="mean_rank", missing="worst", penalty=100)
    values = table[table["model"] == "B"]
    assert found["dsc"]["B"].value == pytest.approx(values["dsc"].mean())
    assert found["hd95"]["B"].value == pytest.approx(values["hd95"].fillna(100).mean())


def test_a_case_in_which_one_model_alone_has_nothing_to_find_is_asked_about() -> None:
    table = wide()
    table.loc[30, list(METRICS)] = np.nan
    with pytest.raises(hw.DataError, match=r"HD95 lacks 1 \(c6\)\. pairing='common'"):
        ranked(table, combine="mean_rank", missing="worst", penalty=100)


def test_metrics_of_test_sets_are_combined() -> None:
    generator = np.random.default_rng(1)
    rows = [
        (name, f"c{at}", at % 2, 1 / (1 + np.exp(-(at % 2 - 0.5) * lead - generator.normal())))
        for name, lead in (("A", 0.2), ("B", 3.0))
        for at in range(40)
    ]
    table = pd.DataFrame(rows, columns=["model", "case", "y", "p"])
    found = over(hw.rank, hw.Predictions.from_table)(
        table, "y", score="p", metric=["auroc", "average_precision"], combine="mean_rank", **FEW
    )
    assert [one.metrics for one in found] == [("auroc",), ("average_precision",)]
    (consensus,) = found.consensus
    assert consensus["B"].ranks == (1, 1)
    assert (
        consensus["B"].rank_set
        == over(hw.rank, hw.Predictions.from_table)(table, "y", score="p", metric="auroc", **FEW)[
            0
        ]["B"].rank_set
    )


def test_an_option_need_have_an_effect_on_one_of_the_metrics_only() -> None:
    table = {"case": [1, 2, 3, 4] * 2, "model": ["A"] * 4 + ["B"] * 4, "y": [0, 1] * 4}
    table["p"] = [0.1, 0.6, 0.2, 0.9, 0.1, 0.6, 0.7, 0.2]
    of_table: Any = {"target": "y", "score": "p", "rng": 1}
    found = over(hw.rank, hw.Predictions.from_table)(
        table, metric=["auroc", "accuracy"], threshold=0.8, **of_table
    )
    assert found[1]["A"].value == 0.75  # two true negatives and one of two positives
    found = over(hw.rank, hw.Predictions.from_table)(
        table, metric=["auroc", "accuracy"], average="macro", **of_table
    )
    assert [one["A"].estimate.average for one in found] == ["macro", None]
    with pytest.raises(hw.OptionError, match="average='macro' has no effect on acc"):
        over(hw.rank, hw.Predictions.from_table)(
            table, metric=["accuracy"], average="macro", **of_table
        )


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: ranked(wide(), metric=["dsc", "nsd"]), "no column is called 'nsd'"),
        (lambda: ranked(wide(), value="dsc"), "say which column holds which"),
        # By their order, the Dice of one organ would pass for the NSD of another.
        (lambda: ranked(wide(), value=["dsc", "hd95"]), "say which column holds which"),
        (
            lambda: ranked(wide(), metric={"dsc": "dsc"}, value="dsc"),
            "leave it out, or give a metric",
        ),
        (lambda: ranked(wide(), metric=[]), "metric: name at least one"),
        (lambda: ranked(wide(), bounds=(0, 1)), "of one metric"),
        (lambda: ranked(wide(), combine="mode"), "combine='mode'"),
        (
            lambda: ranked(wide(), combine="mean_rank", margin=0.1),
            "one number for metrics of different units",
        ),
        (lambda: ranked(wide(), metric={"dsc": "dsc"}, combine="mean_rank"), "one ranking"),
    ],
)
def test_bad_input_says_what_to_do(call: Callable[[], Any], match: str) -> None:
    with pytest.raises(hw.OptionError, match=match):
        call()


def test_a_model_without_some_metric_cannot_be_combined_within_cases() -> None:
    table = long(wide())
    table = table[(table["metric"] == "dsc") | (table["model"] != "C")]
    how: dict[str, Any] = {"combine": "mean_rank", "pairing": "common"}
    with pytest.raises(hw.DataError, match="C has values of some metrics only"):
        ranked(table, scheme="rank_then_aggregate", **how)
    (consensus,) = ranked(table, **how).consensus
    assert consensus.left_out == ("C",)
