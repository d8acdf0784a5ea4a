"""Criteria of localisation that measure how much a detection and a reference share."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.errors import DataError
from halfwidth.core.objects import CroppedMask
from halfwidth.core.types import Array
from halfwidth.detection.matching.match_lists import Admits
from halfwidth.detection.metrics.localisation import LocalisationSpec, Pairs
from halfwidth.detection.metrics.mask_overlaps import shared_voxels, sizes
from halfwidth.detection.metrics.representations import (
    Known,
    boxes_of,
    distances,
    extents,
    first_held,
    holds,
)
from halfwidth.metrics.boundary_geometry import (
    boundary_bits,
    cheng_layers,
    chessboard_band,
    inner_band,
)

Masks = tuple[CroppedMask, ...]
MASKS, BOXES, BALLS = Known.MASKS, Known.BOXES, Known.BALLS
# Pairs of boxes whose intermediate values stay in the cache.
AT_ONCE = 1 << 14
ROUGH = (BALLS, BOXES, MASKS)
LEAST_OVERLAP = (
    "ignores shapes, boundaries and centres",
    "the same error costs small objects more",
    "in 3-D the same error costs more than in 2-D",
    "an object that is marked too small loses more than one marked too large",
    "counts what careful readers differ by as error",
    "not defined for two empty masks",
    "a low threshold takes a detection of half the image for a hit",
    "several detections of one object cost false positives, or nothing, by the assignment",
    "the threshold decides the result: choose it beforehand, or show several",
)


def _quotient(
    pairs: Pairs, shared: Array, detected: Array, true: Array, *, over_reference: bool
) -> Array:
    """What is shared over the union, or over a crowd's detection; 0 where nothing is shared."""
    values, some = np.zeros(len(shared)), np.flatnonzero(shared > 0)
    first, second, part = pairs.first[some], pairs.second[some], shared[some]
    whole = true[second]
    if not over_reference:
        whole = whole + detected[first] - part
    if pairs.crowd is not None:
        whole = np.where(pairs.crowd[some], detected[first], whole)
    values[some] = part / whole
    return values


# --------------------------------------------------------------------------- boxes and balls


def _compare_boxes(
    pairs: Pairs, detected: Array, true: Array, *, over_reference: bool = False
) -> Array:
    dims = true.shape[1] // 2
    detected_size, true_size = extents(detected), extents(true)
    detected, true = np.ascontiguousarray(detected.T), np.ascontiguousarray(true.T)
    values = np.empty(len(pairs.first))
    for start in range(0, len(values), AT_ONCE):
        some = pairs.some(slice(start, start + AT_ONCE))
        shared = np.ones(len(some.first))
        for axis in range(dims):
            side = np.minimum(detected[dims + axis][some.first], true[dims + axis][some.second])
            side -= np.maximum(detected[axis][some.first], true[axis][some.second])
            shared *= np.maximum(side, 0.0, out=side)
        values[start : start + AT_ONCE] = _quotient(
            some, shared, detected_size, true_size, over_reference=over_reference
        )
    return values


def box_iou(pairs: Pairs) -> Array:
    """The IoU of boxes as they are given."""
    return _compare_boxes(
        pairs, boxes_of(pairs.detections, BOXES), boxes_of(pairs.references, BOXES)
    )


def approximate_iou(pairs: Pairs) -> Array:
    """The IoU of balls where both sides are, else of boxes, given or around masks and balls."""
    detections, references = pairs.detections, pairs.references
    if holds(detections, BALLS) and holds(references, BALLS):
        return _compare_balls(pairs)
    one, other = (
        # A box that is given comes before one around a ball.
        first_held(objects, (BOXES, MASKS, BALLS))
        for objects in (detections, references)
    )
    return _compare_boxes(
        pairs, boxes_of(detections, one, pairs.spacing), boxes_of(references, other, pairs.spacing)
    )


def _compare_balls(pairs: Pairs) -> Array:
    """The IoU of discs or balls, in closed form."""
    one, other = np.array(pairs.detections.radii), np.array(pairs.references.radii)
    dims = np.asarray(pairs.references.points).shape[1]
    apart = distances(
        np.asarray(pairs.detections.points)[pairs.first],
        np.asarray(pairs.references.points)[pairs.second],
        pairs.spacing,
    )
    shared = _lens(apart, one[pairs.first], other[pairs.second], dims)
    unit_ball = math.pi if dims == 2 else 4 / 3 * math.pi
    return _quotient(
        pairs, shared, unit_ball * one**dims, unit_ball * other**dims, over_reference=False
    )


def _lens(apart: Array, one: Array, other: Array, dims: int) -> Array:
    """Area or volume that two discs or balls share."""
    if dims not in {2, 3}:
        raise DataError(f"centres with radii need 2 or 3 coordinates, got {dims}")
    small, large = np.minimum(one, other), np.maximum(one, other)
    inside = (math.pi if dims == 2 else 4 / 3 * math.pi) * small**dims
    cut = (apart > large - small) & (apart < large + small)
    d = np.where(cut, apart, 1.0)
    r, s = np.where(cut, small, 1.0), np.where(cut, large, 1.0)
    if dims == 3:
        lens = math.pi * (r + s - d) ** 2 * (d**2 + 2 * d * (r + s) - 3 * (r - s) ** 2) / (12 * d)
    else:
        # Two circular segments, each a sector without its triangle.
        at_r, at_s = (d**2 + r**2 - s**2) / (2 * d * r), (d**2 + s**2 - r**2) / (2 * d * s)
        triangles = (r + s - d) * (d + r - s) * (d - r + s) * (d + r + s)
        lens = (
            r**2 * np.arccos(np.clip(at_r, -1, 1))
            + s**2 * np.arccos(np.clip(at_s, -1, 1))
            - np.sqrt(np.maximum(triangles, 0.0)) / 2
        )
    return np.where(cut, lens, np.where(apart <= large - small, inside, 0.0))


# --------------------------------------------------------------------------- masks


def _compare_masks(
    pairs: Pairs, detected: Masks, true: Masks, *, over_reference: bool = False
) -> Array:
    shared = shared_voxels(detected, true, pairs.first, pairs.second)
    return _quotient(pairs, shared, sizes(detected), sizes(true), over_reference=over_reference)


def mask_iou(pairs: Pairs) -> Array:
    """The IoU of masks."""
    return _compare_masks(pairs, pairs.detections.masks or (), pairs.references.masks or ())


def intersection_over_reference(pairs: Pairs) -> Array:
    """The IoR of masks where both sides have them, else of boxes."""
    detections, references = pairs.detections, pairs.references
    if holds(detections, MASKS) and holds(references, MASKS):
        return _compare_masks(
            pairs, detections.masks or (), references.masks or (), over_reference=True
        )
    return _compare_boxes(
        pairs, boxes_of(detections, BOXES), boxes_of(references, BOXES), over_reference=True
    )


def boundary_iou(pairs: Pairs) -> Array:
    """The IoU of the bands inside of the boundaries."""
    detections, references = (
        tuple(_band(one, pairs) for one in objects.masks or ())
        for objects in (pairs.detections, pairs.references)
    )
    return _compare_masks(pairs, detections, references)


def _band(one: CroppedMask, pairs: Pairs) -> CroppedMask:
    if not one.mask.size:
        return one
    if pairs.boundary_distance is not None:
        steps = pairs.spacing or (1.0,) * one.mask.ndim
        edge = boundary_bits(one.mask)
        band = inner_band(one.mask, edge, pairs.boundary_distance, steps)
    elif pairs.shape is not None:
        band = chessboard_band(one.mask, cheng_layers(pairs.shape))
    else:
        raise DataError(
            "boundary_iou needs the width of its bands, boundary_distance, where the shapes of the "
            "images are not known"
        )
    return CroppedMask(one.start, band.mask)


DECLARED = (
    LocalisationSpec(
        name="box_iou",
        title="box IoU",
        summary="intersection over union of boxes in continuous coordinates",
        function=box_iou,
        of_detections=(BOXES,),
        of_references=(BOXES,),
        threshold=0.5,
        of_overlap=True,
        by_boxes=True,
        synonyms=("bbox_iou", "bbox"),
        pitfalls=(
            *LEAST_OVERLAP,
            "boxes describe elongated, slanted or disconnected objects badly",
        ),
        cite="jaccard1912",
        instead="approximate_iou draws boxes around masks",
    ),
    LocalisationSpec(
        name="mask_iou",
        title="mask IoU",
        summary="intersection over union of masks",
        function=mask_iou,
        of_detections=(MASKS,),
        of_references=(MASKS,),
        threshold=0.5,
        of_overlap=True,
        synonyms=("segm_iou", "segm"),
        pitfalls=(*LEAST_OVERLAP, "detections that overlap may both hit an object"),
        cite="jaccard1912",
        instead="box_iou takes boxes, centre_distance any objects",
    ),
    LocalisationSpec(
        name="approximate_iou",
        title="approximate IoU",
        summary="intersection over union of rough shapes: balls where both sides are balls, else "
        "boxes, which are drawn around masks and balls",
        function=approximate_iou,
        of_detections=ROUGH,
        of_references=ROUGH,
        spaced=True,
        threshold=0.5,
        of_overlap=True,
        by_boxes=True,
        synonyms=("approx_iou",),
        pitfalls=(*LEAST_OVERLAP, "what stands for an object may be much larger than the object"),
        cite="jaccard1912",
    ),
    LocalisationSpec(
        name="boundary_iou",
        title="boundary IoU",
        summary="intersection over union of the bands inside the boundaries",
        function=boundary_iou,
        of_detections=(MASKS,),
        of_references=(MASKS,),
        spaced=True,
        threshold=0.5,
        of_overlap=True,
        pitfalls=("equals the mask IoU for an object no wider than two bands",),
        cite="cheng2021",
        instead="box_iou takes boxes, centre_distance any objects",
    ),
    LocalisationSpec(
        name="ior",
        title="IoR",
        summary="intersection over reference, of masks where both sides have them, else of boxes",
        function=intersection_over_reference,
        of_detections=(MASKS, BOXES),
        of_references=(MASKS, BOXES),
        alike=True,
        threshold=0.5,
        admits=Admits.ABOVE,
        by_boxes=True,
        synonyms=("intersection_over_reference",),
        pitfalls=("a detection of the whole image finds everything",),
        cite="maska2014",
    ),
    LocalisationSpec(
        name="mask_overlap",
        title="mask overlap",
        summary="masks that share a voxel: mask IoU above 0",
        function=mask_iou,
        of_detections=(MASKS,),
        of_references=(MASKS,),
        threshold=0.0,
        admits=Admits.ABOVE,
        synonyms=("mask_iou_above_0", "mask_iou>0", "mask_iou_>_0", "any_overlap"),
        pitfalls=("a detection of the whole image finds everything",),
        cite="wack2012",
        instead="box_iou takes boxes, centre_distance any objects",
    ),
)
