"""Whether the metrics of a structure fit into the memory allowed for a process."""

from __future__ import annotations

import math
from collections.abc import Sequence

from halfwidth.core.errors import DataError
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.core.undefined import Status
from halfwidth.metrics.boundary import SURFACE
from halfwidth.metrics.boundary_overlap import boundary_iou
from halfwidth.metrics.masks import MaskPair
from halfwidth.metrics.overlap import cldice

# Bytes, measured on files of allowed sizes and structures. Per voxel of an image: two maps,
# two masks and one more array; and the allowance of a process per allowed voxel, where
# 512 x 512 x 1600 voxels make 3 GB.
PER_VOXEL, ALLOWED = 5.1, 6.7
# Per voxel of a boundary: its place, its distance and its entry in a tree. A surface has two
# or three pieces per voxel.
PER_BOUNDARY, PIECES = 80, 2.5
# Per voxel of the bounding box in which a skeleton is thinned.
PER_SKELETON = 6.0


def check_memory(pair: MaskPair, label: str, metrics: Sequence[Metric], max_voxels: int) -> None:
    """Refuse boundary distances or skeletons that would take more memory than allowed."""
    if pair.presence is not Status.OK:
        return
    listed = [
        m for m in metrics if m.spec.family == "boundary" and m.spec.name != boundary_iou.__name__
    ]
    voxels = math.prod(pair.shape)
    problem, needed = "", 0.0
    if listed:
        count = sum(boundary.count for boundary in pair.boundaries)
        pieces = PIECES if any(m.parameters.get("definition") == SURFACE for m in listed) else 1.0
        needed = PER_BOUNDARY * pieces * count
        problem = f"its boundaries have {count} voxels, too many for {listed[0].spec.name}"
    if any(metric.spec.name == cldice.__name__ for metric in metrics):
        box = math.prod(pair.prediction.shape)
        if PER_SKELETON * box > needed:
            needed = PER_SKELETON * box
            problem = f"its bounding box has {box} voxels, too many for cldice"
    total = math.ceil((PER_VOXEL * voxels + needed) / ALLOWED)
    if needed and total > max_voxels:
        raise DataError(
            f"label {label}: {problem} in the memory allowed; is it noise? If there is more "
            f"memory: {spelled('max_voxels', total)}, else ask for metrics without distances (dsc)"
        )
