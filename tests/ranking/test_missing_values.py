"""Missing values in rankings: each policy worked by hand, and the ranks under all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over

import halfwidth as hw
from halfwidth import plots
from halfwidth.core.types import Array
from halfwidth.document.render import render

FEW: dict[str, Any] = {"n_resamples": 99, "rng": 3}
NONE = float("nan")
# Per case: A before B before C where all have a value; C lacks two cases, B one.
MODELS: dict[str, Array] = {
    "A": np.array([0.80, 0.70, 0.60, 0.50, 0.90, 0.40]),
    "B": np.array([0.70, 0.60, 0.50, 0.40, NONE, 0.30]),
    "C": np.array([0.60, 0.50, 0.40, 0.95, NONE, NONE]),
}
LABELLED = {
    name: pd.Series(values, index=[f"c{case}" for case in range(6)])
    for name, values in MODELS.items()
}


def ranks(ranking: Any) -> dict[str, int]:
    return {model.name: model.rank for model in ranking.models}


def values(ranking: Any) -> dict[str, float]:
    return {model.name: model.value for model in ranking.models}


def test_a_missing_value_takes_the_last_rank_of_its_case() -> None:
    (ranking,) = over(hw.rank, hw.CaseValues.from_arrays)(
        MODELS, metric="dsc", missing="worst_rank", scheme="rank_then_aggregate", **FEW
    )
    # Ranks of A 1 1 1 2 1 1, of B 2 2 2 3 3 2, of C 3 3 3 1 3 3: both that lack a case are last.
    assert values(ranking) == pytest.approx({"A": 7 / 6, "B": 14 / 6, "C": 16 / 6})
    assert ranking.models[0].estimate.n == 6
    assert ranking.missing == "worst_rank"
    assert {model.name: model.n_missing for model in ranking.models} == {"A": 0, "B": 1, "C": 2}


def test_the_last_rank_is_not_that_of_the_worst_value() -> None:
    shared = {"A": np.array([0.5, 0.4]), "B": np.array([NONE, 0.3]), "C": np.array([0.0, 0.2])}
    how: dict[str, Any] = {"metric": "dsc", "scheme": "rank_then_aggregate", **FEW}
    # As DSC 0, B shares the second rank of the first case with C.
    assert (
        values(over(hw.rank, hw.CaseValues.from_arrays)(shared, missing="worst", **how)[0])["B"]
        == 2
    )
    (last,) = over(hw.rank, hw.CaseValues.from_arrays)(shared, missing="worst_rank", **how)
    assert values(last) == {"A": 1, "B": 2.5, "C": 2.5}


def test_lower_is_better_for_distances_and_infinite_ones_are_missing() -> None:
    distances = {"A": np.array([2.0, 3.0, 9.0]), "B": np.array([np.inf, 4.0, 8.0])}
    (ranking,) = over(hw.rank, hw.CaseValues.from_arrays)(
        distances, metric="hd95", missing="worst_rank", scheme="rank_then_aggregate", **FEW
    )
    assert values(ranking) == pytest.approx({"A": 4 / 3, "B": 5 / 3})
    # No value is known to be the worst of a distance.
    assert list(ranking.under_policies) == ["omit", "worst_rank"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("models", [MODELS, LABELLED])
@pytest.mark.parametrize("missing", ["omit", "worst", "worst_rank"])
def test_the_ranks_under_each_policy_are_those_of_a_call_with_it(models: Any, missing: Any) -> None:
    how: dict[str, Any] = {"metric": "dsc", "scheme": "rank_then_aggregate", **FEW}
    (ranking,) = over(hw.rank, hw.CaseValues.from_arrays)(models, missing=missing, **how)
    assert list(ranking.under_policies) == ["omit", "worst", "worst_rank"]
    assert ranking.under_policies[missing] == ranks(ranking)
    policy: Any
    for policy, found in ranking.under_policies.items():
        assert found == ranks(
            over(hw.rank, hw.CaseValues.from_arrays)(models, missing=policy, **how)[0]
        )


def test_leaving_cases_out_is_seen_not_to_pay() -> None:
    (ranking,) = over(hw.rank, hw.CaseValues.from_arrays)(
        {"A": np.array([0.8, 0.7, 0.3, 0.2]), "B": np.array([0.9, 0.8, NONE, NONE])},
        metric="dsc",
        missing="omit",
        **FEW,
    )
    assert ranking.under_policies == {"omit": {"A": 2, "B": 1}, "worst": {"A": 1, "B": 2}}
    (decided,) = [one for one in ranking.cautions if one.code == "HW852"]
    assert "1 if left out, 2 if the worst value" in decided.message
    text = render(hw.Rankings((ranking,)).document(), "table")
    assert "rank if left out" in text
    as_json = ranking.to_dict()
    assert as_json["missing"] == "omit"
    assert as_json["under_policies"] == ranking.under_policies
    assert [one["n_missing"] for one in as_json["models"]] == [2, 0]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("models", "metric", "missing", "text"),
    [
        (
            {"A": [0.9, 0.8, 0.7], "B": [0.1, NONE, 0.2]},
            *(
                "dsc",
                "omit",
                "1 of B; each of these policies gives the same ranks: omit and worst.",
            ),
        ),
        (
            {"A": [0.9, 0.8, NONE], "B": [0.1, 0.2, NONE]},
            *("dsc", "worst", "1 value missing of each model; each of these policies"),
        ),
        (
            {"A": [0.9, 0.8, NONE], "B": [2, 3, 4]},
            "hd95",
            "omit",
            "1 of A; to count them as failures needs a penalty",
        ),
        ({"A": [0.9, 0.8, NONE], "B": [NONE, 0.2, 1]}, "dsc", "worst", "too few cases are left"),
    ],
)
def test_where_policies_agree_or_there_is_one_a_line_says_so(
    models: Any, metric: str, missing: Any, text: str
) -> None:
    found = over(hw.rank, hw.CaseValues.from_arrays)(models, metric=metric, missing=missing, **FEW)
    assert text in " ".join(render(found.document(), "table").split())


def test_without_missing_values_nothing_is_set_side_by_side() -> None:
    whole = {name: values[:4] for name, values in MODELS.items()}
    (ranking,) = over(hw.rank, hw.CaseValues.from_arrays)(
        whole, metric="dsc", missing="worst", **FEW
    )
    assert ranking.under_policies == {}
    plain = hw.rank(whole, metric="dsc", scheme="rank_then_aggregate", **FEW)[0]
    last: Any = {"scheme": "rank_then_aggregate", "missing": "worst_rank"}
    assert values(
        over(hw.rank, hw.CaseValues.from_arrays)(whole, metric="dsc", **last, **FEW)[0]
    ) == values(plain)


def test_where_too_few_cases_are_left_that_policy_is_not_shown() -> None:
    apart = {"A": np.array([0.8, 0.7, NONE]), "B": np.array([NONE, 0.9, 0.5])}
    (ranking,) = over(hw.rank, hw.CaseValues.from_arrays)(
        apart, metric="dsc", missing="worst", **FEW
    )
    assert list(ranking.under_policies) == ["worst"]


def test_the_order_of_rows_and_clusters_keep_their_meaning() -> None:
    clusters = pd.Series(list("xxyyzz"), index=LABELLED["A"].index)
    how: dict[str, Any] = {
        "metric": "dsc",
        "scheme": "rank_then_aggregate",
        "missing": "worst_rank",
        **FEW,
    }
    (ranking,) = over(hw.rank, hw.CaseValues.from_arrays)(LABELLED, groups=clusters, **how)
    assert values(ranking) == pytest.approx({"A": 7 / 6, "B": 14 / 6, "C": 16 / 6})
    turned = {name: one[::-1] for name, one in LABELLED.items()}
    assert (
        over(hw.rank, hw.CaseValues.from_arrays)(turned, groups=clusters, **how)[0].to_dict()
        == ranking.to_dict()
    )


def test_values_that_are_missing_stay_missing_where_cases_are_kept() -> None:
    (ranking,) = over(hw.rank, hw.CaseValues.from_arrays)(
        LABELLED,
        metric="dsc",
        missing="worst_rank",
        scheme="rank_then_aggregate",
        **FEW,
    )
    assert ranking.cases is not None
    kept = dict(ranking.cases.values)
    assert np.isnan(kept["C"]).sum() == 2
    drawn = plots.dots.frame(ranking)
    assert (drawn[drawn["kind"] == "case"].groupby("model").size() == [6, 5, 4]).all()
    ranks_in_cases = plots.case_heatmap.frame(ranking).set_index(["model", "rank"])["count"]
    assert ranks_in_cases["A"].to_dict() == {1: 5, 2: 1}
    assert ranks_in_cases["C"].to_dict() == {1: 1, 3: 5}


def test_the_last_rank_of_a_case_needs_ranks_within_cases() -> None:
    with pytest.raises(hw.OptionError, match="scheme='aggregate_then_rank' ranks no models within"):
        hw.rank(hw.CaseValues.from_arrays(MODELS, metric="dsc", missing="worst_rank"))
    several: Any = ["rank_then_aggregate", "aggregate_then_rank"]
    with pytest.raises(hw.OptionError, match="missing='worst'"):
        hw.rank(
            hw.CaseValues.from_arrays(MODELS, metric="dsc", missing="worst_rank"), scheme=several
        )
    with pytest.raises(hw.OptionError, match="missing='worst_rank'"):
        hw.Predictions.from_arrays(
            [0, 1],
            {"A": [0.1, 0.9], "B": [0.2, 0.8]},
            missing="worst_rank",  # type: ignore[arg-type]
        )
    nothing = {"A": np.array([0.5, 0.4]), "B": np.array([NONE, NONE])}
    (ranking,) = over(hw.rank, hw.CaseValues.from_arrays)(
        nothing, metric="dsc", missing="worst_rank", scheme="rank_then_aggregate", **FEW
    )
    assert values(ranking) == {"A": 1, "B": 2}


def test_an_undefined_metric_of_a_test_set_is_last_where_a_policy_says_so() -> None:
    truth = [1, 0] * 10
    predictions = {"A": truth, "B": [0] * 20, "C": [1] * 20}
    with pytest.raises(hw.DataError, match=r"ppv is undefined for B.*undefined="):
        over(hw.rank, hw.Predictions.from_arrays)(truth, predictions, metric="ppv", **FEW)
    (ranking,) = over(hw.rank, hw.Predictions.from_arrays)(
        truth, predictions, undefined="worst", metric="ppv", **FEW
    )
    assert ranks(ranking) == {"A": 1, "C": 2, "B": 3}
    assert values(ranking)["B"] == 0
