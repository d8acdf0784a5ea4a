"""What calibration brings to the trunk, by the names of `halfwidth.core.branches.Front`."""

from __future__ import annotations

METRICS = {
    "test sets": (
        "halfwidth.calibration.metrics.bins",
        "halfwidth.calibration.metrics.smoothing",
        "halfwidth.calibration.metrics.kernel_curve",
        "halfwidth.calibration.metrics.kernel_error",
        "halfwidth.calibration.metrics.recalibration",
        "halfwidth.calibration.metrics.corp",
    ),
}
METHODS = (
    "halfwidth.calibration.intervals.recalibration",
    "halfwidth.calibration.intervals.errors",
)
CAUTIONS = "halfwidth.calibration.cautions"
PROBABILITIES = "halfwidth.calibration.estimation.caution_rules"
CURVES = dict.fromkeys(
    ("calibration", "reliability", "reliability-bins", "calibration-by-centre"),
    "halfwidth.calibration.curves_of_models",
)
FIGURES = "halfwidth.calibration.plots.of_results"
PLANS = {"calibration": ("halfwidth.calibration.planning", "halfwidth.calibration.cli.plan")}
TEST_SETS = "halfwidth.calibration.cli.test_sets"
