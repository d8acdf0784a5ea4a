"""Cases scored so far, kept beside the output until all are done, so that a run can go on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from halfwidth import __version__
from halfwidth.core.errors import DataError
from halfwidth.scoring.cases import How
from halfwidth.scoring.pairs import CaseFiles
from halfwidth.scoring.results import CaseScores, LabelScores, Value

__all__ = ["Store", "fingerprint", "partial_of"]


class Store:
    """A file of JSON lines: what was asked for, then a line for each case that is done.

    A line is written as a whole and synced before the next case; one that was cut off by a crash
    is not read. A case whose files have changed since is scored again, and so is everything when
    the options have.
    """

    def __init__(self, output: Path, how: How) -> None:
        self.path = partial_of(output)
        self._asked = _digest(repr((__version__, how)))

    def load(self) -> dict[str, CaseScores]:
        """Scores by the fingerprint of their case's files; nothing if other things were asked."""
        if not self.path.exists():
            return {}
        done: dict[str, CaseScores] = {}
        lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        if not lines or _parsed(lines[0]) != {"asked": self._asked}:
            return {}
        for line in lines[1:]:
            entry = _parsed(line)
            if entry is not None:
                done[entry["files"]] = _case_of(entry["scores"])
        return done

    def begin(self, done: Mapping[str, CaseScores]) -> None:
        """Write what is known already, and leave the rest to `add`."""
        try:
            self.path.write_text(json.dumps({"asked": self._asked}) + "\n", encoding="utf-8")
        except OSError as error:
            raise DataError(f"{self.path}: cannot be written ({error.strerror})") from None
        for fingerprint, scores in done.items():
            self.add(fingerprint, scores)

    def add(self, fingerprint: str, scores: CaseScores) -> None:
        """Keep the scores of one more case."""
        line = json.dumps({"files": fingerprint, "scores": _plain(scores)})
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())


def partial_of(output: Path) -> Path:
    """Where cases are kept until the output is written."""
    return output.with_name(f"{output.name}.partial")


def fingerprint(files: CaseFiles) -> str:
    """What tells the files of a case from others, and from themselves after a change."""
    paths = [*files.predictions.values(), *files.references.values()]
    seen = []
    for path in paths:
        stat = None if path is None else path.stat()
        seen.append((str(path), stat and stat.st_size, stat and stat.st_mtime_ns))
    return _digest(repr((files.case, seen)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return None
    return entry if isinstance(entry, dict) else None


def _plain(scores: CaseScores) -> list[Any]:
    labels = [
        [one.label, [list(score) for score in one.scores], one.presence, one.voxels, one.parts]
        for one in scores.labels
    ]
    return [scores.case, scores.spacing, labels, scores.held]


def _case_of(plain: list[Any]) -> CaseScores:
    case, spacing, labels, held = plain
    return CaseScores(
        case,
        None if spacing is None else tuple(spacing),
        tuple(
            LabelScores(label, tuple(Value(*score) for score in scores), presence, voxels, parts)
            for label, scores, presence, voxels, parts in labels
        ),
        (tuple(held[0]), tuple(held[1])),
    )
