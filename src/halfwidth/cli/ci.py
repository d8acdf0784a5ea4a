"""``halfwidth ci``: intervals for a table of per-case values, or for a whole test set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from halfwidth.cli import (
    calibration,
    figures,
    option_groups,
    options,
    predictions,
    reading,
    test_set_options,
)
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.command import refuse_given
from halfwidth.cli.compared_models import named_models
from halfwidth.cli.metric_names import metrics_of
from halfwidth.cli.option_groups import option
from halfwidth.cli.output import note, note_if_long
from halfwidth.core.errors import OptionError, shortened
from halfwidth.core.kinds import Estimand
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.data.case_values import CaseValues
from halfwidth.estimation.resolve import resolve_statistic
from halfwidth.results.estimate import Estimates
from halfwidth.tables.folds import ModelFile
from halfwidth.tables.table_kinds import refuse_objects, refuse_predictions, refuse_runs
from halfwidth.verbs.estimate import estimate

# Options of values of cases, and those of test sets.
OF_CASES = ("value", "by", "statistic", "failures", "penalty", "scale", "case", "over")
# The others of values of cases are those of the data.
OF_VERB = ("statistic", "method", "confidence_level", "alternative", "n_resamples", "rng")
OF_TEST_SETS = (
    *option_groups.names_in(test_set_options.average_options, test_set_options.metric_options),
    *calibration.NAMES,
    "jobs",
)


@option_groups.with_options(
    reading.table_options,
    options.value_options,
    options.interval_options,
    options.failures_options,
    options.design_options,
    test_set_options.column_options,
    test_set_options.file_options,
    test_set_options.average_options,
    test_set_options.metric_options,
    calibration.calibration_options,
)
def ci(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        option_groups.argument(
            f"{reading.TABLE_HELP}. Several tables of values are of a model each, called by "
            "their files (NAME=FILE calls one NAME), or the folds of one: "
            "fold_*/validation/summary.json.",
            "FILE",
        ),
    ] = None,
    value: options.Values = None,
    by: Annotated[
        list[str] | None,
        option("Column whose levels are estimated apart; repeatable.", "COLUMN", Group.INPUT),
    ] = None,
    case: options.Case = None,
    missing: options.MissingOrAll = "raise",
    metric: options.Metric = None,
    statistic: options.Statistics = ["mean"],  # noqa: B006 -- typer copies it
    alternative: options.Alternative = "two-sided",
    seed: options.Seed = None,
    jobs: options.Jobs = 1,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    plot_kind: options.PlotKind = None,
    strict: options.Strict = False,
) -> Answer:
    """Confidence intervals for per-case values, or for metrics of a whole test set.

    Values: a wide table has a column per structure, and all numeric columns are estimated at once;
    a long one has one value column and columns to group by; a canonical table (columns case,
    metric, value) needs no options.

    \b
    halfwidth ci dice.csv --metric dsc
    halfwidth ci percent.csv --metric dsc --scale 100 --missing omit
    halfwidth ci dice.csv --metric dsc --statistic median --statistic iqr
    halfwidth ci long.csv --value dice --by model --by task --metric dsc --json
    halfwidth ci long.csv --value dice --groups patient --plot dice.png

    Test sets: name the column of true classes and those of the scores, or of the predicted classes.

    \b
    halfwidth ci preds.csv --target y --score p1 --metric auroc,sensitivity
    halfwidth ci preds3.csv --target y --score a --score b --score c \\
        --metric auroc --average macro
    halfwidth ci preds3.csv --target y --prediction label --metric f1 \\
        --average none --average macro
    halfwidth ci --target-file y.npy --score-file logits.npy --scores logits \\
        --metric auroc
    halfwidth ci preds.csv --target y --score p1 --calibration-test spiegelhalter
    halfwidth ci preds.csv --target y --score p1 --centre hospital
    """
    fmt = options.resolve_format(fmt, json, out)
    params = ctx.params
    models = named_models(files) if files else {}
    source = predictions.TestSetSource.from_params(next(iter(models.values()), None), params)
    shared: dict[str, Any] = {
        **{name: params[name] for name in option_groups.names_in(options.interval_options)},
        "alternative": alternative,
        "rng": seed,
        "missing": missing,
        "bounds": options.parse_bounds(params["bounds"]),
    }
    if source.any:
        refuse_given(ctx, OF_CASES, "has no effect on a metric of a test set (--target)")
        _refuse_several(models)
        if any(params[name] for name in calibration.NAMES):
            answer, cautions = calibration.document_of(ctx, source, missing)
            return Answer(answer, fmt, out, strict_status(strict, cautions))
        kind = figures.check(plot, plot_kind, figures.TEST_SET_KINDS)
        estimates, drawn = predictions.estimate_test_set(
            source,
            split_names(metric or ()),
            shared | predictions.test_set_arguments(params) | {"jobs": jobs},
            predictions.DesignColumns(params["groups"], params["strata"], params["sample_weight"]),
            kind,
        )
    else:
        refuse_given(ctx, OF_TEST_SETS, "needs --target COLUMN, the true classes")
        kind = figures.check(plot, plot_kind, figures.KINDS)
        of_cases = {name: params[name] for name in (*OF_CASES, "groups", "strata")}
        of_cases |= {"value": value, "by": by, "statistic": split_names(statistic)}
        of_cases["metric"] = metric
        drawn = estimates = _estimate_cases(models, source.reading, shared | of_cases)
    note(*estimates.notes)

    document = estimates.document()
    if plot is not None and kind is not None:
        document = figures.with_pages(document, drawn, plot, kind if drawn is estimates else None)
    return Answer(document, fmt, out, strict_status(strict, estimates.cautions))


def _refuse_several(models: Mapping[str, ModelFile]) -> None:
    if len(models) > 1:
        raise OptionError(
            f"{len(models)} models are given ({shortened(list(models), 5)}), and a test set is of "
            "one: 'halfwidth rank' has the intervals of all, 'halfwidth compare' those of their "
            "differences"
        )


def _estimate_cases(
    models: Mapping[str, ModelFile],
    reading_options: reading.Options,
    settings: dict[str, Any],
) -> Estimates:
    if not models:
        raise OptionError("name the table: halfwidth ci FILE; 'halfwidth ci --help' says more")
    tables = {name: reading.table_in(file, reading_options) for name, file in models.items()}
    options.refuse_test_set_metrics(settings["metric"], list(tables.values()))
    settings["metric"] = metrics_of(settings["metric"])
    for table in tables.values():
        if not settings["value"]:
            refuse_runs(table)
            if not settings["by"] and settings["metric"] is None:
                refuse_objects(table)
                refuse_predictions(table)
        if not _is_exact(settings):
            note_if_long(len(table), settings["method"], settings["n_resamples"])
    asked = {name: settings.pop(name) for name in OF_VERB}
    params = tables if len(tables) > 1 else next(iter(tables.values()))
    data = CaseValues.from_table(params, settings.pop("value") or None, **settings)
    return estimate(data, **asked)


def _is_exact(settings: dict[str, Any]) -> bool:
    """Whether all statistics are means, whose bootstraps need no draws."""
    kinds = {resolve_statistic(name).spec.estimand for name in settings["statistic"]}
    return settings["n_resamples"] is None and kinds == {Estimand.MEAN}
