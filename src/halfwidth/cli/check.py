"""``halfwidth check``: what is wrong with a table of results."""

from __future__ import annotations

from typing import Annotated

import typer

from halfwidth.cli import options, reading
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.compared_models import named_models, refuse_name_of_one
from halfwidth.cli.metric_names import metrics_of
from halfwidth.cli.option_groups import argument, option, switch, with_options
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.data.case_values import CaseValues
from halfwidth.verbs.check import check as checked


@with_options(reading.table_options)
def check(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        argument(
            f"{reading.TABLE_HELP}. Several are taken for tables of as many models, called by "
            "their file names; NAME=FILE calls one NAME.",
            "FILE",
        ),
    ] = None,
    value: options.Values = None,
    model: options.Model = None,
    by: Annotated[
        list[str] | None,
        option(
            "Column whose levels are looked at apart, such as the organ; repeatable; "
            "default: those across which cases repeat.",
            "COLUMN",
            Group.INPUT,
        ),
    ] = None,
    case: options.Case = None,
    groups: options.Groups = None,
    model_from: reading.ModelFrom = None,
    scale: options.Scale = 1.0,
    metric: options.Metrics = None,
    bounds: options.BoundsOption = None,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    strict: Annotated[
        bool,
        switch(
            "--strict",
            "Exit with status 3 if there is an error or a warning; notes do not count.",
            Group.OUTPUT,
        ),
    ] = False,
) -> Answer:
    """What is wrong with a table of results, before anything is estimated from it.

    Missing values, penalties put in for failures, per cent among fractions, copies, cases and
    labels that do not match, and means in the file that its cases do not give.

    \b
    halfwidth check dice.csv --metric dsc
    halfwidth check results.csv --strict
    halfwidth check A=a.csv B=b.csv --metric dsc --json
    """
    fmt = options.resolve_format(fmt, json, out)
    if not files:
        raise OptionError("name a table; 'halfwidth check --help' says more")

    how = reading.Options.from_given(ctx.params)
    named = named_models(files, model_from)
    refuse_name_of_one(named, model_from)
    tables = {name: reading.table_in(file, how) for name, file in named.items()}
    data = CaseValues.from_table(
        tables if len(tables) > 1 else next(iter(tables.values())),
        value,
        metric=metrics_of(metric),
        model=model,
        by=by,
        case=case,
        groups=groups,
        bounds=options.parse_bounds(bounds),
        scale=scale,
    )
    audit = checked(data)
    note(*audit.notes)
    faulty = audit.worst in ("error", "warning")
    return Answer(audit.document(), fmt, out, strict_status(strict, faulty))
