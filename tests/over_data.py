"""A verb over data that are made in the same call: options of both, as one dictionary has them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from support import quickly

import halfwidth as hw

__all__ = [
    "estimate_detections",
    "estimate_detector",
    "in_centres",
    "matched_detections",
    "metric_ci",
    "over",
]

T = TypeVar("T")


def metric_ci(
    y_true: Any, y_score: Any, *, metric: Any, average: Any = None, **options: Any
) -> Any:
    """`hw.metric_ci` with all options of predictions, of metrics and of `hw.estimate`."""
    tables: dict[str, Any] = {
        name: options.pop(name) for name in ("costs", "priors") if name in options
    }
    single = not isinstance(metric, list | tuple)
    metric = with_tables(metric, tables) if single else [with_tables(m, tables) for m in metric]
    if tables and isinstance(options.get("threshold"), str):
        options["threshold"] = with_tables(options["threshold"], tables)
    if not options.keys() - inspect.signature(hw.metric_ci).parameters:
        asked = functools.partial(hw.metric_ci, y_true, y_score, metric=metric, average=average)
        return quickly(asked, **options) if "n_resamples" in options else asked(**options)
    of_data = inspect.signature(hw.Predictions.from_arrays).parameters
    described = {name: options.pop(name) for name in of_data if name in options}
    data = hw.Predictions.from_arrays(y_true, y_score, **described)
    found = hw.estimate(data, metric=metric, average=average, **options)
    single = single and not isinstance(average, list | tuple)
    return found[0] if single and len(found) == 1 else found


def over(verb: Callable[..., T], made: Callable[..., Any]) -> Callable[..., T]:
    """``over(hw.rank, hw.CaseValues.from_table)`` takes the options of both functions.

    What both have (``metric``) goes to the data.
    """
    of_data = inspect.signature(made).parameters
    _, *further_of_verb = inspect.signature(verb).parameters.values()
    of_verb = [
        one.replace(kind=one.KEYWORD_ONLY)
        for one in further_of_verb
        if one.name not in of_data and (one.kind is one.KEYWORD_ONLY or one.default is one.empty)
    ]

    def called(*positional: Any, **keywords: Any) -> T:
        given = {name: one for name, one in keywords.items() if name in of_data}
        further = {name: one for name, one in keywords.items() if name not in of_data}
        return verb(made(*positional, **given), **further)

    called.__dict__["__signature__"] = inspect.Signature([*of_data.values(), *of_verb])
    return called


def with_tables(metric: Any, tables: Mapping[str, Any]) -> Any:
    """A metric that is named, with the costs and priors that it takes."""
    if not tables or not isinstance(metric, str) or metric not in hw.SAMPLE_METRICS:
        return metric
    spec = hw.SAMPLE_METRICS[metric]
    taken = {name: one for name, one in tables.items() if name in spec.tables}
    return functools.partial(getattr(hw.metrics, spec.name), **taken)


OF_MATCHING = inspect.signature(hw.Matching).parameters


def matched_detections(detections: Any, references: Any, **options: Any) -> hw.Detections:
    """Detections with the options of their matching beside the others."""
    matching = {name: options.pop(name) for name in OF_MATCHING if name in options}
    return hw.Detections.from_files(detections, references, matching=matching, **options)


def estimate_detections(detections: Any, references: Any, **options: Any) -> hw.Estimates:
    """Estimates of detectors, with the options of `hw.estimate` and of the data."""
    of_verb = inspect.signature(hw.estimate).parameters
    asked = {name: options.pop(name) for name in of_verb if name in options}
    return hw.estimate(matched_detections(detections, references, **options), **asked)


def estimate_detector(detections: Any, references: Any, **options: Any) -> hw.DetectionEstimate:
    """The same where it is one row."""
    (one,) = estimate_detections(detections, references, **options)
    assert isinstance(one, hw.DetectionEstimate)
    return one


def in_centres(y: Any, p: Any, centre: Any, **described: Any) -> hw.Predictions:
    """Predictions whose levels are centres; clusters and weights are given for each case."""
    of_cases = [name for name in ("groups", "sample_weight") if name in described]
    table: dict[str, Any] = {
        "y": y,
        "p": p,
        "centre": centre,
        **{name: described.pop(name) for name in of_cases},
    }
    columns: dict[str, Any] = dict(zip(of_cases, of_cases, strict=True))
    return hw.Predictions.from_table(table, "y", score="p", by="centre", **columns, **described)
