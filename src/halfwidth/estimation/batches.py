"""Intervals of a batch of samples that take different methods, fallbacks included.

Public functions and studies both come here, so that what a study says of ``auto`` holds for users.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.spec import MethodSpec, spec_of
from halfwidth.core.types import Array, Interval, Level
from halfwidth.estimation.choose import choose, if_unseen_failures
from halfwidth.estimation.records import NO_VALUES, Functional, Records
from halfwidth.intervals.bootstrap import percentile
from halfwidth.intervals.compute import Computed, fits, intervals, rests_on_bounds
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan


@frozen
class SampleGroup:
    """The samples of a batch whose intervals one method makes."""

    method: MethodSpec
    # Their places in the batch; intervals come in the same order.
    rows: NDArray[np.intp]
    computed: Computed
    # The intervals if cases can fail as none of these did, where that is another question.
    if_unseen_failures: Interval | None = None


def automatic_intervals(
    functional: Functional, samples: Array, level: Level, *, design: Design, plan: Plan
) -> list[SampleGroup]:
    """Intervals of samples without clusters, strata and weights, as ``auto`` makes them of each.

    Samples, (S, n) or (S, k, n), are in any order where a case has one value, else in the canonical
    one of the design.
    """
    ordered = np.sort(samples, axis=-1) if design.simple else samples
    takes_records = functional.statistic.spec.of_records
    records = [
        Records(one, design, design.n, values=NO_VALUES if takes_records else one)
        for one in ordered
    ]
    return intervals_by_method(
        functional,
        ordered,
        [choose(functional, one, level) for one in records],
        level,
        estimates=functional.statistic(ordered),
        design=design,
        plan=plan,
        chosen=True,
        errors=False,
    )


def intervals_by_method(
    functional: Functional,
    samples: Array,
    methods: Sequence[MethodSpec],
    level: Level,
    *,
    estimates: Array,
    design: Design,
    plan: Plan,
    chosen: bool,
    least: Array | None = None,
    errors: bool = True,
    readings: bool = False,
) -> list[SampleGroup]:
    """Intervals of samples, (S, n) or (S, k, n) in the canonical order, each by its own method.

    Every sample is in a group; one that took a fallback is in a later one too, which holds.
    ``chosen`` says that ``auto`` chose the methods: bounds are cut to the range of the statistic,
    and a defined estimate left without an interval takes the method that stands in for its own.
    ``least`` are the least distances of pseudo-cases that the data place, of differences of models.
    ``errors`` asks for the standard errors of bootstraps, ``readings`` for the intervals for unseen
    failures beside those that ``auto`` chose.
    """
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, method in enumerate(methods):
        rows_of[method.name].append(row)
    statistic, bounds, groups = functional.statistic, functional.metric.spec.bounds, []
    waiting = [(methods[rows[0]], np.array(rows)) for rows in rows_of.values()]
    # Those that stand in are added to its end.
    for method, rows in waiting:
        fewest = method.fewest_units(statistic.spec, clustered=design.sizes is not None)
        too_few = design.n < max(statistic.spec.min_n, 1) or design.units < fewest
        unseen = if_unseen_failures(method, statistic.spec, bounds) if readings and chosen else None
        # Units that cannot be compared say nothing of how they vary.
        if too_few or not (design.independent or design.degrees_of_freedom):
            own, *others = [_no_intervals(len(rows), level)]
        else:
            own, *others = intervals(
                samples[rows],
                statistic,
                [method] if unseen is None else [method, unseen],
                level,
                bounds=bounds,
                plan=plan,
                design=design,
                binary=functional.binary,
                estimates=estimates[rows],
                least=None if least is None else least[rows],
                clip=chosen,
                errors=errors,
            )
        groups.append(SampleGroup(method, rows, own, others[0].interval if others else None))
        # Of a defined estimate.
        missing = np.isnan(own.interval.low) & np.isfinite(estimates[rows])
        if not chosen or method.instead is None or not missing.any():
            continue
        instead: MethodSpec = spec_of(method.instead)
        if not fits(instead, statistic, design, binary=functional.binary):
            instead = spec_of(percentile)
        if bounds.finite or not rests_on_bounds(instead, statistic):
            waiting.append((instead, rows[missing]))
    return groups


def _no_intervals(samples: int, level: Level) -> Computed:
    none = np.full(samples, np.nan)
    zero = np.zeros(samples, dtype=np.intp)
    no = zero.astype(bool)
    return Computed(Interval(none, none, none), level, no, no, None, zero)
