"""Figures from finished results: nothing is computed here, and every plotted number is a frame."""

from typing import TYPE_CHECKING, Any

from halfwidth.core.branches import modules_brought
from halfwidth.plots.bland_altman import bland_altman
from halfwidth.plots.comparison import differences, figures_of_differences
from halfwidth.plots.confusion import confusion
from halfwidth.plots.curves import decision, pr, roc
from halfwidth.plots.distribution import distribution
from halfwidth.plots.distribution_panels import Panel, figures_of_panels, figures_of_table
from halfwidth.plots.figure import Figure
from halfwidth.plots.files import write_figure
from halfwidth.plots.forest import forest
from halfwidth.plots.forest_pages import figures_of_forest
from halfwidth.plots.pairs import figures_of_pairs, paired_cases
from halfwidth.plots.plan import plan_curve
from halfwidth.plots.ranking.cases import case_heatmap, dots
from halfwidth.plots.ranking.lines import rank_lines
from halfwidth.plots.ranking.model_styles import model_styles
from halfwidth.plots.ranking.panels import figures_of_rankings
from halfwidth.plots.ranking.podiums import podium
from halfwidth.plots.ranking.sets import (
    rank_sets,
    significance,
)
from halfwidth.plots.ranking.shares import blob, heatmap
from halfwidth.plots.subsampling import (
    figure_of_subsamples,
    subsample_halfwidths,
    subsample_means,
)

if TYPE_CHECKING:
    from halfwidth.calibration.plots.calibration import calibration, figures_of_calibration
    from halfwidth.detection.plots.curves import afroc, detection_pr, froc
    from halfwidth.detection.plots.matches import figure_of_worst_images, matched_image
    from halfwidth.detection.plots.thresholds import figures_over_thresholds, over_thresholds

__all__ = [
    "Figure",
    "Panel",
    "afroc",
    "bland_altman",
    "blob",
    "calibration",
    "case_heatmap",
    "confusion",
    "decision",
    "detection_pr",
    "differences",
    "distribution",
    "dots",
    "figure_of_subsamples",
    "figure_of_worst_images",
    "figures_of_calibration",
    "figures_of_differences",
    "figures_of_forest",
    "figures_of_pairs",
    "figures_of_panels",
    "figures_of_rankings",
    "figures_of_table",
    "figures_over_thresholds",
    "forest",
    "froc",
    "heatmap",
    "matched_image",
    "model_styles",
    "over_thresholds",
    "paired_cases",
    "plan_curve",
    "podium",
    "pr",
    "rank_lines",
    "rank_sets",
    "roc",
    "significance",
    "subsample_halfwidths",
    "subsample_means",
    "write_figure",
]


def __getattr__(name: str) -> Any:
    """A figure that a branch brings."""
    for module in modules_brought("FIGURES"):
        if name in module.PUBLIC:
            return module.PUBLIC[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
