"""What is given to verbs in place of data, and what the errors make of it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import halfwidth as hw

A, B = [0.9, 0.8, 0.95, 0.7], [0.8, 0.7, 0.9, 0.75]
Y, P = [0, 1] * 20, [i / 40 for i in range(40)]
VALUES = hw.CaseValues.from_arrays(A, metric="dsc")
TEST = hw.Predictions.from_arrays(Y, P)
FRAME = pd.DataFrame({"case": list("abcd"), "dice": A})
QUICK: dict[str, Any] = {"n_resamples": 99, "rng": 1}
MODELS = {"A": A, "B": B}


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (({"A": VALUES, "B": VALUES},), {}, "CaseValues.from_arrays({'A': values, 'B': values})"),
        (([VALUES, VALUES],), {}, "CaseValues stand for all models that they hold, and go alone"),
        (({"A": TEST},), {"metric": "auroc"}, "Predictions.from_arrays(y_true, {'A': scores, '"),
        ((FRAME, FRAME), {"metric": "dsc"}, "name the models of both: {'A': table, 'B': table}"),
        ((MODELS, "B"), {}, "'B' names a model of these, which options do: baseline='B', of a "),
        ((FRAME, "dice"), {}, "CaseValues.from_table(table, 'dice')"),
        ((hw.estimate(VALUES),), {}, "expected data, got Estimates; only plot and report"),
        ((MODELS,), {"metric": "auroc"}, "predictions of each model: (y_true, {'A': scores, 'B'"),
        ((Y[:9], {"A": P}), {"metric": "auroc"}, "model 'A' has 40 cases, and there are 9 true "),
        ((MODELS,), {"correction": "fdr"}, "did you mean 'benjamini_hochberg'?"),
        ((MODELS,), {"effect": "relative"}, "did you mean 'ratio'?"),
    ],
)
def test_what_is_no_data_is_told_from_what_is(
    given: tuple[Any, ...], options: dict[str, Any], words: str
) -> None:
    compare: Any = hw.compare
    with pytest.raises(hw.HalfwidthError) as caught:
        compare(*given, **options, **QUICK)
    assert words in str(caught.value)


def test_data_are_no_result() -> None:
    with pytest.raises(hw.OptionError, match=r"what a verb returns: plot\(estimate\(data\)\)"):
        hw.plot(VALUES)  # type: ignore[arg-type]


def test_a_report_is_of_data_alone() -> None:
    with pytest.raises(hw.OptionError, match=r"report\(Predictions\.from_arrays\(y_true, y_score"):
        hw.report(Y, {"A": P}, metric="auroc")  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["groups", "strata"])
def test_labels_of_images_in_memory_are_counted_at_once(option: str) -> None:
    from_files: Any = hw.Detections.from_files
    images = [{"boxes": [[0, 0, 5, 5]], "labels": [1], "scores": [0.5]}] * 4
    for labels in ([1, 2], np.array([1, 2])):
        with pytest.raises(hw.DataError, match=f"{option} has 2 labels for 4 images"):
            from_files(images, images, **{option: labels})
    assert from_files(images, images, **{option: [1, 1, 2, 2]}).models == ()


def test_a_verb_of_one_model_says_how_one_is_given() -> None:
    several = hw.Predictions.from_arrays(Y, {"A": P, "B": P})
    with pytest.raises(hw.OptionError, match=r"have 2 \(A, B\); data\.taking\(\['A'\]\) is of one"):
        hw.confusion_ci(several)
    assert hw.confusion_ci(several.taking(["A"]))
    with pytest.raises(hw.UnknownNameError, match="unknown model 'C'"):
        several.taking(["C"])


@pytest.mark.parametrize("verb", [hw.compare, hw.rank, hw.limits_of_agreement])
def test_columns_that_are_models_are_named_by_a_mapping(verb: Any) -> None:
    wide = pd.DataFrame({"case": list("abcd"), **MODELS})
    with pytest.raises(hw.OptionError, match=r"value=\{'A': 'A', 'B': 'B'\}"):
        verb(hw.CaseValues.from_table(wide, ["A", "B"], metric="dsc"))
    assert verb(hw.CaseValues.from_table(wide, {"A": "A", "B": "B"}, metric="dsc"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (TEST, "Predictions.from_arrays(y_true, {'A': scores, 'B': scores}), or .from_table("),
        (
            hw.Predictions.from_table({"y": Y, "p": P}, "y", score="p"),
            "score={'A': 'column', 'B': 'column'})",
        ),
        (hw.Detections.from_files([{}], [{}]), "Detections.from_files({'A': detections, 'B': "),
    ],
)
def test_one_model_without_a_name_says_how_several_have_names(data: Any, words: str) -> None:
    for verb in (hw.compare, hw.rank, partial(hw.gate, margin=0.1)):
        with pytest.raises(hw.OptionError) as caught:
            verb(data, metric="auroc")
        assert words in str(caught.value)


def test_an_option_of_matching_is_met_by_its_own_name() -> None:
    with pytest.raises(
        hw.OptionError, match=r"unknown option of a matching 'iou'.* It is called thr"
    ):
        hw.Detections.from_files([{}], [{}], matching={"iou": 0.3})
