"""Every summary statistic the package knows: those that the files of families declare."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue, listed
from halfwidth.core.declaring import specs_of
from halfwidth.core.spec import StatisticSpec
from halfwidth.summaries import location, quantiles, spread

STATISTICS: Catalogue[StatisticSpec] = Catalogue(
    "statistic",
    listed(*specs_of(location), *specs_of(spread), *specs_of(quantiles)),
    order=lambda spec: spec.listed,
)
