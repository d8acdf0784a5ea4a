"""Panoptic quality and its two factors: how well objects are found, and how well they are drawn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halfwidth.arithmetic.confusion_tables import ratio
from halfwidth.core.errors import OptionError
from halfwidth.core.option_names import spelled
from halfwidth.core.spec import ClassNeed
from halfwidth.core.types import Array, Numbers, Quotient
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.matching.match_lists import Admits, MatchLists, Outcome
from halfwidth.detection.metrics.all_criteria import LOCALISATIONS
from halfwidth.detection.metrics.object_counts import of_objects
from halfwidth.detection.metrics.tallies import OfSums, at_one_threshold, by_class_and_image, pairs

__all__ = ["pq", "rq", "sq"]

# Above this overlap a match is unique, and no strategy is needed to find it.
HALF = 0.5


# Pitfalls that several share.
JUST_BELOW_HALF = (
    "an object whose masks overlap by just below one half counts as missed and as a false "
    "positive at once"
)


def _form(function: Callable[..., Numbers], quotient: Quotient) -> ImageSums:
    return ImageSums(
        _overlap_and_outcomes,
        OfSums(function),
        quotient,
        assignment="overlap_above_half",
        notes=_notes,
    )


def _overlap_and_outcomes(matches: MatchLists) -> Array:
    """The sum of the overlaps of matched objects, and what `pairs` has: (4, C, n)."""
    counts = pairs(matches)
    spec = LOCALISATIONS[matches.matching.localisation]
    if not spec.of_overlap or spec.binary:
        raise OptionError(
            f"panoptic quality adds up the IoU of matched objects, and {spec.name} is not an "
            f"IoU; give {spelled('localisation', 'mask_iou')}"
        )
    matched = matches.outcome[0] == Outcome.TRUE_POSITIVE
    overlap = by_class_and_image(matches, np.where(matched, matches.similarity[0], 0.0))
    return np.concatenate([overlap[None], counts])


def _notes(matches: MatchLists) -> tuple[str, ...]:
    """What is not as the definition has it."""
    at_one_threshold(matches, "panoptic quality")
    matching, threshold = matches.matching, matches.matching.thresholds[0]
    unique = threshold > HALF or (threshold == HALF and matching.admits is Admits.ABOVE)
    if unique:
        return ()
    here = f"{matching.admits} {threshold:g}"
    return (f"panoptic quality is defined for overlaps > 0.5, but these matches have {here}",)


def _panoptic_quality() -> ImageSums:
    return _form(pq, ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.5, 0.5)))


@of_objects(
    title="PQ",
    form=_panoptic_quality,
    class_needs=ClassNeed.EITHER,
    prevalence_dependent=True,
    reliable_n=50,
    synonyms=("panoptic_quality",),
    cite="kirillov2019",
    pitfalls=(
        "mixes detection with segmentation quality: read it together with `sq` and `rq`",
        JUST_BELOW_HALF,
    ),
)
def pq(overlap: Numbers, tp: Numbers, fn: Numbers, fp: Numbers) -> Numbers:
    """Panoptic quality, ΣIoU / (TP + FN/2 + FP/2), the product of `sq` and `rq`; in [0, 1].

    A detection and a reference match where their IoU is above 0.5, which no second one can be.

    Parameters
    ----------
    overlap, tp, fn, fp : ndarray, same shape
        Sums over images; of matched pairs the IoU.

    Returns
    -------
    ndarray
        NaN where there is neither an object nor a detection.

    References
    ----------
    Kirillov et al. (2019).

    Examples
    --------
    >>> float(pq(36.0, 45, 5, 15).round(4))
    0.6545
    """
    return ratio(overlap, tp + (fn + fp) / 2)


def _segmentation_quality() -> ImageSums:
    return _form(sq, ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)))


@of_objects(
    title="SQ",
    form=_segmentation_quality,
    class_needs=ClassNeed.MATCHES,
    synonyms=("segmentation_quality",),
    cite="kirillov2019",
    pitfalls=(
        ("covers matched objects only: a detector that finds only the easy ones scores better"),
    ),
)
def sq(
    overlap: Numbers,
    tp: Numbers,
    fn: Numbers,  # noqa: ARG001 -- as of PQ
    fp: Numbers,  # noqa: ARG001
) -> Numbers:
    """Segmentation quality, ΣIoU / TP, the mean IoU of matched objects; in (0.5, 1].

    Parameters
    ----------
    overlap, tp, fn, fp : ndarray, same shape
        As of `pq`.

    Returns
    -------
    ndarray
        NaN where nothing is matched.

    References
    ----------
    Kirillov et al. (2019).

    Examples
    --------
    >>> float(sq(36.0, 45, 5, 15))
    0.8
    """
    return ratio(overlap, tp)


def _recognition_quality() -> ImageSums:
    return _form(rq, ((0.0, 1.0, 0.0, 0.0), (0.0, 1.0, 0.5, 0.5)))


@of_objects(
    title="RQ",
    form=_recognition_quality,
    class_needs=ClassNeed.EITHER,
    prevalence_dependent=True,
    reliable_n=50,
    synonyms=("recognition_quality",),
    cite="kirillov2019",
    pitfalls=(JUST_BELOW_HALF,),
)
def rq(
    overlap: Numbers,  # noqa: ARG001 -- as of PQ
    tp: Numbers,
    fn: Numbers,
    fp: Numbers,
) -> Numbers:
    """Recognition quality, TP / (TP + FN/2 + FP/2), the F1 score of objects; in [0, 1].

    Parameters
    ----------
    overlap, tp, fn, fp : ndarray, same shape
        As of `pq`.

    Returns
    -------
    ndarray
        NaN where there is neither an object nor a detection.

    References
    ----------
    Kirillov et al. (2019).

    Examples
    --------
    >>> float(rq(36.0, 45, 5, 15).round(4))
    0.8182
    """
    return ratio(tp, tp + (fn + fp) / 2)


# The catalogue lists these, in this order.
DECLARED = (pq, sq, rq)
