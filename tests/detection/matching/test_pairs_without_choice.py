"""Pairs without a choice are matched apart, to the same result as strategies on all of a cell."""

from __future__ import annotations

import numpy as np
import pytest

from halfwidth import ObjectSet
from halfwidth.core.objects import Objects
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import Admits, MatchingRule
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS

LIMITS = (0.05, 0.15, 0.3)


def points(rng: np.random.Generator, n: int, *, scored: bool) -> Objects:
    return Objects(
        category=rng.integers(0, 2, size=(n,)),
        points=rng.random((n, 2)),
        score=rng.random(size=(n,)) if scored else None,
    )


@pytest.mark.parametrize("strategy", ["greedy_by_score", "greedy_by_localisation", "hungarian"])
def test_images_are_matched_as_a_strategy_matches_all_distances(strategy: str) -> None:
    rng = np.random.default_rng(0)
    found, true = (
        tuple(points(rng, int(n), scored=scored) for n in rng.integers(0, 40, 12))
        for scored in (True, False)
    )
    names = tuple(map(str, range(12)))
    how = MatchingRule("centre_distance", strategy, LIMITS, Admits.AT_MOST, score_threshold=0.2)
    lists = match_images(
        ObjectSet(names, found, ("a", "b")), ObjectSet(names, true, ("a", "b")), how
    )
    function = ASSIGNMENTS[strategy].function
    assert function is not None
    pairs = 0
    for image in range(12):
        for category in range(2):
            own = np.flatnonzero((lists.image == image) & (lists.category == category))
            here = np.flatnonzero(true[image].category == category)
            one = np.asarray(found[image].points)[lists.detection[own]]
            steps = one[:, None] - np.asarray(true[image].points)[here]
            gains = -np.sqrt((steps**2).sum(axis=2))
            taken = function(gains, gains >= -np.array(LIMITS)[:, None, None])
            expected = np.where(taken >= 0, np.append(here, -1)[taken], -1)
            np.testing.assert_array_equal(lists.reference[:, own], expected)
            pairs += int((expected >= 0).sum())
    assert pairs > 100
