"""Predictions: what is estimated of each model, and the families that are compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.data.predictions import PredictionArrays, Predictions, PredictionTables
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.test_sets.metric_requests import (
    metric_request,
)
from halfwidth.measuring import curves as prediction_curves
from halfwidth.measuring.jobs import JobsOfCases
from halfwidth.measuring.plans import FamilyPlan, Matched, MetricPlan, by_level, plans_of_metrics
from halfwidth.measuring.quantities import Quantities
from halfwidth.measuring.read_test_sets import request, test_sets

DATA = Predictions
CURVES, curves = prediction_curves.CURVES, prediction_curves.curves
MATCHED_WHEN_READ = False


def jobs(
    predictions: Predictions, quantities: Quantities, **inference: Any
) -> tuple[JobsOfCases, Request]:
    """What is estimated of each model, level, metric and class, and the request for it."""
    shared = request(predictions, **inference)
    requested = metric_request(
        quantities.test_set_metrics,
        quantities.averages,
        predictions.options,
        predictions.bounds,
    )
    read = list(test_sets(predictions, requested, shared.missing))
    of_all = tuple(
        replace(
            job,
            label=" / ".join(filter(None, [one.label, job.label])),
            by={**one.by, **job.by},
            cautions=(*job.cautions, *one.model.cautions),
        )
        for one in read
        for job in requested.jobs(one.cases)
    )
    notes = dict.fromkeys(note for one in read for note in one.cases.notes)
    return JobsOfCases(of_all, tuple(notes)), shared


def families(
    predictions: Predictions, quantities: Quantities, how: Matched
) -> tuple[list[FamilyPlan], list[str]]:
    """The models of each level and metric, to be measured, and notes on what was read."""
    metrics = quantities.test_set_metrics
    if predictions.bounds is not None and len(metrics) > 1:
        raise OptionError(f"{spelled('bounds')} is the range of one metric; give one at a time")
    plans = plans_of_metrics(metrics, quantities.averages, predictions.options, predictions.bounds)
    return families_by_metric(predictions.source, plans, how)


def families_by_metric(
    source: PredictionArrays | PredictionTables, plans: list[MetricPlan], how: Matched
) -> tuple[list[FamilyPlan], list[str]]:
    """The families of each level and metric, level by level, and what was left out."""
    each: list[FamilyPlan] = []
    notes: list[str] = []
    for plan in plans:
        found, own = source.families(plan.metric, numbers=plan.numbers, pairing=how.pairing)
        each += [FamilyPlan(family, plan) for family in found]
        notes += own
    return by_level(each), [*dict.fromkeys(notes)]
