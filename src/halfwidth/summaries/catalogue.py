"""Every summary statistic the package knows: those that the files of families declare."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.families import families
from halfwidth.core.spec import StatisticSpec

FAMILIES = ("location", "spread", "quantiles")

STATISTICS: Catalogue[StatisticSpec] = Catalogue(
    "statistic", families("halfwidth.summaries", *FAMILIES), order=lambda spec: spec.listed
)
