"""Options of the verb that estimates metrics of detectors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from halfwidth.cli import completion
from halfwidth.cli.option_groups import declared, names_in, option, switch
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.detection.estimation.matchings import Matching
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS
from halfwidth.metrics.all_metrics import DETECTION_METRICS

# What the twelve numbers are called, and their most detections of an image and a class.
COCO, COCO_MOST = "coco", 100

DetectionMetrics = Annotated[
    list[str] | None,
    option(
        "Repeatable, or a list with commas; the names stand at the end of this help. A "
        "threshold may stand behind one: ap50, ap@0.5:0.95. Default: ap and froc_score, or of "
        "detections without scores object_sensitivity, object_ppv, object_f_beta and fppi.",
        "NAME",
        Group.ESTIMATE,
        completed=completion.one_of("coco", *DETECTION_METRICS.names),
    ),
]
Coco = Annotated[
    bool,
    switch(
        "--coco",
        "As COCO evaluates: thresholds 0.5:0.95 and at most 100 detections of an image and "
        "class. Without --metric its twelve numbers.",
        Group.ESTIMATE,
    ),
]
Localisation = Annotated[
    str | None, declared("localisation", completed=completion.one_of(*LOCALISATIONS.names))
]
Assignment = Annotated[
    str | None, declared("assignment", completed=completion.one_of(*ASSIGNMENTS.names))
]
DetectionThreshold = Annotated[str | None, declared("threshold", "Matching")]
AverageOfClasses = Annotated[
    list[str] | None,
    option(
        "Over classes: macro (default), micro (pooled), weighted, none (a row per class); "
        "repeatable.",
        "AVERAGE",
        Group.TEST_SETS,
        completed=completion.one_of("macro", "micro", "weighted", "none"),
    ),
]
ByThreshold = Annotated[bool, declared("by_threshold")]
AdmitsOption = Annotated[str | None, declared("admits")]
ScoreThreshold = Annotated[float | None, declared("score_threshold")]
MaxDetections = Annotated[int | None, declared("max_detections")]
Area = Annotated[list[str] | None, declared("area", more="Repeatable.")]
AnyClass = Annotated[
    bool,
    declared(
        "by_class",
        flags=("--any-class",),
        meaning="Match objects whatever their class; default: within classes.",
    ),
]
Duplicates = Annotated[str, declared("duplicates")]
BoundaryDistance = Annotated[float | None, declared("boundary_distance")]
Dilation = Annotated[int | None, declared("dilation")]
Plot = Annotated[
    Path | None,
    option(
        "Draw a figure too: FILE.png, .svg or .pdf. That of matches shows single images.",
        "FILE",
        Group.OUTPUT,
    ),
]
PlotKind = Annotated[
    str | None,
    option(
        "With --plot. froc, pr, afroc or wafroc: the curve with its band; thresholds: the "
        "result over thresholds; matches: the images with the most errors; forest: the intervals.",
        "KIND",
        Group.OUTPUT,
        completed=completion.one_of(
            "froc", "pr", "afroc", "wafroc", "thresholds", "matches", "forest"
        ),
    ),
]
ImageNames = Annotated[
    bool,
    switch(
        "--image-names",
        "With --plot-kind matches: the names of the images above them, which may tell who a "
        "patient is; without, they are numbered.",
        Group.OUTPUT,
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


def matching_in(params: Mapping[str, Any]) -> Matching:
    """How detections are matched, by these options."""
    named = [one for one in names_in(matching_options) if one not in ("coco", "area", "any_class")]
    arguments: dict[str, Any] = {name: params[name] for name in (*named, "threshold")}
    # COCO's twelve numbers have thresholds and numbers of detections of their own.
    if params["coco"] and metrics_asked(params) != [COCO]:
        for name, value in (("threshold", COCO), ("max_detections", COCO_MOST)):
            arguments[name] = value if arguments[name] is None else arguments[name]
    return Matching(
        **arguments,
        area=params["area"] or None,
        by_class=not params["any_class"],
        by_threshold=params.get("by_threshold", False),
    )


def metrics_asked(params: Mapping[str, Any]) -> list[str]:
    """The metrics by their names; of ``--coco`` alone its twelve numbers."""
    metric = params["metric"] or ()
    names = split_names([metric] if isinstance(metric, str) else metric)
    return names or ([COCO] if params["coco"] else [])
