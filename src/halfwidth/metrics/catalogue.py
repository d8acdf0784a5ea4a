"""Every metric the package knows: of a case by its values, of a test set, of detections."""

from __future__ import annotations

import re

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.errors import OptionError, shown
from halfwidth.core.spec import MetricSpec, spec_of
from halfwidth.metrics.agreement import DECLARED as AGREEMENT
from halfwidth.metrics.boundary import DECLARED as BOUNDARY
from halfwidth.metrics.boundary_overlap import DECLARED as BOUNDARY_OVERLAP
from halfwidth.metrics.counting import DECLARED as COUNTING
from halfwidth.metrics.detection.instances import DECLARED as INSTANCES
from halfwidth.metrics.detection.lesions import DECLARED as LESIONS
from halfwidth.metrics.detection.object_counts import DECLARED as OBJECT_COUNTS
from halfwidth.metrics.detection.panoptic import DECLARED as PANOPTIC
from halfwidth.metrics.detection.pooled import DECLARED as POOLED
from halfwidth.metrics.detection.ranked import DECLARED as RANKED_DETECTIONS
from halfwidth.metrics.error import DECLARED as ERROR
from halfwidth.metrics.overlap import DECLARED as OVERLAP
from halfwidth.metrics.ranking import DECLARED as RANKING
from halfwidth.metrics.regression import DECLARED as REGRESSION
from halfwidth.metrics.volume import DECLARED as VOLUME

METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric",
    tuple(
        spec_of(function) for function in (*OVERLAP, *BOUNDARY, *BOUNDARY_OVERLAP, *VOLUME, *ERROR)
    ),
)

SAMPLE_METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric of a test set",
    tuple(
        sorted(
            (spec_of(function) for function in (*AGREEMENT, *COUNTING, *RANKING, *REGRESSION)),
            key=lambda spec: spec.listed,
        )
    ),
)

DETECTION_METRICS: Catalogue[MetricSpec] = Catalogue(
    "metric of detections",
    tuple(
        spec_of(function)
        for function in (
            *RANKED_DETECTIONS,
            *OBJECT_COUNTS,
            *PANOPTIC,
            *INSTANCES,
            *LESIONS,
            *POOLED,
        )
    ),
)

# AP50 is AP at 0.5.
_WITH_THRESHOLD = re.compile(r"(?P<name>[a-z_]+?)_?(?P<percent>\d\d)")


def without_threshold(name: str) -> tuple[str, str]:
    """A metric of detections and the threshold in per cent behind it: ``ap50``, ``ap`` and 50."""
    found = _WITH_THRESHOLD.fullmatch(name.strip().lower())
    if name not in DETECTION_METRICS and found and found["name"] in DETECTION_METRICS:
        return found["name"], found["percent"]
    return name, ""


def refuse_detection_metric(name: str) -> None:
    """Refuse a metric of detections where values of cases or a test set are expected."""
    if without_threshold(name.partition("@")[0])[0] in DETECTION_METRICS:
        raise OptionError(
            f"{shown(name)} is of detections, which are matched with references: halfwidth detect; "
            "compare, rank, gate and report with --references (detection_ci, compare_detections, "
            "rank_detections)"
        )
