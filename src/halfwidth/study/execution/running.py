"""Running a study: what is not done is done, what is done is kept, whatever happens."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from halfwidth.core.errors import DataError, OptionError
from halfwidth.study.chunks import Chunk, Queue, Shard, Work, check_chunks, dealt
from halfwidth.study.execution.attempts import Fault, Reply
from halfwidth.study.execution.cluster import LOCAL, Cluster
from halfwidth.study.execution.engines import Answers, pooled, serial
from halfwidth.study.execution.interrupts import Stop, Stopped, shielded
from halfwidth.study.execution.progress import Count, Reporter, reporting
from halfwidth.study.execution.workers import Workers
from halfwidth.study.storage.locks import behind_door, held
from halfwidth.study.storage.store import Store, set_aside
from halfwidth.study.storage.timings import add_timing, tidy_timings

__all__ = ["Outcome", "run_chunks"]

# Chunks that are named in a message.
SHOWN = 3


@dataclass(frozen=True)
class Outcome:
    """What a run came to.

    Attributes
    ----------
    done : tuple of str
        Names of the chunks that this run did.
    known : tuple of str
        That were done before.
    failed : tuple of str
        That are set aside, now or before. The command ends non-zero if there are any.
    """

    done: tuple[str, ...]
    known: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass
class _Run:
    """What a run knows and what it has come to so far."""

    work: Work
    store: Store
    writer: str
    stop: Stop
    reporter: Reporter
    jobs: int
    dask: str | None
    kept: dict[str, Chunk] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)


def run_chunks(
    chunks: Sequence[Chunk],
    work: Work,
    store: Store,
    *,
    jobs: int = 1,
    dask: str | None = None,
    shard: Shard | None = None,
    retries: int = 1,
    progress: Reporter | None = None,
) -> Outcome:
    """Do the chunks of a study that its store does not have.

    Parameters
    ----------
    chunks : sequence of Chunk
        All of the study, whatever the shard.
    work : callable
        Makes the rows of a chunk; other processes can import it.
    store : Store
    jobs : int
        Worker processes; 1: this process; -1: one for each processor at hand.
    dask : str, optional
        Address of a Dask scheduler, or ``"local"`` for one here with ``jobs`` workers.
    shard : Shard, optional
        Do the share of this shard only.
    retries : int
        How often a chunk that went wrong is done again, at the end, before it is set aside. One
        whose worker died is done alone then, in case there was too little memory.
    progress : Reporter, optional
        Default: a bar or lines on stderr.

    Returns
    -------
    Outcome

    Raises
    ------
    DataError
        If another run is on the store, if it cannot be written to, if the cluster is not there.
        What is done by then is kept.
    OptionError
        For numbers of jobs or addresses that are none.
    KeyboardInterrupt
        After what had ended was written and the workers were stopped.
    """
    from halfwidth.core.processes import check_jobs

    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise OptionError(f"retries={retries!r} is not an integer from 0 up")
    workers = check_jobs(jobs)
    check_chunks(chunks)
    reporter = progress or Reporter()
    asked_by = 0
    try:
        # Waiting for a lock may take long, and nothing is being done yet: outside of the shield.
        with held(store.path, shard) as writer, shielded() as stop:
            run = _Run(work, store, writer, stop, reporter, workers, dask)
            try:
                return _carried_out(run, chunks, retries, shard)
            finally:
                asked_by = stop.signal
    except KeyboardInterrupt:
        if asked_by == signal.SIGTERM:
            # What it would have done by itself: whoever sent it looks at the status.
            signal.raise_signal(signal.SIGTERM)
        raise


def _carried_out(run: _Run, chunks: Sequence[Chunk], retries: int, shard: Shard | None) -> Outcome:
    reporter, mine = run.reporter, dealt(chunks, shard)
    with run.stop.allowed():
        notes = [*run.store.notes, *_mended(run, chunks)]
        found = run.store.sorted_out(mine)
    known, done_before = found.done, len(found.done)
    notes += _damaged_set_aside(run.store, mine, found.faults)
    failures = run.store.failures(mine)
    for name, failure in failures.items():
        if name not in known and not failure:
            kept = run.store.set_aside_failure(name)
            notes.append(f"{name}: the record of its failure is damaged (kept as {kept.name})")
    aside = {name for name, failure in failures.items() if failure and name not in known}
    todo = [chunk for chunk in mine if chunk.name not in known and chunk.name not in aside]
    count = Count(len(mine), _cost(mine), done_before, _cost(mine, known | aside))
    with reporting(reporter):
        reporter.begin(count, _first_line(run, mine, done_before, shard))
        for text in notes:
            reporter.note(text)
        if aside:
            reporter.note(_set_aside_before(aside))
        try:
            failed = _rounds(run, todo, retries)
        except KeyboardInterrupt:
            reporter.stop()
            reporter.note(f"stopped: {_kept(run, known)}; the same command goes on from there")
            raise Stopped from None
        except DataError as error:
            if not (known or run.kept):
                raise
            raise DataError(
                f"{error}. Nothing is lost: {_kept(run, known)}; once that is mended, the same "
                "command goes on"
            ) from None
        failed |= aside
        reporter.end(_last_line(len(known) + len(run.kept), len(mine), len(failed)))
    return Outcome(tuple(run.kept), _in_order(mine, known), _in_order(mine, failed))


def _mended(run: _Run, chunks: Sequence[Chunk]) -> list[str]:
    """Mend what other runs and earlier versions left in the store; what is to be said of it."""
    store, notes = run.store, []
    store.tidy(run.writer)
    run.store, sealed = store.seal(run.writer)
    if sealed:
        notes.append(
            f"{_count(sealed, 'part')} of an earlier version had no seal: checked as far as can "
            "be, and sealed"
        )
    # Other shards may be mending the same just now.
    with behind_door(store.path):
        try:
            store.chunks()
        except DataError:
            notes.append("the list of chunks was damaged and is restored")
        store.note_chunks(chunks, run.writer)
        for path, fault in run.store.strays(chunks).items():
            kept = set_aside(path).name
            notes.append(f"{path.name}: {fault}, and is no part of this study (kept as {kept})")
        return [*notes, *tidy_timings(store.path, run.writer)]


def _damaged_set_aside(store: Store, mine: Iterable[Chunk], faults: Mapping[str, str]) -> list[str]:
    notes = []
    for chunk in mine:
        if chunk.name in faults:
            kept = set_aside(store.part(chunk))
            fault = faults[chunk.name]
            notes.append(f"{chunk.name}: its part {fault} (kept as {kept.name}); done again")
    return notes


def _rounds(run: _Run, todo: list[Chunk], retries: int) -> set[str]:
    """Do all, then again what went wrong; what does so too often is set aside."""
    failed: set[str] = set()
    alone: list[Chunk] = []
    for _ in range(retries + 1):
        faults = [*_round(run, todo, retries), *_round(run, alone, retries, alone=True)]
        last = {chunk.name for chunk, _ in faults if run.attempts[chunk.name] > retries}
        failed |= last
        again = [(chunk, fault) for chunk, fault in faults if chunk.name not in last]
        todo = [chunk for chunk, fault in again if not fault.died]
        alone = [chunk for chunk, fault in again if fault.died]
    return failed


def _round(
    run: _Run, todo: Sequence[Chunk], retries: int, *, alone: bool = False
) -> list[tuple[Chunk, Fault]]:
    """Do chunks once: those that went wrong."""
    if not todo:
        return []
    faults: list[tuple[Chunk, Fault]] = []
    with contextlib.closing(_engine(run, todo, alone=alone)) as answers:
        for chunk, answer in answers:
            run.attempts[chunk.name] = run.attempts.get(chunk.name, 0) + 1
            fault = answer if isinstance(answer, Fault) else _keep(run, chunk, answer)
            if fault is None:
                continue
            faults.append((chunk, fault))
            if run.attempts[chunk.name] > retries:
                _set_aside(run, chunk, fault)
            else:
                run.reporter.note(f"{chunk.name}: {fault.reason}; done again at the end")
    return faults


def _engine(run: _Run, todo: Sequence[Chunk], *, alone: bool) -> Answers:
    queue = Queue(todo)
    if run.dask is not None:
        pool = Cluster(
            run.dask, 1 if alone else run.jobs, alone=alone, tell=run.reporter.note, stop=run.stop
        )
        return pooled(queue, run.work, run.stop, pool)
    if run.jobs == 1 and not alone:
        return serial(queue, run.work, run.stop)
    count = 1 if alone else min(run.jobs, len(todo))
    return pooled(queue, run.work, run.stop, Workers(count, alone=alone))


def _keep(run: _Run, chunk: Chunk, reply: Reply) -> Fault | None:
    """Write the part of a chunk; what is wrong with its rows, if anything is."""
    made = reply.made
    try:
        run.store.write(chunk, made.rows, run.writer)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        return Fault(f"its rows cannot be kept: {error}")
    run.kept[chunk.name] = chunk
    run.reporter.advance(chunk.cost)
    timing = {
        "chunk": chunk.name,
        "digest": chunk.digest,
        "cost": chunk.cost,
        "seconds": made.seconds,
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": reply.host,
        "pid": reply.pid,
        "peak_mb": reply.peak_mb,
        "timings": made.timings,
    }
    add_timing(run.store.path, timing, run.writer)
    return None


def _set_aside(run: _Run, chunk: Chunk, fault: Fault) -> None:
    failure: dict[str, Any] = {
        "attempts": run.attempts[chunk.name],
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "died": fault.died,
        "reason": fault.reason,
        "traceback": fault.text,
        "run_by": os.getpid(),
    }
    path = run.store.fail(chunk, failure, run.writer)
    run.reporter.advance(chunk.cost)
    run.reporter.note(f"{chunk.name}: {fault.reason}; set aside, see {path}")


# --------------------------------------------------------------------------- words


def _first_line(run: _Run, mine: Sequence[Chunk], known: int, shard: Shard | None) -> str:
    share = f" (shard {shard})" if shard is not None else ""
    before = f", {known} done before" if known else ""
    if run.dask is not None and run.dask != LOCAL:
        who = f"workers of {run.dask}"
    else:
        who = "1 process" if run.jobs == 1 else f"{run.jobs} processes"
    return f"{len(mine)} chunks{share}{before}; {who}"


def _last_line(done: int, total: int, failed: int) -> str:
    wrong = f", {failed} set aside" if failed else ""
    return f"{done} of {total} chunks done{wrong}"


def _kept(run: _Run, known: set[str]) -> str:
    done = len(known) + len(run.kept)
    return f"{done} finished {'chunk is' if done == 1 else 'chunks are'} kept in {run.store.path}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _set_aside_before(names: set[str]) -> str:
    shown = ", ".join(sorted(names)[:SHOWN])
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return (
        f"{shown}{more}: set aside by an earlier run; 'halfwidth study retry' has them done again"
    )


def _cost(chunks: Iterable[Chunk], names: set[str] | None = None) -> float:
    return sum(chunk.cost for chunk in chunks if names is None or chunk.name in names)


def _in_order(chunks: Iterable[Chunk], names: set[str]) -> tuple[str, ...]:
    return tuple(chunk.name for chunk in chunks if chunk.name in names)
