"""Every summary statistic the package knows: those that the files of families declare."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.spec import StatisticSpec, spec_of
from halfwidth.summaries.location import DECLARED as LOCATION
from halfwidth.summaries.quantile import DECLARED as QUANTILE
from halfwidth.summaries.spread import DECLARED as SPREAD

STATISTICS: Catalogue[StatisticSpec] = Catalogue(
    "statistic",
    tuple(
        sorted(
            (spec_of(function) for function in (*LOCATION, *SPREAD, *QUANTILE)),
            key=lambda spec: spec.listed,
        )
    ),
)
