"""Populations by formula: parametric families with location and scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.catalogue import Catalogue, listed
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.parameters import Parameter, bind
from halfwidth.core.types import Array
from halfwidth.study.populations import families
from halfwidth.study.populations.base import Characteristics, Characterized, How


@frozen
class Family:
    """A parametric family.

    Attributes
    ----------
    name : str
    summary : str
        One line: what it is.
    declared : tuple of Parameter
        The parameters, with what is allowed.
    formulas : callable
        ``formulas(**parameters)``.
    synonyms : tuple of str
    """

    name: str
    summary: str
    declared: tuple[Parameter, ...]
    formulas: Callable[..., families.Formulas]
    synonyms: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, float | None]:
        """The names of the parameters and their defaults; None where one must be given."""
        return {parameter.name: parameter.default for parameter in self.declared}


def _needed(name: str, summary: str) -> Parameter:
    return Parameter(name, None, summary, above=0)


LOCATION = Parameter("location", 0.0, "added to every value")
SCALE = Parameter("scale", 1.0, "multiplies every value", above=0)
DF = _needed("df", "degrees of freedom")
SHAPE = _needed("shape", "shape")

FAMILIES: Catalogue[Family] = Catalogue(
    "family",
    listed(
        Family(
            "normal",
            "normal with mean location and SD scale",
            (LOCATION, SCALE),
            families.normal,
            ("gaussian",),
        ),
        Family(
            "t",
            "Student's t, heavy tails on both sides",
            (DF, LOCATION, SCALE),
            families.t,
            ("student",),
        ),
        Family(
            "skewnormal",
            "skew-normal: shape above 0 for a long right tail, below 0 for a left one",
            (Parameter("shape", None, "shape"), LOCATION, SCALE),
            families.skewnormal,
            ("skewnorm", "skew_normal"),
        ),
        Family(
            "lognormal",
            "exponential of a normal with mean log_mean and SD log_sd",
            (
                Parameter("log_mean", 0.0, "mean of the logarithm"),
                Parameter("log_sd", 1.0, "SD of the logarithm", above=0),
                LOCATION,
            ),
            families.lognormal,
            ("lognorm", "log_normal"),
        ),
        Family(
            "logistic",
            "logistic, a bell with heavier tails than the normal",
            (LOCATION, SCALE),
            families.logistic,
        ),
        Family(
            "exponential",
            "exponential with mean scale, from location on",
            (SCALE, LOCATION),
            families.exponential,
            ("expon",),
        ),
        Family(
            "chi2",
            "χ² with df degrees of freedom",
            (DF, LOCATION, SCALE),
            families.chi2,
            ("chi_square", "chi_squared"),
        ),
        Family(
            "beta",
            "beta of shapes a and b, from location to location + scale",
            (_needed("a", "first shape"), _needed("b", "second shape"), LOCATION, SCALE),
            families.beta,
        ),
        Family(
            "gamma",
            "gamma with mean shape · scale, from location on",
            (SHAPE, SCALE, LOCATION),
            families.gamma,
        ),
        Family(
            "pareto",
            "Pareto with tail exponent shape, from location + scale on",
            (SHAPE, SCALE, LOCATION),
            families.pareto,
        ),
        Family(
            "weibull",
            "Weibull, from location on",
            (SHAPE, SCALE, LOCATION),
            families.weibull,
            ("weibull_min",),
        ),
        Family(
            "uniform",
            "uniform from low to high",
            (Parameter("low", 0.0, "lower end"), Parameter("high", 1.0, "upper end")),
            families.uniform,
        ),
        Family(
            "bernoulli",
            "1 with the given probability, else 0: cases of a proportion",
            (Parameter("probability", None, "probability of 1", at_least=0, at_most=1),),
            families.bernoulli,
        ),
    ),
)


@frozen
class Parametric(Characterized):
    """A distribution of a parametric family.

    Attributes
    ----------
    name : str
        The family's.
    parameters : Mapping of str to float
        All of them.
    """

    name: str
    parameters: Mapping[str, float]

    @property
    def kind(self) -> str:
        """``"parametric"``."""
        return "parametric"

    @property
    def quantile_how(self) -> How:
        """The quantile of most families has a closed form."""
        return self._formulas.how

    @property
    def _formulas(self) -> families.Formulas:
        return FAMILIES[self.name].formulas(**self.parameters)

    def draw(self, generator: np.random.Generator, samples: int, n: int) -> Array:
        """Independent samples, shape ``(samples, n)``."""
        formulas = self._formulas
        drawn = formulas.draw(generator, (samples, n))
        if formulas.scale != 1:
            drawn *= formulas.scale
        if formulas.location != 0:
            drawn += formulas.location
        return drawn

    def cdf(self, x: ArrayLike) -> Array:
        """P(X ≤ x)."""
        formulas = self._formulas
        z = (np.asarray(x, dtype=float) - formulas.location) / formulas.scale
        return np.asarray(formulas.cdf(z))

    def quantile(self, p: ArrayLike) -> Array:
        """inf{x : F(x) ≥ p}; the lower end of the support at p = 0, NaN outside [0, 1]."""
        formulas = self._formulas
        level = np.asarray(p, dtype=float)
        inside = (level >= 0) & (level <= 1)
        within = np.atleast_1d(np.where(inside, level, 0.5))
        z = np.asarray(formulas.quantile(within)).reshape(level.shape)
        z = np.where(level == 0, formulas.support[0], z)
        return np.where(inside, formulas.location + formulas.scale * z, np.nan)

    def partial_mean(self, low_p: float, high_p: float) -> float:
        """∫ Q(p) dp from ``low_p`` to ``high_p``, in closed form; NaN where ∞ - ∞."""
        formulas = self._formulas
        with np.errstate(invalid="ignore"):
            low, high = formulas.upto(np.array([low_p, high_p], dtype=float))
            return float(formulas.location * (high_p - low_p) + formulas.scale * (high - low))

    @property
    def characteristics(self) -> Characteristics:
        """Moments of the standard form, moved and scaled; NaN where one does not exist."""
        formulas = self._formulas
        shape = formulas.shape
        return replace(
            shape,
            mean=formulas.location + formulas.scale * shape.mean,
            standard_deviation=formulas.scale * shape.standard_deviation,
        )

    @property
    def support(self) -> tuple[float, float]:
        """The lowest and the highest value, possibly infinite."""
        formulas = self._formulas
        low, high = formulas.support
        return formulas.location + formulas.scale * low, formulas.location + formulas.scale * high


def family(name: str, **parameters: float) -> Parametric:
    """A population of a parametric family.

    Parameters
    ----------
    name : str
        One of `FAMILIES`.
    **parameters : float
        Of the family; those without a default must be given.

    Returns
    -------
    Parametric

    Raises
    ------
    UnknownNameError
        For an unknown family or parameter; names those there are, and the nearest.
    OptionError
        For a parameter that is missing, no number, or outside its range.

    Examples
    --------
    >>> population = family("beta", a=8, b=2)
    >>> population.mean, round(float(population.quantile(0.5)), 4)
    (0.8, 0.8204)
    """
    spec = FAMILIES[name]
    bound = bind(spec.name, spec.declared, parameters, complete=True)
    for parameter, value in parameters.items():
        if isinstance(value, bool):
            raise OptionError(f"{spec.name}: {parameter}={value} is not a number")
    if spec.name == "uniform" and not bound["low"] < bound["high"]:
        raise OptionError(f"uniform: low={bound['low']:g} is not below high={bound['high']:g}")
    return Parametric(spec.name, bound)
