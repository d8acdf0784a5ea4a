"""Options shared by the verbs that estimate, declared once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from halfwidth.cli import completion
from halfwidth.cli.figures import KINDS, TEST_SET_KINDS
from halfwidth.cli.metric_names import names_in, typed_metrics
from halfwidth.cli.option_groups import by_metric, declared, option, switch
from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.option_table.option import Group
from halfwidth.document.render import FORMATS
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS, SAMPLE_METRICS
from halfwidth.summaries.all_statistics import STATISTICS
from halfwidth.tables.layout import metrics_held

FORMAT_OF_SUFFIX = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
}
FORMAT_NAMES = tuple(FORMATS)

SEVERAL = "Repeatable, or a list with commas."
WHICH_METRIC = (
    "What the values are, or with --target the metric of the whole test set; decides range, unit "
    "and which direction is better. Parameters after a colon: nsd:tolerance=3."
)
Metric = Annotated[
    list[str] | None,
    declared(
        "metric", meaning=WHICH_METRIC, more=f"{SEVERAL} The names stand at the end of this help."
    ),
]
OneMetric = Annotated[str | None, declared("metric", "from_arrays")]
Metrics = Annotated[list[str] | None, declared("metric", "from_arrays", more=SEVERAL)]
Jobs = Annotated[int, declared("jobs")]
Statistics = Annotated[
    list[str], declared("statistic", more=f"{SEVERAL} One of {', '.join(STATISTICS.names)}.")
]
Method = Annotated[str, declared("method")]
Failures = Annotated[str, declared("failures")]
ConfidenceLevel = Annotated[float, declared("confidence_level")]
Alternative = Annotated[str, declared("alternative")]
NResamplesOrNone = Annotated[int | None, declared("n_resamples")]
Seed = Annotated[int | None, declared("rng")]
Missing = Annotated[str, declared("missing", more="Of predictions wrong: a wrong answer.")]
MissingOrAll = Annotated[str, declared("missing", "estimate")]
Penalty = Annotated[Any, by_metric("penalty")]
Values = Annotated[list[str] | None, declared("value", more="Repeatable.")]
# For verbs that take the values of one sample.
Value = Annotated[
    str | None, declared("value", meaning="Column with values; default: the only numeric one.")
]
Case = Annotated[str | None, declared("case")]
Model = Annotated[str | None, declared("model")]
By = Annotated[list[str] | None, declared("by", more="Repeatable.")]
Groups = Annotated[str | None, declared("groups", "from_table")]
Strata = Annotated[str | None, declared("strata", "from_table")]
OverOption = Annotated[str, declared("over")]
BoundsOption = Annotated[str | None, declared("bounds", more="inf is allowed.")]
Scale = Annotated[float, declared("scale")]
Format = Annotated[
    str | None,
    option(
        f"{', '.join(FORMAT_NAMES)}; default: table, or what the suffix of --out says.",
        "FORMAT",
        Group.OUTPUT,
        flags=("--format",),
        completed=completion.one_of(*FORMAT_NAMES),
    ),
]
# For verbs that write no file.
FormatOfStdout = Annotated[
    str | None,
    option(
        f"{', '.join(FORMAT_NAMES)}; default: table.",
        "FORMAT",
        Group.OUTPUT,
        flags=("--format",),
        completed=completion.one_of(*FORMAT_NAMES),
    ),
]
Json = Annotated[bool, switch("--json", "Short for --format json.", Group.OUTPUT)]
Out = Annotated[
    Path | None,
    option("Write to a file instead of stdout.", "FILE", Group.OUTPUT, flags=("--out", "-o")),
]
Plot = Annotated[
    Path | None,
    option(
        "Draw a figure too: FILE.png, .svg or .pdf. A distribution shows the single cases.",
        "FILE",
        Group.OUTPUT,
    ),
]
PlotKind = Annotated[
    str | None,
    option(
        "With --plot. distribution (default): cases, density, box and intervals, a row per "
        "label; forest: the intervals alone. With --target: roc (default), pr, calibration, "
        "reliability, reliability-bins, decision, confusion, forest.",
        "KIND",
        Group.OUTPUT,
        completed=completion.one_of(*dict.fromkeys((*KINDS, *TEST_SET_KINDS))),
    ),
]
Strict = Annotated[bool, switch("--strict", "Exit with 3 when a caution was raised.", Group.OUTPUT)]


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


def refuse_test_set_metrics(texts: Sequence[str] | None, tables: Sequence[Table]) -> None:
    """Refuse metrics of a whole test set, unless a table has rows of a metric of this name.

    Programs that rate each answer of a model call that its accuracy (``acc``).
    """
    for name in names_in(typed_metrics(texts)):
        of_whole_set = name in SAMPLE_METRICS and name not in METRICS
        if of_whole_set and not any(name in metrics_held(table) for table in tables):
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
        raise OptionError(f"--json and --format {fmt} exclude each other; give one")
    if json or fmt is not None:
        return fmt or "json"
    if out is None:
        return "table"
    if out.suffix.lower() not in FORMAT_OF_SUFFIX:
        raise OptionError(
            f"--out {out}: the suffix {out.suffix or '(none)'!r} names no format; use "
            f"{', '.join(FORMAT_OF_SUFFIX)}, or say --format"
        )
    return FORMAT_OF_SUFFIX[out.suffix.lower()]
