"""Overlap of masks with the voxels of a class counted over all images together."""

from __future__ import annotations

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.core.spec import ClassNeed
from halfwidth.core.types import Array, Numbers, Quotient
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.matching.match_lists import MatchLists, Measured
from halfwidth.detection.metrics.object_counts import of_objects
from halfwidth.detection.metrics.tallies import OfSums

__all__ = ["pooled_dsc", "pooled_iou"]

VOXELS = Measured("voxels")


# Pitfalls that several share.
OF_ALL_IMAGES = "one value for all images: large objects dominate, and single images are not seen"


def _voxels(matches: MatchLists) -> Array:
    """TP, FN and FP, (3, C, n)."""
    return matches.measured[VOXELS]


def _as_iou() -> ImageSums:
    weights: Quotient = (1.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    return ImageSums(_voxels, OfSums(pooled_iou), weights, (VOXELS,), matches=False)


@of_objects(
    title="pooled IoU",
    form=_as_iou,
    class_needs=ClassNeed.EITHER,
    prevalence_dependent=True,
    reliable_n=50,
    synonyms=("pooled_jaccard", "global_iou", "dataset_iou", "miou"),
    cite="jaccard1912",
    pitfalls=(OF_ALL_IMAGES,),
)
def pooled_iou(tp: Numbers, fn: Numbers, fp: Numbers) -> Numbers:
    """IoU of a class over all images together, ΣTP / (ΣTP + ΣFN + ΣFP) of voxels; in [0, 1].

    Objects are not matched: their masks are joined, and an image with large objects weighs more
    than one with small ones. The mean over classes is what others call mIoU.

    Parameters
    ----------
    tp, fn, fp : ndarray, same shape
        Sums over images of voxels; those in crowds and ignored objects are none.

    Returns
    -------
    ndarray
        NaN where no mask holds a voxel.

    References
    ----------
    Jaccard (1912).

    Examples
    --------
    >>> float(pooled_iou(800, 100, 100))
    0.8
    """
    return ratio(tp, tp + fn + fp)


def _as_dsc() -> ImageSums:
    weights: Quotient = (2.0, 0.0, 0.0), (2.0, 1.0, 1.0)
    return ImageSums(_voxels, OfSums(pooled_dsc), weights, (VOXELS,), matches=False)


@of_objects(
    title="pooled DSC",
    form=_as_dsc,
    class_needs=ClassNeed.EITHER,
    prevalence_dependent=True,
    reliable_n=50,
    synonyms=("pooled_dice", "global_dice", "dataset_dice"),
    cite="dice1945",
    pitfalls=(OF_ALL_IMAGES,),
)
def pooled_dsc(tp: Numbers, fn: Numbers, fp: Numbers) -> Numbers:
    """DSC of a class over all images together, 2ΣTP / (2ΣTP + ΣFN + ΣFP) of voxels; in [0, 1].

    Parameters
    ----------
    tp, fn, fp : ndarray, same shape
        As of `pooled_iou`.

    Returns
    -------
    ndarray
        NaN where no mask holds a voxel.

    References
    ----------
    Dice (1945).

    Examples
    --------
    >>> float(pooled_dsc(800, 100, 100).round(3))
    0.889
    """
    return ratio(2 * tp, 2 * tp + fn + fp)


# The catalogue lists these, in this order.
DECLARED = (pooled_iou, pooled_dsc)
