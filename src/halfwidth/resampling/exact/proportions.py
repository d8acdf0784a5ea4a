"""Proportions of independent cases, whose bootstrap distribution is binomial: nothing is drawn."""

from __future__ import annotations

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.types import Array
from halfwidth.core.undefined import studentized_ratio
from halfwidth.resampling.distribution import ExactDistribution, Undrawn


def binomial(successes: Array, n: int) -> ExactDistribution:
    """Bootstrap distribution of a proportion: binomial(n, successes / n) / n, one per sample."""
    from scipy import special

    # A batch of samples holds few different counts.
    distinct, place = np.unique(np.asarray(successes, float), return_inverse=True)
    share = distinct / n
    reach = 12.0 * np.sqrt(n * share * (1 - share)) + 60.0
    low = int(max(0, np.floor((n * share - reach).min())))
    high = int(min(n, np.ceil((n * share + reach).max())))
    counts = np.arange(low, high + 1)
    log_choose = (
        special.gammaln(n + 1) - special.gammaln(counts + 1) - special.gammaln(n - counts + 1)
    )
    log_probability = (
        log_choose
        + special.xlogy(counts, share[:, None])
        + special.xlog1py(n - counts, -share[:, None])
    )
    each = np.exp(log_probability)
    each /= each.sum(axis=-1, keepdims=True)
    probability = each[place.reshape(np.shape(successes))]
    return ExactDistribution(np.broadcast_to(counts / n, probability.shape), probability)


def studentized_binomial(successes: Array, n: int) -> ExactDistribution:
    """Distribution of (p* - p̂)/SE*, SE* = √(p*(1 - p*)/(n - 1)), p* as in `binomial`.

    It rises with p*: -∞ at 0, ∞ at 1; undefined where all cases are alike.
    """
    share = np.asarray(successes, float)[..., None] / n
    drawn = binomial(successes, n)
    error = np.sqrt(drawn.support * (1 - drawn.support) / (n - 1))
    ratio = studentized_ratio(drawn.support - share, error, np.full_like(share, 1e-12))
    return ExactDistribution(ratio, drawn.probability)


def acceleration(successes: Array, n: int) -> Array:
    """BCa's acceleration, (1 - 2p) / (6 √(n p (1 - p))); NaN at 0 and at 1."""
    p = np.asarray(successes, float) / n
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (1 - 2 * p) / (6 * np.sqrt(n * p * (1 - p)))
    return np.where((p > 0) & (p < 1), value, np.nan)


@frozen(eq=False)
class BetaDistribution(Undrawn):
    """The distribution of low + width · B, B a Beta variate of the upper and lower mass.

    Without a mass at one end all lies at the other.
    """

    # (S,): masses at either of two values
    lower: Array
    upper: Array
    # (S,): the smaller value, and how much larger the other is
    low: Array
    width: Array

    def quantile(self, probability: Array | float) -> Array:
        """The quantile of each sample's distribution."""
        from scipy import special

        probability = np.broadcast_to(np.asarray(probability, float), self.lower.shape)
        lower, upper = (
            np.where(self.lower > 0, self.lower, 1),
            np.where(self.upper > 0, self.upper, 1),
        )
        share = special.betaincinv(upper, lower, probability)
        # From the nearer end, so that no digits of small tails are lost.
        rest = special.betaincinv(lower, upper, 1 - probability)
        value = np.where(
            share < 0.5, self.low + self.width * share, self.low + self.width - self.width * rest
        )
        value = np.where(self.upper > 0, value, self.low)
        return np.where(self.lower > 0, value, self.low + self.width)

    def standard_deviation(self) -> Array:
        """The SD."""
        total = self.lower + self.upper
        return np.asarray(self.width * np.sqrt(self.lower * self.upper / (total + 1)) / total)


def weighted_proportions(
    successes: Array, n: int, pseudo_cases: PseudoCases
) -> tuple[BetaDistribution, BetaDistribution]:
    """Means of values at either bound under Dirichlet weights are Beta variates.

    ``successes`` of each sample are at the upper bound.
    """
    x, bounds = np.atleast_1d(np.asarray(successes, float)), pseudo_cases.bounds
    ends = np.full(x.shape, float(bounds.low)), np.full(x.shape, bounds.width)
    low, high = (
        BetaDistribution(n - x + failing, x + passing, *ends)
        for failing, passing in (pseudo_cases.low, pseudo_cases.high)
    )
    return low, high
