"""The smooth calibration error: deviations smoothed as widely as they are large."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.kernel_cases import damping
from halfwidth.arithmetic.probabilities import as_outcomes
from halfwidth.calibration.metrics.bins import BIASED
from halfwidth.core.forms import SmoothedError
from halfwidth.core.spec import Better, Estimand, MetricLevel, Takes, metric
from halfwidth.core.types import UNIT_INTERVAL, Array

__all__ = ["smooth_ece"]

# Between so many steps of [0, 1] deviations are shared out to the two nodes beside them.
STEPS = 1024


def _smooth_error(p: Array, y: Array, weights: Array) -> float:
    """The bandwidth σ at which ∫|Σ w (y - p) K_σ(t, p)| dt / Σ w is σ."""
    from scipy import fft, optimize

    place = p * STEPS
    below = np.minimum(place.astype(np.intp), STEPS - 1)
    beyond = place - below
    deviations = weights * (y - p) / weights.sum()
    nodes = np.bincount(below, deviations * (1 - beyond), STEPS + 1)
    nodes += np.bincount(below + 1, deviations * beyond, STEPS + 1)
    # Reflected at 0 and 1 a density is a sum of cosines, which a kernel damps.
    nodes[[0, -1]] *= 2
    waves = fft.dct(nodes, type=1) / 2
    orders = np.arange(STEPS + 1.0)

    def excess(bandwidth: float) -> float:
        density = np.abs(fft.dct(waves * damping(orders, bandwidth), type=1))
        return float((density.sum() - (density[0] + density[-1]) / 2) / STEPS - bandwidth)

    return float(optimize.brentq(excess, 0.0, 1.0, xtol=1e-12))


SMOOTH = SmoothedError(_smooth_error)


@metric(
    title="smooth ECE",
    level=MetricLevel.SAMPLE,
    takes=Takes.PROBABILITIES,
    family="calibration",
    bounds=UNIT_INTERVAL,
    better=Better.LOWER,
    averages=("binary", "none", "top_label"),
    synonyms=("smece", "smooth_calibration_error"),
    estimand=Estimand.CALIBRATION_ERROR,
    form=SMOOTH,
    reliable_n=50,
    prevalence_dependent=True,
    cite="blasiok2024",
    pitfalls=(
        BIASED,
        "no mean deviation: deviations of either sign that lie closer than it is large cancel",
        "0 for a model that gives every case the prevalence",
    ),
)
def smooth_ece(
    y_true: ArrayLike, y_prob: ArrayLike, sample_weight: ArrayLike | None = None
) -> float:
    """Smooth calibration error, the σ with ∫₀¹ |Σᵢ K_σ(t, pᵢ) (yᵢ - pᵢ)| dt / n = σ.

    K_σ is the Gaussian kernel of standard deviation σ, reflected at 0 and 1. The integral falls as
    σ grows, so that there is one such σ: the bandwidth is the error itself, and nothing is to be
    chosen. It estimates the same of all cases that there could be, which is 0 for a calibrated
    model alone, and changes little where probabilities change little, as bins do not.

    Parameters
    ----------
    y_true : array-like of 0 and 1, shape (n,)
        Whether each case is of the class; of the top label, whether it is right.
    y_prob : array-like, shape (n,)
        The probability of it.
    sample_weight : array-like, shape (n,), optional

    Returns
    -------
    float
        In [0, 1]; NaN without cases. Probabilities are shared out to 1025 nodes, which changes it
        by less than 1e-4.

    References
    ----------
    Błasiok & Nakkiran (2024).

    Examples
    --------
    >>> round(smooth_ece([0, 1, 1, 0], [0.15, 0.85, 0.65, 0.65]), 3)
    0.112
    """
    p, y, weights = as_outcomes(y_true, y_prob, sample_weight)
    return _smooth_error(p, y, weights) if weights.sum() > 0 else math.nan


# The catalogue lists these, in this order.
DECLARED = (smooth_ece,)
