from __future__ import annotations

import numpy as np
import pytest

import halfwidth as hw
from halfwidth.plots import (
    figure_of_subsamples,
    subsample_halfwidths,
    subsample_means,
)

FOUND = hw.planning.subsample(
    np.random.default_rng(0).beta(6, 2, 120), metric="hd95", rng=1, repeats=5
)


def test_axes_have_their_unit_and_half_widths_begin_at_0() -> None:
    frame = figure_of_subsamples.frame(FOUND)
    assert subsample_means(FOUND).get_ylabel() == "mean HD95 [mm]"
    assert subsample_halfwidths(FOUND).get_ylim()[0] == 0
    assert frame["halfwidth"].tolist() == pytest.approx([row.halfwidth for row in FOUND.rows])


def test_the_figure_has_both_panels_and_is_drawn_into_given_axes() -> None:
    figure = figure_of_subsamples(FOUND)
    assert [len(ax.lines) for ax in figure.axes] == [1, 2]
    assert subsample_means(FOUND, figure.axes[0]) is figure.axes[0]
    # 100 and 120 lie too close together for two labels.
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == [
        "10",
        "20",
        "30",
        "50",
        "120",
    ]
