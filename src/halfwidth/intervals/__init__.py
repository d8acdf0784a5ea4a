"""Interval methods: ingredients in, bounds out, on whole batches of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halfwidth.core.families import exported

if TYPE_CHECKING:
    from halfwidth.intervals.auc import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.bootstrap import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.calibration import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.delta_method import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.dirichlet_intervals import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.expanded import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.mean import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.paired_proportions import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.proportion import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.quantile import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.rate import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.recalibration import *  # noqa: F403 -- all that it declares
    from halfwidth.intervals.two_samples import *  # noqa: F403 -- all that it declares


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    from halfwidth.intervals.catalogue import FAMILIES, METHODS

    return list(METHODS.names) if name == "__all__" else exported(__name__, name, FAMILIES)


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
