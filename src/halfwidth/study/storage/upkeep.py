"""Maintaining a store: its status, failures to repeat, and parts collected from other stores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halfwidth.core.errors import DataError
from halfwidth.core.files import write_whole
from halfwidth.core.frozen import frozen
from halfwidth.study.chunks import Chunk
from halfwidth.study.storage import manifest
from halfwidth.study.storage.disk import parse_json, read_bytes, read_json
from halfwidth.study.storage.locks import LockHolder, hold_lock, holders
from halfwidth.study.storage.opening import create_or_open, open_store
from halfwidth.study.storage.part_files import check_content, check_part, seal_part
from halfwidth.study.storage.store import CHUNKS, FAILED, PARTS, TIMINGS, Store, parts_in
from halfwidth.study.storage.timings import read_timings


@frozen
class StudyStatus:
    """The progress of a study."""

    # Names of chunks: with a sound part, set aside, and neither. ``left`` is None if the list of
    # chunks is unknown.
    done: tuple[str, ...]
    failed: tuple[str, ...]
    left: tuple[str, ...] | None
    # What is wrong with unsound parts.
    damaged: Mapping[str, str]
    # Runs that work on the store now.
    running: tuple[LockHolder, ...]
    # Work done so far, in seconds of one worker, and of a processor; NaN where some chunk lacks it.
    seconds: float
    cpu_seconds: float
    # Work left, estimated from the pace so far; NaN if unknown.
    seconds_left: float
    # Why each failed chunk failed, in a line.
    reasons: Mapping[str, str]
    # Parts without a seal, of earlier versions: sound as far as can be checked.
    unsealed: int = 0
    # Damaged lines of timings, which are ignored.
    torn: int = 0


def status(store: Store, chunks: Sequence[Chunk] | None) -> StudyStatus:
    """The progress of a study; does not change its store.

    If ``chunks`` is None, of the chunks that have left anything in the store.
    """
    known, chunks = chunks is not None, _known_chunks(store) if chunks is None else chunks
    states = store.chunk_states(chunks)
    failures = {
        name: failure for name, failure in store.failures(chunks).items() if name not in states.done
    }
    left = [c for c in chunks if c.name not in states.done and c.name not in failures]
    timings, torn = _timings(store)
    # Seconds of one worker per unit of cost, over all timed chunks.
    timed = math.fsum(timing["cost"] for timing in timings)
    pace = math.fsum(timing["seconds"] for timing in timings) / timed if timed > 0 else math.nan
    seconds_left = pace * sum(chunk.cost for chunk in left) if left else 0.0
    return StudyStatus(
        done=tuple(chunk.name for chunk in chunks if chunk.name in states.done),
        failed=tuple(failures),
        left=tuple(chunk.name for chunk in left) if known else None,
        damaged=states.faults | {p.stem: fault for p, fault in store.stray_parts(chunks).items()},
        running=tuple(holders(store.path)),
        seconds=sum(timing["seconds"] for timing in timings),
        cpu_seconds=sum(timing.get("cpu_seconds") or math.nan for timing in timings),
        seconds_left=seconds_left,
        reasons={
            name: str(failure.get("reason", "")) if failure else "the record of why is damaged"
            for name, failure in failures.items()
        },
        unsealed=states.unsealed,
        torn=torn,
    )


def _known_chunks(store: Store) -> list[Chunk]:
    parts = [path.stem.rpartition("-") for path in parts_in(store.path)]
    names = {name: digest for name, _, digest in parts}
    names |= {path.stem: "" for path in (store.path / FAILED).glob("*.json")} | names
    return [Chunk(name, digest, None, 0.0) for name, digest in sorted(names.items())]


def _timings(store: Store) -> tuple[list[dict[str, Any]], int]:
    """The last timing of each chunk, and the number of damaged lines."""
    timings, damaged = read_timings(store.path)
    latest = {
        timing["chunk"]: timing
        for timing in timings
        if isinstance(timing.get("chunk"), str)
        and all(isinstance(timing.get(name), int | float) for name in ("cost", "seconds"))
    }
    return list(latest.values()), sum(damaged.values())


def retry(store: Store) -> int:
    """Forget failures, so that the next run repeats their chunks; returns their number."""
    with hold_lock(store.path):
        names = [path.stem for path in sorted((store.path / FAILED).glob("*.json"))]
        for name in names:
            store.forget_failure(name)
    return len(names)


# --------------------------------------------------------------------------- collecting


@frozen
class CollectResult:
    """The numbers of parts that `collect` copied, that were there, and that it replaced."""

    copied: int
    already: int
    replaced: int
    # What is wrong with the parts that were not copied, by their files.
    damaged: Mapping[Path, str]


def open_or_create_like(folder: str | Path, other: str | Path) -> Store:
    """Open the store in a folder; in an empty folder create one for the study of ``other``."""
    goal = Path(folder)
    if goal.is_dir() and any(goal.iterdir()):
        return open_store(goal)
    like = open_store(other).manifest
    return create_or_open(goal, like.settings, like.inputs, like.columns)


def collect(store: Store, others: Sequence[str | Path]) -> CollectResult:
    """Copy the parts of other stores of the same study into one; repeating it is harmless.

    Nothing is copied if one of the others is no store, or is of another study.
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
    with hold_lock(store.path) as writer:
        store, _ = store.seal(writer)
        for source in sources:
            if source.path.resolve() == store.path.resolve():
                continue
            for part in parts_in(source.path):
                content = read_bytes(part)
                checked = check_content(content, part.stem, source.manifest)
                if checked.fault:
                    damaged[part] = checked.fault
                    continue
                if not checked.sealed:
                    content = seal_part(content, part.stem, source.manifest)
                counts[_collect_part(store, part, content, writer)] += 1
            _copy_the_rest(store, source, writer)
    return CollectResult(**counts, damaged=damaged)


def _collect_part(store: Store, part: Path, content: bytes, writer: str) -> str:
    goal = store.path / PARTS / part.name
    existed = goal.exists()
    if existed and not check_part(goal, store.manifest).fault:
        return "already"
    write_whole(goal, content, writer)
    store.forget_failure(part.stem.rpartition("-")[0])
    return "replaced" if existed else "copied"


def _copy_the_rest(store: Store, source: Store, writer: str) -> None:
    """Copy timings, failures of chunks that are not done, and the list of chunks."""
    for timings in sorted((source.path / TIMINGS).glob("*.jsonl")):
        goal = store.path / TIMINGS / timings.name
        if not goal.exists() or goal.stat().st_size < timings.stat().st_size:
            write_whole(goal, read_bytes(timings), writer)
    for failure in sorted((source.path / FAILED).glob("*.json")):
        goal, content = store.path / FAILED / failure.name, read_bytes(failure)
        # The chunk of a damaged record will be repeated.
        if (
            parse_json(content) is not None
            and not goal.exists()
            and not any((store.path / PARTS).glob(f"{failure.stem}-*.parquet"))
        ):
            write_whole(goal, content, writer)
    noted, goal = source.path / CHUNKS, store.path / CHUNKS
    if noted.exists() and not goal.exists() and read_json(noted) is not None:
        write_whole(goal, read_bytes(noted), writer)
