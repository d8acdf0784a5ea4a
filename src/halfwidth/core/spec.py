"""Specs: what a metric, a summary statistic or a CI method is, declared once.

A spec is a frozen value attached to a plain function by a decorator that returns the same
function. Command-line choices, documentation tables, cautions and tests derive from specs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field, fields, replace
from typing import Any, TypeVar

import numpy as np

from halfwidth.core.checks import refuse_complex
from halfwidth.core.errors import OptionError
from halfwidth.core.forms import Form, MetricForm, Quotient
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import (
    OF_TWO_SAMPLES,
    Better,
    ClassNeed,
    Drawn,
    Estimand,
    Kind,
    MetricLevel,
    Need,
    Promise,
    Takes,
    Transform,
)
from halfwidth.core.parameters import UNIT, VOXEL, Parameter, bind
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.types import UNBOUNDED, Array, Bounds, Interval, Level

F = TypeVar("F", bound=Callable[..., Any])
_SPEC = "__halfwidth_spec__"
# Listed after those whose place is declared.
LAST = 9


# --------------------------------------------------------------------------- metrics


@frozen
class MetricSpec:
    """What is known of a metric before any value is seen.

    Attributes
    ----------
    name : str
        The name on the command line and in results.
    title : str or None
        The name in prose and on axes; None: the same as ``name``, empty: none is said.
    summary : str
        One line: what it measures.
    bounds : Bounds
        The range that every value lies in; drives range checks, ``missing="worst"``,
        concentration bounds, pseudo-cases and axes.
    bounds_given : bool
        Whether the user gave them, in place of the metric's own.
    better : Better
    unit : str
        Of a value; empty where it has none.
    kind : Kind
    family : str
        Overlap, boundary, volume, error, ...
    parameters : tuple of Parameter
    synonyms : tuple of str
        Other names by which people call it.
    reliable_n : int or callable
        Cases from which the median coverage of the mean's interval reaches 92.5 %: 25 for DSC and
        75 for ASSD in andre2025, and assumed to be alike for metrics of the same kind; or
        ``reliable_n(**parameters)``.
    level : MetricLevel
    takes : Takes or None
        What the metric is a function of; None where its values arrive ready-made.
    function : callable or None
        The arithmetic of a metric, on what it takes.
    spaced : bool
        Whether a metric of masks needs the spacing of the voxels.
    slow : bool
        Whether it takes much longer than others of its kind.
    of_background : bool
        Whether a metric of masks counts the background, all of the image.
    averages : tuple of str
        How a sample-level metric may be averaged over classes; empty where it is of all at once.
    share : tuple of str
        The two cells a, b of a two by two table where the metric is a / (a + b), a proportion.
    quotient : callable or None
        ``quotient(**parameters)``: where the metric is the ratio of two weighted sums of TP, FN,
        FP and TN, their weights in the numerator and in the denominator. ``share`` says as much.
    tables : tuple of str
        Which of ``costs`` and ``priors`` the function takes.
    prevalence_dependent : bool
        Whether the value changes with the shares of the classes at the same error rates.
    estimand : Estimand or callable
        What kind of population value it is, of one class where it can be; or
        ``estimand(**parameters)``.
    form : MetricForm, callable or None
        What a metric of a test set is of scores or numbers, or ``form(**parameters)``; None where
        it is a function of counts, and of metrics of a case.
    bounds_rule : callable or None
        ``bounds_rule(**parameters, **tables)``: the range where these make it another one.
    class_needs : ClassNeed
        What a class must have for its part of an average to have a value.
    transform : Transform
        The scale for intervals by the delta method.
    style : int or None
        Which colour, stroke and marker of the palette it has in figures, of its own; None: what
        is left.
    listed : int
        Where it stands in lists and in the output of studies: low numbers first, then as the file
        of its family declares them.
    cite : str
        Key of the reference; empty for metrics that need none.
    """

    name: str
    title: str | None = None
    summary: str = ""
    bounds: Bounds = UNBOUNDED
    bounds_given: bool = False
    better: Better = Better.UNSTATED
    unit: str = ""
    kind: Kind = Kind.CONTINUOUS
    family: str = "custom"
    parameters: tuple[Parameter, ...] = ()
    synonyms: tuple[str, ...] = ()
    reliable_n: int | Callable[..., int] = 25
    level: MetricLevel = MetricLevel.INDIVIDUAL
    takes: Takes | None = None
    function: Callable[..., Any] | None = None
    spaced: bool = False
    slow: bool = False
    of_background: bool = False
    averages: tuple[str, ...] = ()
    share: tuple[str, ...] = ()
    quotient: Callable[..., Quotient] | None = None
    tables: tuple[str, ...] = ()
    prevalence_dependent: bool = False
    estimand: Estimand | Callable[..., Estimand] = Estimand.OTHER
    form: MetricForm | Callable[..., MetricForm] | None = None
    bounds_rule: Callable[..., Bounds] | None = None
    class_needs: ClassNeed = ClassNeed.CASES
    transform: Transform = Transform.IDENTITY
    style: int | None = None
    listed: int = LAST
    cite: str = ""

    @property
    def worst(self) -> float | None:
        """The worst value a case can have, or None where there is no finite one."""
        end = {Better.HIGHER: self.bounds.low, Better.LOWER: self.bounds.high}.get(self.better)
        return end if end is not None and np.isfinite(end) else None

    @property
    def display(self) -> str:
        """The title, or the name where none is set."""
        return self.name if self.title is None else self.title

    @property
    def called(self) -> str:
        """What messages call it, also where it has no title."""
        return self.display or "the values"


@frozen
class Metric:
    """A metric with its parameters bound."""

    spec: MetricSpec
    parameters: Mapping[str, float] = field(default_factory=dict)

    @property
    def function(self) -> Callable[..., Any]:
        """What computes it; a `TypeError` where its values arrive ready-made."""
        if self.spec.function is None:
            raise TypeError(f"{self.spec.name} is not computed: its values arrive ready-made")
        return self.spec.function

    @property
    def _declared(self) -> dict[str, float]:
        """The parameters that the spec has, without what is stated beside them."""
        names = [parameter.name for parameter in self.spec.parameters]
        return {name: self.parameters[name] for name in names if name in self.parameters}

    @property
    def usual(self) -> bool:
        """Whether all parameters are as they are where none is given."""
        usual = {parameter.name: parameter.default for parameter in self.spec.parameters}
        return all(value == usual[name] for name, value in self._declared.items())

    @property
    def estimand(self) -> Estimand:
        """What kind of population value it is, of one class where it can be."""
        rule = self.spec.estimand
        return rule if isinstance(rule, Estimand) else rule(**self._declared)

    @property
    def form(self) -> MetricForm | None:
        """What it is of scores or numbers."""
        rule = self.spec.form
        return rule(**self._declared) if callable(rule) else rule

    @property
    def reliable_n(self) -> int:
        """Cases from which intervals of it are reliable."""
        rule = self.spec.reliable_n
        return rule(**self._declared) if callable(rule) else rule

    def bounded(self, **tables: object) -> Metric:
        """The same with the range that its parameters and tables (costs, priors) make."""
        rule = self.spec.bounds_rule
        if rule is None:
            return self
        bounds = rule(**self._declared, **tables)
        return Metric(replace(self.spec, bounds=bounds), self.parameters)

    @property
    def quotient(self) -> Quotient | None:
        """Weights of TP, FN, FP and TN in numerator and denominator; None where it is no ratio."""
        if self.spec.quotient is not None:
            return self.spec.quotient(**self._declared)
        if not self.spec.share or not self.usual:
            return None
        cells = ("tp", "fn", "fp", "tn")
        part = self.spec.share[:1]
        numerator, denominator = (
            tuple(float(cell in held) for cell in cells) for held in (part, self.spec.share)
        )
        return numerator, denominator

    @property
    def in_voxels(self) -> bool:
        """Whether its lengths are in voxels."""
        return self.parameters.get(UNIT.name) == VOXEL

    @property
    def unit(self) -> str:
        """Unit of a value; empty where it has none."""
        return "voxels" if self.in_voxels and self.spec.unit else self.spec.unit


# --------------------------------------------------------------------------- statistics


def range_of_values(bounds: Bounds, _n: float, **_parameters: float) -> Bounds:
    """The range of a statistic that averages or picks values: that of the metric."""
    return bounds


def range_of_gaps(bounds: Bounds, _n: float, **_parameters: float) -> Bounds:
    """The range of a distance between values: from 0 to the width of the metric's range."""
    return Bounds(0.0, bounds.width)


def _unknown_range(_bounds: Bounds, _n: float, **_parameters: float) -> Bounds:
    return UNBOUNDED


def _as_the_mean(metric_n: int, **_parameters: float) -> int:
    return metric_n


@frozen
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
        ``range_rule(bounds, n, **parameters)``: from the metric's bounds to those of the statistic
        of n values.
    smooth : bool
        Whether it is a smooth function of the empirical distribution, as BCa supposes.
    min_n : int
        Fewest values for which it is defined.
    parameters : tuple of Parameter
    synonyms : tuple of str
    quantile_level : callable or None
        ``quantile_level(**parameters)``: the level of a quantile.
    reliable_n : callable
        ``reliable_n(metric_n, **parameters)``: cases for reliable coverage, given those that the
        mean of the metric needs.
    influence : callable or None
        ``influence(values, **parameters)``, shape ``(..., n) -> (..., n)``: the empirical
        influence of each case, n times what the statistic changes when the case's weight does.
        It makes a standard error under any design; None where there is none.
    vectorised : bool
        Whether ``function`` takes ``axis``.
    transform : Transform
        The scale for intervals by the delta method.
    of_records : bool
        Whether a sample holds codes or records of cases rather than values of a metric.
    pair_bounds : Bounds or None
        The range of either value of a pair, where it is of pairs of values or their differences.
    listed : int
        As of a metric.
    cite : str
    """

    name: str
    title: str
    function: Callable[..., Any]
    estimand: Estimand = Estimand.OTHER
    form: Form | None = None
    range_rule: Callable[..., Bounds] = _unknown_range
    smooth: bool = True
    min_n: int = 1
    parameters: tuple[Parameter, ...] = ()
    synonyms: tuple[str, ...] = ()
    quantile_level: Callable[..., float] | None = None
    reliable_n: Callable[..., int] = _as_the_mean
    influence: Callable[..., Array] | None = None
    vectorised: bool = True
    transform: Transform = Transform.IDENTITY
    of_records: bool = False
    pair_bounds: Bounds | None = None
    listed: int = LAST
    cite: str = ""

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the function that carries the spec, so that it stays the same spec."""
        return _reduced(self)


@frozen
class Statistic:
    """A summary statistic with its parameters bound; calling it reduces the last axis."""

    spec: StatisticSpec
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __call__(self, values: Array) -> Array:
        """The statistic of each sample of a batch, shape ``(..., n) -> (...)``."""
        if self.spec.vectorised:
            reduced = self.spec.function(values, axis=-1, **self.parameters)
        else:
            reduced = np.apply_along_axis(self.spec.function, -1, values)
        try:
            refuse_complex(reduced, self.spec.name)
            return np.asarray(reduced, dtype=float)
        except (TypeError, ValueError):
            raise OptionError(
                f"statistic {self.spec.name!r} returned {type(reduced).__name__} of "
                f"{np.asarray(reduced).dtype}; it must reduce the values of a sample to one number"
            ) from None

    def range(self, bounds: Bounds, n: float) -> Bounds:
        """Where the statistic of n values within some bounds lies."""
        return self.spec.range_rule(bounds, n, **self.parameters)

    @property
    def quantile_level(self) -> float:
        """The level of a quantile statistic; NaN for any other."""
        rule = self.spec.quantile_level
        return rule(**self.parameters) if rule else float("nan")


# --------------------------------------------------------------------------- methods


DISTRIBUTIONS = (Need.DISTRIBUTION, Need.STUDENTIZED, Need.WEIGHTED)
# Bootstraps that draw from 2 to 5 clusters cover 50 to 85 % of the time (decision 0042).
FEWEST_CLUSTERS_DRAWN = 6


@frozen
class Unanswered:
    """What is known of a sample for which a method gave no interval.

    Attributes
    ----------
    method : str
    units : int
        Independent units, of which there are enough.
    noun : str
        What a unit is called.
    level : Level
    quantile_level : float
        NaN where no quantile is estimated.
    constant : bool
        Whether all values are equal.
    proportion : bool
    bounded_mean : bool
        Whether a mean of independent cases within finite bounds is estimated.
    """

    method: str
    units: int
    noun: str
    level: Level
    quantile_level: float
    constant: bool
    proportion: bool
    bounded_mean: bool

    @property
    def units_text(self) -> str:
        """Such as ``12 clusters``."""
        return f"{self.units} {self.noun}{'' if self.units == 1 else 's'}"


@frozen
class MethodSpec:
    """What is known of a CI method.

    Attributes
    ----------
    name, title : str
        On the command line, with the parameters that are not as usual; in prose.
    function : callable
        Takes what ``needs`` names, in that order, and a `Level`; returns an `Interval`.
    accepts : frozenset of Estimand
        What it makes intervals for.
    needs : tuple of Need
    parameters : tuple of Parameter
        Numbers that its function, or ``pseudo_cases``, takes by name.
    bound : tuple of (str, float)
        Their values.
    pseudo_cases : callable or None
        ``pseudo_cases(bounds, paired=..., **bound)``: the `PseudoCases` of the distributions under
        Dirichlet weights that it needs.
    use_when : str
        One line of advice.
    min_n : int
        Fewest cases for which it gives an interval at all.
    promises : frozenset of Promise
    clips : bool
        Whether its bounds are always cut to the statistic's range, infinite ones among them.
    cautions : tuple of str
        Codes raised whenever the method is used.
    assumes : str
        What it takes for granted, in plain words.
    cite : str
    independent_only : bool
        Whether it supposes independent cases, without clusters and strata.
    no_interval : callable or None
        ``no_interval(sample)`` of an `Unanswered` one: why the method can be undefined there, and
        what helps, in words. None where too few cases are the only reason, or of a bootstrap, that
        the statistic is undefined on every resample.
    instead : callable or None
        The function of the method that ``auto`` takes where this one gives no interval.
    drawn : Drawn or None
        How it is drawn in figures; None: as what is left.
    of_each : MethodSpec or None
        By which the intervals are that it puts together; None: each by what ``auto`` takes.
    """

    name: str
    title: str
    function: Callable[..., Interval]
    accepts: frozenset[Estimand]
    needs: tuple[Need, ...]
    use_when: str
    min_n: int = 2
    promises: frozenset[Promise] = frozenset()
    clips: bool = False
    cautions: tuple[str, ...] = ()
    assumes: str = ""
    cite: str = ""
    synonyms: tuple[str, ...] = ()
    independent_only: bool = False
    no_interval: Callable[[Unanswered], tuple[str, str]] | None = None
    instead: Callable[..., Interval] | None = None
    drawn: Drawn | None = None
    parameters: tuple[Parameter, ...] = ()
    bound: tuple[tuple[str, float], ...] = ()
    pseudo_cases: Callable[..., PseudoCases] | None = None
    of_each: MethodSpec | None = None

    @property
    def accepts_text(self) -> str:
        """What it makes intervals for, in words."""
        what = ", ".join(sorted(self.accepts))
        if self.accepts == frozenset(Estimand):
            with_error = Need.STANDARD_ERROR in self.needs
            what = "with an SE" if with_error else "anything"
        return f"{what} of two samples" if self.takes_two_samples else what

    @property
    def designs_text(self) -> str:
        """Under which designs it works, in words."""
        if self.takes_two_samples:
            return "clusters, strata too"
        return "clusters, strata, pairs too" if self.takes_designs else "independent cases only"

    @property
    def distribution(self) -> Need | None:
        """The distribution it works on, or None."""
        return next((need for need in DISTRIBUTIONS if need in self.needs), None)

    @property
    def resamples(self) -> bool:
        """Whether it works on a bootstrap distribution or one under random weights."""
        return self.distribution is not None

    def fewest_units(self, statistic: StatisticSpec, *, clustered: bool) -> int:
        """Cases, or clusters where cases come in these, below which it gives no interval."""
        draws = self.resamples and Need.WEIGHTED not in self.needs
        if clustered:
            return max(self.min_n, FEWEST_CLUSTERS_DRAWN if draws else 2)
        # A resample of two cases is one of them twice, or both: an SD of 0, or that of the sample.
        differs = draws and statistic.min_n > 1 and not statistic.of_records
        return max(self.min_n, statistic.min_n + 1 if differs else 1)

    def with_parameters(self, given: Mapping[str, object]) -> MethodSpec:
        """The same with other values of its parameters, which then stand in its name and title."""
        bound = bind(self.name, self.parameters, given, complete=True)
        usual = {parameter.name: parameter.default for parameter in self.parameters}
        changed = {name: value for name, value in bound.items() if value != usual[name]}
        if not changed:
            return self
        written = ",".join(f"{name}={value!r}" for name, value in changed.items())
        said = ", ".join(f"{name} {value:g}" for name, value in changed.items())
        return replace(
            self,
            name=f"{self.name}:{written}",
            title=f"{self.title} ({said})",
            bound=tuple(bound.items()),
        )

    @property
    def takes_two_samples(self) -> bool:
        """Whether it compares two independent samples, and makes no interval of one."""
        return bool(OF_TWO_SAMPLES & set(self.needs))

    def makes_for(self, kinds: AbstractSet[Estimand]) -> bool:
        """Whether it makes an interval of one sample for one of some kinds of estimands."""
        return not self.takes_two_samples and bool(self.accepts & kinds)

    @property
    def takes_intervals(self) -> bool:
        """Whether it puts the intervals of two samples together, of whichever method."""
        return Need.BOTH_INTERVALS in self.needs

    def putting_together(self, method: MethodSpec) -> MethodSpec:
        """The same of intervals by one method, which then stands in its name and title."""
        return replace(
            self,
            name=f"{self.name}:{method.name}",
            title=f"{self.title} of {method.title}",
            of_each=method,
        )

    @property
    def needs_bounds(self) -> bool:
        """Whether it takes metrics with finite bounds only."""
        return Need.BOUNDS in self.needs or Need.WEIGHTED in self.needs

    @property
    def takes_designs(self) -> bool:
        """Whether it works with clusters and strata, not on independent cases alone."""
        return Need.SORTED_VALUES not in self.needs and not self.independent_only

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the function that carries the spec, so that it stays the same spec."""
        return _reduced(self)


# --------------------------------------------------------------------------- declaring


def _reduced(spec: StatisticSpec | MethodSpec) -> tuple[Any, ...]:
    if spec_of(spec.function) is spec:
        return spec_of, (spec.function,)
    return type(spec), tuple(getattr(spec, f.name) for f in fields(spec))


def _attach(function: F, spec: object) -> F:
    setattr(function, _SPEC, spec)
    return function


def metric(**given: Any) -> Callable[[F], F]:
    """Declare a metric: attach its `MetricSpec` and return the same function."""

    def declare(function: F) -> F:
        summary = (function.__doc__ or "").strip().partition("\n")[0]
        function_given: dict[str, Any] = {"function": function} if "takes" in given else {}
        return _attach(
            function, MetricSpec(function.__name__, summary=summary, **function_given, **given)
        )

    return declare


def statistic(**given: Any) -> Callable[[F], F]:
    """Declare a summary statistic: attach its `StatisticSpec` and return the same function."""

    def declare(function: F) -> F:
        return _attach(function, StatisticSpec(function.__name__, function=function, **given))

    return declare


def interval_method(**given: Any) -> Callable[[F], F]:
    """Declare a CI method: attach its `MethodSpec` and return the same function."""

    def declare(function: F) -> F:
        defaults = bind(function.__name__, given.get("parameters", ()), {}, complete=True)
        bound = tuple(defaults.items())
        return _attach(
            function, MethodSpec(function.__name__, function=function, bound=bound, **given)
        )

    return declare


def spec_of(function: Callable[..., Any]) -> Any:
    """The spec that a decorator attached to a function, or None."""
    return getattr(function, _SPEC, None)
