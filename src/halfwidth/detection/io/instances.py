"""Objects in label maps: instances as they are labelled, or components of labels."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, OptionError, UnknownNameError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.natural_order import natural_key
from halfwidth.core.objects import CroppedMask, ObjectSet
from halfwidth.core.option_names import spelled, spelled_both
from halfwidth.core.types import Array
from halfwidth.detection.io.class_names import names_of_classes
from halfwidth.detection.io.columns import Columns
from halfwidth.detection.io.instance_scores import scores_of
from halfwidth.detection.io.reading_options import ONLY_CLASS, ReadingObjects, Role
from halfwidth.io.grids import Image
from halfwidth.io.images import IMAGE_SUFFIXES, is_image, read_image, stem

INSTANCES = ("labels", "components")
# Objects of one image; a map of intensities has as many as it has grey values or specks.
MOST_OBJECTS = 10**5
# Labels up to here have a place each in a list; greater ones are numbered anew.
WIDE = 1 << 16
# A way from probabilities to candidates.
EXAMPLE = "threshold=0.5,score=max"
ALL_ONE = (
    "every map holds the label 1 alone, so that each image has one object at most; if they are "
    f"masks of several objects, say so ({spelled_both('instances', 'components')})"
)


def map_files(source: Path) -> dict[str, dict[str, Path]]:
    """The files of each image, by class: one, or a subfolder with one for each class."""
    if source.is_file():
        return {_name(source): {"": source}}
    images = {name: {"": file} for name, file in _images_in(source).items()}
    if images:
        return images
    folders = sorted(one for one in source.iterdir() if one.is_dir() and one.name[0] != ".")
    by_class = {unicodedata.normalize("NFC", one.name): _images_in(one) for one in folders}
    if not any(by_class.values()):
        raise DataError(
            f"no image ({shortened(IMAGE_SUFFIXES)}) is there (it holds "
            f"{shortened(sorted(one.name for one in source.iterdir()), 4) or 'nothing'})"
        )
    return {name: files for name, files in by_class.items() if files}


def _images_in(folder: Path) -> dict[str, Path]:
    images: dict[str, Path] = {}
    for file in sorted(folder.iterdir(), key=lambda file: natural_key(file.name)):
        if file.is_dir() or not is_image(file):
            continue
        name = _name(file)
        if name in images:
            raise DataError(
                f"{images[name].name!r} and {file.name!r} are both images of {name!r}; keep one"
            )
        images[name] = file
    return images


def _name(file: Path) -> str:
    """What an image is called, with composed accents: macOS decomposes them."""
    try:
        file.name.encode()
    except UnicodeEncodeError:
        raise DataError(f"the name {str(file.name)!r} is not text in UTF-8; rename it") from None
    return unicodedata.normalize("NFC", stem(file))


@frozen(eq=False)
class Labelled:
    """An object of a map."""

    mask: CroppedMask
    # Its value in the map.
    label: int
    score: float | None = None


def instance_objects(source: Path, how: ReadingObjects) -> ObjectSet:
    """The objects of a folder of label maps, or of one."""
    kind = how.instances or INSTANCES[0]
    if kind not in INSTANCES:
        raise UnknownNameError("kind of instances", kind, INSTANCES)
    objects_of = _components if kind == "components" else _labels
    read = read_maps(source, _labels_in, lambda image, file: objects_of(image.voxels, file))
    labels = [one.label for part in read.parts for one in part]
    scores = _scores(read, labels, how, kind)
    structures = [name for name in read.structures if name]
    if structures:
        if how.class_names is not None:
            raise OptionError(
                "class_names names labels, but here the classes are names of files; leave it out"
            )
        classes = sorted(set(structures), key=natural_key)
        category = [classes.index(name) for name in read.structures_of_objects()]
    elif kind == "components":
        numbers, classes = names_of_classes(labels, how.class_names)
        place_of = {number: place for place, number in enumerate(numbers)}
        category = [place_of[label] for label in labels]
    else:
        if how.class_names is not None:
            raise OptionError(
                "class_names names classes, but these labels count instances; leave it out"
            )
        classes, category = [ONLY_CLASS], [0] * len(labels)
    alone = kind == "labels" and labels and set(labels) == {1} and not structures
    return read.finished(classes, category, (ALL_ONE,) if alone else (), scores)


def _scores(read: Maps, labels: Sequence[int], how: ReadingObjects, kind: str) -> Array | None:
    """The scores of instances, from the table beside them."""
    if how.scores is None:
        return None
    if kind != "labels" or any(read.structures):
        raise OptionError("scores belong to labels of instances and need one map for each image")
    if how.role is Role.REFERENCES:
        raise OptionError("references have no scores; give scores with the detections")
    owners = [
        read.images[owner]
        for owner, part in zip(read.owners, read.parts, strict=True)
        for _ in part
    ]
    return scores_of(owners, labels, how.scores)


def _labels_in(file: Path) -> Image:
    try:
        return read_image(file)
    except DataError as error:
        hint = "looks like probabilities"
        if hint not in str(error):
            raise
        raise DataError(
            f"{error}; or say how candidates come from it: {spelled('candidates', EXAMPLE)}"
        ) from None


@frozen(eq=False)
class Maps:
    """What a folder of maps holds: a part for each file."""

    images: list[str]
    # Of each part, the place of its image.
    owners: list[int]
    # Of each part, the name of its file where each class has one; else empty.
    structures: list[str]
    parts: list[list[Labelled]]
    # Of each image, without voxels.
    grids: list[Image]
    notes: list[str]
    by_place: bool

    def structures_of_objects(self) -> Iterator[str]:
        """The structure of each object."""
        for part, structure in zip(self.parts, self.structures, strict=True):
            yield from [structure] * len(part)

    def finished(
        self,
        classes: Sequence[str],
        category: Sequence[int],
        notes: tuple[str, ...],
        scores: Array | None = None,
    ) -> ObjectSet:
        """The set of all objects, whose classes are known."""
        objects = [one for part in self.parts for one in part]
        owners = np.repeat(self.owners, [len(part) for part in self.parts])
        own = [one.score for one in objects]
        if scores is None and own and None not in own:
            scores = np.array(own, dtype=float)
        columns = Columns(
            image=np.asarray(owners, dtype=np.intp),
            category=np.array(category, dtype=np.intp),
            masks=[one.mask for one in objects],
            score=scores,
        )
        spacings = tuple(grid.spacing for grid in self.grids if grid.spacing is not None)
        return ObjectSet(
            tuple(self.images),
            columns.dealt_out(len(self.images)),
            tuple(classes),
            shapes=tuple(grid.voxels.shape for grid in self.grids),
            spacing=spacings if len(spacings) == len(self.grids) else None,
            grids=tuple(self.grids),
            by_place=self.by_place,
            notes=(*notes, *dict.fromkeys(self.notes)),
        )


def read_maps(
    source: Path,
    read: Callable[[Path], Image],
    objects_of: Callable[[Image, Path], list[Labelled]],
) -> Maps:
    """The objects of all maps of a source."""
    files = map_files(source)
    maps = Maps(list(files), [], [], [], [], [], by_place=source.is_file())
    for place, by_class in enumerate(files.values()):
        shape: tuple[int, ...] | None = None
        for structure, file in by_class.items():
            image = read(file)
            if shape is not None and image.voxels.shape != shape:
                raise DataError(
                    f"{file}: has {_times(image.voxels.shape)} voxels, and another structure of "
                    f"the same image {_times(shape)}"
                )
            if shape is None:
                shape = image.voxels.shape
                # A view of one voxel stands for them all: the shape is what is kept.
                stand_in = np.broadcast_to(np.zeros((), dtype=bool), shape)
                maps.grids.append(Image(stand_in, image.spacing, image.geometry))
            maps.notes.extend(image.notes)
            maps.owners.append(place)
            maps.structures.append(structure)
            maps.parts.append(objects_of(image, file))
    return maps


def _times(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))


def _labels(voxels: NDArray[Any], file: Path) -> list[Labelled]:
    """The object of each label."""
    if not voxels.any():
        return []
    if voxels.dtype == bool or int(voxels.max()) <= WIDE:
        values, numbered = None, voxels.view(np.uint8) if voxels.dtype == bool else voxels
    else:
        values, numbered = np.unique(voxels, return_inverse=True)
        first = int(values[0] != 0)
        numbered = numbered.reshape(voxels.shape) + first
        values = np.concatenate([np.zeros(first, values.dtype), values])
    return [
        Labelled(mask, number if values is None else int(values[number]))
        for number, mask in masks_of(numbered, file)
    ]


def _components(voxels: NDArray[Any], file: Path) -> list[Labelled]:
    """The components of each label; voxels that touch by a corner are one."""
    components: list[Labelled] = []
    for whole in _labels(voxels, file):
        start = np.array(whole.mask.start)
        for _, part in masks_of(connected(whole.mask.mask), file):
            moved = tuple((start + part.start).tolist())
            components.append(Labelled(CroppedMask(moved, part.mask), whole.label))
            check_count(len(components), file)
    return components


def connected(mask: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Components numbered from 1 on; faces, edges and corners connect."""
    from scipy.ndimage import generate_binary_structure, label

    numbered, _ = cast("Any", label(mask, generate_binary_structure(mask.ndim, mask.ndim)))
    return cast("NDArray[np.int32]", numbered)


def masks_of(numbered: NDArray[Any], file: Path) -> Iterator[tuple[int, CroppedMask]]:
    """The mask of each number that occurs, cropped to its bounding box."""
    from scipy.ndimage import find_objects

    boxes = find_objects(numbered)
    check_count(sum(box is not None for box in boxes), file)
    for number, box in enumerate(boxes, start=1):
        if box is not None:
            start = tuple(side.start for side in box)
            yield number, CroppedMask(start, np.asarray(numbered[box] == number))


def check_count(count: int, file: Path) -> None:
    """Refuse far more objects than an image has."""
    if count > MOST_OBJECTS:
        raise DataError(
            f"{file}: has {count} objects or more; is it a map of instances, or of intensities?"
        )
