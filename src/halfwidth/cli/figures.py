"""Figures that a verb draws beside its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from halfwidth.cli.output import note
from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.document.parts import Document, Figure
from halfwidth.results.calibration_curves import CALIBRATION_KINDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from halfwidth.results.result import Result

KINDS = ("distribution", "forest")
RANKING_KINDS = (
    *("rank-sets", "significance", "lines", "dots", "podium", "case-heatmap", "heatmap", "blob"),
)
# Of rankings, those that draw values of cases.
OF_CASES = ("dots", "podium", "case-heatmap")
TEST_SET_KINDS = ("roc", "pr", *CALIBRATION_KINDS, "decision", "confusion", "forest")


def check(path: Path | None, kind: str | None, kinds: Sequence[str]) -> str | None:
    """The kind of figure to draw, or None; refuses what cannot be drawn before any work is done."""
    if kind is not None and kind not in kinds:
        raise UnknownNameError("plot kind", kind, kinds)
    if path is None:
        if kind is not None:
            raise OptionError(f"--plot-kind {kind} has no effect without --plot FILE")
        return None
    from halfwidth.plots.files import check_figure_name
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


def draw(result: Result, path: Path, kind: str | None = None) -> None:
    """Write the figure of a result; of a long forest, one for each page."""
    from halfwidth.plots.of_results import pages_of

    for file in write_pages(pages_of(result, kind), path)[1:]:
        note(f"wrote {file}")


def write_pages(pages: Sequence[Canvas | Axes], path: Path) -> list[Path]:
    """Write each page to a file of its own, and return these: FILE, FILE-2, ..."""
    from halfwidth.plots import write_figure

    further = [path.with_stem(f"{path.stem}-{number}") for number in range(2, len(pages) + 1)]
    files = [path, *further]
    for page, file in zip(pages, files, strict=True):
        write_figure(page, file)
    return files


def with_pages(document: Document, result: Result, path: Path, kind: str | None) -> Document:
    """The document with the figure of a result: one file, or a numbered one for each page."""
    from halfwidth.plots.of_results import figure_of, pages_of

    caption = figure_of(result, kind).caption
    for file in write_pages(pages_of(result, kind), path):
        document = with_figure(document, Figure(kind or "", caption, result, file))
    return document
