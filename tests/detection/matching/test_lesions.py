"""The lesion-wise scheme against its definition, carried out on whole volumes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import scenes
from scipy import ndimage

from halfwidth import MatchLists, ObjectSet
from halfwidth.core.objects import CroppedMask, Objects
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import Admits, Lesion, MatchingRule, Outcome

HOW = MatchingRule("mask_overlap", "lesionwise", (0.0,), Admits.ABOVE, dilation=2)
EVERY = np.ones((3, 3, 3), dtype=bool)
SHAPE = (20, 18, 22)


def components(volume: Any) -> tuple[Any, int]:
    labels, number = ndimage.label(volume, EVERY)
    return labels, int(number)


def objects_of(volume: Any) -> Objects:
    """The connected components of a volume, in crops."""
    labels, number = components(volume)
    masks = tuple(
        CroppedMask(tuple(side.start for side in crop), labels[crop] == label)
        for label, crop in enumerate(ndimage.find_objects(labels), 1)
    )
    return Objects(category=np.zeros(number, np.intp), masks=masks)


def volumes(seed: int) -> tuple[Any, Any]:
    """Scattered blocks, and a prediction with some of them moved, lost or added."""
    rng = np.random.default_rng(seed)
    true, found = np.zeros((2, *SHAPE), dtype=bool)
    for _ in range(12):
        low, side = rng.integers(0, 16, 3), rng.integers(1, 5, 3)
        true[tuple(slice(a, a + n) for a, n in zip(low, side, strict=True))] = True
        if rng.random() < 0.8:
            low = np.maximum(low + rng.integers(-3, 4, 3), 0)
            found[tuple(slice(a, a + n) for a, n in zip(low, side, strict=True))] = True
    return found, true


def by_definition(found: Any, true: Any, dilation: int) -> tuple[list[Any], set[int]]:
    """Each lesion with its reference mask and the labels of its detections; and the false ones."""
    cross = ndimage.generate_binary_structure(3, 2)

    def dilated(volume: Any) -> Any:
        if not dilation:
            return volume
        return ndimage.binary_dilation(volume, cross, iterations=dilation)

    labels, number = components(found)
    wide, lesions = components(dilated(true))
    made, used = [], set()
    for lesion in range(1, lesions + 1):
        own = true & (wide == lesion)
        touching = set(np.unique(labels[dilated(own)]).tolist()) - {0}
        used |= touching
        made.append((own, touching))
    return made, set(range(1, number + 1)) - used


def union(objects: Objects, places: tuple[int, ...]) -> Any:
    image = np.zeros(SHAPE, dtype=bool)
    for place in places:
        assert objects.masks is not None
        image |= scenes.whole(objects.masks[place], SHAPE)
    return image


@pytest.mark.parametrize("dilation", [0, 1, 3])
def test_lesions_are_those_of_the_definition(dilation: int) -> None:
    several = merged = shared = 0
    for seed in range(10):
        found, true = volumes(seed)
        sets = [ObjectSet(("a",), (objects_of(volume),), ("lesion",)) for volume in (found, true)]
        lists = match_images(sets[0], sets[1], dataclasses.replace(HOW, dilation=dilation))
        expected, false = by_definition(found, true, dilation)
        assert lists.lesions is not None
        assert lists.n_references.tolist() == [[len(expected)]]
        own = {
            tuple(np.flatnonzero(union(sets[1].objects[0], one.references))): one
            for one in lists.lesions
        }
        for mask, touching in expected:
            lesion = own[tuple(np.flatnonzero(mask))]
            assert {place + 1 for place in lesion.detections} == touching
            several += len(touching) > 1
            merged += len(lesion.references) > 1
        spurious = lists.detection[lists.outcome[0] == Outcome.FALSE_POSITIVE]
        assert {int(place) + 1 for place in spurious} == false
        assert (lists.outcome == Outcome.TRUE_POSITIVE).sum() <= len(expected)
        members = [place for one in lists.lesions for place in one.detections]
        shared += len(members) > len(set(members))
    assert several
    # Widely dilated, lesions that one detection could find are one.
    assert shared or dilation == 3
    assert bool(merged) == bool(dilation)


def boxes(*corners: tuple[int, int, int], category: list[int] | None = None) -> Objects:
    masks = tuple(CroppedMask(corner, np.ones((2, 2, 2), dtype=bool)) for corner in corners)
    classes = np.array(category or [0] * len(corners), dtype=np.intp)
    return Objects(category=classes, masks=masks)


def lists_of(found: Objects, true: Objects, **choices: Any) -> MatchLists:
    classes = ("a", "b")
    return match_images(
        ObjectSet(("image",), (found,), classes),
        ObjectSet(("image",), (true,), classes, spacing=((1.0, 1.0, 2.0),)),
        dataclasses.replace(HOW, dilation=1, **choices),
    )


def test_each_lesion_has_one_true_positive_and_the_rest_are_its_parts() -> None:
    lists = lists_of(boxes((0, 0, 0), (1, 4, 0), (12, 0, 0)), boxes((0, 0, 1), (0, 3, 1)))
    assert lists.lesions == (Lesion(0, 0, (0, 1), (0, 1)),)
    assert lists.outcome.tolist() == [[Outcome.TRUE_POSITIVE, Outcome.IGNORED, 0]]
    assert lists.reference.tolist() == [[0, 1, -1]]
    assert lists.n_references.tolist() == [[1, 0]]


def test_one_detection_may_find_several_lesions() -> None:
    bridge = CroppedMask((0, 4, 0), np.ones((2, 3, 2), dtype=bool))
    found = Objects(category=np.zeros(1, np.intp), masks=(bridge,))
    lists = lists_of(found, boxes((0, 2, 0), (0, 7, 0)))
    assert lists.lesions == (Lesion(0, 0, (0,), (0,)), Lesion(0, 0, (1,), (0,)))
    assert lists.outcome.tolist() == [[Outcome.TRUE_POSITIVE]]


def test_classes_do_not_meet() -> None:
    near = boxes((0, 0, 0), (0, 2, 0), category=[0, 1])
    lists = lists_of(near, near)
    assert [one.category for one in lists.lesions or ()] == [0, 1]
    assert lists.n_references.tolist() == [[1, 1]]


def test_small_lesions_are_ignored_and_false_positives_of_any_size_count() -> None:
    true, found = boxes((0, 0, 0), (0, 3, 0), (9, 9, 9)), boxes((0, 0, 0), (9, 9, 9), (15, 0, 0))
    # 8 voxels of 2 mm³ each, and two of them in the first lesion.
    lists = lists_of(found, true, area_range=(17.0, np.inf))
    assert lists.lesions == (Lesion(0, 0, (0, 1), (0,)),)
    assert lists.outcome.tolist() == [[Outcome.TRUE_POSITIVE, Outcome.IGNORED, 0]]
    assert lists.n_references.tolist() == [[1, 0]]


def test_ignored_references_are_no_lesions_of_their_own() -> None:
    true = dataclasses.replace(boxes((0, 0, 0), (9, 9, 9)), ignored=np.array([False, True]))
    lists = lists_of(boxes((0, 0, 0), (9, 9, 9)), true)
    assert lists.lesions == (Lesion(0, 0, (0,), (0,)),)
    assert lists.outcome.tolist() == [[Outcome.TRUE_POSITIVE, Outcome.IGNORED]]
