"""Small chunks that do what chunks do, and what they should not, in any process."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halfwidth import DataError
from halfwidth.study.chunks import Chunk, ChunkResult, parse_shard
from halfwidth.study.execution.progress import Reporter
from halfwidth.study.execution.running import Outcome, run_chunks
from halfwidth.study.storage.opening import create_or_open
from halfwidth.study.storage.store import Store

# Seconds after which something that is waited for will never be: no test takes so long.
NEVER = 240.0
COLUMNS = {
    "instance": "string",
    "n": "int64",
    "coverage": "double",
    "infinite": "bool",
    "cautions": "list<string>",
}
SETTINGS: dict[str, Any] = {"seed": 7, "sizes": [10, 25], "levels": [0.95]}
INPUTS = {f"model{i}": f"{i:016x}" for i in range(4)}


def chunks(count: int = 8, **what: Any) -> list[Chunk]:
    """Chunks of different costs; ``what`` tells the work function how to behave."""
    return [
        Chunk(f"model{i % 4}.n{i:05d}", f"{i:016x}", {"n": i, **what}, 1.0 + i, f"model{i % 4}")
        for i in range(count)
    ]


def work(chunk: Chunk) -> ChunkResult:
    """Rows by which every bit of the computation is seen."""
    given, begun = chunk.payload, time.perf_counter()
    _tell(given, chunk)
    _wait(given)
    _misbehave(given, chunk)
    time.sleep(given.get("sleep", 0.0))
    drawn = np.random.Generator(np.random.Philox(given["n"])).normal(size=(120, 120))
    product = drawn @ drawn.T
    rows = [
        {
            "instance": chunk.group,
            "n": given["n"],
            "coverage": float(product[row].sum()),
            "infinite": row == 1,
            "cautions": ["HW101"] * row,
        }
        for row in range(3)
    ]
    if given.get("extra") == chunk.name:
        rows[0]["unknown"] = 1
    return ChunkResult(rows, time.perf_counter() - begun, [{"fit": 0.1}])


def _tell(given: dict[str, Any], chunk: Chunk) -> None:
    """Leave word of each call, since other processes do the work."""
    if "calls" in given:
        with Path(given["calls"]).open("a", encoding="utf-8") as file:
            file.write(f"{chunk.name} {os.getpid()}\n")


def _wait(given: dict[str, Any]) -> None:
    """Chunks up to ``held`` wait for a file, so that a test knows what is being worked on."""
    while given["n"] <= given.get("held", -1) and not Path(given["until"]).exists():
        time.sleep(0.01)


def _misbehave(given: dict[str, Any], chunk: Chunk) -> None:
    """Only the chunk that is named; ``once``: only until a file is there."""
    if "once" in given:
        mark = Path(given["once"])
        if mark.exists():
            return
        if chunk.name in given.get("names", ()):
            mark.touch()
    if chunk.name not in given.get("names", ()):
        return
    match given["how"]:
        case "raise":
            raise ZeroDivisionError("nothing to divide by")
        case "exit":
            os._exit(7)
        case "leave":
            sys.exit(3)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "warn":
            sys.stderr.write("said by a worker\n")


def store_in(folder: Path, **changes: Any) -> Store:
    return create_or_open(folder, SETTINGS | changes, INPUTS, COLUMNS)


def parts(folder: Path) -> dict[str, bytes]:
    """What is in the parts of a store, by their names."""
    return {path.name: path.read_bytes() for path in sorted((folder / "parts").iterdir())}


def silent() -> Reporter:
    return Reporter(io.StringIO())


def ran(folder: Path, made: list[Chunk], **options: Any) -> tuple[Outcome, str]:
    said = io.StringIO()
    outcome = run_chunks(made, work, store_in(folder), progress=Reporter(said), **options)
    return outcome, said.getvalue()


def calls(file: Path) -> list[str]:
    return [line.split()[0] for line in file.read_text().splitlines()]


def pids(file: Path) -> set[int]:
    return {int(line.split()[1]) for line in file.read_text().splitlines()}


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # One that nobody has waited for is dead all the same.
    return ") Z" not in Path(f"/proc/{pid}/stat").read_text()


def all_end(found: set[int]) -> bool:
    until = time.monotonic() + NEVER
    while any(alive(pid) for pid in found) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(alive(pid) for pid in found)


@contextlib.contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """A disk that is full after so many bytes, as far as one file can tell."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def main(arguments: Sequence[str]) -> None:
    """Run toy chunks in a process of its own: a folder, and options as JSON."""
    folder, options = Path(arguments[0]), json.loads(arguments[1])
    shard = parse_shard(options["shard"]) if "shard" in options else None
    run = {name: options[name] for name in ("jobs", "dask", "retries") if name in options}
    made = chunks(options.get("count", 8), **options.get("what", {}))
    # Whoever starts tests in the background may have told them to ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        store = store_in(folder)
        outcome = run_chunks(made, work, store, shard=shard, progress=Reporter(), **run)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(130)
    except DataError as error:
        sys.exit(str(error))
    sys.exit(1 if outcome.failed else 0)


if __name__ == "__main__":
    # By its own name, under which workers find it too.
    import toywork

    toywork.main(sys.argv[1:])
