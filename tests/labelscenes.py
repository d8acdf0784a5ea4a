"""Made-up label maps of a few images, as arrays and as sets of objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

import halfwidth as hw
from halfwidth.core.objects import CroppedMask, Objects
from halfwidth.core.parameters import bind
from halfwidth.core.spec import Metric, Statistic
from halfwidth.core.undefined import AbsentClass, Undefined
from halfwidth.detection.estimation.functionals import detection_functional
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.estimation.functionals import MetricRow, Policies
from halfwidth.estimation.records import Functional

Labels = NDArray[np.intp]


@dataclass(frozen=True)
class Picture:
    """An image: what is predicted, what is there, and the class of each label from 1 on."""

    predicted: Labels
    true: Labels
    predicted_classes: list[int]
    true_classes: list[int]


def objects_of(labels: Labels, classes: list[int], score: Any = None) -> Objects:
    """The labels of a map that has voxels of each, as objects."""
    boxes = ndimage.find_objects(labels)
    masks = tuple(
        CroppedMask(tuple(int(side.start) for side in box), labels[box] == label)
        for label, box in enumerate(boxes, 1)
        if box is not None
    )
    assert len(masks) == len(classes)
    return Objects(category=np.array(classes, dtype=np.intp), masks=masks, score=score)


def pictures(
    seed: int, n: int = 7, shape: tuple[int, ...] = (26, 30), classes: int = 3
) -> list[Picture]:
    """Images with rectangles, most of which are found a little beside; the second one is empty."""
    draw = np.random.default_rng(seed)
    made = []
    for image in range(n):
        true, predicted = np.zeros((2, *shape), dtype=np.intp)
        kinds: tuple[list[int], list[int]] = ([], [])
        for _ in range(0 if image == 1 else int(draw.integers(1, 7))):
            size = draw.integers(2, 8, len(shape))
            start = draw.integers(0, np.array(shape) - size)
            _paint(true, kinds[0], start, size, int(draw.integers(classes)))
            if draw.random() < 0.8:
                moved = np.clip(start + draw.integers(-1, 2, len(shape)), 0, None)
                kind = kinds[0][-1] if kinds[0] and draw.random() < 0.9 else 0
                _paint(predicted, kinds[1], moved, size, kind)
        for _ in range(int(draw.integers(0, 3))):
            _paint(predicted, kinds[1], draw.integers(0, 20, len(shape)), np.array(4), 0)
        made.append(Picture(predicted, true, kinds[1], kinds[0]))
    return made


def _paint(labels: Labels, kinds: list[int], start: Any, size: Any, kind: int) -> None:
    """A rectangle where nothing is yet; nothing of it may be left."""
    place = tuple(map(slice, start, start + size))
    free = labels[place] == 0
    if free.any():
        labels[place][free] = len(kinds) + 1
        kinds.append(kind)


def as_sets(
    images: list[Picture], spacing: tuple[float, ...] | None = None
) -> tuple[hw.ObjectSet, hw.ObjectSet]:
    """Detections and references."""
    names = tuple(f"image {place}" for place in range(len(images)))
    classes = tuple("abc")
    shapes = tuple(one.true.shape for one in images)
    steps = None if spacing is None else (spacing,) * len(images)
    draw = np.random.default_rng(1)
    found = tuple(
        objects_of(one.predicted, one.predicted_classes, draw.random(len(one.predicted_classes)))
        for one in images
    )
    true = tuple(objects_of(one.true, one.true_classes) for one in images)
    return (
        hw.ObjectSet(names, found, classes, shapes, steps),
        hw.ObjectSet(names, true, classes, shapes, steps),
    )


def detection_metric(name: str, **given: object) -> Metric:
    """With its parameters bound, those that are not given as usual."""
    spec = hw.DETECTION_METRICS[name]
    return Metric(spec, bind(spec.name, spec.parameters, given, complete=True))


def sums_of(metric: Metric) -> ImageSums:
    """What it is of sums over images."""
    form = metric.form
    assert isinstance(form, ImageSums)
    return form


def notes_of(metric: Metric, matches: hw.MatchLists) -> tuple[str, ...]:
    notes = sums_of(metric).notes
    return () if notes is None else notes(matches)


def functional_of(
    metric: Metric,
    matches: hw.MatchLists,
    average: str,
    which: int = 0,
    absent: AbsentClass = "omit",
    undefined: Undefined = "omit",
) -> Functional:
    row = MetricRow(metric, average, which)
    return detection_functional(
        row, matches.classes, len(matches.outcome), Policies(absent, undefined)
    )


def value_of(metric: Metric, matches: hw.MatchLists, average: str, which: int = 0) -> float:
    """The metric of all images."""
    functional = functional_of(metric, matches, average, which)
    return float(functional.statistic(functional.records(matches)))


def statistic_and_records(
    metric: Metric, matches: hw.MatchLists, average: str
) -> tuple[Statistic, NDArray[np.float64]]:
    functional = functional_of(metric, matches, average)
    return functional.statistic, functional.records(matches)
