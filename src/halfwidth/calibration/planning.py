"""Calibration: slope, both intercepts and O:E ratio, from how the log odds of cases are spread."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.arithmetic.probabilities import CLIP, logit
from halfwidth.calibration.intervals.recalibration import (
    expected_score,
    model_wald,
    model_wald_or_t,
)
from halfwidth.calibration.metrics.recalibration import (
    calibration_in_the_large,
    calibration_intercept,
    calibration_slope,
    oe_ratio,
)
from halfwidth.core.checks import as_number
from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import Metric, MetricSpec, spec_of
from halfwidth.core.types import Array, Interval, Level
from halfwidth.metrics.all_metrics import SAMPLE_METRICS
from halfwidth.planning.aurocs import named_class_counts
from halfwidth.planning.checks import check_goal, check_n, check_positive, check_share
from halfwidth.planning.width_formulas import WidthFormula, plan_at, plan_for_width
from halfwidth.results.sample_size import Requirement, SampleSize

# Log odds are integrated over a grid that reaches so many SDs, in steps of a hundredth of one.
REACH, STEPS_PER_SD = 9.0, 100
# A normal distribution cut in half has the largest skewness that a skew normal one comes near to.
MOST_SKEWED = 0.995
# Beyond these a distribution of log odds lies where probabilities are clipped.
MOST_LOG_ODDS = float(-np.log(CLIP))
FEWEST = 10
PERFECT = "Computed for a perfectly calibrated model; widths differ somewhat otherwise."


def calibration(
    metric: Any = None,
    *,
    n: int | None = None,
    halfwidth: float | Mapping[str, float] | None = None,
    prevalence: float | None = None,
    auroc: float | None = None,
    lp_mean: float | None = None,
    lp_sd: float | None = None,
    lp_skewness: float | None = None,
    pilot: Any = None,
    confidence_level: float = 0.95,
) -> SampleSize:
    """The cases for intervals of calibration as narrow as wanted, or the width of one at n cases.

    Of a model that is perfectly calibrated, by the intervals that `metric_ci` makes by default.
    With L the log odds that the model predicts, p = 1 / (1 + e⁻ᴸ) and Iα = E[p(1 - p)],
    Iβ = E[L² p(1 - p)], Iαβ = E[L p(1 - p)], the information in a case, standard errors are

    - of the calibration slope √(Iα / (n D)), D = Iα Iβ - Iαβ²,
    - of the intercept fitted with it √(Iβ / (n D)),
    - of calibration-in-the-large, the intercept at slope 1, 1 / √(n Iα),
    - of log O:E √(Iα / n) / φ, φ = E[p] the prevalence; the interval is that of the score, the
      ratios θ with |1 - θ| n φ ≤ z √(n (θ φ - θ² E[p²])).

    The last SE is that of Riley et al., √((1 - φ) / (n φ)), where all probabilities are equal, and
    less where they differ: O and E rise and fall together.

    Parameters
    ----------
    metric : str, MetricSpec or metric function, optional
        ``"calibration_slope"``, ``"calibration_intercept"``, ``"calibration_in_the_large"`` or
        ``"oe_ratio"``; left out where ``halfwidth`` names metrics.
    n : int, optional
        The reverse: the width that so many cases give.
    halfwidth : float or mapping of str to float, optional
        The half-width wanted, the number after the ±; of several metrics a mapping,
        ``{"calibration_slope": 0.2, "oe_ratio": 0.1}``. Of O:E it is (high - low) / 2 of the
        ratio.
    prevalence : float, optional
        Share of positive cases; with ``auroc``.
    auroc : float, optional
        AUROC of the model; log odds are then normal in each class, and right. They have the SD
        d = √2 Φ⁻¹(AUROC) and the means log(φ / (1 - φ)) ± d²/2.
    lp_mean : float, optional
        Instead: the mean of the log odds of all cases, which are normal.
    lp_sd : float, optional
        The SD of the log odds of all cases.
    lp_skewness : float, optional
        The skewness of the log odds, -0.995 to 0.995; default: 0. They then have a skew normal
        distribution.
    pilot : array-like, shape (m,), optional
        Instead: predicted probabilities of cases as they will be collected. Those closer to 0
        or 1 than 1e-7 are taken to be 1e-7 away from it.
    confidence_level : float, default 0.95
        Between 0 and 1; at least 0.5 for a one-sided bound.

    Returns
    -------
    SampleSize
        Of the half-width that takes most cases; ``parts`` are all of them at this n, where there
        are several, and ``requirements`` the cases that each takes.

    Raises
    ------
    OptionError, DataError

    References
    ----------
    Riley et al. (2021); Riley et al. (2024) for planning from a distribution of predictions.

    Examples
    --------
    >>> wanted = {"calibration_slope": 0.2, "oe_ratio": 0.1}
    >>> plan = calibration(halfwidth=wanted, prevalence=0.1, auroc=0.8)
    >>> plan.n, plan.decided_by
    (2932, 'O:E ratio')
    >>> [(part.quantity, round(part.halfwidth, 3)) for part in plan.parts]
    [('calibration slope', 0.12), ('O:E ratio', 0.1)]
    >>> plan = calibration("calibration_slope", n=500, prevalence=0.1, auroc=0.8)
    >>> round(plan.halfwidth, 3)
    0.29
    """
    check_goal(n, halfwidth)
    level = Level(confidence_level)
    information = _information(prevalence, auroc, lp_mean, lp_sd, lp_skewness, pilot)
    if n is not None:
        if metric is None:
            raise OptionError(
                f"name the metric, such as {spelled('metric', next(iter(QUANTITIES)))}: "
                f"{spelled('n')} gives the width of one"
            )
        formula = _formula(QUANTITIES[_name(metric)], information, level)
        return plan_at(formula, check_n(n, formula.least, f"a plan of the {formula.quantity}"))
    several = [*halfwidth.items()] if isinstance(halfwidth, Mapping) else None
    wanted: list[tuple[Any, Any]] = [(metric, halfwidth)] if several is None else several
    if not wanted or (several is None) == (metric is None):
        raise OptionError(
            f"name the metric, such as {spelled('metric', next(iter(QUANTITIES)))}, with one "
            f"{spelled('halfwidth')}, or give a mapping of metrics to half-widths"
        )
    plans = []
    for name, half in wanted:
        formula = _formula(QUANTITIES[_name(name)], information, level)
        plan = plan_for_width(formula, 2 * check_positive("halfwidth", half))
        plans.append((formula, plan))
    most = max(plan.n for _, plan in plans)
    decides = next(plan for _, plan in plans if plan.n == most)
    if len(plans) == 1:
        return decides
    needs = tuple(
        Requirement(plan.quantity, plan.n, f"half-width {(plan.wanted or 0) / 2:g}")
        for _, plan in plans
    )
    parts = tuple(plan_at(formula, most) for formula, _ in plans)
    return replace(decides, requirements=needs, parts=parts)


def _name(metric: Any) -> str:
    """One of the metrics planned for, by its name or a synonym."""
    spec = metric if isinstance(metric, MetricSpec) else None
    if isinstance(metric, str) and metric in SAMPLE_METRICS:
        spec = SAMPLE_METRICS[metric]
    if spec is None or spec.name not in QUANTITIES:
        raise UnknownNameError("metric of calibration", metric, list(QUANTITIES))
    return spec.name


# --------------------------------------------------------------------------- widths


@frozen
class Quantity:
    """A metric of calibration that is planned for."""

    metric: Callable[..., float]
    title: str
    # Of its interval, by default.
    method: Callable[..., Interval]
    # The formula of its ends, in words and of the information in a case, z and n.
    text: str
    ends: Callable[[Information, float, int], tuple[float, float]]


def _wald(value: float, error: Callable[[Information], float]) -> Any:
    """The ends about the value of a perfect model, whose SE is this over √n."""

    def ends(known: Information, z: float, n: int) -> tuple[float, float]:
        reach = z * error(known) / math.sqrt(n)
        return value - reach, value + reach

    return ends


def _in_the_large(known: Information, z: float, n: int) -> tuple[float, float]:
    """The ends by t, wider than those by z: both standard errors of a perfect model are alike."""
    from scipy import special

    student = -float(special.stdtrit(n - 1, special.ndtr(-z)))
    ends = _wald(0.0, lambda _: 1 / math.sqrt(known.intercept))
    low, high = ends(known, student, n)
    return low, high


def _score(known: Information, z: float, n: int) -> tuple[float, float]:
    """The ratios θ with (1 - θ)² n φ² = z² (θ φ - θ² E[p²]), E[p²] = φ - Iα."""
    share, square = known.prevalence, known.prevalence - known.intercept
    a, half = n * share**2 + z**2 * square, n * share**2 + z**2 * share / 2
    root = math.sqrt(n * share**2 * z**2 * known.intercept + (z**2 * share / 2) ** 2)
    return (half - root) / a, (half + root) / a


QUANTITIES = {
    quantity.metric.__name__: quantity
    for quantity in (
        Quantity(
            calibration_slope,
            "calibration slope",
            model_wald,
            "1 ± z √(Iα / (n (Iα Iβ - Iαβ²)))",
            _wald(1.0, lambda known: 1 / math.sqrt(known.spread)),
        ),
        Quantity(
            calibration_intercept,
            "calibration intercept (joint with the slope)",
            model_wald,
            "± z √(Iβ / (n (Iα Iβ - Iαβ²)))",
            _wald(0.0, lambda known: math.sqrt(known.slope / (known.intercept * known.spread))),
        ),
        Quantity(
            calibration_in_the_large,
            "calibration-in-the-large",
            model_wald_or_t,
            "± t / √(n Iα)",
            _in_the_large,
        ),
        Quantity(
            oe_ratio,
            "O:E ratio",
            expected_score,
            "the θ with |1 - θ| n φ ≤ z √(n (θ φ - θ² E[p²]))",
            _score,
        ),
    )
}


def _formula(quantity: Quantity, known: Information, level: Level) -> WidthFormula:
    from scipy import special

    z, spec = float(-special.ndtri(level.tail)), spec_of(quantity.metric)

    def width(n: int) -> float:
        low, high = quantity.ends(known, z, n)
        return high - low

    return WidthFormula(
        quantity=quantity.title,
        formula=quantity.method.__name__,
        formula_text=quantity.text,
        level=level,
        assumed=known.assumed,
        width_at=width,
        least=FEWEST,
        needs=(
            Requirement(
                f"reliable coverage of the {quantity.title}", Metric(spec).reliable_n, "simulations"
            ),
        ),
        ends_at=lambda n: quantity.ends(known, z, n),
        counts_at=lambda n: named_class_counts(n, known.prevalence),
        shape=known.shape,
        notes=(PERFECT,),
    )


# --------------------------------------------------------------------------- information


@frozen
class Information:
    """What a case of a perfectly calibrated model tells, on average."""

    # Iα, Iβ and Iβ - Iαβ² / Iα.
    intercept: float
    slope: float
    spread: float
    prevalence: float
    assumed: Mapping[str, float]
    # How log odds are distributed.
    shape: str


def _information(
    prevalence: Any, auroc: Any, lp_mean: Any, lp_sd: Any, lp_skewness: Any, pilot: Any
) -> Information:
    """The information in a case, from one of the three ways to say how log odds are distributed."""
    ways = {
        "prevalence and auroc": (prevalence, auroc),
        "lp_mean and lp_sd": (lp_mean, lp_sd),
        "pilot": (pilot,),
    }
    begun = [way for way, parts in ways.items() if any(part is not None for part in parts)]
    if len(begun) != 1 or any(part is None for part in ways[begun[0]]):
        raise OptionError(
            f"say how log odds are distributed: give {spelled('prevalence')} and "
            f"{spelled('auroc')}, {spelled('lp_mean')} and {spelled('lp_sd')}, or the "
            "probabilities of a pilot"
        )
    if lp_skewness is not None and lp_sd is None:
        raise OptionError(
            f"{spelled('lp_skewness')} goes with {spelled('lp_mean')} and {spelled('lp_sd')}"
        )
    if pilot is not None:
        p = _pilot(pilot)
        shape = f"the {len(p)} probabilities of the pilot"
        return _averaged(logit(p), np.full(len(p), 1 / len(p)), {}, shape)
    if prevalence is not None:
        return _two_normal_classes(check_share("prevalence", prevalence), auroc)
    mean, sd = as_number("lp_mean", lp_mean), check_positive("lp_sd", lp_sd)
    skewness = 0.0 if lp_skewness is None else as_number("lp_skewness", lp_skewness)
    if abs(mean) > MOST_LOG_ODDS or sd > MOST_LOG_ODDS:
        raise OptionError(
            f"{spelled('lp_mean', mean)} and {spelled('lp_sd', sd)} make probabilities of 0 and "
            f"1: keep both within ±{MOST_LOG_ODDS:.0f}"
        )
    if abs(skewness) > MOST_SKEWED:
        raise OptionError(
            f"{spelled('lp_skewness', skewness)} is not from -{MOST_SKEWED:g} to {MOST_SKEWED:g}; "
            "give the probabilities of a pilot"
        )
    assumed = {"lp_mean": mean, "lp_sd": sd}
    if skewness:
        assumed["lp_skewness"] = skewness
    shape = "log odds normal" if not skewness else "log odds skew normal"
    grid = np.linspace(-REACH, REACH, round(2 * REACH * STEPS_PER_SD) + 1)
    return _averaged(mean + sd * grid, _skew_normal(grid, skewness), assumed, shape)


def _two_normal_classes(prevalence: float, auroc: Any) -> Information:
    """Log odds that are normal in each class, and those that this makes right."""
    from scipy import special

    area = check_share("auroc", auroc)
    if area <= 0.5:
        raise OptionError(
            f"{spelled('auroc', area)} is not above 0.5: all log odds would be equal, and there "
            "would be no slope"
        )
    d = math.sqrt(2) * float(special.ndtri(area))
    centre = math.log(prevalence / (1 - prevalence))
    if abs(centre) + 2 * d > MOST_LOG_ODDS:
        raise OptionError(
            f"{spelled('prevalence', prevalence)} and {spelled('auroc', area)} make probabilities "
            "of 0 and 1; plan from a pilot"
        )
    reach = REACH + d / 2
    grid = np.linspace(-reach, reach, round(2 * reach * STEPS_PER_SD) + 1)
    weights = (1 - prevalence) * np.exp(-((grid + d / 2) ** 2) / 2)
    weights += prevalence * np.exp(-((grid - d / 2) ** 2) / 2)
    assumed = {"prevalence": prevalence, "auroc": area}
    return _averaged(centre + d * grid, weights, assumed, "log odds normal in each class")


def _skew_normal(grid: Array, skewness: float) -> Array:
    """The density of mean 0 and variance 1, up to a factor."""
    from scipy import special

    two_thirds = abs(skewness) ** (2 / 3)
    delta_squared = math.pi / 2 * two_thirds / (two_thirds + ((4 - math.pi) / 2) ** (2 / 3))
    delta = math.copysign(math.sqrt(delta_squared), skewness)
    scale = 1 / math.sqrt(1 - 2 * delta_squared / math.pi)
    x = grid / scale + delta * math.sqrt(2 / math.pi)
    alpha = delta / math.sqrt(1 - delta_squared)
    return np.asarray(np.exp(-(x**2) / 2) * special.ndtr(alpha * x))


def _averaged(
    log_odds: Array, weights: Array, assumed: Mapping[str, float], shape: str
) -> Information:
    from scipy import special

    share, p = weights / weights.sum(), special.expit(log_odds)
    each = share * p * (1 - p)
    intercept, both = float(each.sum()), float(each @ log_odds)
    # About its own mean, so that log odds far from 0 lose no digits.
    spread = float(each @ (log_odds - both / intercept) ** 2)
    prevalence = float(share @ p)
    stated = {**assumed, "prevalence": prevalence}
    return Information(intercept, spread + both**2 / intercept, spread, prevalence, stated, shape)


def _pilot(probabilities: Any) -> Array:
    try:
        p = np.asarray(probabilities, dtype=float)
    except (TypeError, ValueError):
        raise DataError("the pilot holds cells that are not numbers; give probabilities") from None
    if p.ndim != 1 or not np.isfinite(p).all():
        raise DataError("the pilot must be one list of probabilities, none of them missing")
    if len(p) < FEWEST:
        raise DataError(f"a pilot needs {FEWEST} probabilities or more, got {len(p)}")
    if p.min() < 0 or p.max() > 1:
        raise DataError(
            f"the pilot holds {p.min():g} to {p.max():g}; a probability is from 0 to 1 (of log "
            "odds, give 1 / (1 + exp(-x)))"
        )
    if np.isin(p, (0, 1)).all():
        raise DataError("the pilot holds only 0 and 1: outcomes or decisions, not probabilities")
    if p.min() == p.max():
        raise DataError(f"the probabilities of the pilot are all {p[0]:g}: there is no slope")
    return p
