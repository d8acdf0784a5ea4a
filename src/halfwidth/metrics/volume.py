"""Errors of the volume of a predicted mask, per case."""

from __future__ import annotations

import math

from halfwidth.core.spec import Better, MetricSpec
from halfwidth.core.types import Bounds

__all__ = ["ABSOLUTE_VOLUME_ERROR", "RELATIVE_VOLUME_ERROR", "SYMMETRIC_VOLUME_ERROR"]

ABSOLUTE_VOLUME_ERROR = MetricSpec(
    "absolute_volume_error",
    title="absolute volume error",
    summary="|V - V_ref|, predicted against reference volume",
    bounds=Bounds(0.0, math.inf),
    better=Better.LOWER,
    unit="mm³",
    family="volume",
    synonyms=("absolute_volume_difference",),
    cite="maier_hein2024",
)

RELATIVE_VOLUME_ERROR = MetricSpec(
    "relative_volume_error",
    title="relative volume error",
    summary="(V - V_ref) / V_ref; -1 where nothing is predicted",
    bounds=Bounds(-1.0, math.inf),
    better=Better.ZERO,
    family="volume",
    synonyms=("relative_volume_difference", "rvd"),
    cite="maier_hein2024",
)

SYMMETRIC_VOLUME_ERROR = MetricSpec(
    "symmetric_volume_error",
    title="symmetric relative volume error",
    summary="2(V - V_ref) / (V + V_ref)",
    bounds=Bounds(-2.0, 2.0),
    better=Better.ZERO,
    family="volume",
    synonyms=("symmetric_relative_volume_difference",),
    cite="maier_hein2024",
)
