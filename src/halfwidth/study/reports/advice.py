"""Which method to use, by a study: the methods of each statistic and n, ranked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from halfwidth.core.types import Level
from halfwidth.document.frames import frames_data, records
from halfwidth.document.parts import Cell, Document, Heading, Kind, Note, Part, Table
from halfwidth.estimation.resolve import AUTO
from halfwidth.study.analysis.advice import auto_choice
from halfwidth.study.targets import by_target, range_text

if TYPE_CHECKING:
    import pandas as pd

KINDS = {"method": Kind.NAME, "rank": Kind.TEXT}
# Share of a normal distribution's SD that lies between its first quartile and its mean.
QUARTILE = 0.6745


def advice_document(frame: pd.DataFrame, *, top: int, seed: int) -> Document:
    """The frame of `analysis.advice`: the first methods of each n, those tied with them, and auto.

    ``top`` methods are shown of each n, and data have all; ``seed`` is of the draws of tasks.
    """
    parts: list[Part] = []
    for target, group in by_target(frame):
        parts += [Heading(f"{target.title}, {target.intervals}"), _table(records(group), top)]
    return Document((*parts, *map(Note, _notes(frame, seed))), frames_data({"advice": frame}))


def _table(rows: list[dict[str, Any]], top: int) -> Table:
    shown = [row for row in rows if row["rank"] <= top or row["tied"] or row["method"] == AUTO]
    lacking = any(row["no_interval"] > 0 for row in shown)
    cells: list[list[Cell | str]] = [
        [
            str(row["n"]),
            _rank(row),
            str(row["method"]),
            *(_percent(row[f"coverage_{name}"]) for name in ("q1", "q1_low", "q1_high")),
            *(_percent(row[f"coverage_{name}"]) for name in ("median", "lowest")),
            *(_number(row[f"width_ratio_{name}"], "{:.2f}") for name in ("median", "q9")),
            _percent(row["first"], "{:.0f}"),
            *([_percent(row["no_interval"])] if lacking else []),
        ]
        for row in shown
    ]
    headings = ["n", "rank", "method", "Q1 %", "from", "to", "median", "lowest"]
    last = ["width", "Q90", "1st %", *(["no CI %"] if lacking else [])]
    return Table.from_rows([*headings, *last], cells, kinds=KINDS)


def _rank(row: Mapping[str, Any]) -> str:
    """In brackets where a method is not reliable."""
    rank = str(row["rank"]) if row["reliable"] else f"({row['rank']})"
    return f"{rank} ≈" if row["tied"] else rank


def _percent(share: float, form: str = "{:.1f}") -> Cell:
    return _number(share, form, 100)


def _number(value: float, form: str, scale: float = 1) -> Cell:
    text = "-" if math.isnan(value) else form.format(scale * value)
    return Cell(text, None if math.isnan(value) else value)


def _notes(frame: pd.DataFrame, seed: int) -> Iterator[str]:
    """What the columns are, how sure the ranks are, and what ``auto`` does."""
    levels = sorted(set(frame["confidence_level"]))
    wanted = sorted(set(frame["wanted"]))
    goals = " or ".join(f"{100 * goal:.4g}" for goal in wanted)
    references = " or ".join(sorted(set(frame["reference"])))
    yield (
        f"Reliable: the first quartile (Q1) of coverage over instances is at least {goals} %, so "
        "that a quarter of the instances at most is missed more than 1.2 times as often as the "
        "level allows. Reliable methods are ranked by the median of their width over that of "
        f"{references} on the same instance, then by its ninth decile (Q90); the others, in "
        "brackets, come after them, by Q1. A sample without an interval is a miss there."
    )
    yield _sureness(frame, seed)
    error = frame["coverage_se"].median()
    if not math.isnan(error):
        expected = [100 * (level - QUARTILE * error) for level in levels]
        yield (
            f"Monte-Carlo SE of the coverage of an instance: {100 * error:.2f} points (median). By "
            "that alone instances that all cover at the level have a Q1 of "
            + " or ".join(f"{value:.1f} %" for value in expected)
            + "."
        )
    yield _auto(frame)


def _sureness(frame: pd.DataFrame, seed: int) -> str:
    counts = {word: range_text(frame[f"{word}s"]) for word in ("instance", "task")}
    of = " of ".join(f"{n} {word}{'' if n == '1' else 's'}" for word, n in counts.items())
    if frame["first"].isna().all():
        return f"{of}: too few tasks, or no draws of them, to say how sure the ranks are."
    return (
        f"{of}. From, to: where Q1 lies in 95 % of draws of tasks with replacement; 1st %: how "
        "often a method is ranked first in them. ≈: it is as good as the first in more than 5 % of "
        f"them, so this study cannot tell the two apart. Seed {seed}."
    )


def _auto(frame: pd.DataFrame) -> str:
    ranked = frame[frame["method"] == AUTO]
    if ranked.empty:
        takes = [f"{method} of {targets}" for method, targets in _auto_choices(frame).items()]
        plain = (
            f" Where no value fails and none are equal it takes {'; '.join(takes)}."
            if takes
            else ""
        )
        return (
            "auto, what you get without naming a method, is not among the methods of this study: "
            f'methods = ["auto", ...] in its spec runs it. It looks at each sample.{plain}'
        )
    reliable, first = int(ranked["reliable"].sum()), int((ranked["rank"] == 1).sum())
    as_good = int(((ranked["rank"] == 1) | ranked["tied"]).sum())
    return (
        f"auto, what you get without naming a method, is reliable in {reliable} of {len(ranked)} "
        f"settings here (a statistic, a level and an n), ranked first in {first}, and first or not "
        f"to be told apart from the first in {as_good}."
    )


def _auto_choices(frame: pd.DataFrame) -> dict[str, str]:
    """What ``auto`` takes of plain values: the statistics and sizes, by method."""
    chosen: dict[str, dict[str, list[int]]] = {}
    for target, rows in by_target(frame):
        for n in sorted({int(n) for n in rows["n"]}):
            method = auto_choice(target.metric, target.statistic, n, Level(target.confidence_level))
            if method:
                chosen.setdefault(method, {}).setdefault(target.title, []).append(n)
    return {
        method: ", ".join(
            f"{title} (n = {', '.join(map(str, sorted(set(sizes))))})"
            for title, sizes in of_targets.items()
        )
        for method, of_targets in chosen.items()
    }
