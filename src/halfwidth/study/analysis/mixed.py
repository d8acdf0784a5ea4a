"""A linear mixed model with random intercepts, by restricted maximum likelihood.

y = Xβ + Σₖ Zₖuₖ + e with uₖ ~ N(0, τₖ²) for each level of grouping k, groupings crossed or nested.
Everything is computed from cross products, so a fit costs as the cube of the number of levels,
whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array

# Largest SD of a random effect over the residual SD that is looked for.
MOST = 1e4
# Squares of ratios below this may be 0.
NEARLY_0 = 1e-4
STARTS = (1.0, 0.1, 5.0)
# A residual sum of squares below this share of the total counts as 0.
EXACT = 1e-12


@frozen
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


@frozen
class Grouping:
    """The level of each row in each grouping; levels are numbered across groupings."""

    names: tuple[str, ...]
    counts: tuple[int, ...]
    place: Any

    @property
    def group_of_level(self) -> Any:
        """The grouping of each level."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


@frozen
class Products:
    """Cross products of the random (z), fixed (x) and observed (y) columns."""

    zz: Array
    zx: Array
    zy: Array
    xx: Array
    xy: Array
    yy: float
    n: int
    group_of_level: Any


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
    grouping, left_out = number_levels(groups, len(observed))
    cross = cross_products(observed, design, grouping)
    ratios = solve(cross, len(grouping.names), reml)
    return describe_model(cross, design, ratios, grouping, ("intercept", *x), left_out, reml)


def _check(observed: Array, design: Array, names: Sequence[str]) -> None:
    if not (np.isfinite(observed).all() and np.isfinite(design).all()):
        raise DataError("a mixed model needs finite values; leave the others out first")
    n, p = design.shape
    if n < p + 2:
        rows = "1 row is" if n == 1 else f"{n} rows are"
        raise DataError(f"{rows} too few for a mixed model with {p} fixed effects")
    if np.linalg.matrix_rank(design) < p:
        raise DataError(
            f"{', '.join(names)}: constant or collinear, so it has no effect of its own"
        )
    beta = np.linalg.lstsq(design, observed, rcond=None)[0]
    spread = ((observed - observed.mean()) ** 2).sum()
    if ((observed - design @ beta) ** 2).sum() <= EXACT * max(spread, (observed**2).sum() * EXACT):
        raise DataError("the fixed effects leave no residual to model")


def number_levels(groups: Mapping[str, Any], n: int) -> tuple[Grouping, dict[str, str]]:
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


def cross_products(observed: Array, design: Array, grouping: Grouping) -> Products:
    """The cross products that the likelihood depends on."""
    levels = sum(grouping.counts)
    zx = np.column_stack([_by_level(column, grouping) for column in design.T])
    zz = np.zeros((levels, levels))
    for levels_of_rows in grouping.place:
        for other in grouping.place:
            np.add.at(zz, (levels_of_rows, other), 1.0)
    empty = Products(
        zz,
        zx,
        np.zeros(levels),
        design.T @ design,
        zx[:0],
        0.0,
        len(observed),
        grouping.group_of_level,
    )
    return replace_observed(empty, observed, design, grouping)


def replace_observed(
    cross: Products, observed: Array, design: Array, grouping: Grouping
) -> Products:
    """Replace the observed values of the same rows."""
    return replace(
        cross,
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


@frozen
class Profile:
    """The fit for given ratios τ/σ, and the slope of -2ℓ in their squares."""

    log_likelihood: float
    beta: Array
    covariance: Array
    residual_variance: float
    slope: Array


def _profile(cross: Products, ratios: Array, reml: bool) -> Profile:
    """β, σ² and the likelihood, maximised for given SDs of the random effects over σ.

    By Woodbury with S = diag(τ/σ): V⁻¹ = I - ZS(I + SZ'ZS)⁻¹SZ', which a ratio of 0 does no harm.
    """
    scale = ratios[cross.group_of_level]
    inner = np.eye(len(scale)) + scale[:, None] * cross.zz * scale
    root = np.linalg.cholesky(inner)
    half_x = np.linalg.solve(root, scale[:, None] * cross.zx)
    half_y = np.linalg.solve(root, scale * cross.zy)
    xvx, xvy = cross.xx - half_x.T @ half_x, cross.xy - half_x.T @ half_y
    inverse = np.linalg.inv(xvx)
    beta = inverse @ xvy
    p = len(beta)
    freedom = cross.n - p if reml else cross.n
    squares = max(float(cross.yy - half_y @ half_y - xvy @ beta), np.finfo(float).tiny)
    variance = squares / freedom
    log_v = 2 * np.log(np.diag(root)).sum()
    log_x = np.linalg.slogdet(xvx)[1] if reml else 0.0
    minus_2 = freedom * (np.log(2 * np.pi * variance) + 1) + log_v + log_x
    restricted = inverse if reml else np.zeros_like(inverse)
    slope = _slope(cross, root, scale, (half_x, half_y), (beta, restricted), variance)
    return Profile(float(-minus_2 / 2), beta, variance * inverse, variance, slope)


def _slope(
    cross: Products,
    root: Array,
    scale: Array,
    halves: tuple[Array, Array],
    fixed: tuple[Array, Array],
    variance: float,
) -> Array:
    """Derivative of -2ℓ by each τ²/σ².

    tr(Z'V⁻¹Z) - tr((X'V⁻¹X)⁻¹X'V⁻¹ZZ'V⁻¹X) - |Z'V⁻¹(y - Xβ)|²/σ² over the levels of a grouping;
    the middle term belongs to the restricted likelihood.
    """
    half_z = np.linalg.solve(root, scale[:, None] * cross.zz)
    traces = np.diag(cross.zz) - (half_z**2).sum(axis=0)
    zvx = cross.zx - half_z.T @ halves[0]
    zvr = cross.zy - half_z.T @ halves[1] - zvx @ fixed[0]
    each = traces - ((zvx @ fixed[1]) * zvx).sum(axis=1) - zvr**2 / variance
    return np.asarray(np.bincount(cross.group_of_level, each), dtype=float)


def solve(cross: Products, groupings: int, reml: bool, start: Array | None = None) -> Array:
    """The ratios τ/σ at which the profiled likelihood is largest; 0 is allowed.

    From ``start``, or from several places, then polished.
    """
    if not groupings:
        return np.zeros(0)
    from scipy import optimize

    def cost(squares: Array) -> tuple[float, Array]:
        fits = _profile(cross, np.sqrt(np.abs(squares)), reml)
        return -fits.log_likelihood, fits.slope / 2

    def value(squares: Array) -> float:
        return cost(squares)[0]

    # By squares: at a ratio of 0 the likelihood has a slope in them, and none in the ratio.
    bounds = [(0.0, MOST**2)] * groupings
    starts = [np.full(groupings, s) for s in STARTS] if start is None else [np.maximum(start, 0.1)]
    fits = [
        optimize.minimize(cost, s**2, jac=True, method="L-BFGS-B", bounds=bounds) for s in starts
    ]
    best = min(fits, key=lambda end: float(end.fun))
    if start is None:
        polished = optimize.minimize(
            value,
            best.x,
            method="Nelder-Mead",
            bounds=bounds,
            options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000},
        )
        best = min(best, polished, key=lambda end: float(end.fun))
    return np.sqrt(_on_the_boundary(value, np.abs(np.asarray(best.x, dtype=float))))


def _on_the_boundary(cost: Callable[[Array], float], ratios: Array) -> Array:
    """Set ratios to 0 whose likelihood is as good with 0."""
    if not (ratios < NEARLY_0).any():
        return ratios
    lowest = cost(ratios)
    for place in range(len(ratios)):
        without = ratios.copy()
        without[place] = 0.0
        if cost(without) <= lowest + 1e-10 * max(1.0, abs(lowest)):
            ratios = without
    return ratios


def describe_model(
    cross: Products,
    design: Array,
    ratios: Array,
    grouping: Grouping,
    names: tuple[str, ...],
    left_out: Mapping[str, str],
    reml: bool,
) -> MixedModel:
    """Build the model for given ratios."""
    fit = _profile(cross, ratios, reml)
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
        n=cross.n,
        levels=dict(zip(grouping.names, grouping.counts, strict=True)),
        left_out=dict(left_out),
    )
