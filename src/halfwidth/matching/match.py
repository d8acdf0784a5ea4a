"""Match the detections of many images with their references, once for all resamples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from halfwidth.core.errors import DataError
from halfwidth.core.match_lists import MatchingRule, MatchLists
from halfwidth.core.objects import Objects, ObjectSet
from halfwidth.matching.checks import (
    check_dimensions,
    check_held,
    check_scores,
    check_sets,
    check_units,
    known_of_all,
)
from halfwidth.matching.chunks import Part, Source, match_chunk
from halfwidth.matching.lesions import match_lesions
from halfwidth.matching.rules import settled, specs_of


def match_images(
    detections: ObjectSet, references: ObjectSet, how: MatchingRule | None = None
) -> MatchLists:
    """Match the detections of each image with its references.

    Parameters
    ----------
    detections, references : ObjectSet
        Of the same classes. Images without detections may be missing from the detections; their
        order does not matter.
    how : MatchingRule
        COCO's at a box IoU of 0.5 unless it is given.

    Returns
    -------
    MatchLists
        Of the images of the references, in their order.

    Raises
    ------
    DataError
        If detections are of unknown images, if classes differ, or if objects are not given in the
        way that the criterion needs.
    OptionError
        If choices do not fit each other.

    Examples
    --------
    >>> import numpy as np
    >>> from halfwidth.core.objects import Objects, ObjectSet
    >>> true = Objects(category=np.array([0]), boxes=np.array([[0.0, 0, 4, 4]]))
    >>> found = Objects(
    ...     category=np.array([0, 0]),
    ...     score=np.array([0.9, 0.4]),
    ...     boxes=np.array([[0.0, 0, 4, 3], [8, 8, 9, 9]]),
    ... )
    >>> lists = match_images(
    ...     ObjectSet(("a",), (found,), ("lesion",)), ObjectSet(("a",), (true,), ("lesion",))
    ... )
    >>> lists.outcome, lists.similarity
    (array([[1, 0]], dtype=uint8), array([[0.75,  nan]]))
    """
    return match_many(detections, references, [how or MatchingRule()])[0]


def match_many(
    detections: ObjectSet, references: ObjectSet, hows: Sequence[MatchingRule]
) -> list[MatchLists]:
    """Match in several ways; those of one criterion share what is measured of each pair.

    Parameters
    ----------
    detections, references : ObjectSet
    hows : sequence of MatchingRule

    Returns
    -------
    list of MatchLists
        One for each way.
    """
    plans = [settled(how) for how in hows]
    check_sets(detections, references)
    check_units(detections, references, plans)
    check_dimensions(detections, references)
    if not len(references):
        raise DataError(f"there are no images in {references.source or 'the references'}")
    found = _by_image(detections, references)
    made: dict[int, MatchLists] = {}
    for group in _groups(plans):
        ways = [plans[i] for i in group]
        made |= zip(group, _match_group(found, references, ways), strict=True)
    return [made[i] for i in range(len(plans))]


def _by_image(detections: ObjectSet, references: ObjectSet) -> list[Objects]:
    """The detections of each image of the references."""
    none = Objects(category=np.empty(0, dtype=np.intp), score=np.empty(0))
    places = detections.places(references.images)
    return [none if place is None else detections.objects[place] for place in places]


def _groups(plans: Sequence[MatchingRule]) -> list[list[int]]:
    """Matchings that measure the same pairs in the same way."""
    groups: dict[object, list[int]] = {}
    for i, how in enumerate(plans):
        key = (how.localisation, how.by_class, how.boundary_distance)
        groups.setdefault(key, []).append(i)
    return list(groups.values())


def _match_group(
    found: Sequence[Objects], references: ObjectSet, hows: Sequence[MatchingRule]
) -> Iterator[MatchLists]:
    """Lists of matchings that share a criterion."""
    localisation, _ = specs_of(hows[0])
    true = references.objects
    check_held(found, true, references.images, localisation)
    scored = check_scores(found, references.images, hows)
    ways = known_of_all(found), known_of_all(true)
    source = Source(found, references, ways, localisation, hows)
    parts: list[list[Part]] = [[] for _ in hows]
    for chunk in source.chunks():
        for how, done in zip(hows, parts, strict=True):
            _, assignment = specs_of(how)
            match = match_chunk if assignment.function is not None else match_lesions
            done.append(match(chunk, how))
    for how, done in zip(hows, parts, strict=True):
        yield _together(done, references, how, scored=scored)


def _together(
    parts: Sequence[Part], references: ObjectSet, how: MatchingRule, *, scored: bool
) -> MatchLists:
    in_lesions = specs_of(how)[1].function is None
    return MatchLists(
        matching=how,
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
