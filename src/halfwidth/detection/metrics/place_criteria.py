"""Criteria of localisation that measure where the centre of a detection lies."""

from __future__ import annotations

import numpy as np

from halfwidth.core.kinds import Better
from halfwidth.core.types import Array
from halfwidth.detection.matching.match_lists import Admits
from halfwidth.detection.metrics.localisation import LocalisationSpec, Pairs
from halfwidth.detection.metrics.representations import (
    Known,
    boxes_of,
    centres_of,
    distances,
    first_held,
    holds,
)

CENTRES = (Known.POINTS, Known.MASKS, Known.BOXES)


def _centres(pairs: Pairs) -> tuple[Array, Array]:
    """The centres of both, of the same kind where there is one that both are given in."""
    detections, references = pairs.detections, pairs.references
    shared = [way for way in CENTRES if holds(detections, way) and holds(references, way)]
    one, other = (
        shared[0] if shared else first_held(objects, CENTRES)
        for objects in (detections, references)
    )
    return centres_of(detections, one), centres_of(references, other)


def _centre_of_detections(pairs: Pairs) -> Array:
    return centres_of(pairs.detections, first_held(pairs.detections, CENTRES))


def centre_distance(pairs: Pairs) -> Array:
    """Between the centres, in mm where the voxels have a spacing."""
    detections, references = _centres(pairs)
    return distances(detections[pairs.first], references[pairs.second], pairs.spacing)


def centre_in_radius(pairs: Pairs) -> Array:
    """Distance between the centres, in radii of the reference."""
    centres = _centre_of_detections(pairs)
    apart = distances(
        centres[pairs.first],
        centres_of(pairs.references, Known.POINTS)[pairs.second],
        pairs.spacing,
    )
    radii = np.asarray(pairs.references.radii, dtype=float)[pairs.second]
    in_radii = np.full(len(apart), np.inf)
    np.divide(apart, radii, out=in_radii, where=radii > 0)
    return in_radii


def point_in_box(pairs: Pairs) -> Array:
    """1 where the centre of the detection lies in the box of the reference or on its edge."""
    centres = _centre_of_detections(pairs)[pairs.first]
    low, high = np.split(boxes_of(pairs.references, Known.BOXES)[pairs.second], 2, axis=1)
    inside = ((low <= centres) & (centres <= high)).all(axis=1)
    return np.asarray(inside, dtype=float)


def point_in_mask(pairs: Pairs) -> Array:
    """1 where the centre of the detection lies in a voxel of the reference."""
    inside = np.zeros(len(pairs.first))
    masks = pairs.references.masks or ()
    starts = np.array([one.start for one in masks])[pairs.second]
    shapes = np.array([one.mask.shape for one in masks])[pairs.second]
    # The axes of masks come the other way round.
    voxels = np.floor(_centre_of_detections(pairs)[pairs.first, ::-1]) - starts
    for pair in np.flatnonzero(((voxels >= 0) & (voxels < shapes)).all(axis=1)):
        inside[pair] = masks[pairs.second[pair]].mask[tuple(voxels[pair].astype(int))]
    return inside


DECLARED = (
    LocalisationSpec(
        name="centre_distance",
        title="centre distance",
        summary="distance between the centres: the points given, else centroids of masks, else "
        "middles of boxes",
        function=centre_distance,
        of_detections=CENTRES,
        of_references=CENTRES,
        better=Better.LOWER,
        spaced=True,
        admits=Admits.AT_MOST,
        unit="mm",
        synonyms=("center_distance",),
        pitfalls=("ignores sizes: a threshold that suits small objects is strict for large ones",),
        cite="gurcan2010",
    ),
    LocalisationSpec(
        name="centre_in_radius",
        title="centre in radius",
        summary="distance between the centres in radii of the reference, below 1: the centre of "
        "the detection lies within the reference",
        function=centre_in_radius,
        of_detections=CENTRES,
        of_references=(Known.BALLS,),
        better=Better.LOWER,
        spaced=True,
        admits=Admits.BELOW,
        threshold=1.0,
        synonyms=("center_in_radius", "luna16"),
        pitfalls=("large objects are found more easily",),
        cite="setio2017",
        instead="centre_distance needs no radii",
    ),
    LocalisationSpec(
        name="point_in_mask",
        title="point in mask",
        summary="whether the centre of the detection lies in the mask of the reference",
        function=point_in_mask,
        synonyms=("point_inside_mask",),
        of_detections=CENTRES,
        of_references=(Known.MASKS,),
        binary=True,
        threshold=1.0,
        pitfalls=(
            "large objects are found more easily",
            "the centroid of a bent object may lie outside of it",
        ),
        cite="reinke2024",
        instead="point_in_box and centre_distance need no masks",
    ),
    LocalisationSpec(
        name="point_in_box",
        title="point in box",
        summary="whether the centre of the detection lies in the box of the reference",
        function=point_in_box,
        synonyms=("point_inside_box", "point_inside_approximation"),
        of_detections=CENTRES,
        of_references=(Known.BOXES,),
        binary=True,
        by_boxes=True,
        threshold=1.0,
        pitfalls=(
            "large objects are found more easily",
            "a box holds much that is not the object",
        ),
        cite="reinke2024",
        instead="point_in_mask takes masks",
    ),
)
