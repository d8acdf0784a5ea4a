"""Options shared by the verbs that estimate, declared once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import completion
from halfwidth.cli.command import Group
from halfwidth.cli.metric_names import names_in, typed_metrics
from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.pseudo_cases import FAILURES
from halfwidth.core.types import ALTERNATIVES
from halfwidth.core.undefined import ALL_POLICIES, MISSING_POLICIES
from halfwidth.document.render import FORMATS
from halfwidth.io.table import Table
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS
from halfwidth.summaries.catalogue import STATISTICS
from halfwidth.tables.layout import metrics_held
from halfwidth.tables.repeats import CASE_COLUMNS

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
        help="What the values are; decides range, unit and what is worst. Parameters after a "
        "colon: nsd:tolerance=3. With --target a metric of the whole test set; repeatable, or a "
        "list with commas. The names stand at the end of this help.",
        show_default=False,
        metavar="NAME",
        autocompletion=completion.all_metrics,
        rich_help_panel=Group.ESTIMATE,
    ),
]
OneMetric = Annotated[
    str | None,
    typer.Option(
        "--metric",
        help="What the values are: dsc, hd95, ...; decides range and unit.",
        metavar="NAME",
        show_default=False,
        autocompletion=completion.case_metrics,
        rich_help_panel=Group.ESTIMATE,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        help="Processors to use, -1 for all; the result is the same.",
        metavar="N",
        rich_help_panel=Group.RUNNING,
    ),
]
Statistics = Annotated[
    list[str],
    typer.Option(
        "--statistic",
        help="Summary statistic; repeatable, or a list with commas. One of "
        f"{', '.join(STATISTICS.names)}; parameters after a colon: quantile:0.9, trimmed_mean:0.1, "
        "sd:ddof=0.",
        autocompletion=completion.statistics,
        metavar="NAME",
        rich_help_panel=Group.ESTIMATE,
    ),
]
Method = Annotated[
    str,
    typer.Option(
        help="CI method; 'halfwidth methods' lists them. auto chooses on evidence.",
        metavar="NAME",
        autocompletion=completion.methods,
        rich_help_panel=Group.INTERVAL,
    ),
]
Failures = Annotated[
    str,
    typer.Option(
        help="What auto allows for: seen, failures such as these cases show; unseen, failures as "
        "none of them did; of verdicts both.",
        metavar="WHICH",
        autocompletion=completion.one_of(*FAILURES),
        rich_help_panel=Group.INTERVAL,
    ),
]
ConfidenceLevel = Annotated[
    float, typer.Option(help="Between 0 and 1.", metavar="LEVEL", rich_help_panel=Group.INTERVAL)
]
Alternative = Annotated[
    str,
    typer.Option(
        help=f"{', '.join(ALTERNATIVES)}: lower gives a lower confidence bound.",
        metavar="SIDE",
        autocompletion=completion.one_of(*ALTERNATIVES),
        rich_help_panel=Group.INTERVAL,
    ),
]
NResamples = Annotated[
    int,
    typer.Option(
        "--n-resamples", help="Bootstrap resamples.", metavar="B", rich_help_panel=Group.INTERVAL
    ),
]
NResamplesOrNone = Annotated[
    int | None,
    typer.Option(
        "--n-resamples",
        help="Bootstrap resamples; default: 9999, and none where the bootstrap distribution is "
        "known exactly, as of means and of ratios of counts.",
        metavar="B",
        show_default=False,
        rich_help_panel=Group.INTERVAL,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        help="Makes bootstraps repeatable; default: fresh, and reported.",
        metavar="INT",
        rich_help_panel=Group.INTERVAL,
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        help=f"What a missing value means: {', '.join(MISSING_POLICIES)}. "
        "omit: not applicable, leave it out; worst: failed, count it as the worst value.",
        metavar="POLICY",
        autocompletion=completion.one_of(*MISSING_POLICIES),
        rich_help_panel=Group.INPUT,
    ),
]
MissingOrAll = Annotated[
    str,
    typer.Option(
        "--missing",
        help=f"What a missing value means: {', '.join(MISSING_POLICIES)}, {ALL_POLICIES}. "
        "omit: not applicable, leave it out; worst: failed, count it as the worst value; all: both "
        "side by side, with what the table itself has for failed cases.",
        metavar="POLICY",
        autocompletion=completion.one_of(*MISSING_POLICIES, ALL_POLICIES),
        rich_help_panel=Group.INPUT,
    ),
]
Penalty = Annotated[
    float | None,
    typer.Option(
        help="The worst value with --missing worst, for metrics without one (distances).",
        metavar="VALUE",
        rich_help_panel=Group.INPUT,
    ),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        help="Column with values; repeatable. Default: all numeric columns.",
        metavar="COLUMN",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
# For verbs that take the values of one sample.
Value = Annotated[
    str | None,
    typer.Option(
        help="Column with values; default: the only numeric one.",
        metavar="COLUMN",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Case = Annotated[
    str | None,
    typer.Option(
        help=f"Column of case ids; default: the first of {', '.join(CASE_COLUMNS)} that exists.",
        metavar="COLUMN",
        rich_help_panel=Group.INPUT,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        help="Column that names the cluster of each row: its patient, its scan. Rows of a cluster "
        "are resampled together.",
        metavar="COLUMN",
        rich_help_panel=Group.DESIGN,
    ),
]
Strata = Annotated[
    str | None,
    typer.Option(
        help="Column that names the stratum of each row: its site, its class. Each keeps its size.",
        metavar="COLUMN",
        rich_help_panel=Group.DESIGN,
    ),
]
OverOption = Annotated[
    str,
    typer.Option(
        "--over",
        help="What the statistic is taken of: cases, or clusters, by the mean of each.",
        metavar="UNIT",
        rich_help_panel=Group.ESTIMATE,
    ),
]
BoundsOption = Annotated[
    str | None,
    typer.Option(
        "--bounds",
        help="Range of the values, for a metric of your own: LOW,HIGH (inf is allowed).",
        metavar="LOW,HIGH",
        rich_help_panel=Group.ESTIMATE,
    ),
]
Scale = Annotated[
    float,
    typer.Option(
        help="Values are divided by it; 100 for per cent.",
        metavar="NUMBER",
        rich_help_panel=Group.INPUT,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"{', '.join(FORMAT_NAMES)}; default: table, or what the suffix of --out says.",
        metavar="FORMAT",
        autocompletion=completion.one_of(*FORMAT_NAMES),
        show_default=False,
        rich_help_panel=Group.OUTPUT,
    ),
]
# For verbs that write no file.
FormatOfStdout = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"{', '.join(FORMAT_NAMES)}; default: table.",
        metavar="FORMAT",
        autocompletion=completion.one_of(*FORMAT_NAMES),
        show_default=False,
        rich_help_panel=Group.OUTPUT,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Short for --format json.", rich_help_panel=Group.OUTPUT)
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Write to a file instead of stdout.",
        metavar="FILE",
        rich_help_panel=Group.OUTPUT,
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        help="Draw a figure too: FILE.png, .svg or .pdf. A distribution shows the single cases.",
        metavar="FILE",
        rich_help_panel=Group.OUTPUT,
    ),
]
PlotKind = Annotated[
    str | None,
    typer.Option(
        help="With --plot. distribution (default): cases, density, box and intervals, a row per "
        "label; forest: the intervals alone. With --target: roc (default), pr, calibration, "
        "reliability, reliability-bins, decision, confusion, forest.",
        metavar="KIND",
        rich_help_panel=Group.OUTPUT,
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Exit with 3 when a caution was raised.", rich_help_panel=Group.OUTPUT
    ),
]


def value_options(
    scale: Scale = 1.0,
    penalty: Penalty = None,
    bounds: BoundsOption = None,
    over: OverOption = "cases",
) -> None:
    """Options of values of cases."""


def interval_options(
    method: Method = "auto",
    confidence_level: ConfidenceLevel = 0.95,
    n_resamples: NResamplesOrNone = None,
) -> None:
    """Options of intervals."""


def failures_options(failures: Failures = "seen") -> None:
    """Which failures intervals and verdicts allow for."""


def design_options(groups: Groups = None, strata: Strata = None) -> None:
    """Which cases belong together."""


def refuse_test_set_metrics(given: Sequence[str] | None, tables: Sequence[Table]) -> None:
    """Refuse metrics of a whole test set, unless a table has rows of a metric of this name.

    Programs that rate each answer of a model call that its accuracy (``acc``).
    """
    for name in names_in(typed_metrics(given)):
        of_test_set = name in SAMPLE_METRICS and name not in METRICS
        if of_test_set and not any(name in metrics_held(table) for table in tables):
            raise OptionError(
                f"{name} is a metric of a whole test set: name the column of true classes, "
                "--target, and those of the scores (--score) or of the predictions (--prediction)"
            )


def parse_bounds(text: str | None) -> Any:
    """``"0,1"`` as a pair of numbers."""
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(f"--bounds {text!r} is not LOW,HIGH, for example 0,1 or 0,inf") from None
    return low, high


def resolve_format(fmt: str | None, json: bool, out: Path | None = None) -> str:
    """The output format, by name or by the suffix of the file to write."""
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
