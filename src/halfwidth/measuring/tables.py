"""Jobs from a table of values of cases: many columns, groups and statistics at once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from halfwidth.core.checks import as_list
from halfwidth.core.errors import DataError, OptionError, shortened, shown
from halfwidth.core.option_names import spelled, spelled_both
from halfwidth.core.spec import Kind, Statistic
from halfwidth.core.titles import metric_title
from halfwidth.data.repeat_cautions import repeat_cautions
from halfwidth.data.slice_metrics import SliceMetrics
from halfwidth.estimation.check import Sample, check_sample
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import Request
from halfwidth.io.table import Table
from halfwidth.measuring.jobs import JobsOfCases
from halfwidth.measuring.missing_policies import MissingOrAll, Variant, variants
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.results.estimate import Cases
from halfwidth.tables.layout import Layout, Slice, not_applicable_note, slices


def table_jobs(
    table: Table,
    layout: Layout,
    metric: Any,
    bounds: Any,
    statistics: Sequence[Statistic],
    request: Request,
    *,
    missing: MissingOrAll,
    scale: float,
    several: bool = False,
) -> JobsOfCases:
    """Jobs of all columns, groups and statistics of a table."""
    metrics = SliceMetrics(table, layout, metric, bounds, several=several)
    if len(metrics.held) > 1 and metric is None and (scale != 1 or bounds is not None):
        raise OptionError(
            "scale and bounds would apply to every metric of the table "
            f"({shortened(metrics.held)}); name the one you mean: {spelled('metric')}"
        )
    notes = _ranges_not_used(layout) if metric is None and bounds is None else []
    jobs: list[Job] = []
    cases: list[Cases] = []
    parts: list[Slice] = []
    for together in variants(table, layout, metrics, request, missing, scale):
        samples = [_sample(variant, scale) for variant in together]
        parts.append(together[0].part)
        cases += [
            sample_cases(variant.label, sample, variant.part.groups)
            for variant, sample in zip(together, samples, strict=True)
        ]
        jobs += [
            _job(one, variant, sample)
            for one in statistics
            for variant, sample in zip(together, samples, strict=True)
        ]
    if not jobs:
        held = dict.fromkeys(f"{part.metric}{part.parameters}" for part in slices(table, layout))
        raise DataError(f"no rows of metric {metric!r} in the table; it holds {shortened([*held])}")
    if all(job.records.n_cases == 0 for job in jobs):
        raise DataError("no values left: every value is missing or not applicable")
    notes += not_applicable_note(parts)
    return JobsOfCases(tuple(jobs), tuple(notes), tuple(cases))


def _ranges_not_used(layout: Layout) -> list[str]:
    """Notes on columns that are named like a metric that was not asked for."""
    called = [] if layout.metric else [name for name in layout.values if name in METRICS]
    specs = {name: METRICS[name] for name in called}
    return [
        (
            f"column {name!r} holds numbers without a known range; if they are {spec.called}, say "
            f"so ({spelled_both('metric', spec.name)})"
        )
        for name, spec in specs.items()
        if spec.kind is not Kind.BINARY
    ]


def _sample(variant: Variant, scale: float) -> Sample:
    part = variant.part
    return check_sample(
        variant.values,
        variant.metric,
        variant.request,
        scale=scale,
        where=variant.place,
        cases=part.cases,
        groups=part.groups,
        strata=part.strata,
        may_be_empty=True,
    )


def _job(statistic: Statistic, variant: Variant, sample: Sample) -> Job:
    part = variant.part
    return Job(
        Functional(statistic, sample.metric, sample.binary),
        sample.records,
        variant.label,
        part.by,
        repeat_cautions(part.repeats, len(part.cases)),
        n_not_applicable=part.n_not_applicable,
        without=variant.without,
    )


def check_names(**columns: Any) -> None:
    """Refuse labels where the name of a column is meant."""
    for option, name in columns.items():
        if name is not None and not isinstance(name, str):
            raise OptionError(
                f"{spelled(option, name)} is not a text; give the name of a column (labels per "
                "case go to summary_ci)"
            )


def sample_cases(label: str, sample: Sample, groups: Any) -> Cases:
    """The values of a sample, and the cluster of each."""
    labels = None if groups is None else tuple(itertools.compress(groups, sample.kept))
    return Cases(label, metric_title(sample.metric), sample.in_order, labels)


def column_names(columns: str | Sequence[str] | None) -> list[str] | None:
    """One name, several, or None as they were given; an `OptionError` for anything else."""
    if columns is None:
        return None
    listed = [columns] if isinstance(columns, str) else as_list(columns)
    if listed is None:
        raise OptionError(f"{shown(columns)} is neither the name of a column nor a list of names")
    return [str(name) for name in listed]
