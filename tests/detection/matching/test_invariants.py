"""Every criterion with every strategy, on random scenes: what must hold whatever the scene."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scenes
from numpy.typing import NDArray

from halfwidth import Better, MatchLists, ObjectSet
from halfwidth.core.objects import CroppedMask, Objects
from halfwidth.core.types import Array
from halfwidth.detection.matching.match import match_images, match_many
from halfwidth.detection.matching.match_lists import Admits, MatchingRule, Outcome
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS

TRUE, FALSE, IGNORED = Outcome.TRUE_POSITIVE, Outcome.FALSE_POSITIVE, Outcome.IGNORED
# From loose to tight, of overlaps and of distances in voxels and radii.
HIGHER, LOWER = (0.1, 0.3, 0.5, 0.75, 0.9), (8.0, 4.0, 2.0, 0.5)
SEEDS = range(2)


def combinations() -> list[tuple[str, str]]:
    fit = []
    for criterion, strategy in itertools.product(LOCALISATIONS, ASSIGNMENTS):
        if strategy.localisation in {"", criterion.name} and (
            criterion.of_overlap or not strategy.of_overlap
        ):
            fit.append((criterion.name, strategy.name))
    return fit


def how_of(criterion: str, strategy: str) -> MatchingRule:
    spec, chosen = LOCALISATIONS[criterion], ASSIGNMENTS[strategy]
    thresholds: tuple[float, ...] = HIGHER if spec.better is Better.HIGHER else LOWER
    if chosen.of_overlap:
        thresholds = (0.5, 0.6, 0.8)
    elif spec.admits is Admits.ABOVE and spec.threshold == 0:
        thresholds = (0.0,) if chosen.localisation else (0.0, *thresholds)
    return MatchingRule(
        criterion,
        strategy,
        thresholds,
        chosen.admits or spec.admits,
        boundary_distance=1.0,
        dilation=1,
    )


@functools.cache
def matched(criterion: str, strategy: str, seed: int) -> MatchLists:
    return match_images(*_scene_for(strategy, seed), how_of(criterion, strategy))


@functools.cache
def _scene_for(strategy: str, seed: int) -> tuple[ObjectSet, ObjectSet]:
    found, true = scenes.scene(seed, images=5, dims=2 + seed % 2, flags=True)
    if not ASSIGNMENTS[strategy].of_overlap:
        return found, true
    true = _apart(true)
    return dataclasses.replace(true, objects=tuple(map(_narrowed, true.objects))), true


def _narrowed(objects: Objects) -> Objects:
    """Every second object as a detection that ends sooner."""
    which = np.arange(0, len(objects), 2)
    some = objects.subset(which)
    boxes = np.array(some.boxes)
    boxes[:, boxes.shape[1] // 2] -= 1
    masks = tuple(CroppedMask(one.start, one.mask[..., :-1]) for one in some.masks or ())
    return Objects(
        category=some.category,
        score=np.linspace(0, 1, len(which)),
        boxes=boxes,
        masks=masks,
        points=some.points,
        radii=np.array(some.radii) * 0.9,
    )


def _apart(objects: ObjectSet) -> ObjectSet:
    """Those whose boxes overlap none before them."""
    made = []
    for one in objects.objects:
        low, high = np.split(np.asarray(one.boxes), 2, axis=1)
        meets = (np.maximum(low[:, None], low) < np.minimum(high[:, None], high)).all(axis=2)
        radii = np.asarray(one.radii)
        steps = np.asarray(one.points)[:, None] - np.asarray(one.points)
        meets |= np.sqrt((steps**2).sum(axis=2)) < radii[:, None] + radii
        kept: list[int] = []
        for i in range(len(one)):
            if not meets[i, kept].any():
                kept.append(i)
        made.append(one.subset(np.array(kept, dtype=np.intp)))
    return dataclasses.replace(objects, objects=tuple(made))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("criterion", "strategy"), combinations())
def test_pairs_are_admitted_and_each_object_is_in_one(
    criterion: str, strategy: str, seed: int
) -> None:
    lists = matched(criterion, strategy, seed)
    spec, how = LOCALISATIONS[criterion], lists.matching
    true = _scene_for(strategy, seed)[1]
    for threshold, outcome, reference, similarity in zip(
        how.thresholds, lists.outcome, lists.reference, lists.similarity, strict=True
    ):
        pairs = outcome == TRUE
        assert (reference[pairs] >= 0).all()
        assert (reference[outcome == FALSE] == -1).all()
        if strategy != "lesionwise":
            admitted = {
                Admits.AT_LEAST: np.greater_equal,
                Admits.ABOVE: np.greater,
                Admits.AT_MOST: np.less_equal,
                Admits.BELOW: np.less,
            }[how.admits]
            assert admitted(similarity[reference >= 0], threshold).all()
        assert np.isnan(similarity[reference < 0]).all()
        where = list(zip(lists.image[pairs], reference[pairs], strict=True))
        assert len(set(where)) == len(where)
        for image, place in where:
            objects = true.objects[image]
            assert strategy == "lesionwise" or not _flagged(objects)[place]
        for image, category, place in zip(
            lists.image[pairs], lists.category[pairs], reference[pairs], strict=True
        ):
            assert true.objects[image].category[place] == category
        counts = np.zeros_like(lists.n_references)
        np.add.at(counts, (lists.image[pairs], lists.category[pairs]), 1)
        assert (counts <= lists.n_references).all()
    assert spec.name == how.localisation


def _flagged(objects: Objects) -> NDArray[np.bool_]:
    if objects.crowd is None or objects.ignored is None:
        return np.zeros(len(objects), dtype=bool)
    return objects.crowd | objects.ignored


@pytest.mark.parametrize(("criterion", "strategy"), combinations())
def test_tighter_thresholds_find_no_more(criterion: str, strategy: str) -> None:
    seen = 0
    for seed in SEEDS:
        number = (matched(criterion, strategy, seed).outcome == TRUE).sum(axis=1)
        # Greedy by score takes the best, and so may leave less at a loose threshold.
        slack = 1 if strategy == "greedy_by_score" else 0
        assert (np.diff(number) <= slack).all()
        seen += int(number[0])
    assert seen


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("criterion", "strategy"), combinations())
def test_the_order_of_images_and_chunks_does_not_matter(
    criterion: str, strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, true = _scene_for(strategy, 0)
    lists = matched(criterion, strategy, 0)
    monkeypatch.setattr("halfwidth.detection.matching.chunks.AT_ONCE", 10)
    backwards = tuple(
        dataclasses.replace(one, images=one.images[::-1], objects=one.objects[::-1])
        for one in (found, true)
    )
    for one, other in ((found, backwards[1]), backwards):
        again = match_images(one, other, lists.matching)
        order = np.concatenate(
            [np.flatnonzero(again.image == len(true) - 1 - image) for image in range(len(true))]
        )
        np.testing.assert_array_equal(again.outcome[:, order], lists.outcome)
        np.testing.assert_array_equal(again.detection[order], lists.detection)
        np.testing.assert_array_equal(again.similarity[:, order], lists.similarity)
        np.testing.assert_array_equal(again.n_references[::-1], lists.n_references)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("criterion", "strategy"), combinations())
def test_one_way_is_one_of_many(criterion: str, strategy: str) -> None:
    how = how_of(criterion, strategy)
    found, true = _scene_for(strategy, 1)
    ways = [
        how,
        dataclasses.replace(how, thresholds=how.thresholds[-1:]),
        dataclasses.replace(how, area_range=(10.0, 1000.0)),
        dataclasses.replace(how, max_detections=2),
        dataclasses.replace(how, by_class=False),
    ]
    for way, together in zip(ways, match_many(found, true, ways), strict=True):
        alone = match_images(found, true, way)
        for field in dataclasses.fields(MatchLists):
            one, other = getattr(alone, field.name), getattr(together, field.name)
            np.testing.assert_array_equal(one, other, err_msg=field.name)


@pytest.mark.parametrize("criterion", LOCALISATIONS.names)
def test_sides_may_be_exchanged_where_scores_do_not_matter(criterion: str) -> None:
    if criterion in {"ior", "centre_in_radius", "point_in_mask", "point_in_box"}:
        pytest.skip("it is not symmetric")
    found, true = scenes.scene(5, dims=2)
    for strategy in ("hungarian", "greedy_by_localisation"):
        how = how_of(criterion, strategy)
        one, other = match_images(found, true, how), match_images(true, found, how)
        for outcomes in zip(one.outcome, other.outcome, strict=True):
            hits = [int((outcome == TRUE).sum()) for outcome in outcomes]
            # Of ties greedy takes the first, whichever side comes first.
            assert abs(hits[0] - hits[1]) <= (strategy != "hungarian")


@pytest.mark.parametrize(("criterion", "strategy"), combinations())
def test_empty_sides_are_all_missed_or_all_false(criterion: str, strategy: str) -> None:
    found, true = _scene_for(strategy, 2)
    how = how_of(criterion, strategy)
    none = Objects(category=np.empty(0, np.intp))
    nothing = dataclasses.replace(found, objects=(none,) * len(found))
    missed = match_images(nothing, true, how)
    assert missed.outcome.shape == (len(how.thresholds), 0)
    if strategy != "lesionwise":
        expected = sum(int((~_flagged(one)).sum()) for one in true.objects)
        assert missed.n_references.sum() == expected
    spurious = match_images(found, nothing, how)
    assert (spurious.outcome == FALSE).all()
    assert spurious.outcome.shape[1] == sum(map(len, found.objects))
    assert not spurious.n_references.any()
    assert not match_images(nothing, nothing, how).n_references.any()
    # Images that the detections do not name have none.
    few = dataclasses.replace(found, images=found.images[:3], objects=found.objects[:3])
    assert match_images(few, true, how).images == true.images


@pytest.mark.sampled(2)
@pytest.mark.parametrize("strategy", ["greedy_by_score", "greedy_by_localisation", "hungarian"])
@pytest.mark.parametrize("criterion", LOCALISATIONS.names)
def test_duplicates_are_false_unless_ignored(criterion: str, strategy: str) -> None:
    how = how_of(criterion, strategy)
    true = _apart(scenes.scene(7, images=4, dims=2)[1])
    scored = tuple(
        dataclasses.replace(one, score=np.arange(1.0, len(one) + 1)) for one in true.objects
    )
    exact = dataclasses.replace(true, objects=scored)
    twice = tuple(one.subset(np.repeat(np.arange(len(one)), 2)) for one in scored)
    n = sum(map(len, scored))
    once = match_images(exact, true, how)
    if criterion != "point_in_mask":
        assert (once.outcome[0] == TRUE).sum() == n
    double = dataclasses.replace(exact, objects=twice)
    lists = match_images(double, true, how)
    hits = (lists.outcome == TRUE).sum(axis=1)
    assert (hits >= (once.outcome == TRUE).sum(axis=1)).all()
    assert (hits <= n).all()
    kind = match_images(double, true, dataclasses.replace(how, duplicates_ignored=True))
    np.testing.assert_array_equal(kind.outcome == TRUE, lists.outcome == TRUE)
    if criterion != "point_in_mask":
        assert not (kind.outcome[0] == FALSE).any()
        assert (kind.outcome[0] == IGNORED).sum() == n


def test_scores_on_any_scale_that_ranks_give_the_same_lists() -> None:
    found, true = scenes.scene(3, flags=True)
    how = MatchingRule(thresholds=(0.3, 0.5))
    lists = match_images(found, true, how)
    scales: tuple[Callable[[Array], Array], ...] = (lambda s: 100 * s, lambda s: np.log(s) - 3)
    for scale in scales:
        other = tuple(
            dataclasses.replace(one, score=scale(np.asarray(one.score))) for one in found.objects
        )
        again = match_images(dataclasses.replace(found, objects=other), true, how)
        np.testing.assert_array_equal(again.outcome, lists.outcome)
        np.testing.assert_array_equal(again.detection, lists.detection)


def test_thresholds_of_scores_and_most_detections_cut_the_lists() -> None:
    found, true = scenes.scene(4, images=30)
    how = MatchingRule(thresholds=(0.3,))
    lists = match_images(found, true, how)
    cut = match_images(found, true, dataclasses.replace(how, score_threshold=0.6))
    kept = np.asarray(lists.score) >= 0.6
    np.testing.assert_array_equal(cut.outcome, lists.outcome[:, kept])
    np.testing.assert_array_equal(cut.n_references, lists.n_references)
    few = match_images(found, true, dataclasses.replace(how, max_detections=2))
    for image, category in itertools.product(range(30), range(2)):
        own = (lists.image == image) & (lists.category == category)
        other = (few.image == image) & (few.category == category)
        np.testing.assert_array_equal(few.outcome[:, other], lists.outcome[:, own][:, :2])
        np.testing.assert_array_equal(few.score[other], lists.score[own][:2])  # type: ignore[index]


def test_objects_that_need_not_be_found_swallow_what_lies_on_them() -> None:
    def one(flag: str | None) -> Objects:
        flags: dict[str, Any] = {} if flag is None else {flag: np.array([True])}
        return Objects(category=np.zeros(1, np.intp), boxes=np.array([[0.0, 0, 10, 10]]), **flags)

    found = Objects(
        category=np.zeros(3, np.intp),
        score=np.array([0.3, 0.9, 0.5]),
        boxes=np.array([[0.0, 0, 10, 10], [0, 0, 10, 9], [0, 0, 4, 4]]),
    )

    def outcomes(flag: str | None, **choices: object) -> list[int]:
        sets = [ObjectSet(("a",), (side,), ("x",)) for side in (found, one(flag))]
        lists = match_images(sets[0], sets[1], MatchingRule(**choices))  # type: ignore[arg-type]
        assert lists.n_references.sum() == (flag is None and not choices)
        # By descending score: the second, the third, the first.
        assert lists.detection.tolist() == [1, 2, 0]
        return [int(outcome) for outcome in lists.outcome[0]]

    assert outcomes(None) == [TRUE, FALSE, FALSE]
    # Of a crowd what counts is how much of the detection lies in it.
    assert outcomes("crowd") == [IGNORED, IGNORED, IGNORED]
    assert outcomes("ignored") == [IGNORED, FALSE, IGNORED]
    # One of another size swallows one detection, and unmatched ones of that size count for nothing.
    assert outcomes(None, area_range=(0.0, 95.0)) == [IGNORED, FALSE, IGNORED]
    assert outcomes(None, area_range=(0.0, 20.0)) == [IGNORED, FALSE, IGNORED]


@pytest.mark.parametrize("criterion", LOCALISATIONS.names)
def test_images_of_many_geometries_are_matched_as_if_alone(criterion: str) -> None:
    found, true = scenes.scene(6, flags=True)
    n = len(true)
    geometry: dict[str, Any] = {
        "shapes": tuple((24 + 30 * (i % 3), 24) for i in range(n)),
        "spacing": tuple((1.0 + i % 2, 0.5) for i in range(n)),
    }
    found, true = (dataclasses.replace(one, **geometry) for one in (found, true))
    how = dataclasses.replace(how_of(criterion, "greedy_by_score"), boundary_distance=None)
    for way in (how, dataclasses.replace(how, area_range=(5.0, 30.0))):
        lists = match_images(found, true, way)
        for i in range(n):
            own = [
                dataclasses.replace(
                    one,
                    images=one.images[i : i + 1],
                    objects=one.objects[i : i + 1],
                    **{name: values[i : i + 1] for name, values in geometry.items()},
                )
                for one in (found, true)
            ]
            alone, here = match_images(own[0], own[1], way), lists.image == i
            np.testing.assert_array_equal(alone.outcome, lists.outcome[:, here])
            np.testing.assert_array_equal(alone.similarity, lists.similarity[:, here])


def test_sizes_are_those_of_what_is_matched() -> None:
    mask = CroppedMask((0, 0), np.eye(10, dtype=bool))
    one = Objects(
        category=np.zeros(1, np.intp),
        score=np.ones(1),
        boxes=np.array([[0.0, 0, 10, 10]]),
        masks=(mask,),
    )
    sets = [ObjectSet(("a",), (one,), ("x",))] * 2
    for criterion, size in (("box_iou", 100), ("mask_iou", 10), ("approximate_iou", 100)):
        for around, number in ((size, 1), (110 - size, 0)):
            how = MatchingRule(criterion, area_range=(around - 1.0, around + 1.0))
            assert match_images(sets[0], sets[1], how).n_references.sum() == number


def test_sizes_are_in_mm_where_a_spacing_is_known() -> None:
    box = np.array([[0.0, 0, 10, 10]])
    found, true = (
        ObjectSet(("a",), (one,), ("x",), spacing=((2.0, 0.5),))
        for one in (
            Objects(category=np.zeros(1, np.intp), boxes=box, score=np.ones(1)),
            Objects(category=np.zeros(1, np.intp), boxes=box * 1.2),
        )
    )
    assert (
        match_images(found, true, MatchingRule(area_range=(140.0, 145.0))).n_references.sum() == 1
    )
    assert match_images(found, true, MatchingRule(area_range=(0.0, 140.0))).n_references.sum() == 0
