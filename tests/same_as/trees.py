"""The two trees: that of a commit, taken out of git, and the working tree; and their recordings."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from same_as.calls import Call
from same_as.renames import Table

__all__ = ["Tree", "commit_named", "read_recording", "recorded", "taken_out", "working_tree"]

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "same-as"
TABLE = Path("tests", "same_as", "renames.toml")
KERNELS = Path("src", "halfwidth", "resampling", "kernels")
PROCESSES = 2
# Recordings of so many commits stay.
KEPT = 6
# One thread each, so that sums are taken in the same order; nothing of the terminal.
SETTINGS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "COLUMNS": "80",
    "LINES": "40",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "MPLBACKEND": "agg",
}
COMPILE = """
import sys
from pathlib import Path
sys.path.insert(0, ".")
from hatch_build import compile_library
print(compile_library(Path(sys.argv[1]), Path(sys.argv[2])))
"""


class TreeError(RuntimeError):
    """A commit that is none, or a tree that makes no calls."""


@dataclass(frozen=True)
class Tree:
    """A tree with the package in ``src``, and the entries of the table that it already obeys."""

    name: str
    folder: Path
    table: Table


# A command with its environment; the last word is where it prints.
Job = tuple[list[str], dict[str, str]]
Running = tuple[subprocess.Popen[bytes], Path]


def _git(*words: str, text: bool = True) -> Any:
    ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)  # noqa: S607
    if ran.returncode:
        raise TreeError(f"git {' '.join(words[:2])}: {ran.stderr.decode().strip()}")
    return ran.stdout.decode().strip() if text else ran.stdout


def commit_named(ref: str) -> str:
    return str(_git("rev-parse", "--verify", f"{ref}^{{commit}}"))


def working_tree() -> Tree:
    sources = hashlib.sha256()
    for file in sorted((ROOT / "src").rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            sources.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return Tree(
        f"working-tree-{sources.hexdigest()[:12]}",
        ROOT,
        Table.read((ROOT / TABLE).read_text(encoding="utf-8")),
    )


def taken_out(commit: str) -> Tree:
    """The tree of a commit below build/, with a C library of its own sources."""
    folder = BUILD / "trees" / commit[:12]
    if not (folder / "whole").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        archive = _git("archive", commit, "src", "hatch_build.py", text=False)
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        _add_library(folder)
        (folder / "whole").touch()
    try:
        table = Table.read(_git("show", f"{commit}:{TABLE.as_posix()}"))
    except TreeError:
        table = Table()
    return Tree(commit[:12], folder, table)


def _add_library(folder: Path) -> None:
    """That of the working tree where the sources are the same, else one that is compiled."""
    names = ("c/*", "shared_library.py")
    own, other = (
        {p.name: p.read_bytes() for name in names for p in (at / KERNELS).glob(name)}
        for at in (folder, ROOT)
    )
    library = next((ROOT / KERNELS).glob("_core.*"), None)
    if own == other and library is not None:
        shutil.copy2(library, folder / KERNELS)
        return
    into = folder / KERNELS / (library.name if library else "_core.so")
    command = [sys.executable, "-c", COMPILE, str(KERNELS), str(into)]
    subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL)


# --------------------------------------------------------------------------- recordings


def digest(calls: Sequence[Call], before: Table) -> str:
    """Of all that a recording rests on, besides the tree."""
    made = hashlib.sha256(json.dumps([dataclasses.asdict(call) for call in calls]).encode())
    made.update(repr(before).encode())
    tests = Path(__file__).parents[1]
    files = [
        *Path(__file__).parent.glob("*.py"),
        *(tests / "tables" / "importers" / "fixtures").rglob("*"),
    ]
    files += [tests / f"{name}.py" for name in ("door", "workflows", "workbench", "tellings")]
    files += [tests / f"{name}.py" for name in ("fuzzfiles", "fuzzobjects", "fuzzdamage")]
    for file in sorted(file for file in files if file.is_file()):
        if file.name not in ("differences.py", "__main__.py") and "test_" not in file.name:
            made.update(file.name.encode() + file.read_bytes())
    return made.hexdigest()[:12]


def recorded(trees: Sequence[Tree], calls: Sequence[Call], before: Sequence[Table]) -> list[Path]:
    """The folders of the trees' recordings, which are kept for the next time."""
    folders: list[Path] = []
    jobs: list[Job] = []
    for tree, table in zip(trees, before, strict=True):
        folder = BUILD / "recordings" / f"{tree.name}-{digest(calls, table)}"
        folders.append(folder)
        if (folder / "whole").exists():
            os.utime(folder)
            continue
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        jobs += _jobs(tree, table, calls, folder)
    _run(jobs)
    for folder in folders:
        (folder / "whole").touch()
    kept = sorted((BUILD / "recordings").iterdir(), key=lambda path: path.stat().st_mtime)
    for old in kept[:-KEPT]:
        shutil.rmtree(old)
    return folders


def _jobs(tree: Tree, before: Table, calls: Sequence[Call], folder: Path) -> Iterator[Job]:
    """Commands of processes that record, with what they print as the last word, and where."""
    listed = folder / "calls.list"
    listed.write_text(json.dumps([dataclasses.asdict(call) for call in calls]), encoding="utf-8")
    table = folder / "before.list"
    table.write_text(json.dumps(before.as_document()), encoding="utf-8")
    path = os.pathsep.join([str(tree.folder / "src"), str(ROOT / "tests"), str(ROOT / "docs")])
    environment = {**os.environ, **SETTINGS, "PYTHONPATH": path}
    environment.pop("HALFWIDTH_NO_C", None)
    given = [str(listed), str(folder), "--tree", str(tree.folder), "--before", str(table)]
    command = [sys.executable, "-m", "same_as.recorder", *given]
    for part in range(PROCESSES):
        own, log = ["--part", f"{part}/{PROCESSES}"], str(folder / f"{part}.log")
        yield [*command, *own, log], environment
        plain = {**environment, "HALFWIDTH_NO_C": "1"}
        yield [*command, *own, "--plain", f"{log}.plain"], plain


def _run(jobs: Sequence[Job]) -> None:
    """Two at a time."""
    waiting, running = list(jobs), list[Running]()
    try:
        while waiting or running:
            while waiting and len(running) < PROCESSES:
                command, environment = waiting.pop(0)
                with Path(command[-1]).open("wb") as log:
                    process = subprocess.Popen(
                        command[:-1], cwd=BUILD, env=environment, stdout=log, stderr=log
                    )
                running.append((process, Path(command[-1])))
            process, said = _ended(running)
            if process.returncode:
                raise TreeError(f"a recorder failed:\n{said.read_text(encoding='utf-8')[-2000:]}")
    finally:
        for process, _ in running:
            process.kill()


def _ended(running: list[Running]) -> Running:
    """The first that has ended, which is taken from the list."""
    while True:
        for one in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                one[0].wait(0.1)
                running.remove(one)
                return one


def read_recording(folder: Path) -> dict[str, Any]:
    """What each call answered."""
    files = (json.loads(file.read_bytes()) for file in folder.glob("*.json"))
    return {one["call"]: one["record"] for one in files}
