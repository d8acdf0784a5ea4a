"""Options shared by the verbs that estimate, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.types import ALTERNATIVES
from halfwidth.core.undefined import MISSING_POLICIES
from halfwidth.io.repeats import CASE_COLUMNS
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS
from halfwidth.report.tables import FORMATS
from halfwidth.summaries.catalogue import STATISTICS

__all__ = [
    "AbsentClass",
    "Alternative",
    "AverageOption",
    "BoundsOption",
    "Case",
    "ConfidenceLevel",
    "Costs",
    "Debug",
    "Format",
    "Groups",
    "Json",
    "Labels",
    "Method",
    "Metric",
    "Missing",
    "NResamples",
    "NResamplesOrNone",
    "Out",
    "OverOption",
    "Penalty",
    "Plot",
    "PlotKind",
    "Positive",
    "Prediction",
    "Priors",
    "Scale",
    "Score",
    "ScoreFile",
    "ScoresAre",
    "Seed",
    "Statistics",
    "Strata",
    "Strict",
    "Target",
    "TargetFile",
    "Threads",
    "Threshold",
    "UndefinedOption",
    "Weight",
    "only_metric",
    "parse_bounds",
    "resolve_format",
]

FORMAT_OF_SUFFIX = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
}
FORMAT_NAMES = tuple(FORMATS)

Metric = Annotated[
    list[str] | None,
    typer.Option(
        help="What the values are; decides range, unit and what is worst. "
        f"One of {', '.join(METRICS.names)}; parameters after a colon: nsd:tolerance=3. "
        f"With --target, of a test set, and repeatable: {', '.join(SAMPLE_METRICS.names)}; for "
        "example f_beta:beta=2, ppv:prevalence=0.05, cohen_kappa:weights=quadratic.",
        show_default=False,
        metavar="NAME",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help="Column of true classes (or of true numbers): asks for metrics of the whole test set.",
        metavar="COLUMN",
    ),
]
Score = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of scores; repeatable. The k-th belongs to the k-th of --labels. Of two "
        "classes that of the positive one is enough.",
        metavar="COLUMN",
        show_default=False,
    ),
]
Prediction = Annotated[
    str | None,
    typer.Option(help="Column of predicted classes (or numbers).", metavar="COLUMN"),
]
TargetFile = Annotated[
    Path | None,
    typer.Option(help="True classes in a .npy or .npz file, instead of a table.", metavar="FILE"),
]
ScoreFile = Annotated[
    Path | None,
    typer.Option(
        help="Scores (cases, or cases x classes) or predicted classes in a .npy or .npz file.",
        metavar="FILE",
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        help="All classes, in the order of the scores: A,B,C; default: those of the target, in "
        "ascending order.",
        metavar="LABELS",
        show_default=False,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(help="The positive class; default: 1 of 0 and 1.", metavar="LABEL"),
]
AverageOption = Annotated[
    list[str] | None,
    typer.Option(
        "--average",
        help="Over classes: binary, macro, micro, weighted, none (a row per class); repeatable.",
        metavar="AVERAGE",
        show_default=False,
    ),
]
ScoresAre = Annotated[
    str,
    typer.Option(
        "--scores",
        help="What the scores are: auto, probabilities, logits, any, labels, numbers.",
        metavar="KIND",
    ),
]
Threshold = Annotated[
    str | None,
    typer.Option(
        help="Positive from this score on; default 0.5. Or the name of a metric: the threshold "
        "that is best by it, chosen again in each resample.",
        metavar="NUMBER|METRIC",
    ),
]
AbsentClass = Annotated[
    str,
    typer.Option(
        help="What a class without a value counts in an average: omit, zero, undefined.",
        metavar="POLICY",
    ),
]
UndefinedOption = Annotated[
    str,
    typer.Option(
        "--undefined",
        help="What 0/0 counts: omit (nothing), zero (as in scikit-learn), worst.",
        metavar="POLICY",
    ),
]
Costs = Annotated[
    str | None,
    typer.Option(
        help="Of decisions, a row for each true class: 0,1;5,0 for two classes where a miss costs "
        "5. For expected costs, and as weights of cohen_kappa.",
        metavar="ROW;ROW",
    ),
]
Priors = Annotated[
    str | None,
    typer.Option(
        help="Shares of the classes for expected costs: 0.95,0.05; default: those of the data.",
        metavar="SHARES",
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(help="Column of sample weights: what each case counts.", metavar="COLUMN"),
]
Threads = Annotated[
    int,
    typer.Option(
        help="Threads for bootstraps of AUROC and AP; the result is the same.", metavar="N"
    ),
]
Statistics = Annotated[
    list[str],
    typer.Option(
        "--statistic",
        help=f"Summary statistic; repeatable. One of {', '.join(STATISTICS.names)}; parameters "
        "after a colon: quantile:0.9, trimmed_mean:0.1, sd:ddof=0.",
        metavar="NAME",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        help="CI method; 'halfwidth methods' lists them. auto chooses on evidence.", metavar="NAME"
    ),
]
ConfidenceLevel = Annotated[float, typer.Option(help="Between 0 and 1.", metavar="LEVEL")]
Alternative = Annotated[
    str,
    typer.Option(
        help=f"{', '.join(ALTERNATIVES)}: lower gives a lower confidence bound.", metavar="SIDE"
    ),
]
NResamplesOrNone = Annotated[
    int | None,
    typer.Option(
        "--n-resamples",
        help="Bootstrap resamples; default: 9999. Means of 100000 cases and more need none, "
        "unless their number is given.",
        metavar="B",
        show_default=False,
    ),
]
NResamples = Annotated[int, typer.Option("--n-resamples", help="Bootstrap resamples.", metavar="B")]
Seed = Annotated[
    int | None,
    typer.Option(help="Makes bootstraps repeatable; default: fresh, and reported.", metavar="INT"),
]
Missing = Annotated[
    str,
    typer.Option(
        help=f"What a missing value means: {', '.join(MISSING_POLICIES)}. "
        "omit: not applicable, leave it out; worst: failed, count it as the worst value.",
        metavar="POLICY",
    ),
]
Penalty = Annotated[
    float | None,
    typer.Option(
        help="The worst value with --missing worst, for metrics without one (distances).",
        metavar="VALUE",
    ),
]
Case = Annotated[
    str | None,
    typer.Option(
        help=f"Column of case ids; default: the first of {', '.join(CASE_COLUMNS)} that exists.",
        metavar="COLUMN",
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        help="Column that names the cluster of each row: its patient, its scan. Rows of a cluster "
        "are resampled together.",
        metavar="COLUMN",
    ),
]
Strata = Annotated[
    str | None,
    typer.Option(
        help="Column that names the stratum of each row: its site, its class. Each keeps its size.",
        metavar="COLUMN",
    ),
]
OverOption = Annotated[
    str,
    typer.Option(
        "--over",
        help="What the statistic is taken of: cases, or clusters, by the mean of each.",
        metavar="UNIT",
    ),
]
BoundsOption = Annotated[
    str | None,
    typer.Option(
        "--bounds",
        help="Range of the values, for a metric of your own: LOW,HIGH (inf is allowed).",
        metavar="LOW,HIGH",
    ),
]
Scale = Annotated[
    float,
    typer.Option(help="Values are divided by it; 100 for per cent.", metavar="NUMBER"),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"{', '.join(FORMAT_NAMES)}; default: table, or what the suffix of --out says.",
        metavar="FORMAT",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Short for --format json.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Write to a file instead of stdout.", metavar="FILE"),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        help="Draw a figure too: FILE.png, .svg or .pdf. A distribution shows the single cases.",
        metavar="FILE",
    ),
]
PlotKind = Annotated[
    str | None,
    typer.Option(
        help="With --plot. distribution (default): cases, density, box and intervals, a row per "
        "label; forest: the intervals alone. With --target: roc (default), pr, confusion, forest.",
        metavar="KIND",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit with 3 when a caution was raised.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show a traceback on errors.")]


def only_metric(given: list[str] | None) -> str | None:
    """The one metric asked for; more than one would be a slip of the hand."""
    if given is not None and len(given) > 1:
        raise OptionError(f"--metric is given {len(given)} times ({', '.join(given)}); give one")
    return given[0] if given else None


def parse_bounds(text: str | None) -> Any:
    """``"0,1"`` as a pair of numbers."""
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(f"--bounds {text!r} is not LOW,HIGH, for example 0,1 or 0,inf") from None
    return low, high


def resolve_format(fmt: str | None, json: bool, out: Path | None) -> str:
    """The output format asked for, by name or by the suffix of the file to write."""
    if fmt is not None and fmt not in FORMAT_NAMES:
        raise UnknownNameError("format", fmt, FORMAT_NAMES)
    if json and fmt not in (None, "json"):
        raise OptionError(f"--json and --format {fmt} exclude each other")
    if json or fmt is not None:
        return fmt or "json"
    if out is None:
        return "table"
    if out.suffix.lower() not in FORMAT_OF_SUFFIX:
        raise OptionError(
            f"--out {out}: no format goes by the suffix {out.suffix or '(none)'!r}; use "
            f"{', '.join(FORMAT_OF_SUFFIX)}, or say --format"
        )
    return FORMAT_OF_SUFFIX[out.suffix.lower()]
