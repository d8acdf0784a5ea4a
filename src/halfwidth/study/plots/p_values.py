"""Matrices of p-values of tests between paces."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halfwidth.plots.figure import figure
from halfwidth.plots.legends import height_below, legend_below
from halfwidth.plots.names import metric_label
from halfwidth.plots.style import DOT, INK, NOTE_SIZE, WIDTH
from halfwidth.study.targets import FIXED_AVERAGE, NotThereError, average_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Inches of a cell, and of a letter beside it.
CELL_WIDTH, CELL_HEIGHT, LETTER = 0.52, 0.3, 0.058
RAMP = ("#ffffff", "#9ecae1", DOT)
# The colour no longer changes below.
LEAST = 1e-5
SMALL, SIGNIFICANT = 0.001, 0.05
# What is permuted, and the columns that count it.
UNITS = {"instance": ("n", "n_a", "n_b"), "task": ("tasks", "tasks_a", "tasks_b")}
OUTCOME = ("mean_a", "mean_b", "difference", "p", "p_bonferroni", "significant")


def _p_values_frame(tests: pd.DataFrame, _title: str = "", level: str = "instance") -> pd.DataFrame:
    if tests.empty:
        raise NotThereError("there is no pair to test")
    # Pairs within one set fill a triangle: the first has a column, the last a row.
    columns, rows = list(dict.fromkeys(tests["a"])), list(dict.fromkeys(tests["b"]))
    counts = [name for names in zip(*UNITS.values(), strict=True) for name in names]
    kept = ["a", "b", *(name for name in counts if name in tests.columns), *OUTCOME]
    kept_tests = tests[kept].reset_index(drop=True)
    kept_tests.insert(2, "level", level)
    return kept_tests.assign(
        row=[rows.index(name) for name in kept_tests["b"]],
        column=[columns.index(name) for name in kept_tests["a"]],
        text=[_text(row, level) for row in kept_tests.to_dict("records")],
    )


def _called(name: object) -> str:
    """In words: ``mean dsc`` is the mean DSC, ``dsc`` the DSC."""
    way, _, metric = str(name).rpartition(" ")
    label = "" if metric in FIXED_AVERAGE else average_label(way)
    return f"{label} {metric_label(metric)}".strip()


def _text(row: Mapping[Any, Any], level: str) -> str:
    p = float(row["p"])
    if np.isnan(p) or least(row, level) >= SIGNIFICANT:
        return "-"
    text = f"{p:.3f}" if p >= SMALL else f"{p:.0e}".replace("e-0", "e-")
    return f"{text} *" if row["significant"] else text


def least(row: Mapping[Any, Any], level: str) -> float:
    """The smallest possible p of a test with that number of units.

    >>> least({"n": 5}, "instance"), least({"tasks_a": 4, "tasks_b": 3}, "task")
    (0.0625, 0.02857142857142857)
    """
    pairs, first, second = UNITS[level]
    if pairs in row:
        # The outcome and its mirror image, of all patterns of signs.
        return float(2.0 ** (1 - int(row[pairs])))
    a, b = int(row[first]), int(row[second])
    return (2 if a == b else 1) / math.comb(a + b, a)


@figure("P-values between the paces of metrics", _p_values_frame)
def p_values(tests: pd.DataFrame, title: str, level: str = "instance") -> Figure:
    """The p-value of each pair; a star, bold letters and a frame where it is significant.

    Significance is after Bonferroni's correction for all pairs of the figure.

    Parameters
    ----------
    tests : DataFrame
        A row for each pair, as of `halfwidth.study.analysis.pace_tests` or `unpaired_pace_tests`.
    title : str
    level : {"instance", "task"}
        What was permuted.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If there is no pair.

    Notes
    -----
    ``p_values.frame`` gives columns ``a, b, level``, the counts of instances and tasks, ``mean_a,
    mean_b, difference, p, p_bonferroni, significant, row, column, text``. A dash is written where p
    is NaN, and where there are too few instances, or tasks, for any p below 0.05: fewer than 6
    pairs.

    References
    ----------
    andre2025, Figures S14 and S15.
    """
    import matplotlib as mpl

    from halfwidth.plots.canvas import new_figure

    frame = _p_values_frame(tests, title, level)
    columns, rows = (dict(zip(frame[by], frame[at], strict=True)) for by, at in PLACES)
    names = [_called(name) for name in (*columns, *rows)]
    longest = LETTER * max(len(name) for name in names)
    note = f"{title[0].upper()}{title[1:]}. {_note(frame, level)}"
    width = min(max(CELL_WIDTH * len(columns) + longest + 0.3, WIDTH / 2), 2 * WIDTH)
    height = CELL_HEIGHT * len(rows) + 0.75 * longest + 0.6 + height_below([], note, width)
    page = new_figure(width, height)
    ax = page.add_subplot()
    ramp = mpl.colors.LinearSegmentedColormap.from_list("p", RAMP)
    for cell in frame.to_dict("records"):
        p = float(cell["p"])
        # 0 for 1, 1 for the least.
        depth = 0.0 if np.isnan(p) else float(np.log10(max(p, LEAST)) / np.log10(LEAST))
        _cell(ax, cell, ramp(0.75 * depth))
    _label(ax, columns, rows)
    legend_below(page, {}, note)
    return page


def _note(frame: pd.DataFrame, level: str) -> str:
    """A note on the number and kind of tests, and on the marks."""
    tested = int(frame["p"].notna().sum())
    note = f"p of {tested} test{'' if tested == 1 else 's'} by permutations of {level}s."
    if tested:
        note += (
            f" * and a frame: p below {SIGNIFICANT:g} after Bonferroni's correction "
            f"(p < {SIGNIFICANT / tested:.2g})."
        )
    if (frame["text"] == "-").any():
        paired = UNITS[level][0] in frame.columns
        few = "fewer than 6" if paired else "too few"
        note += f" -: {few} {level}s, which give no p below {SIGNIFICANT:g}."
    return note


PLACES = (("a", "column"), ("b", "row"))


def _cell(ax: Any, cell: dict[Any, Any], colour: Any) -> None:
    from matplotlib.patches import Rectangle

    strong = bool(cell["significant"])
    edge: dict[str, Any] = {"edgecolor": INK if strong else "#bbbbbb"}
    corner = (cell["column"] - 0.46, cell["row"] - 0.44)
    line = 1.1 if strong else 0.4
    ax.add_patch(Rectangle(corner, 0.92, 0.88, facecolor=colour, linewidth=line, **edge))
    ax.text(
        cell["column"],
        cell["row"],
        cell["text"],
        ha="center",
        va="center",
        fontsize=NOTE_SIZE,
        fontweight="bold" if strong else "normal",
    )


def _label(ax: Any, columns: dict[Any, Any], rows: dict[Any, Any]) -> None:
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    slant: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    style: dict[str, Any] = {"fontsize": NOTE_SIZE, "parse_math": False}
    ax.set_xticks(list(columns.values()), [_called(name) for name in columns], **style)
    for text in ax.get_xticklabels():
        text.set(**slant)
    ax.set_yticks(list(rows.values()), [_called(name) for name in rows], **style)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
