"""Random match lists at several thresholds, with ignored detections."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth import DETECTION_METRICS, MatchLists
from halfwidth.core.parameters import bind
from halfwidth.core.spec import Metric
from halfwidth.detection.estimation.functionals import detection_functional, detection_rows
from halfwidth.detection.matching.match_lists import MatchingRule, Outcome
from halfwidth.estimation.functionals import Policies
from halfwidth.estimation.records import Functional

RANKED = ("ap", "froc_score", "sensitivity_at_fppi", "afroc_auc", "wafroc_auc")


def of_entries(
    entries: list[tuple[Any, ...]], references: Any, classes: int = 1, thresholds: int = 1
) -> MatchLists:
    """Lists of (image, class, score, outcomes), and what is to be found of each image and class."""
    references = np.array(references, dtype=np.intp).reshape(-1, classes)
    image, category, score = (np.array([one[i] for one in entries]) for i in range(3))
    outcome = np.array([one[3] for one in entries], dtype=np.uint8).reshape(-1, thresholds).T
    image = image.astype(np.intp)
    return MatchLists(
        MatchingRule(thresholds=tuple(np.linspace(0.5, 0.9, thresholds).tolist())),
        tuple(f"image {i}" for i in range(len(references))),
        tuple(f"class {i}" for i in range(classes)),
        image,
        category.astype(np.intp),
        score.astype(float),
        np.array([(image[:i] == one).sum() for i, one in enumerate(image)], dtype=np.intp),
        outcome,
        np.full(outcome.shape, -1),
        np.full(outcome.shape, np.nan),
        references,
    )


def ranked_scene(
    seed: int, images: int = 20, classes: int = 2, thresholds: int = 2, *, ties: bool = False
) -> MatchLists:
    """Detections of images, a part of them without objects; few scores where there are ties."""
    rng = np.random.default_rng(seed)
    references = rng.poisson(1.5, (images, classes)) * (rng.random((images, classes)) < 0.6)
    entries = []
    for image in range(images):
        left = np.tile(references[image], (thresholds, 1))
        for _ in range(rng.poisson(4)):
            which, outcomes = rng.integers(classes), []
            for own in left:
                drawn = rng.random()
                found = drawn < 0.5 and own[which] > 0
                own[which] -= found
                outcomes.append(
                    Outcome.TRUE_POSITIVE
                    if found
                    else Outcome.IGNORED
                    if drawn > 0.85
                    else Outcome.FALSE_POSITIVE
                )
            score = rng.integers(5) / 4 if ties else rng.random()
            entries.append((image, which, score, outcomes))
    return of_entries(entries, references, classes, thresholds)


def some_images(lists: MatchLists, images: Any) -> MatchLists:
    """Some of the images in another order, each as an image of its own."""
    parts = [np.flatnonzero(lists.image == one) for one in images]
    kept = np.concatenate([*parts, np.empty(0, np.intp)]).astype(np.intp)
    return replace(
        lists,
        images=tuple(f"image {i}" for i in range(len(parts))),
        image=np.repeat(np.arange(len(parts)), [len(part) for part in parts]),
        category=lists.category[kept],
        score=np.asarray(lists.score)[kept],
        detection=lists.detection[kept],
        outcome=lists.outcome[:, kept],
        reference=lists.reference[:, kept],
        similarity=lists.similarity[:, kept],
        n_references=lists.n_references[np.asarray(images, dtype=np.intp)],
    )


def functional_of(
    lists: MatchLists, name: str, average: str = "macro", **given: object
) -> Functional:
    """What is computed for the first row of an average."""
    spec = DETECTION_METRICS[name]
    metric = Metric(spec, bind(name, spec.parameters, given, complete=True))
    row = next(detection_rows(metric, (average,), lists.classes))
    policies = Policies("omit", "omit")
    return detection_functional(row, lists.classes, len(lists.outcome), policies)


def value_of(lists: MatchLists, name: str, average: str = "macro", **given: object) -> float:
    """The metric of some lists, by its functional."""
    functional = functional_of(lists, name, average, **given)
    return float(functional.statistic(functional.records(lists)))
