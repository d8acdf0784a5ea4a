"""Options of the verbs that compare models, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from halfwidth.cli import completion, options, reading, test_set_options
from halfwidth.cli.branch_commands import commands_of_branches
from halfwidth.cli.option_groups import by_metric, declared, option
from halfwidth.core.option_table.option import Group

# Of the cases of two models, and of models of branches.
OF_CASES = ("cases", "bland-altman")
OF_BRANCHES = tuple(kind for branch in commands_of_branches() for kind in branch.PLOT_KINDS)
PLOT_KINDS = ("forest", *OF_CASES, *OF_BRANCHES)

ModelOrRated = Annotated[
    str | None,
    declared(
        "model",
        "data",
        more="With --rater: the column of labels of the model that is compared with raters; with "
        "--pairs its name in these columns.",
    ),
]
Value = Annotated[
    list[str] | None,
    declared(
        "value",
        more="Repeatable, each compared apart. Of one table without a column of models, each "
        "--value is a model.",
    ),
]
Values = Annotated[
    list[str] | None, declared("value", more="Repeatable, and the model has to pass in each.")
]
Pairing = Annotated[str, declared("pairing")]
Metric = Annotated[
    list[str] | None,
    declared(
        "metric",
        meaning=options.WHICH_METRIC,
        more=f"{options.SEVERAL} COLUMN=NAME names the column of its values.",
    ),
]
Better = Annotated[
    str | None,
    option(
        "Which direction is better, of a metric of your own: higher or lower.",
        "DIRECTION",
        Group.ESTIMATE,
        completed=completion.one_of("higher", "lower"),
    ),
]
Statistic = Annotated[str, declared("statistic")]
Baseline = Annotated[str | None, declared("baseline")]
Margin = Annotated[Any, by_metric("margin")]
Goal = Annotated[Any, by_metric("goal")]
Ratio = Annotated[
    bool,
    declared(
        "effect", meaning="The first model's value by the second's, instead of their difference."
    ),
]
Test = Annotated[str, declared("test")]
Correction = Annotated[str, declared("correction")]


def _columns_of(model: str, content: str, *, more: str = "") -> Any:
    return option(
        f"Column of {content} of the {model} model, in a table with columns for both.{more}",
        "COLUMN",
        Group.TEST_SETS,
    )


_CLASSES = " Repeatable, one for each class."
ScoreA = Annotated[list[str] | None, _columns_of("first", "scores", more=_CLASSES)]
ScoreB = Annotated[list[str] | None, _columns_of("second", "scores", more=_CLASSES)]
PredictionA = Annotated[str | None, _columns_of("first", "predicted classes")]
PredictionB = Annotated[str | None, _columns_of("second", "predicted classes")]
Average = Annotated[str | None, declared("average")]
Rater = Annotated[
    list[str] | None,
    option(
        "A rater, two or more: the column of labels, or with --pairs the name (default: all "
        "but the model).",
        "NAME",
        Group.RATERS,
    ),
]
Pairs = Annotated[
    str | None,
    declared("pairs", more="Of values of cases, such as DSC."),
]
Plot = Annotated[
    Path | None, option("Draw a figure too: FILE.png, .svg or .pdf.", "FILE", Group.OUTPUT)
]
PlotKind = Annotated[
    str | None,
    option(
        "With --plot. forest (default): the differences with the margin shaded; cases: both "
        "values of each case, joined by a line; bland-altman: differences over means of the cases"
        + "".join(f"; {branch.PLOTS}" for branch in commands_of_branches())
        + ".",
        "KIND",
        Group.OUTPUT,
        completed=completion.one_of(*PLOT_KINDS),
    ),
]
Against = Annotated[
    str | None,
    option(
        "Table of the old model, shaped as that of the new one; with --new the name of the old "
        "model in one table.",
        "[NAME=]OLD",
        Group.INPUT,
    ),
]
FixedSeed = Annotated[int, declared("rng", "gate")]


def case_options(
    case: options.Case = None,
    pairing: Pairing = "complete",
    better: Better = None,
    statistic: Statistic = "mean",
) -> None:
    """Which cases are compared, and what of their values."""


def average_options(average: Average = None) -> None:
    """The average over classes, of a test set or of detections."""


# What all verbs of several models have, tables and data of branches alike.
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
    *(group for branch in commands_of_branches() for group in branch.OPTIONS),
)
