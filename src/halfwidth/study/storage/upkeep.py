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
from halfwidth.study.storage.disk import parsed_json, read_json, write_whole
from halfwidth.study.storage.locks import Holder, held, holders
from halfwidth.study.storage.opening import create_or_open, open_store
from halfwidth.study.storage.part_files import check_content, check_part, with_seal
from halfwidth.study.storage.store import CHUNKS, FAILED, PARTS, TIMINGS, Store, parts_in
from halfwidth.study.storage.timings import read_timings

__all__ = ["Collected", "Status", "collect", "opened_or_like", "pace", "retry", "status"]


@dataclass(frozen=True)
class Status:
    """How far a study is.

    Attributes
    ----------
    done, failed, left : tuple of str
        Names of chunks: with a sound part, set aside, and neither. ``left`` is None where it is not
        known which chunks there are.
    damaged : dict
        What is wrong with the parts of those of the others that have one.
    running : tuple of Holder
        Runs that are on the store now.
    seconds : float
        That the work on what is done took, of one worker.
    seconds_left : float
        The same for what is left, by the pace so far; NaN if nothing is known.
    reasons : dict
        Why each failed chunk did, in a line.
    unsealed : int
        How many parts are from before there were seals: sound as far as can be told.
    torn : int
        Damaged lines of timings, which are left out.
    """

    done: tuple[str, ...]
    failed: tuple[str, ...]
    left: tuple[str, ...] | None
    damaged: Mapping[str, str]
    running: tuple[Holder, ...]
    seconds: float
    seconds_left: float
    reasons: Mapping[str, str]
    unsealed: int = 0
    torn: int = 0


def status(store: Store, chunks: Sequence[Chunk] | None) -> Status:
    """How far a study is; nothing in its store is changed.

    Where ``chunks`` is None, those that the store has anything of.
    """
    known, chunks = chunks is not None, _seen(store) if chunks is None else chunks
    found = store.sorted_out(chunks)
    failures = {
        name: failure for name, failure in store.failures(chunks).items() if name not in found.done
    }
    left = [c for c in chunks if c.name not in found.done and c.name not in failures]
    timings, torn = _timings(store)
    seconds_left = _pace(timings) * sum(chunk.cost for chunk in left) if left else 0.0
    return Status(
        done=tuple(chunk.name for chunk in chunks if chunk.name in found.done),
        failed=tuple(failures),
        left=tuple(chunk.name for chunk in left) if known else None,
        damaged=found.faults | {p.stem: fault for p, fault in store.strays(chunks).items()},
        running=tuple(holders(store.path)),
        seconds=sum(timing["seconds"] for timing in timings),
        seconds_left=seconds_left,
        reasons={name: _reason(failure) for name, failure in failures.items()},
        unsealed=found.unsealed,
        torn=torn,
    )


def _seen(store: Store) -> list[Chunk]:
    parts = [path.stem.rpartition("-") for path in parts_in(store.path)]
    names = {name: digest for name, _, digest in parts}
    names |= {path.stem: "" for path in (store.path / FAILED).glob("*.json")} | names
    return [Chunk(name, digest, None, 0.0) for name, digest in sorted(names.items())]


def _reason(failure: Mapping[str, Any]) -> str:
    return str(failure.get("reason", "")) if failure else "the record of why is damaged"


def pace(store: Store) -> float:
    """Seconds of one worker per unit of cost, of all chunks that were timed; NaN if none was."""
    return _pace(_timings(store)[0])


def _pace(timings: Sequence[Mapping[str, Any]]) -> float:
    cost = math.fsum(timing["cost"] for timing in timings)
    return math.fsum(timing["seconds"] for timing in timings) / cost if cost > 0 else math.nan


def _timings(store: Store) -> tuple[list[dict[str, Any]], int]:
    """The last timing of each chunk, and how many lines are damaged."""
    timings, damaged = read_timings(store.path)
    found = {
        timing["chunk"]: timing
        for timing in timings
        if isinstance(timing.get("chunk"), str)
        and all(isinstance(timing.get(name), int | float) for name in ("cost", "seconds"))
    }
    return list(found.values()), sum(damaged.values())


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
    """What `collect` found.

    Attributes
    ----------
    copied, already, replaced : int
        Parts that are new, that were there already, and that were there and damaged.
    damaged : dict
        What is wrong with the parts of the others that were left behind, by their files.
    """

    copied: int
    already: int
    replaced: int
    damaged: Mapping[Path, str]


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
    counts = {"copied": 0, "already": 0, "replaced": 0}
    damaged: dict[Path, str] = {}
    with held(store.path) as writer:
        store, _ = store.seal(writer)
        for source in sources:
            if source.path.resolve() == store.path.resolve():
                continue
            for part in parts_in(source.path):
                content = _content(part)
                checked = check_content(content, part.stem, source.manifest)
                if checked.fault:
                    damaged[part] = checked.fault
                    continue
                if not checked.sealed:
                    content = with_seal(content, part.stem, source.manifest)
                counts[_collected(store, part, content, writer)] += 1
            _copy_the_rest(store, source, writer)
    return Collected(**counts, damaged=damaged)


def _collected(store: Store, part: Path, content: bytes, writer: str) -> str:
    goal = store.path / PARTS / part.name
    there = goal.exists()
    if there and not check_part(goal, store.manifest).fault:
        return "already"
    write_whole(goal, content, writer)
    store.forget_failure(part.stem.rpartition("-")[0])
    return "replaced" if there else "copied"


def _copy_the_rest(store: Store, source: Store, writer: str) -> None:
    """Timings, failures of chunks that nobody has done, and which chunks there are."""
    for timings in sorted((source.path / TIMINGS).glob("*.jsonl")):
        goal = store.path / TIMINGS / timings.name
        if not goal.exists() or goal.stat().st_size < timings.stat().st_size:
            write_whole(goal, _content(timings), writer)
    for failure in sorted((source.path / FAILED).glob("*.json")):
        goal, content = store.path / FAILED / failure.name, _content(failure)
        # A record that is damaged says nothing; the chunk is done again.
        if (
            parsed_json(content) is not None
            and not goal.exists()
            and not any((store.path / PARTS).glob(f"{failure.stem}-*.parquet"))
        ):
            write_whole(goal, content, writer)
    noted, goal = source.path / CHUNKS, store.path / CHUNKS
    if noted.exists() and not goal.exists() and read_json(noted) is not None:
        write_whole(goal, _content(noted), writer)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
