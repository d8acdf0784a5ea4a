"""Several differences studentized on the same resamples, for the max-t bootstrap.

A difference of a resample, divided by the standard error that this very resample has of it, is t*.
The largest |t*| of all differences has a quantile c, and the intervals D ± c·SE hold together. A
standard error that is fixed over resamples would make them far too short where cases are few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import TIE_SHARE, Effect, differences_of
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.core.undefined import studentized_ratio
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.engine import joint_resampling
from halfwidth.resampling.forms.contract import tie_size
from halfwidth.resampling.forms.moments import SumsOfUnits
from halfwidth.resampling.linearization import linearized
from halfwidth.resampling.weights.bootstrap import count_blocks, kept_counts
from halfwidth.summaries.all_statistics import STATISTICS

Pairs = NDArray[np.intp]
MEAN = Statistic(STATISTICS["mean"])
# Differences that are resampled at a time. No result depends on it.
PAIRS_AT_A_TIME = 64


def all_pairs(models: int) -> Pairs:
    """Every pair of models once, the first before the second: (P, 2)."""
    return np.stack(np.triu_indices(models, 1), axis=-1)


@frozen(eq=False)
class StudentizedDifferences:
    """Differences between models on the same cases, studentized on the same resamples."""

    estimates: Array  # (P,)
    standard_errors: Array  # (P,)
    # (P, B): t* = (D* - D) / SE*. Infinite where SE* = 0 and D* ≠ D; 0 where both are 0, since
    # |D* - D| ≤ c·SE* then holds for every c; NaN where the resample leaves D* or SE* undefined.
    replicates: Array

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Differences with a standard error. Models that agree in every case have none."""
        return np.asarray(self.standard_errors > 0)

    @property
    def infinite_share(self) -> Array:
        """The share of resamples in which t* is infinite, of each difference."""
        infinite = [np.count_nonzero(np.isinf(row)) for row in self.replicates]
        return np.asarray(np.array(infinite) / self.replicates.shape[-1])


def mean_differences(
    values: Array, pairs: Pairs, design: Design, plan: Plan
) -> StudentizedDifferences:
    """Differences of means of values of models, (K, n), for pairs of their places, (P, 2).

    Sums of each difference and of its square, over the units drawn, give the mean and the standard
    error of a resample, cluster-robust with clusters and strata. Sums of differences are those of
    the models; only squares are summed for each pair. Products of models, var(x) + var(y) - 2
    cov(x, y), would take as long and lose the digits of models that hardly differ.
    """
    estimates, errors, tolerance = np.empty((3, len(pairs)))
    for part in _parts(pairs):
        first, second = values[pairs[part].T]
        differences = differences_of(first, second)
        estimates[part], tolerance[part] = MEAN(differences), tie_size(differences)
        errors[part] = linearized(differences, design, MEAN)
    errors[errors <= tolerance] = 0.0
    replicates = np.empty((len(pairs), plan.n_resamples))
    # About the mean of its case and that of its model a value has the digits of its difference.
    centred = values - values.mean(axis=0)
    centred -= centred.mean(axis=-1, keepdims=True)
    totals, reach = design.totals(centred), np.abs(centred).max(axis=-1)
    for start, stop, counts in _blocks_of_counts(design, plan):
        models = _ModelSums.from_totals(totals, counts, design)
        for part in _parts(pairs):
            mean, error = models.differences(pairs[part]).mean_and_error(
                design, reach[pairs[part]].sum(axis=-1)[:, None]
            )
            ratios = studentized_ratio(mean, error, tolerance[part, None])
            # Those that have neither a deviation nor an error, as all of models that never differ.
            ratios[np.isnan(ratios)] = ratios[errors[part] == 0] = 0.0
            replicates[part, start:stop] = ratios
    return StudentizedDifferences(estimates, errors, replicates)


def _parts(pairs: Pairs) -> list[slice]:
    starts = range(0, len(pairs), PAIRS_AT_A_TIME)
    return [slice(start, start + PAIRS_AT_A_TIME) for start in starts]


def _blocks_of_counts(design: Design, plan: Plan) -> Iterator[tuple[int, int, Array]]:
    """Ranges of resamples, and how often each unit is drawn in them, (B, U)."""
    # The squares of the differences are made anew for each block, which therefore is larger than
    # what a cache holds.
    elements, kept = max(1, design.units // 4), kept_counts(design, plan)
    if kept is not None:
        for start, stop in plan.blocks(elements):
            yield start, stop, kept[start:stop]
        return
    for start, stop, counts in count_blocks(design, plan, elements):
        yield start, stop, counts.astype(float)


@frozen(eq=False)
class _ModelSums:
    """Sums over the units drawn, of each of K models."""

    totals: Sequence[Array]  # (K, U) each: of the units of each stratum, and so on
    counts: Sequence[Array]  # (U, B) each
    sums: SumsOfUnits  # Without the squares: those of pairs are not known from those of models

    @classmethod
    def from_totals(cls, totals: Array, counts: Array, design: Design) -> _ModelSums:
        by_stratum = design.by_stratum(totals)
        drawn = [one.T for one in design.by_stratum(counts)]
        sizes = design.by_stratum(design.unit_sizes.astype(float))
        both = list(zip(by_stratum, drawn, strict=True))
        total = np.stack([own @ times for own, times in both])
        size = np.stack([(own @ times)[None] for own, times in zip(sizes, drawn, strict=True)])
        product = size_square = None
        if not design.equal_sizes:
            weighted = zip(by_stratum, sizes, drawn, strict=True)
            product = np.stack([(own * each) @ times for own, each, times in weighted])
            squared = zip(sizes, drawn, strict=True)
            size_square = np.stack([(own**2 @ times)[None] for own, times in squared])
        return cls(by_stratum, drawn, SumsOfUnits(total, total, size, product, size_square))

    def differences(self, pairs: Pairs) -> SumsOfUnits:
        """Sums of the differences of pairs, from one product of counts with squares."""
        first, second = pairs.T
        own = zip(self.totals, self.counts, strict=True)
        square = np.stack([(one[first] - one[second]) ** 2 @ times for one, times in own])

        def difference(sums: Array) -> Array:
            return np.asarray(sums[:, first] - sums[:, second])

        product = self.sums.product
        return replace(
            self.sums,
            total=difference(self.sums.total),
            square=square,
            product=None if product is None else difference(product),
        )


def studentized_differences(
    records: Sequence[Array],
    pairs: Pairs,
    design: Design,
    statistic: Statistic,
    plan: Plan,
    effect: Effect = "difference",
) -> StudentizedDifferences:
    """Differences between models of any statistic that has a standard error."""
    # DeLong's of an AUROC; of a function of a confusion matrix by the delta method; else from the
    # influence. A ratio is taken on the log scale: estimates are logarithms of ratios.
    if statistic.spec.is_mean_of_values and effect == "difference":
        return mean_differences(np.stack(records), pairs, design, plan)
    resample, elements = joint_resampling(records, design, statistic)

    def differences(counts: NDArray[Any]) -> tuple[Array, Array]:
        resamples = resample(counts.astype(float))
        return (resamples.logarithms() if effect == "ratio" else resamples).differences(pairs)

    estimates, errors = (one[:, 0] for one in differences(np.ones((1, design.units))))
    tolerance = TIE_SHARE * np.fmax(np.abs(estimates), 1.0)[:, None]
    replicates = np.empty((len(pairs), plan.n_resamples))
    for start, stop, counts in count_blocks(design, plan, elements):
        ones, own_errors = differences(counts)
        deviation = ones - estimates[:, None]
        ratios = studentized_ratio(deviation, own_errors, tolerance)
        same = (np.abs(deviation) <= tolerance) & (own_errors == 0)
        replicates[:, start:stop] = np.where(same, 0.0, ratios)
    return StudentizedDifferences(estimates, errors, replicates)
