"""Masks of COCO: polygons, and run-length encodings with and without compression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, MissingLibraryError, shown
from halfwidth.core.objects import CroppedMask
from halfwidth.detection.io.rle import mask_of_rle, shape_of

EXTRA = "pip install 'halfwidth[detection]'"
# Pixels of decoded masks that are kept, cropped to their bounding boxes, a byte each.
MOST_PIXELS = 2 * 10**8
# Beyond the size of its image, a corner of a polygon is damage: pycocotools walks along each edge.
FARTHEST = 4


def has_segmentation(segmentation: Any) -> bool:
    """Whether an annotation has a mask: an empty list says that it has none."""
    return segmentation is not None and not (isinstance(segmentation, list) and not segmentation)


class MaskReader:
    """Reads the masks of a set; each is checked when it is read, and decoded when it is needed.

    The masks of a data set take many times the memory of their codes, and boxes alone may be
    asked for. Those that were needed last are kept, up to a limit.
    """

    def __init__(self, source: str = "") -> None:
        self._prefix = f"{source}: " if source else ""
        self._kept: dict[int, CroppedMask] = {}
        self._pixels = self._read = 0

    def read(self, segmentation: Any, shape: tuple[int, ...] | None, named: str) -> EncodedMask:
        """One mask.

        ``segmentation``: a run-length encoding, or polygons. Empty: there is none, which is an
        error only for who needs it; ``shape``: of the image; None where nobody says; ``named``:
        what messages call the object.
        """
        if not has_segmentation(segmentation):
            return self._encoded(None, (), named)
        if not isinstance(segmentation, Mapping):
            if shape is None:
                raise DataError(
                    f"{named} has polygons, and its image no 'height' and 'width' to draw them in"
                )
            return self._encoded(_checked(segmentation, shape, named), shape, named)
        encoded = dict(segmentation)
        try:
            own_shape = shape_of(encoded)
        except DataError as error:
            raise DataError(f"{named} {error}") from None
        if shape is not None and own_shape != shape:
            raise DataError(
                f"{named} has a mask of {_times(own_shape)} pixels (height x width) in an image of "
                f"{_times(shape)}"
            )
        return self._encoded(encoded, own_shape, named)

    def _encoded(self, code: Any, shape: tuple[int, ...], named: str) -> EncodedMask:
        self._read += 1
        return EncodedMask(self, self._read, code, shape, f"{self._prefix}{named}")

    def decoded(self, encoded: EncodedMask) -> CroppedMask:
        """The mask, from its code or as it was decoded not long ago."""
        kept = self._kept.get(encoded.number)
        if kept is None:
            kept = encoded.decode()
            self._pixels += kept.mask.size
            if self._pixels > MOST_PIXELS:
                self._kept, self._pixels = {}, kept.mask.size
            self._kept[encoded.number] = kept
        return kept


class EncodedMask(CroppedMask):
    """A mask that is decoded when it is needed; it has what a `CroppedMask` has."""

    _reader: MaskReader
    _code: Any
    _shape: tuple[int, ...]
    _named: str
    number: int

    def __init__(
        self, reader: MaskReader, number: int, code: Any, shape: tuple[int, ...], named: str
    ) -> None:
        vars(self).update(_reader=reader, number=number, _code=code, _shape=shape, _named=named)

    @property
    def start(self) -> tuple[int, ...]:
        """Where its part of the image begins."""
        return self._reader.decoded(self).start

    @property
    def mask(self) -> NDArray[np.bool_]:
        """The part, cropped to the bounding box."""
        return self._reader.decoded(self).mask

    @property
    def dims(self) -> int:
        """Axes of the image, which need no decoding: a picture has two."""
        return 2

    def decode(self) -> CroppedMask:
        """The mask that the code is of."""
        try:
            if self._code is None:
                raise DataError("has no segmentation, but others do")  # noqa: TRY301
            if isinstance(self._code, dict):
                return mask_of_rle(self._code)
            return _fill_polygons(self._code, self._shape)
        except DataError as error:
            raise type(error)(f"{self._named} {error}") from None


def _fill_polygons(polygons: list[list[float]], shape: tuple[int, ...]) -> CroppedMask:
    """The mask of polygons, drawn as COCO draws them."""
    try:
        from pycocotools import mask as drawing
    except ImportError:
        raise MissingLibraryError(
            f"has polygons, and drawing them as COCO does needs pycocotools: {EXTRA}"
        ) from None
    height, width = shape
    encoded = drawing.merge(drawing.frPyObjects(polygons, height, width))
    return mask_of_rle({"size": [height, width], "counts": encoded["counts"]})


def _checked(segmentation: Any, shape: tuple[int, ...], named: str) -> list[list[float]]:
    """Polygons that are some."""
    if not isinstance(segmentation, list | tuple) or not segmentation:
        raise DataError(
            f"{named} has the segmentation {shown(segmentation)}; it is a list of polygons or a "
            "run-length encoding"
        )
    farthest = FARTHEST * max(shape)
    for polygon in segmentation:
        try:
            corners = np.array(polygon, dtype=float)
        except (TypeError, ValueError, OverflowError):
            corners = np.empty(0)
        if corners.ndim != 1 or len(corners) < 6 or len(corners) % 2:
            raise DataError(
                f"{named} has the polygon {shown(polygon)}; a polygon is a list of three points or "
                "more [x1, y1, x2, y2, …]"
            )
        if not (np.abs(corners) <= farthest).all():
            raise DataError(f"{named} has a polygon far outside its image ({shown(polygon)})")
    return list(segmentation)


def _times(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))
