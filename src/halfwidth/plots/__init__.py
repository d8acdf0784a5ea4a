"""Figures from finished results: nothing is computed here, and every plotted number is a frame."""

from halfwidth.plots.bland_altman import bland_altman, bland_altman_frame
from halfwidth.plots.calibration import calibration, figure_of_calibration
from halfwidth.plots.comparison import differences, differences_frame
from halfwidth.plots.comparison_pages import figures_of_differences
from halfwidth.plots.confusion import confusion
from halfwidth.plots.curves import decision, pr, roc
from halfwidth.plots.detection.curves import afroc, detection_pr, froc
from halfwidth.plots.detection.matches import figure_of_worst_images, matched_image, matches_frame
from halfwidth.plots.detection.thresholds import (
    figure_over_thresholds,
    over_thresholds,
    thresholds_frame,
)
from halfwidth.plots.distribution import distribution, distribution_frame
from halfwidth.plots.figure import Panel, figure_of, figure_of_panels, figure_of_table, write_figure
from halfwidth.plots.forest import forest, forest_frame
from halfwidth.plots.forest_pages import figures_of_forest, forest_pages_frame
from halfwidth.plots.pairs import figure_of_pairs, paired_cases, paired_cases_frame
from halfwidth.plots.plan import plan_curve, plan_frame
from halfwidth.plots.ranking.cases import case_heatmap, case_heatmap_frame, dots, dots_frame
from halfwidth.plots.ranking.lines import rank_lines, rank_lines_frame
from halfwidth.plots.ranking.model_styles import model_styles
from halfwidth.plots.ranking.panels import figures_of_rankings
from halfwidth.plots.ranking.podiums import podium, podium_frame
from halfwidth.plots.ranking.sets import (
    rank_sets,
    rank_sets_frame,
    significance,
    significance_frame,
)
from halfwidth.plots.ranking.shares import blob, blob_frame, heatmap
from halfwidth.plots.subsampling import (
    figure_of_subsamples,
    subsample_halfwidths,
    subsample_means,
    subsampling_frame,
)

__all__ = [
    "Panel",
    "afroc",
    "bland_altman",
    "bland_altman_frame",
    "blob",
    "blob_frame",
    "calibration",
    "case_heatmap",
    "case_heatmap_frame",
    "confusion",
    "decision",
    "detection_pr",
    "differences",
    "differences_frame",
    "distribution",
    "distribution_frame",
    "dots",
    "dots_frame",
    "figure_of",
    "figure_of_calibration",
    "figure_of_pairs",
    "figure_of_panels",
    "figure_of_subsamples",
    "figure_of_table",
    "figure_of_worst_images",
    "figure_over_thresholds",
    "figures_of_differences",
    "figures_of_forest",
    "figures_of_rankings",
    "forest",
    "forest_frame",
    "forest_pages_frame",
    "froc",
    "heatmap",
    "matched_image",
    "matches_frame",
    "model_styles",
    "over_thresholds",
    "paired_cases",
    "paired_cases_frame",
    "plan_curve",
    "plan_frame",
    "podium",
    "podium_frame",
    "pr",
    "rank_lines",
    "rank_lines_frame",
    "rank_sets",
    "rank_sets_frame",
    "roc",
    "significance",
    "significance_frame",
    "subsample_halfwidths",
    "subsample_means",
    "subsampling_frame",
    "thresholds_frame",
    "write_figure",
]
