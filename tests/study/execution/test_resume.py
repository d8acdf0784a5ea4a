"""Runs in processes of their own that are killed, interrupted, and out of disk."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import toywork
from toywork import NEVER, chunks, parts, store_in

import halfwidth as hw
from halfwidth.study.chunks import Shard
from halfwidth.study.execution.progress import Reporter
from halfwidth.study.execution.running import run_chunks
from halfwidth.study.storage.upkeep import status

COUNT = 12
# With two workers, the costliest chunks of two groups are done, then each holds one of the others.
DONE, HELD = 2, COUNT - 3


class Runs:
    """Runs of toy chunks, none of which outlives the test."""

    def __init__(self, folder: Path) -> None:
        self.store, self.calls = folder / "store", folder / "calls"
        self._log, self._released = folder / "log", folder / "released"
        self._processes: list[subprocess.Popen[str]] = []

    def begin_and_hold(self, **options: Any) -> subprocess.Popen[str]:
        """A run of two workers that has done two chunks and is at work on two others."""
        process = self.begin(jobs=2, what=self.held(), **options)
        self.until(lambda: self.done() == DONE and len(self.called()) == 2 * DONE)
        return process

    def held(self, last: int = HELD) -> dict[str, Any]:
        """Has chunks up to ``last``, of which the first are the cheapest, wait for `release`."""
        return {"held": last, "until": str(self._released)}

    def release(self) -> None:
        self._released.touch()

    def begin(self, *, sleep: float = 0.0, **options: Any) -> subprocess.Popen[str]:
        what = {"sleep": sleep, "calls": str(self.calls), **options.pop("what", {})}
        given = json.dumps({"count": COUNT, "what": what, **options})
        source = Path(toywork.__file__)
        path = os.pathsep.join([str(source.parent), *os.environ.get("PYTHONPATH", "").split()])
        with self._log.open("a", encoding="utf-8") as log:
            process = subprocess.Popen(
                [sys.executable, str(source), str(options.pop("folder", self.store)), given],
                env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
                stdout=log,
                stderr=log,
                text=True,
                # A group of its own, as a shell gives it, whose workers hear Ctrl-C too.
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def said(self) -> str:
        return self._log.read_text()

    def done(self) -> int:
        return len(list((self.store / "parts").glob("*.parquet")))

    def called(self) -> list[str]:
        return toywork.calls(self.calls) if self.calls.exists() else []

    def workers(self) -> set[int]:
        return {int(line.split()[1]) for line in self.calls.read_text().splitlines()}

    def until(self, reached: Callable[[], bool]) -> None:
        end = time.monotonic() + NEVER
        while not reached():
            assert time.monotonic() < end, self.said()
            time.sleep(0.01)

    def until_done(self, count: int) -> None:
        self.until(lambda: self.done() >= count)

    def finish(self, **options: Any) -> tuple[str, ...]:
        """Go on in this process to the end; what had been kept."""
        made = chunks(COUNT, calls=str(self.calls))
        store, reporter = store_in(self.store), Reporter(io.StringIO())
        outcome = run_chunks(made, toywork.work, store, progress=reporter, **options)
        assert outcome.failed == ()
        return outcome.known

    def end(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    made.end()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    undisturbed = Runs(tmp_path_factory.mktemp("reference"))
    assert undisturbed.finish() == ()
    return parts(undisturbed.store)


def gone(pid: int) -> bool:
    try:
        return ") Z" in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_after_kill_9_nothing_is_lost_but_the_chunks_in_flight(
    runs: Runs, reference: dict[str, bytes]
) -> None:
    process = runs.begin_and_hold()
    # Nobody else may be on the store meanwhile, whoever it is.
    for shard in (None, Shard(1, 2)):
        with pytest.raises(hw.DataError, match=f"process {process.pid} on .* since 20"):
            runs.finish(shard=shard)
    (holder,) = status(store_in(runs.store), chunks(COUNT)).running
    assert holder.pid == process.pid
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = parts(runs.store)
    assert len(kept) == DONE
    assert {name: reference[name] for name in kept} == kept
    # Workers end by themselves when their run is dead.
    runs.until(lambda: all(gone(pid) for pid in runs.workers()))
    assert len(runs.finish()) == DONE
    assert parts(runs.store) == reference
    # Of each worker: what it was doing.
    called = runs.called()
    assert len(called) - len(set(called)) == 2


@pytest.mark.slow
def test_an_interrupt_from_the_terminal_ends_all_quietly(
    runs: Runs, reference: dict[str, bytes]
) -> None:
    process = runs.begin_and_hold()
    # To the workers too, as a terminal does it; and twice, as people do it.
    os.killpg(process.pid, signal.SIGINT)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=NEVER) == 130
    said = runs.said()
    assert "Traceback" not in said
    assert "Error" not in said
    assert said.count("stopped") == 1
    assert f"stopped: {DONE} finished chunks are kept in {runs.store}" in said
    assert "the same command goes on from there" in said
    runs.until(lambda: all(gone(pid) for pid in runs.workers()))
    assert len(runs.finish()) == DONE
    assert parts(runs.store) == reference


@pytest.mark.slow
@pytest.mark.parametrize("engine", [{"jobs": 2}, {"jobs": 2, "dask": "local"}])
def test_an_interrupt_while_workers_start_is_not_lost(runs: Runs, engine: dict[str, Any]) -> None:
    process = runs.begin(what={"held": COUNT, "until": str(runs.store / "never")}, **engine)
    # The line before any worker is started.
    runs.until(lambda: "2 processes" in runs.said())
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=NEVER) == 130
    said = runs.said()
    assert "stopped: 0 finished chunks are kept" in said
    assert len(said.splitlines()) == 2, said


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_is_told_to_terminate_says_what_it_kept(runs: Runs, jobs: int) -> None:
    process = runs.begin(jobs=jobs, what={"held": HELD, "until": str(runs.store / "never")})
    runs.until(lambda: runs.done() >= 1 and len(runs.called()) > runs.done())
    process.send_signal(signal.SIGTERM)
    # As it ends that does nothing about it.
    assert process.wait(timeout=NEVER) == -signal.SIGTERM
    assert "the same command goes on from there" in runs.said()
    assert "Traceback" not in runs.said()
    runs.until(lambda: all(gone(pid) for pid in runs.workers()))
    assert status(store_in(runs.store), chunks(COUNT)).running == ()


@pytest.mark.slow
def test_shards_run_at_once(runs: Runs, reference: dict[str, bytes]) -> None:
    both = [runs.begin(shard=f"{i}/2", sleep=0.1) for i in (1, 2)]
    runs.until_done(1)
    assert [process.wait(timeout=NEVER) for process in both] == [0, 0]
    assert sorted(runs.called()) == sorted(chunk.name for chunk in chunks(COUNT))
    assert parts(runs.store) == reference


@pytest.mark.slow
def test_killed_again_and_again_a_run_comes_to_its_end(
    runs: Runs, reference: dict[str, bytes]
) -> None:
    import random

    generator = random.Random(11)
    for _ in range(12):
        process = runs.begin(sleep=0.05)
        runs.until((runs.store / "run.json").exists)
        try:
            process.wait(generator.uniform(0.2, 3.0))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        for name, content in parts(runs.store).items():
            if not name.startswith("."):
                assert content == reference[name]
    runs.finish()
    assert parts(runs.store) == reference


@pytest.mark.slow
def test_killed_workers_are_replaced(runs: Runs, reference: dict[str, bytes]) -> None:
    process = runs.begin_and_hold()
    for calls in (2 * DONE + 1, 2 * DONE + 2):
        os.kill(int(runs.calls.read_text().split()[-1]), signal.SIGKILL)
        # Another process takes the next chunk, and holds it.
        runs.until(lambda wanted=calls: len(runs.called()) == wanted)  # type: ignore[misc]
    runs.release()
    assert process.wait(timeout=NEVER) == 0
    assert "the worker died: SIGKILL" in runs.said()
    assert parts(runs.store) == reference


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "scheduler"])
def test_an_interrupt_of_a_cluster(
    runs: Runs, reference: dict[str, bytes], engine: str, cluster: Cluster
) -> None:
    address = "local" if engine == "local" else cluster.address
    process = runs.begin(dask=address, jobs=2, what=runs.held(0))
    runs.until_done(DONE)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=NEVER) == 130
    runs.release()
    assert "Traceback" not in runs.said()
    assert "the same command goes on from there" in runs.said()
    runs.finish(dask=address, jobs=2)
    assert parts(runs.store) == reference


@dataclass(frozen=True)
class Cluster:
    address: str
    scheduler: subprocess.Popen[bytes]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler and a worker as one starts them by hand: the worker sees no store."""
    file = tmp_path / "scheduler.json"
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    path = [str(Path(toywork.__file__).parent), *os.environ.get("PYTHONPATH", "").split()]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = [*program, "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    started = []
    with (tmp_path / "cluster.log").open("w", encoding="utf-8") as log:

        def start(*given: str) -> None:
            started.append(
                subprocess.Popen(given, stdout=log, stderr=log, env=environment, cwd=elsewhere)
            )

        start(*command, "--scheduler-file", str(file))
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1"]
        start(*worker, "--no-dashboard", "--scheduler-file", str(file))
        end = time.monotonic() + NEVER
        while not file.exists() or not file.read_text().strip():
            assert time.monotonic() < end, (tmp_path / "cluster.log").read_text()
            time.sleep(0.05)
        try:
            yield Cluster(json.loads(file.read_text())["address"], started[0])
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


@pytest.mark.slow
def test_a_scheduler_makes_the_same_parts(
    runs: Runs, reference: dict[str, bytes], cluster: Cluster
) -> None:
    runs.finish(dask=cluster.address)
    assert parts(runs.store) == reference
    assert os.getpid() not in runs.workers()


@pytest.mark.slow
def test_a_scheduler_that_goes_away(
    runs: Runs, reference: dict[str, bytes], cluster: Cluster
) -> None:
    process = runs.begin(dask=cluster.address, what=runs.held(0))
    runs.until_done(DONE)
    cluster.scheduler.send_signal(signal.SIGKILL)
    assert process.wait(timeout=NEVER) == 1
    assert f"dask='{cluster.address}': the scheduler is gone" in runs.said()
    assert "the same command goes on" in runs.said()
    assert "Traceback" not in runs.said()
    runs.finish()
    assert parts(runs.store) == reference


# --------------------------------------------------------------------------- disks


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)],  # noqa: S607
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no small disk can be mounted here: a full one is not tested")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)  # noqa: S607


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_disk_that_fills_up(
    runs: Runs, small_disk: Path, reference: dict[str, bytes], jobs: int
) -> None:
    runs.store = small_disk / "store"
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 24_000)
    process = runs.begin(jobs=jobs, sleep=0.05)
    assert process.wait(timeout=NEVER) == 1
    said = runs.said()
    assert "cannot be written (No space left on device)" in said
    assert "the same command goes on" in said
    assert "Traceback" not in said
    runs.until(lambda: all(gone(pid) for pid in runs.workers()))
    kept = runs.done()
    assert 0 < kept < COUNT
    assert {name: reference[name] for name in parts(runs.store)} == parts(runs.store)
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=1m", str(small_disk)], check=True)  # noqa: S607
    assert len(runs.finish()) == kept
    assert parts(runs.store) == reference


@pytest.mark.slow
def test_a_disk_that_cannot_be_written_to(runs: Runs, small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)  # noqa: S607
    with pytest.raises(hw.DataError, match=r"cannot be made .*Read-only file system"):
        store_in(small_disk / "store")
    subprocess.run(["mount", "-o", "remount,rw,size=1m", str(small_disk)], check=True)  # noqa: S607
    runs.store = small_disk / "store"
    runs.finish()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)  # noqa: S607
    # Looking is no writing.
    found = status(store_in(runs.store), chunks(COUNT))
    assert (len(found.done), found.running) == (COUNT, ())
    with pytest.raises(hw.DataError, match="Read-only file system"):
        runs.finish()


def test_a_folder_that_may_not_be_written_to(runs: Runs) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere: permissions are not tested")
    store_in(runs.store)
    (runs.store / "parts").chmod(0o500)
    try:
        with pytest.raises(hw.DataError, match=r"parquet: cannot be written \(Permission denied"):
            runs.finish()
    finally:
        (runs.store / "parts").chmod(0o700)
    assert runs.finish() == ()
