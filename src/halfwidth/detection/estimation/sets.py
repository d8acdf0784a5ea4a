"""Detections and references made ready: read, aligned, with the patients of their images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth.core.checks import as_choice, as_list
from halfwidth.core.errors import DataError, OptionError, shortened, shown
from halfwidth.core.formatting import counted
from halfwidth.core.natural_order import natural_key
from halfwidth.core.objects import Objects, ObjectSet
from halfwidth.core.option_names import spelled
from halfwidth.detection.estimation.context import Codes, Units
from halfwidth.detection.estimation.jobs import Sets
from halfwidth.detection.io.read_objects import align, read_both
from halfwidth.estimation.grouping import unit_codes


def sets_of(
    detections: Any,
    references: Any,
    *,
    classes: Any = None,
    groups: Any = None,
    strata: Any = None,
    unknown_images: Any = "raise",
    by_class: bool = True,
) -> tuple[Sets, tuple[str, ...]]:
    """Both sides of the same images and classes, and notes on what was read.

    Groups and strata are the name of a column or field of the references, a label for each name of
    an image, or one for each image in the order of the references.
    """
    as_choice("unknown_images", unknown_images)
    classes = checked_classes(classes)
    for name, source in (("detections", detections), ("references", references)):
        _check_path(name, source)
    _refuse_one_file(detections, references)
    named: dict[str, Any] = {
        name: column
        for name, column in (("groups", groups), ("strata", strata))
        if isinstance(column, str)
    }
    detected, referenced = read_both(detections, references, named)
    detected, referenced, notes = align(
        detected, referenced, classes=classes, unknown_images=unknown_images, by_class=by_class
    )
    sets = with_units(detected, referenced, groups, strata)
    return sets, (_counted(sets), *notes)


def checked_classes(classes: Any) -> Any:
    """Names of classes, or a mapping of names; None where all count."""
    if classes is None or isinstance(classes, str):
        return classes if classes is None else [classes]
    names = [*classes, *classes.values()] if isinstance(classes, Mapping) else as_list(classes)
    if not names or not all(isinstance(name, str) for name in names):
        raise OptionError(
            f"{spelled('classes', classes)} is neither a list of names of classes nor a mapping "
            "from those of the detections to those of the references"
        )
    return classes if isinstance(classes, Mapping) else names


def _check_path(name: str, source: Any) -> None:
    """Refuse a text that cannot be the path of a file."""
    if not isinstance(source, str):
        return
    try:
        Path(source).exists()
        is_path = source.isprintable()
    except (OSError, ValueError):
        is_path = False
    if not is_path:
        raise DataError(f"{name}={shown(source)} is not a path of a file or folder")


def _refuse_one_file(detections: Any, references: Any) -> None:
    """Refuse a file that is named for both sides: a slip whose result would be perfect."""
    sides = [
        one.source if isinstance(one, ObjectSet) else str(one)
        for one in (detections, references)
        if isinstance(one, str | Path | ObjectSet)
    ]
    files = [Path(side) for side in sides if side and Path(side).exists()]
    if len(files) == 2 and files[0].samefile(files[1]):
        raise DataError(
            f"{files[0]} stands for both the detections and the references; name a file or "
            "folder for each"
        )


def with_units(detections: ObjectSet, references: ObjectSet, groups: Any, strata: Any) -> Sets:
    """With the patient and the stratum of each image, as codes.

    Images come in the order of their ids or names: where detections of several images score alike,
    their order would else depend on that of a file. COCO's evaluation sorts by ids too.
    """
    labels = _labels(groups, references, references.groups, "groups")
    stratum_labels = _labels(strata, references, references.strata, "strata")
    kept = np.ones(len(references.images), dtype=bool)
    clusters, codes = unit_codes(
        labels, stratum_labels, kept, references.source or "references", references.images
    )
    named = references.identifiers or references.images
    order = sorted(range(len(named)), key=lambda place: natural_key(named[place]))
    detections, references = detections.subset(order), references.subset(order)
    clusters, codes = (None if one is None else one[order] for one in (clusters, codes))
    labels = None if labels is None else [list(labels)[place] for place in order]
    units = _units(references, labels, clusters, codes)
    return Sets(detections, references, units, clusters, codes)


def _labels(labels: Any, references: ObjectSet, read: Sequence[str] | None, option: str) -> Any:
    """A label for each image; None where nothing is said."""
    if isinstance(labels, str) and read is None:
        raise OptionError(
            f"{spelled(option, labels)}: these objects have no {option}; give a label for each "
            f"image, or name them when you read the objects (read_objects({option}=...))"
        )
    if labels is None or isinstance(labels, str):
        return None if read is None else list(read)
    named = labels.to_dict() if hasattr(labels, "to_dict") and hasattr(labels, "index") else labels
    if not isinstance(named, Mapping):
        return labels
    by_name = {str(name): label for name, label in named.items()}
    lacking = [image for image in references.images if image not in by_name]
    if lacking:
        raise DataError(
            f"{option} names {len(by_name)} images, but not {shortened(lacking, 3)}; give a "
            "label for each image of the references, by its name "
            f"({shortened(references.images, 3)})"
        )
    return [by_name[image] for image in references.images]


def _units(
    references: ObjectSet, labels: Any, clusters: Codes | None, strata: Codes | None
) -> Units:
    n = len(references.images)
    if clusters is None:
        codes, names = np.arange(n), references.images
    else:
        codes = clusters
        first = np.unique(clusters, return_index=True)[1]
        names = tuple(str(labels[place]) for place in first.tolist())
    unit_strata = np.zeros(len(names), dtype=np.intp)
    if strata is not None:
        unit_strata[codes] = strata
    return Units(codes, tuple(names), unit_strata, clusters is not None)


def _counted(sets: Sets) -> str:
    """How much was read, in one line."""
    objects = sets.references.objects
    each = [len(one) - _passed_over(one) for one in objects]
    passed_over = sum(map(_passed_over, objects))
    more = f" ({passed_over} more are crowds or ignored)" if passed_over else ""
    empty = sum(count == 0 for count in each)
    without = f", {empty} of them without objects" if empty else ""
    classes = len(sets.references.classes)
    classes_text = f" of {classes} classes" if classes > 1 else ""
    n_detections = sum(len(one) for one in sets.detections.objects)
    return (
        f"{counted(len(each), 'image')}{without}; {counted(sum(each), 'object')}{classes_text}"
        f"{more}, {counted(n_detections, 'detection')}"
    )


def _passed_over(objects: Objects) -> int:
    """References of an image that need not be found."""
    flags = [one for one in (objects.crowd, objects.ignored) if one is not None]
    return int(np.logical_or.reduce(flags).sum()) if flags else 0
