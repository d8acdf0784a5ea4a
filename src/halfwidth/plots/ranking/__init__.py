"""Figures of rankings, with the models in one order and one colour throughout."""

from halfwidth.plots.ranking.lines import rank_lines, rank_lines_frame
from halfwidth.plots.ranking.looks import model_looks
from halfwidth.plots.ranking.panels import figures_of_rankings
from halfwidth.plots.ranking.sets import (
    rank_sets,
    rank_sets_frame,
    significance,
    significance_frame,
)
from halfwidth.plots.ranking.shares import blob, blob_frame, heatmap

__all__ = [
    "blob",
    "blob_frame",
    "figures_of_rankings",
    "heatmap",
    "model_looks",
    "rank_lines",
    "rank_lines_frame",
    "rank_sets",
    "rank_sets_frame",
    "significance",
    "significance_frame",
]
