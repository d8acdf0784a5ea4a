"""The summary of a study as text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from halfwidth.report.tables import text_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FORMATS", "render_summary"]

# By what rows are told apart, and how it is headed; a column in which all rows agree is left out
# of a table that people read.
KEYS = {
    "metric": "metric",
    "statistic": "statistic",
    "average": "average",
    "label": "class",
    "confidence_level": "level",
    "n": "n",
    "method": "method",
}
ALWAYS = ("metric", "n", "method")
WORDS = ("metric", "statistic", "average", "class", "method")


def render_summary(frame: pd.DataFrame, fmt: str) -> str:
    """The frame of `Results.summary` as ``table``, ``markdown``, ``csv`` or ``json``."""
    return FORMATS[fmt](frame)


def _table(frame: pd.DataFrame) -> str:
    names, rows = _cells(frame)
    right = [
        name for name in names if name not in ("metric", "statistic", "average", "class", "method")
    ]
    return text_table(names, rows, right=tuple(right)) + "\n" + _footer(frame) + "\n"


def _markdown(frame: pd.DataFrame) -> str:
    names, rows = _cells(frame)
    lines = [names, ["---"] * len(names), *([_escaped(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + f"\n{_footer(frame)}\n"


def _csv(frame: pd.DataFrame) -> str:
    text: str = frame.to_csv(index=False, lineterminator="\n")
    return text


def _json(frame: pd.DataFrame) -> str:
    import json

    rows = [
        {name: _plain(value) for name, value in row.items()} for row in frame.to_dict("records")
    ]
    return json.dumps({"schema_version": 1, "summary": rows}, indent=2) + "\n"


FORMATS: dict[str, Callable[[Any], str]] = {
    "table": _table,
    "markdown": _markdown,
    "csv": _csv,
    "json": _json,
}


def _plain(value: Any) -> Any:
    number = value.item() if hasattr(value, "item") else value
    return None if isinstance(number, float) and not math.isfinite(number) else number


def _cells(frame: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    keys = [key for key in KEYS if key in frame and (key in ALWAYS or len(set(frame[key])) > 1)]
    frame = frame.sort_values([key for key in KEYS if key in frame], kind="stable")
    names = [KEYS[key] for key in keys]
    names += ["cover %", "Q1", "Q3", "width", "from", "to"]
    undefined = bool((frame["undefined"] > 0).any())
    names += ["no CI %"] if undefined else []
    rows = []
    for row in frame.to_dict("records"):
        cells = [_said(row[key]) for key in keys]
        cells += [*_three(row, "coverage", 100, "{:.1f}"), *_three(row, "width", 1, "{:.3g}")]
        cells += [f"{100 * row['undefined']:.1f}"] if undefined else []
        rows.append(cells)
    return names, rows


def _said(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _three(row: dict[Any, Any], name: str, scale: float, form: str) -> list[str]:
    """Median, first and third quartile."""
    quartiles = [row[f"{name}_{which}"] for which in ("median", "q1", "q3")]
    return ["-" if math.isnan(value) else form.format(scale * value) for value in quartiles]


def _footer(frame: pd.DataFrame) -> str:
    """What the numbers are of, and how sure they are."""
    instances = sorted({int(count) for count in frame["instances"]})
    many = f"{instances[0]}" if len(instances) == 1 else f"{instances[0]} to {instances[-1]}"
    noun = "instance" if instances == [1] else "instances"
    worst = frame["coverage_se"].max()
    error = (
        "" if math.isnan(worst) else f"; Monte-Carlo SE of a coverage at most {100 * worst:.2f} %"
    )
    return (
        f"Medians and quartiles over {many} {noun}{error}.\nAn undefined interval counts as a miss."
    )


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
