"""Match the detections of many images with their references, once for all resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from halfwidth.core.errors import DataError
from halfwidth.core.objects import Objects, ObjectSet
from halfwidth.detection.matching.checks import (
    check_dimensions,
    check_held,
    check_scores,
    check_sets,
    check_units,
    known_of_all,
)
from halfwidth.detection.matching.chunks import AllImages, Part, match_chunk
from halfwidth.detection.matching.lesions import match_lesions
from halfwidth.detection.matching.match_lists import MatchingRule, MatchLists
from halfwidth.detection.matching.rules import settled, specs_of


def match_images(
    detections: ObjectSet, references: ObjectSet, rule: MatchingRule | None = None
) -> MatchLists:
    """Match the detections of each image with its references, unless told otherwise as COCO does.

    Lists are of the images of the references, in their order. Images without detections may be
    missing from the detections, whose order does not matter.
    """
    return match_many(detections, references, [rule or MatchingRule()])[0]


def match_many(
    detections: ObjectSet, references: ObjectSet, rules: Sequence[MatchingRule]
) -> list[MatchLists]:
    """Match in several ways; those of one criterion share what is measured of each pair."""
    plans = [settled(rule) for rule in rules]
    check_sets(detections, references)
    check_units(detections, references, plans)
    check_dimensions(detections, references)
    if not len(references):
        raise DataError(f"there are no images in {references.source or 'the references'}")
    # The detections of each image of the references.
    none = Objects(category=np.empty(0, dtype=np.intp), score=np.empty(0))
    places = detections.places(references.images)
    by_image = [none if place is None else detections.objects[place] for place in places]
    lists: dict[int, MatchLists] = {}
    for group in _groups(plans):
        ways = [plans[i] for i in group]
        lists |= zip(group, _match_group(by_image, references, ways), strict=True)
    return [lists[i] for i in range(len(plans))]


def _groups(plans: Sequence[MatchingRule]) -> list[list[int]]:
    """Matchings that measure the same pairs in the same way."""
    groups: dict[object, list[int]] = {}
    for i, rule in enumerate(plans):
        key = (rule.localisation, rule.by_class, rule.boundary_distance)
        groups.setdefault(key, []).append(i)
    return list(groups.values())


def _match_group(
    detections: Sequence[Objects], references: ObjectSet, rules: Sequence[MatchingRule]
) -> Iterator[MatchLists]:
    """Lists of matchings that share a criterion."""
    localisation, _ = specs_of(rules[0])
    check_held(detections, references.objects, references.images, localisation)
    scored = check_scores(detections, references.images, rules)
    ways = known_of_all(detections), known_of_all(references.objects)
    source = AllImages(detections, references, ways, localisation, rules)
    parts: list[list[Part]] = [[] for _ in rules]
    for chunk in source.chunks():
        for rule, done in zip(rules, parts, strict=True):
            _, assignment = specs_of(rule)
            match = match_chunk if assignment.function is not None else match_lesions
            done.append(match(chunk, rule))
    for rule, done in zip(rules, parts, strict=True):
        yield _together(done, references, rule, scored=scored)


def _together(
    parts: Sequence[Part], references: ObjectSet, rule: MatchingRule, *, scored: bool
) -> MatchLists:
    in_lesions = specs_of(rule)[1].function is None
    return MatchLists(
        matching=rule,
        images=references.images,
        classes=references.classes,
        image=np.concatenate([part.image for part in parts]),
        category=np.concatenate([part.category for part in parts]),
        score=np.concatenate([part.score for part in parts]).astype(float) if scored else None,
        detection=np.concatenate([part.detection for part in parts]),
        outcome=np.concatenate([part.outcome for part in parts], axis=1),
        reference=np.concatenate([part.reference for part in parts], axis=1),
        similarity=np.concatenate([part.similarity for part in parts], axis=1),
        n_references=np.concatenate([part.n_references for part in parts]),
        lesions=tuple(one for part in parts for one in part.lesions) if in_lesions else None,
    )
