"""Tests of per-case values of two models on the same cases: McNemar's, Wilcoxon's; superiority."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfwidth.arithmetic.ranked_scores import mean_ranks
from halfwidth.core.forms import differences_of
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.permutations.swap_tests import PermutationResult, signed_sum_tests

# Up to here the signed ranks of independent cases are counted; beyond, their sum is normal.
MOST_COUNTED = 200


def mcnemar(first: Array, second: Array, *, mid_p: bool = False) -> float:
    """McNemar's test of two models' successes, 0 or 1, on the same cases: two-sided p.

    Of the cases in which the models disagree, half should favour either. The exact test takes all
    of the probability of what was observed, and so rejects too seldom; mid-p takes half of it, and
    comes close to its level (Fagerland, Lydersen & Laake 2013). 1 where they disagree in no case.

    >>> first, second = np.array([1, 1, 1, 1, 1, 0, 1, 1]), np.array([0, 0, 0, 0, 0, 1, 1, 1])
    >>> round(mcnemar(first, second), 6), round(mcnemar(first, second, mid_p=True), 6)
    (0.21875, 0.125)
    """
    from scipy import special

    more, fewer = int((first > second).sum()), int((first < second).sum())
    n, least = more + fewer, min(more, fewer)
    if n == 0:
        return 1.0
    exact = min(1.0, 2 * float(special.bdtr(least, n, 0.5)))
    if not mid_p:
        return exact
    observed = float(
        special.bdtr(least, n, 0.5) - (special.bdtr(least - 1, n, 0.5) if least else 0)
    )
    # Both tails hold what was observed, unless it lies in the middle.
    return exact - observed * (0.5 if more == fewer else 1.0)


def wilcoxon(differences: Sequence[Array], design: Design, plan: Plan) -> list[PermutationResult]:
    """Wilcoxon's signed-rank tests of paired differences, (n,) each, of the same cases.

    Differences of 0 are left out, ties have their mean rank, and both the counts of all signs and
    the normal distribution (beyond 200 differences, with the variance of tied ranks) allow for
    them. Clusters change their signs whole, by counting or drawing.
    """
    ranks = [signed_ranks(own) for own in differences]
    if design.sizes is not None:
        return signed_sum_tests([design.totals(own) for own in ranks], design, plan)
    return [PermutationResult(_chance_of_signed_ranks(own), None) for own in ranks]


def signed_ranks(differences: Array) -> Array:
    """Mean ranks of the sizes of differences, with their signs; 0 of those that are 0."""
    largest = np.abs(differences).max(initial=0)
    # Differences of decimals that are equal on paper differ by rounding.
    sizes = np.rint(np.abs(differences) / (largest if largest > 0 else 1) * 2.0**40)
    out = np.zeros(len(differences))
    moved = sizes > 0
    out[moved] = mean_ranks(sizes[moved]) * np.sign(differences[moved])
    return out


def _chance_of_signed_ranks(ranks: Array) -> float:
    from scipy import special

    ranks = ranks[ranks != 0]
    if not len(ranks):
        return 1.0
    observed = abs(float(ranks.sum()))
    if len(ranks) > MOST_COUNTED:
        return float(2 * special.ndtr(-observed / np.sqrt((ranks**2).sum())))
    # Of twice the ranks, which are whole, the sum of those with a positive sign.
    twice = np.rint(2 * np.abs(ranks)).astype(int)
    shares = np.zeros(twice.sum() + 1)
    shares[0] = 1.0
    for rank in twice.tolist():
        moved = np.zeros_like(shares)
        moved[rank:] = shares[:-rank]
        shares = (shares + moved) / 2
    sums = np.arange(len(shares)) - twice.sum() / 2
    return min(1.0, float(shares[np.abs(sums) >= observed - 1e-9].sum()))


def superiority(first: Array, second: Array, sign: int, *, paired: bool = True) -> float:
    """Probability that the first model is better on a case, ties half.

    The sign is 1 where larger values are better, -1 where smaller ones are; 0 gives NaN. Unpaired,
    each case of the first is compared with each of the second (Mann & Whitney).

    >>> superiority(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0, 2.5]), 1)
    0.8333333333333334
    """
    if not sign or not (len(first) and len(second)):
        return float("nan")
    if paired:
        differences = differences_of(first, second)
        return float(((sign * differences > 0) + 0.5 * (differences == 0)).mean())
    ascending = np.sort(second)
    below = np.searchsorted(ascending, first, "left") + np.searchsorted(ascending, first, "right")
    share = float(below.mean() / (2 * len(second)))
    return share if sign > 0 else 1 - share
