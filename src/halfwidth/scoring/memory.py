"""Whether the metrics of a structure fit into the memory that a process may take."""

from __future__ import annotations

import math
from collections.abc import Sequence

from halfwidth.core.errors import DataError
from halfwidth.core.spec import Metric
from halfwidth.core.undefined import Status
from halfwidth.metrics.boundary import SURFACE
from halfwidth.metrics.masks import MaskPair

__all__ = ["check_room"]

# Bytes, measured on files of the sizes and structures allowed. Of a voxel of an image: two maps,
# two masks and one more; what a process may take for each that is allowed, where 512 x 512 x 1600
# make 3 GB.
PER_VOXEL, ALLOWED = 5.1, 6.7
# Of a voxel of a boundary: its place and distance, and where it lies in a tree. A surface has two
# or three pieces for each.
PER_BOUNDARY, PIECES = 80, 2.5
# Of a voxel of the box that a skeleton is thinned in.
PER_SKELETON = 6.0


def check_room(pair: MaskPair, label: str, metrics: Sequence[Metric], max_voxels: int) -> None:
    """Refuse distances of boundaries, or skeletons, that would take more memory than is allowed.

    Raises
    ------
    DataError
        Names the label, and what would do.
    """
    if pair.presence is not Status.OK:
        return
    listed = [m for m in metrics if m.spec.family == "boundary" and m.spec.name != "boundary_iou"]
    voxels = math.prod(pair.shape)
    told, needed = "", 0.0
    if listed:
        count = sum(boundary.count for boundary in pair.boundaries)
        pieces = PIECES if any(m.parameters.get("definition") == SURFACE for m in listed) else 1.0
        needed = PER_BOUNDARY * pieces * count
        told = f"its boundaries have {count} voxels, too many for {listed[0].spec.name}"
    if any(metric.spec.name == "cldice" for metric in metrics):
        box = math.prod(pair.prediction.shape)
        if PER_SKELETON * box > needed:
            needed = PER_SKELETON * box
            told = f"its box has {box} voxels, too many for cldice"
    total = math.ceil((PER_VOXEL * voxels + needed) / ALLOWED)
    if needed and total > max_voxels:
        raise DataError(
            f"label {label}: {told} in the memory allowed; is it noise? If there is more memory: "
            f"--max-voxels {total} (max_voxels=), else ask for metrics without distances (dsc)"
        )
