"""Figures in the axes of a column (8.5 cm): the texts beside them leave the data room."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

import halfwidth as hw
from halfwidth import plots
from halfwidth.plots import differences, forest, plan_curve
from halfwidth.plots.marks import LINE, ROW, row_places

COLUMN = 8.5 / 2.54
NAMES = ("nnU-Net_ResEncL", "Vision_Language_U-Net_CLIP")
VALUES = {name: np.random.default_rng(k).beta(9, 1, 40) for k, name in enumerate(NAMES)}
MEDIANS = [hw.summary_ci(v, metric="dsc", statistic="median", label=n) for n, v in VALUES.items()]
ESTIMATES = [hw.summary_ci(v, metric="dsc", method="t", label=n) for n, v in VALUES.items()]


def compared() -> hw.Comparisons:
    return hw.compare(VALUES, metric="dsc", method="t", rng=1)


DRAWN: dict[str, Callable[[Axes], Axes]] = {
    "forest": lambda ax: plots.forest(ESTIMATES, ax),
    "distribution": lambda ax: plots.distribution(VALUES, [*ESTIMATES, *MEDIANS], ax),
    "differences": lambda ax: differences(compared(), ax),
    "plan": lambda ax: plan_curve(hw.planning.classes(0.9, prevalence=0.1, halfwidth=0.05), ax),
}


@pytest.mark.parametrize("name", DRAWN)
def test_data_have_a_fifth_of_a_column_and_texts_stay_in_it(name: str) -> None:
    # Axes that collapse are a warning of Matplotlib, and so an error here.
    figure = Figure(figsize=(COLUMN, 3.0), layout="constrained")
    ax = DRAWN[name](figure.add_subplot())
    figure.draw_without_rendering()
    assert ax.bbox.width > 0.2 * figure.bbox.width
    for text in [*ax.texts, *ax.get_yticklabels()]:
        if text.get_text():
            box = Text.get_window_extent(text)
            assert figure.bbox.x0 - 1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1, text
    ticks = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    shown = [box for box in ticks if ax.bbox.x0 - 1 <= (box.x0 + box.x1) / 2 <= ax.bbox.x1 + 1]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(shown))


@pytest.mark.parametrize("name", DRAWN)
def test_texts_of_a_column_lie_beside_each_other(name: str) -> None:
    figure = Figure(figsize=(COLUMN, 3.4), layout="constrained")
    ax = DRAWN[name](figure.add_subplot())
    figure.draw_without_rendering()
    texts = [text for text in [*ax.texts, *ax.get_yticklabels()] if text.get_text()]
    for a, b in itertools.combinations(texts, 2):
        one, other = (Text.get_window_extent(text).padded(-2) for text in (a, b))
        assert not one.overlaps(other), (a, b)


def test_a_long_label_makes_its_own_row_higher_and_no_other() -> None:
    labels = ["a", "b\nb", "c", "d"]
    places = row_places(labels)
    np.testing.assert_allclose(
        places.middles[1:], places.middles[:-1] + places.halves[:-1] + places.halves[1:]
    )
    assert places.halves.tolist() == [0.5, 0.5 + LINE / ROW / 2, 0.5, 0.5]
    assert places.middles[0] == 0
    long = [replace(e, label="a long name of " * 4) if e is ESTIMATES[1] else e for e in ESTIMATES]
    assert np.ptp(forest.frame(long)["y"]) == 1 + LINE / ROW / 2


def test_curves_of_one_point_have_their_numbers_beside_their_names() -> None:
    values = VALUES[NAMES[0]]
    (plan,) = hw.plan(values, n=30, metric="dsc", method="t", rng=1, n_samples=100)
    plans = [replace(plan, label=label) for label in ("old", "new")]
    texts = {text.get_text() for text in plan_curve(plans).texts}
    assert {text.split("\n")[0] for text in texts} >= {"old", "new"}
    assert not any(text.startswith("n = ") for text in texts)
    assert isinstance(plan_curve.frame(plans), pd.DataFrame)
