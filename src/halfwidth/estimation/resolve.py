"""What names and options mean, checked once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from halfwidth.core.by_metric import Numbers, as_numbers
from halfwidth.core.checks import as_choice, as_count, one_of
from halfwidth.core.errors import OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import PAIRS_OF_CASES
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import bind, parse_name
from halfwidth.core.pseudo_cases import FAILURES, Failures
from halfwidth.core.rng import resolve_seed
from halfwidth.core.spec import (
    Estimand,
    MethodSpec,
    Metric,
    Need,
    Statistic,
    StatisticSpec,
    spec_of,
)
from halfwidth.core.types import Level, Over
from halfwidth.core.undefined import MISSING_POLICIES, AnyMissing, missing_policy
from halfwidth.intervals.all_methods import METHODS, method_named
from halfwidth.intervals.compute import estimands, fits, rests_on_bounds
from halfwidth.resampling.designs import Design
from halfwidth.summaries.all_statistics import STATISTICS

AUTO = "auto"
# The version of its rule (`choose`). From release 0.1.0 on, a change of rule is a new one.
RULE = f"{AUTO}@2"
# Their replicates take 80 MB; the error that drawing leaves is far below any that matters.
MOST_RESAMPLES = 10**7
MOST_THREADS = 1024
USUAL_RESAMPLES = 9999


@frozen
class Request:
    """The options common to all estimates of one call, checked."""

    # None for ``auto``.
    method: MethodSpec | None
    level: Level
    n_resamples: int
    # Root entropy of the draws.
    seed: int
    missing: AnyMissing
    penalty: Numbers | None
    # What the statistic is taken of.
    over: Over = "cases"
    # That long bootstraps of ranked scores run in.
    threads: int = 1
    # Whether resamples were asked for by their number, so that they are drawn even where their
    # distribution is known exactly.
    draws: bool = True
    # Whether ``auto`` makes the interval for populations that fail as these cases did, or for such
    # as may fail as none of these did; for ``"both"`` a verdict holds under either.
    failures: Failures = "seen"
    # What its bootstraps have in common, at any level, and those of other calls on the same data.
    kept: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)


def resolve_statistic(statistic: Any) -> Statistic:
    """The summary statistic meant by a name, a declared function (or partial) or any callable."""
    if isinstance(statistic, Statistic):
        return statistic
    parameters: Mapping[str, object] = {}
    if isinstance(statistic, str):
        name, parameters = parse_name(statistic, lambda n: STATISTICS[n].parameters)
        spec = STATISTICS[name]
    elif isinstance(statistic, StatisticSpec):
        spec = statistic
    elif callable(statistic):
        inner = statistic.func if isinstance(statistic, functools.partial) else statistic
        declared = (
            STATISTICS[_NUMPY_SYNONYMS[statistic]]
            if statistic in _NUMPY_SYNONYMS
            else spec_of(inner)
        )
        if not isinstance(declared, StatisticSpec):
            return Statistic(_callable_spec(statistic))
        spec = declared
        parameters = statistic.keywords if isinstance(statistic, functools.partial) else {}
    else:
        raise OptionError(
            f"{spelled('statistic', statistic)} is neither a name ({', '.join(STATISTICS.names)}) "
            "nor a callable"
        )
    return Statistic(spec, bind(spec.name, spec.parameters, parameters, complete=True))


# NumPy's functions that are ours by another name.
_NUMPY_SYNONYMS: dict[Any, str] = {np.mean: "mean", np.median: "median"}


def _callable_spec(function: Callable[..., Any]) -> StatisticSpec:
    inner = function.func if isinstance(function, functools.partial) else function
    name = getattr(inner, "__name__", type(inner).__name__)
    title = "statistic" if name == "<lambda>" else name
    try:
        vectorised = "axis" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        vectorised = False
    return StatisticSpec(name, title, function, vectorised=vectorised)


def accepted_methods(
    statistic: Statistic, *, binary: bool, design: Design | None = None
) -> list[str]:
    """Names of the methods that make intervals for a statistic (of independent cases)."""
    under = design or Design.iid(0)
    return [method.name for method in METHODS if fits(method, statistic, under, binary=binary)]


def resolve_request(
    *,
    method: Any,
    confidence_level: float,
    n_resamples: int | None,
    rng: Any,
    alternative: Any = "two-sided",
    missing: Any = "raise",
    penalty: Numbers | None = None,
    over: Any = "cases",
    threads: Any = 1,
    failures: Any = "seen",
    policies: Sequence[str] = MISSING_POLICIES,
    kept: dict[Hashable, Any] | None = None,
) -> Request:
    """Check the options that all public functions share, and what a missing value may mean."""
    missing_policy(missing, policies)
    penalty = None if penalty is None else as_numbers("penalty", penalty)
    if penalty is not None and missing != "worst":
        raise OptionError(
            f"{spelled('penalty', penalty)} has no effect with {spelled('missing', missing)}; use "
            f"{spelled('missing', 'worst')}"
        )
    resamples = USUAL_RESAMPLES if n_resamples is None else as_count(n_resamples) or 0
    if resamples < 2:
        raise OptionError(
            f"{spelled('n_resamples', n_resamples)} must be an integer ≥ 2 (usual: 9999)"
        )
    if resamples > MOST_RESAMPLES:
        raise OptionError(
            f"{spelled('n_resamples', n_resamples)} is above {MOST_RESAMPLES} (usual: 9999); "
            "more of them change nothing"
        )
    n_threads = as_count(threads) or 0
    if n_threads < 1:
        raise OptionError(f"{spelled('n_threads', threads)} must be an integer ≥ 1")
    if n_threads > MOST_THREADS:
        raise OptionError(f"{spelled('n_threads', threads)} is above {MOST_THREADS}")
    resolved_method = _resolve_method(method)
    return Request(
        resolved_method,
        Level(confidence_level, alternative),
        resamples,
        resolve_seed(rng),
        missing,
        penalty,
        as_choice("over", over),
        n_threads,
        draws=n_resamples is not None,
        failures=_resolve_failures(failures, method if resolved_method else None),
        kept={} if kept is None else kept,
    )


def _resolve_failures(failures: Any, named: Any) -> Failures:
    """The failures to allow for; ``named`` is the method, None for ``auto``."""
    chosen: Failures = one_of("failures", failures, FAILURES)
    if chosen != "seen" and named is not None:
        raise OptionError(
            f"{spelled('failures', chosen)} says which interval auto makes, and "
            f"{spelled('method', named)} is named; leave one of the two out"
        )
    return chosen


def _resolve_method(method: Any) -> MethodSpec | None:
    declared = spec_of(method) if callable(method) else method
    if isinstance(declared, MethodSpec):
        return declared
    if not isinstance(method, str):
        raise OptionError(
            f"{spelled('method', method)} is not a name; known: {shortened([AUTO, *METHODS.names])}"
        )
    if method.strip().lower() in (AUTO, RULE):
        return None
    if method.strip().lower() == f"{AUTO}@1":
        raise OptionError(
            f"{spelled('method', method)} was never released, and its rule is gone; give {RULE}"
        )
    if method.strip().lower().startswith(f"{AUTO}@"):
        raise OptionError(f"{spelled('method', method)} is not a version of auto; give {RULE}")
    name, colon, _ = method.partition(":")
    known = METHODS.find(name)
    if known is None:
        raise UnknownNameError(
            "method", method, [AUTO, *METHODS.names], synonyms=METHODS.every_name
        )
    return method_named(method) if colon else known


def check_accepts(
    method: MethodSpec,
    metric: Metric,
    statistic: Statistic,
    *,
    binary: bool,
    design: Design,
    quantity: str = "",
) -> None:
    """Refuse a method that makes no intervals for the statistic, naming those that do."""
    bounds = metric.spec.bounds
    if not fits(method, statistic, design, binary=binary):
        reason = _why_not(method, statistic, design, binary=binary, per_case=not quantity)
        accepted = [
            name
            for name in accepted_methods(statistic, binary=binary, design=design)
            if bounds.finite or not rests_on_bounds(METHODS[name], statistic)
        ]
        raise OptionError(
            f"method {method.name!r} makes no interval for the {quantity or statistic.spec.title}"
            f"{reason}; use auto, {', '.join(accepted)}"
        )
    if not bounds.finite and rests_on_bounds(method, statistic):
        raise OptionError(
            f"method {method.name!r} needs a metric with finite bounds; those of "
            f"{metric.spec.called} are {bounds}. Name the metric, or give {spelled('bounds')}"
        )


def _why_not(
    method: MethodSpec, statistic: Statistic, design: Design, *, binary: bool, per_case: bool
) -> str:
    if fits(method, statistic, Design.iid(0), binary=binary):
        return f" when cases are {design.name} (groups, strata)"
    if method.takes_two_samples:
        return " of one sample: it compares two"
    if statistic.spec.estimand in PAIRS_OF_CASES and method.resamples:
        return ", since copies of a case in a resample would form pairs"
    if method.accepts & estimands(statistic, binary=binary):
        lacks = "weighted form" if Need.WEIGHTED in method.needs else "standard error"
        return f", which has no {lacks}"
    proportion = Estimand.PROPORTION in method.accepts
    if per_case and proportion and statistic.spec.estimand is Estimand.MEAN:
        return " unless every value is 0 or 1 (metric 'correct')"
    return ""
