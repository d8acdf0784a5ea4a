"""Estimates one below the other, each with its interval and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.estimate import Estimate, metric_title
from halfwidth.core.frozen import frozen
from halfwidth.plots.marks import (
    TextColumn,
    align_labels,
    axis_limits,
    draw_interval,
    finish_axis,
    shown_ends,
    text_columns,
)
from halfwidth.plots.style import (
    NOTE_SIZE,
    QUIET,
    WIDTH,
    axis_title,
    break_label,
    check_one_metric,
    interval_label,
    numbers_text,
    require_matplotlib,
    same_level,
    several,
    statistic_label,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LABEL_WIDTH = 34
LINE, AROUND_ROWS = 0.155, 0.95  # inches


@frozen
class Row:
    """A heading, or an estimate with its texts."""

    label: str
    estimate: Estimate | None = None


def forest_frame(
    estimates: Estimate | Sequence[Estimate], *, by: str | None = None
) -> pd.DataFrame:
    """Every number and text that `forest` draws, a row per estimate.

    Parameters
    ----------
    estimates, by
        As for `forest`.

    Returns
    -------
    DataFrame
        Columns ``y`` (in rows from the top, headings included), ``heading, text, statistic, x,
        low, high, n, n_groups, numbers, cases, cautions``.

    Raises
    ------
    OptionError
        As for `forest`.
    """
    import pandas as pd

    estimates = several(estimates)
    heading, rows = "", []
    with_level = not same_level(estimates)
    for y, row in enumerate(_rows(estimates, by)):
        e = row.estimate
        if e is None:
            heading = row.label
            continue
        rows.append(
            {
                "y": float(y),
                "heading": heading,
                "text": row.label,
                "statistic": e.statistic_title,
                "x": e.value,
                "low": e.low,
                "high": e.high,
                "n": e.n,
                "n_groups": e.n_groups,
                "numbers": numbers_text(e, with_level=with_level),
                "cases": e.n_text,
                "cautions": " ".join(dict.fromkeys(caution.code for caution in e.cautions)),
            }
        )
    return pd.DataFrame(rows)


def forest(
    estimates: Estimate | Sequence[Estimate], ax: Axes | None = None, *, by: str | None = None
) -> Axes:
    """Draw estimates of one metric as rows, in the order given.

    Beside each stand its numbers, how many cases it rests on, and the codes of its cautions
    (``halfwidth explain CODE``).

    Parameters
    ----------
    estimates : Estimate, Estimates or sequence of Estimate
        Finished estimates of one metric.
    ax : matplotlib Axes, optional
        Drawn into; texts stand left and right of them, so give their figure
        ``layout="constrained"``. Default: the axes of a new figure that fits the number of rows,
        17 cm wide.
    by : str, optional
        A grouping column of the table, whose levels become headings.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If there are no estimates, if they are of several metrics, if none was grouped by the
        column ``by``, or if matplotlib is missing.

    See Also
    --------
    forest_frame : the plotted numbers.
    """
    require_matplotlib(ax)
    estimates = several(estimates)
    rows = _rows(estimates, by)
    frame = forest_frame(estimates, by=by)
    labels = [break_label(row.label, LABEL_WIDTH) for row in rows]
    if ax is None:
        from matplotlib.figure import Figure

        lines = max(label.count("\n") + 1 for label in labels)
        height = AROUND_ROWS + len(rows) * (LINE * lines + 0.03)
        ax = Figure(figsize=(WIDTH, height), layout="constrained").add_subplot()
    numbers = [number for e in estimates for number in shown_ends(e)]
    ax.set_xlim(*axis_limits(numbers, [e.range for e in estimates]))
    # The row above the first one has the headings of the columns.
    ax.set_ylim(len(rows) - 0.4, -0.6)
    finish_axis(ax, list(range(len(rows))), labels, _title(estimates))
    align_labels(ax, [row.estimate is None for row in rows])
    for y, row in enumerate(rows):
        if row.estimate is not None:
            draw_interval(ax, row.estimate, y)
    _columns(ax, frame, interval_label(estimates))
    return ax


def _columns(ax: Axes, frame: pd.DataFrame, interval: str) -> None:
    """Numbers, cases and cautions."""
    quiet: dict[str, Any] = {"fontsize": NOTE_SIZE, "color": QUIET}
    columns = [
        TextColumn(frame["numbers"], f"estimate ({interval})"),
        TextColumn(frame["cases"], style=quiet),
        TextColumn(frame["cautions"], "cautions" if any(frame["cautions"]) else "", quiet),
    ]
    text_columns(ax, frame["y"].tolist(), columns)


def _title(estimates: Sequence[Estimate]) -> str:
    """What all rows estimate, or else the metric."""
    subjects, unit = {e.subject for e in estimates}, estimates[0].metric_spec.unit
    if len(subjects) > 1:
        return axis_title(estimates)
    return f"{subjects.pop()} [{unit}]" if unit else subjects.pop()


# --------------------------------------------------------------------------- rows


def _rows(estimates: Sequence[Estimate], by: str | None) -> list[Row]:
    if not len(estimates):
        raise OptionError("forest needs at least one estimate")
    check_one_metric(estimates)
    known = list(dict.fromkeys(name for e in estimates for name in e.by))
    if by is not None and by not in known:
        raise UnknownNameError("grouping column", by, known)
    varying = _varying(estimates)
    rows: list[Row] = []
    heading: object = None
    for e in estimates:
        level = None if by is None else str(e.by.get(by, ""))
        if level is not None and level != heading:
            rows.append(Row(level))
            heading = level
        rows.append(Row(_label(e, level, varying), e))
    return rows


def _varying(estimates: Sequence[Estimate]) -> list[int]:
    """Which title parts differ between rows, so that each row names them."""
    words = [_title_parts(e) for e in estimates]
    return [place for place in range(3) if len({row[place] for row in words}) > 1]


def _title_parts(e: Estimate) -> tuple[str, str, str]:
    return statistic_label(e), metric_title(e.metric_spec), e.average or ""


def _label(e: Estimate, level: str | None, varying: Sequence[int]) -> str:
    label = e.label
    if level is not None:
        # The heading has said it.
        label = " / ".join(part for part in label.split(" / ") if part != level)
    words = [word for place in varying if (word := _title_parts(e)[place])]
    text = ", ".join(word for word in [label, *words] if word)
    indent = "" if level is None else "  "
    return indent + (text or statistic_label(e))
