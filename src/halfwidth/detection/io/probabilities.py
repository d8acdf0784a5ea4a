"""Candidates from maps of probabilities: components above a threshold, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.natural_order import natural_key
from halfwidth.core.objects import CroppedMask, ObjectSet
from halfwidth.core.option_names import spelled
from halfwidth.detection.io.instances import (
    EXAMPLE,
    Labelled,
    connected,
    masks_of,
    read_maps,
)
from halfwidth.detection.io.reading_options import ONLY_CLASS, ReadingObjects, Role
from halfwidth.io.grids import Image
from halfwidth.io.images import read_map

SCORES: dict[str, Callable[[NDArray[np.float64]], Any]] = {"max": np.max, "mean": np.mean}
PARTS = ("threshold", "score", "min_voxels")


@frozen
class Candidates:
    """The way from a map of probabilities to candidates."""

    # Voxels at or above it make the components; 0: voxels above zero.
    threshold: float
    score: str = "max"
    # Smaller components are left out.
    min_voxels: int = 1

    @classmethod
    def parse(cls, text: Any) -> Candidates:
        """Candidates from a mapping, or from text as ``threshold=0.5,score=max,min_voxels=10``.

        >>> Candidates.parse("threshold=0.1,score=mean")
        Candidates(threshold=0.1, score='mean', min_voxels=1)
        """
        parts = _parts(text)
        for name in parts:
            if name not in PARTS:
                raise UnknownNameError("part of candidates", name, PARTS)
        if "threshold" not in parts:
            raise OptionError(f"candidates {shown(text)} lack a threshold; write them as {EXAMPLE}")
        try:
            threshold, least = float(parts["threshold"]), int(parts.get("min_voxels", 1))
        except (TypeError, ValueError, OverflowError):
            threshold, least = np.nan, 0
        score = parts.get("score", "max")
        if score not in SCORES:
            raise UnknownNameError("score of candidates", score, SCORES)
        if not (np.isfinite(threshold) and threshold >= 0 and least >= 1):
            raise OptionError(
                f"candidates {shown(text)}: the threshold must be a number ≥ 0, and "
                f"min_voxels an integer ≥ 1, as in {EXAMPLE}"
            )
        return cls(threshold, score, least)


def _parts(text: Any) -> dict[str, Any]:
    if isinstance(text, Mapping):
        return dict(text)
    if not isinstance(text, str):
        raise OptionError(f"candidates {shown(text)} cannot be read; write them as {EXAMPLE}")
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name and value for name, _, value in pairs):
        raise OptionError(f"candidates {shown(text)} cannot be read; write them as {EXAMPLE}")
    return {name.strip(): value.strip() for name, _, value in pairs}


def probability_objects(source: Path, how: ReadingObjects) -> ObjectSet:
    """The candidates of a folder of maps, or of one."""
    if how.role is Role.REFERENCES:
        raise OptionError("maps of probabilities are detections; references are label maps")
    if how.candidates is None:
        raise OptionError(
            "maps of probabilities need a way to candidates (components of voxels at or above a "
            f"threshold, scored by their max or mean): {spelled('candidates', EXAMPLE)}"
        )
    way = Candidates.parse(how.candidates)
    read = read_maps(source, read_map, lambda image, file: _candidates(image, file, way))
    structures = list(read.structures_of_objects())
    classes = sorted(set(read.structures), key=natural_key)
    category = [classes.index(name) for name in structures]
    names = [ONLY_CLASS] if classes == [""] else classes
    voxels = f"voxels ≥ {way.threshold:g}" if way.threshold else "voxels > 0"
    note = f"candidates are components of {voxels} (corners connect), scored by their {way.score}"
    if way.min_voxels > 1:
        note += f", of {way.min_voxels} voxels or more"
    return read.finished(names, category, (note,))


def _candidates(image: Image, file: Path, way: Candidates) -> list[Labelled]:
    values = image.voxels
    if not np.isfinite(values).all():
        raise DataError(f"{file}: holds NaN or infinite values, which are no probabilities")
    above = values >= way.threshold if way.threshold else values > 0
    numbered = connected(above)
    return [
        Labelled(mask, number, float(SCORES[way.score](_inside(values, mask))))
        for number, mask in masks_of(numbered, file)
        if np.count_nonzero(mask.mask) >= way.min_voxels
    ]


def _inside(values: NDArray[Any], mask: CroppedMask) -> NDArray[np.float64]:
    box = tuple(
        slice(start, start + side) for start, side in zip(mask.start, mask.mask.shape, strict=True)
    )
    return np.asarray(values[box][mask.mask], dtype=float)
