"""Options of all verbs that read a table, and how they read it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from halfwidth.cli.command import Group
from halfwidth.cli.output import note
from halfwidth.io.table import Table

TABLE_HELP = "Table: .csv, .tsv, .txt (also .gz), .parquet or .xlsx; - for standard input"

# The values of the four options below, in their order.
Options = tuple[str | None, str | None, bool | None, str | None]

Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        help="Sheet of a workbook; default: the first.",
        metavar="NAME",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        help="Decimal mark of numbers in text: '.' or ','; default: the point, and the comma where "
        "semicolons or tabs separate the cells.",
        metavar="MARK",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line names the columns; without, they are col1, col2, ...; "
        "default: it does, and a line that looks like data is refused.",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        help="Of the table, whatever its name: csv, tsv, txt, parquet, xlsx.",
        metavar="FORMAT",
        show_default=False,
        rich_help_panel=Group.INPUT,
    ),
]


def table_in(
    file: Path,
    sheet: str | None,
    decimal: str | None,
    header: bool | None,
    input_format: str | None,
) -> Table:
    """The table of a verb; assumptions go to stderr."""
    from halfwidth.io.numerals import as_decimal
    from halfwidth.io.readers import Reading, read_table

    settings = Reading(sheet, as_decimal(decimal), header, input_format)
    table = read_table(file, settings)
    for text in table.notes:
        note(f"{table.source}: {text}")
    return table
