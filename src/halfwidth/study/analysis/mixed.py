"""A linear mixed model with random intercepts, by restricted maximum likelihood.

y = Xβ + Σₖ Zₖuₖ + e with uₖ ~ N(0, τₖ²) for each level of grouping k, groupings crossed or nested.
Everything is computed from cross products, so a fit costs as the cube of the number of levels,
whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.types import Array

__all__ = [
    "Grouping",
    "MixedModel",
    "Products",
    "described",
    "fit_mixed",
    "grouped",
    "products",
    "solve",
]

# Largest SD of a random effect over the residual SD that is looked for.
MOST = 1e4
STARTS = (1.0, 0.1, 5.0)
# A residual sum of squares below this share of the total is none.
EXACT = 1e-12


@dataclass(frozen=True)
class MixedModel:
    """A fitted model.

    Attributes
    ----------
    names : tuple of str
        Of the fixed effects, ``intercept`` first.
    coefficients, standard_errors : tuple of float
        Of the fixed effects, the errors given the variances.
    variances : mapping
        τ² by grouping; 0 where the likelihood is largest at the boundary.
    residual_variance : float
    log_likelihood : float
        Restricted if ``reml``.
    reml : bool
    marginal_r2 : float
        Share of the variance that fixed effects explain, s²(Xβ) / (s²(Xβ) + Σ τ² + σ²).
    conditional_r2 : float
        Share that fixed and random effects explain.
    n : int
    levels : mapping
        Number of levels by grouping.
    left_out : mapping
        Groupings that could not be part of the model, and why.
    """

    names: tuple[str, ...]
    coefficients: tuple[float, ...]
    standard_errors: tuple[float, ...]
    variances: Mapping[str, float]
    residual_variance: float
    log_likelihood: float
    reml: bool
    marginal_r2: float
    conditional_r2: float
    n: int
    levels: Mapping[str, int]
    left_out: Mapping[str, str]


@dataclass(frozen=True)
class Grouping:
    """Which level each row has of each grouping, all levels numbered one after the other."""

    names: tuple[str, ...]
    counts: tuple[int, ...]
    place: Any

    @property
    def of_level(self) -> Any:
        """The grouping of each level."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


@dataclass(frozen=True)
class Products:
    """Cross products of the random (z), fixed (x) and observed (y) columns."""

    zz: Array
    zx: Array
    zy: Array
    xx: Array
    xy: Array
    yy: float
    n: int
    of_level: Any


def fit_mixed(
    y: Any, x: Mapping[str, Any], groups: Mapping[str, Any], *, reml: bool = True
) -> MixedModel:
    r"""Fit a linear model with an intercept and random intercepts by groups.

    The variance ratios maximise the profiled likelihood; with V = I + Σ (τ²/σ²) ZZ' the restricted
    one is

    .. math:: -2 ℓ = (n-p)(\log 2πσ̂² + 1) + \log|V| + \log|X'V^{-1}X|

    Parameters
    ----------
    y : array_like, shape (n,)
    x : mapping
        Columns of fixed effects by name, besides the intercept.
    groups : mapping
        Labels of the rows by grouping. One with a single level, or with a level for each row,
        cannot be told from the intercept or the residual: it is left out, and ``left_out`` says so.
    reml : bool
        Else maximum likelihood, whose variances are too small in small samples.

    Returns
    -------
    MixedModel

    Raises
    ------
    DataError
        If values are not finite, rows are fewer than needed, columns are collinear, or the model
        fits without a residual.

    References
    ----------
    Nakagawa and Schielzeth (2013), for R², with variances over n - 1 as its R code has them.

    Examples
    --------
    >>> found = fit_mixed([1.0, 3.0, 5.0, 7.0, 6.0, 8.0], {}, {"task": list("aabbcc")})
    >>> round(found.residual_variance, 6), round(found.variances["task"], 6)
    (2.0, 6.0)
    """
    observed = np.asarray(y, dtype=float)
    design = np.column_stack([np.ones(len(observed)), *(np.asarray(c, float) for c in x.values())])
    _check(observed, design, tuple(x))
    grouping, left_out = grouped(groups, len(observed))
    made = products(observed, design, grouping)
    ratios = solve(made, len(grouping.names), reml)
    return described(made, design, ratios, grouping, ("intercept", *x), left_out, reml)


def _check(observed: Array, design: Array, names: Sequence[str]) -> None:
    if not (np.isfinite(observed).all() and np.isfinite(design).all()):
        raise DataError("a mixed model needs finite values; leave the others out first")
    n, p = design.shape
    if n < p + 2:
        raise DataError(f"{n} rows are too few for a mixed model with {p} fixed effects")
    if np.linalg.matrix_rank(design) < p:
        raise DataError(
            f"{', '.join(names)}: constant or collinear, so it has no effect of its own"
        )
    beta = np.linalg.lstsq(design, observed, rcond=None)[0]
    spread = ((observed - observed.mean()) ** 2).sum()
    if ((observed - design @ beta) ** 2).sum() <= EXACT * max(spread, (observed**2).sum() * EXACT):
        raise DataError("the fixed effects leave no residual; there is nothing to be modelled")


def grouped(groups: Mapping[str, Any], n: int) -> tuple[Grouping, dict[str, str]]:
    """Number the levels of the groupings, and say which ones cannot be used."""
    names: list[str] = []
    counts: list[int] = []
    places: list[Any] = []
    left_out: dict[str, str] = {}
    for name, labels in groups.items():
        named = [str(label) for label in labels]
        if len(named) != n:
            raise OptionError(f"groups {name!r} has {len(named)} entries for {n} rows")
        known, place = np.unique(np.asarray(named), return_inverse=True)
        if len(known) == 1:
            left_out[name] = "only one level"
        elif len(known) == n:
            left_out[name] = "a level for each row"
        else:
            places.append(place + sum(counts))
            names.append(name)
            counts.append(len(known))
    place = np.array(places, dtype=np.intp).reshape(len(names), n)
    return Grouping(tuple(names), tuple(counts), place), left_out


def products(observed: Array, design: Array, grouping: Grouping) -> Products:
    """All that the likelihood depends on."""
    levels = sum(grouping.counts)
    zx = np.column_stack([_by_level(column, grouping) for column in design.T])
    zz = np.zeros((levels, levels))
    for one in grouping.place:
        for other in grouping.place:
            np.add.at(zz, (one, other), 1.0)
    empty = Products(
        zz, zx, np.zeros(levels), design.T @ design, zx[:0], 0.0, len(observed), grouping.of_level
    )
    return with_observed(empty, observed, design, grouping)


def with_observed(made: Products, observed: Array, design: Array, grouping: Grouping) -> Products:
    """The same rows with other values."""
    return replace(
        made,
        zy=_by_level(observed, grouping),
        xy=design.T @ observed,
        yy=float(observed @ observed),
    )


def _by_level(values: Array, grouping: Grouping) -> Array:
    """Sums of the rows of each level."""
    levels = sum(grouping.counts)
    return np.bincount(
        grouping.place.ravel(), np.tile(values, len(grouping.names)), minlength=levels
    ).astype(float)


# --------------------------------------------------------------------------- likelihood


@dataclass(frozen=True)
class Profile:
    """The fit for given ratios τ/σ."""

    log_likelihood: float
    beta: Array
    covariance: Array
    residual_variance: float


def _profile(of: Products, ratios: Array, reml: bool) -> Profile:
    """β, σ² and the likelihood at their best for given SDs of the random effects over σ.

    By Woodbury with S = diag(τ/σ): V⁻¹ = I - ZS(I + SZ'ZS)⁻¹SZ', which a ratio of 0 does no harm.
    """
    scale = ratios[of.of_level]
    inner = np.eye(len(scale)) + scale[:, None] * of.zz * scale
    root = np.linalg.cholesky(inner)
    half_x = np.linalg.solve(root, scale[:, None] * of.zx)
    half_y = np.linalg.solve(root, scale * of.zy)
    xvx, xvy = of.xx - half_x.T @ half_x, of.xy - half_x.T @ half_y
    inverse = np.linalg.inv(xvx)
    beta = inverse @ xvy
    p = len(beta)
    freedom = of.n - p if reml else of.n
    squares = max(float(of.yy - half_y @ half_y - xvy @ beta), np.finfo(float).tiny)
    variance = squares / freedom
    log_v = 2 * np.log(np.diag(root)).sum()
    log_x = np.linalg.slogdet(xvx)[1] if reml else 0.0
    minus_2 = freedom * (np.log(2 * np.pi * variance) + 1) + log_v + log_x
    return Profile(float(-minus_2 / 2), beta, variance * inverse, variance)


def solve(of: Products, groupings: int, reml: bool, start: Array | None = None) -> Array:
    """The ratios τ/σ at which the profiled likelihood is largest; 0 is allowed.

    From ``start``, or from several places, then polished.
    """
    if not groupings:
        return np.zeros(0)
    from scipy import optimize

    def cost(ratios: Array) -> float:
        return -_profile(of, np.abs(ratios), reml).log_likelihood

    bounds = [(0.0, MOST)] * groupings
    starts = [np.full(groupings, s) for s in STARTS] if start is None else [np.maximum(start, 0.05)]
    found = [optimize.minimize(cost, s, method="L-BFGS-B", bounds=bounds) for s in starts]
    best = min(found, key=lambda one: float(one.fun))
    if start is None:
        polished = optimize.minimize(
            cost,
            best.x,
            method="Nelder-Mead",
            bounds=bounds,
            options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000},
        )
        best = min(best, polished, key=lambda one: float(one.fun))
    return _on_the_boundary(cost, np.abs(np.asarray(best.x, dtype=float)))


def _on_the_boundary(cost: Any, ratios: Array) -> Array:
    """With 0 for what is as good without: near 0 the likelihood is flat in the ratio."""
    lowest = cost(ratios)
    for place in range(len(ratios)):
        without = ratios.copy()
        without[place] = 0.0
        if cost(without) <= lowest + 1e-10 * max(1.0, abs(lowest)):
            ratios = without
    return ratios


def described(
    made: Products,
    design: Array,
    ratios: Array,
    grouping: Grouping,
    names: tuple[str, ...],
    left_out: Mapping[str, str],
    reml: bool,
) -> MixedModel:
    """The model that belongs to solved ratios."""
    fit = _profile(made, ratios, reml)
    variances = fit.residual_variance * ratios**2
    fixed = float((design @ fit.beta).var(ddof=1))
    random = float(variances.sum())
    total = fixed + random + fit.residual_variance
    return MixedModel(
        names=names,
        coefficients=tuple(map(float, fit.beta)),
        standard_errors=tuple(map(float, np.sqrt(np.diag(fit.covariance)))),
        variances=dict(zip(grouping.names, map(float, variances), strict=True)),
        residual_variance=fit.residual_variance,
        log_likelihood=fit.log_likelihood,
        reml=reml,
        marginal_r2=fixed / total,
        conditional_r2=(fixed + random) / total,
        n=made.n,
        levels=dict(zip(grouping.names, grouping.counts, strict=True)),
        left_out=dict(left_out),
    )
