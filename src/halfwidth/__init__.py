"""How far to trust a performance number.

>>> import halfwidth as hw
>>> print(hw.proportion_ci(45, 50).sentence())
Proportion 0.90 (95 % CI 0.79 to 0.96; n = 50; Wilson).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from halfwidth import metrics, planning, plots, study, summaries
    from halfwidth.calibration.results.centre_curves import CentreCurve, CentreCurves
    from halfwidth.calibration.results.centre_results import CentreResults, OverCentres
    from halfwidth.calibration.results.curves import CalibrationCurve, CalibrationCurves
    from halfwidth.calibration.results.tests_of_calibration import CalibrationTest, CalibrationTests
    from halfwidth.calibration.verbs import calibration_by_centre, calibration_test
    from halfwidth.core.cautions import CAUTIONS, Caution, explain
    from halfwidth.core.errors import DataError, HalfwidthError, OptionError, UnknownNameError
    from halfwidth.core.objects import ObjectSet
    from halfwidth.core.spec import Better, Kind, MetricSpec, StatisticSpec
    from halfwidth.core.types import Bounds
    from halfwidth.data.case_values import CaseValues
    from halfwidth.data.predictions import Predictions
    from halfwidth.data.reading import read
    from halfwidth.data.readings import Readings
    from halfwidth.detection.data import Detections
    from halfwidth.detection.estimation.matchings import Matching
    from halfwidth.detection.io.read_objects import read_objects
    from halfwidth.detection.match import MatchedDetections, match_detections
    from halfwidth.detection.matching.match_lists import MatchLists
    from halfwidth.detection.results.curves import DetectionCurve, DetectionCurves
    from halfwidth.detection.results.estimate import DetectionEstimate
    from halfwidth.estimation.differences import difference_ci
    from halfwidth.estimation.evidence import evidence
    from halfwidth.estimation.one_sample import proportion_ci, summary_ci
    from halfwidth.estimation.test_sets.metric_ci import metric_ci
    from halfwidth.intervals.all_methods import METHODS
    from halfwidth.metrics.all_metrics import DETECTION_METRICS, METRICS, SAMPLE_METRICS
    from halfwidth.plots.of_results import plot
    from halfwidth.reports.report import Report, report
    from halfwidth.results.agreement import Agreement
    from halfwidth.results.audit import Audit, AuditedTable, Finding
    from halfwidth.results.comparison import Comparisons, Difference
    from halfwidth.results.curves import Confusion, Curve, Curves
    from halfwidth.results.estimate import Estimate, Estimates
    from halfwidth.results.gate import Gate
    from halfwidth.results.ranking import Ranking, Rankings
    from halfwidth.results.ranking_consensus import Consensus, RankStability
    from halfwidth.results.runs_estimate import RunsEstimate
    from halfwidth.scoring.score import score_folders, score_masks
    from halfwidth.scoring.scores import Scores
    from halfwidth.summaries.all_statistics import STATISTICS
    from halfwidth.verbs.agreement import limits_of_agreement
    from halfwidth.verbs.check import check
    from halfwidth.verbs.compare import compare
    from halfwidth.verbs.confusion import confusion_ci
    from halfwidth.verbs.curve import curve
    from halfwidth.verbs.estimate import estimate
    from halfwidth.verbs.gate import gate
    from halfwidth.verbs.plan import plan
    from halfwidth.verbs.rank import rank
    from halfwidth.verbs.runs_ci import runs_ci

__version__ = "0.1.0"

__all__ = [
    "CAUTIONS",
    "DETECTION_METRICS",
    "METHODS",
    "METRICS",
    "SAMPLE_METRICS",
    "STATISTICS",
    "Agreement",
    "Audit",
    "AuditedTable",
    "Better",
    "Bounds",
    "CalibrationCurve",
    "CalibrationCurves",
    "CalibrationTest",
    "CalibrationTests",
    "CaseValues",
    "Caution",
    "CentreCurve",
    "CentreCurves",
    "CentreResults",
    "Comparisons",
    "Confusion",
    "Consensus",
    "Curve",
    "Curves",
    "DataError",
    "DetectionCurve",
    "DetectionCurves",
    "DetectionEstimate",
    "Detections",
    "Difference",
    "Estimate",
    "Estimates",
    "Finding",
    "Gate",
    "HalfwidthError",
    "Kind",
    "MatchLists",
    "MatchedDetections",
    "Matching",
    "MetricSpec",
    "ObjectSet",
    "OptionError",
    "OverCentres",
    "Predictions",
    "RankStability",
    "Ranking",
    "Rankings",
    "Readings",
    "Report",
    "RunsEstimate",
    "Scores",
    "StatisticSpec",
    "UnknownNameError",
    "calibration_by_centre",
    "calibration_test",
    "check",
    "compare",
    "confusion_ci",
    "curve",
    "difference_ci",
    "estimate",
    "evidence",
    "explain",
    "gate",
    "limits_of_agreement",
    "match_detections",
    "metric_ci",
    "metrics",
    "plan",
    "planning",
    "plot",
    "plots",
    "proportion_ci",
    "rank",
    "read",
    "read_objects",
    "report",
    "runs_ci",
    "score_folders",
    "score_masks",
    "study",
    "summaries",
    "summary_ci",
]

_HOME = {
    "CAUTIONS": "core.cautions",
    "DETECTION_METRICS": "metrics.all_metrics",
    "METHODS": "intervals.all_methods",
    "METRICS": "metrics.all_metrics",
    "SAMPLE_METRICS": "metrics.all_metrics",
    "STATISTICS": "summaries.all_statistics",
    "Agreement": "results.agreement",
    "Audit": "results.audit",
    "AuditedTable": "results.audit",
    "Better": "core.spec",
    "Bounds": "core.types",
    "CalibrationCurve": "calibration.results.curves",
    "CalibrationCurves": "calibration.results.curves",
    "CalibrationTest": "calibration.results.tests_of_calibration",
    "CalibrationTests": "calibration.results.tests_of_calibration",
    "Caution": "core.cautions",
    "CaseValues": "data.case_values",
    "CentreResults": "calibration.results.centre_results",
    "Comparisons": "results.comparison",
    "Consensus": "results.ranking_consensus",
    "Confusion": "results.curves",
    "Curve": "results.curves",
    "Curves": "results.curves",
    "CentreCurve": "calibration.results.centre_curves",
    "CentreCurves": "calibration.results.centre_curves",
    "DataError": "core.errors",
    "DetectionCurve": "detection.results.curves",
    "DetectionCurves": "detection.results.curves",
    "DetectionEstimate": "detection.results.estimate",
    "Detections": "detection.data",
    "Difference": "results.comparison",
    "Estimate": "results.estimate",
    "Estimates": "results.estimate",
    "Finding": "results.audit",
    "Gate": "results.gate",
    "HalfwidthError": "core.errors",
    "Kind": "core.spec",
    "MatchLists": "detection.matching.match_lists",
    "MatchedDetections": "detection.match",
    "Matching": "detection.estimation.matchings",
    "MetricSpec": "core.spec",
    "ObjectSet": "core.objects",
    "OptionError": "core.errors",
    "OverCentres": "calibration.results.centre_results",
    "RankStability": "results.ranking_consensus",
    "Predictions": "data.predictions",
    "Readings": "data.readings",
    "Ranking": "results.ranking",
    "Rankings": "results.ranking",
    "Report": "reports.report",
    "RunsEstimate": "results.runs_estimate",
    "Scores": "scoring.scores",
    "StatisticSpec": "core.spec",
    "UnknownNameError": "core.errors",
    "calibration_by_centre": "calibration.verbs",
    "calibration_test": "calibration.verbs",
    "check": "verbs.check",
    "compare": "verbs.compare",
    "confusion_ci": "verbs.confusion",
    "curve": "verbs.curve",
    "difference_ci": "estimation.differences",
    "estimate": "verbs.estimate",
    "evidence": "estimation.evidence",
    "explain": "core.cautions",
    "gate": "verbs.gate",
    "limits_of_agreement": "verbs.agreement",
    "report": "reports.report",
    "match_detections": "detection.match",
    "metric_ci": "estimation.test_sets.metric_ci",
    "metrics": "metrics",
    "plan": "verbs.plan",
    "planning": "planning",
    "plots": "plots",
    "proportion_ci": "estimation.one_sample",
    "plot": "plots.of_results",
    "rank": "verbs.rank",
    "read": "data.reading",
    "read_objects": "detection.io.read_objects",
    "runs_ci": "verbs.runs_ci",
    "score_folders": "scoring.score",
    "score_masks": "scoring.score",
    "study": "study",
    "summaries": "summaries",
    "summary_ci": "estimation.one_sample",
}
KINDS_OF_DATA = ("CaseValues", "Predictions", "Detections", "Readings")
# Public names that are packages.
PACKAGES = ("metrics", "planning", "plots", "study", "summaries")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import halfwidth`` costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'halfwidth' has no attribute {name!r}")
    from halfwidth.core.public_functions import public_function

    home = importlib.import_module(f"halfwidth.{_HOME[name]}")
    public = None if name in PACKAGES else getattr(home, name)
    found = home if public is None else public_function(public, __name__, name, _kinds_of_data)
    globals()[name] = found
    return found


def _kinds_of_data() -> tuple[type, ...]:
    return tuple(map(__getattr__, KINDS_OF_DATA))


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
