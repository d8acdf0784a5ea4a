"""Permutation tests of two models on different cases: labels of the models change hands.

The null hypothesis is that the cases of both models come from one population of results; they are
pooled, and each division into as many as either model had is equally likely. Means are compared by
Welch's t of each division, not by their bare difference, so that models of unequal spread and
unequal numbers of cases, which have equal means and are no one population, are rejected as seldom
as they should be in all but small samples (Janssen 1997).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.forms import TIE_SHARE
from halfwidth.core.spec import Estimand, Statistic
from halfwidth.core.types import Array
from halfwidth.core.undefined import studentized_ratio
from halfwidth.resampling.designs import Design, case_positions
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.engines import engine_for
from halfwidth.resampling.permutations.swap_tests import (
    PermutationResult,
    is_extreme,
    least_extreme,
)

Labels = NDArray[np.bool_]
# Units of the first and of the second model that may take each other's place.
Sizes = tuple[int, int]


def label_test(
    first: tuple[Array, Design], second: tuple[Array, Design], statistic: Statistic, plan: Plan
) -> PermutationResult:
    """Permutation test of two models on different cases.

    All divisions are counted where there are no more than ``plan.n_resamples``; else so many are
    drawn, and p = (1 + #)/(1 + N). Metrics of decisions and of ranked scores are divided within the
    true classes, the scores as ranks within each model. Clusters are divided whole, of
    whatever classes. NaN under strata, which the two samples need not share.
    """
    designs = first[1], second[1]
    if any(len(design.strata) > 1 for design in designs):
        return PermutationResult(np.nan, None)
    exchanged = engine_for(statistic).permutations
    samples = [exchanged.unpaired_scale(values, statistic) for values, _ in (first, second)]
    sizes = [(designs[0].units, designs[1].units)]
    classes = [exchanged.true_classes(sample, statistic) for sample in samples]
    if classes[0] is not None and classes[1] is not None and _independent(designs):
        orders = [np.argsort(codes, kind="stable") for codes in (classes[0], classes[1])]
        samples = [sample[..., order] for sample, order in zip(samples, orders, strict=True)]
        sizes = _sizes_of_classes(classes[0], classes[1])
    mean = statistic.spec.estimand is Estimand.MEAN and samples[0].ndim == 1
    difference = (_welch if mean else _difference)(samples, designs, sizes, statistic)
    return _tested(difference, sizes, plan)


def _independent(designs: Sequence[Design]) -> bool:
    return all(design.sizes is None for design in designs)


def _tested(
    difference: Callable[[Labels], Array], sizes: Sequence[Sizes], plan: Plan
) -> PermutationResult:
    as_given = np.concatenate([np.repeat([True, False], pair) for pair in sizes])
    observed = float(difference(as_given[None])[0])
    if math.isnan(observed):
        return PermutationResult(np.nan, None)
    least = least_extreme(observed, TIE_SHARE)
    if math.prod(math.comb(sum(pair), pair[0]) for pair in sizes) <= plan.n_resamples:
        extreme = is_extreme(difference(_all_labels(sizes)), least)
        return PermutationResult(float(extreme.mean()), None)
    extreme_ones = undefined = 0
    for _, _, labels in drawn_labels(sizes, plan):
        differences = difference(labels)
        extreme_ones += int(is_extreme(differences, least).sum())
        undefined += int(np.isnan(differences).sum())
    n = plan.n_resamples
    return PermutationResult((1 + extreme_ones) / (1 + n), n, undefined)


def _all_labels(sizes: Sequence[Sizes]) -> Labels:
    """Every division, (N, units)."""
    parts = []
    for one, other in sizes:
        chosen = np.array(list(itertools.combinations(range(one + other), one)), np.intp)
        labels = np.zeros((len(chosen), one + other), bool)
        np.put_along_axis(labels, chosen.reshape(len(chosen), one), True, axis=1)
        parts.append(labels)
    places = np.meshgrid(*(np.arange(len(part)) for part in parts), indexing="ij")
    return np.concatenate(
        [part[place.ravel()] for part, place in zip(parts, places, strict=True)], axis=1
    )


def drawn_labels(sizes: Sequence[Sizes], plan: Plan) -> Iterator[tuple[int, int, Labels]]:
    """Divisions into as many units of the first model as it has, block by block, (B, units)."""
    flat = [size for pair in sizes for size in pair]
    key = rng.derive_key(plan.entropy, "permutation", "labels", *flat)
    units = sum(flat)
    for start, stop in plan.blocks(4 * units):
        uniforms = rng.uniforms(key, start, stop, units)
        labels = np.zeros(uniforms.shape, bool)
        at = 0
        for one, other in sizes:
            some = slice(at, at + one + other)
            if one > 0 and other > 0:
                chosen = np.argpartition(uniforms[:, some], one, axis=1)[:, :one]
                np.put_along_axis(labels[:, some], chosen, True, axis=1)
            else:
                labels[:, some] = one > 0
            at += one + other
        yield start, stop, labels


# --------------------------------------------------------------------------- what is divided


def _sizes_of_classes(one: NDArray[np.intp], other: NDArray[np.intp]) -> list[Sizes]:
    most = int(max(one.max(initial=0), other.max(initial=0))) + 1
    counts = (np.bincount(codes, minlength=most).tolist() for codes in (one, other))
    return [(a, b) for a, b in zip(*counts, strict=True) if a + b]


# --------------------------------------------------------------------------- differences


def _pooled(samples: Sequence[Array], sizes: Sequence[Sizes]) -> Array:
    """Both samples, class after class, those of the first model before those of the second."""
    first, second = samples
    ends = np.cumsum(sizes, axis=0)[:-1]
    parts = zip(
        np.split(first, ends[:, 0], axis=-1), np.split(second, ends[:, 1], axis=-1), strict=True
    )
    return np.concatenate([part for pair in parts for part in pair], axis=-1)


def _welch(
    samples: Sequence[Array],
    designs: tuple[Design, Design],
    _sizes: Sequence[Sizes],
    _statistic: Statistic,
) -> Callable[[Labels], Array]:
    """Welch's t; of clusters with the robust variance of either mean."""
    centre = float(np.median(np.concatenate(samples)))
    totals = np.concatenate(
        [d.totals(sample - centre) for sample, d in zip(samples, designs, strict=True)]
    )
    n = np.concatenate([design.unit_sizes for design in designs]).astype(float)
    features = np.stack([np.ones(len(n)), totals, n, totals**2, totals * n, n**2])
    tolerance = np.asarray(TIE_SHARE * max(np.abs(sample).max() for sample in samples))

    def moments(labels: Labels) -> tuple[Array, Array]:
        units, total, size, squares, crossed, sizes = features @ labels.T.astype(float)
        mean = total / size
        about = squares - 2 * mean * crossed + mean**2 * sizes
        about = np.where(about <= 1e-14 * (squares + mean**2 * sizes), 0.0, about)
        with np.errstate(invalid="ignore", divide="ignore"):
            return mean, units / (units - 1) * about / size**2

    def ratio(labels: Labels) -> Array:
        (one, variance), (other, more) = moments(labels), moments(~labels)
        ratios = studentized_ratio(one - other, np.sqrt(variance + more), tolerance)
        return np.where(np.abs(one - other) <= tolerance, 0.0, ratios)

    return ratio


def _difference(
    samples: Sequence[Array],
    designs: tuple[Design, Design],
    sizes: Sequence[Sizes],
    statistic: Statistic,
) -> Callable[[Labels], Array]:
    """The bare difference of a statistic."""
    pool = _pooled(samples, sizes)
    if _independent(designs):

        def difference(labels: Labels) -> Array:
            first, second = (_gathered(pool, side) for side in (labels, ~labels))
            return statistic(first) - statistic(second)

        return difference
    unit_sizes = np.concatenate([design.unit_sizes for design in designs])
    first_cases = np.cumsum(unit_sizes) - unit_sizes

    def shares_of_clusters(labels: Labels) -> Array:
        out = np.empty(len(labels))
        for place, label in enumerate(labels):
            sides = [
                pool[..., case_positions(first_cases[side], unit_sizes[side])]
                for side in (label, ~label)
            ]
            one, other = (float(statistic(side[None])[0]) for side in sides)
            out[place] = one - other
        return out

    return shares_of_clusters


def _gathered(pool: Array, mine: Labels) -> Array:
    """The cases of each division, (n,) -> (B, n₁) or (k, n) -> (B, k, n₁)."""
    places = (np.flatnonzero(mine) % mine.shape[1]).reshape(len(mine), -1)
    gathered = pool[..., places]
    return gathered if pool.ndim == 1 else np.moveaxis(gathered, 0, 1)
