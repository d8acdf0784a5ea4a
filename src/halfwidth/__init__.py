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
    from halfwidth.audit.api import check_table, check_tables
    from halfwidth.comparison.agreement import Agreement, limits_of_agreement
    from halfwidth.comparison.api import compare, compare_table
    from halfwidth.comparison.rater_api import compare_with_raters, compare_with_raters_table
    from halfwidth.core.audit import Audit, AuditedTable, Finding
    from halfwidth.core.cautions import CAUTIONS, Caution, explain
    from halfwidth.core.comparison import Comparisons, Difference
    from halfwidth.core.curves import Confusion, Curve, Curves
    from halfwidth.core.errors import DataError, HalfwidthError, OptionError, UnknownNameError
    from halfwidth.core.estimate import Estimate
    from halfwidth.core.estimates import Estimates
    from halfwidth.core.ranking import Ranking, Rankings
    from halfwidth.core.ranking_consensus import Consensus, RankStability
    from halfwidth.core.runs_estimate import RunsEstimate
    from halfwidth.core.spec import Better, Kind, MetricSpec, StatisticSpec
    from halfwidth.core.types import Bounds
    from halfwidth.estimation.api import proportion_ci, summary_ci
    from halfwidth.estimation.differences import difference_ci
    from halfwidth.estimation.evidence import evidence
    from halfwidth.estimation.runs.api import runs_ci, runs_table
    from halfwidth.estimation.tables import summary_table
    from halfwidth.estimation.test_sets.api import metric_ci
    from halfwidth.estimation.test_sets.confusion import confusion_ci
    from halfwidth.estimation.test_sets.curves import curve_ci
    from halfwidth.intervals.catalogue import METHODS
    from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS
    from halfwidth.ranking.api import rank, rank_table
    from halfwidth.scoring.api import score_folders, score_masks
    from halfwidth.scoring.scores import Scores
    from halfwidth.summaries.catalogue import STATISTICS

__version__ = "0.1.0"

__all__ = [
    "CAUTIONS",
    "METHODS",
    "METRICS",
    "SAMPLE_METRICS",
    "STATISTICS",
    "Agreement",
    "Audit",
    "AuditedTable",
    "Better",
    "Bounds",
    "Caution",
    "Comparisons",
    "Confusion",
    "Consensus",
    "Curve",
    "Curves",
    "DataError",
    "Difference",
    "Estimate",
    "Estimates",
    "Finding",
    "HalfwidthError",
    "Kind",
    "MetricSpec",
    "OptionError",
    "RankStability",
    "Ranking",
    "Rankings",
    "RunsEstimate",
    "Scores",
    "StatisticSpec",
    "UnknownNameError",
    "check_table",
    "check_tables",
    "compare",
    "compare_table",
    "compare_with_raters",
    "compare_with_raters_table",
    "confusion_ci",
    "curve_ci",
    "difference_ci",
    "evidence",
    "explain",
    "limits_of_agreement",
    "metric_ci",
    "metrics",
    "planning",
    "plots",
    "proportion_ci",
    "rank",
    "rank_table",
    "runs_ci",
    "runs_table",
    "score_folders",
    "score_masks",
    "study",
    "summaries",
    "summary_ci",
    "summary_table",
]

_HOME = {
    "CAUTIONS": "core.cautions",
    "METHODS": "intervals.catalogue",
    "METRICS": "metrics.catalogue",
    "SAMPLE_METRICS": "metrics.catalogue",
    "STATISTICS": "summaries.catalogue",
    "Agreement": "comparison.agreement",
    "Audit": "core.audit",
    "AuditedTable": "core.audit",
    "Better": "core.spec",
    "Bounds": "core.types",
    "Caution": "core.cautions",
    "Comparisons": "core.comparison",
    "Consensus": "core.ranking_consensus",
    "Confusion": "core.curves",
    "Curve": "core.curves",
    "Curves": "core.curves",
    "DataError": "core.errors",
    "Difference": "core.comparison",
    "Estimate": "core.estimate",
    "Estimates": "core.estimates",
    "Finding": "core.audit",
    "HalfwidthError": "core.errors",
    "Kind": "core.spec",
    "MetricSpec": "core.spec",
    "OptionError": "core.errors",
    "RankStability": "core.ranking_consensus",
    "Ranking": "core.ranking",
    "Rankings": "core.ranking",
    "RunsEstimate": "core.runs_estimate",
    "Scores": "scoring.scores",
    "StatisticSpec": "core.spec",
    "UnknownNameError": "core.errors",
    "check_table": "audit.api",
    "check_tables": "audit.api",
    "compare": "comparison.api",
    "compare_table": "comparison.api",
    "compare_with_raters": "comparison.rater_api",
    "compare_with_raters_table": "comparison.rater_api",
    "confusion_ci": "estimation.test_sets.confusion",
    "curve_ci": "estimation.test_sets.curves",
    "difference_ci": "estimation.differences",
    "evidence": "estimation.evidence",
    "explain": "core.cautions",
    "limits_of_agreement": "comparison.agreement",
    "metric_ci": "estimation.test_sets.api",
    "metrics": "metrics",
    "planning": "planning",
    "plots": "plots",
    "proportion_ci": "estimation.api",
    "rank": "ranking.api",
    "rank_table": "ranking.api",
    "runs_ci": "estimation.runs.api",
    "runs_table": "estimation.runs.api",
    "score_folders": "scoring.api",
    "score_masks": "scoring.api",
    "study": "study",
    "summaries": "summaries",
    "summary_ci": "estimation.api",
    "summary_table": "estimation.tables",
}
# Public names that are packages.
PACKAGES = ("metrics", "planning", "plots", "study", "summaries")


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import halfwidth`` costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'halfwidth' has no attribute {name!r}")
    from halfwidth.core.public_functions import public_function

    home = importlib.import_module(f"halfwidth.{_HOME[name]}")
    found = home if name in PACKAGES else public_function(getattr(home, name), __name__, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
