"""Detections and references of the same images and classes, however each file calls them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from halfwidth.core.errors import DataError, UnknownNameError, closest, quoted, shortened
from halfwidth.core.formatting import counted
from halfwidth.core.natural_order import natural_key
from halfwidth.core.objects import Objects, ObjectSet, Unit
from halfwidth.core.option_names import spelled, spelled_both
from halfwidth.detection.io.image_names import bare, without_folders
from halfwidth.detection.io.reading_options import ALL_HAVE_OBJECTS, HAS_SCORES, ONLY_CLASS
from halfwidth.io.grids import check_same_geometry

NOTHING = Objects(category=np.zeros(0, dtype=np.intp))
# Names in one message.
SHOWN = 5
FRACTIONS = (
    "boxes stay in fractions of their images: IoU is the same as in pixels, distances and sizes of "
    f"objects are not; sizes of images ({spelled_both('image_sizes')}) make pixels of them"
)
SCALED = "fractions of images became pixels by the sizes that the other file says"
# The class of all objects where classes are not told apart.
ANY_CLASS = "any class"


def with_classes_of(
    detections: ObjectSet, references: ObjectSet, classes: Sequence[str] | Mapping[str, str] | None
) -> tuple[ObjectSet, ObjectSet, tuple[str, ...]]:
    """Both sets with the same classes, and notes of what was taken for what.

    Classes of the references come first, in their order; a class that only ``classes`` names and
    the detections have comes behind them.
    """
    numbered = detections.class_identifiers == detections.classes
    detections, mapped = _renamed(detections, references, classes)
    named = tuple(classes) if classes is not None and not isinstance(classes, Mapping) else None
    known = list(references.classes)
    if named is None:
        _refuse_unknown_classes(detections, references, numbered=numbered)
        return _recoded(detections, known), references, mapped
    everywhere = list(dict.fromkeys([*known, *detections.classes]))
    if not everywhere:
        raise DataError(
            f"{spelled('classes', shortened(named))}: neither the detections nor the references "
            "hold an object, so that they have no classes"
        )
    for name in named:
        if name not in everywhere:
            raise UnknownNameError("class", name, everywhere)
    kept = [name for name in everywhere if name in named]
    counts = [_count_others(one, set(named)) for one in (detections, references)]
    notes = []
    if any(counts):
        notes.append(
            "objects of classes that were not asked for are left out: "
            f"{counted(counts[0], 'detection')}, {counted(counts[1], 'reference')}"
        )
    return _recoded(detections, kept), _recoded(references, kept), (*mapped, *notes)


def with_one_class(objects: ObjectSet) -> ObjectSet:
    """The objects as members of a single class."""
    if len(objects.classes) == 1:
        return replace(objects, classes=(ANY_CLASS,), class_identifiers=None)
    alike = (replace(one, category=np.zeros(len(one), np.intp)) for one in objects.objects)
    return replace(objects, objects=tuple(alike), classes=(ANY_CLASS,), class_identifiers=None)


def _renamed(
    detections: ObjectSet, references: ObjectSet, classes: Sequence[str] | Mapping[str, str] | None
) -> tuple[ObjectSet, tuple[str, ...]]:
    """The detections with the references' names of classes: as told, or through ids."""
    if isinstance(classes, Mapping):
        for name in classes:
            if name not in detections.classes:
                raise UnknownNameError("class of the detections", name, detections.classes)
        names = tuple(classes.get(name, name) for name in detections.classes)
        return _recoded(detections, list(dict.fromkeys(names)), names), ()
    alone = _only_classes(detections, references)
    if alone is not None:
        return _recoded(detections, references.classes, [alone]), (
            f"all objects are of one class, {alone!r}, which one of the files does not name",
        )
    ids = references.class_identifiers
    only_ids = detections.class_identifiers == detections.classes
    by_name = set(_used(detections)) <= set(references.classes)
    if ids is None or (by_name and not only_ids):
        return detections, ()
    name_of = dict(zip(ids, references.classes, strict=True))
    if not (only_ids or set(_used(detections)) <= set(name_of)):
        return detections, ()
    names = tuple(name_of.get(name, name) for name in detections.classes)
    return _recoded(detections, list(dict.fromkeys(names)), names), ()


def _only_classes(detections: ObjectSet, references: ObjectSet) -> str | None:
    """The class of all objects, where one side has one class and the other does not say."""
    both = detections.classes, references.classes
    if any(len(one) != 1 for one in both) or both[0] == both[1] or (ONLY_CLASS,) not in both:
        return None
    return references.classes[0]


def _used(objects: ObjectSet) -> list[str]:
    """Classes that have an object."""
    used = {int(code) for one in objects.objects for code in np.unique(one.category)}
    return [name for place, name in enumerate(objects.classes) if place in used]


def _refuse_unknown_classes(
    detections: ObjectSet, references: ObjectSet, *, numbered: bool
) -> None:
    known = references.classes
    unknown = sorted((name for name in _used(detections) if name not in known), key=natural_key)
    if not unknown:
        return
    classes = counted(len(unknown), "class", "classes")
    lacking = f"{_called(detections)}: {classes} that the references lack: {quoted_few(unknown)}"
    if not known:
        raise DataError(
            f"{lacking}; the references hold no object and name no class. Name those that count: "
            f"{spelled('classes', tuple(unknown))}"
        )
    nearest = {name: closest(name, known) for name in unknown}
    pairs = {name: close for name, close in nearest.items() if close is not None}
    if len(pairs) == len(nearest):
        raise DataError(f"{lacking}; if these are names of the same, {spelled('classes', pairs)}")
    theirs = f"{lacking}; they have {quoted_few(known)}"
    if numbered:
        raise DataError(
            f"{theirs}. If the files belong together, say what they are called: "
            f"{spelled('class_names')} for YOLO, else {spelled('classes', {unknown[0]: 'NAME'})}"
        )
    mapped = pairs or {unknown[0]: "NAME"}
    raise DataError(
        f"{theirs}; say which they are ({spelled('classes', mapped)}), or list those that count"
    )


def _recoded(
    objects: ObjectSet, classes: Sequence[str], names: Sequence[str] | None = None
) -> ObjectSet:
    """The set with these classes; objects of others are left out."""
    place_of = {name: place for place, name in enumerate(classes)}
    codes = np.array(
        [place_of.get(name, -1) for name in (objects.classes if names is None else names)],
        dtype=np.intp,
    )

    def recoded(one: Objects) -> Objects:
        category = codes[one.category] if len(one) else one.category
        if (category >= 0).all():
            return replace(one, category=category)
        return replace(one, category=category).subset(category >= 0)

    return replace(
        objects,
        objects=tuple(map(recoded, objects.objects)),
        classes=tuple(classes),
        class_identifiers=None,
    )


def _count_others(objects: ObjectSet, names: set[str]) -> int:
    others = [place for place, name in enumerate(objects.classes) if name not in names]
    return sum(int(np.isin(one.category, others).sum()) for one in objects.objects)


def with_images_of(
    detections: ObjectSet, references: ObjectSet, *, omit_unknown: bool
) -> tuple[ObjectSet, tuple[str, ...]]:
    """The detections of the images of the references, in their order, and notes."""
    if detections.by_place or references.by_place:
        return _by_place(detections, references)
    places, notes = _matched(detections, references)
    unknown = [i for i, place in enumerate(places) if place is None]
    if unknown:
        names = [detections.images[i] for i in unknown]
        if not omit_unknown:
            raise DataError(_unknown_images(detections, references, names, len(places)))
        count = sum(len(detections.objects[i]) for i in unknown)
        note = (
            f"{counted(len(unknown), 'image')} of the detections that the references lack were "
            f"left out, with {counted(count, 'detection')} ({shortened(names, SHOWN)})"
        )
        notes = (*notes, note)
    pairs = [(i, place) for i, place in enumerate(places) if place is not None]
    notes = (*notes, *_checked_grids(detections, references, pairs))
    lists: list[Objects] = [NOTHING] * len(references.images)
    for i, place in pairs:
        lists[place] = detections.objects[i]
    missing = len(references.images) - (len(places) - len(unknown))
    if not any(map(len, detections.objects)):
        notes = (*notes, f"{_called(detections)} holds no detections: every object is missed")
    elif missing:
        one = missing == 1
        note = (
            f"{missing} of {counted(len(references.images), 'image')} of the references "
            f"{'is' if one else 'are'} not among the detections and "
            f"{'counts as an image' if one else 'count as images'} without any"
        )
        notes = (*notes, note)
    return _on(detections, references, lists, pairs), notes


def _by_place(detections: ObjectSet, references: ObjectSet) -> tuple[ObjectSet, tuple[str, ...]]:
    counts = len(detections.images), len(references.images)
    if counts[0] != counts[1]:
        raise DataError(
            f"there are detections of {counted(counts[0], 'image')} and references of {counts[1]}; "
            "images without names correspond by their order, so that each needs an entry (an "
            "empty one where nothing is detected), or name them: {'name': {...}, ...}"
        )
    pairs = [(i, i) for i in range(counts[0])]
    notes = _checked_grids(detections, references, pairs)
    return _on(detections, references, detections.objects, pairs), notes


def _checked_grids(
    detections: ObjectSet, references: ObjectSet, pairs: Sequence[tuple[int, int]]
) -> tuple[str, ...]:
    """Refuse masks of one image whose voxels do not correspond; a note where boxes may not."""
    have_masks = any(one.masks is not None for one in detections.objects)
    unlike = []
    for i, place in pairs:
        names = tuple(
            f"{_called(one)} of {references.images[place]!r}" for one in (detections, references)
        )
        if detections.grids is not None and references.grids is not None:
            check_same_geometry(detections.grids[i], references.grids[place], (names[0], names[1]))
        elif detections.shapes is not None and references.shapes is not None:
            shapes = detections.shapes[i], references.shapes[place]
            if shapes[0] != shapes[1]:
                unlike.append((references.images[place], *map(_times, shapes)))
    if not unlike:
        return ()
    image, theirs, ours = unlike[0]
    more = f" ({counted(len(unlike), 'image')} in all)" if len(unlike) > 1 else ""
    text = f"{image!r} has {theirs} pixels in the detections and {ours} in the references{more}"
    if have_masks:
        raise DataError(f"{text}; masks of one image must be of one shape")
    return (f"{text}; are the boxes of the detections those of another size of image?",)


def _times(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))


def check_axes(detections: ObjectSet, references: ObjectSet) -> None:
    """Refuse objects in the plane beside objects in space."""
    for name, per_axis in (("boxes", 2), ("points", 1)):
        axes = [
            {
                values.shape[1] // per_axis
                for one in objects.objects
                if (values := getattr(one, name)) is not None and len(one)
            }
            for objects in (detections, references)
        ]
        if all(axes) and axes[0] != axes[1]:
            raise DataError(
                f"{name} of the detections are in {max(axes[0])} dimensions, those of the "
                f"references in {max(axes[1])}"
            )


def _on(
    detections: ObjectSet,
    references: ObjectSet,
    objects: Sequence[Objects],
    pairs: Sequence[tuple[int, int]],
) -> ObjectSet:
    """Detections of the images of the references."""
    shapes = references.shapes
    if shapes is None and detections.shapes is not None and len(pairs) == len(objects):
        place_of = {place: i for i, place in pairs}
        shapes = tuple(detections.shapes[place_of[place]] for place in range(len(objects)))
    return replace(
        detections,
        images=references.images,
        objects=tuple(objects),
        shapes=shapes,
        spacing=references.spacing,
        groups=references.groups,
        strata=references.strata,
        identifiers=None,
        by_place=False,
        grids=None,
    )


def _matched(
    detections: ObjectSet, references: ObjectSet
) -> tuple[list[int | None], tuple[str, ...]]:
    """The image of the references that each image of the detections is, in the way that finds most.

    Names come first, then ids, then names without folders, then without suffixes too.
    """
    best: list[int | None] = [None] * len(detections.images)
    note = ""
    for how, theirs, ours in _ways(detections, references):
        if len(set(ours)) < len(ours) or len(set(theirs)) < len(theirs):
            continue
        place_of = {key: place for place, key in enumerate(ours)}
        places = [place_of.get(key) for key in theirs]
        if places.count(None) < best.count(None):
            best, note = places, how
        if None not in best:
            break
    notes = (f"images of detections and references were matched by {note}",) if note else ()
    return best, notes


Way = tuple[str, Sequence[str], Sequence[str]]


def _ways(detections: ObjectSet, references: ObjectSet) -> list[Way]:
    theirs, ours = detections.images, references.images
    only_ids = detections.identifiers == theirs
    ids: list[Way] = []
    if references.identifiers is not None and references.identifiers != ours:
        ids = [("" if only_ids else "their ids", theirs, references.identifiers)]
    names: list[Way] = [("", theirs, ours)]
    shorter: list[tuple[str, Callable[[str], str]]] = [
        ("their file names without folders", without_folders),
        ("their file names without folders and suffixes", bare),
    ]
    return [
        *(ids if only_ids else ()),
        *names,
        *((how, [*map(cut, theirs)], [*map(cut, ours)]) for how, cut in shorter),
        *(() if only_ids else ids),
    ]


def _unknown_images(
    detections: ObjectSet, references: ObjectSet, names: Sequence[str], total: int
) -> str:
    nearest = closest(names[0], references.images[:2000])
    # Names that differ in their numbers are different images.
    alike = nearest is not None and re.findall("[0-9]+", nearest) == re.findall("[0-9]+", names[0])
    hint = f" ({names[0]!r} may be {nearest!r})" if alike and len(names) < total else ""
    hint += f"; {HAS_SCORES}" if HAS_SCORES in references.notes else "."
    if ALL_HAVE_OBJECTS in references.notes:
        hint += f" If they hold no objects, list all images: {spelled('images')}."
    return (
        f"{_called(detections)} has detections of {counted(len(names), 'image')} that the "
        f"references lack: {shortened(names, SHOWN)}; they have "
        f"{shortened(references.images, 3)}{hint} Leave them out on purpose with "
        f"{spelled('unknown_images', 'omit')}"
    )


def with_units_of(
    detections: ObjectSet, references: ObjectSet
) -> tuple[ObjectSet, ObjectSet, tuple[str, ...]]:
    """Both sets in one unit, and notes: fractions become pixels where the other set has sizes."""
    if detections.unit is references.unit:
        notes = (FRACTIONS,) if references.unit is Unit.FRACTION else ()
        return detections, references, notes
    shapes = references.shapes or detections.shapes
    units = {detections.unit, references.unit}
    if units == {Unit.VOXEL, Unit.FRACTION} and shapes is not None:
        return in_pixels(detections, shapes), in_pixels(references, shapes), (SCALED,)
    words = {Unit.VOXEL: "pixels", Unit.FRACTION: "fractions of images", Unit.MILLIMETRE: "mm"}
    advice = (
        f"say how large the images are ({spelled('image_sizes')})"
        if Unit.FRACTION in units
        else "both must be in the same coordinates"
    )
    raise DataError(
        f"detections are in {words[detections.unit]} and references in {words[references.unit]}; "
        f"{advice}"
    )


def in_pixels(objects: ObjectSet, shapes: Sequence[tuple[int, ...]]) -> ObjectSet:
    """A set in fractions of its images, in pixels."""
    if objects.unit is not Unit.FRACTION:
        return objects

    def scaled(one: Objects, shape: tuple[int, ...]) -> Objects:
        sides = np.array(shape[::-1], dtype=float)
        return replace(
            one,
            boxes=None if one.boxes is None else one.boxes * np.tile(sides, 2),
            points=None if one.points is None else one.points * sides,
        )

    pairs = zip(objects.objects, shapes, strict=True)
    return replace(
        objects,
        objects=tuple(scaled(one, shape) for one, shape in pairs),
        shapes=tuple(shapes),
        unit=Unit.VOXEL,
    )


def _called(objects: ObjectSet) -> str:
    return objects.source or "the set"


def quoted_few(names: Sequence[str]) -> str:
    """A few names in quotes, and how many more there are."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return quoted(sorted(names, key=natural_key)[:SHOWN]) + more
