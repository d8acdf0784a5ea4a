"""The names of the glossary of metrics of Reinke et al. (2024), and what their profiles warn of.

Suppl. notes 1 and 4 have the names ("also referred to as"), note 3 the profiles.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support import Run

from halfwidth.cli.explained_metrics import in_full, is_known
from halfwidth.document.parts import Heading

# What the paper calls each metric, criterion and strategy.
NAMES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced Accuracy; BA",
    "expected_cost": "Expected Cost; EC; Expected Prediction Error; Expected Loss",
    "normalized_expected_cost": "ECN; Normalized Expected Cost",
    "mcc": "Matthews Correlation Coefficient; MCC; Phi Coefficient; phi",
    "cohen_kappa": "Cohen's Kappa; CK; Weighted Cohen's Kappa; WCK; Weighted Kappa Score",
    "f1": "F1 Score",
    "f_beta": "F_beta Score; F-beta",
    "net_benefit": "Net Benefit; NB",
    "npv": "Negative Predictive Value; NPV",
    "ppv": "Positive Predictive Value; PPV; Precision",
    "sensitivity": "Sensitivity; Recall; TPR; True Positive Rate; Hit Rate",
    "specificity": "Specificity; Selectivity; TNR; True Negative Rate",
    "lr_plus": "Positive Likelihood Ratio; LR+",
    "youden_j": "Youden's Index J; Youden's J",
    "auroc": "AUROC; AUC; AUC-ROC; C-Index; C-Statistics",
    "average_precision": "Average Precision; AP",
    "brier": "Brier Score; BS",
    "brier_skill": "Brier Skill Score; BSS",
    "root_brier": "Root Brier Score; RBS",
    "ece": "Expected Calibration Error; ECE; Class-Wise Calibration Error; CWCE",
    "mce": "Maximum Calibration Error; MCE",
    "ece_kde": "ECE-KDE; ECE^KDE",
    "kce": "Kernel Calibration Error; KCE",
    "nll": "Negative Log Likelihood; NLL",
    "dsc": "Dice Similarity Coefficient; DSC; Sørensen–Dice Coefficient; Balanced F Score",
    "iou": "Intersection over Union; IoU; Jaccard Index; Tanimoto Coefficient; tanimoto",
    "cldice": "centerline Dice Similarity Coefficient; clDice",
    "assd": "ASSD; Average Symmetric Surface Distance; Weighted Bilateral Mean Contour Distance",
    "boundary_iou": "Boundary Intersection over Union; Boundary IoU",
    "hd": "Hausdorff Distance; HD; Hausdorff Metric; Pompeiu–Hausdorff Distance; "
    "Maximum Symmetric Surface Distance",
    "hd95": "Hausdorff Distance 95th Percentile; HD95",
    "masd": "Mean Average Surface Distance; MASD; Mean Surface Distance",
    "nsd": "Normalized Surface Distance; NSD; Normalized Surface Dice; Surface Dice; Surface DSC",
    "absolute_volume_error": "Absolute Volume Error",
    "relative_volume_error": "Relative Volume Error",
    "symmetric_volume_error": "Symmetric Relative Volume Difference",
    "fppi": "False Positives per Image; FPPI",
    "froc_score": "FROC Score; Free-Response Receiver Operating Characteristic",
    "ap": "mAP; mean Average Precision",
    "pq": "Panoptic Quality; PQ",
    "box_iou": "Box IoU",
    "mask_iou": "Mask IoU",
    "mask_overlap": "Mask IoU > 0",
    "approximate_iou": "Approx IoU",
    "ior": "Intersection over Reference; IoR",
    "centre_distance": "Center Distance",
    "point_in_mask": "Point inside Mask",
    "point_in_box": "Point inside Box",
    "greedy_by_score": "Greedy by Score",
    "greedy_by_localisation": "Greedy by Localization Criterion",
    "hungarian": "Hungarian Matching; Optimal Matching",
    "overlap_above_half": "Matching via Overlap > 0.5",
}


def test_a_metric_is_known_by_whatever_the_glossary_calls_it(run: Run) -> None:
    meant = {called: name for name, many in NAMES.items() for called in many.split("; ")}
    assert len(meant) > 120
    found = {called: names_of(called) for called in meant}
    assert [called for called, names in found.items() if meant[called] not in names] == []
    for called in ("WCK", "LR+", "tanimoto", "Sørensen–Dice Coefficient"):
        assert run("explain", called).out.startswith(f"{meant[called]}: ")


def names_of(called: str) -> list[str]:
    """The metrics, criteria and strategies that are explained by a name."""
    parts = in_full(called).parts if is_known(called) else ()
    return [part.text.partition(":")[0] for part in parts if isinstance(part, Heading)]


def explained(name: str, run: Run) -> tuple[str, list[str]]:
    """What is said of the prevalence, and the pitfalls."""
    printed = run("explain", name).out
    told = re.findall(r"^changes with prevalence +(.*(?:\n .*)*)", printed, re.MULTILINE)
    # Of the first that goes by this name.
    pitfalls = printed.partition("Pitfalls:\n")[2].partition("\n\n")[0]
    listed = re.split(r"\n  (?! )", "\n" + pitfalls)
    return " ".join("".join(told).split()), [" ".join(one.split()) for one in listed[1:]]


# Fig. SN 2.7, and the profiles of the expected cost and the Brier score.
DEPENDENT = [
    "accuracy",
    "ppv",
    "npv",
    "f1",
    "mcc",
    "cohen_kappa",
    "net_benefit",
    "average_precision",
    "brier",
]
INDEPENDENT = ["balanced_accuracy", "youden_j", "lr_plus", "sensitivity", "specificity", "auroc"]


def test_a_metric_says_whether_it_changes_with_the_prevalence(run: Run) -> None:
    for name in DEPENDENT:
        assert re.match("yes(?!.*no:)", explained(name, run)[0]), name
    for name in INDEPENDENT:
        assert re.match("no(?!.*yes)", explained(name, run)[0]), name
    assert "unless priors are given" in explained("EC", run)[0]
    assert "unless one is given" in explained("PPV", run)[0]
    # Masks have a background, and errors of numbers no classes.
    assert explained("dsc", run)[0] == explained("mae", run)[0] == ""


@pytest.mark.parametrize(
    ("name", "count", "one"),
    [
        ("EC", 3, "Rare in publications"),
        ("ECN", 5, "give up what it says of predictive values"),
        ("MCC", 3, "All wrong is not -1"),
        ("brier", 3, "Not for ordered classes"),
        ("KCE", 4, "grows with the square"),
        ("box_iou", 10, "Boxes describe"),
        ("mask_iou", 10, "The threshold decides"),
        ("iou", 8, "0/0 where both masks are empty"),
        ("f1", 3, "Changes when the other class"),
    ],
)
def test_the_pitfalls_of_a_profile_are_told(name: str, count: int, one: str, run: Run) -> None:
    _, pitfalls = explained(name, run)
    assert len(pitfalls) >= count
    assert one in " ".join(pitfalls)


@pytest.fixture
def classes(tmp_path: Path) -> str:
    """Three ordered classes with their probabilities."""
    generator = np.random.default_rng(5)
    rows = ["case,y,pred,p0,p1,p2"]
    for case in range(60):
        truth = int(generator.integers(3))
        scores = generator.random(3) + 0.7 * (np.arange(3) == truth)
        shares = ",".join(f"{share:.6f}" for share in scores / scores.sum())
        rows.append(f"{case},{truth},{int(scores.argmax())},{shares}")
    file = tmp_path / "classes.csv"
    file.write_text("\n".join(rows) + "\n")
    return str(file)


def test_a_weighted_kappa_has_weights_which_must_be_said(classes: str, run: Run) -> None:
    asked = (
        "ci",
        classes,
        "--target",
        "y",
        "--prediction",
        "pred",
        "--method",
        "delta",
        "--format",
        "csv",
    )
    refused = run(*asked, "--metric", "WCK")
    assert refused.status == 2
    assert "linear or quadratic" in refused.err
    assert run(*asked, "--metric", "WCK:none").status == 2
    rows = {
        metric: run(*asked, "--metric", metric).out
        for metric in ("WCK:linear", "cohen_kappa:weights=linear", "CK")
    }
    assert rows["WCK:linear"] == rows["cohen_kappa:weights=linear"] != rows["CK"]


def test_the_class_wise_calibration_error_is_the_mean_of_the_ece_over_classes(
    classes: str, run: Run
) -> None:
    scores = [word for k in range(3) for word in ("--score", f"p{k}")]
    asked = ("ci", classes, "--target", "y", *scores, "--seed", "1", "--n-resamples", "99")
    numbers = {
        metric: re.findall(
            r"0\.\d{5,}", run(*asked, "--format", "csv", "--metric", *metric.split()).out
        )
        for metric in ("CWCE", "ece --average macro", "ece")
    }
    assert len(numbers["CWCE"]) >= 3
    assert numbers["CWCE"] == numbers["ece --average macro"] != numbers["ece"]
    assert "class-wise ECE" in run(*asked, "--metric", "CWCE").out
