"""Whether objects are given in the way that a matching needs."""

from __future__ import annotations

from collections.abc import Sequence

from halfwidth.core.errors import DataError, quoted, shortened
from halfwidth.core.objects import Objects, ObjectSet, Unit
from halfwidth.detection.matching.match_lists import MatchingRule
from halfwidth.detection.matching.rules import specs_of
from halfwidth.detection.metrics.localisation import LocalisationSpec
from halfwidth.detection.metrics.representations import Known, holds, known_of, ways_text

Images = Sequence[Objects]
UNITS = {Unit.VOXEL: "voxels", Unit.FRACTION: "fractions of images", Unit.MILLIMETRE: "mm"}


def check_sets(detections: ObjectSet, references: ObjectSet) -> None:
    """Refuse sets of other classes, and detections of unknown images."""
    if detections.classes != references.classes:
        raise DataError(
            f"the detections have classes {quoted(detections.classes)}, the references "
            f"{quoted(references.classes)}; give both the same classes"
        )
    known = set(references.images)
    unknown = [image for image in detections.images if image not in known]
    if unknown:
        number = "1 image" if len(unknown) == 1 else f"{len(unknown)} images"
        raise DataError(
            f"{number} of the detections not among the references: {shortened(unknown, most=5)}"
        )


def check_units(
    detections: ObjectSet, references: ObjectSet, rules: Sequence[MatchingRule]
) -> None:
    """Refuse coordinates that cannot be compared, or have no lengths."""
    if detections.unit is not references.unit:
        raise DataError(
            f"the coordinates of the detections are in {UNITS[detections.unit]}, those of the "
            f"references in {UNITS[references.unit]}; give both in one unit"
        )
    if references.unit is not Unit.FRACTION:
        return
    for rule in rules:
        lengths = specs_of(rule)[0].unit
        if lengths or rule.area_range is not None:
            raise DataError(
                f"{rule.localisation if lengths else 'area_range'} needs pixels or mm, but the "
                "coordinates are fractions of images whose sizes are not known; give the sizes"
            )


def check_held(
    detections: Images, references: Images, names: Sequence[str], spec: LocalisationSpec
) -> None:
    """Refuse objects that a criterion cannot be measured on, in the first image that has such."""
    instead = f"; {spec.instead}" if spec.instead else ""
    sides = (
        (detections, spec.of_detections, "detections"),
        (references, spec.of_references, "references"),
    )
    ways = []
    for images, wanted, whose in sides:
        shared = known_of_all(images)
        ways.append([way for way in wanted if way in shared])
        if ways[-1]:
            continue
        lacking = next(
            (
                (name, objects)
                for name, objects in zip(names, images, strict=True)
                if len(objects) and not any(holds(objects, way) for way in wanted)
            ),
            None,
        )
        needed = f"{spec.name} needs {' or '.join(wanted)}"
        if lacking is None:
            raise DataError(
                f"{needed}, and the {whose} of all images given in one of these ways; some have "
                f"{wanted[0]} alone, others {' or '.join(wanted[1:])}"
            )
        name, objects = lacking
        raise DataError(
            f"{needed}, but the {whose} of image {name} have "
            f"{ways_text(known_of(objects))}{instead}"
        )
    if spec.alike and not set(ways[0]) & set(ways[1]):
        one, other = map(ways_text, ways)
        raise DataError(
            f"{spec.name} needs the same on both sides, but the detections have {one}, the "
            f"references {other}{instead}"
        )


def known_of_all(images: Images) -> list[Known]:
    """The ways in which the objects of all images are given; every way where there are none."""
    return [way for way in Known if all(holds(one, way) for one in images if len(one))]


def check_dimensions(detections: ObjectSet, references: ObjectSet) -> None:
    """Refuse flat objects beside solid ones, and spacings of other dimensions."""
    seen: dict[int, str] = {}
    for objects_set, whose in ((detections, "detections"), (references, "references")):
        for name, objects in zip(objects_set.images, objects_set.objects, strict=True):
            for dims in _dimensions(objects):
                seen.setdefault(dims, f"what is in {whose} of image {name}")
        for name, steps in zip(objects_set.images, objects_set.spacing or (), strict=False):
            seen.setdefault(len(steps), f"the spacing of image {name}")
    if len(seen) > 1:
        (one, first), (other, second), *_ = seen.items()
        raise DataError(f"dimensions differ: {first} is of {one}, {second} of {other}")


def _dimensions(objects: Objects) -> set[int]:
    if not len(objects):
        return set()
    known = set() if objects.boxes is None else {objects.boxes.shape[1] // 2}
    if objects.points is not None:
        known.add(objects.points.shape[1])
    return known | {one.dims for one in objects.masks or ()}


def check_scores(detections: Images, names: Sequence[str], rules: Sequence[MatchingRule]) -> bool:
    """Whether all detections have scores; refuse what needs them where they have not."""
    scored: dict[bool, str] = {}
    for name, objects in zip(names, detections, strict=True):
        if len(objects):
            scored.setdefault(objects.score is not None, name)
    if False not in scored:
        return True
    unscored = scored[False]
    if True in scored:
        raise DataError(
            f"the detections of image {scored[True]} have scores, those of image {unscored} have "
            "none; give all of them scores, or none"
        )
    for rule in rules:
        _, assignment = specs_of(rule)
        needing = [assignment.name] if assignment.needs_scores else []
        needing += [
            option
            for option in ("score_threshold", "max_detections")
            if getattr(rule, option) is not None
        ]
        if needing:
            raise DataError(
                f"{needing[0]} needs scores, which the detections of image {unscored} lack"
                + ("; hungarian needs none" if assignment.needs_scores else "")
            )
    return False
