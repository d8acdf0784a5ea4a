"""``halfwidth ci``: intervals for a table of per-case values, or for a whole test set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import figures, options, predictions, reading
from halfwidth.cli.output import note, write
from halfwidth.core.errors import OptionError
from halfwidth.core.estimates import Estimates

__all__ = ["ci"]

STRICT_STATUS = 3
# Draws that take NumPy some twenty seconds.
LONG_JOB = 2e9


def ci(
    file: Annotated[
        Path | None,
        typer.Argument(
            help=f"{reading.TABLE_HELP}.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        typer.Option(
            help="Column with values; repeatable. Default: all numeric columns.",
            metavar="COLUMN",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Column whose levels are estimated apart; repeatable.",
            metavar="COLUMN",
            show_default=False,
        ),
    ] = None,
    metric: options.Metric = None,
    statistic: options.Statistics = ["mean"],  # noqa: B006 -- typer copies it
    method: options.Method = "auto",
    confidence_level: options.ConfidenceLevel = 0.95,
    alternative: options.Alternative = "two-sided",
    n_resamples: options.NResamplesOrNone = None,
    seed: options.Seed = None,
    missing: options.Missing = "raise",
    penalty: options.Penalty = None,
    scale: options.Scale = 1.0,
    bounds: options.BoundsOption = None,
    case: options.Case = None,
    sheet: reading.Sheet = None,
    decimal: reading.Decimal = None,
    header: reading.Header = None,
    input_format: reading.InputFormat = None,
    target: options.Target = None,
    score: options.Score = None,
    prediction: options.Prediction = None,
    target_file: options.TargetFile = None,
    score_file: options.ScoreFile = None,
    labels: options.Labels = None,
    positive: options.Positive = None,
    average: options.AverageOption = None,
    scores: options.ScoresAre = "auto",
    threshold: options.Threshold = None,
    absent_class: options.AbsentClass = "omit",
    undefined: options.UndefinedOption = "omit",
    costs: options.Costs = None,
    priors: options.Priors = None,
    weight: options.Weight = None,
    threads: options.Threads = 1,
    groups: options.Groups = None,
    strata: options.Strata = None,
    over: options.OverOption = "cases",
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    plot_kind: options.PlotKind = None,
    strict: options.Strict = False,
    debug: options.Debug = False,
) -> int:
    """Confidence intervals for per-case values, or for metrics of a whole test set.

    Values: a wide table has a column per structure, and all numeric columns are estimated at once;
    a long one has one value column and columns to group by; a canonical table (columns case,
    metric, value) needs no options.

    \b
    halfwidth ci dice.csv --metric dsc
    halfwidth ci dice.csv --metric dsc --scale 100 --missing omit --statistic median
    halfwidth ci long.csv --value dice --by model --by task --metric dsc --json
    halfwidth ci long.csv --value dice --groups patient --metric dsc --plot dice.png

    Test sets: name the column of true classes and those of the scores, or of the predicted classes.

    \b
    halfwidth ci preds.csv --target y --score p1 --metric auroc --metric sensitivity
    halfwidth ci preds.csv --target y --score a --score b --score c --metric auroc --average macro
    halfwidth ci preds.csv --target y --prediction label --metric f1 --average none --average macro
    halfwidth ci --target-file y.npy --score-file logits.npy --scores logits --metric auroc
    """
    given = dict(locals())
    given["fmt"] = fmt = options.resolve_format(fmt, json, out)
    asked = predictions.Asked(
        file,
        target,
        score or [],
        prediction,
        target_file,
        score_file,
        (sheet, decimal, header, input_format),
    )
    estimates = _of_test_set(asked, given) if asked.any else _of_cases(given)
    for said in estimates.notes:
        note(said)
    if plot is not None:
        note(f"wrote {plot}")

    from halfwidth.report.tables import render

    write(render(estimates, fmt), out)
    return STRICT_STATUS if strict and estimates.cautions else 0


# Options that concern per-case values alone, or test sets alone, with their defaults.
OF_CASES: dict[str, Any] = {
    "value": None,
    "by": None,
    "statistic": ["mean"],
    "penalty": None,
    "scale": 1.0,
    "bounds": None,
    "case": None,
    "over": "cases",
}
OF_TEST_SETS: dict[str, Any] = {
    "labels": None,
    "positive": None,
    "average": None,
    "scores": "auto",
    "threshold": None,
    "absent_class": "omit",
    "undefined": "omit",
    "costs": None,
    "priors": None,
    "weight": None,
    "threads": 1,
}
OF_READING = ("sheet", "decimal", "header", "input_format")
OF_BOTH = ("method", "confidence_level", "alternative", "n_resamples", "missing")


def _refuse(given: Mapping[str, Any], defaults: Mapping[str, Any], why: str) -> None:
    """An option that would be ignored is an error."""
    for name, default in defaults.items():
        if given[name] != default:
            raise OptionError(f"--{name.replace('_', '-')} {why}")


def _of_test_set(asked: predictions.Asked, given: dict[str, Any]) -> Estimates:
    _refuse(given, OF_CASES, "has no effect on a metric of a test set (--target)")
    kind = figures.check(given["plot"], given["plot_kind"], figures.OF_TEST_SETS)
    how = {name: given[name] for name in (*OF_BOTH, *OF_TEST_SETS)}
    how["rng"], how["n_threads"] = given["seed"], how.pop("threads")
    how["n_resamples"] = given["n_resamples"] if given["n_resamples"] is not None else 9999
    how["threshold"] = predictions.parse_threshold(how["threshold"])
    how["costs"] = predictions.parse_costs(how["costs"])
    how["priors"] = predictions.parse_numbers("--priors", how["priors"])
    columns = predictions.Columns(given["groups"], given["strata"], how.pop("weight"))
    return predictions.estimates_of(asked, given["metric"], how, columns, (given["plot"], kind))


def _of_cases(given: dict[str, Any]) -> Estimates:
    _refuse(given, OF_TEST_SETS, "needs --target COLUMN, the true classes")
    kind = figures.check(given["plot"], given["plot_kind"], figures.KINDS)
    # Heavy libraries load here, so that help and slips cost nothing.
    from halfwidth.estimation.resolve import USUAL_RESAMPLES
    from halfwidth.estimation.tables import summary_table
    from halfwidth.intervals.catalogue import METHODS
    from halfwidth.metrics.catalogue import METRICS, SAMPLE_METRICS
    from halfwidth.resampling.convolution import MANY
    from halfwidth.resampling.kernels import compiled

    if given["file"] is None:
        raise OptionError("name the table: halfwidth ci FILE; 'halfwidth ci --help' says more")
    how = {name: given[name] for name in (*OF_BOTH, *OF_CASES, "groups", "strata")}
    metric, method = options.only_metric(given["metric"]), given["method"]
    name = (metric or "").partition(":")[0]
    if name in SAMPLE_METRICS and name not in METRICS:
        raise OptionError(
            f"{name} is a metric of a whole test set: name the column of true classes, --target, "
            "and those of the scores (--score) or of the predictions (--prediction)"
        )
    how |= {"metric": metric, "rng": given["seed"], "keep_cases": kind == "distribution"}
    how["bounds"] = options.parse_bounds(how["bounds"])
    how_read = [given[name] for name in OF_READING]
    table, values = reading.table_in(given["file"], *how_read), how.pop("value")
    resamples = USUAL_RESAMPLES if given["n_resamples"] is None else given["n_resamples"]
    long = len(table) * resamples > LONG_JOB and (
        given["n_resamples"] is not None or len(table) < MANY
    )
    if long and not compiled.available() and (method == "auto" or METHODS[method].resamples):
        note(
            f"{len(table)} rows and {resamples} resamples may take minutes; "
            "pip install 'halfwidth[fast]' makes most of that seconds"
        )
    estimates = summary_table(table, values, **how)
    if given["plot"] is not None and kind is not None:
        figures.draw(estimates, given["plot"], kind)
    return estimates
