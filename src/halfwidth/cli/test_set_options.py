"""Options of metrics of a whole test set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from halfwidth.cli.option_groups import declared, option
from halfwidth.core.option_table.option import Group

Target = Annotated[str | None, declared("target")]
Score = Annotated[list[str] | None, declared("score", more="Repeatable.")]
Prediction = Annotated[str | None, declared("prediction")]
TargetFile = Annotated[
    Path | None,
    option("True classes in a .npy or .npz file, instead of a table.", "FILE", Group.TEST_SETS),
]
ScoreFile = Annotated[
    Path | None,
    option(
        "Scores (cases, or cases x classes) or predicted classes in a .npy or .npz file.",
        "FILE",
        Group.TEST_SETS,
    ),
]
Labels = Annotated[list[str] | None, declared("labels", more="Such as A,B,C.")]
PosLabel = Annotated[str | None, declared("pos_label")]
AverageOption = Annotated[
    list[str] | None, declared("average", more="Repeatable, or a list with commas.")
]
ScoresAre = Annotated[str, declared("scores")]
Threshold = Annotated[str | None, declared("threshold")]
AbsentClass = Annotated[str, declared("absent_class")]
UndefinedOption = Annotated[str, declared("undefined")]
Costs = Annotated[
    str | None, declared("costs", more="Such as 0,1;5,0 for two classes where a miss costs 5.")
]
Priors = Annotated[str | None, declared("priors", more="Such as 0.95,0.05.")]
SampleWeight = Annotated[str | None, declared("sample_weight", "from_table")]


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
    pos_label: PosLabel = None,
    threshold: Threshold = None,
    absent_class: AbsentClass = "omit",
    undefined: UndefinedOption = "omit",
    costs: Costs = None,
    priors: Priors = None,
    sample_weight: SampleWeight = None,
) -> None:
    """Options of metrics of a test set."""
