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

from halfwidth.core.public_functions import public_function

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
    from halfwidth.planning.subsampling import subsample
    from halfwidth.planning.width_tables import WidthTable, mean_width_table
    from halfwidth.results.sample_size import Requirement, SampleSize
    from halfwidth.results.subsamples import Subsamples

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
    "Requirement": "results.sample_size",
    "Review": "planning.published.reviews",
    "Reviews": "planning.published.reviews",
    "SampleSize": "results.sample_size",
    "Subsamples": "results.subsamples",
    "WidthTable": "planning.width_tables",
    "auroc_difference_n": "planning.auroc_differences",
    "auroc_difference_width": "planning.auroc_differences",
    "auroc_n": "planning.auroc",
    "auroc_width": "planning.auroc",
    "calibration_n": "planning.calibration",
    "calibration_width": "planning.calibration",
    "classes_n": "planning.classes",
    "classes_width": "planning.classes",
    "difference_n": "planning.differences",
    "difference_width": "planning.differences",
    "mean_n": "planning.means",
    "mean_width": "planning.means",
    "mean_width_table": "planning.width_tables",
    "minimum_runs": "planning.run_counts",
    "pilot_n": "planning.pilot",
    "pilot_width": "planning.pilot",
    "proportion_n": "planning.proportions",
    "proportion_width": "planning.proportions",
    "quantile_n": "planning.quantiles",
    "quantile_width": "planning.quantiles",
    "review": "planning.published.api",
    "review_table": "planning.published.api",
    "subsample": "planning.subsampling",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'halfwidth.planning' has no attribute {name!r}")

    home = importlib.import_module(f"halfwidth.{_HOME[name]}")
    found = globals()[name] = public_function(getattr(home, name), __name__, name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
