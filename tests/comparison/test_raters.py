"""A model against raters: plain averages, scikit-learn's kappa, and the bootstrap by gathering."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, cohen_kappa_score, f1_score, recall_score
from support import codes

import halfwidth as hw
from halfwidth.core.forms import PairAverages
from halfwidth.core.spec import Statistic
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import leave_one_out, replicates

N = 60
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 3, N)


def rater(guesses: float) -> np.ndarray[Any, Any]:
    return np.where(RNG.random(N) < guesses, RNG.integers(0, 3, N), TRUTH)


MODEL = rater(0.2)
RATERS = {"A": rater(0.2), "B": rater(0.3), "C": rater(0.25)}


def by_hand(score: Callable[[Any, Any], float]) -> tuple[float, float]:
    """Averages over raters, and over pairs of them in both orders."""
    model = [score(said, MODEL) for said in RATERS.values()]
    raters = [score(one, other) for one, other in itertools.permutations(RATERS.values(), 2)]
    return float(np.mean(model)), float(np.mean(raters))


@pytest.mark.parametrize(
    ("metric", "options", "score"),
    [
        ("cohen_kappa", {}, cohen_kappa_score),
        ("accuracy", {}, accuracy_score),
        ("f1", {"average": "macro"}, lambda y, p: f1_score(y, p, average="macro")),
        # Not symmetric: the rater is the reference.
        ("sensitivity", {"average": "macro"}, lambda y, p: recall_score(y, p, average="macro")),
        ("mae", {}, lambda y, p: float(np.abs(y - p).mean())),
    ],
)
def test_values_are_plain_averages(
    metric: str, options: dict[str, Any], score: Callable[[Any, Any], float]
) -> None:
    d = hw.compare_with_raters(MODEL, RATERS, metric=metric, rng=1, n_resamples=99, **options)[0]
    first, second = by_hand(score)
    assert (d.first_value, d.second_value) == pytest.approx((first, second))
    assert d.value == pytest.approx(first - second)
    assert d.low < d.value < d.high
    assert d.estimate.subject.startswith("difference in ")


def test_the_interval_of_an_accuracy_is_that_of_a_mean_of_differences() -> None:
    each = np.mean([said == MODEL for said in RATERS.values()], axis=0)
    among = np.mean([a == b for a, b in itertools.combinations(RATERS.values(), 2)], axis=0)
    for method in ("t", "dirichlet"):
        d = hw.compare_with_raters(MODEL, RATERS, metric="accuracy", method=method)[0]
        plain = hw.difference_ci(each, among, bounds=(0, 1), method=method)
        assert (d.value, d.low, d.high) == pytest.approx((plain.value, plain.low, plain.high))


def test_the_ratio_is_williams_index() -> None:
    d = hw.compare_with_raters(MODEL, RATERS, metric="accuracy", effect="ratio", rng=1)[0]
    first, second = by_hand(accuracy_score)
    assert d.value == pytest.approx(first / second)
    kappa = hw.compare_with_raters(
        MODEL, RATERS, metric="cohen_kappa", effect="ratio", n_resamples=99
    )[0]
    first, second = by_hand(cohen_kappa_score)
    assert kappa.value == pytest.approx(first / second)


def test_replicates_are_those_of_gathered_cases() -> None:
    """The engine of averages over pairs equals the statistic on every resample."""
    from halfwidth.comparison.raters import Ratings, _Sides, pair_name
    from halfwidth.data.families import Family, ModelCases
    from halfwidth.data.measured_test_sets import measure_test_sets
    from halfwidth.data.measuring import measuring_each_metric
    from halfwidth.estimation.test_sets.options import TestSetOptions

    ratings, said = Ratings("model", tuple(RATERS)), {"model": MODEL, **RATERS}
    (measuring,) = measuring_each_metric(["cohen_kappa"], None, TestSetOptions(), None)
    pairs = [*ratings.with_model, *ratings.among_raters]
    models = tuple(ModelCases(pair_name(p, r), said[p], target=said[r]) for p, r in pairs)
    family = Family(models, measuring.metric)
    assert measuring.requested is not None
    (measured,) = measure_test_sets(family, measuring.requested, "raise", paired=True)
    sides = _Sides.from_family(measured, ratings)
    settings: Any = type("Settings", (), {"effect": "difference"})
    job = sides.job(settings)
    statistic, values = job.functional.statistic, job.records.arranged[None]
    assert isinstance(statistic.spec.form, PairAverages)
    plan = Plan(3, 200, kept={})
    design = job.records.design
    fast = replicates(values, design, statistic, plan)
    draws = plan.indices(design, 0, 200)
    slow = [float(statistic(values[..., chosen])[0]) for chosen in draws]
    np.testing.assert_allclose(fast[0], slow, atol=1e-12)
    kept = [float(statistic(np.delete(values, k, axis=-1))[0]) for k in range(N)]
    np.testing.assert_allclose(leave_one_out(values, design, statistic)[0], kept, atol=1e-12)
    assert isinstance(design, Design)
    assert isinstance(statistic, Statistic)


def test_cases_are_matched_and_clusters_widen_the_interval() -> None:
    index = [f"c{k}" for k in range(N)]
    model = pd.Series(MODEL, index)
    raters = pd.DataFrame(RATERS, index).sample(frac=1, random_state=1)
    options: dict[str, Any] = {"metric": "cohen_kappa", "rng": 1, "n_resamples": 199}
    plain = hw.compare_with_raters(MODEL, RATERS, **options)[0]
    shuffled = hw.compare_with_raters(model, raters, **options)[0]
    assert shuffled.value == pytest.approx(plain.value)
    doubled = {name: np.tile(said, 4) for name, said in RATERS.items()}
    groups = np.tile(np.arange(N), 4)
    clustered = hw.compare_with_raters(np.tile(MODEL, 4), doubled, groups=groups, **options)[0]
    alone = hw.compare_with_raters(np.tile(MODEL, 4), doubled, **options)[0]
    assert clustered.high - clustered.low > 1.6 * (alone.high - alone.low)
    with pytest.raises(hw.DataError, match="not there for all"):
        hw.compare_with_raters(model[:50], raters, metric="accuracy")
    part = hw.compare_with_raters(model[:50], raters, metric="accuracy", unmatched="omit")[0]
    assert (part.estimate.n, part.n_unmatched) == (50, 10)


def pair_table(score: Callable[[Any, Any], Any], **both: Any) -> pd.DataFrame:
    """Values of each case of the model on each rater, and of raters on each other."""
    said = {"model": MODEL, **RATERS}
    pairs = [("model", name) for name in RATERS] + list(itertools.combinations(RATERS, 2))
    frames = [
        pd.DataFrame(
            {"case": range(N), "prediction": a, "reference": b, "v": score(said[a], said[b])}
        )
        for a, b in pairs
    ]
    return pd.concat(frames, ignore_index=True).assign(**both)


def closeness(one: Any, other: Any) -> Any:
    return 1 - np.abs(one - other) / 2


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_a_table_of_pairs(statistic: str) -> None:
    table = pair_table(closeness)
    options: dict[str, Any] = {"model": "model", "metric": "dsc", "rng": 1}
    d = hw.compare_with_raters_table(table, "v", statistic=statistic, **options)[0]
    reduce: Callable[[Any], Any] = np.mean if statistic == "mean" else np.median
    first, second = by_hand(lambda y, p: float(reduce(closeness(y, p))))
    assert (d.first_value, d.second_value) == pytest.approx((first, second))
    assert d.value == pytest.approx(first - second)
    # Either order, or both, of each pair of raters.
    swapped = table.rename(columns={"prediction": "reference", "reference": "prediction"})
    again = pd.concat([table, swapped[swapped["prediction"].isin(list(RATERS))]])
    both = hw.compare_with_raters_table(again, "v", statistic=statistic, **options)[0]
    assert both.value == pytest.approx(d.value)
    assert (both.low, both.high) == pytest.approx((d.low, d.high), abs=0.02)


def test_each_organ_is_a_family() -> None:
    table = pd.concat([pair_table(closeness, organ=organ) for organ in ("liver", "spleen")])
    found = hw.compare_with_raters_table(
        table, "v", model="model", within="organ", metric="dsc", margin=0.1
    )
    assert [d.by["organ"] for d in found] == ["liver", "spleen"]
    assert found[0].low == pytest.approx(found[1].low)
    assert found[0].verdict is not None
    assert found[0].verdict.margin == 0.1


def test_cautions() -> None:
    two = {name: RATERS[name] for name in ("A", "B")}
    d = hw.compare_with_raters(MODEL, two, metric="accuracy")[0]
    assert "HW841" in {caution.code for caution in d.cautions}
    # One rater guesses: without that one the others agree more than the model does.
    odd = {"A": TRUTH, "B": TRUTH, "C": np.random.default_rng(1).integers(0, 3, N)}
    found = hw.compare_with_raters(rater(0.1), odd, metric="accuracy")[0]
    assert any(c.code == "HW842" and "Without C" in c.message for c in found.cautions)


@pytest.mark.parametrize("metric", ["sensitivity", "specificity"])
def test_raters_differ_in_how_often_they_give_the_positive_class(metric: str) -> None:
    model, raters = MODEL == 2, {name: said == 2 for name, said in RATERS.items()}
    d = hw.compare_with_raters(model, raters, metric=metric, rng=1, n_resamples=99)[0]
    positive = metric == "sensitivity"
    model_pairs = [recall_score(one, model, pos_label=positive) for one in raters.values()]
    pairs = itertools.permutations(raters.values(), 2)
    rater_pairs = [recall_score(*pair, pos_label=positive) for pair in pairs]
    assert d.first_value == pytest.approx(np.mean(model_pairs))
    assert d.second_value == pytest.approx(np.mean(rater_pairs))
    assert d.low < d.value < d.high


def test_a_rater_who_never_gives_the_positive_class() -> None:
    model, raters = MODEL == 2, {"A": TRUTH == 2, "B": RATERS["B"] == 2, "C": np.full(N, False)}
    d = hw.compare_with_raters(model, raters, metric="sensitivity", rng=1)[0]
    assert np.isnan([d.value, d.low, d.high]).all()
    (told,) = [one.message for one in d.cautions if one.code == "HW843"]
    assert "3 of 9 pairs have no value (model on C, A on C, B on C)" in told
    zero = hw.compare_with_raters(model, raters, metric="sensitivity", undefined="zero", rng=1)[0]
    assert zero.low < zero.value < zero.high
    # All that C never gives is the negative class, which others do give.
    assert hw.compare_with_raters(model, raters, metric="specificity", rng=1)[0].value > 0


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="1 rater"):
        hw.compare_with_raters(MODEL, {"A": RATERS["A"]}, metric="accuracy")
    with pytest.raises(hw.OptionError, match="names of their own"):
        hw.compare_with_raters(MODEL, RATERS, metric="accuracy", name="A")
    with pytest.raises(hw.UnknownNameError, match="model"):
        hw.compare_with_raters_table(pair_table(closeness), "v", model="modle", metric="dsc")
    table = pair_table(closeness)
    lacking = table[(table["prediction"] != "A") | (table["reference"] != "B")]
    with pytest.raises(hw.DataError, match="no rows of 'A' with 'B'"):
        hw.compare_with_raters_table(lacking, "v", model="model", metric="dsc")
    with pytest.raises(hw.UnknownNameError, match="column"):
        hw.compare_with_raters_table(table, "v", model="model", prediction="pred", metric="dsc")
    with pytest.raises(hw.UnknownNameError, match="rater"):
        hw.compare_with_raters_table(table, "v", model="model", raters=["Z", "A"], metric="dsc")


def test_no_difference_has_no_sign_whatever_the_order_of_the_raters() -> None:
    said = {
        "p": [1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0],
        "q": [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1],
        "s": [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0],
    }
    model = [1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1]
    for order in itertools.permutations(said):
        raters = {name: said[name] for name in order}
        (one,) = hw.compare_with_raters(model, raters, metric="accuracy", rng=1)
        assert abs(one.value) < 1e-15
        assert "HW842" not in codes(one)
