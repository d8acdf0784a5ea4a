"""Weights meet statistics: replicates, and values without each unit, by the engine of a form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import Engine, Prepared, Shared
from halfwidth.resampling.weights.blocks import all_but_one
from halfwidth.resampling.weights.bootstrap import Drawn, evaluated


def replicates_by(
    engine: Engine, values: Array, design: Design, statistic: Statistic, plan: Plan
) -> Array:
    """The statistic of each resample, (S, n) -> (S, B), in their order."""
    if not len(values):
        return np.empty((0, plan.n_resamples))
    step = len(values)
    if engine.most_values is not None:
        step = max(1, engine.most_values // max(values[:1].size, 1))
    parts = [values[start : start + step] for start in range(0, len(values), step)]
    each = [
        replicates_of(engine.prepare(part, design, statistic), len(part), design, plan)
        for part in parts
    ]
    return each[0] if len(each) == 1 else np.concatenate(each)


def replicates_of(prepared: Prepared, samples: int, design: Design, plan: Plan) -> Array:
    """Replicates of samples that are ready."""
    shared = prepared.shared(plan)
    if shared is not None:
        return _finished(shared, prepared, design, plan)
    out = np.empty((samples, plan.n_resamples))

    def evaluate(block: Drawn) -> None:
        prepared.evaluate(block, out[:, block.start : block.stop])

    for _ in evaluated(evaluate, design, plan, prepared.pace(plan), keeps=samples > 1):
        pass
    return out


def _finished(shared: Shared, prepared: Prepared, design: Design, plan: Plan) -> Array:
    """Replicates from what is kept for other statistics of the same samples."""

    def reduced() -> list[NDArray[Any]]:
        blocks = evaluated(shared.reduce, design, plan, prepared.pace(plan))
        each = zip(*(arrays for _, arrays in blocks), strict=True)
        return [np.concatenate(parts, axis=-1) for parts in each]

    return shared.finish(*plan.once(shared.key, shared.arrays, design, reduced))


def left_out_by(engine: Engine, values: Array, design: Design, statistic: Statistic) -> Array:
    """The statistic without each unit, (S, n) -> (S, U)."""
    if engine.leave_one_out is not None:
        return engine.leave_one_out(values, design, statistic)
    return without_each_unit(engine.prepare(values, design, statistic), len(values), design)


def without_each_unit(prepared: Prepared, samples: int, design: Design) -> Array:
    """Values without each unit, made as resamples that lack it, (S, U)."""
    out = np.empty((samples, design.units))
    pace = prepared.pace(Plan(0, design.units))
    for left_out, block in all_but_one(design, pace.at_once):
        prepared.evaluate(block, out[:, left_out])
    return out
