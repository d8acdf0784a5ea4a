"""Every per-case metric the package knows by its values."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.spec import MetricSpec, spec_of
from halfwidth.metrics import boundary, overlap, volume
from halfwidth.metrics.error import absolute_error, correct, squared_error

__all__ = ["METRICS"]

METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric",
    (
        overlap.DSC,
        overlap.IOU,
        overlap.CLDICE,
        overlap.F_BETA,
        overlap.SENSITIVITY,
        overlap.SPECIFICITY,
        overlap.PPV,
        boundary.HD,
        boundary.HD95,
        boundary.ASSD,
        boundary.MASD,
        boundary.NSD,
        boundary.BOUNDARY_IOU,
        volume.ABSOLUTE_VOLUME_ERROR,
        volume.RELATIVE_VOLUME_ERROR,
        volume.SYMMETRIC_VOLUME_ERROR,
        *(spec_of(function) for function in (absolute_error, squared_error, correct)),
    ),
)
