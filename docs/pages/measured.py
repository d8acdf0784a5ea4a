"""Tables of measured coverage, from the evidence that ships with the package."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import halfwidth as hw
from halfwidth.estimation.evidence import OF_CASES, Evidence, shipped
from pages.markdown import compact

# The data file has more; `hw.evidence` shows all.
SIZES = (10, 25, 50, 100, 250)
POOLED = "DSC, NSD and the like"
ABOUT = (
    "Coverage of 95 % intervals in %: the median over real instances and, in brackets, the first "
    "quartile, below which a quarter of them lie. An undefined interval counts as a miss. How "
    "this was measured: [A study of real instances]({up}real-study.md)."
)


def of_method(name: str, up: str) -> str:
    """What a method covered, wherever it was studied."""
    return _told([row for row in shipped() if row.method == name], up, _what, "of")


def of_family(family: str, statistic: str, up: str) -> str:
    """What the methods covered for a metric, or a statistic of one."""
    rows = [row for row in shipped() if (row.family, row.statistic) == (family, statistic)]
    return _told(rows, up, _by, "method")


def _told(rows: Iterable[Evidence], up: str, named: Callable[[Evidence], str], heading: str) -> str:
    found: dict[str, dict[int, Evidence]] = {}
    for row in rows:
        if row.n in SIZES:
            found.setdefault(named(row), {})[row.n] = row
    cells = [[what, *(_cell(of_size.get(n)) for n in SIZES)] for what, of_size in found.items()]
    shown = compact([heading, *(f"n = {n}" for n in SIZES)], cells)
    return f"{ABOUT.format(up=up)}\n\n{shown}" if cells else ""


def _what(row: Evidence) -> str:
    if row.family == OF_CASES:
        return f"{hw.STATISTICS[row.statistic].title} of {POOLED}"
    return hw.SAMPLE_METRICS[row.family].display + _averaged(row)


def _by(row: Evidence) -> str:
    return f"`{row.method}`" + _averaged(row)


def _averaged(row: Evidence) -> str:
    return f", {row.average}" if row.average and row.average != "binary" else ""


def _cell(row: Evidence | None) -> str:
    if row is None:
        return ""
    return f"{100 * row.coverage_median:.1f} [{100 * row.coverage_q1:.1f}]"
