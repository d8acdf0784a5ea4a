"""Figures that a verb draws beside its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from halfwidth.cli.output import note
from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.core.estimates import Estimates
from halfwidth.report.document import Document, Figure

if TYPE_CHECKING:
    from halfwidth.core.ranking import Rankings

KINDS = ("distribution", "forest")
RANKING_KINDS = (
    *("rank-sets", "significance", "lines", "dots", "podium", "case-heatmap", "heatmap", "blob"),
)
# Of rankings, those that draw values of cases.
OF_CASES = ("dots", "podium", "case-heatmap")
# Forests of more rows are grouped and sorted.
LONG = 8
TEST_SET_KINDS = ("roc", "pr", "confusion", "forest")


def check(path: Path | None, kind: str | None, kinds: Sequence[str]) -> str | None:
    """The kind of figure to draw, or None; refuses what cannot be drawn before any work is done."""
    if kind is not None and kind not in kinds:
        raise UnknownNameError("plot kind", kind, kinds)
    if path is None:
        if kind is not None:
            raise OptionError(f"--plot-kind {kind} has no effect without --plot FILE")
        return None
    from halfwidth.plots.figure import check_figure_name
    from halfwidth.plots.style import require_matplotlib

    check_figure_name(path)
    if not path.parent.is_dir():
        raise DataError(f"{path}: cannot be written (no folder {path.parent})")
    require_matplotlib()
    return kind or kinds[0]


def with_figure(document: Document, figure: Figure) -> Document:
    """The document with the figure, where one was written to a file."""
    if figure.file is None:
        return document
    note(f"wrote {figure.file}")
    return replace(document, parts=(*document.parts, figure))


def draw(estimates: Estimates, path: Path, kind: str) -> None:
    """Write the figure of a table of estimates; of a long forest, one for each page."""
    from halfwidth.plots import figure_of_table, figures_of_forest, write_figure

    if kind == "distribution":
        pages = [figure_of_table(estimates)]
    else:
        is_long = len(estimates) > LONG
        pages = figures_of_forest(
            estimates, by=_grouping(estimates) if is_long else None, sort=is_long
        )
    write_figure(pages[0], path)
    for number, page in enumerate(pages[1:], 2):
        file = path.with_stem(f"{path.stem}-{number}")
        write_figure(page, file)
        note(f"wrote {file}")


def _grouping(estimates: Estimates) -> str | None:
    """The first column of the table whose levels have several rows each."""
    levels: dict[str, set[str]] = {}
    for e in estimates:
        for name, level in e.by.items():
            levels.setdefault(name, set()).add(str(level))
    found = [name for name, own in levels.items() if 1 < len(own) <= len(estimates) / 2]
    return found[0] if found else None


def with_rankings(document: Document, rankings: Rankings, path: Path, kind: str) -> Document:
    """The document with the figures of rankings: one file, or a numbered one for each page."""
    from halfwidth.plots import figures_of_rankings, write_figure

    drawn = figures_of_rankings(rankings, kind)
    for page, one in enumerate(drawn, 1):
        file = path if len(drawn) == 1 else path.with_stem(f"{path.stem}-{page}")
        write_figure(one, file)
        document = with_figure(document, Figure(kind, "Ranks of models", rankings, file))
    return document
