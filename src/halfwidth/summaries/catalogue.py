"""Every summary statistic the package knows."""

from __future__ import annotations

from halfwidth.core.catalogue import Catalogue
from halfwidth.core.spec import StatisticSpec, spec_of
from halfwidth.summaries.location import mean, trimmed_mean
from halfwidth.summaries.quantile import (
    bootstrap_median,
    interpolated_quantile,
    median,
    quantile,
    sample_quantile,
)
from halfwidth.summaries.spread import iqr, sd

STATISTICS: Catalogue[StatisticSpec] = Catalogue(
    "statistic",
    tuple(
        spec_of(function)
        for function in (
            *(mean, median, trimmed_mean, sd, iqr, quantile),
            *(sample_quantile, interpolated_quantile, bootstrap_median),
        )
    ),
)
