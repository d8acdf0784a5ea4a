from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from detectioncurves import THRESHOLDS, over_several
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

import halfwidth as hw
from halfwidth.core.spec import Metric
from halfwidth.detection.matching.match_lists import Admits, MatchingRule
from halfwidth.plots import figures_over_thresholds, over_thresholds


def painted(ax: Axes) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(ax.figure).draw()


def test_the_frame_has_a_row_for_each_threshold_of_a_line() -> None:
    rows = [*over_several("cyst"), *over_several("lesion", count=40)]
    frame = over_thresholds.frame(rows)
    assert frame["label"].tolist() == ["cyst"] * 3 + ["lesion"] * 3
    assert frame["threshold"].tolist() == [*THRESHOLDS, *THRESHOLDS]
    for end in ("value", "low", "high"):
        wanted = [getattr(e, end) for e in (*rows[2::-1], *rows[:2:-1])]
        assert frame[end].tolist() == wanted


@pytest.mark.parametrize("labels", [("",), ("a", "b"), ("a", "b", "c", "d", "e")])
def test_what_is_drawn_is_in_the_frame(labels: tuple[str, ...]) -> None:
    rows = [e for place, label in enumerate(labels) for e in over_several(label, count=55 - place)]
    ax, frame = over_thresholds(rows), over_thresholds.frame(rows)
    bars = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert len(ax.lines) == len(bars) == len(labels)
    for label, line, bar in zip(labels, ax.lines, bars, strict=True):
        own = frame[frame["label"] == label]
        x, y = np.asarray(line.get_xydata()).T
        np.testing.assert_array_equal(y, own["value"])
        # Bars of several lines stand beside each other, nearer to their own threshold.
        assert (np.abs(x - own["threshold"]) < 0.1).all()
        ends = np.array([np.asarray(one)[:, 1] for one in bar.get_segments()])
        np.testing.assert_array_equal(ends, own[["low", "high"]])
    places = np.concatenate([np.asarray(line.get_xdata(), float) for line in ax.lines])
    assert len(set(places)) == 3 * len(labels)
    assert len({line.get_marker() for line in ax.lines}) == len(labels)


def test_a_single_line_needs_no_legend_and_stands_at_its_thresholds() -> None:
    ax = over_thresholds(over_several())
    assert ax.get_legend() is None
    np.testing.assert_allclose(np.asarray(ax.lines[0].get_xdata(), float), THRESHOLDS)
    assert ax.get_xlabel() == "box IoU ≥"
    assert ax.get_ylim()[1] > 1 > ax.get_ylim()[1] - 0.1
    (note,) = ax.texts
    assert note.get_text() == "greedy by score · bars: 95 % CI"


def test_averages_are_named_where_they_differ() -> None:
    rows = [*over_several(average="macro"), *over_several(average="micro")]
    assert set(over_thresholds.frame(rows)["label"]) == {"macro", "micro"}


def test_distances_have_their_unit() -> None:
    def of_distance(e: hw.DetectionEstimate) -> hw.DetectionEstimate:
        far = 10 * e.matching.thresholds[0]
        how = MatchingRule("centre_distance", thresholds=(far,), admits=Admits.AT_MOST)
        return replace(e, matching=how, matched_by=f"centre distance ≤ {far:g} mm, Hungarian")

    ax = over_thresholds([of_distance(e) for e in over_several()])
    assert ax.get_xlabel() == "centre distance ≤ [mm]"


@pytest.mark.parametrize("width", [pytest.param("page", marks=pytest.mark.slow), "column"])
def test_no_text_is_cut(width: Any) -> None:
    rows = [e for label in ("a" * 60, "lesion $x_1") for e in over_several(label)]
    ax = over_thresholds(rows, width=width)
    painted(ax)
    legend: Any = ax.get_legend()
    for text in [*legend.get_texts(), *ax.texts, ax.xaxis.label, ax.yaxis.label]:
        box = Text.get_window_extent(text)
        assert ax.figure.bbox.x0 - 1 < box.x0 < box.x1 < ax.figure.bbox.x1 + 1
        assert ax.figure.bbox.y0 - 1 < box.y0 < box.y1 < ax.figure.bbox.y1 + 1


def test_means_over_thresholds_are_left_out_and_one_threshold_is_too_few() -> None:
    mean = replace(over_several()[0], matching=MatchingRule(thresholds=THRESHOLDS))
    assert len(over_thresholds.frame([mean, *over_several()])) == 3
    for few in ([mean], over_several()[:1], []):
        with pytest.raises(hw.OptionError, match="at two or more of them"):
            over_thresholds(few)


def test_other_estimates_are_refused() -> None:
    with pytest.raises(hw.OptionError, match="neither of type DetectionEstimate"):
        over_thresholds([hw.proportion_ci(3, 6)])  # type: ignore[list-item]
    other = [
        replace(e, matching=replace(e.matching, localisation="ior")) for e in over_several("other")
    ]
    with pytest.raises(hw.OptionError, match="several criteria"):
        over_thresholds([*over_several(), *other])


def test_axes_given_are_drawn_into() -> None:
    ax = Figure(layout="constrained").add_subplot()
    assert over_thresholds(over_several(), ax) is ax


@pytest.mark.parametrize("width", [pytest.param("page", marks=pytest.mark.slow), "column"])
def test_each_metric_has_a_panel(width: Any) -> None:
    other = [replace(e, metric_spec=Metric(hw.METRICS["iou"], {})) for e in over_several("a")]
    rows = [*over_several("a"), *other, *over_several("b")]
    (figure,) = figures_over_thresholds(rows, width=width)
    assert [ax.get_ylabel() for ax in figure.axes] == ["value", "IoU"]
    assert [len(ax.lines) for ax in figure.axes] == [2, 1]
    painted(figure.axes[0])
    for ax in figure.axes:
        for text in ax.texts:
            box = Text.get_window_extent(text)
            assert figure.bbox.y0 - 1 < box.y0 < box.y1 < figure.bbox.y1 + 1
    with pytest.raises(hw.OptionError, match="at two or more of them"):
        figures_over_thresholds([])
