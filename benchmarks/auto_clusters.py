"""Coverage of ``auto`` with ten unequal clusters, through the public functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

import halfwidth as hw
from halfwidth.core.types import Array

ICC = 0.8
SIZES = ((2, 3, 4, 5, 6, 8, 10, 15, 20, 30), (4, 5, 6, 7, 8, 9, 10, 12, 14, 16))
# How far the scores of positives lie above those of negatives, and how many cases are positive.
DISTANCE, POSITIVE = 1.5, 0.4


@dataclass(frozen=True)
class Clustered:
    """A quantity whose cases lie in clusters.

    Attributes
    ----------
    kind : {"mean", "proportion", "auroc"}
    sizes : tuple of int
    centre : float
        The mean, the proportion; unused for an AUROC.
    """

    kind: str
    sizes: tuple[int, ...]
    centre: float = 0.0

    @property
    def truth(self) -> float:
        """The value in the population of cases of new clusters."""
        if self.kind == "auroc":
            return float(special.ndtr(DISTANCE / np.sqrt(2)))
        return self.centre


def kinds() -> dict[str, list[Clustered]]:
    """What is measured, by title."""
    return {
        "mean, 10 unequal clusters": [
            Clustered("mean", sizes, centre) for sizes in SIZES for centre in (0.5, 0.8)
        ],
        "proportion, 10 unequal clusters": [
            Clustered("proportion", sizes, centre) for sizes in SIZES for centre in (0.5, 0.8)
        ],
        "AUROC, 10 unequal clusters": [Clustered("auroc", sizes) for sizes in SIZES],
    }


def coverage(of: Clustered, samples: int) -> tuple[float, float]:
    """Coverage, and the mean width of the intervals that there are."""
    found = np.array([(one.low, one.high) for one in _estimates(of, samples)])
    covers = (found[:, 0] <= of.truth) & (of.truth <= found[:, 1])
    return float(covers.mean()), float(np.nanmean(found[:, 1] - found[:, 0]))


def _estimates(of: Clustered, samples: int) -> Iterator[hw.Estimate]:
    generator = np.random.default_rng(len(of.sizes) + sum(of.sizes))
    groups = np.repeat(np.arange(len(of.sizes)), of.sizes)
    for _ in range(samples):
        shared = generator.normal(size=len(of.sizes))[groups]
        latent = np.sqrt(ICC) * shared + np.sqrt(1 - ICC) * generator.normal(size=len(groups))
        yield _estimate(of, latent, groups, generator)


def _estimate(
    of: Clustered, latent: Array, groups: NDArray[np.intp], generator: np.random.Generator
) -> hw.Estimate:
    if of.kind == "mean":
        # Beta values with the clusters' normal scores: bounded, skewed where the mean is high.
        values = stats.beta.ppf(special.ndtr(latent), 6 * of.centre, 6 * (1 - of.centre))
        return hw.summary_ci(values, metric="dsc", groups=groups, n_resamples=999, rng=1)
    if of.kind == "proportion":
        hits = (latent < special.ndtri(of.centre)).astype(float)
        return hw.summary_ci(hits, metric="correct", groups=groups, n_resamples=999, rng=1)
    positive = (generator.random(len(groups)) < POSITIVE).astype(int)
    scores = special.expit(latent + DISTANCE * positive)
    found = hw.metric_ci(positive, scores, metric="auroc", groups=groups, n_resamples=999, rng=1)
    return cast("hw.Estimate", found)
