"""Statistics that say how far outcomes are from what perfectly calibrated probabilities make.

Each is prepared once from ascending probabilities and their weights, and then takes many samples of
outcomes: those that were observed, and those drawn from the probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.arithmetic.kernel_products import bandwidth_of, sum_of_products
from halfwidth.arithmetic.logistic import STEEPEST, condensed, expit, fit_logistic
from halfwidth.arithmetic.probabilities import clipped, logit
from halfwidth.calibration.metrics.bins import BINNING, BINS, MASS, bin_of, ece
from halfwidth.calibration.metrics.kernel_error import BANDWIDTH, kce
from halfwidth.core.errors import DataError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.parameters import Parameter, bind, parse_name
from halfwidth.core.types import Array

# Nodes stand for cases where these are more by this factor.
FEWER = 4
GROUPS = Parameter("groups", 10, "groups of equal mass", at_least=2, at_most=1000)


@frozen(eq=False)
class Departure:
    """A statistic, made ready for the probabilities and weights of some cases."""

    # Of samples of outcomes (B, n): how far each is from the probabilities, (B,).
    of: Callable[[Array], Array]
    # Of the chi-square distribution that it has in large samples; None where that is not known.
    df: int | None = None
    # Whether it is standard normal in large samples, and far below 0 says as much as far above.
    normal: bool = False
    # Lyapunov's ratio Σ E|X|³ / (Σ Var X)^1.5 of the independent terms that it is made of: how far
    # from those distributions it may be. Infinite where that is not known.
    roughness: float = math.inf
    # Parameters that these probabilities set where they were not given.
    chosen: Mapping[str, float] = field(default_factory=dict)


@frozen
class CalibrationStatistic:
    """A statistic of a test of perfect calibration."""

    name: str
    title: str
    cite: str
    # Of ``(p, weights, **parameters)``; weights are None where all are equal.
    prepare: Callable[..., Departure]
    parameters: tuple[Parameter, ...] = ()


def _spiegelhalter(p: Array, weights: Array | None) -> Departure:
    """Σ w (y - p)(1 - 2p) / √(Σ w² (1 - 2p)² p (1 - p))."""
    each = (1 - 2 * p) * _counts(p, weights)
    spread = math.sqrt(float((each**2 * p * (1 - p)).sum()))
    if not spread > 0:
        raise DataError(
            "Spiegelhalter's statistic is the same whatever happens where every probability is 0, "
            "1/2 or 1; name another statistic"
        )
    expected = float(each @ p)
    return Departure(
        lambda y: (y @ each - expected) / spread,
        normal=True,
        roughness=float(np.abs(each / spread) ** 3 @ _third_moment(p)),
    )


def _hosmer_lemeshow(p: Array, weights: Array | None, *, groups: float) -> Departure:
    """Σ_g (O - E)² / (E (1 - E / n)) over groups of equal mass."""
    counts = _counts(p, weights)
    total = _sums_of_bins(bin_of(p, int(groups), MASS))
    cases, expected = total(counts), total(p * counts)
    spread = expected * (1 - expected / cases)
    uncertain = spread > 0

    def values(y: Array) -> Array:
        squares = (total(y * counts) - expected) ** 2
        # Of a group in which nothing can differ, whatever does is without bounds.
        certain = np.where(squares[:, ~uncertain] > 1e-18, np.inf, 0.0).sum(axis=1)
        with np.errstate(over="ignore"):  # of what cannot happen but by a rounding of 0
            return np.asarray((squares[:, uncertain] / spread[uncertain]).sum(axis=1) + certain)

    return Departure(values, _df(int(uncertain.sum()), weights))


def _ece(p: Array, weights: Array | None, *, bins: float, binning: float) -> Departure:
    """Σ_b |Σ w (p - y)| / Σ w over bins."""
    counts = _counts(p, weights)
    total = _sums_of_bins(bin_of(p, int(bins), binning))

    def values(y: Array) -> Array:
        return np.asarray(np.abs(total((y - p) * counts)).sum(axis=1) / counts.sum())

    return Departure(values)


def _kce(p: Array, weights: Array | None, *, bandwidth: float | None = None) -> Departure:
    """Σ_{i≠j} w w k(p, p) (y - p) (y - p) / Σ_{i≠j} w w, of ascending probabilities."""
    counts = _counts(p, weights)
    width = bandwidth_of(p[None], bandwidth)
    pairs = float(counts.sum() ** 2 - (counts**2).sum())
    if not pairs > 0:
        raise DataError("the kernel calibration error is of pairs of cases; there is one case")
    return Departure(
        lambda y: sum_of_products(p[None], ((y - p) * counts)[:, None], width) / pairs,
        chosen={"bandwidth": float(np.asarray(width).item())},
    )


def _likelihood_ratio(p: Array, weights: Array | None) -> Departure:
    """-2 log of the likelihood ratio of intercept 0 and slope 1 against the best of both."""
    log_odds, inside = logit(p), clipped(p)
    if log_odds.min() == log_odds.max():
        raise DataError(
            "the likelihood ratio of intercept and slope needs probabilities that differ; those "
            f"given are all {p[0]:g}"
        )
    terms, counts = np.stack([np.ones(len(p)), log_odds]), _counts(p, weights)

    def values(y: Array) -> Array:
        as_given = _log_likelihood(y, np.log(inside), np.log1p(-inside), counts)
        beta = fit_logistic(terms, y, weights, start=np.array([0.0, 1.0])).coefficients
        known = np.asarray(np.isfinite(beta).all(axis=1))
        best = np.where(known[:, None], beta, 0.0) @ terms
        fitted = _log_likelihood(y, -np.logaddexp(0, -best), -np.logaddexp(0, best), counts)
        # Outcomes that a threshold separates have a likelihood of 1 in the limit.
        return np.asarray(np.maximum(2 * (np.where(known, fitted, 0.0) - as_given), 0))

    df = _df(2, weights)
    # The length of each case's score where the information is 1.
    lengths = np.linalg.norm(_whitened(terms, inside * (1 - inside)), axis=0)
    roughness = float(lengths**3 @ _third_moment(inside)) if df else math.inf
    nodes, node_counts = condensed(log_odds, counts)
    if FEWER * len(nodes) > len(p):
        return Departure(values, df, roughness=roughness)
    summed, of_sums = (terms * counts).T, _likelihood_ratio_of_sums(nodes, node_counts)

    def values_by_nodes(y: Array) -> Array:
        found = of_sums(y @ summed)
        steep = np.isnan(found)
        if steep.any():
            found[steep] = values(y[steep])
        return found

    return Departure(values_by_nodes, df, roughness=roughness)


def _likelihood_ratio_of_sums(log_odds: Array, counts: Array) -> Callable[[Array], Array]:
    """Likelihood ratios from Σ w y and Σ w y logit p, all that a fit knows of y; NaN if steep."""
    terms, p = np.stack([np.ones(len(log_odds)), log_odds]), expit(log_odds)
    spread = p * (1 - p)
    information = (terms * counts * spread) @ terms.T

    def values(sums: Array) -> Array:
        # Outcomes of the nodes that have these sums, though they are neither 0 nor 1.
        surplus = np.linalg.solve(information, (sums - (terms * counts) @ p).T).T
        y = p + (surplus @ terms) * spread
        beta = fit_logistic(terms, y, counts, start=np.array([0.0, 1.0])).coefficients
        known = np.abs(beta[:, 1]) <= STEEPEST
        best = np.where(known[:, None], beta, 0.0) @ terms
        gained = y * (best - log_odds) - np.logaddexp(0, best) + np.logaddexp(0, log_odds)
        return np.where(known, np.maximum(2 * gained @ counts, 0), np.nan)

    return values


def _whitened(terms: Array, spread: Array) -> Array:
    """Terms (K, n) in units in which their information Σ spread x xᵀ is 1."""
    return np.asarray(np.linalg.solve(np.linalg.cholesky((terms * spread) @ terms.T), terms))


def _third_moment(p: Array) -> Array:
    """E|Y - p|³ of outcomes."""
    return np.asarray(p * (1 - p) * (p**2 + (1 - p) ** 2))


def _log_likelihood(y: Array, log_p: Array, log_q: Array, counts: Array) -> Array:
    return np.asarray((np.where(y == 1, log_p, log_q) * counts).sum(axis=1))


def _df(df: int, weights: Array | None) -> int | None:
    """Degrees of freedom of chi-square; None of weighted cases, whose distribution is another."""
    return df if df and weights is None else None


def _counts(p: Array, weights: Array | None) -> Array:
    return np.ones(p.shape) if weights is None else weights


def _sums_of_bins(bin_of_case: NDArray[np.intp]) -> Callable[[Array], Array]:
    """Sums over the cases of each bin that holds one, (..., n) -> (..., K); bins ascend."""
    first = np.flatnonzero(np.diff(bin_of_case, prepend=-1))
    return lambda values: np.add.reduceat(values, first, axis=-1)


# The default comes first.
STATISTICS = (
    CalibrationStatistic("spiegelhalter", "Spiegelhalter's z", "spiegelhalter1986", _spiegelhalter),
    CalibrationStatistic(
        "hosmer_lemeshow", "Hosmer-Lemeshow", "hosmer1980", _hosmer_lemeshow, (GROUPS,)
    ),
    CalibrationStatistic(
        "likelihood_ratio", "likelihood ratio of intercept and slope", "cox1958", _likelihood_ratio
    ),
    CalibrationStatistic(ece.__name__, "ECE", "naeini2015", _ece, (BINS, BINNING)),
    CalibrationStatistic(kce.__name__, "squared KCE", "widmann2019", _kce, (BANDWIDTH,)),
)
DEFAULT = STATISTICS[0].name


@frozen
class BoundStatistic:
    """A statistic with its parameters."""

    statistic: CalibrationStatistic
    parameters: dict[str, float]

    def prepare(self, p: Array, weights: Array | None) -> Departure:
        """Make it ready for the probabilities and weights of some cases."""
        return self.statistic.prepare(p, weights, **self.parameters)


def resolve_statistic(name: Any) -> BoundStatistic:
    """A statistic by its name, with parameters behind a colon: ``"hosmer_lemeshow:groups=20"``."""
    declared = {one.name: one for one in STATISTICS}
    named = name.partition(":")[0].strip() if isinstance(name, str) else name
    if not isinstance(named, str) or named not in declared:
        raise UnknownNameError("statistic of calibration", name, list(declared))
    statistic = declared[named]
    _, parameters = parse_name(str(name), lambda _: statistic.parameters)
    bound = bind(statistic.name, statistic.parameters, parameters, complete=True)
    return BoundStatistic(statistic, bound)
