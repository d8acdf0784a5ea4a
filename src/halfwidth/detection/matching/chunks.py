"""Some images at a time: their pairs measured, and made into lists of matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Better
from halfwidth.core.objects import Objects, ObjectSet, Unit
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array
from halfwidth.detection.matching.flat import Cells, Side, areas_of, cells_of, side_of
from halfwidth.detection.matching.greedy import Role, match_greedily
from halfwidth.detection.matching.match_lists import Admits, Lesion, MatchingRule, Outcome
from halfwidth.detection.matching.pairing import ConflictInImageError, assign_pairs
from halfwidth.detection.matching.rules import specs_of
from halfwidth.detection.metrics.assignment import greedy_by_score
from halfwidth.detection.metrics.localisation import LocalisationSpec, Pairs
from halfwidth.detection.metrics.representations import Known

Places = NDArray[np.intp]
# Pairs of a detection and a reference that are measured at a time.
AT_ONCE = 1 << 20
# As COCO has it: at a threshold of 1, what misses it by rounding alone.
ALMOST_ONE = 1 - 1e-10


@frozen(eq=False)
class AllImages:
    """What all chunks are taken from."""

    # Of each image of the references.
    detections: Sequence[Objects]
    references: ObjectSet
    # In which all detections, and all references, are given.
    ways: tuple[list[Known], list[Known]]
    localisation: LocalisationSpec
    # All share the criterion.
    rules: Sequence[MatchingRule]

    def chunks(self) -> Iterator[Chunk]:
        """All images, some at a time: with not too many pairs, and of one geometry if need be."""
        sized = any(rule.area_range is not None for rule in self.rules)
        spaced = sized or self.localisation.spaced
        start, pairs, n = 0, 0, len(self.references)
        for i in range(n):
            more = len(self.detections[i]) * len(self.references.objects[i])
            geometry = (self.references.spacing, self.references.shapes) if spaced else ()
            same = all(part is None or part[start] == part[i] for part in geometry)
            if i > start and (pairs + more > AT_ONCE or not same):
                yield self._chunk(start, i)
                start, pairs = i, 0
            pairs += more
        if n:
            yield self._chunk(start, n)

    def _chunk(self, start: int, stop: int) -> Chunk:
        rule, n_classes = self.rules[0], len(self.references.classes)
        detections, references = (
            side_of(images[start:stop], n_classes, ways, by_class=rule.by_class, ranked=ranked)
            for images, ways, ranked in zip(
                (self.detections, self.references.objects), self.ways, (True, False), strict=True
            )
        )
        cells = cells_of(detections, references)
        spacing = None if self.references.spacing is None else self.references.spacing[start]
        if self.references.unit is Unit.MILLIMETRE:
            spacing = None
        shape = None if self.references.shapes is None else self.references.shapes[start]
        values = np.empty(0)
        if len(cells.first):
            pairs = Pairs(
                detections=detections.objects,
                references=references.objects,
                first=cells.first,
                second=cells.second,
                spacing=spacing,
                shape=shape,
                boundary_distance=rule.boundary_distance,
            )
            values = self.localisation.function(pairs)
        return Chunk(
            images=self.references.images[start:stop],
            start=start,
            n_classes=n_classes,
            detections=detections,
            references=references,
            cells=cells,
            values=values,
            localisation=self.localisation,
            spacing=spacing,
        )


@frozen(eq=False)
class Chunk:
    """Some images with the localisation of all pairs."""

    images: tuple[str, ...]
    # The place of the first image among all.
    start: int
    n_classes: int
    detections: Side
    references: Side
    cells: Cells
    # Of each pair.
    values: Array
    localisation: LocalisationSpec
    spacing: tuple[float, ...] | None


class Part(NamedTuple):
    """Match lists of the images of a chunk; fields as in `MatchLists`."""

    image: Places
    category: Places
    score: Array
    detection: Places
    outcome: NDArray[np.uint8]
    reference: Places
    similarity: Array
    n_references: Places
    lesions: Sequence[Lesion]


def match_chunk(chunk: Chunk, rule: MatchingRule) -> Part:
    """The match lists of some images."""
    task = _Task(chunk, rule)
    detections, kept = chunk.detections, task.kept
    assigned = task.assigned()
    outcome = np.full(assigned.shape, Outcome.FALSE_POSITIVE, dtype=np.uint8)
    matched = assigned >= 0
    real = task.roles[task.references(assigned, matched)] == Role.TO_BE_FOUND
    outcome[matched] = np.where(real, Outcome.TRUE_POSITIVE, Outcome.IGNORED)
    if task.outside is not None:
        outcome[~matched & task.outside[kept]] = Outcome.IGNORED
    if rule.duplicates_ignored:
        again = task.duplicates(outcome)
        assigned = np.where(again >= 0, again, assigned)
        outcome[again >= 0] = Outcome.IGNORED
        matched = assigned >= 0
    reference = np.full(assigned.shape, -1, dtype=np.intp)
    reference[matched] = chunk.references.place[task.references(assigned, matched)]
    similarity = np.full(assigned.shape, np.nan)
    similarity[matched] = chunk.values[(task.row + assigned)[matched]]
    score = detections.objects.score
    return Part(
        detections.image[kept] + chunk.start,
        detections.objects.category[kept],
        np.empty(0) if score is None else score[kept],
        detections.place[kept],
        outcome,
        reference,
        similarity,
        count_references(chunk, task.roles == Role.TO_BE_FOUND),
        (),
    )


class _Task:
    """A chunk that is matched in one way."""

    def __init__(self, chunk: Chunk, rule: MatchingRule) -> None:
        self.rule, self.chunk, self.cells = rule, chunk, chunk.cells
        self.kept, self.used = kept_detections(chunk, rule)
        self.roles, self.outside = roles_of(chunk, rule)
        higher = chunk.localisation.better is Better.HIGHER
        self.gains = chunk.values if higher else -chunk.values
        self.limits = _limits(rule, higher=higher)
        cell = np.repeat(np.arange(len(self.cells)), self.cells.n_detections)[self.kept]
        # The first reference of the cell of each detection, and its first pair.
        self.first = self.cells.reference[cell]
        self.row = (
            self.cells.pair[cell]
            + (self.kept - self.cells.detection[cell]) * (self.cells.n_references[cell])
        )

    def references(self, assigned: NDArray[np.int32], which: NDArray[np.bool_]) -> Places:
        """The references assigned to some detections, as places in the chunk."""
        return np.asarray((self.first + assigned)[which], dtype=np.intp)

    def assigned(self) -> NDArray[np.int32]:
        """For each threshold and detection the place of its reference in the cell, or -1."""
        assigned = np.full((len(self.limits), len(self.kept)), -1, dtype=np.int32)
        _, assignment = specs_of(self.rule)
        if assignment.function is None or assignment.function is greedy_by_score:
            self._match(self.roles, assigned)
            return assigned
        pairs = (self.gains, self.limits, self.cells, self.kept, self.roles)
        try:
            assign_pairs(assignment.function, *pairs, assigned)
        except ConflictInImageError as error:
            image = self.chunk.images[self.chunk.detections.image[error.detection]]
            two = "detections" if error.two_detections else "references"
            one = "reference" if error.two_detections else "detection"
            raise DataError(
                f"{assignment.name} needs objects that do not overlap, but in image {image} two "
                f"{two} lie on one {one}; take greedy_by_score or hungarian "
                f"({spelled('assignment')})"
            ) from None
        # The others may still lie on what is to be ignored.
        self._match(np.where(self.roles == Role.TO_BE_FOUND, Role.ABSENT, self.roles), assigned)
        return assigned

    def duplicates(self, outcome: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The reference that each false positive lies on though it is found, or -1."""
        again = np.where(outcome == Outcome.FALSE_POSITIVE, -1, 0).astype(np.int32)
        always = np.where(self.roles == Role.TO_BE_FOUND, Role.IGNORED_ALWAYS, Role.ABSENT)
        self._match(always, again)
        return np.where(outcome == Outcome.FALSE_POSITIVE, again, -1).astype(np.int32)

    def _match(self, roles: NDArray[np.integer], assigned: NDArray[np.int32]) -> None:
        match_greedily(
            self.gains, self.limits, self.cells, self.used, roles.astype(np.uint8), assigned
        )


def kept_detections(chunk: Chunk, rule: MatchingRule) -> tuple[Places, Places]:
    """Which detections take part, and how many of each cell: its first ones."""
    cells, score = chunk.cells, chunk.detections.objects.score
    cell = np.repeat(np.arange(len(cells)), cells.n_detections)
    keep = np.ones(len(cell), dtype=bool)
    if rule.score_threshold is not None and score is not None:
        keep &= score >= rule.score_threshold
    if rule.max_detections is not None:
        keep &= np.arange(len(cell)) - cells.detection[cell] < rule.max_detections
    return np.flatnonzero(keep), np.bincount(cell[keep], minlength=len(cells)).astype(np.intp)


def roles_of(
    chunk: Chunk, rule: MatchingRule
) -> tuple[NDArray[np.uint8], NDArray[np.bool_] | None]:
    """What each reference is to detections, and which detections are of another size."""
    references = chunk.references.objects
    roles = np.full(len(references), Role.TO_BE_FOUND, dtype=np.uint8)
    outside = None
    if rule.area_range is not None:
        criterion = chunk.localisation
        small = _outside(references, criterion.of_references, rule.area_range, chunk.spacing)
        roles[small] = Role.IGNORED_ONCE
        detections = chunk.detections.objects
        outside = _outside(detections, criterion.of_detections, rule.area_range, chunk.spacing)
    for always in (references.crowd, references.ignored):
        if always is not None:
            roles[always] = Role.IGNORED_ALWAYS
    return roles, outside


def _outside(
    objects: Objects,
    ways: Sequence[Known],
    area_range: tuple[float, float],
    spacing: tuple[float, ...] | None,
) -> NDArray[np.bool_]:
    area = areas_of(objects, ways, spacing)
    if area is None:
        raise DataError("area_range needs sizes, but some objects have centres alone")
    return np.asarray((area < area_range[0]) | (area > area_range[1]))


def _limits(rule: MatchingRule, *, higher: bool) -> Array:
    """The least gain that each threshold admits."""
    thresholds = np.array(rule.thresholds)
    if not higher:
        thresholds = -thresholds
    elif rule.admits is Admits.AT_LEAST:
        almost = (thresholds > ALMOST_ONE) & (thresholds <= 1)
        thresholds = np.where(almost, ALMOST_ONE, thresholds)
    strict = rule.admits in {Admits.ABOVE, Admits.BELOW}
    return np.nextafter(thresholds, np.inf) if strict else thresholds


def count_references(chunk: Chunk, real: NDArray[np.bool_]) -> Places:
    """How many references of each image and class are real."""
    n = len(chunk.images)
    place = chunk.references.image * chunk.n_classes + chunk.references.objects.category
    counts = np.bincount(place[real], minlength=n * chunk.n_classes)
    return counts.reshape(n, chunk.n_classes).astype(np.intp)
