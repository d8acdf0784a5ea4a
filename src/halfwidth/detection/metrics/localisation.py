"""How well a detection lies on a reference object: the criteria of localisation.

Each is a function of pairs of objects, so that those of many images can be measured in one call
and those of different classes never.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.frozen import frozen
from halfwidth.core.kinds import Better
from halfwidth.core.objects import Objects
from halfwidth.core.types import Array
from halfwidth.detection.matching.match_lists import Admits
from halfwidth.detection.metrics.representations import Known

Places = NDArray[np.intp]


@frozen(eq=False)
class Pairs:
    """Pairs of a detection and a reference, P > 0 of them, of images that share their geometry."""

    detections: Objects
    references: Objects
    # Places among both, (P,).
    first: Places
    second: Places
    # Of voxels along the axes of masks; None: lengths are in voxels, or in the unit of the
    # coordinates.
    spacing: tuple[float, ...] | None = None
    # Of the images.
    shape: tuple[int, ...] | None = None
    # As in `MatchingRule`.
    boundary_distance: float | None = None

    def some(self, which: slice) -> Pairs:
        """Some of the pairs."""
        return dataclasses.replace(self, first=self.first[which], second=self.second[which])

    @property
    def crowd(self) -> NDArray[np.bool_] | None:
        """Whether the reference of each pair is a crowd; None where none is."""
        crowd = self.references.crowd
        return None if crowd is None or not crowd.any() else crowd[self.second]


@frozen(eq=False)
class LocalisationSpec:
    """What is known of a criterion of localisation."""

    name: str
    title: str
    summary: str
    # Of `Pairs`, at least one, the value of each.
    function: Callable[[Pairs], Array]
    # What it can be measured on, the first that is there being taken.
    of_detections: tuple[Known, ...]
    of_references: tuple[Known, ...]
    # Whether both sides must be given in the same way.
    alike: bool = False
    better: Better = Better.HIGHER
    # Whether the threshold itself will do, unless the user says otherwise.
    admits: Admits = Admits.AT_LEAST
    # The usual one; None where the user must name it.
    threshold: float | None = None
    # Of its values. What is in mm is in voxels, or in the unit of the coordinates, where images
    # have no spacing.
    unit: str = ""
    # Whether it depends on the spacing or the shape of the images.
    spaced: bool = False
    # Whether at most one of several objects that do not overlap can lie above one half.
    of_overlap: bool = False
    # Whether boxes stand for objects; where both sides must be alike, unless both have masks.
    by_boxes: bool = False
    # Whether its values are 1 and 0 alone, so that there is no threshold to choose.
    binary: bool = False
    pitfalls: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    cite: str = ""
    # What to take where it cannot be measured.
    instead: str = ""
