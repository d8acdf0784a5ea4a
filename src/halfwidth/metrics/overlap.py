"""Overlap metrics of a predicted and a reference mask, per case: functions of voxel counts.

All take ``(prediction, reference)``, or one `MaskPair`. Both masks empty give 0/0, NaN: there is
nothing to compare, and the metric does not apply. Specificity alone has a value there, 1.
"""

from __future__ import annotations

import functools
import math
from typing import Literal

from numpy.typing import ArrayLike

from halfwidth.core.parameters import Parameter, bind
from halfwidth.core.spec import Better, Takes, metric
from halfwidth.core.types import UNIT_INTERVAL
from halfwidth.core.undefined import Status
from halfwidth.metrics.masks import MaskPair, definition_of, paired

__all__ = ["cldice", "dsc", "f_beta", "iou", "ppv", "sensitivity", "specificity"]

ALL, STORED = 0.0, 1.0
OF_SKELETONS = definition_of(
    ("all", ALL),
    ("stored", STORED),
    summary="of the orientations whose skeletons count",
    named=True,
)
BETA = Parameter("beta", 1.0, "weight of sensitivity against PPV", above=0, at_most=1000)

_overlap = functools.partial(
    metric, bounds=UNIT_INTERVAL, better=Better.HIGHER, family="overlap", takes=Takes.MASKS
)


# Pitfalls that several share.
LESS_IF_SMALL = (
    "the same error costs small structures more: do not compare structures of different size"
)
NO_SHAPES = "sees neither shapes nor where along the boundary an error lies"
RATHER_TOO_LARGE = (
    "a missed voxel costs more than a false one, so masks that are too large do better"
)
OF_OVERLAP = (
    "counts what careful readers differ by as error, most of all in small structures",
    "in 3-D an error as wide as in 2-D covers a greater share of the structure",
)
# Of which objects taken one by one are free.
OF_WHOLE_MASKS = (
    "0/0 where both masks are empty: not applicable, left out of means and counted",
    "objects that touch are one: use metrics of instances where they should be told apart",
)


@_overlap(
    title="DSC",
    synonyms=(
        *("dice", "dice_similarity_coefficient", "dice_coefficient", "dice_score"),
        *("sorensen_dice", "sørensen_dice", "sorensen_dice_coefficient"),
        *("sørensen_dice_coefficient", "balanced_f_score"),
    ),
    cite="dice1945",
    pitfalls=(LESS_IF_SMALL, NO_SHAPES, RATHER_TOO_LARGE, *OF_OVERLAP, *OF_WHOLE_MASKS),
)
def dsc(prediction: ArrayLike | MaskPair, reference: ArrayLike | None = None) -> float:
    """Dice similarity coefficient, 2|A∩B| / (|A| + |B|).

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.

    Returns
    -------
    float
        From 0 (no overlap, or one mask is empty) to 1 (equal masks); NaN if both are empty. On the
        same masks 2·IoU / (1 + IoU), and the F1 score of voxels.

    References
    ----------
    Dice (1945).

    Examples
    --------
    >>> dsc([[1, 1, 0], [0, 0, 0]], [[1, 1, 1], [1, 0, 0]])
    0.6666666666666666
    """
    tp, fn, fp, _ = paired(prediction, reference).counts
    return share(2 * tp, 2 * tp + fn + fp)


@_overlap(
    title="IoU",
    synonyms=(
        *("jaccard", "jaccard_index", "intersection_over_union"),
        *("tanimoto", "tanimoto_coefficient"),
    ),
    cite="jaccard1912",
    pitfalls=(
        LESS_IF_SMALL,
        NO_SHAPES,
        RATHER_TOO_LARGE,
        "ranks single cases as DSC does, but not their means",
        *OF_OVERLAP,
        *OF_WHOLE_MASKS,
    ),
)
def iou(prediction: ArrayLike | MaskPair, reference: ArrayLike | None = None) -> float:
    """Intersection over union, |A∩B| / |A∪B|.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.

    Returns
    -------
    float
        From 0 (no overlap, or one mask is empty) to 1 (equal masks); NaN if both are empty.

    References
    ----------
    Jaccard (1912).

    Examples
    --------
    >>> iou([[1, 1, 0], [0, 0, 0]], [[1, 1, 1], [1, 0, 0]])
    0.5
    """
    tp, fn, fp, _ = paired(prediction, reference).counts
    return share(tp, tp + fn + fp)


@_overlap(
    title="Fβ",
    parameters=(BETA,),
    synonyms=("fbeta", "f_score", "f_beta_score"),
    cite="van_rijsbergen1979",
    pitfalls=(
        LESS_IF_SMALL,
        NO_SHAPES,
        "β trades missed against false voxels: choose it beforehand",
        *OF_OVERLAP,
        *OF_WHOLE_MASKS,
    ),
)
def f_beta(
    prediction: ArrayLike | MaskPair, reference: ArrayLike | None = None, *, beta: float = 1.0
) -> float:
    """F score of voxels, (1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP).

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    beta : float
        Weight of sensitivity against PPV; 1 gives the DSC.

    Returns
    -------
    float
        From 0 (no overlap, or one mask is empty) to 1; NaN if both masks are empty.

    References
    ----------
    van Rijsbergen (1979).

    Examples
    --------
    >>> f_beta([[1, 1, 0], [0, 0, 0]], [[1, 1, 1], [1, 0, 0]], beta=2)
    0.5555555555555556
    """
    weight = bind("f_beta", (BETA,), {"beta": beta}, complete=True)["beta"] ** 2
    tp, fn, fp, _ = paired(prediction, reference).counts
    return share((1 + weight) * tp, (1 + weight) * tp + weight * fn + fp)


@_overlap(
    title="sensitivity",
    synonyms=("recall", "tpr", "true_positive_rate", "hit_rate"),
    cite="maier_hein2024",
    pitfalls=(
        "a mask of the whole image scores 1: read it together with PPV",
        LESS_IF_SMALL,
    ),
)
def sensitivity(prediction: ArrayLike | MaskPair, reference: ArrayLike | None = None) -> float:
    """Share of the reference that is found, TP / (TP + FN), over the voxels of a case.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.

    Returns
    -------
    float
        From 0 to 1; NaN where the reference is empty, so that there is nothing to find.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> sensitivity([[1, 1, 0], [0, 0, 0]], [[1, 1, 1], [1, 0, 0]])
    0.5
    """
    tp, fn, _, _ = paired(prediction, reference).counts
    return share(tp, tp + fn)


@_overlap(
    title="specificity",
    synonyms=("tnr", "true_negative_rate", "selectivity"),
    of_background=True,
    of_nothing=True,
    cite="maier_hein2024",
    pitfalls=(
        (
            "near 1 for nearly any mask of a small structure: the background decides, and how much "
            "of it the image shows"
        ),
    ),
)
def specificity(prediction: ArrayLike | MaskPair, reference: ArrayLike | None = None) -> float:
    """Share of the background left unmarked, TN / (TN + FP), over the voxels of a case.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.

    Returns
    -------
    float
        From 0 to 1, which it is where both masks are empty; NaN where the reference leaves no
        background. It depends on how much background the image holds, and so hardly tells models
        apart.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> specificity([[1, 1, 0], [0, 0, 1]], [[1, 1, 1], [1, 0, 0]])
    0.5
    """
    _, _, fp, tn = paired(prediction, reference).counts
    return share(tn, tn + fp)


@_overlap(
    title="PPV",
    synonyms=("precision", "positive_predictive_value"),
    cite="maier_hein2024",
    pitfalls=(
        "a single correct voxel scores 1: read it together with sensitivity",
        LESS_IF_SMALL,
    ),
)
def ppv(prediction: ArrayLike | MaskPair, reference: ArrayLike | None = None) -> float:
    """Share of the prediction that is right, TP / (TP + FP), over the voxels of a case.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.

    Returns
    -------
    float
        From 0 to 1; NaN where the prediction is empty, so that there is nothing to be right.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> ppv([[1, 1, 0], [0, 0, 0]], [[1, 1, 1], [1, 0, 0]])
    1.0
    """
    tp, _, fp, _ = paired(prediction, reference).counts
    return share(tp, tp + fp)


@_overlap(
    title="clDice",
    parameters=(OF_SKELETONS,),
    synonyms=(
        *("centreline_dice", "centerline_dice"),
        *("centreline_dice_similarity_coefficient", "centerline_dice_similarity_coefficient"),
    ),
    slow=True,
    cite="shit2021",
    pitfalls=(
        "ignores how thick a structure is",
        "rests on skeletons, which differ between programs and are empty for some small masks",
    ),
)
def cldice(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None = None,
    *,
    definition: Literal["all", "stored"] | float = "all",
) -> float:
    """Centreline Dice, harmonic mean of topology precision and sensitivity on skeletons.

    ``2·P·S / (P + S)`` with ``P = |skeleton(A) ∩ B| / |skeleton(A)|`` and
    ``S = |skeleton(B) ∩ A| / |skeleton(B)|``. Skeletons by scikit-image: Zhang and Suen (1984) in
    pictures, Lee et al. (1994) in volumes. These depend on the order and direction of the axes, so
    that voxels are summed over the skeletons of all 8 or 48 orientations.

    Parameters
    ----------
    prediction, reference : array-like, 2-D or 3-D
        Masks of the same shape; or one `MaskPair` in place of both.
    definition : {"all", "stored"}
        ``"stored"``: the one skeleton of the axes as they are stored, as in the authors' code; the
        same structure stored in another orientation has another value.

    Returns
    -------
    float
        From 0 (neither skeleton touches the other mask, or one mask is empty) to 1; NaN if both
        masks are empty, or if a mask that is not has an empty skeleton, which happens to small
        cubes, and as stored to many a small structure.

    Raises
    ------
    OptionError
        Without scikit-image, ``pip install 'halfwidth[images]'``.

    References
    ----------
    Shit et al. (2021).

    Examples
    --------
    >>> import numpy as np
    >>> vessel = np.zeros((9, 30), dtype=bool)
    >>> vessel[3:6, 2:28] = True
    >>> round(cldice(vessel, np.roll(vessel, 1, axis=0)), 3)
    0.99
    """
    from halfwidth.metrics.centreline import centreline_within  # of this metric alone

    bound = bind("cldice", (OF_SKELETONS,), {"definition": definition}, complete=True)
    as_stored = bound["definition"] == STORED
    pair = paired(prediction, reference)
    if pair.presence is not Status.OK:
        return math.nan if pair.presence is Status.NOT_APPLICABLE else 0.0
    precision = share(*centreline_within(pair.prediction, pair.reference, as_stored=as_stored))
    recall = share(*centreline_within(pair.reference, pair.prediction, as_stored=as_stored))
    # NaN where a skeleton is empty, and 0 where nothing is found.
    return 0.0 if precision == recall == 0 else 2 * precision * recall / (precision + recall)


def share(part: float, whole: float) -> float:
    """Part / whole; NaN for a part of nothing.

    >>> share(1, 4), share(0, 0)
    (0.25, nan)
    """
    return part / whole if whole else math.nan


# The catalogue lists these, in this order.
DECLARED = (dsc, iou, cldice, f_beta, sensitivity, specificity, ppv)
