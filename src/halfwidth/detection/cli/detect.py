"""``halfwidth detect``: intervals for metrics of a detector."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halfwidth.cli import options, test_set_options
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.option_groups import argument, names_in, option, with_options
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.core.processes import check_jobs
from halfwidth.detection.cli import figures as detection_figures
from halfwidth.detection.cli import options as detection_options
from halfwidth.detection.cli import reading as detection_reading
from halfwidth.verbs.estimate import estimate


@with_options(
    detection_reading.reading_options, detection_options.matching_options, options.interval_options
)
def detect(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        argument(
            "Files or folders of what was detected, of one detector or several (NAME=FILE "
            "calls one NAME), and that of the objects to be found: of two files the second, of "
            "more the one without scores.",
            "FILE",
        ),
    ] = None,
    references: Annotated[
        Path | None,
        option(
            "File or folder of the objects to be found; all others are of detectors.",
            "FILE",
            Group.DETECTIONS,
        ),
    ] = None,
    metric: detection_options.DetectionMetrics = None,
    threshold: detection_options.DetectionThreshold = None,
    by_threshold: detection_options.ByThreshold = False,
    average: detection_options.AverageOfClasses = None,
    absent_class: test_set_options.AbsentClass = "omit",
    undefined: test_set_options.UndefinedOption = "omit",
    groups: Annotated[
        str | None,
        option(
            "Column or field of the references that names the patient or scan of each image, "
            "or a table of images and these: images of one are resampled together.",
            "COLUMN|FILE",
            Group.DESIGN,
        ),
    ] = None,
    strata: Annotated[
        str | None,
        option(
            "The same for the stratum of each image, its site: each keeps its size.",
            "COLUMN|FILE",
            Group.DESIGN,
        ),
    ] = None,
    alternative: options.Alternative = "two-sided",
    seed: options.Seed = None,
    jobs: options.Jobs = 1,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: detection_options.Plot = None,
    plot_kind: detection_options.PlotKind = None,
    image_names: detection_options.ImageNames = False,
    strict: options.Strict = False,
) -> Answer:
    """Confidence intervals for metrics of detectors, on boxes, masks or points.

    Detections are matched with the objects of the references once; images, or patients, are
    resampled with their matches. Formats: COCO JSON, tables of boxes, YOLO text, Pascal VOC XML,
    folders of label maps, LUNA16's centres and diameters; they are recognised.

    \b
    halfwidth detect detections.json references.json
    halfwidth detect detections.json references.json --coco
    halfwidth detect detections.json references.json --metric ap50,froc_score
    halfwidth detect detections.json references.json --metric ap --by-threshold
    halfwidth detect detections.json references.json --average none --area small
    halfwidth detect a.json b.json references.json --metric ap50
    halfwidth detect boxes.csv truth.csv --groups patient \\
        --metric object_sensitivity,fppi --score-threshold 0.5
    """
    fmt = options.resolve_format(fmt, json, out)
    params = ctx.params
    asked = {
        "average": average,
        "alternative": alternative,
        "rng": seed,
        "n_threads": check_jobs(jobs),
        **{name: params[name] for name in names_in(options.interval_options)},
    }
    metrics = detection_options.metrics_asked(params)
    kind = detection_figures.check(plot, plot_kind, metrics, by_threshold=by_threshold)
    if image_names and kind != "matches":
        raise OptionError("--image-names is for --plot FILE with --plot-kind matches")
    detectors, references = detection_reading.told_apart(files or (), references, params)
    detection_figures.check_curves(kind, list(detectors), average)
    data = detection_reading.detections_in(detectors, references, params)
    estimates = estimate(data, metric=metrics or None, **asked)
    note(*estimates.notes)
    document, cautions = estimates.document(), estimates.cautions
    if plot is not None and kind is not None:
        drawing = detection_figures.Drawing(kind, plot, data, asked, image_names)
        document, cautions = drawing.beside(document, estimates)
    return Answer(document, fmt, out, strict_status(strict, cautions))
