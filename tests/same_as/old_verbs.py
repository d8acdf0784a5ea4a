"""The verbs over kinds of data, for commits that had a function for each pair of verb and kind.

There `hw.compare(hw.CaseValues.from_table(t, by="organ"))` was
`hw.compare_table(t, within="organ")`.
"""

from __future__ import annotations

import dataclasses
import functools
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
    if not hasattr(hw, "Matching"):
        _lend_matching(hw)
    _lend_plans(hw.planning)
    if hasattr(hw, "make_report"):
        hw.report = hw.make_report
    for name in ("confusion_ci", "calibration_test", "calibration_by_centre"):
        if "y_true" in inspect.signature(getattr(hw, name)).parameters:
            setattr(hw, name, _taking_arrays(getattr(hw, name)))
    lent = {"read": lambda _: _read, "plan": lambda _: _plan, "check": _checking, "curve": _curve}
    for name, verb in lent.items():
        if not hasattr(hw, name):
            setattr(hw, name, verb(hw))
    for kind, lend in (("CaseValues", _lend_kinds), ("Readings", _lend_readings)):
        if not hasattr(hw, kind):
            lend(hw)
    if not hasattr(hw.CaseValues, "from_runs"):
        _lend_runs(hw)
    _lend_pairing(hw)


PLANS = ("mean", "difference", "quantile", "proportion", "auroc", "auroc_difference", "classes")
OLD_HALFWIDTHS = {
    "calibration_slope": "slope_halfwidth",
    "calibration_intercept": "intercept_halfwidth",
    "calibration_in_the_large": "in_the_large_halfwidth",
    "oe_ratio": "oe_halfwidth",
}


def _lend_plans(planning: Any) -> None:
    """One function for a number of cases and for a half-width, where there were two."""
    if not hasattr(planning, "mean_n"):
        return
    for name in PLANS:
        for_n, at_n = getattr(planning, f"{name}_n"), getattr(planning, f"{name}_width")
        setattr(planning, name, _plan_of(for_n, at_n))
    for_halfwidths, at_size, runs = (
        getattr(planning, name) for name in ("calibration_n", "calibration_width", "minimum_runs")
    )

    def calibration(
        metric: Any = None, *, n: Any = None, halfwidth: Any = None, **options: Any
    ) -> Any:
        if n is not None:
            return at_size(metric, n, **options)
        wanted = halfwidth if isinstance(halfwidth, Mapping) else {metric: halfwidth}
        return for_halfwidths(**{OLD_HALFWIDTHS[at]: one for at, one in wanted.items()}, **options)

    planning.calibration = calibration
    planning.minimum_runs = lambda *given, method="exact", **named: runs(
        *given, kind=method, **named
    )


def _plan_of(for_n: Callable[..., Any], at_n: Callable[..., Any]) -> Callable[..., Any]:
    def plan(*given: Any, n: int | None = None, **options: Any) -> Any:
        if given and isinstance(given[0], tuple):
            options |= dict(zip(("sd_a", "sd_b"), given[0], strict=True))
            given = ()
        if "formula" in inspect.signature(for_n).parameters and "method" in options:
            options["formula"] = options.pop("method")
        if n is None:
            return for_n(*given, **options)
        names = [one for one in inspect.signature(at_n).parameters if one != "n"]
        return at_n(**dict(zip(names, given, strict=False)), n=n, **options)

    return plan


OLD_PAIRINGS: dict[str, dict[str, Any]] = {
    "common": {"unmatched": "omit"},
    "none": {"paired": False},
}


def _lend_pairing(hw: Any) -> None:
    """What is said of data, or behind a colon, where verbs had an option for it."""
    if "pairing" in inspect.signature(hw.CaseValues.from_arrays).parameters:
        return
    said: list[tuple[Any, str]] = []
    for kind in (hw.CaseValues, hw.Predictions, getattr(hw, "Readings", None)):
        for way in ("from_arrays", "from_table", "from_pairs"):
            if hasattr(kind, way):
                setattr(kind, way, staticmethod(_saying(getattr(kind, way), said)))
    for verb in ("estimate", "compare", "rank", "gate"):
        if hasattr(hw, verb):
            setattr(hw, verb, _asked_as_before(hw, getattr(hw, verb), said))


def _saying(made: Callable[..., Any], said: list[tuple[Any, str]]) -> Callable[..., Any]:
    def make(*given: Any, pairing: str = "complete", **options: Any) -> Any:
        data = made(*given, **options)
        said.append((data, pairing))
        return data

    return make


def _asked_as_before(
    hw: Any, verb: Callable[..., Any], said: list[tuple[Any, str]]
) -> Callable[..., Any]:
    def called(data: Any, *further: Any, **options: Any) -> Any:
        pairing = next((pairing for one, pairing in said if one is data), "complete")
        options |= OLD_PAIRINGS.get(pairing, {})
        if options.get("correction") == "none":
            options |= {"correction": "holm", "simultaneous": False}
        for name in ("scheme", "combine"):
            if isinstance(options.get(name), str):
                options[name], _, parameter = options[name].partition(":")
                options |= dict([parameter.split("=")] if parameter else [])
        metric = options.get("metric")
        if isinstance(metric, functools.partial):
            if further:
                data = hw.Predictions.from_arrays(data, *further)
            told = dataclasses.replace(data.options, **metric.keywords)
            data, further = dataclasses.replace(data, options=told), ()
            options["metric"] = metric.func.__name__
        if "keep_cases" not in inspect.signature(verb).parameters:
            return verb(data, *further, **options)
        try:
            return verb(data, *further, **options, keep_cases=True)
        except hw.OptionError as error:
            if "keep_cases" not in str(error):
                raise
            return verb(data, *further, **options)

    return called


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


def _plan(values: Any, *, n: int | None = None, **options: Any) -> Any:
    """What `pilot_n` and `pilot_width` planned."""
    from halfwidth import planning

    how: Any = planning
    if n is None:
        return [how.pilot_n(values, **options)]
    return [how.pilot_width(values, n, **options)]


def _checking(hw: Any) -> Callable[..., Any]:
    """What `check_table` and `check_tables` found in values of cases."""

    def check(data: Any, **options: Any) -> Any:
        further: Sequence[Any] = ()
        if isinstance(data, Given):
            (data, *further), options = data.arguments, {**data.options, **options}
        elif hasattr(data, "_given"):
            of_values, columns = data._data, data._data.tables.columns
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


def _matching(
    localisation: Any = None,
    assignment: Any = None,
    threshold: Any = None,
    admits: Any = None,
    score_threshold: Any = None,
    max_detections: Any = None,
    area: Any = None,
    by_class: bool = True,
    duplicates: str = "false_positive",
    boundary_distance: Any = None,
    dilation: Any = None,
    by_threshold: bool = False,
) -> dict[str, Any]:
    return dict(locals())


def _lend_matching(hw: Any) -> None:
    """Detections with options of their matching in one value, where each was an argument.

    There `hw.estimate(hw.Detections.from_files(a, b))` was `hw.detection_ci(a, b)`, and
    `hw.match_detections` took the same arguments.
    """
    match = hw.match_detections

    def matched(data: Given, model: str | None = None) -> Any:
        detections, references = data.arguments
        return match(detections if model is None else detections[model], references, **data.options)

    hw.Matching, hw.match_detections = _matching, matched
    if not hasattr(hw, "Detections"):
        return
    made = hw.Detections.from_files
    hw.Detections = SimpleNamespace(from_files=_given("from_files"))
    for verb in ("estimate", "compare", "rank", "gate", "curve"):
        if hasattr(hw, verb):
            setattr(hw, verb, _over_detections(hw, getattr(hw, verb), made))


def _over_detections(hw: Any, verb: Any, made: Callable[..., Any]) -> Callable[..., Any]:
    def called(data: Any, *further: Any, **options: Any) -> Any:
        if isinstance(data, Given) and data.kind == "from_files":
            of_one = not isinstance(data.arguments[0], Mapping)
            if verb.__name__ == "estimate" and of_one and hasattr(hw, "detection_ci"):
                return _detected(hw, data, options)
            data = made(*data.arguments, **data.options)
        return verb(data, *further, **options)

    return called


def _detected(hw: Any, data: Given, options: Mapping[str, Any]) -> Any:
    metric = options.get("metric")
    # A list makes a table of one row, too.
    several = metric if metric is None or isinstance(metric, list) else [metric]
    return hw.detection_ci(*data.arguments, **{**data.options, **options, "metric": several})


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
    def given(*arguments: Any, **options: Any) -> Given:
        matching = options.pop("matching", None) if way == "from_files" else None
        return Given(way, arguments, {**options, **(matching or {})})

    return given


def _verb(hw: Any, verb: str) -> Callable[..., Any]:
    plain: Any = getattr(hw, verb, None)

    def called(data: Any, other: Any = None, **options: Any) -> Any:
        if not isinstance(data, Given):
            if plain is None:
                return hw.summary_table(data, **options)
            return plain(data, **options) if other is None else plain(other, data, **options)
        if data.kind == "from_files" and verb == "estimate":
            return _detected(hw, data, options)
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
    if hasattr(data._data, "tables"):
        (source,), columns = data._data.tables.sources, data._data.tables.columns
        scores = data._data.where.predictions[""]
        names = (data._data.where.target, *scores, *columns.within)
        cells = {name: one.tolist() for name, one in source.table.columns.items()}
        described |= {
            "groups": cells.get(columns.groups),
            "sample_weight": cells.get(columns.weights),
        }
        return Given("from_table", tuple(cells[name] for name in names), _without_none(described))
    (cases,) = data._data.cases
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
