"""Every criterion of localisation and every strategy of assignment that the package knows."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue, listed
from halfwidth.detection.metrics.assignment import DECLARED as STRATEGIES
from halfwidth.detection.metrics.assignment import AssignmentSpec
from halfwidth.detection.metrics.localisation import LocalisationSpec
from halfwidth.detection.metrics.overlap_criteria import DECLARED as OVERLAP_CRITERIA
from halfwidth.detection.metrics.place_criteria import DECLARED as PLACE_CRITERIA

LOCALISATIONS: Catalogue[LocalisationSpec] = Catalogue(
    "localisation criterion", listed(*OVERLAP_CRITERIA, *PLACE_CRITERIA)
)

ASSIGNMENTS: Catalogue[AssignmentSpec] = Catalogue("assignment strategy", listed(*STRATEGIES))
