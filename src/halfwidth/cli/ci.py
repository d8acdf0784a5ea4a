"""``halfwidth ci``: intervals for a table of per-case values, or for a whole test set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from halfwidth.cli import figures, option_groups, options, reading, test_set_options
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.command import refuse_given
from halfwidth.cli.comparison_settings import verb_options
from halfwidth.cli.given_data import data_in, has_test_set
from halfwidth.cli.output import note
from halfwidth.core.branches import modules_brought
from halfwidth.core.errors import OptionError
from halfwidth.core.processes import check_jobs
from halfwidth.core.spec import Metric, Takes
from halfwidth.data.case_values import CaseValues
from halfwidth.data.predictions import Predictions
from halfwidth.metrics.agreement import accuracy, mcc
from halfwidth.metrics.counting import balanced_accuracy
from halfwidth.metrics.names import resolve_sample_metric
from halfwidth.metrics.ranking import auroc, average_precision
from halfwidth.tables.table_kinds import refuse_objects, refuse_predictions, refuse_runs
from halfwidth.verbs.confusion import confusion_ci
from halfwidth.verbs.curve import curve
from halfwidth.verbs.estimate import estimate

if TYPE_CHECKING:
    from halfwidth.cli.figures import Drawn

# What is asked of curves.
OF_CURVES = ("confidence_level", "n_resamples", "rng")

# What branches answer of test sets, by options of their own.
OF_BRANCHES = modules_brought("TEST_SETS")

# What a first look at a test set takes: the order of scores, the same at this prevalence, and
# calibration; of predicted classes what is right, also where classes are rare.
OF_SCORES, OF_LABELS = (auroc, average_precision), (accuracy, balanced_accuracy, mcc)


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
    *(branch.options for branch in OF_BRANCHES),
)
def ci(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        option_groups.argument(
            f"{reading.TABLE_HELP}. Several tables are of a model each, called by their files "
            "(NAME=FILE calls one NAME), or the folds of one: fold_*/validation/summary.json.",
            "FILE",
        ),
    ] = None,
    value: options.Values = None,
    model: options.Model = None,
    by: options.By = None,
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
    halfwidth ci long.csv --value dice --by task --metric dsc --json
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
    halfwidth ci A=preds_a.csv B=preds_b.csv --target y --score p1 --metric auroc
    halfwidth ci preds.csv --target y --score p1 --calibration-test spiegelhalter
    halfwidth ci preds.csv --target y --score p1 --centre hospital
    """
    fmt = options.resolve_format(fmt, json, out)
    params, files = ctx.params, files or []
    of_test_set = has_test_set(params)
    if not (files or params["target_file"] or params["score_file"]):
        how = " --target COLUMN --score COLUMN" * of_test_set
        raise OptionError(
            f"name the table: halfwidth ci FILE{how}; 'halfwidth ci --help' says more"
        )
    if not of_test_set:
        names = [name for branch in OF_BRANCHES for name in branch.NAMES]
        refuse_given(ctx, (*names, "jobs"), "needs --target COLUMN, the true classes")
    else:
        for branch in OF_BRANCHES:
            if any(params[name] for name in branch.NAMES):
                answer, cautions = branch.document_of(ctx, files)
                return Answer(answer, fmt, out, strict_status(strict, cautions))
    asked = verb_options(ctx)
    kind = figures.check(plot, plot_kind, figures.TEST_SET_KINDS if of_test_set else figures.KINDS)
    if of_test_set:
        asked["metric"] = _metrics_of(asked["metric"], params)
        _check_metrics(asked["metric"], kind)
        asked["n_threads"] = check_jobs(jobs)
    data = replace(data_in(files, params, compared=False), kept={})
    if isinstance(data, CaseValues):
        _check_kind(data, params)
    estimates = estimate(data, **asked)
    note(*estimates.notes)

    document, cautions = estimates.document(), estimates.cautions
    if plot is not None and isinstance(data, Predictions) and kind not in (None, "forest"):
        # The picture draws what the table says.
        seed = next((one.seed for one in estimates if one.seed is not None), asked["rng"])
        drawn = _drawn(data, kind, {**asked, "rng": seed})
        document, cautions = figures.with_drawn(document, drawn, plot, cautions)
    elif plot is not None:
        document = figures.with_picture(document, estimates, plot, kind)
    return Answer(document, fmt, out, strict_status(strict, cautions))


def _metrics_of(metrics: Any, params: dict[str, Any]) -> Any:
    """The metrics asked for, else those that a first look at predictions takes, with a note."""
    if metrics is not None and metrics != [None]:
        return metrics
    listed = [one.__name__ for one in (OF_SCORES if params["score"] else OF_LABELS)]
    of = "scores" if params["score"] else "predicted classes"
    note(f"no --metric is named; of {of} these are taken: {', '.join(listed)}")
    return listed


def _check_metrics(metrics: Any, kind: str | None) -> None:
    """Refuse a figure that a regression has not."""
    listed = metrics if isinstance(metrics, list) else [metrics]
    resolved = [resolve_sample_metric(one) for one in listed]
    numbers = any(one.spec.takes is Takes.NUMBERS for one in resolved if isinstance(one, Metric))
    if numbers and kind not in (None, "forest"):
        raise OptionError(
            f"--plot-kind {kind} draws a classification; for a regression use --plot-kind forest"
        )


def _check_kind(data: CaseValues, params: dict[str, Any]) -> None:
    """Refuse tables of something else, unless their columns of values are named."""
    if params["value"]:
        return
    for source in data.tables.sources:
        refuse_runs(source.table)
        if not params["by"] and data.metric is None:
            refuse_objects(source.table)
            refuse_predictions(source.table)


def _drawn(data: Predictions, kind: str, asked: dict[str, Any]) -> Drawn:
    """The curves of a test set, or its confusion matrix."""
    how = {name: asked[name] for name in OF_CURVES}
    if kind != "confusion":
        return curve(data.without_metrics(), cast("Any", kind), **how)
    if isinstance(data.options.threshold, str):
        raise OptionError("--plot-kind confusion needs a threshold that is a number")
    return confusion_ci(data.without_metrics(decided=True), **how)
