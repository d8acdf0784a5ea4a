"""``halfwidth detect``: intervals for metrics of a detector."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import (
    detection_figures,
    detection_options,
    detection_reading,
    figures,
    options,
    test_set_options,
)
from halfwidth.cli.answer import Answer
from halfwidth.cli.ci import STRICT_STATUS
from halfwidth.cli.command import Group
from halfwidth.cli.output import note
from halfwidth.core.parameters import split_names


def detect(
    ctx: typer.Context,
    detections: Annotated[
        Path, typer.Argument(help="File or folder of what was detected.", metavar="DETECTIONS")
    ],
    references: Annotated[
        Path,
        typer.Argument(help="File or folder of the objects to be found.", metavar="REFERENCES"),
    ],
    detections_format: detection_reading.DetectionsFormat = None,
    references_format: detection_reading.ReferencesFormat = None,
    images: detection_reading.Images = None,
    columns: detection_reading.Columns = None,
    box_format: detection_reading.BoxFormat = None,
    box_convention: detection_reading.BoxConventionOption = None,
    image_sizes: detection_reading.ImageSizes = None,
    class_names: detection_reading.ClassNames = None,
    instances: detection_reading.Instances = None,
    scores: detection_reading.Scores = None,
    candidates: detection_reading.Candidates = None,
    excluded: detection_reading.Excluded = None,
    classes: detection_options.Classes = None,
    unknown_images: detection_options.UnknownImages = "raise",
    metric: detection_options.DetectionMetrics = None,
    coco: detection_options.Coco = False,
    localisation: detection_options.Localisation = None,
    assignment: detection_options.Assignment = None,
    threshold: detection_options.DetectionThreshold = None,
    by_threshold: detection_options.ByThreshold = False,
    admits: detection_options.AdmitsOption = None,
    score_threshold: detection_options.ScoreThreshold = None,
    max_detections: detection_options.MaxDetections = None,
    area: detection_options.Area = None,
    any_class: detection_options.AnyClass = False,
    duplicates: detection_options.Duplicates = "false_positive",
    boundary_distance: detection_options.BoundaryDistance = None,
    dilation: detection_options.Dilation = None,
    average: detection_options.AverageOfClasses = None,
    absent_class: test_set_options.AbsentClass = "omit",
    undefined: test_set_options.UndefinedOption = "omit",
    groups: Annotated[
        str | None,
        typer.Option(
            help="Column or field of the references that names the patient or scan of each image, "
            "or a table of images and these: images of one are resampled together.",
            metavar="COLUMN|FILE",
            rich_help_panel=Group.DESIGN,
        ),
    ] = None,
    strata: Annotated[
        str | None,
        typer.Option(
            help="The same for the stratum of each image, its site: each keeps its size.",
            metavar="COLUMN|FILE",
            rich_help_panel=Group.DESIGN,
        ),
    ] = None,
    method: options.Method = "auto",
    confidence_level: options.ConfidenceLevel = 0.95,
    alternative: options.Alternative = "two-sided",
    n_resamples: options.NResamplesOrNone = None,
    seed: options.Seed = None,
    jobs: options.Jobs = 1,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: detection_options.Plot = None,
    plot_kind: detection_options.PlotKind = None,
    strict: options.Strict = False,
) -> Answer:
    """Confidence intervals for metrics of a detector, on boxes, masks or points.

    Detections are matched with the objects of the references once; images, or patients, are
    resampled with their matches. Formats: COCO JSON, tables of boxes, YOLO text, Pascal VOC XML,
    folders of label maps, LUNA16's centres and diameters; they are recognised.

    \b
    halfwidth detect detections.json references.json
    halfwidth detect detections.json references.json --coco
    halfwidth detect detections.json references.json --metric ap50,froc_score
    halfwidth detect detections.json references.json --metric ap --by-threshold
    halfwidth detect detections.json references.json --average none --area small
    halfwidth detect boxes.csv truth.csv --groups patient \\
        --metric object_sensitivity,fppi --score-threshold 0.5
    """
    # Heavy libraries load here, so that help and slips cost nothing.
    from halfwidth.core.processes import check_jobs
    from halfwidth.estimation.detections.api import detection_ci
    from halfwidth.report.document import Figure
    from halfwidth.report.estimates import estimates_document

    fmt = options.resolve_format(fmt, json, out)
    settings: dict[str, Any] = {
        "localisation": localisation,
        "assignment": assignment,
        "threshold": threshold,
        "by_threshold": by_threshold,
        "admits": admits,
        "score_threshold": score_threshold,
        "max_detections": max_detections,
        "area": area,
        "by_class": not any_class,
        "duplicates": duplicates,
        "boundary_distance": boundary_distance,
        "dilation": dilation,
        "average": average,
        "absent_class": absent_class,
        "undefined": undefined,
        "classes": detection_options.parse_classes(classes),
        "unknown_images": unknown_images,
        "method": method,
        "confidence_level": confidence_level,
        "alternative": alternative,
        "n_resamples": n_resamples,
        "rng": seed,
        "n_threads": check_jobs(jobs),
    }
    metrics = split_names(metric or ())
    if coco and metrics:
        settings["threshold"] = "coco" if threshold is None else threshold
        settings["max_detections"] = 100 if max_detections is None else max_detections
    metrics = metrics or (["coco"] if coco else [])
    kind = detection_figures.check(plot, plot_kind, metrics, by_threshold=by_threshold)
    found, true = detection_reading.sources(detections, references, ctx.params)
    estimates = detection_ci(found, true, metric=metrics or None, **settings)
    for text in estimates.notes:
        note(text)
    document = estimates_document(estimates)
    if plot is not None and kind is not None:
        detection_figures.draw(kind, plot, (found, true), estimates, settings)
        title = detection_figures.TITLES.get(kind, "Detections with intervals")
        document = figures.with_figure(document, Figure(kind, title, estimates, plot))
    status = STRICT_STATUS if strict and estimates.cautions else 0
    return Answer(document, fmt, out, status)
