"""Whether the score columns given for the classes are those of one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.errors import DataError, shortened
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array, Scores
from halfwidth.metrics.ranking import auroc

# Probabilities that were rounded to two digits add up to 1 within this.
ABOUT_1 = 0.02
# Declared probabilities must add up to 1 in at least this share of the cases.
MOST_CASES = 0.5
# Columns that rank by chance alone lie on the same side of 1/2 by so many standard errors in one
# of about 270 000 test sets (both columns, either side).
SIGNIFICANT = 3.0
ONE_MODEL = (
    "so they are not the scores of both classes by one model. For two models give the score of one "
    "class each, in a call (or command) for each model"
)


def check_columns_of_classes(
    rows: Array,
    truth: NDArray[Any],
    classes: Sequence[Any],
    kind: Scores,
    declared: str,
    where: str,
) -> None:
    """Refuse columns, (C, n), that cannot be the scores of the classes of one model."""
    if len(rows) < 2 or not len(truth):
        return
    share = 0.0
    if kind == "probabilities":
        share = float((np.abs(rows.sum(axis=0) - 1) <= ABOUT_1).mean())
    if len(rows) > 2:
        if declared == "probabilities" and share < MOST_CASES:
            raise DataError(
                f"{where}: only {round(share * len(truth))} of {len(truth)} cases have scores that "
                f"add up to about 1, so these are not probabilities of {len(classes)} exclusive "
                f"classes; say {spelled('scores', 'any')} or 'logits', or evaluate each class as a "
                "task of its own"
            )
        return
    named = shortened([repr(label) for label in classes])
    if kind == "probabilities" and share == 0:
        raise DataError(
            f"{where}: two score columns for the classes {named}, and in none of {len(truth)} "
            f"cases they add up to about 1, {ONE_MODEL}"
        )
    if share < 1 and _rank_alike(rows, truth, kind):
        raise DataError(
            f"{where}: both score columns for the classes {named} speak for the same "
            f"class, {ONE_MODEL}"
        )


def _rank_alike(rows: Array, truth: NDArray[Any], kind: Scores) -> bool:
    """Whether both of two columns speak for the same class, as two models' scores of it do.

    The probabilities of two classes move against each other. Logits need not: what they share
    has no meaning, so that their difference must then rank worse than one of them does alone.
    """
    standard_error, positive = _standard_error(truth), truth == 1
    if standard_error == 0:
        return False
    areas = [auroc(positive, row) for row in rows]
    sides = np.array([(area - 0.5) / standard_error for area in areas])
    if kind == "probabilities":
        alike = bool((sides > 0).all() or (sides < 0).all())
        first, second = rows - rows.mean(axis=1, keepdims=True)
        return alike and float((first * second).sum()) > 0
    if not ((sides > SIGNIFICANT).all() or (sides < -SIGNIFICANT).all()):
        return False
    with np.errstate(invalid="ignore"):
        difference = np.nan_to_num(rows[1] - rows[0])
    together = abs(auroc(positive, difference) - 0.5)
    return together < max(abs(area - 0.5) for area in areas)


def _standard_error(truth: NDArray[Any]) -> float:
    """The standard error of an AUROC without any skill; 0 where a class has no case."""
    count = int((truth == 1).sum())
    pairs = count * (len(truth) - count)
    return float(np.sqrt((len(truth) + 1) / (12 * pairs))) if pairs else 0.0
