"""Figures that a verb draws beside its table."""

from __future__ import annotations

from pathlib import Path

from halfwidth.core.errors import UnknownNameError
from halfwidth.core.estimates import Estimates

__all__ = ["KINDS", "check", "draw"]

KINDS = ("distribution", "forest")


def check(path: Path, kind: str) -> None:
    """Refuse a figure that cannot be drawn, before any work is done."""
    from halfwidth.plots.figure import check_figure_name
    from halfwidth.plots.style import require_matplotlib

    if kind not in KINDS:
        raise UnknownNameError("plot kind", kind, KINDS)
    check_figure_name(path)
    require_matplotlib()


def draw(estimates: Estimates, path: Path, kind: str) -> None:
    """Write the figure of a table of estimates."""
    from halfwidth.plots import figure_of_table, forest, write_figure

    write_figure(figure_of_table(estimates) if kind == "distribution" else forest(estimates), path)
