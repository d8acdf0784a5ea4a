"""Figures from finished results: nothing is computed here, and every plotted number is a frame."""

from halfwidth.plots.confusion import confusion
from halfwidth.plots.curves import pr, roc
from halfwidth.plots.distribution import distribution, distribution_frame
from halfwidth.plots.figure import Panel, figure_of, figure_of_panels, figure_of_table, write_figure
from halfwidth.plots.forest import forest, forest_frame
from halfwidth.plots.plan import plan_curve, plan_frame
from halfwidth.plots.subsampling import (
    figure_of_subsamples,
    subsample_halfwidths,
    subsample_means,
    subsampling_frame,
)

__all__ = [
    "Panel",
    "confusion",
    "distribution",
    "distribution_frame",
    "figure_of",
    "figure_of_panels",
    "figure_of_subsamples",
    "figure_of_table",
    "forest",
    "forest_frame",
    "plan_curve",
    "plan_frame",
    "pr",
    "roc",
    "subsample_halfwidths",
    "subsample_means",
    "subsampling_frame",
    "write_figure",
]
