"""``halfwidth rank``: the order of several models, and how sure it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from halfwidth.cli import (
    comparison_options,
    completion,
    figures,
    given_data,
    given_models,
    options,
    reading,
)
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.branch_commands import branch_asked
from halfwidth.cli.option_groups import argument, by_metric, declared, option, with_options
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.verbs.rank import rank as rank_models

if TYPE_CHECKING:
    pass

TASKS = "Repeatable; default: task, in a table with the columns algorithm, task and case."


@with_options(*comparison_options.OF_MODELS)
def rank(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        argument(
            f"{reading.TABLE_HELP}. One with the models in a column (--model) or in columns, or "
            "a table for each model, which is called by its file name; NAME=FILE calls it NAME.",
            "FILE",
        ),
    ] = None,
    model: options.Model = None,
    value: comparison_options.Value = None,
    by: Annotated[
        list[str] | None, declared("by", "data", flags=("--by", "--task"), more=TASKS)
    ] = None,
    model_from: reading.ModelFrom = None,
    missing: Annotated[
        str, declared("missing", "rank", more="Shows the ranks under each.")
    ] = "raise",
    metric: comparison_options.Metric = None,
    scheme: Annotated[list[str], declared("scheme", more="Repeatable, or with commas.")] = [  # noqa: B006 -- typer copies it
        "aggregate_then_rank"
    ],
    margin: Annotated[Any, by_metric("margin", "rank")] = 0.0,
    top: Annotated[int, declared("top")] = 3,
    combine: Annotated[str | None, declared("combine")] = None,
    seed: options.Seed = None,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: comparison_options.Plot = None,
    plot_kind: Annotated[
        str | None,
        option(
            "With --plot. rank-sets (default): ranks with their confidence sets; "
            "significance: who is shown to be better than whom; lines: ranks across tasks or "
            "schemes; dots, podium, case-heatmap: of the cases; heatmap, blob: of bootstrap "
            "resamples.",
            "KIND",
            Group.OUTPUT,
            completed=completion.one_of(*figures.RANKING_KINDS),
        ),
    ] = None,
    strict: options.Strict = False,
) -> Answer:
    """The ranks of several models, and the confidence set of each rank.

    A model has the ranks that the differences between all models, taken together, leave it.

    \b
    halfwidth rank networks.csv --model network --metric dsc
    halfwidth rank challenge.csv --metric dsc
    halfwidth rank A=a.csv B=b.csv C=c.csv --metric dsc --margin 0.01
    halfwidth rank models.csv --metric dsc --scheme rank_then_aggregate
    halfwidth rank predictions.csv --target y --score p --metric auroc
    halfwidth rank predictions.csv --target y --score p --combine mean_rank \\
        --metric auroc,average_precision
    halfwidth rank A=a.json B=b.json C=c.json --references refs.json --metric ap
    """
    fmt = options.resolve_format(fmt, json, out)
    kind = figures.check(plot, plot_kind, figures.RANKING_KINDS)
    if not files:
        raise OptionError(
            "name one table with the models in a column (--model), or a table for each model; "
            "'halfwidth rank --help' says more"
        )
    of_cases = kind in figures.OF_CASES
    branch = branch_asked(ctx)
    if of_cases and branch is not None:
        raise OptionError(
            f"--plot-kind {kind} draws values of cases, and {branch.MODELS} have none"
        )
    if of_cases and given_data.has_test_set(ctx.params):
        raise OptionError(f"--plot-kind {kind} draws values of cases; for test sets use rank-sets")
    data, asked = given_models.models_in(ctx, files)
    rankings = rank_models(data, **asked)

    note(*rankings.notes)
    document = rankings.document()
    if plot is not None and kind is not None:
        document = figures.with_picture(document, rankings, plot, kind)
    return Answer(document, fmt, out, strict_status(strict, rankings.cautions))
