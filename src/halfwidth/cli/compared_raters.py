"""A model against raters, as the command line names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halfwidth.cli import options, predictions, reading
from halfwidth.cli.command import is_given, refuse_given
from halfwidth.cli.compared_models import check_columns
from halfwidth.comparison.rater_api import compare_with_raters, compare_with_raters_table
from halfwidth.core.errors import OptionError
from halfwidth.core.parameters import split_names
from halfwidth.io.table import Table
from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS
from halfwidth.tables.prediction_columns import class_cells

if TYPE_CHECKING:
    from halfwidth.results.comparison import Comparisons

# Options that ask for raters.
RATER_OPTIONS = ("model", "rater", "pairs")
WHY_NOT = "has no meaning for a model against raters (--model, --rater, --pairs)"
OF_MODELS = (
    *("by", "better", "baseline", "goal", "unpaired", "test", "correction", "simultaneous"),
    *("target", "score", "prediction", "score_a", "score_b", "prediction_a", "prediction_b"),
    *("scores", "threshold", "costs", "priors", "weight"),
)
OF_PAIRS = ("value", "within", "penalty", "scale", "statistic", "over", "bounds")
OF_LABELS = ("labels", "positive", "average", "absent_class", "undefined")
SHARED = (*("margin", "missing", "unmatched", "method", "confidence_level", "n_resamples"),)


def asks_for_raters(ctx: typer.Context) -> bool:
    """Whether any option names the model, its raters or pairs of them."""
    return any(is_given(ctx, name) for name in RATER_OPTIONS)


def compared_with_raters(ctx: typer.Context, files: list[str]) -> Comparisons:
    """The model against raters beside the raters against each other.

    Raises
    ------
    OptionError
        For options that would be ignored, or that are lacking.
    """
    given = ctx.params
    refuse_given(ctx, OF_MODELS, WHY_NOT)
    if len(files) != 1:
        raise OptionError(
            f"a model and its raters are in one table, and {len(files)} files are given"
        )
    if given["model"] is None:
        raise OptionError("--model NAME is missing: which is the model, the others being raters")
    table = reading.table_in(Path(files[0]), reading.Options.from_given(given))
    shared = {name: given[name] for name in SHARED} | {
        "metric": _only_metric(given["metric"]),
        "effect": "ratio" if given["ratio"] else "difference",
        "rng": given["seed"],
    }
    if given["pairs"] is not None:
        refuse_given(ctx, OF_LABELS, "has no effect on values of cases (--pairs)")
        return _compare_pairs(table, given, shared)
    refuse_given(ctx, OF_PAIRS, "needs --pairs, the columns of who is compared with whom")
    return _compare_labels(table, given, shared)


def _compare_labels(table: Table, given: Mapping[str, Any], shared: dict[str, Any]) -> Comparisons:
    """A column of labels for the model and for each rater."""
    import pandas as pd

    if shared["metric"] is None:
        raise OptionError("--metric NAME is missing: what agreement is measured by, cohen_kappa")
    _refuse_metric_of_cases(shared["metric"].partition(":")[0])
    names = list(given["rater"] or ())
    columns = [given["model"], *names]
    twice = [name for place, name in enumerate(columns) if name in columns[:place]]
    if twice:
        raise OptionError(f"--rater {twice[0]}: the same column is the model or a rater already")
    check_columns(table, (*columns, given["groups"], given["strata"], given["case"]))
    cells = {name: class_cells(table, name, numbers=False) for name in columns}
    index = None if given["case"] is None else pd.Index(table.levels(given["case"]))
    series = {name: pd.Series(column, index) for name, column in cells.items()}
    further: dict[str, Any] = {
        option: None if given[option] is None else pd.Series(table.levels(given[option]), index)
        for option in ("groups", "strata")
    }
    model = series.pop(given["model"])
    truth = cells[given["model"]]
    positive = given["positive"]
    return compare_with_raters(
        model,
        series,
        **shared,
        **further,
        average=given["average"],
        labels=predictions.parse_labels(given["labels"], truth),
        pos_label=None if positive is None else predictions.parse_label(positive, truth),
        absent_class=given["absent_class"],
        undefined=given["undefined"],
        name=given["model"],
    )


def _only_metric(given: Sequence[str] | None) -> str | None:
    """The metric of agreement; raters are compared by one."""
    names = split_names(given or ())
    if len(names) > 1:
        raise OptionError(
            f"--metric names {len(names)} ({', '.join(names)}), and raters are compared by one"
        )
    return names[0] if names else None


def _refuse_metric_of_cases(name: str) -> None:
    """Labels have no value for each case."""
    if name in METRICS and name not in SAMPLE_METRICS:
        raise OptionError(
            f"--metric {name} has a value for each case and pair: give a table of these and "
            "--pairs COLUMN,COLUMN, the columns of who is compared with whom"
        )


def _compare_pairs(table: Table, given: Mapping[str, Any], shared: dict[str, Any]) -> Comparisons:
    """Values of cases of pairs, with columns that name both members."""
    columns = [name.strip() for name in given["pairs"].split(",")]
    if len(columns) != 2:
        raise OptionError(
            f"--pairs {given['pairs']}: two columns with a comma, --pairs prediction,reference"
        )
    return compare_with_raters_table(
        table,
        list(given["value"] or ()) or None,
        **shared,
        model=given["model"],
        raters=given["rater"] or None,
        prediction=columns[0],
        reference=columns[1],
        within=tuple(given["within"] or ()),
        case=given["case"],
        statistic=given["statistic"],
        penalty=given["penalty"],
        groups=given["groups"],
        strata=given["strata"],
        over=given["over"],
        bounds=options.parse_bounds(given["bounds"]),
        scale=given["scale"],
    )
