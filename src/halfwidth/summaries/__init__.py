"""Summary statistics: what reduces one value per case to one number."""

from halfwidth.summaries.location import mean, trimmed_mean
from halfwidth.summaries.quantile import median, quantile
from halfwidth.summaries.spread import iqr, sd

__all__ = ["iqr", "mean", "median", "quantile", "sd", "trimmed_mean"]
