"""What recalibrating predicted probabilities by a logistic regression says of them."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.arithmetic.logistic_fits import value_of_fit
from halfwidth.arithmetic.probabilities import logit, value_of
from halfwidth.calibration.metrics.splines import spline_terms, weighted_quantile
from halfwidth.core.forms import LogisticFit, ProbabilitySums
from halfwidth.core.parameters import Parameter
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, Transform, metric
from halfwidth.core.types import UNBOUNDED, UNIT_INTERVAL, Array, Bounds, Numbers

__all__ = [
    "calibration_in_the_large",
    "calibration_intercept",
    "calibration_slope",
    "e50",
    "e90",
    "emax",
    "ici",
    "oe_ratio",
]

ONE_CLASS = ("binary", "none", "top_label")
KNOTS = Parameter(
    "knots",
    4.0,
    "knots of the restricted cubic spline of the logit",
    choices=(3.0, 4.0, 5.0),
)

_recalibration = functools.partial(
    metric,
    level=MetricLevel.SAMPLE,
    takes=Takes.PROBABILITIES,
    family="calibration",
    averages=ONE_CLASS,
)
_coefficient = functools.partial(
    _recalibration,
    bounds=UNBOUNDED,
    estimand=Estimand.COEFFICIENT,
    reliable_n=50,
)
_curve_distance = functools.partial(
    _recalibration,
    bounds=UNIT_INTERVAL,
    better=Better.LOWER,
    estimand=Estimand.CALIBRATION_ERROR,
    parameters=(KNOTS,),
    prevalence_dependent=True,
)
# Pitfalls that several share.
SEES_A_LINE = "a line on the logit scale: errors that cancel along it are not seen"
TWO_INTERCEPTS = (
    "two numbers go by this name: this one and {other}; they differ where the slope is not 1"
)
CURVE_BIASED = "too large in small samples: of a perfectly calibrated model it is not 0"
CURVE_CHOSEN = "another way to smooth the curve, or other knots, give another value"


def _line(p: Array) -> Array:
    """1 and the logit."""
    log_odds = logit(p)
    return np.stack([np.ones(p.shape), log_odds], axis=-2)


def _constant(p: Array) -> Array:
    return np.ones((*p.shape[:-1], 1, p.shape[-1]))


def _curve(p: Array, weights: Array, *, knots: float) -> Array:
    return spline_terms(logit(p), weights, int(knots))


def _mean(sizes: Array, weights: Array) -> Array:
    return np.asarray((sizes * weights).sum(axis=-1) / weights.sum(axis=-1))


def _largest(sizes: Array, weights: Array) -> Array:
    return np.asarray(np.where(weights > 0, sizes, 0.0).max(axis=-1))


SLOPE = LogisticFit(_line, coefficient=1)
INTERCEPT = LogisticFit(_line, coefficient=0)
IN_THE_LARGE = LogisticFit(_constant, offset=logit)
ICI = LogisticFit(_curve, gaps=_mean, mean_gap=True)
E50 = LogisticFit(_curve, gaps=functools.partial(weighted_quantile, 0.5))
E90 = LogisticFit(_curve, gaps=functools.partial(weighted_quantile, 0.9))
EMAX = LogisticFit(_curve, gaps=_largest)


def _observed_and_expected(p: Array, y: Array) -> Array:
    return np.stack(np.broadcast_arrays(y, p), axis=-2)


def _finish_oe(_n: Numbers, sums: Numbers) -> Array:
    return np.asarray(ratio(sums[..., 0], sums[..., 1]))


OE = ProbabilitySums(_observed_and_expected, _finish_oe, quotient=((1.0, 0.0), (0.0, 1.0)))


@_coefficient(
    title="calibration slope",
    synonyms=("cal_slope", "slope", "recalibration_slope"),
    better=Better.ONE,
    form=SLOPE,
    cite="cox1958",
    pitfalls=(
        SEES_A_LINE,
        "does not exist where a threshold of the probability separates the classes",
        "1 does not say that probabilities are right: all may be too high",
    ),
)
def calibration_slope(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Calibration slope b: the logit of the outcome is a + b · logit(p), by maximum likelihood.

    1 where log odds are spread as they should be; below 1 predictions are too extreme, as those of
    an overfitted model, above 1 not extreme enough. Probabilities nearer to 0 or 1 than 1e-7 are
    taken to be 1e-7 away from it.

    Parameters
    ----------
    y_true : array-like of 0 and 1, shape (n,)
        Whether each case is of the class.
    y_prob : array-like, shape (n,)
        The probability of it.
    sample_weight : array-like, shape (n,), optional

    Returns
    -------
    float
        Any number. NaN where the regression has no single finite maximum: outcomes of one class,
        probabilities that are all equal, or that separate the classes.

    References
    ----------
    Cox (1958); Van Calster et al. (2016, 2019).

    Examples
    --------
    >>> y, p = [0, 1, 0, 1, 1, 0, 1], [0.1, 0.3, 0.4, 0.6, 0.8, 0.7, 0.9]
    >>> round(calibration_slope(y, p), 3)
    0.893
    """
    return value_of_fit(SLOPE, y_true, y_prob, sample_weight)


@_coefficient(
    title="calibration intercept (joint with the slope)",
    synonyms=("joint_calibration_intercept", "cal_intercept", "recalibration_intercept"),
    better=Better.ZERO,
    form=INTERCEPT,
    cite="vancalster2016",
    pitfalls=(
        TWO_INTERCEPTS.format(other="calibration_in_the_large, with the slope held at 1"),
        "the log odds where the model says 0.5, which may be far from all cases",
        SEES_A_LINE,
    ),
)
def calibration_intercept(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Calibration intercept a, fitted together with the slope b: the logit is a + b · logit(p).

    What many call the calibration intercept has the slope held at 1, and is
    `calibration_in_the_large` here.

    Parameters
    ----------
    y_true, y_prob, sample_weight
        As for `calibration_slope`.

    Returns
    -------
    float
        Any number, 0 where predictions of 0.5 are right; NaN as for `calibration_slope`.

    References
    ----------
    Cox (1958); Van Calster et al. (2016).

    Examples
    --------
    >>> y, p = [0, 1, 0, 1, 1, 0, 1], [0.1, 0.3, 0.4, 0.6, 0.8, 0.7, 0.9]
    >>> round(calibration_intercept(y, p), 3)
    0.173
    """
    return value_of_fit(INTERCEPT, y_true, y_prob, sample_weight)


@_coefficient(
    title="calibration-in-the-large (intercept at slope 1)",
    synonyms=("citl", "intercept_at_slope_1", "calibration_intercept_at_slope_1"),
    better=Better.ZERO,
    form=IN_THE_LARGE,
    prevalence_dependent=True,
    cite="vancalster2019",
    pitfalls=(
        TWO_INTERCEPTS.format(other="calibration_intercept, fitted together with the slope"),
        "0 where too high and too low probabilities cancel",
        "model-based errors suppose a slope of 1: intervals by them miss 8 to 10 % where it is .5",
    ),
)
def calibration_in_the_large(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Calibration-in-the-large, the intercept a at slope 1: logit of the outcome a + logit(p).

    How much all log odds would have to be raised for as many cases to be expected as were observed:
    above 0 probabilities are too low. Probabilities nearer to 0 or 1 than 1e-7 are taken to be
    1e-7 away from it.

    Parameters
    ----------
    y_true, y_prob, sample_weight
        As for `calibration_slope`.

    Returns
    -------
    float
        Any number; NaN where all outcomes are of one class.

    References
    ----------
    Van Calster et al. (2016, 2019), who call it the calibration intercept.

    Examples
    --------
    >>> y, p = [0, 1, 0, 1, 1, 0, 1], [0.1, 0.3, 0.4, 0.6, 0.8, 0.7, 0.9]
    >>> round(calibration_in_the_large(y, p), 3)
    0.162
    """
    return value_of_fit(IN_THE_LARGE, y_true, y_prob, sample_weight)


@_recalibration(
    title="O:E ratio",
    synonyms=("o_e", "oe", "observed_expected", "observed_over_expected"),
    bounds=Bounds(0.0, math.inf),
    better=Better.ONE,
    estimand=Estimand.OBSERVED_OVER_EXPECTED,
    transform=Transform.LOG,
    form=OE,
    reliable_n=200,
    prevalence_dependent=True,
    cite="riley2021",
    pitfalls=(
        "1 where too high and too low probabilities cancel",
        "of frequent outcomes it cannot be far from 1, whatever the model",
    ),
)
def oe_ratio(y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Observed over expected, Σ y / Σ p: cases of the class over the sum of their probabilities.

    Parameters
    ----------
    y_true, y_prob, sample_weight
        As for `calibration_slope`.

    Returns
    -------
    float
        At least 0; above 1 probabilities are too low on average. NaN where all are 0.

    References
    ----------
    Riley et al. (2021).

    Examples
    --------
    >>> round(oe_ratio([0, 1, 0, 1], [0.2, 0.3, 0.4, 0.6]), 3)
    1.333
    """
    return value_of(OE, y_true, y_prob, sample_weight)


@_curve_distance(
    title="ICI",
    synonyms=("integrated_calibration_index", "eavg"),
    form=ICI,
    reliable_n=250,
    cite="austin_steyerberg2019",
    pitfalls=(CURVE_BIASED, CURVE_CHOSEN),
)
def ici(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    knots: float = 4,
) -> float:
    """Integrated calibration index, the mean distance of probabilities from the calibration curve.

    Σ |c(pᵢ) - pᵢ| / n, c the curve: a logistic regression of the outcomes on a restricted cubic
    spline of logit(p) (not a loess curve, which Austin & Steyerberg drew; the values are close).
    Knots are at Harrell's quantiles of these cases, and resamples keep them. Probabilities nearer
    to 0 or 1 than 1e-7 are taken to be 1e-7 away from it.

    Parameters
    ----------
    y_true : array-like of 0 and 1, shape (n,)
        Whether each case is of the class.
    y_prob : array-like, shape (n,)
        The probability of it.
    sample_weight : array-like, shape (n,), optional
    knots : {3, 4, 5}
        Of tied probabilities there may be fewer; below 3 the curve is that of slope and intercept.

    Returns
    -------
    float
        In [0, 1]; NaN where the curve does not exist, as for `calibration_slope`.

    References
    ----------
    Austin & Steyerberg (2019); Harrell (2015) for the spline.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(0.05, 0.95, 400)
    >>> print(f"{ici(rng.random(400) < p**2, p):.2f}")
    0.17
    """
    return value_of_fit(ICI, y_true, y_prob, sample_weight, knots=knots)


@_curve_distance(
    title="E50",
    synonyms=("median_calibration_error",),
    form=E50,
    reliable_n=250,
    cite="austin_steyerberg2019",
    pitfalls=(CURVE_BIASED, CURVE_CHOSEN),
)
def e50(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    knots: float = 4,
) -> float:
    """E50, the median distance of probabilities from the calibration curve.

    Parameters
    ----------
    y_true, y_prob, sample_weight, knots
        As for `ici`.

    Returns
    -------
    float
        In [0, 1]; NaN as for `ici`.

    References
    ----------
    Austin & Steyerberg (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(0.05, 0.95, 400)
    >>> print(f"{e50(rng.random(400) < p**2, p):.2f}")
    0.19
    """
    return value_of_fit(E50, y_true, y_prob, sample_weight, knots=knots)


@_curve_distance(
    title="E90",
    form=E90,
    reliable_n=500,
    cite="harrell2015",
    pitfalls=(CURVE_BIASED, CURVE_CHOSEN),
)
def e90(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    knots: float = 4,
) -> float:
    """E90, the 90th percentile of the distances of probabilities from the calibration curve.

    Parameters
    ----------
    y_true, y_prob, sample_weight, knots
        As for `ici`.

    Returns
    -------
    float
        In [0, 1]; NaN as for `ici`.

    References
    ----------
    Harrell (2015); Austin & Steyerberg (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(0.05, 0.95, 400)
    >>> print(f"{e90(rng.random(400) < p**2, p):.2f}")
    0.24
    """
    return value_of_fit(E90, y_true, y_prob, sample_weight, knots=knots)


@_curve_distance(
    title="Emax",
    synonyms=("maximum_distance_from_the_curve",),
    form=EMAX,
    reliable_n=500,
    cite="harrell2015",
    pitfalls=(
        CURVE_BIASED,
        CURVE_CHOSEN,
        "that of an end of the curve, as a rule, where there are fewest cases",
    ),
)
def emax(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    knots: float = 4,
) -> float:
    """Emax, the largest distance of a predicted probability from the calibration curve.

    Parameters
    ----------
    y_true, y_prob, sample_weight, knots
        As for `ici`.

    Returns
    -------
    float
        In [0, 1]; NaN as for `ici`.

    References
    ----------
    Harrell (2015); Austin & Steyerberg (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(0.05, 0.95, 400)
    >>> print(f"{emax(rng.random(400) < p**2, p):.2f}")
    0.24
    """
    return value_of_fit(EMAX, y_true, y_prob, sample_weight, knots=knots)


# The catalogue lists these, in this order.
DECLARED = (
    calibration_slope,
    calibration_intercept,
    calibration_in_the_large,
    oe_ratio,
    ici,
    e50,
    e90,
    emax,
)
