"""CPU seconds for 9999 resamples of COCO's AP, beside pycocotools.

5000 images with 7 objects of 80 classes and 100 detections each, at ten thresholds. pycocotools
evaluates some of the images once, and adds up what it found once more; both are scaled up to all
images, and to a bootstrap that evaluates each resample anew. Run with one thread:
``OMP_NUM_THREADS=1 python benchmarks/detection.py``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from coco_evaluations import coco_evaluation

from halfwidth.core.objects import Objects, ObjectSet
from halfwidth.core.parameters import bind
from halfwidth.core.spec import Metric
from halfwidth.core.types import Array
from halfwidth.detection.estimation.functionals import detection_functional, detection_rows
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import MatchingRule, MatchLists
from halfwidth.estimation.functionals import Policies
from halfwidth.estimation.records import Functional
from halfwidth.intervals.all_methods import METHODS
from halfwidth.metrics.all_metrics import DETECTION_METRICS
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import replicates
from halfwidth.resampling.forms.engines import engine_for

THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
CLASSES, OBJECTS, DETECTIONS, SIZE = 80, 7.3, 100, 640
T = TypeVar("T")


def scenes(images: int, seed: int = 0) -> tuple[ObjectSet, ObjectSet]:
    """Images whose objects are mostly found, among many detections of nothing."""
    rng = np.random.default_rng(seed)
    shares = rng.pareto(1.2, CLASSES) + 0.2
    shares /= shares.sum()
    found, true = [], []
    for _ in range(images):
        count = rng.poisson(OBJECTS)
        category = rng.choice(CLASSES, count, p=shares)
        boxes = _boxes(rng, count)
        true.append(Objects(category=category, boxes=boxes))
        hit = rng.random(count) < 0.8
        sides = np.tile(boxes[:, 2:] - boxes[:, :2], 2)
        near = (boxes + rng.normal(0, 0.06, boxes.shape) * sides)[hit]
        more = DETECTIONS - len(near)
        found.append(
            Objects(
                category=np.append(category[hit], rng.choice(CLASSES, more, p=shares)),
                boxes=np.concatenate([near, _boxes(rng, more)]),
                score=np.append(rng.beta(3, 2, len(near)), rng.beta(1, 4, more)),
            )
        )
    names, labels = tuple(map(str, range(images))), tuple(map(str, range(CLASSES)))
    return ObjectSet(names, tuple(found), labels), ObjectSet(names, tuple(true), labels)


def _boxes(rng: np.random.Generator, count: int) -> Array:
    corner, sides = rng.uniform(0, SIZE, (count, 2)), rng.uniform(8, 200, (count, 2))
    return np.concatenate([corner, corner + sides], axis=1)


def timed(what: str, make: Callable[[], T]) -> T:
    """What a function gives, and a line that says how long it took."""
    start = time.process_time()
    made = make()
    print(f"{what:<58}{time.process_time() - start:9.2f} s")
    return made


def of_ap(lists: MatchLists) -> tuple[Functional, Array]:
    """AP averaged over classes and thresholds, and the records of the images."""
    spec = DETECTION_METRICS["ap"]
    metric = Metric(spec, bind("ap", spec.parameters, {}, complete=True))
    row = next(detection_rows(metric, ("macro",), lists.classes))
    functional = detection_functional(row, lists.classes, len(THRESHOLDS), Policies("omit", "omit"))
    return functional, functional.records(lists)


def halfwidth_seconds(detections: ObjectSet, references: ObjectSet, resamples: int) -> float:
    """Time each step, and say what the bootstrap takes from match lists on."""
    lists = timed(
        "matching",
        lambda: match_images(detections, references, MatchingRule(thresholds=THRESHOLDS)),
    )
    functional, records = timed("records", lambda: of_ap(lists))
    value = timed("AP", lambda: float(functional.statistic(records)))
    design, plan = Design((lists.n_images,), paired=True), Plan(1, resamples)
    weights = engine_for(functional.statistic).dirichlet
    start = time.process_time()
    drawn = timed(
        f"{resamples} resamples",
        lambda: replicates(records[None], design, functional.statistic, plan),
    )
    taken = time.process_time() - start
    dirichlet = METHODS["dirichlet"]
    if dirichlet.pseudo_cases is not None and weights is not None:
        weighted, bounds = weights.both_ends, functional.metric.spec.bounds
        pseudo = dirichlet.pseudo_cases(bounds, paired=False, spread=False, **dict(dirichlet.bound))
        timed(
            f"{resamples} resamples with Dirichlet weights, both ends",
            lambda: weighted(records[None], design, functional.statistic, plan, pseudo),
        )
    low, high = np.percentile(drawn, [2.5, 97.5])
    print(f"AP {value:.4f}, resamples {low:.4f} to {high:.4f}")
    return taken


def coco_seconds(detections: ObjectSet, references: ObjectSet, images: int) -> tuple[float, float]:
    """What pycocotools takes to evaluate the first images, and to add up what it found."""
    evaluation = coco_evaluation(detections, references, images)
    with contextlib.redirect_stdout(io.StringIO()):
        start = time.process_time()
        evaluation.evaluate()
        between = time.process_time()
        evaluation.accumulate()
        return between - start, time.process_time() - between


def main() -> None:
    """Time both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--coco-images", type=int, default=250)
    parser.add_argument("--resamples", type=int, default=9999)
    given = parser.parse_args()
    detections, references = scenes(given.images)
    taken = halfwidth_seconds(detections, references, given.resamples)
    times = given.images / given.coco_images
    matching, adding = (
        times * seconds for seconds in coco_seconds(detections, references, given.coco_images)
    )
    scaled = f"from {given.coco_images} images"
    print(f"{f'pycocotools evaluates once, {scaled}':<58}{matching:9.2f} s")
    print(f"{f'pycocotools adds up once, {scaled}':<58}{adding:9.2f} s")
    for what, each in (("evaluates", matching + adding), ("adds up", adding)):
        whole = given.resamples * each
        text = f"a bootstrap that {what} each resample anew"
        print(f"{text:<58}{whole:9.0f} s, {whole / taken:.0f} times as long")


if __name__ == "__main__":
    main()
