"""What figures of comparisons say: whom a side favours, what an axis shows, which pair it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from halfwidth.core.titles import metric_title
from halfwidth.plots.style import break_label, shorter, with_unit
from halfwidth.results.comparison import Difference

NAME_WIDTH, TITLE_WIDTH = 30, 44
# What stands between the names of a pair.
SIGNS = {"difference": "\N{MINUS SIGN}", "ratio": "/"}


def directions(items: Sequence[Difference]) -> tuple[str, str]:
    """Whom the left and the right side of an axis of differences favour."""
    firsts, seconds = {item.first for item in items}, {item.second for item in items}
    first = firsts.pop() if len(firsts) == 1 else "the first"
    second = seconds.pop() if len(seconds) == 1 else "the second"
    # Against one baseline the models of the rows are the others.
    if firsts and not seconds:
        first = "the other model"
    if seconds and not firsts:
        second = "the other model"
    first, second = shorter(first, NAME_WIDTH), shorter(second, NAME_WIDTH)
    signs = {item.sign for item in items}
    if signs == {0}:
        return f"larger for {second}", f"larger for {first}"
    sides = (f"favours {second}", f"favours {first}")
    return sides[::-1] if signs == {-1} else sides


def axis_title(items: Sequence[Difference]) -> str:
    """What the axis shows: ``difference in mean DSC``, against whom where that is one model."""
    subjects = {item.effect_of_subject for item in items}
    unit = items[0].metric_spec.unit if items[0].effect == "difference" else ""
    title = subjects.pop() if len(subjects) == 1 else metric_title(items[0].metric_spec)
    title = break_label(with_unit(title, unit), TITLE_WIDTH)
    seconds, pairs = {item.second for item in items}, {(item.first, item.second) for item in items}
    if len(pairs) == 1 < len(items):
        return f"{title}:\n{pair_label(items[0], items[:1])}"
    return f"{title}\nagainst {seconds.pop()}" if len(seconds) == 1 < len(pairs) else title


def level_text(label: str, by: Mapping[str, Any]) -> str:
    """The family of a comparison, as a heading: its label, or else the levels of ``by``."""
    return label or " / ".join(str(level) for level in by.values())


def family_of(item: Difference) -> str:
    """The family of a comparison, as a heading."""
    return level_text(item.estimate.label, item.by)


def pair_label(item: Difference, items: Sequence[Difference]) -> str:
    """The model of the row alone where all are compared with one."""
    if len(items) > 1 and len({item.second for item in items}) == 1:
        return item.first
    return f"{item.first} {SIGNS[item.effect]} {item.second}"
