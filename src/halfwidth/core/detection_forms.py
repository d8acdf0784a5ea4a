"""Sufficient forms of metrics of detections: what each needs to know of a resample of images."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array, Numbers, Quotient

if TYPE_CHECKING:
    from halfwidth.core.match_lists import Measured


@frozen
class ImageSums:
    """A metric of detections that is a function of sums over images.

    Attributes
    ----------
    counts : callable
        ``counts(matches)``: what a `MatchLists` adds to each of K sums, by class and image,
        (K, C, n).
    finish : callable
        ``finish(n, sums)``: the metric of one class from n images, n of shape (...) and sums of
        shape (..., K) -> (...); NaN where it is undefined. It takes complex numbers too.
    quotient : tuple or None
        Where it is the ratio of two weighted sums, the weights of the K sums in the numerator and
        in the denominator.
    measured : tuple of Measured
        What ``MatchLists.measured`` must hold.
    assignment : str
        The strategy it is defined with, which is meant where none is named; empty: any.
    matches : bool
        Whether it depends on which detection is whose; voxels of a class do not.
    notes : callable or None
        ``notes(matches)``: what counts as a penalty or is left out, as lines for the user.
    """

    counts: Callable[[Any], Array]
    finish: Callable[[Numbers, Numbers], Array]
    quotient: Quotient | None = None
    measured: tuple[Measured, ...] = ()
    assignment: str = ""
    matches: bool = True
    notes: Callable[[Any], tuple[str, ...]] | None = None


@frozen(eq=False)
class ScoredMatches:
    """Detections of one class in descending order of their score, and what each is.

    Attributes
    ----------
    image : ndarray of int, shape (E,)
        Position of the image that a detection is in. Equal scores stand in the order of the
        images as they were given, those of one image in the order of the detections.
    last : ndarray of bool, shape (E,)
        Whether it is the last one of its score.
    outcome : ndarray of uint8, shape (T, E)
        An `Outcome` at each threshold of localisation.
    references : ndarray of int, shape (n,)
        Objects to be found in each image.
    """

    image: NDArray[np.intp]
    last: NDArray[np.bool_]
    outcome: NDArray[np.uint8]
    references: NDArray[np.int64]


@frozen
class MatchCurve:
    """A number that a curve of ranked matches has, such as the area under it.

    Attributes
    ----------
    values : callable
        ``values(matches, counts)``: of `ScoredMatches` of which each image comes as often as
        ``counts`` says, (B, n) -> (T, B); NaN where it is undefined. It compares by its parameters.
    fast : str
        Which kernel makes it; empty where none does.
    """

    values: Callable[[ScoredMatches, Numbers], Array]
    fast: str = ""


@frozen
class MatchedScores:
    """A function of curves of ranked matches, each of one class.

    Attributes
    ----------
    curve : MatchCurve
        Its mean over the thresholds of localisation is taken.
    unpack : callable
        ``unpack(records)``, shape (k, n) -> a `ScoredMatches` of each class.
    finish : callable
        ``finish(values, references)``, both of shape (..., C) -> (...); a value is NaN where it is
        undefined.
    average : str
        Over the classes; empty where it is of one.
    """

    curve: MatchCurve
    unpack: Callable[[Array], tuple[ScoredMatches, ...]]
    finish: Callable[[Numbers, Numbers], Array]
    average: str = ""
