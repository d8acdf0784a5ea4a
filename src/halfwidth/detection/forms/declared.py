"""Sufficient forms of metrics of detections: what each needs to know of a resample of images."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.forms import BranchForm
from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers, Quotient

if TYPE_CHECKING:
    from halfwidth.detection.matching.match_lists import Measured
    from halfwidth.resampling.designs import Design

# Of two detectors resamples do from so many images or patients in all, so many of them with
# objects; else nearly all of what would tell them apart may not have been seen (decision 0093).
FEW_IMAGES, FEW_WITH_OBJECTS = 20, 8


@frozen
class ImageSums(BranchForm):
    """A metric of detections that is a function of sums over images."""

    # ``counts(matches)``: what a `MatchLists` adds to each of K sums, by class and image, (K, C,
    # n).
    counts: Callable[[Any], Array]
    # ``finish(n, sums)``: the metric of one class from n images, n of shape (...) and sums of
    # shape (..., K) -> (...); NaN where it is undefined. It takes complex numbers too.
    finish: Callable[[Numbers, Numbers], Array]
    # Where it is the ratio of two weighted sums, the weights of the K sums in the numerator and
    # in the denominator.
    quotient: Quotient | None = None
    # What ``MatchLists.measured`` must hold.
    measured: tuple[Measured, ...] = ()
    # The strategy it is defined with, which is meant where none is named; empty: any.
    assignment: str = ""
    # Whether it depends on which detection is whose; voxels of a class do not.
    matches: bool = True
    # ``notes(matches)``: what counts as a penalty or is left out, as lines for the user.
    notes: Callable[[Any], tuple[str, ...]] | None = None


@frozen(eq=False)
class ScoredMatches:
    """Detections of one class in descending order of their score, and what each is."""

    # (E,): position of the image that a detection is in. Equal scores stand in the order of the
    # images as they were given, those of one image in the order of the detections.
    image: NDArray[np.intp]
    # (E,): whether it is the last one of its score.
    last: NDArray[np.bool_]
    # (T, E): an `Outcome` at each threshold of localisation.
    outcome: NDArray[np.uint8]
    # (n,): objects to be found in each image.
    references: NDArray[np.int64]


@frozen
class MatchCurve(BranchForm):
    """A number that a curve of ranked matches has, such as the area under it."""

    # ``values(matches, counts)``: of `ScoredMatches` of which each image comes as often as
    # ``counts`` says, (B, n) -> (T, B); NaN where it is undefined. It compares by its parameters.
    values: Callable[[ScoredMatches, Numbers], Array]
    # Which kernel makes it; empty where none does.
    fast: str = ""


@frozen
class MatchedScores(BranchForm):
    """A function of curves of ranked matches, each of one class."""

    # Its mean over the thresholds of localisation is taken.
    curve: MatchCurve
    # ``unpack(records)``, shape (k, n) -> a `ScoredMatches` of each class.
    unpack: Callable[[Array], tuple[ScoredMatches, ...]]
    # ``finish(values, references)``, both of shape (..., C) -> (...); a value is NaN where it is
    # undefined.
    finish: Callable[[Numbers, Numbers], Array]
    # Over the classes; empty where it is of one.
    average: str = ""

    def method_of_difference(self, records: Array, design: Design) -> str:
        """Student's t for what images know; of few with objects as they and pseudo-images show."""
        if design.degrees_of_freedom < 1:
            return "dirichlet"
        objects = np.sum([one.references for one in self.unpack(records)], axis=0)
        units = np.count_nonzero(design.totals(objects))
        few = design.units < FEW_IMAGES or units < FEW_WITH_OBJECTS
        return "dirichlet_expanded" if few else "percentile_expanded"
