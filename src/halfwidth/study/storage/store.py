"""The store of a study: a folder with one part for each chunk that is done.

``run.json`` says what the study is and ``chunks.json`` what it consists of, ``parts/`` holds the
results as Parquet, ``failed/`` what went wrong, ``timings/`` what everything cost, ``locks/`` who
is at work. Whether a chunk is done is read from its part alone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.study.chunks import Chunk
from halfwidth.study.storage import locks, manifest
from halfwidth.study.storage.disk import TEMPORARY, cannot_write, read_json, write_json, write_whole
from halfwidth.study.storage.part_files import check_part, metadata_of, parquet, with_seal

__all__ = [
    "BROKEN",
    "CHUNKS",
    "FAILED",
    "FOLDERS",
    "PARTS",
    "TIMINGS",
    "SortedOut",
    "Store",
    "parts_in",
    "set_aside",
]

PARTS, FAILED, TIMINGS = "parts", "failed", "timings"
BROKEN = ".broken"
CHUNKS = "chunks.json"
FOLDERS = (locks.FOLDER, PARTS, FAILED, TIMINGS)


@dataclass(frozen=True)
class SortedOut:
    """What the parts of some chunks are.

    Attributes
    ----------
    done : set of str
        Names of the chunks whose part is sound.
    faults : dict
        What is wrong with the parts of the others that have one, by the names of their chunks.
    unsealed : int
        How many of the sound parts have no seal, as earlier versions wrote them.
    """

    done: set[str]
    faults: dict[str, str]
    unsealed: int = 0


@dataclass(frozen=True)
class Store:
    """An open store.

    Attributes
    ----------
    path : Path
    manifest : Manifest
    notes : tuple of str
        What whoever goes on with it should know.
    """

    path: Path
    manifest: manifest.Manifest
    notes: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """Of everything that all parts have in common."""
        return self.manifest.hash

    def part(self, chunk: Chunk) -> Path:
        """Where the results of a chunk are, or will be."""
        return self.path / PARTS / f"{chunk.name}-{chunk.digest}.parquet"

    def done(self, chunks: Iterable[Chunk]) -> set[str]:
        """Names of the chunks whose part is there and sound."""
        return self.sorted_out(chunks).done

    def sorted_out(self, chunks: Iterable[Chunk]) -> SortedOut:
        """Which of some chunks are done, and what is wrong with parts that are there.

        Every part is read as a whole.
        """
        there = {entry.name for entry in _entries(self.path / PARTS)}
        done, faults, unsealed = set(), {}, 0
        for chunk in chunks:
            path = self.part(chunk)
            if path.name not in there:
                continue
            checked = check_part(path, self.manifest)
            if checked.fault:
                faults[chunk.name] = checked.fault
            else:
                done.add(chunk.name)
                unsealed += not checked.sealed
        return SortedOut(done, faults, unsealed)

    def strays(self, chunks: Iterable[Chunk]) -> dict[Path, str]:
        """Unsound parts that are of none of the chunks of the study, and what is wrong with them.

        Results are read from all parts, whatever their names.
        """
        known = {self.part(chunk).name for chunk in chunks}
        paths = (path for path in parts_in(self.path) if path.name not in known)
        checked = {path: check_part(path, self.manifest).fault for path in paths}
        return {path: fault for path, fault in checked.items() if fault}

    def seal(self, writer: str) -> tuple[Store, int]:
        """Give seals to sound parts from before there were any; the store, and how many they are.

        Raises
        ------
        DataError
            If the system refuses.
        """
        if self.manifest.sealed:
            return self, 0
        count = 0
        for path in parts_in(self.path):
            checked = check_part(path, self.manifest)
            if not (checked.sealed or checked.fault):
                content = with_seal(path.read_bytes(), path.stem, self.manifest)
                write_whole(path, content, writer)
                count += 1
        if (self.path / manifest.NAME).exists():
            manifest.seal(self.path, writer)
        return replace(self, manifest=replace(self.manifest, sealed=True)), count

    def note_chunks(self, chunks: Sequence[Chunk], writer: str) -> None:
        """Keep which chunks the study has, so that its store alone tells how far it is."""
        path = self.path / CHUNKS
        said = {"chunks": [[one.name, one.digest, one.cost, one.group] for one in chunks]}
        if read_json(path) != said:
            write_json(path, said, writer)

    def chunks(self) -> list[Chunk] | None:
        """The chunks of the study, without what they are worked out from.

        None where no run has noted them (an earlier version, or none yet).

        Raises
        ------
        DataError
            If the list is damaged.
        """
        path = self.path / CHUNKS
        if not path.exists():
            return None
        try:
            said = (read_json(path) or {})["chunks"]
            return [Chunk(name, digest, None, cost, group) for name, digest, cost, group in said]
        except (KeyError, TypeError, ValueError):
            raise DataError(
                f"{path}: is damaged; 'halfwidth study run' with the spec of this study restores it"
            ) from None

    def write(self, chunk: Chunk, rows: Sequence[Mapping[str, Any]], writer: str) -> None:
        """Write the part of a chunk, as a whole or not at all.

        Parameters
        ----------
        chunk : Chunk
        rows : sequence of mapping
        writer : str
            The lock that is held.

        Raises
        ------
        TypeError
            If the rows do not have exactly the columns and the types of the store.
        DataError
            If the system refuses.
        """
        metadata = metadata_of(chunk.name, chunk.digest, self.hash)
        content = parquet(rows, self.manifest.columns, metadata)
        write_whole(self.part(chunk), content, writer)

    def fail(self, chunk: Chunk, failure: Mapping[str, Any], writer: str) -> Path:
        """Keep what went wrong with a chunk."""
        path = self._failure(chunk.name)
        said = {"chunk": chunk.name, "digest": chunk.digest, **failure}
        write_json(path, said, writer)
        return path

    def failures(self, chunks: Iterable[Chunk]) -> dict[str, dict[str, Any]]:
        """What went wrong with the chunks that were set aside, by their names.

        Empty where the record of that is damaged.
        """
        there = {entry.name for entry in _entries(self.path / FAILED)}
        paths = {chunk.name: self._failure(chunk.name) for chunk in chunks}
        return {name: read_json(path) or {} for name, path in paths.items() if path.name in there}

    def set_aside_failure(self, name: str) -> Path:
        """Rename the damaged record of a failure, whose chunk is done again."""
        return set_aside(self._failure(name))

    def forget_failure(self, name: str) -> None:
        """A chunk that failed may be tried again, or is done."""
        path = self._failure(name)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise DataError(f"{path}: cannot be removed ({error.strerror or error})") from None

    def tidy(self, writer: str) -> None:
        """Remove what processes that are dead left: half-written files, and who they were.

        Dead is who wrote under the lock that this process holds, or under one that cannot be held
        at the same time; other shards of as many may be writing just now.
        """
        for folder in (self.path, *(self.path / name for name in FOLDERS)):
            for entry in _entries(folder):
                half = entry.name.startswith(".") and entry.name.endswith(TEMPORARY)
                if half and locks.excludes(entry.name.split(".")[-3], writer):
                    _remove(entry)
        for entry in _entries(self.path / locks.FOLDER):
            name, _, suffix = entry.name.rpartition(".")
            if suffix == "json" and name != writer and locks.excludes(name, writer):
                _remove(entry)

    def _failure(self, name: str) -> Path:
        return self.path / FAILED / f"{name}.json"


def parts_in(store: Path) -> list[Path]:
    """All parts of a store, whatever they are of."""
    return [Path(entry) for entry in _entries(store / PARTS) if entry.name.endswith(".parquet")]


def _remove(entry: os.DirEntry[str]) -> None:
    with contextlib.suppress(OSError):
        Path(entry).unlink()


def set_aside(path: Path) -> Path:
    """Rename a damaged file, which is made anew: its new name."""
    broken = path.with_name(f"{path.name}{BROKEN}")
    try:
        path.replace(broken)
    except OSError as error:
        raise cannot_write(broken, error) from None
    return broken


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DataError(f"{folder}: cannot be read ({error.strerror or error})") from None
