"""What a picture of an image's matches shows: each object, what it is, and its outlines."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import as_number
from halfwidth.core.errors import DataError, OptionError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.objects import Objects, ObjectSet
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array
from halfwidth.detection.estimation.matching_rules import prose_of
from halfwidth.detection.matching.flat import areas_of
from halfwidth.detection.matching.match_lists import MatchLists, Outcome
from halfwidth.detection.metrics.all_criteria import LOCALISATIONS
from halfwidth.detection.metrics.localisation import LocalisationSpec
from halfwidth.detection.metrics.representations import Known
from halfwidth.detection.plots.outlines import Canvas, canvas_of, outlines, shortest_axis

Places = NDArray[np.intp]
FIELDS = {
    Known.BOXES: "boxes",
    Known.MASKS: "masks",
    Known.POINTS: "points",
    Known.BALLS: "points",
}


class Mark(StrEnum):
    """What an object in a picture is, as the legend says it."""

    IGNORED = "counts for nothing"
    FOUND = "object found"
    TRUE = "true positive"
    FALSE = "false positive"
    MISSED = "missed object"


@frozen(eq=False)
class Shape:
    """An object in a picture."""

    mark: Mark
    side: str
    # Among the detections or the references of its image.
    place: int
    category: int
    # NaN of references; of false positives there is no similarity.
    score: float
    similarity: float
    # Outlines; one point alone of an object that is a point.
    lines: list[Array]


@frozen(eq=False)
class Scene:
    """The picture of one image."""

    # Of the image.
    place: int
    canvas: Canvas
    shapes: tuple[Shape, ...]

    def count(self, mark: Mark) -> int:
        """How many objects of a kind there are."""
        return sum(shape.mark is mark for shape in self.shapes)


@frozen(eq=False)
class Matched:
    """Match lists with the objects they are of, at one threshold of localisation and of score."""

    matches: MatchLists
    # Those that were matched.
    detections: ObjectSet
    references: ObjectSet
    # The threshold of localisation.
    row: int
    # Detections that score less are not shown; what only they find is missed.
    cut: float | None
    # Whether the cut was chosen for its F1 score.
    chosen: bool

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Whether the score of each detection in the lists reaches the cut."""
        score = self.matches.score
        if self.cut is None or score is None:
            return np.ones(len(self.matches.image), dtype=bool)
        return np.asarray(score >= self.cut)

    def errors(self) -> NDArray[np.intp]:
        """False positives and missed objects of each image."""
        lists, n = self.matches, self.matches.n_images
        kept = self.shown
        outcome = lists.outcome[self.row]
        false = np.bincount(lists.image[kept & (outcome == Outcome.FALSE_POSITIVE)], minlength=n)
        hits = np.bincount(lists.image[kept & (outcome == Outcome.TRUE_POSITIVE)], minlength=n)
        return np.asarray(false + lists.n_references.sum(axis=1) - hits)

    def worst(self, most: int) -> list[Scene]:
        """Pictures of the images with the most errors, those with none left out."""
        errors = self.errors()
        order = np.argsort(-errors, kind="stable")[:most]
        return [self.scene(int(image)) for image in order if errors[image]]

    def scene(self, image: int) -> Scene:
        """The picture of one image."""
        references = self.references.objects[image]
        there = self.detections.places([self.matches.images[image]])[0]
        shown = [] if there is None else [(self.detections, there)]
        canvas = canvas_of((self.references, image), *shown, hidden=self._hidden)
        entries = np.flatnonzero((self.matches.image == image) & self.shown)
        shapes = list(self._references(image, references, entries, canvas))
        if there is not None:
            shapes += self._detections(self.detections.objects[there], entries, canvas)
        order = list(Mark)
        return Scene(image, canvas, tuple(sorted(shapes, key=lambda one: order.index(one.mark))))

    @property
    def text(self) -> str:
        """How they were matched, with the one threshold that is shown."""
        matching = self.matches.matching
        at = (matching.thresholds[self.row],)
        return prose_of(replace(matching, thresholds=at), self.references)

    @functools.cached_property
    def _hidden(self) -> int | None:
        """The coordinate along which all solid images are looked at."""
        return shortest_axis(self.references)

    @property
    def _criterion(self) -> LocalisationSpec:
        return LOCALISATIONS[self.matches.matching.localisation]

    def _detections(self, objects: Objects, entries: Places, canvas: Canvas) -> Iterator[Shape]:
        lists, way = self.matches, _way_of(objects, self._criterion.of_detections)
        marks = {
            Outcome.TRUE_POSITIVE: Mark.TRUE,
            Outcome.FALSE_POSITIVE: Mark.FALSE,
            Outcome.IGNORED: Mark.IGNORED,
        }
        for entry in entries:
            which = int(lists.detection[entry])
            yield Shape(
                mark=marks[Outcome(lists.outcome[self.row, entry])],
                side="detection",
                place=which,
                category=int(lists.category[entry]),
                score=float("nan") if lists.score is None else float(lists.score[entry]),
                similarity=float(lists.similarity[self.row, entry]),
                lines=outlines(objects, which, way, canvas),
            )

    def _references(
        self, image: int, objects: Objects, entries: Places, canvas: Canvas
    ) -> Iterator[Shape]:
        hits, sought = self._hits(image, entries), self._sought(image, objects)
        way = _way_of(objects, self._criterion.of_references)
        for which in range(len(objects)):
            mark = Mark.FOUND if which in hits else Mark.MISSED
            yield Shape(
                mark=mark if sought[which] or which in hits else Mark.IGNORED,
                side="reference",
                place=which,
                category=int(objects.category[which]),
                score=float("nan"),
                similarity=float("nan"),
                lines=outlines(objects, which, way, canvas),
            )

    def _hits(self, image: int, entries: Places) -> set[int]:
        """References of an image that a detection shown is matched with."""
        lists = self.matches
        true = entries[lists.outcome[self.row, entries] == Outcome.TRUE_POSITIVE]
        if lists.lesions is None:
            return set(lists.reference[self.row, true].tolist())
        hits = set(lists.detection[true].tolist())
        mine = (lesion for lesion in lists.lesions if lesion.image == image)
        return {
            one for lesion in mine if hits & set(lesion.detections) for one in lesion.references
        }

    def _sought(self, image: int, objects: Objects) -> NDArray[np.bool_]:
        """Whether each reference is to be found."""
        sought = np.ones(len(objects), dtype=bool)
        for left_out in (objects.crowd, objects.ignored):
            if left_out is not None:
                sought &= ~left_out
        area_range, spacing = self.matches.matching.area_range, self.references.spacing
        ways, own = self._criterion.of_references, None if spacing is None else spacing[image]
        areas = areas_of(objects, ways, own)
        if area_range is not None and areas is not None:
            sought &= (areas >= area_range[0]) & (areas <= area_range[1])
        return sought


def _way_of(objects: Objects, measured: Sequence[Known]) -> str:
    """What is drawn of objects: what the criterion is measured on, or else what there is."""
    return next(
        (FIELDS[way] for way in (*measured, *Known) if getattr(objects, FIELDS[way]) is not None),
        "",
    )


# --------------------------------------------------------------------------- what is shown


def matched(
    matches: MatchLists,
    detections: ObjectSet,
    references: ObjectSet,
    threshold: float | None,
    score_threshold: float | Literal["auto"] | None,
) -> Matched:
    """Match lists with their objects, checked, at the thresholds of the options."""
    kinds = (("matches", matches, MatchLists), ("detections", detections, ObjectSet))
    for name, given, kind in (*kinds, ("references", references, ObjectSet)):
        if not isinstance(given, kind):
            raise OptionError(f"{name}={shown(given)} is no {kind.__name__}")
    if references.images != matches.images:
        raise DataError("references are not those of the matches: their images differ")
    row = _row_of(matches, threshold)
    if isinstance(score_threshold, str) and score_threshold == "auto":
        cut = best_cut(matches, row) if matches.matching.score_threshold is None else None
        return Matched(matches, detections, references, row, cut, chosen=cut is not None)
    if score_threshold is not None:
        score_threshold = as_number("score_threshold", score_threshold)
        if matches.score is None:
            raise OptionError("score_threshold needs scores, which these detections lack")
    return Matched(matches, detections, references, row, score_threshold, chosen=False)


def _row_of(matches: MatchLists, threshold: float | None) -> int:
    known = matches.matching.thresholds
    if threshold is None:
        return 0
    close = [
        row for row, one in enumerate(known) if abs(one - as_number("threshold", threshold)) < 1e-9
    ]
    if not close:
        raise OptionError(
            f"{spelled('threshold', threshold)} is not among the matched thresholds: "
            f"{', '.join(f'{one:g}' for one in known)}"
        )
    return close[0]


def best_cut(matches: MatchLists, row: int) -> float | None:
    """The score from which on detections have the highest F1 score, classes pooled.

    None without scores, or without a detection to keep.
    """
    counted = matches.outcome[row] != Outcome.IGNORED
    if matches.score is None or not counted.any():
        return None
    order = np.argsort(-matches.score[counted], kind="stable")
    score = matches.score[counted][order]
    true = np.cumsum(matches.outcome[row, counted][order] == Outcome.TRUE_POSITIVE)
    f1 = 2 * true / (np.arange(1, len(score) + 1) + matches.n_references.sum())
    # Detections of one score are kept or left out together.
    ends = np.flatnonzero(np.diff(score, append=-np.inf))
    return float(score[ends[np.argmax(f1[ends])]])
