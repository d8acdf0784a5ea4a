"""Errors of the volume of a predicted mask, per case; in pictures, of its area.

All take ``(prediction, reference)``, or one `MaskPair`. They do not see where the voxels lie: two
masks without any overlap can have equal volumes.
"""

from __future__ import annotations

import functools
import math

from numpy.typing import ArrayLike

from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import UNIT
from halfwidth.core.spec import Better, Takes, metric
from halfwidth.core.types import Bounds
from halfwidth.core.undefined import Status
from halfwidth.metrics.masks import MaskPair, paired
from halfwidth.metrics.overlap import share

__all__ = ["absolute_volume_error", "relative_volume_error", "symmetric_volume_error"]

_volume = functools.partial(metric, family="volume", takes=Takes.MASKS, cite="maier_hein2024")


# Pitfalls that several share.
VOLUMES_ONLY = "sees volumes only: masks that do not even touch can score 0"
ERRORS_CANCEL = "too large and too small cancel in a mean"


@_volume(
    title="absolute volume error",
    bounds=Bounds(0.0, math.inf),
    better=Better.LOWER,
    unit="mm³",
    parameters=(UNIT,),
    synonyms=("absolute_volume_difference",),
    spaced=True,
    of_nothing=True,
    pitfalls=(
        VOLUMES_ONLY,
        "grows with the structure",
    ),
)
def absolute_volume_error(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    spacing: ArrayLike | None = None,
) -> float:
    """Absolute volume error, |V - V_ref|, predicted against reference volume.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    spacing : float or sequence of float
        Millimetres per voxel, in the order of the axes; ``1`` counts voxels.

    Returns
    -------
    float
        In mm³ (of pictures, mm²), at least 0, which it is too if both masks are empty.

    Raises
    ------
    OptionError
        Without a spacing.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> absolute_volume_error([[1, 1, 0], [0, 0, 0]], [[1, 1, 1], [1, 0, 0]], spacing=0.5)
    0.5
    """
    pair = paired(prediction, reference, spacing)
    if pair.voxel_size is None:
        raise OptionError(
            "an absolute volume needs the spacing of the voxels in mm: "
            f"{spelled('spacing', (2.5, 0.98, 0.98))}; {spelled('spacing', 1)} counts voxels"
        )
    return abs(_surplus(pair)) * pair.voxel_size


@_volume(
    title="relative volume error",
    bounds=Bounds(-1.0, math.inf),
    better=Better.ZERO,
    synonyms=("relative_volume_difference", "rvd"),
    pitfalls=(
        VOLUMES_ONLY,
        ERRORS_CANCEL,
        "has no upper limit, so small references dominate a mean",
    ),
)
def relative_volume_error(
    prediction: ArrayLike | MaskPair, reference: ArrayLike | None = None
) -> float:
    """Relative volume error, (V - V_ref) / V_ref; -1 where nothing is predicted.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.

    Returns
    -------
    float
        At least -1; infinite where the reference alone is empty, NaN if both masks are.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> relative_volume_error([[1, 1, 0], [0, 0, 0]], [[1, 1, 1], [1, 0, 0]])
    -0.5
    """
    pair = paired(prediction, reference)
    if pair.presence is Status.SPURIOUS:
        return math.inf
    tp, fn, _, _ = pair.counts
    return share(_surplus(pair), tp + fn)


@_volume(
    title="symmetric relative volume error",
    bounds=Bounds(-2.0, 2.0),
    better=Better.ZERO,
    synonyms=("symmetric_relative_volume_difference", "symmetric_relative_volume_error"),
    pitfalls=(
        VOLUMES_ONLY,
        ERRORS_CANCEL,
    ),
)
def symmetric_volume_error(
    prediction: ArrayLike | MaskPair, reference: ArrayLike | None = None
) -> float:
    """Symmetric relative volume error, 2(V - V_ref) / (V + V_ref).

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.

    Returns
    -------
    float
        From -2 (nothing is predicted) to 2 (the reference is empty); NaN if both masks are empty.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> symmetric_volume_error([[1, 1, 0], [0, 0, 0]], [[1, 1, 1], [1, 0, 0]])
    -0.6666666666666666
    """
    pair = paired(prediction, reference)
    tp, fn, fp, _ = pair.counts
    return share(2 * _surplus(pair), 2 * tp + fn + fp)


def _surplus(pair: MaskPair) -> int:
    """Voxels predicted beyond those of the reference."""
    return pair.counts.fp - pair.counts.fn


# The catalogue lists these, in this order.
DECLARED = (absolute_volume_error, relative_volume_error, symmetric_volume_error)
