"""The mean of per-case values, and the mean difference of two models on the same cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from halfwidth.core.checks import as_number
from halfwidth.core.errors import OptionError
from halfwidth.core.spec import Metric
from halfwidth.core.types import Bounds, Level
from halfwidth.estimation.resolve import resolve_metric, resolve_statistic
from halfwidth.planning.checks import (
    check_assurance,
    check_choice,
    check_n,
    check_positive,
    check_sd,
    wanted_width,
)
from halfwidth.planning.recipes import ROUNDING, Recipe, at, sized
from halfwidth.planning.reliability import also_reported, reliable, said
from halfwidth.planning.results import SampleSize

__all__ = [
    "FORMULAS",
    "difference_n",
    "difference_width",
    "mean_n",
    "mean_width",
    "probability_of_width",
    "width_of_mean",
]

FORMULAS = {
    "t": "2 t s / √n, t of n - 1 degrees of freedom",
    "z": "2 z s / √n",
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
    """The cases for an interval of a mean that is no wider than wanted.

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
        For numbers that cannot be: an SD of 0, or one that the range does not allow.

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
    recipe, bound_metric = _of_mean(sd, formula, metric, statistics, bounds, confidence_level)
    spec = bound_metric.spec
    wanted = wanted_width(width, halfwidth, spec.bounds, spec.called)
    return _sized_mean(recipe, sd, wanted, formula, assurance)


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
    recipe, _ = _of_mean(sd, formula, metric, statistics, bounds, confidence_level)
    return at(recipe, check_n(n, LEAST, "the interval of a mean"))


def difference_n(
    sd: float | None = None,
    *,
    sd_a: float | None = None,
    sd_b: float | None = None,
    correlation: float | None = None,
    width: float | None = None,
    halfwidth: float | None = None,
    formula: str = "t",
    assurance: float | None = None,
    metric: Any = None,
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for an interval of the mean difference of two models on the same cases.

    That of `mean_n` with the SD of the differences, given by itself or as
    √(s_a² + s_b² - 2 r s_a s_b).

    Parameters
    ----------
    sd : float, optional
        SD of the differences within cases.
    sd_a, sd_b, correlation : float, optional
        Instead of it: the SD of each model, and how the two correlate over cases (-1 to 1).
    width, halfwidth, formula, assurance, metric, bounds, confidence_level
        As for `mean_n`.

    Returns
    -------
    SampleSize

    Raises
    ------
    OptionError
        Also if the differences would not vary at all.

    Examples
    --------
    >>> difference_n(0.05, halfwidth=0.01).n
    99
    >>> difference_n(sd_a=0.1, sd_b=0.1, correlation=0.875, halfwidth=0.01).n
    99
    """
    recipe, s, differences = _of_difference(
        (sd, sd_a, sd_b, correlation), formula, metric, bounds, confidence_level
    )
    wanted = wanted_width(width, halfwidth, differences, "a difference")
    return _sized_mean(recipe, s, wanted, formula, assurance)


def difference_width(
    n: int,
    sd: float | None = None,
    *,
    sd_a: float | None = None,
    sd_b: float | None = None,
    correlation: float | None = None,
    formula: str = "t",
    metric: Any = None,
    bounds: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The width of the interval of a mean difference at n cases.

    Parameters
    ----------
    n : int
        Cases that both models have seen, at least 2.
    sd, sd_a, sd_b, correlation, formula, metric, bounds, confidence_level
        As for `difference_n`.

    Returns
    -------
    SampleSize

    Raises
    ------
    OptionError

    Examples
    --------
    >>> round(difference_width(100, 0.05).halfwidth, 4)
    0.0099
    """
    recipe, _, _ = _of_difference(
        (sd, sd_a, sd_b, correlation), formula, metric, bounds, confidence_level
    )
    return at(recipe, check_n(n, LEAST, "the interval of a mean difference"))


# --------------------------------------------------------------------------- formulas


def width_of_mean(sd: float, n: int, formula: str, level: Level) -> float:
    """2 q s/√n with q the quantile of t or of the normal distribution.

    >>> round(width_of_mean(1.0, 4, "t", Level(0.95)), 4)
    3.1824
    """
    from scipy import special

    normal = formula == "z"
    quantile = -special.ndtri(level.tail) if normal else -special.stdtrit(n - 1, level.tail)
    return float(2 * quantile * sd / math.sqrt(n))


def probability_of_width(sd: float, n: int, wanted: float, level: Level) -> float:
    """How often a study of n normal values has a t interval no wider than wanted.

    P(2 t s/√n ≤ w) = P(χ²₍ₙ₋₁₎ ≤ (n - 1) w² n / (4 t² σ²)), as (n - 1)s²/σ² is chi-squared.

    >>> round(probability_of_width(0.1, 110, 0.04, Level(0.95)), 3)
    0.815
    """
    from scipy import special

    largest = wanted / width_of_mean(1.0, n, "t", level)
    return float(special.chdtr(n - 1, (n - 1) * (largest / sd) ** 2))


def _sized_mean(
    recipe: Recipe, sd: float, wanted: float, formula: str, assurance: float | None
) -> SampleSize:
    if assurance is None:
        return sized(recipe, wanted)
    if formula != "t":
        raise OptionError(f"assurance goes with formula='t', not with {formula!r}")
    share = check_assurance(assurance)
    return sized(recipe, wanted, reached=_assured(sd, wanted, share, recipe), assurance=share)


def _assured(sd: float, wanted: float, share: float, recipe: Recipe) -> Callable[[int], bool]:
    enough = wanted * (1 + ROUNDING)
    return lambda n: probability_of_width(sd, n, enough, recipe.level) >= share


def _of_mean(
    sd: float,
    formula: str,
    metric: Any,
    statistics: Sequence[Any],
    bounds: Any,
    confidence_level: float,
) -> tuple[Recipe, Metric]:
    bound = resolve_metric(metric, bounds)
    s = check_sd("sd", sd, bound.spec.bounds, bound.spec.called)
    others = [statistics] if isinstance(statistics, str) else statistics
    mean = resolve_statistic("mean")
    needs = dict.fromkeys([reliable(bound, mean), *also_reported(bound, others)])
    return _recipe(said(mean, bound), s, formula, confidence_level, tuple(needs), bound), bound


def _of_difference(
    sds: tuple[float | None, float | None, float | None, float | None],
    formula: str,
    metric: Any,
    bounds: Any,
    confidence_level: float,
) -> tuple[Recipe, float, Bounds]:
    bound = resolve_metric(metric, bounds)
    reach = bound.spec.bounds.width
    differences = Bounds(-reach, reach)
    s = _sd_of_difference(*sds, bound, differences)
    of = f"difference in {said(resolve_statistic('mean'), bound)}"
    need = reliable(bound, resolve_statistic("mean"), of)
    return _recipe(of, s, formula, confidence_level, (need,), bound), s, differences


def _recipe(
    of: str,
    sd: float,
    formula: str,
    confidence_level: float,
    needs: tuple[Any, ...],
    metric: Metric,
) -> Recipe:
    level, named = Level(confidence_level), check_choice("formula", formula, list(FORMULAS))
    return Recipe(
        of=of,
        formula=named,
        formula_text=FORMULAS[named],
        level=level,
        assumed={"sd": sd},
        width_at=lambda n: width_of_mean(sd, n, named, level),
        least=LEAST,
        needs=needs,
        unit=metric.unit,
    )


def _sd_of_difference(
    sd: float | None,
    sd_a: float | None,
    sd_b: float | None,
    correlation: float | None,
    metric: Metric,
    differences: Bounds,
) -> float:
    parts = {"sd_a": sd_a, "sd_b": sd_b, "correlation": correlation}
    given = [name for name, value in parts.items() if value is not None]
    if sd is not None:
        if given:
            raise OptionError(f"sd is that of the differences; {given[0]} would say it twice")
        return check_sd("sd", sd, differences, "a difference")
    if sd_a is None or sd_b is None or correlation is None:
        raise OptionError("give sd, the SD of the differences, or all of sd_a, sd_b, correlation")
    a, b = (
        check_sd(name, value, metric.spec.bounds, metric.spec.called)
        for name, value in (("sd_a", sd_a), ("sd_b", sd_b))
    )
    r = as_number("correlation", correlation, "a number from -1 to 1")
    if not -1 <= r <= 1:
        raise OptionError(f"correlation={r!r} is not a number from -1 to 1")
    variance = (a - b) ** 2 + 2 * (1 - r) * a * b
    if variance <= 0:
        raise OptionError(
            f"sd_a={a:g}, sd_b={b:g} and correlation={r:g} leave differences that do not vary"
        )
    return check_positive("sd", math.sqrt(variance))
