"""True sizes of errors that noise makes larger, which draws of the noise allow, of two models.

Each draw says which true size makes the one observed. Draws of two models on the same cases go
together as the noise of these cases does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core import rng
from halfwidth.core.forms import LogisticFit, Sums, UnbiasedSquare
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.curve_gaps import CurveGaps, paired_curve_gaps
from halfwidth.resampling.designs import Design
from halfwidth.resampling.deviations import Deviations, paired_deviations, root, standard_draws
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form, single_model

Gapped = Deviations | CurveGaps


def least_sizes(given: Gapped) -> Array:
    """Of each draw, for a lower end, (S, B).

    Noise that by itself would give more than was observed is no evidence for any.
    """
    sizes = given.true_sizes(given.size, even=False)
    return np.where(given.perfect_sizes <= given.size[:, None], sizes, 0.0)


def most_sizes(given: Gapped) -> Array:
    """Of each draw, for an upper end, (S, B).

    Where less was observed than in half of the samples of a calibrated model, those of that half:
    luck is no evidence (Cowan et al. 2011).
    """
    median = np.median(given.perfect_sizes, axis=-1)
    return given.true_sizes(np.maximum(given.size, median), even=True)


@frozen(eq=False)
class PairedSizes:
    """True sizes of two models on the same cases that draws of their noise allow.

    Attributes
    ----------
    observed : ndarray, shape (S, 2)
    least, most : ndarray, shape (S, 2, B)
        For lower and for upper ends.
    error : ndarray, shape (S,)
        The SD of the difference of what is observed; NaN where it is not reckoned.
    """

    observed: Array
    least: Array
    most: Array
    error: Array

    @property
    def n_resamples(self) -> int:
        """B."""
        return self.least.shape[-1]

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """None of them."""
        return np.zeros(len(self.least), dtype=np.intp)


def paired_sizes(pairs: Array, design: Design, statistic: Statistic, plan: Plan) -> PairedSizes:
    """Those of pairs of models, (S, 2, k, n), each in the canonical order of the design.

    Parameters
    ----------
    statistic : Statistic
        The contrast of an error of calibration.
    """
    one = single_model(statistic)
    if isinstance(one.spec.form, LogisticFit):
        return _of_gaps(*paired_curve_gaps(pairs, design, one), design, plan)
    if declared_form(one, Sums).square is not None:
        return _of_squares(pairs, one, plan)
    return _of_gaps(*paired_deviations(pairs, design, one), design, plan)


# --------------------------------------------------------------------------- sizes of deviations


def _of_gaps(
    first: Gapped, second: Gapped, couplings: list[Array], design: Design, plan: Plan
) -> PairedSizes:
    least, most, error = [], [], []
    observed = np.stack([first.size, second.size], axis=-1)
    for row, together in enumerate(couplings):
        draws = _coupled_draws(together, observed[row], design, plan)
        both = first.one(row, draws[0]), second.one(row, draws[1])
        least.append(np.concatenate([least_sizes(side) for side in both]))
        most.append(np.concatenate([_most_of(side, design.units) for side in both]))
        error.append(float((both[0].replicates - both[1].replicates).std(ddof=1)))
    return PairedSizes(observed, np.stack(least), np.stack(most), np.array(error))


def _most_of(given: Gapped, units: int) -> Array:
    """As `most_sizes`; where certain predictions are all right, those of no success of n."""
    sizes = most_sizes(given)
    certain = (given.size == 0) & (np.median(given.perfect_sizes, axis=-1) == 0)
    none = 1 - np.linspace(0, 1, sizes.shape[-1]) ** (1 / units)
    return np.where(certain[:, None], none, sizes)


def _coupled_draws(together: Array, observed: Array, design: Design, plan: Plan) -> list[Array]:
    """Standard draws of two models with such correlations.

    The leading model, whose draws those of the other follow, is not the one that is named first,
    so that the opposite difference has the opposite interval.
    """
    leads_second = observed[1] > observed[0]
    along = together.T if leads_second else together
    count, others = along.shape
    drawn = standard_draws(plan, count + others, design)
    rest = root(np.eye(others) - along.T @ along)
    both = [drawn[:, :count], drawn[:, :count] @ along + drawn[:, count:] @ rest]
    return both[::-1] if leads_second else both


# --------------------------------------------------------------------------- roots of squares


def _of_squares(pairs: Array, statistic: Statistic, plan: Plan) -> PairedSizes:
    """Of the roots of unbiased squares, whose draws correlate as the influences of cases do."""
    from scipy import special

    form = declared_form(statistic, Sums)
    if form.square is None:
        raise TypeError(f"{statistic.spec.name} is not the root of an unbiased square")
    size = np.asarray(float(pairs.shape[-1]))
    features = [form.features(pairs[:, side]) for side in (0, 1)]
    squares = [form.square(size, own.sum(axis=-1)) for own in features]
    together = np.array(
        [
            _correlation(*(_without_each(form.square, own[row]) for own in features))
            for row in range(len(pairs))
        ]
    )
    key = rng.derive_key(plan.entropy, "squares")
    drawn = special.ndtri(rng.uniforms(key, 0, plan.n_resamples, 2))
    # Neither leads, so that the opposite difference has the opposite interval.
    leads_second = squares[1].value > squares[0].value
    follows = together[:, None] * drawn[:, 0] + np.sqrt(1 - together**2)[:, None] * drawn[:, 1]
    leads = np.broadcast_to(drawn[:, 0], follows.shape)
    least, most = [], []
    for own, is_leading in zip(squares, (~leads_second, leads_second), strict=True):
        column = UnbiasedSquare(own.value[:, None], own.slope[:, None], own.noise[:, None])
        fitting = np.sqrt(column.fitting(np.where(is_leading[:, None], leads, follows)))
        most.append(fitting)
        least.append(np.where(column.value <= 0, 0.0, fitting))
    observed = np.stack([np.sqrt(np.maximum(own.value, 0.0)) for own in squares], axis=-1)
    error = np.full(len(pairs), np.nan)
    return PairedSizes(observed, np.stack(least, axis=1), np.stack(most, axis=1), error)


def _without_each(square: Callable[[Array, Array], UnbiasedSquare], features: Array) -> Array:
    """The square without each case, from the features of all, (K, n) -> (n,)."""
    rest = (features.sum(axis=-1, keepdims=True) - features).T
    return square(np.full(len(rest), len(rest) - 1.0), rest).value


def _correlation(first: Array, second: Array) -> float:
    """That of two values without each case; 0 where one of them never changes."""
    first, second = first - first.mean(), second - second.mean()
    size = np.sqrt((first**2).sum() * (second**2).sum())
    return float(np.clip(first @ second / size, -1, 1)) if size > 0 else 0.0
