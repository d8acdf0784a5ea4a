"""What is known of a CI method, declared once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from halfwidth.core.declaring import F, attach, first_line, pickled
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import (
    OF_TWO_SAMPLES,
    PAIRS_OF_CASES,
    Estimand,
    Need,
    Promise,
)
from halfwidth.core.parameters import Parameter, bind
from halfwidth.core.pseudo_cases import PseudoCases
from halfwidth.core.statistic_spec import Statistic, StatisticSpec
from halfwidth.core.types import Bounds, Interval, Level

DISTRIBUTIONS = (
    Need.DISTRIBUTION,
    Need.STUDENTIZED,
    Need.WEIGHTED,
    Need.DEVIATIONS,
    Need.PAIRED_SIZES,
    Need.PRODUCTS,
)
# Bootstraps that draw from 2 to 5 clusters cover 50 to 85 % of the time (decision 0042).
FEWEST_CLUSTERS_DRAWN = 6


@frozen
class Unanswered:
    """A sample for which a method gave no interval."""

    method: str
    # Enough independent units.
    units: int
    # What a unit is called.
    noun: str
    level: Level
    # NaN where no quantile is estimated.
    quantile_level: float
    # Whether all values are equal.
    constant: bool
    proportion: bool
    # Whether a mean of independent cases within finite bounds is estimated.
    bounded_mean: bool
    # Whether the end that is asked for is one that few cases leave open.
    open_end: bool = False

    @property
    def units_text(self) -> str:
        """Units and their number, such as ``12 clusters``."""
        return f"{self.units} {self.noun}{'' if self.units == 1 else 's'}"


@frozen
class MethodSpec:
    """What is known of a CI method."""

    # On the command line, with the parameters that are not as usual; in prose.
    name: str
    title: str
    # Takes what ``needs`` names, in that order, and a `Level`; returns an `Interval`.
    function: Callable[..., Interval]
    # What it makes intervals for.
    accepts: frozenset[Estimand]
    needs: tuple[Need, ...]
    # One line of advice.
    use_when: str
    # Fewest cases for which it gives an interval at all.
    min_n: int = 2
    promises: frozenset[Promise] = frozenset()
    # Whether its bounds are always cut to the statistic's range, infinite ones among them.
    clips: bool = False
    # Codes raised whenever the method is used.
    cautions: tuple[str, ...] = ()
    # What it takes for granted, in plain words.
    assumes: str = ""
    # ``stated(pseudo_cases, statistic, n, unit)``: what a stranger needs to know of its
    # pseudo-cases, and in further sentences of its levels, to recompute its intervals from so
    # many units. None where ``cite`` says it.
    stated: Callable[[PseudoCases, StatisticSpec, int, str], tuple[str, ...]] | None = None
    cite: str = ""
    synonyms: tuple[str, ...] = ()
    # Whether it supposes independent cases, without clusters and strata.
    independent_only: bool = False
    # ``no_interval(sample)`` of an `Unanswered` one: why the method can be undefined there, and
    # what helps, in words. None where too few cases are the only reason, or of a bootstrap, that
    # the statistic is undefined on every resample.
    no_interval: Callable[[Unanswered], tuple[str, str]] | None = None
    # The function of the method that ``auto`` takes where this one gives no interval.
    instead: Callable[..., Interval] | None = None
    # ``attains(statistic, bounds, units, level)``: the `Level` of its interval, where that need not
    # be the one asked for. None where it always is.
    attains: Callable[[Statistic, Bounds, int, Level], Level] | None = None
    # Numbers that its function, or ``pseudo_cases``, takes by name.
    parameters: tuple[Parameter, ...] = ()
    # Their values.
    bound: tuple[tuple[str, float], ...] = ()
    # ``pseudo_cases(bounds, paired=..., spread=..., **bound)``: the `PseudoCases` of the
    # distributions under Dirichlet weights that it needs, of a spread or another statistic.
    pseudo_cases: Callable[..., PseudoCases] | None = None
    # By which the intervals are that it puts together; None: each by what ``auto`` takes.
    of_each: MethodSpec | None = None

    @property
    def accepts_text(self) -> str:
        """What it makes intervals for, in words."""
        estimands = ", ".join(sorted(self.accepts))
        if self.accepts >= frozenset(Estimand) - PAIRS_OF_CASES:
            with_error = Need.STANDARD_ERROR in self.needs
            estimands = "with an SE" if with_error else "anything"
        return f"{estimands} of two samples" if self.takes_two_samples else estimands

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
        """Whether it works on resamples, random weights or drawn noise."""
        return self.distribution is not None

    def fewest_units(self, statistic: StatisticSpec, *, clustered: bool) -> int:
        """Cases, or clusters where cases come in these, below which it gives no interval."""
        draws = self.resamples and Need.WEIGHTED not in self.needs
        if clustered:
            return max(self.min_n, FEWEST_CLUSTERS_DRAWN if draws else 2)
        # A resample of two cases is one of them twice, or both: an SD of 0, or that of the sample.
        differs = draws and statistic.min_n > 1 and not statistic.of_records
        return max(self.min_n, statistic.min_n + 1 if differs else 1)

    def with_parameters(self, values: Mapping[str, object]) -> MethodSpec:
        """A copy with other values of its parameters, which then stand in its name and title."""
        bound = bind(self.name, self.parameters, values, complete=True)
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
        """Whether it combines the intervals of two samples, whatever their method."""
        return Need.BOTH_INTERVALS in self.needs

    def putting_together(self, method: MethodSpec) -> MethodSpec:
        """A copy that puts intervals by one method together, which stands in its name and title."""
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
        return first_line(self.function)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the function that carries the spec, so that it stays the same spec."""
        return pickled(self)


def interval_method(**fields: Any) -> Callable[[F], F]:
    """Declare a CI method: attach its `MethodSpec` and return the same function."""

    def declare(function: F) -> F:
        defaults = bind(function.__name__, fields.get("parameters", ()), {}, complete=True)
        bound = tuple(defaults.items())
        return attach(
            function, MethodSpec(function.__name__, function=function, bound=bound, **fields)
        )

    return declare
