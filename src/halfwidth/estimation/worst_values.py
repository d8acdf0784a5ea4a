"""Piles of identical values at an end of a sample: failures, or a constant put in for them."""

from __future__ import annotations

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.spec import Better, Kind, MetricSpec
from halfwidth.core.types import Array
from halfwidth.summaries.quantiles import quantile

# From this many identical values on, and this share, they look like a constant put in.
FEWEST_PENALTIES, PENALTY_SHARE = 3, 0.01
# Slices of a scan are up to so many times as thick as its voxels are wide, and up to so many mm.
# Without this rule 3 to 9 % of samples of 8 to 30 HD95 of the hippocampus, in steps of 1 mm, seemed
# to hold a constant; three distances of 150 mm are found in every sample, there and of brain
# tumours.
THICKEST_SLICE = 10.0


def identical_worst(values: Array, spec: MetricSpec) -> Caution | None:
    """What many identical worst values call for, of ascending values that are not all equal."""
    if spec.kind is Kind.BINARY or not len(values):
        return None
    end = spec.worst
    if end is None:
        end = {Better.HIGHER: values[0], Better.LOWER: values[-1]}.get(spec.better)
        if end is None or not stands_apart(values, end) or _is_a_step(values, end, spec):
            return None
    count = int((values == end).sum())
    if not are_many(count, len(values)):
        return None
    return caution("HW103", count=count, total=len(values), value=float(end))


def are_many(count: int, total: int) -> bool:
    """Whether so many identical values are a pile."""
    return count >= max(FEWEST_PENALTIES, PENALTY_SHARE * total)


def stands_apart(values: Array, end: float) -> bool:
    """Whether a value lies farther from all others than they reach from their median.

    A constant put in for failures does; the longest of many voxel distances, often tied, does not.
    """
    rest = values[values != end]
    nearest = rest[abs(rest - end).argmin()]
    return bool(abs(end - nearest) > abs(nearest - quantile(rest, q=0.5)))


def _is_a_step(values: Array, end: float, spec: MetricSpec) -> bool:
    """Whether a distance is beyond the others by no more than a slice of a scan may be thick.

    The shortest distance above 0 tells how wide voxels are, unless all distances are long.
    """
    positive = values[values > 0]
    if spec.kind is not Kind.DISCRETE or not len(positive):
        return False
    beyond = abs(values[values != end] - end).min()
    return bool(beyond <= THICKEST_SLICE * min(positive[0], 1.0))
