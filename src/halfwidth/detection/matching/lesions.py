"""The lesion-wise scheme: lesions made of references that are near each other, and their matches.

References are dilated; those whose dilated masks touch are one lesion. All detections that share a
voxel with the dilated mask of a lesion are its match together, and one detection may belong to
several lesions. The rest are false positives. Done on crops, it costs what the objects cost and not
what the images do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.objects import CroppedMask
from halfwidth.core.types import Array
from halfwidth.detection.matching.chunks import (
    Chunk,
    Part,
    count_references,
    kept_detections,
    roles_of,
)
from halfwidth.detection.matching.flat import areas_of
from halfwidth.detection.matching.greedy import Role
from halfwidth.detection.matching.match_lists import Lesion, MatchingRule, Outcome
from halfwidth.detection.metrics.mask_overlaps import shared_voxels

Places = NDArray[np.intp]


def match_lesions(chunk: Chunk, rule: MatchingRule) -> Part:
    """The match lists of some images, and their lesions."""
    detections, references, cells = chunk.detections, chunk.references, chunk.cells
    kept, _ = kept_detections(chunk, rule)
    dilated = tuple(_dilated(one, rule.dilation) for one in references.objects.masks or ())
    lesion = _lesion_numbers(references.cell, dilated)
    real = _real_lesions(chunk, rule, lesion)
    shared = shared_voxels(detections.objects.masks or (), dilated, cells.first, cells.second)
    touching = np.flatnonzero((shared > 0) & np.isin(cells.first, kept))
    links = _Links(cells.first[touching], lesion[cells.second[touching]], shared[touching])
    outcome = np.full(len(detections.place), Outcome.FALSE_POSITIVE, dtype=np.uint8)
    outcome[links.detection] = Outcome.IGNORED
    outcome[links.best(real)] = Outcome.TRUE_POSITIVE
    reference, similarity = _closest(chunk, touching, real[lesion])
    first = np.zeros(len(references.place), dtype=bool)
    first[[np.flatnonzero(lesion == number)[0] for number in np.flatnonzero(real)]] = True
    score = detections.objects.score
    return Part(
        detections.image[kept] + chunk.start,
        detections.objects.category[kept],
        np.empty(0) if score is None else score[kept],
        detections.place[kept],
        outcome[None, kept],
        reference[None, kept],
        similarity[None, kept],
        count_references(chunk, first),
        _lesions(chunk, lesion, first, links),
    )


class _Links:
    """Which detections touch the dilated masks of which lesions, each pair once."""

    def __init__(self, detection: Places, lesion: Places, shared: Array) -> None:
        pairs, inverse = np.unique(np.stack([detection, lesion]), axis=1, return_inverse=True)
        self.detection, self.lesion = pairs
        self.shared = np.bincount(inverse.ravel(), weights=shared, minlength=pairs.shape[1])

    def best(self, real: NDArray[np.bool_]) -> list[int]:
        """A detection for each lesion as far as they go, those that share most first."""
        lesions: set[int] = set()
        detections: set[int] = set()
        for link in np.argsort(-self.shared, kind="stable"):
            detection, lesion = int(self.detection[link]), int(self.lesion[link])
            if real[lesion] and lesion not in lesions and detection not in detections:
                lesions.add(lesion)
                detections.add(detection)
        return sorted(detections)


def _dilated(one: CroppedMask, times: int) -> CroppedMask:
    """A mask dilated so often, by voxels that share a face or, in 3-D, an edge."""
    from scipy import ndimage

    if not times or not one.mask.any():
        return one
    wide = np.pad(one.mask, times)
    cross = ndimage.generate_binary_structure(wide.ndim, wide.ndim - 1)
    mask = ndimage.binary_dilation(wide, cross, iterations=times)
    return CroppedMask(tuple(start - times for start in one.start), mask)


def _lesion_numbers(cell: Places, dilated: Sequence[CroppedMask]) -> Places:
    """The number of the lesion of each reference: dilated masks that touch are of one lesion."""
    from scipy import ndimage
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(dilated)
    # Each with those before it in its cell.
    before = np.arange(n) - np.searchsorted(cell, cell)
    first = np.repeat(np.arange(n), before)
    second = np.arange(len(first)) - np.repeat(np.cumsum(before) - np.arange(n), before)
    # Of two that touch, one reaches into the other by a voxel, at a corner too.
    wider = tuple(
        CroppedMask(
            tuple(start - 1 for start in one.start),
            ndimage.binary_dilation(np.pad(one.mask, 1), np.ones((3,) * one.mask.ndim, bool)),
        )
        for one in dilated
    )
    joined = shared_voxels(wider, dilated, first, second) > 0
    edges = coo_array((np.ones(joined.sum()), (first[joined], second[joined])), shape=(n, n))
    return np.asarray(connected_components(edges, directed=False)[1], dtype=np.intp)


def _real_lesions(chunk: Chunk, rule: MatchingRule, lesion: Places) -> NDArray[np.bool_]:
    """Which lesions are to be found: of a size in range, and not ignored as a whole."""
    roles, _ = roles_of(chunk, dataclasses.replace(rule, area_range=None))
    number = int(lesion.max(initial=-1)) + 1
    real = np.bincount(lesion[roles == Role.TO_BE_FOUND], minlength=number) > 0
    if rule.area_range is not None:
        area = areas_of(chunk.references.objects, chunk.localisation.of_references, chunk.spacing)
        size = np.bincount(lesion, weights=area, minlength=number)
        real &= (size >= rule.area_range[0]) & (size <= rule.area_range[1])
    return real


def _closest(chunk: Chunk, touching: Places, real: NDArray[np.bool_]) -> tuple[Places, Array]:
    """The reference that each detection overlaps most, among those of its lesions, and how much."""
    reference = np.full(len(chunk.detections.place), -1, dtype=np.intp)
    similarity = np.full(len(chunk.detections.place), np.nan)
    value, second = chunk.values[touching], chunk.cells.second[touching]
    # The last one stays: real ones after those to be ignored, and the greatest overlap.
    for pair in np.lexsort((value, real[second])):
        detection = chunk.cells.first[touching[pair]]
        reference[detection] = chunk.references.place[second[pair]]
        similarity[detection] = value[pair]
    return reference, similarity


def _lesions(chunk: Chunk, lesion: Places, first: NDArray[np.bool_], links: _Links) -> list[Lesion]:
    detections, references = chunk.detections, chunk.references
    lesions = []
    for representative in np.flatnonzero(first):
        number = lesion[representative]
        touching = links.detection[links.lesion == number]
        lesions.append(
            Lesion(
                image=int(references.image[representative]) + chunk.start,
                category=int(references.objects.category[representative]),
                references=tuple(references.place[lesion == number].tolist()),
                detections=tuple(detections.place[touching].tolist()),
            )
        )
    return lesions
