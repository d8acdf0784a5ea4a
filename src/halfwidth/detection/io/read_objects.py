"""Reading objects of any known format, and bringing detections and references together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from halfwidth.core.errors import DataError, HalfwidthError, UnknownNameError
from halfwidth.core.objects import ObjectSet
from halfwidth.core.option_names import spelled
from halfwidth.detection.io.alignment import (
    check_axes,
    with_classes_of,
    with_images_of,
    with_one_class,
    with_units_of,
)
from halfwidth.detection.io.coco import is_coco
from halfwidth.detection.io.in_memory import WHERE
from halfwidth.detection.io.plausibility import notes_on_extent, notes_on_repeats
from halfwidth.detection.io.reading import (
    AUTO,
    OF_DETECTIONS,
    Beside,
    columns_of_role,
    completed,
    convention_of,
    is_file,
    known_options,
    named,
    objects_of,
    role_of,
)
from halfwidth.detection.io.reading_options import BOX_FORMATS, ReadingObjects, Role

UNKNOWN_IMAGES = ("raise", "omit")


def names_detectors(source: Any) -> bool:
    """Whether it is a mapping from names to the detections of several detectors."""
    if not isinstance(source, Mapping) or not source or is_coco(source):
        return False
    return not any(isinstance(one, Mapping) and {*WHERE} & {*one} for one in source.values())


def read_objects(
    source: Any,
    *,
    role: Literal["detections", "references"] = "detections",
    format: str = AUTO,  # noqa: A002 -- what users call it
    masks: bool = True,
    groups: str | None = None,
    strata: str | None = None,
    box_format: Literal["xyxy", "xywh", "cxcywh"] | None = None,
    box_convention: Literal["continuous", "inclusive"] | None = None,
    columns: Mapping[str, str] | None = None,
    images: Any = None,
    image_sizes: Any = None,
    class_names: Any = None,
    instances: Literal["labels", "components"] | None = None,
    scores: Any = None,
    candidates: Any = None,
    excluded: Any = None,
) -> ObjectSet:
    """The objects of a file, a folder, or of what is in memory.

    Parameters
    ----------
    source : path, list, mapping, data frame or ObjectSet
        COCO JSON (references; a list of results; a document whose annotations have scores); a table
        of boxes or of centres with a diameter; a folder of YOLO text, of Pascal VOC XML, of label
        maps or of maps of probabilities; or in memory: what COCO's JSON holds, a data frame, a list
        with a dict for each image (``boxes``, ``labels``, ``scores``, ``masks``, as torchvision and
        torchmetrics have them), or a mapping from names of images to such dicts.
    role : {"detections", "references"}, default "detections"
        Scores are of detections; crowds, ignored objects and areas of references.
    format : {"auto", "coco", "table", "yolo", "voc", "labels", "probabilities"}, default "auto"
        ``"coco"``, ``"table"``, ``"yolo"``, ``"voc"``, ``"labels"`` or ``"probabilities"``;
        ``"auto"`` tells it from the names of files.
    masks : bool, default True
        Whether masks are read where there are some; boxes alone take less time and memory.
    groups : str, optional
        What names the cluster of each image: a field of the images of COCO, a column of a
        table, or the path of a table with a column of images and one of these.
    strata : str, optional
        What names the stratum of each image, as the cluster.
    box_format : {"xyxy", "xywh", "cxcywh"}, optional
        Of boxes whose columns leave it open: ``"xyxy"`` (two corners), ``"xywh"`` (the low
        corner and the sides) or ``"cxcywh"`` (the centre and the sides). Default of boxes in
        memory: two corners.
    box_convention : {"continuous", "inclusive"}, optional
        Corners are places (``"continuous"``) or the first and the last pixel (``"inclusive"``);
        default: inclusive for Pascal VOC, else continuous.
    columns : mapping, optional
        Columns of a table by role: image, class, score, box (four or six, with commas), point,
        radius, diameter, crowd, ignored, area.
    images : path or sequence of str, optional
        All images, those without objects among them, where the references name only others: a
        text with a name in each line, a table, or a folder.
    image_sizes : path or mapping, optional
        Of YOLO's images: a folder with them, a table, or COCO JSON. Or (width, height) by name.
    class_names : path, sequence or mapping, optional
        Names of classes that are numbered: a text with a name in each line. Or names by number.
    instances : {"labels", "components"}, optional
        In label maps objects are the labels, or the components of each label, a class.
    scores : path or data frame, optional
        Of the instances of label maps: a table with columns image, label and score.
    candidates : str or mapping, optional
        The way from maps of probabilities to candidates, their components:
        ``threshold=0.5,score=max``.
    excluded : path or data frame, optional
        Table of findings that need not be found, as LUNA16's ``annotations_excluded.csv``.

    Raises
    ------
    DataError
        If it cannot be read, or holds what is no object.
    OptionError
        If an option is not for the format.

    Examples
    --------
    >>> found = read_objects([{"boxes": [[0, 0, 4, 3]], "scores": [0.9], "labels": [1]}])
    >>> found.classes, found.objects[0].boxes
    (('1',), array([[0., 0., 4., 3.]]))
    """
    if isinstance(source, ObjectSet):
        return source
    layout: Any = box_format
    if layout is not None and layout not in BOX_FORMATS:
        raise UnknownNameError("box format", layout, BOX_FORMATS)
    name = str(source) if isinstance(source, str | Path) else str(role)
    how = ReadingObjects(
        role=role_of(role),
        source=name,
        masks=masks,
        groups=None if is_file(groups) else groups,
        strata=None if is_file(strata) else strata,
        box_format=box_format,
        box_convention=convention_of(box_convention),
        columns=columns,
        image_sizes=image_sizes,
        class_names=class_names,
        instances=instances,
        scores=scores,
        candidates=candidates,
        excluded=excluded,
    )
    try:
        read, all_named = objects_of(source, format, how)
        beside = Beside(images=images, excluded=excluded, groups=groups, strata=strata)
        return replace(completed(read, how, beside, all_named=all_named), source=name)
    except OSError as error:
        raise DataError(f"{name}: cannot be read ({error.strerror or error})") from None
    except MemoryError:
        raise DataError(f"{name}: does not fit into memory") from None
    except HalfwidthError as error:
        raise named(error, name) from None


def align(
    detections: ObjectSet,
    references: ObjectSet,
    *,
    classes: Sequence[str] | Mapping[str, str] | None = None,
    unknown_images: Literal["raise", "omit"] = "raise",
    by_class: bool = True,
) -> tuple[ObjectSet, ObjectSet, tuple[str, ...]]:
    """Detections and references of the same images and classes, and notes on how.

    Images are those of the references. They are matched by their names (the file names of COCO),
    or by ids where the detections have nothing else; names may differ in folders and suffixes.
    Classes are matched by name, or by id where the detections have nothing else.

    ``classes``: the classes that count; objects of others are left out. A mapping instead gives
    names of the detections the references' names; ``unknown_images``: what becomes of detections of
    images that the references lack; ``by_class``: whether classes are told apart; else all objects
    are of one.

    Of the same images and classes, in the same order.

    >>> one = {"boxes": [[0, 0, 4, 3]], "labels": ["cat"]}
    >>> found = read_objects({"a.png": one | {"scores": [0.9]}})
    >>> truth = read_objects({"a.jpg": one, "b.jpg": one}, role="references")
    >>> detections, references, notes = align(found, truth)
    >>> [len(objects) for objects in detections.objects]
    [1, 0]
    """
    if unknown_images not in UNKNOWN_IMAGES:
        raise UnknownNameError("policy for unknown images", unknown_images, UNKNOWN_IMAGES)
    if not references.images:
        raise DataError(
            f"{references.source or 'references'}: there are no images; list them: "
            f"{spelled('images')}"
        )
    class_notes: tuple[str, ...] = ()
    if by_class or classes is not None:
        detections, references, class_notes = with_classes_of(detections, references, classes)
    if not by_class:
        detections, references = with_one_class(detections), with_one_class(references)
    detections, image_notes = with_images_of(
        detections, references, omit_unknown=unknown_images == "omit"
    )
    detections, references, unit_notes = with_units_of(detections, references)
    check_axes(detections, references)
    notes = (*references.notes, *detections.notes, *image_notes, *class_notes, *unit_notes)
    notes += notes_on_extent(detections, "detections") + notes_on_extent(references, "references")
    notes += notes_on_repeats(detections, references)
    return detections, references, tuple(dict.fromkeys(notes))


def read_both(
    detections: Any,
    references: Any,
    options: Mapping[str, Any] | None = None,
) -> tuple[ObjectSet, ObjectSet]:
    """Detections and references, each with those of some options that are for its format.

    ``options``: further ones of `read_objects`. Groups, strata, the list of images and excluded
    findings are those of the references, scores and the way to candidates those of the detections.

    >>> frame = {"image": ["a"], "x": [1.0], "y": [2.0], "w": [3.0], "h": [4.0]}
    >>> found, truth = read_both(
    ...     frame, {"a": {"boxes": [[1, 2, 4, 6]]}}, {"columns": {"image": "image"}}
    ... )
    >>> found.objects[0].boxes
    array([[1., 2., 4., 6.]])
    """
    detected, truth = read_all({"": detections}, references, options)
    return detected[""], truth


def read_all(
    detections: Mapping[str, Any],
    references: Any,
    options: Mapping[str, Any] | None = None,
    *,
    scores: Mapping[str, Any] | None = None,
    formats: tuple[str, str] = (AUTO, AUTO),
) -> tuple[dict[str, ObjectSet], ObjectSet]:
    """The detections of each of several detectors, and their references once.

    ``detections``: from the name of each detector; ``scores``: the table of scores of each
    detector, of label maps; ``formats``: of the detections and of the references.

    >>> one = {"a": {"boxes": [[1, 2, 4, 6]], "scores": [0.5]}}
    >>> found, truth = read_all({"A": one, "B": one}, {"a": {"boxes": [[1, 2, 4, 6]]}})
    >>> list(found), len(truth.objects)
    (['A', 'B'], 1)
    """
    named = {name: value for name, value in (options or {}).items() if value is not None}
    sides = [(source, Role.DETECTIONS, formats[0]) for source in detections.values()]
    sides.append((references, Role.REFERENCES, formats[1]))
    taken: list[dict[str, Any]] = []
    for source, role, name in sides:
        known = known_options(source, name, role, named)
        own = {option: named[option] for option in named if option in known}
        if "columns" in own:
            own["columns"] = columns_of_role(own["columns"], role)
        taken.append(own)
    for option, value in named.items():
        if not any(option in options_of_side for options_of_side in taken):
            # Reading the side that it could be for says what it is for.
            taken[0 if option in OF_DETECTIONS else -1][option] = value
    for name, options_of_side in zip(detections, taken, strict=False):
        if scores and name in scores:
            options_of_side["scores"] = scores[name]
    read = [
        read_objects(source, role=role.value, format=name, **options_of_side)
        for (source, role, name), options_of_side in zip(sides, taken, strict=True)
    ]
    return dict(zip(detections, read, strict=False)), read[-1]
