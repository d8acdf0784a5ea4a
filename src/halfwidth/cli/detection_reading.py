"""Options of how files of detections and references are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import completion
from halfwidth.cli.command import Group
from halfwidth.core.errors import OptionError

FORMATS = ("coco", "table", "yolo", "voc", "labels", "probabilities")


def _format_of(whose: str) -> Any:
    return typer.Option(
        f"--{whose}-format",
        help=f"Of the {whose}: {', '.join(FORMATS)}; default: told from their names.",
        metavar="FORMAT",
        show_default=False,
        autocompletion=completion.one_of(*FORMATS),
        rich_help_panel=Group.INPUT,
    )


DetectionsFormat = Annotated[str | None, _format_of("detections")]
ReferencesFormat = Annotated[str | None, _format_of("references")]
Images = Annotated[
    Path | None,
    typer.Option(
        help="All images, those without objects among them, where the references name only others: "
        "a text with a name in each line, a table, or a folder.",
        metavar="FILE",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
BoxFormat = Annotated[
    str | None,
    typer.Option(
        help="Of boxes whose columns leave it open: xyxy (two corners), xywh (a corner and the "
        "sides) or cxcywh (the centre and the sides).",
        metavar="NAME",
        show_default=False,
        autocompletion=completion.one_of("xyxy", "xywh", "cxcywh"),
        rich_help_panel=Group.INPUT,
    ),
]
BoxConventionOption = Annotated[
    str | None,
    typer.Option(
        "--box-convention",
        help="Corners are places (continuous) or the first and the last pixel (inclusive); "
        "default: inclusive for Pascal VOC, else continuous.",
        metavar="NAME",
        show_default=False,
        autocompletion=completion.one_of("continuous", "inclusive"),
        rich_help_panel=Group.INPUT,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="Column of a table by its role, repeatable: image=slide, class=type, score=p, "
        "box=x1,y1,x2,y2, point=x,y, radius=r, diameter=d.",
        metavar="ROLE=COLUMN",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
ImageSizes = Annotated[
    Path | None,
    typer.Option(
        help="Of YOLO's images: a folder with them, a table, or COCO JSON.",
        metavar="FILE",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
ClassNames = Annotated[
    Path | None,
    typer.Option(
        help="Names of classes that are numbered: a text with a name in each line.",
        metavar="FILE",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Instances = Annotated[
    str | None,
    typer.Option(
        "--objects",
        help="In label maps objects are the labels, or the components of each label, a class.",
        metavar="labels|components",
        show_default=False,
        autocompletion=completion.one_of("labels", "components"),
        rich_help_panel=Group.INPUT,
    ),
]
Scores = Annotated[
    Path | None,
    typer.Option(
        "--score-table",
        help="Of the objects of label maps: a table with columns image, label and score.",
        metavar="FILE",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Candidates = Annotated[
    str | None,
    typer.Option(
        help="The way from maps of probabilities to candidates, their components: "
        "threshold=0.5,score=max.",
        metavar="OPTIONS",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Excluded = Annotated[
    Path | None,
    typer.Option(
        help="Table of findings that need not be found, as LUNA16's annotations_excluded.csv.",
        metavar="FILE",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
OPTIONS = (
    *("images", "box_format", "box_convention", "image_sizes", "class_names", "instances"),
    *("scores", "candidates", "excluded", "groups", "strata"),
)


def sources(detections: Path, references: Path, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """Both sides, read with the options of the verb."""
    from halfwidth.io.detections.api import read_both
    from halfwidth.io.detections.reading import AUTO

    options = {name: given[name] for name in OPTIONS}
    options["columns"] = parse_columns(given["columns"])
    formats = (given["detections_format"] or AUTO, given["references_format"] or AUTO)
    return read_both(detections, references, options, formats=formats)


def parse_columns(given: Sequence[str] | None) -> dict[str, str] | None:
    """``["image=slide", "box=a,b,c,d"]`` as a mapping."""
    columns: dict[str, str] = {}
    for text in given or ():
        role, equals, name = text.partition("=")
        if not equals or not role or not name:
            raise OptionError(f"--column {text!r} is no ROLE=COLUMN, for example image=slide")
        if role in columns:
            raise OptionError(f"--column names {role} twice")
        columns[role] = name
    return columns or None
