"""Columns of the long table of a challenge: a row per algorithm and case, as for challengeR."""

from __future__ import annotations

from collections.abc import Sequence

# Columns that name the model of a row; the first that a table has counts.
MODEL_COLUMNS = ("model", "algorithm", "alg_name")
TASK, CASE, VALUE = "task", "case", "value"


def challenge_levels(names: Sequence[str]) -> tuple[str, ...]:
    """The columns of models and tasks of a table that has these and cases with values only.

    >>> challenge_levels(["algorithm", "task", "case", "value"])
    ('algorithm', 'task')
    >>> challenge_levels(["algorithm", "task", "case", "value", "age"])
    ()
    """
    models = [name for name in MODEL_COLUMNS if name in names]
    others = {*names} - {*models, TASK}
    if len(models) != 1 or others != {CASE, VALUE}:
        return ()
    return (*models, TASK) if TASK in names else (*models,)
