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
from halfwidth.core.match_lists import Admits
from halfwidth.core.objects import Objects
from halfwidth.core.types import Array
from halfwidth.metrics.detection.representations import Known

Places = NDArray[np.intp]


@frozen(eq=False)
class Pairs:
    """Pairs of a detection and a reference, P > 0 of them, of images that share their geometry.

    Attributes
    ----------
    detections, references : Objects
    first, second : ndarray of int, shape (P,)
        Places among both.
    spacing : tuple of float, or None
        Of voxels along the axes of masks; None: lengths are in voxels, or in the unit of the
        coordinates.
    shape : tuple of int, or None
        Of the images.
    boundary_distance : float or None
        As in `MatchingRule`.
    """

    detections: Objects
    references: Objects
    first: Places
    second: Places
    spacing: tuple[float, ...] | None = None
    shape: tuple[int, ...] | None = None
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
    """What is known of a criterion of localisation.

    Attributes
    ----------
    name, title, summary : str
    function : callable
        Of `Pairs`, at least one, the value of each.
    of_detections, of_references : tuple of Known
        What it can be measured on, the first that is there being taken.
    alike : bool
        Whether both sides must be given in the same way.
    better : Better
    admits : Admits
        Whether the threshold itself will do, unless the user says otherwise.
    threshold : float or None
        The usual one; None where the user must name it.
    unit : str
        Of its values; empty where it has none. What is in mm is in voxels, or in the unit of the
        coordinates, where images have no spacing.
    spaced : bool
        Whether it depends on the spacing or the shape of the images.
    of_overlap : bool
        Whether at most one of several objects that do not overlap can lie above one half.
    binary : bool
        Whether its values are 1 and 0 alone, so that there is no threshold to choose.
    pitfalls : tuple of str
    synonyms : tuple of str
    cite : str
    instead : str
        What to take where it cannot be measured.
    """

    name: str
    title: str
    summary: str
    function: Callable[[Pairs], Array]
    of_detections: tuple[Known, ...]
    of_references: tuple[Known, ...]
    alike: bool = False
    better: Better = Better.HIGHER
    admits: Admits = Admits.AT_LEAST
    threshold: float | None = None
    unit: str = ""
    spaced: bool = False
    of_overlap: bool = False
    binary: bool = False
    pitfalls: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    cite: str = ""
    instead: str = ""
