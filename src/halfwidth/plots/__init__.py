"""Figures from finished results: nothing is computed here, and every plotted number is a frame."""

from halfwidth.plots.bland_altman import bland_altman, bland_altman_frame
from halfwidth.plots.comparison import differences, differences_frame
from halfwidth.plots.confusion import confusion
from halfwidth.plots.curves import pr, roc
from halfwidth.plots.distribution import distribution, distribution_frame
from halfwidth.plots.figure import Panel, figure_of, figure_of_panels, figure_of_table, write_figure
from halfwidth.plots.forest import forest, forest_frame
from halfwidth.plots.pairs import figure_of_pairs, paired_cases, paired_cases_frame
from halfwidth.plots.plan import plan_curve, plan_frame
from halfwidth.plots.subsampling import (
    figure_of_subsamples,
    subsample_halfwidths,
    subsample_means,
    subsampling_frame,
)

__all__ = [
    "Panel",
    "bland_altman",
    "bland_altman_frame",
    "confusion",
    "differences",
    "differences_frame",
    "distribution",
    "distribution_frame",
    "figure_of",
    "figure_of_pairs",
    "figure_of_panels",
    "figure_of_subsamples",
    "figure_of_table",
    "forest",
    "forest_frame",
    "paired_cases",
    "paired_cases_frame",
    "plan_curve",
    "plan_frame",
    "pr",
    "roc",
    "subsample_halfwidths",
    "subsample_means",
    "subsampling_frame",
    "write_figure",
]
