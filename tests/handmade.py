"""Comparisons made by hand, for tests of what is made of finished ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import halfwidth as hw
from halfwidth.core.forms import Effect
from halfwidth.core.types import Array
from halfwidth.metrics.names import resolve_metric
from halfwidth.results.comparison import ComparedCases, SimultaneousInterval, TestResult, Verdict

__all__ = ["family", "hand_made"]


def family(
    values: dict[str, Array],
    pairs: Sequence[tuple[str, str]],
    *,
    metric: str = "dsc",
    by: dict[str, Any] | None = None,
    margin: float | None = 0.05,
    effect: Effect = "difference",
    simultaneous: bool = True,
    groups: tuple[Any, ...] | None = None,
) -> hw.Comparisons:
    """Comparisons of some pairs of models on the same cases."""
    bound = resolve_metric(metric, None)
    items = []
    for first, second in pairs:
        e = hw.difference_ci(values[first], values[second], metric=metric, method="t")
        if effect == "ratio":
            e = replace(e, value=math.exp(e.value), low=math.exp(e.low), high=math.exp(e.high))
        reach = 1.3 * e.halfwidth
        items.append(
            hw.Difference(
                first,
                second,
                float(values[first].mean()),
                float(values[second].mean()),
                replace(e, by=by or {}),
                bound,
                effect,
                p_value=0.01,
                p_adjusted=0.03,
                correction="stepdown",
                n_comparisons=3,
                # What a figure leaves to the table.
                test=TestResult("permutation", "sign-flip permutation", 0.2, 99, 0.4, "holm"),
                simultaneous=SimultaneousInterval(e.value - reach, e.value + reach, "max_t", 3)
                if simultaneous
                else None,
                verdict=Verdict("open", "", margin) if margin else None,
                subject=f"mean {bound.spec.called}",
            )
        )
    cases = ComparedCases(values, bound, by or {}, groups)
    return hw.Comparisons(tuple(items), cases=(cases,))


def hand_made(n_models: int = 3, n: int = 30, seed: int = 0, **options: Any) -> hw.Comparisons:
    """Comparisons of models with their baseline."""
    rng = np.random.default_rng(seed)
    easy = rng.beta(8, 2, n)
    names = [f"model {letter}" for letter in "ABCDEFGHI"[: n_models + 1]]
    values = {name: np.clip(easy + rng.normal(0, 0.05, n), 0.01, 1) for name in names}
    return family(values, [(name, names[0]) for name in names[1:]], **options)
