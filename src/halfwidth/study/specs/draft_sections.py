"""Sections of a spec, written from what files seem to be."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError, HalfwidthError
from halfwidth.core.frozen import frozen
from halfwidth.metrics.all_metrics import METRICS
from halfwidth.metrics.overlap import dsc
from halfwidth.study.specs.guessing import (
    ScoreFiles,
    ValueColumns,
    scores_in,
    tables_among,
    values_in,
)
from halfwidth.study.specs.matching import NAMED, matches

FLOOR = 1e-6
# Where comments begin, if the line is not longer.
COMMENT_COLUMN = 40
MISSING = '"raise", "omit" (does not apply), "worst" (failed)'

# Files that are of no use, with the reason.
Unused = list[tuple[Path, str]]


@frozen
class Line:
    """A key of a section, what it is set to, and what it means."""

    key: str
    value: Any
    comment: str
    # Whether it is not commented out.
    active: bool = True

    def __str__(self) -> str:
        text = f"{'' if self.active else '# '}{self.key} = {toml(self.value)}"
        return f"{text:<{COMMENT_COLUMN}}  # {self.comment}"


@frozen
class Block:
    """A section of the spec that names data."""

    # ``[[tables]]`` or ``[[scores]]``.
    head: str
    lines: tuple[Line, ...]
    # What was seen in the files.
    notes: tuple[str, ...]
    # The files.
    files: tuple[Path, ...]
    # Name of the subfolder that they are in; empty for the folder itself.
    folder: str
    # Whether columns are tasks.
    several: bool = False

    def text(self) -> str:
        """The section as text of the file."""
        notes = [f"# {note}" for note in self.notes]
        return "\n".join([*notes, self.head, *map(str, self.lines)])

    def set(self, key: str, value: object, comment: str) -> Block:
        """The section with another value for a key."""
        lines = (Line(key, value, comment) if line.key == key else line for line in self.lines)
        return replace(self, lines=tuple(lines))

    def apart(self) -> Block:
        """The section with its subfolder as the task or the model, whichever files do not say."""
        if not self.folder:
            return self
        return self.set("task" if self.several else "model", self.folder, "the folder")


def toml(value: object) -> str:
    """A value as TOML writes it.

    >>> toml(("liver", 1, True, 0.5, float("inf")))
    '["liver", 1, true, 0.5, inf]'
    """
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, str):
        # JSON leaves DEL as it is, which TOML does not allow.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value).removesuffix(".0")


def tables_blocks(files: list[Path], root: Path, place: Path, unused: Unused) -> list[Block]:
    """A section for each folder, metric and scale."""
    groups: dict[tuple[object, ...], list[ValueColumns]] = {}
    for file in tables_among(files):
        try:
            entries = values_in(file)
        except HalfwidthError as error:
            unused.append((file, str(error).removeprefix(f"{file}: ")))
            continue
        for entry in entries:
            read_alike = (entry.pattern, entry.metric, entry.columns, entry.several, entry.scale)
            key = (file.parent, *read_alike, entry.by, entry.where)
            groups.setdefault(key, []).append(entry)
    return [_tables_block(group, root, place) for group in groups.values()]


def _paths(files: Sequence[Path], pattern: str, place: Path) -> str | list[str]:
    """A pattern, if it matches these files and no others, else their names."""
    relative = [_relative(file, place) for file in files]
    if pattern:
        whole = _relative(files[0].parent / pattern, place)
        try:
            matched = {match.path.resolve() for match in matches(whole, place)}
        except DataError:
            matched = set()
        if matched == {file.resolve() for file in files}:
            return whole
    return relative[0] if len(relative) == 1 else relative


def _relative(file: Path, place: Path) -> str:
    try:
        return Path(os.path.relpath(file.resolve(), place.resolve())).as_posix()
    except ValueError:  # on another drive
        return file.resolve().as_posix()


def _folder(file: Path, root: Path) -> str:
    return "" if file.parent == root else file.parent.relative_to(root).as_posix()


def _tables_block(group: Sequence[ValueColumns], root: Path, place: Path) -> Block:
    first = group[0]
    missing = sum(values.n_missing for values in group)
    cells = sum(values.n_cells for values in group)
    known = METRICS[first.metric] if first.metric else None
    notes = [f"{len(group)} file{'' if len(group) == 1 else 's'}"]
    if known is not None:
        named = "columns" if first.columns else "the file"
        notes.append(f"metric {known.name}: from the name of {named}")
    if first.scale != 1:
        highest = max(values.highest for values in group)
        notes.append(
            f"scale {first.scale:g}: values reach {highest:g}, and {first.metric} ends at 1"
        )
    if missing:
        notes.append(f"missing: {missing} of {cells} cells are empty or infinite")
    columns = list(first.columns or first.seen)
    bounds = (known.bounds.low, known.bounds.high) if known is not None else (0.0, 1.0)
    lines = (
        Line(
            "files",
            _paths([v.file for v in group], first.pattern, place),
            "{model}, {task} and * are any text",
        ),
        Line("metric", first.metric or dsc.__name__, "what the values are", known is not None),
        Line("bounds", bounds, "for a metric of your own", active=False),
        Line("columns", columns, "default: all numeric ones", first.columns is not None),
        Line("by", first.by or NAMED, "columns whose levels are instances", active=bool(first.by)),
        Line("where", first.where or "split=test", "rows that count", active=bool(first.where)),
        Line("case", "case_id", "default: case, id, patient, name, ...", active=False),
        Line("scale", first.scale, "divides the values; 100 if per cent"),
        Line("missing", "omit" if missing else "raise", MISSING),
        Line("penalty", 100.0, 'of "worst", for distances', active=False),
        Line("population", "auto", '"kde", "empirical", or by the metric'),
        Line("min_cases", 0, "fewer cases: left out"),
        Line("failures", 0.02, "share of failed cases to plant", active=False),
        Line("above", 0.5, "keeps cases above half the median", active=False),
        Line("from", dsc.__name__, 'the values, of metric = "iou"', active=False),
        Line("model", "U-Net", "default: as files says", active=False),
        Line("task", "liver", "default: as files says, or the column", active=False),
    )
    files, folder = tuple(values.file for values in group), _folder(first.file, root)
    return Block("[[tables]]", lines, ("; ".join(notes),), files, folder, first.several)


def scores_blocks(files: list[Path], root: Path, place: Path, unused: Unused) -> list[Block]:
    """A section for each folder and kind of scores."""
    groups: dict[tuple[object, ...], list[ScoreFiles]] = {}
    for entry in scores_in(files):
        if isinstance(entry, ScoreFiles):
            key = (entry.scores.parent, entry.patterns, entry.kind)
            groups.setdefault(key, []).append(entry)
        else:
            unused.append(entry)
    blocks = []
    for group in groups.values():
        patterns = group[0].patterns
        scores = _paths([pair.scores for pair in group], patterns[0], place)
        targets = _paths([pair.targets for pair in group], patterns[1], place)
        if isinstance(scores, str) and isinstance(targets, str):
            blocks.append(_scores_block(group, scores, targets, root))
            continue
        for pair in group:
            scores, targets = _relative(pair.scores, place), _relative(pair.targets, place)
            blocks.append(_scores_block([pair], scores, targets, root))
    return blocks


def _scores_block(group: Sequence[ScoreFiles], scores: str, targets: str, root: Path) -> Block:
    kind = group[0].kind
    why = (
        "rows lie in [0, 1] and add up to 1" if kind == "probabilities" else "rows do not add to 1"
    )
    zeros = any(pair.zeros for pair in group)
    notes = [f"{len(group)} test set{'' if len(group) == 1 else 's'}; kind {kind}: {why}"]
    if zeros:
        notes.append("floor: some probabilities are 0, which has no logarithm")
    missing = any(pair.missing for pair in group)
    lines = (
        Line("scores", scores, "shape (cases, classes)"),
        Line("targets", targets, "the true classes; one file may be of many models"),
        Line("kind", kind, '"logits" (also log-probabilities), "probabilities"'),
        Line("labels", [0, 1], "classes in the order of the columns", active=False),
        Line("positive", 1, "the positive one of two", active=False),
        Line("floor", FLOOR, "smaller probabilities count as this", zeros),
        Line("missing", "omit" if missing else "raise", '"raise" or "omit"'),
        Line("population", "kde", '"kde" of logits, or "empirical"'),
        Line("bandwidth", "d+4", 'shrinks as n^(-1/(d+4)), or "5"'),
        Line("calibration_slope", 1, "classes drawn anew, 1: calibrated", active=False),
        Line("calibration_intercept", 0, "of two classes, joint with it", active=False),
        Line("min_cases", 0, "fewer cases: left out"),
        Line("model", "ResNet-50", "default: as scores says", active=False),
        Line("task", "pneumonia", "default: as scores says", active=False),
    )
    files = tuple(file for pair in group for file in (pair.scores, pair.targets))
    return Block("[[scores]]", lines, ("; ".join(notes),), files, _folder(group[0].scores, root))
