"""Resamples of ranked matches: by kernels, in plain NumPy, and with images that are there twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rankedscenes import RANKED, functional_of, of_entries, ranked_scene, some_images

from halfwidth.core.types import Array
from halfwidth.detection.arithmetic.match_records import with_equal_slots
from halfwidth.detection.forms import native_matches
from halfwidth.detection.forms.declared import MatchedScores, ScoredMatches
from halfwidth.estimation.differences import difference_functional
from halfwidth.resampling.designs import Design, arrange
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import leave_one_out, replicates
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.kernels import native

GIVEN: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in RANKED] + [
    ("ap", {"interpolation": "all_points"}),
    ("froc_score", {"interpolation": "steps"}),
]
DESIGNS = ("paired", "clustered", "stratified")
# Every metric under one design, and AP under all.
CASES: list[tuple[str, dict[str, Any], str]] = [("ap", {}, one) for one in DESIGNS[1:]]
CASES += [(*given, DESIGNS[place % 3]) for place, given in enumerate(GIVEN)]
needs_c = pytest.mark.skipif(not native.available(), reason="needs the compiled library")


def arranged(records: Array, design: str, images: int) -> tuple[Array, Design]:
    """Records under a design: patients of one to three images, or two strata of images."""
    patients = np.minimum(np.arange(images) // 2, images // 3).astype(np.intp)
    strata = (np.arange(images) % 2).astype(np.intp)
    return arrange(
        records,
        patients if "clustered" in design else None,
        strata if design == "stratified" else None,
        paired=True,
    )


@needs_c
@pytest.mark.parametrize(("name", "given", "design"), CASES)
def test_kernels_and_numpy_agree(name: str, given: dict[str, Any], design: str) -> None:
    for average in ("macro", "micro"):
        lists = ranked_scene(11, ties=True)
        functional = functional_of(lists, name, average, **given)
        records, drawn = arranged(functional.records(lists), design, lists.n_images)
        plans = [
            Plan(5, 70, compiled=True),
            Plan(5, 70, compiled=True, threads=3),
            Plan(5, 70, compiled=False),
            Plan(5, 70, compiled=False, block_elements=1000),
        ]
        fast, in_threads, plain, in_blocks = (
            replicates(records[None], drawn, functional.statistic, plan) for plan in plans
        )
        np.testing.assert_allclose(fast, plain, atol=1e-12)
        assert fast.std() > 0.005
        # In no bit does a result depend on threads or blocks.
        assert np.array_equal(fast, in_threads)
        assert np.array_equal(plain, in_blocks)


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_c), False])
@pytest.mark.parametrize(("name", "given"), GIVEN)
def test_what_is_right_all_over_is_one(name: str, given: dict[str, Any], *, compiled: bool) -> None:
    """To the last bit, in every resample: thirds and sevenths of objects do not add up to less."""
    images, objects = 21, (0, 3, 7, 1, 5, 6)
    found = [objects[image % len(objects)] for image in range(images)]
    entries = [
        (image, 0, 0.9 - 0.02 * image - 0.001 * i, [1])
        for image, number in enumerate(found)
        for i in range(number)
    ]
    functional = functional_of(of_entries(entries, found), name, **given)
    drawn = replicates(
        functional.records(of_entries(entries, found))[None],
        Design((images,), paired=True),
        functional.statistic,
        Plan(3, 64, compiled=compiled),
    )
    assert set(drawn[np.isfinite(drawn)]) == {1.0}


@pytest.mark.parametrize(("name", "given", "design"), CASES)
def test_a_copy_of_an_image_is_an_image(name: str, given: dict[str, Any], design: str) -> None:
    """Resampled, or left out, as if images were there as often as they are drawn."""
    lists = ranked_scene(12, ties=name != "ap")
    functional = functional_of(lists, name, **given)
    numbered = np.vstack([functional.records(lists), np.arange(lists.n_images)])
    numbered, drawn = arranged(numbered, design, lists.n_images)
    records, image = numbered[:-1], numbered[-1].astype(int)
    plan = Plan(6, 4)
    values = replicates(records[None], drawn, functional.statistic, plan)[0]
    for units, value in zip(plan.indices(drawn, 0, 4), values, strict=True):
        cases = np.concatenate([np.flatnonzero(drawn.unit_of_case == unit) for unit in units])
        again = some_images(lists, image[cases])
        expected = functional.statistic(functional.records(again))
        assert value == pytest.approx(float(expected), abs=1e-12)
    without = leave_one_out(records[None], drawn, functional.statistic)[0]
    for unit in (0, drawn.units - 1):
        rest = some_images(lists, image[drawn.unit_of_case != unit])
        expected = functional.statistic(functional.records(rest))
        assert without[unit] == pytest.approx(float(expected), abs=1e-12)


def test_equal_scores_of_copies_stay_together() -> None:
    """AP takes equal scores one by one: each detection is followed by its copies."""
    lists = of_entries([(0, 0, 0.5, [0]), (0, 0, 0.5, [1]), (1, 0, 0.5, [1])], [1, 1])
    functional = functional_of(lists, "ap")
    records = functional.records(lists)
    form = declared_form(functional.statistic, MatchedScores)
    (once,) = form.unpack(records)
    (copies,) = form.unpack(records[:, [0, 0, 1]])
    weighted = form.curve.values(once, np.array([[2, 1]]))
    twice = form.curve.values(copies, np.array([[1, 1, 1]]))
    np.testing.assert_allclose(weighted, twice)
    # Two false ones come first, then two true ones of image 0, then that of image 1.
    assert twice[0, 0] == pytest.approx(3 / 5)


def test_resamples_without_objects_are_undefined() -> None:
    lists = of_entries([(0, 0, 0.5, [1])], [1, 0, 0, 0])
    for name in ("ap", "froc_score"):
        functional = functional_of(lists, name)
        records, design = arranged(functional.records(lists), "paired", 4)
        plan = Plan(7, 200)
        values = replicates(records[None], design, functional.statistic, plan)[0]
        held = records[0] > 0
        none = ~held[plan.indices(design, 0, 200)].any(axis=1)
        assert np.array_equal(np.isnan(values), none)
        assert none.any()


def test_paired_differences_share_their_draws() -> None:
    first = ranked_scene(13)
    second = replace(first, score=np.random.default_rng(1).random(len(first.image)))
    functional = functional_of(first, "ap")
    records = with_equal_slots([functional.records(one) for one in (first, second)])
    design = Design((first.n_images,), paired=True)
    plan = Plan(8, 50)
    each = [replicates(one[None], design, functional.statistic, plan)[0] for one in records]
    contrast = difference_functional(functional).statistic
    pair = replicates(np.stack(records)[None], design, contrast, plan)[0]
    np.testing.assert_allclose(pair, each[0] - each[1], atol=1e-15)


def test_slots_that_are_filled_up_change_nothing() -> None:
    few, many = (ranked_scene(14, images=8), ranked_scene(14, images=8))
    some = np.flatnonzero(np.arange(len(few.image)) % 3 == 0)
    few = replace(
        few,
        image=few.image[some],
        category=few.category[some],
        score=np.asarray(few.score)[some],
        detection=few.detection[some],
        outcome=few.outcome[:, some],
        reference=few.reference[:, some],
        similarity=few.similarity[:, some],
    )
    functional = functional_of(few, "ap")
    records = [functional.records(one) for one in (few, many)]
    assert len(records[0]) < len(records[1])
    padded, same = with_equal_slots(records)
    assert padded.shape == same.shape
    assert functional.statistic(padded) == functional.statistic(records[0])


# --------------------------------------------------------------------------- what C trusts


def one_list(image: list[int], outcome: list[int], references: list[int]) -> ScoredMatches:
    """A list of detections at one threshold."""
    return ScoredMatches(
        np.array(image),
        np.ones(len(image), dtype=bool),
        np.array([outcome], dtype=np.uint8),
        np.array(references),
    )


def test_lists_that_would_lead_c_astray_are_refused() -> None:
    units = np.arange(2)
    with pytest.raises(ValueError, match="more true positives than objects"):
        native_matches.precision_lists((one_list([0, 0], [1, 1], [1, 0]),), units, 2)
    with pytest.raises(ValueError, match="beyond 1"):
        native_matches.froc_lists((one_list([1], [0], [1, 0]),), units, 1)
    with pytest.raises(ValueError, match="beyond 1"):
        native_matches.objects_of((one_list([], [], [0, 1]),), units, 1)


@needs_c
def test_counts_and_levels_that_do_not_fit_are_refused() -> None:
    lists = (one_list([0, 1], [1, 0], [1, 0]),)
    counts = native.counts_side_by_side(np.ones((3, 3), np.uint8))
    prepared = native_matches.froc_lists(lists, np.arange(2), 2)
    with pytest.raises(ValueError, match="3 units"):
        native_matches.frocs(prepared, counts, np.ones((1, 3)), stepped=False)
    fitting = native.counts_side_by_side(np.ones((3, 2), np.uint8))
    for targets in (np.empty((0, 3)), -np.ones((1, 3)), np.array([[2.0] * 3, [1.0] * 3])):
        with pytest.raises(ValueError, match="must ascend"):
            native_matches.frocs(prepared, fitting, targets, stepped=False)
