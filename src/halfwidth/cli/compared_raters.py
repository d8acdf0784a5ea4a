"""A model and its raters, as the command line names them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from halfwidth.cli import options, reading
from halfwidth.cli.command import is_given, refuse_given
from halfwidth.cli.comparison_settings import given_options
from halfwidth.cli.given_data import label_options
from halfwidth.cli.metric_names import metrics_of
from halfwidth.core.errors import OptionError
from halfwidth.data.readings import Readings
from halfwidth.io.table import Table

# Options that ask for raters.
RATER_OPTIONS = ("rater", "pairs")
WHY_NOT = "has no effect on a model against raters (--rater, --pairs)"
OF_MODELS = (
    *("better", "target", "score", "prediction", "scores", "threshold", "costs", "priors"),
    *("score_a", "score_b", "prediction_a", "prediction_b", "sample_weight"),
)
OF_PAIRS = ("value", "by", "penalty", "scale", "over", "bounds")
OF_LABELS = ("labels", "pos_label", "absent_class", "undefined")
SHARED = ("case", "groups", "strata", "missing", "pairing")


def asks_for_raters(ctx: typer.Context) -> bool:
    """Whether any option names the model, its raters or pairs of them."""
    return any(is_given(ctx, name) for name in RATER_OPTIONS)


def readings_in(ctx: typer.Context, files: list[str]) -> tuple[Readings, dict[str, Any]]:
    """What the model and its raters said, and the options of the verb."""
    params = ctx.params
    refuse_given(ctx, OF_MODELS, WHY_NOT)
    if len(files) != 1:
        raise OptionError(f"give one table with the model and its raters, not {len(files)} files")
    if params["model"] is None:
        raise OptionError("--model NAME is missing: name the model; the others are its raters")
    table = reading.table_in(Path(files[0]), reading.Options.from_given(params))
    asked = given_options(params) | {
        "metric": metrics_of(params["metric"]),
        "statistic": params["statistic"],
        "average": params["average"],
    }
    if params["pairs"] is None:
        refuse_given(ctx, OF_PAIRS, "needs --pairs, the columns that say who is compared with whom")
        return _labels(table, params), asked
    refuse_given(ctx, OF_LABELS, "has no effect on values of cases (--pairs)")
    return _pairs(table, params), asked


def _labels(table: Table, params: Mapping[str, Any]) -> Readings:
    """A column of labels for the model and for each rater."""
    columns = [params["model"], *(params["rater"] or ())]
    reading.check_columns(table, [*columns, params["groups"], params["strata"], params["case"]])
    return Readings.from_table(
        table,
        label=columns,
        model=params["model"],
        **label_options(table, params["model"], params),
        **{name: params[name] for name in ("absent_class", "undefined", *SHARED)},
    )


def _pairs(table: Table, params: Mapping[str, Any]) -> Readings:
    """Values of cases of pairs, with columns that name both members."""
    return Readings.from_pairs(
        table,
        params["value"],
        model=params["model"],
        raters=params["rater"],
        pairs=[name.strip() for name in params["pairs"].split(",")],
        by=params["by"],
        bounds=options.parse_bounds(params["bounds"]),
        **{name: params[name] for name in ("over", "scale", "penalty", *SHARED)},
    )
