"""Commands that are ended at any time: files whole or absent, and no process left."""

from __future__ import annotations

import functools
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

# Seconds after which something that is waited for will never be.
NEVER = 60.0
RUN = [sys.executable, "-m", "halfwidth"]
SIGNALS = [signal.SIGTERM, signal.SIGKILL]
WITHOUT = ("--method", "t", "--no-figures")
SCORE = ("score", "p", "r", "--metric", "dsc,hd95", "--spacing", "1,1,1", "--jobs", "2")

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="asks /proc")


def until(happened: Callable[[], object]) -> bool:
    latest = time.monotonic() + NEVER
    while not happened() and time.monotonic() < latest:
        time.sleep(0.02)
    return bool(happened())


def processes(mark: str) -> Iterator[int]:
    """The living processes that have a variable in their environment."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                ours = f"MARK={mark}\0".encode() in (folder / "environ").read_bytes()
                if ours and ") Z" not in (folder / "stat").read_text():
                    yield int(folder.name)
            except OSError:  # it has ended
                continue


def all_ended(mark: str) -> bool:
    return not [*processes(mark)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    dice = {"case": range(5000), "dice": rng.beta(9, 2, 5000).round(4)}
    pd.DataFrame(dice).to_csv(tmp_path / "a.csv", index=False)
    pd.DataFrame(dice).head(9).to_csv(tmp_path / "few.csv", index=False)
    box = {"image": range(900), "x1": 0, "y1": 0, "x2": 9, "y2": 9, "class": "a"}
    pd.DataFrame(box).to_csv(tmp_path / "true.csv", index=False)
    found = pd.DataFrame({**box, "score": rng.random(900)})
    found.to_csv(tmp_path / "found.csv", index=False)
    return tmp_path


@pytest.fixture
def masks(folder: Path) -> None:
    """Pairs of noise, which take their time."""
    rng = np.random.default_rng(2)
    for name in ("p", "r"):
        (folder / name).mkdir()
        for case in range(30):
            np.save(folder / name / f"{case}.npy", rng.integers(0, 2, (40, 120, 120), np.uint8))


def begun(folder: Path, words: tuple[str, ...]) -> tuple[subprocess.Popen[str], str]:
    """A command, and the mark of all its processes."""
    mark = f"{folder}-{time.monotonic_ns()}"
    process = subprocess.Popen(
        [*RUN, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "MARK": mark},
    )
    return process, mark


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)]
)
@pytest.mark.usefixtures("masks")
def test_workers_end_with_their_command(folder: Path, number: signal.Signals) -> None:
    process, mark = begun(folder, (*SCORE, "-o", "s.csv"))
    kept = folder / "s.csv.partial"
    assert until(lambda: kept.exists() and kept.read_text().count("\n") > 1)
    assert len([*processes(mark)]) >= 3
    process.send_signal(number)
    # Also of the pipes, which all processes share.
    _, err = process.communicate(timeout=NEVER)
    assert process.returncode == -number
    assert until(functools.partial(all_ended, mark))
    assert not (folder / "s.csv").exists()
    if number == signal.SIGTERM:
        assert err == (
            "halfwidth: interrupted; s.csv.partial keeps what is done, and the same command goes "
            "on from there\n"
        )


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_browser_ends_with_its_command(
    folder: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "chromium").write_text("#!/bin/sh\ntouch begun\nexec sleep 1000\n")
    (folder / "chromium").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    (folder / "report.pdf").write_text("as it was")
    process, mark = begun(folder, ("report", "few.csv", "--metric", "dsc", *WITHOUT, "--pdf"))
    assert until((folder / "begun").exists)
    process.send_signal(number)
    process.communicate(timeout=NEVER)
    assert process.returncode == -number
    assert until(functools.partial(all_ended, mark))
    assert (folder / "report.pdf").read_text() == "as it was"


@pytest.mark.slow
@pytest.mark.usefixtures("masks")
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    "words",
    [
        ("report", "a.csv", "--metric", "dsc", "--seed", "1", "-o", "out.html"),
        ("convert", "a.csv", "--metric", "dsc", "-o", "out.csv"),
        ("convert", "a.csv", "--metric", "dsc", "-o", "out.parquet"),
        ("detect", "found.csv", "true.csv", "--metric", "ap50", "--seed", "1", "-o", "out.json"),
        (*SCORE, "-o", "out.csv"),
    ],
    ids=lambda words: f"{words[0]}-{words[-1]}",
)
def test_files_are_whole_whenever_a_command_ends(
    folder: Path, words: tuple[str, ...], number: signal.Signals
) -> None:
    out = folder / words[-1]
    started = time.monotonic()
    process, _ = begun(folder, words)
    _, err = process.communicate(timeout=NEVER)
    assert process.returncode == 0, err
    takes, whole = time.monotonic() - started, out.read_bytes()
    moments = random.Random(int(number))
    for _ in range(4):
        out.write_bytes(b"as it was")
        process, mark = begun(folder, words)
        time.sleep(moments.uniform(0, 1.1 * takes))
        process.send_signal(number)
        _, err = process.communicate(timeout=NEVER)
        assert "Traceback" not in err
        assert until(functools.partial(all_ended, mark))
        assert out.read_bytes() in (b"as it was", whole)
        if number == signal.SIGTERM:
            assert not [*folder.glob(".*")]
        for left in (*folder.glob(".*"), *folder.glob("*.partial")):
            left.unlink()
