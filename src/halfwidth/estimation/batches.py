"""Intervals of a batch of samples that take different methods, fallbacks included.

Public functions and studies both come here, so that what a study says of ``auto`` holds for users.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.spec import MethodSpec, spec_of
from halfwidth.core.types import Array, Interval, Level
from halfwidth.estimation.choose import choose
from halfwidth.estimation.records import NO_VALUES, Functional, Records
from halfwidth.intervals.compute import Computed, intervals
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan


@frozen
class SampleGroup:
    """The samples of a batch whose intervals one method makes.

    Attributes
    ----------
    method : MethodSpec
    rows : ndarray of int
        Their places in the batch.
    computed : Computed
        Intervals in the order of ``rows``.
    level : Level
        That of the intervals, which need not be the one asked for.
    """

    method: MethodSpec
    rows: NDArray[np.intp]
    computed: Computed
    level: Level


def automatic_intervals(
    functional: Functional, samples: Array, level: Level, *, design: Design, plan: Plan
) -> list[SampleGroup]:
    """Intervals of samples without clusters, strata and weights, as ``auto`` makes them of each.

    Parameters
    ----------
    functional : Functional
    samples : ndarray, shape (S, n) or (S, k, n)
        In any order where a case has one value, else in the canonical order of the design.
    level : Level
    design : Design
    plan : Plan

    Returns
    -------
    list of SampleGroup
        As of `intervals_by_method`.
    """
    ordered = np.sort(samples, axis=-1) if design.simple else samples
    of_records = functional.statistic.spec.of_records
    records = [
        Records(one, design, design.n, values=NO_VALUES if of_records else one) for one in ordered
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
    errors: bool = True,
) -> list[SampleGroup]:
    """Intervals of samples, each by its own method.

    Parameters
    ----------
    functional : Functional
    samples : ndarray, shape (S, n) or (S, k, n)
        In the canonical order of the design.
    methods : sequence of MethodSpec
        One for each sample.
    level : Level
    estimates : ndarray, shape (S,)
        The functional of each sample.
    design : Design
    plan : Plan
    chosen : bool
        Whether ``auto`` chose the methods: bounds are then cut to the statistic's range, and a
        defined estimate that is left without an interval takes the method that stands in for its
        own.
    errors : bool
        Whether to compute the standard errors of bootstraps.

    Returns
    -------
    list of SampleGroup
        Every sample is in one of them; one that took a fallback is in a later one too, which holds.
    """

    def computed(method: MethodSpec, rows: NDArray[np.intp]) -> SampleGroup:
        too_few = design.n < max(functional.statistic.spec.min_n, 1)
        fewest = method.fewest_units(functional.statistic.spec, clustered=design.sizes is not None)
        too_few |= design.units < fewest
        # Units that cannot be compared say nothing of how they vary.
        if too_few or not (design.independent or design.degrees_of_freedom):
            return SampleGroup(method, rows, _no_intervals(len(rows)), level)
        (found,) = intervals(
            samples[rows],
            functional.statistic,
            [method],
            level,
            bounds=functional.metric.spec.bounds,
            plan=plan,
            design=design,
            binary=functional.binary,
            clip=chosen,
            errors=errors,
        )
        attained = method.level_attained(design.n, functional.statistic, level)
        return SampleGroup(method, rows, found, attained)

    groups = [computed(method, rows) for method, rows in _rows_by_method(methods)]
    fallbacks = [
        computed(spec_of(group.method.instead), rows)
        for group in groups
        if chosen and group.method.instead is not None
        if len(rows := group.rows[_undefined(group, estimates)])
    ]
    return groups + fallbacks


def _rows_by_method(methods: Sequence[MethodSpec]) -> Iterator[tuple[MethodSpec, NDArray[np.intp]]]:
    rows: dict[str, list[int]] = defaultdict(list)
    for row, method in enumerate(methods):
        rows[method.name].append(row)
    for own in rows.values():
        yield methods[own[0]], np.array(own)


def _undefined(group: SampleGroup, estimates: Array) -> NDArray[np.bool_]:
    """Samples of a group whose estimate is defined and whose interval is not."""
    missing = np.isnan(group.computed.interval.low) & np.isfinite(estimates[group.rows])
    return np.asarray(missing)


def _no_intervals(samples: int) -> Computed:
    none = np.full(samples, np.nan)
    zero = np.zeros(samples, dtype=np.intp)
    no = zero.astype(bool)
    return Computed(Interval(none, none, none), no, no, None, zero)
