"""What the instances of a study are like: characteristics, and families that they reject."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import shortened
from halfwidth.core.option_names import flag_of, spelled_both
from halfwidth.document.frames import frames_data, records
from halfwidth.document.parts import Document, Heading, Kind, Note, Part, Table

if TYPE_CHECKING:
    import pandas as pd

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
    "images": {"metric": "metric", "n_cases": "images"},
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


# Kinds of the columns that hold no numbers.
KINDS = dict.fromkeys(
    ("characteristic", "instance", "metric", "cases by class", "family", "parameters"), Kind.TEXT
)


def characteristics_summary_document(frame: pd.DataFrame) -> Document:
    """The frame of `characteristics_summary`."""
    notes = [
        "Quartiles over instances; normal: the value for a normal distribution.",
        "Outliers lie beyond Tukey's fences, 1.5 interquartile ranges from the quartiles.",
    ]
    parts = [part for parts in _summaries(frame) for part in parts]
    return Document((*parts, *map(Note, notes)), frames_data({"summary": frame}))


def _summaries(frame: pd.DataFrame) -> Iterator[tuple[Part, ...]]:
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
        subject = {
            "cases": f"{metric} of cases",
            "formula": f"{metric} by formula",
            "images": f"{metric} of images",
            "test set": f"Test sets of {_number(classes)} classes",
        }[str(kind)]
        title = f"{subject}, {count} instance{'' if count == 1 else 's'}"
        yield Heading(title), Table.from_rows(headings, rows, kinds=KINDS)


def characteristics_document(frame: pd.DataFrame) -> Document:
    """The frame of `characteristics`, a row for each instance."""
    tables = []
    for kind, group in frame.groupby("kind", sort=False):
        shown = SHOWN[str(kind)]
        rows = (
            [str(row["instance"]), *(_cell(row, name) for name in shown)] for row in records(group)
        )
        tables.append(Table.from_rows(["instance", *shown.values()], rows, kinds=KINDS))
    note = Note(f"{flag_of('format')} csv has all columns.")
    return Document((*tables, note), frames_data({"characteristics": frame}))


def rejections_document(frame: pd.DataFrame, seed: int | None) -> Document:
    """The frame of `family_rejections`; notes name the ``seed`` where draws were made."""
    drawn = bool((frame["draws"] > 0).any())
    columns = {"rejected": "Rejected by the nominal p, % of instances"}
    if drawn:
        columns["rejected_lilliefors"] = "Rejected by the Lilliefors-type bootstrap, % of instances"
    parts: list[Part] = []
    for column, title in columns.items():
        parts += [Heading(title), _shares(frame, column)]
    parts += map(Note, _rejection_notes(frame, drawn, seed))
    data = frames_data({"rejections": frame}, **({"seed": seed} if drawn else {}))
    return Document(tuple(parts), data)


def _shares(frame: pd.DataFrame, column: str) -> Table:
    """Families down, metrics across, as many as there are."""
    metrics = list(dict.fromkeys(frame["metric"]))
    shares = {
        (row["family"], row["metric"]): f"{100 * row[column]:.0f}"
        for row in records(frame)
        if not math.isnan(row[column])
    }
    rows = (
        [family, *(shares.get((family, metric), "") for metric in metrics)]
        for family in dict.fromkeys(frame["family"])
    )
    headings = ["family", *(metric or LOGITS for metric in metrics)]
    return Table.from_rows(headings, rows, kinds=KINDS)


def _rejection_notes(frame: pd.DataFrame, drawn: bool, seed: int | None) -> Iterator[str]:
    first = frame.drop_duplicates("metric").to_dict("records")
    texts = [
        f"{row['metric'] or LOGITS}: {row['instances']} "
        f"instance{'' if row['instances'] == 1 else 's'}, p ≤ 0.05/{row['tests']}"
        for row in first
    ]
    yield f"Kolmogorov-Smirnov at 5 % after Bonferroni ({'; '.join(texts)})."
    if (frame["metric"] == "").any():
        yield "A test set rejects a family if the logits of any class do."
    failed = frame[frame["failed"] > 0].to_dict("records")
    if failed:
        which = [f"{row['family']} {row['metric'] or LOGITS} {row['failed']}" for row in failed]
        yield f"Instances without a fit, which are left out: {shortened(which, 12)}."
    yield OPTIMISTIC + (
        "" if drawn else f" A bootstrap gives right ones ({spelled_both('lilliefors', 999)})."
    )
    if drawn:
        yield f"Seed {seed}, {frame['draws'].max()} draws for each p."


def fits_document(frame: pd.DataFrame, seed: int | None) -> Document:
    """The frame of `family_fits`, a row for each instance and family."""
    drawn = bool((frame["draws"] > 0).any())
    shown = {"statistic": "D", "p": "nominal p"}
    if drawn:
        shown["lilliefors_p"] = "bootstrap p"
    rows = (
        [
            " ".join(filter(None, (row["instance"], row["label"]))),
            row["family"],
            *(_cell(row, name) for name in shown),
            row["failure"] or row["parameters"],
        ]
        for row in records(frame)
    )
    headings = ["instance", "family", *shown.values(), "parameters"]
    notes = [OPTIMISTIC, *([f"Seed {seed}, {frame['draws'].max()} draws for each p."] * drawn)]
    return Document(
        (Table.from_rows(headings, rows, kinds=KINDS), *map(Note, notes)),
        frames_data({"fits": frame}, **({"seed": seed} if drawn else {})),
    )


# --------------------------------------------------------------------------- cells


def _number(value: Any) -> str:
    """Three digits; whole numbers as they are, nothing for NaN."""
    number = float(value)
    if math.isnan(number):
        return ""
    if abs(number) < 1e5 and number == round(number):
        return f"{number:.0f}"
    return f"{number:.3g}"


def _cell(row: Mapping[str, Any], name: str) -> str:
    value = row[name]
    if isinstance(value, str):
        return value
    if name in ("outlier_share", "share_at_bound"):
        return "" if math.isnan(value) else f"{100 * value:.1f}"
    return _number(value)
