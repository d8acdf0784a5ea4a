"""``halfwidth review``: the interval that a published number should have had."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from halfwidth.cli import options, reading
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.option_groups import argument, option, with_options
from halfwidth.cli.output import note
from halfwidth.core.errors import OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.planning.published.review import review as review_one
from halfwidth.planning.published.review import review_table
from halfwidth.planning.published.reviews import Reviews


def _number(text: str, metavar: str = "NUMBER") -> Any:
    return option(text, metavar, Group.PUBLISHED)


@with_options(reading.plain_table_options)
def review(
    ctx: typer.Context,
    file: Annotated[
        Path | None,
        argument(
            f"{reading.TABLE_HELP}; published numbers, columns named as the options, or as "
            "papers do: Model, N, Dice (SD).",
            "FILE",
        ),
    ] = None,
    n: Annotated[
        int | None, _number("Cases in the test set; of a table, where it has no such column.", "N")
    ] = None,
    mean: Annotated[float | None, _number("Published mean of per-case values.")] = None,
    sd: Annotated[float | None, _number("Published SD over cases.")] = None,
    sem: Annotated[float | None, _number("Published standard error, instead of --sd.")] = None,
    halfwidth: Annotated[
        float | None, _number("Half of the published 95 % interval, instead of --sd.")
    ] = None,
    metric: options.OneMetric = None,
    correct: Annotated[int | None, _number("Cases that are right, of --n.", "COUNT")] = None,
    auroc: Annotated[float | None, _number("Published AUROC.")] = None,
    positives: Annotated[int | None, _number("Positive cases, with --auroc.", "COUNT")] = None,
    versus: Annotated[
        float | None,
        _number("Value of another model on the same cases: is the lead larger than noise?"),
    ] = None,
    versus_sd: Annotated[float | None, _number("SD of the other model; default: the same.")] = None,
    versus_correct: Annotated[
        int | None, _number("Cases that are right by the other model, with --correct.", "COUNT")
    ] = None,
    versus_n: Annotated[
        int | None,
        _number("Cases of the other model, where it saw other cases than the first.", "N"),
    ] = None,
    scale: Annotated[
        float | None, _number("Published numbers are divided by it; 100 for per cent.")
    ] = None,
    bounds: options.BoundsOption = None,
    confidence_level: options.ConfidenceLevel = 0.95,
    label: Annotated[str | None, _number("What to call it.", "TEXT")] = None,
    plus_minus: Annotated[
        str | None,
        _number(
            "Of a table: what follows a ± where the heading does not say it, sd, sem or halfwidth.",
            "WHAT",
        ),
    ] = None,
    compare: Annotated[
        str | None,
        _number(
            "Of a table: rows against the best one, in pairs, or not at all: best, pairs, none; "
            "default: pairs of up to four rows.",
            "HOW",
        ),
    ] = None,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    strict: options.Strict = False,
) -> Answer:
    """Confidence intervals for published numbers, from what the paper prints beside them.

    \b
    halfwidth review --n 50 --mean 0.85 --sd 0.10 --metric dsc
    halfwidth review --n 50 --mean 0.85 --sd 0.10 --metric dsc --versus 0.83
    halfwidth review --n 40 --mean 0.87 --sd 0.06 --metric dsc \\
        --versus 0.89 --versus-sd 0.05 --versus-n 35
    halfwidth review --n 50 --mean 0.85 --metric dsc
    halfwidth review --n 200 --correct 181
    halfwidth review --n 300 --auroc 0.91 --positives 60
    halfwidth review published.csv --metric dsc --format markdown
    halfwidth review table2.csv --n 50 --plus-minus sd

    Without --sd and --sem the SD is guessed from the mean, for dsc and nsd only, and its error is
    carried into the interval. The last lines are a paragraph for a review.
    """
    numbers: dict[str, Any] = {
        "mean": mean,
        "sd": sd,
        "sem": sem,
        "halfwidth": halfwidth,
        "correct": correct,
        "auroc": auroc,
        "positives": positives,
        "versus": versus,
        "versus_sd": versus_sd,
        "versus_correct": versus_correct,
        "versus_n": versus_n,
    }
    fmt = options.resolve_format(fmt, json, out)
    limits = options.parse_bounds(bounds)

    common: dict[str, Any] = {
        "metric": metric,
        "bounds": limits,
        "confidence_level": confidence_level,
    }
    if file is not None:
        stray = [name for name, value in {**numbers, "label": label}.items() if value is not None]
        if stray:
            flag = stray[0].replace("_", "-")
            raise OptionError(f"--{flag} has no effect with a table; make it a column of {file}")
        how = reading.Options.from_given(ctx.params)
        table = reading.table_in(file, how)
        reviews = review_table(
            table,
            n=n,
            scale=scale,
            plus_minus=plus_minus,
            compare=cast("Any", compare or "auto"),
            **common,
        )
    elif plus_minus is not None or compare is not None:
        flag = "--plus-minus" if plus_minus is not None else "--compare"
        raise OptionError(f"{flag} is for a table of published numbers; name one")
    elif n is None:
        raise OptionError(
            "say what was published, --n N and --mean, --correct or --auroc, or name a table; "
            "'halfwidth review --help' says more"
        )
    else:
        scaled = 1.0 if scale is None else scale
        reviews = Reviews((review_one(n, **numbers, scale=scaled, label=label or "", **common),))
    note(*reviews.notes)
    status = strict_status(strict, reviews.cautions)
    return Answer(reviews.document(), fmt, out, status)
