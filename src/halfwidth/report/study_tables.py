"""The summary of a study as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from halfwidth.report.tables import text_table

if TYPE_CHECKING:
    import pandas as pd

# What the rows of one table have in common.
OF_A_TABLE = ("metric", "statistic", "average", "label", "confidence_level", "alternative")
# Standard errors of true values above this share of a width are told: coverage moves by up to about
# as much.
UNSURE = 0.02
KINDS = {"two-sided": "intervals", "lower": "lower bounds", "upper": "upper bounds"}


def render_summary(frame: pd.DataFrame, fmt: str) -> str:
    """The frame of `Results.summary` as ``table``, ``markdown``, ``csv`` or ``json``."""
    return FORMATS[fmt](frame)


def _table(frame: pd.DataFrame) -> str:
    parts = [
        f"{title}\n\n{text_table(names, rows, right=names[:1] + names[2:], whole=('method',))}"
        for title, names, rows in _groups(frame)
    ]
    return "\n".join([*parts, f"{_footer(frame)}\n"])


def _markdown(frame: pd.DataFrame) -> str:
    parts = []
    for title, names, rows in _groups(frame):
        lines = [names, ["---"] * len(names), *([_escaped(cell) for cell in row] for row in rows)]
        parts.append(
            f"**{_escaped(title)}**\n\n" + "".join(f"| {' | '.join(x)} |\n" for x in lines)
        )
    return "\n".join([*parts, f"{_footer(frame)}\n"])


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


def _groups(frame: pd.DataFrame) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """A table for each metric and statistic: its title, headings and cells."""
    # Columns that say nothing are left out.
    shares = {"no CI %": "undefined", "0 width %": "zero_width"}
    shown = {name: column for name, column in shares.items() if (frame[column] > 0).any()}
    names = ["n", "method", "cover %", "Q1", "Q3", "width", "from", "to", *shown]
    for key, group in frame.groupby(list(OF_A_TABLE), sort=True, dropna=False):
        rows = []
        for row in group.sort_values(["n", "method"], kind="stable").to_dict("records"):
            cells = [str(row["n"]), str(row["method"])]
            cells += [*_three(row, "coverage", 100, "{:.1f}"), *_three(row, "width", 1, "{:.3g}")]
            cells += [f"{100 * row[column]:.1f}" for column in shown.values()]
            rows.append(cells)
        yield _title(dict(zip(OF_A_TABLE, key, strict=True))), names, rows


def _title(of: dict[str, Any]) -> str:
    """Such as ``Mean dsc, 95 % intervals``."""
    what = " ".join(str(of[part]) for part in ("average", "statistic", "metric") if of[part])
    label = f" of {of['label']}" if of["label"] else ""
    return f"{what}{label}, {100 * of['confidence_level']:g} % {KINDS[of['alternative']]}"


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
    truths = frame["truth_error"].max()
    unsure = (
        f"\nTrue values are known to {100 * truths:.1f} % of a width (one SE) and "
        "coverages no better: raise truth_draws."
        if truths > UNSURE
        else ""
    )
    return (
        f"Medians and quartiles over {many} {noun}{error}.\n"
        f"An undefined interval counts as a miss.{unsure}"
    )


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")
