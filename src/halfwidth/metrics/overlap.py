"""Overlap metrics of a predicted and a reference mask, per case."""

from __future__ import annotations

from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, MetricSpec
from halfwidth.core.types import UNIT_INTERVAL

__all__ = ["CLDICE", "DSC", "F_BETA", "IOU", "PPV", "SENSITIVITY", "SPECIFICITY"]


BETA = Parameter("beta", 1.0, "weight of sensitivity against PPV", above=0)

DSC = MetricSpec(
    "dsc",
    title="DSC",
    summary="Dice similarity coefficient, 2|A∩B| / (|A| + |B|)",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="overlap",
    synonyms=("dice",),
    cite="dice1945",
)

IOU = MetricSpec(
    "iou",
    title="IoU",
    summary="intersection over union, |A∩B| / |A∪B|",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="overlap",
    synonyms=("jaccard",),
    cite="jaccard1912",
)

CLDICE = MetricSpec(
    "cldice",
    title="clDice",
    summary="harmonic mean of topology precision and sensitivity on skeletons",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="overlap",
    synonyms=("centreline_dice", "centerline_dice"),
    cite="shit2021",
)

F_BETA = MetricSpec(
    "f_beta",
    title="Fβ",
    summary="(1 + β²)·PPV·sensitivity / (β²·PPV + sensitivity) on voxels of a case",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="overlap",
    parameters=(BETA,),
    synonyms=("fbeta", "f_score"),
    cite="van_rijsbergen1979",
)

SENSITIVITY = MetricSpec(
    "sensitivity",
    title="sensitivity",
    summary="share of the reference that is found, TP / (TP + FN), on voxels of a case",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="overlap",
    synonyms=("recall", "tpr"),
    cite="maier_hein2024",
)

SPECIFICITY = MetricSpec(
    "specificity",
    title="specificity",
    summary="share of the background that is left alone, TN / (TN + FP), on voxels of a case",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="overlap",
    synonyms=("tnr",),
    cite="maier_hein2024",
)

PPV = MetricSpec(
    "ppv",
    title="PPV",
    summary="share of the prediction that is right, TP / (TP + FP), on voxels of a case",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="overlap",
    synonyms=("precision",),
    cite="maier_hein2024",
)
