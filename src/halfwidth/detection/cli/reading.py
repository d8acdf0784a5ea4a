"""Options of how files of detections and references are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from halfwidth.cli import completion
from halfwidth.cli.compared_models import named_files, names_and_paths
from halfwidth.cli.option_groups import declared, option
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.option_table.option import Group
from halfwidth.detection.cli.options import matching_in
from halfwidth.detection.data import Detections
from halfwidth.detection.io.read_objects import read_all
from halfwidth.detection.io.reading import AUTO
from halfwidth.detection.io.scores_held import holds_scores

FORMATS = ("coco", "table", "yolo", "voc", "labels", "probabilities")


def _format_of(whose: str) -> Any:
    return option(
        f"Of the {whose}: {', '.join(FORMATS)}; default: told from their names.",
        "FORMAT",
        Group.DETECTIONS,
        flags=(f"--{whose}-format",),
        completed=completion.one_of(*FORMATS),
    )


DetectionsFormat = Annotated[str | None, _format_of("detections")]
ReferencesFormat = Annotated[str | None, _format_of("references")]
Images = Annotated[Path | None, declared("images")]
BoxFormat = Annotated[str | None, declared("box_format")]
BoxConventionOption = Annotated[str | None, declared("box_convention")]
Columns = Annotated[
    list[str] | None,
    declared(
        "columns",
        meaning="Column of a table by its role, repeatable: image=slide, class=type, score=p, "
        "box=x1,y1,x2,y2, point=x,y, radius=r, diameter=d.",
    ),
]
ImageSizes = Annotated[Path | None, declared("image_sizes")]
ClassNames = Annotated[Path | None, declared("class_names")]
Instances = Annotated[str | None, declared("instances")]
ScoreTables = Annotated[
    list[str] | None,
    option(
        "Of the objects of label maps: a table with columns image, label and score. Of "
        "several detectors one for each: NAME=FILE, repeatable.",
        "[NAME=]FILE",
        Group.DETECTIONS,
        flags=("--score-table",),
    ),
]
Candidates = Annotated[str | None, declared("candidates")]
Excluded = Annotated[Path | None, declared("excluded")]
Classes = Annotated[
    list[str] | None,
    declared(
        "classes",
        more="Repeatable, or a list with commas. NAME=OTHER calls detections of NAME as the "
        "references do.",
    ),
]
UnknownImages = Annotated[str, declared("unknown_images")]


def reading_options(
    detections_format: DetectionsFormat = None,
    references_format: ReferencesFormat = None,
    images: Images = None,
    columns: Columns = None,
    box_format: BoxFormat = None,
    box_convention: BoxConventionOption = None,
    image_sizes: ImageSizes = None,
    class_names: ClassNames = None,
    instances: Instances = None,
    score_tables: ScoreTables = None,
    candidates: Candidates = None,
    excluded: Excluded = None,
    classes: Classes = None,
    unknown_images: UnknownImages = "raise",
) -> None:
    """Options of how detections and references are read and brought together."""


# Options of `read_objects` under its own names; columns and scores are called otherwise here.
OPTIONS = (
    *("images", "box_format", "box_convention", "image_sizes", "class_names", "instances"),
    *("candidates", "excluded", "groups", "strata"),
)


def told_apart(
    files: Sequence[str], references: Path | None, params: Mapping[str, Any]
) -> tuple[dict[str, Path], Path]:
    """The file of each detector by its name, and that of the objects to be found.

    Of two files the second holds these. Of more it is the only one without a name (NAME=FILE), or
    without scores.
    """
    if not files or (references is None and len(files) < 2):
        lacking = "REFERENCES is missing: the file or folder of the objects to be found"
        if not files:
            lacking = "DETECTIONS is missing: the file or folder of what was detected"
        raise OptionError(f"{lacking}. Try 'halfwidth detect --help'.")
    detectors = list(files)
    if references is None:
        place = _place_of_references(detectors, params)
        references = names_and_paths([detectors.pop(place)])[1][0]
        if len(detectors) > 1:
            note(f"{references} holds the objects to be found, the others what detectors found")
    if len(detectors) > 1:
        return named_files(detectors), references
    (name,), (path,) = names_and_paths(detectors)
    return {name: path}, references


def _place_of_references(files: Sequence[str], params: Mapping[str, Any]) -> int:
    if len(set(files)) == 1:
        # What is wrong with one file for both sides is said where they are read.
        return 1
    names, paths = names_and_paths(files)
    unnamed = [place for place, name in enumerate(names) if not name]
    if len(unnamed) == 1:
        return unnamed[0]
    if len(files) == 2:
        return 1
    columns, form = parse_columns(params["columns"]), params["detections_format"] or AUTO
    unscored = [place for place in unnamed if not holds_scores(paths[place], columns, form)]
    if len(unscored) == 1:
        return unscored[0]
    shown = shortened([str(paths[place]) for place in unscored], 4) or "none"
    raise OptionError(
        f"cannot tell which of {len(files)} files holds the objects to be found (without scores "
        f"are {shown}): name it, --references FILE, or name the detectors, as in 'halfwidth detect "
        "A=a.json B=b.json references.json'"
    )


def detections_in(
    detections: Mapping[str, Path], references: Path, params: Mapping[str, Any]
) -> Detections:
    """The detections of each detector and the references, read with the options of the verb."""
    options = {name: params[name] for name in OPTIONS}
    options["columns"] = parse_columns(params["columns"])
    tables = parse_score_tables(params["score_tables"], list(detections))
    formats = (params["detections_format"] or AUTO, params["references_format"] or AUTO)
    # What is wrong with these is said before files are read.
    settings = {name: params[name] for name in ("unknown_images", "absent_class", "undefined")}
    settings |= {"matching": matching_in(params), "classes": parse_classes(params["classes"])}
    read = read_all(detections, references, options, scores=tables, formats=formats)
    return Detections.from_files(*read, **settings)


def parse_score_tables(texts: Sequence[str] | None, detectors: Sequence[str]) -> dict[str, Path]:
    """The table of scores of each detector: ``["a=a.csv", "b=b.csv"]``, or one file of one."""
    tables: dict[str, Path] = {}
    for text in texts or ():
        name, equals, file = text.partition("=")
        if not equals and len(detectors) == 1:
            name, file = detectors[0], text
        if name not in detectors or not file:
            raise OptionError(
                f"--score-table {text}: name the detector that gave these scores, NAME=FILE with "
                f"one of {shortened(detectors)}"
            )
        if name in tables:
            raise OptionError(f"--score-table names two tables for {name}; name one")
        tables[name] = Path(file)
    return tables


def parse_columns(texts: Sequence[str] | None) -> dict[str, str] | None:
    """``["image=slide", "box=a,b,c,d"]`` as a mapping."""
    columns: dict[str, str] = {}
    for text in texts or ():
        role, equals, name = text.partition("=")
        if not equals or not role or not name:
            raise OptionError(f"--column {text!r} is not ROLE=COLUMN, such as image=slide")
        if role in columns:
            raise OptionError(f"--column names {role} twice")
        columns[role] = name
    return columns or None


def parse_classes(texts: Sequence[str] | None) -> Any:
    """Names, or a mapping from those of the detections."""
    names = [part.strip() for text in texts or () for part in text.split(",") if part.strip()]
    if not names:
        return None
    renamed = [name for name in names if "=" in name]
    if not renamed:
        return names
    if len(renamed) < len(names):
        raise OptionError(
            f"--classes {','.join(names)}: write NAME=OTHER for all classes, or for none"
        )
    return dict(name.split("=", 1) for name in names)
