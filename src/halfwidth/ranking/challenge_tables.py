"""Tables of challenges: a row for each algorithm and case of a task, as challengeR has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halfwidth.comparison.sources import column_list, column_name, single_table
from halfwidth.core.errors import OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.options import spelled, spelled_both
from halfwidth.io.challenge_columns import CASE, MODEL_COLUMNS, TASK, VALUE


@frozen
class ChallengeColumns:
    """The columns of models, of levels within which to rank, and of values; and what to note."""

    by: str
    within: tuple[str, ...]
    value: Any
    notes: tuple[str, ...] = ()


def challenge_columns(
    table: Any, by: Any, within: Any, task: Any, value: Any, *, of_cases: bool
) -> ChallengeColumns:
    """The columns that are named, and those that a challenge's table names by itself.

    Parameters
    ----------
    table : data frame, mapping of columns, or several tables
        Of several none is looked into.
    by, within, task, value
        As given to `rank_table`.
    of_cases : bool
        Whether it holds values of cases; of predictions no column is taken for the task.
    """
    levels = column_list("within", within)
    tasks = column_list("task", task)
    if levels and tasks:
        raise OptionError(
            f"{spelled('task')} is {spelled('within')} by another name; give one of them, which "
            "may name several columns"
        )
    levels = levels or tasks
    single = single_table(table)
    names = () if single is None else single.names
    model = column_name("by", by) or next((one for one in MODEL_COLUMNS if one in names), None)
    is_challenge = of_cases and "metric" not in names and {model, TASK, CASE} <= {*names}
    if levels or not is_challenge or isinstance(value, Mapping):
        return ChallengeColumns(model or MODEL_COLUMNS[0], levels, value)
    taken = VALUE if value is None and VALUE in names else value
    by_value = "" if taken is value else f" by {VALUE!r}"
    note = (
        f"models ({str(model)!r}) are ranked{by_value} within each {TASK!r}; name other columns "
        f"by {spelled_both('by')}; {spelled_both('value')}; {spelled_both('task')}"
    )
    return ChallengeColumns(str(model), (TASK,), taken, (note,))
