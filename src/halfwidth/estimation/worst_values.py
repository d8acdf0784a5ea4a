"""Piles of identical values at an end of a sample: failures, or a constant put in for them."""

from __future__ import annotations

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.spec import Better, Kind, MetricSpec
from halfwidth.core.types import Array
from halfwidth.summaries.quantiles import quantile

# From this many identical values on, and this share, they look like a constant put in.
FEWEST_PENALTIES, PENALTY_SHARE = 3, 0.01
# Farther than the others reach by this factor. With a factor of 1, 3 to 9 % of samples of 8 to 30
# HD95 of the hippocampus, in steps of 1 mm, seemed to hold a constant; with 2 fewer than 0.1 %, and
# three of 150 mm were still found in 99.5 % or more of those of brain tumours, at most 88 mm.
FAR = 2.0


def identical_worst(values: Array, spec: MetricSpec) -> Caution | None:
    """What many identical worst values call for, of ascending values that are not all equal."""
    if spec.kind is Kind.BINARY or not len(values):
        return None
    end = spec.worst
    if end is None:
        end = {Better.HIGHER: values[0], Better.LOWER: values[-1]}.get(spec.better)
        if end is None or not stands_apart(values, end):
            return None
    count = int((values == end).sum())
    if not are_many(count, len(values)):
        return None
    return caution("HW103", count=count, total=len(values), value=float(end))


def are_many(count: int, total: int) -> bool:
    """Whether so many identical values are a pile."""
    return count >= max(FEWEST_PENALTIES, PENALTY_SHARE * total)


def stands_apart(values: Array, end: float) -> bool:
    """Whether a value lies much farther from all others than they reach from their median.

    A constant put in for failures does; the longest of many voxel distances, often tied, does not.
    Others that reach nowhere are steps of a grid, and the next step is at most twice as far.
    """
    rest = values[values != end]
    nearest = rest[abs(rest - end).argmin()]
    reach = FAR * abs(nearest - quantile(rest, q=0.5)) or abs(nearest)
    return bool(abs(end - nearest) > reach)
