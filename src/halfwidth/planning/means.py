"""The mean of per-case values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Metric
from halfwidth.core.types import Level
from halfwidth.estimation.resolve import resolve_metric, resolve_statistic
from halfwidth.intervals.mean import t as student_t
from halfwidth.intervals.mean import z as normal_z
from halfwidth.planning.checks import (
    check_assurance,
    check_choice,
    check_n,
    check_sd,
    notes_on_auto,
    wanted_width,
)
from halfwidth.planning.reliability import (
    other_requirements,
    quantity_text,
    reliability_requirement,
)
from halfwidth.planning.sample_size import SampleSize
from halfwidth.planning.width_formulas import ROUNDING, WidthFormula, plan_at, plan_for_width

FORMULAS = {
    student_t.__name__: "2 t s / √n, t of n - 1 degrees of freedom",
    normal_z.__name__: "2 z s / √n",
}
LEAST = 2


def mean_n(
    sd: float,
    *,
    width: float | None = None,
    halfwidth: float | None = None,
    formula: str = "t",
    assurance: float | None = None,
    metric: Any = None,
    statistics: Sequence[Any] = (),
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for an interval of a mean of at most the wanted width.

    The smallest n with 2 q s/√n ≤ width, q the quantile of Student's t with n - 1 degrees of
    freedom, or the normal one (``formula="z"``). With an assurance, the smallest n at which the
    SD of the study itself, which varies, gives such a width with that probability.

    Parameters
    ----------
    sd : float
        SD of the cases, in the metric's unit: of a pilot, of a published table.
    width, halfwidth : float
        One of them, in the metric's unit.
    formula : {"t", "z"}
        ``"z"`` is El Jurdi's table; too small below about 100 cases.
    assurance : float, optional
        From 0.5 up to below 1; usual is 0.8. For normal values and ``"t"``. Without it about half
        of the studies are wider than planned.
    metric : str, MetricSpec or metric function, optional
        As for `summary_ci`; its range, its unit, and from how many cases its mean is reliable.
    statistics : sequence of str, optional
        Other statistics that will be reported: each has its own n for a reliable interval.
    bounds : (low, high), optional
        Range of the values.
    confidence_level : float, default 0.95

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
    >>> plan = mean_n(0.1, halfwidth=0.02, metric="dsc")
    >>> plan.n, plan.n_for_width, plan.decided_by
    (99, 99, 'width')
    >>> mean_n(0.1, halfwidth=0.05, metric="dsc").decided_by
    'reliable coverage of the mean DSC'
    """
    width_formula, bound_metric = _checked_formula(
        sd, formula, metric, statistics, bounds, confidence_level
    )
    spec = bound_metric.spec
    wanted = wanted_width(width, halfwidth, spec.bounds, spec.called)
    return plan_for_mean_width(width_formula, wanted, formula, assurance)


def mean_width(
    sd: float,
    n: int,
    *,
    formula: str = "t",
    metric: Any = None,
    statistics: Sequence[Any] = (),
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The width of the interval of a mean at n cases, 2 q s/√n.

    Parameters
    ----------
    sd, formula, metric, statistics, bounds, confidence_level
        As for `mean_n`.
    n : int
        Cases, at least 2.

    Returns
    -------
    SampleSize
        ``width`` and ``halfwidth`` in the metric's unit.

    Raises
    ------
    OptionError

    Examples
    --------
    >>> round(mean_width(10.0, 50, formula="z").halfwidth, 2)
    2.77
    """
    width_formula, _ = _checked_formula(sd, formula, metric, statistics, bounds, confidence_level)
    return plan_at(width_formula, check_n(n, LEAST, "the interval of a mean"))


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
    formula: str,
    assurance: float | None,
    degrees: Callable[[int], int] = lambda n: n - 1,
) -> SampleSize:
    """The plan for a width of a mean, or of a difference of means with other degrees of freedom."""
    if assurance is None:
        return plan_for_width(width_formula, wanted)
    if formula != student_t.__name__:
        raise OptionError(f"assurance goes with formula='t', not with {formula!r}")
    share, enough = check_assurance(assurance), wanted * (1 + ROUNDING)

    def reached(n: int) -> bool:
        return _share_of_studies(enough / width_formula.width_at(n), degrees(n)) >= share

    return plan_for_width(width_formula, wanted, reached=reached, assurance=share)


def _share_of_studies(ratio: float, degrees: int) -> float:
    """The share of studies of normal values whose SD is at most ``ratio`` times the true one.

    P(s ≤ r σ) = P(χ²₍ₙ₋₁₎ ≤ (n - 1) r²), as (n - 1)s²/σ² is chi-squared.
    """
    from scipy import special

    return float(special.chdtr(degrees, degrees * ratio**2))


def _checked_formula(
    sd: float,
    formula: str,
    metric: Any,
    statistics: Sequence[Any],
    bounds: Any,
    confidence_level: float,
) -> tuple[WidthFormula, Metric]:
    bound = resolve_metric(metric, bounds)
    s = check_sd("sd", sd, bound.spec.bounds, bound.spec.called)
    others = [statistics] if isinstance(statistics, str) else statistics
    mean = resolve_statistic("mean")
    needs = dict.fromkeys(
        [reliability_requirement(bound, mean), *other_requirements(bound, others)]
    )
    return _width_formula(
        quantity_text(mean, bound), s, formula, confidence_level, tuple(needs), bound
    ), bound


def _width_formula(
    of: str,
    sd: float,
    formula: str,
    confidence_level: float,
    needs: tuple[Any, ...],
    metric: Metric,
) -> WidthFormula:
    level, named = Level(confidence_level), check_choice("formula", formula, list(FORMULAS))
    return WidthFormula(
        quantity=of,
        formula=named,
        formula_text=FORMULAS[named],
        level=level,
        assumed={"sd": sd},
        width_at=lambda n: mean_interval_width(sd, n, named, level),
        least=LEAST,
        needs=needs,
        unit=metric.unit,
        notes=notes_on_auto(metric, named),
    )
