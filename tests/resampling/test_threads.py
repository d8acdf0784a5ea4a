"""Threads share the work of the kernels and change no bit; no call is long, whatever the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.core import rng
from halfwidth.resampling import draws
from halfwidth.resampling.kernels import native

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
        hw.metric_ci(**WORK[work], n_resamples=700, method="percentile", rng=1, n_threads=threads)
        for threads in (1, 2, 3)
    )
    low, high = one.confidence_interval
    assert low < high
    assert all(made.confidence_interval == one.confidence_interval for made in others)


def test_a_call_draws_no_more_than_an_interrupt_can_wait_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[str, int]] = []
    call: Callable[..., None] = native._call

    def counted(name: str, *arguments: Any) -> None:
        if name == "hw_count_drawn":
            _, _, start, stop, units, *_ = arguments
            calls.append((name, (stop - start) * units))
        call(name, *arguments)

    key, units = rng.Key(3), 5000
    whole = native.side_by_side([(key, 0, units)], 2, 90, units)
    monkeypatch.setattr(native, "_call", counted)
    monkeypatch.setattr(native, "AT_A_TIME", 20 * units)
    parts = native.side_by_side([(key, 0, units)], 2, 90, units)
    assert np.array_equal(parts.turned, whole.turned)
    assert sum(drawn for _, drawn in calls) == 88 * units
    assert max(drawn for _, drawn in calls) <= 20 * units
