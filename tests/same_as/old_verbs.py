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
    if not hasattr(hw, "Readings"):
        _lend_readings(hw)
    if not hasattr(hw.CaseValues, "from_runs"):
        _lend_runs(hw)


def _lend_kinds(hw: Any) -> None:
    for name in ("CaseValues", "Predictions", "Detections"):
        kinds = {way: _given(way) for way in ("from_arrays", "from_table", "from_files")}
        setattr(hw, name, SimpleNamespace(**kinds))
    for verb in ("estimate", "compare", "rank"):
        setattr(hw, verb, _verb(hw, verb))


def _lend_readings(hw: Any) -> None:
    ways = {way: _given(f"readings {way}") for way in ("from_arrays", "from_pairs")}
    hw.Readings = SimpleNamespace(**ways)
    of_models = hw.compare

    def compare(data: Any, *further: Any, **options: Any) -> Any:
        if not isinstance(data, Given) or not data.kind.startswith("readings"):
            return of_models(data, *further, **options)
        named = {**data.options, **options}
        if data.kind == "readings from_pairs":
            named["within"] = named.pop("by", ())
            return hw.compare_with_raters_table(*data.arguments, **named)
        (said,), model = data.arguments, named.pop("model")
        raters = {name: one for name, one in said.items() if name != model}
        return hw.compare_with_raters(said[model], raters, name=model, **named)

    hw.compare = compare


def _lend_runs(hw: Any) -> None:
    hw.CaseValues.from_runs = staticmethod(_given("runs"))
    of_cases, one_quantile = hw.estimate, hw.runs_ci

    def estimate(data: Any, *further: Any, **options: Any) -> Any:
        if not isinstance(data, Given) or data.kind != "runs":
            return of_cases(data, *further, **options)
        named = {**data.options, **options}
        statistics = named.pop("statistic")
        levels = [one.partition(":") for one in statistics if one != "mean"]
        named |= {"quantile": [float(level) for _, _, level in levels]}
        named |= {"mean": "mean" in statistics, "keep_runs": named.pop("keep_cases", False)}
        point = levels[0][0].removesuffix("quantile").rstrip("_")
        return hw.runs_table(*data.arguments, point=point or "auto", **named)

    def runs_ci(data: Any, *further: Any, **options: Any) -> Any:
        if not isinstance(data, Given):
            return one_quantile(data, *further, **options)
        return one_quantile(*data.arguments, *further, **data.options, **options)

    hw.estimate, hw.runs_ci = estimate, runs_ci


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
