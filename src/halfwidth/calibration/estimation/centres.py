"""Calibration over centres: in each, on average, and in a new one."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.calibration.metrics.recalibration import (
    calibration_in_the_large,
    calibration_intercept,
    calibration_slope,
    oe_ratio,
)
from halfwidth.calibration.results.centre_results import CentreResults, OverCentres
from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened
from halfwidth.core.kinds import Transform
from halfwidth.core.spec import Metric, MetricSpec
from halfwidth.core.types import Array
from halfwidth.estimation.functionals import (
    MetricRow,
    Policies,
    metric_rows,
    probabilities_of_one,
)
from halfwidth.estimation.pipeline import estimate_jobs
from halfwidth.estimation.resolve import Request
from halfwidth.estimation.test_sets.jobs import check_probabilities, job_for
from halfwidth.estimation.test_sets.test_set import TestSet
from halfwidth.intervals.random_effects import pool
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.results.estimate import Estimate, Estimates

POOLED = (calibration_slope, calibration_intercept, calibration_in_the_large, oe_ratio)
NAMES = tuple(metric.__name__ for metric in POOLED)
# Fewer say next to nothing of how much centres differ.
FEW_CENTRES, FEWEST_CENTRES = 5, 2
MOST_NAMED = 5


def calibration_over_centres(
    cases: TestSet,
    parts: Mapping[str, TestSet],
    metrics: Sequence[Any],
    average: Any,
    request: Request,
) -> CentreResults:
    """Each metric and class in each centre, on average, and in a new one."""
    pooled = [_pooled_metric(one) for one in metrics]
    if not pooled:
        raise OptionError("metric: name at least one")
    averages = None if average is None else [average]
    items = tuple(
        _over_centres(one, row, parts, request)
        for one in pooled
        for row in metric_rows(one, averages, cases.classes)
    )
    return CentreResults(items, cases.notes)


def centre_parts(cases: TestSet, centres: Sequence[Any]) -> dict[str, TestSet]:
    """The cases, whose strata are centres, of each centre by its name, in the order of names.

    ``centres`` has the label of each case that was given.
    """
    check_probabilities("calibration over centres", cases)
    if cases.strata is None:
        raise DataError(
            f"all {cases.n} cases come from one centre ({str(centres[0])!r}); use estimate "
            "(halfwidth ci) for its calibration"
        )
    kept = np.ones(len(centres), bool) if cases.kept is None else cases.kept
    there = [label for label, here in zip(centres, kept.tolist(), strict=True) if here]
    return _parts(cases, there)


def _pooled_metric(name: Any) -> Metric:
    spec = SAMPLE_METRICS[name] if isinstance(name, str) and name in SAMPLE_METRICS else name
    if not isinstance(spec, MetricSpec) or spec.name not in NAMES:
        raise UnknownNameError("metric that is pooled over centres", name, NAMES)
    return Metric(spec)


def _parts(cases: TestSet, centres: list[Any]) -> dict[str, TestSet]:
    """The cases of each centre, by its name, in the order of names."""
    codes: NDArray[np.intp] = np.asarray(cases.strata)
    names = {int(code): str(label) for code, label in zip(codes, centres, strict=True)}
    if len(set(names.values())) < len(names):
        raise DataError("centre: two different labels read the same; give each centre its own name")
    return {
        name: _some(cases, codes == code)
        for code, name in sorted(names.items(), key=lambda named: named[1])
    }


def _some(cases: TestSet, chosen: NDArray[np.bool_]) -> TestSet:
    return replace(
        cases,
        truth=cases.truth[chosen],
        rows=cases.rows[:, chosen],
        predicted=None,
        scores=None if cases.scores is None else cases.scores[:, chosen],
        weights=None if cases.weights is None else cases.weights[chosen],
        groups=None if cases.groups is None else cases.groups[chosen],
        strata=None,
        n_missing=0,
        cautions=(),
        kept=None,
    )


def _over_centres(
    metric: Metric, row: MetricRow, parts: Mapping[str, TestSet], request: Request
) -> OverCentres:
    """One metric of one class, in each centre and over all."""
    one_class = [name for name, part in parts.items() if is_of_one_class(row, part)]
    policies, jobs = Policies("omit", "omit"), []
    for name, part in parts.items():
        # What else could be wrong with the cases has been checked: nothing finite fits these.
        with contextlib.suppress(DataError):
            if name not in one_class:
                jobs.append(replace(job_for(row, part, policies, None), label=name))
    logarithmic = metric.spec.transform is Transform.LOG
    estimates = [
        (one, *_effect(one, logarithmic=logarithmic)) for one in estimate_jobs(jobs, request)
    ]
    pooled = [entry for entry in estimates if math.isfinite(entry[1]) and 0 < entry[2] < math.inf]
    used = {entry[0].label for entry in pooled}
    without = [name for name in parts if name not in used and name not in one_class]
    title = metric.spec.display
    if len(pooled) < FEWEST_CENTRES:
        raise DataError(
            f"the {title} exists in {len(pooled)} of {len(parts)} centres, and {FEWEST_CENTRES} or "
            "more are needed to pool it" + reasons_of(one_class, without)
        )
    effects, errors = (np.array([entry[place] for entry in pooled]) for place in (1, 2))
    result = pool(effects, errors, request.level)
    ends = (result.value, result.low, result.high, result.new_low, result.new_high)
    if logarithmic:
        with np.errstate(over="ignore"):
            ends = tuple(np.exp(ends).tolist())
    value, low, high, new_low, new_high = ends
    return OverCentres(
        metric,
        value,
        low,
        high,
        new_low,
        new_high,
        result.tau,
        result.i_squared,
        result.standard_error,
        Estimates(tuple(entry[0] for entry in pooled)),
        tuple(sorted([*one_class, *without])),
        request.level.confidence_level,
        row.label,
        row.average or "",
        tuple(centre_cautions(title, len(pooled), len(parts), one_class, without)),
    )


def is_of_one_class(row: MetricRow, part: TestSet) -> bool:
    """Whether the cases of a centre all have the class, or none does."""
    outcomes: Array = probabilities_of_one(row, part)[1]
    return bool(outcomes.min() == outcomes.max())


def _effect(one: Estimate, *, logarithmic: bool) -> tuple[float, float]:
    """What is pooled of an estimate, and its standard error."""
    if not logarithmic:
        return one.value, one.standard_error
    if not one.value > 0:
        return math.nan, math.nan
    return math.log(one.value), one.standard_error / one.value


def reasons_of(one_class: list[str], without: list[str]) -> str:
    """Why centres are left out, in brackets; empty where none is."""
    reasons = []
    if one_class:
        reasons.append(f"all cases of one class: {shortened(one_class, MOST_NAMED)}")
    if without:
        reasons.append(
            "no finite fit, as probabilities separate the classes or are equal: "
            f"{shortened(without, MOST_NAMED)}"
        )
    return f" ({'; '.join(reasons)})" if reasons else ""


def centre_cautions(
    title: str, used: int, count: int, one_class: list[str], without: list[str]
) -> list[Caution]:
    """Cautions of centres that are left out, and of few centres."""
    raised = []
    if one_class or without:
        raised.append(
            caution(
                "HW421",
                left=count - used,
                count=count,
                what=title,
                reasons=reasons_of(one_class, without).strip(),
            )
        )
    if used < FEW_CENTRES:
        new = "; there is no prediction interval" if used <= FEWEST_CENTRES else ""
        raised.append(caution("HW422", count=used, new=new))
    return raised
