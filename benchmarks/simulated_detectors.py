"""Two detectors on simulated images, whose match lists come from known distributions.

Images differ in how hard they are and objects in how hard they are to see, for both detectors
alike; each adds chance of its own. So the objects of an image hang together, and so do the two
detectors. Matches are drawn as such: what is found, with which score and how well it is localised.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.types import Array
from halfwidth.detection.matching.match_lists import MatchingRule, MatchLists, Outcome

# Boxes that are found overlap their object by so much: Beta variates.
LOCALISED = (8.0, 2.0)


@dataclass(frozen=True)
class Detector:
    """How well it does.

    Attributes
    ----------
    seen : float
        Objects of medium difficulty are found with the probability Φ(seen / 1.2) or so.
    marks : float
        False positives of an image, on average.
    separation : float
        How far the scores of what is found lie above those of false positives, in their SD.
    """

    seen: float
    marks: float
    separation: float


@dataclass(frozen=True)
class Images:
    """A population of images.

    Attributes
    ----------
    called : str
    empty : float
        Share of the images without an object.
    more : float
        Objects of the other images beyond the first, on average; overdispersed.
    detectors : tuple of two Detector
    shares : tuple of float
        Of the classes among the objects.
    """

    called: str
    empty: float
    more: float
    detectors: tuple[Detector, Detector]
    shares: tuple[float, ...] = (1.0,)

    def draw(
        self, generator: np.random.Generator, n: int, thresholds: tuple[float, ...] = (0.5,)
    ) -> tuple[MatchLists, MatchLists]:
        """What both detectors make of n new images."""
        hard = generator.normal(size=n)
        objects = 1 + generator.poisson(self.more * generator.gamma(2.0, 0.5, n))
        objects[generator.random(n) < self.empty] = 0
        image = np.repeat(np.arange(n), objects)
        category = generator.choice(len(self.shares), len(image), p=self.shares)
        hidden = generator.normal(size=len(image))
        n_references = np.zeros((n, len(self.shares)), dtype=np.intp)
        np.add.at(n_references, (image, category), 1)
        busy = generator.gamma(1.0, 1.0, n) * np.exp(0.4 * hard - 0.08)
        first, second = (
            self._matches(generator, one, (hard, busy, image, category, hidden))
            for one in self.detectors
        )
        return tuple(_listed(*parts, n_references, thresholds) for parts in (first, second))  # type: ignore[return-value]

    def _matches(
        self,
        generator: np.random.Generator,
        detector: Detector,
        scene: tuple[Array, Array, NDArray[np.intp], NDArray[np.intp], Array],
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], Array, Array]:
        """Image, class, score and localisation (0 of false positives) of all detections."""
        hard, busy, image, category, hidden = scene
        clear = detector.seen - 0.4 * hard[image] - 0.8 * hidden
        found = clear + 0.6 * generator.normal(size=len(image)) > 0
        score = detector.separation - 0.5 * (hard[image] + hidden)
        score += 0.8 * generator.normal(size=len(image))
        false = np.repeat(np.arange(len(hard)), generator.poisson(detector.marks * busy))
        of_false = generator.choice(len(self.shares), len(false), p=self.shares)
        localised = generator.beta(*LOCALISED, len(image))
        return (
            np.concatenate([image[found], false]),
            np.concatenate([category[found], of_false]),
            np.concatenate([score[found], generator.normal(size=len(false)) + 0.3 * hard[false]]),
            np.concatenate([localised[found], np.zeros(len(false))]),
        )


def _listed(
    image: NDArray[np.intp],
    category: NDArray[np.intp],
    score: Array,
    localised: Array,
    n_references: NDArray[np.intp],
    thresholds: tuple[float, ...],
) -> MatchLists:
    order = np.argsort(image, kind="stable")
    image, category = image[order], category[order]
    score, localised = score[order], localised[order]
    outcome = np.where(
        localised >= np.array(thresholds)[:, None], Outcome.TRUE_POSITIVE, Outcome.FALSE_POSITIVE
    ).astype(np.uint8)
    matched = outcome == Outcome.TRUE_POSITIVE
    n, classes = n_references.shape
    first = np.searchsorted(image, image)
    return MatchLists(
        MatchingRule(thresholds=thresholds),
        tuple(map(str, range(n))),
        tuple(map(str, range(classes))),
        image,
        category,
        score,
        np.arange(len(image)) - first,
        outcome,
        np.where(matched, 0, -1),
        np.where(matched, localised, np.nan),
        n_references,
    )


# AP50 of the first detector some .6, .8, .95, .35 and .9; of the second a little less.
FAIR = (Detector(1.0, 2.0, 1.8), Detector(0.8, 2.5, 1.6))
GOOD = (Detector(2.5, 0.5, 2.5), Detector(2.2, 0.6, 2.3))
POPULATIONS = (
    Images("screening", 0.5, 0.5, FAIR),
    Images("many objects", 0.0, 5.0, FAIR),
    Images("good detectors", 0.3, 1.0, GOOD),
    Images("rare objects", 0.9, 0.3, FAIR),
    Images("three classes", 0.2, 2.0, FAIR, (0.7, 0.25, 0.05)),
)
