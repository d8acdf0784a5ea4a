"""True sizes of errors that noise makes larger, which draws of the noise allow, of two models.

Each draw says which true size makes the one observed. Draws of two models on the same cases go
together as the noise of these cases does; those of models on different cases are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from halfwidth.core import rng
from halfwidth.core.forms import LogisticFit, Sums, UnbiasedSquare
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.distribution import AllDefined
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form, single_model
from halfwidth.resampling.noise.curve_gaps import Gaps, curve_gaps, paired_curve_gaps
from halfwidth.resampling.noise.deviations import (
    Deviations,
    deviations,
    paired_deviations,
    root,
    standard_draws,
)
from halfwidth.resampling.noise.noisy_samples import Noisy, NoisySamples
from halfwidth.resampling.two_samples import Sample, TwoSamples

Gapped = Deviations | NoisySamples[Gaps]


def least_sizes(noisy: Deviations | NoisySamples[Noisy]) -> Array:
    """True size of each draw, for a lower end, (S, B): none where noise alone would give more."""
    sizes = noisy.true_sizes(noisy.size, even=False)
    return np.where(noisy.perfect_sizes <= noisy.size[:, None], sizes, 0.0)


def most_sizes(noisy: Deviations | NoisySamples[Noisy]) -> Array:
    """True size of each draw, for an upper end, (S, B)."""
    # Where less was observed than in half of the samples of a calibrated model, those of that half:
    # luck is no evidence (Cowan et al. 2011).
    median = np.median(noisy.perfect_sizes, axis=-1)
    return noisy.true_sizes(np.maximum(noisy.size, median), even=True)


@frozen(eq=False)
class Sizes:
    """True sizes of one model that draws allow."""

    observed: Array  # (S,)
    # (S, B): for lower and for upper ends
    least: Array
    most: Array
    # (S, B): what would be observed if the true ones were those observed; NaN where it is not
    # reckoned
    replicates: Array


@frozen(eq=False)
class PairedSizes(AllDefined):
    """True sizes of two models, draw by draw."""

    observed: Array  # (S, 2)
    # (S, 2, B): for lower and for upper ends
    least: Array
    most: Array
    # (S, B): what the two differ by at most, since their deviations do; 1 where that is unknown
    apart: Array
    error: Array  # (S,): the SD of the difference of what is observed; NaN where it is not reckoned

    @property
    def n_resamples(self) -> int:
        """B."""
        return int(self.least.shape[-1])


def paired_sizes(pairs: Array, design: Design, statistic: Statistic, plan: Plan) -> PairedSizes:
    """True sizes of models on the same cases, (S, 2, k, n), in the order of the design."""
    one = single_model(statistic)
    if isinstance(one.spec.form, LogisticFit):
        sizes = _paired_gaps(*paired_curve_gaps(pairs, design, one), design, plan)
    elif declared_form(one, Sums).square is not None:
        sizes = _paired_squares(pairs, one, plan)
    else:
        sizes = _paired_gaps(*paired_deviations(pairs, design, one), design, plan)
    differ = (pairs[:, 0] != pairs[:, 1]).any(axis=(1, 2))
    return replace(sizes, apart=sizes.apart * differ[:, None])


def unpaired_sizes(samples: TwoSamples, plan: Plan) -> PairedSizes:
    """True sizes of models on different cases."""
    own = replace(plan, entropy=rng.derive_key(plan.entropy, "second sample").value)
    return _paired(_sizes_of(samples.first, plan), _sizes_of(samples.second, own))


def _sizes_of(sample: Sample, plan: Plan) -> Sizes:
    form = sample.statistic.spec.form
    if isinstance(form, LogisticFit):
        gaps = curve_gaps(sample.batch, sample.design, sample.statistic, plan)
        return _gapped(gaps, sample.design.units)
    if declared_form(sample.statistic, Sums).square is not None:
        draws = _normal_draws(plan)[:, 0]
        return _fitting(_square(sample.statistic, sample.batch), draws[None])
    noisy = deviations(sample.batch, sample.design, sample.statistic, plan)
    return _gapped(noisy, sample.design.units)


def _paired(first: Sizes, second: Sizes, apart: Array | None = None) -> PairedSizes:
    """Sizes of two models, whose draws stand in the same order."""
    return PairedSizes(
        np.stack([first.observed, second.observed], axis=1),
        np.stack([first.least, second.least], axis=1),
        np.stack([first.most, second.most], axis=1),
        np.ones(first.most.shape) if apart is None else apart,
        (first.replicates - second.replicates).std(axis=-1, ddof=1),
    )


# --------------------------------------------------------------------------- sizes of deviations


def _paired_gaps(
    first: Gapped, second: Gapped, couplings: Sequence[Array], design: Design, plan: Plan
) -> PairedSizes:
    sizes = []
    for row, together in enumerate(couplings):
        draws = _coupled_draws(together, (first.size[row], second.size[row]), design, plan)
        own, other = first.one(row, draws[0]), second.one(row, draws[1])
        units = design.units
        sizes.append(_paired(_gapped(own, units), _gapped(other, units), _apart(own, other)))
    names = ("observed", "least", "most", "apart", "error")
    return PairedSizes(*(np.concatenate([getattr(one, name) for one in sizes]) for name in names))


def _apart(first: Gapped, second: Gapped) -> Array:
    if isinstance(first, Deviations) and isinstance(second, Deviations):
        return first.apart(second)
    if isinstance(first, NoisySamples) and isinstance(second, NoisySamples):
        both = zip(first.samples, second.samples, strict=True)
        return np.stack([own.apart(its) for own, its in both])
    raise TypeError("both models have deviations of one kind")


def _gapped(noisy: Gapped, units: int) -> Sizes:
    """Where certain predictions are all right, the most are those of no success of n."""
    most = most_sizes(noisy)
    certain = (noisy.size == 0) & (np.median(noisy.perfect_sizes, axis=-1) == 0)
    none = 1 - np.linspace(0, 1, most.shape[-1]) ** (1 / units)
    most = np.where(certain[:, None], none, most)
    return Sizes(noisy.size, least_sizes(noisy), most, noisy.replicates)


def _coupled_draws(
    together: Array, observed: tuple[float, float], design: Design, plan: Plan
) -> list[Array]:
    """Standard draws of two models with such correlations."""
    # The leading model, whose draws those of the other follow, is not the one that is named first,
    # so that the opposite difference has the opposite interval.
    leads_second = observed[1] > observed[0]
    along = together.T if leads_second else together
    count, others = along.shape
    drawn = standard_draws(plan, count + others, design)
    rest = root(np.eye(others) - along.T @ along)
    both = [drawn[:, :count], drawn[:, :count] @ along + drawn[:, count:] @ rest]
    return both[::-1] if leads_second else both


# --------------------------------------------------------------------------- roots of squares


def _paired_squares(pairs: Array, statistic: Statistic, plan: Plan) -> PairedSizes:
    """Roots of unbiased squares, whose draws correlate as the influences of cases do."""
    squares = [_square(statistic, pairs[:, side]) for side in (0, 1)]
    together = np.array(
        [_correlation(*(_without_each(statistic, one) for one in pair)) for pair in pairs]
    )[:, None]
    drawn = _normal_draws(plan).T
    follows = together * drawn[0] + np.sqrt(1 - together**2) * drawn[1]
    # As of deviations, the one that leads is not the one that is named first.
    leads = squares[0].value >= squares[1].value
    first, second = (
        _fitting(own, np.where(is_leading[:, None], drawn[0], follows))
        for own, is_leading in zip(squares, (leads, ~leads), strict=True)
    )
    return _paired(first, second)


def _fitting(square: UnbiasedSquare, z: Array) -> Sizes:
    column = UnbiasedSquare(*(one[:, None] for one in (square.value, square.slope, square.noise)))
    most = np.sqrt(column.fitting(z))
    least = np.where(column.value <= 0, 0.0, most)
    return Sizes(np.sqrt(np.maximum(square.value, 0.0)), least, most, np.full(most.shape, np.nan))


def _square(statistic: Statistic, records: Array) -> UnbiasedSquare:
    features = declared_form(statistic, Sums).features(records)
    return _square_of(statistic)(np.asarray(float(records.shape[-1])), features.sum(axis=-1))


def _square_of(statistic: Statistic) -> Callable[[Array, Array], UnbiasedSquare]:
    square = declared_form(statistic, Sums).square
    if square is None:
        raise TypeError(f"{statistic.spec.name} is not the root of an unbiased square")
    return square


def _without_each(statistic: Statistic, records: Array) -> Array:
    """The square without each case, (k, n) -> (n,)."""
    features = declared_form(statistic, Sums).features(records)
    rest = (features.sum(axis=-1, keepdims=True) - features).T
    return _square_of(statistic)(np.full(len(rest), len(rest) - 1.0), rest).value


def _correlation(first: Array, second: Array) -> float:
    """Correlation of two values without each case; 0 where one of them never changes."""
    first, second = first - first.mean(), second - second.mean()
    size = np.sqrt((first**2).sum() * (second**2).sum())
    return float(np.clip(first @ second / size, -1, 1)) if size > 0 else 0.0


def _normal_draws(plan: Plan) -> Array:
    """Normal draws of the squares of two models, (B, 2)."""
    from scipy import special

    key = rng.derive_key(plan.entropy, "squares")
    return np.asarray(special.ndtri(rng.uniforms(key, 0, plan.n_resamples, 2)))
