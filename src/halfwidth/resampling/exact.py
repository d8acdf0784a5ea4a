"""Bootstrap distributions known without a draw.

- The mean of 0/1 values: binomial.
- One order statistic, or an average of two adjacent ones: closed form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.core.undefined import studentized_ratio
from halfwidth.resampling.distribution import ExactDistribution, in_parts
from halfwidth.resampling.kernels.reference import total_weight

__all__ = ["binomial", "order_statistics", "studentized_binomial"]

# Support points of less probability than this change no quantile that anyone asks for.
NEGLIGIBLE = 1e-15
# A gap of d positions between neighbouring order statistics has probability of about exp(-d).
LONGEST_GAP = 40


def binomial(successes: Array, n: int) -> ExactDistribution:
    """Bootstrap distribution of a proportion: binomial(n, successes / n) / n, one per sample."""
    from scipy import special

    # A batch of samples holds few different counts.
    distinct, of_sample = np.unique(np.asarray(successes, float), return_inverse=True)
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
    probability = each[of_sample.reshape(np.shape(successes))]
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


def order_statistics(sorted_values: Array, ranks: Array, weights: Array) -> ExactDistribution:
    """Exact bootstrap distribution of one order statistic or of two adjacent ones, weighted.

    Parameters
    ----------
    sorted_values : ndarray, shape (S, n)
    ranks : ndarray of int, shape (1,) or (2,)
        1-based, adjacent.
    weights : ndarray, same shape

    Returns
    -------
    ExactDistribution
        Of Σ weight · X*₍rank₎ over all nⁿ resamples.
    """
    n, k, total = sorted_values.shape[-1], int(ranks[0]), total_weight(weights)
    position, probability = _one(n, k)
    if len(ranks) == 1:
        support = total * sorted_values[:, position]
        return ExactDistribution(support, np.broadcast_to(probability, support.shape))
    first, second, of_pair = _two_adjacent(n, k, position, probability)
    support, each = np.empty((2, len(sorted_values), len(first)))
    for part in in_parts(*support.shape):
        made = np.take(sorted_values[part], first, axis=-1)
        gap = np.take(sorted_values[part], second, axis=-1)
        gap -= made
        gap *= weights[1]
        made *= total
        made += gap
        order = np.argsort(made, axis=-1)
        support[part] = np.take_along_axis(made, order, axis=-1)
        each[part] = of_pair[order]
    return ExactDistribution(support, each)


def _one(n: int, k: int) -> tuple[NDArray[np.intp], Array]:
    """Positions (0-based) at which the k-th order statistic of a resample falls, and how likely.

    P(X*₍k₎ ≤ x₍j₎) = P(Bin(n, j/n) ≥ k) = I₍j/n₎(k, n - k + 1).
    """
    from scipy import special

    reach = 10.0 * np.sqrt(k * (n + 1 - k) / (n + 2)) + 50.0
    edges = np.arange(max(0, int(k - reach)), min(n, int(k + reach)) + 1)
    probability = np.diff(special.betainc(k, n - k + 1, edges / n))
    kept = probability > NEGLIGIBLE
    return edges[:-1][kept], probability[kept] / probability[kept].sum()


def _two_adjacent(
    n: int, k: int, position: NDArray[np.intp], marginal: Array
) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Joint distribution of the positions of the k-th and (k+1)-th order statistics.

    For i < j the event is that k draws lie up to i, the largest of them at i, and the n - k others
    from j on, the smallest at j:
    C(n, k) · [(i/n)^k - ((i-1)/n)^k] · [((n-j+1)/n)^(n-k) - ((n-j)/n)^(n-k)].
    What the marginal of the k-th leaves over is the event i = j.
    """
    from scipy import special

    log_choose = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    i = position + 1
    remaining = n - int(i[0])
    longest = min(remaining, int(np.ceil(LONGEST_GAP * (1 + remaining / (n - k)))))
    j = i[:, None] + np.arange(1, longest + 1)
    with np.errstate(divide="ignore"):
        log_lower = k * np.log(i / n) + _log_rest(k, i)
        log_upper = (n - k) * np.log(np.maximum(n - j + 1, 0) / n) + _log_rest(n - k, n - j + 1)
    apart = np.where(j <= n, np.exp(log_choose + log_lower[:, None] + log_upper), 0.0)
    together = np.maximum(marginal - apart.sum(axis=-1), 0.0)
    rows, columns = np.nonzero(apart > NEGLIGIBLE)
    first = np.concatenate([position, position[rows]])
    second = np.concatenate([position, position[rows] + columns + 1])
    probability = np.concatenate([together, apart[rows, columns]])
    return first, second, probability / probability.sum()


def _log_rest(power: int, count: NDArray[np.intp]) -> Array:
    """log(1 - ((count - 1) / count)^power), with all its digits."""
    count = np.maximum(count, 1)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(-np.expm1(power * np.log1p(-1.0 / count))))
