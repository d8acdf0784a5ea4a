"""The tables of a comparison: one for all models, or one for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.checks import as_list
from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.row_labels import has_columns
from halfwidth.data.families import Identity
from halfwidth.io.table import Table
from halfwidth.tables.challenge_columns import MODEL_COLUMNS
from halfwidth.tables.layout import MISSING_LEVEL, check_columns


@frozen(eq=False)
class Source:
    """A table, and the model that it is of; None where it holds several.

    Attributes
    ----------
    table : Table
    model : str or None
    """

    table: Table
    model: str | None = None

    @property
    def named(self) -> str:
        """Which table it is, at the beginning of a message."""
        name = self.table.source or ("" if self.model is None else f"table of {self.model}")
        return f"{name}: " if name else ""


@frozen
class TableColumns:
    """Names of columns, other than those of values and predictions.

    Attributes
    ----------
    by : str
        Names the model of each row, where a table holds several.
    within : tuple of str
        Models are compared within each combination of their levels.
    case, groups, strata, weights : str or None
    """

    by: str
    within: tuple[str, ...] = ()
    case: str | None = None
    groups: str | None = None
    strata: str | None = None
    weights: str | None = None

    @property
    def named(self) -> list[str]:
        """Those that have a name, but for the column of models where each table is of one."""
        return [*self.within, *filter(None, (self.case, self.groups, self.strata, self.weights))]


@frozen(eq=False)
class Tables:
    """The tables of some data, and which columns play which part.

    Attributes
    ----------
    sources : tuple of Source
    columns : TableColumns
        ``by`` as it was given, or empty.
    models_are_columns : tuple of str
        The models, where each has columns of its own; else none.
    """

    sources: tuple[Source, ...]
    columns: TableColumns
    models_are_columns: tuple[str, ...] = ()

    @property
    def only(self) -> Table | None:
        """The table, where there is one that is not of a single model."""
        first, *others = self.sources
        return first.table if first.model is None and not others else None

    @property
    def model_column(self) -> str:
        """The column that names the model of each row: the one given, else the usual one."""
        names = () if self.only is None else self.only.names
        usual = next((one for one in MODEL_COLUMNS if one in names), MODEL_COLUMNS[0])
        return self.columns.by or usual

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models; none where nothing tells them."""
        if self.models_are_columns:
            return self.models_are_columns
        column, named = self.model_column, dict[str, None]()
        for source in self.sources:
            if source.model is not None:
                named[source.model] = None
            elif column in source.table:
                named |= dict.fromkeys(map(str, source.table.factor(column).distinct))
        return tuple(named)

    def apart(self, source: Source) -> str:
        """The column by which the models of a table are told apart; empty for a table of one.

        That of models is not looked for where one table of values may be of anything.
        """
        if source.model is not None or self.models_are_columns:
            return ""
        return self.model_column if self.model_column in source.table else ""

    def with_models(self) -> TableColumns:
        """The columns, that of the models by its name.

        Raises
        ------
        UnknownNameError
            Where nothing names the model of a row.
        """
        column = self.model_column
        for source in self.sources:
            named = source.model is not None or self.models_are_columns
            if not named and column not in source.table:
                raise UnknownNameError(
                    "column",
                    column,
                    source.table.names,
                    hint=(
                        f"It names the model of each row: {spelled('data.model')}. Models that are "
                        f"columns are named by {spelled('value')}, one for each model."
                    ),
                )
        return replace(self.columns, by=column)


def tables_of(
    table: Any,
    columns: TableColumns,
    models_are_columns: Iterable[str] = (),
    further: Iterable[str] = (),
) -> Tables:
    """One source for a table, several for a sequence of tables or a mapping from model to table.

    Parameters
    ----------
    table : data frame, mapping of columns, or several of them
    columns : TableColumns
    models_are_columns : iterable of str
        The models, where each has columns of its own.
    further : iterable of str
        Other columns that are named.

    Raises
    ------
    OptionError, UnknownNameError
        For what is no table, and columns that are not there.
    """
    named = tuple(models_are_columns)
    if is_tables(table):
        if named:
            raise OptionError(
                "a mapping of tables names the models, and so does a mapping of their columns; "
                "give one table, or one column"
            )
        sources = [Source(Table.from_frame(one), str(name)) for name, one in table.items()]
    else:
        several = None if is_table(table) else as_list(table)
        if several is not None and (not several or not all(map(is_table, several))):
            raise OptionError(
                f"table={shown(table)} is neither a data frame nor several: a sequence of tables, "
                "or a mapping from the name of a model to its table"
            )
        sources = [Source(Table.from_frame(one)) for one in several or [table]]
    tables = Tables(tuple(sources), columns, named)
    for source in tables.sources:
        check_columns(source.table, [*further, *columns.named])
    return tables


def is_table(given: Any) -> bool:
    """Whether it is a table: a frame, scores, or a mapping of columns."""
    of_columns = has_columns(given) or hasattr(given, "to_columns")
    return isinstance(given, Mapping) or of_columns


def is_tables(given: Any) -> bool:
    """Whether it is a mapping from models to tables."""
    return isinstance(given, Mapping) and bool(given) and all(map(is_table, given.values()))


def family_label(within: Mapping[str, Any], *further: str) -> str:
    """The levels of a family, as it is called in results."""
    levels = [MISSING_LEVEL if level is None else str(level) for level in within.values()]
    return " / ".join([*levels, *filter(None, further)])


def check_each_once(names: Sequence[str], place: str) -> None:
    """Refuse a model that two tables hold."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"{place}model(s) {quoted(repeated)} are in more than one table; give each model once"
        )


def column_list(option: str, given: Any) -> tuple[str, ...]:
    """Names of columns: one, several, or none."""
    if given is None:
        return ()
    listed: Iterable[Any] | None = [given] if isinstance(given, str) else as_list(given)
    if listed is None or not all(isinstance(name, str) for name in listed):
        raise OptionError(
            f"{spelled(option, given)} is neither a name of a column nor a list of names"
        )
    return tuple(listed)


def check_names_differ(given: Mapping[Any, Any]) -> None:
    """Refuse models whose names read the same."""
    texts = [str(name) for name in given]
    if len(set(texts)) < len(texts):
        raise DataError(f"models {quoted(sorted(texts))} have names that read the same")


def value_columns(given: Any) -> list[str] | dict[str, str] | None:
    """Columns of values, or that of each model; None where nothing is said."""
    if not isinstance(given, Mapping):
        return list(column_list("value", given)) or None
    check_names_differ(given)
    found = {str(model): column_name("value", column) for model, column in given.items()}
    return {model: column for model, column in found.items() if column} or None


def column_name(option: str, given: Any) -> str | None:
    """The name of one column, or None."""
    if given is not None and not isinstance(given, str):
        raise OptionError(
            f"{spelled(option, given)} is no text; here it takes the name of a column"
        )
    return given


def column_labels(table: Table, name: str | None, rows: NDArray[np.intp]) -> list[Any] | None:
    """The cells of a column as labels; None where there is no such column."""
    if name is None:
        return None
    levels = table.levels(name)
    return [levels[row] for row in rows.tolist()]


def row_identities(
    source: Source,
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
