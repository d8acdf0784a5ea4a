"""The summary of a study as a document."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from halfwidth.document.frames import frames_data
from halfwidth.document.parts import Document, Heading, Kind, Note, Part, Table
from halfwidth.study.targets import by_target, range_text

if TYPE_CHECKING:
    import pandas as pd

# Standard errors of true values above this share of a width are noted: coverage moves by up to
# about as much.
UNSURE = 0.02


def summary_document(frame: pd.DataFrame) -> Document:
    """The frame of `Results.summary`: a table for each metric and statistic."""
    parts = [part for parts in _tables(frame) for part in parts]
    return Document((*parts, *map(Note, _notes(frame))), frames_data({"summary": frame}))


def _tables(frame: pd.DataFrame) -> Iterator[tuple[Part, ...]]:
    """A table for each metric and statistic, below its title."""
    # Columns that say nothing are left out.
    shares = {"no CI %": "undefined", "0 width %": "zero_width"}
    shown = {name: column for name, column in shares.items() if (frame[column] > 0).any()}
    names = ["n", "method", "cover %", "Q1", "Q3", "above", "below", "width", "from", "to", *shown]
    for target, group in by_target(frame):
        rows = []
        for row in group.sort_values(["n", "method"], kind="stable").to_dict("records"):
            cells = [str(row["n"]), str(row["method"])]
            cells += _three(row, "coverage", 100, "{:.1f}")
            cells += [_percent(row[name]) for name in ("missed_above", "missed_below")]
            cells += _three(row, "width", 1, "{:.3g}")
            cells += [f"{100 * row[column]:.1f}" for column in shown.values()]
            rows.append(cells)
        title = f"{target.title}, {target.intervals}"
        yield Heading(title), Table.from_rows(names, rows, kinds={"method": Kind.NAME})


def _three(row: dict[Any, Any], name: str, scale: float, form: str) -> list[str]:
    """Median, first and third quartile."""
    quartiles = [row[f"{name}_{which}"] for which in ("median", "q1", "q3")]
    return ["-" if math.isnan(value) else form.format(scale * value) for value in quartiles]


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def _notes(frame: pd.DataFrame) -> Iterator[str]:
    """What the numbers are of, and how sure they are."""
    instances = sorted({int(count) for count in frame["instances"]})
    noun = "instance" if instances == [1] else "instances"
    worst = frame["coverage_se"].max()
    error = (
        "" if math.isnan(worst) else f"; Monte-Carlo SE of a coverage at most {100 * worst:.2f} %"
    )
    yield f"Medians and quartiles over {range_text(instances)} {noun}{error}."
    yield "Above, below: how often the whole interval lies above, below the true value, in %."
    if (frame["undefined"] > 0).any():
        yield "Coverage is of the intervals that there are; no CI: the samples without one."
    truths = frame["truth_error"].max()
    if truths > UNSURE:
        yield (
            f"True values are known to {100 * truths:.1f} % of a width (one SE) and coverages no "
            "better: raise truth_draws."
        )
