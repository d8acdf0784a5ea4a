"""Values of cases: what is estimated of each model, and the families that are compared."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.by_metric import check_penalty
from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Statistic
from halfwidth.core.undefined import ALL_POLICIES
from halfwidth.data.case_values import CaseValues, ValueArrays, ValueTables
from halfwidth.data.families import Family, naming
from halfwidth.data.run_values import NOT_COMPARED, RunValues
from halfwidth.data.several_metrics import MetricColumns, listed_metrics
from halfwidth.data.sources import ModelTable
from halfwidth.data.value_tables import challenge_columns, layout_notes, value_families
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.records import Functional
from halfwidth.estimation.resolve import Request, resolve_request, resolve_statistic
from halfwidth.measuring.jobs import JobsOfCases, joined
from halfwidth.measuring.plans import FamilyPlan, Matched, by_level, plan_of_values
from halfwidth.measuring.quantities import Quantities
from halfwidth.measuring.tables import sample_cases, table_jobs
from halfwidth.measuring.values import ValueOptions, sample_of
from halfwidth.metrics.names import resolve_metric

DATA = CaseValues
MATCHED_WHEN_READ = False


def request(values: CaseValues, **inference: Any) -> Request:
    """What all estimates of a verb share: the policies of these values, and its inference."""
    return resolve_request(
        missing=values.missing,
        penalty=values.penalty,
        over=values.over,
        failures=values.failures,
        kept=values.kept,
        **inference,
    )


# --------------------------------------------------------------------------- each model by itself


def jobs(
    values: CaseValues, quantities: Quantities, **inference: Any
) -> tuple[JobsOfCases, Request]:
    """What is estimated of each model, column and level, and the request of its estimates."""
    source = values.source
    policy = values
    if values.missing == ALL_POLICIES and isinstance(source, ValueTables):
        policy = replace(values, missing="worst")
    shared = request(policy, **inference)
    statistics = [resolve_statistic(one) for one in quantities.statistics]
    named = values.with_metric(quantities.metric)
    if isinstance(source, RunValues):
        raise OptionError(
            "these are values of training runs; estimate their quantiles and mean (estimate, "
            "runs_ci)"
        )
    if isinstance(source, ValueTables):
        return _jobs_in_tables(source, named, statistics, shared), shared
    return _jobs_in_arrays(source, named, statistics, shared), shared


def _jobs_in_arrays(
    arrays: ValueArrays, values: CaseValues, statistics: Sequence[Statistic], request: Request
) -> JobsOfCases:
    """Jobs of each model by itself."""
    metric = resolve_metric(values.metric, values.bounds)
    each = []
    for model in arrays.cases:
        sample = sample_of(model, metric, request, values.scale, model.name or "values")
        functionals = [Functional(one, sample.metric, sample.binary) for one in statistics]
        jobs = [Job(one, sample.records) for one in functionals]
        cases = sample_cases("", sample, model.groups)
        each.append(JobsOfCases(tuple(jobs), (), (cases,)).labelled_by(model.name))
    return joined(each)


def _jobs_in_tables(
    tables: ValueTables, values: CaseValues, statistics: Sequence[Statistic], request: Request
) -> JobsOfCases:
    """Jobs of each column and level; the rows of several models apart where these are named."""
    each = []
    columns = values.columns
    for source in tables.tables.sources:
        with contextlib.nullcontext() if source.model is None else naming(source.model):
            each += [
                _jobs_in_table(tables, source, own, model, values, statistics, request)
                for metric in columns
                for model, own in metric.by_model()
            ]
    jobs = joined(each)
    if isinstance(request.penalty, Mapping) or len(columns) > 1:
        check_penalty(request.penalty, [one.functional.metric for one in jobs.jobs])
    return jobs


def _jobs_in_table(
    tables: ValueTables,
    source: ModelTable,
    wanted: MetricColumns,
    model: str | None,
    values: CaseValues,
    statistics: Sequence[Statistic],
    request: Request,
) -> JobsOfCases:
    """Jobs of the rows of a table, or of a model that has a column of its own."""
    columns = tables.tables.columns
    layout = tables.tables.layout(source, wanted.value)
    jobs = table_jobs(
        source.table,
        layout,
        wanted.metric,
        values.bounds,
        statistics,
        request,
        missing=values.missing,
        scale=values.scale,
        several=len(values.columns) > 1,
    )
    named = model if len(layout.values) > 1 else model or source.model
    if named is not None and not layout.by:
        # The only column of a model is called as the model alone.
        jobs = jobs.without_labels()
    notes = layout_notes(layout, columns.groups, columns.strata)
    return replace(jobs.labelled_by(model or source.model), notes=(*notes, *jobs.notes))


# --------------------------------------------------------------------------- models compared


def families(
    values: CaseValues, quantities: Quantities, how: Matched
) -> tuple[list[FamilyPlan], list[str]]:
    """The models of each level and metric, to be measured, and notes on what was read."""
    options = ValueOptions(resolve_statistic(quantities.only_statistic), values.scale)
    named = values.with_metric(quantities.metric)
    source = values.source
    if isinstance(source, RunValues):
        raise OptionError(NOT_COMPARED)
    if isinstance(source, ValueTables):
        return _families_in_tables(source, named, options, how)
    plan = plan_of_values(named.metric, values.bounds, options)
    return [FamilyPlan(Family(source.cases, plan.metric), plan)], []


def _families_in_tables(
    source: ValueTables, values: CaseValues, options: ValueOptions, how: Matched
) -> tuple[list[FamilyPlan], list[str]]:
    """The families of each level and metric, level by level."""
    columns, usual, notes = challenge_columns(source.tables, source.value)
    several = isinstance(values.metric, Mapping) or len(listed_metrics(values.metric)) > 1
    wanted = values.columns_of(source.value if several else usual, source.tables)
    plans: list[FamilyPlan] = []
    further: list[str] = []
    for one in wanted:
        plan = plan_of_values(one.metric, values.bounds, options, named=False)
        in_tables, own = value_families(
            source.tables.sources,
            columns,
            one.value,
            one.metric,
            values.bounds,
            missing=how.request.missing,
            pairing=how.pairing,
        )
        plans += [FamilyPlan(family, plan) for family in in_tables]
        further += own
    return by_level(plans), [*notes, *dict.fromkeys(further)]
