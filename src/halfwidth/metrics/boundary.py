"""Boundary metrics of a predicted and a reference mask, per case.

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

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import Parameter, bind
from halfwidth.core.spec import Better, Kind, Takes, metric
from halfwidth.core.types import UNIT_INTERVAL, Bounds
from halfwidth.core.undefined import Status, distance_without
from halfwidth.metrics.boundaries import ROUNDING, chessboard_band, inner_band, within
from halfwidth.metrics.masks import Mask, MaskPair, Surface, paired
from halfwidth.metrics.overlap import share

__all__ = ["assd", "boundary_iou", "hd", "hd95", "masd", "nsd"]

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
TOLERANCE = Parameter(
    "tolerance",
    None,
    "distance within which a boundary counts as found",
    at_least=0,
    unit="mm",
)
BAND = Parameter(
    "distance",
    None,
    "width of the band inside of each boundary",
    above=0,
    unit="mm",
    optional=True,
)


def _definition(*words: tuple[str, float]) -> Parameter:
    return Parameter(
        "definition",
        # Of values that arrive ready-made, nobody knows.
        None,
        "of boundaries and how they are joined",
        words=words,
        choices=tuple(number for _, number in words),
        optional=True,
    )


OF_HAUSDORFF = _definition(("max", VOXELS), ("pooled", POOLED), ("surface", SURFACE))
OF_SURFACES = _definition(("voxels", VOXELS), ("surface", SURFACE))
OF_BANDS = _definition(("band", VOXELS), ("cheng", CHENG))

_distance = functools.partial(
    metric,
    bounds=DISTANCE,
    better=Better.LOWER,
    unit="mm",
    family="boundary",
    takes=Takes.MASKS,
    spaced=True,
)


@_distance(
    title="HD",
    kind=Kind.DISCRETE,
    parameters=(PERCENTILE, OF_HAUSDORFF),
    synonyms=("hausdorff", "hausdorff_distance"),
    cite="huttenlocher1993",
)
def hd(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    percentile: float = 100.0,
    definition: Literal["max", "pooled", "surface"] | float = "max",
    spacing: float | Sequence[float] | None = None,
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
    given = {"percentile": percentile, "definition": definition}
    bound = bind("hd", (PERCENTILE, OF_HAUSDORFF), given, complete=True)
    pair = _spaced(prediction, reference, spacing)
    return _hausdorff(pair, bound["percentile"], bound["definition"])


@_distance(
    title="HD95",
    kind=Kind.DISCRETE,
    parameters=(OF_HAUSDORFF,),
    synonyms=("hausdorff95",),
    cite="huttenlocher1993",
)
def hd95(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    definition: Literal["max", "pooled", "surface"] | float = "max",
    spacing: float | Sequence[float] | None = None,
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
    return _hausdorff(_spaced(prediction, reference, spacing), 95.0, bound["definition"])


def _spaced(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None,
    spacing: float | Sequence[float] | None,
) -> MaskPair:
    """A pair with a spacing, which is asked for even where a mask is empty and none is used."""
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


@_distance(title="ASSD", parameters=(OF_SURFACES,), reliable_n=75, cite="maier_hein2024")
def assd(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    definition: Literal["voxels", "surface"] | float = "voxels",
    spacing: float | Sequence[float] | None = None,
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
    pair = _spaced(prediction, reference, spacing)
    if pair.presence is not Status.OK:
        return distance_without(pair.presence)
    sides = _sides(pair, bound["definition"])
    return float(
        sum(side.distances @ side.weights for side in sides)
        / sum(side.weights.sum() for side in sides)
    )


@_distance(title="MASD", parameters=(OF_SURFACES,), reliable_n=75, cite="maier_hein2024")
def masd(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    definition: Literal["voxels", "surface"] | float = "voxels",
    spacing: float | Sequence[float] | None = None,
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
    pair = _spaced(prediction, reference, spacing)
    if pair.presence is not Status.OK:
        return distance_without(pair.presence)
    sides = _sides(pair, bound["definition"])
    return float(sum(side.distances @ side.weights / side.weights.sum() for side in sides) / 2)


@metric(
    title="NSD",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="boundary",
    takes=Takes.MASKS,
    spaced=True,
    parameters=(TOLERANCE, OF_SURFACES),
    synonyms=("surface_dice", "normalized_surface_distance"),
    cite="nikolov2021",
)
def nsd(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    tolerance: float,
    definition: Literal["voxels", "surface"] | float = "voxels",
    spacing: float | Sequence[float] | None = None,
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
    given = {"tolerance": tolerance, "definition": definition}
    bound = bind("nsd", (TOLERANCE, OF_SURFACES), given, complete=True)
    pair = _spaced(prediction, reference, spacing)
    if pair.presence is not Status.OK:
        return math.nan if pair.presence is Status.NOT_APPLICABLE else 0.0
    sides = _sides(pair, bound["definition"])
    found = sum(side.weights[within(side.distances, bound["tolerance"])].sum() for side in sides)
    return float(found / sum(side.weights.sum() for side in sides))


def _sides(pair: MaskPair, definition: float) -> tuple[Surface, Surface]:
    """Both boundaries with what each piece of them weighs."""
    if definition == SURFACE:
        return pair.surfaces
    first, second = (Surface(each, np.ones(len(each))) for each in pair.distances)
    return first, second


@metric(
    title="boundary IoU",
    bounds=UNIT_INTERVAL,
    better=Better.HIGHER,
    family="boundary",
    takes=Takes.MASKS,
    spaced=True,
    parameters=(BAND, OF_BANDS),
    synonyms=("biou",),
    cite="cheng2021",
)
def boundary_iou(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    distance: float | None = None,
    definition: Literal["band", "cheng"] | float = "band",
    spacing: float | Sequence[float] | None = None,
) -> float:
    """IoU of the bands along the two boundaries.

    ``|A_d ∩ B_d| / |A_d ∪ B_d|``, where ``A_d`` holds the voxels of A within d of its boundary
    voxels. A band as wide as the structure gives the `iou`.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    distance : float
        d in mm; there is no default.
    definition : {"band", "cheng"}
        ``"cheng"``: what erosions by blocks of 3×3(×3) voxels take away, as many of them as make
        2 % of the image's diagonal in voxels, at least one; it takes no distance, and needs no
        spacing.
    spacing : float or sequence of float
        Millimetres per voxel, in the order of the axes; ``1`` measures in voxels.

    Returns
    -------
    float
        From 0 (the bands do not meet, or one mask is empty) to 1; NaN if both masks are empty.

    Raises
    ------
    OptionError
        Without a spacing or a distance.

    References
    ----------
    Cheng et al. (2021).

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.zeros((2, 9, 9), dtype=bool)
    >>> a[1:8, 1:8] = b[1:8, 2:8] = True
    >>> boundary_iou(a, b, distance=0.5, spacing=1)
    0.5862068965517241
    """
    given = {"definition": definition, **({} if distance is None else {"distance": distance})}
    bound = bind("boundary_iou", (BAND, OF_BANDS), given, complete=True)
    cheng = bound["definition"] == CHENG
    _check_band(bound.get("distance"), cheng=cheng)
    made = paired if cheng else _spaced
    pair = made(prediction, reference, spacing)
    if pair.presence is not Status.OK:
        return math.nan if pair.presence is Status.NOT_APPLICABLE else 0.0
    bands = _cheng_bands(pair) if cheng else _bands(pair, bound["distance"])
    first, second = bands
    common = int(np.count_nonzero(first & second))
    return share(common, int(np.count_nonzero(first | second)))


def _check_band(distance: float | None, *, cheng: bool) -> None:
    if distance is None and not cheng:
        bind("boundary_iou", (dataclasses.replace(BAND, optional=False),), {}, complete=True)
    if distance is not None and cheng:
        raise OptionError(
            f"boundary_iou: distance={distance:g} has no effect on definition 'cheng', whose band "
            "is 2 % of the image's diagonal"
        )


def _bands(pair: MaskPair, distance: float) -> tuple[Mask, Mask]:
    steps = pair.require_spacing()
    sides = zip(pair.prediction.shape, steps, strict=True)
    # Every line through a voxel meets boundary voxels on both sides of it.
    if distance >= min((length - 1) / 2 * step for length, step in sides):
        return pair.prediction, pair.reference
    predicted, true = pair.boundaries
    return (
        inner_band(pair.prediction, predicted, distance, steps),
        inner_band(pair.reference, true, distance, steps),
    )


def _cheng_bands(pair: MaskPair) -> tuple[Mask, Mask]:
    layers = max(1, round(0.02 * math.hypot(*pair.shape)))
    return chessboard_band(pair.prediction, layers), chessboard_band(pair.reference, layers)
