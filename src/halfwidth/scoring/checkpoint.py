"""Cases scored so far, kept beside the output until all are done, so that a run can go on."""

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
from halfwidth.io.images import files_of
from halfwidth.scoring.cases import How
from halfwidth.scoring.pairs import CaseFiles
from halfwidth.scoring.scores import CaseScores, LabelScores, Value

__all__ = ["Store", "fingerprint", "partial_of"]


class Store:
    """A file of JSON lines: what was asked for, then a line for each case that is done.

    A line is written as a whole and synced before the next case; one that was cut off by a crash
    is not read. A case whose files have changed since is scored again, and so is everything when
    the options have.
    """

    def __init__(self, output: Path, how: How) -> None:
        self.path = partial_of(output)
        self.notes: list[str] = []
        self._keeps_old = False
        self._asked = _digest(json.dumps([__version__, _described(how)], sort_keys=True))

    def load(self) -> dict[str, CaseScores]:
        """Scores by the fingerprint of their case's files; nothing if other things were asked.

        What was kept for other options is set aside until a later run has ended, and is used by
        one that asks for it again: the other options may have been a slip.
        """
        here, aside = self._asked_of(self.path), self._asked_of(self._old)
        if here == self._asked:
            return self._read(self.path)
        known = self._read(self._old) if aside == self._asked else {}
        if here is not None:
            self.path.replace(self._old)
            self._keeps_old = True
            rest = "those of these options are used" if known else "all are scored anew"
            self.notes.append(f"{self._old} holds cases scored with other options; {rest}")
        return known

    def _asked_of(self, path: Path) -> str | None:
        """What a file was kept for; None if there is none."""
        if not path.exists():
            return None
        return str((_parsed(self._lines(path)[0]) or {}).get("asked", ""))

    def _read(self, path: Path) -> dict[str, CaseScores]:
        known = (_entry(line) for line in self._lines(path)[1:])
        return dict(entry for entry in known if entry is not None)

    def _lines(self, path: Path) -> list[str]:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
        return text.splitlines() or [""]

    def begin(self, done: Mapping[str, CaseScores]) -> None:
        """Write what is known already, and leave the rest to `add`."""
        lines = [json.dumps({"asked": self._asked})]
        lines += [_line(fingerprint, scores) for fingerprint, scores in done.items()]
        anew = self.path.with_name(f"{self.path.name}.new")
        try:
            anew.write_text("\n".join(lines) + "\n", encoding="utf-8")
            # What was known stays known, wherever this is cut off.
            anew.replace(self.path)
        except OSError as error:
            anew.unlink(missing_ok=True)
            raise DataError(f"{self.path}: cannot be written ({error.strerror})") from None

    def add(self, fingerprint: str, scores: CaseScores) -> None:
        """Keep the scores of one more case."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(_line(fingerprint, scores) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def end(self) -> None:
        """The output is written: nothing needs to be kept."""
        self.path.unlink(missing_ok=True)
        if not self._keeps_old:
            self._old.unlink(missing_ok=True)

    @property
    def _old(self) -> Path:
        return self.path.with_name(f"{self.path.name}.old")


def partial_of(output: Path) -> Path:
    """Where cases are kept until the output is written."""
    return output.with_name(f"{output.name}.partial")


def fingerprint(files: CaseFiles) -> str:
    """What tells the files of a case from others, and from themselves after a change."""
    seen: list[Any] = []
    for image in (*files.predictions.values(), *files.references.values()):
        for path in () if image is None else files_of(image):
            stat = path.stat()
            seen.append([str(path), stat.st_size, stat.st_mtime_ns])
        seen.append(image is None)
    return _digest(json.dumps([files.case, seen]))


def _described(how: How) -> dict[str, Any]:
    """Everything that scores depend on but the files, as text that any process writes alike."""
    tolerances = how.wanted.tolerances
    return {
        **{field.name: getattr(how, field.name) for field in fields(how)},
        "wanted": [[spec.name, dict(given)] for spec, given in how.wanted.metrics],
        "tolerances": [tolerances.default, dict(tolerances.by_label)],
        "labels": None if how.labels is None else [[one.name, one.values] for one in how.labels],
        "regions": [[one.name, one.values] for one in how.regions],
        "unions": [[one.name, one.members] for one in how.unions],
        # What was refused may be allowed when a run goes on.
        "max_voxels": None,
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return None
    return entry if isinstance(entry, dict) else None


def _line(fingerprint: str, scores: CaseScores) -> str:
    labels = [
        [one.label, one.scores, one.presence, one.voxels, one.parts, one.spacing]
        for one in scores.labels
    ]
    return json.dumps(
        {
            "files": fingerprint,
            "scores": [scores.case, labels, scores.held, scores.ignored, scores.notes],
        }
    )


def _entry(line: str) -> tuple[str, CaseScores] | None:
    """A case and its scores; None for a line that was cut off or is of another make."""
    try:
        entry = json.loads(line)
        case, plain, (found, true), ignored, notes = entry["scores"]
        labels = tuple(_label_of(label) for label in plain)
        scores = CaseScores(case, labels, (tuple(found), tuple(true)), ignored, tuple(notes))
        return str(entry["files"]), scores
    except (ValueError, TypeError, KeyError, IndexError):
        return None


def _label_of(plain: Any) -> LabelScores:
    label, scores, presence, voxels, parts, spacing = plain
    values = tuple(Value(*score) for score in scores)
    return LabelScores(label, values, presence, voxels, parts, spacing and tuple(spacing))
