"""Paired tests on resamples, all at once: the one-sided p-value of each.

Signed ranks and signed values have a normal distribution there, with the variance over all signs:
a resample repeats cases, and the ties that this makes leave little to count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.comparison.paired_tests import signed_ranks
from halfwidth.core.types import Array
from halfwidth.estimation.records import Functional
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.weights.bootstrap import count_blocks

# A p-value of 0 would lose the sign that says which model is better.
LEAST = 1e-300
# From how often each unit is drawn, (B, U), to signed p-values, (B,).
OfCounts = Callable[[NDArray[np.intp]], Array]


def resampled_test(
    name: str, functional: Functional
) -> Callable[[Sequence[Array], Design, Plan], Array] | None:
    """A test of differences, (n,), that gives what `wins_of` takes; None for permutations."""
    spec = functional.statistic.spec
    test: Callable[[Array, Design], OfCounts]
    if name == "wilcoxon":
        test = _signed_rank_sums
    elif name in ("mcnemar", "mcnemar_midp"):
        share = 0.5 if name == "mcnemar_midp" else 0.0
        test = lambda own, design: _signs(own, share)  # noqa: E731
    elif not spec.is_mean_of_values:
        return None
    else:
        test = _signed_sums

    def on_resamples(differences: Sequence[Array], design: Design, plan: Plan) -> Array:
        pairs = [test(own, design) for own in differences]
        signed = np.empty((len(pairs), plan.n_resamples))
        for start, stop, counts in count_blocks(design, plan, 4 * design.n):
            for row, from_counts in zip(signed, pairs, strict=True):
                row[start:stop] = from_counts(counts)
        return signed

    return on_resamples


def _signed_sums(differences: Array, design: Design) -> OfCounts:
    """Sums of differences whose signs change: those of cases, or of whole clusters."""
    totals = design.totals(differences)
    features = np.stack([totals, totals**2], axis=-1)

    def from_counts(counts: NDArray[np.intp]) -> Array:
        sums, variances = (counts @ features).T
        return _normal(sums, variances)

    return from_counts


def _signed_rank_sums(differences: Array, design: Design) -> OfCounts:
    """Wilcoxon's sums of signed ranks, with the mean ranks that each resample gives."""
    ranks = signed_ranks(differences)
    moved = np.flatnonzero(ranks)
    order = moved[np.argsort(np.abs(ranks[moved]), kind="stable")]
    signs = np.sign(ranks[order])
    # Cases whose differences are of one size, from ``first`` to ``last``.
    sizes, group = np.unique(np.abs(ranks[order]), return_inverse=True)
    last = np.searchsorted(np.abs(ranks[order]), sizes, "right") - 1
    units = design.unit_of_case[order]

    def from_counts(counts: NDArray[np.intp]) -> Array:
        if not len(order):
            return np.ones(len(counts))
        drawn = counts[:, units]
        upto = np.cumsum(drawn, axis=-1)[:, last].astype(float)
        before = np.concatenate([np.zeros((len(counts), 1)), upto[:, :-1]], axis=-1)
        own = ((before + upto + 1) / 2)[:, group] * signs
        if design.sizes is None:
            return _normal((drawn * own).sum(axis=-1), (drawn * own**2).sum(axis=-1))
        ranks_of_cases = np.zeros((len(counts), design.n))
        ranks_of_cases[:, order] = own
        totals = design.totals(ranks_of_cases)
        return _normal((counts * totals).sum(axis=-1), (counts * totals**2).sum(axis=-1))

    return from_counts


def _signs(differences: Array, share: float) -> OfCounts:
    """McNemar's p-values with signs, less a share of the probability of the observed counts."""
    favours = np.stack([differences > 0, differences < 0], axis=-1).astype(np.intp)

    def from_counts(counts: NDArray[np.intp]) -> Array:
        from scipy import special

        more, fewer = (counts @ favours).T
        n, least = more + fewer, np.minimum(more, fewer)
        tail = special.bdtr(least, n, 0.5)
        below = np.where(least > 0, special.bdtr(np.maximum(least - 1, 0), n, 0.5), 0.0)
        return _with_sign(tail - share * (tail - below), more - fewer)

    return from_counts


def _normal(sums: Array, variances: Array) -> Array:
    from scipy import special

    spread = np.sqrt(np.where(variances > 0, variances, 1.0))
    return _with_sign(special.ndtr(-np.abs(sums) / spread), sums)


def _with_sign(p_values: Array, advantages: Array) -> Array:
    """1 where neither model is better."""
    signed = np.copysign(np.maximum(p_values, LEAST), advantages)
    return np.where(advantages == 0, 1.0, signed)
