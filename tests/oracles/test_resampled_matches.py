"""Detections matched by a plain loop, in images that are there as often as they are drawn.

Nothing here is taken from the package: IoU, COCO's greedy matching with crowds and ignored
objects, AP, FROC, wAFROC and counts are written down as their definitions say, and a resample is a
list of images in which a copy is an image. Boxes lie on a coarse grid and scores are few, so that
overlaps and scores are often equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pytest
from rankedscenes import functional_of

from halfwidth import ObjectSet
from halfwidth.core.objects import Objects
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates

CLASSES, SIDE = 2, 8
Box = tuple[float, float, float, float]


class Object(NamedTuple):
    box: Box
    category: int
    score: float = 0.0
    crowd: bool = False
    ignored: bool = False


class Image(NamedTuple):
    found: list[Object]
    true: list[Object]


class Entry(NamedTuple):
    score: float
    order: tuple[int, int, int]
    image: int
    hit: bool


def scene(seed: int) -> list[Image]:
    """Six images, some of them empty, whose detections lie near objects, on each other, or not."""
    rng = np.random.default_rng(seed)

    def box() -> Box:
        low, sides = rng.integers(0, SIDE - 3, 2), rng.integers(1, 5, 2)
        return float(low[0]), float(low[1]), float(low[0] + sides[0]), float(low[1] + sides[1])

    def scored(where: Box, category: int) -> Object:
        return Object(where, category, float(rng.integers(1, 5)))

    images = []
    for _ in range(6):
        kinds = rng.choice(3, size=rng.integers(4), p=[0.7, 0.15, 0.15])
        true = [
            Object(box(), int(rng.integers(CLASSES)), 0.0, kind == 1, kind == 2) for kind in kinds
        ]
        near = [one for one in true for _ in range(rng.integers(3))]
        found = [
            scored((*one.box[:3], one.box[3] + float(rng.integers(2))), one.category)
            for one in near
        ]
        found += [scored(box(), int(rng.integers(CLASSES))) for _ in range(rng.integers(3))]
        images.append(Image([found[i] for i in rng.permutation(len(found))], true))
    return images


# --------------------------------------------------------------------------- definitions


def overlap(one: Object, other: Object) -> float:
    a, b = one.box, other.box
    sides = [max(0.0, min(a[i + 2], b[i + 2]) - max(a[i], b[i])) for i in (0, 1)]
    size_a, size_b = ((c[2] - c[0]) * (c[3] - c[1]) for c in (a, b))
    shared = sides[0] * sides[1]
    return shared / (size_a if other.crowd else size_a + size_b - shared)


def matched(images: Sequence[Image], drawn: Sequence[int], category: int) -> list[Entry]:
    """True and false positives of a class, those in crowds and of ignored objects left out.

    Equal scores come by image and place in it, and the copies of a detection follow each other.
    """
    entries = []
    for copy, which in enumerate(drawn):
        true = [one for one in images[which].true if one.category == category]
        real = [one for one in true if not one.crowd and not one.ignored]
        beside = [one for one in true if one.crowd or one.ignored]
        own = [(i, one) for i, one in enumerate(images[which].found) if one.category == category]
        for place, one in sorted(own, key=lambda each: -each[1].score):
            best = max(map(overlap, [one] * len(real), real), default=0.0)
            if best >= 0.5:
                # Of equal overlaps the last.
                del real[max(i for i, other in enumerate(real) if overlap(one, other) == best)]
            elif any(overlap(one, other) >= 0.5 for other in beside):
                continue
            entries.append(Entry(one.score, (which, place, copy), copy, best >= 0.5))
    return sorted(entries, key=lambda entry: (-entry.score, entry.order))


def objects_of(images: Sequence[Image], drawn: Sequence[int], category: int) -> list[int]:
    return [
        sum(one.category == category and not one.crowd and not one.ignored for one in true)
        for true in (images[which].true for which in drawn)
    ]


def average_precision(entries: list[Entry], objects: list[int]) -> float:
    hits = np.cumsum([entry.hit for entry in entries])
    points = [(hit / sum(objects), hit / (i + 1)) for i, hit in enumerate(hits)]
    best = [
        max((p for r, p in points if r >= wanted), default=0) for wanted in np.linspace(0, 1, 101)
    ]
    return float(np.mean(best))


def froc(entries: list[Entry], objects: list[int]) -> float:
    fppi, sensitivity = [0.0], [0.0]
    for cut in sorted({entry.score for entry in entries}, reverse=True):
        above = [entry.hit for entry in entries if entry.score >= cut]
        fppi.append((len(above) - sum(above)) / len(objects))
        sensitivity.append(sum(above) / sum(objects))
    levels = [2.0**power for power in range(-3, 4)]
    return float(np.mean(np.interp(levels, fppi, sensitivity)))


def wafroc(entries: list[Entry], objects: list[int]) -> float:
    total = weights = 0.0
    false = [
        max([-math.inf, *(e.score for e in entries if e.image == i and not e.hit)])
        for i, number in enumerate(objects)
        if not number
    ]
    for image, number in enumerate(objects):
        hits = [e.score for e in entries if e.image == image and e.hit]
        for lesion in [*hits, *[-math.inf] * (number - len(hits))]:
            total += sum((lesion > one) + (lesion == one) / 2 for one in false) / number
            weights += len(false) / number
    return total / weights if weights else math.nan


def f1(entries: list[Entry], objects: list[int]) -> float:
    hits = sum(entry.hit for entry in entries)
    return 2 * hits / (len(entries) + sum(objects))


METRICS: dict[str, Callable[[list[Entry], list[int]], float]] = {
    "ap": average_precision,
    "froc_score": froc,
    "wafroc_auc": wafroc,
    "object_f_beta": f1,
}


# --------------------------------------------------------------------------- the package


def as_sets(images: Sequence[Image]) -> tuple[ObjectSet, ObjectSet]:
    names = tuple(f"image {i}" for i in range(len(images)))

    def given(objects: list[Object]) -> Objects:
        columns = [np.array([one[i] for one in objects]) for i in range(1, 5)]
        category, score, crowd, ignored = columns
        return Objects(
            category=category.astype(np.intp),
            score=score.astype(float),
            boxes=np.array([one.box for one in objects], float).reshape(-1, 4),
            crowd=crowd.astype(bool),
            ignored=ignored.astype(bool),
        )

    found, true = zip(*((given(image.found), given(image.true)) for image in images), strict=True)
    labels = tuple(f"class {i}" for i in range(CLASSES))
    return ObjectSet(names, found, labels), ObjectSet(names, true, labels)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", METRICS)
def test_resamples_are_images_matched_anew(name: str) -> None:
    compared = 0
    for seed in range(12):
        images = scene(seed)
        lists = match_images(*as_sets(images), MatchingRule())
        functional = functional_of(lists, name, "none")
        design, plan = Design((len(images),), paired=True), Plan(seed, 6)
        records = functional.records(lists)[None]
        resampled = replicates(records, design, functional.statistic, plan)[0]
        for drawn, value in zip(plan.indices(design, 0, 6), resampled, strict=True):
            objects = objects_of(images, sorted(drawn), 0)
            if not sum(objects):
                assert np.isnan(value) or name == "object_f_beta"
                continue
            wanted = METRICS[name](matched(images, sorted(drawn), 0), objects)
            np.testing.assert_allclose(value, wanted, atol=1e-12)
            compared += np.isfinite(value)
    assert compared > 30
