"""What each image adds to the sums that metrics of detections are functions of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array, Numbers
from halfwidth.detection.matching.match_lists import MatchLists, Outcome


def by_class_and_image(matches: MatchLists, weights: NDArray[np.generic]) -> Array:
    """Sums of what detections weigh, (E,) -> (C, n).

    Where detections are matched with references of any class there is one class, the first.
    """
    category = matches.category if matches.matching.by_class else np.zeros_like(matches.category)
    classes, n = len(matches.classes), matches.n_images
    cell = category * n + matches.image
    sums = np.bincount(cell, weights.astype(float), classes * n)
    return np.asarray(sums.reshape(classes, n), dtype=float)


def to_be_found(matches: MatchLists) -> Array:
    """References that count, (C, n)."""
    counts = matches.n_references.T.astype(float)
    if matches.matching.by_class:
        return counts
    pooled = np.zeros_like(counts)
    pooled[:1] = counts.sum(axis=0)
    return pooled


def at_one_threshold(matches: MatchLists, metric: str) -> NDArray[np.uint8]:
    """The outcome of each detection, (E,), where there is but one threshold."""
    if len(matches.outcome) == 1:
        return np.asarray(matches.outcome[0])
    raise OptionError(
        f"{metric} takes one threshold of localisation, and {len(matches.outcome)} are given: name "
        f"one ({spelled('threshold')})"
    )


def pairs(matches: MatchLists) -> Array:
    """Matched pairs, references in none, and false positives: (3, C, n)."""
    outcome = at_one_threshold(matches, "a metric of matched objects")
    matched = by_class_and_image(matches, outcome == Outcome.TRUE_POSITIVE)
    spurious = by_class_and_image(matches, outcome == Outcome.FALSE_POSITIVE)
    return np.stack([matched, to_be_found(matches) - matched, spurious])


def outcomes(matches: MatchLists) -> Array:
    """Objects found, objects missed and false positives: (3, C, n).

    They are those of `pairs`, but that one detection may find several lesions.
    """
    counts = pairs(matches)
    if matches.lesions is not None:
        counts[:2] = lesions_found(matches)
    return counts


def mean_outcomes(matches: MatchLists) -> Array:
    """Objects found and objects missed, their means over the thresholds: (2, C, n)."""
    if matches.lesions is not None:
        return lesions_found(matches)
    tp = by_class_and_image(matches, (matches.outcome == Outcome.TRUE_POSITIVE).mean(axis=0))
    return np.stack([tp, to_be_found(matches) - tp])


def lesions_found(matches: MatchLists) -> Array:
    """Lesions that some detection touches, and those that none does: (2, C, n)."""
    touched = np.array([len(one.detections) > 0 for one in matches.lesions or ()], dtype=float)
    tp = sums_of_lesions(matches, touched)
    return np.stack([tp, to_be_found(matches) - tp])


def sums_of_lesions(matches: MatchLists, weights: Array) -> Array:
    """Sums of what lesions weigh, (L,) -> (C, n)."""
    sums = np.zeros((len(matches.classes), matches.n_images))
    lesions = matches.lesions or ()
    category = [one.category if matches.matching.by_class else 0 for one in lesions]
    np.add.at(sums, (category, [one.image for one in lesions]), weights)
    return sums


@frozen
class OfSums:
    """A function of sums, given one by one, as a function of their array."""

    function: Callable[..., Numbers]
    parameters: tuple[tuple[str, float], ...] = ()

    def __call__(self, _n: Numbers, sums: Numbers) -> Array:
        """The function's values from sums, (..., K) -> (...)."""
        each = (sums[..., place] for place in range(sums.shape[-1]))
        return np.asarray(self.function(*each, **dict(self.parameters)))
