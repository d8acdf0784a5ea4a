"""Columns of the long table of a challenge: a row per algorithm and case, as for challengeR."""

from __future__ import annotations

from collections.abc import Sequence

# Columns that name the model of a row; the first that a table has counts.
MODEL_COLUMNS = ("model", "algorithm", "alg_name")
TASK, CASE, VALUE = "task", "case", "value"


def challenge_levels(names: Sequence[str]) -> tuple[str, ...]:
    """The columns of models and tasks of a table that has these and cases.

    Without tasks, of a table that has models, cases and values only.

    >>> challenge_levels(["algorithm", "task", "case", "value", "age"])
    ('algorithm', 'task')
    >>> challenge_levels(["model", "case", "value"]), challenge_levels(["model", "case", "dice"])
    (('model',), ())
    """
    model = next((name for name in MODEL_COLUMNS if name in names), None)
    if model is not None and {TASK, CASE} <= {*names}:
        return (model, TASK)
    return (model,) if model is not None and {*names} == {model, CASE, VALUE} else ()
