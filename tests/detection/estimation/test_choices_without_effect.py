"""Choices of a call that nothing heeds are refused, and so are objects of no class."""

from __future__ import annotations

from typing import Any

import pytest
from over_data import estimate_detections, estimate_detector

import halfwidth as hw

BOX = [10, 10, 50, 50]
TRUE = [{"boxes": [BOX], "labels": [1]}] * 10
FOUND = [{"boxes": [BOX], "labels": [1], "scores": [0.9]}] * 10
EMPTY: list[dict[str, Any]] = [{"boxes": [], "labels": [], "scores": []}] * 10


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "ap50", "threshold": 0.3},
        {"metric": ["ap50", "ap@0.75"], "threshold": [0.3, 0.4]},
        {"metric": "ap", "dilation": 2},
        {"metric": "ap", "boundary_distance": 2.0},
    ],
)
def test_choices_that_no_row_heeds_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(hw.OptionError, match="has no effect"):
        estimate_detections(FOUND, TRUE, n_resamples=20, rng=1, **options)


def test_choices_that_one_row_heeds_are_taken() -> None:
    rows = estimate_detections(
        FOUND, TRUE, metric=["ap50", "ap"], threshold=0.3, n_resamples=20, rng=1
    )
    assert [one.value for one in rows] == [1.0, 1.0]
    assert "≥ 0.5" in rows[0].sentence()
    assert "≥ 0.3" in rows[1].sentence()


def test_no_object_on_either_side_has_no_class() -> None:
    with pytest.raises(hw.DataError, match=r"no class; .*by_class=False"):
        estimate_detections(EMPTY, EMPTY, metric="fppi", rng=1)
    estimate = estimate_detector(EMPTY, EMPTY, metric="fppi", by_class=False, rng=1)
    assert estimate.value == 0
