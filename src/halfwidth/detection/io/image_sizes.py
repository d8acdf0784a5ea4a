"""How large images are: from the images, a table, or as the user says."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError, OptionError, one_line, shortened, shown
from halfwidth.detection.io.box_columns import image_column, named_column
from halfwidth.detection.io.coco import coco_objects
from halfwidth.detection.io.image_names import bare
from halfwidth.detection.io.reading_options import ReadingObjects, Role
from halfwidth.io.json_files import json_document
from halfwidth.io.paths import no_such_file
from halfwidth.io.plain_tables import plain_table
from halfwidth.io.table_sources import Source

EXTRA = "pip install 'halfwidth[images]'"
SUFFIXES = {".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".gif", ".ppm", ".pgm"}
WIDTHS = ("width", "imagewidth", "w", "imgwidth")
HEIGHTS = ("height", "imageheight", "h", "imgheight")


def shapes_of(images: Sequence[str], source: Any) -> tuple[tuple[int, int], ...]:
    """Height and width of images, of a folder, a table, JSON of COCO, or sizes by name."""
    if isinstance(source, Mapping):
        known = {str(name): _size(name, size) for name, size in source.items()}
    elif isinstance(source, str | Path):
        known = _read_path(Path(source), images)
    else:
        raise OptionError(
            f"image_sizes {shown(source)} gives no sizes; give a folder with the images, a table, "
            "or {'name': (width, height)}"
        )
    by_stem = {bare(name): size for name, size in known.items()}
    shapes = [known.get(image) or by_stem.get(bare(image)) for image in images]
    missing = [image for image, size in zip(images, shapes, strict=True) if size is None]
    if missing:
        raise DataError(
            f"image_sizes lacks {len(missing)} images ({shortened(missing, 3)}); it has "
            f"{shortened(list(known), 3) or 'none'}"
        )
    return tuple(size for size in shapes if size is not None)


def _size(name: object, size: Any) -> tuple[int, int]:
    """Height and width, from width and height."""
    try:
        width, height = (int(side) for side in size)
    except (TypeError, ValueError, OverflowError):
        width = height = 0
    if min(width, height) < 1:
        raise DataError(f"the size of {str(name)!r} is {shown(size)}; (width, height) is expected")
    return height, width


def _read_path(path: Path, images: Sequence[str]) -> dict[str, tuple[int, int]]:
    if not path.exists():
        raise no_such_file(path)
    if path.is_dir():
        return _read_folder(path, images)
    try:
        return _read_coco(path) if path.suffix.lower() == ".json" else _read_table(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None


def _read_coco(path: Path) -> dict[str, tuple[int, int]]:
    try:
        with Source.open(path) as source:
            document = json_document(source)
        if not isinstance(document, Mapping):
            raise DataError("lists no 'images'")  # noqa: TRY301 -- named below like the others
        how = ReadingObjects(role=Role.REFERENCES, masks=False)
        read = coco_objects({**document, "annotations": []}, how)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    if read.shapes is None:
        raise DataError(f"{path}: its images lack 'height' and 'width'")
    return {
        image: (shape[0], shape[1]) for image, shape in zip(read.images, read.shapes, strict=True)
    }


def _read_table(path: Path) -> dict[str, tuple[int, int]]:
    table = plain_table(path)
    image = image_column(table.names)
    width, height = (named_column(table.names, keys) for keys in (WIDTHS, HEIGHTS))
    if image is None or width is None or height is None:
        raise DataError(
            f"{path}: has the columns {shortened(table.names, 8)}; sizes of images are in image, "
            "width and height"
        )
    levels = zip(table.levels(image), table.levels(width), table.levels(height), strict=True)
    return {str(name): _size(name, size) for name, *size in levels if name is not None}


def _read_folder(folder: Path, images: Sequence[str]) -> dict[str, tuple[int, int]]:
    wanted = {bare(image) for image in images}
    files = [
        file
        for file in sorted(folder.iterdir())
        if file.suffix.lower() in SUFFIXES and bare(file.name) in wanted
    ]
    return {file.name: _read_header(file) for file in files}


def _read_header(file: Path) -> tuple[int, int]:
    """The size that the header of an image states."""
    try:
        from PIL import Image
    except ImportError:
        raise DataError(f"sizes of images need pillow: {EXTRA}") from None
    try:
        with warnings.catch_warnings():
            # Of images with very many pixels, which are not unpacked here.
            warnings.simplefilter("ignore")
            with Image.open(file) as picture:
                return int(picture.height), int(picture.width)
    except Exception as error:  # noqa: BLE001 -- the library raises a dozen kinds of its own
        raise DataError(f"{file}: cannot be read as an image ({one_line(error)})") from None
