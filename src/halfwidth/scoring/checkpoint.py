"""The checkpoint of a run: scored cases, kept beside the output until all are done."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from halfwidth import __version__
from halfwidth.core.errors import DataError
from halfwidth.core.files import cannot_write, write_whole
from halfwidth.io.images import files_of
from halfwidth.scoring.cases import ScoringSettings
from halfwidth.scoring.pairs import CaseFiles
from halfwidth.scoring.scores import CaseScores, LabelScores, Value


class Checkpoint:
    """A file of JSON lines: a digest of the options, then a line for each case that is done.

    A line is written whole and synced before the next case; a line cut off by a crash
    is not read. A case whose files have changed since is scored again; all cases are if
    the options have changed.
    """

    def __init__(self, output: Path, settings: ScoringSettings) -> None:
        self.path = checkpoint_path(output)
        self.notes: list[str] = []
        self._keeps_aside = False
        self._options_digest = _digest(
            json.dumps([__version__, _describe_settings(settings)], sort_keys=True)
        )

    def load(self) -> dict[str, CaseScores]:
        """Scores by the fingerprint of their case's files; none if the options were different.

        A checkpoint of other options is set aside until a later run has ended, and is used by
        a run with these options: the different ones may have been a slip.
        """
        here, aside = self._options_digest_in(self.path), self._options_digest_in(self._aside)
        if here == self._options_digest:
            return self._read(self.path)
        known = self._read(self._aside) if aside == self._options_digest else {}
        if here is not None:
            self.path.replace(self._aside)
            self._keeps_aside = True
            rest = "those of these options are used" if known else "all are scored anew"
            self.notes.append(f"{self._aside} holds cases scored with other options; {rest}")
        return known

    def _options_digest_in(self, path: Path) -> str | None:
        """The digest of the options of a file; None if there is no file."""
        if not path.exists():
            return None
        return str((_parse_object(self._lines(path)[0]) or {}).get("asked", ""))

    def _read(self, path: Path) -> dict[str, CaseScores]:
        known = (_parse_line(line) for line in self._lines(path)[1:])
        return dict(entry for entry in known if entry is not None)

    def _lines(self, path: Path) -> list[str]:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
        return text.splitlines() or [""]

    def begin(self, done: Mapping[str, CaseScores]) -> None:
        """Write the cases that are done already; `add` appends the others."""
        lines = [json.dumps({"asked": self._options_digest})]
        lines += [_case_line(fingerprint, scores) for fingerprint, scores in done.items()]
        write_whole(self.path, ("\n".join(lines) + "\n").encode())

    def add(self, fingerprint: str, scores: CaseScores) -> None:
        """Keep the scores of one more case."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_case_line(fingerprint, scores) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def end(self) -> None:
        """Remove the checkpoint, once the output is written."""
        self.path.unlink(missing_ok=True)
        if not self._keeps_aside:
            self._aside.unlink(missing_ok=True)

    @property
    def _aside(self) -> Path:
        return self.path.with_name(f"{self.path.name}.old")


def checkpoint_path(output: Path) -> Path:
    """The path of the checkpoint of an output."""
    return output.with_name(f"{output.name}.partial")


def fingerprint(files: CaseFiles) -> str:
    """A digest of the paths, sizes and times of the files of a case."""
    seen: list[Any] = []
    for image in (*files.predictions.values(), *files.references.values()):
        for path in () if image is None else files_of(image):
            stat = path.stat()
            seen.append([str(path), stat.st_size, stat.st_mtime_ns])
        seen.append(image is None)
    return _digest(json.dumps([files.case, seen]))


def _describe_settings(settings: ScoringSettings) -> dict[str, Any]:
    """Everything but the files that scores depend on, as plain data, the same in every process."""
    tolerances = settings.metrics.tolerances
    return {
        **{field.name: getattr(settings, field.name) for field in fields(settings)},
        "metrics": [[spec.name, dict(parameters)] for spec, parameters in settings.metrics.metrics],
        "tolerances": [tolerances.default, dict(tolerances.by_label)],
        "labels": None
        if settings.labels is None
        else [[one.name, one.values] for one in settings.labels],
        "regions": [[one.name, one.values] for one in settings.regions],
        "unions": [[one.name, one.members] for one in settings.unions],
        # A resumed run may allow larger images.
        "max_voxels": None,
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _parse_object(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return None
    return entry if isinstance(entry, dict) else None


def _case_line(fingerprint: str, scores: CaseScores) -> str:
    labels = [
        [one.label, one.scores, one.presence, one.voxels, one.components, one.spacing]
        for one in scores.labels
    ]
    return json.dumps(
        {
            "files": fingerprint,
            "scores": [scores.case, labels, scores.held, scores.ignored, scores.notes],
        }
    )


def _parse_line(line: str) -> tuple[str, CaseScores] | None:
    """A fingerprint and the scores of its case; None for a line that is cut off or malformed."""
    try:
        entry = json.loads(line)
        case, plain, (predicted, true), ignored, notes = entry["scores"]
        labels = tuple(_label_scores(label) for label in plain)
        scores = CaseScores(case, labels, (tuple(predicted), tuple(true)), ignored, tuple(notes))
        return str(entry["files"]), scores
    except (ValueError, TypeError, KeyError, IndexError):
        return None


def _label_scores(plain: Any) -> LabelScores:
    label, scores, presence, voxels, parts, spacing = plain
    values = tuple(Value(*score) for score in scores)
    return LabelScores(label, values, presence, voxels, parts, spacing and tuple(spacing))
