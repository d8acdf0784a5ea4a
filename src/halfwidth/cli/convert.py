"""``halfwidth convert``: results of other programs as a table that every verb reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halfwidth.cli import compared_models, options, reading
from halfwidth.cli.answer import Answer
from halfwidth.cli.metric_names import metrics_of
from halfwidth.cli.option_groups import argument, option, with_options
from halfwidth.cli.output import note, write
from halfwidth.core.csv_cells import csv_text
from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.option_table.option import Group
from halfwidth.data.several_metrics import metric_columns
from halfwidth.data.sources import ModelTable
from halfwidth.document.parts import Document
from halfwidth.io.writers import TABLE_SUFFIXES, check_table_path, write_table
from halfwidth.tables.conversion import long_table, rows_of, stacked
from halfwidth.tables.folds import files_of


@with_options(reading.table_options)
def convert(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        argument(
            f"{reading.TABLE_HELP}. Several are of a model each, called by its file or "
            "folder; NAME=FILE calls it NAME.",
            "FILE",
        ),
    ] = None,
    value: options.Values = None,
    case: options.Case = None,
    metric: Annotated[
        list[str] | None,
        option(
            "What the values of a wide table are: dsc, nsd:tolerance=3, or a name of your own; "
            "several are columns that are called so, or COLUMN=NAME. Default: what the columns are "
            f"called, where all are called as metrics. {options.SEVERAL}",
            "NAME",
            Group.ESTIMATE,
        ),
    ] = None,
    model_from: reading.ModelFrom = None,
    groups: options.Groups = None,
    out: Annotated[
        Path | None,
        option(
            f"Write the table to FILE ({', '.join(TABLE_SUFFIXES)}). Default: to stdout, as CSV.",
            "FILE",
            Group.OUTPUT,
            flags=("--out", "-o"),
        ),
    ] = None,
) -> Answer:
    """Results of other programs, or any table, as the long table that every verb reads.

    Its columns are case, metric and value, and of model, task, label, status, parameters, group,
    stratum, reader, seed and fold those that the files fill. Notes on
    stderr say what was taken for what.

    \b
    halfwidth convert summary.json -o long.parquet
    halfwidth convert A=a/summary.json B=b/summary.json -o both.csv
    halfwidth convert a/summary.json b/summary.json --model-from folder
    halfwidth convert mean_dice_raw.csv --metric dsc -o mean_dice.tsv
    """
    if not files:
        raise OptionError(
            "name a file: halfwidth convert FILE; 'halfwidth convert --help' says more"
        )
    if out is not None:
        check_table_path(out)
    named = compared_models.named_models(files, model_from)
    how = reading.Options.from_given(ctx.params)
    tables = {}
    for name, file in named.items():
        read = reading.table_in(file, how)
        try:
            asked = metric_columns(metrics_of(metric), value or None, [ModelTable(read)])
            tables[name] = long_table(
                read, [(one.metric, one.value) for one in asked], case, groups
            )
        except DataError as error:
            raise DataError(f"{read.source}: {error}") from None
        for text in () if tables[name] is read else tables[name].notes:
            note(f"{read.source}: {text}")
    typed = {str(Path(text)) for text in files}
    by_user = [
        name
        for name, file in named.items()
        if model_from or not {*map(str, files_of(file).values())} <= typed
    ]
    table = next(iter(tables.values()))
    if len(tables) > 1 or by_user:
        table = stacked(tables, by_user)
    if not {"case", "metric", "value"} <= {*table.names}:
        note("the columns are as they were; --metric NAME makes a wide table of values long")
    if out is None:
        write(csv_text(table.names, rows_of(table)))
    else:
        write_table(table.names, rows_of(table), out)
        note(f"wrote {out}: {len(table)} rows of {len(table.names)} columns")
    return Answer(Document())
