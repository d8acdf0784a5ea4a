"""Planning a test set or runs, and reading published numbers.

>>> import halfwidth as hw
>>> hw.planning.mean_n(0.1, halfwidth=0.02, metric="dsc", mean=0.8).n
122
>>> print(hw.planning.review(50, mean=0.85, sd=0.10, metric="dsc").sentence())
Mean DSC 0.850 (95 % CI 0.822 to 0.878; n = 50; t).
"""

from __future__ import annotations

from halfwidth.core.public_functions import public_function
from halfwidth.planning.auroc_differences import auroc_difference_n, auroc_difference_width
from halfwidth.planning.aurocs import auroc_n, auroc_width
from halfwidth.planning.calibrations import calibration_n, calibration_width
from halfwidth.planning.class_shares import classes_n, classes_width
from halfwidth.planning.differences import difference_n, difference_width
from halfwidth.planning.means import mean_n, mean_width
from halfwidth.planning.proportions import proportion_n, proportion_width
from halfwidth.planning.published.api import review, review_table
from halfwidth.planning.published.reviews import Review, Reviews
from halfwidth.planning.quantiles import quantile_n, quantile_width
from halfwidth.planning.run_counts import minimum_runs
from halfwidth.planning.subsampling import subsample
from halfwidth.planning.width_tables import WidthTable, mean_width_table
from halfwidth.results.sample_size import Requirement, SampleSize, SampleSizes
from halfwidth.results.subsamples import Subsamples

__all__ = [
    "Requirement",
    "Review",
    "Reviews",
    "SampleSize",
    "SampleSizes",
    "Subsamples",
    "WidthTable",
    "auroc_difference_n",
    "auroc_difference_width",
    "auroc_n",
    "auroc_width",
    "calibration_n",
    "calibration_width",
    "classes_n",
    "classes_width",
    "difference_n",
    "difference_width",
    "mean_n",
    "mean_width",
    "mean_width_table",
    "minimum_runs",
    "proportion_n",
    "proportion_width",
    "quantile_n",
    "quantile_width",
    "review",
    "review_table",
    "subsample",
]

# As users get them.
for _name in __all__:
    globals()[_name] = public_function(globals()[_name], __name__, _name)
