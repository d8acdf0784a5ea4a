"""Tables that hold something else than values of cases, and what reads them.

The mean of a column of true classes is a number too, but nobody's question: columns are known by
their names and by what they hold. A column that is named explicitly is always taken as it is.
"""

from __future__ import annotations

import re

import numpy as np

from halfwidth.core.branches import modules_brought
from halfwidth.core.errors import DataError, shortened
from halfwidth.core.option_names import at_door, spelled
from halfwidth.io.table import Table
from halfwidth.metrics.agreement import mcc
from halfwidth.metrics.ranking import auroc
from halfwidth.tables.repeats import case_column, is_design_column
from halfwidth.tables.run_tables import (
    METRIC_PREFIXES,
    NAME_COLUMNS,
    SETTING_PREFIXES,
    STATUS_COLUMNS,
)

TARGETS = re.compile(
    r"y|(y_?|case_?)?(true|target)s?(_?(class|label))?|labels?|class|gt|truth|ground_?truth|outcome",
    re.IGNORECASE,
)
SCORES = re.compile(
    r"((y_?|case_?)?(scores?|prob(abilit(y|ies)|a|s)?|pred(ictions?|icted(_?(class|label))?|s)?)"
    r"|confidence|logits?|p)[_-]?\d*",
    re.IGNORECASE,
)
# Identifiers, and weights that belong to predictions.
BESIDE = re.compile(
    r"(sample|case|image|row|study|exam)?_?(id|weight|index|name|file(name)?|path)", re.IGNORECASE
)
# More levels than these are a measurement and not classes.
MOST_CLASSES = 100
# What W&B and the pages of MLflow write down of every run, whatever its metrics.
OF_RUNS = (
    {"name", "state", "runtime"},
    {"name", "state", "created"},
    {"run id", "start time", "duration"},
)


def refuse_runs(table: Table) -> None:
    """Refuse training runs where values of cases are expected."""
    lowered = {name.lower() for name in table.names}
    prefixed = [name for name in table.names if name.startswith(METRIC_PREFIXES)]
    settings = [name for name in table.names if name.startswith(SETTING_PREFIXES)]
    signs = lowered & {*NAME_COLUMNS, *STATUS_COLUMNS}
    if (prefixed and (settings or signs)) or any(names <= lowered for names in OF_RUNS):
        shown = shortened([*prefixed, *settings] or table.names, 4)
        value = spelled("value", prefixed[0] if prefixed else "COLUMN")
        verb = at_door(f"CaseValues.from_runs(table, {value})", f"halfwidth runs FILE {value}")
        raise DataError(
            f"{_prefix(table)}the table holds training runs ({shown}), not cases: {verb} gives the "
            "quantiles of a metric over them"
        )


def refuse_objects(table: Table) -> None:
    """Refuse what a branch reads, such as objects in images, where values of cases are expected."""
    for files in modules_brought("FILES"):
        if held := files.in_table(table):
            raise DataError(f"{_prefix(table)}{held}")


def refuse_predictions(table: Table) -> None:
    """Refuse predictions where values of a metric are expected.

    Which column holds the true classes is for the user to say: in a submission to a challenge,
    ``target`` may be what was predicted.
    """
    case = case_column(table)
    values = [
        name
        for name in table.names
        if name != case and not BESIDE.fullmatch(name) and not is_design_column(name)
    ]
    targets = [name for name in values if TARGETS.fullmatch(name)]
    if len(targets) != 1:
        return
    (target,) = targets
    is_text = not table.is_numeric(target)
    # Classes that are called by words have a column of scores each, of the same name.
    classes = {str(level) for level in table.factor(target).levels} if is_text else set()
    scores = [name for name in values if name in classes or SCORES.fullmatch(name)]
    if not scores or len(values) > 1 + len(scores) or not all(map(table.is_numeric, scores)):
        return
    if is_text and (len(scores) < 2 or not classes.issuperset(scores)):
        return
    if not is_text and not _is_of_classes(table, target):
        return
    if _repeats(table, case):
        return
    # Predicted classes stand beside scores in many tables, and are none.
    ranked = [name for name in scores if not _is_of_classes(table, name)]
    as_class = not ranked
    choices = (
        spelled("prediction", scores[0])
        if as_class
        else spelled("score", list(ranked[:9]) if ranked[1:] else ranked[0])
    )
    metric = spelled("metric", (mcc if as_class else auroc).__name__)
    average = f" {spelled('average', 'macro')}" if is_text else ""
    example = at_door(
        f"Predictions.from_table(table, {spelled('target', target)}, {choices})",
        f"{spelled('target', target)} {choices} {metric}{average}",
    )
    raise DataError(
        f"{_prefix(table)}the table looks like predictions ({shortened(values, 8)}), not values of "
        "a metric for each case. Say which column holds the true classes and which the "
        f"predictions, as in {example}; {means_of(scores[0])}"
    )


def means_of(column: str) -> str:
    """How means of columns are asked for all the same."""
    value = spelled("value", column)
    named = at_door(f"CaseValues.from_table(table, {value})", value)
    return f"for means of columns, name them: {named}"


def _prefix(table: Table) -> str:
    return f"{table.source}: " if table.source else ""


def _is_of_classes(table: Table, name: str) -> bool:
    """Whether a column holds a few whole numbers, as classes are numbered."""
    cells = table.values(name, np.arange(len(table))).astype(float)
    levels = np.unique(cells[~np.isnan(cells)])
    whole = bool((levels == np.round(levels)).all())
    return 2 <= len(levels) <= MOST_CLASSES and whole


def _repeats(table: Table, column: str | None) -> bool:
    codes = np.array([]) if column is None else table.factor(column).codes
    return len(np.unique(codes)) < len(codes)
