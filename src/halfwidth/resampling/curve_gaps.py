"""How far a calibration curve is from the probabilities, and the noise in that.

What `deviations` is for sums over bins, of the curve of a logistic regression: the distances of its
points are λ times those observed plus noise of the fitted coefficients.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import LogisticFit
from halfwidth.core.frozen import frozen
from halfwidth.core.spec import Statistic
from halfwidth.core.types import Array
from halfwidth.metrics.calibration.fits import Regression, regressions
from halfwidth.metrics.calibration.logistic import Fitted
from halfwidth.resampling.designs import Design
from halfwidth.resampling.deviations import standard_draws
from halfwidth.resampling.draws import Plan
from halfwidth.resampling.forms.contract import declared_form

# So many of the cases, at even ranks of their probabilities, stand for all of them.
MOST_POINTS = 101
# Doublings and halvings that find a scale to a ten thousandth.
DOUBLINGS, HALVINGS = 10, 14
# Elements of a temporary.
AT_ONCE = 2**16


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
        return self.curves[0].n_draws

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
        return np.stack([one.perfect_sizes() for one in self.curves])

    @functools.cached_property
    def _replicates(self) -> Array:
        return np.stack([one.replicates() for one in self.curves])

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
    form : LogisticFit
    gaps : ndarray, shape (m,)
        Observed; NaN where there is no curve.
    weights : ndarray, shape (m,)
        Cases that a point stands for.
    variance : ndarray, shape (m,)
        Of the noise where the curve is as fitted, to first order.
    perfect, noise : callable
        From rows of draws to the noise, (b, m), where the curve is the diagonal, and where it is as
        fitted.
    n_draws : int
    """

    form: LogisticFit
    gaps: Array
    weights: Array
    variance: Array
    perfect: Callable[[slice], Array]
    noise: Callable[[slice], Array]
    n_draws: int

    def _taken(self, gaps: Array) -> Array:
        if self.form.gaps is None:
            raise TypeError("a coefficient is no distance")
        return self.form.gaps(np.abs(gaps), self.weights)

    def _blocks(self) -> Iterator[slice]:
        step = max(AT_ONCE // len(self.gaps), 1)
        return (slice(start, start + step) for start in range(0, self.n_draws, step))

    def perfect_sizes(self) -> Array:
        """Of each draw where the curve is the diagonal, (B,)."""
        return np.concatenate([self._taken(self.perfect(rows)) for rows in self._blocks()])

    def replicates(self) -> Array:
        """Of each draw where the true distances are those observed, (B,)."""
        return np.concatenate(
            [self._taken(self.gaps + self.noise(rows)) for rows in self._blocks()]
        )

    def true_sizes(self, observed: float, even: bool) -> Array:
        """Those of `CurveGaps`, of this curve, (B,)."""
        if not np.isfinite(self.gaps).all():
            return np.full(self.n_draws, np.nan)
        gaps = self.gaps
        if even:
            gaps = np.copysign(np.hypot(gaps, np.sqrt(self.variance)), gaps)
        total = float(self._taken(gaps))
        if not (total > 0 and observed > 0):
            return np.zeros(self.n_draws)
        gaps = gaps * (observed / total)
        scales = [self._scales(rows, gaps, observed) for rows in self._blocks()]
        return np.concatenate(scales) * observed

    def _scales(self, rows: slice, gaps: Array, observed: float) -> Array:
        """The largest multiples of true distances that with the noise are no more than observed.

        The noise goes from the one kind to the other as the scale goes from 0 to 1.
        """
        perfect, noise = self.perfect(rows), self.noise(rows)
        beyond = self._taken(gaps + noise) <= observed
        base = np.where(beyond[:, None], noise, perfect)
        slope = np.where(beyond[:, None], gaps, gaps + noise - perfect)

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
    as_said = Fitted(
        one.fitted.coefficients, (one.terms * one.weights * one.p * (1 - one.p)) @ one.terms.T
    )
    robust = not design.independent or one.form.weighted
    covariance = one.fitted.covariance
    perfect = as_said.covariance
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
    draws = standard_draws(plan, len(terms), design)
    at_random, at_fit = _root(perfect), _root(covariance)
    noise = at_fit @ (terms * mean * (1 - mean))
    calibrated = at_random @ (terms * p * (1 - p))
    return Gaps(
        one.form,
        mean - p,
        one.weights[points],
        (noise**2).sum(axis=0),
        lambda rows: draws[rows] @ calibrated,
        lambda rows: draws[rows] @ noise,
        len(draws),
    )


def _root(covariance: Array) -> Array:
    """A symmetric square root; zeros where it is unknown."""
    known = np.where(np.isfinite(covariance).all(), covariance, 0.0)
    values, vectors = np.linalg.eigh(known)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
