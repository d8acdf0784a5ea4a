"""Logistic fits to test sets: the value that a metric is, its influences and its standard error."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.arithmetic.logistic import Fitted, expit, fit_logistic
from halfwidth.arithmetic.probabilities import as_outcomes
from halfwidth.core.forms import LogisticFit
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

# Numbers of the largest test set whose fit is kept until the next one.
MOST_KEPT = 2**16


@frozen(eq=False)
class Regression:
    """What a form regresses on what, in one test set."""

    form: LogisticFit  # With its parameters bound to its terms
    p: Array  # (..., n), as the next two are
    outcomes: Array
    weights: Array
    terms: Array  # (..., K, n)
    offset: Array | float  # (..., n)

    @functools.cached_property
    def fitted(self) -> Fitted:
        """The fit to the cases as they are."""
        return fit_logistic(self.terms, self.outcomes, self.weights, self.offset)

    @functools.cached_property
    def means(self) -> Array:
        """Fitted probabilities, (..., n)."""
        return expit(self.offset + _linear(self.fitted.coefficients, self.terms))

    def value(self, coefficients: Array, weights: Array) -> Array:
        """What the form takes of fits of one test set, (..., K) and (..., n) -> (...)."""
        if self.form.gaps is None:
            return np.asarray(coefficients[..., self.form.coefficient])
        known = np.asarray(np.isfinite(coefficients).all(axis=-1, keepdims=True))
        sizes = np.abs(expit(self.offset + coefficients @ self.terms) - self.p)
        taken = self.form.gaps(np.where(known, sizes, 0.0), weights)
        return np.where(known[..., 0], taken, np.nan)

    def scores(self) -> Array:
        """What each case adds to the gradient, (..., K, n), which is 0 in all."""
        return (self.weights * (self.outcomes - self.means))[..., None, :] * self.terms

    def gradient(self) -> Array:
        """Derivatives of what the form takes by the coefficients, (..., K)."""
        if self.form.gaps is None:
            slopes = np.zeros(self.fitted.coefficients.shape)
            slopes[..., self.form.coefficient] = 1.0
            return slopes
        side = np.sign(self.means - self.p) * self.means * (1 - self.means) * self.weights
        return np.asarray((self.terms @ side[..., None])[..., 0] / self.weights.sum(-1)[..., None])

    def influence(self) -> Array:
        """Influence of each case: n times what the value changes with its weight, (..., n)."""
        n = self.p.shape[-1]
        slopes = self.gradient()[..., None, :] @ self.fitted.covariance
        through = np.asarray(n * (slopes @ self.scores())[..., 0, :])
        if self.form.gaps is None:
            return through
        gaps = np.abs(self.means - self.p)
        total = self.weights.sum(axis=-1, keepdims=True)
        mean = (gaps * self.weights).sum(axis=-1, keepdims=True) / total
        return np.asarray(through + n * self.weights * (gaps - mean) / total)

    def model_error(self) -> Array:
        """SE of a coefficient by the inverse of the information, (...)."""
        place = self.form.coefficient
        return np.asarray(np.sqrt(self.fitted.covariance[..., place, place]))


def regression(form: LogisticFit, records: Array) -> Regression:
    """Fit the probability, the outcome and maybe the weight of each case, (..., k, n)."""
    p, outcomes = records[..., 0, :], records[..., 1, :]
    weights = records[..., 2, :] if form.weighted else np.ones(p.shape)
    offset = 0.0 if form.offset is None else form.offset(p)
    terms = form.terms(p) if form.gaps is None else form.terms(p, weights)
    return Regression(form, p, outcomes, weights, terms, offset)


@functools.lru_cache(maxsize=1)
def _kept(form: LogisticFit, shape: tuple[int, ...], stored: bytes) -> Regression:
    """The last one: checks, the value and its errors ask for the same fit, one after the other."""
    return regression(form, np.frombuffer(stored).reshape(shape))


def _linear(coefficients: Array, terms: Array) -> Array:
    return np.asarray((coefficients[..., None, :] @ terms)[..., 0, :])


def regressions(form: LogisticFit, records: Array) -> Iterator[Regression]:
    """Fit test sets (S, k, n): at once, or one by one where their terms may differ in number."""
    if form.gaps is None:
        kept = records.size <= MOST_KEPT and records.dtype == float
        yield _kept(form, records.shape, records.tobytes()) if kept else regression(form, records)
        return
    for one in records:
        yield regression(form, one)


def values_of_fits(form: LogisticFit, records: Array, *, axis: int = -1) -> Array:
    """The metric of each test set, (..., k, n) -> (...)."""
    last = np.moveaxis(records, axis, -1)
    flat = last.reshape(-1, *last.shape[-2:])
    parts = []
    for one in regressions(form, flat):
        coefficients = one.fitted.coefficients
        parts.append(np.atleast_1d(one.value(coefficients, one.weights)))
    return np.concatenate(parts).reshape(last.shape[:-2])


def influences_of_fits(form: LogisticFit, records: Array) -> Array:
    """Influence of each case of each test set, (..., k, n) -> (..., n)."""
    flat = records.reshape(-1, *records.shape[-2:])
    parts = [np.atleast_2d(one.influence()) for one in regressions(form, flat)]
    return np.concatenate(parts).reshape(*records.shape[:-2], records.shape[-1])


def value_of_fit(
    form: LogisticFit,
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None = None,
    **parameters: float,
) -> float:
    """A metric that is of a logistic fit, of one test set; NaN where there is no fit."""
    records = np.stack(as_outcomes(y_true, y_prob, sample_weight))
    if not records.shape[-1]:
        return math.nan
    return float(values_of_fits(bound_form(form, parameters, weighted=True), records))


def bound_form(form: LogisticFit, parameters: dict[str, float], *, weighted: bool) -> LogisticFit:
    """A form whose terms have their parameters."""
    terms = functools.partial(form.terms, **parameters) if parameters else form.terms
    return replace(form, terms=terms, weighted=weighted)
