"""Estimates one below the other, each with its interval and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.core.errors import OptionError, UnknownNameError
from halfwidth.core.titles import metric_title
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import (
    ROW,
    Row,
    RowPlaces,
    TextColumn,
    align_labels,
    axis_limits,
    draw_interval,
    finish_axis,
    note_below,
    row_places,
    shown_ends,
    text_columns,
)
from halfwidth.plots.sheets import short_label
from halfwidth.plots.style import (
    NARROW,
    NOTE_SIZE,
    QUIET,
    WIDTH,
    axes_width,
    axis_title,
    break_label,
    check_one_metric,
    interval_label,
    new_axes,
    numbers_text,
    pale_note,
    same_level,
    several,
    statistic_label,
    with_unit,
)
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Letters of a line of a label, also in narrow axes.
LABEL_WIDTH, SHORT_LABEL = 34, 15
# The place of what is estimated among the parts of a row's title.
SUBJECT = 3
AROUND_ROWS = 0.95  # inches


def _frame(estimates: Estimate | Sequence[Estimate], *, by: str | None = None) -> pd.DataFrame:
    estimates = several(estimates)
    check_one_metric(estimates)
    return frame_of(estimates, by)


def frame_of(estimates: Sequence[Estimate], by: str | None, width: float = WIDTH) -> pd.DataFrame:
    """The rows of the frame; metrics of one scale may stand together."""
    import pandas as pd

    heading, rows = "", []
    with_level = not same_level(estimates)
    titled = rows_of(estimates, by)
    for y, row in zip(places_of(titled, width).middles, titled, strict=True):
        e = row.item
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
                "low_if_unseen_failures": e.unseen_ends.low,
                "high_if_unseen_failures": e.unseen_ends.high,
                "n": e.n,
                "n_groups": e.n_groups,
                "numbers": numbers_text(e, with_level=with_level),
                "cases": e.n_text,
                "cautions": " ".join(dict.fromkeys(caution.code for caution in e.cautions)),
            }
        )
    return pd.DataFrame(rows)


@figure("Estimates and their intervals", _frame)
def forest(
    estimates: Estimate | Sequence[Estimate], ax: Axes | None = None, *, by: str | None = None
) -> Axes:
    """Draw estimates of one metric as rows, in the order given.

    Beside each stand its numbers, how many cases it rests on, and the codes of its cautions
    (``halfwidth explain CODE``); in narrow axes the numbers alone. Where the interval would be much
    longer if cases could fail as none of these did (``if_unseen_failures``), a pale bar shows it.

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
    figures_of_forest : several metrics, and tables of many rows.

    Notes
    -----
    ``forest.frame`` gives columns ``y`` (in rows of one line from the top, headings included, of a
    figure 17 cm wide), ``heading, text, statistic, x, low, high, low_if_unseen_failures,
    high_if_unseen_failures, n, n_groups, numbers, cases, cautions``; the ends of pale bars are NaN
    where none is drawn.
    """
    estimates = several(estimates)
    check_one_metric(estimates)
    ax = ax or new_axes(WIDTH, rows_height(rows_of(estimates, by), WIDTH))
    draw_rows(ax, estimates, by, limits_of(estimates))
    if note := pale_note(estimates):
        note_below(ax, note)
    return ax


def limits_of(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """The stretch of axis that shows all estimates."""
    numbers = [number for e in estimates for number in shown_ends(e)]
    return axis_limits(numbers, [e.range for e in estimates])


def rows_height(rows: Sequence[Row[Estimate]], width: float) -> float:
    """Inches of axes with these rows, in a figure of this width."""
    return AROUND_ROWS + ROW * places_of(rows, width).taken


def places_of(rows: Sequence[Row[Estimate]], width: float) -> RowPlaces:
    """Where the rows stand in a figure of this width."""
    return row_places(_labels(rows, width))


def _labels(rows: Sequence[Row[Estimate]], width: float) -> list[str]:
    if width < NARROW:
        return [short_label(row.label, SHORT_LABEL) for row in rows]
    return [break_label(row.label, LABEL_WIDTH) for row in rows]


def draw_rows(
    ax: Axes, estimates: Sequence[Estimate], by: str | None, limits: tuple[float, float]
) -> None:
    """The rows, their texts, and an axis with these limits."""
    rows, width = rows_of(estimates, by), axes_width(ax)
    ax.set_xlim(*limits)
    places = places_of(rows, width)
    # The row above the first one has the headings of the columns.
    ax.set_ylim(places.taken - 0.4, -0.6)
    finish_axis(ax, places.middles.tolist(), _labels(rows, width), _title(estimates))
    align_labels(ax, [row.item is None for row in rows])
    for y, row in zip(places.middles, rows, strict=True):
        if row.item is not None:
            draw_interval(ax, row.item, y)
    _columns(ax, frame_of(estimates, by, width), interval_label(estimates), narrow=width < NARROW)


def _columns(ax: Axes, frame: pd.DataFrame, interval: str, *, narrow: bool) -> None:
    """Numbers, cases and cautions."""
    quiet: dict[str, Any] = {"fontsize": NOTE_SIZE, "color": QUIET}
    numbers = TextColumn(frame["numbers"], f"estimate ({interval})")
    if narrow:
        small = numbers._replace(style={"fontsize": NOTE_SIZE})
        text_columns(ax, frame["y"].tolist(), [small])
        return
    columns = [
        numbers,
        TextColumn(frame["cases"], style=quiet),
        TextColumn(frame["cautions"], "cautions" if any(frame["cautions"]) else "", quiet),
    ]
    text_columns(ax, frame["y"].tolist(), columns)


def _title(estimates: Sequence[Estimate]) -> str:
    """What all rows estimate, or else the metric, or else that it is a value."""
    if len({e.metric for e in estimates}) > 1:
        unit = estimates[0].metric_spec.unit
        return with_unit("value", unit)
    subjects, unit = {e.subject for e in estimates}, estimates[0].metric_spec.unit
    if len(subjects) > 1:
        return axis_title(estimates)
    return with_unit(subjects.pop(), unit)


# --------------------------------------------------------------------------- rows


def rows_of(estimates: Sequence[Estimate], by: str | None) -> list[Row[Estimate]]:
    """The rows in the order given, a heading before each level of the column ``by``."""
    if not len(estimates):
        raise OptionError("forest needs at least one estimate")
    known = list(dict.fromkeys(name for e in estimates for name in e.by))
    if by is not None and by not in known:
        raise UnknownNameError("grouping column", by, known)
    varying = _varying(estimates)
    rows: list[Row[Estimate]] = []
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
    if len({e.metric for e in estimates}) > 1:
        return [SUBJECT]
    words = [_title_parts(e) for e in estimates]
    return [place for place in range(SUBJECT) if len({row[place] for row in words}) > 1]


def _title_parts(e: Estimate) -> tuple[str, str, str, str]:
    return statistic_label(e), metric_title(e.metric_spec), e.average or "", e.subject


def _label(e: Estimate, level: str | None, varying: Sequence[int]) -> str:
    label = e.label
    if level is not None:
        # The heading has said it.
        label = " / ".join(part for part in label.split(" / ") if part != level)
    words = [word for place in varying if (word := _title_parts(e)[place])]
    text = ", ".join(word for word in [label, *words] if word)
    indent = "" if level is None else "  "
    return indent + (text or statistic_label(e))
