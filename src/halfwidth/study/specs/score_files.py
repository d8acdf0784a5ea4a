"""Instances of test sets: a score for each class and the true class of each case."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfwidth.core.cautions import Caution, caution
from halfwidth.core.errors import DataError, UnknownNameError, quoted, shortened
from halfwidth.core.spec import MetricLevel
from halfwidth.core.types import UNBOUNDED, Array
from halfwidth.estimation.test_sets.class_labels import Codes, as_cells, labels_in
from halfwidth.estimation.test_sets.reading import check_test_set
from halfwidth.estimation.test_sets.score_scales import ROUNDING, ROW_SUM_TOLERANCE, as_score_rows
from halfwidth.estimation.test_sets.test_set import Decisions, TestSet
from halfwidth.io.arrays import read_array
from halfwidth.io.table import Table
from halfwidth.study.populations.logits import logit_empirical, logit_kde, recalibrated
from halfwidth.study.specs.matching import NAMED, STARS, Match, all_matches, identity, matches
from halfwidth.study.specs.spec import FEW_CASES, FEW_OF_A_CLASS, Instance, ScoreSource, digest_of
from halfwidth.study.specs.toml_sections import placed
from halfwidth.study.specs.value_files import notes_of_repeats
from halfwidth.tables.readers import read_table
from halfwidth.tables.repeats import case_column, repeats_in


def instances_of_scores(
    source: ScoreSource, folder: Path, averages: Sequence[str]
) -> Iterator[Instance]:
    """The instances of a source: one for each pair of NumPy files, or for each table."""
    if source.files:
        for match in all_matches(source.files, folder):
            table = read_table(match.path)
            with placed(match.shown):
                targets, rows = _columns(source, table)
            taken = (source.target, *source.columns)
            repeats = repeats_in(table, case=case_column(table, taken, persons=False), taken=taken)
            shown = f"{match.shown}, columns {quoted(source.columns)}"
            where = (f"column {source.target!r}", f"columns {quoted(source.columns)}")
            instance = _instance(source, match, shown, (targets, rows), where, averages)
            notes = notes_of_repeats(repeats, len(table))
            yield replace(instance, notes=(*instance.notes, *notes))
        return
    targets_files = matches(source.targets, folder)
    known = {part: {getattr(match, part) for match in targets_files} - {""} for part in NAMED}
    for scores, targets_file in pair_files(matches(source.scores, folder, known), targets_files):
        rows, targets = read_array(scores.path), read_array(targets_file.path)
        shown = f"{scores.shown}, {targets_file.shown}"
        where = (targets_file.shown, scores.shown)
        yield _instance(source, scores, shown, (targets, rows), where, averages)


def pair_files(scores: Sequence[Match], targets: Sequence[Match]) -> list[tuple[Match, Match]]:
    """Files of scores, each with that of targets whose wildcards stand for the same text.

    The pattern of targets may have fewer wildcards: one file is of the scores of several models.
    """
    parts = [part for part in (*NAMED, STARS) if any(getattr(match, part) for match in targets)]
    for side, told_apart in ((scores, (*NAMED, STARS)), (targets, parts)):
        keyed = {match.key(told_apart): match for match in side}
        for match in side:
            same = keyed[match.key(told_apart)]
            if same is not match:
                raise DataError(
                    f"{match.shown} and {same.shown} match the same pattern with the same text "
                    "for its wildcards; name one"
                )
    for side, others, lacking in ((scores, targets, "targets"), (targets, scores, "scores")):
        keys = {match.key(parts) for match in others}
        unmatched = [match.shown for match in side if match.key(parts) not in keys]
        if unmatched:
            raise DataError(
                f"{shortened(unmatched, 5)}: no {lacking} belong to "
                f"{'it' if len(unmatched) == 1 else 'them'}; there are "
                f"{shortened([match.shown for match in others], 5)}. Wildcards of both must stand "
                "for the same text"
            )
    partners = {match.key(parts): match for match in targets}
    return [(match, partners[match.key(parts)]) for match in scores]


def _columns(source: ScoreSource, table: Table) -> tuple[NDArray[Any], Array]:
    for column in (source.target, *source.columns):
        if column not in table:
            raise UnknownNameError("column", column, table.names)
    if source.target in source.columns:
        raise DataError(f"column {source.target!r} cannot be the target and a score at once")
    every = np.arange(len(table))
    rows = [table.values(column, every) for column in source.columns]
    for column, cells in zip(source.columns, rows, strict=True):
        if not table.is_numeric(column):
            first = next((cell for cell in cells if isinstance(cell, str)), None)
            raise DataError(f"column {column!r} holds {first!r}, and scores are numbers")
    return np.array(table.levels(source.target), dtype=object), np.array(rows, dtype=float).T


# --------------------------------------------------------------------------- one instance


def _instance(
    source: ScoreSource,
    match: Match,
    shown: str,
    targets_and_rows: tuple[Any, Any],
    where: tuple[str, str],
    averages: Sequence[str],
) -> Instance:
    cases = _test_set(source, *targets_and_rows, where)
    _check_positive(source, cases, averages)
    logits, notes = _logits(source, cases, where[1])
    codes, classes = cases.truth, [str(label) for label in cases.labels]
    if cases.positive == 0:
        # The second of two classes is the positive one, everywhere in a study.
        logits, codes, classes = logits[::-1], 1 - codes, classes[::-1]
    # Cases in one order, whatever that of the file.
    order = np.lexsort((codes, *logits[::-1]))
    logits, codes = np.ascontiguousarray(logits[:, order]), codes[order]
    model, task = identity(match, source.model, source.task, columns=False)
    recipe = {"population": f"logit {source.population}", "classes": len(classes)}
    if source.population == "kde":
        recipe["bandwidth"] = source.bandwidth
    name = "/".join(filter(None, (model, task)))
    if source.calibration is not None:
        name += _calibration_in_words(source, classes)
        recipe["calibration"] = list(map(repr, source.calibration))
    if cases.n_missing:
        notes.append(f"left out: {cases.n_missing} cases without a label or a score")
    return Instance(
        name=name,
        task=task,
        model=model,
        source=shown,
        level=MetricLevel.SAMPLE,
        metric=None,
        build=_build(source, logits, codes),
        n_cases=cases.n,
        digest=digest_of(recipe, logits, codes),
        bounds=UNBOUNDED,
        notes=tuple(notes),
        cautions=tuple(_class_cautions(codes, classes)),
        classes=tuple(classes),
    )


def _build(source: ScoreSource, logits: Array, codes: Codes) -> functools.partial[Any]:
    fit: functools.partial[Any] = functools.partial(logit_empirical, logits, codes)
    if source.population == "kde":
        fit = functools.partial(logit_kde, logits, codes, exponent=source.bandwidth)
    if source.calibration is None:
        return fit
    return functools.partial(_recalibrated, fit, *source.calibration)


def _recalibrated(build: Callable[[], Any], intercept: float, slope: float) -> Any:
    return recalibrated(build(), slope=slope, intercept=intercept)


def _calibration_in_words(source: ScoreSource, classes: Sequence[str]) -> str:
    """What the name of an instance says of the calibration that its model is given."""
    intercept, slope = source.calibration or (0.0, 1.0)
    if intercept and len(classes) > 2:
        raise DataError(
            f"{source.place} calibration_intercept needs two classes, and there are "
            f"{len(classes)}; leave it out, and vary calibration_slope"
        )
    return f", slope {slope:g}" + (f", intercept {intercept:g}" if intercept else "")


def _test_set(source: ScoreSource, targets: Any, rows: Any, where: tuple[str, str]) -> TestSet:
    """Scores and classes, checked as everywhere."""
    cells = as_cells(targets, where[0])
    scores = as_score_rows(rows, where[1])
    _check_range(source, scores, where[1])
    labels = list(source.labels) or _counted(cells, len(scores), where[0])
    return check_test_set(
        cells,
        scores.T if len(scores) > 1 else scores[0],
        Decisions(source.kind, None, needed=False, tuned=False),
        labels=labels,
        pos_label=source.positive,
        missing=source.missing,
        where=where,
    )


def _counted(cells: NDArray[Any], columns: int, where: str) -> list[Any] | None:
    """Classes numbered from 0 have a column each, even those without a case."""
    labels = labels_in(cells, where)
    numbered = all(isinstance(label, int) and 0 <= label < columns for label in labels)
    return list(range(columns)) if columns > 1 and numbered else None


def _check_positive(source: ScoreSource, cases: TestSet, averages: Sequence[str]) -> None:
    """Which class is positive matters to the binary average of two classes, and to nothing else."""
    named = quoted(cases.labels)
    if source.positive is not None and cases.n_classes != 2:
        raise DataError(f"positive has no effect on {cases.n_classes} classes ({named})")
    if "binary" not in averages:
        return
    if cases.n_classes != 2:
        raise DataError(
            f'averages = ["binary"] needs two classes, and there are {cases.n_classes} ({named}); '
            "use macro, micro, weighted or none"
        )
    if cases.positive is None:
        raise DataError(f'averages = ["binary"] needs to know which of {named} is positive = ...')


def _logits(source: ScoreSource, cases: TestSet, where: str) -> tuple[Array, list[str]]:
    """A logit for each class, shape (C, n), and what was done; of probabilities the logarithm."""
    rows, notes = cases.rows, list[str]()
    if source.kind == "probabilities":
        rows = rows if len(rows) > 1 else _both(cases, 1 - rows[0], rows[0])
        rows = _floored(source, cases, rows, where, notes)
        with np.errstate(divide="ignore"):
            return np.log(rows), notes
    infinite = np.flatnonzero(~np.isfinite(rows).all(axis=0) & (source.population == "kde"))
    if len(infinite):
        raise DataError(
            f"{where}: {len(infinite)} of {cases.n} cases have an infinite logit "
            f"({_first(infinite, cases)}), the logarithm of a probability of 0; give the "
            'logits of the model, or probabilities with kind = "probabilities" and a floor'
        )
    # One logit is that of the positive class against the other, whose own is then 0.
    return rows if len(rows) > 1 else _both(cases, np.zeros(cases.n), rows[0]), notes


def _both(cases: TestSet, negative: Array, positive: Array) -> Array:
    """Rows of both classes, where one column is of the positive one."""
    return np.stack([positive, negative] if cases.positive == 0 else [negative, positive])


def _first(places: NDArray[np.intp], cases: TestSet) -> str:
    return f"the first: #{places[0] + 1}" + (" of those kept" if cases.n_missing else "")


def _floored(
    source: ScoreSource, cases: TestSet, rows: Array, where: str, notes: list[str]
) -> Array:
    """Probabilities above 0: those below the floor are set to it, if there is one."""
    floor = source.floor
    low = rows < floor if floor is not None else rows <= 0
    count = int(low.any(axis=0).sum())
    if floor is None:
        # Cases as they are need no logarithm that is finite.
        if count and source.population == "kde":
            first = _first(np.flatnonzero(low.any(axis=0)), cases)
            raise DataError(
                f"{where}: {count} of {cases.n} cases have a probability of 0 ({first}), which has "
                "no logarithm; give the logits of the model, or say what 0 is to count: floor = "
                "1e-6"
            )
        return np.maximum(rows, 0)
    if count:
        notes.append(f"{count} cases have probabilities below {floor:g}, which count as {floor:g}")
    return np.where(low, floor, rows)


def _check_range(source: ScoreSource, rows: Array, where: str) -> None:
    """Refuse numbers that are not probabilities, and logits that clearly are probabilities."""
    seen = rows[np.isfinite(rows)]
    low, high = float(seen.min(initial=0.0)), float(seen.max(initial=0.0))
    inside = low >= -ROUNDING and high <= 1 + ROUNDING
    if source.kind == "probabilities" and not inside:
        raise DataError(
            f"{where}: scores from {low:g} to {high:g} are no probabilities; write kind = "
            '"logits" (log-probabilities are logits too)'
        )
    sums = rows[:, np.isfinite(rows).all(axis=0)].sum(axis=0)
    missed = float(np.abs(sums - 1).max(initial=0.0))
    if source.kind == "probabilities" and len(rows) > 1 and missed > ROW_SUM_TOLERANCE:
        raise DataError(
            f"{where}: the sum of the probabilities of a case is off 1 by up to {missed:.2g} "
            f"(allowed: {ROW_SUM_TOLERANCE:g}); do the classes exclude each other, and are all "
            "columns there?"
        )
    add_up = len(sums) and missed <= ROW_SUM_TOLERANCE
    if source.kind == "logits" and inside and len(rows) > 1 and add_up:
        raise DataError(
            f"{where}: the scores lie in [0, 1] and add up to 1 in every case: they are "
            'probabilities; write kind = "probabilities"'
        )


def _class_cautions(codes: Codes, classes: Sequence[str]) -> Iterator[Caution]:
    if len(codes) < FEW_CASES:
        yield caution("HW601", n=len(codes), needed=FEW_CASES)
    sizes = np.bincount(codes, minlength=len(classes))
    few = [
        f"{name!r} ({size})"
        for name, size in zip(classes, sizes, strict=True)
        if size < FEW_OF_A_CLASS
    ]
    if few:
        classes_text = f"class{'es' if len(few) > 1 else ''} {shortened(few, 10)}"
        yield caution("HW603", classes=classes_text, them="them" if len(few) > 1 else "it")
