"""Figures of the results of a study, each with the frame of every number in it.

They are drawn from finished frames: the cells of a study, and what `halfwidth.study.analysis`
makes of them. Nothing but quartiles is computed here.
"""

from halfwidth.plots.style import Style
from halfwidth.study.plots.box_plots import coverage_boxes, coverage_boxes_frame
from halfwidth.study.plots.catalogue import Figure, Frames, figures_of
from halfwidth.study.plots.clouds import (
    characteristics,
    characteristics_frame,
    characteristics_of_sets,
    characteristics_of_sets_frame,
    pace_by_metric,
    pace_errors,
    pace_errors_frame,
    pace_frame,
    skewness_by_metric,
    skewness_frame,
)
from halfwidth.study.plots.comparisons import (
    basic_shift,
    basic_shift_frame,
    bca_median,
    bca_median_frame,
    location_dispersion,
    location_dispersion_frame,
    metrics_coverage,
    metrics_coverage_frame,
    micro_macro,
    micro_macro_frame,
    segmentation_classification,
    segmentation_classification_frame,
)
from halfwidth.study.plots.concentration import (
    concentration,
    concentration_frame,
    theoretical_width,
)
from halfwidth.study.plots.failing import failures_figure, failures_frame
from halfwidth.study.plots.graphs import graph, graph_frame, overview, overview_frame
from halfwidth.study.plots.naming import Drawn, NotThereError, Target, targets_of
from halfwidth.study.plots.needs import sample_needs, sample_needs_frame
from halfwidth.study.plots.p_values import p_values, p_values_frame
from halfwidth.study.plots.styles import METHOD_STYLES, METRIC_STYLES, method_styles, series_styles

__all__ = [
    "METHOD_STYLES",
    "METRIC_STYLES",
    "Drawn",
    "Figure",
    "Frames",
    "NotThereError",
    "Style",
    "Target",
    "basic_shift",
    "basic_shift_frame",
    "bca_median",
    "bca_median_frame",
    "characteristics",
    "characteristics_frame",
    "characteristics_of_sets",
    "characteristics_of_sets_frame",
    "concentration",
    "concentration_frame",
    "coverage_boxes",
    "coverage_boxes_frame",
    "failures_figure",
    "failures_frame",
    "figures_of",
    "graph",
    "graph_frame",
    "location_dispersion",
    "location_dispersion_frame",
    "method_styles",
    "metrics_coverage",
    "metrics_coverage_frame",
    "micro_macro",
    "micro_macro_frame",
    "overview",
    "overview_frame",
    "p_values",
    "p_values_frame",
    "pace_by_metric",
    "pace_errors",
    "pace_errors_frame",
    "pace_frame",
    "sample_needs",
    "sample_needs_frame",
    "segmentation_classification",
    "segmentation_classification_frame",
    "series_styles",
    "skewness_by_metric",
    "skewness_frame",
    "targets_of",
    "theoretical_width",
]
