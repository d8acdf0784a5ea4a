"""Every metric the package knows: of a case by its values, of a test set, of detections."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
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
