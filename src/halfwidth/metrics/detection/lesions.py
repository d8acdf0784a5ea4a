"""The lesion-wise scheme of BraTS 2023: a mean over the lesions of an image, then over images.

References whose dilated masks touch are one lesion; all detections that touch its dilated mask,
together, are what detects it, and the others are false positives. Lesions that are missed and false
positives count the worst.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from halfwidth.core.detection_forms import ImageSums
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.match_lists import Lesion, MatchLists, Measured, Outcome
from halfwidth.core.parameters import UNIT, Parameter
from halfwidth.core.spec import Better, ClassNeed, MetricSpec, spec_of
from halfwidth.core.types import Array, Numbers
from halfwidth.metrics.boundary import OF_HAUSDORFF, OF_SURFACES, hd95
from halfwidth.metrics.boundary_overlap import TOLERANCE, nsd
from halfwidth.metrics.confusion_tables import ratio
from halfwidth.metrics.detection.instances import measured
from halfwidth.metrics.detection.object_counts import of_objects
from halfwidth.metrics.detection.tallies import OfSums, by_class_and_image, counted, sums_of_lesions
from halfwidth.metrics.overlap import dsc

__all__ = ["lesionwise_dsc", "lesionwise_hd95", "lesionwise_nsd"]

# About the diagonal of the challenge's images in mm.
BRATS_PENALTY = 374.0
LEFT_OUT, PERFECT = 0.0, 1.0
SIZES = Measured("sizes")
MIN_VOLUME = Parameter(
    "min_volume",
    0.0,
    "lesions of at most so many mm³ (mm² of pictures, voxels without a spacing) are left out",
    at_least=0,
)
EMPTY = Parameter(
    "empty",
    LEFT_OUT,
    "what an image with neither lesions nor detections counts",
    words=(("left_out", LEFT_OUT), ("perfect", PERFECT)),
    choices=(LEFT_OUT, PERFECT),
)
PENALTY = Parameter(
    "penalty",
    BRATS_PENALTY,
    "distance that a missed lesion or a false positive counts",
    at_least=0,
    unit="mm",
)


@frozen
class LesionMeans:
    """The mean over the lesions of an image, and whether it has one, by class and image.

    Attributes
    ----------
    measured : Measured
        Of lesions.
    instead : float
        What a missed lesion and a false positive count.
    best : float or None
        What an image with neither lesions nor detections counts; None: it is left out.
    min_volume : float
        Lesions of at most this size are left out.
    """

    measured: Measured
    instead: float
    best: float | None
    min_volume: float

    def __call__(self, matches: MatchLists) -> Array:
        """Both, (2, C, n)."""
        values, counts = self._values(matches), self._counts(matches)
        spurious = _spurious(matches)
        total = sums_of_lesions(matches, values * counts) + spurious * self.instead
        number = sums_of_lesions(matches, counts) + spurious
        empty = number == 0
        mean = np.where(empty, self.best or 0.0, total / np.where(empty, 1, number))
        known = np.ones(empty.shape) if self.best is not None else (~empty).astype(float)
        return np.stack([mean, known])

    def _values(self, matches: MatchLists) -> Array:
        """Of each lesion, (L,); of one that is missed, or of an empty mask, there is none."""
        _lesions_of(matches)
        values = matches.measured[self.measured]
        return np.where(np.isfinite(values), values, self.instead)

    def _counts(self, matches: MatchLists) -> Array:
        """Whether each lesion is large enough to count, (L,)."""
        lesions = _lesions_of(matches)
        if not self.min_volume:
            return np.ones(len(lesions))
        return np.asarray(matches.measured[SIZES] > self.min_volume, dtype=float)

    def unmatched(self, matches: MatchLists) -> Array:
        """Missed lesions that count, and false positives, (2, C, n)."""
        none = np.array([not one.detections for one in _lesions_of(matches)], dtype=float)
        missed = sums_of_lesions(matches, none * self._counts(matches))
        return np.stack([missed, _spurious(matches)])

    def notes(self, matches: MatchLists) -> tuple[str, ...]:
        """What counts the worst, and what is left out."""
        missed, spurious = (int(each.sum()) for each in self.unmatched(matches))
        small = int((self._counts(matches) == 0).sum())
        empty = int((self(matches)[1] == 0).sum())
        notes = []
        if missed or spurious:
            each = f"{counted(missed, 'missed lesion')} and {counted(spurious, 'false positive')}"
            notes.append(f"{each} count as {self.instead:g}")
        if small:
            notes.append(
                f"{counted(small, 'lesion')} of a volume of at most {self.min_volume:g} left out"
            )
        if empty:
            what = "image" if len(matches.classes) == 1 else "class of an image"
            many = "images" if len(matches.classes) == 1 else "classes of images"
            none = "without lesions and detections left out"
            notes.append(f"{counted(empty, what, many)} {none}")
        return tuple(notes)


def _spurious(matches: MatchLists) -> Array:
    """False positives, (C, n)."""
    return by_class_and_image(matches, matches.outcome[0] == Outcome.FALSE_POSITIVE)


def _lesions_of(matches: MatchLists) -> tuple[Lesion, ...]:
    if matches.lesions is None:
        raise OptionError(
            "lesion-wise metrics are of lesions, which assignment='lesionwise' makes "
            "(--assignment lesionwise)"
        )
    return matches.lesions


def _form(
    mask_metric: Callable[..., float], function: Callable[..., Numbers], **given: float
) -> ImageSums:
    higher = spec_of(mask_metric).better is Better.HIGHER
    worst = 0.0 if higher else given["penalty"]
    best = (1.0 if higher else 0.0) if given["empty"] == PERFECT else None
    lesions = measured("lesions", mask_metric, given)
    means = LesionMeans(lesions, worst, best, given["min_volume"])
    needed = (lesions, SIZES) if given["min_volume"] else (lesions,)
    weights = (1.0, 0.0), (0.0, 1.0)
    return ImageSums(
        means, OfSums(function), weights, needed, assignment="lesionwise", notes=means.notes
    )


def _of_lesions(
    mask_metric: Callable[..., float], title: str, *parameters: Parameter
) -> Callable[..., Callable[..., Numbers]]:
    """Declare the lesion-wise mean of a metric of masks."""
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
            class_needs=ClassNeed.EITHER,
            reliable_n=spec.reliable_n,
            parameters=(*parameters, MIN_VOLUME, *((PENALTY,) if distance else ()), EMPTY),
            synonyms=(function.__name__.replace("lesionwise", "lesion_wise"),),
            cite="moawad2023",
        )(function)

    return declare


@_of_lesions(dsc, "lesion-wise DSC")
def lesionwise_dsc(total: Numbers, images: Numbers) -> Numbers:
    """Mean over images of the mean DSC of their lesions; in [0, 1].

    A missed lesion and a false positive count 0. Of the images of BraTS 2023 with neither a lesion
    nor a detection the challenge takes a perfect score, ``empty=perfect``; unless that is asked for
    they are left out.

    Parameters
    ----------
    total : ndarray
        Sum of the means of images.
    images : ndarray
        How many have one: those with a lesion or a detection.

    Returns
    -------
    ndarray
        NaN where no image has a lesion or a detection.

    References
    ----------
    Moawad et al. (2023).

    Examples
    --------
    >>> float(lesionwise_dsc(18.0, 20))
    0.9
    """
    return ratio(total, images)


@_of_lesions(nsd, "lesion-wise NSD", TOLERANCE, OF_SURFACES, UNIT)
def lesionwise_nsd(total: Numbers, images: Numbers) -> Numbers:
    """Mean over images of the mean NSD of their lesions, at a tolerance in mm; in [0, 1].

    Missed lesions, false positives and empty images are as of `lesionwise_dsc`.

    Parameters
    ----------
    total : ndarray
        Sum of the means of images.
    images : ndarray
        How many have one: those with a lesion or a detection.

    Returns
    -------
    ndarray
        NaN where no image has a lesion or a detection.

    References
    ----------
    Moawad et al. (2023).

    Examples
    --------
    >>> float(lesionwise_nsd(18.0, 20))
    0.9
    """
    return ratio(total, images)


@_of_lesions(hd95, "lesion-wise HD95", OF_HAUSDORFF, UNIT)
def lesionwise_hd95(total: Numbers, images: Numbers) -> Numbers:
    """Mean over images of the mean HD95 of their lesions, in mm; lower is better.

    A missed lesion and a false positive count the penalty, 374 mm unless another one is named. The
    challenge's distances are those of ``definition=surface``. Images with neither a lesion nor a
    detection are as of `lesionwise_dsc`.

    Parameters
    ----------
    total : ndarray
        Sum of the means of images.
    images : ndarray
        How many have one: those with a lesion or a detection.

    Returns
    -------
    ndarray
        At least 0; NaN where no image has a lesion or a detection.

    References
    ----------
    Moawad et al. (2023).

    Examples
    --------
    >>> float(lesionwise_hd95(100.0, 20))
    5.0
    """
    return ratio(total, images)


# The catalogue lists these, in this order.
DECLARED = (lesionwise_dsc, lesionwise_nsd, lesionwise_hd95)
