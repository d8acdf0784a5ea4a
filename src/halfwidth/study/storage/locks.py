"""Locks of a store, which end with the process that holds them.

A run holds one lock, ``whole`` or that of its shard. Whether it may take it depends on the other
locks, so locks are taken and inspected under a guard: a lock (``door``) that is held briefly.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.files import cannot_write
from halfwidth.core.frozen import frozen
from halfwidth.study.chunks import Shard
from halfwidth.study.storage.disk import read_json, write_json

FOLDER = "locks"
WHOLE, DOOR = "whole", "door"
# Seconds to wait for the guard: it is held for milliseconds, on a slow file system for a second.
PATIENCE = 30.0


@frozen
class LockHolder:
    """A process that works on a store."""

    # ``"whole"``, or ``"shard-1-of-4"``.
    lock: str
    pid: int
    host: str
    # ISO 8601, in universal time.
    since: str

    def __str__(self) -> str:
        share = "" if self.lock == WHOLE else f"{self.lock.replace('-', ' ')}, "
        if not self.pid:
            return f"{share}a process that has not said which"
        return f"{share}process {self.pid} on {self.host}, since {self.since}"


def lock_name(shard: Shard | None) -> str:
    """The name of the lock of a run."""
    return WHOLE if shard is None else f"shard-{shard.number}-of-{shard.count}"


@contextlib.contextmanager
def guarding_locks(store: Path) -> Iterator[None]:
    """Briefly keep others from taking locks or from creating the store."""
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
def hold_lock(store: Path, shard: Shard | None = None) -> Iterator[str]:
    """Hold the lock of a run and yield its name; the lock ends with the process in any case.

    Only runs of other shards with the same count may hold locks at the same time; the error of any
    other says who, where and since when.
    """
    name = lock_name(shard)
    lock, holder_file = _lock(store, name), store / FOLDER / f"{name}.json"
    with guarding_locks(store):
        others = [other for other in _holders(store) if locks_conflict(other.lock, name)]
        if others:
            raise _store_in_use(store, others, shard)
        try:
            lock.acquire(timeout=0)
        except (OSError, NotImplementedError) as error:
            raise _no_lock(lock, error) from None
        try:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            holder = LockHolder(name, os.getpid(), socket.gethostname(), now)
            write_json(holder_file, asdict(holder), name)
        except BaseException:
            lock.release()
            raise
    try:
        yield name
    finally:
        with contextlib.suppress(OSError):
            holder_file.unlink(missing_ok=True)
        lock.release()


def holders(store: Path) -> list[LockHolder]:
    """The processes that work on a store; empty if its locks cannot be tried."""
    if not (store / FOLDER).is_dir():
        return []
    try:
        with guarding_locks(store):
            return _holders(store)
    except DataError:
        return []


def _holders(store: Path) -> list[LockHolder]:
    current = []
    for path in sorted((store / FOLDER).glob("*.lock")):
        if path.stem == DOOR:
            continue
        lock = _lock(store, path.stem)
        try:
            lock.acquire(timeout=0)
        except TimeoutError:
            current.append(_holder(path))
        except (OSError, NotImplementedError) as error:
            raise _no_lock(lock, error) from None
        else:
            lock.release()
    return current


def _holder(path: Path) -> LockHolder:
    content = read_json(path.with_suffix(".json")) or {}
    try:
        return LockHolder(
            path.stem, int(content["pid"]), str(content["host"]), str(content["since"])
        )
    except (KeyError, TypeError, ValueError):
        return LockHolder(path.stem, 0, "", "")


def locks_conflict(own: str, other: str) -> bool:
    """Whether two locks exclude each other: only shards of one count do not."""
    return own == other or _count(own) is None or _count(own) != _count(other)


def _count(lock: str) -> str | None:
    kind, _, rest = lock.partition("-")
    return rest.partition("-of-")[2] if kind == "shard" else None


def _store_in_use(store: Path, others: list[LockHolder], shard: Shard | None) -> DataError:
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    text = f"{store}: another run is on this store ({others[0]}{more})"
    count = _count(others[0].lock)
    if shard is not None and count is not None and count != str(shard.count):
        return DataError(
            f"{text}. It shares the work out {count} ways, and this one, {shard}, "
            f"{shard.count} ways: give all shards the same number, or wait"
        )
    return DataError(f"{text}. Wait until it has ended, or name another store")


def _lock(store: Path, name: str) -> Any:
    from filelock import FileLock

    return FileLock(store / FOLDER / f"{name}.lock", thread_local=False)


def _no_lock(lock: Any, error: Exception) -> DataError:
    path = Path(lock.lock_file)
    if isinstance(error, OSError):
        return cannot_write(path, error)
    return DataError(f"{path}: the file system has no locks; put the store on another")
