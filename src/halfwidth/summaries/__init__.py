"""Summary statistics: what reduces one value per case to one number."""

from halfwidth.summaries.all_statistics import STATISTICS
from halfwidth.summaries.location import *  # noqa: F403 -- all that it declares
from halfwidth.summaries.quantiles import *  # noqa: F403
from halfwidth.summaries.spread import *  # noqa: F403

__all__ = list(STATISTICS.names)
