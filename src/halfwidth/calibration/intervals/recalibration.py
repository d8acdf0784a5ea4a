"""Intervals of what recalibrates probabilities: coefficients, and observed over expected."""

from __future__ import annotations

import numpy as np

from halfwidth.core.spec import Estimand, Need, Promise, Unanswered, interval_method
from halfwidth.core.types import Array, Interval, Level
from halfwidth.intervals.auc import quantile_factor
from halfwidth.intervals.mean import t

__all__ = ["expected_score", "model_wald", "model_wald_or_t"]

# Halvings after which a bisection has all the digits that matter.
HALVINGS = 50
# Of what is observed to what is expected: where it is looked for.
MOST_RATIO = 1e300


def _no_fit_reason(_sample: Unanswered) -> tuple[str, str]:
    reason = "the regression has no single finite fit (one class only, equal or separating scores)"
    return reason, "no other method has an interval either"


@interval_method(
    title="Wald, model-based",
    no_interval=_no_fit_reason,
    accepts=frozenset({Estimand.COEFFICIENT}),
    needs=(Need.ESTIMATE, Need.MODEL_ERROR),
    use_when="a slope or a joint intercept of independent cases; covers as it says from 50 cases "
    "on, where robust errors are too small",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    independent_only=True,
    cite="cox1958",
    assumes="The log odds are the line that is fitted, and the coefficient is nearly normal.",
)
def model_wald(estimate: Array, model_error: Array, level: Level) -> Interval:
    """Wald's interval, β̂ ± z·SE, SE² from the inverse of the information Σ μ(1 - μ) x xᵀ.

    It is what statistical software prints beside a coefficient of a logistic regression.

    Parameters
    ----------
    estimate, model_error : ndarray
        β̂ and its SE, of each sample.
    level : Level

    Returns
    -------
    Interval
        Symmetric about the coefficient; NaN where there is no fit.

    References
    ----------
    Cox (1958).
    """
    reach = quantile_factor(float("inf"), level) * model_error
    return Interval.of(estimate - reach, estimate + reach, model_error)


@interval_method(
    title="Wald, model-based, or robust t, the wider",
    no_interval=_no_fit_reason,
    accepts=frozenset({Estimand.COEFFICIENT}),
    needs=(Need.ESTIMATE, Need.MODEL_ERROR, Need.ROBUST_ERROR, Need.DEGREES_OF_FREEDOM),
    use_when="calibration-in-the-large of independent cases: model_wald supposes that the slope is "
    "1, and robust errors are too small in few cases",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.NESTED}),
    independent_only=True,
    cite="cox1958",
    assumes="As model_wald and t, each where the other falls short.",
)
def model_wald_or_t(
    estimate: Array,
    model_error: Array,
    robust_error: Array,
    degrees_of_freedom: float,
    level: Level,
) -> Interval:
    """The wider of `model_wald` and of Student's t with the robust (sandwich) SE.

    Where the slope is not 1, outcomes scatter otherwise about the line than the information of a
    fit with the slope held at 1 says, and the sandwich sees it.

    Parameters
    ----------
    estimate, model_error, robust_error : ndarray
        β̂ and its two SEs, of each sample.
    degrees_of_freedom : float
        Cases less one.
    level : Level

    Returns
    -------
    Interval
        Symmetric about the coefficient, with the SE of the wider one; NaN where there is no fit.

    References
    ----------
    Cox (1958); Student (1908).
    """
    model = model_wald(estimate, model_error, level)
    robust = t(estimate, robust_error, degrees_of_freedom, level)
    error = np.where(robust.high > model.high, robust_error, model_error)
    return Interval.of(np.fmin(model.low, robust.low), np.fmax(model.high, robust.high), error)


def _nothing_expected(_sample: Unanswered) -> tuple[str, str]:
    return "nothing is expected: all probabilities are 0", "no other method has an interval either"


@interval_method(
    title="score",
    no_interval=_nothing_expected,
    accepts=frozenset({Estimand.OBSERVED_OVER_EXPECTED}),
    needs=(Need.ESTIMATE, Need.STANDARD_ERROR, Need.PROBABILITIES, Need.CLUSTER_DEGREES),
    use_when="observed over expected, from few cases of the class or none",
    min_n=2,
    promises=frozenset({Promise.CONTAINS_ESTIMATE, Promise.STAYS_IN_RANGE, Promise.NESTED}),
    cite="wilson1927",
    assumes="Outcomes have the probabilities predicted times one factor, or scatter more by what "
    "the cases show.",
)
def expected_score(
    estimate: Array,
    standard_error: Array,
    probabilities: tuple[Array, Array],
    degrees: float,
    level: Level,
) -> Interval:
    """Score interval of observed over expected: the θ for which |O - θE| ≤ z √(k V(θ)).

    V(θ) = Σ q(1 - q), q = min(θp, 1), is the variance of the number observed of outcomes that have
    θ times the probabilities predicted, as in Wilson's interval of a proportion. k is the ratio of
    SE²E² to V(θ̂), the SE that the cases show, where that is above 1: clusters, and a model whose
    errors are not one factor, scatter more. With clusters t quantiles are used.

    Parameters
    ----------
    estimate, standard_error : ndarray
        θ̂ = O/E, and its SE.
    probabilities : tuple of ndarray, each (..., n)
        Those of cases, and their weights.
    degrees : float
        Infinite for independent cases.
    level : Level

    Returns
    -------
    Interval
        At least 0, and above it where nothing was observed; NaN where nothing is expected.

    References
    ----------
    Wilson (1927) for a proportion.
    """
    p, weights = probabilities
    expected, z = (weights * p).sum(axis=-1), quantile_factor(degrees, level)
    # Where next to nothing is expected the ratio passes all numbers.
    estimate = np.where((expected > 0) & np.isfinite(estimate), estimate, np.nan)

    def variance(theta: Array) -> Array:
        chance = np.minimum(theta[..., None] * p, 1.0)
        return np.asarray((weights**2 * chance * (1 - chance)).sum(axis=-1))

    at_estimate = variance(estimate)
    known = np.where(np.isfinite(standard_error), standard_error, 0.0)
    with np.errstate(over="ignore"):  # infinite where next to nothing is expected
        seen = known**2 * expected**2
        factor = np.fmax(seen / np.where(at_estimate > 0, at_estimate, np.inf), 1.0) * z**2
    # Beyond this end the variance, at most θE times the largest weight, is too small.
    most = factor * weights.max(axis=-1)
    observed = estimate * expected
    reach = most / 2 + np.sqrt(most * observed + most**2 / 4)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        beyond = np.minimum((observed + 1.01 * reach) / expected, MOST_RATIO)

    def end(outer: Array) -> Array:
        inner = estimate
        for _ in range(HALVINGS):
            middle = (inner + outer) / 2
            with np.errstate(over="ignore"):
                missed = (observed - middle * expected) ** 2 > factor * variance(middle)
            inner, outer = np.where(missed, inner, middle), np.where(missed, middle, outer)
        return np.asarray(inner)

    return Interval.of(end(np.zeros(estimate.shape)), end(beyond), standard_error)


# The catalogue lists these, in this order.
DECLARED = (model_wald, model_wald_or_t, expected_score)
