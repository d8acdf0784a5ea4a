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

from halfwidth.core.forms import LogisticFit, PairedCases
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.metrics.calibration.fits import Regression, regressions
from halfwidth.metrics.calibration.kernel_cases import evenly
from halfwidth.metrics.calibration.kernel_curve import (
    bandwidth_of,
    cases_of,
    kernel_weights,
    smoothed,
)
from halfwidth.metrics.calibration.logistic import Fitted
from halfwidth.resampling.designs import Design
from halfwidth.resampling.deviations import standard_draws
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form

# So many of the cases, at even ranks of their probabilities, stand for all of them.
MOST_POINTS = 101
# Points times classes, of vectors.
MOST_COMPONENTS = 303
# Doublings and halvings that find a scale to a ten thousandth.
DOUBLINGS, HALVINGS = 10, 14
# Elements of a temporary.
AT_ONCE = 2**19


@frozen(eq=False)
class CurveGaps:
    """Distances of curves from the probabilities, of a batch of samples; as `Deviations`.

    Attributes
    ----------
    size : ndarray, shape (S,)
        What is taken of them in each sample.
    curves : tuple of Gaps
    """

    size: Array
    curves: tuple[Gaps, ...]

    @property
    def n_resamples(self) -> int:
        """Draws of the noise."""
        return len(self.curves[0].draws)

    @property
    def n_undefined(self) -> NDArray[np.intp]:
        """None of them."""
        return np.zeros(len(self.curves), dtype=np.intp)

    def quantile(self, probability: Array | float) -> Array:
        """That of the size of what is observed, if the true distances are those observed."""
        return np.asarray(np.quantile(self._replicates, probability, axis=-1))

    def standard_deviation(self) -> Array:
        """The SD of the same."""
        return np.asarray(self._replicates.std(axis=-1, ddof=1))

    @functools.cached_property
    def perfect_sizes(self) -> Array:
        """Of draws where the curve is the diagonal, (S, B)."""
        return np.stack([one.sizes(0.0) for one in self.curves])

    @functools.cached_property
    def _replicates(self) -> Array:
        return np.stack([one.sizes(1.0) for one in self.curves])

    def true_sizes(self, observed: Array, *, even: bool) -> Array:
        """The largest true sizes at which each draw of the noise gives no more than was observed.

        Parameters
        ----------
        observed : ndarray, shape (S,)
        even : bool
            As of `Deviations`.

        Returns
        -------
        ndarray, shape (S, B)
        """
        return np.stack(
            [one.true_sizes(float(at), even) for one, at in zip(self.curves, observed, strict=True)]
        )


@frozen(eq=False)
class Gaps:
    """Distances of one curve at some points, and the noise in them.

    Attributes
    ----------
    taken : callable
        ``taken(sizes, weights)``, (..., m) -> (...), of the distances.
    gaps : ndarray, shape (m,)
        Observed; NaN where there is no curve.
    weights : ndarray, shape (m,)
        Cases that a point stands for.
    perfect, noise : ndarray, shape (K, m)
        Their products with standard draws are the noise where the curve is the diagonal, and
        where it is as fitted.
    draws : ndarray, shape (B, K)
    base : ndarray, shape (m,), or 0
        Distances that smoothing alone makes, which are there without noise where what is foreseen
        is right.
    lost : ndarray, shape (m,), or 0
        What smoothing adds to such gaps as are observed; mostly it takes from them. It counts for
        even ones.
    """

    taken: Callable[[Array, Array], Array]
    gaps: Array
    weights: Array
    perfect: Array
    noise: Array
    draws: Array
    base: Array | float = 0.0
    lost: Array | float = 0.0

    def _taken(self, gaps: Array) -> Array:
        return self.taken(np.abs(gaps), self.weights)

    def sizes(self, scale: float) -> Array:
        """Of each draw, with true distances ``scale`` times those observed, (B,).

        The noise goes from the one kind to the other as the scale goes from 0 to 1.
        """
        made = [
            self._sizes_at(np.full(len(perfect), scale), self.gaps + self.lost, perfect, noise)
            for perfect, noise in self._noise()
        ]
        return np.concatenate(made)

    def _noise(self) -> Iterator[tuple[Array, Array]]:
        """Of either kind, block by block of draws."""
        step = max(AT_ONCE // len(self.gaps), 1)
        for start in range(0, len(self.draws), step):
            drawn = self.draws[start : start + step]
            yield drawn @ self.perfect, drawn @ self.noise

    def _sizes_at(self, scales: Array, seen: Array, perfect: Array, noise: Array) -> Array:
        """With ``scales`` times what is seen of true distances, (B,)."""
        fitted = np.clip(scales, 0.0, 1.0)[:, None]
        noise = (1 - fitted) * perfect + fitted * noise
        return self._taken(self.base + scales[:, None] * seen + noise)

    def true_sizes(self, observed: float, even: bool) -> Array:
        """Those of `CurveGaps`, of this curve, (B,)."""
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
        return observed * np.concatenate(
            [self._scales(observed, seen, perfect, noise) for perfect, noise in self._noise()]
        )

    def _scales(self, observed: float, seen: Array, perfect: Array, noise: Array) -> Array:
        """The largest at which draws of the noise give no more than was observed, (B,)."""
        high = np.ones(len(noise))
        for _ in range(DOUBLINGS):
            below = self._sizes_at(high, seen, perfect, noise) <= observed
            if not below.any():
                break
            high = np.where(below, 2 * high, high)
        low = np.zeros(len(high))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            below = self._sizes_at(middle, seen, perfect, noise) <= observed
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return low


def curve_gaps(records: Array, design: Design, statistic: Statistic, plan: Plan) -> CurveGaps:
    """Distances of the curves of samples, (S, k, n), each in the canonical order of the design.

    The noise is that of the coefficients by the information of their likelihood; of clusters,
    strata and weights by the robust covariance.
    """
    form = declared_form(statistic, LogisticFit)
    made = [_gaps_of(one, design, plan) for one in regressions(form, records)]
    return CurveGaps(statistic(records), tuple(made))


def _gaps_of(one: Regression, design: Design, plan: Plan) -> Gaps:
    order = np.argsort(one.p, kind="stable")
    ranks = np.linspace(0, len(order) - 1, min(MOST_POINTS, len(order)))
    points = order[np.round(ranks).astype(np.intp)]
    terms, p, mean = one.terms[:, points], one.p[points], one.means[points]
    calibrated = Fitted(
        one.fitted.coefficients, (one.terms * one.weights * one.p * (1 - one.p)) @ one.terms.T
    )
    robust = not design.independent or one.form.weighted
    covariance = one.fitted.covariance
    perfect = calibrated.covariance
    if robust:
        units = design.totals(one.scores())
        centred = units - design.stratum_means(units)
        counts = np.array(design.strata, float)
        factor = np.repeat(counts / np.maximum(counts - 1, 1), design.strata)
        spread = covariance @ ((centred * factor) @ centred.T) @ covariance
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
        standard_draws(plan, len(terms), design),
    )


def kernel_gaps(records: Array, design: Design, statistic: Statistic, plan: Plan) -> CurveGaps:
    """Distances of smoothed outcomes from the probabilities, of samples of independent cases."""
    form = declared_form(statistic, PairedCases)
    return CurveGaps(
        statistic(records), tuple(_smoothed_of(one, form, design, plan) for one in records)
    )


def _smoothed_of(records: Array, form: PairedCases, design: Design, plan: Plan) -> Gaps:
    """Of every class of a vector one after the other; of one class its own alone."""
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

    def root(foreseen: Array) -> Array:
        """Of the covariance of what is smoothed, where outcomes have these probabilities."""
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
        functools.partial(_summed_over_classes, classes),
        gaps[:, points].ravel(),
        np.ones(len(points)),
        root(p),
        root(shares),
        standard_draws(plan, len(points) * classes, design),
        (p @ around.T - p[:, points]).ravel(),
        (gaps @ around.T - gaps[:, points]).ravel(),
    )


def _summed_over_classes(classes: int, sizes: Array, weights: Array) -> Array:
    summed = sizes.reshape(*sizes.shape[:-1], classes, -1).sum(axis=-2)
    return np.asarray((summed * weights).sum(axis=-1) / weights.sum())


def _root(covariance: Array) -> Array:
    """A symmetric square root; zeros where it is unknown."""
    known = np.where(np.isfinite(covariance).all(), covariance, 0.0)
    values, vectors = np.linalg.eigh(known)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
