"""Planning a test set or runs, and reading published numbers.

>>> import halfwidth as hw
>>> hw.planning.mean(0.1, halfwidth=0.02, metric="dsc", mean=0.8).n
122
>>> print(hw.planning.review(50, mean=0.85, sd=0.10, metric="dsc").sentence())
Mean DSC 0.850 (95 % CI 0.822 to 0.878; n = 50; t).
"""

from __future__ import annotations

import importlib
from itertools import chain
from typing import TYPE_CHECKING

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

# What branches bring.
for _name, (_place, _) in chain.from_iterable(plans.items() for plans in brought("PLANS")):
    globals()[_name] = getattr(importlib.import_module(_place), _name)
# As users get them.
for _name in __all__:
    globals()[_name] = public_function(globals()[_name], __name__, _name)
