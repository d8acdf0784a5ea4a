"""``halfwidth rank``: the order of several models, and how sure it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from halfwidth.cli import (
    compared_detections,
    comparison_options,
    comparison_settings,
    completion,
    figures,
    options,
    reading,
)
from halfwidth.cli.answer import Answer
from halfwidth.cli.ci import STRICT_STATUS
from halfwidth.cli.command import Group
from halfwidth.cli.option_groups import with_options
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.core.undefined import MISSING_POLICIES
from halfwidth.results.ranking_consensus import COMBINATIONS
from halfwidth.tables.challenge_columns import MODEL_COLUMNS
from halfwidth.verbs.rank import rank as rank_models

if TYPE_CHECKING:
    from halfwidth.results.ranking import Rankings

MISSING = (*MISSING_POLICIES, "worst_rank")
SCHEMES = ("aggregate_then_rank", "rank_then_aggregate", "test_then_rank")
TESTS = tuple(name for name in comparison_options.TESTS if name != "none")


@with_options(*comparison_options.OF_MODELS)
def rank(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"{reading.TABLE_HELP}. One with the models in a column (--by) or in columns, or "
            "a table for each model, which is called by its file name; NAME=FILE calls it NAME.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    by: comparison_options.By = None,
    value: comparison_options.Value = None,
    within: Annotated[
        list[str] | None,
        typer.Option(
            "--within",
            "--task",
            help="Column of tasks, such as the organ, each of which is ranked apart; repeatable. "
            "Default: task, in a table with the columns algorithm, task and case.",
            metavar="COLUMN",
            show_default=False,
            rich_help_panel=Group.INPUT,
        ),
    ] = None,
    model_from: reading.ModelFrom = None,
    missing: Annotated[
        str,
        typer.Option(
            help=f"What a missing value means: {', '.join(MISSING)}. omit: leave the case out for "
            "all models; worst: the worst value; worst_rank, with --scheme rank_then_aggregate: "
            "the last rank of its case. Shows the ranks under each.",
            metavar="POLICY",
            autocompletion=completion.one_of(*MISSING),
            rich_help_panel=Group.INPUT,
        ),
    ] = "raise",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="What the values are, or with --target the metric of the whole test set; "
            "repeatable. COLUMN=NAME names the column of its values. Parameters after a colon: "
            "nsd:tolerance=3.",
            metavar="NAME",
            show_default=False,
            autocompletion=completion.all_metrics,
            rich_help_panel=Group.ESTIMATE,
        ),
    ] = None,
    scheme: Annotated[
        list[str],
        typer.Option(
            help="aggregate_then_rank: by the statistic of the values; rank_then_aggregate: by "
            "that of the ranks within each case; test_then_rank: by the tests that a model wins. "
            "Repeatable, or with commas.",
            metavar="NAMES",
            autocompletion=completion.one_of(*SCHEMES),
            rich_help_panel=Group.COMPARISON,
        ),
    ] = ["aggregate_then_rank"],  # noqa: B006 -- typer copies it
    test: Annotated[
        str,
        typer.Option(
            help=f"Of test_then_rank: {', '.join(TESTS)}. auto: Wilcoxon's of values of cases.",
            metavar="NAME",
            autocompletion=completion.one_of(*TESTS),
            rich_help_panel=Group.COMPARISON,
        ),
    ] = "auto",
    ties: Annotated[
        str,
        typer.Option(
            help="The rank that models share which are equal in a case, of rank_then_aggregate: "
            "min, average or max.",
            metavar="NAME",
            autocompletion=completion.one_of("min", "average", "max"),
            rich_help_panel=Group.COMPARISON,
        ),
    ] = "min",
    margin: Annotated[
        float,
        typer.Option(
            help="A model ranks behind those that are better by more than this, in the unit of the "
            "metric.",
            metavar="NUMBER",
            rich_help_panel=Group.COMPARISON,
        ),
    ] = 0.0,
    top: Annotated[
        int,
        typer.Option(
            help="Show how often a model is among so many first ones in bootstrap resamples.",
            metavar="COUNT",
            rich_help_panel=Group.COMPARISON,
        ),
    ] = 3,
    combine: Annotated[
        str | None,
        typer.Option(
            help="mean_rank or median_rank: combine the ranks by several metrics, within tasks and "
            "over them. Over tasks alone there always is a consensus, by default of mean ranks.",
            metavar="NAME",
            show_default=False,
            autocompletion=completion.one_of(*COMBINATIONS),
            rich_help_panel=Group.COMPARISON,
        ),
    ] = None,
    absent_model: Annotated[
        str,
        typer.Option(
            help="A model that some task lacks is left out of the consensus (omit), or last there "
            "(last). Needs --unmatched omit.",
            metavar="POLICY",
            autocompletion=completion.one_of("omit", "last"),
            rich_help_panel=Group.COMPARISON,
        ),
    ] = "omit",
    seed: options.Seed = None,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: comparison_options.Plot = None,
    plot_kind: Annotated[
        str | None,
        typer.Option(
            help="With --plot. rank-sets (default): ranks with their confidence sets; "
            "significance: who is shown to be better than whom; lines: ranks across tasks or "
            "schemes; dots, podium, case-heatmap: of the cases; heatmap, blob: of bootstrap "
            "resamples.",
            metavar="KIND",
            autocompletion=completion.one_of(*figures.RANKING_KINDS),
            rich_help_panel=Group.OUTPUT,
        ),
    ] = None,
    strict: options.Strict = False,
) -> Answer:
    """The ranks of several models, and the confidence set of each rank.

    A model has the ranks that the differences between all models, taken together, leave it.

    \b
    halfwidth rank models.csv --by model --metric dsc
    halfwidth rank challenge.csv --metric dsc
    halfwidth rank A=a.csv B=b.csv C=c.csv --metric dsc --margin 0.01
    halfwidth rank models.csv --metric dsc --scheme rank_then_aggregate
    halfwidth rank predictions.csv --by model --target y --score p --metric auroc
    halfwidth rank predictions.csv --target y --score p --combine mean_rank \\
        --metric auroc,average_precision
    halfwidth rank A=a.json B=b.json C=c.json --references refs.json --metric ap
    """
    fmt = options.resolve_format(fmt, json, out)
    kind = figures.check(plot, plot_kind, figures.RANKING_KINDS)
    if not files:
        raise OptionError(
            "name one table with the models in a column (--by), or a table for each model; "
            "'halfwidth rank --help' says more"
        )
    if compared_detections.asks_for_detections(ctx):
        rankings = _ranked_detectors(ctx, files, kind)
    else:
        rankings = _ranked_models(ctx, files, kind)

    for text in rankings.notes:
        note(text)
    document = rankings.document()
    if plot is not None and kind is not None:
        document = figures.with_rankings(document, rankings, plot, kind)
    status = STRICT_STATUS if strict and rankings.cautions else 0
    return Answer(document, fmt, out, status)


def _ranked_models(ctx: typer.Context, files: list[str], kind: str | None) -> Rankings:
    asked = comparison_settings.verb_options(ctx)

    data = comparison_settings.data_in(files, ctx.params, MODEL_COLUMNS)
    return rank_models(data, **asked, keep_cases=kind in figures.OF_CASES)


def _ranked_detectors(ctx: typer.Context, files: list[str], kind: str | None) -> Rankings:
    if kind in figures.OF_CASES:
        raise OptionError(f"--plot-kind {kind} is of values of cases, and detectors have none")
    data, asked = compared_detections.detectors_in(ctx, files)

    return rank_models(data, **asked)
