"""Metrics of detections that are sums over images, against plain counting and other software."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import cocosets
import numpy as np
import pytest
from labelscenes import (
    Labels,
    Picture,
    as_sets,
    detection_metric,
    objects_of,
    pictures,
    statistic_and_records,
    value_of,
)

from halfwidth import MatchLists, ObjectSet, metrics
from halfwidth.core.spec import Metric
from halfwidth.detection.matching.instances import measure
from halfwidth.detection.matching.match import match_images, match_many
from halfwidth.detection.matching.match_lists import Admits, MatchingRule
from halfwidth.io.images import read_image
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import bootstrap_distribution, leave_one_out, replicates

ABOVE_HALF = MatchingRule(localisation="mask_iou", assignment="hungarian", admits=Admits.ABOVE)
SPACING = (0.8, 1.5)
IMAGES = pictures(3)
CLASSES = range(3)
# Those of objects and pairs with what they need, and with penalties.
METRICS = [
    *(detection_metric(name) for name in ("object_sensitivity", "object_ppv", "object_f_beta")),
    detection_metric("object_f_beta", beta=2),
    *(detection_metric(name) for name in ("fppi", "ar", "pq", "sq", "rq")),
    *(detection_metric(name) for name in ("instance_dsc", "instance_iou", "instance_assd")),
    detection_metric("instance_masd"),
    detection_metric("instance_nsd", tolerance=1, over="all"),
    detection_metric("instance_hd95", over="all", penalty=30),
    detection_metric("instance_hd95", definition="pooled"),
    *(detection_metric(name) for name in ("pooled_iou", "pooled_dsc")),
]


def matched(images: list[Picture], how: MatchingRule = ABOVE_HALF) -> MatchLists:
    sets = as_sets(images, SPACING)
    return measure(match_images(*sets, how), *sets, METRICS)


LISTS = matched(IMAGES)

# --------------------------------------------------------------------------- plain counting


class Counts:
    """Of one class: what all images together have, counted pair by pair on whole arrays."""

    def __init__(self, images: list[Picture], category: int) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        self.found = self.true = self.overlap = 0.0
        self.voxels = np.zeros(3)
        self.images = len(images)
        for one in images:
            found = _masks(one.predicted, one.predicted_classes, category)
            true = _masks(one.true, one.true_classes, category)
            self.found, self.true = self.found + len(found), self.true + len(true)
            for a, b in itertools.product(found, true):
                iou = (a & b).sum() / (a | b).sum()
                if iou > 0.5:
                    self.overlap += iou
                    self.pairs.append((a, b))
            a, b = (np.any([np.zeros(one.true.shape), *masks], axis=0) for masks in (found, true))
            self.voxels += [(a & b).sum(), (~a & b).sum(), (a & ~b).sum()]

    @property
    def outcomes(self) -> tuple[float, float, float]:
        tp = len(self.pairs)
        return tp, self.true - tp, self.found - tp


def _masks(labels: Labels, classes: list[int], category: int) -> list[Any]:
    return [labels == label for label, own in enumerate(classes, 1) if own == category]


def _together(parts: list[Counts]) -> Counts:
    """All classes as one."""
    whole = Counts([], 0)
    for part in parts:
        whole.pairs += part.pairs
        whole.found, whole.true = whole.found + part.found, whole.true + part.true
        whole.overlap, whole.voxels = whole.overlap + part.overlap, whole.voxels + part.voxels
        whole.images = part.images
    return whole


def plainly(metric: Metric, counts: Counts) -> float:
    """The metric of one class by its definition."""
    tp, fn, fp = counts.outcomes
    name, given = metric.spec.name, dict(metric.parameters)
    square = given.get("beta", 1.0) ** 2
    voxels = counts.voxels
    parts = {
        "object_sensitivity": (tp, counts.true),
        "ar": (tp, counts.true),
        "object_ppv": (tp, counts.found),
        "object_f_beta": ((1 + square) * tp, (1 + square) * tp + square * fn + fp),
        "fppi": (fp, counts.images),
        "pq": (counts.overlap, tp + 0.5 * fn + 0.5 * fp),
        "sq": (counts.overlap, tp),
        "rq": (tp, tp + 0.5 * fn + 0.5 * fp),
        "pooled_iou": (voxels[0], voxels.sum()),
        "pooled_dsc": (2 * voxels[0], 2 * voxels[0] + voxels[1] + voxels[2]),
    }
    if name in parts:
        part, whole = parts[name]
        return float(part / whole) if whole else math.nan
    function = getattr(metrics, name.removeprefix("instance_"))
    own = {key: given[key] for key in ("tolerance", "definition") if key in given}
    spaced = {"spacing": SPACING} if metric.spec.spaced else {}
    values = [function(a, b, **own, **spaced) for a, b in counts.pairs]
    if given["over"]:
        values += [given.get("penalty", 0.0)] * int(fn + fp)
    return float(np.mean(values)) if values else math.nan


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.spec.name)
def test_metrics_are_what_their_definitions_say(metric: Metric) -> None:
    parts = [Counts(IMAGES, category) for category in CLASSES]
    by_class = np.array([plainly(metric, part) for part in parts])
    for category in CLASSES:
        got = value_of(metric, LISTS, "none", category)
        assert got == pytest.approx(by_class[category], rel=1e-12, nan_ok=True)
    pooled = plainly(metric, _together(parts))
    assert value_of(metric, LISTS, "micro") == pytest.approx(pooled, rel=1e-12)
    assert value_of(metric, LISTS, "macro") == pytest.approx(np.nanmean(by_class), rel=1e-12)
    if "weighted" in metric.spec.averages:
        weights = np.array([part.true for part in parts])[~np.isnan(by_class)]
        mean = np.average(by_class[~np.isnan(by_class)], weights=weights)
        assert value_of(metric, LISTS, "weighted") == pytest.approx(mean, rel=1e-12)


DESIGN, PLAN = Design.iid(len(IMAGES)), Plan(20, 4)


@functools.cache
def matched_anew() -> list[MatchLists]:
    """Lists of resamples, and of the test set less each image, as if these were all there is."""
    resamples = [[IMAGES[place] for place in row] for row in PLAN.indices(DESIGN, 0, 4)]
    rest = [IMAGES[:place] + IMAGES[place + 1 :] for place in range(len(IMAGES))]
    return [matched(images) for images in [*resamples, *rest]]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.spec.name)
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_a_resample_is_the_test_set_of_its_images(metric: Metric, average: str) -> None:
    """Images that are drawn several times are there several times: matched and measured anew."""
    statistic, records = statistic_and_records(metric, LISTS, average)
    drawn = replicates(records[None], DESIGN, statistic, PLAN)[0]
    left_out = leave_one_out(records[None], DESIGN, statistic)[0]
    for value, lists in zip([*drawn, *left_out], matched_anew(), strict=True):
        again = value_of(metric, lists, average)
        assert value == pytest.approx(again, rel=1e-12, nan_ok=True)


def test_the_exact_bootstrap_of_a_ratio_of_sums_is_that_of_all_resamples() -> None:
    few = matched(IMAGES[:4])
    for metric in METRICS:
        statistic, records = statistic_and_records(metric, few, "micro")
        plan = Plan(1, 9, convolves=True)
        made = bootstrap_distribution(records[None], Design.iid(4), statistic, plan)
        rows = np.array(list(itertools.product(range(4), repeat=4)))
        values = statistic(np.moveaxis(records[:, rows], 1, 0))
        # Some resample has no denominator, and false positives per image are no such ratio.
        drawn = np.isnan(values).any() or metric.spec.name == "fppi"
        assert (made.n_resamples is not None) == drawn, metric.spec.name
        if not drawn:
            assert made.mean()[0] == pytest.approx(values.mean(), rel=1e-12)
            assert made.standard_deviation()[0] == pytest.approx(values.std(), rel=1e-9)


# --------------------------------------------------------------------------- other software

THRESHOLDS = tuple(np.linspace(0.5, 0.95, 10).tolist())
AREAS = {
    "all": None,
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}


@pytest.mark.skipif(not cocosets.REFERENCES.exists(), reason="no coco100 here")
@pytest.mark.parametrize("kind", ["bbox", pytest.param("segm", marks=pytest.mark.slow)])
def test_average_recall_is_that_of_pycocotools(kind: str) -> None:
    pytest.importorskip("pycocotools")
    evaluation = cocosets.evaluated(kind)
    evaluation.accumulate()
    recall, params = evaluation.eval["recall"], evaluation.params
    sets, metric = cocosets.as_sets(kind), detection_metric("ar")
    criterion = {"bbox": "box_iou", "segm": "mask_iou"}[kind]
    ways = list(itertools.product(AREAS, params.maxDets))
    hows = [
        MatchingRule(criterion, thresholds=THRESHOLDS, max_detections=most, area_range=AREAS[area])
        for area, most in ways
    ]
    for (area, most), matches in zip(ways, match_many(*sets, hows), strict=True):
        theirs = recall[:, :, params.areaRngLbl.index(area), params.maxDets.index(most)]
        assert value_of(metric, matches, "macro") == pytest.approx(
            theirs[theirs > -1].mean(), abs=1e-12
        )


SPINE = cocosets.FOLDER.parent / "spine"
# Of panoptica 2.1.7 on these files (NaiveThresholdMatching, IoU of 0.5), which needs older
# versions of NumPy and pandas than this package is tested with. Its ASSD is the mean of two
# directed means, and its HD95 one percentile of the distances of both directions.
PANOPTICA: list[tuple[str, dict[str, object], float]] = [
    ("pq", {}, 0.719252280051296),
    ("sq", {}, 0.8328184295330796),
    ("rq", {}, 0.8636363636363636),
    ("object_sensitivity", {}, 0.8636363636363636),
    ("object_ppv", {}, 0.8636363636363636),
    ("instance_dsc", {}, 0.900292616009954),
    ("instance_masd", {}, 0.1646148184279203),
    ("instance_hd95", {"definition": "pooled"}, 0.6370356446883815),
    ("pooled_dsc", {}, 0.9744370224078394),
]


@pytest.mark.skipif(not SPINE.exists(), reason="no spine here")
def test_panoptic_quality_and_instances_of_the_spine_are_those_of_panoptica() -> None:
    wanted = [detection_metric(name, **given) for name, given, _ in PANOPTICA]
    found, true = (_spine(f"unmatched_instance_{which}.nii.gz") for which in ("pred", "ref"))
    lists = match_images(found, true, ABOVE_HALF)
    assert (lists.n_references.sum(), len(lists.image)) == (22, 22)
    lists = measure(lists, found, true, wanted)
    for metric, (name, _, value) in zip(wanted, PANOPTICA, strict=True):
        # Its spacing is rounded to single precision.
        assert value_of(metric, lists, "none") == pytest.approx(value, rel=1e-7), name


def _spine(name: str) -> ObjectSet:
    image = read_image(SPINE / name)
    labels = np.unique(image.voxels, return_inverse=True)[1].reshape(image.voxels.shape)
    assert image.spacing is not None
    objects = objects_of(labels, [0] * int(labels.max()))
    return ObjectSet(("spine",), (objects,), ("vertebra",), (labels.shape,), (image.spacing,))
