"""Metrics of the masks of matched objects: their mean over matched pairs, or over all objects."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import numpy as np

from halfwidth.core.detection_forms import ImageSums
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.match_lists import MatchLists, Measured, Outcome
from halfwidth.core.parameters import UNIT, Parameter
from halfwidth.core.spec import Better, ClassNeed, MetricSpec, spec_of
from halfwidth.core.types import Array, Numbers
from halfwidth.metrics.boundary import OF_HAUSDORFF, OF_SURFACES, assd, hd95, masd
from halfwidth.metrics.boundary_overlap import TOLERANCE, nsd
from halfwidth.metrics.confusion_tables import ratio
from halfwidth.metrics.detection.object_counts import of_objects
from halfwidth.metrics.detection.tallies import OfSums, by_class_and_image, counted, pairs
from halfwidth.metrics.overlap import dsc, iou

__all__ = [
    "instance_assd",
    "instance_dsc",
    "instance_hd95",
    "instance_iou",
    "instance_masd",
    "instance_nsd",
]

MATCHED, ALL = 0.0, 1.0
OVER = Parameter(
    "over",
    MATCHED,
    "what the mean is of: matched pairs, or all objects, those missed and made up at the worst",
    words=(("matched", MATCHED), ("all", ALL)),
    choices=(MATCHED, ALL),
)
PENALTY = Parameter(
    "penalty",
    None,
    "distance that an object counts which is missed or made up, with over=all",
    at_least=0,
    unit="mm",
    optional=True,
)


def measured(of: str, function: Callable[..., float], given: Mapping[str, float]) -> Measured:
    """A metric of masks with those of the parameters that are its own."""
    spec: MetricSpec = spec_of(function)
    names = [parameter.name for parameter in spec.parameters]
    own = tuple((name, given[name]) for name in names if name in given)
    return Measured(of, spec.name, own)  # type: ignore[arg-type]


@frozen
class PairSums:
    """The sum of a metric over matched pairs, and how many count, by class and image.

    Attributes
    ----------
    measured : Measured
        Of pairs.
    instead : float or None
        What an object counts that is missed or made up; None: it is left out.
    """

    measured: Measured
    instead: float | None

    def __call__(self, matches: MatchLists) -> Array:
        """Both, (2, C, n)."""
        tp, fn, fp = pairs(matches)
        matched = matches.outcome[0] == Outcome.TRUE_POSITIVE
        values = np.where(matched, matches.measured[self.measured][0], 0.0)
        _refuse_infinite(self.measured.metric, values, matches)
        total = by_class_and_image(matches, values)
        if self.instead is None:
            return np.stack([total, tp])
        return np.stack([total + (fn + fp) * self.instead, tp + fn + fp])

    def unmatched(self, matches: MatchLists) -> Array:
        """References in no pair, and false positives, (2, C, n)."""
        return pairs(matches)[1:]

    def notes(self, matches: MatchLists) -> tuple[str, ...]:
        """What is left out, or counts as the worst."""
        tp, fn, fp = (int(each.sum()) for each in pairs(matches))
        if not fn and not fp:
            return ()
        rest = f"{counted(fn, 'missed object')} and {counted(fp, 'false positive')}"
        if self.instead is None:
            return (f"of {counted(tp, 'matched pair')}; {rest} are left out",)
        return (f"{rest} count as {self.instead:g}",)


def _refuse_infinite(metric: str, values: Array, matches: MatchLists) -> None:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        place = int(wrong[0])
        raise DataError(
            f"{metric} of detection {matches.detection[place] + 1} in image "
            f"{matches.images[matches.image[place]]!r} is not finite: one of the masks is empty"
        )


def _form(
    mask_metric: Callable[..., float], function: Callable[..., Numbers], **given: float
) -> ImageSums:
    over, penalty = given.pop("over", MATCHED), given.pop("penalty", None)
    distance = spec_of(mask_metric).better is Better.LOWER
    if over == ALL and distance and penalty is None:
        name = function.__name__
        raise OptionError(
            f"{name}: over=all needs the distance that a missed object counts: "
            f"{name}:over=all,penalty=VALUE"
        )
    if over == MATCHED and penalty is not None:
        raise OptionError(
            f"{function.__name__}: penalty={penalty:g} has no effect without over=all"
        )
    of_pairs = measured("pairs", mask_metric, given)
    worst = penalty if distance else 0.0
    sums = PairSums(of_pairs, worst if over == ALL else None)
    weights = (1.0, 0.0), (0.0, 1.0)
    return ImageSums(sums, OfSums(function), weights, (of_pairs,), notes=sums.notes)


def _of_pairs(
    mask_metric: Callable[..., float], title: str, *parameters: Parameter, **more: object
) -> Callable[..., Callable[..., Numbers]]:
    """Declare the mean of a metric of masks over matched pairs."""
    spec: MetricSpec = spec_of(mask_metric)
    distance = spec.better is Better.LOWER

    def declare(function: Callable[..., Numbers]) -> Callable[..., Numbers]:
        return of_objects(
            title=title,
            form=functools.partial(_form, mask_metric, function),
            better=spec.better,
            bounds=spec.bounds,
            unit=spec.unit,
            spaced=spec.spaced,
            class_needs=ClassNeed.MATCHES,
            reliable_n=spec.reliable_n,
            parameters=(*parameters, OVER, *((PENALTY,) if distance else ())),
            cite=spec.cite,
            **more,
        )(function)

    return declare


@_of_pairs(dsc, "instance DSC", synonyms=("instance_dice",))
def instance_dsc(total: Numbers, objects: Numbers) -> Numbers:
    """Mean DSC of the masks of matched objects; in [0, 1].

    Over images, of objects and not of images: an image with many objects weighs more. Which objects
    match is the business of localisation and assignment; with ``over=all`` those missed and those
    made up count 0.

    Parameters
    ----------
    total : ndarray
        Sum over images of the values of matched pairs.
    objects : ndarray
        How many count.

    Returns
    -------
    ndarray
        NaN where nothing counts.

    References
    ----------
    Dice (1945).

    Examples
    --------
    >>> float(instance_dsc(18.0, 20))
    0.9
    """
    return ratio(total, objects)


@_of_pairs(iou, "instance IoU")
def instance_iou(total: Numbers, objects: Numbers) -> Numbers:
    """Mean IoU of the masks of matched objects; in [0, 1].

    Where objects match by their IoU above 0.5 it is the segmentation quality, `sq`.

    Parameters
    ----------
    total : ndarray
        Sum over images of the values of matched pairs.
    objects : ndarray
        How many count.

    Returns
    -------
    ndarray
        NaN where nothing counts.

    References
    ----------
    Jaccard (1912).

    Examples
    --------
    >>> float(instance_iou(16.0, 20))
    0.8
    """
    return ratio(total, objects)


@_of_pairs(nsd, "instance NSD", TOLERANCE, OF_SURFACES, UNIT)
def instance_nsd(total: Numbers, objects: Numbers) -> Numbers:
    """Mean NSD of the masks of matched objects, at a tolerance in mm; in [0, 1].

    Over images, of objects and not of images: an image with many objects weighs more. Which objects
    match is the business of localisation and assignment; with ``over=all`` those missed and those
    made up count 0.

    Parameters
    ----------
    total : ndarray
        Sum over images of the values of matched pairs.
    objects : ndarray
        How many count.

    Returns
    -------
    ndarray
        NaN where nothing counts.

    References
    ----------
    Nikolov et al. (2021).

    Examples
    --------
    >>> float(instance_nsd(19.0, 20))
    0.95
    """
    return ratio(total, objects)


@_of_pairs(hd95, "instance HD95", OF_HAUSDORFF, UNIT)
def instance_hd95(total: Numbers, objects: Numbers) -> Numbers:
    """Mean HD95 of the masks of matched objects, in mm; lower is better.

    Over images, of objects and not of images: an image with many objects weighs more. Which objects
    match is the business of localisation and assignment; with ``over=all`` those missed and those
    made up count the penalty.

    Parameters
    ----------
    total : ndarray
        Sum over images of the values of matched pairs.
    objects : ndarray
        How many count.

    Returns
    -------
    ndarray
        At least 0; NaN where nothing counts.

    References
    ----------
    Huttenlocher et al. (1993).

    Examples
    --------
    >>> float(instance_hd95(30.0, 20))
    1.5
    """
    return ratio(total, objects)


@_of_pairs(assd, "instance ASSD", OF_SURFACES, UNIT)
def instance_assd(total: Numbers, objects: Numbers) -> Numbers:
    """Mean ASSD of the masks of matched objects, in mm; lower is better.

    Over images, of objects and not of images: an image with many objects weighs more. Which objects
    match is the business of localisation and assignment; with ``over=all`` those missed and those
    made up count the penalty.

    Parameters
    ----------
    total : ndarray
        Sum over images of the values of matched pairs.
    objects : ndarray
        How many count.

    Returns
    -------
    ndarray
        At least 0; NaN where nothing counts.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> float(instance_assd(10.0, 20))
    0.5
    """
    return ratio(total, objects)


@_of_pairs(masd, "instance MASD", OF_SURFACES, UNIT)
def instance_masd(total: Numbers, objects: Numbers) -> Numbers:
    """Mean MASD of the masks of matched objects, in mm; lower is better.

    Over images, of objects and not of images: an image with many objects weighs more. Which objects
    match is the business of localisation and assignment; with ``over=all`` those missed and those
    made up count the penalty.

    Some programs call it ASSD.

    Parameters
    ----------
    total : ndarray
        Sum over images of the values of matched pairs.
    objects : ndarray
        How many count.

    Returns
    -------
    ndarray
        At least 0; NaN where nothing counts.

    References
    ----------
    Maier-Hein et al. (2024).

    Examples
    --------
    >>> float(instance_masd(10.0, 20))
    0.5
    """
    return ratio(total, objects)


# The catalogue lists these, in this order.
DECLARED = (
    instance_dsc,
    instance_iou,
    instance_nsd,
    instance_hd95,
    instance_assd,
    instance_masd,
)
