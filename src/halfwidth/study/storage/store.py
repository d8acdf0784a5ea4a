"""The store of a study: a folder with a part for each finished chunk.

``run.json`` says what the study is and ``chunks.json`` what it consists of, ``parts/`` holds the
results as Parquet, ``failed/`` what went wrong, ``timings/`` what everything cost, ``locks/`` who
is at work. Whether a chunk is done is read from its part alone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.files import TEMPORARY, cannot_write, write_whole
from halfwidth.core.frozen import frozen
from halfwidth.study.chunks import Chunk
from halfwidth.study.storage import locks, manifest
from halfwidth.study.storage.disk import read_json, write_json
from halfwidth.study.storage.part_files import check_part, parquet, part_metadata, seal_part

PARTS, FAILED, TIMINGS = "parts", "failed", "timings"
BROKEN = ".broken"
CHUNKS = "chunks.json"
FOLDERS = (locks.FOLDER, PARTS, FAILED, TIMINGS)


@frozen
class ChunkStates:
    """The states of some chunks."""

    # Names of the chunks whose part is sound.
    done: set[str]
    # What is wrong with unsound parts, by the names of their chunks.
    faults: dict[str, str]
    # The number of sound parts without a seal, as earlier versions wrote them.
    unsealed: int = 0


@frozen
class Store:
    """An open store."""

    path: Path
    manifest: manifest.Manifest
    # Remarks for the next run.
    notes: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """The hash of the settings that all parts share."""
        return self.manifest.hash

    def part(self, chunk: Chunk) -> Path:
        """The path of the results of a chunk."""
        return self.path / PARTS / f"{chunk.name}-{chunk.digest}.parquet"

    def done(self, chunks: Iterable[Chunk]) -> set[str]:
        """Names of the chunks with a sound part."""
        return self.chunk_states(chunks).done

    def chunk_states(self, chunks: Iterable[Chunk]) -> ChunkStates:
        """Which chunks are done, and what is wrong with unsound parts; reads parts in full."""
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
        return ChunkStates(done, faults, unsealed)

    def stray_parts(self, chunks: Iterable[Chunk]) -> dict[Path, str]:
        """Unsound parts that belong to no chunk of the study, and what is wrong with them.

        Results are read from all parts, whatever their names.
        """
        known = {self.part(chunk).name for chunk in chunks}
        paths = (path for path in parts_in(self.path) if path.name not in known)
        checked = {path: check_part(path, self.manifest).fault for path in paths}
        return {path: fault for path, fault in checked.items() if fault}

    def seal(self, writer: str) -> tuple[Store, int]:
        """Seal sound parts of earlier versions; returns the store and their number."""
        if self.manifest.sealed:
            return self, 0
        count = 0
        for path in parts_in(self.path):
            checked = check_part(path, self.manifest)
            if not (checked.sealed or checked.fault):
                content = seal_part(path.read_bytes(), path.stem, self.manifest)
                write_whole(path, content, writer)
                count += 1
        if (self.path / manifest.NAME).exists():
            manifest.seal(self.path, writer)
        return replace(self, manifest=replace(self.manifest, sealed=True)), count

    def note_chunks(self, chunks: Sequence[Chunk], writer: str) -> None:
        """Store the list of chunks, so that the store alone shows the progress."""
        path = self.path / CHUNKS
        content = {"chunks": [[c.name, c.digest, c.cost, c.group] for c in chunks]}
        if read_json(path) != content:
            write_json(path, content, writer)

    def chunks(self) -> list[Chunk] | None:
        """The chunks of the study, without their payloads.

        None if no run has stored the list (an earlier version, or no run yet).
        """
        path = self.path / CHUNKS
        if not path.exists():
            return None
        try:
            rows = (read_json(path) or {})["chunks"]
            return [Chunk(name, digest, None, cost, group) for name, digest, cost, group in rows]
        except (KeyError, TypeError, ValueError):
            raise DataError(
                f"{path}: is damaged; 'halfwidth study run' with the spec of this study restores it"
            ) from None

    def write(self, chunk: Chunk, rows: Sequence[Mapping[str, Any]], writer: str) -> None:
        """Write the part of a chunk whole or not at all; ``writer`` names the lock held."""
        metadata = part_metadata(chunk.name, chunk.digest, self.hash)
        content = parquet(rows, self.manifest.columns, metadata)
        write_whole(self.part(chunk), content, writer)

    def fail(self, chunk: Chunk, failure: Mapping[str, Any], writer: str) -> Path:
        """Record the failure of a chunk."""
        path = self._failure(chunk.name)
        record = {"chunk": chunk.name, "digest": chunk.digest, **failure}
        write_json(path, record, writer)
        return path

    def failures(self, chunks: Iterable[Chunk]) -> dict[str, dict[str, Any]]:
        """The failures of chunks that were set aside, by name; a damaged record is empty."""
        there = {entry.name for entry in _entries(self.path / FAILED)}
        paths = {chunk.name: self._failure(chunk.name) for chunk in chunks}
        return {name: read_json(path) or {} for name, path in paths.items() if path.name in there}

    def set_aside_failure(self, name: str) -> Path:
        """Rename the damaged record of a failure; its chunk will be repeated."""
        return set_aside(self._failure(name))

    def forget_failure(self, name: str) -> None:
        """Remove the record of a failure, for a chunk to be repeated or now done."""
        path = self._failure(name)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise DataError(f"{path}: cannot be removed ({error.strerror or error})") from None

    def tidy(self, writer: str) -> None:
        """Remove the remains of dead processes: temporary files and records of lock holders.

        A writer is dead if its lock is the one that this process holds, or conflicts with it; other
        shards with the same count may be writing right now.
        """
        for folder in (self.path, *(self.path / name for name in FOLDERS)):
            for entry in _entries(folder):
                half = entry.name.startswith(".") and entry.name.endswith(TEMPORARY)
                if half and locks.locks_conflict(entry.name.split(".")[-3], writer):
                    _remove(entry)
        for entry in _entries(self.path / locks.FOLDER):
            name, _, suffix = entry.name.rpartition(".")
            if suffix == "json" and name != writer and locks.locks_conflict(name, writer):
                _remove(entry)

    def _failure(self, name: str) -> Path:
        return self.path / FAILED / f"{name}.json"


def parts_in(store: Path) -> list[Path]:
    """All parts of a store, of any study."""
    return [Path(entry) for entry in _entries(store / PARTS) if entry.name.endswith(".parquet")]


def _remove(entry: os.DirEntry[str]) -> None:
    with contextlib.suppress(OSError):
        Path(entry).unlink()


def set_aside(path: Path) -> Path:
    """Rename a damaged file, which will be replaced; returns its new path."""
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
