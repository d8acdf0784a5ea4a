"""Comparisons of lines: metrics, averages, statistics, and segmentation with classification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from halfwidth.intervals.bootstrap import basic, bca, percentile
from halfwidth.metrics.agreement import accuracy
from halfwidth.metrics.counting import balanced_accuracy
from halfwidth.plots.figure import figure
from halfwidth.plots.names import method_title, metric_label
from halfwidth.plots.style import BROKEN, DASHED, DOT, DOTTED, SOLID, WIDTH, Style
from halfwidth.study.plots.lines import (
    HEIGHT,
    LineLayout,
    figure_of_lines,
    line_rows,
    own_titles,
    wrapped,
)
from halfwidth.study.plots.styles import RED, SERIES_STYLES, method_styles, series_styles
from halfwidth.study.targets import (
    TWO_SIDED,
    NotThereError,
    Target,
    axis_unit,
    bounds_of,
    check_two_sided,
    only,
    targets_of,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

COLUMNS, MOST_ROWS = 3, 4
# Metrics whose micro and macro average go by other names.
PAIRED = {accuracy.__name__: "recall", balanced_accuracy.__name__: "recall"}
BOOTSTRAPS = (percentile.__name__, bca.__name__, basic.__name__)
CHOSEN = ("mean", "median", "sd", "iqr")


def _rows(
    cells: pd.DataFrame,
    chosen: Sequence[tuple[Target, str]],
    quantity: str,
    panel: str,
    at: tuple[int, int],
) -> pd.DataFrame:
    """The rows of a panel with a line for each target, each with its name."""
    import pandas as pd

    parts = [only(cells, target).assign(series=name) for target, name in chosen]
    chosen_cells = pd.concat(parts, ignore_index=True)
    # Lines of different units share no axis.
    unit = axis_unit(chosen[0][0].metric, quantity)
    return line_rows(chosen_cells, quantity, panel=panel, at=at, series="series", unit=unit)


def _rows_of_quantities(
    cells: pd.DataFrame, chosen: Sequence[tuple[Target, str]], panel: str, row: int
) -> list[pd.DataFrame]:
    """Panels side by side, for the coverage and, of two-sided intervals, the width."""
    two_sided = set(cells["alternative"]) == {TWO_SIDED}
    return [
        _rows(cells, chosen, quantity, panel, (row, column))
        for column, quantity in enumerate(("coverage", "width") if two_sided else ("coverage",))
    ]


def _one_method(cells: pd.DataFrame, method: str) -> pd.DataFrame:
    cells_of_method = cells[cells["method"] == method]
    if cells_of_method.empty:
        raise NotThereError(f"the study has no intervals by {method}")
    return cells_of_method


def _joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    import pandas as pd

    return own_titles(pd.concat(parts, ignore_index=True))


# --------------------------------------------------------------------------- metrics


def _metrics_coverage_frame(cells: pd.DataFrame, method: str) -> pd.DataFrame:
    cells_of_method = _one_method(cells, method)
    targets = targets_of(cells_of_method)
    groups = {
        "means of cases": [t for t in targets if t.statistic == "mean"],
        "macro averages": [t for t in targets if not t.statistic and t.kind == "macro"],
        "micro averages": [t for t in targets if not t.statistic and t.kind == "micro"],
    }
    filled = {name: group for name, group in groups.items() if group}
    if not filled:
        raise NotThereError("the study has no means of cases and no averages over classes")
    return _joined(
        [
            _rows(
                cells_of_method,
                [(t, metric_label(t.metric)) for t in group],
                "coverage",
                name,
                (0, place),
            )
            for place, (name, group) in enumerate(filled.items())
        ]
    )


@figure("Coverage of one method against n, a line for each metric", _metrics_coverage_frame)
def metrics_coverage(cells: pd.DataFrame, method: str) -> Figure:
    """Coverage of one method against n, a line for each metric.

    Parameters
    ----------
    cells : DataFrame
        Rows of one level.
    method : str

    Returns
    -------
    matplotlib Figure

    Notes
    -----
    ``metrics_coverage.frame`` gives columns as of `line_rows`, a series for each metric.

    References
    ----------
    andre2025, Figure 9 A.
    """
    frame = _metrics_coverage_frame(cells, method)
    layout = _grid(frame, height=1.2 * HEIGHT, note=_by(method), share=True)
    return figure_of_lines(frame, series_styles(frame["series"]), layout)


def _by(method: str) -> str:
    return f"Intervals: {method_title(method)}."


# --------------------------------------------------------------------------- micro and macro


def _micro_macro_frame(cells: pd.DataFrame, method: str) -> pd.DataFrame:
    cells_of_method = _one_method(cells, method)
    pairs: dict[str, dict[str, Target]] = {}
    for target in targets_of(cells_of_method):
        if not target.statistic and target.kind in {"macro", "micro"}:
            base = PAIRED.get(target.metric) or metric_label(target.metric)
            pairs.setdefault(base, {})[target.kind] = target
    both = {name: pair for name, pair in pairs.items() if len(pair) == 2}
    if not both:
        raise NotThereError("no metric of test sets has both a macro and a micro average")
    parts = []
    for row, (name, pair) in enumerate(both.items()):
        chosen = [(pair[kind], kind) for kind in ("macro", "micro")]
        several = len({target.metric for target, _ in chosen}) > 1
        both_names = ", ".join(f"{metric_label(t.metric)} ({kind})" for t, kind in chosen)
        title = both_names if several else name
        parts += _rows_of_quantities(cells_of_method, chosen, title, row)
    return _joined(parts)


@figure("Coverage and width of micro and macro averages", _micro_macro_frame)
def micro_macro(cells: pd.DataFrame, method: str) -> Figure:
    """Coverage and width of macro and micro averages of the same metric.

    Accuracy is taken as micro recall and balanced accuracy as macro recall.

    Parameters
    ----------
    cells, method
        As for `metrics_coverage`.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If no metric has both averages.

    Notes
    -----
    ``micro_macro.frame`` gives columns as of `line_rows`.

    References
    ----------
    andre2025, Figures 10 and S17.
    """
    frame = _micro_macro_frame(cells, method)
    styles = {kind: SERIES_STYLES[kind] for kind in ("macro", "micro")}
    return figure_of_lines(frame, styles, LineLayout(note=_by(method), share=True))


# --------------------------------------------------------------------------- two fields


def _segmentation_classification_frame(
    cells: pd.DataFrame, method: str, kinds: Sequence[str], statistics: Sequence[str]
) -> pd.DataFrame:
    cells_of_method = _one_method(cells, method)
    targets = targets_of(cells_of_method)
    parts: list[pd.DataFrame] = []
    row = 0
    for kind in kinds:
        sets = [t for t in targets if not t.statistic and t.kind == kind]
        for statistic in statistics:
            masks = [t for t in targets if t.statistic == statistic and bounds_of(t.metric)]
            if not sets or not masks:
                continue
            chosen = [(t, metric_label(t.metric)) for t in masks] + [(t, t.title) for t in sets]
            title = f"{masks[0].way} and {kind} averages"
            parts += _rows_of_quantities(cells_of_method, chosen, title, row)
            row += 1
    if not parts:
        of = f" ({', '.join(statistics)})" if statistics else ""
        raise NotThereError(
            f"it needs bounded metrics of single cases{of} and "
            f"{' or '.join(kinds)} averages of test sets; give both stores"
        )
    return _joined(parts)


@figure(
    "Coverage and width of means of cases and of averages over classes",
    _segmentation_classification_frame,
)
def segmentation_classification(
    cells: pd.DataFrame, method: str, kinds: Sequence[str], statistics: Sequence[str]
) -> Figure:
    """Coverage and width of segmentation metrics (blue, solid) and classification (red, broken).

    Parameters
    ----------
    cells : DataFrame
        Of both stores.
    method : str
    kinds : sequence of str
        ``"macro"``, ``"micro"``: a row of panels each.
    statistics : sequence of str
        Of per-case values: a row of panels each.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If one of the two fields is missing.

    Notes
    -----
    ``segmentation_classification.frame`` gives columns as of `line_rows`.

    References
    ----------
    andre2025, Figures 8, S12 and S13.
    """
    frame = _segmentation_classification_frame(cells, method, kinds, statistics)
    sets = {t.title for t in targets_of(cells) if not t.statistic}
    names = list(dict.fromkeys(frame["series"]))
    masks, others = [n for n in names if n not in sets], [n for n in names if n in sets]
    # The colour is that of the field; markers are those of the metrics elsewhere.
    styles = {name: Style(DOT, SOLID, style.marker) for name, style in series_styles(masks).items()}
    broken = (DASHED, DOTTED, BROKEN)
    for place, (name, style) in enumerate(series_styles(others).items()):
        styles[name] = Style(RED, broken[place % len(broken)], style.marker)
    note = f"{_by(method)} Blue, solid: segmentation. Red, broken: classification."
    layout = LineLayout(bands=False, share=True, note=note)
    return figure_of_lines(frame, styles, layout)


# --------------------------------------------------------------------------- statistics


def _location_dispersion_frame(cells: pd.DataFrame, method: str) -> pd.DataFrame:
    cells_of_method = _one_method(cells, method)
    by_metric: dict[str, list[Target]] = {}
    for target in targets_of(cells_of_method):
        if target.statistic in CHOSEN:
            by_metric.setdefault(target.metric, []).append(target)
    both = {
        metric: targets
        for metric, targets in by_metric.items()
        if {t.statistic for t in targets} & {"sd", "iqr"}
        and {t.statistic for t in targets} & {"mean", "median"}
    }
    if not both:
        raise NotThereError("no metric has both a mean or median and an SD or IQR")
    return _joined(
        [
            _rows(
                cells_of_method, [(t, t.way) for t in targets], "coverage", metric_label(metric), at
            )
            for (metric, targets), at in wrapped(both.items(), COLUMNS)
        ]
    )


@figure("Coverage of mean and median, SD and IQR", _location_dispersion_frame)
def location_dispersion(cells: pd.DataFrame, method: str) -> Figure:
    """Coverage for the mean and the median against that for the SD and the IQR.

    Parameters
    ----------
    cells, method
        As for `metrics_coverage`.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If no metric has a measure of both.

    Notes
    -----
    ``location_dispersion.frame`` gives columns as of `line_rows`.

    References
    ----------
    andre2025, Figure S18.
    """
    frame = _location_dispersion_frame(cells, method)
    styles = {way: SERIES_STYLES[way] for way in ("mean", "median", "SD", "IQR")}
    return figure_of_lines(frame, styles, _grid(frame, note=_by(method), share=True))


def _grid(frame: pd.DataFrame, **changes: Any) -> LineLayout:
    """A page, or a column for a single panel."""
    return LineLayout(width=WIDTH if frame["column"].any() else WIDTH / 2, **changes)


# --------------------------------------------------------------------------- methods that fail


def _bca_median_frame(cells: pd.DataFrame) -> pd.DataFrame:
    cells_of_method = cells[
        cells["method"].isin([bca.__name__, percentile.__name__]) & (cells["statistic"] == "median")
    ]
    if bca.__name__ not in set(cells_of_method["method"]):
        raise NotThereError("the study has no BCa intervals of medians")
    return _joined(
        [
            line_rows(only(cells_of_method, target), "coverage", panel=target.title, at=at)
            for target, at in wrapped(targets_of(cells_of_method), COLUMNS)
        ]
    )


@figure("Coverage of BCa and percentile intervals of medians", _bca_median_frame)
def bca_median(cells: pd.DataFrame) -> Figure:
    """Coverage of BCa and percentile intervals for medians, from 0 where BCa falls so far.

    Parameters
    ----------
    cells : DataFrame
        Rows of one level.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If the study has no BCa intervals of medians.

    Notes
    -----
    ``bca_median.frame`` gives columns as of `line_rows`.

    References
    ----------
    andre2025, Figures 5 and S9.
    """
    frame = _bca_median_frame(cells)
    return figure_of_lines(frame, method_styles(frame["series"]), _grid(frame, lowest=0.0))


def _basic_shift_frame(cells: pd.DataFrame) -> pd.DataFrame:
    check_two_sided(cells)
    cells_of_method = cells[cells["method"].isin(BOOTSTRAPS)]
    cells_of_method = cells_of_method[cells_of_method["statistic"].isin(["mean", ""])]
    if not {basic.__name__, percentile.__name__} <= set(cells_of_method["method"]):
        raise NotThereError("it needs basic and percentile intervals of means or of test sets")
    targets = targets_of(cells_of_method)
    # Two targets side by side where there are many.
    wide = 2 if len(targets) > MOST_ROWS else 1
    return _joined(
        [
            line_rows(
                only(cells_of_method, target),
                quantity,
                panel=target.title,
                at=(place // wide, 2 * (place % wide) + column),
                unit=axis_unit(target.metric, quantity),
            )
            for place, target in enumerate(targets)
            for column, quantity in enumerate(("shift", "coverage"))
        ]
    )


@figure("How far bootstrap intervals are shifted, and their coverage", _basic_shift_frame)
def basic_shift(cells: pd.DataFrame) -> Figure:
    """How far the middle of bootstrap intervals is from the true value, and their coverage.

    Parameters
    ----------
    cells : DataFrame
        Rows of one level.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    NotThereError
        If the study has no basic intervals, or nothing to set beside them, or no two-sided ones.

    Notes
    -----
    ``basic_shift.frame`` gives columns as of `line_rows`.

    References
    ----------
    andre2025, Figure S20.
    """
    frame = _basic_shift_frame(cells)
    layout = LineLayout(note="Shift: the mean of the middles of intervals, less the true value.")
    return figure_of_lines(frame, method_styles(frame["series"]), layout)
