"""Populations of test sets: logits of a classifier with the labels of the cases (andre2025)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfwidth.core.checks import one_of
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array
from halfwidth.study.populations.base import Truth, between_blocks
from halfwidth.study.populations.empirical import ImagePopulation

Exponent = Literal["d+4", "5"]
Labels = NDArray[np.intp]

# Kinds of populations that are their own cases.
EMPIRICAL = ("logit_empirical", "image_empirical")
# Directions whose variance is a smaller share of the largest are rounding, not spread.
NO_SPREAD = 1e-10
# Records made at once, and numbers held at once by the pilot: both fit the cache.
RECORDS = 2**13
CELLS = 2**18


@frozen(eq=False)
class LogitPopulation:
    """Draws a case with its label, and moves its logits by a kernel.

    Attributes
    ----------
    kind : {"logit_kde", "logit_empirical"}
    logits : ndarray, shape (C, n)
        One row for each class, one column for each case.
    labels : ndarray of int, shape (n,)
        The class of each case, 0 .. C - 1.
    widths : ndarray, shape (n,)
        The kernel of a case is spread by this factor; 0 without kernels.
    root : ndarray, shape (C, r)
        A square root of the covariance matrix of the logits: Σ = root·rootᵀ, of rank r.
    calibration : tuple of float or None
        Intercept and slope of the model. Classes are then drawn anew, with the softmax of the
        logits for their probabilities, and the model says that of (logits - intercept) / slope.
        None: a label stays with its case, and the model says the softmax.
    """

    kind: str
    logits: Array
    labels: Labels
    widths: Array
    root: Array
    calibration: tuple[float, float] | None = None

    @property
    def n_classes(self) -> int:
        """The number of classes, C."""
        return len(self.logits)

    @property
    def classes(self) -> Labels:
        """The codes of the classes, 0 .. C - 1."""
        return np.arange(self.n_classes)

    @property
    def class_shares(self) -> Array:
        """The share of cases of each class: its prevalence in every sample drawn."""
        return np.bincount(self.labels, minlength=self.n_classes) / len(self.labels)

    def draw(self, generator: np.random.Generator, samples: int, n: int) -> Array:
        """Independent test sets, shape ``(samples, C + 1, n)``.

        Rows 0 .. C - 1 are the softmax probabilities of the classes, row C is the label's code.
        """
        drawn = np.empty((samples, self.n_classes + 1, n))
        together = max(1, RECORDS // max(1, n))
        for start in range(0, samples, together):
            block = drawn[start : start + together]
            logits, labels = self._draw_logits(generator, len(block) * n)
            if self.calibration is not None:
                up_to = np.cumsum(_softmax(logits.copy())[:-1], axis=0)
                labels = (generator.random(len(labels)) >= up_to).sum(axis=0)
            probabilities = self._said(logits).reshape(self.n_classes, len(block), n)
            block[:, :-1] = probabilities.transpose(1, 0, 2)
            block[:, -1] = labels.reshape(len(block), n)
        return drawn

    def draw_expected(self, generator: np.random.Generator, n: int) -> Array:
        """Independent cases, each of every class with its probability for a weight.

        What is computed of them has no noise of outcomes. Only where classes are drawn anew, so
        that these probabilities are known.

        Returns
        -------
        ndarray, shape ``(1, C + 2, C n)``
            As `draw`, and a row of weights. All cases are of the first class, then of the next.
        """
        logits, _ = self._draw_logits(generator, n)
        weights = _softmax(logits.copy()).ravel()
        said = np.tile(self._said(logits), self.n_classes)
        return np.vstack([said, np.repeat(self.classes, n), weights])[None]

    def cases(self) -> Array:
        """The original cases in the format of `draw`, shape ``(C + 1, n)``."""
        return np.vstack([self._said(self.logits.copy()), self.labels])

    def _draw_logits(self, generator: np.random.Generator, n: int) -> tuple[Array, Labels]:
        """Logits (C, n) of cases drawn, with the labels of the original ones."""
        case = generator.integers(len(self.labels), size=n)
        logits = self.logits.take(case, axis=1, mode="clip")
        if self.root.shape[1]:
            logits += self._kernels(generator, case)
        return logits, self.labels.take(case)

    def _said(self, logits: Array) -> Array:
        """The probabilities that the model says, in place of the logits."""
        if self.calibration is not None:
            intercept, slope = self.calibration
            logits[-1] -= intercept
            logits /= slope
        return _softmax(logits)

    def _kernels(self, generator: np.random.Generator, case: Labels) -> Array:
        """What the kernels add, shape (C, len(case)).

        With d normals z and an independent χ² of 4 degrees of freedom, z/√(|z|² + χ²) has a
        uniform direction and a squared radius that is Beta(d/2, 2): Epanechnikov's kernel.
        """
        normals = generator.standard_normal((self.root.shape[1], len(case)))
        rest = generator.standard_exponential((2, len(case)))
        length = np.einsum("ij,ij->j", normals, normals) + 2 * (rest[0] + rest[1])
        normals *= self.widths.take(case, mode="clip") / np.sqrt(length)
        return self.root @ normals

    @cached_property
    def _standardised(self) -> Array:
        """Σ^(-1/2)(X - mean), Σ with divisor n; directions without spread are left at 0."""
        centred = self.logits - self.logits.mean(axis=1, keepdims=True)
        values, vectors = _spread(centred @ centred.T / centred.shape[1])
        return np.asarray((vectors / np.sqrt(values)) @ (vectors.T @ centred))

    @property
    def rank(self) -> int:
        """Rank of the covariance matrix of the logits: the number of directions with spread, d."""
        # E |Y|² of standardised logits is the number of directions that they are spread in.
        return round(float((self._standardised**2).sum(axis=0).mean()))

    @property
    def skewness(self) -> float:
        """|E |Y|² Y| of the standardised logits of the cases (Móri, Rohatgi and Székely 1994)."""
        y = self._standardised
        return float(np.linalg.norm((y * (y**2).sum(axis=0)).mean(axis=1)))

    @property
    def skewness_of_sum(self) -> float:
        """E (Σᵢ Yᵢ)³ of the standardised logits, as andre2025 prints it; depends on the basis."""
        return float((self._standardised.sum(axis=0) ** 3).mean())

    @property
    def kurtosis(self) -> float:
        """E |Y|⁴ of the standardised logits of the cases, d(d + 2) for a normal of rank d."""
        return float(((self._standardised**2).sum(axis=0) ** 2).mean())


def logit_kde(
    logits: ArrayLike, labels: ArrayLike, *, exponent: Exponent = "d+4"
) -> LogitPopulation:
    """The adaptive multivariate KDE of the logits of a test set; a label stays with its case.

    With Σ the covariance matrix of the logits, d its rank and K(x) ∝ 1 - |x|² on the unit ball,
    the kernel on case i is that of xᵢ + h λᵢ Σ^(1/2) Z, Z ~ K: Z has a uniform direction and a
    squared radius that is Beta(d/2, 2). h = 1.06 n^(-1/(d + 4)), λᵢ = (f̃(xᵢ)/g)^(-1/2), f̃ the
    pilot density with λ = 1 and log g its mean logarithm.

    Logits may have fewer dimensions than classes, as those that add up to 0 do. Where Σ is
    singular (an eigenvalue below 1e-10 of the largest, as rounding leaves it), kernel and pilot
    live in the subspace with spread, and d is its dimension. Without any, cases keep their logits.

    Parameters
    ----------
    logits : array-like, shape (C, n)
        One row for each class, at least two; finite. Logarithms of probabilities will do, for a
        softmax gives the probabilities back.
    labels : array-like of int, shape (n,)
        The class of each case, 0 .. C - 1.
    exponent : {"d+4", "5"}
        The bandwidth shrinks as n^(-1/(d + 4)), as in the code behind andre2025, or as n^(-1/5)
        whatever d is, as printed there.

    Returns
    -------
    LogitPopulation

    Raises
    ------
    DataError
        For other shapes, labels that are no classes, fewer than two cases, and logits that are not
        finite, -∞ (a probability of 0) among them.
    OptionError
        For another exponent.

    References
    ----------
    André et al. (2025), supplement S4; Wilcox (2012).

    Examples
    --------
    >>> population = logit_kde([[2.0, 0.5, -1.0], [0.0, 0.0, 0.0]], [0, 1, 1])
    >>> population.draw(np.random.default_rng(0), 4, 10).shape
    (4, 3, 10)
    """
    one_of("exponent", exponent, get_args(Exponent))
    rows, codes = _checked(logits, labels, least=2)
    _check_finite(rows)
    n = rows.shape[1]
    centred = rows - rows.mean(axis=1, keepdims=True)
    values, vectors = _spread(centred @ centred.T / (n - 1))
    rank = len(values)
    width = 1.06 * n ** (-1 / (rank + 4 if exponent == "d+4" else 5))
    whitened = (vectors.T @ centred) / np.sqrt(values)[:, None]
    log_density = np.log(_kernels_at_cases(whitened, width)) if rank else np.zeros(n)
    widths = width * np.exp((log_density.mean() - log_density) / 2)
    return LogitPopulation("logit_kde", rows, codes, widths, vectors * np.sqrt(values))


def logit_empirical(logits: ArrayLike, labels: ArrayLike) -> LogitPopulation:
    """The empirical distribution of a test set: its cases, each with the same mass.

    Parameters
    ----------
    logits : array-like, shape (C, n)
        One row for each class, at least two. -∞ is the logarithm of a probability of 0.
    labels : array-like of int, shape (n,)
        The class of each case, 0 .. C - 1.

    Returns
    -------
    LogitPopulation

    Raises
    ------
    DataError
        As `logit_kde`, but for -∞, unless all logits of a case are -∞.

    Examples
    --------
    >>> population = logit_empirical([[2.0, 0.5, -1.0], [0.0, 0.0, 0.0]], [0, 1, 1])
    >>> population.class_shares.round(3).tolist()
    [0.333, 0.667]
    """
    rows, codes = _checked(logits, labels, least=1)
    classes, n = rows.shape
    return LogitPopulation("logit_empirical", rows, codes, np.zeros(n), np.zeros((classes, 0)))


def truth_of_metric(
    population: LogitPopulation | ImagePopulation,
    reduce: Callable[[Array], Array],
    generator: np.random.Generator,
    *,
    draws: int = 10**6,
    blocks: int = 20,
) -> Truth:
    """The value of a sample-level metric in a population.

    That of an empirical distribution is the metric of its own cases; that of a KDE takes a large
    draw.

    Parameters
    ----------
    population : LogitPopulation or ImagePopulation
    reduce : callable
        The metric of each test set of a batch, ``(B, C + 1, N) -> (B,)``; here B = 1.
    generator : numpy.random.Generator
    draws : int, default 1 000 000
        Cases of all test sets together.
    blocks : int, default 20
        Independent test sets, between which the standard error is seen.

    Returns
    -------
    Truth
        The mean of the metric over the test sets. Of so large ones it is as good as its limit.

    Raises
    ------
    OptionError
        For fewer than two blocks, or too few draws for them.

    Examples
    --------
    >>> population = logit_empirical([[2.0, 0.5, -1.0], [0.0, 0.0, 0.0]], [0, 1, 1])
    >>> def accuracy(records):
    ...     return (records[:, :-1].argmax(axis=1) == records[:, -1]).mean(axis=-1)
    >>> truth_of_metric(population, accuracy, np.random.default_rng(0)).value
    0.6666666666666666
    """
    if population.kind in EMPIRICAL:
        return Truth(float(reduce(population.cases()[None])[0]), 0.0, "formula")
    return between_blocks(
        lambda n: reduce(population.draw(generator, 1, n)), draws=draws, blocks=blocks
    )


# --------------------------------------------------------------------------- parts


def _check_finite(rows: Array) -> None:
    infinite = np.flatnonzero(~np.isfinite(rows).all(axis=0))
    if len(infinite):
        raise DataError(
            f"a KDE needs finite logits; {len(infinite)} of {rows.shape[1]} cases have an infinite "
            f"one (the logarithm of a probability of 0), the first at position {infinite[0]}: give "
            "the model's own logits, or use logit_empirical"
        )


def _checked(logits: ArrayLike, labels: ArrayLike, *, least: int) -> tuple[Array, Labels]:
    """Logits and labels as arrays, or an error that says what is wrong with them."""
    try:
        rows = np.array(logits, dtype=float)
    except (TypeError, ValueError):
        raise DataError("logits need numbers, a row for each class") from None
    if rows.ndim != 2 or len(rows) < 2:
        raise DataError(
            f"logits need shape (classes, cases) with at least 2 classes, got {rows.shape}"
        )
    codes = np.asarray(labels)
    if codes.shape != rows.shape[1:]:
        raise DataError(
            f"labels need one code for each of {rows.shape[1]} cases, got shape {codes.shape}"
        )
    if len(codes) < least:
        cases = "case" if least == 1 else "cases"
        raise DataError(f"a population needs at least {least} {cases}, got {len(codes)}")
    if not np.issubdtype(codes.dtype, np.integer) or codes.min() < 0 or codes.max() >= len(rows):
        raise DataError(
            f"labels are the integers from 0 to {len(rows) - 1}, one for each row of logits; got "
            f"{codes.dtype} from {codes.min()} to {codes.max()}"
        )
    bad = np.flatnonzero(
        (np.isnan(rows) | (rows == np.inf)).any(axis=0) | (rows.max(axis=0) == -np.inf)
    )
    if len(bad):
        raise DataError(
            f"logits are missing, ∞, or -∞ for all classes in {len(bad)} of {len(codes)} cases, "
            f"the first at position {bad[0]}: leave them out first"
        )
    return rows, codes.astype(np.intp)


def _spread(covariance: Array) -> tuple[Array, Array]:
    """Eigenvalues and vectors (C, r) of the directions in which there is spread."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > NO_SPREAD * max(values[-1], 0.0)
    return values[kept], vectors[:, kept]


def _softmax(logits: Array) -> Array:
    """Probabilities along the first axis, in place."""
    logits -= logits.max(axis=0)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=0)
    return logits


def _kernels_at_cases(points: Array, width: float) -> Array:
    """Σⱼ (1 - |xᵢ - xⱼ|²/width²)₊ at each case: the pilot density, unscaled.

    The cases are taken in the order of their last coordinate, so that only those at most a width
    away along it are compared.
    """
    order = np.argsort(points[-1])
    scaled = points[:, order] / width
    along = scaled[-1]
    n = len(along)
    rows = max(16, CELLS // n)
    sums = np.empty(n)
    for start in range(0, n, rows):
        block = scaled[:, start : start + rows]
        first = np.searchsorted(along, block[-1, 0] - 1)
        last = np.searchsorted(along, block[-1, -1] + 1, side="right")
        nearby = scaled[:, first:last]
        squares = np.zeros((block.shape[1], last - first))
        for coordinate, others in zip(block, nearby, strict=True):
            squares += (coordinate[:, None] - others) ** 2
        sums[order[start : start + rows]] = np.maximum(1 - squares, 0.0).sum(axis=1)
    return sums


# --------------------------------------------------------------------------- a known calibration


# From a temperature of 1 on it is halved at most so often.
MOST_DOUBLINGS = 500


def recalibrated(
    population: LogitPopulation, *, slope: float = 1.0, intercept: float = 0.0
) -> LogitPopulation:
    """Logits of a population with a calibration slope and intercept that are known.

    Logits are divided by the temperature that fits the labels best, Σᵢ log softmax(xᵢ/T) at its
    largest. Classes are drawn anew, with the softmax of what results for their probabilities. The
    model says the softmax of (xᵢ/T - intercept)/slope: with slope 1 and intercept 0 it is perfectly
    calibrated, below 1 too extreme.

    Parameters
    ----------
    population : LogitPopulation
        With finite logits.
    slope : float, default 1
        Above 0.
    intercept : float, default 0
        Of the second of two classes, joint with the slope.

    Returns
    -------
    LogitPopulation

    Raises
    ------
    OptionError
        For a slope that is not above 0, and an intercept of more than two classes.
    DataError
        Where no temperature fits best: logits that are infinite, that are no better than chance,
        or largest for the true class in every case.

    References
    ----------
    Guo et al. (2017) for the temperature.

    Examples
    --------
    >>> from halfwidth.study.populations import logit_empirical
    >>> population = logit_empirical([[2.0, 0.5, -1.0, 0.3], [0.0, 0.0, 0.0, 0.0]], [0, 1, 1, 0])
    >>> recalibrated(population, slope=0.5).calibration
    (0.0, 0.5)
    """
    if not (slope > 0 and math.isfinite(slope)):
        raise OptionError(f"slope={slope:g} is not above 0: 1 is that of a calibrated model")
    if not math.isfinite(intercept):
        raise OptionError(f"intercept={intercept:g} is no finite number")
    if intercept and population.n_classes > 2:
        raise OptionError(
            f"intercept={intercept:g} needs two classes, and there are "
            f"{population.n_classes}: leave it out, and vary the slope"
        )
    factor = _inverse_temperature(population.logits, population.labels)
    return replace(
        population,
        kind=f"{population.kind}_recalibrated",
        logits=factor * population.logits,
        root=factor * population.root,
        calibration=(float(intercept), float(slope)),
    )


def _inverse_temperature(logits: Array, labels: Labels) -> float:
    """1/T of the largest likelihood, the root of its derivative Σᵢ (x_true - Σₖ pₖxₖ)."""
    from scipy import optimize, special

    if not np.isfinite(logits).all():
        raise DataError(
            "recalibrated needs finite logits; some are infinite (logarithms of probabilities of 0)"
        )
    true_logits = logits[labels, np.arange(len(labels))]
    if (true_logits == logits.max(axis=0)).all():
        raise DataError(
            "the true class has the largest logit in every case, so that no temperature fits best: "
            "a population of known calibration needs errors"
        )

    def derivative(factor: float) -> float:
        return float(
            (true_logits - (special.softmax(factor * logits, axis=0) * logits).sum(0)).sum()
        )

    if not derivative(0.0) > 0:
        raise DataError(
            "the logits of true classes are no higher than those of others: no temperature "
            "calibrates them (are classes in the order of the columns?)"
        )
    above = next((2.0**k for k in range(MOST_DOUBLINGS) if derivative(2.0**k) <= 0), None)
    if above is None:
        raise DataError(
            f"no temperature from {2.0**-MOST_DOUBLINGS:.0e} on fits best: nowhere is the largest "
            "logit larger than that of the true class by more than next to nothing"
        )
    return float(optimize.brentq(derivative, 0.0, above, xtol=1e-14, rtol=1e-14))
