"""Planning a test set or runs, and reading published numbers.

>>> import halfwidth as hw
>>> hw.planning.mean(0.1, halfwidth=0.02, metric="dsc", mean=0.8).n
122
>>> print(hw.planning.review(50, mean=0.85, sd=0.10, metric="dsc").sentence())
Mean DSC 0.850 (95 % CI 0.822 to 0.878; n = 50; t).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from halfwidth.core.branches import brought
from halfwidth.core.public_functions import public_function
from halfwidth.planning.auroc_differences import auroc_difference
from halfwidth.planning.aurocs import auroc
from halfwidth.planning.class_shares import classes
from halfwidth.planning.differences import difference
from halfwidth.planning.means import mean
from halfwidth.planning.proportions import proportion
from halfwidth.planning.published.review import review, review_table
from halfwidth.planning.published.reviews import Review, Reviews
from halfwidth.planning.quantiles import minimum_runs, quantile
from halfwidth.planning.subsampling import subsample
from halfwidth.results.sample_size import Requirement, SampleSize, SampleSizes
from halfwidth.results.subsamples import Subsamples

if TYPE_CHECKING:
    from halfwidth.calibration.planning import calibration

__all__ = [
    "Requirement",
    "Review",
    "Reviews",
    "SampleSize",
    "SampleSizes",
    "Subsamples",
    "auroc",
    "auroc_difference",
    "calibration",
    "classes",
    "difference",
    "mean",
    "minimum_runs",
    "proportion",
    "quantile",
    "review",
    "review_table",
    "subsample",
]

# As users get them; those of branches when they are asked for.
for _name in globals().keys() & {*__all__}:
    globals()[_name] = public_function(globals()[_name], __name__, _name)


def __getattr__(name: str) -> Any:
    """A function that a branch brings."""
    for plans in brought("PLANS"):
        if name in plans:
            function = getattr(importlib.import_module(plans[name][0]), name)
            globals()[name] = public_function(function, __name__, name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
