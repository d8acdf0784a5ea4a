"""How far the boundaries of a predicted and a reference mask agree, per case, within a tolerance.

Boundaries, distances and definitions are those of `halfwidth.metrics.boundary`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Literal

from numpy.typing import ArrayLike

from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import UNIT, Parameter, bind
from halfwidth.core.spec import Better, Takes, metric
from halfwidth.core.types import UNIT_INTERVAL
from halfwidth.core.undefined import Status
from halfwidth.metrics.boundary import (
    CHENG,
    OF_SURFACES,
    VOXELS,
    sides_of,
    spaced_pair,
)
from halfwidth.metrics.boundary_geometry import cheng_layers, chessboard_band, inner_band, within
from halfwidth.metrics.masks import MaskPair, definition_of, paired
from halfwidth.metrics.overlap import share

__all__ = ["boundary_iou", "nsd"]

TOLERANCE = Parameter(
    "tolerance",
    None,
    "distance within which a boundary counts as found",
    at_least=0,
    unit="mm",
    tolerated=True,
)
BAND = Parameter(
    "distance",
    None,
    "width of the band inside each boundary; must be given, unless definition=cheng, which counts "
    "it in voxels",
    above=0,
    unit="mm",
    optional=True,
    tolerated=True,
)

OF_BANDS = definition_of(("band", VOXELS), ("cheng", CHENG), in_voxels=("cheng",))

_agreement = functools.partial(
    metric,
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="boundary",
    takes=Takes.MASKS,
    spaced=True,
)


@_agreement(
    title="NSD",
    parameters=(TOLERANCE, OF_SURFACES, UNIT),
    synonyms=(
        *("surface_dice", "surface_dsc"),
        *("normalized_surface_dice", "normalised_surface_dice"),
        *("normalized_surface_distance", "normalised_surface_distance"),
    ),
    cite="nikolov2021",
    pitfalls=(
        "means nothing without its tolerance, which should be what careful readers differ by",
        "all errors beyond the tolerance count alike, however large they are",
    ),
)
def nsd(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    tolerance: float,
    definition: Literal["voxels", "surface"] | float = "voxels",
    spacing: ArrayLike | None = None,
) -> float:
    """Normalised surface distance, the share of both boundaries within the tolerance.

    ``(#{a: d(a, ∂B) ≤ τ} + #{b: d(b, ∂A) ≤ τ}) / (|∂A| + |∂B|)``; a distance that misses τ by
    rounding alone counts as within.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    tolerance : float
        τ in mm, what two careful readers differ by; there is no default.
    definition : {"voxels", "surface"}
        Over boundary voxels, or over surface elements weighted by their area.
    spacing : float or sequence of float
        Millimetres per voxel, in the order of the axes; ``1`` measures in voxels.

    Returns
    -------
    float
        From 0 (no boundary is within τ, or one mask is empty) to 1; NaN if both masks are empty.

    Raises
    ------
    OptionError
        Without a spacing.

    References
    ----------
    Nikolov et al. (2021).

    Examples
    --------
    >>> a, b = [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0]], [[1, 1, 0, 0, 1], [1, 1, 0, 0, 0]]
    >>> nsd(a, b, tolerance=1, spacing=1)
    0.8888888888888888
    """
    options = {"tolerance": tolerance, "definition": definition}
    bound = bind("nsd", (TOLERANCE, OF_SURFACES), options, complete=True)
    pair = spaced_pair(prediction, reference, spacing)
    if pair.presence is not Status.OK:
        return math.nan if pair.presence is Status.NOT_APPLICABLE else 0.0
    sides = sides_of(pair, bound["definition"])
    within_tolerance = sum(
        side.weights[within(side.distances, bound["tolerance"])].sum() for side in sides
    )
    return float(within_tolerance / sum(side.weights.sum() for side in sides))


@_agreement(
    title="boundary IoU",
    parameters=(BAND, OF_BANDS, UNIT),
    synonyms=("biou", "boundary_intersection_over_union"),
    cite="cheng2021",
    pitfalls=(
        "means nothing without its distance",
        "equals the mask IoU for an object no wider than two bands",
    ),
)
def boundary_iou(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    distance: float | None = None,
    definition: Literal["band", "cheng"] | float = "band",
    spacing: ArrayLike | None = None,
) -> float:
    """IoU of the bands along the two boundaries.

    ``|A_d ∩ B_d| / |A_d ∪ B_d|``, where ``A_d`` is what erosion by a ball of radius d takes away
    from A: the voxels whose centre is at most d from that of a voxel outside, and the boundary
    voxels in any case. At a spacing of 1 and d = 1 it is one voxel wide. A band as wide as the
    structure gives the `iou`.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    distance : float
        d in mm; there is no default. Of Cheng's definition the number of erosions, d in voxels.
    definition : {"band", "cheng"}
        ``"cheng"``: what erosions by blocks of 3×3(×3) voxels take away; without a distance as many
        of them as make 2 % of the image's diagonal in voxels, at least one. It needs no spacing.
    spacing : float or sequence of float
        Millimetres per voxel, in the order of the axes; ``1`` measures in voxels.

    Returns
    -------
    float
        From 0 (the bands do not meet, or one mask is empty) to 1; NaN if both masks are empty.

    Raises
    ------
    OptionError
        Without a spacing or a distance, or if Cheng's is no whole number.

    References
    ----------
    Cheng et al. (2021).

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.zeros((2, 9, 9), dtype=bool)
    >>> a[1:8, 1:8] = b[1:8, 2:8] = True
    >>> boundary_iou(a, b, distance=1, spacing=1)
    0.5862068965517241
    """
    options = {"definition": definition, **({} if distance is None else {"distance": distance})}
    bound = bind("boundary_iou", (BAND, OF_BANDS), options, complete=True)
    cheng, width = bound["definition"] == CHENG, bound.get("distance")
    if width is None and not cheng:
        bind("boundary_iou", (dataclasses.replace(BAND, optional=False),), {}, complete=True)
    if cheng and width is not None and not width.is_integer():
        raise OptionError(
            f"boundary_iou: distance={width:g} is no whole number; definition=cheng counts "
            "erosions by one voxel each"
        )
    pair_masks = paired if cheng else spaced_pair
    pair = pair_masks(prediction, reference, spacing)
    layers = cheng_layers(pair.shape, width) if cheng else 0
    if pair.presence is not Status.OK:
        return math.nan if pair.presence is Status.NOT_APPLICABLE else 0.0
    if layers:
        first, second = (chessboard_band(one, layers) for one in (pair.prediction, pair.reference))
    else:
        first, second = (
            inner_band(mask, edge, bound["distance"], pair.require_spacing())
            for mask, edge in zip((pair.prediction, pair.reference), pair.boundaries, strict=True)
        )
    return share((first & second).count, (first | second).count)


# The catalogue lists these, in this order.
DECLARED = (nsd, boundary_iou)
