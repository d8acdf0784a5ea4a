"""Boundary metrics of a predicted and a reference mask, per case."""

from __future__ import annotations

import math

from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, Kind, MetricSpec
from halfwidth.core.types import UNIT_INTERVAL, Bounds

__all__ = ["ASSD", "BOUNDARY_IOU", "HD", "HD95", "MASD", "NSD"]

DISTANCE = Bounds(0.0, math.inf)

PERCENTILE = Parameter(
    "percentile",
    100.0,
    "percentile of the directed distances",
    above=0,
    at_most=100,
    unit="%",
)
TOLERANCE = Parameter(
    "tolerance",
    None,
    "distance within which a boundary counts as found",
    at_least=0,
    unit="mm",
)
BAND = Parameter(
    "distance",
    None,
    "half the width of the band around a boundary",
    above=0,
    unit="mm",
)

HD = MetricSpec(
    "hd",
    title="HD",
    summary="Hausdorff distance, the larger of the two directed distances between boundaries",
    bounds=DISTANCE,
    better=Better.LOWER,
    unit="mm",
    kind=Kind.DISCRETE,
    family="boundary",
    parameters=(PERCENTILE,),
    synonyms=("hausdorff", "hausdorff_distance"),
    cite="huttenlocher1993",
)

HD95 = MetricSpec(
    "hd95",
    title="HD95",
    summary="Hausdorff distance at the 95th percentile of the directed distances",
    bounds=DISTANCE,
    better=Better.LOWER,
    unit="mm",
    kind=Kind.DISCRETE,
    family="boundary",
    synonyms=("hausdorff95",),
    cite="huttenlocher1993",
)

ASSD = MetricSpec(
    "assd",
    title="ASSD",
    summary="average symmetric surface distance, the mean over both boundaries pooled",
    bounds=DISTANCE,
    better=Better.LOWER,
    unit="mm",
    family="boundary",
    reliable_n=75,
    cite="maier_hein2024",
)

MASD = MetricSpec(
    "masd",
    title="MASD",
    summary="mean average surface distance, the mean of the two directed means",
    bounds=DISTANCE,
    better=Better.LOWER,
    unit="mm",
    family="boundary",
    reliable_n=75,
    cite="maier_hein2024",
)

NSD = MetricSpec(
    "nsd",
    title="NSD",
    summary="normalised surface distance, the share of both boundaries within the tolerance",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="boundary",
    parameters=(TOLERANCE,),
    synonyms=("surface_dice", "normalized_surface_distance"),
    cite="nikolov2021",
)

BOUNDARY_IOU = MetricSpec(
    "boundary_iou",
    title="boundary IoU",
    summary="IoU of the bands around the two boundaries",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="boundary",
    parameters=(BAND,),
    synonyms=("biou",),
    cite="cheng2021",
)
