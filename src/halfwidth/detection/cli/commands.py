"""What detection brings to the verbs of several models (`halfwidth.cli.branch_commands`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli.command import is_given, refuse_given
from halfwidth.cli.compared_models import named_files
from halfwidth.cli.comparison_settings import given_options
from halfwidth.cli.option_groups import names_in, option
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.detection.cli import figures, methods
from halfwidth.detection.cli.options import matching_options, metrics_asked
from halfwidth.detection.cli.reading import detections_in, reading_options
from halfwidth.detection.data import Detections
from halfwidth.detection.estimation.curves import AREA_OF
from halfwidth.detection.metrics.all_criteria import ASSIGNMENTS, LOCALISATIONS
from halfwidth.detection.results.curves import DetectionCurves
from halfwidth.detection.results.estimate import DetectionEstimate
from halfwidth.metrics.all_metrics import DETECTION_METRICS
from halfwidth.reports.of_data import RESAMPLES
from halfwidth.results.estimate import Estimate

References = Annotated[
    Path | None,
    option(
        "File or folder of the objects to be found: asks for metrics of detections. FILE are "
        "then those of each detector; these options and those of matching are as in `halfwidth "
        "detect`, and so are --threshold, --average, --groups and --strata.",
        "FILE",
        Group.DETECTIONS,
    ),
]
MODELS, CONTENT, ASKED_BY = "detectors", "detections", "--references FILE"
PLOT_KINDS = figures.CURVES
check_curves, curves_behind = figures.check_curves, figures.curves_behind
PLOTS = "of detectors froc, pr, afroc or wafroc: the curves of up to four with their bands"
TASK = "detection"
CATALOGUES, overview, explained = methods.CATALOGUES, methods.overview, methods.explained
TASK_HELP = "detection: its metrics, and the ways to match detections with references."


def reference_options(references: References = None) -> None:
    """The objects that detections are matched with."""


OPTIONS = (reference_options, reading_options, matching_options)

_OF_DETECTIONS = names_in(reading_options, matching_options)
# The others that have an effect on detections.
_TAKEN = (
    *("files", "new", "against", "references", "model_from", "groups", "strata", "threshold"),
    *("absent_class", "undefined", "metric", "average", "baseline", "margin", "goal", "ratio"),
    *("test", "correction", "scheme", "top", "combine", "method", "seed"),
    *("confidence_level", "n_resamples", "fmt", "json", "out", "plot", "plot_kind", "strict"),
    *("title", "pdf", "latex", "markdown", "figures", "protocol"),
)


def asks(ctx: typer.Context) -> bool:
    """Whether detectors are compared; options of detections need references."""
    if ctx.params["references"] is not None:
        return True
    refuse_given(ctx, _OF_DETECTIONS, "is for detections and needs --references FILE")
    return False


def models_in(
    ctx: typer.Context, files: list[str], *, metric_given: bool = True
) -> tuple[Detections, dict[str, Any]]:
    """The detectors that options name, and the options of the verb.

    ``metric_given``: whether a metric has to be, since detectors are compared by it.
    """
    params = ctx.params
    allowed = {*_OF_DETECTIONS, *_TAKEN}
    ignored = [name for name in params if name not in allowed and is_given(ctx, name)]
    refuse_given(ctx, ignored, "has no effect on detections (--references)")
    names = metrics_asked(params)
    if metric_given and not names:
        raise OptionError(
            "--metric is missing: what detectors are compared by, such as ap50, froc_score, pq or "
            "--coco; 'halfwidth methods --for detection' lists them"
        )
    asked = given_options(params) | {
        "metric": names[0] if len(names) == 1 else names or None,
        "average": params["average"],
    }
    named = named_files(files, params.get("model_from"))
    return detections_in(named, params["references"], params), asked


def alone(data: Detections) -> Detections:
    """The data of the only detector, without its name."""
    return replace(data, detections={"": next(iter(data.detections.values()))})


def files_beside(params: Mapping[str, Any]) -> dict[str, Path]:
    """The file of the objects to be found."""
    return {"references": params["references"]}


def curves_of_estimates(
    data: Detections, estimates: Sequence[Estimate], asked: Mapping[str, Any]
) -> tuple[DetectionCurves, ...]:
    """Curves whose areas were estimated, of all detectors in one figure.

    At the first threshold of localisation, where an average is over several. ``asked``: the options
    of the verb.
    """
    drawn = []
    for kind, area in AREA_OF.items():
        first = next((one for one in estimates if one.metric == area), None)
        if isinstance(first, DetectionEstimate):
            rule = replace(first.matching, thresholds=first.matching.thresholds[:1])
            draws = {
                "n_resamples": asked["n_resamples"] or RESAMPLES,
                "rng": asked["rng"] if first.seed is None else first.seed,
            }
            at_first = replace(first, matching=rule)
            drawn.append(curves_behind(kind, data, at_first, {**asked, **draws}))
    return tuple(drawn)


def _epilog() -> str:
    return (
        f"Metrics of detections: {', '.join(DETECTION_METRICS.names)}; with parameters, for "
        "example sensitivity_at_fppi:fppi=0.5, ap:interpolation=all_points.\n\n"
        f"Localisation: {', '.join(LOCALISATIONS.names)}.\n\n"
        f"Assignment: {', '.join(ASSIGNMENTS.names)}."
    )


def _comparing_epilog() -> str:
    return (
        f"Metrics of detections (--references): {', '.join(DETECTION_METRICS.names)}; thresholds "
        "and parameters as in 'halfwidth detect'."
    )


EPILOGS = {"detect": _epilog, **dict.fromkeys(("compare", "gate", "rank"), _comparing_epilog)}
