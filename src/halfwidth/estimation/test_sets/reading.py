"""A checked test set from what is given for its cases."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution
from halfwidth.core.checks import as_list
from halfwidth.core.errors import DataError, OptionError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.types import Array, Scores
from halfwidth.core.undefined import WRONG, AnyMissing, is_missing
from halfwidth.estimation.check import as_numbers, check_magnitude
from halfwidth.estimation.grouping import unit_codes
from halfwidth.estimation.pairing import class_order, paired
from halfwidth.estimation.test_sets.class_labels import (
    KNOWN_PAIRS,
    Codes,
    as_cells,
    as_codes,
    declared_order,
    labels_in,
    plain_label,
    positive_label,
)
from halfwidth.estimation.test_sets.score_columns import check_columns_of_classes
from halfwidth.estimation.test_sets.score_scales import as_score_rows, on_scale, threshold_on_scale
from halfwidth.estimation.test_sets.test_set import Decisions, TestSet

# Weights are scaled where the largest lies beyond this or its inverse.
SMALLEST_WEIGHT = 1e-50
# Fractions may name classes, but not so many.
MOST_FRACTIONS = 10


def check_test_set(
    y_true: Any,
    y_score: Any,
    decisions: Decisions,
    *,
    labels: Sequence[Any] | None,
    pos_label: Any,
    missing: AnyMissing,
    sample_weight: Any = None,
    groups: Any = None,
    strata: Any = None,
    where: tuple[str, str] = ("y_true", "y_score"),
) -> TestSet:
    """Labels and predictions made ready, or a `DataError` that says what is wrong and where."""
    _check_policy(missing)
    inputs = paired(_named(where, y_true, y_score, sample_weight, groups, strata), fresh=where)
    y_true, y_score, sample_weight, groups, strata = inputs.aligned.values()
    truth_cells = as_cells(y_true, where[0])
    known_labels = _KnownLabels()
    hard = _are_labels(y_score, truth_cells, decisions, known_labels)
    predicted_cells = as_cells(y_score, where[1]) if hard else None
    classes = _classes(truth_cells, predicted_cells, labels, where, known_labels)
    if labels is None and (order := declared_order(y_true)) is not None:
        classes.sort(key=lambda label: order.index(label) if label in order else len(order))
    moved: tuple[Caution, ...] = ()
    if predicted_cells is not None:
        _check_lengths(truth_cells, predicted_cells, where)
        rows: NDArray[Any] = as_codes(predicted_cells, classes, where[1])[None]
        there = rows[0] >= 0
    else:
        rows, there, moved = _score_rows(y_score, truth_cells, classes, labels, where)
    truth = as_codes(truth_cells, classes, where[0])
    positive = positive_label(classes, pos_label)
    if missing == WRONG and not there.all():
        rows = _wrong_answers(
            rows, there, truth, positive, decisions.kind, where, n_classes=len(classes), labels=hard
        )
        absent = ~there[None]
        n_missing, there = int((~there & (truth >= 0)).sum()), np.ones_like(there)
    else:
        absent = None
        n_missing = int((~((truth >= 0) & there)).sum())
    kept = _kept((truth >= 0) & there, missing, where)
    weights = _weights(sample_weight, kept)
    if weights is not None:
        # A case that weighs nothing is none: it must not count as a unit.
        kept[kept] = weights > 0
        weights = weights[weights > 0]
        # Equal ones are none.
        weights = None if (weights == weights[0]).all() else weights
    clusters, strata_codes = unit_codes(groups, strata, kept, where[0])
    if not kept.all():
        rows, truth = rows[:, kept], truth[kept]
    if not len(truth):
        raise DataError(f"{where[0]}: no cases" + (" left" if len(kept) else " given"))
    if hard:
        read = _ReadScores(None, rows[0])
    else:
        read = _read_scores(rows, classes, positive, decisions, where[1])
        check_columns_of_classes(rows, truth, classes, read.kind, decisions.kind, where[1])
    notes = [] if labels is not None else [f"classes: {shortened(classes, 20)}"]
    if positive is not None:
        notes.append(f"positive class: {classes[positive]}")
    if missing == WRONG and n_missing:
        notes.append(f"{n_missing} missing of {where[1]} count as wrong")
    return TestSet(
        labels=tuple(classes),
        truth=truth,
        rows=rows,
        predicted=read.predicted,
        scores=read.scores,
        positive=positive,
        threshold=read.threshold,
        scale=read.kind,
        hard=hard,
        rows_miss_one=read.rows_miss_one,
        weights=weights,
        groups=clusters,
        strata=strata_codes,
        n_missing=n_missing,
        notes=("; ".join(notes),) if notes else (),
        cautions=(*moved, *inputs.cautions(kept, groups)),
        kept=kept,
        absent=absent,
    )


def _score_rows(
    y_score: Any,
    truth: NDArray[Any],
    classes: Sequence[Any],
    labels: Sequence[Any] | None,
    where: tuple[str, str],
) -> tuple[Array, NDArray[np.bool_], tuple[Caution, ...]]:
    """Scores as a row for each class, which cases have them, and whether columns were moved."""
    rows = as_score_rows(y_score, where[1])
    _check_lengths(truth, rows[0], where)
    _check_columns(rows, classes, labels, where)
    columns = list(getattr(y_score, "columns", ()))
    column_order, moved = class_order(
        classes, columns, f"the columns of {where[1]}", declared=labels is not None
    )
    rows = rows if column_order is None else rows[column_order]
    # Minus infinity is the logarithm of a probability of 0.
    there = np.asarray(~(np.isnan(rows) | np.isposinf(rows)).any(axis=0))
    if len(rows) > 1:
        there &= ~np.isneginf(rows).all(axis=0)
    return rows, there, moved


def _wrong_answers(
    rows: NDArray[Any],
    there: NDArray[np.bool_],
    truth: Codes,
    positive: int | None,
    kind: Scores,
    where: tuple[str, str],
    *,
    n_classes: int,
    labels: bool,
) -> NDArray[Any]:
    """Predictions with a wrong one where none is: the other class, or the worst score there is."""
    policy = spelled("missing", WRONG)
    if n_classes > 2:
        raise OptionError(
            f"{where[1]}: {policy} takes two classes, of which the other one is wrong; of "
            f"{n_classes} nothing says which was meant. Fill in the class, or leave the cases out "
            f"({spelled('missing', 'omit')})"
        )
    filled = rows.copy()
    lacking = ~there
    if labels:
        filled[0, lacking] = 1 - truth[lacking]
        return filled
    given = rows[:, there]
    kind = on_scale(given, kind, where[1], thresholds=False)[1]
    if kind == "logits":
        raise OptionError(
            f"{where[1]}: {policy} takes labels, probabilities or scores that rank; the worst "
            "logit is infinite"
        )
    low, high = 0.0, 1.0
    if kind == "any":
        low, high = float(given.min(initial=0.0)), float(given.max(initial=0.0))
        beyond = (high - low) or 1.0
        low, high = low - beyond, high + beyond
    speaks_for = [positive] if len(rows) == 1 else range(len(rows))
    for row, code in enumerate(speaks_for):
        filled[row, lacking] = np.where(truth[lacking] == code, low, high)
    return filled


def _named(where: tuple[str, str], *values: Any) -> dict[str, Any]:
    return dict(zip((*where, "sample_weight", "groups", "strata"), values, strict=True))


@frozen
class _ReadScores:
    scores: Array | None
    predicted: Codes | None
    threshold: float | None = None
    rows_miss_one: float = 0.0
    kind: Scores = "labels"


def _read_scores(
    rows: Array, classes: Sequence[Any], positive: int | None, decisions: Decisions, where: str
) -> _ReadScores:
    single = len(rows) == 1
    needs_scale = decisions.needed and decisions.threshold is None and not decisions.tuned
    on_one, kind, missed = on_scale(rows, decisions.kind, where, thresholds=single and needs_scale)
    if single and positive is None:
        raise OptionError(
            f"{where}: a single score per case speaks for the positive class; say which "
            f"of {shortened([repr(label) for label in classes])} that is: {spelled('pos_label')}"
        )
    scores = on_one
    if single and positive is not None:
        other = 1 - on_one[0] if kind == "probabilities" else -on_one[0]
        scores = np.stack([other, on_one[0]] if positive == 1 else [on_one[0], other])
    read = _ReadScores(scores, None, rows_miss_one=missed, kind=kind)
    if not decisions.needed or decisions.tuned:
        return read
    binary = len(classes) == 2 and positive is not None
    if decisions.threshold is not None and not binary:
        raise OptionError(
            f"{spelled('threshold', decisions.threshold)} needs two classes, one of them "
            f"positive; there are {len(classes)}"
            + ("" if len(classes) > 2 else f": say which with {spelled('pos_label')}")
        )
    unscaled = kind == "any" and not single and decisions.threshold is None
    if not binary or positive is None or unscaled:
        # The largest score decides; of equal ones the first, as argmax has it.
        return replace(read, predicted=rows.argmax(axis=0))
    cut = threshold_on_scale(decisions.threshold, kind, where)
    chosen = np.where(scores[positive] >= cut, positive, 1 - positive)
    threshold = 0.5 if decisions.threshold is None else decisions.threshold
    return replace(read, predicted=chosen, threshold=threshold)


class _KnownLabels:
    """The labels in cells, looked for once in each array: a million cases take time."""

    def __init__(self) -> None:
        self._read: list[tuple[NDArray[Any], list[Any]]] = []

    def __call__(self, cells: NDArray[Any], where: str) -> list[Any]:
        for known, labels in self._read:
            if known is cells:
                return labels
        labels = labels_in(cells, where)
        self._read.append((cells, labels))
        return labels


def _are_labels(
    y_score: Any, truth: NDArray[Any], decisions: Decisions, known_labels: _KnownLabels
) -> bool:
    """Whether predictions are class labels rather than scores."""
    if decisions.kind != "auto":
        return decisions.kind == "labels"
    try:
        array = np.asarray(y_score)
    except ValueError:
        raise DataError("predictions are nested lists of different lengths") from None
    if array.ndim != 1 or decisions.threshold is not None or decisions.tuned:
        return False
    kinds = (
        {type(cell) for cell in array if not is_missing(cell)} if array.dtype == object else set()
    )
    if array.dtype.kind in "SUb" or kinds & {str, bool}:
        return True
    if kinds - {int, float} and not all(
        issubclass(kind, np.number) for kind in kinds - {int, float}
    ):
        return False
    if truth.dtype.kind in "iub" and _has_fractions(array):
        return False
    among = set(known_labels(array, "y_score")) <= set(known_labels(truth, "y_true"))
    # Whole numbers that are no labels may be grades, which rank; decisions they are not.
    whole = array.dtype.kind in "iu" or (bool(kinds) and kinds <= {int})
    return among or (whole and decisions.needed)


def _has_fractions(cells: NDArray[Any]) -> bool:
    """Whether some are numbers that are not whole, which is seen without sorting them."""
    if cells.dtype.kind != "f":
        return False
    finite = cells[np.isfinite(cells)]
    return bool((finite != np.floor(finite)).any())


def _classes(
    truth: NDArray[Any],
    predicted: NDArray[Any] | None,
    labels: Sequence[Any] | None,
    where: tuple[str, str],
    known_labels: _KnownLabels,
) -> list[Any]:
    """All classes, in the order of their codes."""
    if labels is not None:
        return _named_classes(labels)
    classes = list(known_labels(truth, where[0]))
    if not classes and len(truth):
        raise DataError(f"{where[0]}: no case has a label")
    odd = next((label for label in classes if isinstance(label, float)), None)
    if odd is not None and len(classes) > MOST_FRACTIONS:
        raise _swapped(where, odd)
    if predicted is not None:
        predicted_labels = known_labels(predicted, where[1])
        classes = _with_predicted(classes, predicted_labels, where)
    if len(classes) == 1 and classes[0] in (0, 1):
        return [0, 1]
    if len(classes) < 2 and len(truth):
        raise DataError(
            f"{where[0]}: all cases have one class, {shortened([repr(c) for c in classes])}; a "
            f"classification needs at least two. Name all classes: {spelled('labels')}"
        )
    return classes


def _named_classes(labels: Sequence[Any]) -> list[Any]:
    listed = as_list(labels)
    if not listed or not all(isinstance(label, Hashable) for label in listed):
        raise OptionError(f"{spelled('labels', labels)} is not a list of labels (text or numbers)")
    classes = [plain_label(label) for label in listed]
    if len(set(classes)) < len(classes):
        raise OptionError(f"{spelled('labels', classes)} names a class more than once")
    if len(classes) < 2:
        raise OptionError(f"{spelled('labels', classes)}: name at least two classes")
    return classes


def _with_predicted(
    classes: list[Any], predicted_labels: list[Any], where: tuple[str, str]
) -> list[Any]:
    """The classes of the target and those that are predicted."""
    further = [label for label in predicted_labels if label not in classes]
    alike = not any(isinstance(label, str) for label in further)
    if tuple(classes) in KNOWN_PAIRS and further and alike:
        raise DataError(
            f"{where[1]}: predicts {further[0]!r}, and {where[0]} holds only "
            f"{shortened([repr(c) for c in classes])}; if it is a class, name all: "
            f"{spelled('labels')}; if predictions are scores, say {spelled('scores', 'any')}"
        )
    if (
        further
        and further == predicted_labels
        and all(isinstance(one, str) for one in (*classes, *further))
    ):
        raise DataError(
            f"{where[1]}: predicts {shortened([repr(label) for label in further], 4)}, and none is "
            f"a class of {where[0]} ({shortened([repr(label) for label in classes], 4)}); if all "
            f"are classes, name them: {spelled('labels')}"
        )
    try:
        return sorted([*classes, *further])
    except TypeError:
        raise DataError(
            f"{where[0]} and {where[1]} hold labels of different kinds: "
            f"{shortened([repr(c) for c in classes], 4)} and "
            f"{shortened([repr(c) for c in predicted_labels], 4)}"
        ) from None


def _check_lengths(truth: NDArray[Any], other: NDArray[Any], where: tuple[str, str]) -> None:
    if len(truth) != len(other):
        raise DataError(
            f"{where[0]} has {len(truth)} cases and {where[1]} {len(other)}; they must be the same "
            "cases in the same order"
        )


def _check_columns(
    rows: Array, classes: Sequence[Any], labels: Sequence[Any] | None, where: tuple[str, str]
) -> None:
    if len(rows) == len(classes) or (len(rows) == 1 and len(classes) == 2):
        return
    if labels is None and any(isinstance(label, float) for label in classes):
        raise _swapped(where, next(label for label in classes if isinstance(label, float)))
    source = spelled("labels") if labels is not None else f"the sorted labels of {where[0]}"
    raise DataError(
        f"{where[1]}: {len(rows)} score column{'s' if len(rows) > 1 else ''} for {len(classes)} "
        f"classes ({shortened([repr(c) for c in classes], 10)}, {source}); the k-th column is the "
        f"score of the k-th class. Name the classes of all columns: {spelled('labels')}"
    )


def _swapped(where: tuple[str, str], label: float) -> DataError:
    return DataError(
        f"{where[0]}: holds {label:g}, and classes are whole numbers, text or booleans. Are true "
        "classes and scores swapped? Of predicted numbers: mae, rmse, r2"
    )


def _check_policy(missing: AnyMissing, *, numbers: bool = False) -> None:
    if missing == WRONG and numbers:
        raise OptionError(
            f"{spelled('missing', WRONG)} has no meaning for predicted numbers, of which none is "
            f"the wrong one. Use {spelled('missing', 'omit')}, or fill in a number"
        )
    if missing == "worst":
        raise OptionError(
            f"{spelled('missing', 'worst')} has no meaning for a metric of a whole test set: a "
            f"missing prediction is not a class. Use {spelled('missing', 'omit')}, or "
            f"{spelled('missing', WRONG)} if it is to count as a wrong answer"
        )


def _kept(
    usable: NDArray[np.bool_], missing: AnyMissing, where: tuple[str, str]
) -> NDArray[np.bool_]:
    if missing == WRONG and not usable.all():
        raise DataError(
            f"{where[0]}: {int((~usable).sum())} of {len(usable)} cases have no true class, "
            f"without which no answer is wrong. {spelled('missing', 'omit')} leaves them out"
        )
    if missing != "omit" and not usable.all():
        raise incomplete_cases(", ".join(where), usable)
    return usable


def incomplete_cases(
    where: str, usable: NDArray[np.bool_], names: Sequence[str] | None = None
) -> DataError:
    """The error for cases that cannot be used, by their names or else by their places."""
    lacking = np.flatnonzero(~usable)
    first = [names[place] if names else f"#{place + 1}" for place in lacking[:3]]
    return DataError(
        f"{where}: {len(lacking)} of {len(usable)} cases lack a label or a finite score "
        f"(case{'s' * (len(lacking) > 1)} {', '.join(first)}{', ...' * (len(lacking) > 3)}). "
        f"{spelled('missing', 'omit')} leaves them out; {spelled('missing', WRONG)} counts a "
        "prediction that lacks as wrong"
    )


def _weights(sample_weight: Any, kept: NDArray[np.bool_]) -> Array | None:
    if sample_weight is None:
        return None
    weights = as_numbers(sample_weight, "sample_weight")
    if len(weights) != len(kept):
        raise DataError(f"sample_weight has {len(weights)} values for {len(kept)} cases")
    weights = weights[kept]
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise DataError("sample_weight must be finite, not negative and not all zero")
    # Sums of products of weights must neither overflow nor vanish; a power of 2 rounds nothing.
    largest = weights.max()
    extreme = not SMALLEST_WEIGHT < largest < 1 / SMALLEST_WEIGHT
    return np.ldexp(weights, -int(np.frexp(largest)[1])) if extreme else weights


def check_numbers(
    y_true: Any,
    y_pred: Any,
    *,
    missing: AnyMissing,
    groups: Any,
    strata: Any,
    where: tuple[str, str],
) -> TestSet:
    """Targets and predictions of a regression made ready."""
    _check_policy(missing, numbers=True)
    inputs = paired(_named(where, y_true, y_pred, None, groups, strata), fresh=where)
    y_true, y_pred, _, groups, strata = inputs.aligned.values()
    target, predicted = (
        as_numbers(v, name) for v, name in zip((y_true, y_pred), where, strict=True)
    )
    _check_lengths(target, predicted, where)
    kept = _kept(np.isfinite(target) & np.isfinite(predicted), missing, where)
    clusters, strata_codes = unit_codes(groups, strata, kept, where[0])
    if not kept.any():
        raise DataError(f"{where[0]}: no cases" + (" left" if len(kept) else " given"))
    for side, name in zip((target, predicted), where, strict=True):
        check_magnitude(side[kept], name)
    return TestSet(
        labels=(),
        truth=target[kept],
        rows=np.stack([target[kept], predicted[kept]]),
        groups=clusters,
        strata=strata_codes,
        n_missing=int((~kept).sum()),
        numbers=True,
        cautions=inputs.cautions(kept, groups),
        kept=kept,
    )
