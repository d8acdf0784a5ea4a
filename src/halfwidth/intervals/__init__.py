"""Interval methods: ingredients in, bounds out, on whole batches of samples."""

import importlib
from typing import Any

from halfwidth.core.branches import brought
from halfwidth.intervals.all_methods import METHODS
from halfwidth.intervals.auc import *  # noqa: F403 -- all that it declares
from halfwidth.intervals.bootstrap import *  # noqa: F403
from halfwidth.intervals.delta_method import *  # noqa: F403
from halfwidth.intervals.dirichlet_intervals import *  # noqa: F403
from halfwidth.intervals.expanded import *  # noqa: F403
from halfwidth.intervals.mean import *  # noqa: F403
from halfwidth.intervals.paired_proportions import *  # noqa: F403
from halfwidth.intervals.proportion import *  # noqa: F403
from halfwidth.intervals.quantile import *  # noqa: F403
from halfwidth.intervals.rate import *  # noqa: F403
from halfwidth.intervals.two_samples import *  # noqa: F403

__all__ = list(METHODS.names)


def __getattr__(name: str) -> Any:
    """A method that a branch declares."""
    for place in (place for places in brought("METHODS") for place in places):
        module = importlib.import_module(place)
        if name in module.__all__:
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
