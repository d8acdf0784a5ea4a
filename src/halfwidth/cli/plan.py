"""``halfwidth plan``: the cases that a width needs, and the width that so many cases give."""

from __future__ import annotations

import importlib
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import options, plan_classes, plan_pilot, reading, subsample
from halfwidth.cli.answer import Answer
from halfwidth.cli.command import SETTINGS, Verb
from halfwidth.cli.option_groups import declared, option
from halfwidth.cli.plan_options import (
    Assurance,
    Halfwidths,
    Margin,
    Mean,
    Method,
    Outlet,
    Plot,
    Power,
    Sizes,
    Widths,
    answer,
    parse_goals,
    refuse_test_set_metric,
)
from halfwidth.core.branches import brought
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.core.parameters import split_names
from halfwidth.planning.differences import difference as planned_difference
from halfwidth.planning.means import mean as planned_mean
from halfwidth.planning.pilot_tables import pilot_differences_in
from halfwidth.planning.quantiles import minimum_runs
from halfwidth.planning.quantiles import quantile as planned_quantile
from halfwidth.results.sample_size import minimum_runs_document

app = typer.Typer(
    name="plan",
    help="How many cases a study needs.\n\n"
    "The n for a confidence interval of the width you want (--halfwidth, --width), or the width "
    "that n cases give (--n). Beside it stands the n from which such intervals hold their level; "
    "the larger one wins.\n\n"
    "\b\n"
    "halfwidth plan mean --sd 0.1 --mean 0.8 --halfwidth 0.02 --metric dsc\n"
    "halfwidth plan pilot dice.csv --value liver --metric dsc --halfwidth 0.02\n"
    "halfwidth plan runs --quantile 0.9\n"
    "halfwidth plan subsample dice.csv --value liver --metric dsc",
    **SETTINGS,
)


@app.command("mean", short_help="A mean, from the SD of the cases.", cls=Verb)
def mean(
    sd: Annotated[list[float], declared("sd", "planning", more="Repeatable.")],
    halfwidth: Halfwidths = None,
    width: Widths = None,
    n: Sizes = None,
    metric: options.OneMetric = None,
    statistic: Annotated[list[str] | None, declared("statistics", more=options.SEVERAL)] = None,
    mean_of_cases: Mean = None,
    failures_share: Annotated[float | None, declared("failures_share")] = None,
    method: Method = "auto",
    assurance: Assurance = None,
    bounds: options.BoundsOption = None,
    confidence_level: options.ConfidenceLevel = 0.95,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Plot = None,
) -> Answer:
    """The mean of per-case values, by the interval that a study of them gets by default.

    Its mean width in simulated studies of normal cases, cut at the bounds of the metric. Of
    --method t and z by formula: 2 t SD/√n.

    \b
    halfwidth plan mean --sd 0.1 --mean 0.8 --halfwidth 0.02 --metric dsc
    halfwidth plan mean --sd 0.03 --mean 0.9 --failures-share 0.02 \\
        --halfwidth 0.02 --metric dsc --assurance 0.8
    halfwidth plan mean --sd 5 --sd 10 -n 10 -n 50 -n 200 --method z
    """
    outlet = Outlet.from_options(fmt, json, out, plot)
    goals = parse_goals(halfwidth, width, n)
    refuse_test_set_metric(metric)

    limits, also = options.parse_bounds(bounds), split_names(statistic or ())
    return answer(
        [
            planned_mean(
                one,
                **goal,
                method=method,
                mean=mean_of_cases,
                failures_share=failures_share,
                assurance=assurance,
                metric=metric,
                statistics=also,
                bounds=limits,
                confidence_level=confidence_level,
            )
            for one in sd
            for goal in goals
        ],
        outlet,
    )


@app.command(
    "difference", short_help="The mean difference of two models, by width or power.", cls=Verb
)
def difference(
    sd: Annotated[float | None, declared("sd", "difference")] = None,
    sd_a: Annotated[float | None, declared("sd_a")] = None,
    sd_b: Annotated[float | None, declared("sd_b")] = None,
    correlation: Annotated[float | None, declared("correlation")] = None,
    unpaired: Annotated[bool, declared("unpaired")] = False,
    effect: Annotated[float | None, declared("difference")] = None,
    mean_of_cases: Mean = None,
    pilot: Annotated[
        Path | None,
        option(
            "Instead of an SD: a table of two models on the same cases, whose differences the "
            "studies have, whatever their shape: the first less the second.",
            "FILE",
            Group.ASSUMED,
        ),
    ] = None,
    value: Annotated[
        list[str] | None,
        option("Column of the pilot with values; two for two models.", "COLUMN", Group.INPUT),
    ] = None,
    model: Annotated[
        str | None,
        declared("model", "data", more="With --pilot, where the models are no two columns."),
    ] = None,
    case: Annotated[
        str | None,
        option("Column of case ids of the pilot; default: as ci finds it.", "COLUMN", Group.INPUT),
    ] = None,
    margin: Margin = None,
    power: Power = None,
    halfwidth: Halfwidths = None,
    width: Widths = None,
    n: Sizes = None,
    metric: options.OneMetric = None,
    method: Method = "auto",
    assurance: Assurance = None,
    bounds: options.BoundsOption = None,
    confidence_level: options.ConfidenceLevel = 0.95,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Plot = None,
) -> Answer:
    """The mean difference of two models, on the same cases or in two groups.

    By the interval that compare makes by default, in simulated studies; of --method t and z by
    formula.

    \b
    halfwidth plan difference --sd 0.05 --halfwidth 0.01 --metric dsc
    halfwidth plan difference --sd-a 0.1 --sd-b 0.12 --correlation 0.8 \\
        --halfwidth 0.01 --metric dsc
    halfwidth plan difference --sd 0.05 --difference 0.02 --power 0.8 --metric dsc
    halfwidth plan difference --sd 0.05 --margin 0.02 --power 0.8 --metric dsc
    halfwidth plan difference --sd 0.1 --unpaired --difference 0.05 -n 30 -n 60
    halfwidth plan difference --pilot pair.csv --value dice \\
        --difference 0.02 --power 0.8 --metric dsc
    """
    outlet = Outlet.from_options(fmt, json, out, plot)
    goals = parse_goals(halfwidth, width, n, power)
    refuse_test_set_metric(metric)
    differences = _pilot_differences(pilot, value, model, case, metric)

    limits = options.parse_bounds(bounds)
    return answer(
        [
            planned_difference(
                sd,
                **goal,
                sd_a=sd_a,
                sd_b=sd_b,
                correlation=correlation,
                unpaired=unpaired,
                pilot=differences,
                difference=effect,
                margin=margin,
                power=power,
                method=method,
                mean=mean_of_cases,
                assurance=assurance,
                metric=metric,
                bounds=limits,
                confidence_level=confidence_level,
            )
            for goal in goals
        ],
        outlet,
    )


def _pilot_differences(
    pilot: Path | None,
    value: list[str] | None,
    model: str | None,
    case: str | None,
    metric: str | None,
) -> Any:
    """The differences that a table of a pilot holds; None without one."""
    columns = {"--value": value, "--model": model, "--case": case}
    if pilot is None:
        for name, one in columns.items():
            if one is not None:
                raise OptionError(f"{name} needs --pilot FILE, the table whose column it names")
        return None

    table = reading.table_in(pilot, reading.Options())
    return pilot_differences_in(table, value, model=model, case=case, metric=metric)


@app.command("quantile", short_help="A median or another quantile.", cls=Verb)
def quantile(
    level: Annotated[list[float], declared("quantile", "planning", more="Repeatable.")],
    sd: Annotated[float | None, declared("sd", "quantile")] = None,
    halfwidth: Halfwidths = None,
    width: Widths = None,
    n: Sizes = None,
    metric: options.OneMetric = None,
    bounds: options.BoundsOption = None,
    assurance: Assurance = None,
    confidence_level: options.ConfidenceLevel = 0.95,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Plot = None,
) -> Answer:
    """A median or another quantile, by the ranks of its exact interval or for normal values.

    \b
    halfwidth plan quantile --quantile 0.5 --width 0.2
    halfwidth plan quantile --quantile 0.9 --sd 0.1 --halfwidth 0.02 --metric dsc
    """
    outlet = Outlet.from_options(fmt, json, out, plot)
    goals = parse_goals(halfwidth, width, n)
    refuse_test_set_metric(metric)

    limits = options.parse_bounds(bounds)
    return answer(
        [
            planned_quantile(
                q,
                **goal,
                sd=sd,
                metric=metric,
                bounds=limits,
                assurance=assurance,
                confidence_level=confidence_level,
            )
            for q in level
            for goal in goals
        ],
        outlet,
    )


Levels = Annotated[list[float], declared("confidence_level", more="Repeatable.")]


def runs(
    level: Annotated[list[float], declared("quantile", "planning", more="Repeatable.")],
    method: Annotated[
        list[str], option("exact, asymptotic; repeatable.", "NAME", Group.INTERVAL)
    ] = ["exact"],  # noqa: B006 -- typer copies it
    confidence_level: Levels = [0.95],  # noqa: B006 -- the same
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
) -> Answer:
    """The fewest independent runs with which a quantile of them has an interval at all.

    \b
    halfwidth plan runs --quantile 0.5 --quantile 0.9
    halfwidth plan runs --quantile 0.9 --method exact --method asymptotic
    """
    outlet = Outlet.from_options(fmt, json, out, None)

    rows = [
        {
            "quantile": q,
            "confidence_level": confidence,
            "kind": name,
            "n": minimum_runs(q, confidence, name),
        }
        for q in level
        for confidence in confidence_level
        for name in method
    ]
    return Answer(minimum_runs_document(rows), outlet.fmt, outlet.out)


app.command("proportion", short_help="A proportion, by Wilson's interval.", cls=Verb)(
    plan_classes.proportion
)
app.command("auroc", short_help="An AUROC, or the difference of two.", cls=Verb)(plan_classes.auroc)
app.command("classes", short_help="Sensitivity and specificity, at a prevalence.", cls=Verb)(
    plan_classes.classes
)
for _name, (_, _place) in chain.from_iterable(plans.items() for plans in brought("PLANS")):
    _module = importlib.import_module(_place)
    app.command(_name, short_help=_module.SHORT_HELP, cls=Verb)(getattr(_module, _name))
app.command("pilot", short_help="Any statistic and method, from the values of a pilot.", cls=Verb)(
    plan_pilot.pilot
)
app.command("runs", short_help="The fewest runs for an interval of a quantile.", cls=Verb)(runs)
app.command("subsample", short_help="What smaller test sets would have said of a mean.", cls=Verb)(
    subsample.subsample
)
