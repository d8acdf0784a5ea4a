"""Options of all verbs that read a table, and how they read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from halfwidth.cli.option_groups import option, switch
from halfwidth.cli.output import note
from halfwidth.core.errors import DataError, HalfwidthError, OptionError, proposed, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_table.option import Group
from halfwidth.io.numerals import as_decimal
from halfwidth.io.table import Table
from halfwidth.tables.conversion import stacked
from halfwidth.tables.folds import FOLD, Folds, ModelFile
from halfwidth.tables.importers.importer import ImportOptions
from halfwidth.tables.picked_rows import pick_rows, wanted_levels
from halfwidth.tables.readers import Reading, read_table
from halfwidth.tables.repeats import case_column, is_partition

FILE_HELP = (
    "Table: .csv, .tsv, .txt (also .gz), .parquet, .xlsx, or results of another program "
    "(.json, ...)"
)
TABLE_HELP = f"{FILE_HELP}; - for standard input"

Where = Annotated[
    list[str] | None,
    option(
        "Only the rows with this level of a column, such as organ=heart; repeatable: levels "
        "of one column count each, columns together.",
        "COLUMN=LEVEL",
        Group.INPUT,
    ),
]
Sheet = Annotated[
    str | None, option("Sheet of a workbook; default: the first.", "NAME", Group.INPUT)
]
Decimal = Annotated[
    str | None,
    option(
        "Decimal mark of numbers in text: '.' or ','; default: the point, and the comma where "
        "semicolons or tabs separate the cells.",
        "MARK",
        Group.INPUT,
    ),
]
Header = Annotated[
    bool | None,
    switch(
        "--header/--no-header",
        "Whether the first line names the columns; without, they are col1, col2, ...; "
        "default: it does, and a line that looks like data is refused.",
        Group.INPUT,
    ),
]
InputFormat = Annotated[
    str | None,
    option(
        "Of the table, whatever its name: csv, tsv, txt, parquet, xlsx, or that of another "
        "program, such as nnunet; 'halfwidth convert --help' lists them.",
        "FORMAT",
        Group.INPUT,
    ),
]


WhereCases = Annotated[
    str | None,
    option(
        "Where in a JSON document the values are, if not where it usually has them, such as "
        "scores.{label}.{case}.{metric}.",
        "PATH",
        Group.INPUT,
    ),
]
Filter = Annotated[
    str | None,
    option(
        "Which of several filters of a language-model evaluation counts.",
        "NAME",
        Group.INPUT,
        flags=("--filter",),
    ),
]
ModelFrom = Annotated[
    str | None,
    option(
        "What files without NAME= are called: file (their own names), folder (that of their "
        "folder) or path (those parts of the path in which they differ); default: the first of "
        "these that tells them apart.",
        "PART",
        Group.INPUT,
    ),
]


def plain_table_options(
    where: Where = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    header: Header = None,
    input_format: InputFormat = None,
) -> None:
    """Options of how a table is read that is no result of another program."""


def table_options(
    where: Where = None,
    sheet: Sheet = None,
    decimal: Decimal = None,
    header: Header = None,
    input_format: InputFormat = None,
    path: WhereCases = None,
    only_filter: Filter = None,
) -> None:
    """Options of how tables are read."""


@frozen
class Options:
    """How a table is to be read, as given.

    ``path`` and ``only_filter`` are of results of other programs, and so is ``groups``, the column
    of clusters, which such results may have to be told to keep; ``where``: the rows that count, as
    ``COLUMN=LEVEL``.
    """

    sheet: str | None = None
    decimal: str | None = None
    header: bool | None = None
    input_format: str | None = None
    path: str | None = None
    only_filter: str | None = None
    groups: str | None = None
    where: Sequence[str] | None = None

    @classmethod
    def from_given(cls, params: Mapping[str, Any]) -> Options:
        """The options of reading among those of a verb, by the names of their arguments."""
        values = {name: params.get(name) for name in cls.__annotations__}
        # An option that may be repeated is an empty list where it is not given.
        return cls(**values | {"where": values["where"] or None})


def table_in(file: ModelFile, options: Options, *, again: bool = False) -> Table:
    """The table of a verb; assumptions go to stderr, unless it is read again."""
    if isinstance(file, Folds):
        return _table_of_folds(file, options, again=again)

    settings = Reading(
        options.sheet,
        as_decimal(options.decimal),
        options.header,
        options.input_format,
        ImportOptions(options.path, options.only_filter, options.groups),
    )
    table = read_table(file, settings)
    if options.where:
        table = _picked(table, options.where)
    for text in () if again else table.notes:
        note(f"{table.source}: {text}")
    return table


def check_columns(table: Table, names: Iterable[str | None]) -> None:
    """Refuse columns that the table lacks; None names none."""
    for name in names:
        if name is not None and name not in table:
            raise DataError(
                f"{table.source}: no column {name!r}{proposed(name, table.names) or '.'} It has "
                f"{shortened(table.names)}"
            )


def _table_of_folds(folds: Folds, options: Options, *, again: bool) -> Table:

    tables = {name: table_in(file, options, again=True) for name, file in folds.files.items()}
    read = dict.fromkeys(text for table in tables.values() for text in table.notes)
    together = (
        f"folds {', '.join(tables)} of a cross-validation hold the cases of one model; the column "
        f"{FOLD!r} tells them apart"
    )
    for text in () if again else (*read, together):
        note(f"{folds}: {text}")
    table = replace(stacked(tables, column=FOLD), source=str(folds))
    case = case_column(table)
    if case is not None and not is_partition(table, case, FOLD):
        first, second, *_ = folds.files.values()
        raise DataError(
            f"{folds}: cases are in several folds, so these are several models on the same cases; "
            f"give each a name: A={first} B={second}"
        )
    return table


def _picked(table: Table, where: Sequence[str]) -> Table:
    """The rows that have what ``COLUMN=LEVEL`` asks for."""
    try:
        wanted = wanted_levels(where, table.names)
    except OptionError as error:
        raise OptionError(f"--where {error}") from None
    try:
        return pick_rows(table, wanted)
    except HalfwidthError as error:
        raise DataError(f"{table.source}: --where: {error}") from None
