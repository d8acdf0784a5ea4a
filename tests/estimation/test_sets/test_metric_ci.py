"""Metrics of a whole test set: what may go in, what comes out, and what does not matter."""

from __future__ import annotations

import functools
import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics as sk
from numpy.typing import NDArray
from over_data import metric_ci
from scipy.special import expit, softmax
from support import codes, message, quickly

import halfwidth as hw

RNG = np.random.default_rng(20)
N = 90
TRUTH = np.arange(N) % 2
SCORE = np.clip(0.5 + 0.2 * (TRUTH - 0.5) + RNG.normal(0, 0.15, N), 0.01, 0.99).round(3)
DECIDED = (SCORE >= 0.5).astype(int)
TRUTH3 = np.arange(N) % 3
LOGITS3 = (RNG.normal(0, 1, (N, 3)) + np.eye(3)[TRUTH3]).round(3)
PROBABILITIES3 = softmax(LOGITS3, axis=1)
DECIDED3 = LOGITS3.argmax(axis=1)
TARGET = RNG.gamma(4, 2, N)
PREDICTED = TARGET + RNG.normal(0, 1, N)
PATIENTS = np.arange(N) // 2
NAMES = np.array(["cat", "dog", "emu"])
OF_CLASSES = [name for name in hw.SAMPLE_METRICS.names if name not in ("mae", "mse", "rmse", "r2")]


def with_parameters(name: str) -> str:
    return f"{name}:exchange_rate=0.25" if name == "net_benefit" else name


def table(y_true: Any = TRUTH, y_score: Any = SCORE, **options: Any) -> hw.Estimates:
    settings: dict[str, Any] = {"metric": ["auroc", "f1"], "rng": 1}
    made: hw.Estimates = quickly(metric_ci, y_true, y_score, **(settings | options))
    assert isinstance(made, hw.Estimates)
    return made


def ask(y_true: Any = TRUTH, y_score: Any = SCORE, **options: Any) -> hw.Estimate:
    settings: dict[str, Any] = {"metric": "auroc", "rng": 1}
    made: hw.Estimate = quickly(metric_ci, y_true, y_score, **(settings | options))
    assert isinstance(made, hw.Estimate)
    return made


def numbers(e: hw.Estimate) -> tuple[float, float, float, int]:
    return e.value, e.low, e.high, e.n


def all_numbers(*given: Any, **options: Any) -> NDArray[np.float64]:
    return np.array([numbers(e) for e in table(*given, **options)])


# --------------------------------------------------------------------------- what comes out


def test_one_metric_with_one_average_is_one_estimate() -> None:
    assert ask().metric == "auroc"
    assert ask(TRUTH3, LOGITS3, scores="logits", average="macro").average == "macro"


@pytest.mark.parametrize(
    "options",
    [{"metric": ["auroc"]}, {"metric": "f1", "average": ["macro"]}, {"metric": ("mcc",)}],
)
def test_a_list_of_one_makes_a_table_of_one(options: dict[str, Any]) -> None:
    assert len(table(**options)) == 1


def test_no_average_makes_a_table_with_a_row_per_class() -> None:
    assert len(table(metric="auroc", average="none")) == 2
    assert len(table(TRUTH3, DECIDED3, metric="f1", average=["none", "macro"])) == 4


def test_rows_come_by_metric_then_average_then_class() -> None:
    made = table(
        NAMES[TRUTH3], LOGITS3, scores="logits", metric=["f1", "mcc", "auroc"],
        average=["macro", "none"],
    )  # fmt: skip
    assert [(e.metric, e.average, e.label) for e in made] == [
        ("f1", "macro", ""),
        *(("f1", "none", name) for name in NAMES),
        ("mcc", None, ""),
        ("auroc", "macro", ""),
        *(("auroc", "none", name) for name in NAMES),
    ]


def test_the_default_average_is_that_of_the_positive_class_or_macro() -> None:
    assert ask(metric="f1").average == "binary"
    assert ask(TRUTH3, DECIDED3, metric="f1").average == "macro"
    assert ask(TRUTH3, DECIDED3, metric="f1", pos_label=2).average == "binary"
    rows = table(TRUTH3, DECIDED3, metric="lr_plus")
    assert [e.average for e in rows] == ["none"] * 3, "there is no macro-averaged LR+"


def test_one_positive_class_of_three_is_that_class_against_the_rest() -> None:
    one = ask(TRUTH3, DECIDED3, metric="f1", pos_label=2)
    rows = table(TRUTH3, DECIDED3, metric="f1", average="none")
    assert numbers(one) == pytest.approx(numbers(rows[2]))


def test_the_fields_of_the_contract() -> None:
    e = ask(metric="sensitivity", threshold=0.4)
    (row,) = json.loads(e.to_json())["estimates"]
    assert row["statistic"] is None
    assert row["average"] == "binary"
    assert row["parameters"] == {"threshold": 0.4}
    assert (row["metric"], row["method"], row["n"]) == ("sensitivity", "wilson", 45)
    assert row["value"] == pytest.approx(float((SCORE >= 0.4)[TRUTH == 1].mean()))
    assert row["standard_error"] > 0
    assert (row["design"], row["n_groups"], row["missing"]) == ("iid", None, "raise")


def test_parameters_of_a_metric_and_the_threshold_are_stated_together() -> None:
    e = ask(metric="f_beta:beta=2")
    assert e.parameters == {"beta": 2.0, "threshold": 0.5}
    assert e.sentence().startswith("Fβ (beta 2) 0.")
    assert ask().parameters == {}, "an AUROC has no threshold"
    assert ask(TRUTH, DECIDED, metric="f1").parameters == {}, "labels have none either"


def test_n_is_that_of_the_denominator() -> None:
    made = table(metric=["sensitivity", "specificity", "ppv", "npv", "accuracy", "f1", "auroc"])
    said = int(DECIDED.sum())
    assert [e.n for e in made] == [45, 45, said, N - said, N, N, N]


def test_a_sentence_names_average_and_class() -> None:
    macro = ask(TRUTH3, DECIDED3, metric="f1")
    assert macro.sentence().startswith("Macro F1 0.")
    assert macro.sentence().endswith("; n = 90; Dirichlet).")
    row = table(NAMES[TRUTH3], LOGITS3, scores="logits", metric="auroc", average="none")[1]
    assert row.sentence().startswith("dog: AUROC 0.")
    assert ask(metric="sensitivity").sentence().endswith("; n = 45; Wilson).")


def test_a_table_tells_which_classes_it_found_and_which_is_positive() -> None:
    text = repr(table())
    assert text.startswith("Estimates (2):\n  AUROC 0.")
    assert "classes: 0, 1; positive class: 1" in text
    assert table(labels=[0, 1]).notes == ("positive class: 1",)
    assert table(TRUTH3, DECIDED3, metric=["f1"]).notes == ("classes: 0, 1, 2",)


def test_a_table_becomes_a_data_frame() -> None:
    frame = table(metric=["f1", "accuracy"]).to_frame()
    assert frame["metric"].tolist() == ["f1", "accuracy"]
    assert frame["statistic"].isna().all()
    assert frame["parameters"].tolist() == ["threshold=0.5"] * 2


# --------------------------------------------------------------------------- what goes in


@pytest.mark.parametrize(
    "make",
    [
        lambda: (TRUTH.tolist(), SCORE.tolist()),
        lambda: (tuple(TRUTH), tuple(SCORE)),
        lambda: (TRUTH.astype(bool), SCORE),
        lambda: (TRUTH.astype(np.uint8), SCORE[:, None]),
        lambda: (TRUTH.astype(float), SCORE.astype(object)),
        lambda: (TRUTH.astype(object), SCORE),
        lambda: (TRUTH[:, None], SCORE),
        lambda: (2 * TRUTH - 1, SCORE),
        lambda: (TRUTH, np.stack([1 - SCORE, SCORE], axis=1)),
        lambda: (pd.Series(TRUTH), pd.Series(SCORE)),
        lambda: (pd.Series(TRUTH, index=range(N, 0, -1)), pd.Series(SCORE)),
        lambda: (pd.Series(TRUTH, dtype="Int64"), pd.Series(SCORE, dtype="Float64")),
        lambda: (pd.DataFrame({"y": TRUTH}), pd.DataFrame({"a": 1 - SCORE, "b": SCORE})),
        lambda: (pl.Series(TRUTH), pl.Series(SCORE)),
        lambda: (pl.Series(TRUTH), pl.DataFrame({"a": 1 - SCORE, "b": SCORE})),
        lambda: (np.ma.array(TRUTH), np.ma.array(SCORE)),
        lambda: (TRUTH[::-1][::-1], SCORE[::-1][::-1]),
    ],
)
def test_every_container_gives_the_same_answer(make: Callable[[], tuple[Any, Any]]) -> None:
    truth, score = make()
    np.testing.assert_allclose(all_numbers(truth, score), all_numbers(), rtol=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda y: NAMES[y],
        lambda y: NAMES[y].tolist(),
        lambda y: NAMES[y].astype(object),
        lambda y: NAMES[y].astype("S"),
        lambda y: pd.Series(NAMES[y]),
        lambda y: pd.Series(NAMES[y], dtype="category"),
        lambda y: pd.Series(NAMES[y], dtype="string"),
        lambda y: pl.Series(NAMES[y]),
        lambda y: y.astype(float),
        lambda y: y + 0.5,
        lambda y: 10 ** (9 * y),
    ],
)
def test_labels_of_every_kind_give_the_same_answer(make: Callable[[Any], Any]) -> None:
    asked = {"metric": ["f1", "mcc", "accuracy"]}
    np.testing.assert_allclose(
        all_numbers(make(TRUTH3), make(DECIDED3), **asked),
        all_numbers(TRUTH3, DECIDED3, **asked),
        rtol=1e-12,
    )


@pytest.mark.parametrize("positive", ["cat", "dog"])
def test_the_positive_class_may_be_any_text(positive: str) -> None:
    e = ask(NAMES[TRUTH], NAMES[DECIDED], metric="sensitivity", pos_label=positive)
    code = NAMES.tolist().index(positive)
    assert e.value == pytest.approx(sk.recall_score(TRUTH, DECIDED, pos_label=code))


def test_turning_the_positive_class_round_turns_single_scores_round() -> None:
    e = ask(TRUTH, 1 - SCORE, pos_label=0)
    assert numbers(e) == pytest.approx(numbers(ask()))


@pytest.mark.parametrize("positive", [1, 1.0, True, np.int64(1), np.float32(1)])
def test_the_positive_class_may_be_any_number_that_is_equal(positive: Any) -> None:
    assert numbers(ask(pos_label=positive)) == numbers(ask())


@pytest.mark.parametrize("hole", [None, math.nan, pd.NA, pd.NaT, np.float64("nan")], ids=str)
def test_every_kind_of_missing_label_may_be_left_out(hole: Any) -> None:
    e = ask([hole, *TRUTH[1:]], SCORE, missing="omit")
    assert (e.n, e.n_missing, e.missing) == (N - 1, 1, "omit")
    assert numbers(e) == pytest.approx(numbers(ask(TRUTH[1:], SCORE[1:])))
    assert message(e, "HW101") == "1 of 90 values missing: left out."


@pytest.mark.parametrize("hole", [None, math.nan, math.inf])
def test_missing_scores_may_be_left_out_with_their_group_and_weight(hole: Any) -> None:
    weights = np.arange(1, N + 1)
    scores = [*SCORE[:-1], hole]
    e = ask(TRUTH, scores, missing="omit", groups=PATIENTS, sample_weight=weights)
    rest = ask(TRUTH[:-1], SCORE[:-1], groups=PATIENTS[:-1], sample_weight=weights[:-1])
    assert numbers(e) == pytest.approx(numbers(rest))
    assert e.n_groups == rest.n_groups


def test_what_is_masked_is_missing() -> None:
    mask = np.arange(N) == 3
    rest = numbers(ask(TRUTH[~mask], SCORE[~mask]))
    assert numbers(ask(np.ma.array(TRUTH, mask=mask), SCORE, missing="omit")) == rest
    assert numbers(ask(TRUTH, np.ma.array(SCORE, mask=mask), missing="omit")) == rest


# --------------------------------------------------------------------------- scales of scores


@pytest.mark.parametrize("asked", ["auroc", "average_precision", "accuracy", "f1", "mcc"])
def test_logits_and_their_softmax_agree(asked: str) -> None:
    from_logits = ask(TRUTH3, LOGITS3, metric=asked, scores="logits")
    assert numbers(from_logits) == pytest.approx(numbers(ask(TRUTH3, PROBABILITIES3, metric=asked)))


@pytest.mark.parametrize("asked", ["auroc", "f1", "sensitivity"])
def test_a_single_logit_and_its_probability_agree(asked: str) -> None:
    logit = np.log(SCORE / (1 - SCORE))
    e = ask(TRUTH, logit, metric=asked, scores="logits")
    assert numbers(e) == pytest.approx(numbers(ask(metric=asked)))


def test_a_threshold_of_logits_is_a_probability() -> None:
    logit = np.log(SCORE / (1 - SCORE))
    e = ask(TRUTH, logit, metric="f1", scores="logits", threshold=0.4)
    assert numbers(e) == pytest.approx(numbers(ask(metric="f1", threshold=0.4)))
    assert e.parameters["threshold"] == 0.4


def test_logits_that_round_to_probability_one_keep_their_order() -> None:
    margin = np.array([40.0, 800.0] * 5 + [300.0, 39.0] * 5)
    truth = np.array([0, 1] * 10)
    two = np.stack([np.zeros(20), margin], axis=1)
    assert len(np.unique(expit(margin))) == 1
    expected = float((margin[truth == 1][:, None] > margin[truth == 0]).mean())
    expected += float((margin[truth == 1][:, None] == margin[truth == 0]).mean()) / 2
    assert ask(truth, two, scores="logits").value == pytest.approx(expected)
    assert ask(truth, softmax(two, axis=1)).value == 0.5


def test_saturated_logits_of_three_classes_keep_their_order_too() -> None:
    truth = np.array([0, 0, 1, 1, 2, 2])
    logits = np.array(
        [[800, 0, 0], [700, 0, 0], [600, 0, 0], [0, 500, 0], [90, 0, 400], [40, 0, 800]]
    )
    assert len(np.unique(softmax(logits.astype(float), axis=1)[:3, 0])) == 1
    options: dict[str, Any] = {"metric": "auroc", "pos_label": 0}
    assert ask(truth, logits, scores="logits", **options).value == 1.0
    assert ask(truth, softmax(logits.astype(float), axis=1), **options).value == 0.875


def test_columns_of_any_scale_decide_by_the_largest() -> None:
    e = ask(TRUTH3, 7 * LOGITS3 - 3, scores="any", metric="accuracy")
    assert e.value == pytest.approx(sk.accuracy_score(TRUTH3, DECIDED3))


def test_a_single_column_of_any_scale_ranks_but_decides_only_by_a_threshold() -> None:
    assert numbers(ask(TRUTH, 100 * SCORE)) == pytest.approx(numbers(ask()))
    e = ask(TRUTH, 100 * SCORE, metric="f1", threshold=50)
    assert e.value == pytest.approx(sk.f1_score(TRUTH, DECIDED))


@pytest.mark.parametrize("order", [[2, 0, 1], [1, 0, 2]])
def test_classes_and_columns_may_come_in_any_order(order: list[int]) -> None:
    for name, method in [("auroc", "percentile"), ("f1", "delta"), ("mcc", "delta")]:
        asked: dict[str, Any] = {"metric": name, "method": method, "n_resamples": 1999}
        one = ask(TRUTH3, PROBABILITIES3[:, order], labels=order, **asked)
        other = ask(TRUTH3, PROBABILITIES3, **asked)
        assert one.value == pytest.approx(other.value)
        assert one.width == pytest.approx(other.width, rel=1e-9 if method == "delta" else 0.1)


def test_the_same_class_is_the_same_in_any_order() -> None:
    asked: dict[str, Any] = {"metric": ["auroc", "sensitivity"], "average": "none"}
    one = table(TRUTH3, PROBABILITIES3[:, [2, 0, 1]], labels=[2, 0, 1], **asked)
    other = table(TRUTH3, PROBABILITIES3, **asked)
    of = {(e.metric, e.label): numbers(e) for e in other}
    for e in one:
        assert numbers(e) == pytest.approx(of[e.metric, e.label])


def test_rows_per_class_follow_the_order_of_labels() -> None:
    made = table(TRUTH3, PROBABILITIES3[:, [2, 0, 1]], labels=[2, 0, 1], average="none")
    assert [e.label for e in made] == ["2", "0", "1"] * 2


# --------------------------------------------------------------------------- what does not matter


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", OF_CLASSES)
def test_the_order_of_cases_does_not_matter(name: str) -> None:
    shuffled = np.random.default_rng(1).permutation(N)
    asked = {"metric": [with_parameters(name)]}
    np.testing.assert_allclose(
        all_numbers(TRUTH[shuffled], SCORE[shuffled], **asked), all_numbers(**asked), rtol=1e-9
    )


@pytest.mark.parametrize("asked", ["auroc", "f1", "accuracy", "average_precision"])
def test_names_of_clusters_and_strata_do_not_matter(asked: str) -> None:
    site = np.where(np.arange(N) < 40, 1, 2)
    one = ask(metric=asked, groups=PATIENTS, strata=site)
    other = ask(
        metric=asked,
        groups=[f"p{999 - k}" for k in PATIENTS],
        strata=np.array(["", "y", "x"])[site],
    )
    assert numbers(one) == pytest.approx(numbers(other))
    assert one.design == "clustered within strata"


def test_a_metric_gives_the_same_in_company_as_alone() -> None:
    names = [with_parameters(name) for name in OF_CLASSES]
    for e, name in zip(table(metric=names), names, strict=True):
        assert numbers(e) == numbers(ask(metric=name)), name


def test_the_same_seed_gives_the_same_answer_and_another_one_another() -> None:
    first = ask(metric="f1", rng=5)
    assert numbers(first) == numbers(ask(metric="f1", rng=5))
    assert first.seed == 5
    others = {ask(metric="f1", rng=seed).low for seed in (6, 7, 8, 9)}
    assert others != {first.low}


def test_a_generator_advances_and_the_reported_seed_reproduces() -> None:
    rng = np.random.default_rng(3)
    first, second = ask(metric="f1", rng=rng), ask(metric="f1", rng=rng)
    assert first.seed != second.seed
    assert numbers(ask(metric="f1", rng=first.seed)) == numbers(first)


def test_all_rows_of_a_table_share_the_seed() -> None:
    assert {e.seed for e in table(metric=["f1", "mcc", "auroc"], rng=None)} - {None} != set()
    made = table(metric=["f1", "mcc"], rng=None)
    assert made[0].seed == made[1].seed


# --------------------------------------------------------------------------- level and side


def test_few_resamples_are_cautioned_where_there_are_any() -> None:
    made = table(metric=["f1", "auroc"], n_resamples=99)
    assert message(made[0], "HW311").startswith("99 resamples leave 2.5 beyond each bound")
    assert "HW311" not in codes(made[1])
    assert made[1].n_resamples is None


@pytest.mark.parametrize("asked", ["auroc", "f1", "sensitivity", "average_precision"])
def test_a_one_sided_bound_is_an_end_of_the_interval_of_twice_the_error(asked: str) -> None:
    both = ask(metric=asked, confidence_level=0.9)
    lower = ask(metric=asked, confidence_level=0.95, alternative="lower")
    upper = ask(metric=asked, confidence_level=0.95, alternative="upper")
    assert (lower.low, upper.high) == pytest.approx((both.low, both.high))
    assert (lower.high, upper.low) == (1.0, 0.0)
    assert "lower 95 % confidence bound" in lower.sentence()


@pytest.mark.parametrize("asked", ["auroc", "f1", "sensitivity", "mcc"])
def test_a_higher_level_is_wider(asked: str) -> None:
    widths = [ask(metric=asked, confidence_level=level).width for level in (0.5, 0.8, 0.95)]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


@pytest.mark.parametrize("method", ["percentile", "bca", "basic", "delta"])
def test_methods_for_counting_metrics_agree_roughly(method: str) -> None:
    e, chosen = ask(metric="f1", method=method, n_resamples=1999), ask(metric="f1")
    assert e.method == method
    assert e.width == pytest.approx(chosen.width, rel=0.3)


@pytest.mark.parametrize("method", ["delong", "delong_logit", "newcombe", "hanley_mcneil", "bca"])
def test_methods_for_an_auroc_agree_roughly(method: str) -> None:
    e = ask(method=method)
    assert e.method == method
    assert e.width == pytest.approx(ask().width, rel=0.25)


# --------------------------------------------------------------------------- weights


@pytest.mark.parametrize("asked", ["auroc", "average_precision", "f1", "mcc", "accuracy"])
def test_weights_of_one_are_no_weights(asked: str) -> None:
    plain = ask(metric=asked)
    for weight in (1.0, 0.3):
        weighted = ask(metric=asked, sample_weight=np.full(N, weight))
        assert weighted.to_dict() == plain.to_dict()


@pytest.mark.parametrize("asked", ["f1", "mcc", "balanced_accuracy", "expected_cost"])
def test_weights_of_one_have_the_same_standard_error_by_the_delta_method(asked: str) -> None:
    one = ask(metric=asked, sample_weight=np.ones(N), method="delta")
    other = ask(metric=asked, method="delta")
    assert one.standard_error == pytest.approx(other.standard_error)


@pytest.mark.parametrize("method", ["delong", "delong_logit", "delong_logit_t"])
def test_weights_of_one_are_no_weights_to_delong(method: str) -> None:
    one = ask(sample_weight=np.ones(N), method=method)
    assert numbers(one) == pytest.approx(numbers(ask(method=method)))


# Of pairs of cases, of which copies are none.
OF_PAIRS = ("ece_l2", "ece_kde", "kce", "root_kce")


@pytest.mark.parametrize(
    "name", [n for n in OF_CLASSES if "interpolated" not in n and n not in OF_PAIRS]
)
def test_whole_weights_have_the_value_of_repeated_cases(name: str) -> None:
    weights = np.arange(N) % 3 + 1
    asked = with_parameters(name)
    weighted = ask(metric=asked, sample_weight=weights)
    repeated = ask(np.repeat(TRUTH, weights), np.repeat(SCORE, weights), metric=asked)
    assert weighted.value == pytest.approx(repeated.value)
    assert weighted.n in (N, 45), "cases count once, whatever they weigh"


@pytest.mark.parametrize("asked", ["f1", "auroc", "accuracy"])
def test_the_scale_of_weights_does_not_matter(asked: str) -> None:
    weights = RNG.random(N) + 0.1
    one, other = (ask(metric=asked, sample_weight=weights * by) for by in (1, 1024))
    assert numbers(one) == pytest.approx(numbers(other))


# --------------------------------------------------------------------------- functions of one's own


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("function", "given"),
    [
        (sk.roc_auc_score, (TRUTH, SCORE)),
        (sk.f1_score, (TRUTH, DECIDED)),
        (functools.partial(sk.f1_score, average="macro"), (TRUTH3, DECIDED3)),
        (sk.log_loss, (TRUTH3, PROBABILITIES3)),
        (functools.partial(sk.roc_auc_score, multi_class="ovr"), (TRUTH3, PROBABILITIES3)),
        (functools.partial(sk.f1_score, average="macro"), (NAMES[TRUTH3], NAMES[DECIDED3])),
        (functools.partial(sk.precision_score, pos_label="dog"), (NAMES[TRUTH], NAMES[DECIDED])),
        (sk.brier_score_loss, (TRUTH, SCORE)),
    ],
)
def test_functions_of_scikit_learn_are_metrics(function: Any, given: tuple[Any, Any]) -> None:
    e = ask(*given, metric=function, n_resamples=49)
    assert e.value == pytest.approx(float(function(*given)))
    assert e.low < e.value < e.high
    assert (e.method, e.n, e.average) == ("percentile", N, None)


def test_a_function_of_ones_own_gives_what_the_named_metric_gives() -> None:
    own = ask(metric=sk.average_precision_score, method="percentile")
    named = ask(metric="average_precision", method="percentile")
    assert own.value == pytest.approx(named.value)
    assert own.width == pytest.approx(named.width, rel=0.3)
    assert own.metric == "average_precision_score"


def test_a_function_of_ones_own_sees_clusters_whole() -> None:
    seen: list[NDArray[Any]] = []

    def first_of_pair(truth: NDArray[Any], _score: NDArray[Any]) -> float:
        seen.append(truth)
        return float(truth.mean())

    ask(metric=first_of_pair, groups=PATIENTS, n_resamples=9)
    assert all(truth.mean() == 0.5 for truth in seen), "each pair holds a case of either class"


def test_a_function_of_ones_own_stands_beside_named_metrics() -> None:
    made = table(metric=["auroc", sk.roc_auc_score])
    assert made[0].value == pytest.approx(made[1].value)


def test_a_declared_function_or_spec_is_the_named_metric() -> None:
    spec = hw.SAMPLE_METRICS["f1"]
    assert numbers(ask(metric=spec)) == numbers(ask(metric="f1"))


@pytest.mark.parametrize(
    ("synonym", "name"),
    [
        ("AUC", "auroc"),
        ("roc_auc_score", "auroc"),
        ("recall", "sensitivity"),
        ("precision", "ppv"),
        ("F1-Score", "f1"),
        ("matthews_corrcoef", "mcc"),
        ("balanced_accuracy_score", "balanced_accuracy"),
        ("average_precision_score", "average_precision"),
    ],
)
def test_names_have_synonyms_and_forgive_capitals(synonym: str, name: str) -> None:
    e = ask(metric=synonym)
    assert (e.metric, numbers(e)) == (name, numbers(ask(metric=name)))


# --------------------------------------------------------------------------- thresholds


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.61, np.float32(0.25)])
def test_a_threshold_decides_from_it_on(threshold: float) -> None:
    e = ask(metric="f1", threshold=threshold)
    assert e.value == pytest.approx(sk.f1_score(TRUTH, float(threshold) <= SCORE))
    assert e.parameters["threshold"] == float(threshold)


def test_a_score_at_the_threshold_is_positive() -> None:
    assert ask([0, 1], [0.4, 0.5], metric="sensitivity").value == 1.0
    assert ask([0, 1], [0.5, 0.4], metric="specificity").value == 0.0


def test_a_threshold_chosen_by_a_metric_is_the_best_one_and_stated() -> None:
    e = ask(metric="youden_j", threshold="youden_j")
    values = {cut: ask(metric="youden_j", threshold=cut).value for cut in np.unique(SCORE).tolist()}
    assert e.value == pytest.approx(max(values.values()))
    assert values[e.parameters["threshold"]] == pytest.approx(e.value)
    assert "HW407" in codes(e)


def test_a_threshold_of_logits_is_stated_as_a_probability() -> None:
    logit = np.log(SCORE / (1 - SCORE))
    one = ask(TRUTH, logit, scores="logits", metric="f1", threshold="youden_j")
    other = ask(metric="f1", threshold="youden_j")
    assert numbers(one) == pytest.approx(numbers(other))
    assert one.parameters["threshold"] == pytest.approx(other.parameters["threshold"])


def test_choosing_the_threshold_anew_in_each_resample_differs_from_one_that_is_given() -> None:
    tuned = ask(metric="sensitivity", threshold="youden_j", n_resamples=1999)
    given = ask(
        metric="sensitivity", threshold=tuned.parameters["threshold"], method="percentile",
        n_resamples=1999,
    )  # fmt: skip
    assert tuned.value == pytest.approx(given.value)
    assert tuned.width > 1.2 * given.width


def test_a_criterion_that_is_better_the_lower_is_made_small() -> None:
    e = ask(metric="expected_cost", threshold="expected_cost")
    others = [ask(metric="expected_cost", threshold=t).value for t in np.unique(SCORE).tolist()]
    assert e.value == pytest.approx(min(others))


def test_all_rows_are_at_the_one_threshold_chosen() -> None:
    made = table(metric=["sensitivity", "specificity", "youden_j"], threshold="youden_j")
    assert len({e.parameters["threshold"] for e in made}) == 1
    assert made[0].value + made[1].value - 1 == pytest.approx(made[2].value)


# --------------------------------------------------------------------------- 0/0


NEVER_SAID = [0, 1, 0, 1, 0, 1] * 5, [0] * 30
ABSENT = [0, 1] * 15, [1, 1, 0, 1, 1, 1] * 5


@pytest.mark.parametrize(("undefined", "value"), [("omit", None), ("zero", 0.0), ("worst", 0.0)])
def test_a_ppv_of_nothing_is_what_the_policy_says(undefined: str, value: float | None) -> None:
    e = ask(*NEVER_SAID, metric="ppv", undefined=undefined, labels=[0, 1])
    if value is None:
        assert math.isnan(e.value)
        assert e.to_dict()["value"] is None
    else:
        assert e.value == value


def test_worst_and_zero_differ_where_zero_is_not_the_worst() -> None:
    values = [ask(*NEVER_SAID, metric="mcc", undefined=u).value for u in ("zero", "worst")]
    assert values == [0.0, -1.0]


@pytest.mark.parametrize(
    ("absent", "zero_division"), [("omit", None), ("zero", 0.0), ("undefined", math.nan)]
)
def test_a_class_without_cases_is_what_the_policy_says(
    absent: str, zero_division: float | None
) -> None:
    e = ask(*ABSENT, metric="sensitivity", average="macro", labels=[0, 1, 2], absent_class=absent)
    expected = {
        None: sk.recall_score(*ABSENT, average="macro"),
        0.0: sk.recall_score(*ABSENT, labels=[0, 1, 2], average="macro", zero_division=0),
    }.get(zero_division, math.nan)
    assert e.value == pytest.approx(expected, nan_ok=True)


def test_undefined_resamples_are_counted() -> None:
    e = ask([1] * 3 + [0] * 40, RNG.random(43), metric="average_precision", method="percentile")
    assert e.n_undefined > 0
    assert f"was undefined on {e.n_undefined} of 199 resamples" in message(e, "HW310")


def test_parameters_of_a_metric_are_keywords_of_its_function() -> None:
    by_keyword = hw.metric_ci(TRUTH, SCORE, metric=functools.partial(hw.metrics.f_beta, beta=2))
    assert by_keyword.value == ask(metric="f_beta:beta=2").value
    paid = functools.partial(hw.metrics.expected_cost, costs=COSTS)
    chosen = hw.metric_ci(TRUTH, SCORE, metric="f1", threshold=paid, n_resamples=99, rng=1)
    assert "as the best by expected cost" in str(chosen.cautions)
    for told, words in (
        (functools.partial(hw.metrics.f_beta, 2), "by name, not by place"),
        (functools.partial(hw.metrics.f1, costs=COSTS), "f1 has no parameters, got 'costs'"),  # type: ignore[call-arg]
        (functools.partial(hw.metrics.f_beta, beta=-1), "beta=-1 is not above 0"),
    ):
        with pytest.raises(hw.OptionError, match=words):
            hw.metric_ci(TRUTH, SCORE, metric=told)
    assert ask(metric=functools.partial(lambda y, p, share: share, share=0.5)).value == 0.5


# --------------------------------------------------------------------------- costs and priors


COSTS = np.array([[0.0, 1.0], [5.0, 0.5]])


def test_expected_cost_is_the_mean_of_the_costs() -> None:
    e = ask(metric="expected_cost", costs=COSTS)
    assert e.value == pytest.approx(COSTS[TRUTH, DECIDED].mean())
    assert 0.0 <= e.low < e.value < e.high <= 5.0
    plain = ask(metric="expected_cost")
    assert plain.value == pytest.approx(1 - sk.accuracy_score(TRUTH, DECIDED))


def test_priors_weigh_the_costs_of_each_class() -> None:
    e = ask(metric="expected_cost", costs=COSTS.tolist(), priors=[0.9, 0.1])
    of_class = [COSTS[k, DECIDED[k == TRUTH]].mean() for k in (0, 1)]
    assert e.value == pytest.approx(0.9 * of_class[0] + 0.1 * of_class[1])


def test_priors_of_the_data_change_nothing_in_the_value() -> None:
    e = ask(metric="expected_cost", costs=COSTS, priors=[0.5, 0.5])
    assert e.value == pytest.approx(ask(metric="expected_cost", costs=COSTS).value)


def test_the_prevalence_of_a_ppv_is_put_in_by_bayes() -> None:
    se, sp = (ask(metric=m).value for m in ("sensitivity", "specificity"))
    e = ask(metric="ppv:prevalence=0.1")
    assert e.value == pytest.approx(se * 0.1 / (se * 0.1 + (1 - sp) * 0.9))
    assert e.parameters["prevalence"] == 0.1


# --------------------------------------------------------------------------- regression


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("mae", sk.mean_absolute_error),
        ("mse", sk.mean_squared_error),
        ("rmse", sk.root_mean_squared_error),
        ("r2", sk.r2_score),
    ],
)
@pytest.mark.parametrize("groups", [None, PATIENTS], ids=["cases", "clusters"])
def test_metrics_of_a_regression(name: str, function: Any, groups: Any) -> None:
    e = ask(TARGET, PREDICTED, metric=name, groups=groups)
    assert e.value == pytest.approx(function(TARGET, PREDICTED))
    assert e.low < e.value < e.high
    assert (e.statistic, e.average, e.parameters, e.n) == (None, None, {}, N)


def test_a_mean_error_is_the_mean_of_the_errors_of_cases() -> None:
    e = ask(TARGET, PREDICTED, metric="mae")
    other = hw.summary_ci(np.abs(TARGET - PREDICTED), metric="absolute_error")
    assert numbers(e) == pytest.approx(numbers(other))


def test_equal_targets_leave_nothing_to_explain() -> None:
    e = ask([2.0] * N, PREDICTED, metric="r2")
    assert math.isnan(e.value)
    assert math.isnan(e.low)


def test_missing_numbers_may_be_left_out() -> None:
    e = ask([math.nan, *TARGET[1:]], PREDICTED, metric="rmse", missing="omit")
    assert numbers(e) == pytest.approx(numbers(ask(TARGET[1:], PREDICTED[1:], metric="rmse")))
    assert e.n_missing == 1


# --------------------------------------------------------------------------- what auto chooses


def of_size(n: int, binary: bool) -> tuple[Any, Any]:
    return (TRUTH[:n], SCORE[:n]) if binary else (TRUTH3[:n], PROBABILITIES3[:n])


@pytest.mark.parametrize(
    ("name", "average", "enough", "small", "large", "clustered"),
    [
        ("auroc", "binary", 50, "delong_logit_t", "delong_logit_t", "delong_logit_t"),
        ("auroc", "macro", 25, "dirichlet", "dirichlet", "dirichlet"),
        ("auroc", "micro", 25, "dirichlet", "dirichlet", "dirichlet"),
        ("average_precision", "binary", 25, "dirichlet", "dirichlet", "dirichlet"),
        ("average_precision", "macro", 25, "dirichlet", "dirichlet", "dirichlet"),
        ("accuracy", None, 50, "wilson", "wilson", "wilson"),
        ("sensitivity", "binary", 50, "wilson", "wilson", "wilson"),
        ("ppv", "binary", 50, "wilson", "wilson", "wilson"),
        ("sensitivity", "macro", 50, "dirichlet", "dirichlet", "dirichlet"),
        ("sensitivity", "micro", 50, "wilson", "wilson", "wilson"),
        ("balanced_accuracy", None, 50, "dirichlet", "dirichlet", "dirichlet"),
        ("f1", "binary", 50, "dirichlet", "dirichlet", "dirichlet"),
        ("f1", "macro", 50, "dirichlet", "dirichlet", "dirichlet"),
        ("mcc", None, 50, "dirichlet", "dirichlet", "dirichlet"),
        ("expected_cost", None, 50, "dirichlet", "dirichlet", "dirichlet"),
        ("ppv:prevalence=0.1", "binary", 50, "dirichlet", "dirichlet", "dirichlet"),
    ],
)
def test_the_method_that_auto_chooses(
    name: str, average: str | None, enough: int, small: str, large: str, clustered: str
) -> None:
    binary = average in (None, "binary")
    few, many = of_size(enough - 1, binary), of_size(enough, binary)
    assert ask(*few, metric=name, average=average).method == small
    assert ask(*many, metric=name, average=average).method == large
    groups = np.arange(enough) // 2
    assert ask(*many, metric=name, average=average, groups=groups).method == clustered


@pytest.mark.parametrize("name", ["auroc", "average_precision", "f1", "mcc", "balanced_accuracy"])
def test_auto_has_an_interval_for_a_test_set_without_an_error(name: str) -> None:
    perfect = 0.9 * np.eye(3)[TRUTH3] + 0.1 / 3
    chosen, named = (ask(TRUTH3, perfect, metric=name, method=m) for m in ("auto", "bca"))
    assert math.isnan(named.low)
    assert chosen.method == "dirichlet"
    assert chosen.low < 0.99
    assert chosen.value == pytest.approx(1)
    assert chosen.high == pytest.approx(1)


@pytest.mark.parametrize(
    ("n", "groups", "method"),
    [(3, 1, "dirichlet_pareto"), (50, 1, "dirichlet_pareto"), (58, 2, "dirichlet_pareto")],
)
def test_the_method_that_auto_chooses_for_a_mean_error(n: int, groups: int, method: str) -> None:
    clusters = None if groups == 1 else np.arange(n) // groups
    assert ask(TARGET[:n], PREDICTED[:n], metric="mae", groups=clusters).method == method


def test_perfect_ranking_has_an_interval_by_dirichlet_weights() -> None:
    e = ask(TRUTH, TRUTH * 0.5 + SCORE / 4)
    assert (e.value, e.high, e.method) == (1.0, 1.0, "dirichlet")
    assert 0.9 < e.low < 1.0


# --------------------------------------------------------------------------- real data


SCIKIT: dict[str, Callable[[Any, Any, Any], float]] = {
    "auroc": lambda t, s, _p: sk.roc_auc_score(t, s),
    "average_precision": lambda t, s, _p: sk.average_precision_score(t, s),
    "accuracy": lambda t, _s, p: sk.accuracy_score(t, p),
    "balanced_accuracy": lambda t, _s, p: sk.balanced_accuracy_score(t, p),
    "sensitivity": lambda t, _s, p: sk.recall_score(t, p),
    "specificity": lambda t, _s, p: sk.recall_score(t, p, pos_label=0),
    "ppv": lambda t, _s, p: sk.precision_score(t, p),
    "npv": lambda t, _s, p: sk.precision_score(t, p, pos_label=0),
    "f1": lambda t, _s, p: sk.f1_score(t, p),
    "f_beta:beta=2": lambda t, _s, p: sk.fbeta_score(t, p, beta=2),
    "mcc": lambda t, _s, p: sk.matthews_corrcoef(t, p),
    "cohen_kappa": lambda t, _s, p: sk.cohen_kappa_score(t, p),
}


@pytest.mark.parametrize("data", ["adrenalmnist", "pneumoniamnist"])
def test_values_on_real_data_are_those_of_scikit_learn(data: str, shared: Path) -> None:
    folder = shared / "data/medmnist_scores"
    logits = np.load(folder / f"{data}_scores.npy")
    truth = np.load(folder / f"{data}_targets.npy")
    margin, decided = logits[:, 1] - logits[:, 0], logits.argmax(axis=1)
    made = table(truth, logits, scores="logits", metric=list(SCIKIT))
    for e, expected in zip(made, SCIKIT.values(), strict=True):
        assert e.value == pytest.approx(expected(truth.ravel(), margin, decided)), e.metric
        assert e.low < e.value < e.high
        assert "HW408" not in codes(e)


@pytest.mark.parametrize("data", ["adrenalmnist", "pneumoniamnist"])
def test_both_columns_or_the_positive_one_make_no_difference(data: str, shared: Path) -> None:
    folder = shared / "data/medmnist_scores"
    probability = np.exp(np.load(folder / f"{data}_scores.npy"))
    truth = np.load(folder / f"{data}_targets.npy")
    both = all_numbers(truth, probability, metric=["auroc", "mcc", "f1"])
    one = all_numbers(truth, probability[:, 1], metric=["auroc", "mcc", "f1"])
    np.testing.assert_allclose(both, one, rtol=1e-12)


@pytest.mark.parametrize("metric", ["sensitivity", "specificity", "ppv", "npv", "accuracy"])
def test_one_stratum_is_none(metric: str) -> None:
    plain, one = (
        metric_ci(TRUTH, DECIDED, metric=metric, strata=strata) for strata in (None, ["site"] * N)
    )
    assert one.to_dict() == plain.to_dict()


Array = NDArray[Any]


def first_positive(seed: int) -> tuple[Array, Array]:
    """Classes 0 and 1, and a score of class 0."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 2, 60)
    return truth, np.round(np.clip(generator.normal((1 - truth) * 0.3 + 0.4, 0.2), 0, 1), 2)


def value(truth: Any, score: Any, metric: str, **options: Any) -> float:
    made = metric_ci(truth, score, metric=metric, rng=1, n_resamples=9, **options)
    return float(made.value)


@pytest.mark.parametrize("seed", range(5))
def test_costs_of_a_chosen_threshold_are_by_label_where_the_first_is_positive(seed: int) -> None:
    truth, score = first_positive(seed)
    costs = np.array([[0.0, 5.0], [1.0, 0.0]])
    cuts = [np.inf, *np.unique(score)]
    best = min(costs[truth, np.where(score >= cut, 0, 1)].mean() for cut in cuts)
    options = {"costs": costs, "pos_label": 0, "scores": "probabilities"}
    got = value(truth, score, "expected_cost", threshold="expected_cost", **options)
    assert got == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
def test_priors_of_a_chosen_threshold_are_by_label_where_the_first_is_positive(seed: int) -> None:
    truth, score = first_positive(seed)
    cuts = np.array([np.inf, *np.unique(score)[::-1]])
    right = [((score >= cut) == (truth == 0)).sum() for cut in cuts]
    said = np.where(score >= cuts[int(np.argmax(right))], 0, 1)
    wanted = 0.9 * (said[truth == 0] != 0).mean() + 0.1 * (said[truth == 1] != 1).mean()
    options = {"priors": [0.9, 0.1], "pos_label": 0, "scores": "probabilities"}
    got = value(truth, score, "expected_cost", threshold="accuracy", **options)
    assert got == pytest.approx(wanted)


def test_highest_of_equally_good_thresholds_is_chosen_whatever_rounding_says() -> None:
    wrong = 0
    for seed in range(100):
        generator = np.random.default_rng(seed)
        n = generator.integers(5, 40)
        truth, score = generator.integers(0, 2, n), generator.integers(0, 6, n) / 10
        p, q = int(truth.sum()), int(n - truth.sum())
        if not p or not q:
            continue
        cuts = np.array([np.inf, *np.unique(score)[::-1]])
        j = [
            ((score >= c) & (truth == 1)).sum() * q - ((score >= c) & (truth == 0)).sum() * p
            for c in cuts
        ]
        wanted = ((score >= cuts[int(np.argmax(j))]) & (truth == 1)).sum() / p
        got = value(truth, score, "sensitivity", threshold="youden_j", scores="probabilities")
        wrong += abs(got - wanted) > 1e-9
    assert not wrong


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-100, 100] * 5, dtype=np.int8),
        np.array([-30000, 30000] * 5, dtype=np.int16),
        np.array([2**63 + 5, 2**63 + 1] * 5, dtype=np.uint64),
    ],
)
def test_labels_of_any_integer_type_are_labels(labels: Array) -> None:
    assert value(labels, labels, "accuracy") == 1


def test_missing_text_of_pandas_is_missing() -> None:
    pd = pytest.importorskip("pandas")
    truth = pd.Series(["a", "b", None, "a"], dtype="string")
    assert value(truth, ["a", "b", "a", "b"], "accuracy", missing="omit") == pytest.approx(2 / 3)


def test_r2_of_equal_targets_is_undefined_as_its_description_says() -> None:
    assert np.isnan(value([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], "r2"))


def test_infinite_values_make_no_warnings() -> None:
    truth, said = [0] * 11 + [1], [0] * 12
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hw.metric_ci([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1], metric="lr_plus", method="bca", rng=1)
        hw.metric_ci(truth, said, metric="normalized_expected_cost", method="bca", rng=1)


def test_case_that_weighs_nothing_changes_no_error() -> None:
    generator = np.random.default_rng(0)
    truth, score = np.array([0, 1] * 10), generator.uniform(size=20)
    more = np.r_[truth, 0, 1, 1], np.r_[score, 0.2, 0.3, 0.9]
    weights = np.r_[np.ones(20), np.zeros(3)]
    plain = hw.metric_ci(truth, score, metric="auroc", method="delong")
    wider = hw.metric_ci(more[0], more[1], metric="auroc", method="delong", sample_weight=weights)
    assert wider.standard_error == pytest.approx(plain.standard_error)


def test_own_function_may_be_of_a_regression() -> None:
    truth = np.random.default_rng(1).normal(size=30)
    made = metric_ci(
        truth, truth + 1, metric=lambda a, b: float(np.abs(a - b).max()), n_resamples=9, rng=1
    )
    assert made.value == pytest.approx(1)


def test_costs_and_priors_are_told_wherever_the_metric_is() -> None:
    truth = np.arange(40) % 2
    score = np.random.default_rng(0).random(40)
    costly = [
        functools.partial(hw.metrics.expected_cost, costs=[[0, 1], [cost, 0]]) for cost in (2, 5)
    ]
    two, five = hw.estimate(hw.Predictions.from_arrays(truth, score), metric=costly)
    assert two.to_dict()["parameters"] == {"threshold": 0.5, "costs": [[0.0, 1.0], [2.0, 0.0]]}
    assert five.to_row()["parameters"] == "threshold=0.5; costs=0,1;5,0"
    assert "Expected cost (costs 0,1;5,0)" in five.sentence()
    ranked = hw.rank(truth, {"A": score, "B": score[::-1]}, metric=costly)
    assert "(costs 0,1;2,0)" in str(ranked)
    difference = hw.compare(truth, {"A": score, "B": score[::-1]}, metric=costly[0])[0]
    assert "expected cost (costs 0,1;2,0)" in difference.sentence()


def test_with_priors_of_ones_own_the_cost_does_not_depend_on_the_prevalence() -> None:
    truth, score = np.arange(40) % 2, np.random.default_rng(0).random(40)

    def raised(**tables: Any) -> set[str]:
        metric = functools.partial(hw.metrics.expected_cost, **tables)
        return {one.code for one in metric_ci(truth, score, metric=metric).cautions}

    assert "HW502" in raised(costs=[[0, 1], [3, 0]])
    assert "HW502" not in raised(priors=[0.9, 0.1])
