"""Metrics: what a number per case or per test set measures, and the functions that compute it."""

from halfwidth.metrics.agreement import (
    accuracy,
    cohen_kappa,
    expected_cost,
    mcc,
    normalized_expected_cost,
)
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
from halfwidth.metrics.ranking import (
    auroc,
    average_precision,
    average_precision_interpolated,
    average_precision_trapezoid,
)
from halfwidth.metrics.regression import mae, mse, r2, rmse

__all__ = [
    "absolute_error",
    "accuracy",
    "auroc",
    "average_precision",
    "average_precision_interpolated",
    "average_precision_trapezoid",
    "balanced_accuracy",
    "cohen_kappa",
    "confusion_matrix",
    "correct",
    "expected_cost",
    "f1",
    "f_beta",
    "lr_plus",
    "mae",
    "mcc",
    "mse",
    "net_benefit",
    "normalized_expected_cost",
    "npv",
    "one_vs_rest",
    "ppv",
    "r2",
    "rmse",
    "sensitivity",
    "specificity",
    "squared_error",
    "youden_j",
]
