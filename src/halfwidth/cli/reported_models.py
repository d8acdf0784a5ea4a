"""What a report is of: one model, or several, from the options of the verb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halfwidth.cli import (
    comparison_settings,
    given_models,
    options,
    predictions,
    reading,
    reported_curves,
)
from halfwidth.cli.command import refuse_given
from halfwidth.cli.compared_models import named_files, named_models
from halfwidth.cli.comparison_settings import OF_CASE_VALUES, OF_DATA, columns_of
from halfwidth.cli.metric_names import metrics_of
from halfwidth.core.frozen import frozen
from halfwidth.core.parameters import split_names
from halfwidth.core.spec import Takes
from halfwidth.core.undefined import is_missing
from halfwidth.data.case_values import CaseValues
from halfwidth.document.parts import Column, Kind, Table
from halfwidth.reports.of_data import results_of_data
from halfwidth.results.estimate import Estimates
from halfwidth.tables.challenge_columns import MODEL_COLUMNS
from halfwidth.tables.folds import ModelFile
from halfwidth.tables.layout import layout_of
from halfwidth.verbs.estimate import estimate

if TYPE_CHECKING:
    from halfwidth.reports.whole.results import AnyCurves
    from halfwidth.results.comparison import Comparisons
    from halfwidth.results.ranking import Rankings

# What says nothing of one model.
ABOUT_SEVERAL = ("baseline", "margin", "pairing", "better", "model_from")


@frozen(eq=False)
class Found:
    """Finished results and the files they come from, by the names of their models."""

    files: Mapping[str, ModelFile]
    estimates: Estimates
    comparisons: Comparisons | None = None
    rankings: Rankings | None = None
    curves: tuple[AnyCurves, ...] = ()


def cases_of(params: Mapping[str, Any], files: Mapping[str, ModelFile]) -> tuple[Table, ...]:
    """The columns of each file that results are of, as tables for the page."""
    return tuple(_cases(params, path) for path in files.values())


def _cases(params: Mapping[str, Any], path: ModelFile) -> Table:
    cells = reading.table_in(path, reading.Options.from_given(params), again=True)
    if columns_of(params).has_test_set:
        values = [params["target"], *(params["score"] or ()), params["prediction"]]
        case = params["case"]
    else:
        layout = layout_of(cells, params["value"] or [], None, params["case"])
        values, case = list(layout.values), layout.case
    model = params["by"] or next((name for name in MODEL_COLUMNS if name in cells), None)
    further = [model, *(params["within"] or ()), params["groups"], params["strata"]]
    names = [name for name in dict.fromkeys([case, *further, *values]) if name is not None]
    kinds = [Kind.NUMBER if cells.is_numeric(name) else Kind.TEXT for name in names]
    columns = tuple(Column(name, kind) for name, kind in zip(names, kinds, strict=True))
    texts = zip(*(map(_text, cells.levels(name)) for name in names), strict=True)
    return Table(columns, tuple(texts))


def _text(cell: Any) -> str:
    return "" if is_missing(cell) else str(cell)


def results_of(ctx: typer.Context, files: list[str], *, figures: bool) -> Found:
    """Estimates of one model; of several also their ranks, and how they differ.

    ``figures``: whether what figures are drawn of is kept or made.
    """
    if given_models.asks_for_detections(ctx):
        detectors = named_files(files, ctx.params["model_from"])
        return _detectors(ctx, files, detectors, figures=figures)
    named = named_models(files, ctx.params["model_from"])
    if len(named) > 1 or _holds_models(ctx, *named.values()):
        results = _several_models(ctx, files, named)
    else:
        results = _one_model(ctx, *named.values())
    results = replace(results, estimates=_with_decisions(results.estimates, ctx.params))
    if not (figures and columns_of(ctx.params).has_test_set):
        return results
    curves = reported_curves.curves_of_test_sets(ctx.params, results.files, results.estimates)
    return replace(results, curves=curves)


def _with_decisions(estimates: Estimates, params: Mapping[str, Any]) -> Estimates:
    """The estimates, with a note on how scores became classes where nothing else says so."""
    counting = any(one.metric_spec.spec.takes is Takes.TWO_BY_TWO for one in estimates)
    if not (counting and params["score"]) or params["prediction"] or params["threshold"]:
        return estimates
    decided = "positive from a score of 0.5 on"
    if len(params["score"]) > 2:
        decided = "the class with the highest score"
    return replace(estimates, notes=(*estimates.notes, f"predicted class: {decided}"))


def _holds_models(ctx: typer.Context, path: ModelFile) -> bool:
    """Whether a table says which model each row is of."""
    if ctx.params["by"] is not None:
        return True
    table = reading.table_in(path, reading.Options.from_given(ctx.params), again=True)
    names = [name for name in MODEL_COLUMNS if name in table]
    return bool(names) and len(set(table.levels(names[0]))) > 1


# --------------------------------------------------------------------------- one model


def _one_model(ctx: typer.Context, path: ModelFile) -> Found:
    why = f"needs several models, and {path} holds one; name the column of models: --by"
    refuse_given(ctx, ABOUT_SEVERAL, why)
    if comparison_settings.refuse_ignored(ctx):
        why = "has no effect on a test set of one model; --where COLUMN=LEVEL reports a part of it"
        refuse_given(ctx, ["within"], why)
        if not ctx.params["include_cases"]:
            why = "has no effect on a test set of one model without --include-cases"
            refuse_given(ctx, ["case"], why)
        return Found({"": path}, _test_set(ctx.params, path))
    return Found({"": path}, _values(ctx.params, path))


def _values(params: Mapping[str, Any], path: ModelFile) -> Estimates:
    data = CaseValues.from_table(
        reading.table_in(path, reading.Options.from_given(params)),
        params["value"] or None,
        metric=metrics_of(params["metric"]),
        by=params["within"] or (),
        bounds=options.parse_bounds(params["bounds"]),
        **{name: params[name] for name in (*OF_DATA, *OF_CASE_VALUES)},
    )
    return estimate(
        data,
        statistic=split_names([params["statistic"]]),
        rng=params["seed"],
        **{name: params[name] for name in ("method", "confidence_level", "n_resamples")},
    )


def _test_set(params: Mapping[str, Any], path: ModelFile) -> Estimates:
    source = predictions.TestSetSource.from_params(path, params)
    passed_on = ("method", "confidence_level", "n_resamples", "missing")
    settings = predictions.test_set_arguments(params) | {
        "rng": params["seed"],
        "alternative": "two-sided",
        "average": None if params["average"] is None else [params["average"]],
        "bounds": options.parse_bounds(params["bounds"]),
        "jobs": 1,
        **{name: params[name] for name in passed_on},
    }
    columns = predictions.DesignColumns(params["groups"], params["strata"], params["sample_weight"])
    estimates, _ = predictions.estimate_test_set(
        source, split_names(params["metric"] or ()), settings, columns, kind=None
    )
    return estimates


# --------------------------------------------------------------------------- detectors


def _detectors(
    ctx: typer.Context, files: list[str], named: Mapping[str, Path], *, figures: bool
) -> Found:
    """One detector, or several by rank, with the differences of few."""
    data, asked = given_models.detectors_in(ctx, files, metric_given=len(named) > 1)
    read = {**named, "references": ctx.params["references"]}
    if len(named) == 1:
        refuse_given(ctx, ABOUT_SEVERAL, "needs several detectors, and there is one")
        data = replace(data, detections={"": next(iter(data.detections.values()))})
    results = results_of_data(data, **asked)
    estimates = {"": tuple(results.estimates)}
    if results.rankings is not None:
        ranked = results.rankings
        estimates = {name: tuple(one[name].estimate for one in ranked) for name in named}
    drawn = (data, estimates, asked)
    curves = reported_curves.curves_of_detectors(*drawn) if figures else ()
    return Found(read, results.estimates, results.comparisons, results.rankings, curves)


# --------------------------------------------------------------------------- several models


def _several_models(ctx: typer.Context, files: list[str], named: Mapping[str, ModelFile]) -> Found:
    asked = comparison_settings.verb_options(ctx)
    data = comparison_settings.data_in(files, ctx.params, MODEL_COLUMNS)
    if "statistic" in asked:
        asked["statistic"] = split_names([asked["statistic"]])
    files_read = named if len(named) > 1 else {"": next(iter(named.values()))}
    results = results_of_data(data, **asked)
    return Found(files_read, results.estimates, results.comparisons, results.rankings)
