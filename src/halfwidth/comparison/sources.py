"""The tables of a comparison: one for all models, or one for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.comparison.families import Identity
from halfwidth.core.checks import as_list
from halfwidth.core.errors import DataError, OptionError, UnknownNameError, quoted, shown
from halfwidth.core.frozen import frozen
from halfwidth.core.options import spelled
from halfwidth.io.layout import MISSING_LEVEL
from halfwidth.io.table import Table


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


def sources_of(table: Any, by: str, *, of_columns: bool) -> list[Source]:
    """One source for a table, several for a sequence of tables or a mapping from model to table.

    Parameters
    ----------
    table : data frame, mapping of columns, or several of them
    by : str
        Column of models.
    of_columns : bool
        Whether models are columns, so that none need name them.
    """
    if isinstance(table, Mapping) and table and all(_is_table(one) for one in table.values()):
        if of_columns:
            raise OptionError(
                "a mapping of tables names the models, and so does a mapping of their columns; "
                "give one table, or one column"
            )
        return [Source(Table.from_frame(one), str(name)) for name, one in table.items()]
    if _is_table(table):
        return [_checked(Source(Table.from_frame(table)), by, of_columns=of_columns)]
    listed = as_list(table)
    if not listed or not all(_is_table(one) for one in listed):
        raise OptionError(
            f"table={shown(table)} is neither a data frame nor several: a sequence of tables, or a "
            "mapping from the name of a model to its table"
        )
    return [_checked(Source(Table.from_frame(one)), by, of_columns=of_columns) for one in listed]


def single_table(given: Any) -> Table | None:
    """The table, where one is given and not several."""
    several = isinstance(given, Mapping) and given and all(map(_is_table, given.values()))
    return Table.from_frame(given) if _is_table(given) and not several else None


def _is_table(given: Any) -> bool:
    return isinstance(given, Table | Mapping) or hasattr(given, "columns")


def _checked(source: Source, by: str, *, of_columns: bool) -> Source:
    if not of_columns and by not in source.table:
        raise UnknownNameError(
            "column",
            by,
            source.table.names,
            hint=(
                f"It names the model of each row: {spelled('by')}. Models that are columns are "
                f"named by {spelled('value')}."
            ),
        )
    return source


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


def value_columns(given: Any) -> list[str] | dict[str, str] | None:
    """Columns of values, or that of each model; None where nothing is said."""
    if not isinstance(given, Mapping):
        return list(column_list("value", given)) or None
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
