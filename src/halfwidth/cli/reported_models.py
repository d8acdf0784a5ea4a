"""What a report is of: one model, or several, from the options of the verb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import typer

from halfwidth.cli import (
    reading,
)
from halfwidth.cli.branch_commands import BranchCommands, branch_asked
from halfwidth.cli.command import refuse_given
from halfwidth.cli.compared_models import named_files, named_models
from halfwidth.cli.comparison_settings import verb_options
from halfwidth.cli.given_data import data_in, has_test_set
from halfwidth.cli.reported_curves import curves_of_test_sets
from halfwidth.core.frozen import frozen
from halfwidth.core.parameters import split_names
from halfwidth.core.spec import Takes
from halfwidth.core.undefined import is_missing
from halfwidth.data.predictions import Predictions
from halfwidth.document.parts import Column, Kind, Table
from halfwidth.reports.of_data import results_of_data
from halfwidth.results.estimate import Estimates
from halfwidth.tables.challenge_columns import MODEL_COLUMNS
from halfwidth.tables.folds import ModelFile
from halfwidth.tables.layout import layout_of

if TYPE_CHECKING:
    from halfwidth.reports.results import AnyCurves
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
    if has_test_set(params):
        values = [params["target"], *(params["score"] or ()), params["prediction"]]
        case = params["case"]
    else:
        layout = layout_of(cells, params["value"] or [], None, params["case"])
        values, case = list(layout.values), layout.case
    model = params["model"] or next((name for name in MODEL_COLUMNS if name in cells), None)
    further = [model, *(params["by"] or ()), params["groups"], params["strata"]]
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
    if branch := branch_asked(ctx):
        return _results_of_branch(branch, ctx, files, figures=figures)
    named = named_models(files, ctx.params["model_from"])
    asked = verb_options(ctx)
    if "statistic" in asked:
        asked["statistic"] = split_names([asked["statistic"]])
    # The columns of one table are structures of a model.
    data = replace(data_in(files, ctx.params, compared=len(named) > 1), kept={})
    if len(data.models) < 2:
        (path,) = named.values()
        why = f"needs several models, and {path} holds one; name the column of models: --model"
        refuse_given(ctx, ABOUT_SEVERAL, why)
    results = results_of_data(data, **asked)
    files_read = named if len(named) > 1 else {"": next(iter(named.values()))}
    estimates = _with_decisions(results.estimates, ctx.params)
    found = Found(files_read, estimates, results.comparisons, results.rankings)
    if not (figures and isinstance(data, Predictions)):
        return found
    return replace(found, curves=curves_of_test_sets(data, ctx.params, estimates))


def _with_decisions(estimates: Estimates, params: Mapping[str, Any]) -> Estimates:
    """The estimates, with a note on how scores became classes where nothing else says so."""
    counting = any(one.metric_spec.spec.takes is Takes.TWO_BY_TWO for one in estimates)
    if not (counting and params["score"]) or params["prediction"] or params["threshold"]:
        return estimates
    decided = "positive from a score of 0.5 on"
    if len(params["score"]) > 2:
        decided = "the class with the highest score"
    return replace(estimates, notes=(*estimates.notes, f"predicted class: {decided}"))


# --------------------------------------------------------------------------- models of a branch


def _results_of_branch(
    branch: BranchCommands, ctx: typer.Context, files: list[str], *, figures: bool
) -> Found:
    """One model, or several by rank, with the differences of few."""
    named = named_files(files, ctx.params["model_from"])
    given, asked = branch.models_in(ctx, files, metric_given=len(named) > 1)
    data = replace(given, kept={})
    read = {**named, **branch.files_beside(ctx.params)}
    if len(named) == 1:
        refuse_given(ctx, ABOUT_SEVERAL, f"needs several {branch.MODELS}, and there is one")
        data = branch.alone(data)
    results = results_of_data(data, **asked)
    curves = branch.curves_of_estimates(data, results.estimates, asked) if figures else ()
    return Found(read, results.estimates, results.comparisons, results.rankings, curves)
