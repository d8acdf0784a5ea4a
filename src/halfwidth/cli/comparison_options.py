"""Options of the verbs that compare models, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halfwidth.cli import (
    completion,
    detection_figures,
    detection_options,
    detection_reading,
    options,
    reading,
    test_set_options,
)
from halfwidth.cli.command import Group

TESTS = ("auto", "permutation", "mcnemar", "mcnemar_midp", "wilcoxon", "none")
CORRECTIONS = ("holm", "bonferroni", "benjamini_hochberg")
UNMATCHED = ("raise", "omit")
# Of the cases of two models, and of detectors.
OF_CASES, OF_DETECTORS = ("cases", "bland-altman"), detection_figures.CURVES
PLOT_KINDS = ("forest", *OF_CASES, *OF_DETECTORS)

By = Annotated[
    str | None,
    typer.Option(
        help="Column that names the model of each row; default: model or "
        "algorithm, where there is one.",
        metavar="COLUMN",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Value = Annotated[
    list[str] | None,
    typer.Option(
        help="Column with values; repeatable, each compared apart. Default: all numeric columns. "
        "Of one table without a column of models, each --value is a model.",
        metavar="COLUMN",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--value",
        help="Column with values; repeatable, and the model has to pass in each. Default: all "
        "numeric columns.",
        metavar="COLUMN",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Within = Annotated[
    list[str] | None,
    typer.Option(
        help="Column within whose levels models are compared, such as the organ; repeatable.",
        metavar="COLUMN",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Unmatched = Annotated[
    str,
    typer.Option(
        help="Cases that are not there for every model: raise (an error that lists them), or omit "
        "(leave them out, and say how many).",
        metavar="POLICY",
        autocompletion=completion.one_of(*UNMATCHED),
        rich_help_panel=Group.INPUT,
    ),
]
Metric = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        help="What the values are, or with --target the metric of the whole test set; decides "
        "range, unit and which direction is better. Repeatable, or a list with commas; COLUMN=NAME "
        "names the column of its values. Parameters after a colon: nsd:tolerance=3.",
        metavar="NAME",
        show_default=False,
        autocompletion=completion.all_metrics,
        rich_help_panel=Group.ESTIMATE,
    ),
]
Better = Annotated[
    str | None,
    typer.Option(
        help="Which direction is better, of a metric of your own: higher or lower.",
        metavar="DIRECTION",
        show_default=False,
        autocompletion=completion.one_of("higher", "lower"),
        rich_help_panel=Group.ESTIMATE,
    ),
]
Statistic = Annotated[
    str,
    typer.Option(
        "--statistic",
        help="Summary statistic of the values; parameters after a colon: quantile:0.9.",
        autocompletion=completion.statistics,
        metavar="NAME",
        rich_help_panel=Group.ESTIMATE,
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        help="Model that all others are compared with; default: all pairs.",
        metavar="MODEL",
        show_default=False,
        rich_help_panel=Group.COMPARISON,
    ),
]
Margin = Annotated[
    float | None,
    typer.Option(
        help="Largest loss that would not matter, above 0, in the unit of the metric (with --ratio "
        "a share): asks for non-inferiority and equivalence.",
        metavar="NUMBER",
        show_default=False,
        rich_help_panel=Group.COMPARISON,
    ),
]
Goal = Annotated[
    float | None,
    typer.Option(
        help="Value that each model by itself should reach, with its confidence bound.",
        metavar="NUMBER",
        show_default=False,
        rich_help_panel=Group.COMPARISON,
    ),
]
Ratio = Annotated[
    bool,
    typer.Option(
        "--ratio",
        help="The first model's value by the second's, instead of their difference.",
        rich_help_panel=Group.COMPARISON,
    ),
]
Unpaired = Annotated[
    bool,
    typer.Option(
        "--unpaired",
        help="The models were measured on different cases, which are not matched.",
        rich_help_panel=Group.COMPARISON,
    ),
]
Test = Annotated[
    str,
    typer.Option(
        "--test",
        help=f"Beside the interval: {', '.join(TESTS)}.",
        metavar="NAME",
        autocompletion=completion.one_of(*TESTS),
        rich_help_panel=Group.COMPARISON,
    ),
]
Correction = Annotated[
    str,
    typer.Option(
        help=f"Of the p-values of several comparisons: {', '.join(CORRECTIONS)}.",
        metavar="NAME",
        autocompletion=completion.one_of(*CORRECTIONS),
        rich_help_panel=Group.COMPARISON,
    ),
]
Simultaneous = Annotated[
    bool | None,
    typer.Option(
        "--simultaneous/--no-simultaneous",
        help="Intervals that hold for all comparisons together; default: where there are several.",
        show_default=False,
        rich_help_panel=Group.COMPARISON,
    ),
]


def _columns_of(model: str, what: str, *, more: str = "") -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        help=f"Column of {what} of the {model} model, in a table with columns for both.{more}",
        metavar="COLUMN",
        show_default=False,
        rich_help_panel=Group.TEST_SETS,
    )
    return option


_CLASSES = " Repeatable, one for each class."
ScoreA = Annotated[list[str] | None, _columns_of("first", "scores", more=_CLASSES)]
ScoreB = Annotated[list[str] | None, _columns_of("second", "scores", more=_CLASSES)]
PredictionA = Annotated[str | None, _columns_of("first", "predicted classes")]
PredictionB = Annotated[str | None, _columns_of("second", "predicted classes")]
Average = Annotated[
    str | None,
    typer.Option(
        "--average",
        help="Over classes: binary, macro, micro, weighted, none (each class apart); of "
        "detections macro unless you say otherwise.",
        metavar="AVERAGE",
        show_default=False,
        rich_help_panel=Group.TEST_SETS,
    ),
]
References = Annotated[
    Path | None,
    typer.Option(
        help="File or folder of the objects to be found: asks for metrics of detections. FILE are "
        "then those of each detector; these options and those of matching are as in `halfwidth "
        "detect`, and so are --threshold, --average, --groups and --strata.",
        metavar="FILE",
        show_default=False,
        rich_help_panel=Group.DETECTIONS,
    ),
]
RatedModel = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="The model that is compared with raters: its column of labels, or with --pairs its "
        "name in these columns.",
        metavar="NAME",
        show_default=False,
        rich_help_panel=Group.RATERS,
    ),
]
Rater = Annotated[
    list[str] | None,
    typer.Option(
        "--rater",
        help="A rater, two or more: the column of labels, or with --pairs the name (default: all "
        "but the model).",
        metavar="NAME",
        show_default=False,
        rich_help_panel=Group.RATERS,
    ),
]
Pairs = Annotated[
    str | None,
    typer.Option(
        "--pairs",
        help="Of values of cases, such as DSC: the two columns that name whose mask is compared "
        "with whose.",
        metavar="COLUMN,COLUMN",
        show_default=False,
        rich_help_panel=Group.RATERS,
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        help="Draw a figure too: FILE.png, .svg or .pdf.",
        metavar="FILE",
        rich_help_panel=Group.OUTPUT,
    ),
]
PlotKind = Annotated[
    str | None,
    typer.Option(
        help="With --plot. forest (default): the differences with the margin shaded; cases: both "
        "values of each case, joined by a line; bland-altman: differences over means of the cases; "
        "of detectors froc, pr, afroc or wafroc: the curves of up to four with their bands.",
        metavar="KIND",
        autocompletion=completion.one_of(*PLOT_KINDS),
        rich_help_panel=Group.OUTPUT,
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        help="Table of the old model, shaped as that of the new one.",
        metavar="[NAME=]OLD",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
FixedSeed = Annotated[
    int,
    typer.Option(
        "--seed",
        help="Of bootstraps; the same tables get the same answer.",
        metavar="INT",
        rich_help_panel=Group.INTERVAL,
    ),
]


def case_options(
    case: options.Case = None,
    unmatched: Unmatched = "raise",
    better: Better = None,
    statistic: Statistic = "mean",
) -> None:
    """Which cases are compared, and what of their values."""


def average_options(average: Average = None) -> None:
    """The average over classes, of a test set or of detections."""


def reference_options(references: References = None) -> None:
    """The objects that detections are matched with."""


# What all verbs of several models have, tables and detections alike.
OF_MODELS = (
    case_options,
    reading.table_options,
    options.value_options,
    options.interval_options,
    options.failures_options,
    options.design_options,
    test_set_options.column_options,
    average_options,
    test_set_options.metric_options,
    reference_options,
    detection_reading.reading_options,
    detection_options.matching_options,
)
