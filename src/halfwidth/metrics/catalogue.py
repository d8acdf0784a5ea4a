"""Every metric the package knows: those of a case by their values, those of a test set."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.spec import MetricSpec, spec_of
from halfwidth.metrics import (
    agreement,
    boundary,
    boundary_overlap,
    counting,
    overlap,
    ranking,
    regression,
    volume,
)
from halfwidth.metrics.error import absolute_error, correct, squared_error

METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric",
    tuple(
        spec_of(function)
        for function in (
            overlap.dsc,
            overlap.iou,
            overlap.cldice,
            overlap.f_beta,
            overlap.sensitivity,
            overlap.specificity,
            overlap.ppv,
            boundary.hd,
            boundary.hd95,
            boundary.assd,
            boundary.masd,
            boundary_overlap.nsd,
            boundary_overlap.boundary_iou,
            volume.absolute_volume_error,
            volume.relative_volume_error,
            volume.symmetric_volume_error,
            absolute_error,
            squared_error,
            correct,
        )
    ),
)

SAMPLE_METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric of a test set",
    tuple(
        spec_of(function)
        for function in (
            agreement.accuracy,
            counting.balanced_accuracy,
            counting.sensitivity,
            counting.specificity,
            counting.ppv,
            counting.npv,
            counting.f1,
            counting.f_beta,
            agreement.mcc,
            agreement.cohen_kappa,
            counting.youden_j,
            counting.lr_plus,
            counting.net_benefit,
            agreement.expected_cost,
            agreement.normalized_expected_cost,
            ranking.auroc,
            ranking.average_precision,
            ranking.average_precision_trapezoid,
            ranking.average_precision_interpolated,
            regression.mae,
            regression.mse,
            regression.rmse,
            regression.r2,
        )
    ),
)
