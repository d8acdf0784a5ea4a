"""Specs: what a metric, a summary statistic or a CI method is, declared once.

A spec is a frozen value attached to a plain function by a decorator that returns the same
function. Command-line choices, documentation tables, cautions and tests derive from specs.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.types import UNBOUNDED, Array, Bounds, Interval

__all__ = [
    "Better",
    "Catalogue",
    "Estimand",
    "Form",
    "Kind",
    "Metric",
    "MetricSpec",
    "MethodSpec",
    "Moments",
    "Need",
    "OrderStatistics",
    "Parameter",
    "Promise",
    "SortedWeights",
    "Statistic",
    "StatisticSpec",
    "bind",
    "interval_method",
    "metric",
    "parse_name",
    "range_of_spread",
    "range_of_values",
    "spec_of",
    "statistic",
]

F = TypeVar("F", bound=Callable[..., Any])
_SPEC = "__halfwidth_spec__"


# --------------------------------------------------------------------------- parameters


@dataclass(frozen=True)
class Parameter:
    """A number that belongs to a metric or a statistic, never to its name.

    Attributes
    ----------
    name : str
    default : float or None
        None where there is no sensible default.
    summary : str
    allowed : callable
        ``allowed(value)`` says whether a value may be used.
    allowed_text : str
        The same in words, for error messages.
    unit : str
    """

    name: str
    default: float | None
    summary: str
    allowed: Callable[[float], bool]
    allowed_text: str
    unit: str = ""

    def check(self, value: object, owner: str) -> float:
        """The value as a float, or an error that says what is allowed."""
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = float("nan")
        if not self.allowed(number):
            raise OptionError(f"{owner}: {self.name}={value} is not {self.allowed_text}")
        return number


def bind(
    owner: str, declared: tuple[Parameter, ...], given: Mapping[str, object], *, complete: bool
) -> Mapping[str, float]:
    """Check the given parameters against the declared ones and fill in the defaults.

    ``complete`` asks for a value of every parameter; a metric whose values arrive ready-made may
    leave some unsaid, a statistic may not.
    """
    names = [parameter.name for parameter in declared]
    for name in given:
        if name not in names:
            if not names:
                raise OptionError(f"{owner} has no parameters, got {name!r}")
            raise UnknownNameError(f"parameter of {owner}", name, names)
    bound: dict[str, float] = {}
    for parameter in declared:
        if parameter.name in given:
            bound[parameter.name] = parameter.check(given[parameter.name], owner)
        elif parameter.default is not None:
            bound[parameter.name] = parameter.default
        elif complete:
            raise OptionError(
                f"{owner} needs {parameter.name} ({parameter.summary}); "
                f"write {owner}:{parameter.name}=VALUE, {parameter.allowed_text}"
            )
    return MappingProxyType(bound)


def parse_name(text: str, declared: Callable[[str], tuple[Parameter, ...]]) -> Any:
    """Split ``"quantile:q=0.9"`` or, for the first parameter, ``"quantile:0.9"``.

    >>> share = Parameter("share", 0.25, "", lambda value: True, "any number")
    >>> parse_name("trimmed_mean:0.1", lambda name: (share,))
    ('trimmed_mean', {'share': '0.1'})
    """
    name, _, tail = text.partition(":")
    given: dict[str, object] = {}
    for position, part in enumerate(filter(None, (p.strip() for p in tail.split(",")))):
        key, equals, value = part.partition("=")
        if not equals:
            parameters = declared(name)
            if position >= len(parameters):
                raise OptionError(f"{text!r}: {name} takes {len(parameters)} parameter(s)")
            key, value = parameters[position].name, part
        given[key.strip()] = value.strip()
    return name.strip(), given


# --------------------------------------------------------------------------- metrics


class Better(StrEnum):
    """Which way a metric improves."""

    HIGHER = "higher"
    LOWER = "lower"
    ZERO = "closer to zero"
    UNSTATED = "unstated"


class Kind(StrEnum):
    """What values a metric takes: a continuum, a limited set, or 0 and 1 only."""

    CONTINUOUS = "continuous"
    DISCRETE = "discrete"
    BINARY = "binary"


@dataclass(frozen=True)
class MetricSpec:
    """What is known of a per-case metric before any value is seen.

    Attributes
    ----------
    name : str
        The name on the command line and in results.
    title : str
        The name in prose and on axes.
    summary : str
        One line: what it measures.
    bounds : Bounds
        The range that every value lies in; drives range checks, ``missing="worst"``,
        concentration bounds and axes.
    better : Better
    unit : str
        Of a value; empty where it has none.
    kind : Kind
    family : str
        Overlap, boundary, volume, error, ...
    parameters : tuple of Parameter
    synonyms : tuple of str
        Other names by which people call it.
    reliable_n : int
        Cases from which the median coverage of the mean's interval reached 92.5 % (andre2025).
    cite : str
        Key of the reference; empty for metrics that need none.
    """

    name: str
    title: str = ""
    summary: str = ""
    bounds: Bounds = UNBOUNDED
    better: Better = Better.UNSTATED
    unit: str = ""
    kind: Kind = Kind.CONTINUOUS
    family: str = "custom"
    parameters: tuple[Parameter, ...] = ()
    synonyms: tuple[str, ...] = ()
    reliable_n: int = 25
    cite: str = ""

    @property
    def worst(self) -> float | None:
        """The worst value a case can have, or None where there is no finite one."""
        end = {Better.HIGHER: self.bounds.low, Better.LOWER: self.bounds.high}.get(self.better)
        return end if end is not None and np.isfinite(end) else None

    @property
    def display(self) -> str:
        """The title, or the name where there is none."""
        return self.title or self.name


@dataclass(frozen=True)
class Metric:
    """A metric with its parameters bound."""

    spec: MetricSpec
    parameters: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))


# --------------------------------------------------------------------------- statistics


class Estimand(StrEnum):
    """What kind of population value an interval is about."""

    MEAN = "mean"
    PROPORTION = "proportion"
    TRIMMED_MEAN = "trimmed mean"
    QUANTILE = "quantile"
    SPREAD = "spread"
    OTHER = "other"


@dataclass(frozen=True)
class Moments:
    """A statistic that is a function of n and of power sums about a centre.

    Attributes
    ----------
    order : int
        Highest power needed.
    finish : callable
        ``finish(n, sums, centre, **parameters)`` with ``sums[p - 1] = Σ(x - centre)^p``.
    """

    order: int
    finish: Callable[..., Array]


@dataclass(frozen=True)
class SortedWeights:
    """An L-statistic: ``weights(n, **parameters) @ sorted sample``."""

    weights: Callable[..., Array]


@dataclass(frozen=True)
class OrderStatistics:
    """An L-statistic of a few order statistics.

    ``picks(n, **parameters)`` returns their 1-based ranks, ascending, and their weights.
    """

    picks: Callable[..., tuple[Array, Array]]


Form = Moments | SortedWeights | OrderStatistics


def range_of_values(bounds: Bounds) -> Bounds:
    """The range of a statistic that averages or picks values: that of the metric."""
    return bounds


def range_of_spread(bounds: Bounds) -> Bounds:
    """The range of a measure of spread: from 0 to the width of the metric's range."""
    return Bounds(0.0, bounds.width)


def _unknown_range(bounds: Bounds) -> Bounds:
    return UNBOUNDED


@dataclass(frozen=True)
class StatisticSpec:
    """What is known of a summary statistic.

    Attributes
    ----------
    name, title : str
        On the command line; in prose.
    function : callable
        ``function(values, *, axis=-1, **parameters)``, or a user's callable.
    estimand : Estimand
        Decides which methods accept it.
    form : Form or None
        Its sufficient form for fast resampling; None means the generic path.
    range_rule : callable
        Maps the metric's bounds to those of the statistic.
    smooth : bool
        Whether it is a smooth function of the empirical distribution, as BCa supposes.
    min_n : int
        Fewest values for which it is defined.
    parameters : tuple of Parameter
    synonyms : tuple of str
    quantile_level : callable or None
        ``quantile_level(**parameters)``: the level of a quantile.
    reliable_factor : float
        Multiplies the metric's ``reliable_n``, which holds for the mean.
    vectorised : bool
        Whether ``function`` takes ``axis``.
    cite : str
    """

    name: str
    title: str
    function: Callable[..., Any]
    estimand: Estimand = Estimand.OTHER
    form: Form | None = None
    range_rule: Callable[[Bounds], Bounds] = _unknown_range
    smooth: bool = True
    min_n: int = 1
    parameters: tuple[Parameter, ...] = ()
    synonyms: tuple[str, ...] = ()
    quantile_level: Callable[..., float] | None = None
    reliable_factor: float = 1.0
    vectorised: bool = True
    cite: str = ""

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]


@dataclass(frozen=True)
class Statistic:
    """A summary statistic with its parameters bound; calling it reduces the last axis."""

    spec: StatisticSpec
    parameters: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def __call__(self, values: Array) -> Array:
        """The statistic of each sample of a batch, shape ``(..., n) -> (...)``."""
        if self.spec.vectorised:
            reduced = self.spec.function(values, axis=-1, **self.parameters)
        else:
            reduced = np.apply_along_axis(self.spec.function, -1, values)
        return np.asarray(reduced, dtype=float)

    @property
    def quantile_level(self) -> float:
        """The level of a quantile statistic; NaN for any other."""
        rule = self.spec.quantile_level
        return rule(**self.parameters) if rule else float("nan")


# --------------------------------------------------------------------------- methods


class Need(StrEnum):
    """An ingredient of a method, handed to its function in the order declared."""

    SORTED_VALUES = "sorted values"
    BOUNDS = "metric bounds"
    TRIM_SHARE = "trimmed share"
    QUANTILE_LEVEL = "quantile level"
    SUCCESSES = "successes"
    TRIALS = "trials"
    ESTIMATE = "estimate"
    DISTRIBUTION = "bootstrap distribution"
    TIE_TOLERANCE = "tie tolerance"
    ACCELERATION = "acceleration"


class Promise(StrEnum):
    """A property that a method keeps on every sample on which it is defined."""

    CONTAINS_ESTIMATE = "contains the estimate"
    STAYS_IN_RANGE = "stays in the range"
    NESTED = "widens with the level"
    EQUIVARIANT = "moves with shift and scale"


@dataclass(frozen=True)
class MethodSpec:
    """What is known of a CI method.

    Attributes
    ----------
    name, title : str
        On the command line; in prose.
    function : callable
        Takes what ``needs`` names, in that order, and a `Level`; returns an `Interval`.
    accepts : frozenset of Estimand
        What it makes intervals for.
    needs : tuple of Need
    use_when : str
        One line of advice.
    min_n : int
        Fewest cases for which it gives an interval at all.
    promises : frozenset of Promise
    cautions : tuple of str
        Codes raised whenever the method is used.
    clips : bool
        Whether bounds are cut to the statistic's range (said in a caution when it happens).
    cite : str
    """

    name: str
    title: str
    function: Callable[..., Interval]
    accepts: frozenset[Estimand]
    needs: tuple[Need, ...]
    use_when: str
    min_n: int = 2
    promises: frozenset[Promise] = frozenset()
    cautions: tuple[str, ...] = ()
    clips: bool = False
    cite: str = ""
    synonyms: tuple[str, ...] = ()

    @property
    def resamples(self) -> bool:
        """Whether it works on a bootstrap distribution."""
        return Need.DISTRIBUTION in self.needs

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]


# --------------------------------------------------------------------------- declaring


def _attach(function: F, spec: object) -> F:
    setattr(function, _SPEC, spec)
    return function


def metric(**fields: Any) -> Callable[[F], F]:
    """Declare a metric: attach its `MetricSpec` and return the same function."""

    def declare(function: F) -> F:
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        return _attach(function, MetricSpec(function.__name__, summary=summary, **fields))

    return declare


def statistic(**fields: Any) -> Callable[[F], F]:
    """Declare a summary statistic: attach its `StatisticSpec` and return the same function."""

    def declare(function: F) -> F:
        return _attach(function, StatisticSpec(function.__name__, function=function, **fields))

    return declare


def interval_method(**fields: Any) -> Callable[[F], F]:
    """Declare a CI method: attach its `MethodSpec` and return the same function."""

    def declare(function: F) -> F:
        return _attach(function, MethodSpec(function.__name__, function=function, **fields))

    return declare


def spec_of(function: Callable[..., Any]) -> Any:
    """The spec that a decorator attached to a function, or None."""
    return getattr(function, _SPEC, None)


# --------------------------------------------------------------------------- catalogues


class Named(Protocol):
    """Anything with a name and other names."""

    @property
    def name(self) -> str: ...
    @property
    def synonyms(self) -> tuple[str, ...]: ...


N = TypeVar("N", bound=Named)


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]+", "_", name.strip().lower())


@dataclass(frozen=True)
class Catalogue(Generic[N]):
    """An explicit, ordered set of specs with look-up by name or synonym.

    Capitals, and the choice between spaces, hyphens and underscores, do not matter.
    """

    kind: str
    items: tuple[N, ...]

    @functools.cached_property
    def _by_name(self) -> dict[str, N]:
        return {_plain(name): item for item in self for name in (item.name, *item.synonyms)}

    def __iter__(self) -> Iterator[N]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and _plain(name) in self._by_name

    @property
    def names(self) -> list[str]:
        """The names, in catalogue order."""
        return [item.name for item in self]

    def __getitem__(self, name: str) -> N:
        try:
            return self._by_name[_plain(name)]
        except KeyError:
            raise UnknownNameError(self.kind, name, self.names, synonyms=self._by_name) from None
