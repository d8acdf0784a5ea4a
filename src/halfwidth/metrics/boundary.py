"""Distances between the boundaries of a predicted and a reference mask, per case.

All take ``(prediction, reference, spacing=)``, or one `MaskPair`, which computes boundaries and
distances once for all of them. Tools disagree on what a boundary is and how two directions are
joined, and their numbers differ; here every definition has a name, and the default is

- the boundary: voxels of the mask with a face neighbour outside of it, and outside of the image is
  outside of the mask; distances are between centres of voxels;
- two directions: each boundary's distances to the other one are summarised apart where the metric
  has two directions (HD, MASD), and pooled where it has none (ASSD, NSD).

``definition="surface"`` weighs pieces of a surface between voxels by their area instead.
"""

from __future__ import annotations

import functools
import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.parameters import UNIT, Parameter, bind
from halfwidth.core.spec import Better, Kind, Takes, metric
from halfwidth.core.types import Bounds
from halfwidth.core.undefined import Status, distance_without
from halfwidth.metrics.boundary_geometry import ROUNDING
from halfwidth.metrics.masks import MaskPair, Surface, definition_of, paired

__all__ = ["assd", "hd", "hd95", "masd"]

DISTANCE = Bounds(0.0, math.inf)
VOXELS, POOLED, SURFACE, CHENG = 0.0, 1.0, 2.0, 3.0

PERCENTILE = Parameter(
    "percentile",
    100.0,
    "percentile of the directed distances",
    above=0,
    at_most=100,
    unit="%",
)


# Pitfalls that several share.
AVERAGED_AWAY = "averages out a gross error on a small part of the boundary"
OF_DISTANCES = (
    "has no worst value: a case without a prediction needs a penalty, which then decides means",
    "counts what careful readers differ by as error",
    "changes with the spacing of the voxels, for the same shapes",
)


OF_HAUSDORFF = definition_of(("max", VOXELS), ("pooled", POOLED), ("surface", SURFACE))
OF_SURFACES = definition_of(("voxels", VOXELS), ("surface", SURFACE))

_distance = functools.partial(
    metric,
    bounds=DISTANCE,
    better=Better.LOWER,
    unit="mm",
    family="boundary",
    takes=Takes.MASKS,
    spaced=True,
    # Published for ASSD; the mean HD95 of real instances needs as many (docs/real-study-tables.md).
    reliable_n=75,
)


@_distance(
    title="HD",
    kind=Kind.DISCRETE,
    parameters=(PERCENTILE, OF_HAUSDORFF, UNIT),
    synonyms=(
        *("hausdorff", "hausdorff_distance", "hausdorff_metric"),
        *("pompeiu_hausdorff_distance", "maximum_symmetric_surface_distance"),
    ),
    cite="huttenlocher1993",
    pitfalls=(
        "a single stray voxel decides it",
        "programs differ in what a boundary is",
        *OF_DISTANCES,
    ),
)
def hd(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    percentile: float = 100.0,
    definition: Literal["max", "pooled", "surface"] | float = "max",
    spacing: ArrayLike | None = None,
) -> float:
    """Hausdorff distance, the larger of the two directed distances between boundaries.

    ``max(Q_p{d(a, ∂B)}, Q_p{d(b, ∂A)})`` over boundary voxels a of A and b of B, where ``Q_p`` is
    the percentile with linear interpolation; 100 is the maximum.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    percentile : float
        Of the directed distances, above 0 and at most 100.
    definition : {"max", "pooled", "surface"}
        The larger of two directed percentiles; one percentile of the distances of both directions;
        or the larger of two directed percentiles of surface elements weighted by their area, the
        smallest distance that covers that share (no interpolation).
    spacing : float or sequence of float
        Millimetres per voxel, in the order of the axes; ``1`` measures in voxels.

    Returns
    -------
    float
        In mm, at least 0; infinite if one mask is empty, NaN if both are.

    Raises
    ------
    OptionError
        Without a spacing.

    References
    ----------
    Huttenlocher et al. (1993); surface elements as Nikolov et al. (2021) have them.

    Examples
    --------
    >>> a = [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0]]
    >>> b = [[1, 1, 0, 0, 1], [1, 1, 0, 0, 0]]
    >>> hd(a, b, spacing=2)
    6.0
    >>> hd(a, b, percentile=50, spacing=2)
    0.0
    """
    options = {"percentile": percentile, "definition": definition}
    bound = bind("hd", (PERCENTILE, OF_HAUSDORFF), options, complete=True)
    pair = spaced_pair(prediction, reference, spacing)
    return _hausdorff(pair, bound["percentile"], bound["definition"])


@_distance(
    title="HD95",
    kind=Kind.DISCRETE,
    parameters=(OF_HAUSDORFF, UNIT),
    synonyms=("hausdorff95", "hausdorff_distance_95th_percentile", "hausdorff_distance_95"),
    cite="huttenlocher1993",
    pitfalls=(
        (
            "ignores the worst 5 % of the distances: a gross error on a small part of the "
            "boundary vanishes"
        ),
        "definitions differ by as much as models do: name the one used",
        *OF_DISTANCES,
    ),
)
def hd95(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    definition: Literal["max", "pooled", "surface"] | float = "max",
    spacing: ArrayLike | None = None,
) -> float:
    """Hausdorff distance at the 95th percentile of the directed distances.

    `hd` with ``percentile=95``.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    definition : {"max", "pooled", "surface"}
        As of `hd`. On the same masks the three differ by as much as models do.
    spacing : float or sequence of float
        Millimetres per voxel, in the order of the axes; ``1`` measures in voxels.

    Returns
    -------
    float
        In mm, at least 0; infinite if one mask is empty, NaN if both are.

    Raises
    ------
    OptionError
        Without a spacing.

    References
    ----------
    Huttenlocher et al. (1993).

    Examples
    --------
    >>> a, b = [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0]], [[1, 1, 0, 0, 1], [1, 1, 0, 0, 0]]
    >>> round(hd95(a, b, spacing=1), 12)
    2.4
    >>> hd95(a, b, spacing=1, definition="surface")
    3.0
    """
    bound = bind("hd95", (OF_HAUSDORFF,), {"definition": definition}, complete=True)
    return _hausdorff(spaced_pair(prediction, reference, spacing), 95.0, bound["definition"])


def spaced_pair(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None,
    spacing: ArrayLike | None,
) -> MaskPair:
    """A pair with a spacing, required even where a mask is empty and none is used."""
    pair = paired(prediction, reference, spacing)
    pair.require_spacing()
    return pair


def _hausdorff(pair: MaskPair, percentile: float, definition: float) -> float:
    if pair.presence is not Status.OK:
        return distance_without(pair.presence)
    if definition == SURFACE:
        return max(_covering(surface, percentile) for surface in pair.surfaces)
    if definition == POOLED:
        return float(np.percentile(np.concatenate(pair.distances), percentile))
    return max(float(np.percentile(directed, percentile)) for directed in pair.distances)


def _covering(surface: Surface, percentile: float) -> float:
    """The smallest distance within which so much of the surface lies."""
    order = np.argsort(surface.distances, kind="stable")
    covered = np.cumsum(surface.weights[order])
    # A share that is missed by rounding alone is reached.
    wanted = covered[-1] * (percentile / 100) * (1 - ROUNDING)
    place = int(np.searchsorted(covered, wanted))
    return float(surface.distances[order[min(place, len(order) - 1)]])


@_distance(
    title="ASSD",
    parameters=(OF_SURFACES, UNIT),
    synonyms=("average_symmetric_surface_distance", "weighted_bilateral_mean_contour_distance"),
    cite="maier_hein2024",
    pitfalls=(AVERAGED_AWAY, "the longer of the two boundaries weighs more", *OF_DISTANCES),
)
def assd(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    definition: Literal["voxels", "surface"] | float = "voxels",
    spacing: ArrayLike | None = None,
) -> float:
    """Average symmetric surface distance, the mean over both boundaries pooled.

    ``(Σ d(a, ∂B) + Σ d(b, ∂A)) / (|∂A| + |∂B|)``.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    definition : {"voxels", "surface"}
        Over boundary voxels, or over surface elements weighted by their area.
    spacing : float or sequence of float
        Millimetres per voxel, in the order of the axes; ``1`` measures in voxels.

    Returns
    -------
    float
        In mm, at least 0; infinite if one mask is empty, NaN if both are. It lies between the two
        directed means, whose mean is the `masd`.

    Raises
    ------
    OptionError
        Without a spacing.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> assd([[1, 1, 0, 0, 0], [1, 1, 0, 0, 0]], [[1, 1, 0, 0, 1], [1, 1, 0, 0, 0]], spacing=1)
    0.3333333333333333
    """
    bound = bind("assd", (OF_SURFACES,), {"definition": definition}, complete=True)
    pair = spaced_pair(prediction, reference, spacing)
    if pair.presence is not Status.OK:
        return distance_without(pair.presence)
    sides = sides_of(pair, bound["definition"])
    return float(
        sum(_weighted_sum(side) for side in sides) / sum(side.weights.sum() for side in sides)
    )


@_distance(
    title="MASD",
    parameters=(OF_SURFACES, UNIT),
    synonyms=("mean_average_surface_distance", "mean_surface_distance"),
    cite="maier_hein2024",
    pitfalls=(AVERAGED_AWAY, *OF_DISTANCES),
)
def masd(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    definition: Literal["voxels", "surface"] | float = "voxels",
    spacing: ArrayLike | None = None,
) -> float:
    """Mean average surface distance, the mean of the two directed means.

    ``(mean d(a, ∂B) + mean d(b, ∂A)) / 2``.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    definition : {"voxels", "surface"}
        Over boundary voxels, or over surface elements weighted by their area.
    spacing : float or sequence of float
        Millimetres per voxel, in the order of the axes; ``1`` measures in voxels.

    Returns
    -------
    float
        In mm, at least 0; infinite if one mask is empty, NaN if both are.

    Raises
    ------
    OptionError
        Without a spacing.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> masd([[1, 1, 0, 0, 0], [1, 1, 0, 0, 0]], [[1, 1, 0, 0, 1], [1, 1, 0, 0, 0]], spacing=1)
    0.3
    """
    bound = bind("masd", (OF_SURFACES,), {"definition": definition}, complete=True)
    pair = spaced_pair(prediction, reference, spacing)
    if pair.presence is not Status.OK:
        return distance_without(pair.presence)
    sides = sides_of(pair, bound["definition"])
    return float(sum(_weighted_sum(side) / side.weights.sum() for side in sides) / 2)


def _weighted_sum(side: Surface) -> float:
    """The distances times their weights; NumPy's own sum, as BLAS rounds it by its threads."""
    return float(np.sum(side.distances * side.weights))


def sides_of(pair: MaskPair, definition: float) -> tuple[Surface, Surface]:
    """Both boundaries with what each piece of them weighs."""
    if definition == SURFACE:
        return pair.surfaces
    first, second = (Surface(each, np.ones(len(each))) for each in pair.distances)
    return first, second


# The catalogue lists these, in this order.
DECLARED = (hd, hd95, assd, masd)
