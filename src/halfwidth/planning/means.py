"""The mean of per-case values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from halfwidth.core.checks import as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled, spelled_both
from halfwidth.core.spec import Metric
from halfwidth.core.types import UNBOUNDED, Level
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.intervals.mean import t as student_t
from halfwidth.intervals.mean import z as normal_z
from halfwidth.metrics.names import resolve_metric
from halfwidth.planning.assumed_cases import AssumedCases
from halfwidth.planning.checks import (
    check_assurance,
    check_goal,
    check_n,
    check_sd,
    check_share,
    wanted_width,
)
from halfwidth.planning.expected_intervals import ExpectedIntervals
from halfwidth.planning.planned_methods import (
    CLOSED,
    expected_intervals,
    fewest_planned,
    mean_functional,
    notes_on_method,
    planned_method,
    simulated_formula,
)
from halfwidth.planning.reliability import (
    other_requirements,
    quantity_text,
    reliability_requirement,
)
from halfwidth.planning.width_formulas import (
    ROUNDING,
    WidthFormula,
    plan_at,
    plan_for_width,
    smallest_n,
)
from halfwidth.results.sample_size import SampleSize

FORMULAS = {
    student_t.__name__: "2 t s / √n, t of n - 1 degrees of freedom",
    normal_z.__name__: "2 z s / √n",
}


def mean(
    sd: float,
    *,
    n: int | None = None,
    halfwidth: float | None = None,
    width: float | None = None,
    method: Any = "auto",
    mean: float | None = None,
    failures_share: float | None = None,
    assurance: float | None = None,
    metric: Any = None,
    statistics: Sequence[Any] = (),
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for an interval of a mean as narrow as wanted, or its width at n cases.

    The smallest n at which the mean width of the interval that a study gets by default is no more
    than wanted, in simulated studies of normal cases that are cut at the bounds of the metric. Of
    ``"t"`` and ``"z"`` that with 2 q s/√n ≤ width, q the quantile of Student's t with n - 1 degrees
    of freedom, or the normal one. With an assurance, the smallest n at which a study, whose own SD
    varies, gets such a width with that probability.

    Parameters
    ----------
    sd : float
        SD of the cases, in the metric's unit: of a pilot, of a published table.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float, optional
        The half-width wanted, the number after the ±.
    width : float, optional
        Instead of it the width wanted, high - low.
    method : str, default "auto"
        The method planned for: what the default analysis takes, or one that is named, of
        ``halfwidth.METHODS``; ``"t"`` and ``"z"`` have formulas.
    mean : float, optional
        The mean of the cases (of two groups, of the second), which says how far the bounds of
        the metric are; default: the middle between them, where intervals are widest.
    failures_share : float, optional
        Share of cases that fail, with the worst value of the metric; ``sd`` and ``mean`` are
        then those of the others.
    assurance : float, optional
        The probability with which a study is to reach the width, from 0.5 up to below 1: 0.8,
        for example.
    metric : str, MetricSpec or metric function, optional
        What the values are: their range, their unit, and from how many cases their mean is
        reliable.
    statistics : sequence of str, optional
        What else will be reported of the same cases, and has to be reliable too: ``"sd"``,
        ``"median"``, ``"quantile:0.9"``, ...; the width is that of the mean.
    bounds : (low, high), optional
        Range of the values; replaces that of the metric, or declares one of your own.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    SampleSize
        ``n`` is the larger of the n for the width and those for reliable coverage.

    Raises
    ------
    OptionError
        For impossible numbers: an SD of 0, or one that the range does not allow.

    References
    ----------
    El Jurdi & Colliot (2023) and El Jurdi et al. (2025) for z; Kupper & Hafner (1989) for the
    assurance.

    Examples
    --------
    >>> plan = mean(0.1, halfwidth=0.02, metric="dsc", mean=0.8)
    >>> plan.n, plan.formula, plan.rule
    (122, 'dirichlet_pareto', 'auto@2')
    >>> plan = mean(0.1, halfwidth=0.02, metric="dsc", method="t")
    >>> plan.n, plan.n_for_width, plan.decided_by
    (99, 99, 'width')
    >>> mean(0.1, halfwidth=0.05, metric="dsc", method="t").decided_by
    'reliable coverage of the mean DSC'
    >>> round(mean(10.0, n=50, method="z").halfwidth, 2)
    2.77
    """
    halfwidth = check_goal(n, halfwidth, width, assurance=assurance)
    asked = _checked(sd, method, mean, failures_share, metric, statistics, bounds, confidence_level)
    if n is not None:
        cases = check_n(n, asked.formula.least, "the interval of a mean")
        return plan_at(asked.formula, cases)
    spec = asked.metric.spec
    wanted = wanted_width(halfwidth, spec.bounds, spec.called)
    return plan_for_mean_width(asked.formula, wanted, asked.expected, assurance)


# --------------------------------------------------------------------------- formulas


def mean_interval_width(sd: float, n: int, formula: str, level: Level) -> float:
    """2 q s/√n with q the quantile of t or of the normal distribution.

    >>> round(mean_interval_width(1.0, 4, "t", Level(0.95)), 4)
    3.1824
    """
    from scipy import special

    normal = formula == normal_z.__name__
    quantile = -special.ndtri(level.tail) if normal else -special.stdtrit(n - 1, level.tail)
    return float(2 * quantile * sd / math.sqrt(n))


def plan_for_mean_width(
    width_formula: WidthFormula,
    wanted: float,
    expected: ExpectedIntervals | None,
    assurance: float | None,
    degrees: Callable[[int], int] = lambda n: n - 1,
) -> SampleSize:
    """The plan for a width of a mean, or of a difference of means with other degrees of freedom."""
    enough = wanted * (1 + ROUNDING)
    share = None if assurance is None else check_assurance(assurance)
    if expected is not None:
        # Most methods are a little wider than t, so that its n is near.
        start = smallest_n(lambda n: expected.width_by_t(n) <= enough, width_formula.least)
        if share is None:
            return plan_for_width(width_formula, wanted, start=start)
        return plan_for_width(
            width_formula,
            wanted,
            reached=lambda n: expected.assured_width(n, share) <= enough,
            assurance=share,
            start=start,
        )
    if share is None:
        return plan_for_width(width_formula, wanted)
    if width_formula.formula != student_t.__name__:
        raise OptionError(
            f"assurance works with auto and t, not with {spelled('method', normal_z.__name__)}"
        )

    from scipy import special

    def reached(n: int) -> bool:
        width, v = width_formula.width_at(n), degrees(n)
        # P(s ≤ r σ) = P(χ²ᵥ ≤ v r²), as v s²/σ² is chi-squared.
        return not width or bool(special.chdtr(v, v * (enough / width) ** 2) >= share)

    return plan_for_width(width_formula, wanted, reached=reached, assurance=share)


@frozen(eq=False)
class _PlannedMean:
    """A plan of a mean, its options checked; ``expected`` is None where there is a formula."""

    formula: WidthFormula
    metric: Metric
    expected: ExpectedIntervals | None


def _checked(
    sd: float,
    method: Any,
    mean: float | None,
    failures_share: float | None,
    metric: Any,
    statistics: Sequence[Any],
    bounds: Any,
    confidence_level: float,
) -> _PlannedMean:
    bound, level = resolve_metric(metric, bounds), Level(confidence_level)
    s = check_sd("sd", sd, bound.spec.bounds, bound.spec.called)
    others = [statistics] if isinstance(statistics, str) else statistics
    needs = dict.fromkeys(
        [
            reliability_requirement(bound, resolve_statistic("mean")),
            *other_requirements(bound, others),
        ]
    )
    functional = mean_functional(bound)
    planned, rule = planned_method(method, functional, level)
    formula = WidthFormula(
        quantity=quantity_text(functional.statistic, bound),
        formula=planned.name,
        formula_text=FORMULAS.get(planned.name, ""),
        level=level,
        assumed={"sd": s},
        width_at=lambda n: mean_interval_width(s, n, planned.name, level),
        least=fewest_planned(planned, functional),
        needs=tuple(needs),
        unit=bound.unit,
        notes=notes_on_method(planned, rule, functional, level),
        rule=rule,
    )
    if planned.name in CLOSED:
        refuse_shape(planned.name, mean=mean, failures_share=failures_share, bounds=bounds)
        return _PlannedMean(formula, bound, None)
    cases, assumed, notes = assumed_cases(bound, s, mean, failures_share)
    # Without a mean nothing is known of how far the bounds are.
    around = bound.spec.bounds if "mean" in assumed else UNBOUNDED
    expected = expected_intervals((cases,), planned, around, level)
    formula = simulated_formula(formula, expected, assumed, cases.text)
    return _PlannedMean(replace(formula, notes=(*notes, *formula.notes)), bound, expected)


def refuse_shape(method: str, **shape: Any) -> None:
    """What says how cases are distributed has no effect on a formula without it."""
    for name, value in shape.items():
        if value is not None:
            raise OptionError(
                f"{spelled(name, value)} has no effect with method {method!r}, whose formula takes "
                "the SD alone; leave one of them out"
            )


def assumed_cases(
    metric: Metric, sd: float, mean: float | None, failures_share: float | None
) -> tuple[AssumedCases, dict[str, float], tuple[str, ...]]:
    """The cases of a plan, what is assumed of them by name, and what was assumed unasked."""
    bounds = metric.spec.bounds
    notes: tuple[str, ...] = ()
    share = 0.0 if failures_share is None else check_share("failures_share", failures_share)
    worst = metric.spec.worst
    if share and worst is None:
        raise OptionError(
            f"{spelled('failures_share', share)} takes a metric with a worst value, which failed "
            f"cases have; none is known of {metric.spec.called}: name the metric, and give the "
            f"range of a distance, {spelled('bounds', (0, 150))} for example"
        )
    if mean is not None:
        centre = as_number("mean", mean)
        if not bounds.low < centre < bounds.high:
            raise OptionError(
                f"{spelled('mean', mean)} is not within {bounds}, the range of the values"
            )
        if not (math.isfinite(bounds.low) or math.isfinite(bounds.high)):
            raise OptionError(
                f"{spelled('mean', mean)} has no effect without bounds; name the metric, or give "
                "bounds"
            )
        assumed = {"mean": centre, "sd": sd}
    elif bounds.finite:
        centre = (bounds.low + bounds.high) / 2
        assumed = {"mean": centre, "sd": sd}
        text = f"No mean was given: {centre:g} is the middle of the range, where the interval is"
        notes = (f"{text} widest ({spelled_both('mean')}).",)
    else:
        # Nothing is cut, and the interval moves with the mean.
        centre, bounds, assumed = 0.0, UNBOUNDED, {"sd": sd}
    if share:
        assumed["failures_share"] = share
    cases = AssumedCases.normal(
        centre, sd, bounds, failures_share=share, worst=math.nan if worst is None else worst
    )
    return cases, assumed, notes
