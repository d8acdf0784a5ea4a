"""Per-case values of the models of a family made ready: one job for each model."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.errors import DataError
from halfwidth.core.frozen import frozen
from halfwidth.core.metric_spec import PROPORTION, UNNAMED
from halfwidth.core.spec import Kind, Metric, Statistic
from halfwidth.core.types import Array
from halfwidth.core.undefined import apply_missing_policy
from halfwidth.data.families import Family, ModelCases
from halfwidth.estimation.check import Sample, check_magnitude, check_sample, scaled_numbers
from halfwidth.estimation.grouping import arrange_cases, listed, unit_codes
from halfwidth.estimation.pipeline import Job
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import Request
from halfwidth.measuring.jobs import FamilyJobs
from halfwidth.measuring.matching import missing_for_some


@frozen
class ValueOptions:
    """How values of cases, divided by their scale, are read and summed up."""

    statistic: Statistic
    scale: float
    # Whether cases without a value of some model are kept, whatever the policy; a number that
    # means nothing stands for it, and the family says where.
    keeps_missing: bool = False


def measure_values(
    family: Family, options: ValueOptions, request: Request, *, paired: bool
) -> FamilyJobs:
    """Values of cases that are numbers, in range and present, and what is computed of them."""
    metric = family.metric
    if not isinstance(metric, Metric):
        raise DataError("a function of labels and predictions needs y_true")
    if not paired:
        return _measure_each(family, metric, options, request)
    values = np.stack([_numbers(family, model, metric, options) for model in family.models])
    models, values, names = _in_canonical_order(family.models, values)
    absent, infinite = ~np.isfinite(values), np.isinf(values)
    if options.keeps_missing and not absent.all():
        values = np.where(absent, values[~absent].min(initial=np.inf), values)
    values, kept, cautions = _present(family, models, values, names, metric, request)
    metric, binary = _as_proportion(metric, values)
    reference = models[0]
    units = unit_codes(
        reference.groups, reference.strata, kept, f"{family.place}cases", reference.case_names
    )
    functional = Functional(options.statistic, metric, binary and request.over == "cases")
    identities = np.arange(values.shape[-1])
    jobs, lacking = {}, {}
    for place, (model, row, without) in enumerate(zip(models, values, absent, strict=True)):
        # A case that is left out is so for all models; one that counts as the worst, for its own.
        rows = slice(place, place + 1) if request.missing == "worst" else slice(None)
        own = absent[rows] if request.missing == "worst" else absent
        in_order, design = arrange_cases(row, *units, request.over, identities=identities)
        if options.keeps_missing:
            shares, _ = arrange_cases(
                without.astype(float), *units, request.over, identities=identities
            )
            lacking[model.name] = shares > 0
        records = Records(
            in_order,
            design,
            values.shape[-1],
            values=np.sort(in_order),
            n_groups=None if units[0] is None else len(np.unique(units[0])),
            over=request.over,
            n_missing=0 if options.keeps_missing else int(own.any(axis=0).sum()),
            n_infinite=int(infinite[rows].sum()),
            absent=own,
        )
        jobs[model.name] = _job(functional, records, family, model, cautions)
    if options.keeps_missing:
        values = np.where(absent, np.nan, values)
    names = [model.name for model in models]
    clusters = listed(reference.groups, "groups")
    return FamilyJobs(
        jobs,
        family.label,
        family.by,
        family.n_unmatched,
        dict(zip(names, values, strict=True)),
        None if clusters is None else tuple(itertools.compress(clusters, kept)),
        n_missing=dict(zip(names, absent.sum(axis=-1).tolist(), strict=True)),
        lacking=lacking,
    )


def _measure_each(
    family: Family, metric: Metric, options: ValueOptions, request: Request
) -> FamilyJobs:
    """Models that were measured on cases of their own."""
    jobs, values = {}, {}
    numbers = [_numbers(family, model, metric, options) for model in family.models]
    together = np.concatenate(numbers)
    metric, binary = _as_proportion(metric, together[np.isfinite(together)])
    functional = Functional(options.statistic, metric, binary and request.over == "cases")
    for model in family.models:
        sample = sample_of(model, metric, request, options.scale, f"{family.place}{model.name}")
        jobs[model.name] = _job(functional, sample.records, family, model)
        values[model.name] = sample.in_order
    return FamilyJobs(jobs, family.label, family.by, values=values, paired=False)


def sample_of(
    model: ModelCases, metric: Metric, request: Request, scale: float, where: str
) -> Sample:
    """The values of a model by itself, checked."""
    return check_sample(
        model.predictions,
        metric,
        request,
        scale=scale,
        where=where,
        cases=model.case_names,
        groups=model.groups,
        strata=model.strata,
    )


def _job(
    functional: Functional,
    records: Records,
    family: Family,
    model: ModelCases,
    further: tuple[Caution, ...] = (),
) -> Job:
    return Job(
        functional,
        records,
        family.label,
        family.by,
        (*model.cautions, *further),
        n_not_applicable=len(model.not_applicable),
    )


def _numbers(family: Family, model: ModelCases, metric: Metric, options: ValueOptions) -> Array:
    where = f"{family.place}{model.name}"
    return scaled_numbers(model.predictions, metric, options.scale, where, model.case_names)


def _in_canonical_order(
    models: Sequence[ModelCases], values: Array
) -> tuple[Sequence[ModelCases], Array, Sequence[str] | None]:
    """Cases known by place alone ascend by all their values; and what messages call the cases.

    The first value is that of the model whose name is first, whichever was given first.
    """
    if models[0].identities is not None:
        return models, values, models[0].case_names
    by_name = sorted(range(len(models)), key=lambda place: models[place].name)
    order = np.lexsort(values[by_name[::-1]])
    names = [f"#{place + 1}" for place in order.tolist()]
    return [model.rows(order) for model in models], values[:, order], names


def _present(
    family: Family,
    models: Sequence[ModelCases],
    values: Array,
    names: Sequence[str] | None,
    metric: Metric,
    request: Request,
) -> tuple[Array, NDArray[np.bool_], tuple[Caution, ...]]:
    """Values, (models, n), of cases that no model leaves out, which these are, and cautions."""
    lacking: NDArray[np.bool_] = np.asarray(~np.isfinite(values).all(axis=0))
    cautions: tuple[Caution, ...] = ()
    if request.missing == "omit":
        counts = (~np.isfinite(values)).sum(axis=1).tolist()
        by_model = {model.name: count for model, count in zip(models, counts, strict=True)}
        cautions = missing_for_some(by_model, len(lacking))
        values = np.where(lacking, np.nan, values)
    present: list[Array] = []
    kept = ~lacking
    for model, row in zip(models, values, strict=True):
        where = f"{family.place}{model.name}"
        finite, kept, _ = apply_missing_policy(
            row, request.missing, request.penalty, metric, where, names
        )
        check_magnitude(finite, where)
        present.append(finite)
    together = np.stack(present)
    n = together.shape[-1]
    if n < 2:
        raise DataError(
            f"{family.place}{n or 'no'} case{'s' if n != 1 else ''} left with a value of every "
            "model; a comparison needs two at least"
        )
    return together, kept, cautions


def _as_proportion(metric: Metric, values: Array) -> tuple[Metric, bool]:
    """Values of an unnamed metric that are 0 and 1 only are right or wrong."""
    if metric.spec == UNNAMED and set(np.unique(values).tolist()) == {0.0, 1.0}:
        return Metric(PROPORTION), True
    return metric, metric.spec.kind is Kind.BINARY
