"""Options of metrics of a whole test set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halfwidth.cli.command import Group

Target = Annotated[
    str | None,
    typer.Option(
        help="Column of true classes (or of true numbers): asks for metrics of the whole test set.",
        metavar="COLUMN",
        rich_help_panel=Group.TEST_SETS,
    ),
]
Score = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of scores; repeatable. The k-th belongs to the k-th of --labels. Of two "
        "classes that of the positive one is enough.",
        metavar="COLUMN",
        show_default=False,
        rich_help_panel=Group.TEST_SETS,
    ),
]
Prediction = Annotated[
    str | None,
    typer.Option(
        help="Column of predicted classes (or numbers).",
        metavar="COLUMN",
        rich_help_panel=Group.TEST_SETS,
    ),
]
TargetFile = Annotated[
    Path | None,
    typer.Option(
        help="True classes in a .npy or .npz file, instead of a table.",
        metavar="FILE",
        rich_help_panel=Group.TEST_SETS,
    ),
]
ScoreFile = Annotated[
    Path | None,
    typer.Option(
        help="Scores (cases, or cases x classes) or predicted classes in a .npy or .npz file.",
        metavar="FILE",
        rich_help_panel=Group.TEST_SETS,
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        help="All classes, in the order of the scores: A,B,C; default: those of the target, in "
        "ascending order.",
        metavar="LABELS",
        show_default=False,
        rich_help_panel=Group.TEST_SETS,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        help="The positive class; default: 1 of 0 and 1.",
        metavar="LABEL",
        rich_help_panel=Group.TEST_SETS,
    ),
]
AverageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--average",
        help="Over classes: binary, macro, micro, weighted, none (a row per class); repeatable.",
        metavar="AVERAGE",
        show_default=False,
        rich_help_panel=Group.TEST_SETS,
    ),
]
ScoresAre = Annotated[
    str,
    typer.Option(
        "--scores",
        help="What the scores are: auto, probabilities, logits, any, labels, numbers.",
        metavar="KIND",
        rich_help_panel=Group.TEST_SETS,
    ),
]
Threshold = Annotated[
    str | None,
    typer.Option(
        help="Positive from this score on; default 0.5. Or the name of a metric: the threshold "
        "that is best by it, chosen again in each resample.",
        metavar="NUMBER|METRIC",
        rich_help_panel=Group.TEST_SETS,
    ),
]
AbsentClass = Annotated[
    str,
    typer.Option(
        help="What a class without a value counts in an average: omit, zero, undefined.",
        metavar="POLICY",
        rich_help_panel=Group.TEST_SETS,
    ),
]
UndefinedOption = Annotated[
    str,
    typer.Option(
        "--undefined",
        help="What 0/0 counts: omit (nothing), zero (as in scikit-learn), worst.",
        metavar="POLICY",
        rich_help_panel=Group.TEST_SETS,
    ),
]
Costs = Annotated[
    str | None,
    typer.Option(
        help="Of decisions, a row for each true class: 0,1;5,0 for two classes where a miss costs "
        "5. For expected costs, and as weights of cohen_kappa.",
        metavar="ROW;ROW",
        rich_help_panel=Group.TEST_SETS,
    ),
]
Priors = Annotated[
    str | None,
    typer.Option(
        help="Shares of the classes for expected costs: 0.95,0.05; default: those of the data.",
        metavar="SHARES",
        rich_help_panel=Group.TEST_SETS,
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        help="Column of sample weights: what each case counts.",
        metavar="COLUMN",
        rich_help_panel=Group.TEST_SETS,
    ),
]


def column_options(
    target: Target = None, score: Score = None, prediction: Prediction = None
) -> None:
    """Columns of a test set."""


def file_options(target_file: TargetFile = None, score_file: ScoreFile = None) -> None:
    """Arrays of a test set, instead of columns."""


def average_options(average: AverageOption = None) -> None:
    """Averages over classes."""


def metric_options(
    scores: ScoresAre = "auto",
    labels: Labels = None,
    positive: Positive = None,
    threshold: Threshold = None,
    absent_class: AbsentClass = "omit",
    undefined: UndefinedOption = "omit",
    costs: Costs = None,
    priors: Priors = None,
    weight: Weight = None,
) -> None:
    """Options of metrics of a test set."""
