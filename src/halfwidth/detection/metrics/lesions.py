"""The lesion-wise scheme of BraTS 2023: a mean over the lesions of an image, then over images.

References whose dilated masks touch are one lesion; all detections that touch its dilated mask,
together, are what detects it, and the others are false positives. Lesions that are missed and false
positives count the worst.
"""

from __future__ import annotations

import numpy as np

from halfwidth.core.errors import OptionError
from halfwidth.core.formatting import counted
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import UNIT, Parameter
from halfwidth.core.spec import ClassNeed, spec_of
from halfwidth.core.types import Array
from halfwidth.detection.forms.declared import ImageSums
from halfwidth.detection.matching.match_lists import Lesion, MatchLists, Measured, Outcome
from halfwidth.detection.metrics.mask_means import (
    MaskMetric,
    Mean,
    MeanOf,
    is_distance,
    measured,
)
from halfwidth.detection.metrics.tallies import OfSums, by_class_and_image, sums_of_lesions
from halfwidth.metrics.boundary import OF_HAUSDORFF, OF_SURFACES, hd95
from halfwidth.metrics.boundary_overlap import TOLERANCE, nsd
from halfwidth.metrics.overlap import OF_WHOLE_MASKS, dsc

__all__ = ["lesionwise_dsc", "lesionwise_hd95", "lesionwise_nsd"]

# About the diagonal of the challenge's images in mm.
BRATS_PENALTY = 374.0
LEFT_OUT, PERFECT = 0.0, 1.0
SIZES = Measured("sizes")
MIN_VOLUME = Parameter(
    "min_volume",
    0.0,
    "lesions up to this volume in mm³ (mm² in 2-D, voxels without a spacing) are left out",
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
CLASSES_OF_IMAGES = ("class of an image", "classes of images")


@frozen
class LesionMeans:
    """The mean over the lesions of an image, and whether it has one, by class and image."""

    # Of lesions.
    measured: Measured
    # What a missed lesion and a false positive count.
    instead: float
    # What an image with neither lesions nor detections counts; None: it is left out.
    best: float | None
    # Lesions of at most this size are left out.
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
        """The value of each lesion, (L,); one that is missed, or an empty mask, has none."""
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
            nouns = ("image", "images") if len(matches.classes) == 1 else CLASSES_OF_IMAGES
            notes.append(f"{counted(empty, *nouns)} without lesions and detections left out")
        return tuple(notes)


def _spurious(matches: MatchLists) -> Array:
    """False positives, (C, n)."""
    return by_class_and_image(matches, matches.outcome[0] == Outcome.FALSE_POSITIVE)


def _lesions_of(matches: MatchLists) -> tuple[Lesion, ...]:
    if matches.lesions is None:
        raise OptionError(f"lesion-wise metrics need {spelled('assignment', 'lesionwise')}")
    return matches.lesions


def _form(mask_metric: MaskMetric, mean: Mean, /, **options: float) -> ImageSums:
    distance = is_distance(mask_metric)
    worst, perfect = (options["penalty"], 0.0) if distance else (0.0, 1.0)
    best = perfect if options["empty"] == PERFECT else None
    lesions = measured("lesions", mask_metric, options)
    means = LesionMeans(lesions, worst, best, options["min_volume"])
    needed = (lesions, SIZES) if options["min_volume"] else (lesions,)
    weights = (1.0, 0.0), (0.0, 1.0)
    return ImageSums(
        means, OfSums(mean), weights, needed, assignment="lesionwise", notes=means.notes
    )


_OVER_IMAGES = MeanOf(
    total="Sum of the means of images.",
    number="How many have one: those with a lesion or a detection.",
    undefined="no image has a lesion or a detection",
    form=_form,
)
WHAT_A_LESION_IS = "what counts as one lesion depends on the dilation of the masks"
_EMPTY_IMAGES = """Of the images of BraTS 2023 with neither a lesion nor a detection the challenge
takes a perfect score, ``empty=perfect``; unless that is asked for they are left out."""


def _mean(mask_metric: MaskMetric, summary: str, worst: str, *parameters: Parameter) -> Mean:
    """Declare the lesion-wise mean of a metric of masks."""
    spec = spec_of(mask_metric)
    penalty = (PENALTY,) if is_distance(mask_metric) else ()
    return _OVER_IMAGES.declare(
        mask_metric,
        f"lesionwise_{spec.name}",
        f"{summary}\n\nA missed lesion and a false positive count {worst}\n\n{_EMPTY_IMAGES}",
        source="Moawad et al. (2023)",
        title=f"lesion-wise {spec.display}",
        class_needs=ClassNeed.EITHER,
        parameters=(*parameters, MIN_VOLUME, *penalty, EMPTY),
        synonyms=(f"lesion_wise_{spec.name}",),
        cite="moawad2023",
        pitfalls=(*(one for one in spec.pitfalls if one not in OF_WHOLE_MASKS), WHAT_A_LESION_IS),
    )


lesionwise_dsc = _mean(dsc, "Mean over images of the mean DSC of their lesions; in [0, 1].", "0.")
lesionwise_nsd = _mean(
    nsd,
    "Mean over images of the mean NSD of their lesions, at a tolerance in mm; in [0, 1].",
    "0.",
    TOLERANCE,
    OF_SURFACES,
    UNIT,
)
lesionwise_hd95 = _mean(
    hd95,
    "Mean over images of the mean HD95 of their lesions, in mm; lower is better.",
    "the penalty, 374 mm unless another one is\n"
    "named. The challenge's distances are those of ``definition=surface``.",
    OF_HAUSDORFF,
    UNIT,
)

# The catalogue lists these, in this order.
DECLARED = (lesionwise_dsc, lesionwise_nsd, lesionwise_hd95)
