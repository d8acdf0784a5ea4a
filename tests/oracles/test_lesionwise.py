"""The lesion-wise scheme of BraTS 2023 against its rules carried out on whole volumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from labelscenes import detection_metric, notes_of, objects_of, sums_of, value_of
from numpy.typing import NDArray
from scipy import ndimage

from halfwidth import MatchLists, ObjectSet, metrics
from halfwidth.core.spec import Metric
from halfwidth.detection.matching.instances import measure
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import Admits, MatchingRule, Outcome

Mask = NDArray[np.bool_]
CORNERS = np.ones((3, 3, 3), bool)
SPACING = (2.0, 1.0, 1.0)
SHAPE = (14, 30, 32)


def balls(draw: np.random.Generator, n: int) -> Mask:
    """Blobs of several sizes, some of which are near each other."""
    mask = np.zeros(SHAPE, bool)
    grid = np.indices(SHAPE)
    for _ in range(n):
        centre = draw.uniform(0, SHAPE)[:, None, None, None]
        radius = draw.choice([0.6, 1.5, 2.5, 4.0])
        mask |= ((grid - centre) ** 2).sum(axis=0) <= radius**2
    return mask


def volumes() -> list[tuple[Mask, Mask]]:
    """Predicted and reference masks: moved, missed, spurious ones, and empty volumes."""
    draw = np.random.default_rng(9)
    made = []
    for _ in range(6):
        true = balls(draw, 6)
        kept = np.roll(true, draw.integers(-2, 3, 3), (0, 1, 2)) & (draw.random(SHAPE) < 0.97)
        kept[:, :, : int(draw.integers(0, 12))] = False
        made.append((kept | balls(draw, 2), true))
    nothing = np.zeros(SHAPE, bool)
    return [*made, (nothing, made[0][1]), (made[1][0], nothing), (nothing, nothing)]


VOLUMES = volumes()


def as_objects(mask: Mask) -> Any:
    labels, count = ndimage.label(mask, CORNERS)
    return objects_of(labels.astype(np.intp), [0] * count)


def sets(images: list[tuple[Mask, Mask]] = VOLUMES) -> tuple[ObjectSet, ObjectSet]:
    names = tuple(f"volume {place}" for place in range(len(images)))
    shared: Any = (("tumour",), (SHAPE,) * len(images), (SPACING,) * len(images))
    found, true = (tuple(as_objects(mask) for mask in side) for side in zip(*images, strict=True))
    return ObjectSet(names, found, *shared), ObjectSet(names, true, *shared)


def matched(dilation: int, wanted: list[Metric]) -> MatchLists:
    found, true = sets()
    how = MatchingRule("mask_overlap", "lesionwise", (0.0,), Admits.ABOVE, dilation=dilation)
    return measure(match_images(found, true, how), found, true, wanted)


def dilated(mask: Mask, times: int) -> Mask:
    edges = ndimage.generate_binary_structure(3, 2)
    return ndimage.binary_dilation(mask, edges, iterations=times) if times else mask


def challenge(
    predicted: Mask,
    true: Mask,
    value: Callable[[Mask, Mask], float],
    worst: float,
    dilation: int,
    min_volume: float,
) -> float:
    """The score of a volume by the rules of the challenge; NaN without lesions and detections."""
    parts, _ = ndimage.label(predicted, CORNERS)
    extents, n_lesions = ndimage.label(dilated(true, dilation), CORNERS)
    scores, touched = [], set()
    for number in range(1, n_lesions + 1):
        lesion = true & (extents == number)
        touching = set(np.unique(parts[dilated(lesion, dilation)])) - {0}
        touched |= touching
        if lesion.sum() * np.prod(SPACING) > min_volume:
            union = np.isin(parts, list(touching))
            scores.append(value(union, lesion) if touching else worst)
    spurious = set(np.unique(parts)) - {0} - touched
    scores += [worst] * len(spurious)
    return float(np.mean(scores)) if scores else np.nan


def plainly(metric: Metric, dilation: int, value: Callable[[Mask, Mask], float]) -> Any:
    given = metric.parameters
    return [
        challenge(*volume, value, given.get("penalty", 0.0), dilation, given["min_volume"])
        for volume in VOLUMES
    ]


def robust_hausdorff(predicted: Mask, true: Mask) -> float:
    """Of the implementation that the challenge uses."""
    import surface_distance

    found = surface_distance.compute_surface_distances(true, predicted, SPACING)
    return float(surface_distance.compute_robust_hausdorff(found, 95))


WAYS: list[tuple[Metric, Callable[[Mask, Mask], float]]] = [
    (detection_metric("lesionwise_dsc"), metrics.dsc),
    (detection_metric("lesionwise_dsc", min_volume=50), metrics.dsc),
    (
        detection_metric("lesionwise_nsd", tolerance=1, min_volume=10),
        lambda a, b: metrics.nsd(a, b, tolerance=1, spacing=SPACING),
    ),
    (
        detection_metric("lesionwise_hd95", min_volume=30),
        lambda a, b: metrics.hd95(a, b, spacing=SPACING),
    ),
    (detection_metric("lesionwise_hd95", penalty=100, definition="surface"), robust_hausdorff),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "dilation", [1, *(pytest.param(times, marks=pytest.mark.slow) for times in (0, 3))]
)
def test_scores_are_those_of_the_rules_of_the_challenge(dilation: int) -> None:
    pytest.importorskip("surface_distance")
    lists = matched(dilation, [metric for metric, _ in WAYS])
    for metric, value in WAYS:
        each = np.array(plainly(metric, dilation, value))
        assert np.isnan(each).sum() >= 1
        assert value_of(metric, lists, "none") == pytest.approx(np.nanmean(each), rel=1e-12)
        counts = sums_of(metric).counts(lists)
        assert counts[1, 0].tolist() == (~np.isnan(each)).tolist()
        assert counts[0, 0] == pytest.approx(np.nan_to_num(each), rel=1e-12)


def test_an_image_without_lesions_and_detections_is_perfect_where_that_is_said() -> None:
    for name, best in (("lesionwise_dsc", 1.0), ("lesionwise_hd95", 0.0)):
        usual, perfect = detection_metric(name), detection_metric(name, empty="perfect")
        lists = matched(3, [usual, perfect])
        n = len(VOLUMES)
        mean = ((n - 1) * value_of(usual, lists, "none") + best) / n
        assert value_of(perfect, lists, "none") == pytest.approx(mean, rel=1e-12)


def test_what_counts_as_a_penalty_is_said() -> None:
    all_lesions, larger = (detection_metric("lesionwise_hd95", min_volume=v) for v in (0, 10))
    lists = matched(1, [all_lesions, larger])
    assert lists.lesions is not None
    missed = sum(not one.detections for one in lists.lesions)
    spurious = int((lists.outcome == Outcome.FALSE_POSITIVE).sum())
    assert missed > 1 < spurious
    none = "1 image without lesions and detections left out"
    penalties = f"{missed} missed lesions and {spurious} false positives count as 374"
    assert notes_of(all_lesions, lists) == (penalties, none)
    true = [objects.masks or () for objects in sets()[1].objects]
    volumes = [
        2.0 * sum(true[one.image][place].mask.sum() for place in one.references)
        for one in lists.lesions
    ]
    small = sum(volume <= 10 for volume in volumes)
    assert notes_of(larger, lists)[1] == f"{small} lesions of a volume of at most 10 left out"


def test_objects_found_are_the_lesions_that_something_touches() -> None:
    """One detection across two lesions finds both."""
    lists = matched(1, [])
    assert lists.lesions is not None
    found = sum(len(one.detections) > 0 for one in lists.lesions)
    sensitivity = value_of(detection_metric("object_sensitivity"), lists, "none")
    assert sensitivity == pytest.approx(found / len(lists.lesions), rel=1e-12)
    bridge = np.zeros(SHAPE, bool)
    bridge[5, 5, 2:25] = True
    ends = bridge.copy()
    ends[:, :, 5:22] = False
    both = sets([(bridge, ends)])
    how = MatchingRule("mask_overlap", "lesionwise", (0.0,), Admits.ABOVE, dilation=1)
    lists = match_images(*both, how)
    assert value_of(detection_metric("object_sensitivity"), lists, "none") == 1
