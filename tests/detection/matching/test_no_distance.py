"""Detections that lie exactly on their references, at a distance of 0."""

import numpy as np
import pytest

from halfwidth import ObjectSet
from halfwidth.core.objects import Objects
from halfwidth.detection.matching.match import match_images
from halfwidth.detection.matching.match_lists import Admits, MatchingRule


@pytest.mark.parametrize("assignment", ["hungarian", "greedy_by_score", "greedy_by_localisation"])
@pytest.mark.parametrize("admits", [Admits.AT_MOST, Admits.BELOW])
def test_what_lies_on_the_spot_is_matched(assignment: str, admits: Admits) -> None:
    at = np.array([[1.0, 1], [9, 9], [5, 5]])
    category = np.zeros(3, dtype=np.intp)
    found = Objects(category=category, points=at, score=np.array([0.2, 0.9, 0.4]))
    true = Objects(category=category, points=at[[2, 0, 1]])
    sets = [ObjectSet(("a",), (one,), ("cell",)) for one in (found, true)]
    how = MatchingRule("centre_distance", assignment, (2.0,), admits)
    lists = match_images(sets[0], sets[1], how)
    assert lists.outcome.tolist() == [[1, 1, 1]]
    assert lists.detection.tolist() == [1, 2, 0]
    assert lists.reference.tolist() == [[2, 0, 1]]
    assert (lists.similarity == 0).all()
