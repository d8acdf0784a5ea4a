"""Families of distributions fitted by maximum likelihood, many samples at once.

A fit takes samples in rows, each ascending with at least two different values, shape (B, n), and
gives a value of each parameter for each row. Parameters are those of
`halfwidth.study.populations.FAMILIES`; a row that cannot be fitted gets NaN. Distributions on the
positive numbers start at 0 and the beta at the bounds of the metric: with a free start, the
likelihood of most grows without limit as it nears the lowest value.

SciPy's fits of those that take a search miss the maximum in some samples, keep five digits, or take
15 to 1000 times as long (decision 0097).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Bounds
from halfwidth.study.populations import FAMILIES

Parameters = dict[str, Array]
# A function of two parameters of each row: value (B,), gradient (B, 2), and the three second
# derivatives, by the first, both and the second parameter.
Surface = Callable[[Array], tuple[Array, Array, tuple[Array, Array, Array]]]
Objective = Callable[[Array], tuple[float, Array]]

STEPS, HALVINGS = 100, 40
CLOSE = 1e-8
# By which rounding may lower a log-likelihood that has not got worse.
ROUNDING = 1e-13
# Ends of the search. Without them the likelihood of a t of few degrees of freedom has no
# maximum where many values are equal, nor that of a half-normal one for any sample.
LEAST_SCALE, LEAST_DF, MOST_DF, MOST_SHAPE = 1e-4, 0.5, 1e4, 1e3
FLAT = 1e-3
# A search that ends on a slope is taken up again where it ended, without its memory.
TRIES = 3
THOROUGH: Any = {"ftol": 1e-12, "gtol": 1e-6, "maxiter": 500}
GRID, THIRDS = 65, 60


@frozen
class Fitting:
    """How a family is fitted."""

    # As in `FAMILIES`.
    name: str
    # ``fit(rows)`` gives the parameters of each row of values, on [0, 1] for the beta.
    fit: Callable[[Array], Parameters]
    # Whether it lives on the positive numbers; whether between two bounds.
    positive: bool = False
    bounded: bool = False
    # Whether its likelihood is 0 or infinite with a value at an end of its support.
    edges: bool = False


# --------------------------------------------------------------------------- closed forms


def _normal(x: Array) -> Parameters:
    return {"location": x.mean(axis=-1), "scale": x.std(axis=-1)}


def _lognormal(x: Array) -> Parameters:
    logs = np.log(x)
    return {"log_mean": logs.mean(axis=-1), "log_sd": logs.std(axis=-1)}


def _exponential(x: Array) -> Parameters:
    return {"scale": x.mean(axis=-1)}


def _pareto(x: Array) -> Parameters:
    """It starts at the lowest value; the exponent is n over the sum of logarithms from there."""
    low = x.min(axis=-1)
    return {"shape": 1 / np.log(x / low[..., None]).mean(axis=-1), "scale": low}


def _standardised(x: Array) -> tuple[Array, Array, Array]:
    """Rows of mean 0 and SD 1, with the means and SDs that they had."""
    middle, spread = x.mean(axis=-1), x.std(axis=-1)
    return (x - middle[:, None]) / spread[:, None], middle, spread


# --------------------------------------------------------------------------- Newton's steps


def _climbed(start: Array, surface: Surface) -> Array:
    """The maximum of a concave function of each row by damped Newton steps; NaN if not reached."""
    at = start.copy()
    value, slope, (first, both, second) = surface(at)
    done: NDArray[np.bool_] = np.zeros(len(at), dtype=bool)
    for _ in range(STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            step = (
                np.stack(
                    [
                        both * slope[:, 1] - second * slope[:, 0],
                        both * slope[:, 0] - first * slope[:, 1],
                    ],
                    axis=-1,
                )
                / (first * second - both**2)[:, None]
            )
        done = np.asarray((np.abs(step) <= CLOSE * (1 + np.abs(at))).all(axis=-1))
        if done.all() or not np.isfinite(step).any():
            break
        for _ in range(HALVINGS):
            worse = ~done & ~(surface(at + step)[0] >= value - ROUNDING * (1 + np.abs(value)))
            if not worse.any():
                break
            step[worse] /= 2
        at = np.where((done | worse)[:, None], at, at + step)
        if (done | worse).all():
            break
        value, slope, (first, both, second) = surface(at)
    flat = np.asarray(np.abs(slope).max(axis=-1) <= FLAT)
    return np.where((done | flat)[:, None], at, np.nan)


def _logistic(x: Array) -> Parameters:
    """Location m and scale s: with a = 1/s, b = m/s the log-likelihood is concave in (a, b)."""
    u, middle, spread = _standardised(x)

    def surface(at: Array) -> tuple[Array, Array, tuple[Array, Array, Array]]:
        a, b = at[:, 0], at[:, 1]
        z = a[:, None] * u - b[:, None]
        tanh = np.tanh(z / 2)
        weight = (1 - tanh**2) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            value = np.log(a) - (np.abs(z) + 2 * np.log1p(np.exp(-np.abs(z)))).mean(axis=-1)
        slope = np.stack([1 / a - (u * tanh).mean(axis=-1), tanh.mean(axis=-1)], axis=-1)
        by_a, both = -1 / a**2 - (u**2 * weight).mean(axis=-1), (u * weight).mean(axis=-1)
        return value, slope, (by_a, both, -weight.mean(axis=-1))

    start = np.tile([math.pi / math.sqrt(3), 0.0], (len(x), 1))
    a, b = _climbed(start, surface).T
    return {"location": middle + spread * b / a, "scale": spread / a}


def _beta(x: Array) -> Parameters:
    """Shapes a and b of values in (0, 1); the log-likelihood is concave."""
    from scipy import special

    logs = np.stack([np.log(x).mean(axis=-1), np.log1p(-x).mean(axis=-1)], axis=-1)
    mean, variance = x.mean(axis=-1), x.var(axis=-1)
    total = np.maximum(mean * (1 - mean) / variance - 1, 0.1)

    def surface(at: Array) -> tuple[Array, Array, tuple[Array, Array, Array]]:
        positive = np.asarray((at > 0).all(axis=-1))
        inside = np.where(positive[:, None], at, np.nan)
        a, b = inside[:, 0], inside[:, 1]
        value = ((inside - 1) * logs).sum(axis=-1) - special.betaln(a, b)
        slope = logs - special.psi(inside) + special.psi(a + b)[:, None]
        both = special.polygamma(1, a + b)
        return value, slope, (both - special.polygamma(1, a), both, both - special.polygamma(1, b))

    start = np.stack([mean * total, (1 - mean) * total], axis=-1)
    a, b = _climbed(start, surface).T
    return {"a": a, "b": b}


def _chi2(x: Array) -> Parameters:
    """Degrees of freedom ν: ψ(ν/2) = mean log(x/2), by Newton's steps from Minka's start."""
    from scipy import special

    mean_log = np.log(x / 2).mean(axis=-1)
    half = np.where(
        mean_log >= -2.22, np.exp(np.minimum(mean_log, 700)) + 0.5, -1 / (mean_log - special.psi(1))
    )
    for _ in range(20):
        half = half - (special.psi(half) - mean_log) / special.polygamma(1, half)
    return {"df": 2 * half}


def _gamma(x: Array) -> Parameters:
    """Shape k: log k - ψ(k) = log mean - mean log; the scale is the mean over it."""
    from scipy import special

    mean = x.mean(axis=-1)
    gap = np.log(mean) - np.log(x).mean(axis=-1)
    shape = (3 - gap + np.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    for _ in range(20):
        # Newton's step on 1/k, which is nearly straight.
        error = np.log(shape) - special.psi(shape) - gap
        shape = 1 / (1 / shape - error / (shape**2 * (special.polygamma(1, shape) - 1 / shape)))
    return {"shape": shape, "scale": mean / shape}


def _weibull(x: Array) -> Parameters:
    """Shape k: Σ xᵏ log x/Σ xᵏ - 1/k = mean log x, whose left side grows with k."""
    logs = np.log(x)
    u, middle, spread = _standardised(logs)
    top = u.max(axis=-1, keepdims=True)
    shape = np.full(len(x), math.pi / math.sqrt(6))
    for _ in range(STEPS):
        weights = np.exp(shape[:, None] * (u - top))
        weights /= weights.sum(axis=-1, keepdims=True)
        first = (weights * u).sum(axis=-1)
        growth = (weights * u**2).sum(axis=-1) - first**2 + 1 / shape**2
        step = (first - 1 / shape) / growth
        shape = np.maximum(shape - step, shape / 4)
        if (np.abs(step) <= CLOSE * shape).all():
            break
    shape = np.asarray(np.where(np.abs(step) <= CLOSE * shape, shape, np.nan))
    powers = np.exp(shape[:, None] * (u - top)).mean(axis=-1)
    log_scale = middle + spread * (top[:, 0] + np.log(powers) / shape)
    return {"shape": shape / spread, "scale": np.exp(log_scale)}


# --------------------------------------------------------------------------- a search for each row


def _lowest(
    objective: Objective, starts: Sequence[Sequence[float]], bounds: Sequence[tuple[float, float]]
) -> Array:
    """Where a function is lowest, from several starts; NaN where no search ends on flat ground."""
    from scipy import optimize

    best, lowest = np.full(len(bounds), np.nan), math.inf
    low, high = np.transpose(bounds)
    for start in starts:
        at = np.clip(start, low, high)
        for _ in range(TRIES):
            end: Any = optimize.minimize(
                objective, at, jac=True, method="L-BFGS-B", bounds=bounds, options=THOROUGH
            )
            # At an end of the range a slope that leads out of it counts as 0.
            slope = np.clip(end.x - end.jac, low, high) - end.x
            at = end.x
            if np.abs(slope).max() <= FLAT:
                break
        if np.abs(slope).max() <= FLAT and end.fun < lowest:
            best, lowest = end.x, float(end.fun)
    return best


def _by_row(
    x: Array, search: Callable[[Array], Array], shape: str, shape_of: Callable[[Array], Array]
) -> Parameters:
    """A search on each standardised row for the location, the log scale and the shape."""
    rows, middle, spread = _standardised(x)
    location, log_scale, searched = np.array([search(row) for row in rows]).T
    return {
        shape: shape_of(searched),
        "location": middle + spread * location,
        "scale": spread * np.exp(log_scale),
    }


def _t(x: Array) -> Parameters:
    """Degrees of freedom (0.5 to 10 000), location, and scale (at least 0.0001 SD)."""
    return _by_row(x, _t_of_row, "df", np.exp)


def _t_of_row(x: Array) -> Array:
    from scipy import special

    def objective(at: Array) -> tuple[float, Array]:
        location, scale, df = at[0], math.exp(at[1]), math.exp(at[2])
        z = (x - location) / scale
        squares = z**2
        logs, pull = np.log1p(squares / df), (df + 1) / (df + squares)
        whole = special.gammaln((df + 1) / 2) - special.gammaln(df / 2)
        value = whole - 0.5 * math.log(df * math.pi) - at[1] - (df + 1) / 2 * logs.mean()
        psi = special.psi((df + 1) / 2) - special.psi(df / 2)
        by_df = (psi - 1 / df - logs.mean() + (pull * squares).mean() / df) / 2
        slope = [(pull * z).mean() / scale, (pull * squares).mean() - 1, df * by_df]
        return -float(value), -np.array(slope)

    low, median, high = np.quantile(x, [0.25, 0.5, 0.75])
    narrow = math.log(max((high - low) / 2, LEAST_SCALE))
    return _lowest(
        objective,
        [(median, narrow, 0.5), (0.0, 0.0, 4.0)],
        [
            (x[0], x[-1]),
            (math.log(LEAST_SCALE), math.log(10.0)),
            (math.log(LEAST_DF), math.log(MOST_DF)),
        ],
    )


def _skewnormal(x: Array) -> Parameters:
    """Shape (up to 1000 either way), location, and scale (at least 0.0001 SD)."""
    return _by_row(x, _skewnormal_of_row, "shape", np.sinh)


def _skewnormal_of_row(x: Array) -> Array:
    from scipy import special

    half_log = 0.5 * math.log(2 * math.pi)

    def objective(at: Array) -> tuple[float, Array]:
        # The shape as a sinh: searched alike over four orders of magnitude.
        location, scale, shape = at[0], math.exp(at[1]), math.sinh(at[2])
        z = (x - location) / scale
        under = special.log_ndtr(shape * z)
        ratio = np.exp(-0.5 * (shape * z) ** 2 - half_log - under)
        value = math.log(2) - half_log - at[1] - 0.5 * (z**2).mean() + under.mean()
        slope = [
            (z - shape * ratio).mean() / scale,
            (z**2 - shape * ratio * z).mean() - 1,
            math.cosh(at[2]) * (ratio * z).mean(),
        ]
        return -float(value), -np.array(slope)

    most = math.asinh(MOST_SHAPE)
    # A shape of 0 is a saddle; from the moments, and from a strong skew to the same side.
    starts = [_skewnormal_by_moments(float((x**3).mean()), limit) for limit in (0.7, 0.97)]
    ends = [(x[0] - 10, x[-1] + 10), (math.log(LEAST_SCALE), math.log(10.0)), (-most, most)]
    return _lowest(objective, starts, ends)


def _skewnormal_by_moments(skewness: float, most: float) -> tuple[float, float, float]:
    """Location, log scale and asinh of the shape for mean 0, SD 1 and about this skewness."""
    size = min(max(abs(skewness), 0.05), most) if most < 0.9 else most
    power = size ** (2 / 3)
    delta = math.sqrt(math.pi / 2 * power / (power + ((4 - math.pi) / 2) ** (2 / 3)))
    delta = math.copysign(min(delta, 0.999), skewness)
    scale = 1 / math.sqrt(1 - 2 * delta**2 / math.pi)
    shape = delta / math.sqrt(1 - delta**2)
    return -scale * delta * math.sqrt(2 / math.pi), math.log(scale), math.asinh(shape)


def _pareto_from_minimum(x: Array) -> Parameters:
    """Pareto with a free start: the lowest value, given which the others fix shape and scale.

    With y the excesses over the minimum that are above 0 and σ the scale, the exponent is
    1/mean log(1 + y/σ), and log σ is searched within ±9 of the logarithm of the mean excess. At
    its upper end the distribution is an exponential one.
    """
    scale, shape = np.array([_excess_scale(row) for row in x]).T
    return {"shape": shape, "scale": scale, "location": x.min(axis=-1) - scale}


def _excess_scale(row: Array) -> tuple[float, float]:
    excess = row - row[0]
    above = excess[excess > 0]
    unit = float(above.mean())
    y = above / unit

    def likelihood(log_scale: Array) -> Array:
        inverse = np.log1p(y / np.exp(log_scale)[:, None]).mean(axis=-1)
        return np.asarray(-np.log(inverse) - log_scale - inverse)

    grid = np.linspace(-9.0, 9.0, GRID)
    best = int(likelihood(grid).argmax())
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, GRID - 1)]
    for _ in range(THIRDS):
        tried = np.array([low + (high - low) / 3, high - (high - low) / 3])
        values = likelihood(tried)
        low, high = (tried[0], high) if values[0] < values[1] else (low, tried[1])
    scale = math.exp((low + high) / 2)
    return scale * unit, 1 / float(np.log1p(y / scale).mean())


# --------------------------------------------------------------------------- the catalogue

_ON_THE_LINE = (
    Fitting("normal", _normal),
    Fitting("t", _t),
    Fitting("skewnormal", _skewnormal),
)
_OF_VALUES = (
    *_ON_THE_LINE,
    Fitting("lognormal", _lognormal, positive=True, edges=True),
    Fitting("logistic", _logistic),
    Fitting("exponential", _exponential, positive=True),
    Fitting("chi2", _chi2, positive=True, edges=True),
    Fitting("beta", _beta, bounded=True, edges=True),
    Fitting("gamma", _gamma, positive=True, edges=True),
    Fitting("pareto", _pareto, positive=True, edges=True),
    Fitting("weibull", _weibull, positive=True, edges=True),
)
_OF_LOGITS = (
    *_ON_THE_LINE,
    Fitting("logistic", _logistic),
    Fitting("pareto", _pareto_from_minimum),
)
# Families in Tables S1 and S4 of andre2025, in their order.
OF_VALUES: Mapping[str, Fitting] = {fitting.name: fitting for fitting in _OF_VALUES}
OF_LOGITS: Mapping[str, Fitting] = {fitting.name: fitting for fitting in _OF_LOGITS}


def families_named(names: Sequence[str] | None) -> tuple[str, ...]:
    """Families by their names or synonyms, in the order of the catalogue; None: all.

    >>> families_named(["gaussian", "beta"])
    ('normal', 'beta')
    """
    if names is None:
        return tuple(OF_VALUES)
    if isinstance(names, str) or not names:
        raise OptionError(f"families={names!r}: give a list of names of {', '.join(OF_VALUES)}")
    names_given = {FAMILIES[name].name for name in names}
    unknown = names_given - set(OF_VALUES)
    if unknown:
        raise UnknownNameError("family to fit", min(unknown), OF_VALUES)
    return tuple(name for name in OF_VALUES if name in names_given)


def suits(fitting: Fitting, bounds: Bounds) -> bool:
    """Whether a family can be one of values in a range.

    >>> suits(OF_VALUES["beta"], Bounds(0, 1)), suits(OF_VALUES["gamma"], Bounds(-1, 1))
    (True, False)
    """
    if fitting.bounded:
        return bounds.finite
    return bounds.low >= 0 or not fitting.positive


def inner(x: Array, low: float, high: float) -> tuple[Array, int]:
    """Values at an end of the support moved inside for a fit, and how many these are.

    They are put half-way between the end and the value next to it.

    >>> inner(np.array([0.0, 0.25, 1.0]), 0.0, 1.0)
    (array([0.125, 0.25 , 0.625]), 2)
    """
    inside = x[(x > low) & (x < high)]
    at_low, at_high = x <= low, x >= high
    if not len(inside):
        return np.full(len(x), np.nan), int(at_low.sum() + at_high.sum())
    moved = np.where(at_low, (low + inside.min()) / 2, x)
    if np.isfinite(high):
        moved = np.where(at_high, (high + inside.max()) / 2, moved)
    return moved, int(at_low.sum() + at_high.sum())
