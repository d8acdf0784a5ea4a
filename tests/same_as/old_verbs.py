"""The verbs over kinds of data, for commits that had a function for each pair of verb and kind.

There `hw.compare(hw.CaseValues.from_table(t, by="organ"))` was
`hw.compare_table(t, within="organ")`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

__all__ = ["lend_verbs"]

TABLE = {"compare": "compare_table", "rank": "rank_table", "estimate": "summary_table"}
DETECTORS = {"compare": "compare_detections", "rank": "rank_detections"}
USUAL_COLUMNS = {"model": "by", "by": "within"}
OLD_KINDS = {"calibration": "smooth", "reliability": "isotonic", "reliability-bins": "bins"}


class Given(NamedTuple):
    """Data as they were given: to the functions of a kind, by position and by name."""

    kind: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]


def lend_verbs(hw: Any) -> None:
    """Give a tree without kinds of data those names, by the functions that it has."""
    for name in ("confusion_ci", "calibration_test", "calibration_by_centre"):
        if "y_true" in inspect.signature(getattr(hw, name)).parameters:
            setattr(hw, name, _taking_arrays(getattr(hw, name)))
    if not hasattr(hw, "read"):
        hw.read = _read
    if not hasattr(hw, "check"):
        hw.check = _checking(hw)
    if not hasattr(hw, "curve"):
        hw.curve = _curve(hw)
    if not hasattr(hw, "CaseValues"):
        _lend_kinds(hw)
    if not hasattr(hw, "Readings"):
        _lend_readings(hw)


def _lend_kinds(hw: Any) -> None:
    for name in ("CaseValues", "Predictions", "Detections"):
        kinds = {way: _given(way) for way in ("from_arrays", "from_table", "from_files")}
        setattr(hw, name, SimpleNamespace(**kinds))
    for verb in ("estimate", "compare", "rank"):
        setattr(hw, verb, _verb(hw, verb))


def _read(path: str) -> Any:
    import halfwidth as hw
    from halfwidth.tables.readers import read_table

    return hw.CaseValues.from_table(read_table(path))


def _checking(hw: Any) -> Callable[..., Any]:
    """What `check_table` and `check_tables` found in values of cases."""

    def check(data: Any, **options: Any) -> Any:
        further: Sequence[Any] = ()
        if isinstance(data, Given):
            (data, *further), options = data.arguments, {**data.options, **options}
        elif hasattr(data, "_given"):
            of_values, columns = data._given, data._given.tables.columns
            options |= {name: getattr(data, name) for name in ("metric", "bounds", "scale")}
            options |= {"by": columns.within or None, "case": columns.case}
            options |= {"groups": columns.groups}
            further = (of_values.value,)
            data = {one.model or "": one.table for one in of_values.tables.sources}
        several = isinstance(data, Mapping)
        return (hw.check_tables if several else hw.check_table)(data, *further, **options)

    return check


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


def _curve(hw: Any) -> Callable[..., Any]:
    def called(data: Any, kind: str, *, y_score: Any = None, **options: Any) -> Any:
        given = _as_given(data) if y_score is None else Given("from_arrays", (data, y_score), {})
        if kind == "calibration-by-centre":
            return hw.calibration_curve_by_centre(*given.arguments, **given.options, **options)
        if given.kind == "from_files":
            function = hw.detection_curve_ci
        elif kind in OLD_KINDS:
            function = hw.calibration_curve_ci
        else:
            function = hw.curve_ci
        old_kind = OLD_KINDS.get(kind, kind)
        return function(*given.arguments, **given.options, kind=old_kind, **options)

    return called


def _taking_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of true classes and scores, as it takes predictions."""

    def called(data: Any, *further: Any, **options: Any) -> Any:
        if further:
            return function(data, *further, **options)
        given = _as_given(data)
        return function(*given.arguments, **given.options, **options)

    return called


def _as_given(data: Any) -> Given:
    """Data of one model as they were given, in a tree that has kinds of data."""
    if isinstance(data, Given):
        return data
    if hasattr(data, "references"):
        (detections,) = data.detections.values()
        further = ("undefined", "by_threshold")
        matching = {name: one for name, one in data.matching.items() if name not in further}
        return Given("from_files", (detections, data.references), matching)
    described = {"missing": data.missing} | {
        name: getattr(data.options, name) for name in ("labels", "pos_label", "scores", "threshold")
    }
    if hasattr(data._given, "tables"):
        (source,), columns = data._given.tables.sources, data._given.tables.columns
        scores = data._given.where.predictions[""]
        names = (data._given.where.target, *scores, *columns.within)
        cells = {name: one.tolist() for name, one in source.table.columns.items()}
        described |= {
            "groups": cells.get(columns.groups),
            "sample_weight": cells.get(columns.weights),
        }
        return Given("from_table", tuple(cells[name] for name in names), _without_none(described))
    (cases,) = data._given.cases
    described |= {"groups": cases.groups, "strata": cases.strata, "sample_weight": cases.weights}
    return Given("from_arrays", (cases.target, cases.predictions), _without_none(described))


def _without_none(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in options.items() if one is not None}


def _of_table(hw: Any, verb: str, data: Given, options: Mapping[str, Any]) -> Any:
    function = getattr(hw, TABLE[verb])
    if verb == "estimate":
        return function(*data.arguments, **data.options, **options)
    named = {USUAL_COLUMNS.get(name, name): one for name, one in data.options.items()}
    table, *further = data.arguments
    if "score" in named or "prediction" in named:
        named["target"], further = further[0], []
    return function(table, *further, **named, **options)
