"""Random files through the command line: an answer, or a line or two that say what is wrong.

``HALFWIDTH_FUZZ_FILES`` and ``HALFWIDTH_FUZZ_SEED`` set the number of files of the long form and
where they begin.
"""

from __future__ import annotations

import collections
import os
import re
import shlex
from pathlib import Path

import pytest
from fuzzfiles import good_files, made_file, write_good_files
from support import Ran, Run

SHORT, LONG = 30, int(os.environ.get("HALFWIDTH_FUZZ_FILES", "1000"))
FIRST = int(os.environ.get("HALFWIDTH_FUZZ_SEED", "0"))
LONGEST = 1000
MOST_MEMORY = 500e6
# All but tabs and line ends would be obeyed by a terminal.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
PROCESS = Path("/proc/self")


def test_a_few_files_are_read_or_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    counts = tried(run, tmp_path, SHORT)
    assert counts["accepted"] > SHORT / 10
    assert counts["refused"] > SHORT / 10


def test_every_command_takes_a_good_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _, command in good_files(tmp_path):
        ran = run(*command)
        assert ran.status in {0, 3}, f"{shlex.join(command)}: {ran.err}"


@pytest.mark.slow
def test_many_files_are_read_or_refused(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    counts = tried(run, tmp_path, LONG)
    with capfdbinary.disabled():
        print(f"\nfiles: {LONG} tried, ", end="")  # noqa: T201
        print(f"{counts['refused']} refused, {counts['accepted']} accepted")  # noqa: T201


def tried(run: Run, folder: Path, files: int) -> collections.Counter[str]:
    """How many files were refused and accepted; fails on anything else, with the commands."""
    write_good_files(folder)
    counts: collections.Counter[str] = collections.Counter()
    failed: list[str] = []
    for seed in range(FIRST, FIRST + files):
        file, command = made_file(seed, folder)
        forget_peak()
        before = memory("VmRSS")
        ran = run(*command)
        wrong = fault_of(ran, command, memory("VmHWM") - before)
        if wrong:
            failed.append(f"  {seed}: {shlex.join(command)}\n    {wrong:.500}")
        else:
            counts["refused" if ran.status == 2 else "accepted"] += 1
        file.unlink()
    assert not failed, f"{len(failed)} of {files} files:\n" + "\n".join(failed[:40])
    return counts


def fault_of(ran: Ran, command: tuple[str, ...], memory_taken: float) -> str:
    """What is wrong with what a command said; nothing where all is well."""
    lines = ran.err.splitlines()
    longest = max(lines, key=len, default="")
    # What `convert` writes to stdout is the table itself, to the letter.
    said = ran.err if command[0] == "convert" else ran.err + ran.out
    refused = ran.status == 2
    own_words = all(line.startswith("halfwidth: ") for line in lines)
    faults = {
        f"not a command: {ran.err}": "--help'." in ran.err,
        f"status {ran.status}: {ran.err}": ran.status not in {0, 2, 3}
        or (ran.status == 3 and "--strict" not in command),
        f"not for users: {ran.err}": any(
            word in ran.err for word in ("Traceback", "internal error", "Warning")
        ),
        f"took {memory_taken / 1e6:.0f} MB": memory_taken > MOST_MEMORY,
        f"control characters: {ran.err!r} {ran.out!r}": CONTROL.search(said),
        f"a line of {len(longest)} letters: {longest}": len(longest) > LONGEST,
        f"refused, with an answer: {ran.out}": refused and ran.out,
        "no answer": not refused and not ran.out,
        f"refused in {len(lines)} lines: {ran.err}": refused
        and not (1 <= len(lines) <= 3 and own_words),
    }
    return next((told for told, wrong in faults.items() if wrong), "")


def forget_peak() -> None:
    """Measure the peak of the memory from now on."""
    if (PROCESS / "clear_refs").exists():
        (PROCESS / "clear_refs").write_text("5", encoding="utf-8")


def memory(what: str) -> float:
    """Bytes of this process; 0 where the system does not say."""
    if not (PROCESS / "status").exists():
        return 0.0
    found = re.search(rf"{what}:\s+(\d+) kB", (PROCESS / "status").read_text(encoding="utf-8"))
    return 1024.0 * int(found[1]) if found else 0.0
