"""What the instances of a study are like, as text: characteristics, and families they reject."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import shortened
from halfwidth.io.writers import csv_text
from halfwidth.report import page
from halfwidth.report.tables import markdown_text, printable, text_table

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("table", "markdown", "csv", "json")
LOGITS = "logits"
# Columns of one row for each instance, and their headings.
_OF_VALUES = {
    "mean": "mean",
    "sd": "SD",
    "skewness": "skew",
    "kurtosis": "kurt",
    "median": "median",
    "outlier_share": "outliers %",
    "share_at_bound": "at bound %",
}
SHOWN = {
    "cases": {"n_cases": "n", **_OF_VALUES},
    "formula": _OF_VALUES,
    "test set": {
        "counts": "cases by class",
        "accuracy": "accuracy",
        "balanced_accuracy": "balanced",
        "rank": "d",
        "multivariate_skewness": "skew",
        "multivariate_kurtosis": "kurt",
        "normal_kurtosis": "normal",
    },
}
OPTIMISTIC = (
    "The nominal p is too large, for the families are fitted to the values they are tested on: it "
    "rejects too seldom."
)


@dataclass(frozen=True)
class _Table:
    title: str
    headings: list[str]
    rows: list[list[str]]
    right: list[str]


def render_summary(frame: pd.DataFrame, fmt: str) -> str:
    """The frame of `characteristics_summary` in one of the `FORMATS`."""
    if fmt in ("csv", "json"):
        return _data(frame, fmt, "summary")
    notes = [
        "Quartiles over instances; normal: the value for a normal distribution.",
        "Outliers lie beyond Tukey's fences, 1.5 interquartile ranges from the quartiles.",
    ]
    return _written(list(_summaries(frame)), fmt, notes)


def _summaries(frame: pd.DataFrame) -> Iterator[_Table]:
    headings = ["characteristic", "least", "Q1", "median", "Q3", "most", "normal"]
    numbers = ["minimum", "q1", "median", "q3", "maximum", "normal"]
    for (metric, kind, classes), group in frame.groupby(
        ["metric", "kind", "classes"], sort=False, dropna=False
    ):
        rows = [
            [
                row["characteristic"].replace("_", " "),
                *(_number(row[name]) for name in numbers),
            ]
            for row in group.to_dict("records")
        ]
        count = int(group["instances"].max())
        of = {
            "cases": f"{metric} of cases",
            "formula": f"{metric} by formula",
            "test set": f"Test sets of {_number(classes)} classes",
        }[str(kind)]
        title = f"{of}, {count} instance{'' if count == 1 else 's'}"
        yield _Table(title, headings, rows, headings[1:])


def render_characteristics(frame: pd.DataFrame, fmt: str) -> str:
    """The frame of `characteristics` in one of the `FORMATS`, a row for each instance."""
    if fmt in ("csv", "json"):
        return _data(frame, fmt, "characteristics")
    tables = []
    for kind, group in frame.groupby("kind", sort=False):
        shown = SHOWN[str(kind)]
        rows = [
            [str(row["instance"]), *(_cell(row, name) for name in shown)]
            for row in group.to_dict("records")
        ]
        right = [heading for name, heading in shown.items() if name != "counts"]
        tables.append(_Table("", ["instance", *shown.values()], rows, right))
    return _written(tables, fmt, ["--format csv has all columns."])


def render_rejections(frame: pd.DataFrame, fmt: str, seed: int | None = None) -> str:
    """The frame of `family_rejections` in one of the `FORMATS`.

    ``seed`` is told where draws were made.
    """
    drawn = bool((frame["draws"] > 0).any())
    if fmt in ("csv", "json"):
        return _data(frame, fmt, "rejections", {"seed": seed} if drawn else {})
    columns = {"rejected": "Rejected by the nominal p, % of instances"}
    if drawn:
        columns["rejected_lilliefors"] = "Rejected by the Lilliefors-type bootstrap, % of instances"
    tables = [_shares(frame, column, title) for column, title in columns.items()]
    return _written(tables, fmt, list(_rejection_notes(frame, drawn, seed)))


def _shares(frame: pd.DataFrame, column: str, title: str) -> _Table:
    """Families down, metrics across, as many as there are."""
    metrics = list(dict.fromkeys(frame["metric"]))
    found = {(row["family"], row["metric"]): row[column] for row in frame.to_dict("records")}
    rows = [
        [family, *(_percent(found.get((family, metric), math.nan)) for metric in metrics)]
        for family in dict.fromkeys(frame["family"])
    ]
    headings = [metric or LOGITS for metric in metrics]
    return _Table(title, ["family", *headings], rows, headings)


def _rejection_notes(frame: pd.DataFrame, drawn: bool, seed: int | None) -> Iterator[str]:
    first = frame.drop_duplicates("metric").to_dict("records")
    said = [
        f"{row['metric'] or LOGITS}: {row['instances']} instances, p ≤ 0.05/{row['tests']}"
        for row in first
    ]
    yield f"Kolmogorov-Smirnov at 5 % after Bonferroni ({'; '.join(said)})."
    if (frame["metric"] == "").any():
        yield "A test set rejects a family if the logits of any class do."
    failed = frame[frame["failed"] > 0].to_dict("records")
    if failed:
        which = [f"{row['family']} {row['metric'] or LOGITS} {row['failed']}" for row in failed]
        yield f"Instances without a fit, which are left out: {shortened(which, 12)}."
    yield OPTIMISTIC + ("" if drawn else " --lilliefors N has p that are right.")
    if drawn:
        yield f"Seed {seed}, {frame['draws'].max()} draws for each p."


def render_fits(frame: pd.DataFrame, fmt: str, seed: int | None = None) -> str:
    """The frame of `family_fits` in one of the `FORMATS`, a row for each instance and family."""
    drawn = bool((frame["draws"] > 0).any())
    if fmt in ("csv", "json"):
        return _data(frame, fmt, "fits", {"seed": seed} if drawn else {})
    shown = {"family": "family", "statistic": "D", "p": "nominal p"}
    if drawn:
        shown["lilliefors_p"] = "bootstrap p"
    headings = ["instance", *shown.values(), "parameters"]
    rows = [
        [
            " ".join(filter(None, (row["instance"], row["label"]))),
            *(_cell(row, name) for name in shown),
            row["failure"] or row["parameters"],
        ]
        for row in frame.to_dict("records")
    ]
    notes = [OPTIMISTIC, *([f"Seed {seed}, {frame['draws'].max()} draws for each p."] * drawn)]
    return _written([_Table("", headings, rows, headings[2:-1])], fmt, notes)


# --------------------------------------------------------------------------- cells and pages


def _number(value: Any) -> str:
    """Three digits; whole numbers as they are, nothing for NaN."""
    number = float(value)
    if math.isnan(number):
        return ""
    if abs(number) < 1e5 and number == round(number):
        return f"{number:.0f}"
    return f"{number:.3g}"


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.0f}"


def _cell(row: dict[Any, Any], name: str) -> str:
    value = row[name]
    if isinstance(value, str):
        return value
    if name in ("outlier_share", "share_at_bound"):
        return "" if math.isnan(value) else f"{100 * value:.1f}"
    return _number(value)


def _written(tables: Sequence[_Table], fmt: str, notes: Sequence[str]) -> str:
    parts = []
    for table in tables:
        rows = [[printable(cell) for cell in row] for row in table.rows]
        title = printable(table.title)
        if fmt == "table":
            body = text_table(table.headings, rows, right=table.right, whole=table.right)
            parts.append(f"{title}\n\n{body}" if title else body)
        else:
            body = _markdown(table, rows)
            parts.append(f"**{markdown_text(title)}**\n\n{body}" if title else body)
    if fmt == "table":
        notes = [textwrap.fill(printable(note), page.width()) for note in notes]
    else:
        notes = [f"- {markdown_text(note)}" for note in notes]
    return "\n".join([*parts, "".join(f"{note}\n" for note in notes)])


def _markdown(table: _Table, rows: Sequence[Sequence[str]]) -> str:
    line = ["---:" if heading in table.right else "---" for heading in table.headings]
    escaped = [[markdown_text(cell) for cell in row] for row in (table.headings, *rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (escaped[0], line, *escaped[1:]))


def _data(frame: pd.DataFrame, fmt: str, what: str, more: dict[str, Any] | None = None) -> str:
    rows = [[_plain(value) for value in row] for row in frame.itertuples(index=False, name=None)]
    names = [str(name) for name in frame.columns]
    if fmt == "csv":
        return csv_text(names, rows)
    made = [dict(zip(names, row, strict=True)) for row in rows]
    return json.dumps({"schema_version": 1, **(more or {}), what: made}, indent=2) + "\n"


def _plain(value: Any) -> Any:
    """A cell as JSON knows it: a whole number without a point, None for what is not finite."""
    number = value.item() if hasattr(value, "item") else value
    return None if isinstance(number, float) and not math.isfinite(number) else number
