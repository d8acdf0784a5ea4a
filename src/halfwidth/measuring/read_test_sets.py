"""Predictions of the models of a family made ready: a job for each model, row by row."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric
from halfwidth.core.undefined import OF_TEST_SETS, AnyMissing
from halfwidth.data.families import Family, ModelCases
from halfwidth.data.predictions import Predictions
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.resolve import Request, resolve_request
from halfwidth.estimation.test_sets.metric_requests import (
    MetricRequest,
    ScoreRequest,
    score_request,
)
from halfwidth.estimation.test_sets.reading import incomplete_cases
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.measuring.matching import missing_for_some


def measure_test_sets(
    family: Family, requested: MetricRequest, missing: AnyMissing, *, paired: bool
) -> list[FamilyJobs]:
    """A family for each metric, average and class: what is computed of each model's cases."""
    if paired:
        sets = _paired_sets(family, requested, missing)
    else:
        sets = _sets(family.models, family, requested, missing)
    if not isinstance(family.metric, Metric) and len({(s.hard, len(s.rows)) for s in sets}) > 1:
        raise DataError(
            f"{family.place}some models give labels and others scores, or scores in other columns; "
            "a function of your own needs the same kind from all"
        )
    rows = [
        [
            replace(job, cautions=(*job.cautions, *model.cautions), alone=alone)
            for job, alone in zip(requested.jobs(cases), _alone(requested, cases), strict=False)
        ]
        for cases, model in zip(sets, family.models, strict=True)
    ]
    names = [model.name for model in family.models]
    return [
        _measured(family, dict(zip(names, jobs, strict=True)), paired=paired)
        for jobs in zip(*rows, strict=True)
    ]


def _alone(requested: MetricRequest, cases: TestSet) -> Iterator[Job | None]:
    """Jobs without the other models, where the metric is a proportion of other cases; else None."""
    (metric,) = requested.metrics
    if isinstance(metric, Metric) and metric.spec.share and cases.identities is not None:
        return iter(requested.jobs(replace(cases, identities=None)))
    return itertools.repeat(None)


def _measured(family: Family, jobs: dict[str, Job], *, paired: bool) -> FamilyJobs:
    row_label = next(iter(jobs.values())).label
    label = " / ".join(filter(None, [family.label, row_label]))
    in_family = {name: replace(job, label=label, by=family.by) for name, job in jobs.items()}
    return FamilyJobs(in_family, label, family.by, family.n_unmatched, paired=paired)


def _paired_sets(family: Family, requested: MetricRequest, missing: AnyMissing) -> list[TestSet]:
    """The test set of each model, of the cases that none of them lacks."""
    models = family.models
    sets = _sets(models, family, requested, missing)
    usable = np.logical_and.reduce([_kept(one) for one in sets])
    counted = _weighing(models[0], len(usable))
    left_out = ~np.stack([_kept(one) for one in sets])[:, counted]
    # Cases without a prediction of their own, left out or counted as wrong.
    lacks = [~_kept(one) if one.absent is None else one.absent[0] for one in sets]
    absent = np.stack(lacks)[:, counted]
    names = [model.name for model in models]
    lacking = dict(zip(names, left_out.sum(axis=-1).tolist(), strict=True))
    further = missing_for_some(lacking, left_out.shape[-1])
    if any((_kept(one) != usable).any() for one in sets):
        models = tuple(model.rows(np.flatnonzero(usable)) for model in models)
        sets = _sets(models, family, requested, missing)
    if sets[0].n < 2:
        raise DataError(
            f"{family.place}{sets[0].n} case left with a prediction of every model; a comparison "
            "needs two at least"
        )
    by_name = [one for _, one in sorted(zip(names, sets, strict=True), key=lambda both: both[0])]
    identities = _identities(by_name, named=models[0].identities is not None)
    shares_truth = all(np.array_equal(one.truth, sets[0].truth) for one in sets)
    return [
        replace(
            one,
            identities=identities,
            shares_truth=shares_truth,
            n_missing=int(absent.any(axis=0).sum()),
            absent=absent,
            cautions=(*one.cautions, *further),
        )
        for one in sets
    ]


def _sets(
    models: Sequence[ModelCases], family: Family, requested: MetricRequest, missing: AnyMissing
) -> list[TestSet]:
    """Test sets with the classes of all models."""
    sets = [read_test_set(model, requested, missing, family.place) for model in models]
    if len({one.labels for one in sets}) < 2:
        return sets
    labels: list[Any] = list(dict.fromkeys(label for one in sets for label in one.labels))
    if len({type(label) for label in labels}) == 1:
        labels.sort()
    of_all = replace(requested, options=replace(requested.options, labels=labels))
    return [read_test_set(model, of_all, missing, family.place) for model in models]


@frozen(eq=False)
class ReadCases:
    """The test set of one model within some levels."""

    cases: TestSet
    # The same as given.
    model: ModelCases
    # The levels and the model, as results call them.
    label: str = ""
    by: Mapping[str, Any] = field(default_factory=dict)


def read_test_set(
    model: ModelCases,
    requested: MetricRequest | ScoreRequest,
    missing: AnyMissing,
    place: str = "",
    columns: tuple[str, str] = ("target", "predictions"),
) -> TestSet:
    """The test set of one model; messages name the model, else its columns, and its cases."""
    if model.target is None:
        raise DataError(f"{place}model {model.name!r} has no true classes ({spelled('y_true')})")
    names = ("target", model.name) if model.name else columns
    target, predictions = (f"{place}{name}" for name in names)
    cases = requested.test_set(
        model.target,
        model.predictions,
        missing="omit" if missing == "raise" else missing,
        sample_weight=model.weights,
        groups=model.groups,
        strata=model.strata,
        where=(target, predictions),
    )
    usable = _kept(cases) | ~_weighing(model, len(model))
    if missing == "raise" and not usable.all():
        # Rows were put in another order to be matched, so that places say nothing.
        where = predictions if model.name else f"{target}, {predictions}"
        raise incomplete_cases(where, usable, model.case_names)
    return cases


def _kept(cases: TestSet) -> NDArray[np.bool_]:
    if cases.kept is None:
        raise TypeError("a test set that was read says which cases it kept")
    return cases.kept


def _weighing(model: ModelCases, n: int) -> NDArray[np.bool_]:
    """Cases that weigh something: others are none, and none of them is missed."""
    if model.weights is None:
        return np.ones(n, dtype=bool)
    return np.asarray(np.asarray(model.weights, dtype=float) > 0)


def _identities(sets: Sequence[TestSet], *, named: bool) -> NDArray[np.intp]:
    """Which case each is: its place, or its rank by all that is known of cases without names.

    Sets come in the order of the names of their models, whichever was given first.
    """
    n = sets[0].n
    if named:
        return np.arange(n)
    keys = np.vstack([sets[0].truth, *(one.rows for one in sets)])
    order = np.lexsort(keys[::-1])
    ranks = np.empty(n, dtype=np.intp)
    ranks[order] = np.arange(n)
    return ranks


def request(predictions: Predictions, **inference: Any) -> Request:
    """What all estimates of a verb share: the policy of these data, and its inference."""
    return resolve_request(
        missing=predictions.missing, policies=OF_TEST_SETS, kept=predictions.kept, **inference
    )


def test_sets_for(purpose: str, predictions: Predictions, **how: Any) -> list[ReadCases]:
    """The test set of each model and level; ``purpose``: what for; ``how``: see `ScoreRequest`."""
    requested = score_request(purpose, predictions.options, predictions.bounds, **how)
    return list(test_sets(predictions, requested, predictions.missing))


def test_sets(
    predictions: Predictions, requested: MetricRequest | ScoreRequest, missing: AnyMissing
) -> Iterator[ReadCases]:
    """The test set of each model and level."""
    for one in predictions.source.models_alone(numbers=requested.numbers):
        cases = read_test_set(one.model, requested, missing, one.place, one.called)
        yield ReadCases(cases, one.model, one.label, one.by)
