"""Populations of test sets with a calibration that is known: classes drawn from probabilities."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.types import Array
from halfwidth.study.populations.logits import Labels, LogitPopulation

# From a temperature of 1 on it is halved at most so often.
MOST_DOUBLINGS = 500


def recalibrated(
    population: LogitPopulation, *, slope: float = 1.0, intercept: float = 0.0
) -> LogitPopulation:
    """The same logits, of a model whose calibration slope and intercept are known.

    Logits are divided by the temperature that fits the labels best, Σᵢ log softmax(xᵢ/T) at its
    largest. Classes are drawn anew, with the softmax of what results for their probabilities. The
    model says the softmax of (xᵢ/T - intercept)/slope: with slope 1 and intercept 0 it is perfectly
    calibrated, below 1 too extreme.

    Parameters
    ----------
    population : LogitPopulation
        With finite logits.
    slope : float, default 1
        Above 0.
    intercept : float, default 0
        Of the second of two classes, joint with the slope.

    Returns
    -------
    LogitPopulation

    Raises
    ------
    OptionError
        For a slope that is not above 0, and an intercept of more than two classes.
    DataError
        Where no temperature fits best: logits that are infinite, that are no better than chance,
        or largest for the true class in every case.

    References
    ----------
    Guo et al. (2017) for the temperature.

    Examples
    --------
    >>> from halfwidth.study.populations import logit_empirical
    >>> population = logit_empirical([[2.0, 0.5, -1.0, 0.3], [0.0, 0.0, 0.0, 0.0]], [0, 1, 1, 0])
    >>> recalibrated(population, slope=0.5).calibration
    (0.0, 0.5)
    """
    if not (slope > 0 and math.isfinite(slope)):
        raise OptionError(f"slope={slope:g} is not above 0: 1 is that of a calibrated model")
    if not math.isfinite(intercept):
        raise OptionError(f"intercept={intercept:g} is no finite number")
    if intercept and population.n_classes > 2:
        raise OptionError(
            f"intercept={intercept:g} needs two classes, and there are "
            f"{population.n_classes}: leave it out, and vary the slope"
        )
    factor = _inverse_temperature(population.logits, population.labels)
    return replace(
        population,
        kind=f"{population.kind}_recalibrated",
        logits=factor * population.logits,
        root=factor * population.root,
        calibration=(float(intercept), float(slope)),
    )


def _inverse_temperature(logits: Array, labels: Labels) -> float:
    """1/T of the largest likelihood, the root of its derivative Σᵢ (x_true - Σₖ pₖxₖ)."""
    from scipy import optimize, special

    if not np.isfinite(logits).all():
        raise DataError(
            "recalibrated needs finite logits; some are infinite (logarithms of probabilities of 0)"
        )
    true_logits = logits[labels, np.arange(len(labels))]
    if (true_logits == logits.max(axis=0)).all():
        raise DataError(
            "the true class has the largest logit in every case, so that no temperature fits best: "
            "a population of known calibration needs errors"
        )

    def derivative(factor: float) -> float:
        return float(
            (true_logits - (special.softmax(factor * logits, axis=0) * logits).sum(0)).sum()
        )

    if not derivative(0.0) > 0:
        raise DataError(
            "the logits of true classes are no higher than those of others: no temperature "
            "calibrates them (are classes in the order of the columns?)"
        )
    above = next((2.0**k for k in range(MOST_DOUBLINGS) if derivative(2.0**k) <= 0), None)
    if above is None:
        raise DataError(
            f"no temperature from {2.0**-MOST_DOUBLINGS:.0e} on fits best: nowhere is the largest "
            "logit larger than that of the true class by more than next to nothing"
        )
    return float(optimize.brentq(derivative, 0.0, above, xtol=1e-14, rtol=1e-14))
