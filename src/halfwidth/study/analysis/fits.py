"""Families of distributions fitted by maximum likelihood, many samples at once.

A fit takes samples in rows, each ascending, shape (B, n), and gives a value of each parameter for
each row. Parameters are those of `halfwidth.study.populations.FAMILIES`; a row that cannot be
fitted gets NaN. Distributions on the positive numbers start at 0 and the beta at the bounds of the
metric: with a free start, the likelihood of most grows without limit as it nears the lowest value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Bounds
from halfwidth.study.analysis import fits_by_search
from halfwidth.study.populations import FAMILIES

Parameters = dict[str, Array]


@frozen
class Fitting:
    """How a family is fitted."""

    # As in `FAMILIES`.
    name: str
    # ``fit(rows)`` gives the parameters of each row of values, on [0, 1] for the beta.
    fit: Callable[[Array], Parameters]
    # ``cdf(values, parameters)`` with parameters of shape (B, 1) against rows (B, n).
    cdf: Callable[[Array, Parameters], Any]
    # Whether it lives on the positive numbers; whether between two bounds.
    positive: bool = False
    bounded: bool = False
    # Whether each sample takes a search of its own.
    slow: bool = False
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


# --------------------------------------------------------------------------- distribution functions


def _standard(x: Array, p: Mapping[str, Array]) -> Array:
    return np.asarray((x - p["location"]) / p["scale"])


def _normal_cdf(x: Array, p: Parameters) -> Any:
    from scipy import special

    return special.ndtr(_standard(x, p))


def _t_cdf(x: Array, p: Parameters) -> Any:
    from scipy import special

    return special.stdtr(p["df"], _standard(x, p))


def _skewnormal_cdf(x: Array, p: Parameters) -> Any:
    from scipy import special

    z = _standard(x, p)
    return np.clip(special.ndtr(z) - 2 * special.owens_t(z, p["shape"]), 0.0, 1.0)


def _logistic_cdf(x: Array, p: Parameters) -> Any:
    from scipy import special

    return special.expit(_standard(x, p))


def _lognormal_cdf(x: Array, p: Parameters) -> Any:
    from scipy import special

    with np.errstate(divide="ignore"):
        return special.ndtr((np.log(x) - p["log_mean"]) / p["log_sd"])


def _exponential_cdf(x: Array, p: Parameters) -> Any:
    return -np.expm1(-x / p["scale"])


def _chi2_cdf(x: Array, p: Parameters) -> Any:
    from scipy import special

    return special.gammainc(p["df"] / 2, x / 2)


def _beta_cdf(x: Array, p: Parameters) -> Any:
    from scipy import special

    return special.betainc(p["a"], p["b"], x)


def _gamma_cdf(x: Array, p: Parameters) -> Any:
    from scipy import special

    return special.gammainc(p["shape"], x / p["scale"])


def _pareto_cdf(x: Array, p: Parameters) -> Any:
    """1 - (scale/(x - location))^shape from scale + location on."""
    ratio = np.maximum((x - p.get("location", 0.0)) / p["scale"], 1.0)
    return -np.expm1(-p["shape"] * np.log(ratio))


def _weibull_cdf(x: Array, p: Parameters) -> Any:
    return -np.expm1(-((x / p["scale"]) ** p["shape"]))


# --------------------------------------------------------------------------- the catalogue

_ON_THE_LINE = (
    Fitting("normal", _normal, _normal_cdf),
    Fitting("t", fits_by_search.t, _t_cdf, slow=True),
    Fitting("skewnormal", fits_by_search.skewnormal, _skewnormal_cdf, slow=True),
)
_LOGISTIC = Fitting("logistic", fits_by_search.logistic, _logistic_cdf)
_OF_VALUES = (
    *_ON_THE_LINE,
    Fitting("lognormal", _lognormal, _lognormal_cdf, positive=True, edges=True),
    _LOGISTIC,
    Fitting("exponential", _exponential, _exponential_cdf, positive=True),
    Fitting("chi2", fits_by_search.chi2, _chi2_cdf, positive=True, edges=True),
    Fitting("beta", fits_by_search.beta, _beta_cdf, bounded=True, edges=True),
    Fitting("gamma", fits_by_search.gamma, _gamma_cdf, positive=True, edges=True),
    Fitting("pareto", _pareto, _pareto_cdf, positive=True, edges=True),
    Fitting("weibull", fits_by_search.weibull, _weibull_cdf, positive=True, edges=True),
)
# Families in Tables S1 and S4 of andre2025, in their order.
OF_VALUES: Mapping[str, Fitting] = {one.name: one for one in _OF_VALUES}
OF_LOGITS: Mapping[str, Fitting] = {
    one.name: one
    for one in (
        *_ON_THE_LINE,
        _LOGISTIC,
        Fitting("pareto", fits_by_search.pareto_from_minimum, _pareto_cdf, slow=True),
    )
}


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
