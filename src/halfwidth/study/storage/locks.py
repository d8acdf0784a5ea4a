"""Who works on a store: locks that go with the process that holds them.

A run holds one lock, ``whole`` or that of its shard. Whether it may have it depends on who else
holds one, so locks are taken, and looked at, behind a door: a lock that is held for a moment only.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.study.chunks import Shard
from halfwidth.study.storage.disk import cannot_write, read_json, write_json

__all__ = ["DOOR", "FOLDER", "Holder", "behind_door", "excludes", "held", "holders", "lock_of"]

FOLDER = "locks"
WHOLE, DOOR = "whole", "door"
# Seconds to wait at the door: those inside need milliseconds, on a slow file system a second.
PATIENCE = 30.0


@dataclass(frozen=True)
class Holder:
    """A process that works on a store.

    Attributes
    ----------
    lock : str
        ``"whole"``, or ``"shard-1-of-4"``.
    pid : int
    host : str
    since : str
        ISO 8601, in universal time.
    """

    lock: str
    pid: int
    host: str
    since: str

    def __str__(self) -> str:
        what = "" if self.lock == WHOLE else f"{self.lock.replace('-', ' ')}, "
        if not self.pid:
            return f"{what}a process that has not said which"
        return f"{what}process {self.pid} on {self.host}, since {self.since}"


def lock_of(shard: Shard | None) -> str:
    """The name of the lock that a run takes."""
    return WHOLE if shard is None else f"shard-{shard.number}-of-{shard.count}"


@contextlib.contextmanager
def behind_door(store: Path) -> Iterator[None]:
    """Keep others from taking locks, or from making the store, for a moment.

    Raises
    ------
    DataError
        If the folder cannot be written to, or somebody stands in the door.
    """
    lock = _lock(store, DOOR)
    try:
        lock.acquire(timeout=PATIENCE)
    except TimeoutError:
        raise DataError(
            f"{store}: another process keeps its lock ({lock.lock_file}); try again"
        ) from None
    except (OSError, NotImplementedError) as error:
        raise _no_lock(lock, error) from None
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def held(store: Path, shard: Shard | None = None) -> Iterator[str]:
    """Hold the lock of a run, whose name is yielded; it goes when the process does, however.

    Runs of other shards of as many may hold theirs at the same time, and nobody else.

    Raises
    ------
    DataError
        If another run is on the store: who, where and since when.
    """
    name = lock_of(shard)
    lock, said = _lock(store, name), store / FOLDER / f"{name}.json"
    with behind_door(store):
        others = [other for other in _holders(store) if excludes(other.lock, name)]
        if others:
            raise _occupied(store, others, shard)
        try:
            lock.acquire(timeout=0)
        except (OSError, NotImplementedError) as error:
            raise _no_lock(lock, error) from None
        try:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            write_json(said, asdict(Holder(name, os.getpid(), socket.gethostname(), now)), name)
        except BaseException:
            lock.release()
            raise
    try:
        yield name
    finally:
        with contextlib.suppress(OSError):
            said.unlink(missing_ok=True)
        lock.release()


def holders(store: Path) -> list[Holder]:
    """Who works on a store; nobody, as far as can be told, where its locks cannot be tried."""
    if not (store / FOLDER).is_dir():
        return []
    try:
        with behind_door(store):
            return _holders(store)
    except DataError:
        return []


def _holders(store: Path) -> list[Holder]:
    found = []
    for path in sorted((store / FOLDER).glob("*.lock")):
        if path.stem == DOOR:
            continue
        lock = _lock(store, path.stem)
        try:
            lock.acquire(timeout=0)
        except TimeoutError:
            found.append(_holder(path))
        except (OSError, NotImplementedError) as error:
            raise _no_lock(lock, error) from None
        else:
            lock.release()
    return found


def _holder(path: Path) -> Holder:
    said = read_json(path.with_suffix(".json")) or {}
    try:
        return Holder(path.stem, int(said["pid"]), str(said["host"]), str(said["since"]))
    except (KeyError, TypeError, ValueError):
        return Holder(path.stem, 0, "", "")


def excludes(held: str, wanted: str) -> bool:
    """Whether two locks cannot be held at one time: all but different shards of as many."""
    return held == wanted or _count(held) is None or _count(held) != _count(wanted)


def _count(lock: str) -> str | None:
    kind, _, rest = lock.partition("-")
    return rest.partition("-of-")[2] if kind == "shard" else None


def _occupied(store: Path, others: list[Holder], shard: Shard | None) -> DataError:
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    text = f"{store}: another run is on this store ({others[0]}{more})"
    count = _count(others[0].lock)
    if shard is not None and count is not None and count != str(shard.count):
        return DataError(
            f"{text}. It shares the work out {count} ways, --shard {shard} {shard.count} ways: "
            "give all shards the same number, or wait"
        )
    return DataError(f"{text}. Wait until it has ended, or name another --store")


def _lock(store: Path, name: str) -> Any:
    from filelock import FileLock

    return FileLock(store / FOLDER / f"{name}.lock", thread_local=False)


def _no_lock(lock: Any, error: Exception) -> DataError:
    path = Path(lock.lock_file)
    if isinstance(error, OSError):
        return cannot_write(path, error)
    return DataError(f"{path}: the file system has no locks; put the store on another")
