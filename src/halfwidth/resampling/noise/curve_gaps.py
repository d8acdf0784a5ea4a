"""How far a calibration curve is from the probabilities, and the noise in that.

What `deviations` is for sums over bins, of the curve of a logistic regression or of outcomes
smoothed by kernels: the distances of its points are λ times those observed plus noise, of the
fitted coefficients or of the outcomes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.kernel_cases import evenly
from halfwidth.arithmetic.kernel_curves import (
    bandwidth_of,
    cases_of,
    kernel_weights,
    smoothed,
)
from halfwidth.arithmetic.logistic import Fitted
from halfwidth.arithmetic.logistic_fits import Regression, regressions
from halfwidth.arithmetic.probabilities import clipped
from halfwidth.core.forms import LogisticFit, PairedCases
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.resampling.designs import Design
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form
from halfwidth.resampling.noise.deviations import coupling, root, standard_draws, units_of
from halfwidth.resampling.noise.noisy_samples import NoisySamples

# So many of the cases, at even ranks of their probabilities, stand for all of them.
MOST_POINTS = 101
# Points times classes, of vectors.
MOST_COMPONENTS = 303
# Doublings and halvings that find a scale to a ten thousandth.
DOUBLINGS, HALVINGS = 10, 14
# Elements of a temporary.
AT_ONCE = 2**19


@frozen(eq=False)
class Gaps:
    """Distances of one curve at some points, and the noise in them."""

    # `taken(sizes, weights)`, (..., m) -> (...), of the distances
    taken: Callable[[Array, Array], Array]
    gaps: Array  # (m,): observed; NaN where there is no curve
    weights: Array  # (m,): cases that a point stands for
    # (K, m): their products with standard draws are the noise where the curve is the diagonal, and
    # where it is as fitted
    perfect: Array
    noise: Array
    draws: Array  # (B, K)
    # Whether an average of the distances is taken, or another summary of them
    averaged: bool = True
    # (m,): distances that smoothing alone makes, which are there without noise where what is
    # foreseen is right
    base: Array | float = 0.0
    # (m,). What smoothing adds to such gaps as are observed; mostly it takes from them. It counts
    # for even ones.
    lost: Array | float = 0.0

    def _taken(self, gaps: Array) -> Array:
        return self.taken(np.abs(gaps), self.weights)

    def _blocks(self) -> Iterator[Array]:
        """Draws, so many that a temporary stays small."""
        step = max(AT_ONCE // len(self.gaps), 1)
        return (self.draws[start : start + step] for start in range(0, len(self.draws), step))

    def perfect_sizes(self) -> Array:
        """Size of each draw where the curve is the diagonal, (B,)."""
        return np.concatenate(
            [self._taken(self.base + drawn @ self.perfect) for drawn in self._blocks()]
        )

    def replicates(self) -> Array:
        """Size of each draw where the true distances are those observed, (B,)."""
        seen = self.base + self.gaps + self.lost
        sizes = [self._taken(seen + drawn @ self.noise) for drawn in self._blocks()]
        return np.concatenate(sizes)

    def apart(self, other: Gaps) -> Array:
        """Distance of this curve from that of another model, (B,): on average, or at most."""
        if not np.array_equal(self.weights, other.weights):
            return np.ones(len(self.draws))

        def taken(gaps: Array) -> Array:
            sizes = np.abs(gaps)
            mean = sizes @ self.weights / self.weights.sum()
            return np.asarray(mean if self.averaged else sizes.max(axis=-1))

        kinds = (self.perfect, other.perfect), (self.noise, other.noise)
        noises = (self.draws @ own - other.draws @ its for own, its in kinds)
        most = np.max([taken(noise) for noise in noises], axis=0)
        return np.asarray(taken(self.gaps - other.gaps) + most)

    def true_sizes(self, observed: float, *, even: bool) -> Array:
        """The largest at which a draw gives no more than was observed, (B,)."""
        if not np.isfinite(self.gaps).all():
            return np.full(len(self.draws), np.nan)
        gaps = self.gaps
        if even:
            gaps = np.copysign(np.hypot(gaps, np.sqrt((self.noise**2).sum(axis=0))), gaps)
        total = float(self._taken(gaps))
        if not (total > 0 and observed > 0):
            return np.zeros(len(self.draws))
        # Gaps that are mostly noise would seem to lose most of what they are.
        seen = (gaps + self.lost if even else gaps) * (observed / total)
        scales = [self._scales(drawn, seen, observed) for drawn in self._blocks()]
        return np.concatenate(scales) * observed

    def _scales(self, drawn: Array, seen: Array, observed: float) -> Array:
        """The largest multiples of true distances that are observed with noise of either kind."""
        perfect, noise = drawn @ self.perfect, drawn @ self.noise
        beyond = self._taken(self.base + seen + noise) <= observed
        base = self.base + np.where(beyond[:, None], noise, perfect)
        slope = np.where(beyond[:, None], seen, seen + noise - perfect)

        def fits(scale: Array) -> NDArray[np.bool_]:
            return np.asarray(self._taken(base + scale[:, None] * slope) <= observed)

        low, high = beyond.astype(float), np.where(beyond, 2.0, 1.0)
        for _ in range(DOUBLINGS):
            more = np.asarray(beyond & fits(high))
            if not more.any():
                break
            low, high = np.where(more, high, low), np.where(more, 2 * high, high)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            below = fits(middle)
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return low


def curve_gaps(
    records: Array, design: Design, statistic: Statistic, plan: Plan
) -> NoisySamples[Gaps]:
    """Distances of the curves of samples, (S, k, n), each in the canonical order of the design."""
    # The noise is that of the coefficients by the information of their likelihood; of clusters,
    # strata and weights by the robust covariance.
    form = declared_form(statistic, LogisticFit)
    gaps = []
    for one in regressions(form, records):
        draws = standard_draws(plan, one.terms.shape[-2], design)
        gaps.append(_gaps_of(one, design, draws))
    return NoisySamples(statistic(records), tuple(gaps))


def paired_curve_gaps(
    pairs: Array, design: Design, statistic: Statistic
) -> tuple[NoisySamples[Gaps], NoisySamples[Gaps], list[Array]]:
    """Gaps of two models, (S, 2, k, n), without draws, with couplings; as `paired_deviations`."""
    form = declared_form(statistic, LogisticFit)
    sides: tuple[list[Gaps], list[Gaps]] = ([], [])
    couplings = []
    for pair in pairs:
        fits = list(regressions(form, pair))
        for curves, one in zip(sides, fits, strict=True):
            curves.append(_gaps_of(one, design, np.empty((0, 0))))
        couplings.append(coupling(*(_units(one, design) for one in fits)))
    first, second = (
        NoisySamples(statistic(pairs[:, side]), tuple(curves)) for side, curves in enumerate(sides)
    )
    return first, second, couplings


def _units(one: Regression, design: Design) -> Array:
    """What each unit adds to the noise of the coefficients, (K, U)."""
    return np.asarray(one.fitted.covariance @ units_of(one.scores(), design))


def _gaps_of(one: Regression, design: Design, draws: Array) -> Gaps:
    order = np.argsort(one.p, kind="stable")
    ranks = np.linspace(0, len(order) - 1, min(MOST_POINTS, len(order)))
    points = order[np.round(ranks).astype(np.intp)]
    terms, p, mean = one.terms[:, points], one.p[points], one.means[points]
    said = clipped(one.p)
    calibrated = Fitted(
        one.fitted.coefficients, (one.terms * one.weights * said * (1 - said)) @ one.terms.T
    )
    robust = not design.independent or one.form.weighted
    covariance = one.fitted.covariance
    perfect = calibrated.covariance
    if robust:
        units = _units(one, design)
        spread = units @ units.T
        # What clusters and weights add to the noise, where the curve is the diagonal too.
        with np.errstate(invalid="ignore", divide="ignore"):
            added = np.trace(spread @ one.fitted.information) / len(covariance)
        perfect, covariance = perfect * max(added, 1.0), spread
    if one.form.gaps is None:
        raise TypeError("a coefficient is no distance")
    return Gaps(
        one.form.gaps,
        mean - p,
        one.weights[points],
        _root(perfect) @ (terms * p * (1 - p)),
        _root(covariance) @ (terms * mean * (1 - mean)),
        draws,
        averaged=one.form.mean_gap,
    )


def kernel_gaps(
    records: Array, design: Design, statistic: Statistic, plan: Plan
) -> NoisySamples[Gaps]:
    """Distances of smoothed outcomes from the probabilities, of samples of independent cases."""
    form = declared_form(statistic, PairedCases)
    return NoisySamples(
        statistic(records) ** (1 / form.power),
        tuple(_smoothed_of(one, form, design, plan) for one in records),
    )


def _smoothed_of(records: Array, form: PairedCases, design: Design, plan: Plan) -> Gaps:
    """Gaps of every class of a vector one after the other; of one class its own alone."""
    p, y = cases_of(*form.cases(records))
    classes = 1 if form.classes is None else form.classes
    bandwidth = bandwidth_of(p, dict(form.parameters).get("bandwidth"))
    both, roughness = smoothed(p, np.concatenate([y, y - p]), bandwidth)
    shares, gaps = np.split(both, 2)
    # Shares of few outcomes are too close to 0 and 1, and would leave too little noise.
    shares += roughness * (p - shares)
    points = evenly(p.shape[-1], max(min(MOST_POINTS, MOST_COMPONENTS // classes), 2))
    around = kernel_weights(p, points, bandwidth)
    p, shares, gaps = p[:classes], shares[:classes], gaps[:classes]

    def root_of(foreseen: Array) -> Array:
        """Root of the covariance of what is smoothed, where outcomes have these probabilities."""
        return _root(
            np.block(
                [
                    [
                        (around * (foreseen[a] * ((a == b) - foreseen[b]))) @ around.T
                        for b in range(classes)
                    ]
                    for a in range(classes)
                ]
            )
        )

    return Gaps(
        functools.partial(_summed_over_classes, classes, form.power),
        gaps[:, points].ravel(),
        np.ones(len(points)),
        root_of(p),
        root_of(shares),
        standard_draws(plan, len(points) * classes, design),
        base=(p @ around.T - p[:, points]).ravel(),
        lost=(gaps @ around.T - gaps[:, points]).ravel(),
    )


def _summed_over_classes(classes: int, power: float, sizes: Array, weights: Array) -> Array:
    summed = (sizes**power).reshape(*sizes.shape[:-1], classes, -1).sum(axis=-2)
    return np.asarray(((summed * weights).sum(axis=-1) / weights.sum()) ** (1 / power))


def _root(covariance: Array) -> Array:
    """A symmetric square root; zeros where it is unknown."""
    return root(np.where(np.isfinite(covariance).all(), covariance, 0.0))
