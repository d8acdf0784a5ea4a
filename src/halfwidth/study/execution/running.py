"""Running a study: does the chunks that are not done, and keeps those that are."""

from __future__ import annotations

import contextlib
import math
import os
import signal
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from halfwidth.core.errors import DataError, OptionError
from halfwidth.core.frozen import frozen
from halfwidth.core.option_names import spelled
from halfwidth.core.processes import (
    check_jobs,
    deaf_to_interrupts,
    death_text,
    end_at_once,
    start_process,
)
from halfwidth.study.chunks import Chunk, Queue, Shard, Work, check_chunks, chunks_of_shard
from halfwidth.study.execution.attempts import Answer, Fault, Reply, attempt, attempt_here
from halfwidth.study.execution.cluster import LOCAL, Cluster
from halfwidth.study.execution.interrupts import Stop, Stopped, shielded
from halfwidth.study.execution.progress import Count, Reporter, reporting
from halfwidth.study.storage.locks import guarding_locks, hold_lock
from halfwidth.study.storage.store import Store, set_aside
from halfwidth.study.storage.timings import add_timing, tidy_timings

# The most chunks named in a message.
SHOWN = 3


@frozen
class Outcome:
    """The outcome of a run.

    Attributes
    ----------
    done : tuple of str
        Names of the chunks that this run did.
    known : tuple of str
        Done before.
    failed : tuple of str
        Set aside, now or before. The command ends non-zero if there are any.
    """

    done: tuple[str, ...]
    known: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass
class _Run:
    """The settings and the state of a run."""

    work: Work
    store: Store
    writer: str
    stop: Stop
    reporter: Reporter
    jobs: int
    dask: str | None
    finished: dict[str, Chunk] = field(default_factory=dict)
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
    """Do the chunks of a study that its store lacks; the options are those of `hw.study.run`.

    ``chunks`` are all of the study, whatever the shard, and other processes can import ``work``. A
    chunk whose worker died is repeated alone, in case memory was short. Finished chunks are kept,
    whatever ends the run: an interrupt is raised after they were written and the workers were
    stopped.
    """
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise OptionError(f"{spelled('retries', retries)} must be an integer ≥ 0")
    workers = check_jobs(jobs)
    check_chunks(chunks)
    reporter = progress or Reporter()
    ending_signal = 0
    try:
        # Not shielded: waiting for a lock may take long, and nothing can be lost yet.
        with hold_lock(store.path, shard) as writer, shielded() as stop:
            run = _Run(work, store, writer, stop, reporter, workers, dask)
            try:
                return _run_study(run, chunks, retries, shard)
            finally:
                ending_signal = stop.signal
    except KeyboardInterrupt:
        if ending_signal == signal.SIGTERM:
            # The sender of the signal checks the exit status.
            signal.raise_signal(signal.SIGTERM)
        raise


def _run_study(run: _Run, chunks: Sequence[Chunk], retries: int, shard: Shard | None) -> Outcome:
    reporter, shard_chunks = run.reporter, chunks_of_shard(chunks, shard)
    with run.stop.allowed():
        notes = [*run.store.notes, *_repair_store(run, chunks)]
        states = run.store.chunk_states(shard_chunks)
    known, done_before = states.done, len(states.done)
    notes += _set_aside_damaged(run.store, shard_chunks, states.faults)
    failures = run.store.failures(shard_chunks)
    for name, failure in failures.items():
        if name not in known and not failure:
            renamed = run.store.set_aside_failure(name)
            notes.append(f"{name}: the record of its failure is damaged (kept as {renamed.name})")
    aside = {name for name, failure in failures.items() if failure and name not in known}
    todo = [chunk for chunk in shard_chunks if chunk.name not in known and chunk.name not in aside]
    count = Count(
        len(shard_chunks), _cost(shard_chunks), done_before, _cost(shard_chunks, known | aside)
    )
    with reporting(reporter):
        reporter.begin(count, _first_line(run, shard_chunks, done_before, shard))
        for text in notes:
            reporter.note(text)
        if aside:
            reporter.note(_set_aside_before(aside))
        try:
            failed = _rounds(run, todo, retries)
        except KeyboardInterrupt:
            reporter.stop()
            reporter.note(f"stopped: {_kept_text(run, known)}; the same command goes on from there")
            raise Stopped from None
        except DataError as error:
            if not (known or run.finished):
                raise
            raise DataError(
                f"{error}. Nothing is lost: {_kept_text(run, known)}; once that is fixed, "
                "the same command goes on"
            ) from None
        failed |= aside
        aside_text = f", {len(failed)} set aside" if failed else ""
        done = len(known) + len(run.finished)
        reporter.end(f"{done} of {len(shard_chunks)} chunks done{aside_text}")
    return Outcome(
        tuple(run.finished), _in_order(shard_chunks, known), _in_order(shard_chunks, failed)
    )


def _repair_store(run: _Run, chunks: Sequence[Chunk]) -> list[str]:
    """Repair what other runs and earlier versions left in the store; returns notes."""
    store, notes = run.store, []
    store.tidy(run.writer)
    run.store, sealed = store.seal(run.writer)
    if sealed:
        notes.append(
            f"{sealed} part{'' if sealed == 1 else 's'} of an earlier version had no seal: checked "
            "as far as can be, and sealed"
        )
    # Other shards may be repairing the same right now.
    with guarding_locks(store.path):
        try:
            store.chunks()
        except DataError:
            notes.append("the list of chunks was damaged and is restored")
        store.note_chunks(chunks, run.writer)
        for path, fault in run.store.stray_parts(chunks).items():
            renamed = set_aside(path).name
            notes.append(f"{path.name}: {fault}, and is not part of this study (kept as {renamed})")
        return [*notes, *tidy_timings(store.path, run.writer)]


def _set_aside_damaged(
    store: Store, shard_chunks: Iterable[Chunk], faults: Mapping[str, str]
) -> list[str]:
    notes = []
    for chunk in shard_chunks:
        if chunk.name in faults:
            renamed = set_aside(store.part(chunk))
            fault = faults[chunk.name]
            notes.append(f"{chunk.name}: its part {fault} (kept as {renamed.name}); done again")
    return notes


def _rounds(run: _Run, todo: list[Chunk], retries: int) -> set[str]:
    """Do all chunks, then repeat failed ones; those that fail too often are set aside."""
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
    """Do chunks once; returns those that failed."""
    if not todo:
        return []
    faults: list[tuple[Chunk, Fault]] = []
    with contextlib.closing(_engine(run, todo, alone=alone)) as answers:
        for chunk, answer in answers:
            run.attempts[chunk.name] = run.attempts.get(chunk.name, 0) + 1
            fault = answer if isinstance(answer, Fault) else _write_part(run, chunk, answer)
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


def _write_part(run: _Run, chunk: Chunk, reply: Reply) -> Fault | None:
    """Write the part of a chunk; returns a fault if its rows are wrong."""
    result = reply.result
    try:
        run.store.write(chunk, result.rows, run.writer)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        return Fault(f"its rows cannot be kept: {error}")
    run.finished[chunk.name] = chunk
    run.reporter.advance(chunk.cost)
    timing = {
        "chunk": chunk.name,
        "digest": chunk.digest,
        "cost": chunk.cost,
        "seconds": result.seconds,
        "cpu_seconds": result.cpu_seconds,
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": reply.host,
        "pid": reply.pid,
        "peak_mb": reply.peak_mb,
        "timings": result.timings,
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


def _first_line(run: _Run, shard_chunks: Sequence[Chunk], known: int, shard: Shard | None) -> str:
    share = f" (shard {shard})" if shard is not None else ""
    before = f", {known} done before" if known else ""
    if run.dask is not None and run.dask != LOCAL:
        who = f"workers of {run.dask}"
    else:
        who = "1 process" if run.jobs == 1 else f"{run.jobs} processes"
    return f"{len(shard_chunks)} chunks{share}{before}; {who}"


def _kept_text(run: _Run, known: set[str]) -> str:
    done = len(known) + len(run.finished)
    return f"{done} finished {'chunk is' if done == 1 else 'chunks are'} kept in {run.store.path}"


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


# --------------------------------------------------------------------------- engines


# An engine takes chunks from a queue and yields each with its reply or its fault, in the order in
# which they end. After an interrupt it yields what has ended by then, and raises it again.
Answers = Generator[tuple[Chunk, Answer], None, None]


def serial(queue: Queue, work: Work, stop: Stop) -> Answers:
    """Do one chunk after the other in this process."""
    while (chunk := queue.take()) is not None:
        with stop.allowed():
            answer = attempt_here(work, chunk)
        yield chunk, answer


class Pool(Protocol):
    """A pool of workers."""

    def submit(self, queue: Queue, work: Work) -> tuple[Any, Chunk] | None:
        """Submit the next chunk to a free worker; returns its future, or None."""

    def ended(self, futures: Collection[Any], *, wait: bool) -> list[Any]:
        """The futures that have ended; waits for at least one if ``wait``."""

    def answer(self, future: Any) -> Answer:
        """The outcome of an ended future; its worker is free again."""

    def close(self) -> None:
        """End all workers at once."""


def pooled(queue: Queue, work: Work, stop: Stop, pool: Pool) -> Answers:
    """Keep the workers of a pool busy; closes the pool at the end."""
    running: dict[Any, Chunk] = {}

    def fill() -> None:
        while not stop.requests and (submitted := pool.submit(queue, work)) is not None:
            running.update([submitted])

    with contextlib.closing(pool):
        fill()
        while running or stop.requests:
            try:
                with stop.allowed():
                    ended = pool.ended(running, wait=True)
            except KeyboardInterrupt:
                ended = pool.ended(running, wait=False)
                yield from [(running.pop(future), pool.answer(future)) for future in ended]
                raise
            answers = [(running.pop(future), pool.answer(future)) for future in ended]
            # Workers get new chunks before results are written.
            fill()
            yield from answers


# --------------------------------------------------------------------------- worker processes

# Deaths, per worker and in all, without a finished chunk, after which the run gives up.
HOPELESS, HOPELESS_IN_ALL = 4, 20


class Workers:
    """Processes as a `Pool`; a single one repeats chunks that have killed others.

    Each is in a pool of its own: so the chunk that kills its worker is known, and no other is lost.
    """

    def __init__(self, count: int, *, alone: bool = False) -> None:
        most = max(HOPELESS * count, HOPELESS_IN_ALL)
        self._most_deaths = math.inf if alone else most
        self._free = list(range(count))
        self._processes: list[Any] = [None] * count
        self._place: dict[Any, int] = {}
        self._deaths = 0

    def submit(self, queue: Queue, work: Work) -> tuple[Any, Chunk] | None:
        """Submit the next chunk to a free process, which is started if necessary."""
        if not self._free:
            return None
        place = self._free[-1]
        chunk = queue.take(place)
        if chunk is None:
            return None
        self._free.pop()
        # Ctrl-C reaches all processes of a terminal, but only this one ends the others.
        with deaf_to_interrupts():
            if self._processes[place] is None:
                self._processes[place] = start_process()
            future = self._processes[place].submit(attempt, work, chunk)
        self._place[future] = place
        return future, chunk

    def ended(self, futures: Collection[Any], *, wait: bool) -> list[Any]:
        """The futures that have ended; waits for at least one if ``wait``."""
        from concurrent import futures as standard

        if wait:
            standard.wait(futures, return_when=standard.FIRST_COMPLETED)
        return [future for future in futures if future.done()]

    def answer(self, future: Any) -> Answer:
        """The outcome of a chunk; a DataError if workers keep dying without finishing one."""
        from concurrent.futures import BrokenExecutor

        place = self._place.pop(future)
        self._free.append(place)
        error = future.exception()
        if error is None:
            self._most_deaths = math.inf
            answer: Answer = future.result()
            return answer
        if not isinstance(error, BrokenExecutor):
            return Fault(f"{type(error).__name__}: {error}")
        self._processes[place].shutdown(kill_workers=True)
        self._processes[place] = None
        self._deaths += 1
        if self._deaths >= self._most_deaths:
            raise DataError(
                f"{self._deaths} workers died and not one chunk was done; is there too little "
                f"memory for so many ({spelled('jobs')})? The last one: {death_text(error)}"
            )
        return Fault(f"the worker died: {death_text(error)}", died=True)

    def close(self) -> None:
        """End all processes at once."""
        end_at_once(filter(None, self._processes), self._place)
