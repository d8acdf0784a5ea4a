"""Planning a test set or runs, and reading published numbers.

>>> import halfwidth as hw
>>> hw.planning.mean_n(0.1, halfwidth=0.02, metric="dsc", mean=0.8).n
122
>>> print(hw.planning.review(50, mean=0.85, sd=0.10, metric="dsc").sentence())
Mean DSC 0.850 (95 % CI 0.822 to 0.878; n = 50; t).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from halfwidth.planning.auroc import auroc_n, auroc_width
    from halfwidth.planning.auroc_differences import auroc_difference_n, auroc_difference_width
    from halfwidth.planning.calibration import calibration_n, calibration_width
    from halfwidth.planning.classes import classes_n, classes_width
    from halfwidth.planning.differences import difference_n, difference_width
    from halfwidth.planning.means import mean_n, mean_width
    from halfwidth.planning.pilot import pilot_n, pilot_width
    from halfwidth.planning.proportions import proportion_n, proportion_width
    from halfwidth.planning.published.api import review, review_table
    from halfwidth.planning.published.reviews import Review, Reviews
    from halfwidth.planning.quantiles import quantile_n, quantile_width
    from halfwidth.planning.run_counts import minimum_runs
    from halfwidth.planning.subsampling import Subsamples, subsample
    from halfwidth.planning.width_tables import WidthTable, mean_width_table
    from halfwidth.results.sample_size import Requirement, SampleSize

__all__ = [
    "Requirement",
    "Review",
    "Reviews",
    "SampleSize",
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
    "pilot_n",
    "pilot_width",
    "proportion_n",
    "proportion_width",
    "quantile_n",
    "quantile_width",
    "review",
    "review_table",
    "subsample",
]

_HOME = {
    "Requirement": "sample_size",
    "Review": "published.reviews",
    "Reviews": "published.reviews",
    "SampleSize": "sample_size",
    "Subsamples": "subsampling",
    "WidthTable": "width_tables",
    "auroc_difference_n": "auroc_differences",
    "auroc_difference_width": "auroc_differences",
    "auroc_n": "auroc",
    "auroc_width": "auroc",
    "calibration_n": "calibration",
    "calibration_width": "calibration",
    "classes_n": "classes",
    "classes_width": "classes",
    "difference_n": "differences",
    "difference_width": "differences",
    "mean_n": "means",
    "mean_width": "means",
    "mean_width_table": "width_tables",
    "minimum_runs": "run_counts",
    "pilot_n": "pilot",
    "pilot_width": "pilot",
    "proportion_n": "proportions",
    "proportion_width": "proportions",
    "quantile_n": "quantiles",
    "quantile_width": "quantiles",
    "review": "published.api",
    "review_table": "published.api",
    "subsample": "subsampling",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'halfwidth.planning' has no attribute {name!r}")
    from halfwidth.core.public_functions import public_function

    home = importlib.import_module(f"halfwidth.planning.{_HOME[name]}")
    found = globals()[name] = public_function(getattr(home, name), __name__, name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
