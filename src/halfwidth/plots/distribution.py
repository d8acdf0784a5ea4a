"""The cases behind an estimate: dots, density and box, with estimates and intervals beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from halfwidth.core.errors import OptionError, quoted, shown
from halfwidth.plots.figure import figure
from halfwidth.plots.marks import axis_limits, finish_axis, note_below, shown_ends
from halfwidth.plots.paint import explanation, paint_cases, paint_estimates, paint_shapes
from halfwidth.plots.rows import (
    Groups,
    RowCases,
    RowLayout,
    frame_columns,
    group_cases,
    has_place,
    row_layout,
)
from halfwidth.plots.sheets import short_label
from halfwidth.plots.style import (
    FAINT,
    NARROW,
    WIDTH,
    axes_width,
    axis_title,
    break_label,
    check_one_metric,
    new_axes,
    several,
)
from halfwidth.results.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Letters of a label, also in narrow axes.
LABEL_WIDTH, SHORT_LABEL = 18, 12
# Inches for the axis title, its numbers and the note.
BELOW_ROWS = 0.85


def _frame(
    samples: Mapping[str, ArrayLike],
    estimates: Estimate | Sequence[Estimate],
    *,
    groups: Groups | None = None,
) -> pd.DataFrame:
    import pandas as pd

    estimates = several(estimates)
    cases, layout = _arranged(samples, estimates, groups)
    return pd.DataFrame(frame_columns(cases, estimates, layout))


@figure("The values of the cases, with estimates and intervals", _frame)
def distribution(
    samples: Mapping[str, ArrayLike],
    estimates: Estimate | Sequence[Estimate],
    ax: Axes | None = None,
    *,
    groups: Groups | None = None,
) -> Axes:
    """Draw the cases, their density and box, and the estimates with intervals, a row per label.

    A box alone hides how the values are distributed, and dots alone which of them belong
    together. With ``groups``, each cluster has a height, a colour and a shape of its own, and a
    line that joins its cases; clusters ascend by their mean. Short lines on a long slope say that
    the cases of a cluster resemble each other; lines as long as the box say that they do not.

    Parameters
    ----------
    samples : mapping of str to array-like
        Per-case values by label, in the metric's unit. Values that are not finite are left out.
    estimates : Estimate or sequence of Estimate
        Finished estimates of one metric; each is drawn in the row of its label.
    ax : matplotlib Axes, optional
        Drawn into; texts stand left and right of them, so give their figure
        ``layout="constrained"``. Default: the axes of a new figure that fits the number of rows,
        17 cm wide.
    groups : mapping of str to sequence, optional
        By label, the cluster of each case in the order of the sample (the patient, the centre).
        Clusters of one case each are drawn as what they are, independent cases.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    OptionError
        If an estimate or a group has a label without a sample, if there are no estimates, if they
        are of several metrics, or if matplotlib is missing.
    DataError
        If groups do not fit the sample.

    See Also
    --------
    figures_of_panels : several metrics in one figure.

    Notes
    -----
    ``distribution.frame`` gives columns ``label, kind, statistic, x, y, low, high, density, group,
    code``; ``y`` is in rows from the top. By ``kind``:

    - ``case``: x the value, y its jittered height; group its cluster, and code the number
      that gives the cluster its colour and shape (-1: no clusters).
    - ``cluster``: the line that joins the cases of a cluster; x their mean, low and high the
      smallest and the largest.
    - ``density``: points of the outline; density the density itself.
    - ``share``: bars instead of it and of the box, where there are fewer than 5 different
      values; density the share of the cases.
    - ``box``: x the median, low and high the quartiles.
    - ``whiskers``: low and high the farthest cases within 1.5 IQR of the quartiles.
    - ``estimate``: x the value, low and high the interval.
    - ``unseen failures``: low and high the interval if cases can fail as none of these did
      (``if_unseen_failures``), where it is much longer.
    - ``number``: the same of a spread (SD, IQR), which has no place on the axis of the values
      and is written only.

    References
    ----------
    Reinke et al. (2024), Understanding metric-related pitfalls in image analysis validation,
    Fig. SN 2.33: uninformative visualization.

    Examples
    --------
    >>> import halfwidth as hw
    >>> dice = [0.91, 0.88, 0.93, 0.79, 0.90, 0.92, 0.86, 0.94, 0.89, 0.91]
    >>> e = hw.summary_ci(dice, metric="dsc", statistic="median", label="liver")
    >>> frame = distribution.frame({"liver": dice}, [e])
    >>> shown = frame.loc[frame["kind"].isin(["box", "estimate"]), ["kind", "x", "low", "high"]]
    >>> print(shown.round(3).to_string(index=False))
        kind     x   low  high
         box 0.905 0.883 0.918
    estimate 0.905 0.860 0.930
    """
    estimates = several(estimates)
    ax = ax or new_axes(WIDTH, axes_height(samples, estimates, groups))
    frame = draw(samples, estimates, ax, groups)
    note_below(ax, explanation([frame], estimates))
    return ax


def draw(
    samples: Mapping[str, ArrayLike],
    estimates: Sequence[Estimate],
    ax: Axes,
    groups: Groups | None = None,
) -> pd.DataFrame:
    """Draw all but the note that says what the shapes mean, and return the frame drawn."""
    import pandas as pd

    narrow = axes_width(ax) < NARROW
    cases, layout = _arranged(samples, estimates, groups, narrow=narrow)
    frame = pd.DataFrame(frame_columns(cases, estimates, layout))
    by_label = {label_cases.label: label_cases for label_cases in cases}
    placed = [e for e in estimates if has_place(e, by_label[e.label])]
    numbers = [end for label_cases in cases for end in label_cases.ends]
    numbers += [number for e in placed for number in shown_ends(e)]
    ax.set_xlim(*axis_limits(numbers, [e.metric_spec.spec.bounds for e in estimates]))
    ax.set_ylim(len(cases), 0)
    for row in range(1, len(cases)):
        ax.axhline(row, color=FAINT, linewidth=0.8, zorder=0)
    labels = [
        short_label(one.label, SHORT_LABEL) if narrow else break_label(one.label, LABEL_WIDTH)
        for one in cases
    ]
    finish_axis(ax, [row + 0.5 for row in range(len(cases))], labels, axis_title(estimates))
    paint_shapes(ax, frame, cases, layout)
    paint_cases(ax, frame, cases, layout)
    paint_estimates(ax, cases, estimates, layout)
    return frame


def axes_height(
    samples: Mapping[str, ArrayLike],
    estimates: Sequence[Estimate],
    groups: Groups | None = None,
    width: float = WIDTH,
) -> float:
    """The height that the axes of `distribution` take, with all that is below them, in inches."""
    cases, layout = _arranged(samples, estimates, groups, narrow=width < NARROW)
    return BELOW_ROWS + len(cases) * layout.height


def _arranged(
    samples: Mapping[str, ArrayLike],
    estimates: Sequence[Estimate],
    groups: Groups | None,
    *,
    narrow: bool = False,
) -> tuple[list[RowCases], RowLayout]:
    if not isinstance(samples, Mapping):
        raise OptionError(f"samples={shown(samples)} does not map labels to values of cases")
    if not samples or not estimates:
        raise OptionError("distribution needs at least one sample and one estimate")
    check_one_metric(estimates)
    if unknown := [e.label for e in estimates if e.label not in samples]:
        raise OptionError(
            f"no sample with label {unknown[0]!r}; samples are given for {quoted(samples)}"
        )
    cases = group_cases(samples, groups)
    return cases, row_layout(cases, estimates, narrow=narrow)
