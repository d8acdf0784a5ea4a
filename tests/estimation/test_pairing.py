"""Series and frames whose rows carry labels: paired by label, or refused, never by place alone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from over_data import metric_ci, over
from support import codes, message

import halfwidth as hw

curves_from = over(hw.curve, hw.Predictions.from_arrays)

N = 40
RNG = np.random.default_rng(9)
NAMES = [f"c{i:02d}" for i in range(N)]
ORDER = RNG.permutation(N)
HARD = RNG.normal(size=N)
DICE = pd.Series(np.clip(0.85 + 0.06 * HARD + 0.01 * RNG.normal(size=N), 0, 1), NAMES)
OTHER = pd.Series(np.clip(0.84 + 0.06 * HARD + 0.01 * RNG.normal(size=N), 0, 1), NAMES)
PATIENT = pd.Series(np.arange(N) // 4, NAMES)
SITE = pd.Series(np.arange(N) % 2, NAMES)
TRUTH = pd.Series(np.arange(N) % 2, NAMES)
SCORE = pd.Series(np.clip(0.3 * TRUTH + 0.7 * RNG.random(N), 0, 1), NAMES)
WEIGHT = pd.Series(1.0 + np.arange(N) % 5, NAMES)
COUNTED = [pd.RangeIndex(N), pd.Index(np.arange(N))]


def numbers(e: hw.Estimate) -> tuple[float, float, float]:
    return e.value, e.low, e.high


def complaint(function: Any, *given: Any, **options: Any) -> str:
    with pytest.raises(hw.DataError) as caught:
        function(*given, **options)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    return text


# --------------------------------------------------------------------------- equal sets of labels


def test_pairs_in_another_order_are_paired_by_label_and_it_is_said() -> None:
    right = hw.difference_ci(DICE, OTHER, metric="dsc", method="t")
    e = hw.difference_ci(DICE, OTHER.iloc[ORDER], metric="dsc", method="t")
    assert numbers(e) == numbers(right)
    assert "HW409" not in codes(right)
    first = NAMES[ORDER[0]]
    assert message(e, "HW409") == (
        f"The labels of other come in another order than those of values ({first!r} is first, not "
        "'c00'): paired by label."
    )
    wrong = hw.difference_ci(
        DICE.to_numpy(), OTHER.iloc[ORDER].to_numpy(), metric="dsc", method="t"
    )
    assert wrong.width > 3 * e.width


@pytest.mark.parametrize("option", ["groups", "strata"])
def test_clusters_and_strata_of_values(option: str) -> None:
    labels = {"groups": PATIENT, "strata": SITE}[option]
    straight: dict[str, Any] = {option: labels}
    moved: dict[str, Any] = {option: labels.iloc[ORDER]}
    right = hw.summary_ci(DICE, metric="dsc", rng=1, **straight)
    e = hw.summary_ci(DICE, metric="dsc", rng=1, **moved)
    assert numbers(e) == numbers(right)
    assert codes(e) == sorted([*codes(right), "HW409"])
    assert f"The labels of {option} come in another order" in message(e, "HW409")
    pair = hw.difference_ci(DICE, OTHER, metric="dsc", rng=1, **moved)
    assert numbers(pair) == numbers(hw.difference_ci(DICE, OTHER, metric="dsc", rng=1, **straight))


GIVEN: dict[str, Any] = {
    "y_true": TRUTH,
    "y_score": SCORE,
    "groups": PATIENT,
    "strata": PATIENT % 2,
    "sample_weight": WEIGHT,
}


@pytest.mark.parametrize("moved", list(GIVEN))
def test_everything_given_for_the_cases_of_a_test_set(moved: str) -> None:
    how: dict[str, Any] = {"metric": "auroc", "rng": 1, "n_resamples": 199}
    right = metric_ci(**GIVEN, **how)
    e = metric_ci(**(GIVEN | {moved: GIVEN[moved].iloc[ORDER]}), **how)
    # Moving the first moves the order of cases, on which nothing depends, and all others.
    assert numbers(e) == pytest.approx(numbers(right), rel=1e-12)
    assert codes(e).count("HW409") == (4 if moved == "y_true" else 1)


def test_curves_confusions_and_regressions() -> None:
    moved = SCORE.iloc[ORDER]
    (right,) = curves_from(TRUTH, SCORE, n_resamples=49, rng=1, kind="roc")
    (curve,) = curves_from(TRUTH, moved, n_resamples=49, rng=1, kind="roc")
    np.testing.assert_array_equal(curve.y, right.y)
    assert curve.area is not None
    assert "HW409" in codes(curve.area)
    cells = hw.confusion_ci(TRUTH, moved)
    np.testing.assert_array_equal(cells.counts, hw.confusion_ci(TRUTH, SCORE).counts)
    error = metric_ci(DICE, OTHER.iloc[ORDER], metric="mae", rng=1)
    assert numbers(error) == numbers(metric_ci(DICE, OTHER, metric="mae", rng=1))
    assert "HW409" in codes(error)


def test_numbers_as_labels_and_labels_of_several_levels() -> None:
    labels = [pd.Index(np.arange(N) + 100), pd.MultiIndex.from_arrays([PATIENT, NAMES])]
    for index in labels:
        first, second = DICE.set_axis(index), OTHER.set_axis(index)
        e = hw.difference_ci(first, second.iloc[ORDER], metric="dsc", rng=1)
        assert e.value == pytest.approx((DICE - OTHER).mean())
        assert "HW409" in codes(e)
        assert json.loads(e.to_json())


def test_the_rows_of_one_frame_in_another_order_are_its_rows() -> None:
    frame = pd.DataFrame({"a": DICE.to_numpy(), "b": OTHER.to_numpy()})
    e = hw.difference_ci(frame["a"], frame["b"].sort_values(), metric="dsc", rng=1)
    assert e.value == pytest.approx((DICE - OTHER).mean())
    assert "HW409" in codes(e)


# --------------------------------------------------------------------------- places


def test_arrays_and_indexes_that_only_count_pair_by_place() -> None:
    right = hw.difference_ci(DICE, OTHER, metric="dsc", rng=1)
    for other in (OTHER.to_numpy(), OTHER.tolist(), *(OTHER.set_axis(i) for i in COUNTED)):
        e = hw.difference_ci(DICE, other, metric="dsc", rng=1)
        assert numbers(e) == numbers(right)
        assert codes(e) == codes(right)


def test_predictions_for_a_part_that_was_split_off_pair_by_place() -> None:
    # What train_test_split leaves: labels of the whole data, shuffled, and new predictions.
    truth = pd.Series(TRUTH.to_numpy(), ORDER * 3)
    right = metric_ci(TRUTH, SCORE, metric="auroc", rng=1)
    for predictions in (SCORE.to_numpy(), pd.Series(SCORE.to_numpy())):
        e = metric_ci(truth, predictions, metric="auroc", rng=1)
        assert (numbers(e), codes(e)) == (numbers(right), codes(right))


@pytest.mark.parametrize("counted", COUNTED)
def test_predictions_beside_a_whole_frame_that_was_shuffled_are_refused(counted: Any) -> None:
    truth = pd.Series(TRUTH.to_numpy()[ORDER], ORDER)
    score = SCORE.set_axis(counted)
    text = complaint(metric_ci, truth, score, metric="auroc")
    assert text.startswith("y_true has the rows 0, 1, 2, ... of a frame in another order, and ")
    assert ".to_numpy() of both" in text
    assert "y_score.loc[y_true.index]" in text
    assert complaint(curves_from, score, truth, kind="roc").startswith(
        "y_score has the rows 0, 1, 2, ..."
    )
    # Both ways out lead to what they say.
    by_label = metric_ci(truth, score.loc[truth.index], metric="auroc")
    assert by_label.value == metric_ci(TRUTH, SCORE, metric="auroc").value
    metric_ci(truth.to_numpy(), score.to_numpy(), metric="auroc")


# --------------------------------------------------------------------------- what is refused


def test_labels_that_differ_are_refused_by_name() -> None:
    text = complaint(hw.difference_ci, DICE, OTHER.rename({"c03": "x", "c05": "y"}))
    assert text == (
        "other has 2 of 40 labels in its index that values lacks ('x', 'y'), so their cases "
        "differ. If rows belong together by place, pass .to_numpy() of each"
    )
    groups = PATIENT.set_axis([f"d{i}" for i in range(N)])
    text = complaint(metric_ci, TRUTH, SCORE, metric="auroc", groups=groups)
    assert "groups has 40 of 40 labels in its index that y_true lacks ('d0', 'd1', 'd2'" in text


def test_labels_that_repeat_are_refused_in_another_order_only() -> None:
    labels = ["c00", "c00", *NAMES[2:]]
    first, second = DICE.set_axis(labels), OTHER.set_axis(labels)
    text = complaint(hw.difference_ci, first, second.iloc[::-1])
    assert text.startswith("other and values repeat labels in their indexes ('c00'), in ")
    e = hw.difference_ci(first, second, metric="dsc", rng=1)
    assert e.value == pytest.approx((DICE - OTHER).mean())


def test_lengths_that_differ_are_a_matter_of_length() -> None:
    assert "differ in length (40 and 39)" in complaint(hw.difference_ci, DICE, OTHER.iloc[1:])
    assert "groups has 39 labels for 40 values" in complaint(
        hw.summary_ci, DICE, groups=PATIENT.iloc[1:]
    )


def test_columns_of_a_mapping_with_labels_in_another_order_are_refused() -> None:
    text = complaint(
        over(hw.estimate, hw.CaseValues.from_table),
        {"dice": DICE, "site": SITE.iloc[ORDER]},
        "dice",
        by="site",
    )
    assert text.startswith("columns 'dice' and 'site' carry different labels, or the same in ")
    e = hw.estimate(
        hw.CaseValues.from_table({"dice": DICE, "site": SITE}, "dice", by="site", metric="dsc")
    )[0]
    assert e.n == N // 2
    counted = pd.Series(SITE.to_numpy())
    assert (
        len(
            hw.estimate(
                hw.CaseValues.from_table({"dice": DICE, "site": counted}, "dice", by="site")
            )
        )
        == 2
    )
    shuffled = {"dice": DICE.set_axis(COUNTED[0]), "site": counted.iloc[ORDER]}
    assert "carry different labels" in complaint(
        over(hw.estimate, hw.CaseValues.from_table), shuffled, "dice", by="site"
    )


@pytest.mark.parametrize("labels", [dict(zip(NAMES, PATIENT, strict=True)), set(NAMES)])
def test_what_has_no_order_of_cases_is_no_column_of_clusters(labels: Any) -> None:
    with pytest.raises(hw.OptionError, match="which has no order of cases"):
        hw.summary_ci(DICE.to_numpy(), groups=labels)


def test_a_frame_of_clusters_is_refused_by_its_shape() -> None:
    assert "groups has shape (40, 1)" in complaint(hw.summary_ci, DICE, groups=PATIENT.to_frame())


# --------------------------------------------------------------------------- labels that repeat


def test_labels_of_cases_that_repeat_are_cautioned() -> None:
    patients = pd.Index([f"P{i // 4}" for i in range(N)], name="PatientID")
    e = hw.summary_ci(DICE.set_axis(patients), metric="dsc")
    assert message(e, "HW402").startswith("Column 'PatientID' repeats: 40 cases share 10 levels")
    assert "HW402" in codes(metric_ci(TRUTH.set_axis(patients), SCORE.to_numpy(), metric="f1"))
    grouped = hw.summary_ci(DICE.set_axis(patients), metric="dsc", groups=patients)
    assert "HW402" not in codes(grouped)
    unnamed = hw.summary_ci(DICE.set_axis(patients.rename(None)), metric="dsc")
    assert message(unnamed, "HW102").startswith("30 of 40 rows repeat a case id")


def test_levels_of_an_index_are_columns() -> None:
    index = pd.MultiIndex.from_arrays([PATIENT, NAMES], names=["subject", "image"])
    e = hw.difference_ci(DICE.set_axis(index), OTHER.set_axis(index), metric="dsc")
    assert "HW402" in codes(e)


@pytest.mark.parametrize(
    "index",
    [
        pd.Index(np.arange(N) % 20),
        pd.Index(np.arange(N) % 4, name="model"),
        pd.Index(NAMES, name="patient"),
    ],
    ids=["frames behind each other", "another level", "one row each"],
)
def test_indexes_that_say_nothing_of_it_are_not_cautioned(index: Any) -> None:
    assert not {"HW102", "HW402"} & set(codes(hw.summary_ci(DICE.set_axis(index), metric="dsc")))


# --------------------------------------------------------------------------- classes


def test_columns_named_by_classes_are_scores_of_these_classes() -> None:
    score = np.asarray(SCORE)
    named = pd.DataFrame({"sick": score, "well": 1 - score})
    truth = np.where(TRUTH == 1, "well", "sick")
    right = metric_ci(truth, named.to_numpy(), metric="auroc", pos_label="well", rng=1)
    e = metric_ci(truth, named[["well", "sick"]], metric="auroc", pos_label="well", rng=1)
    assert numbers(e) == numbers(right)
    assert message(e, "HW409").startswith("The labels of the columns of y_score come in another")
    assert "HW409" not in codes(metric_ci(truth, named, metric="auroc", pos_label="well"))
    other = named.set_axis(["p0", "p1"], axis=1)
    assert "HW409" not in codes(metric_ci(truth, other, metric="auroc", pos_label="well"))


def test_columns_named_for_classes_with_something_before_it() -> None:
    score = np.asarray(SCORE)
    frame = pd.DataFrame({"p_1": score, "p_0": 1 - score})
    e = metric_ci(TRUTH.to_numpy(), frame, metric="auroc")
    assert e.value == metric_ci(TRUTH, SCORE, metric="auroc").value
    assert "'p_1' is first, not '0'" in message(e, "HW409")
    # Classes that were named in the order of the columns are believed.
    said = metric_ci(TRUTH.to_numpy(), frame, metric="auroc", labels=[0, 1])
    assert (said.value, "HW409" in codes(said)) == (pytest.approx(1 - e.value), False)


def test_costs_and_priors_labelled_by_classes() -> None:
    how: dict[str, Any] = {"metric": "expected_cost", "rng": 1, "n_resamples": 49}
    right = metric_ci(TRUTH, SCORE, priors=[0.9, 0.1], costs=[[0, 1], [5, 0]], **how)
    priors = pd.Series({1: 0.1, 0: 0.9})
    costs = pd.DataFrame([[0, 5], [1, 0]], index=[1, 0], columns=[1, 0])
    e = metric_ci(TRUTH, SCORE, priors=priors, costs=costs, **how)
    assert numbers(e) == numbers(right)
    text = complaint(metric_ci, TRUTH, SCORE, priors=pd.Series({"a": 0.9, "b": 0.1}), **how)
    assert text.startswith(
        "priors has the labels a, b, but the classes are 0, 1; label it by the classes"
    )
