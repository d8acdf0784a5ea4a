"""The verbs over kinds of data, for commits that had a function for each pair of verb and kind.

There `hw.compare(hw.CaseValues.from_table(t, by="organ"))` was
`hw.compare_table(t, within="organ")`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

__all__ = ["lend_verbs"]

TABLE = {"compare": "compare_table", "rank": "rank_table", "estimate": "summary_table"}
DETECTORS = {"compare": "compare_detections", "rank": "rank_detections"}
USUAL_COLUMNS = {"model": "by", "by": "within"}


class Given(NamedTuple):
    """Data as they were given: to the functions of a kind, by position and by name."""

    kind: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]


def lend_verbs(hw: Any) -> None:
    """Give a tree without kinds of data those names, by the functions that it has."""
    if not hasattr(hw, "CaseValues"):
        _lend_kinds(hw)
    if not hasattr(hw, "Matching"):
        _lend_matching(hw)


def _lend_kinds(hw: Any) -> None:
    for name in ("CaseValues", "Predictions", "Detections"):
        kinds = {way: _given(way) for way in ("from_arrays", "from_table", "from_files")}
        setattr(hw, name, SimpleNamespace(**kinds))
    for verb in ("estimate", "compare", "rank"):
        setattr(hw, verb, _verb(hw, verb))


def _lend_matching(hw: Any) -> None:
    """Detections with options of their matching in one value, where each was an argument.

    There `hw.estimate(hw.Detections.from_files(a, b))` was `hw.detection_ci(a, b)`, and
    `hw.match_detections` took the same arguments.
    """
    made, plain, match = hw.Detections.from_files, hw.estimate, hw.match_detections
    detect = getattr(hw, "detection_ci", None)

    def from_files(*arguments: Any, matching: Any = None, **options: Any) -> Given:
        return Given("matched", arguments, {**options, **(matching or {})})

    def over(verb: Callable[..., Any]) -> Callable[..., Any]:
        def called(data: Any, *further: Any, **options: Any) -> Any:
            if isinstance(data, Given) and data.kind == "matched":
                data = made(*data.arguments, **data.options)
            return verb(data, *further, **options)

        return called

    def estimate(data: Any, *further: Any, **options: Any) -> Any:
        is_one = isinstance(data, Given) and not isinstance(data.arguments[0], Mapping)
        if detect is None or not is_one or data.kind != "matched":
            return over(plain)(data, *further, **options)
        metric = options.pop("metric", None)
        # A list makes a table of one row, too.
        several = metric if metric is None or isinstance(metric, list) else [metric]
        return detect(*data.arguments, **data.options, metric=several, **options)

    def matched(data: Given, model: str | None = None) -> Any:
        detections, references = data.arguments
        return match(detections if model is None else detections[model], references, **data.options)

    hw.Matching, hw.Detections = dict, SimpleNamespace(from_files=from_files)
    hw.compare, hw.rank, hw.gate = over(hw.compare), over(hw.rank), over(hw.gate)
    hw.estimate, hw.match_detections = estimate, matched


def _given(way: str) -> Callable[..., Given]:
    return lambda *arguments, **options: Given(way, arguments, options)


def _verb(hw: Any, verb: str) -> Callable[..., Any]:
    plain: Any = getattr(hw, verb, None)

    def called(data: Any, other: Any = None, **options: Any) -> Any:
        if not isinstance(data, Given):
            if plain is None:
                return hw.summary_table(data, **options)
            return plain(data, **options) if other is None else plain(other, data, **options)
        if data.kind == "from_files":
            return getattr(hw, DETECTORS[verb])(*data.arguments, **data.options, **options)
        if data.kind == "from_table":
            return _of_table(hw, verb, data, options)
        return plain(*reversed(data.arguments), **data.options, **options)

    return called


def _of_table(hw: Any, verb: str, data: Given, options: Mapping[str, Any]) -> Any:
    function = getattr(hw, TABLE[verb])
    if verb == "estimate":
        return function(*data.arguments, **data.options, **options)
    named = {USUAL_COLUMNS.get(name, name): one for name, one in data.options.items()}
    table, *further = data.arguments
    if "score" in named or "prediction" in named:
        named["target"], further = further[0], []
    return function(table, *further, **named, **options)
