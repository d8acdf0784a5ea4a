"""What is known of a summary statistic, declared once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from halfwidth.core.checks import refuse_complex
from halfwidth.core.declaring import LAST, F, attach, first_line, pickled
from halfwidth.core.errors import OptionError
from halfwidth.core.forms import Contrast, Form
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Estimand, Transform
from halfwidth.core.parameters import Parameter
from halfwidth.core.types import UNBOUNDED, Array, Bounds


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
        return first_line(self.function)

    @property
    def is_spread(self) -> bool:
        """Whether it is a spread, or the difference of two."""
        single = self.form.statistic if isinstance(self.form, Contrast) else self
        return single.estimand is Estimand.SPREAD

    @property
    def is_mean_of_values(self) -> bool:
        """Whether it is a plain mean, and not a ratio of sums, as that of weighted cases is."""
        return self.estimand is Estimand.MEAN and not self.of_records

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as the function that carries the spec, so that it stays the same spec."""
        return pickled(self)


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
            reduced = self._sample_by_sample(values)
        try:
            refuse_complex(reduced, self.spec.name)
            return np.asarray(reduced, dtype=float)
        except (TypeError, ValueError):
            raise OptionError(
                f"statistic {self.spec.name!r} returned {type(reduced).__name__} of "
                f"{np.asarray(reduced).dtype}; it must reduce the values of a sample to one number"
            ) from None

    def _sample_by_sample(self, values: Array) -> Any:
        try:
            return np.apply_along_axis(self.spec.function, -1, values)
        except TypeError as error:
            raise OptionError(
                f"statistic {self.spec.name!r} cannot be called with a sample of values: {error}"
            ) from error

    def range(self, bounds: Bounds, n: float) -> Bounds:
        """Where the statistic of n values within some bounds lies."""
        return self.spec.range_rule(bounds, n, **self.parameters)

    @property
    def quantile_level(self) -> float:
        """The level of a quantile statistic; NaN for any other."""
        rule = self.spec.quantile_level
        return rule(**self.parameters) if rule else float("nan")


def statistic(**fields: Any) -> Callable[[F], F]:
    """Declare a summary statistic: attach its `StatisticSpec` and return the same function."""

    def declare(function: F) -> F:
        return attach(function, StatisticSpec(function.__name__, function=function, **fields))

    return declare
