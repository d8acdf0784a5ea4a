"""The tables of a comparison: one for all models, or one for each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import as_list, refuse_paths
from halfwidth.core.errors import OptionError, UnknownNameError, quoted, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import at_door, spelled
from halfwidth.core.row_labels import has_columns
from halfwidth.data.families import Identity, check_names_differ
from halfwidth.io.table import Table
from halfwidth.tables.challenge_columns import MODEL_COLUMNS
from halfwidth.tables.layout import Layout, check_columns, column_labels, layout_of, level_text
from halfwidth.tables.repeats import case_column


@frozen(eq=False)
class ModelTable:
    """A table, and the model that it is of; None where it holds several."""

    table: Table
    model: str | None = None

    @property
    def named(self) -> str:
        """Which table it is, at the beginning of a message."""
        name = self.table.source or ("" if self.model is None else f"table of {self.model}")
        return f"{name}: " if name else ""


@frozen
class TableColumns:
    """Names of columns, other than those of values and predictions."""

    # That of the model of each row, as it was given; empty where it was not.
    by: str
    # Models are compared within each combination of their levels.
    within: tuple[str, ...] = ()
    case: str | None = None
    groups: str | None = None
    strata: str | None = None
    weights: str | None = None

    @property
    def named(self) -> list[str]:
        """The columns that have a name, but for that of models where each table is of one."""
        return [*self.within, *self.describing_cases]

    @property
    def describing_cases(self) -> list[str]:
        """The columns that say what case a row is of, and what belongs to it."""
        return [*filter(None, (self.case, self.groups, self.strata, self.weights))]


@frozen(eq=False)
class Tables:
    """The tables of some data, and which columns play which part."""

    sources: tuple[ModelTable, ...]
    columns: TableColumns
    # The models, where each has columns of its own; else none.
    models_are_columns: tuple[str, ...] = ()

    @property
    def only(self) -> Table | None:
        """The table, where there is one that is not of a single model."""
        first, *others = self.sources
        return first.table if first.model is None and not others else None

    @property
    def model_column(self) -> str:
        """The column that names the model of each row: the one given, else the usual one, if any.

        Those of levels may name it too.
        """
        columns, tables = self.columns, [one.table for one in self.sources if one.model is None]
        free = [one for one in MODEL_COLUMNS if one not in columns.describing_cases]
        usual = (one for one in free if any(_names_models(table, one) for table in tables))
        return columns.by or next(usual, "")

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models; none where nothing tells them."""
        if self.models_are_columns:
            return self.models_are_columns
        column, named = self.model_column, dict[str, None]()
        for source in self.sources:
            if source.model is not None:
                named[source.model] = None
            elif column and column in source.table:
                factor = source.table.factor(column)
                without = [None] if (factor.codes < 0).any() else []
                named |= dict.fromkeys(map(level_text, [*factor.levels, *without]))
        return tuple(named)

    def taking(self, names: Collection[str]) -> Tables:
        """The tables, rows or columns of some models."""
        columns = tuple(one for one in self.models_are_columns if one in names)
        sources = [self._part(one, names) for one in self.sources if one.model in (None, *names)]
        return replace(self, sources=tuple(sources), models_are_columns=columns)

    def _part(self, source: ModelTable, names: Collection[str]) -> ModelTable:
        column = self.apart(source)
        if not column:
            return source
        rows = [
            row
            for row, level in enumerate(source.table.levels(column))
            if level_text(level) in names
        ]
        return replace(source, table=source.table.only(np.array(rows, dtype=np.intp)))

    def apart(self, source: ModelTable) -> str:
        """The column by which the models of a table are told apart; empty for a table of one."""
        if source.model is not None or self.models_are_columns:
            return ""
        return self.model_column if self.model_column in source.table else ""

    def layout(self, source: ModelTable, values: Sequence[str] | None) -> Layout:
        """The parts that the columns of a table play, where models and levels are told apart."""
        columns = self.columns
        return layout_of(
            *(source.table, values, columns.within, columns.case, columns.groups, columns.strata),
            self.apart(source),
        )

    def with_models(self) -> TableColumns:
        """The columns, with that of models; an error where nothing names the model of a row."""
        columns, column = self.columns, self.model_column or MODEL_COLUMNS[0]
        for source in self.sources:
            named = source.model is not None or self.models_are_columns
            if not named and column in columns.describing_cases:
                raise OptionError(
                    f"column {column!r} has another part, and no other names the model of each row "
                    f"({spelled('model')})"
                )
            if not named and column not in source.table:
                raise UnknownNameError(
                    "column",
                    column,
                    source.table.names,
                    hint=(
                        f"It names the model of each row: {spelled('model')}. If each model "
                        "has its own column, name each with its model: "
                        + at_door(
                            "value={'A': 'column', 'B': ...}.", f"{spelled('value')} for each."
                        )
                    ),
                )
        within = tuple(one for one in columns.within if one != column)
        return replace(columns, by=column, within=within)


def tables_of(
    table: Any,
    columns: TableColumns,
    models_are_columns: Iterable[str] = (),
    further: Iterable[str] = (),
) -> Tables:
    """One source for a table, several for a sequence of tables or a mapping from model to table.

    All columns that are named, the ``further`` ones too, have to be there.
    """
    named = tuple(models_are_columns)
    if is_tables(table):
        if named:
            raise OptionError(
                "a mapping of tables names the models, and so does a mapping of their columns; "
                "give one table, or one column"
            )
        if columns.by:
            raise OptionError(
                f"{spelled('model', columns.by)} names the models of one table, and a mapping of "
                f"tables names its own; leave out {spelled('model')}, or give one table"
            )
        sources = [ModelTable(Table.from_frame(one), str(name)) for name, one in table.items()]
    else:
        refuse_paths(table)
        several = None if is_table(table) else as_list(table)
        if several is not None and (not several or not all(map(is_table, several))):
            raise OptionError(
                f"table={shown(table)} is neither a data frame nor a sequence of data frames nor a "
                "mapping from the name of a model to its data frame"
            )
        sources = [ModelTable(Table.from_frame(one)) for one in several or [table]]
    tables = Tables(tuple(sources), columns, named)
    for source in tables.sources:
        check_columns(source.table, [*further, *columns.named])
    return tables


def _names_models(table: Table, column: str) -> bool:
    """Whether a column is there and does not name each row, as it may where nothing else does."""
    if column not in table:
        return False
    return len(table.factor(column).distinct) < len(table) or bool(case_column(table, (column,)))


def is_table(data: Any) -> bool:
    """Whether it is a table: a frame, scores, or a mapping of columns."""
    return isinstance(data, Mapping) or has_columns(data) or hasattr(data, "to_columns")


def is_tables(data: Any) -> bool:
    """Whether it is a mapping from models to tables."""
    return isinstance(data, Mapping) and bool(data) and all(map(is_table, data.values()))


def family_label(within: Mapping[str, Any], *further: str) -> str:
    """The levels of a family, as it is called in results."""
    levels = map(level_text, within.values())
    return " / ".join([*levels, *filter(None, further)])


def table_columns(within: Any, **options: Any) -> TableColumns:
    """The columns that options name; of these ``model`` or ``reader`` tells models apart."""
    names = {option: column_name(option, name) for option, name in options.items()}
    apart, levels = names.get("model") or names.get("reader") or "", column_list("by", within)
    for column in dict.fromkeys([apart, *levels]):
        roles = [option for option, name in names.items() if name and name == column]
        if column in levels:
            # Levels may be models, or cases.
            roles = ["by", *(one for one in roles if one not in ("model", "reader", "case"))]
        if len(roles) > 1:
            raise OptionError(
                f"column(s) {quoted([column])} cannot be {roles[0]} and {roles[1]} at once"
            )
    return TableColumns(
        apart,
        levels,
        names["case"],
        names["groups"],
        names["strata"],
        names.get("sample_weight"),
    )


def column_list(option: str, names: Any) -> tuple[str, ...]:
    """Names of columns: one, several, or none."""
    if names is None:
        return ()
    listed: Iterable[Any] | None = [names] if isinstance(names, str) else as_list(names)
    if listed is None or not all(isinstance(name, str) for name in listed):
        raise OptionError(
            f"{spelled(option, names)} is neither a name of a column nor a list of names"
        )
    return tuple(listed)


def value_columns(names: Any) -> list[str] | dict[str, str] | None:
    """Columns of values, or that of each model; None where none is named."""
    if not isinstance(names, Mapping):
        return list(column_list("value", names)) or None
    check_names_differ(names)
    columns = {str(model): column_name("value", column) for model, column in names.items()}
    return {model: column for model, column in columns.items() if column} or None


def column_name(option: str, name: Any) -> str | None:
    """The name of one column, or None."""
    if name is not None and not isinstance(name, str):
        raise OptionError(f"{spelled(option, name)} is not a text; give the name of a column")
    return name


def row_identities(
    source: ModelTable,
    case: str | None,
    groups: str | None,
    rows: NDArray[np.intp],
    *,
    in_one_row: bool,
    needed: bool,
) -> tuple[Identity, ...] | None:
    """Which case each row is: its id, within its cluster where clusters are named.

    What stands in one row belongs together whatever the row is called, so there ids are only used
    where they tell rows apart.
    """
    if case is None:
        if in_one_row or not needed:
            return None
        raise OptionError(
            f"{source.named}no column says which rows are of the same case: name it, "
            f"{spelled('case')}"
        )
    cases = column_labels(source.table, case, rows) or []
    clusters = None if groups == case else column_labels(source.table, groups, rows)
    identities: tuple[Identity, ...] = (
        tuple(cases) if clusters is None else tuple(zip(clusters, cases, strict=True))
    )
    unique = len(set(identities)) == len(identities) and None not in cases
    return None if in_one_row and not unique else identities
