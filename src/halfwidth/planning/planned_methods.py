"""The method of a plan: the one that is named, or that ``auto`` takes of such cases."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.kinds import Kind
from halfwidth.core.metric_spec import UNNAMED
from halfwidth.core.option_names import spelled, spelled_both
from halfwidth.core.spec import MethodSpec, Metric, Need
from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.choose import choose, choose_unpaired
from halfwidth.estimation.differences import difference_functional
from halfwidth.estimation.records import Functional, Records
from halfwidth.estimation.resolve import RULE, check_accepts, resolve_request, resolve_statistic
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.dirichlet_intervals import open_side
from halfwidth.intervals.mean import t as student_t
from halfwidth.intervals.mean import z as normal_z
from halfwidth.intervals.two_samples import mover, welch
from halfwidth.metrics.names import resolve_metric
from halfwidth.planning.assumed_cases import AssumedCases, PilotCases
from halfwidth.planning.expected_intervals import FIRST, ExpectedIntervals
from halfwidth.planning.width_formulas import WidthFormula
from halfwidth.resampling.designs import Design
from halfwidth.resampling.expansion import FEWEST_EXPANDED

LEAST = 2
# Methods whose width has a formula.
CLOSED = (student_t.__name__, normal_z.__name__)
# Cases of a study for which `auto` is asked; from three on it takes the same of all numbers.
MANY = 100
# Times as many studies where the power is counted: with 1000 its standard error is 1.3 points.
COUNTED = 5.0
UNKNOWN_BOUNDS = (
    "Of values without known bounds. Of a metric with finite ones the default interval is another "
    f"one: name the metric ({spelled_both('metric')}), or give bounds ({spelled_both('bounds')})."
)


def mean_functional(metric: Metric, *, paired: bool = False) -> Functional:
    """The mean of a metric, or of the differences of two models within cases."""
    functional = Functional(resolve_statistic("mean"), metric)
    return difference_functional(functional) if paired else functional


def planned_method(
    method: Any, functional: Functional, level: Level, *, groups: bool = False
) -> tuple[MethodSpec, str]:
    """The method of one sample (of either group), and the version of ``auto`` if that chose it."""
    request = resolve_request(
        method=method,
        confidence_level=level.confidence_level,
        alternative="two-sided",
        n_resamples=None,
        rng=0,
        missing="raise",
        penalty=None,
    )
    named = request.method
    if named is None:
        return default_method(functional, level, groups=groups), RULE
    if groups and named.name == welch.__name__:
        return named, ""
    check_accepts(
        *(named, functional.metric, functional.statistic), binary=False, design=Design.iid(MANY)
    )
    return named, ""


def fewest_planned(method: MethodSpec, functional: Functional) -> int:
    """The fewest cases of which the interval has a width."""
    opens = Need.OPEN_SIDE in method.needs
    opens = opens and open_side(functional.statistic, functional.metric.spec.bounds, LEAST) != ""
    return FEWEST_EXPANDED if opens else LEAST


def default_method(functional: Functional, level: Level, *, groups: bool = False) -> MethodSpec:
    """What ``auto`` takes of cases that differ."""
    if functional.metric.spec.kind is Kind.BINARY:
        raise OptionError(
            f"{functional.metric.spec.called} is 0 or 1 for each case, and its mean a proportion: "
            "plan it by planning.proportion (halfwidth plan proportion), or name a method for "
            f"means ({spelled('method', student_t.__name__)})"
        )
    if groups:
        chosen = choose_unpaired(functional, "difference")
        if chosen.name != mover.__name__:
            return chosen
    values = np.linspace(-1.0, 1.0, MANY)
    return choose(functional, Records(values, Design.iid(MANY), MANY, values=values), level)


@functools.lru_cache(maxsize=32)
def expected_intervals(
    cases: tuple[AssumedCases | PilotCases, ...],
    method: MethodSpec,
    bounds: Bounds,
    level: Level,
    *,
    paired: bool = False,
) -> ExpectedIntervals:
    """Simulated intervals of such cases between these bounds, kept for the next question."""
    functional = mean_functional(resolve_metric(None, bounds), paired=paired)
    counted = any(isinstance(one, PilotCases) for one in cases)
    return ExpectedIntervals(
        cases,
        functional.statistic,
        method,
        level,
        functional.metric.spec.bounds,
        COUNTED if counted else 1.0,
    )


def simulated_formula(
    plan: WidthFormula, expected: ExpectedIntervals, assumed: Mapping[str, float], shape: str
) -> WidthFormula:
    """A copy of the plan with the widths of simulated intervals."""
    name, text = expected.method.name, "its mean width over simulated studies of n cases"
    if len(expected.cases) > 1:
        text += " a group"
        if name != welch.__name__ and expected.method.of_each is None:
            name = METHODS[mover.__name__].putting_together(expected.method).name
    return replace(
        plan,
        formula=name,
        formula_text=text,
        assumed=assumed,
        width_at=expected.width,
        curve_at=expected.curve_width,
        least=max(plan.least, FIRST),
        shape=shape,
    )


def notes_on_method(
    method: MethodSpec, rule: str, functional: Functional, level: Level, *, groups: bool = False
) -> tuple[str, ...]:
    """Where the default analysis takes another method, or would of a metric with bounds."""
    metric = functional.metric.spec
    if rule:
        unknown = metric.name == UNNAMED.name and not metric.bounds.finite
        return (UNKNOWN_BOUNDS,) if unknown else ()
    if method.name == normal_z.__name__ or metric.kind is Kind.BINARY:
        return ()
    usual = default_method(functional, level, groups=groups)
    if method.name == usual.name:
        return ()
    note = (
        f"This is the width of {method.name}. The default analysis ({RULE}) takes {usual.name} "
        f"here: leave the method out to plan for that one, or name {method.name} when you "
        f"evaluate ({spelled_both('method', method.name)})."
    )
    return (note,)
