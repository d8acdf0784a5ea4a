"""Options of the verb that estimates metrics of detectors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import completion
from halfwidth.cli.option_groups import names_in
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.estimation.detections.matchings import Matching

# What the twelve numbers are called, and their most detections of an image and a class.
COCO, COCO_MOST = "coco", 100

DetectionMetrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        help="Repeatable, or a list with commas; the names stand at the end of this help. A "
        "threshold may stand behind one: ap50, ap@0.5:0.95. Default: ap and froc_score, or of "
        "detections without scores object_sensitivity, object_ppv, object_f_beta and fppi.",
        metavar="NAME",
        show_default=False,
        autocompletion=completion.detection_metrics,
        rich_help_panel=Group.ESTIMATE,
    ),
]
Coco = Annotated[
    bool,
    typer.Option(
        "--coco",
        help="As COCO evaluates: thresholds 0.5:0.95 and at most 100 detections of an image and "
        "class. Without --metric its twelve numbers.",
        rich_help_panel=Group.ESTIMATE,
    ),
]
Localisation = Annotated[
    str | None,
    typer.Option(
        help="What a detection is matched by; default: box_iou where both sides have boxes, else "
        "what suits masks or points.",
        metavar="NAME",
        show_default=False,
        autocompletion=completion.localisations,
        rich_help_panel=Group.MATCHING,
    ),
]
Assignment = Annotated[
    str | None,
    typer.Option(
        help="Which detection is whose; default: greedy_by_score, or without scores "
        "greedy_by_localisation; of pq, sq and rq overlap_above_half.",
        metavar="NAME",
        show_default=False,
        autocompletion=completion.assignments,
        rich_help_panel=Group.MATCHING,
    ),
]
DetectionThreshold = Annotated[
    str | None,
    typer.Option(
        "--threshold",
        help="Of localisation: 0.5; 0.25,0.5; 0.5:0.95 in steps of 0.05, over which metrics are "
        "averaged; coco for the same. Default: 0.5 of an IoU.",
        metavar="NUMBERS",
        show_default=False,
        rich_help_panel=Group.MATCHING,
    ),
]
AverageOfClasses = Annotated[
    list[str] | None,
    typer.Option(
        "--average",
        help="Over classes: macro (default), micro (pooled), weighted, none (a row per class); "
        "repeatable.",
        metavar="AVERAGE",
        show_default=False,
        autocompletion=completion.one_of("macro", "micro", "weighted", "none"),
        rich_help_panel=Group.TEST_SETS,
    ),
]
ByThreshold = Annotated[
    bool,
    typer.Option(
        "--by-threshold",
        help="A row for each threshold instead of their mean; default thresholds: 0.1 to 0.9.",
        rich_help_panel=Group.MATCHING,
    ),
]
AdmitsOption = Annotated[
    str | None,
    typer.Option(
        "--admits",
        help="at_least, above, at_most or below the threshold; default: as the criterion is "
        "defined.",
        metavar="NAME",
        show_default=False,
        autocompletion=completion.one_of("at_least", "above", "at_most", "below"),
        rich_help_panel=Group.MATCHING,
    ),
]
ScoreThreshold = Annotated[
    float | None,
    typer.Option(
        help="Leave out detections of a lower score.",
        metavar="SCORE",
        show_default=False,
        rich_help_panel=Group.MATCHING,
    ),
]
MaxDetections = Annotated[
    int | None,
    typer.Option(
        help="Of an image and a class look at so many with the highest scores.",
        metavar="N",
        show_default=False,
        rich_help_panel=Group.MATCHING,
    ),
]
Area = Annotated[
    list[str] | None,
    typer.Option(
        help="Only objects of this size: small (up to 32 x 32 pixels), medium, large (from 96 x "
        "96), all, or LOW,HIGH in pixels; repeatable.",
        metavar="NAME|LOW,HIGH",
        show_default=False,
        rich_help_panel=Group.MATCHING,
    ),
]
AnyClass = Annotated[
    bool,
    typer.Option(
        "--any-class",
        help="Match objects whatever their class; default: within classes.",
        rich_help_panel=Group.MATCHING,
    ),
]
Duplicates = Annotated[
    str,
    typer.Option(
        help="What further detections of a found object are: false_positive or ignored.",
        metavar="POLICY",
        autocompletion=completion.one_of("false_positive", "ignored"),
        rich_help_panel=Group.MATCHING,
    ),
]
BoundaryDistance = Annotated[
    float | None,
    typer.Option(
        help="Width of the bands of boundary_iou, in mm where the files have a spacing.",
        metavar="MM",
        show_default=False,
        rich_help_panel=Group.MATCHING,
    ),
]
Dilation = Annotated[
    int | None,
    typer.Option(
        help="How often lesionwise dilates references; default: 3.",
        metavar="N",
        show_default=False,
        rich_help_panel=Group.MATCHING,
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        help="Draw a figure too: FILE.png, .svg or .pdf. That of matches shows single images.",
        metavar="FILE",
        rich_help_panel=Group.OUTPUT,
    ),
]
PlotKind = Annotated[
    str | None,
    typer.Option(
        help="With --plot. froc, pr, afroc or wafroc: the curve with its band; thresholds: the "
        "result over thresholds; matches: the images with the most errors; forest: the intervals.",
        metavar="KIND",
        autocompletion=completion.one_of(
            "froc", "pr", "afroc", "wafroc", "thresholds", "matches", "forest"
        ),
        rich_help_panel=Group.OUTPUT,
    ),
]
ImageNames = Annotated[
    bool,
    typer.Option(
        "--image-names",
        help="With --plot-kind matches: the names of the images above them, which may tell who a "
        "patient is; without, they are numbered.",
        rich_help_panel=Group.OUTPUT,
    ),
]


def matching_options(
    coco: Coco = False,
    localisation: Localisation = None,
    assignment: Assignment = None,
    admits: AdmitsOption = None,
    score_threshold: ScoreThreshold = None,
    max_detections: MaxDetections = None,
    area: Area = None,
    any_class: AnyClass = False,
    duplicates: Duplicates = "false_positive",
    boundary_distance: BoundaryDistance = None,
    dilation: Dilation = None,
) -> None:
    """Options of how detections are matched with references."""


def matching_in(given: Mapping[str, Any]) -> Matching:
    """How detections are matched, by these options."""
    named = [one for one in names_in(matching_options) if one not in ("coco", "area", "any_class")]
    arguments: dict[str, Any] = {name: given[name] for name in (*named, "threshold")}
    # COCO's twelve numbers have thresholds and numbers of detections of their own.
    if given["coco"] and metrics_asked(given) != [COCO]:
        for name, value in (("threshold", COCO), ("max_detections", COCO_MOST)):
            arguments[name] = value if arguments[name] is None else arguments[name]
    return Matching(
        **arguments,
        area=given["area"] or None,
        by_class=not given["any_class"],
        by_threshold=given.get("by_threshold", False),
    )


def metrics_asked(given: Mapping[str, Any]) -> list[str]:
    """The metrics by their names; of ``--coco`` alone its twelve numbers."""
    metric = given["metric"] or ()
    names = split_names([metric] if isinstance(metric, str) else metric)
    return names or ([COCO] if given["coco"] else [])
