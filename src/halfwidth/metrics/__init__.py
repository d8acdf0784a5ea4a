"""Metrics: what a number per case or per test set measures, and the functions that compute it.

Sensitivity, specificity, PPV and F_β exist on the cases of a test set, which are the functions of
that name here, and on the voxels of a case: ``metrics.overlap.sensitivity`` and so on.
"""

from halfwidth.metrics.agreement import (
    accuracy,
    cohen_kappa,
    expected_cost,
    mcc,
    normalized_expected_cost,
)
from halfwidth.metrics.boundary import assd, hd, hd95, masd
from halfwidth.metrics.boundary_overlap import boundary_iou, nsd
from halfwidth.metrics.counting import (
    balanced_accuracy,
    confusion_matrix,
    f1,
    f_beta,
    lr_plus,
    net_benefit,
    npv,
    one_vs_rest,
    ppv,
    sensitivity,
    specificity,
    youden_j,
)
from halfwidth.metrics.error import absolute_error, correct, squared_error
from halfwidth.metrics.masks import MaskPair
from halfwidth.metrics.overlap import cldice, dsc, iou
from halfwidth.metrics.ranking import (
    auroc,
    average_precision,
    average_precision_interpolated,
    average_precision_trapezoid,
)
from halfwidth.metrics.regression import mae, mse, r2, rmse
from halfwidth.metrics.volume import (
    absolute_volume_error,
    relative_volume_error,
    symmetric_volume_error,
)

__all__ = [
    "MaskPair",
    "absolute_error",
    "absolute_volume_error",
    "accuracy",
    "assd",
    "auroc",
    "average_precision",
    "average_precision_interpolated",
    "average_precision_trapezoid",
    "balanced_accuracy",
    "boundary_iou",
    "cldice",
    "cohen_kappa",
    "confusion_matrix",
    "correct",
    "dsc",
    "expected_cost",
    "f1",
    "f_beta",
    "hd",
    "hd95",
    "iou",
    "lr_plus",
    "mae",
    "masd",
    "mcc",
    "mse",
    "net_benefit",
    "normalized_expected_cost",
    "npv",
    "nsd",
    "one_vs_rest",
    "ppv",
    "r2",
    "relative_volume_error",
    "rmse",
    "sensitivity",
    "specificity",
    "squared_error",
    "symmetric_volume_error",
    "youden_j",
]
