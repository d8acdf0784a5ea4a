"""A predicted and a reference mask, cropped once, with everything that metrics share."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.parameters import Parameter
from halfwidth.core.types import Array, decimals
from halfwidth.core.undefined import Status, presence_of
from halfwidth.metrics.bits import BitMask, layer_ranges
from halfwidth.metrics.boundary_geometry import boundary_bits, nearest_distances
from halfwidth.metrics.surface import surface_elements

Mask = NDArray[np.bool_]


class Counts(NamedTuple):
    """Voxels of the whole image by what they are in the prediction and in the reference."""

    tp: int
    fn: int
    fp: int
    tn: int


@frozen(eq=False)
class Surface:
    """Distances from the pieces of one surface to the other surface, and what each piece weighs."""

    distances: Array
    weights: Array


def definition_of(
    *words: tuple[str, float],
    summary: str = "of the boundary, and of how the two directions are combined",
    in_voxels: tuple[str, ...] = (),
    named: bool = False,
) -> Parameter:
    """The parameter by which definitions of one metric differ."""
    return Parameter(
        "definition",
        # Unknown for values that arrive ready-made.
        None,
        summary,
        words=words,
        choices=tuple(number for _, number in words),
        in_voxels=in_voxels,
        named=named,
        optional=True,
    )


@frozen(eq=False)
class MaskPair:
    """A predicted and a reference mask; metrics called on it share what they have in common.

    Boundaries, distances and surfaces are computed when the first metric asks for them, once.

    Attributes
    ----------
    prediction, reference : ndarray of bool
        Cropped to the box around both; outside of it is background. Axes of length 1 are dropped,
        so that an image with a single slice is a picture, not a volume that is all boundary.
    spacing : tuple of float or None
        Millimetres per voxel along each axis of the crops; None where none was given.
    shape : tuple of int
        Of the whole image, without axes of length 1.
    voxel_size : float or None
        Volume (in a picture area) of a voxel, dropped axes included.

    Examples
    --------
    >>> pair = MaskPair.of([[0, 1, 1], [0, 1, 1]], [[1, 1, 1], [0, 0, 0]], spacing=1)
    >>> pair.counts
    Counts(tp=2, fn=1, fp=2, tn=1)
    """

    prediction: Mask
    reference: Mask
    spacing: tuple[float, ...] | None
    shape: tuple[int, ...]
    voxel_size: float | None

    @classmethod
    def of(
        cls,
        prediction: ArrayLike,
        reference: ArrayLike,
        spacing: ArrayLike | None = None,
    ) -> MaskPair:
        """Check two masks and crop them.

        Parameters
        ----------
        prediction, reference : array-like, 2-D or 3-D
            Masks of the same shape: booleans, or numbers that are all 0 or 1.
        spacing : float or sequence of float, optional
            Millimetres per voxel, one for all axes or one for each, in the order of the axes.

        Raises
        ------
        DataError
            If shapes differ or an array is no mask.
        OptionError
            If the spacing does not fit.
        """
        masks = _as_mask(prediction, "prediction"), _as_mask(reference, "reference")
        shapes = [mask.shape for mask in masks]
        if shapes[0] != shapes[1]:
            raise DataError(
                f"prediction has shape {shapes[0]}, reference {shapes[1]}: masks of one image have "
                "the same shape"
            )
        steps = as_spacing(spacing, len(shapes[0]))
        box = union_box(*(bounding_box(mask) for mask in masks), ndim=len(shapes[0]))
        # Copies: what is computed later must not follow changes of the caller's arrays. And by
        # way of bytes, since those of a boolean need not be 0 and 1 (Pillow's are 0 and 255).
        crops = [mask[box].view(np.uint8) != 0 for mask in masks]
        return cls.from_crops(crops[0], crops[1], steps, shapes[0])

    @classmethod
    def from_crops(
        cls,
        prediction: Mask,
        reference: Mask,
        spacing: tuple[float, ...] | None,
        shape: tuple[int, ...],
    ) -> MaskPair:
        """Put masks that are cropped already into a box that holds all of both."""
        long = [axis for axis, length in enumerate(shape) if length > 1]
        # Two axes are kept, the last ones if there is a choice.
        flat = [axis for axis in range(len(shape)) if axis not in long]
        kept = sorted([*long, *flat[len(flat) - max(0, 2 - len(long)) :]])
        dropped = tuple(axis for axis in range(len(shape)) if axis not in kept)
        return cls(
            _flattened(prediction, dropped),
            _flattened(reference, dropped),
            None if spacing is None else tuple(spacing[axis] for axis in kept),
            tuple(shape[axis] for axis in kept),
            None if spacing is None else math.prod(spacing),
        )

    @functools.cached_property
    def counts(self) -> Counts:
        """Voxels of the whole image."""
        tp = sum(
            int(np.count_nonzero(self.prediction[first:stop] & self.reference[first:stop]))
            for first, stop in layer_ranges(self.prediction.shape)
        )
        fp = int(np.count_nonzero(self.prediction)) - tp
        fn = int(np.count_nonzero(self.reference)) - tp
        return Counts(tp, fn, fp, math.prod(self.shape) - tp - fn - fp)

    @functools.cached_property
    def presence(self) -> Status:
        """Which of the two masks is empty."""
        tp, fn, fp, _ = self.counts
        return presence_of(tp + fp > 0, tp + fn > 0)

    @functools.cached_property
    def boundaries(self) -> tuple[BitMask, BitMask]:
        """Boundary voxels of the prediction and of the reference."""
        return boundary_bits(self.prediction), boundary_bits(self.reference)

    @functools.cached_property
    def distances(self) -> tuple[Array, Array]:
        """Distance of each boundary voxel to the other boundary: prediction, then reference."""
        predicted, true = self.boundaries
        steps = self.require_spacing()
        return nearest_distances(predicted, true, steps), nearest_distances(true, predicted, steps)

    @functools.cached_property
    def surfaces(self) -> tuple[Surface, Surface]:
        """Surface elements with their areas, and their distances to the other surface."""
        steps = self.require_spacing()
        predicted, areas = surface_elements(self.prediction, steps)
        true, true_areas = surface_elements(self.reference, steps)
        return (
            Surface(nearest_distances(predicted, true, steps), areas),
            Surface(nearest_distances(true, predicted, steps), true_areas),
        )

    def require_spacing(self) -> tuple[float, ...]:
        """The spacing, without which there are no distances."""
        if self.spacing is None:
            raise OptionError(
                "distances need the spacing of the voxels in mm, in the order of the axes: "
                f"{spelled('spacing', (2.5, 0.98, 0.98))} (of a MaskPair where it is made); "
                f"{spelled('spacing', 1)} says that they are meant in voxels"
            )
        return self.spacing


def paired(
    prediction: ArrayLike | MaskPair,
    reference: ArrayLike | None,
    spacing: ArrayLike | None = None,
) -> MaskPair:
    """The pair given, or one made of two masks."""
    if isinstance(prediction, MaskPair):
        if reference is not None or spacing is not None:
            raise OptionError(
                "a MaskPair holds both masks and their spacing: give it alone, and the "
                "spacing where it is made, MaskPair.of(prediction, reference, spacing=...)"
            )
        return prediction
    if reference is None:
        raise OptionError("a metric of masks compares two: (prediction, reference)")
    return MaskPair.of(prediction, reference, spacing)


def as_spacing(spacing: ArrayLike | None, ndim: int) -> tuple[float, ...] | None:
    """Millimetres per voxel along each axis, or an error that says what is wrong.

    >>> as_spacing(1, 3)
    (1.0, 1.0, 1.0)
    """
    if spacing is None:
        return None
    try:
        steps = np.asarray(spacing)
    except ValueError:
        steps = np.array("ragged")
    if steps.dtype.kind not in "iuf" or steps.shape not in {(), (ndim,)}:
        raise OptionError(
            f"{spelled('spacing', spacing)} is neither a number of mm per voxel nor one for each "
            f"of the {ndim} axes"
        )
    if steps.dtype in (np.float16, np.float32):
        steps = decimals(steps)
    steps = np.broadcast_to(steps.astype(float), (ndim,))
    if not (np.isfinite(steps) & (steps > 0)).all():
        raise OptionError(f"{spelled('spacing', spacing)} must be positive numbers (mm per voxel)")
    return tuple(float(step) for step in steps)


def bounding_box(mask: Mask) -> tuple[slice, ...] | None:
    """The smallest box that holds the foreground; None where there is none.

    >>> bounding_box(np.array([[False, False], [False, True]]))
    (slice(1, 2, None), slice(1, 2, None))
    """
    if mask.flags.f_contiguous and not mask.flags.c_contiguous:
        box = bounding_box(mask.T)
        return None if box is None else box[::-1]
    slices: list[slice] = []
    seen = mask
    for _ in range(mask.ndim):
        hit = np.flatnonzero(seen.any(axis=tuple(range(1, seen.ndim))))
        if not len(hit):
            return None
        slices.append(slice(int(hit[0]), int(hit[-1]) + 1))
        # The rest is sought within the layers found.
        seen = np.asarray(seen[slices[-1]].any(axis=0))
    return tuple(slices)


def union_box(*boxes: tuple[slice, ...] | None, ndim: int) -> tuple[slice, ...]:
    """The smallest box around several; an empty one where there is none."""
    known = [box for box in boxes if box is not None]
    if not known:
        return (slice(0, 0),) * ndim
    return tuple(
        slice(min(one.start for one in sides), max(one.stop for one in sides))
        for sides in zip(*known, strict=True)
    )


def _as_mask(values: Any, name: str) -> Mask:
    try:
        array = np.asarray(values)
    except ValueError:
        raise DataError(f"{name} is no array: its rows differ in length") from None
    if array.dtype != bool and array.dtype.kind not in "iuf":
        raise DataError(
            f"{name} is {type(values).__name__} of {array.dtype}; a mask is an array of booleans, "
            "or of 0 and 1"
        )
    if array.ndim not in (2, 3):
        raise DataError(
            f"{name} has shape {array.shape}; a mask has 2 or 3 axes: one case, one structure"
        )
    if array.size == 0:
        raise DataError(f"{name} has shape {array.shape}, which holds no voxel")
    if array.dtype == bool:
        return array
    _check_values(array, name)
    small = array.dtype.itemsize == 1 and array.dtype.kind in "iu"
    return array.view(bool) if small else array.astype(bool)


def _check_values(array: NDArray[Any], name: str) -> None:
    low, high = (0 if array.dtype.kind == "u" else array.min()), array.max()
    if np.isnan(high):
        raise DataError(f"{name} holds NaN; a mask holds booleans, or 0 and 1")
    if low < 0 or high > 1:
        wrong = low if low < 0 else high
        remedy = f"of a label map pick one label: {name} == 1 (or all: {name} > 0)"
    elif array.dtype.kind == "f" and not (whole := (array == 0) | (array == 1)).all():
        wrong, remedy = array[~whole][0], f"of probabilities take a threshold: {name} > 0.5"
    else:
        return
    raise DataError(f"{name} holds {wrong:g}; a mask holds booleans, or 0 and 1; {remedy}")


def _flattened(crop: Mask, dropped: tuple[int, ...]) -> Mask:
    """A crop without some axes, along which it has one layer, or none if it is empty."""
    layers = tuple(0 if axis in dropped else slice(None) for axis in range(crop.ndim))
    kept = crop[layers] if crop.size else np.zeros((0,) * (crop.ndim - len(dropped)), dtype=bool)
    return np.ascontiguousarray(kept)
