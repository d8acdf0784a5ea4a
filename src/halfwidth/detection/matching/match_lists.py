"""What is left of images once detections are matched with references: lists of marked scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum, StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array


class Outcome(IntEnum):
    """What a detection is at one threshold of localisation."""

    FALSE_POSITIVE = 0
    TRUE_POSITIVE = 1
    IGNORED = 2


class Admits(StrEnum):
    """Which values of localisation admit a match, given the threshold."""

    AT_LEAST = "≥"
    ABOVE = ">"
    AT_MOST = "≤"
    BELOW = "<"


@frozen
class MatchingRule:
    """The choices that make matches of detections and references; every result names them."""

    # A criterion of ``halfwidth.detection.metrics.all_criteria.LOCALISATIONS``.
    localisation: str = "box_iou"
    # A strategy of ``ASSIGNMENTS``.
    assignment: str = "greedy_by_score"
    # Of localisation, each matched by itself.
    thresholds: tuple[float, ...] = (0.5,)
    # Whether the threshold itself will do.
    admits: Admits = Admits.AT_LEAST
    # Detections below it are left out before matching.
    score_threshold: float | None = None
    # Of an image and a class, the most that are looked at, the highest scores first.
    max_detections: int | None = None
    # References of another size are ignored, and so are unmatched detections of another size.
    area_range: tuple[float, float] | None = None
    # Whether only objects of one class are matched with each other.
    by_class: bool = True
    # Whether further detections of an object that is found count for nothing, and not as false
    # positives.
    duplicates_ignored: bool = False
    # Width of the bands of ``boundary_iou``, in mm where the images have a spacing, else in
    # voxels; None: 2 % of the image's diagonal in voxels, as its authors have it.
    boundary_distance: float | None = None
    # How often ``lesionwise`` dilates references before it looks for components.
    dilation: int = 3


@frozen
class Lesion:
    """A lesion of the lesion-wise scheme: references that are one, and all that detects them."""

    image: int
    category: int
    # Places among the references of the image: those whose dilated masks touch.
    references: tuple[int, ...]
    # Places among the detections of the image, none if it is missed; one detection may belong to
    # several lesions.
    detections: tuple[int, ...]


@frozen
class Measured:
    """What is measured of masks beside the matches, once, before anything is resampled."""

    # Of each matched pair, (T, E) as in `MatchLists`, NaN where there is none; of each lesion
    # against all that detects it, (L,), NaN where it is missed; the size of each lesion, in mm³
    # (in pictures mm²), or in voxels where the images have no spacing, (L,); or the voxels that
    # are TP, FN and FP of the masks of a class taken together, (3, C, n).
    of: Literal["pairs", "lesions", "sizes", "voxels"]
    # A metric of two masks, of pairs and lesions.
    metric: str = ""
    # Its parameters.
    parameters: tuple[tuple[str, float], ...] = ()


@frozen(eq=False)
class MatchLists:
    """Detections of n images, E in all, and what each is at each of T thresholds.

    Resampling weighs the images; nothing is ever matched again. Detections come by image, then by
    class, then by descending score, those of equal score as they were given; without
    ``matching.by_class`` by image and score.

    Attributes
    ----------
    matching : MatchingRule
    images : tuple of str
        In the order of the references.
    classes : tuple of str
        C of them.
    image, category : ndarray of int, shape (E,)
        Of each detection.
    score : ndarray, shape (E,), or None
    detection : ndarray of int, shape (E,)
        Its place among the detections of its image, as they were given.
    outcome : ndarray of uint8, shape (T, E)
        An `Outcome` each.
    reference : ndarray of int, shape (T, E)
        The place of the matched object among the references of the image; -1 where there is none.
        Ignored detections name the crowd, the ignored object or the object found before, where it
        is for its sake that they are ignored: pairs are those of true positives alone.
    similarity : ndarray, shape (T, E)
        The localisation of detection and matched object; NaN where there is none.
    n_references : ndarray of int, shape (n, C)
        Objects to be found in each image: crowds and ignored ones are none.
    lesions : tuple of Lesion, or None
        With assignment ``lesionwise`` alone, those to be found, which ``n_references`` then counts.
        The outcome of the detection that overlaps a lesion most is true positive, that of others
        of the same lesion ignored.
    measured : mapping of Measured to ndarray
        What was measured beside the matches, such as the DSC of each matched pair.
    """

    matching: MatchingRule
    images: tuple[str, ...]
    classes: tuple[str, ...]
    image: NDArray[np.intp]
    category: NDArray[np.intp]
    score: Array | None
    detection: NDArray[np.intp]
    outcome: NDArray[np.uint8]
    reference: NDArray[np.intp]
    similarity: Array
    n_references: NDArray[np.intp]
    lesions: tuple[Lesion, ...] | None = None
    measured: Mapping[Measured, Array] = field(default_factory=dict)

    @property
    def n_images(self) -> int:
        """How many images there are, those without any object included."""
        return len(self.images)
