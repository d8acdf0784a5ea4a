from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

import halfwidth as hw
from halfwidth import plots
from halfwidth.core.cautions import caution
from halfwidth.plots import forest

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "case": [f"c{k:03d}" for k in range(60)] * 2,
        "model": ["A $x"] * 60 + ["B"] * 60,
        "liver": RNG.beta(9, 1, 120),
        "spleen": RNG.beta(7, 2, 120),
    }
)
ESTIMATES = hw.estimate(hw.CaseValues.from_table(TABLE, metric="dsc", by="model"), rng=1)


def drawn(ax: Axes) -> None:
    canvas: Any = FigureCanvasAgg
    canvas(ax.figure).draw()


def texts_of(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def labels_of(ax: Axes) -> list[str]:
    return [text.get_text().strip() for text in ax.get_yticklabels()]


def test_a_row_per_estimate_in_the_order_given() -> None:
    frame = forest.frame(ESTIMATES)
    assert frame["y"].tolist() == list(range(len(ESTIMATES)))
    assert frame["text"].tolist() == [e.label for e in ESTIMATES]
    assert frame[["x", "low", "high"]].to_numpy().tolist() == [
        [e.value, e.low, e.high] for e in ESTIMATES
    ]
    ax = plots.forest(ESTIMATES)
    assert labels_of(ax) == [e.label for e in ESTIMATES]
    shown = [line.get_xydata() for line in ax.lines]
    for y, e in enumerate(ESTIMATES):
        for wanted in ([[e.low, y], [e.high, y]], [[e.value, y]]):
            assert any(np.array_equal(line, wanted) for line in shown)
    assert set(frame["numbers"]) | set(frame["cases"]) <= set(texts_of(ax))
    assert "mean DSC" in ax.get_xlabel()


def test_numbers_cases_and_cautions_are_said() -> None:
    e = replace(
        hw.summary_ci(RNG.beta(9, 1, 200), metric="dsc", label="kidneys", rng=1),
        n_groups=100,
        design="clustered",
        cautions=(caution("HW302"), caution("HW303"), caution("HW302")),
    )
    places = e.decimals
    (row,) = forest.frame([e]).to_dict("records")
    assert row["numbers"] == f"{e.value:.{places}f} ({e.low:.{places}f} to {e.high:.{places}f})"
    assert row["cases"] == "n = 200 in 100 clusters"
    assert row["cautions"] == "HW302 HW303"
    assert {row["numbers"], row["cases"], row["cautions"]} <= set(texts_of(plots.forest([e])))


def test_words_that_vary_are_in_the_labels() -> None:
    values = RNG.beta(9, 1, 40)
    mean, median = (
        hw.summary_ci(values, metric="nsd:tolerance=2", statistic=s, label="liver", rng=1)
        for s in ("mean", "median")
    )
    assert forest.frame([mean, median])["text"].tolist() == ["liver, mean", "liver, median"]
    other = hw.summary_ci(values, metric="nsd:tolerance=3", label="liver", rng=1)
    texts = forest.frame([mean, other])["text"].tolist()
    assert ["tolerance 2 mm" in texts[0], "tolerance 3 mm" in texts[1]] == [True, True]
    macro, micro = (replace(mean, average=average) for average in ("macro", "micro"))
    assert forest.frame([macro, micro])["text"].tolist() == ["liver, macro", "liver, micro"]
    assert forest.frame([replace(mean, label="")])["text"].tolist() == ["mean"]


def test_levels_of_a_grouping_column_become_headings() -> None:
    ax = plots.forest(ESTIMATES, by="model")
    assert labels_of(ax) == ["A $x", "liver", "spleen", "B", "liver", "spleen"]
    weights = [text.get_fontweight() for text in ax.get_yticklabels()]
    assert weights == ["bold", "normal", "normal"] * 2
    frame = forest.frame(ESTIMATES, by="model")
    assert frame["y"].tolist() == [1, 2, 4, 5]
    assert frame["heading"].tolist() == ["A $x"] * 2 + ["B"] * 2
    with pytest.raises(hw.UnknownNameError, match="did you mean 'model'"):
        plots.forest(ESTIMATES, by="modell")


@pytest.mark.parametrize("by", [None, "model"])
def test_texts_do_not_overlap(by: str | None) -> None:
    long = [replace(e, label=f"{e.label} {'with more to say ' * 9}") for e in ESTIMATES]
    ax = plots.forest([*ESTIMATES, *long], by=by)
    figure = ax.figure
    drawn(ax)
    texts = [*ax.texts, *ax.get_yticklabels(), *ax.get_xticklabels(), ax.xaxis.label]
    boxes = [Text.get_window_extent(text) for text in texts if text.get_text().strip()]
    for place, box in enumerate(boxes):
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
        for other in [ax.bbox, *boxes[:place]]:
            overlap = Bbox.intersection(box, other)
            assert overlap is None or overlap.width * overlap.height < 1


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-np.inf, np.inf)])
def test_open_and_missing_ends_can_be_drawn(bounds: Any) -> None:
    values = RNG.random(20)
    made = [
        hw.summary_ci(values, bounds=bounds, alternative="lower", label="lower"),
        hw.summary_ci(values, bounds=bounds, alternative="upper", label="upper"),
        hw.summary_ci([0.5], label="none"),
        replace(hw.summary_ci([0.5], label="nothing"), value=np.nan),
    ]
    ax = plots.forest(made)
    drawn(ax)
    assert [line.get_marker() for line in ax.lines if line.get_marker() in (4, 5)] == [5, 4]
    numbers = forest.frame(made)["numbers"].tolist()
    assert ["lower bound ≥" in numbers[0], "upper bound ≤" in numbers[1]] == [True, True]
    assert numbers[2:] == ["0.500 (no interval)", "n/a (no interval)"]
    low, high = ax.get_xlim()
    assert -0.2 < low < high < 1.2


def test_the_range_of_the_metric_is_respected() -> None:
    ax = plots.forest([hw.summary_ci([1.0] * 9 + [0.99], metric="dsc", label="x", rng=1)])
    assert ax.get_xlim()[1] < 1.01


def test_several_metrics_or_units_are_refused() -> None:
    values = RNG.random(20)
    dsc, hd95 = (hw.summary_ci(values, metric=name, label="x", rng=1) for name in ("dsc", "hd95"))
    with pytest.raises(hw.OptionError, match="one figure per metric"):
        plots.forest([dsc, hd95])
    with pytest.raises(hw.OptionError, match="at least one"):
        plots.forest([])


def test_the_axes_given_are_drawn_into() -> None:
    ax = Figure(layout="constrained").add_subplot()
    assert plots.forest(ESTIMATES[:2], ax) is ax
    assert len(labels_of(ax)) == 2


def test_one_estimate_can_be_drawn() -> None:
    values = np.linspace(0.5, 0.9, 30)
    e = hw.summary_ci(values, metric="dsc", label="x", rng=1)
    assert len(hw.plots.forest.frame(e)) == 1
    assert hw.plots.forest(e).get_figure() is not None
    assert hw.plots.distribution({"x": values}, e).get_figure() is not None
