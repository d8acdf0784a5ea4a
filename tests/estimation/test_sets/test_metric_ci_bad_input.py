"""Metrics of a test set on bad input: one line that says what is wrong, where and what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from over_data import metric_ci
from support import examples

import halfwidth as hw

NAN, INF = math.nan, math.inf
RNG = np.random.default_rng(11)
N = 40
TRUTH = [0, 1] * 20
SCORE = RNG.random(N).round(3).tolist()
TRUTH3 = [0, 1, 2] * 14
SCORE3 = RNG.dirichlet(np.ones(3), 42)
WORDS = ["well", "sick"] * 20
PAIRS = np.arange(N) // 2
LOGIT = [8 * score - 4 for score in SCORE]
REGRESSION = ("mae", "mse", "rmse", "r2")


def ask(y_true: Any = TRUTH, y_score: Any = SCORE, **options: Any) -> Any:
    settled: dict[str, Any] = {"metric": "auroc", "rng": 1, "n_resamples": 49}
    return metric_ci(y_true, y_score, **(settled | options))


def complaint(
    y_true: Any = TRUTH,
    y_score: Any = SCORE,
    *,
    kind: type[hw.HalfwidthError] = hw.HalfwidthError,
    **options: Any,
) -> str:
    with pytest.raises(kind) as caught:
        ask(y_true, y_score, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert "  " not in text, "a word is missing"
    assert "None of" not in text
    assert len(text) < 500
    return text


def data_complaint(*data: Any, **options: Any) -> str:
    return complaint(*data, kind=hw.DataError, **options)


def option_complaint(*data: Any, **options: Any) -> str:
    return complaint(*data, kind=hw.OptionError, **options)


# --------------------------------------------------------------------------- cases


def test_lengths_that_differ_name_both() -> None:
    assert data_complaint(TRUTH, SCORE[:-1]) == (
        "y_true has 40 cases and y_score 39; they must be the same cases in the same order"
    )
    assert "y_true has 40 cases and y_score 38" in complaint(TRUTH, TRUTH[2:], metric="f1")
    assert "y_true has 40 cases and y_score 1" in complaint(SCORE, SCORE[:1], metric="mae")


def test_scores_with_cases_as_columns_are_a_matter_of_length() -> None:
    assert "y_true has 42 cases and y_score 3" in complaint(TRUTH3, SCORE3.T)


@pytest.mark.parametrize("asked", ["auroc", "f1"])
@pytest.mark.parametrize("hole", [None, NAN, INF])
def test_missing_scores_are_counted_and_named(hole: Any, asked: str) -> None:
    scores = [*SCORE[:6], hole, *SCORE[7:-1], hole]
    text = data_complaint(TRUTH, scores, metric=asked)
    assert text == (
        "y_true, y_score: 2 of 40 cases lack a label or a finite score (cases #7, #40). "
        "missing='omit' leaves them out; missing='wrong' counts a prediction that lacks as wrong"
    )


@pytest.mark.parametrize("hole", [None, NAN, pd.NA, pd.NaT])
def test_missing_labels_are_counted_and_named(hole: Any) -> None:
    text = data_complaint([hole, *TRUTH[1:]], SCORE)
    assert "1 of 40 cases lack a label or a finite score (case #1)" in text
    assert "1 of 40 cases" in complaint(WORDS, [hole, *WORDS[1:]], metric="accuracy")


def test_many_missing_ones_are_named_by_the_first_three() -> None:
    assert "(cases #1, #2, #3, ...)" in complaint(TRUTH, [None] * 8 + SCORE[8:])


def test_a_missing_score_is_no_worst_class() -> None:
    text = option_complaint(TRUTH, [NAN, *SCORE[1:]], missing="worst")
    assert text.startswith("missing='worst' has no meaning for a metric of a whole test set")
    assert "Use missing='omit'" in text


@pytest.mark.parametrize("asked", ["auroc", "f1", "mae"])
def test_no_cases_are_said_to_be_none(asked: str) -> None:
    assert data_complaint([], [], metric=asked) == "y_true: no cases given"
    assert data_complaint(np.array([]), np.array([]), metric=asked) == "y_true: no cases given"


def test_no_cases_left_is_told_apart_from_none_given() -> None:
    text = complaint([None] * 3, SCORE[:3], labels=[0, 1], missing="omit")
    assert text == "y_true: no cases left"
    assert complaint([NAN], [NAN], metric="rmse", missing="omit") == "y_true: no cases left"


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        (1, "y_true: expected one label per case, got 1"),
        (None, "y_true: expected one label per case, got None"),
        ("0101", "y_true: expected one label per case, got '0101'"),
        (b"01", "y_true: expected one label per case, got b'01'"),
        (np.array(1), "y_true: expected one label per case, got shape ()"),
        ({"a": 1}, "y_true: expected one label per case"),
        ({0, 1}, "y_true: expected one label per case"),
        ((label for label in TRUTH), "y_true: expected one label per case"),
        (np.zeros((N, 2, 2)), "y_true: expected one label per case, got shape (40, 2, 2)"),
        (np.eye(2)[TRUTH], "y_true: expected one label per case, got shape (40, 2)"),
        (np.array(TRUTH) * 1j, "y_true: cannot use labels of type complex128"),
        (np.array(["2020", "2021"] * 20, "M8[Y]"), "y_true: cannot use labels of type datetime64"),
        (["a", 1] * 20, "y_true: labels of several kinds (int, str) have no order"),
    ],
)
def test_labels_that_are_none(truth: Any, words: str) -> None:
    assert data_complaint(truth, SCORE).startswith(words)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (None, "y_score: expected shape (n,) or (n, classes), got ()"),
        (0.5, "y_score: expected shape (n,) or (n, classes), got ()"),
        (np.zeros((N, 2, 2)), "y_score: expected shape (n,) or (n, classes), got (40, 2, 2)"),
        ({"a": 1}, "y_score: scores must be numbers"),
        ((score for score in SCORE), "y_score: scores must be numbers"),
        (["high"] * N, "y_true and y_score hold labels of different kinds: 0, 1 and 'high'"),
    ],
)
def test_scores_that_are_none(scores: Any, words: str) -> None:
    assert data_complaint(TRUTH, scores).startswith(words)


def test_text_said_to_be_scores_is_refused() -> None:
    text = data_complaint(TRUTH, ["x"] * N, scores="probabilities")
    assert text.startswith(
        "y_score: scores must be numbers, equally many for each case; give class"
    )


def test_scores_that_have_a_name_are_called_by_it_in_messages() -> None:
    data = hw.Predictions.from_arrays(TRUTH, {"unet": ["x"] * N}, scores="probabilities")
    with pytest.raises(hw.DataError, match=r"^unet: "):
        hw.estimate(data, metric="auroc")


# --------------------------------------------------------------------------- classes


@pytest.mark.parametrize("label", ["sick", 5, -1, 0.5])
def test_one_class_only_is_no_classification(label: Any) -> None:
    text = data_complaint([label] * N, SCORE)
    assert text.startswith(f"y_true: all cases have one class, {label!r}; ")
    assert text.endswith("Name all classes: labels=")


@pytest.mark.parametrize(("label", "word"), [(1, "positive"), (0, "negative"), (True, "positive")])
def test_a_ranking_needs_cases_of_both_classes(label: Any, word: str) -> None:
    text = data_complaint([label] * N, SCORE, metric="average_precision")
    assert f"all 40 cases are {word} (positive class 1)" in text


def test_unknown_labels_name_the_case_and_the_nearest() -> None:
    text = data_complaint(
        ["sick", "wel", "sick"], ["sick"] * 3, labels=["sick", "well"], metric="f1"
    )
    assert text == (
        "y_true: case #2 has the label 'wel', which is not one of 'sick', 'well'; "
        "did you mean 'well'?"
    )
    text = complaint(TRUTH, [0, 1, 2, *TRUTH[3:]], labels=[0, 1], metric="f1")
    assert text.startswith("y_score: case #3 has the label 2, which is not one of 0, 1")


def test_labels_as_text_are_not_numbers() -> None:
    assert "case #1 has the label 0, which is not one of '0', '1'" in complaint(labels=["0", "1"])
    text = data_complaint(TRUTH, [str(label) for label in TRUTH], metric="f1")
    assert text == "y_true and y_score hold labels of different kinds: 0, 1 and '0', '1'"


def test_swapped_arguments_are_guessed() -> None:
    with pytest.raises(hw.DataError, match="Are true classes and scores swapped"):
        metric_ci([0.1, 0.9, 0.8, 0.3], [0, 1, 1, 0], metric="auroc")


def test_a_column_of_other_texts_is_no_prediction() -> None:
    with pytest.raises(hw.DataError) as error:
        metric_ci(["ill", "well", "ill"], ["case1", "case2", "case3"], metric="f1")
    assert str(error.value).startswith(
        "y_score: predicts 'case1', 'case2', 'case3', and none is a class of y_true ('ill', 'well')"
    )


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([0, 0], "labels=[0, 0] names a class more than once"),
        ([0, 1, 1.0], "labels=[0, 1, 1] names a class more than once"),
        ([1], "labels=[1]: name at least two classes"),
        ([], "labels=[] is not a list of labels (text or numbers)"),
        ([[0], [1]], "labels=[[0], [1]] is not a list of labels (text or numbers)"),
    ],
)
def test_labels_that_are_no_set_of_classes(labels: list[Any], words: str) -> None:
    assert option_complaint(labels=labels) == words


@pytest.mark.parametrize("columns", [1, 2])
def test_a_column_for_each_class_is_needed(columns: int) -> None:
    text = data_complaint(TRUTH3, SCORE3[:, :columns])
    many = "1 score column" if columns == 1 else "2 score columns"
    assert text == (
        f"y_score: {many} for 3 classes (0, 1, 2, the sorted labels of y_true); the k-th column is "
        "the score of the k-th class. Name the classes of all columns: labels="
    )
    assert "(0, 1, 2, 3, labels=)" in complaint(TRUTH3, SCORE3, labels=[0, 1, 2, 3])


def test_more_columns_than_classes_seen_asks_for_their_names() -> None:
    text = data_complaint(TRUTH, SCORE3[:N])
    assert text.startswith("y_score: 3 score columns for 2 classes (0, 1, ")
    assert ask(TRUTH, SCORE3[:N], labels=[0, 1, 2], metric="accuracy").n == N


@pytest.mark.parametrize("asked", ["auroc", "f1", "accuracy"])
def test_a_single_score_asks_which_class_is_positive(asked: str) -> None:
    text = option_complaint(WORDS, SCORE, metric=asked)
    assert text.endswith("say which of 'sick', 'well' that is: pos_label=")


def test_a_metric_of_one_class_asks_which_or_for_an_average() -> None:
    text = option_complaint(WORDS, WORDS, metric="f1")
    assert text == (
        "f1 needs to know which of 'sick', 'well' is positive: pos_label=, or an "
        "average over both classes: average='macro'"
    )
    assert "needs one positive class of 0, 1, 2" in complaint(
        TRUTH3, TRUTH3, metric="f1", average="binary"
    )


@pytest.mark.parametrize(
    ("positive", "words"),
    [
        ("sik", "pos_label='sik' is not one of the labels 'sick', 'well'; did you mean"),
        (2, "pos_label=2 is not one of the labels 'sick', 'well'"),
        (["sick"], "pos_label=['sick'] is not a label; give one of the classes"),
        (NAN, "pos_label=nan is not one of the labels"),
    ],
)
def test_a_positive_class_that_is_none(positive: Any, words: str) -> None:
    assert option_complaint(WORDS, SCORE, pos_label=positive).startswith(words)


# --------------------------------------------------------------------------- scores


@pytest.mark.parametrize(
    "scores", [SCORE3 - 0.1, 3 * SCORE3, np.log(SCORE3)], ids=["negative", "large", "log"]
)
@pytest.mark.parametrize("asked", ["auroc", "f1"])
def test_columns_that_are_no_probabilities_ask_what_they_are(scores: Any, asked: str) -> None:
    text = data_complaint(TRUTH3, scores, metric=asked)
    assert re.match(r"y_score: scores from -?[\d.]+ to -?[\d.]+ are no probabilities", text)
    assert "say scores='logits' (log-probabilities are logits too) or 'any'" in text
    assert text.endswith("or 'any'")


def test_what_is_said_to_be_probabilities_must_be() -> None:
    text = data_complaint(TRUTH, LOGIT, scores="probabilities")
    assert "are no probabilities; say scores='logits' or 'any'" in text


def test_decisions_from_scores_of_any_scale_need_a_threshold() -> None:
    text = data_complaint(TRUTH, LOGIT, metric="f1")
    assert "for a threshold it matters what they are" in text
    assert text.endswith("or 'any', with threshold=")
    text = option_complaint(TRUTH, LOGIT, metric="f1", scores="any")
    assert text.endswith("need a threshold to become decisions: threshold=")


@pytest.mark.parametrize("threshold", [0, 1, 2, -0.5])
def test_a_threshold_of_logits_is_a_probability(threshold: float) -> None:
    text = option_complaint(TRUTH, LOGIT, metric="f1", scores="logits", threshold=threshold)
    assert text.startswith(f"threshold={float(threshold)} lies outside the scores' range")


@pytest.mark.parametrize("threshold", [NAN, INF, [0.5], {}, b"x"])
def test_a_threshold_that_is_none(threshold: Any) -> None:
    text = option_complaint(metric="f1", threshold=threshold)
    finite = "finite " if isinstance(threshold, float) else ""
    assert text == f"threshold={threshold!r} is not a {finite}number"


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        ("youdn_j", "did you mean 'youden_j'?"),
        (
            "auroc",
            "threshold='auroc' is not a counting metric to choose it by; give for example youden_j",
        ),
        ("mae", "threshold='mae' is not a counting metric"),
        ("dsc", "'dsc' has a value for each case"),
        ("net_benefit", "net_benefit needs exchange_rate"),
    ],
)
def test_a_threshold_by_what_cannot_choose_it(threshold: str, words: str) -> None:
    assert words in option_complaint(metric="f1", threshold=threshold)


@pytest.mark.parametrize("threshold", [0.5, "youden_j"])
def test_a_threshold_needs_two_classes(threshold: Any) -> None:
    text = option_complaint(TRUTH3, SCORE3, metric="f1", threshold=threshold)
    assert text.endswith(("there are 3", "there are 3 classes"))


def test_a_threshold_cannot_be_chosen_on_labels_or_with_weights() -> None:
    text = option_complaint(TRUTH, TRUTH, metric="f1", threshold="f1", scores="labels")
    assert text.endswith("labels instead of scores")
    text = option_complaint(metric="f1", threshold="f1", sample_weight=range(N))
    assert text == "a threshold chosen on the data cannot be combined with sample_weight"


# --------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("option", "given", "words"),
    [
        ("metric", "aurc", "unknown metric of a test set 'aurc'; did you mean 'auroc'?"),
        ("metric", "sensitivty", "did you mean 'sensitivity'?"),
        ("metric", "F2", "unknown metric of a test set 'F2'"),
        ("metric", "", "unknown metric of a test set ''. Known: accuracy, balanced_accuracy"),
        ("metric", "briar", "unknown metric of a test set 'briar'"),
        ("metric", "f_bta:beta=2", "did you mean 'f_beta'?"),
        ("metric", "dsc", "'dsc' has a value for each case, not one for a test set"),
        ("metric", "Dice", "give them to summary_ci"),
        ("metric", "hd95", "compute the values and give them to summary_ci"),
        ("metric", 5, "metric=5 is neither a name (accuracy, "),
        ("metric", None, "metric=None is neither a name"),
        ("metric", [], "metric: name at least one"),
        (
            "average",
            "marco",
            "average='marco' is none of binary, macro, micro, weighted, sum, canonical, ",
        ),
        ("average", "Macro", "did you mean 'macro'?"),
        ("average", "samples", "average='samples' is none of binary, macro"),
        ("average", 5, "average=5 is none of"),
        ("average", [], "average: name at least one"),
        ("scores", "logit", "did you mean 'logits'?"),
        ("scores", None, "scores=None is none of auto, probabilities, logits, any, labels"),
        ("absent_class", "ommit", "absent_class='ommit' is none of omit, zero, undefined; did you"),
        ("undefined", "nan", "undefined='nan' is none of omit, zero, worst"),
        ("missing", "omitt", "did you mean 'omit'?"),
        ("method", "delng", "unknown method 'delng'; did you mean 'delong'?"),
        ("method", None, "method=None is not a name"),
        ("alternative", "less", "two-sided, lower, upper"),
        ("confidence_level", 95, "for 95 % write 0.95"),
        ("n_resamples", 1.5, "n_resamples=1.5 must be an integer ≥ 2"),
        ("rng", "x", "rng='x'"),
    ],
)
def test_a_name_that_is_none_gets_the_choices(option: str, given: Any, words: str) -> None:
    assert words in option_complaint(**{option: given})


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("net_benefit", "net_benefit needs exchange_rate (false positives that one true positive"),
        ("net_benefit", "write net_benefit:exchange_rate=VALUE, at least 0"),
        ("net_benefit:-1", "net_benefit: exchange_rate=-1 is not at least 0"),
        ("f_beta:0", "f_beta: beta=0 is not above 0"),
        ("f_beta:bta=2", "unknown parameter of f_beta 'bta'; did you mean 'beta'?"),
        ("f_beta:2,3", "f_beta takes 1 parameter(s)"),
        ("ppv:prevalence=5", "ppv: prevalence=5 is not above 0 and below 1"),
        ("cohen_kappa:weights=cubic", "weights=cubic is not none or linear or quadratic"),
        ("auroc:0.1,0.2", "auroc takes 1 parameter(s)"),
        ("f1:beta=2", "f1 has no parameters, got 'beta'"),
    ],
)
def test_parameters_that_do_not_fit(asked: str, words: str) -> None:
    assert words in option_complaint(metric=asked)


@pytest.mark.parametrize(
    ("asked", "average", "has"),
    [
        ("youden_j", "micro", "binary, none, macro, weighted"),
        ("lr_plus", "macro", "binary, none"),
        ("net_benefit:0.1", "weighted", "binary, none"),
    ],
)
def test_an_average_that_a_metric_does_not_have(asked: str, average: str, has: str) -> None:
    text = option_complaint(metric=asked, average=average)
    name = asked.partition(":")[0]
    assert text == f"{name} has no average {average!r}; it has {has} (average=)"


# --------------------------------------------------------------------------- unfit methods


CASES: list[tuple[str, Callable[..., Any]]] = [
    ("f1", lambda **o: ask(metric="f1", **o)),
    ("auroc", ask),
    ("macro auroc", lambda **o: ask(TRUTH3, SCORE3, **o)),
    ("clustered auroc", lambda **o: ask(groups=PAIRS, **o)),
    ("clustered f1", lambda **o: ask(metric="f1", groups=PAIRS, **o)),
    ("average_precision", lambda **o: ask(metric="average_precision", **o)),
    ("sensitivity", lambda **o: ask(metric="sensitivity", **o)),
    ("weighted accuracy", lambda **o: ask(metric="accuracy", sample_weight=range(N), **o)),
    ("own", lambda **o: ask(metric=sk.roc_auc_score, **o)),
    ("rmse", lambda **o: ask(SCORE, LOGIT, metric="rmse", **o)),
    ("mae", lambda **o: ask(SCORE, LOGIT, metric="mae", **o)),
    ("tuned", lambda **o: ask(metric="f1", threshold="f1", **o)),
]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("method", hw.METHODS.names)
@pytest.mark.parametrize(("what", "call"), CASES, ids=[what for what, _ in CASES])
def test_a_method_works_or_is_refused_with_those_that_work(
    what: str, call: Callable[..., Any], method: str
) -> None:
    try:
        e = call(method=method)
    except hw.OptionError as error:
        text = str(error)
        if "finite bounds" in text:
            assert what in ("mae", "rmse")
            return
        assert text.startswith(f"method {method!r} makes no interval for the ")
        proposed = re.findall(r"\w+", text.rpartition("; use ")[2])
        assert proposed[0] == "auto"
        assert method not in proposed
    else:
        assert e.method == method
        assert not math.isnan(e.value)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("what", "call"), CASES, ids=[what for what, _ in CASES])
def test_every_method_that_is_proposed_works(what: str, call: Callable[..., Any]) -> None:
    with pytest.raises(hw.OptionError) as caught:
        call(method="exact")
    for name in re.findall(r"\w+", str(caught.value).rpartition("; use ")[2]):
        if what not in ("mae", "rmse") or name == "auto" or not hw.METHODS[name].needs_bounds:
            assert call(method=name).n > 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"metric": "f1", "method": "wilson"}, "for the F1; use auto, percentile, bca"),
        ({"method": "hanley_mcneil", "groups": PAIRS}, "when cases are clustered (groups, strata)"),
        (
            {"method": "hanley_mcneil", "strata": TRUTH},
            "when cases are stratified (groups, strata)",
        ),
    ],
)
def test_a_refused_method_says_why(options: dict[str, Any], words: str) -> None:
    assert words in option_complaint(**options)


def test_delong_makes_no_interval_for_an_average_over_classes() -> None:
    text = option_complaint(TRUTH3, SCORE3, method="delong")
    assert text.startswith("method 'delong' makes no interval for the ")
    assert "; use auto, percentile, bca, bca_expanded, basic" in text


# --------------------------------------------------------------------------- costs and weights


@pytest.mark.parametrize("costs", [[0, 1], 5, np.eye(3), [[0, NAN], [1, 0]], [[0, INF], [1, 0]]])
def test_costs_of_the_wrong_shape(costs: Any) -> None:
    text = data_complaint(metric="expected_cost", costs=costs)
    assert text.startswith(f"costs has shape {np.shape(costs)}; give a finite number for each ")
    assert text.endswith("true (row) and predicted class (column), shape (2, 2)")


@pytest.mark.parametrize("table", ["x", {}, ["a", "b"]])
@pytest.mark.parametrize("option", ["costs", "priors"])
def test_costs_and_priors_that_are_no_numbers(option: str, table: Any) -> None:
    text = data_complaint(metric="expected_cost", **{option: table})
    assert (
        text == f"{option}={table!r} holds other things than numbers, or its rows differ in length"
    )


@pytest.mark.parametrize("returned", [None, "a", [1.0, 2.0], 1j])
def test_a_function_of_ones_own_returns_one_number(returned: Any) -> None:
    text = option_complaint(metric=lambda _truth, _score: returned)
    assert text.startswith("metric 'metric' returned ")
    assert text.endswith("; let it return one number")


def test_negative_costs() -> None:
    text = data_complaint(metric="expected_cost", costs=[[0, -1], [1, 0]])
    assert text == "costs holds negative numbers; a cost is at least 0"


@pytest.mark.parametrize(
    "priors", [[0.5], [0.2, 0.3, 0.5], [-0.5, 1.5], [NAN, 1.0], 5, [[0.5, 0.5]]]
)
def test_priors_that_are_none(priors: Any) -> None:
    text = data_complaint(metric="expected_cost", priors=priors)
    assert text == f"priors={priors!r} is not one share for each of 2 classes"


def test_priors_that_do_not_add_up_to_1() -> None:
    text = data_complaint(metric="expected_cost", priors=[0.5, 0.6])
    assert text == "priors add up to 1.1, not to 1"


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1] * 39, "sample_weight has 39 values for 40 cases"),
        ([-1] + [1] * 39, "sample_weight must be finite, not negative and not all zero"),
        ([0] * 40, "sample_weight must be finite, not negative and not all zero"),
        ([NAN] + [1] * 39, "sample_weight must be finite"),
        (["a"] * 40, "sample_weight: case #1 holds 'a', which is not a number"),
        (5, "sample_weight: expected one number per case, got 5"),
        ("x", "sample_weight: expected one number per case, got 'x'"),
        (np.ones((40, 1)), "sample_weight: expected one number per case (one dimension)"),
    ],
)
def test_weights_that_are_none(weights: Any, words: str) -> None:
    assert data_complaint(metric="f1", sample_weight=weights).startswith(words)


def test_weights_reach_no_function_of_ones_own() -> None:
    text = option_complaint(metric=sk.f1_score, sample_weight=range(N))
    assert text == "leave out sample_weight: a function of your own takes y_true and y_score alone"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"groups": [1] * 39}, "y_true: groups has 39 labels for 40 values"),
        ({"groups": "patient"}, "groups='patient' is a text; give one label per case"),
        ({"groups": [None] + [1] * 39}, "y_true: 1 of 40 cases lack a label in groups (case #1)"),
        ({"groups": 5}, "groups=5 is not a sequence of labels, one per case"),
        ({"groups": PAIRS, "strata": TRUTH}, "y_true: 20 cluster(s) lie in more than one stratum"),
        ({"strata": np.eye(2)[TRUTH]}, "strata has shape (40, 2); it takes one label per case"),
    ],
)
def test_clusters_and_strata_that_are_none(options: dict[str, Any], words: str) -> None:
    assert complaint(**options).startswith(words)


# --------------------------------------------------------------------------- regression


def test_metrics_of_a_regression_stand_apart() -> None:
    text = option_complaint(SCORE, SCORE, metric=["mae", "f1"])
    assert text == "metrics of a regression and of a classification do not go together"


@pytest.mark.parametrize(
    ("option", "given"), [("labels", [0, 1]), ("pos_label", 1), ("sample_weight", [1] * N)]
)
def test_options_of_a_classification_have_no_meaning_for_a_regression(
    option: str, given: Any
) -> None:
    text = option_complaint(SCORE, SCORE, metric="mae", **{option: given})
    assert text == f"{option}= has no meaning for a regression"


@pytest.mark.parametrize("asked", REGRESSION)
@pytest.mark.parametrize(
    ("target", "words"),
    [
        (WORDS, "y_true: case #1 holds 'well', which is not a number"),
        ({}, "y_true: expected one number per case, got {}"),
        (np.zeros((N, 1)), "y_true: expected one number per case (one dimension), got shape"),
        ([NAN, *SCORE[1:]], "y_true, y_score: 1 of 40 cases lack a label or a finite score"),
        ([INF, *SCORE[1:]], "y_true, y_score: 1 of 40 cases lack a label or a finite score"),
    ],
)
def test_targets_that_are_no_numbers(target: Any, words: str, asked: str) -> None:
    assert data_complaint(target, SCORE, metric=asked).startswith(words)


@pytest.mark.parametrize("asked", REGRESSION)
def test_numbers_too_large_to_be_squared(asked: str) -> None:
    text = data_complaint([1e200, *SCORE[1:]], SCORE, metric=asked)
    assert "values up to 1e+200 are too large to be squared" in text


# --------------------------------------------------------------------------- anything at all


NAMES = [name for name in hw.SAMPLE_METRICS.names if name != "net_benefit"]
numbers = st.sampled_from([0, 1, 2, -1, 0.5, 1.0, 0.25, 1e-300, 1e9, -INF, INF, NAN, None, True])
words = st.sampled_from(["a", "b", "", "0", "1", None])
cells = st.one_of(numbers, words)
columns = st.integers(1, 7).flatmap(
    lambda n: st.one_of(
        *(
            st.tuples(
                st.lists(kind, min_size=n, max_size=n),
                st.one_of(
                    st.lists(other, min_size=n, max_size=n),
                    st.lists(st.lists(numbers, min_size=2, max_size=2), min_size=n, max_size=n),
                ),
                st.one_of(st.none(), st.lists(st.integers(0, 2), min_size=n, max_size=n)),
            )
            for kind, other in [(numbers, numbers), (words, words), (words, numbers)]
        )
    )
)
choices = st.fixed_dictionaries(
    {},
    optional={
        "average": st.sampled_from(["binary", "macro", "micro", "weighted", "none"]),
        "labels": st.sampled_from([[0, 1], [1, 0], ["a", "b"], [0, 1, 2], [False, True]]),
        "pos_label": st.sampled_from([0, 1, "a", "b", True]),
        "scores": st.sampled_from(["probabilities", "logits", "any", "labels"]),
        "threshold": st.sampled_from([0.5, 0.0, 1, -3.5, "f1", "youden_j", "expected_cost"]),
        "missing": st.just("omit"),
        "absent_class": st.sampled_from(["zero", "undefined"]),
        "undefined": st.sampled_from(["zero", "worst"]),
        "alternative": st.sampled_from(["lower", "upper"]),
        "costs": st.sampled_from([[[0, 1], [2, 0]], [[0, 0], [0, 0]]]),
        "priors": st.sampled_from([[0.5, 0.5], [1, 0]]),
        "method": st.sampled_from(["percentile", "bca", "basic", "delta", "delong", "wilson"]),
    },
)


@settings(examples(400), suppress_health_check=[HealthCheck.too_slow])
@given(data=columns, name=st.sampled_from(NAMES), options=choices)
def test_anything_gives_an_estimate_or_a_complaint(
    data: tuple[list[Any], list[Any], list[int] | None], name: str, options: dict[str, Any]
) -> None:
    truth, score, groups = data
    try:
        made = ask(truth, score, metric=[name], groups=groups, n_resamples=9, **options)
    except hw.HalfwidthError as error:
        text = str(error)
        assert "\n" not in text
        assert text.strip() == text != ""
    else:
        for e in made:
            assert e.n <= len(truth)
            assert e.n_missing == 0 or options.get("missing") == "omit"
            assert math.isnan(e.low) == math.isnan(e.high)
            assert e.sentence().endswith(").")
            assert hw.Estimates((e,)).to_json()


def test_empty_lists_are_refused_with_a_word() -> None:
    with pytest.raises(hw.DataError, match="no cases"):
        hw.metric_ci([], [], metric="accuracy")


def test_masked_score_is_missing() -> None:
    score = np.ma.array([0.1, 0.2, 0.0, 0.3, 0.9], mask=[False, False, True, False, False])
    with pytest.raises(hw.DataError, match="lack a label or a finite score"):
        hw.metric_ci([0, 1, 1, 0, 1], score, metric="auroc")


@pytest.mark.parametrize(
    "options",
    [
        {"costs": "x"},
        {"costs": [[0, 1], [1]]},
        {"priors": "x"},
        {"labels": [[0], [1]]},
    ],
)
def test_option_that_makes_no_sense_is_named(options: dict[str, Any]) -> None:
    truth = [0, 1, 1, 0]
    with pytest.raises(hw.HalfwidthError, match=next(iter(options))):
        hw.metric_ci(truth, truth, metric="expected_cost", **options)
