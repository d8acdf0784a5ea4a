"""``halfwidth gate``: whether a new model is worse than the old one by a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from halfwidth.cli import (
    comparison_options,
    comparison_settings,
    options,
    reading,
    test_set_options,
)
from halfwidth.cli.answer import Answer
from halfwidth.cli.ci import STRICT_STATUS
from halfwidth.cli.output import complain, note
from halfwidth.core.errors import OptionError

if TYPE_CHECKING:
    from halfwidth.core.comparison import Comparisons

# One seed for all calls, so that the same tables always get the same answer.
SEED = 1


def gate(
    ctx: typer.Context,
    new: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"{reading.TABLE_HELP}; of the new model. Models are called "
            "by their files; NAME=FILE calls one NAME.",
            metavar="NEW",
            show_default=False,
        ),
    ] = None,
    against: comparison_options.Against = None,
    value: comparison_options.Values = None,
    within: comparison_options.Within = None,
    case: options.Case = None,
    unmatched: comparison_options.Unmatched = "raise",
    sheet: reading.Sheet = None,
    decimal: reading.Decimal = None,
    header: reading.Header = None,
    input_format: reading.InputFormat = None,
    path: reading.WhereCases = None,
    only_filter: reading.Filter = None,
    scale: options.Scale = 1.0,
    missing: options.Missing = "raise",
    penalty: options.Penalty = None,
    metric: comparison_options.Metric = None,
    better: comparison_options.Better = None,
    statistic: comparison_options.Statistic = "mean",
    bounds: options.BoundsOption = None,
    over: options.OverOption = "cases",
    margin: comparison_options.Margin = None,
    ratio: comparison_options.Ratio = False,
    unpaired: comparison_options.Unpaired = False,
    method: options.Method = "auto",
    confidence_level: options.ConfidenceLevel = 0.95,
    n_resamples: options.NResamplesOrNone = None,
    seed: comparison_options.FixedSeed = SEED,
    groups: options.Groups = None,
    strata: options.Strata = None,
    target: test_set_options.Target = None,
    score: test_set_options.Score = None,
    prediction: test_set_options.Prediction = None,
    scores: test_set_options.ScoresAre = "auto",
    labels: test_set_options.Labels = None,
    positive: test_set_options.Positive = None,
    average: comparison_options.Average = None,
    threshold: test_set_options.Threshold = None,
    absent_class: test_set_options.AbsentClass = "omit",
    undefined: test_set_options.UndefinedOption = "omit",
    costs: test_set_options.Costs = None,
    priors: test_set_options.Priors = None,
    weight: test_set_options.Weight = None,
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
    """
    fmt = options.resolve_format(fmt, json, out)
    if new and len(new) > 1:
        raise OptionError(
            f"the table of the old model goes with --against: halfwidth gate {new[0]} --against "
            f"{new[1]}"
        )
    if not new or against is None:
        raise OptionError(
            "name the tables of both models: halfwidth gate NEW --against OLD --metric NAME "
            "--margin NUMBER"
        )
    if margin is None:
        raise OptionError(
            "--margin is missing: the largest loss that would not matter, in the unit of the "
            "metric; nothing else can say what 'not worse' means"
        )
    if metric is None and better is None:
        raise OptionError(
            "--metric is missing: it says which direction is better; of a metric of your own, "
            "--better higher or --better lower does"
        )
    settings = comparison_settings.comparison_settings(ctx)
    models = comparison_settings.models_in([*new, against], ctx.params)

    from halfwidth.comparison.api import compare_table
    from halfwidth.comparison.gate import gate as judge
    from halfwidth.report.document import Data, Document, Paragraph

    settings |= models.columns
    settings |= comparison_settings.class_options(models, ctx.params)
    settings |= {"test": "none", "simultaneous": False}

    def compare_at(level: float) -> Comparisons:
        return compare_table(models.tables, **{**settings, "confidence_level": level})

    judged = judge(compare_at, confidence_level)
    for text in judged.comparisons.notes:
        note(text)
    for code, text in judged.comparisons.caution_lines():
        complain(f"{code} {text}")
    cautioned = strict and bool(judged.comparisons.cautions)
    document = Document(
        (Paragraph(judged.line, wraps=False),), Data(judged.to_dict, judged.to_rows)
    )
    return Answer(document, fmt, out, judged.status or (STRICT_STATUS if cautioned else 0))
