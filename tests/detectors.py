"""Match lists of made-up detectors on the same images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth import DETECTION_METRICS, MatchLists
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.detection.arithmetic.match_records import with_equal_slots
from halfwidth.detection.estimation.functionals import detection_functional, detection_rows
from halfwidth.detection.matching.match_lists import MatchingRule, Outcome
from halfwidth.estimation.functionals import Policies
from halfwidth.estimation.records import Functional


def match_lists(
    seed: int, images: int, classes: int = 1, detectors: int = 2, digits: int = 1
) -> list[MatchLists]:
    """What detectors find in random images; few digits make equal scores."""
    generator = np.random.default_rng(seed)
    objects = generator.poisson(1.2, (images, classes)).astype(np.intp)
    return [_found(generator, objects, digits) for _ in range(detectors)]


def _found(generator: np.random.Generator, objects: NDArray[np.intp], digits: int) -> MatchLists:
    n, classes = objects.shape
    true = generator.binomial(objects, 0.7)
    false = generator.poisson(0.8, objects.shape)
    pairs: list[tuple[Any, ...]] = []
    for image in range(n):
        for which in range(classes):
            for kind, count in (
                (Outcome.TRUE_POSITIVE, true[image, which]),
                (Outcome.FALSE_POSITIVE, false[image, which]),
            ):
                pairs += [(image, which, kind)] * int(count)
    images, category, outcome = (
        np.array([one[i] for one in pairs], dtype=np.intp) for i in range(3)
    )
    is_true = outcome == Outcome.TRUE_POSITIVE
    score = np.round(generator.normal(size=len(images)) + is_true, digits).astype(float)
    return MatchLists(
        MatchingRule(),
        tuple(f"image {i}" for i in range(n)),
        tuple(f"class {i}" for i in range(classes)),
        images,
        category,
        score,
        np.arange(len(images)) - np.searchsorted(images, images),
        outcome[None].astype(np.uint8),
        np.where(is_true, 0, -1)[None],
        np.where(is_true, 0.7, np.nan)[None],
        objects.astype(np.intp),
    )


def records_of(
    lists: Sequence[MatchLists], name: str, **parameters: float
) -> tuple[Functional, list[Array]]:
    """What a metric takes of several detectors, its default average over the classes."""
    metric = Metric(DETECTION_METRICS[name], parameters)
    row = next(detection_rows(metric, None, lists[0].classes))
    functional = detection_functional(row, lists[0].classes, 1, Policies("omit", "omit"))
    return functional, with_equal_slots([functional.records(one) for one in lists])
