from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from detectioncurves import curve, curves
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

import halfwidth as hw
from halfwidth.plots import afroc, detection_pr, froc

DRAW: dict[Any, Any] = {
    "pr": detection_pr,
    "froc": froc,
    "afroc": afroc,
    "wafroc": afroc,
}
NAMES = ("B $x_1", "hospital of the far north with a long name", "cat")


def painted(ax: Axes) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(ax.figure).draw()


def notes_of(ax: Axes) -> str:
    return " ".join(text.get_text() for text in ax.texts)


def line_named(ax: Axes, label: str) -> Any:
    (found,) = [line for line in ax.lines if str(line.get_label()).startswith(label)]
    return found


def test_froc_has_a_logarithmic_axis_with_the_seven_points() -> None:
    ax = froc(curve("froc"))
    assert ax.get_xscale() == "log"
    ticks = dict(zip(ax.get_xticks(), (t.get_text() for t in ax.get_xticklabels()), strict=True))
    assert {
        0.125: "1/8",
        0.25: "1/4",
        0.5: "1/2",
        1: "1",
        2: "2",
        4: "4",
        8: "8",
    }.items() <= ticks.items()
    assert ax.get_xlabel() == "false positives per image"


def test_points_beyond_the_last_detection_are_hollow_and_their_line_is_dotted() -> None:
    one = curve("froc")
    ax = froc(one)
    faces: dict[float, Any] = {}
    for line in ax.lines:
        if line.get_linestyle() == "None":
            faces |= dict.fromkeys(np.asarray(line.get_xdata()), line.get_markerfacecolor())
    assert [x for x, face in faces.items() if face == "white"] == [4, 8]
    (dotted,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    np.testing.assert_array_equal(dotted.get_xydata(), one.extension)
    bars = [c for c in ax.collections if isinstance(c, LineCollection)]
    ends = [tuple(np.asarray(path)[:, 1]) for path in bars[0].get_segments()]
    assert ends == [tuple(row) for row in one.points[:, 2:]]


def test_slanted_lines_bend_on_the_logarithmic_axis() -> None:
    slanted = replace(curve("froc"), line=np.array([[0.0, 0.0], [8.0, 0.8]]))
    x, y = line_named(froc(slanted), "lesion").get_xydata().T
    assert len(x) > 50
    inside = x > 1 / 16
    np.testing.assert_allclose(y[inside], x[inside] / 10, atol=1e-12)


def test_afroc_ends_in_the_corner() -> None:
    for kind in ("afroc", "wafroc"):
        dotted: Any
        (dotted,) = [line for line in afroc(curve(kind)).lines if line.get_linestyle() == ":"]
        assert dotted.get_xydata()[-1].tolist() == [1, 1]
    assert afroc(curve("wafroc")).get_ylabel() != afroc(curve("afroc")).get_ylabel()


def test_curves_differ_by_more_than_colour() -> None:
    for kind, draw in DRAW.items():
        ax = draw(curves(kind, ("a", "b", "c")))
        markers = [line_named(ax, name).get_marker() for name in "abc"]
        assert len(set(markers)) == 3
    assert line_named(detection_pr(curve("pr")), "lesion").get_marker() in ("", "None")


def test_the_note_says_what_is_there() -> None:
    assert "bands: pointwise 95 % CI" in notes_of(froc(curve("froc")))
    assert "simultaneous" in notes_of(froc(replace(curve("froc"), band="simultaneous")))
    assert "points that the score averages" in notes_of(froc(curve("froc")))
    assert "dotted" not in notes_of(detection_pr(curve("pr")))
    assert "ends of the curves" in notes_of(detection_pr(curves("pr", ("a", "b"))))


def test_the_legend_says_the_area() -> None:
    area = hw.proportion_ci(27, 60)
    ax = detection_pr(replace(curve("pr"), area=area))
    (text,) = ax.get_legend().get_texts()  # type: ignore[union-attr]
    numbers = [area.text_of(number) for number in (area.value, area.low, area.high)]
    assert f"{numbers[0]} ({numbers[1]} to {numbers[2]})" in text.get_text()
    assert "brackets: 95 % CI of the area" in notes_of(ax)


@pytest.mark.parametrize("width", [pytest.param("page", marks=pytest.mark.slow), "column"])
@pytest.mark.parametrize("kind", ["pr", "froc"])
def test_no_text_is_cut_and_no_legend_lies_on_the_data(kind: Any, width: str) -> None:
    ax = DRAW[kind](curves(kind, NAMES), width=width)
    painted(ax)
    legend = ax.get_legend()
    texts = [*legend.get_texts(), *ax.texts, *ax.get_xticklabels(), *ax.get_yticklabels()]
    for text in [*texts, ax.xaxis.label, ax.yaxis.label]:
        box = Text.get_window_extent(text)
        # The layout comes to rest but for a fraction of a pixel.
        assert ax.figure.bbox.x0 - 1 < box.x0 < box.x1 < ax.figure.bbox.x1 + 1
        assert ax.figure.bbox.y0 - 1 < box.y0 < box.y1 < ax.figure.bbox.y1 + 1
    box = legend.get_window_extent()
    assert box.x0 > ax.bbox.x1 if width == "page" else box.y0 > ax.bbox.y1


def test_of_many_curves_those_of_the_most_objects_are_drawn_without_bands() -> None:
    many = [
        replace(one, n_objects=100 - place if place % 2 else place)
        for place, one in enumerate(curves("froc", tuple(f"class {k}" for k in range(30))))
    ]
    ax = froc(many)
    legend: Any = ax.get_legend()
    names = [text.get_text() for text in legend.get_texts()]
    assert names == [f"class {k}" for k in range(30) if k % 2 or k > 19]
    assert "20 of 30 curves, those with the most objects" in notes_of(ax)
    assert "bands" not in notes_of(ax)
    bands = [c for c in ax.collections if isinstance(c, PolyCollection)]
    assert not any(np.asarray(path.vertices).size for band in bands for path in band.get_paths())
    styles = {(line.get_color(), str(line.get_linestyle()), line.get_marker()) for line in ax.lines}
    assert len({style for style in styles if style[1] != "None"}) >= 20
    painted(ax)
    for text in ax.texts:
        assert Text.get_window_extent(text).x1 < legend.get_window_extent().x0


def test_axes_given_are_drawn_into() -> None:
    ax = Figure(layout="constrained").add_subplot(1, 2, 1)
    assert froc(curve("froc"), ax) is ax
    painted(ax)


def test_a_curve_without_detections_is_drawn() -> None:
    none = np.full(33, np.nan)
    empty = replace(
        curve("froc"),
        line=np.empty((0, 2)),
        extension=np.empty((0, 2)),
        y=none,
        low=none,
        high=none,
    )
    ax = froc(empty)
    painted(ax)
    assert "undefined on these images" in notes_of(ax)


def test_other_kinds_and_nothing_are_refused() -> None:
    with pytest.raises(hw.OptionError, match="of kind 'pr'; detection_pr draws those"):
        froc(curve("pr"))
    with pytest.raises(hw.OptionError, match="plain and weighted"):
        afroc([curve("afroc"), curve("wafroc")])
    with pytest.raises(hw.OptionError, match="at least one"):
        detection_pr([])
    with pytest.raises(hw.OptionError, match="neither of type DetectionCurve"):
        froc([1])  # type: ignore[list-item]
    with pytest.raises(hw.OptionError, match="none of page, column"):
        froc(curve("froc"), width="wide")  # type: ignore[arg-type]
