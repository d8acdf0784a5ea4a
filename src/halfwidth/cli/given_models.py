"""The models that a verb compares, detectors or others, and what is asked of them."""

from __future__ import annotations

from typing import Any

import typer

from halfwidth.cli.command import is_given, refuse_given
from halfwidth.cli.compared_models import named_files
from halfwidth.cli.comparison_settings import given_options, verb_options
from halfwidth.cli.detection_options import matching_options, metrics_asked
from halfwidth.cli.detection_reading import detections_in, reading_options
from halfwidth.cli.given_data import data_in
from halfwidth.cli.option_groups import names_in
from halfwidth.core.errors import OptionError
from halfwidth.data.case_values import CaseValues
from halfwidth.data.detections import Detections
from halfwidth.data.predictions import Predictions

OF_DETECTIONS = names_in(reading_options, matching_options)
# The others that have an effect on detections.
TAKEN = (
    *("files", "new", "against", "references", "model_from", "groups", "strata", "threshold"),
    *("absent_class", "undefined", "metric", "average", "baseline", "margin", "goal", "ratio"),
    *("test", "correction", "scheme", "top", "combine", "method", "seed"),
    *("confidence_level", "n_resamples", "fmt", "json", "out", "plot", "plot_kind", "strict"),
    *("title", "pdf", "latex", "markdown", "figures", "protocol"),
)


def asks_for_detections(ctx: typer.Context) -> bool:
    """Whether detectors are compared; options of detections need references."""
    if ctx.params["references"] is not None:
        return True
    refuse_given(ctx, OF_DETECTIONS, "is for detections and needs --references FILE")
    return False


def detectors_in(
    ctx: typer.Context, files: list[str], *, metric_given: bool = True
) -> tuple[Detections, dict[str, Any]]:
    """The detectors that options name, and the options of the verb.

    ``metric_given``: whether a metric has to be, since detectors are compared by it.
    """
    params = ctx.params
    allowed = {*OF_DETECTIONS, *TAKEN}
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


def models_in(
    ctx: typer.Context, files: list[str]
) -> tuple[CaseValues | Predictions | Detections, dict[str, Any]]:
    """The models that options name, whatever their data are, and the options of the verb."""
    if asks_for_detections(ctx):
        return detectors_in(ctx, files)
    asked = verb_options(ctx)
    return data_in(files, ctx.params), asked
