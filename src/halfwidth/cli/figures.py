"""Figures that a verb draws beside its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halfwidth.cli.output import note
from halfwidth.core.branches import brought
from halfwidth.core.errors import DataError, OptionError, UnknownNameError
from halfwidth.document.parts import Document, Figure
from halfwidth.document.progress import following
from halfwidth.results.fields import caution_items

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from halfwidth.core.cautions import Caution
    from halfwidth.results.curves import Confusion, SeveralCurves
    from halfwidth.results.result import Result

    Drawn = SeveralCurves[Any] | Confusion

KINDS = ("distribution", "forest")
RANKING_KINDS = (
    *("rank-sets", "significance", "lines", "dots", "podium", "case-heatmap", "heatmap", "blob"),
)
# Of rankings, those that draw values of cases.
OF_CASES = ("dots", "podium", "case-heatmap")
# Calibration over centres has an option of its own.
OF_BRANCHES = tuple(kind for kinds in brought("CURVES") for kind in kinds if "-by-" not in kind)
TEST_SET_KINDS = ("roc", "pr", *OF_BRANCHES, "decision", "confusion", "forest")


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


def with_pages(document: Document, pages: Sequence[Canvas], shown: Figure, path: Path) -> Document:
    """The document with a figure whose pages are written: FILE, FILE-2, ..."""
    from halfwidth.plots import write_figure

    for number, page in enumerate(following(pages, "pages written"), 1):
        file = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        write_figure(page, file)
        note(f"wrote {file}")
        document = replace(document, parts=(*document.parts, replace(shown, file=file)))
    return document


def with_picture(
    document: Document, result: Result, path: Path, kind: str | None, caption: str = ""
) -> Document:
    """The document with the picture of a result, as many files as it has pages."""
    from halfwidth.plots.of_results import figure_of, pages_of

    shown = Figure(kind or "", caption or figure_of(result, kind).caption, result)
    return with_pages(document, pages_of(result, kind), shown, path)


def with_drawn(
    document: Document, result: Drawn, path: Path, said: Sequence[Caution], caption: str = ""
) -> tuple[Document, tuple[Caution, ...]]:
    """The document with a picture of other numbers than its own, and what these caution against.

    ``said``: the cautions that the document has; they are returned with those of the picture.
    """
    document = with_picture(document, result, path, None, caption)
    cautions = tuple(dict.fromkeys([*said, *result.cautions]))
    codes = {caution.code for caution in cautions[len(said) :]}
    lines = [line for line in result.caution_lines() if line[0] in codes]
    return replace(document, parts=(*document.parts, *caution_items(lines))), cautions
