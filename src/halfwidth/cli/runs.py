"""``halfwidth runs``: quantiles of a metric over training runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import figures, options, reading
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.option_groups import argument, declared, option, with_options
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.data.case_values import CaseValues
from halfwidth.estimation.runs.quantiles import run_statistics
from halfwidth.verbs.estimate import estimate


@with_options(reading.plain_table_options)
def runs(
    ctx: typer.Context,
    file: Annotated[
        Path,
        argument(
            f"{reading.TABLE_HELP}; a row per run, plain, or as MLflow or W&B export it.", "FILE"
        ),
    ],
    value: Annotated[
        str | None,
        option(
            "Column of the metric, with or without 'metrics.' before it; default: the only "
            "one there is.",
            "COLUMN",
            Group.INPUT,
        ),
    ] = None,
    quantile: Annotated[list[float], declared("quantile", more="Repeatable.")] = [0.1, 0.5, 0.9],  # noqa: B006 -- typer copies it
    by: Annotated[
        list[str] | None,
        option(
            "Column that names the source of variation (seed, split, augmentation, ...): each "
            "is estimated apart; repeatable.",
            "COLUMN",
            Group.INPUT,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        option(
            "What the values are; decides range, unit and whether high is good. Default: what "
            "the column is called, where that is a metric.",
            "NAME",
            Group.ESTIMATE,
        ),
    ] = None,
    method: Annotated[
        str,
        option(
            "auto, exact, exact_attained, exact_randomized, asymptotic, semiparametric, "
            "percentile, ...; the mean has t.",
            "NAME",
            Group.INTERVAL,
        ),
    ] = "auto",
    point: Annotated[str, declared("point")] = "auto",
    mean: Annotated[bool, declared("mean", flags=("--mean/--no-mean",))] = True,
    folds: Annotated[str, declared("folds")] = "refuse",
    confidence_level: options.ConfidenceLevel = 0.95,
    simultaneous: Annotated[
        bool, declared("simultaneous", "estimate", flags=("--simultaneous",))
    ] = False,
    alternative: options.Alternative = "two-sided",
    n_resamples: options.NResamplesOrNone = None,
    seed: options.Seed = None,
    missing: options.Missing = "raise",
    penalty: options.Penalty = None,
    scale: options.Scale = 1.0,
    bounds: options.BoundsOption = None,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Annotated[
        Path | None,
        option(
            "Draw a figure too: the runs and their quantiles, a row per source.",
            "FILE",
            Group.OUTPUT,
        ),
    ] = None,
    strict: options.Strict = False,
) -> Answer:
    """Quantiles of a metric over independent training runs, with confidence intervals.

    One row per run, of one procedure in which one source of variation changes. The number of runs
    is what counts, not the size of the test set; folds of a cross-validation are no runs.

    \b
    halfwidth runs seeds.csv --value accuracy --quantile 0.1 \\
        --confidence-level 0.9
    halfwidth runs runs.csv --value accuracy --by source --confidence-level 0.9 \\
        --plot runs.png
    halfwidth runs mlflow.csv --value val_rmse --metric rmse --quantile 0.9 \\
        --seed 1
    """
    fmt = options.resolve_format(fmt, json, out)
    figures.check(plot, None, ("distribution",))
    if not quantile:
        raise OptionError("name a level: --quantile 0.9")

    how = reading.Options.from_given(ctx.params)
    data = CaseValues.from_runs(
        reading.table_in(file, how),
        value,
        metric=metric,
        by=by,
        folds=folds,
        bounds=options.parse_bounds(bounds),
        scale=scale,
        missing=missing,
        penalty=penalty,
    )
    # Words are checked where they are used.
    asked: dict[str, Any] = {
        "statistic": [*run_statistics(quantile, point), *(["mean"] if mean else [])],
        "method": method,
        "confidence_level": confidence_level,
        "alternative": alternative,
        "n_resamples": n_resamples,
        "rng": seed,
        "simultaneous": simultaneous,
    }
    estimates = estimate(data, **asked)
    note(*estimates.notes)
    document = estimates.document()
    if plot is not None:
        title = "Training runs and their quantiles"
        document = figures.with_picture(document, estimates, plot, "distribution", title)
    return Answer(document, fmt, out, strict_status(strict, estimates.cautions))
