"""Validation, done once at the door; everything below trusts what comes from here."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, closest
from halfwidth.core.parameters import Parameter, bind, parse_name
from halfwidth.core.rng import resolve_seed
from halfwidth.core.spec import (
    Estimand,
    Kind,
    MethodSpec,
    Metric,
    MetricSpec,
    Need,
    Statistic,
    StatisticSpec,
    spec_of,
)
from halfwidth.core.types import Array, Bounds, Level
from halfwidth.core.undefined import MISSING_POLICIES, Missing, apply_missing_policy
from halfwidth.intervals.catalogue import METHODS
from halfwidth.intervals.compute import estimands
from halfwidth.metrics.catalogue import METRICS
from halfwidth.summaries.catalogue import STATISTICS

__all__ = [
    "AUTO",
    "PROPORTION",
    "Request",
    "Sample",
    "accepted_methods",
    "as_numbers",
    "check_accepts",
    "check_bounds",
    "check_sample",
    "resolve_metric",
    "resolve_request",
    "resolve_statistic",
]

AUTO = "auto"
UNNAMED = MetricSpec("value", title="", summary="any number per case")
PROPORTION = MetricSpec(
    "proportion", title="", bounds=Bounds(0.0, 1.0), kind=Kind.BINARY, reliable_n=10
)
# Values this little outside the bounds, relative to their width, are rounding of the file.
RANGE_ROUNDING = 1e-9


@dataclass(frozen=True)
class Request:
    """The options common to all estimates of one call, checked.

    Attributes
    ----------
    method : MethodSpec or None
        None for ``auto``.
    level : Level
    n_resamples : int
    seed : int
        Root entropy of the draws.
    missing : {"raise", "omit", "worst"}
    penalty : float or None
    """

    method: MethodSpec | None
    level: Level
    n_resamples: int
    seed: int
    missing: Missing
    penalty: float | None


@dataclass(frozen=True)
class Sample:
    """Per-case values ready for use: finite, in range, ascending.

    Attributes
    ----------
    values : ndarray, shape (n,)
    metric : Metric
    binary : bool
        Whether the values are 0 and 1, so that their mean is a proportion.
    n_missing, n_infinite : int
        Values that were missing or infinite, and the latter alone.
    """

    values: Array
    metric: Metric
    binary: bool
    n_missing: int
    n_infinite: int = 0

    @property
    def n(self) -> int:
        """Cases that count."""
        return len(self.values)


# --------------------------------------------------------------------------- names


def resolve_metric(metric: Any = None, bounds: Any = None) -> Metric:
    """The metric meant by a name, a spec, a declared function or nothing.

    ``bounds`` replaces the range of a known metric and makes any other name a metric of the
    user's own.
    """
    given: Mapping[str, object] = {}
    if isinstance(metric, str):
        name, given = parse_name(metric, _parameters_of_metric)
        if name in METRICS:
            spec = METRICS[name]
        elif bounds is not None:
            spec = MetricSpec(name)
        else:
            raise UnknownNameError(
                "metric",
                name,
                METRICS.names,
                synonyms=METRICS.every_name,
                hint="A metric of your own needs bounds (low and high; inf is allowed).",
            )
    elif isinstance(metric, Metric):
        spec, given = metric.spec, dict(metric.parameters)
    elif isinstance(metric, MetricSpec):
        spec = metric
    elif metric is None:
        spec = UNNAMED
    else:
        attached = spec_of(metric) if callable(metric) else None
        if not isinstance(attached, MetricSpec):
            raise OptionError(
                f"metric={metric!r} is neither a name, a MetricSpec nor one of halfwidth's metric "
                "functions; values are already computed here, so name what they are, or give bounds"
            )
        spec = attached
    if bounds is not None:
        spec = replace(spec, bounds=_as_bounds(bounds))
    return Metric(spec, bind(spec.name, spec.parameters, given, complete=False))


def _parameters_of_metric(name: str) -> tuple[Parameter, ...]:
    return METRICS[name].parameters if name in METRICS else ()


def _as_bounds(bounds: Any) -> Bounds:
    if isinstance(bounds, Bounds):
        return bounds
    try:
        low, high = (float(end) for end in bounds)
    except (TypeError, ValueError):
        raise OptionError(f"bounds={bounds!r} is not a pair of numbers (low, high)") from None
    return Bounds(low, high)


def resolve_statistic(statistic: Any) -> Statistic:
    """The summary statistic meant by a name, a declared function (or partial) or any callable."""
    if isinstance(statistic, Statistic):
        return statistic
    given: Mapping[str, object] = {}
    if isinstance(statistic, str):
        name, given = parse_name(statistic, lambda n: STATISTICS[n].parameters)
        spec = STATISTICS[name]
    elif isinstance(statistic, StatisticSpec):
        spec = statistic
    elif callable(statistic):
        inner = statistic.func if isinstance(statistic, functools.partial) else statistic
        declared = spec_of(inner)
        if not isinstance(declared, StatisticSpec):
            return Statistic(_spec_of_callable(statistic))
        spec = declared
        given = statistic.keywords if isinstance(statistic, functools.partial) else {}
    else:
        raise OptionError(
            f"statistic={statistic!r} is neither a name ({', '.join(STATISTICS.names)}) "
            "nor a callable"
        )
    return Statistic(spec, bind(spec.name, spec.parameters, given, complete=True))


def _spec_of_callable(function: Callable[..., Any]) -> StatisticSpec:
    inner = function.func if isinstance(function, functools.partial) else function
    name = getattr(inner, "__name__", type(inner).__name__)
    title = "statistic" if name == "<lambda>" else name
    try:
        vectorised = "axis" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        vectorised = False
    return StatisticSpec(name, title, function, vectorised=vectorised)


def accepted_methods(statistic: Statistic, *, binary: bool) -> list[str]:
    """Names of the methods that make intervals for a statistic."""
    wanted = estimands(statistic, binary=binary)
    return [method.name for method in METHODS if method.accepts & wanted]


def resolve_request(
    *,
    method: Any,
    confidence_level: float,
    alternative: Any,
    n_resamples: int,
    rng: Any,
    missing: Any,
    penalty: float | None,
) -> Request:
    """Check the options that all front doors share."""
    if missing not in MISSING_POLICIES:
        near = closest(str(missing), MISSING_POLICIES)
        raise OptionError(
            f"missing={missing!r} is none of {', '.join(MISSING_POLICIES)}"
            + (f"; did you mean {near!r}?" if near else "")
        )
    if penalty is not None and not isinstance(penalty, int | float | np.number):
        raise OptionError(f"penalty={penalty!r} is not a number")
    if penalty is not None and missing != "worst":
        raise OptionError(
            f"penalty={penalty:g} has no effect with missing={missing!r}; use missing='worst'"
        )
    try:
        resamples = operator.index(n_resamples)
    except TypeError:
        resamples = 0
    if resamples < 2:
        raise OptionError(f"n_resamples={n_resamples!r} is not an integer from 2 up (usual: 9999)")
    return Request(
        _resolve_method(method),
        Level(confidence_level, alternative),
        resamples,
        resolve_seed(rng),
        missing,
        penalty,
    )


def _resolve_method(method: Any) -> MethodSpec | None:
    if isinstance(method, MethodSpec):
        return method
    if not isinstance(method, str):
        raise OptionError(
            f"method={method!r} is not a name; known: auto, {', '.join(METHODS.names)}"
        )
    if method.strip().lower() == AUTO:
        return None
    if method not in METHODS:
        raise UnknownNameError(
            "method", method, [AUTO, *METHODS.names], synonyms=METHODS.every_name
        )
    return METHODS[method]


# --------------------------------------------------------------------------- values


def as_numbers(values: Any, where: str = "values", cases: Sequence[object] | None = None) -> Array:
    """A flat float array; None, NA and masked entries become NaN.

    Raises
    ------
    DataError
        For text, nested data or complex numbers; says which case.
    """
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(float), np.nan)
    array = _as_flat_array(values, where)
    if array.dtype.kind in "bui":
        return array.astype(float)
    if array.dtype.kind == "f":
        return array.astype(float, copy=False)
    if array.dtype.kind != "O":
        raise DataError(f"{where}: cannot use values of type {array.dtype}")
    numbers = [_as_number(value) for value in array]
    if None in numbers:
        raise _not_a_number(array.tolist(), where, cases)
    return np.array(numbers, dtype=float)


def _as_flat_array(values: Any, where: str) -> np.ndarray[Any, Any]:
    """One dimension of numbers or objects; NumPy would turn a list with one text into text."""
    if isinstance(values, str | bytes | Mapping):
        raise DataError(f"{where}: expected one number per case, got {values!r}")
    try:
        array = np.asarray(values)
    except ValueError:
        raise DataError(f"{where}: expected one number per case, got nested values") from None
    if array.dtype.kind in "SU":
        array = np.asarray(values, dtype=object)
    if array.ndim == 0:
        raise DataError(f"{where}: expected one number per case, got {values!r}")
    if array.ndim != 1:
        raise DataError(
            f"{where}: expected one number per case (one dimension), got shape {array.shape}"
        )
    return array


def _are_bools(values: Any) -> bool:
    """Whether the values say right or wrong rather than how much."""
    array = np.asarray(values)
    if array.dtype.kind == "O":
        return all(isinstance(value, bool | np.bool_) for value in array)
    return array.dtype.kind == "b"


def _as_number(value: Any) -> float | None:
    """A cell as a float, None where it is none."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return float("nan")
    if isinstance(value, bool | int | float | np.number | np.bool_) and not np.iscomplexobj(value):
        return float(value)
    return None


def _not_a_number(values: Sequence[Any], where: str, cases: Sequence[object] | None) -> DataError:
    """Blames the first cell that no reading makes a number; else the first that is text."""
    texts = [i for i, value in enumerate(values) if _as_number(value) is None]
    position = next((i for i in texts if not _reads_as_number(values[i])), texts[0])
    value = values[position]
    case = cases[position] if cases is not None else f"#{position + 1}"
    hint = ""
    if isinstance(value, str) and value.count(",") == 1:
        hint = "; write decimals with a point"
    elif isinstance(value, str) and value.endswith("%"):
        hint = "; remove the % signs and use scale=100 (--scale 100)"
    elif _reads_as_number(value):
        hint = " but text; convert the values first"
    return DataError(f"{where}: case {case} holds {value!r}, which is not a number{hint}")


def _reads_as_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def check_sample(
    values: Any,
    metric: Metric,
    request: Request,
    *,
    scale: float = 1.0,
    where: str = "values",
    cases: Sequence[object] | None = None,
    may_be_empty: bool = False,
) -> Sample:
    """Per-case values made ready, or a `DataError` that says what is wrong with them and where."""
    numbers = as_numbers(values, where, cases)
    if not isinstance(scale, int | float | np.number) or not np.isfinite(scale) or scale <= 0:
        raise OptionError(f"scale={scale!r} is not a positive number; values are divided by it")
    numbers = numbers / scale
    # Out of range is out of range, whatever becomes of the missing ones.
    _check_range(numbers, metric.spec, scale, where, cases)
    finite, n_missing = apply_missing_policy(
        numbers, request.missing, request.penalty, metric, where, cases
    )
    if not len(finite) and not may_be_empty:
        raise DataError(f"{where}: no values" + (" left" if len(numbers) else " given"))
    binary = metric.spec.kind is Kind.BINARY
    if metric.spec == UNNAMED and len(finite):
        binary = _are_bools(values) or set(np.unique(finite)) == {0.0, 1.0}
        if binary:
            metric = Metric(PROPORTION)
    return Sample(np.sort(finite), metric, binary, n_missing, int(np.isinf(numbers).sum()))


def _check_range(
    numbers: Array, spec: MetricSpec, scale: float, where: str, cases: Sequence[object] | None
) -> None:
    bounds, finite = spec.bounds, np.isfinite(numbers)
    slack = RANGE_ROUNDING * bounds.width if bounds.finite else 0.0
    outside = finite & ((numbers < bounds.low - slack) | (numbers > bounds.high + slack))
    if spec.kind is Kind.BINARY:
        outside = finite & (numbers != 0) & (numbers != 1)
    if not outside.any():
        return
    first = int(np.flatnonzero(outside)[0])
    case = cases[first] if cases is not None else f"#{first + 1}"
    allowed = "0 and 1" if spec.kind is Kind.BINARY else f"the range {bounds}"
    text = (
        f"{where}: {int(outside.sum())} of {len(numbers)} values lie outside {allowed} of "
        f"{spec.called} (case {case}: {numbers[first]:g})"
    )
    seen = numbers[finite]
    if bounds == Bounds(0, 1) and scale == 1 and seen.min() >= 0 and 1.5 < seen.max() <= 100:
        text += ". They look like per cent: use scale=100 (--scale 100)"
    elif spec.kind is Kind.BINARY:
        text += ". It takes 1 for a case that is right and 0 for one that is not"
    raise DataError(text)


def check_accepts(method: MethodSpec, statistic: Statistic, *, binary: bool) -> None:
    """Refuse a method that makes no intervals for the statistic, naming those that do."""
    accepted = accepted_methods(statistic, binary=binary)
    if method.name in accepted:
        return
    reason = ""
    if Estimand.PROPORTION in method.accepts and statistic.spec.estimand is Estimand.MEAN:
        reason = " unless every value is 0 or 1 (metric 'correct')"
    raise OptionError(
        f"method {method.name!r} makes no interval for the {statistic.spec.title}{reason}; "
        f"use auto, {', '.join(accepted)}"
    )


def check_bounds(method: MethodSpec, metric: Metric) -> None:
    """Refuse a concentration bound for a metric without a finite range."""
    if Need.BOUNDS in method.needs and not metric.spec.bounds.finite:
        raise OptionError(
            f"method {method.name!r} needs a metric with finite bounds; {metric.spec.called} has "
            f"{metric.spec.bounds}. Name the metric, or give bounds"
        )
