"""Populations of images: what a detector makes of each, once it is matched with the references."""

from __future__ import annotations

import math

import numpy as np

from halfwidth.core.frozen import frozen
from halfwidth.core.types import Array


@frozen(eq=False)
class ImagePopulation:
    """Draws one of the images at random, with all of its detections and objects.

    Attributes
    ----------
    records : ndarray, shape (k, n)
        What a metric of detections takes of each image, made of its match list.
    """

    records: Array

    @property
    def kind(self) -> str:
        """``"image_empirical"``."""
        return "image_empirical"

    def draw(self, generator: np.random.Generator, samples: int, n: int) -> Array:
        """Independent test sets, shape ``(samples, k, n)``."""
        image = generator.integers(self.records.shape[-1], size=(samples, n))
        return np.moveaxis(self.records[:, image], 0, 1)

    def cases(self) -> Array:
        """The images themselves in the format of `draw`, shape ``(k, n)``."""
        return self.records

    @property
    def skewness(self) -> float:
        """NaN: images have no distribution of numbers."""
        return math.nan

    @property
    def kurtosis(self) -> float:
        """NaN, as the skewness."""
        return math.nan
