"""How far values are from a family of distributions: Kolmogorov-Smirnov, its p by bootstrap too."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core import rng as randomness
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array, Bounds, as_bounds
from halfwidth.study.analysis.fits import (
    OF_LOGITS,
    OF_VALUES,
    Fitting,
    Parameters,
    families_named,
    inner,
    suits,
)
from halfwidth.study.populations import FAMILIES, Parametric
from halfwidth.study.populations import family as population_of
from halfwidth.study.populations.base import finite_values

DRAWS = 999
# Numbers refitted at once: a few arrays of them fit the cache.
CELLS = 2**18
# Squares and exponents of larger values, and of smaller differences, leave the floats.
MOST = 1e100


@frozen
class Goodness:
    """A family fitted to values, and how far from them it is.

    Attributes
    ----------
    family : str
    statistic : float
        D, the largest distance between the distribution functions of the values and of the fit.
    p : float
        The chance of so large a D for a distribution that was not fitted to the values. They were,
        so it is too large: see `lilliefors_p`.
    parameters : mapping
        Of the fit, as in `FAMILIES`; NaN where it failed.
    moved : int
        Values at an end of the support that were put inside for the fit.
    failure : str
        Why there is no fit; D and p are NaN then. Empty if there is one.
    """

    family: str
    statistic: float
    p: float
    parameters: Mapping[str, float]
    moved: int = 0
    failure: str = ""


def kolmogorov_smirnov(
    values: ArrayLike, family: str, *, bounds: Bounds | tuple[float, float] | None = None
) -> Goodness:
    """Fit a family to values by maximum likelihood and measure how far it is from them.

    D = maxᵢ max(i/n - F(x₍ᵢ₎), F(x₍ᵢ₎) - (i - 1)/n), F the distribution function of the fit. The
    nominal p is the exact one of a distribution given beforehand. Since F was fitted to the same
    values D is smaller than that supposes, and p too large: a rejection by it can be trusted, that
    there is none cannot.

    Parameters
    ----------
    values : array-like, shape (n,)
        Finite, at least two different ones.
    family : str
        normal, t, skewnormal, lognormal, logistic, exponential, chi2, beta, gamma, pareto, weibull.
    bounds : Bounds or pair of floats, optional
        The range of the metric. The beta lies between its ends; lognormal, exponential, chi2 (of
        scale 1: with a scale it is the gamma), gamma, pareto and weibull start at 0. None: values
        on the whole line, as logits are, for which there are normal, t, skewnormal, logistic, and
        pareto starting at the lowest value.

    Returns
    -------
    Goodness
        With NaN and a reason where the family cannot be fitted.

    Raises
    ------
    UnknownNameError, OptionError
        If there is no such family, or not for values in this range.
    DataError
        If the values are not finite numbers, or lie outside the bounds.

    Notes
    -----
    A value at an end of the support, such as a Dice of 0 for a gamma, makes the likelihood 0 or
    infinite. For the fit, not for D, it is put half-way between that end and the value next to it.

    References
    ----------
    andre2025, S3.3 and S6.3; lilliefors1967.

    Examples
    --------
    >>> found = kolmogorov_smirnov([0.1, 0.4, 0.5, 0.6, 0.9], "normal")
    >>> round(found.statistic, 4), round(found.p, 3)
    (0.1507, 0.999)
    """
    bounds = None if bounds is None else as_bounds(bounds)
    fitting = fitting_named(family, bounds)
    ordered = finite_values(values, least=2, purpose="a test of fit")
    if bounds is not None and (ordered[0] < bounds.low or ordered[-1] > bounds.high):
        raise DataError(f"values from {ordered[0]:g} to {ordered[-1]:g} lie outside {bounds}")
    return fit_and_distance(ordered, fitting, bounds)


def lilliefors_p(
    values: ArrayLike,
    family: str,
    *,
    bounds: Bounds | tuple[float, float] | None = None,
    draws: int = DRAWS,
    rng: Any = None,
) -> float:
    """P of the Kolmogorov-Smirnov distance by parametric bootstrap, the fit repeated each time.

    Samples of n values are drawn from the family as fitted, it is fitted to each, and D* is its
    distance from the sample: p = (1 + #{D* ≥ D})/(1 + N). A D* that is undefined counts as large.

    Parameters
    ----------
    values, family, bounds
        As for `kolmogorov_smirnov`.
    draws : int, default 999
        N. No p is below 1/(N + 1).
    rng : None, int, SeedSequence or Generator

    Returns
    -------
    float
        NaN where the family cannot be fitted.

    Raises
    ------
    OptionError, UnknownNameError, DataError
        As `kolmogorov_smirnov`, and for less than one draw.

    References
    ----------
    lilliefors1967, for the normal, whose tables it replaces.

    Examples
    --------
    >>> lilliefors_p([0.1, 0.4, 0.5, 0.6, 0.9], "normal", draws=99, rng=1) > 0.5
    True
    """
    check_draws(draws)
    entropy = randomness.resolve_seed(rng)
    bounds = None if bounds is None else as_bounds(bounds)
    goodness = kolmogorov_smirnov(values, family, bounds=bounds)
    fitting, key = fitting_named(family, bounds), (entropy, "lilliefors", family)
    return bootstrap_p(goodness, fitting, np.size(values), draws, key)


def check_draws(draws: int) -> None:
    """Refuse what is no number of draws."""
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise OptionError(
            f"{spelled('study.draws', draws)} must be an integer ≥ 1, such as {DRAWS}"
        )


def fitting_named(family: str, bounds: Bounds | None) -> Fitting:
    """How a family is fitted to values in a range, or an error."""
    (name,) = families_named([family])
    catalogue = OF_LOGITS if bounds is None else OF_VALUES
    if name not in catalogue:
        raise OptionError(
            f"family {name!r} needs {spelled('bounds')}, the range of the values. Without it there "
            f"are {', '.join(OF_LOGITS)}"
        )
    if bounds is not None and not suits(catalogue[name], bounds):
        needed = "two finite ends" if catalogue[name].bounded else "no values below 0"
        raise OptionError(f"family {name!r} needs {needed}, and the bounds are {bounds}")
    return catalogue[name]


# --------------------------------------------------------------------------- one sample


def fit_and_distance(ordered: Array, fitting: Fitting, bounds: Bounds | None) -> Goodness:
    """The fit to ascending values and its distance from them."""
    from scipy import stats

    failed = functools.partial(Goodness, fitting.name, math.nan, math.nan)
    if not np.isfinite(ordered).all():
        return failed({}, failure="values that are not finite")
    if ordered[0] == ordered[-1]:
        return failed({}, failure="all values are equal")
    if max(abs(ordered[0]), abs(ordered[-1])) > MOST or ordered[-1] - ordered[0] < 1 / MOST:
        return failed({}, failure="values too large, or too close, for squares of them")
    low, width = 0.0, 1.0
    if fitting.bounded and bounds is not None:
        low, width = bounds.low, bounds.width
    parameters, statistics, moved = _fitted(((ordered - low) / width)[None], fitting)
    statistic = float(statistics[0])
    plain = {name: float(values[0]) for name, values in parameters.items()}
    if not math.isfinite(statistic):
        return failed(plain, moved, "no maximum of the likelihood found")
    whole = {**plain, "location": low, "scale": width} if fitting.bounded else plain
    p = float(np.clip(stats.kstwo.sf(statistic, len(ordered)), 0.0, 1.0))
    return Goodness(fitting.name, statistic, p, whole, moved)


def _fitted(rows: Array, fitting: Fitting) -> tuple[Parameters, Array, int]:
    """Parameters of the ascending rows that can be fitted, D of all, and how many values moved."""
    statistics, moved = np.full(len(rows), np.nan), 0
    inside, high = rows.copy(), 1.0 if fitting.bounded else math.inf
    if fitting.edges:
        for row in np.flatnonzero((rows <= 0).any(axis=-1) | (rows >= high).any(axis=-1)):
            inside[row], count = inner(rows[row], 0.0, high)
            moved += count
    able = np.isfinite(inside).all(axis=-1) & (inside.min(axis=-1) < inside.max(axis=-1))
    if not able.any():
        return {}, statistics, moved
    spec, steps = FAMILIES[fitting.name], np.arange(rows.shape[-1] + 1) / rows.shape[-1]
    # What overflows on the way ends as a fit that is not finite, and is counted as such.
    with np.errstate(all="ignore"):
        parameters = fitting.fit(inside[able])
        for row, *values in zip(np.flatnonzero(able), *parameters.values(), strict=True):
            if np.isfinite(values).all():
                fit = {**spec.parameters, **dict(zip(parameters, values, strict=True))}
                levels = Parametric(spec.name, fit).cdf(rows[row])
                statistics[row] = max((steps[1:] - levels).max(), (levels - steps[:-1]).max())
    return parameters, statistics, moved


# --------------------------------------------------------------------------- bootstrap


def bootstrap_p(
    goodness: Goodness, fitting: Fitting, n: int, draws: int, key: tuple[object, ...]
) -> float:
    """P by parametric bootstrap of n values; the draws depend on the key alone."""
    if goodness.failure:
        return math.nan
    entropy, *rest = key
    draws_key = randomness.derive_key(int(str(entropy)), "study", *rest)
    generator = np.random.Generator(np.random.Philox(key=draws_key.value))
    parameters = dict(goodness.parameters)
    if fitting.bounded:
        # Drawn and refitted on [0, 1], as the values were.
        parameters = {**parameters, "location": 0.0, "scale": 1.0}
    population = population_of(fitting.name, **parameters)
    at_once, reached = max(1, CELLS // n), 0
    for start in range(0, draws, at_once):
        with np.errstate(all="ignore"):
            rows = np.sort(population.draw(generator, min(at_once, draws - start), n), axis=-1)
        reached += int((~(_fitted(rows, fitting)[1] < goodness.statistic)).sum())
    return (1 + reached) / (1 + draws)
