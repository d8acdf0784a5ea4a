"""``halfwidth compare``: how two or more models differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from halfwidth.cli import (
    compared_raters,
    comparison_options,
    figures,
    given_data,
    given_models,
    options,
    reading,
)
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.branch_commands import branch_asked, commands_of_branches
from halfwidth.cli.option_groups import argument, with_options
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.results.curves import SeveralCurves
from halfwidth.verbs.compare import compare as compare_models

if TYPE_CHECKING:
    from halfwidth.results.comparison import Comparisons


@with_options(*comparison_options.OF_MODELS)
def compare(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        argument(
            f"{reading.TABLE_HELP}. One with the models in a column (--model) or in columns, or "
            "a table for each model, which is called by its file name; NAME=FILE calls it NAME.",
            "FILE",
        ),
    ] = None,
    model: comparison_options.ModelOrRated = None,
    value: comparison_options.Value = None,
    by: options.By = None,
    model_from: reading.ModelFrom = None,
    missing: options.Missing = "raise",
    metric: comparison_options.Metric = None,
    baseline: comparison_options.Baseline = None,
    margin: comparison_options.Margin = None,
    goal: comparison_options.Goal = None,
    ratio: comparison_options.Ratio = False,
    test: comparison_options.Test = "none",
    correction: comparison_options.Correction = "stepdown",
    seed: options.Seed = None,
    score_a: comparison_options.ScoreA = None,
    score_b: comparison_options.ScoreB = None,
    prediction_a: comparison_options.PredictionA = None,
    prediction_b: comparison_options.PredictionB = None,
    rater: comparison_options.Rater = None,
    pairs: comparison_options.Pairs = None,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: comparison_options.Plot = None,
    plot_kind: comparison_options.PlotKind = None,
    strict: options.Strict = False,
) -> Answer:
    """How two or more models differ, with the interval of each difference.

    Differences are the first model minus the second, on the same cases, which are matched by their
    ids. A test and a verdict stand beside each interval.

    \b
    halfwidth compare new.csv old.csv --metric dsc
    halfwidth compare B=new.csv A=old.csv --metric dsc --margin 0.01
    halfwidth compare wide.csv --value unet --value vit --metric dsc
    halfwidth compare networks.csv --model network --by task --metric dsc
    halfwidth compare models.csv --metric dsc --by task --baseline nnunet

    Metrics of a whole test set:

    \b
    halfwidth compare preds2.csv --target y --score-a prob_a --score-b prob_b \\
        --metric auroc
    halfwidth compare preds2.csv --target y --prediction-a a --prediction-b b \\
        --metric accuracy

    Detectors, whose detections are matched with the same references:

    \b
    halfwidth compare B=dets_b.json A=dets_a.json --references refs.json \\
        --metric ap50

    A model against raters, beside the raters against each other:

    \b
    halfwidth compare labels.csv --model unet --rater A --rater B \\
        --metric cohen_kappa
    halfwidth compare pairs.csv --pairs prediction,reference --model unet \\
        --metric dsc
    """
    fmt = options.resolve_format(fmt, json, out)
    kind = figures.check(plot, plot_kind, comparison_options.PLOT_KINDS)
    if not files:
        raise OptionError(
            "name a table for each model, halfwidth compare NEW OLD, or one with all of them; "
            "'halfwidth compare --help' says more"
        )
    comparisons, drawn = _compared(ctx, files, kind)

    note(*comparisons.notes)
    document, cautions = comparisons.document(), comparisons.cautions
    if plot is not None and drawn is not None:
        curves, title = drawn
        document, cautions = figures.with_drawn(document, curves, plot, cautions, title)
    elif plot is not None:
        document = figures.with_picture(document, comparisons, plot, kind)
    return Answer(document, fmt, out, strict_status(strict, cautions))


def _compared(
    ctx: typer.Context, files: list[str], kind: str | None
) -> tuple[Comparisons, tuple[SeveralCurves[Any], str] | None]:
    """Models with each other, or one with raters; and the curves that are drawn, with a title."""
    draws_cases = kind in comparison_options.OF_CASES
    draws_curves = kind in comparison_options.OF_BRANCHES
    branch = branch_asked(ctx)
    if branch is not None:
        if draws_cases:
            raise OptionError(
                f"--plot-kind {kind} draws values of cases; for {branch.MODELS} use forest or "
                f"{', '.join(branch.PLOT_KINDS)}"
            )
    elif draws_curves:
        (drawn_by,) = (one for one in commands_of_branches() if kind in one.PLOT_KINDS)
        raise OptionError(
            f"--plot-kind {kind} draws {drawn_by.CONTENT} and needs {drawn_by.ASKED_BY}"
        )
    elif compared_raters.asks_for_raters(ctx):
        if draws_cases:
            raise OptionError(f"--plot-kind {kind} draws two models; for raters use forest")
        readings, asked = compared_raters.readings_in(ctx, files)
        return compare_models(readings, **asked), None
    elif draws_cases and given_data.has_test_set(ctx.params):
        raise OptionError(f"--plot-kind {kind} draws values of cases; for test sets use forest")
    data, asked = given_models.models_in(ctx, files)
    if branch is not None:
        branch.check_curves(kind, data.models, asked["average"])
    comparisons = compare_models(data, **asked)
    if kind is None or branch is None or not draws_curves:
        return comparisons, None
    first = comparisons[0].estimate
    how = {**asked, "rng": first.seed}
    curves = branch.curves_behind(kind, data, first, how)
    return comparisons, (curves, f"Curves of the {branch.MODELS}")
