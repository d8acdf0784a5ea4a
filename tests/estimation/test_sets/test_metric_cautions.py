"""Cautions of metrics of a test set: raised where they should be, silent on honest data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from over_data import metric_ci
from support import codes, message

import halfwidth as hw

RNG = np.random.default_rng(31)
OF_CLASSES = {"HW204", "HW205", "HW206", "HW207", "HW313"} | {
    *("HW405", "HW406", "HW407", "HW408", "HW501", "HW502")
}


def truth_of(*sizes: int) -> NDArray[np.intp]:
    return np.repeat(np.arange(len(sizes)), sizes)


def probabilities(truth: NDArray[np.intp], signal: float = 1.0) -> NDArray[np.float64]:
    """Of two classes those of the second one, else a column for each; plainly right or wrong."""
    rng = np.random.default_rng(7)
    classes = int(truth.max()) + 1
    raised = np.exp(rng.normal(0, 1, (len(truth), classes)) + signal * np.eye(classes)[truth])
    rows = raised / raised.sum(axis=1, keepdims=True)
    return np.asarray(rows[:, 1] if classes == 2 else rows)


def ask(truth: Any, score: Any = None, **options: Any) -> hw.Estimate:
    settings: dict[str, Any] = {"metric": "f1", "rng": 1, "n_resamples": 999}
    if score is None:
        score = probabilities(truth)
    made: hw.Estimate = metric_ci(truth, score, **(settings | options))
    assert isinstance(made, hw.Estimate)
    return made


# --------------------------------------------------------------------------- honest data


HONEST = truth_of(210, 290)
HONEST3 = truth_of(140, 200, 160)


@pytest.mark.parametrize(
    "name",
    [
        *("accuracy", "balanced_accuracy", "sensitivity", "specificity", "ppv", "npv", "f1"),
        *("f_beta:2", "mcc", "cohen_kappa", "youden_j", "lr_plus", "net_benefit:0.2"),
        *("expected_cost", "normalized_expected_cost", "auroc", "average_precision"),
    ],
)
def test_an_honest_test_set_of_two_classes_raises_nothing(name: str) -> None:
    assert codes(ask(HONEST, metric=name, n_resamples=9999)) == []


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("name", ["auroc", "f1", "sensitivity", "ppv", "youden_j"])
def test_an_honest_test_set_of_three_classes_raises_nothing(name: str, average: str) -> None:
    assert codes(ask(HONEST3, metric=name, average=average, n_resamples=9999)) == []


def test_rows_of_an_honest_test_set_raise_nothing() -> None:
    made = metric_ci(
        HONEST3, probabilities(HONEST3), metric=["auroc", "f1", "ppv"], average="none", rng=1
    )
    assert made.cautions == ()


def test_honest_clusters_raise_nothing() -> None:
    groups = np.random.default_rng(3).permutation(np.repeat(np.arange(250), 2))
    assert codes(ask(HONEST, metric="auroc", groups=groups, n_resamples=9999)) == []
    assert codes(ask(HONEST, metric="f1", groups=groups, n_resamples=9999)) == []


def test_regressions_raise_no_caution_of_classes() -> None:
    target = RNG.gamma(4, 2, 300)
    for name in ("mae", "mse", "rmse", "r2"):
        e = ask(target, target + RNG.normal(0, 1, 300), metric=name, n_resamples=9999)
        assert not OF_CLASSES & set(codes(e))


# --------------------------------------------------------------------------- HW204


@pytest.mark.parametrize(("few", "count"), [(9, "9 cases"), (2, "2 cases"), (1, "1 case")])
def test_few_cases_of_the_positive_class_are_cautioned(few: int, count: str) -> None:
    assert message(ask(truth_of(200, few), method="percentile"), "HW204") == (
        f"class '1': {count}; reliable intervals for the F1 need about 10 or more of each class."
    )


def test_few_cases_of_the_other_classes_are_cautioned() -> None:
    text = message(ask(truth_of(4, 200), metric="auroc", method="delong"), "HW204")
    assert text.startswith(
        "the other classes: 4 cases; reliable intervals for the AUROC need about 10 or more of "
        "each class."
    )


def test_five_cases_of_a_class_are_enough_for_auto_by_the_evidence() -> None:
    found = {few: message_or_none(ask(truth_of(200, few), metric="f1")) for few in (3, 5)}
    assert found[5] is None
    assert "reliable intervals for the F1 need about 5 or more of each class" in str(found[3])


def message_or_none(e: hw.Estimate) -> str | None:
    """Of the caution about few cases of a class."""
    return next((item.message for item in e.cautions if item.code == "HW204"), None)


def test_ten_cases_of_a_class_are_enough() -> None:
    assert "HW204" not in codes(ask(truth_of(200, 10)))
    assert "HW204" not in codes(ask(truth_of(10, 200, 200), average="macro"))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((5, 200, 200), "class '0': 5 cases"),
        ((200, 200, 1), "class '2': 1 case"),
        ((5, 200, 3), "class '2': 3 cases, and 1 more class as rare"),
        ((5, 4, 3, 200), "class '2': 3 cases, and 2 more classes as rare"),
    ],
)
def test_an_average_names_its_rarest_class(sizes: tuple[int, ...], words: str) -> None:
    e = ask(truth_of(*sizes), average="macro", method="percentile")
    assert message(e, "HW204") == (
        f"{words}; reliable intervals for the macro F1 need about 10 or more of each class."
    )


def test_a_class_that_is_named_but_not_there_has_no_cases() -> None:
    truth = truth_of(60, 60)
    e = ask(truth, truth[::-1], labels=[0, 1, 2], average="macro")
    assert message(e, "HW204").startswith("class '2': no cases; reliable")


def test_rows_name_their_own_class_only() -> None:
    truth = truth_of(5, 100, 100)
    rows = metric_ci(truth, probabilities(truth), metric="f1", average="none", rng=1)
    assert ["HW204" in codes(e) for e in rows] == [True, False, False]


def test_clusters_with_a_case_of_the_class_are_what_counts() -> None:
    truth = truth_of(100, 100)
    groups = np.concatenate([np.arange(100), 1000 + np.arange(100) // 25])
    text = message(ask(truth, groups=groups), "HW204")
    assert text.startswith("class '1': 4 clusters; reliable intervals for the F1 need about 10")


@pytest.mark.parametrize("name", ["accuracy", "sensitivity", "ppv"])
def test_proportions_do_not_lean_on_other_classes(name: str) -> None:
    assert "HW204" not in codes(ask(truth_of(200, 5), metric=name))


def test_a_pooled_average_does_not_lean_on_a_class() -> None:
    assert not {"HW204", "HW205"} & set(codes(ask(truth_of(4, 100, 100), average="micro")))


# --------------------------------------------------------------------------- HW205


@pytest.mark.parametrize(
    ("absent", "policy"),
    [
        ("omit", "the average leaves it out unless it is predicted there, which counts as 0"),
        ("zero", "it counts as 0"),
        ("undefined", "the average is undefined"),
    ],
)
def test_a_class_that_resamples_miss_is_told_with_the_policy(absent: str, policy: str) -> None:
    truth = truth_of(3, 100, 97)
    e = ask(truth, metric="f1", average="macro", absent_class=absent, method="bca")
    share = round(100 * (1 - 3 / 200) ** 200, 1)
    assert message(e, "HW205") == (
        f"Class '0' is missing from {share:g} % of the resamples, where {policy}."
    )


def test_the_share_of_resamples_that_miss_a_class_is_that_which_is_seen() -> None:
    truth = truth_of(2, 60)
    e = ask(truth, metric="sensitivity", average="macro", absent_class="undefined", method="bca")
    expected = (1 - 2 / 62) ** 62
    assert e.n_undefined / 999 == pytest.approx(expected, abs=0.04)
    assert f"{100 * expected:.1f} %" in message(e, "HW205")


def test_one_class_that_resamples_miss_leaves_its_metric_undefined() -> None:
    e = ask(truth_of(100, 3), metric="average_precision", method="percentile")
    assert message(e, "HW205").endswith("of the resamples, where the metric may be undefined.")


def test_a_class_that_hardly_any_resample_misses_is_not_worth_a_word() -> None:
    assert "HW205" in codes(ask(truth_of(195, 5), method="percentile"))
    assert "HW205" not in codes(ask(truth_of(194, 6), method="percentile"))


def test_methods_without_resamples_miss_no_class() -> None:
    assert "HW205" not in codes(ask(truth_of(2, 100), metric="auroc"))
    assert "HW205" not in codes(ask(truth_of(2, 100), method="delta"))


def test_random_weights_miss_no_class() -> None:
    assert "HW205" not in codes(ask(truth_of(2, 100), method="dirichlet"))


def test_strata_by_class_never_miss_one() -> None:
    truth = truth_of(100, 3)
    assert "HW205" in codes(ask(truth, method="percentile"))
    assert "HW205" not in codes(ask(truth, strata=truth, method="percentile"))


def test_clusters_miss_a_class_more_often_than_cases() -> None:
    truth = truth_of(90, 10)
    groups = np.concatenate([np.arange(90), [900] * 5, [901] * 5])
    assert "HW205" not in codes(ask(truth, method="percentile"))
    share = round(100 * (1 - 2 / 92) ** 92, 1)
    assert f"missing from {share:g} %" in message(
        ask(truth, groups=groups, method="percentile"), "HW205"
    )


# --------------------------------------------------------------------------- HW206


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((171, 9), "Class '0' makes up 95 % of the cases, the rarest 5 %"),
        ((9, 891), "Class '1' makes up 99 % of the cases, the rarest 1 %"),
        ((96, 96, 8), "Class '0' makes up 48 % of the cases, the rarest 4 %"),
    ],
)
def test_imbalance_is_told_in_numbers(sizes: tuple[int, ...], words: str) -> None:
    e = ask(truth_of(*sizes), metric="mcc", method="percentile")
    assert message(e, "HW206") == f"{words}: intervals tend to under-cover."


def test_a_rare_class_of_many_cases_is_covered_as_any_other() -> None:
    assert not {"HW204", "HW206"} & set(codes(ask(truth_of(4750, 250), metric="mcc")))


@pytest.mark.parametrize("sizes", [(64, 8), (88, 6, 6), (300, 200)])
def test_a_moderate_imbalance_is_not_cautioned(sizes: tuple[int, ...]) -> None:
    assert "HW206" not in codes(ask(truth_of(*sizes), metric="mcc"))


@pytest.mark.parametrize("name", ["auroc", "accuracy", "sensitivity"])
def test_metrics_that_imbalance_does_not_hurt(name: str) -> None:
    assert "HW206" not in codes(ask(truth_of(171, 9), metric=name))


# --------------------------------------------------------------------------- HW207


@pytest.mark.parametrize(("wrong", "near"), [(1, True), (2, True), (10, False)])
def test_a_metric_near_an_end_rests_on_few_errors(wrong: int, near: bool) -> None:
    truth = truth_of(60, 70)
    predicted = truth.copy()
    predicted[:wrong] = 1
    assert "HW207" not in codes(ask(truth, predicted))
    e = ask(truth, predicted, method="percentile")
    assert ("HW207" in codes(e)) is near
    if near:
        assert f"F1 {e.value:.3f} is close to 1, where intervals strain" in message(e, "HW207")


def test_the_bottom_of_the_range_is_an_end_as_well() -> None:
    truth = truth_of(60, 70)
    assert "is close to -1" in message(
        ask(truth, 1 - truth, metric="mcc", method="percentile"), "HW207"
    )
    assert "is close to 0" in message(
        ask(truth, 1 - truth, metric="f1", method="percentile"), "HW207"
    )


@pytest.mark.parametrize(
    ("method", "words"), [("dirichlet", "draws of weights"), ("percentile", "resamples")]
)
def test_an_infinite_bound_is_told_with_what_was_drawn(method: str, words: str) -> None:
    truth, decided = [1] * 25 + [0] * 25, [1] * 20 + [0] * 30
    e = metric_ci(truth, decided, metric="lr_plus", method=method, n_resamples=199, rng=1)
    (message,) = (one.message for one in e.cautions if one.code == "HW314")
    assert f"in too many {words} the LR+ is infinite" in message


def test_no_metric_is_near_an_infinite_end() -> None:
    truth = truth_of(60, 70)
    e = ask(truth, 1 - truth, metric="net_benefit:0.2")
    assert "HW207" not in codes(e)


# --------------------------------------------------------------------------- HW313, HW405, HW406


def test_macro_averaged_ap_is_cautioned_where_the_method_falls_short() -> None:
    few = truth_of(14, 20, 16)
    for method, title in (("percentile", "percentile bootstrap"), ("bca", "BCa bootstrap")):
        found = message(
            ask(few, metric="average_precision", average="macro", method=method), "HW313"
        )
        assert found.startswith(f"{title} intervals of a macro-averaged AP under-cover.")
        assert f"On 50 real instances 95 % intervals by {method}" in found
    many = truth_of(70, 100, 80)
    assert "HW313" not in codes(
        ask(many, metric="average_precision", average="macro", method="bca")
    )


def test_a_macro_average_that_was_not_studied_is_cautioned_at_every_n() -> None:
    found = message(
        ask(HONEST3, metric="average_precision_trapezoid", average="macro", method="bca"), "HW313"
    )
    assert "real instances" not in found


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "average_precision", "average": "macro", "method": "basic"},
        {"metric": "average_precision", "average": "micro"},
        {"metric": "auroc", "average": "macro"},
        {"metric": "f1", "average": "macro"},
    ],
)
def test_what_is_no_macro_averaged_ap_is_not_cautioned_as_one(options: dict[str, Any]) -> None:
    assert "HW313" not in codes(ask(HONEST3, **options))


@pytest.mark.parametrize(("name", "title"), [("auroc", "AUROC"), ("average_precision", "AP")])
def test_flattened_scores_are_cautioned(name: str, title: str) -> None:
    assert message(ask(HONEST3, metric=name, average="micro"), "HW405") == (
        f"The micro {title} pools the scores of 3 classes: its pairs are not independent, and it "
        "mixes ranking across classes."
    )


def test_pooled_counts_are_not_flattened_scores() -> None:
    assert "HW405" not in codes(ask(HONEST3, average="micro"))
    assert "HW405" not in codes(ask(HONEST3, metric="auroc", average="macro"))


@pytest.mark.parametrize(("name", "title"), [("auroc", "AUROC"), ("average_precision", "AP")])
def test_a_ranking_of_labels_is_cautioned(name: str, title: str) -> None:
    decided = (probabilities(HONEST) > 0.5).astype(int)
    assert message(ask(HONEST, decided, metric=name), "HW406") == (
        f"The {title} was computed from labels: it has one threshold only."
    )


def test_decisions_of_labels_are_what_they_should_be() -> None:
    decided = (probabilities(HONEST) > 0.5).astype(int)
    assert "HW406" not in codes(ask(HONEST, decided))
    assert "HW406" not in codes(ask(HONEST, metric="auroc"))


# --------------------------------------------------------------------------- HW407, HW408


@pytest.mark.parametrize(
    ("criterion", "title"), [("youden_j", "Youden's J"), ("f1", "F1"), ("mcc", "MCC")]
)
def test_a_threshold_chosen_on_the_test_data_is_cautioned(criterion: str, title: str) -> None:
    e = ask(HONEST, metric="sensitivity", threshold=criterion)
    assert message(e, "HW407") == (
        f"The threshold was chosen on these cases, as the best by {title}: the value is optimistic."
    )


def test_a_threshold_that_is_given_or_plays_no_part_is_not_cautioned() -> None:
    assert "HW407" not in codes(ask(HONEST, threshold=0.4))
    made = metric_ci(HONEST, probabilities(HONEST), metric=["auroc", "f1"], threshold="f1", rng=1)
    assert ["HW407" in codes(e) for e in made] == [False, True]


def test_columns_that_miss_a_sum_of_one_are_cautioned() -> None:
    text = message(ask(HONEST3, probabilities(HONEST3) * 0.9, metric="auroc"), "HW408")
    assert text.startswith("The scores of the classes of a case miss a sum of 1 by up to 0.1: ")


@pytest.mark.parametrize("decimals", [4, 6])
def test_columns_whose_digits_were_cut_are_not_cautioned(decimals: int) -> None:
    e = ask(HONEST3, probabilities(HONEST3).round(decimals), metric="auroc")
    assert "HW408" not in codes(e)


@pytest.mark.parametrize("kind", ["logits", "any"])
def test_columns_that_are_no_probabilities_need_no_sum(kind: str) -> None:
    assert "HW408" not in codes(
        ask(HONEST3, probabilities(HONEST3) * 0.9, metric="auroc", scores=kind)
    )


# --------------------------------------------------------------------------- HW501, HW502


def test_accuracy_where_one_class_dominates_is_cautioned() -> None:
    text = message(ask(truth_of(400, 100), metric="accuracy"), "HW501")
    assert text == "Always answering '0' would be right in 80 % of the cases."


def test_accuracy_no_better_than_the_largest_class_is_cautioned() -> None:
    truth = truth_of(200, 300)
    text = message(ask(truth, np.zeros(500, dtype=int), metric="accuracy"), "HW501")
    assert text == "Always answering '1' would be right in 60 % of the cases."


def test_accuracy_of_balanced_classes_is_not_cautioned_however_low_it_is() -> None:
    truth = np.repeat([0, 1, 2], 30)
    for wrong in (90, 40):
        guesses = np.where(np.arange(90) < wrong, (truth + 1) % 3, truth)
        assert "HW501" not in codes(ask(truth, guesses, metric="accuracy"))


@pytest.mark.parametrize(
    ("metric", "average"),
    [("accuracy", None), ("f1", "micro"), ("sensitivity", "weighted"), ("f1", "weighted")],
)
def test_a_class_that_is_never_found_is_said_where_the_value_hardly_shows_it(
    metric: str, average: str | None
) -> None:
    truth = np.repeat([0, 1, 2, 3], [40, 53, 4, 3])
    guesses = np.where(truth > 1, 0, truth)
    e = ask(truth, guesses, metric=metric, average=average)
    assert e.value > 0.89
    assert message(e, "HW509").startswith("Class '2' (4 cases) is never found, nor is 1 other, ")
    found_once = np.where(np.isin(np.arange(100), [93, 97]), truth, guesses)
    assert "HW509" not in codes(ask(truth, found_once, metric=metric, average=average))
    assert "HW509" not in codes(ask(truth, guesses, metric="balanced_accuracy"))


@pytest.mark.parametrize("method", ["auto", "percentile"])
@pytest.mark.parametrize("sizes", [(5, 30, 60), (3, 90, 7), (10, 10, 10)])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("balanced_accuracy", None), ("sensitivity", "macro")),
        (("accuracy", None), ("sensitivity", "micro")),
        (("accuracy", None), ("ppv", "micro")),
    ],
    ids=["macro", "micro sensitivity", "micro PPV"],
)
def test_one_number_under_two_names_has_one_set_of_cautions(
    first: tuple[str, str | None],
    second: tuple[str, str | None],
    sizes: tuple[int, ...],
    method: str,
) -> None:
    truth = np.repeat([0, 1, 2], sizes)
    guesses = np.where(np.arange(len(truth)) % 7, truth, (truth + 1) % 3)
    one, other = (
        ask(truth, guesses, metric=metric, average=average, method=method)
        for metric, average in (first, second)
    )
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
    said = [item.message.replace(other.subject, one.subject) for item in other.cautions]
    assert [item.message for item in one.cautions] == said


def test_other_metrics_than_accuracy_stand_imbalance() -> None:
    assert "HW501" not in codes(ask(truth_of(400, 100), metric="balanced_accuracy"))
    assert "HW501" not in codes(ask(truth_of(370, 130), metric="accuracy"))


@pytest.mark.parametrize(
    ("name", "title"),
    [("ppv", "PPV"), ("npv", "NPV"), ("f1", "F1"), ("mcc", "MCC"), ("accuracy", "accuracy")],
)
def test_a_prevalence_by_design_is_cautioned(name: str, title: str) -> None:
    assert message(ask(truth_of(100, 100), metric=name), "HW502") == (
        f"The {title} depends on the prevalence, and here all classes have the same number of "
        "cases."
    )


def test_strata_by_class_fix_the_prevalence() -> None:
    truth = truth_of(100, 140)
    assert message(ask(truth, strata=truth), "HW502") == (
        "The F1 depends on the prevalence, and here strata fix the number of cases of each class."
    )


def test_strata_that_mix_classes_fix_no_prevalence() -> None:
    truth = truth_of(100, 140)
    assert "HW502" not in codes(ask(truth, strata=np.arange(240) % 2))


@pytest.mark.parametrize("name", ["sensitivity", "specificity", "auroc", "balanced_accuracy"])
def test_metrics_that_do_not_depend_on_the_prevalence(name: str) -> None:
    assert "HW502" not in codes(ask(truth_of(100, 100), metric=name))


def test_a_predictive_value_at_a_stated_prevalence_depends_on_that_of_no_data() -> None:
    assert "HW502" not in codes(ask(truth_of(100, 100), metric="ppv:prevalence=0.05"))


def test_few_cases_may_be_of_equal_number_by_chance() -> None:
    assert "HW502" not in codes(ask(truth_of(9, 9)))
    assert "HW502" in codes(ask(truth_of(10, 10)))


# --------------------------------------------------------------------------- texts


SMALL = [
    (truth_of(1, 3), {}),
    (truth_of(30, 1), {"average": "macro"}),
    (truth_of(2, 3, 1), {"average": "none"}),
    (truth_of(40, 1), {"groups": np.arange(41)}),
    (truth_of(3, 30, 1), {"average": "micro", "metric": "auroc"}),
    (truth_of(5, 5), {"threshold": "f1"}),
    (truth_of(20, 2), {"metric": "accuracy"}),
]


@pytest.mark.parametrize(("truth", "options"), SMALL)
def test_texts_are_sentences(truth: Any, options: dict[str, Any]) -> None:
    settings: dict[str, Any] = {"metric": "f1", "rng": 1, "n_resamples": 99}
    made = metric_ci(truth, probabilities(truth), **(settings | options))
    rows = [made] if isinstance(made, hw.Estimate) else list(made)
    raised = [caution for e in rows for caution in e.cautions]
    assert raised
    for caution in raised:
        assert "  " not in caution.message
        assert "{" not in caution.message
        assert caution.message.endswith(".")
        for slip in (" 1 cases", " 1 classes", " 1 clusters", " 1 more classes", "nan"):
            assert slip not in caution.message
