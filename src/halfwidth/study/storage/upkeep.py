"""Looking after a store: how far it is, what failed, and parts that were made elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.study.chunks import Chunk
from halfwidth.study.storage import manifest
from halfwidth.study.storage.disk import write_whole
from halfwidth.study.storage.locks import Holder, held, holders
from halfwidth.study.storage.parts import metadata_of, opens
from halfwidth.study.storage.store import FAILED, PARTS, TIMINGS, Store, create_or_open, open_store

__all__ = ["Collected", "Status", "collect", "opened_or_like", "pace", "retry", "status"]


@dataclass(frozen=True)
class Status:
    """How far a study is.

    Attributes
    ----------
    done, failed, left : tuple of str
        Names of chunks: with a part, set aside, and neither.
    damaged : tuple of str
        Those of the ones left whose part is there and does not open.
    running : tuple of Holder
        Runs that are on the store now.
    seconds : float
        That the work on what is done took, of one worker.
    seconds_left : float
        The same for what is left, by the pace so far; NaN if nothing is known.
    reasons : dict
        Why each failed chunk did, in a line.
    """

    done: tuple[str, ...]
    failed: tuple[str, ...]
    left: tuple[str, ...]
    damaged: tuple[str, ...]
    running: tuple[Holder, ...]
    seconds: float
    seconds_left: float
    reasons: Mapping[str, str]


def status(store: Store, chunks: Sequence[Chunk]) -> Status:
    """How far a study is; nothing in its store is changed."""
    done, damaged = store.sorted_out(chunks)
    failures = {
        name: failure for name, failure in store.failures(chunks).items() if name not in done
    }
    left = [chunk for chunk in chunks if chunk.name not in done and chunk.name not in failures]
    seconds = sum(timing["seconds"] for timing in _timings(store))
    return Status(
        done=tuple(chunk.name for chunk in chunks if chunk.name in done),
        failed=tuple(failures),
        left=tuple(chunk.name for chunk in left),
        damaged=tuple(chunk.name for chunk in damaged),
        running=tuple(holders(store.path)),
        seconds=seconds,
        seconds_left=pace(store) * sum(chunk.cost for chunk in left) if left else 0.0,
        reasons={name: str(failure.get("reason", "")) for name, failure in failures.items()},
    )


def pace(store: Store) -> float:
    """Seconds of one worker per unit of cost, of all chunks that were timed; NaN if none was."""
    timings = _timings(store)
    cost = math.fsum(timing["cost"] for timing in timings)
    return math.fsum(timing["seconds"] for timing in timings) / cost if cost > 0 else math.nan


def _timings(store: Store) -> list[dict[str, Any]]:
    """The last timing of each chunk."""
    found = {
        timing["chunk"]: timing
        for timing in store.timings()
        if isinstance(timing.get("chunk"), str)
        and all(isinstance(timing.get(name), int | float) for name in ("cost", "seconds"))
    }
    return list(found.values())


def retry(store: Store) -> int:
    """Forget what failed, so that the next run does it again: how many chunks that are.

    Raises
    ------
    DataError
        If a run is on the store.
    """
    with held(store.path):
        names = [path.stem for path in sorted((store.path / FAILED).glob("*.json"))]
        for name in names:
            store.forget_failure(name)
    return len(names)


# --------------------------------------------------------------------------- collecting


@dataclass(frozen=True)
class Collected:
    """What `collect` found: parts that are new, that were there already, and that do not open."""

    copied: int
    already: int
    damaged: int


def opened_or_like(folder: str | Path, other: str | Path) -> Store:
    """The store in a folder; where there is nothing yet, a new one for the study of another."""
    goal = Path(folder)
    if goal.is_dir() and any(goal.iterdir()):
        return open_store(goal)
    like = open_store(other).manifest
    return create_or_open(goal, like.settings, like.inputs, like.columns)


def collect(store: Store, others: Sequence[str | Path]) -> Collected:
    """Copy the parts of other stores of the same study into one; doing it twice does no harm.

    Parameters
    ----------
    store : Store
    others : sequence of path

    Raises
    ------
    DataError
        If one of the others is no store, or is of another study: then nothing is copied. If a run
        is on ``store``. If the system refuses.
    """
    sources = [open_store(other) for other in others]
    for source in sources:
        if source.hash != store.hash:
            differ = manifest.differences(store.manifest, source.manifest)
            raise DataError(
                f"{source.path}: holds another study than {store.path}. What differs, "
                f"{store.path} -> {source.path}: {differ}. Nothing was copied"
            )
    counts = {"copied": 0, "already": 0, "damaged": 0}
    with held(store.path) as writer:
        for source in sources:
            if source.path.resolve() == store.path.resolve():
                continue
            for part in sorted((source.path / PARTS).glob("*.parquet")):
                counts[_collected(store, part, writer)] += 1
            _copy_the_rest(store, source, writer)
    return Collected(**counts)


def _collected(store: Store, part: Path, writer: str) -> str:
    name, _, digest = part.stem.rpartition("-")
    metadata = metadata_of(name, digest, store.hash)
    if not opens(part, metadata):
        return "damaged"
    goal = store.path / PARTS / part.name
    if opens(goal, metadata):
        return "already"
    write_whole(goal, _content(part), writer)
    store.forget_failure(name)
    return "copied"


def _copy_the_rest(store: Store, source: Store, writer: str) -> None:
    """Timings, and failures of chunks that nobody has done."""
    for timings in sorted((source.path / TIMINGS).glob("*.jsonl")):
        goal = store.path / TIMINGS / timings.name
        if not goal.exists() or goal.stat().st_size < timings.stat().st_size:
            write_whole(goal, _content(timings), writer)
    for failure in sorted((source.path / FAILED).glob("*.json")):
        goal = store.path / FAILED / failure.name
        if not goal.exists() and not any((store.path / PARTS).glob(f"{failure.stem}-*.parquet")):
            write_whole(goal, _content(failure), writer)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
