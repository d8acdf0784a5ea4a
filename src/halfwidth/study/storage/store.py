"""The store of a study: a folder with one part for each chunk that is done.

``run.json`` says what the study is, ``parts/`` holds the results as Parquet, ``failed/`` what went
wrong, ``timings/`` what everything cost, ``locks/`` who is at work. Whether a chunk is done is read
from its part alone.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError, OptionError
from halfwidth.study.chunks import Chunk
from halfwidth.study.storage import locks, manifest
from halfwidth.study.storage.disk import TEMPORARY, cannot_write, read_json, write_json, write_whole
from halfwidth.study.storage.parts import metadata_of, opens, parquet

__all__ = ["Store", "create_or_open", "open_store"]

PARTS, FAILED, TIMINGS = "parts", "failed", "timings"
BROKEN = ".broken"


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
        """Names of the chunks whose part is there and opens."""
        return self.sorted_out(chunks)[0]

    def sorted_out(self, chunks: Iterable[Chunk]) -> tuple[set[str], list[Chunk]]:
        """Names of the chunks that are done, and the chunks whose part is there and damaged."""
        there = {entry.name for entry in _entries(self.path / PARTS)}
        done, damaged = set(), []
        for chunk in chunks:
            path = self.part(chunk)
            if path.name not in there:
                continue
            if opens(path, metadata_of(chunk.name, chunk.digest, self.hash)):
                done.add(chunk.name)
            else:
                damaged.append(chunk)
        return done, damaged

    def set_aside(self, chunk: Chunk) -> Path:
        """Rename the damaged part of a chunk, which is done again."""
        path = self.part(chunk)
        broken = path.with_name(f"{path.name}{BROKEN}")
        try:
            path.replace(broken)
        except OSError as error:
            raise cannot_write(broken, error) from None
        return broken

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

    def add_timing(self, timing: Mapping[str, Any], writer: str) -> None:
        """Add a line to the side file of this process."""
        file = self.path / TIMINGS / f"{writer}.{_host()}.{os.getpid()}.jsonl"
        # A line that was cut off by a full disk, or by a process of this number, ends here.
        text = json.dumps(timing, default=float)
        try:
            with file.open("a", encoding="utf-8") as opened:
                opened.write(f"{text}\n" if opened.tell() == 0 else f"\n{text}\n")
        except OSError as error:
            raise cannot_write(file, error) from None

    def timings(self) -> list[dict[str, Any]]:
        """What all processes said about the chunks that they did; torn lines are left out."""
        found = []
        for entry in _entries(self.path / TIMINGS):
            if not entry.name.endswith(".jsonl"):
                continue
            for line in Path(entry).read_text(encoding="utf-8", errors="replace").splitlines():
                with contextlib.suppress(ValueError):
                    timing = json.loads(line)
                    found += [timing] if isinstance(timing, dict) else []
        return found

    def fail(self, chunk: Chunk, failure: Mapping[str, Any], writer: str) -> Path:
        """Keep what went wrong with a chunk."""
        path = self._failure(chunk.name)
        said = {"chunk": chunk.name, "digest": chunk.digest, **failure}
        write_json(path, said, writer)
        return path

    def failures(self, chunks: Iterable[Chunk]) -> dict[str, dict[str, Any]]:
        """What went wrong with the chunks that were set aside, by their names."""
        there = {entry.name for entry in _entries(self.path / FAILED)}
        paths = {chunk.name: self._failure(chunk.name) for chunk in chunks}
        return {name: read_json(path) or {} for name, path in paths.items() if path.name in there}

    def forget_failure(self, name: str) -> None:
        """A chunk that failed may be tried again, or is done."""
        path = self._failure(name)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise DataError(f"{path}: cannot be removed ({error.strerror or error})") from None

    def tidy(self, writer: str) -> None:
        """Remove files that processes left half-written which are dead.

        Dead is who wrote under the lock that this process holds, or under one that cannot be held
        at the same time; other shards of as many may be writing just now.
        """
        for folder in (self.path, *(self.path / name for name in (PARTS, FAILED, locks.FOLDER))):
            for entry in _entries(folder):
                if entry.name.startswith(".") and entry.name.endswith(TEMPORARY):
                    other = entry.name.split(".")[-3]
                    if locks.excludes(other, writer):
                        with contextlib.suppress(OSError):
                            Path(entry).unlink()

    def _failure(self, name: str) -> Path:
        return self.path / FAILED / f"{name}.json"


def create_or_open(
    path: str | Path,
    settings: Mapping[str, Any],
    inputs: Mapping[str, str],
    columns: Mapping[str, str],
) -> Store:
    """The store of a study: made if it is not there, opened if it is of the same study.

    Parameters
    ----------
    path : path
        A folder that is absent, empty, or a store.
    settings : mapping
        Everything that all results depend on, as JSON takes it.
    inputs : mapping
        Digest of the data of each instance.
    columns : mapping
        Type of each column of the results: string, int64, double, bool, list<string>.

    Raises
    ------
    DataError
        If the folder holds something else, a store of another study or of another format, or
        cannot be written to. Nothing in it is changed then.
    OptionError
        If a library is not installed.
    """
    _need_libraries()
    folder, new = Path(path), manifest.manifest(settings, inputs, columns)
    if not (folder / manifest.NAME).exists():
        _create(folder, new)
    old = manifest.read(folder)
    differ = manifest.differences(old, new)
    if differ:
        raise DataError(
            f"{folder}: holds another study, begun {old.begun}. What differs, old -> new: {differ}."
            " Name another --store, or go back to the old settings and data"
        )
    _make_folders(folder)
    return Store(folder, old, _on_versions(old.versions, new.versions))


def open_store(path: str | Path) -> Store:
    """The store in a folder, whatever study it is of.

    Raises
    ------
    DataError
        If there is none, or it is of another format.
    """
    _need_libraries()
    return Store(Path(path), manifest.read(Path(path)))


def _need_libraries() -> None:
    for library in ("pyarrow", "filelock"):
        if importlib.util.find_spec(library) is None:
            raise OptionError(f"a study needs {library}: pip install 'halfwidth[study]'")


def _create(folder: Path, new: manifest.Manifest) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Another shard may be making the store just now.
        foreign = sorted({entry.name for entry in os.scandir(folder)} - {locks.FOLDER})
        if foreign and not (folder / manifest.NAME).exists():
            raise DataError(
                f"{folder}: holds other files ({foreign[0]}) and is no store of a study; name an "
                "empty or a new folder as --store"
            )
        (folder / locks.FOLDER).mkdir(exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made ({error.strerror or error})") from None
    with locks.behind_door(folder):
        _make_folders(folder)
        if not (folder / manifest.NAME).exists():
            manifest.write(folder, new, locks.DOOR)


def _make_folders(folder: Path) -> None:
    for name in (locks.FOLDER, PARTS, FAILED, TIMINGS):
        try:
            (folder / name).mkdir(exist_ok=True)
        except OSError as error:
            raise cannot_write(folder / name, error) from None


def _on_versions(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    changed = [
        f"{name} {old.get(name)} (now {new[name]})" for name in new if old.get(name) != new[name]
    ]
    if not changed:
        return ()
    said = ", ".join(changed)
    return (
        f"the store was begun with {said}: what is done from here on may differ in last digits",
    )


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise DataError(f"{folder}: cannot be read ({error.strerror or error})") from None


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9-]", "-", socket.gethostname())
