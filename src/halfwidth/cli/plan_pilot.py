"""``halfwidth plan pilot``: any statistic and any method, from the values of a pilot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from halfwidth.cli import options, reading
from halfwidth.cli.answer import Answer
from halfwidth.cli.option_groups import argument, declared, with_options
from halfwidth.cli.output import note
from halfwidth.cli.plan_options import (
    Halfwidths,
    Outlet,
    Plot,
    Sizes,
    Widths,
    answer,
    parse_goals,
    refuse_test_set_metric,
)
from halfwidth.core.parameters import split_names
from halfwidth.data.case_values import CaseValues
from halfwidth.verbs.plan import plan


@with_options(reading.table_options, options.design_options)
def pilot(
    ctx: typer.Context,
    file: Annotated[Path, argument(f"{reading.TABLE_HELP}.", "FILE")],
    value: options.Value = None,
    model: options.Model = None,
    by: options.By = None,
    halfwidth: Halfwidths = None,
    width: Widths = None,
    n: Sizes = None,
    assurance: Annotated[float, declared("assurance", "plan")] = 0.8,
    metric: options.OneMetric = None,
    statistic: options.Statistics = ["mean"],  # noqa: B006 -- typer copies it
    method: options.Method = "auto",
    confidence_level: options.ConfidenceLevel = 0.95,
    n_samples: Annotated[int, declared("n_samples")] = 1000,
    n_resamples: Annotated[int, declared("n_resamples", "plan")] = 999,
    seed: options.Seed = None,
    missing: options.Missing = "raise",
    penalty: options.Penalty = None,
    scale: options.Scale = 1.0,
    bounds: options.BoundsOption = None,
    over: options.OverOption = "cases",
    case: options.Case = None,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: Plot = None,
) -> Answer:
    """Studies drawn from the values of a pilot, with replacement, and the widths that they reach.

    With --groups studies draw whole clusters, such as patients, and n counts these.

    \b
    halfwidth plan pilot dice.csv --value liver --metric dsc --halfwidth 0.02 \\
        --assurance 0.8
    halfwidth plan pilot dice.csv --value liver --metric dsc --statistic median \\
        -n 50 -n 100
    halfwidth plan pilot long.csv --value dice --metric dsc --groups patient \\
        --halfwidth 0.05
    """
    outlet = Outlet.from_options(fmt, json, out, plot)
    goals = parse_goals(halfwidth, width, n)
    refuse_test_set_metric(metric)

    how = reading.Options.from_given(ctx.params)
    design: dict[str, Any] = {name: ctx.params[name] for name in ("groups", "strata")}
    design["over"] = over
    values = CaseValues.from_table(
        reading.table_in(file, how),
        value,
        metric=metric,
        model=model,
        by=by,
        case=case,
        **design,
        bounds=options.parse_bounds(bounds),
        scale=scale,
        missing=missing,
        penalty=penalty,
    )
    plans = plan(
        values,
        **{
            name: [goal[name] for goal in goals if name in goal] or None
            for name in ("halfwidth", "width", "n")
        },
        assurance=assurance,
        statistic=split_names(statistic),
        method=method,
        confidence_level=confidence_level,
        n_samples=n_samples,
        n_resamples=n_resamples,
        rng=seed,
        # Several sizes make a curve.
        curve=plot is not None and len(goals) == 1,
    )
    for text in plans.notes:
        note(text if len(plans) > 1 else f"{file}: {text}")
    return answer(plans, outlet)
