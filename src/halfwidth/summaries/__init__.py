"""Summary statistics: what reduces one value per case to one number."""

from halfwidth.summaries.location import mean, trimmed_mean
from halfwidth.summaries.quantile import (
    bootstrap_median,
    interpolated_quantile,
    median,
    quantile,
    sample_quantile,
)
from halfwidth.summaries.spread import iqr, sd

__all__ = [
    "bootstrap_median",
    "interpolated_quantile",
    "iqr",
    "mean",
    "median",
    "quantile",
    "sample_quantile",
    "sd",
    "trimmed_mean",
]
