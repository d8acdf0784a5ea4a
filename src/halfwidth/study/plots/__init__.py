"""Figures of the results of a study, each with the frame of every number in it.

They are drawn from finished frames: the cells of a study, and what `halfwidth.study.analysis`
makes of them; `figures_of` asks it. The figures themselves compute nothing but quartiles.
"""

from halfwidth.plots.style import Style
from halfwidth.study.plots.all_figures import Offered, figures_of
from halfwidth.study.plots.box_plots import coverage_boxes
from halfwidth.study.plots.clouds import (
    characteristics,
    characteristics_of_sets,
    pace_by_metric,
    pace_errors,
    skewness_by_metric,
)
from halfwidth.study.plots.comparisons import (
    basic_shift,
    bca_median,
    location_dispersion,
    metrics_coverage,
    micro_macro,
    segmentation_classification,
)
from halfwidth.study.plots.concentration import (
    concentration,
    theoretical_width,
)
from halfwidth.study.plots.failing import failures_figure
from halfwidth.study.plots.graphs import graph, overview
from halfwidth.study.plots.needs import sample_needs
from halfwidth.study.plots.p_values import p_values
from halfwidth.study.plots.styles import METHOD_STYLES, METRIC_STYLES, method_styles, series_styles
from halfwidth.study.targets import NotThereError, Target, targets_of

__all__ = [
    "METHOD_STYLES",
    "METRIC_STYLES",
    "NotThereError",
    "Offered",
    "Style",
    "Target",
    "basic_shift",
    "bca_median",
    "characteristics",
    "characteristics_of_sets",
    "concentration",
    "coverage_boxes",
    "failures_figure",
    "figures_of",
    "graph",
    "location_dispersion",
    "method_styles",
    "metrics_coverage",
    "micro_macro",
    "overview",
    "p_values",
    "pace_by_metric",
    "pace_errors",
    "sample_needs",
    "segmentation_classification",
    "series_styles",
    "skewness_by_metric",
    "targets_of",
    "theoretical_width",
]
