"""Ratios of sums over images under Dirichlet weights, against distributions that are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from detectors import match_lists, records_of
from scipy import stats

from halfwidth import MatchLists
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.types import UNIT_INTERVAL
from halfwidth.estimation.differences import difference_functional
from halfwidth.resampling.class_averages import ClassAverage
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import has_weights
from halfwidth.resampling.forms import sums

HALF = PseudoCases(UNIT_INTERVAL, (0.5, 0.5), (0.5, 0.5))


def one_object_each(found: int, images: int, empty: int = 0) -> MatchLists:
    """Images with one object, some of them found, and images without any; no false positive."""
    (lists,) = match_lists(1, images + empty, detectors=1)
    entries = np.arange(found)
    objects = np.repeat([1, 0], [images, empty])[:, None]
    return replace(
        lists,
        image=entries,
        category=np.zeros(found, np.intp),
        score=np.ones(found),
        detection=np.zeros(found, np.intp),
        outcome=np.ones((1, found), np.uint8),
        reference=np.zeros((1, found), np.intp),
        similarity=np.ones((1, found)),
        n_references=objects,
    )


@pytest.mark.parametrize("empty", [0, 40])
def test_one_object_an_image_is_jeffreys(empty: int) -> None:
    """Sensitivity is then a proportion, of the images with an object whatever others there are."""
    functional, (records,) = records_of([one_object_each(27, 30, empty)], "object_sensitivity")
    design = Design((30 + empty,), paired=True)
    lower, upper = sums.weighted(records[None], design, functional.statistic, Plan(3, 20_000), HALF)
    exact = stats.beta(27.5, 3.5)
    for end, level in ((lower, 0.025), (upper, 0.975)):
        # Monte-Carlo errors of such quantiles are .0012 and .0005.
        assert float(end.quantile(level)[0]) == pytest.approx(exact.ppf(level), abs=0.005)


def test_pairs_have_the_same_images() -> None:
    """Two detectors that find the same differ by pseudo-images alone, which agree."""
    lists = one_object_each(27, 30)
    functional, pair = records_of([lists, lists], "object_sensitivity")
    design, models = Design((30,), paired=True), np.stack(pair)
    places = np.array([[0, 1]])
    share = sums.discordance(models, places, functional.statistic)
    assert share[0] == 1 / 32
    lower, upper = sums.weighted_pairs(
        models, design, functional.statistic, Plan(3, 999), HALF, float(share[0])
    )
    assert lower is upper
    difference = lower.first[0, 0] - lower.second[1, 0]
    assert 0 < np.quantile(np.abs(difference), 0.95) < 0.02


def test_averages_are_made_of_their_classes() -> None:
    """Each class has its own pseudo-images, and the average is put together of the classes."""
    functional, pair = records_of(match_lists(2, 40, 3), "object_sensitivity")
    statistic = functional.statistic
    design, models = Design((40,), paired=True), np.stack(pair)
    lower, upper = sums.weighted(models, design, statistic, Plan(3, 999), HALF)
    assert isinstance(lower, ClassAverage)
    np.testing.assert_allclose(lower.estimate, statistic(models))
    np.testing.assert_allclose((lower.weights * lower.classes).sum(axis=-1), statistic(models))
    assert (lower.quantile(0.025) < upper.quantile(0.975)).all()
    one, _ = sums.weighted_pairs(models, design, statistic, Plan(3, 999), HALF, 0.5)
    assert one.first.shape == (2, 3, 999)
    assert one.classes is not None
    np.testing.assert_allclose(one.classes.values, lower.classes)


@pytest.mark.parametrize(
    ("name", "classes", "effect", "known"),
    [
        ("object_sensitivity", 1, "difference", True),
        ("object_sensitivity", 1, "ratio", True),
        ("object_sensitivity", 2, "difference", True),
        ("object_sensitivity", 2, "ratio", False),
        ("ap", 1, "ratio", True),
        ("ap", 2, "ratio", False),
    ],
)
def test_which_contrasts_have_weights(name: str, classes: int, effect: str, *, known: bool) -> None:
    """Ratios of averages have none: how far they may be off does not add up from the classes."""
    functional, _ = records_of(match_lists(2, 10, classes), name)
    contrast = difference_functional(functional, effect)  # type: ignore[arg-type]
    assert has_weights(contrast.statistic) is known
