"""Rankings of models: sets of ranks, schemes, tables, and cases worked by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import over
from scipy import stats

import halfwidth as hw
from halfwidth.core.types import Array

FEW: dict[str, Any] = {"n_resamples": 499, "rng": 3}
UNKNOWN: dict[str, Any] = {"metric": "dsc", "scheme": "x"}
TOUCHSTONE = Path(__file__).parents[2].parent / "shared" / "data" / "touchstone"


def models(leads: tuple[float, ...] = (0.0, 0.02, 0.03, 0.3), n: int = 40) -> dict[str, Array]:
    generator = np.random.default_rng(5)
    case = generator.normal(0.5, 0.1, n)
    return {
        name: np.clip(case + lead + generator.normal(0, 0.05, n), 0, 1)
        for name, lead in zip("ABCDEFG", leads, strict=False)
    }


def ranks(model: Any) -> tuple[int, int]:
    """The ranks that it may have."""
    return model.rank_set.low, model.rank_set.high


def test_ranks_are_those_of_the_means_and_lie_in_their_sets() -> None:
    given = models()
    (ranking,) = hw.rank(given, metric="dsc", **FEW)
    means = np.array([given[model.name].mean() for model in ranking.models])
    assert [model.rank for model in ranking.models] == stats.rankdata(-means, "min").tolist()
    assert [model.value for model in ranking.models] == pytest.approx(means)
    for model in ranking.models:
        assert model.rank in model.rank_set
        # Sets that hold for a model by itself are never larger.
        assert model.rank_set.low <= model.marginal_set.low
        assert model.marginal_set.high <= model.rank_set.high
    assert ranks(ranking["D"]) == (1, 1)


def test_the_sets_count_the_claims_of_the_ranking() -> None:
    (ranking,) = hw.rank(models(), metric="dsc", **FEW)
    assert set(ranking.claims) == {("C", "A"), *(("D", worse) for worse in "ABC")}
    assert ranking.to_dict()["claims"] == [list(pair) for pair in ranking.claims]
    for model in ranking.models:
        above = sum(worse == model.name for _, worse in ranking.claims)
        below = sum(better == model.name for better, _ in ranking.claims)
        assert ranks(model) == (1 + above, 4 - below)


def of_values(metric: str = "dsc", n: int = 40, **options: Any) -> hw.CaseValues:
    given = models((0.0, 0.02, 0.05, 0.3), n)
    scale = 30 if metric == "hd95" else 1
    data = {name: scale * values for name, values in given.items()}
    return hw.CaseValues.from_arrays(data, metric=metric, **options)


def of_classes(*, decided: bool) -> hw.Predictions:
    generator, truth = np.random.default_rng(3), np.arange(60) % 2
    case, made = generator.normal(size=60), {}
    for name, lead in zip("ABC", (0.5, 1.0, 3.0), strict=True):
        score = case + lead * truth + 0.5 * generator.normal(size=60)
        made[name] = (score > lead / 2).astype(int) if decided else score
    return hw.Predictions.from_arrays(truth, made)


# Of which one cluster holds nearly all cases.
UNEQUAL = np.repeat(np.arange(12), [1] * 11 + [29])
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "dsc": (of_values(), {}),
    "t": (of_values(), {"method": "t"}),
    "hd95": (of_values("hd95"), {}),
    "few cases": (of_values(n=7), {"method": "t"}),
    "clusters": (of_values(groups=np.arange(40) % 13), {}),
    "few effective clusters": (of_values(groups=UNEQUAL), {"method": "t"}),
    "auroc": (of_classes(decided=False), {"metric": "auroc"}),
    "accuracy": (of_classes(decided=True), {"metric": "accuracy"}),
}


def said(compared: Any, models_: list[str], margin: float) -> tuple[Array, Array]:
    """Who is better than whom by more than the margin, and who is not, by what verdicts say."""
    better, not_better = np.zeros((2, len(models_), len(models_)), dtype=bool)
    for one in compared:
        pair = models_.index(one.first), models_.index(one.second)
        shown = one.verdict.word in ("better", "worse") and one.verdict.beyond_margin in (
            ("shown",) if margin else (None,)
        )
        first, second = pair if one.verdict.word == "better" else pair[::-1]
        better[first, second] |= shown
        for ahead, behind, p in zip(pair, pair[::-1], one.verdict.p_not_worse, strict=True):
            not_better[behind, ahead] = p <= 0.05
    return better, not_better if margin else better.T


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_claims_are_the_verdicts_of_the_comparison(kind: str, margin: float) -> None:
    data, options = KINDS[kind]
    margin *= 30 if kind == "hd95" else 1
    how = {**options, **FEW}
    (ranking,) = hw.rank(data, margin=margin, **how)
    names = sorted(model.name for model in ranking.models)
    compared = hw.compare(data, margin=margin or None, **how)
    better, not_better = said(compared, names, margin)
    claims = {(names[one], names[other]) for one, other in np.argwhere(better)}
    assert set(ranking.claims) == claims
    assert claims or kind in ("few cases", "few effective clusters")
    for place, name in enumerate(names):
        model = ranking[name]
        expected = 1 + int(better[:, place].sum()), len(names) - int(not_better[:, place].sum())
        assert ranks(model) == (min(expected[0], model.rank), max(expected[1], model.rank))


@pytest.mark.parametrize("kind", ["dsc", "t", "few cases"])
@pytest.mark.parametrize("margin", [0.0, 0.03])
def test_a_marginal_set_is_that_of_the_comparisons_with_the_model(kind: str, margin: float) -> None:
    data, options = KINDS[kind]
    how = {**options, **FEW}
    (ranking,) = hw.rank(data, margin=margin, **how)
    for place, name in enumerate("ABCD"):
        compared = hw.compare(data, baseline=name, margin=margin or None, **how)
        better, not_better = said(compared, list("ABCD"), margin)
        model = ranking[name]
        expected = 1 + int(better[:, place].sum()), 4 - int(not_better[:, place].sum())
        found = model.marginal_set
        assert (found.low, found.high) == (
            min(expected[0], model.rank),
            max(expected[1], model.rank),
        )


@pytest.mark.parametrize("seed", [1, 5, 6])
def test_a_marginal_set_is_never_wider_where_some_pairs_have_intervals_of_their_own(
    seed: int,
) -> None:
    """Models that agree in nearly all cases: many resamples have no standard error."""
    generator = np.random.default_rng(seed)
    n = int(generator.integers(6, 14))
    rates = zip("ABCD", (0.3, 0.35, 0.9, 0.95), strict=True)
    given = {name: (generator.random(n) < rate).astype(float) for name, rate in rates}
    metric = hw.MetricSpec("v", better=hw.Better.HIGHER)
    (ranking,) = hw.rank(given, metric=metric, method="percentile", n_resamples=99, rng=seed)
    for model in ranking.models:
        assert model.rank_set.low <= model.marginal_set.low
        assert model.marginal_set.high <= model.rank_set.high


def test_directions_mirror_each_other() -> None:
    # Labelled: cases known by their place alone are put in the order of their values.
    labels = [f"c{case}" for case in range(40)]
    given = {name: pd.Series(values, index=labels) for name, values in models().items()}
    (higher,) = hw.rank(given, metric=hw.MetricSpec("v", better=hw.Better.HIGHER), **FEW)
    turned = {name: -values for name, values in given.items()}
    (lower,) = hw.rank(turned, metric=hw.MetricSpec("v", better=hw.Better.LOWER), **FEW)
    for one, other in zip(higher.models, lower.models, strict=True):
        assert (one.name, one.rank_set, one.shares) == (other.name, other.rank_set, other.shares)


def test_equal_models_share_the_first_rank_and_are_not_told_apart() -> None:
    values = models()["A"]
    (ranking,) = hw.rank(dict.fromkeys("ABC", values), metric="dsc", **FEW)
    assert {model.rank for model in ranking.models} == {1}
    assert {ranks(model) for model in ranking.models} == {(1, 3)}
    assert ranking.groups == (("A", "B", "C"),)
    assert {model.shares for model in ranking.models} == {(1.0, 0.0, 0.0)}
    assert np.isnan(ranking.tau)
    assert ranking.sentence() == (
        "Mean DSC: the order is open: each of the 3 models may have any rank (95 % confidence)."
    )
    assert ranking.to_dict()["kendall_tau"] is None
    assert "HW851" in [caution.code for caution in ranking.cautions]


def test_two_models_have_the_ranks_of_their_interval() -> None:
    (ranking,) = hw.rank(models((0.0, 0.3)), metric="dsc", **FEW)
    assert [ranks(model) for model in ranking.models] == [(1, 1), (2, 2)]
    assert ranking.groups == ()
    assert ranking.sentence() == "Mean DSC: B is first of 2 (95 % confidence); the rank of A is 2."
    assert ranking.cautions == ()


@pytest.mark.parametrize(("cases", "told"), [(5, False), (6, True)])
def test_two_models_of_a_metric_without_bounds_are_told_apart_from_six_cases_on(
    cases: int, told: bool
) -> None:
    """No exact test of five has p below .0625, whatever their interval excludes."""
    values = {"a": [15.0] * cases, "b": [21.39, 20.7, 25.92, 26.55, 26.55, 24.0][:cases]}
    (pair,) = hw.compare(values, metric="hd95")
    assert pair.estimate.high < 0
    assert pair.verdict is not None
    assert pair.verdict.word == ("better" if told else "too few pairs")
    (ranking,) = hw.rank(values, metric="hd95", **FEW)
    expected = [(1, 1), (2, 2)] if told else [(1, 2)] * 2
    assert [ranks(model) for model in ranking.models] == expected


def test_within_the_margin_models_share_a_rank() -> None:
    given = models((0.0, 0.01, 0.4))
    (ranking,) = hw.rank(given, metric="dsc", margin=0.2, **FEW)
    assert [model.rank for model in ranking.models] == [1, 2, 2]
    assert [ranks(model) for model in ranking.models] == [(1, 1), *[(2, 2)] * 2]
    (all_first,) = hw.rank(given, metric="dsc", margin=0.9, **FEW)
    assert {ranks(model) for model in all_first.models} == {(1, 1)}
    assert "C, B and A are first of 3" in all_first.sentence()


def test_the_shares_are_those_of_ranks_on_resamples() -> None:
    (ranking,) = hw.rank(models(), metric="dsc", top=2, **FEW)
    shares = np.array([model.shares for model in ranking.models])
    assert shares.sum(axis=1) == pytest.approx(1)
    assert [model.top_share for model in ranking.models] == pytest.approx(shares[:, :2].sum(axis=1))
    assert ranking["D"].first_share == 1
    assert 0.5 < ranking.tau <= 1
    assert ranking.n_resamples == 499


def test_ranks_within_cases_are_averaged() -> None:
    given = models()
    (ranking,) = hw.rank(given, metric="dsc", scheme="rank_then_aggregate", **FEW)
    ranks = stats.rankdata(-np.stack(list(given.values())), "min", axis=0).mean(axis=1)
    expected = dict(zip(given, ranks, strict=True))
    assert {model.name: model.value for model in ranking.models} == pytest.approx(expected)
    assert ranking.models[0].name == min(expected, key=expected.__getitem__)
    assert ranking.subject == "mean rank by DSC"


def in_scheme(*schemes: str) -> hw.Rankings:
    return hw.rank(models(), metric="dsc", scheme=schemes, **FEW)


@pytest.mark.parametrize("ties", ["min", "average", "max"])
def test_ties_within_cases_share_the_rank_that_is_named(ties: Any) -> None:
    given = {name: values.round(1) for name, values in models().items()}
    ranks = stats.rankdata(-np.stack(list(given.values())), ties, axis=0)
    assert len(np.unique(ranks)) > 3
    scheme = f"rank_then_aggregate:ties={ties}"
    (ranking,) = hw.rank(given, metric="dsc", scheme=scheme, **FEW)
    expected = dict(zip(given, ranks.mean(axis=1), strict=True))
    assert {model.name: model.value for model in ranking.models} == pytest.approx(expected)
    assert ranking.to_dict()["ties"] == ties


def test_several_schemes_make_a_ranking_each() -> None:
    schemes: Any = ["aggregate_then_rank", "rank_then_aggregate"]
    both = hw.rank(models(), metric="dsc", scheme=schemes, **FEW)
    for scheme in schemes:
        (alone,) = hw.rank(models(), metric="dsc", scheme=scheme, **FEW)
        assert both[scheme].to_dict() == alone.to_dict()
    values = hw.CaseValues.from_table(
        long_table(), "value", model="algorithm", by="task", metric="dsc"
    )
    found = hw.rank(values, scheme=schemes, **FEW)
    assert [one.label for one in found] == ["T1", "T1", "T2", "T2", "T3", "T3"]
    assert found["T2", "rank_then_aggregate"].names == ("T2", "dsc", "rank_then_aggregate")
    with pytest.raises(hw.OptionError, match=r"\['T2', 'aggregate_then_rank'\]\. There are"):
        found["T2"]
    with pytest.raises(hw.OptionError, match="no ranking matches 'T2' and 'liver'; there are"):
        found["T2", "liver"]
    with pytest.raises(hw.OptionError, match="did you mean 'rank_then_aggregate'"):
        found["rank_then_agregate"]
    assert found.to_frame()["scheme"].nunique() == 2


def test_metrics_of_a_test_set_are_ranked() -> None:
    generator = np.random.default_rng(1)
    truth = np.repeat([0, 1], 40)
    scores = {
        name: truth * lead + generator.normal(size=80)
        for name, lead in zip("AB", (0, 4), strict=True)
    }
    (ranking,) = over(hw.rank, hw.Predictions.from_arrays)(truth, scores, metric="auroc", **FEW)
    assert [model.name for model in ranking.models] == ["B", "A"]
    assert ranks(ranking["B"]) == (1, 1)
    with pytest.raises(hw.OptionError, match="values of cases"):
        over(hw.rank, hw.Predictions.from_arrays)(
            truth, scores, metric="auroc", scheme="rank_then_aggregate", **FEW
        )


def long_table() -> pd.DataFrame:
    """In the long form of challengeR."""
    rows = [
        {"task": task, "algorithm": name, "case": f"c{case}", "value": value}
        for task, leads in (("T1", (0.0, 0.3)), ("T2", (0.3, 0.0)), ("T3", (0.0, 0.0)))
        for name, values in models(leads).items()
        for case, value in enumerate(values)
    ]
    shuffled = pd.DataFrame(rows).sample(frac=1, random_state=1)
    return shuffled.sort_values("task", kind="stable")


def test_each_task_of_a_table_is_ranked_apart() -> None:
    found = over(hw.rank, hw.CaseValues.from_table)(
        long_table(), "value", metric="dsc", model="algorithm", by="task", **FEW
    )
    assert [one.label for one in found] == ["T1", "T2", "T3"]
    assert found["T1"].models[0].name == "B"
    assert found["T2"].models[0].name == "A"
    frame = found.to_frame()
    assert len(frame) == 6
    assert frame["task"].tolist() == ["T1"] * 2 + ["T2"] * 2 + ["T3"] * 2
    assert len(json.loads(found.to_json())["rankings"]) == 3
    direct = hw.rank(models((0.0, 0.3)), metric="dsc", **FEW)[0]
    assert found["T1"]["B"].rank_set == direct["B"].rank_set


def test_the_table_of_a_challenge_needs_no_options() -> None:
    named = over(hw.rank, hw.CaseValues.from_table)(
        long_table(), "value", metric="dsc", model="algorithm", by="task", **FEW
    )
    found = over(hw.rank, hw.CaseValues.from_table)(long_table(), metric="dsc", **FEW)
    assert found.to_dict() == named.to_dict()
    assert found.notes[0].startswith(
        "models ('algorithm') are compared by 'value' within each 'task'"
    )
    assert named.notes == ()
    as_model = long_table().rename(columns={"algorithm": "model"}).assign(further=1.0)
    assert (
        over(hw.rank, hw.CaseValues.from_table)(as_model, metric="dsc", **FEW).to_dict()
        == named.to_dict()
    )
    columns = long_table().to_dict("list")
    assert (
        over(hw.rank, hw.CaseValues.from_table)(columns, metric="dsc", **FEW).to_dict()
        == named.to_dict()
    )
    by_task = over(hw.rank, hw.CaseValues.from_table)(
        long_table(), "value", metric="dsc", by="task", **FEW
    )
    assert by_task.to_dict() == named.to_dict()


def test_a_canonical_table_is_ranked_within_its_tasks_and_labels() -> None:
    table = long_table().rename(columns={"algorithm": "model"}).assign(metric="dsc", label="liver")
    found = over(hw.rank, hw.CaseValues.from_table)(table, **FEW)
    assert [one.label for one in found] == ["T1 / liver", "T2 / liver", "T3 / liver"]
    assert (
        found[0].to_dict()["models"]
        == over(hw.rank, hw.CaseValues.from_table)(long_table(), metric="dsc", **FEW)[0].to_dict()[
            "models"
        ]
    )


def test_a_missing_value_needs_a_policy_and_counts_as_it_says() -> None:
    given = models((0.0, 0.3))
    given["B"] = np.where(np.arange(40) < 30, np.nan, given["B"])
    with pytest.raises(hw.DataError, match="missing"):
        hw.rank(given, metric="dsc", **FEW)
    (omitted,) = over(hw.rank, hw.CaseValues.from_arrays)(
        given, metric="dsc", missing="omit", **FEW
    )
    assert omitted.models[0].name == "B"
    assert "HW806" in [caution.code for caution in omitted.cautions]
    (worst,) = over(hw.rank, hw.CaseValues.from_arrays)(given, metric="dsc", missing="worst", **FEW)
    assert worst.models[0].name == "A"


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: hw.rank(models(), **FEW), hw.OptionError, "higher or lower"),
        (
            lambda: hw.rank(models(), metric="dsc", statistic="sd", **FEW),
            hw.OptionError,
            "better by",
        ),
        (lambda: hw.rank(models(), metric="dsc", margin=-1), hw.OptionError, "below 0"),
        (lambda: hw.rank(models(), metric="dsc", top=0), hw.OptionError, "top=0"),
        (lambda: hw.rank(models(), **UNKNOWN), hw.OptionError, "scheme"),
        (lambda: hw.rank(models(), metric="dsc", scheme=()), hw.OptionError, "no scheme"),
        (lambda: in_scheme("aggregate_then_rank:ties=max"), hw.OptionError, "no parameters"),
        (lambda: in_scheme("rank_then_aggregate:ties=mean"), hw.OptionError, "min or average"),
        (
            lambda: in_scheme("test_then_rank", "test_then_rank:test=permutation"),
            hw.OptionError,
            "names test_then_rank twice",
        ),
        (lambda: hw.rank(models((0.0,)), metric="dsc"), hw.DataError, "one model"),
        (lambda: hw.rank({"A": [0.1], "B": [0.2]}, metric="dsc"), hw.DataError, "one case|1 case"),
        (lambda: hw.rank({}, metric="dsc"), hw.DataError, "no models"),
    ],
)
def test_bad_input_says_what_to_do(
    call: Callable[[], Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        call()


def test_a_model_or_a_ranking_that_is_not_there() -> None:
    found = hw.rank(models((0.0, 0.3)), metric="dsc", **FEW)
    with pytest.raises(hw.OptionError, match="'A'"):
        found[0]["Z"]
    with pytest.raises(hw.OptionError, match="no ranking matches 'liver'"):
        found["liver"]
    assert len(found[:1]) == 1
    assert "Mean DSC" in repr(found)
    assert "<table" in found._repr_html_()


@pytest.mark.slow
@pytest.mark.skipif(not TOUCHSTONE.exists(), reason="needs the Touchstone tables")
def test_nine_models_of_a_real_benchmark() -> None:
    tables = {
        path.name.removesuffix("_dsc.csv"): pd.read_csv(path)
        for path in sorted(TOUCHSTONE.glob("*_dsc.csv"))
    }
    found = hw.rank(
        hw.CaseValues.from_table(
            tables, ["liver", "aorta"], metric="dsc", case="name", missing="omit"
        ),
        rng=1,
    )
    assert [one.label for one in found] == ["liver", "aorta"]
    for ranking in found:
        assert len(ranking.models) == 9
        assert all(model.rank in model.rank_set for model in ranking.models)


def test_cases_are_carried_and_written_nowhere() -> None:
    given = models((0.0, 0.1), n=12)
    (kept,) = hw.rank(given, metric="dsc", scheme="rank_then_aggregate", **FEW)
    assert kept.cases is not None
    # The values as given, whatever the scheme makes of them.
    assert kept.cases.metric_spec.spec.name == "dsc"
    found = pd.DataFrame(kept.cases.values).sort_values("A").to_numpy()
    assert np.array_equal(found, pd.DataFrame(given).sort_values("A").to_numpy())
    assert "cases" not in kept.to_dict()


@pytest.mark.parametrize(
    "options",
    [
        {"value": "correct", "metric": "correct"},
        {"value": "dice", "metric": "dsc", "statistic": "trimmed_mean:0.1"},
        {"value": "dice", "metric": "dsc", "method": "bca", "groups": "patient"},
    ],
)
def test_a_model_among_others_has_the_interval_that_it_has_by_itself(
    options: dict[str, Any],
) -> None:
    table = pd.DataFrame(
        {
            "case": list(range(8)) * 2,
            "patient": [0, 0, 0, 1, 2, 3, 4, 5] * 2,
            "model": ["a"] * 8 + ["b"] * 8,
            "correct": [1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0],
            "dice": np.random.default_rng(1).beta(8, 2, 16),
        }
    )
    how = {**options, **FEW}
    (ranking,) = over(hw.rank, hw.CaseValues.from_table)(table, **how)
    goals = over(hw.compare, hw.CaseValues.from_table)(table, goal=0.5, **how).goals
    alone = over(hw.estimate, hw.CaseValues.from_table)(table, how.pop("value"), by="model", **how)
    for e, goal in zip(alone, goals, strict=True):
        ranked = ranking[e.label].estimate
        assert math.isfinite(e.low)
        assert (
            (ranked.low, ranked.high) == (goal.estimate.low, goal.estimate.high) == (e.low, e.high)
        )
