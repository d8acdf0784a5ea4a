"""Threads share the work of the kernels and change no bit; no call is long, whatever the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from over_data import metric_ci

from halfwidth.arithmetic.ranked_scores import rank
from halfwidth.core import rng
from halfwidth.resampling import draws
from halfwidth.resampling.kernels import native, native_areas

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no compiled library")

GENERATOR = np.random.default_rng(8)
N = 600
TRUTH = GENERATOR.integers(0, 3, N)
SCORES = GENERATOR.random((N, 3)) + np.eye(3)[TRUTH] / 2
SCORES /= SCORES.sum(axis=1, keepdims=True)
BINARY, SCORE = TRUTH > 0, SCORES[:, 1] + SCORES[:, 2]
CLUSTERS = np.arange(N) // 3
WORK: dict[str, dict[str, Any]] = {
    "areas": {"metric": "auroc", "y_true": BINARY, "y_score": SCORE},
    "precisions": {"metric": "average_precision", "y_true": BINARY, "y_score": SCORE},
    "tables": {
        "metric": "f1",
        "y_true": TRUTH,
        "y_score": SCORES.argmax(axis=1),
        "average": "macro",
    },
    "sums of many features": {
        "metric": "mcc",
        "y_true": TRUTH,
        "y_score": SCORES.argmax(axis=1),
        "groups": CLUSTERS,
    },
    "sums of few features": {"metric": "rmse", "y_true": TRUTH, "y_score": SCORE},
    "counts": {"metric": "average_precision_trapezoid", "y_true": BINARY, "y_score": SCORE},
}


@pytest.mark.parametrize("work", WORK)
def test_any_number_of_threads_gives_the_same_bits(
    work: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draws, "SHARED_DRAWS", 1)
    one, *others = (
        metric_ci(**WORK[work], n_resamples=700, method="percentile", rng=1, n_threads=threads)
        for threads in (1, 2, 3)
    )
    low, high = one.confidence_interval
    assert low < high
    assert all(made.confidence_interval == one.confidence_interval for made in others)


# Arguments that say how much a call works on: of counts by strata, of squares, slots and entries.
WORK_OF_CALLS: dict[str, Callable[..., int]] = {
    "hw_count_drawn": lambda _0, _1, start, stop, units, *_: (stop - start) * units,
    "hw_turn": lambda _, blocks, _1, squares, *_2: blocks * squares * native.LANES**2,
    "hw_add_slots": lambda _, _1, _2, slots, *_3: slots * 2 * native_areas.SLOT * native.LANES,
    "hw_add_entries": lambda _, _1, _2, entries, *_3: entries * native.LANES,
}


@pytest.mark.parametrize("auroc", [True, False])
@pytest.mark.parametrize("levels", [7, 10**9])
def test_long_lists_are_shared_out_among_calls(
    auroc: bool, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, int]] = []
    call: Callable[..., None] = native.call

    def counted(name: str, *arguments: Any) -> None:
        if name in WORK_OF_CALLS:
            calls.append((name, WORK_OF_CALLS[name](*arguments)))
        call(name, *arguments)

    def made() -> tuple[Any, Any]:
        counts = native.side_by_side([(rng.Key(3), 0, units)], 2, 70, units)
        return native_areas.areas(lists, counts, 0, 2)

    draw, units = np.random.default_rng(levels), 7003
    ranking = rank(
        draw.random((2, units)) < 0.4, draw.integers(0, levels, (2, units)).astype(float)
    )
    lists = native_areas.prepared(ranking.case.astype(np.int32), ranking.mark, units, auroc=auroc)
    whole = made()
    most = 2**15
    monkeypatch.setattr(native, "AT_A_TIME", most)
    monkeypatch.setattr(native, "call", counted)
    parts = made()
    assert np.array_equal(parts, whole)
    part = "hw_add_slots" if auroc else "hw_add_entries"
    assert sum(name == part for name, _ in calls) >= 2 * 3 * 7
    assert max(work for _, work in calls) <= most


def test_room_that_held_other_counts_changes_none() -> None:
    room, keys = native.Room(), [(rng.Key(3), 0, 900)]
    for start, stop in ((0, 100), (100, 140), (140, 300)):
        fresh = native.side_by_side(keys, start, stop, 900)
        again = native.side_by_side(keys, start, stop, 900, room)
        assert np.array_equal(again.turned, fresh.turned)


def test_a_call_draws_no_more_than_an_interrupt_can_wait_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[str, int]] = []
    call: Callable[..., None] = native.call

    def counted(name: str, *arguments: Any) -> None:
        if name == "hw_count_drawn":
            _, _, start, stop, units, *_ = arguments
            calls.append((name, (stop - start) * units))
        call(name, *arguments)

    key, units = rng.Key(3), 5000
    whole = native.side_by_side([(key, 0, units)], 2, 90, units)
    monkeypatch.setattr(native, "call", counted)
    monkeypatch.setattr(native, "AT_A_TIME", 20 * units)
    parts = native.side_by_side([(key, 0, units)], 2, 90, units)
    assert np.array_equal(parts.turned, whole.turned)
    assert sum(drawn for _, drawn in calls) == 88 * units
    assert max(drawn for _, drawn in calls) <= 20 * units
