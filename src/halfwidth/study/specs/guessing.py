"""Guesses about the files of a data folder: metric, unit, kind of scores."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from halfwidth.core.errors import DataError, HalfwidthError, shortened
from halfwidth.core.frozen import frozen
from halfwidth.core.types import UNIT_INTERVAL
from halfwidth.estimation.test_sets.class_labels import as_cells
from halfwidth.estimation.test_sets.score_scales import ROUNDING, ROW_SUM_TOLERANCE, as_score_rows
from halfwidth.io.arrays import read_array
from halfwidth.io.table import Table
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.study.specs.spec import ScoreKind
from halfwidth.study.specs.value_files import SPLITS, instance_columns, with_metrics
from halfwidth.tables.layout import Layout, layout_of, metrics_in, slices
from halfwidth.tables.metric_names import metric_in
from halfwidth.tables.readers import read_table

DEEPEST = 2
# Marks the folder of a study's results.
RUN_FILE = "run.json"
LARGEST_BYTES = 200_000_000
# From here on values of a metric that ends at 1 are taken to be in per cent.
PER_CENT_FROM, PER_CENT = 1.5, 100.0
SCORE_WORDS = r"scores|logits|probabilities|probs"
TARGET_WORDS = r"targets|labels|y_true|truth"
SCORES = re.compile(rf"(.*?)([-_.]?(?:{SCORE_WORDS}))(\.npy)", re.IGNORECASE)
# What columns that tell the test set from other cases call it.
TEST = frozenset({"test", "testing"})
TARGETS = re.compile(rf"(.*?)([-_.]?(?:{TARGET_WORDS}))(\.npy)", re.IGNORECASE)


@frozen
class ValueColumns:
    """Columns of a table that hold one metric."""

    file: Path
    # Empty where the table says it itself.
    metric: str
    # None: all numeric ones.
    columns: tuple[str, ...] | None
    # The columns, whether named or not.
    seen: tuple[str, ...]
    # The name of the file with a wildcard for all but the metric; empty where there is none.
    pattern: str
    scale: float
    n_missing: int
    n_cells: int
    # Before scaling.
    highest: float
    # Columns that say which model or task a row is of.
    by: tuple[str, ...] = ()
    # The rows of the test set, where the table has others; else empty.
    where: str = ""

    @property
    def several(self) -> bool:
        """Whether there is more than one column."""
        return len(self.seen) > 1


@frozen
class ScoreFiles:
    """A NumPy file of scores and the one of targets that belongs to it."""

    scores: Path
    targets: Path
    # Their names with wildcards for the model and the task.
    patterns: tuple[str, str]
    kind: ScoreKind
    # Whether a probability is 0.
    zeros: bool
    missing: bool


def files_in(folder: Path) -> list[Path]:
    """Files of a folder, of two levels below and of links that do not lead up; not hidden ones."""
    files: list[Path] = []
    root, seen = folder.resolve(), set[Path]()
    for place, folders, names in os.walk(folder, followlinks=True):
        here = Path(place)
        real = here.resolve()
        if real in seen or (real != root and root.is_relative_to(real)):
            folders.clear()
            continue
        seen.add(real)
        depth = len(here.relative_to(folder).parts)
        if RUN_FILE in names:
            folders.clear()
            continue
        folders[:] = sorted(f for f in folders if not f.startswith(".") and depth < DEEPEST)
        files += [here / name for name in sorted(names) if not name.startswith(".")]
    return files


# --------------------------------------------------------------------------- tables


def values_in(file: Path) -> list[ValueColumns]:
    """What a table holds: one entry for each metric."""
    if file.stat().st_size > LARGEST_BYTES:
        raise DataError(f"larger than {LARGEST_BYTES / 1e6:g} MB")
    table = with_metrics(read_table(file))
    layout = layout_of(table)
    if layout.metric is not None:
        return [_canonical(file, table, layout)]
    named = {column: metric_in(column) for column in layout.values}
    by_metric: dict[str, list[str]] = {}
    for column, name in named.items():
        if name is not None:
            by_metric.setdefault(name[0], []).append(column)
    name = metric_in(file.stem)
    if by_metric and (name is None or len(by_metric) > 1):
        return [
            _values(file, table, metric, tuple(columns), "")
            for metric, columns in by_metric.items()
        ]
    if name is None:
        raise DataError(
            f"neither the name nor a column ({shortened(layout.values, 5)}) names a metric; say "
            'what the values are: metric = "dsc"'
        )
    metric, before, behind = name
    pattern = "" if before and behind else _pattern(file, before, behind, len(layout.values) > 1)
    return [_values(file, table, metric, None, pattern, layout.values)]


def _pattern(file: Path, before: str, behind: str, several: bool) -> str:
    """The name of a file with a wildcard for what stands beside the metric."""
    if not before and not behind:
        return ""
    wildcard = "{model}" if several else "{task}"
    middle = file.stem[len(before) : len(file.stem) - len(behind)]
    # The character that separates them stays.
    if before:
        return f"{wildcard}{before[-1] if not before[-1].isalnum() else ''}{middle}{file.suffix}"
    return f"{middle}{behind[0] if not behind[0].isalnum() else ''}{wildcard}{file.suffix}"


def _values(
    file: Path,
    table: Table,
    metric: str,
    columns: tuple[str, ...] | None,
    pattern: str,
    seen: tuple[str, ...] = (),
) -> ValueColumns:
    shown = columns or seen
    cells = [_numbers(table, column) for column in shown]
    every = np.concatenate(cells)
    finite = every[np.isfinite(every)]
    highest = float(finite.max(initial=-np.inf))
    per_cent = METRICS[metric].bounds == UNIT_INTERVAL and PER_CENT_FROM < highest <= PER_CENT
    return ValueColumns(
        file=file,
        metric=metric,
        columns=columns,
        seen=shown,
        pattern=pattern,
        scale=PER_CENT if per_cent else 1.0,
        n_missing=len(every) - len(finite),
        n_cells=len(every),
        highest=highest,
        by=instance_columns(table, replace(layout_of(table), values=shown)),
        where=_test_rows(table),
    )


def _test_rows(table: Table) -> str:
    """The condition for the rows of the test set, if a column says which these are."""
    for name in table.names:
        levels = table.levels(name) if name.strip().lower() in SPLITS else []
        for level in dict.fromkeys(levels):
            if str(level).lower() in TEST and len(set(levels)) > 1:
                return f"{name}={level}"
    return ""


def _numbers(table: Table, column: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if not table.is_numeric(column) and not table.is_empty(column):
        raise DataError(f"column {column!r} holds text among its numbers")
    numbers = table.values(column, np.arange(len(table)))
    return np.array([np.nan if cell is None else cell for cell in numbers], dtype=float)


def _canonical(file: Path, table: Table, layout: Layout) -> ValueColumns:
    parts = slices(table, layout)
    unknown = [name for name in metrics_in(table, layout) if name not in METRICS]
    if unknown:
        raise DataError(
            f"its metrics {shortened(unknown, 5)} are not known; say metric and bounds for each"
        )
    cells = [np.array([np.nan if c is None else c for c in p.values], dtype=object) for p in parts]
    missing = sum(int(sum(not _finite(cell) for cell in part)) for part in cells)
    total = sum(len(part) for part in cells)
    by = instance_columns(table, layout)
    by = () if by == layout.by else by
    return ValueColumns(file, "", None, layout.values, "", 1.0, missing, total, np.nan, by)


def _finite(cell: object) -> bool:
    return isinstance(cell, int | float | np.number) and bool(np.isfinite(float(cell)))


# --------------------------------------------------------------------------- test sets


def scores_in(files: list[Path]) -> Iterator[ScoreFiles | tuple[Path, str]]:
    """Files of scores with their targets, and files of no use with the reason."""
    targets = {
        (file.parent, match[1]): (file, match[2] + match[3])
        for file in files
        if (match := TARGETS.fullmatch(file.name))
    }
    alone = dict(targets)
    for file in files:
        match = SCORES.fullmatch(file.name)
        if match is None:
            continue
        tasks = [task for folder, task in targets if folder == file.parent]
        shared = _shared_task(match[1], tasks)
        if shared is None:
            reason = (
                "it has no file of targets (the same name, with or without that of the "
                "model, ending in _targets.npy)"
            )
            yield file, reason
            continue
        task, pattern = shared
        alone.pop((file.parent, task), None)
        partner, ending = targets[file.parent, task]
        ending = f"{{task}}{ending}" if "{task}" in pattern else ending
        try:
            yield _scores(file, partner, (f"{pattern}{match[2]}{match[3]}", ending))
        except HalfwidthError as error:
            yield file, str(error).removeprefix(f"{file}: ")
    for file, _ in alone.values():
        yield file, "it has no file of scores (the same name, ending in _scores.npy)"


def _shared_task(name: str, tasks: Sequence[str]) -> tuple[str, str] | None:
    """The task of scores, whose targets those of other models may share, and their pattern.

    >>> _shared_task("swin_t_derma", ["derma", "path"])
    ('derma', '{model}_{task}')
    """
    if name in tasks:
        return name, "{task}"
    for task in sorted(filter(None, tasks), key=len, reverse=True):
        for sign in "_-.":
            if len(name) > len(task) + 1 and name.endswith(f"{sign}{task}"):
                return task, f"{{model}}{sign}{{task}}"
            if len(name) > len(task) + 1 and name.startswith(f"{task}{sign}"):
                return task, f"{{task}}{sign}{{model}}"
    return ("", "{model}") if "" in tasks else None


def _scores(file: Path, targets: Path, patterns: tuple[str, str]) -> ScoreFiles:
    rows = as_score_rows(read_array(file), file.name)
    as_cells(read_array(targets), targets.name)
    finite = np.isfinite(rows).all(axis=0)
    seen = rows[:, finite]
    inside = bool(seen.size) and seen.min() >= -ROUNDING and seen.max() <= 1 + ROUNDING
    add_up = len(rows) == 1 or np.abs(seen.sum(axis=0) - 1).max(initial=0.0) <= ROW_SUM_TOLERANCE
    kind: ScoreKind = "probabilities" if inside and add_up else "logits"
    both = np.concatenate([seen, 1 - seen]) if len(rows) == 1 else seen
    zeros = kind == "probabilities" and bool((both <= 0).any())
    return ScoreFiles(file, targets, patterns, kind, zeros, not finite.all())
