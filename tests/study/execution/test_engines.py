"""The same parts whoever does the work, and one bad chunk does not cost the others."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
import toywork
from toywork import all_end, calls, chunks, files_of_at_most, parts, pids, ran, silent, store_in

import halfwidth as hw
from halfwidth.core.processes import LIBRARIES, deaf_to_interrupts
from halfwidth.document import progress
from halfwidth.study.chunks import Chunk, ChunkResult, Queue, Shard, Work
from halfwidth.study.execution.interrupts import Stop, shielded
from halfwidth.study.execution.progress import Reporter
from halfwidth.study.execution.running import Outcome, pooled, run_chunks
from halfwidth.study.storage.timings import read_timings
from halfwidth.study.storage.upkeep import retry

BAD = "model1.n00005"


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("reference")
    run_chunks(chunks(), toywork.work, store_in(folder), progress=silent())
    made = parts(folder)
    assert len(made) == 8
    return made


# --------------------------------------------------------------------------- the same parts


def test_a_run_does_what_is_not_done(tmp_path: Path, reference: dict[str, bytes]) -> None:
    first, said = ran(tmp_path, chunks(3))
    assert (len(first.done), first.known, first.failed) == (3, (), ())
    assert "3 chunks; 1 process" in said
    assert "3 of 3 chunks done" in said
    second, said = ran(tmp_path, chunks())
    assert (len(second.done), len(second.known)) == (5, 3)
    assert "8 chunks, 3 done before" in said
    assert parts(tmp_path) == reference
    third, _ = ran(tmp_path, chunks())
    assert (third.done, len(third.known)) == ((), 8)


def test_shards_share_a_store(tmp_path: Path, reference: dict[str, bytes]) -> None:
    done = [ran(tmp_path, chunks(), shard=Shard(i, 3))[0].done for i in (3, 1, 2)]
    assert sorted(name for names in done for name in names) == sorted(c.name for c in chunks())
    assert parts(tmp_path) == reference


def test_a_shard_without_chunks_has_nothing_to_do(tmp_path: Path) -> None:
    outcome, said = ran(tmp_path, chunks(1), shard=Shard(2, 2))
    assert outcome == Outcome((), (), ())
    assert "0 chunks (shard 2/2)" in said


def test_two_workers_make_the_same_parts_whatever_a_third_chunk_does(
    tmp_path: Path, reference: dict[str, bytes]
) -> None:
    """One start of workers for many questions: it takes seconds."""
    seen, folder = tmp_path / "calls", tmp_path / "store"
    made = chunks(calls=str(seen), names=[BAD], how="kill")
    outcome, said = ran(folder, made, jobs=2)
    assert outcome.failed == (BAD,)
    assert len(outcome.done) == 7
    # Nothing else was done twice, and the bad one as often as was asked for.
    assert sorted(calls(seen)) == sorted([*(chunk.name for chunk in chunks()), BAD])
    assert parts(folder) == {name: part for name, part in reference.items() if BAD not in name}
    assert "2 processes" in said
    assert "worker died: SIGKILL" in said
    assert "done again at the end" in said
    assert "set aside" in said
    kept = json.loads((folder / "failed" / f"{BAD}.json").read_text())
    assert (kept["attempts"], kept["died"]) == (2, True)
    # Two workers, one in the place of the dead, one for another try; none is left.
    assert 3 <= len(pids(seen)) <= 4
    assert os.getpid() not in pids(seen)
    assert all_end(pids(seen))


@pytest.mark.slow
def test_a_worker_that_dies_once_costs_nothing(tmp_path: Path, reference: dict[str, bytes]) -> None:
    seen, folder = tmp_path / "calls", tmp_path / "store"
    bad: dict[str, Any] = {"names": [BAD], "how": "exit", "once": str(tmp_path / "mark")}
    outcome, said = ran(folder, chunks(calls=str(seen), **bad), jobs=2)
    assert outcome.failed == ()
    assert parts(folder) == reference
    assert "worker died: exit code 7; done again" in said
    assert sorted(calls(seen)) == sorted([*(chunk.name for chunk in chunks()), BAD])


@pytest.mark.slow
def test_many_workers_and_deaths(tmp_path: Path, reference: dict[str, bytes]) -> None:
    bad = ["model0.n00000", BAD, "model3.n00007"]
    outcome, _ = ran(tmp_path, chunks(names=bad, how="exit"), jobs=5, retries=2)
    assert outcome.failed == tuple(bad)
    assert {name: reference[name] for name in parts(tmp_path)} == parts(tmp_path)
    assert len(parts(tmp_path)) == 5


@pytest.mark.slow
def test_workers_that_do_nothing_but_die_are_given_up(tmp_path: Path) -> None:
    made = chunks(60, how="exit", names=[chunk.name for chunk in chunks(60)])
    with pytest.raises(hw.DataError, match="20 workers died and not one chunk was done"):
        ran(tmp_path, made, jobs=2)


# --------------------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("how", "said"),
    [("raise", "ZeroDivisionError: nothing to divide by"), ("leave", "SystemExit: 3")],
)
def test_a_chunk_that_raises_is_done_again_and_set_aside(
    tmp_path: Path, reference: dict[str, bytes], how: str, said: str
) -> None:
    seen, folder = tmp_path / "calls", tmp_path / "store"
    made = chunks(calls=str(seen), names=[BAD], how=how)
    outcome, text = ran(folder, made)
    assert outcome.failed == (BAD,)
    assert len(outcome.done) == 7
    assert calls(seen).count(BAD) == 2
    # At the end, in case it was the machine.
    assert calls(seen)[-1] == BAD
    kept = json.loads((folder / "failed" / f"{BAD}.json").read_text())
    assert kept["chunk"] == BAD
    assert kept["attempts"] == 2
    assert kept["reason"] == said
    assert "toywork.py" in kept["traceback"]
    assert kept["when"].startswith("20")
    assert f"{BAD}: {said}; set aside, see {folder}" in text
    # The same command leaves it aside, and says so.
    again, text = ran(folder, made)
    assert (again.done, again.failed) == ((), (BAD,))
    assert calls(seen).count(BAD) == 2
    assert "halfwidth study retry" in text
    # Once it is forgotten, it is done.
    assert retry(store_in(folder)) == 1
    mended, _ = ran(folder, chunks())
    assert (mended.done, mended.failed) == ((BAD,), ())
    assert parts(folder) == reference


@pytest.mark.parametrize("retries", [0, 3])
def test_as_many_retries_as_were_asked_for(tmp_path: Path, retries: int) -> None:
    seen = tmp_path / "calls"
    made = chunks(calls=str(seen), names=[BAD], how="raise")
    ran(tmp_path / "store", made, retries=retries)
    assert calls(seen).count(BAD) == retries + 1


@pytest.mark.parametrize("retries", [-1, True, 1.0])
def test_retries_are_counted(tmp_path: Path, retries: Any) -> None:
    with pytest.raises(hw.OptionError, match="retries"):
        ran(tmp_path, chunks(), retries=retries)


def test_a_chunk_that_recovers_is_no_failure(tmp_path: Path, reference: dict[str, bytes]) -> None:
    bad: dict[str, Any] = {"names": [BAD], "how": "raise", "once": str(tmp_path / "mark")}
    outcome, _ = ran(tmp_path / "store", chunks(**bad))
    assert outcome.failed == ()
    assert parts(tmp_path / "store") == reference


def test_rows_that_do_not_fit_fail_like_others(tmp_path: Path) -> None:
    outcome, said = ran(tmp_path, chunks(extra=BAD))
    assert outcome.failed == (BAD,)
    assert len(outcome.done) == 7
    assert "cannot be kept" in said
    assert "unknown" in said


def test_a_full_disk_stops_the_run(tmp_path: Path) -> None:
    seen, folder = tmp_path / "calls", tmp_path / "store"
    ran(folder, chunks(2))
    with files_of_at_most(900), pytest.raises(hw.DataError) as caught:
        ran(folder, chunks(calls=str(seen)))
    assert len(calls(seen)) == 1
    text = str(caught.value)
    assert "parquet: cannot be written (File too large)" in text
    assert f"2 finished chunks are kept in {folder}" in text
    assert "the same command goes on" in text
    outcome, _ = ran(folder, chunks())
    assert (len(outcome.done), len(outcome.known)) == (6, 2)


def test_a_damaged_part_is_kept_aside_and_done_again(
    tmp_path: Path, reference: dict[str, bytes]
) -> None:
    ran(tmp_path, chunks())
    name = next(iter(reference))
    part = tmp_path / "parts" / name
    part.write_bytes(reference[name][:-10])
    # What a run has left that was killed while it wrote.
    (tmp_path / "parts" / ".whole.4242.tmp").write_bytes(reference[name][:20])
    outcome, said = ran(tmp_path, chunks())
    assert len(outcome.done) == 1
    assert f"its part is damaged (kept as {name}.broken); done again" in said
    found = parts(tmp_path)
    assert found.pop(f"{name}.broken") == reference[name][:-10]
    assert found == reference


# --------------------------------------------------------------------------- interrupts


def test_an_interrupt_keeps_what_is_done(tmp_path: Path, reference: dict[str, bytes]) -> None:
    done: list[str] = []

    def work(chunk: Chunk) -> ChunkResult:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(chunk.name)
        return toywork.work(chunk)

    said = io.StringIO()
    with pytest.raises(KeyboardInterrupt):
        run_chunks(chunks(), work, store_in(tmp_path), progress=Reporter(said))
    assert len(parts(tmp_path)) == 3
    assert "stopped: 3 finished chunks are kept in" in said.getvalue()
    assert "the same command goes on from there" in said.getvalue()
    outcome, _ = ran(tmp_path, chunks())
    assert set(outcome.known) == set(done)
    assert parts(tmp_path) == reference


class Desk:
    """A pool of two workers that the test moves: what ends, and when Ctrl-C comes."""

    def __init__(self, steps: list[list[int] | None]) -> None:
        self.steps, self.submitted, self.closed = steps, 0, False
        self.free, self.done = 2, list[int]()

    def submit(self, queue: Queue, _work: Work) -> tuple[int, Chunk] | None:
        chunk = queue.take() if self.free else None
        if chunk is None:
            return None
        self.free -= 1
        self.submitted += 1
        return self.submitted, chunk

    def ended(self, futures: Collection[int], *, wait: bool) -> list[int]:
        step = self.steps.pop(0)
        if step is None:
            assert wait
            raise KeyboardInterrupt
        assert set(step) <= set(futures)
        return step

    def answer(self, future: int) -> Any:
        self.free += 1
        return f"what {future} answers"

    def close(self) -> None:
        self.closed = True


def test_workers_get_new_work_before_the_old_is_written() -> None:
    desk = Desk([[1], [3, 2], [4]])
    answers: Any = pooled(Queue(chunks(4)), toywork.work, Stop(), desk)
    assert next(answers)[1] == "what 1 answers"
    assert desk.submitted == 3
    assert [answer for _, answer in answers] == [f"what {future} answers" for future in (3, 2, 4)]
    assert desk.closed


def test_what_has_ended_when_an_interrupt_comes_is_kept() -> None:
    desk = Desk([[1], None, [3]])
    answers: Any = pooled(Queue(chunks(6)), toywork.work, Stop(), desk)
    assert [next(answers)[1], next(answers)[1]] == ["what 1 answers", "what 3 answers"]
    with pytest.raises(KeyboardInterrupt):
        next(answers)
    assert desk.closed
    assert desk.submitted == 3


def test_no_work_is_given_out_after_an_interrupt() -> None:
    desk, stop = Desk([[]]), Stop()
    stop.ask()
    with pytest.raises(KeyboardInterrupt):
        next(pooled(Queue(chunks(6)), toywork.work, stop, desk))
    stop.end()
    assert (desk.submitted, desk.closed) == (0, True)


def test_an_interrupt_while_processes_start_is_heard_here_and_not_there() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    over = threading.Event()
    # A terminal's signal goes to any thread that does not block it.
    other = threading.Thread(target=over.wait)
    other.start()
    try:
        with deaf_to_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            show = ["/bin/grep", "SigBlk", "/proc/self/status"]
            child = subprocess.run(show, capture_output=True, text=True, check=True)
    finally:
        over.set()
        other.join()
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]
    assert int(child.stdout.split()[1], 16) & 1 << signal.SIGINT - 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_an_interrupt_that_is_swallowed_comes_again() -> None:
    swallowed: list[int] = []

    def wait(stop: Stop) -> None:
        with stop.allowed():
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                # As where C calls back, and cannot pass it on.
                swallowed.append(stop.requests)
            threading.Event().wait(240)

    with shielded() as stop, pytest.raises(KeyboardInterrupt):
        wait(stop)
    assert swallowed == [1]
    assert stop.requests == 1


def test_an_interrupt_while_a_part_is_written_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[[int], None] = os.fsync

    def interrupted(opened: int) -> None:
        signal.raise_signal(signal.SIGINT)
        real(opened)

    store = store_in(tmp_path)
    # After the lock has been taken, with the first part.
    work_begun: list[str] = []

    def work(chunk: Chunk) -> ChunkResult:
        monkeypatch.setattr(os, "fsync", interrupted if not work_begun else real)
        work_begun.append(chunk.name)
        return toywork.work(chunk)

    with pytest.raises(KeyboardInterrupt):
        run_chunks(chunks(), work, store, progress=silent())
    monkeypatch.undo()
    assert len(work_begun) == 1
    assert store.done(chunks()) == set(work_begun)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# --------------------------------------------------------------------------- processes


def test_chunks_run_with_one_thread_and_give_the_others_back(tmp_path: Path) -> None:
    from threadpoolctl import threadpool_info, threadpool_limits

    seen: list[dict[str, Any]] = []

    def work(chunk: Chunk) -> ChunkResult:
        counts = [one["num_threads"] for one in threadpool_info()]
        names = [os.environ.get(name) for name in LIBRARIES]
        seen.append({"counts": counts, "names": names, "patience": progress.PATIENCE})
        return toywork.work(chunk)

    environment = dict(os.environ)
    with threadpool_limits(limits=2):
        before = [one["num_threads"] for one in threadpool_info()]
        run_chunks(chunks(1), work, store_in(tmp_path), progress=silent())
        assert [one["num_threads"] for one in threadpool_info()] == before
    (row,) = seen
    assert row["counts"]
    assert set(row["counts"]) == {1}
    assert set(row["names"]) == {"1"}
    # No bars of single computations beside the one of the study.
    assert row["patience"] == float("inf")
    assert progress.PATIENCE == 2.0
    assert dict(os.environ) == environment


def test_timings_say_who_took_how_long(tmp_path: Path) -> None:
    ran(tmp_path, chunks(2))
    timings, _ = read_timings(tmp_path)
    assert {timing["chunk"] for timing in timings} == {chunk.name for chunk in chunks(2)}
    for timing in timings:
        assert 0 < timing["seconds"] < 10
        assert timing["pid"] == os.getpid()
        assert timing["peak_mb"] > 10
        assert timing["timings"] == [{"fit": 0.1}]


@pytest.mark.parametrize("jobs", [0, -2, 1.5, "2", True])
def test_jobs_are_counted(tmp_path: Path, jobs: Any) -> None:
    with pytest.raises(hw.OptionError, match=r"jobs=.* must be an integer ≥ 1, or -1"):
        ran(tmp_path, chunks(), jobs=jobs)
    assert parts(tmp_path) == {}
