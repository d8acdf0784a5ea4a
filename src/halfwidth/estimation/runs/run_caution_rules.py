"""Caution rules for estimates over training runs."""

from __future__ import annotations

import math
from collections.abc import Callable

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.formatting import percent
from halfwidth.intervals.ranks import minimum_n
from halfwidth.results.estimate import Estimate

# Up to so many runs a level above this one is too much to ask (lehmann2025, section 4.1).
FEW_RUNS, HIGH_LEVEL = 25, 0.9
# Runs beyond a quantile from which its interval is of use: 10 reach the quartiles, 15 the outer
# tenths (lehmann2025, section 5).
RUNS_BEYOND = 1.5


def _runs(n: int) -> str:
    return f"{n} run{'' if n == 1 else 's'}"


def _high_level(estimate: Estimate) -> Caution | None:
    level = (estimate.asked or estimate.level).confidence_level
    if level <= HIGH_LEVEL + 1e-9 or estimate.n > FEW_RUNS:
        return None
    return caution("HW701", level=percent(round(level, 4)), n=_runs(estimate.n))


def _extreme_quantile(estimate: Estimate) -> Caution | None:
    q = estimate.statistic_spec.quantile_level
    beyond = min(q, 1 - q)
    if math.isnan(q) or estimate.n * beyond >= RUNS_BEYOND - 1e-9:
        return None
    # No fewer than an exact interval takes, which another caution names (HW308).
    needed = _runs(
        max(math.ceil(RUNS_BEYOND / beyond - 1e-9), minimum_n(q, estimate.asked or estimate.level))
    )
    return caution("HW702", n=_runs(estimate.n), quantile=q, needed=needed)


RUN_RULES: tuple[Callable[[Estimate], Caution | None], ...] = (_high_level, _extreme_quantile)
