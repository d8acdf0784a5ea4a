"""Every metric the package knows: those of a case by their values, those of a test set."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.spec import MetricSpec, spec_of
from halfwidth.metrics.agreement import DECLARED as AGREEMENT
from halfwidth.metrics.boundary import DECLARED as BOUNDARY
from halfwidth.metrics.boundary_overlap import DECLARED as BOUNDARY_OVERLAP
from halfwidth.metrics.counting import DECLARED as COUNTING
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
