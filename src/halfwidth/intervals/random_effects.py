"""Random-effects meta-analysis: what effects of several centres say of all, and of a new one."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Level

# The restricted likelihood is searched over so many standard deviations, and then climbed.
PLACES, MOST_STEPS, CLOSE = 400, 2000, 1e-13


@frozen
class Pooled:
    """The distribution of effects over centres."""

    # Mean of the effects, and its SE by Hartung and Knapp
    value: float
    standard_error: float
    # Interval of the mean, by t with k - 1 degrees of freedom
    low: float
    high: float
    # Prediction interval of the effect in a new centre, by t with k - 2; NaN below 3 centres
    new_low: float
    new_high: float
    tau: float  # SD of the effects over centres, by restricted maximum likelihood
    # Cochran's Q, and max(0, 1 - (k - 1) / Q)
    q: float
    i_squared: float


def pool(effects: Array, errors: Array, level: Level) -> Pooled:
    """Effects (k,) with their standard errors (k,), two at least, pooled.

    θ̂ᵢ ~ N(θᵢ, SEᵢ²), θᵢ ~ N(μ, τ²). With w = 1 / (SE² + τ̂²), μ̂ = Σ w θ̂ / Σ w and
    SE² = Σ w (θ̂ - μ̂)² / ((k - 1) Σ w), Hartung and Knapp's; of a new centre μ̂ ± t √(τ̂² + SE²).
    """
    return pooled_at(reml_variance(effects, errors), effects, errors, level)


def pooled_at(tau_squared: float, effects: Array, errors: Array, level: Level) -> Pooled:
    """Pool effects with a variance between centres that is known."""
    from scipy import special

    k = len(effects)
    weights = 1 / (errors**2 + tau_squared)
    mean = float(weights @ effects / weights.sum())
    error = math.sqrt(float(weights @ (effects - mean) ** 2) / ((k - 1) * float(weights.sum())))
    reach = float(special.stdtrit(k - 1, 1 - level.tail)) * error
    new = math.nan
    if k > 2:
        new = float(special.stdtrit(k - 2, 1 - level.tail)) * math.hypot(
            math.sqrt(tau_squared), error
        )
    fixed = 1 / errors**2
    q = float(fixed @ (effects - fixed @ effects / fixed.sum()) ** 2)
    return Pooled(
        mean,
        error,
        mean - reach,
        mean + reach,
        mean - new,
        mean + new,
        math.sqrt(tau_squared),
        q,
        max(0.0, 1 - (k - 1) / q) if q > 0 else 0.0,
    )


def reml_variance(effects: Array, errors: Array) -> float:
    """The variance between centres at which the restricted likelihood is largest.

    A search finds the highest of its hills; Fisher's scoring climbs it.
    """
    grid = np.linspace(0, float(np.ptp(effects)), PLACES) ** 2
    variance = float(grid[np.argmax(_restricted_likelihood(grid, effects, errors))])
    for _ in range(MOST_STEPS):
        weights = 1 / (errors**2 + variance)
        mean = weights @ effects / weights.sum()
        squares = weights**2 @ ((effects - mean) ** 2 - errors**2)
        before, variance = (
            variance,
            max(0.0, float(squares / (weights**2).sum() + 1 / weights.sum())),
        )
        if abs(variance - before) <= CLOSE * float(np.ptp(effects)) ** 2:
            break
    return variance


def _restricted_likelihood(tau_squared: Array, effects: Array, errors: Array) -> Array:
    """Restricted log-likelihood at each variance, up to a constant, (m,) -> (m,)."""
    variances = errors**2 + tau_squared[:, None]
    weights = 1 / variances
    total = weights.sum(axis=1)
    mean = weights @ effects / total
    squares = (weights * (effects - mean[:, None]) ** 2).sum(axis=1)
    return np.asarray(-(np.log(variances).sum(axis=1) + np.log(total) + squares) / 2)
