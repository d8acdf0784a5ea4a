"""What detection brings to the trunk, by the names of `halfwidth.core.branches.Front`."""

from __future__ import annotations

from halfwidth.core.option_table.option import DataKind

KIND = (DataKind.DETECTIONS, "halfwidth.detection.kind")
METRICS = {
    "detections": (
        "halfwidth.detection.metrics.ranked",
        "halfwidth.detection.metrics.object_counts",
        "halfwidth.detection.metrics.panoptic",
        "halfwidth.detection.metrics.instances",
        "halfwidth.detection.metrics.lesions",
        "halfwidth.detection.metrics.pooled",
    ),
}
CAUTIONS = "halfwidth.detection.cautions"
ENGINES = "halfwidth.detection.forms.engines"
FIGURES = "halfwidth.detection.plots.of_results"
FILES = "halfwidth.detection.io.recognised"
VERBS = {
    "detect": (
        "halfwidth.detection.cli.detect:detect",
        "Intervals for a detector: AP, FROC, PQ and more.",
    ),
}
COMMANDS = "halfwidth.detection.cli.commands"
