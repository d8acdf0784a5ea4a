"""Logistic regression on few terms, of many samples or of many weightings of one."""

from __future__ import annotations

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

# Newton's method squares errors: after a step that moves no log odds by more, all digits are there.
CONVERGED = 1e-6
# Where outcomes are separated but for ties no maximum is finite, and steps go on for ever.
MOST_STEPS = 50
# Terms whose information, each scaled to 1, has a smaller determinant are collinear.
COLLINEAR = 1e-12
# No step moves the log odds of a case by more: where all are certain the information is none.
LONGEST = 5.0
# A step stops short of a point where the likelihood falls by more than this share of how it rose,
# and is halved for that at most so often: what is left of it then moves no digit.
OVERSHOT, MOST_HALVINGS = 0.5, 60
# So many values of cases at a time stay in the processor's cache, which is four times as fast.
AT_A_TIME = 2**17
# log(1 + exp(a + b x)) is singular no nearer to the real line than π / b. In intervals of this
# width so many nodes leave less than 1e-16 of the sum of weights, for b up to STEEPEST.
WIDTH, NODES, STEEPEST = 0.5, 16, 2.0


@frozen(eq=False)
class Fitted:
    """A logistic regression, or many."""

    # (..., K): naN where the likelihood has no maximum or no single one: the terms separate the
    # outcomes, completely or but for ties, or are collinear; all outcomes are equal; no case counts
    coefficients: Array
    information: Array  # (..., K, K): Σ w μ(1 - μ) x xᵀ at the maximum; NaN where there is none

    @property
    def covariance(self) -> Array:
        """Inverse of the information, (..., K, K): what the model says of independent cases."""
        known = np.isfinite(self.information).all(axis=(-2, -1), keepdims=True)
        known &= np.isfinite(self.coefficients[..., None]).all(axis=(-2, -1), keepdims=True)
        usable = np.where(known, self.information, np.eye(self.information.shape[-1]))
        return np.where(known, np.linalg.inv(usable), np.nan)


def expit(log_odds: Array) -> Array:
    """1 / (1 + e⁻ˣ)."""
    from scipy import special

    return np.asarray(special.expit(log_odds))


def fit_logistic(
    terms: Array,
    outcomes: Array,
    weights: Array | None = None,
    offset: Array | float = 0.0,
    start: Array | None = None,
) -> Fitted:
    """Maximum likelihood of outcomes with log odds offset + βᵀx, by Newton's method.

    Terms, of which an intercept is one of ones, are the same for all fits, (K, n), or those of
    each, (..., K, n); the others (n,) or (..., n). Weights are how often each case counts;
    ``start`` are the coefficients of a fit to much the same cases, (K,).
    """
    n_terms, n = terms.shape[-2:]
    counts, known = np.ones(n) if weights is None else weights, np.asarray(offset, dtype=float)
    lead = np.broadcast_shapes(
        terms.shape[:-2], outcomes.shape[:-1], counts.shape[:-1], known.shape[:-1]
    )
    x = terms if terms.ndim == 2 else np.broadcast_to(terms, (*lead, n_terms, n))
    x = x.reshape(-1, n_terms, n)
    y, w, known = (np.broadcast_to(a, (*lead, n)).reshape(-1, n) for a in (outcomes, counts, known))
    first = np.zeros(n_terms) if start is None else start
    beta, information = np.empty((len(y), n_terms)), np.empty((len(y), n_terms, n_terms))
    block = max(AT_A_TIME // n, 1)
    for begin in range(0, len(y), block):
        rows = slice(begin, begin + block)
        own = x if terms.ndim == 2 else x[rows]
        coefficients = _coefficients(own, y[rows], w[rows], known[rows], first)
        # Far from the maximum all may seem certain, and Newton's method then has no way to go.
        lost = np.flatnonzero(np.isnan(coefficients[:, 0])) if first.any() else np.empty(0, np.intp)
        if len(lost):
            lost_terms = own if len(own) == 1 else own[lost]
            again = rows.start + lost
            coefficients[lost] = _coefficients(
                lost_terms, y[again], w[again], known[again], 0 * first
            )
        beta[rows] = coefficients
        mean = expit(known[rows] + _combined(own, beta[rows]))
        information[rows] = _information(own, w[rows] * mean * (1 - mean))
    return Fitted(beta.reshape(*lead, n_terms), information.reshape(*lead, n_terms, n_terms))


def condensed(log_odds: Array, weights: Array) -> tuple[Array, Array]:
    """Log odds and weights, maybe negative, that sum log-likelihoods as those of many cases do.

    Chebyshev nodes in each interval, weighted so that all polynomials through them have their sums.
    """
    interval = np.floor(log_odds / WIDTH)
    held, place = np.unique(interval, return_inverse=True)
    degrees, angles = np.arange(NODES), (np.arange(NODES) + 0.5) * np.pi / NODES
    angle = np.arccos(np.clip(2 * (log_odds / WIDTH - interval) - 1, -1, 1))
    sums = np.stack([np.bincount(place, weights * np.cos(k * angle)) for k in degrees])
    basis = np.cos(np.outer(angles, degrees)) * np.where(degrees, 2, 1) / NODES
    nodes = WIDTH * (held[:, None] + (np.cos(angles) + 1) / 2)
    return nodes.ravel(), (basis @ sums).T.ravel()


def _coefficients(x: Array, y: Array, w: Array, known: Array, start: Array) -> Array:
    """Coefficients of R fits, (R, K), of terms (R, K, n), or (1, K, n) of all."""
    coefficients = np.full((len(y), x.shape[1]), np.nan)
    rows = np.flatnonzero((w > 0).any(axis=-1))
    beta = np.tile(np.asarray(start, dtype=float), (len(rows), 1))
    y, w, known = y[rows], w[rows], known[rows]
    x = x if len(x) == 1 else x[rows]
    # On which side of 0 log odds predict a case rightly; outcomes between are of neither class.
    side, log_odds = np.where(y == 1, 1.0, np.where(y == 0, -1.0, 0.0)), _combined(x, beta)
    mean = expit(known + log_odds)
    gradient = _total(x, w * (y - mean))
    for _ in range(MOST_STEPS):
        step, single = newton_step(_information(x, w * mean * (1 - mean)), gradient)
        rise = (step * gradient).sum(axis=-1)
        moved = _combined(x, step)
        counted = w > 0
        farthest = np.where(counted, np.abs(moved), 0.0).max(axis=-1)
        share = LONGEST / np.maximum(farthest, LONGEST)
        last = farthest <= CONVERGED
        for _ in range(MOST_HALVINGS):
            mean = expit(known + log_odds + share[:, None] * moved)
            gradient = _total(x, w * (y - mean))
            # Of a step that changes no digit the rise is rounding, however short it is made.
            falls = (step * gradient).sum(axis=-1) < -OVERSHOT * rise
            beyond = single & ~last & falls
            if not beyond.any():
                break
            share[beyond] /= 2
        beta = beta + share[:, None] * step
        log_odds = log_odds + share[:, None] * moved
        coefficients[rows[single & last]] = beta[single & last]
        separated = np.where(counted, side * log_odds, np.inf).min(axis=-1) > 0
        going = single & ~last & ~separated
        if not going.any():
            break
        if not going.all():
            rows, beta, gradient, mean = rows[going], beta[going], gradient[going], mean[going]
            y, w, known, side, log_odds = (a[going] for a in (y, w, known, side, log_odds))
            x = x if len(x) == 1 else x[going]
    return coefficients


def _combined(x: Array, beta: Array) -> Array:
    """βᵀx of each case, (R, n)."""
    return np.asarray(beta @ x[0] if len(x) == 1 else (beta[:, None, :] @ x)[:, 0])


def _total(x: Array, values: Array) -> Array:
    """Sums over cases of each term times a value, (R, K)."""
    return np.asarray(values @ x[0].T if len(x) == 1 else (x @ values[:, :, None])[..., 0])


def _information(x: Array, values: Array) -> Array:
    """Sums over cases of products of two terms times a value, (R, K, K)."""
    n_terms = x.shape[1]
    products = np.empty((len(values), n_terms, n_terms))
    for one in range(n_terms):
        products[:, one, : one + 1] = _total(x[:, : one + 1] * x[:, one, None], values)
        products[:, : one + 1, one] = products[:, one, : one + 1]
    return products


def newton_step(information: Array, gradient: Array) -> tuple[Array, Array]:
    """Newton's step, (R, K), 0 where there is no single one, and where there is, (R,)."""
    scale = np.sqrt(np.fmax(np.einsum("rkk->rk", information), 0.0))
    # Products of smaller ones are no numbers with all their digits.
    positive = (scale > 1e-150).all(axis=-1)
    scale = np.where(positive[:, None], scale, 1.0)
    scaled = information / (scale[:, :, None] * scale[:, None, :])
    scaled = np.where(positive[:, None, None], scaled, np.eye(scale.shape[1]))
    single = positive & (np.linalg.det(scaled) > COLLINEAR)
    scaled = np.where(single[:, None, None], scaled, np.eye(scale.shape[1]))
    step = np.linalg.solve(scaled, (gradient / scale)[..., None])[..., 0] / scale
    return np.where(single[:, None], step, 0.0), single
