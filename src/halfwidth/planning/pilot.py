"""The widths of intervals of studies of n cases, simulated from the values of a pilot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled, spelled_both
from halfwidth.core.rng import resolve_seed
from halfwidth.data.case_values import CaseValues
from halfwidth.data.several_metrics import MetricColumns
from halfwidth.data.sources import ModelTable
from halfwidth.data.value_tables import design_notes
from halfwidth.planning.checks import check_assurance, check_n, wanted_width
from halfwidth.planning.pilot_tables import Pilot, pilots_in
from halfwidth.planning.simulated_studies import Studies, check_pilot
from halfwidth.results.sample_size import (
    WIDTH_NEEDS,
    Requirement,
    SampleSize,
    SampleSizes,
)
from halfwidth.tables.layout import Layout

# Multiples of the n planned at which a curve is simulated too.
AROUND = (0.25, 0.5, 2.0)


@frozen
class PilotGoals:
    """What is asked of a pilot: half-widths and numbers of cases, each by itself."""

    halfwidths: Sequence[Any]
    sizes: Sequence[Any]
    # The share of studies that are to reach a width.
    assurance: Any
    # Whether other sizes than the one planned are simulated too.
    curve: bool

    def plans(self, studies: Any) -> Iterator[SampleSize]:
        """A plan for each; ``studies`` makes new ones, that each has a curve of its own."""
        share, around = check_assurance(self.assurance), AROUND if self.curve else ()
        for halfwidth in self.halfwidths:
            yield _plan_of_width(studies(), halfwidth, share, around)
        for size in self.sizes:
            simulated = studies()
            n = check_n(size, 2, "a study")
            if n > simulated.most:
                counted = simulated.counted
                raise OptionError(
                    f"n={n} is more than the {simulated.most} {counted} that are simulated"
                )
            yield simulated.plan_at(n, share, None, around)


def plans_of_pilot(
    values: CaseValues,
    goals: PilotGoals,
    statistics: Sequence[Any],
    *,
    n_samples: Any,
    rng: Any,
    **inference: Any,
) -> SampleSizes:
    """The plans of each pilot and statistic."""
    if values.failures != "seen":
        raise OptionError(
            f"{spelled('failures', values.failures)} has no effect on studies that are drawn from "
            "a pilot; leave it out"
        )
    seed = resolve_seed(rng)
    plans: list[SampleSize] = []
    notes = dict.fromkeys(_design_notes(values))
    for pilot in _pilots(values):
        notes |= dict.fromkeys(
            ": ".join(filter(None, [pilot.label, one]))
            for one in [*pilot.notes, *_repeat_notes(pilot)]
        )
        for statistic in statistics:

            def studies(pilot: Pilot = pilot, statistic: Any = statistic) -> Studies:
                return check_pilot(
                    pilot.values,
                    pilot.metric,
                    values.bounds,
                    statistic,
                    n_samples=n_samples,
                    scale=values.scale,
                    label=pilot.label,
                    rng=seed,
                    missing=values.missing,
                    penalty=values.penalty,
                    groups=pilot.groups,
                    strata=pilot.strata,
                    over=values.over,
                    **inference,
                )

            plans += goals.plans(studies)
    return SampleSizes(tuple(plans), tuple(notes))


def _pilots(values: CaseValues) -> Iterator[Pilot]:
    for wanted, source, layout in _layouts(values):
        for pilot in pilots_in(source.table, layout, metric=wanted.metric, missing=values.missing):
            label = " / ".join(filter(None, [source.model, pilot.label]))
            yield replace(pilot, label=label)


def _layouts(values: CaseValues) -> Iterator[tuple[MetricColumns, ModelTable, Layout]]:
    for wanted in values.columns:
        for source in values.tables.sources:
            yield wanted, source, values.tables.layout(source, wanted.names)


def _design_notes(values: CaseValues) -> Iterator[str]:
    """Columns that are clusters or strata by their names alone."""
    columns = values.tables.columns
    for _, _, layout in _layouts(values):
        yield from design_notes(layout, columns.groups, columns.strata)


def _repeat_notes(pilot: Pilot) -> list[str]:
    """What is to be done where rows belong together and are drawn apart."""
    if not pilot.repeats:
        return []
    if pilot.groups is not None:
        return ["cases of several clusters repeat; clusters are drawn as if they were independent"]
    note = (
        "cases repeat; all rows are drawn as if they were independent, which promises intervals "
        f"that are too narrow: name the column of what rows belong to ({spelled_both('groups')})"
    )
    return [note]


def _plan_of_width(
    studies: Studies, halfwidth: Any, share: float, around: tuple[float, ...]
) -> SampleSize:
    """The cases at which a share of studies have an interval no wider than wanted.

    Studies of n cases are drawn from the pilot with replacement, each gets its interval by the
    method, and n is found by bisection. It supposes that the share grows with n. The assurance is
    that of Kupper & Hafner (1989).
    """
    spec = studies.sample.metric.spec
    range_ = studies.statistic.range(spec.bounds, math.inf)
    wanted = wanted_width(halfwidth, range_, f"the {studies.quantity}")
    n = studies.smallest_n(wanted, share)
    margin = 2 * studies.share_error(n, wanted)
    low = studies.smallest_n(wanted, share - margin)
    high = _smallest_n_or_none(studies, wanted, share + margin)
    needs = (Requirement(WIDTH_NEEDS, n, f"simulated, with probability {share:g}"), *studies.needs)
    planned = max(need.n for need in needs)
    plan = studies.plan_at(planned, share, wanted, around)
    # The range of n refers to the width alone.
    simulated = None if plan.simulated is None else replace(plan.simulated, n_low=low, n_high=high)
    return replace(plan, wanted=wanted, requirements=needs, assurance=share, simulated=simulated)


def _smallest_n_or_none(studies: Studies, wanted: float, share: float) -> int | None:
    """The n for a share, or None if no n reaches it."""
    try:
        return studies.smallest_n(wanted, share) if share < 1 else None
    except OptionError:
        return None
