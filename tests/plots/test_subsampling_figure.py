from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

import halfwidth as hw
from halfwidth.plots import (
    figure_of_subsamples,
    subsample_halfwidths,
    subsample_means,
)

FOUND = hw.planning.subsample(
    np.random.default_rng(0).beta(6, 2, 120), metric="hd95", rng=1, n_resamples=99, repeats=5
)


def test_the_line_and_the_bands_of_the_means_are_in_the_frame() -> None:
    ax, frame = subsample_means(FOUND), figure_of_subsamples.frame(FOUND)
    (line,) = ax.lines
    np.testing.assert_array_equal(np.asarray(line.get_xydata()), frame[["k", "mean"]])
    bands = [c for c in ax.collections if isinstance(c, PolyCollection)]
    for band, ends in zip(bands, (("low", "high"), ("spread_low", "spread_high")), strict=True):
        heights = {float(y) for _, y in np.asarray(band.get_paths()[0].vertices)}
        assert heights == {*frame[ends[0]], *frame[ends[1]]}
    assert ax.get_ylabel() == "mean HD95 [mm]"


def test_both_half_widths_are_in_the_frame_and_begin_at_0() -> None:
    ax, frame = subsample_halfwidths(FOUND), figure_of_subsamples.frame(FOUND)
    for line, name in zip(ax.lines, ("halfwidth", "boot_halfwidth"), strict=True):
        np.testing.assert_array_equal(np.asarray(line.get_xydata()), frame[["k", name]])
    assert ax.get_ylim()[0] == 0
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
