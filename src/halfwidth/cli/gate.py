"""``halfwidth gate``: whether a new model is worse than the old one by a margin."""

from __future__ import annotations

from typing import Annotated

import typer

from halfwidth.cli import (
    comparison_options,
    given_models,
    options,
    reading,
)
from halfwidth.cli.answer import Answer, strict_status
from halfwidth.cli.option_groups import argument, declared, with_options
from halfwidth.cli.output import complain, note
from halfwidth.core.errors import OptionError
from halfwidth.verbs.gate import gate as judge

# One seed for all calls, so that the same tables always get the same answer.
SEED = 1


@with_options(*comparison_options.OF_MODELS)
def gate(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        argument(
            f"{reading.TABLE_HELP}; of the new model, or with --new of both. Models are called "
            "by their files; NAME=FILE calls one NAME.",
            "NEW",
        ),
    ] = None,
    against: comparison_options.Against = None,
    new: Annotated[str | None, declared("new", more="Needs one table of both.")] = None,
    model: options.Model = None,
    value: comparison_options.Values = None,
    by: options.By = None,
    missing: options.Missing = "raise",
    metric: comparison_options.Metric = None,
    margin: comparison_options.Margin = None,
    ratio: comparison_options.Ratio = False,
    seed: comparison_options.FixedSeed = SEED,
    fmt: options.Format = None,
    json: options.Json = False,
    out: options.Out = None,
    strict: options.Strict = False,
) -> Answer:
    """Let a new model pass unless it is worse than the old one; for continuous integration.

    Exit status 0: the interval of the difference excludes a loss as large as the margin. 4: the
    loss is larger than the margin. 5: too few cases to say; the line says how many are needed.

    \b
    halfwidth gate new.csv --against old.csv --metric dsc --margin 0.01
    halfwidth gate new.csv --against old.csv --metric dsc --margin 0.01 --json
    halfwidth gate preds_new.csv --against preds_old.csv --target y --score p \\
        --metric auroc --margin 0.05
    halfwidth gate models.csv --new vit --against nnunet --metric dsc --by task \\
        --margin 0.01
    halfwidth gate new.json --against old.json --references refs.json \\
        --metric ap50 --margin 0.02
    """
    fmt = options.resolve_format(fmt, json, out)
    if files and len(files) > 1:
        raise OptionError(
            f"the table of the old model goes with --against: halfwidth gate {files[0]} --against "
            f"{files[1]}"
        )
    if not files or (against is None and new is None):
        raise OptionError(
            "name the tables of both models: halfwidth gate NEW --against OLD --metric NAME "
            "--margin NUMBER; or two models of one: halfwidth gate FILE --new B --against A ..."
        )
    if margin is None:
        raise OptionError(
            "--margin is missing: the largest loss that would not matter, in the unit of the "
            "metric; nothing else can say what 'not worse' means"
        )
    # Of one table, the names of its models; else the table of the old one.
    data, asked = given_models.models_in(ctx, files if new else [*files, str(against)])
    if new:
        asked |= {"new": new, "against": against}

    judged = judge(data, **asked)
    note(*judged.notes)
    for code, text in judged.comparisons.caution_lines():
        complain(f"{code} {text}")
    status = judged.status or strict_status(strict, judged.cautions)
    return Answer(judged.document(), fmt, out, status)
