"""The forest of differences shows finished comparisons, and says whom each side favours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from handmade import family, hand_made
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import halfwidth as hw
from halfwidth.plots import differences

PAIRS = hand_made(3)
ORGANS = hw.Comparisons(
    tuple(
        item
        for seed, organ in enumerate(("liver", "left kidney"))
        for item in hand_made(2, seed=seed, by={"organ": organ})
    )
)


def drawn(ax: Axes) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(ax.figure).draw()


def texts_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def labels_of(ax: Axes) -> list[str]:
    return [text.get_text().strip() for text in ax.get_yticklabels()]


def test_every_interval_of_the_frame_is_drawn() -> None:
    frame, ax = differences.frame(PAIRS), differences(PAIRS)
    lines = [line.get_xydata() for line in ax.lines]
    for y, item in enumerate(PAIRS):
        both = item.simultaneous
        assert both is not None
        for wanted in (
            [[item.low, y], [item.high, y]],
            [[item.value, y]],
            [[both.low, y], [both.high, y]],
        ):
            assert any(np.array_equal(line, wanted) for line in lines)
    assert frame[["x", "low", "high"]].to_numpy().tolist() == [
        [item.value, item.low, item.high] for item in PAIRS
    ]
    assert frame["p"].tolist() == [".03"] * 3  # the adjusted ones
    assert set(frame["numbers"]) | {".03", "open", "p (stepdown)"} <= set(texts_of(ax))
    assert not any("-" in text for text in frame["numbers"])


def test_the_margin_is_shaded_about_no_difference() -> None:
    frame, ax = differences.frame(PAIRS), differences(PAIRS)
    assert frame["margin_low"].tolist() == [-0.05] * 3
    shade = ax.collections[0]
    extent = shade.get_datalim(ax.transData)
    assert (extent.x0, extent.x1) == (-0.05, 0.05)
    low, high = ax.get_xlim()
    assert low < -0.05 < 0.05 < high
    assert any("margin of 0.05" in text for text in texts_of(ax))
    without = differences(hand_made(3, margin=None, simultaneous=False))
    assert not any("margin" in text or "thin bar" in text for text in texts_of(without))


@pytest.mark.parametrize(
    ("metric", "left", "right"),
    [("dsc", "favours model A", "favours model B"), ("hd95", "favours model B", "favours model A")],
)
def test_the_words_below_follow_the_direction_of_the_metric(
    metric: str, left: str, right: str
) -> None:
    assert {f"← {left}", f"{right} →"} <= set(texts_of(differences(hand_made(1, metric=metric))))


def test_without_a_better_side_the_words_say_which_is_larger() -> None:
    items = hand_made(1)
    spec = replace(items[0].metric_spec.spec, better=hw.Better.UNSTATED)
    item = replace(items[0], metric_spec=replace(items[0].metric_spec, spec=spec))
    assert {"← larger for model A", "larger for model B →"} <= set(texts_of(differences(item)))


def test_rows_name_what_differs() -> None:
    assert labels_of(differences(PAIRS)) == ["model B", "model C", "model D"]
    assert "against model A" in differences(PAIRS).get_xlabel()
    ax = differences(ORGANS)
    assert labels_of(ax) == ["liver", "model B", "model C", "left kidney", "model B", "model C"]
    one_pair = hw.Comparisons(ORGANS.items[::2])
    ax = differences(one_pair)
    assert labels_of(ax) == ["liver", "left kidney"]
    assert "model B \N{MINUS SIGN} model A" in ax.get_xlabel()
    values = {name: np.linspace(0.5, 0.9, 9) + k / 99 for k, name in enumerate("ABC")}
    everyone = family(values, [("A", "B"), ("A", "C"), ("B", "C")])
    ax = differences(everyone)
    assert labels_of(ax)[0] == "A \N{MINUS SIGN} B"
    assert {"← favours the second", "favours the first →"} <= set(texts_of(ax))


def test_ratios_have_a_logarithmic_axis_about_one() -> None:
    ax = differences(hand_made(2, effect="ratio", margin=0.04))
    assert ax.get_xscale() == "log"
    low, high = ax.get_xlim()
    assert low < 0.96
    assert high > 1.04
    assert "ratio" in ax.get_xlabel()
    drawn(ax)


LONG = [
    replace(
        item,
        first="a model with a long name of its own",
        estimate=replace(item.estimate, by={"organ": "gall bladder"}),
    )
    for item in ORGANS
]


@pytest.mark.parametrize(
    "comparisons",
    [
        [*ORGANS, *LONG],
        *(pytest.param(one, marks=pytest.mark.slow) for one in (PAIRS, ORGANS, PAIRS[:1])),
    ],
)
def test_texts_do_not_overlap(comparisons: Any) -> None:
    ax = differences(comparisons)
    drawn(ax)
    figure, (low, high) = ax.figure, ax.get_xlim()
    shown = [tick for tick in ax.get_xticklabels() if low <= tick.get_position()[0] <= high]
    texts = [*ax.texts, *ax.get_yticklabels(), *shown, ax.xaxis.label]
    boxes = [Text.get_window_extent(text) for text in texts if text.get_text().strip()]
    for place, box in enumerate(boxes):
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
        assert figure.bbox.x0 <= box.x0 + 1 < box.x1 - 1 <= figure.bbox.x1
        for other in [ax.bbox, *boxes[:place]]:
            overlap = Bbox.intersection(box, other)
            assert overlap is None or overlap.width * overlap.height < 1


def test_what_does_not_fit_one_axis_is_refused() -> None:
    with pytest.raises(hw.OptionError, match="at least one comparison"):
        differences([])
    with pytest.raises(hw.OptionError, match="one figure per metric"):
        differences([*PAIRS, *hand_made(1, metric="nsd")])
    with pytest.raises(hw.OptionError, match="differences and ratios"):
        differences([*PAIRS, *hand_made(1, effect="ratio")])
    with pytest.raises(hw.OptionError, match="neither of type Difference"):
        differences("a")  # type: ignore[arg-type]
