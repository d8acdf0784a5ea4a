"""Curves of ranked matches under weights of images, against images that are there repeatedly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from detectors import match_lists, records_of
from numpy.typing import NDArray

from halfwidth import METHODS, Bounds, MatchLists
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.types import UNIT_INTERVAL, Level
from halfwidth.detection.forms import matched_scores, matched_weighted
from halfwidth.detection.forms.declared import MatchedScores, ScoredMatches
from halfwidth.detection.forms.matched_curves import plain_curves
from halfwidth.estimation.choose import choose
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Records
from halfwidth.intervals.compute import intervals
from halfwidth.resampling.class_averages import ClassAverage
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.kernels import native

METRICS = ("ap", "froc_score", "sensitivity_at_fppi", "afroc_auc", "wafroc_auc")
HALF = PseudoCases.outward(0.5, UNIT_INTERVAL)


def repeated(lists: MatchLists, times: NDArray[np.int64]) -> MatchLists:
    """The same images, each as often as it counts."""
    images = np.repeat(np.arange(lists.n_images), times)
    parts = [np.flatnonzero(lists.image == one) for one in images]
    entries = np.concatenate(parts)
    return replace(
        lists,
        images=tuple(map(str, range(len(images)))),
        image=np.repeat(np.arange(len(images)), [len(one) for one in parts]),
        category=lists.category[entries],
        score=np.array(lists.score)[entries],
        detection=lists.detection[entries],
        outcome=lists.outcome[:, entries],
        reference=lists.reference[:, entries],
        similarity=lists.similarity[:, entries],
        n_references=lists.n_references[images],
    )


@pytest.mark.parametrize("name", METRICS)
def test_weights_are_repeated_images(name: str) -> None:
    """Whole numbers of an image give what so many copies of it give, where no scores are equal."""
    (lists,) = match_lists(3, 15, detectors=1, digits=9)
    functional, (records,) = records_of([lists], name)
    form = declared_form(functional.statistic, MatchedScores)
    times = np.random.default_rng(1).integers(0, 4, 15)
    values, _ = plain_curves(form, form.unpack(records), times[None])
    copies, (again,) = records_of([repeated(lists, times)], name)
    assert values[0, 0] == pytest.approx(float(copies.statistic(again[None])[0]), abs=1e-12)


def with_marked_images(lists: MatchLists) -> MatchLists:
    """Images behind the others that are found above all, have a false positive there, or neither.

    With as many objects as the images that have some hold on average, rounded.
    """
    held = lists.n_references[lists.n_references > 0]
    objects, n = max(1, round(held.mean())), lists.n_images
    found = [(n, 1)] * objects
    wrong = [(n + 1, 0)] * objects
    more = np.array(found + wrong)
    return replace(
        lists,
        images=(*lists.images, *"abcd"),
        image=np.append(lists.image, more[:, 0]),
        category=np.append(lists.category, np.zeros(len(more), dtype=np.intp)),
        score=np.append(np.array(lists.score), np.where(more[:, 1], 98.0, 99.0)),
        detection=np.append(lists.detection, np.arange(len(more))),
        outcome=np.append(lists.outcome, more[:, 1][None].astype(np.uint8), axis=1),
        reference=np.append(lists.reference, np.zeros((1, len(more)), np.intp), axis=1),
        similarity=np.append(lists.similarity, np.ones((1, len(more))), axis=1),
        n_references=np.append(lists.n_references, [[objects], [0], [objects], [0]], axis=0),
    )


def test_pseudo_images_are_images() -> None:
    """AP with pseudo-images is that of a test set that holds such images."""
    (lists,) = match_lists(4, 12, detectors=1, digits=9)
    functional, (records,) = records_of([lists], "ap")
    form = declared_form(functional.statistic, MatchedScores)
    (matches,) = form.unpack(records)
    extended = matched_weighted.with_pseudo_units(matches, Design((12,), paired=True))
    times = np.random.default_rng(2).integers(0, 4, 16)
    values = float(form.curve.values(extended, times[None])[0, 0])
    copies, (again,) = records_of([repeated(with_marked_images(lists), times)], "ap")
    assert values == pytest.approx(float(copies.statistic(again[None])[0]), abs=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.skipif(not native.available(), reason="needs the compiled library")
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("clustered", [False, True])
def test_kernels_give_what_numpy_gives(name: str, classes: int, *, clustered: bool) -> None:
    """On the same draws, to rounding."""
    functional, pair = records_of(match_lists(6, 24, classes), name)
    groups = np.arange(24) // 3 if clustered else None
    arranged = [arrange(one, groups, paired=True, identities=np.arange(24)) for one in pair]
    both, design = np.stack([one for one, _ in arranged]), arranged[0][1]
    made = []
    for compiled in (True, False):
        plan = Plan(5, 70, compiled=compiled)
        single = matched_weighted.weighted(both, design, functional.statistic, plan, HALF)
        paired = matched_weighted.weighted_pairs(
            both, design, functional.statistic, plan, HALF, 0.25
        )
        numbers = [end.quantile(at) for end in single for at in (0.1, 0.9)]
        made.append([*numbers, *(one for end in paired for one in (end.first, end.second))])
    for fast, plain in zip(*made, strict=True):
        np.testing.assert_allclose(fast, plain, rtol=0, atol=1e-12)


def test_classes_are_put_together() -> None:
    """An average over classes has the intervals of these behind it."""
    functional, (one, _) = records_of(match_lists(6, 30, 3), "ap")
    design = Design((30,), paired=True)
    lower, upper = matched_weighted.weighted(
        one[None], design, functional.statistic, Plan(1, 99), HALF
    )
    assert isinstance(lower, ClassAverage)
    assert isinstance(upper, ClassAverage)
    value = functional.statistic(one[None])
    np.testing.assert_allclose(lower.estimate, value)
    assert lower.quantile(0.025) < value < upper.quantile(0.975)


def test_perfect_detectors_have_intervals() -> None:
    """Without an error among 30 images some may come; bootstraps have no width there."""
    matches = ScoredMatches(
        np.arange(30), np.ones(30, bool), np.ones((1, 30), np.uint8), np.ones(30, np.int64)
    )
    functional, _ = records_of(match_lists(1, 4), "ap")
    records = np.stack([matches.references, *np.zeros((3, 30)), np.arange(30)]).astype(float)
    records[1], records[2], records[3] = np.linspace(1, 0.5, 30), 0.0, 1.0
    found, percentile = intervals(
        records[None],
        functional.statistic,
        [METHODS["dirichlet"], METHODS["percentile"]],
        Level(0.95),
        bounds=UNIT_INTERVAL,
        plan=Plan(1, 999),
        design=Design((30,), paired=True),
    )
    assert float(percentile.interval.low[0]) == 1.0
    assert float(found.interval.high[0]) == 1.0
    # Jeffreys' lower end of 30 of 30 is .92; a false positive above all costs as much again.
    assert 0.7 < float(found.interval.low[0]) < 0.95


def test_models_that_do_alike_are_seldom_discordant() -> None:
    functional, (first, second) = records_of(match_lists(8, 40), "ap")
    models, places = np.stack([first, second]), np.array([[0, 0], [0, 1]])
    same, other = matched_scores.discordance(models, places, functional.statistic)
    assert same == 1 / 32
    assert other > 0.3


def test_an_image_that_was_not_seen_tells_equal_models_apart() -> None:
    """As each has its own distribution: for the lower end the first's lower, the second's upper."""
    functional, (first, _) = records_of(match_lists(8, 40), "ap")
    statistic, design = functional.statistic, Design((40,), paired=True)
    plan = Plan(1, 4000)
    found, single = (
        intervals(
            values,
            one,
            [METHODS["dirichlet"]],
            Level(0.95),
            bounds=bounds,
            plan=plan,
            design=design,
        )[0].interval
        for values, one, bounds in (
            (
                np.stack([first, first])[None],
                difference_functional(functional).statistic,
                Bounds(-1, 1),
            ),
            (first[None], statistic, UNIT_INTERVAL),
        )
    )
    both = np.stack([first, first])
    lower, upper = matched_weighted.weighted_pairs(both, design, statistic, plan, HALF, 1 / 32)
    apart = [end.first[0, 0] - end.second[1, 0] for end in (lower, upper)]
    assert (apart[0] <= 1e-12).all()
    assert (apart[1] >= -1e-12).all()
    assert float(found.low[0]) == pytest.approx(np.quantile(apart[0], 0.025), abs=2e-3)
    assert float(found.high[0]) == pytest.approx(np.quantile(apart[1], 0.975), abs=2e-3)
    # They share the weights of the images: what they have in common is not uncertain.
    assert 0 < float(found.high[0] - found.low[0]) < float(single.high[0] - single.low[0])


@pytest.mark.parametrize(
    ("name", "classes", "images", "single", "paired"),
    [
        ("ap", 1, 24, "dirichlet", "percentile_expanded"),
        ("ap", 1, 16, "dirichlet", "dirichlet_expanded"),
        ("ap", 3, 24, "dirichlet", "percentile_expanded"),
        ("wafroc_auc", 1, 48, "dirichlet", "percentile_expanded"),
        ("object_sensitivity", 3, 24, "dirichlet", "dirichlet"),
        ("fppi", 1, 24, "bca_expanded", "percentile"),
    ],
)
def test_what_auto_takes(name: str, classes: int, images: int, single: str, paired: str) -> None:
    """By how many images hold an object of any class; decision 0066 has the evidence."""
    functional, pair = records_of(match_lists(6, images, classes), name)
    design = Design((images,), paired=True)
    difference = difference_functional(functional)
    level = Level(0.95)
    assert choose(functional, Records(pair[0], design, images), level).name == single
    assert choose(difference, Records(np.stack(pair), design, images), level).name == paired


def test_auto_counts_patients_with_objects() -> None:
    """48 images of 16 patients are 16 that may hold objects."""
    functional, pair = records_of(match_lists(6, 48), "ap")
    groups, difference = np.arange(48) // 3, difference_functional(functional)
    arranged = [arrange(one, groups, paired=True, identities=np.arange(48)) for one in pair]
    records = Records(np.stack([one for one, _ in arranged]), arranged[0][1], 48)
    assert choose(difference, records, Level(0.95)).name == "dirichlet_expanded"
