"""AP, FROC and AFROC: worked examples, direct definitions, and what must not matter."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from rankedscenes import RANKED, of_entries, ranked_scene, some_images, value_of

import halfwidth as hw
from halfwidth.core.types import Array
from halfwidth.detection.arithmetic.match_curves import AveragePrecision
from halfwidth.detection.forms.declared import ScoredMatches
from halfwidth.metrics import afroc_auc, ap, froc_score, sensitivity_at_fppi, wafroc_auc

# Image 0 holds two lesions, image 1 one, images 2 and 3 none.
EXAMPLE = of_entries(
    [
        (0, 0, 0.9, [1]),
        (2, 0, 0.8, [0]),
        (1, 0, 0.7, [1]),
        (0, 0, 0.6, [0]),
        (2, 0, 0.5, [0]),
    ],
    [2, 1, 0, 0],
)


# --------------------------------------------------------------------------- worked examples


def test_average_precision_by_hand() -> None:
    # Recall 1/3 at precision 1, recall 2/3 at precision 2/3, never more: 34 and 33 recalls of 101.
    assert ap(EXAMPLE) == pytest.approx([(34 + 33 * 2 / 3) / 101])
    assert ap(EXAMPLE, interpolation="all_points") == pytest.approx([(1 + 2 / 3) / 3])


def test_froc_by_hand() -> None:
    # Points: (0, 1/3), (1/4, 1/3), (1/4, 2/3), (1/2, 2/3), (3/4, 2/3) false positives per image.
    assert sensitivity_at_fppi(EXAMPLE, fppi=0.25) == pytest.approx([2 / 3])
    assert sensitivity_at_fppi(EXAMPLE, fppi=0.2) == pytest.approx([1 / 3])
    assert froc_score(EXAMPLE) == pytest.approx([(1 / 3 + 6 * 2 / 3) / 7])


def test_afroc_by_hand() -> None:
    # Lesions at .9, .7 and none; images without one at .8 and none: pairs 1 + 1 + 0 + 1 + 0 + ½.
    assert afroc_auc(EXAMPLE) == pytest.approx([3.5 / 6])
    # Of image 0 the lesions count half: ½ (1 + 1) + ½ (0 + ½) + (0 + 1), of two images each.
    assert wafroc_auc(EXAMPLE) == pytest.approx([(1 + 0.25 + 1) / 4])


# --------------------------------------------------------------------------- definitions


def direct_afroc(lists: hw.MatchLists, which: int, threshold: int, *, by_image: bool) -> float:
    """Every lesion against every image without one."""
    score, outcome = np.asarray(lists.score), lists.outcome[threshold]
    own = lists.category == which
    objects = lists.n_references[:, which]
    total = weights = 0.0
    normal = [
        max([-np.inf, *score[own & (lists.image == i) & (outcome == 0)]])
        for i in np.flatnonzero(objects == 0)
    ]
    for image in np.flatnonzero(objects):
        found = score[own & (lists.image == image) & (outcome == 1)].tolist()
        for lesion in [*found, *[-np.inf] * (objects[image] - len(found))]:
            weight = 1 / objects[image] if by_image else 1.0
            for other in normal:
                total += weight * ((lesion > other) + 0.5 * (lesion == other))
                weights += weight
    return total / weights if weights else np.nan


def direct_froc(lists: hw.MatchLists, which: int, threshold: int, level: float) -> float:
    """Sensitivity at every score, the line through these points, as `numpy.interp` has it."""
    score, outcome = np.asarray(lists.score), lists.outcome[threshold]
    own = lists.category == which
    x, y = [0.0], [0.0]
    for cut in sorted(set(score[own & (outcome != 2)].tolist()), reverse=True):
        x.append((own & (outcome == 0) & (score >= cut)).sum() / lists.n_images)
        y.append((own & (outcome == 1) & (score >= cut)).sum() / lists.n_references[:, which].sum())
    return float(np.interp(level, x, y))


def direct_precision(lists: hw.MatchLists, which: int, threshold: int) -> tuple[float, float]:
    """AP over 101 recalls and over all, an entry after another."""
    outcome = lists.outcome[threshold]
    order = np.lexsort((lists.detection, lists.image, -np.asarray(lists.score)))
    order = order[(lists.category[order] == which) & (outcome[order] != 2)]
    objects = lists.n_references[:, which].sum()
    hits = np.cumsum(outcome[order] == 1)
    precision = [h / (i + 1) for i, h in enumerate(hits)]
    best = [max(precision[i:]) for i in range(len(precision))]
    mean = np.mean(
        [
            next((b for b, h in zip(best, hits, strict=True) if h / objects >= recall), 0.0)
            for recall in np.linspace(0, 1, 101)
        ]
    )
    rises = np.diff(hits, prepend=0) / objects
    return float(mean), float(np.sum(rises * best))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_definitions(seed: int, ties: bool) -> None:
    lists = ranked_scene(seed, ties=ties)
    places = [(which, threshold) for which in range(2) for threshold in range(2)]

    def mean_of(values: list[float]) -> Array:
        return np.asarray(np.reshape(values, (2, 2)).mean(axis=1))

    areas = [direct_precision(lists, *place) for place in places]
    np.testing.assert_allclose(ap(lists), mean_of([area[0] for area in areas]), atol=1e-12)
    np.testing.assert_allclose(
        ap(lists, interpolation="all_points"), mean_of([area[1] for area in areas]), atol=1e-12
    )
    for function, by_image in ((afroc_auc, False), (wafroc_auc, True)):
        expected = [direct_afroc(lists, *place, by_image=by_image) for place in places]
        np.testing.assert_allclose(function(lists), mean_of(expected), atol=1e-12)
    levels = 2.0 ** np.arange(-3, 4)
    expected = [float(np.mean([direct_froc(lists, *place, x) for x in levels])) for place in places]
    np.testing.assert_allclose(froc_score(lists), mean_of(expected), atol=1e-12)


def test_steps_of_a_froc_curve_are_what_was_reached() -> None:
    lists = ranked_scene(3, ties=True)
    score, outcome = np.asarray(lists.score), lists.outcome[0]
    one = replace(lists, outcome=lists.outcome[:1])
    for which in range(2):
        own = lists.category == which
        reached = [0.0]
        for cut in set(score.tolist()):
            if (own & (outcome == 0) & (score >= cut)).sum() <= 0.3 * lists.n_images:
                found = (own & (outcome == 1) & (score >= cut)).sum()
                reached.append(found / lists.n_references[:, which].sum())
        value = sensitivity_at_fppi(one, fppi=0.3, interpolation="steps")[which]
        assert value == pytest.approx(max(reached))


# --------------------------------------------------------------------------- what must not matter


@pytest.mark.parametrize("name", RANKED)
def test_only_the_order_of_scores_matters(name: str) -> None:
    lists = ranked_scene(4)
    moved = replace(lists, score=100 * np.asarray(lists.score) ** 3 - 7)
    assert value_of(lists, name) == value_of(moved, name)


@pytest.mark.parametrize("name", RANKED)
def test_ignored_detections_count_for_nothing(name: str) -> None:
    lists = replace(ranked_scene(5, thresholds=1))
    kept = lists.outcome[0] != 2
    without = replace(
        lists,
        image=lists.image[kept],
        category=lists.category[kept],
        score=np.asarray(lists.score)[kept],
        detection=lists.detection[kept],
        outcome=lists.outcome[:, kept],
        reference=lists.reference[:, kept],
        similarity=lists.similarity[:, kept],
    )
    assert not kept.all()
    assert value_of(lists, name) == pytest.approx(value_of(without, name), abs=1e-15)


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.parametrize("ties", [False, True])
def test_the_order_of_images_matters_to_equal_scores_of_ap_alone(name: str, ties: bool) -> None:
    lists = ranked_scene(6, ties=ties)
    turned = some_images(lists, np.arange(lists.n_images)[::-1])
    same = value_of(lists, name) == pytest.approx(value_of(turned, name), abs=1e-12)
    assert same != (name == "ap" and ties)


@pytest.mark.parametrize("name", ["ap", "froc_score", "sensitivity_at_fppi"])
def test_images_without_objects_or_detections_only_change_false_positives_per_image(
    name: str,
) -> None:
    lists = of_entries([(0, 0, 0.9, [0]), (0, 0, 0.8, [1]), (1, 0, 0.7, [1])], [1, 2])
    longer = replace(
        lists,
        images=(*lists.images, "c", "d"),
        n_references=np.append(lists.n_references, [[0], [0]], axis=0),
    )
    if name == "ap":
        assert value_of(lists, name) == value_of(longer, name)
    else:
        assert value_of(longer, name) >= value_of(lists, name)


# --------------------------------------------------------------------------- edges


@pytest.mark.parametrize("name", RANKED)
def test_nothing_to_find_has_no_value(name: str) -> None:
    assert np.isnan(value_of(of_entries([(0, 0, 0.5, [0])], [0, 0]), name))


@pytest.mark.parametrize("name", RANKED)
def test_nothing_found_is_zero_or_guessing(name: str) -> None:
    empty = replace(of_entries([(0, 0, 0.5, [0])], [1, 0]), outcome=np.array([[2]], np.uint8))
    half = name in ("afroc_auc", "wafroc_auc")
    assert value_of(empty, name) == (0.5 if half else 0.0)


def test_afroc_needs_an_image_without_lesions() -> None:
    lists = of_entries([(0, 0, 0.5, [1])], [1, 2])
    assert np.isnan(afroc_auc(lists)).all()
    assert np.isnan(wafroc_auc(lists)).all()


def test_everything_found_first_is_perfect() -> None:
    lists = of_entries([(0, 0, 0.9, [1]), (1, 0, 0.8, [1]), (2, 0, 0.1, [0])], [1, 1, 0, 0])
    for name in RANKED:
        expected = 1.0
        assert value_of(lists, name) == pytest.approx(expected), name


def test_averages_of_classes() -> None:
    lists = ranked_scene(7)
    values, objects = ap(lists), lists.n_references.sum(axis=0)
    assert value_of(lists, "ap", "macro") == pytest.approx(values.mean())
    assert value_of(lists, "ap", "weighted") == pytest.approx((values @ objects) / objects.sum())
    assert value_of(lists, "ap", "none") == pytest.approx(values[0])
    pooled = replace(
        lists,
        category=np.zeros_like(lists.category),
        classes=("any",),
        n_references=lists.n_references.sum(axis=1, keepdims=True),
    )
    assert value_of(lists, "ap", "micro") == pytest.approx(ap(pooled)[0])


@pytest.mark.parametrize("all_points", [False, True])
def test_no_order_of_equal_scores_gives_less_or_more(all_points: bool) -> None:
    """Every order of six detections of two scores, at two thresholds, against both ends."""
    kind, objects = AveragePrecision(all_points), np.array([2, 1, 0])
    last = np.array([False, False, False, True, False, True])
    image = np.array([0, 2, 1, 0, 2, 0])
    outcome = np.array([[1, 0, 1, 2, 0, 1], [0, 0, 1, 1, 0, 2]], np.uint8)
    once = np.ones((1, 3), np.int64)
    values = []
    for first, second in itertools.product(
        itertools.permutations(range(4)), itertools.permutations((4, 5))
    ):
        order = np.array([*first, *second])
        values.append(kind(ScoredMatches(image[order], last, outcome[:, order], objects), once))
    each = np.array(values)[..., 0]
    ends = kind.over_orders(ScoredMatches(image, last, outcome, objects))
    # Each threshold has the order that is worst, or best, for it.
    np.testing.assert_allclose(ends, [each.min(axis=0).mean(), each.max(axis=0).mean()], atol=1e-15)
    assert ends[1] - ends[0] > 0.1


def test_detections_without_scores_are_refused() -> None:
    lists = replace(EXAMPLE, score=None)
    with pytest.raises(hw.DataError, match="no scores to rank them by"):
        ap(lists)


def test_levels_of_false_positives_must_ascend() -> None:
    with pytest.raises(hw.OptionError, match="lowest=2 is above highest=1"):
        froc_score(EXAMPLE, lowest=2, highest=1)


def test_levels_of_camelyon16() -> None:
    """The mean over 1/4 to 8, and of one level alone."""
    lists = ranked_scene(8, classes=1, thresholds=1)
    levels = [sensitivity_at_fppi(lists, fppi=2.0**power)[0] for power in range(-2, 4)]
    assert froc_score(lists, lowest=0.25) == pytest.approx([np.mean(levels)])
    assert froc_score(lists, lowest=2, highest=2) == pytest.approx([levels[3]])


def test_a_mean_over_too_many_thresholds_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="give at most 26"):
        ap(of_entries([(0, 0, 0.5, [1] * 27)], [1], thresholds=27))
    assert ap(of_entries([(0, 0, 0.5, [1] * 26)], [1], thresholds=26)) == pytest.approx([1])
