"""Tables of challenges: a row for each algorithm and case of a task, as challengeR has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from halfwidth.core.option_names import spelled_both
from halfwidth.data.sources import TableColumns, Tables
from halfwidth.tables.challenge_columns import CASE, TASK, VALUE


def challenge_columns(tables: Tables, value: Any) -> tuple[TableColumns, Any, tuple[str, ...]]:
    """The columns that are named, and those that a challenge's table names by itself.

    Parameters
    ----------
    tables : Tables
        Of several none is looked into.
    value
        The columns of values, as given.

    Returns
    -------
    tuple of TableColumns, object and tuple of str
        The columns, those of values, and what to note.
    """
    columns = tables.with_models()
    names = () if tables.only is None else tables.only.names
    is_challenge = "metric" not in names and {columns.by, TASK, CASE} <= {*names}
    if columns.within or not is_challenge or isinstance(value, Mapping):
        return columns, value, ()
    taken = [VALUE] if value is None and VALUE in names else value
    by_value = "" if taken is value else f" by {VALUE!r}"
    note = (
        f"models ({columns.by!r}) are compared{by_value} within each {TASK!r}; name other columns "
        f"by {spelled_both('data.model')}; {spelled_both('value')}; {spelled_both('data.by')}"
    )
    return replace(columns, within=(TASK,)), taken, (note,)
