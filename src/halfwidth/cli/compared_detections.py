"""Detectors on the same images, as the verbs that compare models name them."""

from __future__ import annotations

from typing import Any

import typer

from halfwidth.cli.command import is_given, refuse_given
from halfwidth.cli.compared_models import named_files
from halfwidth.cli.detection_options import matching_options, metrics_asked
from halfwidth.cli.detection_reading import detections_in, reading_options
from halfwidth.cli.option_groups import names_in
from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import split_names
from halfwidth.data.detections import Detections

OF_DETECTIONS = names_in(reading_options, matching_options)
# What options and arguments of a verb are both called.
OF_VERBS = (
    *("baseline", "margin", "goal", "test", "correction", "simultaneous"),
    *("method", "confidence_level", "n_resamples", "top", "combine"),
)
OF_DATA = ("absent_class", "undefined")
# What is made another argument, or is none.
FURTHER = (
    *("files", "new", "against", "references", "metric", "average", "ratio", "seed", "scheme"),
    *("threshold", "groups", "strata", "model_from", "fmt", "json", "out", "plot", "plot_kind"),
    *("strict", "title", "pdf", "latex", "markdown", "figures", "protocol"),
)


def asks_for_detections(ctx: typer.Context) -> bool:
    """Whether detectors are compared; options of detections need references."""
    if ctx.params["references"] is not None:
        return True
    refuse_given(ctx, OF_DETECTIONS, "is of detections and needs --references FILE")
    return False


def detectors_in(
    ctx: typer.Context, files: list[str], *, metric_given: bool = True
) -> tuple[Detections, dict[str, Any]]:
    """The detectors that options name, and the options of the verb.

    ``metric_given``: whether a metric has to be, since detectors are compared by it.

    Raises
    ------
    OptionError
        For options that would be ignored.
    """
    given = ctx.params
    allowed = {*OF_DETECTIONS, *OF_VERBS, *OF_DATA, *FURTHER}
    ignored = [name for name in given if name not in allowed and is_given(ctx, name)]
    refuse_given(ctx, ignored, "has no effect on detections (--references)")
    names = metrics_asked(given)
    if metric_given and not names:
        raise OptionError(
            "--metric is missing: what detectors are compared by, such as ap50, froc_score, pq or "
            "--coco; 'halfwidth methods --for detection' lists them"
        )
    asked = {name: given[name] for name in OF_VERBS if name in given}
    asked |= {
        "metric": names[0] if len(names) == 1 else names or None,
        "average": given["average"],
        "rng": given["seed"],
    }
    if "ratio" in given:
        asked["effect"] = "ratio" if given["ratio"] else "difference"
    if "scheme" in given:
        asked["scheme"] = split_names(given["scheme"])
    named = named_files(files, given.get("model_from"))
    return detections_in(named, given["references"], given), asked
